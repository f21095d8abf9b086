/* engine.h - the scheduling engine: cluster events in, decisions with reasons out.
 *
 * Pure: no I/O, no clock, no thread, no global state.  Time and chance are handed in; the same events, seed and profile give the same
 * decisions.
 *     struct sched *s = sched_new(profile_builtin(S("default")), 42);
 *     sched_node_put(s, &node, &err);  sched_pod_put(s, &pod, &id, &err);
 *     struct unit_decision d = UNIT_DECISION_INIT;
 *     sched_place(s, sched_unit_of(s, id), now, &d);          // decides, and applies as ASSUMED
 *     ... tell the world; later sched_pod_put with the pod bound confirms, sched_forget(s, id) takes it back
 * dispatcher/ orders and parks units, binder/ commits and lets go; this file is the state and the decision.
 * Threads: one writer.
 * Ownership: the engine owns its profile and those that follow it.  Specs are borrowed for the call.
 * Limits: LIMIT_SCHED_*; errors are E_INVALID_ARG or E_TOO_LARGE with a sentence and change nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

struct sched *sched_new(struct sched_profile *profile /* taken, with those that follow it */, uint64_t seed);
void sched_free(struct sched *s);

/* --- events: each is applied in place; put adds or updates ------------------------------------------------------------------------- */
int sched_resource_id(struct sched *s, str name, uint16_t *ret_id, struct err *err) MUST_CHECK;
str sched_resource_name(const struct sched *s, uint16_t id);
int sched_node_put(struct sched *s, const struct node_spec *spec, node_id *ret_id /* or NULL */, struct err *err) MUST_CHECK;
void sched_node_delete(struct sched *s, str name); /* bound pods of it wait for it to come back or to be deleted; assumed and nominated ones are pending again */
/* A pod with a node is bound (or terminating); one whose node is unknown waits for that node and holds nothing.  A pod that was assumed on
 * the node it now says becomes bound. */
int sched_pod_put(struct sched *s, const struct pod_spec *spec, pod_id *ret_id /* or NULL */, struct err *err) MUST_CHECK;
void sched_pod_delete(struct sched *s, str ns, str name);
int sched_group_put(struct sched *s, const struct group_spec *spec, unit_id *ret_id /* or NULL */, struct err *err) MUST_CHECK;
void sched_group_delete(struct sched *s, str ns, str name);
/* A member of the group has succeeded; false: there is no such group, not even by its members. */
bool sched_group_ended(struct sched *s, str ns, str name);
void sched_namespace_put(struct sched *s, str name, struct spec_labels labels);
void sched_namespace_delete(struct sched *s, str name);
int sched_pv_put(struct sched *s, const struct pv_spec *spec, struct err *err) MUST_CHECK;
int sched_pvc_put(struct sched *s, const struct pvc_spec *spec, struct err *err) MUST_CHECK;
int sched_storage_class_put(struct sched *s, const struct storage_class_spec *spec, struct err *err) MUST_CHECK;
void sched_pv_delete(struct sched *s, str name);
void sched_pvc_delete(struct sched *s, str ns, str name);
void sched_storage_class_delete(struct sched *s, str name);
/* A declared topology tree: labels from its root down, and other names of the levels, "" for none (aliases NULL: of all).  sched_topology_key gives the key of one of its levels for group_spec ("zone,rack"), on the arena; the level's name itself when
 * there is no such tree or level. */
int sched_topology_put(struct sched *s, str name, const str *labels, const str *aliases, size_t n, struct err *err) MUST_CHECK;
void sched_topology_delete(struct sched *s, str name);
str sched_topology_key(const struct sched *s, struct arena *a, str name, str level);
/* Priority classes, for pods that name one and have no number (manifests that no admission saw); pods that are there already keep what they have. */
void sched_priority_class_put(struct sched *s, str name, int32_t value, bool never, bool is_default);
void sched_priority_class_delete(struct sched *s, str name);
/* Of that name, or the default one when the name is ""; the two that every cluster has are known.  NULL: no such class. */
const struct priority_class *sched_priority_class_find(const struct sched *s, str name);
int sched_pdb_put(struct sched *s, const struct pdb_spec *spec, struct err *err) MUST_CHECK;
void sched_pdb_delete(struct sched *s, str ns, str name);
/* Ways between domains that can carry so much; what is in place stays when one becomes narrower.  links.h says who takes of it. */
int sched_route_put(struct sched *s, const struct route_spec *spec, struct err *err) MUST_CHECK;
void sched_route_delete(struct sched *s, str ns, str name);
/* sched_event bits since the last call. */
uint64_t sched_take_events(struct sched *s);

/* Many equal pods without making and hashing their specs again: a pod like `like`, with another name. */
pod_id sched_pod_clone(struct sched *s, pod_id like, str name, nsec_t created_ns);
/* The same with a uid; POD_NONE when there are too many pods, or one of that name. */
pod_id sched_pod_twin(struct sched *s, pod_id like, str name, str uid, nsec_t created_ns);
/* A pod that was assumed is where it was assumed: as sched_pod_put with its node and nothing else changed. */
void sched_pod_confirm(struct sched *s, pod_id p);

/* --- finding ---------------------------------------------------------------------------------------------------------------------- */
node_id sched_node_find(const struct sched *s, str name); /* NODE_NONE */
pod_id sched_pod_find(const struct sched *s, str ns, str name);
unit_id sched_unit_of(const struct sched *s, pod_id p);
unit_id sched_group_find(const struct sched *s, str ns, str name);
str sched_node_name(const struct sched *s, node_id n);
str sched_pod_name(const struct sched *s, pod_id p);
str sched_pod_ns(const struct sched *s, pod_id p);
str sched_pod_uid(const struct sched *s, pod_id p);
/* How many nodes there are, and pods in a state. */
uint32_t sched_node_count(const struct sched *s);
size_t sched_bytes(const struct sched *s); /* memory it holds, roughly */

/* --- decisions ----------------------------------------------------------------------------------------------------------------------- */
enum unit_result {
    UNIT_PLACED,     /* every pod of the unit that can be placed now is ASSUMED; at least the minimum */
    UNIT_PREEMPTING, /* victims must go first: they are TERMINATING, the unit's pods are NOMINATED where they will fit */
    UNIT_INCOMPLETE, /* a group below its minimum of created members, or undeclared */
    UNIT_GATED,
    UNIT_REJECTED,   /* no way: see rejected_by and helped_by */
    UNIT_NOTHING     /* no pod of it is waiting */
};
struct placement {
    pod_id pod;
    node_id node;
    uint16_t gpu_mask;
    int32_t score;
};
struct unit_decision {
    enum unit_result result;
    VEC(struct placement) placements; /* PLACED: binds; PREEMPTING: nominations */
    VEC(pod_id) victims;
    uint64_t rejected_by; /* plugins (bits of s->table) that rejected nodes for the pod that failed */
    uint32_t helped_by;   /* sched_event mask */
    pod_id failed_pod;    /* the first that found no node */
    class_id waits_for;   /* of a group across namespaces that needs all its pods: as things are no node takes a pod of this class, and what a node is like decides alone; 0: not known */
    sym_t waits_link[2];  /* of such a group: as things are the link between these domains lacks what it takes; 0: not known */
};
#define UNIT_DECISION_INIT ((struct unit_decision){0})
void unit_decision_fini(struct unit_decision *d);
/* Decides for a unit and applies the decision; nothing is changed unless PLACED or PREEMPTING, but for this: a REJECTED unit whose victims have gone, and for
 * whom there is room neither on the nodes it is nominated to nor anywhere else, loses its nominations (unit.h).  d is cleared and filled. */
void sched_place(struct sched *s, unit_id u, nsec_t now, struct unit_decision *d);
/* The batch policy's step: the members that the unit needs to reach its minimums, or one more when it has them.  Nobody is evicted, room kept for nominated pods of whatever
 * priority is not touched, and a rejected unit keeps its nominations.  probe: for statements that are rolled back, rejections have no reasons then. */
void sched_place_next(struct sched *s, unit_id u, nsec_t now, bool probe, struct unit_decision *d);
struct unit_members {
    VEC(pod_id) pods;
};
/* Those whom it needs: nominated and pending ones, large ones first. */
void sched_next_members(struct sched *s, unit_id u, struct unit_members *ret);
/* Takes an assumed or nominated pod back to pending (a bind failed, a time-out). */
void sched_forget(struct sched *s, pod_id p);
/* Puts a pod where somebody else decided (binder, replay): ASSUMED there, if it fits.  false: it does not, nothing changed. */
bool sched_assume(struct sched *s, pod_id p, node_id n);
