/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/lib/h2.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <unistd.h>

#include "rt/net.h"
#include "rt/tls.h"

struct h2_conn {
    int fd;
    struct tls_session *tls;
    nghttp2_session *session;
    struct h2_load *load;
    struct strbuf out;
    size_t out_at;
};

struct h2_load {
    struct tls_client *tls;
    struct h2_conn *conns;
    size_t nconns, answered, wanted;
};

static int on_frame(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *user)
{
    struct h2_conn *c = user;
    if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_RESPONSE)
        c->load->answered++;
    return 0;
}

static void submit(struct h2_conn *c, const char *path, size_t streams)
{
    static const char token[] = "Bearer " TARGET_TOKEN;
#define HEADER(n, v) {(uint8_t *)(n), (uint8_t *)(v), strlen(n), strlen(v), NGHTTP2_NV_FLAG_NONE}
    nghttp2_nv headers[] = {HEADER(":method", "GET"), HEADER(":scheme", "https"), HEADER(":authority", "127.0.0.1"), HEADER(":path", path),
                            HEADER("authorization", token), HEADER("accept", "application/json")};
    nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, NULL, 0);
    for (size_t i = 0; i < streams; i++)
        BUG_ON(nghttp2_submit_request(c->session, NULL, headers, ARRAY_LEN(headers), NULL, NULL) < 0);
}

struct h2_load *h2_open(const struct target *t, size_t connections, size_t streams_each, const char *path)
{
    struct h2_load *l = xnew(struct h2_load);
    struct err err;
    struct net_addr addr = {.host = "127.0.0.1", .port = t->port};
    nghttp2_session_callbacks *callbacks;
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    BUG_ON(tls_client_new(t->ca_pem, NULL, NULL, false, &l->tls, &err) < 0);
    l->conns = xarray(connections, struct h2_conn);
    l->wanted = connections * streams_each;
    for (size_t i = 0; i < connections; i++) {
        struct h2_conn *c = &l->conns[l->nconns++];
        c->load = l;
        BUG_ON(net_connect_tcp(&addr, 10 * NSEC_PER_SEC, &c->fd, &err) < 0);
        c->tls = tls_connect(l->tls, c->fd, "127.0.0.1", "h2");
        enum tls_io io;
        while ((io = tls_handshake(c->tls)) == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
            net_wait(c->fd, io == TLS_IO_WANT_READ ? POLLIN : POLLOUT, NSEC_PER_SEC);
        BUG_ON(io != TLS_IO_OK || nghttp2_session_client_new(&c->session, callbacks, c) != 0);
        submit(c, path, streams_each);
    }
    nghttp2_session_callbacks_del(callbacks);
    return l;
}

static void push(struct h2_conn *c)
{
    for (;;) {
        while (c->out_at < c->out.len) {
            size_t n;
            if (tls_write(c->tls, c->out.p + c->out_at, c->out.len - c->out_at, &n) != TLS_IO_OK)
                return;
            c->out_at += n;
        }
        strbuf_clear(&c->out);
        c->out_at = 0;
        const uint8_t *data;
        ssize_t n = nghttp2_session_mem_send(c->session, &data);
        if (n <= 0)
            return;
        strbuf_add(&c->out, data, (size_t)n);
    }
}

static void pull(struct h2_conn *c)
{
    char buffer[16384];
    size_t n;
    while (tls_read(c->tls, buffer, sizeof buffer, &n) == TLS_IO_OK)
        if (nghttp2_session_mem_recv(c->session, (const uint8_t *)buffer, n) < 0)
            return;
}

size_t h2_run(struct h2_load *l, nsec_t for_ns)
{
    nsec_t end = clock_mono(&clock_real) + for_ns;
    while (l->answered < l->wanted && clock_mono(&clock_real) < end) {
        for (size_t i = 0; i < l->nconns; i++) {
            push(&l->conns[i]);
            net_wait(l->conns[i].fd, POLLIN, NSEC_PER_MSEC);
            pull(&l->conns[i]);
        }
    }
    return l->answered;
}

void h2_free(struct h2_load *l)
{
    for (size_t i = 0; i < l->nconns; i++) {
        nghttp2_session_del(l->conns[i].session);
        tls_session_free(l->conns[i].tls);
        close(l->conns[i].fd);
        strbuf_fini(&l->conns[i].out);
    }
    free(l->conns);
    tls_client_free(l->tls);
    free(l);
}
