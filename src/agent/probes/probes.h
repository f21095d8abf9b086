/* probes.h - liveness, readiness and startup probes of containers, and lifecycle hooks: exec, HTTP, TCP, gRPC.
 *
 * A prober per container that runs: the startup probe first, when it has passed the others.  Verdicts change after successThreshold or failureThreshold results in a row.
 * Network probes run on the loop without blocking, from the node's own network namespace to the pod's address; exec probes through probes_opts.exec on a pool thread.
 * Threads: the loop's.
 * Ownership: a probe set copies what it needs of the container's spec.
 * Limits: an HTTP answer is read up to 10 KiB; one try at a time a probe; tries are spread so that probes of many containers do not start together. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/pod/pod_plan.h"
#include "rt/loop.h"

struct probes;
struct probe_set;

enum probe_kind { PROBE_STARTUP, PROBE_LIVENESS, PROBE_READINESS };

struct probe_exec {
    const char *const *argv;
    nsec_t timeout_ns;
    /* the answer */
    bool worked; /* it could be run and ended in time */
    int exit_code;
    str output;
};

struct probes_opts {
    struct loop *loop;
    /* Runs argv in the container and calls probe_exec_done on the loop. */
    void (*exec)(void *arg, str container_id, struct probe_exec *x, void (*done)(struct probe_exec *x));
    /* A verdict changed, or a try failed (for Events: message says how, verdict is the one that holds now). */
    void (*result)(void *arg, struct probe_set *set, enum probe_kind kind, enum probe_verdict verdict, bool failed, str message);
    void *arg;
};

struct probes *probes_new(const struct probes_opts *o) MUST_CHECK;
void probes_free(struct probes *p); /* after every set was stopped */

/* container: of the pod's spec; probes that it does not have count as PROBE_OK by the plan's own rules. */
struct probe_set *probe_set_start(struct probes *p, const struct json *pod, const struct json *container, str container_id, str pod_ip, void *owner) MUST_CHECK;
void probe_set_stop(struct probe_set *s); /* no result comes any more; frees it.  NULL is fine */
void *probe_set_owner(const struct probe_set *s);
enum probe_verdict probe_set_verdict(const struct probe_set *s, enum probe_kind kind);
/* A verdict from before an agent restart: a container that was ready stays so until a probe says otherwise. */
void probe_set_assume(struct probe_set *s, enum probe_kind kind, enum probe_verdict verdict);

/* One run of a handler: postStart and preStop, {"exec":..}, {"httpGet":..}, {"tcpSocket":..}, {"sleep":..}.  done() on the loop; not inside. */
struct hook_run;
struct hook_run *hook_start(struct probes *p, const struct json *pod, const struct json *container, const struct json *handler, str container_id, str pod_ip, nsec_t timeout_ns,
                            void (*done)(void *arg, bool worked, str message), void *arg) MUST_CHECK;
void hook_cancel(struct hook_run *h);
