/* bench_domains.c - tasks of several institutions where bandwidth is what is scarce.
 *
 *   build/bench-domains --list | --workload NAME[,NAME...] | --json | --tasks N | --nodes N | --profile NAME | --run TIME
 * 10,000 tasks of two or three parties over 50 domains with 2,000 nodes, 1 Gbit/s each; all come at once and ask for five times what there is.
 *   engine   the scheduling engine in virtual time, each task a gang with a part for each party as sched/engine/object_group.c makes it of a TaskResourceGroup.  After every step a ledger that
 *            shares no code with the engine looks for a node with too much and for a task with some of its parties only.
 *   sim      the same tasks in the simulator: each sends what takes its time at the rate it asks for, over what nodes really have; with bandwidth scheduled, and by cpu and memory alone.
 *   groups, server   the same tasks through a real server with `cox agent --simulate`; a watch of all pods is the ledger.  Each runs for --run (1 s) so that all are over soon.
 * The offline bound: until a time T no schedule promises more than the sum over domains of min(what the domain has in T, all its work). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/vec.h"
#include "bench/lib/creator.h"
#include "bench/lib/report.h"
#include "sched/engine/model.h"
#include "sched/pipeline.h"
#include "sim/sim.h"

#define DOMAINS 50u
#define PARTIES_MAX 3u
#define NODE_MBIT 1000
#define MBIT 1000000ll
#define DOMAIN_LABEL "kuscia.secretflow/namespace"

static uint64_t ntasks = 10000, nnodes = 2000;
static const char *profile = "default", *run_time = "1s";

static void must(int r, const struct err *err)
{
    if (r >= 0)
        return;
    fprintf(stderr, "bench-domains: %s\n", err->msg);
    exit(1);
}

/* --- the work -------------------------------------------------------------------------------------------------------------------------------------- */

struct task {
    uint32_t parties, domain[PARTIES_MAX];
    int32_t mbit; /* of each party, in both directions */
    nsec_t duration;
    uint32_t node[PARTIES_MAX]; /* where its pods are, UINT32_MAX: nowhere */
    uint32_t bound;
    pod_id pod[PARTIES_MAX];
};

static const int32_t sizes[] = {100, 200, 250, 400, 500, 1000};

static struct task *tasks_new(void)
{
    struct task *t = xarray(ntasks, struct task);
    struct rng rng;
    rng_seed(&rng, 42);
    for (uint64_t i = 0; i < ntasks; i++) {
        t[i].parties = 2 + (uint32_t)rng_below(&rng, 2);
        for (uint32_t p = 0; p < t[i].parties; p++) {
            bool again = true;
            while (again) {
                t[i].domain[p] = (uint32_t)rng_below(&rng, DOMAINS);
                again = false;
                for (uint32_t q = 0; q < p; q++)
                    again |= t[i].domain[q] == t[i].domain[p];
            }
            t[i].node[p] = UINT32_MAX;
        }
        t[i].mbit = sizes[rng_below(&rng, ARRAY_LEN(sizes))];
        t[i].duration = (60 + (nsec_t)rng_below(&rng, 61)) * NSEC_PER_SEC;
    }
    return t;
}

static uint32_t node_domain(uint32_t node)
{
    return node % DOMAINS;
}

/* What is promised on each node, kept by who looks on. */
struct ledger {
    struct task *tasks;
    int64_t *mbit;
    uint64_t overcommits, wrong, samples, now_mbit;
};

static struct ledger ledger_new(struct task *tasks)
{
    return (struct ledger){.tasks = tasks, .mbit = xarray(nnodes, int64_t)};
}

/* True: now all of the task's pods are on nodes. */
static bool ledger_bind(struct ledger *l, uint64_t task, uint32_t party, uint32_t node)
{
    struct task *t = &l->tasks[task];
    if (task >= ntasks || party >= t->parties || node >= nnodes || t->node[party] != UINT32_MAX || node_domain(node) != t->domain[party]) {
        l->wrong++;
        return false;
    }
    t->node[party] = node;
    l->mbit[node] += t->mbit;
    l->now_mbit += (uint64_t)t->mbit;
    l->overcommits += l->mbit[node] > NODE_MBIT;
    l->samples++;
    return ++t->bound == t->parties;
}

static void ledger_release(struct ledger *l, uint64_t task, uint32_t party)
{
    struct task *t = &l->tasks[task];
    if (t->node[party] == UINT32_MAX)
        return;
    l->mbit[t->node[party]] -= t->mbit;
    l->now_mbit -= (uint64_t)t->mbit;
    t->node[party] = UINT32_MAX;
}

/* Mbit that any schedule can have promised for so long until then, times seconds. */
static double bound_until(const struct task *tasks, double seconds)
{
    double work[DOMAINS] = {0}, can[DOMAINS] = {0}, sum = 0;
    for (uint64_t i = 0; i < ntasks; i++)
        for (uint32_t p = 0; p < tasks[i].parties; p++)
            work[tasks[i].domain[p]] += (double)tasks[i].mbit * (double)tasks[i].duration / 1e9;
    for (uint32_t n = 0; n < nnodes; n++)
        can[node_domain(n)] += NODE_MBIT * seconds;
    for (uint32_t d = 0; d < DOMAINS; d++)
        sum += MIN(can[d], work[d]);
    return sum;
}

/* No schedule is through earlier: the domain with the most work for what it has. */
static double least_makespan(const struct task *tasks)
{
    double low = 0, high = 1e9;
    double all = bound_until(tasks, high);
    for (int i = 0; i < 100; i++) {
        double mid = (low + high) / 2;
        *(bound_until(tasks, mid) < all * (1 - 1e-12) ? &low : &high) = mid;
    }
    return high;
}

/* --- the engine ------------------------------------------------------------------------------------------------------------------------------------- */

struct bind {
    pod_id pod;
    node_id node;
};
struct end {
    nsec_t at;
    uint32_t task;
};
struct world {
    struct sched *s;
    struct pipeline *p;
    struct ledger ledger;
    uint32_t *task_of, *node_of; /* by the engine's ids */
    VEC(struct bind) binds;
    VEC(struct end) ends; /* a heap */
    nsec_t now, cpu;
    double promised; /* Mbit times seconds until now */
    uint32_t waiting[DOMAINS]; /* parties whose task has not started */
    uint64_t started, over, torn;
    nsec_t waited, waited_large; /* the longest: of all, of those that need whole nodes of three domains; all came at 0 */
    double full_until, promised_then; /* while every domain has work that waits */
};

static nsec_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static void on_bind(void *arg, pod_id p, node_id n)
{
    struct world *w = arg;
    vec_push(&w->binds, (struct bind){p, n});
}

static void push_end(struct world *w, struct end e)
{
    vec_push(&w->ends, e);
    size_t i = w->ends.len - 1;
    for (; i && e.at < w->ends.p[(i - 1) / 2].at; i = (i - 1) / 2)
        w->ends.p[i] = w->ends.p[(i - 1) / 2];
    w->ends.p[i] = e;
}

static struct end pop_end(struct world *w)
{
    struct end first = w->ends.p[0], last = vec_pop(&w->ends);
    size_t i = 0, n = w->ends.len;
    while (2 * i + 1 < n) {
        size_t child = 2 * i + 1;
        child += child + 1 < n && w->ends.p[child + 1].at < w->ends.p[child].at;
        if (w->ends.p[child].at >= last.at)
            break;
        w->ends.p[i] = w->ends.p[child];
        i = child;
    }
    if (n)
        w->ends.p[i] = last;
    return first;
}

static void put_nodes(struct world *w)
{
    for (uint32_t i = 0; i < nnodes; i++) {
        char name[24], domain[16];
        node_id id;
        struct err err = ERR_NONE;
        snprintf(name, sizeof name, "node-%u", i);
        snprintf(domain, sizeof domain, "d%u", node_domain(i));
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S(DOMAIN_LABEL), str_of(domain)}};
        struct res_amount res[] = {{RES_CPU, 32000}, {RES_MEMORY, 256ll << 30}, {RES_PODS, 110}, {RES_INGRESS, NODE_MBIT * MBIT}, {RES_EGRESS, NODE_MBIT * MBIT}};
        struct node_spec n = {.name = str_of(name), .labels = {labels, 2}, .allocatable = {res, ARRAY_LEN(res)}};
        must(sched_node_put(w->s, &n, &id, &err), &err);
        BUG_ON(id >= 2 * nnodes + 64);
        w->node_of[id] = i;
    }
}

static void put_task(struct world *w, uint32_t number)
{
    struct task *t = &w->ledger.tasks[number];
    char name[24], domain[PARTIES_MAX][16];
    struct err err = ERR_NONE;
    struct spec_subgroup parts[PARTIES_MAX];
    snprintf(name, sizeof name, "t%u", number);
    for (uint32_t p = 0; p < t->parties; p++) {
        snprintf(domain[p], sizeof domain[p], "d%u", t->domain[p]);
        parts[p] = (struct spec_subgroup){.name = str_of(domain[p]), .min_member = 1};
        w->waiting[t->domain[p]]++;
    }
    struct group_spec g = {.ns = S(""), .name = str_of(name), .min_member = (int32_t)t->parties, .subgroups = parts, .nsubgroups = t->parties, .created_ns = number};
    must(sched_group_put(w->s, &g, NULL, &err), &err);
    for (uint32_t p = 0; p < t->parties; p++) {
        char pod[32];
        snprintf(pod, sizeof pod, "t%u-%u", number, p);
        struct res_amount req[] = {{RES_CPU, 100}, {RES_MEMORY, 128 << 20}, {RES_INGRESS, t->mbit * MBIT}, {RES_EGRESS, t->mbit * MBIT}};
        struct spec_label selector = {S(DOMAIN_LABEL), str_of(domain[p])};
        struct pod_spec spec = {.ns = str_of(domain[p]), .name = str_of(pod), .uid = str_of(pod), .group = str_of(name), .group_is_cluster = true, .subgroup = str_of(domain[p]), .created_ns = number,
                                .requests = {req, ARRAY_LEN(req)}, .nonzero_cpu = 100, .nonzero_memory = 128 << 20, .node_selector = {&selector, 1}};
        must(sched_pod_put(w->s, &spec, &t->pod[p], &err), &err);
        BUG_ON(t->pod[p] >= (PARTIES_MAX + 1) * ntasks + 64);
        w->task_of[t->pod[p]] = number;
    }
    must(dispatcher_add(pipeline_dispatcher(w->p), sched_unit_of(w->s, t->pod[0]), 0, &err), &err);
}

/* What the engine decided happens, all of a task or nothing. */
static size_t act(struct world *w)
{
    size_t n = w->binds.len;
    for (size_t i = 0; i < n; i++) {
        struct bind b = w->binds.p[i];
        uint32_t number = w->task_of[b.pod], party = 0;
        struct task *t = &w->ledger.tasks[number];
        nsec_t start = cpu_ns();
        binder_confirmed(pipeline_binder(w->p), b.pod);
        if (w->s->pods[b.pod].state == PS_ASSUMED)
            model_set_state(w->s, b.pod, PS_BOUND);
        w->cpu += cpu_ns() - start;
        while (party < t->parties && t->pod[party] != b.pod)
            party++;
        if (!ledger_bind(&w->ledger, number, party, w->node_of[b.node]))
            continue;
        w->started++;
        w->waited = MAX(w->waited, w->now);
        if (t->parties == PARTIES_MAX && t->mbit == NODE_MBIT)
            w->waited_large = MAX(w->waited_large, w->now);
        for (uint32_t p = 0; p < t->parties; p++)
            w->waiting[t->domain[p]]--;
        push_end(w, (struct end){w->now + t->duration, number});
    }
    for (size_t i = 0; i < n; i++) {
        const struct task *t = &w->ledger.tasks[w->task_of[w->binds.p[i].pod]];
        w->torn += t->bound != t->parties;
    }
    vec_clear(&w->binds);
    return n;
}

static nsec_t settle(struct world *w)
{
    struct dispatcher *d = pipeline_dispatcher(w->p);
    nsec_t again;
    size_t done;
    do {
        nsec_t start = cpu_ns();
        dispatcher_events(d, sched_take_events(w->s), w->now);
        dispatcher_tick(d, w->now);
        binder_tick(pipeline_binder(w->p), w->now);
        pipeline_run(w->p, w->now, 0);
        again = dispatcher_tick(d, w->now);
        w->cpu += cpu_ns() - start;
        done = act(w);
    } while (done);
    return again;
}

static void end_task(struct world *w, uint32_t number)
{
    struct task *t = &w->ledger.tasks[number];
    char name[24];
    snprintf(name, sizeof name, "t%u", number);
    unit_id u = sched_unit_of(w->s, t->pod[0]);
    for (uint32_t p = 0; p < t->parties; p++) {
        char pod[32], ns[16];
        snprintf(pod, sizeof pod, "t%u-%u", number, p);
        snprintf(ns, sizeof ns, "d%u", t->domain[p]);
        ledger_release(&w->ledger, number, p);
        nsec_t start = cpu_ns();
        binder_pod_gone(pipeline_binder(w->p), t->pod[p]);
        sched_pod_delete(w->s, str_of(ns), str_of(pod));
        w->cpu += cpu_ns() - start;
    }
    dispatcher_remove(pipeline_dispatcher(w->p), u);
    sched_group_delete(w->s, S(""), str_of(name));
    w->over++;
}

static bool all_domains_wait(const struct world *w)
{
    for (uint32_t d = 0; d < DOMAINS; d++)
        if (!w->waiting[d])
            return false;
    return true;
}

static void run_engine(void)
{
    struct err err = ERR_NONE;
    struct world w = {.s = sched_new(profile_builtin(str_of(profile)), 1), .ledger = ledger_new(tasks_new()), .task_of = xarray((PARTIES_MAX + 1) * ntasks + 64, uint32_t),
                      .node_of = xarray(2 * nnodes + 64, uint32_t)};
    struct binder_calls calls = {.arg = &w, .bind = on_bind};
    struct pipeline_opts how = {.workers = 1, .dispatch = DISPATCHER_OPTS_DEFAULT};
    w.p = pipeline_new(w.s, &how, &calls, &err);
    must(w.p ? 0 : -1, &err);
    put_nodes(&w);
    for (uint32_t i = 0; i < ntasks; i++)
        put_task(&w, i);
    nsec_t again = settle(&w);
    while (w.over < ntasks && (w.ends.len || again != INT64_MAX)) {
        nsec_t at = MAX(MIN(w.ends.len ? w.ends.p[0].at : INT64_MAX, again), w.now);
        w.promised += (double)w.ledger.now_mbit * (double)(at - w.now) / 1e9;
        if (all_domains_wait(&w)) {
            w.full_until = (double)at / 1e9;
            w.promised_then = w.promised;
        }
        w.now = at;
        while (w.ends.len && w.ends.p[0].at <= w.now)
            end_task(&w, pop_end(&w).task);
        again = settle(&w);
    }
    must(model_check(w.s, &err), &err);
    struct pipeline_counts c = pipeline_count(w.p);
    double cpu_s = (double)w.cpu / 1e9, took = (double)w.now / 1e9, least = least_makespan(w.ledger.tasks);
    report("engine", "tasks that completed", (double)w.over, "", 0, (double)ntasks, REPORT_MORE);
    report("engine", "tasks reserved and bound, a CPU second of one core", (double)w.started / cpu_s, "/s", 0, 2000, REPORT_MORE);
    report("engine", "decisions, those in vain included", (double)c.decided / cpu_s, "/s", 0, 0, REPORT_MORE);
    report("engine", "decisions a task", (double)c.decided / (double)w.started, "", 0, 0, REPORT_LESS);
    report("engine", "of the offline bound promised while all domains have a queue", 100 * w.promised_then / bound_until(w.ledger.tasks, w.full_until), "%", 0, 95, REPORT_MORE);
    report("engine", "how long that was, virtual", w.full_until, "s", 0, 0, REPORT_MORE);
    report("engine", "longest wait, virtual", (double)w.waited / 1e9, "s", 0, 0, REPORT_LESS);
    report("engine", "the same, of those that need whole nodes of three domains", (double)w.waited_large / 1e9, "s", 0, 0, REPORT_LESS);
    report("engine", "all done, virtual", took, "s", 0, 0, REPORT_LESS);
    report("engine", "no schedule is through before", least, "s", 0, 0, REPORT_LESS);
    report("engine", "of the offline bound, to the last task's end", 100 * least / took, "%", 0, 0, REPORT_MORE);
    printf("# over-commits %llu, parts of a task %llu, wrong %llu in %llu looks\n", (unsigned long long)w.ledger.overcommits, (unsigned long long)w.torn, (unsigned long long)w.ledger.wrong,
           (unsigned long long)w.ledger.samples);
    if (w.ledger.overcommits || w.torn || w.ledger.wrong || w.over < ntasks) {
        fprintf(stderr, "bench-domains: WRONG\n");
        exit(1);
    }
    pipeline_free(w.p);
    sched_free(w.s);
    vec_fini(&w.binds);
    vec_fini(&w.ends);
    free(w.task_of);
    free(w.node_of);
    free(w.ledger.mbit);
    free(w.ledger.tasks);
}

/* --- with and without bandwidth scheduling ---------------------------------------------------------------------------------------------------------- */

/* Each party sends what takes the task's time at the rate it asks for; there is nothing else to do. */
static const struct sim_result *simulate(struct sim *sim, const struct task *tasks, struct arena *a)
{
    struct err err = ERR_NONE;
    struct scenario_template *templates = arena_array(a, DOMAINS, struct scenario_template);
    for (uint32_t d = 0; d < DOMAINS; d++) {
        templates[d] = (struct scenario_template){.cpu_milli = 32000, .memory = 256ll << 30, .pods = 110, .bandwidth = {NODE_MBIT * MBIT, NODE_MBIT * MBIT}};
        templates[d].name = templates[d].domain = arena_fmt(a, "d%u", d);
        must(sim_add_nodes(sim, &templates[d], (uint32_t)(nnodes / DOMAINS + (d < nnodes % DOMAINS)), &err), &err);
    }
    for (uint64_t i = 0; i < ntasks; i++) {
        struct scenario_job *j = arena_new(a, struct scenario_job);
        const struct task *t = &tasks[i];
        uint32_t kind;
        *j = (struct scenario_job){.name = arena_fmt(a, "t%llu", (unsigned long long)i), .ns = S("default"), .count = 1, .replicas = 1, .min_member = -1, .path = S("")};
        j->requests = (struct scenario_requests){.cpu_milli = 100, .memory = 128 << 20, .bandwidth = {t->mbit * MBIT, t->mbit * MBIT}};
        j->parties = (struct field_strs){arena_array(a, t->parties, str), t->parties};
        for (uint32_t p = 0; p < t->parties; p++)
            j->parties.p[p] = templates[t->domain[p]].domain;
        j->transfer = (int64_t)((double)t->mbit * MBIT / 8 * (double)t->duration / 1e9);
        must(sim_add_kind(sim, j, &kind, &err), &err);
        sim_add_job(sim, kind, j->name, 0, 0, 0);
    }
    must(sim_run(sim, INT64_MAX, &err), &err);
    must(sim_check(sim, &err), &err);
    return sim_result(sim);
}

static void run_sim(void)
{
    ARENA_AUTO a = ARENA_INIT;
    struct task *tasks = tasks_new();
    double took[2], mean[2];
    for (int ignored = 0; ignored < 2; ignored++) {
        struct err err = ERR_NONE;
        struct sim *sim = sim_new(profile_builtin(str_of(profile)), &(struct sim_opts){.seed = 42, .ignores_bandwidth = ignored}, &err);
        const struct sim_result *r = simulate(sim, tasks, &a);
        if (r->transfers != ntasks) {
            fprintf(stderr, "bench-domains: WRONG: %llu of %llu tasks completed\n", (unsigned long long)r->transfers, (unsigned long long)ntasks);
            exit(1);
        }
        took[ignored] = (double)r->end / 1e9;
        mean[ignored] = r->turnaround;
        report("sim", ignored ? "by cpu and memory alone: all done, virtual" : "bandwidth scheduled: all done, virtual", took[ignored], "s", 0, 0, REPORT_LESS);
        report("sim", "mean time to a task's end", mean[ignored], "s", 0, 0, REPORT_LESS);
        report("sim", "mean time of a transfer", r->transfer_s, "s", 0, 0, REPORT_LESS);
        sim_free(sim);
    }
    report("sim", "by cpu and memory alone it takes, times", took[1] / took[0], "", 0, 0, REPORT_MORE);
    report("sim", "and the mean task, times", mean[1] / mean[0], "", 0, 0, REPORT_MORE);
    report("sim", "no schedule is through before", least_makespan(tasks), "s", 0, 0, REPORT_LESS);
    free(tasks);
}

/* --- through a server ---------------------------------------------------------------------------------------------------------------------------------- */

#define APP "bench"
#define AWAITED_S 60 /* nothing comes for so long: it is over */
static struct task *made; /* what creators write about */
struct member {
    uint32_t task, party;
};
static VEC(struct member) members;

static nsec_t mono(void)
{
    return clock_mono(&clock_real);
}

/* What runs beside this process; it goes with it, whatever it says. */
static struct target *server;
static pid_t nodes;

static void stop_all(void)
{
    if (nodes > 0) {
        kill(nodes, SIGTERM);
        waitpid(nodes, NULL, 0);
    }
    nodes = 0;
    if (server)
        target_stop(server);
    server = NULL;
}

/* Names are "t17", its pods "t17-0" in the namespaces of the parties as the controller calls them. */
static void namespaces_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("/api/v1/namespaces"));
}
static void namespace_body(struct strbuf *b, uint64_t n)
{
    char name[24] = "cross-domain";
    if (n < DOMAINS)
        snprintf(name, sizeof name, "d%llu", (unsigned long long)n);
    strbuf_addf(b, "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"}}", name);
}
static void app_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("/apis/kuscia.secretflow/v1alpha1/appimages"));
}
/* One for each size: what a program asks for stands in its template. */
static void app_body(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b,
                "{\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"kind\":\"AppImage\",\"metadata\":{\"name\":\"" APP "-%d\"},\"spec\":{\"image\":{\"name\":\"bench\",\"tag\":\"1\"},\"configTemplates\":{\"task.json\":"
                "\"{{.TASK_INPUT_CONFIG}}\"},\"deployTemplates\":[{\"name\":\"bench\",\"replicas\":1,\"spec\":{\"restartPolicy\":\"Never\",\"containers\":[{\"name\":\"c\",\"command\":[\"run\"],\"configVolumeMounts\":"
                "[{\"mountPath\":\"/task.json\",\"subPath\":\"task.json\"}],\"ports\":[{\"name\":\"data\",\"protocol\":\"HTTP\",\"scope\":\"Cluster\"}],\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\","
                "\"kuscia.io/bandwidth\":\"%d\"},\"limits\":{\"kuscia.io/bandwidth\":\"%d\"}}}]}}]}}",
                sizes[n], sizes[n], sizes[n]);
}
static void tasks_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciatasks"));
}
static void task_body(struct strbuf *b, uint64_t n)
{
    const struct task *t = &made[n];
    strbuf_addf(b,
                "{\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"kind\":\"KusciaTask\",\"metadata\":{\"name\":\"t%llu\",\"namespace\":\"cross-domain\"},\"spec\":{\"initiator\":\"d%u\",\"taskInputConfig\":\"x\","
                "\"scheduleConfig\":{\"lifecycleSeconds\":3600,\"resourceReservedSeconds\":600},\"parties\":[",
                (unsigned long long)n, t->domain[0]);
    for (uint32_t p = 0; p < t->parties; p++)
        strbuf_addf(b, "%s{\"domainID\":\"d%u\",\"appImageRef\":\"" APP "-%d\"}", p ? "," : "", t->domain[p], t->mbit);
    strbuf_add_str(b, S("]}}"));
}
static void groups_path(struct strbuf *b, uint64_t n UNUSED)
{
    strbuf_add_str(b, S("/apis/kuscia.secretflow/v1alpha1/taskresourcegroups"));
}
static void group_body(struct strbuf *b, uint64_t n)
{
    const struct task *t = &made[n];
    strbuf_addf(b,
                "{\"apiVersion\":\"kuscia.secretflow/v1alpha1\",\"kind\":\"TaskResourceGroup\",\"metadata\":{\"name\":\"t%llu\"},\"spec\":{\"initiator\":\"d%u\",\"minReservedMembers\":%u,\"lifecycleSeconds\":3600,"
                "\"resourceReservedSeconds\":600,\"retryIntervalSeconds\":600,\"parties\":[",
                (unsigned long long)n, t->domain[0], t->parties);
    for (uint32_t p = 0; p < t->parties; p++)
        strbuf_addf(b, "%s{\"domainID\":\"d%u\",\"minReservedPods\":1,\"pods\":[{\"name\":\"t%llu-0\"}]}", p ? "," : "", t->domain[p], (unsigned long long)n);
    strbuf_add_str(b, S("]}}"));
}
static void pods_path(struct strbuf *b, uint64_t n)
{
    strbuf_addf(b, "/api/v1/namespaces/d%u/pods", made[members.p[n].task].domain[members.p[n].party]);
}
static void pod_body(struct strbuf *b, uint64_t n)
{
    const struct task *t = &made[members.p[n].task];
    strbuf_addf(b,
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t%u-0\",\"annotations\":{\"kuscia.secretflow/task-resource-group\":\"t%u\"}},\"spec\":{\"restartPolicy\":\"Never\",\"schedulerName\":"
                "\"kuscia-scheduler\",\"automountServiceAccountToken\":false,\"nodeSelector\":{\"" DOMAIN_LABEL "\":\"d%u\"},\"tolerations\":[{\"key\":\"kuscia.secretflow/agent\",\"operator\":\"Exists\",\"effect\":\"NoSchedule\"}],"
                "\"containers\":[{\"name\":\"c\",\"image\":\"bench:1\",\"resources\":{\"requests\":{\"cpu\":\"100m\",\"memory\":\"128Mi\",\"kuscia.io/bandwidth\":\"%d\"},\"limits\":{\"kuscia.io/bandwidth\":\"%d\"}}}]}}",
                members.p[n].task, members.p[n].task, t->domain[members.p[n].party], t->mbit, t->mbit);
}

/* All numbers from this process. */
static void create_all(const struct target *t, uint64_t end, void (*path)(struct strbuf *b, uint64_t n), void (*body)(struct strbuf *b, uint64_t n))
{
    struct creator_shared *s = creator_shared_new();
    atomic_store(&s->start, 1);
    struct creator c = {.shared = s, .end = end, .step = 1, .connections = MIN(end, (uint64_t)64), .method = "POST", .path = path, .body = body};
    creator_run(t, &c);
    if (atomic_load(&s->failed)) {
        fprintf(stderr, "bench-domains: %llu requests failed\n", (unsigned long long)atomic_load(&s->failed));
        exit(1);
    }
    munmap(s, sizeof *s);
}

/* --- what is seen of it: one watch of all pods that have a node; events come in the order of writes, so the ledger is exact ----------------------------- */

struct seen {
    struct load *load;
    struct ledger ledger;
    struct strbuf line;
    uint64_t revision, bound, over, wanted, resumed, *ended; /* tasks; parties of each that ended */
    nsec_t first_bound, last_bound, last;
};

static bool watch_next(void *arg, struct load_conn *c UNUSED, struct strbuf *out)
{
    const struct seen *x = arg;
    char path[160];
    snprintf(path, sizeof path, "/api/v1/pods?watch=true&fieldSelector=spec.nodeName!%%3D");
    if (x->revision)
        snprintf(path + strlen(path), sizeof path - strlen(path), "&resourceVersion=%llu", (unsigned long long)x->revision);
    load_request(out, "GET", str_of(path), S(""));
    return true;
}

static void watch_answer(void *arg, struct load_conn *c UNUSED, int status, str body, nsec_t took UNUSED)
{
    struct seen *x = arg;
    x->resumed++;
    if (status == 200)
        return;
    fprintf(stderr, "bench-domains: the watch ended with %d " STR_FMT "\n", status, STR_ARG(str_sub(body, 0, 200)));
    exit(1);
}

static uint64_t number_after(str line, str text)
{
    ptrdiff_t at = str_find(line, text);
    uint64_t n = 0;
    if (at < 0)
        return UINT64_MAX;
    size_t i = (size_t)at + text.len;
    for (; i < line.len && line.p[i] >= '0' && line.p[i] <= '9'; i++)
        n = n * 10 + (uint64_t)(line.p[i] - '0');
    return i == (size_t)at + text.len ? UINT64_MAX : n;
}

static void see_pod(struct seen *x, str line)
{
    uint64_t task = number_after(line, S("\"name\":\"t")), domain = number_after(line, S("\"namespace\":\"d")), node = number_after(line, S("\"nodeName\":\"node-"));
    x->revision = number_after(line, S("\"resourceVersion\":\""));
    x->last = mono();
    uint32_t p = 0;
    while (task < ntasks && p < x->ledger.tasks[task].parties && x->ledger.tasks[task].domain[p] != domain)
        p++;
    if (task >= ntasks || p == x->ledger.tasks[task].parties || node >= nnodes) {
        x->ledger.wrong++;
        return;
    }
    struct task *t = &x->ledger.tasks[task];
    bool ends = str_find(line, S("\"phase\":\"Succeeded\"")) >= 0 || str_find(line, S("\"phase\":\"Failed\"")) >= 0;
    if (t->node[p] == UINT32_MAX && !(x->ended[task] >> p & 1)) {
        x->first_bound = x->first_bound ? x->first_bound : x->last;
        if (ledger_bind(&x->ledger, task, p, (uint32_t)node)) {
            x->last_bound = x->last;
            if (++x->bound == x->wanted)
                load_stop(x->load);
        }
    }
    if (ends && !(x->ended[task] >> p & 1)) {
        ledger_release(&x->ledger, task, p);
        x->ended[task] |= 1ull << p;
        if (x->ended[task] == (1ull << t->parties) - 1 && ++x->over == ntasks)
            load_stop(x->load);
    }
}

static void watch_bytes(void *arg, struct load_conn *c UNUSED, str bytes)
{
    struct seen *x = arg;
    const char *end;
    while ((end = memchr(bytes.p, '\n', bytes.len))) {
        str line = str_n(bytes.p, (size_t)(end - bytes.p));
        bytes = str_from(bytes, line.len + 1);
        if (x->line.len) {
            strbuf_add_str(&x->line, line);
            line = strbuf_str(&x->line);
        }
        see_pod(x, line);
        strbuf_clear(&x->line);
    }
    strbuf_add_str(&x->line, bytes);
}

static void see_open(struct seen *x, const struct target *t)
{
    static const struct load_ops ops = {.next = watch_next, .answer = watch_answer, .bytes = watch_bytes};
    struct task *tasks = tasks_new();
    *x = (struct seen){.ledger = ledger_new(tasks), .ended = xarray(ntasks, uint64_t), .last = mono()};
    x->load = load_new(t, &ops, x);
    load_open(x->load, 1, 1);
}

/* Until so many are bound, or nothing has come for a while. */
static void see_bound(struct seen *x, uint64_t count)
{
    for (x->wanted = count; x->bound < count && mono() - x->last < AWAITED_S * NSEC_PER_SEC;)
        load_run(x->load, NSEC_PER_SEC);
    x->wanted = 0;
}

/* Until all is over. */
static void see_run(struct seen *x)
{
    while (x->over < ntasks && mono() - x->last < AWAITED_S * NSEC_PER_SEC)
        load_run(x->load, NSEC_PER_SEC);
}

static void see_close(struct seen *x)
{
    load_free(x->load);
    free(x->ledger.mbit);
    free(x->ledger.tasks);
    free(x->ended);
    strbuf_fini(&x->line);
}

/* --- nodes --------------------------------------------------------------------------------------------------------------------------------------------- */

static void nodes_start(const struct target *t)
{
    char kubeconfig[300], number[24];
    snprintf(kubeconfig, sizeof kubeconfig, "%s/kubeconfig", t->dir);
    snprintf(number, sizeof number, "%llu", (unsigned long long)nnodes);
    fflush(stdout);
    nodes = fork();
    if (nodes == 0) {
        int null = open("/dev/null", O_WRONLY);
        dup2(null, 1);
        execl(getenv("COX") ? getenv("COX") : "build/cox", "cox", "agent", "--kubeconfig", kubeconfig, "--simulate", number, "--simulate-prefix", "node-", "--simulate-run", run_time, "--node-label",
              DOMAIN_LABEL "=d{50}", "--node-taint", "kuscia.secretflow/agent=:NoSchedule", "--node-capacity", "kuscia.io/bandwidth=1000", "--log-level", "error", (char *)NULL);
        _exit(127);
    }
}

static void wait_for_nodes(const struct target *t)
{
    char command[600];
    uint64_t ready = 0;
    snprintf(command, sizeof command, "%s get nodes --kubeconfig %s/kubeconfig --no-headers 2>/dev/null | grep -c ' Ready '", getenv("COX") ? getenv("COX") : "build/cox", t->dir);
    for (int i = 0; i < 120 && ready < nnodes; i++) {
        char line[32] = "";
        FILE *f = popen(command, "r");
        if (f && fgets(line, sizeof line, f))
            str_to_u64(str_trim(str_of(line)), &ready);
        if (f)
            pclose(f);
        if (ready < nnodes)
            sleep(1);
    }
    if (ready < nnodes) {
        fprintf(stderr, "bench-domains: %llu of %llu simulated nodes are ready\n", (unsigned long long)ready, (unsigned long long)nnodes);
        exit(1);
    }
}

/* --- what it cost: requests by resource as the server counts them, and what its log says ---------------------------------------------------------------- */

struct cost {
    char *resource; /* with its subresource, "pods/status" */
    double writes, reads;
};
struct before {
    double cpu, writes, syncs;
    VEC(struct cost) of;
};

static str label_of(str line, const char *name)
{
    char head[40];
    snprintf(head, sizeof head, "%s=\"", name);
    ptrdiff_t at = str_find(line, str_of(head));
    str rest = at < 0 ? S("") : str_from(line, (size_t)at + strlen(head)), value;
    str_cut(&rest, '"', &value);
    return value;
}

static struct cost *cost_of(struct before *b, str resource, str sub)
{
    char name[100];
    snprintf(name, sizeof name, STR_FMT "%s" STR_FMT, STR_ARG(resource), sub.len ? "/" : "", STR_ARG(sub));
    for (size_t i = 0; i < b->of.len; i++)
        if (strcmp(b->of.p[i].resource, name) == 0)
            return &b->of.p[i];
    vec_push(&b->of, (struct cost){.resource = xstrdup(name)});
    return &b->of.p[b->of.len - 1];
}

/* Nodes say that they are alive, whether there are tasks or not; watches are asked for once. */
static struct before measure(const struct target *t)
{
    struct before b = {target_cpu_s(t), load_get_metric(t, "cox_store_transactions_total"), load_get_metric(t, "cox_store_fsyncs_total"), {0}};
    STRBUF_AUTO body = STRBUF_HEAP;
    str rest, line, key;
    load_get(t, "/metrics", &body);
    for (rest = strbuf_str(&body); rest.len;) {
        str_cut(&rest, '\n', &line);
        str_cut(&line, ' ', &key);
        str verb = label_of(key, "verb"), resource = label_of(key, "resource");
        double count = 0;
        if (!str_has_prefix(key, S("apiserver_request_total{")) || !resource.len || str_is(resource, "nodes") || str_is(resource, "leases") || str_is(verb, "WATCH"))
            continue;
        str_to_double(line, &count);
        struct cost *c = cost_of(&b, resource, label_of(key, "subresource"));
        *(str_is(verb, "GET") || str_is(verb, "LIST") ? &c->reads : &c->writes) += count;
    }
    return b;
}

static void before_fini(struct before *b)
{
    for (size_t i = 0; i < b->of.len; i++)
        free(b->of.p[i].resource);
    vec_fini(&b->of);
}

static int by_writes(const void *a, const void *b)
{
    const struct cost *x = a, *y = b;
    return (x->writes < y->writes) - (x->writes > y->writes);
}

static void tell_requests(const char *name, struct before *was, struct before *is, double n)
{
    double writes = 0, reads = 0;
    for (size_t i = 0; i < is->of.len; i++) {
        struct cost *c = &is->of.p[i], *old = cost_of(was, str_of(c->resource), S(""));
        writes += c->writes -= old->writes;
        reads += c->reads -= old->reads;
    }
    if (is->of.len)
        qsort(is->of.p, is->of.len, sizeof *is->of.p, by_writes);
    report(name, "requests that write, a task", writes / n, "", 0, 0, REPORT_LESS);
    report(name, "requests that read, a task", reads / n, "", 0, 0, REPORT_LESS);
    for (size_t i = 0; i < is->of.len; i++) {
        const struct cost *c = &is->of.p[i];
        if (c->writes + c->reads >= n / 20)
            printf("#   %-32s %6.2f written %6.2f read, a task\n", c->resource, c->writes / n, c->reads / n);
    }
}

static void tell_rates(const char *name, const struct target *t, double ntasks_, double took_s, double limit, struct before *was)
{
    struct before is = measure(t);
    report(name, "tasks reserved and bound", ntasks_ / took_s, "/s", 0, limit, REPORT_MORE);
    report(name, "server CPU a task", (is.cpu - was->cpu) / ntasks_ * 1e6, "us", 0, 0, REPORT_LESS);
    report(name, "durable writes a task", (is.writes - was->writes) / ntasks_, "", 0, 0, REPORT_LESS);
    report(name, "syncs of the log a task", (is.syncs - was->syncs) / ntasks_, "", 0, 0, REPORT_LESS);
    tell_requests(name, was, &is, ntasks_);
    before_fini(&is);
    before_fini(was);
}

/* Tasks leave their pods for the logs; when services and slices are as few as before, all is cleaned up. */
static double left_over(const struct target *t)
{
    return load_get_metric(t, "apiserver_storage_objects{resource=\"services\"}") + load_get_metric(t, "apiserver_storage_objects{resource=\"endpointslices.discovery.k8s.io\"}");
}

static void see_clean(const struct target *t, double before)
{
    for (nsec_t end = mono() + AWAITED_S * NSEC_PER_SEC; left_over(t) > before && mono() < end;)
        usleep(200000);
}

static void tell_end(const char *name, const struct seen *x)
{
    report(name, "tasks that completed", (double)x->over, "", 0, (double)ntasks, REPORT_MORE);
    printf("# over-commits %llu, wrong %llu in %llu looks; the watch was resumed %llu times\n", (unsigned long long)x->ledger.overcommits, (unsigned long long)x->ledger.wrong,
           (unsigned long long)x->ledger.samples, (unsigned long long)x->resumed);
    if (x->ledger.overcommits || x->ledger.wrong || x->over < ntasks) {
        fprintf(stderr, "bench-domains: WRONG: %llu of %llu tasks are bound, %llu over\n", (unsigned long long)x->bound, (unsigned long long)ntasks, (unsigned long long)x->over);
        exit(1);
    }
}

static void prepare(struct target *t, const char *option)
{
    struct err err = ERR_NONE;
    must(target_start_with(t, "", option, &err), &err);
    server = t;
    made = tasks_new();
    for (uint32_t i = 0; i < ntasks; i++)
        for (uint32_t p = 0; p < made[i].parties; p++)
            vec_push(&members, (struct member){i, p});
    create_all(t, DOMAINS + 1, namespaces_path, namespace_body);
    create_all(t, ARRAY_LEN(sizes), app_path, app_body);
}

static void finish(struct target *t, struct seen *x)
{
    stop_all();
    see_close(x);
    target_remove(t);
    free(made);
    vec_fini(&members);
}

/* The scheduling path alone: groups and pods are there before a scheduler is, and nodes do nothing until a twentieth of the tasks is bound (the largest come first: there is room for a fifteenth).  Then they run them, and the
 * rest comes as there is room. */
static void run_groups(void)
{
    struct target t;
    struct seen x;
    struct err err = ERR_NONE;
    prepare(&t, NULL);
    nodes_start(&t);
    wait_for_nodes(&t);
    create_all(&t, ntasks, groups_path, group_body);
    create_all(&t, members.len, pods_path, pod_body);
    stop_all();
    char dir[sizeof t.dir];
    memcpy(dir, t.dir, sizeof dir);
    must(target_start_with(&t, dir, "--scheduler=true", &err), &err);
    server = &t;
    see_open(&x, &t);
    struct before was = measure(&t);
    see_bound(&x, ntasks / 20);
    tell_rates("groups", &t, (double)x.bound, (double)(x.last_bound - x.first_bound) / 1e9, 2000, &was);
    nodes_start(&t);
    see_run(&x);
    tell_end("groups", &x);
    finish(&t, &x);
}

/* The whole path: clients create KusciaTasks. */
static void run_server(void)
{
    struct target t;
    struct seen x;
    prepare(&t, "--scheduler=true");
    nodes_start(&t);
    wait_for_nodes(&t);
    sleep(2); /* until everybody has heard of the nodes */
    see_open(&x, &t);
    double nothing = left_over(&t);
    struct creator_shared *s = creator_shared_new();
    pid_t pids[CREATORS];
    struct creator like = {.end = ntasks, .connections = 64, .method = "POST", .path = tasks_path, .body = task_body};
    creators_start(&t, &like, s, pids);
    struct before was = measure(&t);
    nsec_t start = mono();
    atomic_store(&s->start, start);
    see_bound(&x, ntasks / 10);
    report("server", "tasks from created to bound, of the first tenth", (double)x.bound / ((double)(x.last_bound - start) / 1e9), "/s", 0, 2000, REPORT_MORE);
    see_run(&x);
    creators_end(pids);
    see_clean(&t, nothing);
    tell_rates("server", &t, (double)x.bound, (double)(x.last_bound - start) / 1e9, 0, &was);
    tell_end("server", &x);
    munmap(s, sizeof *s);
    finish(&t, &x);
}

static const struct report_workload workloads[] = {
    {"engine", "the engine alone, virtual time: rate, use of bandwidth, ledger", run_engine},
    {"sim", "cox sim with data that has to be sent: bandwidth scheduled, and ignored", run_sim},
    {"groups", "a server with simulated nodes: TaskResourceGroups and pods that are there already", run_groups},
    {"server", "a server with simulated nodes: KusciaTasks as clients create them", run_server},
    {0},
};

static void read_number(int argc, char **argv, const char *name, uint64_t *ret)
{
    for (int i = 1; i + 1 < argc; i++) {
        uint64_t n;
        if (strcmp(argv[i], name) == 0 && str_to_u64(str_of(argv[i + 1]), &n) && n)
            *ret = n;
    }
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    atexit(stop_all);
    read_number(argc, argv, "--tasks", &ntasks);
    read_number(argc, argv, "--nodes", &nnodes);
    for (int i = 1; i + 1 < argc; i++)
        *(strcmp(argv[i], "--profile") == 0 ? &profile : strcmp(argv[i], "--run") == 0 ? &run_time : &(const char *){NULL}) = argv[i + 1];
    if (!str_is(str_of(profile), "default") && !str_is(str_of(profile), "binpack") && !str_is(str_of(profile), "spread")) {
        fprintf(stderr, "bench-domains: --profile is one of default, binpack, spread\n");
        return 2;
    }
    return report_main(argc, argv, workloads);
}
