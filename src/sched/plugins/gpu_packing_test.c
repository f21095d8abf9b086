/* gpu_packing_test.c - waste against simulated arrivals, prices, the choices that follow from them, kept scores against computed ones. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/gpu_packing.h"

#include "base/clock.h"
#include "sched/engine/devices.h"
#include "sched/engine/explain.h"
#include "sched/engine/place.h"
#include "sched/engine/test_world.h"
#include "sched/plugins/gpu_demand.h"
#include "sched/plugins/plugins.h"

#define ANY UINT64_MAX
#define WHOLE GPU_MILLI

/* --- waste ------------------------------------------------------------------------------------------------------------------------------- */
static float waste(const struct gpu_frag *f, int64_t cpu, const uint16_t *left, uint32_t n)
{
    return gpu_frag_waste(f, 0, cpu, left, n);
}

TEST(waste_of_plain_cases)
{
    static const struct gpu_frag_pod pods[] = {{9, 10000, 1, WHOLE, ANY}, {1, 4000, 1, 500, ANY}};
    struct gpu_frag *f = gpu_frag_new(pods, 2, 1, 8);
    static const uint16_t full[4] = {0}, one[1] = {1000}, half[1] = {500}, third[1] = {300}, four[4] = {1000, 1000, 1000, 1000};
    T_EQ_INT(waste(f, 100000, full, 4), 0);
    T_EQ_INT(waste(f, 0, four, 4), 4000);      /* no cpu: all of it */
    T_EQ_INT(waste(f, 3000, four, 4), 4000);   /* not enough for anybody */
    T_EQ_INT(waste(f, 100000, third, 1), 300); /* nobody is that small */
    T_OK(waste(f, 100000, half, 1) < 60);      /* one in ten of a hundred to come fits */
    T_OK(waste(f, 100000, one, 1) < 60);
    T_OK(waste(f, 40000, four, 4) < waste(f, 30000, four, 4));
    T_OK(waste(f, 30000, four, 4) > 900 && waste(f, 30000, four, 4) < 1300); /* cpu for three */
    gpu_frag_free(f);
}

/* A device filled by pods drawn from the mix, each with a chance of 1 : horizon that it was the last. */
static double simulate(struct rng *r, const struct gpu_frag_pod *pods, size_t n, int64_t cpu, int32_t left)
{
    const int runs = 4000;
    double total = 0, sum = 0;
    for (size_t i = 0; i < n; i++)
        total += pods[i].weight;
    for (int i = 0; i < runs; i++) {
        int64_t c = cpu;
        int32_t l = left;
        while (rng_below(r, GPU_FRAG_HORIZON + 1) != 0) {
            double at = (double)rng_below(r, 1000000) / 1e6 * total;
            size_t k = 0;
            while (k + 1 < n && at >= pods[k].weight)
                at -= pods[k++].weight;
            if (pods[k].gpus == 1 && pods[k].milli <= l && pods[k].cpu_milli <= c) {
                l -= pods[k].milli;
                c -= pods[k].cpu_milli;
            }
        }
        sum += l;
    }
    return sum / runs;
}

TEST(waste_of_a_device_is_what_simulated_arrivals_leave)
{
    static const struct gpu_frag_pod pods[] = {{40, 11000, 1, WHOLE, ANY}, {20, 3000, 1, 810, ANY}, {15, 8000, 1, 470, ANY}, {10, 4000, 1, 320, ANY}, {2, 4000, 1, 160, ANY}, {13, 12000, 0, 0, ANY}};
    struct gpu_frag *f = gpu_frag_new(pods, ARRAY_LEN(pods), 1, 8);
    struct rng r;
    rng_seed(&r, 7);
    for (int i = 0; i < 60; i++) {
        uint16_t left[1] = {(uint16_t)(10 * (1 + rng_below(&r, 99)))};
        int64_t cpu = 900 + 1000 * (int64_t)rng_below(&r, 30); /* steps of cpu are about 450: not where a pod just fits */
        double want = simulate(&r, pods, ARRAY_LEN(pods), cpu, left[0]), got = waste(f, cpu, left, 1);
        if (got < want - 45 || got > want + 45)
            T_FAIL_("left %d cpu %lld: waste %.1f, simulated %.1f", left[0], (long long)cpu, got, want);
    }
    gpu_frag_free(f);
}

TEST(models_that_pods_insist_on_have_their_own_waste)
{
    static const struct gpu_frag_pod pods[] = {{5, 1000, 1, WHOLE, 1}, {5, 1000, 1, 500, 2}};
    struct gpu_frag *f = gpu_frag_new(pods, 2, 3, 4);
    static const uint16_t half[1] = {500}, one[1] = {1000};
    T_EQ_INT(gpu_frag_waste(f, 0, 9000, half, 1), 500);
    T_OK(gpu_frag_waste(f, 1, 9000, half, 1) < 50);
    T_OK(gpu_frag_waste(f, 0, 9000, one, 1) < 50);
    T_EQ_INT(gpu_frag_waste(f, 2, 9000, one, 1), 1000);
    gpu_frag_free(f);
}

TEST(a_mix_without_single_devices)
{
    static const struct gpu_frag_pod pods[] = {{1, 64000, 8, WHOLE, ANY}};
    struct gpu_frag *f = gpu_frag_new(pods, 1, 1, 16);
    static const uint16_t two[2] = {1000, 1000};
    T_EQ_INT(waste(f, 64000, two, 2), 2000);
    gpu_frag_free(f);
    f = gpu_frag_new(NULL, 0, 0, 0);
    T_EQ_INT(waste(f, 64000, two, 1), 1000);
    gpu_frag_free(f);
}

/* --- prices ---------------------------------------------------------------------------------------------------------------------------------- */
TEST(prices_follow_scarcity)
{
    /* a fifth of the share insists on model 1; a fifth needs four devices and 40 cores */
    static const struct gpu_frag_pod pods[] = {{12, 1000, 1, WHOLE, ANY}, {4, 1000, 1, WHOLE, 2}, {1, 40000, 4, WHOLE, ANY}};
    struct gpu_demand d;
    struct gpu_node a = {0}, b = {0};
    static const uint16_t four[4] = {1000, 1000, 1000, 1000}, some[4] = {1000, 1000, 1000, 0};
    bool rooms;
    gpu_demand_init(&d, pods, 3, 2);
    T_EQ_INT(d.nsets, 1);
    T_EQ_INT(d.nrooms, 1);
    gpu_demand_node(&d, &a, 0, 4, 64000, four);
    gpu_demand_node(&d, &b, 1, 4, 64000, four);
    T_EQ_INT(d.idle_all, 8000);
    T_EQ_INT(d.rooms[0].room, 8000);
    T_OK(gpu_demand_reprice(&d, 2, true, &rooms) == 3 && rooms);
    T_EQ_INT(d.price[0] * 1000, 0);
    T_EQ_INT(d.price[1] * 1000 + 0.5f, 64); /* 0.4 * (8000 / 5 / 4000) ^ 2 */
    T_EQ_INT(d.rooms[0].price * 10000 + 0.5f, 140); /* 0.07 * 8000 / 5 / 8000 */
    T_OK(gpu_demand_reprice(&d, 2, false, &rooms) == 0 && !rooms);
    /* a device less on each: rooms are gone, model 1 is a little scarcer */
    gpu_demand_node(&d, &a, 0, 4, 64000, some);
    T_EQ_INT(d.rooms[0].room, 4000);
    gpu_demand_node(&d, &b, 1, 4, 39000, four); /* cpu counts */
    T_EQ_INT(d.rooms[0].room, 0);
    T_OK(gpu_demand_reprice(&d, 2, false, &rooms) == 0 && rooms);
    T_EQ_INT(d.rooms[0].price * 1000 + 0.5f, 105); /* as dear as it gets */
    T_OK(gpu_demand_rooms(&d, 0, 64000, 4) > 419 && gpu_demand_rooms(&d, 0, 64000, 3) == 0);
    gpu_demand_node(&d, &b, 1, 0, 0, NULL);
    gpu_demand_node(&d, &a, 0, 0, 0, NULL);
    T_EQ_INT(d.idle_all, 0);
    T_EQ_INT(d.idle[1], 0);
}

/* --- choices --------------------------------------------------------------------------------------------------------------------------------- */
static struct sched *packing(const struct gpu_mix_pod *mix, size_t n)
{
    struct sched_profile *p = profile_builtin(S("gpu-packing"));
    if (mix)
        gpu_packing_set_mix(p, mix, n);
    return sched_new(p, 3);
}
static node_id node(struct sched *s, const char *name, int64_t cpu, uint32_t gpus, const char *model)
{
    struct res_amount res[] = {{RES_CPU, cpu}, {RES_MEMORY, 512 * GIB}, {RES_PODS, 110}};
    struct node_spec n = {.name = str_of(name), .allocatable = {res, 3}, .ngpus = gpus, .gpu_model = str_of(model)};
    struct err err = ERR_NONE;
    node_id id = NODE_NONE;
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}
static pod_id put(struct sched *s, int64_t cpu, uint32_t gpus, int32_t milli, const char *model)
{
    static int number;
    char name[16];
    snprintf(name, sizeof name, "p%d", number++);
    struct res_amount req[] = {{RES_CPU, cpu}, {RES_MEMORY, GIB}, {RES_GPU, gpus}};
    str wants = world_str(model);
    bool whole = gpus && milli == WHOLE;
    struct pod_spec p = {.ns = S("default"), .name = str_of(name), .requests = {req, whole ? 3 : 2}, .nonzero_cpu = cpu, .nonzero_memory = GIB, .preempt_never = true};
    p.gpu = (struct gpu_request){.kind = whole ? GPU_WHOLE : gpus ? GPU_FRACTION : GPU_NONE, .count = gpus, .milli = milli, .models = &wants, .nmodels = wants.len > 0};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}
static node_id place(struct sched *s, pod_id p)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), 0, &d);
    unit_decision_fini(&d);
    return s->pods[p].node;
}

TEST(empty_nodes_are_kept_for_large_pods)
{
    static const struct gpu_mix_pod mix[] = {{10, 8000, 1, WHOLE, NULL, 0}, {2, 64000, 8, WHOLE, NULL, 0}};
    struct sched *s = packing(mix, 2);
    char name[8];
    for (int i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "n%d", i);
        node(s, name, 96000, 8, "A");
    }
    node_id first = place(s, put(s, 8000, 1, WHOLE, NULL));
    for (int i = 1; i < 8; i++)
        T_EQ_INT(place(s, put(s, 8000, 1, WHOLE, NULL)), first);
    for (int i = 0; i < 3; i++)
        T_OK(place(s, put(s, 64000, 8, WHOLE, NULL)) != NODE_NONE);
    sched_free(s);
}

TEST(a_scarce_model_is_kept_for_those_that_insist)
{
    const str t4 = S("T4");
    const struct gpu_mix_pod mix[] = {{8, 1000, 1, WHOLE, NULL, 0}, {2, 1000, 1, WHOLE, &t4, 1}};
    struct sched *s = packing(mix, 2);
    node_id t = node(s, "t", 104000, 2, "T4");
    for (int i = 0; i < 4; i++) {
        char name[8];
        snprintf(name, sizeof name, "v%d", i);
        node(s, name, 16000, 2, "V100");
    }
    for (int i = 0; i < 8; i++)
        T_OK(place(s, put(s, 1000, 1, WHOLE, NULL)) != t);
    for (int i = 0; i < 2; i++)
        T_EQ_INT(place(s, put(s, 1000, 1, WHOLE, "T4")), t);
    sched_free(s);
}

TEST(cpu_is_left_to_devices_that_need_it)
{
    static const struct gpu_mix_pod mix[] = {{10, 12000, 1, WHOLE, NULL, 0}, {3, 12000, 0, 0, NULL, 0}};
    struct sched *s = packing(mix, 2);
    node_id tight = node(s, "tight", 96000, 8, "A"), spare = node(s, "spare", 104000, 2, "A"), none = node(s, "none", 16000, 0, "");
    T_EQ_INT(place(s, put(s, 12000, 0, 0, NULL)), none);
    for (int i = 0; i < 6; i++)
        T_EQ_INT(place(s, put(s, 12000, 0, 0, NULL)), spare);
    /* a GPU pod with more cpu than its share goes where there is more than its share */
    T_EQ_INT(place(s, put(s, 30000, 1, WHOLE, NULL)), spare);
    T_EQ_INT(place(s, put(s, 12000, 1, WHOLE, NULL)), tight);
    sched_free(s);
}

TEST(fractions_go_where_the_rest_is_of_use)
{
    static const struct gpu_mix_pod mix[] = {{5, 1000, 1, 700, NULL, 0}, {5, 1000, 1, 300, NULL, 0}, {5, 1000, 1, 500, NULL, 0}};
    struct sched *s = packing(mix, 3);
    node_id n = node(s, "n", 64000, 4, "A");
    pod_id a = put(s, 1000, 1, 500, NULL), b = put(s, 1000, 1, 700, NULL), c = put(s, 1000, 1, 300, NULL), d = put(s, 1000, 1, 500, NULL);
    place(s, a);
    place(s, b);
    T_EQ_INT(place(s, c), n);
    T_EQ_INT(s->pods[c].gpu_mask, s->pods[b].gpu_mask); /* with 700; with 500 it would leave 200 that nobody wants */
    place(s, d);
    T_EQ_INT(s->pods[d].gpu_mask, s->pods[a].gpu_mask);
    T_EQ_INT(s->view.gpu[n].ntaken, 2);
    sched_free(s);
}

/* --- what is kept ----------------------------------------------------------------------------------------------------------------------------- */
static void random_nodes(struct sched *s, struct rng *r, uint32_t n)
{
    static const char *const models[] = {"A", "B", "C"};
    for (uint32_t i = 0; i < n; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        node(s, name, 8000 * (int64_t)(1 + rng_below(r, 12)), 1u << rng_below(r, 4), models[rng_below(r, 3)]);
    }
}
static pod_id random_pod(struct sched *s, struct rng *r)
{
    static const int32_t milli[] = {WHOLE, WHOLE, WHOLE, 810, 470, 320, 160};
    static const int64_t cpu[] = {1000, 3000, 8000, 12000, 32000};
    uint32_t gpus = rng_below(r, 5) == 0 ? 0 : rng_below(r, 8) == 0 ? 1u << rng_below(r, 4) : 1;
    return put(s, cpu[rng_below(r, 5)], gpus, gpus > 1 ? WHOLE : milli[rng_below(r, 7)], rng_below(r, 6) == 0 ? "B" : NULL);
}

TEST(kept_scores_are_what_is_computed_anew)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct sched *s = packing(NULL, 0); /* learning: the mix and the prices change under way */
        const void *args = s->profile->plugins[profile_index(s->profile, "GpuPacking")].args;
        random_nodes(s, &r, 40);
        VEC(pod_id) pods = {0};
        int64_t *raw = xarray((size_t)s->view.words * 64, int64_t);
        for (int i = 0; i < 300; i++) {
            if (pods.len && rng_below(&r, 4) == 0) {
                size_t k = (size_t)rng_below(&r, pods.len);
                sched_pod_delete(s, S("default"), sched_pod_name(s, pods.p[k]));
                vec_remove_swap(&pods, k);
            }
            if (i == 150)
                random_nodes(s, &r, 60); /* some change, some come */
            pod_id p = random_pod(s, &r);
            const struct pod_class *c = class_of(s, p);
            struct view copy = s->view; /* not the engine's own: nothing is kept for it */
            raw = xrealloc(raw, (size_t)s->view.words * 64 * sizeof *raw);
            plugin_gpu_packing.score(&s->view, c, args, s->alive, raw);
            bits_foreach(n, s->alive, s->view.words)
            {
                int64_t anew = plugin_gpu_packing.score_one(&copy, c, args, n), kept = plugin_gpu_packing.score_one(&s->view, c, args, n);
                T_OK(raw[n] >= 0 && raw[n] <= SCORE_MAX);
                if (devices_fit(&s->view, c, n) && (raw[n] != kept || anew != kept))
                    T_FAIL_("pod %d node %u: %lld in a batch, %lld alone, %lld anew", i, n, (long long)raw[n], (long long)kept, (long long)anew);
            }
            if (place(s, p) != NODE_NONE)
                vec_push(&pods, p);
            else
                sched_pod_delete(s, S("default"), sched_pod_name(s, p));
            struct err err = ERR_NONE;
            T_NO_ERR(devices_check(s, &err), &err);
        }
        free(raw);
        vec_fini(&pods);
        sched_free(s);
    }
}

static uint64_t digest_of(uint64_t seed)
{
    struct rng r;
    rng_seed(&r, seed);
    struct sched *s = packing(NULL, 0);
    uint64_t h = 0;
    random_nodes(s, &r, 50);
    for (int i = 0; i < 400; i++) {
        pod_id p = random_pod(s, &r);
        h = (h ^ place(s, p) ^ (uint64_t)s->pods[p].gpu_mask << 32) * 0x9e3779b97f4a7c15ull;
    }
    sched_free(s);
    return h;
}
TEST(the_same_again)
{
    T_OK(digest_of(1) == digest_of(1));
    T_OK(digest_of(1) != digest_of(2));
}

TEST(a_learned_mix_keeps_room_for_what_it_saw)
{
    /* nothing is given; large pods have come and gone, then small ones come */
    struct sched *s = packing(NULL, 0);
    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        node(s, name, 96000, 8, "A");
    }
    for (int i = 0; i < 40; i++) {
        pod_id large = put(s, 64000, 8, WHOLE, NULL);
        T_OK(place(s, large) != NODE_NONE);
        sched_pod_delete(s, S("default"), sched_pod_name(s, large));
    }
    uint32_t touched = 0;
    for (int i = 0; i < 12; i++)
        T_OK(place(s, put(s, 4000, 1, WHOLE, NULL)) != NODE_NONE);
    bits_foreach(n, s->alive, s->view.words)
        touched += s->view.gpu[n].ntaken > 0;
    T_EQ_INT(touched, 2);
    sched_free(s);
}

/* The same world with and without questions: rejected gangs, scenarios, searches for victims and explanations leave no trace in later scores. */
TEST(what_is_only_tried_teaches_nothing)
{
    struct sched *worlds[2];
    int64_t raw[2][256] = {0};
    for (int asked = 0; asked < 2; asked++) {
        struct sched *s = worlds[asked] = world_new("gpu-packing", 3);
        char name[24];
        for (uint32_t i = 0; i < 8; i++) {
            snprintf(name, sizeof name, "n%u", i);
            world_node_with(s, name, 64000, "", "", 8);
        }
        for (uint32_t i = 0; i < 40; i++) {
            snprintf(name, sizeof name, "p%u", i);
            world_pod(s, .name = name, .cpu = 1000, .gpu_milli = 100 * (1 + i % 7));
            struct unit_decision d = UNIT_DECISION_INIT;
            sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(name))), 1, &d);
            T_EQ_INT(d.result, UNIT_PLACED);
            unit_decision_fini(&d);
        }
        /* classes that weigh a lot once somebody learns of them */
        world_group(s, .name = S("g"), .min_member = 70);
        for (uint32_t i = 0; i < 70; i++) {
            snprintf(name, sizeof name, "g%u", i);
            world_pod(s, .name = name, .cpu = 4000, .group = "g", .gpu_milli = GPU_MILLI, .created = i + 1);
        }
        for (int k = 0; asked && k < 40; k++) {
            struct unit_decision d = UNIT_DECISION_INIT;
            sched_place(s, sched_group_find(s, S("default"), S("g")), 1, &d);
            T_EQ_INT(d.result, UNIT_REJECTED);
            unit_decision_fini(&d);
            ARENA_AUTO arena = ARENA_INIT;
            explain_choice(s, &arena, sched_pod_find(s, S("default"), S("p3")));
            pod_id p = sched_pod_find(s, S("default"), S("p5"));
            struct pod was = s->pods[p];
            model_undo_assign(s, p);
            model_redo_assign(s, p, was.node, was.state, was.gpu_mask, was.numa_zones);
        }
        int at = profile_index(s->profile, "GpuPacking");
        pod_id p = sched_pod_find(s, S("default"), S("p2"));
        bits_foreach(n, s->alive, s->view.words)
            raw[asked][n] = plugin_gpu_packing.score_one(&s->view, class_of(s, p), s->profile->plugins[at].args, n);
    }
    T_EQ_INT(world_digest(worlds[0]), world_digest(worlds[1]));
    for (int n = 0; n < 8; n++)
        T_EQ_INT(raw[0][n], raw[1][n]);
    sched_free(worlds[0]);
    sched_free(worlds[1]);
}

/* --- arguments --------------------------------------------------------------------------------------------------------------------------------- */
TEST(arguments_are_read)
{
    static const struct { const char *yaml, *error; } cases[] = {
        {"{typicalPods: [{cpuMilli: 4000, gpus: 1, gpuMilli: 500, models: [A, B], weight: 3}, {cpuMilli: 1000}]}", NULL},
        {"{typicalPods: []}", "must be a list of 1 to 512 kinds of pods"},
        {"{typicalPods: [3]}", "item 0 must be a mapping"},
        {"{typicalPods: [{gpus: 17}]}", "gpus of item 0 must be from 0 to 16"},
        {"{typicalPods: [{gpus: 1, gpuMilli: 1001}]}", "gpuMilli of item 0 must be from 1 to 1000"},
        {"{typicalPods: [{gpus: 1}, {weight: 0}]}", "weight of item 1 must be from 1 to 1000000000"},
        {"{typicalPods: [{cpuMilli: -1}]}", "cpuMilli of item 0 must be from 0"},
        {"{typicalPods: [{models: A}]}", "models of item 0 must be a list of names"},
        {"{typicalPods: [{milli: 1}]}", "unknown field \"milli\""},
        {"{pods: []}", "pods"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        char text[512];
        struct sched_profile *p = NULL;
        struct err err = ERR_NONE;
        int len = snprintf(text, sizeof text, "base: gpu-packing\nplugins: {GpuPacking: {weight: 1000, args: %s}}\n", cases[i].yaml);
        int r = profile_parse(str_n(text, (size_t)len), S("p.yaml"), &p, &err);
        if (!cases[i].error) {
            T_NO_ERR(r, &err);
            T_OK(gpu_packing_has_mix(p));
        } else if (r >= 0 || !strstr(err.msg, cases[i].error) || !strstr(err.msg, "p.yaml:2: plugins.GpuPacking.args")) {
            T_FAIL_("%s: %s", cases[i].yaml, err.msg);
        }
        profile_free(p);
    }
    struct sched_profile *p = profile_builtin(S("gpu-packing"));
    T_OK(!gpu_packing_has_mix(p));
    profile_free(p);
    p = profile_builtin(S("default"));
    gpu_packing_set_mix(p, NULL, 0); /* has none: nothing happens */
    T_OK(!gpu_packing_has_mix(p));
    profile_free(p);
}

TEST_MAIN(waste_of_plain_cases, waste_of_a_device_is_what_simulated_arrivals_leave, models_that_pods_insist_on_have_their_own_waste, a_mix_without_single_devices, prices_follow_scarcity,
          empty_nodes_are_kept_for_large_pods, a_scarce_model_is_kept_for_those_that_insist, cpu_is_left_to_devices_that_need_it, fractions_go_where_the_rest_is_of_use,
          kept_scores_are_what_is_computed_anew, the_same_again, a_learned_mix_keeps_room_for_what_it_saw,
          what_is_only_tried_teaches_nothing, arguments_are_read)
