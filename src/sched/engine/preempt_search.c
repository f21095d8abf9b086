/* preempt_search.c - one node: who would have to go?
 *
 * kube-scheduler's way: everybody of lower priority goes; if the pod fits then, they come back one by one, the ones under a violated
 * budget first and in each part the most important first, and stay if the pod still fits.
 *     node: 4 cpu, pods a (prio 5, 2 cpu), b (prio 3, 1 cpu), c (prio 3, 1 cpu, older than b); wanted: 2 cpu
 *     all go: 4 free.  a back: 2 free, stays.  c back: 1 free, goes.  b back: 1 free, goes.   victims: c, b
 * Pods that are terminating are as good as gone, and room of nominated pods of lower priority is there for the taking.
 * Where only resources are missing that is arithmetic; else the pods really leave the model and come back, with the real filters in between. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pdbs.h"
#include "sched/engine/place.h"
#include "sched/engine/preempt_state.h"
#include "sched/plugins/resources.h"

bool preempt_may_evict(const struct sched *s, const struct pod_class *c, pod_id v)
{
    const struct pod *pod = &s->pods[v];
    const struct pod_class *vc = s->classes[pod->class_];
    return (pod->state == PS_ASSUMED || pod->state == PS_BOUND) && vc->priority < c->priority && !vc->never_victim;
}

/* A pod without a start time has only just started. */
static nsec_t start_of(const struct pod *p)
{
    return p->started_ns ? p->started_ns : INT64_MAX;
}

/* Higher priority, then the one that runs for longer; ids make it a total order. */
static int importance_cmp(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;
    if (a->priority != b->priority)
        return a->priority > b->priority ? -1 : 1;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->pod < b->pod ? -1 : a->pod > b->pod;
}

/* Fills victims (who may be evicted, most important first) and others (who goes at no cost). */
static void collect(const struct sched *s, const struct pod_class *c, node_id n)
{
    struct preempt_state *x = s->preempt;
    vec_clear(&x->victims);
    vec_clear(&x->others);
    for (pod_id id = s->nodes[n].first_pod; id; id = s->pods[id].next_on_node) {
        const struct pod *p = &s->pods[id];
        int32_t priority = s->classes[p->class_]->priority;
        struct victim v = {id, priority, start_of(p), p->state, p->numa_zones, p->gpu_mask, false, false};
        if (p->state == PS_TERMINATING || (p->state == PS_NOMINATED && priority < c->priority))
            vec_push(&x->others, v);
        else if (preempt_may_evict(s, c, id))
            vec_push(&x->victims, v);
    }
    if (x->victims.len > 1)
        qsort(x->victims.p, x->victims.len, sizeof *x->victims.p, importance_cmp);
}

static void mark_violating(const struct sched *s)
{
    struct preempt_state *x = s->preempt;
    if (!pdbs_any(s))
        return;
    vec_clear(&x->ids);
    for (size_t i = 0; i < x->victims.len; i++)
        vec_push(&x->ids, x->victims.p[i].pod);
    size_t n = pdbs_split(s, x->ids.p, x->ids.len), at = 0;
    /* both parts kept the order, so one walk finds them */
    for (size_t i = 0; i < x->victims.len && at < n; i++)
        if (x->victims.p[i].pod == x->ids.p[at]) {
            x->victims.p[i].violating = true;
            at++;
        }
}

static struct candidate_key key_of(const struct preempt_state *x)
{
    struct candidate_key k = {.highest = INT64_MIN, .start = INT64_MAX};
    for (size_t i = 0; i < x->victims.len; i++) {
        const struct victim *v = &x->victims.p[i];
        if (v->stays)
            continue;
        if (!k.count++) {
            k.highest = v->priority;
            k.start = v->start;
        }
        k.violations += v->violating;
        k.sum += (int64_t)v->priority + (1ll << 31);
    }
    return k;
}

/* --- by arithmetic --------------------------------------------------------------------------------------------------------------- */
static void add_amounts(const struct sched *s, const struct preempt_how *how, pod_id p, int64_t *room)
{
    const struct pod_class *c = class_of(s, p);
    for (uint32_t k = 0; k < how->nneed; k++)
        room[k] += class_request(c, how->need[k].id);
}

/* Lets v come back if that leaves enough. */
static bool comes_back(const struct sched *s, const struct preempt_how *how, pod_id v, int64_t *room)
{
    const struct pod_class *c = class_of(s, v);
    int64_t left[RES_MAX];
    for (uint32_t k = 0; k < how->nneed; k++) {
        left[k] = room[k] - class_request(c, how->need[k].id);
        if (left[k] < how->need[k].amount)
            return false;
    }
    memcpy(room, left, how->nneed * sizeof *room);
    return true;
}

static enum candidate_kind search_simple(struct sched *s, const struct preempt_how *how, node_id n)
{
    struct preempt_state *x = s->preempt;
    int64_t room[RES_MAX];
    for (uint32_t k = 0; k < how->nneed; k++)
        room[k] = view_free(&s->view, n, how->need[k].id);
    for (size_t i = 0; i < x->others.len; i++)
        add_amounts(s, how, x->others.p[i].pod, room);
    for (size_t i = 0; i < x->victims.len; i++)
        add_amounts(s, how, x->victims.p[i].pod, room);
    for (uint32_t k = 0; k < how->nneed; k++)
        if (room[k] < how->need[k].amount)
            return CAND_NO;
    mark_violating(s);
    for (int violating = 1; violating >= 0; violating--)
        for (size_t i = 0; i < x->victims.len; i++) {
            struct victim *v = &x->victims.p[i];
            if (v->violating == violating)
                v->stays = comes_back(s, how, v->pod, room);
        }
    return CAND_EXACT;
}

/* --- with the real filters ----------------------------------------------------------------------------------------------------------- */
static bool is_unresolvable(const struct sched *s, const struct pod_class *c, int plugin, node_id n)
{
    const struct profile_plugin *pp = &s->table->plugins[plugin];
    if (pp->plugin->filter_scope == PLUG_STATIC)
        return true;
    struct plug_reason why[16];
    size_t nwhy = pp->plugin->explain ? pp->plugin->explain(&s->view, c, pp->args, n, why, ARRAY_LEN(why)) : 0;
    for (size_t i = 0; i < nwhy; i++)
        if (why[i].unresolvable)
            return true;
    return false;
}

/* Pods leave and come back as a rollback would do it: nothing to log, since in the end nothing changed. */
static void restore(struct sched *s, const struct victim *v, node_id n)
{
    model_redo_assign(s, v->pod, n, v->state, v->gpu_mask, v->numa_zones);
}

static enum candidate_kind search_real(struct sched *s, const struct pod_class *c, node_id n)
{
    struct preempt_state *x = s->preempt;
    int by = place_rejected_by(s, c->id, n);
    if (by < 0) {
        vec_clear(&x->victims);
        return CAND_EXACT;
    }
    if (is_unresolvable(s, c, by, n))
        return CAND_UNRESOLVABLE;
    mark_violating(s);
    for (size_t i = 0; i < x->others.len; i++)
        model_undo_assign(s, x->others.p[i].pod);
    for (size_t i = 0; i < x->victims.len; i++)
        model_undo_assign(s, x->victims.p[i].pod);
    bool fits = place_fits(s, c->id, n);
    for (int violating = 1; violating >= 0 && fits; violating--)
        for (size_t i = 0; i < x->victims.len; i++) {
            struct victim *v = &x->victims.p[i];
            if (v->violating != violating)
                continue;
            restore(s, v, n);
            v->stays = place_fits(s, c->id, n);
            if (!v->stays)
                model_undo_assign(s, v->pod);
        }
    for (size_t i = 0; i < x->victims.len; i++)
        if (!x->victims.p[i].stays)
            restore(s, &x->victims.p[i], n);
    for (size_t i = 0; i < x->others.len; i++)
        restore(s, &x->others.p[i], n);
    return fits ? CAND_EXACT : CAND_NO;
}

enum candidate_kind preempt_search(struct sched *s, const struct pod_class *c, const struct preempt_how *how, node_id n, struct candidate_key *ret)
{
    collect(s, c, n);
    /* what the other filters allow now they will allow then: resources are all that is left to decide */
    bool simple = how->simple || (how->monotone && preempt_filters_fit(s, c, how->other_filters, n));
    enum candidate_kind kind = simple ? search_simple(s, how, n) : search_real(s, c, n);
    if (kind == CAND_EXACT)
        *ret = key_of(s->preempt);
    return kind;
}
