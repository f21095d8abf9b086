/* SPDX-License-Identifier: Apache-2.0 */
/* Tunnels to an HTTP server of this process, on one loop; plain TCP. */
#include "client/tunnel.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/test.h"
#include "http/server.h"

#define BIG (8u << 20)
#define CHUNKS 20000
#define CHUNK_BYTES 100

static struct fixture {
    struct loop *loop;
    struct http_server *server;
    struct client_target target;
    struct tunnel *tunnel;
    struct strbuf got;
    int status, ends, writables;
    bool failed, free_on_data, pause_on_data, resume_soon;
    size_t sent, echoed, server_got, most_held;
    struct loop_timer timer;
    struct loop_defer defer;
    struct strbuf held; /* what the server's side could not write back yet */
} fx;

/* --- the server ------------------------------------------------------------------------------------------------------------ */

static void echo_flush(struct http_request *req)
{
    while (fx.held.len) {
        str piece = str_sub(strbuf_str(&fx.held), 0, 16384);
        if (!http_upgrade_write(req, piece, 65536))
            return;
        strbuf_splice(&fx.held, 0, piece.len, S(""));
    }
    http_upgrade_pause(req, false);
}

static void echo_bytes(struct http_request *req, str bytes)
{
    fx.server_got += bytes.len;
    strbuf_add_str(&fx.held, bytes);
    fx.most_held = MAX(fx.most_held, fx.held.len);
    echo_flush(req);
    if (fx.held.len)
        http_upgrade_pause(req, true);
}

static void echo_eof(struct http_request *req)
{
    http_abort(req);
}
static const struct http_upgrade_ops echo_ops = {echo_bytes, echo_eof};

static void handle(void *arg UNUSED, struct http_request *req)
{
    struct err err;
    if (str_is(req->path, "/upgrade")) {
        req->on_writable = echo_flush;
        T_NO_ERR(http_upgrade(req, &(struct http_header){S("upgrade"), S("echo")}, 1, &echo_ops, &err), &err);
    } else if (str_is(req->path, "/hang")) {
        return; /* never answered; the loop ends first */
    } else if (str_is(req->path, "/chunks")) {
        http_stream_start(req, &(struct http_response){.status = 200});
        for (unsigned i = 0; i < CHUNKS; i++) {
            char line[CHUNK_BYTES + 1];
            snprintf(line, sizeof line, "%0*u", CHUNK_BYTES, i);
            struct http_buf *b = http_buf_new(str_of(line));
            T_OK(http_stream_write(req, b, SIZE_MAX / 2));
            http_buf_unref(b);
        }
        http_stream_end(req);
    } else if (str_is(req->path, "/big")) {
        struct strbuf b = strbuf_on(req->arena);
        strbuf_grow(&b, BIG);
        memset(b.p, 'z', BIG);
        b.len = BIG;
        http_respond(req, &(struct http_response){.status = 200, .body = strbuf_str(&b)});
    } else {
        http_respond(req, &(struct http_response){.status = str_is(req->path, "/empty") ? 204 : 200, .body = str_is(req->path, "/empty") ? S("") : req->body});
    }
}

/* --- the client ------------------------------------------------------------------------------------------------------------- */

static void on_head(void *owner UNUSED, const struct h1_answer *a)
{
    fx.status = a->status;
}

static void on_data(void *owner UNUSED, str bytes)
{
    strbuf_add_str(&fx.got, bytes);
    if (fx.free_on_data) {
        tunnel_free(TAKE(fx.tunnel));
        loop_stop(fx.loop);
    } else if (fx.pause_on_data) {
        tunnel_pause(fx.tunnel, true);
        if (fx.resume_soon)
            loop_defer(fx.loop, &fx.defer);
        else
            loop_timer_set(fx.loop, &fx.timer, loop_now(fx.loop) + NSEC_PER_MSEC);
    } else if (fx.status == 101 && fx.got.len >= BIG) {
        loop_stop(fx.loop);
    }
}

static void send_more(void)
{
    static char block[10000];
    while (fx.sent < BIG) {
        size_t n = MIN(sizeof block, BIG - fx.sent);
        memset(block, 'a' + (int)(fx.sent % 26), n);
        if (!tunnel_write(fx.tunnel, str_n(block, n), 65536))
            return;
        fx.sent += n;
    }
}

static void on_writable(void *owner UNUSED)
{
    fx.writables++;
    send_more();
}

static void on_end(void *owner UNUSED, const struct err *err)
{
    fx.ends++;
    fx.failed = err != NULL;
    tunnel_free(TAKE(fx.tunnel));
    loop_stop(fx.loop);
}
static const struct tunnel_ops ops = {on_head, on_data, on_writable, on_end};

static void resume(struct loop_timer *t UNUSED)
{
    if (fx.tunnel)
        tunnel_pause(fx.tunnel, false);
}

static void resume_soon(struct loop_defer *d UNUSED)
{
    if (fx.tunnel)
        tunnel_pause(fx.tunnel, false);
}

static void setup(void)
{
    struct err err;
    uint16_t port;
    char url[64];
    signal(SIGPIPE, SIG_IGN);
    fx.loop = loop_new("t", &clock_real, &err);
    struct http_server_opts o = {.loops = &fx.loop, .nloops = 1, .handler = handle};
    T_NO_ERR(http_server_new(&o, &fx.server, &err), &err);
    T_NO_ERR(http_server_listen_plain(fx.server, "127.0.0.1:0", &port, &err), &err);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", port);
    T_NO_ERR(client_target_parse(&fx.target, url, &err), &err);
    fx.timer.fire = resume;
    fx.defer.fn = resume_soon;
}

static void teardown(void)
{
    tunnel_free(fx.tunnel);
    http_server_free(fx.server);
    loop_free(fx.loop);
    client_target_fini(&fx.target);
    strbuf_fini(&fx.got);
    strbuf_fini(&fx.held);
}

static void go(const char *request, nsec_t answer_timeout)
{
    fx.tunnel = tunnel_start(&(struct tunnel_opts){.loop = fx.loop, .target = &fx.target, .request = str_of(request), .ops = &ops, .answer_timeout_ns = answer_timeout});
    loop_run(fx.loop);
}

TEST(a_plain_answer)
{
    setup();
    go("POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello", 0);
    T_EQ_INT(fx.status, 200);
    T_EQ_STR(strbuf_str(&fx.got), "hello");
    T_EQ_INT(fx.ends, 1);
    T_OK(!fx.failed);
    teardown();
}

TEST(an_answer_without_body)
{
    setup();
    go("GET /empty HTTP/1.1\r\nHost: h\r\n\r\n", 0);
    T_EQ_INT(fx.status, 204);
    T_OK(fx.ends == 1 && !fx.failed);
    teardown();
}

/* Paused after each piece: nothing is lost, nothing comes while it is paused. */
TEST(a_large_answer_in_pauses)
{
    setup();
    fx.pause_on_data = true;
    go("GET /big HTTP/1.1\r\nHost: h\r\n\r\n", 0);
    T_EQ_INT(fx.got.len, BIG);
    T_OK(fx.ends == 1 && !fx.failed);
    teardown();
}

/* A pause that ends between two turns, as a client's connection ends it when it has room again: order is kept. */
TEST(pauses_keep_the_order)
{
    setup();
    fx.pause_on_data = fx.resume_soon = true;
    go("GET /chunks HTTP/1.1\r\nHost: h\r\n\r\n", 0);
    T_EQ_INT(fx.ends, 1);
    T_OK(!fx.failed);
    T_EQ_INT(fx.got.len, CHUNKS * CHUNK_BYTES);
    for (unsigned i = 0; i < CHUNKS; i++) {
        uint64_t number;
        if (!str_to_u64(str_sub(strbuf_str(&fx.got), i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES), &number) || number != i) {
            T_EQ_INT(number, i);
            break;
        }
    }
    teardown();
}

TEST(freed_in_a_callback)
{
    setup();
    fx.free_on_data = true;
    go("GET /big HTTP/1.1\r\nHost: h\r\n\r\n", 0);
    T_OK(fx.got.len > 0 && fx.ends == 0);
    teardown();
}

/* Megabytes both ways at once; neither side holds more than its limit. */
static void start_sending(struct loop_timer *t UNUSED)
{
    send_more();
}

TEST(an_upgrade_with_back_pressure)
{
    setup();
    fx.timer.fire = start_sending;
    fx.tunnel = tunnel_start(&(struct tunnel_opts){.loop = fx.loop, .target = &fx.target, .request = S("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"), .ops = &ops});
    loop_timer_set(fx.loop, &fx.timer, loop_now(fx.loop) + NSEC_PER_MSEC);
    loop_run(fx.loop);
    T_EQ_INT(fx.status, 101);
    T_EQ_INT(fx.got.len, BIG);
    T_EQ_INT(fx.sent, BIG);
    T_OK(fx.writables > 0);
    T_OK(fx.most_held < (1u << 20));
    bool same = true;
    for (size_t at = 0; at < BIG && at < fx.got.len; at += 10000)
        same = same && fx.got.p[at] == 'a' + (int)(at % 26);
    T_OK(same);
    teardown();
}

TEST(nobody_answers)
{
    setup();
    go("GET /hang HTTP/1.1\r\nHost: h\r\n\r\n", 50 * NSEC_PER_MSEC);
    T_OK(fx.ends == 1 && fx.failed);
    teardown();
}

TEST(nobody_is_there)
{
    setup();
    client_target_fini(&fx.target);
    struct err err;
    T_NO_ERR(client_target_parse(&fx.target, "http://127.0.0.1:1", &err), &err);
    go("GET / HTTP/1.1\r\nHost: h\r\n\r\n", 0);
    T_OK(fx.ends == 1 && fx.failed);
    teardown();
}

/* A server that resets the connection after its last bytes have arrived, while nobody reads them. */
#define LAST_BYTES 40000
static struct {
    int listener;
    atomic_bool is_paused, is_reset;
} rude;

static void *rude_run(void *arg UNUSED)
{
    static const char head[] = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n!";
    static char last[LAST_BYTES];
    char request[4096];
    int fd = accept(rude.listener, NULL, NULL), unsent = 1;
    bool ok = fd >= 0 && read(fd, request, sizeof request) > 0 && write(fd, head, sizeof head - 1) == sizeof head - 1;
    while (!atomic_load(&rude.is_paused))
        sched_yield();
    ok = ok && write(fd, last, sizeof last) == sizeof last;
    while (ok && ioctl(fd, SIOCOUTQ, &unsent) == 0 && unsent > 0)
        sched_yield();
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){.l_onoff = 1}, sizeof(struct linger));
    close(fd);
    atomic_store(&rude.is_reset, true);
    return NULL;
}

static void pause_first(void *owner UNUSED, str bytes)
{
    strbuf_add_str(&fx.got, bytes);
    if (fx.got.len > 1)
        return;
    tunnel_pause(fx.tunnel, true);
    atomic_store(&rude.is_paused, true);
    loop_timer_set(fx.loop, &fx.timer, loop_now(fx.loop) + 20 * NSEC_PER_MSEC);
}

static void resume_late(struct loop_timer *t)
{
    if (fx.tunnel && atomic_load(&rude.is_reset))
        tunnel_pause(fx.tunnel, false);
    else
        loop_timer_set(fx.loop, t, loop_now(fx.loop) + 20 * NSEC_PER_MSEC);
}

TEST(last_words_of_a_server_that_is_gone)
{
    static const struct tunnel_ops pausing = {on_head, pause_first, on_writable, on_end};
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof at;
    pthread_t thread;
    struct err err;
    char url[64];
    setup();
    rude.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    T_OK(bind(rude.listener, (struct sockaddr *)&at, sizeof at) == 0 && listen(rude.listener, 1) == 0 && getsockname(rude.listener, (struct sockaddr *)&at, &len) == 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", ntohs(at.sin_port));
    client_target_fini(&fx.target);
    T_NO_ERR(client_target_parse(&fx.target, url, &err), &err);
    T_EQ_INT(pthread_create(&thread, NULL, rude_run, NULL), 0);
    fx.timer.fire = resume_late;
    fx.tunnel = tunnel_start(&(struct tunnel_opts){.loop = fx.loop, .target = &fx.target, .request = S("GET / HTTP/1.1\r\nHost: h\r\n\r\n"), .ops = &pausing});
    loop_run(fx.loop);
    pthread_join(thread, NULL);
    T_EQ_INT(fx.got.len, 1 + LAST_BYTES);
    T_OK(fx.ends == 1 && fx.failed);
    close(rude.listener);
    teardown();
}

TEST_MAIN(a_plain_answer, an_answer_without_body, a_large_answer_in_pauses, pauses_keep_the_order, freed_in_a_callback, an_upgrade_with_back_pressure, nobody_answers, nobody_is_there,
          last_words_of_a_server_that_is_gone)
