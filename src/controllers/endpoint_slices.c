/* endpoint_slices.c - EndpointSlices of services that select pods, and mirrors of Endpoints that somebody else writes.
 *
 *   key "ns/service":  plan (endpoint_plan.h) ─► creates, updates and deletes at once ─► done, or again on a conflict
 *   service gone:      asked for once more, then its slices go; their owner reference says the same to the garbage collector */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/services.h"

#define SLICES_PATH "/apis/discovery.k8s.io/v1/namespaces/" STR_FMT "/endpointslices"

struct run {
    struct services *all;
    str ns, name;
    const char *manager;
    struct ops ops;
    const struct slice_step **steps; /* of ops, same order */
};

/* --- writing ------------------------------------------------------------------------------------------------------------------------- */

static void written(struct job *j)
{
    struct run *r = j->state;
    for (size_t i = 0; i < r->ops.len; i++) {
        const struct op *op = &r->ops.p[i];
        const struct json *meta = json_path(&r->steps[i]->obj, "metadata", NULL);
        bool ok = op->status >= 200 && op->status < 300;
        if (ok && r->steps[i]->change != SLICE_DELETE)
            services_wrote(r->all, CACHE_SLICES, &op->answer);
        else if (op->status == 404 || (ok && r->steps[i]->change == SLICE_DELETE))
            services_absent(r->all, CACHE_SLICES, arena_fmt(&j->arena, STR_FMT "/" STR_FMT, STR_ARG(r->ns), STR_ARG(json_get_str(meta, S("name")))), json_get_str(meta, S("uid")));
    }
    job_end(j, ops_failure(&r->ops) ? WORK_RETRY : WORK_OK);
}

/* Bodies are copies: a plan points into records of pods, and only the first calls are sent before the loop turns. */
static void carry_out(struct job *j, struct run *r, const struct slice_steps *steps)
{
    struct arena *a = &j->arena;
    str list = arena_fmt(a, SLICES_PATH, STR_ARG(r->ns));
    r->steps = arena_array(a, steps->len + 1, const struct slice_step *);
    for (size_t i = 0; i < steps->len; i++) {
        const struct slice_step *s = &steps->p[i];
        const struct json *meta = json_get(&s->obj, S("metadata"));
        str path = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(list), STR_ARG(json_get_str(meta, S("name"))));
        r->steps[r->ops.len] = s;
        if (s->change == SLICE_CREATE)
            ops_add(a, &r->ops, (struct op){.type = OP_OTHER, .method = S("POST"), .path = list, .body = json_copy(a, &s->obj)});
        else if (s->change == SLICE_UPDATE)
            ops_add(a, &r->ops, (struct op){.type = OP_OTHER, .method = S("PUT"), .path = path, .body = json_copy(a, &s->obj)});
        else
            ops_add(a, &r->ops, (struct op){.type = OP_DELETE, .method = S("DELETE"), .path = path, .body = delete_options(a, json_get_str(meta, S("uid")), S(""))});
    }
    ops_run(j, &r->ops, written);
}

/* --- slices that nothing is behind any more ------------------------------------------------------------------------------------------- */

static void drop_all(struct job *j)
{
    struct run *r = j->state;
    size_t n;
    struct json *slices = services_slices(j, r->ns, r->name, r->manager, &n);
    struct slice_steps *steps = arena_new(&j->arena, struct slice_steps);
    steps->p = arena_array(&j->arena, n + 1, struct slice_step);
    for (size_t i = 0; i < n; i++)
        steps->p[steps->len++] = (struct slice_step){SLICE_DELETE, slices[i]};
    carry_out(j, r, steps);
}

static void asked_again(struct job *j)
{
    if (job_not_found(j))
        drop_all(j);
    else
        job_end(j, job_ok(j) ? WORK_OK : WORK_RETRY);
}

static void owner_is_gone(struct job *j, const char *plural)
{
    struct run *r = j->state;
    size_t n;
    services_slices(j, r->ns, r->name, r->manager, &n);
    if (n)
        job_call(j, S("GET"), arena_fmt(&j->arena, "/api/v1/namespaces/" STR_FMT "/%s/" STR_FMT, STR_ARG(r->ns), plural, STR_ARG(r->name)), NULL, asked_again);
    else
        job_end(j, WORK_OK);
}

static struct run *begin(struct job *j, const char *manager)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->all = services_of(j->c);
    r->manager = manager;
    controller_key_split(j->key, &r->ns, &r->name);
    return r;
}

static void plan(struct job *j, const struct slice_owner *owner, const struct slice_wants *wants)
{
    struct run *r = j->state;
    size_t n;
    struct json *slices = services_slices(j, r->ns, r->name, r->manager, &n);
    struct slice_steps *steps = arena_new(&j->arena, struct slice_steps);
    *steps = slice_plan_make(&j->arena, owner, wants, slices, n);
    carry_out(j, r, steps);
}

/* --- of services --------------------------------------------------------------------------------------------------------------------------- */

static void reconcile(struct job *j)
{
    struct run *r = begin(j, SLICE_MANAGER);
    struct object *o = object_cache_find(&r->all->cache[CACHE_SERVICES], j->key);
    if (!o) {
        owner_is_gone(j, "services");
        return;
    }
    struct json service = object_read(&j->arena, o);
    if (object_deleting(&service) || !service_selects_pods(&service)) { /* without a selector whoever writes the slices keeps them */
        job_end(j, WORK_OK);
        return;
    }
    struct slice_wants wants;
    size_t n;
    struct endpoint_pod *pods = services_pods(j, &service, &n);
    slice_wants_of_service(&j->arena, &service, pods, n, &wants);
    bool headless = str_is(json_get_str(json_get(&service, S("spec")), S("clusterIP")), "None");
    struct slice_owner owner = slice_owner_of(&j->arena, &service, "Service", SLICE_MANAGER, headless);
    plan(j, &owner, &wants);
}

static void init(struct controller *c)
{
    services_join(c, true);
}

const struct controller_type controller_endpoint_slice = {.name = "endpointslice", .parallel = 8, .init = init, .reconcile = reconcile};

/* --- of Endpoints that somebody else writes --------------------------------------------------------------------------------------------- */

static void reconcile_mirror(struct job *j)
{
    struct run *r = begin(j, SLICE_MIRROR_MANAGER);
    struct object *o = object_cache_find(&r->all->cache[CACHE_ENDPOINTS], j->key), *svc = object_cache_find(&r->all->cache[CACHE_SERVICES], j->key);
    if (!o) {
        owner_is_gone(j, "endpoints");
        return;
    }
    struct json endpoints = object_read(&j->arena, o);
    const struct json *selector = svc ? json_path(object_tree(svc), "spec", "selector", NULL) : NULL;
    bool mirrors = svc && !(json_is(selector, JSON_OBJECT) && selector->len) && endpoints_want_mirror(&endpoints) && !object_deleting(&endpoints);
    struct slice_wants wants = {0};
    if (mirrors)
        slice_wants_of_endpoints(&j->arena, &endpoints, &wants);
    struct slice_owner owner = slice_owner_of(&j->arena, &endpoints, "Endpoints", SLICE_MIRROR_MANAGER, false);
    plan(j, &owner, &wants);
}

static void init_mirror(struct controller *c)
{
    services_join(c, false);
}

const struct controller_type controller_endpoint_slice_mirror = {.name = "endpointslicemirroring", .parallel = 8, .init = init_mirror, .reconcile = reconcile_mirror};
