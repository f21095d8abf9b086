/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/server_run.h"

#include <malloc.h>
#include <signal.h>
#include <unistd.h>

#include "apiserver/apiserver.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/vec.h"
#include "base/version.h"
#include "cli/credentials.h"
#include "cli/pki.h"
#include "cli/server_scheduler.h"
#include "controllers/controllers.h"
#include "http/server.h"
#include "rt/failpoint.h"
#include "rt/file.h"
#include "rt/net.h"
#include "rt/signal.h"
#include "rt/thread.h"
#include "store/embedded/embedded.h"

#define MAX_IO_THREADS 64
#define SHUTDOWN_NS (10 * NSEC_PER_SEC)
#define AGENT_STOP_NS (20 * NSEC_PER_SEC)

struct server {
    const struct server_opts *opts;
    struct pki pki;
    struct store *store;
    struct loop *loops[MAX_IO_THREADS];
    struct thread io[MAX_IO_THREADS];
    size_t nloops;
    struct loop *main_loop;
    struct loop *ctl_loop;
    struct thread ctl_thread;
    struct controllers *controllers;
    struct server_scheduler *scheduler; /* NULL: none */
    struct agent_run *agent;            /* NULL: none */
    struct apiserver *api;
    struct tls_server *tls;
    struct http_server *http;
    struct signal_watch signals;
    struct loop_timer patience; /* with the agent */
    struct loop_msg agent_stopped, sched_stopped, ctl_stop, ctl_stopped, http_stopped;
    bool stopping;
    uint16_t port;
    char host[256];      /* that clients use */
    char socket_path[4096];
    char issuer[300]; /* of service-account tokens */
    bool has_socket;     /* made by us: another server's must stay when this one may not start */
    nsec_t started;
};

static void run_loop(void *arg)
{
    loop_run(arg);
}

/* --- starting ------------------------------------------------------------------------------------------------------------- */

/* What clients can reach: the address given, or this machine's name for "all addresses". */
static int pick_host(struct server *s, struct err *err)
{
    struct net_addr addr;
    int r = net_addr_parse(str_of(s->opts->listen), 6443, &addr, err);
    if (r < 0)
        return r;
    const char *host = s->opts->advertise ? s->opts->advertise : addr.host;
    bool any = !host[0] || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
    snprintf(s->host, sizeof s->host, "%s", any ? "127.0.0.1" : host);
    return 0;
}

static int start_loops(struct server *s, struct err *err)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long want = s->opts->io_threads > 0 ? s->opts->io_threads : MIN(cores > 0 ? cores : 1, 8L);
    s->nloops = (size_t)MIN(want, (long)MAX_IO_THREADS);
    for (size_t i = 0; i < s->nloops; i++) {
        char name[16];
        snprintf(name, sizeof name, "io-%zu", i);
        s->loops[i] = loop_new(name, &clock_real, err);
        if (!s->loops[i])
            return -err->code;
    }
    s->main_loop = loop_new("main", &clock_real, err);
    s->ctl_loop = s->main_loop ? loop_new("controllers", &clock_real, err) : NULL;
    return s->ctl_loop ? 0 : -err->code;
}

static int start_api(struct server *s, struct err *err)
{
    const struct server_opts *o = s->opts;
    snprintf(s->issuer, sizeof s->issuer, "https://kubernetes.default.svc.%s", o->cluster_domain ? o->cluster_domain : "cluster.local");
    struct apiserver_opts ao = {
        .store = s->store,
        .clock = &clock_real,
        .loops = s->loops,
        .nloops = s->nloops,
        .data_dir = o->data_dir,
        .advertise_host = s->host,
        .advertise_port = s->port,
        .service_cidr = o->service_cidr ? o->service_cidr : "10.96.0.0/16",
        .cluster_domain = o->cluster_domain ? o->cluster_domain : "cluster.local",
        .node_port_range = "30000-32767",
        .ca_pem = s->pki.ca_cert,
        .kubelet_client_cert_pem = s->pki.kubelet_client_cert,
        .kubelet_client_key_pem = s->pki.kubelet_client_key,
        .token_file = o->token_file,
        .sa_key_pem = s->pki.sa_key,
        .sa_verify_pems = (const char *const *)s->pki.old_sa_keys,
        .sa_issuer = s->issuer,
        .audit_path = o->audit_log,
        .event_ttl_ns = o->event_ttl_ns,
        .anonymous = !o->no_anonymous,
    };
    int r = apiserver_new(&ao, &s->api, err);
    return r < 0 ? r : apiserver_bootstrap(s->api, err);
}

/* The port must be known before objects name it, so listening comes before the API server that answers: connections wait in the backlog meanwhile. */
static void handle(void *arg, struct http_request *req)
{
    struct server *s = arg;
    apiserver_handle(s->api, req);
}

static str bad_request(void *arg, struct arena *a, int status, const char *why)
{
    struct server *s = arg;
    return apiserver_bad_request(s->api, a, status, why);
}

static int start_http(struct server *s, struct err *err)
{
    int r = tls_server_new(s->pki.server_cert, s->pki.server_key, s->pki.ca_cert, &s->tls, err);
    if (r < 0)
        return r;
    struct http_server_opts ho = {.name = "api", .loops = s->loops, .nloops = s->nloops, .tls = s->tls, .handler = handle, .bad_request = bad_request, .arg = s,
                                  .max_streams = 2500};
    r = http_server_new(&ho, &s->http, err);
    if (r == 0)
        r = http_server_listen_tls(s->http, s->opts->listen, &s->port, err);
    if (r == 0 && s->socket_path[0]) {
        r = http_server_listen_unix(s->http, s->socket_path, err);
        s->has_socket = r == 0;
    }
    return r;
}

static int write_kubeconfig(struct server *s, char path[4096], struct err *err)
{
    const struct server_opts *o = s->opts;
    path[0] = 0;
    if (o->write_kubeconfig && !o->write_kubeconfig[0])
        return 0;
    const char *home = getenv("HOME");
    if (o->write_kubeconfig)
        snprintf(path, 4096, "%s", o->write_kubeconfig);
    else
        snprintf(path, 4096, "%s/.kube/config", home ? home : "");
    ARENA_AUTO arena = ARENA_INIT;
    char url[320];
    bool v6 = strchr(s->host, ':') != NULL;
    snprintf(url, sizeof url, v6 ? "https://[%s]:%u" : "https://%s:%u", s->host, s->port);
    const char *name;
    struct kubeconfig_cluster c = {.name = o->kubeconfig_name ? o->kubeconfig_name : "cox", .server = url, .ca_pem = s->pki.ca_cert, .cert_pem = s->pki.admin_cert,
                                   .key_pem = s->pki.admin_key, .make_current = true};
    return credentials_write(o->data_dir, path, &c, &arena, &name, err);
}

/* --- stopping ------------------------------------------------------------------------------------------------------------- */

static void on_http_stopped(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, http_stopped);
    loop_stop(s->main_loop);
}

static void http_done(void *arg)
{
    struct server *s = arg;
    s->http_stopped.fn = on_http_stopped;
    loop_post(s->main_loop, &s->http_stopped);
}

static void on_controllers_stopped(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, ctl_stopped);
    apiserver_drain(s->api);
    http_server_shutdown(s->http, clock_mono(&clock_real) + SHUTDOWN_NS, http_done, s);
}

static void controllers_done(void *arg)
{
    struct server *s = arg;
    s->ctl_stopped.fn = on_controllers_stopped;
    loop_post(s->main_loop, &s->ctl_stopped);
}

static void stop_controllers(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, ctl_stop);
    controllers_stop(s->controllers, controllers_done, s);
}

static void on_scheduler_stopped(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, sched_stopped);
    if (!s->controllers) {
        controllers_done(s);
        return;
    }
    s->ctl_stop.fn = stop_controllers;
    loop_post(s->ctl_loop, &s->ctl_stop);
}

static void scheduler_done(void *arg)
{
    struct server *s = arg;
    s->sched_stopped.fn = on_scheduler_stopped;
    loop_post(s->main_loop, &s->sched_stopped);
}

static void on_agent_stopped(struct loop_msg *m)
{
    struct server *s = container_of(m, struct server, agent_stopped);
    loop_timer_stop(s->main_loop, &s->patience);
    if (s->scheduler)
        server_scheduler_stop(s->scheduler, scheduler_done, s);
    else
        scheduler_done(s);
}

static void agent_done(void *arg)
{
    struct server *s = arg;
    s->agent_stopped.fn = on_agent_stopped;
    loop_post(s->main_loop, &s->agent_stopped);
}

/* A pull or a stuck mount of the agent cannot be cut off, and what it uses cannot be taken away under it.  Everything that was answered is on disk: as after kill -9. */
static void lose_patience(struct loop_timer *t)
{
    struct server *s = container_of(t, struct server, patience);
    log_warn("the agent does not stop: not waiting any longer");
    if (s->has_socket)
        unlink(s->socket_path);
    if (s->opts->pid_file)
        unlink(s->opts->pid_file);
    _exit(0);
}

/* One after another, those who ask before the one who answers: agent, scheduler, controllers, API server. */
static void begin_stop(struct server *s)
{
    s->stopping = true;
    apiserver_set_ready(s->api, false);
    s->patience.fire = lose_patience;
    if (s->agent) {
        loop_timer_set(s->main_loop, &s->patience, loop_now(s->main_loop) + AGENT_STOP_NS);
        agent_run_stop(s->agent, agent_done, s);
    } else {
        agent_done(s);
    }
}

static void on_signal(struct signal_watch *w, int signo)
{
    struct server *s = container_of(w, struct server, signals);
    if (s->stopping)
        return;
    log_info("stopping", KV("signal", "%s", strsignal(signo)));
    begin_stop(s);
}

static void stop_threads(struct server *s)
{
    server_scheduler_end(s->scheduler);
    loop_stop(s->ctl_loop);
    thread_join(&s->ctl_thread);
    for (size_t i = 0; i < s->nloops; i++) {
        loop_stop(s->loops[i]);
        thread_join(&s->io[i]);
    }
}

/* Transactions still on their way answer into memory of requests: waits for them, by one that comes behind them and changes nothing. */
static void settle_store(struct server *s)
{
    struct store_op op = {.type = STORE_DELETE, .key = S("/none"), .expect = STORE_ANY_REV};
    struct store_txn txn = {.ops = &op, .nops = 1};
    if (s->store)
        err_ignore(store_commit(s->store, &txn), "a store that has failed has nothing on its way");
}

static void server_free(struct server *s)
{
    agent_run_free(s->agent);
    settle_store(s);
    server_scheduler_free(s->scheduler);
    controllers_free(s->controllers);
    apiserver_free(s->api); /* ends watches that a forced shutdown left, so before what they are written to */
    http_server_free(s->http);
    if (s->store)
        store_close(s->store);
    tls_server_free(s->tls);
    for (size_t i = 0; i < s->nloops; i++)
        loop_free(s->loops[i]);
    loop_free(s->ctl_loop);
    loop_free(s->main_loop);
    pki_free(&s->pki);
    if (s->has_socket)
        unlink(s->socket_path);
}

/* --- the whole -------------------------------------------------------------------------------------------------------------- */

/* The certificate holds the name clients use and those that were asked for. */
static int load_pki(struct server *s, struct err *err)
{
    VEC(const char *) names = {0};
    vec_push(&names, s->host);
    for (const char *const *n = s->opts->tls_sans; n && *n; n++)
        vec_push(&names, *n);
    vec_push(&names, NULL);
    int r = pki_load(s->opts->data_dir, &clock_real, names.p, &s->pki, err);
    vec_fini(&names);
    return r;
}

static int prepare(struct server *s, struct err *err)
{
    const struct server_opts *o = s->opts;
    char store_dir[4096];
    int r = pick_host(s, err);
    if (r < 0 || (r = file_mkdir_all(o->data_dir, 0700, err)) < 0)
        return r;
    snprintf(store_dir, sizeof store_dir, "%s/store", o->data_dir);
    if (o->unix_socket)
        snprintf(s->socket_path, sizeof s->socket_path, "%s", o->unix_socket);
    else
        snprintf(s->socket_path, sizeof s->socket_path, "%s/cox.sock", o->data_dir);
    /* the store's lock also says whether another server runs on this folder: before anything is written */
    if ((r = store_embedded_open(store_dir, &(struct store_embedded_opts){.clock = &clock_real}, &s->store, err)) < 0 || (r = load_pki(s, err)) < 0 ||
        (r = start_loops(s, err)) < 0 || (r = start_http(s, err)) < 0 || (r = start_api(s, err)) < 0 ||
        (!o->no_scheduler && (r = server_scheduler_new(s->api, o->scheduler_profile, o->bind_requests, &s->scheduler, err)) < 0))
        return r;
    s->signals.on_signal = on_signal;
    return signal_watch_start(&s->signals, s->main_loop, err);
}

static int start_threads(struct server *s, struct err *err)
{
    int r = 0;
    for (size_t i = 0; i < s->nloops && r == 0; i++)
        r = thread_start(&s->io[i], loop_name(s->loops[i]), run_loop, s->loops[i], err);
    if (r == 0 && !s->opts->no_controllers) {
        struct controllers_opts co = {.transport = apiserver_transport(s->api), .loop = s->ctl_loop, .clock = &clock_real, .root_ca_pem = s->pki.ca_cert, .root_ca_key_pem = s->pki.ca_key, .server_cert_pem = s->pki.server_cert, .cluster_cidr = s->opts->cluster_cidr ? s->opts->cluster_cidr : "10.42.0.0/16",
                                      .node_grace_ns = s->opts->node_grace_ns,
                                      .pod_gc_quarantine_ns = s->opts->pod_gc_quarantine_ns, .finished_pods = s->opts->finished_pods, .hpa_period_ns = s->opts->hpa_period_ns,
                                      .event_ttl_ns = s->opts->event_ttl_ns, .kuscia_job_ttl_ns = s->opts->kuscia_job_ttl_ns};
        s->controllers = controllers_new(&co);
    }
    if (r == 0 && s->scheduler)
        r = server_scheduler_start(s->scheduler, err);
    if (r == 0)
        r = thread_start(&s->ctl_thread, "controllers", run_loop, s->ctl_loop, err);
    return r;
}

/* After everything it asks is there.  Without it the server is still of use: pods run on other machines. */
static void start_agent(struct server *s)
{
    if (!s->opts->agent)
        return;
    struct agent_run_opts o = *s->opts->agent;
    struct err err = ERR_NONE;
    o.data_dir = s->opts->data_dir;
    o.cluster_cidr = s->opts->cluster_cidr && s->opts->cluster_cidr[0] ? s->opts->cluster_cidr : "10.42.0.0/16";
    o.ca_cert = s->pki.ca_cert;
    o.ca_key = s->pki.ca_key;
    o.agent.transport = apiserver_transport(s->api);
    o.agent.cluster_domain = s->opts->cluster_domain ? s->opts->cluster_domain : "cluster.local";
    o.agent.api_host = s->host;
    o.agent.api_port = s->port;
    int r = agent_run_new(&o, &s->agent, &err);
    if (r == 0 && (r = agent_run_start(s->agent, &err)) < 0)
        agent_run_free(TAKE(s->agent)); /* nobody could stop it later */
    if (r < 0)
        log_error("this machine runs no pods", KV("why", "%s", err.msg));
}

static void announce(struct server *s, const char *kubeconfig)
{
    double ms = (double)(clock_mono(&clock_real) - s->started) / (double)NSEC_PER_MSEC;
    log_info("ready", KV("address", "https://%s:%u", s->host, s->port), KV("data", "%s", s->opts->data_dir), KV("took_ms", "%.1f", ms), KV("version", "%s", cox_version()));
    if (s->opts->quiet)
        return;
    printf("Coxswain is ready at https://%s:%u after %.0f ms.\n", s->host, s->port, ms);
    if (kubeconfig[0])
        printf("Its admin credentials are in %s; try: kubectl --kubeconfig %s get namespaces\n", kubeconfig, kubeconfig);
    fflush(stdout);
}

static int write_pid(const char *path, struct err *err)
{
    char text[32];
    snprintf(text, sizeof text, "%d\n", (int)getpid());
    return path ? file_write_atomic(path, str_of(text), 0644, err) : 0;
}

int server_run(const struct server_opts *opts, struct err *err)
{
    struct server s = {.opts = opts, .started = clock_mono(&clock_real)};
    char kubeconfig[4096] = "";
    mallopt(M_ARENA_MAX, 4); /* io threads allocate little and briefly; more arenas only keep freed memory from being used again */
    signal_block();
    net_fd_limit_raise(LIMIT_CONNECTIONS + 1024);
    int r = failpoint_setup(err);
    if (r == 0)
        r = prepare(&s, err);
    if (r == 0)
        r = start_threads(&s, err);
    bool runs = r == 0;
    if (r == 0)
        r = write_kubeconfig(&s, kubeconfig, err);
    if (r == 0)
        r = write_pid(opts->pid_file, err);
    if (r == 0) {
        apiserver_set_ready(s.api, true);
        start_agent(&s);
        announce(&s, kubeconfig);
        loop_run(s.main_loop);
        log_info("stopped");
    } else if (runs) { /* who watches must have let go before anything is freed */
        begin_stop(&s);
        loop_run(s.main_loop);
    }
    if (s.ctl_loop)
        stop_threads(&s);
    if (opts->pid_file && r == 0)
        unlink(opts->pid_file);
    server_free(&s);
    return r;
}
