/* replica_test.c - a replica that follows the log and the journal is the engine's view, whatever happened in between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/binder/replica.h"

#include "base/test.h"
#include "sched/engine/engine.h"

struct world {
    struct sched *s;
    struct commit_log *log;
    uint64_t logged_seq;
    struct rng r;
    uint32_t nnodes, npods;
    VEC(pod_id) pending, placed;
    struct err err;
};

static void world_init(struct world *w, uint64_t seed)
{
    *w = (struct world){.s = sched_new(profile_builtin(S("default")), 1), .log = xnew(struct commit_log)};
    rng_seed(&w->r, seed);
}

static void world_fini(struct world *w)
{
    vec_fini(&w->pending);
    vec_fini(&w->placed);
    free(w->log);
    sched_free(w->s);
}

static void add_node(struct world *w)
{
    char name[24];
    snprintf(name, sizeof name, "n%u", w->nnodes++);
    struct res_amount amounts[] = {{RES_CPU, 4000 + (int64_t)rng_below(&w->r, 64000)}, {RES_MEMORY, 1ll << 34}, {RES_PODS, 110}};
    struct node_spec n = {.name = str_of(name), .allocatable = {amounts, 3}};
    T_NO_ERR(sched_node_put(w->s, &n, NULL, &w->err), &w->err);
}

static void add_pod(struct world *w, uint16_t resource)
{
    char name[24];
    snprintf(name, sizeof name, "p%u", w->npods++);
    int64_t cpu = 100 * (1 + (int64_t)rng_below(&w->r, 20));
    struct res_amount amounts[] = {{RES_CPU, cpu}, {RES_MEMORY, 1 << 20}, {resource, 3}};
    struct pod_spec p = {.ns = S("d"), .name = str_of(name), .requests = {amounts, resource ? 3 : 2}, .nonzero_cpu = cpu, .nonzero_memory = 1 << 20};
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &w->err), &w->err);
    vec_push(&w->pending, id);
}

/* Puts a pending pod on a random node; logged or not. */
static void place_any(struct world *w, bool logged, uint32_t worker)
{
    if (!w->pending.len)
        return;
    pod_id p = vec_pop(&w->pending);
    node_id n = (node_id)rng_below(&w->r, w->nnodes);
    model_assign(w->s, p, n, PS_ASSUMED, 0);
    vec_push(&w->placed, p);
    if (logged) {
        commit_log_add(w->log, n, w->s->pods[p].class_, 1, worker);
        commit_log_publish(w->log);
    }
}

static void take_any(struct world *w)
{
    if (!w->placed.len)
        return;
    size_t i = rng_below(&w->r, w->placed.len);
    pod_id p = w->placed.p[i];
    vec_remove_swap(&w->placed, i);
    model_unassign(w->s, p);
    vec_push(&w->pending, p);
}

static void same(struct world *w, const struct replica *r)
{
    T_NO_ERR(replica_check(r, w->s, &w->err), &w->err);
}

TEST(follows_commits_and_events)
{
    struct world w;
    world_init(&w, 7);
    for (int i = 0; i < 100; i++)
        add_node(&w);
    struct replica *r[3] = {replica_new(1), replica_new(2), replica_new(3)};
    for (int round = 0; round < 60 && !test_failures_; round++) {
        for (int i = 0; i < 50; i++)
            add_pod(&w, 0);
        if (round % 20 == 19)
            for (int i = 0; i < 40; i++)
                add_node(&w); /* columns grow */
        for (uint64_t i = rng_below(&w.r, 30); i > 0; i--)
            take_any(&w);
        for (uint64_t i = rng_below(&w.r, 10); i > 0; i--)
            place_any(&w, false, 0);
        bool third = round % 7 == 0; /* the third falls behind now and then */
        for (int i = 0; i < (third ? 3 : 2); i++) {
            replica_refresh(r[i], w.s, w.log, i == 2 ? UINT64_MAX : w.logged_seq);
            same(&w, r[i]);
        }
        for (int i = 0; i < 20; i++) {
            place_any(&w, true, 0);
            if (i % 3 == 0) {
                replica_view(r[0], w.log);
                same(&w, r[0]);
                T_EQ_INT(replica_behind(r[0], w.log), 0);
            }
        }
        w.logged_seq = w.s->view.seq;
        replica_view(r[0], w.log);
        same(&w, r[0]);
        /* the second follows at the next refresh */
    }
    for (int i = 0; i < 3; i++)
        replica_free(r[i]);
    world_fini(&w);
}

TEST(knows_a_difference)
{
    struct world w;
    world_init(&w, 3);
    for (int i = 0; i < 10; i++)
        add_node(&w);
    add_pod(&w, 0);
    struct replica *r = replica_new(1);
    replica_refresh(r, w.s, w.log, 0);
    same(&w, r);
    place_any(&w, false, 0);
    struct err err;
    T_OK(replica_check(r, w.s, &err) < 0);
    replica_free(r);
    world_fini(&w);
}

TEST(a_new_resource_is_a_new_column)
{
    struct world w;
    world_init(&w, 4);
    for (int i = 0; i < 10; i++)
        add_node(&w);
    struct replica *r = replica_new(1);
    replica_refresh(r, w.s, w.log, 0);
    uint16_t id = 0;
    T_NO_ERR(sched_resource_id(w.s, S("example.com/fpga"), &id, &w.err), &w.err);
    add_pod(&w, id);
    replica_refresh(r, w.s, w.log, w.s->view.seq);
    place_any(&w, true, 0);
    T_EQ_INT(replica_view(r, w.log)->used[id][w.s->pods[w.placed.p[0]].node], 3);
    same(&w, r);
    replica_free(r);
    world_fini(&w);
}

TEST(a_refresh_needs_no_classes)
{
    struct world w;
    world_init(&w, 8);
    for (int i = 0; i < 10; i++)
        add_node(&w);
    add_pod(&w, 0);
    struct replica *r = replica_new(1);
    replica_refresh(r, w.s, w.log, UINT64_MAX);
    place_any(&w, false, 0);
    /* as if the class of the commit had been dropped since */
    commit_log_add(w.log, w.s->pods[w.placed.p[0]].node, UINT32_MAX, 1, 0);
    commit_log_publish(w.log);
    replica_refresh(r, w.s, w.log, w.s->view.seq);
    same(&w, r);
    replica_free(r);
    world_fini(&w);
}

TEST(far_behind_starts_anew)
{
    struct world w;
    world_init(&w, 5);
    for (int i = 0; i < 200; i++)
        add_node(&w);
    struct replica *log_lost = replica_new(1), *journal_lost = replica_new(2);
    replica_refresh(log_lost, w.s, w.log, 0);
    for (uint32_t i = 0; i < COMMIT_LOG_SIZE + 10; i++) {
        if (!w.pending.len)
            add_pod(&w, 0);
        place_any(&w, true, 0);
        if (i == JOURNAL_SIZE)
            replica_refresh(journal_lost, w.s, w.log, w.s->view.seq);
        take_any(&w); /* unlogged: it must come from the columns */
    }
    T_OK(replica_behind(log_lost, w.log) > COMMIT_LOG_SIZE);
    replica_refresh(log_lost, w.s, w.log, w.s->view.seq);
    same(&w, log_lost);
    replica_refresh(journal_lost, w.s, w.log, 0);
    same(&w, journal_lost);
    replica_free(log_lost);
    replica_free(journal_lost);
    world_fini(&w);
}

TEST(proposals_of_its_own)
{
    struct world w;
    world_init(&w, 6);
    for (int i = 0; i < 4; i++)
        add_node(&w);
    for (int i = 0; i < 3; i++)
        add_pod(&w, 0);
    struct replica *mine = replica_new(1), *other = replica_new(2);
    replica_refresh(mine, w.s, w.log, 0);
    replica_refresh(other, w.s, w.log, 0);
    pod_id a = w.pending.p[0], b = w.pending.p[1];
    /* two proposals for node 2; the second is refused */
    replica_propose(mine, 2, w.s->pods[a].class_);
    replica_propose(mine, 2, w.s->pods[b].class_);
    model_assign(w.s, a, 2, PS_ASSUMED, 0);
    vec_push(&w.placed, a);
    commit_log_add(w.log, 2, w.s->pods[a].class_, 1, 1);
    commit_log_add(w.log, 2, w.s->pods[b].class_, -1, 1);
    commit_log_publish(w.log);
    T_EQ_INT(replica_behind(mine, w.log), 2);
    replica_view(mine, w.log);
    replica_view(other, w.log);
    same(&w, mine);
    same(&w, other);
    replica_free(mine);
    replica_free(other);
    world_fini(&w);
}

TEST_MAIN(follows_commits_and_events, knows_a_difference, a_new_resource_is_a_new_column, a_refresh_needs_no_classes, far_behind_starts_anew, proposals_of_its_own)
