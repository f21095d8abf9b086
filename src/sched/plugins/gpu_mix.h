/* gpu_mix.h - which pods come: given by the profile, or learned from the pods that the engine knows.
 *
 * Learned: every class counts with its pods, waiting or placed; what was known before counts half at each renewal, so that pods that are gone are forgotten
 * slowly.  A new engine starts from a guess (whole devices mostly) that a hundred pods outweigh.
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/plugins/gpu_frag.h"
#include "sched/plugins/gpu_packing.h"

struct gpu_packing_args {
    const struct gpu_mix_pod *pods; /* typicalPods */
    size_t npods;
    bool given;
    void *state; /* of the engine that owns the profile */
};
int gpu_packing_configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err);

struct gpu_models { /* of the cluster's devices, numbered as they are met */
    sym_t sym[GPU_FRAG_MODELS];
    uint32_t n;
    int64_t memory_mib, devices; /* sums over nodes, for the mean device */
};
uint32_t gpu_models_index(struct gpu_models *m, sym_t model); /* adds it */

struct gpu_mix {
    struct gpu_frag_pod *pods; /* by weight, heaviest first */
    size_t n, cap;
    double weight; /* of all */
};
void gpu_mix_fini(struct gpu_mix *x);
/* Makes the mix current. */
void gpu_mix_renew(struct gpu_mix *x, const struct sched *s, const struct gpu_packing_args *args, const struct gpu_models *models);
