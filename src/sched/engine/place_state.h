/* place_state.h - the inside of place.h, shared by its files.
 *
 *   place_plan.c    what a class wants of each plugin, sorted by how it is computed: struct class_cache
 *   place_static.c  answers that node events alone change, shared by classes with the same constraints: struct static_part
 *   place_kernel.c, place_pass.c   vector passes
 *   place_exact.c   one node exactly, and all nodes exactly
 *   place_scan.c    the best few nodes by bounds
 *   place_cache.c   scores of a class that is asked again and again: struct warm
 *   place.c         the contract: which of these answers a question
 *   place_state.c   what an engine has of all this: struct place_state
 *
 * The score of a node:  local (resources, devices: changes with the node) + parts (static, normalised over what fits) + cross (computed each time)
 * Threads: as place.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/place.h"
#include "sched/engine/place_kernel.h"

#define PARTS_MAX 8          /* static plugins of one kind a class; those beyond are asked each time */
#define ASKED_MAX 24         /* other plugins of one kind a class: a profile has few more in all */
#define STATIC_LOG 1024u     /* static changes remembered; who is further behind is made anew */

/* A static filter's bitmap or a static score's raw values. */
struct static_part {
    struct static_part *next; /* of the same hash */
    uint64_t hash;
    char *key;
    uint32_t key_len;
    uint32_t refs; /* classes */
    uint16_t plugin; /* in the table */
    bool is_score;
    bool made;
    uint32_t words;
    uint64_t seen;    /* static changes applied */
    uint64_t version; /* rises with every change */
    uint64_t *bits;   /* filter: alive nodes that pass */
    int32_t *raw;     /* score */
    int32_t low, high; /* of raw over alive nodes */
};

/* How static scores enter a total, under given highest values of the nodes that fit. */
struct norm {
    const struct static_part *part;
    enum plug_norm norm;
    int32_t weight;
    int32_t max; /* highest raw of those that fit; meaningless for NORM_NONE */
};
struct norms {
    int32_t base;    /* of parts that are the same everywhere */
    uint32_t n;      /* of the others */
    bool by_fitting; /* one of these is normalised */
    struct norm p[PARTS_MAX];
};

/* Ordered by use: a scan of a class that was not asked for long waits for each of these cache lines. */
struct warm;
struct class_cache {
    uint64_t terms_epoch; /* plan is of this epoch, see terms.h */
    uint64_t checks;      /* bits: which of class.req are checked as resources */
    struct warm *warm;
    uint64_t asked_seq;   /* journal position of the last question */
    uint64_t asked_clock; /* its number */
    uint32_t streak;      /* questions in a row that came soon after one another */
    bool is_fast;         /* bounds cover all of its scores; it may have cross filters */
    bool is_cross;
    bool has_parts;       /* filter_parts and score_parts are there: made at the first scan */
    bool best_fit;        /* TIE_BEST_FIT, and keys have room for it */
    uint8_t nlocal_filters, nlocal_scores, ncross_filters, ncross_scores, nstatic_filters, nstatic_scores;
    struct kernel_class kernel;
    uint8_t static_filters[PARTS_MAX], static_scores[PARTS_MAX];
    struct static_part *filter_parts[PARTS_MAX], *score_parts[PARTS_MAX];
    node_id witness[PARTS_MAX]; /* a node that had the highest raw of those that fit */
    uint8_t local_filters[ASKED_MAX], local_scores[ASKED_MAX], cross_filters[ASKED_MAX], cross_scores[ASKED_MAX];
};

struct place_scratch {
    uint32_t words;
    uint64_t *bits;
    int32_t *score;
    int64_t *raw;
};

struct place_state {
    uint64_t seq;        /* journal read up to here */
    uint64_t static_seq; /* static changes so far */
    node_id static_log[STATIC_LOG];
    struct static_part **parts; /* by hash */
    uint32_t nparts_slots, nparts;
    struct strbuf key;
    uint64_t tie_epoch;
    node_id *by_rank;
    uint32_t nby_rank;
    VEC(node_id) odd; /* nodes without cpu or memory: they have no bounds */
    uint64_t odd_seen; /* static changes */
    VEC(pod_id) nominated;
    uint32_t *nominated_on; /* by node, NULL until there is one */
    uint32_t nnominated_on;
    VEC(struct nominated_level { int32_t priority; uint32_t count; }) nominated_levels;
    struct warm *warm[CACHE_MAX];
    uint32_t nwarm;
    uint64_t clock; /* questions so far */
    struct place_top winners[4]; /* of the last scans: likely to be good again */
    uint32_t next_winner;
    struct place_scratch scratch, cross; /* cross: totals of cross-node decisions, on top of a warm local part */
};

/* --- place_state.c ---------------------------------------------------------------------------------------------------------------- */
/* Reads the journal for static changes, keeps ranks. */
void place_sync(struct sched *s);
/* Makes the list of odd nodes current; before scans. */
void place_odd(struct sched *s);
void scratch_fit(struct place_scratch *x, uint32_t words);
void scratch_fini(struct place_scratch *x);
/* Is there a nominated pod of lower priority than this (or any, with `any`)? */
bool nominated_below(const struct sched *s, int32_t priority, bool any);
/* Do those on node n matter to the class? */
bool nominated_matter(const struct sched *s, const struct pod_class *c, node_id n, bool any);
/* Takes the room of such pods on n away and gives it back, so that filters can be asked in between. */
void nominated_out(struct sched *s, const struct pod_class *c, node_id n, bool any);
void nominated_in(struct sched *s, const struct pod_class *c, node_id n, bool any);

/* --- keys: highest is best, 0 does not fit ------------------------------------------------------------------------------------------ */
static inline uint64_t key_make(bool best_fit, const struct view *v, node_id n, int32_t score)
{
    if (unlikely(best_fit))
        return (uint64_t)(score + 1) << 40 | (uint64_t)(0xfffff - place_free_amount(v, n)) << 20 | (0xfffff - v->s->tie[n]);
    return (uint64_t)(score + 1) << 32 | (UINT32_MAX - v->s->tie[n]);
}
static inline int32_t key_score(bool best_fit, uint64_t key)
{
    return (int32_t)(key >> (best_fit ? 40 : 32)) - 1;
}
static inline node_id key_node(const struct place_state *x, bool best_fit, uint64_t key)
{
    return x->by_rank[best_fit ? 0xfffff - (key & 0xfffff) : UINT32_MAX - (uint32_t)key];
}

/* --- place_plan.c ---------------------------------------------------------------------------------------------------------------------- */
/* Asks the plugins again when terms.h says that their answer may have changed. */
void plan_refresh(struct sched *s, struct pod_class *c);
/* May the class be placed on replicas, as far as its plugins go? */
bool plan_is_replicable(const struct sched *s, const struct pod_class *c);

/* --- place_static.c -------------------------------------------------------------------------------------------------------------------- */
/* Makes the class's parts and brings them up to date. */
void parts_refresh(struct sched *s, struct pod_class *c);
void parts_release(struct sched *s, struct class_cache *k);
/* bits = alive nodes that pass every static filter, within when not NULL. */
void parts_filter(const struct sched *s, const struct class_cache *k, const uint64_t *within, uint64_t *bits);
static inline bool parts_pass(const struct class_cache *k, node_id n)
{
    for (uint32_t i = 0; i < k->nstatic_filters; i++)
        if (!bit_get(k->filter_parts[i]->bits, n))
            return false;
    return true;
}
/* Norms of a class with every max unset. */
void norms_init(struct norms *m, const struct sched *s, const struct class_cache *k);
int32_t norm_one(const struct norm *p, node_id n);
static inline int32_t norms_of(const struct norms *m, node_id n)
{
    int32_t sum = m->base;
    for (uint32_t i = 0; i < m->n; i++)
        sum += norm_one(&m->p[i], n);
    return sum;
}
/* Sets the maxima over fits.  Returns whether one of them changed. */
bool norms_over(struct norms *m, const uint64_t *fits, uint32_t words);
/* score[n] += norms_of(n) - m->base for all of fits: what is the same everywhere moves no node before another. */
void norms_add(const struct norms *m, const uint64_t *fits, uint32_t words, int32_t *score);
/* As the kernel wants it; false: raw values are too large for it. */
bool norms_kernel(const struct norms *m, struct kernel_job *j);

/* --- place_exact.c ---------------------------------------------------------------------------------------------------------------------- */
/* Resources and local filters on a view; static filters are the caller's. */
bool exact_fits_local(const struct view *v, const struct pod_class *c, node_id n);
/* The same on the engine's view, with nominated pods in mind. */
bool exact_fits_kept(struct sched *s, const struct pod_class *c, node_id n, bool ignore_nominated);
int32_t exact_local(const struct view *v, const struct pod_class *c, node_id n);
/* All nodes: clears bits that do not fit locally; local scores of the rest. */
void exact_filter(struct sched *s, const struct pod_class *c, bool ignore_nominated, uint64_t *bits);
void exact_scores(const struct view *v, const struct pod_class *c, const uint64_t *bits, int64_t *raw, int32_t *score);
/* Cross filters on bits, then cross scores added to `from`: the sums, in score, or `from` itself when there are none.  `from` may be score. */
void cross_filter(const struct sched *s, const struct pod_class *c, uint64_t *bits);
const int32_t *cross_scores(const struct sched *s, const struct pod_class *c, const uint64_t *bits, int64_t *raw, const int32_t *from, int32_t *score);
/* Weighted and normalised raw values of one plugin, added to score. */
void plugin_scores(const struct view *v, const struct pod_class *c, uint32_t plugin, const uint64_t *bits, int64_t *raw, int32_t *score);
/* The best two (or one) of scores; updates ret.  bits are as before in the end. */
void exact_best(const struct sched *s, const struct pod_class *c, uint64_t *bits, const int32_t *score, bool want_runner_up, struct place_result *ret);

/* --- place_scan.c ----------------------------------------------------------------------------------------------------------------------- */
/* The `want` best nodes, best first, for a class with is_fast; the number found, or -1: bounds are of no use here, look at all nodes exactly.
 * m's maxima are set on return.  On the engine's view (s not NULL) nominated pods are minded and witnesses kept. */
struct scan_in {
    struct sched *s; /* NULL: reading a view */
    const struct view *v;
    const struct pod_class *c;
    uint64_t *bits; /* nodes to look at; used up */
    bool ignore_nominated;
    const struct place_top *hints; /* nodes that are likely to be good; scores of them do not matter */
    size_t nhints;
};
int scan_top(const struct scan_in *in, struct norms *m, size_t want, struct place_top *top);

/* --- place_cache.c ------------------------------------------------------------------------------------------------------------------------ */
/* The class's cache, current, when it has one for these nodes or has earned one; NULL: scan. */
struct warm *warm_get(struct sched *s, struct pod_class *c, const uint64_t *within);
bool warm_best(const struct sched *s, const struct warm *w, struct place_result *ret); /* for classes without cross parts */
const uint64_t *warm_fits(const struct warm *w);
const int32_t *warm_local(const struct warm *w);
void warm_drop(struct sched *s, struct class_cache *k);
