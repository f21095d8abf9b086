/* numa_test.c - zones: who needs one, which one, who may share it, and the books. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "sched/engine/devices.h"
#include "sched/engine/explain.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"
#include "sched/plugins/plugins.h"

/* `zones` equal zones that share cpu, memory and devices of the node evenly. */
static node_id node(struct sched *s, const char *name, int64_t cpu, uint32_t gpus, uint32_t zones, bool single)
{
    struct res_amount res[] = {{RES_CPU, cpu}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct spec_numa numa[NUMA_MAX] = {0};
    for (uint32_t z = 0; z < zones; z++) {
        uint32_t each = gpus / zones;
        numa[z] = (struct spec_numa){cpu / zones, 64 * GIB / zones, ((1u << each) - 1) << z * each};
    }
    struct node_spec n = {.name = str_of(name), .allocatable = {res, 3}, .ngpus = gpus, .numa = numa, .nnuma = zones, .numa_single = single};
    struct err err = ERR_NONE;
    node_id id = NODE_NONE;
    T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
    return id;
}

static pod_id put(struct sched *s, const char *name, int64_t cpu, uint32_t gpus, enum numa_policy policy, bool guaranteed)
{
    struct res_amount req[] = {{RES_CPU, cpu}, {RES_MEMORY, GIB}, {RES_GPU, gpus}};
    struct pod_spec p = {.ns = S("default"), .name = str_of(name), .requests = {req, gpus ? 3 : 2}, .nonzero_cpu = cpu, .nonzero_memory = GIB, .numa = policy, .guaranteed = guaranteed, .preempt_never = true};
    p.gpu = (struct gpu_request){.kind = gpus ? GPU_WHOLE : GPU_NONE, .count = gpus};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

static bool place(struct sched *s, pod_id p)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), 0, &d);
    bool placed = d.result == UNIT_PLACED;
    unit_decision_fini(&d);
    return placed;
}
static void check(const struct sched *s)
{
    struct err err = ERR_NONE;
    T_NO_ERR(model_check(s, &err), &err);
    T_NO_ERR(devices_check(s, &err), &err);
}
static uint8_t zones(const struct sched *s, pod_id p)
{
    return s->pods[p].numa_zones;
}

TEST(one_zone_or_not_at_all)
{
    struct sched *s = world_new("default", 1);
    node(s, "n", 16000, 0, 2, false);
    pod_id a = put(s, "a", 5000, 0, NUMA_REQUIRE_ONE, false), b = put(s, "b", 2000, 0, NUMA_REQUIRE_ONE, false), c = put(s, "c", 4000, 0, NUMA_REQUIRE_ONE, false);
    T_OK(place(s, a) && place(s, b));
    T_EQ_INT(zones(s, a), 1);
    T_EQ_INT(zones(s, b), 1); /* the tighter one */
    T_OK(place(s, c));
    T_EQ_INT(zones(s, c), 2);
    T_OK(!place(s, put(s, "d", 5000, 0, NUMA_REQUIRE_ONE, false))); /* 5 cores are free, 1 and 4 in a zone */
    T_OK(place(s, put(s, "e", 5000, 0, NUMA_NONE, false)));
    check(s);
    sched_free(s);
}

TEST(a_node_may_insist_for_guaranteed_pods)
{
    struct sched *s = world_new("default", 1);
    node_id strict = node(s, "strict", 16000, 0, 2, true), lax = node(s, "lax", 16000, 0, 2, false);
    pod_id p = put(s, "p", 12000, 0, NUMA_NONE, true), q = put(s, "q", 12000, 0, NUMA_NONE, false);
    T_OK(place(s, p));
    T_EQ_INT(s->pods[p].node, lax);
    T_EQ_INT(zones(s, p), 3); /* spread over both */
    T_EQ_INT(s->view.numa[lax].used_cpu[0], 6000);
    T_EQ_INT(s->view.numa[lax].used_cpu[1], 6000);
    T_OK(place(s, q));
    T_EQ_INT(s->pods[q].node, strict);
    T_EQ_INT(zones(s, q), 0);
    T_OK(!place(s, put(s, "r", 12000, 0, NUMA_NONE, true)));
    check(s);
    sched_free(s);
}

TEST(devices_come_from_the_zone)
{
    struct sched *s = world_new("default", 1);
    node_id n = node(s, "n", 32000, 4, 2, false);
    pod_id other = put(s, "other", 1000, 1, NUMA_NONE, false), a = put(s, "a", 1000, 2, NUMA_REQUIRE_ONE, false), b = put(s, "b", 1000, 1, NUMA_REQUIRE_ONE, false);
    T_OK(place(s, other));
    T_EQ_INT(s->pods[other].gpu_mask, 1);
    T_OK(place(s, a));
    T_EQ_INT(zones(s, a), 2); /* zone 0 has one device left */
    T_EQ_INT(s->pods[a].gpu_mask, 4 | 8);
    T_OK(place(s, b));
    T_EQ_INT(zones(s, b), 1);
    T_EQ_INT(s->pods[b].gpu_mask, 2);
    T_EQ_INT(s->view.numa[n].used_cpu[0], 1000);
    check(s);
    sched_free(s);
}

TEST(own_zones)
{
    struct sched *s = world_new("default", 1);
    node_id n = node(s, "n", 32000, 4, 4, false);
    pod_id small = put(s, "small", 1000, 0, NUMA_REQUIRE_ONE, false), own = put(s, "own", 9000, 0, NUMA_EXCLUSIVE, false);
    T_OK(place(s, small) && place(s, own));
    T_EQ_INT(zones(s, small), 1);
    T_EQ_INT(zones(s, own), 2 | 4); /* two of 8 cores each, zone 0 is not empty */
    T_EQ_INT(s->view.numa[n].exclusive, 6);
    T_OK(!place(s, put(s, "own2", 9000, 0, NUMA_EXCLUSIVE, false)));
    T_OK(place(s, put(s, "own3", 100, 0, NUMA_EXCLUSIVE, false)));
    T_OK(!place(s, put(s, "big", 7500, 0, NUMA_REQUIRE_ONE, false)));
    check(s);
    sched_pod_delete(s, S("default"), S("own"));
    T_EQ_INT(s->view.numa[n].exclusive, 8);
    T_OK(place(s, sched_pod_find(s, S("default"), S("big"))));
    check(s);
    sched_free(s);
}

TEST(zones_must_be_known)
{
    ARENA_AUTO a = ARENA_INIT;
    struct sched *s = world_new("default", 1);
    node(s, "n", 16000, 0, 0, false);
    pod_id p = put(s, "p", 1000, 0, NUMA_REQUIRE_ONE, false);
    T_OK(!place(s, p));
    struct explanation *x = explain_waiting(s, &a, sched_unit_of(s, p), 0, NULL);
    T_EQ_STR(x->rows[0].text, "node(s) reported no NUMA zones");
    T_OK(x->rows[0].unresolvable);
    T_OK(place(s, put(s, "q", 1000, 0, NUMA_PREFER_ONE, false)));
    T_OK(place(s, put(s, "r", 1000, 0, NUMA_NONE, true)));
    node(s, "z", 16000, 0, 2, true);
    p = put(s, "t", 9000, 0, NUMA_REQUIRE_ONE, false);
    x = explain_waiting(s, &a, sched_unit_of(s, p), 0, NULL);
    bool said = false;
    for (uint32_t i = 0; i < x->nrows; i++)
        said |= str_is(x->rows[i].text, "node(s) had no NUMA zone with 9000m cpu, 1024 MiB free") && x->rows[i].unresolvable;
    T_OK(said);
    sched_free(s);
}

TEST(tight_zones_score_higher)
{
    struct sched *s = world_new("default", 1);
    node_id a = node(s, "a", 16000, 0, 2, false), b = node(s, "b", 16000, 0, 2, false), c = node(s, "c", 16000, 0, 8, false);
    pod_id used = put(s, "used", 3000, 0, NUMA_REQUIRE_ONE, false);
    model_assign(s, used, b, PS_BOUND, 0);
    pod_id p = put(s, "p", 4000, 0, NUMA_PREFER_ONE, false);
    const struct pod_class *k = class_of(s, p);
    int64_t on_a = plugin_numa_alignment.score_one(&s->view, k, NULL, a), on_b = plugin_numa_alignment.score_one(&s->view, k, NULL, b);
    T_EQ_INT(on_a, 1 + 99 * 4 / 8);
    T_EQ_INT(on_b, 1 + 99 * 7 / 8);
    T_EQ_INT(plugin_numa_alignment.score_one(&s->view, k, NULL, c), 0); /* zones of 2 cores */
    T_OK(plugin_numa_alignment.fits_one(&s->view, k, NULL, c));
    sched_free(s);
}

/* Every pod with a rule is in zones that hold it, by plain sums. */
static void check_zones(const struct sched *s)
{
    bits_foreach(n, s->alive, s->view.words)
    {
        const struct node *x = &s->nodes[n];
        int64_t cpu[NUMA_MAX] = {0};
        uint8_t own = 0;
        for (pod_id p = x->first_pod; p; p = s->pods[p].next_on_node) {
            const struct pod_class *c = class_of(s, p);
            uint32_t k = (uint32_t)__builtin_popcount(zones(s, p));
            bool one = c->numa == NUMA_REQUIRE_ONE || (c->guaranteed && x->numa_single && x->nnuma);
            if (one && c->numa != NUMA_EXCLUSIVE)
                T_EQ_INT(k, 1);
            if (c->numa == NUMA_EXCLUSIVE) {
                T_OK(k >= 1 && !(own & zones(s, p)));
                own |= zones(s, p);
            }
            for (uint32_t z = 0; z < x->nnuma; z++)
                if (zones(s, p) >> z & 1 && one && k == 1) { /* those that only prefer it may be where there is too little */
                    cpu[z] += c->amount[RES_CPU];
                    T_OK(!(s->pods[p].gpu_mask & ~x->numa[z].gpus));
                }
        }
        for (uint32_t z = 0; z < x->nnuma; z++)
            T_OK(cpu[z] <= x->numa[z].cpu_milli);
        for (pod_id p = x->first_pod; p; p = s->pods[p].next_on_node)
            T_OK(class_of(s, p)->numa == NUMA_EXCLUSIVE || class_of(s, p)->numa == NUMA_PREFER_ONE || class_of(s, p)->guaranteed || !(zones(s, p) & own));
    }
}

TEST(random_pods_keep_zones)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct sched *s = world_new(seed % 2 ? "default" : "binpack", seed);
        node(s, "n0", 32000, 8, 2, false);
        node(s, "n1", 32000, 8, 4, true);
        node(s, "n2", 16000, 0, 8, false);
        node(s, "n3", 32000, 4, 0, false);
        for (int i = 0; i < 200; i++) {
            char name[16];
            snprintf(name, sizeof name, "p%d", (int)rng_below(&r, 40));
            if (sched_pod_find(s, S("default"), str_of(name))) {
                sched_pod_delete(s, S("default"), str_of(name));
                check(s);
                continue;
            }
            pod_id p = put(s, name, 100 + (int64_t)rng_below(&r, 9000), (uint32_t)rng_below(&r, 4) / 2, (enum numa_policy)rng_below(&r, 4), rng_below(&r, 3) == 0);
            struct numa_state before[4];
            memcpy(before, s->view.numa, sizeof before);
            uint32_t mark = statement_begin(s);
            place(s, p);
            check(s);
            if (rng_below(&r, 4) == 0) {
                statement_rollback(s, mark);
                T_OK(memcmp(before, s->view.numa, sizeof before) == 0);
            } else {
                statement_commit(s, mark);
                check_zones(s);
            }
        }
        sched_free(s);
    }
}

TEST_MAIN(one_zone_or_not_at_all, a_node_may_insist_for_guaranteed_pods, devices_come_from_the_zone, own_zones, zones_must_be_known, tight_zones_score_higher, random_pods_keep_zones)
