/* statefulset.c - pods with a name, a place in an order and volumes of their own.
 *
 *   claim ─► revision of the template ─► plan ─► deletes; claims, then pods ─► status
 *
 * Names are fixed, so no pod is made twice; claims of volumes stay when pods go. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/revisions.h"
#include "controllers/statefulset_plan.h"

struct run {
    struct workload w; /* first: the claim hands it back */
    struct revisions revisions;
    struct stateful_plan plan;
    str current;
    struct ops claims, ops;
};

/* --- pods and their volumes ---------------------------------------------------------------------------------------------------------- */

static str claim_name(struct arena *a, const struct json *template, str pod)
{
    return arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(json_get_str(json_get(template, S("metadata")), S("name"))), STR_ARG(pod));
}

static void add_claims(struct job *j, struct run *r, str pod)
{
    struct arena *a = &j->arena;
    const struct json *list = json_get(r->w.spec, S("volumeClaimTemplates")), *labels = json_path(r->w.spec, "selector", "matchLabels", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        struct json claim = json_copy(a, &list->items[i]), *meta = json_ensure_object(a, &claim, S("metadata")), *own;
        json_set(a, meta, S("name"), json_string(claim_name(a, &list->items[i], pod)));
        json_set(a, meta, S("namespace"), json_string(r->w.ns));
        json_del(meta, S("creationTimestamp"));
        own = json_ensure_object(a, meta, S("labels"));
        for (uint32_t k = 0; json_is(labels, JSON_OBJECT) && k < labels->len; k++)
            json_set(a, own, labels->members[k].key, labels->members[k].value);
        ops_add(a, &r->claims, (struct op){.type = OP_OTHER, .method = S("POST"), .path = workload_child_path(a, &r->w, "persistentvolumeclaims", S("")), .body = claim});
    }
}

static void add_volumes(struct arena *a, const struct workload *w, struct json *spec, str pod)
{
    const struct json *list = json_get(w->spec, S("volumeClaimTemplates")), *given = json_get(spec, S("volumes"));
    struct json volumes = json_array();
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        struct json v = json_object(), *source;
        json_set(a, &v, S("name"), json_string(json_get_str(json_get(&list->items[i], S("metadata")), S("name"))));
        source = json_ensure_object(a, &v, S("persistentVolumeClaim"));
        json_set(a, source, S("claimName"), json_string(claim_name(a, &list->items[i], pod)));
        json_push(a, &volumes, v);
    }
    for (uint32_t i = 0; json_is(given, JSON_ARRAY) && i < given->len; i++) {
        bool replaced = false;
        for (uint32_t k = 0; k < volumes.len; k++)
            replaced |= str_eq(json_get_str(&volumes.items[k], S("name")), json_get_str(&given->items[i], S("name")));
        if (!replaced)
            json_push(a, &volumes, given->items[i]);
    }
    if (volumes.len)
        json_set(a, spec, S("volumes"), volumes);
}

static struct json make_pod(struct job *j, struct run *r, const struct stateful_create *c)
{
    struct arena *a = &j->arena;
    struct json old = c->of_update ? json_null() : revisions_template(a, &r->w, r->current);
    bool has_old = json_is(&old, JSON_OBJECT);
    str name = arena_fmt(a, STR_FMT "-%lld", STR_ARG(r->w.name), (long long)c->ordinal), service = json_get_str(r->w.spec, S("serviceName"));
    struct json pod = workload_pod(a, &r->w, has_old ? &old : json_get(r->w.spec, S("template")), name, false), *spec = json_get(&pod, S("spec"));
    struct json *labels = json_ensure_object(a, json_get(&pod, S("metadata")), S("labels"));
    json_set(a, labels, S(REVISION_LABEL), json_string(has_old ? r->current : r->revisions.name));
    json_set(a, labels, S("statefulset.kubernetes.io/pod-name"), json_string(name));
    json_set(a, labels, S("apps.kubernetes.io/pod-index"), json_string(arena_fmt(a, "%lld", (long long)c->ordinal)));
    json_set(a, spec, S("hostname"), json_string(name));
    if (service.len)
        json_set(a, spec, S("subdomain"), json_string(service));
    add_volumes(a, &r->w, spec, name);
    add_claims(j, r, name);
    return pod;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------------------- */

static void ended(struct job *j)
{
    struct run *r = j->state;
    if ((!job_ok(j) && !job_not_found(j)) || ops_failure(&r->ops))
        job_end(j, WORK_RETRY);
    else if (r->plan.after)
        job_end_after(j, r->plan.after);
    else
        job_end(j, WORK_OK);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *old = json_get(&r->w.obj, S("status"));
    struct json st = old ? json_copy(a, old) : json_object();
    const struct stateful_plan *p = &r->plan;
    bool same = p->complete || str_eq(r->current, r->revisions.name);
    json_set(a, &st, S("replicas"), json_int(a, p->replicas));
    json_set(a, &st, S("availableReplicas"), json_int(a, p->available));
    status_int(a, &st, "readyReplicas", p->ready);
    status_int(a, &st, "currentReplicas", same ? p->updated : p->current);
    status_int(a, &st, "updatedReplicas", p->updated);
    json_set(a, &st, S("currentRevision"), json_string(same ? r->revisions.name : r->current));
    json_set(a, &st, S("updateRevision"), json_string(r->revisions.name));
    json_set(a, &st, S("collisionCount"), json_int(a, json_get_int(old, S("collisionCount"), 0)));
    status_int(a, &st, "observedGeneration", json_get_int(r->w.meta, S("generation"), 0));
    workload_status(j, &r->w, &st, ended);
}

/* A claim that is there already is the one of a former pod with this name. */
static void claims_made(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->claims.len; i++)
        if (!op_ok(&r->claims.p[i]) && r->claims.p[i].status != 409) {
            job_end(j, WORK_RETRY);
            return;
        }
    ops_run(j, &r->ops, write_status);
}

static void got_revision(struct job *j, struct revisions *revisions UNUSED)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *strategy = json_get(r->w.spec, S("updateStrategy")), *status = json_get(&r->w.obj, S("status"));
    struct list *owned = pod_cache_owned(&r->w.all->pods, r->w.uid);
    size_t n = 0;
    pod_cache_foreach(q, owned) n += q != NULL;
    struct pod_record **pods = arena_array(a, n + 1, struct pod_record *);
    n = 0;
    pod_cache_foreach(p, owned) pods[n++] = p;
    r->current = json_get_str(status, S("currentRevision"));
    if (!r->current.len)
        r->current = r->revisions.name;
    struct stateful_opts o = {.name = r->w.name, .current = r->current, .update = r->revisions.name,
                              .start = json_get_int(json_get(r->w.spec, S("ordinals")), S("start"), 0),
                              .replicas = json_get_int(r->w.spec, S("replicas"), 1),
                              .partition = json_get_int(json_get(strategy, S("rollingUpdate")), S("partition"), 0),
                              .current_replicas = json_get_int(status, S("currentReplicas"), 0),
                              .parallel = str_is(json_get_str(r->w.spec, S("podManagementPolicy")), "Parallel"),
                              .on_delete = str_is(json_get_str(strategy, S("type")), "OnDelete"),
                              .min_ready = workload_seconds(r->w.spec, S("minReadySeconds")), .now = r->w.now};
    statefulset_plan(a, pods, n, &o, &r->plan);
    for (size_t i = 0; i < r->plan.ndeletes; i++)
        ops_add_delete(a, &r->ops, r->plan.deletes[i]);
    for (size_t i = 0; i < r->plan.ncreates; i++)
        ops_add_create(a, &r->ops, &r->w, make_pod(j, r, &r->plan.creates[i]));
    revisions_trim(j, &r->w, &r->revisions, &r->ops);
    ops_run(j, &r->claims, claims_made);
}

static void claimed(struct job *j)
{
    struct run *r = j->state;
    if (object_deleting(&r->w.obj))
        job_end(j, WORK_OK);
    else
        revisions_sync(j, &r->w, &r->revisions, got_revision);
}

static void reconcile(struct job *j)
{
    struct run *r = arena_new(&j->arena, struct run);
    if (workload_begin(j, &r->w, WORKLOAD_STATEFULSET))
        workload_claim(j, &r->w, claimed);
}

static void init(struct controller *c)
{
    workloads_join(c, WORKLOAD_STATEFULSET);
}

const struct controller_type controller_statefulset = {.name = "statefulset", .parallel = 16, .init = init, .reconcile = reconcile};
