/* numa_alignment.c - NumaAlignment: cpus, memory and devices out of one NUMA zone, for pods that ask for it and where the node insists.
 *
 *   require      one zone must hold all of it
 *   exclusive    whole zones of its own, as few as possible
 *   prefer       one zone if it can be: a score, nothing is rejected
 *   guaranteed   with whole cpus: as require on nodes whose topology manager is single-numa-node, else as prefer
 * The score is how full the pod makes the zone it would get: tight zones first, so that others stay whole.  A node where it would span zones gets 0. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sched/plugins/plugins.h"

enum { NO_ZONES, ZONE, OWN_ZONES };
static const char *const reasons[] = {
    [NO_ZONES] = "node(s) reported no NUMA zones",
    [ZONE] = "node(s) had no NUMA zone with %s",
    [OWN_ZONES] = "node(s) had too few NUMA zones without other pods",
};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->numa == NUMA_REQUIRE_ONE || c->numa == NUMA_EXCLUSIVE || c->guaranteed;
}

static bool uses_score(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->numa != NUMA_NONE;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    bits_foreach(n, fits, v->words)
        if (!devices_numa_fit(v, c, n))
            bit_clear(fits, n);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return devices_numa_fit(v, c, n);
}

/* What one zone must have, as a symbol: explaining is the writer's, and such sentences are few. */
static sym_t need_text(const struct sched *s, const struct pod_class *c)
{
    char text[128], devices[32] = "";
    if (c->gpu.kind != GPU_NONE)
        snprintf(devices, sizeof devices, " and %u GPU%s", c->gpu.count, c->gpu.count == 1 ? "" : "s");
    int len = snprintf(text, sizeof text, "%lldm cpu, %lld MiB%s free", (long long)c->amount[RES_CPU], (long long)(c->amount[RES_MEMORY] >> 20), devices);
    return symbol((struct symbols *)&s->sym, str_n(text, (size_t)len));
}

/* Could it ever have a zone there, with all others gone? */
static bool some_zone_could(const struct sched *s, const struct pod_class *c, node_id n)
{
    const struct node *node = &s->nodes[n];
    for (uint32_t z = 0; z < node->nnuma; z++)
        if (node->numa[z].cpu_milli >= c->amount[RES_CPU] && node->numa[z].memory_bytes >= c->amount[RES_MEMORY] &&
            (c->gpu.kind == GPU_NONE || (uint32_t)__builtin_popcount(node->numa[z].gpus) >= c->gpu.count))
            return true;
    return false;
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    if (max == 0 || devices_numa_fit(v, c, n))
        return 0;
    enum numa_rule rule = devices_numa_rule(v->s, c, n);
    struct plug_reason r = {.resource = RES_MAX, .code = rule == NUMA_RULE_EXCLUSIVE ? OWN_ZONES : ZONE};
    if (!v->s->nodes[n].nnuma) {
        r.code = NO_ZONES;
        r.unresolvable = true;
    } else if (rule == NUMA_RULE_ONE) {
        r.unresolvable = !some_zone_could(v->s, c, n);
        r.what[0] = need_text(v->s, c);
    }
    ret[0] = r;
    return 1;
}

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    const struct node *node = &v->s->nodes[n];
    uint8_t zones = devices_numa_zones(v, c, n);
    if (zones == 0 || (__builtin_popcount(zones) > 1 && c->numa != NUMA_EXCLUSIVE))
        return 0;
    int64_t used = c->amount[RES_CPU], all = 0;
    for (uint32_t z = 0; z < node->nnuma; z++)
        if (zones >> z & 1) {
            used += v->numa[n].used_cpu[z];
            all += node->numa[z].cpu_milli;
        }
    return all > 0 ? 1 + MIN(used, all) * (SCORE_MAX - 1) / all : 1;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

const struct sched_plugin plugin_numa_alignment = {
    .name = "NumaAlignment",
    .filter_scope = PLUG_LOCAL,
    .score_scope = PLUG_LOCAL,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_POD_FREED | EVENT_POD_UPDATED,
    .default_weight = 1,
    .norm = NORM_NONE,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .uses_score = uses_score,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
};
