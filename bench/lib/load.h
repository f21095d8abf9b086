/* load.h - a load generator: HTTP/1.1 over TLS, many connections on one thread.
 *
 * Each connection sends a request, reads the whole answer, asks for the next.  Watches are requests whose answer does not end.
 * Threads: one.  Ownership: the caller's callbacks own what they make. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/str.h"
#include "bench/lib/target.h"
#include "rt/loop.h"
#include "rt/tls.h"

struct load;
struct load_conn;

struct load_ops {
    /* Appends the next request of this connection; false: it has none, the connection rests. */
    bool (*next)(void *arg, struct load_conn *c, struct strbuf *out);
    /* A whole answer came.  body is NULL-terminated and valid during the call; streamed answers come through `bytes` instead. */
    void (*answer)(void *arg, struct load_conn *c, int status, str body, nsec_t took_ns);
    /* Every body byte as it comes, when set: bodies are then not collected. */
    void (*bytes)(void *arg, struct load_conn *c, str bytes);
    void (*opened)(void *arg, struct load_conn *c); /* head of a streamed answer (watch) has come */
};

struct load *load_new(const struct target *t, const struct load_ops *ops, void *arg);
void load_free(struct load *l);
/* Opens n connections, at most `at_once` handshakes in flight; they start to send as soon as they are open. */
void load_open(struct load *l, size_t n, size_t at_once);
void load_run(struct load *l, nsec_t for_ns); /* or until load_stop */
void load_stop(struct load *l);
void load_kick(struct load_conn *c);          /* a resting connection asks next() again */
size_t load_conn_index(const struct load_conn *c);
struct load_conn *load_conn_at(struct load *l, size_t i);
struct loop *load_loop(struct load *l);
size_t load_errors(const struct load *l);     /* connections that failed or were closed by the server */
size_t load_opened(const struct load *l);     /* connections whose handshake is done */

/* "GET /path HTTP/1.1" with the token and Host; body "" for none. */
void load_request(struct strbuf *out, const char *method, str path, str body);
/* With another content type than JSON. */
void load_request_as(struct strbuf *out, const char *method, str path, str type, str body);
/* One request on a connection of its own; the status, or 0.  body: gets the answer's, NULL: nobody wants it. */
int load_get(const struct target *t, const char *path, struct strbuf *body);
int load_get_status(const struct target *t, const char *path);
/* The value of a metric without labels, from /metrics; 0 when there is none. */
double load_get_metric(const struct target *t, const char *name);
