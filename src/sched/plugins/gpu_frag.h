/* gpu_frag.h - how much of a node's free GPU share will never be used, given what kind of pods come.
 *
 * A score that looks one pod ahead (is the rest of this device usable by the next pod?) strands devices: eight of them stay free on a node whose cpu is
 * gone.  This one asks how the node fills up.  Pods are thought to come in a random order drawn from the mix; each takes what it needs when it fits; after
 * about GPU_FRAG_HORIZON of them the node has got what it will get.  The waste is what is free then.
 *
 *     fill of one device with `left` milli and `cpu` for it alone:
 *         fill(left, cpu) = sum over pods that fit of  p * (milli + fill(left - milli, cpu - their cpu))  /  (sum of these p + 1 / horizon)
 *     fill of k free devices that share cpu:
 *         free(k, cpu) = the same, a pod with a fraction completed by the mean fill of the device's rest
 *     waste = free share - free(k, cpu of the free devices) - fill of each partly used one with its part of the cpu
 * Cpu is divided in proportion to what each device would take if there were enough.  Pods that need several devices are not in these tables: what they
 * need is kept free by prices (gpu_packing.c).  Memory is not looked at.
 * Both are tables, made once a mix: a few hundred microseconds; a waste is then some ten loads.
 * Threads: immutable once made.
 * Limits: GPU_FRAG_PODS kinds of pods; models beyond GPU_FRAG_MODELS are taken as one. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

#define GPU_FRAG_PODS 512u
#define GPU_FRAG_MODELS 64u
#define GPU_FRAG_HORIZON 100

/* A kind of pod and how often it comes, in any unit. */
struct gpu_frag_pod {
    double weight;
    int64_t cpu_milli;
    uint32_t gpus;    /* 0: cpu alone */
    int32_t milli;    /* of each device */
    uint64_t models;  /* bit m: may run on model m; all bits: any */
};

struct gpu_frag;
/* nmodels: how many are in use; devices: the most a node has. */
struct gpu_frag *gpu_frag_new(const struct gpu_frag_pod *pods, size_t n, uint32_t nmodels, uint32_t devices);
void gpu_frag_free(struct gpu_frag *f);
/* In milli.  left[i] of each of n devices, 0..1000; cpu_milli free on the node. */
float gpu_frag_waste(const struct gpu_frag *f, uint32_t model, int64_t cpu_milli, const uint16_t *left, uint32_t n);
