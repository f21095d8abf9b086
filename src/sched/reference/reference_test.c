/* The engine against the naive scheduler, decision by decision, on random worlds: each rule alone and all kinds of mixtures. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/reference/dump.h"
#include "sched/reference/duel.h"

static struct naive_conf conf_none(void)
{
    struct naive_conf c = naive_conf_default();
    for (int r = 0; r < NAIVE_RULES; r++) {
        c.filter[r] = false;
        c.weight[r] = 0;
    }
    return c;
}

/* One rule, and resources so that nodes fill up and scores differ. */
static struct naive_conf conf_filter(enum naive_rule rule)
{
    struct naive_conf c = conf_none();
    c.filter[rule] = c.filter[NAIVE_FIT] = true;
    c.weight[NAIVE_FIT] = 1;
    return c;
}

static struct naive_conf conf_score(enum naive_rule rule, int32_t weight)
{
    struct naive_conf c = conf_none();
    c.filter[NAIVE_FIT] = true;
    c.weight[rule] = weight;
    return c;
}

struct totals {
    uint32_t placed, rejected, preempted;
};

/* Pods come, some go, all are decided; stops at the first difference. */
static bool run_world(const struct duel_opts *o, uint32_t pods, struct totals *t)
{
    struct duel d;
    STRBUF_AUTO why = STRBUF_HEAP;
    bool same = true;
    duel_init(&d, o);
    for (uint32_t i = 0; i < pods && same; i++) {
        size_t p = duel_pod_new(&d);
        same = duel_decide(&d, p, &why);
        if (same && d.naive.pods.p[p].state == NAIVE_ON && worldgen_chance(&d.gen, o->conf.preempt ? 100 : 50))
            duel_confirm(&d, p);
        if (same && worldgen_chance(&d.gen, 12)) {
            size_t gone = worldgen_below(&d.gen, (uint32_t)d.naive.pods.len);
            if (d.naive.pods.p[gone].state != NAIVE_FREE)
                duel_pod_delete(&d, gone);
        }
        if (same && worldgen_chance(&d.gen, 3)) {
            struct node_spec n = worldgen_node(&d.gen, worldgen_below(&d.gen, o->nodes));
            if (o->features & (GEN_GPU | GEN_NUMA)) { /* devices of a node do not change under pods here */
                const struct node_spec *now = &d.naive.nodes.p[naive_node_find(&d.naive, n.name)].spec;
                n.ngpus = now->ngpus;
                n.gpu_model = now->gpu_model;
                n.gpu_memory_mib = now->gpu_memory_mib;
                n.numa = now->numa;
                n.nnuma = now->nnuma;
                n.numa_single = now->numa_single;
                n.allocatable = now->allocatable;
            }
            duel_node_put(&d, &n);
        }
    }
    struct err err = ERR_NONE;
    if (same && dump_check(d.sched, &err) < 0) {
        strbuf_addf(&why, "%s", err.msg);
        same = false;
    }
    if (!same)
        T_FAIL_("world %llu, ties %llu, features %x, pod %u: %s", (unsigned long long)o->seed, (unsigned long long)o->tie_seed,
                o->features, d.npods, strbuf_cstr(&why));
    t->placed += d.placed;
    t->rejected += d.rejected;
    t->preempted += d.preempted;
    duel_fini(&d);
    return same;
}

/* At most three differences of a kind are shown. */
static struct totals run_worlds(struct naive_conf conf, uint32_t features, uint32_t worlds, uint32_t nodes, uint32_t pods)
{
    struct totals t = {0};
    int bad = 0;
    for (uint32_t i = 0; i < worlds && bad < 3; i++) {
        struct duel_opts o = {.seed = 1000 + i, .tie_seed = i % 3 ? i : 0, .features = features, .nodes = 2 + i % nodes, .conf = conf};
        bad += !run_world(&o, pods, &t);
    }
    return t;
}

#define T_BOTH(t)                      \
    do {                               \
        T_OK((t).placed > 100);        \
        T_OK((t).rejected > 20);       \
    } while (0)

TEST(resources_alone)
{
    struct totals t = run_worlds(conf_filter(NAIVE_FIT), GEN_EXTENDED | GEN_BEST_EFFORT, 120, 12, 60);
    T_BOTH(t);
}
TEST(taints_and_cordons)
{
    struct naive_conf c = conf_filter(NAIVE_TAINTS);
    c.filter[NAIVE_UNSCHEDULABLE] = true;
    struct totals t = run_worlds(c, GEN_TAINTS | GEN_UNSCHEDULABLE, 120, 10, 50);
    T_BOTH(t);
}
TEST(node_affinity)
{
    struct totals t = run_worlds(conf_filter(NAIVE_NODE_AFFINITY), GEN_NODE_SELECTOR | GEN_DAEMON, 120, 10, 50);
    T_BOTH(t);
}
TEST(added_node_affinity)
{
    for (uint64_t seed = 1; seed < 8; seed++) {
        struct worldgen g;
        worldgen_init(&g, seed, GEN_DAEMON);
        struct spec_node_term required[2] = {worldgen_node_term(&g, 0), worldgen_node_term(&g, 0)},
                preferred[2] = {worldgen_node_term(&g, 3), worldgen_node_term(&g, 7)};
        struct naive_conf c = conf_filter(NAIVE_NODE_AFFINITY);
        c.weight[NAIVE_NODE_AFFINITY] = 5;
        c.added_required = required;
        c.nadded_required = 2;
        c.added_preferred = preferred;
        c.nadded_preferred = 2;
        run_worlds(c, GEN_NODE_SELECTOR | GEN_NODE_PREFERRED, 6, 10, 40);
        worldgen_fini(&g);
    }
}
TEST(ports)
{
    struct totals t = run_worlds(conf_filter(NAIVE_PORTS), GEN_PORTS, 120, 8, 60);
    T_BOTH(t);
}
TEST(volume_restrictions)
{
    struct totals t = run_worlds(conf_filter(NAIVE_VOLUME_RESTRICTIONS), GEN_VOLUMES, 120, 8, 40);
    T_BOTH(t);
}
TEST(volume_limits)
{
    struct naive_conf c = conf_filter(NAIVE_VOLUME_LIMITS);
    c.filter[NAIVE_VOLUME_BINDING] = true; /* what a claim gets is counted */
    struct totals t = run_worlds(c, GEN_VOLUMES, 120, 4, 40);
    T_BOTH(t);
}
TEST(volume_binding)
{
    struct totals t = run_worlds(conf_filter(NAIVE_VOLUME_BINDING), GEN_VOLUMES, 120, 8, 40);
    T_BOTH(t);
}
TEST(volume_zone)
{
    struct totals t = run_worlds(conf_filter(NAIVE_VOLUME_ZONE), GEN_VOLUMES, 120, 8, 40);
    T_BOTH(t);
}
TEST(all_about_volumes)
{
    struct naive_conf c = conf_filter(NAIVE_VOLUME_ZONE);
    c.filter[NAIVE_VOLUME_RESTRICTIONS] = c.filter[NAIVE_VOLUME_LIMITS] = c.filter[NAIVE_VOLUME_BINDING] = true;
    struct totals t = run_worlds(c, GEN_VOLUMES | GEN_TAINTS, 120, 12, 50);
    T_BOTH(t);
}
TEST(hard_spread)
{
    struct totals t = run_worlds(conf_filter(NAIVE_SPREAD), GEN_SPREAD_HARD | GEN_NODE_SELECTOR | GEN_TAINTS, 120, 12, 50);
    T_BOTH(t);
}
TEST(required_pod_affinity)
{
    struct totals t = run_worlds(conf_filter(NAIVE_POD_AFFINITY), GEN_POD_REQUIRED, 120, 12, 50);
    T_BOTH(t);
}
TEST(bandwidth)
{
    struct totals t = run_worlds(conf_filter(NAIVE_BANDWIDTH), GEN_BANDWIDTH, 120, 8, 60);
    T_BOTH(t);
}
TEST(gpus)
{
    struct totals t = run_worlds(conf_filter(NAIVE_GPU), GEN_GPU, 120, 8, 60);
    T_BOTH(t);
}
TEST(numa_zones)
{
    struct naive_conf c = conf_filter(NAIVE_NUMA);
    struct totals t = run_worlds(c, GEN_NUMA, 120, 8, 60);
    T_BOTH(t);
    c.filter[NAIVE_GPU] = true;
    t = run_worlds(c, GEN_NUMA | GEN_GPU, 120, 8, 60);
    T_BOTH(t);
}

TEST(score_least_most_ratio)
{
    for (int s = 0; s < 3; s++) {
        struct naive_conf c = conf_score(NAIVE_FIT, 1);
        c.strategy = (enum fit_strategy)s;
        c.shape[0] = (struct fit_shape_point){0, 100};
        c.shape[1] = (struct fit_shape_point){40, 20};
        c.shape[2] = (struct fit_shape_point){100, 70};
        c.nshape = 3;
        T_OK(run_worlds(c, GEN_BEST_EFFORT, 60, 12, 50).placed > 100);
        c.fit[0].weight = 3;
        c.fit[2] = (struct naive_resource){GEN_FOO, 5};
        c.fit[3] = (struct naive_resource){RES_STORAGE, 2};
        c.nfit = 4;
        T_OK(run_worlds(c, GEN_EXTENDED | GEN_BEST_EFFORT, 60, 12, 50).placed > 100);
    }
}
TEST(score_balanced)
{
    for (int f = 0; f < 2; f++) {
        struct naive_conf c = conf_score(NAIVE_BALANCED, 1);
        c.formula = f ? BALANCED_GAIN : BALANCED_WITH;
        T_OK(run_worlds(c, GEN_BEST_EFFORT, 60, 12, 50).placed > 100);
        c.weight[NAIVE_FIT] = 1;
        T_OK(run_worlds(c, GEN_BEST_EFFORT, 60, 12, 50).placed > 100);
        c.balanced[2] = (struct naive_resource){GEN_FOO, 1};
        c.nbalanced = 3;
        T_OK(run_worlds(c, GEN_EXTENDED, 60, 12, 50).placed > 100);
    }
}
TEST(score_images)
{
    T_OK(run_worlds(conf_score(NAIVE_IMAGES, 1), GEN_IMAGES, 80, 12, 40).placed > 100);
}
TEST(score_taints)
{
    T_OK(run_worlds(conf_score(NAIVE_TAINTS, 3), GEN_TAINTS, 80, 12, 40).placed > 100);
}
TEST(score_node_affinity)
{
    T_OK(run_worlds(conf_score(NAIVE_NODE_AFFINITY, 2), GEN_NODE_PREFERRED, 80, 12, 40).placed > 100);
}
TEST(score_pod_affinity)
{
    struct naive_conf c = conf_score(NAIVE_POD_AFFINITY, 2);
    T_OK(run_worlds(c, GEN_POD_PREFERRED | GEN_POD_REQUIRED, 80, 14, 50).placed > 100);
    c.hard_affinity_weight = 40;
    c.weight[NAIVE_FIT] = 1;
    T_OK(run_worlds(c, GEN_POD_PREFERRED | GEN_POD_REQUIRED, 60, 14, 50).placed > 100);
}
TEST(score_spread)
{
    struct naive_conf c = conf_score(NAIVE_SPREAD, 2);
    T_OK(run_worlds(c, GEN_SPREAD_SOFT | GEN_NODE_SELECTOR | GEN_TAINTS, 60, 14, 40).placed > 100);
    T_OK(run_worlds(c, GEN_SPREAD_DEFAULT | GEN_NODE_SELECTOR, 60, 14, 40).placed > 100);
    c.filter[NAIVE_NODE_AFFINITY] = c.filter[NAIVE_TAINTS] = true;
    c.weight[NAIVE_FIT] = 1;
    T_OK(run_worlds(c, GEN_SPREAD_SOFT | GEN_SPREAD_DEFAULT | GEN_NODE_SELECTOR | GEN_TAINTS, 60, 14, 40).placed > 100);
}

/* Hardly any score, so that ties decide. */
TEST(best_fit_breaks_ties)
{
    struct naive_conf c = conf_none();
    c.filter[NAIVE_FIT] = c.filter[NAIVE_TAINTS] = c.best_fit = true;
    T_OK(run_worlds(c, GEN_TAINTS, 60, 14, 60).placed > 100);
    c.weight[NAIVE_TAINTS] = 1;
    c.weight[NAIVE_IMAGES] = 1;
    c.weight[NAIVE_SPREAD] = 1;
    T_OK(run_worlds(c, GEN_TAINTS | GEN_IMAGES | GEN_SPREAD_SOFT, 60, 14, 60).placed > 100);
    c.filter[NAIVE_GPU] = true;
    T_OK(run_worlds(c, GEN_TAINTS | GEN_GPU, 60, 14, 60).placed > 100);
}

/* Kube-scheduler's whole profile on worlds with everything. */
TEST(default_profile)
{
    struct totals t = run_worlds(naive_conf_default(), GEN_ALL & ~(uint32_t)GEN_PRIORITY, 80, 20, 60);
    T_BOTH(t);
    t = run_worlds(naive_conf_default(), GEN_TAINTS | GEN_IMAGES | GEN_NODE_PREFERRED, 60, 30, 80);
    T_OK(t.placed > 100);
}

/* Several words of nodes, and classes that are asked many times in a row. */
TEST(many_nodes)
{
    struct totals t = {0};
    for (uint32_t i = 0; i < 6; i++) {
        static const uint32_t nodes[] = {63, 64, 65, 128, 129, 300};
        struct naive_conf c = naive_conf_default();
        c.strategy = i % 2 ? FIT_MOST : FIT_LEAST;
        struct duel_opts o = {.seed = 900 + i, .tie_seed = i,
                              .features = GEN_TAINTS | GEN_IMAGES | GEN_NODE_PREFERRED | GEN_NODE_SELECTOR | GEN_PORTS, .nodes = nodes[i], .conf = c};
        run_world(&o, 200, &t);
    }
    T_OK(t.placed > 500);
}

TEST(random_mixtures)
{
    struct totals t = {0};
    int bad = 0;
    struct rng r;
    rng_seed(&r, 77);
    for (uint32_t i = 0; i < 500 && bad < 3; i++) {
        struct naive_conf c = naive_conf_default();
        for (int k = 0; k < NAIVE_RULES; k++) {
            c.filter[k] = k < NAIVE_BALANCED && rng_below(&r, 100) < 60;
            c.weight[k] = c.weight[k] && rng_below(&r, 100) < 60 ? 1 + (int32_t)rng_below(&r, 9) : 0;
        }
        c.filter[NAIVE_VOLUME_BINDING] |= c.filter[NAIVE_VOLUME_LIMITS]; /* what a claim gets is counted */
        c.strategy = rng_below(&r, 2) ? FIT_LEAST : FIT_MOST;
        c.formula = rng_below(&r, 2) ? BALANCED_GAIN : BALANCED_WITH;
        c.best_fit = rng_below(&r, 4) == 0;
        c.filter[NAIVE_GPU] |= c.best_fit || c.filter[NAIVE_NUMA]; /* both look at devices */
        uint32_t features = (uint32_t)rng_u64(&r) & GEN_ALL & ~(uint32_t)GEN_PRIORITY;
        if (!c.filter[NAIVE_NODE_AFFINITY])
            features &= ~(uint32_t)GEN_DAEMON;
        struct duel_opts o = {.seed = 5000 + i, .tie_seed = rng_below(&r, 3), .features = features,
                              .nodes = 2 + (uint32_t)rng_below(&r, 18), .conf = c};
        bad += !run_world(&o, 45, &t);
    }
    T_BOTH(t);
}

TEST(preemption_resources)
{
    struct naive_conf c = conf_filter(NAIVE_FIT);
    c.preempt = true;
    struct totals t = run_worlds(c, GEN_PRIORITY, 120, 6, 60);
    T_BOTH(t);
    T_OK(t.preempted > 50);
}
TEST(preemption_with_constraints)
{
    struct naive_conf c = naive_conf_default();
    c.preempt = true;
    c.filter[NAIVE_NUMA] = false;
    struct totals t = run_worlds(c, GEN_PRIORITY | GEN_PORTS | GEN_POD_REQUIRED | GEN_SPREAD_HARD | GEN_TAINTS, 120, 6, 50);
    T_BOTH(t);
    T_OK(t.preempted > 50);
    t = run_worlds(c, GEN_PRIORITY | GEN_GPU | GEN_BANDWIDTH | GEN_EXTENDED | GEN_NODE_SELECTOR, 80, 6, 50);
    T_OK(t.preempted > 50);
}

/* Half of the pods are decided by each, on the same nodes: what one has placed counts for the other, its rules do not. */
TEST(two_profiles)
{
    struct totals t = {0};
    int bad = 0;
    struct rng r;
    rng_seed(&r, 78);
    for (uint32_t i = 0; i < 300 && bad < 3; i++) {
        struct naive_conf c[2] = {naive_conf_default(), naive_conf_default()};
        for (int k = 0; k < NAIVE_RULES; k++) {
            /* volumes and devices are one book for both */
            bool both = k == NAIVE_GPU || k == NAIVE_NUMA || (k >= NAIVE_VOLUME_RESTRICTIONS && k <= NAIVE_VOLUME_ZONE);
            for (int j = 0; j < 2; j++) {
                c[j].filter[k] = k < NAIVE_BALANCED && (both || rng_below(&r, 100) < 70);
                c[j].weight[k] = c[j].weight[k] && rng_below(&r, 100) < 60 ? 1 + (int32_t)rng_below(&r, 9) : 0;
            }
        }
        for (int j = 0; j < 2; j++) {
            c[j].strategy = rng_below(&r, 2) ? FIT_LEAST : FIT_MOST;
            c[j].formula = rng_below(&r, 2) ? BALANCED_GAIN : BALANCED_WITH;
            c[j].hard_affinity_weight = (int32_t)rng_below(&r, 3);
            c[j].default_spread = rng_below(&r, 2);
            c[j].best_fit = rng_below(&r, 4) == 0;
        }
        uint32_t features = (uint32_t)rng_u64(&r) & GEN_ALL & ~(uint32_t)(GEN_PRIORITY | GEN_DAEMON);
        struct duel_opts o = {.seed = 7000 + i, .tie_seed = rng_below(&r, 3), .features = features, .nodes = 2 + (uint32_t)rng_below(&r, 18), .conf = c[0], .second = &c[1]};
        bad += !run_world(&o, 45, &t);
    }
    T_BOTH(t);
}

/* One evicts, the other does not. */
TEST(two_profiles_preempt)
{
    struct totals t = {0};
    int bad = 0;
    for (uint32_t i = 0; i < 120 && bad < 3; i++) {
        struct naive_conf a = naive_conf_default(), b = naive_conf_default();
        a.preempt = true;
        b.preempt = i % 3 == 0;
        a.filter[NAIVE_NUMA] = b.filter[NAIVE_NUMA] = false;
        b.filter[NAIVE_TAINTS] = i % 2;
        b.filter[NAIVE_PORTS] = i % 4 > 0;
        b.strategy = FIT_MOST;
        struct duel_opts o = {.seed = 9000 + i, .tie_seed = i % 3 ? i : 0, .features = GEN_PRIORITY | GEN_PORTS | GEN_POD_REQUIRED | GEN_SPREAD_HARD | GEN_TAINTS,
                              .nodes = 2 + i % 6, .conf = a, .second = &b};
        bad += !run_world(&o, 50, &t);
    }
    T_BOTH(t);
    T_OK(t.preempted > 50);
}

TEST_MAIN(resources_alone, taints_and_cordons, node_affinity, added_node_affinity, ports, volume_restrictions, volume_limits,
          volume_binding, volume_zone, all_about_volumes, hard_spread, required_pod_affinity, bandwidth, gpus, numa_zones,
          score_least_most_ratio, score_balanced, score_images, score_taints, score_node_affinity, score_pod_affinity, score_spread,
          best_fit_breaks_ties, default_profile, many_nodes, random_mixtures, preemption_resources, preemption_with_constraints, two_profiles, two_profiles_preempt)
