/* victims.c - who may go, least loss first.
 *
 * Of a leaf's preemptible units: those without a broken disruption budget first, then by lower priority, surplus members before whole units, later start, later creation.
 *     elastic gang (min 2, prio 50): a b c d       lumps: d, c (surplus, one by one), later {a b c d} as a whole: what is still there of it
 * The list of a leaf is kept until something of it starts or ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"
#include "sched/engine/pdbs.h"
#include "sched/engine/unit.h"

static int later_first(const void *pa, const void *pb, void *arg)
{
    const struct sched *s = arg;
    pod_id a = *(const pod_id *)pa, b = *(const pod_id *)pb;
    if (s->pods[a].created_ns != s->pods[b].created_ns)
        return s->pods[a].created_ns > s->pods[b].created_ns ? -1 : 1;
    return a > b ? -1 : a < b;
}

/* How many of the pods, from the front, the unit can lose one by one and still be what it must be. */
static size_t surplus_of(const struct policy *p, unit_id u, pod_id *pods, size_t n)
{
    const struct unit *unit = &p->s->units[u];
    if (!unit->is_group || p->units[u].min_state == MIN_BELOW)
        return 0;
    if (unit->nsubgroups == 0)
        return n > (size_t)MAX(unit->min_member, 0) ? n - (size_t)MAX(unit->min_member, 0) : 0;
    /* those that can be missed move to the front */
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        pod_id one = pods[i];
        memmove(pods + k + 1, pods + k, (i - k) * sizeof *pods);
        pods[k] = one;
        if (unit_holds_without(p->s, u, pods, k + 1)) {
            k++;
        } else {
            memmove(pods + k, pods + k + 1, (i - k) * sizeof *pods);
            pods[i] = one;
        }
    }
    return k;
}

static void add_unit(struct policy *p, unit_id u, queue_id leaf, struct lumps *to)
{
    const struct sched *s = p->s;
    const struct unit *unit = &s->units[u];
    const struct batch_unit *b = &p->units[u];
    size_t first = to->pods.len;
    bool never = false;
    for (size_t i = 0; i < unit->pods.len; i++)
        if (policy_runs(s->pods[unit->pods.p[i]].state)) {
            never |= class_of(s, unit->pods.p[i])->never_victim;
            vec_push(&to->pods, unit->pods.p[i]);
        }
    size_t n = to->pods.len - first;
    if (n == 0 || never) {
        to->pods.len = first;
        return;
    }
    if (n > 1)
        qsort_r(to->pods.p + first, n, sizeof(pod_id), later_first, (void *)s);
    size_t surplus = surplus_of(p, u, to->pods.p + first, n);
    struct lump l = {.unit = u, .leaf = leaf, .priority = unit->priority, .start_ns = b->start_ns, .created_ns = unit->created_ns, .n = 1};
    for (size_t i = 0; i < surplus; i++) {
        l.first = (uint32_t)(first + i);
        vec_push(&to->list, l);
    }
    if (surplus == n)
        return;
    l.core = true;
    l.first = (uint32_t)first;
    l.n = (uint32_t)n;
    vec_push(&to->list, l);
}

static int least_loss(const void *pa, const void *pb)
{
    const struct lump *a = pa, *b = pb;
    if (a->breaks_budget != b->breaks_budget)
        return a->breaks_budget ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->core != b->core)
        return a->core ? 1 : -1;
    if (a->start_ns != b->start_ns)
        return a->start_ns > b->start_ns ? -1 : 1;
    if (a->created_ns != b->created_ns)
        return a->created_ns > b->created_ns ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit > b->unit ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

static int id_cmp(const void *pa, const void *pb)
{
    pod_id a = *(const pod_id *)pa, b = *(const pod_id *)pb;
    return a < b ? -1 : a > b;
}

/* Budgets are counted down in the order in which the lumps would go. */
static void mark_budgets(struct policy *p, struct lumps *x)
{
    VEC(pod_id) order = {0};
    for (size_t i = 0; i < x->list.len; i++)
        for (uint32_t k = 0; k < x->list.p[i].n; k++)
            vec_push(&order, x->pods.p[x->list.p[i].first + k]);
    size_t bad = pdbs_split(p->s, order.p, order.len);
    qsort(order.p, bad, sizeof(pod_id), id_cmp);
    for (size_t i = 0; i < x->list.len && bad; i++)
        for (uint32_t k = 0; k < x->list.p[i].n; k++)
            x->list.p[i].breaks_budget |= bsearch(&x->pods.p[x->list.p[i].first + k], order.p, bad, sizeof(pod_id), id_cmp) != NULL;
    vec_fini(&order);
    qsort(x->list.p, x->list.len, sizeof *x->list.p, least_loss);
}

struct lumps *victims_of_leaf(struct policy *p, queue_id leaf)
{
    struct branch_queue *q = &p->tree[leaf];
    uint64_t version = q->running_version * 2 + 1;
    bool budgets = pdbs_any(p->s);
    if (q->lumps_version == version && !budgets)
        return &q->lumps;
    vec_clear(&q->lumps.list);
    vec_clear(&q->lumps.pods);
    for (size_t i = 0; i < q->running.len; i++)
        add_unit(p, q->running.p[i], leaf, &q->lumps);
    if (q->lumps.list.len > 1)
        qsort(q->lumps.list.p, q->lumps.list.len, sizeof *q->lumps.list.p, least_loss);
    if (budgets)
        mark_budgets(p, &q->lumps);
    q->lumps_version = version;
    return &q->lumps;
}

bool victims_is_protected(struct policy *p, const struct lump *l, nsec_t min_runtime_ns)
{
    if (!l->core || min_runtime_ns <= 0 || p->now >= l->start_ns + min_runtime_ns)
        return false;
    p->expiry_ns = MIN(p->expiry_ns, l->start_ns + min_runtime_ns);
    return true;
}
