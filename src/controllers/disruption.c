/* disruption.c - PodDisruptionBudgets: status says how many pods may be evicted now.
 *
 *   pods of the budget ─► their owners' scale (caches; for kinds that we do not know, their scale subresource) ─► plan ─► status
 *
 * The eviction subresource spends what status allows, in the transaction that deletes the pod; this writes status only on the revision that it has seen, so neither overwrites the other. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/disruption_plan.h"
#include "controllers/workloads.h"

#define PASS_SHORT_NS (2 * NSEC_PER_MSEC)
#define PASS_SHARE 20 /* a run makes two passes */
#define PASS_WAIT_MAX_NS (5 * NSEC_PER_SEC)

struct budgets {
    struct object_cache cache;
    nsec_t pass_ns; /* what looking for a budget's pods took lately, as in services.h */
};

struct owner {
    str kind, name, uid;
    int64_t replicas;
    bool known, asked;
};

struct run {
    struct workloads *all;
    struct json pdb;
    str ns, path, trouble;
    struct selector selector;
    struct owner *owners;
    size_t nowners, cap;
    nsec_t next;
};

static void resolve(struct job *j);

/* --- which pods ----------------------------------------------------------------------------------------------------------------------- */

static bool selects(const struct json *pdb, const struct selector *sel, const struct pod_record *p, struct arena *a)
{
    const struct json *expressions = json_path(pdb, "spec", "selector", "matchExpressions", NULL);
    if (sel->nothing || !pod_has_labels(p, json_path(pdb, "spec", "selector", "matchLabels", NULL)))
        return false;
    if (!json_is(expressions, JSON_ARRAY) || !expressions->len)
        return true; /* so are most, and no tree of the labels is needed */
    struct json labels = pod_labels(p, a);
    return selector_match_labels(sel, &labels);
}

static struct pod_record **find_pods(struct job *j, struct run *r, size_t *ret_n)
{
    ARENA_AUTO scratch = ARENA_INIT;
    struct budgets *b = j->c->state;
    nsec_t began = clock_mono(j->c->opts->clock);
    VEC(struct pod_record *) found = {0};
    pod_cache_foreach_namespace(p, pod_cache_namespace(&r->all->pods, r->ns))
    {
        if (selects(&r->pdb, &r->selector, p, &scratch))
            vec_push(&found, p);
        arena_reset(&scratch);
    }
    struct pod_record **out = arena_array(&j->arena, found.len + 1, struct pod_record *);
    if (found.len)
        memcpy(out, found.p, found.len * sizeof *out);
    *ret_n = found.len;
    vec_fini(&found);
    b->pass_ns = MAX(clock_mono(j->c->opts->clock) - began, b->pass_ns - b->pass_ns / 8);
    return out;
}

/* --- what their owners want -------------------------------------------------------------------------------------------------------------- */

static void add_owner(struct arena *a, struct run *r, struct owner o)
{
    for (size_t i = 0; i < r->nowners; i++)
        if (str_eq(r->owners[i].uid, o.uid))
            return;
    if (r->nowners == r->cap) {
        size_t cap = r->cap ? r->cap * 2 : 8;
        r->owners = arena_grow(a, r->owners, r->cap * sizeof *r->owners, cap * sizeof *r->owners);
        r->cap = cap;
    }
    r->owners[r->nowners++] = (struct owner){arena_str(a, o.kind), arena_str(a, o.name), arena_str(a, o.uid), o.replicas, o.known, o.asked};
}

static int64_t replicas_of(struct object *o)
{
    return json_get_int(json_get(object_tree(o), S("spec")), S("replicas"), 1);
}

/* From the caches; a ReplicaSet of a Deployment counts as the Deployment. */
static void note_owner(struct arena *a, struct run *r, const struct pod_record *p)
{
    static const enum workload_kind scaled[] = {WORKLOAD_REPLICASET, WORKLOAD_RC, WORKLOAD_STATEFULSET, WORKLOAD_DEPLOYMENT};
    struct owner o = {.kind = p->owner_kind, .name = p->owner_name, .uid = p->owner_uid};
    for (size_t i = 0; i < ARRAY_LEN(scaled); i++) {
        struct object *found = object_cache_find_uid(&r->all->objects[scaled[i]], o.uid), *parent;
        if (!found)
            continue;
        parent = found->owner_uid.len ? object_cache_find_uid(&r->all->objects[WORKLOAD_DEPLOYMENT], found->owner_uid) : NULL;
        found = parent ? parent : found;
        add_owner(a, r, (struct owner){.name = found->name, .uid = found->uid, .replicas = replicas_of(found), .known = true});
        return;
    }
    add_owner(a, r, o);
}

static void got_scale(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->nowners; i++) {
        struct owner *o = &r->owners[i];
        if (!o->asked || o->known)
            continue;
        if (!job_ok(j) && j->status != 404) {
            job_end(j, WORK_RETRY);
            return;
        }
        o->known = job_ok(j) && str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), o->uid);
        o->replicas = json_get_int(json_get(&j->answer, S("spec")), S("replicas"), 0);
        if (!o->known)
            r->trouble = arena_fmt(&j->arena, STR_FMT " \"" STR_FMT "\", which owns pods of this budget, does not say how many it wants: it has no scale subresource, or is gone",
                                   STR_ARG(o->kind), STR_ARG(o->name));
        break;
    }
    resolve(j);
}

static void ask_scale(struct job *j)
{
    struct run *r = j->state;
    struct resource_set *set = job_resources(j);
    if (!set) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (size_t i = 0; i < r->nowners; i++) {
        struct owner *o = &r->owners[i];
        if (o->known)
            continue;
        o->asked = true;
        for (size_t k = 0; k < set->len; k++) {
            const struct resource *res = &set->items[k];
            if (!res->preferred || !res->namespaced || !str_eq(res->kind, o->kind))
                continue;
            job_call(j, S("GET"), arena_cat(&j->arena, resource_path(&j->arena, res, r->ns, o->name), S("/scale")), NULL, got_scale);
            return;
        }
        r->trouble = arena_fmt(&j->arena, "nothing is known about kind " STR_FMT ", which owns pods of this budget", STR_ARG(o->kind));
        break;
    }
    resolve(j);
}

/* --- status ------------------------------------------------------------------------------------------------------------------------------------- */

static void written(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j))
        job_end_status(j);
    else if (r->next)
        job_end_after(j, r->next);
    else
        job_end(j, WORK_OK);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    size_t n;
    int64_t scale = 0;
    struct pod_record **pods = find_pods(j, r, &n);
    for (size_t i = 0; i < r->nowners; i++)
        scale += r->owners[i].replicas;
    struct disruption d = disruption_plan_make(a, &r->pdb, pods, n, scale, r->trouble, clock_wall(j->c->opts->clock));
    r->next = d.next ? d.next : r->trouble.len ? 30 * NSEC_PER_SEC : 0;
    if (json_equal(&d.status, json_get(&r->pdb, S("status")))) {
        j->status = 200;
        written(j);
        return;
    }
    json_set(a, &r->pdb, S("status"), d.status);
    job_call(j, S("PUT"), arena_cat(a, r->path, S("/status")), &r->pdb, written);
}

static void resolve(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->nowners && !r->trouble.len; i++) {
        if (r->owners[i].known)
            continue;
        if (job_resources(j))
            ask_scale(j);
        else
            job_discover(j, ask_scale);
        return;
    }
    write_status(j);
}

static void reconcile(struct job *j)
{
    struct budgets *b = j->c->state;
    struct run *r = j->state = arena_new(&j->arena, struct run);
    struct arena *a = &j->arena;
    struct object *o = object_cache_find(&b->cache, j->key);
    r->all = workloads_of(j->c);
    if (!o || !r->all->synced) {
        job_end(j, WORK_OK);
        return;
    }
    r->pdb = object_read(a, o);
    r->ns = arena_str(a, o->ns);
    r->path = arena_fmt(a, "/apis/policy/v1/namespaces/" STR_FMT "/poddisruptionbudgets/" STR_FMT, STR_ARG(o->ns), STR_ARG(o->name));
    if (object_deleting(&r->pdb) || selector_from_label_selector(a, json_path(&r->pdb, "spec", "selector", NULL), &r->selector, &(struct err){0}) < 0) {
        job_end(j, WORK_OK);
        return;
    }
    size_t n;
    struct pod_record **pods = find_pods(j, r, &n);
    for (size_t i = 0; disruption_needs_scale(&r->pdb) && i < n; i++)
        if (pods[i]->owner_uid.len)
            note_owner(a, r, pods[i]);
    resolve(j);
}

/* --- events ---------------------------------------------------------------------------------------------------------------------------------- */

static void on_budget(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    if (workloads_of(c)->synced)
        workqueue_add(c->queue, now ? now->key : was->key);
}

static bool looks_same(const struct pod_record *a, const struct pod_record *b)
{
    return str_eq(a->uid, b->uid) && str_eq(a->labels, b->labels) && str_eq(a->owner_uid, b->owner_uid) && a->ready == b->ready && a->deleting == b->deleting;
}

static void queue_of_pod(struct controller *c, const struct pod_record *p)
{
    struct budgets *b = c->state;
    nsec_t wait = b->pass_ns > PASS_SHORT_NS ? MIN(b->pass_ns * PASS_SHARE, PASS_WAIT_MAX_NS) : 0;
    ARENA_AUTO a = ARENA_INIT;
    object_foreach_namespace(o, object_cache_namespace(&b->cache, p ? p->ns : S("")))
    {
        struct selector sel;
        bool is = selector_from_label_selector(&a, json_path(object_tree(o), "spec", "selector", NULL), &sel, &(struct err){0}) == 0 && selects(object_tree(o), &sel, p, &a);
        if (is && wait)
            workqueue_add_after(c->queue, o->key, wait);
        else if (is)
            workqueue_add(c->queue, o->key);
        arena_reset(&a);
    }
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    if (!workloads_of(c)->synced || (was && now && looks_same(was, now)))
        return;
    if (now)
        queue_of_pod(c, now);
    if (was && !(now && str_eq(was->labels, now->labels)))
        queue_of_pod(c, was);
}

/* A workload that wants another number of pods. */
static void on_workload(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct budgets *b = c->state;
    if (!workloads_of(c)->synced || (was && now && replicas_of((struct object *)was) == replicas_of((struct object *)now)))
        return;
    object_foreach_namespace(o, object_cache_namespace(&b->cache, now ? now->ns : was->ns)) workqueue_add(c->queue, o->key);
}

static void queue_all(struct controller *c)
{
    struct budgets *b = c->state;
    map_foreach(e, &b->cache.objects_) workqueue_add(c->queue, e->key);
}

static void on_begin(struct controller *c, const struct resource *r UNUSED)
{
    object_cache_list_begin(&((struct budgets *)c->state)->cache);
}

static void on_event(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    const struct json *meta = informer_event_meta(ev);
    if (meta)
        object_cache_saw(&((struct budgets *)c->state)->cache, ev->object, meta, ev->change == INFORMER_DELETED);
}

static void on_listed(struct controller *c, const struct resource *r UNUSED)
{
    object_cache_list_end(&((struct budgets *)c->state)->cache);
}

static void init(struct controller *c)
{
    static const enum workload_kind scaled[] = {WORKLOAD_REPLICASET, WORKLOAD_RC, WORKLOAD_STATEFULSET, WORKLOAD_DEPLOYMENT};
    struct budgets *b = c->state = xnew(struct budgets);
    struct workloads *w = workloads_of(c);
    object_cache_init(&b->cache);
    object_cache_subscribe(&b->cache, on_budget, c);
    pod_cache_subscribe(&w->pods, on_pod, c);
    for (size_t i = 0; i < ARRAY_LEN(scaled); i++)
        object_cache_subscribe(&w->objects[scaled[i]], on_workload, c);
    workloads_on_synced(c, queue_all);
}

static void fini(struct controller *c)
{
    struct budgets *b = c->state;
    object_cache_fini(&b->cache);
    free(b);
}

const struct controller_type controller_disruption = {
    .name = "disruption",
    .parallel = 8,
    .watches = {{.group = "policy", .plural = "poddisruptionbudgets", .begin = on_begin, .event = on_event, .synced = on_listed}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
