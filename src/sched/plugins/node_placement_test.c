/* node_placement_test.c - who is packed and who is spread, by which resource, onto which device; node pools. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"
#include "sched/engine/test_world.h"

static void place(struct sched *s, pod_id p)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, p), 0, &d);
    unit_decision_fini(&d);
}

static str put(struct sched *s, const char *name, int64_t cpu, int32_t milli)
{
    pod_id p = world_pod(s, .name = name, .cpu = cpu, .gpu_milli = milli);
    place(s, p);
    return world_where(s, name);
}

/* n1: 8 GPUs, 2 of them taken; n2: 4 GPUs, 1 taken; n3: none. */
static struct sched *cluster(const char *profile)
{
    struct sched *s = world_new(profile, 0);
    world_node_with(s, "n1", 64000, "", "", 8);
    world_node_with(s, "n2", 64000, "", "", 4);
    world_node_with(s, "n3", 64000, "", "", 0);
    world_pod(s, .name = "u1", .node = "n1", .gpu_milli = 1000, .cpu = 20000);
    world_pod(s, .name = "u2", .node = "n1", .gpu_milli = 1000, .cpu = 20000);
    world_pod(s, .name = "u3", .node = "n2", .gpu_milli = 1000, .cpu = 10000);
    return s;
}

TEST(packed_by_what_counts_for_the_pod)
{
    struct sched *s = cluster("kai-binpack");
    T_EQ_STR(put(s, "g", 1000, 1000), "n2"); /* three free there, six on n1, whatever is free of cpu */
    T_EQ_STR(put(s, "c", 1000, 0), "n3");    /* the node without GPUs, though it is empty */
    T_EQ_STR(put(s, "big", 63000, 0), "n3");
    T_EQ_STR(put(s, "rest", 1000, 0), "n1"); /* fuller in cpu than n2 */
    world_check(s);
    sched_free(s);
}

TEST(spread_by_what_counts_for_the_pod)
{
    struct sched *s = cluster("kai-spread");
    T_EQ_STR(put(s, "g1", 1000, 1000), "n1"); /* 6 of 8 and 3 of 4 are the same; by name */
    T_EQ_STR(put(s, "g2", 1000, 1000), "n2"); /* 5 of 8, 3 of 4 */
    T_EQ_STR(put(s, "c", 1000, 0), "n3");
    T_EQ_STR(put(s, "big", 63000, 0), "n3");
    T_EQ_STR(put(s, "rest", 1000, 0), "n2");
    world_check(s);
    sched_free(s);
}

static uint16_t devices_of(struct sched *s, const char *pod)
{
    return s->pods[sched_pod_find(s, S("default"), str_of(pod))].gpu_mask;
}

TEST(parts_share_a_device_or_do_not)
{
    struct sched *s = cluster("kai-binpack");
    T_EQ_STR(put(s, "p1", 1000, 300), "n2");
    T_EQ_STR(put(s, "w1", 1000, 1000), "n2");
    T_EQ_STR(put(s, "p2", 1000, 300), "n2");
    T_EQ_INT(devices_of(s, "p1"), devices_of(s, "p2"));
    T_EQ_STR(put(s, "p3", 1000, 500), "n2"); /* a device of its own, one is left */
    T_OK(devices_of(s, "p3") != devices_of(s, "p1"));
    world_pod(s, .name = "here", .node = "n1", .gpu_milli = 100);
    T_EQ_STR(put(s, "p4", 1000, 900), "n1"); /* shared with that one; nothing on n2 has so much left */
    T_EQ_INT(devices_of(s, "p4"), devices_of(s, "here"));
    world_check(s);
    sched_free(s);
    s = cluster("kai-spread");
    T_EQ_STR(put(s, "p1", 1000, 300), "n1");
    T_EQ_STR(put(s, "p2", 1000, 300), "n2");
    T_EQ_STR(put(s, "p3", 1000, 300), "n1");
    T_OK(devices_of(s, "p1") != devices_of(s, "p3"));
    world_check(s);
    sched_free(s);
}

TEST(preferences_of_the_pod_go_first)
{
    struct sched *s = cluster("kai-binpack");
    struct spec_requirement want = {S("kubernetes.io/hostname"), OP_IN, &(str){S("n1").p, 2}, 1};
    struct spec_node_term prefer = {.labels = {.p = &want, .n = 1}, .weight = 1};
    struct res_amount r[] = {{RES_CPU, 1000}, {RES_GPU, 1}};
    struct pod_spec p = {.ns = S("default"), .name = S("p"), .requests = {r, 2}, .gpu = {.kind = GPU_WHOLE, .count = 1}, .preferred_terms = &prefer, .npreferred_terms = 1};
    struct err err = ERR_NONE;
    pod_id id;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    place(s, id);
    T_EQ_STR(world_where(s, "p"), "n1");
    sched_free(s);
}

TEST(pods_of_a_pool_stay_there)
{
    struct sched *s = world_new("default", 0);
    struct spec_label label = {S(POOL_LABEL), S("east")};
    struct res_amount size[] = {{RES_CPU, 64000}, {RES_MEMORY, GIB}, {RES_PODS, 10}};
    struct err err = ERR_NONE;
    world_node(s, "plain", 64000, "", "");
    struct node_spec east = {.name = S("east"), .labels = {&label, 1}, .allocatable = {size, 3}};
    T_NO_ERR(sched_node_put(s, &east, NULL, &err), &err);
    static const struct {
        const char *name, *pool, *want;
    } pods[] = {{"a", "east", "east"}, {"b", "", "plain"}, {"c", "west", ""}};
    for (size_t i = 0; i < ARRAY_LEN(pods); i++) {
        struct pod_spec p = {.ns = S("default"), .name = str_of(pods[i].name), .in_pool = true, .place_pool = str_of(pods[i].pool)};
        pod_id id;
        T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
        place(s, id);
        T_EQ_STR(world_where(s, pods[i].name), pods[i].want);
    }
    label.value = S("west"); /* the node moves: who is there stays, who waits may come */
    T_NO_ERR(sched_node_put(s, &east, NULL, &err), &err);
    pod_id c = sched_pod_find(s, S("default"), S("c"));
    place(s, c);
    T_EQ_STR(world_where(s, "c"), "east");
    T_EQ_STR(world_where(s, "a"), "east");
    world_check(s);
    sched_free(s);
}

TEST_MAIN(packed_by_what_counts_for_the_pod, spread_by_what_counts_for_the_pod, parts_share_a_device_or_do_not, preferences_of_the_pod_go_first, pods_of_a_pool_stay_there)
