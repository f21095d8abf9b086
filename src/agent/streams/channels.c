/* SPDX-License-Identifier: Apache-2.0 */
/*   on_bytes ─┬─ spdy_step ───────────────────────────────┬─► opened, data, eof
 *             └─ websocket_step ─┬─ spdy_step ────────────┤
 *                                └─ channel byte, text ───┘
 * Once it is finished, input is thrown away until the peer closes or the time is over; then the request is ended. */
#include "agent/streams/channels.h"

#include "wire/base64.h"
#include "wire/spdy.h"
#include "wire/websocket.h"

#define FINISH_NS (10 * NSEC_PER_SEC)
#define CONTROL_BYTES (1u << 20) /* unsent, with answers to pings and the like: the peer only talks and never reads */
#define CLOSE_CHANNEL 255

struct channels {
    struct http_request *req;
    const struct channels_ops *ops; /* NULL: finished */
    void *owner;
    struct spdy *spdy;       /* NULL: numbered channels */
    bool has_websocket, is_base64, said_close, is_over;
    int version;
    struct websocket ws;
    struct list streams;
    size_t nstreams;
    uint32_t last_stream;
    int message;             /* channel of the message under way, -1: its first byte comes next, -2: a close notice's second byte */
    struct strbuf text;      /* base64 message under way */
    struct strbuf out;       /* a frame while it is made */
    struct loop_timer timer;
    struct loop_defer end;
};

/* --- the end ----------------------------------------------------------------------------------------------------- */

static void end_run(struct loop_defer *d)
{
    struct channels *c = container_of(d, struct channels, end);
    const struct channels_ops *ops = TAKE(c->ops);
    if (ops)
        ops->gone(c->owner);
    loop_timer_stop(c->req->loop, &c->timer);
    while (!list_empty(&c->streams)) {
        struct channel *ch = list_first(&c->streams, struct channel, link_);
        list_del(&ch->link_);
        free(ch);
    }
    http_abort(c->req);
    spdy_free(c->spdy);
    strbuf_fini(&c->text);
    strbuf_fini(&c->out);
    free(c);
}

/* gone() and the rest come at the end of the turn, never under a caller. */
static void peer_gone(struct channels *c)
{
    c->is_over = true;
    loop_defer(c->req->loop, &c->end);
}

static void timer_fire(struct loop_timer *t)
{
    peer_gone(container_of(t, struct channels, timer));
}

/* --- writing ---------------------------------------------------------------------------------------------------------- */

static bool send_frame(struct channels *c, size_t limit)
{
    return c->is_over || http_upgrade_write(c->req, strbuf_str(&c->out), limit);
}

static void send_control(struct channels *c)
{
    if (!send_frame(c, CONTROL_BYTES))
        peer_gone(c);
}

static void out_websocket(struct channels *c, enum websocket_opcode op, size_t len)
{
    char head[WS_HEAD_MAX];
    strbuf_add(&c->out, head, websocket_head(head, op, true, len, NULL));
}

/* A SPDY control frame that stands in `frame`. */
static void send_spdy(struct channels *c, struct strbuf *frame)
{
    strbuf_clear(&c->out);
    if (c->has_websocket)
        out_websocket(c, WS_BINARY, frame->len);
    strbuf_add_str(&c->out, strbuf_str(frame));
    send_control(c);
}

static void make_spdy_data(struct channels *c, uint32_t id, str bytes, bool fin)
{
    strbuf_clear(&c->out);
    if (c->has_websocket)
        out_websocket(c, WS_BINARY, 8 + bytes.len);
    spdy_write_data_head(&c->out, id, fin, (uint32_t)bytes.len);
    strbuf_add_str(&c->out, bytes);
}

static void make_message(struct channels *c, uint32_t number, str bytes)
{
    strbuf_clear(&c->out);
    if (c->is_base64) {
        size_t len = (bytes.len + 2) / 3 * 4;
        out_websocket(c, WS_TEXT, len + 1);
        strbuf_add_char(&c->out, (char)('0' + number));
        base64_write(&c->out, BASE64_STD, bytes);
        return;
    }
    out_websocket(c, WS_BINARY, bytes.len + 1);
    strbuf_add_char(&c->out, (char)number);
    strbuf_add_str(&c->out, bytes);
}

static bool write_with_limit(struct channel *ch, str bytes, size_t limit)
{
    struct channels *c = ch->conn;
    BUG_ON(bytes.len > CHANNELS_WRITE_MAX);
    if (ch->closed || c->is_over)
        return true;
    if (c->spdy)
        make_spdy_data(c, ch->id, bytes, false);
    else
        make_message(c, ch->id, bytes);
    return send_frame(c, limit);
}

bool channel_write(struct channel *ch, str bytes)
{
    return write_with_limit(ch, bytes, CHANNELS_OUT_BYTES);
}

void channel_write_last(struct channel *ch, str bytes)
{
    if (!write_with_limit(ch, str_sub(bytes, 0, CHANNELS_WRITE_MAX), CONTROL_BYTES))
        peer_gone(ch->conn);
}

void channel_close(struct channel *ch)
{
    struct channels *c = ch->conn;
    if (ch->closed)
        return;
    ch->closed = true;
    if (c->is_over || !c->spdy) /* a websocket's channels end with it; v5's notice is for clients alone */
        return;
    make_spdy_data(c, ch->id, S(""), true);
    send_control(c);
}

static void send_reset(struct channels *c, uint32_t id, enum spdy_status status)
{
    STRBUF_AUTO frame = STRBUF_HEAP;
    spdy_write_reset(&frame, id, status);
    send_spdy(c, &frame);
}

void channel_release(struct channel *ch)
{
    struct channels *c = ch->conn;
    if (c->spdy && !c->is_over && !(ch->closed && ch->peer_closed))
        send_reset(c, ch->id, SPDY_CANCEL);
    list_del(&ch->link_);
    c->nstreams--;
    free(ch);
}

void channels_pause(struct channels *c, bool paused)
{
    if (!c->is_over && c->ops)
        http_upgrade_pause(c->req, paused);
}

static void say_close(struct channels *c, int code)
{
    if (!c->has_websocket || c->said_close)
        return;
    c->said_close = true;
    char payload[WS_CONTROL_MAX];
    size_t len = websocket_close_payload(payload, code, S(""));
    strbuf_clear(&c->out);
    out_websocket(c, WS_CLOSE, len);
    strbuf_add(&c->out, payload, len);
    send_control(c);
}

void channels_finish(struct channels *c)
{
    c->ops = NULL;
    if (c->is_over)
        return;
    say_close(c, 1000);
    if (c->is_over)
        return;
    http_upgrade_pause(c->req, false);
    loop_timer_set(c->req->loop, &c->timer, loop_now(c->req->loop) + FINISH_NS);
}

/* --- reading: SPDY ------------------------------------------------------------------------------------------------------ */

static struct channel *find(struct channels *c, uint32_t id)
{
    list_foreach(ch, &c->streams, struct channel, link_)
    {
        if (ch->id == id)
            return ch;
    }
    return NULL;
}

struct channel *channels_add(struct channels *c, uint32_t number, enum channel_type type)
{
    struct channel *ch = xnew(struct channel);
    ch->conn = c;
    ch->id = number;
    ch->type = type;
    list_add_tail(&c->streams, &ch->link_);
    c->nstreams++;
    return ch;
}

static enum channel_type type_of(str name)
{
    static const char *const names[] = {[CHANNEL_STDIN] = "stdin", [CHANNEL_STDOUT] = "stdout", [CHANNEL_STDERR] = "stderr",
                                        [CHANNEL_ERROR] = "error", [CHANNEL_RESIZE] = "resize", [CHANNEL_DATA] = "data"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (str_is(name, names[i]))
            return (enum channel_type)i;
    return CHANNEL_OTHER;
}

static void stream_eof(struct channels *c, struct channel *ch)
{
    if (ch->peer_closed)
        return;
    ch->peer_closed = true;
    c->ops->eof(c->owner, ch);
}

static void on_syn(struct channels *c, const struct spdy_event *e)
{
    if (!(e->stream & 1) || e->stream <= c->last_stream) {
        peer_gone(c);
        return;
    }
    c->last_stream = e->stream;
    if (c->nstreams >= CHANNELS_STREAMS) {
        send_reset(c, e->stream, SPDY_REFUSED_STREAM);
        return;
    }
    struct channel *ch = channels_add(c, e->stream, type_of(spdy_header(e, S("streamtype"))));
    uint64_t port;
    if (str_to_u64(spdy_header(e, S("port")), &port) && port <= 65535)
        ch->port = (uint16_t)port;
    snprintf(ch->request, sizeof ch->request, STR_FMT, STR_ARG(spdy_header(e, S("requestid"))));
    STRBUF_AUTO frame = STRBUF_HEAP;
    spdy_write_reply(c->spdy, &frame, e->stream, NULL, 0);
    send_spdy(c, &frame);
    bool fin = e->fin;
    if (c->ops && !c->is_over)
        c->ops->opened(c->owner, ch);
    if (fin && c->ops && !c->is_over && (ch = find(c, c->last_stream)))
        stream_eof(c, ch);
}

static void on_spdy(struct channels *c, enum spdy_result kind, const struct spdy_event *e)
{
    struct channel *ch = kind == SPDY_GOT_DATA || kind == SPDY_GOT_RESET ? find(c, e->stream) : NULL;
    switch (kind) {
    case SPDY_GOT_SYN:
        on_syn(c, e);
        break;
    case SPDY_GOT_DATA:
        if (ch && e->data.len && !ch->peer_closed)
            c->ops->data(c->owner, ch, e->data);
        if (e->fin && c->ops && (ch = find(c, e->stream)))
            stream_eof(c, ch);
        break;
    case SPDY_GOT_RESET:
        if (ch) {
            ch->closed = true;
            stream_eof(c, ch);
        }
        break;
    case SPDY_GOT_PING:
        if (e->ping & 1) { /* the peer's own */
            STRBUF_AUTO frame = STRBUF_HEAP;
            spdy_write_ping(&frame, e->ping);
            send_spdy(c, &frame);
        }
        break;
    case SPDY_BAD:
        peer_gone(c);
        break;
    default: /* GOAWAY comes before the peer closes: nothing to do; what has no meaning here is tolerated */
        break;
    }
}

static void take_spdy(struct channels *c, str in)
{
    while (in.len && c->ops && !c->is_over) {
        struct spdy_event e;
        size_t used;
        enum spdy_result r = spdy_step(c->spdy, in, &used, &e);
        in = str_from(in, used);
        if (r != SPDY_MORE)
            on_spdy(c, r, &e);
    }
}

/* --- reading: websocket ------------------------------------------------------------------------------------------------------ */

static void channel_bytes(struct channels *c, uint32_t number, str bytes)
{
    struct channel *ch = find(c, number);
    if (ch && bytes.len && !ch->peer_closed)
        c->ops->data(c->owner, ch, bytes);
}

static void base64_message(struct channels *c)
{
    str text = strbuf_str(&c->text), bytes;
    ARENA_AUTO a = ARENA_INIT;
    if (!text.len)
        return;
    uint32_t number = (uint8_t)text.p[0] - (uint32_t)'0';
    if (base64_decode(&a, BASE64_STD, str_from(text, 1), &bytes, NULL) < 0)
        peer_gone(c);
    else
        channel_bytes(c, number, bytes);
    strbuf_clear(&c->text);
}

static void take_piece(struct channels *c, const struct websocket_event *e)
{
    str in = e->payload;
    if (c->spdy) {
        take_spdy(c, in);
        return;
    }
    if (c->is_base64) {
        strbuf_add_str(&c->text, in);
        if (e->message_end)
            base64_message(c);
        return;
    }
    if (c->message == -1 && in.len) {
        c->message = (uint8_t)in.p[0];
        in = str_from(in, 1);
        if (c->message == CLOSE_CHANNEL && c->version >= 5)
            c->message = -2;
    }
    if (c->message == -2 && in.len) {
        struct channel *ch = find(c, (uint8_t)in.p[0]);
        in = S("");
        if (ch)
            stream_eof(c, ch);
    } else if (c->message >= 0) {
        channel_bytes(c, (uint32_t)c->message, in);
    }
    if (e->message_end)
        c->message = -1;
}

static void take_websocket(struct channels *c, str in)
{
    while (in.len && c->ops && !c->is_over) {
        struct websocket_event e;
        size_t used;
        /* unmasked in place: the bytes are the connection's own buffer, which nobody else reads */
        enum websocket_result r = websocket_step(&c->ws, (char *)(uintptr_t)in.p, in.len, &used, &e);
        in = str_from(in, used);
        switch (r) {
        case WS_GOT_PIECE:
            take_piece(c, &e);
            break;
        case WS_GOT_PING:
            strbuf_clear(&c->out);
            out_websocket(c, WS_PONG, e.payload.len);
            strbuf_add_str(&c->out, e.payload);
            send_control(c);
            break;
        case WS_GOT_CLOSE:
        case WS_BAD:
            say_close(c, r == WS_BAD ? e.close_code : 1000);
            peer_gone(c);
            return;
        default:
            break;
        }
    }
}

/* --- the request ------------------------------------------------------------------------------------------------------------ */

static void on_bytes(struct http_request *req, str bytes)
{
    struct channels *c = req->user;
    if (!c->ops || c->is_over)
        return;
    if (c->has_websocket)
        take_websocket(c, bytes);
    else
        take_spdy(c, bytes);
}

static void on_eof(struct http_request *req)
{
    peer_gone(req->user);
}

static void on_writable(struct http_request *req)
{
    struct channels *c = req->user;
    if (c->ops && !c->is_over)
        c->ops->writable(c->owner);
}

static const struct http_upgrade_ops upgrade_ops = {on_bytes, on_eof};

/* --- choosing a protocol ------------------------------------------------------------------------------------------------------ */

static const struct protocol {
    const char *name;
    bool websocket, spdy, base64, forward, exec;
    int version;
} protocols[] = {
    {"v5.channel.k8s.io", true, false, false, false, true, 5},
    {"v4.channel.k8s.io", true, false, false, true, true, 4},
    {"v3.channel.k8s.io", true, false, false, false, true, 3},
    {"v2.channel.k8s.io", true, false, false, false, true, 2},
    {"channel.k8s.io", true, false, false, false, true, 1},
    {"v4.base64.channel.k8s.io", true, false, true, true, true, 4},
    {"base64.channel.k8s.io", true, false, true, false, true, 1},
    {"SPDY/3.1+portforward.k8s.io", true, true, false, true, false, 1},
    {"v4.channel.k8s.io", false, true, false, false, true, 4},
    {"v3.channel.k8s.io", false, true, false, false, true, 3},
    {"v2.channel.k8s.io", false, true, false, false, true, 2},
    {"channel.k8s.io", false, true, false, false, true, 1},
    {"portforward.k8s.io", false, true, false, true, false, 1},
};

/* The client's first wish that we have.  Wishes come in one header or in several. */
static const struct protocol *choose(struct http_request *req, enum channels_for what, bool websocket)
{
    str name = websocket ? S("sec-websocket-protocol") : S("x-stream-protocol-version");
    for (size_t i = 0; i < req->nheaders; i++) {
        str rest = req->headers[i].value, one;
        if (!str_eq(req->headers[i].name, name))
            continue;
        while (rest.len) {
            str_cut(&rest, ',', &one);
            one = str_trim(one);
            for (size_t k = 0; k < ARRAY_LEN(protocols); k++) {
                const struct protocol *p = &protocols[k];
                if (p->websocket == websocket && (what == CHANNELS_EXEC ? p->exec : p->forward) && str_is(one, p->name))
                    return p;
            }
        }
    }
    return NULL;
}

static int upgrade(struct http_request *req, const struct protocol *p, struct err *err)
{
    char accept[WS_ACCEPT_LEN + 1];
    if (!p->websocket) {
        struct http_header h[] = {{S("upgrade"), S("SPDY/3.1")}, {S("x-stream-protocol-version"), str_of(p->name)}};
        return http_upgrade(req, h, ARRAY_LEN(h), &upgrade_ops, err);
    }
    if (!websocket_accept(http_header_get(req, S("sec-websocket-key")), accept))
        return err_set(err, E_INVALID_ARG, "the websocket's key is missing or bad");
    struct http_header h[] = {{S("upgrade"), S("websocket")}, {S("sec-websocket-accept"), arena_str(req->arena, str_of(accept))}, {S("sec-websocket-protocol"), str_of(p->name)}};
    return http_upgrade(req, h, ARRAY_LEN(h), &upgrade_ops, err);
}

int channels_accept(struct http_request *req, enum channels_for what, const struct channels_ops *ops, void *owner, struct channels **ret, struct err *err)
{
    str wish = http_header_get(req, S("upgrade"));
    bool websocket = str_ieq(wish, S("websocket"));
    if (!websocket && !str_ieq(wish, S("SPDY/3.1")))
        return err_set(err, E_INVALID_ARG, "Upgrade request required");
    const struct protocol *p = choose(req, what, websocket);
    if (!p)
        return err_set(err, E_FORBIDDEN, "unable to upgrade: none of the protocols that the client offers is supported");
    int r = upgrade(req, p, err);
    if (r < 0)
        return r;
    struct channels *c = xnew(struct channels);
    c->req = req;
    c->ops = ops;
    c->owner = owner;
    c->version = p->version;
    c->has_websocket = p->websocket;
    c->is_base64 = p->base64;
    c->spdy = p->spdy ? spdy_new() : NULL;
    c->ws = (struct websocket){.is_server = true, .max_message = p->base64 ? CHANNELS_MESSAGE_BYTES : 0};
    c->message = -1;
    list_init(&c->streams);
    c->timer.fire = timer_fire;
    c->end.fn = end_run;
    req->user = c;
    req->on_writable = on_writable;
    *ret = c;
    return 0;
}

bool channels_is_websocket(const struct channels *c)
{
    return !c->spdy;
}
int channels_version(const struct channels *c)
{
    return c->version;
}
