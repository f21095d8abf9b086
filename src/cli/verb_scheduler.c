/* verb_scheduler.c - cox scheduler: the live scheduler (src/sched/live) as a program of its own, beside any Kubernetes API server.
 *
 *   kubeconfig ─► transport ─► live ─► until a signal          one loop, one thread, and the pipeline's workers
 *                                 └─► /metrics, /healthz, /readyz on --metrics-bind
 * With --leader-elect it follows from the start and decides when it holds the Lease; one that loses it ends, as another may be deciding already. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <unistd.h>

#include "base/log.h"
#include "base/version.h"
#include "cli/session.h"
#include "cli/verbs.h"
#include "client/leader.h"
#include "client/transport_https.h"
#include "http/server.h"
#include "rt/file.h"
#include "rt/net.h"
#include "rt/signal.h"
#include "sched/live/live.h"

#define PROFILE_BYTES (1u << 20)
#define STOP_NS (5 * NSEC_PER_SEC)

struct program {
    struct session *s;
    struct loop *loop;
    struct transport_https *transport;
    struct live *live;
    struct leader *leader;    /* NULL: no election */
    struct http_server *http; /* NULL: no metrics */
    struct signal_watch signals;
    struct loop_timer patience; /* with answers, when stopping */
    bool stopping;
    bool lost; /* the lease */
    bool over; /* the loop has ended, everything is being freed */
};

/* --- profile ------------------------------------------------------------------------------------------------------------------------------------ */
static int read_profile(const struct cli_args *a, struct sched_profile **ret, struct err *err)
{
    const char *name = cli_str_or(a, "profile", "default");
    char *text;
    size_t len;
    *ret = profile_builtin(str_of(name));
    if (*ret)
        return 0;
    if (!file_exists(name))
        return err_set(err, E_NOT_FOUND, "there is no profile \"%s\": it is neither default, binpack, spread or gpu-packing nor a file", name);
    int r = file_read(name, PROFILE_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    r = profile_parse(str_n(text, len), str_of(name), ret, err);
    free(text);
    return r;
}

/* --scheduler-name, or the usual one and that of a profile in a file. */
static const char *const *names_of(struct session *s, const struct sched_profile *profile)
{
    size_t n = 0;
    while (cli_list(s->args, "scheduler-name", n))
        n++;
    const char **names = arena_array(&s->arena, n + 3, const char *);
    for (size_t i = 0; i < n; i++)
        names[i] = cli_list(s->args, "scheduler-name", i);
    if (n)
        return names;
    names[n++] = "default-scheduler";
    struct sched_profile *built_in = profile_builtin(profile->name);
    if (!built_in && profile->name.len && !str_is(profile->name, names[0]))
        names[n++] = arena_cstr(&s->arena, profile->name);
    profile_free(built_in);
    return names;
}

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
        live_metrics_write(p->live, &b);
    } else if (is_health || (str_is(req->path, "/readyz") && live_is_synced(p->live))) {
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

static void on_live_stopped(void *arg)
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
    live_stop(p->live, on_live_stopped, p);
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
    live_lead(p->live);
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
    lo.name = str_of(cli_str_or(a, "leader-elect-resource-name", "cox-scheduler"));
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
    struct sched_profile *profile;
    char host[256] = "localhost";
    if (!s->resolved.server || !s->resolved.server[0])
        return err_set(err, E_INVALID_ARG, "no cluster: name a kubeconfig with --kubeconfig, or a server with --server");
    int r = read_profile(s->args, &profile, err);
    if (r < 0)
        return r;
    p->loop = loop_new("scheduler", &clock_real, err);
    str agent = arena_fmt(&s->arena, "cox-scheduler/%s", cox_version());
    struct transport_https_opts to = {.kube = &s->resolved, .loop = p->loop, .user_agent = agent.p, .trouble = on_trouble, .recovered = on_recovered};
    r = p->loop ? transport_https_new(&to, &p->transport, err) : -err->code;
    if (r < 0) {
        profile_free(profile);
        return r;
    }
    const char *const *names = names_of(s, profile);
    gethostname(host, sizeof host - 1);
    struct live_opts lo = {.transport = transport_https_client(p->transport), .loop = p->loop, .clock = &clock_real, .profile = profile, .names = names};
    lo.instance = arena_fmt(&s->arena, "%s-%s", names[0], host).p;
    lo.workers = (uint32_t)MAX(cli_int(s->args, "workers", 1), (int64_t)1);
    lo.binds = (uint32_t)cli_int(s->args, "bind-window", 0);
    lo.seed = (uint64_t)cli_int(s->args, "seed", 0);
    lo.standby = cli_flag(s->args, "leader-elect");
    lo.no_events = cli_given(s->args, "events") && !cli_flag(s->args, "events");
    p->live = live_new(&lo, err);
    if (!p->live)
        return -err->code;
    if (lo.standby)
        start_election(p, host);
    p->signals.on_signal = on_signal;
    r = start_metrics(p, err);
    return r < 0 ? r : signal_watch_start(&p->signals, p->loop, err);
}

static int run_program(struct session *s, struct failure *f)
{
    struct program p = {.s = s};
    signal_block();
    client_free(TAKE(s->client)); /* the transport has connections of its own */
    int r = start(&p, &f->err);
    if (r == 0) {
        log_info("scheduler runs", KV("server", "%s", s->resolved.server), KV("version", "%s", cox_version()));
        loop_run(p.loop);
        log_info("stopped");
    }
    p.over = true;
    transport_https_free(p.transport); /* answers what is still under way, so before those who asked */
    leader_free(p.leader);
    live_free(p.live);
    http_server_free(p.http);
    if (p.loop) {
        signal_watch_stop(&p.signals);
        loop_free(p.loop);
    }
    return r == 0 && p.lost ? failure_set(f, E_UNAVAILABLE, "the lease was lost to another scheduler") : r;
}

static int run_scheduler(struct cli_args *a)
{
    enum log_level level = LOG_INFO;
    const char *format = cli_str_or(a, "log-format", "text");
    if (a->npositional)
        return cli_usage(a, "it takes no arguments, only options");
    if (cli_str(a, "log-level") && !log_level_parse(str_of(cli_str(a, "log-level")), &level))
        return cli_usage(a, "--log-level is one of error, warn, info, debug");
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        return cli_usage(a, "--log-format is text or json");
    if (cli_int(a, "workers", 1) < 1 || cli_int(a, "workers", 1) > 64)
        return cli_usage(a, "--workers is a number from 1 to 64");
    if (cli_int(a, "bind-window", 1) < 1 || cli_int(a, "bind-window", 1) > 10000)
        return cli_usage(a, "--bind-window is a number from 1 to 10000");
    log_setup(level, strcmp(format, "json") == 0, STDERR_FILENO);
    return session_run(a, run_program);
}

static const struct cli_option scheduler_options[] = {
    {"profile", 'p', CLI_STRING, "NAME|FILE", "default", "default, binpack, spread, gpu-packing, or a file: ours or a KubeSchedulerConfiguration.", NULL},
    {"scheduler-name", 0, CLI_LIST, "NAME", "default-scheduler, and the name in the profile's file", "Pods with this schedulerName are placed; may be given several times.", NULL},
    {"workers", 'w', CLI_INT, "N", "1", "Threads that look for nodes.", NULL},
    {"seed", 0, CLI_INT, "N", "0", "How equal scores are decided; 0: by name.", NULL},
    {"bind-window", 0, CLI_INT, "N", "512", "Binds on their way to the server at a time.", NULL},
    {"events", 0, CLI_FLAG, NULL, "true", "Write Events.", NULL},
    {"leader-elect", 0, CLI_FLAG, NULL, "", "Decide only while holding a Lease, so that several can run and one acts.", NULL},
    {"leader-elect-resource-namespace", 0, CLI_STRING, "NAME", "kube-system", "Namespace of the Lease.", NULL},
    {"leader-elect-resource-name", 0, CLI_STRING, "NAME", "cox-scheduler", "Its name.", NULL},
    {"leader-elect-lease-duration", 0, CLI_DURATION, "TIME", "15s", "How long a leader that says nothing is waited for.", NULL},
    {"metrics-bind", 0, CLI_STRING, "ADDR:PORT", "", "Serve /metrics, /healthz and /readyz here, in plain text; port 0 picks a free one.", NULL},
    {"log-level", 'v', CLI_STRING, "LEVEL", "info", "error, warn, info or debug.", NULL},
    {"log-format", 0, CLI_STRING, "FORMAT", "text", "text or json.", NULL},
    {0},
};

const struct cli_verb verb_scheduler = {
    .name = "scheduler",
    .summary = "Run only the scheduler, against any Kubernetes API server.",
    .usage = "[OPTIONS]",
    .help = "Follows nodes, pods and what concerns their placement, and binds pods that name it.  It keeps nothing of its own: it can be killed and started\n"
            "again at any moment.",
    .examples = "  cox scheduler --kubeconfig scheduler.kubeconfig --scheduler-name cox\n  cox scheduler --profile binpack --workers 4 --metrics-bind 127.0.0.1:10251",
    .options = scheduler_options,
    .run = run_scheduler,
    .is_client = true,
};
