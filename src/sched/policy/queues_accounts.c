/* queues_accounts.c - what queues hold and ask for, and the division of the total among them.
 *
 * A change of a leaf's account marks the divisions above it, so queues_divide goes down the marked paths only; a share that came out as it was
 * stops it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/queues_state.h"

/* --- marks --------------------------------------------------------------------------------------------------------------------------------- */

void queue_mark(struct queues *q, queue_id parent, uint32_t slots)
{
    queue_at(q, parent)->dirty |= slots;
    while (parent) {
        parent = queue_at(q, parent)->up;
        queue_at(q, parent)->below |= slots;
    }
}

void queue_mark_all(struct queues *q)
{
    uint32_t all = queue_all_slots(q);
    for (size_t id = 0; id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        x->dirty = x->below = x->nchildren ? all : 0;
    }
}

/* --- accounts ------------------------------------------------------------------------------------------------------------------------------ */

static int64_t seen(sum_t sum)
{
    return sum > SHARE_AMOUNT_MAX ? SHARE_AMOUNT_MAX : sum < -SHARE_AMOUNT_MAX ? -SHARE_AMOUNT_MAX : (int64_t)sum;
}

static void add_to(struct queue *x, const struct queue_sums *d, int sign, uint32_t nslots)
{
    for (uint32_t s = 0; s < nslots; s++) {
        x->sums.allocated[s] += sign * d->allocated[s];
        x->sums.fixed[s] += sign * d->fixed[s];
        x->sums.requested[s] += sign * d->requested[s];
        x->pub.allocated.v[s] = seen(x->sums.allocated[s]);
        x->pub.allocated_fixed.v[s] = seen(x->sums.fixed[s]);
        x->pub.requested.v[s] = seen(x->sums.requested[s]);
    }
}

/* To a queue and all above it. */
static void add_path(struct queues *q, queue_id from, const struct queue_sums *d, int sign)
{
    uint32_t changed = 0;
    for (uint32_t s = 0; s < q->nslots; s++)
        changed |= d->requested[s] ? 1u << s : 0;
    queue_at(q, from)->dirty |= queue_at(q, from)->nchildren ? changed : 0; /* units of its own, or of a deleted one below it */
    for (queue_id id = from; id; id = queue_at(q, id)->up) {
        struct queue *x = queue_at(q, id);
        queue_settle(q, x);
        add_to(x, d, sign, q->nslots);
        queue_at(q, x->up)->dirty |= changed;
    }
}

void queue_detach(struct queues *q, queue_id id)
{
    struct queue_sums own = queue_at(q, id)->sums;
    add_path(q, queue_at(q, id)->up, &own, -1);
    queue_at(q, id)->up = QUEUE_NONE;
}

void queue_attach(struct queues *q, queue_id id, queue_id up)
{
    struct queue_sums own = queue_at(q, id)->sums;
    queue_at(q, id)->up = up;
    add_path(q, up, &own, 1);
}

enum { ADD_REQUESTED = 1, ADD_ALLOCATED = 2, ADD_FIXED = 4 };
static void add_unit(struct queues *q, queue_id leaf, const struct policy_amounts *a, int what, int sign)
{
    if (!queue_is(q, leaf))
        return;
    struct queue_sums d;
    for (uint32_t s = 0; s < q->nslots; s++) {
        d.requested[s] = what & ADD_REQUESTED ? a->v[s] : 0;
        d.allocated[s] = what & ADD_ALLOCATED ? a->v[s] : 0;
        d.fixed[s] = what & ADD_FIXED ? a->v[s] : 0;
    }
    add_path(q, leaf, &d, sign);
    if (sign < 0 && q->ngone)
        queue_release(q, leaf);
}

void queues_add_waiting(struct queues *q, queue_id leaf, const struct policy_amounts *a, int sign)
{
    add_unit(q, leaf, a, ADD_REQUESTED, sign);
}

void queues_add_allocated(struct queues *q, queue_id leaf, const struct policy_amounts *a, bool fixed, int sign)
{
    add_unit(q, leaf, a, ADD_REQUESTED | ADD_ALLOCATED | (fixed ? ADD_FIXED : 0), sign);
}

void queues_add_fixed(struct queues *q, queue_id leaf, const struct policy_amounts *a, int sign)
{
    add_unit(q, leaf, a, ADD_FIXED, sign);
}

void queues_clear_accounts(struct queues *q)
{
    for (size_t id = 1; id < q->list.len; id++) {
        struct queue *x = queue_at(q, (queue_id)id);
        queue_settle(q, x);
        x->sums = (struct queue_sums){0};
        x->pub.allocated = x->pub.allocated_fixed = x->pub.requested = (struct policy_amounts){0};
    }
    queue_release_all(q);
    queue_mark_all(q);
}

void queues_set_total(struct queues *q, const struct policy_amounts *total)
{
    queue_settle_capacity(q);
    for (uint32_t s = 0; s < q->nslots; s++) {
        int64_t v = total->v[s] < 0 ? 0 : MIN(total->v[s], (int64_t)SHARE_AMOUNT_MAX);
        if (q->total.v[s] != v)
            queue_mark(q, QUEUE_NONE, 1u << s);
        q->total.v[s] = v;
    }
}

/* --- the division ---------------------------------------------------------------------------------------------------------------------------- */

/* What a queue can use.  Not simply what was asked for: where limits further down forbid to use it, it would be lost to others. */
static int64_t want_of(const struct queue *x, uint32_t slot)
{
    int64_t want = x->nchildren ? x->below_want[slot] : x->pub.requested.v[slot];
    return want < 0 ? 0 : MIN(want, x->pub.limit.v[slot]);
}

static int64_t want_below(const struct queues *q, const struct queue *p, uint32_t slot)
{
    sum_t want = p->sums.requested[slot];
    for (uint32_t i = 0; i < p->nchildren; i++) {
        const struct queue *x = queue_at(q, queue_child(q, p, i));
        want += want_of(x, slot) - x->sums.requested[slot];
    }
    return seen(want);
}

/* Along the marked paths, from the leaves up; returns the slots in which the queue can use more or less than before.  At most POLICY_DEPTH deep. */
static uint32_t refresh_wants(struct queues *q, queue_id id)
{
    struct queue *p = queue_at(q, id);
    if (!p->nchildren)
        return 0;
    for (uint32_t i = 0; i < p->nchildren; i++) {
        const struct queue *x = queue_at(q, queue_child(q, p, i));
        if (x->dirty | x->below)
            p->dirty |= refresh_wants(q, queue_child(q, p, i));
    }
    uint32_t changed = 0;
    for (uint32_t stale = id ? p->dirty : 0; stale; stale &= stale - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(stale);
        int64_t want = want_below(q, p, slot);
        changed |= want != p->below_want[slot] ? 1u << slot : 0;
        p->below_want[slot] = want;
    }
    return changed;
}

static void divide_among(struct queues *q, queue_id parent, uint32_t slot)
{
    const struct queue *p = queue_at(q, parent);
    struct share_claim *claims = q->claims.p;
    for (uint32_t i = 0; i < p->nchildren; i++) {
        const struct queue_state *x = &queue_at(q, queue_child(q, p, i))->pub;
        claims[i] = (struct share_claim){.want = want_of(queue_at(q, queue_child(q, p, i)), slot),
                                         .quota = x->quota.v[slot],
                                         .weight = x->weight[slot],
                                         .usage = x->usage[slot],
                                         .priority = x->priority};
    }
    int64_t step = queues_slot_is_gpu(q, slot) ? GPU_MILLI : 1;
    share_divide(parent ? p->pub.fair.v[slot] : q->total.v[slot], step, q->k, claims, p->nchildren, q->scratch.p);
    for (uint32_t i = 0; i < p->nchildren; i++) {
        struct queue *x = queue_at(q, queue_child(q, p, i));
        if (x->pub.fair.v[slot] != claims[i].fair) {
            x->pub.fair.v[slot] = claims[i].fair;
            x->dirty |= x->nchildren ? 1u << slot : 0;
        }
    }
}

/* At most POLICY_DEPTH deep. */
static void divide_below(struct queues *q, queue_id parent)
{
    struct queue *p = queue_at(q, parent);
    uint32_t stale = p->dirty;
    p->dirty = p->below = 0;
    if (!p->nchildren)
        return;
    for (; stale; stale &= stale - 1)
        divide_among(q, parent, (uint32_t)__builtin_ctz(stale));
    for (uint32_t i = 0; i < p->nchildren; i++) {
        queue_id id = queue_child(q, p, i);
        if (queue_at(q, id)->dirty | queue_at(q, id)->below)
            divide_below(q, id);
    }
}

void queues_divide(struct queues *q, double k)
{
    k = k > 0 ? k : 0;
    if (k != q->k)
        queue_mark_all(q);
    q->k = k;
    vec_reserve(&q->claims, q->order.len);
    vec_reserve(&q->scratch, q->order.len);
    if (!(queue_at(q, QUEUE_NONE)->dirty | queue_at(q, QUEUE_NONE)->below))
        return;
    refresh_wants(q, QUEUE_NONE);
    divide_below(q, QUEUE_NONE);
}
