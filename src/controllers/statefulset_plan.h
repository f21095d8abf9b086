/* statefulset_plan.h - which ordinals of a StatefulSet are made, deleted or replaced next.
 *
 *   OrderedReady: one at a time, upwards when pods are made, downwards when they go or are replaced, and only while all others are well.
 *   Parallel: pods are made and go at once.
 *   Pods of an old template are replaced from the highest ordinal downwards, as many at a time as max_unavailable leaves room for.  The partition counts from the first ordinal.
 *
 * Threads: pure functions.  Ownership: pods stay the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

/* A pod that ended is replaced when it is this old: one that a node refuses must not come back as fast as the cluster can. */
#define STATEFUL_MIN_AGE_NS (2 * NSEC_PER_SEC)

struct stateful_opts {
    str name;
    str current, update; /* names of revisions; the same when nothing is rolled out */
    int64_t start, replicas, partition;
    int64_t max_unavailable; /* at least 1 */
    bool parallel, on_delete;
    nsec_t min_ready, now;
};

struct stateful_create {
    int64_t ordinal;
    bool of_update; /* else of the current revision */
};

struct stateful_plan {
    struct stateful_create *creates;
    size_t ncreates;
    struct pod_record **deletes;
    size_t ndeletes;
    int64_t replicas, ready, available, current, updated;
    bool complete; /* all of them are of the update revision, and well */
    nsec_t after;
};

void statefulset_plan(struct arena *a, struct pod_record *const *pods, size_t n, const struct stateful_opts *o, struct stateful_plan *ret);
/* "web-3" of "web" is 3; -1: not a name of this set. */
int64_t statefulset_ordinal(str set, str pod);
