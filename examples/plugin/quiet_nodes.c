/* quiet_nodes.c - an example of a plugin: pods stay away from nodes under maintenance and prefer the pool that the profile names.
 *
 *     plugins: {QuietNodes: {weight: 2, args: {pool: spare}}}
 * docs/scheduler.md walks through it; src/sched/plugins/example_plugin_test.c compiles and runs it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

struct quiet_args {
    str pool;
};
static const char *const reasons[] = {"node(s) were under maintenance"};

static str label_of(const struct view *v, node_id n, str key)
{
    bool has;
    sym_t value = labelset_get(v->s->nodes[n].labels, symbol_find(&v->s->sym, key), &has);
    return has ? symbol_text(&v->s->sym, value) : S("");
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)c, (void)args;
    return !str_is(label_of(v, n, S("maintenance")), "true");
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

static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)c;
    const struct quiet_args *a = args;
    return a->pool.len && str_eq(label_of(v, n, S("pool")), a->pool) ? SCORE_MAX : 0;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    (void)err;
    struct quiet_args *q = arena_new(a, struct quiet_args);
    q->pool = arena_str(a, json_get_str(args, S("pool")));
    *ret_args = q;
    return 0;
}

const struct sched_plugin plugin_quiet_nodes = {
    .name = "QuietNodes",
    .filter_scope = PLUG_STATIC, /* only node events change the answers */
    .score_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_LABEL,
    .default_weight = 1,
    .norm = NORM_NONE,
    .reasons = reasons,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .configure = configure,
};
