/* spec.h - what the engine is told of the world: plain values, one struct a kind of object.
 *
 * The scheduler's shell, the simulator, the tests and the benchmarks make these (engine/object.h makes them out of API objects)
 * and hand them to engine.h; the engine keeps what it needs in columns of its own.
 * Everything that decides a placement stands in struct pod_spec; two pods whose specs differ only in the fields under
 * "identity" share a class.
 * Threads: values.
 * Ownership: all strings and arrays are borrowed for the length of the call they are handed to.
 * Limits: LIMIT_SCHED_* in base/limits.h; a spec beyond one is refused by engine.h with a sentence. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

/* --- resources ---------------------------------------------------------------------------------------------------------- */
/* The first ids are fixed, names met at run time get the next ones (engine.h, sched_resource_id).  All amounts are whole
 * numbers: cpu in milli, memory and storage in bytes, bandwidth in bit/s, everything else in its own units. */
enum {
    RES_CPU,     /* milli */
    RES_MEMORY,  /* bytes */
    RES_STORAGE, /* ephemeral-storage, bytes */
    RES_PODS,    /* every pod requests 1 */
    RES_INGRESS, /* bit/s */
    RES_EGRESS,  /* bit/s */
    RES_GPU,     /* whole devices handed out (nvidia.com/gpu and its like); see struct gpu_request for how they are chosen */
    RES_FIRST_EXTENDED,
    RES_MAX = 48
};
struct res_amount {
    uint16_t id;
    int64_t amount;
};
struct res_list {
    const struct res_amount *p;
    size_t n;
};

/* --- labels, selectors -------------------------------------------------------------------------------------------------- */
struct spec_label {
    str key, value;
};
struct spec_labels {
    const struct spec_label *p; /* any order, no key twice */
    size_t n;
};
enum spec_op { OP_IN, OP_NOT_IN, OP_EXISTS, OP_NOT_EXISTS, OP_GT, OP_LT };
struct spec_requirement {
    str key;
    enum spec_op op;
    const str *values;
    size_t nvalues;
};
/* All requirements must hold.  `none`: matches nothing (a null LabelSelector); no requirements: matches everything. */
struct spec_selector {
    const struct spec_requirement *p;
    size_t n;
    bool none;
};

/* --- nodes ---------------------------------------------------------------------------------------------------------------- */
enum taint_effect { TAINT_NO_SCHEDULE, TAINT_PREFER_NO_SCHEDULE, TAINT_NO_EXECUTE };
struct spec_taint {
    str key, value;
    enum taint_effect effect;
};
struct spec_image {
    str name; /* normalised as kube-scheduler does: with a tag; a node's image appears once for each of its names */
    int64_t bytes;
};
struct spec_numa { /* one zone; the zones' sums need not reach the node's amounts */
    int64_t cpu_milli, memory_bytes;
    uint32_t gpus; /* bit i: device i belongs to this zone */
};
struct spec_volume_limit {
    str driver;
    int32_t count;
};
struct node_spec {
    str name;
    struct spec_labels labels;
    const struct spec_taint *taints;
    size_t ntaints;
    bool unschedulable;
    struct res_list allocatable;
    const struct spec_image *images;
    size_t nimages;
    /* Devices; all of a node are alike.  ngpus is also its RES_GPU. */
    uint32_t ngpus;        /* at most GPU_MAX */
    str gpu_model;         /* "" unknown */
    bool gpus_are_cut;     /* each is a partition: no parts of those; so are models with the word MIG */
    int64_t gpu_memory_mib; /* of one device, 0 unknown */
    const struct spec_numa *numa;
    size_t nnuma; /* at most NUMA_MAX */
    bool numa_single; /* the node's topology manager refuses a guaranteed pod that spans zones (single-numa-node) */
    const struct spec_volume_limit *volume_limits;
    size_t nvolume_limits;
    double bandwidth_overcommit; /* 0: 1.0; capacity of RES_INGRESS and RES_EGRESS times this may be reserved */
};
#define GPU_MAX 16
#define NUMA_MAX 8
#define GPU_MILLI 1000 /* one whole device */

/* --- pods ------------------------------------------------------------------------------------------------------------------ */
/* A term of node affinity: matchExpressions over labels and matchFields over metadata.name, all ANDed. */
struct spec_node_term {
    struct spec_selector labels;
    const struct spec_requirement *fields; /* key metadata.name, OP_IN or OP_NOT_IN with one value */
    size_t nfields;
    int32_t weight; /* preferred terms */
};
enum toleration_op { TOLERATE_EQUAL, TOLERATE_EXISTS };
struct spec_toleration {
    str key; /* "": every key, with EXISTS */
    enum toleration_op op;
    str value;
    int effect; /* enum taint_effect, or -1: every effect */
};
/* A term of inter-pod affinity.  match/mismatchLabelKeys have been merged into the selector by whoever made the spec. */
struct spec_pod_term {
    struct spec_selector selector;
    const str *namespaces; /* none and no namespace_selector: the pod's own */
    size_t nnamespaces;
    bool has_namespace_selector;
    struct spec_selector namespace_selector;
    str topology_key;
    int32_t weight; /* preferred terms, 1..100 */
};
enum spread_policy { SPREAD_HONOR, SPREAD_IGNORE };
struct spec_spread {
    str topology_key;
    int32_t max_skew;
    int32_t min_domains; /* 0: not given */
    bool hard;           /* DoNotSchedule */
    enum spread_policy affinity_policy, taints_policy;
    struct spec_selector selector; /* matchLabelKeys merged */
};
struct spec_port {
    str ip; /* "" is 0.0.0.0 */
    uint8_t protocol; /* 'T', 'U', 'S' */
    uint16_t port;
};
enum gpu_kind { GPU_NONE, GPU_WHOLE, GPU_FRACTION, GPU_MEMORY };
struct gpu_request {
    enum gpu_kind kind;
    uint32_t count;        /* devices; each of a fractional request gets the same share */
    int32_t milli;         /* GPU_FRACTION: of each device, 1..1000 */
    int64_t memory_mib;    /* GPU_MEMORY: of each device */
    const str *models;     /* any of these; none: every model */
    size_t nmodels;
};
enum numa_policy { NUMA_NONE, NUMA_PREFER_ONE, NUMA_REQUIRE_ONE, NUMA_EXCLUSIVE /* whole zones of its own */ };
struct spec_volume {
    str claim;        /* PersistentVolumeClaim in the pod's namespace; "" for an inline disk */
    str disk;         /* inline: "gce-pd/NAME", "aws-ebs/ID", "rbd/MON/POOL/IMAGE", "iscsi/IQN" ...: conflicts as kube-scheduler's VolumeRestrictions */
    str driver;       /* inline: CSI driver or in-tree name that its node limit is counted under, or "" */
    bool read_only;   /* inline */
};
/* May the batch policy evict it?  Unset: those of a priority below PREEMPTIBLE_BELOW. */
enum preemptibility { PREEMPTIBLE_UNSET, PREEMPTIBLE_YES, PREEMPTIBLE_NO, PREEMPTIBLE_SEMI /* what is beyond the minimum of its group */ };
#define PREEMPTIBLE_BELOW 100
/* What the batch policy should know of a pod, all of it 0 when nothing was said. */
struct spec_loss {
    int32_t restart_cost_s; /* a start costs that much beside the work that is lost */
    nsec_t checkpoint_ns;   /* work until then is not lost */
    nsec_t delay_ns;        /* so long it waits before others are evicted for it */
    nsec_t leave_by_ns;     /* of one that is being deleted: when it should have gone */
};
enum pod_phase { POD_PENDING, POD_BOUND, POD_TERMINATING /* still on its node, being deleted */ };

struct pod_spec {
    /* identity */
    str ns, name, uid;
    str node;        /* spec.nodeName, "" when pending */
    str nominated;   /* status.nominatedNodeName */
    enum pod_phase phase;
    nsec_t created_ns; /* arrival: the queue's second key */
    nsec_t started_ns; /* status.startTime of a bound pod, for preemption */
    str group;       /* PodGroup in ns, or "": a unit of its own */
    bool group_is_cluster; /* the group is of no namespace: its members can be of several (Kuscia's TaskResourceGroup) */
    str subgroup;    /* of that group, or "" */
    str queue;       /* of the batch policy (policy/queues.h), "": plain Kubernetes scheduling; a group's own goes before its members' */
    str pool;        /* of nodes, that it says it belongs to, or ""; a group's own goes before its members' */
    enum preemptibility preemptibility;
    struct spec_loss loss;
    nsec_t runtime_ns; /* how long it will run at most, by its own words; 0: not said */
    nsec_t protect_ns; /* for so long after its start it is not evicted to make room */
    const uint8_t *gpu_ids; /* a bound pod with devices: which (n = gpu.count); NULL: unknown, the engine chooses */

    /* placement */
    str scheduler;       /* spec.schedulerName: whose rules; see profile_table_find */
    bool in_pool;        /* only nodes of `place_pool` will do, "": nodes of none */
    str place_pool;
    int32_t priority;
    int32_t rank;        /* inside its group: higher ones first; 0: not said */
    bool preempt_never;  /* preemptionPolicy: Never */
    uint32_t gates;      /* number of schedulingGates */
    struct spec_labels labels;
    struct res_list requests; /* effective: init and sidecar rules, overhead, pod-level resources applied; RES_PODS is implied */
    int64_t nonzero_cpu, nonzero_memory; /* what scoring counts: 100m and 200 MiB for containers without a request */
    bool best_effort;
    struct spec_labels node_selector;
    const struct spec_node_term *required_terms; /* ORed; has_required false: no constraint; true and none: matches no node */
    size_t nrequired_terms;
    bool has_required;
    const struct spec_node_term *preferred_terms;
    size_t npreferred_terms;
    const struct spec_toleration *tolerations;
    size_t ntolerations;
    const struct spec_pod_term *affinity, *anti_affinity, *preferred_affinity, *preferred_anti_affinity;
    size_t naffinity, nanti_affinity, npreferred_affinity, npreferred_anti_affinity;
    const struct spec_spread *spread;
    size_t nspread;
    /* Selector of the Services and workloads that own the pod, for the system's default spread; default_spread_owned false: none. */
    bool default_spread_owned;
    struct spec_selector default_spread_selector;
    const struct spec_port *ports;
    size_t nports;
    const str *images; /* of all containers, normalised */
    size_t nimages;
    const struct spec_volume *volumes;
    size_t nvolumes;
    struct gpu_request gpu;
    enum numa_policy numa;
    bool guaranteed;      /* QoS class Guaranteed with whole cpus: NUMA rules apply */
    bool daemon;          /* owned by a DaemonSet */
    bool can_be_victim_never; /* Gödel's can-be-preempted=false and its like */
};

/* --- groups ---------------------------------------------------------------------------------------------------------------- */
enum topology_mode { TOPOLOGY_NONE, TOPOLOGY_PREFERRED, TOPOLOGY_REQUIRED };
/* Order of topology domains before they are tried: Gödel's sortRules. */
struct spec_sort_rule {
    uint16_t resource;
    bool by_available; /* else by capacity */
    bool descending;
};
#define SUBGROUPS_NONE (-1)
struct spec_subgroup {
    str name;
    str parent; /* "" the group itself */
    int32_t min_member;   /* 0: none must be */
    int32_t min_subgroup; /* so many of the sub-groups just below must have theirs; 0: all of them, SUBGROUPS_NONE: none */
    str required_key, preferred_key; /* topology: node label keys; "" none */
};
struct route_spec { /* a way from one domain to another */
    str ns, name; /* of the object; ns "": of the whole cluster */
    str source, destination;
    int64_t bits; /* what it can carry; 0: it does not say */
};
struct group_spec {
    str ns, name;
    int32_t min_member;
    int32_t min_subgroup; /* as above */
    int32_t priority;
    bool has_priority;
    nsec_t created_ns;
    nsec_t timeout_ns; /* scheduleTimeoutSeconds, 0 none */
    str queue, pool;   /* "": what its members say */
    enum preemptibility preemptibility;
    const struct spec_subgroup *subgroups;
    size_t nsubgroups;
    const str *required_keys; /* every member in one domain of each; widest first.  "zone,rack": a level of a tree, see sched_topology_key */
    size_t nrequired_keys;
    const str *preferred_keys; /* best effort, widest first */
    size_t npreferred_keys;
    const struct spec_sort_rule *sort_rules;
    size_t nsort_rules;
    struct spec_labels node_selector; /* of all members */
    nsec_t runtime_ns;  /* of the group's object; 0: what its members say */
    nsec_t delay_ns;    /* so long its members wait before others are evicted for them; 0: what each says */
    nsec_t stale_grace_ns; /* so long it may be below its minimum; 0: what the scheduler was told, below 0: for ever */
    int32_t max_tries;  /* KAI's schedulingBackoff: so many failed tries, then none until nodes change; 0: no end */
};

/* --- storage, policy, namespaces -------------------------------------------------------------------------------------------- */
struct pv_spec {
    str name, storage_class;
    int64_t bytes;
    str claim_ns, claim_name; /* claimRef; "" free */
    const struct spec_node_term *node_affinity; /* required; ORed */
    size_t nnode_affinity;
    bool has_node_affinity;
    struct spec_labels labels; /* zone and region labels (VolumeZone); selector of claims */
    str driver;
    uint8_t access_modes; /* bits: 1 RWO, 2 ROX, 4 RWX, 8 RWOP */
    bool block;
    str handle;                 /* the driver's name of it, what node limits count once; "" is `name` */
    bool deleting, unavailable; /* being deleted; its phase is not Available: no new claim gets it */
};
struct pvc_spec {
    str ns, name, storage_class;
    str volume;  /* bound to; "" not yet */
    bool deleting;
    int64_t bytes;
    uint8_t access_modes;
    bool block;
    struct spec_selector selector;
    bool has_selector;
    bool prebound;     /* it names `volume`, but is not bound yet: waits for the volume controller */
    bool lost;         /* its volume is gone */
    str selected_node; /* a volume is being made for it on this node; "" not so */
};
struct storage_class_spec {
    str name, driver; /* driver kubernetes.io/no-provisioner: cannot be made */
    bool wait_for_first_consumer;
    const struct spec_node_term *allowed_topologies; /* ORed */
    size_t nallowed_topologies;
};
struct pdb_spec {
    str ns, name;
    struct spec_selector selector;
    int32_t disruptions_allowed;
    const str *disrupted; /* pods whose eviction is already counted: they break nothing */
    size_t ndisrupted;
};
