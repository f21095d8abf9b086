/* gpu_sharing.c - GpuSharing: has the node as many devices of a right model with the share that is asked for?
 *
 * Whole devices are counted by NodeResourcesFit as well, as kube-scheduler does; but one that a fractional pod holds a part of is free to that count and
 * not to this one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/plugins/plugins.h"

enum { NO_GPU, MODEL, MEMORY, DEVICES };
static const char *const reasons[] = {
    [NO_GPU] = "node(s) had no GPU",
    [MODEL] = "node(s) had GPU model %s",
    [MEMORY] = "node(s) had GPUs with too little memory",
    [DEVICES] = "Insufficient GPU: %s",
};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->gpu.kind != GPU_NONE;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    bits_foreach(n, fits, v->words)
        if (!devices_fit(v, c, n))
            bit_clear(fits, n);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return devices_fit(v, c, n);
}

static bool model_asked(const struct pod_class *c, sym_t model)
{
    for (size_t i = 0; i < c->gpu.nmodels; i++)
        if (c->gpu_models[i] == model)
            return true;
    return c->gpu.nmodels == 0;
}

/* What is asked for, as a symbol: explaining is the writer's, and such sentences are few. */
static sym_t need_text(const struct sched *s, const struct pod_class *c)
{
    char text[96];
    int len;
    const char *plural = c->gpu.count == 1 ? "" : "s", *each = c->gpu.count == 1 ? "" : " each";
    if (c->gpu.kind == GPU_WHOLE)
        len = snprintf(text, sizeof text, "needs %u free device%s", c->gpu.count, plural);
    else if (c->gpu.kind == GPU_FRACTION)
        len = snprintf(text, sizeof text, "needs %u device%s with %d milli%s", c->gpu.count, plural, c->gpu.milli, each);
    else
        len = snprintf(text, sizeof text, "needs %u device%s with %lld MiB%s", c->gpu.count, plural, (long long)c->gpu.memory_mib, each);
    return symbol((struct symbols *)&s->sym, str_n(text, (size_t)len));
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    const struct node *node = &v->s->nodes[n];
    if (max == 0 || devices_fit(v, c, n))
        return 0;
    struct plug_reason r = {.unresolvable = true, .resource = RES_MAX};
    int32_t milli = devices_milli(v->s, c, n);
    if (node->ngpus == 0) {
        r.code = NO_GPU;
    } else if (!model_asked(c, node->gpu_model)) {
        r.code = MODEL;
        r.what[0] = node->gpu_model ? node->gpu_model : symbol((struct symbols *)&v->s->sym, S("unknown"));
    } else if (milli < 0) {
        r.code = MEMORY;
    } else {
        r.code = DEVICES;
        r.unresolvable = c->gpu.count > node->ngpus;
        r.resource = RES_GPU;
        r.need = c->gpu.count;
        r.have = __builtin_popcount(devices_room(v, n, milli));
        r.what[0] = need_text(v->s, c);
    }
    ret[0] = r;
    return 1;
}

const struct sched_plugin plugin_gpu_sharing = {
    .name = "GpuSharing",
    .filter_scope = PLUG_LOCAL,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_NODE_LABEL | EVENT_POD_FREED | EVENT_POD_UPDATED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
