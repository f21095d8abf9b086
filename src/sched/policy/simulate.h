/* simulate.h - a question about a queue, as JSON: would this work start in it, when, where and at whose cost?
 *
 *   {"podGroup": {...}, "pods": [Pod ...], "templates": [{"replicas": 4, "template": {"metadata": .., "spec": ..}}], "minMember": 4, "namespace": "default"}
 *       ─► a unit of that queue in the engine ─► policy_try ─► out again ─►
 *   {"queue": "a", "starts": "Now|AfterEviction|Waits|Never", "nodes": [{"name": "n1", "pods": 2}], "victims": [{"namespace": .., "name": .., "queue": .., "node": ..}],
 *    "action": "reclaim", "reason": "...", "position": 3, "pods": 4, "minMember": 4}
 * All members but pods or templates may be absent; one pod without podGroup and minMember is a unit by itself, else minMember pods (podGroup's, all) have to start together.
 * Its priority is the class's that the podGroup names, else that of the first pod (its label priorityClassName, its spec), else the class train's, as grouping would have it.
 * Pure but for the engine, which is as it was afterwards: its events are, too.
 * Threads: the engine's writer.  Ownership: the answer is on the arena.
 * Limits: LIMIT_SIMULATE_PODS pods; SIMULATE_VICTIMS victims are named, the others counted (victimsLeftOff). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/policy/policy.h"
#include "wire/json.h"

#define SIMULATE_VICTIMS 1000u

/* What whoever feeds the engine does to pods of queues before they are put: how nodes are compared, say. */
struct simulate_dress {
    void (*dress)(void *arg, struct pod_spec *spec);
    void *arg;
};
/* E_INVALID_ARG with a sentence for a question that cannot be answered.  With a pool (policy_opts.has_pool) the unit is of that pool, whatever it says. */
int simulate_ask(struct policy *p, struct arena *a, str queue, const struct json *question, nsec_t now, const struct simulate_dress *dress /* or NULL */, struct json *ret, struct err *err) MUST_CHECK;
