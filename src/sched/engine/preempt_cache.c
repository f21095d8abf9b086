/* preempt_cache.c - the candidates of a class, kept from one preemptor to the next.
 *
 * Every node has a leaf with its key; a tournament tree over the leaves gives the best.  Leaves start with a bound (never worse than the
 * truth, from the columns of preempt_levels.c) and are searched only when they win:
 *
 *            tree[1] = best node                   while the winner's key is a bound: search that node, put the real key, look again
 *           /                 \
 *      tree[2]               tree[3]               a node in the journal gets its bound back; so of 5,000 equal preemptors on 5,000 nodes
 *     /       \             /       \              each searches the one or two nodes that the one before it changed
 *  leaf 0   leaf 1       leaf 2   leaf 3
 * Thrown away when budgets, ties or the class's filters changed, and at every call for classes that other nodes concern. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/pdbs.h"
#include "sched/engine/plugin.h"
#include "sched/engine/preempt_state.h"

void class_candidates_fini(struct class_candidates *x)
{
    free(x->kind);
    free(x->key);
    free(x->tree);
    *x = (struct class_candidates){0};
}

bool candidate_less(const struct sched *s, const struct candidate_key *a, node_id na, const struct candidate_key *b, node_id nb)
{
    if (a->violations != b->violations)
        return a->violations < b->violations;
    if (a->highest != b->highest)
        return a->highest < b->highest;
    if (a->sum != b->sum)
        return a->sum < b->sum;
    if (a->count != b->count)
        return a->count < b->count;
    if (a->start != b->start)
        return a->start > b->start;
    return s->tie[na] < s->tie[nb];
}

static node_id better(const struct sched *s, const struct class_candidates *x, node_id a, node_id b)
{
    if (a == NODE_NONE || b == NODE_NONE)
        return a == NODE_NONE ? b : a;
    return candidate_less(s, &x->key[a], a, &x->key[b], b) ? a : b;
}

static void count(struct class_candidates *x, uint8_t kind, int sign)
{
    x->unresolvable += (uint32_t)(kind == CAND_UNRESOLVABLE ? sign : 0);
    x->hopeless += (uint32_t)(kind == CAND_HOPELESS ? sign : 0);
}

static void set_leaf(const struct sched *s, struct class_candidates *x, node_id n, enum candidate_kind kind, const struct candidate_key *key)
{
    bool was = x->kind[n] >= CAND_BOUND, is = kind >= CAND_BOUND;
    count(x, x->kind[n], -1);
    count(x, (uint8_t)kind, 1);
    x->kind[n] = (uint8_t)kind;
    if (!was && !is)
        return;
    if (is)
        x->key[n] = *key;
    x->tree[x->leaves + n] = is ? n : NODE_NONE;
    for (uint32_t i = (x->leaves + n) / 2; i; i /= 2) {
        node_id before = x->tree[i], now = better(s, x, x->tree[2 * i], x->tree[2 * i + 1]);
        x->tree[i] = now;
        if (now == before && now != n)
            break; /* n has no part in what is above */
    }
}

/* Nodes that eviction could help at all: alive, static filters pass. */
static void static_nodes(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, uint64_t *nodes)
{
    memcpy(nodes, s->alive, s->view.words * sizeof *nodes);
    for (uint64_t m = how->static_filters; m; m &= m - 1) {
        const struct profile_plugin *pp = &s->table->plugins[__builtin_ctzll(m)];
        pp->plugin->filter(&s->view, c, pp->args, nodes);
    }
}

static void build(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, struct class_candidates *x)
{
    uint32_t words = s->view.words, nslots = words * 64;
    if (x->nslots != nslots) {
        class_candidates_fini(x);
        x->nslots = nslots;
        for (x->leaves = 64; x->leaves < nslots;)
            x->leaves *= 2;
        x->kind = xarray(nslots, uint8_t);
        x->key = xarray(nslots, struct candidate_key);
        x->tree = xarray(2 * (size_t)x->leaves, node_id);
    }
    memset(x->kind, CAND_ABSENT, nslots);
    memset(x->tree, 0xff, 2 * (size_t)x->leaves * sizeof *x->tree);
    uint64_t *left = xarray(words, uint64_t);
    static_nodes(s, c, how, left);
    bits_foreach(n, s->alive, words)
        x->kind[n] = bit_get(left, n) ? CAND_HOPELESS : CAND_UNRESOLVABLE;
    x->hopeless = bits_count(left, words);
    x->unresolvable = s->nalive - x->hopeless;
    preempt_cut(s, c, how, left);
    uint32_t any = 0;
    bits_foreach(n, left, words)
    {
        if (!preempt_bound(s, c, how, n, &x->key[n]))
            continue;
        x->kind[n] = CAND_BOUND;
        x->tree[x->leaves + n] = n;
        any++;
    }
    x->hopeless -= any;
    free(left);
    if (any)
        for (uint32_t i = x->leaves - 1; i; i--)
            x->tree[i] = better(s, x, x->tree[2 * i], x->tree[2 * i + 1]);
}

static void touched(const struct sched *s, const struct pod_class *c, const struct preempt_how *how, struct class_candidates *x, struct journal_entry e)
{
    struct candidate_key key = {0};
    enum candidate_kind kind = CAND_ABSENT;
    if (!e.is_static && how->simple && x->kind[e.node] == CAND_UNRESOLVABLE)
        return;
    if (node_is_alive(s, e.node)) {
        if (!preempt_filters_fit(s, c, how->static_filters, e.node))
            kind = CAND_UNRESOLVABLE;
        else
            kind = preempt_bound(s, c, how, e.node, &key) ? CAND_BOUND : CAND_HOPELESS;
    }
    set_leaf(s, x, e.node, kind, &key);
}

static struct class_candidates *slot_for(struct preempt_state *st, const struct pod_class *c)
{
    struct class_candidates *oldest = &st->classes[0];
    for (uint32_t i = 0; i < PREEMPT_CLASSES; i++) {
        struct class_candidates *x = &st->classes[i];
        if (x->id == c->id)
            return x;
        if (x->used < oldest->used)
            oldest = x;
    }
    return oldest;
}

static struct class_candidates *refresh(struct sched *s, const struct pod_class *c, const struct preempt_how *how)
{
    struct class_candidates *x = slot_for(s->preempt, c);
    uint64_t seq = s->view.seq, pdb = pdbs_version(s);
    model_tie_ranks(s);
    bool same = x->id == c->id && x->hash == c->hash && x->uses_filter == c->uses_filter && x->nslots == s->view.words * 64 && x->pdb_version == pdb &&
                x->tie_epoch == s->tie_epoch && seq - x->seq <= JOURNAL_SIZE;
    /* claims, volumes and labels of namespaces change without a node being touched */
    if (!same || how->cross || c->nvolumes)
        build(s, c, how, x);
    else
        for (uint64_t i = x->seq; i < seq; i++) {
            struct journal_entry e = s->view.journal[i % JOURNAL_SIZE];
            /* one change often leaves a row of entries for its node: the last one counts, unless one of them is static */
            if (i + 1 < seq && !e.is_static && s->view.journal[(i + 1) % JOURNAL_SIZE].node == e.node)
                continue;
            touched(s, c, how, x, e);
        }
    x->id = c->id;
    x->hash = c->hash;
    x->uses_filter = c->uses_filter;
    x->pdb_version = pdb;
    x->tie_epoch = s->tie_epoch;
    x->seq = seq;
    x->used = ++s->preempt->clock;
    return x;
}

node_id preempt_best(struct sched *s, const struct pod_class *c, const struct preempt_how *how, struct preempt_counts *counts, struct candidate_key *ret)
{
    struct class_candidates *x = refresh(s, c, how);
    node_id n;
    while ((n = x->tree[1]) != NODE_NONE && x->kind[n] != CAND_EXACT) {
        struct candidate_key key = {0};
        enum candidate_kind kind = preempt_search(s, c, how, n, &key);
        set_leaf(s, x, n, kind, &key);
        x->seq = s->view.seq; /* the search left the node as it was */
    }
    if (counts)
        *counts = (struct preempt_counts){x->unresolvable, x->hopeless, s->nalive - x->unresolvable - x->hopeless};
    if (n != NODE_NONE)
        *ret = x->key[n];
    return n;
}
