/* policy_state.h - what the files of policy.h share.
 *
 *   unit ─► kind (units of a leaf that are alike) ─► leaf ─► ... ─► root, chosen by walks (line.c)
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "sched/policy/policy.h"

enum min_state { MIN_BELOW, MIN_AT, MIN_ABOVE };

/* A unit under the policy, by unit id. */
struct batch_unit {
    bool known;   /* it is under the policy */
    bool dirty;   /* listed in policy.dirty, and not refreshed since */
    bool fixed;   /* non-preemptible */
    bool foreign; /* not known, but its pods are counted in policy.foreign */
    uint8_t min_state;
    queue_id leaf;  /* charged there; QUEUE_NONE: to nobody */
    enum queue_verdict leaf_verdict;
    uint32_t kind, kind_pos; /* waits in that kind; 0: in none */
    uint32_t run_pos;        /* in leaf.running, plus 1; 0: not there */
    uint32_t kept_pos;       /* in policy.kept, plus 1 */
    uint32_t npending, nplaced, nnominated;
    nsec_t start_ns;       /* of what runs, 0: nothing does */
    nsec_t stale_since_ns; /* below its minimum since, 0: it is not */
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
    uint64_t rejected_by;
    uint64_t tried_epoch[POLICY_ACTIONS];
    uint8_t tried[POLICY_ACTIONS]; /* enum policy_tried */
};

/* Something that can be taken: a surplus pod, or all that a unit needs to be. */
struct lump {
    unit_id unit;
    queue_id leaf;
    bool core, breaks_budget;
    int32_t priority;
    nsec_t start_ns, created_ns;
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
    uint32_t nfixed_running;
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
    uint64_t rejected, no_bound; /* the round */
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
    struct policy_amounts foreign; /* held by pods that are not under the policy */
    int64_t least_gpu_mib;   /* of the cluster's devices; what a request in MiB is taken for while it waits */
    uint64_t epoch;          /* rises with everything that may change an answer */
    uint64_t woken;          /* events to wake kinds by */
    nsec_t now, again_ns;
    nsec_t expiry_ns;        /* when the first of those ends whose minimum run time kept somebody waiting */
    uint32_t tries;
    struct room_bound room;
    bool (*takes)(const struct policy *p, const struct kind *k, int arg); /* the walk that is under way, or NULL */
    int takes_arg;
    uint64_t round;
    struct class_answer *answers; /* by class */
    uint32_t nanswers;
    struct map losses;       /* losses.c */
    VEC(struct lump) taken_list; /* solver: what was evicted, in order */
    VEC(pod_id) taken_pods;
    VEC(struct was) was; /* where each of them was */
    struct policy_amounts *taken; /* by queue */
    struct unit_decision probe;
    struct unit_members members;
};

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
static inline bool policy_counts(uint8_t state)
{
    return state == PS_NOMINATED || state == PS_ASSUMED || state == PS_BOUND;
}
static inline bool policy_runs(uint8_t state)
{
    return state == PS_ASSUMED || state == PS_BOUND;
}

struct counted {
    struct policy_amounts held, waiting;
    uint32_t npending, nplaced, nnominated;
    nsec_t start_ns;
    bool just_started;
};
void account_count(const struct policy *p, unit_id u, struct counted *ret); /* from its pods */
void account_forget(struct policy *p, unit_id u); /* out of all lists and accounts, as if it had never been seen */
void account_foreign(struct policy *p, unit_id u, int sign); /* its pods are not under the policy, or no longer so */
void account_grow(struct policy *p, unit_id u);
struct sched_watch account_watch(struct policy *p);
/* Whatever changed since the last round. */
void policy_catch_up(struct policy *p);

/* --- the line (line.c) ---------------------------------------------------------------------------------------------------------------- */
void line_enter(struct policy *p, unit_id u);
void line_leave(struct policy *p, unit_id u);
void line_wake(struct policy *p, uint64_t events);
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

/* --- victims (victims.c, solve.c, moving.c) ------------------------------------------------------------------------------------------------------- */
struct lumps *victims_of_leaf(struct policy *p, queue_id leaf);
bool victims_is_protected(struct policy *p, const struct lump *l, nsec_t min_runtime_ns);
/* Makes room for the oldest unit of the kind by reclaiming or preempting; true: done, d is filled. */
bool solve_evicting(struct policy *p, struct kind *k, unit_id u, enum policy_action action, struct unit_decision *d);
bool solve_moving(struct policy *p, struct kind *k, unit_id u, struct unit_decision *d);
/* Room of pods that are leaving is enough: nominates. */
bool solve_waiting(struct policy *p, unit_id u, struct unit_decision *d);
bool solve_may_help(struct policy *p, unit_id u); /* an upper bound; false: sure */
/* Steps of a search, in a statement. */
void solve_clear(struct policy *p); /* what was taken is forgotten */
void solve_leaving_out(struct policy *p);
bool solve_take(struct policy *p, const struct lump *l, const pod_id *pods); /* evicts what is still there of it and notes it; false: nothing was */
bool solve_probe(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask); /* would it fit now?  p->probe says more */
void solve_reprieve(struct policy *p, size_t n, queue_id gains, bool *back); /* the first n that were taken: who may stay */
/* After the rollback: what was found becomes so. */
void solve_carry_out(struct policy *p, size_t n, const bool *back, struct unit_decision *d);

/* --- losses (losses.c) -------------------------------------------------------------------------------------------------------------------- */
void losses_note(struct policy *p, queue_id leaf, pod_id victim);
/* When units like this one may evict again. */
nsec_t losses_until(const struct policy *p, unit_id u);
void losses_fini(struct policy *p);
