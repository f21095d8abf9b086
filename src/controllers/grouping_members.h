/* grouping_members.h - how many pods of an owner start together at least, in which parts, and to which part a pod belongs: pure.
 *
 *   PyTorchJob with a master and 4 workers   min 5; master 1, worker 4; a pod with the label replica-type=worker belongs to worker
 *
 * Threads: pure.  Ownership: results are on the arena, or point into the objects. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/grouping_rules.h"

#define GROUPING_MIN_NOTE "kai.scheduler/batch-min-member"
#define GROUPING_SEGMENT_NOTE "kai.scheduler/segment-size"
#define GROUPING_PARTS_MAX 1000 /* LIMIT_SCHED_SUBGROUPS; owners with more get a group without parts */

struct grouping_sub {
    str name, parent; /* parent "": none */
    int64_t min;
    const struct json *notes; /* annotations with the part's own topology, or NULL */
    bool segment; /* whose topology stands in the annotations for segments */
};

struct grouping_members {
    int64_t min;
    struct grouping_sub *subs;
    size_t nsubs;
    str sub;    /* of this pod, "" none */
    str label, tag; /* a group for each value of this label of the pod; "": the rule's own */
    bool one;   /* all pods in one group, whatever the rule says */
    bool alone; /* this pod is none of them: a unit of its own */
};

struct grouping_members grouping_members_count(struct arena *a, const struct grouping_rule *rule, const struct json *holder, const struct json *pod);
