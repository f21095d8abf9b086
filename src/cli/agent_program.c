/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/agent_program.h"

#include <malloc.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/version.h"
#include "client/join.h"
#include "client/transport_https.h"
#include "rt/file.h"
#include "rt/memory.h"
#include "rt/net.h"
#include "rt/signal.h"
#include "rt/thread.h"
#include "rt/tls.h"

#define RENEW_EVERY_S 300
#define SERVING_RETRY_S 5
#define STOP_NS (10 * NSEC_PER_SEC)
#define SLIM_NS (5 * NSEC_PER_SEC)
#define SLIM_MAX_NS (600 * NSEC_PER_SEC)
#define PEM_BYTES (256u << 10)

struct program {
    const struct agent_program_opts *opts;
    struct loop *main_loop;
    struct agent_run *run;
    struct transport_https *transport;
    struct kubeconfig *kubeconfig;
    struct kubeconfig_resolved resolved;
    struct signal_watch signals;
    struct loop_timer patience, slim;
    nsec_t slim_wait;
    struct loop_msg agent_stopped, agent_failed;
    struct err failure; /* of the agent's start; written before agent_failed is posted */
    bool stopping;
    /* certificates */
    struct thread renew;
    atomic_bool stop_renew;
    struct join_opts join;
    const char *names[2], *addresses[2];
    char *serving;            /* certificate and key in one text */
    struct loop_msg new_cert; /* on its way to the agent's loop */
    atomic_bool cert_on_way, client_is_new;
};

/* --- certificates -------------------------------------------------------------------------------------------------------------- */
static void read_serving(struct program *p)
{
    char path[4096];
    char *text;
    join_path(p->opts->run.data_dir, "serving.pem", path);
    if (file_read(path, PEM_BYTES, &text, NULL, NULL) < 0)
        return;
    free(p->serving);
    p->serving = text;
}

/* On the agent's loop. */
static void on_new_cert(struct loop_msg *m)
{
    struct program *p = container_of(m, struct program, new_cert);
    struct err err = ERR_NONE;
    atomic_store(&p->cert_on_way, false); /* before reading: what is written from here on is told again */
    read_serving(p);
    if (p->serving && agent_run_set_cert(p->run, p->serving, p->serving, &err) < 0)
        log_warn("the new serving certificate is of no use", KV("why", "%s", err.msg));
    if (atomic_exchange(&p->client_is_new, false)) {
        struct kubeconfig *k;
        struct kubeconfig_resolved r;
        if (kubeconfig_load(&(struct kubeconfig_paths){.file = p->opts->kubeconfig}, &k, &err) < 0) {
            log_warn("the renewed kubeconfig cannot be read", KV("why", "%s", err.msg));
        } else {
            if (kubeconfig_resolve(k, &(struct kubeconfig_overrides){0}, &r, &err) < 0 || transport_https_renew(p->transport, &r, &err) < 0)
                log_warn("the renewed certificate is of no use", KV("why", "%s", err.msg));
            kubeconfig_free(k);
        }
    }
}

static void tell_agent(struct program *p)
{
    if (atomic_exchange(&p->cert_on_way, true))
        return;
    p->new_cert.fn = on_new_cert;
    loop_post(agent_run_loop(p->run), &p->new_cert);
}

static void wait_seconds(struct program *p, int seconds)
{
    for (int i = 0; i < seconds * 5 && !atomic_load(&p->stop_renew); i++)
        usleep(200000);
}

static void run_renew(void *arg)
{
    struct program *p = arg;
    struct err err = ERR_NONE;
    while (!atomic_load(&p->stop_renew) && join_serving(&p->join, &err) < 0) {
        log_warn("no serving certificate yet", KV("why", "%s", err.msg));
        wait_seconds(p, SERVING_RETRY_S);
    }
    if (!atomic_load(&p->stop_renew))
        tell_agent(p);
    while (!atomic_load(&p->stop_renew)) {
        bool client = false, serving = false;
        wait_seconds(p, RENEW_EVERY_S);
        if (atomic_load(&p->stop_renew))
            break;
        if (join_renew(&p->join, &client, &serving, &err) < 0)
            log_warn("certificates could not be renewed", KV("why", "%s", err.msg));
        if (client)
            atomic_store(&p->client_is_new, true);
        if (client || serving)
            tell_agent(p);
    }
}

/* Only what join made can be renewed. */
static bool has_joined(const struct program *p)
{
    char joined[4096];
    join_path(p->opts->run.data_dir, "kubeconfig", joined);
    return strcmp(p->opts->kubeconfig, joined) == 0;
}

/* Until the cluster has signed one: nobody but the server asks, and it will not trust this one. */
static int stopgap_cert(struct program *p, struct err *err)
{
    nsec_t now = clock_wall(&clock_real);
    char *cert, *key;
    struct tls_cert_request req = {.common_name = p->opts->run.agent.node_name, .for_server = true, .not_before = now - 3600 * NSEC_PER_SEC, .not_after = now + 365ll * 24 * 3600 * NSEC_PER_SEC};
    int r = tls_cert_make(&req, NULL, NULL, &cert, &key, err);
    if (r < 0)
        return r;
    struct strbuf both = STRBUF_HEAP;
    strbuf_addf(&both, "%s%s", cert, key);
    p->serving = both.p;
    free(cert);
    free(key);
    return 0;
}

/* --- stopping ----------------------------------------------------------------------------------------------------------------------- */
static void on_agent_stopped(struct loop_msg *m)
{
    struct program *p = container_of(m, struct program, agent_stopped);
    loop_stop(p->main_loop);
}

static void on_agent_failed(struct loop_msg *m)
{
    struct program *p = container_of(m, struct program, agent_failed);
    loop_stop(p->main_loop);
}

/* Nothing else is there to do: whoever started this program should know. */
static void agent_failed(void *arg, const struct err *err)
{
    struct program *p = arg;
    p->failure = *err;
    p->agent_failed.fn = on_agent_failed;
    loop_post(p->main_loop, &p->agent_failed);
}

static void agent_done(void *arg)
{
    struct program *p = arg;
    p->agent_stopped.fn = on_agent_stopped;
    loop_post(p->main_loop, &p->agent_stopped);
}

/* What starting took is given back, and later what a burst of pods took; ever more rarely. */
static void on_slim(struct loop_timer *t)
{
    struct program *p = container_of(t, struct program, slim);
    memory_give_back();
    p->slim_wait = MIN(p->slim_wait * 2, SLIM_MAX_NS);
    loop_timer_set(p->main_loop, t, loop_now(p->main_loop) + p->slim_wait);
}

static void lose_patience(struct loop_timer *t UNUSED)
{
    log_warn("not waiting any longer");
    _exit(0); /* what still runs cannot be joined; everything that matters is in files already */
}

static void on_signal(struct signal_watch *w, int signo)
{
    struct program *p = container_of(w, struct program, signals);
    if (p->stopping) {
        lose_patience(&p->patience);
        return;
    }
    p->stopping = true;
    log_info("stopping, pods run on", KV("signal", "%s", strsignal(signo)));
    p->patience.fire = lose_patience;
    loop_timer_set(p->main_loop, &p->patience, loop_now(p->main_loop) + STOP_NS);
    agent_run_stop(p->run, agent_done, p);
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------------ */
static void on_trouble(void *owner UNUSED, const struct err *err)
{
    log_warn("the API server cannot be reached", KV("why", "%s", err->msg));
}

static void on_recovered(void *owner UNUSED)
{
    log_info("the API server answers");
}

static int prepare(struct program *p, struct err *err)
{
    struct agent_run_opts run = p->opts->run;
    run.failed = agent_failed;
    run.failed_arg = p;
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = p->opts->kubeconfig}, &p->kubeconfig, err);
    if (r < 0 || (r = kubeconfig_resolve(p->kubeconfig, &(struct kubeconfig_overrides){0}, &p->resolved, err)) < 0)
        return r;
    struct net_addr server;
    struct err ignored;
    str url = str_of(p->resolved.server);
    if (str_has_prefix(url, S("https://")) && net_addr_parse(str_from(url, 8), 443, &server, &ignored) == 0) {
        run.agent.api_port = server.port;
        run.agent.api_host = str_dup(str_of(server.host)); /* for as long as the program runs */
    }
    read_serving(p);
    bool is_stopgap = !p->serving;
    if (is_stopgap && (r = stopgap_cert(p, err)) < 0)
        return r;
    run.agent.cert_pem = run.agent.key_pem = p->serving;
    run.agent.cert_is_stopgap = is_stopgap && has_joined(p);
    run.agent.ca_pem = p->resolved.ca_pem;
    p->main_loop = loop_new("main", &clock_real, err);
    if (!p->main_loop || (r = agent_run_new(&run, &p->run, err)) < 0)
        return -err->code;
    struct transport_https_opts to = {.kube = &p->resolved, .loop = agent_run_loop(p->run), .user_agent = "cox-agent", .trouble = on_trouble, .recovered = on_recovered};
    if ((r = transport_https_new(&to, &p->transport, err)) < 0)
        return r;
    agent_run_set_transport(p->run, transport_https_client(p->transport));
    p->names[0] = run.agent.node_name;
    p->addresses[0] = agent_run_address(p->run);
    p->join = (struct join_opts){.dir = run.data_dir, .node_name = run.agent.node_name, .clock = &clock_real, .stop = &p->stop_renew, .dns_names = p->names, .addresses = p->addresses};
    p->signals.on_signal = on_signal;
    return signal_watch_start(&p->signals, p->main_loop, err);
}

static void program_free(struct program *p)
{
    atomic_store(&p->stop_renew, true);
    thread_join(&p->renew);
    agent_run_join(p->run); /* its loop does not run any more */
    transport_https_free(p->transport);
    agent_run_free(p->run);
    if (p->main_loop) {
        signal_watch_stop(&p->signals);
        loop_free(p->main_loop);
    }
    kubeconfig_free(p->kubeconfig);
    free(p->serving);
}

int agent_program_run(const struct agent_program_opts *o, struct err *err)
{
    struct program p = {.opts = o};
    mallopt(M_ARENA_MAX, 1); /* pool threads allocate little and briefly: arenas of their own would only keep memory */
    signal_block();
    net_fd_limit_raise(LIMIT_CONNECTIONS);
    int r = prepare(&p, err);
    if (r == 0)
        r = agent_run_start(p.run, err);
    if (r == 0 && has_joined(&p))
        r = thread_start(&p.renew, "renew", run_renew, &p, err);
    if (r == 0) {
        log_info("agent runs", KV("server", "%s", p.resolved.server), KV("version", "%s", cox_version()));
        p.slim.fire = on_slim;
        p.slim_wait = SLIM_NS;
        loop_timer_set(p.main_loop, &p.slim, loop_now(p.main_loop) + SLIM_NS);
        loop_run(p.main_loop);
        log_info("stopped");
        if (p.failure.code) {
            *err = p.failure;
            r = -p.failure.code;
        }
    }
    program_free(&p);
    return r;
}
