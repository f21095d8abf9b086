/* model.h - the engine's state in columns, for the engine's own files and for plugins.
 *
 *   events ──► nodes, pods, classes, units ──► journal of touched nodes ──► caches of classes (place.c), counters (terms.c)
 *
 * Two kinds of node state.  What only node events change (labels, taints, capacity) stands in struct sched and its columns.  What placing
 * changes (used amounts, devices, ports) stands in a struct view; the engine has one, each parallel worker a replica
 * of its resource columns (binder/replica.h).
 * A pod belongs to a class: all that decides its placement, interned.  A million replicas are one class.
 * Every change of placement goes through model_assign / model_unassign, which the statement (statement.h) logs and can undo.
 * Threads: one writer.  Readers on other threads only while the writer stands still (a round of the pipeline).
 * Ownership: everything belongs to struct sched; pointers into columns die with the next node that is added.
 * Limits: RES_MAX resources, 2^32 - 2 nodes and pods, LIMIT_SCHED_PRIORITIES priorities in use at a time. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "sched/engine/elsewhere.h"
#include "sched/engine/spec.h"
#include "sched/engine/symbols.h"

struct err;
struct sched;
struct sched_plugin;
struct sched_profile;
struct profile_table;
struct terms;   /* terms.h: counters of pods by selector and topology domain */
struct storage; /* storage.h: claims, volumes, classes */
struct pdbs;    /* pdbs.h: disruption budgets */
struct class_cache;
struct place_state; /* place_state.h: caches, static answers, nominated pods */
struct hot_block;   /* place_kernel.h */
struct class_terms;
struct preempt_state;
struct links; /* links.h: bandwidth between domains */
struct link_end;
struct keeps; /* keep.h: room that is kept for tasks that waited too long */

/* --- selectors and constraints, compiled to symbols ------------------------------------------------------------------------- */
struct req { /* one requirement over symbols */
    sym_t key;
    uint8_t op; /* enum spec_op */
    uint32_t nvalues;
    const sym_t *values; /* sorted */
    int64_t number;      /* OP_GT, OP_LT */
};
struct sel {
    struct req *p;
    uint32_t n;
    bool none;
};
struct label { /* sorted by key */
    sym_t key, value;
};
struct labelset {
    const struct label *p;
    uint32_t n;
};
sym_t labelset_get(struct labelset ls, sym_t key, bool *ret_has);
bool sel_matches(const struct sched *s, const struct sel *sel, struct labelset ls);

struct node_term {
    struct sel labels;
    struct req *fields; /* over node names */
    uint32_t nfields;
    int32_t weight;
};

/* --- nodes -------------------------------------------------------------------------------------------------------------------- */
struct node_taint {
    sym_t key, value;
    uint8_t effect;
};
struct node_image {
    sym_t name;
    int64_t bytes;
};
struct node { /* cold part; hot parts are columns */
    sym_t name; /* 0: free slot */
    struct labelset labels;
    struct node_taint *taints;
    uint32_t ntaints;
    bool unschedulable;
    sym_t pool; /* value of its label POOL_LABEL; 0: none */
    struct node_image *images; /* sorted by name */
    uint32_t nimages;
    sym_t gpu_model;
    bool gpus_are_cut; /* into partitions (MIG), each of which counts as a device: no parts of those */
    int64_t gpu_memory_mib;
    uint32_t ngpus;
    struct spec_numa numa[NUMA_MAX];
    uint32_t nnuma;
    bool numa_single;
    double bandwidth_overcommit; /* what can be promised over what there is; 0: 1 */
    struct { sym_t driver; int32_t count; } *volume_limits;
    uint32_t nvolume_limits;
    pod_id first_pod; /* list of pods on it, through pod.next_on_node */
    uint32_t npods;
    struct arena arena; /* holds labels, taints, images, limits; made anew by each update */
};

/* Devices of a node as placing sees them.  The first two sum up the rest, so that a scan need not look at each device: all zero is a node with
 * nothing on it. */
struct gpu_state {
    uint32_t least_used;  /* lowest used_milli of its devices */
    uint32_t ntaken;      /* devices with anything on them */
    uint32_t used_milli[GPU_MAX];
    uint32_t used_mib[GPU_MAX]; /* GPU_MEMORY requests count in both: milli = ceil(1000 * mib / memory) */
};
struct numa_state {
    int64_t used_cpu[NUMA_MAX], used_memory[NUMA_MAX];
    uint8_t exclusive; /* bit z: the zone is one pod's alone */
};
struct port_use {
    sym_t ip; /* 0: all of the node's addresses */
    uint8_t protocol;
    uint16_t port;
    uint16_t count; /* holders: two assumed pods never, but a terminating and a nominated one may share */
};
struct node_ports {
    struct port_use *p;
    uint32_t n, cap;
};

/* --- the dynamic columns -------------------------------------------------------------------------------------------------------- */
#define JOURNAL_SIZE 16384u /* entries kept; who is further behind starts anew */
struct journal_entry {
    node_id node;
    bool is_static; /* labels, taints, capacity changed, or the node came or went; else only what is used */
};
struct view {
    const struct sched *s;
    uint32_t nnodes; /* slots in use, with holes; columns have `words * 64` entries, zeroed beyond nnodes */
    uint32_t words;
    int64_t *used[RES_MAX];     /* requests of assigned and nominated pods; NULL until a node or pod names the resource */
    int64_t *nonzero_cpu;       /* what scoring counts as used */
    int64_t *nonzero_memory;
    /* The same as doubles for the kernels (exact below 2^53): f_used[0..1] cpu, memory; f_nonzero[0..1]. */
    double *f_used[2], *f_nonzero[2];
    struct hot_block *hot; /* 16 nodes each, for scans; NULL: scans are slower.  Kept by view_use and model_touch */
    uint32_t *version; /* of each node: rises with every change of anything about it */
    struct gpu_state *gpu;
    struct numa_state *numa;
    struct node_ports *ports; /* NULL in replicas */
    struct journal_entry *journal; /* entry of change number i at i % JOURNAL_SIZE; NULL in replicas */
    uint64_t seq;                  /* changes so far */
};

/* --- classes ----------------------------------------------------------------------------------------------------------------------- */
struct pod_port {
    sym_t ip;
    uint8_t protocol;
    uint16_t port;
};
struct pod_volume {
    sym_t claim, disk, driver;
    bool read_only;
};
struct term_ref { /* a term of inter-pod affinity, interned in terms.h */
    uint32_t term;
    int32_t weight;
};
struct spread_ref {
    uint32_t counter; /* spread counter of terms.h */
    int32_t max_skew, min_domains;
    bool hard, self; /* self: the pod matches the constraint's own selector */
};
struct pod_class {
    class_id id;
    uint32_t refs; /* pods; 0: kept for a while, see classes.h */
    bool listed;   /* classes.c's */
    uint64_t hash;
    const void *key; /* canonical bytes of the placement part of the spec */
    uint32_t key_len;
    sym_t ns;
    struct labelset labels;
    uint32_t labels_id; /* same ns and labels, same id: what terms match against */
    int32_t priority, rank;
    bool preempt_never, best_effort, guaranteed, daemon, never_victim;
    bool in_pool; /* only nodes of `pool` will do */
    sym_t pool;   /* 0: those of none */
    uint8_t profile; /* of s->table */
    uint32_t gates;
    struct res_amount *req; /* by id, RES_PODS included, no zero amounts */
    uint32_t nreq;
    int64_t amount[RES_FIRST_EXTENDED]; /* the fixed ones again, by id */
    int64_t nonzero_cpu, nonzero_memory;
    struct label *node_selector;
    uint32_t nnode_selector;
    struct node_term *required, *preferred;
    uint32_t nrequired, npreferred;
    bool has_required;
    sym_t pinned_node; /* every required term pins metadata.name to this one: the DaemonSet path; 0: not so */
    struct spec_toleration_sym { sym_t key, value; uint8_t op; int8_t effect; } *tolerations;
    uint32_t ntolerations;
    struct pod_port *ports;
    uint32_t nports;
    sym_t *images;
    uint32_t nimages;
    struct pod_volume *volumes;
    uint32_t nvolumes;
    struct gpu_request gpu; /* models as symbols below */
    sym_t *gpu_models;
    uint8_t numa; /* enum numa_policy */
    struct term_ref *affinity, *anti, *preferred_affinity, *preferred_anti;
    uint32_t naffinity, nanti, npreferred_affinity, npreferred_anti;
    struct spread_ref *spread; /* hard and soft, system defaults included */
    uint32_t nspread;
    bool spread_is_default;
    /* Which plugins of its profile look at it at all (bit = index in s->table). */
    uint64_t uses_filter, uses_score;
    bool is_local; /* no cross-node filter or score: its best nodes are kept incrementally */
    bool replica_ok; /* resources and node-static constraints alone: parallel workers may place it */
    struct class_cache *cache; /* place.c's */
    struct class_terms *terms; /* terms.c's */
    struct arena arena;
};

/* --- pods ---------------------------------------------------------------------------------------------------------------------------- */
enum pod_state {
    PS_FREE,
    PS_ELSEWHERE, /* bound to a node the engine does not know (yet): holds nothing, is not placed */
    PS_PENDING,   /* on no node */
    PS_NOMINATED, /* room kept on pod.node, not counted by affinity and spread */
    PS_ASSUMED,   /* placed by us, not confirmed */
    PS_BOUND,
    PS_TERMINATING, /* on its node, counted in resources, not in spread; frees its room when it goes */
};
struct pod {
    class_id class_;
    node_id node; /* NODE_NONE */
    pod_id next_on_node, prev_on_node; /* PS_ELSEWHERE: the first is its entry in s->elsewhere */
    unit_id unit;
    uint8_t state; /* enum pod_state */
    uint8_t numa_zones; /* bits, when numa rules placed it */
    uint16_t gpu_mask;  /* devices it holds */
    uint16_t subgroup;  /* index in its group, 0xffff none */
    uint16_t loss;      /* in s->losses; 0: nothing was said */
    sym_t subgroup_name;
    uint32_t slot_in_unit;
    sym_t ns;
    nsec_t created_ns, started_ns;
    const char *name; /* heap, "name\0uid\0" */
};

/* --- units --------------------------------------------------------------------------------------------------------------------------- */
struct subgroup {
    sym_t name;
    uint16_t parent; /* index, 0xffff: the group */
    int32_t min_member, min_subgroup;
    sym_t required_key, *preferred_keys; /* widest first */
    uint32_t npreferred_keys;
};
struct unit { /* a pod alone, or a group */
    bool used;
    bool is_group;
    bool declared; /* the group's own object was seen (members may come first) */
    bool has_priority; /* the group's own; else the highest of its members */
    bool has_ended; /* a member came to its end: fewer than the minimum is no accident then */
    bool has_queue, has_pool, has_preemptibility; /* the same; else those of the first member that says so */
    uint8_t preemptibility; /* enum preemptibility */
    sym_t queue;            /* 0: not under the batch policy */
    sym_t pool;             /* of nodes, that it says it belongs to; 0: none */
    sym_t ns, name; /* of the group */
    str key;        /* "ns/name", of a group */
    int32_t priority;
    nsec_t created_ns, timeout_ns;
    nsec_t runtime_ns; /* declared, the longest of its members unless the group says so; 0: nobody knows */
    nsec_t protect_ns; /* longest of its members */
    bool has_runtime;  /* the group's own */
    int32_t max_tries; /* 0: no end */
    nsec_t delay_ns, stale_grace_ns; /* of struct group_spec */
    int32_t min_member, min_subgroup;
    struct subgroup *subgroups;
    uint32_t nsubgroups;
    sym_t *required_keys, *preferred_keys;
    uint32_t nrequired_keys, npreferred_keys;
    struct spec_sort_rule *sort_rules;
    uint32_t nsort_rules;
    struct label *node_selector;
    uint32_t nnode_selector;
    VEC(pod_id) pods; /* all members, any state */
    struct link_ends { struct link_end *p; uint32_t n, cap; } ends; /* links.h: of a group of several namespaces; order of no meaning */
    struct arena arena;
};

/* A topology key: the domain of each node.  In a declared tree a rack is one of its zone: "r1" of two zones is two domains, and a node that lacks a label of the
 * way is in none. */
#define TOPOLOGY_LEVELS 16u /* of a declared tree */
struct topo {
    sym_t key;         /* a label key, or the keys of a declared tree from its root down to a level, "zone,rack" */
    sym_t parts[TOPOLOGY_LEVELS];
    uint32_t nparts;   /* 1 but for levels of a tree */
    uint32_t *domain; /* per node slot: 1.. ; 0: the node lacks the label */
    uint32_t ndomains; /* ids given out, 0 included */
    sym_t *value;      /* of each domain */
    uint32_t *nnodes;  /* in each domain */
    uint32_t cap;
    struct map by_value; /* the label's value -> domain */
    VEC(uint32_t) free_domains; /* numbers of domains that have no node any more */
};

struct topology_levels {
    sym_t label[TOPOLOGY_LEVELS]; /* root first */
    sym_t alias[TOPOLOGY_LEVELS]; /* 0: none */
    uint32_t n;
};
struct priority_class {
    int32_t value;
    bool never;      /* preemptionPolicy: Never */
    bool is_default; /* globalDefault */
};
struct ns_info {
    sym_t name;
    struct labelset labels;
    struct arena arena;
};

/* --- who is told --------------------------------------------------------------------------------------------------------------- */
/* Listeners, for accounts that must be what the pods say at all times, in statements and through rollbacks. */
struct sched_watch {
    struct sched_watch *next;
    void *arg;
    /* Pod p is on pod.node in pod.state from now on (+1), or will not be (-1): around each change of either. */
    void (*pod)(void *arg, pod_id p, int sign);
    /* Members came, changed or went, the group's object changed; or the unit is about to be gone (no pods). */
    void (*unit)(void *arg, unit_id u);
    void (*node)(void *arg, node_id n); /* came, changed or went */
    /* The nodes that sched_place_next may use for the unit; NULL, or an answer of NULL: all.  Good until the next call. */
    const uint64_t *(*within)(void *arg, unit_id u);
};

enum batch_mode {
    BATCH_OFF,
    BATCH_PLACE, /* evict nobody, give room that is kept to nobody, take no more members than needed next */
    BATCH_PROBE  /* the same, and nobody asks why not */
};

/* --- the whole ----------------------------------------------------------------------------------------------------------------------- */
struct undo_log;
#define POOL_LABEL "kai.scheduler/node-pool"
struct sched {
    struct symbols sym;
    const struct sched_profile *profile; /* the first, with those that follow it; owned; plugin.h */
    struct profile_table *table;         /* ... the entries of all of them */
    uint64_t seed;
    struct view view;
    struct node *nodes;      /* [view.words * 64] */
    uint64_t *alive;         /* bitmap: slots that hold a node */
    uint32_t nalive;
    int64_t *alloc[RES_MAX]; /* allocatable (bandwidth: times overcommit); NULL until named; zero beyond */
    double *f_alloc[2], *f_inv[2]; /* cpu and memory as doubles, and 1/alloc (0 for 0) */
    uint32_t *tie;           /* rank of each node for equal scores: smallest wins; see model_tie_ranks */
    bool tie_stale;
    uint64_t tie_epoch;      /* rises when ranks change */
    struct map node_by_name; /* symbol text -> (void *)(uintptr_t)(id + 1) */
    VEC(node_id) free_nodes;
    str res_name[RES_MAX];
    uint32_t nres;
    struct topo *topos;
    uint32_t ntopos;

    struct pod_class **classes; /* [0] unused */
    uint32_t nclasses, capclasses;
    struct class_table *class_table;
    struct pod *pods; /* [0] unused */
    uint32_t npods_slots, cappods, npods;
    VEC(pod_id) free_pods;
    struct pod_table *pod_table; /* by ns/name */
    VEC(struct spec_loss) losses; /* of the few pods that say something; [0] unused.  Beyond LIMIT_SCHED_LOSSES nobody is heard */
    VEC(uint16_t) free_losses;
    struct elsewhere elsewhere; /* pods in PS_ELSEWHERE */
    struct unit *units; /* [0] unused */
    uint32_t nunits_slots, capunits;
    VEC(unit_id) free_units;
    struct map group_by_key; /* "ns/name" -> unit */
    struct map namespaces;
    struct map topologies;       /* name -> struct topology_levels, declared trees */
    struct map priority_classes; /* name -> struct priority_class, for pods whose priority nobody filled in */

    struct terms *terms;
    struct storage *storage;
    struct pdbs *pdbs;
    struct links *links;
    struct keeps *keeps;
    struct preempt_state *preempt;
    struct place_state *place;
    struct unit_state *unit_state; /* unit.c's scratch and what it remembers of rejections */
    uint32_t hooks[64];      /* indexes in the table of plugins with assigned or unassigned */
    uint32_t nhooks;
    void **plugin_state; /* one for each entry of the table, see plugin.h */
    struct sched_watch *watch; /* the first; NULL: nobody */
    sym_t pool_key; /* POOL_LABEL */
    uint8_t batch; /* enum batch_mode, see sched_place_next */
    const uint64_t *batch_within; /* ... the nodes that it may use; NULL: all */
    struct undo_log *undo;
    uint64_t nassigned;  /* pods that came onto a node so far; a rollback takes its own off again */
    bool imagining;      /* a pod is moved that will be moved back, or moves back: plugins count, but learn nothing from it */
    uint64_t events;     /* sched_event bits since sched_take_events */
    nsec_t now_ns;       /* handed in with each call that needs it */
};

static inline struct pod_class *class_of(const struct sched *s, pod_id p)
{
    return s->classes[s->pods[p].class_];
}
static inline bool node_is_alive(const struct sched *s, node_id n)
{
    return bit_get(s->alive, n);
}
/* Adds (+1) or takes (-1) what a pod of the class uses to a view's resource columns. */
void view_use(struct view *v, const struct pod_class *c, node_id n, int sign);
/* Is the pod counted on its node (resources)? */
static inline bool pod_on_node(const struct pod *p)
{
    return p->state >= PS_NOMINATED;
}

/* Columns of a resource, made on first use. */
int model_resource(struct sched *s, str name, uint16_t *ret_id, struct err *err) MUST_CHECK;
/* The column of a topology key, made on first use. */
uint32_t model_topology(struct sched *s, sym_t key);
/* The value that decides the domain of node n, interned: the label's, or those of the way down a tree with "/" between them; not *ret_has: the node lacks one. */
sym_t model_topology_value(struct sched *s, const struct topo *t, node_id n, bool *ret_has);
/* Puts the pod on the node in the given state (NOMINATED, ASSUMED, BOUND, TERMINATING), with devices chosen by the plugins
 * unless gpu_mask says which; or takes it off (it is PENDING then).  Logged when a statement is open. */
void model_assign(struct sched *s, pod_id p, node_id n, enum pod_state state, uint16_t gpu_mask);
void model_unassign(struct sched *s, pod_id p);
/* Changes the state of a pod that stays on its node (assumed -> bound, bound -> terminating). */
void model_set_state(struct sched *s, pod_id p, enum pod_state state);
/* Recomputes s->tie when nodes came or went: by name when the seed is 0, else by a hash of seed and name. */
void model_tie_ranks(struct sched *s);
/* What orders equal scores: 64 bits of seed and name. */
uint64_t model_tie_hash(uint64_t seed, str name);
/* Columns for at least n node slots. */
void model_grow(struct sched *s, uint32_t n);
/* Takes a node out of every index, or back in; it has no pods.  Statements and sched_node_put/delete use these. */
void model_node_hide(struct sched *s, node_id n);
void model_node_show(struct sched *s, node_id n);
/* Notes that something about a node changed. */
void model_touch(struct sched *s, node_id n, bool is_static);
/* How much of resource r is free on n. */
static inline int64_t view_free(const struct view *v, node_id n, uint16_t r)
{
    return (v->s->alloc[r] ? v->s->alloc[r][n] : 0) - (v->used[r] ? v->used[r][n] : 0);
}
/* A rollback's steps, without log and events; also for pods that leave and come back while one node is searched. */
void model_undo_assign(struct sched *s, pod_id p);
void model_redo_assign(struct sched *s, pod_id p, node_id n, enum pod_state state, uint16_t gpu_mask, uint8_t numa_zones);
void model_init(struct sched *s);
void model_fini(struct sched *s);
/* Compares everything with a state built from scratch out of the same pods; the sentence says what differs.  For tests. */
int model_check(const struct sched *s, struct err *err) MUST_CHECK;
