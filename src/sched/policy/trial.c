/* trial.c - what would become of a unit if its turn came now, and nothing of it is done.
 *
 *   statement { allocate; else consolidate, reclaim, preempt, as a round would } rollback      ─► NOW, AFTER_EVICTION
 *   statement { everybody out; place } rollback                                               ─► LATER, or NEVER: not even in an empty cluster, or beyond what its queue may have at all
 * Answers that a round kept are as they were afterwards. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/statement.h"
#include "sched/policy/policy_state.h"

/* Beyond so many pods on nodes it is not proven that a unit fits an empty cluster: that would hold up the scheduler. */
#define TRIAL_PODS 50000u

static void keep(struct policy_trial *ret, enum policy_start start, enum policy_action action, const struct unit_decision *d)
{
    ret->start = start;
    ret->action = action;
    for (size_t i = 0; i < d->placements.len; i++)
        vec_push(&ret->placements, d->placements.p[i]);
    for (size_t i = 0; i < d->victims.len; i++)
        vec_push(&ret->victims, d->victims.p[i]);
}

/* In a statement.  True: it starts now, or when somebody has gone. */
static bool try_now(struct policy *p, unit_id u, struct policy_trial *ret)
{
    struct policy_decisions d = POLICY_DECISIONS_INIT;
    uint32_t kind = p->units[u].kind;
    struct branch_queue *leaf = &p->tree[p->units[u].leaf];
    policy_ask(p, u, &leaf->ask);
    const struct kind before = p->kinds.p[kind];
    bool done = allocate_one(p, kind, u, &d);
    if (done)
        keep(ret, d.list.p[0].d.result == UNIT_PLACED ? POLICY_STARTS_NOW : POLICY_STARTS_AFTER_EVICTION, POLICY_ALLOCATE, &d.list.p[0].d);
    struct kind k = p->kinds.p[kind]; /* what is noted is about this try alone */
    if (!done) {
        struct kind *real = &p->kinds.p[kind];
        real->parked = before.parked;
        real->helped_by = before.helped_by;
        real->verdict = before.verdict;
        real->queue = before.queue;
        real->blame = before.blame;
        real->bar = before.bar;
        real->rejected_by = before.rejected_by;
        real->kept_for = before.kept_for;
        backfill_let_go(p); /* evictions look at reservations by themselves */
    }
    memset(k.tried, 0, sizeof k.tried);
    for (int action = POLICY_CONSOLIDATE; !done && action <= POLICY_PREEMPT; action++) {
        bool may = k.verdict == POLICY_NO_FIT || (k.verdict == POLICY_QUEUE && action != POLICY_CONSOLIDATE);
        if (!(p->opts.actions >> action & 1) || !may)
            continue;
        struct unit_decision one = UNIT_DECISION_INIT;
        if (losses_until(p, u) > p->now)
            k.tried[action] = TRIED_TOO_SOON;
        else
            done = evict_for_one(p, &k, u, (enum policy_action)action, &one) && one.victims.len; /* without victims: room that is reserved for others */
        if (done)
            keep(ret, POLICY_STARTS_AFTER_EVICTION, (enum policy_action)action, &one);
        unit_decision_fini(&one);
    }
    if (!done) {
        ret->why.verdict = k.verdict;
        ret->why.queue = k.verdict == POLICY_QUEUE ? k.queue : QUEUE_OK;
        ret->why.blame = k.blame;
        ret->why.rejected_by = k.rejected_by;
        for (int i = 0; i < POLICY_ACTIONS; i++)
            ret->why.tried[i] = k.tried[i];
    }
    policy_decisions_fini(&d);
    return done;
}

/* Does it ask for more than some queue above it may have at all? */
static bool passes_alone(const struct policy *p, unit_id u)
{
    struct policy_amounts ask = p->tree[p->units[u].leaf].ask;
    for (queue_id id = p->units[u].leaf; id; id = p->tree[id].parent) {
        const struct queue_state *q = queues_get(p->q, id);
        for (uint32_t i = 0; i < p->stride; i++)
            if (ask.v[i] > q->limit.v[i] || (policy_asks_fixed(&p->units[u]) && ask.v[i] > q->quota.v[i]))
                return true;
    }
    return false;
}

/* Would it fit if it were alone in the cluster? */
static bool fits_alone(struct policy *p, unit_id u, bool *ret_proven)
{
    struct sched *s = p->s;
    VEC(pod_id) out = {0};
    bits_foreach(n, s->alive, s->view.words)
    {
        for (pod_id id = s->nodes[n].first_pod; id; id = s->pods[id].next_on_node)
            vec_push(&out, id);
    }
    *ret_proven = out.len <= TRIAL_PODS;
    bool fits = true;
    if (*ret_proven) {
        uint32_t at = statement_begin(s);
        for (size_t i = 0; i < out.len; i++) {
            model_unassign(s, out.p[i]);
            s->pods[out.p[i]].state = PS_FREE; /* until the rollback: see solve_leaving_out */
        }
        sched_place_next(s, u, p->now, true, &p->probe);
        fits = p->probe.result == UNIT_PLACED;
        statement_rollback(s, at);
    }
    vec_fini(&out);
    return fits;
}

static void begin(struct policy *p, nsec_t now)
{
    p->now = now;
    p->aims = POLICY_AIMS;
    p->round++; /* what classes were told counts for a round */
    p->room.made = p->room.idle_made = false;
    policy_catch_up(p);
    queues_divide(p->q, p->opts.past);
}

void policy_try(struct policy *p, unit_id u, nsec_t now, struct policy_trial *ret)
{
    vec_clear(&ret->placements);
    vec_clear(&ret->victims);
    ret->proven = true;
    ret->start = POLICY_STARTS_NEVER;
    begin(p, now);
    policy_why_brief(p, u, &ret->why);
    if (u >= p->nunits || !p->units[u].known || !p->units[u].kind)
        return; /* its queue takes nobody, or nothing of it waits */
    ret->why.position = line_position(p, u);
    p->trying = true;
    backfill_hold(p);
    uint32_t at = statement_begin(p->s);
    bool done = try_now(p, u, ret);
    statement_rollback(p->s, at);
    backfill_let_go(p);
    if (!done && ret->why.verdict != POLICY_INCOMPLETE && ret->why.verdict != POLICY_GATED)
        ret->start = passes_alone(p, u) || !fits_alone(p, u, &ret->proven) ? POLICY_STARTS_NEVER : POLICY_STARTS_LATER;
    p->trying = false;
    begin(p, now);
}

void policy_trial_fini(struct policy_trial *t)
{
    vec_fini(&t->placements);
    vec_fini(&t->victims);
}
