/* streams_internal.h - what the files of the node's server share; nobody else includes it.
 *
 *   streams.c: server, who may ask, which path        streams_log.c, streams_exec.c, streams_forward.c: one kind of session each
 *
 * A session lives until its last work on the pool has come back, also when its peer is long gone. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/streams/channels.h"
#include "agent/streams/streams.h"
#include "base/limits.h"
#include "http/server.h"

#define STREAMS_IDLE_NS (4 * 3600 * NSEC_PER_SEC) /* without a byte in either direction, as Kubernetes */
#define STREAMS_SETUP_NS (30 * NSEC_PER_SEC)      /* until the client has opened its streams */

struct stream_session {
    struct streams *streams;
    struct list link;
    void (*stop)(struct stream_session *s); /* the server stops: end, now or when work has come back */
};

struct streams {
    struct streams_opts o;
    char *listen;
    struct tls_server *tls;
    struct http_server *http;
    struct loop *loops[1];
    struct list sessions;
    size_t nsessions;
    bool stopping, http_done, stop_told;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

/* What a request names: "/exec/NS/POD[/UID]/CONTAINER". */
struct stream_path {
    str ns, pod, container;
};

/* False: answered with 503, there are too many. */
bool streams_session_add(struct streams *s, struct stream_session *x, struct http_request *req, void (*stop)(struct stream_session *x));
void streams_session_del(struct stream_session *x);
void streams_answer(struct http_request *req, int status, str text);
void streams_answer_err(struct http_request *req, const struct err *err);
/* 1, true, or there without a value. */
bool streams_query_bool(struct http_request *req, str name);

void streams_serve_log(struct streams *s, struct http_request *req, const struct stream_path *p);
void streams_serve_exec(struct streams *s, struct http_request *req, const struct stream_path *p);
void streams_serve_attach(struct streams *s, struct http_request *req, const struct stream_path *p);
void streams_serve_forward(struct streams *s, struct http_request *req, const struct stream_path *p);
