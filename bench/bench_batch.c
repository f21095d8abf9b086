/* bench_batch.c - the batch policy: fair shares of a tree of queues, and whole rounds on the engine.
 *
 *     build/bench-batch --list
 *     build/bench-batch [--workload NAME[,NAME...]] [--json]
 * One core, CPU time, no API server: what one turn of the policy costs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <time.h>

#include "base/clock.h"
#include "bench/lib/report.h"
#include "sched/policy/policy.h"

/* CPU time: what others do on the machine in a turn of a tenth of a millisecond is not the policy's. */
static nsec_t cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

/* --- divide ------------------------------------------------------------------------------------------------------------------------------------ */

#define QUEUES 1000u
#define LEVELS 4u
#define DIVISIONS 2000
static const uint32_t level_size[LEVELS] = {4, 24, 144, QUEUES - 4 - 24 - 144};

struct tree {
    struct queues *q;
    queue_id ids[QUEUES];
    uint32_t first_leaf;
    struct policy_amounts asks[QUEUES]; /* that the leaf waits for now */
    struct rng rng;
};

static void put_queue(struct tree *t, uint32_t i, uint32_t parent)
{
    char name[16], parent_name[16];
    snprintf(name, sizeof name, "q%u", i);
    snprintf(parent_name, sizeof parent_name, "q%u", parent);
    struct queue_resource res[] = {{.id = RES_CPU, .quota = (int64_t)rng_below(&t->rng, 8000), .weight = 1 + (double)rng_below(&t->rng, 4)},
                                   {.id = RES_MEMORY, .quota = (int64_t)rng_below(&t->rng, 64) << 30, .weight = 1 + (double)rng_below(&t->rng, 4)},
                                   {.id = RES_GPU, .quota = (int64_t)rng_below(&t->rng, 5) * GPU_MILLI, .weight = 1 + (double)rng_below(&t->rng, 4)}};
    for (size_t s = 0; s < ARRAY_LEN(res); s++)
        res[s].limit = rng_below(&t->rng, 8) ? POLICY_UNLIMITED : 4 * res[s].quota;
    struct queue_spec spec = {.name = str_of(name),
                              .parent = parent == UINT32_MAX ? S("") : str_of(parent_name),
                              .priority = rng_below(&t->rng, 4) ? 100 : 200,
                              .created_ns = (nsec_t)rng_below(&t->rng, 1000),
                              .res = res,
                              .nres = ARRAY_LEN(res)};
    struct err err = ERR_NONE;
    if (queues_put(t->q, &spec, &t->ids[i], &err) < 0) {
        fprintf(stderr, "bench-batch: %s\n", err.msg);
        exit(1);
    }
}

static void tree_init(struct tree *t)
{
    *t = (struct tree){.q = queues_new()};
    rng_seed(&t->rng, 1);
    struct policy_amounts total = {.v = {2000000, 8ll << 40, 2000 * GPU_MILLI}};
    queues_set_total(t->q, &total);
    uint32_t at = 0, above = 0;
    for (uint32_t level = 0; level < LEVELS; level++) {
        for (uint32_t i = 0; i < level_size[level]; i++)
            put_queue(t, at + i, level ? above + i % level_size[level - 1] : UINT32_MAX);
        above = at;
        at += level_size[level];
    }
    t->first_leaf = above;
}

/* The leaf waits for something else. */
static void ask_anew(struct tree *t, uint32_t leaf)
{
    queues_add_waiting(t->q, t->ids[leaf], &t->asks[leaf], -1);
    t->asks[leaf] = (struct policy_amounts){
        .v = {(int64_t)rng_below(&t->rng, 20000), (int64_t)rng_below(&t->rng, 64ull << 30), (int64_t)rng_below(&t->rng, 20) * GPU_MILLI / 2}};
    queues_add_waiting(t->q, t->ids[leaf], &t->asks[leaf], 1);
}

static void measure_divisions(struct tree *t, bool all, const char *what, double limit_ms, const char *what_p99)
{
    struct latencies l = {0};
    for (int i = 0; i < DIVISIONS; i++) {
        for (uint32_t leaf = t->first_leaf; all && leaf < QUEUES; leaf++)
            ask_anew(t, leaf);
        if (!all)
            ask_anew(t, t->first_leaf + (uint32_t)rng_below(&t->rng, QUEUES - t->first_leaf));
        nsec_t start = cpu_ns();
        queues_divide(t->q, 1);
        latency_add(&l, cpu_ns() - start);
    }
    report("divide", what, latency_quantile(&l, 0.5) / 1e6, "ms", 0, limit_ms, REPORT_LESS);
    report("divide", what_p99, latency_quantile(&l, 0.99) / 1e6, "ms", 0, limit_ms, REPORT_LESS);
    latency_fini(&l);
}

/* Every queue has its own past, so that shares take several rounds. */
static void make_past(struct tree *t)
{
    nsec_t now = 1000 * NSEC_PER_SEC;
    queues_usage_advance(t->q, now, 3600 * NSEC_PER_SEC, 7 * 86400 * NSEC_PER_SEC);
    for (uint32_t leaf = t->first_leaf; leaf < QUEUES; leaf++) {
        struct policy_amounts held = {.v = {(int64_t)rng_below(&t->rng, 4000), (int64_t)rng_below(&t->rng, 16ull << 30), (int64_t)rng_below(&t->rng, 4) * GPU_MILLI}};
        queues_add_allocated(t->q, t->ids[leaf], &held, false, 1);
    }
    queues_usage_advance(t->q, now + 600 * NSEC_PER_SEC, 3600 * NSEC_PER_SEC, 7 * 86400 * NSEC_PER_SEC);
}

static void run_divide(void)
{
    struct tree t;
    nsec_t start = clock_mono(&clock_real);
    tree_init(&t);
    report("divide", "1,000 queues put, one after the other", (double)(clock_mono(&clock_real) - start) / 1e6, "ms", 0, 0, REPORT_LESS);
    measure_divisions(&t, true, "1,000 queues, 4 levels, 3 resources, every leaf changed", 1, "the same, p99");
    measure_divisions(&t, false, "one leaf changed", 0, "the same, p99");
    make_past(&t);
    measure_divisions(&t, true, "every leaf changed, with a past", 1, "the same, p99");
    queues_free(t.q);
}

/* --- clusters ---------------------------------------------------------------------------------------------------------------------------------- */

struct cluster {
    struct sched *s;
    struct policy *p;
    struct policy_decisions d;
    nsec_t now;
};

static void must(int r, const struct err *err)
{
    if (r == 0)
        return;
    fprintf(stderr, "bench-batch: %s\n", err->msg);
    exit(1);
}

static void cluster_queue(struct cluster *c, const char *name, int64_t quota_gpus)
{
    struct queue_resource res[] = {{.id = RES_CPU, .quota = POLICY_UNLIMITED, .weight = 1, .limit = POLICY_UNLIMITED},
                                   {.id = RES_MEMORY, .quota = POLICY_UNLIMITED, .weight = 1, .limit = POLICY_UNLIMITED},
                                   {.id = RES_GPU, .quota = quota_gpus * GPU_MILLI, .weight = 1, .limit = POLICY_UNLIMITED}};
    struct queue_spec spec = {.name = str_of(name), .uid = str_of(name), .priority = 100, .res = res, .nres = ARRAY_LEN(res), .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
    struct err err = ERR_NONE;
    must(policy_queue_put(c->p, &spec, &err), &err);
}

static void cluster_init(struct cluster *c, uint32_t nodes, uint32_t gpus, uint32_t queues, int64_t quota_gpus)
{
    *c = (struct cluster){.s = sched_new(profile_builtin(S("binpack")), 1), .d = POLICY_DECISIONS_INIT, .now = 1000 * NSEC_PER_SEC};
    c->p = policy_new(c->s, NULL);
    char name[32];
    for (uint32_t i = 0; i < nodes; i++) {
        snprintf(name, sizeof name, "n%u", i);
        struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}};
        struct res_amount res[] = {{RES_CPU, 128000}, {RES_MEMORY, 1ll << 40}, {RES_PODS, 250}, {RES_GPU, gpus}};
        struct node_spec n = {.name = str_of(name), .labels = {labels, 1}, .allocatable = {res, 4}, .ngpus = gpus, .gpu_memory_mib = 80000};
        struct err err = ERR_NONE;
        must(sched_node_put(c->s, &n, NULL, &err), &err);
    }
    for (uint32_t i = 0; i < queues; i++) {
        snprintf(name, sizeof name, "q%u", i);
        cluster_queue(c, name, quota_gpus);
    }
}

static void cluster_fini(struct cluster *c)
{
    policy_decisions_fini(&c->d);
    policy_free(c->p);
    sched_free(c->s);
}

struct job {
    const char *prefix, *queue, *group; /* group NULL: each pod by itself */
    uint32_t n, gpus, node_of;          /* node_of: pods a node when they run already, 0: they wait */
    int32_t priority;
    int64_t cpu;
    enum preemptibility preemptibility;
    nsec_t start; /* of the first; 0: 1 + its number */
};

/* n equal pods; those that run start one after the other. */
static void cluster_pods(struct cluster *c, struct job j, uint32_t first)
{
    char name[48], node[32];
    for (uint32_t i = 0; i < j.n; i++) {
        struct res_amount req[] = {{RES_CPU, j.cpu ? j.cpu : 1000}, {RES_MEMORY, 1 << 30}, {RES_GPU, j.gpus}};
        snprintf(name, sizeof name, "%s%u", j.prefix, first + i);
        snprintf(node, sizeof node, "n%u", j.node_of ? (first + i) / j.node_of : 0);
        struct pod_spec p = {.ns = S("x"), .name = str_of(name), .uid = str_of(name), .queue = str_of(j.queue), .group = j.group ? str_of(j.group) : S(""), .created_ns = first + i, .priority = j.priority,
                             .node = j.node_of ? str_of(node) : S(""), .phase = j.node_of ? POD_BOUND : POD_PENDING, .started_ns = j.node_of ? (j.start ? j.start : 1) + (nsec_t)(first + i) : 0,
                             .requests = {req, j.gpus ? 3 : 2}, .nonzero_cpu = req[0].amount, .nonzero_memory = 1 << 30, .preemptibility = j.preemptibility,
                             .gpu = {.kind = j.gpus ? GPU_WHOLE : GPU_NONE, .count = j.gpus}};
        struct err err = ERR_NONE;
        must(sched_pod_put(c->s, &p, NULL, &err), &err);
    }
}

static void cluster_group(struct cluster *c, const char *name, const char *queue, uint32_t min, nsec_t created_ns)
{
    struct group_spec g = {.ns = S("x"), .name = str_of(name), .queue = str_of(queue), .min_member = (int32_t)min, .created_ns = created_ns};
    struct err err = ERR_NONE;
    must(sched_group_put(c->s, &g, NULL, &err), &err);
}

/* Milliseconds of one round. */
static double cluster_round(struct cluster *c)
{
    policy_events(c->p, sched_take_events(c->s));
    nsec_t start = cpu_ns();
    policy_round(c->p, c->now, &c->d);
    double ms = (double)(cpu_ns() - start) / 1e6;
    c->now += NSEC_PER_SEC;
    return ms;
}

static size_t placed(const struct cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->d.list.len; i++)
        n += c->d.list.p[i].d.result == UNIT_PLACED ? c->d.list.p[i].d.placements.len : 0;
    return n;
}
static size_t evicted(const struct cluster *c)
{
    size_t n = 0;
    for (size_t i = 0; i < c->d.list.len; i++)
        n += c->d.list.p[i].d.victims.len;
    return n;
}
static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "bench-batch: %s\n", what);
    exit(1);
}

/* --- the workloads ----------------------------------------------------------------------------------------------------------------------------- */

static void run_fill(void)
{
    struct cluster c;
    cluster_init(&c, 500, 8, 4, 1000);
    char queue[8];
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(queue, sizeof queue, "q%u", i);
        cluster_pods(&c, (struct job){.prefix = queue, .queue = queue, .n = 1000, .gpus = 1, .priority = 50}, i * 1000);
    }
    double ms = cluster_round(&c);
    expect(placed(&c) == 4000, "fill: not all jobs run");
    report("fill", "500 nodes x 8 GPUs, 4,000 one-GPU jobs of 4 queues", ms, "ms", 397000, 1000, REPORT_LESS);
    cluster_fini(&c);
}

static void run_reclaim(void)
{
    struct cluster c;
    cluster_init(&c, 500, 8, 2, 2000);
    cluster_pods(&c, (struct job){.prefix = "r", .queue = "q0", .n = 4000, .gpus = 1, .node_of = 8, .priority = 50}, 0);
    double idle = cluster_round(&c);
    cluster_group(&c, "gang", "q1", 64, 5000);
    cluster_pods(&c, (struct job){.prefix = "g", .queue = "q1", .group = "gang", .n = 64, .gpus = 8, .priority = 50}, 5000);
    double large = cluster_round(&c);
    expect(evicted(&c) == 512, "reclaim: not 512 victims for 64 pods of 8 GPUs: the gang is beyond its share, or waits");
    cluster_group(&c, "small", "q1", 100, 6000);
    cluster_pods(&c, (struct job){.prefix = "s", .queue = "q1", .group = "small", .n = 100, .gpus = 1, .priority = 50}, 6000);
    double small = cluster_round(&c);
    expect(evicted(&c) == 100, "reclaim: not 100 victims for 100 GPUs");
    report("reclaim", "500 nodes, 4,000 running: the first round, nobody asks", idle, "ms", 0, 0, REPORT_LESS);
    report("reclaim", "gang of 64 x 8 GPUs takes back its share", large, "ms", 166000, 100, REPORT_LESS);
    report("reclaim", "gang of 100 x 1 GPU takes back its share", small, "ms", 166000, 100, REPORT_LESS);
    cluster_fini(&c);
}

/* Everything is taken; 10,000 wait, of 50 shapes in 10 queues; nobody may take anything. */
static void run_pass(void)
{
    struct cluster c;
    cluster_init(&c, 1000, 8, 10, 800);
    char queue[8], prefix[16];
    for (uint32_t i = 0; i < 10; i++) {
        snprintf(queue, sizeof queue, "q%u", i);
        snprintf(prefix, sizeof prefix, "r%u-", i);
        cluster_pods(&c, (struct job){.prefix = prefix, .queue = queue, .n = 800, .gpus = 1, .node_of = 8, .priority = 50}, i * 800);
        for (uint32_t k = 0; k < 50; k++) {
            snprintf(prefix, sizeof prefix, "w%u-%u-", i, k);
            cluster_pods(&c, (struct job){.prefix = prefix, .queue = queue, .n = 20, .gpus = 1u << (k % 4), .priority = 10 + (int32_t)(k % 5), .cpu = 1000 + 10 * k}, 100000 + k * 20);
        }
    }
    double first = cluster_round(&c), next = cluster_round(&c);
    policy_events(c.p, EVENT_ALL);
    double again = cluster_round(&c);
    expect(placed(&c) == 0 && evicted(&c) == 0, "pass: something was placed");
    report("pass", "1,000 nodes, 10,000 units of 500 kinds wait: the first round, all actions", first, "ms", 0, 200, REPORT_LESS);
    report("pass", "nothing changed", next, "ms", 0, 0, REPORT_LESS);
    report("pass", "an event that could help all of them", again, "ms", 0, 200, REPORT_LESS);
    cluster_fini(&c);
}

static void run_hopeless(void)
{
    struct cluster c;
    cluster_init(&c, 5000, 8, 2, 20000);
    cluster_pods(&c, (struct job){.prefix = "r", .queue = "q0", .n = 20000, .gpus = 1, .node_of = 4, .priority = 50}, 0);
    cluster_pods(&c, (struct job){.prefix = "s", .queue = "q0", .n = 10000, .gpus = 1, .node_of = 2, .priority = 50}, 0);
    cluster_pods(&c, (struct job){.prefix = "f", .queue = "q0", .n = 5000, .gpus = 1, .node_of = 1, .priority = 150}, 0);
    cluster_round(&c);
    cluster_pods(&c, (struct job){.prefix = "w", .queue = "q1", .n = 1, .gpus = 8, .priority = 50}, 100000);
    double bound = cluster_round(&c);
    expect(placed(&c) == 0 && evicted(&c) == 0, "hopeless: something was placed");
    report("hopeless", "5,000 nodes, 35,000 running: no node can be emptied", bound, "ms", 0, 10, REPORT_LESS);
    cluster_group(&c, "gang", "q1", 5001, 200000);
    cluster_pods(&c, (struct job){.prefix = "g", .queue = "q1", .group = "gang", .n = 5001, .gpus = 7, .priority = 50}, 200000);
    bound = cluster_round(&c);
    expect(placed(&c) == 0 && evicted(&c) == 0, "hopeless: something was placed");
    report("hopeless", "the same, a gang of 5,001 pods of 7 GPUs", bound, "ms", 0, 10, REPORT_LESS);
    cluster_fini(&c);
}

/* The order of victims frees one device of each node; what is asked for are whole nodes. */
static void run_aimed(void)
{
    struct cluster c;
    cluster_init(&c, 500, 8, 2, 2000);
    for (uint32_t k = 0; k < 8; k++) { /* the eighth pod of each node started last */
        char prefix[8];
        snprintf(prefix, sizeof prefix, "r%u-", k);
        cluster_pods(&c, (struct job){.prefix = prefix, .queue = "q0", .n = 500, .gpus = 1, .node_of = 1, .priority = 50, .start = 1 + k * 1000}, 0);
    }
    cluster_round(&c);
    cluster_group(&c, "gang", "q1", 64, 5000);
    cluster_pods(&c, (struct job){.prefix = "g", .queue = "q1", .group = "gang", .n = 64, .gpus = 8, .priority = 50}, 5000);
    double ms = cluster_round(&c);
    expect(evicted(&c) == 512, "aimed: not 512 victims for 64 pods of 8 GPUs");
    report("aimed", "500 nodes, the order frees no whole one: gang of 64 x 8 GPUs", ms, "ms", 166000, 100, REPORT_LESS);
    cluster_fini(&c);

    /* whole nodes again, and on each are three of a queue that owes nothing: they have to move, to where further ones go from; or cannot, as their cores are nowhere else */
    for (int stuck = 0; stuck < 2; stuck++) {
        cluster_init(&c, 500, 8, 3, 2000);
        cluster_pods(&c, (struct job){.prefix = "r", .queue = "q0", .n = 2000, .gpus = 1, .node_of = 4, .priority = 50}, 0);
        cluster_pods(&c, (struct job){.prefix = "s", .queue = "q2", .n = 1500, .gpus = 1, .node_of = 3, .priority = 50, .cpu = stuck ? 40000 : 1000}, 0);
        cluster_pods(&c, (struct job){.prefix = "t", .queue = "q0", .n = 500, .gpus = 1, .node_of = 1, .priority = 50}, 0);
        cluster_round(&c);
        for (uint32_t k = 0; k < 100; k++) {
            char prefix[16];
            snprintf(prefix, sizeof prefix, "w%u-", k);
            cluster_pods(&c, (struct job){.prefix = prefix, .queue = "q1", .n = 1, .gpus = 8, .priority = 50, .cpu = 1000 + k}, 6000 + k);
        }
        ms = cluster_round(&c);
        size_t gone = evicted(&c);
        expect(stuck ? gone == 0 : gone > 0, "aimed: somebody went for nothing, or nobody went");
        report("aimed", stuck ? "the same where they cannot: 100 kinds, none helped" : "whole nodes where some can only move, to where further ones go from: 100 kinds", ms, "ms", 0, 0, REPORT_LESS);
        cluster_fini(&c);
    }
}

static void run_cold(void)
{
    struct cluster c;
    cluster_init(&c, 20000, 8, 20, 4000);
    char queue[8], prefix[16];
    for (uint32_t i = 0; i < 20; i++) {
        snprintf(queue, sizeof queue, "q%u", i);
        for (uint32_t k = 0; k < 5; k++) {
            snprintf(prefix, sizeof prefix, "w%u-%u-", i, k);
            cluster_pods(&c, (struct job){.prefix = prefix, .queue = queue, .n = 1000, .gpus = k < 4 ? 1u << k : 2, .priority = 10 + (int32_t)k, .cpu = 1000 + 10 * k}, k * 1000);
        }
    }
    double first = cluster_round(&c);
    size_t started = placed(&c);
    struct latencies l = {0};
    for (uint32_t i = 0; i < 200; i++) {
        sched_pod_delete(c.s, S("x"), sched_pod_name(c.s, c.d.list.len ? c.d.list.p[0].d.placements.p[0].pod : sched_pod_find(c.s, S("x"), S("w0-3-0"))));
        latency_add(&l, (nsec_t)(cluster_round(&c) * 1e6));
    }
    printf("# %zu started\n", started);
    report("cold", "20,000 nodes, 100,000 units wait: the first round", first, "ms", 0, 5000, REPORT_LESS);
    report("cold", "then a pod ends, median", latency_quantile(&l, 0.5) / 1e6, "ms", 0, 10, REPORT_LESS);
    report("cold", "the same, p99", latency_quantile(&l, 0.99) / 1e6, "ms", 0, 10, REPORT_LESS);
    latency_fini(&l);
    cluster_fini(&c);
}

static const struct report_workload workloads[] = {
    {"divide", "fair shares of 1,000 queues in 4 levels, 3 resources", run_divide},
    {"fill", "500 empty nodes with 8 GPUs, 4,000 one-GPU jobs", run_fill},
    {"reclaim", "500 full nodes, gangs of another queue take back its share", run_reclaim},
    {"pass", "1,000 full nodes, 10,000 units that wait: all actions", run_pass},
    {"hopeless", "5,000 nodes: proof that eviction does not help", run_hopeless},
    {"aimed", "500 full nodes, where the order of victims frees the wrong ones", run_aimed},
    {"cold", "20,000 nodes, 100,000 units at once, then one event after the other", run_cold},
    {NULL, NULL, NULL},
};

int main(int argc, char **argv)
{
    return report_main(argc, argv, workloads);
}
