/* naive.h - a scheduler that is obviously right and slow: plain loops over lists of specs, written from the documented rules.
 *
 * Tests compare the engine with it, decision by decision.  Nothing here is shared with the engine's plugins but the specs and the hash that breaks
 * ties, and nothing is kept between decisions but who is where: each answer is counted anew from all pods.
 *     struct naive w; naive_init(&w, &conf, seed);
 *     naive_node_put(&w, &node);  size_t p = naive_pod_put(&w, &pod);
 *     struct naive_choice c = naive_choose(&w, p);
 *     if (c.node >= 0) naive_place(&w, p, c.node, 0);
 * Threads: one.
 * Ownership: specs are copied by value; what they point to must live as long as the world.
 * Limits: none; O(nodes * pods * terms) a decision. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "sched/engine/plugin.h"

/* Filters run in this order. */
enum naive_rule {
    NAIVE_NODE_NAME,
    NAIVE_UNSCHEDULABLE,
    NAIVE_TAINTS,
    NAIVE_NODE_AFFINITY,
    NAIVE_PORTS,
    NAIVE_FIT,
    NAIVE_VOLUME_RESTRICTIONS,
    NAIVE_VOLUME_LIMITS,
    NAIVE_VOLUME_BINDING,
    NAIVE_VOLUME_ZONE,
    NAIVE_SPREAD,
    NAIVE_POD_AFFINITY,
    NAIVE_BANDWIDTH,
    NAIVE_GPU,
    NAIVE_NUMA,
    NAIVE_BALANCED,
    NAIVE_IMAGES,
    NAIVE_RULES
};
extern const char *const naive_rule_names[NAIVE_RULES]; /* the plugins' */

struct naive_resource {
    uint16_t id;
    int32_t weight;
};
struct naive_conf {
    bool filter[NAIVE_RULES];
    int32_t weight[NAIVE_RULES];
    enum fit_strategy strategy;
    struct naive_resource fit[4];
    size_t nfit;
    struct fit_shape_point shape[4]; /* FIT_RATIO; scores 0..100 */
    size_t nshape;
    enum balanced_formula formula;
    struct naive_resource balanced[4];
    size_t nbalanced;
    /* NodeAffinity's addedAffinity */
    const struct spec_node_term *added_required, *added_preferred;
    size_t nadded_required, nadded_preferred;
    int32_t hard_affinity_weight;
    bool default_spread; /* the system's default constraints */
    bool best_fit; /* ties */
    bool preempt;
};
struct naive_conf naive_conf_default(void);

struct naive_claim_use { /* an unbound claim that a placed pod took a volume for */
    size_t claim;
    int volume; /* index, -1: it will be made on the pod's node */
};
enum naive_state { NAIVE_FREE, NAIVE_PENDING, NAIVE_NOMINATED, NAIVE_ON, NAIVE_GOING };
struct naive_pod {
    struct pod_spec spec;
    enum naive_state state;
    int node;
    uint16_t gpu_mask;
    uint8_t zones; /* NUMA, bits */
    struct naive_claim_use uses[8];
    size_t nuses;
};
struct naive_node {
    struct node_spec spec;
    bool used;
};
struct naive_namespace {
    str name;
    struct spec_labels labels;
};
struct naive {
    struct naive_conf conf;
    uint64_t seed;
    VEC(struct naive_node) nodes;
    VEC(struct naive_pod) pods;
    VEC(struct naive_namespace) namespaces;
    VEC(struct pv_spec) volumes;
    VEC(struct pvc_spec) claims;
    VEC(struct storage_class_spec) classes;
    VEC(struct pdb_spec) pdbs;
};
void naive_init(struct naive *w, const struct naive_conf *conf, uint64_t seed);
void naive_fini(struct naive *w);

/* --- events: as engine.h's -------------------------------------------------------------------------------------------------- */
int naive_node_put(struct naive *w, const struct node_spec *spec);
void naive_node_delete(struct naive *w, str name); /* its pods are gone from it; bound ones must be deleted or the node put again by the caller */
int naive_node_find(const struct naive *w, str name); /* -1 */
size_t naive_pod_put(struct naive *w, const struct pod_spec *spec); /* with a node: it is there, by force */
int naive_pod_find(const struct naive *w, str ns, str name);
void naive_pod_delete(struct naive *w, size_t pod);
void naive_namespace_put(struct naive *w, str name, struct spec_labels labels);
void naive_pv_put(struct naive *w, const struct pv_spec *spec);
void naive_pvc_put(struct naive *w, const struct pvc_spec *spec);
void naive_class_put(struct naive *w, const struct storage_class_spec *spec);
void naive_pdb_put(struct naive *w, const struct pdb_spec *spec);

/* --- decisions -------------------------------------------------------------------------------------------------------------- */
enum naive_verdict { NAIVE_FITS, NAIVE_REJECTED, NAIVE_UNRESOLVABLE /* no eviction there can help */ };
struct naive_choice {
    int node; /* -1: none fits */
    int64_t total, parts[NAIVE_RULES]; /* of the chosen node, weighted */
    uint32_t fitting;
    uint32_t rejected[NAIVE_RULES]; /* nodes, each at the first rule that rejects it */
};
struct naive_choice naive_choose(const struct naive *w, size_t pod);
/* Weighted scores of one node by rule; false: it does not fit. */
bool naive_parts(const struct naive *w, size_t pod, int node, int64_t parts[NAIVE_RULES]);
/* The first rule that rejects it there; NAIVE_RULES when none does. */
enum naive_rule naive_check(const struct naive *w, size_t pod, int node, enum naive_verdict *ret);
/* Puts it there; gpu_mask 0: the devices are chosen here. */
void naive_place(struct naive *w, size_t pod, int node, uint16_t gpu_mask);
void naive_unplace(struct naive *w, size_t pod); /* pending again */
/* The devices a pod would get there by the stated rule: the fullest that fit, then the lowest number; 0: none, or it does not fit. */
uint16_t naive_devices(const struct naive *w, size_t pod, int node);

/* Are these the zones and devices that the pod's rule allows there?  For what the engine chose. */
bool naive_zones_allowed(const struct naive *w, size_t pod, int node, uint8_t zones, uint16_t gpu_mask);

struct naive_preemption {
    int node; /* -1: none helps */
    int violations;
    size_t victims[256]; /* most important first */
    size_t nvictims;
};
struct naive_preemption naive_preempt(struct naive *w, size_t pod);

/* --- for the rules' own files and the checker ------------------------------------------------------------------------------- */
bool naive_label(struct spec_labels l, str key, str *ret);
bool naive_selects(const struct spec_selector *s, struct spec_labels labels);
bool naive_node_term(const struct spec_node_term *t, const struct node_spec *n);
bool naive_node_selected(const struct pod_spec *p, const struct node_spec *n); /* nodeSelector and required affinity */
bool naive_tolerates(const struct pod_spec *p, const struct spec_taint *t);
bool naive_no_schedule_taint(const struct pod_spec *p, const struct node_spec *n); /* has one that is not tolerated */
/* Does `candidate` match a term that `owner` carries? */
bool naive_pod_matches(const struct naive *w, const struct spec_pod_term *t, const struct pod_spec *owner, const struct pod_spec *candidate);
bool naive_ports_conflict(const struct pod_spec *a, const struct pod_spec *b);
bool naive_disks_conflict(const struct spec_volume *a, const struct spec_volume *b);
int64_t naive_request(const struct pod_spec *p, uint16_t resource);
int64_t naive_capacity(const struct node_spec *n, uint16_t resource); /* bandwidth: times its overcommit */
int32_t naive_gpu_milli(const struct pod_spec *p, const struct node_spec *n); /* of one device; -1: cannot there */
/* Counted for affinity and spread. */
static inline bool naive_counts(const struct naive_pod *p)
{
    return p->state == NAIVE_ON || p->state == NAIVE_GOING;
}
/* Holds room on its node that `for_pod` must respect: nominated pods yield to higher priorities. */
bool naive_holds(const struct naive_pod *p, const struct pod_spec *for_pod);
enum naive_verdict naive_numa(const struct naive *w, const struct pod_spec *p, int node);
enum naive_verdict naive_volumes(const struct naive *w, size_t pod, int node, enum naive_rule rule, struct naive_pod *ret_uses /* or NULL */);
/* Raw scores of the fitting nodes to 0..100; fits and out have w->nodes.len entries.  false: the rule has nothing to say, all are 0. */
bool naive_score(const struct naive *w, size_t pod, enum naive_rule rule, const bool *fits, int64_t *out);
