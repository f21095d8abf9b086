/* place_cache.c - scores of a class that is asked again and again.
 *
 *   local[n], fits         exact, as of journal position seq; touched nodes are evaluated again, the others cannot have changed
 *   key[0][n]              total score, tie rule: highest is best, 0 does not fit
 *   key[1][n / 8] ...      the best of eight below, up to one: key[levels - 1][0] is the answer
 *
 *       level 2                     93
 *       level 1        93           ...        88             an update walks up while the best of eight changes
 *       level 0   12 93 0 0 7 ..          88 5 41 ...
 *
 * Classes with cross-node parts have local and fits only: their totals are made at each question.
 * A class earns a cache by questions that come so soon after one another that evaluating what was touched in between is cheaper than a scan. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_state.h"

#define WIDE 8u
#define LEVELS 8 /* 8^7 nodes */
#define STREAK 3u

struct warm {
    struct class_cache *of;
    uint64_t used; /* place_state.clock */
    uint64_t seq;
    uint32_t words;
    bool has_keys;
    uint64_t tie_epoch;
    uint64_t *within; /* NULL: all */
    uint64_t *fits;
    int32_t *local;
    struct norms norms;
    uint32_t at_max[PARTS_MAX]; /* nodes that fit and have the highest raw */
    uint64_t versions;          /* sum of the parts' versions */
    uint64_t *key[LEVELS];
    uint32_t levels;
};

const uint64_t *warm_fits(const struct warm *w)
{
    return w->fits;
}
const int32_t *warm_local(const struct warm *w)
{
    return w->local;
}

/* --- lifetime ------------------------------------------------------------------------------------------------------------------------ */
static void warm_free(struct warm *w)
{
    free(w->within);
    free(w->fits);
    free(w->local);
    for (uint32_t i = 0; i < LEVELS; i++)
        free(w->key[i]);
    free(w);
}

void warm_drop(struct sched *s, struct class_cache *k)
{
    struct place_state *x = s->place;
    if (!k->warm)
        return;
    for (uint32_t i = 0; i < x->nwarm; i++)
        if (x->warm[i] == k->warm)
            x->warm[i] = x->warm[--x->nwarm];
    warm_free(k->warm);
    k->warm = NULL;
}

static struct warm *warm_new(struct sched *s, struct class_cache *k)
{
    struct place_state *x = s->place;
    if (x->nwarm == CACHE_MAX) {
        struct warm *oldest = x->warm[0];
        for (uint32_t i = 1; i < x->nwarm; i++)
            if (x->warm[i]->used < oldest->used)
                oldest = x->warm[i];
        warm_drop(s, oldest->of);
    }
    struct warm *w = xnew(struct warm);
    w->of = k;
    k->warm = x->warm[x->nwarm++] = w;
    return w;
}

/* --- the tree ------------------------------------------------------------------------------------------------------------------------- */
static inline uint64_t best_of_eight(const uint64_t *p)
{
    uint64_t a = MAX(p[0], p[1]), b = MAX(p[2], p[3]), c = MAX(p[4], p[5]), d = MAX(p[6], p[7]);
    a = MAX(a, b);
    c = MAX(c, d);
    return MAX(a, c);
}

static void tree_build(struct warm *w)
{
    uint32_t n = w->words * 64;
    for (w->levels = 1; n > 1; w->levels++) {
        uint32_t up = (n + WIDE - 1) / WIDE, room = (up + WIDE - 1) / WIDE * WIDE;
        uint64_t **level = &w->key[w->levels];
        if (!*level)
            *level = xarray(room, uint64_t);
        for (uint32_t i = 0; i < up; i++)
            (*level)[i] = best_of_eight(w->key[w->levels - 1] + (size_t)i * WIDE);
        n = up;
    }
}

static void tree_put(struct warm *w, node_id n, uint64_t key)
{
    if (w->key[0][n] == key)
        return;
    w->key[0][n] = key;
    for (uint32_t i = n, level = 1; level < w->levels; level++) {
        i /= WIDE;
        uint64_t best = best_of_eight(w->key[level - 1] + (size_t)i * WIDE);
        if (w->key[level][i] == best)
            return;
        w->key[level][i] = best;
    }
}

/* --- totals ----------------------------------------------------------------------------------------------------------------------------- */
static uint64_t versions_of(const struct class_cache *k)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < k->nstatic_scores; i++)
        sum += k->score_parts[i]->version;
    return sum;
}

static void count_max(struct warm *w)
{
    for (uint32_t i = 0; i < w->norms.n && w->norms.by_fitting; i++) {
        const struct norm *p = &w->norms.p[i];
        w->at_max[i] = 0;
        bits_foreach(n, w->fits, w->words)
            w->at_max[i] += p->part->raw[n] == p->max;
    }
}

/* All keys anew out of local and fits. */
static void retotal(struct sched *s, struct warm *w)
{
    norms_init(&w->norms, s, w->of);
    norms_over(&w->norms, w->fits, w->words);
    count_max(w);
    memset(w->key[0], 0, (size_t)w->words * 64 * sizeof **w->key);
    bits_foreach(n, w->fits, w->words)
        w->key[0][n] = key_make(w->of->best_fit, &s->view, n, w->local[n] + norms_of(&w->norms, n));
    tree_build(w);
    w->versions = versions_of(w->of);
    w->tie_epoch = s->tie_epoch;
}

/* Keeps the counts of nodes at the maxima; true: a maximum is not what it was, all totals are wrong. */
static bool max_moves(struct warm *w, node_id n, bool was, bool is)
{
    bool moves = false;
    for (uint32_t i = 0; i < w->norms.n; i++) {
        const struct norm *p = &w->norms.p[i];
        int32_t raw = p->part->raw[n];
        if (p->norm == NORM_NONE || was == is)
            continue;
        if (raw == p->max)
            w->at_max[i] += is ? 1u : UINT32_MAX;
        moves |= w->at_max[i] == 0 || (is && raw > p->max);
    }
    return moves;
}

/* --- making and keeping ----------------------------------------------------------------------------------------------------------------- */
static void warm_make(struct sched *s, struct pod_class *c, struct warm *w, const uint64_t *within)
{
    struct class_cache *k = c->cache;
    uint32_t words = s->view.words;
    if (w->words != words) {
        free(w->fits);
        free(w->local);
        free(w->within);
        w->within = NULL;
        for (uint32_t i = 0; i < LEVELS; i++) {
            free(w->key[i]);
            w->key[i] = NULL;
        }
        w->words = words;
        w->fits = xarray(words, uint64_t);
        w->local = xarray((size_t)words * 64, int32_t);
    }
    if (within) {
        if (!w->within)
            w->within = xarray(words, uint64_t);
        memcpy(w->within, within, words * sizeof *within);
    } else {
        free(w->within);
        w->within = NULL;
    }
    parts_filter(s, k, within, w->fits);
    exact_filter(s, c, false, w->fits);
    exact_scores(&s->view, c, w->fits, s->place->scratch.raw, w->local);
    w->seq = s->view.seq;
    w->has_keys = !k->is_cross;
    if (!w->has_keys)
        return;
    if (!w->key[0])
        w->key[0] = aligned_alloc(64, (size_t)words * 64 * sizeof **w->key);
    BUG_ON(!w->key[0]);
    retotal(s, w);
}

static void warm_node(struct sched *s, struct pod_class *c, struct warm *w, node_id n, bool *stale)
{
    bool was = bit_get(w->fits, n);
    bool is = node_is_alive(s, n) && (!w->within || bit_get(w->within, n)) && parts_pass(c->cache, n) && exact_fits_kept(s, c, n, false);
    if (!was && !is)
        return;
    bit_put(w->fits, n, is);
    if (is)
        w->local[n] = exact_local(&s->view, c, n);
    if (!w->has_keys || *stale)
        return;
    if (w->norms.by_fitting && max_moves(w, n, was, is))
        *stale = true;
    else
        tree_put(w, n, is ? key_make(w->of->best_fit, &s->view, n, w->local[n] + norms_of(&w->norms, n)) : 0);
}

static void warm_update(struct sched *s, struct pod_class *c, struct warm *w)
{
    const struct view *v = &s->view;
    /* static changes may move maxima and tell parts apart that were the same everywhere */
    bool stale = w->has_keys && (w->tie_epoch != s->tie_epoch || w->versions != versions_of(c->cache));
    for (; w->seq < v->seq; w->seq++)
        warm_node(s, c, w, v->journal[w->seq % JOURNAL_SIZE].node, &stale);
    if (stale)
        retotal(s, w);
}

/* So many touched nodes cost as much as a scan: 35 to 60 ns each, against 0.6 ns for each node of the cluster (measured). */
static uint64_t soon(const struct sched *s)
{
    return 16 + s->view.nnodes / 100;
}

static bool same_nodes(const struct sched *s, const struct warm *w, const uint64_t *within)
{
    if (!w->within || !within)
        return !w->within && !within;
    return memcmp(w->within, within, s->view.words * sizeof *within) == 0;
}

struct warm *warm_get(struct sched *s, struct pod_class *c, const uint64_t *within)
{
    struct class_cache *k = c->cache;
    struct warm *w = k->warm;
    uint64_t seq = s->view.seq, gap = seq - k->asked_seq, limit = soon(s);
    if (within && memcmp(within, s->alive, s->view.words * sizeof *within) == 0)
        within = NULL;
    /* so soon that few nodes were touched and few other classes were asked in between */
    k->streak = gap <= limit && s->place->clock - k->asked_clock <= CACHE_MAX ? k->streak + 1 : 0;
    k->asked_seq = seq;
    k->asked_clock = ++s->place->clock;
    if (w && w->words == s->view.words && same_nodes(s, w, within)) {
        w->used = s->place->clock;
        /* further behind is fine when the next questions will come soon again: catching up costs less than making it anew */
        if (seq - w->seq <= (k->streak ? 4 * limit : limit) && seq - w->seq <= JOURNAL_SIZE) {
            warm_update(s, c, w);
            return w;
        }
    }
    if (w && k->streak > STREAK)
        k->streak = 0; /* asked about other nodes: these have to earn it, too */
    if (k->streak < STREAK)
        return NULL;
    if (!w)
        w = warm_new(s, k);
    w->used = s->place->clock;
    warm_make(s, c, w, within);
    return w;
}

bool warm_best(const struct sched *s, const struct warm *w, struct place_result *ret)
{
    uint64_t key = w->key[w->levels - 1][0];
    if (!key)
        return false;
    ret->node = key_node(s->place, w->of->best_fit, key);
    ret->score = key_score(w->of->best_fit, key);
    return true;
}
