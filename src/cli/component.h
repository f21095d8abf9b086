/* component.h - a part of the cluster as a program of its own, beside any Kubernetes API server: connection, election, health, signals, orderly stop.
 *
 *   kubeconfig ─► transport ─► ops.start ─► until a signal ─► ops.stop ─► lease given back ─► connections closed          one loop, one thread
 *                                    └─► /metrics, /healthz, /readyz on --metrics-bind
 * With --leader-elect a component is started in standby and told to lead when it holds the Lease; one that loses it ends, as another may be acting already.
 * Threads: everything runs on the loop's; component_run blocks until the end.
 * Ownership: self is the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"
#include "client/transport.h"

struct component_env {
    struct session *session;
    struct loop *loop;
    struct client_transport *transport;
    const char *host;
    bool standby; /* do nothing before lead() */
};

struct component_ops {
    const char *name; /* "scheduler": of the loop, in logs and as User-Agent "cox-scheduler" */
    int (*start)(void *self, const struct component_env *env, struct err *err);
    void (*lead)(void *self);
    void (*stop)(void *self, void (*done)(void *arg), void *arg); /* done() when nothing is under way any more, at once or later */
    void (*free)(void *self);                        /* after a start that failed, too */
    void (*metrics)(void *self, struct strbuf *b);
    bool (*is_ready)(void *self);
};

/* Options of every component; `lease` is the default name of its Lease. */
#define COMPONENT_OPTIONS(lease)                                                                                                                                                                  \
    {"leader-elect", 0, CLI_FLAG, NULL, "", "Act only while holding a Lease, so that several can run and one acts.", NULL},                                                                       \
    {"leader-elect-resource-namespace", 0, CLI_STRING, "NAME", "kube-system", "Namespace of the Lease.", NULL},                                                                                   \
    {"leader-elect-resource-name", 0, CLI_STRING, "NAME", lease, "Its name.", NULL},                                                                                                              \
    {"leader-elect-lease-duration", 0, CLI_DURATION, "TIME", "15s", "How long a leader that says nothing is waited for.", NULL},                                                                  \
    {"metrics-bind", 0, CLI_STRING, "ADDR:PORT", "", "Serve /metrics, /healthz and /readyz here, in plain text; port 0 picks a free one.", NULL},                                                 \
    {"log-level", 'v', CLI_STRING, "LEVEL", "info", "error, warn, info or debug.", NULL},                                                                                                         \
    {"log-format", 0, CLI_STRING, "FORMAT", "text", "text or json.", NULL}

/* Checks the common options and sets the log up: 0, or what cli_usage gave. */
int component_setup(struct cli_args *a);
int component_run(struct session *s, const struct component_ops *ops, void *self, struct failure *f) MUST_CHECK;
