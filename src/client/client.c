/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client.h"

#include "wire/base64.h"

struct client {
    struct http_client *http;
    char *namespace_;
    char *as; /* Impersonate-User, NULL: none */
};

/* --- making ----------------------------------------------------------------------------------------------- */

static const char *or_null(const char *s)
{
    return s && s[0] ? s : NULL;
}

static void write_authorization(const struct kubeconfig_resolved *r, struct strbuf *b)
{
    if (r->token[0]) {
        strbuf_addf(b, "Bearer %s", r->token);
    } else if (r->username[0]) {
        STRBUF_AUTO pair = STRBUF_HEAP;
        strbuf_addf(&pair, "%s:%s", r->username, r->password);
        strbuf_add_str(b, S("Basic "));
        base64_write(b, BASE64_STD, strbuf_str(&pair));
    }
}

static int make(const struct http_client_opts *opts, const char *namespace_, const char *as, struct client **ret, struct err *err)
{
    struct http_client *http;
    int r = http_client_new(opts, &http, err);
    if (r < 0)
        return r;
    struct client *c = xnew(struct client);
    c->http = http;
    c->namespace_ = xstrdup(namespace_);
    c->as = as ? xstrdup(as) : NULL;
    *ret = c;
    return 0;
}

int client_new(const struct kubeconfig_resolved *r, const char *user_agent, struct client **ret, struct err *err)
{
    STRBUF_AUTO auth = STRBUF_HEAP;
    write_authorization(r, &auth);
    return make(&(struct http_client_opts){.url = r->server,
                                           .ca_pem = or_null(r->ca_pem),
                                           .cert_pem = or_null(r->cert_pem),
                                           .key_pem = or_null(r->key_pem),
                                           .tls_server_name = or_null(r->tls_server_name),
                                           .insecure = r->insecure,
                                           .authorization = auth.len ? strbuf_cstr(&auth) : NULL,
                                           .user_agent = user_agent},
                r->namespace_, or_null(r->as), ret, err);
}

int client_new_url(const char *url, const char *user_agent, struct client **ret, struct err *err)
{
    return make(&(struct http_client_opts){.url = url, .user_agent = user_agent}, "default", NULL, ret, err);
}

void client_free(struct client *c)
{
    if (!c)
        return;
    http_client_free(c->http);
    free(c->namespace_);
    free(c->as);
    free(c);
}

const char *client_server(const struct client *c)
{
    return http_client_server(c->http);
}
const char *client_namespace(const struct client *c)
{
    return c->namespace_;
}

/* --- URLs --------------------------------------------------------------------------------------------------- */

static void add_escaped(struct strbuf *b, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("-._~", c));
        if (plain)
            strbuf_add_char(b, (char)c);
        else
            strbuf_addf(b, "%%%02X", c);
    }
}

void client_query_add(struct strbuf *b, const char *name, str value)
{
    if (b->len)
        strbuf_add_char(b, '&');
    strbuf_addf(b, "%s=", name);
    add_escaped(b, value);
}

void client_path_add(struct strbuf *b, str segment)
{
    strbuf_add_char(b, '/');
    add_escaped(b, segment);
}

/* --- errors ------------------------------------------------------------------------------------------------- */

/* The Status reason is finer than the HTTP status: 409 is AlreadyExists or Conflict. */
static int code_of(int status, str reason)
{
    for (int code = 1; reason.len && code < E_COUNT_; code++) {
        if (str_is(reason, err_reason(code)))
            return code;
    }
    for (int code = 1; code < E_COUNT_; code++) {
        if (err_http_status(code) == status)
            return code;
    }
    return status < 500 ? E_INVALID_ARG : E_INTERNAL;
}

static int status_error(int status, const struct json *body, str text, struct err *err)
{
    str message = json_get_str(body, S("message"));
    if (json_is(body, JSON_OBJECT) && str_eq(json_get_str(body, S("kind")), S("Status")) && message.len)
        return err_set(err, code_of(status, json_get_str(body, S("reason"))), STR_FMT, STR_ARG(message));
    str shown = str_sub(str_trim(text), 0, 200);
    return err_set(err, code_of(status, STR_NONE), "the server answered %d " STR_FMT "%s" STR_FMT, status, STR_ARG(http_status_text(status)),
                   shown.len ? ": " : "", STR_ARG(shown));
}

/* --- one call ------------------------------------------------------------------------------------------------ */

#define CLIENT_HEADERS 3

static size_t fill_headers(const struct client *c, const struct client_request *q, struct http_header out[CLIENT_HEADERS])
{
    size_t n = 0;
    out[n++] = (struct http_header){S("Accept"), q->accept.len ? q->accept : S("application/json")};
    if (q->body.len)
        out[n++] = (struct http_header){S("Content-Type"), q->content_type.len ? q->content_type : S("application/json")};
    if (c->as)
        out[n++] = (struct http_header){S("Impersonate-User"), str_of(c->as)};
    return n;
}

static int send_it(struct client *c, const struct client_request *q, struct arena *a, bool (*on_data)(void *arg, str bytes), void *arg,
                   struct http_client_response *ret, struct err *err)
{
    struct http_header headers[CLIENT_HEADERS];
    struct http_client_request req = {.method = q->method, .body = q->body, .timeout_ns = q->timeout_ns, .on_data = on_data, .arg = arg};
    req.path = q->query.len ? arena_fmt(a, STR_FMT "?" STR_FMT, STR_ARG(q->path), STR_ARG(q->query)) : q->path;
    if (on_data && !q->timeout_ns)
        req.timeout_ns = -1; /* a stream may be silent for long; TCP keep-alive finds a dead peer */
    req.headers = headers;
    req.nheaders = fill_headers(c, q, headers);
    return http_client_do(c->http, &req, a, ret, err);
}

/* 299 - "text": the text, with \" and \\ as they are meant. */
static str warning_text(struct arena *a, str value)
{
    ptrdiff_t open = str_find_char(value, '"'), close = str_rfind_char(value, '"');
    if (open < 0 || close <= open)
        return value;
    struct strbuf b = strbuf_on(a);
    for (ptrdiff_t i = open + 1; i < close; i++) {
        if (value.p[i] == '\\' && i + 1 < close)
            i++;
        strbuf_add_char(&b, value.p[i]);
    }
    return strbuf_str(&b);
}

static void read_warnings(struct arena *a, const struct http_client_response *res, struct client_response *ret)
{
    for (size_t i = 0; i < res->nheaders && ret->nwarnings < ARRAY_LEN(ret->warnings); i++) {
        if (str_is(res->headers[i].name, "warning"))
            ret->warnings[ret->nwarnings++] = warning_text(a, res->headers[i].value);
    }
}

int client_do(struct client *c, const struct client_request *req, struct arena *a, struct client_response *ret, struct err *err)
{
    struct http_client_response res;
    int r = send_it(c, req, a, NULL, NULL, &res, err);
    if (r < 0)
        return r;
    *ret = (struct client_response){.status = res.status, .body = res.body, .content_type = http_client_header(&res, S("content-type"))};
    read_warnings(a, &res, ret);
    if (str_has_prefix(ret->content_type, S("application/json")) && ret->body.len) {
        r = json_parse(a, ret->body, NULL, &ret->json, err);
        if (r < 0)
            return err_wrap(err, "the answer of %s is damaged: ", client_server(c));
    }
    return ret->status >= 400 ? status_error(ret->status, &ret->json, ret->body, err) : 0;
}

/* --- streams ---------------------------------------------------------------------------------------------------- */

static int stream_status(struct arena *a, const struct http_client_response *res, struct err *err)
{
    struct json body = json_null();
    if (res->status < 400)
        return 0;
    if (res->body.len)
        err_ignore(json_parse(a, res->body, NULL, &body, NULL), "a body that is no JSON is shown as text");
    return status_error(res->status, &body, res->body, err);
}

int client_stream(struct client *c, const struct client_request *req, bool (*on_data)(void *arg, str bytes), void *arg, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct http_client_response res;
    int r = send_it(c, req, &a, on_data, arg, &res, err);
    return r < 0 ? r : stream_status(&a, &res, err);
}

struct watch {
    bool (*on_event)(void *arg, str type, struct json *object, struct arena *a);
    void *arg;
    struct strbuf line; /* the part of an event that has come so far */
    struct arena arena; /* one event's */
    int result;
    struct err *err;
};

static bool watch_fail(struct watch *w, int result)
{
    w->result = result;
    return false;
}

static bool watch_line(struct watch *w, str line)
{
    struct json event;
    line = str_trim(line);
    if (!line.len)
        return true;
    arena_reset(&w->arena);
    int r = json_parse(&w->arena, line, NULL, &event, w->err);
    struct json *object = r < 0 ? NULL : json_get(&event, S("object"));
    str type = r < 0 ? S("") : json_get_str(&event, S("type"));
    if (!object)
        return watch_fail(w, r < 0 ? err_wrap(w->err, "a watch event is damaged: ") : err_set(w->err, E_PARSE, "a watch event has no object"));
    if (str_is(type, "ERROR"))
        return watch_fail(w, status_error((int)json_get_int(object, S("code"), 500), object, line, w->err));
    return w->on_event(w->arg, type, object, &w->arena);
}

static bool watch_data(void *arg, str bytes)
{
    struct watch *w = arg;
    for (;;) {
        ptrdiff_t end = str_find_char(bytes, '\n');
        str part = end < 0 ? bytes : str_sub(bytes, 0, (size_t)end);
        if (w->line.len + part.len > CLIENT_EVENT_MAX)
            return watch_fail(w, err_set(w->err, E_TOO_LARGE, "a watch event is larger than %u MiB", CLIENT_EVENT_MAX >> 20));
        strbuf_add_str(&w->line, part);
        if (end < 0)
            return true;
        bool more = watch_line(w, strbuf_str(&w->line));
        strbuf_clear(&w->line);
        if (!more)
            return false;
        bytes = str_from(bytes, (size_t)end + 1);
    }
}

int client_watch_run(struct client *c, const struct client_request *req, bool (*on_event)(void *arg, str type, struct json *object, struct arena *a),
                     void *arg, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err local = ERR_NONE;
    struct watch w = {.on_event = on_event, .arg = arg, .line = STRBUF_HEAP, .arena = ARENA_INIT, .err = err ? err : &local};
    struct http_client_response res;
    int r = send_it(c, req, &a, watch_data, &w, &res, err);
    if (r == 0)
        r = w.result < 0 ? w.result : stream_status(&a, &res, err);
    strbuf_fini(&w.line);
    arena_fini(&w.arena);
    return r;
}
