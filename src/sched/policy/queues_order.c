/* queues_order.c - whose turn it is.
 *
 * Every rule compares a number that each queue has by itself, so the order is a total one and a heap may rely on it.  Where KAI's rules are not of that kind
 * (a vector smaller in all resources) the resources are compared one after the other, GPUs first. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/queues_state.h"

struct standing {
    bool is_over, is_within_quota, has_no_right;
    double share_then, share_now;
};

/* As a part of what it may fill; of the total where that has no bound; where it is nothing, beyond all others. */
static double share_of(const struct queues *q, const struct queue *x, uint32_t slot, int64_t amount)
{
    int64_t may = queue_allocatable(x, slot);
    if (may == POLICY_UNLIMITED)
        may = q->total.v[slot];
    return may > 0 ? (double)amount / (double)may : (double)amount * 1000;
}

static struct standing standing_of(const struct queues *q, queue_id id, const struct policy_amounts *ask)
{
    const struct queue *x = queue_at(q, id);
    struct standing st = {.is_within_quota = true};
    bool holds = false, all_over = true;
    for (uint32_t s = 0; s < q->nslots; s++) {
        int64_t more = ask ? MIN(ask->v[s], (int64_t)SHARE_AMOUNT_MAX) : 0;
        int64_t now = x->pub.allocated.v[s] + MIN(more, (int64_t)0), then = now + MAX(more, (int64_t)0);
        if (now > 0) {
            holds = true;
            all_over &= queue_share(x, s) < now;
        }
        st.is_within_quota &= then <= queue_quota(x, s);
        st.has_no_right |= then > 0 && queue_allocatable(x, s) == 0;
        st.share_now = MAX(st.share_now, share_of(q, x, s, now));
        st.share_then = MAX(st.share_then, share_of(q, x, s, then));
    }
    st.is_over = holds && all_over;
    return st;
}

static int compare_allocatable(const struct queues *q, const struct queue *a, const struct queue *b)
{
    int gpu = queues_slot(q, RES_GPU);
    for (int s = -1; s < (int)q->nslots; s++) {
        uint32_t slot = s < 0 ? (uint32_t)gpu : (uint32_t)s;
        int64_t x = queue_allocatable(a, slot), y = queue_allocatable(b, slot);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

#define FIRST_IF(a_first, b_first)                                                                                                                   \
    do {                                                                                                                                             \
        if ((a_first) != (b_first))                                                                                                                  \
            return (a_first) ? -1 : 1;                                                                                                               \
    } while (0)

int queues_compare(const struct queues *q, queue_id a, const struct policy_amounts *ask_a, queue_id b, const struct policy_amounts *ask_b)
{
    const struct queue *x = queue_at(q, a), *y = queue_at(q, b);
    struct standing l = standing_of(q, a, ask_a), r = standing_of(q, b, ask_b);
    FIRST_IF(!l.is_over, !r.is_over);
    FIRST_IF(l.is_within_quota, r.is_within_quota);
    FIRST_IF(x->pub.priority > y->pub.priority, y->pub.priority > x->pub.priority);
    FIRST_IF(!l.has_no_right, !r.has_no_right);
    FIRST_IF(l.share_then < r.share_then, r.share_then < l.share_then);
    FIRST_IF(l.share_now < r.share_now, r.share_now < l.share_now);
    int smaller = compare_allocatable(q, x, y);
    if (smaller)
        return smaller;
    FIRST_IF(x->pub.created_ns < y->pub.created_ns, y->pub.created_ns < x->pub.created_ns);
    return str_cmp(x->pub.name, y->pub.name);
}

static uint32_t steps_up(const struct queues *q, queue_id id)
{
    uint32_t n = 0;
    for (; id; id = queue_at(q, id)->up)
        n++;
    return n;
}

void queues_siblings(const struct queues *q, queue_id a, queue_id b, queue_id *ret_a, queue_id *ret_b)
{
    uint32_t na = steps_up(q, a), nb = steps_up(q, b);
    for (; na > nb; na--)
        a = queue_at(q, a)->up;
    for (; nb > na; nb--)
        b = queue_at(q, b)->up;
    while (a != b && queue_at(q, a)->up != queue_at(q, b)->up) {
        a = queue_at(q, a)->up;
        b = queue_at(q, b)->up;
    }
    *ret_a = a;
    *ret_b = b;
}
