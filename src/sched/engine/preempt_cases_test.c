/* preempt_cases_test.c - preemption by hand-made cases: one rule each, gangs, what is kept between calls. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

static const struct spec_requirement app_a[] = {{.key = STR_INIT("app"), .op = OP_IN, .values = (const str[]){STR_INIT("a")}, .nvalues = 1}};
static const struct spec_pod_term apart_from_a = {.selector = {app_a, 1}, .topology_key = STR_INIT("zone")};

static void decide(struct sched *s, const char *pod, struct unit_decision *d)
{
    sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(pod))), 0, d);
}

TEST(the_example_in_the_head_of_the_search)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 4000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 5, .started = 9);
    pod_id b = world_pod(s, .name = "b", .node = "n1", .priority = 3, .started = 8);
    pod_id c = world_pod(s, .name = "c", .node = "n1", .priority = 3, .started = 7);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 6);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    T_OK(preempt_find(s, p, NULL, &got, NULL));
    T_EQ_INT(got.victims.len, 2);
    T_EQ_INT(got.victims.p[0], c);
    T_EQ_INT(got.victims.p[1], b);
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(victims_leave_and_the_preemptor_gets_its_room)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 2);
    pod_id b = world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 1);
    world_pod(s, .name = "p", .cpu = 1500, .priority = 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.victims.p[0], b);
    T_EQ_STR(world_where(s, "p"), "n2");
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "b"), PS_TERMINATING);
    /* while b is leaving: nobody else is evicted, the room stays */
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_POD_FREED);
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "a"), PS_BOUND);
    /* a smaller one of lower priority does not take it when b has gone */
    sched_pod_delete(s, S("default"), S("b"));
    world_pod(s, .name = "q", .cpu = 1500, .priority = 5, .never = true);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(world_where(s, "p"), "n2");
    T_EQ_INT(world_state(s, "p"), PS_ASSUMED);
    world_check(s);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(room_of_pods_that_are_leaving_needs_no_victim)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 100, .terminating = true);
    world_pod(s, .name = "p", .cpu = 1000, .priority = 10);
    world_pod(s, .name = "q", .cpu = 1000, .priority = 10);
    world_pod(s, .name = "r", .cpu = 1000, .priority = 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 0);
    T_EQ_STR(world_where(s, "p"), "n2");
    decide(s, "q", &d);
    T_EQ_INT(d.victims.len, 0);
    T_EQ_STR(world_where(s, "q"), "n2");
    /* that room is taken now: the third one has to evict */
    decide(s, "r", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_STR(world_where(s, "r"), "n1");
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(devices_of_the_victim_are_kept_for_the_preemptor)
{
    struct sched *s = world_new("default", 0);
    node_id n = world_node_with(s, "n1", 8000, "", "", 2);
    world_pod(s, .name = "high", .node = "n1", .priority = 20, .gpu_milli = GPU_MILLI);
    world_pod(s, .name = "low", .node = "n1", .priority = 0, .gpu_milli = 700);
    uint16_t of_low = s->pods[sched_pod_find(s, S("default"), S("low"))].gpu_mask;
    world_pod(s, .name = "p", .priority = 10, .gpu_milli = GPU_MILLI);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.placements.p[0].gpu_mask, of_low);
    T_EQ_INT(s->view.gpu[n].used_milli[__builtin_ctz(of_low)], 1700);
    sched_pod_delete(s, S("default"), S("low"));
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.p[0].gpu_mask, of_low);
    T_EQ_INT(s->view.gpu[n].used_milli[__builtin_ctz(of_low)], 1000);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(never_means_never)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "p", .priority = 10, .never = true);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(world_state(s, "a"), PS_BOUND);
    /* and equal priority is not lower */
    world_pod(s, .name = "q", .priority = 0);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(higher_priority_takes_nominated_room)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 2000, .priority = 0);
    world_pod(s, .name = "p", .cpu = 2000, .priority = 5);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    world_pod(s, .name = "q", .cpu = 2000, .priority = 9);
    decide(s, "q", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 0); /* a is leaving already, p never came */
    T_EQ_STR(world_where(s, "q"), "n1");
    T_EQ_INT(world_state(s, "p"), PS_PENDING);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(the_order_of_the_criteria)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    for (int i = 1; i <= 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i);
        world_node(s, name, 2000, "", "");
    }
    str app = S("guarded");
    struct spec_requirement req = {.key = S("app"), .op = OP_IN, .values = &app, .nvalues = 1};
    struct pdb_spec budget = {.ns = S("default"), .name = S("b"), .selector = {&req, 1}, .disruptions_allowed = 0};
    T_NO_ERR(sched_pdb_put(s, &budget, &err), &err);
    world_pod(s, .name = "guarded", .node = "n1", .cpu = 2000, .priority = 1, .app = "guarded", .started = 9);
    world_pod(s, .name = "high", .node = "n2", .cpu = 2000, .priority = 4, .started = 9);
    world_pod(s, .name = "x1", .node = "n3", .cpu = 1000, .priority = 3, .started = 9);
    world_pod(s, .name = "x2", .node = "n3", .cpu = 1000, .priority = 3, .started = 9);
    world_pod(s, .name = "old", .node = "n4", .cpu = 2000, .priority = 3, .started = 2);
    world_pod(s, .name = "young", .node = "n5", .cpu = 2000, .priority = 3, .started = 5);
    /* latest start, then earlier start, then two victims, then the high one, then the budget */
    static const char *const want[] = {"n5", "n4", "n3", "n2", "n1"};
    struct unit_decision d = UNIT_DECISION_INIT;
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "p%d", i);
        world_pod(s, .name = name, .cpu = 2000, .priority = 10);
        decide(s, name, &d);
        T_EQ_INT(d.result, UNIT_PREEMPTING);
        T_EQ_STR(world_where(s, name), want[i]);
    }
    world_pod(s, .name = "last", .cpu = 2000, .priority = 10);
    decide(s, "last", &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(nodes_are_counted_by_why_they_are_no_candidates)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "small", 1000, "", "");
    world_node(s, "full", 4000, "", "");
    world_node(s, "good", 4000, "", "");
    struct spec_taint taint = {S("only"), S("gpu"), TAINT_NO_SCHEDULE};
    struct res_amount res[] = {{RES_CPU, 4000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct node_spec n = {.name = S("tainted"), .taints = &taint, .ntaints = 1, .allocatable = {res, 3}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    world_pod(s, .name = "a", .node = "full", .cpu = 4000, .priority = 50);
    world_pod(s, .name = "b", .node = "good", .cpu = 4000, .priority = 1);
    pod_id p = world_pod(s, .name = "p", .cpu = 3000, .priority = 10);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    struct preempt_counts counts;
    T_OK(preempt_find(s, p, NULL, &got, &counts));
    T_EQ_INT(counts.unresolvable, 1);
    T_EQ_INT(counts.hopeless, 2);
    T_EQ_INT(counts.searched, 1);
    T_EQ_STR(sched_node_name(s, got.node), "good");
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(what_is_kept_of_a_class_gives_way_to_changes)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    world_node(s, "n1", 2000, "z1", "");
    world_node(s, "n2", 2000, "z2", "");
    world_node(s, "n3", 1000, "z2", "");
    world_pod(s, .name = "x", .node = "n1", .cpu = 2000, .priority = 1, .app = "x", .started = 5);
    world_pod(s, .name = "y", .node = "n2", .cpu = 2000, .priority = 1, .app = "y", .started = 9);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 10);
    pod_id q = world_pod(s, .name = "q", .cpu = 2000, .priority = 10, .anti = &apart_from_a);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    T_OK(preempt_find(s, q, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* a budget for what runs on n2 */
    str app = S("y");
    struct spec_requirement req = {.key = S("app"), .op = OP_IN, .values = &app, .nvalues = 1};
    struct pdb_spec budget = {.ns = S("default"), .name = S("b"), .selector = {&req, 1}, .disruptions_allowed = 0};
    T_NO_ERR(sched_pdb_put(s, &budget, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    sched_pdb_delete(s, S("default"), S("b"));
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* q's foe comes to n3: n2 is in the same zone */
    world_pod(s, .name = "foe", .node = "n3", .app = "a", .priority = 20);
    T_OK(preempt_find(s, q, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    /* n2 is cordoned */
    struct res_amount res[] = {{RES_CPU, 2000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}};
    struct node_spec n2 = {.name = S("n2"), .unschedulable = true, .allocatable = {res, 3}};
    T_NO_ERR(sched_node_put(s, &n2, NULL, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    preempt_candidate_fini(&got);
    sched_free(s);
}

TEST(who_may_not_evict_finds_nothing)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_node(s, "n2", 2000, "", "");
    world_pod(s, .name = "a", .node = "n1", .cpu = 1000, .priority = 1);
    world_pod(s, .name = "going", .node = "n1", .cpu = 1000, .priority = 1, .terminating = true);
    world_pod(s, .name = "b", .node = "n2", .cpu = 2000, .priority = 1);
    pod_id p = world_pod(s, .name = "p", .cpu = 2000, .priority = 10, .nominated = "n1");
    pod_id never = world_pod(s, .name = "q", .cpu = 2000, .priority = 10, .never = true);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    uint64_t before = world_digest(s);
    T_OK(!preempt_find(s, never, NULL, &got, NULL));
    T_OK(!preempt_find(s, p, NULL, &got, NULL));
    sched_pod_delete(s, S("default"), S("going"));
    T_OK(world_digest(s) != before);
    before = world_digest(s);
    T_OK(preempt_find(s, p, NULL, &got, NULL)); /* though its own room is kept on n1 */
    T_EQ_INT(world_digest(s), before);
    world_check(s);
    preempt_candidate_fini(&got);
    sched_free(s);
}

/* --- gangs ----------------------------------------------------------------------------------------------------------------------------- */
static void fill_nodes(struct sched *s, int nodes, int32_t priority)
{
    for (int i = 0; i < nodes; i++) {
        char name[16], pod[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(s, name, 2000, "", "");
        for (int k = 0; k < 2; k++) {
            snprintf(pod, sizeof pod, "low%d-%d", i, k);
            world_pod(s, .name = pod, .node = name, .priority = priority, .started = 1 + i * 2 + k);
        }
    }
}

TEST(a_gang_evicts_for_all_or_for_none)
{
    struct sched *s = world_new("default", 0);
    fill_nodes(s, 3, 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 4);
    world_members(s, "g", "g", 4, 1500, NULL, 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED); /* three nodes hold three of them */
    T_EQ_INT(world_digest(s), before);
    fill_nodes(s, 4, 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.placements.len, 4);
    T_EQ_INT(d.victims.len, 8);
    for (size_t i = 0; i < d.placements.len; i++)
        T_EQ_INT(s->pods[d.placements.p[i].pod].state, PS_NOMINATED);
    world_check(s);
    world_check(s);
    /* asked again while the victims leave, it waits; when they have gone, it runs */
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_POD_FREED);
    for (pod_id q = 1; q < s->npods_slots; q++)
        if (s->pods[q].state == PS_TERMINATING)
            sched_pod_delete(s, S("default"), sched_pod_name(s, q));
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 4);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(room_made_by_one_member_serves_the_next)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 4000, "", "");
    world_pod(s, .name = "big", .node = "n1", .cpu = 4000, .priority = 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 3);
    world_members(s, "g", "g", 5, 1000, NULL, 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    T_EQ_INT(d.placements.len, 4); /* one of the surplus fits, nobody is evicted for the other */
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(members_of_different_priorities_keep_their_rooms)
{
    struct sched *s = world_new("default", 0);
    world_node(s, "n1", 2000, "", "");
    world_pod(s, .name = "big", .node = "n1", .cpu = 2000, .priority = 0);
    unit_id u = world_group(s, .name = S("g"), .min_member = 2);
    world_members(s, "g", "low", 1, 1000, NULL, 5);
    world_members(s, "g", "high", 1, 900, NULL, 9);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(world_state(s, "low0"), PS_NOMINATED);
    T_EQ_INT(world_state(s, "high0"), PS_NOMINATED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_broken_gang_goes_as_a_whole_when_told_so)
{
    for (int whole = 0; whole < 2; whole++) {
        struct sched_profile *profile = profile_builtin(S("default"));
        profile->unit_preempt_whole = whole;
        struct sched *s = sched_new(profile, 0);
        world_node(s, "n1", 1000, "", "");
        world_node(s, "n2", 1000, "", "");
        unit_id victim = world_group(s, .name = S("v"), .min_member = 2);
        world_pod(s, .name = "v1", .node = "n1", .group = "v");
        world_pod(s, .name = "v2", .node = "n2", .group = "v");
        T_EQ_INT(unit_count(s, victim).placed, 2);
        world_pod(s, .name = "p", .priority = 10);
        struct unit_decision d = UNIT_DECISION_INIT;
        decide(s, "p", &d);
        T_EQ_INT(d.result, UNIT_PREEMPTING);
        T_EQ_INT(d.victims.len, whole ? 2 : 1);
        unit_decision_fini(&d);
        sched_free(s);
    }
}

/* --- what is kept, and large numbers ---------------------------------------------------------------------------------------------------- */
/* Claims and volumes come and go without a node being touched: nothing that was kept of the class may outlive that. */
TEST(storage_events_reach_the_candidates)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    world_node(s, "n1", 1000, "", "");
    world_node(s, "n2", 1000, "", "");
    world_pod(s, .name = "x", .node = "n1", .started = 5);
    world_pod(s, .name = "y", .node = "n2", .started = 9);
    struct res_amount req[] = {{RES_CPU, 1000}};
    struct spec_volume volume = {.claim = S("c")};
    struct pod_spec spec = {.ns = S("default"), .name = S("p"), .priority = 10, .requests = {req, 1}, .volumes = &volume, .nvolumes = 1};
    pod_id p;
    T_NO_ERR(sched_pod_put(s, &spec, &p, &err), &err);
    struct preempt_candidate got = PREEMPT_CANDIDATE_INIT;
    T_OK(!preempt_find(s, p, NULL, &got, NULL)); /* no such claim */
    str host = S("n1");
    struct spec_requirement there = {.key = S("kubernetes.io/hostname"), .op = OP_IN, .values = &host, .nvalues = 1};
    struct spec_node_term term = {.labels = {&there, 1}};
    struct pv_spec pv = {.name = S("v"), .bytes = GIB, .claim_ns = S("default"), .claim_name = S("c"), .node_affinity = &term, .nnode_affinity = 1, .has_node_affinity = true, .access_modes = 1};
    struct pvc_spec pvc = {.ns = S("default"), .name = S("c"), .volume = S("v"), .bytes = GIB, .access_modes = 1};
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_NO_ERR(sched_pvc_put(s, &pvc, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n1")));
    host = S("n2"); /* the volume has moved */
    T_NO_ERR(sched_pv_put(s, &pv, &err), &err);
    T_OK(preempt_find(s, p, NULL, &got, NULL) && got.node == sched_node_find(s, S("n2")));
    sched_pvc_delete(s, S("default"), S("c"));
    T_OK(!preempt_find(s, p, NULL, &got, NULL));
    preempt_candidate_fini(&got);
    world_check(s);
    sched_free(s);
}

/* More nominated pods on one node than 16 bits count. */
TEST(nominations_do_not_wrap)
{
    struct sched *s = world_new("default", 0);
    node_id n = world_node(s, "n1", 1000, "", "");
    pod_id like = world_pod(s, .name = "p", .cpu = 1);
    char name[16];
    for (uint32_t i = 0; i < 65536; i++) {
        snprintf(name, sizeof name, "p%u", i);
        model_assign(s, sched_pod_clone(s, like, str_of(name), i), n, PS_NOMINATED, 0);
    }
    T_EQ_INT(s->preempt->nominated_on[n], 65536);
    world_pod(s, .name = "high", .priority = 10);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "high", &d);
    T_EQ_INT(d.result, UNIT_PLACED); /* their room is there for the taking */
    unit_decision_fini(&d);
    sched_free(s);
}

/* Of two gangs on a node all of the broken one goes, once each, and of the other only who must. */
TEST(mates_of_several_victims_go_once)
{
    struct sched_profile *profile = profile_builtin(S("default"));
    profile->unit_preempt_whole = true;
    struct sched *s = sched_new(profile, 0);
    world_node(s, "n1", 4000, "", "");
    world_node(s, "far", 100000, "", "");
    world_group(s, .name = S("tight"), .min_member = 82);
    world_group(s, .name = S("loose"), .min_member = 1);
    char name[16];
    for (uint32_t i = 0; i < 82; i++) {
        snprintf(name, sizeof name, "t%u", i);
        world_pod(s, .name = name, .node = i < 2 ? "n1" : "far", .group = "tight", .started = 1);
    }
    for (uint32_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name, "l%u", i);
        world_pod(s, .name = name, .node = i < 2 ? "n1" : "far", .group = "loose", .started = 1);
    }
    str host = S("n1");
    struct spec_requirement there = {.key = S("kubernetes.io/hostname"), .op = OP_IN, .values = &host, .nvalues = 1};
    struct spec_node_term term = {.labels = {&there, 1}};
    world_pod(s, .name = "p", .cpu = 4000, .priority = 10, .required = &term);
    struct unit_decision d = UNIT_DECISION_INIT;
    decide(s, "p", &d);
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 84);
    for (size_t i = 0; i < d.victims.len; i++)
        for (size_t k = 0; k < i; k++)
            T_OK(d.victims.p[i] != d.victims.p[k]);
    unit_decision_fini(&d);
    world_check(s);
    sched_free(s);
}

TEST_MAIN(the_example_in_the_head_of_the_search, victims_leave_and_the_preemptor_gets_its_room, room_of_pods_that_are_leaving_needs_no_victim,
          devices_of_the_victim_are_kept_for_the_preemptor, never_means_never, higher_priority_takes_nominated_room, the_order_of_the_criteria,
          nodes_are_counted_by_why_they_are_no_candidates, what_is_kept_of_a_class_gives_way_to_changes, who_may_not_evict_finds_nothing,
          a_gang_evicts_for_all_or_for_none, room_made_by_one_member_serves_the_next, members_of_different_priorities_keep_their_rooms,
          a_broken_gang_goes_as_a_whole_when_told_so, storage_events_reach_the_candidates, nominations_do_not_wrap, mates_of_several_victims_go_once)
