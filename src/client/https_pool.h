/* https_pool.h - the connections of one HTTPS transport: which one has room, when another is dialled, how long after a failure.
 *
 * HTTP/2 connections are shared by many exchanges; another one is dialled when those there are full, or crowded.  HTTP/1.1
 * connections carry one exchange: as many as wait, up to the bound.  Watches stay, so they may go beyond the bound for calls, up
 * to HTTPS_POOL_MAX.
 * A dial that fails, or a connection that breaks before its first answer, makes the next dial wait: 100 ms, doubling, with a
 * random tenth.
 * Threads: the loop's.  Only https_pool_work, _flush, _start, _cancel, _leave and _close touch connections; none may be called
 * from a callback.
 * Ownership: connections are the pool's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/https_conn.h"

#define HTTPS_POOL_MAX 1024 /* connections, watches and all */

struct https_pool;

struct https_pool_opts {
    struct loop *loop;
    struct https_conf *conf; /* a reference is taken */
    unsigned max_connections;
    nsec_t connect_timeout_ns, ping_after_ns, idle_ns, silence_ns, backoff_max_ns; /* as https_conn.h */
    /* of connections; `changed` is set by the pool */
    struct https_conn_ops ops;
    /* Something changed: call https_pool_work at the end of the turn.  Runs in the middle of anything. */
    void (*wake)(void *owner);
    /* From https_pool_work: a connection could not be made.  nobody: there is none left to wait for. */
    void (*failed)(void *owner, const struct err *err, bool nobody);
    void *owner;
};
struct https_pool *https_pool_new(const struct https_pool_opts *opts) MUST_CHECK;
void https_pool_free(struct https_pool *p); /* closed */

/* What waits for a connection, to decide on dials; frees closed connections. */
void https_pool_work(struct https_pool *p, size_t waiting_calls, size_t waiting_watches);
/* The emptiest connection with room; NULL: none. */
struct https_conn *https_pool_pick(struct https_pool *p, bool for_watch);
void https_pool_start(struct https_pool *p, struct https_conn *c, struct https_exchange *x);
void https_pool_cancel(struct https_pool *p, struct https_exchange *x); /* on a connection */
void https_pool_flush(struct https_pool *p);
void https_pool_answered(struct https_pool *p); /* failures are forgotten */
/* Connections from now on use the new configuration, the old ones leave. */
void https_pool_leave(struct https_pool *p, struct https_conf *conf);
void https_pool_close(struct https_pool *p); /* all, now; exchanges on them end */

struct https_pool_stats {
    uint64_t dials, failures;
    size_t connections;
};
void https_pool_stats(const struct https_pool *p, struct https_pool_stats *ret);
