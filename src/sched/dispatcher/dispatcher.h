/* dispatcher.h - units that wait for a decision, and whose turn it is.
 *
 *   add ──► ready ──pop──► in flight ──► done
 *             ▲  ▲             │ rejected
 *             │  └─ event that may help / flush ── parked
 *             └──── time ── backing off ◄──┘ helped while backing off
 *   incomplete gangs and gated pods are held until a member comes or a gate goes.
 * A unit is in exactly one place.  Order is a plugin: dispatch_order (priority then arrival by default).  Against starvation: a unit passed over
 * for longer than starvation_ns is tried before younger ones of any priority once, every starvation_ns.
 * A unit that preempts stays in flight until the binder says done or retry.
 * A task of several domains (unit_crosses) keeps its age when it is rejected; of those that came within a minute the ones that ask for the most bandwidth go first; and it is tried again as soon as,
 * and only when, the pod that fitted nowhere fits somewhere (blocked.c), or the link that was too full has room (linked.c), without a back-off.  One that has waited for keepRoomAfterSeconds and is passed
 * over by younger ones has room kept for it (protect.c).
 * Of parked units that are all alike one is tried, and the next ones only when it found a place: when it is rejected, they would be.
 * Threads: one, the pipeline's driver.
 * Limits: LIMIT_SCHED_QUEUE units; add beyond it is E_BUSY.  add/pop O(log n); an event costs the units it may help, one of each kind. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"

/* An order gives each unit a key when it becomes ready; the smallest goes first, equal ones as they came.  A key and not a comparison: what
 * it is made of may change while the unit waits, and dispatcher_add makes it anew.  `since`: the unit's creation, after a rejection the time
 * of that. */
struct dispatch_order {
    const char *name;
    void (*key)(const struct sched *s, unit_id u, nsec_t since, uint64_t ret_key[2]);
    /* Units whose pods are all alike go by `since` and arrival: one of them may be tried for all (kin.c).  false: it looks at more than that. */
    bool equals_by_arrival;
};
extern const struct dispatch_order dispatch_order_priority; /* priority, since */
extern const struct dispatch_order dispatch_order_fifo;
/* For keys: signed numbers so that they compare as unsigned ones. */
static inline uint64_t dispatch_key(int64_t v)
{
    return (uint64_t)v ^ 1ull << 63;
}

struct dispatcher_opts {
    const struct dispatch_order *order;    /* NULL: priority */
    nsec_t backoff_first_ns, backoff_max_ns; /* 1 s, 10 s; gangs: max times sqrt(size) */
    nsec_t flush_ns;      /* parked units are tried again after this: 5 min */
    nsec_t starvation_ns; /* 0: off */
};
#define DISPATCHER_OPTS_DEFAULT ((struct dispatcher_opts){NULL, NSEC_PER_SEC, 10 * NSEC_PER_SEC, 300 * NSEC_PER_SEC, 0})

/* Those that came within so much time of each other are of one age. */
#define DISPATCH_SAME_AGE_NS (60 * NSEC_PER_SEC)
#define DISPATCH_PROTECTED 4u /* tasks that room is kept for at a time */

enum dispatch_place { DISPATCH_ABSENT, DISPATCH_READY, DISPATCH_FLYING, DISPATCH_BACKOFF, DISPATCH_PARKED, DISPATCH_HELD };

struct dispatcher;
struct dispatcher *dispatcher_new(struct sched *s, const struct dispatcher_opts *opts);
void dispatcher_free(struct dispatcher *d);
/* Tells of a unit that may have waiting pods (new, or changed): ready, or held when incomplete or gated. */
int dispatcher_add(struct dispatcher *d, unit_id u, nsec_t now, struct err *err) MUST_CHECK;
void dispatcher_remove(struct dispatcher *d, unit_id u); /* gone; fine when absent, also in flight */
/* The next unit, in flight then; UNIT_NONE when none is ready. */
unit_id dispatcher_pop(struct dispatcher *d, nsec_t now);
/* Before its turn: who is popped so is passed over, or not, when its turn has come. */
unit_id dispatcher_pop_ahead(struct dispatcher *d, nsec_t now);
/* Is it known that a unit in flight lacks a pod's place or a link that it cannot do without?  Then it waits for that, untried. */
bool dispatcher_pass_over(struct dispatcher *d, unit_id u, nsec_t now);
/* How a unit in flight ended: placed (with surplus members still waiting it is ready again), or rejected.  PREEMPTING is no end. */
void dispatcher_done(struct dispatcher *d, unit_id u, const struct unit_decision *how, nsec_t now);
/* Lost a conflict or a bind failed: ready again at once, in its old place of the line. */
void dispatcher_retry(struct dispatcher *d, unit_id u, nsec_t now);
/* Units that name a queue of the batch policy are somebody else's (policy/policy.h): those that are here go, and adds and retries of them do nothing. */
void dispatcher_leave_batch(struct dispatcher *d);
/* Takes a pop back, as if it had not been: for a driver that popped ahead. */
void dispatcher_unpop(struct dispatcher *d, unit_id u);
/* Would this unit, in flight by a pop ahead, still be the next one to pop? */
bool dispatcher_is_next(struct dispatcher *d, unit_id u, nsec_t now);
/* The batch policy, whose units the dispatcher does not have, has placed one that was created then. */
void dispatcher_placed(struct dispatcher *d, nsec_t created_ns);
/* sched_event bits: wakes parked units that one of them may help (after their back-off). */
void dispatcher_events(struct dispatcher *d, uint64_t events, nsec_t now);
/* Moves units whose back-off or flush time has come; returns when to call again (INT64_MAX: never). */
nsec_t dispatcher_tick(struct dispatcher *d, nsec_t now);
enum dispatch_place dispatcher_where(const struct dispatcher *d, unit_id u);
/* 1 is next; only for READY units; O(n). */
int64_t dispatcher_position(const struct dispatcher *d, unit_id u);
struct dispatcher_counts {
    uint32_t ready, flying, backoff, parked, held;
};
struct dispatcher_counts dispatcher_count(const struct dispatcher *d);
uint32_t dispatcher_attempts(const struct dispatcher *d, unit_id u);
/* The unit that is popped after k others if nothing changes, UNIT_NONE: unknown.  A guess to fetch memory by. */
unit_id dispatcher_hint(const struct dispatcher *d, uint32_t k);
/* Is every unit in exactly one place, and do the counts agree?  For tests. */
int dispatcher_check(const struct dispatcher *d, struct err *err) MUST_CHECK;
