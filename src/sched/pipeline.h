/* pipeline.h - dispatcher, workers and binder put together: feed events to the engine, call pipeline_run, get binds.
 *
 *   engine events ─► dispatcher ─► workers 1..N (replicas, read only) ─► binder ─► engine, calls to the world
 * With 1 worker everything happens on the caller's thread: pop, sched_place, apply.  With more, a run is cut into rounds: the driver
 * prepares the classes of the next units, workers scan for those with replica_ok in parallel while the binder (the driver) commits in
 * order; all others (gangs, cross-node classes, preemption) are decided by the driver itself in their turn.
 * Deterministic mode: decisions are exactly those of 1 worker whatever N: the binder takes a proposal's best node when nothing that
 * was committed since can beat it, else looks at the touched nodes again.  Fast mode: a proposal that still fits is taken; node partitions
 * per worker (own nodes first, then all) keep conflicts rare; decisions depend on timing.
 * The driver is one of the N: it scans, too, while there is nothing to commit.
 * A worker that answers nothing for stuck_ns loses its units to the driver.
 * Threads: pipeline_* belong to one thread, the driver. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/binder/binder.h"

struct pipeline_opts {
    uint32_t workers; /* 1: no threads */
    bool fast;        /* else deterministic */
    nsec_t bind_timeout_ns, stuck_ns;
    struct dispatcher_opts dispatch;
    const struct clock *clock; /* for stuck_ns and its like; NULL: never looked at */
    uint32_t batch;            /* units of a round at most; 0: as many as is good */
    bool always_parallel;      /* tests: no round is too small or too uniform for workers */
    bool no_help;              /* tests: the driver never scans what a worker could */
    /* Tests: called by worker `number` (1..) with a unit in hand, before it scans. */
    void (*stall)(void *arg, uint32_t number);
    void (*answered)(void *arg, uint32_t number); /* the same when it is through with the unit */
    void *stall_arg;
};
struct pipeline;
struct pipeline *pipeline_new(struct sched *s, const struct pipeline_opts *opts, const struct binder_calls *calls, struct err *err);
void pipeline_free(struct pipeline *p);
struct dispatcher *pipeline_dispatcher(struct pipeline *p);
struct binder *pipeline_binder(struct pipeline *p);
/* Decides up to max units (0: until none is ready); returns how many were decided.  The binder's calls must not change the engine from within. */
size_t pipeline_run(struct pipeline *p, nsec_t now, size_t max);
struct pipeline_counts {
    uint64_t decided, placed;
    uint64_t conflicts; /* proposals that did not fit any more */
    uint64_t rescans;   /* by the driver, because an answer was too old or a conflict */
    uint64_t serial;    /* decided by the driver with sched_place */
    uint64_t helped;    /* scanned by the driver while it would have waited */
    uint64_t rescued;   /* taken from workers that did not answer */
    uint64_t rounds;
};
struct pipeline_counts pipeline_count(const struct pipeline *p);
/* Does every replica agree with the engine after a run?  For tests. */
int pipeline_check(struct pipeline *p, struct err *err) MUST_CHECK;
