/* volumes_bind.c - claims and volumes find each other, volumes on nodes' disks are made and go.
 *
 *   "ns/claim" ─► read it ─┬─ bound: are both still there? ─► Bound or Lost
 *                          ├─ a volume fits (or waits for it) ─► volume: claimRef ─► claim: volumeName ─► phases
 *                          └─ its class makes volumes, and it is clear on which node ─► make one, then as above
 *   "volume"   ─► read it, read its claim ─► phase ─► reclaim
 * A volume is picked from the cache and read again before it is written, with its revision: of two claims that pick the same the second looks again.
 * A claim whose class waits for its first consumer gets what the scheduler chose: a volume whose claimRef it set, or the node in the claim's annotation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"
#include "controllers/events.h"
#include "client/object_cache.h"
#include "controllers/volumes.h"
#include "controllers/volumes_plan.h"

#define COMPONENT "persistentvolume-controller"

struct volumes {
    struct controller *c;
    struct object_cache claims, volumes, classes;
    struct map free; /* name -> struct object: volumes that have no claim yet */
    struct map refs; /* uid of a claim -> struct object: the volume whose claimRef it is.  Not by name: a volume that was released names a claim that is gone, and its successor may have the same name */
    bool synced;
};

struct run {
    struct json claim, volume, class;
    str volume_name;
    bool has_class;
};

static str path_of(struct job *j, const char *plural, str ns, str name, const char *sub)
{
    struct resource r = {.group = S(""), .version = S("v1"), .plural = str_of(plural), .namespaced = ns.len > 0};
    return arena_cat(&j->arena, resource_path(&j->arena, &r, ns, name), str_of(sub));
}

static str claim_path(struct job *j, const char *sub)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    return path_of(j, "persistentvolumeclaims", ns, name, sub);
}

static str volume_path(struct job *j, str name, const char *sub)
{
    return path_of(j, "persistentvolumes", S(""), name, sub);
}

static const struct json *meta_of(const struct json *obj)
{
    return json_get(obj, S("metadata"));
}

static str name_of(const struct json *obj)
{
    return json_get_str(meta_of(obj), S("name"));
}

static str phase_of(const struct json *obj)
{
    return json_get_str(json_get(obj, S("status")), S("phase"));
}

static void ended(struct job *j)
{
    job_end_status(j);
}

static void say(struct job *j, enum event_type type, const char *reason, const char *what)
{
    struct run *r = j->state;
    struct event_ref ref = event_ref_of(&r->claim, "v1", "PersistentVolumeClaim");
    controller_event(j->c, COMPONENT, &ref, type, reason, "%s", what);
}

/* --- the claim's end of the binding ------------------------------------------------------------------------------------------------ */

static void write_claim_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *status = json_get(&r->claim, S("status")), *capacity = json_path(&r->volume, "spec", "capacity", NULL), *modes = json_path(&r->volume, "spec", "accessModes", NULL);
    const struct json *had = json_get(status, S("capacity")), *had_modes = json_get(status, S("accessModes"));
    bool same = str_is(phase_of(&r->claim), "Bound") && had && capacity && json_equal(had, capacity) && had_modes && modes && json_equal(had_modes, modes);
    if (same) {
        job_end(j, WORK_OK);
        return;
    }
    struct json patch = patch_of(a, &r->claim), *st = json_ensure_object(a, &patch, S("status"));
    json_set(a, st, S("phase"), json_string(S("Bound")));
    if (capacity)
        json_set(a, st, S("capacity"), *capacity);
    if (modes)
        json_set(a, st, S("accessModes"), *modes);
    job_call(j, S("PATCH"), claim_path(j, "/status"), &patch, ended);
}

static void wrote_claim(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->claim = j->answer;
    write_claim_status(j);
}

static void write_claim(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    bool named = str_eq(json_get_str(json_get(&r->claim, S("spec")), S("volumeName")), name_of(&r->volume));
    if (named && claim_is_bound(&r->claim)) {
        write_claim_status(j);
        return;
    }
    struct json patch = patch_of(a, &r->claim), *notes = json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations"));
    json_set(a, notes, S(VOLUMES_BIND_COMPLETED), json_string(S("yes")));
    if (!named) {
        json_set(a, notes, S(VOLUMES_BOUND_BY), json_string(S("yes")));
        json_set(a, json_ensure_object(a, &patch, S("spec")), S("volumeName"), json_string(name_of(&r->volume)));
    }
    job_call(j, S("PATCH"), claim_path(j, ""), &patch, wrote_claim);
}

/* --- the volume's end ----------------------------------------------------------------------------------------------------------------- */

static void wrote_volume_status(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->volume = j->answer;
    write_claim(j);
}

static void write_volume_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (str_is(phase_of(&r->volume), "Bound")) {
        write_claim(j);
        return;
    }
    struct json patch = patch_of(a, &r->volume);
    json_set(a, json_ensure_object(a, &patch, S("status")), S("phase"), json_string(S("Bound")));
    job_call(j, S("PATCH"), volume_path(j, name_of(&r->volume), "/status"), &patch, wrote_volume_status);
}

static void wrote_volume(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->volume = j->answer;
    write_volume_status(j);
}

/* Both are fresh, and belong together or may. */
static void bind(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *ref = json_path(&r->volume, "spec", "claimRef", NULL);
    if (volume_is_for(&r->volume, &r->claim) && json_get_str(ref, S("uid")).len) {
        write_volume_status(j);
        return;
    }
    struct json patch = patch_of(a, &r->volume);
    if (!json_is(ref, JSON_OBJECT)) /* else somebody meant it for this claim */
        json_set(a, json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations")), S(VOLUMES_BOUND_BY), json_string(S("yes")));
    json_set(a, json_ensure_object(a, &patch, S("spec")), S("claimRef"), claim_reference(a, &r->claim));
    job_call(j, S("PATCH"), volume_path(j, name_of(&r->volume), ""), &patch, wrote_volume);
}

/* --- making a volume ---------------------------------------------------------------------------------------------------------------------- */

static void made_volume(struct job *j)
{
    struct run *r = j->state;
    if (j->status == 409) { /* made before, and perhaps not remembered */
        job_end_after(j, NSEC_PER_SEC);
        return;
    }
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->volume = j->answer;
    say(j, EVENT_NORMAL, "ProvisioningSucceeded", "A volume was made on the node's disk.");
    bind(j);
}

static void forgot_node(struct job *j)
{
    job_end_status(j);
}

static void got_node(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (job_not_found(j)) { /* the scheduler chooses again */
        struct json patch = patch_of(a, &r->claim);
        json_set(a, json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations")), S(VOLUMES_SELECTED_NODE), json_null());
        job_call(j, S("PATCH"), claim_path(j, ""), &patch, forgot_node);
        return;
    }
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    struct json volume = local_path_volume(a, &r->claim, &r->class, &j->answer);
    job_call(j, S("POST"), volume_path(j, S(""), ""), &volume, made_volume);
}

/* Somebody else's provisioner looks for this annotation. */
static void name_provisioner(struct job *j, str provisioner)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *notes = json_get(meta_of(&r->claim), S("annotations"));
    if (str_eq(json_get_str(notes, S(VOLUMES_PROVISIONER)), provisioner)) {
        job_end(j, WORK_OK);
        return;
    }
    struct json patch = patch_of(a, &r->claim), *set = json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations"));
    json_set(a, set, S(VOLUMES_PROVISIONER), json_string(provisioner));
    json_set(a, set, S(VOLUMES_PROVISIONER_BETA), json_string(provisioner));
    job_call(j, S("PATCH"), claim_path(j, ""), &patch, ended);
}

static bool class_waits(const struct run *r)
{
    return r->has_class && str_is(json_get_str(&r->class, S("volumeBindingMode")), "WaitForFirstConsumer");
}

static void provision(struct job *j)
{
    struct run *r = j->state;
    str provisioner = json_get_str(&r->class, S("provisioner")), node = json_get_str(json_get(meta_of(&r->claim), S("annotations")), S(VOLUMES_SELECTED_NODE));
    const char *why;
    if (!r->has_class || str_is(provisioner, "kubernetes.io/no-provisioner")) {
        job_end(j, WORK_OK);
    } else if (class_waits(r) && !node.len) {
        say(j, EVENT_NORMAL, "WaitForFirstConsumer", "The volume is made or chosen when the first pod that uses the claim is placed.");
        job_end(j, WORK_OK);
    } else if (!str_is(provisioner, LOCAL_PATH)) {
        name_provisioner(j, provisioner);
    } else if (!local_path_supports(&r->claim, &why) || !node.len) {
        say(j, EVENT_WARNING, "ProvisioningFailed", node.len ? why : "A local-path volume is made on the node of its pod: its class must wait for the first consumer.");
        job_end(j, WORK_OK);
    } else {
        job_call(j, S("GET"), path_of(j, "nodes", S(""), node, ""), NULL, got_node);
    }
}

/* --- one claim ------------------------------------------------------------------------------------------------------------------------------ */

static void set_claim_phase(struct job *j, const char *phase)
{
    struct run *r = j->state;
    if (str_is(phase_of(&r->claim), phase)) {
        job_end(j, WORK_OK);
        return;
    }
    struct json patch = patch_of(&j->arena, &r->claim);
    json_set(&j->arena, json_ensure_object(&j->arena, &patch, S("status")), S("phase"), json_string(str_of(phase)));
    if (strcmp(phase, "Lost") == 0)
        say(j, EVENT_WARNING, "ClaimLost", "The volume of the claim is gone or another claim's: its data is lost to this one.");
    job_call(j, S("PATCH"), claim_path(j, "/status"), &patch, ended);
}

/* The claim names a volume. */
static void got_named(struct job *j)
{
    struct run *r = j->state;
    bool bound = claim_is_bound(&r->claim);
    const char *why;
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->volume = j->answer;
    bool is_ours = job_ok(j) && volume_is_for(&r->volume, &r->claim);
    if (is_ours || (job_ok(j) && !bound && volume_fits(&j->arena, &r->volume, &r->claim, &why)))
        bind(j);
    else
        set_claim_phase(j, bound ? "Lost" : "Pending"); /* the volume's next change brings it back */
}

static void got_chosen(struct job *j)
{
    struct run *r = j->state;
    const char *why;
    bool promised = job_ok(j) && !volume_is_free(&j->answer) && volume_is_for(&j->answer, &r->claim);
    if (!job_ok(j) || (!promised && !volume_fits(&j->arena, &j->answer, &r->claim, &why))) {
        job_end(j, WORK_RETRY); /* the cache will know better in a moment */
        return;
    }
    r->volume = j->answer;
    bind(j);
}

/* "" when none fits.  A class that waits takes only what was meant for the claim. */
static str choose(struct volumes *v, struct job *j)
{
    struct run *r = j->state;
    struct object *best = NULL;
    const char *why;
    map_foreach(e, &v->free)
    {
        struct object *o = e->value;
        const struct json *tree = object_tree(o);
        if ((class_waits(r) && !volume_is_for(tree, &r->claim)) || !volume_fits(&j->arena, tree, &r->claim, &why))
            continue;
        if (!best || volume_is_better(tree, object_tree(best), &r->claim))
            best = o;
    }
    return best ? arena_str(&j->arena, best->name) : S("");
}

/* Made or promised for this claim, by its uid: so it is not among the free ones. */
static str find_promised(struct volumes *v, struct job *j)
{
    struct run *r = j->state;
    struct object *o = map_get(&v->refs, json_get_str(meta_of(&r->claim), S("uid")));
    bool is_ours = o && !volume_is_free(object_tree(o)) && volume_is_for(object_tree(o), &r->claim);
    return is_ours ? arena_str(&j->arena, o->name) : S("");
}

static void got_claim(struct job *j)
{
    struct run *r = j->state;
    struct volumes *v = j->c->state;
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    r->claim = j->answer;
    str named = json_get_str(json_get(&r->claim, S("spec")), S("volumeName")), class = claim_class(&r->claim);
    struct object *c = class.len ? object_cache_find(&v->classes, class) : NULL;
    r->has_class = c != NULL;
    if (c)
        r->class = object_read(&j->arena, c);
    if (named.len) {
        job_call(j, S("GET"), volume_path(j, named, ""), NULL, got_named);
        return;
    }
    str chosen = find_promised(v, j);
    chosen = chosen.len ? chosen : choose(v, j);
    if (chosen.len)
        job_call(j, S("GET"), volume_path(j, chosen, ""), NULL, got_chosen);
    else
        provision(j);
}

/* --- one volume ------------------------------------------------------------------------------------------------------------------------------- */

static void reclaimed(struct job *j)
{
    job_end_status(j);
}

static void reclaim(struct job *j)
{
    struct run *r = j->state;
    struct volume_plan p = volume_plan_make(&r->volume, json_is(&r->claim, JSON_OBJECT) ? &r->claim : NULL);
    if (p.fate != VOLUME_GOES || object_deleting(&r->volume)) {
        job_end(j, WORK_OK);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta_of(&r->volume), S("uid")), S(""));
    json_set(&j->arena, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(meta_of(&r->volume), S("resourceVersion"))));
    job_call(j, S("DELETE"), volume_path(j, j->key, ""), &options, reclaimed);
}

static void wrote_phase(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->volume = j->answer;
    reclaim(j);
}

static void settle_volume(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct volume_plan p = volume_plan_make(&r->volume, json_is(&r->claim, JSON_OBJECT) ? &r->claim : NULL);
    bool failed = str_is(phase_of(&r->volume), "Failed") && strcmp(p.phase, "Released") == 0; /* it stays failed until somebody helps */
    if (str_is(phase_of(&r->volume), p.phase) || failed) {
        reclaim(j);
        return;
    }
    struct json patch = patch_of(a, &r->volume), *st = json_ensure_object(a, &patch, S("status"));
    json_set(a, st, S("phase"), json_string(str_of(p.phase)));
    json_set(a, st, S("message"), p.why ? json_string(str_of(p.why)) : json_null());
    job_call(j, S("PATCH"), volume_path(j, j->key, "/status"), &patch, wrote_phase);
}

static void got_claim_of_volume(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->claim = job_ok(j) ? j->answer : json_null();
    settle_volume(j);
}

/* Its node is gone, so nobody will remove the folder. */
static void got_node_of_volume(struct job *j)
{
    struct run *r = j->state;
    if (!job_not_found(j)) {
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY); /* the agent's matter */
        return;
    }
    struct json patch = finalizer_removal(&j->arena, &r->volume, S(LOCAL_PATH));
    log_info("a volume goes with its node", KV("volume", STR_FMT, STR_ARG(j->key)));
    job_call(j, S("PATCH"), volume_path(j, j->key, ""), &patch, ended);
}

static void got_volume(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->volume = j->answer;
    str node = json_get_str(json_get(meta_of(&r->volume), S("labels")), S(LOCAL_PATH_NODE_LABEL));
    const struct json *ref = json_path(&r->volume, "spec", "claimRef", NULL);
    str ns = json_get_str(ref, S("namespace")), name = json_get_str(ref, S("name"));
    bool is_held = object_deleting(&r->volume) && object_has_finalizer(&r->volume, S(LOCAL_PATH)) && !str_is(phase_of(&r->volume), "Bound");
    if (is_held && node.len)
        job_call(j, S("GET"), path_of(j, "nodes", S(""), node, ""), NULL, got_node_of_volume);
    else if (json_get_str(ref, S("uid")).len && ns.len && name.len)
        job_call(j, S("GET"), path_of(j, "persistentvolumeclaims", ns, name, ""), NULL, got_claim_of_volume);
    else
        settle_volume(j);
}

static void reconcile(struct job *j)
{
    struct volumes *v = j->c->state;
    j->state = arena_new(&j->arena, struct run);
    if (!v->synced)
        job_end_after(j, 50 * NSEC_PER_MSEC); /* a volume that is not listed yet may be the right one */
    else if (str_find_char(j->key, '/') >= 0)
        job_call(j, S("GET"), claim_path(j, ""), NULL, got_claim);
    else
        job_call(j, S("GET"), volume_path(j, j->key, ""), NULL, got_volume);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------ */

static struct object_cache *cache_of(struct volumes *v, const struct resource *r)
{
    return str_is(r->plural, "persistentvolumes") ? &v->volumes : str_is(r->plural, "storageclasses") ? &v->classes : &v->claims;
}

/* Claims that have no volume look again: one became free, or a class came. */
static void queue_unbound(struct volumes *v)
{
    map_foreach(e, &v->claims.objects_)
    {
        struct object *o = e->value;
        if (!claim_is_bound(object_tree(o)))
            workqueue_add(v->c->queue, e->key);
    }
}

/* "ns/claim" in the volume's own memory; "" none. */
static str ref_key(struct object *volume)
{
    const struct json *ref = json_path(object_tree(volume), "spec", "claimRef", NULL);
    str ns = json_get_str(ref, S("namespace")), name = json_get_str(ref, S("name"));
    return ns.len && name.len ? arena_fmt(&volume->arena_, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(name)) : S("");
}

static str ref_uid(struct object *volume)
{
    return json_get_str(json_path(object_tree(volume), "spec", "claimRef", NULL), S("uid"));
}

static void ref_changed(struct volumes *v, struct object *was, struct object *now)
{
    str old = was ? ref_key(was) : S(""), fresh = now ? ref_key(now) : S("");
    if (was && map_get(&v->refs, ref_uid(was)) == was)
        map_del(&v->refs, ref_uid(was));
    if (now && ref_uid(now).len && !map_has(&v->refs, ref_uid(now)))
        map_put(&v->refs, ref_uid(now), now);
    if (old.len || fresh.len)
        workqueue_add(v->c->queue, fresh.len ? fresh : old);
}

static void volume_changed(void *arg, const struct object *was, const struct object *now)
{
    struct volumes *v = arg;
    const struct object *any = now ? now : was;
    bool was_free = map_has(&v->free, any->key);
    map_del(&v->free, any->key);
    if (now)
        workqueue_add(v->c->queue, now->key);
    ref_changed(v, (struct object *)was, (struct object *)now);
    if (now && volume_is_free(object_tree((struct object *)now))) {
        map_put(&v->free, now->key, (void *)now);
        bool turned = was && !str_eq(phase_of(object_tree((struct object *)was)), phase_of(object_tree((struct object *)now)));
        if (v->synced && (!was_free || turned))
            queue_unbound(v);
    }
}

static void claim_changed(void *arg, const struct object *was, const struct object *now)
{
    struct volumes *v = arg;
    const struct object *any = now ? now : was;
    str named = json_get_str(json_get(object_tree((struct object *)any), S("spec")), S("volumeName"));
    if (now)
        workqueue_add(v->c->queue, now->key);
    if (named.len) /* its volume may be released, or confirmed */
        workqueue_add(v->c->queue, named);
    bool gone = was && (!now || !str_eq(was->uid, now->uid));
    struct object *promised = gone ? map_get(&v->refs, was->uid) : NULL;
    if (promised) /* the claim may have gone before it could name it */
        workqueue_add(v->c->queue, promised->key);
}

static void class_changed(void *arg, const struct object *was UNUSED, const struct object *now)
{
    struct volumes *v = arg;
    if (now && v->synced)
        queue_unbound(v);
}

static void on_event(struct controller *c, const struct resource *r, struct informer_event *ev)
{
    const struct json *meta = informer_event_meta(ev);
    if (meta)
        object_cache_saw(cache_of(c->state, r), ev->object, meta, ev->change == INFORMER_DELETED);
}

static void on_begin(struct controller *c, const struct resource *r)
{
    object_cache_list_begin(cache_of(c->state, r));
}

static void on_synced(struct controller *c, const struct resource *r)
{
    struct volumes *v = c->state;
    object_cache_list_end(cache_of(v, r));
    v->synced = v->claims.synced && v->volumes.synced && v->classes.synced;
}

/* Volumes of a node that went, when they are on their way out. */
static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct volumes *v = c->state;
    if (ev->change != INFORMER_DELETED)
        return;
    map_foreach(e, &v->volumes.objects_)
    {
        const struct json *tree = object_tree(e->value);
        if (object_deleting(tree) && str_eq(json_get_str(json_get(meta_of(tree), S("labels")), S(LOCAL_PATH_NODE_LABEL)), informer_event_name(ev)))
            workqueue_add(c->queue, e->key);
    }
}

static void init(struct controller *c)
{
    struct volumes *v = c->state = xnew(struct volumes);
    v->c = c;
    object_cache_init(&v->claims);
    object_cache_init(&v->volumes);
    object_cache_init(&v->classes);
    object_cache_subscribe(&v->claims, claim_changed, v);
    object_cache_subscribe(&v->volumes, volume_changed, v);
    object_cache_subscribe(&v->classes, class_changed, v);
}

static void fini(struct controller *c)
{
    struct volumes *v = c->state;
    map_fini(&v->free);
    map_fini(&v->refs);
    object_cache_fini(&v->claims);
    object_cache_fini(&v->volumes);
    object_cache_fini(&v->classes);
    free(v);
}

const struct controller_type controller_volumes = {
    .name = "volumes",
    .parallel = 8,
    .watches = {{.group = "storage.k8s.io", .plural = "storageclasses", .event = on_event, .begin = on_begin, .synced = on_synced},
                {.group = "", .plural = "persistentvolumes", .event = on_event, .begin = on_begin, .synced = on_synced},
                {.group = "", .plural = "persistentvolumeclaims", .event = on_event, .begin = on_begin, .synced = on_synced},
                {.group = "", .plural = "nodes", .event = on_node}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
