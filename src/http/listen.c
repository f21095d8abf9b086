/* SPDX-License-Identifier: Apache-2.0 */
/* Listeners live on the first loop.  Accepting costs microseconds and a TLS handshake a millisecond, so one loop accepts and hands each
 * connection to the home that has the fewest: balance is exact, which neither SO_REUSEPORT's hash nor EPOLLEXCLUSIVE's wake-ups give.
 *
 * When descriptors run out, or connections reach their limit, the listener is not polled for a moment; clients wait in the backlog. */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "http/internal.h"
#include "rt/net.h"

#define ACCEPT_PER_TURN 64
#define PAUSE_NS (100 * NSEC_PER_MSEC)
#define WARN_EVERY_NS (10 * NSEC_PER_SEC)

struct http_listener {
    struct loop_fd io;
    struct loop_timer resume;
    struct loop_msg msg;
    struct list link;
    struct http_server *server;
    bool is_unix;
    bool added;
    char *path; /* of a Unix socket */
};

struct hand_over {
    struct loop_msg msg;
    struct http_home *home;
    int fd;
    bool is_unix;
};

static struct loop *first_loop(const struct http_listener *l)
{
    return l->server->homes[0].loop;
}

static void hand_over_run(struct loop_msg *m)
{
    struct hand_over *h = container_of(m, struct hand_over, msg);
    conn_new(h->home, h->fd, h->is_unix);
    free(h);
}

static uint32_t open_in(const struct http_home *h)
{
    return atomic_load_explicit(&h->open, memory_order_relaxed);
}

static void give_to_home(struct http_listener *l, int fd)
{
    struct http_server *s = l->server;
    struct http_home *best = &s->homes[0];
    for (size_t i = 1; i < s->nhomes; i++) {
        if (open_in(&s->homes[i]) < open_in(best))
            best = &s->homes[i];
    }
    atomic_fetch_add_explicit(&best->open, 1, memory_order_relaxed);
    if (best == &s->homes[0]) {
        conn_new(best, fd, l->is_unix);
        return;
    }
    struct hand_over *h = xnew(struct hand_over);
    *h = (struct hand_over){.msg.fn = hand_over_run, .home = best, .fd = fd, .is_unix = l->is_unix};
    loop_post(best->loop, &h->msg);
}

static bool is_full(const struct http_server *s)
{
    uint64_t open = 0;
    for (size_t i = 0; i < s->nhomes; i++)
        open += open_in(&s->homes[i]);
    return open >= s->opts.max_connections;
}

static void warn_full(struct http_server *s, const char *why)
{
    nsec_t now = loop_now(s->homes[0].loop);
    if (s->warned_ns && now - s->warned_ns < WARN_EVERY_NS)
        return;
    s->warned_ns = now;
    log_warn("cannot accept connections", KV("server", "%s", s->name), KV("why", "%s", why));
}

static void pause_for_a_while(struct http_listener *l, const char *why)
{
    warn_full(l->server, why);
    loop_fd_want(first_loop(l), &l->io, 0);
    loop_timer_set(first_loop(l), &l->resume, loop_now(first_loop(l)) + PAUSE_NS);
}

static void resume(struct loop_timer *t)
{
    struct http_listener *l = container_of(t, struct http_listener, resume);
    loop_fd_want(first_loop(l), &l->io, EPOLLIN);
}

/* Out of descriptors: with the spare one a client is turned away at once, which is kinder than silence. */
static void turn_one_away(struct http_listener *l)
{
    struct http_server *s = l->server;
    if (s->spare_fd < 0)
        return;
    close(s->spare_fd);
    int fd = net_accept(l->io.fd);
    if (fd >= 0)
        close(fd);
    s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* Root or the server's own user. */
static bool peer_may(int fd)
{
    struct ucred cred;
    socklen_t len = sizeof cred;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 && (cred.uid == 0 || cred.uid == geteuid());
}

static void set_option(int fd, int level, int option, int value)
{
    err_ignore(setsockopt(fd, level, option, &value, sizeof value), "a connection works without");
}

/* Peers that vanish without a word are found after two minutes, also when only idle watches are open. */
static void keep_alive(int fd)
{
    set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
    set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, 60);
    set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, 15);
    set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, 4);
}

static void ready(struct loop_fd *f, uint32_t events UNUSED)
{
    struct http_listener *l = container_of(f, struct http_listener, io);
    for (int i = 0; i < ACCEPT_PER_TURN; i++) {
        if (is_full(l->server)) {
            pause_for_a_while(l, "the limit of open connections is reached");
            return;
        }
        int fd = net_accept(l->io.fd);
        if (fd == -EMFILE || fd == -ENFILE || fd == -ENOBUFS || fd == -ENOMEM) {
            turn_one_away(l);
            pause_for_a_while(l, strerrordesc_np(-fd));
            return;
        }
        if (fd == -EAGAIN)
            return;
        if (fd < 0)
            continue; /* the client left while it waited */
        if (l->is_unix && !peer_may(fd)) {
            close(fd);
            continue;
        }
        if (!l->is_unix)
            keep_alive(fd);
        give_to_home(l, fd);
    }
}

static void listener_add(struct loop_msg *m)
{
    struct http_listener *l = container_of(m, struct http_listener, msg);
    struct err err;
    if (l->io.fd < 0)
        return;
    if (loop_fd_add(first_loop(l), &l->io, EPOLLIN, &err) < 0) {
        log_error("cannot listen", KV("server", "%s", l->server->name), KV("why", "%s", err.msg));
        return;
    }
    l->added = true;
}

/* The loop may run already, on another thread: it adds the listener itself. */
static void listener_new(struct http_server *s, int fd, const char *unix_path)
{
    struct http_listener *l = xnew(struct http_listener);
    l->server = s;
    l->io = (struct loop_fd){.fd = fd, .ready = ready};
    l->resume.fire = resume;
    l->msg.fn = listener_add;
    l->is_unix = unix_path != NULL;
    l->path = unix_path ? xstrdup(unix_path) : NULL;
    list_add_tail(&s->listeners, &l->link);
    loop_post(first_loop(l), &l->msg);
}

int http_server_listen_tls(struct http_server *s, const char *addr, uint16_t *ret_port, struct err *err)
{
    if (!s->opts.tls)
        return err_set(err, E_INVALID_ARG, "no certificate for a TLS listener");
    int fd, r = net_listen_tcp(addr, &fd, ret_port, err);
    if (r < 0)
        return r;
    listener_new(s, fd, NULL);
    return 0;
}

int http_server_listen_plain(struct http_server *s, const char *addr, uint16_t *ret_port, struct err *err)
{
    if (s->opts.tls)
        return err_set(err, E_INVALID_ARG, "a server with a certificate has no plain listener");
    int fd, r = net_listen_tcp(addr, &fd, ret_port, err);
    if (r < 0)
        return r;
    listener_new(s, fd, NULL);
    return 0;
}

int http_server_listen_unix(struct http_server *s, const char *path, struct err *err)
{
    int fd, r = net_listen_unix(path, 0600, &fd, err);
    if (r < 0)
        return r;
    listener_new(s, fd, path);
    return 0;
}

void http_listeners_stop(struct http_server *s)
{
    list_foreach(l, &s->listeners, struct http_listener, link)
    {
        if (l->io.fd < 0)
            continue;
        if (l->added)
            loop_fd_del(first_loop(l), &l->io);
        loop_timer_stop(first_loop(l), &l->resume);
        close(l->io.fd);
        l->io.fd = -1;
        if (l->path)
            unlink(l->path);
    }
}

void http_listeners_free(struct http_server *s)
{
    list_foreach_safe(l, &s->listeners, struct http_listener, link)
    {
        if (l->io.fd >= 0)
            close(l->io.fd);
        free(l->path);
        free(l);
    }
}
