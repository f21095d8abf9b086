/* worker.h - the crew: threads that look for nodes on their replicas while the driver commits.
 *
 * The driver fills an array of jobs (units in the order of their turn), opens a round, and consumes answers in order; workers take
 * the next job, bring their replica up to date from the commit log, scan, and answer.
 *
 *   A worker's phase, one atomic word of (round, phase):
 *       OUT ──► ENTERING ──► IN ◄──► SCANNING          by the worker; ENTERING may copy columns: the engine stands still
 *        ▲ ╲                  │▲
 *        │  ╲ too late        ▼│                       by the driver: HELD while it changes what scans read, CLOSED when the round is over
 *        │   ╲─► CLOSED ◄── HELD
 *        └────── next round opened
 *   Only in SCANNING (and ENTERING) does a worker read the engine or a job; the driver waits for it to leave those before it changes
 *   anything.  A worker that hangs anywhere else is merely passed over: its jobs are taken from it, and when it comes back the round
 *   number tells it so.
 * Threads: crew_* belong to the driver.
 * Ownership: jobs, log and engine are borrowed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "sched/binder/replica.h"

enum job_state {
    JOB_OPEN,    /* nobody has answered */
    JOB_WRITING, /* a worker is writing its answer */
    JOB_READY,
    JOB_TAKEN /* the driver has it: serial, rescued, or done ahead of its turn */
};
struct job {
    _Atomic uint32_t state;
    class_id class_;
    uint64_t pos;     /* answer: commits it knows of */
    uint16_t ntop;
    uint16_t worker;   /* who answered, 0: the driver */
    int32_t rest_score; /* see place_scan */
    unit_id unit;
    pod_id pod;
    struct place_top top[PLACE_TOP];
} __attribute__((aligned(64)));

struct crew_round {
    struct job *jobs;
    uint32_t njobs;
    uint32_t window; /* jobs that may be ahead of the driver: bounds how old an answer is */
    uint32_t want;   /* nodes in an answer */
    bool fast;
    bool refresh;        /* replicas must look at the engine's journal */
    uint64_t logged_seq; /* for replica_refresh */
    uint64_t refreshes;  /* so far, this one included; the crew counts */
};

struct crew;
struct crew_opts {
    uint32_t nthreads;
    nsec_t stuck_ns; /* 0: never */
    const struct clock *clock;
    /* Tests: called by worker `number` (1..) with a job in hand, before it scans. */
    void (*stall)(void *arg, uint32_t number);
    void (*answered)(void *arg, uint32_t number); /* the same when it is through with the job */
    void *stall_arg;
};
struct crew *crew_new(struct sched *s, struct commit_log *log, const struct crew_opts *opts, struct err *err);
void crew_free(struct crew *c);
/* Nodes are dealt out to workers in words of 64; again when nodes came or went, or a worker is missing. */
void crew_partition(struct crew *c);
/* Starts a round; with refresh it returns when every worker has refreshed its replica or was left out.  Returns how many take part for sure. */
uint32_t crew_open(struct crew *c, const struct crew_round *round);
/* How far the driver is. */
void crew_done(struct crew *c, uint32_t done);
/* The next job nobody has, for the driver itself; UINT32_MAX: none. */
uint32_t crew_take(struct crew *c);
/* No worker scans between these two. */
void crew_hold(struct crew *c);
void crew_release(struct crew *c);
/* Ends the round: no worker reads engine or jobs any more. */
void crew_close(struct crew *c);
/* Waits a little; the longer the more. */
void crew_pause(uint32_t *spins);
/* Has this been going on for longer than stuck_ns?  *since is 0 at first. */
bool crew_is_stuck(const struct crew *c, nsec_t *since);
/* Is every replica that takes part the same as the engine's view?  Between rounds; for tests. */
int crew_check(struct crew *c, struct err *err) MUST_CHECK;
