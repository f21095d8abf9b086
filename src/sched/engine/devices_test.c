/* devices_test.c - GPUs: what fits, which devices, the books under random pods, forced ones, rollbacks, and the reasons. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"

#include "base/clock.h"
#include "sched/engine/explain.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

static node_id node(struct sched *s, const char *name, uint32_t gpus, const char *model, int64_t memory_mib)
{
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_MEMORY, 256 * GIB}, {RES_PODS, 110}};
    struct node_spec n = {.name = str_of(name), .allocatable = {res, 3}, .ngpus = gpus, .gpu_model = str_of(model), .gpu_memory_mib = memory_mib};
    struct err err = ERR_NONE;
    node_id id = NODE_NONE;
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}

struct ask {
    const char *name, *node, *model;
    uint32_t whole, count; /* count: of fractions */
    int32_t milli, priority;
    int64_t mib, cpu;
    const uint8_t *ids;
};
static pod_id put(struct sched *s, struct ask a)
{
    struct res_amount req[] = {{RES_CPU, a.cpu ? a.cpu : 1000}, {RES_MEMORY, GIB}, {RES_GPU, a.whole}};
    str model = world_str(a.model);
    struct pod_spec p = {.ns = S("default"), .name = str_of(a.name), .node = world_str(a.node), .phase = a.node ? POD_BOUND : POD_PENDING, .requests = {req, a.whole ? 3 : 2}, .priority = a.priority,
                         .nonzero_cpu = req[0].amount, .nonzero_memory = GIB, .gpu_ids = a.ids, .preempt_never = true};
    p.gpu = (struct gpu_request){.kind = a.whole ? GPU_WHOLE : a.mib ? GPU_MEMORY : a.milli ? GPU_FRACTION : GPU_NONE, .count = a.whole ? a.whole : a.count ? a.count : 1, .milli = a.milli,
                                 .memory_mib = a.mib, .models = &model, .nmodels = model.len > 0};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}
#define PUT(s, ...) put((s), (struct ask){__VA_ARGS__})

static bool place(struct sched *s, pod_id p)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), 0, &d);
    bool placed = d.result == UNIT_PLACED;
    unit_decision_fini(&d);
    return placed;
}
static uint16_t mask(const struct sched *s, pod_id p)
{
    return s->pods[p].gpu_mask;
}
static void check(const struct sched *s)
{
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(s, &err), &err);
    T_NO_ERR(devices_check(s, &err), &err);
}

TEST(fullest_device_that_fits_then_the_lowest)
{
    struct sched *s = world_new("default", 1);
    node_id n = node(s, "n", 4, "A", 0);
    pod_id a = PUT(s, .name = "a", .milli = 500), b = PUT(s, .name = "b", .milli = 600), c = PUT(s, .name = "c", .milli = 400), d = PUT(s, .name = "d", .whole = 2), e = PUT(s, .name = "e", .milli = 500);
    T_OK(place(s, a) && place(s, b) && place(s, c) && place(s, d) && place(s, e));
    T_EQ_INT(mask(s, a), 1);
    T_EQ_INT(mask(s, b), 2);      /* 500 + 600 is too much */
    T_EQ_INT(mask(s, c), 2);      /* 600 is fuller than 500 */
    T_EQ_INT(mask(s, d), 4 | 8);  /* only entirely free ones */
    T_EQ_INT(mask(s, e), 1);
    T_EQ_INT(s->view.gpu[n].least_used, 1000);
    T_EQ_INT(s->view.gpu[n].ntaken, 4);
    T_OK(!place(s, PUT(s, .name = "f", .milli = 1)));
    sched_pod_delete(s, S("default"), S("d"));
    T_EQ_INT(s->view.gpu[n].least_used, 0);
    T_EQ_INT(s->view.gpu[n].ntaken, 2);
    check(s);
    sched_free(s);
}

TEST(a_shared_device_is_not_handed_out_whole)
{
    /* NodeResourcesFit sees 2 - 0 whole devices; one of them is partly used */
    struct sched *s = world_new("default", 1);
    node(s, "n", 2, "A", 0);
    T_OK(place(s, PUT(s, .name = "f", .milli = 100)));
    T_OK(!place(s, PUT(s, .name = "two", .whole = 2)));
    pod_id one = PUT(s, .name = "one", .whole = 1);
    T_OK(place(s, one));
    T_EQ_INT(mask(s, one), 2);
    T_OK(!place(s, PUT(s, .name = "f2", .milli = 901)));
    T_OK(place(s, PUT(s, .name = "f3", .milli = 900)));
    check(s);
    sched_free(s);
}

TEST(a_fraction_of_several_devices)
{
    struct sched *s = world_new("default", 1);
    node(s, "n", 3, "A", 0);
    T_OK(place(s, PUT(s, .name = "a", .milli = 700)));
    pod_id b = PUT(s, .name = "b", .milli = 300, .count = 2), c = PUT(s, .name = "c", .milli = 600, .count = 2);
    T_OK(place(s, b));
    T_EQ_INT(mask(s, b), 1 | 2);
    T_OK(place(s, c));
    T_EQ_INT(mask(s, c), 2 | 4);
    T_OK(!place(s, PUT(s, .name = "d", .milli = 200, .count = 2)));
    check(s);
    sched_free(s);
}

TEST(memory_is_a_share_of_the_device)
{
    struct sched *s = world_new("default", 1);
    node_id small = node(s, "small", 1, "A", 15000), none = node(s, "none", 1, "A", 0), big = node(s, "big", 1, "B", 80000);
    pod_id p = PUT(s, .name = "p", .mib = 5000);
    const struct pod_class *c = class_of(s, p);
    T_EQ_INT(devices_milli(s, c, small), 334); /* rounded up */
    T_EQ_INT(devices_milli(s, c, big), 63);
    T_EQ_INT(devices_milli(s, c, none), -1);
    T_OK(!devices_fit(&s->view, c, none));
    pod_id q = PUT(s, .name = "q", .mib = 20000);
    T_EQ_INT(devices_milli(s, class_of(s, q), small), -1);
    T_OK(place(s, q));
    T_EQ_INT(s->pods[q].node, big);
    T_EQ_INT(s->view.gpu[big].used_milli[0], 250);
    T_EQ_INT(s->view.gpu[big].used_mib[0], 20000);
    check(s);
    sched_free(s);
}

/* Devices that are partitions are one pod's each; a model is known by its words. */
TEST(partitions_are_whole)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    node(s, "n", 2, "NVIDIA-A100-SXM4-40GB-MIG-1g.5gb", 4864);
    T_OK(!place(s, PUT(s, .name = "part", .milli = 500)));
    T_OK(!place(s, PUT(s, .name = "memory", .mib = 1000)));
    T_OK(place(s, PUT(s, .name = "one", .whole = 1)));
    T_OK(place(s, PUT(s, .name = "words", .whole = 1, .model = "a100")));
    sched_free(s);
}

TEST(models_are_minded)
{
    struct sched *s = world_new("default", 1);
    node(s, "t", 2, "T4", 0);
    node_id v = node(s, "v", 2, "V100", 0);
    for (int i = 0; i < 2; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        pod_id p = put(s, (struct ask){.name = name, .whole = 1, .model = "V100"});
        T_OK(place(s, p));
        T_EQ_INT(s->pods[p].node, v);
    }
    T_OK(!place(s, PUT(s, .name = "q", .whole = 1, .model = "V100")));
    T_OK(!place(s, PUT(s, .name = "r", .milli = 10, .model = "H100")));
    check(s);
    sched_free(s);
}

TEST(bound_pods_are_taken_as_they_are)
{
    struct sched *s = world_new("default", 1);
    node_id n = node(s, "n", 2, "A", 0);
    static const uint8_t ids[] = {1};
    pod_id a = PUT(s, .name = "a", .node = "n", .whole = 1, .ids = ids);
    T_EQ_INT(mask(s, a), 2);
    pod_id b = PUT(s, .name = "b", .node = "n", .milli = 300, .ids = ids); /* there by force */
    T_EQ_INT(mask(s, b), 2);
    T_EQ_INT(s->view.gpu[n].used_milli[1], 1300);
    pod_id c = PUT(s, .name = "c", .node = "n", .whole = 2); /* too many: the rest of what is there */
    T_EQ_INT(mask(s, c), 3);
    T_EQ_INT(s->view.gpu[n].used_milli[0], 1000);
    T_OK(!place(s, PUT(s, .name = "d", .milli = 1)));
    check(s);
    sched_pod_delete(s, S("default"), S("c"));
    sched_pod_delete(s, S("default"), S("a"));
    T_EQ_INT(s->view.gpu[n].used_milli[0], 0);
    T_EQ_INT(s->view.gpu[n].used_milli[1], 300);
    pod_id wrong = PUT(s, .name = "w", .node = "n", .milli = 10, .model = "B"); /* never fits here: takes a device for itself */
    T_EQ_INT(mask(s, wrong), 1);
    T_EQ_INT(s->view.gpu[n].used_milli[0], 1000);
    check(s);
    sched_free(s);
}

/* A pod of higher priority may have the room that a lower one is only nominated for: it gets that device, not a full one. */
TEST(nominated_devices_give_way)
{
    struct sched *s = world_new("default", 1);
    node_id n = node(s, "n", 2, "A", 0);
    PUT(s, .name = "full", .node = "n", .milli = 900, .priority = 9);
    pod_id low = PUT(s, .name = "low", .whole = 1), high = PUT(s, .name = "high", .milli = 300, .priority = 5);
    model_assign(s, low, n, PS_NOMINATED, 0);
    T_EQ_INT(mask(s, low), 2);
    T_OK(place(s, high));
    T_EQ_INT(mask(s, high), 2);
    T_EQ_INT(s->view.gpu[n].used_milli[0], 900);
    T_EQ_INT(s->view.gpu[n].used_milli[1], 1300);
    check(s);
    sched_free(s);
}

/* --- random ------------------------------------------------------------------------------------------------------------------------------------ */
static struct ask random_ask(struct rng *r, const char *name)
{
    static const char *const models[] = {"A", "B", NULL, NULL, NULL};
    struct ask a = {.name = name, .model = models[rng_below(r, ARRAY_LEN(models))], .priority = (int32_t)rng_below(r, 3)};
    switch (rng_below(r, 4)) {
    case 0:
        a.whole = 1 + (uint32_t)rng_below(r, 4);
        break;
    case 1:
        a.milli = 1 + (int32_t)rng_below(r, 1000);
        a.count = 1 + (uint32_t)rng_below(r, 3);
        break;
    case 2:
        a.mib = 1 + (int64_t)rng_below(r, 40000);
        break;
    default:
        break;
    }
    return a;
}

/* Does it fit, by plain loops over all pods? */
static bool naive_fits(const struct sched *s, pod_id p, node_id n)
{
    const struct pod_class *c = class_of(s, p);
    const struct node *node_ = &s->nodes[n];
    bool model = c->gpu.nmodels == 0 || c->gpu_models[0] == node_->gpu_model;
    int64_t used[GPU_MAX] = {0}, milli = c->gpu.kind == GPU_WHOLE ? 1000 : c->gpu.milli;
    if (c->gpu.kind == GPU_NONE)
        return true;
    if (c->gpu.kind == GPU_MEMORY)
        milli = node_->gpu_memory_mib >= c->gpu.memory_mib ? (c->gpu.memory_mib * 1000 + node_->gpu_memory_mib - 1) / node_->gpu_memory_mib : 5000;
    for (pod_id q = node_->first_pod; q; q = s->pods[q].next_on_node)
        for (uint32_t i = 0; i < GPU_MAX; i++)
            if (s->pods[q].gpu_mask >> i & 1)
                used[i] += MAX(devices_milli(s, class_of(s, q), n), 0);
    uint32_t room = 0;
    for (uint32_t i = 0; i < node_->ngpus; i++)
        room += used[i] + milli <= 1000;
    return model && room >= c->gpu.count;
}

static void random_world(const char *profile, uint64_t seed, int steps)
{
    struct rng r;
    rng_seed(&r, seed);
    struct sched *s = world_new(profile, seed);
    node(s, "n0", 8, "A", 16000);
    node(s, "n1", 4, "B", 40000);
    node(s, "n2", 0, "", 0);
    node(s, "n3", 16, "A", 0);
    for (int i = 0; i < steps; i++) {
        char name[16];
        snprintf(name, sizeof name, "p%d", (int)rng_below(&r, 60));
        if (sched_pod_find(s, S("default"), str_of(name))) {
            sched_pod_delete(s, S("default"), str_of(name));
            continue;
        }
        pod_id p = put(s, random_ask(&r, name));
        bool any = false;
        for (node_id n = 0; n < 4; n++) {
            bool fits = naive_fits(s, p, n);
            any |= fits;
            T_OK(devices_fit(&s->view, class_of(s, p), n) == fits);
        }
        uint32_t mark = statement_begin(s);
        struct gpu_state before[4];
        memcpy(before, s->view.gpu, sizeof before);
        bool placed = place(s, p);
        T_OK(placed == any);
        T_OK(!placed || (uint32_t)__builtin_popcount(mask(s, p)) == (class_of(s, p)->gpu.kind == GPU_NONE ? 0 : class_of(s, p)->gpu.count));
        check(s);
        if (rng_below(&r, 3) == 0) {
            statement_rollback(s, mark);
            T_OK(memcmp(before, s->view.gpu, sizeof before) == 0);
        } else {
            statement_commit(s, mark);
        }
        for (node_id n = 0; n < 4; n++)
            for (uint32_t k = 0; k < s->nodes[n].ngpus; k++)
                T_OK(s->view.gpu[n].used_milli[k] <= 1000);
        check(s);
    }
    sched_free(s);
}

TEST(random_pods_keep_the_books)
{
    for (uint64_t seed = 1; seed <= 12; seed++)
        random_world(seed % 2 ? "default" : "gpu-packing", seed, 150);
}

/* --- reasons ----------------------------------------------------------------------------------------------------------------------------------- */
static str reason(struct sched *s, struct arena *a, pod_id p, const char *plugin)
{
    struct explanation *x = explain_waiting(s, a, sched_unit_of(s, p), 0, NULL);
    for (uint32_t i = 0; i < x->nrows; i++)
        if (strcmp(x->rows[i].plugin, plugin) == 0)
            return arena_fmt(a, STR_FMT " on %u, %lld of %lld", STR_ARG(x->rows[i].text), x->rows[i].nodes, (long long)x->rows[i].best, (long long)x->rows[i].need);
    return S("");
}

TEST(reasons_have_numbers)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = world_new("default", 1);
    node(s, "n0", 2, "A", 8000);
    node(s, "n1", 2, "A", 8000);
    T_OK(place(s, PUT(s, .name = "x", .milli = 600)));
    T_OK(place(s, PUT(s, .name = "y", .milli = 600, .count = 2)));
    T_OK(place(s, PUT(s, .name = "z", .milli = 600)));
    T_EQ_STR(reason(s, &a, PUT(s, .name = "p", .milli = 470, .count = 2), "GpuSharing"), "Insufficient GPU: needs 2 devices with 470 milli each on 2, 0 of 2");
    T_EQ_STR(reason(s, &a, PUT(s, .name = "q", .whole = 1), "GpuSharing"), "Insufficient GPU: needs 1 free device on 2, 0 of 1");
    T_EQ_STR(reason(s, &a, PUT(s, .name = "r", .mib = 4000), "GpuSharing"), "Insufficient GPU: needs 1 device with 4000 MiB on 2, 0 of 1");
    T_EQ_STR(reason(s, &a, PUT(s, .name = "m", .mib = 9000), "GpuSharing"), "node(s) had GPUs with too little memory on 2, 0 of 0");
    T_EQ_STR(reason(s, &a, PUT(s, .name = "b", .milli = 10, .model = "B"), "GpuSharing"), "node(s) had GPU model A on 2, 0 of 0");
    sched_free(s);
    s = world_new("default", 1);
    node(s, "n0", 2, "A", 0);
    T_EQ_STR(reason(s, &a, PUT(s, .name = "m", .mib = 9000), "GpuSharing"), "node(s) did not say how much memory their GPUs have (label nvidia.com/gpu.memory) on 1, 0 of 0");
    sched_free(s);
    s = world_new("default", 1);
    node(s, "n", 0, "", 0);
    T_EQ_STR(reason(s, &a, PUT(s, .name = "p", .milli = 10), "GpuSharing"), "node(s) had no GPU on 1, 0 of 0");
    sched_free(s);
}

TEST_MAIN(fullest_device_that_fits_then_the_lowest, a_shared_device_is_not_handed_out_whole, a_fraction_of_several_devices, memory_is_a_share_of_the_device, models_are_minded, partitions_are_whole,
          bound_pods_are_taken_as_they_are, nominated_devices_give_way, random_pods_keep_the_books, reasons_have_numbers)
