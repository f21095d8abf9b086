/* SPDX-License-Identifier: Apache-2.0 */
/* A server on two loops in this process; clients are blocking sockets, an OpenSSL client and nghttp2's client. */
#include "http/server.h"

#include <nghttp2/nghttp2.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/test.h"
#include "http/internal.h"
#include "rt/net.h"
#include "rt/thread.h"

#define LOOPS 2
#define BIG_PIECES 4000 /* of 5,000 bytes: 20 MB */

struct fixture {
    struct http_server *server;
    struct loop *loops[LOOPS];
    struct thread threads[LOOPS];
    char dir[64], path[96];
    uint16_t port;
    char *ca, *ca_key;
    struct tls_server *tls;
    /* what the handlers saw; written on a loop, read after a wait */
    _Atomic int handled, gone, writable, done, eof, most_unsent;
    struct http_buf *piece;
};
static struct fixture fx;

/* --- handlers ------------------------------------------------------------------------------------------------ */

struct later {
    struct loop_timer timer;
    struct http_request *req;
    int left;
};

static void answer(struct http_request *req, int status, str body)
{
    http_respond(req, &(struct http_response){.status = status, .content_type = S("text/plain"), .body = body});
}

static void later_fire(struct loop_timer *t)
{
    struct later *l = container_of(t, struct later, timer);
    answer(l->req, 200, S("later"));
    free(l);
}

static void handle_async(struct http_request *req)
{
    struct later *l = xnew(struct later);
    l->req = req;
    l->timer.fire = later_fire;
    loop_timer_set(req->loop, &l->timer, loop_now(req->loop) + 20 * NSEC_PER_MSEC);
}

static void tick_fire(struct loop_timer *t)
{
    struct later *l = container_of(t, struct later, timer);
    struct http_buf *b = http_buf_new(S("event\n"));
    if (l->req->gone || !http_stream_write(l->req, b, 1 << 20) || --l->left == 0) {
        http_stream_end(l->req);
        free(l);
    } else {
        loop_timer_set(l->req->loop, t, loop_now(l->req->loop) + NSEC_PER_MSEC);
    }
    http_buf_unref(b);
}

static void handle_ticks(struct http_request *req)
{
    struct later *l = xnew(struct later);
    l->req = req;
    l->left = 3;
    l->timer.fire = tick_fire;
    http_stream_start(req, &(struct http_response){.status = 200, .content_type = S("text/plain")});
    http_request_shrink(req);
    loop_timer_set(req->loop, &l->timer, loop_now(req->loop) + NSEC_PER_MSEC);
}

static void watch_gone(struct http_request *req)
{
    T_OK(req->gone);
    fx.gone++;
    T_OK(http_stream_write(req, fx.piece, 0));
    http_stream_end(req);
}
static void handle_watch(struct http_request *req)
{
    req->on_gone = watch_gone;
    http_stream_start(req, &(struct http_response){.status = 200});
    http_request_shrink(req);
}

/* Writes pieces while there is room, BIG_PIECES in all. */
static void fill(struct http_request *req)
{
    uintptr_t left = (uintptr_t)req->user;
    while (left && http_stream_write(req, fx.piece, 100000))
        left--;
    if ((int)http_stream_unsent(req) > fx.most_unsent)
        fx.most_unsent = (int)http_stream_unsent(req);
    req->user = (void *)left;
    if (!left)
        http_stream_end(req);
}
static void fill_more(struct http_request *req)
{
    fx.writable++;
    fill(req);
}
static void handle_fill(struct http_request *req)
{
    req->user = (void *)(uintptr_t)BIG_PIECES;
    req->on_writable = fill_more;
    req->on_gone = http_stream_end;
    http_stream_start(req, &(struct http_response){.status = 200});
    fill(req);
}

static void handle_big(struct http_request *req)
{
    struct http_buf **bufs = xarray(BIG_PIECES, struct http_buf *);
    for (int i = 0; i < BIG_PIECES; i++)
        bufs[i] = fx.piece;
    http_respond(req, &(struct http_response){.status = 200, .bufs = bufs, .nbufs = BIG_PIECES});
    free(bufs);
}

static void handle_echo(struct http_request *req)
{
    str x = S("-"), auth = http_header_get(req, S("authorization"));
    if (!http_query_get(req, S("x"), &x))
        x = S("none");
    str user = req->peer ? req->peer->common_name : S("nobody");
    str text = arena_fmt(req->arena, STR_FMT " " STR_FMT " x=" STR_FMT " auth=" STR_FMT " user=" STR_FMT " unix=%d h2=%d body=" STR_FMT, STR_ARG(req->method),
                         STR_ARG(req->path), STR_ARG(x), STR_ARG(auth), STR_ARG(user), req->is_unix, req->is_http2, STR_ARG(req->body));
    answer(req, 200, text);
}

static void raw_bytes(struct http_request *req, str bytes)
{
    T_OK(http_upgrade_write(req, bytes, 1 << 20));
    if (str_find(bytes, S("quit")) >= 0)
        http_abort(req);
}
static void raw_eof(struct http_request *req)
{
    fx.eof++;
    http_abort(req);
}
static void handle_upgrade(struct http_request *req)
{
    static const struct http_upgrade_ops ops = {raw_bytes, raw_eof};
    const struct http_header h = {S("upgrade"), S("echo")};
    struct err err;
    if (http_upgrade(req, &h, 1, &ops, &err) < 0)
        answer(req, 400, str_of(err.msg));
}

static void handle_size(struct http_request *req)
{
    answer(req, 200, arena_fmt(req->arena, "%zu", req->body.len));
}

static const struct {
    str path;
    void (*fn)(struct http_request *req);
} routes[] = {
    {STR_INIT("/async"), handle_async}, {STR_INIT("/ticks"), handle_ticks},     {STR_INIT("/watch"), handle_watch}, {STR_INIT("/fill"), handle_fill},
    {STR_INIT("/big"), handle_big},     {STR_INIT("/upgrade"), handle_upgrade}, {STR_INIT("/size"), handle_size},   {STR_INIT("/abort"), http_abort},
};

static void handler(void *arg UNUSED, struct http_request *req)
{
    fx.handled++;
    for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
        if (str_eq(routes[i].path, req->path)) {
            routes[i].fn(req);
            return;
        }
    }
    handle_echo(req);
}

static str bad_request(void *arg UNUSED, struct arena *a, int status, const char *why)
{
    return arena_fmt(a, "{\"code\":%d,\"message\":\"%s\"}", status, why);
}

/* --- the fixture ------------------------------------------------------------------------------------------------- */

static void run_loop(void *arg)
{
    loop_run(arg);
}

static char *cert_for(const char *cn, bool server, char **ret_key)
{
    static const char *const names[] = {"localhost", NULL};
    struct tls_cert_request req = {.common_name = cn, .dns_names = server ? names : NULL, .is_ca = !fx.ca, .for_server = server, .for_client = fx.ca && !server,
                                   .not_after = clock_wall(&clock_real) + 3600 * NSEC_PER_SEC};
    char *cert = NULL;
    struct err err;
    T_NO_ERR(tls_cert_make(&req, fx.ca, fx.ca_key, &cert, ret_key, &err), &err);
    return cert;
}

static void setup(struct http_server_opts o)
{
    struct err err;
    signal(SIGPIPE, SIG_IGN);
    snprintf(fx.dir, sizeof fx.dir, "%s", T_TMPDIR());
    snprintf(fx.path, sizeof fx.path, "%s/s", fx.dir);
    char bytes[5000];
    memset(bytes, '~', sizeof bytes);
    fx.piece = http_buf_new(str_n(bytes, sizeof bytes));
    char *key;
    fx.ca = cert_for("ca", false, &fx.ca_key);
    char *cert = cert_for("server", true, &key);
    T_NO_ERR(tls_server_new(cert, key, fx.ca, &fx.tls, &err), &err);
    free(cert);
    free(key);
    for (int i = 0; i < LOOPS; i++)
        fx.loops[i] = loop_new("io", &clock_real, &err);
    o.loops = fx.loops;
    o.nloops = LOOPS;
    o.tls = fx.tls;
    o.handler = handler;
    o.bad_request = bad_request;
    T_NO_ERR(http_server_new(&o, &fx.server, &err), &err);
    T_NO_ERR(http_server_listen_unix(fx.server, fx.path, &err), &err);
    T_NO_ERR(http_server_listen_tls(fx.server, "127.0.0.1:0", &fx.port, &err), &err);
    for (int i = 0; i < LOOPS; i++)
        T_NO_ERR(thread_start(&fx.threads[i], "io", run_loop, fx.loops[i], &err), &err);
}

static void on_done(void *arg UNUSED)
{
    fx.done++;
}

/* What comes, comes before this: machines that run tests may be very slow. */
#define PATIENCE_NS (120 * NSEC_PER_SEC)
static void nap(int ms)
{
    usleep((useconds_t)ms * 1000);
}
#define WAIT_FOR(cond)                                                                             \
    do {                                                                                           \
        for (int wait_i_ = 0; wait_i_ < 12000 && !(cond); wait_i_++)                               \
            nap(10);                                                                               \
        T_OK(cond);                                                                                \
    } while (0)

static void teardown(void)
{
    if (!fx.done)
        http_server_shutdown(fx.server, clock_mono(&clock_real) + NSEC_PER_SEC, on_done, NULL);
    WAIT_FOR(fx.done == 1);
    for (int i = 0; i < LOOPS; i++)
        loop_stop(fx.loops[i]);
    for (int i = 0; i < LOOPS; i++)
        thread_join(&fx.threads[i]);
    for (int i = 0; i < LOOPS; i++)
        T_EQ_INT(fx.server->homes[i].body_bytes, 0);
    http_server_free(fx.server);
    for (int i = 0; i < LOOPS; i++)
        loop_free(fx.loops[i]);
    tls_server_free(fx.tls);
    http_buf_unref(fx.piece);
    free(fx.ca);
    free(fx.ca_key);
    unlink(fx.path);
    rmdir(fx.dir);
}

static struct http_server_stats stats(void)
{
    struct http_server_stats s;
    http_server_stats(fx.server, &s);
    return s;
}

/* --- plain clients ----------------------------------------------------------------------------------------------- */

static int dial(void)
{
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    memcpy(a.sun_path, fx.path, strlen(fx.path));
    if (fd < 0 || connect(fd, (struct sockaddr *)&a, sizeof a) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

static void say(int fd, str text)
{
    while (text.len) {
        ssize_t n = send(fd, text.p, text.len, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        text = str_from(text, (size_t)n);
    }
}

/* Reads until `end` was seen (NULL: until the server closes), 5 s at most. */
static void hear(int fd, const char *end, struct strbuf *out)
{
    char buf[65536];
    while (!end || str_find(strbuf_str(out), str_of(end)) < 0) {
        if (!net_wait(fd, POLLIN, PATIENCE_NS)) {
            strbuf_addf(out, "<silence>");
            return;
        }
        ssize_t n = read(fd, buf, sizeof buf);
        if (n <= 0) {
            strbuf_addf(out, n == 0 ? "<eof>" : "<reset>");
            return;
        }
        strbuf_add(out, buf, (size_t)n);
    }
}

/* One connection: says text, hears everything until the server closes. */
static void talk(str text, struct strbuf *out)
{
    int fd = dial();
    say(fd, text);
    hear(fd, NULL, out);
    close(fd);
}

static bool has(const struct strbuf *b, const char *what)
{
    return str_find(strbuf_str(b), str_of(what)) >= 0;
}
#define T_HAS(b, what)                                                                             \
    do {                                                                                           \
        if (!has(&(b), (what)))                                                                    \
            T_FAIL_("no '%s' in '%.600s'", (what), strbuf_cstr(&(b)));                             \
    } while (0)

static int count(str s, const char *what)
{
    int n = 0;
    for (ptrdiff_t at; (at = str_find(s, str_of(what))) >= 0; n++)
        s = str_from(s, (size_t)at + strlen(what));
    return n;
}

/* Bytes of fx.piece in an answer; nothing else in it is a '~'. */
static size_t piece_bytes(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += s.p[i] == '~';
    return n;
}

static void check_status(str text, const char *status)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(text, &out);
    T_OK(str_has_prefix(strbuf_str(&out), S("HTTP/1.1 ")));
    T_HAS(out, status);
    T_HAS(out, "<eof>");
}

TEST(h1_request_and_answer)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("POST /a/b?x=1%202&x=3 HTTP/1.1\r\nHost: h\r\nAuthorization: me\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello"), &out);
    T_HAS(out, "HTTP/1.1 200 OK\r\n");
    T_HAS(out, "content-type: text/plain\r\n");
    T_HAS(out, "connection: close\r\n");
    T_HAS(out, "date: ");
    T_HAS(out, "POST /a/b x=1 2 auth=me user=nobody unix=1 h2=0 body=hello<eof>");
    T_EQ_INT(stats().requests_h1, 1);
    teardown();
}

TEST(h1_pipelining_keeps_order)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /async HTTP/1.1\r\nHost: h\r\n\r\nPOST /2 HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc"
           "GET /ticks HTTP/1.1\r\nHost: h\r\n\r\nHEAD /3 HTTP/1.1\r\nHost: h\r\n\r\nGET /4 HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\nGET /5 HTTP/1.1\r\n"),
         &out);
    const char *order[] = {"GET /1", "later", "POST /2", "event\n", "0\r\n\r\n", "content-length", "GET /4", "<eof>"};
    str rest = strbuf_str(&out);
    for (size_t i = 0; i < ARRAY_LEN(order); i++) {
        ptrdiff_t at = str_find(rest, str_of(order[i]));
        if (at < 0)
            T_FAIL_("'%s' is missing or out of order in %s", order[i], strbuf_cstr(&out));
        rest = str_from(rest, (size_t)MAX(at, 0));
    }
    T_EQ_INT(count(strbuf_str(&out), "HTTP/1.1 200"), 6);
    T_OK(!has(&out, "HEAD /3"));
    WAIT_FOR(stats().open == 0);
    teardown();
}

TEST(h1_many_pipelined)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO in = STRBUF_HEAP;
    STRBUF_AUTO out = STRBUF_HEAP;
    for (int i = 0; i < 3000; i++)
        strbuf_addf(&in, "GET /x%d HTTP/1.1\r\nHost: h\r\n%s\r\n", i, i == 2999 ? "Connection: close\r\n" : "");
    int fd = dial();
    if (fork() == 0) {
        say(fd, strbuf_str(&in));
        _exit(0);
    }
    hear(fd, NULL, &out);
    close(fd);
    T_EQ_INT(count(strbuf_str(&out), "HTTP/1.1 200 OK"), 3000);
    T_HAS(out, "/x2999 ");
    teardown();
}

TEST(h1_bodies_in_any_pieces)
{
    setup((struct http_server_opts){0});
    for (size_t step = 1; step < 100; step = step * 4 + 1) {
        STRBUF_AUTO out = STRBUF_HEAP;
        str text = S("POST /c HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3;x=y\r\nefg\r\n0\r\nT: u\r\n\r\n"
                     "PUT /l HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\nConnection: close\r\n\r\n0123456789");
        int fd = dial();
        for (size_t at = 0; at < text.len; at += step) {
            say(fd, str_sub(text, at, at + step));
            usleep(300);
        }
        hear(fd, NULL, &out);
        T_HAS(out, "body=abcdefg");
        T_HAS(out, "body=0123456789<eof>");
        close(fd);
    }
    teardown();
}

TEST(h1_large_bodies)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO in = STRBUF_HEAP;
    STRBUF_AUTO out = STRBUF_HEAP;
    strbuf_addf(&in, "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: %u\r\n\r\n", LIMIT_BODY_BYTES);
    size_t head = in.len;
    strbuf_grow(&in, LIMIT_BODY_BYTES);
    memset(in.p + head, 'z', LIMIT_BODY_BYTES);
    in.len += LIMIT_BODY_BYTES;
    int fd = dial();
    say(fd, strbuf_str(&in));
    say(fd, S("POST /size HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n200000\r\n"));
    say(fd, str_sub(strbuf_str(&in), head, head + 0x200000));
    say(fd, S("\r\n0\r\n\r\n"));
    hear(fd, NULL, &out);
    T_HAS(out, "\r\n\r\n3145728HTTP/1.1");
    T_HAS(out, "\r\n\r\n2097152<eof>");
    close(fd);
    teardown();
}

TEST(h1_expect_continue)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    say(fd, S("POST /e HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"));
    hear(fd, "100 Continue\r\n\r\n", &out);
    say(fd, S("ok"));
    hear(fd, NULL, &out);
    T_HAS(out, "body=ok<eof>");
    close(fd);
    check_status(S("POST /e HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999\r\nExpect: 100-continue\r\n\r\n"), "413 ");
    teardown();
}

/* The client sends on and on; it must still see the answer, not a reset. */
TEST(h1_too_large_is_answered)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    char *mb = xmalloc(1 << 20);
    memset(mb, 'z', 1 << 20);
    int fd = dial();
    say(fd, S("POST /e HTTP/1.1\r\nHost: h\r\nContent-Length: 9000000\r\n\r\n"));
    for (int i = 0; i < 8; i++)
        say(fd, str_n(mb, 1 << 20));
    hear(fd, NULL, &out);
    T_HAS(out, "HTTP/1.1 413 ");
    T_HAS(out, "{\"code\":413,\"message\":\"the request body is too large\"}<eof>");
    close(fd);
    strbuf_clear(&out);
    fd = dial();
    say(fd, S("POST /e HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"));
    for (int i = 0; i < 5; i++) {
        say(fd, S("100000\r\n"));
        say(fd, str_n(mb, 1 << 20));
        say(fd, S("\r\n"));
    }
    hear(fd, NULL, &out);
    T_HAS(out, "HTTP/1.1 413 ");
    T_HAS(out, "<eof>");
    close(fd);
    free(mb);
    T_EQ_INT(fx.handled, 0);
    T_EQ_INT(stats().bad_requests, 2);
    teardown();
}

TEST(h1_bad_requests)
{
    setup((struct http_server_opts){0});
    check_status(S("GET / HTTP/1.1\r\n\r\n"), "400 ");
    check_status(S("GET / HTTP/1.1\nHost: x\n\n"), "400 ");
    check_status(S("\x16\x03\x01\x02"), "400 ");
    check_status(S("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), "400 ");
    check_status(S("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "400 ");
    check_status(S("GET / HTTP/3.0\r\nHost: x\r\n\r\n"), "505 ");
    check_status(S("GET / HTTP/1.1\r\nHost: x\r\nExpect: miracle\r\n\r\n"), "417 ");
    STRBUF_AUTO in = STRBUF_HEAP;
    strbuf_addf(&in, "GET / HTTP/1.1\r\nHost: x\r\n");
    while (in.len < LIMIT_HEADER_BYTES + 10)
        strbuf_addf(&in, "abcdefgh%zu: 12345678901234567890123456789012345678901234567890123456789012345678901234567890\r\n", in.len);
    check_status(strbuf_str(&in), "431 ");
    T_EQ_INT(fx.handled, 0);
    /* a head that needs more than the first buffer, but is within the limit */
    strbuf_clear(&in);
    strbuf_addf(&in, "GET /long HTTP/1.1\r\nHost: x\r\nConnection: close\r\nbig: ");
    while (in.len < LIMIT_HEADER_BYTES - 100)
        strbuf_add_char(&in, 'v');
    strbuf_addf(&in, "\r\n\r\n");
    check_status(strbuf_str(&in), "200 OK");
    teardown();
}

TEST(h1_http10_and_head)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("GET /old HTTP/1.0\r\n\r\n"), &out);
    T_HAS(out, "GET /old");
    strbuf_clear(&out);
    talk(S("GET /ticks HTTP/1.0\r\n\r\n"), &out);
    T_HAS(out, "\r\n\r\nevent\nevent\nevent\n<eof>");
    T_OK(!has(&out, "chunked"));
    strbuf_clear(&out);
    talk(S("HEAD /ticks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), &out);
    T_HAS(out, "chunked");
    T_HAS(out, "\r\n\r\n<eof>");
    teardown();
}

TEST(h1_stream_in_chunks)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("GET /ticks HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), &out);
    T_HAS(out, "transfer-encoding: chunked\r\n");
    T_HAS(out, "6\r\nevent\n\r\n6\r\nevent\n\r\n6\r\nevent\n\r\n0\r\n\r\n<eof>");
    teardown();
}

TEST(h1_stream_backpressure)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    say(fd, S("GET /fill HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    nap(100);
    hear(fd, NULL, &out);
    T_EQ_INT(piece_bytes(strbuf_str(&out)), BIG_PIECES * 5000);
    T_OK(fx.writable > 10);
    T_OK(fx.most_unsent <= 100000);
    close(fd);
    teardown();
}

TEST(h1_peer_leaves_a_watch)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    say(fd, S("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n"));
    hear(fd, "\r\n\r\n", &out);
    T_EQ_INT(fx.gone, 0);
    close(fd);
    WAIT_FOR(fx.gone == 1);
    WAIT_FOR(stats().open == 0);
    /* and one that is gone before an asynchronous answer */
    fd = dial();
    say(fd, S("GET /async HTTP/1.1\r\nHost: h\r\n\r\n"));
    WAIT_FOR(fx.handled == 2);
    close(fd);
    WAIT_FOR(stats().open == 0);
    teardown();
}

TEST(h1_abort_closes)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("GET /abort HTTP/1.1\r\nHost: h\r\n\r\n"), &out);
    T_OK(str_is(strbuf_str(&out), "<eof>") || str_is(strbuf_str(&out), "<reset>"));
    teardown();
}

TEST(h1_upgrade)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    say(fd, S("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nearly"));
    hear(fd, "early", &out);
    T_HAS(out, "HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: Upgrade\r\n\r\nearly");
    say(fd, S("more"));
    hear(fd, "more", &out);
    say(fd, S("quit"));
    hear(fd, NULL, &out);
    T_HAS(out, "quit<eof>");
    close(fd);
    fd = dial();
    say(fd, S("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n"));
    strbuf_clear(&out);
    hear(fd, "\r\n\r\n", &out);
    close(fd);
    WAIT_FOR(fx.eof == 1);
    strbuf_clear(&out);
    talk(S("GET /upgrade HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), &out);
    T_HAS(out, "400 ");
    WAIT_FOR(stats().open == 0);
    teardown();
}

TEST(h1_time_outs)
{
    const nsec_t ms = NSEC_PER_MSEC;
    setup((struct http_server_opts){.head_timeout_ns = 100 * ms, .body_timeout_ns = 150 * ms, .idle_timeout_ns = 200 * ms, .handshake_timeout_ns = 100 * ms});
    STRBUF_AUTO out = STRBUF_HEAP;
    nsec_t start = clock_mono(&clock_real);
    talk(S(""), &out); /* idle from the beginning */
    T_EQ_STR(strbuf_str(&out), "<eof>");
    T_OK(clock_mono(&clock_real) - start >= 190 * ms);
    check_status(S("GET / HT"), "408 ");
    check_status(S("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nab"), "408 ");
    check_status(S("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"), "408 ");
    /* drip-feeding does not extend the time for a head */
    int fd = dial();
    int drops = 0;
    while (drops < 3000 && !net_wait(fd, POLLIN, 20 * ms)) {
        say(fd, S("G"));
        drops++;
    }
    T_OK(drops < 3000);
    close(fd);
    /* TLS without a handshake */
    struct err err;
    T_NO_ERR(net_connect_tcp(&(struct net_addr){.host = "127.0.0.1", .port = fx.port}, NSEC_PER_SEC, &fd, &err), &err);
    strbuf_clear(&out);
    hear(fd, NULL, &out);
    T_EQ_STR(strbuf_str(&out), "<eof>");
    close(fd);
    teardown();
}

/* Beyond all that a single request may take.  It has no limit on idling: a slow machine may nap for longer than it should. */
TEST(h1_one_that_works_goes_on)
{
    const nsec_t ms = NSEC_PER_MSEC;
    setup((struct http_server_opts){.head_timeout_ns = 100 * ms, .body_timeout_ns = 150 * ms});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    for (int i = 0; i < 5; i++) {
        strbuf_clear(&out);
        say(fd, S("GET /k HTTP/1.1\r\nHost: h\r\n\r\n"));
        hear(fd, "body=", &out);
        T_HAS(out, "200 OK");
        nap(80);
    }
    close(fd);
    teardown();
}

TEST(slow_reader_is_closed)
{
    setup((struct http_server_opts){.write_timeout_ns = 200 * NSEC_PER_MSEC});
    int fd = dial();
    say(fd, S("GET /big HTTP/1.1\r\nHost: h\r\n\r\nGET /big HTTP/1.1\r\nHost: h\r\n\r\n"));
    WAIT_FOR(stats().timeouts == 1);
    WAIT_FOR(stats().open == 0);
    T_EQ_INT(fx.handled, 1); /* the second waits for the first to be read */
    T_EQ_INT(atomic_load(&fx.piece->refs), 1);
    close(fd);
    teardown();
}

TEST(large_answers)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    talk(S("GET /big HTTP/1.1\r\nHost: h\r\n\r\nGET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), &out);
    T_EQ_INT(count(strbuf_str(&out), "content-length: 20000000\r\n"), 2);
    T_EQ_INT(piece_bytes(strbuf_str(&out)), 2 * BIG_PIECES * 5000);
    T_EQ_INT(atomic_load(&fx.piece->refs), 1);
    teardown();
}

/* --- TLS ---------------------------------------------------------------------------------------------------------------- */

struct tls_conn {
    int fd;
    struct tls_session *t;
};

static struct tls_client *client_new(const char *cn)
{
    struct tls_client *c = NULL;
    struct err err;
    char *key = NULL, *cert = cn ? cert_for(cn, false, &key) : NULL;
    T_NO_ERR(tls_client_new(fx.ca, cert, key, false, &c, &err), &err);
    free(cert);
    free(key);
    return c;
}

static void tls_wait(int fd, enum tls_io io)
{
    net_wait(fd, io == TLS_IO_WANT_WRITE ? POLLOUT : POLLIN, PATIENCE_NS);
}

static struct tls_conn tls_dial(struct tls_client *c, const char *alpn)
{
    struct tls_conn x = {.fd = -1};
    struct err err;
    T_NO_ERR(net_connect_tcp(&(struct net_addr){.host = "127.0.0.1", .port = fx.port}, NSEC_PER_SEC, &x.fd, &err), &err);
    x.t = tls_connect(c, x.fd, "localhost", alpn);
    enum tls_io io;
    while ((io = tls_handshake(x.t)) == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
        tls_wait(x.fd, io);
    T_EQ_INT(io, TLS_IO_OK);
    return x;
}

static void tls_hang_up(struct tls_conn *x)
{
    tls_shutdown(x->t);
    tls_session_free(x->t);
    close(x->fd);
}

static void tls_say(struct tls_conn *x, str text)
{
    while (text.len) {
        size_t n = 0;
        enum tls_io io = tls_write(x->t, text.p, text.len, &n);
        if (io == TLS_IO_OK)
            text = str_from(text, n);
        else if (io == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
            tls_wait(x->fd, io);
        else
            return;
    }
}

static void tls_hear(struct tls_conn *x, const char *end, struct strbuf *out)
{
    char buf[16384];
    size_t n;
    while (!end || !has(out, end)) {
        enum tls_io io = tls_read(x->t, buf, sizeof buf, &n);
        if (io == TLS_IO_OK) {
            strbuf_add(out, buf, n);
        } else if (io == TLS_IO_WANT_READ) {
            if (!net_wait(x->fd, POLLIN, PATIENCE_NS)) {
                strbuf_addf(out, "<silence>");
                return;
            }
        } else {
            strbuf_addf(out, io == TLS_IO_EOF ? "<eof>" : "<error>");
            return;
        }
    }
}

TEST(tls_h1)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    struct tls_client *alice = client_new("alice"), *nobody = client_new(NULL);
    struct tls_conn x = tls_dial(alice, "http/1.1");
    tls_say(&x, S("GET /me HTTP/1.1\r\nHost: h\r\n\r\nGET /again HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    tls_hear(&x, NULL, &out);
    T_HAS(out, "/me x=none auth= user=alice unix=0 h2=0");
    T_HAS(out, "/again ");
    T_HAS(out, "<eof>");
    tls_hang_up(&x);
    x = tls_dial(nobody, NULL);
    strbuf_clear(&out);
    tls_say(&x, S("GET /big HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"));
    tls_hear(&x, NULL, &out);
    T_EQ_INT(piece_bytes(strbuf_str(&out)), BIG_PIECES * 5000);
    tls_hang_up(&x);
    /* a body in many records, followed by the next request in the same ones */
    x = tls_dial(nobody, NULL);
    STRBUF_AUTO in = STRBUF_HEAP;
    strbuf_addf(&in, "POST /size HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n");
    for (int i = 0; i < 100000; i++)
        strbuf_add_char(&in, 'q');
    strbuf_addf(&in, "GET /next HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    strbuf_clear(&out);
    tls_say(&x, strbuf_str(&in));
    tls_hear(&x, NULL, &out);
    T_HAS(out, "100000HTTP/1.1 200");
    T_HAS(out, "GET /next");
    tls_hang_up(&x);
    tls_client_free(alice);
    tls_client_free(nobody);
    teardown();
}

TEST(connections_are_balanced)
{
    setup((struct http_server_opts){0});
    struct tls_client *c = client_new(NULL);
    struct tls_conn conns[20];
    for (size_t i = 0; i < ARRAY_LEN(conns); i++)
        conns[i] = tls_dial(c, "http/1.1");
    T_EQ_INT(fx.server->homes[0].open, 10);
    T_EQ_INT(fx.server->homes[1].open, 10);
    for (size_t i = 0; i < ARRAY_LEN(conns); i++)
        tls_hang_up(&conns[i]);
    WAIT_FOR(stats().open == 0);
    tls_client_free(c);
    teardown();
}

/* --- HTTP/2 ----------------------------------------------------------------------------------------------------------------- */

struct h2_client {
    struct tls_conn x;
    nghttp2_session *session;
    struct strbuf text; /* headers and data of all streams */
    int closed, resets;
    bool goaway, eof;
};

static int got_header(nghttp2_session *s UNUSED, const nghttp2_frame *f, const uint8_t *name, size_t name_len, const uint8_t *value, size_t value_len,
                      uint8_t flags UNUSED, void *arg)
{
    struct h2_client *c = arg;
    strbuf_addf(&c->text, "[%d %.*s=%.*s]", f->hd.stream_id, (int)name_len, (const char *)name, (int)value_len, (const char *)value);
    return 0;
}
static int got_data(nghttp2_session *s UNUSED, uint8_t flags UNUSED, int32_t id UNUSED, const uint8_t *p, size_t n, void *arg)
{
    strbuf_add(&((struct h2_client *)arg)->text, p, n);
    return 0;
}
static int got_frame(nghttp2_session *s UNUSED, const nghttp2_frame *f, void *arg)
{
    struct h2_client *c = arg;
    c->goaway |= f->hd.type == NGHTTP2_GOAWAY;
    c->resets += f->hd.type == NGHTTP2_RST_STREAM;
    return 0;
}
static int got_close(nghttp2_session *s UNUSED, int32_t id UNUSED, uint32_t error UNUSED, void *arg)
{
    ((struct h2_client *)arg)->closed++;
    return 0;
}

static void h2_open(struct h2_client *c, struct tls_client *tls)
{
    *c = (struct h2_client){.x = tls_dial(tls, "h2,http/1.1")};
    T_OK(tls_is_h2(c->x.t));
    nghttp2_session_callbacks *cb;
    nghttp2_session_callbacks_new(&cb);
    nghttp2_session_callbacks_set_on_header_callback(cb, got_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, got_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, got_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb, got_close);
    nghttp2_session_client_new(&c->session, cb, c);
    nghttp2_session_callbacks_del(cb);
    nghttp2_submit_settings(c->session, 0, NULL, 0);
}
static void h2_close(struct h2_client *c)
{
    nghttp2_session_del(c->session);
    tls_hang_up(&c->x);
    strbuf_fini(&c->text);
}

static void h2_flush(struct h2_client *c)
{
    const uint8_t *p;
    ssize_t n;
    while ((n = nghttp2_session_mem_send(c->session, &p)) > 0)
        tls_say(&c->x, str_n((const char *)p, (size_t)n));
}
/* Sends and receives until `closed` streams are through, or the server closes, or nothing came for `quiet`. */
static void h2_run(struct h2_client *c, int closed, nsec_t quiet)
{
    char buf[16384];
    size_t n;
    while (c->closed < closed && !c->eof) {
        h2_flush(c);
        enum tls_io io = tls_read(c->x.t, buf, sizeof buf, &n);
        if (io == TLS_IO_OK)
            nghttp2_session_mem_recv(c->session, (const uint8_t *)buf, n);
        else if (io != TLS_IO_WANT_READ)
            c->eof = true;
        else if (!net_wait(c->x.fd, POLLIN, quiet))
            return;
    }
    h2_flush(c);
}

static ssize_t upload(nghttp2_session *s UNUSED, int32_t id UNUSED, uint8_t *buf, size_t max, uint32_t *flags, nghttp2_data_source *src,
                      void *arg UNUSED)
{
    size_t *left = src->ptr, n = MIN(*left, max);
    memset(buf, 'u', n);
    *left -= n;
    if (!*left)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static nghttp2_nv nv(const char *name, const char *value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name, (uint8_t *)(uintptr_t)value, strlen(name), strlen(value), 0};
}
static int32_t h2_ask(struct h2_client *c, const char *method, const char *path, size_t *body)
{
    nghttp2_nv nva[] = {nv(":method", method), nv(":scheme", "https"), nv(":path", path), nv(":authority", "h"), nv("authorization", "me")};
    nghttp2_data_provider d = {.source.ptr = body, .read_callback = upload};
    return nghttp2_submit_request(c->session, NULL, nva, ARRAY_LEN(nva), body ? &d : NULL, NULL);
}

TEST(h2_requests)
{
    setup((struct http_server_opts){0});
    struct tls_client *alice = client_new("alice");
    struct h2_client c;
    size_t body = 200000, huge = 9000000;
    h2_open(&c, alice);
    h2_ask(&c, "GET", "/q?x=%41", NULL);
    h2_ask(&c, "GET", "/async", NULL);
    h2_ask(&c, "POST", "/size", &body);
    h2_ask(&c, "GET", "/ticks", NULL);
    h2_ask(&c, "HEAD", "/head", NULL);
    h2_ask(&c, "POST", "/size", &huge);
    h2_run(&c, 6, PATIENCE_NS);
    T_HAS(c.text, "GET /q x=A auth=me user=alice unix=0 h2=1 body=");
    T_HAS(c.text, "later");
    T_HAS(c.text, "200000");
    T_EQ_INT(count(strbuf_str(&c.text), "event\n"), 3);
    T_OK(!has(&c.text, "HEAD /head"));
    T_HAS(c.text, "[11 :status=413]");
    T_HAS(c.text, "{\"code\":413");
    /* the connection lives on */
    h2_ask(&c, "GET", "/after", NULL);
    h2_run(&c, 7, PATIENCE_NS);
    T_HAS(c.text, "GET /after");
    T_EQ_INT(stats().requests_h2, 6);
    h2_close(&c);
    tls_client_free(alice);
    WAIT_FOR(stats().open == 0);
    teardown();
}

TEST(h2_large_answers_share_a_connection)
{
    setup((struct http_server_opts){0});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    h2_ask(&c, "GET", "/big", NULL);
    h2_ask(&c, "GET", "/fill", NULL);
    h2_ask(&c, "GET", "/small", NULL);
    h2_run(&c, 3, PATIENCE_NS);
    T_EQ_INT(piece_bytes(strbuf_str(&c.text)), 2 * BIG_PIECES * 5000);
    T_HAS(c.text, "GET /small");
    T_OK(fx.writable > 10);
    T_EQ_INT(atomic_load(&fx.piece->refs), 1);
    h2_close(&c);
    tls_client_free(tls);
    teardown();
}

TEST(h2_streams_end_alone)
{
    setup((struct http_server_opts){0});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    int32_t first = h2_ask(&c, "GET", "/watch", NULL);
    h2_ask(&c, "GET", "/watch", NULL);
    h2_ask(&c, "GET", "/abort", NULL);
    h2_run(&c, 1, PATIENCE_NS);
    T_EQ_INT(c.resets, 1);
    T_EQ_INT(fx.gone, 0);
    nghttp2_submit_rst_stream(c.session, 0, first, NGHTTP2_CANCEL);
    h2_run(&c, 9, 50 * NSEC_PER_MSEC);
    WAIT_FOR(fx.gone == 1);
    h2_ask(&c, "GET", "/after", NULL);
    h2_run(&c, 3, PATIENCE_NS);
    T_HAS(c.text, "GET /after");
    h2_close(&c);
    WAIT_FOR(fx.gone == 2);
    WAIT_FOR(stats().open == 0);
    tls_client_free(tls);
    teardown();
}

/* All idle watches of a connection together: what each one keeps. */
TEST(h2_idle_watches_are_small)
{
    setup((struct http_server_opts){.max_streams = 2000});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    h2_run(&c, 1, 50 * NSEC_PER_MSEC);
    for (int i = 0; i < 2000; i++)
        h2_ask(&c, "GET", "/watch", NULL);
    h2_run(&c, 1, 200 * NSEC_PER_MSEC);
    WAIT_FOR(fx.handled == 2000);
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; count(strbuf_str(&c.text), ":status=200") < 2000 && clock_mono(&clock_real) < end;)
        h2_run(&c, 1, 50 * NSEC_PER_MSEC);
    T_EQ_INT(count(strbuf_str(&c.text), ":status=200"), 2000);
    h2_close(&c);
    WAIT_FOR(fx.gone == 2000);
    tls_client_free(tls);
    teardown();
}

TEST(h2_stream_limit)
{
    setup((struct http_server_opts){.max_streams = 3});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    h2_run(&c, 1, 50 * NSEC_PER_MSEC); /* its client obeys our settings from now on */
    for (int i = 0; i < 5; i++)
        h2_ask(&c, "GET", "/async", NULL);
    h2_run(&c, 5, PATIENCE_NS);
    T_EQ_INT(count(strbuf_str(&c.text), "later"), 5);
    h2_close(&c);
    tls_client_free(tls);
    teardown();
}

TEST(h2_time_outs)
{
    const nsec_t ms = NSEC_PER_MSEC;
    setup((struct http_server_opts){.head_timeout_ns = 100 * ms, .body_timeout_ns = 100 * ms, .idle_timeout_ns = 1500 * ms});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    nghttp2_nv nva[] = {nv(":method", "POST"), nv(":scheme", "https"), nv(":path", "/size"), nv(":authority", "h")};
    nsec_t start = clock_mono(&clock_real);
    nghttp2_submit_headers(c.session, 0, -1, NULL, nva, ARRAY_LEN(nva), NULL); /* and never a body */
    h2_run(&c, 1, PATIENCE_NS);
    T_HAS(c.text, ":status=408");
    h2_run(&c, 9, PATIENCE_NS);
    T_OK(c.goaway && c.eof);
    T_OK(clock_mono(&clock_real) - start >= 1550 * ms); /* the body's time, then the idle one */
    h2_close(&c);
    tls_client_free(tls);
    teardown();
}

/* The client never opens a window beyond the first 64 KB. */
TEST(h2_stalled_reader_is_closed)
{
    setup((struct http_server_opts){.write_timeout_ns = 200 * NSEC_PER_MSEC});
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    h2_ask(&c, "GET", "/big", NULL);
    h2_ask(&c, "GET", "/big", NULL);
    h2_flush(&c);
    WAIT_FOR(stats().timeouts == 1);
    WAIT_FOR(stats().open == 0);
    T_EQ_INT(fx.handled, 1); /* 20 MB wait already: the second is not looked at */
    T_EQ_INT(atomic_load(&fx.piece->refs), 1);
    h2_close(&c);
    tls_client_free(tls);
    teardown();
}

TEST(h2_without_tls_on_the_unix_socket)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    int fd = dial();
    /* preface, settings, GET / */
    say(fd, str_n("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0\0\0\6\1\5\0\0\0\1\x82\x87\x84\x41\x01h", 24 + 9 + 9 + 6));
    hear(fd, "unix=1 h2=1", &out);
    T_HAS(out, "GET / x=none");
    close(fd);
    WAIT_FOR(stats().open == 0);
    teardown();
}

/* --- life of the server ------------------------------------------------------------------------------------------------------- */

TEST(shutdown_is_graceful)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    struct tls_client *tls = client_new(NULL);
    struct h2_client c;
    h2_open(&c, tls);
    h2_ask(&c, "GET", "/async", NULL);
    int idle = dial(), busy = dial(), watch = dial();
    say(busy, S("GET /async HTTP/1.1\r\nHost: h\r\n\r\n"));
    say(watch, S("GET /watch HTTP/1.1\r\nHost: h\r\n\r\n"));
    h2_flush(&c);
    WAIT_FOR(fx.handled == 3);
    http_server_shutdown(fx.server, clock_mono(&clock_real) + 3 * NSEC_PER_SEC, on_done, NULL);
    hear(idle, NULL, &out);
    T_EQ_STR(strbuf_str(&out), "<eof>");
    strbuf_clear(&out);
    hear(busy, NULL, &out);
    T_HAS(out, "connection: close");
    T_HAS(out, "later<eof>");
    h2_run(&c, 9, PATIENCE_NS);
    T_OK(c.goaway && c.eof);
    T_HAS(c.text, "later");
    h2_close(&c);
    close(idle);
    close(busy);
    WAIT_FOR(fx.done == 1); /* forced: the watch never ends by itself */
    T_EQ_INT(fx.gone, 1);
    T_OK(dial() < 0);
    close(watch);
    tls_client_free(tls);
    teardown();
}

TEST(connection_limit)
{
    setup((struct http_server_opts){.max_connections = 3});
    int fds[4];
    STRBUF_AUTO out = STRBUF_HEAP;
    for (int i = 0; i < 4; i++) {
        fds[i] = dial();
        say(fds[i], S("GET /x HTTP/1.1\r\nHost: h\r\n\r\n"));
    }
    hear(fds[2], "body=", &out);
    T_OK(!net_wait(fds[3], POLLIN, 150 * NSEC_PER_MSEC));
    close(fds[0]);
    strbuf_clear(&out);
    hear(fds[3], "body=", &out);
    T_HAS(out, "200 OK");
    for (int i = 1; i < 4; i++)
        close(fds[i]);
    teardown();
}

/* Less than half of the time is used; what was still to be done may take a moment, one that spins never rests. */
static bool rests(int ms)
{
    struct timespec before, after;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
    nap(ms);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
    return (after.tv_sec - before.tv_sec) * NSEC_PER_SEC + after.tv_nsec - before.tv_nsec < ms * NSEC_PER_MSEC / 2;
}

TEST(out_of_descriptors)
{
    setup((struct http_server_opts){0});
    STRBUF_AUTO out = STRBUF_HEAP;
    struct rlimit lim = {64, 64}, was;
    getrlimit(RLIMIT_NOFILE, &was);
    lim.rlim_max = was.rlim_max;
    setrlimit(RLIMIT_NOFILE, &lim);
    int fds[64];
    size_t n = 0;
    while (n < ARRAY_LEN(fds) && (fds[n] = dial()) >= 0)
        n++;
    WAIT_FOR(rests(400)); /* no spinning on accept */
    while (n > 5)
        close(fds[--n]);
    nap(250);
    talk(S("GET /alive HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"), &out);
    T_HAS(out, "GET /alive");
    while (n)
        close(fds[--n]);
    setrlimit(RLIMIT_NOFILE, &was);
    teardown();
}

TEST(queries_and_escapes)
{
    struct arena a = ARENA_INIT;
    struct http_request req = {.arena = &a, .query = S("a=1&b=%7B%7d+x&a=2&c&=e&d=%zz&%61=3")};
    str v;
    T_OK(http_query_get(&req, S("a"), &v));
    T_EQ_STR(v, "1");
    T_OK(http_query_get_nth(&req, S("a"), 1, &v));
    T_EQ_STR(v, "2");
    T_OK(http_query_get_nth(&req, S("a"), 2, &v));
    T_EQ_STR(v, "3");
    T_OK(!http_query_get_nth(&req, S("a"), 3, &v));
    T_OK(http_query_get(&req, S("b"), &v));
    T_EQ_STR(v, "{} x");
    T_OK(http_query_get(&req, S("c"), &v));
    T_EQ_STR(v, "");
    T_OK(!http_query_get(&req, S("d"), &v));
    T_OK(!http_unescape(&a, S("%4"), false, &v));
    T_OK(http_unescape(&a, S("a+b%2f"), false, &v));
    T_EQ_STR(v, "a+b/");
    arena_fini(&a);
}

TEST_MAIN(h1_request_and_answer, h1_pipelining_keeps_order, h1_many_pipelined, h1_bodies_in_any_pieces, h1_large_bodies, h1_expect_continue,
          h1_too_large_is_answered, h1_bad_requests, h1_http10_and_head, h1_stream_in_chunks, h1_stream_backpressure, h1_peer_leaves_a_watch,
          h1_abort_closes, h1_upgrade, h1_time_outs, h1_one_that_works_goes_on, slow_reader_is_closed, large_answers, tls_h1, connections_are_balanced, h2_requests,
          h2_large_answers_share_a_connection, h2_streams_end_alone, h2_idle_watches_are_small, h2_stream_limit, h2_time_outs,
          h2_stalled_reader_is_closed, h2_without_tls_on_the_unix_socket, shutdown_is_graceful, connection_limit, out_of_descriptors, queries_and_escapes)
