/* streams.h - the node's HTTPS server: logs, exec, attach, port-forward, statistics; what the API server passes on.
 *
 *   kubectl ─► API server (authenticates, authorises, passes bytes) ─► here: /containerLogs, /exec, /attach, /portForward, /stats/summary, /pods, /metrics, /healthz
 *
 * Exec, attach and port-forward speak SPDY/3.1 and websocket (v1 to v5.channel.k8s.io, base64 ones, SPDY/3.1+portforward.k8s.io); the API server need not understand them.
 * Only clients with a certificate of the cluster's CA in group system:masters, or the API server's own, are let in.
 * Threads: the loop's; everything that may block goes to the pool.
 * Ownership: opts are copied; the callbacks outlive it. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/runtime/runtime.h"
#include "rt/work.h"
#include "wire/json.h"

struct streams;

/* A container that a request names. */
struct stream_target {
    struct runtime *runtime;
    str container_id;   /* "" : it does not run */
    str log_path;       /* of the newest run; rotated ones have .1, .2 ... or a time behind */
    str previous_log_path; /* of the run that status.lastState tells of, "" none: the run before, or the newest one while the container waits to be started again */
    str waiting_reason; /* it has never run: as its status says, "" : ContainerCreating */
    str pod_uid;
    bool tty, stdin_open, stdin_once, running;
};

struct streams_opts {
    struct loop *loop;
    struct work_pool *pool;
    const char *listen;      /* ":10250" */
    const char *cert_pem, *key_pem, *client_ca_pem;
    /* container "" : the only one, or the one of the annotation kubectl.kubernetes.io/default-container; "*": any, for port-forward, which wants the pod's network only.  E_NOT_FOUND, E_INVALID_ARG with Kubernetes' sentences. */
    int (*find)(void *arg, str ns, str pod, str container, struct arena *a, struct stream_target *ret, struct err *err);
    /* JSON documents: "pods", "stats/summary", and text "metrics", "metrics/resource".  False: unknown. */
    bool (*document)(void *arg, str name, struct arena *a, str *ret_type, str *ret_text);
    void *arg;
};

int streams_new(const struct streams_opts *o, uint16_t *ret_port, struct streams **ret, struct err *err) MUST_CHECK;
/* A renewed certificate. */
int streams_set_cert(struct streams *s, const char *cert_pem, const char *key_pem, struct err *err) MUST_CHECK;
void streams_stop(struct streams *s, void (*stopped)(void *arg), void *arg);
void streams_free(struct streams *s);
