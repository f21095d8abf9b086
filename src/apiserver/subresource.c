/* subresource.c - subresources with verbs of their own: scale, binding, eviction, finalize, and those that need a node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/patch.h"
#include "api/selector.h"
#include "apiserver/binding.h"
#include "apiserver/node_proxy.h"
#include "apiserver/reviews.h"
#include "apiserver/write.h"
#include "base/civil.h"

/* --- paths in custom resources ------------------------------------------------------------------------------------------ */

/* ".spec.replicas": the value, or NULL. */
static struct json *at_path(const struct json *obj, str path)
{
    struct json *v = (struct json *)obj;
    if (path.len && path.p[0] == '.')
        path = str_from(path, 1);
    while (v && path.len) {
        str step;
        str_cut(&path, '.', &step);
        v = json_get(v, step);
    }
    return v;
}

static void set_path(struct arena *a, struct json *obj, str path, struct json value)
{
    if (path.len && path.p[0] == '.')
        path = str_from(path, 1);
    str step;
    while (str_cut(&path, '.', &step))
        obj = json_ensure_object(a, obj, step);
    json_set(a, obj, step, value);
}

/* --- scale --------------------------------------------------------------------------------------------------------------- */

static str or_default(str path, const char *otherwise)
{
    return path.len ? path : str_of(otherwise);
}

static str scale_selector(struct api_req *q, const struct json *obj)
{
    if (q->res->flags & API_CUSTOM)
        return q->res->scale_selector_path.len ? json_str(at_path(obj, q->res->scale_selector_path)) : S("");
    const struct json *sel = json_path(obj, "spec", "selector", NULL);
    struct selector s;
    struct strbuf b = strbuf_on(q->arena);
    struct json wrapped = json_object();
    if (str_is(q->res->plural, "replicationcontrollers") && sel) {
        json_set(q->arena, &wrapped, S("matchLabels"), *sel);
        sel = &wrapped;
    }
    if (sel && selector_from_label_selector(q->arena, sel, &s, NULL) == 0)
        selector_write(&b, &s);
    return strbuf_str(&b);
}

static struct json scale_of(struct api_req *q, const struct json *obj)
{
    struct arena *a = q->arena;
    struct json scale = json_literal(a, "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\",\"metadata\":{}}");
    static const str keys[] = {STR_INIT("name"), STR_INIT("namespace"), STR_INIT("uid"), STR_INIT("resourceVersion"), STR_INIT("creationTimestamp")};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
        str v = json_get_str(object_meta(obj), keys[i]);
        if (v.len)
            json_set(a, object_meta(&scale), keys[i], json_string(v));
    }
    int64_t want = 0, have = 0;
    json_to_i64(at_path(obj, or_default(q->res->scale_spec_path, ".spec.replicas")), &want);
    json_to_i64(at_path(obj, or_default(q->res->scale_status_path, ".status.replicas")), &have);
    struct json *spec = json_ensure_object(a, &scale, S("spec"));
    if (want)
        json_set(a, spec, S("replicas"), json_int(a, want));
    struct json *status = json_ensure_object(a, &scale, S("status"));
    json_set(a, status, S("replicas"), json_int(a, have));
    str selector = scale_selector(q, obj);
    if (selector.len)
        json_set(a, status, S("selector"), json_string(selector));
    return scale;
}

static int read_scale(struct write_run *r, const struct json *live, struct json *ret_scale, struct err *err)
{
    struct api_req *q = r->q;
    if (!str_is(q->method, "PATCH")) {
        *ret_scale = r->body;
        return 0;
    }
    struct json scale = scale_of(q, live), patched;
    int res = str_is(r->patch_type, "application/json-patch+json")    ? patch_json(q->arena, &scale, &r->body, &patched, err)
              : str_is(r->patch_type, "application/merge-patch+json") ? patch_merge(q->arena, &scale, &r->body, &patched, err)
                                                                      : patch_strategic(q->arena, &schema_autoscaling_v1_Scale, &scale, &r->body, &patched, err);
    if (res < 0)
        return res;
    *ret_scale = json_copy(q->arena, &patched);
    return api_conform(q->arena, &schema_autoscaling_v1_Scale, ret_scale, NULL, err);
}

static int build_scale(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    struct arena *a = r->q->arena;
    struct json scale;
    int res = read_scale(r, live, &scale, err);
    if (res < 0)
        return res;
    str rv = json_get_str(object_meta(&scale), S("resourceVersion"));
    if (rv.len && !str_eq(rv, json_get_str(object_meta(live), S("resourceVersion"))))
        return err_set(err, E_CONFLICT,
                       "Operation cannot be fulfilled on " STR_FMT " \"" STR_FMT "\": the object has been modified; please apply your changes to the latest version and try again",
                       STR_ARG(api_qualified_resource(a, r->res)), STR_ARG(r->name));
    r->conditional = rv.len > 0 && !str_is(r->q->method, "PATCH");
    int64_t replicas = json_get_int(json_get(&scale, S("spec")), S("replicas"), 0);
    if (replicas < 0)
        return err_set(err, E_INVALID, "Scale.autoscaling \"" STR_FMT "\" is invalid: spec.replicas: Invalid value: %lld: must be greater than or equal to 0", STR_ARG(r->name),
                       (long long)replicas);
    *ret = json_copy(a, live);
    set_path(a, ret, or_default(r->res->scale_spec_path, ".spec.replicas"), json_int(a, replicas));
    return 0;
}

static void answer_scale(struct write_run *r, enum write_outcome outcome UNUSED, str stored)
{
    struct json obj = object_parse(r->q->arena, stored), scale = scale_of(r->q, &obj);
    api_answer_json(r->q, 200, &scale);
}

static void get_scale(struct api_req *q)
{
    struct json obj;
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, q->target.name, &obj, NULL)) {
        api_answer_not_found(q);
        return;
    }
    struct json scale = scale_of(q, &obj);
    api_answer_json(q, 200, &scale);
}

static void serve_scale(struct api_req *q)
{
    if (str_is(q->target.verb, "get")) {
        get_scale(q);
        return;
    }
    struct err err;
    struct write_run *r = write_new(q, q->res, q->target.ns, q->target.name);
    int res;
    if (str_is(q->method, "PATCH")) {
        str type = q->content_type;
        str_cut(&type, ';', &r->patch_type);
        res = json_parse(q->arena, q->body, NULL, &r->body, &err);
    } else {
        res = rest_read_body(q, &schema_autoscaling_v1_Scale, S("Scale"), S("autoscaling/v1"), &r->body, &err);
    }
    if (res < 0) {
        api_answer_err(q, &err);
        return;
    }
    r->build = build_scale;
    r->answer = answer_scale;
    write_start(r);
}

/* --- eviction ------------------------------------------------------------------------------------------------------------ */

struct pdb_search {
    struct api_req *q;
    const struct json *pod;
    struct json found;
    rev_t rev;
    size_t matches;
};

static bool pdb_visit(void *arg, struct json *pdb, const struct store_kv *kv)
{
    struct pdb_search *s = arg;
    struct selector sel;
    const struct json *ls = json_path(pdb, "spec", "selector", NULL);
    if (!ls || selector_from_label_selector(s->q->arena, ls, &sel, NULL) < 0 || !selector_match_labels(&sel, json_get(object_meta(s->pod), S("labels"))))
        return true;
    if (s->matches++ == 0) {
        s->found = *pdb;
        s->rev = kv->mod_rev;
    }
    return true;
}

static int refuse_eviction(struct write_run *r, const struct pdb_search *s)
{
    struct api_req *q = r->q;
    const struct json *status = json_get(&s->found, S("status"));
    str name = object_name(&s->found);
    bool seen = json_get_int(status, S("observedGeneration"), 0) >= json_get_int(object_meta(&s->found), S("generation"), 0);
    str message = seen ? arena_fmt(q->arena, "The disruption budget " STR_FMT " needs %lld healthy pods and has %lld currently", STR_ARG(name),
                                   (long long)json_get_int(status, S("desiredHealthy"), 0), (long long)json_get_int(status, S("currentHealthy"), 0))
                       : arena_fmt(q->arena, "The disruption budget " STR_FMT " is still being processed by the server.", STR_ARG(name));
    struct api_cause cause = {S("DisruptionBudget"), message, S("")};
    store_kv_unref(TAKE(r->live_kv));
    api_answer_status(q, 429, S("TooManyRequests"), S("Cannot evict pod as it would violate the pod's disruption budget."),
                      &(struct api_status_details){.causes = &cause, .ncauses = 1, .retry_after_s = seen ? 0 : 10}); /* with a time clients wait inside their request, deaf to timeouts */
    return WRITE_ANSWERED;
}

/* Takes one disruption from the budget in the same transaction as the deletion. */
static int spend_budget(struct write_run *r, struct pdb_search *s)
{
    struct arena *a = r->q->arena;
    struct json pdb = json_copy(a, &s->found);
    struct json *status = json_ensure_object(a, &pdb, S("status"));
    int64_t allowed = json_get_int(status, S("disruptionsAllowed"), 0);
    if (allowed <= 0 || json_get_int(status, S("observedGeneration"), 0) < json_get_int(object_meta(&pdb), S("generation"), 0))
        return refuse_eviction(r, s);
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(r->q->srv->clock), now);
    json_set(a, status, S("disruptionsAllowed"), json_int(a, allowed - 1));
    json_set(a, json_ensure_object(a, status, S("disruptedPods")), r->name, json_string(arena_str(a, str_of(now))));
    const struct api_resource *pdbs = object_builtin(S("policy"), S("poddisruptionbudgets"));
    uint32_t rev_at;
    str bytes = object_encode(a, pdbs, &pdb, &rev_at);
    struct store_op op = {.type = STORE_PUT, .key = object_key(a, pdbs, r->ns, object_name(&pdb)), .value = bytes, .rev_at = rev_at, .expect = s->rev};
    write_add_op(r, op);
    return 0;
}

static bool pod_is_ready(const struct json *pod)
{
    const struct json *list = json_path(pod, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "Ready"))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* A pod that serves nobody costs the budget nothing: always when the budget says so, else while enough others are healthy. */
static bool is_free_to_go(const struct json *pod, const struct json *pdb)
{
    const struct json *status = json_get(pdb, S("status"));
    int64_t wanted = json_get_int(status, S("desiredHealthy"), 0);
    if (pod_is_ready(pod))
        return false;
    bool enough = wanted > 0 && json_get_int(status, S("currentHealthy"), 0) >= wanted;
    return enough || str_is(json_get_str(json_get(pdb, S("spec")), S("unhealthyPodEvictionPolicy")), "AlwaysAllow");
}

static int build_eviction(struct write_run *r, const struct json *live, struct json *ret, struct err *err)
{
    str phase = json_get_str(json_get(live, S("status")), S("phase"));
    bool ended = str_is(phase, "Succeeded") || str_is(phase, "Failed") || str_is(phase, "Pending") || object_is_deleting(live);
    if (!ended) {
        struct pdb_search s = {.q = r->q, .pod = live};
        object_each(r->q->srv->store, r->q->arena, object_builtin(S("policy"), S("poddisruptionbudgets")), r->ns, pdb_visit, &s);
        if (s.matches > 1)
            return err_set(err, E_INTERNAL, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
        int res = s.matches && !is_free_to_go(live, &s.found) ? spend_budget(r, &s) : 0;
        if (res)
            return res;
    }
    return rest_build_delete(r, live, ret, err);
}

static void serve_eviction(struct api_req *q)
{
    struct err err;
    struct json body;
    /* policy/v1beta1 is what old clients send; the body is the same */
    enum api_media media;
    if (negotiate_body(q, &media, &err) < 0 || api_parse_body(q->arena, media, q->body, &schema_policy_v1_Eviction, &body, NULL, &err) < 0 ||
        api_conform(q->arena, &schema_policy_v1_Eviction, &body, NULL, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    struct write_run *r = write_new(q, q->res, q->target.ns, q->target.name);
    r->raw = true;
    r->build = build_eviction;
    r->answer = binding_answer_created;
    r->extra = rest_delete_opts_from(q, json_get(&body, S("deleteOptions")));
    write_start(r);
}

static const struct {
    const char *resource, *sub; /* resource "" : any */
    void (*serve)(struct api_req *q);
} subs[] = {
    {"", "scale", serve_scale},        {"pods", "binding", binding_serve},   {"pods", "eviction", serve_eviction},   {"pods", "log", node_proxy_serve},
    {"pods", "exec", node_proxy_serve}, {"pods", "attach", node_proxy_serve}, {"pods", "portforward", node_proxy_serve}, {"", "proxy", node_proxy_serve},
    {"pods", "explain", extension_explain}, {"queues", "simulate", extension_simulate},
    {"kusciatasks", "explain", extension_explain_task}, {"taskresourcegroups", "explain", extension_explain_task},
};

bool subresource_serve(struct api_req *q)
{
    const struct api_target *t = &q->target;
    if (reviews_serve(q))
        return true;
    if (!t->group.len && str_is(t->resource, "bindings") && str_is(t->verb, "create")) {
        binding_serve(q);
        return true;
    }
    for (size_t i = 0; i < ARRAY_LEN(subs); i++) {
        if (!str_is(t->subresource, subs[i].sub) || (subs[i].resource[0] && !str_is(t->resource, subs[i].resource)))
            continue;
        subs[i].serve(q);
        return true;
    }
    return false;
}
