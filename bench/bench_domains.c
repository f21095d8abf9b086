/* bench_domains.c - tasks of several institutions where bandwidth is what is scarce.
 *
 *   build/bench-domains --list | --workload NAME[,NAME...] | --json | --tasks N | --nodes N | --profile NAME
 * 10,000 tasks of two or three parties over 50 domains with 2,000 nodes, 1 Gbit/s each; all come at once and ask for five times what there is.
 *   engine   the scheduling engine in virtual time, each task a gang with a part for each party as sched/engine/object_group.c makes it of a TaskResourceGroup.  After every step a ledger that
 *            shares no code with the engine looks for a node with too much and for a task with some of its parties only.
 * The offline bound: until a time T no schedule promises more than the sum over domains of min(what the domain has in T, all its work). */
/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <time.h>

#include "base/vec.h"
#include "bench/lib/report.h"
#include "sched/engine/model.h"
#include "sched/pipeline.h"

#define DOMAINS 50u
#define PARTIES_MAX 3u
#define NODE_MBIT 1000
#define MBIT 1000000ll
#define DOMAIN_LABEL "kuscia.secretflow/namespace"

static uint64_t ntasks = 10000, nnodes = 2000;
static const char *profile = "default";

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

static struct task *tasks_new(void)
{
    static const int32_t sizes[] = {100, 200, 250, 400, 500, 1000};
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

static const struct report_workload workloads[] = {
    {"engine", "the engine alone, virtual time: rate, use of bandwidth, ledger", run_engine},
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
    read_number(argc, argv, "--tasks", &ntasks);
    read_number(argc, argv, "--nodes", &nnodes);
    for (int i = 1; i + 1 < argc; i++)
        if (strcmp(argv[i], "--profile") == 0)
            profile = argv[i + 1];
    if (!str_is(str_of(profile), "default") && !str_is(str_of(profile), "binpack") && !str_is(str_of(profile), "spread")) {
        fprintf(stderr, "bench-domains: --profile is one of default, binpack, spread\n");
        return 2;
    }
    return report_main(argc, argv, workloads);
}
