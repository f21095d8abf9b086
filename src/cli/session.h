/* session.h - one command's connection: kubeconfig, client, namespace, discovery, and the failures so far.
 *
 *     static int get(struct session *s, struct failure *f) { ... session_do(s, &req, &res, f) ... return 0; }
 *     static int run_get(struct cli_args *a) { return session_run(a, get); }
 * Where to go: --kubeconfig, $KUBECONFIG or ~/.kube/config and the flags over them; when neither of the first two is given and the last names no
 * cluster, the Unix socket of a server on this machine.
 * Threads: main only.  Ownership: the arena lives as long as the session; answers and discovery are in it. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "cli/cli.h"
#include "cli/discovery.h"
#include "cli/failure.h"
#include "client/client.h"

struct session {
    const struct cli_args *args;
    struct arena arena;
    struct kubeconfig *kubeconfig;
    struct kubeconfig_resolved resolved;
    struct client *client;
    str namespace_;          /* to work in */
    bool namespace_given;    /* by --namespace: objects may not say otherwise */
    nsec_t timeout_ns;       /* --request-timeout, 0: the client's */
    struct discovery *discovery_;
    VEC(struct failure) failures; /* of parts, while other parts went well */
};

/* Opens, runs, reports every failure on stderr, closes; returns the exit status.  The body returns the exit status, or -code with *f set. */
int session_run(const struct cli_args *a, int (*body)(struct session *s, struct failure *f));
/* Without a server: only arena, args and failures are there. */
int session_run_local(const struct cli_args *a, int (*body)(struct session *s, struct failure *f));
/* For verbs that work without a server too: connects now. */
int session_connect(struct session *s, struct failure *f) MUST_CHECK;
/* The files that --kubeconfig, $KUBECONFIG and $HOME name. */
int session_kubeconfig(const struct cli_args *a, bool may_be_new, struct kubeconfig **ret, struct err *err) MUST_CHECK;
/* Wrong use, and where the right one is told: "...\nSee 'cox VERB -h' for help and examples". */
#define session_usage(s, f, ...) session_usage_(s, failure_set(f, E_INVALID_ARG, __VA_ARGS__), f)
int session_usage_(struct session *s, int code, struct failure *f);
/* Keeps a failure and goes on; returns its code. */
int session_note(struct session *s, const struct failure *f);

/* One call.  Warnings of the server go to stderr. */
int session_do(struct session *s, const struct client_request *q, struct client_response *ret, struct failure *f) MUST_CHECK;
/* The shortest calls: JSON in, JSON out.  body NULL: none. */
int session_get(struct session *s, str path, str query, struct json *ret, struct failure *f) MUST_CHECK;
int session_send(struct session *s, str method, str path, str query, const struct json *body, struct json *ret, struct failure *f) MUST_CHECK;
/* Read once. */
int session_discovery(struct session *s, const struct discovery **ret, struct failure *f) MUST_CHECK;
