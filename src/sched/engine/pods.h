/* pods.h - pods by name, and what happens to them when nodes come and go.  The engine's own; see engine.h for the events.
 *
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

void pods_init(struct sched *s);
void pods_fini(struct sched *s);
/* Pods that said they are on this node before it was known come onto it. */
void pods_node_came(struct sched *s, node_id n);
/* The node goes: bound pods wait for it elsewhere, others are pending. */
void pods_node_went(struct sched *s, node_id n);

/* Takes all pods off a node for the length of an update, and puts them back as they were. */
struct pods_parked {
    VEC(struct parked_pod { pod_id pod; uint8_t state; uint16_t gpu_mask; }) list;
};
void pods_park(struct sched *s, node_id n, struct pods_parked *ret);
void pods_unpark(struct sched *s, node_id n, struct pods_parked *parked);

/* nodes.c: frees a hidden slot without pods. */
void nodes_drop(struct sched *s, node_id n);
void nodes_fini(struct sched *s);

/* --- units (groups.c) ------------------------------------------------------------------------------------------------------------ */
unit_id units_of_pod(struct sched *s, str ns, str group, pod_id p); /* joins the pod to its unit, made when needed */
/* What a pod says to the batch policy: its own unit's, or its group's when that says nothing itself. */
void units_policy(struct sched *s, unit_id u, str queue, str pool, enum preemptibility preemptibility);
/* ... and how long it runs, and is safe. */
void units_times(struct sched *s, unit_id u, nsec_t runtime_ns, nsec_t protect_ns);
void units_changed(struct sched *s, unit_id u); /* tells whoever watches */
void units_leave(struct sched *s, pod_id p);
/* The pod has another class: a unit without a priority of its own has the highest of its members. */
void units_priority_changed(struct sched *s, pod_id p);
void units_fini(struct sched *s);
