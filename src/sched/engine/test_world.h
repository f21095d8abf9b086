/* test_world.h - small clusters for the tests of units and preemption: nodes, pods and groups in one line each. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/unit.h"

#define GIB (1ll << 30)

static inline struct sched *world_new(const char *profile, uint64_t seed)
{
    struct sched_profile *p = profile_builtin(str_of(profile));
    BUG_ON(!p);
    return sched_new(p, seed);
}

static inline node_id world_node_with(struct sched *s, const char *name, int64_t cpu, const char *zone, const char *rack, uint32_t gpus)
{
    struct spec_label labels[] = {{S("kubernetes.io/hostname"), str_of(name)}, {S("zone"), str_of(zone)}, {S("rack"), str_of(rack)}};
    struct res_amount res[] = {{RES_CPU, cpu}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}, {RES_GPU, gpus}};
    struct node_spec n = {.name = str_of(name), .labels = {labels, *rack ? 3 : *zone ? 2 : 1}, .allocatable = {res, gpus ? 4 : 3}, .ngpus = gpus};
    struct err err = ERR_NONE;
    node_id id = NODE_NONE;
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}

static inline node_id world_node(struct sched *s, const char *name, int64_t cpu, const char *zone, const char *rack)
{
    return world_node_with(s, name, cpu, zone, rack, 0);
}

struct world_pod {
    const char *name, *node, *group, *subgroup, *nominated, *app, *scheduler; /* NULL: "" */
    int64_t cpu; /* milli; 0: 1000 */
    int32_t priority;
    nsec_t started;
    bool terminating, never, no_victim;
    uint32_t gates;
    uint16_t port;
    const struct spec_node_term *required;
    const struct spec_pod_term *anti, *affinity;
    const struct spec_spread *spread;
    int32_t gpu_milli; /* of one device, or 1000: a whole one */
    nsec_t created;
};

static inline str world_str(const char *p)
{
    return p ? str_of(p) : S("");
}

static inline pod_id world_pod_put(struct sched *s, struct world_pod w)
{
    struct res_amount req[] = {{RES_CPU, w.cpu ? w.cpu : 1000}, {RES_MEMORY, GIB / 4}, {RES_GPU, 1}};
    bool whole = w.gpu_milli == GPU_MILLI;
    struct spec_label labels[] = {{S("app"), world_str(w.app)}};
    struct spec_port port = {.protocol = 'T', .port = w.port};
    struct pod_spec p = {
        .ns = S("default"), .name = str_of(w.name), .node = world_str(w.node), .group = world_str(w.group), .subgroup = world_str(w.subgroup),
        .nominated = world_str(w.nominated), .scheduler = world_str(w.scheduler), .phase = w.terminating ? POD_TERMINATING : w.node ? POD_BOUND : POD_PENDING, .priority = w.priority,
        .started_ns = w.started, .created_ns = w.created, .preempt_never = w.never, .can_be_victim_never = w.no_victim, .gates = w.gates, .requests = {req, whole ? 3 : 2},
        .nonzero_cpu = req[0].amount, .nonzero_memory = req[1].amount, .labels = {labels, w.app != NULL}, .ports = &port, .nports = w.port != 0,
        .required_terms = w.required, .nrequired_terms = w.required != NULL, .has_required = w.required != NULL, .anti_affinity = w.anti, .nanti_affinity = w.anti != NULL,
        .affinity = w.affinity, .naffinity = w.affinity != NULL, .spread = w.spread, .nspread = w.spread != NULL,
        .gpu = {.kind = w.gpu_milli == 0 ? GPU_NONE : whole ? GPU_WHOLE : GPU_FRACTION, .count = w.gpu_milli != 0, .milli = whole ? 0 : w.gpu_milli},
    };
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}
#define world_pod(s, ...) world_pod_put((s), (struct world_pod){__VA_ARGS__})

static inline unit_id world_group_put(struct sched *s, struct group_spec g)
{
    struct err err = ERR_NONE;
    unit_id u = UNIT_NONE;
    g.ns = S("default");
    T_NO_ERR(sched_group_put(s, &g, &u, &err), &err);
    return u;
}
#define world_group(s, ...) world_group_put((s), (struct group_spec){__VA_ARGS__})

/* Members PREFIX0 .. PREFIXn-1. */
static inline void world_members(struct sched *s, const char *group, const char *prefix, uint32_t n, int64_t cpu, const char *subgroup, int32_t priority)
{
    char name[64];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "%s%u", prefix, i);
        world_pod(s, .name = name, .group = group, .cpu = cpu, .subgroup = subgroup, .priority = priority, .created = i + 1);
    }
}

static inline void world_check(struct sched *s)
{
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(s, &err), &err);
}

/* The pod's node as text, "" when it has none. */
static inline str world_where(struct sched *s, const char *pod)
{
    pod_id p = sched_pod_find(s, S("default"), str_of(pod));
    return p && s->pods[p].node != NODE_NONE ? sched_node_name(s, s->pods[p].node) : S("");
}
static inline enum pod_state world_state(struct sched *s, const char *pod)
{
    return s->pods[sched_pod_find(s, S("default"), str_of(pod))].state;
}

/* Everything a rollback must restore, as one number. */
static inline uint64_t world_digest(const struct sched *s)
{
    uint64_t h = 14695981039346656037ull;
    for (uint32_t n = 0; n < s->view.words * 64; n++)
        for (uint32_t r = 0; r < s->nres; r++)
            h = (h ^ (uint64_t)s->view.used[r][n]) * 1099511628211ull;
    for (pod_id p = 1; p < s->npods_slots; p++)
        h = (h ^ ((uint64_t)s->pods[p].node << 8 | s->pods[p].state)) * 1099511628211ull;
    return h;
}
