/* server.h - HTTP/1.1 and HTTP/2 server on TLS and on a Unix socket.
 *
 * A server has one listener or more and a set of loops; a connection stays on the loop that accepted it.  ALPN picks h2 or http/1.1; the
 * handler sees the same request either way.
 *
 *   accept -> TLS handshake -> request head (and whole body) -> handler(req) ... -> http_respond | stream ... -> keep-alive
 *
 * The handler may answer at once or later, on the same loop thread.  A request stays valid until the handler has finished it with exactly
 * one of http_respond, http_stream_end or http_abort, even when the peer goes away first: then req->gone becomes true, req->on_gone runs (if
 * set), writes do nothing, and the handler still finishes the request.
 * Threads: one handler call at a time per loop; loops run in parallel.
 * Ownership: request, headers and body live in req->arena until the request is finished.  http_buf is shared by reference.
 * Limits: base/limits.h (headers, body, streams, connections, unsent bytes); time-outs in struct http_server_opts.  A peer that breaks one
 * gets 400, 408, 413, 414, 431 ... as a Kubernetes Status (bad_request callback), or GOAWAY, and only its connection closes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "rt/loop.h"
#include "rt/tls.h"
#include "wire/http_types.h"

struct http_server;
struct http_conn;

/* Immutable shared bytes; any thread may hold references. */
struct http_buf {
    _Atomic uint32_t refs;
    uint32_t len;
    char data[];
};
struct http_buf *http_buf_new(str bytes) MUST_CHECK;
struct http_buf *http_buf_alloc(size_t len) MUST_CHECK; /* to be filled before it is shared */
struct http_buf *http_buf_ref(struct http_buf *b);
void http_buf_unref(struct http_buf *b); /* NULL is fine */

struct http_request {
    struct arena *arena;
    struct loop *loop;
    str method;  /* "GET" */
    str path;    /* before '?', percent-encoded as received */
    str query;   /* after '?', "" when none */
    str host;
    const struct http_header *headers;
    size_t nheaders;
    str body;
    bool is_http2;
    bool is_unix;          /* came over the Unix socket: the peer is root or the server's user */
    bool gone;             /* the peer closed or reset; set before on_gone */
    const struct tls_peer *peer; /* client certificate that was verified against the CA, or NULL */
    str remote;            /* "127.0.0.1:4242", for logs */
    nsec_t received_ns;    /* monotonic */
    void (*on_gone)(struct http_request *req);
    void (*on_writable)(struct http_request *req); /* stream: unsent bytes fell under the low mark again */
    void *user;            /* the handler's own */
    bool patient;          /* of a stream (log): a peer on HTTP/1.1 that takes nothing is given up after 4 hours, not after write_timeout_ns */
    struct http_conn *conn_;
    void *stream_;
    /* filled by http_respond and the stream calls, for access logs and metrics */
    int status;
    uint64_t sent_bytes;
};
/* For answers that last (watches): gives back the request's head, body and all of its arena, about 8 KB.  After it method, path, query, host,
 * headers and body are empty and whatever the handler put on the arena is gone; peer and remote stay.  The request may go on using the arena. */
void http_request_shrink(struct http_request *req);
str http_header_get(const struct http_request *req, str lower_name); /* "" when absent */
/* First value of a query parameter, percent-decoded on the arena; false when absent. */
bool http_query_get(struct http_request *req, str name, str *ret);
/* The idx-th value of a repeated parameter. */
bool http_query_get_nth(struct http_request *req, str name, size_t idx, str *ret);
/* Percent-decoding; false on a bad escape. */
bool http_unescape(struct arena *a, str s, bool plus_is_space, str *ret);

struct http_response {
    int status;
    str content_type;
    const struct http_header *headers; /* further ones, names in lower case */
    size_t nheaders;
    str body;                  /* copied or sent before return; may live in req->arena */
    struct http_buf **bufs;    /* or: shared buffers sent one after another (references are taken) */
    size_t nbufs;
    bool no_body;              /* HEAD, 304: content-length as given by body.len, no body sent */
    bool close;                /* close the connection after it */
};
void http_respond(struct http_request *req, const struct http_response *res);

/* A streamed answer (watch, log): chunked on HTTP/1.1, DATA frames on HTTP/2.  Small writes of one loop turn leave together. */
void http_stream_start(struct http_request *req, const struct http_response *head);
/* Takes a reference.  False when more than `limit` unsent bytes are waiting: nothing was queued, the caller gives the stream up or waits for on_writable. */
bool http_stream_write(struct http_request *req, struct http_buf *buf, size_t limit) MUST_CHECK;
size_t http_stream_unsent(const struct http_request *req);
void http_stream_end(struct http_request *req);
void http_abort(struct http_request *req); /* reset the stream or close the connection */

/* 101 Switching Protocols on HTTP/1.1: from then on raw bytes both ways through the callbacks. */
struct http_upgrade_ops {
    void (*on_bytes)(struct http_request *req, str bytes);
    void (*on_eof)(struct http_request *req); /* the request must be finished with http_abort, which still sends what was written */
};
/* After http_upgrade, http_upgrade_write and http_stream_write have on_writable as their bell.  An upgraded connection whose peer takes nothing is given up after 4 hours, not after write_timeout_ns. */
int http_upgrade(struct http_request *req, const struct http_header *headers, size_t nheaders, const struct http_upgrade_ops *ops,
                 struct err *err) MUST_CHECK;
bool http_upgrade_write(struct http_request *req, str bytes, size_t limit) MUST_CHECK;
/* Paused: no on_bytes until it is resumed, and the peer's bytes stay in the kernel.  A peer that hangs up meanwhile is told by on_eof at once; what it sent before is dropped. */
void http_upgrade_pause(struct http_request *req, bool paused);

struct http_server_opts {
    const char *name;
    struct loop **loops; /* running or about to */
    size_t nloops;
    struct tls_server *tls;
    void (*handler)(void *arg, struct http_request *req);
    /* Body of the answer to a request that never reached the handler: status 400, 408, 413, 414, 417, 431, 501, 503, 505. */
    str (*bad_request)(void *arg, struct arena *a, int status, const char *why);
    void *arg;
    nsec_t handshake_timeout_ns; /* 0: 10 s */
    nsec_t head_timeout_ns;      /* 0: 15 s for a complete request head */
    nsec_t body_timeout_ns;      /* 0: 60 s */
    nsec_t idle_timeout_ns;      /* 0: 120 s keep-alive without a request */
    nsec_t write_timeout_ns;     /* 0: 60 s without progress on a blocked write */
    uint32_t max_streams;        /* HTTP/2 streams a connection may have open, 0: LIMIT_H2_STREAMS.  An idle stream costs about 1 KB. */
    uint32_t max_connections;    /* 0: LIMIT_CONNECTIONS */
};
int http_server_new(const struct http_server_opts *opts, struct http_server **ret, struct err *err) MUST_CHECK;
/* "127.0.0.1:6443", "[::1]:0", ":6443" (all addresses).  *ret_port: the port in use. */
int http_server_listen_tls(struct http_server *s, const char *addr, uint16_t *ret_port, struct err *err) MUST_CHECK;
/* Plain text on TCP, for a server without a certificate: metrics on a loopback address and the like. */
int http_server_listen_plain(struct http_server *s, const char *addr, uint16_t *ret_port, struct err *err) MUST_CHECK;
/* Plain text; mode 0600, replaces a stale socket. */
int http_server_listen_unix(struct http_server *s, const char *path, struct err *err) MUST_CHECK;
/* Graceful: stop accepting, GOAWAY / connection: close, let running requests finish, then force at the deadline.
 * done() runs on the first loop, at the deadline at the latest. */
void http_server_shutdown(struct http_server *s, nsec_t deadline_ns, void (*done)(void *arg), void *arg);
/* After its loops stopped.  Requests that are not finished yet must not be touched any more. */
void http_server_free(struct http_server *s);

struct http_server_stats {
    uint64_t accepted, open, handshake_failures, requests_h1, requests_h2, bad_requests, timeouts, bytes_in, bytes_out;
};
void http_server_stats(struct http_server *s, struct http_server_stats *ret);
