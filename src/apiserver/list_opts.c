/* list_opts.c - the options of list, watch and deletecollection, checked as Kubernetes checks them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/selector.h"
#include "apiserver/internal.h"
#include "client/raw.h"

static bool refuse(struct api_req *q, const char *field, const char *reason, str detail)
{
    struct api_cause cause = {str_of(reason), detail, str_of(field)};
    struct api_status_details d = {.group = S("meta.k8s.io"), .kind = S("ListOptions"), .causes = &cause, .ncauses = 1};
    api_answer_status(q, 422, S("Invalid"), arena_fmt(q->arena, "ListOptions.meta.k8s.io \"\" is invalid: %s: " STR_FMT, field, STR_ARG(detail)), &d);
    return false;
}

static bool bad_request(struct api_req *q, str message)
{
    api_answer_status(q, 400, S("BadRequest"), message, &(struct api_status_details){0});
    return false;
}

static bool parse_selectors(struct api_req *q, struct list_opts *o)
{
    struct err err;
    str v;
    if (api_query(q, S("labelSelector"), &v) && v.len) {
        o->labels = arena_new(q->arena, struct selector);
        if (selector_parse_labels(q->arena, v, o->labels, &err) < 0)
            return bad_request(q, arena_str(q->arena, str_of(err.msg)));
    }
    if (api_query(q, S("fieldSelector"), &v) && v.len) {
        o->fields = arena_new(q->arena, struct selector);
        if (selector_parse_fields(q->arena, q->res, v, o->fields, &err) < 0)
            return bad_request(q, arena_str(q->arena, str_of(err.msg)));
        str ns;
        if (!o->name_pin.len) /* the URL's name is what was authorized */
            selector_pins(o->fields, S("metadata.name"), &o->name_pin);
        if (selector_pins(o->fields, S("metadata.namespace"), &ns) && !o->ns.len && api_is_namespaced(q->res))
            o->ns = ns;
    }
    return true;
}

static bool parse_numbers(struct api_req *q, struct list_opts *o)
{
    str v;
    if (api_query(q, S("limit"), &v) && v.len && (!str_to_i64(v, &o->limit) || o->limit < 0))
        return bad_request(q, arena_fmt(q->arena, "strconv.ParseInt: parsing \"" STR_FMT "\": invalid syntax", STR_ARG(v)));
    int64_t seconds;
    if (api_query(q, S("timeoutSeconds"), &v) && v.len) {
        if (!str_to_i64(v, &seconds) || seconds < 0)
            return bad_request(q, arena_fmt(q->arena, "strconv.ParseInt: parsing \"" STR_FMT "\": invalid syntax", STR_ARG(v)));
        o->timeout_ns = MIN(seconds, (int64_t)86400) * NSEC_PER_SEC;
    }
    if (api_query(q, S("resourceVersion"), &v) && v.len) {
        o->has_rv = true;
        if (!str_to_u64(v, &o->rv))
            return refuse(q, "resourceVersion", "FieldValueInvalid",
                          arena_fmt(q->arena, "Invalid value: \"" STR_FMT "\": strconv.ParseUint: parsing \"" STR_FMT "\": invalid syntax", STR_ARG(v), STR_ARG(v)));
    }
    return true;
}

static bool check_match_rules(struct api_req *q, const struct list_opts *o)
{
    const char *field = "resourceVersionMatch";
    if (!o->rv_match.len)
        return true;
    if (!str_is(o->rv_match, "Exact") && !str_is(o->rv_match, "NotOlderThan"))
        return refuse(q, field, "FieldValueNotSupported",
                      arena_fmt(q->arena, "Unsupported value: \"" STR_FMT "\": supported values: \"Exact\", \"NotOlderThan\"", STR_ARG(o->rv_match)));
    if (q->is_watch && !o->has_send_initial_events)
        return refuse(q, field, "FieldValueForbidden", S("Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    if (!q->is_watch && !o->has_rv)
        return refuse(q, field, "FieldValueForbidden", S("Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (o->continue_token.len)
        return refuse(q, field, "FieldValueForbidden", S("Forbidden: resourceVersionMatch is forbidden when continue is provided"));
    if (str_is(o->rv_match, "Exact") && !o->rv)
        return refuse(q, field, "FieldValueForbidden", S("Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\""));
    return true;
}

static bool check_initial_events(struct api_req *q, const struct list_opts *o)
{
    if (!o->has_send_initial_events)
        return true;
    if (!q->is_watch)
        return refuse(q, "sendInitialEvents", "FieldValueForbidden", S("Forbidden: sendInitialEvents is forbidden for list"));
    if (!str_is(o->rv_match, "NotOlderThan"))
        return refuse(q, "resourceVersionMatch", "FieldValueForbidden",
                      S("Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
    if (o->send_initial_events && !o->bookmarks)
        return refuse(q, "allowWatchBookmarks", "FieldValueForbidden", S("Forbidden: sendInitialEvents requires allowWatchBookmarks"));
    return true;
}

bool list_opts_parse(struct api_req *q, struct list_opts *o)
{
    *o = (struct list_opts){.ns = api_is_namespaced(q->res) ? q->target.ns : S("")};
    str v;
    o->rv_match = api_query_str(q, S("resourceVersionMatch"));
    o->continue_token = api_query_str(q, S("continue"));
    o->bookmarks = api_query_bool(q, S("allowWatchBookmarks"));
    o->has_send_initial_events = api_query(q, S("sendInitialEvents"), &v);
    o->send_initial_events = api_query_bool(q, S("sendInitialEvents"));
    if (q->target.name.len && !q->sub)
        o->name_pin = q->target.name;
    return parse_selectors(q, o) && parse_numbers(q, o) && check_match_rules(q, o) && check_initial_events(q, o);
}

bool list_matches(const struct list_opts *o, const struct api_resource *r, const struct json *obj)
{
    if (o->labels && !selector_match_labels(o->labels, json_get(object_meta(obj), S("labels"))))
        return false;
    return !o->fields || selector_match_fields(o->fields, r, obj);
}

/* Does the key stand anywhere in the text?  Looking for it costs a fraction of a walk, and most pods that are written have no node. */
static bool has_key(str stored, str key)
{
    char quoted[64];
    if (key.len + 2 > sizeof quoted)
        return true;
    quoted[0] = quoted[key.len + 1] = '"';
    memcpy(quoted + 1, key.p, key.len);
    return str_find(stored, str_n(quoted, key.len + 2)) >= 0;
}

/* The text at the path; "" when there is nothing.  False: something else than a plain text is there. */
static bool text_at(str stored, str path, str *ret)
{
    str at = stored, step;
    *ret = S("");
    if (!has_key(stored, str_from(path, (size_t)(str_rfind_char(path, '.') + 1))))
        return true;
    while (path.len) {
        str_cut(&path, '.', &step);
        if (!raw_member_from(at, step, &at))
            return true;
    }
    if (!at.len || at.p[0] != '"')
        return false;
    ptrdiff_t end = str_find_char(str_from(at, 1), '"');
    *ret = str_sub(at, 1, (size_t)(end + 1));
    return end >= 0 && str_find_char(*ret, '\\') < 0;
}

/* Can the labels that must have one value be there at all?  Names and values of labels have nothing in them that JSON would write in another way, so the pair stands in the text as it is. */
static bool has_pairs(str stored, const struct selector *labels)
{
    char pair[512];
    for (size_t i = 0; i < labels->nterms; i++) {
        const struct selector_term *t = &labels->terms[i];
        int n = t->op == SELECTOR_EQ && t->nvalues == 1 ? snprintf(pair, sizeof pair, "\"" STR_FMT "\":\"" STR_FMT "\"", STR_ARG(t->key), STR_ARG(t->values[0])) : -1;
        if (n > 0 && (size_t)n < sizeof pair && str_find(stored, str_n(pair, (size_t)n)) < 0)
            return false;
    }
    return true;
}

int list_matches_text(const struct list_opts *o, const struct api_resource *r, str stored)
{
    const struct selector *s = o->fields;
    if (o->labels && !o->labels->nothing && !has_pairs(stored, o->labels))
        return 0;
    if (o->labels || !s || s->nothing)
        return -1;
    for (size_t i = 0; i < s->nterms; i++) {
        str value;
        if (!selector_field_is_plain(r, s->terms[i].key) || !text_at(stored, s->terms[i].key, &value))
            return -1;
        if (!selector_match_value(&s->terms[i], value))
            return 0;
    }
    return 1;
}
