/* queues_state.h - the inside of queues.h, for queues*.c only.
 *
 *   list[0]            the place above the roots: its children are the roots, its share is the total
 *   list[id].up        where accounts go: the parent; 0 for roots and for lost queues
 *   children           ids of all live queues, siblings together; list[id].first_child, .nchildren point into it; siblings stand in the order that
 *                      share_divide wants: priority, age, name
 * A deleted queue whose units have not been taken off is `is_gone`: without name and share, but its accounts still flow up.  A queue of the same name takes its
 * id, and the accounts, over.
 * Dirty marks are masks of slots: `dirty` says that the division among the children is stale, `below` that one further down may be. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "sched/policy/queues.h"
#include "sched/policy/share.h"

/* What readers see of these is cut to SHARE_AMOUNT_MAX. */
struct queue_sums {
    sum_t allocated[POLICY_RES], fixed[POLICY_RES], requested[POLICY_RES];
};

struct queue {
    queue_id up;          /* see above */
    queue_id parent_id;   /* that the parent's name means now; 0: none, or a root */
    uint64_t parent_hash; /* of the name */
    uint32_t first_child, nchildren;
    uint32_t dirty, below;
    bool is_live, is_gone, is_reached;
    uint32_t named; /* slots that its spec names */
    char *name, *parent, *uid;
    nsec_t preempt_min_runtime_ns, reclaim_min_runtime_ns, max_runtime_ns;
    struct queue_state pub;
    struct queue_sums sums;
    int64_t below_want[POLICY_RES]; /* of a queue with children: what they can use within their limits, and units of its own; by the last division */
    double used[POLICY_RES]; /* decayed integral of allocated, until used_at */
    nsec_t used_at;
};

struct queues {
    VEC(struct queue) list;
    VEC(queue_id) free;
    VEC(queue_id) order; /* live, by priority, age, name */
    queue_id *children;
    size_t children_cap, children_len;
    uint32_t ngone, nhomeless; /* live ones whose parent is not there */
    struct map names;
    uint16_t slot_res[POLICY_RES];
    char *slot_name[POLICY_RES];
    uint32_t nslots;
    struct policy_amounts total;
    double k;
    VEC(struct share_claim) claims;
    VEC(uint64_t) scratch;
    VEC(queue_id) walk;

    /* history, see queues_usage.c */
    bool has_history, is_published;
    nsec_t now, published_at, half_life_ns, window_ns, capacity_at;
    double capacity[POLICY_RES];
    nsec_t since; /* of a window that begins anew; 0: it slides */

    nsec_t preempt_min_ns, reclaim_min_ns; /* where no queue says so */
    bool reclaim_by_leaf;
};

static inline struct queue *queue_at(const struct queues *q, queue_id id)
{
    return &q->list.p[id];
}
static inline bool queue_is(const struct queues *q, queue_id id)
{
    return id && id < q->list.len && (q->list.p[id].is_live || q->list.p[id].is_gone);
}
static inline queue_id queue_child(const struct queues *q, const struct queue *parent, uint32_t i)
{
    return q->children[parent->first_child + i];
}
static inline uint32_t queue_all_slots(const struct queues *q)
{
    return (1u << q->nslots) - 1;
}
/* A lost or deleted queue deserves nothing. */
static inline int64_t queue_quota(const struct queue *x, uint32_t slot)
{
    return x->is_gone || x->pub.is_lost ? 0 : x->pub.quota.v[slot];
}
/* What it may fill: its limit where its quota is unlimited, else the larger of quota and share within the limit. */
static inline int64_t queue_allocatable(const struct queue *x, uint32_t slot)
{
    if (x->is_gone || x->pub.is_lost)
        return 0;
    if (x->pub.quota.v[slot] == POLICY_UNLIMITED)
        return x->pub.limit.v[slot];
    return MIN(x->pub.limit.v[slot], MAX(x->pub.quota.v[slot], x->pub.fair.v[slot]));
}
/* Its share in the rules: never below its quota while it asks for it, even where the quotas are more than there is and `fair` had to be cut. */
static inline int64_t queue_share(const struct queue *x, uint32_t slot)
{
    int64_t may = MIN(queue_quota(x, slot), x->pub.limit.v[slot]), owed = MIN(may, x->pub.requested.v[slot]);
    return MAX(x->pub.fair.v[slot], owed);
}

/* queues.c */
void queue_release(struct queues *q, queue_id id); /* a deleted one whose units are all gone, and such ones above it */
void queue_release_all(struct queues *q);
/* queues_accounts.c */
void queue_mark(struct queues *q, queue_id parent, uint32_t slots); /* the division among its children is stale */
void queue_mark_all(struct queues *q);
void queue_detach(struct queues *q, queue_id id);                   /* takes its accounts off those above */
void queue_attach(struct queues *q, queue_id id, queue_id up);
/* queues_usage.c */
void queue_settle(struct queues *q, struct queue *x); /* charges what it held until now */
void queue_settle_capacity(struct queues *q);
