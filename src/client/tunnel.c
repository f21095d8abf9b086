/* SPDX-License-Identifier: Apache-2.0 */
/*   DIALLING ─► HANDSHAKE ─► HEAD (request goes out, answer comes) ─► BODY or RAW ─► OVER
 *
 * Ends are told at the end of a turn when they happen inside a call of the owner, so that no callback runs under its caller. */
#include "client/tunnel.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "client/dial.h"

#define READ_BYTES (32u << 10)
#define READS_A_TURN 8

enum phase { DIALLING, HANDSHAKE, HEAD, BODY, RAW, OVER };

struct tunnel {
    struct tunnel_opts o;
    enum phase phase;
    struct dial *dial;
    struct tls_session *tls;
    struct loop_fd fd; /* -1: none */
    struct h1_answer answer;
    struct strbuf out;
    size_t out_at;
    bool refused, paused, blocked, freed, failed;
    bool deaf;         /* paused, and off the loop: the server is gone, and what it said before is read later */
    unsigned depth;    /* of our own functions that the owner may free us under */
    struct strbuf held; /* read, and not handed on because of a pause */
    nsec_t active;
    struct loop_timer timer;
    struct loop_defer soon; /* ends, and bytes that TLS still holds */
    struct err err;
};

/* --- memory ------------------------------------------------------------------------------------------------------ */

static void release(struct tunnel *t)
{
    strbuf_fini(&t->out);
    strbuf_fini(&t->held);
    h1_answer_fini(&t->answer);
    free(t);
}

static void close_fd(struct tunnel *t)
{
    if (t->dial)
        dial_cancel(TAKE(t->dial));
    if (t->fd.fd >= 0) {
        if (!t->deaf)
            loop_fd_del(t->o.loop, &t->fd);
        if (t->tls && t->phase > HANDSHAKE)
            tls_shutdown(t->tls);
        close(t->fd.fd);
        t->fd.fd = -1;
    }
    tls_session_free(TAKE(t->tls));
}

void tunnel_free(struct tunnel *t)
{
    if (!t || t->freed)
        return;
    t->freed = true;
    t->phase = OVER;
    loop_timer_stop(t->o.loop, &t->timer);
    loop_defer_cancel(t->o.loop, &t->soon);
    close_fd(t);
    if (!t->depth)
        release(t);
}

static void enter(struct tunnel *t)
{
    t->depth++;
}
static void leave(struct tunnel *t)
{
    if (--t->depth == 0 && t->freed)
        release(t);
}

/* --- ends ----------------------------------------------------------------------------------------------------------- */

/* Told by `soon`. */
static void over(struct tunnel *t)
{
    if (t->phase == OVER)
        return;
    close_fd(t);
    t->phase = OVER;
    loop_timer_stop(t->o.loop, &t->timer);
    loop_defer(t->o.loop, &t->soon);
}

static void failed(struct tunnel *t, const struct err *err)
{
    if (t->phase == OVER)
        return;
    t->failed = true;
    t->err = *err;
    over(t);
}

static void broke(struct tunnel *t)
{
    struct err err = ERR_NONE;
    const char *why = t->tls ? tls_last_error(t->tls) : strerrordesc_np(errno);
    err_set(&err, E_UNAVAILABLE, "the connection to %s broke while reading: %s", t->o.target->text, why);
    failed(t, &err);
}

static void timer_fire(struct loop_timer *timer)
{
    struct tunnel *t = container_of(timer, struct tunnel, timer);
    struct err err = ERR_NONE;
    if (t->phase >= BODY && t->o.idle_timeout_ns) {
        nsec_t due = t->active + t->o.idle_timeout_ns;
        if (due > loop_now(t->o.loop)) {
            loop_timer_set(t->o.loop, timer, due);
            return;
        }
    }
    err_set(&err, E_TIMEOUT, t->phase >= BODY ? "nothing came from or went to %s for too long" : "no answer from %s in time", t->o.target->text);
    failed(t, &err);
}

/* --- one step on TLS or on the bare socket, in the words of tls.h ---------------------------------------------------- */

static enum tls_io plain_io(ssize_t n, enum tls_io would_block, size_t *ret_n)
{
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? would_block : TLS_IO_ERROR;
    *ret_n = (size_t)n;
    return n == 0 ? TLS_IO_EOF : TLS_IO_OK;
}
static enum tls_io step_read(struct tunnel *t, char *buf, size_t len, size_t *ret_n)
{
    return t->tls ? tls_read(t->tls, buf, len, ret_n) : plain_io(recv(t->fd.fd, buf, len, 0), TLS_IO_WANT_READ, ret_n);
}
static enum tls_io step_write(struct tunnel *t, str bytes, size_t *ret_n)
{
    return t->tls ? tls_write(t->tls, bytes.p, bytes.len, ret_n) : plain_io(send(t->fd.fd, bytes.p, bytes.len, MSG_NOSIGNAL), TLS_IO_WANT_WRITE, ret_n);
}

/* --- writing --------------------------------------------------------------------------------------------------------------- */

static void want(struct tunnel *t)
{
    if (t->fd.fd < 0 || t->phase < HEAD || t->phase == OVER || t->deaf)
        return;
    uint32_t events = (t->paused ? 0 : EPOLLIN) | (t->blocked ? EPOLLOUT : 0);
    loop_fd_want(t->o.loop, &t->fd, events);
}

static void flush(struct tunnel *t)
{
    while (t->phase >= HEAD && t->phase < OVER && t->out_at < t->out.len) {
        size_t n = 0;
        enum tls_io r = step_write(t, str_n(t->out.p + t->out_at, t->out.len - t->out_at), &n);
        if (r == TLS_IO_OK) {
            t->out_at += n;
            t->active = loop_now(t->o.loop);
            continue;
        }
        if (r == TLS_IO_ERROR || r == TLS_IO_EOF) {
            /* an answer may be there although the server does not read any more: reading tells */
            t->out_at = t->out.len;
            break;
        }
        t->blocked = true;
        want(t);
        return;
    }
    if (t->phase < HEAD || t->phase == OVER)
        return;
    strbuf_clear(&t->out);
    t->out_at = 0;
    if (t->refused)
        loop_defer(t->o.loop, &t->soon); /* the owner is told there, also when nothing else happens any more */
    if (t->blocked) {
        t->blocked = false;
        want(t);
    }
}

size_t tunnel_unsent(const struct tunnel *t)
{
    return t->out.len - t->out_at;
}

bool tunnel_write(struct tunnel *t, str bytes, size_t limit)
{
    if (t->phase == OVER)
        return true;
    size_t unsent = tunnel_unsent(t);
    if (unsent && unsent + bytes.len > limit) {
        t->refused = true;
        return false;
    }
    if (t->out_at > limit) {
        strbuf_splice(&t->out, 0, t->out_at, S(""));
        t->out_at = 0;
    }
    strbuf_add_str(&t->out, bytes);
    if (!t->blocked)
        loop_defer(t->o.loop, &t->soon);
    return true;
}

/* --- reading ------------------------------------------------------------------------------------------------------------------- */

static void on_head(struct tunnel *t)
{
    t->phase = t->answer.status == 101 ? RAW : BODY;
    t->active = loop_now(t->o.loop);
    loop_timer_stop(t->o.loop, &t->timer);
    if (t->o.idle_timeout_ns)
        loop_timer_set(t->o.loop, &t->timer, t->active + t->o.idle_timeout_ns);
    t->o.ops->head(t->o.owner, &t->answer);
}

/* Hands bytes on until they are used, a pause, or an end; without bytes too, since an answer may be complete already. */
static void take(struct tunnel *t, str in)
{
    while (t->phase >= HEAD && t->phase < OVER && !t->paused) {
        if (t->phase == RAW) {
            if (in.len)
                t->o.ops->data(t->o.owner, in);
            return;
        }
        size_t used;
        str data = STR_NONE;
        enum h1_answer_step s = h1_answer_step(&t->answer, in, &used, &data);
        in = str_from(in, used);
        if (s == H1_ANSWER_MORE)
            return;
        if (s == H1_ANSWER_HEAD) {
            on_head(t);
        } else if (s == H1_ANSWER_DATA) {
            t->o.ops->data(t->o.owner, data);
        } else if (s == H1_ANSWER_DONE) {
            over(t);
        } else {
            struct err err = ERR_NONE;
            err_set(&err, E_UNAVAILABLE, "%s did not answer in HTTP: %s", t->o.target->text, t->answer.why);
            failed(t, &err);
        }
    }
    if (in.len && t->phase < OVER)
        strbuf_add_str(&t->held, in);
}

static void take_held(struct tunnel *t)
{
    if (t->paused)
        return;
    struct strbuf held = t->held;
    t->held = STRBUF_HEAP;
    take(t, strbuf_str(&held));
    strbuf_fini(&held);
}

static void end_of_input(struct tunnel *t)
{
    if (t->phase == RAW || h1_answer_eof(&t->answer) == H1_ANSWER_DONE) {
        over(t);
        return;
    }
    struct err err = ERR_NONE;
    err_set(&err, E_UNAVAILABLE, "%s closed the connection before its answer was complete", t->o.target->text);
    failed(t, &err);
}

/* What is held comes first: a socket may be ready before the turn in which a pause's end is worked off. */
static void read_some(struct tunnel *t)
{
    char buf[READ_BYTES];
    if (t->held.len)
        take_held(t);
    for (int i = 0; i < READS_A_TURN && t->phase >= HEAD && t->phase < OVER && !t->paused && !t->held.len; i++) {
        size_t n = 0;
        enum tls_io r = step_read(t, buf, sizeof buf, &n);
        if (r == TLS_IO_EOF) {
            end_of_input(t);
            return;
        }
        if (r == TLS_IO_ERROR) {
            broke(t);
            return;
        }
        if (r != TLS_IO_OK)
            return;
        t->active = loop_now(t->o.loop);
        take(t, str_n(buf, n));
    }
    if (t->phase >= HEAD && t->phase < OVER && !t->paused && t->tls && tls_has_pending(t->tls))
        loop_defer(t->o.loop, &t->soon);
}

void tunnel_pause(struct tunnel *t, bool paused)
{
    if (t->paused == paused || t->phase == OVER)
        return;
    t->paused = paused;
    struct err err = ERR_NONE;
    if (!paused && t->deaf) {
        t->deaf = loop_fd_add(t->o.loop, &t->fd, EPOLLIN, &err) < 0;
        if (t->deaf)
            failed(t, &err);
    }
    want(t);
    if (!paused)
        loop_defer(t->o.loop, &t->soon); /* what was held, or is in TLS */
}

/* --- events ------------------------------------------------------------------------------------------------------------------------- */

static void writable_check(struct tunnel *t)
{
    if (t->refused && t->phase < OVER && t->out_at == t->out.len) {
        t->refused = false;
        t->o.ops->writable(t->o.owner);
    }
}

static void soon_run(struct loop_defer *d)
{
    struct tunnel *t = container_of(d, struct tunnel, soon);
    enter(t);
    if (t->phase == OVER) {
        if (!t->freed)
            t->o.ops->end(t->o.owner, t->failed ? &t->err : NULL);
    } else {
        flush(t);
        writable_check(t);
        take_held(t);
        if (!t->freed && !t->held.len)
            read_some(t);
        flush(t);
    }
    leave(t);
}

static void begin_http(struct tunnel *t)
{
    t->phase = HEAD;
    loop_timer_set(t->o.loop, &t->timer, loop_now(t->o.loop) + t->o.answer_timeout_ns);
    want(t);
    flush(t);
}

static void handshake(struct tunnel *t)
{
    struct err err = ERR_NONE;
    switch (tls_handshake(t->tls)) {
    case TLS_IO_OK:
        begin_http(t);
        return;
    case TLS_IO_WANT_READ:
        loop_fd_want(t->o.loop, &t->fd, EPOLLIN);
        return;
    case TLS_IO_WANT_WRITE:
        loop_fd_want(t->o.loop, &t->fd, EPOLLOUT);
        return;
    case TLS_IO_EOF:
        err_set(&err, E_UNAVAILABLE, "%s closed the connection during the TLS handshake", t->o.target->text);
        break;
    default:
        err_set(&err, E_UNAVAILABLE, "cannot make a secure connection to %s: %s", t->o.target->text, tls_last_error(t->tls));
    }
    failed(t, &err);
}

/* The kernel still has what came before a connection was reset. */
static void deafen(struct tunnel *t)
{
    if (t->phase == OVER)
        return;
    t->deaf = true;
    loop_fd_del(t->o.loop, &t->fd);
}

static void ready(struct loop_fd *f, uint32_t events)
{
    struct tunnel *t = container_of(f, struct tunnel, fd);
    enter(t);
    if (t->phase == HANDSHAKE) {
        handshake(t);
    } else {
        if (events & EPOLLOUT) {
            flush(t);
            writable_check(t);
        }
        if (t->paused && (events & (EPOLLERR | EPOLLHUP))) /* comes whatever is wanted, and would come again and again */
            deafen(t);
        else if (events & ~(uint32_t)EPOLLOUT)
            read_some(t);
        flush(t);
    }
    leave(t);
}

static void on_dialled(void *owner, int fd, const struct err *err)
{
    struct tunnel *t = owner;
    struct err add_err = ERR_NONE;
    t->dial = NULL;
    if (fd < 0) {
        failed(t, err);
        return;
    }
    t->fd = (struct loop_fd){.fd = fd, .ready = ready};
    if (loop_fd_add(t->o.loop, &t->fd, EPOLLOUT, &add_err) < 0) {
        t->fd.fd = -1;
        close(fd);
        failed(t, &add_err);
        return;
    }
    if (!t->o.target->is_tls) {
        begin_http(t);
        return;
    }
    t->phase = HANDSHAKE;
    t->tls = tls_connect(t->o.target->tls, fd, t->o.target->server_name, "http/1.1");
    handshake(t);
}

struct tunnel *tunnel_start(const struct tunnel_opts *o)
{
    struct tunnel *t = xnew(struct tunnel);
    t->o = *o;
    if (!t->o.connect_timeout_ns)
        t->o.connect_timeout_ns = 10 * NSEC_PER_SEC;
    if (!t->o.answer_timeout_ns)
        t->o.answer_timeout_ns = 60 * NSEC_PER_SEC;
    t->fd.fd = -1;
    t->timer.fire = timer_fire;
    t->soon.fn = soon_run;
    h1_answer_reset(&t->answer, o->is_head);
    strbuf_add_str(&t->out, o->request);
    t->o.request = S("");
    t->active = loop_now(o->loop);
    loop_timer_set(o->loop, &t->timer, t->active + t->o.connect_timeout_ns);
    t->dial = dial_start(o->loop, o->target, t->o.connect_timeout_ns, on_dialled, t);
    return t;
}
