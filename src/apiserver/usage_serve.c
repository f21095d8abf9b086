/* usage_serve.c - metrics.k8s.io: what nodes and pods use, from the newest reports.  Labels come from the stored objects, so that selectors work; what is not stored any more is not shown. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/usage_serve.h"

#include "api/gen/gen.h"
#include "api/quantity.h"
#include "api/selector.h"
#include "api/table.h"
#include "apiserver/internal.h"
#include "apiserver/usage_store.h"
#include "client/raw.h"

#define GROUP "metrics.k8s.io"
#define LIST_STEP 500 /* objects made in one turn: some milliseconds */

static bool is_pods(const struct api_req *q)
{
    return str_is(q->target.resource, "pods");
}

/* Labels of the stored object as a tree, and the node of a pod; false: there is no such object. */
static bool stored_labels(struct api_req *q, str ns, str name, struct json *ret, str *ret_node)
{
    const struct api_resource *r = object_builtin(S(""), q->target.resource);
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(q->srv->store, object_key(q->arena, r, ns, name));
    str meta, labels, spec, node;
    *ret = json_null();
    *ret_node = S("");
    if (!kv)
        return false;
    if (is_pods(q) && raw_member(store_kv_value(kv), S("spec"), &spec) && raw_member_text(spec, S("nodeName"), &node))
        *ret_node = arena_str(q->arena, node);
    if (raw_member(store_kv_value(kv), S("metadata"), &meta) && raw_member(meta, S("labels"), &labels) && json_parse(q->arena, arena_str(q->arena, labels), NULL, ret, NULL) < 0)
        *ret = json_null();
    return true;
}

static bool make_object(struct api_req *q, str ns, str name, struct json *ret)
{
    struct arena *a = q->arena;
    nsec_t now = clock_wall(q->srv->clock);
    struct json body, labels, meta = json_object();
    str at;
    if (!stored_labels(q, ns, name, &labels, &at) || !(is_pods(q) ? usage_get_pod(q->srv->usage, a, ns, name, at, now, &body) : usage_get_node(q->srv->usage, a, name, now, &body)))
        return false;
    *ret = json_object();
    json_set(a, ret, S("kind"), json_string(q->res->kind));
    json_set(a, ret, S("apiVersion"), json_string(S(GROUP "/v1beta1")));
    json_set(a, &meta, S("name"), json_string(name));
    if (ns.len)
        json_set(a, &meta, S("namespace"), json_string(ns));
    json_set(a, &meta, S("creationTimestamp"), *json_get(&body, S("timestamp")));
    if (json_is(&labels, JSON_OBJECT))
        json_set(a, &meta, S("labels"), labels);
    json_set(a, ret, S("metadata"), meta);
    for (uint32_t i = 0; i < body.len; i++)
        json_set(a, ret, body.members[i].key, body.members[i].value);
    return true;
}

/* --- answers ------------------------------------------------------------------------------------------------------------------------ */

/* The columns show what all containers use together. */
static struct json with_sum(struct arena *a, const struct json *obj)
{
    static const str names[] = {STR_INIT("cpu"), STR_INIT("memory")};
    struct json out = *obj, usage = json_object();
    const struct json *list = json_get(obj, S("containers"));
    if (!list)
        return out;
    for (size_t n = 0; n < ARRAY_LEN(names); n++) {
        struct quantity sum = quantity_from_i64(0), one;
        for (uint32_t i = 0; i < list->len; i++)
            if (quantity_parse(json_get_str(json_get(&list->items[i], S("usage")), names[n]), &one))
                quantity_add(&sum, &one);
        json_set(a, &usage, names[n], json_string(quantity_format(a, &sum)));
    }
    out = json_copy(a, obj);
    json_set(a, &out, S("usage"), usage);
    return out;
}

static void answer_table(struct api_req *q, const struct json *items)
{
    struct strbuf b = strbuf_on(q->arena);
    strbuf_addf(&b, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/" STR_FMT "\",\"metadata\":{},", STR_ARG(q->table_version));
    table_write_columns(&b, q->res);
    strbuf_add_str(&b, S(",\"rows\":["));
    for (uint32_t i = 0; i < items->len; i++) {
        struct json row = with_sum(q->arena, &items->items[i]);
        if (i)
            strbuf_add_char(&b, ',');
        table_write_row(q->arena, &b, q->res, &row, json_text(q->arena, &items->items[i]), (enum table_include)q->include_object, clock_wall(q->srv->clock));
    }
    strbuf_add_str(&b, S("]}"));
    api_answer_text(q, 200, strbuf_str(&b));
}

static void serve_get(struct api_req *q)
{
    struct json obj, list = json_array();
    if (!make_object(q, q->target.ns, q->target.name, &obj)) {
        api_answer_not_found(q);
        return;
    }
    json_push(q->arena, &list, obj);
    if (q->output == API_OUT_TABLE)
        answer_table(q, &list);
    else
        api_answer_json(q, 200, &obj);
}

/* A list of all pods takes seconds in a large cluster: in turns, so that the loop's other requests do not wait for it. */
struct usage_list {
    struct api_req *q;
    struct list_opts opts;
    struct usage_names names;
    size_t at;
    struct json items;
    struct loop_defer again;
};

static void answer_list(struct usage_list *l)
{
    struct api_req *q = l->q;
    struct arena *a = q->arena;
    struct json answer = json_object();
    if (q->output == API_OUT_TABLE) {
        answer_table(q, &l->items);
        return;
    }
    for (uint32_t i = 0; i < l->items.len; i++) {
        json_del(&l->items.items[i], S("kind"));
        json_del(&l->items.items[i], S("apiVersion"));
    }
    json_set(a, &answer, S("kind"), json_string(q->res->list_kind));
    json_set(a, &answer, S("apiVersion"), json_string(S(GROUP "/v1beta1")));
    json_set(a, &answer, S("metadata"), json_object());
    json_set(a, &answer, S("items"), l->items);
    api_answer_json(q, 200, &answer);
}

static void list_on(struct usage_list *l)
{
    struct api_req *q = l->q;
    for (size_t stop = MIN(l->names.len, l->at + LIST_STEP); l->at < stop; l->at++) {
        struct json obj;
        if (make_object(q, l->names.p[l->at].ns, l->names.p[l->at].name, &obj) && list_matches(&l->opts, q->res, &obj))
            json_push(q->arena, &l->items, obj);
    }
    if (l->at < l->names.len) {
        loop_defer(q->loop, &l->again);
        return;
    }
    if (q->http)
        q->http->on_gone = NULL;
    answer_list(l);
}

static void list_again(struct loop_defer *d)
{
    list_on(container_of(d, struct usage_list, again));
}

static void list_gone(struct http_request *http)
{
    struct api_req *q = http->user;
    struct usage_list *l = q->state;
    loop_defer_cancel(q->loop, &l->again);
    http->on_gone = NULL;
    q->sink->abort(q);
}

static void serve_list(struct api_req *q)
{
    struct usage_list *l = arena_new(q->arena, struct usage_list);
    nsec_t now = clock_wall(q->srv->clock);
    l->q = q;
    l->items = json_array();
    l->again.fn = list_again;
    if (!list_opts_parse(q, &l->opts))
        return;
    l->names = is_pods(q) ? usage_pods(q->srv->usage, q->arena, q->target.ns, now) : usage_nodes(q->srv->usage, q->arena, now);
    q->state = l;
    if (q->http)
        q->http->on_gone = list_gone;
    list_on(l);
}

/* --- reports ----------------------------------------------------------------------------------------------------------------------------- */

static void serve_report(struct api_req *q)
{
    struct json body, node;
    struct err err;
    str name = q->target.name;
    if (rest_read_body(q, &schema_metrics_v1beta1_NodeMetrics, S("NodeMetrics"), S(GROUP "/v1beta1"), &body, &err) < 0) {
        api_answer_err(q, &err);
        return;
    }
    str given = object_name(&body);
    if (given.len && !str_eq(given, name))
        err_set(&err, E_INVALID_ARG, "the name of the object (" STR_FMT ") does not match the name on the URL (" STR_FMT ")", STR_ARG(given), STR_ARG(name));
    else if (!object_get_builtin(q->srv->store, q->arena, S(""), S("nodes"), S(""), name, &node, NULL))
        err_set(&err, E_NOT_FOUND, "nodes \"" STR_FMT "\" not found", STR_ARG(name));
    else if (q->dry_run || usage_put_node(q->srv->usage, name, &body, clock_wall(q->srv->clock), &err) == 0) {
        api_answer(q, 200, S("application/json"), S("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Success\"}"));
        return;
    }
    api_answer_err(q, &err);
}

bool usage_serve(struct api_req *q)
{
    if (!str_is(q->target.group, GROUP))
        return false;
    if (str_is(q->target.verb, "get"))
        serve_get(q);
    else if (str_is(q->target.verb, "list"))
        serve_list(q);
    else
        serve_report(q);
    return true;
}
