/* rest_read.c - get and list: views of the store turned into bytes.
 *
 * A list is the concatenation of stored objects between a head and a tail.  Short ones are one answer; long ones are streamed in pieces of LIST_PIECE_BYTES as fast as
 * the client reads, from one view, so that a list of a million objects costs a few pieces of memory and never holds the loop for long.
 *
 *   {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[ {stored}, {stored}, ... ]} */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"
#include "apiserver/internal.h"
#include "base/vec.h"
#include "wire/base64.h"

#define LIST_PIECE_BYTES (256u << 10)
#define LIST_STREAM_LIMIT (1u << 20)  /* unsent bytes before the list waits for the client */
#define LIST_STREAM_ABOVE 2000        /* objects; shorter lists are answered at once, with gzip if wanted */

/* 504 when the client knows a revision this server has not reached. */
static bool too_new(struct api_req *q, rev_t rv)
{
    rev_t now = store_revision(q->srv->store);
    if (rv <= now)
        return false;
    struct api_cause cause = {S("ResourceVersionTooLarge"), S("Too large resource version"), S("")};
    struct api_status_details d = {.causes = &cause, .ncauses = 1, .retry_after_s = 1};
    api_answer_status(q, 504, S("Timeout"),
                      arena_fmt(q->arena, "Timeout: Too large resource version: %llu, current: %llu", (unsigned long long)rv, (unsigned long long)now), &d);
    return true;
}

void rest_get(struct api_req *q)
{
    str v;
    rev_t rv;
    if (api_query(q, S("resourceVersion"), &v) && v.len) {
        if (!str_to_u64(v, &rv)) {
            api_answer_status(q, 400, S("BadRequest"), arena_fmt(q->arena, "invalid resource version: " STR_FMT, STR_ARG(v)), &(struct api_status_details){0});
            return;
        }
        if (too_new(q, rv))
            return;
    }
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(q->srv->store, object_key(q->arena, q->res, q->target.ns, q->target.name));
    if (!kv)
        api_answer_not_found(q);
    else
        api_answer_object(q, 200, store_kv_value(kv));
}

/* --- continue tokens --------------------------------------------------------------------------------------------- */

/* rv -1: the client was told that its snapshot is gone and goes on with the newest state. */
static str token_make(struct arena *a, int64_t rv, str start)
{
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "{\"v\":\"meta.k8s.io/v1\",\"rv\":%lld,\"start\":", (long long)rv);
    json_write_string(&b, start);
    strbuf_add_char(&b, '}');
    return base64_encode(a, BASE64_URL_RAW, strbuf_str(&b));
}

static bool token_parse(struct arena *a, str token, int64_t *ret_rv, str *ret_start)
{
    str text;
    struct json v;
    if (base64_decode(a, BASE64_URL_RAW, token, &text, NULL) < 0 || json_parse(a, text, NULL, &v, NULL) < 0 || !str_is(json_get_str(&v, S("v")), "meta.k8s.io/v1"))
        return false;
    *ret_rv = json_get_int(&v, S("rv"), 0);
    *ret_start = json_get_str(&v, S("start"));
    return (*ret_rv > 0 || *ret_rv == -1) && ret_start->len > 0;
}

/* --- list ----------------------------------------------------------------------------------------------------------- */

struct list_run {
    struct api_req *q;
    struct list_opts opts;
    struct store_view *view;
    str prefix;   /* of all keys of the list */
    str from;     /* next key to visit */
    str end;
    const struct api_resource *storage;
    bool plain;   /* stored bytes can be copied as they are */
    bool first;   /* no item written yet */
    int64_t written;
    struct strbuf piece;
    struct arena scratch;   /* per item */
    VEC(char) from_copy;    /* backing of `from` between pieces */
    struct http_buf *held;  /* a piece the client had no room for */
    bool more;              /* stopped at the limit */
    bool piece_full;
    bool counted; /* among the long lists in flight */
};

static void run_free(struct list_run *r)
{
    if (r->counted)
        atomic_fetch_sub(&r->q->srv->lists_in_flight, 1);
    store_view_close(r->view);
    strbuf_fini(&r->piece);
    arena_fini(&r->scratch);
    vec_fini(&r->from_copy);
    http_buf_unref(r->held);
    free(r);
}

/* False: answered. */
static bool open_view(struct list_run *r)
{
    struct api_req *q = r->q;
    const struct list_opts *o = &r->opts;
    struct err err;
    int64_t token_rv = 0;
    str start = S("");
    rev_t at = 0;
    if (o->continue_token.len) {
        if (o->has_rv && o->rv) {
            api_answer_status(q, 400, S("BadRequest"), S("specifying resource version is not allowed when using continue"), &(struct api_status_details){0});
            return false;
        }
        if (!token_parse(q->arena, o->continue_token, &token_rv, &start)) {
            api_answer_status(q, 400, S("BadRequest"), S("continue key is not valid: encoded start key does not match the expected format"),
                              &(struct api_status_details){0});
            return false;
        }
        at = token_rv > 0 ? (rev_t)token_rv : 0;
        r->from = arena_cat(q->arena, object_key(q->arena, q->res, S(""), S("")), start);
        if (!str_has_prefix(r->from, r->prefix))
            r->from = r->prefix;
    } else if (o->has_rv && o->rv) {
        if (too_new(q, o->rv))
            return false;
        bool exact = str_is(o->rv_match, "Exact") || (o->limit && !o->rv_match.len);
        at = exact ? o->rv : 0;
    }
    if (store_view_open(q->srv->store, at, &r->view, &err) == 0)
        return true;
    if (err.code == E_EXPIRED && start.len) {
        str body = arena_fmt(q->arena,
                             "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{\"continue\":\"" STR_FMT "\"},\"status\":\"Failure\",\"message\":\"The provided continue "
                             "parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in "
                             "this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were "
                             "created, modified, or deleted between the time the first chunk was returned and now may show up in the list.\",\"reason\":\"Expired\",\"code\":410}",
                             STR_ARG(token_make(q->arena, -1, start)));
        api_answer(q, 410, S("application/json"), body);
    } else if (err.code == E_EXPIRED) {
        api_answer_status(q, 410, S("Expired"), S("The resourceVersion for the provided list is too old."), &(struct api_status_details){0});
    } else {
        api_answer_err(q, &err);
    }
    return false;
}

static void item_sep(struct list_run *r)
{
    if (!r->first)
        strbuf_add_char(&r->piece, ',');
    r->first = false;
    r->written++;
}

static void write_item(struct list_run *r, str stored, struct json *obj)
{
    struct api_req *q = r->q;
    item_sep(r);
    if (r->plain) {
        strbuf_add_char(&r->piece, '{');
        strbuf_add_str(&r->piece, str_from(stored, 1 + object_type_prefix_len(r->storage)));
        return;
    }
    if (q->output == API_OUT_TABLE) {
        str bytes = output_item(q, &r->scratch, stored, true);
        struct json v = bytes.p == stored.p && obj ? *obj : object_parse(&r->scratch, bytes);
        table_write_row(&r->scratch, &r->piece, q->res, &v, bytes, (enum table_include)q->include_object, clock_wall(q->srv->clock));
        return;
    }
    strbuf_add_str(&r->piece, output_item(q, &r->scratch, stored, q->res->flags & API_CUSTOM));
}

static bool visit(void *arg, const struct store_kv *kv)
{
    struct list_run *r = arg;
    if (r->piece_full || (r->opts.limit && r->written >= r->opts.limit)) {
        /* this key is the first of the next piece or page */
        r->more = !r->piece_full;
        vec_clear(&r->from_copy);
        str key = store_kv_key(kv);
        vec_reserve(&r->from_copy, key.len);
        memcpy(r->from_copy.p, key.p, key.len);
        r->from = str_n(r->from_copy.p, key.len);
        return false;
    }
    str stored = store_kv_value(kv);
    if (r->opts.labels || r->opts.fields) {
        struct json obj = object_parse(&r->scratch, stored);
        if (list_matches(&r->opts, r->storage, &obj))
            write_item(r, stored, &obj);
    } else {
        write_item(r, stored, NULL);
    }
    if (!r->plain || r->opts.labels || r->opts.fields)
        arena_reset(&r->scratch);
    r->piece_full = r->piece.len >= LIST_PIECE_BYTES && !r->opts.limit;
    return true;
}

/* Writes items until the piece is full, the page is full or the range ends.  True: the range is not finished. */
static bool fill(struct list_run *r)
{
    r->piece_full = r->more = false;
    str from = r->from;
    r->from = STR_NONE;
    if (r->opts.name_pin.len && r->opts.ns.len + !api_is_namespaced(r->q->res) > 0) {
        const struct store_kv *kv = store_view_get(r->view, object_key(r->q->arena, r->q->res, r->opts.ns, r->opts.name_pin));
        if (kv)
            visit(r, kv);
        return false;
    }
    store_view_range(r->view, from, r->end, visit, r);
    return r->from.p != NULL;
}

static str kind_of_list(struct api_req *q)
{
    return q->output == API_OUT_TABLE ? S("Table") : q->output == API_OUT_PARTIAL ? S("PartialObjectMetadataList") : q->res->list_kind;
}

static void write_head(struct list_run *r, struct strbuf *b, str token, int64_t remaining)
{
    struct api_req *q = r->q;
    str version = q->output == API_OUT_OBJECT ? api_group_version(q->arena, q->res->group, q->res->version)
                                              : arena_cat(q->arena, S("meta.k8s.io/"), q->table_version);
    strbuf_addf(b, "{\"kind\":\"" STR_FMT "\",\"apiVersion\":\"" STR_FMT "\",\"metadata\":{\"resourceVersion\":\"%llu\"", STR_ARG(kind_of_list(q)), STR_ARG(version),
                (unsigned long long)store_view_revision(r->view));
    if (token.len)
        strbuf_addf(b, ",\"continue\":\"" STR_FMT "\"", STR_ARG(token));
    if (remaining > 0)
        strbuf_addf(b, ",\"remainingItemCount\":%lld", (long long)remaining);
    strbuf_add_str(b, S("},"));
    if (q->output == API_OUT_TABLE) {
        table_write_columns(b, q->res);
        strbuf_add_str(b, S(",\"rows\":["));
    } else {
        strbuf_add_str(b, S("\"items\":["));
    }
}

static void answer_at_once(struct list_run *r)
{
    struct api_req *q = r->q;
    while (fill(r) && !r->more)
        ;
    str token = S("");
    int64_t remaining = 0;
    if (r->more) {
        str base = object_key(q->arena, q->res, S(""), S(""));
        token = token_make(q->arena, (int64_t)store_view_revision(r->view), str_from(r->from, base.len));
        if (!r->opts.labels && !r->opts.fields)
            remaining = (int64_t)store_view_count(r->view, r->from, r->end);
    }
    struct strbuf b = strbuf_on(q->arena);
    strbuf_grow(&b, r->piece.len + 1024);
    write_head(r, &b, token, remaining);
    strbuf_add_str(&b, strbuf_str(&r->piece));
    strbuf_add_str(&b, S("]}"));
    run_free(r);
    str body = strbuf_str(&b);
    if (q->yaml || q->pretty) {
        struct json v = object_parse(q->arena, body);
        api_answer_json(q, 200, &v);
    } else {
        api_answer(q, 200, S("application/json"), body);
    }
}

static void stream_on(struct list_run *r)
{
    struct api_req *q = r->q;
    for (;;) {
        if (r->held) {
            if (!q->sink->stream_write(q, r->held, LIST_STREAM_LIMIT))
                return;
            http_buf_unref(TAKE(r->held));
        }
        if (!r->view)
            break; /* the tail is sent */
        bool unfinished = fill(r);
        if (!unfinished) {
            strbuf_add_str(&r->piece, S("]}"));
            store_view_close(TAKE(r->view));
        }
        r->held = http_buf_new(strbuf_str(&r->piece));
        strbuf_clear(&r->piece);
    }
    run_free(r);
    q->state = NULL;
    q->sink->stream_end(q);
}

static void stream_writable(struct http_request *http)
{
    struct api_req *q = http->user;
    if (q->state)
        stream_on(q->state);
}

static void stream_gone(struct http_request *http)
{
    struct api_req *q = http->user;
    if (q->state)
        run_free(TAKE(q->state));
    q->sink->stream_end(q);
}

static void answer_streamed(struct list_run *r)
{
    struct api_req *q = r->q;
    r->counted = true;
    if (atomic_fetch_add(&q->srv->lists_in_flight, 1) >= LIMIT_READS_IN_FLIGHT) {
        run_free(r);
        api_answer_overloaded(q);
        return;
    }
    q->state = r;
    if (q->http) {
        q->http->on_writable = stream_writable;
        q->http->on_gone = stream_gone;
    }
    struct http_header headers[] = {{S("cache-control"), S("no-cache, private")}};
    q->sink->stream_start(q, &(struct http_response){.status = 200, .content_type = S("application/json"), .headers = headers, .nheaders = 1});
    write_head(r, &r->piece, S(""), 0);
    stream_on(r);
}

void rest_list(struct api_req *q)
{
    struct list_run *r = xnew(struct list_run);
    r->q = q;
    r->first = true;
    r->storage = registry_storage(q->reg, q->res);
    r->plain = q->output == API_OUT_OBJECT && r->storage == q->res && !(q->res->flags & API_CUSTOM);
    if (!list_opts_parse(q, &r->opts)) {
        run_free(r);
        return;
    }
    r->prefix = object_key(q->arena, q->res, r->opts.ns, S(""));
    r->from = r->prefix;
    r->end = store_prefix_end(q->arena, r->prefix);
    if (!open_view(r)) {
        run_free(r);
        return;
    }
    bool styled = q->yaml || q->pretty;
    if (r->opts.limit || styled || store_view_count(r->view, r->from, r->end) <= LIST_STREAM_ABOVE)
        answer_at_once(r);
    else
        answer_streamed(r);
}
