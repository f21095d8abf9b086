/* node_placement.c - NodePlacement: KAI's scores.  Work is packed onto few nodes, or spread over many, by the one resource that counts for it: GPUs for pods that ask for some, cpu for the rest.
 *
 *   binpack   pods with GPUs   fewest free GPUs; for parts of one, nodes where one that is shared already has room come before all others
 *             others           nodes without GPUs before those with; then the fullest in cpu
 *   spread    pods with GPUs   the largest part of GPUs free
 *             others           nodes without GPUs before those with; then the largest part of cpu free
 * Which device of a node a part goes to is chosen in the same way, see devices.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

#define TIER 50 /* what is more than any difference in fullness */

struct placement_args {
    bool spread;
};

static bool wants_gpus(const struct pod_class *c)
{
    return c->gpu.kind != GPU_NONE || c->amount[RES_GPU] > 0;
}

static int64_t free_gpu_milli(const struct view *v, node_id n)
{
    int64_t used = 0, whole = v->used[RES_GPU] ? v->used[RES_GPU][n] * GPU_MILLI : 0;
    uint32_t ngpus = v->s->nodes[n].ngpus;
    for (uint32_t i = 0; i < ngpus; i++)
        used += v->gpu[n].used_milli[i];
    used = MAX(used, whole);
    return MAX((int64_t)ngpus * GPU_MILLI - used, (int64_t)0);
}

/* Is a device in use already that has room for the part? */
static bool has_shared(const struct view *v, const struct pod_class *c, node_id n)
{
    int32_t milli = c->gpu.kind == GPU_FRACTION || c->gpu.kind == GPU_MEMORY ? devices_milli(v->s, c, n) : 0;
    if (milli <= 0 || milli >= GPU_MILLI)
        return false;
    uint16_t room = devices_room(v, n, milli);
    for (uint32_t i = 0; i < v->s->nodes[n].ngpus; i++)
        if ((room >> i & 1) && v->gpu[n].used_milli[i])
            return true;
    return false;
}

static int64_t score_gpus(const struct view *v, const struct pod_class *c, bool spread, node_id n)
{
    int64_t free = free_gpu_milli(v, n), all = (int64_t)v->s->nodes[n].ngpus * GPU_MILLI;
    if (spread)
        return all ? free * SCORE_MAX / all : 0;
    return (has_shared(v, c, n) ? TIER : 0) + TIER - free * TIER / (GPU_MAX * GPU_MILLI);
}

static int64_t score_cpu(const struct view *v, bool spread, node_id n)
{
    int64_t all = v->s->alloc[RES_CPU][n], used = MIN(v->used[RES_CPU][n], all);
    int64_t part = all > 0 ? (spread ? all - used : used) * TIER / all : 0;
    return (v->s->nodes[n].ngpus == 0 ? TIER : 0) + part;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    bool spread = ((const struct placement_args *)args)->spread;
    return wants_gpus(c) ? score_gpus(v, c, spread, n) : score_cpu(v, spread, n);
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"strategy", NULL};
    struct placement_args *x = arena_new(a, struct placement_args);
    str strategy = json_get_str(args, S("strategy"));
    int r = args_check(args, known, err);
    if (r < 0)
        return r;
    if (strategy.len && !str_is(strategy, "binpack") && !str_is(strategy, "spread"))
        return args_refuse(err, "strategy", "must be binpack or spread");
    x->spread = str_is(strategy, "spread");
    *ret_args = x;
    return 0;
}

const struct sched_plugin plugin_node_placement = {
    .name = "NodePlacement",
    .score_scope = PLUG_LOCAL,
    .norm = NORM_NONE,
    .score = score,
    .score_one = score_one,
    .configure = configure,
};
