/* What units may do, and whose turn it is. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_queues.h"

/* --- rules ---------------------------------------------------------------------------------------------------------------------------------- */

TEST(limits_hold_at_every_level)
{
    struct queues *q = queues_new();
    queue_id root = put(q, "r", "", D(4), 1, D(6)), a = put(q, "a", "r", D(3), 1, D(5)), b = put(q, "b", "r", D(3), 1, POLICY_UNLIMITED),
             lost = put(q, "lost", "x", 0, 1, POLICY_UNLIMITED);
    struct policy_amounts one = gpus(1), two = gpus(2), four = gpus(4), nothing = {0};
    struct queue_blame blame;
    T_EQ_INT(queues_may_start(q, 77, &one, false, &blame), QUEUE_MISSING);
    T_EQ_INT(queues_may_start(q, QUEUE_NONE, &one, false, NULL), QUEUE_MISSING);
    T_EQ_INT(queues_may_start(q, root, &one, false, &blame), QUEUE_NOT_LEAF);
    T_EQ_INT(queues_may_start(q, lost, &one, false, &blame), QUEUE_LOST);
    T_EQ_INT(queues_may_start(q, a, &four, false, &blame), QUEUE_OK);
    holds(q, a, 4);
    T_EQ_INT(queues_may_start(q, a, &one, false, &blame), QUEUE_OK);
    T_EQ_INT(queues_may_start(q, a, &two, false, &blame), QUEUE_OVER_LIMIT);
    T_EQ_INT(blame.queue, a);
    T_EQ_INT(blame.slot, GPU);
    T_OK(blame.have == D(4) && blame.ask == D(2) && blame.may == D(5));
    T_EQ_INT(queues_may_start(q, b, &two, false, &blame), QUEUE_OK);
    T_EQ_INT(queues_may_start(q, b, &four, false, &blame), QUEUE_OVER_LIMIT);
    T_EQ_INT(blame.queue, root);
    T_EQ_INT(queues_may_start(q, b, &one, true, &blame), QUEUE_OK); /* what a holds is not fixed */
    holds_fixed(q, b, 2);
    T_EQ_INT(queues_may_start(q, b, &two, true, &blame), QUEUE_OVER_LIMIT); /* limits are told first */
    T_EQ_INT(queues_may_start(q, b, &nothing, true, NULL), QUEUE_OK);       /* at the limit, but it asks for nothing of it */
    holds(q, a, -4);
    T_EQ_INT(queues_may_start(q, b, &two, true, &blame), QUEUE_FIXED_OVER_QUOTA);
    T_OK(blame.queue == b && blame.have == D(2) && blame.may == D(3));
    holds_fixed(q, a, 2);
    T_EQ_INT(queues_may_start(q, a, &one, true, &blame), QUEUE_FIXED_OVER_QUOTA); /* within its own, not within its parent's */
    T_EQ_INT(blame.queue, root);
    T_EQ_INT(queues_may_start(q, a, &one, false, &blame), QUEUE_OK);
    queues_delete(q, S("b"));
    T_EQ_INT(queues_may_start(q, b, &one, false, &blame), QUEUE_MISSING);
    queues_free(q);
}

TEST(reclaim_is_for_those_below_their_share)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", D(4), 1, POLICY_UNLIMITED), b = put(q, "b", "", D(4), 1, POLICY_UNLIMITED);
    struct policy_amounts one = gpus(1), two = gpus(2), five = gpus(5);
    total(q, 8);
    holds(q, b, 8);
    holds(q, a, 0);
    waits(q, a, 5);
    queues_divide(q, 1);
    T_OK(queues_may_reclaim(q, a, &one, false));
    T_OK(!queues_may_reclaim(q, a, &five, false)); /* its share is 4 */
    T_OK(!queues_may_reclaim(q, b, &one, false));
    T_OK(queues_may_reclaim(q, a, &two, true));
    holds_fixed(q, a, 3);
    queues_divide(q, 1);
    T_OK(!queues_may_reclaim(q, a, &two, true));
    T_OK(!queues_may_reclaim(q, QUEUE_NONE, &one, false));
    queues_free(q);
}

TEST(taking_stops_at_the_victims_right)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", D(2), 1, POLICY_UNLIMITED), b = put(q, "b", "", D(4), 1, POLICY_UNLIMITED), c = put(q, "c", "", 0, 0, POLICY_UNLIMITED);
    struct policy_amounts ask = gpus(2), lump = gpus(3), cpu = {.v = {[CPU] = 1000}};
    total(q, 8);
    holds(q, b, 6);
    holds(q, c, 2);
    waits(q, a, 2);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, "a"), D(2));
    T_EQ_INT(fair(q, "b"), D(6)); /* what a leaves is b's; c has no weight */
    struct policy_amounts taken[8] = {0};
    T_OK(queues_capacity(q) <= ARRAY_LEN(taken));
    T_OK(queues_may_take(q, a, &ask, c, taken)); /* above its share of 0 */
    T_OK(queues_may_take(q, a, &ask, b, taken)); /* within its quota, and b above its own */
    T_OK(queues_may_take(q, a, &ask, b, NULL));
    queues_take_add(q, b, &lump, 1, taken);
    T_OK(!queues_may_take(q, a, &ask, b, taken)); /* 3 of b's 4 deserved are left */
    queues_take_add(q, b, &lump, -1, taken);
    T_OK(queues_may_take(q, a, &ask, b, taken));
    T_OK(!queues_may_take(q, a, &cpu, b, taken)); /* a has no quota of cpus, and b is at its share */
    T_OK(queues_may_take(q, a, &cpu, c, taken));  /* above its share is above its share, whatever is asked for */
    T_OK(!queues_may_take(q, a, &ask, a, taken));
    holds(q, a, 1); /* now 1 + 2 is above its quota of 2 */
    T_OK(!queues_may_take(q, a, &ask, b, taken));
    T_OK(queues_may_take(q, a, &ask, c, taken));
    queues_delete(q, S("b")); /* a deleted queue deserves nothing */
    T_OK(queues_may_take(q, a, &ask, b, taken));
    queues_free(q);
}

TEST(taking_is_judged_below_the_common_ancestor)
{
    struct queues *q = queues_new();
    put(q, "d1", "", D(4), 1, POLICY_UNLIMITED);
    put(q, "d2", "", D(4), 1, POLICY_UNLIMITED);
    queue_id t1 = put(q, "t1", "d1", D(4), 1, POLICY_UNLIMITED), t2 = put(q, "t2", "d2", 0, 1, POLICY_UNLIMITED), t3 = put(q, "t3", "d1", 0, 1, POLICY_UNLIMITED),
             s1, s2;
    queues_siblings(q, t1, t2, &s1, &s2);
    T_OK(s1 == queues_find(q, S("d1")) && s2 == queues_find(q, S("d2")));
    queues_siblings(q, t1, t3, &s1, &s2);
    T_OK(s1 == t1 && s2 == t3);
    queues_siblings(q, t1, t1, &s1, &s2);
    T_OK(s1 == t1 && s2 == t1);
    struct policy_amounts ask = gpus(2);
    total(q, 8);
    holds(q, t2, 4); /* above its own quota of 0, its department within its 4 */
    holds(q, t3, 4);
    waits(q, t1, 2);
    queues_divide(q, 1);
    T_OK(!queues_may_take(q, t1, &ask, t2, NULL));
    T_OK(queues_may_take(q, t1, &ask, t3, NULL));
    queues_free(q);
}

TEST(the_reclaimer_must_not_end_fuller_than_its_victim)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED), b = put(q, "b", "", 0, 1, POLICY_UNLIMITED);
    struct policy_amounts one = gpus(1), two = gpus(2), taken[8] = {0};
    total(q, 8);
    holds(q, a, 4);
    holds(q, b, 8);
    waits(q, a, 4);
    queues_divide(q, 1); /* 4 each */
    T_OK(queues_take_is_fair(q, a, &one, false, NULL, 1));
    queues_take_add(q, b, &one, 1, taken);
    T_OK(queues_take_is_fair(q, a, &one, false, taken, 1));  /* 5/4 against 7/4 */
    T_OK(!queues_take_is_fair(q, a, &one, false, taken, 2)); /* 10/4 against 7/4 */
    queues_take_add(q, b, &one, 1, taken);
    T_OK(!queues_take_is_fair(q, a, &two, false, taken, 1)); /* 6/4 against 6/4 */
    holds(q, a, -2);
    T_OK(queues_take_is_fair(q, a, &two, false, taken, 4)); /* 4/4: within its share */
    T_OK(!queues_take_is_fair(q, a, &two, true, taken, 1)); /* a fixed one has no quota here */
    queues_free(q);
}

TEST(run_times_are_inherited)
{
    struct queues *q = queues_new();
    struct queue_spec r1 = spec_of("r1", ""), r2 = spec_of("r2", ""), i = spec_of("i", "r1"), x = spec_of("x", "i"), y = spec_of("y", "i"), z = spec_of("z", "r1");
    r1.reclaim_min_runtime_ns = 60 * SEC;
    r1.max_runtime_ns = 3600 * SEC;
    i.preempt_min_runtime_ns = 5 * SEC;
    i.reclaim_min_runtime_ns = 30 * SEC;
    x.reclaim_min_runtime_ns = 10 * SEC;
    x.max_runtime_ns = 60 * SEC;
    y.preempt_min_runtime_ns = 0;
    put_spec(q, r1);
    queue_id other = put_spec(q, r2);
    put_spec(q, i);
    queue_id a = put_spec(q, x), b = put_spec(q, y), c = put_spec(q, z);
    T_EQ_INT(queues_preempt_min_runtime(q, a), 5 * SEC);
    T_EQ_INT(queues_preempt_min_runtime(q, b), 0); /* 0 is a value */
    T_EQ_INT(queues_preempt_min_runtime(q, c), 0);
    queues_set_min_runtimes(q, 7 * SEC, 9 * SEC, true);
    T_EQ_INT(queues_preempt_min_runtime(q, a), 5 * SEC);
    T_EQ_INT(queues_preempt_min_runtime(q, c), 7 * SEC); /* nobody says so */
    T_EQ_INT(queues_reclaim_min_runtime(q, c, a), 10 * SEC); /* the victim's own, not that of the queue below what both have in common */
    queues_set_min_runtimes(q, 0, 0, false);
    T_EQ_INT(queues_reclaim_min_runtime(q, b, a), 10 * SEC);     /* siblings: the leaf's own */
    T_EQ_INT(queues_reclaim_min_runtime(q, a, b), 30 * SEC);     /* y has none: i's */
    T_EQ_INT(queues_reclaim_min_runtime(q, c, a), 30 * SEC);     /* just below r1 stands i */
    T_EQ_INT(queues_reclaim_min_runtime(q, other, a), 60 * SEC); /* different roots: the root's */
    T_EQ_INT(queues_reclaim_min_runtime(q, a, other), 0);
    T_EQ_INT(queues_max_runtime(q, a), 60 * SEC);
    T_EQ_INT(queues_max_runtime(q, b), 3600 * SEC);
    T_EQ_INT(queues_max_runtime(q, other), 0);
    T_EQ_INT(queues_max_runtime(q, 999), 0);
    queues_free(q);
}

/* --- order ---------------------------------------------------------------------------------------------------------------------------------- */

struct side {
    double quota, weight, limit /* 0: none */;
    int32_t priority;
    double held, asks;
    nsec_t created;
};
static const struct {
    const char *what;
    int want; /* -1: a first */
    struct side a, b;
} orders[] = {
    {"nothing differs: the name", -1, {4, 1, 0, 1, 1, 1, 5}, {4, 1, 0, 1, 1, 1, 5}},
    {"nothing but the age differs", 1, {4, 1, 0, 1, 1, 1, 5}, {4, 1, 0, 1, 1, 1, 4}},
    {"holding nothing is not being over", -1, {4, 1, 0, 1, 0, 1, 5}, {4, 1, 0, 1, 2, 1, 4}},
    {"over its share goes last, even with a higher priority", 1, {1, 0, 0, 9, 3, 1, 0}, {1, 1, 0, 1, 1, 1, 0}},
    {"within its quota goes before a higher priority", -1, {4, 1, 0, 1, 2, 1, 0}, {1, 1, 0, 9, 1, 1, 0}},
    {"the unit is too large for the quota", 1, {4, 1, 0, 1, 2, 3, 0}, {2, 1, 0, 1, 1, 1, 0}},
    {"both within quota: priority", 1, {4, 1, 0, 1, 0, 1, 0}, {4, 1, 0, 2, 2, 1, 0}},
    {"no right to any of it goes last", 1, {0, 0, 0, 1, 0, 1, 0}, {0, 1, 0, 1, 2, 1, 0}},
    {"the smaller dominant share with the unit", -1, {4, 0, 0, 1, 1, 1, 9}, {4, 0, 0, 1, 2, 1, 0}},
    {"part of the right, not the amount", -1, {6, 0, 0, 1, 2, 1, 9}, {2, 0, 0, 1, 1, 1, 0}},
    {"the same with the unit: the smaller one now", -1, {4, 0, 0, 1, 1, 2, 9}, {4, 0, 0, 1, 2, 1, 0}},
    {"equal parts: the smaller right", 1, {4, 0, 0, 1, 0, 2, 0}, {2, 0, 0, 1, 0, 1, 9}},
    {"a limit makes the right smaller", 1, {4, 0, 2, 1, 1, 1, 0}, {4, 0, 0, 1, 1, 1, 0}},
};

TEST(order_by_the_rules)
{
    for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
        struct queues *q = queues_new();
        const struct side *sides[] = {&orders[i].a, &orders[i].b};
        queue_id ids[2];
        struct policy_amounts ask[2];
        for (size_t j = 0; j < 2; j++) {
            const struct side *x = sides[j];
            struct queue_resource res[] = {{.id = RES_GPU, .quota = D(x->quota), .weight = x->weight, .limit = x->limit > 0 ? D(x->limit) : POLICY_UNLIMITED}};
            struct queue_spec s = spec_of(j ? "b" : "a", "");
            s.res = res;
            s.nres = 1;
            s.priority = x->priority;
            s.created_ns = x->created;
            ids[j] = put_spec(q, s);
            holds(q, ids[j], x->held);
            waits(q, ids[j], x->asks);
            ask[j] = gpus(x->asks);
        }
        total(q, 8);
        queues_divide(q, 1);
        int got = queues_compare(q, ids[0], &ask[0], ids[1], &ask[1]), back = queues_compare(q, ids[1], &ask[1], ids[0], &ask[0]);
        if ((got < 0) != (orders[i].want < 0) || (back < 0) == (got < 0) || !got)
            T_FAIL_("%s: %d and %d", orders[i].what, got, back);
        queues_free(q);
    }
}

TEST(order_is_total)
{
    enum { N = 12 };
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct queues *q = queues_new();
        queue_id ids[N];
        struct policy_amounts ask[N];
        for (int i = 0; i < N; i++) {
            char name[8];
            snprintf(name, sizeof name, "q%d", i);
            ids[i] = put(q, name, "", D((double)rng_below(&r, 3)), (double)rng_below(&r, 3), rng_below(&r, 3) ? POLICY_UNLIMITED : D(3));
            holds(q, ids[i], (double)rng_below(&r, 4));
            ask[i] = (struct policy_amounts){.v = {(int64_t)rng_below(&r, 2), (int64_t)rng_below(&r, 2), D((double)rng_below(&r, 3))}};
            queues_add_waiting(q, ids[i], &ask[i], 1);
        }
        total(q, 20);
        queues_divide(q, 1);
        for (int a = 0; a < N; a++)
            for (int b = 0; b < N; b++)
                for (int c = 0; c < N; c++) {
                    int ab = queues_compare(q, ids[a], &ask[a], ids[b], &ask[b]), bc = queues_compare(q, ids[b], &ask[b], ids[c], &ask[c]);
                    T_OK((ab == 0) == (a == b));
                    if (ab < 0 && bc < 0)
                        T_OK(queues_compare(q, ids[a], &ask[a], ids[c], &ask[c]) < 0);
                }
        queues_free(q);
    }
}

TEST(victims_taken_off_lower_the_share)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", D(2), 1, POLICY_UNLIMITED), b = put(q, "b", "", D(2), 1, POLICY_UNLIMITED);
    total(q, 8);
    holds(q, a, 5);
    holds(q, b, 4);
    queues_divide(q, 1);
    struct policy_amounts none = {0}, minus = gpus(-2);
    T_OK(queues_compare(q, b, &none, a, &none) < 0);
    T_OK(queues_compare(q, a, &minus, b, NULL) < 0);
    queues_free(q);
}

TEST_MAIN(limits_hold_at_every_level, reclaim_is_for_those_below_their_share, taking_stops_at_the_victims_right,
          taking_is_judged_below_the_common_ancestor, the_reclaimer_must_not_end_fuller_than_its_victim, run_times_are_inherited,
          order_by_the_rules, order_is_total, victims_taken_off_lower_the_share)
