/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/http2.h"

#include <nghttp2/nghttp2.h>

#include "base/limits.h"

/* Windows for uploads: a body of LIMIT_BODY_BYTES should not wait for many round trips. */
#define STREAM_WINDOW (256 << 10)
#define CONN_WINDOW (1 << 20)
#define FRAME_HEAD 9
#define DROP_BYTES (16u << 20) /* of a body that is not wanted */
/* A reset within this time of the stream's opening counts towards LIMIT_H2_RESETS_PER_SEC; ending an old watch does not. */
#define QUICK_RESET_NS NSEC_PER_SEC

struct rate {
    nsec_t start;
    uint32_t count;
};

struct http2 {
    nghttp2_session *session;
    const struct http2_ops *ops;
    void *arg;
    uint64_t max_body;
    struct list streams;
    size_t nstreams;
    nsec_t now;
    struct rate resets, control;
    bool failed;      /* the library gave the session up */
    const char *calm; /* why the peer was told to calm down */
    /* where http2_send writes */
    char *out;
    size_t out_len, out_cap;
    char goaway[FRAME_HEAD + 8];
    str held; /* frame bytes nghttp2 handed out that did not fit the last time */
};

static bool rate_add(struct rate *r, nsec_t now, uint32_t limit)
{
    if (now - r->start >= NSEC_PER_SEC)
        *r = (struct rate){.start = now};
    return ++r->count <= limit;
}

static void calm_down(struct http2 *h, const char *why)
{
    if (h->calm)
        return;
    h->calm = why;
    nghttp2_session_terminate_session(h->session, NGHTTP2_ENHANCE_YOUR_CALM);
}

static void count_reset(struct http2 *h)
{
    if (!rate_add(&h->resets, h->now, LIMIT_H2_RESETS_PER_SEC))
        calm_down(h, "the peer opens and resets streams too quickly");
}

static struct http2_stream *stream_of(struct http2 *h, int32_t id)
{
    return nghttp2_session_get_stream_user_data(h->session, id);
}

/* --- collecting a request -------------------------------------------------------------------------------- */

static void refuse(struct http2_stream *s, int status, const char *why)
{
    if (s->refuse)
        return;
    s->refuse = status;
    s->why = why;
}

static void hand_over(struct http2 *h, struct http2_stream *s)
{
    if (s->handed_over_)
        return;
    s->handed_over_ = true;
    h->ops->on_request(h->arg, s);
}

static int on_begin_headers(nghttp2_session *session, const nghttp2_frame *frame, void *arg)
{
    struct http2 *h = arg;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST)
        return 0;
    struct http2_stream *s = h->calm ? NULL : h->ops->on_open(h->arg);
    if (!s)
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    s->id = frame->hd.stream_id;
    s->opened = h->now;
    list_add_tail(&h->streams, &s->link_);
    h->nstreams++;
    nghttp2_session_set_stream_user_data(session, s->id, s);
    return 0;
}

static bool target_ok(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        uint8_t c = (uint8_t)s.p[i];
        if (c <= ' ' || c == 0x7f || c == '#')
            return false;
    }
    return s.len > 0 && (s.p[0] == '/' || (s.p[0] == '*' && s.len == 1));
}

static void take_pseudo(struct http2_stream *s, str name, str value)
{
    if (str_eq(name, S(":method"))) {
        s->method = arena_str(&s->arena, value);
    } else if (str_eq(name, S(":authority"))) {
        s->authority = arena_str(&s->arena, value);
    } else if (str_eq(name, S(":path"))) {
        if (value.len > LIMIT_URL_BYTES)
            refuse(s, 414, "the request target is too long");
        else if (!target_ok(value))
            refuse(s, 400, "the request target is not a path");
        else
            s->path = arena_str(&s->arena, value);
    }
}

static void take_header(struct http2_stream *s, str name, str value, uint64_t max_body)
{
    if (s->nheaders == LIMIT_HEADER_COUNT) {
        refuse(s, 431, "the request has too many headers");
        return;
    }
    if (s->nheaders == s->header_room_) {
        uint32_t room = s->header_room_ ? s->header_room_ * 2 : 16;
        s->headers = arena_grow(&s->arena, s->headers, s->header_room_ * sizeof *s->headers, room * sizeof *s->headers);
        s->header_room_ = room;
    }
    s->headers[s->nheaders++] = (struct http_header){arena_str(&s->arena, name), arena_str(&s->arena, value)};
    uint64_t length;
    if (str_eq(name, S("content-length")) && str_to_u64(value, &length) && length > max_body)
        refuse(s, 413, "the request body is too large");
    if (str_eq(name, S("host")) && !s->authority.len)
        s->authority = s->headers[s->nheaders - 1].value;
}

static int on_header(nghttp2_session *session UNUSED, const nghttp2_frame *frame, const uint8_t *name_p, size_t name_len, const uint8_t *value_p,
                     size_t value_len, uint8_t flags UNUSED, void *arg)
{
    struct http2 *h = arg;
    struct http2_stream *s = stream_of(h, frame->hd.stream_id);
    if (!s || frame->headers.cat != NGHTTP2_HCAT_REQUEST || s->refuse)
        return 0; /* trailers are dropped */
    str name = str_n((const char *)name_p, name_len), value = str_n((const char *)value_p, value_len);
    s->header_bytes_ += (uint32_t)(name_len + value_len + 32); /* as RFC 9113 counts */
    if (s->header_bytes_ > LIMIT_HEADER_BYTES && !str_eq(name, S(":path")))
        refuse(s, 431, "the request head is too large");
    else if (name.len && name.p[0] == ':')
        take_pseudo(s, name, value);
    else
        take_header(s, name, value, h->max_body);
    return 0;
}

/* The answer came before the end of the body (413).  A reset at once would be allowed, but some clients then lose the answer (curl 7.88), so
 * what they still send is dropped for a while. */
static void drop(struct http2 *h, struct http2_stream *s, size_t len)
{
    bool enough = s->dropped_ > DROP_BYTES;
    s->dropped_ += (uint32_t)MIN(len, (size_t)DROP_BYTES);
    if (!enough && s->dropped_ > DROP_BYTES)
        nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_NO_ERROR);
}

static int on_data_chunk(nghttp2_session *session UNUSED, uint8_t flags UNUSED, int32_t id, const uint8_t *data, size_t len, void *arg)
{
    struct http2 *h = arg;
    struct http2_stream *s = stream_of(h, id);
    if (!s)
        return 0;
    if (s->handed_over_) {
        drop(h, s, len);
        return 0;
    }
    if (s->body.len + len > h->max_body)
        refuse(s, 413, "the request body is too large");
    else if (h->ops->on_body && !h->ops->on_body(h->arg, s, len))
        refuse(s, 503, "the server holds too many request bodies already");
    if (s->refuse)
        hand_over(h, s);
    else
        strbuf_add(&s->body, data, len);
    return 0;
}

static bool is_control(const nghttp2_frame *f)
{
    switch (f->hd.type) {
    case NGHTTP2_WINDOW_UPDATE: /* a fast download needs thousands */
    case NGHTTP2_HEADERS:
        return false;
    case NGHTTP2_DATA:
        return f->hd.length == 0 && !(f->hd.flags & NGHTTP2_FLAG_END_STREAM);
    case NGHTTP2_RST_STREAM:
        return false; /* has its own count */
    default:
        return true;
    }
}

static int on_frame_recv(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *arg)
{
    struct http2 *h = arg;
    if (is_control(frame) && !rate_add(&h->control, h->now, LIMIT_H2_CONTROL_PER_SEC))
        calm_down(h, "the peer sends too many control frames");
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    struct http2_stream *s = stream_of(h, frame->hd.stream_id);
    if (!s)
        return 0;
    s->got_all |= (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
    if (s->got_all || s->refuse)
        hand_over(h, s);
    return 0;
}

static int on_invalid_frame(nghttp2_session *session UNUSED, const nghttp2_frame *frame UNUSED, int error UNUSED, void *arg)
{
    count_reset(arg); /* we answer it with a reset: the same cost as the peer's own (CVE-2025-8671) */
    return 0;
}

static int on_stream_close(nghttp2_session *session UNUSED, int32_t id, uint32_t error, void *arg)
{
    struct http2 *h = arg;
    struct http2_stream *s = stream_of(h, id);
    if (!s)
        return 0;
    if (error != NGHTTP2_NO_ERROR && !s->reset_by_us_ && h->now - s->opened < QUICK_RESET_NS)
        count_reset(h);
    s->id = 0;
    list_del(&s->link_);
    h->nstreams--;
    h->ops->on_close(h->arg, s);
    return 0;
}

/* --- answering ---------------------------------------------------------------------------------------------- */

static ssize_t on_pull_size(nghttp2_session *session UNUSED, int32_t id UNUSED, uint8_t *buf UNUSED, size_t max, uint32_t *flags,
                            nghttp2_data_source *source, void *arg)
{
    struct http2 *h = arg;
    bool end = false;
    size_t n = h->ops->pull_size(h->arg, source->ptr, max, &end);
    if (!n && !end)
        return NGHTTP2_ERR_DEFERRED;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY | (end ? NGHTTP2_DATA_FLAG_EOF : 0);
    return (ssize_t)n;
}

static int on_pull(nghttp2_session *session UNUSED, nghttp2_frame *frame UNUSED, const uint8_t *frame_head, size_t len, nghttp2_data_source *source,
                   void *arg)
{
    struct http2 *h = arg;
    if (h->out_cap - h->out_len < FRAME_HEAD + len)
        return NGHTTP2_ERR_WOULDBLOCK;
    memcpy(h->out + h->out_len, frame_head, FRAME_HEAD);
    h->ops->pull(h->arg, source->ptr, h->out + h->out_len + FRAME_HEAD, len);
    h->out_len += FRAME_HEAD + len;
    return 0;
}

/* --- the session --------------------------------------------------------------------------------------------- */

static nghttp2_session_callbacks *callbacks_new(void)
{
    nghttp2_session_callbacks *cb;
    BUG_ON(nghttp2_session_callbacks_new(&cb) != 0);
    nghttp2_session_callbacks_set_on_begin_headers_callback(cb, on_begin_headers);
    nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data_chunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame_recv);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(cb, on_invalid_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_stream_close);
    nghttp2_session_callbacks_set_send_data_callback(cb, on_pull);
    return cb;
}

static nghttp2_option *options_new(void)
{
    nghttp2_option *o;
    BUG_ON(nghttp2_option_new(&o) != 0);
    nghttp2_option_set_no_closed_streams(o, 1);
    /* The library counts every reset, also the end of an old watch; our own count sees the quick ones only and is stricter. */
    nghttp2_option_set_stream_reset_rate_limit(o, 100 * LIMIT_H2_RESETS_PER_SEC, 10 * LIMIT_H2_RESETS_PER_SEC);
    return o;
}

static void session_start(struct http2 *h, uint32_t max_streams)
{
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, max_streams},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, LIMIT_HEADER_BYTES},
    };
    BUG_ON(nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, ARRAY_LEN(settings)) != 0);
    BUG_ON(nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0, CONN_WINDOW) != 0);
}

struct http2 *http2_new(const struct http2_opts *opts)
{
    struct http2 *h = xnew(struct http2);
    h->ops = opts->ops;
    h->arg = opts->arg;
    h->max_body = opts->max_body ? opts->max_body : LIMIT_BODY_BYTES;
    list_init(&h->streams);
    nghttp2_session_callbacks *cb = callbacks_new();
    nghttp2_option *o = options_new();
    BUG_ON(nghttp2_session_server_new2(&h->session, cb, h, o) != 0);
    nghttp2_option_del(o);
    nghttp2_session_callbacks_del(cb);
    session_start(h, opts->max_streams ? opts->max_streams : LIMIT_H2_STREAMS);
    return h;
}

void http2_free(struct http2 *h)
{
    if (!h)
        return;
    while (!list_empty(&h->streams)) {
        struct http2_stream *s = list_first(&h->streams, struct http2_stream, link_);
        s->id = 0;
        list_del(&s->link_);
        h->nstreams--;
        h->ops->on_close(h->arg, s);
    }
    nghttp2_session_del(h->session);
    free(h);
}

/* The library gave the session up and will not even say why to the peer: a GOAWAY by hand, unless half a frame is on its way. */
static void last_words(struct http2 *h, uint32_t code)
{
    const char frame[] = {0, 0, 8, NGHTTP2_GOAWAY, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (char)code};
    h->failed = true;
    if (h->held.len)
        return;
    memcpy(h->goaway, frame, sizeof frame);
    h->held = str_n(h->goaway, sizeof frame);
}

int http2_recv(struct http2 *h, str bytes, nsec_t now, struct err *err)
{
    h->now = now;
    ssize_t n = nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes.p, bytes.len);
    if (h->calm)
        return err_set(err, E_BUSY, "%s", h->calm);
    if (n >= 0)
        return 0;
    last_words(h, n == NGHTTP2_ERR_FLOODED || n == NGHTTP2_ERR_TOO_MANY_CONTINUATIONS ? NGHTTP2_ENHANCE_YOUR_CALM : NGHTTP2_PROTOCOL_ERROR);
    return err_set(err, E_PARSE, "HTTP/2: %s", nghttp2_strerror((int)n));
}

/* Copies what fits of the bytes nghttp2 handed out. */
static void held_copy(struct http2 *h)
{
    size_t n = MIN(h->held.len, h->out_cap - h->out_len);
    memcpy(h->out + h->out_len, h->held.p, n);
    h->out_len += n;
    h->held = str_from(h->held, n);
}

size_t http2_send(struct http2 *h, char *out, size_t cap)
{
    BUG_ON(cap < HTTP2_SEND_MIN);
    h->out = out;
    h->out_len = 0;
    h->out_cap = cap;
    if (h->held.len)
        held_copy(h);
    while (!h->failed && !h->held.len && h->out_len < h->out_cap) {
        const uint8_t *p;
        ssize_t n = nghttp2_session_mem_send(h->session, &p);
        h->failed |= n < 0;
        if (n <= 0)
            break;
        h->held = str_n((const char *)p, (size_t)n);
        held_copy(h);
    }
    h->out = NULL;
    return h->out_len;
}

bool http2_is_over(const struct http2 *h)
{
    return !h->held.len && (h->failed || (!nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session)));
}

size_t http2_nstreams(const struct http2 *h)
{
    return h->nstreams;
}

static bool value_ok(str s)
{
    return nghttp2_check_header_value((const uint8_t *)s.p, s.len) != 0;
}

static void nv_add(nghttp2_nv *nva, size_t *n, str name, str value)
{
    if (!value_ok(value))
        return;
    nva[(*n)++] = (nghttp2_nv){(uint8_t *)(uintptr_t)name.p, (uint8_t *)(uintptr_t)value.p, name.len, value.len, NGHTTP2_NV_FLAG_NONE};
}

/* Headers that belong to an HTTP/1.1 connection must not stand in HTTP/2 (RFC 9113, 8.2.2). */
static bool is_connection_header(str name)
{
    static const str names[] = {STR_INIT("connection"), STR_INIT("keep-alive"), STR_INIT("proxy-connection"), STR_INIT("transfer-encoding"), STR_INIT("upgrade")};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        if (str_eq(names[i], name))
            return true;
    }
    return false;
}

#define ANSWER_NVS 24

void http2_respond(struct http2 *h, struct http2_stream *s, const struct http2_answer *a)
{
    if (!s->id)
        return;
    nghttp2_nv few[ANSWER_NVS];
    size_t room = a->nheaders + 4, n = 0;
    nghttp2_nv *nva = room <= ANSWER_NVS ? few : xarray(room, nghttp2_nv);
    char status[12], length[24];
    nv_add(nva, &n, S(":status"), str_n(status, (size_t)snprintf(status, sizeof status, "%d", a->status)));
    if (a->content_type.len)
        nv_add(nva, &n, S("content-type"), a->content_type);
    if (a->has_length)
        nv_add(nva, &n, S("content-length"), str_n(length, (size_t)snprintf(length, sizeof length, "%llu", (unsigned long long)a->length)));
    if (a->date.len)
        nv_add(nva, &n, S("date"), a->date);
    for (size_t i = 0; i < a->nheaders; i++) {
        if (http_is_token(a->headers[i].name) && !is_connection_header(a->headers[i].name))
            nv_add(nva, &n, a->headers[i].name, a->headers[i].value);
    }
    nghttp2_data_provider provider = {.source.ptr = s, .read_callback = on_pull_size};
    int r = nghttp2_submit_response(h->session, s->id, nva, n, a->no_body ? NULL : &provider);
    BUG_ON(r != 0 && r != NGHTTP2_ERR_DATA_EXIST);
    if (nva != few)
        free(nva);
}

void http2_resume(struct http2 *h, struct http2_stream *s)
{
    if (s->id) /* fails when the stream is not parked, which is fine */
        nghttp2_session_resume_data(h->session, s->id);
}

void http2_reset(struct http2 *h, struct http2_stream *s)
{
    if (!s->id)
        return;
    s->reset_by_us_ = true;
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_INTERNAL_ERROR);
}

void http2_refuse(struct http2 *h, struct http2_stream *s, int status, const char *why)
{
    refuse(s, status, why);
    hand_over(h, s);
}

void http2_go_away(struct http2 *h)
{
    nghttp2_submit_goaway(h->session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(h->session), NGHTTP2_NO_ERROR, NULL, 0);
}
