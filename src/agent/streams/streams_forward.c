/* SPDX-License-Identifier: Apache-2.0 */
/* POST or GET /portForward: many connections to ports of one pod over one connection of a client.
 *
 *   error and data stream of one request ─► the pod's network namespace from the runtime, a socket made inside (pool) ─► connect 127.0.0.1, then ::1 ─► bytes both ways
 *
 * Only making the socket needs the namespace: it stays there, wherever its owner is, so connecting is the loop's work again.
 * SPDY as Kubernetes speaks it has no flow control: when a port does not read, its buffer fills, then the whole connection is paused. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/streams/streams_internal.h"

#define OUT_BYTES (128u << 10) /* for a port that does not read, before everything waits */
#define CONNECT_NS (30 * NSEC_PER_SEC)
#define READS_A_TURN 4
/* How long a client may go on sending after the port has ended.  It must be told of the end: kubectl up to 1.32 closes its side only when its error stream has ended. */
#define LINGER_NS NSEC_PER_SEC

struct forward;

/* One connection to a port. */
struct link {
    struct forward *forward;
    struct list node;
    struct channel *data, *error; /* NULL: not opened yet, or let go */
    char request[40];
    uint16_t port;
    struct work_item work;
    bool working, connecting, connected, dead;
    bool peer_eof;       /* the client sends no more */
    bool sock_eof, shut;
    int made[2], error_nr; /* sockets: IPv4, IPv6 */
    struct err err;      /* the runtime's: no namespace */
    int family;          /* 0, 1: which of them is tried */
    struct loop_fd io;   /* -1: none */
    struct strbuf out;   /* to the port */
    size_t out_at;
    char *piece;         /* from it, refused by the client's connection */
    size_t piece_len;
    struct loop_timer timer; /* connecting takes too long; the port has ended and the client has not */
};

struct forward {
    struct stream_session base;
    struct loop *loop;
    struct channels *conn; /* NULL: gone */
    struct runtime *runtime;
    char *pod, *uid;
    bool is_numbered;      /* the old websocket protocol */
    struct list links;
    size_t nlinks, full;   /* links whose buffer is full */
    nsec_t active;
    struct loop_timer timer;
};

/* --- the end ------------------------------------------------------------------------------------------------------------ */

static void forward_check(struct forward *f)
{
    if (f->conn && !f->nlinks && f->is_numbered) /* its ports were named at the start, and all have ended */
        channels_finish(TAKE(f->conn));
    if (f->conn || f->nlinks)
        return;
    loop_timer_stop(f->loop, &f->timer);
    streams_session_del(&f->base);
    free(f->pod);
    free(f->uid);
    free(f);
}

static bool is_full(const struct link *l)
{
    return l->out.len - l->out_at > OUT_BYTES;
}

static void out_clear(struct link *l)
{
    bool was_full = is_full(l);
    struct forward *f = l->forward;
    strbuf_clear(&l->out);
    l->out_at = 0;
    if (was_full && --f->full == 0 && f->conn)
        channels_pause(f->conn, false);
}

static void link_free(struct link *l)
{
    struct forward *f = l->forward;
    list_del(&l->node);
    f->nlinks--;
    strbuf_fini(&l->out);
    free(l->piece);
    free(l);
    forward_check(f);
}

/* why NULL: it went as it should. */
static void link_end(struct link *l, const char *why)
{
    struct forward *f = l->forward;
    if (l->dead)
        return;
    l->dead = true;
    loop_timer_stop(f->loop, &l->timer);
    if (l->io.fd >= 0) {
        loop_fd_del(f->loop, &l->io);
        close(l->io.fd);
        l->io.fd = -1;
    }
    for (int i = 0; i < 2 && !l->working; i++) {
        if (l->made[i] >= 0)
            close(l->made[i]);
        l->made[i] = -1;
    }
    out_clear(l);
    if (f->conn) {
        if (why && l->error) {
            char text[256];
            int n = snprintf(text, sizeof text, "error forwarding port %u to pod %s: %s", l->port, f->pod, why);
            channel_write_last(l->error, str_n(text, (size_t)MIN(n, (int)sizeof text - 1)));
        }
        struct channel *both[] = {l->error, l->data}; /* the error first: a client may forget the connection when its data ends */
        for (size_t i = 0; i < 2; i++) {
            if (!both[i])
                continue;
            channel_close(both[i]);
            if (f->is_numbered)
                both[i]->user = NULL;
            else
                channel_release(both[i]);
        }
    }
    l->data = l->error = NULL;
    if (!l->working)
        link_free(l);
}

/* --- bytes ------------------------------------------------------------------------------------------------------------------ */

static void io_want(struct link *l)
{
    uint32_t events = 0;
    if (l->connecting || l->out_at < l->out.len)
        events |= EPOLLOUT;
    if (l->connected && !l->sock_eof && !l->piece_len)
        events |= EPOLLIN;
    loop_fd_want(l->forward->loop, &l->io, events);
}

/* Both directions are over. */
static bool end_if_done(struct link *l)
{
    bool sent = l->peer_eof && l->out_at == l->out.len;
    if (sent && !l->shut && l->connected) {
        l->shut = true;
        shutdown(l->io.fd, SHUT_WR);
    }
    if (!sent || !l->sock_eof)
        return false;
    link_end(l, NULL);
    return true;
}

static bool read_once(struct link *l)
{
    if (!l->piece)
        l->piece = xmalloc(CHANNELS_WRITE_MAX);
    ssize_t n = recv(l->io.fd, l->piece, CHANNELS_WRITE_MAX, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n < 0) {
        link_end(l, NULL); /* reset by the port: as real connections go */
        return false;
    }
    l->forward->active = loop_now(l->forward->loop);
    if (n == 0) {
        l->sock_eof = true;
        if (l->forward->is_numbered) { /* no way to say that one direction is over */
            link_end(l, NULL);
            return false;
        }
        channel_close(l->data);
        if (!end_if_done(l)) {
            io_want(l);
            loop_timer_set(l->forward->loop, &l->timer, loop_now(l->forward->loop) + LINGER_NS);
        }
        return false;
    }
    if (channel_write(l->data, str_n(l->piece, (size_t)n)))
        return true;
    l->piece_len = (size_t)n;
    io_want(l);
    return false;
}

/* False: the link has ended and is gone. */
static bool link_write(struct link *l)
{
    while (l->out_at < l->out.len) {
        ssize_t n = send(l->io.fd, l->out.p + l->out_at, l->out.len - l->out_at, MSG_NOSIGNAL);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
            io_want(l);
            return true;
        }
        if (n < 0) {
            link_end(l, NULL);
            return false;
        }
        bool was_full = is_full(l);
        l->out_at += (size_t)n;
        if (was_full && !is_full(l) && --l->forward->full == 0)
            channels_pause(l->forward->conn, false);
    }
    out_clear(l);
    if (end_if_done(l))
        return false;
    io_want(l);
    return true;
}

/* --- connecting ---------------------------------------------------------------------------------------------------------------- */

static void try_family(struct link *l);

static void connect_failed(struct link *l, int error)
{
    struct forward *f = l->forward;
    loop_fd_del(f->loop, &l->io);
    close(l->io.fd);
    l->io.fd = -1;
    l->error_nr = error;
    l->family++;
    try_family(l);
}

static void io_ready(struct loop_fd *io, uint32_t events)
{
    struct link *l = container_of(io, struct link, io);
    if (l->connecting) {
        int error = 0;
        socklen_t len = sizeof error;
        getsockopt(io->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        if (!error && !(events & EPOLLOUT))
            return;
        if (error) {
            connect_failed(l, error);
            return;
        }
        l->connecting = false;
        l->connected = true;
        loop_timer_stop(l->forward->loop, &l->timer);
        link_write(l);
        return;
    }
    if ((events & EPOLLOUT) && l->out_at < l->out.len && !link_write(l))
        return;
    if (l->piece_len || l->sock_eof) {
        if (events & (EPOLLERR | EPOLLHUP)) /* comes whatever is wanted: the other side is gone for good */
            link_end(l, NULL);
        return;
    }
    for (int i = 0; i < READS_A_TURN && (events & (EPOLLIN | EPOLLERR | EPOLLHUP)) && read_once(l); i++)
        ;
}

static void try_family(struct link *l)
{
    struct forward *f = l->forward;
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(l->port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(l->port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    for (; l->family < 2; l->family++) {
        int fd = l->made[l->family];
        l->made[l->family] = -1;
        if (fd < 0)
            continue;
        const struct sockaddr *to = l->family ? (const struct sockaddr *)&v6 : (const struct sockaddr *)&v4;
        struct err err;
        l->io = (struct loop_fd){.fd = fd, .ready = io_ready};
        if ((connect(fd, to, l->family ? sizeof v6 : sizeof v4) < 0 && errno != EINPROGRESS) || loop_fd_add(f->loop, &l->io, EPOLLOUT, &err) < 0) {
            if (!l->error_nr || l->family == 0)
                l->error_nr = errno;
            close(fd);
            l->io.fd = -1;
            continue;
        }
        l->connecting = true;
        loop_timer_set(f->loop, &l->timer, loop_now(f->loop) + CONNECT_NS);
        return;
    }
    link_end(l, strerrordesc_np(l->error_nr ? l->error_nr : ECONNREFUSED));
}

static void link_late(struct loop_timer *t)
{
    struct link *l = container_of(t, struct link, timer);
    link_end(l, l->connected ? NULL : "it did not answer in time");
}

static int sockets_make(struct link *l)
{
    static const int families[] = {AF_INET, AF_INET6};
    for (int i = 0; i < 2; i++)
        l->made[i] = socket(families[i], SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return l->made[0] < 0 && l->made[1] < 0 ? errno : 0;
}

/* On a pool thread.  The thread must come back: the next item it runs is somebody else's. */
static void work_run(struct work_item *w)
{
    struct link *l = container_of(w, struct link, work);
    struct runtime *r = l->forward->runtime;
    ARENA_AUTO a = ARENA_INIT;
    const char *netns = NULL;
    if (r->ops->netns(r, str_of(l->forward->uid), &a, &netns, &l->err) < 0)
        return;
    if (!netns) {
        l->error_nr = sockets_make(l);
        return;
    }
    int there = open(netns, O_RDONLY | O_CLOEXEC), here = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
    if (there < 0 || here < 0 || setns(there, CLONE_NEWNET) < 0) {
        l->error_nr = errno;
    } else {
        l->error_nr = sockets_make(l);
        BUG_ON(setns(here, CLONE_NEWNET) < 0);
    }
    if (there >= 0)
        close(there);
    if (here >= 0)
        close(here);
}

static void work_done(struct work_item *w)
{
    struct link *l = container_of(w, struct link, work);
    l->working = false;
    if (l->dead) {
        for (int i = 0; i < 2; i++)
            if (l->made[i] >= 0)
                close(l->made[i]);
        link_free(l);
    } else if (l->err.code || l->error_nr) {
        link_end(l, l->err.code ? l->err.msg : strerrordesc_np(l->error_nr));
    } else {
        try_family(l);
    }
}

/* --- the client's streams ------------------------------------------------------------------------------------------------------- */

static struct link *link_new(struct forward *f, uint16_t port, const char *request)
{
    struct link *l = xnew(struct link);
    l->forward = f;
    l->port = port;
    l->io.fd = l->made[0] = l->made[1] = -1;
    snprintf(l->request, sizeof l->request, "%s", request);
    l->work = (struct work_item){.loop = f->loop, .run = work_run, .done = work_done};
    l->timer.fire = link_late;
    list_add_tail(&f->links, &l->node);
    f->nlinks++;
    return l;
}

static void link_begin(struct link *l)
{
    l->working = true;
    work_submit(l->forward->base.streams->o.pool, &l->work);
}

/* Old clients name no request: the data stream is then the one opened right after its error stream. */
static struct link *link_find(struct forward *f, const struct channel *ch)
{
    list_foreach(l, &f->links, struct link, node)
    {
        const struct channel *other = ch->type == CHANNEL_DATA ? l->error : l->data;
        bool waits = !l->dead && (ch->type == CHANNEL_DATA ? !l->data : !l->error) && other;
        if (waits && l->port == ch->port && strcmp(l->request, ch->request) == 0 && (ch->request[0] || other->id + 2 == ch->id))
            return l;
    }
    return NULL;
}

static void on_opened(void *owner, struct channel *ch)
{
    struct forward *f = owner;
    if ((ch->type != CHANNEL_DATA && ch->type != CHANNEL_ERROR) || !ch->port) {
        channel_release(ch);
        return;
    }
    struct link *l = link_find(f, ch);
    if (!l)
        l = link_new(f, ch->port, ch->request);
    ch->user = l;
    if (ch->type == CHANNEL_DATA)
        l->data = ch;
    else
        l->error = ch;
    if (l->data && l->error)
        link_begin(l);
}

static void on_data(void *owner, struct channel *ch, str bytes)
{
    struct forward *f = owner;
    struct link *l = ch->user;
    f->active = loop_now(f->loop);
    if (!l || l->dead || ch != l->data)
        return;
    bool was_full = is_full(l), was_empty = l->out_at == l->out.len;
    if (l->out_at > OUT_BYTES) { /* a port that reads slowly but always would let the part behind it grow */
        strbuf_splice(&l->out, 0, l->out_at, S(""));
        l->out_at = 0;
    }
    strbuf_add_str(&l->out, bytes);
    if (!was_full && is_full(l) && f->full++ == 0)
        channels_pause(f->conn, true);
    if (was_empty && l->connected)
        link_write(l);
}

static void on_eof(void *owner UNUSED, struct channel *ch)
{
    struct link *l = ch->user;
    if (!l || l->dead)
        return;
    if (ch->closed && ch == l->data) { /* reset */
        link_end(l, NULL);
    } else if (ch == l->data) {
        l->peer_eof = true;
        if (l->connected)
            end_if_done(l);
    }
}

static void on_writable(void *owner)
{
    struct forward *f = owner;
    list_foreach_safe(l, &f->links, struct link, node)
    {
        if (!l->piece_len || l->dead || !channel_write(l->data, str_n(l->piece, l->piece_len)))
            continue;
        l->piece_len = 0;
        io_want(l);
    }
}

static void forward_end(struct forward *f)
{
    f->nlinks++; /* holds it while its links go */
    list_foreach_safe(l, &f->links, struct link, node)
    {
        link_end(l, NULL);
    }
    f->nlinks--;
    forward_check(f);
}

static void on_gone(void *owner)
{
    struct forward *f = owner;
    f->conn = NULL;
    forward_end(f);
}

static const struct channels_ops ops = {on_opened, on_data, on_eof, on_writable, on_gone};

static void stop(struct forward *f)
{
    if (f->conn)
        channels_finish(TAKE(f->conn));
    forward_end(f);
}

static void on_stop(struct stream_session *s)
{
    stop(container_of(s, struct forward, base));
}

static void timer_fire(struct loop_timer *t)
{
    struct forward *f = container_of(t, struct forward, timer);
    nsec_t idle = loop_now(f->loop) - f->active;
    if (idle < STREAMS_IDLE_NS)
        loop_timer_set(f->loop, t, f->active + STREAMS_IDLE_NS);
    else
        stop(f);
}

/* The old websocket protocol: ports come with the request, each has two channels, and each channel begins with its port's number. */
static int add_ports(struct forward *f, struct http_request *req, struct err *err)
{
    str list;
    uint32_t number = 0;
    for (size_t i = 0; http_query_get_nth(req, S("port"), i, &list); i++) {
        str one;
        while (list.len) {
            uint64_t port;
            str_cut(&list, ',', &one);
            if (!str_to_u64(one, &port) || !port || port > 65535 || number >= 2 * 64)
                return err_set(err, E_INVALID_ARG, "unable to parse \"" STR_FMT "\" as a port", STR_ARG(one));
            struct link *l = link_new(f, (uint16_t)port, "");
            l->data = channels_add(f->conn, number++, CHANNEL_DATA);
            l->error = channels_add(f->conn, number++, CHANNEL_ERROR);
            l->data->user = l->error->user = l;
            char head[2] = {(char)(port & 0xff), (char)(port >> 8)};
            err_ignore(channel_write(l->data, str_n(head, 2)), "the first writes of a connection fit");
            err_ignore(channel_write(l->error, str_n(head, 2)), "the first writes of a connection fit");
            link_begin(l);
        }
    }
    return number ? 0 : err_set(err, E_INVALID_ARG, "query parameter \"port\" is required");
}

void streams_serve_forward(struct streams *s, struct http_request *req, const struct stream_path *p)
{
    struct err err = ERR_NONE;
    struct stream_target t = {0};
    struct forward *f = xnew(struct forward);
    f->loop = s->o.loop;
    f->active = loop_now(f->loop);
    list_init(&f->links);
    f->timer.fire = timer_fire;
    if (!streams_session_add(s, &f->base, req, on_stop)) {
        free(f);
        return;
    }
    int r = s->o.find(s->o.arg, p->ns, p->pod, S("*"), req->arena, &t, &err);
    f->runtime = t.runtime;
    f->uid = str_dup(t.pod_uid);
    f->pod = str_dup(p->pod);
    if (r == 0)
        r = channels_accept(req, CHANNELS_FORWARD, &ops, f, &f->conn, &err);
    if (r < 0) {
        forward_check(f);
        streams_answer_err(req, &err);
        return;
    }
    loop_timer_set(f->loop, &f->timer, f->active + STREAMS_IDLE_NS);
    f->is_numbered = channels_is_websocket(f->conn);
    if (f->is_numbered && add_ports(f, req, &err) < 0)
        stop(f);
}
