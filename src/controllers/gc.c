/* gc.c - the garbage collector: the graph of owner references, kept by watches, and the calls that its verdicts ask for.
 *
 *   event ─► gc_graph_observe / gone ─► touched nodes ─► queue ─► judge ─► GET the object ─► observe ─► judge again ─► DELETE or PATCH
 *
 * Nothing is deleted on the word of a cache: the object is read again before each change, changes carry its uid or revision, and an owner counts as absent when its deletion
 * was seen or a GET says so.
 * Events of objects that have nothing to do with owners are recognised by their text alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/controller.h"
#include "controllers/gc_graph.h"

/* Dependents come over other watches than their owner: what was created before the owner's deletion has arrived by then. */
#define SETTLE_NS (20 * NSEC_PER_MSEC)
#define UNSYNCED_NS (100 * NSEC_PER_MSEC)

struct gc {
    struct controller *c;
    struct gc_graph *graph;
    struct resource_set *set;
};

/* --- from objects to the graph --------------------------------------------------------------------------------------------------- */

static str group_of(str api_version)
{
    str group = S("");
    if (str_find_char(api_version, '/') >= 0)
        str_cut(&api_version, '/', &group);
    return group;
}

static bool has_finalizer(const struct json *meta, const char *name)
{
    const struct json *list = json_get(meta, S("finalizers"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_str(&list->items[i]), name))
            return true;
    return false;
}

static void observe(struct gc *gc, struct gc_kind *kind, struct arena *a, const struct json *meta)
{
    const struct json *list = json_get(meta, S("ownerReferences"));
    uint32_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    struct gc_ref *refs = arena_array(a, n, struct gc_ref);
    for (uint32_t i = 0; i < n; i++) {
        const struct json *r = &list->items[i];
        str kind_name = json_get_str(r, S("kind")), version = json_get_str(r, S("apiVersion"));
        struct gc_kind *k = gc_graph_kind(gc->graph, group_of(version), kind_name);
        refs[i] = (struct gc_ref){k, json_get_str(r, S("name")), json_get_str(r, S("uid")), json_get_bool(r, S("blockOwnerDeletion"), false)};
    }
    struct gc_object o = {.kind = kind, .ns = json_get_str(meta, S("namespace")), .name = json_get_str(meta, S("name")), .uid = json_get_str(meta, S("uid")),
                          .deleting = json_get_str(meta, S("deletionTimestamp")).len > 0, .foreground = has_finalizer(meta, "foregroundDeletion"),
                          .orphan = has_finalizer(meta, "orphan"), .refs = refs, .nrefs = n};
    gc_graph_observe(gc->graph, &o);
}

static bool text_has(str text, const char *needle)
{
    return memmem(text.p, text.len, needle, strlen(needle)) != NULL;
}

static void on_event(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    struct gc *gc = c->state;
    struct gc_kind *kind = gc_graph_kind(gc->graph, r->group, r->kind);
    bool matters = kind->nnodes || (ev->change != INFORMER_DELETED && (text_has(ev->object, "\"ownerReferences\":") || text_has(ev->object, "\"deletionTimestamp\":")));
    const struct json *meta = matters ? informer_event_meta(ev) : NULL;
    if (!meta)
        return;
    if (ev->change == INFORMER_DELETED)
        gc_graph_gone(gc->graph, kind, json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), json_get_str(meta, S("uid")));
    else
        observe(gc, kind, ev->arena_, meta);
}

static void on_begin(struct controller *c, const struct resource *r)
{
    struct gc *gc = c->state;
    gc_graph_list_begin(gc->graph, gc_graph_kind(gc->graph, r->group, r->kind));
}

static void on_synced(struct controller *c, const struct resource *r)
{
    struct gc *gc = c->state;
    gc_graph_list_end(gc->graph, gc_graph_kind(gc->graph, r->group, r->kind));
}

static void on_gone(struct controller *c, const struct resource *r)
{
    struct gc *gc = c->state;
    gc_graph_kind_gone(gc->graph, gc_graph_kind(gc->graph, r->group, r->kind));
}

/* Kinds that are served now, and kinds that are not any more: their owners cannot be looked at until they are back. */
static void resources_changed(struct controller *c, struct resource_set *set)
{
    struct gc *gc = c->state;
    for (size_t i = 0; gc->set && !set->failed.len && i < gc->set->len; i++) {
        const struct resource *r = &gc->set->items[i];
        if (r->preferred && !resource_find(set, r->group, r->plural))
            gc_graph_kind_set(gc->graph, gc_graph_kind(gc->graph, r->group, r->kind), false, false);
    }
    resource_set_unref(gc->set);
    gc->set = resource_set_ref(set);
    for (size_t i = 0; i < set->len; i++) {
        const struct resource *r = &set->items[i];
        if (r->preferred && resource_has(r, RESOURCE_GET))
            gc_graph_kind_set(gc->graph, gc_graph_kind(gc->graph, r->group, r->kind), true, r->namespaced);
    }
}

/* --- one node -------------------------------------------------------------------------------------------------------------------------- */

struct run {
    str path;
    struct json live;
};

static struct gc_node *node_of(struct job *j)
{
    struct gc *gc = j->c->state;
    return gc_graph_find_key(gc->graph, j->key);
}

/* The answer of a change is the newest state: the graph need not wait for the watch. */
static void changed(struct job *j)
{
    struct gc *gc = j->c->state;
    struct gc_node *n = node_of(j);
    const struct json *meta = json_get(&j->answer, S("metadata"));
    if (n && job_ok(j) && str_eq(json_get_str(meta, S("uid")), n->uid) && !object_deleting(&j->answer))
        observe(gc, n->kind, &j->arena, meta);
    job_end_status(j);
}

static void drop_refs(struct job *j, struct gc_node *n)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json patch = patch_of(a, &r->live), kept = json_array();
    const struct json *list = json_path(&r->live, "metadata", "ownerReferences", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (!gc_graph_drops(n, json_get_str(&list->items[i], S("uid"))))
            json_push(a, &kept, list->items[i]);
    json_set(a, json_get(&patch, S("metadata")), S("ownerReferences"), kept.len ? kept : json_null());
    job_call(j, S("PATCH"), r->path, &patch, changed);
}

static void unblock(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json patch = patch_of(a, &r->live), refs = json_array();
    const struct json *list = json_path(&r->live, "metadata", "ownerReferences", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        struct json ref = json_copy(a, &list->items[i]);
        json_set(a, &ref, S("blockOwnerDeletion"), json_bool(false));
        json_push(a, &refs, ref);
    }
    json_set(a, json_get(&patch, S("metadata")), S("ownerReferences"), refs);
    job_call(j, S("PATCH"), r->path, &patch, changed);
}

/* A finalizer that somebody put there says what shall become of the object's own dependents. */
static void delete_object(struct job *j, str policy)
{
    struct run *r = j->state;
    if (object_has_finalizer(&r->live, S("orphan")))
        policy = S("Orphan");
    else if (object_has_finalizer(&r->live, S("foregroundDeletion")))
        policy = S("Foreground");
    struct json options = delete_options(&j->arena, json_get_str(json_get(&r->live, S("metadata")), S("uid")), policy);
    job_call(j, S("DELETE"), r->path, &options, changed);
}

static void finish(struct job *j, struct gc_node *n, str finalizer)
{
    struct run *r = j->state;
    if (!controllers_synced(j->c->all)) {
        job_end_after(j, UNSYNCED_NS);
        return;
    }
    if (!n->settled) {
        n->settled = true;
        job_end_after(j, SETTLE_NS);
        return;
    }
    struct json patch = finalizer_removal(&j->arena, &r->live, finalizer);
    job_call(j, S("PATCH"), r->path, &patch, changed);
}

static void act(struct job *j)
{
    struct gc *gc = j->c->state;
    struct gc_node *n = node_of(j);
    switch (n ? gc_graph_judge(gc->graph, n) : GC_NOTHING) {
    case GC_DELETE:
        delete_object(j, S("Background"));
        return;
    case GC_DELETE_FOREGROUND:
        delete_object(j, S("Foreground"));
        return;
    case GC_UNBLOCK:
        unblock(j);
        return;
    case GC_DROP_REFS:
        drop_refs(j, n);
        return;
    case GC_FINISH_FOREGROUND:
        finish(j, n, S("foregroundDeletion"));
        return;
    case GC_FINISH_ORPHAN:
        finish(j, n, S("orphan"));
        return;
    case GC_NOTHING:
    case GC_VERIFY:
    case GC_WAIT_DEPENDENTS:
        break;
    }
    job_end(j, WORK_OK);
}

static void looked(struct job *j)
{
    struct gc *gc = j->c->state;
    struct run *r = j->state;
    struct gc_node *n = node_of(j);
    const struct json *meta = json_get(&j->answer, S("metadata"));
    if (!n) {
        job_end(j, WORK_OK);
        return;
    }
    bool other = job_ok(j) && !str_eq(json_get_str(meta, S("uid")), n->uid);
    if (job_not_found(j) || other) {
        gc_graph_gone(gc->graph, n->kind, n->ns, n->name, n->uid);
        job_end(j, WORK_OK);
        return;
    }
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->live = j->answer;
    observe(gc, n->kind, &j->arena, meta);
    act(j);
}

static void reconcile(struct job *j)
{
    struct gc *gc = j->c->state;
    struct gc_node *n = node_of(j);
    const struct resource *res = n && gc->set ? resource_find_kind(gc->set, n->kind->group, n->kind->kind) : NULL;
    enum gc_verdict v = res ? gc_graph_judge(gc->graph, n) : GC_NOTHING;
    if (v == GC_NOTHING || v == GC_WAIT_DEPENDENTS) {
        job_end(j, WORK_OK);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->path = resource_path(&j->arena, res, n->ns, n->name);
    job_call(j, S("GET"), r->path, NULL, looked);
}

/* --- life ------------------------------------------------------------------------------------------------------------------------------------ */

static void touched(void *arg, struct gc_node *n)
{
    struct gc *gc = arg;
    workqueue_add(gc->c->queue, n->key);
}

static void init(struct controller *c)
{
    struct gc *gc = c->state = xnew(struct gc);
    gc->c = c;
    gc->graph = gc_graph_new(touched, gc);
}

static void fini(struct controller *c)
{
    struct gc *gc = c->state;
    gc_graph_free(gc->graph);
    resource_set_unref(gc->set);
    free(gc);
}

const struct controller_type controller_gc = {
    .name = "garbage-collector",
    .parallel = 32,
    .max_delay_ns = 30 * NSEC_PER_SEC,
    .watches = {{.group = "", .plural = "*", .event = on_event, .begin = on_begin, .synced = on_synced, .gone = on_gone}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
    .resources_changed = resources_changed,
};
