/* SPDX-License-Identifier: Apache-2.0 */
/* The node's server with a runtime made of plain child processes; clients are blocking TLS connections that speak SPDY or websocket by hand. */
#include "agent/streams/streams.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include "base/test.h"
#include "client/client_conn.h"
#include "rt/thread.h"
#include "wire/base64.h"
#include "wire/spdy.h"
#include "wire/websocket.h"

#define PATIENCE (120 * NSEC_PER_SEC)

/* --- a runtime of child processes --------------------------------------------------------------------------------------- */

struct fake {
    struct runtime base;
    _Atomic int columns, rows;
    _Atomic bool no_sandbox;
    _Atomic pid_t pid;       /* of the newest */
    _Atomic pid_t pids[4096]; /* by control descriptor */
};
static struct fake fake;

static int fake_exec(struct runtime *r UNUSED, str id UNUSED, const struct exec_spec *x, struct exec_session *ret, struct err *err)
{
    if (!x->argv)
        return err_set(err, E_UNAVAILABLE, "there is nothing to attach to");
    if (strcmp(x->argv[0], "missing") == 0)
        return err_set(err, E_NOT_FOUND, "missing: no such file or directory");
    int in[2] = {-1, -1}, out[2] = {-1, -1}, er[2] = {-1, -1}, master = -1, slave = -1;
    if (x->tty) {
        master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
        BUG_ON(master < 0 || grantpt(master) < 0 || unlockpt(master) < 0);
        slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    } else {
        BUG_ON(pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(er, O_CLOEXEC) < 0);
    }
    pid_t pid = fork();
    if (pid == 0) {
        setsid();
        dup2(x->tty ? slave : in[0], 0);
        dup2(x->tty ? slave : out[1], 1);
        dup2(x->tty ? slave : er[1], 2);
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        execvp(x->argv[0], (char *const *)(uintptr_t)x->argv);
        _exit(127);
    }
    if (x->tty) {
        close(slave);
        *ret = (struct exec_session){.in = x->in ? master : -1, .out = master, .err = -1, .tty = true};
    } else {
        close(in[0]);
        close(out[1]);
        close(er[1]);
        if (!x->in)
            close(in[1]);
        *ret = (struct exec_session){.in = x->in ? in[1] : -1, .out = out[0], .err = er[0]};
    }
    ret->control = (int)syscall(SYS_pidfd_open, pid, 0);
    BUG_ON(ret->control < 0 || ret->control >= 4096);
    fake.pid = fake.pids[ret->control] = pid;
    return 0;
}

static int fake_finish(struct runtime *r UNUSED, struct exec_session *x, nsec_t timeout UNUSED, int *ret_code, struct err *err UNUSED)
{
    int status;
    waitpid(fake.pids[x->control], &status, 0);
    fake.pids[x->control] = 0;
    *ret_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return 0;
}

static int fake_resize(struct runtime *r UNUSED, struct exec_session *x UNUSED, unsigned columns, unsigned rows)
{
    fake.rows = (int)rows;
    fake.columns = (int)columns;
    return 0;
}

static void fake_close(struct runtime *r UNUSED, struct exec_session *x)
{
    pid_t pid = fake.pids[x->control];
    if (pid) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
        fake.pids[x->control] = 0;
    }
    int fds[] = {x->in, x->tty && x->in == x->out ? -1 : x->out, x->err, x->control};
    for (size_t i = 0; i < ARRAY_LEN(fds); i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static int fake_netns(struct runtime *r UNUSED, str uid UNUSED, struct arena *a UNUSED, const char **ret, struct err *err)
{
    *ret = NULL; /* the host's */
    return fake.no_sandbox ? err_set(err, E_NOT_FOUND, "the pod's sandbox does not run") : 0;
}

static const struct runtime_ops fake_ops = {.name = "fake", .exec = fake_exec, .exec_finish = fake_finish, .exec_resize = fake_resize, .exec_close = fake_close, .netns = fake_netns};

/* --- the server --------------------------------------------------------------------------------------------------------------- */

static struct fixture {
    struct loop *loop;
    struct thread thread;
    struct work_pool *pool;
    struct streams *streams;
    uint16_t port;
    char *ca, *ca_key, *cert, *key, *admin, *admin_key, *other, *other_key;
    char dir[64], log[96];
    _Atomic bool running, stopped;
    struct loop_msg stop_msg;
} fx;

static int find(void *arg UNUSED, str ns, str pod, str container, struct arena *a UNUSED, struct stream_target *ret, struct err *err)
{
    if (!str_is(ns, "default") || !str_is(pod, "web"))
        return err_set(err, E_NOT_FOUND, "pod \"" STR_FMT "\" not found", STR_ARG(pod));
    if (!str_is(container, "c") && !str_is(container, "*"))
        return err_set(err, E_INVALID_ARG, "container " STR_FMT " is not valid for pod web", STR_ARG(container));
    *ret = (struct stream_target){.runtime = &fake.base, .container_id = S("id-1"), .log_path = str_of(fx.log), .running = fx.running, .stdin_open = true};
    return 0;
}

static bool document(void *arg UNUSED, str name, struct arena *a UNUSED, str *ret_type, str *ret_text)
{
    *ret_type = S("application/json");
    *ret_text = S("{}");
    return str_is(name, "pods") || str_is(name, "stats/summary");
}

static void run_loop(void *arg)
{
    loop_run(arg);
}

static void make(const char *name, const char *group, bool server, char **cert, char **key)
{
    const char *const groups[] = {group, NULL};
    const char *const ips[] = {"127.0.0.1", NULL};
    nsec_t now = clock_wall(&clock_real);
    struct tls_cert_request r = {.common_name = name, .organizations = group ? groups : NULL, .ip_addresses = server ? ips : NULL, .for_server = server, .for_client = fx.ca && !server,
                                 .is_ca = !fx.ca, .not_before = now - 3600 * NSEC_PER_SEC, .not_after = now + 3600 * NSEC_PER_SEC};
    struct err err;
    char *ca = fx.ca, *ca_key = fx.ca_key;
    T_NO_ERR(tls_cert_make(&r, ca, ca_key, cert, key, &err), &err);
}

static void setup(void)
{
    struct err err;
    signal(SIGPIPE, SIG_IGN);
    fake.base.ops = &fake_ops;
    make("ca", NULL, false, &fx.ca, &fx.ca_key);
    make("node", NULL, true, &fx.cert, &fx.key);
    make("admin", "system:masters", false, &fx.admin, &fx.admin_key);
    make("other", "people", false, &fx.other, &fx.other_key);
    snprintf(fx.dir, sizeof fx.dir, "%s", T_TMPDIR());
    snprintf(fx.log, sizeof fx.log, "%s/0.log", fx.dir);
    fx.running = true;
    fx.loop = loop_new("agent", &clock_real, &err);
    fx.pool = work_pool_new("work", 4);
    struct streams_opts o = {.loop = fx.loop, .pool = fx.pool, .listen = "127.0.0.1:0", .cert_pem = fx.cert, .key_pem = fx.key, .client_ca_pem = fx.ca, .find = find, .document = document};
    T_NO_ERR(streams_new(&o, &fx.port, &fx.streams, &err), &err);
    T_NO_ERR(streams_set_cert(fx.streams, fx.cert, fx.key, &err), &err);
    T_NO_ERR(thread_start(&fx.thread, "agent", run_loop, fx.loop, &err), &err);
}

static void stopped(void *arg UNUSED)
{
    fx.stopped = true;
    loop_stop(fx.loop);
}
static void stop(struct loop_msg *m UNUSED)
{
    streams_stop(fx.streams, stopped, NULL);
}

static void teardown(void)
{
    fx.stop_msg.fn = stop;
    loop_post(fx.loop, &fx.stop_msg);
    thread_join(&fx.thread);
    T_OK(fx.stopped);
    work_pool_free(fx.pool);
    streams_free(fx.streams);
    loop_free(fx.loop);
    char *all[] = {fx.ca, fx.ca_key, fx.cert, fx.key, fx.admin, fx.admin_key, fx.other, fx.other_key};
    for (size_t i = 0; i < ARRAY_LEN(all); i++)
        free(all[i]);
    unlink(fx.log);
    rmdir(fx.dir);
}

static bool eventually(bool (*holds)(void))
{
    for (int i = 0; i < 12000; i++) {
        if (holds())
            return true;
        usleep(10000);
    }
    return false;
}

/* --- clients ---------------------------------------------------------------------------------------------------------------------- */

struct peer {
    struct client_target target;
    struct client_conn conn;
    struct strbuf in; /* read and not used */
    struct spdy *spdy;
    struct websocket ws;
    bool in_websocket;
};

static void open_as(struct peer *p, const char *cert, const char *key)
{
    struct err err = ERR_NONE;
    char url[64];
    *p = (struct peer){0};
    snprintf(url, sizeof url, "https://127.0.0.1:%u", fx.port);
    T_NO_ERR(client_target_parse(&p->target, url, &err), &err);
    T_NO_ERR(tls_client_new(fx.ca, cert, key, false, &p->target.tls, &err), &err);
    T_NO_ERR(client_conn_open(&p->conn, &p->target, PATIENCE, &err), &err);
}

static void peer_close(struct peer *p)
{
    client_conn_close(&p->conn);
    client_target_fini(&p->target);
    strbuf_fini(&p->in);
    spdy_free(p->spdy);
}

static void put(struct peer *p, str bytes)
{
    struct err err = ERR_NONE;
    T_NO_ERR(client_conn_write(&p->conn, bytes, PATIENCE, &err), &err);
}

/* False: the server closed. */
static bool more(struct peer *p)
{
    struct err err = ERR_NONE;
    size_t n = 0;
    strbuf_grow(&p->in, 65536);
    if (client_conn_read(&p->conn, p->in.p + p->in.len, 65536, PATIENCE, &n, &err) < 0)
        return false;
    p->in.len += n;
    return n > 0;
}

static int head(struct peer *p, const char *request, struct strbuf *ret)
{
    put(p, str_of(request));
    ptrdiff_t end;
    while ((end = str_find(strbuf_str(&p->in), S("\r\n\r\n"))) < 0)
        if (!more(p))
            return 0;
    if (ret)
        strbuf_add_str(ret, str_sub(strbuf_str(&p->in), 0, (size_t)end));
    int64_t status = 0;
    str_to_i64(str_sub(strbuf_str(&p->in), 9, 12), &status);
    strbuf_splice(&p->in, 0, (size_t)end + 4, S(""));
    return (int)status;
}

static int get(struct peer *p, const char *path, struct strbuf *body)
{
    char request[512];
    snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n", path);
    int status = head(p, request, NULL);
    while (more(p))
        ;
    strbuf_add_str(body, strbuf_str(&p->in));
    return status;
}

/* --- SPDY ------------------------------------------------------------------------------------------------------------------------------ */

static void frame(struct peer *p, struct strbuf *b)
{
    if (p->in_websocket) {
        static const uint8_t mask[4] = {1, 2, 3, 4};
        char h[WS_HEAD_MAX];
        put(p, str_n(h, websocket_head(h, WS_BINARY, true, b->len, mask)));
        websocket_mask(b->p, b->len, mask, 0);
    }
    put(p, strbuf_str(b));
    strbuf_clear(b);
}

static void spdy_begin(struct peer *p, const char *path, const char *protocol)
{
    char request[700];
    STRBUF_AUTO answer = STRBUF_HEAP;
    open_as(p, fx.admin, fx.admin_key);
    snprintf(request, sizeof request, "POST %s HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: v9\r\nX-Stream-Protocol-Version: %s\r\n\r\n", path, protocol);
    T_EQ_INT(head(p, request, &answer), 101);
    T_OK(str_find(strbuf_str(&answer), str_of(protocol)) > 0);
    p->spdy = spdy_new();
}

static void syn(struct peer *p, uint32_t id, const char *type, const char *port, const char *request, bool fin)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct http_header h[] = {{S("streamtype"), str_of(type)}, {S("port"), str_of(port)}, {S("requestid"), str_of(request)}};
    spdy_write_syn(p->spdy, &b, id, fin, h, port ? 3 : 1);
    frame(p, &b);
}

static void data(struct peer *p, uint32_t id, str bytes, bool fin)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    spdy_write_data_head(&b, id, fin, (uint32_t)bytes.len);
    strbuf_add_str(&b, bytes);
    frame(p, &b);
}

/* Collects what comes on each stream, until one of them ends; false when the connection does. */
struct got {
    struct strbuf by_id[72];
    bool fin[72];
    int replies;
};
static void got_free(struct got *g)
{
    for (size_t i = 0; i < ARRAY_LEN(g->by_id); i++)
        strbuf_fini(&g->by_id[i]);
}

static void got_bytes(struct peer *p, str in, struct got *g)
{
    while (in.len) {
        struct spdy_event e;
        size_t used;
        enum spdy_result r = spdy_step(p->spdy, in, &used, &e);
        in = str_from(in, used);
        T_OK(r != SPDY_BAD);
        if (r == SPDY_GOT_REPLY)
            g->replies++;
        if (r == SPDY_GOT_DATA && e.stream < ARRAY_LEN(g->by_id)) {
            strbuf_add_str(&g->by_id[e.stream], e.data);
            g->fin[e.stream] |= e.fin;
        }
    }
}

static bool collect(struct peer *p, struct got *g, uint32_t until_fin)
{
    while (!g->fin[until_fin]) {
        if (!p->in.len && !more(p))
            return false;
        if (!p->in_websocket) {
            got_bytes(p, strbuf_str(&p->in), g);
            strbuf_clear(&p->in);
            continue;
        }
        size_t used = 0;
        struct websocket_event e;
        if (websocket_step(&p->ws, p->in.p, p->in.len, &used, &e) == WS_GOT_PIECE)
            got_bytes(p, e.payload, g);
        strbuf_splice(&p->in, 0, used, S(""));
    }
    return true;
}

/* --- websocket ---------------------------------------------------------------------------------------------------------------------------- */

static void ws_begin(struct peer *p, const char *path, const char *protocol)
{
    char request[700];
    STRBUF_AUTO answer = STRBUF_HEAP;
    open_as(p, fx.admin, fx.admin_key);
    snprintf(request, sizeof request,
             "GET %s HTTP/1.1\r\nHost: n\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
             "Sec-WebSocket-Protocol: %s\r\n\r\n",
             path, protocol);
    T_EQ_INT(head(p, request, &answer), 101);
    T_OK(str_find(strbuf_str(&answer), S("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")) > 0);
}

static void ws_send(struct peer *p, enum websocket_opcode op, str bytes)
{
    static const uint8_t mask[4] = {9, 8, 7, 6};
    char h[WS_HEAD_MAX];
    put(p, str_n(h, websocket_head(h, op, true, bytes.len, mask)));
    char *copy = str_dup(bytes);
    websocket_mask(copy, bytes.len, mask, 0);
    put(p, str_n(copy, bytes.len));
    free(copy);
}

/* Until the server's close frame; channel c's bytes in g->by_id[c]. */
static int ws_collect(struct peer *p, struct got *g, bool base64)
{
    STRBUF_AUTO message = STRBUF_HEAP;
    for (;;) {
        if (!p->in.len && !more(p))
            return -1;
        size_t used = 0;
        struct websocket_event e = {0};
        enum websocket_result r = websocket_step(&p->ws, p->in.p, p->in.len, &used, &e);
        if (r == WS_GOT_PIECE) {
            strbuf_add_str(&message, e.payload);
            if (e.message_end && message.len) {
                unsigned c = (unsigned char)message.p[0] - (base64 ? '0' : 0);
                str bytes = str_from(strbuf_str(&message), 1);
                ARENA_AUTO a = ARENA_INIT;
                if (base64)
                    T_EQ_INT(base64_decode(&a, BASE64_STD, bytes, &bytes, NULL), 0);
                if (c < ARRAY_LEN(g->by_id))
                    strbuf_add_str(&g->by_id[c], bytes);
                strbuf_clear(&message);
            }
        }
        T_OK(r != WS_BAD);
        int code = e.close_code;
        strbuf_splice(&p->in, 0, used, S(""));
        if (r == WS_GOT_CLOSE)
            return code;
    }
}

/* --- tests ------------------------------------------------------------------------------------------------------------------------------------ */

TEST(who_may_ask)
{
    setup();
    static const struct {
        int who, want;
        const char *path;
    } cases[] = {{0, 401, "/healthz"}, {1, 403, "/healthz"}, {2, 200, "/healthz"}, {2, 200, "/stats/summary"}, {2, 404, "/nothing"}, {2, 404, "/exec/default/web"},
                 {2, 404, "/containerLogs/default/none/c"}, {2, 400, "/containerLogs/default/web/x"}, {2, 400, "/containerLogs/default/web/c?previous=true"},
                 {2, 400, "/containerLogs/default/web/c?tailLines=x"}, {2, 400, "/exec/default/web/c?command=ls&output=1"}, {2, 400, "/exec/default/web/c?output=1"}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct peer p;
        STRBUF_AUTO body = STRBUF_HEAP;
        open_as(&p, cases[i].who == 0 ? NULL : cases[i].who == 1 ? fx.other : fx.admin, cases[i].who == 1 ? fx.other_key : fx.admin_key);
        T_EQ_INT(get(&p, cases[i].path, &body), cases[i].want);
        peer_close(&p);
    }
    teardown();
}

static void log_line(const char *text)
{
    FILE *f = fopen(fx.log, "a");
    fprintf(f, "2026-01-02T03:04:05.000000001Z stdout F %s\n", text);
    fclose(f);
}

TEST(logs)
{
    setup();
    struct peer p;
    STRBUF_AUTO body = STRBUF_HEAP;
    for (int i = 0; i < 5000; i++)
        log_line("a line");
    log_line("the last");
    open_as(&p, fx.admin, fx.admin_key);
    T_EQ_INT(get(&p, "/containerLogs/default/web/c?tailLines=1", &body), 200);
    T_OK(str_find(strbuf_str(&body), S("the last\n")) >= 0);
    peer_close(&p);
    /* follow: what is there, what comes, and the end when the container ends */
    open_as(&p, fx.admin, fx.admin_key);
    T_EQ_INT(head(&p, "GET /containerLogs/default/web/c?follow=true&tailLines=1 HTTP/1.1\r\nHost: n\r\nConnection: close\r\n\r\n", NULL), 200);
    while (str_find(strbuf_str(&p.in), S("the last\n")) < 0 && more(&p))
        ;
    log_line("later");
    while (str_find(strbuf_str(&p.in), S("later\n")) < 0 && more(&p))
        ;
    T_OK(str_find(strbuf_str(&p.in), S("later\n")) > 0);
    log_line("good-bye");
    fx.running = false;
    while (more(&p))
        ;
    T_OK(str_find(strbuf_str(&p.in), S("good-bye\n")) > 0);
    T_OK(str_find(strbuf_str(&p.in), S("\r\n0\r\n\r\n")) > 0); /* ended, not cut off */
    peer_close(&p);
    teardown();
}

TEST(exec_over_spdy)
{
    setup();
    struct peer p;
    struct got g = {0};
    spdy_begin(&p, "/exec/default/web/c?command=sh&command=-c&command=cat%3B%20echo%20oops%20%3E%262%3B%20exit%203&input=1&output=1&error=1", "v4.channel.k8s.io");
    syn(&p, 1, "error", NULL, NULL, false);
    syn(&p, 3, "stdin", NULL, NULL, false);
    syn(&p, 5, "stdout", NULL, NULL, false);
    syn(&p, 7, "stderr", NULL, NULL, false);
    STRBUF_AUTO text = STRBUF_HEAP;
    for (int i = 0; i < 3000; i++)
        strbuf_addf(&text, "line %d\n", i);
    data(&p, 3, strbuf_str(&text), false);
    data(&p, 3, S(""), true);
    T_OK(collect(&p, &g, 1));
    T_EQ_INT(g.replies, 4);
    T_OK(str_eq(strbuf_str(&g.by_id[5]), strbuf_str(&text)));
    T_EQ_STR(strbuf_str(&g.by_id[7]), "oops\n");
    T_OK(str_find(strbuf_str(&g.by_id[1]), S("\"reason\":\"ExitCode\",\"message\":\"3\"")) > 0);
    T_OK(g.fin[5] && g.fin[7]);
    got_free(&g);
    peer_close(&p);
    teardown();
}

struct writer {
    struct peer *p;
    uint32_t id;
    size_t total;
};
static void *write_much(void *arg)
{
    struct writer *w = arg;
    char *block = xmalloc(32768);
    for (size_t i = 0; i < 32768; i++)
        block[i] = (char)(i * 31);
    STRBUF_AUTO b = STRBUF_HEAP;
    for (size_t sent = 0; sent < w->total; sent += 32768) {
        spdy_write_data_head(&b, w->id, sent + 32768 >= w->total, 32768);
        strbuf_add(&b, block, 32768);
        frame(w->p, &b);
    }
    free(block);
    return NULL;
}

/* Megabytes both ways at once, and then a process that does not read: the client must be held back. */
TEST(exec_holds_back)
{
    setup();
    struct peer p;
    struct got g = {0};
    spdy_begin(&p, "/exec/default/web/c?command=head&command=-c&command=8388608&command=/dev/zero&output=1", "v4.channel.k8s.io");
    syn(&p, 1, "error", NULL, NULL, false);
    syn(&p, 3, "stdout", NULL, NULL, false);
    T_OK(collect(&p, &g, 1));
    T_EQ_INT(g.by_id[3].len, 8388608);
    got_free(&g);
    peer_close(&p);
    g = (struct got){0};
    spdy_begin(&p, "/exec/default/web/c?command=sha256sum&input=1&output=1", "v4.channel.k8s.io");
    syn(&p, 1, "error", NULL, NULL, false);
    syn(&p, 3, "stdin", NULL, NULL, false);
    syn(&p, 5, "stdout", NULL, NULL, false);
    struct writer w = {&p, 3, 8u << 20};
    write_much(&w);
    T_OK(collect(&p, &g, 1));
    T_EQ_INT(g.by_id[5].len, 68);
    T_OK(str_find(strbuf_str(&g.by_id[1]), S("Success")) > 0);
    got_free(&g);
    peer_close(&p);
    /* sleep reads nothing: what the server takes is bounded by its buffer and the kernel's */
    spdy_begin(&p, "/exec/default/web/c?command=sleep&command=1000&input=1&output=1", "v4.channel.k8s.io");
    syn(&p, 1, "error", NULL, NULL, false);
    syn(&p, 3, "stdin", NULL, NULL, false);
    syn(&p, 5, "stdout", NULL, NULL, false);
    int small = 65536;
    setsockopt(p.conn.fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
    STRBUF_AUTO b = STRBUF_HEAP;
    char *block = xcalloc(1, 32768);
    spdy_write_data_head(&b, 3, false, 32768);
    strbuf_add(&b, block, 32768);
    size_t taken = 0;
    struct err err = ERR_NONE;
    while (taken < (512u << 20) && client_conn_write(&p.conn, strbuf_str(&b), 2 * NSEC_PER_SEC, &err) == 0)
        taken += 32768;
    T_OK(taken < (256u << 20));
    free(block);
    pid_t sleeper = fake.pid;
    peer_close(&p); /* and a client that goes away while it is held back ends the process */
    for (int i = 0; i < 12000 && kill(sleeper, 0) == 0; i++)
        usleep(10000);
    T_OK(kill(sleeper, 0) < 0);
    teardown();
}

TEST(exec_over_websocket)
{
    setup();
    struct peer p;
    struct got g = {0};
    ws_begin(&p, "/exec/default/web/c?command=sh&command=-c&command=cat%3B%20exit%207&input=1&output=1&error=1", "v5.channel.k8s.io, v4.channel.k8s.io");
    ws_send(&p, WS_BINARY, str_n("\0hello", 6));
    ws_send(&p, WS_PING, S("x"));
    ws_send(&p, WS_BINARY, str_n("\xff\0", 2));
    T_EQ_INT(ws_collect(&p, &g, false), 1000);
    T_EQ_STR(strbuf_str(&g.by_id[1]), "hello");
    T_OK(str_find(strbuf_str(&g.by_id[3]), S("\"message\":\"7\"")) > 0);
    got_free(&g);
    peer_close(&p);
    /* v4 in base64, without an end of input: the process ends by itself */
    g = (struct got){0};
    ws_begin(&p, "/exec/default/web/c?command=head&command=-c&command=5&input=1&output=1", "v4.base64.channel.k8s.io");
    ws_send(&p, WS_TEXT, S("0aGVsbG8="));
    T_EQ_INT(ws_collect(&p, &g, true), 1000);
    T_EQ_STR(strbuf_str(&g.by_id[1]), "hello");
    T_OK(str_find(strbuf_str(&g.by_id[3]), S("Success")) > 0);
    got_free(&g);
    peer_close(&p);
    /* what cannot be started */
    g = (struct got){0};
    ws_begin(&p, "/exec/default/web/c?command=missing&output=1", "v4.channel.k8s.io");
    T_EQ_INT(ws_collect(&p, &g, false), 1000);
    T_OK(str_find(strbuf_str(&g.by_id[3]), S("InternalError")) > 0);
    got_free(&g);
    peer_close(&p);
    g = (struct got){0};
    ws_begin(&p, "/attach/default/web/c?output=1", "v4.channel.k8s.io");
    T_EQ_INT(ws_collect(&p, &g, false), 1000);
    T_OK(str_find(strbuf_str(&g.by_id[3]), S("error attaching to container: there is nothing to attach to")) > 0);
    got_free(&g);
    peer_close(&p);
    teardown();
}

static bool resized(void)
{
    return fake.columns == 132 && fake.rows == 43;
}

TEST(terminal)
{
    setup();
    struct peer p;
    struct got g = {0};
    spdy_begin(&p, "/exec/default/web/c?command=sh&command=-c&command=read%20x%3B%20test%20-t%201%20%26%26%20echo%20tty-$x&input=1&output=1&tty=1", "v4.channel.k8s.io");
    syn(&p, 1, "error", NULL, NULL, false);
    syn(&p, 3, "stdin", NULL, NULL, false);
    syn(&p, 5, "stdout", NULL, NULL, false);
    syn(&p, 7, "resize", NULL, NULL, false);
    data(&p, 7, S("{\"Width\":80,\"Height\":24}\n{\"Wid"), false);
    data(&p, 7, S("th\":132,\"Height\":43}\n"), false);
    T_OK(eventually(resized));
    data(&p, 3, S("abc\n"), false);
    T_OK(collect(&p, &g, 1));
    T_OK(str_find(strbuf_str(&g.by_id[5]), S("tty-abc")) >= 0);
    T_OK(str_find(strbuf_str(&g.by_id[1]), S("Success")) > 0);
    got_free(&g);
    peer_close(&p);
    teardown();
}

/* --- port-forward ------------------------------------------------------------------------------------------------------------------------------- */

static int echo_fd;
static void *echo_one(void *arg)
{
    int fd = (int)(intptr_t)arg;
    char buf[4096];
    for (ssize_t n; (n = recv(fd, buf, sizeof buf, 0)) > 0;)
        for (ssize_t at = 0, w; at < n && (w = send(fd, buf + at, (size_t)(n - at), MSG_NOSIGNAL)) > 0;)
            at += w;
    close(fd);
    return NULL;
}
static void *echo_serve(void *arg UNUSED)
{
    for (int fd; (fd = accept(echo_fd, NULL, NULL)) >= 0;) {
        pthread_t t;
        pthread_create(&t, NULL, echo_one, (void *)(intptr_t)fd);
        pthread_detach(t);
    }
    return NULL;
}

static void forward_with(const char *protocol, bool websocket)
{
    uint16_t port;
    struct err err;
    pthread_t t;
    char port_text[8];
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &echo_fd, &port, &err), &err);
    fcntl(echo_fd, F_SETFL, 0);
    pthread_create(&t, NULL, echo_serve, NULL);
    snprintf(port_text, sizeof port_text, "%u", port);
    struct peer p;
    struct got g = {0};
    if (websocket) {
        ws_begin(&p, "/portForward/default/web", protocol);
        p.spdy = spdy_new();
        p.in_websocket = true;
    } else {
        spdy_begin(&p, "/portForward/default/web", protocol);
    }
    for (uint32_t i = 0; i < 15; i++) { /* fifteen connections at once */
        char id[8];
        snprintf(id, sizeof id, "%u", i);
        syn(&p, 4 * i + 1, "error", port_text, id, true);
        syn(&p, 4 * i + 3, "data", port_text, id, false);
        data(&p, 4 * i + 3, str_of(id), false);
    }
    for (uint32_t i = 0; i < 15; i++)
        data(&p, 4 * i + 3, S(" and more"), true);
    for (uint32_t i = 0; i < 15; i++) {
        char want[32];
        snprintf(want, sizeof want, "%u and more", i);
        T_OK(collect(&p, &g, 4 * i + 1));
        T_EQ_STR(strbuf_str(&g.by_id[4 * i + 3]), want);
        T_EQ_INT(g.by_id[4 * i + 1].len, 0);
    }
    got_free(&g);
    g = (struct got){0};
    shutdown(echo_fd, SHUT_RDWR);
    pthread_join(t, NULL);
    close(echo_fd);
    /* nobody listens there now */
    syn(&p, 61, "error", port_text, "x", true);
    syn(&p, 63, "data", port_text, "x", false);
    T_OK(collect(&p, &g, 61));
    T_OK(str_find(strbuf_str(&g.by_id[61]), S("Connection refused")) > 0);
    got_free(&g);
    g = (struct got){0};
    /* a pod that has gone: not the host's port instead */
    fake.no_sandbox = true;
    syn(&p, 65, "error", port_text, "y", true);
    syn(&p, 67, "data", port_text, "y", false);
    T_OK(collect(&p, &g, 65));
    T_OK(str_find(strbuf_str(&g.by_id[65]), S("sandbox does not run")) > 0);
    fake.no_sandbox = false;
    got_free(&g);
    peer_close(&p);
}

/* Says a word and ends, whatever the other side does. */
static void *word_serve(void *arg UNUSED)
{
    for (int fd; (fd = accept(echo_fd, NULL, NULL)) >= 0; close(fd)) {
        char buf[16];
        err_ignore((int)recv(fd, buf, sizeof buf, 0), "the question does not matter");
        err_ignore((int)send(fd, "word", 4, MSG_NOSIGNAL), "the client looks");
    }
    return NULL;
}

/* kubectl waits for the end of the error stream before it closes its side: both must not wait for each other. */
TEST(forward_ends_with_the_port)
{
    setup();
    uint16_t port;
    struct err err;
    pthread_t t;
    char port_text[8];
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &echo_fd, &port, &err), &err);
    fcntl(echo_fd, F_SETFL, 0);
    pthread_create(&t, NULL, word_serve, NULL);
    snprintf(port_text, sizeof port_text, "%u", port);
    struct peer p;
    struct got g = {0};
    spdy_begin(&p, "/portForward/default/web", "portforward.k8s.io");
    syn(&p, 1, "error", port_text, "0", true);
    syn(&p, 3, "data", port_text, "0", false);
    data(&p, 3, S("?"), false); /* and it stays open */
    T_OK(collect(&p, &g, 1));
    T_EQ_STR(strbuf_str(&g.by_id[3]), "word");
    T_EQ_INT(g.by_id[1].len, 0);
    got_free(&g);
    shutdown(echo_fd, SHUT_RDWR);
    pthread_join(t, NULL);
    close(echo_fd);
    peer_close(&p);
    teardown();
}

TEST(forward_over_spdy)
{
    setup();
    forward_with("portforward.k8s.io", false);
    teardown();
}

TEST(forward_over_websocket)
{
    setup();
    forward_with("SPDY/3.1+portforward.k8s.io", true);
    teardown();
}

/* The server stops while things run. */
TEST(stop_ends_sessions)
{
    setup();
    struct peer a, b;
    spdy_begin(&a, "/exec/default/web/c?command=sleep&command=1000&output=1", "v4.channel.k8s.io");
    syn(&a, 1, "error", NULL, NULL, false);
    syn(&a, 3, "stdout", NULL, NULL, false);
    log_line("x");
    open_as(&b, fx.admin, fx.admin_key);
    T_EQ_INT(head(&b, "GET /containerLogs/default/web/c?follow=true HTTP/1.1\r\nHost: n\r\n\r\n", NULL), 200);
    teardown();
    peer_close(&a);
    peer_close(&b);
}

TEST_MAIN(who_may_ask, logs, exec_over_spdy, exec_holds_back, exec_over_websocket, terminal, forward_ends_with_the_port, forward_over_spdy, forward_over_websocket, stop_ends_sessions)
