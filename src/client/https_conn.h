/* https_conn.h - one connection of the HTTPS transport: dialled, encrypted, HTTP/2 or HTTP/1.1, never blocking its loop.
 *
 *   new ─► OPENING (dial, TLS handshake) ─► OPEN ─► CLOSED        start(x) ─► head(x) ─► data(x) ... ─► end(x)
 *
 * HTTP/2 carries as many exchanges as the server lets it, HTTP/1.1 one after another.  A silent HTTP/2 server is pinged, a
 * connection without exchanges is closed after a while.  A closed connection stays until its owner frees it.
 * Threads: the loop's.  Callbacks must not call into the connection; owners note what happened and act at the end of the turn.
 * Ownership: an exchange is its owner's again at end() or cancel; its strings are read until then.  The configuration is counted.
 * Limits: https_conn_room says how many more exchanges fit; watches may take three quarters, so that calls find a place. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/h2_client.h"
#include "client/https_conf.h"
#include "rt/loop.h"

/* --- exchanges ------------------------------------------------------------------------------------------ */
struct https_exchange {
    str method, path; /* "/api/v1/pods?limit=5" */
    str content_type; /* of body, "" for JSON */
    str body;
    bool is_watch;
    int status; /* of the answer, 0 before its head */
    struct https_conn *conn; /* NULL: on none */
    struct list link_;       /* of the connection */
    struct h2_stream h2_;
};
enum https_end {
    HTTPS_DONE,  /* the answer is complete */
    HTTPS_LOST,  /* it broke off */
    HTTPS_AGAIN, /* it broke off, and sending it once more does no harm */
};

/* --- connections ---------------------------------------------------------------------------------------- */
struct https_conn;

enum https_state { HTTPS_OPENING, HTTPS_OPEN, HTTPS_CLOSED };

struct https_conn_ops {
    void (*head)(struct https_exchange *x, bool has_length, uint64_t length);
    void (*data)(struct https_exchange *x, str bytes);
    void (*end)(struct https_exchange *x, enum https_end how);
    void (*changed)(struct https_conn *c); /* opened, closed, or room for another exchange */
};
struct https_conn_opts {
    struct loop *loop;
    struct https_conf *conf; /* a reference is taken */
    const struct https_conn_ops *ops;
    void *owner;
    char *scratch; /* HTTPS_SCRATCH bytes that all connections of a loop share */
    nsec_t connect_timeout_ns; /* dial and handshake */
    nsec_t ping_after_ns;      /* of silence on HTTP/2; half as long for the answer */
    nsec_t idle_ns;            /* without an exchange: closed */
    nsec_t silence_ns;         /* of a watch on HTTP/1.1: closed */
};
#define HTTPS_SCRATCH (64u << 10)

struct https_conn *https_conn_new(const struct https_conn_opts *opts) MUST_CHECK; /* dials at once */
void https_conn_free(struct https_conn *c); /* what is on it ends with HTTPS_LOST */
void *https_conn_owner(const struct https_conn *c);
enum https_state https_conn_state(const struct https_conn *c);
bool https_conn_is_h2(const struct https_conn *c);
bool https_conn_has_answered(const struct https_conn *c); /* at least once */
size_t https_conn_load(const struct https_conn *c);       /* exchanges on it */
size_t https_conn_watches(const struct https_conn *c);    /* of them */
/* Why it closed; no code: an end without fault (idle, the server's GOAWAY, Connection: close). */
const struct err *https_conn_err(const struct https_conn *c);

size_t https_conn_room(const struct https_conn *c, bool for_watch);
void https_conn_start(struct https_conn *c, struct https_exchange *x); /* there is room; leaves with the next flush */
void https_conn_cancel(struct https_conn *c, struct https_exchange *x); /* end() does not run; HTTP/1.1 closes */
void https_conn_flush(struct https_conn *c);
/* No new exchanges; watches end now (HTTPS_LOST), calls as they are answered, then it closes. */
void https_conn_leave(struct https_conn *c);
