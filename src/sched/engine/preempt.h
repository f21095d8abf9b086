/* preempt.h - room by eviction: which pods of lower priority have to go so that this pod fits, at the least harm.
 *
 * kube-scheduler's rules, over all nodes instead of a sample: candidates are nodes whose rejection eviction can cure; on each all pods of
 * lower priority go, then as many as possible are reprieved (those under a disruption budget first, then by priority, then by age);
 * the node is chosen by fewest budget violations, lowest highest priority, lowest sum of priorities, fewest victims, latest start of the
 * most important victims, then the tie rule.
 * Pods that are terminating count as room to come: a node where they are enough needs no victim at all.  Room kept for nominated pods of lower
 * priority is free for the taking.
 * Cuts: per priority level and node the amounts that lower pods hold are kept as columns (preempt_levels.c), so that nodes where even all of
 * them would not do are skipped in one vector pass; candidates of a class are kept and only touched nodes are searched again
 * (preempt_cache.c); one node is searched in preempt_search.c.
 * Threads: the engine's writer.  Limits: LIMIT_SCHED_PRIORITIES levels; candidates of PREEMPT_CLASSES classes are kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"

struct preempt_candidate {
    node_id node; /* NODE_NONE: preemption cannot help */
    int32_t violations;
    VEC(pod_id) victims; /* most important first; gang mates that have to go along stand last */
};
#define PREEMPT_CANDIDATE_INIT ((struct preempt_candidate){.node = NODE_NONE})
void preempt_candidate_fini(struct preempt_candidate *c);
/* Finds the best node for a pod that fits nowhere; changes nothing.  `considered` (may be NULL): how many nodes were searched and how many the
 * cut excluded. */
struct preempt_counts {
    uint32_t unresolvable, hopeless, searched;
};
bool preempt_find(struct sched *s, pod_id p, const uint64_t *within, struct preempt_candidate *ret, struct preempt_counts *considered);
/* Is pod v a possible victim of class c? */
bool preempt_may_evict(const struct sched *s, const struct pod_class *c, pod_id v);
/* May the pod evict anybody now?  Not with the policy Never, and not while somebody is still leaving the node it is nominated to: kube-scheduler waits for
 * pods of lower priority there; here it may have been nominated to the room of any pod that leaves. */
bool preempt_is_eligible(const struct sched *s, pod_id p);
/* Carries a candidate out: victims are TERMINATING, nominated pods of lower priority lose the room they had there, p is NOMINATED. */
void preempt_apply(struct sched *s, pod_id p, const struct preempt_candidate *c, uint16_t gpu_mask);
/* The world as it will be when everybody has gone, p ASSUMED in it; for statements that are rolled back. */
void preempt_imagine(struct sched *s, pod_id p, const struct preempt_candidate *c);
/* p came onto its node, perhaps on room kept for pods of lower priority: those that have no room left there are pending again. */
void preempt_override(struct sched *s, pod_id p);

/* Columns by level, kept by the model at each assign and unassign. */
struct preempt_state;
struct preempt_state *preempt_state_new(const struct sched *s);
void preempt_state_free(struct preempt_state *x);
void preempt_assigned(struct sched *s, pod_id p, node_id n, int sign /* +1, -1 */);
void preempt_nodes_grown(struct sched *s); /* columns are longer now */
/* For model_check: the columns made anew from the pods, and compared. */
int preempt_check(const struct sched *s, struct err *err) MUST_CHECK;
