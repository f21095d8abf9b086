/* node_unschedulable.c - NodeUnschedulable: cordoned nodes take nobody, except pods that tolerate the taint which stands for that. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"
#include "sched/plugins/plugins.h"

static const char *const reasons[] = {"node(s) were unschedulable"};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)args;
    /* A key that was never interned is in no toleration; one that tolerates every key needs none. */
    struct node_taint cordon = {symbol_find(&s->sym, S("node.kubernetes.io/unschedulable")), 0, TAINT_NO_SCHEDULE};
    if (cordon.key)
        return !class_tolerates(c, &cordon);
    cordon.key = UINT32_MAX;
    return !class_tolerates(c, &cordon);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)c;
    (void)args;
    return !v->s->nodes[n].unschedulable;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    bits_foreach(n, fits, v->words)
        if (!fits_one(v, c, args, n))
            bit_clear(fits, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    if (max == 0 || fits_one(v, c, args, n))
        return 0;
    ret[0] = (struct plug_reason){.unresolvable = true, .resource = RES_MAX};
    return 1;
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)c; /* classes that the filter is used for are all alike to it */
    (void)is_score;
    strbuf_add_char(key, 'u');
}

const struct sched_plugin plugin_node_unschedulable = {
    .name = "NodeUnschedulable",
    .filter_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_TAINT | EVENT_POD_UPDATED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .static_key = static_key,
};
