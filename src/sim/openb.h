/* openb.h - the GPU packing experiment on the openb traces: pods come one after another onto an empty cluster, none ever leaves, how much is allocated?
 *
 *   nodes   CSV with the columns sn, cpu_milli, memory_mib, gpu, model
 *   pods    CSV with name, cpu_milli, memory_mib, num_gpu, gpu_milli, and maybe gpu_spec ("A|B": one of these models); others are passed over
 * For each seed: pods sorted by name, shuffled; then random pods of the same list until 1.3 times the cluster's GPUs have been asked for.  Each is put into
 * the engine and decided on; one that does not fit is dropped.  After each arrival there is a row; the allocation at a load of X percent is the mean over
 * the rows whose arrived GPU share rounds to X percent of the capacity.
 * The profile's GpuPacking, if it has one without typicalPods of its own, is told the list's distribution, unless it is to learn it.
 * Threads: pure; the clock is read only when one is given.
 * Ownership: texts are borrowed for the call; the result is the caller's.
 * Limits: OPENB_PODS_MAX pods a run.  Errors are one sentence with file, line and column. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "sched/engine/engine.h"

#define OPENB_PODS_MAX 2000000u
#define OPENB_LOADS 6
extern const int openb_loads[OPENB_LOADS]; /* 80, 90, 95, 100, 110, 130 */

/* --- the files ----------------------------------------------------------------------------------------------------------------------------- */
struct openb_node {
    str name, model;
    int64_t cpu_milli, memory_mib;
    uint32_t gpus;
};
struct openb_pod {
    str name, spec; /* spec: models, "|" between them; "" any */
    int64_t cpu_milli, memory_mib;
    uint32_t gpus;
    int32_t gpu_milli; /* of each; 0 without GPUs */
};
struct openb_nodes {
    struct openb_node *p;
    size_t n;
};
struct openb_pods {
    struct openb_pod *p;
    size_t n;
};
/* Strings point into the text.  On the arena. */
int openb_parse_nodes(struct arena *a, str text, str file, struct openb_nodes *ret, struct err *err) MUST_CHECK;
int openb_parse_pods(struct arena *a, str text, str file, struct openb_pods *ret, struct err *err) MUST_CHECK;

/* --- the experiment ---------------------------------------------------------------------------------------------------------------------------- */
struct openb_opts {
    str nodes, nodes_file; /* text, and its name for errors */
    str pods, pods_file;
    uint64_t seed_from, seed_to; /* both included */
    struct sched_profile *(*make_profile)(void *arg); /* one a seed, taken; NULL: builtin gpu-packing */
    void *profile_arg;
    bool learn;                /* do not tell GpuPacking the distribution */
    const struct clock *clock; /* to measure decisions; NULL: not measured */
    void (*progress)(void *arg, uint64_t seed, uint32_t done, uint32_t all); /* now and then; may be NULL */
    void *progress_arg;
};
struct openb_row { /* of a seed, or the mean of all */
    uint64_t seed;
    double gpu_alloc_pct[OPENB_LOADS];
    double frag_pct; /* at 100: idle GPU share that a random pod of the list cannot use, of the capacity */
    double pods, placed; /* arrived, and placed */
    double decision_us; /* mean */
};
struct openb_result {
    struct openb_row *rows;
    size_t nrows;
    struct openb_row mean;
    size_t nodes, pods; /* in the files */
    int64_t gpus;
};
void openb_result_fini(struct openb_result *r);
int openb_run(const struct openb_opts *opts, struct openb_result *ret, struct err *err) MUST_CHECK;

/* {"nodes": .., "gpus": .., "seeds": [{"seed": 42, "gpu_alloc_pct": {"80": ..}, ...}], "mean": {...}} */
void openb_write_json(struct strbuf *b, const struct openb_result *r);
void openb_write_text(struct strbuf *b, const struct openb_result *r); /* a table */
