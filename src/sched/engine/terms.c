/* terms.c - see terms.h: the terms of a class, and what pods, nodes and namespaces do to the counters.
 *
 * Placing a pod touches the tallies of the matchers that match its labels, and those of the terms that its class carries; nothing else.
 * A node that changes first takes its pods out of all tallies, and puts them back under its new labels.  Pods that count hang in a list by label
 * set, so that a new tally is filled by looking at the pods that match it only. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/plugin.h"
#include "sched/engine/terms_types.h"
#include "sched/plugins/plugins.h"

/* --- things by number ---------------------------------------------------------------------------------------------------------------- */
uint32_t slots_put(struct slots *x, void *thing)
{
    if (x->at.len == 0)
        vec_push(&x->at, NULL);
    if (x->free_.len) {
        uint32_t id = vec_pop(&x->free_);
        x->at.p[id] = thing;
        return id;
    }
    vec_push(&x->at, thing);
    return (uint32_t)x->at.len - 1;
}

void slots_remove(struct slots *x, uint32_t id)
{
    x->at.p[id] = NULL;
    vec_push(&x->free_, id);
}

void slots_fini(struct slots *x)
{
    vec_fini(&x->at);
    vec_fini(&x->free_);
}

/* --- birth and end ------------------------------------------------------------------------------------------------------------------- */
struct terms *terms_new(struct sched *s)
{
    struct terms *t = xnew(struct terms);
    t->s = s;
    t->epoch = 1;
    t->words = s->view.words;
    t->in_play = xarray(t->words + 1, uint64_t);
    for (uint32_t i = 0; i < s->table->nplugins; i++) {
        const struct profile_plugin *pp = &s->table->plugins[i];
        t->filters_affinity |= pp->plugin == &plugin_inter_pod_affinity && pp->filters;
        t->scores_affinity |= pp->plugin == &plugin_inter_pod_affinity && pp->weight;
    }
    return t;
}

void terms_free(struct terms *t)
{
    if (!t)
        return;
    slots_each(struct term, x, &t->terms)
        free(x);
    slots_each(struct tally, x, &t->tallies)
        tally_free(x);
    slots_each(struct scope, x, &t->scopes)
    {
        x->refs = 1;
        scope_unref(t, x);
    }
    matches_fini(t);
    map_fini(&t->scope_by_key);
    for (uint32_t i = 0; i < t->nsides; i++) {
        free(t->sides[i].first);
        free(t->sides[i].next);
        free(t->sides[i].prev);
        free(t->sides[i].has);
        free(t->sides[i].where);
    }
    free(t->sides);
    slots_fini(&t->lsets);
    slots_fini(&t->matchers);
    slots_fini(&t->terms);
    slots_fini(&t->tallies);
    slots_fini(&t->scopes);
    free(t->link);
    free(t->in_play);
    strbuf_fini(&t->scratch);
    free(t);
}

void terms_nodes_grown(struct sched *s)
{
    struct terms *t = s->terms;
    uint32_t words = s->view.words;
    if (words <= t->words)
        return;
    t->in_play = xrealloc(t->in_play, words * sizeof *t->in_play);
    memset(t->in_play + t->words, 0, (words - t->words) * sizeof *t->in_play);
    sides_grown(t, words);
    scopes_grown(t, words);
    tallies_grown(t, words);
    t->words = words;
}

/* --- terms of a class ---------------------------------------------------------------------------------------------------------------- */
static struct term *term_ref(struct sched *s, struct matcher *m /* taken */, uint32_t topo)
{
    for (size_t i = 0; i < m->terms.len; i++)
        if (m->terms.p[i]->topo == topo) {
            m->terms.p[i]->refs++;
            matcher_unref(s, m);
            return m->terms.p[i];
        }
    struct term *x = xnew(struct term);
    *x = (struct term){.refs = 1, .matcher = m, .topo = topo};
    x->id = slots_put(&s->terms->terms, x);
    vec_push(&m->terms, x);
    s->terms->nlive++;
    return x;
}

static void term_unref(struct sched *s, struct term *x)
{
    if (--x->refs)
        return;
    struct matcher *m = x->matcher;
    for (size_t i = 0; i < m->terms.len; i++)
        if (m->terms.p[i] == x) {
            vec_remove_swap(&m->terms, i);
            break;
        }
    slots_remove(&s->terms->terms, x->id);
    s->terms->nlive--;
    free(x);
    matcher_unref(s, m);
}

/* The class carries the term as k; all but required affinity, which looks at all terms at once, ask who matches it. */
static void carry(struct sched *s, struct term *x, enum term_carrier k)
{
    if (x->carried[k])
        x->carried[k]->refs++;
    else
        x->carried[k] = tally_new(s, TALLY_CARRIED, x->matcher, x->topo, NULL, false);
    if (x->matcher->carriers[k]++ == 0 && x->matcher->nlsets)
        s->terms->epoch++;
    if (k != CARRY_AFFINITY)
        x->matched = tally_ref(s, TALLY_MATCHED, x->matcher, x->topo, NULL, false);
}

static void drop_tally(struct sched *s, struct tally **t)
{
    struct tally *was = *t;
    if (was->refs == 1)
        *t = NULL;
    tally_unref(s, was);
}

static void uncarry(struct sched *s, struct term *x, enum term_carrier k)
{
    drop_tally(s, &x->carried[k]);
    if (--x->matcher->carriers[k] == 0 && x->matcher->nlsets)
        s->terms->epoch++;
    /* the matched tally may be held by a class's required affinity as well, which does not go through the term */
    if (k != CARRY_AFFINITY) {
        struct tally *was = x->matched;
        bool last = true;
        for (int i = 0; i < CARRY_KINDS; i++)
            last &= i == CARRY_AFFINITY || !x->carried[i];
        if (last)
            x->matched = NULL;
        tally_unref(s, was);
    }
}

static struct term_ref *terms_compile(struct sched *s, struct pod_class *c, const struct spec_pod_term *from, size_t n, enum term_carrier k, uint32_t *ret_n)
{
    struct term_ref *refs = arena_array(&c->arena, n, struct term_ref);
    for (size_t i = 0; i < n; i++) {
        uint32_t topo = model_topology(s, symbol(&s->sym, from[i].topology_key));
        struct term *x = term_ref(s, matcher_ref(s, &from[i], 1, c->ns), topo);
        carry(s, x, k);
        refs[i] = (struct term_ref){x->id, k == CARRY_PREFERRED || k == CARRY_PREFERRED_ANTI ? MAX(from[i].weight, 0) : 1};
    }
    *ret_n = (uint32_t)n;
    return refs;
}

static void terms_release(struct sched *s, const struct term_ref *refs, uint32_t *n, enum term_carrier k)
{
    for (uint32_t i = 0; i < *n; i++) {
        struct term *x = term_of(s, refs[i].term);
        uncarry(s, x, k);
        term_unref(s, x);
    }
    *n = 0;
}

/* Required affinity is met where a domain holds pods that match all terms: one matcher for them together, a tally for each topology. */
static void affinity_compile(struct sched *s, struct pod_class *c, const struct pod_spec *spec)
{
    struct class_terms *x = c->terms;
    x->all = matcher_ref(s, spec->affinity, spec->naffinity, c->ns);
    x->everywhere = arena_array(&c->arena, spec->naffinity, struct tally *);
    for (size_t i = 0; i < spec->naffinity; i++) {
        uint32_t topo = model_topology(s, symbol(&s->sym, spec->affinity[i].topology_key)), k = 0;
        while (k < x->neverywhere && x->everywhere[k]->topo != topo)
            k++;
        if (k < x->neverywhere)
            continue;
        struct tally *t = tally_ref(s, TALLY_MATCHED, x->all, topo, NULL, false);
        tally_make_dense(s, t);
        x->everywhere[x->neverywhere++] = t;
    }
}

int terms_class_compile(struct sched *s, struct pod_class *c, const struct pod_spec *spec, struct err *err)
{
    struct terms *t = s->terms;
    size_t more = spec->naffinity + spec->nanti_affinity + spec->npreferred_affinity + spec->npreferred_anti_affinity + spread_count(s, c, spec);
    if (more && t->nlive + more > LIMIT_SCHED_TERMS)
        return err_set(err, E_TOO_LARGE, "pod " STR_FMT "/" STR_FMT " brings %zu terms of affinity and spread; with those there are it would be more than %u", STR_ARG(spec->ns),
                       STR_ARG(spec->name), more, LIMIT_SCHED_TERMS);
    c->terms = arena_new(&c->arena, struct class_terms);
    c->terms->lset = lset_ref(s, c->ns, c->labels);
    c->labels_id = c->terms->lset->id;
    bool filters = t->filters_affinity, scores = t->scores_affinity;
    if (filters || scores) {
        c->affinity = terms_compile(s, c, spec->affinity, spec->naffinity, CARRY_AFFINITY, &c->naffinity);
        c->anti = terms_compile(s, c, spec->anti_affinity, spec->nanti_affinity, CARRY_ANTI, &c->nanti);
    }
    int own = profile_table_index(s->table, c->profile, &plugin_inter_pod_affinity);
    if (own >= 0 && s->table->plugins[own].filters && spec->naffinity)
        affinity_compile(s, c, spec);
    if (scores) {
        c->preferred_affinity = terms_compile(s, c, spec->preferred_affinity, spec->npreferred_affinity, CARRY_PREFERRED, &c->npreferred_affinity);
        c->preferred_anti = terms_compile(s, c, spec->preferred_anti_affinity, spec->npreferred_anti_affinity, CARRY_PREFERRED_ANTI, &c->npreferred_anti);
    }
    spread_compile(s, c, spec);
    return 0;
}

void terms_class_release(struct sched *s, struct pod_class *c)
{
    struct class_terms *x = c->terms;
    if (!x)
        return;
    spread_release(s, c);
    terms_release(s, c->affinity, &c->naffinity, CARRY_AFFINITY);
    terms_release(s, c->anti, &c->nanti, CARRY_ANTI);
    terms_release(s, c->preferred_affinity, &c->npreferred_affinity, CARRY_PREFERRED);
    terms_release(s, c->preferred_anti, &c->npreferred_anti, CARRY_PREFERRED_ANTI);
    for (uint32_t i = 0; i < x->neverywhere; i++)
        tally_unref(s, x->everywhere[i]);
    if (x->all)
        matcher_unref(s, x->all);
    lset_unref(s, x->lset);
    c->terms = NULL;
}

/* --- pods ---------------------------------------------------------------------------------------------------------------------------- */
static void carried_add(struct sched *s, const struct term_ref *refs, uint32_t n, enum term_carrier k, node_id node, int sign)
{
    for (uint32_t i = 0; i < n; i++)
        tally_add(s, term_of(s, refs[i].term)->carried[k], node, sign * refs[i].weight);
}

static void count_pod(struct sched *s, const struct pod_class *c, node_id n, int sign, bool terminating)
{
    const struct lset *x = c->terms->lset;
    for (size_t i = 0; i < x->matchers.len; i++) {
        const struct matcher *m = x->matchers.p[i];
        for (size_t k = 0; k < m->tallies.len; k++)
            if (!terminating || m->tallies.p[k]->kind != TALLY_SPREAD)
                tally_add(s, m->tallies.p[k], n, sign);
    }
    carried_add(s, c->anti, c->nanti, CARRY_ANTI, n, sign);
    carried_add(s, c->affinity, c->naffinity, CARRY_AFFINITY, n, sign);
    carried_add(s, c->preferred_affinity, c->npreferred_affinity, CARRY_PREFERRED, n, sign);
    carried_add(s, c->preferred_anti, c->npreferred_anti, CARRY_PREFERRED_ANTI, n, sign);
}

static void link_pod(struct terms *t, struct lset *x, pod_id p)
{
    if (p >= t->nlink) {
        uint32_t now = MAX(p + 64, t->nlink * 2);
        t->link = xrealloc(t->link, now * sizeof *t->link);
        memset(t->link + t->nlink, 0, (now - t->nlink) * sizeof *t->link);
        t->nlink = now;
    }
    t->link[p] = (struct pod_link){x->first, POD_NONE};
    if (x->first)
        t->link[x->first].prev = p;
    x->first = p;
}

static void unlink_pod(struct terms *t, struct lset *x, pod_id p)
{
    struct pod_link *l = &t->link[p];
    if (l->prev)
        t->link[l->prev].next = l->next;
    else
        x->first = l->next;
    if (l->next)
        t->link[l->next].prev = l->prev;
    *l = (struct pod_link){POD_NONE, POD_NONE};
}

void terms_pod(struct sched *s, pod_id p, node_id n, int sign, bool terminating)
{
    struct terms *t = s->terms;
    const struct pod_class *c = class_of(s, p);
    if (sign > 0)
        link_pod(t, c->terms->lset, p);
    else
        unlink_pod(t, c->terms->lset, p);
    if (bit_get(t->in_play, n))
        count_pod(s, c, n, sign, terminating);
}

/* --- nodes and namespaces ------------------------------------------------------------------------------------------------------------ */
static void count_pods_of(struct sched *s, node_id n, int sign)
{
    for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node)
        if (s->pods[p].state >= PS_ASSUMED)
            count_pod(s, class_of(s, p), n, sign, s->pods[p].state == PS_TERMINATING);
}

void terms_node(struct sched *s, node_id n, int sign)
{
    struct terms *t = s->terms;
    if (bit_get(t->in_play, n) == (sign > 0))
        return;
    if (sign < 0) {
        count_pods_of(s, n, -1);
        tallies_node(s, n, -1);
        scopes_node(s, n, -1);
        sides_node(s, n, -1);
        bit_clear(t->in_play, n);
        return;
    }
    bit_set(t->in_play, n);
    sides_node(s, n, 1);
    scopes_node(s, n, 1);
    tallies_node(s, n, 1);
    count_pods_of(s, n, 1);
}

static void lset_recount(struct sched *s, struct lset *x, struct matcher *m, int sign)
{
    for (pod_id p = x->first; p; p = s->terms->link[p].next) {
        const struct pod *pod = &s->pods[p];
        for (size_t i = 0; i < m->tallies.len && bit_get(s->terms->in_play, pod->node); i++)
            if (pod->state != PS_TERMINATING || m->tallies.p[i]->kind != TALLY_SPREAD)
                tally_add(s, m->tallies.p[i], pod->node, sign);
    }
}

void terms_namespace(struct sched *s, sym_t ns)
{
    struct terms *t = s->terms;
    if (t->by_ns.len == 0)
        return;
    slots_each(struct lset, x, &t->lsets)
    {
        if (x->ns != ns)
            continue;
        for (size_t i = 0; i < t->by_ns.len; i++) {
            struct matcher *m = t->by_ns.p[i];
            bool was = lset_matches(x, m), is = matcher_decides(s, m, x->ns, x->labels);
            if (was == is)
                continue;
            lset_recount(s, x, m, is ? 1 : -1);
            t->epoch++;
            if (is) {
                vec_push(&x->matchers, m);
                m->nlsets++;
                continue;
            }
            for (size_t k = 0; k < x->matchers.len; k++)
                if (x->matchers.p[k] == m) {
                    vec_remove_swap(&x->matchers, k);
                    break;
                }
            m->nlsets--;
        }
    }
}

/* --- who is concerned ---------------------------------------------------------------------------------------------------------------- */
static bool carried_any(const struct pod_class *c, unsigned kinds)
{
    const struct lset *x = c->terms->lset;
    for (size_t i = 0; i < x->matchers.len; i++)
        for (unsigned k = 0; k < CARRY_KINDS; k++)
            if (kinds >> k & 1 && x->matchers.p[i]->carriers[k])
                return true;
    return false;
}

bool terms_concern_filter(const struct sched *s, const struct pod_class *c)
{
    return s->terms->filters_affinity && (c->naffinity || c->nanti || carried_any(c, 1u << CARRY_ANTI));
}

bool terms_concern_score(const struct sched *s, const struct pod_class *c)
{
    return s->terms->scores_affinity && (c->npreferred_affinity || c->npreferred_anti || carried_any(c, 1u << CARRY_AFFINITY | 1u << CARRY_PREFERRED | 1u << CARRY_PREFERRED_ANTI));
}

uint64_t terms_epoch(const struct sched *s)
{
    return s->terms->epoch;
}

size_t terms_bytes(const struct sched *s)
{
    const struct terms *t = s->terms;
    size_t words = (size_t)t->words * sizeof(uint64_t), bytes = t->nlink * sizeof *t->link;
    for (uint32_t i = 0; i < t->nsides; i++)
        bytes += t->sides[i].used ? t->sides[i].nfirst * 4ul + words * 65 + (t->sides[i].where ? words * SIDE_FEW : 0) : 0;
    slots_each(struct tally, x, &t->tallies)
        bytes += sizeof *x + x->cap * sizeof *x->count + x->ncells * sizeof *x->cells + (x->occupied ? words : 0);
    slots_each(struct scope, x, &t->scopes)
        bytes += sizeof *x + words + x->cap * sizeof *x->nodes + 512;
    slots_each(struct lset, x, &t->lsets)
        bytes += sizeof *x + x->labels.n * 48ul + x->matchers.cap * sizeof(void *);
    slots_each(struct matcher, x, &t->matchers)
        bytes += sizeof *x + 768;
    return bytes + (t->terms.at.len + t->buckets.len) * 96;
}
