/* place_scan.c - the best few nodes by bounds: groups whose bound beats the worst of the list are looked at exactly, the others never.
 *
 * Normalised static scores need the highest raw value of the nodes that fit before any total is known.  It is nearly always the same as last time: a
 * witness, a node that had it, is asked whether it still fits; and the scan reports the highest raw of all nodes that may fit, so that a higher one cannot
 * be missed.  When the guess was wrong, the scan is done again with what is true. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_state.h"

#define SCAN_MISSES 128u /* nodes whose bound was too high, before the scan gives up: each costs as much as a bound of 100 */

struct list {
    bool best_fit;
    size_t want, n;
    uint64_t key[PLACE_TOP];
    struct place_top *top;
};

static void list_add(struct list *l, const struct view *v, node_id n, int32_t score)
{
    uint64_t key = key_make(l->best_fit, v, n, score);
    if (l->n == l->want && key <= l->key[l->n - 1])
        return;
    size_t i = l->n < l->want ? l->n++ : l->n - 1;
    for (; i > 0 && l->key[i - 1] < key; i--) {
        l->key[i] = l->key[i - 1];
        l->top[i] = l->top[i - 1];
    }
    l->key[i] = key;
    l->top[i] = (struct place_top){n, score};
}

/* What a node must beat to enter. */
static void list_floor(const struct list *l, const struct view *v, int32_t *score, uint32_t *tie)
{
    bool full = l->n == l->want;
    *score = full ? l->top[l->n - 1].score : 0;
    *tie = full && !l->best_fit ? v->s->tie[l->top[l->n - 1].node] : UINT32_MAX;
}

/* --- highest raw of what fits ------------------------------------------------------------------------------------------------------- */
static void raise_max(const struct scan_in *in, struct norm *p, node_id *witness)
{
    const int32_t *raw = p->part->raw;
    for (uint32_t w = 0; w < in->v->words; w++)
        for (uint64_t b = in->bits[w]; b; b &= b - 1) {
            node_id n = w * 64 + (uint32_t)__builtin_ctzll(b);
            if (raw[n] > p->max && exact_fits_local(in->v, in->c, n)) {
                p->max = raw[n];
                *witness = n;
            }
        }
}

static void guess_max(const struct scan_in *in, struct norms *m, node_id *witness)
{
    for (uint32_t i = 0; i < m->n; i++) {
        node_id n = witness[i];
        m->p[i].max = -1;
        if (m->p[i].norm == NORM_NONE)
            continue;
        if (n != NODE_NONE && n < in->v->words * 64 && bit_get(in->bits, n) && exact_fits_local(in->v, in->c, n))
            m->p[i].max = m->p[i].part->raw[n];
        else
            raise_max(in, &m->p[i], &witness[i]);
    }
}

/* --- the scan ------------------------------------------------------------------------------------------------------------------------- */
static inline int64_t lane_key(int32_t bound, uint32_t tie)
{
    return (int64_t)((uint64_t)(uint32_t)bound << 32 | (UINT32_MAX - tie));
}

/* Looks at the nodes of a group that may enter, best bound first.  Returns how many did not keep what their bound promised. */
static uint32_t take_group(const struct scan_in *in, const struct norms *m, struct list *l, uint32_t group, int32_t bound[HOT_LANES])
{
    const uint32_t *ties = in->v->s->tie + (size_t)group * HOT_LANES;
    uint32_t misses = 0;
    for (;;) {
        int32_t score;
        uint32_t tie, at = HOT_LANES;
        list_floor(l, in->v, &score, &tie);
        /* bound and rank as one number, and no branches: which of the lanes is best cannot be guessed */
        int64_t best = lane_key(score, tie);
        for (uint32_t i = 0; i < HOT_LANES; i++) {
            int64_t key = lane_key(bound[i], ties[i]);
            at = key > best ? i : at;
            best = key > best ? key : best;
        }
        if (at == HOT_LANES || bound[at] < 0)
            return misses;
        node_id n = group * HOT_LANES + at;
        bool fits = exact_fits_local(in->v, in->c, n);
        int32_t exact = fits ? exact_local(in->v, in->c, n) + norms_of(m, n) : -1;
        misses += exact != bound[at];
        bound[at] = -1;
        if (fits)
            list_add(l, in->v, n, exact);
    }
}

/* One pass; false: too many misses. */
static bool scan_once(const struct scan_in *in, const struct norms *m, struct kernel_job *j, struct list *l)
{
    int32_t bound[HOT_LANES], score;
    uint32_t tie, misses = 0;
    for (uint32_t i = 0; i < KERNEL_PARTS; i++)
        j->highest[i] = -1;
    for (uint32_t g = 0;; g++) {
        list_floor(l, in->v, &score, &tie);
        g = kernel_seek(j, g, score, tie, bound);
        if (g >= j->groups)
            return true;
        misses += take_group(in, m, l, g, bound);
        if (misses > SCAN_MISSES)
            return false;
    }
}

/* Nodes whose bounds would not be bounds are taken out of bits and asked one by one: those without cpu or memory, and those where nominated pods
 * give way and the columns say too much is used. */
struct apart {
    VEC(node_id) nodes; /* that fit */
};

static void set_apart(const struct scan_in *in, struct apart *ret)
{
    struct sched *s = in->s;
    const struct place_state *x = in->v->s->place;
    bool nominated = s && nominated_below(s, in->c->priority, in->ignore_nominated);
    for (size_t i = 0; unlikely(nominated) && i < x->nominated.len; i++) {
        node_id n = s->pods[x->nominated.p[i]].node;
        if (!bit_get(in->bits, n) || !nominated_matter(s, in->c, n, in->ignore_nominated))
            continue;
        bit_clear(in->bits, n);
        if (exact_fits_kept(s, in->c, n, in->ignore_nominated))
            vec_push(&ret->nodes, n);
    }
    for (size_t i = 0; i < x->odd.len; i++) {
        node_id n = x->odd.p[i];
        if (!bit_get(in->bits, n))
            continue;
        bit_clear(in->bits, n);
        if (exact_fits_local(in->v, in->c, n))
            vec_push(&ret->nodes, n);
    }
}

/* What bounds do not cover is filtered beforehand. */
static void filter_rest(const struct scan_in *in)
{
    const struct class_cache *k = in->c->cache;
    for (uint64_t m = k->checks; m; m &= m - 1) {
        const struct res_amount *r = &in->c->req[__builtin_ctzll(m)];
        if (r->id != RES_CPU && r->id != RES_MEMORY && r->id != RES_PODS)
            kernel_fits(in->v, r->id, r->amount, in->bits);
    }
    for (uint32_t i = 0; i < k->nlocal_filters; i++) {
        const struct profile_plugin *pp = &in->v->s->table->plugins[k->local_filters[i]];
        pp->plugin->filter(in->v, in->c, pp->args, in->bits);
    }
}

/* Likely nodes first: with a good list from the start, hardly any other node has to be looked at exactly. */
static void take_hints(const struct scan_in *in, const struct norms *m, struct list *l)
{
    for (size_t i = 0; i < in->nhints; i++) {
        node_id n = in->hints[i].node;
        if (n >= in->v->words * 64 || !bit_get(in->bits, n))
            continue;
        bit_clear(in->bits, n);
        if (exact_fits_local(in->v, in->c, n))
            list_add(l, in->v, n, exact_local(in->v, in->c, n) + norms_of(m, n));
    }
}

int scan_top(const struct scan_in *in, struct norms *m, size_t want, struct place_top *top)
{
    struct class_cache *k = in->c->cache;
    const struct sched *s = in->v->s;
    struct kernel_job j = {.of = &k->kernel, .hot = in->v->hot, .tie = s->tie, .fits = in->bits, .groups = in->v->words * (64 / HOT_LANES)};
    if (!k->is_fast || !in->v->hot || (m->by_fitting && !in->s))
        return -1;
    struct apart apart = {0};
    set_apart(in, &apart);
    filter_rest(in);
    int found = -1;
    if (m->by_fitting)
        guess_max(in, m, k->witness);
    for (bool again = true; again;) {
        struct list l = {.best_fit = k->best_fit, .want = want, .top = top};
        struct norms now = *m;
        for (size_t i = 0; i < apart.nodes.len; i++)
            for (uint32_t p = 0; p < m->n && m->by_fitting; p++)
                now.p[p].max = MAX(now.p[p].max, m->p[p].part->raw[apart.nodes.p[i]]);
        for (size_t i = 0; i < apart.nodes.len; i++)
            list_add(&l, in->v, apart.nodes.p[i], exact_local(in->v, in->c, apart.nodes.p[i]) + norms_of(&now, apart.nodes.p[i]));
        if (!m->by_fitting)
            take_hints(in, &now, &l);
        again = false;
        found = -1;
        if (!norms_kernel(&now, &j) || !scan_once(in, &now, &j, &l))
            break;
        found = (int)l.n;
        for (uint32_t p = 0; p < m->n && m->by_fitting; p++) {
            int32_t was = m->p[p].max;
            if (m->p[p].norm != NORM_NONE && j.highest[p] > now.p[p].max)
                raise_max(in, &m->p[p], &k->witness[p]);
            again |= m->p[p].max > was && m->p[p].max > now.p[p].max;
        }
    }
    vec_fini(&apart.nodes);
    return found;
}

/* --- for parallel workers ------------------------------------------------------------------------------------------------------------------ */
struct place_scratch *place_scratch_new(void)
{
    return xnew(struct place_scratch);
}

void place_scratch_free(struct place_scratch *x)
{
    if (!x)
        return;
    scratch_fini(x);
    free(x);
}

/* Without bounds: everything exactly. */
static int scan_all(const struct view *v, const struct pod_class *c, const struct norms *m, struct place_scratch *x, size_t want, struct place_top *top)
{
    struct list l = {.best_fit = c->cache->best_fit, .want = want, .top = top};
    bits_foreach(n, x->bits, v->words)
        if (exact_fits_local(v, c, n))
            list_add(&l, v, n, exact_local(v, c, n) + norms_of(m, n));
    return (int)l.n;
}

size_t place_scan_some(const struct view *v, const struct pod_class *c, const uint64_t *within, struct place_scratch *x, size_t want, size_t nhints, struct place_top *top, int32_t *rest_score)
{
    struct norms m;
    struct place_top hints[PLACE_TOP];
    memcpy(hints, top, nhints * sizeof *hints);
    scratch_fit(x, v->words);
    parts_filter(v->s, c->cache, within, x->bits);
    norms_init(&m, v->s, c->cache);
    struct scan_in in = {.v = v, .c = c, .bits = x->bits, .hints = hints, .nhints = nhints};
    int n = scan_top(&in, &m, want, top);
    if (n < 0) {
        parts_filter(v->s, c->cache, within, x->bits);
        n = scan_all(v, c, &m, x, want, top);
    }
    *rest_score = (size_t)n == want ? top[n - 1].score : SCORE_NONE;
    return (size_t)n;
}

size_t place_scan(const struct view *v, const struct pod_class *c, const uint64_t *within, struct place_scratch *x, struct place_top top[PLACE_TOP], int32_t *rest_score)
{
    return place_scan_some(v, c, within, x, PLACE_TOP, 0, top, rest_score);
}

int32_t place_score_local(const struct view *v, const struct pod_class *c, node_id n)
{
    struct norms m;
    if (!node_is_alive(v->s, n) || !parts_pass(c->cache, n) || !exact_fits_local(v, c, n))
        return SCORE_NONE;
    norms_init(&m, v->s, c->cache);
    return exact_local(v, c, n) + norms_of(&m, n);
}

void place_prepare(struct sched *s, class_id id)
{
    struct pod_class *c = s->classes[id];
    struct class_cache *k = c->cache;
    place_sync(s);
    plan_refresh(s, c);
    c->replica_ok = plan_is_replicable(s, c) && !nominated_below(s, c->priority, false);
    if (!c->replica_ok)
        return;
    struct norms m;
    place_odd(s);
    parts_refresh(s, c);
    norms_init(&m, s, k);
    c->replica_ok = !m.by_fitting;
}

bool place_better(const struct view *v, const struct pod_class *c, struct place_top a, struct place_top b)
{
    return key_make(c->cache->best_fit, v, a.node, a.score) > key_make(c->cache->best_fit, v, b.node, b.score);
}
