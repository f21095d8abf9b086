/* backfill.c - room for a unit that small ones keep passing by: reservations, and who may use the room meanwhile.
 *
 *   n1 [a a a a . . . .]   head wants 8 on one node.  a ends at 10:00 by its own words: the head has n1 from then on
 *   n2 [b b b b b b b b]   c (2 GPUs, ends 9:50) may start on n1 now; d (2 GPUs, ends 11:00) may not; where 8 of 16 are the head's, d may use the rest
 *
 * The plan: in a statement those that run leave in the order in which they end, until the head fits within its queue's limit and share; where it fits then are its nodes, and the last one's end is
 * its start.  Those of which nobody knows when they end come last, node by node, the emptiest first; work that is not preemptible and does not say when it ends is taken to stay.
 * The hold: for as long as units are allocated the head's pods stand on those nodes as NOMINATED, over the room that others still use.  So nobody fits there, accounts and limits count it, and what ends is not
 * refilled.  Between rounds and while somebody looks for victims the model has no trace of it: evicting is by right, and rights go before reservations (backfill_taboo says where not).
 * No two of them can wait for each other: a plan is made with the holds of those before it in place, and never counts on one that comes after. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/statement.h"
#include "sched/engine/unit.h"

#define PLAN_PODS 8192u /* that have to end first; more, and nothing is planned */
#define PLANS_PER_ROUND 2u
#define TRIES_PER_ROUND 256u
#define PLAN_AGAIN_NS (10 * NSEC_PER_SEC) /* a plan is looked at again when something changed, but not more often */
#define PLAN_FAILED_NS NSEC_PER_SEC       /* doubled with each failure, */
#define PLAN_FAILS 6u                     /* so many times */

/* --- when things end -------------------------------------------------------------------------------------------------------------------- */
/* How long the unit runs at most; 0: nobody knows. */
static nsec_t runtime_of(const struct policy *p, unit_id u)
{
    nsec_t declared = p->s->units[u].runtime_ns, most = 0;
    if (u < p->nunits && p->units[u].known && p->units[u].leaf && p->any_max_runtime)
        most = queues_max_runtime(p->q, p->units[u].leaf);
    return declared && most ? MIN(declared, most) : MAX(declared, most);
}

static nsec_t start_of(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    nsec_t first = u < p->nunits && p->units[u].known ? p->units[u].start_ns : 0;
    for (size_t i = 0; !first && i < unit->pods.len; i++)
        first = p->s->pods[unit->pods.p[i]].started_ns;
    return first ? first : p->now;
}

/* One that has run for longer than it said ends at any moment.  INT64_MAX: nobody knows. */
static nsec_t end_of(const struct policy *p, unit_id u)
{
    nsec_t runtime = runtime_of(p, u);
    return runtime ? MAX(start_of(p, u) + runtime, p->now) : INT64_MAX;
}

/* Does what runs of the unit end by then?  Fixed work that does not say so never does. */
static bool ends_by(const struct policy *p, unit_id u, nsec_t by)
{
    nsec_t end = end_of(p, u);
    if (end == INT64_MAX)
        return by == INT64_MAX && u < p->nunits && p->units[u].known && !p->units[u].fixed && !p->units[u].semi;
    return end <= by;
}

/* --- the plan ---------------------------------------------------------------------------------------------------------------------------- */
struct ender {
    unit_id unit;
    node_id node; /* of its first pod */
    nsec_t end_ns, start_ns;
    int64_t load; /* of that node */
};
struct plan {
    struct policy *p;
    unit_id u;
    queue_id leaf;
    bool known_only; /* wait for those alone that say when they end */
    struct policy_amounts ask;
    VEC(struct ender) list;
    size_t npods;
};

static int soonest(const void *pa, const void *pb)
{
    const struct ender *a = pa, *b = pb;
    if (a->end_ns != b->end_ns)
        return a->end_ns < b->end_ns ? -1 : 1;
    if (a->end_ns == INT64_MAX && a->load != b->load)
        return a->load < b->load ? -1 : 1;
    if (a->end_ns == INT64_MAX && a->node != b->node)
        return a->node < b->node ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->unit < b->unit ? -1 : a->unit > b->unit;
}

static void add_ender(struct plan *x, unit_id u)
{
    const struct sched *s = x->p->s;
    const struct unit *unit = &s->units[u];
    if (u == x->u || !unit->used || !ends_by(x->p, u, x->known_only ? INT64_MAX - 1 : INT64_MAX))
        return;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *pod = &s->pods[unit->pods.p[i]];
        if (!policy_runs(pod->state))
            continue;
        const int64_t *gpus = s->view.used[RES_GPU], *cpu = s->view.used[RES_CPU];
        int64_t load = ((gpus ? gpus[pod->node] : 0) << 40) + (cpu ? MIN(cpu[pod->node], 1ll << 39) : 0);
        vec_push(&x->list, (struct ender){u, pod->node, end_of(x->p, u), start_of(x->p, u), load});
        return;
    }
}

static void release(struct plan *x, size_t from, size_t to)
{
    struct sched *s = x->p->s;
    for (size_t i = from; i < to; i++) {
        const struct unit *unit = &s->units[x->list.p[i].unit];
        for (size_t k = 0; k < unit->pods.len; k++)
            if (policy_runs(s->pods[unit->pods.p[k]].state)) {
                model_unassign(s, unit->pods.p[k]);
                x->npods++;
            }
    }
}

static bool fits_then(struct plan *x)
{
    struct policy *p = x->p;
    return queues_may_reclaim(p->q, x->leaf, &x->ask, policy_asks_fixed(&p->units[x->u])) && solve_probe(p, x->u, x->leaf, &x->ask);
}

/* How many have to end, from the front; they are out then. */
static bool fewest(struct plan *x, size_t *ret)
{
    struct sched *s = x->p->s;
    size_t lo = 0, hi = 0, n = x->list.len;
    if (fits_then(x)) {
        *ret = 0;
        return true;
    }
    for (;;) {
        hi = MIN(lo + MAX(lo, (size_t)1), n);
        if (hi == lo)
            return false;
        uint32_t at = statement_begin(s);
        release(x, lo, hi);
        bool good = x->npods <= PLAN_PODS && fits_then(x);
        if (good || x->npods > PLAN_PODS) {
            statement_rollback(s, at);
            if (!good)
                return false;
            break;
        }
        statement_commit(s, at);
        lo = hi;
    }
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        uint32_t at = statement_begin(s);
        release(x, lo, mid);
        if (fits_then(x)) {
            statement_rollback(s, at);
            hi = mid;
        } else {
            statement_commit(s, at);
            lo = mid;
        }
    }
    release(x, lo, hi);
    *ret = hi;
    return true;
}

static bool is_within_quota(const struct policy *p, queue_id leaf, const struct policy_amounts *ask)
{
    const struct queue_state *q = queues_get(p->q, leaf);
    for (uint32_t k = 0; k < p->stride; k++)
        if (ask->v[k] > 0 && q->quota.v[k] != POLICY_UNLIMITED && q->allocated.v[k] > q->quota.v[k] - ask->v[k])
            return false;
    return true;
}

/* Where and when; false: never, or not by those who say when they end. */
static bool plan_make(struct policy *p, unit_id u, bool known_only, struct reservation *ret)
{
    struct plan x = {.p = p, .u = u, .leaf = p->units[u].leaf, .known_only = known_only};
    size_t n = 0;
    policy_ask(p, u, &x.ask);
    for (unit_id v = 1; v < p->s->nunits_slots; v++)
        add_ender(&x, v);
    if (x.list.len > 1)
        qsort(x.list.p, x.list.len, sizeof *x.list.p, soonest);
    uint32_t at = statement_begin(p->s);
    solve_leaving_out(p);
    bool found = fewest(&x, &n), owed = found && is_within_quota(p, x.leaf, &x.ask);
    if (found) {
        sched_place_next(p->s, u, p->now, true, &p->probe);
        found = p->probe.result == UNIT_PLACED;
    }
    statement_rollback(p->s, at);
    ret->owed = owed;
    if (found) {
        ret->unit = u;
        ret->created_ns = p->s->units[u].created_ns;
        ret->start_ns = n ? x.list.p[n - 1].end_ns : p->now;
        ret->made_ns = ret->since_ns = p->now;
        ret->epoch = p->epoch;
        vec_clear(&ret->at);
        for (size_t i = 0; i < p->probe.placements.len; i++)
            vec_push(&ret->at, p->probe.placements.p[i]);
    }
    vec_fini(&x.list);
    return found;
}

/* --- the hold ------------------------------------------------------------------------------------------------------------------------------ */
static void hold(struct policy *p, struct reservation *r, bool on)
{
    struct sched *s = p->s;
    if (r->held == on)
        return;
    r->held = on;
    for (size_t i = 0; i < r->at.len; i++) {
        const struct placement *x = &r->at.p[i];
        if (on && s->pods[x->pod].state == PS_PENDING)
            model_redo_assign(s, x->pod, x->node, PS_NOMINATED, x->gpu_mask, 0);
        else if (!on && s->pods[x->pod].state == PS_NOMINATED)
            model_undo_assign(s, x->pod);
    }
}


void backfill_let_go(struct policy *p)
{
    for (size_t i = p->reservations.len; i-- > 0;)
        hold(p, &p->reservations.p[i], false);
}

static size_t place_of(const struct policy *p, unit_id u)
{
    size_t i = 0;
    while (i < p->reservations.len && p->reservations.p[i].unit != u)
        i++;
    return i;
}

bool backfill_has(const struct policy *p, unit_id u)
{
    return place_of(p, u) < p->reservations.len;
}

void backfill_make_way(struct policy *p, unit_id u)
{
    size_t mine = place_of(p, u);
    for (size_t i = p->reservations.len; i-- > mine;)
        hold(p, &p->reservations.p[i], false);
    if (mine < p->reservations.len)
        walk_touch(p, p->units[u].leaf); /* what it asks for was hidden by the hold */
}

/* --- when its time comes --------------------------------------------------------------------------------------------------------------------- */
static bool is_simple(const struct pod_class *c)
{
    return c->is_local && c->nports == 0 && c->gpu.kind != GPU_FRACTION && c->gpu.kind != GPU_MEMORY;
}

/* Is the pod one that will have gone when the reservation's time comes? */
static bool is_awaited(const struct policy *p, const struct reservation *r, pod_id v)
{
    unit_id u = p->s->pods[v].unit;
    if (p->s->pods[v].state == PS_TERMINATING)
        return true;
    return ends_by(p, u, r->start_ns) && (r->start_ns != INT64_MAX || start_of(p, u) <= r->since_ns);
}

enum room { ROOM_NO, ROOM_YES, ROOM_WHO_KNOWS };
/* Is there room on the node for all of the reservation when its time comes, beside the unit's pods that have just been put there? */
static enum room room_then(const struct policy *p, const struct reservation *r, unit_id u, node_id n)
{
    const struct sched *s = p->s;
    int64_t need[RES_MAX] = {0};
    for (size_t i = 0; i < r->at.len; i++) {
        const struct pod_class *c = class_of(s, r->at.p[i].pod);
        if (!is_simple(c))
            return ROOM_WHO_KNOWS;
        for (uint32_t k = 0; r->at.p[i].node == n && k < c->nreq; k++)
            need[c->req[k].id] += c->req[k].amount;
    }
    for (pod_id v = s->nodes[n].first_pod; v; v = s->pods[v].next_on_node) {
        const struct pod_class *c = class_of(s, v);
        if (!is_simple(c))
            return ROOM_WHO_KNOWS;
        bool goes = s->pods[v].unit != u && is_awaited(p, r, v);
        for (uint32_t k = 0; goes && k < c->nreq; k++)
            need[c->req[k].id] -= c->req[k].amount;
    }
    for (uint32_t k = 0; k < s->nres; k++)
        if (need[k] > 0 && view_free(&s->view, n, (uint16_t)k) < need[k])
            return ROOM_NO;
    return ROOM_YES;
}

/* --- the list ------------------------------------------------------------------------------------------------------------------------------- */
static void drop(struct policy *p, size_t i)
{
    hold(p, &p->reservations.p[i], false);
    vec_fini(&p->reservations.p[i].at);
    vec_remove(&p->reservations, i);
    p->woken |= EVENT_POD_FREED; /* those who were kept out */
    policy_later(p, p->now);
}

/* Is it still the one that waits, and are the nodes there? */
static bool is_alive(const struct policy *p, const struct reservation *r)
{
    const struct sched *s = p->s;
    const struct batch_unit *b = r->unit < p->nunits ? &p->units[r->unit] : NULL;
    if (!b || !b->known || !b->kind || s->units[r->unit].created_ns != r->created_ns || p->kinds.p[b->kind].units.p[0] != r->unit || p->kinds.p[b->kind].gave_up)
        return false;
    for (size_t i = 0; i < r->at.len; i++) {
        const struct placement *x = &r->at.p[i];
        const struct pod *pod = x->pod < s->npods_slots ? &s->pods[x->pod] : NULL;
        if (!pod || pod->unit != r->unit || pod->state != PS_PENDING || !node_is_alive(s, x->node) || s->nodes[x->node].unschedulable)
            return false;
    }
    return true;
}

void backfill_hold(struct policy *p)
{
    for (size_t i = 0; i < p->reservations.len;) {
        if (!p->reservations.p[i].held && !is_alive(p, &p->reservations.p[i])) {
            drop(p, i); /* it has just started */
            continue;
        }
        hold(p, &p->reservations.p[i++], true);
    }
}

static bool is_long_enough(const struct policy *p, unit_id u)
{
    const struct batch_unit *b = &p->units[u];
    return b->blocked_ns && p->now - b->blocked_ns >= p->opts.hold_after_ns;
}

/* Nobody by a better right has taken its room. */
static bool is_sound(const struct policy *p, const struct reservation *r)
{
    for (size_t i = 0; i < r->at.len; i++)
        if (room_then(p, r, UNIT_NONE, r->at.p[i].node) == ROOM_NO)
            return false;
    return true;
}

/* A plan that time or others have overtaken is made anew; false: there is none. */
static bool look_again(struct policy *p, struct reservation *r)
{
    bool late = r->start_ns < p->now;
    if ((!late && r->epoch == p->epoch) || p->now - r->made_ns < PLAN_AGAIN_NS)
        return true;
    struct reservation fresh = {0};
    bool found = plan_make(p, r->unit, !is_long_enough(p, r->unit), &fresh);
    if (found && (late || fresh.start_ns < r->start_ns || !is_sound(p, r))) {
        struct reservation old = *r;
        *r = fresh;
        fresh = old;
        p->woken |= EVENT_POD_FREED;
    } else if (found) {
        r->made_ns = p->now;
        r->epoch = p->epoch;
    }
    vec_fini(&fresh.at);
    return found;
}

void backfill_begin(struct policy *p)
{
    p->plans = p->behind = 0;
    for (size_t i = 0; i < p->reservations.len;) {
        /* a plan counts on those before it alone: the others are not held yet */
        if (!is_alive(p, &p->reservations.p[i]) || !look_again(p, &p->reservations.p[i])) {
            drop(p, i);
            continue;
        }
        const struct reservation *r = &p->reservations.p[i];
        if (r->epoch != p->epoch)
            policy_later(p, MAX(r->made_ns + PLAN_AGAIN_NS, p->now + NSEC_PER_SEC));
        else if (r->start_ns != INT64_MAX)
            policy_later(p, MAX(r->start_ns + 1, p->now + NSEC_PER_SEC));
        hold(p, &p->reservations.p[i++], true);
    }
    line_wake(p, p->woken);
    p->woken = 0;
    if (p->now < p->plans_due_ns)
        return;
    p->plans_due_ns = INT64_MAX;
    for (size_t i = 1; i < p->kinds.len; i++) {
        struct kind *k = &p->kinds.p[i];
        if (!k->used || !k->parked || !k->plan_ns || k->gave_up)
            continue;
        if (k->plan_ns > p->now)
            p->plans_due_ns = MIN(p->plans_due_ns, k->plan_ns);
        else {
            k->parked = false;
            k->plan_ns = 0;
        }
    }
}

static void plan_later(struct policy *p, struct kind *k, nsec_t at)
{
    k->plan_ns = at;
    p->plans_due_ns = MIN(p->plans_due_ns, at);
}

/* Who has waited longest has the best claim, whatever the queue: its place in the list. */
static size_t place_for(const struct policy *p, unit_id u)
{
    size_t i = 0;
    while (i < p->reservations.len && p->units[p->reservations.p[i].unit].blocked_ns <= p->units[u].blocked_ns)
        i++;
    return i;
}

/* The plan counts on nobody who comes after it; those plan again. */
static bool reserve(struct policy *p, unit_id u, bool known_only, size_t at)
{
    struct reservation r = {0};
    p->plans++;
    for (size_t i = p->reservations.len; i-- > at;)
        hold(p, &p->reservations.p[i], false);
    if (!plan_make(p, u, known_only, &r)) {
        vec_fini(&r.at);
        for (size_t i = at; i < p->reservations.len; i++)
            hold(p, &p->reservations.p[i], true);
        return false;
    }
    while (p->reservations.len > at)
        drop(p, p->reservations.len - 1);
    vec_push(&p->reservations, r);
    hold(p, &p->reservations.p[at], true);
    return true;
}

void backfill_want(struct policy *p, uint32_t kind, unit_id u)
{
    struct kind *k = &p->kinds.p[kind];
    size_t at = place_for(p, u);
    if (p->opts.hold_after_ns < 0 || at >= p->opts.max_reservations || backfill_has(p, u))
        return;
    bool enough = is_long_enough(p, u);
    nsec_t due = p->units[u].blocked_ns + p->opts.hold_after_ns;
    if (!enough && !p->any_runtime && !p->any_max_runtime)
        plan_later(p, k, due);
    else if (k->plan_ns > p->now && !(enough && k->plan_fails == 0))
        plan_later(p, k, k->plan_ns);
    else if (p->plans >= PLANS_PER_ROUND)
        plan_later(p, k, p->now + PLAN_FAILED_NS);
    else if (reserve(p, u, !enough, at))
        k->plan_ns = k->plan_fails = 0;
    else {
        nsec_t wait = PLAN_FAILED_NS << MIN(k->plan_fails, PLAN_FAILS);
        k->plan_fails += k->plan_fails < PLAN_FAILS;
        plan_later(p, k, enough ? p->now + wait : MIN(p->now + wait, due));
    }
}

/* --- who may use the room meanwhile --------------------------------------------------------------------------------------------------------- */
/* Could the head evict it again whenever it wants, within their queue? */
static bool is_at_mercy(const struct policy *p, unit_id head, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    return p->opts.actions >> POLICY_PREEMPT & 1 && !p->units[u].fixed && !p->units[u].semi && unit->priority < p->s->units[head].priority && unit->protect_ns == 0 &&
           queues_preempt_min_runtime(p->q, p->units[u].leaf) <= 0 && !class_of(p->s, unit->pods.p[0])->never_victim;
}

/* With the hold lifted: accounts are what runs. */
static bool may_use(struct policy *p, const struct reservation *r, const struct kind *k, unit_id u, const struct policy_amounts *ask)
{
    nsec_t runtime = runtime_of(p, u);
    if (r->start_ns != INT64_MAX && runtime && p->now + runtime <= r->start_ns)
        return true;
    const struct kind *head = &p->kinds.p[p->units[r->unit].kind];
    if (head->leaf == k->leaf)
        return k->priority > head->priority || is_at_mercy(p, r->unit, u);
    return !r->owed && is_within_quota(p, k->leaf, ask);
}

static bool is_of(const struct reservation *r, node_id n)
{
    for (size_t i = 0; i < r->at.len; i++)
        if (r->at.p[i].node == n)
            return true;
    return false;
}

static bool harms(const struct policy *p, const struct reservation *r, unit_id u, const struct unit_decision *d)
{
    for (size_t i = 0; i < d->placements.len; i++)
        if (is_of(r, d->placements.p[i].node) && room_then(p, r, u, d->placements.p[i].node) != ROOM_YES)
            return true;
    return false;
}

/* With the room of some lifted; true: placed, and none of the others is harmed. */
static bool try_lifted(struct policy *p, struct kind *k, unit_id u, const struct policy_amounts *ask, uint32_t allowed, struct unit_decision *d)
{
    bool fixed = policy_asks_fixed(&p->units[u]);
    if (queues_may_start(p->q, k->leaf, ask, fixed, NULL) != QUEUE_OK)
        return false;
    uint32_t at = statement_begin(p->s);
    vec_clear(&d->placements);
    round_place(p, u, k->leaf, ask, fixed, d);
    bool good = d->result == UNIT_PLACED;
    for (size_t i = 0; good && i < p->reservations.len; i++) {
        const struct reservation *r = &p->reservations.p[i];
        if (r->held || allowed >> i & 1 || !harms(p, r, u, d))
            continue;
        k->kept_for = r->unit;
        k->kept_until_ns = r->start_ns;
        good = false;
    }
    if (good)
        statement_commit(p->s, at);
    else
        statement_rollback(p->s, at);
    return good;
}

bool backfill_try(struct policy *p, uint32_t kind, unit_id u, const struct policy_amounts *ask, struct unit_decision *d)
{
    struct kind *k = &p->kinds.p[kind];
    size_t n = place_of(p, u);
    uint32_t allowed = 0;
    if (n == 0)
        return false; /* the room of those after it was free already */
    if (p->behind >= TRIES_PER_ROUND) {
        plan_later(p, k, p->now); /* in the next round */
        return false;
    }
    p->behind++;
    bool in_limits = queues_may_start(p->q, k->leaf, ask, policy_asks_fixed(&p->units[u]), NULL) == QUEUE_OK;
    for (size_t i = n; i-- > 0;)
        hold(p, &p->reservations.p[i], false);
    for (size_t i = 0; i < n; i++)
        allowed |= (uint32_t)may_use(p, &p->reservations.p[i], k, u, ask) << i;
    for (size_t i = 0; i < n; i++)
        hold(p, &p->reservations.p[i], !(allowed >> i & 1));
    if (allowed && try_lifted(p, k, u, ask, allowed, d))
        return true; /* the caller holds again */
    uint32_t first = allowed == UINT32_MAX ? 32 : (uint32_t)__builtin_ctz(~allowed); /* that it may not use */
    for (size_t i = n; i-- > 0;)
        hold(p, &p->reservations.p[i], false);
    if (first < n && !in_limits && queues_may_start(p->q, k->leaf, ask, policy_asks_fixed(&p->units[u]), NULL) == QUEUE_OK) { /* a limit that both are under is room, too */
        k->kept_for = p->reservations.p[first].unit;
        k->kept_until_ns = p->reservations.p[first].start_ns;
    } else if (first < n && in_limits && try_lifted(p, k, u, ask, allowed, d)) {
        return true;
    }
    for (size_t i = 0; i < n; i++)
        hold(p, &p->reservations.p[i], true);
    return false;
}

bool backfill_is_spent(const struct policy *p)
{
    return p->behind >= TRIES_PER_ROUND;
}

uint32_t backfill_taboo(struct policy *p, const struct kind *k, unit_id u, enum policy_action action)
{
    struct policy_amounts ask;
    uint32_t mask = 0;
    size_t n = place_of(p, u);
    policy_ask(p, u, &ask);
    for (size_t i = 0; i < n; i++) {
        const struct reservation *r = &p->reservations.p[i];
        if (!is_alive(p, r))
            continue; /* others went for it in this round */
        bool by_right = action == POLICY_RECLAIM && (!r->owed || is_within_quota(p, k->leaf, &ask));
        mask |= (uint32_t)(!by_right && !may_use(p, r, k, u, &ask)) << i;
    }
    return mask;
}

bool backfill_touches(const struct policy *p, uint32_t mask, const struct unit_decision *d)
{
    for (size_t i = 0; i < p->reservations.len; i++)
        for (size_t k = 0; mask >> i & 1 && k < d->placements.len; k++)
            if (is_of(&p->reservations.p[i], d->placements.p[k].node))
                return true;
    return false;
}

/* --- the end of a round ------------------------------------------------------------------------------------------------------------------------ */
void backfill_end(struct policy *p)
{
    for (size_t i = p->reservations.len; i-- > 0;)
        if (!is_alive(p, &p->reservations.p[i]))
            drop(p, i); /* it started, or room is kept for it now */
    for (size_t i = 0; i < p->tried_out.len; i++) {
        struct kind *k = &p->kinds.p[p->tried_out.p[i]];
        if (k->used && k->parked && k->verdict == POLICY_NO_FIT)
            k->gave_up = ++k->failures >= (uint32_t)MAX(p->s->units[k->units.p[0]].max_tries, 1);
    }
    vec_clear(&p->tried_out);
    policy_later(p, p->plans_due_ns);
}

void backfill_fini(struct policy *p)
{
    for (size_t i = 0; i < p->reservations.len; i++)
        vec_fini(&p->reservations.p[i].at);
    vec_fini(&p->reservations);
    vec_fini(&p->tried_out);
}

/* --- for readers --------------------------------------------------------------------------------------------------------------------------------- */
size_t policy_reservations(const struct policy *p)
{
    return p->reservations.len;
}

size_t policy_reserved(const struct policy *p, unit_id u, node_id *ret, size_t max)
{
    size_t at = place_of(p, u), n = 0;
    const struct reservation *r = at < p->reservations.len ? &p->reservations.p[at] : NULL;
    for (size_t i = 0; r && i < r->at.len; i++) {
        size_t k = 0;
        while (k < i && r->at.p[k].node != r->at.p[i].node)
            k++;
        if (k < i)
            continue;
        if (n < max)
            ret[n] = r->at.p[i].node;
        n++;
    }
    return n;
}

void policy_waiting(struct policy *p, queue_id leaf, struct policy_waiting *ret)
{
    *ret = (struct policy_waiting){0};
    if (leaf >= p->ntree || !p->tree[leaf].leaf)
        return;
    for (size_t i = 0; i < p->tree[leaf].kinds.len; i++) {
        const struct kind *k = &p->kinds.p[p->tree[leaf].kinds.p[i]];
        unit_id oldest = k->units.p[0];
        nsec_t came = p->s->units[oldest].created_ns, blocked = p->units[oldest].blocked_ns;
        ret->units[k->parked ? k->verdict : POLICY_NEW] += (uint32_t)k->units.len;
        if (!ret->oldest_ns || came < ret->oldest_ns)
            ret->oldest_ns = came;
        struct policy_amounts ask;
        if (!k->parked || !blocked || (ret->starved_ns && blocked >= ret->starved_ns))
            continue;
        policy_ask(p, oldest, &ask);
        if (backfill_has(p, oldest) || queues_may_reclaim(p->q, leaf, &ask, policy_asks_fixed(&p->units[oldest])))
            ret->starved_ns = blocked;
    }
    for (size_t i = 0; i < p->kept.len; i++)
        if (p->units[p->kept.p[i]].leaf == leaf)
            ret->units[POLICY_KEPT]++;
}
