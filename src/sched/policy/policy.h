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
 * Ownership: the policy belongs to the caller and must go before the engine.  An engine may have several when each has a pool of its own: opts.has_pool.
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
    uint32_t max_reservations; /* units at a time that room is reserved for (backfill.c), 0: none */
    nsec_t hold_after_ns;   /* for so long a unit is passed over before room is held for it, when nobody knows how long the others run; -1: never */
    nsec_t age_every_ns;    /* waiting units rise in their queue at each of these, 0: never ... */
    int32_t age_step;       /* ... by so much, but not to PREEMPTIBLE_BELOW from below it ... */
    uint32_t age_steps;     /* ... and so many times at most */
    bool tumbles;           /* the window of usage begins anew every window_ns, counted from window_from_ns; else it slides */
    nsec_t window_from_ns;
    nsec_t preempt_min_runtime_ns, reclaim_min_runtime_ns; /* of queues that do not say, nor any above them */
    bool reclaim_by_leaf;   /* see queues_set_min_runtimes */
    bool still_reclaim;     /* reclaim does not move those who could run elsewhere */
    uint32_t depth[POLICY_ACTIONS]; /* units of a queue that an action looks at, from the head of its line; 0: all */
    struct policy_defrag_opts {
        nsec_t every_ns;       /* how often defragmentation is thought of, 0: never; whoever calls policy_defragment keeps to it */
        uint32_t units, pods;  /* that are moved at a time ... */
        uint32_t hourly;       /* ... and pods in an hour */
        nsec_t min_runtime_ns; /* who has run for less is left alone */
    } defrag;
    bool has_pool;          /* only units and nodes of this pool; else all */
    sym_t pool;             /* 0: those of no pool */
};
#define POLICY_OPTS_DEFAULT                                                                                                                                \
    ((struct policy_opts){.past = 1.0, .saturation = 1.0, .stale_grace_ns = 60 * NSEC_PER_SEC, .max_moves = 16, .actions = (1u << POLICY_ACTIONS) - 1, \
                          .max_reservations = 4, .hold_after_ns = 300 * NSEC_PER_SEC, .defrag = POLICY_DEFRAG_DEFAULT})
#define POLICY_DEFRAG_DEFAULT {.units = 4, .pods = 8, .hourly = 32, .min_runtime_ns = 600 * NSEC_PER_SEC}
#define POLICY_RESERVATIONS_MAX 32u

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
/* Gives up the room that is kept for units: nobody is there any more to start them in it. */
void policy_let_go(struct policy *p);
/* From the next round on; everything is looked at again. */
void policy_set_opts(struct policy *p, const struct policy_opts *opts);
const struct policy_opts *policy_get_opts(const struct policy *p);
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
/* The history of its queues as text, until now, and back: see queues_usage_save.  Without opts.window_ns there is none. */
void policy_usage_advance(struct policy *p, nsec_t now); /* what is held now was held until now: before the engine hears of changes; a round does it, too */
void policy_usage_save(struct policy *p, nsec_t now, struct strbuf *out);
void policy_usage_load(struct policy *p, str text);

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
    TRIED_TOO_SOON, /* its like were evicted again and again: it waits before it evicts others */
    TRIED_DELAYED   /* it asked to wait before others are evicted for it */
};
struct policy_why {
    enum policy_verdict verdict;
    enum queue_verdict queue;
    struct queue_blame blame;
    struct queue_blame bar;                    /* NO_FIT: nodes of a GPU model are not for it, as its queue may have no more of that; queue QUEUE_NONE: all are */
    uint64_t rejected_by;                      /* plugins, as unit_decision has it */
    enum policy_tried tried[POLICY_ACTIONS];
    uint32_t position;                         /* in its queue, 1 is next; 0: does not wait */
    queue_id leaf;
    bool fixed;                                /* what it asks for is non-preemptible */
    struct policy_amounts ask, held, held_fixed, fair, allocated; /* what it needs next, and has, and the part of that which is not taken away; of its queue */
    bool reserved;       /* room is reserved for it, on policy_reserved's nodes */
    nsec_t start_ns;     /* when it will start there; INT64_MAX: nobody knows */
    unit_id kept_for;    /* it would fit, but for the room that is reserved for this one ... */
    nsec_t kept_until_ns; /* ... which starts then; INT64_MAX: nobody knows when */
    nsec_t delayed_ns;   /* until then nobody is evicted for it, as it asked; 0: it did not, or that is over */
    bool gave_up;        /* KAI's schedulingBackoff: not tried again until nodes change */
};
void policy_why(const struct policy *p, unit_id u, struct policy_why *ret);
/* The same without its position, which costs a look at everybody in line. */
void policy_why_brief(const struct policy *p, unit_id u, struct policy_why *ret);
/* The nodes on which room is reserved for the unit, each once; returns how many there are, however many fit. */
size_t policy_reservations(const struct policy *p); /* how many units there are with such room */
size_t policy_reserved(const struct policy *p, unit_id u, node_id *ret, size_t max);
struct policy_waiting { /* of a leaf; times are since then, 0: nobody */
    nsec_t oldest_ns;   /* the oldest unit that waits came */
    nsec_t starved_ns;  /* a unit that its queue owes its room found none first */
    uint32_t units[POLICY_NO_FIT + 1]; /* that wait, by verdict; none of queues that do not exist */
};
void policy_waiting(struct policy *p, queue_id leaf, struct policy_waiting *ret);
/* What it says, for people; on the arena.  Without its place in line. */
str policy_sentence(const struct policy *p, struct arena *a, unit_id u, const struct policy_why *why);

/* --- defragmentation (defrag.c) -------------------------------------------------------------------------------------------------------- */
struct policy_move {
    pod_id pod;
    node_id from, to;
};
struct policy_moves {
    VEC(struct policy_move) list;
    uint32_t units;
    struct policy_whole {
        uint32_t nodes, gpus; /* nodes with GPUs that are all free; GPUs that are */
    } before, after;
};
/* Pods that could move now so that more is whole: one node more whose GPUs are all free, or one GPU more, and nothing less of the other; at most `pods` and opts.defrag's, no disruption budget broken.  All of them
 * find a place where they are to go, at the same time.  False: none, or something is on its way.  The engine is as it was.  may_move (or NULL): units that the caller knows a reason to leave alone. */
bool policy_defragment(struct policy *p, nsec_t now, uint32_t pods, bool (*may_move)(void *arg, unit_id u), void *arg, struct policy_moves *ret);
void policy_whole(const struct policy *p, struct policy_whole *ret);

/* --- what if -------------------------------------------------------------------------------------------------------------------------- */
enum policy_start {
    POLICY_STARTS_NOW,
    POLICY_STARTS_AFTER_EVICTION, /* when the victims have gone; without victims: when those have gone that are leaving already */
    POLICY_STARTS_LATER,          /* when others have ended: alone in the cluster it would fit */
    POLICY_STARTS_NEVER
};
struct policy_trial {
    enum policy_start start;
    enum policy_action action; /* AFTER_EVICTION: by which; POLICY_ALLOCATE: nobody has to go who is not leaving */
    VEC(struct placement) placements; /* of the members that the unit needs to start */
    VEC(pod_id) victims;
    struct policy_why why;     /* LATER, NEVER; and its position in any case */
    bool proven;               /* false: whether it would fit alone was not looked at, there are too many pods */
};
#define POLICY_TRIAL_INIT ((struct policy_trial){.proven = true})
/* What would become of a unit that waits if its turn came now.  The engine and its accounts are as they were afterwards. */
void policy_try(struct policy *p, unit_id u, nsec_t now, struct policy_trial *ret);
void policy_trial_fini(struct policy_trial *t);
/* The first units in line of a leaf, in their order: ret[0] has position 1.  Costs a look at everybody in line, once.  Returns how many were written. */
size_t policy_line(const struct policy *p, queue_id leaf, unit_id *ret, size_t max);
bool policy_is_in_line(const struct policy *p, unit_id u);
/* Accounts, lines and lists made anew from the pods and compared; the sentence says what differs.  For tests. */
int policy_check(struct policy *p, struct err *err) MUST_CHECK;
