/* node_bandwidth.c - NodeBandwidth: ingress and egress bit/s that pods reserve and nodes have.
 *
 * Amounts are booked with the other resources (RES_INGRESS, RES_EGRESS; a node's capacity times its overcommit); this plugin says no in
 * words of its own, and spreads or packs by bandwidth when the profile gives it a weight. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_kernel.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

struct bandwidth_args {
    bool most;
};
static const uint16_t directions[] = {RES_INGRESS, RES_EGRESS};
static const char *const reasons[] = {"insufficient ingress bandwidth", "insufficient egress bandwidth"};

static bool uses(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->amount[RES_INGRESS] || c->amount[RES_EGRESS];
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    for (size_t i = 0; i < ARRAY_LEN(directions); i++)
        if (c->amount[directions[i]])
            kernel_fits(v, directions[i], c->amount[directions[i]], fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    for (size_t i = 0; i < ARRAY_LEN(directions); i++)
        if (c->amount[directions[i]] && view_free(v, n, directions[i]) < c->amount[directions[i]])
            return false;
    return true;
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    size_t found = 0;
    for (uint16_t i = 0; i < ARRAY_LEN(directions) && found < max; i++) {
        uint16_t r = directions[i];
        int64_t need = c->amount[r], have = view_free(v, n, r);
        if (need && have < need)
            ret[found++] = (struct plug_reason){.code = i, .unresolvable = need > v->s->alloc[r][n], .resource = r, .need = need, .have = MAX(have, (int64_t)0)};
    }
    return found;
}

/* The mean over the directions that the pod asks for. */
static int64_t score_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    const struct bandwidth_args *a = args;
    int64_t sum = 0, count = 0;
    for (size_t i = 0; i < ARRAY_LEN(directions); i++) {
        uint16_t r = directions[i];
        if (!c->amount[r])
            continue;
        int64_t used = v->used[r][n] + c->amount[r], capacity = v->s->alloc[r][n];
        sum += a->most ? score_most(used, capacity) : score_least(used, capacity);
        count++;
    }
    return count ? sum / count : 0;
}

static void score(const struct view *v, const struct pod_class *c, const void *args, const uint64_t *fits, int64_t *raw)
{
    bits_foreach(n, fits, v->words)
        raw[n] = score_one(v, c, args, n);
}

static int configure(struct arena *a, const struct json *args, const void **ret_args, struct err *err)
{
    static const char *const known[] = {"scoringStrategy", NULL};
    int r = args_check(args, known, err);
    if (r < 0)
        return r;
    struct bandwidth_args *x = arena_new(a, struct bandwidth_args);
    str type = json_get_str(json_get(args, S("scoringStrategy")), S("type"));
    x->most = str_is(type, "MostAllocated");
    if (!x->most && !str_empty(type) && !str_is(type, "LeastAllocated"))
        return args_refuse(err, "scoringStrategy.type", "must be LeastAllocated or MostAllocated");
    *ret_args = x;
    return 0;
}

const struct sched_plugin plugin_node_bandwidth = {
    .name = "NodeBandwidth",
    .filter_scope = PLUG_LOCAL,
    .score_scope = PLUG_LOCAL,
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_POD_FREED | EVENT_POD_UPDATED | EVENT_LINK,
    .norm = NORM_NONE,
    .reasons = reasons,
    .uses_filter = uses,
    .uses_score = uses,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
    .score = score,
    .score_one = score_one,
    .configure = configure,
};
