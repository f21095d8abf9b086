/* gpu_sharing.c - GpuSharing: has the node as many devices of a right model with the share that is asked for?
 *
 * Whole devices are counted by NodeResourcesFit as well, as kube-scheduler does; but one that a fractional pod holds a part of is free to that count and
 * not to this one.
 * Scores, where the profile gives a weight: pods that ask for no GPU leave the nodes that have some to others. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/plugins/plugins.h"

enum { NO_GPU, MODEL, PARTITIONS, UNKNOWN, MEMORY, DEVICES };
static const char *const reasons[] = {
    [NO_GPU] = "node(s) had no GPU",
    [MODEL] = "node(s) had GPU model %s",
    [PARTITIONS] = "node(s) had GPUs that are partitions (MIG), of which no parts are given",
    [UNKNOWN] = "node(s) did not say how much memory their GPUs have (label nvidia.com/gpu.memory)",
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
    } else if (!devices_model_fits(v->s, c, n)) {
        r.code = MODEL;
        r.what[0] = node->gpu_model ? node->gpu_model : symbol((struct symbols *)&v->s->sym, S("unknown"));
    } else if (milli < 0 && node->gpus_are_cut) {
        r.code = PARTITIONS;
    } else if (milli < 0) {
        r.code = node->gpu_memory_mib > 0 ? MEMORY : UNKNOWN;
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

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    return !uses_filter(s, c, args);
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)c;
    (void)args;
    return v->s->nodes[n].ngpus ? 0 : 100;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)c; /* one answer for all that use the score */
    (void)is_score;
    strbuf_add(key, "", 1);
}

const struct sched_plugin plugin_gpu_sharing = {
    .name = "GpuSharing",
    .filter_scope = PLUG_LOCAL,
    .score_scope = PLUG_STATIC,
    .norm = NORM_NONE,
    .uses_score = uses_score,
    .score = score,
    .score_one = score_one,
    .static_key = static_key,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_NODE_LABEL | EVENT_POD_FREED | EVENT_POD_UPDATED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
