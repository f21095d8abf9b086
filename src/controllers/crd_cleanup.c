/* crd_cleanup.c - a CustomResourceDefinition that is being deleted goes when its objects have gone.
 *
 *   live definition ─► Terminating: in progress ─► list objects ─► delete them, namespace by namespace ─► list again ─► none: Terminating: completed ─► finalizer
 *
 * The objects of a resource that is built in stay: its definition says nothing that is in force.
 * It also makes discovery run again when definitions change, and once more as long as an established one is not served yet. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/resource.h"
#include "base/map.h"
#include "controllers/controller.h"

#define FINALIZER "customresourcecleanup.apiextensions.k8s.io"
#define NOT_SERVED_TRIES 25

struct run {
    struct json crd;
    struct resource res;
    str path; /* of the definition */
    str *places; /* namespaces with objects, "" for cluster scope */
    size_t nplaces, at;
    bool deleted; /* in this run */
};

static void list_objects(struct job *j);

static bool condition_is(const struct json *crd, const char *type)
{
    const struct json *list = json_path(crd, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* --- the end --------------------------------------------------------------------------------------------------------------- */

static void ended(struct job *j)
{
    job_end_status(j);
}

static void remove_finalizer(struct job *j)
{
    struct run *r = j->state;
    struct json patch = finalizer_removal(&j->arena, &r->crd, S(FINALIZER));
    job_call(j, S("PATCH"), r->path, &patch, ended);
}

/* Writes the condition, if it is news, and goes on with next. */
static void set_terminating(struct job *j, bool status, const char *reason, str message, void (*next)(struct job *j))
{
    struct run *r = j->state;
    if (!condition_set(&j->arena, j->c->opts->clock, &r->crd, "Terminating", status, str_of(reason), message)) {
        j->status = 200;
        j->answer = r->crd;
        next(j);
        return;
    }
    job_call(j, S("PUT"), arena_fmt(&j->arena, STR_FMT "/status", STR_ARG(r->path)), &r->crd, next);
}

static void completed(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->crd = j->answer;
    remove_finalizer(j);
}

static void failed(struct job *j)
{
    job_end(j, WORK_RETRY);
}

/* --- objects ------------------------------------------------------------------------------------------------------------------- */

static void place_deleted(struct job *j);

static void delete_next(struct job *j)
{
    struct run *r = j->state;
    if (r->at == r->nplaces) {
        list_objects(j);
        return;
    }
    struct json options = delete_options(&j->arena, S(""), S("Background"));
    job_call(j, S("DELETE"), resource_path(&j->arena, &r->res, r->places[r->at], S("")), &options, place_deleted);
}

static void place_deleted(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && j->status != 404) {
        str why = arena_fmt(&j->arena, "could not issue all deletes: " STR_FMT, STR_ARG(json_get_str(&j->answer, S("message"))));
        set_terminating(j, true, "InstanceDeletionFailed", why, failed);
        return;
    }
    r->at++;
    delete_next(j);
}

static void collect_places(struct job *j, const struct json *items)
{
    struct run *r = j->state;
    struct map seen = MAP_INIT;
    r->places = arena_array(&j->arena, items->len, str);
    r->nplaces = r->at = 0;
    for (uint32_t i = 0; i < items->len; i++) {
        str ns = json_get_str(json_get(&items->items[i], S("metadata")), S("namespace"));
        if (map_has(&seen, ns))
            continue;
        map_put(&seen, ns.p ? ns : S(""), r);
        r->places[r->nplaces++] = ns;
    }
    map_fini(&seen);
}

static void objects_listed(struct job *j)
{
    struct run *r = j->state;
    const struct json *items = json_get(&j->answer, S("items"));
    if (!job_ok(j)) {
        str why = arena_fmt(&j->arena, "could not list instances: " STR_FMT, STR_ARG(json_get_str(&j->answer, S("message"))));
        set_terminating(j, true, "InstanceDeletionFailed", why, failed);
        return;
    }
    if (!json_is(items, JSON_ARRAY) || !items->len) {
        set_terminating(j, false, "InstanceDeletionCompleted", S("removed all instances"), completed);
        return;
    }
    bool more = json_get_str(json_get(&j->answer, S("metadata")), S("continue")).len > 0;
    if (r->deleted && !more) { /* what is left waits for its finalizers */
        job_end(j, WORK_RETRY);
        return;
    }
    r->deleted = true;
    collect_places(j, items);
    delete_next(j);
}

static void list_objects(struct job *j)
{
    struct run *r = j->state;
    str path = resource_path(&j->arena, &r->res, S(""), S(""));
    job_call(j, S("GET"), arena_fmt(&j->arena, STR_FMT "?limit=%d", STR_ARG(path), INFORMER_PAGE), NULL, objects_listed);
}

/* --- starting ---------------------------------------------------------------------------------------------------------------------- */

static void begun(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    r->crd = j->answer;
    list_objects(j);
}

/* A version that is served: objects are the same through all of them. */
static bool find_resource(struct run *r)
{
    const struct json *spec = json_get(&r->crd, S("spec")), *versions = json_get(spec, S("versions"));
    r->res = (struct resource){.group = json_get_str(spec, S("group")), .plural = json_get_str(json_get(spec, S("names")), S("plural")),
                               .namespaced = str_is(json_get_str(spec, S("scope")), "Namespaced")};
    for (uint32_t i = 0; json_is(versions, JSON_ARRAY) && i < versions->len; i++)
        if (json_get_bool(&versions->items[i], S("served"), false))
            r->res.version = json_get_str(&versions->items[i], S("name"));
    return r->res.version.len > 0;
}

static void check_served(struct job *j)
{
    struct resource_set *set = resources_current(controllers_resources(j->c->all));
    str group = json_get_str(json_get(&j->answer, S("spec")), S("group")), plural = json_get_str(json_path(&j->answer, "spec", "names", NULL), S("plural"));
    if (!condition_is(&j->answer, "Established") || (set && resource_find(set, group, plural)) || j->work->failures > NOT_SERVED_TRIES) {
        job_end(j, WORK_OK);
        return;
    }
    controllers_rediscover(j->c->all);
    job_end(j, WORK_RETRY);
}

static void got_definition(struct job *j)
{
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    if (!object_deleting(&j->answer)) {
        check_served(j);
        return;
    }
    if (!object_has_finalizer(&j->answer, S(FINALIZER))) {
        job_end(j, WORK_OK);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->crd = j->answer;
    r->path = arena_fmt(&j->arena, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" STR_FMT, STR_ARG(j->key));
    bool found = find_resource(r);
    if (api_builtin_find(r->res.group, r->res.plural, json_get_str(json_path(&r->crd, "spec", "names", NULL), S("kind"))))
        set_terminating(j, false, "InstanceDeletionCompleted", S("the resource is built in: its objects stay"), completed);
    else if (!condition_is(&r->crd, "Established") || !found)
        set_terminating(j, false, "NeverEstablished", S("resource was never established"), completed);
    else
        set_terminating(j, true, "InstanceDeletionInProgress", S("CustomResource deletion is in progress"), begun);
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), arena_fmt(&j->arena, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" STR_FMT, STR_ARG(j->key)), NULL, got_definition);
}

static void on_definition(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_LISTED)
        controllers_rediscover(c->all);
    if (ev->change != INFORMER_DELETED)
        controller_enqueue(c, ev);
}

const struct controller_type controller_crd_cleanup = {
    .name = "crd-cleanup",
    .parallel = 2,
    .max_delay_ns = NSEC_PER_SEC,
    .watches = {{.group = "apiextensions.k8s.io", .plural = "customresourcedefinitions", .event = on_definition}},
    .reconcile = reconcile,
};
