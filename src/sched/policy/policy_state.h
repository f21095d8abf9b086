/* policy_state.h - what the files of policy.h share.
 *
 *   unit ─► kind (units of a leaf that are alike) ─► leaf ─► ... ─► root, chosen by walks (line.c)
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "base/map.h"
#include "sched/policy/policy.h"

/* A pod counts for so much of a resource at most (35 TB, 35 billion GPUs): the largest group adds up within 64 bits. */
#define POLICY_POD_MOST (1ll << 45)
_Static_assert(POLICY_POD_MOST <= INT64_MAX / LIMIT_SCHED_GROUP, "the largest group adds up");

enum min_state { MIN_BELOW, MIN_AT, MIN_ABOVE };

/* A unit under the policy, by unit id. */
struct batch_unit {
    bool known;   /* it is under the policy */
    bool dirty;   /* listed in policy.dirty, and not refreshed since */
    bool fixed;   /* non-preemptible */
    bool semi;    /* ... as far as its minimum goes */
    uint8_t min_state;
    queue_id leaf;    /* where it waits and may be evicted; QUEUE_NONE: nowhere, leaf_verdict says why */
    queue_id charged; /* what it holds is charged there: the leaf, or a queue that others have come to hang below; QUEUE_NONE: policy.foreign */
    enum queue_verdict leaf_verdict;
    uint32_t kind, kind_pos; /* waits in that kind; 0: in none */
    uint32_t run_pos;        /* in leaf.running, plus 1; 0: not there */
    uint32_t kept_pos;       /* in policy.kept, plus 1 */
    uint32_t npending, nplaced, nnominated;
    nsec_t start_ns;       /* of what runs, 0: nothing does */
    nsec_t since_ns;       /* work since then would be lost: the start, or a checkpoint; what a restart costs is taken off */
    nsec_t ready_ns;       /* before that nobody is evicted for it */
    nsec_t stale_since_ns; /* below its minimum since, 0: it is not */
    nsec_t blocked_ns;     /* since when it found no room, 0: it did, or its queue says no */
};

/* Units that are alike in leaf, priority, shape and state: what one of them is told, all are. */
struct kind {
    bool used, parked;
    queue_id leaf;
    int32_t priority;
    uint8_t min_state;
    str key; /* owned */
    VEC(unit_id) units; /* a heap: the oldest first */
    uint32_t leaf_pos;  /* in leaf.kinds */
    uint32_t walk_pos;  /* in leaf.turn, plus 1; 0: not in the walk */
    /* the last answer */
    uint32_t helped_by;
    enum policy_verdict verdict;
    enum queue_verdict queue;
    struct queue_blame blame;
    struct queue_blame bar; /* nodes of a GPU model were left out for that; queue QUEUE_NONE: none were */
    uint64_t rejected_by;
    uint64_t tried_epoch[POLICY_ACTIONS];
    uint8_t tried[POLICY_ACTIONS]; /* enum policy_tried */
    /* backfill.c's */
    unit_id kept_for;
    nsec_t kept_until_ns;
    nsec_t plan_ns;      /* not before then is a plan made for it; 0: at any time */
    uint32_t plan_fails;
    uint32_t failures;   /* of units with max_tries */
    bool gave_up;
};

/* Room that is kept for a unit that waits, while others end. */
struct reservation {
    unit_id unit;
    nsec_t created_ns; /* its unit's: numbers are used again */
    nsec_t start_ns;   /* INT64_MAX: nobody knows */
    nsec_t since_ns;   /* who started later is not waited for, unless it says when it ends */
    nsec_t made_ns;    /* the plan */
    uint64_t epoch;    /* of the plan */
    bool owed;         /* it is within its queue's quota then */
    bool held;         /* the unit's pods stand on their nodes as NOMINATED, for as long as units are allocated */
    VEC(struct placement) at;
};

/* Something that can be taken: a surplus pod, or all that a unit needs to be. */
struct lump {
    unit_id unit;
    queue_id leaf;
    bool core, breaks_budget;
    bool only_moves; /* it may not be lost, but may find itself elsewhere */
    int32_t priority;
    nsec_t start_ns, since_ns, created_ns;
    uint32_t first, n; /* in the list of pods beside it */
};
struct lumps {
    VEC(struct lump) list;
    VEC(pod_id) pods;
};

struct was {
    node_id node;
    uint16_t gpu_mask;
    uint8_t state, numa_zones;
};

/* A queue, by queue id; [0] stands above all roots. */
struct branch_queue {
    bool used, leaf;
    queue_id parent;
    VEC(queue_id) below;
    uint32_t slot; /* in parent.below */
    uint32_t width; /* power of two >= below.len */
    struct {
        queue_id *win; /* [2 * width]: who goes first of the two below; QUEUE_NONE: nobody */
        bool has;      /* somebody at all */
    } side[2];         /* enum walk_side */
    /* leaf */
    VEC(uint32_t) kinds; /* all of it, any order */
    VEC(uint32_t) turn;  /* in the walk: a heap, the best first */
    VEC(unit_id) running; /* may be evicted: preemptible, with pods on nodes and none that room is kept for; any order */
    uint64_t running_version, lumps_version;
    struct lumps lumps; /* of running, least loss first; made when somebody asks */
    size_t next_lump;
    struct policy_amounts ask; /* of the one whose turn it is */
};
enum walk_side { SIDE_LINE, SIDE_VICTIMS };

/* Upper bounds of the room on each node if everybody went who may; made once a round. */
struct room_bound {
    bool made, idle_made;
    struct policy_amounts idle; /* free or leaving, in the whole cluster; made anew when somebody was evicted */
    uint32_t nslots;
    int64_t *cpu, *memory, *gpu_milli, *gpus;
};

/* What was found out about a pod of the class by itself in a round: later in the same round there is less room, not more. */
struct class_answer {
    uint64_t rejected, no_bound, no_move; /* the round */
    uint64_t rejected_by;
    uint32_t helped_by;
};

struct policy {
    struct sched *s;
    struct sched_watch watch;
    struct policy_opts opts;
    struct queues *q;
    struct batch_unit *units;
    uint32_t nunits;
    int64_t *held, *waiting; /* [nunits * stride]: charged to the unit's leaf */
    int64_t *core;           /* the same: of `held`, what is charged as non-preemptible for semi-preemptible units, by the last refresh */
    uint32_t stride;         /* slots at the time of the last rebuild */
    VEC(unit_id) dirty, kept, stale;
    VEC(pod_id) leaving;     /* may hold pods that have gone */
    size_t leaving_room;     /* length at which those are looked for */
    VEC(struct kind) kinds;  /* [0] unused */
    VEC(uint32_t) free_kinds;
    struct map kind_by_key;
    struct branch_queue *tree;
    size_t ntree;
    bool rebuild, totals_stale, any_max_runtime;
    struct policy_gpus *gpus; /* gpus.c */
    sum_t foreign[POLICY_RES]; /* held by pods that are not under the policy, or in queues that are not there */
    int64_t least_gpu_mib;   /* of the cluster's devices; what a request in MiB is taken for while it waits */
    uint64_t epoch;          /* rises with everything that may change an answer */
    uint64_t woken;          /* events to wake kinds by */
    nsec_t now, again_ns;
    nsec_t shares_at;        /* when what history makes of the shares was last acted on */
    nsec_t expiry_ns;        /* when the first of those ends whose minimum run time kept somebody waiting */
    uint32_t tries;
    uint32_t aims;           /* searches node by node that are left in this round */
    bool aim_refused;        /* the last one would have been one too many */
    struct room_bound room;
    bool (*takes)(const struct policy *p, const struct kind *k, int arg); /* the walk that is under way, or NULL */
    int takes_arg;
    uint64_t round;
    struct class_answer *answers; /* by class */
    uint32_t nanswers;
    struct map losses;       /* losses.c */
    bool trying;             /* trial.c: nobody really loses anything */
    VEC(struct lump) taken_list; /* solver: what was evicted, in order */
    VEC(pod_id) taken_pods;
    VEC(struct was) was; /* where each of them was */
    struct policy_amounts *taken; /* by queue */
    struct unit_decision probe;
    struct unit_members members;
    VEC(uint32_t) parts;     /* victims.c: scratch */
    VEC(struct reservation) reservations; /* who has waited longest first */
    bool any_runtime;        /* a unit said how long it will run, ever ... */
    bool any_protect;        /* ... or is safe for a while */
    uint32_t plans, behind;  /* of this round */
    nsec_t plans_due_ns;     /* the first of kind.plan_ns of those that wait */
    VEC(uint32_t) tried_out; /* kinds of units with max_tries that found no room in this round */
    nsec_t aged_ns;          /* when the next unit rises */
};

/* Is the unit under this policy?  Does the node count for it? */
static inline bool policy_is_mine(const struct policy *p, const struct unit *unit)
{
    return unit->queue && (!p->opts.has_pool || unit->pool == p->opts.pool);
}
static inline bool policy_has_node(const struct policy *p, node_id n)
{
    return !p->opts.has_pool || (n != NODE_NONE && p->s->nodes[n].pool == p->opts.pool);
}

/* --- accounts (account.c) -------------------------------------------------------------------------------------------------------------- */
/* What a pod of the class counts for; n NODE_NONE: waiting. */
void policy_class_amounts(const struct policy *p, const struct pod_class *c, node_id n, struct policy_amounts *ret);
/* What the unit needs next, without what is kept for it already. */
void policy_ask(struct policy *p, unit_id u, struct policy_amounts *ret);
/* Brings a unit's place, accounts and lists up to date. */
void policy_refresh(struct policy *p, unit_id u);
/* The answers of the unit's class, NULL when it is not a pod by itself or others' places matter to it. */
struct class_answer *policy_answer(struct policy *p, unit_id u);
bool policy_is_fixed(const struct unit *unit);
/* Is what the unit asks for next bound to the quota? */
static inline bool policy_asks_fixed(const struct batch_unit *b)
{
    return b->fixed || (b->semi && b->min_state == MIN_BELOW);
}
/* Is there anything of it that may be taken, or moved?  Who others were evicted for is not evicted itself. */
static inline bool policy_may_lose(const struct batch_unit *b)
{
    return b->leaf && b->nplaced && !b->fixed && !b->nnominated && (!b->semi || b->min_state == MIN_ABOVE);
}
static inline bool policy_counts(uint8_t state)
{
    return state == PS_NOMINATED || state == PS_ASSUMED || state == PS_BOUND;
}
static inline bool policy_runs(uint8_t state)
{
    return state == PS_ASSUMED || state == PS_BOUND;
}

struct counted {
    struct policy_amounts held, waiting, core; /* core: of a semi-preemptible unit */
    uint32_t npending, nplaced, nnominated;
    nsec_t start_ns, checkpoint_ns, ready_ns; /* the last one is written; when others may be evicted for it */
    int64_t restart_cost_s;
    bool just_started;
};
void account_count(const struct policy *p, unit_id u, struct counted *ret); /* from its pods */
void account_forget(struct policy *p, unit_id u); /* out of all lists and accounts, as if it had never been seen */
void account_foreign(struct policy *p, unit_id u, int sign); /* its pods are not under the policy, or no longer so */
void account_grow(struct policy *p, unit_id u);
struct sched_watch account_watch(struct policy *p);
/* Whatever changed since the last round. */
void policy_catch_up(struct policy *p);

/* --- GPUs (gpus.c) ---------------------------------------------------------------------------------------------------------------------- */
#define GPUS_MOST (1ll << 40) /* that MIG partitions of one pod or node count for */
struct policy_gpus *gpus_new(void);
void gpus_free(struct policy_gpus *g);
void gpus_rebuild(struct policy *p); /* slots have changed */
bool gpus_has_models(const struct policy *p);
int64_t gpus_mig_of(str resource);
/* Thousandths of a GPU that MIG partitions count for. */
int64_t gpus_mig_amount(const struct policy *p, const struct pod_class *c);
int64_t gpus_mig_capacity(const struct policy *p, node_id n, bool only_used);
/* `gpus` of a class once more under the models they are of: those of its node, or NODE_NONE: those that it waits for. */
void gpus_add_models(const struct policy *p, const struct pod_class *c, node_id n, int64_t gpus, int64_t *v);
void gpus_add_capacity(const struct policy *p, node_id n, int64_t gpus, sum_t *v);
/* Nodes that are not of a model which the unit's queue may not have more of; NULL: all.  For sched_watch. */
const uint64_t *gpus_within(void *arg, unit_id u);
/* A unit that room is kept for, if the room is free. */
void gpus_place_kept(struct policy *p, unit_id u, struct unit_decision *d);
bool gpus_are_barred(const struct policy *p, unit_id u, struct queue_blame *ret /* of the first; or NULL */);

/* --- the line (line.c) ---------------------------------------------------------------------------------------------------------------- */
void line_enter(struct policy *p, unit_id u);
void line_leave(struct policy *p, unit_id u);
void line_wake(struct policy *p, uint64_t events);
void line_age(struct policy *p); /* those that have waited for long rise, see policy_opts.age_step */
/* Goes through kinds in the order of queues and units: kinds for which `takes` says yes. */
void walk_begin(struct policy *p, bool (*takes)(const struct policy *p, const struct kind *k, int arg), int arg);
uint32_t walk_next(struct policy *p); /* the kind whose oldest unit is next; 0: none.  It stays until walk_drop or line_leave */
void walk_drop(struct policy *p, uint32_t kind);
void walk_touch(struct policy *p, queue_id leaf); /* its accounts or line changed */
void walk_end(struct policy *p);
/* The same over queues alone, the one with the weakest claim first; `has` of each leaf is set by the caller before. */
void victims_walk_begin(struct policy *p);
queue_id victims_walk_next(struct policy *p);
void victims_walk_touch(struct policy *p, queue_id leaf);
int line_unit_cmp(const struct policy *p, unit_id a, unit_id b); /* creation, uid */
uint32_t line_position(const struct policy *p, unit_id u);

/* --- victims (victims.c, solve.c, aim.c, moving.c) ------------------------------------------------------------------------------------------------- */
/* A search for room by eviction: who asks, and where the next lumps come from. */
struct search {
    struct policy *p;
    unit_id u;
    queue_id leaf;
    enum policy_action action;
    int32_t priority;
    const struct policy_amounts *ask;
    bool breaking; /* budgets may be broken now */
    bool moves;    /* those may be taken, too, who may only move */
    bool (*next)(struct search *x); /* takes one or more lumps; false: there are no more */
    struct aim *aim; /* aim.c's */
};
enum fate { FATE_GOES, FATE_STAYS, FATE_MOVES /* it is evicted, and there is another place for it */ };
/* What a solution costs, the first difference decides. */
struct search_loss {
    uint32_t breaks, lost, moved; /* budgets; pods */
    int32_t priority;             /* the highest of them */
    nsec_t since_ns, created_ns;  /* the oldest of them */
};
struct lumps *victims_of_leaf(struct policy *p, queue_id leaf);
/* Its pods on nodes, those that it misses least first; returns how many.  ret: room for all its pods. */
size_t victims_in_order(const struct policy *p, unit_id u, pod_id *ret);
/* The pods that go with v when its unit can miss it now: by itself, or the sub-group that need not be.  0: all of the unit would have to go.  ret: room for all its pods. */
uint32_t victims_with(struct policy *p, unit_id w, pod_id v, pod_id *ret);
bool victims_is_protected(struct policy *p, const struct lump *l, nsec_t min_runtime_ns);
/* Makes room for the oldest unit of the kind by reclaiming or preempting; true: done, d is filled. */
bool solve_evicting(struct policy *p, struct kind *k, unit_id u, enum policy_action action, struct unit_decision *d);
bool solve_moving(struct policy *p, struct kind *k, unit_id u, struct unit_decision *d);
/* Room of pods that are leaving is enough: nominates. */
bool solve_waiting(struct policy *p, unit_id u, struct unit_decision *d);
bool solve_may_help(struct policy *p, unit_id u); /* an upper bound; false: sure */
bool solve_enough_in_all(struct policy *p, const struct policy_amounts *ask); /* free or leaving in the whole cluster, in pieces? */
/* Steps of a search, in a statement. */
void solve_clear(struct policy *p); /* what was taken is forgotten */
void solve_leaving_out(struct policy *p);
bool solve_take(struct policy *p, const struct lump *l, const pod_id *pods); /* evicts what is still there of it and notes it; false: nothing was */
bool solve_probe(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask); /* would it fit now?  p->probe says more */
void solve_reprieve(struct policy *p, size_t n, queue_id gains, uint8_t *fate); /* the first n that were taken: who may stay (FATE_STAYS) */
void solve_elsewhere(struct policy *p, size_t n, uint8_t *fate); /* and who of the others finds another place (FATE_MOVES) */
/* After the rollback: what was found becomes so. */
void solve_carry_out(struct policy *p, size_t n, const uint8_t *fate, struct unit_decision *d);
/* One search with x->next.  TRIED_NOT: it was found, *ret_loss says at which cost; with d it is carried out. */
enum policy_tried solve_search(struct search *x, struct search_loss *ret_loss, struct unit_decision *d);
/* Node by node, where the fixed order found nothing; true: done.  At most POLICY_AIMS in a round. */
#define POLICY_AIMS 64u
bool solve_aiming(struct search *x, struct unit_decision *d);
/* Could `count` pods of the class be held at all, within these nodes (NULL: all), if everybody went who may? */
bool solve_class_may_fit(struct policy *p, struct pod_class *c, const uint64_t *within, int64_t count);

/* --- who waits for long (backfill.c) ------------------------------------------------------------------------------------------------------- */
/* What became of reservations since the last round; kinds whose plan is due are tried again. */
void backfill_begin(struct policy *p);
/* From now on others are kept out; to be called again after each unit that was tried. */
void backfill_hold(struct policy *p);
void backfill_let_go(struct policy *p); /* until the next round */
/* Before a unit with a reservation is tried: the room of its own and of later ones is free. */
void backfill_make_way(struct policy *p, unit_id u);
/* It found no room: by the room that is reserved for others, if it may? */
bool backfill_try(struct policy *p, uint32_t kind, unit_id u, const struct policy_amounts *ask, struct unit_decision *d);
bool backfill_is_spent(const struct policy *p); /* too many of those in one round */
/* It found no room at all: is it one to reserve room for? */
void backfill_want(struct policy *p, uint32_t kind, unit_id u);
/* Reservations that an eviction for the unit must not touch, as a mask; asked before it.  And whether it does. */
uint32_t backfill_taboo(struct policy *p, const struct kind *k, unit_id u, enum policy_action action);
bool backfill_touches(const struct policy *p, uint32_t mask, const struct unit_decision *d);
bool backfill_has(const struct policy *p, unit_id u); /* a reservation */
void backfill_end(struct policy *p);
void backfill_fini(struct policy *p);
/* Places a unit as far as its queue's limits go. */
void round_place(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask, bool fixed, struct unit_decision *d);
static inline void policy_later(struct policy *p, nsec_t at)
{
    p->again_ns = MIN(p->again_ns, at);
}

/* round.c: true: started or room is kept; tree[leaf].ask must be the unit's. */
bool allocate_one(struct policy *p, uint32_t kind, unit_id u, struct policy_decisions *ret);
bool evict_for_one(struct policy *p, struct kind *k, unit_id u, enum policy_action action, struct unit_decision *d);

/* --- losses (losses.c) -------------------------------------------------------------------------------------------------------------------- */
void losses_note(struct policy *p, queue_id leaf, pod_id victim);
/* When units like this one may evict again. */
nsec_t losses_until(const struct policy *p, unit_id u);
void losses_fini(struct policy *p);
