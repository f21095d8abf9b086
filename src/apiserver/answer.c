/* answer.c - how every answer is written: Status, objects, tables, YAML, pretty, warnings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"
#include "apiserver/internal.h"
#include "wire/gzip.h"
#include "wire/yaml.h"

bool api_user_in_group(const struct api_user *u, str group)
{
    for (size_t i = 0; i < u->ngroups; i++)
        if (str_eq(u->groups[i], group))
            return true;
    return false;
}

void api_req_warn(struct api_req *q, str text)
{
    for (size_t i = 0; i < q->nwarnings; i++)
        if (str_eq(q->warnings[i], text))
            return;
    if (q->nwarnings < ARRAY_LEN(q->warnings))
        q->warnings[q->nwarnings++] = arena_str(q->arena, text);
}

bool api_query(struct api_req *q, str name, str *ret)
{
    struct http_request view = {.arena = q->arena, .query = q->query}; /* in-process requests have no HTTP request of their own */
    return q->query.len && http_query_get(&view, name, ret);
}

str api_query_str(struct api_req *q, str name)
{
    str v;
    return api_query(q, name, &v) ? v : S("");
}

bool api_query_bool(struct api_req *q, str name)
{
    str v;
    bool b;
    if (!api_query(q, name, &v))
        return false;
    return !v.len || (str_to_bool(v, &b) && b);
}

str api_qualified_resource(struct arena *a, const struct api_resource *r)
{
    return r->group.len ? arena_fmt(a, STR_FMT "." STR_FMT, STR_ARG(r->plural), STR_ARG(r->group)) : r->plural;
}

/* Warning: 299 - "text", with quotes and backslashes escaped. */
static str warning_value(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_str(&b, S("299 - \""));
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (c == '"' || c == '\\')
            strbuf_add_char(&b, '\\');
        strbuf_add_char(&b, (unsigned char)c < 0x20 ? ' ' : c);
    }
    strbuf_add_char(&b, '"');
    return strbuf_str(&b);
}

#define ANSWER_MAX_HEADERS 24
struct answer_headers {
    struct http_header items[ANSWER_MAX_HEADERS];
    size_t len;
};

static void header_add(struct answer_headers *h, str name, str value)
{
    if (h->len < ANSWER_MAX_HEADERS)
        h->items[h->len++] = (struct http_header){name, value};
}

static void common_headers(struct api_req *q, struct answer_headers *h)
{
    header_add(h, S("cache-control"), S("no-cache, private"));
    if (q->audit_id.len)
        header_add(h, S("audit-id"), q->audit_id);
    for (size_t i = 0; i < q->nwarnings; i++)
        header_add(h, S("warning"), warning_value(q->arena, q->warnings[i]));
}

static void send(struct api_req *q, int status, str content_type, str body, struct answer_headers *h)
{
    common_headers(q, h);
    struct strbuf zipped = strbuf_on(q->arena);
    if (q->gzip && body.len > GZIP_WORTH_BYTES && status == 200) {
        gzip_compress(&body, 1, &zipped);
        header_add(h, S("content-encoding"), S("gzip"));
        header_add(h, S("vary"), S("Accept-Encoding"));
        body = strbuf_str(&zipped);
    }
    q->answered_status = status;
    q->answered_bytes = body.len;
    struct http_response res = {.status = status, .content_type = content_type, .headers = h->items, .nheaders = h->len, .body = body};
    if (str_is(q->method, "HEAD"))
        res.no_body = true;
    q->sink->respond(q, &res);
}

void api_answer(struct api_req *q, int status, str content_type, str body)
{
    struct answer_headers h = {.len = 0};
    send(q, status, content_type, body, &h);
}

/* JSON text as the client wants to see it. */
static str styled(struct api_req *q, str json_text_in, str *ret_type)
{
    *ret_type = q->yaml ? S("application/yaml") : S("application/json");
    if (!q->yaml && !q->pretty)
        return json_text_in;
    struct json v = object_parse(q->arena, json_text_in);
    struct strbuf b = strbuf_on(q->arena);
    if (q->yaml) {
        yaml_write(&b, &v);
    } else {
        json_write_pretty(&b, &v);
        strbuf_add_char(&b, '\n');
    }
    return strbuf_str(&b);
}

void api_answer_text(struct api_req *q, int status, str text)
{
    str type, body = styled(q, text, &type);
    api_answer(q, status, type, body);
}

void api_answer_json(struct api_req *q, int status, const struct json *body)
{
    api_answer_text(q, status, json_text(q->arena, body));
}

/* Stored bytes as the request's version; the same pointer when nothing is to be done.  Custom resources may have been stored by an older schema or in a version that was the
 * storage version once: they get the version and the defaults of today. */
static str rewritten(struct api_req *q, struct arena *a, str stored, bool with_type)
{
    const struct api_resource *from = registry_storage(q->reg, q->res);
    bool custom = q->res->flags & API_CUSTOM;
    if (!from || (from == q->res && !custom))
        return stored;
    struct json v = object_parse(a, stored), out;
    if (api_convert(a, from, q->res, &v, &out, NULL) < 0)
        return stored;
    if (custom)
        api_default_schema(a, q->res->type, &out);
    if (!with_type) {
        json_del(&out, S("kind"));
        json_del(&out, S("apiVersion"));
    }
    return json_text(a, &out);
}

/* {"kind":"PartialObjectMetadata",...} of an object. */
static str partial(struct api_req *q, struct arena *a, str stored, bool with_type)
{
    struct json v = object_parse(a, stored);
    struct strbuf b = strbuf_on(a);
    if (with_type)
        strbuf_addf(&b, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/" STR_FMT "\",\"metadata\":", STR_ARG(q->table_version));
    else
        strbuf_add_str(&b, S("{\"metadata\":"));
    json_write(&b, object_meta(&v));
    strbuf_add_char(&b, '}');
    return strbuf_str(&b);
}

str output_item(struct api_req *q, struct arena *a, str stored, bool with_type)
{
    if (q->output == API_OUT_PARTIAL)
        return partial(q, a, stored, with_type);
    return rewritten(q, a, stored, with_type);
}

static str table_of_one(struct api_req *q, str stored)
{
    struct strbuf b = strbuf_on(q->arena);
    str bytes = rewritten(q, q->arena, stored, true);
    struct json v = object_parse(q->arena, bytes);
    strbuf_addf(&b, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/" STR_FMT "\",\"metadata\":{\"resourceVersion\":", STR_ARG(q->table_version));
    json_write_string(&b, json_get_str(object_meta(&v), S("resourceVersion")));
    strbuf_add_str(&b, S("},"));
    table_write_columns(&b, q->res);
    strbuf_add_str(&b, S(",\"rows\":["));
    table_write_row(q->arena, &b, q->res, &v, bytes, (enum table_include)q->include_object, clock_wall(q->srv->clock));
    strbuf_add_str(&b, S("]}"));
    return strbuf_str(&b);
}

void api_answer_object(struct api_req *q, int status, str stored)
{
    api_answer_text(q, status, q->output == API_OUT_TABLE ? table_of_one(q, stored) : output_item(q, q->arena, stored, true));
}

static void write_details(struct strbuf *b, const struct api_status_details *d)
{
    strbuf_add_str(b, S(",\"details\":{"));
    size_t start = b->len;
    const struct {
        const char *key;
        str value;
    } texts[] = {{"name", d->name}, {"group", d->group}, {"kind", d->kind}, {"uid", d->uid}};
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        if (!texts[i].value.len)
            continue;
        strbuf_addf(b, "%s\"%s\":", b->len > start ? "," : "", texts[i].key);
        json_write_string(b, texts[i].value);
    }
    if (d->ncauses) {
        strbuf_addf(b, "%s\"causes\":[", b->len > start ? "," : "");
        for (size_t i = 0; i < d->ncauses; i++) {
            const struct api_cause *c = &d->causes[i];
            strbuf_addf(b, "%s{\"reason\":", i ? "," : "");
            json_write_string(b, c->reason);
            strbuf_add_str(b, S(",\"message\":"));
            json_write_string(b, c->message);
            if (c->field.len) {
                strbuf_add_str(b, S(",\"field\":"));
                json_write_string(b, c->field);
            }
            strbuf_add_char(b, '}');
        }
        strbuf_add_char(b, ']');
    }
    if (d->retry_after_s)
        strbuf_addf(b, "%s\"retryAfterSeconds\":%d", b->len > start ? "," : "", d->retry_after_s);
    strbuf_add_char(b, '}');
}

static str status_text(struct arena *a, bool success, int code, str reason, str message, const struct api_status_details *details)
{
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"%s\"", success ? "Success" : "Failure");
    if (message.len) {
        strbuf_add_str(&b, S(",\"message\":"));
        json_write_string(&b, message);
    }
    if (reason.len) {
        strbuf_add_str(&b, S(",\"reason\":"));
        json_write_string(&b, reason);
    }
    if (details)
        write_details(&b, details);
    if (!success)
        strbuf_addf(&b, ",\"code\":%d", code);
    strbuf_add_char(&b, '}');
    return strbuf_str(&b);
}

void api_answer_status(struct api_req *q, int code, str reason, str message, const struct api_status_details *details)
{
    struct answer_headers h = {.len = 0};
    if (details && details->retry_after_s)
        header_add(&h, S("retry-after"), arena_fmt(q->arena, "%d", details->retry_after_s));
    else if (code == 429)
        header_add(&h, S("retry-after"), S("1"));
    if (code == 401)
        header_add(&h, S("www-authenticate"), S("Bearer realm=\"coxswain\""));
    str type, body = styled(q, status_text(q->arena, false, code, reason, message, details), &type);
    send(q, code, type, body, &h);
}

void api_answer_success(struct api_req *q, const struct api_status_details *details)
{
    api_answer_text(q, 200, status_text(q->arena, true, 200, S(""), S(""), details));
}

/* `Queue.scheduling.run.ai "x" is invalid: spec.parentQueue: Invalid value: ...` of an admission step, as a cause: kubectl shows causes only. */
static bool cause_of(const struct err *err, struct api_cause *ret)
{
    static const str mark = STR_INIT("\" is invalid: ");
    str text = str_of(err->msg), field;
    ptrdiff_t at = err->code == E_INVALID ? str_find(text, mark) : -1;
    if (at < 0)
        return false;
    text = str_from(text, (size_t)at + mark.len);
    if (!str_cut(&text, ':', &field))
        return false;
    text = str_trim(text);
    str reason = str_has_prefix(text, S("Forbidden")) ? S("FieldValueForbidden") : str_has_prefix(text, S("Required")) ? S("FieldValueRequired") : S("FieldValueInvalid");
    *ret = (struct api_cause){reason, text, field};
    return true;
}

void api_answer_err(struct api_req *q, const struct err *err)
{
    struct api_cause cause;
    struct api_status_details d = {.retry_after_s = err->code == E_BUSY || err->code == E_TIMEOUT ? 1 : 0};
    if (q->res) {
        d.name = q->target.name;
        d.group = q->res->group;
        d.kind = q->res->plural;
    }
    if (cause_of(err, &cause)) {
        d.causes = &cause;
        d.ncauses = 1;
        d.kind = q->res ? q->res->kind : d.kind;
    }
    api_answer_status(q, err_http_status(err->code), str_of(err_reason(err->code)), str_of(err->msg), &d);
}

void api_answer_not_found(struct api_req *q)
{
    struct api_status_details d = {.name = q->target.name, .group = q->res->group, .kind = q->res->plural};
    str what = api_qualified_resource(q->arena, q->res);
    api_answer_status(q, 404, S("NotFound"), arena_fmt(q->arena, STR_FMT " \"" STR_FMT "\" not found", STR_ARG(what), STR_ARG(q->target.name)), &d);
}

void api_answer_unknown_resource(struct api_req *q)
{
    api_answer_status(q, 404, S("NotFound"), S("the server could not find the requested resource"), &(struct api_status_details){0});
}

void api_answer_method_not_allowed(struct api_req *q)
{
    api_answer_status(q, 405, S("MethodNotAllowed"), S("the server does not allow this method on the requested resource"), &(struct api_status_details){0});
}

str apiserver_bad_request(void *apiserver UNUSED, struct arena *a, int status, const char *why)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{400, "BadRequest"}, {408, "Timeout"}, {413, "RequestEntityTooLarge"}, {429, "TooManyRequests"}, {431, "BadRequest"}};
    str reason = S("BadRequest");
    for (size_t i = 0; i < ARRAY_LEN(reasons); i++)
        if (reasons[i].status == status)
            reason = str_of(reasons[i].reason);
    return status_text(a, false, status, reason, str_of(why), &(struct api_status_details){0});
}
