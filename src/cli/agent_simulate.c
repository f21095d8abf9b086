/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/agent_simulate.h"

#include "agent/simulate/simulate.h"
#include "base/log.h"
#include "client/transport_https.h"
#include "rt/signal.h"

#define TELL_NS (10 * NSEC_PER_SEC)

struct program {
    struct loop *loop;
    struct kubeconfig *kubeconfig;
    struct kubeconfig_resolved resolved;
    struct transport_https *transport;
    struct simulate *sim;
    struct signal_watch signals;
    struct loop_timer tell;
    struct simulate_stats told;
};

static void on_trouble(void *owner UNUSED, const struct err *err)
{
    log_warn("the API server cannot be reached", KV("why", "%s", err->msg));
}

static void on_recovered(void *owner UNUSED)
{
    log_info("the API server answers again");
}

static void on_signal(struct signal_watch *w, int signo)
{
    struct program *p = container_of(w, struct program, signals);
    log_info("stopping", KV("signal", "%s", strsignal(signo)));
    simulate_stop(p->sim);
    loop_stop(p->loop);
}

/* What was done since, when something was. */
static void on_tell(struct loop_timer *t)
{
    struct program *p = container_of(t, struct program, tell);
    struct simulate_stats s;
    simulate_stats(p->sim, &s);
    if (s.running != p->told.running || s.ended != p->told.ended || s.deleted != p->told.deleted || s.nodes != p->told.nodes)
        log_info("simulated", KV("nodes", "%u", s.nodes), KV("pods", "%llu", (unsigned long long)s.pods), KV("running", "%llu", (unsigned long long)s.running),
                 KV("ended", "%llu", (unsigned long long)s.ended), KV("deleted", "%llu", (unsigned long long)s.deleted), KV("waiting", "%llu", (unsigned long long)s.waiting),
                 KV("failures", "%llu", (unsigned long long)s.failures));
    p->told = s;
    loop_timer_set(p->loop, t, loop_now(p->loop) + TELL_NS);
}

static const char *const *read_list(const struct cli_args *a, struct arena *arena, const char *name, const char *more)
{
    size_t n = 0;
    while (cli_list(a, name, n))
        n++;
    const char **list = arena_array(arena, n + 2, const char *);
    for (size_t i = 0; i < n; i++)
        list[i] = cli_list(a, name, i);
    list[n] = more;
    return list;
}

static int start(struct program *p, const struct cli_args *a, struct arena *arena, const char *kubeconfig, uint32_t nodes, struct err *err)
{
    int r = kubeconfig_load(&(struct kubeconfig_paths){.file = kubeconfig}, &p->kubeconfig, err);
    if (r < 0 || (r = kubeconfig_resolve(p->kubeconfig, &(struct kubeconfig_overrides){0}, &p->resolved, err)) < 0)
        return r;
    p->loop = loop_new("simulate", &clock_real, err);
    if (!p->loop)
        return -err->code;
    struct transport_https_opts to = {.kube = &p->resolved, .loop = p->loop, .user_agent = "cox-simulate", .trouble = on_trouble, .recovered = on_recovered};
    if ((r = transport_https_new(&to, &p->transport, err)) < 0)
        return r;
    const char *pods = cli_given(a, "max-pods") ? arena_fmt(arena, "pods=%lld", (long long)cli_int(a, "max-pods", 110)).p : NULL;
    struct simulate_opts so = {.transport = transport_https_client(p->transport), .loop = p->loop, .clock = &clock_real, .nodes = nodes};
    so.first = (uint32_t)cli_int(a, "simulate-first", 0);
    so.prefix = cli_str(a, "simulate-prefix");
    so.zones = (unsigned)cli_int(a, "simulate-zones", 3);
    so.labels = read_list(a, arena, "node-label", NULL);
    so.taints = read_list(a, arena, "node-taint", NULL);
    so.capacity = read_list(a, arena, "node-capacity", pods);
    so.start_min_ns = cli_duration_ns(a, "simulate-start", 0);
    so.start_max_ns = cli_duration_ns(a, "simulate-start-max", 0);
    so.run_ns = cli_duration_ns(a, "simulate-run", 0);
    so.seed = (uint64_t)clock_wall(&clock_real);
    so.parallel = (unsigned)cli_int(a, "simulate-calls", 0);
    if ((r = simulate_new(&so, &p->sim, err)) < 0)
        return r;
    p->signals.on_signal = on_signal;
    p->tell.fire = on_tell;
    loop_timer_set(p->loop, &p->tell, loop_now(p->loop) + TELL_NS);
    return signal_watch_start(&p->signals, p->loop, err);
}

int agent_simulate_run(const struct cli_args *a, const char *kubeconfig, uint32_t nodes, struct err *err)
{
    ARENA_AUTO arena = ARENA_INIT;
    struct program p = {0};
    signal_block();
    int r = start(&p, a, &arena, kubeconfig, nodes, err);
    if (r == 0) {
        log_info("simulating", KV("nodes", "%u", nodes), KV("server", "%s", p.resolved.server));
        loop_run(p.loop);
        log_info("stopped");
    }
    if (p.sim)
        simulate_stop(p.sim);
    if (p.transport)
        transport_https_free(p.transport); /* answers what is under way, so before the one who asked */
    simulate_free(p.sim);
    if (p.loop) {
        if (r == 0)
            signal_watch_stop(&p.signals);
        loop_free(p.loop);
    }
    if (p.kubeconfig)
        kubeconfig_free(p.kubeconfig);
    return r;
}
