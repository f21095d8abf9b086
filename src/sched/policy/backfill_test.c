/* backfill_test.c - units that others keep passing by: reservations, who may use the room meanwhile, ageing, giving up. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_batch.h"

#define S_(n) ((nsec_t)(n) * NSEC_PER_SEC)

static struct batch_world w;

static struct policy_opts soon(nsec_t hold_after)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.hold_after_ns = hold_after;
    return o;
}

static unit_id unit_of(const char *name)
{
    unit_id u = sched_group_find(w.s, S("x"), str_of(name));
    return u ? u : sched_unit_of(w.s, sched_pod_find(w.s, S("x"), str_of(name)));
}

static struct policy_why why_of(const char *name)
{
    struct policy_why y;
    policy_why(w.p, unit_of(name), &y);
    return y;
}

static uint32_t runs(const char *name)
{
    str node;
    return batch_running(&w, str_of(name), &node);
}

static bool has_ended(const char *name)
{
    for (uint32_t i = 0; i < w.npods; i++)
        if (str_is(str_of(name), w.pods[i].name) || str_is(str_of(name), w.pods[i].group))
            return w.pods[i].ended;
    return false;
}

static void turns(uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        batch_ends(&w);
        batch_turn(&w);
    }
}

static void add(const char *line)
{
    static uint32_t number = 100;
    batch_unit(&w, str_of(line), number++);
}

/* A stream of units of 1 GPU for ten seconds each, always four that wait, behind a head that wants a whole node. */
static uint32_t head_starts_after(const struct policy_opts *opts, uint32_t most)
{
    batch_new(&w, "n1 8; n2 8", "a", "h@a 1x8 life=20 created=1", opts);
    /* the node is full when the head comes */
    for (uint32_t i = 0; i < 20; i++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        strbuf_addf(&b, "s%u@a 1x1 life=%u created=%u", i, 3 + i % 9, 10 + i);
        if (i < 16)
            strbuf_addf(&b, " on=n%u start=%u", 1 + i / 8, 999 - i % 5);
        batch_unit(&w, strbuf_str(&b), 10 + i);
    }
    for (uint32_t t = 0, next = 20; t < most; t++) {
        for (uint32_t gone = batch_ends(&w); gone-- && w.npods < 1000; next++) {
            STRBUF_AUTO b = STRBUF_HEAP;
            strbuf_addf(&b, "s%u@a 1x1 life=%u created=%u", next, 3 + next % 9, 10 + next);
            batch_unit(&w, strbuf_str(&b), 10 + next);
        }
        batch_turn(&w);
        if (runs("h"))
            return t + 1;
    }
    return 0;
}

TEST(a_head_starves_without_and_not_with)
{
    struct policy_opts none = POLICY_OPTS_DEFAULT, o = soon(S_(30));
    none.max_reservations = 0;
    T_EQ_INT(head_starts_after(&none, 120), 0);
    batch_free(&w);
    uint32_t t = head_starts_after(&o, 120);
    T_OK(t > 30 && t <= 45); /* held after 30, and the longest of the others takes eleven more */
    batch_free(&w);
}

TEST(by_default_it_takes_five_minutes)
{
    batch_new(&w, "n1 2", "a", "s@a 1x1 on=n1; h@a 1x2; l@a 1x1 life=1", NULL);
    turns(2);
    T_OK(has_ended("l"));
    T_OK(!why_of("h").reserved);
    w.now += S_(299);
    turns(1);
    T_OK(why_of("h").reserved && why_of("h").start_ns == INT64_MAX);
    add("m@a 1x1");
    turns(1);
    T_EQ_INT(runs("m"), 0);
    T_EQ_INT(why_of("m").kept_for, unit_of("h"));
    T_EQ_INT(why_of("m").kept_until_ns, INT64_MAX);
    batch_free(&w);
}

TEST(who_ends_in_time_may_use_the_room)
{
    batch_new(&w, "n1 8; n2 8", "a", "r@a 1x4 on=n1 run=200 life=200; q@a 1x8 on=n2 run=500; h@a 1x8 life=10", NULL);
    turns(1);
    struct policy_why y = why_of("h");
    node_id at[2];
    T_OK(y.reserved && y.start_ns == S_(1100));
    T_EQ_INT(policy_reserved(w.p, unit_of("h"), at, 2), 1);
    T_EQ_STR(sched_node_name(w.s, at[0]), "n1");
    add("short@a 1x2 run=90 life=90");
    add("long@a 1x2 run=110 life=110");
    add("unsaid@a 1x1 life=1");
    turns(2);
    T_EQ_INT(runs("short"), 1);
    T_EQ_INT(runs("long") + runs("unsaid"), 0);
    y = why_of("long");
    T_OK(y.verdict == POLICY_NO_FIT && y.kept_for == unit_of("h") && y.kept_until_ns == S_(1100));
    turns(96);
    T_EQ_INT(runs("h"), 0);
    turns(5);
    T_EQ_INT(runs("h"), 1); /* at the moment it was promised */
    T_OK(!why_of("h").reserved);
    turns(12);
    T_EQ_INT(runs("long"), 1);
    T_OK(runs("unsaid") == 1 || has_ended("unsaid"));
    batch_free(&w);
}

TEST(room_that_the_head_does_not_need_is_free)
{
    /* at 1100 n1 has 8 free: 6 are the head's */
    batch_new(&w, "n1 8", "a", "r@a 1x4 on=n1 run=200; h@a 1x6; two@a 1x2; one@a 1x1", NULL);
    turns(2);
    T_OK(why_of("h").reserved);
    T_EQ_INT(runs("two"), 1);
    T_EQ_INT(runs("one"), 0);
    T_EQ_INT(why_of("one").kept_for, unit_of("h"));
    batch_free(&w);
}

TEST(no_room_is_held_for_those_who_cannot_start)
{
    struct policy_opts o = soon(0);
    /* its queue's limit, work that stays, more than there is, a share that is others' */
    batch_new(&w, "n1 8", "a l=4; b; c w=0; d q=8", "x@d 1x4 fixed on=n1; h1@a 1x5; h2@b 1x6; h3@b 1x9; h4@c 1x5; s@b 1x1", &o);
    turns(3);
    T_OK(!why_of("h1").reserved && !why_of("h2").reserved && !why_of("h3").reserved && !why_of("h4").reserved);
    T_EQ_INT(runs("s"), 1);
    T_OK(why_of("h1").verdict == POLICY_QUEUE);
    batch_free(&w);
}

TEST(a_limit_is_room_too)
{
    struct policy_opts o = soon(S_(5));
    batch_new(&w, "n1 8", "a l=4", "s1@a 1x2 on=n1 life=110; s2@a 1x2 on=n1 life=120; h@a 1x4; t@a 1x2", &o);
    turns(15); /* s1 ends at 1010: t would pass the head for ever with others like it */
    T_EQ_INT(runs("s1"), 0);
    T_EQ_INT(runs("t"), 0);
    turns(10);
    T_EQ_INT(runs("h"), 1);
    batch_free(&w);
}

TEST(who_goes_before_is_not_kept_out)
{
    struct policy_opts o = soon(0);
    batch_new(&w, "n1 8", "a; b q=4", "r@a 1x4 on=n1 pri=60; h@a 1x8 pri=50", &o);
    turns(2);
    T_OK(why_of("h").reserved);
    add("first@a 1x1 pri=60");  /* before the head in its queue */
    add("owed@b 1x1 pri=10");   /* within its quota; the head is beyond its own */
    add("weak@a 1x1 pri=40");   /* the head could evict it whenever it wants */
    add("equal@a 1x1 pri=50");
    turns(2);
    T_EQ_INT(runs("first") + runs("owed") + runs("weak"), 3);
    T_EQ_INT(runs("equal"), 0);
    batch_free(&w);
}

TEST(the_weak_give_way_when_the_time_comes)
{
    struct policy_opts o = soon(0);
    batch_new(&w, "n1 8", "a", "r@a 1x4 on=n1 pri=60 life=105; h@a 1x8 pri=50; weak@a 1x1 pri=40", &o);
    turns(2);
    T_EQ_INT(runs("weak"), 1);
    turns(6);
    T_EQ_INT(runs("h"), 1);
    T_EQ_INT(w.evictions, 1);
    batch_free(&w);
}

/* What pods of a class are told in a round holds for all of them, but for the one whose room it is. */
TEST(one_of_the_same_class_does_not_spoil_it)
{
    struct policy_opts o = soon(0);
    o.actions = 1u << POLICY_ALLOCATE;
    batch_new(&w, "n1 4 rack=r1; n2 4; n3 4", "a; b", "x@a 1x4 on=n2; r@a 1x4 on=n1 life=110; h@a 1x4 at=rack:r1", &o);
    turns(2);
    T_OK(why_of("h").reserved);
    add("k@b 1x4 at=rack:r1"); /* its queue has nothing: it is asked first */
    turns(10);
    T_EQ_INT(runs("h"), 1);
    T_EQ_INT(runs("k"), 0);
    batch_free(&w);
}

TEST(owed_work_still_reclaims)
{
    struct policy_opts o = soon(0);
    batch_new(&w, "n1 4; n2 4", "a q=0; b q=4", "r1@a 1x2 on=n1; r2@a 1x4 on=n2; h@a 1x4", &o);
    turns(2);
    T_OK(why_of("h").reserved);
    add("owed@b 1x4");
    turns(4);
    T_EQ_INT(runs("owed"), 1);
    batch_free(&w);
}

TEST(it_goes_with_its_unit)
{
    struct policy_opts o = soon(0);
    batch_new(&w, "n1 8", "a", "r@a 1x4 on=n1; h@a 1x8; s@a 1x2", &o);
    turns(2);
    T_EQ_INT(runs("s"), 0);
    sched_pod_delete(w.s, S("x"), S("h"));
    turns(2);
    T_EQ_INT(runs("s"), 1);
    T_EQ_INT(w.p->reservations.len, 0);
    add("g@a 2x4");
    turns(2);
    T_OK(why_of("g").reserved);
    sched_node_delete(w.s, S("n1")); /* r waits for its node to come back; there is nothing to plan with */
    turns(1);
    T_EQ_INT(w.p->reservations.len, 0);
    batch_free(&w);
}

TEST(two_heads_do_not_hold_each_other)
{
    struct policy_opts o = soon(0);
    o.max_moves = 0;
    batch_new(&w, "n1 8; n2 8", "a; b", "r@a 1x2 on=n1 life=110; q@b 1x2 on=n2 life=120; g@a 2x4 need=kubernetes.io/hostname life=10; h@b 2x4 need=kubernetes.io/hostname life=10; s@a 1x1 life=1", &o);
    turns(2);
    T_OK(why_of("g").reserved && why_of("h").reserved);
    T_OK(w.p->reservations.p[0].at.p[0].node != w.p->reservations.p[1].at.p[0].node);
    for (int i = 0; i < 60 && !(has_ended("g") && has_ended("h") && has_ended("s")); i++)
        turns(1);
    T_OK(has_ended("g") && has_ended("h") && has_ended("s"));
    batch_free(&w);
}

TEST(not_more_than_so_many)
{
    struct policy_opts o = soon(0);
    o.max_reservations = 1;
    batch_new(&w, "n1 8", "a", "r@a 1x2 on=n1; h1@a 1x8; h2@a 1x7", &o);
    turns(10);
    T_EQ_INT(w.p->reservations.len, 1);
    T_OK(why_of("h1").reserved);
    batch_free(&w);
}

TEST(a_late_one_moves_the_plan)
{
    batch_new(&w, "n1 8; n2 8", "a q=16", "r@a 1x4 fixed on=n1 run=110; q@a 1x4 fixed on=n2 run=150 life=150; h@a 1x8", NULL);
    turns(1);
    T_OK(why_of("h").reserved && why_of("h").start_ns == S_(1010));
    turns(25); /* r does not do as it says */
    T_OK(why_of("h").reserved && why_of("h").start_ns > S_(1010));
    turns(40);
    T_EQ_INT(runs("h"), 1);
    batch_free(&w);
}

/* Those of a higher priority took the room: who runs where it is reserved now is waited for, whenever it came, and what it leaves over is free. */
TEST(a_plan_that_moves_waits_for_whom_it_finds)
{
    struct policy_opts o = soon(0);
    batch_new(&w, "n1 8; n2 8", "a", "r@a 1x8 on=n1 pri=50; q@a 1x8 on=n2 pri=50; h@a 1x4 pri=50", &o);
    turns(2);
    T_OK(why_of("h").reserved);
    add("first@a 1x8 pri=60");
    turns(4);
    add("second@a 1x6 pri=60");
    turns(16);
    T_EQ_INT(runs("first") + runs("second"), 2);
    T_EQ_INT(runs("h"), 0);
    T_OK(why_of("h").reserved);
    add("z@a 1x2 pri=50");
    turns(16);
    T_EQ_INT(runs("z"), 1);
    batch_free(&w);
}

TEST(those_who_wait_rise)
{
    struct policy_opts o = POLICY_OPTS_DEFAULT;
    o.age_every_ns = S_(10);
    o.age_step = 20;
    o.age_steps = 4;
    o.max_reservations = 0;
    o.actions &= ~(1u << POLICY_PREEMPT); /* those of a higher priority would evict the one that was before them */
    batch_new(&w, "n1 1", "a", "r@a 1x1 on=n1 pri=90 life=135", &o);
    w.now = S_(1000);
    batch_unit(&w, S("old@a 1x1 pri=30 created=1000 life=5"), 1);
    w.pods[w.npods - 1].created = S_(1000);
    sched_pod_delete(w.s, S("x"), S("old"));
    batch_put(&w, &w.pods[w.npods - 1]);
    turns(34);
    batch_unit(&w, S("new@a 1x1 pri=80 life=5"), 2);
    sched_pod_delete(w.s, S("x"), S("new"));
    w.pods[w.npods - 1].created = S_(1034);
    batch_put(&w, &w.pods[w.npods - 1]);
    turns(1);
    T_EQ_INT(runs("r"), 1); /* 30 + 3 * 20 is more than 80, and evicts nobody */
    T_EQ_INT(why_of("old").position, 1);
    T_EQ_INT(why_of("new").position, 2);
    turns(2);
    T_OK(runs("old") == 1 && runs("new") == 0);
    T_EQ_INT(w.evictions, 0);
    batch_free(&w);
    /* not to what cannot be preempted, and not without end */
    batch_new(&w, "n1 1", "a", "r@a 1x1 on=n1 pri=90; x@a 1x1 pri=98; y@a 1x1 pri=1", &o);
    turns(3);
    T_EQ_INT(w.p->kinds.p[w.p->units[unit_of("x")].kind].priority, 99);
    T_EQ_INT(w.p->kinds.p[w.p->units[unit_of("y")].kind].priority, 81);
    T_OK(!why_of("x").fixed);
    batch_free(&w);
}

TEST(a_unit_that_gives_up_waits_for_nodes)
{
    batch_new(&w, "n1 4", "a", "r@a 1x4 on=n1 life=103; h@a 2x2 min=2 tries=1; k@a 2x2 min=2 tries=3 created=9", NULL);
    turns(2);
    T_OK(why_of("h").gave_up && !why_of("k").gave_up);
    turns(4); /* r has ended: who did not give up starts */
    T_EQ_INT(runs("h"), 0);
    T_EQ_INT(runs("k"), 2);
    batch_node(&w, S("n2 4"));
    turns(2);
    T_EQ_INT(runs("h"), 2);
    batch_free(&w);
}

TEST(protected_for_a_while)
{
    batch_new(&w, "n1 1", "a q=1; b", "r@b 1x1 on=n1 start=990 safe=30; h@a 1x1", NULL);
    turns(19);
    T_EQ_INT(runs("r"), 1);
    turns(6);
    T_EQ_INT(runs("h"), 1);
    batch_free(&w);
}

TEST(how_long_somebody_starves)
{
    batch_new(&w, "n1 4", "a q=4; b q=0", "r@a 1x2 fixed pri=100 on=n1; h@a 1x3; l@b 1x9; s@a 1x2", NULL);
    turns(3);
    struct policy_waiting a, b;
    policy_waiting(w.p, queues_find(policy_queues(w.p), S("a")), &a);
    policy_waiting(w.p, queues_find(policy_queues(w.p), S("b")), &b);
    T_EQ_INT(a.units[POLICY_NO_FIT], 1);
    T_OK(a.oldest_ns > 0 && b.units[POLICY_NO_FIT] == 1);
    T_EQ_INT(b.starved_ns, 0); /* it is owed nothing */
    batch_free(&w);
    batch_new(&w, "n1 2; n2 2", "a", "r1@a 1x1 on=n1 fixed run=900; r2@a 1x1 on=n2 fixed run=900; h@a 1x2", NULL);
    turns(3);
    policy_waiting(w.p, queues_find(policy_queues(w.p), S("a")), &a);
    T_EQ_INT(a.starved_ns, S_(1000));
    batch_free(&w);
}

/* --- random open worlds ----------------------------------------------------------------------------------------------------------------------- */
struct dice {
    uint64_t x;
};
static uint32_t roll(struct dice *d, uint32_t n)
{
    d->x ^= d->x << 13;
    d->x ^= d->x >> 7;
    d->x ^= d->x << 17;
    return (uint32_t)((d->x >> 20) % n);
}

/* Large ones are within what their queue is owed: others are not promised anything. */
static void random_unit(struct dice *d, uint32_t i, uint32_t nqueues, uint32_t nnodes, uint32_t large)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    uint32_t life = 2 + roll(d, 12), size = large ? MIN(2 + roll(d, 3), large) : 1, members = large ? 1 + roll(d, MIN(large / size, nnodes * (4 / size))) : 1;
    strbuf_addf(&b, "u%u@q%u %ux%u pri=50 created=%u life=%u", i, roll(d, nqueues), members, size, 10 + i, life);
    if (roll(d, 2))
        strbuf_addf(&b, " run=%u", life + roll(d, 4));
    batch_unit(&w, strbuf_str(&b), 10 + i);
}

/* Small units come for as long as a large one waits: all large ones must get through, and in the end everybody. */
static void one_world(uint64_t seed)
{
    struct dice d = {seed * 0x9e3779b97f4a7c15u | 1};
    STRBUF_AUTO nodes = STRBUF_HEAP;
    STRBUF_AUTO queues = STRBUF_HEAP;
    struct policy_opts o = soon(S_(roll(&d, 20)));
    o.max_reservations = 1 + roll(&d, 4);
    uint32_t nnodes = 3 + roll(&d, 3), nqueues = 1 + roll(&d, 3), next = 0, nlarge = 4;
    for (uint32_t i = 0; i < nnodes; i++)
        strbuf_addf(&nodes, "n%u 4;", i);
    for (uint32_t i = 0; i < nqueues; i++)
        strbuf_addf(&queues, "q%u q=%u;", i, nnodes * 4 / nqueues);
    batch_new(&w, nodes.p, queues.p, "", &o);
    w.never_again = false;
    for (; next < 24; next++)
        random_unit(&d, next, nqueues, nnodes, next >= 12 && next < 12 + nlarge ? nnodes * 4 / nqueues : 0);
    uint32_t t = 0;
    for (bool waiting = true; waiting && t < 900; t++) {
        uint32_t gone = batch_ends(&w);
        batch_turn(&w);
        waiting = false;
        for (uint32_t i = 0; i < w.npods; i++)
            waiting |= w.pods[i].gpus > 1 && !w.pods[i].ended && !*w.pods[i].node;
        for (; waiting && gone-- && next < 900; next++)
            random_unit(&d, next, nqueues, nnodes, 0);
    }
    for (; t < 1500; t++) {
        batch_ends(&w);
        batch_turn(&w);
        bool all = true;
        for (uint32_t i = 0; i < w.npods; i++)
            all &= w.pods[i].ended;
        if (all)
            break;
    }
    for (uint32_t i = 0; i < w.npods; i++)
        if (!w.pods[i].ended)
            T_FAIL_("world %llu: %s (%g GPUs) is still there after %u turns", (unsigned long long)seed, w.pods[i].name, w.pods[i].gpus, t);
    if (next == 900)
        T_FAIL_("world %llu: a large unit waited while 900 small ones passed", (unsigned long long)seed);
    T_EQ_INT(w.p->reservations.len, 0);
    batch_free(&w);
}

TEST(nobody_starves_in_random_worlds)
{
    const char *more = getenv("BATCH_SEEDS");
    uint64_t n = 40 * (more ? (uint64_t)batch_number(str_of(more)) : 1);
    for (uint64_t seed = 1; seed <= n; seed++)
        one_world(seed);
}

TEST_MAIN(a_head_starves_without_and_not_with, by_default_it_takes_five_minutes, who_ends_in_time_may_use_the_room, room_that_the_head_does_not_need_is_free,
          no_room_is_held_for_those_who_cannot_start, a_limit_is_room_too, who_goes_before_is_not_kept_out, the_weak_give_way_when_the_time_comes, one_of_the_same_class_does_not_spoil_it, owed_work_still_reclaims, it_goes_with_its_unit,
          two_heads_do_not_hold_each_other, not_more_than_so_many, a_late_one_moves_the_plan, a_plan_that_moves_waits_for_whom_it_finds, those_who_wait_rise, a_unit_that_gives_up_waits_for_nodes, protected_for_a_while,
          how_long_somebody_starves, nobody_starves_in_random_worlds)
