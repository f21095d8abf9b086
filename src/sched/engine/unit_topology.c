/* unit_topology.c - nodes cut into topology domains, and the order in which a unit tries them.
 *
 *   keys zone, rack:   (a, 1): n0 n1    (a, 2): n2    (b, 1): n3        rack 1 of zone b is not rack 1 of zone a */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/engine/unit_state.h"

#define RULES_MAX LIMIT_SCHED_TOPOLOGY_KEYS
#define UNIT_TOPOLOGIES 64u /* columns are never taken down: groups that name ever new keys get no more of them, and look at labels */

void node_sets_fini(struct node_sets *n)
{
    for (size_t i = 0; i < n->sets.len; i++)
        free(n->sets.p[i]);
    vec_fini(&n->sets);
}

static void topology(struct sched *s, sym_t key)
{
    if (key && s->ntopos < UNIT_TOPOLOGIES)
        model_topology(s, key);
}

void unit_topologies(struct sched *s, unit_id u)
{
    const struct unit *unit = &s->units[u];
    for (uint32_t i = 0; i < unit->nrequired_keys; i++)
        topology(s, unit->required_keys[i]);
    for (uint32_t i = 0; i < unit->npreferred_keys; i++)
        topology(s, unit->preferred_keys[i]);
    for (uint32_t i = 0; i < unit->nsubgroups; i++) {
        topology(s, unit->subgroups[i].required_key);
        for (uint32_t k = 0; k < unit->subgroups[i].npreferred_keys; k++)
            topology(s, unit->subgroups[i].preferred_keys[k]);
    }
}

static uint32_t domain_of(const struct sched *s, sym_t key, node_id n)
{
    for (uint32_t i = 0; i < s->ntopos; i++)
        if (s->topos[i].key == key)
            return s->topos[i].domain[n];
    bool has;
    sym_t value = labelset_get(s->nodes[n].labels, key, &has);
    return has ? value + 1 : 0;
}

/* --- numbering ------------------------------------------------------------------------------------------------------------------- */
struct pair_slot {
    uint64_t pair;
    uint32_t id; /* 0: free */
};

/* The number of a pair of numbers, a new one for a new pair. */
static uint32_t pair_id(struct pair_slot *slots, uint32_t mask, uint32_t a, uint32_t b, uint32_t *next)
{
    uint64_t pair = (uint64_t)a << 32 | b;
    uint32_t i = (uint32_t)(pair * 0x9e3779b97f4a7c15ull >> 32) & mask;
    while (slots[i].id && slots[i].pair != pair)
        i = (i + 1) & mask;
    if (!slots[i].id)
        slots[i] = (struct pair_slot){pair, (*next)++};
    return slots[i].id;
}

/* id[n] = 1.. for nodes that have all labels, equal where all are equal; 0 for others.  Returns how many there are. */
static uint32_t number_domains(const struct sched *s, const sym_t *keys, uint32_t nkeys, const uint64_t *nodes, uint32_t *id)
{
    uint32_t words = s->view.words, total = bits_count(nodes, words), slots_n = 64, next = 2;
    memset(id, 0, (size_t)words * 64 * sizeof *id);
    bits_foreach(n, nodes, words)
        id[n] = 1;
    while (slots_n < total * 2)
        slots_n *= 2;
    struct pair_slot *slots = xarray(slots_n, struct pair_slot);
    for (uint32_t k = 0; k < nkeys; k++) {
        memset(slots, 0, slots_n * sizeof *slots);
        next = 1;
        bits_foreach(n, nodes, words)
        {
            uint32_t d = domain_of(s, keys[k], n);
            id[n] = id[n] && d ? pair_id(slots, slots_n - 1, id[n], d, &next) : 0;
        }
    }
    free(slots);
    return next - 1;
}

/* --- order ------------------------------------------------------------------------------------------------------------------------- */
struct domain {
    uint32_t id;
    node_id first; /* its labels name the domain */
    int64_t measure[RULES_MAX];
};
struct order {
    const struct sched *s;
    const sym_t *keys;
    uint32_t nkeys, nrules;
    bool by_level; /* measure i is that of the domain of the first i + 1 keys around it */
    struct spec_sort_rule rules[RULES_MAX];
};

static struct order order_of(const struct sched *s, unit_id u, const sym_t *keys, uint32_t nkeys)
{
    const struct unit *unit = &s->units[u];
    struct order o = {.s = s, .keys = keys, .nkeys = nkeys, .nrules = MIN(unit->nsort_rules, (uint32_t)RULES_MAX)};
    for (uint32_t i = 0; i < o.nrules; i++)
        o.rules[i] = unit->sort_rules[i];
    if (o.nrules == 0) { /* the fullest first, and the widest domain decides before those inside it */
        bool gpu = unit->pods.len && class_of(s, unit->pods.p[0])->gpu.kind != GPU_NONE;
        o.by_level = true;
        o.nrules = MIN(nkeys, (uint32_t)RULES_MAX);
        for (uint32_t i = 0; i < o.nrules; i++)
            o.rules[i] = (struct spec_sort_rule){.resource = gpu ? RES_GPU : RES_CPU, .by_available = true};
    }
    return o;
}

static int domain_cmp(const void *pa, const void *pb, void *arg)
{
    const struct domain *a = pa, *b = pb;
    const struct order *o = arg;
    for (uint32_t i = 0; i < o->nrules; i++)
        if (a->measure[i] != b->measure[i])
            return (a->measure[i] < b->measure[i]) == o->rules[i].descending ? 1 : -1;
    for (uint32_t k = 0; k < o->nkeys; k++) {
        bool has;
        sym_t va = labelset_get(o->s->nodes[a->first].labels, o->keys[k], &has), vb = labelset_get(o->s->nodes[b->first].labels, o->keys[k], &has);
        int c = va == vb ? 0 : str_cmp(symbol_text(&o->s->sym, va), symbol_text(&o->s->sym, vb));
        if (c)
            return c;
    }
    return 0;
}

static void measure(const struct order *o, struct domain *d, node_id n)
{
    const struct sched *s = o->s;
    for (uint32_t i = 0; i < o->nrules; i++) {
        uint16_t r = o->rules[i].resource;
        int64_t amount = o->rules[i].by_available ? MAX(view_free(&s->view, n, r), (int64_t)0) : s->alloc[r] ? s->alloc[r][n] : 0;
        d->measure[i] = MIN(d->measure[i] + amount, INT64_MAX / 2); /* amounts are small against that */
    }
}

/* Measures of the domains around each: by fewer keys than they are made of. */
static void measure_wider(const struct order *o, struct domain *d, uint32_t n_domains, const uint64_t *nodes)
{
    const struct sched *s = o->s;
    uint32_t words = s->view.words;
    uint32_t *id = xarray((size_t)words * 64, uint32_t);
    for (uint32_t level = 0; level + 1 < o->nrules; level++) {
        uint32_t n = number_domains(s, o->keys, level + 1, nodes, id);
        int64_t *sum = xarray(n + 1, int64_t);
        bits_foreach(at, nodes, words)
            sum[id[at]] = MIN(sum[id[at]] + MAX(view_free(&s->view, at, o->rules[level].resource), (int64_t)0), INT64_MAX / 2);
        for (uint32_t i = 0; i < n_domains; i++)
            d[i].measure[level] = sum[id[d[i].first]];
        free(sum);
    }
    free(id);
}

void unit_domains(const struct sched *s, unit_id u, const sym_t *keys, uint32_t nkeys, const uint64_t *nodes, struct node_sets *ret)
{
    uint32_t words = s->view.words;
    uint32_t *id = xarray((size_t)words * 64, uint32_t);
    uint32_t n_domains = number_domains(s, keys, nkeys, nodes, id);
    struct domain *d = xarray(n_domains + 1, struct domain);
    struct order o = order_of(s, u, keys, nkeys);
    bits_foreach(n, nodes, words)
    {
        if (!id[n])
            continue;
        struct domain *at = &d[id[n] - 1];
        if (!at->id)
            *at = (struct domain){.id = id[n], .first = n};
        measure(&o, at, n);
    }
    if (o.by_level && o.nrules > 1)
        measure_wider(&o, d, n_domains, nodes);
    qsort_r(d, n_domains, sizeof *d, domain_cmp, &o);
    uint64_t **set = xarray(n_domains + 1, uint64_t *);
    for (uint32_t i = 0; i < n_domains; i++) {
        uint64_t *bits = xarray(words, uint64_t);
        set[d[i].id] = bits;
        vec_push(&ret->sets, bits);
    }
    bits_foreach(n, nodes, words)
        if (id[n])
            bit_set(set[id[n]], n);
    free(set);
    free(d);
    free(id);
}

/* --- members that run already -------------------------------------------------------------------------------------------------------- */
static bool is_below(const struct unit *unit, uint16_t sub, uint16_t top)
{
    while (sub != top && sub < unit->nsubgroups)
        sub = unit->subgroups[sub].parent;
    return sub == top || top == SUBGROUP_NONE;
}

void unit_keep_running_domains(const struct sched *s, unit_id u, uint16_t subgroup, const sym_t *keys, uint32_t nkeys, uint64_t *nodes)
{
    const struct unit *unit = &s->units[u];
    uint32_t words = s->view.words;
    uint32_t *id = NULL;
    uint8_t *runs = NULL;
    bool any = false;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        if ((p->state != PS_ASSUMED && p->state != PS_BOUND) || !is_below(unit, p->subgroup, subgroup))
            continue;
        if (!id) {
            id = xarray((size_t)words * 64, uint32_t);
            /* over all nodes: a member may run where the unit could not start one now */
            runs = xarray(number_domains(s, keys, nkeys, s->alive, id) + 1, uint8_t);
        }
        runs[id[p->node]] = 1;
        any |= id[p->node] != 0;
    }
    for (uint32_t n = 0; any && n < words * 64; n++)
        if (bit_get(nodes, n) && (id[n] == 0 || !runs[id[n]]))
            bit_clear(nodes, n);
    free(id);
    free(runs);
}
