/* SPDX-License-Identifier: Apache-2.0 */
#include "http/server.h"

#include <fcntl.h>
#include <unistd.h>

#include "http/internal.h"

/* --- requests: on to the protocol they came with ------------------------------------------------------------------ */

void http_respond(struct http_request *req, const struct http_response *res)
{
    req->conn_->ops->respond(req, res);
}
void http_stream_start(struct http_request *req, const struct http_response *head)
{
    req->conn_->ops->stream_start(req, head);
}
bool http_stream_write(struct http_request *req, struct http_buf *buf, size_t limit)
{
    return req->conn_->ops->stream_write(req, buf, limit);
}
size_t http_stream_unsent(const struct http_request *req)
{
    return req->conn_->ops->stream_unsent(req);
}
void http_stream_end(struct http_request *req)
{
    req->conn_->ops->stream_end(req);
}
void http_abort(struct http_request *req)
{
    req->conn_->ops->abort(req);
}
void http_request_shrink(struct http_request *req)
{
    req->conn_->ops->shrink(req);
}

int http_upgrade(struct http_request *req, const struct http_header *headers, size_t nheaders, const struct http_upgrade_ops *ops, struct err *err)
{
    if (req->is_http2)
        return err_set(err, E_INVALID_ARG, "HTTP/2 has no upgrade");
    return conn_h1_upgrade(req, headers, nheaders, ops, err);
}
bool http_upgrade_write(struct http_request *req, str bytes, size_t limit)
{
    return conn_h1_upgrade_write(req, bytes, limit);
}
void http_upgrade_pause(struct http_request *req, bool paused)
{
    conn_h1_upgrade_pause(req, paused);
}

/* --- the server --------------------------------------------------------------------------------------------------------- */

static void default_ns(nsec_t *ns, nsec_t seconds)
{
    if (!*ns)
        *ns = seconds * NSEC_PER_SEC;
}

static void run_done(struct loop_msg *m)
{
    struct http_server *s = container_of(m, struct http_server, done_msg);
    if (s->done)
        s->done(s->done_arg);
}

int http_server_new(const struct http_server_opts *opts, struct http_server **ret, struct err *err)
{
    if (!opts->nloops || !opts->handler)
        return err_set(err, E_INVALID_ARG, "an HTTP server needs a loop and a handler");
    struct http_server *s = xnew(struct http_server);
    s->opts = *opts;
    default_ns(&s->opts.handshake_timeout_ns, 10);
    default_ns(&s->opts.head_timeout_ns, 15);
    default_ns(&s->opts.body_timeout_ns, 60);
    default_ns(&s->opts.idle_timeout_ns, 120);
    default_ns(&s->opts.write_timeout_ns, 60);
    if (!s->opts.max_connections)
        s->opts.max_connections = LIMIT_CONNECTIONS;
    snprintf(s->name, sizeof s->name, "%s", opts->name ? opts->name : "http");
    list_init(&s->listeners);
    s->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    s->nhomes = opts->nloops;
    s->homes = xarray(s->nhomes, struct http_home);
    s->done_msg.fn = run_done;
    for (size_t i = 0; i < s->nhomes; i++)
        http_home_init(&s->homes[i], s, opts->loops[i]);
    *ret = s;
    return 0;
}

void http_server_free(struct http_server *s)
{
    if (!s)
        return;
    http_listeners_free(s);
    for (size_t i = 0; i < s->nhomes; i++)
        http_home_fini(&s->homes[i]);
    if (s->spare_fd >= 0)
        close(s->spare_fd);
    free(s->homes);
    free(s);
}

static void drain(struct loop_msg *m)
{
    struct http_home *h = container_of(m, struct http_home, msg);
    if (h == h->server->homes)
        http_listeners_stop(h->server);
    h->draining = true;
    loop_timer_set(h->loop, &h->deadline, h->deadline_ns);
    list_foreach_safe(c, &h->conns, struct http_conn, link)
    {
        if (c->phase == CONN_HANDSHAKE)
            conn_gone(c);
        else if (c->phase == CONN_OPEN)
            c->ops->drain(c);
    }
    http_home_drain_check(h);
}

void http_server_shutdown(struct http_server *s, nsec_t deadline_ns, void (*done)(void *arg), void *arg)
{
    s->done = done;
    s->done_arg = arg;
    atomic_store(&s->homes_left, s->nhomes);
    for (size_t i = 0; i < s->nhomes; i++) {
        s->homes[i].deadline_ns = deadline_ns;
        s->homes[i].msg.fn = drain;
        loop_post(s->homes[i].loop, &s->homes[i].msg);
    }
}

static uint64_t peek(_Atomic uint64_t *c)
{
    return atomic_load_explicit(c, memory_order_relaxed);
}

void http_server_stats(struct http_server *s, struct http_server_stats *ret)
{
    *ret = (struct http_server_stats){0};
    for (size_t i = 0; i < s->nhomes; i++) {
        struct http_counters *c = &s->homes[i].counters;
        ret->accepted += peek(&c->accepted);
        ret->open += atomic_load_explicit(&s->homes[i].open, memory_order_relaxed);
        ret->handshake_failures += peek(&c->handshake_failures);
        ret->requests_h1 += peek(&c->requests_h1);
        ret->requests_h2 += peek(&c->requests_h2);
        ret->bad_requests += peek(&c->bad_requests);
        ret->timeouts += peek(&c->timeouts);
        ret->bytes_in += peek(&c->bytes_in);
        ret->bytes_out += peek(&c->bytes_out);
    }
}
