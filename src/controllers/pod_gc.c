/* pod_gc.c - pods that nobody else ends: of nodes that are gone, unbound ones that only wait for their end, and finished ones that nobody counts any more.
 *
 *   node gone for a while (QUARANTINE) ─► Failed, then deleted          terminating and never bound ─► deleted at once
 *   more than FINISHED_MAX finished pods without a Job's hold ─► the oldest go
 *
 * Keys: pods, "ns/name"; "*" looks at all of them.  A pod is read again before it is touched, and its node is asked for. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/workloads.h"

#define QUARANTINE_NS (40 * NSEC_PER_SEC)
#define FINISHED_MAX 12500
#define ALL_KEY "*"

struct run {
    str path, node;
    struct json pod;
};

static void ended(struct job *j)
{
    job_end_status(j);
}

static void delete_now(struct job *j)
{
    struct run *r = j->state;
    struct json options = delete_options(&j->arena, json_get_str(json_get(&r->pod, S("metadata")), S("uid")), S(""));
    json_set(&j->arena, &options, S("gracePeriodSeconds"), json_int(&j->arena, 0));
    job_call(j, S("DELETE"), r->path, &options, ended);
}

static void marked(struct job *j)
{
    if (job_ok(j))
        delete_now(j);
    else
        job_end_status(j);
}

/* Its containers cannot be asked: it has failed, and whoever made it replaces it. */
static void mark_failed(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    str phase = json_get_str(json_get(&r->pod, S("status")), S("phase"));
    if (str_is(phase, "Succeeded") || str_is(phase, "Failed")) {
        delete_now(j);
        return;
    }
    struct json obj = json_copy(a, &r->pod), patch = patch_of(a, &r->pod);
    condition_set(a, j->c->opts->clock, &obj, "DisruptionTarget", true, S("DeletionByPodGC"), S("PodGC: node no longer exists"));
    json_set(a, json_get(&obj, S("status")), S("phase"), json_string(S("Failed")));
    json_set(a, &patch, S("status"), *json_get(&obj, S("status")));
    job_call(j, S("PATCH"), arena_fmt(a, STR_FMT "/status", STR_ARG(r->path)), &patch, marked);
}

static void got_node(struct job *j)
{
    if (job_not_found(j))
        mark_failed(j);
    else
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
}

static void got_pod(struct job *j)
{
    struct run *r = j->state;
    struct workloads *all = workloads_of(j->c);
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->pod = j->answer;
    r->node = json_get_str(json_get(&r->pod, S("spec")), S("nodeName"));
    if (!r->node.len) {
        if (object_deleting(&r->pod))
            delete_now(j);
        else
            job_end(j, WORK_OK);
        return;
    }
    if (object_cache_find(&all->objects[WORKLOAD_NODE], r->node))
        job_end(j, WORK_OK);
    else
        job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/nodes/" STR_FMT, STR_ARG(r->node)), NULL, got_node);
}

/* --- finished pods ------------------------------------------------------------------------------------------------------------------------ */

static int older(const void *va, const void *vb)
{
    const struct pod_record *a = *(struct pod_record *const *)va, *b = *(struct pod_record *const *)vb;
    return a->created != b->created ? (a->created < b->created ? -1 : 1) : str_cmp(a->key, b->key);
}

struct trim {
    struct ops ops;
};

static void trimmed(struct job *j)
{
    struct trim *t = j->state;
    job_end(j, ops_failure(&t->ops) ? WORK_RETRY : WORK_OK);
}

static void trim_finished(struct job *j)
{
    struct workloads *all = workloads_of(j->c);
    struct trim *t = j->state = arena_new(&j->arena, struct trim);
    VEC(struct pod_record *) done = {0};
    map_foreach(e, &all->pods.pods_)
    {
        struct pod_record *p = e->value;
        if (pod_is_finished(p) && !pod_is_gone(p))
            vec_push(&done, p);
    }
    if (done.len > FINISHED_MAX)
        qsort(done.p, done.len, sizeof *done.p, older);
    for (size_t i = 0; i + FINISHED_MAX < done.len; i++)
        ops_add_delete(&j->arena, &t->ops, done.p[i]);
    vec_fini(&done);
    ops_run(j, &t->ops, trimmed);
}

static void reconcile(struct job *j)
{
    if (str_is(j->key, ALL_KEY)) {
        trim_finished(j);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    r->path = arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    job_call(j, S("GET"), r->path, NULL, got_pod);
}

/* --- events --------------------------------------------------------------------------------------------------------------------------------- */

struct gc_state {
    size_t finished;
};

static void look_at(struct controller *c, const struct pod_record *p)
{
    if (!p->node.len && p->deleting && !p->has_finalizers)
        workqueue_add(c->queue, p->key);
    else if (p->node.len && !object_cache_find(&workloads_of(c)->objects[WORKLOAD_NODE], p->node))
        workqueue_add_after(c->queue, p->key, QUARANTINE_NS); /* the node may be on its way */
}

static void on_synced(struct controller *c)
{
    map_foreach(e, &workloads_of(c)->pods.pods_) look_at(c, e->value);
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    struct gc_state *st = c->state;
    st->finished += (now && pod_is_finished(now)) - (was && pod_is_finished(was));
    if (st->finished > FINISHED_MAX + FINISHED_MAX / 10)
        workqueue_add(c->queue, S(ALL_KEY));
    if (now && workloads_of(c)->synced && !(was && str_eq(was->node, now->node) && was->deleting == now->deleting && was->has_finalizers == now->has_finalizers))
        look_at(c, now);
}

static void on_node(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    if (now)
        return;
    map_foreach(e, &workloads_of(c)->pods.pods_)
    {
        struct pod_record *p = e->value;
        if (str_eq(p->node, was->name))
            workqueue_add_after(c->queue, p->key, QUARANTINE_NS);
    }
}

static void init(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    c->state = xnew(struct gc_state);
    pod_cache_subscribe(&all->pods, on_pod, c);
    object_cache_subscribe(&all->objects[WORKLOAD_NODE], on_node, c);
    workloads_on_synced(c, on_synced);
}

static void fini(struct controller *c)
{
    free(c->state);
}

const struct controller_type controller_pod_gc = {.name = "pod-gc", .parallel = 8, .init = init, .fini = fini, .reconcile = reconcile};
