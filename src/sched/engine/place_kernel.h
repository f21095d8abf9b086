/* place_kernel.h - the vector passes behind place.h.
 *
 * Scoring a pod against every node exactly costs about 3 ns a node, most of it divisions.  So a scan does not: it computes for each node, in
 * floats, a bound that the exact score never exceeds and nearly always equals, and only nodes whose bound could beat the best so far are scored
 * exactly (place_exact.c).  On a scan of 5,000 nodes that is about ten.
 *     kernel_seek:  the next 16 nodes with one whose bound beats (score, tie)          0.35 ns a node with AVX-512
 *     kernel_exact: exact scores of all nodes, for caches and normalisation            about 3 ns a node
 * The bound needs cpu, memory and pods of 16 nodes side by side: struct hot_block, 32 bytes a node, so that 20,000 nodes stay in the second-level
 * cache.  The model keeps the blocks current (hot_node).
 *
 * Why it is a bound: shares of capacity are below 1.1 wherever a pod fits, and each is made of at most four roundings to 24 bits, so it is wrong
 * by less than 3e-7, and above 1 by less than 1e-6 more; scores in percent by less than 1e-4.  HOT_SLACK is added before rounding down, so that rounding errors can only raise.
 * A node that is raised for nothing costs one exact evaluation.
 * Threads: everything only reads, but hot_node: the view's writer.
 * Limits: capacities and amounts of cpu and memory below 2^53. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

#define HOT_LANES 16u
#define HOT_SLACK 2e-4f /* in percent */
#define HOT_FULL 1.000001f

#if defined(__x86_64__)
/* Asking the processor is a load and a test: no state to keep. */
#define HAS_AVX512 (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl"))
#define HAS_AVX2 (__builtin_cpu_supports("avx2") != 0)
#else
#define HAS_AVX512 false
#define HAS_AVX2 false
#endif

struct hot_block {
    _Alignas(64) float used[2][HOT_LANES]; /* cpu, memory: requested share of capacity */
    float free[2][HOT_LANES];              /* 100 - percent of capacity used as scoring counts it, and HOT_SLACK */
    float inv[2][HOT_LANES];               /* 1 / capacity */
    float pods[HOT_LANES];                 /* how many more */
    int32_t unbalanced[HOT_LANES];         /* 150 - BalancedAllocation of what is there, exact: what BALANCED_GAIN adds */
};
/* Brings a node's lane up to date with the view's columns.  Nodes without cpu or memory have no bound: scans ask them one by one. */
void hot_node(struct view *v, node_id n);

/* A score that node events alone change, raw[n] normalised: base + weight * trunc(raw[n] * k).  Exact for raw values up to KERNEL_RAW_MAX. */
#define KERNEL_PARTS 4
#define KERNEL_RAW_MAX 10000
struct kernel_part {
    const int32_t *raw;
    float k;
    int32_t weight;
};
/* What the resource plugins want of a class; made by place_plan.c. */
struct kernel_class {
    double req[2], nonzero[2]; /* cpu, memory: requested; counted by scoring */
    bool checks[2];            /* requests of 0 fit anywhere, also where too much is used already */
    bool checks_pods;
    bool most;                 /* MostAllocated, else LeastAllocated */
    int32_t share[2];          /* weights of cpu and memory in the mean */
    int32_t fit_weight, balanced_weight; /* 0: that plugin does not score */
    bool gain;                 /* BALANCED_GAIN */
};
struct kernel_job {
    const struct kernel_class *of;
    const struct hot_block *hot;
    const uint32_t *tie;
    const uint64_t *fits; /* nodes to look at */
    uint32_t groups;      /* of HOT_LANES */
    int32_t base;         /* added to every score */
    struct kernel_part parts[KERNEL_PARTS];
    uint32_t nparts;
    int32_t highest[KERNEL_PARTS]; /* out: highest raw of the nodes that may fit, of all groups looked at; set to -1 before */
};
/* From group `from` on, the first with a node whose bound is above score, or equal to it with a tie rank below tie.  ret: the bounds of its nodes,
 * -1 for those that cannot.  j->groups: none. */
uint32_t kernel_seek(struct kernel_job *j, uint32_t from, int32_t score, uint32_t tie, int32_t ret[HOT_LANES]);

/* Exact: for every bit of fits the weighted sum of both resource scores, 0 when neither scores.  cpu and memory are not checked.  v has hot blocks. */
void kernel_exact(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret);
/* The same for one node. */
int32_t kernel_exact_one(const struct view *v, const struct kernel_class *k, node_id n);
/* Clears the bits of nodes with less than `amount` of resource r left. */
void kernel_fits(const struct view *v, uint16_t r, int64_t amount, uint64_t *fits);
/* to[n] = from[n] + weight * raw[n] for every bit of fits; others of the same 64 may change, too.  to is from, or apart from it. */
void kernel_add(const uint64_t *fits, uint32_t words, const int64_t *raw, int32_t weight, const int32_t *from, int32_t *to);
/* The best of scores by (score, lowest tie) among the bits of fits; NODE_NONE when there is none.  Scores are above INT32_MIN, ranks below INT32_MAX. */
node_id kernel_best(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie);

/* --- the formulas, for one node ---------------------------------------------------------------------------------------------------- */
static inline int64_t score_least(int64_t used, int64_t capacity)
{
    return used > capacity || capacity == 0 ? 0 : (capacity - used) * SCORE_MAX / capacity;
}
static inline int64_t score_most(int64_t used, int64_t capacity)
{
    return capacity == 0 ? 0 : MIN(used, capacity) * SCORE_MAX / capacity;
}
static inline double share_of(int64_t used, int64_t capacity)
{
    double f = (double)used / (double)capacity;
    return f > 1 ? 1 : f;
}
/* BalancedAllocation of two shares: 50 to 100. */
static inline int32_t score_balanced(double f0, double f1)
{
    return (int32_t)((1 - __builtin_fabs((f0 - f1) / 2)) * SCORE_MAX);
}
static inline int32_t score_gain(int32_t with, int32_t without)
{
    return 50 + (50 + with - without) / 2;
}

/* The variants behind kernel_seek, for the test that compares them. */
typedef uint32_t kernel_seek_fn(struct kernel_job *j, uint32_t from, int32_t score, uint32_t tie, int32_t ret[HOT_LANES]);
kernel_seek_fn *kernel_variant(size_t i, const char **ret_name); /* NULL: no more, or not on this machine (then *ret_name is set) */
/* Those behind kernel_best likewise: the first 3, NULL when not on this machine. */
struct lanes;
typedef void kernel_best_fn(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie, struct lanes *l);
kernel_best_fn *kernel_best_variant(size_t i);
node_id kernel_best_by(kernel_best_fn *by, const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie);
