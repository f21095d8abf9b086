/* SPDX-License-Identifier: Apache-2.0 */
/* getaddrinfo blocks for as long as a name server is silent, so a name is looked up by a detached thread that shares a counted
 * struct lookup with the dial and signals through its eventfd.  Whoever lets go last frees it: a dial can be cancelled at any
 * moment, and a thread that is stuck in the C library holds nothing up, not even the end of the loop. */
#include "client/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "rt/thread.h"

#define KEEPALIVE_SECONDS 15          /* idle before the first probe, and between probes */
#define UNACKNOWLEDGED_MS (30 * 1000) /* bytes or probes without an answer from the peer's kernel: the connection is dead */

struct lookup {
    _Atomic int refs; /* the dial, the thread */
    int event_fd;
    struct net_addr addr;
    _Atomic bool finished; /* error and list are there; set before the event */
    int error;             /* getaddrinfo's */
    struct addrinfo *list;
};

struct dial {
    struct loop *loop;
    const struct client_target *target;
    dial_done_fn *done;
    void *owner;
    nsec_t deadline;
    struct lookup *lookup; /* a name is being looked up */
    struct addrinfo *list;
    const struct addrinfo *next; /* to try */
    size_t tried;
    struct loop_fd fd; /* -1: none; the event of the lookup, or a socket that connects */
    struct loop_timer timer;
    struct loop_defer start;
    struct err err; /* of the last address */
};

static void try_next(struct dial *d);

/* --- names ---------------------------------------------------------------------------------------------- */

static int resolve(const struct net_addr *a, int flags, struct addrinfo **ret)
{
    char port[8];
    snprintf(port, sizeof port, "%u", a->port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    *ret = NULL;
    return getaddrinfo(a->host[0] ? a->host : NULL, port, &hints, ret);
}

static void lookup_unref(struct lookup *k)
{
    if (atomic_fetch_sub(&k->refs, 1) != 1)
        return;
    if (k->list)
        freeaddrinfo(k->list);
    close(k->event_fd);
    free(k);
}

static void lookup_run(void *arg)
{
    struct lookup *k = arg;
    k->error = resolve(&k->addr, 0, &k->list);
    atomic_store(&k->finished, true);
    uint64_t one = 1;
    ssize_t n = write(k->event_fd, &one, sizeof one);
    (void)n; /* fails only when the counter is full */
    lookup_unref(k);
}

static int lookup_start(const struct net_addr *addr, struct lookup **ret, struct err *err)
{
    int event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    if (event_fd < 0)
        return err_sys(err, errno, "cannot look \"%s\" up", addr->host);
    struct lookup *k = xnew(struct lookup);
    *k = (struct lookup){.refs = 2, .event_fd = event_fd, .addr = *addr};
    int r = thread_detached("lookup", lookup_run, k);
    if (r != 0) {
        k->refs = 1;
        lookup_unref(k);
        return err_sys(err, r, "cannot look \"%s\" up", addr->host);
    }
    *ret = k;
    return 0;
}

/* --- the end -------------------------------------------------------------------------------------------- */

static void drop_fd(struct dial *d, bool and_close)
{
    if (d->fd.fd < 0)
        return;
    loop_fd_del(d->loop, &d->fd);
    if (and_close)
        close(d->fd.fd);
    d->fd.fd = -1;
}

static void dial_free(struct dial *d)
{
    drop_fd(d, !d->lookup); /* the event belongs to the lookup */
    if (d->lookup)
        lookup_unref(d->lookup);
    if (d->list)
        freeaddrinfo(d->list);
    loop_timer_stop(d->loop, &d->timer);
    loop_defer_cancel(d->loop, &d->start);
    free(d);
}

static void finish(struct dial *d, int fd)
{
    dial_done_fn *done = d->done;
    void *owner = d->owner;
    struct err err = d->err;
    dial_free(d);
    done(owner, fd, fd < 0 ? &err : NULL);
}

static void fail(struct dial *d)
{
    if (!d->err.code)
        err_set(&d->err, E_NOT_FOUND, "\"%s\" has no address", d->target->addr.host);
    finish(d, -1);
}

static void address_failed(struct dial *d, int errnum)
{
    err_set(&d->err, errnum == ETIMEDOUT ? E_TIMEOUT : E_UNAVAILABLE, "cannot connect to %s: %s%s", d->target->text,
            strerrordesc_np(errnum), errnum == ECONNREFUSED ? "; is the server running?" : "");
}

/* --- addresses ------------------------------------------------------------------------------------------ */

static void set_option(int fd, int level, int option, int value)
{
    err_ignore(setsockopt(fd, level, option, &value, sizeof value), "they only tune; the socket works without");
}

static void connected(struct dial *d, int fd)
{
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_SECONDS);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_SECONDS);
    set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS);
    finish(d, fd);
}

static void socket_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct dial *d = container_of(f, struct dial, fd);
    int error = 0, fd = f->fd;
    socklen_t size = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0)
        error = errno;
    drop_fd(d, error != 0);
    if (!error) {
        connected(d, fd);
        return;
    }
    address_failed(d, error);
    try_next(d);
}

static void timer_fire(struct loop_timer *t)
{
    struct dial *d = container_of(t, struct dial, timer);
    if (d->lookup) {
        err_set(&d->err, E_TIMEOUT, "cannot find the address of \"%s\" in time", d->target->addr.host);
        fail(d);
        return;
    }
    drop_fd(d, true);
    address_failed(d, ETIMEDOUT);
    try_next(d);
}

static int begin_connect(struct dial *d, const struct addrinfo *ai)
{
    int fd = socket(ai->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, ai->ai_addr, ai->ai_addrlen) < 0 && errno != EINPROGRESS) {
        int error = errno;
        close(fd);
        return -error;
    }
    d->fd = (struct loop_fd){.fd = fd, .ready = socket_ready};
    if (loop_fd_add(d->loop, &d->fd, EPOLLOUT, NULL) < 0) {
        close(fd);
        d->fd.fd = -1;
        return -ENOMEM;
    }
    return 0;
}

static void try_next(struct dial *d)
{
    nsec_t now = loop_now(d->loop);
    while (d->next && d->tried < DIAL_ADDRESSES && now <= d->deadline) {
        const struct addrinfo *ai = d->next;
        d->next = ai->ai_next;
        d->tried++;
        size_t left = 1;
        for (const struct addrinfo *a = d->next; a && d->tried + left <= DIAL_ADDRESSES; a = a->ai_next)
            left++;
        int r = begin_connect(d, ai);
        if (r == 0) {
            loop_timer_set(d->loop, &d->timer, now + (d->deadline - now) / (nsec_t)left);
            return;
        }
        address_failed(d, -r);
    }
    fail(d);
}

/* --- the beginning -------------------------------------------------------------------------------------- */

static void lookup_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct dial *d = container_of(f, struct dial, fd);
    drop_fd(d, false);
    struct lookup *k = TAKE(d->lookup);
    BUG_ON(!atomic_load(&k->finished));
    if (k->error)
        err_set(&d->err, E_NOT_FOUND, "cannot find the address of \"%s\": %s", d->target->addr.host, gai_strerror(k->error));
    d->next = d->list = TAKE(k->list);
    lookup_unref(k);
    try_next(d);
}

static void look_up(struct dial *d)
{
    if (lookup_start(&d->target->addr, &d->lookup, &d->err) < 0) {
        fail(d);
        return;
    }
    d->fd = (struct loop_fd){.fd = d->lookup->event_fd, .ready = lookup_ready};
    if (loop_fd_add(d->loop, &d->fd, EPOLLIN, &d->err) < 0) {
        d->fd.fd = -1;
        fail(d);
        return;
    }
    loop_timer_set(d->loop, &d->timer, d->deadline);
}

static void start_run(struct loop_defer *s)
{
    struct dial *d = container_of(s, struct dial, start);
    if (d->target->is_unix) {
        int fd = -1;
        err_ignore(net_connect_unix(d->target->unix_path, &fd, &d->err), "fd says it");
        finish(d, fd);
    } else if (resolve(&d->target->addr, AI_NUMERICHOST, &d->list) == 0) {
        d->next = d->list;
        try_next(d);
    } else {
        look_up(d);
    }
}

struct dial *dial_start(struct loop *l, const struct client_target *target, nsec_t timeout_ns, dial_done_fn *done, void *owner)
{
    struct dial *d = xnew(struct dial);
    *d = (struct dial){.loop = l, .target = target, .done = done, .owner = owner, .deadline = loop_now(l) + timeout_ns};
    d->fd.fd = -1;
    d->timer.fire = timer_fire;
    d->start.fn = start_run;
    loop_defer(l, &d->start);
    return d;
}

void dial_cancel(struct dial *d)
{
    dial_free(d);
}
