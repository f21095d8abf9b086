/* reach.c - see reach.h.
 *
 * The key of a set is what it was made from, written out in symbols: 'T' terms or 'Z' zone rules.  A term of one label requirement with one value
 * becomes a domain set instead of a bitmap. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/reach.h"

#include "base/err.h"
#include "sched/engine/select.h"

const str zone_keys[ZONE_KEYS] = {STR_INIT("failure-domain.beta.kubernetes.io/zone"), STR_INIT("failure-domain.beta.kubernetes.io/region"),
                                  STR_INIT("topology.kubernetes.io/zone"), STR_INIT("topology.kubernetes.io/region")};

struct reach {
    uint32_t refs;
    str key;
    bool is_domain;
    uint32_t topo;   /* index in s->topos */
    sym_t value;
    uint32_t domain; /* of that value as last looked up; by questions, which the writer alone asks: classes with claims are cross-node */
    uint64_t *bits; /* [view.words], unless is_domain */
    uint32_t slot;  /* in reaches.bitmaps */
    struct node_term *terms;
    uint32_t nterms;
    struct zone_rule *zones;
    uint32_t nzones;
    sym_t any_zone[ZONE_KEYS];
    struct arena arena;
};

void reaches_fini(struct reaches *r)
{
    BUG_ON(r->by_key.len != 0);
    map_fini(&r->by_key);
    vec_fini(&r->bitmaps);
    strbuf_fini(&r->key);
}

/* --- keys ------------------------------------------------------------------------------------------------------------------------ */
static void put(struct strbuf *b, int64_t v)
{
    strbuf_add(b, &v, sizeof v);
}

static void put_req(struct sched *s, struct strbuf *b, const struct spec_requirement *r)
{
    put(b, symbol(&s->sym, r->key));
    put(b, r->op);
    put(b, (int64_t)r->nvalues);
    for (size_t i = 0; i < r->nvalues; i++)
        put(b, symbol(&s->sym, r->values[i]));
}

static void make_terms_key(struct sched *s, struct strbuf *b, const struct spec_node_term *terms, size_t n)
{
    strbuf_clear(b);
    strbuf_add_char(b, 'T');
    for (size_t i = 0; i < n; i++) {
        put(b, terms[i].labels.none);
        put(b, (int64_t)terms[i].labels.n);
        for (size_t j = 0; j < terms[i].labels.n; j++)
            put_req(s, b, &terms[i].labels.p[j]);
        put(b, (int64_t)terms[i].nfields);
        for (size_t j = 0; j < terms[i].nfields; j++)
            put_req(s, b, &terms[i].fields[j]);
    }
}

static void make_zones_key(struct strbuf *b, const struct zone_rule *rules, uint32_t n)
{
    strbuf_clear(b);
    strbuf_add_char(b, 'Z');
    for (uint32_t i = 0; i < n; i++) {
        put(b, rules[i].key);
        put(b, rules[i].other);
        put(b, rules[i].nvalues);
        strbuf_add(b, rules[i].values, rules[i].nvalues * sizeof(sym_t));
    }
}

/* --- one node ------------------------------------------------------------------------------------------------------------------------- */
static bool zone_obeyed(struct labelset labels, const struct zone_rule *rule)
{
    bool has;
    sym_t value = labelset_get(labels, rule->key, &has);
    if (!has)
        value = labelset_get(labels, rule->other, &has);
    for (uint32_t i = 0; has && i < rule->nvalues; i++)
        if (rule->values[i] == value)
            return true;
    return false;
}

static bool zones_match(const struct sched *s, const struct reach *x, node_id n)
{
    struct labelset labels = s->nodes[n].labels;
    bool has = false;
    for (size_t i = 0; i < ZONE_KEYS && !has; i++)
        labelset_get(labels, x->any_zone[i], &has);
    /* a cluster of one zone need not label its nodes */
    for (uint32_t i = 0; has && i < x->nzones; i++)
        if (!zone_obeyed(labels, &x->zones[i]))
            return false;
    return true;
}

static bool evaluate(const struct sched *s, const struct reach *x, node_id n)
{
    if (x->nzones)
        return zones_match(s, x, n);
    for (uint32_t i = 0; i < x->nterms; i++)
        if (node_term_matches(s, &x->terms[i], n))
            return true;
    return false;
}

/* --- making ------------------------------------------------------------------------------------------------------------------------------ */
static struct reach *find(struct reaches *r)
{
    struct reach *x = map_get(&r->by_key, strbuf_str(&r->key));
    if (x)
        x->refs++;
    return x;
}

static struct reach *add(struct reaches *r)
{
    struct reach *x = xnew(struct reach);
    x->arena = ARENA_SMALL(256);
    x->refs = 1;
    x->key = arena_str(&x->arena, strbuf_str(&r->key));
    map_put(&r->by_key, x->key, x);
    return x;
}

static void add_bitmap(struct sched *s, struct reaches *r, struct reach *x)
{
    x->bits = xarray(s->view.words, uint64_t);
    x->slot = (uint32_t)r->bitmaps.len;
    vec_push(&r->bitmaps, x);
    bits_foreach(n, s->alive, s->view.words)
        bit_put(x->bits, n, evaluate(s, x, n));
}

/* Is it one label requirement with one value, under a topology that exists or that there is room for? */
static bool try_domain(struct sched *s, struct reach *x, const struct spec_node_term *terms, size_t n)
{
    if (n != 1 || terms[0].nfields || terms[0].labels.none || terms[0].labels.n != 1)
        return false;
    const struct spec_requirement *r = &terms[0].labels.p[0];
    if (r->op != OP_IN || r->nvalues != 1)
        return false;
    sym_t key = symbol(&s->sym, r->key);
    bool known = false;
    for (uint32_t i = 0; i < s->ntopos && !known; i++)
        known = s->topos[i].key == key;
    if (!known && s->ntopos >= REACH_TOPOLOGIES)
        return false;
    x->is_domain = true;
    x->topo = model_topology(s, key);
    x->value = symbol(&s->sym, r->values[0]);
    return true;
}

struct reach *reach_get(struct sched *s, struct reaches *r, const struct spec_node_term *terms, size_t n)
{
    make_terms_key(s, &r->key, terms, n);
    struct reach *x = find(r);
    if (x)
        return x;
    x = add(r);
    if (try_domain(s, x, terms, n))
        return x;
    x->terms = arena_array(&x->arena, n, struct node_term);
    x->nterms = (uint32_t)n;
    for (size_t i = 0; i < n; i++)
        node_term_compile(s, &x->arena, &terms[i], &x->terms[i]);
    add_bitmap(s, r, x);
    return x;
}

struct reach *reach_get_zones(struct sched *s, struct reaches *r, const struct zone_rule *rules, uint32_t n)
{
    make_zones_key(&r->key, rules, n);
    struct reach *x = find(r);
    if (x)
        return x;
    x = add(r);
    x->zones = arena_array(&x->arena, n, struct zone_rule);
    x->nzones = n;
    for (uint32_t i = 0; i < n; i++) {
        sym_t *values = arena_array(&x->arena, rules[i].nvalues, sym_t);
        memcpy(values, rules[i].values, rules[i].nvalues * sizeof *values);
        x->zones[i] = rules[i];
        x->zones[i].values = values;
    }
    for (size_t i = 0; i < ZONE_KEYS; i++)
        x->any_zone[i] = symbol(&s->sym, zone_keys[i]);
    add_bitmap(s, r, x);
    return x;
}

void reach_unref(struct reaches *r, struct reach *x)
{
    if (!x || --x->refs)
        return;
    map_del(&r->by_key, x->key);
    if (x->bits) {
        r->bitmaps.p[r->bitmaps.len - 1]->slot = x->slot;
        vec_remove_swap(&r->bitmaps, x->slot);
    }
    free(x->bits);
    arena_fini(&x->arena);
    free(x);
}

void reaches_node(struct sched *s, struct reaches *r, node_id n, int sign)
{
    for (size_t i = 0; i < r->bitmaps.len; i++)
        bit_put(r->bitmaps.p[i]->bits, n, sign > 0 && evaluate(s, r->bitmaps.p[i], n));
}

void reaches_grown(struct sched *s, struct reaches *r, uint32_t old_words)
{
    for (size_t i = 0; i < r->bitmaps.len; i++) {
        struct reach *x = r->bitmaps.p[i];
        x->bits = xrealloc(x->bits, s->view.words * sizeof *x->bits);
        memset(x->bits + old_words, 0, (s->view.words - old_words) * sizeof *x->bits);
    }
}

/* --- asking ---------------------------------------------------------------------------------------------------------------------------------- */
bool reach_has(const struct sched *s, const struct reach *x, node_id n)
{
    if (!x)
        return true;
    if (!x->is_domain)
        return bit_get(x->bits, n);
    const struct topo *t = &s->topos[x->topo];
    return t->domain[n] && t->value[t->domain[n]] == x->value;
}

/* The domain of the set, 0 when no node has it.  Numbers of domains without nodes are given out again. */
static uint32_t domain_of(const struct sched *s, const struct topo *t, const struct reach *x)
{
    uint32_t d = x->domain;
    if (d && t->nnodes[d] && t->value[d] == x->value)
        return d;
    d = (uint32_t)(uintptr_t)map_get(&t->by_value, symbol_text(&s->sym, x->value));
    return ((struct reach *)x)->domain = d;
}

/* The only node of a domain when it has the domain's value as its name (a hostname, that is); NODE_NONE: cannot say. */
static node_id lone_node(const struct sched *s, const struct topo *t, uint32_t d)
{
    if (t->nnodes[d] != 1)
        return NODE_NONE;
    uintptr_t found = (uintptr_t)map_get(&s->node_by_name, symbol_text(&s->sym, t->value[d]));
    return found && t->domain[found - 1] == d ? (node_id)(found - 1) : NODE_NONE;
}

static uint64_t domain_word(const struct topo *t, uint32_t d, uint32_t w)
{
    const uint32_t *p = t->domain + (size_t)w * 64;
    uint8_t same[64];
    for (uint32_t i = 0; i < 64; i++)
        same[i] = p[i] == d;
    return bytes_to_bits(same);
}

void reach_and(const struct sched *s, const struct reach *x, uint64_t *nodes)
{
    uint32_t words = s->view.words;
    if (!x)
        return;
    if (!x->is_domain) {
        for (uint32_t w = 0; w < words; w++)
            nodes[w] &= x->bits[w];
        return;
    }
    const struct topo *t = &s->topos[x->topo];
    uint32_t d = domain_of(s, t, x);
    node_id lone = d ? lone_node(s, t, d) : NODE_NONE;
    if (!d || lone != NODE_NONE) {
        bool keep = d && bit_get(nodes, lone);
        memset(nodes, 0, words * sizeof *nodes);
        if (keep)
            bit_set(nodes, lone);
        return;
    }
    for (uint32_t w = 0; w < words; w++)
        if (nodes[w])
            nodes[w] &= domain_word(t, d, w);
}

void reach_or(const struct sched *s, const struct reach *x, uint64_t *nodes)
{
    uint32_t words = s->view.words;
    if (!x || !x->is_domain) {
        const uint64_t *from = x ? x->bits : s->alive;
        for (uint32_t w = 0; w < words; w++)
            nodes[w] |= from[w];
        return;
    }
    const struct topo *t = &s->topos[x->topo];
    uint32_t d = domain_of(s, t, x);
    node_id lone = d ? lone_node(s, t, d) : NODE_NONE;
    if (lone != NODE_NONE)
        bit_set(nodes, lone);
    for (uint32_t w = 0; d && lone == NODE_NONE && w < words; w++)
        nodes[w] |= domain_word(t, d, w);
}

void reach_union_add(const struct sched *s, struct reach_union *u, const struct reach *x, uint64_t *nodes)
{
    if (!x || !x->is_domain || (u->domains_ && u->topo_ != x->topo)) {
        reach_or(s, x, nodes);
        return;
    }
    const struct topo *t = &s->topos[x->topo];
    if (!u->domains_) {
        u->domains_ = xarray((t->ndomains + 63) / 64, uint64_t);
        u->topo_ = x->topo;
    }
    uint32_t d = domain_of(s, t, x);
    if (d)
        bit_set(u->domains_, d);
}

void reach_union_end(const struct sched *s, struct reach_union *u, uint64_t *nodes)
{
    if (!u->domains_)
        return;
    const struct topo *t = &s->topos[u->topo_];
    for (uint32_t w = 0; w < s->view.words; w++) { /* domain 0 is never asked for */
        uint64_t bits = 0;
        for (uint32_t i = 0; i < 64; i++)
            bits |= (uint64_t)bit_get(u->domains_, t->domain[w * 64 + i]) << i;
        nodes[w] |= bits;
    }
    free(u->domains_);
    u->domains_ = NULL;
}

int reaches_check(const struct sched *s, const struct reaches *r, struct err *err)
{
    for (size_t i = 0; i < r->bitmaps.len; i++) {
        const struct reach *x = r->bitmaps.p[i];
        for (node_id n = 0; n < s->view.words * 64; n++)
            if (bit_get(x->bits, n) != (node_is_alive(s, n) && evaluate(s, x, n)))
                return err_set(err, E_INTERNAL, "storage: the set of nodes that a volume reaches is wrong for node slot %u", n);
    }
    return 0;
}
