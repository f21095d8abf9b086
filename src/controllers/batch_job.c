/* batch_job.c - Jobs: pods until enough of them have succeeded.  The decisions are batch_job_plan's; this carries them out in an order that loses no count:
 *
 *   pods that must go: finalizer off unless they count as failed, then delete ─► status (uids of finished pods) ─► finalizers off ─► new pods
 *
 * Keys: "ns/name" of a Job, or "pod:ns/name" of a pod whose Job is gone and that only our finalizer still holds. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/batch_job_plan.h"
#include "controllers/events.h"
#include "controllers/workloads.h"

struct run {
    struct workload w; /* first: the claim hands it back */
    struct job_plan plan;
    struct ops first, deletes, releases, creates;
};

/* --- finalizers ------------------------------------------------------------------------------------------------------------------------ */

static void add_release(struct arena *a, struct ops *o, const struct pod_record *p)
{
    struct json body = json_object(), *meta = json_ensure_object(a, &body, S("metadata")), gone = json_array();
    str uid = arena_str(a, p->uid);
    if (!p->tracked)
        return;
    json_push(a, &gone, json_string(S(JOB_FINALIZER)));
    json_set(a, meta, S("uid"), json_string(uid));
    json_set(a, meta, S("$deleteFromPrimitiveList/finalizers"), gone);
    ops_add(a, o, (struct op){.type = OP_POD_PATCH, .method = S("PATCH"), .content_type = S("application/strategic-merge-patch+json"), .body = body, .key = arena_str(a, p->key), .uid = uid,
                              .path = arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name))});
}

/* --- new pods ---------------------------------------------------------------------------------------------------------------------------- */

static void add_index(struct arena *a, struct json *pod, const struct job_create *c, str name)
{
    struct json *meta = json_get(pod, S("metadata")), *spec = json_get(pod, S("spec")), *list;
    str index = arena_fmt(a, "%lld", (long long)c->index);
    json_set(a, json_ensure_object(a, meta, S("annotations")), S(JOB_INDEX_NOTE), json_string(index));
    json_set(a, json_ensure_object(a, meta, S("labels")), S(JOB_INDEX_NOTE), json_string(index));
    if (c->failures >= 0)
        json_set(a, json_get(meta, S("annotations")), S(JOB_FAILURES_NOTE), json_string(arena_fmt(a, "%lld", (long long)c->failures)));
    json_set(a, spec, S("hostname"), json_string(arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(name), STR_ARG(index))));
    static const str lists[] = {STR_INIT("initContainers"), STR_INIT("containers")};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        list = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            struct json *env = json_get(&list->items[i], S("env"));
            if (!json_is(env, JSON_ARRAY))
                env = json_set(a, &list->items[i], S("env"), json_array());
            json_push(a, env, json_literal(a, "{\"name\":\"JOB_COMPLETION_INDEX\",\"valueFrom\":{\"fieldRef\":{\"fieldPath\":\"metadata.labels['" JOB_INDEX_NOTE "']\"}}}"));
        }
    }
}

static struct json make_pod(struct job *j, struct run *r, const struct job_create *c)
{
    struct arena *a = &j->arena;
    str name = c->index >= 0 ? arena_fmt(a, STR_FMT "-%lld-", STR_ARG(r->w.name), (long long)c->index) : arena_cat(a, r->w.name, S("-"));
    struct json pod = workload_pod(a, &r->w, json_get(r->w.spec, S("template")), name, true), *meta = json_get(&pod, S("metadata"));
    struct json *finalizers = json_get(meta, S("finalizers"));
    if (!json_is(finalizers, JSON_ARRAY))
        finalizers = json_set(a, meta, S("finalizers"), json_array());
    json_push(a, finalizers, json_string(S(JOB_FINALIZER)));
    if (c->index >= 0)
        add_index(a, &pod, c, r->w.name);
    return pod;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------------------- */

static void created(struct job *j)
{
    struct run *r = j->state;
    workload_pod_events(j, &r->w, &r->deletes);
    workload_pod_events(j, &r->w, &r->creates);
    if (ops_failure(&r->first) || ops_failure(&r->deletes) || ops_failure(&r->releases) || ops_failure(&r->creates))
        job_end(j, WORK_RETRY);
    else if (r->plan.after)
        job_end_after(j, r->plan.after);
    else
        job_end(j, WORK_OK);
}

static void released(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->plan.ncreates; i++)
        ops_add_create(&j->arena, &r->creates, &r->w, make_pod(j, r, &r->plan.creates[i]));
    ops_run(j, &r->creates, created);
}

static const struct json *condition_of(const struct json *status, str type)
{
    const struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

/* What a condition that has just turned says to people. */
static void tell_conditions(struct job *j, struct run *r)
{
    const struct json *list = json_get(&r->plan.status, S("conditions")), *old = json_get(&r->w.obj, S("status"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *c = &list->items[i], *before = condition_of(old, json_get_str(c, S("type")));
        str type = json_get_str(c, S("type")), reason = json_get_str(c, S("reason"));
        bool on = str_is(json_get_str(c, S("status")), "True"), was = str_is(json_get_str(before, S("status")), "True");
        if (on == was)
            continue;
        if (str_is(type, "Complete"))
            workload_event(j, &r->w, EVENT_NORMAL, "Completed", "Job completed");
        else if (str_is(type, "Failed"))
            workload_event(j, &r->w, EVENT_WARNING, reason.len ? arena_cstr(&j->arena, reason) : "Failed", STR_FMT, STR_ARG(json_get_str(c, S("message"))));
        else if (str_is(type, "Suspended"))
            workload_event(j, &r->w, EVENT_NORMAL, on ? "Suspended" : "Resumed", on ? "Job suspended" : "Job resumed");
    }
}

static void told(struct job *j)
{
    struct run *r = j->state;
    if (job_ok(j))
        tell_conditions(j, r);
    if (job_ok(j))
        ops_run(j, &r->releases, released);
    else
        job_end(j, job_not_found(j) ? WORK_OK : WORK_RETRY);
}

static void deleted(struct job *j)
{
    struct run *r = j->state;
    workload_status(j, &r->w, &r->plan.status, told);
}

static void unhooked(struct job *j)
{
    struct run *r = j->state;
    ops_run(j, &r->deletes, deleted);
}

static void manage(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct list *owned = pod_cache_owned(&r->w.all->pods, r->w.uid);
    size_t n = 0;
    pod_cache_foreach(q, owned) n += q != NULL;
    struct pod_record **pods = arena_array(a, n + 1, struct pod_record *);
    n = 0;
    pod_cache_foreach(p, owned) pods[n++] = p;
    if (object_deleting(&r->w.obj)) { /* its pods go, too, and nobody counts them */
        for (size_t i = 0; i < n; i++)
            add_release(a, &r->releases, pods[i]);
        ops_run(j, &r->releases, created);
        return;
    }
    batch_job_plan(a, &r->w.obj, pods, n, r->w.now, &r->plan);
    for (size_t i = 0; i < r->plan.ndeletes; i++) {
        if (!r->plan.deletes_count)
            add_release(a, &r->first, r->plan.deletes[i]);
        ops_add_delete(a, &r->deletes, r->plan.deletes[i]);
    }
    for (size_t i = 0; i < r->plan.nreleases; i++)
        add_release(a, &r->releases, r->plan.releases[i]);
    ops_run(j, &r->first, unhooked);
}

static void pod_released(struct job *j)
{
    struct ops *o = j->state;
    job_end(j, ops_failure(o) ? WORK_RETRY : WORK_OK);
}

static void reconcile(struct job *j)
{
    if (str_has_prefix(j->key, S("pod:"))) {
        struct workloads *all = workloads_of(j->c);
        struct pod_record *p = pod_cache_find(&all->pods, str_from(j->key, 4));
        struct ops *o = j->state = arena_new(&j->arena, struct ops);
        if (p && p->tracked && !object_cache_find_uid(&all->objects[WORKLOAD_JOB], p->owner_uid))
            add_release(&j->arena, o, p);
        ops_run(j, o, pod_released);
        return;
    }
    struct run *r = arena_new(&j->arena, struct run);
    if (!workload_begin(j, &r->w, WORKLOAD_JOB))
        return;
    if (batch_job_is_ours(&r->w.obj))
        workload_claim(j, &r->w, manage);
    else
        job_end(j, WORK_OK);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------- */

static void queue_stray(struct controller *c, const struct pod_record *p)
{
    ARENA_AUTO a = ARENA_INIT;
    workqueue_add(c->queue, arena_cat(&a, S("pod:"), p->key));
}

static void on_pod(void *arg, const struct pod_record *was UNUSED, const struct pod_record *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    if (all->synced && now && now->tracked && !object_cache_find_uid(&all->objects[WORKLOAD_JOB], now->owner_uid))
        queue_stray(c, now);
}

static void on_job(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    if (now)
        return;
    pod_cache_foreach(p, pod_cache_owned(&all->pods, was->uid))
    {
        if (p->tracked)
            queue_stray(c, p);
    }
}

/* Jobs that went while nobody watched. */
static void on_synced(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    map_foreach(e, &all->pods.pods_) on_pod(c, NULL, e->value);
}

static void init(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    workloads_join(c, WORKLOAD_JOB);
    object_cache_subscribe(&all->objects[WORKLOAD_JOB], on_job, c);
    pod_cache_subscribe(&all->pods, on_pod, c);
    workloads_on_synced(c, on_synced);
}

const struct controller_type controller_batch_job = {.name = "job", .parallel = 16, .init = init, .reconcile = reconcile};
