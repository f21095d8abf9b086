/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 on a connection: streams between wire/http2 and the handler.
 *
 *   receiving -> ready -> busy <-> wake -> freed
 *
 * A stream is freed when both sides are through with it: the handler has finished the request, and the session has closed the stream.  Callbacks of
 * the session only move streams between lists; the handler is called from `work`, when no session call is on the stack. */
#include <sys/epoll.h>

#include "http/internal.h"

#define READS_PER_TURN 8

struct h2_stream {
    struct http_request req;
    struct http2_stream s;
    struct outq out;
    struct list link; /* in one of the lists of struct h2 */
    size_t low;       /* on_writable is due when out.bytes falls to this; 0: not asked for */
    uint32_t counted; /* body bytes in home->body_bytes */
    bool is_head, is_stream, no_body_out;
    bool dispatched, finished;
    bool ended;  /* nothing will be added to out */
    bool closed; /* the session knows it no more */
};

static struct h2_stream *stream_of(struct http2_stream *s)
{
    return container_of(s, struct h2_stream, s);
}
static void list_move(struct list *to, struct list *link)
{
    list_del(link);
    list_add_tail(to, link);
}

/* --- memory of a stream -------------------------------------------------------------------------------------- */

static void request_forget(struct http_conn *c, struct h2_stream *st)
{
    struct http_request *req = &st->req;
    req->method = req->path = req->query = req->host = req->body = S("");
    req->headers = NULL;
    req->nheaders = 0;
    st->s.method = st->s.path = st->s.authority = S("");
    st->s.headers = NULL;
    c->home->body_bytes -= st->counted;
    st->counted = 0;
    strbuf_fini(&st->s.body);
    http_arena_give(c->home, &st->s.arena);
}

static void out_drop(struct http_conn *c, struct h2_stream *st)
{
    if (!st->is_stream)
        c->h2.unsent -= st->out.bytes;
    outq_clear(&st->out);
}

static void stream_free(struct http_conn *c, struct h2_stream *st)
{
    request_forget(c, st);
    out_drop(c, st);
    list_del(&st->link);
    http_pool_give(&c->home->stream_pool, st);
}

/* The handler is through with the request. */
static void request_end(struct http_conn *c, struct h2_stream *st)
{
    st->finished = true;
    st->low = 0;
    request_forget(c, st);
    if (st->closed)
        stream_free(c, st);
    conn_request_done(c);
    if (!c->dispatching)
        conn_schedule(c);
}

/* --- what the session tells ------------------------------------------------------------------------------------- */

static struct http2_stream *on_open(void *arg)
{
    struct http_conn *c = arg;
    struct h2_stream *st = http_pool_take(&c->home->stream_pool, sizeof *st);
    *st = (struct h2_stream){.s.arena = http_arena_take(c->home)};
    list_init(&st->link);
    list_add_tail(&c->h2.receiving, &st->link);
    return &st->s;
}

static bool on_body(void *arg, struct http2_stream *s, size_t n)
{
    struct http_conn *c = arg;
    if (!http_home_body_add(c->home, n))
        return false;
    stream_of(s)->counted += (uint32_t)n;
    return true;
}

static void on_request(void *arg, struct http2_stream *s)
{
    struct http_conn *c = arg;
    list_move(&c->h2.ready, &stream_of(s)->link);
}

static void on_close(void *arg, struct http2_stream *s)
{
    struct http_conn *c = arg;
    struct h2_stream *st = stream_of(s);
    c->h2.idle_since = loop_now(c->home->loop);
    st->closed = true;
    if (!st->dispatched || st->finished)
        stream_free(c, st);
    else
        list_move(&c->h2.wake, &st->link);
}

static size_t pull_size(void *arg UNUSED, struct http2_stream *s, size_t max, bool *ret_end)
{
    const struct h2_stream *st = stream_of(s);
    size_t n = MIN(st->out.bytes, max);
    *ret_end = st->ended && n == st->out.bytes;
    return n;
}

static void pull(void *arg, struct http2_stream *s, char *out, size_t n)
{
    struct http_conn *c = arg;
    struct h2_stream *st = stream_of(s);
    outq_take(&st->out, out, n);
    if (!st->is_stream) {
        c->h2.unsent -= n;
        c->h2.moved = loop_now(c->home->loop);
    }
    if (st->low && st->out.bytes <= st->low)
        list_move(&c->h2.wake, &st->link);
}

static const struct http2_ops session_ops = {
    .on_open = on_open,
    .on_body = on_body,
    .on_request = on_request,
    .on_close = on_close,
    .pull_size = pull_size,
    .pull = pull,
};

/* --- calling the handler ------------------------------------------------------------------------------------------ */

static void request_fill(struct http_conn *c, struct h2_stream *st)
{
    struct http_request *req = &st->req;
    str path = st->s.path;
    req->arena = &st->s.arena;
    req->loop = c->home->loop;
    req->method = st->s.method;
    str_cut(&path, '?', &req->path);
    req->query = path.len ? path : S("");
    req->host = st->s.authority.p ? st->s.authority : S("");
    req->headers = st->s.headers;
    req->nheaders = st->s.nheaders;
    req->body = strbuf_str(&st->s.body);
    req->is_http2 = true;
    req->is_unix = c->is_unix;
    req->peer = c->tls ? tls_session_peer(c->tls) : NULL;
    req->remote = str_of(c->remote);
    req->received_ns = st->s.opened;
    req->conn_ = c;
    req->stream_ = st;
    st->is_head = str_eq(req->method, S("HEAD"));
}

static void dispatch(struct http_conn *c, struct h2_stream *st)
{
    const struct http_server_opts *o = &c->home->server->opts;
    list_move(&c->h2.busy, &st->link);
    st->dispatched = true;
    c->requests++;
    request_fill(c, st);
    if (st->s.refuse) {
        struct http_response res = http_bad_request(c->home, &st->s.arena, st->s.refuse, st->s.why);
        http_respond(&st->req, &res);
        return;
    }
    http_count(&c->home->counters.requests_h2, 1);
    o->handler(o->arg, &st->req);
}

static void tell(struct http_conn *c, struct h2_stream *st)
{
    list_move(&c->h2.busy, &st->link);
    if (st->closed && !st->req.gone) {
        st->req.gone = true;
        if (st->req.on_gone)
            st->req.on_gone(&st->req);
    } else if (st->low && st->out.bytes <= st->low) {
        st->low = 0;
        if (st->req.on_writable)
            st->req.on_writable(&st->req);
    }
}

/* A peer that does not read its answers gets no further requests handled; its frames are still read, or its window updates would never come. */
static bool can_dispatch(const struct http_conn *c)
{
    return c->phase == CONN_OPEN && !c->closing && !list_empty(&c->h2.ready) && c->h2.unsent < LIMIT_CONN_OUT_BYTES;
}

static bool has_work(const struct http_conn *c)
{
    return !list_empty(&c->h2.wake) || can_dispatch(c);
}

static void work(struct http_conn *c)
{
    c->dispatching = true;
    while (has_work(c)) {
        if (!list_empty(&c->h2.wake))
            tell(c, list_first(&c->h2.wake, struct h2_stream, link));
        else
            dispatch(c, list_first(&c->h2.ready, struct h2_stream, link));
    }
    c->dispatching = false;
}

static void work_and_flush(struct http_conn *c)
{
    work(c);
    if (c->phase == CONN_OPEN && !c->blocked)
        conn_flush(c);
    if (c->phase != CONN_OPEN)
        return;
    if (has_work(c)) /* the flush closed streams or made room */
        conn_schedule(c);
    else if (!c->blocked && http2_is_over(c->h2.session))
        conn_finish(c);
}

/* --- bytes ------------------------------------------------------------------------------------------------------------ */

static void start(struct http_conn *c)
{
    const struct http_server_opts *o = &c->home->server->opts;
    struct h2 *h = &c->h2;
    list_init(&h->receiving);
    list_init(&h->ready);
    list_init(&h->busy);
    list_init(&h->wake);
    h->idle_since = loop_now(c->home->loop);
    h->session = http2_new(&(struct http2_opts){.ops = &session_ops, .arg = c, .max_streams = o->max_streams});
    conn_schedule(c); /* our settings */
}

static void take_bytes(struct http_conn *c, str bytes)
{
    struct err err;
    if (http2_recv(c->h2.session, bytes, loop_now(c->home->loop), &err) == 0)
        return;
    http_count(&c->home->counters.bad_requests, 1);
    conn_finish(c); /* with the GOAWAY that the session has to send */
}

void conn_h2_feed(struct http_conn *c, str bytes)
{
    take_bytes(c, bytes);
    work_and_flush(c);
}

static void readable(struct http_conn *c, uint32_t events)
{
    if (c->closing && (events & (EPOLLHUP | EPOLLERR))) {
        conn_gone(c);
        return;
    }
    char *buf = http_pool_take(&c->home->in_pool, HTTP_IN_BYTES);
    enum tls_io r = TLS_IO_OK;
    bool more = true;
    for (int reads = 0; more && !c->no_input && r == TLS_IO_OK; reads++) {
        size_t n = 0;
        r = conn_read(c, buf, HTTP_IN_BYTES, &n);
        if (r == TLS_IO_OK)
            take_bytes(c, str_n(buf, n));
        more = conn_has_pending(c);
        if (more && reads == READS_PER_TURN) {
            conn_schedule(c); /* its turn reads on */
            break;
        }
    }
    http_pool_give(&c->home->in_pool, buf);
    if (r == TLS_IO_EOF || r == TLS_IO_ERROR)
        conn_gone(c);
    else
        work_and_flush(c);
}

static void turn(struct http_conn *c)
{
    work_and_flush(c);
    if (c->phase == CONN_OPEN && !c->no_input && conn_has_pending(c))
        readable(c, EPOLLIN);
}

static size_t produce(struct http_conn *c)
{
    char *at = conn_block_room(c, HTTP_OUT_BYTES);
    c->block_len = (uint32_t)http2_send(c->h2.session, at, HTTP_OUT_BYTES);
    return c->block_len;
}

/* --- what the handler calls ---------------------------------------------------------------------------------------------- */

static void head_write(struct http_conn *c, struct h2_stream *st, const struct http_response *res, bool has_length, bool no_body)
{
    struct http2_answer a = {
        .status = res->status,
        .content_type = res->content_type,
        .date = http_home_date(c->home),
        .has_length = has_length,
        .length = has_length ? http_body_length(res) : 0,
        .headers = res->headers,
        .nheaders = res->nheaders,
        .no_body = no_body,
    };
    http2_respond(c->h2.session, &st->s, &a);
}

static void respond(struct http_request *req, const struct http_response *res)
{
    struct http_conn *c = req->conn_;
    struct h2_stream *st = req->stream_;
    BUG_ON(st->is_stream || st->finished);
    req->status = res->status;
    st->ended = true;
    if (!st->closed) {
        bool has_body = http_has_body(res, st->is_head) && http_body_length(res);
        if (has_body) {
            outq_add_bytes(&st->out, res->body);
            outq_add(&st->out, res->bufs, res->nbufs);
            if (!c->h2.unsent)
                c->h2.moved = loop_now(c->home->loop);
            c->h2.unsent += st->out.bytes;
            req->sent_bytes = st->out.bytes;
        }
        head_write(c, st, res, res->status != 204 && res->status != 304, !has_body);
        if (!st->s.got_all) { /* its rest is dropped, but not for ever */
            list_del(&st->link);
            list_add_head(&c->h2.receiving, &st->link);
        }
    }
    request_end(c, st);
}

static void stream_start(struct http_request *req, const struct http_response *head)
{
    struct http_conn *c = req->conn_;
    struct h2_stream *st = req->stream_;
    BUG_ON(st->is_stream || st->finished);
    req->status = head->status;
    st->is_stream = true;
    st->no_body_out = !http_has_body(head, st->is_head);
    if (st->closed)
        return;
    head_write(c, st, head, false, st->no_body_out);
    conn_schedule(c);
}

static bool stream_write(struct http_request *req, struct http_buf *buf, size_t limit)
{
    struct http_conn *c = req->conn_;
    struct h2_stream *st = req->stream_;
    BUG_ON(!st->is_stream || st->finished);
    if (st->closed || st->no_body_out)
        return true;
    if (st->out.bytes && st->out.bytes + buf->len > limit) {
        st->low = limit / 2 + 1;
        return false;
    }
    outq_add(&st->out, &buf, 1);
    req->sent_bytes += buf->len;
    http2_resume(c->h2.session, &st->s);
    conn_schedule(c);
    return true;
}

static size_t stream_unsent(const struct http_request *req)
{
    return ((const struct h2_stream *)req->stream_)->out.bytes;
}

static void stream_end(struct http_request *req)
{
    struct http_conn *c = req->conn_;
    struct h2_stream *st = req->stream_;
    BUG_ON(!st->is_stream || st->finished);
    st->ended = true;
    if (!st->closed)
        http2_resume(c->h2.session, &st->s);
    request_end(c, st);
}

static void abort_request(struct http_request *req)
{
    struct http_conn *c = req->conn_;
    struct h2_stream *st = req->stream_;
    BUG_ON(st->finished);
    if (!st->closed)
        http2_reset(c->h2.session, &st->s);
    request_end(c, st);
}

static void shrink(struct http_request *req)
{
    request_forget(req->conn_, req->stream_);
}

/* --- time and the end --------------------------------------------------------------------------------------------------------- */

static nsec_t receive_deadline(const struct http_conn *c)
{
    const struct http_server_opts *o = &c->home->server->opts;
    if (list_empty(&c->h2.receiving))
        return HTTP_NEVER;
    return list_first(&c->h2.receiving, struct h2_stream, link)->s.opened + o->head_timeout_ns + o->body_timeout_ns;
}

/* A peer that opens no window stalls us as surely as one that does not read its socket. */
static nsec_t stall_deadline(const struct http_conn *c)
{
    return c->h2.unsent ? c->h2.moved + c->home->server->opts.write_timeout_ns : HTTP_NEVER;
}

static nsec_t deadline(struct http_conn *c)
{
    nsec_t at = MIN(receive_deadline(c), stall_deadline(c));
    if (c->closing || http2_nstreams(c->h2.session))
        return at;
    return MIN(at, c->h2.idle_since + c->home->server->opts.idle_timeout_ns);
}

static void timeout(struct http_conn *c)
{
    nsec_t now = loop_now(c->home->loop);
    if (stall_deadline(c) <= now) {
        http_count(&c->home->counters.timeouts, 1);
        conn_gone(c);
        return;
    }
    if (receive_deadline(c) > now) { /* then it is idle */
        http2_go_away(c->h2.session);
        conn_finish(c);
        return;
    }
    while (receive_deadline(c) <= now) {
        struct h2_stream *st = list_first(&c->h2.receiving, struct h2_stream, link);
        if (st->finished) {
            list_move(&c->h2.busy, &st->link);
            http2_reset(c->h2.session, &st->s);
            continue;
        }
        http_count(&c->home->counters.timeouts, 1);
        http2_refuse(c->h2.session, &st->s, 408, "the request did not come in time");
    }
    work_and_flush(c);
}

static void dead(struct http_conn *c)
{
    struct h2 *h = &c->h2;
    if (!h->session)
        return;
    struct http2 *session = TAKE(h->session);
    http2_free(session);
    work(c);
}

static void drain(struct http_conn *c)
{
    http2_go_away(c->h2.session);
    conn_schedule(c);
}

static void fini(struct http_conn *c)
{
    struct list *lists[] = {&c->h2.receiving, &c->h2.ready, &c->h2.wake, &c->h2.busy};
    if (c->h2.session)
        http2_free(TAKE(c->h2.session));
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        while (!list_empty(lists[i]))
            stream_free(c, list_first(lists[i], struct h2_stream, link));
    }
}

const struct conn_ops conn_h2_ops = {
    .start = start,
    .readable = readable,
    .turn = turn,
    .produce = produce,
    .deadline = deadline,
    .timeout = timeout,
    .dead = dead,
    .drain = drain,
    .fini = fini,
    .respond = respond,
    .stream_start = stream_start,
    .stream_write = stream_write,
    .stream_unsent = stream_unsent,
    .stream_end = stream_end,
    .abort = abort_request,
    .shrink = shrink,
};
