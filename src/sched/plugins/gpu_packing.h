/* gpu_packing.h - GpuPacking: what others need of it.
 *
 * The score of a node is how little placing the pod there spoils: the free GPU share that will never be used (gpu_frag.h) grows by as little as possible,
 * and what only few nodes can give (a model that pods insist on, many free devices at once) is kept for those that need it (gpu_demand.h).
 * What kind of pods come is given in the arguments, or learned from the pods the engine knows.
 * Threads: those of a plugin. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

/* A kind of pod and how often it comes, in any unit. */
struct gpu_mix_pod {
    double weight;
    int64_t cpu_milli;
    uint32_t gpus;     /* 0: cpu alone */
    int32_t gpu_milli; /* of each */
    const str *models; /* none: any */
    size_t nmodels;
};
/* Gives GpuPacking of this profile and those that follow it the mix, where it has none, as its argument typicalPods would; copied.  At most GPU_FRAG_PODS, the rest is left out. */
void gpu_packing_set_mix(struct sched_profile *p, const struct gpu_mix_pod *pods, size_t n);
bool gpu_packing_has_mix(const struct sched_profile *p); /* of this one */

/* Which `count` devices out of `allowed` (each has milli left) a pod on node n gets that its cpu is already counted for; 0: GpuPacking does not score for it. */
uint16_t gpu_packing_choose(const struct sched *s, const struct pod_class *c, node_id n, uint16_t allowed, uint32_t count, int32_t milli);
