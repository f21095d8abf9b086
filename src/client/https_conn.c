/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes take this way:
 *
 *   socket ─ TLS ─► scratch ─┬─ h2_client_recv ─┐
 *                            └─ h1_answer_step ─┴─► head, data, end
 *   start ─┬─ h2_client_submit ─ h2_client_send ─┐
 *          └─ head and body as text ─────────────┴─► out[out_at..] ─ TLS ─► socket
 *
 * Reads are bounded a turn, and what TLS still holds is taken in the next one. */
#include "client/https_conn.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/dial.h"
#include "client/h1_answer.h"

#define READS_A_TURN 32
#define SEND_BYTES (64u << 10) /* frames collected before they are encrypted and written */

struct https_conn {
    struct https_conn_opts o;
    enum https_state state;
    struct err err;
    struct dial *dial;
    struct tls_session *tls; /* NULL: plain */
    struct loop_fd fd;       /* -1: none */
    struct h2_client *h2;    /* NULL: HTTP/1.1 */
    struct h1_answer *h1;
    struct list exchanges;
    size_t load, watches;
    bool is_speaking; /* connected and encrypted */
    bool answered, leaving;
    bool blocked; /* the socket takes no more for now */
    struct strbuf out;
    size_t out_at;
    nsec_t heard_at, idle_since, pinged_at; /* pinged_at 0: no ping is out */
    struct loop_timer timer;
    struct loop_defer more; /* TLS or the socket has more than a turn's share */
    struct strbuf line;     /* of a request, while it is made */
};

static void arm(struct https_conn *c);

/* --- ends ----------------------------------------------------------------------------------------------- */

static void take_off(struct https_conn *c, struct https_exchange *x)
{
    list_del(&x->link_);
    x->conn = NULL;
    c->load--;
    c->watches -= x->is_watch;
    if (c->load)
        return;
    c->idle_since = loop_now(c->o.loop);
    if (c->state == HTTPS_OPEN)
        arm(c);
}

/* A GET that a server which used to answer left without a word, as when it closes an idle connection just then. */
static bool may_repeat(const struct https_conn *c, const struct https_exchange *x)
{
    return c->answered && !x->status && str_is(x->method, "GET") && !(c->h1 && h1_answer_has_begun(c->h1));
}

static void end_exchange(struct https_conn *c, struct https_exchange *x, enum https_end how)
{
    if (how == HTTPS_LOST && may_repeat(c, x))
        how = HTTPS_AGAIN;
    take_off(c, x);
    c->o.ops->end(x, how);
}

/* No error: the connection just ends. */
static void close_conn(struct https_conn *c, const struct err *err)
{
    if (c->state == HTTPS_CLOSED)
        return;
    c->state = HTTPS_CLOSED;
    if (err)
        c->err = *err;
    if (c->dial)
        dial_cancel(TAKE(c->dial));
    loop_timer_stop(c->o.loop, &c->timer);
    loop_defer_cancel(c->o.loop, &c->more);
    struct h2_client *h2 = TAKE(c->h2);
    h2_client_free(h2); /* ends its exchanges */
    while (!list_empty(&c->exchanges))
        end_exchange(c, list_first(&c->exchanges, struct https_exchange, link_), HTTPS_LOST);
    if (c->fd.fd >= 0) {
        loop_fd_del(c->o.loop, &c->fd);
        if (c->tls)
            tls_shutdown(c->tls);
        close(c->fd.fd);
        c->fd.fd = -1;
    }
    tls_session_free(TAKE(c->tls));
    c->o.ops->changed(c);
}

static void broke(struct https_conn *c, const char *doing)
{
    struct err err = ERR_NONE;
    err_set(&err, E_UNAVAILABLE, "the connection to %s broke while %s: %s", c->o.conf->target.text, doing,
            c->tls ? tls_last_error(c->tls) : strerrordesc_np(errno));
    close_conn(c, &err);
}

/* --- one step on TLS or on the bare socket, in the words of tls.h --------------------------------------- */

static enum tls_io plain_io(ssize_t n, enum tls_io would_block, size_t *ret_n)
{
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? would_block : TLS_IO_ERROR;
    *ret_n = (size_t)n;
    return n == 0 ? TLS_IO_EOF : TLS_IO_OK;
}
static enum tls_io step_read(struct https_conn *c, size_t *ret_n)
{
    return c->tls ? tls_read(c->tls, c->o.scratch, HTTPS_SCRATCH, ret_n)
                  : plain_io(recv(c->fd.fd, c->o.scratch, HTTPS_SCRATCH, 0), TLS_IO_WANT_READ, ret_n);
}
static enum tls_io step_write(struct https_conn *c, str bytes, size_t *ret_n)
{
    return c->tls ? tls_write(c->tls, bytes.p, bytes.len, ret_n)
                  : plain_io(send(c->fd.fd, bytes.p, bytes.len, MSG_NOSIGNAL), TLS_IO_WANT_WRITE, ret_n);
}

/* --- answers on HTTP/2 ---------------------------------------------------------------------------------- */

static void h2_head(void *arg, struct h2_stream *s)
{
    struct https_conn *c = arg;
    struct https_exchange *x = container_of(s, struct https_exchange, h2_);
    c->answered = true;
    x->status = s->status;
    c->o.ops->head(x, false, 0);
}
static void h2_data(void *arg, struct h2_stream *s, str bytes)
{
    struct https_conn *c = arg;
    c->o.ops->data(container_of(s, struct https_exchange, h2_), bytes);
}
static void h2_end(void *arg, struct h2_stream *s, enum h2_end end)
{
    static const enum https_end ends[] = {[H2_END_OK] = HTTPS_DONE, [H2_END_RESET] = HTTPS_LOST, [H2_END_REFUSED] = HTTPS_AGAIN};
    struct https_conn *c = arg;
    end_exchange(c, container_of(s, struct https_exchange, h2_), ends[end]);
    c->o.ops->changed(c);
}
static const struct h2_client_ops h2_ops = {.on_head = h2_head, .on_data = h2_data, .on_end = h2_end};

/* --- answers on HTTP/1.1 -------------------------------------------------------------------------------- */

static void h1_done(struct https_conn *c, struct https_exchange *x)
{
    bool keep = c->h1->keep_alive && !c->leaving;
    end_exchange(c, x, HTTPS_DONE);
    h1_answer_reset(c->h1, false);
    if (keep)
        c->o.ops->changed(c);
    else
        close_conn(c, NULL);
}

static void h1_bad(struct https_conn *c)
{
    struct err err = ERR_NONE;
    err_set(&err, E_UNAVAILABLE, "%s did not answer in HTTP: %s", c->o.conf->target.text, c->h1->why);
    close_conn(c, &err);
}

static void h1_take(struct https_conn *c, str in)
{
    while (c->state == HTTPS_OPEN) {
        if (list_empty(&c->exchanges)) {
            if (in.len) /* an answer that nobody asked for, a 408 perhaps */
                close_conn(c, NULL);
            return;
        }
        struct https_exchange *x = list_first(&c->exchanges, struct https_exchange, link_);
        size_t used;
        str data = STR_NONE;
        enum h1_answer_step step = h1_answer_step(c->h1, in, &used, &data);
        in = str_from(in, used);
        switch (step) {
        case H1_ANSWER_HEAD:
            c->answered = true;
            x->status = c->h1->status;
            c->o.ops->head(x, c->h1->has_length, c->h1->length);
            break;
        case H1_ANSWER_DATA:
            c->o.ops->data(x, data);
            break;
        case H1_ANSWER_DONE:
            h1_done(c, x);
            break;
        case H1_ANSWER_BAD:
            h1_bad(c);
            return;
        case H1_ANSWER_MORE:
            return;
        }
    }
}

/* --- reading -------------------------------------------------------------------------------------------- */

static void opened(struct https_conn *c);

static void take_bytes(struct https_conn *c, str in)
{
    struct err err = ERR_NONE;
    c->heard_at = loop_now(c->o.loop);
    c->pinged_at = 0;
    if (!c->h2)
        h1_take(c, in);
    else if (h2_client_recv(c->h2, in, &err) < 0)
        close_conn(c, &err);
    else if (c->state == HTTPS_OPENING && h2_client_is_settled(c->h2))
        opened(c);
}

static void peer_closed(struct https_conn *c)
{
    struct err err = ERR_NONE;
    if (c->state == HTTPS_OPEN && (!c->load || (c->h2 && h2_client_is_leaving(c->h2)))) {
        close_conn(c, NULL);
    } else if (!c->h2 && h1_answer_eof(c->h1) == H1_ANSWER_DONE) {
        c->h1->keep_alive = false;
        h1_done(c, list_first(&c->exchanges, struct https_exchange, link_));
    } else {
        err_set(&err, E_UNAVAILABLE, "%s closed the connection", c->o.conf->target.text);
        close_conn(c, &err);
    }
}

static void read_some(struct https_conn *c)
{
    for (int i = 0; i < READS_A_TURN && c->state != HTTPS_CLOSED; i++) {
        size_t n = 0;
        enum tls_io io = step_read(c, &n);
        if (io == TLS_IO_OK)
            take_bytes(c, str_n(c->o.scratch, n));
        else if (io == TLS_IO_EOF)
            peer_closed(c);
        else if (io == TLS_IO_ERROR)
            broke(c, "waiting for an answer");
        if (io != TLS_IO_OK)
            return;
    }
    if (c->state != HTTPS_CLOSED)
        loop_defer(c->o.loop, &c->more);
}

static void more_run(struct loop_defer *d)
{
    struct https_conn *c = container_of(d, struct https_conn, more);
    read_some(c);
    https_conn_flush(c);
}

/* --- writing -------------------------------------------------------------------------------------------- */

/* False: blocked or closed. */
static bool write_out(struct https_conn *c)
{
    while (c->out_at < c->out.len) {
        size_t n = 0;
        enum tls_io io = step_write(c, str_from(strbuf_str(&c->out), c->out_at), &n);
        if (io == TLS_IO_ERROR || io == TLS_IO_EOF) {
            broke(c, "sending");
            return false;
        }
        if (io != TLS_IO_OK) {
            c->blocked = true;
            return false;
        }
        c->out_at += n;
    }
    c->out.len = c->out_at = 0;
    return true;
}

void https_conn_flush(struct https_conn *c)
{
    if (c->state == HTTPS_CLOSED || !c->is_speaking)
        return;
    c->blocked = false;
    while (write_out(c) && c->h2) {
        strbuf_grow(&c->out, SEND_BYTES);
        c->out.len = h2_client_send(c->h2, c->out.p, SEND_BYTES);
        if (!c->out.len)
            break;
    }
    if (c->state == HTTPS_CLOSED)
        return;
    if (!c->out.len)
        strbuf_fini(&c->out); /* an idle connection holds no buffer */
    loop_fd_want(c->o.loop, &c->fd, EPOLLIN | (c->blocked ? EPOLLOUT : 0));
    if (!c->blocked && ((c->h2 && h2_client_is_over(c->h2)) || (c->leaving && !c->load)))
        close_conn(c, NULL);
}

/* --- requests ------------------------------------------------------------------------------------------- */

static size_t request_headers(const struct https_conn *c, const struct https_exchange *x, struct http_header out[H2_CLIENT_HEADERS])
{
    const struct https_conf *f = c->o.conf;
    size_t n = 0;
    out[n++] = (struct http_header){S("user-agent"), str_of(f->user_agent)};
    out[n++] = (struct http_header){S("accept"), S("application/json")};
    if (f->authorization)
        out[n++] = (struct http_header){S("authorization"), str_of(f->authorization)};
    if (f->as)
        out[n++] = (struct http_header){S("impersonate-user"), str_of(f->as)};
    if (x->body.len)
        out[n++] = (struct http_header){S("content-type"), x->content_type.len ? x->content_type : S("application/json")};
    return n;
}

static void h1_start(struct https_conn *c, struct https_exchange *x)
{
    struct http_header headers[H2_CLIENT_HEADERS];
    size_t n = request_headers(c, x, headers);
    struct strbuf *b = &c->out;
    str host = https_conf_authority(c->o.conf);
    strbuf_addf(b, STR_FMT " %s" STR_FMT " HTTP/1.1\r\n", STR_ARG(x->method), c->o.conf->target.prefix, STR_ARG(x->path));
    strbuf_addf(b, "host: " STR_FMT "\r\n", STR_ARG(host));
    for (size_t i = 0; i < n; i++)
        strbuf_addf(b, STR_FMT ": " STR_FMT "\r\n", STR_ARG(headers[i].name), STR_ARG(headers[i].value));
    if (x->body.len || str_is(x->method, "POST") || str_is(x->method, "PUT") || str_is(x->method, "PATCH"))
        strbuf_addf(b, "content-length: %zu\r\n", x->body.len);
    strbuf_add_str(b, S("\r\n"));
    strbuf_add_str(b, x->body);
    h1_answer_reset(c->h1, str_is(x->method, "HEAD"));
}

static bool h2_start(struct https_conn *c, struct https_exchange *x)
{
    struct http_header headers[H2_CLIENT_HEADERS];
    struct h2_request req = {.method = x->method, .scheme = S("https"), .path = x->path, .headers = headers, .body = x->body};
    req.authority = https_conf_authority(c->o.conf);
    req.nheaders = request_headers(c, x, headers);
    if (c->o.conf->target.prefix[0]) {
        strbuf_clear(&c->line);
        strbuf_addf(&c->line, "%s" STR_FMT, c->o.conf->target.prefix, STR_ARG(x->path));
        req.path = strbuf_str(&c->line);
    }
    x->h2_ = (struct h2_stream){0};
    return h2_client_submit(c->h2, &x->h2_, &req);
}

void https_conn_start(struct https_conn *c, struct https_exchange *x)
{
    BUG_ON(!https_conn_room(c, x->is_watch));
    bool was_idle = !c->load;
    x->status = 0;
    x->conn = c;
    list_add_tail(&c->exchanges, &x->link_);
    c->load++;
    c->watches += x->is_watch;
    if (!c->h2)
        h1_start(c, x);
    else if (!h2_start(c, x))
        end_exchange(c, x, HTTPS_LOST);
    if (was_idle) {
        c->heard_at = loop_now(c->o.loop); /* silence counts from here */
        arm(c);
    }
}

void https_conn_cancel(struct https_conn *c, struct https_exchange *x)
{
    if (c->h2)
        h2_client_cancel(c->h2, &x->h2_);
    take_off(c, x);
    if (!c->h2)
        close_conn(c, NULL); /* what is still to come would stand before the next answer */
}

void https_conn_leave(struct https_conn *c)
{
    c->leaving = true;
    if (c->state == HTTPS_OPENING) {
        close_conn(c, NULL);
        return;
    }
    list_foreach_safe (x, &c->exchanges, struct https_exchange, link_) {
        if (!x->is_watch)
            continue;
        if (c->h2)
            h2_client_cancel(c->h2, &x->h2_);
        end_exchange(c, x, HTTPS_LOST);
        if (!c->h2) {
            close_conn(c, NULL);
            return;
        }
    }
    https_conn_flush(c);
}

size_t https_conn_room(const struct https_conn *c, bool for_watch)
{
    if (c->state != HTTPS_OPEN || c->leaving)
        return 0;
    if (!c->h2)
        return c->load ? 0 : 1;
    size_t room = h2_client_room(c->h2), max = h2_client_max_streams(c->h2);
    size_t watch_max = max - max / 4;
    if (!for_watch || !room)
        return room;
    return c->watches < watch_max ? MIN(room, watch_max - c->watches) : 0;
}

/* --- time ----------------------------------------------------------------------------------------------- */

static nsec_t next_check(const struct https_conn *c)
{
    if (!c->load)
        return c->idle_since + c->o.idle_ns;
    if (!c->h2)
        return c->heard_at + c->o.silence_ns;
    return c->pinged_at ? c->pinged_at + c->o.ping_after_ns / 2 : c->heard_at + c->o.ping_after_ns;
}

static void arm(struct https_conn *c)
{
    loop_timer_set(c->o.loop, &c->timer, MAX(next_check(c), loop_now(c->o.loop)));
}

static void silent(struct https_conn *c)
{
    struct err err = ERR_NONE;
    err_set(&err, E_TIMEOUT, "no answer from %s in time", c->o.conf->target.text);
    close_conn(c, &err);
}

static void timer_fire(struct loop_timer *t)
{
    struct https_conn *c = container_of(t, struct https_conn, timer);
    nsec_t now = loop_now(c->o.loop);
    if (c->state == HTTPS_OPENING) {
        silent(c);
    } else if (next_check(c) > now) {
        arm(c); /* something happened since the timer was set */
    } else if (!c->load) {
        close_conn(c, NULL);
    } else if (c->h2 && !c->pinged_at) {
        c->pinged_at = now;
        h2_client_ping(c->h2);
        arm(c);
        https_conn_flush(c);
    } else if (c->h2 || c->watches) {
        silent(c);
    } else {
        c->heard_at = now; /* a call on HTTP/1.1: its owner counts the time */
        arm(c);
    }
}

/* --- opening -------------------------------------------------------------------------------------------- */

static void fd_ready(struct loop_fd *f, uint32_t events UNUSED);

static void opened(struct https_conn *c)
{
    c->state = HTTPS_OPEN;
    c->idle_since = c->heard_at = loop_now(c->o.loop);
    arm(c);
    c->o.ops->changed(c);
}

/* HTTP/2 is open when the server has said how many streams it bears. */
static void begin_to_speak(struct https_conn *c)
{
    c->is_speaking = true;
    if (c->tls && tls_is_h2(c->tls)) {
        c->h2 = h2_client_new(&h2_ops, c);
    } else {
        c->h1 = xnew(struct h1_answer);
        opened(c);
    }
    https_conn_flush(c);
}

static void shake_hands(struct https_conn *c)
{
    const char *text = c->o.conf->target.text;
    struct err err = ERR_NONE;
    switch (tls_handshake(c->tls)) {
    case TLS_IO_OK:
        begin_to_speak(c);
        return;
    case TLS_IO_WANT_READ:
        loop_fd_want(c->o.loop, &c->fd, EPOLLIN);
        return;
    case TLS_IO_WANT_WRITE:
        loop_fd_want(c->o.loop, &c->fd, EPOLLOUT);
        return;
    case TLS_IO_EOF:
        err_set(&err, E_UNAVAILABLE, "%s closed the connection during the TLS handshake", text);
        break;
    case TLS_IO_ERROR:
        err_set(&err, E_UNAVAILABLE, "cannot make a secure connection to %s: %s", text, tls_last_error(c->tls));
        break;
    }
    close_conn(c, &err);
}

static void fd_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct https_conn *c = container_of(f, struct https_conn, fd);
    if (!c->is_speaking) {
        shake_hands(c);
        return;
    }
    read_some(c);
    https_conn_flush(c);
}

static void dialled(void *owner, int fd, const struct err *err)
{
    struct https_conn *c = owner;
    const struct client_target *target = &c->o.conf->target;
    struct err why = ERR_NONE;
    c->dial = NULL;
    if (fd < 0) {
        close_conn(c, err);
        return;
    }
    c->fd = (struct loop_fd){.fd = fd, .ready = fd_ready};
    if (loop_fd_add(c->o.loop, &c->fd, EPOLLIN, &why) < 0) {
        close(fd);
        c->fd.fd = -1;
        close_conn(c, &why);
    } else if (target->is_tls) {
        c->tls = tls_connect(target->tls, fd, target->server_name, c->o.conf->http1_only ? "http/1.1" : "h2,http/1.1");
        shake_hands(c);
    } else {
        begin_to_speak(c);
    }
}

struct https_conn *https_conn_new(const struct https_conn_opts *opts)
{
    struct https_conn *c = xnew(struct https_conn);
    c->o = *opts;
    https_conf_ref(c->o.conf);
    c->fd.fd = -1;
    list_init(&c->exchanges);
    c->timer.fire = timer_fire;
    c->more.fn = more_run;
    c->dial = dial_start(c->o.loop, &c->o.conf->target, c->o.connect_timeout_ns, dialled, c);
    /* the dial's own time-out, with its sentence, comes first */
    loop_timer_set(c->o.loop, &c->timer, loop_now(c->o.loop) + c->o.connect_timeout_ns + NSEC_PER_MSEC);
    return c;
}

void https_conn_free(struct https_conn *c)
{
    if (!c)
        return;
    close_conn(c, NULL);
    if (c->h1) {
        h1_answer_fini(c->h1);
        free(c->h1);
    }
    strbuf_fini(&c->out);
    strbuf_fini(&c->line);
    https_conf_unref(c->o.conf);
    free(c);
}

void *https_conn_owner(const struct https_conn *c)
{
    return c->o.owner;
}
enum https_state https_conn_state(const struct https_conn *c)
{
    return c->state;
}
bool https_conn_is_h2(const struct https_conn *c)
{
    return c->h2 != NULL;
}
bool https_conn_has_answered(const struct https_conn *c)
{
    return c->answered;
}
size_t https_conn_load(const struct https_conn *c)
{
    return c->load;
}
size_t https_conn_watches(const struct https_conn *c)
{
    return c->watches;
}
const struct err *https_conn_err(const struct https_conn *c)
{
    return &c->err;
}
