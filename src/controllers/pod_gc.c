/* pod_gc.c - pods that nobody else ends: of nodes that are gone, unbound ones that only wait for their end, and finished ones that nobody counts any more.
 *
 *   node gone for a while (quarantine) ─► key ">node" ─► its pods are Failed, then deleted          terminating and never bound ─► deleted at once
 *   terminating on a node that is switched off (taint out-of-service) ─► Failed, then deleted
 *   more than `finished_pods` finished pods ─► key "*" ─► the oldest go
 *
 * A key ">node" comes back as long as pods are bound to a node that is not there, so a pod whose binding arrives late, or whose deletion failed, is met again.  Nodes and pods are asked for
 * before anything is touched. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_gc_plan.h"
#include "controllers/workloads.h"

#define QUARANTINE_NS (40 * NSEC_PER_SEC)
#define FINISHED_MAX 12500
#define AGAIN_NS (20 * NSEC_PER_SEC)
#define BURST 200 /* pods of one node in one run */
#define ALL_KEY "*"

struct pod_gc {
    size_t finished;
    nsec_t quarantine;
    size_t finished_max;
};

struct run {
    struct workloads *all;
    str node;
    bool whole_node; /* which is gone; else one pod */
    struct pod_run {
        str ns, name, uid;
    } *pods;
    size_t npods, at;
    bool more, failed;
    /* the pod being looked at */
    str path;
    struct json pod;
    struct ops ops;
};

static void next_pod(struct job *j);

/* --- one pod ---------------------------------------------------------------------------------------------------------------------------- */

static void pod_ended(struct job *j)
{
    struct run *r = j->state;
    r->failed |= !job_ok(j) && !job_not_found(j);
    r->at++;
    next_pod(j);
}

static void delete_now(struct job *j)
{
    struct run *r = j->state;
    struct json options = delete_options(&j->arena, json_get_str(json_get(&r->pod, S("metadata")), S("uid")), S(""));
    json_set(&j->arena, &options, S("gracePeriodSeconds"), json_int(&j->arena, 0));
    job_call(j, S("DELETE"), r->path, &options, pod_ended);
}

static void marked(struct job *j)
{
    if (job_ok(j))
        delete_now(j);
    else
        pod_ended(j);
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
    if (r->whole_node)
        condition_set(a, j->c->opts->clock, &obj, "DisruptionTarget", true, S("DeletionByPodGC"), S("PodGC: node no longer exists"));
    json_set(a, json_get(&obj, S("status")), S("phase"), json_string(S("Failed")));
    json_set(a, &patch, S("status"), *json_get(&obj, S("status")));
    job_call(j, S("PATCH"), arena_cat(a, r->path, S("/status")), &patch, marked);
}

static void got_pod(struct job *j)
{
    struct run *r = j->state;
    const struct pod_run *p = &r->pods[r->at];
    r->pod = j->answer;
    const struct json *meta = json_get(&r->pod, S("metadata"));
    str node = json_get_str(json_get(&r->pod, S("spec")), S("nodeName"));
    if (!job_ok(j) || !str_eq(json_get_str(meta, S("uid")), p->uid) || !str_eq(node, r->node)) {
        pod_ended(j);
        return;
    }
    if (node.len && (r->whole_node || object_deleting(&r->pod)))
        mark_failed(j);
    else if (object_deleting(&r->pod))
        delete_now(j);
    else
        pod_ended(j);
}

/* --- all pods of a run ------------------------------------------------------------------------------------------------------------------ */

static void next_pod(struct job *j)
{
    struct run *r = j->state;
    if (r->at == r->npods) {
        if (r->failed)
            job_end(j, WORK_RETRY);
        else if (r->whole_node)
            job_end_after(j, r->more ? 0 : AGAIN_NS); /* until the cache shows none of them */
        else
            job_end(j, WORK_OK);
        return;
    }
    const struct pod_run *p = &r->pods[r->at];
    r->path = arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name));
    job_call(j, S("GET"), r->path, NULL, got_pod);
}

static void add_pod(struct arena *a, struct run *r, const struct pod_record *p)
{
    r->pods[r->npods++] = (struct pod_run){arena_str(a, p->ns), arena_str(a, p->name), arena_str(a, p->uid)};
}

static void got_node(struct job *j)
{
    struct run *r = j->state;
    if (!job_not_found(j)) {
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
        return;
    }
    r->pods = arena_array(&j->arena, BURST, struct pod_run);
    pod_cache_foreach_node(p, pod_cache_node(&r->all->pods, r->node))
    {
        r->more = r->npods == BURST;
        if (r->more)
            break;
        add_pod(&j->arena, r, p);
    }
    if (r->npods)
        next_pod(j);
    else
        job_end(j, WORK_OK);
}

static void look_at_node(struct job *j)
{
    struct run *r = j->state;
    r->node = str_from(j->key, 1);
    r->whole_node = true;
    if (object_cache_find(&r->all->objects[WORKLOAD_NODE], r->node))
        job_end(j, WORK_OK);
    else
        job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/nodes/" STR_FMT, STR_ARG(r->node)), NULL, got_node);
}

static bool is_abandoned(struct workloads *all, const struct pod_record *p)
{
    struct object *node = p->deleting && p->node.len ? object_cache_find(&all->objects[WORKLOAD_NODE], p->node) : NULL;
    return node && pod_gc_is_switched_off(object_tree(node));
}

static void look_at_pod(struct job *j)
{
    struct run *r = j->state;
    const struct pod_record *p = pod_cache_find(&r->all->pods, j->key);
    if (!p || (!pod_gc_is_stranded(p) && !is_abandoned(r->all, p))) {
        job_end(j, WORK_OK);
        return;
    }
    r->node = arena_str(&j->arena, p->node);
    r->pods = arena_array(&j->arena, 1, struct pod_run);
    add_pod(&j->arena, r, p);
    next_pod(j);
}

/* --- finished pods ------------------------------------------------------------------------------------------------------------------------ */

static void trimmed(struct job *j)
{
    struct run *r = j->state;
    job_end(j, ops_failure(&r->ops) ? WORK_RETRY : WORK_OK);
}

static void trim_finished(struct job *j)
{
    struct run *r = j->state;
    const struct pod_gc *gc = j->c->state;
    VEC(struct pod_record *) done = {0};
    map_foreach(e, &r->all->pods.pods_)
    {
        struct pod_record *p = e->value;
        if (pod_is_finished(p) && !pod_is_gone(p))
            vec_push(&done, p);
    }
    size_t n = pod_gc_excess(done.p, done.len, gc->finished_max);
    for (size_t i = 0; i < n; i++)
        ops_add_delete(&j->arena, &r->ops, done.p[i]);
    vec_fini(&done);
    ops_run(j, &r->ops, trimmed);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->all = workloads_of(j->c);
    if (str_is(j->key, ALL_KEY))
        trim_finished(j);
    else if (str_has_prefix(j->key, S(">")))
        look_at_node(j);
    else
        look_at_pod(j);
}

/* --- events --------------------------------------------------------------------------------------------------------------------------------- */

static void doubt_node(struct controller *c, str node)
{
    const struct pod_gc *gc = c->state;
    ARENA_AUTO a = ARENA_INIT;
    workqueue_add_after(c->queue, arena_cat(&a, S(">"), node), gc->quarantine);
}

static void look_at(struct controller *c, const struct pod_record *p)
{
    if (pod_gc_is_stranded(p) || is_abandoned(workloads_of(c), p))
        workqueue_add(c->queue, p->key);
    else if (p->node.len && !object_cache_find(&workloads_of(c)->objects[WORKLOAD_NODE], p->node))
        doubt_node(c, p->node); /* it may be on its way */
}

static void check_finished(struct controller *c)
{
    const struct pod_gc *gc = c->state;
    if (gc->finished > gc->finished_max)
        workqueue_add_after(c->queue, S(ALL_KEY), NSEC_PER_SEC); /* they end in crowds */
}

static void on_synced(struct controller *c)
{
    map_foreach(e, &workloads_of(c)->pods.pods_) look_at(c, e->value);
    check_finished(c);
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    struct pod_gc *gc = c->state;
    bool finished_now = now && pod_is_finished(now), finished_before = was && pod_is_finished(was);
    gc->finished = gc->finished + finished_now - finished_before;
    if (!now || !workloads_of(c)->synced)
        return;
    if (finished_now && !finished_before)
        check_finished(c);
    if (!(was && str_eq(was->node, now->node) && was->deleting == now->deleting && was->has_finalizers == now->has_finalizers))
        look_at(c, now);
}

static void on_node(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    if (!now) {
        doubt_node(c, was->name);
        return;
    }
    if (!all->synced || !pod_gc_is_switched_off(object_tree((struct object *)now)))
        return;
    pod_cache_foreach_node(p, pod_cache_node(&all->pods, now->name))
    {
        if (p->deleting)
            workqueue_add(c->queue, p->key);
    }
}

static void init(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    struct pod_gc *gc = c->state = xnew(struct pod_gc);
    gc->quarantine = c->opts->pod_gc_quarantine_ns ? c->opts->pod_gc_quarantine_ns : QUARANTINE_NS;
    gc->finished_max = c->opts->finished_pods ? c->opts->finished_pods : FINISHED_MAX;
    pod_cache_subscribe(&all->pods, on_pod, c);
    object_cache_subscribe(&all->objects[WORKLOAD_NODE], on_node, c);
    workloads_on_synced(c, on_synced);
}

static void fini(struct controller *c)
{
    free(c->state);
}

const struct controller_type controller_pod_gc = {.name = "pod-gc", .parallel = 8, .init = init, .fini = fini, .reconcile = reconcile};
