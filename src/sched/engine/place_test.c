/* place_test.c - whichever way a question is answered (pinned, warm, by bounds, exactly), the answer is that of a plain loop over all nodes.
 *
 * Random worlds live through random events; after each, a class is asked and a loop over fits_one and score_one says what is right. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"

#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/engine/place_state.h"
#include "sched/engine/statement.h"
#include "sched/reference/worldgen.h"

struct world {
    struct worldgen gen;
    struct rng rng;
    struct sched *s;
    uint32_t nodes, pods;
    VEC(pod_id) all;
    uint32_t asked, found, warm;
    bool learns; /* the profile learns from pods that come and go: taking nominated ones off, as the loop does, would change what it says */
};

/* --- the loop ---------------------------------------------------------------------------------------------------------------------- */
static bool loop_fits(struct sched *s, const struct pod_class *c, node_id n, bool ignore_nominated)
{
    uint32_t mark = statement_begin(s);
    for (pod_id p = s->nodes[n].first_pod, next; p; p = next) {
        next = s->pods[p].next_on_node;
        if (s->pods[p].state == PS_NOMINATED && (ignore_nominated || class_of(s, p)->priority < c->priority))
            model_unassign(s, p);
    }
    bool fits = true;
    for (uint32_t i = 0; i < s->profile->nplugins && fits; i++) {
        const struct profile_plugin *pp = &s->profile->plugins[i];
        if (pp->filters && pp->plugin->fits_one && (!pp->plugin->uses_filter || pp->plugin->uses_filter(s, c, pp->args)))
            fits = pp->plugin->fits_one(&s->view, c, pp->args, n);
    }
    statement_rollback(s, mark);
    return fits;
}

static void loop_score(struct sched *s, const struct pod_class *c, const uint64_t *fits, int64_t *total)
{
    const struct view *v = &s->view;
    int64_t *raw = xarray(v->words * 64, int64_t);
    for (uint32_t i = 0; i < s->profile->nplugins; i++) {
        const struct profile_plugin *pp = &s->profile->plugins[i];
        if (!pp->weight || !pp->plugin->score || (pp->plugin->uses_score && !pp->plugin->uses_score(s, c, pp->args)))
            continue;
        int64_t max = 0;
        if (pp->plugin->norm == NORM_CUSTOM)
            pp->plugin->score(v, c, pp->args, fits, raw);
        bits_foreach(n, fits, v->words)
        {
            if (pp->plugin->norm != NORM_CUSTOM)
                raw[n] = pp->plugin->score_one(v, c, pp->args, n);
            max = MAX(max, raw[n]);
        }
        if (pp->plugin->norm == NORM_CUSTOM)
            pp->plugin->normalize(v, c, pp->args, fits, raw);
        bits_foreach(n, fits, v->words)
        {
            int64_t x = raw[n];
            if (pp->plugin->norm == NORM_MAX || pp->plugin->norm == NORM_REVERSE_MAX)
                x = max ? 100 * x / max : 0;
            if (pp->plugin->norm == NORM_REVERSE_MAX)
                x = 100 - x;
            total[n] += pp->weight * x;
        }
    }
    free(raw);
}

static bool loop_better(const struct sched *s, const int64_t *total, node_id a, node_id b)
{
    if (b == NODE_NONE || total[a] != total[b])
        return b == NODE_NONE || total[a] > total[b];
    uint32_t x = s->profile->tie == TIE_BEST_FIT ? place_free_amount(&s->view, a) : 0, y = s->profile->tie == TIE_BEST_FIT ? place_free_amount(&s->view, b) : 0;
    return x != y ? x < y : s->tie[a] < s->tie[b];
}

static struct place_result loop_find(struct sched *s, const struct pod_class *c, const struct place_opts *o, uint64_t *fits)
{
    struct place_result r = {.node = NODE_NONE, .runner_up = NODE_NONE};
    int64_t *total = xarray(s->view.words * 64, int64_t);
    model_tie_ranks(s);
    memset(fits, 0, s->view.words * sizeof *fits);
    bits_foreach(n, s->alive, s->view.words)
        if ((!o->within || bit_get(o->within, n)) && loop_fits(s, c, n, o->ignore_nominated))
            bit_set(fits, n);
    loop_score(s, c, fits, total);
    bits_foreach(n, fits, s->view.words)
        if (loop_better(s, total, n, r.node))
            r.node = n;
    bits_foreach(n, fits, s->view.words)
        if (n != r.node && loop_better(s, total, n, r.runner_up))
            r.runner_up = n;
    r.score = r.node == NODE_NONE ? 0 : (int32_t)total[r.node];
    r.runner_up_score = r.runner_up == NODE_NONE ? 0 : (int32_t)total[r.runner_up];
    free(total);
    return r;
}

/* --- asking ---------------------------------------------------------------------------------------------------------------------------- */
static void compare_rest(struct world *w, class_id id, const struct place_opts *o, const uint64_t *fits, const struct place_result *want)
{
    struct sched *s = w->s;
    struct pod_class *c = s->classes[id];
    if (!o->ignore_nominated) {
        uint64_t *mine = xarray(s->view.words, uint64_t);
        place_feasible(s, id, o->within, mine);
        T_OK(memcmp(mine, fits, s->view.words * sizeof *mine) == 0);
        bits_foreach(n, s->alive, s->view.words)
            if (!o->within || bit_get(o->within, n))
                T_EQ_INT(place_fits(s, id, n), bit_get(fits, n));
        free(mine);
    }
    if (want->node == NODE_NONE) {
        uint32_t counts[PLUG_MAX], sum = 0, looked = 0;
        uint64_t mask = o->ignore_nominated ? 0 : place_rejections(s, id, o->within, counts);
        for (uint32_t i = 0; mask && i < PLUG_MAX; i++)
            sum += counts[i];
        for (uint32_t i = 0; mask && i < s->view.words; i++)
            looked += (uint32_t)__builtin_popcountll(s->alive[i] & (o->within ? o->within[i] : ~0ull));
        T_EQ_INT(sum, looked);
    } else if (!o->within && !o->ignore_nominated) {
        int32_t parts[PLUG_MAX], sum = 0;
        place_score_parts(s, id, want->node, parts);
        for (uint32_t i = 0; i < PLUG_MAX; i++)
            sum += parts[i];
        T_EQ_INT(sum, want->score);
    }
    place_prepare(s, id);
    if (c->replica_ok && !o->ignore_nominated) {
        struct place_scratch *x = place_scratch_new();
        struct place_top top[PLACE_TOP];
        int32_t rest;
        size_t n = place_scan(&s->view, c, o->within, x, top, &rest);
        uint32_t all = bits_count(fits, s->view.words);
        T_EQ_INT(n, MIN(all, (uint32_t)PLACE_TOP));
        T_EQ_INT(rest == SCORE_NONE, n < PLACE_TOP);
        for (size_t i = 0; i < n; i++) {
            T_EQ_INT(place_score_local(&s->view, c, top[i].node), top[i].score);
            T_OK(i == 0 || place_better(&s->view, c, top[i - 1], top[i]));
        }
        if (n)
            T_OK(top[0].node == want->node && top[0].score == want->score);
        if (n > 1)
            T_OK(top[1].node == want->runner_up && top[1].score == want->runner_up_score);
        place_scratch_free(x);
    }
}

static node_id ask(struct world *w, class_id id, const struct place_opts *o, bool rest)
{
    struct sched *s = w->s;
    struct place_result got, want;
    uint64_t *fits = xarray(s->view.words, uint64_t);
    bool found = place_find(s, id, o, &got);
    w->warm += s->classes[id]->cache->warm != NULL;
    want = loop_find(s, s->classes[id], o, fits);
    T_EQ_INT(found, want.node != NODE_NONE);
    T_EQ_INT(got.node, want.node);
    T_EQ_INT(got.score, want.score);
    if (o->want_runner_up) {
        bool pinned = s->classes[id]->pinned_node;
        T_EQ_INT(got.runner_up, pinned ? NODE_NONE : want.runner_up);
        T_EQ_INT(got.runner_up_score, pinned ? 0 : want.runner_up_score);
    }
    if (rest)
        compare_rest(w, id, o, fits, &want);
    w->asked++;
    w->found += found;
    free(fits);
    return got.node;
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------ */
static void node_put(struct world *w, uint32_t i)
{
    struct err err = ERR_NONE;
    struct node_spec n = worldgen_node(&w->gen, i);
    T_NO_ERR(sched_node_put(w->s, &n, NULL, &err), &err);
}

static pod_id pod_new(struct world *w)
{
    struct err err = ERR_NONE;
    struct pod_spec p = worldgen_pod(&w->gen, w->pods++);
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(w->s, &p, &id, &err), &err);
    vec_push(&w->all, id);
    return id;
}

static pod_id pod_some(struct world *w, bool placed)
{
    for (int i = 0; i < 50 && w->all.len; i++) {
        pod_id p = w->all.p[rng_below(&w->rng, w->all.len)];
        if (pod_on_node(&w->s->pods[p]) == placed && w->s->pods[p].state != PS_ELSEWHERE)
            return p;
    }
    return POD_NONE;
}

static void ask_some(struct world *w)
{
    struct sched *s = w->s;
    pod_id p = pod_some(w, false);
    if (!p)
        p = pod_new(w);
    if (s->pods[p].state != PS_PENDING)
        return;
    uint64_t *within = xarray(s->view.words, uint64_t);
    for (uint32_t i = 0; i < s->view.words; i++)
        within[i] = rng_u64(&w->rng) | rng_u64(&w->rng);
    struct place_opts o = {.within = rng_below(&w->rng, 4) ? NULL : within, .want_runner_up = rng_below(&w->rng, 4) == 0, .ignore_nominated = rng_below(&w->rng, 12) == 0};
    node_id n = ask(w, s->pods[p].class_, &o, rng_below(&w->rng, 8) == 0);
    if (n != NODE_NONE && rng_below(&w->rng, 5))
        model_assign(s, p, n, rng_below(&w->rng, 8) || w->learns ? PS_ASSUMED : PS_NOMINATED, 0);
    free(within);
}

/* Replicas of one pod, one after another: this is what makes a class warm. */
static void ask_burst(struct world *w)
{
    struct sched *s = w->s;
    pod_id p = pod_some(w, false);
    if (!p || s->pods[p].state != PS_PENDING)
        return;
    uint64_t *within = xarray(s->view.words, uint64_t);
    for (uint32_t i = 0; i < s->view.words; i++)
        within[i] = rng_u64(&w->rng) | rng_u64(&w->rng);
    struct place_opts o = {.within = rng_below(&w->rng, 3) ? NULL : within};
    class_id c = s->pods[p].class_;
    for (int i = 0; i < 9; i++) {
        char name[32];
        snprintf(name, sizeof name, "b%u", w->pods++);
        pod_id q = sched_pod_clone(s, p, str_of(name), 0);
        vec_push(&w->all, q);
        node_id n = ask(w, c, &o, i == 8);
        if (n != NODE_NONE)
            model_assign(s, q, n, PS_ASSUMED, 0);
        pod_id gone = rng_below(&w->rng, 3) ? POD_NONE : pod_some(w, true);
        if (gone)
            model_unassign(s, gone);
        if (rng_below(&w->rng, 6) == 0)
            node_put(w, (uint32_t)rng_below(&w->rng, w->nodes));
    }
    free(within);
}

static void step(struct world *w)
{
    struct sched *s = w->s;
    pod_id p;
    switch (rng_below(&w->rng, 12)) {
    case 0:
        node_put(w, (uint32_t)rng_below(&w->rng, w->nodes));
        break;
    case 1:
        if (rng_below(&w->rng, 4) == 0) {
            char name[16];
            snprintf(name, sizeof name, "n-%u", (uint32_t)rng_below(&w->rng, w->nodes));
            sched_node_delete(s, str_of(name));
        }
        break;
    case 2:
        if (rng_below(&w->rng, 4) == 0 && w->nodes < 300)
            node_put(w, w->nodes++);
        break;
    case 3:
    case 4:
        if ((p = pod_some(w, true)))
            model_unassign(s, p);
        break;
    case 5:
        if ((p = pod_some(w, true)))
            model_set_state(s, p, s->pods[p].state == PS_NOMINATED ? PS_ASSUMED : PS_BOUND);
        break;
    case 6:
        pod_new(w);
        break;
    case 7:
        ask_burst(w);
        break;
    default:
        ask_some(w);
    }
}

static void world_run(struct world *w, const char *profile, uint64_t seed, uint32_t features, uint32_t nodes, int steps)
{
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    uint16_t foo;
    *w = (struct world){.nodes = nodes, .learns = strstr(profile, "gpu-packing")};
    T_NO_ERR(profile_parse(str_of(profile), S("test.yaml"), &p, &err), &err);
    w->s = sched_new(p, seed % 3);
    rng_seed(&w->rng, seed);
    worldgen_init(&w->gen, seed, features);
    w->gen.nodes = nodes;
    T_NO_ERR(sched_resource_id(w->s, S("example.com/foo"), &foo, &err), &err);
    for (uint32_t i = 0; i < nodes; i++)
        node_put(w, i);
    for (int i = 0; i < 40; i++)
        pod_new(w);
    for (int i = 0; i < steps && !test_failures_; i++) {
        step(w);
        if (test_failures_)
            printf("# profile %.60s... seed %llu step %d\n", profile, (unsigned long long)seed, i);
    }
    T_NO_ERR(model_check(w->s, &err), &err);
    sched_free(w->s);
    worldgen_fini(&w->gen);
    vec_fini(&w->all);
}

#define LOCAL                                                                                                                          \
    (GEN_TAINTS | GEN_UNSCHEDULABLE | GEN_NODE_SELECTOR | GEN_NODE_PREFERRED | GEN_PORTS | GEN_EXTENDED | GEN_IMAGES | GEN_BANDWIDTH | GEN_PRIORITY |      \
     GEN_DAEMON | GEN_BEST_EFFORT)
#define CROSS (GEN_POD_REQUIRED | GEN_POD_PREFERRED | GEN_SPREAD_HARD | GEN_SPREAD_SOFT | GEN_SPREAD_DEFAULT)

static void run_all(const char *profile, uint32_t features, int seeds, int steps)
{
    uint32_t asked = 0, found = 0, warm = 0;
    for (int i = 1; i <= seeds && !test_failures_; i++) {
        struct world w;
        /* some few features at a time, so that most pods fit somewhere; every fifth world has them all */
        struct rng r;
        rng_seed(&r, (uint64_t)i * 77);
        uint32_t some = i % 5 ? features & (uint32_t)(rng_u64(&r) & rng_u64(&r)) : features;
        world_run(&w, profile, (uint64_t)i, some, i % 4 == 0 ? 10 : 30 + (uint32_t)(i * 29) % 100, steps);
        asked += w.asked;
        found += w.found;
        warm += w.warm;
    }
    T_OK(asked > (uint32_t)(seeds * steps) / 2);
    T_OK(found > asked / 4);
    T_OK(warm > asked / 20);
}

TEST(local_classes)
{
    run_all("name: a\nplugins: {NodeBandwidth: {weight: 2}}\n", LOCAL, 60, 250);
}
TEST(most_allocated_and_the_old_formula)
{
    run_all("name: a\nplugins:\n  NodeResourcesFit: {weight: 3, args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}]}}}\n"
            "  NodeResourcesBalancedAllocation: {weight: 2, args: {formula: with}}\n",
            LOCAL, 40, 250);
}
TEST(other_resources_and_curves)
{
    run_all("name: a\nplugins:\n  NodeResourcesFit: {weight: 1, args: {scoringStrategy: {type: LeastAllocated, resources: [{name: cpu}, {name: memory}, {name: example.com/foo, weight: "
            "5}]}}}\n"
            "  NodeResourcesBalancedAllocation: {weight: 1, args: {resources: [{name: cpu}, {name: memory}, {name: example.com/foo}]}}\n",
            LOCAL, 30, 200);
    run_all("name: a\nplugins:\n  NodeResourcesFit: {weight: 1, args: {scoringStrategy: {type: RequestedToCapacityRatio, requestedToCapacityRatio: {shape: [{utilization: 0, score: 0}, "
            "{utilization: 100, score: 10}]}}}}\n",
            LOCAL, 20, 200);
}
TEST(resources_alone)
{
    run_all("name: a\nplugins: {TaintToleration: {weight: 0}, NodeAffinity: {weight: 0}, ImageLocality: off}\n", LOCAL, 30, 250);
}
TEST(best_fit_ties)
{
    run_all("name: a\nties: best-fit\nplugins: {NodeResourcesFit: {weight: 0}, NodeResourcesBalancedAllocation: off}\n", LOCAL, 30, 250);
    run_all("name: a\nties: best-fit\n", LOCAL | GEN_GPU, 20, 250);
}
TEST(added_affinity)
{
    run_all("name: a\nplugins:\n  NodeAffinity: {weight: 7, args: {addedAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: "
            "zone, operator: NotIn, values: [z1]}]}]}, preferredDuringSchedulingIgnoredDuringExecution: [{weight: 30, preference: {matchExpressions: [{key: disk, operator: In, "
            "values: [ssd]}]}}]}}}\n",
            LOCAL, 30, 200);
}
TEST(cross_classes)
{
    run_all("name: a\n", LOCAL | CROSS, 60, 150);
}
/* Filters across nodes, no such scores: scans by bounds, or the warm part alone. */
TEST(cross_filters)
{
    run_all("name: a\nplugins: {InterPodAffinity: {weight: 0}, PodTopologySpread: {weight: 0}}\n", LOCAL | CROSS, 40, 150);
    run_all("name: a\nplugins: {InterPodAffinity: {weight: 0}, PodTopologySpread: {weight: 0}, TaintToleration: {weight: 0}, NodeAffinity: {weight: 0}, ImageLocality: off}\n",
            GEN_TAINTS | GEN_PRIORITY | CROSS, 40, 150);
    run_all("name: a\nties: best-fit\nplugins: {InterPodAffinity: {weight: 0}, PodTopologySpread: {weight: 0}}\n", LOCAL | CROSS, 20, 150);
}
TEST(devices)
{
    run_all("name: a\n", LOCAL | GEN_GPU | GEN_NUMA, 30, 200);
    run_all("name: a\nbase: gpu-packing\n", LOCAL | GEN_GPU, 20, 200);
}

TEST_MAIN(local_classes, most_allocated_and_the_old_formula, other_resources_and_curves, resources_alone, best_fit_ties, added_affinity, cross_classes, cross_filters, devices)
