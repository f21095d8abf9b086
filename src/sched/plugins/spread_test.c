/* spread_test.c - PodTopologySpread against plain loops over nodes and pods, on random worlds that keep changing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "sched/engine/terms_world.h"
#include "sched/plugins/plugins.h"

struct constraints {
    struct spec_spread p[4];
    size_t n;
    bool all_keys; /* nodes need the keys of all */
};

/* What the test's profile gives pods without constraints. */
static struct spec_spread defaults[4];
static size_t ndefaults;
static bool system_defaults;

static struct constraints constraints_of(const struct pod_spec *p, bool hard)
{
    struct constraints c = {.all_keys = p->nspread > 0 || !system_defaults};
    for (size_t i = 0; i < p->nspread; i++)
        if (p->spread[i].hard == hard)
            c.p[c.n++] = p->spread[i];
    if (p->nspread || !p->default_spread_owned || p->default_spread_selector.n == 0 || p->default_spread_selector.none)
        return c;
    for (size_t i = 0; i < ndefaults; i++)
        if (defaults[i].hard == hard) {
            c.p[c.n] = defaults[i];
            c.p[c.n++].selector = p->default_spread_selector;
        }
    return c;
}

static bool selects_node(const struct pod_spec *p, const struct node_spec *n)
{
    str v;
    for (size_t i = 0; i < p->node_selector.n; i++)
        if (!tw_label(n->labels, p->node_selector.p[i].key, &v) || !str_eq(v, p->node_selector.p[i].value))
            return false;
    for (size_t i = 0; i < p->nrequired_terms; i++)
        if (tw_selects(&p->required_terms[i].labels, n->labels))
            return true;
    return !p->has_required;
}

static bool tolerates(const struct pod_spec *p, const struct node_spec *n)
{
    for (size_t i = 0; i < n->ntaints; i++) {
        const struct spec_taint *t = &n->taints[i];
        bool ok = t->effect == TAINT_PREFER_NO_SCHEDULE;
        for (size_t k = 0; k < p->ntolerations; k++) {
            const struct spec_toleration *x = &p->tolerations[k];
            ok |= str_eq(x->key, t->key) && (x->op == TOLERATE_EXISTS || str_eq(x->value, t->value)) && (x->effect == -1 || x->effect == (int)t->effect);
        }
        if (!ok)
            return false;
    }
    return true;
}

static bool has_keys(const struct constraints *c, const struct node_spec *n)
{
    str v;
    for (size_t i = 0; i < c->n; i++)
        if (!tw_label(n->labels, c->p[i].topology_key, &v))
            return false;
    return true;
}

static bool counts(const struct constraints *c, size_t i, const struct pod_spec *p, const struct node_spec *n)
{
    return (!c->all_keys || has_keys(c, n)) && (c->p[i].affinity_policy == SPREAD_IGNORE || selects_node(p, n)) && (c->p[i].taints_policy == SPREAD_IGNORE || tolerates(p, n));
}

static int pods_matching(const struct tw *w, const struct pod_spec *p, const struct spec_selector *sel, const struct node_spec *n)
{
    int found = 0;
    for (uint32_t k = 0; k < w->npods && sel->n; k++)
        found += tw_where(w, k) == n && w->s->pods[w->pods[k].id].state != PS_TERMINATING && str_eq(w->pods[k].spec.ns, p->ns) && tw_selects(sel, w->pods[k].spec.labels);
    return found;
}

/* Matching pods of the domain over nodes that count; -1: no node of it counts. */
static int domain_count(const struct tw *w, const struct constraints *c, size_t i, const struct pod_spec *p, str value)
{
    int found = -1;
    for (uint32_t k = 0; k < w->nnodes; k++) {
        const struct node_spec *n = &w->nodes[k].spec;
        str v;
        if (!w->nodes[k].there || !tw_label(n->labels, c->p[i].topology_key, &v) || !str_eq(v, value) || !counts(c, i, p, n))
            continue;
        found = MAX(found, 0) + pods_matching(w, p, &c->p[i].selector, n);
    }
    return found;
}

/* Smallest over the domains, once for each constraint and pod: the loop over it is what makes this test slow. */
static int minimum(const struct tw *w, const struct constraints *c, size_t i, const struct pod_spec *p)
{
    str seen[TW_NODES];
    int nseen = 0, min = INT32_MAX, ndomains = 0;
    for (uint32_t k = 0; k < w->nnodes; k++) {
        str v;
        bool known = false;
        if (!w->nodes[k].there || !tw_label(w->nodes[k].spec.labels, c->p[i].topology_key, &v))
            continue;
        for (int j = 0; j < nseen; j++)
            known |= str_eq(seen[j], v);
        if (known)
            continue;
        seen[nseen++] = v;
        int found = domain_count(w, c, i, p, v);
        ndomains += found >= 0;
        if (found >= 0)
            min = MIN(min, found);
    }
    return ndomains < MAX(c->p[i].min_domains, 1) ? 0 : min;
}

static struct constraints now_hard;
static int now_min[4];

static struct tw_verdict want(struct tw *w, uint32_t pod, const struct node_spec *n)
{
    const struct pod_spec *p = &w->pods[pod].spec;
    for (size_t i = 0; i < now_hard.n; i++) {
        const struct spec_spread *x = &now_hard.p[i];
        str v;
        if (!tw_label(n->labels, x->topology_key, &v))
            return (struct tw_verdict){1, true};
        int here = MAX(domain_count(w, &now_hard, i, p, v), 0);
        if (here + tw_selects(&x->selector, p->labels) - now_min[i] > x->max_skew)
            return (struct tw_verdict){0, false};
    }
    return (struct tw_verdict){-1, false};
}

static int domains_of(const struct tw *w, const struct constraints *c, size_t i, const uint64_t *fits)
{
    str seen[TW_NODES];
    int n = 0, nodes = 0;
    for (uint32_t k = 0; k < w->nnodes; k++) {
        const struct node_spec *x = &w->nodes[k].spec;
        str v = S("");
        if (!w->nodes[k].there || !bit_get(fits, sched_node_find(w->s, x->name)) || (c->all_keys && !has_keys(c, x)))
            continue;
        nodes++;
        tw_label(x->labels, c->p[i].topology_key, &v);
        bool known = false;
        for (int j = 0; j < n; j++)
            known |= str_eq(seen[j], v);
        if (!known)
            seen[n++] = v;
    }
    return str_is(c->p[i].topology_key, TW_HOST) ? nodes : n;
}

static int64_t want_score(const struct tw *w, const struct constraints *c, const struct pod_spec *p, const struct node_spec *n, const double *weight)
{
    double sum = 0;
    if (c->all_keys && !has_keys(c, n))
        return -1;
    for (size_t i = 0; i < c->n; i++) {
        str v;
        if (!tw_label(n->labels, c->p[i].topology_key, &v))
            continue;
        int count = str_is(c->p[i].topology_key, TW_HOST) ? pods_matching(w, p, &c->p[i].selector, n) : MAX(domain_count(w, c, i, p, v), 0);
        double part = (double)count * weight[i];
        sum += part + (double)(c->p[i].max_skew - 1);
    }
    return (int64_t)round(sum);
}

static void compare_scores(struct tw *w, uint32_t pod)
{
    const struct sched *s = w->s;
    const struct sched_plugin *p = &plugin_pod_topology_spread;
    const struct pod_spec *spec = &w->pods[pod].spec;
    const struct pod_class *c = class_of(s, w->pods[pod].id);
    const void *args = tw_args(w, p->name);
    struct constraints soft = constraints_of(spec, false);
    T_EQ_INT(p->uses_score(s, c, args), soft.n > 0);
    if (soft.n == 0)
        return;
    uint64_t fits[TW_NODES / 64] = {0};
    int64_t raw[TW_NODES], wanted[TW_NODES] = {0}, min = INT64_MAX, max = 0;
    double weight[4];
    uint32_t drop = tw_below(w, 3) * 30;
    for (uint32_t i = 0; i < w->nnodes; i++)
        if (w->nodes[i].there && !tw_chance(w, drop))
            bit_set(fits, sched_node_find(s, w->nodes[i].spec.name));
    for (size_t i = 0; i < soft.n; i++)
        weight[i] = log((double)domains_of(w, &soft, i, fits) + 2);
    for (uint32_t i = 0; i < w->nnodes; i++) {
        node_id n = w->nodes[i].there ? sched_node_find(s, w->nodes[i].spec.name) : NODE_NONE;
        if (n == NODE_NONE || !bit_get(fits, n))
            continue;
        wanted[n] = want_score(w, &soft, spec, &w->nodes[i].spec, weight);
        if (wanted[n] >= 0) {
            min = MIN(min, wanted[n]);
            max = MAX(max, wanted[n]);
        }
    }
    memset(raw, 0x5a, sizeof raw);
    p->score(&s->view, c, args, fits, raw);
    bits_foreach(n, fits, s->view.words)
        T_EQ_INT(raw[n], wanted[n]);
    p->normalize(&s->view, c, args, fits, raw);
    bits_foreach(n, fits, s->view.words)
        T_EQ_INT(raw[n], wanted[n] < 0 ? 0 : max == 0 ? 100 : 100 * (max + min - wanted[n]) / max);
}

static void run(const char *profile, uint64_t seed, uint32_t nodes, uint32_t pods, uint32_t rounds)
{
    struct tw *w = tw_new(profile, seed, nodes, pods, false, true);
    for (uint32_t i = 0; i < rounds && !test_failures_; i++) {
        for (uint32_t k = 0; k < 10; k++)
            tw_change(w);
        for (uint32_t k = 0; k < 3 && !test_failures_; k++) {
            uint32_t pod = tw_below(w, w->npods);
            if (w->s->pods[w->pods[pod].id].state != PS_PENDING)
                continue;
            now_hard = constraints_of(&w->pods[pod].spec, true);
            for (size_t j = 0; j < now_hard.n; j++)
                now_min[j] = minimum(w, &now_hard, j, &w->pods[pod].spec);
            tw_compare_filter(w, &plugin_pod_topology_spread, pod, want);
            compare_scores(w, pod);
        }
    }
    tw_free(w);
}

static void use_system_defaults(void)
{
    system_defaults = true;
    ndefaults = 2;
    defaults[0] = (struct spec_spread){.topology_key = S(TW_HOST), .max_skew = 3, .affinity_policy = SPREAD_HONOR, .taints_policy = SPREAD_IGNORE};
    defaults[1] = (struct spec_spread){.topology_key = S(TW_ZONE), .max_skew = 5, .affinity_policy = SPREAD_HONOR, .taints_policy = SPREAD_IGNORE};
}

TEST(agrees_with_loops_over_pods)
{
    use_system_defaults();
    for (uint64_t seed = 1; seed <= 8 && !test_failures_; seed++)
        run("name: t\n", seed, 12, 40, 50);
}

TEST(agrees_on_many_domains)
{
    use_system_defaults();
    for (uint64_t seed = 1; seed <= 2 && !test_failures_; seed++)
        run("name: t\n", seed, 150, 100, 12);
}

TEST(agrees_with_listed_defaults)
{
    ndefaults = 3;
    defaults[0] = (struct spec_spread){S("rack"), 2, 0, true, SPREAD_HONOR, SPREAD_IGNORE, {0}};
    defaults[1] = (struct spec_spread){S(TW_ZONE), 1, 3, true, SPREAD_IGNORE, SPREAD_HONOR, {0}};
    defaults[2] = (struct spec_spread){S(TW_HOST), 4, 0, false, SPREAD_HONOR, SPREAD_IGNORE, {0}};
    run("name: t\nplugins:\n  PodTopologySpread:\n    weight: 2\n    args:\n      defaultingType: List\n      defaultConstraints:\n"
        "      - {topologyKey: rack, maxSkew: 2, whenUnsatisfiable: DoNotSchedule}\n"
        "      - {topologyKey: " TW_ZONE ", maxSkew: 1, minDomains: 3, whenUnsatisfiable: DoNotSchedule, nodeAffinityPolicy: Ignore, nodeTaintsPolicy: Honor}\n"
        "      - {topologyKey: " TW_HOST ", maxSkew: 4, whenUnsatisfiable: ScheduleAnyway}\n",
        5, 12, 40, 80);
    ndefaults = 0;
    run("name: t\nplugins: {PodTopologySpread: {weight: 2, args: {defaultingType: List}}}\n", 6, 12, 40, 40);
}

TEST(refuses_bad_arguments)
{
    static const char *const bad[][2] = {
        {"{defaultingType: Lists}", "defaultingType"},
        {"{defaultConstraints: [{topologyKey: zone, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}", "defaultConstraints"},
        {"{defaultingType: List, defaultConstraints: 7}", "defaultConstraints"},
        {"{defaultingType: List, defaultConstraints: [{topologyKey: zone, maxSkew: 0, whenUnsatisfiable: DoNotSchedule}]}", "defaultConstraints[0].maxSkew"},
        {"{defaultingType: List, defaultConstraints: [{topologyKey: zone, maxSkew: 1}]}", "defaultConstraints[0].whenUnsatisfiable"},
        {"{defaultingType: List, defaultConstraints: [{maxSkew: 1, whenUnsatisfiable: DoNotSchedule}]}", "defaultConstraints[0].topologyKey"},
        {"{defaultingType: List, defaultConstraints: [{topologyKey: a, maxSkew: 1, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}]}", "defaultConstraints[0].labelSelector"},
        {"{defaultingType: List, defaultConstraints: [{topologyKey: a, maxSkew: 1, whenUnsatisfiable: DoNotSchedule}, {topologyKey: a, maxSkew: 2, whenUnsatisfiable: DoNotSchedule}]}",
         "defaultConstraints[1]"},
        {"{spread: far}", "spread"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct sched_profile *p = NULL;
        struct err err = ERR_NONE;
        T_ERR(profile_parse(arena_fmt(&a, "name: t\nplugins: {PodTopologySpread: {weight: 2, args: %s}}\n", bad[i][0]), S("t.yaml"), &p, &err), E_INVALID_ARG);
        T_OK(str_find(str_of(err.msg), str_of(bad[i][1])) >= 0);
    }
}

TEST_MAIN(agrees_with_loops_over_pods, agrees_on_many_domains, agrees_with_listed_defaults, refuses_bad_arguments)
