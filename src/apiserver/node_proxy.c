/* SPDX-License-Identifier: Apache-2.0 */
/*   client                        here                                    node, pod, service
 *   request      ─►   node_request_make, tunnel_start   ─►                 request
 *                ◄─   stream, or upgrade                ◄─   up->head
 *   on_bytes     ─►   tunnel_write; refused: kept in `up`, the client is paused
 *   http write   ◄─   up->data; refused: kept in `down`, the tunnel is paused
 *
 * Answers of a node that are not what was asked for (no 101, no 200) become a Status with the node's words. */
#include "apiserver/node_proxy.h"

#include <arpa/inet.h>
#include <stdatomic.h>

#include "apiserver/internal.h"
#include "client/tunnel.h"

#define IDLE_NS (4 * 3600 * NSEC_PER_SEC)
#define ERROR_TEXT_BYTES (64u << 10)
#define LOCAL_ANSWER_BYTES (64u << 20) /* of a call inside the process, which collects it */

struct node_proxy {
    struct tls_client *to_nodes; /* NULL: no certificate was given */
    struct tls_client *to_anyone;
    atomic_int open;
    atomic_int by_user[256]; /* of them, by hash of the name; two users may share a slot */
};

struct proxied {
    struct api_req *q;
    struct node_proxy *nodes;
    struct node_request want;
    struct client_target target;
    struct tunnel *tunnel;
    bool started, upgraded, ending;
    uint8_t user_slot;
    int bad_status;       /* of an answer that is turned into a Status */
    uint64_t passed;
    struct strbuf text;   /* its body */
    struct strbuf up, down;
};

/* --- making -------------------------------------------------------------------------------------------------------------- */

int node_proxy_new(const struct apiserver_opts *o, struct node_proxy **ret, struct err *err)
{
    struct node_proxy *p = xnew(struct node_proxy);
    int r = tls_client_new(NULL, NULL, NULL, true, &p->to_anyone, err);
    if (r == 0 && o->kubelet_client_cert_pem && o->ca_pem)
        r = tls_client_new(o->ca_pem, o->kubelet_client_cert_pem, o->kubelet_client_key_pem, false, &p->to_nodes, err);
    if (r < 0) {
        node_proxy_free(p);
        return r;
    }
    *ret = p;
    return 0;
}

void node_proxy_free(struct node_proxy *p)
{
    if (!p)
        return;
    tls_client_free(p->to_nodes);
    tls_client_free(p->to_anyone);
    free(p);
}

bool node_proxy_serves(const struct api_req *q)
{
    static const char *const subs[] = {"log", "exec", "attach", "portforward", "proxy"};
    for (size_t i = 0; q->sub && !q->target.group.len && i < ARRAY_LEN(subs); i++)
        if (str_is(q->target.subresource, subs[i]))
            return true;
    return false;
}

bool node_proxy_enter(struct node_proxy *p, const struct api_user *u, uint8_t *ret_slot)
{
    uint8_t slot = (uint8_t)str_hash(u->name);
    int all = atomic_fetch_add(&p->open, 1), own = atomic_fetch_add(&p->by_user[slot], 1);
    if (all < LIMIT_NODE_STREAMS && (own < LIMIT_NODE_STREAMS_PER_USER || api_user_in_group(u, S("system:masters")))) {
        *ret_slot = slot;
        return true;
    }
    node_proxy_leave(p, slot);
    return false;
}

void node_proxy_leave(struct node_proxy *p, uint8_t slot)
{
    atomic_fetch_sub(&p->open, 1);
    atomic_fetch_sub(&p->by_user[slot], 1);
}

/* --- the end ---------------------------------------------------------------------------------------------------------------- */

/* Frees what is ours; the request is finished by the caller afterwards. */
static struct api_req *let_go(struct proxied *x)
{
    struct api_req *q = x->q;
    tunnel_free(x->tunnel);
    x->target.tls = NULL; /* shared */
    client_target_fini(&x->target);
    strbuf_fini(&x->text);
    strbuf_fini(&x->up);
    strbuf_fini(&x->down);
    node_proxy_leave(x->nodes, x->user_slot);
    if (q->http)
        q->http->on_gone = q->http->on_writable = NULL;
    free(x);
    return q;
}

static void finish(struct proxied *x)
{
    bool upgraded = x->upgraded;
    struct api_req *q = let_go(x);
    if (upgraded)
        q->sink->abort(q); /* sends what was written */
    else
        q->sink->stream_end(q);
}

static void give_up(struct proxied *x)
{
    struct api_req *q = let_go(x);
    q->sink->abort(q);
}

static void on_gone(struct http_request *http)
{
    struct api_req *q = http->user;
    give_up(q->state);
}

/* --- from the node ------------------------------------------------------------------------------------------------------------- */

static bool write_down(struct proxied *x, str bytes)
{
    struct api_req *q = x->q;
    if (x->upgraded)
        return http_upgrade_write(q->http, bytes, NODE_PROXY_BUFFER);
    struct http_buf *b = http_buf_new(bytes);
    bool taken = q->sink->stream_write(q, b, NODE_PROXY_BUFFER);
    http_buf_unref(b);
    return taken;
}

static void on_data(void *owner, str bytes)
{
    struct proxied *x = owner;
    if (x->bad_status) {
        strbuf_add_str(&x->text, str_sub(bytes, 0, ERROR_TEXT_BYTES - x->text.len));
        return;
    }
    x->passed += bytes.len;
    if (!x->q->http && x->passed > LOCAL_ANSWER_BYTES) {
        give_up(x);
        return;
    }
    if (x->down.len || !write_down(x, bytes)) {
        strbuf_add_str(&x->down, bytes);
        tunnel_pause(x->tunnel, true);
    }
}

static void on_writable(struct http_request *http)
{
    struct api_req *q = http->user;
    struct proxied *x = q->state;
    if (x->down.len && !write_down(x, strbuf_str(&x->down)))
        return;
    strbuf_fini(&x->down);
    if (x->ending)
        finish(x);
    else
        tunnel_pause(x->tunnel, false);
}

/* --- from the client --------------------------------------------------------------------------------------------------------------- */

static void on_bytes(struct http_request *http, str bytes)
{
    struct api_req *q = http->user;
    struct proxied *x = q->state;
    if (x->ending || (!x->up.len && tunnel_write(x->tunnel, bytes, NODE_PROXY_BUFFER)))
        return;
    strbuf_add_str(&x->up, bytes);
    http_upgrade_pause(http, true);
}

static void on_tunnel_writable(void *owner)
{
    struct proxied *x = owner;
    if (x->up.len && !tunnel_write(x->tunnel, strbuf_str(&x->up), NODE_PROXY_BUFFER))
        return;
    strbuf_fini(&x->up);
    if (x->upgraded)
        http_upgrade_pause(x->q->http, false);
}

static const struct http_upgrade_ops upgrade_ops = {on_bytes, on_gone};

/* --- the answer's head ----------------------------------------------------------------------------------------------------------------- */

/* Belongs to one connection, not to the message. */
static bool is_hop_header(str name)
{
    static const str names[] = {STR_INIT("connection"), STR_INIT("keep-alive"), STR_INIT("transfer-encoding"), STR_INIT("te"), STR_INIT("trailer"),
                                STR_INIT("proxy-authenticate"), STR_INIT("proxy-authorization"), STR_INIT("proxy-connection"), STR_INIT("content-length")};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq(name, names[i]))
            return true;
    return false;
}

/* A proxied server does not know where it hangs: its redirects to itself stay below the proxy's path. */
static str moved_location(struct proxied *x, str value)
{
    struct arena *a = x->q->arena;
    if (x->want.prefix.len && value.len && value.p[0] == '/' && !str_has_prefix(value, S("//")))
        return arena_cat(a, x->want.prefix, value);
    return value;
}

static size_t answer_headers(struct proxied *x, const struct h1_answer *a, struct http_header *ret, str *ret_type)
{
    size_t n = 0;
    *ret_type = S("");
    for (size_t i = 0; i < a->nheaders; i++) {
        struct http_header h = a->headers[i];
        if (is_hop_header(h.name) || str_is(h.name, "date") || (!x->upgraded && str_is(h.name, "upgrade")))
            continue;
        if (str_is(h.name, "content-type") && !x->upgraded) {
            *ret_type = arena_str(x->q->arena, h.value);
            continue;
        }
        if (str_is(h.name, "location"))
            h.value = moved_location(x, h.value);
        ret[n++] = (struct http_header){arena_str(x->q->arena, h.name), arena_str(x->q->arena, h.value)};
    }
    return n;
}

static void answer_upgrade(struct proxied *x, const struct h1_answer *a)
{
    struct api_req *q = x->q;
    struct err err = ERR_NONE;
    str type;
    struct http_header *headers = arena_array(q->arena, a->nheaders + 1, struct http_header);
    x->upgraded = true;
    size_t n = answer_headers(x, a, headers, &type);
    if (http_upgrade(q->http, headers, n, &upgrade_ops, &err) < 0) {
        x->upgraded = false;
        q = let_go(x);
        api_answer_err(q, &err);
        return;
    }
    q->answered_status = 101;
    x->started = true;
}

static void on_head(void *owner, const struct h1_answer *a)
{
    struct proxied *x = owner;
    struct api_req *q = x->q;
    if (a->status == 101 && x->want.wants_upgrade) {
        answer_upgrade(x, a);
        return;
    }
    bool is_wanted = x->want.is_proxy || (a->status == 200 && !x->want.wants_upgrade);
    if (!is_wanted || a->status < 200) {
        x->bad_status = a->status < 400 ? 502 : a->status;
        return;
    }
    struct http_header *headers = arena_array(q->arena, a->nheaders + 2, struct http_header);
    struct http_response head = {.status = a->status, .headers = headers};
    head.nheaders = answer_headers(x, a, headers, &head.content_type);
    if (!x->want.is_proxy)
        headers[head.nheaders++] = (struct http_header){S("cache-control"), S("no-cache, private")};
    bool empty = str_is(q->method, "HEAD") || a->status == 204 || a->status == 304;
    if (empty) {
        head.no_body = true;
        q->answered_status = a->status;
        q = let_go(x);
        q->sink->respond(q, &head);
        return;
    }
    x->started = true;
    if (q->http)
        q->http->patient = true;
    q->sink->stream_start(q, &head);
}

/* --- the answer's end --------------------------------------------------------------------------------------------------------------------- */

static void answer_bad(struct proxied *x)
{
    struct api_req *q = x->q;
    int status = x->bad_status, code = E_INTERNAL;
    str text = str_trim(strbuf_str(&x->text));
    struct err err = ERR_NONE;
    for (int c = 1; c < E_COUNT_; c++) {
        if (err_http_status(c) == status) {
            code = c;
            break;
        }
    }
    if (text.len)
        err_set(&err, code, STR_FMT, STR_ARG(text));
    else
        err_set(&err, code, "the node of " STR_FMT " \"" STR_FMT "\" answered %d", STR_ARG(q->res->singular), STR_ARG(q->target.name), status);
    let_go(x);
    api_answer_err(q, &err);
}

static void on_end(void *owner, const struct err *err)
{
    struct proxied *x = owner;
    if (x->bad_status) {
        answer_bad(x);
    } else if (!x->started) {
        struct err why = *err;
        char *advice = strstr(why.msg, "; is the server running?"); /* for people who start servers, not for those who ask one */
        if (advice)
            *advice = 0;
        const char *what = x->want.is_proxy ? "error trying to reach service: " : "error dialing backend: ";
        err_wrap(&why, "%s", what);
        why.code = E_UNAVAILABLE;
        api_answer_err(let_go(x), &why);
    } else if (err && !x->upgraded) {
        give_up(x); /* an answer that broke off must not look complete */
    } else if (x->down.len) {
        x->ending = true; /* the client reads the rest first */
        if (x->upgraded)
            http_upgrade_pause(x->q->http, false);
    } else {
        finish(x);
    }
}

static const struct tunnel_ops tunnel_ops = {on_head, on_data, on_tunnel_writable, on_end};

/* --- the request ------------------------------------------------------------------------------------------------------------------------------ */

static bool is_own_header(const struct proxied *x, str name)
{
    static const str names[] = {STR_INIT("authorization"), STR_INIT("host"), STR_INIT("expect")};
    if (is_hop_header(name) || str_has_prefix(name, S("impersonate-")) || str_has_prefix(name, S("x-remote-")))
        return true;
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_eq(name, names[i]))
            return true;
    bool of_upgrade = str_is(name, "upgrade") || str_has_prefix(name, S("sec-websocket-")) || str_has_prefix(name, S("x-stream-protocol-"));
    if (of_upgrade)
        return !x->want.wants_upgrade;
    return !x->want.is_proxy && !str_is(name, "user-agent"); /* a node needs no more */
}

/* A browser sends its token as if it were a protocol; it is for us alone. */
static str without_token(struct arena *a, str protocols)
{
    struct strbuf b = strbuf_on(a);
    str one;
    while (protocols.len) {
        str_cut(&protocols, ',', &one);
        one = str_trim(one);
        if (!str_has_prefix(one, S("base64url.bearer.authorization.k8s.io.")))
            strbuf_addf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(one));
    }
    return strbuf_str(&b);
}

static str request_text(struct proxied *x)
{
    struct api_req *q = x->q;
    struct strbuf b = strbuf_on(q->arena);
    strbuf_addf(&b, STR_FMT " " STR_FMT " HTTP/1.1\r\nHost: %s\r\n", STR_ARG(q->method), STR_ARG(x->want.path), x->target.text);
    for (size_t i = 0; q->http && i < q->http->nheaders; i++) {
        const struct http_header *h = &q->http->headers[i];
        if (is_own_header(x, h->name))
            continue;
        str value = str_is(h->name, "sec-websocket-protocol") ? without_token(q->arena, h->value) : h->value;
        strbuf_addf(&b, STR_FMT ": " STR_FMT "\r\n", STR_ARG(h->name), STR_ARG(value));
    }
    if (q->http && x->want.is_proxy)
        strbuf_addf(&b, "X-Forwarded-For: " STR_FMT "\r\nX-Forwarded-Uri: " STR_FMT "\r\n", STR_ARG(str_sub(q->http->remote, 0, (size_t)MAX(str_rfind_char(q->http->remote, ':'), 0))),
                    STR_ARG(q->path));
    strbuf_add_str(&b, x->want.wants_upgrade ? S("Connection: Upgrade\r\n") : S("Connection: close\r\n"));
    bool has_body = q->body.len || str_is(q->method, "POST") || str_is(q->method, "PUT") || str_is(q->method, "PATCH");
    if (has_body)
        strbuf_addf(&b, "Content-Length: %zu\r\n", q->body.len);
    strbuf_add_str(&b, S("\r\n"));
    strbuf_add_str(&b, q->body);
    return strbuf_str(&b);
}

/* Whoever writes a pod's status must not lead us to what only this machine may reach. */
static bool is_forbidden_address(const struct client_target *t)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (inet_pton(AF_INET, t->addr.host, &v4) == 1) {
        uint32_t a = ntohl(v4.s_addr);
        return a >> 24 == 127 || a >> 24 == 0 || a >> 16 == 0xa9fe || a >> 28 == 0xe;
    }
    return inet_pton(AF_INET6, t->addr.host, &v6) != 1 || IN6_IS_ADDR_LOOPBACK(&v6) || IN6_IS_ADDR_LINKLOCAL(&v6) || IN6_IS_ADDR_MULTICAST(&v6) ||
           IN6_IS_ADDR_UNSPECIFIED(&v6) || IN6_IS_ADDR_V4MAPPED(&v6);
}

static int check_way(struct proxied *x, struct err *err)
{
    struct api_req *q = x->q;
    struct node_proxy *p = x->nodes;
    int r = client_target_parse(&x->target, arena_cstr(q->arena, x->want.url), err);
    if (r < 0)
        return r;
    x->target.tls = x->want.is_node ? p->to_nodes : p->to_anyone;
    if (x->want.is_node && !p->to_nodes)
        return err_set(err, E_UNAVAILABLE, "this server has no certificate for its nodes");
    if (!str_is(q->target.resource, "nodes") && !x->want.is_node && is_forbidden_address(&x->target))
        return err_set(err, E_INVALID_ARG, "address not allowed");
    if (x->want.wants_upgrade && (!q->http || q->http->is_http2 || !http_header_get(q->http, S("upgrade")).len))
        return err_set(err, E_INVALID_ARG, "Upgrade request required");
    if (!q->http || !str_is(q->method, "HEAD"))
        return 0;
    return x->want.is_proxy ? 0 : err_set(err, E_METHOD, "the server does not allow this method on the requested resource");
}

void node_proxy_serve(struct api_req *q)
{
    struct node_proxy *nodes = q->srv->nodes;
    struct node_request want;
    struct err err = ERR_NONE;
    if (!node_request_make(q, &want))
        return;
    uint8_t slot;
    if (!node_proxy_enter(nodes, &q->user, &slot)) {
        api_answer_overloaded(q);
        return;
    }
    struct proxied *x = xnew(struct proxied);
    x->q = q;
    x->nodes = nodes;
    x->user_slot = slot;
    x->want = want;
    q->state = x;
    if (check_way(x, &err) < 0) {
        let_go(x);
        api_answer_err(q, &err);
        return;
    }
    if (q->http) {
        q->http->on_gone = on_gone;
        q->http->on_writable = on_writable;
    }
    x->tunnel = tunnel_start(&(struct tunnel_opts){.loop = q->loop, .target = &x->target, .request = request_text(x), .is_head = str_is(q->method, "HEAD"),
                                                   .idle_timeout_ns = IDLE_NS, .ops = &tunnel_ops, .owner = x});
}
