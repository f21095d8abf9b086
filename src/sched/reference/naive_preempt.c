/* naive_preempt.c - kube-scheduler's preemption for one pod, node after node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/reference/naive.h"

static bool more_important(const struct naive *w, size_t a, size_t b)
{
    const struct pod_spec *x = &w->pods.p[a].spec, *y = &w->pods.p[b].spec;
    if (x->priority != y->priority)
        return x->priority > y->priority;
    return x->started_ns < y->started_ns;
}

static void sort_by_importance(const struct naive *w, size_t *list, size_t n)
{
    for (size_t i = 1; i < n; i++)
        for (size_t k = i; k && more_important(w, list[k], list[k - 1]); k--) {
            size_t t = list[k];
            list[k] = list[k - 1];
            list[k - 1] = t;
        }
}

/* Would evicting these, in this order, break a budget?  Marks those that would. */
static void mark_violating(const struct naive *w, const size_t *list, size_t n, bool *violating)
{
    int32_t *allowed = xarray(w->pdbs.len + 1, int32_t);
    for (size_t b = 0; b < w->pdbs.len; b++)
        allowed[b] = w->pdbs.p[b].disruptions_allowed;
    for (size_t i = 0; i < n; i++) {
        const struct pod_spec *p = &w->pods.p[list[i]].spec;
        violating[i] = false;
        for (size_t b = 0; b < w->pdbs.len && !violating[i] && p->labels.n; b++) {
            const struct pdb_spec *pdb = &w->pdbs.p[b];
            if (str_eq(pdb->ns, p->ns) && pdb->selector.n && naive_selects(&pdb->selector, p->labels))
                violating[i] = --allowed[b] < 0;
        }
    }
    free(allowed);
}

static bool fits_now(const struct naive *w, size_t pod, int node)
{
    enum naive_verdict v;
    return naive_check(w, pod, node, &v) == NAIVE_RULES;
}

/* Off its node as far as everybody can see; its place is kept in `node`s and masks for coming back. */
static void hide(struct naive *w, size_t pod)
{
    w->pods.p[pod].state = NAIVE_PENDING;
}
static void show(struct naive *w, size_t pod)
{
    w->pods.p[pod].state = NAIVE_ON;
}

static struct naive_preemption victims_on(struct naive *w, size_t pod, int node)
{
    struct naive_preemption c = {.node = -1};
    size_t list[256], n = 0;
    bool violating[256];
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct naive_pod *x = &w->pods.p[i];
        if (x->node == node && x->state == NAIVE_ON && x->spec.priority < w->pods.p[pod].spec.priority && !x->spec.can_be_victim_never &&
            n < ARRAY_LEN(list))
            list[n++] = i;
    }
    for (size_t i = 0; i < n; i++)
        hide(w, list[i]);
    if (n && fits_now(w, pod, node)) {
        sort_by_importance(w, list, n);
        mark_violating(w, list, n, violating);
        c.node = node;
        for (int first = 1; first >= 0; first--)
            for (size_t i = 0; i < n; i++) {
                if (violating[i] != (first == 1))
                    continue;
                show(w, list[i]);
                if (fits_now(w, pod, node))
                    continue;
                hide(w, list[i]);
                c.victims[c.nvictims++] = list[i];
                c.violations += violating[i];
            }
        sort_by_importance(w, c.victims, c.nvictims);
    }
    for (size_t i = 0; i < n; i++)
        show(w, list[i]);
    return c;
}

/* <0: a is the lesser harm. */
static int compare(const struct naive *w, const struct naive_preemption *a, const struct naive_preemption *b)
{
    if (a->violations != b->violations)
        return a->violations < b->violations ? -1 : 1;
    const struct pod_spec *x = &w->pods.p[a->victims[0]].spec, *y = &w->pods.p[b->victims[0]].spec;
    if (x->priority != y->priority)
        return x->priority < y->priority ? -1 : 1;
    int64_t sum_a = 0, sum_b = 0;
    for (size_t i = 0; i < a->nvictims; i++)
        sum_a += w->pods.p[a->victims[i]].spec.priority + (1ll << 31);
    for (size_t i = 0; i < b->nvictims; i++)
        sum_b += w->pods.p[b->victims[i]].spec.priority + (1ll << 31);
    if (sum_a != sum_b)
        return sum_a < sum_b ? -1 : 1;
    if (a->nvictims != b->nvictims)
        return a->nvictims < b->nvictims ? -1 : 1;
    if (x->started_ns != y->started_ns) /* the first victim is the oldest of the highest priority */
        return x->started_ns > y->started_ns ? -1 : 1;
    str m = w->nodes.p[a->node].spec.name, n = w->nodes.p[b->node].spec.name;
    uint64_t hm = w->seed ? model_tie_hash(w->seed, m) : 0, hn = w->seed ? model_tie_hash(w->seed, n) : 0;
    if (hm != hn)
        return hm < hn ? -1 : 1;
    return str_cmp(m, n);
}

struct naive_preemption naive_preempt(struct naive *w, size_t pod)
{
    struct naive_preemption best = {.node = -1};
    if (!w->conf.preempt || w->pods.p[pod].spec.preempt_never)
        return best;
    for (size_t i = 0; i < w->nodes.len; i++) {
        enum naive_verdict v;
        if (!w->nodes.p[i].used || naive_check(w, pod, (int)i, &v) == NAIVE_RULES || v == NAIVE_UNRESOLVABLE)
            continue;
        struct naive_preemption c = victims_on(w, pod, (int)i);
        if (c.node >= 0 && c.nvictims && (best.node < 0 || compare(w, &c, &best) < 0))
            best = c;
    }
    return best;
}
