/* daemonset_plan.h - on which nodes a DaemonSet lacks a pod, and which of its pods go.
 *
 * Threads: pure functions.  Ownership: pods and nodes stay the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

struct daemon_node {
    str name;
    bool should_run, should_stay; /* a pod may start here; one that is here may go on */
    bool failed_waits;            /* a pod that ended here is not replaced yet */
    struct pod_record **pods;     /* of the set, on this node or pinned to it */
    size_t npods;
};

struct daemon_plan {
    str *creates; /* names of nodes */
    size_t ncreates;
    struct pod_record **deletes;
    size_t ndeletes;
    int64_t desired, current, misscheduled, ready, available, updated;
    nsec_t after;
};

struct daemon_opts {
    str hash; /* of the template */
    bool on_delete;
    int64_t max_unavailable, max_surge;
    nsec_t min_ready, now;
};
void daemonset_plan(struct arena *a, struct daemon_node *nodes, size_t n, const struct daemon_opts *o, struct daemon_plan *ret);

/* A node that refuses a pod, or evicts it again and again, would otherwise see one after another: pods that ended are replaced at once, then 1 s, 2 s, 4 s, ... after the last one. */
#define DAEMON_DELAY_NS NSEC_PER_SEC
#define DAEMON_DELAY_MAX_NS (900 * NSEC_PER_SEC)
struct daemon_failure {
    nsec_t at, delay; /* zero: none yet */
};
/* 0: replace it now, which is noted; else how long it stays. */
nsec_t daemon_failure_left(struct daemon_failure *f, nsec_t now);
bool daemon_failure_is_over(const struct daemon_failure *f, nsec_t now); /* long enough ago to be forgotten */
