/* daemonset_plan.h - on which nodes a DaemonSet lacks a pod, and which of its pods go.
 *
 * Threads: pure functions.  Ownership: pods and nodes stay the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

struct daemon_node {
    str name;
    bool should_run, should_stay; /* a pod may start here; one that is here may go on */
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
