/* terms_world.h - random small clusters for the tests of terms, affinity and spread, and the plain rules of matching over their specs.
 *
 * Specs stay with the world, so that a test can say what must be by looping over all pods and comparing strings; where pods are is read
 * from the engine. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/statement.h"

#define TW_NODES 256
#define TW_PODS 256
#define TW_NS 4
#define TW_HOST "kubernetes.io/hostname"
#define TW_ZONE "topology.kubernetes.io/zone"

struct tw_node {
    struct node_spec spec;
    bool there;
};
struct tw_pod {
    struct pod_spec spec;
    pod_id id;
};
struct tw {
    struct sched *s;
    struct rng rng;
    struct arena a;
    struct tw_node nodes[TW_NODES];
    struct tw_pod pods[TW_PODS];
    uint32_t nnodes, npods, racks;
    struct spec_labels ns_labels[TW_NS];
    bool terms, spread; /* what pods are given */
    uint32_t serial;
};

static inline uint32_t tw_below(struct tw *w, uint32_t n)
{
    return (uint32_t)rng_below(&w->rng, n);
}
static inline bool tw_chance(struct tw *w, uint32_t percent)
{
    return tw_below(w, 100) < percent;
}
static inline str tw_pick(struct tw *w, const char *const *of, uint32_t n)
{
    return str_of(of[tw_below(w, n)]);
}
static inline str tw_ns(uint32_t i)
{
    static const char *const names[TW_NS] = {"default", "blue", "green", "other"};
    return str_of(names[i]);
}

/* --- making specs -------------------------------------------------------------------------------------------------------------------- */
static const char *const tw_values[] = {"a", "b", "c"};
static const char *const tw_keys[] = {"app", "tier", "team"};
static const char *const tw_topologies[] = {TW_HOST, TW_ZONE, "rack", "half"};

static inline struct spec_labels tw_labels(struct tw *w)
{
    struct spec_label *p = arena_array(&w->a, 3, struct spec_label);
    size_t n = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (tw_chance(w, i == 0 ? 90 : 40))
            p[n++] = (struct spec_label){str_of(tw_keys[i]), tw_pick(w, tw_values, 3)};
    return (struct spec_labels){p, n};
}

static inline struct spec_selector tw_selector(struct tw *w)
{
    struct spec_requirement *p = arena_array(&w->a, 2, struct spec_requirement);
    size_t n = tw_chance(w, 5) ? 0 : 1 + tw_chance(w, 30);
    for (size_t i = 0; i < n; i++) {
        uint32_t op = tw_below(w, 10);
        p[i] = (struct spec_requirement){.key = tw_pick(w, tw_keys, 3), .op = op < 7 ? OP_IN : op == 7 ? OP_NOT_IN : op == 8 ? OP_EXISTS : OP_NOT_EXISTS};
        if (p[i].op > OP_NOT_IN)
            continue;
        str *v = arena_array(&w->a, 3, str);
        p[i].nvalues = 1 + tw_below(w, 3);
        for (size_t k = 0; k < p[i].nvalues; k++)
            v[k] = tw_pick(w, tw_values, 3); /* sometimes twice the same */
        p[i].values = v;
    }
    return (struct spec_selector){p, n, tw_chance(w, 2)};
}

static inline const struct spec_pod_term *tw_terms(struct tw *w, uint32_t percent, size_t *ret_n)
{
    struct spec_pod_term *p = arena_array(&w->a, 3, struct spec_pod_term);
    *ret_n = tw_chance(w, percent) ? 1 + tw_below(w, 3) : 0;
    for (size_t i = 0; i < *ret_n; i++) {
        p[i] = (struct spec_pod_term){.selector = tw_selector(w), .topology_key = tw_pick(w, tw_topologies, 4), .weight = 1 + (int32_t)tw_below(w, 100)};
        if (tw_chance(w, 25)) {
            str *ns = arena_array(&w->a, 2, str);
            p[i].nnamespaces = 1 + tw_below(w, 2);
            for (size_t k = 0; k < p[i].nnamespaces; k++)
                ns[k] = tw_ns(tw_below(w, TW_NS));
            p[i].namespaces = ns;
        }
        if (tw_chance(w, 30)) {
            p[i].has_namespace_selector = true;
            p[i].namespace_selector = tw_selector(w);
        }
    }
    return p;
}

static inline const struct spec_spread *tw_spreads(struct tw *w, size_t *ret_n)
{
    struct spec_spread *p = arena_array(&w->a, 4, struct spec_spread);
    *ret_n = tw_chance(w, 70) ? 1 + tw_below(w, 4) : 0;
    for (size_t i = 0; i < *ret_n; i++)
        p[i] = (struct spec_spread){tw_pick(w, tw_topologies, 4), 1 + (int32_t)tw_below(w, 4), (int32_t)tw_below(w, 6), tw_chance(w, 50),
                                    tw_chance(w, 70) ? SPREAD_HONOR : SPREAD_IGNORE, tw_chance(w, 40) ? SPREAD_HONOR : SPREAD_IGNORE, tw_selector(w)};
    return p;
}

/* Node selectors, required terms and tolerations, for the eligibility of nodes. */
static inline void tw_node_rules(struct tw *w, struct pod_spec *p)
{
    if (tw_chance(w, 20)) {
        struct spec_label *l = arena_new(&w->a, struct spec_label);
        *l = (struct spec_label){S("half"), tw_pick(w, tw_values, 2)};
        p->node_selector = (struct spec_labels){l, 1};
    }
    if (tw_chance(w, 20)) {
        struct spec_node_term *t = arena_array(&w->a, 2, struct spec_node_term);
        for (size_t i = 0; i < 2; i++) {
            struct spec_requirement *r = arena_new(&w->a, struct spec_requirement);
            str *v = arena_new(&w->a, str);
            *v = str_of(i ? "z1" : "z0");
            *r = (struct spec_requirement){S(TW_ZONE), tw_chance(w, 50) ? OP_IN : OP_NOT_IN, v, 1};
            t[i].labels = (struct spec_selector){r, 1, false};
        }
        p->required_terms = t;
        p->nrequired_terms = tw_below(w, 3);
        p->has_required = true;
    }
    if (tw_chance(w, 40)) {
        struct spec_toleration *t = arena_new(&w->a, struct spec_toleration);
        *t = (struct spec_toleration){S("dedicated"), tw_chance(w, 50) ? TOLERATE_EXISTS : TOLERATE_EQUAL, tw_pick(w, tw_values, 2), (int)tw_below(w, 4) - 1};
        p->tolerations = t;
        p->ntolerations = 1;
    }
}

static inline struct pod_spec tw_pod_spec(struct tw *w)
{
    struct pod_spec p = {.ns = tw_ns(tw_below(w, TW_NS)), .name = arena_fmt(&w->a, "p%u", w->serial++), .labels = tw_labels(w)};
    if (w->terms) {
        p.affinity = tw_terms(w, 25, &p.naffinity);
        p.anti_affinity = tw_terms(w, 25, &p.nanti_affinity);
        p.preferred_affinity = tw_terms(w, 30, &p.npreferred_affinity);
        p.preferred_anti_affinity = tw_terms(w, 30, &p.npreferred_anti_affinity);
    }
    if (w->spread) {
        tw_node_rules(w, &p);
        p.spread = tw_spreads(w, &p.nspread);
        p.default_spread_owned = tw_chance(w, 80);
        p.default_spread_selector = tw_selector(w);
    }
    return p;
}

static inline void tw_node_put(struct tw *w, uint32_t i)
{
    struct spec_label *l = arena_array(&w->a, 4, struct spec_label);
    struct spec_taint *t = arena_new(&w->a, struct spec_taint);
    struct node_spec *n = &w->nodes[i].spec;
    *n = (struct node_spec){.name = arena_fmt(&w->a, "n%u", i), .taints = t};
    size_t k = 0;
    if (tw_chance(w, 95)) /* now and then two nodes say they are the same host */
        l[k++] = (struct spec_label){S(TW_HOST), tw_chance(w, 95) ? n->name : S("twin")};
    if (tw_chance(w, 90))
        l[k++] = (struct spec_label){S(TW_ZONE), arena_fmt(&w->a, "z%u", tw_below(w, 4))};
    if (tw_chance(w, 85))
        l[k++] = (struct spec_label){S("rack"), arena_fmt(&w->a, "r%u", tw_below(w, w->racks))};
    if (tw_chance(w, 95))
        l[k++] = (struct spec_label){S("half"), tw_pick(w, tw_values, 2)};
    n->labels = (struct spec_labels){l, k};
    *t = (struct spec_taint){S("dedicated"), tw_pick(w, tw_values, 2), tw_below(w, 3)};
    n->ntaints = tw_chance(w, 30);
    w->nodes[i].there = true;
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(w->s, n, NULL, &err), &err);
}

static inline void tw_pod_put(struct tw *w, uint32_t i)
{
    struct err err = ERR_NONE;
    w->pods[i].spec = tw_pod_spec(w);
    T_NO_ERR(sched_pod_put(w->s, &w->pods[i].spec, &w->pods[i].id, &err), &err);
}

static inline void tw_ns_put(struct tw *w, uint32_t i)
{
    if (tw_chance(w, 20)) {
        sched_namespace_delete(w->s, tw_ns(i));
        w->ns_labels[i] = (struct spec_labels){0};
        return;
    }
    w->ns_labels[i] = tw_labels(w);
    sched_namespace_put(w->s, tw_ns(i), w->ns_labels[i]);
}

/* --- changes ------------------------------------------------------------------------------------------------------------------------- */
static inline void tw_place(struct tw *w)
{
    uint32_t i = tw_below(w, w->npods), n = tw_below(w, w->nnodes);
    static const enum pod_state states[] = {PS_ASSUMED, PS_ASSUMED, PS_BOUND, PS_TERMINATING, PS_NOMINATED};
    pod_id p = w->pods[i].id;
    if (w->s->pods[p].state == PS_PENDING && w->nodes[n].there)
        model_assign(w->s, p, sched_node_find(w->s, w->nodes[n].spec.name), states[tw_below(w, 5)], 0);
}

static inline void tw_unplace(struct tw *w)
{
    pod_id p = w->pods[tw_below(w, w->npods)].id;
    if (!pod_on_node(&w->s->pods[p]))
        return;
    if (tw_chance(w, 60))
        model_unassign(w->s, p);
    else
        model_set_state(w->s, p, tw_chance(w, 50) ? PS_TERMINATING : PS_BOUND);
}

static inline void tw_replace_pod(struct tw *w)
{
    uint32_t i = tw_below(w, w->npods);
    sched_pod_delete(w->s, w->pods[i].spec.ns, w->pods[i].spec.name);
    tw_pod_put(w, i);
}

static inline void tw_change_node(struct tw *w)
{
    uint32_t i = tw_below(w, w->nnodes);
    if (w->nodes[i].there && tw_chance(w, 40)) {
        sched_node_delete(w->s, w->nodes[i].spec.name);
        w->nodes[i].there = false;
        for (uint32_t k = 0; k < w->npods; k++) /* bound pods wait for the node: away with them */
            if (w->s->pods[w->pods[k].id].state == PS_ELSEWHERE) {
                sched_pod_delete(w->s, w->pods[k].spec.ns, w->pods[k].spec.name);
                tw_pod_put(w, k);
            }
        return;
    }
    tw_node_put(w, i);
}

static inline void tw_change(struct tw *w)
{
    uint32_t what = tw_below(w, 100);
    if (what < 55)
        tw_place(w);
    else if (what < 75)
        tw_unplace(w);
    else if (what < 85)
        tw_change_node(w);
    else if (what < 90)
        tw_ns_put(w, tw_below(w, TW_NS));
    else
        tw_replace_pod(w);
}

static inline struct tw *tw_new(const char *profile_yaml, uint64_t seed, uint32_t nnodes, uint32_t npods, bool terms, bool spread)
{
    struct tw *w = xnew(struct tw);
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    rng_seed(&w->rng, seed);
    T_NO_ERR(profile_parse(str_of(profile_yaml), S("test.yaml"), &p, &err), &err);
    w->s = sched_new(p, seed);
    w->nnodes = nnodes;
    w->npods = npods;
    w->racks = nnodes > 100 ? nnodes * 2 / 5 : 5;
    w->terms = terms;
    w->spread = spread;
    for (uint32_t i = 0; i < TW_NS; i++)
        tw_ns_put(w, i);
    for (uint32_t i = 0; i < nnodes; i++)
        tw_node_put(w, i);
    for (uint32_t i = 0; i < npods; i++)
        tw_pod_put(w, i);
    return w;
}

static inline void tw_free(struct tw *w)
{
    sched_free(w->s);
    arena_fini(&w->a);
    free(w);
}

/* --- the plain rules ----------------------------------------------------------------------------------------------------------------- */
static inline bool tw_label(struct spec_labels l, str key, str *ret)
{
    for (size_t i = 0; i < l.n; i++)
        if (str_eq(l.p[i].key, key)) {
            *ret = l.p[i].value;
            return true;
        }
    return false;
}

static inline bool tw_selects(const struct spec_selector *sel, struct spec_labels l)
{
    for (size_t i = 0; i < sel->n; i++) {
        const struct spec_requirement *r = &sel->p[i];
        str v = S("");
        bool has = tw_label(l, r->key, &v), in = false;
        for (size_t k = 0; k < r->nvalues; k++)
            in |= str_eq(r->values[k], v);
        bool ok = r->op == OP_IN ? has && in : r->op == OP_NOT_IN ? !has || !in : r->op == OP_EXISTS ? has : !has;
        if (!ok)
            return false;
    }
    return !sel->none;
}

static inline bool tw_same_domain(struct spec_labels a, struct spec_labels b, str key)
{
    str x, y;
    return tw_label(a, key, &x) && tw_label(b, key, &y) && str_eq(x, y);
}

/* The node a counted pod is on; NULL: it does not count. */
static inline const struct node_spec *tw_where(const struct tw *w, uint32_t i)
{
    const struct pod *p = &w->s->pods[w->pods[i].id];
    if (p->state < PS_ASSUMED)
        return NULL;
    for (uint32_t n = 0; n < w->nnodes; n++)
        if (w->nodes[n].there && str_eq(w->nodes[n].spec.name, sched_node_name(w->s, p->node)))
            return &w->nodes[n].spec;
    BUG_ON(true);
}

static inline const void *tw_args(const struct tw *w, const char *plugin)
{
    return w->s->profile->plugins[profile_index(w->s->profile, plugin)].args;
}

/* Compares a plugin's answers for one pod with what `want` gives for each node: filter, fits_one, reason. */
struct tw_verdict {
    int code; /* -1 fits */
    bool unresolvable;
};
static inline void tw_compare_filter(struct tw *w, const struct sched_plugin *p, uint32_t pod, struct tw_verdict (*want)(struct tw *w, uint32_t pod, const struct node_spec *n))
{
    const struct sched *s = w->s;
    const struct pod_class *c = class_of(s, w->pods[pod].id);
    const void *args = tw_args(w, p->name);
    uint64_t fits[TW_NODES / 64];
    BUG_ON(s->view.words > ARRAY_LEN(fits));
    memcpy(fits, s->alive, s->view.words * sizeof *fits);
    bool uses = p->uses_filter(s, c, args);
    if (uses)
        p->filter(&s->view, c, args, fits);
    for (uint32_t i = 0; i < w->nnodes && !test_failures_; i++) {
        if (!w->nodes[i].there)
            continue;
        node_id n = sched_node_find(s, w->nodes[i].spec.name);
        struct tw_verdict v = want(w, pod, &w->nodes[i].spec);
        struct plug_reason why = {0};
        size_t nwhy = p->explain(&s->view, c, args, n, &why, 1);
        T_EQ_INT(bit_get(fits, n), v.code < 0);
        T_EQ_INT(p->fits_one(&s->view, c, args, n), v.code < 0);
        T_EQ_INT(nwhy, v.code >= 0);
        if (nwhy && v.code >= 0) {
            T_EQ_INT(why.code, v.code);
            T_EQ_INT(why.unresolvable, v.unresolvable);
        }
        T_OK(uses || v.code < 0);
    }
}
