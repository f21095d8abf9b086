/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 on a connection.
 *
 *   HEAD -> BODY (length known) or CHUNKS -> BUSY (with the handler) -> HEAD again
 *                                             |-> STREAM (answer in chunks) -> HEAD
 *                                             '-> RAW (upgraded)
 *
 * A head, and a body that came with it, stay where they were read: strings of the request point into conn->in, which is not touched until the
 * request is finished.  Only when more of a body must be read does the head's buffer move to h1.head_buf (not its bytes) and reading go on in
 * another.  Pipelined requests wait in conn->in; the next one is looked at when the answer before it is on its way. */
#include <sys/epoll.h>

#include "http/internal.h"

enum { H1_HEAD, H1_BODY, H1_CHUNKS, H1_BUSY, H1_STREAM, H1_RAW };

#define READS_PER_TURN 8 /* then others have their turn */
#define IN_MAX_BYTES (LIMIT_HEADER_BYTES + HTTP_IN_BYTES)
/* Answers to pipelined requests are gathered up to this before they are written. */
#define PIPELINE_BYTES HTTP_RECORD_BYTES

static nsec_t now(const struct http_conn *c)
{
    return loop_now(c->home->loop);
}

static void start(struct http_conn *c)
{
    struct http_request *req = &c->h1.req;
    req->arena = &c->h1.arena;
    req->loop = c->home->loop;
    req->is_unix = c->is_unix;
    req->peer = c->tls ? tls_session_peer(c->tls) : NULL;
    req->remote = str_of(c->remote);
    req->conn_ = c;
    c->h1.since = now(c);
}

static size_t out_pending(const struct http_conn *c)
{
    return c->out.bytes + c->block_len - c->block_at;
}

/* --- the request's memory --------------------------------------------------------------------------------------- */

static void request_forget(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    struct http_request *req = &h->req;
    req->method = req->path = req->query = req->host = req->body = S("");
    req->headers = NULL;
    req->nheaders = 0;
    c->home->body_bytes -= h->counted;
    h->counted = 0;
    strbuf_fini(&h->body);
    http_arena_give(c->home, &h->arena);
    if (h->head_buf && h->head_cap == HTTP_IN_BYTES)
        http_pool_give(&c->home->in_pool, h->head_buf);
    else
        free(h->head_buf);
    h->head_buf = NULL;
    if (c->in_at == c->in_len)
        conn_in_release(c);
}

/* The head's buffer becomes the request's; `keep` bytes behind the head go to a new one. */
static void head_detach(struct http_conn *c, bool keep)
{
    struct h1 *h = &c->h1;
    str rest = str_n(c->in + c->in_at, c->in_len - c->in_at);
    h->head_buf = c->in;
    h->head_cap = c->in_cap;
    c->in = NULL;
    c->in_at = c->in_len = c->in_cap = 0;
    if (!keep || !rest.len)
        return;
    c->in_cap = (uint32_t)MAX(rest.len, (size_t)HTTP_IN_BYTES);
    c->in = c->in_cap == HTTP_IN_BYTES ? http_pool_take(&c->home->in_pool, HTTP_IN_BYTES) : xmalloc(c->in_cap);
    memcpy(c->in, rest.p, rest.len);
    c->in_len = (uint32_t)rest.len;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

/* Puts the head into the block, or behind what waits already. */
static void head_write(struct http_conn *c, const struct http1_response_head *head)
{
    size_t bound = http1_response_bound(head);
    char *at = c->out.bytes ? NULL : conn_block_room(c, bound);
    if (at) {
        c->block_len += (uint32_t)http1_response_write(at, head);
        return;
    }
    char *text = xmalloc(bound);
    outq_add_bytes(&c->out, str_n(text, http1_response_write(text, head)));
    free(text);
}

/* A small answer goes into the block whole and leaves in one write; of a large one the block takes what fills a record. */
static void body_write(struct http_conn *c, const struct http_response *res)
{
    size_t room = c->block && !c->out.bytes ? HTTP_OUT_BYTES - c->block_len : 0;
    if (res->body.len && res->body.len <= room) {
        memcpy(c->block + c->block_len, res->body.p, res->body.len);
        c->block_len += (uint32_t)res->body.len;
        room -= res->body.len;
    } else {
        outq_add_bytes(&c->out, res->body);
    }
    outq_add(&c->out, res->bufs, res->nbufs);
    if (room && c->out.bytes) {
        size_t fill = c->out.bytes <= room ? c->out.bytes : MIN(room, HTTP_RECORD_BYTES - c->block_len % HTTP_RECORD_BYTES);
        c->block_len += (uint32_t)outq_take(&c->out, c->block + c->block_len, fill);
    }
}

static void answer_write(struct http_conn *c, const struct http_response *res)
{
    struct h1 *h = &c->h1;
    h->keep_alive = h->keep_alive && !res->close && !c->home->draining;
    uint64_t length = http_body_length(res);
    bool has_body = http_has_body(res, h->is_head);
    bool bare = res->status == 204 || (res->status == 304 && !length);
    head_write(c, &(struct http1_response_head){.status = res->status,
                                                .framing = bare ? HTTP1_NO_FRAMING : HTTP1_LENGTH,
                                                .length = length,
                                                .content_type = res->content_type,
                                                .date = http_home_date(c->home),
                                                .close = !h->keep_alive,
                                                .headers = res->headers,
                                                .nheaders = res->nheaders});
    if (has_body)
        body_write(c, res);
    h->req.sent_bytes = has_body ? length : 0;
}

/* Answers a request that the handler never sees, and closes. */
static void refuse(struct http_conn *c, int status, const char *why)
{
    struct h1 *h = &c->h1;
    struct http_response res = http_bad_request(c->home, &h->arena, status, why);
    answer_write(c, &res);
    request_forget(c);
    h->state = H1_HEAD;
    conn_finish(c);
}

/* --- one request after another -------------------------------------------------------------------------------------- */

static void input_allow(struct http_conn *c)
{
    if (!c->no_input || c->closing)
        return;
    c->no_input = false;
    c->h1.saw_eof = false;
    conn_want(c);
}

/* The handler has finished with it. */
static void request_end(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    bool gone = h->req.gone;
    request_forget(c);
    h->state = H1_HEAD;
    h->partial = false;
    h->since = now(c);
    h->low = 0;
    h->req.on_gone = h->req.on_writable = NULL;
    h->req.patient = h->paused = false;
    conn_request_done(c);
    if (gone || c->phase != CONN_OPEN)
        return;
    if (!h->keep_alive)
        conn_finish(c);
    else
        input_allow(c);
    if (!c->dispatching)
        conn_schedule(c);
}

static bool dispatch(struct http_conn *c, str body)
{
    struct h1 *h = &c->h1;
    const struct http_server_opts *o = &c->home->server->opts;
    h->req.body = body;
    h->state = H1_BUSY;
    h->served = true;
    c->requests++;
    http_count(&c->home->counters.requests_h1, 1);
    c->dispatching = true;
    o->handler(o->arg, &h->req);
    c->dispatching = false;
    return c->phase == CONN_OPEN && h->state == H1_HEAD;
}

static void continue_write(struct http_conn *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
    char *at = conn_block_room(c, sizeof text - 1);
    if (!at)
        return; /* the client sends after a while anyway */
    memcpy(at, text, sizeof text - 1);
    c->block_len += sizeof text - 1;
}

static bool body_begin(struct http_conn *c, const struct http1_head *head)
{
    struct h1 *h = &c->h1;
    str rest = str_n(c->in + c->in_at, c->in_len - c->in_at);
    if (head->expects_continue && !rest.len)
        continue_write(c);
    if (head->is_chunked) {
        h->chunked = (struct http1_chunked){0};
        h->state = H1_CHUNKS;
        head_detach(c, true);
        return true;
    }
    if (!http_home_body_add(c->home, head->content_length)) {
        refuse(c, 503, "the server holds too many request bodies already");
        return false;
    }
    h->counted = (uint32_t)head->content_length;
    strbuf_grow(&h->body, head->content_length);
    strbuf_add_str(&h->body, rest);
    h->body_left = head->content_length - rest.len;
    h->state = H1_BODY;
    head_detach(c, false);
    return true;
}

static bool request_begin(struct http_conn *c, const struct http1_head *head)
{
    struct h1 *h = &c->h1;
    struct http_request *req = &h->req;
    h->scan = (struct http1_scan){0};
    h->arena = http_arena_take(c->home);
    h->keep_alive = head->keep_alive && !head->is_http10; /* nobody needs more of HTTP/1.0 than an answer */
    h->is_head = str_eq(head->method, S("HEAD"));
    h->is_http10 = head->is_http10;
    h->no_body_out = false;
    h->since = req->received_ns = now(c);
    req->method = head->method;
    req->path = head->path;
    req->query = head->query;
    req->host = head->host;
    struct http_header *headers = arena_alloc(&h->arena, head->nheaders * sizeof *headers);
    memcpy(headers, head->headers, head->nheaders * sizeof *headers);
    req->headers = headers;
    req->nheaders = head->nheaders;
    req->gone = false;
    req->user = NULL;
    req->status = 0;
    req->sent_bytes = 0;
    c->in_at += (uint32_t)head->bytes;
    if (head->content_length > LIMIT_BODY_BYTES) {
        refuse(c, 413, "the request body is too large");
        return false;
    }
    size_t have = c->in_len - c->in_at;
    if (head->is_chunked || head->content_length > have)
        return body_begin(c, head);
    str body = str_n(c->in + c->in_at, head->content_length);
    c->in_at += (uint32_t)head->content_length;
    return dispatch(c, body);
}

/* HTTP/2 without TLS: the client just begins with its preface (only here, on the Unix socket). */
static bool is_h2_preface(const struct http_conn *c)
{
    return !c->tls && !c->h1.served && c->in_len - c->in_at >= 4 && memcmp(c->in + c->in_at, "PRI ", 4) == 0;
}

static void switch_to_h2(struct http_conn *c)
{
    char *in = c->in;
    str bytes = str_n(in + c->in_at, c->in_len - c->in_at);
    uint32_t cap = c->in_cap;
    c->in = NULL;
    c->in_at = c->in_len = c->in_cap = 0;
    memset(&c->h2, 0, sizeof c->h2);
    c->ops = &conn_h2_ops;
    c->ops->start(c);
    conn_h2_feed(c, bytes);
    if (cap == HTTP_IN_BYTES)
        http_pool_give(&c->home->in_pool, in);
    else
        free(in);
}

static bool head_step(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    if (c->in_at == c->in_len)
        return false;
    if (h->chunk_out || out_pending(c) > PIPELINE_BYTES)
        conn_flush(c); /* at most one unsent answer of size a connection: a client that does not read waits here */
    if (c->phase != CONN_OPEN || c->blocked)
        return false;
    if (is_h2_preface(c)) {
        switch_to_h2(c);
        return false;
    }
    struct http1_head head;
    struct http1_error error;
    switch (http1_head_parse(&h->scan, c->in + c->in_at, c->in_len - c->in_at, c->home->headers, &head, &error)) {
    case HTTP1_DONE:
        return request_begin(c, &head);
    case HTTP1_BAD:
        h->is_head = false;
        refuse(c, error.status, error.why);
        return false;
    default:
        return false;
    }
}

static bool chunks_step(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    size_t used;
    str data;
    const char *why;
    switch (http1_chunked_step(&h->chunked, str_n(c->in + c->in_at, c->in_len - c->in_at), &used, &data, &why)) {
    case HTTP1_DATA:
        c->in_at += (uint32_t)used;
        if (h->body.len + data.len > LIMIT_BODY_BYTES) {
            refuse(c, 413, "the request body is too large");
            return false;
        }
        if (!http_home_body_add(c->home, data.len)) {
            refuse(c, 503, "the server holds too many request bodies already");
            return false;
        }
        h->counted += (uint32_t)data.len;
        strbuf_add_str(&h->body, data);
        return true;
    case HTTP1_DONE:
        c->in_at += (uint32_t)used;
        return dispatch(c, strbuf_str(&h->body));
    case HTTP1_BAD:
        refuse(c, 400, why);
        return false;
    default:
        c->in_at += (uint32_t)used;
        return false;
    }
}

static bool raw_step(struct http_conn *c)
{
    if (c->in_at == c->in_len || c->h1.paused)
        return false;
    str bytes = str_n(c->in + c->in_at, c->in_len - c->in_at);
    c->in_at = c->in_len;
    c->h1.raw->on_bytes(&c->h1.req, bytes);
    return false;
}

/* Goes on with what has been read, as far as it leads. */
static void advance(struct http_conn *c)
{
    bool more = true;
    while (more && c->phase == CONN_OPEN && !c->closing && c->ops == &conn_h1_ops) {
        switch (c->h1.state) {
        case H1_HEAD:
            more = head_step(c);
            break;
        case H1_BODY:
            more = c->h1.body_left == 0 && dispatch(c, strbuf_str(&c->h1.body));
            break;
        case H1_CHUNKS:
            more = chunks_step(c);
            break;
        case H1_RAW:
            more = raw_step(c);
            break;
        default:
            more = false;
        }
    }
}

/* --- reading ------------------------------------------------------------------------------------------------------------ */

static void in_make_room(struct http_conn *c)
{
    if (!c->in) {
        c->in = http_pool_take(&c->home->in_pool, HTTP_IN_BYTES);
        c->in_cap = HTTP_IN_BYTES;
    } else if (c->in_at == c->in_len) {
        c->in_at = c->in_len = 0;
    } else if (c->in_len == c->in_cap && c->in_at) {
        memmove(c->in, c->in + c->in_at, c->in_len - c->in_at);
        c->in_len -= c->in_at;
        c->in_at = 0;
    } else if (c->in_len == c->in_cap) {
        BUG_ON(c->in_cap > 2 * IN_MAX_BYTES); /* the parser refuses a head of this size */
        char *larger = xmalloc(c->in_cap * 2);
        uint32_t len = c->in_len, cap = c->in_cap * 2;
        memcpy(larger, c->in, len);
        conn_in_release(c);
        c->in = larger;
        c->in_len = len;
        c->in_cap = cap;
    }
}

static enum tls_io read_some(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    size_t n = 0;
    enum tls_io r;
    if (h->state == H1_BODY) {
        r = conn_read(c, h->body.p + h->body.len, h->body_left, &n);
        if (r == TLS_IO_OK) {
            h->body.len += n;
            h->body.p[h->body.len] = 0;
            h->body_left -= n;
        }
        return r;
    }
    in_make_room(c);
    r = conn_read(c, c->in + c->in_len, c->in_cap - c->in_len, &n);
    if (r == TLS_IO_OK)
        c->in_len += (uint32_t)n;
    return r;
}

static void end_of_input(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    if (h->state == H1_RAW) {
        c->no_input = h->saw_eof = true;
        conn_want(c);
        h->raw->on_eof(&h->req);
    } else if (h->state == H1_HEAD && out_pending(c)) {
        conn_finish(c); /* it may have closed one direction only and still read */
    } else {
        conn_gone(c);
    }
}

static bool wants_input(const struct http_conn *c)
{
    static const bool reads[] = {[H1_HEAD] = true, [H1_BODY] = true, [H1_CHUNKS] = true, [H1_BUSY] = false, [H1_STREAM] = false, [H1_RAW] = true};
    return c->phase == CONN_OPEN && c->ops == &conn_h1_ops && reads[c->h1.state] && !c->closing && !c->no_input &&
           !(c->blocked && c->h1.state == H1_HEAD);
}

/* What remains to be done when nothing can be done now: give back buffers, note since when the peer is waited for. */
static void rest(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    if (h->state != H1_HEAD)
        return;
    bool partial = c->in_len > c->in_at;
    if (partial != h->partial || !partial)
        h->since = now(c);
    h->partial = partial;
    if (!partial)
        conn_in_release(c);
}

static void pump(struct http_conn *c, bool readable)
{
    advance(c);
    for (int reads = 0; wants_input(c) && (readable || conn_has_pending(c)); reads++) {
        if (reads == READS_PER_TURN) {
            conn_schedule(c);
            break;
        }
        readable = false;
        enum tls_io r = read_some(c);
        if (r == TLS_IO_EOF)
            end_of_input(c);
        else if (r == TLS_IO_ERROR)
            conn_gone(c);
        if (r != TLS_IO_OK)
            break;
        advance(c);
    }
    if (c->phase != CONN_OPEN || c->ops != &conn_h1_ops)
        return;
    if (!c->blocked && (out_pending(c) || c->h1.end_out))
        conn_flush(c);
    if (c->h1.low && out_pending(c) <= c->h1.low)
        conn_schedule(c); /* the handler may write again */
    rest(c);
}

static void readable(struct http_conn *c, uint32_t events)
{
    struct h1 *h = &c->h1;
    bool with_handler = h->state == H1_BUSY || h->state == H1_STREAM;
    if ((with_handler || c->no_input) && (events & (EPOLLHUP | EPOLLERR))) {
        conn_gone(c);
    } else if (h->state == H1_RAW && h->paused && (events & EPOLLRDHUP)) {
        end_of_input(c);
    } else if (h->state == H1_STREAM && (events & EPOLLRDHUP)) {
        conn_gone(c); /* nobody reads a stream it has said good-bye to */
    } else if (with_handler || c->closing || (c->blocked && h->state == H1_HEAD)) {
        h->saw_eof |= (events & EPOLLRDHUP) != 0;
        c->no_input = true; /* until the request is finished */
        conn_want(c);
    } else {
        pump(c, true);
    }
}

static void turn(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    if (h->low && out_pending(c) <= h->low) {
        h->low = 0;
        if (h->req.on_writable)
            h->req.on_writable(&h->req);
    }
    if (c->phase != CONN_OPEN)
        return;
    if (!c->blocked && h->state != H1_BUSY && h->state != H1_STREAM && !(h->state == H1_RAW && (h->saw_eof || h->paused)))
        input_allow(c);
    pump(c, false);
}

/* --- writing ------------------------------------------------------------------------------------------------------------ */

/* All small writes since the last flush become one chunk. */
static size_t produce(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    static const char last[] = "0\r\n\r\n";
    if (!c->out.bytes && !(h->chunk_out && h->end_out))
        return 0;
    char *at = conn_block_room(c, HTTP_OUT_BYTES);
    size_t len = 0;
    if (!h->chunk_out) {
        len = outq_take(&c->out, at, HTTP_OUT_BYTES);
    } else {
        size_t n = MIN(c->out.bytes, HTTP_OUT_BYTES - HTTP1_CHUNK_HEAD_MAX - 2 - (sizeof last - 1));
        if (n) {
            len = http1_chunk_head(at, (uint32_t)n);
            len += outq_take(&c->out, at + len, n);
            memcpy(at + len, "\r\n", 2);
            len += 2;
        }
        if (!c->out.bytes && h->end_out) {
            memcpy(at + len, last, sizeof last - 1);
            len += sizeof last - 1;
            h->chunk_out = h->end_out = false;
        }
    }
    c->block_len = (uint32_t)len;
    return len;
}

/* --- what the handler calls -------------------------------------------------------------------------------------------------- */

static void respond(struct http_request *req, const struct http_response *res)
{
    struct http_conn *c = req->conn_;
    BUG_ON(c->h1.state != H1_BUSY);
    req->status = res->status;
    if (!req->gone)
        answer_write(c, res);
    request_end(c);
}

static void stream_start(struct http_request *req, const struct http_response *head)
{
    struct http_conn *c = req->conn_;
    struct h1 *h = &c->h1;
    BUG_ON(h->state != H1_BUSY);
    req->status = head->status;
    h->state = H1_STREAM;
    h->keep_alive = h->keep_alive && !head->close && !c->home->draining && !h->is_http10;
    h->no_body_out = !http_has_body(head, h->is_head);
    if (req->gone)
        return;
    bool bare = h->no_body_out && !h->is_head;
    head_write(c, &(struct http1_response_head){.status = head->status,
                                                .framing = bare ? HTTP1_NO_FRAMING : h->is_http10 ? HTTP1_UNTIL_CLOSE : HTTP1_CHUNKED,
                                                .content_type = head->content_type,
                                                .date = http_home_date(c->home),
                                                .close = !h->keep_alive,
                                                .headers = head->headers,
                                                .nheaders = head->nheaders});
    h->chunk_out = !h->is_http10 && !h->no_body_out;
    if (h->saw_eof) { /* the loop reports it again, and now it counts */
        h->saw_eof = false;
        conn_want(c);
    }
    conn_schedule(c);
}

static bool queue_room(struct http_conn *c, size_t more, size_t limit)
{
    size_t unsent = out_pending(c);
    if (!unsent || unsent + more <= limit)
        return true;
    c->h1.low = limit / 2 + 1;
    return false;
}

static bool stream_write(struct http_request *req, struct http_buf *buf, size_t limit)
{
    struct http_conn *c = req->conn_;
    BUG_ON(c->h1.state != H1_STREAM);
    if (req->gone || c->h1.no_body_out)
        return true;
    if (!queue_room(c, buf->len, limit))
        return false;
    outq_add(&c->out, &buf, 1);
    req->sent_bytes += buf->len;
    conn_schedule(c);
    return true;
}

static size_t stream_unsent(const struct http_request *req)
{
    return out_pending(req->conn_);
}

static void stream_end(struct http_request *req)
{
    struct http_conn *c = req->conn_;
    BUG_ON(c->h1.state != H1_STREAM);
    c->h1.end_out = c->h1.chunk_out;
    request_end(c);
}

static void abort_request(struct http_request *req)
{
    struct http_conn *c = req->conn_;
    bool raw = c->h1.state == H1_RAW;
    BUG_ON(c->h1.state < H1_BUSY);
    c->h1.keep_alive = false;
    c->h1.raw = NULL;
    request_end(c);
    if (!raw)
        conn_gone(c);
}

static void shrink(struct http_request *req)
{
    request_forget(req->conn_);
}

int conn_h1_upgrade(struct http_request *req, const struct http_header *headers, size_t nheaders, const struct http_upgrade_ops *ops, struct err *err)
{
    struct http_conn *c = req->conn_;
    struct h1 *h = &c->h1;
    BUG_ON(h->state != H1_BUSY);
    if (req->gone)
        return err_set(err, E_IO, "the peer is gone");
    if (h->is_http10 || str_empty(http_header_get(req, S("upgrade"))))
        return err_set(err, E_INVALID_ARG, "the request does not ask for an upgrade");
    struct http_header *all = arena_array(&h->arena, nheaders + 1, struct http_header);
    if (nheaders)
        memcpy(all, headers, nheaders * sizeof *all);
    all[nheaders] = (struct http_header){S("connection"), S("Upgrade")};
    req->status = 101;
    head_write(c, &(struct http1_response_head){.status = 101, .framing = HTTP1_NO_FRAMING, .headers = all, .nheaders = nheaders + 1});
    if (!h->head_buf)
        head_detach(c, true);
    h->raw = ops;
    h->state = H1_RAW;
    input_allow(c);
    conn_schedule(c); /* bytes that came with the request are handed on then */
    return 0;
}

bool conn_h1_upgrade_write(struct http_request *req, str bytes, size_t limit)
{
    struct http_conn *c = req->conn_;
    BUG_ON(c->h1.state != H1_RAW);
    if (req->gone)
        return true;
    if (!queue_room(c, bytes.len, limit))
        return false;
    outq_add_bytes(&c->out, bytes);
    req->sent_bytes += bytes.len;
    conn_schedule(c);
    return true;
}

void conn_h1_upgrade_pause(struct http_request *req, bool paused)
{
    struct http_conn *c = req->conn_;
    struct h1 *h = &c->h1;
    BUG_ON(h->state != H1_RAW);
    if (h->paused == paused || req->gone || h->saw_eof)
        return;
    h->paused = paused;
    if (paused) {
        c->no_input = true;
        conn_want(c);
    } else {
        input_allow(c);
        conn_schedule(c); /* bytes that were read before the pause are handed on then */
    }
}

/* --- time and the end --------------------------------------------------------------------------------------------------------- */

static nsec_t deadline(struct http_conn *c)
{
    const struct http_server_opts *o = &c->home->server->opts;
    if (c->closing)
        return HTTP_NEVER;
    switch (c->h1.state) {
    case H1_HEAD:
        return c->h1.since + (c->h1.partial ? o->head_timeout_ns : o->idle_timeout_ns);
    case H1_BODY:
    case H1_CHUNKS:
        return c->h1.since + o->body_timeout_ns;
    default:
        return HTTP_NEVER;
    }
}

static void timeout(struct http_conn *c)
{
    if (c->h1.state == H1_HEAD && !c->h1.partial) {
        conn_finish(c);
        return;
    }
    http_count(&c->home->counters.timeouts, 1);
    c->h1.is_head = false;
    refuse(c, 408, c->h1.state == H1_HEAD ? "the request head did not come in time" : "the request body did not come in time");
}

static void dead(struct http_conn *c)
{
    struct h1 *h = &c->h1;
    h->chunk_out = h->end_out = false;
    if (h->state < H1_BUSY) {
        request_forget(c);
        conn_in_release(c);
        return;
    }
    if (h->req.gone)
        return;
    h->req.gone = true;
    if (h->req.on_gone)
        h->req.on_gone(&h->req);
    else if (h->state == H1_RAW && !h->saw_eof)
        h->raw->on_eof(&h->req);
}

static void drain(struct http_conn *c)
{
    if (c->h1.state == H1_HEAD && !c->h1.partial)
        conn_finish(c);
}

static void fini(struct http_conn *c)
{
    request_forget(c);
    arena_fini(&c->h1.arena);
}

const struct conn_ops conn_h1_ops = {
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
