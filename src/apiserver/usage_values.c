/* usage_values.c - custom and external metrics: the newest values at each path, as whoever may has written them.
 *
 * Paths in usage_store:  custom/NS/RESOURCE/NAME/METRIC (NS "-": cluster scope), external/NS/METRIC.  A metric of a namespace itself is RESOURCE "namespaces". */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/selector.h"
#include "apiserver/internal.h"
#include "apiserver/usage_serve.h"
#include "apiserver/usage_store.h"
#include "base/civil.h"

#define CUSTOM "custom.metrics.k8s.io"
#define EXTERNAL "external.metrics.k8s.io"

struct question {
    str ns, resource, name, metric; /* external: only ns and metric */
    bool external, all;             /* all: name "*" */
    const struct schema_type *list_type, *one_type;
    const char *list_kind, *one_kind, *version;
};

static bool read_target(struct api_req *q, struct question *ret)
{
    const struct api_target *t = &q->target;
    *ret = (struct question){.ns = t->ns, .resource = t->resource, .name = t->name, .metric = t->subresource};
    ret->external = str_is(t->group, EXTERNAL);
    ret->list_type = ret->external ? &schema_external_metrics_v1beta1_ExternalMetricValueList : &schema_custom_metrics_v1beta2_MetricValueList;
    ret->one_type = ret->external ? &schema_external_metrics_v1beta1_ExternalMetricValue : &schema_custom_metrics_v1beta2_MetricValue;
    ret->list_kind = ret->external ? "ExternalMetricValueList" : "MetricValueList";
    ret->one_kind = ret->external ? "ExternalMetricValue" : "MetricValue";
    ret->version = ret->external ? EXTERNAL "/v1beta1" : CUSTOM "/v1beta2";
    if (ret->external) {
        ret->metric = t->resource;
        return t->ns.len && t->resource.len && !t->name.len;
    }
    if (str_is(t->resource, "metrics") && t->ns.len && !t->subresource.len) { /* of the namespace itself */
        ret->metric = t->name;
        ret->resource = S("namespaces");
        ret->name = t->ns;
    }
    ret->all = str_is(ret->name, "*");
    return ret->resource.len && ret->name.len && ret->metric.len;
}

static str path_of(struct arena *a, const struct question *w, str name)
{
    if (w->external)
        return arena_fmt(a, "external/" STR_FMT "/" STR_FMT, STR_ARG(w->ns), STR_ARG(w->metric));
    str ns = w->ns.len ? w->ns : S("-");
    return arena_fmt(a, "custom/" STR_FMT "/" STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(w->resource), STR_ARG(name), STR_ARG(w->metric));
}

/* prefix and suffix of the paths of all names */
static void paths_of_all(struct arena *a, const struct question *w, str *ret_prefix, str *ret_suffix)
{
    str ns = w->ns.len ? w->ns : S("-");
    *ret_prefix = arena_fmt(a, "custom/" STR_FMT "/" STR_FMT "/", STR_ARG(ns), STR_ARG(w->resource));
    *ret_suffix = arena_cat(a, S("/"), w->metric);
}

/* --- reading ---------------------------------------------------------------------------------------------------------------------------- */

/* "pods", "deployments.apps" */
static const struct api_resource *described_resource(struct api_req *q, const struct question *w)
{
    str group = w->resource, plural;
    str_cut(&group, '.', &plural);
    for (size_t i = 0; i < q->reg->nresources; i++) {
        const struct api_resource *r = q->reg->resources[i];
        bool stored = !(r->flags & API_CREATE_ONLY) && registry_storage(q->reg, r) == r;
        if (stored && str_eq(r->plural, plural) && (str_eq(r->group, group) || (!group.len && !r->group.len)))
            return r;
    }
    return NULL;
}

/* Objects that are gone have no values; of several, only those with the labels that are asked for. */
static bool is_described(struct api_req *q, const struct question *w, const struct api_resource *res, const struct json *item, const struct selector *labels)
{
    struct json obj;
    str name = json_get_str(json_get(item, S("describedObject")), S("name"));
    if (!res)
        return !labels;
    if (!object_get(q->srv->store, q->arena, res, api_is_namespaced(res) ? w->ns : S(""), name, &obj, NULL))
        return false;
    return !labels || selector_match_labels(labels, json_get(object_meta(&obj), S("labels")));
}

static bool read_selector(struct api_req *q, const char *option, struct selector **ret)
{
    struct err err;
    str text;
    *ret = NULL;
    if (!api_query(q, str_of(option), &text) || !text.len)
        return true;
    *ret = arena_new(q->arena, struct selector);
    if (selector_parse_labels(q->arena, text, *ret, &err) == 0)
        return true;
    api_answer_status(q, 400, S("BadRequest"), arena_str(q->arena, str_of(err.msg)), &(struct api_status_details){0});
    return false;
}

static bool series_match(const struct question *w, const struct json *item, const struct selector *sel)
{
    const struct json *labels = w->external ? json_get(item, S("metricLabels")) : json_path(item, "metric", "selector", "matchLabels", NULL);
    return !sel || selector_match_labels(sel, labels);
}

static void serve_get(struct api_req *q, const struct question *w)
{
    struct arena *a = q->arena;
    nsec_t now = clock_wall(q->srv->clock);
    struct selector *objects = NULL, *series;
    if (!read_selector(q, w->external ? "labelSelector" : "metricLabelSelector", &series) || (!w->external && !read_selector(q, "labelSelector", &objects)))
        return;
    str prefix = path_of(a, w, w->name), suffix = S("");
    if (w->all)
        paths_of_all(a, w, &prefix, &suffix);
    struct json found = usage_get_values(q->srv->usage, a, prefix, suffix, now), items = json_array(), answer = json_object();
    const struct api_resource *res = w->external ? NULL : described_resource(q, w);
    for (uint32_t i = 0; i < found.len; i++)
        if (series_match(w, &found.items[i], series) && (w->external || is_described(q, w, res, &found.items[i], w->all ? objects : NULL)))
            json_push(a, &items, found.items[i]);
    if (!items.len && !w->external) {
        str message = w->all ? arena_fmt(a, "the server could not find the metric " STR_FMT " for " STR_FMT, STR_ARG(w->metric), STR_ARG(w->resource))
                             : arena_fmt(a, "the server could not find the metric " STR_FMT " for " STR_FMT " " STR_FMT, STR_ARG(w->metric), STR_ARG(w->resource), STR_ARG(w->name));
        api_answer_status(q, 404, S("NotFound"), message, &(struct api_status_details){.name = w->metric, .group = q->target.group, .kind = w->resource});
        return;
    }
    json_set(a, &answer, S("kind"), json_string(str_of(w->list_kind)));
    json_set(a, &answer, S("apiVersion"), json_string(str_of(w->version)));
    json_set(a, &answer, S("metadata"), json_object());
    json_set(a, &answer, S("items"), items);
    api_answer_json(q, 200, &answer);
}

/* --- writing ------------------------------------------------------------------------------------------------------------------------------ */

/* A list, or one value alone. */
static int read_items(struct api_req *q, const struct question *w, struct json *ret, struct err *err)
{
    struct json body, peek;
    bool one = json_parse(q->arena, q->body, NULL, &peek, NULL) == 0 && (str_is(json_get_str(&peek, S("kind")), w->one_kind) || !json_get(&peek, S("items")));
    int res = rest_read_body(q, one ? w->one_type : w->list_type, str_of(one ? w->one_kind : w->list_kind), str_of(w->version), &body, err);
    if (res < 0)
        return res;
    *ret = json_array();
    if (one)
        json_push(q->arena, ret, body);
    else if (json_is(json_get(&body, S("items")), JSON_ARRAY))
        *ret = *json_get(&body, S("items"));
    return 0;
}

/* Fills in what the path says already. */
static int complete(struct api_req *q, const struct question *w, struct json *item, struct err *err)
{
    struct arena *a = q->arena;
    char now[CIVIL_TIME_LEN + 1];
    json_del(item, S("kind"));
    json_del(item, S("apiVersion"));
    civil_format(clock_wall(q->srv->clock), now);
    if (!json_get_str(item, S("timestamp")).len)
        json_set(a, item, S("timestamp"), json_string(arena_str(a, str_of(now))));
    if (w->external) {
        json_set(a, item, S("metricName"), json_string(w->metric));
        json_ensure_object(a, item, S("metricLabels"));
        return 0;
    }
    const struct api_resource *res = described_resource(q, w);
    json_ensure_object(a, item, S("describedObject"));
    struct json *metric = json_ensure_object(a, item, S("metric")), *ref = json_get(item, S("describedObject")); /* in this order: adding moves */
    str name = json_get_str(ref, S("name"));
    if (!name.len && w->all)
        return err_set(err, E_INVALID, STR_FMT " is invalid: items.describedObject.name: Required value", STR_ARG(str_of(w->list_kind)));
    if (!w->all)
        json_set(a, ref, S("name"), json_string(w->name));
    if (w->ns.len && !str_is(w->resource, "namespaces"))
        json_set(a, ref, S("namespace"), json_string(w->ns));
    if (res) {
        json_set(a, ref, S("kind"), json_string(res->kind));
        json_set(a, ref, S("apiVersion"), json_string(api_group_version(a, res->group, res->version)));
    }
    json_set(a, metric, S("name"), json_string(w->metric));
    if (!json_get(metric, S("selector")))
        json_set(a, metric, S("selector"), json_null());
    return 0;
}

/* What "*" says replaces the values of all objects: one list for each of them. */
static int put_all(struct api_req *q, const struct question *w, const struct json *items, nsec_t now, struct err *err)
{
    struct arena *a = q->arena;
    str prefix, suffix;
    struct map lists = MAP_INIT; /* name -> list */
    int res = 0;
    paths_of_all(a, w, &prefix, &suffix);
    usage_drop_values(q->srv->usage, prefix, suffix);
    for (uint32_t i = 0; i < items->len; i++) {
        str name = json_get_str(json_get(&items->items[i], S("describedObject")), S("name"));
        struct json *list = map_get(&lists, name);
        if (!list) {
            list = arena_new(a, struct json);
            *list = json_array();
            map_put(&lists, name, list);
        }
        json_push(a, list, items->items[i]);
    }
    map_foreach(e, &lists)
    {
        if (res == 0)
            res = usage_put_values(q->srv->usage, path_of(a, w, e->key), e->value, now, err);
    }
    map_fini(&lists);
    return res;
}

static void serve_put(struct api_req *q, const struct question *w)
{
    struct json items;
    struct err err = ERR_NONE;
    nsec_t now = clock_wall(q->srv->clock);
    int res = read_items(q, w, &items, &err);
    for (uint32_t i = 0; res == 0 && i < items.len; i++)
        res = complete(q, w, &items.items[i], &err);
    if (res == 0 && !q->dry_run)
        res = w->all ? put_all(q, w, &items, now, &err) : usage_put_values(q->srv->usage, path_of(q->arena, w, w->name), &items, now, &err);
    if (res < 0)
        api_answer_err(q, &err);
    else
        api_answer(q, 200, S("application/json"), S("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\"}"));
}

bool usage_serve_values(struct api_req *q)
{
    const struct api_target *t = &q->target;
    bool custom = str_is(t->group, CUSTOM) && str_is(t->version, "v1beta2"), external = str_is(t->group, EXTERNAL) && str_is(t->version, "v1beta1");
    struct question w;
    if (!custom && !external)
        return false;
    q->res = registry_find(q->reg, t->group, t->version, custom ? S("metrics") : S("externalmetrics"));
    if (!read_target(q, &w)) {
        api_answer_unknown_resource(q);
        return true;
    }
    if (!negotiate(q))
        return true;
    if (str_is(q->method, "GET") && !q->is_watch)
        serve_get(q, &w);
    else if (!str_is(q->method, "PUT"))
        api_answer_method_not_allowed(q);
    else if (writes_enter(q))
        serve_put(q, &w);
    return true;
}
