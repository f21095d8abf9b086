/* replicaset_plan.h - how many pods a ReplicaSet lacks, or which of its pods go first.
 *
 * Threads: pure functions.  Ownership: pods stay the caller's; the array of pointers is put in order in place. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

struct replica_counts {
    int64_t replicas, labeled, ready, available;
    nsec_t next; /* until another one may become available; 0: no such */
};

struct replica_plan {
    int64_t create;
    size_t delete; /* the first so many of the pods that were given */
};

/* pods: the active ones.  Those that go stand first afterwards: without a node, then what runs least (pending, unknown, running), not ready, of lower deletion cost, on
 * crowded nodes, ready for a shorter time, restarted more often, younger. */
struct replica_plan replica_plan_make(struct arena *a, struct pod_record **pods, size_t n, int64_t wanted);
/* labels: of the template, may be NULL. */
struct replica_counts replica_count(struct pod_record *const *pods, size_t n, const struct json *labels, nsec_t min_ready, nsec_t now);

/* Pods that end as soon as they are made (a node refuses them) would be made without end, as fast as the cluster can.  Each replica may fail once in FAILURE_WINDOW; after that the next ones
 * come 1 s, 2 s, 4 s, ... after the last failure.  The failed pods themselves are the memory, so a restart changes nothing. */
#define REPLICA_FAILURE_WINDOW_NS (600 * NSEC_PER_SEC)
#define REPLICA_DELAY_MAX_NS (60 * NSEC_PER_SEC)
/* pods: all of the set.  0: pods may be made now. */
nsec_t replica_wait(struct pod_record *const *pods, size_t n, int64_t wanted, nsec_t now);
