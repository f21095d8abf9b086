/* grouping_plan.h - from a pod and its owners to the PodGroup that it belongs to: pure.
 *
 *   pod web-0 ◄─ ReplicaSet web-6d ◄─ Deployment web       chain: [pod, ReplicaSet, Deployment]
 *                                          │
 *               rule of the top owner's kind, skipping kinds that do not count
 *                                          ▼
 *   holder (whose group it is), name, PodGroup, sub-group of the pod
 *
 * What a PodGroup's people may have changed is theirs: queue, node pool, markUnschedulable and schedulingBackoff are written once, when the group is made.
 * Threads: pure.  Ownership: results are on the arena; names may point into the chain's objects, nothing into the rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/grouping_members.h"

#define GROUPING_API "scheduling.run.ai"
#define GROUPING_VERSION "v2alpha2"
#define GROUPING_NOTE "pod-group-name"
#define GROUPING_SUB_LABEL "kai.scheduler/subgroup-name"
#define GROUPING_ASKED_NOTE "scheduling.cox/asked-queue" /* of a group: the queue that it was made for */
#define GROUPING_QUEUE_LABEL "kai.scheduler/queue"
#define GROUPING_DEFAULT_QUEUE "default-queue"
#define GROUPING_DEPTH 8 /* owners above a pod; whatever is above that counts for nothing */

struct grouping_chain {
    struct json objs[GROUPING_DEPTH + 1]; /* the pod, its owner, ... */
    size_t len;
    struct json companion; /* what grouping_companion asked for; null: none */
};

struct grouping_ref {
    str api_version, kind, name, uid;
};

struct grouping_plan {
    str name; /* of the group, "" : the pod is left alone */
    str holder_uid; /* whose changes matter */
    struct json group; /* the PodGroup as it is made */
    str sub; /* of the pod, "" none */
    str project_queue; /* the queue, when it follows from a label that nobody was asked about; "" : it does not */
};

/* Whether a pod needs no second look: it goes or is done, is its node's own, or carries the name of a group that somebody else made. */
bool grouping_leaves(const struct json *pod);
/* The owner that controls the object, else the first; false: none. */
bool grouping_owner_ref(const struct json *obj, struct grouping_ref *ret);
/* Does the pod, or one of its owners, ask for a queue? */
bool grouping_has_queue(const struct grouping_chain *chain);
/* An object beside the chain that the top owner's rule needs; uid is "". */
bool grouping_companion(const struct grouping_rules *rules, const struct grouping_chain *chain, struct grouping_ref *ret);
struct grouping_plan grouping_plan_make(struct arena *a, const struct grouping_rules *rules, const struct grouping_chain *chain);
/* A pod that is bound keeps the group that it was bound with. */
bool grouping_stays(const struct grouping_plan *plan, const struct json *pod);
/* Was the queue's label corrected since the group was made, and did nobody else choose another queue for it?  It may follow then, if it has not started. */
bool grouping_asks_other_queue(const struct grouping_plan *plan, const struct json *have);
/* What must change in a group that is there, as a merge patch; null: nothing.  Of a whole object, with its resourceVersion and status, the queue may be among that. */
struct json grouping_group_patch(struct arena *a, const struct grouping_plan *plan, const struct json *have);
/* The same for the pod. */
struct json grouping_pod_patch(struct arena *a, const struct grouping_plan *plan, const struct json *pod);
