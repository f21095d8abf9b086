/* select.c - see select.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/select.h"

static int by_key(const void *a, const void *b)
{
    sym_t x = ((const struct label *)a)->key, y = ((const struct label *)b)->key;
    return x < y ? -1 : x > y;
}

struct labelset labelset_make(struct sched *s, struct arena *a, struct spec_labels labels)
{
    struct label *p = arena_array(a, labels.n, struct label);
    for (size_t i = 0; i < labels.n; i++)
        p[i] = (struct label){symbol(&s->sym, labels.p[i].key), symbol(&s->sym, labels.p[i].value)};
    if (labels.n > 1)
        qsort(p, labels.n, sizeof *p, by_key);
    return (struct labelset){p, (uint32_t)labels.n};
}

bool labelset_equal(struct labelset a, struct labelset b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n * sizeof *a.p) == 0);
}

sym_t labelset_get(struct labelset ls, sym_t key, bool *ret_has)
{
    uint32_t lo = 0, hi = ls.n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (ls.p[mid].key < key)
            lo = mid + 1;
        else
            hi = mid;
    }
    *ret_has = lo < ls.n && ls.p[lo].key == key;
    return *ret_has ? ls.p[lo].value : 0;
}

static int sym_cmp(const void *a, const void *b)
{
    sym_t x = *(const sym_t *)a, y = *(const sym_t *)b;
    return x < y ? -1 : x > y;
}

static void req_compile(struct sched *s, struct arena *a, const struct spec_requirement *from, struct req *ret)
{
    *ret = (struct req){.key = symbol(&s->sym, from->key), .op = (uint8_t)from->op, .nvalues = (uint32_t)from->nvalues};
    sym_t *values = arena_array(a, from->nvalues, sym_t);
    for (size_t i = 0; i < from->nvalues; i++)
        values[i] = symbol(&s->sym, from->values[i]);
    if (from->nvalues > 1)
        qsort(values, from->nvalues, sizeof *values, sym_cmp);
    ret->values = values;
    /* A bound that is no number lets nothing through, as Kubernetes has it. */
    if ((from->op == OP_GT || from->op == OP_LT) && (from->nvalues != 1 || !str_to_i64(from->values[0], &ret->number))) {
        ret->op = OP_IN;
        ret->nvalues = 0;
    }
}

void sel_compile(struct sched *s, struct arena *a, const struct spec_selector *from, struct sel *ret)
{
    *ret = (struct sel){.p = arena_array(a, from->n, struct req), .n = (uint32_t)from->n, .none = from->none};
    for (size_t i = 0; i < from->n; i++)
        req_compile(s, a, &from->p[i], &ret->p[i]);
}

bool sel_equal(const struct sel *a, const struct sel *b)
{
    if (a->n != b->n || a->none != b->none)
        return false;
    for (uint32_t i = 0; i < a->n; i++) {
        const struct req *x = &a->p[i], *y = &b->p[i];
        if (x->key != y->key || x->op != y->op || x->nvalues != y->nvalues || x->number != y->number ||
            (x->nvalues && memcmp(x->values, y->values, x->nvalues * sizeof *x->values) != 0))
            return false;
    }
    return true;
}

static bool req_has_value(const struct req *r, sym_t value)
{
    for (uint32_t i = 0; i < r->nvalues; i++)
        if (r->values[i] == value)
            return true;
    return false;
}

static bool req_matches(const struct sched *s, const struct req *r, bool has, sym_t value)
{
    int64_t number;
    switch ((enum spec_op)r->op) {
    case OP_IN:
        return has && req_has_value(r, value);
    case OP_NOT_IN:
        return !has || !req_has_value(r, value);
    case OP_EXISTS:
        return has;
    case OP_NOT_EXISTS:
        return !has;
    case OP_GT:
        return has && str_to_i64(symbol_text(&s->sym, value), &number) && number > r->number;
    case OP_LT:
        return has && str_to_i64(symbol_text(&s->sym, value), &number) && number < r->number;
    }
    return false;
}

bool sel_matches(const struct sched *s, const struct sel *sel, struct labelset ls)
{
    if (sel->none)
        return false;
    for (uint32_t i = 0; i < sel->n; i++) {
        bool has;
        sym_t value = labelset_get(ls, sel->p[i].key, &has);
        if (!req_matches(s, &sel->p[i], has, value))
            return false;
    }
    return true;
}

void node_term_compile(struct sched *s, struct arena *a, const struct spec_node_term *from, struct node_term *ret)
{
    sel_compile(s, a, &from->labels, &ret->labels);
    ret->fields = arena_array(a, from->nfields, struct req);
    ret->nfields = (uint32_t)from->nfields;
    ret->weight = from->weight;
    for (size_t i = 0; i < from->nfields; i++)
        req_compile(s, a, &from->fields[i], &ret->fields[i]);
}

bool node_term_matches(const struct sched *s, const struct node_term *t, node_id n)
{
    if (t->labels.n == 0 && t->nfields == 0)
        return false;
    if (!sel_matches(s, &t->labels, s->nodes[n].labels))
        return false;
    for (uint32_t i = 0; i < t->nfields; i++)
        if (!req_matches(s, &t->fields[i], true, s->nodes[n].name))
            return false;
    return true;
}

bool class_selects_node(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint32_t i = 0; i < c->nnode_selector; i++) {
        bool has;
        sym_t value = labelset_get(s->nodes[n].labels, c->node_selector[i].key, &has);
        if (!has || value != c->node_selector[i].value)
            return false;
    }
    if (!c->has_required)
        return true;
    for (uint32_t i = 0; i < c->nrequired; i++)
        if (node_term_matches(s, &c->required[i], n))
            return true;
    return false;
}

bool class_tolerates(const struct pod_class *c, const struct node_taint *t)
{
    for (uint32_t i = 0; i < c->ntolerations; i++) {
        const struct spec_toleration_sym *x = &c->tolerations[i];
        if (x->effect >= 0 && x->effect != t->effect)
            continue;
        if (x->key && x->key != t->key)
            continue;
        if (x->op == TOLERATE_EXISTS || x->value == t->value)
            return true;
    }
    return false;
}
