/* shard_options.h - what a SchedulingShard of KAI asks for: options of the batch policy, read in one place for who admits the object and for who obeys it.
 *
 *   spec ──► shard_options_read ──┬─► struct shard_options      what is wrong or not understood leaves its default
 *                                 └─► notes: errors (the API server refuses the object) and warnings (of no effect here)
 *     spec:
 *       partitionLabelValue: a100                # node pool; absent: what has no label
 *       placementStrategy: {gpu: binpack, cpu: spread}
 *       kValue: 0.5
 *       usageDBConfig: {usageParams: {halfLifePeriod: 10m, windowSize: 1w}}
 *       args: {default-staleness-grace-period: 2m}
 * Durations are Go's (90s, 1h30m), and whole or broken numbers of days and weeks (7d, 1w).
 * Threads: pure.
 * Ownership: texts are the arena's or the object's.
 * Limits: SHARD_NOTES notes are kept; the first error is always among them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "wire/json.h"

enum shard_action { SHARD_ALLOCATE, SHARD_CONSOLIDATION, SHARD_RECLAIM, SHARD_PREEMPT, SHARD_STALE, SHARD_ACTIONS };
struct shard_options {
    str pool;                  /* partitionLabelValue, "": what has no label */
    double past;               /* kValue */
    double saturation;         /* >= 1 */
    nsec_t stale_grace_ns;     /* -1: never */
    uint32_t max_moves;
    bool still_reclaim;        /* reclaim does not move those who could run elsewhere */
    uint32_t max_reservations; /* units that room is reserved for, 0: none */
    nsec_t reserve_after_ns;   /* how long a unit finds no room before, where nobody knows when others end; -1: never */
    nsec_t age_every_ns;       /* waiting units rise in their queue, 0: never ... */
    uint32_t age_step, age_steps; /* ... by so much, so many times */
    nsec_t defrag_every_ns;    /* pods are moved so that more is whole, 0: never ... */
    uint32_t defrag_units, defrag_pods, defrag_hourly; /* ... so many at a time, and pods in an hour ... */
    nsec_t defrag_min_runtime_ns; /* ... that have run for so long */
    bool flat;                 /* all queues beside each other */
    uint32_t off;              /* mask of 1 << enum shard_action */
    uint32_t depth[SHARD_ACTIONS]; /* units of a queue that are looked at, 0: all */
    nsec_t preempt_min_runtime_ns, reclaim_min_runtime_ns; /* of queues that do not say */
    bool reclaim_by_leaf;      /* reclaimResolveMethod: queue */
    bool places;               /* false: nodeplacement is switched off */
    bool says_placement;       /* it does not go without saying */
    bool gpu_spread, cpu_spread;
    bool has_history;
    nsec_t half_life_ns, window_ns; /* half-life 0: none */
    bool tumbles;              /* the window begins anew every window_ns, counted from: */
    nsec_t window_from_ns;     /* 0: from the beginning of time */
};
extern const struct shard_options shard_options_default;

#define SHARD_NOTES 16u
struct shard_note {
    str path; /* "args[kvalue]", below spec */
    str text;
    str value; /* what stands there */
    bool is_error;
};
struct shard_notes {
    struct shard_note list[SHARD_NOTES];
    size_t n;
};
void shard_options_read(struct arena *a, const struct json *spec, struct shard_options *ret, struct shard_notes *notes);
/* Go's durations, days and weeks. */
bool shard_duration_read(struct arena *a, str text, nsec_t *ret);
