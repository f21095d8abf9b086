/* starvation_test.c - large tasks of several domains under a steady stream of small ones that came later: each starts within a bounded time, and without room that is kept for it (engine/keep.h) it does not.
 *
 *   five domains, two to three nodes each ── links between some ── small tasks all the time, of one or two parties, as many as there is room for ── now and then a large one: whole nodes of two or three
 *   domains, or most of a link
 * Time is virtual, a second a step.  After each step every sum is counted again: no node or link has more than it can hold, no task a part of what it needs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "sched/engine/keep.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll
#define NODE_MBIT 1000
enum { DOMAINS = 5, NODES = 3, TASKS = 3000, PARTIES = 3, LARGE = 8 };
#define LONGEST_S 60   /* that a task runs */
#define SERVICE_MBIT 50
#define PATIENCE_S 60 /* keepRoomAfterSeconds as it is when nobody says anything */
/* Its patience, the minute of one age, and for it and each that may be before it twice as long as anybody runs: for what is there to end, and for itself. */
#define BOUND_S (PATIENCE_S + 60 + LARGE * 2 * LONGEST_S)

struct task {
    char name[16];
    unit_id unit; /* UNIT_NONE: it is not there */
    size_t n;
    uint8_t domain[PARTIES];
    int64_t mbit;
    pod_id pod[PARTIES];
    int64_t came, ends; /* s; 0: it waits */
    bool large;
};
struct world {
    struct sched *s;
    struct pipeline *p;
    struct rng rng;
    int64_t now;
    struct task tasks[TASKS];
    size_t ntasks, nsmall_waiting;
    int64_t waited_large, waited_small, link[DOMAINS][DOMAINS];
    uint32_t nodes[DOMAINS], started_large, kept;
    bool services;
    struct err err;
};

static uint64_t below(struct world *w, uint64_t n)
{
    return rng_below(&w->rng, n);
}

static str domain_name(size_t d)
{
    static const str names[DOMAINS] = {STR_INIT("d0"), STR_INIT("d1"), STR_INIT("d2"), STR_INIT("d3"), STR_INIT("d4")};
    return names[d];
}

static void put_node(struct world *w, size_t d, size_t k)
{
    char name[16];
    snprintf(name, sizeof name, "d%zu-%zu", d, k);
    struct spec_label label = {S("domain"), domain_name(d)};
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 64 * GIB}, {RES_INGRESS, NODE_MBIT * MBIT}, {RES_EGRESS, NODE_MBIT * MBIT}, {RES_PODS, 110}};
    T_NO_ERR(sched_node_put(w->s, &(struct node_spec){.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, 5}}, NULL, &w->err), &w->err);
}

/* Somebody on the first node of each domain who stays. */
static void put_services(struct world *w)
{
    for (size_t d = 0; d < DOMAINS; d++) {
        char node[16];
        snprintf(node, sizeof node, "d%zu-0", d);
        struct res_amount req[] = {{RES_CPU, 100}, {RES_INGRESS, SERVICE_MBIT * MBIT}, {RES_EGRESS, SERVICE_MBIT * MBIT}};
        struct pod_spec p = {.ns = domain_name(d), .name = S("service"), .requests = {req, 3}, .node = str_of(node), .phase = POD_BOUND};
        T_NO_ERR(sched_pod_put(w->s, &p, NULL, &w->err), &w->err);
    }
    w->services = true;
}

static void world_begin(struct world *w, uint64_t seed, uint32_t workers, bool keeps)
{
    struct pipeline_opts opts = {.workers = workers, .dispatch = DISPATCHER_OPTS_DEFAULT, .always_parallel = workers > 1};
    struct sched_profile *profile = profile_builtin(S("default"));
    if (!keeps)
        profile->keep_after_ns = 0;
    *w = (struct world){.s = sched_new(profile, seed), .now = 1000};
    rng_seed(&w->rng, seed);
    w->p = pipeline_new(w->s, &opts, &(struct binder_calls){0}, &w->err);
    T_OK(w->p);
    for (size_t d = 0; d < DOMAINS; d++) {
        w->nodes[d] = 2 + (uint32_t)below(w, NODES - 1);
        for (size_t k = 0; k < w->nodes[d]; k++)
            put_node(w, d, k);
    }
    for (size_t a = 0; a < DOMAINS; a++)
        for (size_t b = 0; b < DOMAINS; b++) {
            char name[16];
            if (a == b || below(w, 2))
                continue;
            w->link[a][b] = NODE_MBIT;
            snprintf(name, sizeof name, "r%zu-%zu", a, b);
            T_NO_ERR(sched_route_put(w->s, &(struct route_spec){.ns = S(""), .name = str_of(name), .source = domain_name(a), .destination = domain_name(b), .bits = NODE_MBIT * MBIT}, &w->err), &w->err);
        }
}

static void world_end(struct world *w)
{
    pipeline_free(w->p);
    sched_free(w->s);
}

/* --- tasks -------------------------------------------------------------------------------------------------------------------------------------- */
static void begin_task(struct world *w, bool large)
{
    struct task *t = &w->tasks[w->ntasks];
    struct spec_subgroup sub[PARTIES] = {0};
    uint8_t order[DOMAINS] = {0, 1, 2, 3, 4};
    *t = (struct task){.n = large ? 2 + below(w, 2) : 2, .large = large, .came = w->now};
    t->mbit = !large ? 50 + (int64_t)below(w, 4) * 50 : below(w, 3) ? NODE_MBIT : 800;
    snprintf(t->name, sizeof t->name, "t%zu", w->ntasks++);
    for (size_t k = 0; k < t->n; k++) {
        size_t other = k + below(w, DOMAINS - k);
        t->domain[k] = order[other];
        order[other] = order[k];
        sub[k] = (struct spec_subgroup){.name = domain_name(t->domain[k]), .min_member = 1};
    }
    bool some = large && t->n == 3 && below(w, 4) == 0; /* two of three parties would do */
    struct group_spec g = {.ns = S(""), .name = str_of(t->name), .subgroups = sub, .nsubgroups = t->n, .min_member = some ? 0 : (int32_t)t->n, .min_subgroup = some ? 2 : 0,
                           .created_ns = w->now * NSEC_PER_SEC};
    T_NO_ERR(sched_group_put(w->s, &g, &t->unit, &w->err), &w->err);
    for (size_t k = 0; k < t->n; k++) {
        struct res_amount req[] = {{RES_CPU, 100}, {RES_INGRESS, t->mbit * MBIT}, {RES_EGRESS, t->mbit * MBIT}};
        struct spec_label label = {S("domain"), domain_name(t->domain[k])};
        struct pod_spec p = {.ns = domain_name(t->domain[k]), .name = str_of(t->name), .group = str_of(t->name), .group_is_cluster = true, .subgroup = domain_name(t->domain[k]), .requests = {req, 3},
                             .nonzero_cpu = 100, .created_ns = w->now * NSEC_PER_SEC, .phase = POD_PENDING, .node_selector = {&label, 1}};
        T_NO_ERR(sched_pod_put(w->s, &p, &t->pod[k], &w->err), &w->err);
    }
    T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), t->unit, w->now * NSEC_PER_SEC, &w->err), &w->err);
    w->nsmall_waiting += !large;
}

static void end_task(struct world *w, struct task *t)
{
    dispatcher_remove(pipeline_dispatcher(w->p), t->unit);
    for (size_t k = 0; k < t->n; k++) {
        binder_pod_gone(pipeline_binder(w->p), t->pod[k]);
        sched_pod_delete(w->s, domain_name(t->domain[k]), str_of(t->name));
    }
    sched_group_delete(w->s, S(""), str_of(t->name));
    t->unit = UNIT_NONE;
}

static uint32_t placed_of(const struct world *w, const struct task *t)
{
    uint32_t n = 0;
    for (size_t k = 0; k < t->n; k++)
        n += w->s->pods[t->pod[k]].state >= PS_ASSUMED;
    return n;
}

static void start(struct world *w, struct task *t)
{
    int64_t waited = w->now - t->came;
    t->ends = w->now + 1 + (int64_t)below(w, LONGEST_S);
    w->started_large += t->large;
    w->nsmall_waiting -= !t->large;
    if (t->large)
        w->waited_large = MAX(w->waited_large, waited);
    else
        w->waited_small = MAX(w->waited_small, waited);
    for (size_t k = 0; k < t->n; k++)
        if (w->s->pods[t->pod[k]].state == PS_ASSUMED) {
            binder_confirmed(pipeline_binder(w->p), t->pod[k]);
            model_set_state(w->s, t->pod[k], PS_BOUND);
        }
}

/* --- a second ------------------------------------------------------------------------------------------------------------------------------------ */
static void look(struct world *w)
{
    int64_t node[DOMAINS][NODES] = {0}, link[DOMAINS][DOMAINS] = {0};
    for (size_t i = 0; i < w->ntasks; i++) {
        struct task *t = &w->tasks[i];
        uint32_t placed = t->unit ? placed_of(w, t) : 0;
        if (placed && placed < t->n && !(t->large && placed == 2))
            T_FAIL_("task %s holds %u of its %zu parts", t->name, placed, t->n);
        if (placed && !t->ends)
            start(w, t);
        for (size_t k = 0; placed && k < t->n; k++) {
            if (w->s->pods[t->pod[k]].state < PS_ASSUMED)
                continue;
            str name = sched_node_name(w->s, w->s->pods[t->pod[k]].node);
            node[t->domain[k]][name.p[3] - '0'] += t->mbit;
            for (size_t m = 0; m < t->n; m++)
                if (m != k && w->s->pods[t->pod[m]].state >= PS_ASSUMED)
                    link[t->domain[k]][t->domain[m]] += t->mbit;
        }
    }
    for (size_t a = 0; a < DOMAINS; a++) {
        for (size_t n = 0; n < NODES; n++)
            T_OK(node[a][n] + (w->services && n == 0 ? SERVICE_MBIT : 0) <= NODE_MBIT);
        for (size_t b = 0; b < DOMAINS; b++)
            T_OK(!w->link[a][b] || link[a][b] <= w->link[a][b]);
    }
}

static void second(struct world *w)
{
    w->now++;
    for (size_t i = 0; i < w->ntasks; i++)
        if (w->tasks[i].unit && w->tasks[i].ends && w->tasks[i].ends <= w->now)
            end_task(w, &w->tasks[i]);
    while (w->nsmall_waiting < 6 && w->ntasks < TASKS) /* never enough: what ends is filled at once */
        begin_task(w, false);
    for (int i = 0; i < 2; i++) {
        pipeline_run(w->p, w->now * NSEC_PER_SEC, 0);
        dispatcher_tick(pipeline_dispatcher(w->p), w->now * NSEC_PER_SEC);
    }
    look(w);
    w->kept = MAX(w->kept, (uint32_t)w->s->keeps->list.len);
    if (w->now % 16 == 0) {
        T_NO_ERR(model_check(w->s, &w->err), &w->err);
        T_NO_ERR(dispatcher_check(pipeline_dispatcher(w->p), &w->err), &w->err);
        T_NO_ERR(pipeline_check(w->p, &w->err), &w->err);
    }
}

/* How long the large ones waited at most; those that never started, until the end. */
static int64_t live(uint64_t seed, uint32_t workers, bool keeps, bool services)
{
    struct world *w = xnew(struct world);
    world_begin(w, seed, workers, keeps);
    if (services)
        put_services(w);
    for (int i = 0; i < 90; i++) /* it is full before they come */
        second(w);
    for (uint32_t large = 0; !test_failures_ && w->ntasks < TASKS - 8 && w->started_large < LARGE; ) {
        if (large < LARGE && below(w, 20) == 0) {
            begin_task(w, true);
            large++;
        }
        second(w);
    }
    int64_t longest = w->waited_large;
    for (size_t i = 0; i < w->ntasks; i++)
        if (w->tasks[i].unit && w->tasks[i].large && !w->tasks[i].ends)
            longest = MAX(longest, w->now - w->tasks[i].came);
    T_OK(w->kept <= DISPATCH_PROTECTED);
    T_OK(keeps == (w->kept > 0));
    printf("# " "seed %llu, %s: large ones waited for %lld s at most, small ones for %lld s, %u of %u started, %zu tasks, %lld s\n", (unsigned long long)seed, keeps ? "kept" : "not kept", (long long)longest, (long long)w->waited_small, w->started_large, LARGE, w->ntasks, (long long)w->now - 1000);
    world_end(w);
    free(w);
    return longest;
}

TEST(each_starts_within_a_bound)
{
    for (uint64_t seed = 1; seed <= 12 && !test_failures_; seed++)
        T_OK(live(seed, 1, true, false) <= BOUND_S);
}

/* The nodes with a service may be kept in vain for a while, twice at most for each task. */
TEST(who_never_ends_is_gone_round)
{
    for (uint64_t seed = 1; seed <= 12 && !test_failures_; seed++)
        T_OK(live(seed, 1, true, true) <= BOUND_S + 2 * 5 * PATIENCE_S);
}

TEST(without_room_that_is_kept_they_starve)
{
    uint32_t starved = 0;
    for (uint64_t seed = 1; seed <= 12 && !test_failures_; seed++)
        starved += live(seed, 1, false, false) > BOUND_S;
    T_OK(starved > 6);
}

TEST(workers_do_the_same)
{
    for (uint64_t seed = 1; seed <= 2 && !test_failures_; seed++)
        T_EQ_INT(live(seed, 3, true, false), live(seed, 1, true, false));
}

TEST_MAIN(each_starts_within_a_bound, who_never_ends_is_gone_round, without_room_that_is_kept_they_starve, workers_do_the_same)
