/* test_https.h - what the tests of the HTTPS transport share: a server on a thread of its own, and a component that asks.
 *
 * The server is src/http, HTTP/2 and HTTP/1.1 over TLS and over a Unix socket.  The transport's loop runs on the test's thread
 * until what the test waits for has happened.
 *     server_start(0);  begin(url, false);  ask(&a);  run_until(1, 0);  ...  finish();  server_stop();  cleanup();
 * Threads: everything on the test's thread but the handlers, which run on the server's; WAIT_FOR and RUN_UNTIL look across. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <signal.h>
#include <sys/socket.h>

#include "client/test_server.h"
#include "client/transport_https.h"
#include "http/server.h"

#define PATIENCE_NS (120 * NSEC_PER_SEC)

/* --- the server ----------------------------------------------------------------------------------------- */

struct server {
    struct loop *loop;
    struct thread thread;
    struct http_server *http;
    struct tls_server *tls;
    uint16_t port;
    _Atomic int handled, gone, done;
    struct http_request *held; /* a watch that goes on, or a call without an answer; the server's loop */
    struct loop_msg msg;
    void (*on_loop)(struct server *s);
    _Atomic bool ran;
};
static struct server srv;
static char *ca, *ca_key, *client_cert, *client_key;
static char dir[64], socket_path[96], url[128], unix_url[128];
static struct err err;

static inline void respond(struct http_request *req, int status, str body)
{
    http_respond(req, &(struct http_response){.status = status, .content_type = S("application/json"), .body = body});
}

static inline void handle_echo(struct http_request *req)
{
    str user = req->peer ? req->peer->common_name : S("nobody");
    respond(req, 200,
            arena_fmt(req->arena, STR_FMT " " STR_FMT "?" STR_FMT " h2=%d user=" STR_FMT " auth=" STR_FMT " as=" STR_FMT " type=" STR_FMT " agent=" STR_FMT " body=" STR_FMT,
                      STR_ARG(req->method), STR_ARG(req->path), STR_ARG(req->query), req->is_http2, STR_ARG(user), STR_ARG(http_header_get(req, S("authorization"))),
                      STR_ARG(http_header_get(req, S("impersonate-user"))), STR_ARG(http_header_get(req, S("content-type"))), STR_ARG(http_header_get(req, S("user-agent"))),
                      STR_ARG(req->body)));
}

static inline void handle_size(struct http_request *req)
{
    respond(req, 201, arena_fmt(req->arena, "%zu", req->body.len));
}

static inline void handle_big(struct http_request *req)
{
    struct strbuf b = strbuf_on(req->arena);
    for (uint32_t i = 0; i < 400000; i++)
        strbuf_addf(&b, "%07u,", i);
    respond(req, 200, strbuf_str(&b));
}

static inline void held_gone(struct http_request *req)
{
    srv.held = NULL;
    srv.gone++;
    http_abort(req);
}

static inline void handle_hang(struct http_request *req)
{
    req->on_gone = held_gone;
    srv.held = req;
}

static inline void send_event(struct http_request *req, str text)
{
    struct http_buf *b = http_buf_new(text);
    T_OK(http_stream_write(req, b, SIZE_MAX));
    http_buf_unref(b);
}

/* Two events in awkward pieces, then it goes on. */
static inline void handle_watch(struct http_request *req)
{
    req->on_gone = held_gone;
    http_stream_start(req, &(struct http_response){.status = 200, .content_type = S("application/json")});
    send_event(req, S("{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"8\"}}}\n{\"type\":\"MODI"));
    send_event(req, S("FIED\",\"object\":{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"9\"}}}\n"));
    srv.held = req;
}

/* Two events and the end, the last one without its newline. */
static inline void handle_short_watch(struct http_request *req)
{
    respond(req, 200, S("{\"n\":1}\n\n{\"n\":2}"));
}

static inline void handle_list(struct http_request *req)
{
    str watch;
    if (http_query_get(req, S("watch"), &watch))
        handle_watch(req);
    else
        respond(req, 200, S("{\"kind\":\"PodList\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[{\"metadata\":{\"name\":\"z\"}}]}"));
}

static inline void endless_more(struct http_request *req)
{
    static const char dots[64 << 10] = {'.'};
    struct http_buf *b = http_buf_new(str_n(dots, sizeof dots));
    while (http_stream_write(req, b, 1 << 20))
        ;
    http_buf_unref(b);
}
static inline void handle_endless(struct http_request *req)
{
    req->on_gone = held_gone;
    req->on_writable = endless_more;
    http_stream_start(req, &(struct http_response){.status = 200});
    endless_more(req);
}

static inline void handle_gone(struct http_request *req)
{
    respond(req, 410, S("{\"kind\":\"Status\",\"code\":410}"));
}

static const struct {
    const char *path;
    void (*fn)(struct http_request *req);
} routes[] = {{"/size", handle_size},   {"/big", handle_big},     {"/hang", handle_hang},         {"/abort", http_abort},
              {"/watch", handle_watch}, {"/short", handle_short_watch}, {"/api/v1/pods", handle_list}, {"/expired", handle_gone},   {"/endless", handle_endless}};

static inline void handler(void *arg UNUSED, struct http_request *req)
{
    srv.handled++;
    for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
        if (str_is(req->path, routes[i].path)) {
            routes[i].fn(req);
            return;
        }
    }
    handle_echo(req);
}

static inline str bad_request(void *arg UNUSED, struct arena *a UNUSED, int status UNUSED, const char *why)
{
    return str_of(why);
}

static inline void run_loop(void *arg)
{
    loop_run(arg);
}

#define WAIT_FOR(cond)                                                                             \
    do {                                                                                           \
        for (int wait_i_ = 0; wait_i_ < 12000 && !(cond); wait_i_++)                               \
            usleep(10000);                                                                         \
        T_OK(cond);                                                                                \
    } while (0)

static inline void server_msg(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, msg);
    s->on_loop(s);
    s->ran = true;
}
/* Runs fn on the server's loop and waits for it. */
static inline void on_server(void (*fn)(struct server *s))
{
    srv.on_loop = fn;
    srv.ran = false;
    srv.msg.fn = server_msg;
    loop_post(srv.loop, &srv.msg);
    WAIT_FOR(srv.ran);
}

static inline char *cert_for(const char *cn, bool server, char **ret_key)
{
    static const char *const names[] = {"localhost", "api.example", NULL}, *const ips[] = {"127.0.0.1", NULL};
    nsec_t now = clock_wall(&clock_real);
    struct tls_cert_request req = {.common_name = cn, .dns_names = server ? names : NULL, .ip_addresses = server ? ips : NULL, .is_ca = !ca, .for_server = server,
                                   .for_client = ca && !server, .not_before = now - NSEC_PER_SEC, .not_after = now + 3600 * NSEC_PER_SEC};
    char *cert = NULL;
    T_NO_ERR(tls_cert_make(&req, ca, ca_key, &cert, ret_key, &err), &err);
    return cert;
}

static inline void server_start(uint32_t max_streams)
{
    if (!ca) {
        signal(SIGPIPE, SIG_IGN);
        snprintf(dir, sizeof dir, "%s", T_TMPDIR());
        snprintf(socket_path, sizeof socket_path, "%s/s", dir);
        snprintf(unix_url, sizeof unix_url, "unix:%s", socket_path);
        ca = cert_for("ca", false, &ca_key);
        client_cert = cert_for("alice", false, &client_key);
    }
    char *key, *cert = cert_for("server", true, &key);
    T_NO_ERR(tls_server_new(cert, key, ca, &srv.tls, &err), &err);
    free(cert);
    free(key);
    srv.loop = loop_new("io-0", &clock_real, &err);
    struct http_server_opts o = {.name = "test", .loops = &srv.loop, .nloops = 1, .tls = srv.tls, .handler = handler, .bad_request = bad_request, .max_streams = max_streams};
    T_NO_ERR(http_server_new(&o, &srv.http, &err), &err);
    T_NO_ERR(http_server_listen_unix(srv.http, socket_path, &err), &err);
    T_NO_ERR(http_server_listen_tls(srv.http, "127.0.0.1:0", &srv.port, &err), &err);
    snprintf(url, sizeof url, "https://127.0.0.1:%u", srv.port);
    T_NO_ERR(thread_start(&srv.thread, "io-0", run_loop, srv.loop, &err), &err);
}

static inline void on_done(void *arg UNUSED)
{
    srv.done++;
}

static inline void shut_down(struct server *s)
{
    http_server_shutdown(s->http, clock_mono(&clock_real) + NSEC_PER_SEC / 10, on_done, NULL);
}

static inline void server_stop(void)
{
    int before = srv.done;
    on_server(shut_down);
    WAIT_FOR(srv.done > before);
    loop_stop(srv.loop);
    thread_join(&srv.thread);
    http_server_free(srv.http);
    loop_free(srv.loop);
    tls_server_free(srv.tls);
    unlink(socket_path);
}

static inline void cleanup(void)
{
    free(ca);
    free(ca_key);
    free(client_cert);
    free(client_key);
    rmdir(dir);
}

/* --- the component -------------------------------------------------------------------------------------- */

struct asked {
    struct client_call call;
    struct client_watch watch;
    struct client_transport *client;
    int status;
    struct strbuf got;
    int events, ends;
    int stop_after; /* events */
    struct asked *then; /* started from done() or ended() */
    bool again_on_loss; /* status 0: ask again */
};

static struct {
    struct loop *loop;
    struct transport_https *t;
    int left; /* ends to wait for, then events */
    int events_left;
    int troubles, recoveries;
    char trouble[256];
    bool stopped, no_loop;
    struct loop_timer alarm;
} me;

static inline void check_over(void)
{
    if (me.left <= 0 && me.events_left <= 0)
        loop_stop(me.loop);
}

static inline void alarm_fire(struct loop_timer *t UNUSED)
{
    T_FAIL_("nothing happens any more: %d ends and %d events missing", me.left, me.events_left);
    fflush(stdout);
    _exit(1);
}

/* Runs the loop until so many ends and events came. */
static inline void run_until(int ends, int events)
{
    me.left += ends;
    me.events_left += events;
    me.alarm.fire = alarm_fire;
    loop_timer_set(me.loop, &me.alarm, clock_mono(&clock_real) + PATIENCE_NS);
    if (me.left > 0 || me.events_left > 0)
        loop_run(me.loop);
    loop_timer_stop(me.loop, &me.alarm);
}

static inline void on_trouble(void *owner UNUSED, const struct err *e)
{
    me.troubles++;
    snprintf(me.trouble, sizeof me.trouble, "%s", e->msg);
}
static inline void on_recovered(void *owner UNUSED)
{
    me.recoveries++;
}
static inline void on_stopped(void *arg UNUSED)
{
    me.stopped = true;
    me.left--;
    check_over();
}

static inline struct transport_https_opts options(const char *server)
{
    static struct kubeconfig_resolved kube;
    kube = (struct kubeconfig_resolved){.server = server, .ca_pem = ca, .token = "tok"};
    return (struct transport_https_opts){.kube = &kube, .loop = me.loop, .trouble = on_trouble, .recovered = on_recovered, .backoff_max_ns = NSEC_PER_SEC};
}
static inline void begin_with(struct transport_https_opts o)
{
    T_NO_ERR(transport_https_new(&o, &me.t, &err), &err);
}
static inline void begin(const char *server, bool http1)
{
    me.loop = loop_new("component", &clock_real, &err);
    struct transport_https_opts o = options(server);
    o.http1_only = http1;
    begin_with(o);
}
static inline void finish(void)
{
    transport_https_stop(me.t, on_stopped, NULL);
    run_until(1, 0);
    T_OK(me.stopped);
    transport_https_free(me.t);
    loop_free(me.loop);
}
static inline struct transport_https_stats stats(void)
{
    struct transport_https_stats s;
    transport_https_stats(me.t, &s);
    return s;
}

static inline void ask(struct asked *a);

static inline void on_answer(struct client_call *c)
{
    struct asked *a = c->owner;
    T_OK(me.no_loop || loop_is_current(c->loop));
    a->status = c->status;
    a->ends++;
    strbuf_clear(&a->got);
    strbuf_add_str(&a->got, c->response);
    if (a->again_on_loss && !c->status) {
        a->ends--;
        ask(a);
        return;
    }
    if (a->then)
        ask(a->then);
    me.left--;
    check_over();
}

static inline void on_event(struct client_watch *w, str event)
{
    struct asked *a = w->owner;
    T_OK(loop_is_current(w->loop));
    T_EQ_INT(a->ends, 0);
    strbuf_addf(&a->got, STR_FMT "|", STR_ARG(event));
    a->events++;
    if (a->events == a->stop_after)
        a->client->watch_stop(a->client, w);
    me.events_left--;
    check_over();
}

static inline void on_ended(struct client_watch *w, int status)
{
    struct asked *a = w->owner;
    a->status = status;
    a->ends++;
    if (a->then)
        ask(a->then);
    me.left--;
    check_over();
}

static inline void ask(struct asked *a)
{
    if (!a->client)
        a->client = transport_https_client(me.t);
    int before = a->ends;
    if (a->watch.path.len) {
        a->watch.loop = me.loop;
        a->watch.event = on_event;
        a->watch.ended = on_ended;
        a->watch.owner = a;
        a->client->watch(a->client, &a->watch);
    } else {
        a->call.loop = me.loop;
        a->call.done = on_answer;
        a->call.owner = a;
        if (!a->call.method.len)
            a->call.method = S("GET");
        a->client->call(a->client, &a->call);
    }
    T_EQ_INT(a->ends, before); /* never inside the call */
}
#define CALL(p, ...) {.call = {.path = STR_INIT(p), ##__VA_ARGS__}}
#define WATCH(p) {.watch = {.path = STR_INIT(p)}}

/* Turns the loop until the condition holds. */
#define RUN_UNTIL(cond)                                                                            \
    do {                                                                                           \
        for (int tries_ = 0; tries_ < 12000 && !(cond); tries_++) {                                \
            struct asked turn_ = CALL("bad path");                                                 \
            ask(&turn_);                                                                           \
            run_until(1, 0);                                                                       \
            usleep(10000);                                                                         \
            fini(&turn_);                                                                          \
        }                                                                                          \
        T_OK(cond);                                                                                \
    } while (0)

static inline void fini(struct asked *a)
{
    strbuf_fini(&a->got);
}
