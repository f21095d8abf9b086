/* test_server.h - a server thread for client tests: answers each request with the next line of a script.
 *
 * Threads: test_server_start and _stop on the test's thread; requests[] may be read after _stop.
 * Limits: TEST_REQUESTS requests. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "rt/file.h"
#include "rt/net.h"
#include "rt/thread.h"
#include "rt/tls.h"

#define TEST_REQUESTS 16
#define TEST_WAIT_NS (5 * NSEC_PER_SEC)

struct test_reply {
    str bytes;     /* the whole answer; "" with close: hangs up without one */
    int split;     /* > 0: sent in pieces of so many bytes */
    int delay_ms;  /* before the answer */
    bool close;    /* after it */
};

struct test_server {
    const struct test_reply *script;
    size_t nscript;
    struct tls_server *tls; /* NULL: plain */
    const char *unix_path;  /* NULL: TCP on a free port */
    int listener;
    uint16_t port;
    char url[128];
    struct thread thread;
    char *requests[TEST_REQUESTS];
    size_t nrequests, nconnections;
};

struct test_link {
    int fd;
    struct tls_session *tls;
};

static inline bool test_link_send(struct test_link *l, str s)
{
    while (s.len) {
        size_t n = 0;
        if (l->tls) {
            if (tls_write(l->tls, s.p, s.len, &n) == TLS_IO_ERROR)
                return false;
        } else {
            ssize_t sent = send(l->fd, s.p, s.len, MSG_NOSIGNAL);
            if (sent < 0 && errno != EAGAIN)
                return false;
            n = sent < 0 ? 0 : (size_t)sent;
        }
        if (!n && !net_wait(l->fd, POLLOUT, TEST_WAIT_NS))
            return false;
        s = str_from(s, n);
    }
    return true;
}

/* false: the client hung up. */
static inline bool test_link_recv(struct test_link *l, struct strbuf *b)
{
    char buf[4096];
    for (;;) {
        size_t n = 0;
        enum tls_io io;
        if (l->tls) {
            io = tls_read(l->tls, buf, sizeof buf, &n);
        } else {
            ssize_t got = recv(l->fd, buf, sizeof buf, 0);
            io = got > 0 ? TLS_IO_OK : got < 0 && errno == EAGAIN ? TLS_IO_WANT_READ : TLS_IO_EOF;
            n = got > 0 ? (size_t)got : 0;
        }
        if (io == TLS_IO_OK) {
            strbuf_add(b, buf, n);
            return true;
        }
        if (io != TLS_IO_WANT_READ || !net_wait(l->fd, POLLIN, TEST_WAIT_NS))
            return false;
    }
}

static inline bool test_request_is_whole(str s)
{
    ptrdiff_t head = str_find(s, S("\r\n\r\n")), at = str_find(s, S("Content-Length: "));
    if (head < 0)
        return false;
    uint64_t length = 0;
    if (at >= 0 && at < head) {
        str value = str_from(s, (size_t)at + 16);
        value = str_sub(value, 0, (size_t)str_find_char(value, '\r'));
        str_to_u64(value, &length);
    }
    return s.len >= (size_t)head + 4 + length;
}

static inline bool test_answer(struct test_server *s, struct test_link *l)
{
    STRBUF_AUTO request = STRBUF_HEAP;
    while (!test_request_is_whole(strbuf_str(&request))) {
        if (!test_link_recv(l, &request))
            return false;
    }
    const struct test_reply *r = &s->script[s->nrequests];
    s->requests[s->nrequests++] = str_dup(strbuf_str(&request));
    usleep((unsigned)r->delay_ms * 1000);
    str rest = r->bytes;
    while (rest.len) {
        str piece = str_sub(rest, 0, r->split ? (size_t)r->split : rest.len);
        if (!test_link_send(l, piece))
            return false;
        rest = str_from(rest, piece.len);
        if (r->split)
            usleep(1000);
    }
    return !r->close;
}

static inline void test_serve(void *arg)
{
    struct test_server *s = arg;
    while (s->nrequests < s->nscript && net_wait(s->listener, POLLIN, TEST_WAIT_NS)) {
        struct test_link l = {.fd = net_accept(s->listener)};
        if (l.fd < 0)
            return;
        s->nconnections++;
        bool ok = true;
        if (s->tls) {
            l.tls = tls_accept(s->tls, l.fd);
            enum tls_io io;
            while ((io = tls_handshake(l.tls)) == TLS_IO_WANT_READ && net_wait(l.fd, POLLIN, TEST_WAIT_NS))
                ;
            ok = io == TLS_IO_OK;
        }
        while (ok && s->nrequests < s->nscript)
            ok = test_answer(s, &l);
        if (l.tls)
            tls_shutdown(l.tls);
        tls_session_free(l.tls);
        close(l.fd);
    }
}

static inline void test_server_start(struct test_server *s, const struct test_reply *script, size_t n)
{
    struct err err = ERR_NONE;
    BUG_ON(n > TEST_REQUESTS);
    s->script = script;
    s->nscript = n;
    if (s->unix_path) {
        T_NO_ERR(net_listen_unix(s->unix_path, 0600, &s->listener, &err), &err);
        snprintf(s->url, sizeof s->url, "unix:%s", s->unix_path);
    } else {
        T_NO_ERR(net_listen_tcp("127.0.0.1:0", &s->listener, &s->port, &err), &err);
        snprintf(s->url, sizeof s->url, "%s://127.0.0.1:%u", s->tls ? "https" : "http", s->port);
    }
    T_NO_ERR(thread_start(&s->thread, "server", test_serve, s, &err), &err);
}

static inline void test_server_stop(struct test_server *s)
{
    shutdown(s->listener, SHUT_RDWR);
    thread_join(&s->thread);
    close(s->listener);
}
static inline void test_server_fini(struct test_server *s)
{
    for (size_t i = 0; i < s->nrequests; i++)
        free(s->requests[i]);
}
