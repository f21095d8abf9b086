/* workloads.c - the caches of the workload controllers and the way from an event to a key.
 *
 * The row "workload-caches" stands before its users in the registry: it watches for all of them.  Its own work is to ask for pods that only an answer has brought and that a list did not show. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/workloads.h"

#include "client/raw.h"

const struct workload_type workload_types[WORKLOAD_KINDS] = {
    [WORKLOAD_REPLICASET] = {"apps", "v1", "replicasets", "ReplicaSet", true},
    [WORKLOAD_RC] = {"", "v1", "replicationcontrollers", "ReplicationController", true},
    [WORKLOAD_DEPLOYMENT] = {"apps", "v1", "deployments", "Deployment", false},
    [WORKLOAD_STATEFULSET] = {"apps", "v1", "statefulsets", "StatefulSet", true},
    [WORKLOAD_DAEMONSET] = {"apps", "v1", "daemonsets", "DaemonSet", true},
    [WORKLOAD_JOB] = {"batch", "v1", "jobs", "Job", true},
    [WORKLOAD_CRONJOB] = {"batch", "v1", "cronjobs", "CronJob", false},
    [WORKLOAD_REVISION] = {"apps", "v1", "controllerrevisions", "ControllerRevision", false},
    [WORKLOAD_NODE] = {"", "v1", "nodes", "Node", false},
    [WORKLOAD_CLAIM] = {"", "v1", "persistentvolumeclaims", "PersistentVolumeClaim", false},
};

struct workloads *workloads_of(struct controller *c)
{
    return controllers_find(c->all, &controller_workload_caches)->state;
}

/* --- from events to keys ------------------------------------------------------------------------------------------------------ */

static int kind_of(const struct resource *r)
{
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        if (str_is(r->plural, workload_types[i].plural) && str_is(r->group, workload_types[i].group))
            return i;
    return -1;
}

void workloads_queue_all(struct controller *c, enum workload_kind kind)
{
    map_foreach(e, &workloads_of(c)->objects[kind].objects_) workqueue_add(c->queue, e->key);
}

static void on_object(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    if (workloads_of(c)->synced)
        workqueue_add(c->queue, now ? now->key : was->key);
}

static void queue_owner(struct controller *c, enum workload_kind kind, const struct pod_record *p)
{
    if (!p || !p->owner_uid.len || !str_is(p->owner_kind, workload_types[kind].kind))
        return;
    ARENA_AUTO a = ARENA_INIT;
    workqueue_add(c->queue, arena_fmt(&a, STR_FMT "/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->owner_name)));
}

static bool selector_of(struct arena *a, enum workload_kind kind, const struct json *spec, struct selector *ret)
{
    const struct json *sel = json_get(spec, S("selector"));
    struct json wrapped = json_object();
    if (kind == WORKLOAD_RC && sel) { /* plain labels */
        json_set(a, &wrapped, S("matchLabels"), *sel);
        sel = &wrapped;
    }
    return selector_from_label_selector(a, sel, ret, &(struct err){0}) == 0 && (ret->nterms || ret->nothing);
}

/* Somebody may want to take a pod that has no controller. */
static void offer_orphan(struct workloads *all, struct controller *c, enum workload_kind kind, const struct pod_record *p)
{
    struct list *takers = object_cache_namespace(&all->objects[kind], p->ns);
    if (!takers)
        return;
    ARENA_AUTO a = ARENA_INIT;
    struct json labels = pod_labels(p, &a);
    object_foreach_namespace(o, takers)
    {
        struct selector sel;
        if (!selector_of(&a, kind, json_get(object_tree(o), S("spec")), &sel) || !selector_match_labels(&sel, &labels))
            continue;
        o->seek = true;
        workqueue_add(c->queue, o->key);
    }
}

static void on_pod(void *arg, const struct pod_record *was, const struct pod_record *now)
{
    struct workloads *all = arg;
    bool is_orphan = now && !now->owner_uid.len && !now->deleting && !(was && !was->owner_uid.len && str_eq(was->labels, now->labels));
    for (size_t i = 0; all->synced && i < all->members.len; i++) {
        struct controller *c = all->members.p[i].c;
        enum workload_kind kind = all->members.p[i].kind;
        if (!workload_types[kind].owns_pods)
            continue;
        queue_owner(c, kind, now);
        if (was && (!now || !str_eq(was->owner_uid, now->owner_uid)))
            queue_owner(c, kind, was);
        if (is_orphan)
            offer_orphan(all, c, kind, now);
    }
}

void workloads_join(struct controller *c, enum workload_kind kind)
{
    struct workloads *all = workloads_of(c);
    vec_push(&all->members, (struct workload_member){c, kind});
    object_cache_subscribe(&all->objects[kind], on_object, c);
}

void workloads_on_synced(struct controller *c, void (*synced)(struct controller *c))
{
    struct workloads *all = workloads_of(c);
    vec_push(&all->waiters, (struct workload_waiter){c, synced});
}

/* --- watches -------------------------------------------------------------------------------------------------------------------- */

static void check_synced(struct workloads *all)
{
    bool synced = all->pods_synced;
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        synced &= all->objects[i].synced;
    if (!synced || all->synced)
        return;
    all->synced = true;
    for (size_t i = 0; i < all->members.len; i++)
        workloads_queue_all(all->members.p[i].c, all->members.p[i].kind);
    for (size_t i = 0; i < all->waiters.len; i++)
        all->waiters.p[i].synced(all->waiters.p[i].c);
}

static void object_begin(struct controller *c, const struct resource *r)
{
    struct workloads *all = c->state;
    object_cache_list_begin(&all->objects[kind_of(r)]);
}

static void object_event(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    struct workloads *all = c->state;
    const struct json *meta = informer_event_meta(ev);
    if (meta)
        object_cache_saw(&all->objects[kind_of(r)], ev->object, meta, ev->change == INFORMER_DELETED);
}

static void object_synced(struct controller *c, const struct resource *r)
{
    struct workloads *all = c->state;
    object_cache_list_end(&all->objects[kind_of(r)]);
    check_synced(all);
}

static void pods_begin(struct controller *c, const struct resource *r UNUSED)
{
    struct workloads *all = c->state;
    pod_cache_list_begin(&all->pods);
}

static void pods_event(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct workloads *all = c->state;
    pod_cache_saw(&all->pods, ev->object, ev->change == INFORMER_DELETED);
}

static void pods_synced(struct controller *c, const struct resource *r UNUSED)
{
    struct workloads *all = c->state;
    pod_cache_list_end(&all->pods);
    map_foreach(e, &all->pods.pods_)
    {
        struct pod_record *p = e->value;
        if (p->unconfirmed)
            workqueue_add(c->queue, p->key);
    }
    all->pods_synced = true;
    check_synced(all);
}

/* --- pods that only an answer has brought ---------------------------------------------------------------------------------------- */

static void looked(struct job *j)
{
    struct workloads *all = j->c->state;
    struct pod_record *p = pod_cache_find(&all->pods, j->key);
    str *uid = j->state;
    if (job_not_found(j) || (job_ok(j) && !str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), *uid))) {
        if (p && p->unconfirmed)
            pod_cache_absent(&all->pods, j->key, *uid);
        job_end(j, WORK_OK);
        return;
    }
    job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
}

static void look(struct job *j)
{
    struct workloads *all = j->c->state;
    struct pod_record *p = pod_cache_find(&all->pods, j->key);
    if (!p || !p->unconfirmed) {
        job_end(j, WORK_OK);
        return;
    }
    str *uid = j->state = arena_new(&j->arena, str);
    *uid = arena_str(&j->arena, p->uid);
    job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/pods/" STR_FMT, STR_ARG(p->ns), STR_ARG(p->name)), NULL, looked);
}

/* --- life --------------------------------------------------------------------------------------------------------------------------- */

/* Heartbeats write a node's status every few seconds: what daemons depend on is its labels and its spec. */
static str keep_node(struct arena *a, str text)
{
    str meta, labels = S("{}"), name = S(""), spec = S("{}");
    if (raw_member(text, S("metadata"), &meta)) {
        raw_member(meta, S("labels"), &labels);
        raw_member_text(meta, S("name"), &name);
    }
    raw_member(text, S("spec"), &spec);
    return arena_fmt(a, "{\"metadata\":{\"name\":\"" STR_FMT "\",\"labels\":" STR_FMT "},\"spec\":" STR_FMT "}", STR_ARG(name), STR_ARG(labels), STR_ARG(spec));
}

/* Claims are written several times on their way to a volume: what StatefulSets depend on is that they are there, whose they are and whether they go. */
static str keep_claim(struct arena *a, str text)
{
    str meta, owners = S("[]"), uid = S(""), deleted = S("null");
    if (raw_member(text, S("metadata"), &meta)) {
        raw_member(meta, S("ownerReferences"), &owners);
        raw_member(meta, S("deletionTimestamp"), &deleted);
        raw_member_text(meta, S("uid"), &uid);
    }
    return arena_fmt(a, "{\"metadata\":{\"uid\":\"" STR_FMT "\",\"ownerReferences\":" STR_FMT ",\"deletionTimestamp\":" STR_FMT "}}", STR_ARG(uid), STR_ARG(owners), STR_ARG(deleted));
}

static void init(struct controller *c)
{
    struct workloads *all = c->state = xnew(struct workloads);
    all->c = c;
    pod_cache_init(&all->pods);
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        object_cache_init(&all->objects[i]);
    all->objects[WORKLOAD_NODE].keep = keep_node;
    all->objects[WORKLOAD_CLAIM].keep = keep_claim;
    pod_cache_subscribe(&all->pods, on_pod, all);
}

static void fini(struct controller *c)
{
    struct workloads *all = c->state;
    pod_cache_fini(&all->pods);
    for (int i = 0; i < WORKLOAD_KINDS; i++)
        object_cache_fini(&all->objects[i]);
    vec_fini(&all->members);
    vec_fini(&all->waiters);
    free(all);
}

#define OBJECTS(g, p) {.group = g, .plural = p, .begin = object_begin, .event = object_event, .synced = object_synced}

const struct controller_type controller_workload_caches = {
    .name = "workload-caches",
    .parallel = 16,
    .watches = {{.group = "", .plural = "pods", .begin = pods_begin, .event = pods_event, .synced = pods_synced},
                OBJECTS("apps", "replicasets"),
                OBJECTS("", "replicationcontrollers"),
                OBJECTS("apps", "deployments"),
                OBJECTS("apps", "statefulsets"),
                OBJECTS("apps", "daemonsets"),
                OBJECTS("batch", "jobs"),
                OBJECTS("batch", "cronjobs"),
                OBJECTS("apps", "controllerrevisions"),
                OBJECTS("", "nodes"),
                OBJECTS("", "persistentvolumeclaims")},
    .init = init,
    .fini = fini,
    .reconcile = look,
};

/* --- one reconcile ---------------------------------------------------------------------------------------------------------------- */

bool workload_begin(struct job *j, struct workload *w, enum workload_kind kind)
{
    struct workloads *all = workloads_of(j->c);
    struct object *o = all->synced ? object_cache_find(&all->objects[kind], j->key) : NULL;
    if (!o) {
        job_end(j, WORK_OK);
        return false;
    }
    *w = (struct workload){.all = all, .kind = kind, .obj = object_read(&j->arena, o), .now = clock_wall(j->c->opts->clock), .seek = o->seek};
    w->meta = json_get(&w->obj, S("metadata"));
    w->spec = json_get(&w->obj, S("spec"));
    w->ns = json_get_str(w->meta, S("namespace"));
    w->name = json_get_str(w->meta, S("name"));
    w->uid = json_get_str(w->meta, S("uid"));
    if (workload_types[kind].owns_pods || kind == WORKLOAD_DEPLOYMENT)
        w->selector.nothing = !selector_of(&j->arena, kind, w->spec, &w->selector);
    return true;
}

str workload_path(struct arena *a, const struct workload *w, const char *subresource)
{
    const struct workload_type *t = &workload_types[w->kind];
    struct resource r = {.group = str_of(t->group), .version = str_of(t->version), .plural = str_of(t->plural), .namespaced = true};
    str path = resource_path(a, &r, w->ns, w->name);
    return subresource[0] ? arena_fmt(a, STR_FMT "/%s", STR_ARG(path), subresource) : path;
}

str workload_child_path(struct arena *a, const struct workload *w, const char *plural, str name)
{
    return arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/%s%s" STR_FMT, STR_ARG(w->ns), plural, name.len ? "/" : "", STR_ARG(name));
}

struct json workload_owner_ref(struct arena *a, const struct workload *w)
{
    const struct workload_type *t = &workload_types[w->kind];
    struct json ref = json_object();
    json_set(a, &ref, S("apiVersion"), json_string(t->group[0] ? arena_fmt(a, "%s/%s", t->group, t->version) : S("v1")));
    json_set(a, &ref, S("kind"), json_string(str_of(t->kind)));
    json_set(a, &ref, S("name"), json_string(w->name));
    json_set(a, &ref, S("uid"), json_string(w->uid));
    json_set(a, &ref, S("controller"), json_bool(true));
    json_set(a, &ref, S("blockOwnerDeletion"), json_bool(true));
    return ref;
}

struct json workload_pod(struct arena *a, const struct workload *w, const struct json *template, str name, bool generate)
{
    static const str taken[] = {STR_INIT("labels"), STR_INIT("annotations"), STR_INIT("finalizers")};
    struct json pod = json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}"), *meta = json_ensure_object(a, &pod, S("metadata")), refs = json_array();
    json_set(a, meta, generate ? S("generateName") : S("name"), json_string(name));
    json_set(a, meta, S("namespace"), json_string(w->ns));
    const struct json *from = json_get(template, S("metadata")), *spec = json_get(template, S("spec"));
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (json_get(from, taken[i]))
            json_set(a, meta, taken[i], json_copy(a, json_get(from, taken[i])));
    json_push(a, &refs, workload_owner_ref(a, w));
    json_set(a, meta, S("ownerReferences"), refs);
    json_set(a, &pod, S("spec"), spec ? json_copy(a, spec) : json_object());
    return pod;
}

/* --- claims --- */

struct claim {
    struct workload *w;
    struct ops ops;
};

static void add_claim(struct job *j, struct claim *c, const struct pod_record *p, bool take)
{
    struct arena *a = &j->arena;
    struct json body = json_object(), refs = json_array(), ref = json_object(), *meta = json_ensure_object(a, &body, S("metadata"));
    json_set(a, meta, S("uid"), json_string(arena_str(a, p->uid)));
    if (take) {
        ref = workload_owner_ref(a, c->w);
    } else {
        json_set(a, &ref, S("$patch"), json_string(S("delete")));
        json_set(a, &ref, S("uid"), json_string(c->w->uid));
    }
    json_push(a, &refs, ref);
    json_set(a, meta, S("ownerReferences"), refs);
    ops_add(a, &c->ops, (struct op){.type = OP_POD_PATCH, .method = S("PATCH"), .content_type = S("application/strategic-merge-patch+json"), .body = body,
                                    .path = workload_child_path(a, c->w, "pods", p->name), .key = arena_str(a, p->key), .uid = arena_str(a, p->uid)});
}

static void claimed(struct job *j)
{
    struct claim *c = j->state;
    struct workload *w = c->w;
    struct object *o = object_cache_find(&w->all->objects[w->kind], j->key);
    if (o && str_eq(o->uid, w->uid) && !ops_failure(&c->ops))
        o->seek = false;
    j->state = w;
    w->next_(j);
}

/* The cache may not know yet that the owner goes: its pods would go with it. */
static void checked_owner(struct job *j)
{
    struct claim *c = j->state;
    bool alive = job_ok(j) && !object_deleting(&j->answer) && str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), c->w->uid);
    if (alive)
        ops_run(j, &c->ops, claimed);
    else
        job_end(j, job_ok(j) || job_not_found(j) ? WORK_OK : WORK_RETRY);
}

void workload_claim(struct job *j, struct workload *w, void (*next)(struct job *j))
{
    struct claim *c = arena_new(&j->arena, struct claim);
    bool deleting = object_deleting(&w->obj), takes = false;
    c->w = w;
    w->next_ = next;
    j->state = c;
    pod_cache_foreach(p, pod_cache_owned(&w->all->pods, w->uid))
    {
        struct json labels = pod_labels(p, &j->arena);
        if (!deleting && !pod_is_gone(p) && !selector_match_labels(&w->selector, &labels))
            add_claim(j, c, p, false);
    }
    if (w->seek && !deleting) {
        pod_cache_foreach(p, pod_cache_orphans(&w->all->pods, w->ns))
        {
            struct json labels = pod_labels(p, &j->arena);
            if (!pod_is_active(p) || w->selector.nothing || !selector_match_labels(&w->selector, &labels))
                continue;
            add_claim(j, c, p, true);
            takes = true;
        }
    }
    if (takes)
        job_call(j, S("GET"), workload_path(&j->arena, w, ""), NULL, checked_owner);
    else if (c->ops.len)
        ops_run(j, &c->ops, claimed);
    else
        claimed(j);
}

/* --- status --- */

/* A merge patch removes only what it names: null for what old has and the new one has not. */
static void drop_missing(struct arena *a, const struct json *old, struct json *new)
{
    for (uint32_t i = 0; json_is(old, JSON_OBJECT) && json_is(new, JSON_OBJECT) && i < old->len; i++) {
        struct json *v = json_get(new, old->members[i].key);
        if (v)
            drop_missing(a, &old->members[i].value, v);
        else
            json_set(a, new, old->members[i].key, json_null());
    }
}

void workload_status(struct job *j, struct workload *w, const struct json *status, void (*next)(struct job *j))
{
    struct arena *a = &j->arena;
    const struct json *old = json_get(&w->obj, S("status"));
    struct json patch = patch_of(a, &w->obj), empty = json_object();
    if (json_is(&w->notes, JSON_OBJECT))
        json_set(a, json_get(&patch, S("metadata")), S("annotations"), w->notes);
    else if (json_equal(old ? old : &empty, status)) {
        j->status = 200;
        next(j);
        return;
    }
    struct json changed = json_copy(a, status);
    drop_missing(a, old, &changed);
    json_set(a, &patch, S("status"), changed);
    job_call(j, S("PATCH"), workload_path(a, w, "status"), &patch, next);
}

/* --- small things --- */

nsec_t workload_seconds(const struct json *obj, str key)
{
    return json_get_int(obj, key, 0) * NSEC_PER_SEC;
}

void status_int(struct arena *a, struct json *status, const char *key, int64_t value)
{
    if (value)
        json_set(a, status, str_of(key), json_int(a, value));
    else
        json_del(status, str_of(key));
}

int64_t int_or_percent(const struct json *v, int64_t total, bool round_up, int64_t otherwise)
{
    int64_t n;
    str text = json_str(v);
    if (json_is(v, JSON_STRING) && str_has_suffix(text, S("%")) && str_to_i64(str_sub(text, 0, text.len - 1), &n))
        return (n * total + (round_up ? 99 : 0)) / 100;
    return str_to_i64(text, &n) ? n : otherwise;
}

str hash_name(struct arena *a, str text, int64_t salt)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";
    char out[10];
    uint64_t h = str_hash(text) ^ ((uint64_t)salt * 0x9e3779b97f4a7c15u);
    for (size_t i = 0; i < sizeof out; i++, h /= sizeof letters - 1)
        out[i] = letters[h % (sizeof letters - 1)];
    return arena_str(a, str_n(out, sizeof out));
}
