/* SPDX-License-Identifier: Apache-2.0 */
/* Phases: CONNECT (a socket, or a dial when the host is a name) ─► HANDSHAKE ─► TALK.  finish() ends the try from anywhere but its start, which defers it. */
#include "agent/probes/probe_net.h"

#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "agent/images/images_registry.h"
#include "agent/probes/probe_grpc.h"
#include "client/dial.h"
#include "client/h1_answer.h"

#define BODY_BYTES (10u << 10)
#define READ_BYTES (16u << 10)
#define MESSAGE_BYTES 1000

enum phase { CONNECT, HANDSHAKE, TALK };

struct probe_net {
    struct loop *loop;
    struct tls_client **tls_client;
    const struct probe_handler *h;
    probe_done_fn *done;
    void *arg;
    nsec_t timeout_ns;

    struct arena arena;
    const char *host; /* where it talks to now: a redirect may lead elsewhere */
    uint16_t port;
    const char *path;
    bool tls;
    int hops;

    enum phase phase;
    struct loop_fd fd; /* -1: none */
    struct client_target target;
    struct dial *dial;
    struct tls_session *session;
    struct loop_timer timer;
    struct loop_defer ended; /* a result that is known before start returns */
    bool is_ended, result;
    str message;

    struct strbuf out; /* to send */
    size_t sent;
    struct h1_answer *answer;
    size_t body;
    struct probe_grpc *grpc;
};

static void connect_start(struct probe_net *n);

/* --- the end --------------------------------------------------------------------------------------------- */

static void disconnect(struct probe_net *n)
{
    if (n->dial)
        dial_cancel(TAKE(n->dial));
    tls_session_free(TAKE(n->session));
    if (n->fd.fd >= 0) {
        loop_fd_del(n->loop, &n->fd);
        close(n->fd.fd);
        n->fd.fd = -1;
    }
    client_target_fini(&n->target);
    strbuf_clear(&n->out);
    n->sent = n->body = 0;
}

void probe_net_cancel(struct probe_net *n)
{
    if (!n)
        return;
    disconnect(n);
    loop_timer_stop(n->loop, &n->timer);
    loop_defer_cancel(n->loop, &n->ended);
    probe_grpc_free(n->grpc);
    if (n->answer)
        h1_answer_fini(n->answer);
    free(n->answer);
    strbuf_fini(&n->out);
    arena_fini(&n->arena);
    free(n);
}

static void on_ended(struct loop_defer *d)
{
    struct probe_net *n = container_of(d, struct probe_net, ended);
    char text[MESSAGE_BYTES];
    size_t len = MIN(n->message.len, sizeof text);
    memcpy(text, n->message.p, len);
    str message = str_n(text, len);
    probe_done_fn *done = n->done;
    void *arg = n->arg;
    bool ok = n->result;
    probe_net_cancel(n); /* before: done() may start the next try */
    done(arg, ok, message);
}

/* At the end of this turn, so that nobody's callback runs while we still look at our own state. */
static void finish(struct probe_net *n, bool ok, str message)
{
    if (n->is_ended)
        return;
    n->is_ended = true;
    n->result = ok;
    n->message = message;
    disconnect(n);
    loop_timer_stop(n->loop, &n->timer);
    loop_defer(n->loop, &n->ended);
}

/* --- what went wrong, in Go's words ------------------------------------------------------------------------------ */

static str address(struct probe_net *n)
{
    return probe_handler_address(&n->arena, n->host, n->port);
}

static str url(struct probe_net *n)
{
    return arena_fmt(&n->arena, "%s://" STR_FMT "%s", n->tls ? "https" : "http", STR_ARG(address(n)), n->path);
}

/* "Connection refused" -> "connection refused" */
static str lower_first(struct probe_net *n, const char *text)
{
    str s = arena_str(&n->arena, str_of(text));
    if (s.len)
        ((char *)(uintptr_t)s.p)[0] = (char)tolower((unsigned char)s.p[0]);
    return s;
}

/* why: of the connection; HTTP says besides what was asked for, gRPC whom. */
static void fail_connection(struct probe_net *n, str why)
{
    if (n->h->kind == HANDLER_HTTP)
        why = arena_fmt(&n->arena, "Get \"" STR_FMT "\": " STR_FMT, STR_ARG(url(n)), STR_ARG(why));
    else if (n->h->kind == HANDLER_GRPC)
        why = arena_fmt(&n->arena, "failed to connect service \"" STR_FMT "\": " STR_FMT, STR_ARG(address(n)), STR_ARG(why));
    finish(n, false, why);
}

static void fail_dial(struct probe_net *n, str why)
{
    fail_connection(n, arena_fmt(&n->arena, "dial tcp " STR_FMT ": " STR_FMT, STR_ARG(address(n)), STR_ARG(why)));
}

static void on_timeout(struct loop_timer *t)
{
    struct probe_net *n = container_of(t, struct probe_net, timer);
    if (n->h->kind == HANDLER_GRPC)
        finish(n, false, arena_fmt(&n->arena, "timeout: failed to connect service \"" STR_FMT "\" within %llds: context deadline exceeded", STR_ARG(address(n)), (long long)(n->timeout_ns / NSEC_PER_SEC)));
    else if (n->h->kind == HANDLER_HTTP)
        fail_connection(n, S("context deadline exceeded (Client.Timeout exceeded while awaiting headers)"));
    else
        fail_dial(n, S("i/o timeout"));
}

/* --- HTTP ---------------------------------------------------------------------------------------------------- */

static str given_header(const struct probe_handler *h, str name, bool *ret_given)
{
    *ret_given = false;
    for (size_t i = 0; i < h->nheaders; i++) {
        if (str_ieq(h->headers[i].name, name)) {
            *ret_given = true;
            return h->headers[i].value;
        }
    }
    return S("");
}

static bool is_ours(str name)
{
    return str_ieq(name, S("host")) || str_ieq(name, S("connection")) || str_ieq(name, S("content-length")) || str_ieq(name, S("transfer-encoding"));
}

static void write_request(struct probe_net *n)
{
    bool given;
    str host = given_header(n->h, S("host"), &given);
    strbuf_addf(&n->out, "GET %s HTTP/1.1\r\nHost: " STR_FMT "\r\n", n->path, STR_ARG(host.len ? host : address(n)));
    given_header(n->h, S("user-agent"), &given);
    if (!given)
        strbuf_add_str(&n->out, S("User-Agent: " PROBE_NET_USER_AGENT "\r\n"));
    given_header(n->h, S("accept"), &given);
    if (!given)
        strbuf_add_str(&n->out, S("Accept: */*\r\n"));
    for (size_t i = 0; i < n->h->nheaders; i++) {
        if (!is_ours(n->h->headers[i].name) && n->h->headers[i].value.len)
            strbuf_addf(&n->out, STR_FMT ": " STR_FMT "\r\n", STR_ARG(n->h->headers[i].name), STR_ARG(n->h->headers[i].value));
    }
    strbuf_add_str(&n->out, S("Connection: close\r\n\r\n"));
    if (!n->answer)
        n->answer = xnew(struct h1_answer);
    h1_answer_reset(n->answer, false);
}

/* "/x" or a whole URL.  False: it leads to another host, or is none: the server has answered, and that is all a probe wants to know. */
static bool redirect_to(struct probe_net *n, str location)
{
    str base, path;
    uint64_t port;
    if (str_has_prefix(location, S("/")) && !str_has_prefix(location, S("//")))
        location = arena_fmt(&n->arena, "%s://" STR_FMT STR_FMT, n->tls ? "https" : "http", STR_ARG(address(n)), STR_ARG(location));
    if (!image_registry_url_split(&n->arena, location, &base, &path))
        return false;
    bool tls = str_has_prefix(base, S("https://"));
    str authority = str_from(base, tls ? 8 : 7), host = authority;
    ptrdiff_t colon = str_rfind_char(authority, ':');
    port = tls ? 443 : 80;
    if (colon > str_rfind_char(authority, ']')) {
        host = str_sub(authority, 0, (size_t)colon);
        if (!str_to_u64(str_from(authority, (size_t)colon + 1), &port) || port > 65535)
            return false;
    }
    if (host.len > 2 && host.p[0] == '[')
        host = str_sub(host, 1, host.len - 1);
    if (!str_ieq(host, str_of(n->host)))
        return false;
    n->tls = tls;
    n->port = (uint16_t)port;
    n->path = arena_cstr(&n->arena, path);
    return true;
}

static void take_status(struct probe_net *n)
{
    int status = n->answer->status;
    bool is_redirect = status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
    str location = arena_str(&n->arena, h1_answer_header(n->answer, S("location")));
    if (is_redirect && location.len && redirect_to(n, location)) {
        if (++n->hops > PROBE_NET_HOPS) {
            finish(n, false, arena_fmt(&n->arena, "Get \"" STR_FMT "\": stopped after %d redirects", STR_ARG(url(n)), PROBE_NET_HOPS));
            return;
        }
        disconnect(n);
        connect_start(n);
        return;
    }
    if (status >= 200 && status < 400)
        finish(n, true, S(""));
    else
        finish(n, false, arena_fmt(&n->arena, "HTTP probe failed with statuscode: %d", status));
}

/* The body is read as far as it goes with the first pieces: closing on a server that still writes would fill its log with errors. */
static void take_http(struct probe_net *n, str bytes)
{
    while (bytes.len && !n->is_ended) {
        size_t used = 0;
        str data = STR_NONE;
        enum h1_answer_step step = h1_answer_step(n->answer, bytes, &used, &data);
        bytes = str_from(bytes, used);
        n->body += step == H1_ANSWER_DATA ? data.len : 0;
        if (step == H1_ANSWER_BAD) {
            fail_connection(n, arena_fmt(&n->arena, "malformed HTTP response: %s", n->answer->why));
            return;
        }
        if (step == H1_ANSWER_DONE || n->body >= BODY_BYTES) {
            take_status(n);
            return;
        }
        if (step == H1_ANSWER_MORE)
            return;
    }
}

static void take_http_end(struct probe_net *n)
{
    /* An answer that breaks off after its head has said what is asked for. */
    if (h1_answer_eof(n->answer) == H1_ANSWER_DONE || n->answer->status >= 200)
        take_status(n);
    else
        fail_connection(n, S("EOF"));
}

/* --- gRPC ----------------------------------------------------------------------------------------------------- */

static void grpc_progress(struct probe_net *n)
{
    bool ok;
    str message;
    probe_grpc_send(n->grpc, &n->out);
    if (probe_grpc_is_done(n->grpc, &ok, &message))
        finish(n, ok, arena_str(&n->arena, message));
}

/* --- bytes ------------------------------------------------------------------------------------------------------ */

static enum tls_io io_read(struct probe_net *n, char *buf, size_t len, size_t *ret_n)
{
    if (n->session)
        return tls_read(n->session, buf, len, ret_n);
    ssize_t got = recv(n->fd.fd, buf, len, 0);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? TLS_IO_WANT_READ : TLS_IO_ERROR;
    *ret_n = (size_t)got;
    return got ? TLS_IO_OK : TLS_IO_EOF;
}

static enum tls_io io_write(struct probe_net *n, str bytes, size_t *ret_n)
{
    if (n->session)
        return tls_write(n->session, bytes.p, bytes.len, ret_n);
    ssize_t put = send(n->fd.fd, bytes.p, bytes.len, MSG_NOSIGNAL);
    if (put < 0)
        return errno == EAGAIN || errno == EINTR ? TLS_IO_WANT_WRITE : TLS_IO_ERROR;
    *ret_n = (size_t)put;
    return TLS_IO_OK;
}

static void fail_io(struct probe_net *n, const char *doing)
{
    const char *why = n->session ? tls_last_error(n->session) : strerrordesc_np(errno);
    fail_connection(n, arena_fmt(&n->arena, "%s tcp " STR_FMT ": " STR_FMT, doing, STR_ARG(address(n)), STR_ARG(lower_first(n, why))));
}

static void write_some(struct probe_net *n)
{
    while (n->sent < n->out.len) {
        size_t put = 0;
        enum tls_io io = io_write(n, str_from(strbuf_str(&n->out), n->sent), &put);
        if (io == TLS_IO_OK) {
            n->sent += put;
            continue;
        }
        if (io == TLS_IO_ERROR || io == TLS_IO_EOF)
            fail_io(n, "write");
        return;
    }
    strbuf_clear(&n->out);
    n->sent = 0;
}

static void take_end(struct probe_net *n)
{
    if (n->h->kind == HANDLER_HTTP)
        take_http_end(n);
    else
        fail_connection(n, S("connection closed by the server"));
}

static void read_some(struct probe_net *n)
{
    char buf[READ_BYTES];
    for (int hops = n->hops; !n->is_ended && n->hops == hops;) { /* a redirect has another connection */
        size_t got = 0;
        enum tls_io io = io_read(n, buf, sizeof buf, &got);
        if (io == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
            return;
        if (io == TLS_IO_ERROR) {
            fail_io(n, "read");
            return;
        }
        if (io == TLS_IO_EOF) {
            take_end(n);
            return;
        }
        if (n->h->kind == HANDLER_HTTP) {
            take_http(n, str_n(buf, got));
        } else {
            probe_grpc_recv(n->grpc, str_n(buf, got));
            grpc_progress(n);
        }
    }
}

/* --- connections ------------------------------------------------------------------------------------------------- */

static void talk(struct probe_net *n)
{
    n->phase = TALK;
    if (n->h->kind == HANDLER_TCP) {
        finish(n, true, S(""));
        return;
    }
    if (n->h->kind == HANDLER_HTTP) {
        write_request(n);
    } else {
        n->grpc = probe_grpc_new(address(n), n->h->service);
        grpc_progress(n);
    }
    write_some(n);
    if (!n->is_ended)
        loop_fd_want(n->loop, &n->fd, EPOLLIN | (n->out.len ? EPOLLOUT : 0u));
}

static void handshake(struct probe_net *n)
{
    enum tls_io io = tls_handshake(n->session);
    if (io == TLS_IO_OK)
        talk(n);
    else if (io == TLS_IO_WANT_READ || io == TLS_IO_WANT_WRITE)
        loop_fd_want(n->loop, &n->fd, io == TLS_IO_WANT_READ ? EPOLLIN : EPOLLOUT);
    else
        fail_connection(n, io == TLS_IO_EOF ? S("EOF") : arena_fmt(&n->arena, "tls: %s", tls_last_error(n->session)));
}

static void connected(struct probe_net *n)
{
    struct err err = ERR_NONE;
    if (!n->tls) {
        talk(n);
        return;
    }
    if (!*n->tls_client && tls_client_new(NULL, NULL, NULL, true, n->tls_client, &err) < 0) {
        finish(n, false, arena_str(&n->arena, str_of(err.msg)));
        return;
    }
    n->phase = HANDSHAKE;
    n->session = tls_connect(*n->tls_client, n->fd.fd, n->host, "http/1.1");
    handshake(n);
}

static void on_ready(struct loop_fd *f, uint32_t events)
{
    struct probe_net *n = container_of(f, struct probe_net, fd);
    int error = 0;
    socklen_t len = sizeof error;
    if (n->phase == CONNECT) {
        getsockopt(f->fd, SOL_SOCKET, SO_ERROR, &error, &len);
        if (error)
            fail_dial(n, arena_fmt(&n->arena, "connect: " STR_FMT, STR_ARG(lower_first(n, strerrordesc_np(error)))));
        else if (events & (EPOLLOUT | EPOLLHUP))
            connected(n);
        return;
    }
    if (n->phase == HANDSHAKE) {
        handshake(n);
        return;
    }
    int hops = n->hops;
    write_some(n);
    if (!n->is_ended)
        read_some(n);
    if (!n->is_ended && n->hops == hops) {
        write_some(n); /* what the answer made us say: HTTP/2's own frames */
        if (!n->is_ended)
            loop_fd_want(n->loop, &n->fd, EPOLLIN | (n->out.len ? EPOLLOUT : 0u));
    }
}

static void watch_fd(struct probe_net *n, int fd, uint32_t events)
{
    struct err err = ERR_NONE;
    n->fd = (struct loop_fd){.fd = fd, .ready = on_ready};
    if (loop_fd_add(n->loop, &n->fd, events, &err) < 0) {
        close(fd);
        n->fd.fd = -1;
        finish(n, false, arena_str(&n->arena, str_of(err.msg)));
    }
}

static void on_dialed(void *owner, int fd, const struct err *err)
{
    struct probe_net *n = owner;
    n->dial = NULL;
    if (fd < 0) {
        fail_dial(n, arena_str(&n->arena, str_of(err->msg)));
        return;
    }
    watch_fd(n, fd, EPOLLIN);
    if (!n->is_ended)
        connected(n);
}

/* A name must be looked up, which a thread of its own does. */
static void connect_by_name(struct probe_net *n)
{
    struct err err = ERR_NONE;
    if (client_target_parse(&n->target, arena_fmt(&n->arena, "http://" STR_FMT, STR_ARG(address(n))).p, &err) < 0) {
        fail_dial(n, arena_str(&n->arena, str_of(err.msg)));
        return;
    }
    n->dial = dial_start(n->loop, &n->target, n->timeout_ns ? n->timeout_ns : 30 * NSEC_PER_SEC, on_dialed, n);
}

static void connect_start(struct probe_net *n)
{
    char port[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *list;
    int on = 1;
    n->phase = CONNECT;
    snprintf(port, sizeof port, "%u", n->port);
    if (getaddrinfo(n->host, port, &hints, &list) != 0) {
        connect_by_name(n);
        return;
    }
    int fd = socket(list->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), error = 0;
    if (fd >= 0)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (fd < 0 || (connect(fd, list->ai_addr, list->ai_addrlen) < 0 && errno != EINPROGRESS))
        error = errno;
    freeaddrinfo(list);
    if (!error) {
        watch_fd(n, fd, EPOLLOUT);
        return;
    }
    if (fd >= 0)
        close(fd);
    fail_dial(n, arena_fmt(&n->arena, "connect: " STR_FMT, STR_ARG(lower_first(n, strerrordesc_np(error)))));
}

struct probe_net *probe_net_start(struct loop *l, struct tls_client **tls, const struct probe_handler *h, nsec_t timeout_ns, probe_done_fn *done, void *arg)
{
    struct probe_net *n = xnew(struct probe_net);
    *n = (struct probe_net){.loop = l, .tls_client = tls, .h = h, .done = done, .arg = arg, .timeout_ns = timeout_ns, .arena = ARENA_SMALL(1024), .host = h->host, .port = h->port, .path = h->path,
                            .tls = h->tls, .fd.fd = -1, .timer.fire = on_timeout, .ended.fn = on_ended};
    if (timeout_ns > 0)
        loop_timer_set(l, &n->timer, loop_now(l) + timeout_ns);
    connect_start(n);
    return n;
}
