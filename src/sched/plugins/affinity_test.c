/* affinity_test.c - InterPodAffinity against a plain loop over all pods and terms, on random worlds that keep changing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/terms_world.h"
#include "sched/engine/terms.h"
#include "sched/plugins/plugins.h"

static struct spec_labels ns_labels(const struct tw *w, str ns)
{
    for (uint32_t i = 0; i < TW_NS; i++)
        if (str_eq(tw_ns(i), ns))
            return w->ns_labels[i];
    return (struct spec_labels){0};
}

/* Does the owner's term match the pod? */
static bool matches(const struct tw *w, const struct spec_pod_term *t, const struct pod_spec *owner, const struct pod_spec *pod)
{
    bool ns = t->nnamespaces == 0 && !t->has_namespace_selector && str_eq(owner->ns, pod->ns);
    for (size_t i = 0; i < t->nnamespaces; i++)
        ns |= str_eq(t->namespaces[i], pod->ns);
    ns |= t->has_namespace_selector && tw_selects(&t->namespace_selector, ns_labels(w, pod->ns));
    return ns && tw_selects(&t->selector, pod->labels);
}

static bool matches_all(const struct tw *w, const struct pod_spec *owner, const struct pod_spec *pod)
{
    for (size_t i = 0; i < owner->naffinity; i++)
        if (!matches(w, &owner->affinity[i], owner, pod))
            return false;
    return owner->naffinity > 0;
}

static bool near(const struct tw *w, const struct pod_spec *p, const struct node_spec *n)
{
    bool all = true, anywhere = false;
    for (size_t i = 0; i < p->naffinity; i++) {
        str key = p->affinity[i].topology_key, value;
        bool here = false;
        if (!tw_label(n->labels, key, &value))
            return false;
        for (uint32_t k = 0; k < w->npods; k++) {
            const struct node_spec *at = tw_where(w, k);
            if (!at || !matches_all(w, p, &w->pods[k].spec))
                continue;
            here |= tw_same_domain(at->labels, n->labels, key);
            anywhere |= tw_label(at->labels, key, &value);
        }
        all &= here;
    }
    return all || (!anywhere && matches_all(w, p, p));
}

static struct tw_verdict want(struct tw *w, uint32_t pod, const struct node_spec *n)
{
    const struct pod_spec *p = &w->pods[pod].spec;
    if (!near(w, p, n))
        return (struct tw_verdict){0, true};
    bool existing = false;
    for (uint32_t k = 0; k < w->npods; k++) {
        const struct node_spec *at = tw_where(w, k);
        if (!at)
            continue;
        const struct pod_spec *x = &w->pods[k].spec;
        for (size_t i = 0; i < p->nanti_affinity; i++)
            if (matches(w, &p->anti_affinity[i], p, x) && tw_same_domain(at->labels, n->labels, p->anti_affinity[i].topology_key))
                return (struct tw_verdict){1, false};
        for (size_t i = 0; i < x->nanti_affinity; i++)
            existing |= matches(w, &x->anti_affinity[i], x, p) && tw_same_domain(at->labels, n->labels, x->anti_affinity[i].topology_key);
    }
    return (struct tw_verdict){existing ? 2 : -1, false};
}

static int64_t sum_terms(const struct tw *w, const struct spec_pod_term *t, size_t n, const struct pod_spec *owner, const struct pod_spec *pod, const struct node_spec *at,
                         const struct node_spec *node, int64_t weight /* 0: the terms' own */)
{
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        if (matches(w, &t[i], owner, pod) && tw_same_domain(at->labels, node->labels, t[i].topology_key))
            sum += weight ? weight : t[i].weight;
    return sum;
}

static int64_t want_score(const struct tw *w, const struct pod_spec *p, const struct node_spec *n, int hard, bool ignore)
{
    int64_t sum = 0;
    if (ignore && !p->npreferred_affinity && !p->npreferred_anti_affinity)
        return 0;
    for (uint32_t k = 0; k < w->npods; k++) {
        const struct node_spec *at = tw_where(w, k);
        const struct pod_spec *x = &w->pods[k].spec;
        if (!at)
            continue;
        sum += sum_terms(w, p->preferred_affinity, p->npreferred_affinity, p, x, at, n, 0) - sum_terms(w, p->preferred_anti_affinity, p->npreferred_anti_affinity, p, x, at, n, 0);
        sum += sum_terms(w, x->preferred_affinity, x->npreferred_affinity, x, p, at, n, 0) - sum_terms(w, x->preferred_anti_affinity, x->npreferred_anti_affinity, x, p, at, n, 0);
        if (hard)
            sum += sum_terms(w, x->affinity, x->naffinity, x, p, at, n, hard);
    }
    return sum;
}

static void compare_scores(struct tw *w, uint32_t pod, int hard, bool ignore)
{
    const struct sched *s = w->s;
    const struct sched_plugin *p = &plugin_inter_pod_affinity;
    const struct pod_class *c = class_of(s, w->pods[pod].id);
    const void *args = tw_args(w, p->name);
    uint64_t fits[TW_NODES / 64] = {0};
    int64_t raw[TW_NODES], wanted[TW_NODES] = {0}, min = INT64_MAX, max = INT64_MIN;
    uint32_t drop = tw_below(w, 3) * 30;
    for (uint32_t i = 0; i < w->nnodes; i++) {
        if (!w->nodes[i].there || tw_chance(w, drop))
            continue;
        node_id n = sched_node_find(s, w->nodes[i].spec.name);
        bit_set(fits, n);
        wanted[n] = want_score(w, &w->pods[pod].spec, &w->nodes[i].spec, hard, ignore);
        min = MIN(min, wanted[n]);
        max = MAX(max, wanted[n]);
    }
    memset(raw, 0x5a, sizeof raw);
    p->score(&s->view, c, args, fits, raw);
    bits_foreach(n, fits, s->view.words)
    {
        T_EQ_INT(raw[n], wanted[n]);
        T_EQ_INT(p->score_one(&s->view, c, args, n), wanted[n]);
        if (wanted[n] != 0)
            T_OK(p->uses_score(s, c, args));
    }
    p->normalize(&s->view, c, args, fits, raw);
    bits_foreach(n, fits, s->view.words)
        T_EQ_INT(raw[n], max > min ? (int64_t)(100.0 * ((double)(wanted[n] - min) / (double)(max - min))) : 0);
}

static void run(const char *profile, uint64_t seed, uint32_t nodes, uint32_t pods, uint32_t rounds, int hard, bool ignore)
{
    struct tw *w = tw_new(profile, seed, nodes, pods, true, false);
    for (uint32_t i = 0; i < rounds && !test_failures_; i++) {
        for (uint32_t k = 0; k < 10; k++)
            tw_change(w);
        for (uint32_t k = 0; k < 3 && !test_failures_; k++) {
            uint32_t pod = tw_below(w, w->npods);
            if (w->s->pods[w->pods[pod].id].state != PS_PENDING)
                continue;
            tw_compare_filter(w, &plugin_inter_pod_affinity, pod, want);
            compare_scores(w, pod, hard, ignore);
        }
    }
    tw_free(w);
}

TEST(agrees_with_loops_over_pods)
{
    for (uint64_t seed = 1; seed <= 12 && !test_failures_; seed++)
        run("name: t\n", seed, 12, 40, 60, 1, false);
}

TEST(agrees_on_many_domains)
{
    for (uint64_t seed = 1; seed <= 2 && !test_failures_; seed++)
        run("name: t\n", seed, 200, 120, 40, 1, false);
}

TEST(agrees_with_other_arguments)
{
    run("name: t\nplugins: {InterPodAffinity: {weight: 2, args: {hardPodAffinityWeight: 0}}}\n", 3, 12, 40, 60, 0, false);
    run("name: t\nplugins: {InterPodAffinity: {weight: 2, args: {hardPodAffinityWeight: 50, ignorePreferredTermsOfExistingPods: true}}}\n", 4, 12, 40, 60, 50, true);
}

/* Wide ranges do not go through the table. */
TEST(normalises_wide_ranges)
{
    struct tw *w = tw_new("name: t\n", 1, 70, 1, false, false);
    uint64_t fits[TW_NODES / 64];
    int64_t raw[TW_NODES], was[TW_NODES];
    memcpy(fits, w->s->alive, w->s->view.words * sizeof *fits);
    bit_clear(fits, 3);
    for (uint32_t n = 0; n < 70; n++)
        raw[n] = was[n] = (int64_t)n * 7919 % 70 * 4321 - 100000;
    raw[3] = was[3] = -9000000; /* does not fit: does not count */
    int64_t min = INT64_MAX, max = INT64_MIN;
    for (uint32_t n = 0; n < 70; n++)
        if (n != 3) {
            min = MIN(min, was[n]);
            max = MAX(max, was[n]);
        }
    plugin_inter_pod_affinity.normalize(&w->s->view, class_of(w->s, w->pods[0].id), NULL, fits, raw);
    for (uint32_t n = 0; n < 70; n++)
        if (n != 3)
            T_EQ_INT(raw[n], (int64_t)(100.0 * ((double)(was[n] - min) / (double)(max - min))));
    tw_free(w);
}

TEST(refuses_bad_arguments)
{
    static const char *const bad[][2] = {
        {"{hardPodAffinityWeight: 101}", "hardPodAffinityWeight"},
        {"{hardPodAffinityWeight: soon}", "hardPodAffinityWeight"},
        {"{ignorePreferredTermsOfExistingPods: 3}", "ignorePreferredTermsOfExistingPods"},
        {"{softPodAffinityWeight: 1}", "softPodAffinityWeight"},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct sched_profile *p = NULL;
        struct err err = ERR_NONE;
        T_ERR(profile_parse(arena_fmt(&a, "name: t\nplugins: {InterPodAffinity: {weight: 2, args: %s}}\n", bad[i][0]), S("t.yaml"), &p, &err), E_INVALID_ARG);
        T_OK(str_find(str_of(err.msg), str_of(bad[i][1])) >= 0);
    }
}

TEST_MAIN(agrees_with_loops_over_pods, agrees_on_many_domains, agrees_with_other_arguments, normalises_wide_ranges, refuses_bad_arguments)
