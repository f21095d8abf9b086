/* SPDX-License-Identifier: Apache-2.0 */
/* One thread, one poll(2) over the listener and a few connections.  No loop, no TLS, no allocation a request: a hundred of these beside each other should not be felt. */
#include "agent/web.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/civil.h"
#include "base/limits.h"
#include "base/version.h"
#include "wire/http1.h"

#define HEAD_BYTES 8192
#define DEFAULT_PORT 8080

struct conn {
    int fd; /* -1: free */
    uint64_t used_at; /* counts up; the smallest was silent longest */
    uint64_t body_left; /* of a request, thrown away */
    size_t len;
    char *in; /* HEAD_BYTES */
};

struct web {
    int listen_fd, signal_fd;
    uint64_t requests, clock;
    const char *host, *version;
    struct conn conns[WEB_CONNECTIONS];
};

/* --- answers ---------------------------------------------------------------------------------------------- */

static str header_of(const struct http1_head *h, str name)
{
    for (size_t i = 0; i < h->nheaders; i++) {
        if (str_eq(h->headers[i].name, name))
            return h->headers[i].value;
    }
    return S("");
}

static void add_page(struct strbuf *b, const struct web *w, bool html)
{
    if (!html) {
        strbuf_addf(b, "Hello from %s, version %s, request %llu\n", w->host, w->version, (unsigned long long)w->requests);
        return;
    }
    strbuf_addf(b, "<!doctype html><html lang=en><meta charset=utf-8><title>%s</title><body style=\"font:16px/1.5 sans-serif;margin:4em auto;max-width:40em\"><h1>Hello from %s</h1>"
                   "<p>version %s, request %llu</p></body></html>\n", w->host, w->host, w->version, (unsigned long long)w->requests);
}

static void log_request(const struct http1_head *h, int status, size_t bytes)
{
    struct timespec t;
    char when[CIVIL_TIME_LEN + 1];
    clock_gettime(CLOCK_REALTIME, &t); /* a program of its own: nobody hands it a clock */
    civil_format(t.tv_sec * NSEC_PER_SEC, when);
    printf("%s " STR_FMT " " STR_FMT " %d %zu\n", when, STR_ARG(h->method), STR_ARG(str_sub(h->path, 0, 1024)), status, bytes);
    fflush(stdout);
}

static bool send_all(int fd, str bytes)
{
    while (bytes.len) {
        ssize_t n = send(fd, bytes.p, bytes.len, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (n < 0 && errno == EAGAIN && poll(&p, 1, 1000) == 1)
            continue;
        if (n < 0)
            return false;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

static bool answer(struct web *w, struct conn *c, const struct http1_head *h)
{
    STRBUF_AUTO out = STRBUF_HEAP;
    STRBUF_AUTO body = STRBUF_HEAP;
    bool is_get = str_is(h->method, "GET") || str_is(h->method, "HEAD"), html = str_find(header_of(h, S("accept")), S("text/html")) >= 0;
    int status = 200;
    w->requests++;
    if (!is_get) {
        status = 405;
        strbuf_add_str(&body, S("only GET is answered here\n"));
    } else if (str_is(h->path, "/healthz")) {
        html = false;
        strbuf_add_str(&body, S("ok\n"));
    } else if (str_is(h->path, "/")) {
        add_page(&body, w, html);
    } else {
        status = 404;
        html = false;
        strbuf_add_str(&body, S("there is nothing here\n"));
    }
    str words = http_status_text(status);
    strbuf_addf(&out, "HTTP/1.1 %d " STR_FMT "\r\nContent-Type: text/%s; charset=utf-8\r\nContent-Length: %zu\r\nServer: cox-web/%s\r\n%s\r\n", status, STR_ARG(words), html && status == 200 ? "html" : "plain",
                body.len, w->version, h->keep_alive ? "" : "Connection: close\r\n");
    if (!str_is(h->method, "HEAD"))
        strbuf_add_str(&out, strbuf_str(&body));
    log_request(h, status, body.len);
    return send_all(c->fd, strbuf_str(&out)) && h->keep_alive;
}

/* --- connections -------------------------------------------------------------------------------------------- */

static void drop(struct conn *c)
{
    close(c->fd);
    free(c->in);
    *c = (struct conn){.fd = -1};
}

static void take(struct web *w)
{
    int fd = accept4(w->listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), on = 1;
    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    struct conn *best = &w->conns[0];
    for (size_t i = 0; i < WEB_CONNECTIONS && best->fd >= 0; i++) {
        if (w->conns[i].fd < 0 || w->conns[i].used_at < best->used_at)
            best = &w->conns[i];
    }
    if (best->fd >= 0)
        drop(best);
    *best = (struct conn){.fd = fd, .used_at = ++w->clock, .in = xmalloc(HEAD_BYTES)};
}

/* Answers every request that is complete; false: the connection is over. */
static bool serve(struct web *w, struct conn *c)
{
    struct http_header headers[LIMIT_HEADER_COUNT];
    while (c->len) {
        size_t body = (size_t)MIN((uint64_t)c->len, c->body_left), used = body;
        c->body_left -= body;
        if (!body) {
            struct http1_head h;
            struct http1_error bad;
            struct http1_scan scan = {0};
            enum http1_result r = http1_head_parse(&scan, c->in, c->len, headers, &h, &bad);
            if (r == HTTP1_MORE)
                return c->len < HEAD_BYTES;
            if (r != HTTP1_DONE || h.is_chunked || !answer(w, c, &h))
                return false; /* what is not understood, and bodies of unknown length, end the connection */
            used = h.bytes;
            c->body_left = h.has_content_length ? h.content_length : 0;
        }
        memmove(c->in, c->in + used, c->len - used);
        c->len -= used;
    }
    return true;
}

static void on_readable(struct web *w, struct conn *c)
{
    ssize_t n = recv(c->fd, c->in + c->len, HEAD_BYTES - c->len, 0);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    c->used_at = ++w->clock;
    c->len += n > 0 ? (size_t)n : 0;
    if (n <= 0 || !serve(w, c))
        drop(c);
}

/* --- the program ---------------------------------------------------------------------------------------------- */

static int listen_on(uint16_t port)
{
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), on = 1, off = 0;
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port)};
    if (fd >= 0) {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
        if (bind(fd, (struct sockaddr *)&six, sizeof six) == 0 && listen(fd, 128) == 0)
            return fd;
        close(fd);
    }
    /* A machine without IPv6. */
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
    fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(fd, (struct sockaddr *)&four, sizeof four) == 0 && listen(fd, 128) == 0)
        return fd;
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static void run(struct web *w)
{
    static struct pollfd fds[WEB_CONNECTIONS + 2];
    static struct conn *owners[WEB_CONNECTIONS + 2];
    for (;;) {
        size_t n = 0;
        fds[n++] = (struct pollfd){.fd = w->signal_fd, .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = w->listen_fd, .events = POLLIN};
        for (size_t i = 0; i < WEB_CONNECTIONS; i++) {
            if (w->conns[i].fd < 0)
                continue;
            owners[n] = &w->conns[i];
            fds[n++] = (struct pollfd){.fd = w->conns[i].fd, .events = POLLIN};
        }
        if (poll(fds, n, -1) < 0 && errno != EINTR)
            return;
        for (size_t i = 2; i < n; i++) {
            if (fds[i].revents)
                on_readable(w, owners[i]);
        }
        if (fds[1].revents)
            take(w);
        if (fds[0].revents)
            return;
    }
}

static uint16_t port_of_environment(void)
{
    const char *text = getenv("PORT");
    uint64_t port = DEFAULT_PORT;
    return text && str_to_u64(str_of(text), &port) && port <= 65535 ? (uint16_t)port : DEFAULT_PORT;
}

int web_main(int argc UNUSED, char **argv UNUSED)
{
    static struct web w;
    static char host[256];
    struct sockaddr_in6 where = {0};
    socklen_t len = sizeof where;
    const char *version = getenv("COX_WEB_VERSION"), *name = getenv("HOSTNAME");
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    if (gethostname(host, sizeof host - 1) < 0)
        host[0] = 0;
    w.host = name && name[0] ? name : host;
    w.version = version && version[0] ? version : cox_version();
    for (size_t i = 0; i < WEB_CONNECTIONS; i++)
        w.conns[i].fd = -1;
    w.signal_fd = signalfd(-1, &set, SFD_CLOEXEC);
    w.listen_fd = listen_on(port_of_environment());
    if (w.listen_fd < 0 || w.signal_fd < 0) {
        fprintf(stderr, "cannot listen on port %u: %s\n", port_of_environment(), strerrordesc_np(errno));
        return 1;
    }
    getsockname(w.listen_fd, (struct sockaddr *)&where, &len); /* the port lies at the same place for both families */
    printf("listening on port %u, version %s\n", ntohs(where.sin6_port), w.version);
    fflush(stdout);
    run(&w);
    printf("bye after %llu requests\n", (unsigned long long)w.requests);
    return 0;
}
