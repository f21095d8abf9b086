/* place_exact.c - the rules themselves, for one node and for all nodes: what scans verify with and caches are made of. */
/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "sched/engine/place_state.h"

/* --- one node --------------------------------------------------------------------------------------------------------------------- */
bool exact_fits_local(const struct view *v, const struct pod_class *c, node_id n)
{
    const struct class_cache *k = c->cache;
    for (uint64_t m = k->checks; m; m &= m - 1) {
        const struct res_amount *r = &c->req[__builtin_ctzll(m)];
        if (view_free(v, n, r->id) < r->amount)
            return false;
    }
    for (uint32_t i = 0; i < k->nlocal_filters; i++) {
        const struct profile_plugin *pp = &v->s->table->plugins[k->local_filters[i]];
        if (!pp->plugin->fits_one(v, c, pp->args, n))
            return false;
    }
    return true;
}

bool exact_fits_kept(struct sched *s, const struct pod_class *c, node_id n, bool ignore_nominated)
{
    if (likely(!nominated_matter(s, c, n, ignore_nominated)))
        return exact_fits_local(&s->view, c, n);
    nominated_out(s, c, n, ignore_nominated);
    bool fits = exact_fits_local(&s->view, c, n);
    nominated_in(s, c, n, ignore_nominated);
    return fits;
}

int32_t exact_local(const struct view *v, const struct pod_class *c, node_id n)
{
    const struct class_cache *k = c->cache;
    int32_t score = kernel_exact_one(v, &k->kernel, n);
    for (uint32_t i = 0; i < k->nlocal_scores; i++) {
        const struct profile_plugin *pp = &v->s->table->plugins[k->local_scores[i]];
        score += pp->weight * (int32_t)pp->plugin->score_one(v, c, pp->args, n);
    }
    return score;
}

/* --- all nodes ---------------------------------------------------------------------------------------------------------------------- */
void exact_filter(struct sched *s, const struct pod_class *c, bool ignore_nominated, uint64_t *bits)
{
    const struct class_cache *k = c->cache;
    const struct view *v = &s->view;
    const struct place_state *x = s->place;
    /* nodes where nominated pods give way are asked one by one: which of them are to be looked at must be known before the others are cleared */
    VEC(node_id) apart = {0};
    if (unlikely(nominated_below(s, c->priority, ignore_nominated)))
        for (size_t i = 0; i < x->nominated.len; i++) {
            node_id n = s->pods[x->nominated.p[i]].node;
            if (bit_get(bits, n) && nominated_matter(s, c, n, ignore_nominated))
                vec_push(&apart, n);
        }
    for (uint64_t m = k->checks; m; m &= m - 1) {
        const struct res_amount *r = &c->req[__builtin_ctzll(m)];
        kernel_fits(v, r->id, r->amount, bits);
    }
    for (uint32_t i = 0; i < k->nlocal_filters; i++) {
        const struct profile_plugin *pp = &s->table->plugins[k->local_filters[i]];
        pp->plugin->filter(v, c, pp->args, bits);
    }
    for (size_t i = 0; i < apart.len; i++)
        bit_put(bits, apart.p[i], exact_fits_kept(s, c, apart.p[i], ignore_nominated));
    vec_fini(&apart);
}

void exact_scores(const struct view *v, const struct pod_class *c, const uint64_t *bits, int64_t *raw, int32_t *score)
{
    const struct class_cache *k = c->cache;
    if (k->kernel.fit_weight || k->kernel.balanced_weight)
        kernel_exact(v, &k->kernel, bits, score);
    else
        memset(score, 0, (size_t)v->words * 64 * sizeof *score);
    for (uint32_t i = 0; i < k->nlocal_scores; i++)
        plugin_scores(v, c, k->local_scores[i], bits, raw, score);
}

/* --- plugins that are asked over all nodes ---------------------------------------------------------------------------------------------- */
static int64_t highest(const uint64_t *bits, uint32_t words, const int64_t *raw)
{
    int64_t max = 0;
    for (uint32_t w = 0; w < words; w++) {
        if (bits[w] == ~0ull) {
            for (uint32_t j = 0; j < 64; j++)
                max = raw[w * 64 + j] > max ? raw[w * 64 + j] : max;
            continue;
        }
        for (uint64_t b = bits[w]; b; b &= b - 1)
            max = MAX(max, raw[w * 64 + (uint32_t)__builtin_ctzll(b)]);
    }
    return max;
}

/* Shares out of a maximum.  As doubles where that is exact, which compilers vectorise. */
static void normalise(const uint64_t *bits, uint32_t words, int64_t *raw, bool reverse)
{
    int64_t max = highest(bits, words, raw);
    double f = max ? 100.0 / (double)max * (1 + 0x1p-50) : 0;
    for (uint32_t w = 0; w < words; w++) {
        int64_t *x = raw + w * 64;
        if (!bits[w])
            continue;
        if (max < (int64_t)1 << 40)
            for (uint32_t j = 0; j < 64; j++)
                x[j] = (int64_t)((double)x[j] * f);
        else
            for (uint32_t j = 0; j < 64; j++)
                x[j] = (int64_t)((__int128)x[j] * SCORE_MAX / max);
        for (uint32_t j = 0; j < 64 && reverse; j++)
            x[j] = SCORE_MAX - x[j];
    }
}

static void plugin_scores_onto(const struct view *v, const struct pod_class *c, uint32_t plugin, const uint64_t *bits, int64_t *raw, const int32_t *from, int32_t *score)
{
    const struct profile_plugin *pp = &v->s->table->plugins[plugin];
    for (uint32_t w = 0; w < v->words; w++)
        if (bits[w] && bits[w] != ~0ull)
            memset(raw + w * 64, 0, 64 * sizeof *raw); /* plugins fill only what fits, and whole words are worked on below */
    pp->plugin->score(v, c, pp->args, bits, raw);
    if (pp->plugin->norm == NORM_CUSTOM)
        pp->plugin->normalize(v, c, pp->args, bits, raw);
    else if (pp->plugin->norm != NORM_NONE)
        normalise(bits, v->words, raw, pp->plugin->norm == NORM_REVERSE_MAX);
    kernel_add(bits, v->words, raw, pp->weight, from, score);
}

void plugin_scores(const struct view *v, const struct pod_class *c, uint32_t plugin, const uint64_t *bits, int64_t *raw, int32_t *score)
{
    plugin_scores_onto(v, c, plugin, bits, raw, score, score);
}

void cross_filter(const struct sched *s, const struct pod_class *c, uint64_t *bits)
{
    for (uint32_t i = 0; i < c->cache->ncross_filters; i++) {
        const struct profile_plugin *pp = &s->table->plugins[c->cache->cross_filters[i]];
        pp->plugin->filter(&s->view, c, pp->args, bits);
    }
}

const int32_t *cross_scores(const struct sched *s, const struct pod_class *c, const uint64_t *bits, int64_t *raw, const int32_t *from, int32_t *score)
{
    for (uint32_t i = 0; i < c->cache->ncross_scores; i++, from = score)
        plugin_scores_onto(&s->view, c, c->cache->cross_scores[i], bits, raw, from, score);
    return from;
}

/* --- the best ---------------------------------------------------------------------------------------------------------------------------- */
uint32_t place_free_amount(const struct view *v, node_id n)
{
    int64_t cpu = MAX(view_free(v, n, RES_CPU), (int64_t)0), mib = MAX(view_free(v, n, RES_MEMORY), (int64_t)0) >> 20, gpu = 0;
    for (uint32_t i = 0; v->gpu && i < v->s->nodes[n].ngpus; i++)
        gpu += GPU_MILLI - MIN((int64_t)v->gpu[n].used_milli[i], (int64_t)GPU_MILLI);
    return (uint32_t)MIN((8 * cpu + 128 * gpu + mib) >> 4, (int64_t)0xfffff);
}

/* With best fit, among the nodes of the highest score. */
static node_id best_of(const struct sched *s, bool best_fit, const uint64_t *bits, const int32_t *score)
{
    node_id best = kernel_best(bits, s->view.words, score, s->tie);
    if (best == NODE_NONE || !best_fit)
        return best;
    uint64_t best_key = key_make(best_fit, &s->view, best, score[best]);
    int32_t most = score[best];
    for (uint32_t w = 0; w < s->view.words; w++)
        for (uint64_t b = bits[w]; b; b &= b - 1) {
            node_id n = w * 64 + (uint32_t)__builtin_ctzll(b);
            if (score[n] != most)
                continue;
            uint64_t key = key_make(best_fit, &s->view, n, most);
            if (key > best_key) {
                best_key = key;
                best = n;
            }
        }
    return best;
}

void exact_best(const struct sched *s, const struct pod_class *c, uint64_t *bits, const int32_t *score, bool want_runner_up, struct place_result *ret)
{
    ret->node = best_of(s, c->cache->best_fit, bits, score);
    ret->score = ret->node == NODE_NONE ? 0 : score[ret->node];
    if (!want_runner_up || ret->node == NODE_NONE)
        return;
    bit_clear(bits, ret->node); /* the same again without the winner */
    ret->runner_up = best_of(s, c->cache->best_fit, bits, score);
    ret->runner_up_score = ret->runner_up == NODE_NONE ? 0 : score[ret->runner_up];
    bit_set(bits, ret->node);
}
