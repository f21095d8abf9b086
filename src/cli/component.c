/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/component.h"

#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "base/version.h"
#include "client/leader.h"
#include "client/transport_https.h"
#include "http/server.h"
#include "rt/failpoint.h"
#include "rt/net.h"
#include "rt/signal.h"

#define STOP_NS (5 * NSEC_PER_SEC)

struct program {
    struct session *s;
    const struct component_ops *ops;
    void *self;
    struct loop *loop;
    struct transport_https *transport;
    struct client_transport fence; /* the transport, as the component has it: nothing is written by one who leads no more */
    struct leader *leader;    /* NULL: no election */
    struct http_server *http; /* NULL: no metrics */
    struct signal_watch signals;
    struct loop_timer patience; /* with answers, when stopping */
    bool has_signals; /* they are watched */
    bool stopping;
    bool led;  /* it has held the lease */
    bool lost; /* the lease */
    bool over; /* the loop has ended, everything is being freed */
};

/* --- metrics ---------------------------------------------------------------------------------------------------------------------------------------- */
static void handle(void *arg, struct http_request *req)
{
    struct program *p = arg;
    struct strbuf b = strbuf_on(req->arena);
    int status = 200;
    str type = S("text/plain; charset=utf-8");
    bool is_health = str_is(req->path, "/healthz") || str_is(req->path, "/livez");
    if (!str_is(req->method, "GET")) {
        status = 405;
    } else if (str_is(req->path, "/metrics")) {
        type = S("text/plain; version=0.0.4; charset=utf-8");
        p->ops->metrics(p->self, &b);
    } else if (is_health || (str_is(req->path, "/readyz") && p->ops->is_ready(p->self))) {
        strbuf_add_str(&b, S("ok"));
    } else {
        status = str_is(req->path, "/readyz") ? 503 : 404;
    }
    http_respond(req, &(struct http_response){.status = status, .content_type = type, .body = strbuf_str(&b)});
}

static str bad_request(void *arg UNUSED, struct arena *a, int status UNUSED, const char *why)
{
    return arena_fmt(a, "%s\n", why);
}

static int start_metrics(struct program *p, struct err *err)
{
    const char *addr = cli_str(p->s->args, "metrics-bind");
    uint16_t port;
    if (!addr)
        return 0;
    int r = http_server_new(&(struct http_server_opts){.name = "metrics", .loops = &p->loop, .nloops = 1, .handler = handle, .bad_request = bad_request, .arg = p, .max_connections = 64},
                            &p->http, err);
    if (r == 0)
        r = http_server_listen_plain(p->http, addr, &port, err);
    if (r == 0)
        log_info("metrics", KV("port", "%u", port));
    return r;
}

/* --- stopping ------------------------------------------------------------------------------------------------------------------------------------------ */
static void on_http_stopped(void *arg)
{
    struct program *p = arg;
    loop_stop(p->loop);
}

static void on_transport_stopped(void *arg)
{
    struct program *p = arg;
    loop_timer_stop(p->loop, &p->patience);
    if (p->http)
        http_server_shutdown(p->http, loop_now(p->loop) + NSEC_PER_SEC, on_http_stopped, p);
    else
        loop_stop(p->loop);
}

static void on_leader_stopped(struct leader *l)
{
    struct program *p = leader_owner(l);
    if (!p->over)
        transport_https_stop(p->transport, on_transport_stopped, p);
}

static void on_component_stopped(void *arg)
{
    struct program *p = arg;
    if (p->over)
        return;
    if (p->leader)
        leader_stop(p->leader, on_leader_stopped);
    else
        transport_https_stop(p->transport, on_transport_stopped, p);
}

/* The server does not answer: everything under way ends without. */
static void lose_patience(struct loop_timer *t)
{
    struct program *p = container_of(t, struct program, patience);
    log_warn("not waiting for answers any longer");
    loop_stop(p->loop);
}

static void stop(struct program *p)
{
    if (p->stopping) {
        loop_stop(p->loop);
        return;
    }
    p->stopping = true;
    p->patience.fire = lose_patience;
    loop_timer_set(p->loop, &p->patience, loop_now(p->loop) + STOP_NS);
    p->ops->stop(p->self, on_component_stopped, p);
}

static void on_signal(struct signal_watch *w, int signo)
{
    struct program *p = container_of(w, struct program, signals);
    if (signo == SIGHUP)
        return;
    log_info("stopping", KV("signal", "%s", strsignal(signo)));
    stop(p);
}

/* --- election ------------------------------------------------------------------------------------------------------------------------------------------- */
static void on_acquired(struct leader *l)
{
    struct program *p = leader_owner(l);
    log_info("leads");
    p->led = true;
    p->ops->lead(p->self);
}

/* One that slept (a machine that was suspended, a process that was stopped) finds answers before it finds out that another has led meanwhile, and what it would do next is of a
 * world that is no more.  It ends at once, as if it had been killed: everybody can be, at any moment. */
static void fenced_call(struct client_transport *t, struct client_call *c)
{
    struct program *p = container_of(t, struct program, fence);
    if (p->led && !p->stopping && !p->over && !str_is(c->method, "GET") && !leader_is_leading(p->leader)) {
        log_error("lost the lease", KV("to", STR_FMT, STR_ARG(leader_holder(p->leader))), KV("not_written", STR_FMT, STR_ARG(str_sub(c->path, 0, 200))));
        _exit(1);
    }
    struct client_transport *client = transport_https_client(p->transport);
    client->call(client, c);
}

static void fenced_watch(struct client_transport *t, struct client_watch *w)
{
    struct client_transport *client = transport_https_client(container_of(t, struct program, fence)->transport);
    client->watch(client, w);
}

static void fenced_watch_stop(struct client_transport *t, struct client_watch *w)
{
    struct client_transport *client = transport_https_client(container_of(t, struct program, fence)->transport);
    client->watch_stop(client, w);
}

static void on_lost(struct leader *l)
{
    struct program *p = leader_owner(l);
    log_error("lost the lease", KV("to", STR_FMT, STR_ARG(leader_holder(l))));
    p->lost = true;
    loop_stop(p->loop);
}

static void start_election(struct program *p, const char *host)
{
    const struct cli_args *a = p->s->args;
    struct leader_opts lo = {.transport = transport_https_client(p->transport), .loop = p->loop, .acquired = on_acquired, .lost = on_lost, .owner = p};
    lo.ns = str_of(cli_str_or(a, "leader-elect-resource-namespace", "kube-system"));
    const char *name = cli_str(a, "leader-elect-resource-name");
    lo.name = name ? str_of(name) : arena_fmt(&p->s->arena, "cox-%s", p->ops->name);
    lo.identity = arena_fmt(&p->s->arena, "%s_%d_%llx", host, (int)getpid(), (unsigned long long)clock_wall(&clock_real));
    lo.lease_ns = cli_duration_ns(a, "leader-elect-lease-duration", 0);
    lo.seed = (uint64_t)clock_wall(&clock_real) ^ (uint64_t)getpid();
    p->leader = leader_new(&lo);
}

/* --- starting ------------------------------------------------------------------------------------------------------------------------------------------- */
static void on_trouble(void *owner UNUSED, const struct err *err)
{
    log_warn("cannot reach the API server", KV("why", "%s", err->msg));
}

static void on_recovered(void *owner UNUSED)
{
    log_info("the API server answers again");
}

static int start(struct program *p, struct err *err)
{
    struct session *s = p->s;
    char host[256] = "localhost";
    if (!s->resolved.server || !s->resolved.server[0])
        return err_set(err, E_INVALID_ARG, "no cluster: name a kubeconfig with --kubeconfig, or a server with --server");
    p->loop = loop_new(p->ops->name, &clock_real, err);
    str agent = arena_fmt(&s->arena, "cox-%s/%s", p->ops->name, cox_version());
    struct transport_https_opts to = {.kube = &s->resolved, .loop = p->loop, .user_agent = agent.p, .trouble = on_trouble, .recovered = on_recovered};
    int r = p->loop ? transport_https_new(&to, &p->transport, err) : -err->code;
    if (r < 0)
        return r;
    gethostname(host, sizeof host - 1);
    p->fence = (struct client_transport){fenced_call, fenced_watch, fenced_watch_stop};
    struct component_env env = {.session = s, .loop = p->loop, .transport = &p->fence, .host = arena_str(&s->arena, str_of(host)).p,
                                .standby = cli_flag(s->args, "leader-elect")};
    if ((r = p->ops->start(p->self, &env, err)) < 0)
        return r;
    if (env.standby)
        start_election(p, env.host);
    p->signals.on_signal = on_signal;
    r = start_metrics(p, err);
    if (r == 0)
        r = signal_watch_start(&p->signals, p->loop, err);
    p->has_signals = r == 0;
    return r;
}

int component_run(struct session *s, const struct component_ops *ops, void *self, struct failure *f)
{
    struct program p = {.s = s, .ops = ops, .self = self};
    signal_block();
    client_free(TAKE(s->client)); /* the transport has connections of its own */
    int r = failpoint_setup(&f->err);
    if (r == 0)
        r = start(&p, &f->err);
    if (r == 0) {
        log_info(arena_fmt(&s->arena, "%s runs", ops->name).p, KV("server", "%s", s->resolved.server), KV("version", "%s", cox_version()));
        loop_run(p.loop);
        log_info("stopped");
    }
    p.over = true;
    transport_https_free(p.transport); /* answers what is still under way, so before those who asked */
    leader_free(p.leader);
    ops->free(self);
    http_server_free(p.http);
    if (p.has_signals)
        signal_watch_stop(&p.signals);
    if (p.loop)
        loop_free(p.loop);
    return r == 0 && p.lost ? failure_set(f, E_UNAVAILABLE, "the lease was lost to another %s", ops->name) : r;
}

int component_setup(struct cli_args *a)
{
    enum log_level level = LOG_INFO;
    const char *format = cli_str_or(a, "log-format", "text");
    if (a->npositional)
        return cli_usage(a, "it takes no arguments, only options");
    if (cli_str(a, "log-level") && !log_level_parse(str_of(cli_str(a, "log-level")), &level))
        return cli_usage(a, "--log-level is one of error, warn, info, debug");
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return cli_usage(a, "--log-format is text or json");
    log_setup(level, strcmp(format, "json") == 0, STDERR_FILENO);
    return 0;
}
