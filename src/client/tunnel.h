/* tunnel.h - one HTTP/1.1 request on a connection of its own, whose answer is a stream of bytes or an upgrade; with back-pressure both ways.
 *
 *   tunnel_start ─► dial, TLS, request ─► head(answer) ─► data ... ─► end          after 101: data and tunnel_write, until one side ends
 *
 * For what lasts or is large: logs, exec, port-forward, proxied requests.  Calls and watches of an API belong on transport.h.
 * Threads: the loop's.
 * Ownership: the target outlives the tunnel; the request's bytes are copied.  A tunnel is freed by its owner, also inside a callback; nothing is called after that.
 * Limits: at most `limit` bytes wait to be written, the caller says so; LIMIT_HEADER_BYTES of the answer's head; a body has no bound, it is passed on. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/client_conn.h"
#include "client/h1_answer.h"
#include "rt/loop.h"

struct tunnel;

struct tunnel_ops {
    void (*head)(void *owner, const struct h1_answer *a); /* status 101: raw bytes follow */
    void (*data)(void *owner, str bytes);
    void (*writable)(void *owner);                 /* after tunnel_write said false */
    void (*end)(void *owner, const struct err *err); /* err NULL: the answer is complete, or the server closed an upgraded connection */
};

struct tunnel_opts {
    struct loop *loop;
    const struct client_target *target; /* TLS as its own context says */
    str request;                        /* head and body as they are sent */
    bool is_head;                       /* of a HEAD request */
    nsec_t connect_timeout_ns;          /* 0: 10 s, dial and handshake */
    nsec_t answer_timeout_ns;           /* until the answer's head, 0: 60 s */
    nsec_t idle_timeout_ns;             /* without a byte in either direction afterwards, 0: none */
    const struct tunnel_ops *ops;
    void *owner;
};

struct tunnel *tunnel_start(const struct tunnel_opts *o) MUST_CHECK; /* nothing is called inside */
void tunnel_free(struct tunnel *t); /* NULL is fine */
/* Behind the request, or after 101.  False: more than `limit` bytes wait already; nothing was taken, writable() follows. */
bool tunnel_write(struct tunnel *t, str bytes, size_t limit) MUST_CHECK;
size_t tunnel_unsent(const struct tunnel *t);
void tunnel_pause(struct tunnel *t, bool paused); /* no data() for now */
