/* preempt_state.h - what the files of preempt.h share: columns by priority, the search of one node, the candidates kept for a class.
 *
 * Threads: the engine's writer.
 * Ownership: everything belongs to struct preempt_state; evaluations borrow its scratch until the next one. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/preempt.h"

/* --- columns by priority (preempt_levels.c) ---------------------------------------------------------------------------------------- */
struct preempt_level {
    int32_t priority;
    uint32_t npods;
    int64_t *col[RES_MAX]; /* by node: what pods of this level hold that may go; NULL until one asks for the resource */
};

/* --- one class's candidates (preempt_cache.c) ---------------------------------------------------------------------------------------- */
enum candidate_kind {
    CAND_ABSENT,       /* no node in this slot */
    CAND_UNRESOLVABLE, /* eviction cannot cure what rejects the class there */
    CAND_HOPELESS,     /* too little even with everybody gone */
    CAND_NO,           /* searched: does not fit after all */
    CAND_BOUND,        /* not searched yet: the key is at least this bad */
    CAND_EXACT
};
/* What a node costs, in the order that decides; see candidate_less. */
struct candidate_key {
    int32_t violations;
    uint32_t count;
    int64_t highest; /* priority; INT64_MIN: no victim at all */
    int64_t sum;     /* of priority + 2^31 */
    nsec_t start;    /* earliest start among the victims of the highest priority; later is better */
};
#define PREEMPT_CLASSES 16
struct class_candidates {
    class_id id; /* CLASS_NONE: free */
    uint64_t hash, uses_filter;
    uint64_t seq, pdb_version, tie_epoch; /* what it reflects */
    uint64_t used;                        /* for the least recently used */
    uint32_t nslots, leaves;              /* leaves: power of two */
    uint8_t *kind;
    struct candidate_key *key;
    node_id *tree; /* [2 * leaves]: the better of the two below */
    uint32_t unresolvable, hopeless;
};

/* How a class is searched; derived from its filters at each call. */
struct preempt_how {
    bool simple; /* resources and node-static filters are all there is: arithmetic instead of real filters */
    bool cross;  /* what happens elsewhere matters: nothing is kept from call to call */
    struct res_amount need[RES_MAX]; /* the amounts that resource filters look at: the columns exclude nodes by them */
    uint32_t nneed;
    uint64_t static_filters, other_filters; /* profile indexes; others: neither static nor about resources */
    bool monotone; /* where the others let the class in now, they do so with fewer pods on that node */
};

/* A pod that may have to go. */
struct victim {
    pod_id pod;
    int32_t priority;
    nsec_t start;
    uint8_t state, numa_zones;
    uint16_t gpu_mask;
    bool violating, stays;
};

struct preempt_state {
    struct preempt_level *levels; /* ascending */
    uint32_t nlevels, caplevels, last;
    struct preempt_level leaving; /* TERMINATING pods of any priority */
    size_t nslots;                /* length of the columns */
    uint32_t *nominated_on;       /* by node: how many nominated pods */
    uint32_t nnominated;
    struct class_candidates classes[PREEMPT_CLASSES];
    uint64_t clock;
    VEC(struct victim) victims; /* of the last evaluation, most important first */
    VEC(struct victim) others;  /* terminating and overridden nominated pods of the last evaluation */
    VEC(pod_id) ids;            /* scratch: for pdbs_split, for nominated pods that lose their room */
};

/* Bits of `nodes` where the class does not fit even with everybody gone that may go are cleared. */
void preempt_cut(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, uint64_t *nodes);
/* A key that is never worse than the node's real one; false: hopeless. */
bool preempt_bound(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, node_id n, struct candidate_key *ret);
void preempt_how_of(const struct sched *s, const struct pod_class *c, struct preempt_how *ret);
/* Do all of these filters (profile indexes) let the class onto n now? */
bool preempt_filters_fit(const struct sched *s, const struct pod_class *c, uint64_t filters, node_id n);
/* Searches one node that passes the static filters: CAND_EXACT with its key (victims in state->victims, those that do not stay), CAND_NO or CAND_UNRESOLVABLE.
 * Nothing is changed in the end, but node n may be in the journal. */
enum candidate_kind preempt_search(struct sched *s, const struct pod_class *c, const struct preempt_how *how, node_id n, struct candidate_key *ret);
/* Is key a of node na to be preferred to key b of nb? */
bool candidate_less(const struct sched *s, const struct candidate_key *a, node_id na, const struct candidate_key *b, node_id nb);
/* The best node over all, searched lazily; NODE_NONE when there is none. */
node_id preempt_best(struct sched *s, const struct pod_class *c, const struct preempt_how *how, struct preempt_counts *counts, struct candidate_key *ret);
void class_candidates_fini(struct class_candidates *x);
