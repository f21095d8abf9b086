/* pipeline_test.c - the same decisions at any number of workers; no node over-committed, no constraint broken, in any mode. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include <pthread.h>

#include "base/test.h"
#include "sched/reference/checker.h"
#include "sched/reference/worldgen.h"

/* Features whose classes parallel workers may place, and all the others between them. */
#define GEN_SIMPLE                                                                                                                   \
    (GEN_TAINTS | GEN_UNSCHEDULABLE | GEN_NODE_SELECTOR | GEN_NODE_PREFERRED | GEN_EXTENDED | GEN_PRIORITY | GEN_BEST_EFFORT | GEN_IMAGES)

/* Pod affinity of some makes cross-node classes of all; then everything is the driver's. */
#define GEN_MIXED (GEN_ALL & ~(uint32_t)(GEN_VOLUMES | GEN_POD_REQUIRED | GEN_POD_PREFERRED | GEN_SPREAD_DEFAULT))

struct world {
    struct worldgen gen;
    struct sched *s;
    struct pipeline *p;
    VEC(struct node_spec) nodes;
    VEC(struct pod_spec) pods;
    VEC(pod_id) ids; /* POD_NONE: gone */
    VEC(pod_id) victims;
    VEC(uint32_t) trace; /* pod, node of every bind; victim, preemptor of every eviction */
    nsec_t now;
    bool soft_taints;
    struct headstart *headstart; /* or NULL */
    struct err err;
};

/* Holds the driver when it binds, until workers are as far ahead as they may be: their answers are old then, whatever the machine does
 * meanwhile. */
struct headstart {
    pthread_mutex_t lock;
    pthread_cond_t more;
    uint32_t answered, want;
};

static void note_answer(void *arg, uint32_t number UNUSED)
{
    struct headstart *h = arg;
    pthread_mutex_lock(&h->lock);
    h->answered++;
    pthread_cond_signal(&h->more);
    pthread_mutex_unlock(&h->lock);
}

static void headstart_wait(struct headstart *h)
{
    pthread_mutex_lock(&h->lock);
    while (h->answered < h->want)
        pthread_cond_wait(&h->more, &h->lock);
    pthread_mutex_unlock(&h->lock);
}

static void on_bind(void *arg, pod_id p, node_id n)
{
    struct world *w = arg;
    vec_push(&w->trace, p);
    vec_push(&w->trace, n);
    if (w->headstart)
        headstart_wait(w->headstart);
}
static void on_evict(void *arg, pod_id v, unit_id by)
{
    struct world *w = arg;
    vec_push(&w->trace, v);
    vec_push(&w->trace, by | 1u << 31);
    vec_push(&w->victims, v);
}

/* A taint that is only preferred makes every pod's score depend on all nodes, and nothing is left for workers; most worlds have none. */
static void harden(struct world *w, struct node_spec *spec)
{
    struct spec_taint *t = arena_array(&w->gen.arena, spec->ntaints, struct spec_taint);
    for (size_t i = 0; i < spec->ntaints; i++) {
        t[i] = spec->taints[i];
        if (t[i].effect == TAINT_PREFER_NO_SCHEDULE)
            t[i].effect = TAINT_NO_SCHEDULE;
    }
    spec->taints = t;
}

static void add_nodes(struct world *w, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        struct node_spec spec = worldgen_node(&w->gen, (uint32_t)w->nodes.len);
        if (!w->soft_taints)
            harden(w, &spec);
        vec_push(&w->nodes, spec);
        T_NO_ERR(sched_node_put(w->s, &spec, NULL, &w->err), &w->err);
    }
}

static void put_pod(struct world *w, struct pod_spec *spec)
{
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, spec, &id, &w->err), &w->err);
    vec_push(&w->pods, *spec);
    vec_push(&w->ids, id);
    T_NO_ERR(dispatcher_add(pipeline_dispatcher(w->p), sched_unit_of(w->s, id), w->now, &w->err), &w->err);
}

/* Amounts of their own make classes of their own: what workers are for. */
static void vary(struct world *w, struct pod_spec *spec)
{
    struct res_amount *p = arena_array(&w->gen.arena, spec->requests.n, struct res_amount);
    for (size_t i = 0; i < spec->requests.n; i++) {
        p[i] = spec->requests.p[i];
        if (p[i].id == RES_CPU)
            spec->nonzero_cpu = p[i].amount += worldgen_below(&w->gen, 50);
    }
    spec->requests.p = p;
}

static void put_gang(struct world *w, struct pod_spec like)
{
    like.group = arena_fmt(&w->gen.arena, "gang-%zu", w->pods.len);
    struct group_spec g = {.ns = like.ns, .name = like.group, .min_member = 3, .created_ns = like.created_ns};
    T_NO_ERR(sched_group_put(w->s, &g, NULL, &w->err), &w->err);
    for (int k = 0; k < 4; k++) {
        like.name = arena_fmt(&w->gen.arena, "p-%zu", w->pods.len);
        put_pod(w, &like);
    }
}

static void add_pods(struct world *w, uint32_t n, bool gangs)
{
    for (uint32_t i = 0; i < n; i++) {
        struct pod_spec spec = worldgen_pod(&w->gen, (uint32_t)w->pods.len);
        spec.created_ns = w->now + i;
        vary(w, &spec);
        if (gangs && worldgen_chance(&w->gen, 3) && !spec.nvolumes)
            put_gang(w, spec);
        else
            put_pod(w, &spec);
    }
}

static void world_init(struct world *w, uint64_t seed, uint32_t features, uint32_t nodes, struct pipeline_opts opts)
{
    *w = (struct world){.s = sched_new(profile_builtin(S("default")), seed), .now = NSEC_PER_SEC};
    worldgen_init(&w->gen, seed, features);
    w->gen.nodes = nodes;
    uint16_t foo;
    T_NO_ERR(sched_resource_id(w->s, S("example.com/foo"), &foo, &w->err), &w->err);
    T_EQ_INT(foo, GEN_FOO);
    struct binder_calls calls = {.arg = w, .bind = on_bind, .evict = on_evict};
    if (!opts.dispatch.order) {
        opts.dispatch = DISPATCHER_OPTS_DEFAULT;
        opts.dispatch.backoff_first_ns = NSEC_PER_SEC / 2;
    }
    w->p = pipeline_new(w->s, &opts, &calls, &w->err);
    T_OK(w->p);
    add_nodes(w, nodes);
}

static void world_fini(struct world *w)
{
    pipeline_free(w->p);
    sched_free(w->s);
    worldgen_fini(&w->gen);
    vec_fini(&w->nodes);
    vec_fini(&w->pods);
    vec_fini(&w->ids);
    vec_fini(&w->victims);
    vec_fini(&w->trace);
}

static void delete_pod(struct world *w, size_t i)
{
    unit_id u = sched_unit_of(w->s, w->ids.p[i]);
    binder_pod_gone(pipeline_binder(w->p), w->ids.p[i]);
    if (!w->s->units[u].is_group || w->s->units[u].pods.len == 1)
        dispatcher_remove(pipeline_dispatcher(w->p), u);
    sched_pod_delete(w->s, w->pods.p[i].ns, w->pods.p[i].name);
    w->ids.p[i] = POD_NONE;
}

static size_t index_of(const struct world *w, pod_id p)
{
    for (size_t i = 0; i < w->ids.len; i++)
        if (w->ids.p[i] == p)
            return i;
    BUG_ON(true);
    return 0;
}

/* No node holds more than it has: summed up from the pods, not from the engine's columns. */
static void check_capacity(const struct world *w)
{
    const struct sched *s = w->s;
    size_t slots = (size_t)s->view.words * 64;
    int64_t *used = xarray(slots * RES_MAX, int64_t);
    for (pod_id p = 1; p < s->npods_slots; p++) {
        if (s->pods[p].state < PS_ASSUMED)
            continue;
        const struct pod_class *c = class_of(s, p);
        for (uint32_t i = 0; i < c->nreq; i++)
            used[s->pods[p].node * RES_MAX + c->req[i].id] += c->req[i].amount;
    }
    bits_foreach(n, s->alive, s->view.words)
        for (uint32_t r = 0; r < s->nres; r++)
            if (used[n * RES_MAX + r] > s->alloc[r][n])
                T_FAIL_("node %u has %lld of resource %u and holds %lld", n, (long long)s->alloc[r][n], r, (long long)used[n * RES_MAX + r]);
    free(used);
}

static void check_all(struct world *w)
{
    check_capacity(w);
    T_NO_ERR(dispatcher_check(pipeline_dispatcher(w->p), &w->err), &w->err);
    T_NO_ERR(pipeline_check(w->p, &w->err), &w->err);
    T_NO_ERR(model_check(w->s, &w->err), &w->err);
}

/* Every placement against the specs, by the checker that knows nothing of the engine. */
static void check_constraints(struct world *w)
{
    struct checker *c = checker_new();
    for (size_t i = 0; i < w->nodes.len; i++)
        checker_node(c, &w->nodes.p[i]);
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->ids.p[i]) {
            const struct pod *p = &w->s->pods[w->ids.p[i]];
            checker_pod(c, &w->pods.p[i], p->state >= PS_ASSUMED ? sched_node_name(w->s, p->node) : S(""), p->gpu_mask);
        }
    T_NO_ERR(checker_verify(c, &w->err), &w->err);
    checker_free(c);
}

/* What the world does between two runs; depends on chance and on the decisions only. */
static void between(struct world *w)
{
    for (size_t i = 0; i < w->victims.len; i++)
        delete_pod(w, index_of(w, w->victims.p[i]));
    vec_clear(&w->victims);
    for (size_t i = 0; i < w->ids.len; i++) {
        if (!w->ids.p[i])
            continue;
        struct pod *p = &w->s->pods[w->ids.p[i]];
        if (p->state == PS_ASSUMED && worldgen_chance(&w->gen, 5)) {
            binder_failed(pipeline_binder(w->p), w->ids.p[i], w->now);
        } else if (p->state == PS_ASSUMED) {
            binder_confirmed(pipeline_binder(w->p), w->ids.p[i]);
            model_set_state(w->s, w->ids.p[i], PS_BOUND);
        } else if (p->state == PS_BOUND && worldgen_chance(&w->gen, 10)) {
            delete_pod(w, i);
        }
    }
    w->now += NSEC_PER_SEC;
}

static void live(struct world *w, uint32_t steps, uint32_t pods, bool gangs)
{
    for (uint32_t step = 0; step < steps && !test_failures_; step++) {
        if (step % 4 == 3)
            add_nodes(w, 20);
        add_pods(w, pods, gangs);
        /* also in small bites */
        while (pipeline_run(w->p, w->now, step % 3 == 1 ? 37 : 0) && step % 3 == 1)
            ;
        T_EQ_INT(dispatcher_count(pipeline_dispatcher(w->p)).ready, 0);
        check_all(w);
        between(w);
    }
}

static void compare_traces(const struct world *a, const struct world *b, uint32_t workers)
{
    size_t n = MIN(a->trace.len, b->trace.len);
    for (size_t i = 0; i < n; i += 2)
        if (a->trace.p[i] != b->trace.p[i] || a->trace.p[i + 1] != b->trace.p[i + 1]) {
            T_FAIL_("with %u workers decision %zu is pod %u to %x, alone it is pod %u to %x", workers, i / 2, b->trace.p[i],
                    b->trace.p[i + 1], a->trace.p[i], a->trace.p[i + 1]);
            return;
        }
    T_EQ_INT(b->trace.len, a->trace.len);
}

static void same_as_alone(uint64_t seed, uint32_t features, bool gangs)
{
    struct world alone;
    world_init(&alone, seed, features, 150, (struct pipeline_opts){.workers = 1});
    live(&alone, 6, 150, gangs);
    T_OK(alone.trace.len > 400);
    for (uint32_t workers = 2; workers <= 5 && !test_failures_; workers += workers == 2 ? 1 : 2) {
        struct world many;
        struct pipeline_opts opts = {.workers = workers, .always_parallel = true, .no_help = workers != 2, .batch = workers == 3 ? 50 : 0};
        world_init(&many, seed, features, 150, opts);
        live(&many, 6, 150, gangs);
        compare_traces(&alone, &many, workers);
        struct pipeline_counts c = pipeline_count(many.p), one = pipeline_count(alone.p);
        T_EQ_INT(c.decided, one.decided);
        T_EQ_INT(c.placed, one.placed);
        T_OK(c.rounds > 0);
        T_OK(c.serial < c.decided);
        if (test_failures_)
            printf("# seed %llu features %x\n", (unsigned long long)seed, features);
        world_fini(&many);
    }
    world_fini(&alone);
}

TEST(deterministic_like_one_worker)
{
    for (uint64_t seed = 1; seed <= 4 && !test_failures_; seed++)
        same_as_alone(seed, GEN_SIMPLE, false);
}

TEST(deterministic_with_everything)
{
    for (uint64_t seed = 11; seed <= 13 && !test_failures_; seed++)
        same_as_alone(seed, GEN_MIXED, true);
}

static void put_equal_nodes(struct world *w, uint32_t n)
{
    static const struct res_amount amounts[] = {{RES_CPU, 64000}, {RES_MEMORY, 256ll << 30}, {RES_PODS, 110}};
    for (uint32_t i = 0; i < n; i++) {
        struct node_spec spec = {.name = arena_fmt(&w->gen.arena, "even-%u", i), .allocatable = {amounts, 3}};
        vec_push(&w->nodes, spec);
        T_NO_ERR(sched_node_put(w->s, &spec, NULL, &w->err), &w->err);
    }
}

/* On equal nodes all pods want the same ones; a gang between two pods takes more of them than the second one's list is long.  With 5
 * workers 7 jobs may be in flight: pod gang gang pod pod pod gang.  When the first is bound the others have been looked at, and the second
 * pod's answer knows nothing of the 9 nodes that it and the gangs take. */
static void crowd(struct world *w, uint32_t workers)
{
    struct headstart head = {.lock = PTHREAD_MUTEX_INITIALIZER, .more = PTHREAD_COND_INITIALIZER, .want = workers == 5 ? 7 : 0};
    struct pipeline_opts opts = {.workers = workers, .always_parallel = true, .no_help = true, .answered = note_answer, .stall_arg = &head};
    world_init(w, 31, 0, 0, opts);
    w->headstart = &head;
    put_equal_nodes(w, 100);
    for (uint32_t i = 0; i < 120; i++) {
        struct res_amount *cpu = arena_new(&w->gen.arena, struct res_amount);
        *cpu = (struct res_amount){RES_CPU, 1300 + i}; /* 2 % of a node: each pod lowers its score */
        struct pod_spec spec = {.ns = S("d"), .requests = {cpu, 1}, .nonzero_cpu = cpu->amount, .nonzero_memory = 200 << 20, .created_ns = i};
        spec.name = arena_fmt(&w->gen.arena, "c-%u", i);
        put_pod(w, &spec);
        for (int k = 0; i % 3 == 0 && k < 2; k++) {
            spec.created_ns = i;
            put_gang(w, spec);
        }
    }
    pipeline_run(w->p, w->now, 0);
    w->headstart = NULL;
    check_all(w);
    T_OK(workers != 5 || pipeline_count(w->p).rescans > 0);
    pipeline_free(w->p); /* its workers know of head */
    w->p = NULL;
}

TEST(answers_that_are_too_old)
{
    struct world alone, many;
    crowd(&alone, 1);
    for (uint32_t workers = 2; workers <= 5; workers++) {
        crowd(&many, workers);
        compare_traces(&alone, &many, workers);
        world_fini(&many);
    }
    world_fini(&alone);
}

TEST(fast_never_overcommits)
{
    for (uint32_t workers = 2; workers <= 4; workers++) {
        struct world w;
        struct pipeline_opts opts = {.workers = workers, .fast = true, .always_parallel = true, .no_help = workers != 2};
        world_init(&w, workers, GEN_SIMPLE, 150, opts);
        live(&w, 6, 250, false);
        check_constraints(&w);
        struct pipeline_counts c = pipeline_count(w.p);
        T_OK(c.placed > 500);
        T_OK(c.serial < c.decided);
        world_fini(&w);
    }
}

/* Fast mode gives up on a pod only when no node has room for it: a unit that was rejected finds none afterwards, either. */
TEST(fast_finds_the_last_room)
{
    struct world w;
    struct pipeline_opts opts = {.workers = 4, .fast = true, .always_parallel = true, .no_help = true};
    world_init(&w, 5, GEN_TAINTS | GEN_NODE_SELECTOR, 130, opts);
    add_pods(&w, 1500, false);
    pipeline_run(w.p, w.now, 0);
    check_all(&w);
    uint32_t waiting = 0;
    for (size_t i = 0; i < w.ids.len; i++)
        if (w.s->pods[w.ids.p[i]].state == PS_PENDING) {
            struct unit_decision d = UNIT_DECISION_INIT;
            sched_place(w.s, sched_unit_of(w.s, w.ids.p[i]), w.now, &d);
            T_EQ_INT(d.result, UNIT_REJECTED);
            waiting++;
            unit_decision_fini(&d);
        }
    T_OK(waiting > 0);
    T_EQ_INT(dispatcher_count(pipeline_dispatcher(w.p)).parked, waiting);
    check_constraints(&w);
    world_fini(&w);
}

/* --- a worker that hangs ------------------------------------------------------------------------------------------------------------------- */
struct gate {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    bool closed;
    uint32_t waiting; /* workers in it */
};

static void stall(void *arg, uint32_t number)
{
    struct gate *g = arg;
    if (number != 1)
        return;
    pthread_mutex_lock(&g->lock);
    g->waiting++;
    while (g->closed)
        pthread_cond_wait(&g->opened, &g->lock);
    g->waiting--;
    pthread_mutex_unlock(&g->lock);
}

static void gate_set(struct gate *g, bool closed)
{
    pthread_mutex_lock(&g->lock);
    g->closed = closed;
    pthread_cond_broadcast(&g->opened);
    pthread_mutex_unlock(&g->lock);
}

/* Time goes on by a millisecond with every look; only the driver looks. */
static nsec_t mono_rushing(const struct clock *c)
{
    struct clock_fake *fake = container_of((struct clock *)c, struct clock_fake, clock);
    return fake->mono += NSEC_PER_MSEC;
}

static void hanging_worker(bool fast, uint32_t workers)
{
    struct gate gate = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};
    struct clock_fake clock;
    clock_fake_init(&clock, 0);
    clock.clock.mono_ns = mono_rushing;
    struct world alone, w;
    world_init(&alone, 21, GEN_SIMPLE, 150, (struct pipeline_opts){.workers = 1});
    struct pipeline_opts opts = {.workers = workers,
                                 .fast = fast,
                                 .always_parallel = true,
                                 .no_help = true,
                                 .stuck_ns = 50 * NSEC_PER_MSEC,
                                 .clock = &clock.clock,
                                 .stall = stall,
                                 .stall_arg = &gate,
                                 .batch = 64};
    world_init(&w, 21, GEN_SIMPLE, 150, opts);
    for (int step = 0; step < 6; step++) {
        /* 1 to 3: it hangs, also over rounds that begin with a refresh; then it comes back */
        gate_set(&gate, step >= 1 && step <= 3);
        add_pods(&alone, 200, false);
        add_pods(&w, 200, false);
        pipeline_run(alone.p, alone.now, 0);
        pipeline_run(w.p, w.now, 0);
        T_EQ_INT(dispatcher_count(pipeline_dispatcher(w.p)).ready, 0);
        check_capacity(&w);
        alone.now += NSEC_PER_SEC;
        w.now += NSEC_PER_SEC;
    }
    gate_set(&gate, false);
    if (!fast)
        compare_traces(&alone, &w, workers);
    /* alone it answers nothing while it hangs, however fast or slow it is; with a second one that may have done all before it came */
    if (workers == 2)
        T_OK(pipeline_count(w.p).rescued > 0);
    check_all(&w);
    world_fini(&w);
    world_fini(&alone);
}

TEST(a_stuck_worker_loses_its_units)
{
    hanging_worker(false, 2);
    hanging_worker(false, 3);
}
TEST(a_stuck_worker_loses_its_units_fast)
{
    hanging_worker(true, 2);
    hanging_worker(true, 3);
}

/* --- choices of the driver ------------------------------------------------------------------------------------------------------------------- */
TEST(equal_pods_stay_on_one_thread)
{
    struct world w;
    world_init(&w, 3, 0, 100, (struct pipeline_opts){.workers = 2});
    struct res_amount cpu = {RES_CPU, 10};
    struct pod_spec spec = {.ns = S("d"), .requests = {&cpu, 1}, .nonzero_cpu = 10, .nonzero_memory = 200 << 20};
    for (int i = 0; i < 500; i++) {
        spec.name = arena_fmt(&w.gen.arena, "e-%d", i);
        put_pod(&w, &spec);
    }
    T_EQ_INT(pipeline_run(w.p, w.now, 0), 500);
    T_EQ_INT(pipeline_count(w.p).serial, 500);
    T_EQ_INT(pipeline_count(w.p).rounds, 0);
    T_EQ_INT(pipeline_count(w.p).placed, 500);
    world_fini(&w);
}

/* Members above the minimum that find no room are parked, not tried for ever. */
TEST(surplus_members_wait)
{
    struct world w;
    world_init(&w, 3, 0, 0, (struct pipeline_opts){.workers = 1});
    put_equal_nodes(&w, 1);
    struct res_amount cpu = {RES_CPU, 20000};
    put_gang(&w, (struct pod_spec){.ns = S("d"), .requests = {&cpu, 1}, .nonzero_cpu = 20000, .nonzero_memory = 200 << 20});
    pipeline_run(w.p, w.now, 10);
    T_EQ_INT(w.trace.len / 2, 3);
    T_EQ_INT(dispatcher_count(pipeline_dispatcher(w.p)).parked, 1);
    T_EQ_INT(dispatcher_count(pipeline_dispatcher(w.p)).ready, 0);
    world_fini(&w);
}

/* --- more than there is room for ------------------------------------------------------------------------------------------------------------ */
static void overload(struct world *w, bool alike, uint32_t workers)
{
    static struct dispatch_order order[2];
    order[alike] = dispatch_order_priority;
    order[alike].equals_by_arrival = alike;
    struct pipeline_opts opts = {.workers = workers, .always_parallel = true, .dispatch = {.order = &order[alike]}};
    world_init(w, 77, 0, 0, opts);
    put_equal_nodes(w, 4);
    for (uint32_t step = 0; step < 60; step++) {
        for (uint32_t i = 0; i < 12; i++) {
            uint32_t kind = worldgen_below(&w->gen, 4);
            struct res_amount *cpu = arena_new(&w->gen.arena, struct res_amount);
            *cpu = (struct res_amount){RES_CPU, 3000 << kind};
            struct pod_spec spec = {.ns = S("d"), .requests = {cpu, 1}, .nonzero_cpu = cpu->amount, .nonzero_memory = 200 << 20, .created_ns = w->now};
            spec.priority = (int32_t)worldgen_below(&w->gen, 2);
            spec.preempt_never = true;
            spec.name = arena_fmt(&w->gen.arena, "o-%zu", w->pods.len);
            put_pod(w, &spec);
        }
        pipeline_run(w->p, w->now, 0);
        check_all(w);
        between(w);
    }
}

/* Of equal units one is tried for all: the same decisions as when each is tried, with fewer tries, at any number of workers. */
TEST(alike_as_if_each_were_tried)
{
    struct world each, alike;
    overload(&each, false, 1);
    T_OK(each.trace.len > 200);
    T_OK(dispatcher_count(pipeline_dispatcher(each.p)).parked > 100);
    for (uint32_t workers = 1; workers <= 3; workers++) {
        overload(&alike, true, workers);
        compare_traces(&each, &alike, workers);
        T_OK(pipeline_count(alike.p).decided * 4 < pipeline_count(each.p).decided);
        world_fini(&alike);
    }
    world_fini(&each);
}

TEST(too_many_workers_are_refused)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    struct err err;
    struct pipeline_opts opts = {.workers = 65, .dispatch = DISPATCHER_OPTS_DEFAULT};
    T_OK(!pipeline_new(s, &opts, NULL, &err));
    T_EQ_INT(err.code, E_INVALID_ARG);
    sched_free(s);
}

TEST_MAIN(deterministic_like_one_worker, deterministic_with_everything, answers_that_are_too_old, fast_never_overcommits,
          fast_finds_the_last_room, a_stuck_worker_loses_its_units, a_stuck_worker_loses_its_units_fast, equal_pods_stay_on_one_thread, surplus_members_wait, alike_as_if_each_were_tried, too_many_workers_are_refused)
