/* worldgen.h - random clusters and workloads for tests: small worlds in which every feature meets every other.
 *
 *     struct worldgen g; worldgen_init(&g, seed, GEN_TAINTS | GEN_SPREAD);
 *     struct node_spec n = worldgen_node(&g, i);  struct pod_spec p = worldgen_pod(&g, i);
 * The same seed and features give the same world.  Keys and values are few, so that things match often; amounts are such that nodes
 * fill up.  Most pods are replicas of a few templates, as in life, so that classes are shared.
 * Threads: one.  Ownership: specs point into the generator's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "sched/engine/spec.h"

enum worldgen_feature {
    GEN_TAINTS = 1 << 0,
    GEN_UNSCHEDULABLE = 1 << 1,
    GEN_NODE_SELECTOR = 1 << 2,  /* nodeSelector and required node affinity */
    GEN_NODE_PREFERRED = 1 << 3,
    GEN_PORTS = 1 << 4,
    GEN_EXTENDED = 1 << 5,       /* an extended resource and ephemeral storage */
    GEN_IMAGES = 1 << 6,
    GEN_POD_REQUIRED = 1 << 7,   /* inter-pod affinity */
    GEN_POD_PREFERRED = 1 << 8,
    GEN_SPREAD_HARD = 1 << 9,
    GEN_SPREAD_SOFT = 1 << 10,
    GEN_SPREAD_DEFAULT = 1 << 11,
    GEN_VOLUMES = 1 << 12,
    GEN_GPU = 1 << 13,
    GEN_NUMA = 1 << 14,
    GEN_BANDWIDTH = 1 << 15,
    GEN_PRIORITY = 1 << 16,
    GEN_DAEMON = 1 << 17,        /* pinned to a node by name, and other terms about names; NodeAffinity must filter then */
    GEN_BEST_EFFORT = 1 << 18,
    GEN_ALL = (1 << 19) - 1
};
/* Resource id of "example.com/foo" in worlds with GEN_EXTENDED: the first that is interned. */
#define GEN_FOO RES_FIRST_EXTENDED

struct worldgen {
    struct rng rng;
    struct arena arena;
    uint32_t features;
    uint32_t nodes; /* how many there are: for names that pods refer to */
    struct pod_spec templates[8];
    uint32_t ntemplates;
    struct pod_spec last; /* replicas often come in a row */
    uint32_t row_left;
    uint32_t nvolumes, nclaims; /* storage made by worldgen_storage */
    uint32_t next_claim;        /* claims that wait are given to one pod each */
};
void worldgen_init(struct worldgen *g, uint64_t seed, uint32_t features);
void worldgen_fini(struct worldgen *g);
uint32_t worldgen_below(struct worldgen *g, uint32_t bound);
bool worldgen_chance(struct worldgen *g, uint32_t percent);

struct node_spec worldgen_node(struct worldgen *g, uint32_t i); /* named n-i */
struct pod_spec worldgen_pod(struct worldgen *g, uint32_t i);   /* named p-i, pending; a replica of a template most of the time */
struct spec_labels worldgen_namespace_labels(struct worldgen *g);
extern const str worldgen_namespaces[3];

/* Classes, volumes and claims, in this order; each call gives the next, false when there are no more. */
#define GEN_CLASSES 3
struct storage_class_spec worldgen_class(struct worldgen *g, uint32_t i);
struct pv_spec worldgen_pv(struct worldgen *g, uint32_t i);
struct pvc_spec worldgen_pvc(struct worldgen *g, uint32_t i);
struct pdb_spec worldgen_pdb(struct worldgen *g, uint32_t i);
struct spec_node_term worldgen_node_term(struct worldgen *g, int32_t weight);
