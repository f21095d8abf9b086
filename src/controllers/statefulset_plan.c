/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/statefulset_plan.h"

struct walk {
    const struct stateful_opts *o;
    struct stateful_plan *plan;
    struct pod_record **wanted;    /* by ordinal - start, NULL: none */
    struct pod_record **condemned; /* highest ordinal first */
    size_t ncondemned;
};

int64_t statefulset_ordinal(str set, str pod)
{
    int64_t n;
    bool ours = pod.len > set.len + 1 && str_has_prefix(pod, set) && pod.p[set.len] == '-' && pod.p[set.len + 1] != '-' && pod.p[set.len + 1] != '+';
    return ours && str_to_i64(str_from(pod, set.len + 1), &n) ? n : -1;
}

static str revision_of(const struct pod_record *p, struct arena *a)
{
    struct json labels = pod_labels(p, a);
    return json_get_str(&labels, S("controller-revision-hash"));
}

static bool is_well(const struct walk *w, const struct pod_record *p)
{
    nsec_t left = 0;
    bool yes = p && pod_is_active(p) && p->phase == POD_RUNNING && pod_is_available(p, w->o->min_ready, w->o->now, &left);
    if (left && (!w->plan->after || left < w->plan->after))
        w->plan->after = left;
    return yes;
}

static void remove_pod(struct walk *w, struct pod_record *p)
{
    w->plan->deletes[w->plan->ndeletes++] = p;
}

/* Its name is free when it is gone. */
static void replace_finished(struct walk *w, struct pod_record *p)
{
    nsec_t left = p->created ? MIN(p->created + STATEFUL_MIN_AGE_NS - w->o->now, (nsec_t)STATEFUL_MIN_AGE_NS) : 0;
    if (left <= 0)
        remove_pod(w, p);
    else if (!w->plan->after || left < w->plan->after)
        w->plan->after = left;
}

static void make(struct walk *w, int64_t i)
{
    const struct stateful_opts *o = w->o;
    bool keeps_current = !str_eq(o->current, o->update) && !o->on_delete && i < o->partition;
    w->plan->creates[w->plan->ncreates++] = (struct stateful_create){o->start + i, !keeps_current};
}

static int by_ordinal_down(const void *va, const void *vb)
{
    const struct pod_record *a = *(struct pod_record *const *)va, *b = *(struct pod_record *const *)vb;
    if (a->name.len != b->name.len)
        return a->name.len > b->name.len ? -1 : 1;
    return -str_cmp(a->name, b->name);
}

static void sort_out(struct walk *w, struct arena *a, struct pod_record *const *pods, size_t n)
{
    const struct stateful_opts *o = w->o;
    for (size_t i = 0; i < n; i++) {
        struct pod_record *p = pods[i];
        int64_t ordinal = statefulset_ordinal(o->name, p->name);
        if (ordinal < 0)
            continue;
        if (ordinal >= o->start && ordinal < o->start + o->replicas)
            w->wanted[ordinal - o->start] = p;
        else
            w->condemned[w->ncondemned++] = p;
        if (pod_is_gone(p) && pod_is_finished(p))
            continue;
        str revision = revision_of(p, a);
        w->plan->replicas++;
        w->plan->ready += pod_is_active(p) && p->ready;
        w->plan->available += is_well(w, p);
        w->plan->current += !pod_is_gone(p) && str_eq(revision, o->current);
        w->plan->updated += !pod_is_gone(p) && str_eq(revision, o->update);
    }
    qsort(w->condemned, w->ncondemned, sizeof *w->condemned, by_ordinal_down);
}

/* False: something must happen before the next step. */
static bool fill(struct walk *w)
{
    bool well = true;
    for (int64_t i = 0; i < w->o->replicas; i++) {
        struct pod_record *p = w->wanted[i];
        if (!p)
            make(w, i);
        else if (!pod_is_gone(p) && pod_is_finished(p))
            replace_finished(w, p);
        if (is_well(w, p))
            continue;
        well = false;
        if (!w->o->parallel)
            return false;
    }
    return well || w->o->parallel;
}

static bool shrink(struct walk *w)
{
    for (size_t i = 0; i < w->ncondemned; i++) {
        if (!pod_is_gone(w->condemned[i]))
            remove_pod(w, w->condemned[i]);
        if (!w->o->parallel)
            return false;
    }
    return !w->ncondemned;
}

static bool is_old(const struct walk *w, const struct pod_record *p, struct arena *a)
{
    return p && !pod_is_gone(p) && !str_eq(revision_of(p, a), w->o->update);
}

/* A pod that is not well takes its part of max_unavailable already, so replacing it costs nothing. */
static void replace(struct walk *w, struct arena *a)
{
    const struct stateful_opts *o = w->o;
    int64_t room = o->max_unavailable;
    for (int64_t i = o->partition; !o->on_delete && i < o->replicas; i++)
        room -= !is_well(w, w->wanted[i]);
    for (int64_t i = o->replicas - 1; !o->on_delete && i >= o->partition && (int64_t)w->plan->ndeletes < o->max_unavailable; i--) {
        struct pod_record *p = w->wanted[i];
        if (is_old(w, p, a) && (!is_well(w, p) || room-- > 0))
            remove_pod(w, p);
    }
}

/* A broken template must not keep its own repair from being rolled out: pods of an old revision that are not well are replaced although others are not well, too. */
static void replace_broken(struct walk *w, struct arena *a)
{
    const struct stateful_opts *o = w->o;
    for (int64_t i = o->replicas - 1; o->parallel && !o->on_delete && i >= o->partition; i--) {
        struct pod_record *p = w->wanted[i];
        if (is_old(w, p, a) && pod_is_active(p) && !is_well(w, p)) {
            remove_pod(w, p);
            return;
        }
    }
}

void statefulset_plan(struct arena *a, struct pod_record *const *pods, size_t n, const struct stateful_opts *o, struct stateful_plan *ret)
{
    size_t replicas = (size_t)MAX(o->replicas, (int64_t)0);
    BUG_ON(replicas >= SIZE_MAX / 64 || n >= SIZE_MAX / 64);
    *ret = (struct stateful_plan){.creates = arena_array(a, replicas + 1, struct stateful_create), .deletes = arena_array(a, 2 * n + 2, struct pod_record *)};
    struct walk w = {.o = o, .plan = ret, .wanted = arena_array(a, replicas + 1, struct pod_record *), .condemned = arena_array(a, n + 1, struct pod_record *)};
    sort_out(&w, a, pods, n);
    bool filled = fill(&w);
    if (filled && shrink(&w) && !ret->ncreates && !ret->ndeletes)
        replace(&w, a);
    else if (!ret->ndeletes)
        replace_broken(&w, a);
    ret->complete = !w.ncondemned && ret->updated == o->replicas && ret->ready == o->replicas && ret->replicas == o->replicas;
}
