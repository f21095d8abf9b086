/* terms_tally.c - counts by topology domain, and which nodes a domain has.
 *
 *   cells  {(d17, 2) (d901, 1)}      few of many domains: a hash table, freed cells are closed up at once
 *   count  [0 4 0 5 4 ...]           else an array by domain; occupied: bitmap of the nodes whose domain has a count
 * A table turns dense when a sixteenth of its domains is occupied, and stays so.
 * The minimum over occupied domains is kept with how many have it: it is searched anew only when the last of these moved up, which under
 * balanced spreading is once for each round over all domains. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/terms_types.h"

/* --- nodes of a domain --------------------------------------------------------------------------------------------------------------- */
static void side_add(const struct sched *s, struct side *x, uint32_t topo, node_id n)
{
    uint32_t d = s->topos[topo].domain[n], ndomains = s->topos[topo].ndomains;
    if (ndomains > SIDE_FEW && x->where) {
        free(x->where);
        x->where = NULL;
    }
    if (d == 0)
        return;
    if (d >= x->nfirst) {
        uint32_t now = MAX(ndomains + 16, x->nfirst * 2);
        x->first = xrealloc(x->first, now * sizeof *x->first);
        memset(x->first + x->nfirst, 0, (now - x->nfirst) * sizeof *x->first);
        x->nfirst = now;
    }
    uint32_t head = x->first[d];
    if (head && !x->next[head - 1])
        x->nshared++;
    x->next[n] = head;
    x->prev[n] = 0;
    if (head)
        x->prev[head - 1] = n + 1;
    x->first[d] = n + 1;
    bit_set(x->has, n);
    if (x->where)
        bit_set(x->where + (size_t)d * s->terms->words, n);
}

static void side_remove(const struct sched *s, struct side *x, uint32_t topo, node_id n)
{
    uint32_t d = s->topos[topo].domain[n];
    if (d == 0)
        return;
    uint32_t next = x->next[n], prev = x->prev[n];
    if (prev)
        x->next[prev - 1] = next;
    else
        x->first[d] = next;
    if (next)
        x->prev[next - 1] = prev;
    x->next[n] = x->prev[n] = 0;
    uint32_t head = x->first[d];
    if (head && !x->next[head - 1])
        x->nshared--;
    bit_clear(x->has, n);
    if (x->where)
        bit_clear(x->where + (size_t)d * s->terms->words, n);
}

struct side *side_use(struct sched *s, uint32_t topo)
{
    struct terms *t = s->terms;
    if (topo >= t->nsides) {
        t->sides = xrealloc(t->sides, (topo + 1) * sizeof *t->sides);
        memset(t->sides + t->nsides, 0, (topo + 1 - t->nsides) * sizeof *t->sides);
        t->nsides = topo + 1;
    }
    struct side *x = &t->sides[topo];
    if (x->used)
        return x;
    x->used = true;
    x->next = xarray((size_t)t->words * 64, uint32_t);
    x->prev = xarray((size_t)t->words * 64, uint32_t);
    x->has = xarray(t->words, uint64_t);
    if (s->topos[topo].ndomains <= SIDE_FEW)
        x->where = xarray((size_t)SIDE_FEW * t->words, uint64_t);
    bits_foreach(n, t->in_play, t->words)
        side_add(s, x, topo, n);
    return x;
}

void sides_node(struct sched *s, node_id n, int sign)
{
    struct terms *t = s->terms;
    for (uint32_t i = 0; i < t->nsides; i++)
        if (t->sides[i].used) {
            if (sign > 0)
                side_add(s, &t->sides[i], i, n);
            else
                side_remove(s, &t->sides[i], i, n);
        }
}

static void *longer(void *p, size_t old_bytes, size_t bytes)
{
    char *grown = xrealloc(p, bytes);
    memset(grown + old_bytes, 0, bytes - old_bytes);
    return grown;
}

void sides_grown(struct terms *t, uint32_t words)
{
    size_t old = t->words;
    for (uint32_t i = 0; i < t->nsides; i++) {
        struct side *x = &t->sides[i];
        if (!x->used)
            continue;
        x->next = longer(x->next, old * 64 * sizeof *x->next, (size_t)words * 64 * sizeof *x->next);
        x->prev = longer(x->prev, old * 64 * sizeof *x->prev, (size_t)words * 64 * sizeof *x->prev);
        x->has = longer(x->has, old * sizeof *x->has, words * sizeof *x->has);
        if (!x->where)
            continue;
        uint64_t *where = xarray((size_t)SIDE_FEW * words, uint64_t);
        for (uint32_t d = 0; d < SIDE_FEW; d++)
            memcpy(where + (size_t)d * words, x->where + d * old, old * sizeof *where);
        free(x->where);
        x->where = where;
    }
}

static bool any_common(const uint64_t *a, const uint64_t *b, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++)
        if (a[w] & b[w])
            return true;
    return false;
}

/* By marks, for topologies of many domains with several nodes each. */
static uint32_t count_by_marks(const struct topo *topo, const struct side *x, const uint64_t *nodes, uint32_t words)
{
    uint64_t *seen = xarray((topo->ndomains + 63) / 64, uint64_t);
    uint32_t found = 0;
    for (uint32_t w = 0; w < words; w++)
        for (uint64_t bits = nodes[w] & x->has[w]; bits; bits &= bits - 1) {
            uint32_t d = topo->domain[w * 64 + (uint32_t)__builtin_ctzll(bits)];
            found += !bit_get(seen, d);
            bit_set(seen, d);
        }
    free(seen);
    return found;
}

uint32_t side_domains(const struct sched *s, uint32_t topo, const uint64_t *nodes)
{
    const struct side *x = side_of(s, topo);
    const struct topo *t = &s->topos[topo];
    uint32_t words = words_used(&s->view), found = 0;
    if (x->where) {
        for (uint32_t d = 1; d < t->ndomains; d++)
            found += any_common(x->where + (size_t)d * s->terms->words, nodes, words);
    } else if (x->nshared == 0) {
        for (uint32_t w = 0; w < words; w++)
            found += (uint32_t)__builtin_popcountll(nodes[w] & x->has[w]);
    } else {
        found = count_by_marks(t, x, nodes, words);
    }
    for (uint32_t w = 0; w < words; w++)
        if (nodes[w] & ~x->has[w])
            return found + 1;
    return found;
}

/* --- cells --------------------------------------------------------------------------------------------------------------------------- */
static struct cell *cell_find(const struct tally *t, uint32_t domain)
{
    uint32_t mask = t->ncells - 1, i = tally_hash(domain, mask);
    while (t->cells[i].count && t->cells[i].domain != domain)
        i = (i + 1) & mask;
    return &t->cells[i];
}

uint32_t tally_get_sparse(const struct tally *t, uint32_t domain)
{
    return cell_find(t, domain)->count;
}

static void cells_grow(struct tally *t)
{
    struct cell *old = t->cells;
    uint32_t n = t->ncells;
    t->ncells = n ? n * 2 : 8;
    t->cells = xarray(t->ncells, struct cell);
    for (uint32_t i = 0; i < n; i++)
        if (old[i].count)
            *cell_find(t, old[i].domain) = old[i];
    free(old);
}

/* Closes the hole: what stands behind it moves up when its own place is at or before it. */
static void cell_remove(struct tally *t, struct cell *c)
{
    uint32_t mask = t->ncells - 1, hole = (uint32_t)(c - t->cells);
    c->count = 0;
    for (uint32_t i = (hole + 1) & mask; t->cells[i].count; i = (i + 1) & mask) {
        uint32_t want = tally_hash(t->cells[i].domain, mask);
        if (((i - want) & mask) >= ((i - hole) & mask)) {
            t->cells[hole] = t->cells[i];
            t->cells[i].count = 0;
            hole = i;
        }
    }
}

/* --- the minimum --------------------------------------------------------------------------------------------------------------------- */
static void min_take(struct tally *t, uint32_t count)
{
    if (count < t->min) {
        t->min = count;
        t->nmin = 1;
    } else if (count == t->min) {
        t->nmin++;
    }
}

static void min_search(struct tally *t)
{
    t->min = UINT32_MAX;
    t->nmin = 0;
    if (t->count) {
        for (uint32_t d = 0; d < t->cap; d++)
            if (t->count[d])
                min_take(t, t->count[d]);
    } else {
        for (uint32_t i = 0; i < t->ncells; i++)
            if (t->cells[i].count)
                min_take(t, t->cells[i].count);
    }
}

static void min_moved(struct tally *t, uint32_t old, uint32_t now)
{
    if (old && old == t->min)
        t->nmin--;
    if (now)
        min_take(t, now);
    if (t->nmin == 0)
        min_search(t);
}

void tally_keep_min(struct tally *t)
{
    if (t->keeps_min)
        return;
    t->keeps_min = true;
    min_search(t);
}

uint32_t tally_min(const struct tally *t, int32_t min_domains)
{
    uint32_t ndomains = t->scope->ndomains;
    return ndomains < (uint32_t)min_domains || t->nonzero < ndomains ? 0 : t->min;
}

/* --- counting ------------------------------------------------------------------------------------------------------------------------ */
static void occupy(const struct sched *s, struct tally *t, uint32_t domain, bool on)
{
    const struct side *x = side_of(s, t->topo);
    for (uint32_t n = side_first(x, domain); n; n = x->next[n - 1])
        bit_put(t->occupied, n - 1, on);
}

static uint32_t size_of(const struct sched *s, const struct tally *t)
{
    return t->by_node ? s->terms->words * 64 : s->topos[t->topo].ndomains;
}

static void dense_grow(struct tally *t, uint32_t size)
{
    if (size <= t->cap)
        return;
    uint32_t now = t->by_node ? size : MAX(size, t->cap * 2);
    t->count = longer(t->count, t->cap * sizeof *t->count, now * sizeof *t->count);
    t->cap = now;
}

void tally_make_dense(struct sched *s, struct tally *t)
{
    if (t->count)
        return;
    dense_grow(t, MAX(size_of(s, t), 1u));
    if (t->kind != TALLY_SPREAD)
        t->occupied = xarray(s->terms->words, uint64_t);
    for (uint32_t i = 0; i < t->ncells; i++)
        if (t->cells[i].count) {
            t->count[t->cells[i].domain] = t->cells[i].count;
            if (t->occupied)
                occupy(s, t, t->cells[i].domain, true);
        }
    free(t->cells);
    t->cells = NULL;
    t->ncells = 0;
}

void tally_add(struct sched *s, struct tally *t, node_id n, int32_t by)
{
    if (t->scope && !bit_get(t->scope->ok, n))
        return;
    uint32_t d = t->by_node ? n : s->topos[t->topo].domain[n], old, now;
    if (d == 0 && !t->by_node)
        return;
    if (!t->count && (size_of(s, t) <= SIDE_FEW || (t->nonzero + 1) * 16 > size_of(s, t)))
        tally_make_dense(s, t);
    if (t->count) {
        dense_grow(t, d + 1);
        old = t->count[d];
        now = t->count[d] = old + (uint32_t)by;
    } else {
        if ((t->nonzero + 1) * 2 > t->ncells)
            cells_grow(t);
        struct cell *c = cell_find(t, d);
        old = c->count;
        now = old + (uint32_t)by;
        if (now)
            *c = (struct cell){d, now};
        else if (old)
            cell_remove(t, c);
    }
    BUG_ON(by < 0 ? now > old : now < old);
    if (!old != !now) {
        t->nonzero += now ? 1 : -1u;
        if (t->occupied)
            occupy(s, t, d, now != 0);
    }
    if (t->keeps_min)
        min_moved(t, old, now);
}

static void fill_lset(struct sched *s, struct lset *x, void *arg)
{
    struct tally *t = arg;
    for (pod_id p = x->first; p; p = s->terms->link[p].next) {
        const struct pod *pod = &s->pods[p];
        if (bit_get(s->terms->in_play, pod->node) && !(t->kind == TALLY_SPREAD && pod->state == PS_TERMINATING))
            tally_add(s, t, pod->node, 1);
    }
}

struct tally *tally_new(struct sched *s, enum tally_kind kind, struct matcher *m, uint32_t topo, struct scope *scope, bool by_node)
{
    struct tally *t = xnew(struct tally);
    *t = (struct tally){.refs = 1, .kind = (uint8_t)kind, .by_node = by_node, .topo = topo, .matcher = m, .scope = scope};
    t->id = slots_put(&s->terms->tallies, t);
    m->refs++;
    side_use(s, topo);
    if (kind == TALLY_SPREAD)
        s->terms->nlive++;
    return t;
}

struct tally *tally_ref(struct sched *s, enum tally_kind kind, struct matcher *m, uint32_t topo, struct scope *scope, bool by_node)
{
    for (size_t i = 0; i < m->tallies.len; i++) {
        struct tally *t = m->tallies.p[i];
        if (t->kind == kind && t->topo == topo && t->scope == scope && t->by_node == by_node) {
            t->refs++;
            scope_unref(s->terms, scope);
            return t;
        }
    }
    struct tally *t = tally_new(s, kind, m, topo, scope, by_node);
    vec_push(&m->tallies, t);
    matcher_lsets(s, m, fill_lset, t);
    return t;
}

void tally_free(struct tally *t)
{
    free(t->count);
    free(t->occupied);
    free(t->cells);
    free(t);
}

void tally_unref(struct sched *s, struct tally *t)
{
    if (--t->refs)
        return;
    struct matcher *m = t->matcher;
    for (size_t i = 0; i < m->tallies.len; i++)
        if (m->tallies.p[i] == t) {
            vec_remove_swap(&m->tallies, i);
            break;
        }
    if (t->kind == TALLY_SPREAD)
        s->terms->nlive--;
    scope_unref(s->terms, t->scope);
    slots_remove(&s->terms->tallies, t->id);
    tally_free(t);
    matcher_unref(s, m);
}

void tallies_node(struct sched *s, node_id n, int sign)
{
    slots_each(struct tally, t, &s->terms->tallies)
    {
        if (!t->count)
            continue;
        if (sign > 0)
            dense_grow(t, size_of(s, t));
        if (t->occupied)
            bit_put(t->occupied, n, sign > 0 && t->count[s->topos[t->topo].domain[n]]);
    }
}

void tallies_grown(struct terms *t, uint32_t words)
{
    slots_each(struct tally, x, &t->tallies)
    {
        if (x->occupied)
            x->occupied = longer(x->occupied, t->words * sizeof *x->occupied, words * sizeof *x->occupied);
        if (x->count && x->by_node)
            dense_grow(x, words * 64);
    }
}

/* --- filters ------------------------------------------------------------------------------------------------------------------------- */
static void drop_domain(const struct side *x, uint32_t domain, uint64_t *fits)
{
    for (uint32_t n = side_first(x, domain); n; n = x->next[n - 1])
        bit_clear(fits, n - 1);
}

void tally_drop(const struct sched *s, const struct tally *t, uint64_t *fits)
{
    if (t->nonzero == 0)
        return;
    if (!t->count) {
        tally_drop_over(s, t, 0, fits);
        return;
    }
    for (uint32_t w = 0, words = words_used(&s->view); w < words; w++)
        fits[w] &= ~t->occupied[w];
}

void tally_keep(const struct sched *s, const struct tally *t, uint64_t *fits)
{
    DEBUG_ON(!t->count);
    for (uint32_t w = 0, words = words_used(&s->view); w < words; w++)
        fits[w] &= t->occupied[w];
}

void tally_drop_over(const struct sched *s, const struct tally *t, uint32_t limit, uint64_t *fits)
{
    const struct side *x = side_of(s, t->topo);
    uint32_t words = words_used(&s->view);
    if (!t->count) {
        for (uint32_t i = 0; i < t->ncells; i++)
            if (t->cells[i].count > limit)
                drop_domain(x, t->cells[i].domain, fits);
        return;
    }
    if (x->where) {
        for (uint32_t d = 1; d < MIN(t->cap, SIDE_FEW); d++)
            if (t->count[d] > limit)
                for (uint32_t w = 0; w < words; w++)
                    fits[w] &= ~x->where[(size_t)d * s->terms->words + w];
        return;
    }
    const uint32_t *domain = s->topos[t->topo].domain, *count = t->count;
    for (uint32_t w = 0; w < words; w++, domain += 64) {
        uint64_t over = 0;
        if (fits[w])
            for (uint32_t i = 0; i < 64; i++)
                over |= (uint64_t)(count[domain[i]] > limit) << i;
        fits[w] &= ~over;
    }
}
