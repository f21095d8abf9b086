/* SPDX-License-Identifier: Apache-2.0 */
#include "client/client_conn.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* --- where to ------------------------------------------------------------------------------------- */

static const struct scheme {
    str prefix;
    uint16_t port;
    bool tls, is_unix;
} schemes[] = {
    {STR_INIT("https://"), 443, true, false},
    {STR_INIT("http://"), 80, false, false},
    {STR_INIT("unix:"), 0, false, true},
};

static int target_parse_host(struct client_target *t, const struct scheme *scheme, const char *url, struct err *err)
{
    str rest = str_from(str_of(url), scheme->prefix.len);
    ptrdiff_t slash = str_find_char(rest, '/');
    str authority = slash < 0 ? rest : str_sub(rest, 0, (size_t)slash);
    str path = slash < 0 ? S("") : str_from(rest, (size_t)slash);
    while (path.len && path.p[path.len - 1] == '/')
        path.len--;
    if (!authority.len || str_find_char(rest, '@') >= 0 || str_find_char(path, '?') >= 0 || str_find_char(path, ' ') >= 0)
        return err_set(err, E_INVALID_ARG, "bad server URL \"%s\": want https://HOST[:PORT][/PATH]", url);
    int r = net_addr_parse(authority, scheme->port, &t->addr, err);
    if (r < 0)
        return err_wrap(err, "bad server URL \"%s\": ", url);
    t->prefix = str_dup(path);
    t->server_name = xstrdup(t->addr.host);
    t->text = str_dup(authority);
    return 0;
}

int client_target_parse(struct client_target *t, const char *url, struct err *err)
{
    *t = (struct client_target){0};
    for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
        if (!str_has_prefix(str_of(url), schemes[i].prefix))
            continue;
        t->is_tls = schemes[i].tls;
        t->is_unix = schemes[i].is_unix;
        if (!t->is_unix)
            return target_parse_host(t, &schemes[i], url, err);
        str path = str_from(str_of(url), schemes[i].prefix.len);
        while (str_has_prefix(path, S("//"))) /* unix:///path too */
            path = str_from(path, 1);
        t->unix_path = str_dup(path);
        t->text = str_dup(path);
        t->prefix = xstrdup("");
        return 0;
    }
    return err_set(err, E_INVALID_ARG, "bad server URL \"%s\": want https://HOST[:PORT][/PATH]", url);
}

void client_target_fini(struct client_target *t)
{
    free(t->unix_path);
    free(t->prefix);
    free(t->text);
    free(t->server_name);
    tls_client_free(t->tls);
    *t = (struct client_target){0};
}

/* --- bytes ------------------------------------------------------------------------------------------ */

static int timed_out(const struct client_conn *c, nsec_t timeout_ns, struct err *err)
{
    return err_set(err, E_TIMEOUT, "no answer from %s within %lld ms", c->target->text, (long long)(timeout_ns / NSEC_PER_MSEC));
}

static int wait_for(struct client_conn *c, enum tls_io io, nsec_t timeout_ns, struct err *err)
{
    return net_wait(c->fd, io == TLS_IO_WANT_WRITE ? POLLOUT : POLLIN, timeout_ns) ? 0 : timed_out(c, timeout_ns, err);
}

/* One step on TLS or on the bare socket, in the words of tls.h. */
static enum tls_io plain_io(ssize_t n, enum tls_io would_block, size_t *ret_n)
{
    if (n < 0)
        return errno == EAGAIN || errno == EINTR ? would_block : TLS_IO_ERROR;
    *ret_n = (size_t)n;
    return n == 0 ? TLS_IO_EOF : TLS_IO_OK;
}
static enum tls_io step_read(struct client_conn *c, char *buf, size_t len, size_t *ret_n)
{
    return c->tls ? tls_read(c->tls, buf, len, ret_n) : plain_io(recv(c->fd, buf, len, 0), TLS_IO_WANT_READ, ret_n);
}
static enum tls_io step_write(struct client_conn *c, str bytes, size_t *ret_n)
{
    return c->tls ? tls_write(c->tls, bytes.p, bytes.len, ret_n)
                  : plain_io(send(c->fd, bytes.p, bytes.len, MSG_NOSIGNAL), TLS_IO_WANT_WRITE, ret_n);
}

static int io_failed(struct client_conn *c, const char *doing, struct err *err)
{
    return err_set(err, E_UNAVAILABLE, "the connection to %s broke while %s: %s", c->target->text, doing,
                   c->tls ? tls_last_error(c->tls) : strerrordesc_np(errno));
}

int client_conn_write(struct client_conn *c, str bytes, nsec_t timeout_ns, struct err *err)
{
    while (bytes.len) {
        size_t n = 0;
        enum tls_io io = step_write(c, bytes, &n);
        if (io == TLS_IO_OK) {
            bytes = str_from(bytes, n);
            continue;
        }
        if (io == TLS_IO_ERROR || io == TLS_IO_EOF)
            return io_failed(c, "sending", err);
        int r = wait_for(c, io, timeout_ns, err);
        if (r < 0)
            return r;
    }
    return 0;
}

int client_conn_read(struct client_conn *c, char *buf, size_t len, nsec_t timeout_ns, size_t *ret_n, struct err *err)
{
    for (;;) {
        size_t n = 0;
        enum tls_io io = step_read(c, buf, len, &n);
        if (io == TLS_IO_OK || io == TLS_IO_EOF) {
            *ret_n = io == TLS_IO_EOF ? 0 : n;
            return 0;
        }
        if (io == TLS_IO_ERROR)
            return io_failed(c, "waiting for the answer", err);
        int r = wait_for(c, io, timeout_ns, err);
        if (r < 0)
            return r;
    }
}

/* --- opening ------------------------------------------------------------------------------------------ */

static int shake_hands(struct client_conn *c, nsec_t timeout_ns, struct err *err)
{
    c->tls = tls_connect(c->target->tls, c->fd, c->target->server_name, "http/1.1");
    for (;;) {
        enum tls_io io = tls_handshake(c->tls);
        if (io == TLS_IO_OK)
            return 0;
        if (io == TLS_IO_EOF)
            return err_set(err, E_UNAVAILABLE, "%s closed the connection during the TLS handshake", c->target->text);
        if (io == TLS_IO_ERROR)
            return err_set(err, E_UNAVAILABLE, "cannot make a secure connection to %s: %s", c->target->text, tls_last_error(c->tls));
        int r = wait_for(c, io, timeout_ns, err);
        if (r < 0)
            return r;
    }
}

int client_conn_open(struct client_conn *c, const struct client_target *t, nsec_t timeout_ns, struct err *err)
{
    *c = CLIENT_CONN_CLOSED;
    c->target = t;
    int r = t->is_unix ? net_connect_unix(t->unix_path, &c->fd, err) : net_connect_tcp(&t->addr, timeout_ns, &c->fd, err);
    if (r < 0) {
        if (err && r == -E_UNAVAILABLE) {
            size_t used = strlen(err->msg);
            snprintf(err->msg + used, sizeof err->msg - used, "; is the server running?");
        }
        return r;
    }
    r = t->is_tls ? shake_hands(c, timeout_ns, err) : 0;
    if (r < 0)
        client_conn_close(c);
    return r;
}

void client_conn_close(struct client_conn *c)
{
    if (c->fd < 0)
        return;
    if (c->tls)
        tls_shutdown(c->tls);
    tls_session_free(c->tls);
    close(c->fd);
    *c = CLIENT_CONN_CLOSED;
}

bool client_conn_is_stale(struct client_conn *c)
{
    return (c->tls && tls_has_pending(c->tls)) || net_wait(c->fd, POLLIN, 0);
}
