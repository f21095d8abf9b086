/* taint_eviction.c - pods on nodes with NoExecute taints go, at once or when their toleration is over.
 *
 * When that is follows from the taint's timeAdded and the pod's tolerations, so nothing is remembered: a controller that starts again comes to the same time.
 * Keys are pods; one waits only while its node has such a taint. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "controllers/events.h"
#include "controllers/node_lifecycle.h"
#include "controllers/node_match.h"
#include "controllers/workloads.h"

struct run {
    str path, uid;
    struct event_ref ref;
};

static void ended(struct job *j)
{
    struct run *r = j->state;
    if (job_ok(j)) {
        pod_cache_doom(&workloads_of(j->c)->pods, j->key, r->uid);
        controller_event(j->c, "taint-eviction-controller", &r->ref, EVENT_NORMAL, "TaintManagerEviction", "Marking for deletion Pod " STR_FMT, STR_ARG(j->key));
    }
    job_end_status(j);
}

static void marked(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    struct json options = delete_options(&j->arena, r->uid, S(""));
    job_call(j, S("DELETE"), r->path, &options, ended);
}

/* The pod's status says why it goes, before it goes. */
static void evict(struct job *j, const struct json *pod)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json copy = json_copy(a, pod), patch = patch_of(a, pod);
    condition_set(a, j->c->opts->clock, &copy, "DisruptionTarget", true, S("DeletionByTaintManager"), S("Taint manager: deleting due to NoExecute taint"));
    json_set(a, json_ensure_object(a, &patch, S("status")), S("conditions"), *json_path(&copy, "status", "conditions", NULL));
    log_info("a pod is driven out by its node's taint", KV("pod", STR_FMT, STR_ARG(j->key)), KV("node", STR_FMT, STR_ARG(json_get_str(json_get(pod, S("spec")), S("nodeName")))));
    job_call(j, S("PATCH"), arena_cat(a, r->path, S("/status")), &patch, marked);
}

static void got_pod(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *spec = json_get(&j->answer, S("spec"));
    str node = json_get_str(spec, S("nodeName"));
    struct node_record *n = job_ok(j) && node.len ? node_lifecycle_find(j->c->all, node) : NULL;
    struct json taints;
    if (!n || !n->drives_out || object_deleting(&j->answer) || json_parse(a, arena_str(a, str_of(n->drives_out)), NULL, &taints, NULL) < 0) {
        job_end_status(j);
        return;
    }
    r->uid = json_get_str(json_get(&j->answer, S("metadata")), S("uid"));
    r->ref = event_ref_of(&j->answer, "v1", "Pod");
    nsec_t now = clock_wall(j->c->opts->clock), at = node_evict_at(json_get(spec, S("tolerations")), &taints, now);
    if (at < 0)
        job_end(j, WORK_OK);
    else if (at > now)
        job_end_after(j, at - now);
    else
        evict(j, &j->answer);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    str ns, name;
    const struct pod_record *p = pod_cache_find(&workloads_of(j->c)->pods, j->key);
    struct node_record *n = p && p->node.len ? node_lifecycle_find(j->c->all, p->node) : NULL;
    if (!n || !n->drives_out || pod_is_gone(p)) { /* nothing to ask the server for */
        job_end(j, WORK_OK);
        return;
    }
    controller_key_split(j->key, &ns, &name);
    r->path = arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(ns), STR_ARG(name));
    job_call(j, S("GET"), r->path, NULL, got_pod);
}

/* One that comes to a node which drives out, or learns to tolerate. */
static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    if (!now || !now->node.len || pod_is_gone(now) || (was && str_eq(was->node, now->node)))
        return;
    struct node_record *n = node_lifecycle_find(c->all, now->node);
    if (n && n->drives_out)
        workqueue_add(c->queue, now->key);
}

static void init(struct controller *c)
{
    pod_cache_subscribe(&workloads_of(c)->pods, on_pod, c);
}

const struct controller_type controller_taint_eviction = {
    .name = "taint-eviction",
    .parallel = 16,
    .init = init,
    .reconcile = reconcile,
};
