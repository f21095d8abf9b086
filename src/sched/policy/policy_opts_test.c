/* policy_opts_test.c - options that are changed while it runs, history as time goes by, and several pools on one engine. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/policy/test_batch.h"

static struct batch_world w;

static unit_id unit_of(const char *pod)
{
    return sched_unit_of(w.s, sched_pod_find(w.s, S("x"), str_of(pod)));
}

static uint32_t runs(const char *unit)
{
    str node;
    return batch_running(&w, str_of(unit), &node);
}

/* --- history ------------------------------------------------------------------------------------------------------------------------------------ */
/* KAI's example: two queues of one weight, each with jobs that need the whole cluster.  Counts seconds that each ran, and changes. */
static void take_turns(const struct policy_opts *o, uint32_t seconds, uint32_t ran[2], uint32_t *changes)
{
    int last = -1;
    batch_new(&w, "n1 16", "d; a parent=d; b parent=d", "ja@a 1x16; jb@b 1x16", o);
    ran[0] = ran[1] = *changes = 0;
    for (uint32_t i = 0; i < seconds; i++) {
        batch_turn(&w);
        for (int q = 0; q < 2; q++)
            if (runs(q ? "jb" : "ja")) {
                ran[q]++;
                *changes += last != q;
                last = q;
            }
    }
    batch_free(&w);
}

TEST(queues_take_turns_because_of_the_past)
{
    uint32_t ran[2], changes;
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    take_turns(&o, 1000, ran, &changes);
    T_EQ_INT(changes, 1); /* without history who was first stays */
    o.half_life_ns = 128 * NSEC_PER_SEC;
    o.window_ns = 256 * NSEC_PER_SEC;
    take_turns(&o, 6000, ran, &changes);
    T_OK(changes >= 8 && changes <= 40);
    T_OK(ran[0] + ran[1] > 5500);
    T_OK(ran[0] > 2200 && ran[1] > 2200);
    o.past = 0; /* the past is known, and counts nothing */
    take_turns(&o, 1000, ran, &changes);
    T_EQ_INT(changes, 1);
}

TEST(history_is_written_down_and_read_back)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    STRBUF_AUTO text = STRBUF_HEAP, none = STRBUF_HEAP;
    o.half_life_ns = 3600 * NSEC_PER_SEC;
    o.window_ns = 100 * 3600 * NSEC_PER_SEC;
    batch_new(&w, "n1 8", "a; b", "ja@a 1x8", &o);
    batch_turn(&w);
    w.now += 600 * NSEC_PER_SEC;
    policy_usage_save(w.p, w.now, &text);
    double was = queues_get(policy_queues(w.p), queues_find(policy_queues(w.p), S("a")))->usage[queues_slot(policy_queues(w.p), RES_GPU)];
    T_OK(was > 0.9);
    nsec_t then = w.now;
    batch_free(&w);
    batch_new(&w, "n1 8", "a; b", "jb@b 1x8", &o); /* another life, in which a has nothing */
    w.now = then;
    policy_usage_load(w.p, strbuf_str(&text));
    batch_turn(&w);
    const struct queues *q = policy_queues(w.p);
    T_OK(fabs(queues_get(q, queues_find(q, S("a")))->usage[queues_slot(q, RES_GPU)] - was) < 0.01);
    o.window_ns = 0;
    policy_set_opts(w.p, &o);
    batch_turn(&w);
    T_OK(queues_get(q, queues_find(q, S("a")))->usage[queues_slot(q, RES_GPU)] == 0);
    policy_usage_save(w.p, w.now, &none);
    T_EQ_INT(none.len, 0);
    batch_free(&w);
}

TEST(a_window_that_tumbles_begins_anew)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.window_ns = 1000 * NSEC_PER_SEC;
    o.tumbles = true;
    o.window_from_ns = 500 * NSEC_PER_SEC;
    batch_new(&w, "n1 8", "a", "j@a 1x8", &o);
    const struct queues *q = policy_queues(w.p);
    uint32_t gpu = (uint32_t)queues_slot(q, RES_GPU);
    batch_turn(&w); /* at 1000: the window is from 500 to 1500 */
    w.now = 1400 * NSEC_PER_SEC;
    batch_turn(&w);
    T_OK(queues_get(q, 1)->usage[gpu] > 0.99);
    policy_usage_advance(w.p, 1499 * NSEC_PER_SEC);
    sched_pod_delete(w.s, S("x"), S("j"));
    w.now = 1499 * NSEC_PER_SEC;
    batch_turn(&w);
    T_OK(queues_get(q, 1)->usage[gpu] > 0.99);
    w.now = 1501 * NSEC_PER_SEC;
    batch_turn(&w);
    T_OK(queues_get(q, 1)->usage[gpu] == 0);
    batch_free(&w);
}

/* --- switches ---------------------------------------------------------------------------------------------------------------------------------------- */
TEST(actions_can_be_switched_while_it_runs)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.actions &= ~(1u << POLICY_ALLOCATE);
    batch_new(&w, "n1 2", "a q=1; b q=1", "j@a 1x1", &o);
    batch_turn(&w);
    batch_expect(&w, "j 0", "nothing starts");
    o.actions = POLICY_OPTS_DEFAULT.actions & ~(1u << POLICY_RECLAIM);
    policy_set_opts(w.p, &o);
    batch_unit(&w, S("k@a 1x1"), 2);
    batch_turn(&w);
    batch_unit(&w, S("m@b 1x1"), 3);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1; m 0", "nobody is driven out");
    o = POLICY_OPTS_DEFAULT;
    policy_set_opts(w.p, &o);
    batch_turn(&w);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 0; m 1", "as usual");
    batch_free(&w);
    o.actions &= ~(1u << POLICY_STALE);
    batch_new(&w, "n1 2", "a", "j@a 2x1 on=n1,n1", &o);
    w.never_again = true;
    batch_turn(&w);
    sched_pod_delete(w.s, S("x"), S("j-1"));
    batch_turn(&w);
    w.now += 100 * NSEC_PER_SEC;
    batch_turn(&w);
    batch_expect(&w, "j 1", "stale gangs are left alone");
    o = POLICY_OPTS_DEFAULT;
    policy_set_opts(w.p, &o);
    batch_turn(&w);
    batch_expect(&w, "j 0", "those that were stale before, too");
    batch_free(&w);
}

TEST(minimum_run_times_of_those_that_say_none)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.reclaim_min_runtime_ns = 100 * NSEC_PER_SEC;
    o.preempt_min_runtime_ns = 50 * NSEC_PER_SEC;
    batch_new(&w, "n1 2", "a q=1; b q=1", "j@a 1x1 on=n1 start=1000; k@a 1x1 on=n1 start=1000; m@b 1x1", &o);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1; m 0", "protected");
    w.now = 1099 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    w.now = 1101 * NSEC_PER_SEC;
    batch_turn(&w);
    batch_turn(&w);
    T_EQ_INT(runs("m"), 1);
    batch_free(&w);
}

TEST(an_action_looks_at_the_head_of_a_line_only)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.depth[POLICY_ALLOCATE] = 2;
    batch_new(&w, "n1 4", "a; b", "j1@a 1x8; j2@a 1x9; j3@a 1x1; k@b 1x1", &o);
    batch_turn(&w);
    batch_turn(&w);
    batch_expect(&w, "j1 0; j2 0; j3 0; k 1", "two in a");
    o.depth[POLICY_ALLOCATE] = 3;
    policy_set_opts(w.p, &o);
    batch_turn(&w);
    batch_expect(&w, "j3 1; k 1", "three");
    batch_free(&w);
}

/* --- pools ------------------------------------------------------------------------------------------------------------------------------------------- */
static void put_pod(const char *name, const char *queue, const char *pool, uint32_t gpus)
{
    static nsec_t created;
    struct res_amount r = {RES_GPU, gpus};
    struct pod_spec p = {.created_ns = ++created, .ns = S("x"), .name = str_of(name), .uid = str_of(name), .queue = str_of(queue), .pool = str_of(pool), .requests = {&r, 1}, .in_pool = true, .place_pool = str_of(pool),
                         .gpu = {.kind = GPU_WHOLE, .count = gpus}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pod_put(w.s, &p, NULL, &err), &err);
}

static str node_of(const char *pod)
{
    pod_id p = sched_pod_find(w.s, S("x"), str_of(pod));
    return p && w.s->pods[p].node != NODE_NONE ? sched_node_name(w.s, w.s->pods[p].node) : S("");
}

TEST(pools_have_nodes_queues_and_shares_of_their_own)
{
    struct err err = ERR_NONE;
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    struct policy_decisions d = POLICY_DECISIONS_INIT;
    o.has_pool = true;
    batch_new(&w, "n1 4; n2 4 " POOL_LABEL "=east; n3 4 " POOL_LABEL "=east", "a", "", &o);
    o.pool = symbol(&w.s->sym, S("east"));
    struct policy *east = policy_new(w.s, &o);
    T_NO_ERR(policy_queue_put(east, &(struct queue_spec){.name = S("a"), .uid = S("e"), .priority = 100, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1}, &err), &err);
    put_pod("plain", "a", "", 4);
    put_pod("more", "a", "", 4);
    put_pod("e1", "a", "east", 4);
    put_pod("lost", "a", "west", 1);
    policy_round(w.p, w.now, &w.d);
    policy_round(east, w.now, &d);
    T_EQ_STR(node_of("plain"), "n1");
    T_EQ_STR(node_of("more"), "");
    T_OK(str_is(node_of("e1"), "n2") || str_is(node_of("e1"), "n3"));
    T_EQ_STR(node_of("lost"), "");
    T_OK(policy_has(w.p, unit_of("more")) && !policy_has(east, unit_of("more")) && policy_has(east, unit_of("e1")) && !policy_has(w.p, unit_of("lost")));
    uint32_t gpu = (uint32_t)queues_slot(policy_queues(east), RES_GPU);
    T_EQ_INT(queues_get(policy_queues(east), 1)->fair.v[gpu], 4000); /* it asks for no more; there are 8 */
    T_EQ_INT(queues_get(policy_queues(w.p), 1)->fair.v[gpu], 4000);
    T_EQ_INT(queues_get(policy_queues(w.p), 1)->requested.v[gpu], 8000);
    T_NO_ERR(policy_check(w.p, &err), &err);
    T_NO_ERR(policy_check(east, &err), &err);
    /* what others hold on the pool's nodes is not there to be divided, what they hold elsewhere does not matter */
    struct res_amount one = {RES_GPU, 1};
    struct pod_spec foreign = {.ns = S("x"), .name = S("f"), .node = S("n3"), .phase = POD_BOUND, .requests = {&one, 1}, .gpu = {.kind = GPU_WHOLE, .count = 1}};
    T_NO_ERR(sched_pod_put(w.s, &foreign, NULL, &err), &err);
    put_pod("e2", "a", "east", 4);
    policy_events(east, EVENT_ALL);
    policy_round(east, w.now, &d);
    T_EQ_INT(queues_get(policy_queues(east), 1)->fair.v[gpu], 7000);
    T_EQ_STR(node_of("e2"), "");
    /* a node changes pools */
    batch_node(&w, S("n3 4"));
    policy_events(w.p, EVENT_ALL);
    policy_events(east, EVENT_ALL);
    sched_pod_delete(w.s, S("x"), S("f"));
    policy_round(east, w.now, &d);
    policy_round(w.p, w.now, &w.d);
    T_EQ_STR(node_of("e2"), "");
    T_EQ_STR(node_of("more"), "n3");
    T_EQ_INT(queues_get(policy_queues(east), 1)->fair.v[gpu], 4000);
    T_NO_ERR(policy_check(w.p, &err), &err);
    T_NO_ERR(policy_check(east, &err), &err);
    /* one pool again */
    policy_free(east);
    o = POLICY_OPTS_DEFAULT;
    policy_set_opts(w.p, &o);
    policy_round(w.p, w.now, &w.d);
    T_OK(policy_has(w.p, unit_of("lost")) && policy_has(w.p, unit_of("e1")));
    T_NO_ERR(policy_check(w.p, &err), &err);
    policy_decisions_fini(&d);
    batch_free(&w);
}

TEST_MAIN(queues_take_turns_because_of_the_past, history_is_written_down_and_read_back, a_window_that_tumbles_begins_anew, actions_can_be_switched_while_it_runs,
          minimum_run_times_of_those_that_say_none, an_action_looks_at_the_head_of_a_line_only, pools_have_nodes_queues_and_shares_of_their_own)
