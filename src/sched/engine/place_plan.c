/* place_plan.c - what a class wants of each plugin of its profile, sorted by how it is computed.
 *
 *   resources           checks: kernel_fits, or the bounds of a scan
 *   fit and balanced    over cpu and memory: the kernel; other resources or curves: asked as any local score
 *   static              parts (place_static.c)
 *   local, cross        asked each time, local ones only for touched nodes once the class is warm */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_state.h"
#include "sched/engine/terms.h"
#include "sched/plugins/plugins.h"
#include "sched/plugins/resources.h"

static void push(uint8_t *list, uint8_t *n, size_t max, uint32_t plugin)
{
    BUG_ON(*n == max);
    list[(*n)++] = (uint8_t)plugin;
}

static void plan_filter(const struct sched *s, const struct pod_class *c, struct class_cache *k, uint32_t i)
{
    const struct profile_plugin *pp = &s->table->plugins[i];
    if (pp->plugin == &plugin_node_resources_fit) {
        for (uint32_t r = 0; r < c->nreq; r++)
            if (fit_checks_resource(s, c, pp->args, c->req[r].id))
                k->checks |= 1ull << r;
    } else if (pp->plugin == &plugin_node_bandwidth) {
        for (uint32_t r = 0; r < c->nreq; r++)
            if (resource_is_bandwidth(c->req[r].id))
                k->checks |= 1ull << r;
    } else if (pp->plugin->filter_scope == PLUG_STATIC && k->nstatic_filters < PARTS_MAX) {
        push(k->static_filters, &k->nstatic_filters, PARTS_MAX, i);
    } else if (pp->plugin->filter_scope == PLUG_CROSS) {
        push(k->cross_filters, &k->ncross_filters, ARRAY_LEN(k->cross_filters), i);
    } else {
        push(k->local_filters, &k->nlocal_filters, ARRAY_LEN(k->local_filters), i);
    }
}

/* Least- or MostAllocated over nothing but cpu and memory, as far as this class is concerned? */
static bool plan_fit(const struct pod_class *c, struct kernel_class *kernel, const struct fit_args *a, int32_t weight)
{
    int32_t share[2] = {0, 0};
    for (uint32_t i = 0; i < a->nresources; i++) {
        uint16_t r = a->resources[i].id;
        if (r == RES_CPU || r == RES_MEMORY)
            share[r == RES_MEMORY] = a->resources[i].weight;
        else if (!resource_is_extended(r) || class_request(c, r) || (r == RES_GPU && class_has_parts(c)))
            return false;
    }
    if (a->strategy == FIT_RATIO || share[0] + share[1] == 0)
        return false;
    kernel->most = a->strategy == FIT_MOST;
    memcpy(kernel->share, share, sizeof share);
    kernel->fit_weight = weight;
    return true;
}

static bool plan_balanced(const struct sched *s, const struct pod_class *c, struct kernel_class *kernel, const struct balanced_args *a, int32_t weight)
{
    uint32_t both = 0;
    for (uint32_t i = 0; i < a->nresources; i++) {
        uint16_t r = 0;
        while (r < s->nres && !str_eq(s->res_name[r], a->resources[i].name))
            r++;
        if (r == RES_CPU || r == RES_MEMORY)
            both |= 1u << r;
        else if (!resource_is_extended(r) || class_request(c, r))
            return false;
    }
    if (both != 3)
        return false;
    kernel->gain = a->formula == BALANCED_GAIN;
    kernel->balanced_weight = weight;
    return true;
}

static void plan_score(const struct sched *s, const struct pod_class *c, struct class_cache *k, uint32_t i)
{
    const struct profile_plugin *pp = &s->table->plugins[i];
    if (pp->plugin == &plugin_node_resources_fit && plan_fit(c, &k->kernel, pp->args, pp->weight))
        return;
    if (pp->plugin == &plugin_balanced_allocation && plan_balanced(s, c, &k->kernel, pp->args, pp->weight))
        return;
    bool plain = pp->plugin->norm != NORM_CUSTOM;
    if (pp->plugin->score_scope == PLUG_STATIC && plain && k->nstatic_scores < PARTS_MAX)
        push(k->static_scores, &k->nstatic_scores, PARTS_MAX, i);
    else if (pp->plugin->score_scope != PLUG_LOCAL || pp->plugin->norm != NORM_NONE)
        push(k->cross_scores, &k->ncross_scores, ARRAY_LEN(k->cross_scores), i); /* what is normalised over others depends on them */
    else
        push(k->local_scores, &k->nlocal_scores, ARRAY_LEN(k->local_scores), i);
}

static void plan_kernel(const struct pod_class *c, struct class_cache *k)
{
    struct kernel_class *kernel = &k->kernel;
    *kernel = (struct kernel_class){.req = {(double)c->amount[RES_CPU], (double)c->amount[RES_MEMORY]},
                                    .nonzero = {(double)c->nonzero_cpu, (double)c->nonzero_memory},
                                    .share = {1, 1}};
}

/* Which plugins look at the class at all. */
static void ask(const struct sched *s, const struct pod_class *c, uint64_t *ret_filter, uint64_t *ret_score)
{
    const struct profile_table *p = s->table;
    *ret_filter = *ret_score = 0;
    for (uint64_t m = p->of[c->profile]; m; m &= m - 1) {
        int i = __builtin_ctzll(m);
        const struct sched_plugin *plugin = p->plugins[i].plugin;
        if (p->plugins[i].filters && plugin->fits_one && (!plugin->uses_filter || plugin->uses_filter(s, c, p->plugins[i].args)))
            *ret_filter |= 1ull << i;
        if (p->plugins[i].weight > 0 && plugin->score && (!plugin->uses_score || plugin->uses_score(s, c, p->plugins[i].args)))
            *ret_score |= 1ull << i;
    }
}

/* Replicas have no devices, and best fit counts them. */
bool plan_is_replicable(const struct sched *s, const struct pod_class *c)
{
    return c->cache->is_fast && !c->cache->is_cross && c->cache->nlocal_filters == 0 && !c->pinned_node && profile_of(s, c)->tie != TIE_BEST_FIT;
}

/* The profile breaks ties by best fit, and keys have room for it. */
static bool is_best_fit(const struct sched *s, const struct pod_class *c)
{
    int64_t weights = 0;
    for (uint64_t m = s->table->of[c->profile]; m; m &= m - 1)
        weights += s->table->plugins[__builtin_ctzll(m)].weight;
    return profile_of(s, c)->tie == TIE_BEST_FIT && weights * SCORE_MAX < (1 << 24) - 2;
}

static void plan(struct sched *s, struct pod_class *c)
{
    struct class_cache *k = c->cache;
    uint64_t epoch = k->terms_epoch;
    *k = (struct class_cache){.terms_epoch = epoch, .best_fit = is_best_fit(s, c)};
    plan_kernel(c, k);
    for (uint32_t i = 0; i < s->table->nplugins; i++) {
        if (c->uses_filter >> i & 1)
            plan_filter(s, c, k, i);
        if (c->uses_score >> i & 1)
            plan_score(s, c, k, i);
    }
    for (uint32_t r = 0; r < c->nreq; r++)
        if (k->checks >> r & 1) {
            k->kernel.checks[0] |= c->req[r].id == RES_CPU;
            k->kernel.checks[1] |= c->req[r].id == RES_MEMORY;
            k->kernel.checks_pods |= c->req[r].id == RES_PODS;
        }
    k->is_cross = k->ncross_filters || k->ncross_scores;
    k->is_fast = !k->ncross_scores && k->nlocal_scores == 0 && k->nstatic_scores <= KERNEL_PARTS;
    for (uint32_t i = 0; i < PARTS_MAX; i++)
        k->witness[i] = NODE_NONE;
    c->is_local = !k->is_cross;
    c->replica_ok = plan_is_replicable(s, c);
}

void place_class_compiled(struct sched *s, struct pod_class *c)
{
    c->cache = xnew(struct class_cache);
    c->cache->terms_epoch = terms_epoch(s);
    ask(s, c, &c->uses_filter, &c->uses_score);
    plan(s, c);
}

void plan_refresh(struct sched *s, struct pod_class *c)
{
    uint64_t epoch = terms_epoch(s), filter, score;
    if (likely(c->cache->terms_epoch == epoch))
        return;
    c->cache->terms_epoch = epoch;
    ask(s, c, &filter, &score);
    if (filter == c->uses_filter && score == c->uses_score)
        return;
    warm_drop(s, c->cache);
    parts_release(s, c->cache);
    c->uses_filter = filter;
    c->uses_score = score;
    plan(s, c);
}

void place_class_free(struct sched *s, struct pod_class *c)
{
    if (!c->cache)
        return;
    warm_drop(s, c->cache);
    parts_release(s, c->cache);
    free(c->cache);
    c->cache = NULL;
}
