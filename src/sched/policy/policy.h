/* policy.h - batch policy on the engine: queues with shares, quotas and limits decide which units start, and which give way.
 *
 *   engine events ─► accounts (always what the pods say) ─► fair shares ─► whose turn ─► allocate ─► consolidate ─► reclaim ─► preempt ─► stale, too long
 *                                                             decisions: binds; or victims that go and room that is kept ◄──┘
 *     struct policy *p = policy_new(s, NULL);
 *     policy_queue_put(p, &queue, &err);           ... sched_pod_put(s, &pod_with_queue, ...)
 *     policy_events(p, sched_take_events(s));
 *     policy_round(p, now, &d);                    // decides and applies to the engine; tell the world about each of d.list
 * A unit is under the policy when it names a queue; all others are the dispatcher's, and cost nothing here.
 * A round is called when something changed, or at d.again_ns.  What cannot start is remembered by kind (units that are alike in all that matters) until an event can help it, so that ten
 * thousand equal ones cost one try.  Who loses its place again and again waits longer and longer before it may evict others: rules that chase each other in a circle come to rest.  Nobody is evicted before the one who gains is proven to fit, and the room is kept for it: its pods are NOMINATED until the victims have gone.
 * Pure: no I/O, clock or globals; the same events and queues give the same decisions.
 * Threads: one, the engine's writer.
 * Ownership: the policy belongs to the caller and must go before the engine; one policy an engine.
 * Limits: those of queues.h and of the engine; opts.max_tries units are tried a round, the next one goes on (d.more). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sched/policy/queues.h"

enum policy_action { POLICY_ALLOCATE, POLICY_CONSOLIDATE, POLICY_RECLAIM, POLICY_PREEMPT, POLICY_STALE, POLICY_TOO_LONG, POLICY_ACTIONS };
struct policy_opts {
    double past;            /* weight of the past in the division, KAI's kValue */
    double saturation;      /* >= 1: how much less saturated than its victims' queue a reclaimer's must be */
    nsec_t stale_grace_ns;  /* a gang below its minimum for longer is evicted as a whole; -1: never */
    uint32_t max_moves;     /* units that consolidation moves for one, 0: none */
    uint32_t max_tries;     /* of a round, 0: no end */
    nsec_t half_life_ns, window_ns; /* of usage; window 0: no history */
    uint32_t actions;       /* mask of 1 << enum policy_action that may be taken */
};
#define POLICY_OPTS_DEFAULT ((struct policy_opts){1.0, 1.0, 60 * NSEC_PER_SEC, 16, 0, 0, 0, (1u << POLICY_ACTIONS) - 1})

struct policy_decision {
    unit_id unit; /* who gains; UNIT_NONE when victims go for nobody's sake (STALE, TOO_LONG) */
    enum policy_action action;
    struct unit_decision d; /* UNIT_PLACED: bind; UNIT_PREEMPTING: evict d.victims, d.placements are nominations */
};
struct policy_decisions {
    VEC(struct policy_decision) list;
    bool more;       /* the budget was spent: call again */
    nsec_t again_ns; /* when time alone may change something; INT64_MAX: never */
};
#define POLICY_DECISIONS_INIT ((struct policy_decisions){.again_ns = INT64_MAX})
void policy_decisions_fini(struct policy_decisions *d);

struct policy;
struct policy *policy_new(struct sched *s, const struct policy_opts *opts /* NULL: default */);
void policy_free(struct policy *p);
/* A policy that does not listen costs the engine nothing, and knows nothing of its units: for as long as there are none.  Listening again, it makes its accounts anew. */
void policy_listen(struct policy *p, bool on);
int policy_queue_put(struct policy *p, const struct queue_spec *spec, struct err *err) MUST_CHECK;
void policy_queue_delete(struct policy *p, str name);
const struct queues *policy_queues(const struct policy *p);
/* sched_event bits, as the dispatcher gets them. */
void policy_events(struct policy *p, uint64_t events);
/* d is cleared and filled. */
void policy_round(struct policy *p, nsec_t now, struct policy_decisions *d);
/* Is the unit the policy's to decide about? */
bool policy_has(const struct policy *p, unit_id u);

/* --- why ------------------------------------------------------------------------------------------------------------------------------ */
enum policy_verdict {
    POLICY_NOT_BATCH,  /* names no queue */
    POLICY_RUNNING,    /* nothing of it waits */
    POLICY_NEW,        /* its turn has not come yet */
    POLICY_KEPT,       /* room is kept for it: victims are going */
    POLICY_QUEUE,      /* its queue says no: why.queue and why.blame */
    POLICY_INCOMPLETE, /* members are missing */
    POLICY_GATED,
    POLICY_NO_FIT      /* no nodes for it; why.tried says what eviction could do */
};
enum policy_tried {
    TRIED_NOT,      /* not yet, or switched off */
    TRIED_NO_CLAIM, /* it may not: reclaim beyond the fair share, a fixed one beyond its quota */
    TRIED_NOBODY,   /* there is nobody whom it may evict */
    TRIED_NO_ROOM,  /* not even with all of those gone would it fit */
    TRIED_UNFAIR,   /* it would leave others worse off than itself */
    TRIED_TOO_SOON  /* its like were evicted again and again: it waits before it evicts others */
};
struct policy_why {
    enum policy_verdict verdict;
    enum queue_verdict queue;
    struct queue_blame blame;
    uint64_t rejected_by;                      /* plugins, as unit_decision has it */
    enum policy_tried tried[POLICY_ACTIONS];
    uint32_t position;                         /* in its queue, 1 is next; 0: does not wait */
    queue_id leaf;
    bool fixed;                                /* non-preemptible */
    struct policy_amounts ask, held, fair, allocated; /* what it needs next, and has; of its queue */
};
void policy_why(const struct policy *p, unit_id u, struct policy_why *ret);
/* The same without its position, which costs a look at everybody in line. */
void policy_why_brief(const struct policy *p, unit_id u, struct policy_why *ret);
/* Accounts, lines and lists made anew from the pods and compared; the sentence says what differs.  For tests. */
int policy_check(struct policy *p, struct err *err) MUST_CHECK;
