/* queue_admission.h - what writes of queues, and of work that names a queue, need beyond what the object itself can tell.
 *
 *   a queue       its parents do not lead back to it, and with those below it the tree is no deeper than LIMIT_QUEUE_DEPTH; all queues together speak of LIMIT_QUEUE_RESOURCES resources at most; what the queues below a parent are owed fits into what the parent is owed (a warning, or a refusal when the parent has the annotation
 *                 QUEUE_STRICT); it goes only when no queue is below it and no work is in it
 *   work          its queue exists (a warning: files bring queues and work in any order); a queue with the annotation QUEUE_RESTRICTED needs the verb `use` on it
 *   a shard       what has no effect here is a warning, and that another one is for the same node pool
 * Work is a PodGroup of scheduling.run.ai (spec.queue), a pod that joins one (api/pod_group.h), and every namespaced object with the label QUEUE_LABEL, on itself or among any `labels` in its spec: templates stand at many depths.  Controllers have the verb `use`: who made the owner
 * was asked for it.
 * Changes of the tree exclude each other: each writes one key in its transaction, so that two cannot close a circle together.
 * Threads: on the request's loop, which waits for the reading: all queues when one is written, the bytes of all pods when one is deleted (a million pods: about a second; queues are seldom deleted).
 * Ownership: everything is on the request's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"

#define QUEUE_GROUP "scheduling.run.ai"
#define QUEUE_LABEL "kai.scheduler/queue"
#define QUEUE_RESTRICTED "scheduling.cox/restricted" /* annotations with the value "true" */
#define QUEUE_STRICT "scheduling.cox/strict-quota"
#define QUEUE_TREE_KEY "/a/queue-tree"

/* For the table of admission. */
int queues_validate(struct admission_attrs *at, struct err *err);
