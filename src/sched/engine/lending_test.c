/* Promises and loans of bandwidth in the engine, with nodes that say another amount every now and then: what decisions/017 says holds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/test_world.h"

#define NODES 12
#define PODS 600
#define MBIT 1000000ll
#define ALL (1000 * MBIT)

struct world {
    struct arena a;
    struct sched *s;
    struct rng rng;
    uint16_t lent;
    int64_t lendable[NODES], promisable[NODES];
    uint64_t trace; /* of all decisions */
    uint32_t npods, loans, promises, refused;
};

static void say(struct world *w, uint32_t n)
{
    struct err err = ERR_NONE;
    struct res_amount r[] = {{RES_CPU, 1000000}, {RES_MEMORY, 1ll << 40}, {RES_PODS, 1000}, {RES_EGRESS, w->promisable[n]}, {w->lent, w->lendable[n]}};
    T_NO_ERR(sched_node_put(w->s, &(struct node_spec){.name = arena_fmt(&w->a, "node-%u", n), .allocatable = {r, ARRAY_LEN(r)}}, NULL, &err), &err);
}

static void ask(struct world *w)
{
    struct err err = ERR_NONE;
    bool loan = rng_below(&w->rng, 2);
    struct res_amount want = {loan ? w->lent : RES_EGRESS, (int64_t)(1 + rng_below(&w->rng, 8)) * 40 * MBIT};
    pod_id p;
    T_NO_ERR(sched_pod_put(w->s, &(struct pod_spec){.ns = S("default"), .name = arena_fmt(&w->a, "pod-%u", w->npods++), .requests = {&want, 1}}, &p, &err), &err);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(w->s, sched_unit_of(w->s, p), NSEC_PER_SEC, &d);
    T_OK(d.result == UNIT_PLACED || d.result == UNIT_REJECTED);
    bool room = false; /* somewhere, before it came */
    for (node_id n = 0; n < NODES; n++) {
        bool here = d.result == UNIT_PLACED && d.placements.p[0].node == n;
        int64_t used = w->s->view.used[want.id][n] - (here ? want.amount : 0), all = loan ? w->lendable[n] : w->promisable[n];
        room |= used + want.amount <= all;
        T_OK(!here || used + want.amount <= all);
    }
    T_EQ_INT(d.result == UNIT_PLACED, room); /* a loan never stands in the way of a promise, nor a promise in that of a loan */
    w->trace = w->trace * 31 + (d.result == UNIT_PLACED ? d.placements.p[0].node + 1 : 0);
    w->loans += d.result == UNIT_PLACED && loan;
    w->promises += d.result == UNIT_PLACED && !loan;
    if (d.result == UNIT_REJECTED) {
        w->refused++;
        sched_pod_delete(w->s, S("default"), sched_pod_name(w->s, p));
    }
    unit_decision_fini(&d);
}

static uint64_t run(uint64_t seed)
{
    struct world w = {.a = ARENA_INIT, .s = sched_new(profile_builtin(S("default")), 7)};
    struct err err = ERR_NONE;
    rng_seed(&w.rng, seed);
    T_NO_ERR(sched_resource_id(w.s, S("cox.io/lent-egress-bandwidth"), &w.lent, &err), &err);
    for (uint32_t n = 0; n < NODES; n++) {
        w.lendable[n] = w.promisable[n] = ALL;
        say(&w, n);
    }
    for (int i = 0; i < PODS; i++) {
        uint32_t n = (uint32_t)rng_below(&w.rng, NODES);
        switch (rng_below(&w.rng, 6)) {
        case 0: /* owners wake up, or fall asleep */
            w.lendable[n] = (int64_t)rng_below(&w.rng, 21) * (ALL / 20);
            say(&w, n);
            break;
        case 1: /* the machine itself sends, or ends */
            w.promisable[n] = (int64_t)(10 + rng_below(&w.rng, 11)) * (ALL / 20);
            say(&w, n);
            break;
        case 2:
            sched_pod_delete(w.s, S("default"), arena_fmt(&w.a, "pod-%u", (uint32_t)rng_below(&w.rng, w.npods + 1u)));
            break;
        default:
            ask(&w);
        }
    }
    T_NO_ERR(model_check(w.s, &err), &err);
    T_OK(w.loans > 10 && w.promises > 10 && w.refused > 10);
    sched_free(w.s);
    arena_fini(&w.a);
    return w.trace;
}

TEST(loans_and_promises)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        uint64_t first = run(seed);
        T_OK(run(seed) == first); /* the same events, the same decisions */
    }
}

TEST_MAIN(loans_and_promises)
