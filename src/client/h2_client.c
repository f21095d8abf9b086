/* SPDX-License-Identifier: Apache-2.0 */
/* A struct h2_stream hangs at its nghttp2 stream as user data.  It leaves (user data NULL) when the answer is complete, when the
 * caller cancels or when the stream closes, whichever is first; nghttp2's own stream may live on until our reset is sent. */
#include "client/h2_client.h"

#include <nghttp2/nghttp2.h>

#include "base/vec.h"

struct h2_client {
    nghttp2_session *session;
    const struct h2_client_ops *ops;
    void *arg;
    size_t nopen;  /* streams as nghttp2 counts them */
    VEC(struct h2_stream *) streams; /* the caller's that are open */
    bool settled;  /* the server's SETTINGS came */
    bool leaving;  /* its GOAWAY too */
    bool failed;   /* the library gave the session up */
    str held;      /* frame bytes nghttp2 handed out that did not fit the last time */
};

static struct h2_stream *stream_of(struct h2_client *h, int32_t id)
{
    return id ? nghttp2_session_get_stream_user_data(h->session, id) : NULL;
}

static void forget(struct h2_client *h, struct h2_stream *s)
{
    nghttp2_session_set_stream_user_data(h->session, s->id, NULL);
    vec_remove_swap(&h->streams, s->slot_);
    if (s->slot_ < h->streams.len)
        h->streams.p[s->slot_]->slot_ = s->slot_;
    s->id = 0;
}

static void end(struct h2_client *h, struct h2_stream *s, enum h2_end how)
{
    forget(h, s);
    h->ops->on_end(h->arg, s, how);
}

/* --- answers -------------------------------------------------------------------------------------------- */

static int on_header(nghttp2_session *session UNUSED, const nghttp2_frame *frame, const uint8_t *name_p, size_t name_len,
                     const uint8_t *value_p, size_t value_len, uint8_t flags UNUSED, void *arg)
{
    struct h2_client *h = arg;
    struct h2_stream *s = stream_of(h, frame->hd.stream_id);
    str name = str_n((const char *)name_p, name_len), value = str_n((const char *)value_p, value_len);
    uint64_t status;
    if (s && !s->got_head_ && str_eq(name, S(":status")) && str_to_u64(value, &status) && status < 1000)
        s->status = (int)status;
    else if (s && h->ops->on_header)
        h->ops->on_header(h->arg, s, name, value);
    return 0;
}

static int on_data_chunk(nghttp2_session *session UNUSED, uint8_t flags UNUSED, int32_t id, const uint8_t *data, size_t len, void *arg)
{
    struct h2_client *h = arg;
    struct h2_stream *s = stream_of(h, id);
    if (s && s->got_head_)
        h->ops->on_data(h->arg, s, str_n((const char *)data, len));
    return 0;
}

static void take_head(struct h2_client *h, struct h2_stream *s)
{
    if (s->got_head_ || s->status < 200) /* trailers, interim answers */
        return;
    s->got_head_ = true;
    h->ops->on_head(h->arg, s);
}

static void answer_complete(struct h2_client *h, int32_t id)
{
    struct h2_stream *s = stream_of(h, id); /* on_head may have cancelled it */
    if (!s)
        return;
    if (s->body.len) /* an answer before the request was read, a 413: what is left of it is not worth sending */
        nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
    end(h, s, s->got_head_ ? H2_END_OK : H2_END_RESET);
}

static int on_frame_recv(nghttp2_session *session UNUSED, const nghttp2_frame *frame, void *arg)
{
    struct h2_client *h = arg;
    int32_t id = frame->hd.stream_id;
    h->settled |= frame->hd.type == NGHTTP2_SETTINGS && !(frame->hd.flags & NGHTTP2_FLAG_ACK);
    h->leaving |= frame->hd.type == NGHTTP2_GOAWAY;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA)
        return 0;
    struct h2_stream *s = stream_of(h, id);
    if (s && frame->hd.type == NGHTTP2_HEADERS)
        take_head(h, s);
    if (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)
        answer_complete(h, id);
    return 0;
}

static int on_stream_close(nghttp2_session *session UNUSED, int32_t id, uint32_t error, void *arg)
{
    struct h2_client *h = arg;
    struct h2_stream *s = stream_of(h, id);
    h->nopen--;
    if (s)
        end(h, s, error == NGHTTP2_REFUSED_STREAM ? H2_END_REFUSED : H2_END_RESET);
    return 0;
}

/* A request that the library could not even send: GOAWAY came before it left.  It closes the stream afterwards. */
static int on_frame_not_send(nghttp2_session *session UNUSED, const nghttp2_frame *frame, int error UNUSED, void *arg)
{
    struct h2_client *h = arg;
    struct h2_stream *s = frame->hd.type == NGHTTP2_HEADERS ? stream_of(h, frame->hd.stream_id) : NULL;
    if (s)
        end(h, s, H2_END_REFUSED);
    return 0;
}

/* --- requests ------------------------------------------------------------------------------------------- */

static ssize_t on_body(nghttp2_session *session UNUSED, int32_t id, uint8_t *buf, size_t max, uint32_t *flags,
                       nghttp2_data_source *source UNUSED, void *arg)
{
    struct h2_stream *s = stream_of(arg, id);
    if (!s) /* cancelled: the bytes may be gone */
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    size_t n = MIN(s->body.len, max);
    memcpy(buf, s->body.p, n);
    s->body = str_from(s->body, n);
    if (!s->body.len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static nghttp2_nv nv(str name, str value)
{
    return (nghttp2_nv){(uint8_t *)(uintptr_t)name.p, (uint8_t *)(uintptr_t)value.p, name.len, value.len, NGHTTP2_NV_FLAG_NONE};
}

bool h2_client_submit(struct h2_client *h, struct h2_stream *s, const struct h2_request *req)
{
    nghttp2_nv nva[4 + H2_CLIENT_HEADERS] = {nv(S(":method"), req->method), nv(S(":scheme"), req->scheme),
                                             nv(S(":authority"), req->authority), nv(S(":path"), req->path)};
    BUG_ON(req->nheaders > H2_CLIENT_HEADERS);
    for (size_t i = 0; i < req->nheaders; i++)
        nva[4 + i] = nv(req->headers[i].name, req->headers[i].value);
    const nghttp2_data_provider body = {.read_callback = on_body};
    s->body = req->body;
    int32_t id = nghttp2_submit_request(h->session, NULL, nva, 4 + req->nheaders, req->body.len ? &body : NULL, s);
    if (id < 0)
        return false; /* ids are used up after 2^30 requests */
    s->id = id;
    h->nopen++;
    s->slot_ = (uint32_t)h->streams.len;
    vec_push(&h->streams, s);
    return true;
}

void h2_client_cancel(struct h2_client *h, struct h2_stream *s)
{
    if (!s->id)
        return;
    nghttp2_submit_rst_stream(h->session, NGHTTP2_FLAG_NONE, s->id, NGHTTP2_CANCEL);
    forget(h, s);
}

void h2_client_ping(struct h2_client *h)
{
    nghttp2_submit_ping(h->session, NGHTTP2_FLAG_NONE, NULL);
}

/* --- the session ---------------------------------------------------------------------------------------- */

static nghttp2_session_callbacks *callbacks_new(void)
{
    nghttp2_session_callbacks *cb;
    BUG_ON(nghttp2_session_callbacks_new(&cb) != 0);
    nghttp2_session_callbacks_set_on_header_callback(cb, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(cb, on_data_chunk);
    nghttp2_session_callbacks_set_on_frame_recv_callback(cb, on_frame_recv);
    nghttp2_session_callbacks_set_on_frame_not_send_callback(cb, on_frame_not_send);
    nghttp2_session_callbacks_set_on_stream_close_callback(cb, on_stream_close);
    return cb;
}

struct h2_client *h2_client_new(const struct h2_client_ops *ops, void *arg)
{
    struct h2_client *h = xnew(struct h2_client);
    h->ops = ops;
    h->arg = arg;
    nghttp2_session_callbacks *cb = callbacks_new();
    nghttp2_option *o;
    BUG_ON(nghttp2_option_new(&o) != 0);
    nghttp2_option_set_no_closed_streams(o, 1);
    BUG_ON(nghttp2_session_client_new2(&h->session, cb, h, o) != 0);
    nghttp2_option_del(o);
    nghttp2_session_callbacks_del(cb);
    nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, H2_CLIENT_STREAM_WINDOW},
    };
    BUG_ON(nghttp2_submit_settings(h->session, NGHTTP2_FLAG_NONE, settings, ARRAY_LEN(settings)) != 0);
    BUG_ON(nghttp2_session_set_local_window_size(h->session, NGHTTP2_FLAG_NONE, 0, H2_CLIENT_CONN_WINDOW) != 0);
    return h;
}

void h2_client_free(struct h2_client *h)
{
    if (!h)
        return;
    while (h->streams.len)
        end(h, h->streams.p[h->streams.len - 1], H2_END_RESET);
    nghttp2_session_del(h->session);
    vec_fini(&h->streams);
    free(h);
}

int h2_client_recv(struct h2_client *h, str bytes, struct err *err)
{
    ssize_t n = nghttp2_session_mem_recv(h->session, (const uint8_t *)bytes.p, bytes.len);
    if (n >= 0)
        return 0;
    h->failed = true;
    return err_set(err, E_UNAVAILABLE, "HTTP/2: %s", nghttp2_strerror((int)n));
}

size_t h2_client_send(struct h2_client *h, char *out, size_t cap)
{
    size_t len = 0;
    while (len < cap) {
        if (!h->held.len && !h->failed) {
            const uint8_t *p;
            ssize_t n = nghttp2_session_mem_send(h->session, &p);
            h->failed |= n < 0;
            h->held = str_n((const char *)p, n > 0 ? (size_t)n : 0);
        }
        if (!h->held.len)
            break;
        size_t n = MIN(h->held.len, cap - len);
        memcpy(out + len, h->held.p, n);
        len += n;
        h->held = str_from(h->held, n);
    }
    return len;
}

bool h2_client_is_over(const struct h2_client *h)
{
    return !h->held.len && (h->failed || (!nghttp2_session_want_read(h->session) && !nghttp2_session_want_write(h->session)));
}

bool h2_client_is_settled(const struct h2_client *h)
{
    return h->settled;
}

bool h2_client_is_leaving(const struct h2_client *h)
{
    return h->leaving;
}

size_t h2_client_max_streams(const struct h2_client *h)
{
    uint32_t max = h->settled ? nghttp2_session_get_remote_settings(h->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS) : 0;
    return MIN(max, (uint32_t)H2_CLIENT_MAX_STREAMS);
}

size_t h2_client_room(const struct h2_client *h)
{
    size_t max = h2_client_max_streams(h);
    bool open = !h->failed && !h->leaving && nghttp2_session_check_request_allowed(h->session);
    return open && h->nopen < max ? max - h->nopen : 0;
}
