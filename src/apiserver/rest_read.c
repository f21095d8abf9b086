/* rest_read.c - get and list: views of the store turned into bytes.
 *
 * A list is the concatenation of stored objects between a head and a tail.  Short ones are one answer; one that grows over LIST_AT_ONCE_BYTES is streamed in pieces as fast as the client reads, from one
 * view, so that a list of a million objects costs a few pieces of memory.  Objects that must be parsed (selectors, tables, conversion) are parsed a few at a time, with other work of the loop in between.
 *
 *   {"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":[ {stored}, {stored}, ... ]} */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table.h"
#include "apiserver/internal.h"
#include "base/vec.h"
#include "wire/base64.h"

#define LIST_AT_ONCE_BYTES (2u << 20)  /* a longer list is streamed, as plain JSON */
#define LIST_PAGE_BYTES (8u << 20)     /* a page ends here, whatever limit says: clients go by the continue token */
#define LIST_PIECE_BYTES (256u << 10)  /* of a stream */
#define LIST_STREAM_LIMIT (1u << 20)   /* unsent bytes before the list waits for the client */
#define LIST_STALL_NS (60 * NSEC_PER_SEC) /* that long a list waits; it keeps a view of the past */
#define LIST_PARSES_PER_TURN 1000      /* objects that are parsed before others have their turn */

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
    struct loop *loop; /* of q, which may be answered before this is freed */
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
    uint32_t parsed;        /* objects, in this turn */
    bool more;              /* stopped at the end of the page */
    bool piece_full, paused;
    bool streamed;
    struct loop_defer again; /* paused: goes on in the next turn */
    struct loop_timer stall; /* waiting for the client */
};

static void run_free(struct list_run *r)
{
    if (r->streamed) {
        atomic_fetch_sub(&r->q->srv->lists_in_flight, 1);
        metrics_inflight(r->q->srv->metrics, false, -1);
    }
    loop_defer_cancel(r->loop, &r->again);
    loop_timer_stop(r->loop, &r->stall);
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
    bool page_full = r->opts.limit && (r->written >= r->opts.limit || r->piece.len >= LIST_PAGE_BYTES);
    if (page_full || r->piece_full || r->paused) {
        /* this key is the first of the next piece or page */
        r->more = page_full;
        vec_clear(&r->from_copy);
        str key = store_kv_key(kv);
        vec_reserve(&r->from_copy, key.len);
        memcpy(r->from_copy.p, key.p, key.len);
        r->from = str_n(r->from_copy.p, key.len);
        return false;
    }
    str stored = store_kv_value(kv);
    bool selects = r->opts.labels || r->opts.fields;
    if (selects) {
        struct json obj = object_parse(&r->scratch, stored);
        if (list_matches(&r->opts, r->storage, &obj))
            write_item(r, stored, &obj);
    } else {
        write_item(r, stored, NULL);
    }
    if (!r->plain || selects) {
        arena_reset(&r->scratch);
        r->paused = ++r->parsed >= LIST_PARSES_PER_TURN;
    }
    r->piece_full = !r->opts.limit && r->piece.len >= (r->streamed ? LIST_PIECE_BYTES : LIST_AT_ONCE_BYTES);
    return true;
}

/* Writes items until the piece is full, the page is full, the turn is over or the range ends.  True: the range is not finished. */
static bool fill(struct list_run *r)
{
    r->piece_full = r->more = r->paused = false;
    r->parsed = 0;
    str from = r->from;
    r->from = STR_NONE;
    if (r->opts.name_pin.len && r->opts.ns.len + !api_is_namespaced(r->q->res) > 0) {
        CLEANUP(store_kv_unref) struct store_kv *kv = store_view_get(r->view, object_key(r->q->arena, r->q->res, r->opts.ns, r->opts.name_pin));
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
    api_answer_text(q, 200, strbuf_str(&b));
}

static void list_on(struct list_run *r);

static void stream_writable(struct http_request *http)
{
    struct api_req *q = http->user;
    if (q->state)
        list_on(q->state);
}

static void list_again(struct loop_defer *d)
{
    list_on(container_of(d, struct list_run, again));
}

static void give_up(struct list_run *r)
{
    struct api_req *q = r->q;
    run_free(r);
    q->state = NULL;
    q->sink->abort(q);
}

static void list_stalled(struct loop_timer *t)
{
    give_up(container_of(t, struct list_run, stall));
}

static void list_gone(struct http_request *http)
{
    struct api_req *q = http->user;
    if (q->state)
        give_up(q->state);
}

/* What is there becomes the first piece.  False: answered. */
static bool stream_begin(struct list_run *r)
{
    struct api_req *q = r->q;
    if (q->yaml) {
        run_free(r);
        q->yaml = false;
        api_answer_status(q, 406, S("NotAcceptable"), S("this list is too long for application/yaml: ask for application/json, or for pages with a limit"),
                          &(struct api_status_details){0});
        return false;
    }
    r->streamed = true;
    metrics_inflight(q->srv->metrics, false, 1);
    if (atomic_fetch_add(&q->srv->lists_in_flight, 1) >= LIMIT_READS_IN_FLIGHT) {
        run_free(r);
        api_answer_overloaded(q);
        return false;
    }
    struct http_header headers[] = {{S("cache-control"), S("no-cache, private")}};
    q->sink->stream_start(q, &(struct http_response){.status = 200, .content_type = S("application/json"), .headers = headers, .nheaders = 1});
    STRBUF_AUTO first = STRBUF_HEAP;
    write_head(r, &first, S(""), 0);
    strbuf_add_str(&first, strbuf_str(&r->piece));
    strbuf_clear(&r->piece);
    r->held = http_buf_new(strbuf_str(&first));
    return true;
}

static void stream_piece(struct list_run *r, bool unfinished)
{
    if (!unfinished) {
        strbuf_add_str(&r->piece, S("]}"));
        store_view_close(TAKE(r->view));
    }
    if (r->piece.len)
        r->held = http_buf_new(strbuf_str(&r->piece));
    strbuf_clear(&r->piece);
}

/* Goes on until the list is answered, the client has no room, or others must have their turn. */
static void list_on(struct list_run *r)
{
    struct api_req *q = r->q;
    for (;;) {
        if (r->held) {
            if (!q->sink->stream_write(q, r->held, LIST_STREAM_LIMIT)) {
                loop_timer_set(r->loop, &r->stall, loop_now(r->loop) + LIST_STALL_NS);
                return;
            }
            loop_timer_stop(r->loop, &r->stall);
            http_buf_unref(TAKE(r->held));
        }
        if (!r->view)
            break; /* the tail is sent */
        bool unfinished = fill(r);
        if (r->streamed) {
            stream_piece(r, unfinished);
        } else if (!unfinished || r->more) {
            q->state = NULL;
            answer_at_once(r);
            return;
        } else if (r->piece_full && !stream_begin(r)) {
            return;
        }
        if (r->paused && !r->held) {
            loop_defer(r->loop, &r->again);
            return;
        }
    }
    run_free(r);
    q->state = NULL;
    q->sink->stream_end(q);
}

void rest_list(struct api_req *q)
{
    struct list_run *r = xnew(struct list_run);
    r->q = q;
    r->loop = q->loop;
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
    r->again.fn = list_again;
    r->stall.fire = list_stalled;
    q->state = r;
    if (q->http) {
        q->http->on_writable = stream_writable;
        q->http->on_gone = list_gone;
    }
    list_on(r);
}
