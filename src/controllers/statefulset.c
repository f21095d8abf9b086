/* statefulset.c - pods with a name, a place in an order and volumes of their own.
 *
 *   claim ─► revision of the template ─► plan ─► claims and their owners ─► deletes, creates ─► status
 *
 * Names are fixed, so no pod is made twice.  Claims have their owners before a pod goes, so that one that is killed in between leaves none behind (statefulset_claims.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/events.h"
#include "controllers/revisions.h"
#include "controllers/statefulset_claims.h"
#include "controllers/statefulset_plan.h"

#define CLAIM_SETS_MAX 32 /* sets that a claim's name may stand for */

struct run {
    struct workload w; /* first: the claim hands it back */
    struct revisions revisions;
    struct stateful_plan plan;
    str current;
    struct json set_ref;
    bool failed; /* claims: pods stay as they are until the next run */
    struct ops claims, ops;
};

/* --- pods and their volumes ---------------------------------------------------------------------------------------------------------- */

static const struct json *claim_templates(const struct run *r, uint32_t *ret_n)
{
    const struct json *list = json_get(r->w.spec, S("volumeClaimTemplates"));
    *ret_n = json_is(list, JSON_ARRAY) ? list->len : 0;
    return *ret_n ? list->items : NULL;
}

static struct object *find_claim(struct job *j, const struct run *r, str name)
{
    return object_cache_find(&r->w.all->objects[WORKLOAD_CLAIM], arena_fmt(&j->arena, STR_FMT "/" STR_FMT, STR_ARG(r->w.ns), STR_ARG(name)));
}

static void add_claim(struct job *j, struct run *r, const struct json *template, str name)
{
    struct arena *a = &j->arena;
    const struct json *labels = json_path(r->w.spec, "selector", "matchLabels", NULL);
    struct json claim = json_copy(a, template), *meta = json_ensure_object(a, &claim, S("metadata")), *own, refs = json_array();
    json_set(a, meta, S("name"), json_string(name));
    json_set(a, meta, S("namespace"), json_string(r->w.ns));
    json_del(meta, S("creationTimestamp"));
    own = json_ensure_object(a, meta, S("labels"));
    for (uint32_t k = 0; json_is(labels, JSON_OBJECT) && k < labels->len; k++)
        json_set(a, own, labels->members[k].key, labels->members[k].value);
    if (stateful_claim_owner(r->w.spec, false) == CLAIM_OF_SET) {
        json_push(a, &refs, r->set_ref);
        json_set(a, meta, S("ownerReferences"), refs);
    }
    ops_add(a, &r->claims, (struct op){.type = OP_OTHER, .method = S("POST"), .path = workload_child_path(a, &r->w, "persistentvolumeclaims", S("")), .body = claim});
}

/* False: a claim of a former pod is still on its way out; its end brings the next run. */
static bool add_claims(struct job *j, struct run *r, str pod)
{
    uint32_t n;
    const struct json *templates = claim_templates(r, &n);
    for (uint32_t i = 0; i < n; i++) {
        str name = stateful_claim_name(&j->arena, &templates[i], pod);
        struct object *o = find_claim(j, r, name);
        if (o && stateful_claim_is_leaving(object_tree(o), pod)) {
            workload_event(j, &r->w, EVENT_WARNING, "FailedCreate", "create Pod " STR_FMT " in StatefulSet " STR_FMT " failed error: pvc " STR_FMT " is being deleted", STR_ARG(pod),
                           STR_ARG(r->w.name), STR_ARG(name));
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        str name = stateful_claim_name(&j->arena, &templates[i], pod);
        if (!find_claim(j, r, name))
            add_claim(j, r, &templates[i], name);
    }
    return true;
}

/* Claims of a pod that is there: who owns them, and those that are missing although it waits for them. */
static void tend_claims(struct job *j, struct run *r, const struct pod_record *p, bool scaled_away)
{
    struct arena *a = &j->arena;
    enum claim_owner owner = stateful_claim_owner(r->w.spec, scaled_away);
    struct json pod_ref = stateful_claim_pod_ref(a, arena_str(a, p->name), arena_str(a, p->uid)), patch;
    uint32_t n;
    const struct json *templates = claim_templates(r, &n);
    for (uint32_t i = 0; i < n; i++) {
        str name = stateful_claim_name(a, &templates[i], p->name);
        struct object *o = find_claim(j, r, name);
        if (o && stateful_claim_patch(a, object_tree(o), owner, &r->set_ref, &pod_ref, &patch))
            ops_add(a, &r->claims, (struct op){.type = OP_OTHER, .method = S("PATCH"), .content_type = S("application/strategic-merge-patch+json"), .body = json_copy(a, &patch),
                                               .path = workload_child_path(a, &r->w, "persistentvolumeclaims", name)});
        else if (!o && !scaled_away && pod_is_active(p) && p->phase == POD_PENDING)
            add_claim(j, r, &templates[i], name);
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
        json_set(a, source, S("claimName"), json_string(stateful_claim_name(a, &list->items[i], pod)));
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

static struct json make_pod(struct job *j, struct run *r, const struct stateful_create *c, str name)
{
    struct arena *a = &j->arena;
    struct json old = c->of_update ? json_null() : revisions_template(a, &r->w, r->current);
    bool has_old = json_is(&old, JSON_OBJECT);
    str service = json_get_str(r->w.spec, S("serviceName"));
    struct json pod = workload_pod(a, &r->w, has_old ? &old : json_get(r->w.spec, S("template")), name, false), *spec = json_get(&pod, S("spec"));
    struct json *labels = json_ensure_object(a, json_get(&pod, S("metadata")), S("labels"));
    json_set(a, labels, S(REVISION_LABEL), json_string(has_old ? r->current : r->revisions.name));
    json_set(a, labels, S("statefulset.kubernetes.io/pod-name"), json_string(name));
    json_set(a, labels, S("apps.kubernetes.io/pod-index"), json_string(arena_fmt(a, "%lld", (long long)c->ordinal)));
    json_set(a, spec, S("hostname"), json_string(name));
    if (service.len)
        json_set(a, spec, S("subdomain"), json_string(service));
    add_volumes(a, &r->w, spec, name);
    return pod;
}

/* --- steps ------------------------------------------------------------------------------------------------------------------------------- */

static void ended(struct job *j)
{
    struct run *r = j->state;
    if ((!job_ok(j) && !job_not_found(j)) || r->failed || ops_failure(&r->ops))
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
    workload_pod_events(j, &r->w, &r->ops);
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

/* A claim that is there already is the one of a former pod with this name; one that is gone needs no owner. */
static bool claim_ok(const struct op *op)
{
    bool create = str_is(op->method, "POST");
    return op_ok(op) || op->status == (create ? 409 : 404);
}

static void claims_made(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->claims.len; i++) {
        const struct op *op = &r->claims.p[i];
        str name = json_get_str(json_get(&op->body, S("metadata")), S("name"));
        if (str_is(op->method, "POST") && op_ok(op))
            workload_event(j, &r->w, EVENT_NORMAL, "SuccessfulCreate", "create Claim " STR_FMT " in StatefulSet " STR_FMT " success", STR_ARG(name), STR_ARG(r->w.name));
        if (claim_ok(op))
            continue;
        r->failed = true;
        if (str_is(op->method, "POST") && op->status)
            workload_event(j, &r->w, EVENT_WARNING, "FailedCreate", "create Claim " STR_FMT " in StatefulSet " STR_FMT " failed error: " STR_FMT, STR_ARG(name), STR_ARG(r->w.name), STR_ARG(op_message(op)));
    }
    if (r->failed)
        write_status(j);
    else
        ops_run(j, &r->ops, write_status);
}

static void got_revision(struct job *j, struct revisions *revisions UNUSED)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *strategy = json_get(r->w.spec, S("updateStrategy")), *status = json_get(&r->w.obj, S("status"));
    struct list *owned = pod_cache_owned(&r->w.all->pods, r->w.uid);
    int64_t replicas = json_get_int(r->w.spec, S("replicas"), 1);
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
                              .replicas = replicas,
                              .partition = json_get_int(json_get(strategy, S("rollingUpdate")), S("partition"), 0),
                              .max_unavailable = MAX(int_or_percent(json_get(json_get(strategy, S("rollingUpdate")), S("maxUnavailable")), replicas, false, 1), (int64_t)1),
                              .parallel = str_is(json_get_str(r->w.spec, S("podManagementPolicy")), "Parallel"),
                              .on_delete = str_is(json_get_str(strategy, S("type")), "OnDelete"),
                              .min_ready = workload_seconds(r->w.spec, S("minReadySeconds")), .now = r->w.now};
    statefulset_plan(a, pods, n, &o, &r->plan);
    r->set_ref = workload_owner_ref(a, &r->w);
    for (size_t i = 0; i < n; i++) {
        int64_t at = statefulset_ordinal(r->w.name, pods[i]->name) - o.start;
        tend_claims(j, r, pods[i], at < 0 || at >= replicas);
    }
    for (size_t i = 0; i < r->plan.ndeletes; i++)
        ops_add_delete(a, &r->ops, r->plan.deletes[i]);
    for (size_t i = 0; i < r->plan.ncreates; i++) {
        str name = arena_fmt(a, STR_FMT "-%lld", STR_ARG(r->w.name), (long long)r->plan.creates[i].ordinal);
        if (add_claims(j, r, name))
            ops_add_create(a, &r->ops, &r->w, make_pod(j, r, &r->plan.creates[i], name));
    }
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

static void on_claim(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    ARENA_AUTO a = ARENA_INIT;
    const struct object *o = now ? now : was;
    str keys[CLAIM_SETS_MAX];
    size_t n = all->synced ? stateful_claim_sets(&a, o->ns, o->name, keys, ARRAY_LEN(keys)) : 0;
    for (size_t i = 0; i < n; i++)
        if (object_cache_find(&all->objects[WORKLOAD_STATEFULSET], keys[i]))
            workqueue_add(c->queue, keys[i]);
}

static void init(struct controller *c)
{
    workloads_join(c, WORKLOAD_STATEFULSET);
    object_cache_subscribe(&workloads_of(c)->objects[WORKLOAD_CLAIM], on_claim, c);
}

const struct controller_type controller_statefulset = {.name = "statefulset", .parallel = 16, .init = init, .reconcile = reconcile};
