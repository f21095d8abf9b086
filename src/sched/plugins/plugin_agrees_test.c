/* plugin_agrees_test.c - for every plugin of the registry: the answer over all nodes and the answer for one node are the same, classes with equal static
 * keys get equal answers, and a rejected node has a reason. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/place.h"
#include "sched/plugins/plugins.h"
#include "sched/reference/worldgen.h"

struct seen {
    uint32_t filtered, rejected, scored;
};

static void agree_filter(struct sched *s, const struct pod_class *c, const struct profile_plugin *pp, struct seen *seen)
{
    const struct sched_plugin *p = pp->plugin;
    if (!p->filter || !p->fits_one || (p->uses_filter && !p->uses_filter(s, c, pp->args)))
        return;
    uint64_t *fits = xarray(s->view.words, uint64_t);
    memcpy(fits, s->alive, s->view.words * sizeof *fits);
    p->filter(&s->view, c, pp->args, fits);
    bits_foreach(n, s->alive, s->view.words)
    {
        bool one = p->fits_one(&s->view, c, pp->args, n);
        if (one != bit_get(fits, n))
            T_FAIL_("%s: fits_one says %d of node %u, filter %d", p->name, one, n, bit_get(fits, n));
        struct plug_reason why[8];
        size_t reasons = p->explain ? p->explain(&s->view, c, pp->args, n, why, ARRAY_LEN(why)) : !one;
        if ((reasons > 0) == one)
            T_FAIL_("%s: node %u fits: %d, but there are %zu reasons", p->name, n, one, reasons);
        for (size_t i = 0; i < reasons && p->explain; i++)
            T_OK(p->reasons && p->reasons[why[i].code] && (why[i].resource == RES_MAX || why[i].need > why[i].have));
        seen->filtered++;
        seen->rejected += !one;
    }
    for (uint32_t w = 0; w < s->view.words; w++)
        T_EQ_INT(fits[w] & ~s->alive[w], 0); /* bits are only cleared */
    free(fits);
}

static void agree_score(struct sched *s, const struct pod_class *c, const struct profile_plugin *pp, struct rng *r, struct seen *seen)
{
    const struct sched_plugin *p = pp->plugin;
    if (!p->score || !p->score_one || (p->uses_score && !p->uses_score(s, c, pp->args)))
        return;
    uint64_t *fits = xarray(s->view.words, uint64_t);
    int64_t *raw = xarray(s->view.words * 64, int64_t);
    for (uint32_t w = 0; w < s->view.words; w++)
        fits[w] = s->alive[w] & (rng_u64(r) | rng_u64(r));
    /* a score is asked of nodes that fit */
    if (p->filter && (!p->uses_filter || p->uses_filter(s, c, pp->args)))
        p->filter(&s->view, c, pp->args, fits);
    p->score(&s->view, c, pp->args, fits, raw);
    bits_foreach(n, fits, s->view.words)
    {
        int64_t one = p->score_one(&s->view, c, pp->args, n);
        if (one != raw[n])
            T_FAIL_("%s: score_one says %lld of node %u, score %lld", p->name, (long long)one, n, (long long)raw[n]);
        if (p->norm == NORM_NONE)
            T_OK(raw[n] >= 0 && raw[n] <= SCORE_MAX);
        seen->scored++;
    }
    free(fits);
    free(raw);
}

/* Two classes with one key: one answer. */
static void agree_keys(struct sched *s, const struct profile_plugin *pp)
{
    const struct sched_plugin *p = pp->plugin;
    STRBUF_AUTO a = STRBUF_HEAP;
    STRBUF_AUTO b = STRBUF_HEAP;
    for (class_id i = 1; p->static_key && i < s->nclasses; i++)
        for (class_id j = 1; j < i; j++)
            for (int is_score = 0; is_score < 2; is_score++) {
                const struct pod_class *x = s->classes[i], *y = s->classes[j];
                bool ask = is_score ? p->score_one && (!p->uses_score || (p->uses_score(s, x, pp->args) && p->uses_score(s, y, pp->args)))
                                    : p->fits_one && (!p->uses_filter || (p->uses_filter(s, x, pp->args) && p->uses_filter(s, y, pp->args)));
                if (!ask || (is_score ? p->score_scope : p->filter_scope) != PLUG_STATIC)
                    continue; /* nobody asks for its key */
                strbuf_clear(&a);
                strbuf_clear(&b);
                p->static_key(x, is_score, &a);
                p->static_key(y, is_score, &b);
                if (!str_eq(strbuf_str(&a), strbuf_str(&b)))
                    continue;
                bits_foreach(n, s->alive, s->view.words)
                    T_OK(is_score ? p->score_one(&s->view, x, pp->args, n) == p->score_one(&s->view, y, pp->args, n)
                                  : p->fits_one(&s->view, x, pp->args, n) == p->fits_one(&s->view, y, pp->args, n));
            }
}

/* What the generator has none of: gates, node pools, and claims that are there, and not.  (Volumes in all their variety: volumes_test.) */
static void put_rare_pods(struct sched *s)
{
    struct err err = ERR_NONE;
    struct spec_volume there = {.claim = S("there")}, missing = {.claim = S("missing")}, disk = {.disk = S("aws-ebs/x"), .driver = S("d")};
    struct pvc_spec claim = {.ns = S("default"), .name = S("there"), .bytes = 1, .access_modes = 1};
    const struct pod_spec rare[] = {
        {.name = S("gated"), .gates = 2},
        {.name = S("pooled"), .in_pool = true, .place_pool = S("east")},
        {.name = S("unpooled"), .in_pool = true},
        {.name = S("waits"), .volumes = &there, .nvolumes = 1},
        {.name = S("lost"), .volumes = &missing, .nvolumes = 1},
        {.name = S("disk"), .volumes = &disk, .nvolumes = 1, .node = sched_node_name(s, 1), .phase = POD_BOUND},
    };
    struct spec_label label = {S(POOL_LABEL), S("east")};
    T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = S("eastern"), .labels = {&label, 1}}, NULL, &err), &err);
    T_NO_ERR(sched_pvc_put(s, &claim, &err), &err);
    for (size_t i = 0; i < ARRAY_LEN(rare); i++) {
        struct pod_spec p = rare[i];
        p.ns = S("default");
        T_NO_ERR(sched_pod_put(s, &p, NULL, &err), &err);
    }
}

static struct sched *world(struct worldgen *g, uint64_t seed, const char *profile)
{
    struct sched *s = sched_new(profile_builtin(str_of(profile)), seed);
    struct err err = ERR_NONE;
    uint16_t foo;
    worldgen_init(g, seed, seed % 2 ? GEN_ALL : GEN_ALL & ~(uint32_t)(GEN_POD_REQUIRED | GEN_SPREAD_HARD | GEN_DAEMON));
    g->nodes = 40 + (uint32_t)seed % 50;
    T_NO_ERR(sched_resource_id(s, S("example.com/foo"), &foo, &err), &err);
    for (uint32_t i = 0; i < 3; i++)
        sched_namespace_put(s, worldgen_namespaces[i], worldgen_namespace_labels(g));
    for (uint32_t i = 0; i < g->nodes; i++) {
        struct node_spec n = worldgen_node(g, i);
        T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    }
    for (uint32_t i = 0; i < 150; i++) {
        struct pod_spec p = worldgen_pod(g, i);
        pod_id id;
        T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
        struct place_result r;
        if (s->pods[id].state == PS_PENDING && i % 3 && place_find(s, s->pods[id].class_, &(struct place_opts){0}, &r))
            model_assign(s, id, r.node, PS_ASSUMED, 0);
    }
    put_rare_pods(s);
    return s;
}

TEST(all_plugins_agree_with_themselves)
{
    static const char *const profiles[] = {"default", "binpack", "spread", "gpu-packing", "kai-binpack", "kai-spread"};
    struct seen seen[64] = {0};
    struct rng r;
    rng_seed(&r, 5);
    for (uint64_t seed = 1; seed <= 24; seed++) {
        struct worldgen g;
        struct sched *s = world(&g, seed, profiles[seed % ARRAY_LEN(profiles)]);
        for (uint32_t i = 0; i < s->profile->nplugins; i++) {
            const struct profile_plugin *pp = &s->profile->plugins[i];
            size_t at = 0;
            while (sched_plugins[at] != pp->plugin)
                at++;
            for (class_id c = 1; c < s->nclasses; c++) {
                agree_filter(s, s->classes[c], pp, &seen[at]);
                agree_score(s, s->classes[c], pp, &r, &seen[at]);
            }
            if (seed % 6 == 0)
                agree_keys(s, pp);
        }
        sched_free(s);
        worldgen_fini(&g);
    }
    /* a plugin that never says no, or is never asked, would agree with anything */
    for (size_t i = 0; sched_plugins[i]; i++) {
        const struct sched_plugin *p = sched_plugins[i];
        bool never = p == &plugin_node_name;
        if (p->fits_one && p->filter && !never && (!seen[i].filtered || !seen[i].rejected))
            T_FAIL_("%s was asked %u times and said no %u times", p->name, seen[i].filtered, seen[i].rejected);
        if (p->score_one && p->score && !seen[i].scored)
            T_FAIL_("%s never scored", p->name);
    }
}

TEST(every_plugin_says_what_helps)
{
    for (size_t i = 0; sched_plugins[i]; i++) {
        const struct sched_plugin *p = sched_plugins[i];
        if (p->fits_one && !(p->helped_by & EVENT_ALL))
            T_FAIL_("%s rejects, but nothing would help", p->name);
        if (p->fits_one)
            T_OK(p->filter != NULL);
        if (p->score)
            T_OK(p->norm != NORM_CUSTOM || p->normalize);
    }
}

TEST_MAIN(all_plugins_agree_with_themselves, every_plugin_says_what_helps)
