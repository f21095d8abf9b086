/* transport_https.h - the transport of components apart from their API server: HTTPS with a kubeconfig, on a loop.
 *
 *   call, watch ─► waiting ─► a connection with room ─► answered ─► done(), event(), ended()
 *                     ▲             │ lost before an answer: once more, when that does no harm
 *                     └─────────────┘
 *
 * The same meaning as the in-process transport.  Connections are pooled: HTTP/2 streams where the server offers it, else HTTP/1.1
 * with keep-alive, where a watch has a connection of its own.  A call that gets no answer ends with status 0: the connection
 * broke, the server could not be reached, nothing came for the time of silence.
 * After a failed dial everything that waited ends so, and the next dial waits 100 ms, doubling to 10 s; what comes meanwhile
 * waits for it.
 * Threads: the transport lives on its loop.  Components of other loops may use it: requests and answers are then posted.  done()
 * and ended() never run inside call, watch or watch_stop.
 * Ownership: as client/transport.h says.
 * Limits: LIMIT_CLIENT_EXCHANGES calls and watches at once, beyond: 429; HTTPS_ANSWER_MAX an answer, HTTPS_EVENT_MAX an event,
 * beyond: status 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/kubeconfig.h"
#include "client/transport.h"

#define HTTPS_ANSWER_MAX (1u << 30)
#define HTTPS_EVENT_MAX (8u << 20)            /* two objects of the stored maximum, with room for escapes */
#define HTTPS_UNTAKEN_MAX ((size_t)256 << 20) /* events posted to another loop and not yet taken: the watch ends and can resume */

struct transport_https;

struct transport_https_opts {
    const struct kubeconfig_resolved *kube; /* read by new only; members may be NULL */
    struct loop *loop;
    const char *user_agent;      /* NULL: "cox" */
    unsigned max_connections;    /* for calls, 0: 4; watches open more when they find no room */
    unsigned max_exchanges;      /* 0: LIMIT_CLIENT_EXCHANGES */
    bool http1_only;
    nsec_t connect_timeout_ns;   /* 0: 10 s */
    nsec_t silence_timeout_ns;   /* 0: 60 s: a call, or a watch's head, without a byte of answer */
    nsec_t ping_after_ns;        /* 0: 30 s */
    nsec_t idle_ns;              /* 0: 90 s, sooner than servers do it */
    nsec_t watch_silence_ns;     /* 0: 10 min, HTTP/1.1 only: bookmarks come sooner */
    nsec_t backoff_max_ns;       /* 0: 10 s */
    /* Both may be NULL.  trouble: a dial failed or a new connection broke before its first answer; for a log line. */
    void (*trouble)(void *owner, const struct err *err);
    void (*recovered)(void *owner); /* the first answer after trouble */
    void *owner;
};

int transport_https_new(const struct transport_https_opts *opts, struct transport_https **ret, struct err *err) MUST_CHECK;
struct client_transport *transport_https_client(struct transport_https *t);

/* --- the rest on the transport's loop ------------------------------------------------------------------- */
/* New credentials or another server.  Calls under way end on their old connections; watches end and can resume. */
int transport_https_renew(struct transport_https *t, const struct kubeconfig_resolved *kube, struct err *err) MUST_CHECK;
/* Everything under way ends with status 0, and so does what comes after; stopped() runs when the last callback has returned. */
void transport_https_stop(struct transport_https *t, void (*stopped)(void *arg), void *arg);
/* After stopped(); or when its loop does not run any more and no other loop has used it: what is under way then ends inside. */
void transport_https_free(struct transport_https *t);

struct transport_https_stats {
    uint64_t calls, watches; /* ended */
    uint64_t unanswered;     /* of them with status 0 */
    uint64_t repeated, dials, dial_failures;
    size_t connections, running, waiting; /* now */
};
void transport_https_stats(const struct transport_https *t, struct transport_https_stats *ret);
