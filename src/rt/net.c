/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/net.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "rt/file.h"

#define LISTEN_BACKLOG 1024
#define KEEPALIVE_SECONDS 30 /* as Go's dialer, so that a dead server is noticed in minutes */

union sock_addr {
    struct sockaddr sa;
    struct sockaddr_in in;
    struct sockaddr_in6 in6;
    struct sockaddr_un un;
    struct sockaddr_storage storage;
};

static void addrinfo_cleanup(struct addrinfo **ai)
{
    if (*ai)
        freeaddrinfo(*ai);
}

static int fd_take(int *fd)
{
    int taken = *fd;
    *fd = -1;
    return taken;
}

int net_addr_parse(str text, uint16_t default_port, struct net_addr *ret, struct err *err)
{
    str host = text, port = STR_NONE;
    ptrdiff_t colon = str_rfind_char(text, ':');
    if (text.len && text.p[0] == '[') {
        ptrdiff_t end = str_find_char(text, ']');
        if (end < 0 || ((size_t)end + 1 < text.len && text.p[end + 1] != ':'))
            return err_set(err, E_INVALID_ARG, "bad address \"" STR_FMT "\": want [ADDRESS]:PORT", STR_ARG(text));
        host = str_sub(text, 1, (size_t)end);
        port = str_from(text, (size_t)end + 2);
    } else if (colon >= 0 && str_find_char(text, ':') == colon) {
        host = str_sub(text, 0, (size_t)colon);
        port = str_from(text, (size_t)colon + 1);
    } else if (colon >= 0 && !default_port) {
        return err_set(err, E_INVALID_ARG, "bad address \"" STR_FMT "\": an IPv6 address with a port is written [ADDRESS]:PORT", STR_ARG(text));
    }
    uint64_t number = default_port;
    if (port.len ? !str_to_u64(port, &number) || number > UINT16_MAX : !default_port)
        return err_set(err, E_INVALID_ARG, "bad address \"" STR_FMT "\": want HOST:PORT with a port from 0 to 65535", STR_ARG(text));
    if (host.len > NET_HOST_MAX || (host.len && memchr(host.p, 0, host.len)))
        return err_set(err, E_INVALID_ARG, "bad address: the host name is too long");
    *ret = (struct net_addr){.port = (uint16_t)number};
    memcpy(ret->host, host.len ? host.p : "", host.len);
    return 0;
}

/* AI_PASSIVE without a host: every address. */
static int resolve(const struct net_addr *a, int flags, struct addrinfo **ret, struct err *err)
{
    char port[8];
    snprintf(port, sizeof port, "%u", a->port);
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags | AI_NUMERICSERV};
    int r = getaddrinfo(a->host[0] ? a->host : NULL, port, &hints, ret);
    if (r != 0)
        return err_set(err, r == EAI_AGAIN ? E_UNAVAILABLE : E_NOT_FOUND, "cannot find the address of \"%s\": %s", a->host, gai_strerror(r));
    return 0;
}

static void set_option(int fd, int level, int option, int value)
{
    err_ignore(setsockopt(fd, level, option, &value, sizeof value), "they only tune; the socket works without");
}

/* --- listening ------------------------------------------------------------------------------------ */

static int listen_on(const struct sockaddr *sa, socklen_t len, int *ret_fd)
{
    FD_AUTO fd = socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    if (sa->sa_family == AF_INET6)
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    if (bind(fd, sa, len) < 0 || listen(fd, LISTEN_BACKLOG) < 0)
        return -errno;
    *ret_fd = fd_take(&fd);
    return 0;
}

static uint16_t port_of(const union sock_addr *a)
{
    return ntohs(a->sa.sa_family == AF_INET6 ? a->in6.sin6_port : a->in.sin_port);
}

/* ":port" prefers the IPv6 wildcard, which takes IPv4 too; a machine without IPv6 falls back to 0.0.0.0. */
int net_listen_tcp(const char *addr, int *ret_fd, uint16_t *ret_port, struct err *err)
{
    struct net_addr a;
    int r = net_addr_parse(str_of(addr), 0, &a, err);
    if (r < 0)
        return r;
    __attribute__((cleanup(addrinfo_cleanup))) struct addrinfo *list = NULL;
    r = resolve(&a, AI_PASSIVE, &list, err);
    if (r < 0)
        return r;
    FD_AUTO fd = -1;
    r = -EADDRNOTAVAIL;
    for (int pass = 0; pass < 2 && fd < 0; pass++) {
        for (const struct addrinfo *ai = list; ai && fd < 0; ai = ai->ai_next) {
            if (a.host[0] || (ai->ai_family == AF_INET6) == (pass == 0))
                r = listen_on(ai->ai_addr, ai->ai_addrlen, &fd);
        }
    }
    if (fd < 0)
        return err_sys(err, -r, "cannot listen on %s", addr);
    union sock_addr bound = {0};
    socklen_t len = sizeof bound;
    BUG_ON(getsockname(fd, &bound.sa, &len) < 0);
    if (ret_port)
        *ret_port = port_of(&bound);
    *ret_fd = fd_take(&fd);
    return 0;
}

static int unix_addr(const char *path, struct sockaddr_un *ret, struct err *err)
{
    *ret = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof ret->sun_path)
        return err_set(err, E_INVALID_ARG, "socket path \"%s\" is longer than %zu bytes", path, sizeof ret->sun_path - 1);
    memcpy(ret->sun_path, path, strlen(path));
    return 0;
}

/* A socket file outlives its process; only a connect tells whether somebody still listens. */
static int remove_stale_socket(const char *path, struct err *err)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return errno == ENOENT ? 0 : err_sys(err, errno, "cannot look at %s", path);
    if (!S_ISSOCK(st.st_mode))
        return err_set(err, E_EXISTS, "%s exists and is not a socket", path);
    FD_AUTO fd = -1;
    if (net_connect_unix(path, &fd, NULL) == 0)
        return err_set(err, E_EXISTS, "%s is in use by a running process", path);
    if (unlink(path) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot remove the stale socket %s", path);
    return 0;
}

int net_listen_unix(const char *path, unsigned mode, int *ret_fd, struct err *err)
{
    struct sockaddr_un un;
    int r = unix_addr(path, &un, err);
    if (r == 0)
        r = remove_stale_socket(path, err);
    if (r < 0)
        return r;
    FD_AUTO fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    /* Linux gives the file the socket's own mode: set before bind, there is no moment when others may connect. */
    if (fd < 0 || fchmod(fd, mode) < 0 || bind(fd, (struct sockaddr *)&un, sizeof un) < 0 || chmod(path, mode) < 0 ||
        listen(fd, LISTEN_BACKLOG) < 0)
        return err_sys(err, errno, "cannot listen on %s", path);
    *ret_fd = fd_take(&fd);
    return 0;
}

int net_accept(int listen_fd)
{
    union sock_addr peer;
    socklen_t len = sizeof peer;
    int fd = accept4(listen_fd, &peer.sa, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return -errno;
    if (peer.sa.sa_family != AF_UNIX)
        set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    return fd;
}

/* --- connecting ------------------------------------------------------------------------------------- */

bool net_wait(int fd, short events, nsec_t timeout_ns)
{
    nsec_t until = timeout_ns < 0 ? 0 : clock_mono(&clock_real) + timeout_ns;
    for (;;) {
        nsec_t left = timeout_ns < 0 ? -1 : MAX(until - clock_mono(&clock_real), (nsec_t)0);
        nsec_t ms = left < 0 ? -1 : (left + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC;
        int n = poll(&(struct pollfd){.fd = fd, .events = events}, 1, (int)MIN(ms, (nsec_t)INT32_MAX));
        if (n > 0)
            return true;
        if (n == 0)
            return false;
        BUG_ON(errno != EINTR && errno != EAGAIN && errno != ENOMEM);
    }
}

static int connect_one(const struct sockaddr *sa, socklen_t len, nsec_t timeout_ns, int *ret_fd)
{
    FD_AUTO fd = socket(sa->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    if (connect(fd, sa, len) < 0) {
        if (errno != EINPROGRESS)
            return -errno;
        if (!net_wait(fd, POLLOUT, timeout_ns))
            return -ETIMEDOUT;
        int error = 0;
        socklen_t size = sizeof error;
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) < 0 || error)
            return error ? -error : -errno;
    }
    *ret_fd = fd_take(&fd);
    return 0;
}

static void addr_text(const union sock_addr *a, char out[NET_ADDR_TEXT])
{
    char ip[INET6_ADDRSTRLEN] = "";
    if (a->sa.sa_family == AF_UNIX) {
        snprintf(out, NET_ADDR_TEXT, "unix");
    } else if (a->sa.sa_family == AF_INET) {
        inet_ntop(AF_INET, &a->in.sin_addr, ip, sizeof ip);
        snprintf(out, NET_ADDR_TEXT, "%s:%u", ip, port_of(a));
    } else if (a->sa.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&a->in6.sin6_addr)) {
        inet_ntop(AF_INET, &a->in6.sin6_addr.s6_addr[12], ip, sizeof ip);
        snprintf(out, NET_ADDR_TEXT, "%s:%u", ip, port_of(a));
    } else if (a->sa.sa_family == AF_INET6) {
        inet_ntop(AF_INET6, &a->in6.sin6_addr, ip, sizeof ip);
        snprintf(out, NET_ADDR_TEXT, "[%s]:%u", ip, port_of(a));
    } else {
        snprintf(out, NET_ADDR_TEXT, "unknown");
    }
}

int net_connect_tcp(const struct net_addr *addr, nsec_t timeout_ns, int *ret_fd, struct err *err)
{
    __attribute__((cleanup(addrinfo_cleanup))) struct addrinfo *list = NULL;
    int r = resolve(addr, 0, &list, err);
    if (r < 0)
        return r;
    nsec_t until = clock_mono(&clock_real) + timeout_ns;
    char where[NET_ADDR_TEXT] = "";
    for (const struct addrinfo *ai = list; ai; ai = ai->ai_next) {
        union sock_addr a = {0};
        memcpy(&a, ai->ai_addr, MIN((size_t)ai->ai_addrlen, sizeof a));
        addr_text(&a, where);
        r = connect_one(ai->ai_addr, ai->ai_addrlen, MAX(until - clock_mono(&clock_real), (nsec_t)0), ret_fd);
        if (r == 0) {
            set_option(*ret_fd, IPPROTO_TCP, TCP_NODELAY, 1);
            set_option(*ret_fd, SOL_SOCKET, SO_KEEPALIVE, 1);
            set_option(*ret_fd, IPPROTO_TCP, TCP_KEEPIDLE, KEEPALIVE_SECONDS);
            set_option(*ret_fd, IPPROTO_TCP, TCP_KEEPINTVL, KEEPALIVE_SECONDS);
            return 0;
        }
    }
    if (r == -ETIMEDOUT)
        return err_set(err, E_TIMEOUT, "cannot connect to %s: no answer within %lld ms", where, (long long)(timeout_ns / NSEC_PER_MSEC));
    err_sys(err, -r, "cannot connect to %s", where);
    if (err)
        err->code = E_UNAVAILABLE; /* the caller's question is "is the server there?", not which system call failed */
    return -E_UNAVAILABLE;
}

int net_connect_unix(const char *path, int *ret_fd, struct err *err)
{
    struct sockaddr_un un;
    int r = unix_addr(path, &un, err);
    if (r < 0)
        return r;
    FD_AUTO fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&un, sizeof un) < 0) {
        err_sys(err, errno, "cannot connect to %s", path);
        if (err)
            err->code = E_UNAVAILABLE;
        return -E_UNAVAILABLE;
    }
    *ret_fd = fd_take(&fd);
    return 0;
}

/* --- names and limits -------------------------------------------------------------------------------- */

void net_peer_text(int fd, char out[NET_ADDR_TEXT])
{
    union sock_addr a = {0};
    socklen_t len = sizeof a;
    if (getpeername(fd, &a.sa, &len) < 0)
        a.sa.sa_family = AF_UNSPEC;
    addr_text(&a, out);
}

void net_local_text(int fd, char out[NET_ADDR_TEXT])
{
    union sock_addr a = {0};
    socklen_t len = sizeof a;
    if (getsockname(fd, &a.sa, &len) < 0)
        a.sa.sa_family = AF_UNSPEC;
    addr_text(&a, out);
}

size_t net_fd_limit_raise(size_t want)
{
    struct rlimit lim;
    BUG_ON(getrlimit(RLIMIT_NOFILE, &lim) < 0);
    if (lim.rlim_cur < want) {
        struct rlimit more = {MIN((rlim_t)want, lim.rlim_max), lim.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &more) == 0)
            lim = more;
    }
    return (size_t)lim.rlim_cur;
}
