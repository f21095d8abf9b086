/* unit_test.c - pods alone: placed, rejected with reasons, pinned, gated, nominated; and the order of units. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"
#include "sched/engine/test_world.h"
#include "sched/engine/unit_state.h"

static void decide(struct sched *s, const char *pod, struct unit_decision *d)
{
    sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(pod))), 0, d);
}

static uint64_t bit_of(const struct sched *s, const char *plugin)
{
    return 1ull << profile_index(s->profile, plugin);
}

TEST(a_pod_is_placed_and_assumed)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 4000, "", "");
    world_pod(s, .name = "p");
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 1);
    T_EQ_STR(world_where(s, "p"), "n2");
    T_EQ_INT(world_state(s, "p"), PS_ASSUMED);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_NOTHING);
    T_EQ_INT(d.placements.len, 0);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_rejected_pod_says_who_and_what_may_help)
{
    struct sched *s = world_new("default", 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    pod_id p = world_pod(s, .name = "p", .cpu = 3000);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(d.rejected_by, 0);
    T_OK(d.helped_by & EVENT_NODE_ADD); /* there is none yet */
    world_node(s, "n1", 2000, "", "");
    decide(s, "p", &d);
    T_EQ_INT(d.rejected_by, bit_of(s, "NodeResourcesFit"));
    T_OK(d.helped_by & EVENT_POD_FREED);
    T_OK(!(d.helped_by & EVENT_NODE_TAINT));
    T_EQ_INT(d.failed_pod, p);
    struct spec_taint taint = {S("only"), S("gpu"), TAINT_NO_SCHEDULE};
    struct res_amount res[] = {{RES_CPU, 8000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct node_spec n = {.name = S("tainted"), .taints = &taint, .ntaints = 1, .allocatable = {res, 3}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    decide(s, "p", &d);
    T_EQ_INT(d.rejected_by, bit_of(s, "NodeResourcesFit") | bit_of(s, "TaintToleration"));
    T_OK(d.helped_by & EVENT_NODE_TAINT);
    T_EQ_INT(d.placements.len, 0);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(remembered_rejections_are_those_of_a_fresh_look)
{
    struct rng rng;
    rng_seed(&rng, 7);
    struct sched *s = world_new("default", 0);
    char name[32];
    for (uint32_t i = 0; i < 80; i++) {
        snprintf(name, sizeof name, "n%u", i);
        world_node(s, name, 2000, "", "");
    }
    pod_id wants[3];
    for (uint32_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "want%u", i);
        wants[i] = world_pod(s, .name = name, .cpu = 1000 + 700 * (int64_t)i, .port = i == 1 ? 80 : 0);
    }
    for (uint32_t i = 0; i < 600; i++) {
        uint32_t what = (uint32_t)rng_below(&rng, 10);
        snprintf(name, sizeof name, "p%u", (uint32_t)rng_below(&rng, 60));
        char node[32];
        snprintf(node, sizeof node, "n%u", (uint32_t)rng_below(&rng, 90));
        if (what < 6)
            world_pod(s, .name = name, .node = node, .cpu = 500 * (int64_t)(1 + rng_below(&rng, 4)), .port = rng_below(&rng, 3) ? 0 : 80);
        else if (what < 8)
            sched_pod_delete(s, S("default"), str_of(name));
        else if (what == 8)
            world_node(s, node, 1000 * (int64_t)(1 + rng_below(&rng, 3)), "", "");
        else
            sched_node_delete(s, str_of(node));
        class_id c = s->pods[wants[rng_below(&rng, 3)]].class_;
        T_EQ_INT(unit_rejections(s, c), place_rejections(s, c, NULL, NULL));
    }
    sched_free(s);
}

TEST(pinned_pods_look_at_their_node_alone)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    str n1 = S("n1"), n9 = S("n9");
    struct spec_requirement on1 = {.key = S("metadata.name"), .op = OP_IN, .values = &n1, .nvalues = 1}, on9 = {.key = S("metadata.name"), .op = OP_IN, .values = &n9, .nvalues = 1};
    struct spec_node_term t1 = {.fields = &on1, .nfields = 1}, t9 = {.fields = &on9, .nfields = 1};
    struct unit_decision d = UNIT_DECISION_INIT;
    world_pod(s, .name = "a", .cpu = 1500, .required = &t1);
    decide(s, "a", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(world_where(s, "a"), "n1");
    world_pod(s, .name = "b", .cpu = 1500, .required = &t1);
    decide(s, "b", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(d.rejected_by, bit_of(s, "NodeResourcesFit"));
    world_pod(s, .name = "c", .required = &t9);
    decide(s, "c", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_NODE_ADD);
    world_node(s, "n9", 2000, "", "");
    decide(s, "c", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(world_where(s, "c"), "n9");
    /* and evict there, nowhere else */
    world_pod(s, .name = "e", .cpu = 1500, .priority = 5, .required = &t1);
    decide(s, "e", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_STR(world_where(s, "e"), "n1");
    T_EQ_INT(world_state(s, "a"), PS_TERMINATING);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(gates_hold)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    struct unit_decision d = UNIT_DECISION_INIT;
    world_pod(s, .name = "p", .gates = 1);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_GATED);
    T_OK(d.helped_by & EVENT_POD_UPDATED);
    world_pod(s, .name = "p");
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_nominated_pod_prefers_its_node_and_takes_another_when_it_must)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 8000, "", "");
    struct unit_decision d = UNIT_DECISION_INIT;
    world_pod(s, .name = "p", .nominated = "n1");
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(world_where(s, "p"), "n1"); /* n2 scores higher */
    world_pod(s, .name = "q", .cpu = 4000, .nominated = "n1");
    decide(s, "q", &d);
    T_EQ_STR(world_where(s, "q"), "n2");
    /* neither: the nomination is of no use to anybody */
    world_pod(s, .name = "r", .cpu = 9000, .nominated = "n1");
    decide(s, "r", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(world_state(s, "r"), PS_PENDING);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(units_have_an_order)
{
    struct sched *s = world_new("default", 0);
    unit_id a = sched_unit_of(s, world_pod(s, .name = "a", .priority = 1, .created = 5));
    unit_id b = sched_unit_of(s, world_pod(s, .name = "b", .priority = 2, .created = 9));
    unit_id c = sched_unit_of(s, world_pod(s, .name = "c", .priority = 1, .created = 4));
    unit_id e = sched_unit_of(s, world_pod(s, .name = "e", .priority = 1, .created = 4));
    T_OK(unit_compare(s, b, a) < 0 && unit_compare(s, a, b) > 0);
    T_OK(unit_compare(s, c, a) < 0);
    T_OK(unit_compare(s, c, e) < 0 && unit_compare(s, e, c) > 0);
    T_EQ_INT(unit_compare(s, a, a), 0);
    T_OK(unit_is_single(s, a));
    struct unit_counts n = unit_count(s, a);
    T_OK(n.created == 1 && n.waiting == 1 && n.placed == 0 && n.gated == 0);
    unit_id g = world_group(s, .name = S("g"), .min_member = 1);
    world_pod(s, .name = "x", .group = "g", .priority = 7);
    T_OK(!unit_is_single(s, g));
    T_OK(unit_compare(s, g, b) < 0);
    sched_free(s);
}

TEST_MAIN(a_pod_is_placed_and_assumed, a_rejected_pod_says_who_and_what_may_help, remembered_rejections_are_those_of_a_fresh_look, pinned_pods_look_at_their_node_alone,
          gates_hold, a_nominated_pod_prefers_its_node_and_takes_another_when_it_must, units_have_an_order)
