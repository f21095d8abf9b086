/* deployment.c - a Deployment: one ReplicaSet for each template it had, scaled step by step towards the newest.
 *
 *   sets from the cache ─► claim ─► make the set of the template, or: revision notes, scales, history ─► status
 *
 * Each run does one step; the ReplicaSets' statuses bring the next.  Sets are named after their template, so a set is never made twice, and every change carries the revision that the
 * decision was made on. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/deployment_plan.h"
#include "controllers/events.h"
#include "controllers/workloads.h"

struct run {
    struct workload w;
    struct dep d;
    struct ops claims, ops;
    str created;     /* name of a set that was just made */
    int64_t collisions;
    bool collided;
    bool scaled;     /* the plan was carried out */
    nsec_t after;
};

static str set_path(struct arena *a, const struct workload *w, str name)
{
    return arena_fmt(a, "/apis/apps/v1/namespaces/" STR_FMT "/replicasets%s" STR_FMT, STR_ARG(w->ns), name.len ? "/" : "", STR_ARG(name));
}

/* --- status ------------------------------------------------------------------------------------------------------------------------ */

static void ended(struct job *j)
{
    struct run *r = j->state;
    bool ok = (job_ok(j) || job_not_found(j)) && !ops_failure(&r->ops) && !ops_failure(&r->claims);
    if (!ok)
        job_end(j, WORK_RETRY);
    else if (r->after)
        job_end_after(j, r->after);
    else
        job_end(j, WORK_OK);
}

static void tell_scale(struct job *j, struct run *r, str set, int64_t was, int64_t now)
{
    if (was != now)
        workload_event(j, &r->w, EVENT_NORMAL, "ScalingReplicaSet", "Scaled %s replica set " STR_FMT " from %lld to %lld", now > was ? "up" : "down", STR_ARG(set), (long long)was,
                       (long long)now);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; r->scaled && !ops_failure(&r->ops) && i < r->d.n; i++)
        tell_scale(j, r, r->d.sets[i].name, r->d.sets[i].was, r->d.sets[i].replicas);
    struct json status = deployment_status(&j->arena, &r->d, r->created, &r->after);
    if (r->collided)
        status_int(&j->arena, &status, "collisionCount", r->collisions + 1);
    workload_status(j, &r->w, &status, ended);
}

/* --- the set of the template -------------------------------------------------------------------------------------------------------- */

static bool note_is_copied(str key)
{
    static const char *const own[] = {"kubectl.kubernetes.io/last-applied-configuration", REVISION_NOTE, HISTORY_NOTE, DESIRED_NOTE, MAX_NOTE, "deprecated.deployment.rollback.to"};
    for (size_t i = 0; i < ARRAY_LEN(own); i++)
        if (str_is(key, own[i]))
            return false;
    return true;
}

static void number_note(struct arena *a, struct json *notes, const char *key, int64_t value)
{
    json_set(a, notes, str_of(key), json_string(arena_fmt(a, "%lld", (long long)value)));
}

static void size_notes(struct arena *a, const struct dep *d, struct json *notes)
{
    number_note(a, notes, DESIRED_NOTE, d->replicas);
    number_note(a, notes, MAX_NOTE, d->replicas + d->surge);
}

/* Annotations of the Deployment that its sets have, too (the cause of a change, for one). */
static void copied_notes(struct arena *a, const struct workload *w, struct json *notes)
{
    const struct json *from = json_get(w->meta, S("annotations"));
    for (uint32_t i = 0; json_is(from, JSON_OBJECT) && i < from->len; i++)
        if (note_is_copied(from->members[i].key))
            json_set(a, notes, from->members[i].key, from->members[i].value);
}

static struct json make_set(struct job *j, struct run *r, str hash)
{
    struct arena *a = &j->arena;
    struct json set = json_literal(a, "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\"}"), refs = json_array();
    struct json template = json_copy(a, json_get(r->w.spec, S("template"))), selector = json_copy(a, json_get(r->w.spec, S("selector")));
    struct json *labels = json_ensure_object(a, json_ensure_object(a, &template, S("metadata")), S("labels"));
    json_set(a, labels, S(HASH_LABEL), json_string(hash));
    json_set(a, json_ensure_object(a, &selector, S("matchLabels")), S(HASH_LABEL), json_string(hash));
    struct json *meta = json_ensure_object(a, &set, S("metadata"));
    json_set(a, meta, S("name"), json_string(arena_fmt(a, STR_FMT "-" STR_FMT, STR_ARG(r->w.name), STR_ARG(hash))));
    json_set(a, meta, S("namespace"), json_string(r->w.ns));
    json_set(a, meta, S("labels"), json_copy(a, labels));
    struct json *notes = json_ensure_object(a, meta, S("annotations"));
    copied_notes(a, &r->w, notes);
    number_note(a, notes, REVISION_NOTE, deployment_next_revision(&r->d));
    size_notes(a, &r->d, notes);
    json_push(a, &refs, workload_owner_ref(a, &r->w));
    json_set(a, meta, S("ownerReferences"), refs);
    struct json *spec = json_ensure_object(a, &set, S("spec"));
    json_set(a, spec, S("replicas"), json_int(a, deployment_new_replicas(&r->d)));
    if (json_get(r->w.spec, S("minReadySeconds")))
        json_set(a, spec, S("minReadySeconds"), *json_get(r->w.spec, S("minReadySeconds")));
    json_set(a, spec, S("selector"), selector);
    json_set(a, spec, S("template"), template);
    return set;
}

/* The name is taken: by our own set that the cache does not show yet, or by another template with the same hash. */
static void looked_at_namesake(struct job *j)
{
    struct run *r = j->state;
    struct dep d;
    struct dep_set one;
    const struct json *refs = json_path(&j->answer, "metadata", "ownerReferences", NULL);
    bool ours = json_is(refs, JSON_ARRAY) && refs->len && str_eq(json_get_str(&refs->items[0], S("uid")), r->w.uid);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    deployment_read_set(&one, &j->answer);
    deployment_read(&j->arena, &d, &r->w.obj, &one, 1, r->w.now);
    if (ours && d.new == 0) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->collided = true;
    write_status(j);
}

static void made_set(struct job *j)
{
    struct run *r = j->state;
    if (j->status == 409) {
        job_call(j, S("GET"), set_path(&j->arena, &r->w, r->created), NULL, looked_at_namesake);
        return;
    }
    if (!job_ok(j)) {
        r->created = S("");
        ops_add(&j->arena, &r->ops, (struct op){.type = OP_OTHER, .status = j->status, .answer = j->answer}); /* the run has failed */
        workload_event(j, &r->w, EVENT_WARNING, "ReplicaSetCreateError", "Failed to create new replica set: " STR_FMT, STR_ARG(json_get_str(&j->answer, S("message"))));
    } else {
        tell_scale(j, r, r->created, 0, deployment_new_replicas(&r->d));
    }
    write_status(j);
}

static void create_set(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    r->collisions = json_get_int(json_get(&r->w.obj, S("status")), S("collisionCount"), 0);
    str hash = hash_name(a, json_text(a, json_get(r->w.spec, S("template"))), r->collisions);
    struct json set = make_set(j, r, hash);
    r->created = json_get_str(json_get(&set, S("metadata")), S("name"));
    job_call(j, S("POST"), set_path(a, &r->w, S("")), &set, made_set);
}

/* --- sets that are there ------------------------------------------------------------------------------------------------------------- */

static void add_patch(struct arena *a, struct run *r, str path, struct json patch)
{
    ops_add(a, &r->ops, (struct op){.type = OP_OTHER, .method = S("PATCH"), .path = path, .body = patch});
}

/* The set of the template has the highest revision, and the Deployment says which that is. */
static bool note_revision(struct arena *a, struct run *r, struct json *patch)
{
    struct dep_set *s = &r->d.sets[r->d.new];
    const struct json *have = json_path(s->obj, "metadata", "annotations", NULL);
    int64_t next = deployment_next_revision(&r->d);
    struct json *notes = json_ensure_object(a, json_get(patch, S("metadata")), S("annotations")), copied = json_object();
    bool changed = false;
    if (s->revision < next) {
        str history = json_get_str(have, S(HISTORY_NOTE)), was = json_get_str(have, S(REVISION_NOTE));
        number_note(a, notes, REVISION_NOTE, next);
        if (was.len)
            json_set(a, notes, S(HISTORY_NOTE), json_string(history.len ? arena_fmt(a, STR_FMT "," STR_FMT, STR_ARG(history), STR_ARG(was)) : was));
        s->revision = next;
        changed = true;
    }
    copied_notes(a, &r->w, &copied);
    for (uint32_t i = 0; i < copied.len; i++) {
        if (str_eq(json_get_str(have, copied.members[i].key), json_str(&copied.members[i].value)))
            continue;
        json_set(a, notes, copied.members[i].key, copied.members[i].value);
        changed = true;
    }
    const struct json *mine = json_get(r->w.spec, S("minReadySeconds"));
    if (json_get_int(r->w.spec, S("minReadySeconds"), 0) != json_get_int(json_get(s->obj, S("spec")), S("minReadySeconds"), 0)) {
        json_set(a, json_ensure_object(a, patch, S("spec")), S("minReadySeconds"), mine ? *mine : json_null());
        changed = true;
    }
    return changed;
}

static void plan_sets(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    struct dep *d = &r->d;
    deployment_plan(d);
    for (size_t i = 0; i < d->n; i++) {
        struct dep_set *s = &d->sets[i];
        struct json patch = patch_of(a, s->obj);
        bool changed = (ptrdiff_t)i == d->new && note_revision(a, r, &patch);
        if (s->replicas != s->was)
            json_set(a, json_ensure_object(a, &patch, S("spec")), S("replicas"), json_int(a, s->replicas));
        if (s->replicas != s->was || (s->replicas && (s->desired != d->replicas || s->most != d->replicas + d->surge))) {
            size_notes(a, d, json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations")));
            changed = true;
        }
        if (changed)
            add_patch(a, r, set_path(a, &r->w, s->name), patch);
    }
}

/* With the status: a write of annotations alone would be a new generation of the Deployment. */
static void plan_note(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    if (r->d.new < 0)
        return;
    str revision = arena_fmt(a, "%lld", (long long)r->d.sets[r->d.new].revision);
    if (str_eq(json_get_str(json_get(r->w.meta, S("annotations")), S(REVISION_NOTE)), revision))
        return;
    r->w.notes = json_object();
    json_set(a, &r->w.notes, S(REVISION_NOTE), json_string(revision));
}

static void plan_history(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    if (!deployment_is_complete(&r->d, json_get(&r->w.obj, S("status"))))
        return;
    size_t *old = arena_array(a, r->d.n + 1, size_t), n = deployment_history(&r->d, old);
    for (size_t i = 0; i < n; i++) {
        const struct dep_set *s = &r->d.sets[old[i]];
        struct json options = delete_options(a, s->uid, S("Background"));
        json_set(a, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(json_get(s->obj, S("metadata")), S("resourceVersion"))));
        ops_add(a, &r->ops, (struct op){.type = OP_DELETE, .method = S("DELETE"), .path = set_path(a, &r->w, s->name), .body = options});
    }
}

static bool set_runs(struct workloads *all, str uid)
{
    pod_cache_foreach(p, pod_cache_owned(&all->pods, uid))
    {
        if (!pod_is_finished(p))
            return true;
    }
    return false;
}

static void step(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct object_cache *cache = &r->w.all->objects[WORKLOAD_REPLICASET];
    struct list *owned = object_cache_owned(cache, r->w.uid);
    size_t n = 0;
    object_foreach_owned(o, owned) n += o != NULL;
    struct dep_set *sets = arena_array(a, n + 1, struct dep_set);
    n = 0;
    object_foreach_owned(s, owned)
    {
        struct json *tree = arena_new(a, struct json);
        *tree = object_read(a, s);
        if (object_deleting(tree))
            continue;
        deployment_read_set(&sets[n], tree);
        sets[n].running = set_runs(r->w.all, sets[n].uid);
        n++;
    }
    deployment_read(a, &r->d, &r->w.obj, sets, n, r->w.now);
    if (object_deleting(&r->w.obj)) {
        write_status(j);
        return;
    }
    if (deployment_wants_new(&r->d)) {
        create_set(j);
        return;
    }
    plan_sets(j, r);
    r->scaled = true;
    plan_note(j, r);
    plan_history(j, r);
    ops_run(j, &r->ops, write_status);
}

/* --- claims: sets without a controller that are selected, and own ones that are not ------------------------------------------------- */

static void claimed(struct job *j)
{
    struct run *r = j->state;
    struct object *o = object_cache_find(&r->w.all->objects[WORKLOAD_DEPLOYMENT], j->key);
    if (o && !ops_failure(&r->claims))
        o->seek = false;
    if (r->claims.len)
        job_end(j, ops_failure(&r->claims) ? WORK_RETRY : WORK_OK); /* the sets' events bring the next run */
    else
        step(j);
}

static void add_claim(struct job *j, struct run *r, const struct object *o, bool take)
{
    struct arena *a = &j->arena;
    struct json body = json_object(), refs = json_array(), ref = json_object(), *meta = json_ensure_object(a, &body, S("metadata"));
    json_set(a, meta, S("uid"), json_string(arena_str(a, o->uid)));
    if (take) {
        ref = workload_owner_ref(a, &r->w);
    } else {
        json_set(a, &ref, S("$patch"), json_string(S("delete")));
        json_set(a, &ref, S("uid"), json_string(r->w.uid));
    }
    json_push(a, &refs, ref);
    json_set(a, meta, S("ownerReferences"), refs);
    ops_add(a, &r->claims, (struct op){.type = OP_OTHER, .method = S("PATCH"), .content_type = S("application/strategic-merge-patch+json"), .body = body,
                                       .path = set_path(a, &r->w, o->name)});
}

static void checked_self(struct job *j)
{
    struct run *r = j->state;
    bool alive = job_ok(j) && !object_deleting(&j->answer) && str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), r->w.uid);
    if (alive)
        ops_run(j, &r->claims, claimed);
    else
        job_end(j, job_ok(j) || job_not_found(j) ? WORK_OK : WORK_RETRY);
}

static bool selects(const struct run *r, struct object *o)
{
    return selector_match_labels(&r->w.selector, json_path(object_tree(o), "metadata", "labels", NULL));
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    if (!workload_begin(j, &r->w, WORKLOAD_DEPLOYMENT))
        return;
    struct object_cache *cache = &r->w.all->objects[WORKLOAD_REPLICASET];
    bool deleting = object_deleting(&r->w.obj);
    object_foreach_owned(o, object_cache_owned(cache, r->w.uid))
    {
        if (!deleting && !selects(r, o))
            add_claim(j, r, o, false);
    }
    if (r->w.seek && !deleting) {
        object_foreach_namespace(s, object_cache_namespace(cache, r->w.ns))
        {
            if (!s->owner_uid.len && !r->w.selector.nothing && selects(r, s) && !object_deleting(object_tree(s)))
                add_claim(j, r, s, true);
        }
    }
    if (r->claims.len)
        job_call(j, S("GET"), workload_path(&j->arena, &r->w, ""), NULL, checked_self);
    else
        claimed(j);
}

/* --- events --------------------------------------------------------------------------------------------------------------------------- */

static void queue_owner(struct controller *c, const struct object *set)
{
    struct object_cache *deployments = &workloads_of(c)->objects[WORKLOAD_DEPLOYMENT];
    struct object *owner = object_cache_find_uid(deployments, set->owner_uid);
    if (owner)
        workqueue_add(c->queue, owner->key);
    if (set->owner_uid.len)
        return;
    object_foreach_namespace(o, object_cache_namespace(deployments, set->ns))
    {
        o->seek = true;
        workqueue_add(c->queue, o->key);
    }
}

static void on_set(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    if (!workloads_of(c)->synced)
        return;
    if (now)
        queue_owner(c, now);
    if (was && (!now || !str_eq(was->owner_uid, now->owner_uid)) && was->owner_uid.len)
        queue_owner(c, was);
}

/* Recreate waits for the last old pod. */
static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    if (!all->synced || !was || !str_is(was->owner_kind, "ReplicaSet") || (now && !pod_is_finished(now)))
        return;
    ARENA_AUTO a = ARENA_INIT;
    struct object *set = object_cache_find(&all->objects[WORKLOAD_REPLICASET], arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(was->ns), STR_ARG(was->owner_name)));
    if (set && set->owner_uid.len)
        queue_owner(c, set);
}

static void init(struct controller *c)
{
    struct workloads *all = workloads_of(c);
    workloads_join(c, WORKLOAD_DEPLOYMENT);
    object_cache_subscribe(&all->objects[WORKLOAD_REPLICASET], on_set, c);
    pod_cache_subscribe(&all->pods, on_pod, c);
}

const struct controller_type controller_deployment = {.name = "deployment", .parallel = 32, .init = init, .reconcile = reconcile};
