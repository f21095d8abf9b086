/* terms_match.c - label sets and matchers, interned, and who matches whom, decided once.
 *
 * Comparing every new label set with every matcher would be quadratic in the number of workloads.  Nearly every selector asks for some label to
 * have one of a few values, so both sides are filed under (namespace, key, value): a matcher under the values of one such requirement in
 * each of its namespaces (or in ANY_NS, when it has a namespace selector), a label set under each of its labels in its own namespace and in
 * ANY_NS.  Who may match then meets in exactly one bucket; matchers without such a requirement are "wild" and compared with all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"
#include "sched/engine/terms_types.h"

#define ANY_NS UINT32_MAX

struct entry {
    struct lset *lset;
    uint32_t filing; /* index in its filings */
};
struct bucket {
    sym_t key[3]; /* namespace, label key, label value */
    VEC(struct matcher *) matchers;
    VEC(struct entry) lsets;
};

static str bytes_of(const void *p, size_t len)
{
    return str_n(p, len);
}

static struct bucket *bucket_find(struct terms *t, sym_t ns, sym_t key, sym_t value, bool make)
{
    sym_t k[3] = {ns, key, value};
    struct bucket *b = map_get(&t->buckets, bytes_of(k, sizeof k));
    if (!b && make) {
        b = xnew(struct bucket);
        memcpy(b->key, k, sizeof k);
        map_put(&t->buckets, bytes_of(b->key, sizeof b->key), b);
    }
    return b;
}

static void bucket_trim(struct terms *t, struct bucket *b)
{
    if (b->matchers.len || b->lsets.len)
        return;
    map_del(&t->buckets, bytes_of(b->key, sizeof b->key));
    vec_fini(&b->matchers);
    vec_fini(&b->lsets);
    free(b);
}

/* --- deciding ------------------------------------------------------------------------------------------------------------------------ */
static bool ns_matches(const struct sched *s, const struct part *p, sym_t ns)
{
    for (uint32_t i = 0; i < p->nns; i++)
        if (p->ns[i] == ns)
            return true;
    if (!p->by_ns_labels)
        return false;
    /* a namespace that is not known has no labels */
    const struct ns_info *info = map_get(&s->namespaces, symbol_text(&s->sym, ns));
    return sel_matches(s, &p->ns_sel, info ? info->labels : (struct labelset){NULL, 0});
}

bool matcher_decides(const struct sched *s, const struct matcher *m, sym_t ns, struct labelset labels)
{
    for (uint32_t i = 0; i < m->nparts; i++)
        if (!sel_matches(s, &m->parts[i].sel, labels) || !ns_matches(s, &m->parts[i], ns))
            return false;
    return true;
}

bool lset_matches(const struct lset *x, const struct matcher *m)
{
    for (size_t i = 0; i < x->matchers.len; i++)
        if (x->matchers.p[i] == m)
            return true;
    return false;
}

static void lset_note(const struct sched *s, struct lset *x, struct matcher *m)
{
    if (!matcher_decides(s, m, x->ns, x->labels))
        return;
    vec_push(&x->matchers, m);
    m->nlsets++;
}

/* --- label sets ---------------------------------------------------------------------------------------------------------------------- */
static void lset_file(struct sched *s, struct lset *x)
{
    struct terms *t = s->terms;
    x->filings = xarray(2 * x->labels.n, struct filing);
    for (uint32_t i = 0; i < 2 * x->labels.n; i++) {
        const struct label *l = &x->labels.p[i / 2];
        struct bucket *b = bucket_find(t, i % 2 ? x->ns : ANY_NS, l->key, l->value, true);
        x->filings[i] = (struct filing){b, (uint32_t)b->lsets.len};
        vec_push(&b->lsets, (struct entry){x, i});
        for (size_t k = 0; k < b->matchers.len; k++)
            lset_note(s, x, b->matchers.p[k]);
    }
    for (size_t k = 0; k < t->wild.len; k++)
        lset_note(s, x, t->wild.p[k]);
}

struct lset *lset_ref(struct sched *s, sym_t ns, struct labelset labels)
{
    struct terms *t = s->terms;
    size_t bytes = (labels.n + 1) * sizeof(struct label);
    struct label *key = xmalloc(bytes);
    key[0] = (struct label){ns, labels.n};
    if (labels.n)
        memcpy(key + 1, labels.p, labels.n * sizeof *key);
    struct lset *x = map_get(&t->lset_by_key, bytes_of(key, bytes));
    if (x) {
        free(key);
        x->refs++;
        return x;
    }
    x = xnew(struct lset);
    *x = (struct lset){.refs = 1, .key = key, .ns = ns, .labels = {key + 1, labels.n}};
    x->id = slots_put(&t->lsets, x);
    map_put(&t->lset_by_key, bytes_of(key, bytes), x);
    lset_file(s, x);
    return x;
}

static void lset_free(struct lset *x)
{
    vec_fini(&x->matchers);
    free(x->filings);
    free(x->key);
    free(x);
}

void lset_unref(struct sched *s, struct lset *x)
{
    struct terms *t = s->terms;
    if (--x->refs)
        return;
    for (uint32_t i = 0; i < 2 * x->labels.n; i++) {
        struct bucket *b = x->filings[i].bucket;
        uint32_t at = x->filings[i].at;
        vec_remove_swap(&b->lsets, at);
        if (at < b->lsets.len)
            b->lsets.p[at].lset->filings[b->lsets.p[at].filing].at = at;
        bucket_trim(t, b);
    }
    for (size_t i = 0; i < x->matchers.len; i++)
        x->matchers.p[i]->nlsets--;
    map_del(&t->lset_by_key, bytes_of(x->key, (x->labels.n + 1) * sizeof *x->key));
    slots_remove(&t->lsets, x->id);
    lset_free(x);
}

/* --- matchers ------------------------------------------------------------------------------------------------------------------------ */
static int sym_cmp(const void *pa, const void *pb)
{
    sym_t a = *(const sym_t *)pa, b = *(const sym_t *)pb;
    return a < b ? -1 : a > b;
}

static int req_cmp(const void *pa, const void *pb)
{
    const struct req *a = pa, *b = pb;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    if (a->op != b->op)
        return a->op < b->op ? -1 : 1;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->nvalues != b->nvalues)
        return a->nvalues < b->nvalues ? -1 : 1;
    return a->nvalues ? memcmp(a->values, b->values, a->nvalues * sizeof *a->values) : 0;
}

static void sel_put(struct strbuf *b, const struct sel *sel)
{
    uint32_t head[2] = {sel->none, sel->n};
    strbuf_add(b, head, sizeof head);
    for (uint32_t i = 0; i < sel->n; i++) {
        const struct req *r = &sel->p[i];
        int64_t nums[4] = {r->key, r->op, r->nvalues, r->number};
        strbuf_add(b, nums, sizeof nums);
        strbuf_add(b, r->values, r->nvalues * sizeof *r->values);
    }
}

static void sel_make(struct sched *s, struct arena *a, const struct spec_selector *from, struct sel *ret)
{
    sel_compile(s, a, from, ret);
    if (ret->n > 1)
        qsort(ret->p, ret->n, sizeof *ret->p, req_cmp);
}

static void part_make(struct sched *s, struct arena *a, const struct spec_pod_term *from, sym_t own_ns, struct part *ret)
{
    sel_make(s, a, &from->selector, &ret->sel);
    ret->ns = arena_array(a, from->nnamespaces + 1, sym_t);
    for (size_t i = 0; i < from->nnamespaces; i++)
        ret->ns[ret->nns++] = symbol(&s->sym, from->namespaces[i]);
    if (from->nnamespaces == 0 && !from->has_namespace_selector)
        ret->ns[ret->nns++] = own_ns;
    if (ret->nns > 1)
        qsort(ret->ns, ret->nns, sizeof *ret->ns, sym_cmp);
    uint32_t kept = ret->nns ? 1 : 0;
    for (uint32_t i = 1; i < ret->nns; i++)
        if (ret->ns[i] != ret->ns[kept - 1])
            ret->ns[kept++] = ret->ns[i];
    ret->nns = kept;
    ret->by_ns_labels = from->has_namespace_selector && !from->namespace_selector.none;
    if (ret->by_ns_labels)
        sel_make(s, a, &from->namespace_selector, &ret->ns_sel);
}

static str part_text(struct arena *a, const struct part *p)
{
    struct strbuf b = strbuf_on(a);
    uint32_t head[2] = {p->by_ns_labels, p->nns};
    strbuf_add(&b, head, sizeof head);
    strbuf_add(&b, p->ns, p->nns * sizeof *p->ns);
    sel_put(&b, &p->sel);
    if (p->by_ns_labels)
        sel_put(&b, &p->ns_sel);
    return strbuf_str(&b);
}

/* Parts in the order of their bytes, none twice; the key is all these bytes. */
static str parts_make(struct sched *s, struct arena *a, const struct spec_pod_term *terms, size_t n, sym_t ns, struct part **ret, uint32_t *ret_n)
{
    struct part *parts = arena_array(a, n, struct part);
    str *texts = arena_array(a, n, str);
    uint32_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        struct part p = {0};
        part_make(s, a, &terms[i], ns, &p);
        str text = part_text(a, &p);
        uint32_t at = 0;
        while (at < kept && str_cmp(texts[at], text) < 0)
            at++;
        if (at < kept && str_eq(texts[at], text))
            continue;
        memmove(&parts[at + 1], &parts[at], (kept - at) * sizeof *parts);
        memmove(&texts[at + 1], &texts[at], (kept - at) * sizeof *texts);
        parts[at] = p;
        texts[at] = text;
        kept++;
    }
    struct strbuf key = strbuf_on(a);
    for (uint32_t i = 0; i < kept; i++)
        strbuf_add_str(&key, texts[i]);
    *ret = parts;
    *ret_n = kept;
    return strbuf_str(&key);
}

/* Calls fn with every bucket that the matcher belongs in; false: it is wild.  One that asks for one of no values is in none. */
static bool each_bucket(struct terms *t, struct matcher *m, bool make, void (*fn)(struct terms *t, struct bucket *b, struct matcher *m, void *arg), void *arg)
{
    for (uint32_t i = 0; i < m->nparts; i++) {
        const struct part *p = &m->parts[i];
        if (p->sel.none)
            return true;
        for (uint32_t k = 0; k < p->sel.n; k++) {
            const struct req *r = &p->sel.p[k];
            if (r->op != OP_IN)
                continue;
            for (uint32_t v = 0; v < r->nvalues; v++) {
                if (v && r->values[v] == r->values[v - 1])
                    continue;
                for (uint32_t ns = 0; ns < (p->by_ns_labels ? 1 : p->nns); ns++) {
                    struct bucket *b = bucket_find(t, p->by_ns_labels ? ANY_NS : p->ns[ns], r->key, r->values[v], make);
                    if (b)
                        fn(t, b, m, arg);
                }
            }
            return true;
        }
    }
    return false;
}

static void pointer_remove(struct matcher **p, size_t *len, const struct matcher *m)
{
    for (size_t i = 0; i < *len; i++)
        if (p[i] == m) {
            p[i] = p[--*len];
            return;
        }
}

static void bucket_add(struct terms *t, struct bucket *b, struct matcher *m, void *arg)
{
    (void)t;
    (void)arg;
    vec_push(&b->matchers, m);
}

static void bucket_remove(struct terms *t, struct bucket *b, struct matcher *m, void *arg)
{
    (void)arg;
    pointer_remove(b->matchers.p, &b->matchers.len, m);
    bucket_trim(t, b);
}

struct found {
    VEC(struct lset *) lsets;
};

static void bucket_collect(struct terms *t, struct bucket *b, struct matcher *m, void *arg)
{
    (void)t;
    (void)m;
    struct found *f = arg;
    for (size_t i = 0; i < b->lsets.len; i++)
        vec_push(&f->lsets, b->lsets.p[i].lset);
}

/* Those that may match, each once. */
static void candidates(struct terms *t, struct matcher *m, struct found *f)
{
    if (!each_bucket(t, m, false, bucket_collect, f))
        slots_each(struct lset, x, &t->lsets)
            vec_push(&f->lsets, x);
}

void matcher_lsets(struct sched *s, struct matcher *m, void (*fn)(struct sched *s, struct lset *x, void *arg), void *arg)
{
    struct found f = {0};
    candidates(s->terms, m, &f);
    for (size_t i = 0; i < f.lsets.len; i++)
        if (lset_matches(f.lsets.p[i], m))
            fn(s, f.lsets.p[i], arg);
    vec_fini(&f.lsets);
}

static void matcher_file(struct sched *s, struct matcher *m)
{
    struct terms *t = s->terms;
    if (!each_bucket(t, m, true, bucket_add, NULL))
        vec_push(&t->wild, m);
    if (m->by_ns_labels)
        vec_push(&t->by_ns, m);
    struct found f = {0};
    candidates(t, m, &f);
    for (size_t i = 0; i < f.lsets.len; i++)
        lset_note(s, f.lsets.p[i], m);
    vec_fini(&f.lsets);
}

struct matcher *matcher_ref(struct sched *s, const struct spec_pod_term *terms, size_t n, sym_t ns)
{
    struct terms *t = s->terms;
    struct matcher *m = xnew(struct matcher);
    m->arena = ARENA_SMALL(512);
    m->key = parts_make(s, &m->arena, terms, n, ns, &m->parts, &m->nparts);
    struct matcher *known = map_get(&t->matcher_by_key, m->key);
    if (known) {
        arena_fini(&m->arena);
        free(m);
        known->refs++;
        return known;
    }
    m->refs = 1;
    for (uint32_t i = 0; i < m->nparts; i++)
        m->by_ns_labels |= m->parts[i].by_ns_labels;
    m->id = slots_put(&t->matchers, m);
    map_put(&t->matcher_by_key, m->key, m);
    matcher_file(s, m);
    return m;
}

static void matcher_free(struct matcher *m)
{
    vec_fini(&m->terms);
    vec_fini(&m->tallies);
    arena_fini(&m->arena);
    free(m);
}

static void forget_matcher(struct sched *s, struct lset *x, void *arg)
{
    (void)s;
    pointer_remove(x->matchers.p, &x->matchers.len, arg);
}

void matcher_unref(struct sched *s, struct matcher *m)
{
    struct terms *t = s->terms;
    if (--m->refs)
        return;
    BUG_ON(m->terms.len || m->tallies.len);
    matcher_lsets(s, m, forget_matcher, m);
    if (!each_bucket(t, m, false, bucket_remove, NULL))
        pointer_remove(t->wild.p, &t->wild.len, m);
    pointer_remove(t->by_ns.p, &t->by_ns.len, m);
    map_del(&t->matcher_by_key, m->key);
    slots_remove(&t->matchers, m->id);
    matcher_free(m);
}

void matches_fini(struct terms *t)
{
    slots_each(struct matcher, m, &t->matchers)
        matcher_free(m);
    slots_each(struct lset, x, &t->lsets)
        lset_free(x);
    map_foreach(e, &t->buckets)
    {
        struct bucket *b = e->value;
        vec_fini(&b->matchers);
        vec_fini(&b->lsets);
        free(b);
    }
    map_fini(&t->buckets);
    map_fini(&t->lset_by_key);
    map_fini(&t->matcher_by_key);
    vec_fini(&t->wild);
    vec_fini(&t->by_ns);
}
