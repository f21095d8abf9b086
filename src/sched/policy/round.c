/* round.c - one round: whoever has room kept, then allocate, consolidate, reclaim, preempt, and those that must end. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/statement.h"

/* A decision to fill; those of the last round keep their arrays. */
static struct unit_decision *decide(struct policy_decisions *d, unit_id u, enum policy_action action)
{
    if (d->list.len == d->list.cap) {
        size_t n = d->list.cap;
        vec_reserve(&d->list, n + 16);
        memset(d->list.p + n, 0, (d->list.cap - n) * sizeof *d->list.p);
    }
    struct policy_decision *one = &d->list.p[d->list.len++];
    one->unit = u;
    one->action = action;
    vec_clear(&one->d.placements);
    vec_clear(&one->d.victims);
    one->d.result = UNIT_NOTHING;
    return &one->d;
}

static bool spent(struct policy *p, struct policy_decisions *ret)
{
    if (p->opts.max_tries == 0 || p->tries < p->opts.max_tries)
        return false;
    ret->more = true;
    return true;
}

static void started(struct policy *p, unit_id u)
{
    if (!p->units[u].start_ns)
        p->units[u].start_ns = p->now;
    policy_refresh(p, u);
}

#define LEAVING_LOOKED_AT 256u /* with more of them that any leaves has to do */

/* Would it start if all who are leaving had left? */
static bool leaving_helps(struct policy *p, unit_id u)
{
    if (p->leaving.len > LEAVING_LOOKED_AT)
        return true;
    uint32_t at = statement_begin(p->s);
    solve_leaving_out(p);
    sched_place_next(p->s, u, p->now, true, &p->probe);
    statement_rollback(p->s, at);
    return p->probe.result == UNIT_PLACED;
}

static bool somebody_leaves(struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *pod = &p->s->pods[unit->pods.p[i]];
        if (pod->state != PS_NOMINATED)
            continue;
        for (pod_id v = p->s->nodes[pod->node].first_pod; v; v = p->s->pods[v].next_on_node)
            if (p->s->pods[v].state == PS_TERMINATING)
                return leaving_helps(p, u);
    }
    return false;
}

#define GATHER_NS (10 * NSEC_PER_SEC)

/* Pods that were told where to go come before what makes them a unit: their group, its other members.  For a moment that is not their fault. */
static bool gathers(struct policy *p, unit_id u, enum unit_result why)
{
    const struct unit *unit = &p->s->units[u];
    nsec_t last = 0;
    for (size_t i = 0; i < unit->pods.len; i++)
        last = MAX(last, p->s->pods[unit->pods.p[i]].created_ns);
    if ((why != UNIT_INCOMPLETE && why != UNIT_GATED) || p->now >= last + GATHER_NS)
        return false;
    policy_later(p, last + GATHER_NS);
    return true;
}

static void drop_kept(struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    for (size_t i = 0; i < unit->pods.len; i++)
        if (p->s->pods[unit->pods.p[i]].state == PS_NOMINATED)
            model_unassign(p->s, unit->pods.p[i]);
    policy_refresh(p, u);
}

/* Units that room is kept for start as soon as it is free; one whose room went elsewhere waits in line again. */
static void start_kept(struct policy *p, struct policy_decisions *ret)
{
    VEC(unit_id) todo = {0};
    for (size_t i = 0; i < p->kept.len; i++)
        vec_push(&todo, p->kept.p[i]);
    for (size_t i = 0; i < todo.len; i++) {
        unit_id u = todo.p[i];
        struct unit_decision *d = decide(ret, u, POLICY_ALLOCATE);
        gpus_place_kept(p, u, d);
        if (d->result == UNIT_PLACED) {
            started(p, u);
            continue;
        }
        enum unit_result why = d->result;
        ret->list.len--;
        if (!somebody_leaves(p, u) && !gathers(p, u, why))
            drop_kept(p, u);
    }
    vec_fini(&todo);
}

static void park(struct policy *p, uint32_t kind, enum policy_verdict verdict, uint32_t helped_by)
{
    struct kind *k = &p->kinds.p[kind];
    struct batch_unit *b = &p->units[k->units.p[0]];
    bool no_room = verdict == POLICY_NO_FIT || (verdict == POLICY_QUEUE && k->queue == QUEUE_OVER_LIMIT);
    if (!p->trying) { /* who only asks waits for nothing */
        b->blocked_ns = !no_room ? 0 : b->blocked_ns ? b->blocked_ns : MAX(p->now, (nsec_t)1);
        if (verdict == POLICY_NO_FIT && p->s->units[k->units.p[0]].max_tries > 0)
            vec_push(&p->tried_out, kind);
        if (no_room)
            backfill_want(p, kind, k->units.p[0]);
    }
    k->parked = true;
    k->verdict = verdict;
    k->helped_by = helped_by;
    walk_drop(p, kind);
}

/* The members that found nodes need not be those that the limits were asked about. */
static bool is_more_than(const struct policy *p, const struct unit_decision *d, const struct policy_amounts *ask, struct policy_amounts *ret_sum)
{
    struct policy_amounts sum = {{0}}, one;
    for (size_t i = 0; i < d->placements.len; i++) {
        policy_class_amounts(p, class_of(p->s, d->placements.p[i].pod), gpus_has_models(p) ? d->placements.p[i].node : NODE_NONE, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            sum.v[k] += one.v[k];
    }
    bool more = false;
    for (uint32_t k = 0; k < p->stride; k++)
        more |= sum.v[k] > ask->v[k];
    *ret_sum = sum;
    return more;
}

void round_place(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask, bool fixed, struct unit_decision *d)
{
    if (likely(!p->s->units[u].is_group)) {
        sched_place_next(p->s, u, p->now, false, d);
        return;
    }
    struct policy_amounts sum;
    uint32_t at = statement_begin(p->s);
    sched_place_next(p->s, u, p->now, false, d);
    if (d->result != UNIT_PLACED || !is_more_than(p, d, ask, &sum)) {
        statement_commit(p->s, at);
        return;
    }
    statement_rollback(p->s, at);
    if (queues_may_start(p->q, leaf, &sum, fixed, NULL) == QUEUE_OK)
        sched_place_next(p->s, u, p->now, false, d);
    else
        d->result = UNIT_REJECTED;
}

/* Behind others, in room that is reserved for them? */
static bool start_behind(struct policy *p, uint32_t kind, unit_id u, const struct policy_amounts *ask, struct policy_decisions *ret)
{
    if (p->reservations.len == 0 || p->trying) /* room that others give way in is no part of a statement */
        return false;
    struct unit_decision *d = decide(ret, u, POLICY_ALLOCATE);
    if (!backfill_try(p, kind, u, ask, d)) {
        ret->list.len--;
        return false;
    }
    started(p, u);
    return true;
}

/* True: started or room is kept. */
bool allocate_one(struct policy *p, uint32_t kind, unit_id u, struct policy_decisions *ret)
{
    struct kind *k = &p->kinds.p[kind];
    queue_id leaf = k->leaf;
    const struct policy_amounts ask = p->tree[leaf].ask;
    bool fixed = policy_asks_fixed(&p->units[u]);
    k->queue = queues_may_start(p->q, leaf, &ask, fixed, &k->blame);
    k->kept_for = UNIT_NONE;
    if (k->queue != QUEUE_OK) {
        if (k->queue == QUEUE_OVER_LIMIT && start_behind(p, kind, u, &ask, ret))
            return true;
        park(p, kind, POLICY_QUEUE, EVENT_POD_FREED | EVENT_POLICY | EVENT_NODE_ADD);
        return false;
    }
    struct class_answer *known = backfill_has(p, u) ? NULL : policy_answer(p, u); /* its own room was not there for the others */
    if (known && known->rejected == p->round) {
        if (start_behind(p, kind, u, &ask, ret))
            return true;
        k->rejected_by = known->rejected_by;
        park(p, kind, POLICY_NO_FIT, known->helped_by);
        return false;
    }
    struct unit_decision *d = decide(ret, u, POLICY_ALLOCATE);
    round_place(p, u, leaf, &ask, fixed, d);
    if (d->result == UNIT_PLACED) {
        started(p, u);
        return true;
    }
    enum unit_result how = d->result;
    k->rejected_by = d->rejected_by;
    k->bar = (struct queue_blame){0};
    gpus_are_barred(p, u, &k->bar);
    uint32_t helped_by = d->helped_by;
    if (how == UNIT_REJECTED && p->leaving.len && solve_waiting(p, u, d)) {
        policy_refresh(p, u);
        return true;
    }
    ret->list.len--;
    helped_by |= EVENT_POD_FREED | EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE;
    if (known && how == UNIT_REJECTED) {
        known->rejected = p->round;
        known->rejected_by = k->rejected_by;
        known->helped_by = helped_by;
    }
    if (how == UNIT_REJECTED && start_behind(p, kind, u, &ask, ret))
        return true;
    if (how == UNIT_INCOMPLETE || how == UNIT_GATED || how == UNIT_NOTHING)
        park(p, kind, how == UNIT_GATED ? POLICY_GATED : POLICY_INCOMPLETE, helped_by | EVENT_GROUP | EVENT_POD_UPDATED);
    else
        park(p, kind, POLICY_NO_FIT, helped_by);
    return false;
}

static bool is_ready(const struct policy *p UNUSED, const struct kind *k, int arg UNUSED)
{
    return !k->parked;
}

/* Behind so many in its queue that the action does not look at it? */
static bool is_too_deep(const struct policy *p, enum policy_action action, unit_id u)
{
    return unlikely(p->opts.depth[action]) && line_position(p, u) > p->opts.depth[action];
}

static void allocate(struct policy *p, struct policy_decisions *ret)
{
    if (!(p->opts.actions >> POLICY_ALLOCATE & 1))
        return;
    walk_begin(p, is_ready, 0);
    for (uint32_t kind; !spent(p, ret) && (kind = walk_next(p)) != 0;) {
        queue_id leaf = p->kinds.p[kind].leaf;
        if (is_too_deep(p, POLICY_ALLOCATE, p->kinds.p[kind].units.p[0])) {
            walk_drop(p, kind);
            walk_touch(p, leaf);
            continue;
        }
        p->tries++;
        backfill_make_way(p, p->kinds.p[kind].units.p[0]);
        allocate_one(p, kind, p->kinds.p[kind].units.p[0], ret);
        backfill_hold(p);
        walk_touch(p, leaf);
    }
    walk_end(p);
    backfill_let_go(p);
    ret->more |= backfill_is_spent(p);
}

static void evicted(struct policy *p, unit_id u)
{
    if (!p->units[u].known)
        return;
    policy_refresh(p, u);
    if (p->units[u].leaf)
        walk_touch(p, p->units[u].leaf);
}

static bool may_try(const struct policy *p, const struct kind *k, int action)
{
    return k->parked && !k->gave_up && k->tried_epoch[action] != p->epoch && (k->verdict == POLICY_NO_FIT || (k->verdict == POLICY_QUEUE && action != POLICY_CONSOLIDATE));
}

/* What is found counts only when it leaves alone what others have reserved with a better claim. */
bool evict_for_one(struct policy *p, struct kind *k, unit_id u, enum policy_action action, struct unit_decision *d)
{
    uint32_t taboo = p->reservations.len ? backfill_taboo(p, k, u, action) : 0, at = 0;
    if (taboo)
        at = statement_begin(p->s);
    bool done = action == POLICY_CONSOLIDATE ? solve_moving(p, k, u, d) : solve_evicting(p, k, u, action, d);
    if (!taboo)
        return done;
    if (!done || !backfill_touches(p, taboo, d)) {
        statement_commit(p->s, at);
        return done;
    }
    statement_rollback(p->s, at);
    k->tried[action] = TRIED_NO_ROOM;
    return false;
}

/* Is its queue owed the room, so that reclaim may make it? */
static bool is_owed(struct policy *p, const struct kind *k, unit_id u)
{
    struct policy_amounts ask;
    policy_ask(p, u, &ask);
    return queues_may_reclaim(p->q, k->leaf, &ask, policy_asks_fixed(&p->units[u]));
}

/* owed: only for those whose queue is owed the room. */
static void evict_for(struct policy *p, enum policy_action action, bool owed, struct policy_decisions *ret)
{
    if (!(p->opts.actions >> action & 1))
        return;
    walk_begin(p, may_try, action);
    for (uint32_t kind; !spent(p, ret) && (kind = walk_next(p)) != 0;) {
        struct kind *k = &p->kinds.p[kind];
        unit_id u = k->units.p[0];
        queue_id leaf = k->leaf;
        if (is_too_deep(p, action, u) || (owed && !is_owed(p, k, u))) {
            walk_drop(p, kind);
            walk_touch(p, leaf);
            continue;
        }
        nsec_t until = losses_until(p, u), ready = p->units[u].ready_ns;
        if (until > p->now || ready > p->now) {
            if (ready > p->now || k->tried[action] == TRIED_NOT) /* what was found out before says more */
                k->tried[action] = ready > p->now ? TRIED_DELAYED : TRIED_TOO_SOON;
            until = MAX(until, ready);
            policy_later(p, until);
            walk_drop(p, kind);
            walk_touch(p, leaf);
            continue;
        }
        p->tries++;
        struct unit_decision *d = decide(ret, u, action);
        if (evict_for_one(p, k, u, action, d)) {
            p->room.idle_made = false;
            policy_refresh(p, u);
            for (size_t i = 0; i < d->victims.len; i++)
                evicted(p, p->s->pods[d->victims.p[i]].unit);
            walk_touch(p, leaf);
            continue;
        }
        ret->list.len--;
        if (!p->aim_refused)
            k->tried_epoch[action] = p->epoch;
        ret->more |= p->aim_refused;
        p->aim_refused = false;
        walk_drop(p, kind);
        walk_touch(p, leaf);
    }
    walk_end(p);
}

/* All pods of a unit that run go, for nobody's sake. */
static void evict_whole(struct policy *p, unit_id u, enum policy_action action, struct policy_decisions *ret)
{
    struct unit_decision *d = decide(ret, UNIT_NONE, action);
    const struct unit *unit = &p->s->units[u];
    for (size_t i = 0; i < unit->pods.len; i++)
        if (policy_runs(p->s->pods[unit->pods.p[i]].state)) {
            model_set_state(p->s, unit->pods.p[i], PS_TERMINATING);
            vec_push(&d->victims, unit->pods.p[i]);
        }
    d->result = UNIT_PREEMPTING;
    policy_refresh(p, u);
}

static void evict_stale(struct policy *p, struct policy_decisions *ret)
{
    size_t keep = 0;
    for (size_t i = 0; i < p->stale.len; i++) {
        unit_id u = p->stale.p[i];
        struct batch_unit *b = &p->units[u];
        nsec_t own = p->s->units[u].stale_grace_ns, grace = own ? own : p->opts.stale_grace_ns;
        if (!b->known || !b->stale_since_ns)
            continue;
        if (!(p->opts.actions >> POLICY_STALE & 1))
            grace = -1; /* until somebody switches it on again */
        if (grace >= 0 && p->now - b->stale_since_ns >= grace) {
            evict_whole(p, u, POLICY_STALE, ret);
            continue;
        }
        if (grace >= 0)
            policy_later(p, b->stale_since_ns + grace);
        p->stale.p[keep++] = u;
    }
    p->stale.len = keep;
}

static void evict_too_long(struct policy *p, struct policy_decisions *ret)
{
    if (!p->any_max_runtime || !(p->opts.actions >> POLICY_TOO_LONG & 1))
        return;
    for (unit_id u = 1; u < p->nunits; u++) {
        struct batch_unit *b = &p->units[u];
        nsec_t most = b->known && b->leaf && b->nplaced ? queues_max_runtime(p->q, b->leaf) : 0;
        if (most <= 0 || b->start_ns <= 0)
            continue;
        if (p->now - b->start_ns >= most)
            evict_whole(p, u, POLICY_TOO_LONG, ret);
        else
            policy_later(p, b->start_ns + most);
    }
}

/* --- history ------------------------------------------------------------------------------------------------------------------------------ */
void policy_usage_advance(struct policy *p, nsec_t now)
{
    nsec_t window = p->opts.window_ns, from = p->opts.window_from_ns;
    if (!window || p->rebuild) /* accounts that are not made are not what is held; the next round charges this time, too */
        return;
    nsec_t since = from + (now - from) / window * window;
    queues_usage_since(p->q, !p->opts.tumbles ? 0 : since > now ? since - window : since);
    queues_usage_advance(p->q, now, p->opts.half_life_ns, window);
}

/* Shares move while nothing happens, so that who may evict today could not yesterday: those who wait are looked at again from time to time, more often where
 * the past is forgotten fast. */
static void follow_history(struct policy *p)
{
    if (!p->opts.window_ns)
        return;
    policy_usage_advance(p, p->now);
    nsec_t every = MAX(MIN((p->opts.half_life_ns ? p->opts.half_life_ns : p->opts.window_ns) / 128, 60 * NSEC_PER_SEC), NSEC_PER_SEC);
    if (p->now - p->shares_at >= every || p->now < p->shares_at) {
        p->shares_at = p->now;
        p->epoch++;
    }
    if (p->kind_by_key.len)
        policy_later(p, p->shares_at + every);
}

void policy_round(struct policy *p, nsec_t now, struct policy_decisions *ret)
{
    for (size_t i = 0; i < ret->list.len; i++)
        ret->list.p[i].unit = UNIT_NONE;
    ret->list.len = 0;
    ret->more = false;
    p->now = now;
    p->tries = 0;
    p->aims = POLICY_AIMS;
    p->round++;
    p->room.idle_made = false;
    if (now >= p->expiry_ns) {
        p->epoch++;
        p->expiry_ns = INT64_MAX;
    }
    p->again_ns = INT64_MAX;
    p->room.made = false;
    policy_catch_up(p);
    follow_history(p);
    queues_divide(p->q, p->opts.past);
    line_wake(p, p->woken);
    p->woken = 0;
    line_age(p);
    start_kept(p, ret);
    backfill_begin(p);
    allocate(p, ret);
    evict_for(p, POLICY_CONSOLIDATE, true, ret);
    evict_for(p, POLICY_RECLAIM, false, ret);
    evict_for(p, POLICY_CONSOLIDATE, false, ret); /* nobody is moved beyond its queue's share into room that others are about to take */
    evict_for(p, POLICY_PREEMPT, false, ret);
    evict_stale(p, ret);
    evict_too_long(p, ret);
    backfill_end(p);
    if (p->opts.age_every_ns > 0)
        policy_later(p, p->aged_ns);
    ret->again_ns = MIN(p->again_ns, p->expiry_ns);
}
