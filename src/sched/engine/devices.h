/* devices.h - GPUs and NUMA zones of a node: what fits, which devices a pod gets, and the books.
 *
 * Whole devices are taken entirely free ones; a fractional request takes `count` devices with that much left; GPU_MEMORY counts as the fraction
 * of the device's memory, rounded up to a milli.  Which devices: those the profile's packing score likes best (plugins/gpu_packing.c), else the fullest
 * that fit, then the lowest number.  With NUMA rules the devices and the cpus come from one zone.
 *
 * Zones have books of their own.  They count pods with a NUMA rule only: those that ask for one, and guaranteed pods with whole cpus (what the node's own
 * cpu manager pins).  All others share what the node has as a whole and are not bound to a zone.
 * Threads: take and give: the engine's writer; the rest only reads. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

/* --- GPUs ------------------------------------------------------------------------------------------------------------------------------ */
/* Is a device of that product of the model that somebody names: the product itself, or whole words of it, in any case?  "A100" and "a100-sxm4" are NVIDIA-A100-SXM4-80GB, "A10" is not. */
bool devices_model_is(str product, str model);
bool devices_model_fits(const struct sched *s, const struct pod_class *c, node_id n); /* of what the class asks for; always, when it names none */
/* Labels of nodes that say the product, the first that is there counts. */
extern const str devices_model_labels[];
extern const size_t devices_nmodel_labels;
/* Milli of one device that the class takes on a node like this (GPU_MEMORY depends on the node's memory); GPU_MILLI for whole ones; -1: never there,
 * the model is not one it asked for or the device has too little memory. */
int32_t devices_milli(const struct sched *s, const struct pod_class *c, node_id n);
/* Devices of n with that much left, as bits. */
uint16_t devices_room(const struct view *v, node_id n, int32_t milli);
bool devices_fit(const struct view *v, const struct pod_class *c, node_id n);
/* Milli left on device i, never below 0. */
static inline uint32_t devices_left(const struct gpu_state *g, uint32_t i)
{
    return g->used_milli[i] < GPU_MILLI ? GPU_MILLI - g->used_milli[i] : 0;
}

/* --- NUMA ------------------------------------------------------------------------------------------------------------------------------- */
enum numa_rule {
    NUMA_RULE_NONE,   /* zones do not matter */
    NUMA_RULE_PREFER, /* one zone if it can be, else spread over all */
    NUMA_RULE_ONE,
    NUMA_RULE_EXCLUSIVE
};
/* What binds a pod of the class on that node. */
enum numa_rule devices_numa_rule(const struct sched *s, const struct pod_class *c, node_id n);
bool devices_numa_fit(const struct view *v, const struct pod_class *c, node_id n);
/* The zones it would get: the tightest that fit, bits; 0: it does not fit, or no rule binds it. */
uint8_t devices_numa_zones(const struct view *v, const struct pod_class *c, node_id n);

/* --- the books -------------------------------------------------------------------------------------------------------------------------- */
/* Chooses (or takes given_mask, when not 0; and the zones in pod.numa_zones, when that is not 0 on entry: a rollback) and books; sets pod.gpu_mask and
 * pod.numa_zones.  The pod fits, or is put there by force by a bound pod's event: then the books may exceed 1000 and the node takes no more. */
void devices_take(struct sched *s, pod_id p, node_id n, uint16_t given_mask);
/* Clears both in the pod. */
void devices_give(struct sched *s, pod_id p, node_id n);
/* Compares the books of all nodes with their pods; the sentence says what differs.  For tests. */
int devices_check(const struct sched *s, struct err *err) MUST_CHECK;
