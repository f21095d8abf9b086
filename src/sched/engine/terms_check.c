/* terms_check.c - everything that terms.h keeps, computed again from nodes, pods and labels and compared.  For tests. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"
#include "sched/engine/terms_types.h"

static bool counts(const struct pod *p)
{
    return p->state >= PS_ASSUMED;
}

static int check_matches(const struct sched *s, struct err *err)
{
    const struct terms *t = s->terms;
    slots_each(struct matcher, m, &t->matchers)
    {
        uint32_t found = 0;
        slots_each(struct lset, x, &t->lsets)
        {
            bool is = matcher_decides(s, m, x->ns, x->labels);
            found += is;
            if (is != lset_matches(x, m))
                return err_set(err, E_INTERNAL, "matcher %u and label set %u: remembered as %d, is %d", m->id, x->id, !is, is);
        }
        if (found != m->nlsets)
            return err_set(err, E_INTERNAL, "matcher %u matches %u label sets, %u are counted", m->id, found, m->nlsets);
    }
    return 0;
}

static int check_links(const struct sched *s, struct err *err)
{
    const struct terms *t = s->terms;
    uint32_t linked = 0, counted = 0;
    slots_each(struct lset, x, &t->lsets)
    {
        pod_id before = POD_NONE;
        for (pod_id p = x->first; p; before = p, p = t->link[p].next, linked++)
            if (t->link[p].prev != before || !counts(&s->pods[p]) || class_of(s, p)->terms->lset != x)
                return err_set(err, E_INTERNAL, "the list of pods of label set %u is wrong at pod %u", x->id, p);
    }
    for (pod_id p = 1; p < s->npods_slots; p++)
        counted += s->pods[p].state != PS_FREE && counts(&s->pods[p]);
    return linked == counted ? 0 : err_set(err, E_INTERNAL, "%u pods count, %u are in the lists of label sets", counted, linked);
}

static int check_side(const struct sched *s, uint32_t topo, struct err *err)
{
    const struct side *x = side_of(s, topo);
    const struct topo *t = &s->topos[topo];
    uint32_t listed = 0, shared = 0, having = 0;
    for (uint32_t d = 1; d < t->ndomains; d++) {
        uint32_t n = 0;
        for (uint32_t i = side_first(x, d); i; i = x->next[i - 1], n++)
            if (t->domain[i - 1] != d || !bit_get(x->has, i - 1) || (x->where && !bit_get(x->where + (size_t)d * s->terms->words, i - 1)))
                return err_set(err, E_INTERNAL, "topology %u: node %u is in the wrong domain", topo, i - 1);
        if (x->where && bits_count(x->where + (size_t)d * s->terms->words, s->terms->words) != n)
            return err_set(err, E_INTERNAL, "topology %u: the bitmap of domain %u has other nodes than its list", topo, d);
        listed += n;
        shared += n > 1;
    }
    bits_foreach(n, s->terms->in_play, s->terms->words)
        having += t->domain[n] != 0;
    if (listed != having || bits_count(x->has, s->terms->words) != having || shared != x->nshared)
        return err_set(err, E_INTERNAL, "topology %u: %u nodes are listed, %u have the label; %u domains are shared, %u counted", topo, listed, having, shared, x->nshared);
    return 0;
}

static int check_scope(const struct sched *s, const struct scope *x, struct err *err)
{
    const struct topo *t = &s->topos[x->topo];
    uint32_t *nodes = xarray(t->ndomains, uint32_t), ndomains = 0;
    bool bad = false;
    for (node_id n = 0; n < s->terms->words * 64; n++) {
        bool ok = bit_get(s->terms->in_play, n) && scope_decides(s, x, n);
        bad |= ok != bit_get(x->ok, n);
        nodes[t->domain[n]] += ok;
    }
    for (uint32_t d = 1; d < t->ndomains; d++) {
        ndomains += nodes[d] != 0;
        bad |= nodes[d] != (d < x->cap ? x->nodes[d] : 0);
    }
    free(nodes);
    return !bad && ndomains == x->ndomains ? 0 : err_set(err, E_INTERNAL, "scope %u differs from its nodes (%u domains, %u counted)", x->id, ndomains, x->ndomains);
}

static uint32_t carried_by(const struct sched *s, const struct term_ref *refs, uint32_t n, enum term_carrier k, const struct tally *t)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        if (term_of(s, refs[i].term)->carried[k] == t)
            sum += (uint32_t)refs[i].weight;
    return sum;
}

/* What the pod adds to the tally. */
static uint32_t adds(const struct sched *s, const struct tally *t, const struct pod *p)
{
    const struct pod_class *c = s->classes[p->class_];
    if (!counts(p) || (t->scope && !bit_get(t->scope->ok, p->node)))
        return 0;
    if (t->kind == TALLY_CARRIED)
        return carried_by(s, c->anti, c->nanti, CARRY_ANTI, t) + carried_by(s, c->affinity, c->naffinity, CARRY_AFFINITY, t) +
               carried_by(s, c->preferred_affinity, c->npreferred_affinity, CARRY_PREFERRED, t) +
               carried_by(s, c->preferred_anti, c->npreferred_anti, CARRY_PREFERRED_ANTI, t);
    if (t->kind == TALLY_SPREAD && p->state == PS_TERMINATING)
        return 0;
    return matcher_decides(s, t->matcher, c->ns, c->labels);
}

static int compare_tally(const struct sched *s, const struct tally *t, const uint32_t *want, uint32_t size, struct err *err)
{
    uint32_t nonzero = 0, min = UINT32_MAX, nmin = 0;
    for (uint32_t d = 0; d < size; d++) {
        if (tally_get(t, d) != want[d])
            return err_set(err, E_INTERNAL, "tally %u (kind %d) counts %u in domain %u, the pods say %u", t->id, t->kind, tally_get(t, d), d, want[d]);
        if (want[d] == 0)
            continue;
        nonzero++;
        nmin = want[d] == min ? nmin + 1 : want[d] < min ? 1 : nmin;
        min = MIN(min, want[d]);
    }
    if (nonzero != t->nonzero)
        return err_set(err, E_INTERNAL, "tally %u has %u occupied domains, counts %u", t->id, nonzero, t->nonzero);
    if (t->keeps_min && (min != t->min || nmin != t->nmin))
        return err_set(err, E_INTERNAL, "tally %u has the minimum %u in %u domains, keeps %u in %u", t->id, min, nmin, t->min, t->nmin);
    for (node_id n = 0; n < s->terms->words * 64 && t->occupied; n++)
        if (bit_get(t->occupied, n) != (bit_get(s->terms->in_play, n) && want[s->topos[t->topo].domain[n]] != 0))
            return err_set(err, E_INTERNAL, "tally %u: the bit of node %u is wrong", t->id, n);
    return 0;
}

static int check_tally(const struct sched *s, const struct tally *t, struct err *err)
{
    const struct topo *topo = &s->topos[t->topo];
    uint32_t size = t->by_node ? s->terms->words * 64 : topo->ndomains;
    uint32_t *want = xarray(size, uint32_t);
    bits_foreach(n, s->terms->in_play, s->terms->words)
        for (pod_id p = s->nodes[n].first_pod; p; p = s->pods[p].next_on_node)
            if (t->by_node || topo->domain[n])
                want[t->by_node ? n : topo->domain[n]] += adds(s, t, &s->pods[p]);
    int r = compare_tally(s, t, want, size, err);
    free(want);
    return r;
}

int terms_check(const struct sched *s, struct err *err)
{
    const struct terms *t = s->terms;
    if (t->words != s->view.words || memcmp(t->in_play, s->alive, t->words * sizeof *t->in_play) != 0)
        return err_set(err, E_INTERNAL, "the nodes that count are not those that are alive");
    int r = check_matches(s, err);
    if (r == 0)
        r = check_links(s, err);
    for (uint32_t i = 0; i < t->nsides && r == 0; i++)
        r = t->sides[i].used ? check_side(s, i, err) : 0;
    if (r < 0)
        return r;
    slots_each(struct scope, x, &t->scopes)
        if ((r = check_scope(s, x, err)) < 0)
            return r;
    slots_each(struct tally, x, &t->tallies)
        if ((r = check_tally(s, x, err)) < 0)
            return r;
    return 0;
}
