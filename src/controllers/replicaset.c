/* replicaset.c - ReplicaSet and ReplicationController: as many pods of the template as spec.replicas says.
 *
 *   claim pods ─► create or delete the difference ─► status */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/events.h"
#include "controllers/replicaset_plan.h"
#include "controllers/workloads.h"

#define BURST 500 /* creates or deletes of one run */

struct run {
    struct workload w; /* first: the claim hands it back */
    struct ops ops;
    nsec_t next;
    nsec_t wait; /* pods fail: no new ones until then; 0: no such */
    bool more; /* than BURST */
};

/* The active ones stand first. */
static struct pod_record **gather_pods(struct job *j, struct run *r, size_t *ret_active, size_t *ret_all)
{
    struct list *owned = pod_cache_owned(&r->w.all->pods, r->w.uid);
    size_t n = 0, all = 0, end;
    pod_cache_foreach(q, owned) all += q != NULL;
    struct pod_record **pods = arena_array(&j->arena, all + 1, struct pod_record *);
    end = all;
    pod_cache_foreach(p, owned)
    {
        if (pod_is_active(p))
            pods[n++] = p;
        else
            pods[--end] = p;
    }
    *ret_active = n;
    *ret_all = all;
    return pods;
}

static void written(struct job *j)
{
    struct run *r = j->state;
    bool ok = job_ok(j) && !ops_failure(&r->ops);
    if (!ok && !job_not_found(j))
        job_end(j, WORK_RETRY);
    else if (r->more)
        job_end_after(j, 0);
    else if (r->next)
        job_end_after(j, r->next);
    else
        job_end(j, WORK_OK);
}

static void set_failure(struct job *j, struct run *r, struct json *obj)
{
    const struct op *bad = ops_failure(&r->ops);
    struct json *list = json_path(obj, "status", "conditions", NULL);
    if (bad) {
        bool create = bad->type == OP_POD_CREATE;
        condition_set(&j->arena, j->c->opts->clock, obj, "ReplicaFailure", true, create ? S("FailedCreate") : S("FailedDelete"), op_message(bad));
        return;
    }
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "ReplicaFailure"))
            json_remove(list, i--);
    if (json_is(list, JSON_ARRAY) && !list->len)
        json_del(json_get(obj, S("status")), S("conditions"));
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    size_t n, all;
    workload_pod_events(j, &r->w, &r->ops);
    struct pod_record **pods = gather_pods(j, r, &n, &all);
    struct replica_counts c = replica_count(pods, n, json_path(r->w.spec, "template", "metadata", "labels", NULL), workload_seconds(r->w.spec, S("minReadySeconds")), r->w.now);
    struct json obj = json_copy(a, &r->w.obj), *st = json_ensure_object(a, &obj, S("status"));
    r->next = r->wait && (!c.next || r->wait < c.next) ? r->wait : c.next;
    json_set(a, st, S("replicas"), json_int(a, c.replicas));
    status_int(a, st, "fullyLabeledReplicas", c.labeled);
    status_int(a, st, "readyReplicas", c.ready);
    status_int(a, st, "availableReplicas", c.available);
    status_int(a, st, "observedGeneration", json_get_int(r->w.meta, S("generation"), 0));
    set_failure(j, r, &obj);
    workload_status(j, &r->w, json_get(&obj, S("status")), written);
}

static void manage(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    size_t n, all;
    int64_t wanted = json_get_int(r->w.spec, S("replicas"), 1);
    if (object_deleting(&r->w.obj)) {
        write_status(j);
        return;
    }
    struct pod_record **pods = gather_pods(j, r, &n, &all);
    struct replica_plan plan = replica_plan_make(a, pods, n, wanted);
    r->wait = plan.create ? replica_wait(pods + n, all - n, wanted, r->w.now) : 0;
    if (r->wait)
        plan.create = 0;
    r->more = plan.create > BURST || plan.delete > BURST;
    for (int64_t i = 0; i < MIN(plan.create, (int64_t)BURST); i++)
        ops_add_create(a, &r->ops, &r->w, workload_pod(a, &r->w, json_get(r->w.spec, S("template")), arena_cat(a, r->w.name, S("-")), true));
    for (size_t i = 0; i < MIN(plan.delete, (size_t)BURST); i++)
        ops_add_delete(a, &r->ops, pods[i]);
    ops_run(j, &r->ops, write_status);
}

static void reconcile_kind(struct job *j, enum workload_kind kind)
{
    struct run *r = arena_new(&j->arena, struct run);
    if (workload_begin(j, &r->w, kind))
        workload_claim(j, &r->w, manage);
}

static void reconcile_set(struct job *j)
{
    reconcile_kind(j, WORKLOAD_REPLICASET);
}

static void reconcile_rc(struct job *j)
{
    reconcile_kind(j, WORKLOAD_RC);
}

static void init_set(struct controller *c)
{
    workloads_join(c, WORKLOAD_REPLICASET);
}

static void init_rc(struct controller *c)
{
    workloads_join(c, WORKLOAD_RC);
}

const struct controller_type controller_replicaset = {.name = "replicaset", .parallel = 32, .init = init_set, .reconcile = reconcile_set};
const struct controller_type controller_rc = {.name = "replicationcontroller", .parallel = 8, .init = init_rc, .reconcile = reconcile_rc};
