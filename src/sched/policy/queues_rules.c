/* queues_rules.c - what a unit may do: start, take from others, and how long it is safe.  All of them look at the path from the leaf to the root. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/queues_state.h"

static void blame(struct queue_blame *ret, queue_id id, uint32_t slot, int64_t have, int64_t ask, int64_t may)
{
    if (ret)
        *ret = (struct queue_blame){.queue = id, .slot = slot, .have = have, .ask = ask, .may = may};
}

/* Would `have` and `ask` be more than `may`?  Nothing is asked for: no. */
static bool passes(int64_t have, int64_t ask, int64_t may)
{
    return ask > 0 && may != POLICY_UNLIMITED && have > may - ask;
}

/* The same of a queue as a whole: what it holds counts, too, where nothing is asked for. */
static bool is_beyond(int64_t have, int64_t ask, int64_t may)
{
    return may != POLICY_UNLIMITED && have > may - MAX(ask, (int64_t)0);
}

static bool is_over_limit(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, struct queue_blame *ret_blame)
{
    for (queue_id id = leaf; id; id = queue_at(q, id)->up) {
        const struct queue_state *x = &queue_at(q, id)->pub;
        for (uint32_t s = 0; s < q->nslots; s++)
            if (passes(x->allocated.v[s], ask->v[s], x->limit.v[s])) {
                blame(ret_blame, id, s, x->allocated.v[s], ask->v[s], x->limit.v[s]);
                return true;
            }
    }
    return false;
}

static bool is_fixed_over_quota(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, struct queue_blame *ret_blame)
{
    for (queue_id id = leaf; id; id = queue_at(q, id)->up) {
        const struct queue_state *x = &queue_at(q, id)->pub;
        for (uint32_t s = 0; s < q->nslots; s++)
            if (passes(x->allocated_fixed.v[s], ask->v[s], x->quota.v[s])) {
                blame(ret_blame, id, s, x->allocated_fixed.v[s], ask->v[s], x->quota.v[s]);
                return true;
            }
    }
    return false;
}

static enum queue_verdict usable(const struct queues *q, queue_id leaf)
{
    if (!queues_get(q, leaf))
        return QUEUE_MISSING;
    const struct queue_state *x = &queue_at(q, leaf)->pub;
    return x->is_lost ? QUEUE_LOST : x->is_leaf ? QUEUE_OK : QUEUE_NOT_LEAF;
}

enum queue_verdict queues_may_start(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, bool fixed,
                                    struct queue_blame *ret_blame)
{
    enum queue_verdict v = usable(q, leaf);
    if (v != QUEUE_OK) {
        blame(ret_blame, leaf, 0, 0, 0, 0);
        return v;
    }
    if (is_over_limit(q, leaf, ask, ret_blame))
        return QUEUE_OVER_LIMIT;
    return fixed && is_fixed_over_quota(q, leaf, ask, ret_blame) ? QUEUE_FIXED_OVER_QUOTA : QUEUE_OK;
}

bool queues_may_reclaim(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, bool fixed)
{
    if (usable(q, leaf) != QUEUE_OK)
        return false;
    const struct queue *x = queue_at(q, leaf);
    for (uint32_t s = 0; s < q->nslots; s++)
        if (is_beyond(x->pub.allocated.v[s], ask->v[s], queue_share(x, s)))
            return false;
    return !fixed || !is_fixed_over_quota(q, leaf, ask, NULL);
}

/* --- taking from others -------------------------------------------------------------------------------------------------------------------- */

static int64_t left_after(const struct queues *q, queue_id id, uint32_t slot, const struct policy_amounts *taken)
{
    return queue_at(q, id)->pub.allocated.v[slot] - (taken ? taken[id].v[slot] : 0);
}

bool queues_may_take(const struct queues *q, queue_id reclaimer, const struct policy_amounts *ask, queue_id victim, const struct policy_amounts *taken)
{
    if (usable(q, reclaimer) != QUEUE_OK || !queue_is(q, victim) || reclaimer == victim)
        return false;
    queue_id mine, other;
    queues_siblings(q, reclaimer, victim, &mine, &other);
    if (mine == other)
        return false; /* one is above the other: nothing would change hands */
    const struct queue *a = queue_at(q, mine), *b = queue_at(q, other);
    bool above_share = false, above_quota = false, within_quota = true;
    for (uint32_t s = 0; s < q->nslots; s++) {
        int64_t left = left_after(q, other, s, taken);
        above_share |= left > queue_allocatable(b, s);
        above_quota |= left > queue_quota(b, s);
        within_quota &= !is_beyond(left_after(q, mine, s, taken), ask->v[s], queue_quota(a, s));
    }
    return above_share || (within_quota && above_quota);
}

void queues_take_add(const struct queues *q, queue_id victim, const struct policy_amounts *lump, int sign, struct policy_amounts *taken)
{
    for (queue_id id = queue_is(q, victim) ? victim : QUEUE_NONE; id; id = queue_at(q, id)->up)
        for (uint32_t s = 0; s < q->nslots; s++)
            if (__builtin_add_overflow(taken[id].v[s], sign * lump->v[s], &taken[id].v[s]))
                taken[id].v[s] = sign > 0 ? INT64_MAX : INT64_MIN;
}

static bool was_taken_from(const struct queues *q, queue_id id, const struct policy_amounts *taken)
{
    for (uint32_t s = 0; s < q->nslots; s++)
        if (taken[id].v[s] > 0)
            return true;
    return false;
}

/* How full a share is; nothing of nothing is not full, something of nothing is fuller than all. */
static double saturation(int64_t amount, int64_t fair)
{
    return amount <= 0 ? 0 : fair <= 0 ? 1.0 / 0.0 : (double)amount / (double)fair;
}

static bool is_fair_to(const struct queues *q, queue_id mine, queue_id sibling, const struct policy_amounts *ask, const struct policy_amounts *taken,
                       double multiplier)
{
    for (uint32_t s = 0; s < q->nslots; s++) {
        int64_t theirs = queue_share(queue_at(q, sibling), s);
        if ((ask->v[s] <= 0 && taken[sibling].v[s] <= 0) || theirs <= 0)
            continue; /* it plays no part, or they have no claim to it at all */
        double me = saturation(left_after(q, mine, s, taken) + MIN(MAX(ask->v[s], (int64_t)0), (int64_t)SHARE_AMOUNT_MAX), queue_share(queue_at(q, mine), s));
        if (me > 1 && me * multiplier >= saturation(left_after(q, sibling, s, taken), theirs))
            return false;
    }
    return true;
}

bool queues_take_is_fair(const struct queues *q, queue_id reclaimer, const struct policy_amounts *ask, bool fixed, const struct policy_amounts *taken,
                         double multiplier)
{
    if (usable(q, reclaimer) != QUEUE_OK || (fixed && is_fixed_over_quota(q, reclaimer, ask, NULL)))
        return false;
    for (queue_id id = reclaimer; id && taken; id = queue_at(q, id)->up) {
        const struct queue *p = queue_at(q, queue_at(q, id)->up);
        for (uint32_t i = 0; i < p->nchildren; i++) {
            queue_id sibling = queue_child(q, p, i);
            if (sibling != id && was_taken_from(q, sibling, taken) && !is_fair_to(q, id, sibling, ask, taken, multiplier))
                return false;
        }
    }
    return true;
}

/* --- run times --------------------------------------------------------------------------------------------------------------------------------- */

nsec_t queues_preempt_min_runtime(const struct queues *q, queue_id victim)
{
    for (queue_id id = queue_is(q, victim) ? victim : QUEUE_NONE; id; id = queue_at(q, id)->up)
        if (queue_at(q, id)->preempt_min_runtime_ns >= 0)
            return queue_at(q, id)->preempt_min_runtime_ns;
    return q->preempt_min_ns;
}

nsec_t queues_reclaim_min_runtime(const struct queues *q, queue_id reclaimer, queue_id victim)
{
    if (!queue_is(q, victim))
        return 0;
    queue_id mine, other = victim;
    if (!q->reclaim_by_leaf && queue_is(q, reclaimer) && reclaimer != victim)
        queues_siblings(q, reclaimer, victim, &mine, &other);
    for (queue_id id = other; id; id = queue_at(q, id)->up)
        if (queue_at(q, id)->reclaim_min_runtime_ns >= 0)
            return queue_at(q, id)->reclaim_min_runtime_ns;
    return q->reclaim_min_ns;
}

void queues_set_min_runtimes(struct queues *q, nsec_t preempt_ns, nsec_t reclaim_ns, bool by_leaf)
{
    q->preempt_min_ns = preempt_ns;
    q->reclaim_min_ns = reclaim_ns;
    q->reclaim_by_leaf = by_leaf;
}

nsec_t queues_max_runtime(const struct queues *q, queue_id leaf)
{
    for (queue_id id = queue_is(q, leaf) ? leaf : QUEUE_NONE; id; id = queue_at(q, id)->up)
        if (queue_at(q, id)->max_runtime_ns > 0)
            return queue_at(q, id)->max_runtime_ns;
    return 0;
}
