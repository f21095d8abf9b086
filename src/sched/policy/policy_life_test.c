/* policy_life_test.c - what time, events and budgets do, and what the policy says about a unit that waits. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"
#include "sched/engine/statement.h"

static struct batch_world w;

static unit_id unit_of(const char *pod)
{
    return sched_unit_of(w.s, sched_pod_find(w.s, S("x"), str_of(pod)));
}

static void gone(const char *pod)
{
    sched_pod_delete(w.s, S("x"), str_of(pod));
}

/* --- gangs below their minimum ------------------------------------------------------------------------------------------------------------------ */
TEST(stale_gang_goes_after_the_grace)
{
    batch_new(&w, "n1 4", "a", "j@a 3x1 on=n1,n1,n1; k@a 1x2 at=rack:none", NULL);
    batch_turn(&w);
    gone("j-2");
    w.never_again = true;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    T_EQ_INT(w.d.again_ns, 1001 * NSEC_PER_SEC + 60 * NSEC_PER_SEC);
    w.now = 1060 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    w.now = 1061 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 2);
    T_EQ_INT(w.d.list.p[0].action, POLICY_STALE);
    T_EQ_INT(w.d.list.p[0].unit, UNIT_NONE);
    batch_turn(&w);
    batch_expect(&w, "j 0", "stale");
    batch_free(&w);
}

TEST(stale_gang_recovers)
{
    batch_new(&w, "n1 4", "a", "j@a 3x1 on=n1,n1,n1", NULL);
    batch_turn(&w);
    gone("j-2");
    batch_turn(&w);
    struct batch_pod *b = batch_find(&w, S("j-2"));
    b->node[0] = 0;
    w.now = 1050 * NSEC_PER_SEC;
    batch_put(&w, b);
    batch_turn(&w);
    batch_expect(&w, "j 3", "recovered");
    w.now = 1100 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    batch_free(&w);
}

TEST(stale_can_be_off)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.stale_grace_ns = -1;
    batch_new(&w, "n1 4", "a", "j@a 3x1 on=n1,n1,n1", &o);
    batch_turn(&w);
    gone("j-2");
    for (int i = 0; i < 5; i++, w.now += 100 * NSEC_PER_SEC)
        batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    batch_free(&w);
}

/* --- room that is kept ---------------------------------------------------------------------------------------------------------------------------- */
TEST(room_is_kept_while_victims_go)
{
    batch_new(&w, "n1 2", "a q=1; b q=1; c", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1", NULL);
    w.slow = 3;
    batch_turn(&w);
    struct policy_why y;
    policy_why(w.p, unit_of("l"), &y);
    T_EQ_INT(y.verdict, POLICY_KEPT);
    batch_lines(&w, "m@c 1x1 pri=99 created=50", 2);
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    T_EQ_INT(w.evictions, 1);
    batch_turn(&w);
    batch_turn(&w);
    batch_expect(&w, "l 1; m 0", "kept for l");
    T_EQ_INT(w.nominations, 1);
    batch_free(&w);
}

TEST(room_that_comes_free_is_waited_for)
{
    batch_new(&w, "n1 2", "a q=1; b q=1", "j@b 1x1 on=n1; k@b 1x1 on=n1; l@a 1x1 created=50", NULL);
    w.slow = 3;
    struct batch_pod *b = batch_find(&w, S("j"));
    pod_id j = sched_pod_find(w.s, S("x"), S("j"));
    model_set_state(w.s, j, PS_TERMINATING); /* somebody deletes it */
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    T_EQ_INT(w.nominations, 1);
    sched_pod_delete(w.s, S("x"), str_of(b->name));
    batch_turn(&w);
    batch_expect(&w, "k 1; l 1", "no victim was needed");
    T_EQ_INT(w.evictions, 0);
    batch_free(&w);
}

TEST(room_that_is_lost_is_looked_for_again)
{
    batch_new(&w, "n1 1; n2 1", "a q=1; b", "j@b 1x1 on=n1; k@b 1x1 on=n2; l@a 1x1", NULL);
    w.slow = 2;
    batch_turn(&w);
    pod_id l = sched_pod_find(w.s, S("x"), S("l"));
    T_EQ_INT(w.s->pods[l].state, PS_NOMINATED);
    sched_node_delete(w.s, sched_node_name(w.s, w.s->pods[l].node));
    for (int i = 0; i < 8; i++)
        batch_turn(&w);
    batch_expect(&w, "l 1", "on the other node");
    batch_free(&w);
}

/* --- run times ---------------------------------------------------------------------------------------------------------------------------------- */
TEST(too_long_a_run_ends)
{
    batch_new(&w, "n1 4", "d max=50; a parent=d; b", "j@a 1x1; k@b 1x1", NULL);
    w.never_again = true;
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1", "started");
    batch_turn(&w);
    T_EQ_INT(w.d.again_ns, 1050 * NSEC_PER_SEC);
    w.now = 1049 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    w.now = 1050 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 1);
    batch_expect(&w, "j 0; k 1", "ended");
    batch_free(&w);
}

TEST(protection_ends_by_time_alone)
{
    batch_new(&w, "n1 1", "a q=1; b rmin=30", "j@b 1x1 on=n1 start=990; k@a 1x1", NULL);
    batch_turn(&w);
    T_EQ_INT(w.evictions, 0);
    T_EQ_INT(w.d.again_ns, 1020 * NSEC_PER_SEC);
    batch_turn(&w);
    T_EQ_INT(w.d.again_ns, 1020 * NSEC_PER_SEC);
    w.now = 1020 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.evictions, 1);
    batch_turn(&w);
    batch_expect(&w, "j 0; k 1", "after");
    batch_free(&w);
}

/* --- budgets ------------------------------------------------------------------------------------------------------------------------------------ */
static void add_pdb(const char *label, int32_t allowed)
{
    str value = str_of(label);
    struct spec_requirement r = {S("app"), OP_IN, &value, 1};
    struct pdb_spec pdb = {.ns = S("x"), .name = value, .selector = {&r, 1, false}, .disruptions_allowed = allowed};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pdb_put(w.s, &pdb, &err), &err);
}

static void put_labelled(const char *name, const char *queue, const char *node, const char *app, nsec_t started)
{
    struct res_amount req[] = {{RES_CPU, 100}, {RES_GPU, 1}};
    struct spec_label labels[] = {{S("app"), str_of(app)}};
    struct pod_spec p = {.ns = S("x"), .name = str_of(name), .node = str_of(node), .queue = str_of(queue), .phase = *node ? POD_BOUND : POD_PENDING, .started_ns = started, .priority = 50,
                         .requests = {req, 2}, .labels = {labels, 1}, .gpu = {.kind = GPU_WHOLE, .count = 1}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pod_put(w.s, &p, NULL, &err), &err);
}

TEST(disruption_budgets_are_kept_where_possible)
{
    batch_new(&w, "n1 3", "a q=2; b", "k@a 1x1; l@a 1x1 created=9", NULL);
    put_labelled("old", "b", "n1", "free", 100);
    put_labelled("mid", "b", "n1", "guarded", 200);
    put_labelled("new", "b", "n1", "guarded", 300);
    add_pdb("guarded", 0);
    policy_events(w.p, EVENT_ALL);
    policy_round(w.p, w.now, &w.d);
    T_EQ_INT(w.d.list.len, 2);
    T_EQ_STR(sched_pod_name(w.s, w.d.list.p[0].d.victims.p[0]), "old");
    T_EQ_STR(sched_pod_name(w.s, w.d.list.p[1].d.victims.p[0]), "new"); /* no other way */
    batch_check(&w);
    batch_free(&w);
}

TEST(a_round_is_bounded_and_the_next_goes_on)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.max_tries = 3;
    batch_new(&w, "n1 8", "a", "j@a 1x1; k@a 1x1; l@a 1x1; m@a 1x1; n@a 1x1", &o);
    batch_turn(&w);
    T_OK(w.d.more);
    T_EQ_INT(w.binds, 3);
    batch_turn(&w);
    T_OK(!w.d.more);
    T_EQ_INT(w.binds, 5);
    batch_free(&w);
}

/* --- many alike, and events -------------------------------------------------------------------------------------------------------------------------- */
TEST(equal_units_cost_one_try)
{
    batch_new(&w, "n1 1", "a q=1; b", "j@b 1x1 on=n1 fixed; k@a 1x1", NULL);
    pod_id like = sched_pod_find(w.s, S("x"), S("k"));
    char name[32];
    for (int i = 0; i < 10000; i++) {
        snprintf(name, sizeof name, "k%d", i);
        sched_pod_clone(w.s, like, str_of(name), 10 + i);
    }
    policy_events(w.p, sched_take_events(w.s));
    policy_round(w.p, w.now, &w.d);
    T_OK(w.p->tries <= 4); /* one for each action */
    policy_round(w.p, w.now, &w.d);
    T_EQ_INT(w.p->tries, 0);
    policy_events(w.p, EVENT_POD_FREED);
    policy_round(w.p, w.now, &w.d);
    T_OK(w.p->tries <= 4);
    batch_check(&w);
    batch_free(&w);
}

TEST(events_wake)
{
    batch_new(&w, "n1 1", "a", "j@a 1x1 on=n1; k@a 1x1", NULL);
    batch_turn(&w);
    batch_turn(&w);
    T_EQ_INT(w.p->tries, 0);
    batch_lines(&w, "n2 1", 0);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1 n2", "a node came");
    batch_lines(&w, "l@a 1x1 created=99", 2);
    batch_turn(&w);
    batch_expect(&w, "l 0", "full");
    gone("j");
    batch_turn(&w);
    batch_expect(&w, "l 1 n1", "a pod ended");
    batch_free(&w);
}

TEST(queues_come_and_go)
{
    batch_new(&w, "n1 2", "a", "j@a 1x1; k@b 1x1", NULL);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 0", "no queue b");
    batch_lines(&w, "b", 1);
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1", "queue b");
    policy_queue_delete(w.p, S("a"));
    batch_turn(&w);
    batch_expect(&w, "j 1; k 1", "those that run stay");
    batch_lines(&w, "a q=1; c parent=a", 1);
    batch_lines(&w, "l@a 1x0 created=99", 2);
    batch_turn(&w);
    batch_expect(&w, "l 0", "a is no leaf any more");
    batch_free(&w);
}

static int64_t gpus_of(const char *queue, bool fair)
{
    const struct queues *q = policy_queues(w.p);
    const struct queue_state *x = queues_get(q, queues_find(q, str_of(queue)));
    uint32_t slot = (uint32_t)queues_slot(q, RES_GPU);
    return fair ? x->fair.v[slot] : x->allocated.v[slot];
}

/* Work that runs in a queue that changes under it is still somebody's, or not there to be divided. */
TEST(work_outlives_its_queue)
{
    batch_new(&w, "n1 8", "d q=2; a parent=d q=2; e", "j@a 1x2 fixed on=n1; k@e 8x1 min=1", NULL);
    batch_turn(&w);
    T_EQ_INT(gpus_of("d", false), 2000);
    batch_lines(&w, "c parent=a", 1); /* a is made of others now */
    batch_turn(&w);
    T_EQ_INT(gpus_of("a", false), 2000);
    T_EQ_INT(gpus_of("d", false), 2000);
    struct policy_why y;
    policy_why(w.p, unit_of("j"), &y);
    T_EQ_INT(y.queue, QUEUE_NOT_LEAF);
    policy_queue_delete(w.p, S("d")); /* a hangs nowhere: what j holds is not there to be divided */
    batch_turn(&w);
    T_EQ_INT(gpus_of("a", false), 0);
    T_EQ_INT(gpus_of("e", true), 6000);
    policy_queue_delete(w.p, S("c"));
    policy_queue_delete(w.p, S("a")); /* nor when it is gone */
    batch_turn(&w);
    T_EQ_INT(gpus_of("e", true), 6000);
    batch_expect(&w, "j 1; k 6", "it runs on");
    batch_lines(&w, "a", 1); /* and there it is again */
    batch_turn(&w);
    T_EQ_INT(gpus_of("a", false), 2000);
    gone("j");
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    batch_expect(&w, "k 8", "all of it");
    batch_free(&w);
}

TEST(absurd_amounts_add_up)
{
    batch_new(&w, "n1 8 cpu=1125899906842623; n2 8 cpu=1125899906842623", "a; b", "j@ 1x0 cpu=1125899906842624; k@a 60x0 cpu=1125899906842624; l@b 1x1 cpu=1", NULL);
    for (int i = 0; i < 3; i++)
        batch_turn(&w);
    struct policy_why y;
    policy_why(w.p, unit_of("k-0"), &y);
    T_OK(y.ask.v[0] > 0 && y.verdict != POLICY_RUNNING);
    batch_expect(&w, "k 0; l 1", "absurd");
    batch_free(&w);
}

TEST(units_change_queues)
{
    batch_new(&w, "n1 2", "a l=0; b", "j@a 1x1", NULL);
    batch_turn(&w);
    batch_expect(&w, "j 0", "limit");
    struct batch_pod *b = batch_find(&w, S("j"));
    batch_copy(b->queue, sizeof b->queue, S("b"));
    batch_put(&w, b);
    batch_turn(&w);
    batch_expect(&w, "j 1", "another queue");
    b->queue[0] = 0;
    batch_put(&w, b);
    batch_turn(&w);
    T_OK(!policy_has(w.p, unit_of("j")));
    T_EQ_INT(queues_get(policy_queues(w.p), queues_find(policy_queues(w.p), S("b")))->allocated.v[0], 0);
    batch_free(&w);
}

TEST(plain_pods_shrink_what_is_divided)
{
    batch_new(&w, "n1 4", "a; b", "p@ 1x2 on=n1; j@a 1x1 on=n1; k@a 1x1 on=n1; l@b 1x1", NULL);
    batch_turn(&w);
    batch_turn(&w);
    const struct queues *q = policy_queues(w.p);
    T_EQ_INT(queues_get(q, queues_find(q, S("a")))->fair.v[queues_slot(q, RES_GPU)], 1000);
    T_EQ_INT(queues_get(q, queues_find(q, S("b")))->fair.v[queues_slot(q, RES_GPU)], 1000);
    batch_expect(&w, "p 1; l 1", "shared");
    batch_free(&w);
}

TEST(rollback_restores_accounts)
{
    batch_new(&w, "n1 4", "a q=1; b q=3", "j@a 2x1 on=n1,n1; k@b 1x1", NULL);
    policy_round(w.p, w.now, &w.d);
    const struct queue_state before = *queues_get(policy_queues(w.p), queues_find(policy_queues(w.p), S("a")));
    pod_id p = sched_pod_find(w.s, S("x"), S("j-0"));
    uint32_t at = statement_begin(w.s);
    model_unassign(w.s, p);
    T_EQ_INT(queues_get(policy_queues(w.p), before.id)->allocated.v[queues_slot(policy_queues(w.p), RES_GPU)], 1000);
    statement_rollback(w.s, at);
    const struct queue_state *after = queues_get(policy_queues(w.p), before.id);
    T_OK(memcmp(&before.allocated, &after->allocated, sizeof before.allocated) == 0);
    T_OK(memcmp(&before.requested, &after->requested, sizeof before.requested) == 0);
    batch_check(&w);
    batch_free(&w);
}

/* --- why ------------------------------------------------------------------------------------------------------------------------------------------- */
TEST(why)
{
    struct policy_why y;
    batch_new(&w, "n1 4", "a l=1 q=1; b; c", "j@a 1x1; k@a 1x1; l@b 1x9; m@b 1x1; n@gone 1x1; o@ 1x1; f@c 1x1 fixed; g@c 2x1 min=3; h@c 1x1 gated", NULL);
    batch_turn(&w);
    batch_turn(&w);
    policy_why(w.p, unit_of("j"), &y);
    T_EQ_INT(y.verdict, POLICY_RUNNING);
    policy_why(w.p, unit_of("k"), &y);
    T_EQ_INT(y.verdict, POLICY_QUEUE);
    T_EQ_INT(y.queue, QUEUE_OVER_LIMIT);
    T_EQ_INT(y.blame.have, 1000);
    T_EQ_INT(y.blame.may, 1000);
    T_EQ_INT(y.position, 1);
    policy_why(w.p, unit_of("l"), &y);
    T_EQ_INT(y.verdict, POLICY_NO_FIT);
    T_OK(y.rejected_by != 0);
    T_EQ_INT(y.ask.v[queues_slot(policy_queues(w.p), RES_GPU)], 9000);
    policy_why(w.p, unit_of("n"), &y);
    T_EQ_INT(y.verdict, POLICY_QUEUE);
    T_EQ_INT(y.queue, QUEUE_MISSING);
    policy_why(w.p, unit_of("o"), &y);
    T_EQ_INT(y.verdict, POLICY_NOT_BATCH);
    policy_why(w.p, unit_of("f"), &y);
    T_EQ_INT(y.queue, QUEUE_FIXED_OVER_QUOTA);
    T_OK(y.fixed);
    policy_why(w.p, unit_of("g-0"), &y);
    T_EQ_INT(y.verdict, POLICY_INCOMPLETE);
    batch_free(&w);
}

TEST(why_eviction_does_not_help)
{
    struct policy_why y;
    batch_new(&w, "n1 2; n2 2", "a; b q=2; c q=2", "j@b 1x1 on=n1; k@b 1x1 on=n1; x@c 1x2 on=n2; l@a 1x2", NULL);
    batch_turn(&w);
    policy_why(w.p, unit_of("l"), &y);
    T_EQ_INT(y.verdict, POLICY_NO_FIT);
    T_EQ_INT(y.tried[POLICY_RECLAIM], TRIED_NO_CLAIM);
    T_EQ_INT(y.tried[POLICY_PREEMPT], TRIED_NOBODY);
    T_EQ_INT(y.tried[POLICY_CONSOLIDATE], TRIED_NO_ROOM);
    batch_free(&w);
}

/* Somebody puts a pod on a node by name that asks for a million times what that has: only what the node has is lost. */
TEST(absurd_pods_of_others)
{
    batch_new(&w, "n1 4 cpu=4000; n2 4 cpu=4000", "a", "f@ 1x0 cpu=4000000000 on=n1; j@a 1x1 cpu=1000", NULL);
    batch_turn(&w);
    const struct queues *q = policy_queues(w.p);
    T_EQ_INT(queues_get(q, queues_find(q, S("a")))->fair.v[queues_slot(q, RES_CPU)], 1000);
    T_OK(batch_expect(&w, "j 1 n2", "beside an absurd pod"));
    batch_free(&w);
}

/* The line of a queue in order, however many are asked for, is what the positions say. */
TEST(the_line_in_order)
{
    STRBUF_AUTO units = STRBUF_HEAP;
    for (unsigned i = 0; i < 60; i++)
        strbuf_addf(&units, "u%u@a 1x%u pri=%u created=%u;", i, 2 + i % 3, 10 + 10 * (i * 7 % 4), 1 + i * 31 % 60);
    batch_new(&w, "n1 1", "a", strbuf_cstr(&units), NULL);
    batch_turn(&w);
    queue_id a = queues_find(policy_queues(w.p), S("a"));
    unit_id line[64];
    for (size_t max = 0; max <= 64; max += 16) {
        size_t n = policy_line(w.p, a, line, max);
        T_EQ_INT(n, MIN(max, (size_t)60));
        for (size_t i = 0; i < n; i++) {
            struct policy_why why;
            policy_why(w.p, line[i], &why);
            T_EQ_INT(why.position, i + 1);
            T_OK(policy_is_in_line(w.p, line[i]));
        }
    }
    batch_free(&w);
}

/* A victim that does not go keeps its room, and whoever waits for that room looks for other victims after two minutes. */
TEST(who_does_not_go_is_not_waited_for)
{
    batch_new(&w, "n1 1; n2 1", "a q=1; b", "j@b 1x1 on=n1 start=950; k@b 1x1 on=n2; l@a 1x1", NULL);
    w.slow = 1000;
    w.never_again = true;
    batch_turn(&w);
    T_EQ_INT(w.going.len, 1);
    T_EQ_STR(str_of(w.going.p[0].name), "j");
    struct batch_pod *j = batch_find(&w, S("j"));
    j->leaves = w.now + 30 * NSEC_PER_SEC;
    batch_put(&w, j);
    w.now += 149 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.going.len, 1);
    T_OK(w.d.again_ns <= j->leaves + 120 * NSEC_PER_SEC);
    w.now += 2 * NSEC_PER_SEC;
    batch_turn(&w);
    T_EQ_INT(w.going.len, 2);
    T_EQ_STR(str_of(w.going.p[1].name), "k");
    w.going.p[1].turns = 0;
    batch_turn(&w);
    batch_turn(&w);
    batch_expect(&w, "j 0; k 0; l 1 n2", "another one went");
    batch_free(&w);
}

TEST_MAIN(who_does_not_go_is_not_waited_for, absurd_pods_of_others, the_line_in_order, room_is_kept_while_victims_go, room_that_comes_free_is_waited_for, room_that_is_lost_is_looked_for_again, stale_gang_goes_after_the_grace, stale_gang_recovers, stale_can_be_off, too_long_a_run_ends, protection_ends_by_time_alone, disruption_budgets_are_kept_where_possible,
          a_round_is_bounded_and_the_next_goes_on, equal_units_cost_one_try, events_wake, queues_come_and_go, work_outlives_its_queue, absurd_amounts_add_up, units_change_queues, plain_pods_shrink_what_is_divided, rollback_restores_accounts, why,
          why_eviction_does_not_help)
