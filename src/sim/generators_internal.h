/* generators_internal.h - what a workload is made of; shared by the table and the shapes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "sim/generators.h"

struct gen { /* one run */
    const struct gen_workload *w;
    const struct gen_shape *shape;
    struct gen_scale scale;
    const struct gen_sink *sink;
    struct arena arena;   /* of the run */
    struct arena scratch; /* of one object */
    uint32_t pods;        /* made so far, for names */
    uint16_t extended;    /* id of gen_extended_name, when the shape asks for it */
};

/* Fills what differs from a plain pod; i counts within its phase.  Terms may be static or on g->scratch. */
typedef void gen_pod_fn(struct gen *g, uint32_t i, struct pod_spec *p);
struct gen_pods {
    gen_pod_fn *make; /* NULL: plain */
    bool varies;      /* called for every pod, else for the first alone */
};
struct gen_nodes {
    uint32_t cpu, pods;      /* 0: 4 cores, 110 pods */
    uint32_t memory_gib;     /* 0: 32 */
    uint32_t gpus;
    uint32_t zones;          /* 0: no zone label */
    uint32_t per_rack;       /* nodes with the same label "rack"; 0: no such label */
    uint32_t tainted_every;  /* each n-th has the taint foo:NoSchedule; 0: none */
    uint32_t volumes;        /* limit of the driver gen_driver, 0: none */
    bool mixed;              /* three sizes, disks and a dedicated tenth */
    bool one_wide;           /* node 0 takes 90,000 pods: where pods without requests or with a pinned node go */
    bool extended;           /* 8 of gen_extended_name */
};
struct gen_shape {
    struct gen_nodes nodes;
    struct gen_pods init, measured;
    gen_pod_fn *const *init_mix; /* `init` pods of each instead; NULL at the end */
    str init_ns, measured_ns;    /* "": sched-0 and sched-1 */
    uint32_t init_namespaces;    /* the init pods are dealt out to this many, labelled team=devops */
    uint32_t group, min_member;  /* measured pods in gangs of this many; min_member 0: all of them */
    str group_required;          /* topology key that every gang must be within */
    bool volumes;                /* every pod has a bound claim of its own */
    bool churn;                  /* a node and a pod that fits nowhere come and go all the time */
    bool init_terminates;        /* the init pods are being deleted when the measured ones come */
    bool init_bound;             /* the init pods are on nodes already, spread evenly */
};

extern const str gen_driver, gen_extended_name;
#define GEN_ZONE_KEY S("topology.kubernetes.io/zone")
#define GEN_HOST_KEY S("kubernetes.io/hostname")

gen_pod_fn gen_pod_default, gen_pod_large_cpu, gen_pod_low, gen_pod_high, gen_pod_gated, gen_pod_gated_affinity, gen_pod_pinned, gen_pod_tiny, gen_pod_node_affinity, gen_pod_affinity,
    gen_pod_anti_affinity, gen_pod_matching, gen_pod_preferred_affinity, gen_pod_preferred_anti_affinity, gen_pod_ns_affinity, gen_pod_ns_anti_affinity,
    gen_pod_ns_preferred_affinity, gen_pod_ns_preferred_anti_affinity, gen_pod_spread_hard, gen_pod_spread_soft, gen_pod_service, gen_pod_spread_taints, gen_pod_host_port, gen_pod_whole_node,
    gen_pod_extended, gen_pod_different, gen_pod_gpu_job, gen_pod_hopeless_base, gen_pod_classes20;
