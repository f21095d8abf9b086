/* endpoints.c - the Endpoints object of each service that selects pods; older clients read it, EndpointSlices say more.
 *
 * An Endpoints object goes with its service.  One that somebody else wrote for a service without selector goes only when the service is seen to go (key "-ns/service"): it may have been made
 * before its service. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/services.h"

struct run {
    struct services *all;
    str ns, name, path;
    bool seen_going;
};

static void ended(struct job *j)
{
    struct run *r = j->state;
    if (job_ok(j) && json_is(&j->answer, JSON_OBJECT))
        services_wrote(r->all, CACHE_ENDPOINTS, &j->answer);
    /* conflict: somebody wrote it meanwhile; forbidden: the namespace has begun to go, and takes all with it */
    job_end(j, job_ok(j) || job_not_found(j) || j->status == 403 ? WORK_OK : WORK_RETRY);
}

static void got_endpoints(struct job *j)
{
    struct run *r = j->state;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    bool ours = str_is(json_get_str(json_get(meta, S("labels")), S(LABEL_ENDPOINTS_MANAGER)), ENDPOINTS_MANAGER);
    if (!job_ok(j) || !(ours || r->seen_going)) {
        job_end_status(j);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S(""));
    job_call(j, S("DELETE"), r->path, &options, ended);
}

static void asked_again(struct job *j)
{
    struct run *r = j->state;
    if (job_not_found(j))
        job_call(j, S("GET"), r->path, NULL, got_endpoints);
    else
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    struct arena *a = &j->arena;
    r->all = services_of(j->c);
    r->seen_going = str_has_prefix(j->key, S("-"));
    str key = r->seen_going ? str_from(j->key, 1) : j->key;
    controller_key_split(key, &r->ns, &r->name);
    r->path = arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/endpoints/" STR_FMT, STR_ARG(r->ns), STR_ARG(r->name));
    struct object *o = object_cache_find(&r->all->cache[CACHE_SERVICES], key), *live = object_cache_find(&r->all->cache[CACHE_ENDPOINTS], key);
    if (!o && live) {
        job_call(j, S("GET"), arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/services/" STR_FMT, STR_ARG(r->ns), STR_ARG(r->name)), NULL, asked_again);
        return;
    }
    struct json service = o ? object_read(a, o) : json_null(), old = live ? object_read(a, live) : json_null();
    if (!o || r->seen_going || object_deleting(&service) || !service_selects_pods(&service)) {
        job_end(j, WORK_OK);
        return;
    }
    size_t n;
    struct endpoint_pod *pods = services_pods(j, &service, &n);
    struct json wanted = endpoints_make(a, &service, pods, n, live ? &old : NULL);
    if (json_is(&wanted, JSON_NULL))
        job_end(j, WORK_OK);
    else if (live)
        job_call(j, S("PUT"), r->path, &wanted, ended);
    else
        job_call(j, S("POST"), arena_fmt(a, "/api/v1/namespaces/" STR_FMT "/endpoints", STR_ARG(r->ns)), &wanted, ended);
}

static void on_service(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    ARENA_AUTO a = ARENA_INIT;
    struct object *live = now ? NULL : object_cache_find(&services_of(c)->cache[CACHE_ENDPOINTS], was->key);
    bool ours = live && str_is(json_get_str(json_path(object_tree(live), "metadata", "labels", NULL), S(LABEL_ENDPOINTS_MANAGER)), ENDPOINTS_MANAGER); /* those go under the service's own key */
    if (!now && !ours && services_of(c)->synced)
        workqueue_add(c->queue, arena_cat(&a, S("-"), was->key));
}

static void init(struct controller *c)
{
    services_join(c, true);
    object_cache_subscribe(&services_of(c)->cache[CACHE_SERVICES], on_service, c);
}

const struct controller_type controller_endpoints = {.name = "endpoints", .parallel = 8, .init = init, .reconcile = reconcile};
