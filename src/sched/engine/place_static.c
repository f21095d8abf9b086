/* place_static.c - answers that node events alone change: bitmaps of static filters, raw values of static scores, and how these are normalised.
 *
 * A part is shared by all classes whose constraints are the same bytes to the plugin (static_key), so that a thousand classes with a dozen
 * selectors have a dozen bitmaps.  A part reads the log of static changes from where it stopped; when that is too far behind, it is made anew. */
/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3")
#endif

#include "sched/engine/place_state.h"

/* --- the table ------------------------------------------------------------------------------------------------------------------- */
static void table_grow(struct place_state *x)
{
    uint32_t n = MAX(64u, x->nparts_slots * 2);
    struct static_part **slots = xarray(n, struct static_part *);
    for (uint32_t i = 0; i < x->nparts_slots; i++)
        for (struct static_part *p = x->parts[i], *next; p; p = next) {
            next = p->next;
            p->next = slots[p->hash & (n - 1)];
            slots[p->hash & (n - 1)] = p;
        }
    free(x->parts);
    x->parts = slots;
    x->nparts_slots = n;
}

static struct static_part *part_ref(struct sched *s, const struct pod_class *c, uint32_t plugin, bool is_score)
{
    struct place_state *x = s->place;
    const struct sched_plugin *pl = s->table->plugins[plugin].plugin;
    strbuf_clear(&x->key);
    strbuf_add_char(&x->key, (char)plugin);
    strbuf_add_char(&x->key, (char)is_score);
    if (pl->static_key) {
        pl->static_key(c, is_score, &x->key);
    } else {
        strbuf_add_char(&x->key, '@');
        strbuf_add(&x->key, &c, sizeof c); /* nobody else's */
    }
    uint64_t hash = str_hash(strbuf_str(&x->key));
    if (x->nparts >= x->nparts_slots)
        table_grow(x);
    struct static_part **slot = &x->parts[hash & (x->nparts_slots - 1)];
    for (struct static_part *p = *slot; p; p = p->next)
        if (p->hash == hash && p->key_len == x->key.len && memcmp(p->key, x->key.p, p->key_len) == 0) {
            p->refs++;
            return p;
        }
    struct static_part *p = xnew(struct static_part);
    *p = (struct static_part){.next = *slot, .hash = hash, .refs = 1, .plugin = (uint16_t)plugin, .is_score = is_score};
    p->key = str_dup(strbuf_str(&x->key));
    p->key_len = (uint32_t)x->key.len;
    *slot = p;
    x->nparts++;
    return p;
}

static void part_unref(struct sched *s, struct static_part *p)
{
    if (--p->refs)
        return;
    struct static_part **at = &s->place->parts[p->hash & (s->place->nparts_slots - 1)];
    while (*at != p)
        at = &(*at)->next;
    *at = p->next;
    s->place->nparts--;
    free(p->key);
    free(p->bits);
    free(p->raw);
    free(p);
}

void parts_release(struct sched *s, struct class_cache *k)
{
    if (!k->has_parts)
        return;
    for (uint32_t i = 0; i < k->nstatic_filters; i++)
        part_unref(s, k->filter_parts[i]);
    for (uint32_t i = 0; i < k->nstatic_scores; i++)
        part_unref(s, k->score_parts[i]);
    k->has_parts = false;
}

/* --- making and keeping -------------------------------------------------------------------------------------------------------------- */
static int32_t clamp_raw(int64_t raw)
{
    return (int32_t)MAX(MIN(raw, (int64_t)INT32_MAX / 128), (int64_t)0);
}

static void part_range(const struct sched *s, struct static_part *p)
{
    int32_t low = INT32_MAX, high = INT32_MIN;
    bits_foreach(n, s->alive, p->words)
    {
        low = MIN(low, p->raw[n]);
        high = MAX(high, p->raw[n]);
    }
    p->low = s->nalive ? low : 0;
    p->high = s->nalive ? high : 0;
}

static void part_make(struct sched *s, struct static_part *p, const struct pod_class *c)
{
    const struct profile_plugin *pp = &s->table->plugins[p->plugin];
    const struct view *v = &s->view;
    if (p->words != v->words) {
        free(p->bits);
        free(p->raw);
        p->words = v->words;
        p->bits = p->is_score ? NULL : xarray(p->words, uint64_t);
        p->raw = p->is_score ? xarray((size_t)p->words * 64, int32_t) : NULL;
    }
    if (p->is_score) {
        int64_t *raw = s->place->scratch.raw;
        pp->plugin->score(v, c, pp->args, s->alive, raw);
        memset(p->raw, 0, (size_t)p->words * 64 * sizeof *p->raw);
        bits_foreach(n, s->alive, p->words)
            p->raw[n] = clamp_raw(raw[n]);
        part_range(s, p);
    } else {
        memcpy(p->bits, s->alive, p->words * sizeof *p->bits);
        pp->plugin->filter(v, c, pp->args, p->bits);
    }
    p->made = true;
}

static void part_node(const struct sched *s, struct static_part *p, const struct pod_class *c, node_id n)
{
    const struct profile_plugin *pp = &s->table->plugins[p->plugin];
    bool alive = node_is_alive(s, n);
    if (p->is_score)
        p->raw[n] = alive ? clamp_raw(pp->plugin->score_one(&s->view, c, pp->args, n)) : 0;
    else
        bit_put(p->bits, n, alive && pp->plugin->fits_one(&s->view, c, pp->args, n));
}

static void part_refresh(struct sched *s, struct static_part *p, const struct pod_class *c)
{
    struct place_state *x = s->place;
    if (likely(p->seen == x->static_seq && p->words == s->view.words && p->made))
        return;
    uint64_t behind = x->static_seq - p->seen;
    bool global = p->is_score && s->table->plugins[p->plugin].plugin->static_score_is_global;
    if (!p->made || p->words != s->view.words || behind > STATIC_LOG || (global && behind)) {
        part_make(s, p, c);
    } else {
        for (uint64_t i = p->seen; i < x->static_seq; i++)
            part_node(s, p, c, x->static_log[i % STATIC_LOG]);
        if (p->is_score)
            part_range(s, p);
    }
    p->seen = x->static_seq;
    p->version++;
}

void parts_refresh(struct sched *s, struct pod_class *c)
{
    struct class_cache *k = c->cache;
    if (unlikely(!k->has_parts)) {
        for (uint32_t i = 0; i < k->nstatic_filters; i++)
            k->filter_parts[i] = part_ref(s, c, k->static_filters[i], false);
        for (uint32_t i = 0; i < k->nstatic_scores; i++)
            k->score_parts[i] = part_ref(s, c, k->static_scores[i], true);
        k->has_parts = true;
    }
    for (uint32_t i = 0; i < k->nstatic_filters; i++)
        part_refresh(s, k->filter_parts[i], c);
    for (uint32_t i = 0; i < k->nstatic_scores; i++)
        part_refresh(s, k->score_parts[i], c);
}

void parts_filter(const struct sched *s, const struct class_cache *k, const uint64_t *within, uint64_t *bits)
{
    uint32_t words = s->view.words;
    const uint64_t *with = within ? within : s->alive;
    for (uint32_t w = 0; w < words; w++)
        bits[w] = s->alive[w] & with[w];
    for (uint32_t i = 0; i < k->nstatic_filters; i++) {
        const uint64_t *pass = k->filter_parts[i]->bits;
        for (uint32_t w = 0; w < words; w++)
            bits[w] &= pass[w];
    }
}

/* --- normalising ------------------------------------------------------------------------------------------------------------------------ */
static int32_t normalised(enum plug_norm norm, int32_t weight, int32_t raw, int32_t max)
{
    int64_t x = norm == NORM_NONE ? raw : max > 0 ? (int64_t)SCORE_MAX * raw / max : 0;
    return weight * (int32_t)(norm == NORM_REVERSE_MAX ? SCORE_MAX - x : x);
}

int32_t norm_one(const struct norm *p, node_id n)
{
    return normalised(p->norm, p->weight, p->part->raw[n], p->max);
}

void norms_init(struct norms *m, const struct sched *s, const struct class_cache *k)
{
    m->base = 0;
    m->n = 0;
    m->by_fitting = false;
    for (uint32_t i = 0; i < k->nstatic_scores; i++) {
        const struct profile_plugin *pp = &s->table->plugins[k->static_scores[i]];
        const struct static_part *part = k->score_parts[i];
        if (part->low == part->high) {
            m->base += normalised(pp->plugin->norm, pp->weight, part->low, part->high);
            continue;
        }
        m->p[m->n++] = (struct norm){part, pp->plugin->norm, pp->weight, -1};
        m->by_fitting |= pp->plugin->norm != NORM_NONE;
    }
}

bool norms_over(struct norms *m, const uint64_t *fits, uint32_t words)
{
    bool changed = false;
    for (uint32_t i = 0; i < m->n && m->by_fitting; i++) {
        const int32_t *raw = m->p[i].part->raw;
        int32_t max = -1;
        if (m->p[i].norm == NORM_NONE)
            continue;
        for (uint32_t w = 0; w < words; w++)
            for (uint64_t b = fits[w]; b; b &= b - 1)
                max = MAX(max, raw[w * 64 + (uint32_t)__builtin_ctzll(b)]);
        changed |= m->p[i].max != max;
        m->p[i].max = max;
    }
    return changed;
}

/* 100 * raw / max, cut off: raised by less than the gap to the next whole number, so that the product never falls short. */
static double factor(const struct norm *p)
{
    return p->norm == NORM_NONE ? 1 : p->max > 0 ? 100.0 / p->max * (1 + 0x1p-50) : 0;
}

static void norm_add(const struct norm *p, const uint64_t *fits, uint32_t words, int32_t *score)
{
    bool reverse = p->norm == NORM_REVERSE_MAX;
    int32_t base = reverse ? p->weight * SCORE_MAX : 0, weight = reverse ? -p->weight : p->weight;
    int32_t most = p->norm == NORM_NONE ? INT32_MAX : p->max; /* of those that fit; the others must not overflow */
    double f = factor(p);
    for (uint32_t w = 0; w < words; w++) {
        int32_t *restrict x = score + w * 64;
        const int32_t *restrict raw = p->part->raw + w * 64;
        if (!fits[w])
            continue;
        for (uint32_t j = 0; j < 64; j++) {
            int32_t r = raw[j] > most ? most : raw[j];
            x[j] += base + weight * (int32_t)(r * f);
        }
    }
}

void norms_add(const struct norms *m, const uint64_t *fits, uint32_t words, int32_t *score)
{
    for (uint32_t i = 0; i < m->n; i++)
        norm_add(&m->p[i], fits, words, score);
}

bool norms_kernel(const struct norms *m, struct kernel_job *j)
{
    j->base = m->base;
    j->nparts = 0;
    for (uint32_t i = 0; i < m->n; i++) {
        const struct norm *p = &m->p[i];
        if (p->part->high > KERNEL_RAW_MAX || j->nparts == KERNEL_PARTS)
            return false;
        bool reverse = p->norm == NORM_REVERSE_MAX;
        float k = p->norm == NORM_NONE ? 1 : p->max > 0 ? (float)(100.0 / p->max) : 0;
        j->base += reverse ? p->weight * SCORE_MAX : 0;
        /* as factor, with the room that 24 bits leave: v * 2^-21 stays below 1 / KERNEL_RAW_MAX for v up to 100 */
        j->parts[j->nparts++] = (struct kernel_part){p->part->raw, k * (1 + 0x1p-21f), reverse ? -p->weight : p->weight};
    }
    return true;
}
