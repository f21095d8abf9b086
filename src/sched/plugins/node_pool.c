/* node_pool.c - NodePool: a pod of a node pool stays on the nodes of that pool.
 *
 * The pool of a node is its label POOL_LABEL.  Which pods are bound to a pool, and to which, is decided by who feeds the engine (sched/live/live_shards.c); all others may go anywhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

enum { OTHER, SOME };
static const char *const reasons[] = {[OTHER] = "node(s) were not in node pool %s", [SOME] = "node(s) were in a node pool"};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->in_pool;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return v->s->nodes[n].pool == c->pool;
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
    ret[0] = (struct plug_reason){.code = c->pool ? OTHER : SOME, .unresolvable = true, .resource = RES_MAX, .what = {c->pool, 0}};
    return 1;
}

static void static_key(const struct pod_class *c, bool is_score, struct strbuf *key)
{
    (void)is_score;
    strbuf_add(key, &c->pool, sizeof c->pool);
}

const struct sched_plugin plugin_node_pool = {
    .name = "NodePool",
    .filter_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_LABEL | EVENT_POD_UPDATED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .static_key = static_key,
};
