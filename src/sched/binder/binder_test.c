/* binder_test.c - commits, conflicts, time-outs and preemption, with the world played by the test. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/binder/binder.h"

#include "base/test.h"
#include "sched/engine/place.h"

#define TIMEOUT (30 * NSEC_PER_SEC)

struct world {
    struct sched *s;
    struct dispatcher *d;
    struct binder *b;
    nsec_t now;
    VEC(struct placement) binds, nominations;
    VEC(pod_id) evicted;
    uint32_t rejected;
    struct err err;
};

static void on_bind(void *arg, pod_id p, node_id n)
{
    struct world *w = arg;
    vec_push(&w->binds, (struct placement){.pod = p, .node = n});
}
static void on_nominate(void *arg, pod_id p, node_id n)
{
    struct world *w = arg;
    vec_push(&w->nominations, (struct placement){.pod = p, .node = n});
}
static void on_evict(void *arg, pod_id v, unit_id by UNUSED)
{
    struct world *w = arg;
    vec_push(&w->evicted, v);
}
static void on_rejected(void *arg, unit_id u UNUSED, const struct unit_decision *d UNUSED)
{
    struct world *w = arg;
    w->rejected++;
}

static void world_init(struct world *w, nsec_t timeout)
{
    *w = (struct world){.s = sched_new(profile_builtin(S("default")), 1)};
    struct dispatcher_opts opts = DISPATCHER_OPTS_DEFAULT;
    w->d = dispatcher_new(w->s, &opts);
    struct binder_calls calls = {w, on_bind, on_nominate, on_evict, on_rejected};
    w->b = binder_new(w->s, w->d, &calls, timeout);
}

static void world_fini(struct world *w)
{
    T_NO_ERR(dispatcher_check(w->d, &w->err), &w->err);
    binder_free(w->b);
    dispatcher_free(w->d);
    sched_free(w->s);
    vec_fini(&w->binds);
    vec_fini(&w->nominations);
    vec_fini(&w->evicted);
}

static node_id node(struct world *w, const char *name, int64_t cpu)
{
    struct res_amount amounts[] = {{RES_CPU, cpu}, {RES_MEMORY, 1ll << 34}, {RES_PODS, 110}};
    struct node_spec n = {.name = str_of(name), .allocatable = {amounts, 3}};
    node_id id = NODE_NONE;
    T_NO_ERR(sched_node_put(w->s, &n, &id, &w->err), &w->err);
    return id;
}

static pod_id pod_of(struct world *w, const char *name, int64_t cpu, int32_t priority, const char *group, const char *on)
{
    struct res_amount amounts[] = {{RES_CPU, cpu}};
    struct pod_spec p = {.ns = S("d"), .name = str_of(name), .priority = priority, .requests = {amounts, 1}, .group = str_of(group)};
    p.nonzero_cpu = cpu;
    p.nonzero_memory = 1 << 20;
    p.node = str_of(on);
    p.phase = *on ? POD_BOUND : POD_PENDING;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &w->err), &w->err);
    if (!*on)
        T_NO_ERR(dispatcher_add(w->d, sched_unit_of(w->s, id), w->now, &w->err), &w->err);
    return id;
}

static pod_id pod(struct world *w, const char *name, int64_t cpu, int32_t priority)
{
    return pod_of(w, name, cpu, priority, "", "");
}

/* Pops the next unit and lets the engine decide. */
static enum unit_result decide(struct world *w)
{
    unit_id u = dispatcher_pop(w->d, w->now);
    T_OK(u != UNIT_NONE);
    struct unit_decision d = UNIT_DECISION_INIT;
    if (u != UNIT_NONE) {
        sched_place(w->s, u, w->now, &d);
        binder_apply(w->b, u, &d, w->now);
    }
    enum unit_result r = d.result;
    unit_decision_fini(&d);
    return r;
}

static void gone(struct world *w, pod_id p)
{
    unit_id u = sched_unit_of(w->s, p);
    binder_pod_gone(w->b, p);
    if (!w->s->units[u].is_group)
        dispatcher_remove(w->d, u);
    char name[32];
    snprintf(name, sizeof name, STR_FMT, STR_ARG(sched_pod_name(w->s, p)));
    sched_pod_delete(w->s, S("d"), str_of(name));
}

static enum dispatch_place where(struct world *w, pod_id p)
{
    return dispatcher_where(w->d, sched_unit_of(w->s, p));
}

/* --- commits -------------------------------------------------------------------------------------------------------------------------------- */
TEST(an_old_proposal_is_looked_at_again)
{
    struct world w;
    world_init(&w, 0);
    node_id n = node(&w, "n", 1000);
    pod_id a = pod(&w, "a", 600, 0), b = pod(&w, "b", 600, 0), c = pod(&w, "c", 300, 0);
    place_prepare(w.s, w.s->pods[a].class_);
    uint32_t seen = w.s->view.version[n];
    for (int i = 0; i < 3; i++)
        dispatcher_pop(w.d, 0);
    T_OK(binder_commit(w.b, a, n, seen, 0));
    T_EQ_INT(where(&w, a), DISPATCH_ABSENT);
    T_OK(!binder_commit(w.b, b, n, seen, 0)); /* 600 + 600 */
    T_EQ_INT(w.s->pods[b].state, PS_PENDING);
    T_EQ_INT(where(&w, b), DISPATCH_FLYING); /* its driver tries another node */
    T_OK(binder_commit(w.b, c, n, seen, 0));
    T_EQ_INT(w.s->view.used[RES_CPU][n], 900);
    T_EQ_INT(binder_count(w.b).committed, 2);
    T_EQ_INT(binder_count(w.b).conflicts, 1);
    T_EQ_INT(w.binds.len, 2);
    T_EQ_INT(w.binds.p[1].pod, c);
    world_fini(&w);
}

/* Proposals made on old views, many at a time: whatever is committed, no node exceeds what it has. */
TEST(forced_conflicts_never_overcommit)
{
    struct world w;
    world_init(&w, 0);
    struct rng r;
    rng_seed(&r, 5);
    enum { NODES = 40, PODS = 1200 };
    uint32_t seen[NODES];
    for (int i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        node(&w, name, 2000 + (int64_t)rng_below(&r, 3000));
    }
    for (int i = 0; i < PODS; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", i);
        pod(&w, name, 50 + (int64_t)rng_below(&r, 20) * 25, 0);
    }
    uint64_t conflicts = 0;
    for (int i = 0; i < PODS; i++) {
        if (i % 16 == 0) /* what the proposers know is up to 16 commits old */
            memcpy(seen, w.s->view.version, sizeof seen);
        unit_id u = dispatcher_pop(w.d, 0);
        pod_id p = w.s->units[u].pods.p[0];
        node_id n = (node_id)(i / 32 + (int)rng_below(&r, 3)); /* the crowd wants the same few */
        bool fits = w.s->view.used[RES_CPU][n] + class_of(w.s, p)->amount[RES_CPU] <= w.s->alloc[RES_CPU][n];
        if (seen[n] == w.s->view.version[n] && !fits)
            continue; /* a proposer that knows this does not propose it */
        bool done = binder_commit(w.b, p, n, seen[n], 0);
        T_EQ_INT(done, fits);
        conflicts += !done;
        if (!done && rng_below(&r, 2))
            dispatcher_retry(w.d, u, 0);
        bits_foreach(k, w.s->alive, w.s->view.words)
            for (uint32_t res = 0; res < w.s->nres; res++)
                T_OK(w.s->view.used[res][k] <= w.s->alloc[res][k]);
    }
    T_OK(conflicts > 20);
    T_EQ_INT(binder_count(w.b).conflicts, conflicts);
    T_NO_ERR(model_check(w.s, &w.err), &w.err);
    world_fini(&w);
}

/* --- the world's answers -------------------------------------------------------------------------------------------------------------------- */
TEST(unconfirmed_pods_are_let_go)
{
    struct world w;
    world_init(&w, TIMEOUT);
    node(&w, "n", 4000);
    pod_id a = pod(&w, "a", 100, 0), b = pod(&w, "b", 100, 0), c = pod(&w, "c", 100, 0), d = pod(&w, "d", 100, 0);
    for (int i = 0; i < 4; i++) {
        T_EQ_INT(decide(&w), UNIT_PLACED);
        w.now += NSEC_PER_SEC;
    }
    binder_confirmed(w.b, a);
    model_set_state(w.s, a, PS_BOUND);
    model_set_state(w.s, b, PS_BOUND); /* the watch was faster than the answer */
    gone(&w, d);
    T_EQ_INT(binder_tick(w.b, w.now), 2 * NSEC_PER_SEC + TIMEOUT);
    w.now = 2 * NSEC_PER_SEC + TIMEOUT;
    T_EQ_INT(binder_tick(w.b, w.now), INT64_MAX);
    T_EQ_INT(binder_count(w.b).timed_out, 1);
    T_EQ_INT(w.s->pods[a].state, PS_BOUND);
    T_EQ_INT(w.s->pods[b].state, PS_BOUND);
    T_EQ_INT(w.s->pods[c].state, PS_PENDING);
    T_EQ_INT(where(&w, c), DISPATCH_READY);
    T_EQ_INT(decide(&w), UNIT_PLACED);
    T_EQ_INT(w.binds.len, 5);
    world_fini(&w);
}

TEST(a_refused_bind_is_tried_again)
{
    struct world w;
    world_init(&w, TIMEOUT);
    node_id n = node(&w, "n", 4000);
    pod_id a = pod(&w, "a", 100, 0);
    T_EQ_INT(decide(&w), UNIT_PLACED);
    binder_failed(w.b, a, w.now);
    T_EQ_INT(w.s->pods[a].state, PS_PENDING);
    T_EQ_INT(w.s->view.used[RES_CPU][n], 0);
    T_EQ_INT(where(&w, a), DISPATCH_READY);
    T_EQ_INT(binder_count(w.b).failed, 1);
    T_EQ_INT(decide(&w), UNIT_PLACED);
    binder_confirmed(w.b, a);
    T_EQ_INT(binder_tick(w.b, w.now + TIMEOUT), INT64_MAX);
    T_EQ_INT(w.s->pods[a].state, PS_ASSUMED);
    world_fini(&w);
}

TEST(rejections_are_told)
{
    struct world w;
    world_init(&w, 0);
    node(&w, "n", 100);
    pod_id a = pod(&w, "a", 200, 0);
    T_EQ_INT(decide(&w), UNIT_REJECTED);
    T_EQ_INT(w.rejected, 1);
    T_EQ_INT(where(&w, a), DISPATCH_PARKED);
    world_fini(&w);
}

/* --- preemption ------------------------------------------------------------------------------------------------------------------------------ */
TEST(victims_first_then_the_bind)
{
    struct world w;
    world_init(&w, TIMEOUT);
    node_id n = node(&w, "n", 1000);
    pod_of(&w, "v0", 500, 0, "", "n");
    pod_of(&w, "v1", 500, 0, "", "n");
    pod_id high = pod(&w, "high", 800, 10);
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    T_EQ_INT(w.evicted.len, 2);
    T_EQ_INT(w.nominations.len, 1);
    T_EQ_INT(w.binds.len, 0);
    T_EQ_INT(where(&w, high), DISPATCH_FLYING);
    T_EQ_INT(w.s->pods[high].state, PS_NOMINATED);
    /* the room is kept: one of low priority does not get it when the first victim has gone */
    gone(&w, w.evicted.p[0]);
    pod_id low = pod(&w, "low", 300, 0);
    w.now += NSEC_PER_SEC;
    binder_tick(w.b, w.now);
    T_EQ_INT(decide(&w), UNIT_REJECTED);
    T_EQ_INT(w.binds.len, 0);
    gone(&w, w.evicted.p[1]);
    T_EQ_INT(w.binds.len, 0); /* not before the engine knows */
    binder_tick(w.b, w.now);
    T_EQ_INT(w.binds.len, 1);
    T_EQ_INT(w.s->pods[high].state, PS_ASSUMED);
    T_EQ_INT(w.s->pods[high].node, n);
    T_EQ_INT(where(&w, high), DISPATCH_ABSENT);
    T_EQ_INT(where(&w, low), DISPATCH_PARKED);
    T_EQ_INT(binder_count(w.b).evicted, 2);
    T_EQ_INT(w.s->view.used[RES_CPU][n], 800);
    world_fini(&w);
}

TEST(a_preemptor_that_is_deleted_frees_its_room)
{
    struct world w;
    world_init(&w, 0);
    node_id n = node(&w, "n", 1000);
    pod_of(&w, "v", 1000, 0, "", "n");
    pod_id high = pod(&w, "high", 800, 10);
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    gone(&w, high);
    gone(&w, w.evicted.p[0]);
    binder_tick(w.b, w.now);
    T_EQ_INT(w.binds.len, 0);
    T_EQ_INT(w.s->view.used[RES_CPU][n], 0);
    pod(&w, "next", 1000, 0);
    T_EQ_INT(decide(&w), UNIT_PLACED);
    world_fini(&w);
}

TEST(victims_that_never_go)
{
    struct world w;
    world_init(&w, TIMEOUT);
    node(&w, "n", 1000);
    pod_of(&w, "v", 1000, 0, "", "n");
    pod_id high = pod(&w, "high", 800, 10);
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    w.now += 601 * NSEC_PER_SEC;
    binder_tick(w.b, w.now);
    T_EQ_INT(w.s->pods[high].state, PS_PENDING);
    T_EQ_INT(where(&w, high), DISPATCH_READY);
    T_EQ_INT(binder_count(w.b).timed_out, 1);
    world_fini(&w);
}

TEST(victims_that_go_with_their_node)
{
    struct world w;
    world_init(&w, 0);
    node(&w, "n", 1000);
    pod_of(&w, "v", 1000, 0, "", "n");
    pod_id high = pod(&w, "high", 800, 10);
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    sched_node_delete(w.s, S("n"));
    node_id m = node(&w, "m", 1000);
    w.now += 2 * NSEC_PER_SEC;
    T_EQ_INT(binder_tick(w.b, w.now), INT64_MAX);
    T_EQ_INT(where(&w, high), DISPATCH_READY);
    T_EQ_INT(decide(&w), UNIT_PLACED);
    T_EQ_INT(w.s->pods[high].node, m);
    world_fini(&w);
}

TEST(room_that_a_higher_one_took)
{
    struct world w;
    world_init(&w, 0);
    node(&w, "n", 1000);
    pod_of(&w, "v", 1000, 0, "", "n");
    pod_id mid = pod(&w, "mid", 800, 10);
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    gone(&w, w.evicted.p[0]);
    pod_id high = pod(&w, "high", 800, 20);
    T_EQ_INT(decide(&w), UNIT_PLACED); /* before the tick */
    T_EQ_INT(w.s->pods[high].state, PS_ASSUMED);
    binder_tick(w.b, w.now);
    T_EQ_INT(w.s->pods[mid].state, PS_PENDING);
    T_EQ_INT(where(&w, mid), DISPATCH_READY);
    T_EQ_INT(w.binds.len, 1);
    world_fini(&w);
}

TEST(a_gang_is_bound_when_all_victims_have_gone)
{
    struct world w;
    world_init(&w, 0);
    node(&w, "n", 1000);
    node(&w, "m", 1000);
    pod_of(&w, "v0", 1000, 0, "", "n");
    pod_of(&w, "v1", 1000, 0, "", "m");
    struct group_spec g = {.ns = S("d"), .name = S("g"), .min_member = 2, .priority = 10, .has_priority = true};
    T_NO_ERR(sched_group_put(w.s, &g, NULL, &w.err), &w.err);
    pod_id a = pod_of(&w, "a", 700, 10, "g", ""), b = pod_of(&w, "b", 700, 10, "g", "");
    T_EQ_INT(decide(&w), UNIT_PREEMPTING);
    T_EQ_INT(w.evicted.len, 2);
    gone(&w, w.evicted.p[0]);
    binder_tick(w.b, w.now);
    T_EQ_INT(w.binds.len, 0);
    gone(&w, w.evicted.p[1]);
    binder_tick(w.b, w.now);
    T_EQ_INT(w.binds.len, 2);
    T_EQ_INT(w.s->pods[a].state, PS_ASSUMED);
    T_EQ_INT(w.s->pods[b].state, PS_ASSUMED);
    T_EQ_INT(where(&w, a), DISPATCH_ABSENT);
    world_fini(&w);
}

TEST_MAIN(an_old_proposal_is_looked_at_again, forced_conflicts_never_overcommit, unconfirmed_pods_are_let_go,
          a_refused_bind_is_tried_again, rejections_are_told, victims_first_then_the_bind, a_preemptor_that_is_deleted_frees_its_room,
          victims_that_never_go, victims_that_go_with_their_node, room_that_a_higher_one_took, a_gang_is_bound_when_all_victims_have_gone)
