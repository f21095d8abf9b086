/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/remote.h"

#include <unistd.h>

#include "base/log.h"
#include "base/version.h"
#include "cli/verbs.h"
#include "wire/base64.h"
#include "wire/websocket.h"

#define ERROR_BYTES (64u << 10)

struct remote {
    struct session *s;
    struct loop *loop;
    struct https_conf *conf;
    enum remote_kind kind;
    str path;
    const struct remote_ops *ops;
    void *owner;
    struct tunnel *tunnel;
    struct websocket ws;
    bool is_websocket, is_open, freed, in_call;
    int version, status;
    char accept[WS_ACCEPT_LEN + 1];
    int channel; /* of the message under way, -1: its first byte comes next */
    struct strbuf text, out;
};

/* --- requests ---------------------------------------------------------------------------------------------------------- */

int remote_conf(struct session *s, struct https_conf **ret, struct failure *f)
{
    struct kubeconfig_resolved k = s->resolved;
    log_setup(LOG_ERROR, false, STDERR_FILENO); /* a turn that waits for the terminal is no news here */
    str agent = arena_fmt(&s->arena, "cox/%s (linux/%s)", cox_version(), COX_ARCH);
    if (!k.server || !k.server[0])
        k.server = arena_fmt(&s->arena, "unix:%s/cox.sock", verb_data_dir(s->args)).p;
    return https_conf_new(&k, agent.p, true, ret, &f->err);
}

str remote_request(struct arena *a, const struct https_conf *c, const char *method, str path, const char *lines)
{
    struct strbuf b = strbuf_on(a);
    strbuf_addf(&b, "%s %s" STR_FMT " HTTP/1.1\r\nHost: " STR_FMT "\r\nUser-Agent: %s\r\n", method, c->target.prefix, STR_ARG(path), STR_ARG(https_conf_authority(c)), c->user_agent);
    if (c->authorization)
        strbuf_addf(&b, "Authorization: %s\r\n", c->authorization);
    if (c->as)
        strbuf_addf(&b, "Impersonate-User: %s\r\n", c->as);
    strbuf_addf(&b, "%s\r\n", lines);
    return strbuf_str(&b);
}

int remote_answer_failed(struct session *s, int status, str body, struct failure *f)
{
    struct json v;
    str text = arena_str(&s->arena, body);
    int code = E_INTERNAL;
    for (int c = E_COUNT_ - 1; c > 0; c--)
        if (err_http_status(c) == status)
            code = c;
    f->from_server = true;
    f->status = json_null();
    if (json_parse(&s->arena, text, NULL, &v, NULL) == 0 && str_is(json_get_str(&v, S("kind")), "Status")) {
        f->status = v;
        f->message = json_get_str(&v, S("message"));
        for (int c = E_COUNT_ - 1; c > 0; c--)
            if (str_is(json_get_str(&v, S("reason")), err_reason(c)))
                code = c;
    } else {
        f->message = text.len ? text : arena_fmt(&s->arena, "the server answered %d", status);
    }
    return err_set(&f->err, code, STR_FMT, STR_ARG(f->message));
}

/* --- sending --------------------------------------------------------------------------------------------------------------- */

static void add_head(struct remote *r, enum websocket_opcode op, size_t len, uint8_t mask[4])
{
    char head[WS_HEAD_MAX];
    tls_random(mask, 4);
    strbuf_clear(&r->out);
    strbuf_add(&r->out, head, websocket_head(head, op, true, len, mask));
}

/* One frame of a prefix and bytes. */
static bool send_frame(struct remote *r, enum websocket_opcode op, str prefix, str bytes, size_t limit)
{
    uint8_t mask[4];
    add_head(r, op, prefix.len + bytes.len, mask);
    size_t at = r->out.len;
    strbuf_add_str(&r->out, prefix);
    strbuf_add_str(&r->out, bytes);
    websocket_mask(r->out.p + at, r->out.len - at, mask, 0);
    return tunnel_write(r->tunnel, strbuf_str(&r->out), limit);
}

bool remote_send(struct remote *r, unsigned channel, str bytes)
{
    char c = (char)channel;
    return send_frame(r, WS_BINARY, str_n(&c, 1), bytes, REMOTE_OUT_BYTES);
}

void remote_close_channel(struct remote *r, unsigned channel)
{
    char c[2] = {(char)255, (char)channel};
    if (r->version >= 5)
        err_ignore(send_frame(r, WS_BINARY, str_n(c, 2), S(""), SIZE_MAX), "two bytes are taken however much waits");
}

bool remote_send_bytes(struct remote *r, str bytes, size_t limit)
{
    return r->is_websocket ? send_frame(r, WS_BINARY, S(""), bytes, limit) : tunnel_write(r->tunnel, bytes, limit);
}

void remote_pause(struct remote *r, bool paused)
{
    tunnel_pause(r->tunnel, paused);
}

int remote_version(const struct remote *r)
{
    return r->version;
}

/* --- receiving --------------------------------------------------------------------------------------------------------------- */

static void release(struct remote *r)
{
    strbuf_fini(&r->text);
    strbuf_fini(&r->out);
    free(r);
}

void remote_free(struct remote *r)
{
    if (!r || r->freed)
        return;
    r->freed = true;
    tunnel_free(r->tunnel);
    https_conf_unref(r->conf);
    if (!r->in_call)
        release(r);
}

static void end(struct remote *r, const struct failure *f)
{
    r->ops->end(r->owner, f);
}

static void fail(struct remote *r, int code, const char *why)
{
    struct failure f = FAILURE_NONE;
    failure_set(&f, code, "%s", why);
    end(r, &f);
}

static void take_piece(struct remote *r, const struct websocket_event *e)
{
    str in = e->payload;
    if (r->kind == REMOTE_SPDY) {
        if (in.len)
            r->ops->bytes(r->owner, in);
        return;
    }
    if (r->channel < 0 && in.len) {
        r->channel = (unsigned char)in.p[0];
        in = str_from(in, 1);
    }
    if (in.len)
        r->ops->message(r->owner, (unsigned)r->channel, in);
    if (e->message_end)
        r->channel = -1;
}

static void on_data(void *owner, str bytes)
{
    struct remote *r = owner;
    if (!r->is_open) {
        strbuf_add_str(&r->text, str_sub(bytes, 0, ERROR_BYTES - MIN(r->text.len, (size_t)ERROR_BYTES)));
        return;
    }
    r->in_call = true;
    if (!r->is_websocket)
        r->ops->bytes(r->owner, bytes);
    while (r->is_websocket && bytes.len && !r->freed) {
        struct websocket_event e;
        size_t used;
        /* in place: the bytes lie in the tunnel's own buffer */
        enum websocket_result k = websocket_step(&r->ws, (char *)(uintptr_t)bytes.p, bytes.len, &used, &e);
        bytes = str_from(bytes, used);
        if (k == WS_GOT_PIECE) {
            take_piece(r, &e);
        } else if (k == WS_GOT_PING) {
            err_ignore(send_frame(r, WS_PONG, S(""), e.payload, SIZE_MAX), "a pong is taken however much waits");
        } else if (k == WS_GOT_CLOSE) {
            bool fine = e.close_code == 1000 || e.close_code == 1005;
            STRBUF_AUTO why = STRBUF_HEAP;
            strbuf_addf(&why, "the server closed the connection with code %d: " STR_FMT, e.close_code, STR_ARG(e.payload));
            if (fine)
                end(r, NULL);
            else
                fail(r, E_UNAVAILABLE, strbuf_cstr(&why));
            break;
        } else if (k == WS_BAD) {
            fail(r, E_UNAVAILABLE, e.why);
            break;
        }
    }
    r->in_call = false;
    if (r->freed)
        release(r);
}

static void start(struct remote *r);

static void on_head(void *owner, const struct h1_answer *a)
{
    struct remote *r = owner;
    r->status = a->status;
    if (a->status != 101)
        return;
    if (r->is_websocket && !str_is(h1_answer_header(a, S("sec-websocket-accept")), r->accept)) {
        fail(r, E_UNAVAILABLE, "the server's websocket handshake is wrong");
        return;
    }
    r->version = str_is(h1_answer_header(a, S("sec-websocket-protocol")), "v5.channel.k8s.io") ? 5 : 4;
    r->is_open = true;
    r->ops->opened(r->owner);
}

static void on_end(void *owner, const struct err *err)
{
    struct remote *r = owner;
    struct failure f = FAILURE_NONE;
    if (r->is_open && !err) {
        end(r, NULL);
        return;
    }
    if (err) {
        f.err = *err;
    } else {
        bool may_be_spdy = r->kind == REMOTE_SPDY && r->is_websocket && r->status != 401 && r->status != 403 && r->status != 404;
        if (may_be_spdy) { /* a server without websockets for this */
            tunnel_free(TAKE(r->tunnel));
            strbuf_clear(&r->text);
            r->is_websocket = false;
            start(r);
            return;
        }
        remote_answer_failed(r->s, r->status, strbuf_str(&r->text), &f);
    }
    end(r, &f);
}

static void on_writable(void *owner)
{
    struct remote *r = owner;
    r->ops->writable(r->owner);
}

static const struct tunnel_ops tunnel_ops = {on_head, on_data, on_writable, on_end};

/* --- opening --------------------------------------------------------------------------------------------------------------------- */

static void start(struct remote *r)
{
    struct arena *a = &r->s->arena;
    str lines;
    if (r->is_websocket) {
        char raw[16];
        tls_random(raw, sizeof raw);
        str key = base64_encode(a, BASE64_STD, str_n(raw, sizeof raw));
        BUG_ON(!websocket_accept(key, r->accept));
        lines = arena_fmt(a, "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: " STR_FMT "\r\nSec-WebSocket-Protocol: %s\r\n", STR_ARG(key),
                          r->kind == REMOTE_SPDY ? "SPDY/3.1+portforward.k8s.io" : "v5.channel.k8s.io, v4.channel.k8s.io");
    } else {
        lines = S("Connection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: portforward.k8s.io\r\nContent-Length: 0\r\n");
    }
    str request = remote_request(a, r->conf, r->is_websocket ? "GET" : "POST", r->path, lines.p);
    r->tunnel = tunnel_start(&(struct tunnel_opts){.loop = r->loop, .target = &r->conf->target, .request = request, .ops = &tunnel_ops, .owner = r});
}

struct remote *remote_open(struct session *s, struct loop *loop, struct https_conf *conf, enum remote_kind kind, str path, const struct remote_ops *ops, void *owner)
{
    struct remote *r = xnew(struct remote);
    r->s = s;
    r->loop = loop;
    r->conf = https_conf_ref(conf);
    r->kind = kind;
    r->path = path;
    r->ops = ops;
    r->owner = owner;
    r->is_websocket = true;
    r->channel = -1;
    start(r);
    return r;
}
