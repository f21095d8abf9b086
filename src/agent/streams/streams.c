/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/streams/streams.h"

#include "agent/streams/streams_internal.h"
#include "base/log.h"

#define SHUTDOWN_NS (2 * NSEC_PER_SEC)

/* --- answers --------------------------------------------------------------------------------------------------------- */

void streams_answer(struct http_request *req, int status, str text)
{
    http_respond(req, &(struct http_response){.status = status, .content_type = S("text/plain; charset=utf-8"), .body = text});
}

void streams_answer_err(struct http_request *req, const struct err *err)
{
    streams_answer(req, err_http_status(err->code), str_of(err->msg));
}

bool streams_query_bool(struct http_request *req, str name)
{
    str v;
    bool b;
    if (!http_query_get(req, name, &v))
        return false;
    return !v.len || (str_to_bool(v, &b) && b);
}

/* --- sessions ---------------------------------------------------------------------------------------------------------- */

bool streams_session_add(struct streams *s, struct stream_session *x, struct http_request *req, void (*stop)(struct stream_session *x))
{
    if (s->nsessions >= LIMIT_NODE_SESSIONS || s->stopping) {
        streams_answer(req, 503, s->stopping ? S("the agent is stopping") : S("too many streams on this node already; try again later"));
        return false;
    }
    x->streams = s;
    x->stop = stop;
    list_add_tail(&s->sessions, &x->link);
    s->nsessions++;
    return true;
}

static void stopped_check(struct streams *s)
{
    if (!s->stopping || !s->http_done || s->nsessions || s->stop_told)
        return;
    s->stop_told = true;
    s->stopped(s->stopped_arg);
}

void streams_session_del(struct stream_session *x)
{
    struct streams *s = x->streams;
    list_del(&x->link);
    s->nsessions--;
    stopped_check(s);
}

/* --- who may ask --------------------------------------------------------------------------------------------------------- */

static bool is_allowed(const struct http_request *req)
{
    const struct tls_peer *p = req->peer;
    for (size_t i = 0; i < p->norganizations; i++)
        if (str_is(p->organizations[i], "system:masters"))
            return true;
    return str_is(p->common_name, "kube-apiserver-kubelet-client") || str_is(p->common_name, "kube-apiserver");
}

/* --- paths ------------------------------------------------------------------------------------------------------------------ */

static const struct route {
    const char *prefix;
    bool has_container, is_post_too;
    void (*serve)(struct streams *s, struct http_request *req, const struct stream_path *p);
} routes[] = {
    {"containerLogs", true, false, streams_serve_log},
    {"exec", true, true, streams_serve_exec},
    {"attach", true, true, streams_serve_attach},
    {"portForward", false, true, streams_serve_forward},
};

static size_t split(struct http_request *req, str parts[6])
{
    str rest = req->path, one;
    size_t n = 0;
    while (rest.len && n < 6) {
        str_cut(&rest, '/', &one);
        if (one.len && http_unescape(req->arena, one, false, &one))
            parts[n++] = one;
    }
    return n;
}

static bool serve_route(struct streams *s, struct http_request *req)
{
    str parts[6];
    size_t n = split(req, parts);
    for (size_t i = 0; i < ARRAY_LEN(routes); i++) {
        const struct route *r = &routes[i];
        size_t least = r->has_container ? 4 : 3;
        if (!n || !str_is(parts[0], r->prefix))
            continue;
        if (n < least || n > least + 1) { /* one more: the pod's uid before the container */
            streams_answer(req, 404, S("404 page not found\n"));
        } else if (!str_is(req->method, "GET") && !(r->is_post_too && str_is(req->method, "POST"))) {
            streams_answer(req, 405, S("405: Method Not Allowed"));
        } else {
            struct stream_path p = {parts[1], parts[2], r->has_container ? parts[n - 1] : S("")};
            r->serve(s, req, &p);
        }
        return true;
    }
    return false;
}

static void handle(void *arg, struct http_request *req)
{
    struct streams *s = arg;
    str name = req->path, type, text;
    if (!req->peer) {
        streams_answer(req, 401, S("Unauthorized"));
        return;
    }
    if (!is_allowed(req)) {
        streams_answer(req, 403, arena_fmt(req->arena, "Forbidden (user=" STR_FMT ", verb=" STR_FMT ")", STR_ARG(req->peer->common_name), STR_ARG(req->method)));
        return;
    }
    while (name.len && name.p[0] == '/')
        name = str_from(name, 1);
    while (name.len && name.p[name.len - 1] == '/')
        name.len--;
    if (str_is(name, "healthz"))
        streams_answer(req, 200, S("ok"));
    else if (serve_route(s, req))
        return;
    else if (str_is(req->method, "GET") && s->o.document && s->o.document(s->o.arg, name, req->arena, &type, &text))
        http_respond(req, &(struct http_response){.status = 200, .content_type = type, .body = text});
    else
        streams_answer(req, 404, S("404 page not found\n"));
}

static str bad_request(void *arg UNUSED, struct arena *a, int status UNUSED, const char *why)
{
    return arena_str(a, str_of(why));
}

/* --- life --------------------------------------------------------------------------------------------------------------------- */

int streams_new(const struct streams_opts *o, uint16_t *ret_port, struct streams **ret, struct err *err)
{
    struct streams *s = xnew(struct streams);
    s->o = *o;
    s->o.cert_pem = s->o.key_pem = s->o.client_ca_pem = NULL; /* used here only */
    s->listen = xstrdup(o->listen);
    s->o.listen = s->listen;
    s->loops[0] = o->loop;
    list_init(&s->sessions);
    int r = tls_server_new(o->cert_pem, o->key_pem, o->client_ca_pem, &s->tls, err);
    struct http_server_opts ho = {.name = "node", .loops = s->loops, .nloops = 1, .tls = s->tls, .handler = handle, .bad_request = bad_request, .arg = s,
                                  .max_connections = LIMIT_NODE_SESSIONS + 256};
    if (r == 0)
        r = http_server_new(&ho, &s->http, err);
    if (r == 0)
        r = http_server_listen_tls(s->http, s->listen, ret_port, err);
    if (r < 0) {
        streams_free(s);
        return r;
    }
    *ret = s;
    return 0;
}

int streams_set_cert(struct streams *s, const char *cert_pem, const char *key_pem, struct err *err)
{
    return tls_server_set_cert(s->tls, cert_pem, key_pem, err);
}

static void http_stopped(void *arg)
{
    struct streams *s = arg;
    s->http_done = true;
    stopped_check(s);
}

void streams_stop(struct streams *s, void (*stopped)(void *arg), void *arg)
{
    s->stopping = true;
    s->stopped = stopped;
    s->stopped_arg = arg;
    list_foreach_safe(x, &s->sessions, struct stream_session, link)
    {
        x->stop(x);
    }
    http_server_shutdown(s->http, loop_now(s->o.loop) + SHUTDOWN_NS, http_stopped, s);
}

void streams_free(struct streams *s)
{
    if (!s)
        return;
    http_server_free(s->http);
    tls_server_free(s->tls);
    free(s->listen);
    free(s);
}
