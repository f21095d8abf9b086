/* place.c - see place.h: which of the ways below answers a question.
 *
 *   pinned to a node      that node alone, O(1)
 *   warm                  the tree's root, after the touched nodes were evaluated again      place_cache.c
 *   local scores only     cross-node filters, then a scan by bounds                                                   place_scan.c
 *   anything else         all nodes exactly, cross-node parts on top                         place_exact.c */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/engine.h"
#include "sched/engine/place_state.h"

/* --- one node, all filters ------------------------------------------------------------------------------------------------------------ */
static int first_rejecting(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint64_t m = c->uses_filter; m; m &= m - 1) {
        int i = __builtin_ctzll(m);
        const struct profile_plugin *pp = &s->table->plugins[i];
        if (!pp->plugin->fits_one(&s->view, c, pp->args, n))
            return i;
    }
    return -1;
}

/* Room of nominated pods is taken out of the columns and put back, so that the engine is as it was. */
static int rejected_by(struct sched *s, struct pod_class *c, node_id n, bool ignore_nominated)
{
    plan_refresh(s, c);
    if (likely(!nominated_matter(s, c, n, ignore_nominated)))
        return first_rejecting(s, c, n);
    nominated_out(s, c, n, ignore_nominated);
    int by = first_rejecting(s, c, n);
    nominated_in(s, c, n, ignore_nominated);
    return by;
}

int place_rejected_by(const struct sched *s, class_id c, node_id n)
{
    return rejected_by((struct sched *)s, s->classes[c], n, false);
}

bool place_fits(const struct sched *s, class_id c, node_id n)
{
    return place_rejected_by(s, c, n) < 0;
}

/* --- pinned ------------------------------------------------------------------------------------------------------------------------------ */
/* The one node that fits is also all that scores are normalised over. */
static int32_t score_alone(struct sched *s, const struct pod_class *c, node_id n)
{
    struct place_scratch *x = &s->place->scratch;
    memset(x->bits, 0, x->words * sizeof *x->bits);
    bit_set(x->bits, n);
    memset(x->score + (n & ~63u), 0, 64 * sizeof *x->score);
    for (uint64_t m = c->uses_score; m; m &= m - 1)
        plugin_scores(&s->view, c, (uint32_t)__builtin_ctzll(m), x->bits, x->raw, x->score);
    return x->score[n];
}

static bool find_pinned(struct sched *s, struct pod_class *c, const struct place_opts *opts, struct place_result *ret)
{
    node_id n = sched_node_find(s, symbol_text(&s->sym, c->pinned_node));
    if (n == NODE_NONE || !node_is_alive(s, n) || (opts->within && !bit_get(opts->within, n)) || rejected_by(s, c, n, opts->ignore_nominated) >= 0)
        return false;
    ret->node = n;
    ret->score = score_alone(s, c, n);
    ret->nfeasible = 1;
    return true;
}

/* --- everything exactly --------------------------------------------------------------------------------------------------------------------- */
static bool any_bit(const uint64_t *bits, uint32_t words)
{
    uint64_t all = 0;
    for (uint32_t w = 0; w < words; w++)
        all |= bits[w];
    return all != 0;
}

static bool find_exact(struct sched *s, struct pod_class *c, const struct place_opts *opts, const struct warm *w, struct place_result *ret)
{
    struct class_cache *k = c->cache;
    struct place_scratch *x = w ? &s->place->cross : &s->place->scratch;
    uint32_t words = s->view.words;
    scratch_fit(x, words);
    if (w) {
        memcpy(x->bits, warm_fits(w), words * sizeof *x->bits);
    } else {
        parts_filter(s, k, opts->within, x->bits);
        exact_filter(s, c, opts->ignore_nominated, x->bits);
    }
    cross_filter(s, c, x->bits);
    if (!any_bit(x->bits, words))
        return false;
    if (opts->want_runner_up)
        ret->nfeasible = bits_count(x->bits, words);
    struct norms m;
    norms_init(&m, s, k);
    const int32_t *score = w && !m.n ? warm_local(w) : x->score; /* no copy without need */
    if (w && m.n)
        memcpy(x->score, warm_local(w), (size_t)words * 64 * sizeof *x->score);
    else if (!w)
        exact_scores(&s->view, c, x->bits, x->raw, x->score);
    norms_over(&m, x->bits, words);
    norms_add(&m, x->bits, words, x->score);
    score = cross_scores(s, c, x->bits, x->raw, score, x->score);
    exact_best(s, c, x->bits, score, opts->want_runner_up, ret);
    ret->score += m.base;
    ret->runner_up_score += ret->runner_up == NODE_NONE ? 0 : m.base;
    return true;
}

static int find_scan(struct sched *s, struct pod_class *c, const struct place_opts *opts, struct place_result *ret)
{
    struct norms m;
    struct place_top top[2];
    struct place_state *x = s->place;
    struct scan_in in = {.s = s, .v = &s->view, .c = c, .bits = x->scratch.bits, .ignore_nominated = opts->ignore_nominated};
    in.hints = x->winners;
    in.nhints = ARRAY_LEN(x->winners);
    place_odd(s);
    parts_filter(s, c->cache, opts->within, in.bits);
    cross_filter(s, c, in.bits);
    norms_init(&m, s, c->cache);
    int n = scan_top(&in, &m, opts->want_runner_up ? 2 : 1, top);
    if (n > 0) {
        ret->node = top[0].node;
        ret->score = top[0].score;
        x->winners[x->next_winner++ % ARRAY_LEN(x->winners)] = top[0];
    }
    if (n > 1) {
        ret->runner_up = top[1].node;
        ret->runner_up_score = top[1].score;
    }
    return n;
}

/* Of thousands of live classes the next one is in no near cache: ask for all of it at once instead of line by line. */
static void fetch(const struct pod_class *c)
{
    const struct class_cache *k = c->cache;
    for (size_t at = 0; at < offsetof(struct class_cache, local_filters); at += 64)
        __builtin_prefetch((const char *)k + at);
    __builtin_prefetch(&c->priority);
    __builtin_prefetch(&c->pinned_node);
    __builtin_prefetch(c->req);
}

bool place_find(struct sched *s, class_id id, const struct place_opts *opts, struct place_result *ret)
{
    struct pod_class *c = s->classes[id];
    struct class_cache *k = c->cache;
    fetch(c);
    *ret = (struct place_result){.node = NODE_NONE, .runner_up = NODE_NONE};
    place_sync(s);
    plan_refresh(s, c);
    if (c->pinned_node)
        return find_pinned(s, c, opts, ret);
    parts_refresh(s, c);
    struct warm *w = NULL;
    if (!opts->ignore_nominated && (k->is_cross || !opts->want_runner_up))
        w = warm_get(s, c, opts->within);
    if (w && !k->is_cross)
        return warm_best(s, w, ret);
    /* a runner-up of a cross-node class is asked for by explanations, which want all that fit counted, too */
    bool scan = k->is_fast && !w && !(k->is_cross && opts->want_runner_up);
    int n = scan ? find_scan(s, c, opts, ret) : -1;
    return n >= 0 ? n > 0 : find_exact(s, c, opts, w, ret);
}

void place_feasible(struct sched *s, class_id id, const uint64_t *within, uint64_t *fits)
{
    struct pod_class *c = s->classes[id];
    place_sync(s);
    plan_refresh(s, c);
    if (c->pinned_node) {
        struct place_result r = {.node = NODE_NONE};
        memset(fits, 0, s->view.words * sizeof *fits);
        if (find_pinned(s, c, &(struct place_opts){.within = within}, &r))
            bit_set(fits, r.node);
        return;
    }
    parts_refresh(s, c);
    parts_filter(s, c->cache, within, fits);
    exact_filter(s, c, false, fits);
    cross_filter(s, c, fits);
}

/* --- explanations ---------------------------------------------------------------------------------------------------------------------------- */
void place_score_parts(struct sched *s, class_id id, node_id n, int32_t parts[PLUG_MAX])
{
    struct pod_class *c = s->classes[id];
    uint32_t words = s->view.words;
    uint64_t *bits = xarray(words, uint64_t);
    int32_t *score = xarray((size_t)words * 64, int32_t);
    place_feasible(s, id, NULL, bits);
    bit_set(bits, n);
    memset(parts, 0, PLUG_MAX * sizeof *parts);
    scratch_fit(&s->place->scratch, words);
    for (uint64_t m = c->uses_score; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        memset(score, 0, (size_t)words * 64 * sizeof *score);
        plugin_scores(&s->view, c, i, bits, s->place->scratch.raw, score);
        parts[i] = score[n];
    }
    free(bits);
    free(score);
}

/* The bitmap of a static filter, when the class has one. */
static const struct static_part *kept_part(const struct pod_class *c, int plugin)
{
    const struct class_cache *k = c->cache;
    for (uint32_t i = 0; k->has_parts && i < k->nstatic_filters; i++)
        if (k->static_filters[i] == plugin)
            return k->filter_parts[i];
    return NULL;
}

uint64_t place_rejections(struct sched *s, class_id id, const uint64_t *within, uint32_t counts[PLUG_MAX])
{
    struct pod_class *c = s->classes[id];
    place_sync(s);
    plan_refresh(s, c);
    if (!c->pinned_node)
        parts_refresh(s, c);
    struct place_scratch *x = &s->place->scratch;
    uint32_t local[PLUG_MAX] = {0}, left;
    uint64_t mask = 0;
    for (uint32_t w = 0; w < x->words; w++)
        x->bits[w] = s->alive[w] & (within ? within[w] : ~0ull);
    /* where nominated pods give way, one by one */
    bool kept = nominated_below(s, c->priority, false);
    for (size_t i = 0; kept && i < s->place->nominated.len; i++) {
        node_id n = s->pods[s->place->nominated.p[i]].node;
        if (!bit_get(x->bits, n) || !nominated_matter(s, c, n, false))
            continue;
        bit_clear(x->bits, n);
        int by = rejected_by(s, c, n, false);
        if (by >= 0)
            local[by]++;
    }
    left = bits_count(x->bits, x->words);
    for (uint64_t m = c->uses_filter; m && left; m &= m - 1) {
        int i = __builtin_ctzll(m);
        const struct profile_plugin *pp = &s->table->plugins[i];
        const struct static_part *part = kept_part(c, i);
        if (part)
            for (uint32_t w = 0; w < x->words; w++)
                x->bits[w] &= part->bits[w];
        else
            pp->plugin->filter(&s->view, c, pp->args, x->bits);
        uint32_t now = bits_count(x->bits, x->words);
        local[i] += left - now;
        left = now;
    }
    for (uint32_t i = 0; i < PLUG_MAX; i++)
        mask |= (uint64_t)(local[i] > 0) << i;
    if (counts)
        memcpy(counts, local, sizeof local);
    return mask;
}
