/* plugin.h - the two-level framework: what a plugin is, and the profile that picks plugins, weights and arguments.
 *
 * A plugin is a const table (plugins/registry.c lists them).  Filters and scores work on all nodes at a time: a bitmap that they clear
 * bits of, an array that they fill; the same rule for one node alone (`fits_one`, `score_one`) serves incremental updates and the
 * binder.  Both forms must agree; plugin_agrees_test checks that on random worlds.
 * Scope says when an answer can change:
 *     PLUG_STATIC  by node events alone: compiled once a class to a bitmap that node events keep current
 *     PLUG_LOCAL   also by what is placed on that very node: kept current by the journal of touched nodes
 *     PLUG_CROSS   also by what is placed elsewhere: computed at each decision from counters
 * Threads: filter, fits_one, score, score_one and normalize only read and may run on many threads at once on different views.
 * Ownership: args live as long as the profile; state is the plugin's (make, fini).
 * Limits: PROFILES_MAX profiles an engine, PLUG_MAX entries in all of them together, where equal ones count once. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "sched/engine/model.h"
#include "wire/json.h"

#define PLUG_MAX 64 /* bits of a mask */
#define PROFILES_MAX 32
#define SCORE_MAX 100
#define SCORE_NONE INT32_MIN /* the node does not fit */

enum plug_scope { PLUG_STATIC, PLUG_LOCAL, PLUG_CROSS };
enum plug_norm {
    NORM_NONE,        /* the plugin's own 0..100 */
    NORM_MAX,         /* 100 * s / max over the feasible; all 0 when max is 0 */
    NORM_REVERSE_MAX, /* 100 - 100 * s / max; all 100 when max is 0 */
    NORM_CUSTOM       /* plugin->normalize */
};
/* What a rejected node misses; amounts for people. */
struct plug_reason {
    uint16_t code;       /* the plugin's own; index in plugin->reasons */
    bool unresolvable;   /* evicting pods there cannot help */
    uint16_t resource;   /* amounts are of this resource, RES_MAX: none */
    int64_t need, have;
    sym_t what[2];       /* taint key and value, label, port owner, claim ... ; 0 none */
};

struct node_sets { /* ordered bitmaps of view.words words each, on the heap; node_sets_fini in unit.h */
    VEC(uint64_t *) sets;
};

struct sched_plugin {
    const char *name; /* kube-scheduler's where it has one */
    enum plug_scope filter_scope, score_scope;
    uint32_t helped_by; /* enum sched_event mask: what may let a rejected pod in */
    uint32_t default_weight; /* of score; 0: score only when the profile gives a weight */
    enum plug_norm norm;
    const char *const *reasons; /* sentences for plug_reason.code, kube-scheduler's words: "node(s) had untolerated taint {%s: %s}" */

    /* Does the class concern this plugin at all?  Asked once, when the class is compiled.  NULL: always. */
    bool (*uses_filter)(const struct sched *s, const struct pod_class *c, const void *args);
    bool (*uses_score)(const struct sched *s, const struct pod_class *c, const void *args);
    /* Clears the bits of nodes that do not fit. */
    void (*filter)(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits);
    bool (*fits_one)(const struct view *v, const struct pod_class *c, const void *args, node_id n);
    /* Why fits_one says no; all reasons of that node, at most max.  Cold. */
    size_t (*explain)(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max);
    /* raw[n] for every bit of fits. */
    void (*score)(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw);
    int64_t (*score_one)(const struct view *v, const struct pod_class *c, const void *args, node_id n);
    void (*normalize)(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw);

    /* Unit level.  locate: clears the nodes that the unit may not use at all.  group: cuts the nodes into sets that are tried one after another, each
     * able to hold the whole unit; false: has nothing to say about this unit. */
    void (*locate)(const struct sched *s, unit_id u, const void *args, uint64_t *nodes);
    bool (*group)(const struct sched *s, unit_id u, const void *args, const uint64_t *nodes, struct node_sets *ret);

    /* State of its own, told of every pod that comes onto a node or leaves it (also by rollback).  What is kept by counting both is right at all times; what is
     * learned from placements must wait until they stand: not while a statement is open or s->imagining, but then and when `committed` says that the outermost
     * statement was kept. */
    void *(*state_new)(struct sched *s, const void *args);
    void (*state_free)(void *state);
    void (*assigned)(struct sched *s, void *state, pod_id p, node_id n);
    void (*unassigned)(struct sched *s, void *state, pod_id p, node_id n);
    void (*committed)(struct sched *s, void *state); /* only for plugins with one of the two above */
    /* A node's labels, taints, capacity or images change, it comes or goes: before (sign -1, unless it is new) and after (+1, unless it is gone). */
    void (*node_changed)(struct sched *s, void *state, node_id n, int sign);

    /* What of the class a PLUG_STATIC filter (or score) depends on, as bytes: classes with equal bytes share one answer.  NULL: no two classes share. */
    void (*static_key)(const struct pod_class *c, bool is_score, struct strbuf *key);
    bool static_score_is_global; /* the static score of a node changes with other nodes' events, too */

    /* Arguments from the profile's YAML (NULL: defaults) onto the profile's arena; errors name the field. */
    int (*configure)(struct arena *a, const struct json *args, const void **ret_args, struct err *err);
};

/* NodeResourcesFit and NodeResourcesBalancedAllocation are computed together in one pass (place_kernel.h) when both are on: their
 * arguments, as the kernel wants them. */
enum fit_strategy { FIT_LEAST, FIT_MOST, FIT_RATIO };
struct fit_shape_point {
    int32_t utilization, score; /* 0..100, 0..100 (YAML's 0..10 times ten) */
};
struct fit_args {
    enum fit_strategy strategy;
    struct { str name; uint16_t id; int32_t weight; } resources[8]; /* ids are resolved per engine by name */
    uint32_t nresources;
    struct fit_shape_point shape[16];
    uint32_t nshape;
    str ignored[16]; /* ignoredResources, ignoredResourceGroups (a group is kept as "example.com/") */
    uint32_t nignored;
};
enum balanced_formula { BALANCED_WITH, BALANCED_GAIN /* 1.36: 50 + (50 + b(with) - b(without)) / 2 */ };
struct balanced_args {
    enum balanced_formula formula;
    struct { str name; uint16_t id; int32_t weight; } resources[8]; /* as above */
    uint32_t nresources;
};

/* --- profiles ------------------------------------------------------------------------------------------------------------------------ */
struct profile_plugin {
    const struct sched_plugin *plugin;
    const void *args;
    int32_t weight; /* of score, 0: does not score */
    bool filters;
    str args_text; /* the JSON that args were made of; "": defaults.  Equal texts, equal args */
};
enum tie_rule { TIE_SEED /* by seed and name; by name when the seed is 0 */, TIE_BEST_FIT /* fewest free amounts first, then as TIE_SEED */ };
struct sched_profile {
    str name;
    struct profile_plugin plugins[PLUG_MAX]; /* filters run in this order */
    uint32_t nplugins;
    enum tie_rule tie;
    bool preempt;           /* DefaultPreemption is on */
    bool spread_devices;    /* parts of GPUs go to the emptiest device of a node, else to the fullest */
    bool unit_preempt_whole; /* a victim of a gang at its minimum takes the whole gang */
    nsec_t keep_after_ns; /* tasks of several domains that waited for so long have room kept for them (keep.h); 0: never */
    struct sched_profile *next; /* of the same file, for pods with that one's name; owned */
    struct arena arena;
};
/* "default" (kube-scheduler's), "binpack", "spread", "kai-binpack", "kai-spread" (KAI's scores, for work in queues), "gpu-packing" (fragmentation), or NULL when there is no such name.  The caller frees. */
struct sched_profile *profile_builtin(str name);
/* A KubeSchedulerConfiguration with one profile or several (ret is the first), or our short form:
 *     name: mine
 *     base: default
 *     plugins: {NodeResourcesFit: {weight: 1, args: {scoringStrategy: {type: MostAllocated}}}, ImageLocality: off}
 *     ties: seed
 * Errors: "profile.yaml: plugins.NodeResourcesFit.args.scoringStrategy.type: ...". */
int profile_parse(str text, str file_name, struct sched_profile **ret, struct err *err) MUST_CHECK;
void profile_free(struct sched_profile *p);
const struct sched_plugin *plugin_find(str name); /* NULL: no such plugin */
extern const struct sched_plugin *const sched_plugins[]; /* registry.c; NULL at the end */
/* Index of a plugin in the profile, or -1. */
int profile_index(const struct sched_profile *p, const char *plugin_name);

/* --- the profiles of an engine (profile_table.c) --------------------------------------------------------------------------------------- */
/* The entries of all profiles in one table, so that a plugin is a bit whoever's it is.  Profiles that have the same entry (plugin, weight, filter, arguments) share it,
 * with its state and its static answers.  Those of a profile stand in its own order:
 *     first:  A B C D         table:  A B B' C D X        of[0] = A B C D:     1 1 0 1 1 0
 *     second: A B' C X                                    of[1] = A B' C X:    1 0 1 1 0 1
 * A class is of one profile and looks at that one's entries alone. */
struct profile_table {
    struct profile_plugin plugins[PLUG_MAX];
    uint32_t nplugins;
    uint32_t nprofiles;
    const struct sched_profile *profiles[PROFILES_MAX];
    uint64_t of[PROFILES_MAX]; /* entries of each */
};
/* Out of a profile and those that follow it.  false: there are too many, or they have too many different entries. */
bool profile_table_make(struct profile_table *t, const struct sched_profile *first);
/* The profile of pods with this schedulerName ("" is default-scheduler's); the first when none has the name: whoever is placed by others counts all the same. */
uint32_t profile_table_find(const struct profile_table *t, str scheduler_name);
/* Index of the plugin among the entries of a profile, or -1. */
int profile_table_index(const struct profile_table *t, uint32_t profile, const struct sched_plugin *plugin);
static inline const struct sched_profile *profile_of(const struct sched *s, const struct pod_class *c)
{
    return s->table->profiles[c->profile];
}
