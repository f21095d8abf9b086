/* remote.h - a pod's exec, attach and port-forward from the client's side: an upgraded connection to an API server, websocket or SPDY.
 *
 *   remote_open ─► opened() ─► message(channel, bytes) ... ─► end()          REMOTE_CHANNELS: websocket v5 or v4
 *                          ─► bytes(...) ...                                 REMOTE_SPDY: the bytes of a SPDY connection, in a websocket or bare
 *
 * Works with any Kubernetes API server: REMOTE_SPDY asks with a websocket first and with SPDY's own upgrade when that is refused.
 * Threads: the loop's (main).  Ownership: freed by its owner, also inside a callback.
 * Limits: REMOTE_OUT_BYTES unsent before sends are refused. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"
#include "client/https_conf.h"
#include "client/tunnel.h"

#define REMOTE_OUT_BYTES (256u << 10)

/* Where the session's server is and as whom, for requests on connections of their own. */
int remote_conf(struct session *s, struct https_conf **ret, struct failure *f) MUST_CHECK;
/* "GET path HTTP/1.1", Host, who asks, and further lines ("Upgrade: ...\r\n"). */
str remote_request(struct arena *a, const struct https_conf *c, const char *method, str path, const char *lines);
/* A Status, or whatever came instead of an answer, as a failure; returns -code. */
int remote_answer_failed(struct session *s, int status, str body, struct failure *f);

enum remote_kind { REMOTE_CHANNELS, REMOTE_SPDY };

struct remote;
struct remote_ops {
    void (*opened)(void *owner);
    void (*message)(void *owner, unsigned channel, str bytes); /* a piece of one */
    void (*bytes)(void *owner, str bytes);
    void (*writable)(void *owner); /* after a refused send */
    void (*end)(void *owner, const struct failure *f); /* NULL: the server closed it */
};

struct remote *remote_open(struct session *s, struct loop *loop, struct https_conf *conf, enum remote_kind kind, str path, const struct remote_ops *ops, void *owner) MUST_CHECK;
void remote_free(struct remote *r); /* NULL is fine */
int remote_version(const struct remote *r); /* of REMOTE_CHANNELS: 4 or 5 */
bool remote_send(struct remote *r, unsigned channel, str bytes) MUST_CHECK; /* false: not taken, writable() follows */
void remote_close_channel(struct remote *r, unsigned channel);              /* v5 only; nothing otherwise */
bool remote_send_bytes(struct remote *r, str bytes, size_t limit) MUST_CHECK;
void remote_pause(struct remote *r, bool paused);
