/* storage.h - claims, volumes and storage classes as the scheduler needs them: which nodes a claim allows, what a pod would take there.
 *
 *   pod ──► claim ──► volume (bound, or chosen when the pod was placed) ──► reach: the nodes it can be used from
 *                └──► storage class: may one be made on this node?
 * A claim that waits for its first consumer takes the smallest free volume that fits when a pod of its is put on a node, or the right to have one made
 * there; both are let go when the last such pod leaves, and a rollback gives back the very same volume.
 * Attachments are counted by node and driver for drivers that some node limits; the same volume counts once a node.
 * The rules are kube-scheduler's; plugins/volume_*.c and node_volume_limits.c ask them.
 * Threads: the engine's writer; readers while it stands still.
 * Ownership: specs are borrowed for the call.
 * Limits: LIMIT_SCHED_SPEC_ITEMS terms, labels and requirements of one object. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

struct storage *storage_new(struct sched *s);
void storage_free(struct storage *st);
int storage_pv_put(struct sched *s, const struct pv_spec *spec, struct err *err) MUST_CHECK;
int storage_pvc_put(struct sched *s, const struct pvc_spec *spec, struct err *err) MUST_CHECK;
int storage_class_put(struct sched *s, const struct storage_class_spec *spec, struct err *err) MUST_CHECK;
void storage_pv_delete(struct sched *s, str name);
void storage_pvc_delete(struct sched *s, str ns, str name);
void storage_class_delete(struct sched *s, str name);
/* Limits of a node told apart from the node itself (CSINode), which may not be there yet; they win over the node's own.  n 0: none. */
int storage_limits_put(struct sched *s, str node, const struct spec_volume_limit *limits, size_t n, struct err *err) MUST_CHECK;
/* A pod came onto a node (sign +1): its unbound claims take volumes there, attachments are counted; or left it. */
void storage_pod(struct sched *s, pod_id p, node_id n, int sign);
/* A node was shown (sign +1: labels and limits may be new) or is being hidden (-1). */
void storage_node(struct sched *s, node_id n, int sign);
void storage_nodes_grown(struct sched *s);
/* For model_check: recomputes uses and attachments from the pods and compares. */
int storage_check(const struct sched *s, struct err *err) MUST_CHECK;

/* --- what plugins ask ---------------------------------------------------------------------------------------------------------------- */
enum storage_state {
    STORAGE_OK,
    STORAGE_NO_CLAIM,       /* what[0] is not there */
    STORAGE_LOST,           /* what[0] is bound to the volume what[1] that is gone */
    STORAGE_DELETING,       /* what[0] is being deleted */
    STORAGE_IMMEDIATE,      /* what[0] should have been bound before */
    STORAGE_NO_VOLUME,      /* what[0] is bound to what[1], which is not there */
};
/* Can the claims of the class be had on any node at all?  The first that cannot, and its name. */
enum storage_state storage_ready(const struct sched *s, const struct pod_class *c, sym_t what[2]);
/* A claim of the class that is not there, 0: none. */
sym_t storage_missing_claim(const struct sched *s, const struct pod_class *c);
/* Volumes of the bound claims and what the unbound ones would take: clears the nodes that will not do. */
void storage_bind_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits);
bool storage_affinity_fits(const struct sched *s, const struct pod_class *c, node_id n); /* bound claims on this node */
bool storage_match_fits(const struct sched *s, const struct pod_class *c, node_id n);    /* unbound claims on this node */
/* Zone and region labels of the volumes of bound claims.  unknown: a claim that is not there, or whose volume is not and should be; 0: none. */
sym_t storage_zone_unknown(const struct sched *s, const struct pod_class *c);
void storage_zone_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits);
bool storage_zone_fits(const struct sched *s, const struct pod_class *c, node_id n);
/* Attachments against the nodes' limits.  what: the driver that is full; need and have: volumes to attach, room. */
void storage_limit_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits);
bool storage_limit_fits(const struct sched *s, const struct pod_class *c, node_id n, sym_t *ret_driver, int64_t *ret_need, int64_t *ret_have);
/* Is a ReadWriteOncePod claim of the class in use by a pod on some node?  Its name, 0: no. */
sym_t storage_exclusive_claim(const struct sched *s, const struct pod_class *c);
/* Inline disks that a pod on the node has in a way that excludes this one. */
void storage_disk_filter(const struct sched *s, const struct pod_class *c, uint64_t *fits);
bool storage_disk_fits(const struct sched *s, const struct pod_class *c, node_id n, sym_t *ret_disk);
