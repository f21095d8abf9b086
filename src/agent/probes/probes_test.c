/* probes_test.c - when probes run and what becomes of their results (in virtual time), and what they say over the network (with servers of this process). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/probes/probes.h"

#include <errno.h>
#include <netinet/in.h>
#include <nghttp2/nghttp2.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/probes/probe_handler.h"
#include "base/test.h"
#include "base/vec.h"
#include "rt/thread.h"
#include "rt/tls.h"

#define PATIENCE_NS (120 * NSEC_PER_SEC)

/* --- a world in which time stands still ---------------------------------------------------------------------- */

struct world {
    struct clock_fake clock;
    struct loop *loop;
    struct probes *probes;
    struct arena arena;
    struct loop_msg stop;
    struct strbuf log; /* results, one a line */
    VEC(struct probe_exec *) away;
    void (*away_done)(struct probe_exec *x);
    size_t execs;
    struct probe_set *stop_in_result;
    struct loop_timer alarm;
    bool is_real, hook_done, hook_ok;
    char hook_message[1200];
};

static void world_exec(void *arg, str id, struct probe_exec *x, void (*done)(struct probe_exec *x))
{
    struct world *w = arg;
    T_EQ_STR(id, "process://1");
    w->execs++;
    vec_push(&w->away, x);
    w->away_done = done;
}

static void world_result(void *arg, struct probe_set *set, enum probe_kind kind, enum probe_verdict verdict, bool failed, str message)
{
    struct world *w = arg;
    T_OK(probe_set_owner(set) == w);
    T_EQ_INT(probe_set_verdict(set, kind), verdict);
    strbuf_addf(&w->log, "%c%s%s" STR_FMT "\n", "slr"[kind], verdict == PROBE_OK ? " ok" : verdict == PROBE_BAD ? " bad" : " ?", failed ? " " : "", STR_ARG(message));
    if (w->stop_in_result == set) {
        w->stop_in_result = NULL;
        probe_set_stop(set);
    }
}

static void stop_loop(struct loop_msg *m)
{
    loop_stop(container_of(m, struct world, stop)->loop);
}

static struct world *world_new(bool real)
{
    struct world *w = xnew(struct world);
    struct err err = ERR_NONE;
    signal(SIGPIPE, SIG_IGN);
    clock_fake_init(&w->clock, 1700000000 * NSEC_PER_SEC);
    w->loop = loop_new("test", real ? &clock_real : &w->clock.clock, &err);
    w->is_real = real;
    w->stop.fn = stop_loop;
    w->probes = probes_new(&(struct probes_opts){.loop = w->loop, .exec = world_exec, .result = world_result, .arg = w});
    return w;
}

static void world_free(struct world *w)
{
    probes_free(w->probes);
    loop_free(w->loop);
    arena_fini(&w->arena);
    strbuf_fini(&w->log);
    vec_fini(&w->away);
    free(w);
}

/* Moves the clock and lets the loop do what is due. */
static void pass(struct world *w, nsec_t ns)
{
    clock_fake_advance(&w->clock, ns);
    loop_post(w->loop, &w->stop);
    loop_run(w->loop);
}

static void answer(struct world *w, int exit_code, const char *output)
{
    T_EQ_INT(w->away.len, 1);
    if (!w->away.len)
        return;
    struct probe_exec *x = vec_pop(&w->away);
    x->worked = true;
    x->exit_code = exit_code;
    x->output = str_of(output);
    w->away_done(x);
    pass(w, 0);
}

static struct probe_set *start(struct world *w, const char *container)
{
    struct json *pod = arena_new(&w->arena, struct json), *c = arena_new(&w->arena, struct json);
    *pod = json_literal(&w->arena, "{}");
    *c = json_literal(&w->arena, container);
    pass(w, 0);
    return probe_set_start(w->probes, pod, c, S("process://1"), S("127.0.0.1"), w);
}

static void expect_log(struct world *w, const char *want)
{
    T_EQ_STR(strbuf_str(&w->log), want);
    strbuf_clear(&w->log);
}

/* A second is more than the spread of first tries. */
#define SEC NSEC_PER_SEC

TEST(thresholds_count_in_a_row)
{
    struct world *w = world_new(false);
    struct probe_set *s = start(w, "{\"readinessProbe\":{\"exec\":{\"command\":[\"t\"]},\"initialDelaySeconds\":5,\"periodSeconds\":3,\"successThreshold\":2,\"failureThreshold\":2}}");
    pass(w, 4 * SEC);
    T_EQ_INT(w->execs, 0);
    pass(w, 2 * SEC);
    T_EQ_INT(w->execs, 1);
    pass(w, 10 * SEC); /* one try at a time */
    T_EQ_INT(w->execs, 1);
    answer(w, 0, "");
    T_EQ_INT(probe_set_verdict(s, PROBE_READINESS), PROBE_UNKNOWN);
    expect_log(w, "");
    T_EQ_INT(w->execs, 2); /* that try took longer than a period */
    answer(w, 0, "");
    expect_log(w, "r ok\n");
    pass(w, 2 * SEC);
    T_EQ_INT(w->execs, 2);
    pass(w, 1 * SEC);
    answer(w, 1, "no\n");
    expect_log(w, "r ok Readiness probe failed: no\n");
    pass(w, 3 * SEC);
    answer(w, 0, "");
    pass(w, 3 * SEC);
    answer(w, 1, "");
    pass(w, 3 * SEC);
    answer(w, 7, "gone");
    expect_log(w, "r ok Readiness probe failed: \nr bad Readiness probe failed: gone\n");
    pass(w, 3 * SEC); /* readiness goes on for ever */
    answer(w, 0, "");
    expect_log(w, "");
    pass(w, 3 * SEC);
    answer(w, 0, "");
    expect_log(w, "r ok\n");
    probe_set_stop(s);
    world_free(w);
}

TEST(startup_comes_first)
{
    struct world *w = world_new(false);
    struct probe_set *s = start(w, "{\"startupProbe\":{\"exec\":{\"command\":[\"s\"]},\"periodSeconds\":1},\"livenessProbe\":{\"exec\":{\"command\":[\"l\"]},\"initialDelaySeconds\":4},"
                                   "\"readinessProbe\":{\"exec\":{\"command\":[\"r\"]}}}");
    pass(w, SEC);
    T_EQ_INT(w->execs, 1);
    answer(w, 1, "x");
    expect_log(w, "s ? Startup probe failed: x\n");
    pass(w, SEC);
    T_EQ_INT(w->execs, 2);
    answer(w, 0, "");
    expect_log(w, "s ok\n");
    T_EQ_INT(w->execs, 3); /* readiness at once */
    T_OK(strcmp(w->away.p[0]->argv[0], "r") == 0);
    answer(w, 0, "");
    expect_log(w, "r ok\n");
    pass(w, SEC);
    T_EQ_INT(w->execs, 3); /* liveness not yet: its delay counts from the container's start */
    pass(w, SEC);
    T_EQ_INT(w->execs, 4);
    T_OK(strcmp(w->away.p[0]->argv[0], "l") == 0);
    answer(w, 0, "");
    expect_log(w, "l ok\n");
    probe_set_stop(s);
    world_free(w);
}

TEST(liveness_that_failed_is_on_hold)
{
    struct world *w = world_new(false);
    struct probe_set *s = start(w, "{\"livenessProbe\":{\"exec\":{\"command\":[\"l\"]},\"periodSeconds\":1,\"failureThreshold\":2}}");
    pass(w, SEC);
    answer(w, 1, "");
    pass(w, SEC);
    answer(w, 1, "");
    expect_log(w, "l ? Liveness probe failed: \nl bad Liveness probe failed: \n");
    pass(w, 100 * SEC);
    T_EQ_INT(w->execs, 2);
    probe_set_stop(s);
    world_free(w);
}

TEST(verdicts_are_assumed)
{
    struct world *w = world_new(false);
    struct probe_set *s = start(w, "{\"startupProbe\":{\"exec\":{\"command\":[\"s\"]}},\"readinessProbe\":{\"exec\":{\"command\":[\"r\"]},\"failureThreshold\":1}}");
    probe_set_assume(s, PROBE_STARTUP, PROBE_OK);
    probe_set_assume(s, PROBE_READINESS, PROBE_OK);
    probe_set_assume(s, PROBE_LIVENESS, PROBE_OK); /* there is none */
    T_EQ_INT(probe_set_verdict(s, PROBE_READINESS), PROBE_OK);
    T_EQ_INT(probe_set_verdict(s, PROBE_LIVENESS), PROBE_UNKNOWN);
    pass(w, SEC);
    T_EQ_INT(w->execs, 1);
    T_OK(strcmp(w->away.p[0]->argv[0], "r") == 0);
    answer(w, 0, "");
    expect_log(w, ""); /* nothing new */
    pass(w, 10 * SEC);
    answer(w, 1, "");
    expect_log(w, "r bad Readiness probe failed: \n");
    probe_set_stop(s);
    world_free(w);
}

TEST(sets_can_be_stopped_at_any_time)
{
    struct world *w = world_new(false);
    static const char *const spec = "{\"livenessProbe\":{\"exec\":{\"command\":[\"l\",\"with\",\"arguments\"]},\"failureThreshold\":1}}";
    probe_set_stop(start(w, spec)); /* before the first try */
    pass(w, SEC);
    T_EQ_INT(w->execs, 0);
    struct probe_set *s = start(w, spec);
    pass(w, SEC);
    T_EQ_INT(w->away.len, 1);
    probe_set_stop(s); /* while one is away: its memory must last */
    T_OK(strcmp(w->away.p[0]->argv[2], "arguments") == 0);
    answer(w, 1, "late");
    expect_log(w, "");
    s = start(w, spec);
    pass(w, SEC);
    w->stop_in_result = s; /* from inside the callback */
    answer(w, 1, "");
    expect_log(w, "l bad Liveness probe failed: \n");
    probe_set_stop(NULL);
    world_free(w);
}

TEST(handlers_are_read)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json c = json_literal(&a, "{\"name\":\"web\",\"ports\":[{\"name\":\"http\",\"containerPort\":8080},{\"containerPort\":9}]}");
    static const struct { const char *handler; enum handler_kind kind; int port; const char *problem; } cases[] = {
        {"{\"httpGet\":{\"port\":\"http\",\"path\":\"x y\",\"scheme\":\"HTTPS\",\"httpHeaders\":[{\"name\":\"A\",\"value\":\"b\"},{\"name\":\"bad name\",\"value\":\"b\"},{\"name\":\"C\",\"value\":\"d\\r\\ne\"}]}}",
         HANDLER_HTTP, 8080, ""},
        {"{\"httpGet\":{\"port\":80,\"host\":\"10.9.9.9\"}}", HANDLER_HTTP, 80, ""},
        {"{\"tcpSocket\":{\"port\":\"81\"}}", HANDLER_TCP, 81, ""},
        {"{\"grpc\":{\"port\":50051,\"service\":\"s\"}}", HANDLER_GRPC, 50051, ""},
        {"{\"tcpSocket\":{\"port\":\"none\"}}", HANDLER_TCP, 0, "couldn't find port: none for container web"},
        {"{\"tcpSocket\":{\"port\":70000}}", HANDLER_TCP, 0, "couldn't find port: 70000 for container web"},
        {"{\"exec\":{\"command\":[\"a\",\"b\"]}}", HANDLER_EXEC, 0, ""},
        {"{\"exec\":{}}", HANDLER_EXEC, 0, "it has no command"},
        {"{\"sleep\":{\"seconds\":3}}", HANDLER_SLEEP, 0, ""},
        {"{}", HANDLER_NONE, 0, "missing probe handler"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_literal(&a, cases[i].handler);
        struct probe_handler h;
        probe_handler_parse(&a, &c, &v, S("10.0.0.1"), &h);
        T_EQ_INT(h.kind, cases[i].kind);
        T_EQ_INT(h.port, cases[i].port);
        T_EQ_STR(h.problem, cases[i].problem);
        if (i == 0) {
            T_OK(h.tls && strcmp(h.path, "/x%20y") == 0 && strcmp(h.host, "10.0.0.1") == 0);
            T_EQ_INT(h.nheaders, 1);
        }
        if (i == 1)
            T_OK(strcmp(h.host, "10.9.9.9") == 0 && !h.tls && strcmp(h.path, "/") == 0);
    }
    T_EQ_STR(probe_handler_address(&a, "fd00::1", 80), "[fd00::1]:80");
}

TEST(a_probe_that_cannot_run_fails)
{
    struct world *w = world_new(false);
    struct probe_set *s = start(w, "{\"name\":\"c\",\"readinessProbe\":{\"tcpSocket\":{\"port\":\"http\"},\"failureThreshold\":1}}");
    pass(w, SEC);
    pass(w, 0);
    expect_log(w, "r bad Readiness probe failed: couldn't find port: http for container c\n");
    probe_set_stop(s);
    world_free(w);
}

/* --- hooks ---------------------------------------------------------------------------------------------------- */

static void on_hook(void *arg, bool worked, str message)
{
    struct world *w = arg;
    w->hook_done = true;
    w->hook_ok = worked;
    snprintf(w->hook_message, sizeof w->hook_message, STR_FMT, STR_ARG(message));
    if (w->is_real) /* in virtual time the loop runs one turn at a time anyway */
        loop_stop(w->loop);
}

static struct hook_run *hook(struct world *w, const char *handler, nsec_t timeout_ns)
{
    struct json *v = arena_new(&w->arena, struct json), *c = arena_new(&w->arena, struct json);
    *v = json_literal(&w->arena, handler);
    *c = json_literal(&w->arena, "{\"name\":\"c\"}");
    w->hook_done = false;
    struct hook_run *h = hook_start(w->probes, c, c, v, S("process://1"), S("127.0.0.1"), timeout_ns, on_hook, w);
    T_OK(!w->hook_done); /* not inside */
    return h;
}

TEST(hooks_run_once)
{
    struct world *w = world_new(false);
    pass(w, 0);
    hook(w, "{\"exec\":{\"command\":[\"sh\",\"-c\",\"x\"]}}", 0);
    T_OK(w->away.p[0]->timeout_ns > 3600 * SEC);
    answer(w, 0, "fine");
    T_OK(w->hook_done && w->hook_ok && !w->hook_message[0]);
    hook(w, "{\"exec\":{\"command\":[\"sh\",\"-c\",\"x\"]}}", SEC);
    T_EQ_INT(w->away.p[0]->timeout_ns, SEC);
    answer(w, 3, "broken");
    T_OK(w->hook_done && !w->hook_ok);
    T_EQ_STR(str_of(w->hook_message), "command 'sh -c x' failed: broken");
    hook(w, "{\"sleep\":{\"seconds\":3}}", 10 * SEC);
    pass(w, 2 * SEC);
    T_OK(!w->hook_done);
    pass(w, SEC);
    T_OK(w->hook_done && w->hook_ok);
    hook(w, "{\"sleep\":{\"seconds\":30}}", 2 * SEC); /* longer than there is time */
    pass(w, 2 * SEC);
    T_OK(w->hook_done && !w->hook_ok);
    hook_cancel(hook(w, "{\"sleep\":{\"seconds\":1}}", 0));
    pass(w, 2 * SEC);
    T_OK(!w->hook_done);
    hook_cancel(NULL);
    world_free(w);
}

/* --- the network: servers on threads, the real clock ------------------------------------------------------------- */

struct server {
    int fd;
    uint16_t port;
    struct thread thread;
    struct tls_server *tls;
    const char *const *replies; /* one a connection; the last for all that follow */
    size_t nreplies;
    char request[4096]; /* of the last connection */
    int health;         /* gRPC: status in the answer; -1: unimplemented */
};

static void server_start(struct server *s, void (*run)(void *arg))
{
    struct err err = ERR_NONE;
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof where;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BUG_ON(bind(s->fd, (struct sockaddr *)&where, sizeof where) < 0 || listen(s->fd, 16) < 0 || getsockname(s->fd, (struct sockaddr *)&where, &len) < 0);
    s->port = ntohs(where.sin_port);
    T_NO_ERR(thread_start(&s->thread, "server", run, s, &err), &err);
}

static void server_stop(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    thread_join(&s->thread);
    close(s->fd);
}

/* Reads a head and sends the next reply; an empty reply: waits until the client has gone. */
static void serve_http(void *arg)
{
    struct server *s = arg;
    size_t n = 0;
    for (int fd; (fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd)) {
        struct tls_session *t = s->tls ? tls_accept(s->tls, fd) : NULL;
        size_t len = 0, got;
        if (t && tls_handshake(t) != TLS_IO_OK) {
            tls_session_free(t);
            continue;
        }
        do {
            got = 0;
            ssize_t r = t ? (tls_read(t, s->request + len, sizeof s->request - 1 - len, &got) == TLS_IO_OK ? (ssize_t)got : 0) : recv(fd, s->request + len, sizeof s->request - 1 - len, 0);
            if (r <= 0)
                break;
            len += (size_t)r;
            s->request[len] = 0;
        } while (s->request[0] == 'G' && !strstr(s->request, "\r\n\r\n")); /* a TLS hello gets its answer at once, too */
        str reply = str_of(s->replies[MIN(n, s->nreplies - 1)]);
        n++;
        if (t)
            err_ignore(tls_write(t, reply.p, reply.len, &got), "a client that has gone");
        else if (reply.len)
            err_ignore(send(fd, reply.p, reply.len, MSG_NOSIGNAL), "a client that has gone");
        char rest[16];
        if (!reply.len)
            err_ignore(recv(fd, rest, sizeof rest, 0), "its end");
        tls_session_free(t);
    }
}

static void on_alarm(struct loop_timer *t)
{
    struct world *w = container_of(t, struct world, alarm);
    T_FAIL_("nothing happened for two minutes");
    loop_stop(w->loop);
}

/* Runs a handler to its end. */
static void run(struct world *w, nsec_t timeout_ns, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void run(struct world *w, nsec_t timeout_ns, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    loop_post(w->loop, &w->stop); /* the loop's clock must be of now */
    loop_run(w->loop);
    w->alarm.fire = on_alarm;
    loop_timer_set(w->loop, &w->alarm, loop_now(w->loop) + PATIENCE_NS);
    struct hook_run *h = hook(w, text, timeout_ns);
    loop_run(w->loop);
    loop_timer_stop(w->loop, &w->alarm);
    if (!w->hook_done)
        hook_cancel(h);
}

static void expect_hook(struct world *w, bool ok, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void expect_hook(struct world *w, bool ok, const char *fmt, ...)
{
    char want[1024];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(want, sizeof want, fmt, ap);
    va_end(ap);
    T_EQ_INT(w->hook_ok, ok);
    T_EQ_STR(str_of(w->hook_message), want);
}

#define OK_REPLY "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

TEST(http_says_what_the_status_is)
{
    struct world *w = world_new(true);
    static const char *const replies[] = {OK_REPLY, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n", "HTTP/1.0 204 None\r\n\r\n", "HTTP/1.1 404 No\r\n\r\nuntil the end", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\ncut", "garbage",
                                          "HTTP/1.1 302 Found\r\nLocation: http://10.255.255.1/other\r\nContent-Length: 0\r\n\r\n", OK_REPLY};
    struct server s = {.replies = replies, .nreplies = ARRAY_LEN(replies)};
    server_start(&s, serve_http);
    const char *get = "{\"httpGet\":{\"port\":%u,\"path\":\"/health?x=1\",\"httpHeaders\":[{\"name\":\"X-A\",\"value\":\"b\"}]}}";
    run(w, PATIENCE_NS, get, s.port);
    expect_hook(w, true, "%s", "");
    T_OK(strstr(s.request, "GET /health?x=1 HTTP/1.1\r\n") && strstr(s.request, "\r\nX-A: b\r\n") && strstr(s.request, "\r\nUser-Agent: kube-probe/1.33\r\n") && strstr(s.request, "\r\nAccept: */*\r\n"));
    run(w, PATIENCE_NS, get, s.port);
    expect_hook(w, false, "HTTP probe failed with statuscode: 500");
    run(w, PATIENCE_NS, get, s.port);
    expect_hook(w, true, "%s", "");
    run(w, PATIENCE_NS, get, s.port);
    expect_hook(w, false, "HTTP probe failed with statuscode: 404");
    run(w, PATIENCE_NS, get, s.port); /* the body is cut off: the status is what counts */
    expect_hook(w, true, "%s", "");
    run(w, PATIENCE_NS, get, s.port);
    T_OK(!w->hook_ok && strstr(w->hook_message, "Get \"http://127.0.0.1:"));
    run(w, PATIENCE_NS, get, s.port); /* to another host: that is an answer */
    expect_hook(w, true, "%s", "");
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"httpHeaders\":[{\"name\":\"Host\",\"value\":\"web.example\"},{\"name\":\"User-Agent\",\"value\":\"me\"},{\"name\":\"Accept\",\"value\":\"\"}]}}", s.port);
    expect_hook(w, true, "%s", "");
    T_OK(strstr(s.request, "Host: web.example\r\n") && strstr(s.request, "User-Agent: me\r\n") && !strstr(s.request, "Accept") && !strstr(s.request, "kube-probe"));
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"host\":\"localhost\"}}", s.port); /* a name */
    expect_hook(w, true, "%s", "");
    server_stop(&s);
    world_free(w);
}

TEST(http_follows_redirects_on_the_host)
{
    struct world *w = world_new(true);
    static const char *const replies[] = {"HTTP/1.1 301 Moved\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 307 Again\r\nLocation: /again\r\nContent-Length: 0\r\n\r\n"};
    struct server s = {.replies = replies, .nreplies = ARRAY_LEN(replies)};
    server_start(&s, serve_http);
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u}}", s.port);
    expect_hook(w, false, "HTTP probe failed with statuscode: 503");
    T_OK(strstr(s.request, "GET /there ") == s.request);
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u}}", s.port);
    expect_hook(w, false, "Get \"http://127.0.0.1:%u/again\": stopped after 10 redirects", s.port);
    server_stop(&s);
    world_free(w);
}

TEST(https_verifies_nothing)
{
    struct world *w = world_new(true);
    static const char *const replies[] = {OK_REPLY, "HTTP/1.1 500 Oops\r\nContent-Length: 0\r\n\r\n"};
    struct server s = {.replies = replies, .nreplies = ARRAY_LEN(replies)}, plain = s;
    struct err err = ERR_NONE;
    char *cert, *key;
    nsec_t now = clock_wall(&clock_real);
    struct tls_cert_request q = {.common_name = "nobody knows me", .for_server = true, .not_before = now - 10 * NSEC_PER_SEC, .not_after = now - NSEC_PER_SEC};
    T_NO_ERR(tls_cert_make(&q, NULL, NULL, &cert, &key, &err), &err);
    T_NO_ERR(tls_server_new(cert, key, NULL, &s.tls, &err), &err);
    server_start(&s, serve_http);
    server_start(&plain, serve_http);
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"scheme\":\"HTTPS\"}}", s.port);
    expect_hook(w, true, "%s", "");
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"scheme\":\"HTTPS\"}}", s.port);
    expect_hook(w, false, "HTTP probe failed with statuscode: 500");
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"scheme\":\"HTTPS\"}}", plain.port);
    T_OK(!w->hook_ok && strstr(w->hook_message, "Get \"https://127.0.0.1:"));
    server_stop(&s);
    server_stop(&plain);
    tls_server_free(s.tls);
    free(cert);
    free(key);
    world_free(w);
}

/* A port on which nobody listens: bound, and given back only at the end. */
static uint16_t closed_port(int *ret_fd)
{
    struct sockaddr_in where = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof where;
    *ret_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    BUG_ON(bind(*ret_fd, (struct sockaddr *)&where, sizeof where) < 0 || getsockname(*ret_fd, (struct sockaddr *)&where, &len) < 0);
    return ntohs(where.sin_port);
}

TEST(tcp_and_what_goes_wrong)
{
    struct world *w = world_new(true);
    static const char *const replies[] = {""};
    struct server s = {.replies = replies, .nreplies = 1};
    int fd;
    uint16_t closed = closed_port(&fd);
    server_start(&s, serve_http);
    run(w, PATIENCE_NS, "{\"tcpSocket\":{\"port\":%u}}", s.port);
    expect_hook(w, true, "%s", "");
    run(w, PATIENCE_NS, "{\"tcpSocket\":{\"port\":%u}}", closed);
    expect_hook(w, false, "dial tcp 127.0.0.1:%u: connect: connection refused", closed);
    run(w, PATIENCE_NS, "{\"httpGet\":{\"port\":%u,\"path\":\"/x\"}}", closed);
    expect_hook(w, false, "Get \"http://127.0.0.1:%u/x\": dial tcp 127.0.0.1:%u: connect: connection refused", closed, closed);
    run(w, PATIENCE_NS, "{\"grpc\":{\"port\":%u}}", closed);
    expect_hook(w, false, "failed to connect service \"127.0.0.1:%u\": dial tcp 127.0.0.1:%u: connect: connection refused", closed, closed);
    run(w, 50 * NSEC_PER_MSEC, "{\"httpGet\":{\"port\":%u}}", s.port); /* connected, but no answer ever */
    expect_hook(w, false, "Get \"http://127.0.0.1:%u/\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)", s.port);
    hook_cancel(hook(w, arena_fmt(&w->arena, "{\"httpGet\":{\"port\":%u}}", s.port).p, PATIENCE_NS));
    server_stop(&s);
    close(fd);
    world_free(w);
}

/* --- gRPC ------------------------------------------------------------------------------------------------------- */

static ssize_t grpc_body(nghttp2_session *session, int32_t id, uint8_t *buf, size_t max UNUSED, uint32_t *flags, nghttp2_data_source *source, void *arg UNUSED)
{
    const struct server *s = source->ptr;
    const uint8_t message[7] = {0, 0, 0, 0, 2, 8, (uint8_t)s->health};
    nghttp2_nv trailer = {(uint8_t *)(uintptr_t)"grpc-status", (uint8_t *)(uintptr_t)"0", 11, 1, 0};
    memcpy(buf, message, sizeof message);
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_trailer(session, id, &trailer, 1);
    return sizeof message;
}

static int grpc_frame(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct server *s = arg;
    nghttp2_nv head[] = {{(uint8_t *)(uintptr_t)":status", (uint8_t *)(uintptr_t)"200", 7, 3, 0},
                         {(uint8_t *)(uintptr_t)"content-type", (uint8_t *)(uintptr_t)"application/grpc", 12, 16, 0},
                         {(uint8_t *)(uintptr_t)"grpc-status", (uint8_t *)(uintptr_t)"12", 11, 2, 0},
                         {(uint8_t *)(uintptr_t)"grpc-message", (uint8_t *)(uintptr_t)"unknown service", 12, 15, 0}};
    nghttp2_data_provider body = {.source.ptr = s, .read_callback = grpc_body};
    if (frame->hd.type != NGHTTP2_DATA || !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    return s->health < 0 ? nghttp2_submit_response(session, frame->hd.stream_id, head, 4, NULL) : nghttp2_submit_response(session, frame->hd.stream_id, head, 2, &body);
}

static int grpc_chunk(nghttp2_session *session UNUSED, uint8_t flags UNUSED, int32_t id UNUSED, const uint8_t *data, size_t len, void *arg)
{
    struct server *s = arg;
    memcpy(s->request, data, MIN(len, sizeof s->request));
    return 0;
}

static ssize_t grpc_send(nghttp2_session *session UNUSED, const uint8_t *data, size_t len, int flags UNUSED, void *arg)
{
    struct server *s = arg;
    ssize_t n = send((int)s->nreplies, data, len, MSG_NOSIGNAL); /* nreplies holds the connection here */
    return n < 0 ? NGHTTP2_ERR_CALLBACK_FAILURE : n;
}

static void serve_grpc(void *arg)
{
    struct server *s = arg;
    for (int fd; (fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0; close(fd)) {
        nghttp2_session_callbacks *cb;
        nghttp2_session *session;
        char buf[4096];
        s->nreplies = (size_t)fd;
        nghttp2_session_callbacks_new(&cb);
        nghttp2_session_callbacks_set_on_frame_recv_callback(cb, grpc_frame);
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, grpc_chunk);
        nghttp2_session_callbacks_set_send_callback(cb, grpc_send);
        nghttp2_session_server_new(&session, cb, s);
        nghttp2_session_callbacks_del(cb);
        nghttp2_submit_settings(session, 0, NULL, 0);
        for (ssize_t n; nghttp2_session_send(session) == 0 && (n = recv(fd, buf, sizeof buf, 0)) > 0;) {
            if (nghttp2_session_mem_recv(session, (const uint8_t *)buf, (size_t)n) < 0)
                break;
        }
        nghttp2_session_del(session);
    }
}

TEST(grpc_health_is_asked)
{
    struct world *w = world_new(true);
    static const char *const garbage[] = {"HTTP/1.1 400 Bad Request\r\n\r\n"};
    struct server s = {.health = 1}, other = {.replies = garbage, .nreplies = 1};
    server_start(&s, serve_grpc);
    run(w, PATIENCE_NS, "{\"grpc\":{\"port\":%u,\"service\":\"svc\"}}", s.port);
    expect_hook(w, true, "%s", "");
    T_OK(memcmp(s.request, "\0\0\0\0\5\x0a\3svc", 10) == 0);
    s.health = 2;
    run(w, PATIENCE_NS, "{\"grpc\":{\"port\":%u}}", s.port);
    expect_hook(w, false, "service unhealthy (responded with \"NOT_SERVING\")");
    T_OK(memcmp(s.request, "\0\0\0\0\0", 5) == 0);
    s.health = -1;
    run(w, PATIENCE_NS, "{\"grpc\":{\"port\":%u}}", s.port);
    expect_hook(w, false, "this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service");
    server_stop(&s);
    server_start(&other, serve_http);
    run(w, PATIENCE_NS, "{\"grpc\":{\"port\":%u}}", other.port);
    T_OK(!w->hook_ok && w->hook_message[0]);
    server_stop(&other);
    world_free(w);
}

TEST_MAIN(thresholds_count_in_a_row, startup_comes_first, liveness_that_failed_is_on_hold, verdicts_are_assumed, sets_can_be_stopped_at_any_time, handlers_are_read, a_probe_that_cannot_run_fails,
          hooks_run_once, http_says_what_the_status_is, http_follows_redirects_on_the_host, https_verifies_nothing, tcp_and_what_goes_wrong, grpc_health_is_asked)
