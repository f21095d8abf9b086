/* scheduling_gates.c - SchedulingGates: a pod with gates goes nowhere.  The dispatcher holds such pods; this is the filter that says so when one is
 * asked about all the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

static const char *const reasons[] = {"waiting for scheduling gates"};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->gates > 0;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    if (c->gates)
        memset(fits, 0, v->words * sizeof *fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)v;
    (void)args;
    (void)n;
    return c->gates == 0;
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    if (max == 0 || fits_one(v, c, args, n))
        return 0;
    ret[0] = (struct plug_reason){.unresolvable = true, .resource = RES_MAX, .need = 0, .have = c->gates};
    return 1;
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)c; /* asked only for classes with gates: they all get the same answer */
    (void)is_score;
    strbuf_add_char(key, 'g');
}

const struct sched_plugin plugin_scheduling_gates = {
    .name = "SchedulingGates",
    .filter_scope = PLUG_STATIC,
    .helped_by = EVENT_POD_UPDATED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .static_key = static_key,
};
