/* terms_types.h - the inside of terms.h, for its own files and for the two plugins that read the counters.
 *
 *   class ──► lset (namespace + labels) ──matchers──► matcher (selectors ANDed) ──tallies──► tally: counts by topology domain
 *     └─────► term (matcher, topology) ──matched, carried[k]──► tally
 *     └─────► spread constraint ──► tally over a scope (eligible nodes)
 *
 * Worked example: "web" pods with required anti-affinity to app=web by hostname, on nodes a and b; one runs on b.
 *     lset 1 = (default, {app: web}), matchers [1];  matcher 1 = app In (web) in default
 *     term 1 = (matcher 1, hostname): matched {b: 1}, carried[ANTI] {b: 1}
 * The next web pod is kept off the nodes of occupied domains of both tables; a pod of another class with app=web is kept off by the second.
 *
 * A tally of many domains of which few are occupied is a small hash table; dense ones are an array, with a bitmap of the nodes in occupied
 * domains so that a filter is one pass over words.
 * Threads, limits: as terms.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/terms.h"

#define SIDE_FEW 64u /* topologies with at most so many domains (0 included) have a bitmap of nodes for each */

/* Things by small numbers, which are used again; 0 is nobody. */
struct slots {
    VEC(void *) at;
    VEC(uint32_t) free_;
};

/* What model.h does not keep about a topology: which nodes are in a domain. */
struct side {
    bool used;
    uint32_t *first, nfirst; /* by domain: node + 1 */
    uint32_t *next, *prev;   /* by node: node + 1, in the same domain */
    uint64_t *has;           /* nodes that have the label */
    uint64_t *where;         /* by domain, view.words each; NULL when there are more than SIDE_FEW */
    uint32_t nshared;        /* domains of two nodes or more */
};

/* Nodes that a spread constraint counts: those with all keys of its kind, and by its policies those that the pod selects and tolerates. */
struct scope {
    uint32_t id, refs;
    str key;
    uint32_t topo;
    uint32_t *topos, ntopos; /* labels that must be there */
    bool honor_affinity, honor_taints;
    struct pod_class *like; /* only node selector, required terms, tolerations */
    uint64_t *ok;
    uint32_t *nodes, cap; /* eligible ones by domain */
    uint32_t ndomains;    /* with at least one */
    struct arena arena;
};

enum tally_kind { TALLY_MATCHED, TALLY_SPREAD, TALLY_CARRIED };
struct cell { /* count 0: free */
    uint32_t domain, count;
};
struct tally {
    uint32_t id, refs;
    uint8_t kind;
    bool by_node;   /* a domain is a node id: soft spread by hostname counts nodes, whatever their labels say */
    bool keeps_min; /* of occupied domains */
    uint32_t topo;
    struct matcher *matcher;
    struct scope *scope; /* NULL: every node counts */
    uint32_t *count, cap; /* dense; NULL: cells */
    uint64_t *occupied;   /* dense, not spread: nodes whose domain has a count */
    struct cell *cells;
    uint32_t ncells; /* power of two */
    uint32_t nonzero;
    uint32_t min, nmin; /* smallest count of an occupied domain, how many have it */
};

struct part { /* all of a pod's namespace and labels must match */
    struct sel sel;
    sym_t *ns; /* sorted */
    uint32_t nns;
    bool by_ns_labels;
    struct sel ns_sel;
};
struct term {
    uint32_t id, refs; /* uses by classes */
    struct matcher *matcher;
    uint32_t topo;
    struct tally *matched; /* NULL while no class asks */
    struct tally *carried[CARRY_KINDS];
};
struct matcher { /* all parts */
    uint32_t id, refs; /* terms and tallies */
    str key;
    struct part *parts;
    uint32_t nparts;
    bool by_ns_labels; /* one of the parts */
    uint32_t nlsets;   /* that match */
    uint32_t carriers[CARRY_KINDS]; /* classes' uses of its terms */
    VEC(struct term *) terms;
    VEC(struct tally *) tallies; /* MATCHED and SPREAD: what a matching pod counts in */
    struct arena arena;
};

struct bucket;
struct filing {
    struct bucket *bucket;
    uint32_t at;
};
struct lset { /* a namespace and labels */
    uint32_t id, refs; /* classes */
    struct label *key; /* (ns, number of labels), then the labels */
    sym_t ns;
    struct labelset labels;
    VEC(struct matcher *) matchers; /* that match */
    struct filing *filings;         /* two for each label */
    pod_id first;                   /* counted pods, through terms.link */
};
struct pod_link {
    pod_id next, prev;
};

struct class_terms {
    struct lset *lset;
    struct matcher *all; /* matches every required affinity term; NULL: there are none */
    struct tally **everywhere; /* its tallies, one for each topology of these terms */
    uint32_t neverywhere;
};

struct terms {
    struct sched *s;
    bool filters_affinity, scores_affinity; /* one of the profiles does: the terms that a pod carries concern pods of all profiles */
    uint64_t epoch;
    uint32_t nlive; /* terms and spread tallies */
    uint32_t words; /* of the bitmaps here */
    uint64_t *in_play;
    struct side *sides;
    uint32_t nsides;
    struct slots lsets, terms, tallies, matchers, scopes;
    struct map lset_by_key, matcher_by_key, scope_by_key, buckets;
    VEC(struct matcher *) wild;     /* without a label to file them under */
    VEC(struct matcher *) by_ns;    /* with a namespace selector */
    struct pod_link *link;
    uint32_t nlink;
    struct strbuf scratch;
};

/* The plugin's arguments; terms.c needs them to know a pod's default constraints. */
struct spread_default {
    str key;
    int32_t max_skew, min_domains;
    bool hard;
    enum spread_policy affinity_policy, taints_policy;
};
struct spread_args {
    bool system; /* defaulting: nodes need not have all keys */
    const struct spread_default *p;
    uint32_t n;
};
extern const struct spread_args spread_args_system;

static inline struct term *term_of(const struct sched *s, uint32_t id)
{
    return s->terms->terms.at.p[id];
}
static inline struct tally *tally_of(const struct sched *s, uint32_t id)
{
    return s->terms->tallies.at.p[id];
}
/* for (TYPE *x over the things of a table) */
#define slots_each(type, x, slots)                                                                                              \
    for (size_t x##_i_ = 0; x##_i_ < (slots)->at.len; x##_i_++)                                                                \
        for (type *x = (slots)->at.p[x##_i_]; x; x = NULL)
uint32_t slots_put(struct slots *x, void *thing);
void slots_remove(struct slots *x, uint32_t id);
void slots_fini(struct slots *x);

/* --- reading -------------------------------------------------------------------------------------------------------------------------- */
static inline uint32_t tally_hash(uint32_t domain, uint32_t mask)
{
    return (domain * 0x9e3779b1u >> 7) & mask;
}
uint32_t tally_get_sparse(const struct tally *t, uint32_t domain);
static inline uint32_t tally_get(const struct tally *t, uint32_t domain)
{
    if (t->count)
        return domain < t->cap ? t->count[domain] : 0;
    return t->nonzero ? tally_get_sparse(t, domain) : 0;
}
/* Of the node's domain; 0 when it has none. */
static inline uint32_t tally_at(const struct sched *s, const struct tally *t, node_id n)
{
    uint32_t d = t->by_node ? n : s->topos[t->topo].domain[n];
    return d || t->by_node ? tally_get(t, d) : 0;
}
/* The smallest count of a domain with eligible nodes; 0 when there are fewer such domains than min_domains. */
uint32_t tally_min(const struct tally *t, int32_t min_domains);
/* Clear the bits of nodes in (drop), or not in (keep; dense tallies only) occupied domains; those in domains with more than `limit`. */
void tally_drop(const struct sched *s, const struct tally *t, uint64_t *fits);
void tally_keep(const struct sched *s, const struct tally *t, uint64_t *fits);
void tally_drop_over(const struct sched *s, const struct tally *t, uint32_t limit, uint64_t *fits);
/* Words that hold nodes: columns are longer, with zeros behind. */
static inline uint32_t words_used(const struct view *v)
{
    return (v->nnodes + 63) / 64;
}
static inline const struct side *side_of(const struct sched *s, uint32_t topo)
{
    return &s->terms->sides[topo];
}
/* for (node of a domain): side_first, side_next give node + 1, 0 at the end. */
static inline uint32_t side_first(const struct side *x, uint32_t domain)
{
    return domain < x->nfirst ? x->first[domain] : 0;
}
/* Number of domains that these nodes are in; nodes without the label are one more. */
uint32_t side_domains(const struct sched *s, uint32_t topo, const uint64_t *nodes);
bool lset_matches(const struct lset *x, const struct matcher *m);

/* --- terms_tally.c ------------------------------------------------------------------------------------------------------------------- */
struct side *side_use(struct sched *s, uint32_t topo);
void sides_node(struct sched *s, node_id n, int sign);
void sides_grown(struct terms *t, uint32_t words);
/* A reference to the tally of these; a new one is filled from the pods unless it is CARRIED. */
struct tally *tally_ref(struct sched *s, enum tally_kind kind, struct matcher *m, uint32_t topo, struct scope *scope /* taken */, bool by_node);
struct tally *tally_new(struct sched *s, enum tally_kind kind, struct matcher *m, uint32_t topo, struct scope *scope, bool by_node);
void tally_unref(struct sched *s, struct tally *t);
void tally_add(struct sched *s, struct tally *t, node_id n, int32_t by);
void tally_make_dense(struct sched *s, struct tally *t);
void tally_keep_min(struct tally *t); /* from now on */
/* The node is being hidden (-1) or was shown (+1), without its pods. */
void tallies_node(struct sched *s, node_id n, int sign);
void tallies_grown(struct terms *t, uint32_t words);
void tally_free(struct tally *t);

/* --- terms_match.c ------------------------------------------------------------------------------------------------------------------- */
struct lset *lset_ref(struct sched *s, sym_t ns, struct labelset labels);
void lset_unref(struct sched *s, struct lset *x);
/* ns: of the pod that has the terms. */
struct matcher *matcher_ref(struct sched *s, const struct spec_pod_term *terms, size_t n, sym_t ns);
void matcher_unref(struct sched *s, struct matcher *m);
/* Calls fn for every lset that matches. */
void matcher_lsets(struct sched *s, struct matcher *m, void (*fn)(struct sched *s, struct lset *x, void *arg), void *arg);
/* Decides without what is remembered. */
bool matcher_decides(const struct sched *s, const struct matcher *m, sym_t ns, struct labelset labels);
void matches_fini(struct terms *t);

/* --- terms_spread.c ------------------------------------------------------------------------------------------------------------------ */
void spread_compile(struct sched *s, struct pod_class *c, const struct pod_spec *spec);
/* Constraints that the class would have; for the limit. */
size_t spread_count(const struct sched *s, const struct pod_class *c, const struct pod_spec *spec);
void spread_release(struct sched *s, struct pod_class *c);
bool scope_decides(const struct sched *s, const struct scope *x, node_id n);
void scope_unref(struct terms *t, struct scope *x);
void scopes_node(struct sched *s, node_id n, int sign);
void scopes_grown(struct terms *t, uint32_t words);
