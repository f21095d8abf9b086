/* victims.c - who may go, least loss first.
 *
 * Of a leaf's preemptible units: those without a broken disruption budget first, then by lower priority, surplus members before whole units, less work lost (since the start, or since a checkpoint that a pod tells of;
 * more by what a restart costs), later creation.  Of a unit's members those of lower rank first, then the later ones.
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
    int32_t x = class_of(s, a)->rank, y = class_of(s, b)->rank;
    if (x != y)
        return x < y ? -1 : 1;
    if (s->pods[a].created_ns != s->pods[b].created_ns)
        return s->pods[a].created_ns > s->pods[b].created_ns ? -1 : 1;
    return a > b ? -1 : a < b;
}

/* The pods that the unit can miss move to the front, those that go together beside each other; ret[i] is the part that pod i belongs to, 0: to none.  Returns how many parts there are. */
static uint32_t surplus_of(const struct policy *p, unit_id u, pod_id *pods, size_t n, uint32_t *ret)
{
    const struct unit *unit = &p->s->units[u];
    memset(ret, 0, n * sizeof *ret);
    if (!unit->is_group || p->units[u].min_state == MIN_BELOW)
        return 0;
    if (unit->nsubgroups == 0) {
        size_t least = (size_t)MAX(unit->min_member, 0);
        for (size_t i = 0; i + least < n; i++)
            ret[i] = (uint32_t)i + 1;
        return n > least ? (uint32_t)(n - least) : 0;
    }
    uint32_t parts = unit_surplus(p->s, u, pods, n, ret);
    size_t k = 0;
    for (uint32_t part = 1; part <= parts; part++)
        for (size_t i = k; i < n; i++)
            if (ret[i] == part) {
                pod_id one = pods[i];
                memmove(pods + k + 1, pods + k, (i - k) * sizeof *pods);
                memmove(ret + k + 1, ret + k, (i - k) * sizeof *ret);
                pods[k] = one;
                ret[k++] = part;
            }
    return parts;
}

size_t victims_in_order(const struct policy *p, unit_id u, pod_id *ret)
{
    const struct unit *unit = &p->s->units[u];
    size_t n = 0;
    for (size_t i = 0; i < unit->pods.len; i++)
        if (policy_runs(p->s->pods[unit->pods.p[i]].state))
            ret[n++] = unit->pods.p[i];
    if (n > 1)
        qsort_r(ret, n, sizeof *ret, later_first, (void *)p->s);
    return n;
}

static void add_unit(struct policy *p, unit_id u, queue_id leaf, struct lumps *to)
{
    const struct sched *s = p->s;
    const struct unit *unit = &s->units[u];
    const struct batch_unit *b = &p->units[u];
    size_t first = to->pods.len;
    bool never = false;
    vec_reserve(&to->pods, first + unit->pods.len);
    size_t n = victims_in_order(p, u, to->pods.p + first);
    for (size_t i = 0; i < n; i++)
        never |= class_of(s, to->pods.p[first + i])->never_victim;
    if (n == 0 || never)
        return;
    to->pods.len = first + n;
    struct lump l = {.unit = u, .leaf = leaf, .priority = unit->priority, .start_ns = b->start_ns, .since_ns = b->since_ns, .created_ns = unit->created_ns};
    vec_reserve(&p->parts, n);
    uint32_t parts = surplus_of(p, u, to->pods.p + first, n, p->parts.p);
    size_t at = 0;
    for (uint32_t part = 1; part <= parts; part++) {
        l.first = (uint32_t)(first + at);
        for (l.n = 0; at < n && p->parts.p[at] == part; at++)
            l.n++;
        vec_push(&to->list, l);
    }
    if (at == n || b->semi)
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
    if (a->since_ns != b->since_ns)
        return a->since_ns > b->since_ns ? -1 : 1;
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

uint32_t victims_with(struct policy *p, unit_id w, pod_id v, pod_id *ret)
{
    const struct sched *s = p->s;
    const struct unit *unit = &s->units[w];
    uint32_t n = 0, same = 0;
    if (!unit->is_group || p->units[w].min_state != MIN_ABOVE)
        return 0;
    n = (uint32_t)victims_in_order(p, w, ret);
    uint32_t at = 0;
    while (at < n && ret[at] != v)
        at++;
    if (!p->units[w].semi) { /* any of them may be the one that is missed; which ones are the core of a semi-preemptible unit is settled */
        memmove(ret + 1, ret, at * sizeof *ret);
        ret[0] = v;
        at = 0;
    }
    vec_reserve(&p->parts, n);
    unit_surplus(s, w, ret, n, p->parts.p);
    for (uint32_t i = 0; at < n && p->parts.p[at] && i < n; i++)
        if (p->parts.p[i] == p->parts.p[at])
            ret[same++] = ret[i];
    return same;
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
    if (p->any_protect) /* a look at each unit costs */
        min_runtime_ns = MAX(min_runtime_ns, p->s->units[l->unit].protect_ns);
    if (!l->core || min_runtime_ns <= 0 || p->now >= l->start_ns + min_runtime_ns)
        return false;
    p->expiry_ns = MIN(p->expiry_ns, l->start_ns + min_runtime_ns);
    return true;
}
