/* SPDX-License-Identifier: Apache-2.0 */
/* A connection below the protocols: handshake, reading, writing, one timer, closing.
 *
 * The timer is lazy: it is moved only when a deadline comes earlier than what is armed; one that fires too early is armed again.  A
 * keep-alive connection that serves a request every millisecond touches the heap once in two minutes. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "http/internal.h"
#include "rt/net.h"

/* Written in one turn before other connections have theirs. */
#define FLUSH_TURN_BYTES (1u << 20)
/* A front this long is written from where it lies; a shorter one is gathered with what follows. */
#define DIRECT_MIN_BYTES HTTP_RECORD_BYTES
#define LINGER_NS (2 * NSEC_PER_SEC)
#define LINGER_BYTES (64u << 20)

/* --- plain or TLS ------------------------------------------------------------------------------------------ */

static enum tls_io plain_result(ssize_t n, enum tls_io again)
{
    if (n >= 0)
        return n ? TLS_IO_OK : TLS_IO_EOF;
    return errno == EAGAIN || errno == EINTR ? again : TLS_IO_ERROR;
}

enum tls_io conn_read(struct http_conn *c, void *buf, size_t len, size_t *ret_n)
{
    enum tls_io r;
    if (c->tls) {
        r = tls_read(c->tls, buf, len, ret_n);
    } else {
        ssize_t n = recv(c->io.fd, buf, len, 0);
        r = plain_result(n, TLS_IO_WANT_READ);
        *ret_n = (size_t)MAX(n, 0);
    }
    if (r == TLS_IO_OK)
        http_count(&c->home->counters.bytes_in, *ret_n);
    return r;
}

static enum tls_io conn_write(struct http_conn *c, str bytes, size_t *ret_n)
{
    enum tls_io r;
    if (c->tls) {
        r = tls_write(c->tls, bytes.p, bytes.len, ret_n);
    } else {
        ssize_t n = send(c->io.fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        r = plain_result(n, TLS_IO_WANT_WRITE);
        *ret_n = (size_t)MAX(n, 0);
    }
    if (r == TLS_IO_OK)
        http_count(&c->home->counters.bytes_out, *ret_n);
    return r;
}

bool conn_has_pending(const struct http_conn *c)
{
    return c->tls && c->phase == CONN_OPEN && tls_has_pending(c->tls);
}

void conn_in_release(struct http_conn *c)
{
    if (!c->in)
        return;
    if (c->in_cap == HTTP_IN_BYTES)
        http_pool_give(&c->home->in_pool, c->in);
    else
        free(c->in);
    c->in = NULL;
    c->in_at = c->in_len = c->in_cap = 0;
}

/* --- the timer ------------------------------------------------------------------------------------------------ */

static nsec_t write_deadline(const struct http_conn *c)
{
    bool patient = c->ops == &conn_h1_ops && (c->h1.raw || c->h1.req.patient);
    return c->progress + (patient ? HTTP_PATIENCE_NS : c->home->server->opts.write_timeout_ns);
}

static nsec_t conn_deadline(struct http_conn *c)
{
    nsec_t at = c->ops->deadline(c);
    return c->blocked ? MIN(at, write_deadline(c)) : at;
}

void conn_timer(struct http_conn *c)
{
    if (c->phase != CONN_OPEN)
        return;
    nsec_t at = conn_deadline(c);
    if (at != HTTP_NEVER && (!c->timer.slot_ || at < c->timer.at))
        loop_timer_set(c->home->loop, &c->timer, at);
}

static void timer_fire(struct loop_timer *t)
{
    struct http_conn *c = container_of(t, struct http_conn, timer);
    if (c->phase == CONN_DEAD)
        return;
    if (c->phase != CONN_OPEN) { /* handshake or linger took too long */
        if (c->phase == CONN_HANDSHAKE)
            http_count(&c->home->counters.timeouts, 1);
        conn_gone(c);
        return;
    }
    nsec_t now = loop_now(c->home->loop);
    if (conn_deadline(c) > now) {
        conn_timer(c);
        return;
    }
    if (c->blocked && write_deadline(c) <= now) {
        http_count(&c->home->counters.timeouts, 1);
        conn_gone(c);
        return;
    }
    c->ops->timeout(c);
    conn_timer(c);
}

/* --- output ---------------------------------------------------------------------------------------------------- */

char *conn_block_room(struct http_conn *c, size_t n)
{
    if (!c->block && n <= HTTP_OUT_BYTES) {
        c->block = http_pool_take(&c->home->out_pool, HTTP_OUT_BYTES);
        c->block_at = c->block_len = 0;
    }
    return n <= HTTP_OUT_BYTES - c->block_len ? c->block + c->block_len : NULL;
}

static void block_release(struct http_conn *c)
{
    if (c->block)
        http_pool_give(&c->home->out_pool, c->block);
    c->block = NULL;
    c->block_at = c->block_len = 0;
}

/* What to write next: the block, or the queue's front as it lies. */
static str out_next(struct http_conn *c, bool *ret_direct)
{
    *ret_direct = false;
    if (c->block_at == c->block_len) {
        c->block_at = c->block_len = 0;
        str front = outq_front(&c->out);
        *ret_direct = front.len >= DIRECT_MIN_BYTES && c->ops == &conn_h1_ops && !c->h1.chunk_out;
        if (*ret_direct)
            return front;
        if (!c->ops->produce(c))
            return S("");
    }
    return str_n(c->block + c->block_at, c->block_len - c->block_at);
}

static void out_advance(struct http_conn *c, bool direct, size_t n)
{
    c->progress = loop_now(c->home->loop);
    if (direct)
        outq_skip(&c->out, n);
    else
        c->block_at += (uint32_t)n;
}

void conn_flush(struct http_conn *c)
{
    size_t budget = FLUSH_TURN_BYTES;
    while (c->phase == CONN_OPEN) {
        bool direct;
        str next = out_next(c, &direct);
        if (!next.len)
            break;
        size_t n = 0;
        enum tls_io r = budget ? conn_write(c, next, &n) : TLS_IO_WANT_WRITE;
        if (r == TLS_IO_OK) {
            out_advance(c, direct, n);
            budget -= MIN(budget, n);
            continue;
        }
        if (r != TLS_IO_WANT_WRITE && r != TLS_IO_WANT_READ) {
            conn_gone(c);
            return;
        }
        if (!c->blocked)
            c->progress = loop_now(c->home->loop);
        c->blocked = true;
        conn_want(c);
        return;
    }
    if (c->phase != CONN_OPEN)
        return;
    block_release(c);
    if (c->blocked) {
        c->blocked = false;
        conn_want(c);
    }
}

/* --- closing ------------------------------------------------------------------------------------------------------ */

static void release_if_unused(struct http_conn *c)
{
    if (c->phase == CONN_DEAD && !c->requests && c->io.fd < 0)
        http_home_reap(c->home, c);
}

static void tell_requests(struct http_conn *c)
{
    if (c->ops)
        c->ops->dead(c);
    block_release(c);
    outq_clear(&c->out);
}

void conn_gone(struct http_conn *c)
{
    if (c->phase == CONN_DEAD)
        return;
    c->phase = CONN_DEAD;
    loop_timer_stop(c->home->loop, &c->timer);
    loop_defer_cancel(c->home->loop, &c->turn);
    loop_fd_del(c->home->loop, &c->io);
    tell_requests(c);
    close(c->io.fd);
    c->io.fd = -1;
    release_if_unused(c);
}

/* The answer is written.  Closing with unread input would reset the connection and could take the answer with it, so: no more from us,
 * and what the peer still sends is thrown away until it closes. */
static void linger(struct http_conn *c)
{
    c->phase = CONN_LINGER;
    tell_requests(c);
    if (c->phase != CONN_LINGER)
        return;
    if (c->tls)
        tls_shutdown(c->tls);
    shutdown(c->io.fd, SHUT_WR);
    loop_timer_set(c->home->loop, &c->timer, loop_now(c->home->loop) + LINGER_NS);
    loop_fd_want(c->home->loop, &c->io, EPOLLIN);
}

static void linger_read(struct http_conn *c)
{
    char *buf = http_pool_take(&c->home->in_pool, HTTP_IN_BYTES);
    ssize_t n = 1;
    for (int i = 0; i < 16 && n > 0; i++) {
        n = recv(c->io.fd, buf, HTTP_IN_BYTES, 0);
        c->lingered += (uint32_t)MAX(n, 0);
    }
    http_pool_give(&c->home->in_pool, buf);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR) || c->lingered > LINGER_BYTES)
        conn_gone(c);
}

void conn_finish(struct http_conn *c)
{
    if (c->phase != CONN_OPEN)
        return;
    c->closing = true;
    c->no_input = true;
    conn_want(c);
    conn_schedule(c);
}

static void closing_check(struct http_conn *c)
{
    if (c->phase == CONN_OPEN && c->closing && !c->blocked && !c->block && !c->out.bytes)
        linger(c);
}

void conn_request_done(struct http_conn *c)
{
    BUG_ON(c->requests == 0);
    c->requests--;
    release_if_unused(c);
}

void conn_free_now(struct http_conn *c)
{
    if (c->io.fd >= 0)
        close(c->io.fd);
    if (c->ops)
        c->ops->fini(c);
    block_release(c);
    conn_in_release(c);
    outq_clear(&c->out);
    tls_session_free(c->tls);
    list_del(&c->link);
    list_del(&c->dead_link);
    atomic_fetch_sub_explicit(&c->home->open, 1, memory_order_relaxed);
    free(c);
}

/* --- events ---------------------------------------------------------------------------------------------------------- */

void conn_want(struct http_conn *c)
{
    if (c->phase != CONN_OPEN)
        return;
    uint32_t events = (c->no_input ? 0 : EPOLLIN) | (c->blocked ? EPOLLOUT : 0);
    if (!c->closing && (c->ops != &conn_h1_ops || !c->h1.saw_eof))
        events |= EPOLLRDHUP;
    loop_fd_want(c->home->loop, &c->io, events);
}

static void turn(struct loop_defer *d)
{
    struct http_conn *c = container_of(d, struct http_conn, turn);
    if (c->phase != CONN_OPEN)
        return;
    conn_flush(c);
    if (c->phase == CONN_OPEN)
        c->ops->turn(c);
    closing_check(c);
    conn_timer(c);
}

void conn_schedule(struct http_conn *c)
{
    if (c->phase == CONN_OPEN)
        loop_defer(c->home->loop, &c->turn);
}

static void open_now(struct http_conn *c)
{
    c->phase = CONN_OPEN;
    bool h2 = c->tls && tls_is_h2(c->tls);
    c->ops = h2 ? &conn_h2_ops : &conn_h1_ops;
    c->ops->start(c);
    conn_timer(c);
}

static void handshake(struct http_conn *c)
{
    switch (tls_handshake(c->tls)) {
    case TLS_IO_OK:
        open_now(c);
        if (c->phase == CONN_OPEN) {
            conn_want(c);
            /* the first request often comes with the last message of the handshake */
            if (conn_has_pending(c))
                c->io.ready(&c->io, EPOLLIN);
        }
        return;
    case TLS_IO_WANT_READ:
        loop_fd_want(c->home->loop, &c->io, EPOLLIN);
        return;
    case TLS_IO_WANT_WRITE:
        loop_fd_want(c->home->loop, &c->io, EPOLLOUT);
        return;
    default:
        http_count(&c->home->counters.handshake_failures, 1);
        log_debug("TLS handshake failed", KV("remote", "%s", c->remote), KV("why", "%s", tls_last_error(c->tls)));
        conn_gone(c);
    }
}

static void ready(struct loop_fd *f, uint32_t events)
{
    struct http_conn *c = container_of(f, struct http_conn, io);
    if (c->phase == CONN_HANDSHAKE) {
        handshake(c);
    } else if (c->phase == CONN_LINGER) {
        linger_read(c);
    } else if (c->phase == CONN_OPEN) {
        if (events & EPOLLOUT) {
            conn_flush(c);
            if (c->phase == CONN_OPEN)
                c->ops->turn(c);
        }
        if (c->phase == CONN_OPEN && (events & ~(uint32_t)EPOLLOUT))
            c->ops->readable(c, events);
        closing_check(c);
        conn_timer(c);
    }
}

void conn_new(struct http_home *home, int fd, bool is_unix)
{
    struct http_conn *c = xnew(struct http_conn);
    c->home = home;
    c->is_unix = is_unix;
    c->io = (struct loop_fd){.fd = fd, .ready = ready};
    c->timer.fire = timer_fire;
    c->turn.fn = turn;
    c->phase = CONN_HANDSHAKE;
    list_add_tail(&home->conns, &c->link);
    list_init(&c->dead_link);
    net_peer_text(fd, c->remote);
    http_count(&home->counters.accepted, 1);
    struct err err;
    if (home->draining || loop_fd_add(home->loop, &c->io, EPOLLIN | EPOLLRDHUP, &err) < 0) {
        conn_free_now(c);
        return;
    }
    if (is_unix || !home->server->opts.tls) {
        open_now(c);
        return;
    }
    c->tls = tls_accept(home->server->opts.tls, fd);
    loop_timer_set(home->loop, &c->timer, loop_now(home->loop) + home->server->opts.handshake_timeout_ns);
}
