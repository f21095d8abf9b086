/* gang_test.c - groups: minimums, sub-groups, surplus, topology, and that what fails leaves nothing behind. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

static void add_nodes(struct sched *s, uint32_t n, int64_t cpu)
{
    char name[32];
    for (uint32_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "n%u", i);
        world_node(s, name, cpu, "", "");
    }
}

TEST(a_gang_is_placed_together_or_not_at_all)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 3, 2000);
    unit_id u = world_group(s, .name = S("g"), .min_member = 7);
    world_members(s, "g", "g", 7, 1000, NULL, 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(d.placements.len, 0);
    T_OK(d.rejected_by & 1ull << profile_index(s->profile, "NodeResourcesFit"));
    T_OK((d.helped_by & (EVENT_GROUP | EVENT_NODE_ADD | EVENT_POD_FREED)) == (EVENT_GROUP | EVENT_NODE_ADD | EVENT_POD_FREED));
    T_OK(d.failed_pod != POD_NONE && s->pods[d.failed_pod].unit == u);
    T_EQ_INT(world_digest(s), before);
    world_node(s, "n3", 2000, "", "");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 7);
    T_EQ_INT(unit_count(s, u).placed, 7);
    world_check(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_NOTHING);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(surplus_is_placed_when_it_fits)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 2, 2000);
    unit_id u = world_group(s, .name = S("g"), .min_member = 2);
    world_members(s, "g", "g", 6, 1000, NULL, 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 4);
    T_EQ_INT(unit_count(s, u).waiting, 2);
    /* it runs: single further members may come one by one */
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(unit_count(s, u).placed, 4);
    world_node(s, "n9", 1000, "", "");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 1);
    world_node(s, "n10", 1000, "", ""); /* what failed a moment ago is tried again */
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(unit_count(s, u).waiting, 0);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(incomplete_undeclared_and_gated_groups_wait)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 4, 2000);
    world_members(s, "g", "g", 2, 1000, NULL, 0);
    unit_id u = sched_group_find(s, S("default"), S("g"));
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_INCOMPLETE); /* nobody has said what g is */
    world_group(s, .name = S("g"), .min_member = 3);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_INCOMPLETE);
    T_OK(d.helped_by & EVENT_GROUP);
    world_pod(s, .name = "gated", .group = "g", .gates = 1);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_GATED);
    T_EQ_INT(unit_count(s, u).gated, 1);
    world_pod(s, .name = "gated", .group = "g");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 3);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_gang_that_lost_a_member_needs_one_more)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 2, 2000);
    unit_id u = world_group(s, .name = S("g"), .min_member = 3);
    world_members(s, "g", "g", 3, 1000, NULL, 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    sched_pod_delete(s, S("default"), S("g1"));
    world_pod(s, .name = "new", .group = "g");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 1);
    unit_decision_fini(&d);
    sched_free(s);
}

/* --- sub-groups ------------------------------------------------------------------------------------------------------------------------ */
TEST(every_sub_group_has_its_minimum)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 3, 2000);
    struct spec_subgroup sub[] = {{.name = S("ps"), .min_member = 1}, {.name = S("workers"), .min_member = 3}};
    unit_id u = world_group(s, .name = S("g"), .min_member = 4, .subgroups = sub, .nsubgroups = 2);
    world_members(s, "g", "w", 5, 1000, "workers", 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_INCOMPLETE); /* five members, but none of ps */
    world_members(s, "g", "p", 1, 2000, "ps", 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    /* p0 needs a node of its own: the surplus of workers did not take it */
    T_EQ_INT(world_state(s, "p0"), PS_ASSUMED);
    T_EQ_INT(d.placements.len, 5);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(some_of_the_sub_groups_are_enough)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 2, 2000);
    struct spec_subgroup sub[] = {{.name = S("a"), .min_member = 2}, {.name = S("b"), .min_member = 2}, {.name = S("c"), .min_member = 2}};
    unit_id u = world_group(s, .name = S("g"), .min_subgroup = 2, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "g", "a", 2, 1000, "a", 0);
    world_members(s, "g", "b", 1, 1000, "b", 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_INCOMPLETE); /* only one of them could be */
    world_members(s, "g", "c", 3, 1000, "c", 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 4);
    T_EQ_INT(world_state(s, "b0"), PS_PENDING);
    world_node(s, "n2", 1000, "", "");
    sched_place(s, u, 0, &d); /* a third member of c, not one of b */
    T_EQ_INT(d.placements.len, 1);
    T_EQ_INT(world_state(s, "b0"), PS_PENDING);
    world_pod(s, .name = "b1", .group = "g", .subgroup = "b");
    world_node(s, "n3", 2000, "", "");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.placements.len, 2);
    T_EQ_INT(unit_count(s, u).placed, 7);
    world_check(s);
    pod_id pods[7];
    uint32_t part[7];
    static const char *const names[] = {"a0", "a1", "b0", "b1", "c0", "c1", "c2"};
    for (size_t i = 0; i < 7; i++)
        pods[i] = sched_pod_find(s, S("default"), str_of(names[i]));
    T_EQ_INT(unit_surplus(s, u, pods, 7, part), 2); /* one of c by itself, then the first named sub-group */
    T_OK(part[4] == 1 && part[0] == 2 && part[1] == 2 && part[2] + part[3] + part[5] + part[6] == 0);
    T_OK(!unit_holds_without(s, u, &pods[0], 1)); /* a would be there in part */
    T_OK(unit_holds_without(s, u, &pods[4], 1));
    T_OK(unit_holds_without(s, u, NULL, 0));
    sched_pod_delete(s, S("default"), S("a0"));
    T_OK(unit_holds_without(s, u, NULL, 0)); /* b and c are enough */
    T_OK(unit_holds_without(s, u, &pods[1], 1)); /* what is left of a */
    sched_pod_delete(s, S("default"), S("b0"));
    T_OK(!unit_holds_without(s, u, NULL, 0));
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_parent_counts_the_members_below_it)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 2, 2000);
    struct spec_subgroup sub[] = {{.name = S("all"), .min_member = 4}, {.name = S("a"), .parent = S("all"), .min_member = 1}, {.name = S("b"), .parent = S("all"), .min_member = 1}};
    unit_id u = world_group(s, .name = S("g"), .min_member = 0, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "g", "a", 2, 1000, "a", 0);
    world_members(s, "g", "b", 3, 1000, "b", 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 4);
    unit_decision_fini(&d);
    sched_free(s);
    /* one place less: four are not to be had, though each leaf's one is */
    s = world_new("default", 0);
    world_node(s, "n0", 3000, "", "");
    u = world_group(s, .name = S("g"), .min_member = 0, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "g", "a", 2, 1000, "a", 0);
    world_members(s, "g", "b", 3, 1000, "b", 0);
    d = UNIT_DECISION_INIT;
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(world_digest(s), before);
    unit_decision_fini(&d);
    sched_free(s);
}

/* --- topology ----------------------------------------------------------------------------------------------------------------------------- */
/* zone a: racks a1 (2 nodes), a2 (2 nodes); zone b: racks b1 (3 nodes), b2 (1 node); 2 cpus each */
static void add_racks(struct sched *s)
{
    static const char *const racks[] = {"a1", "a1", "a2", "a2", "b1", "b1", "b1", "b2"};
    for (uint32_t i = 0; i < ARRAY_LEN(racks); i++) {
        char name[8], zone[2] = {racks[i][0], 0};
        snprintf(name, sizeof name, "n%u", i);
        world_node(s, name, 2000, zone, racks[i]);
    }
}

static sym_t label_of(struct sched *s, node_id n, const char *key)
{
    bool has;
    return labelset_get(s->nodes[n].labels, symbol(&s->sym, str_of(key)), &has);
}

/* The one value of the label on all nodes of the decision (or of pods whose name starts with prefix), "" when there are several. */
static str common(struct sched *s, const struct unit_decision *d, const char *key, const char *prefix)
{
    sym_t value = 0;
    for (size_t i = 0; i < d->placements.len; i++) {
        if (!str_has_prefix(sched_pod_name(s, d->placements.p[i].pod), str_of(prefix)))
            continue;
        sym_t v = label_of(s, d->placements.p[i].node, key);
        if (value && v != value)
            return S("");
        value = v;
    }
    return symbol_text(&s->sym, value);
}

TEST(required_topology_keeps_a_gang_in_one_domain)
{
    struct sched *s = world_new("default", 0);
    add_racks(s);
    str rack = S("rack"), zone = S("zone");
    struct unit_decision d = UNIT_DECISION_INIT;
    unit_id u = world_group(s, .name = S("g"), .min_member = 5, .required_keys = &rack, .nrequired_keys = 1);
    world_members(s, "g", "g", 5, 1000, NULL, 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(common(s, &d, "rack", ""), "b1"); /* the only one with six places */
    /* eight fit into zone a, but not into any rack */
    u = world_group(s, .name = S("h"), .min_member = 8, .required_keys = &rack, .nrequired_keys = 1);
    world_members(s, "h", "h", 8, 1000, NULL, 0);
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.rejected_by & 1ull << profile_index(s->profile, "JobLevelAffinity"));
    T_EQ_INT(world_digest(s), before);
    world_group(s, .name = S("h"), .min_member = 8, .required_keys = &zone, .nrequired_keys = 1);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(common(s, &d, "zone", ""), "a");
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(members_that_run_bind_the_others_to_their_domain)
{
    struct sched *s = world_new("default", 0);
    add_racks(s);
    str rack = S("rack");
    struct unit_decision d = UNIT_DECISION_INIT;
    unit_id u = world_group(s, .name = S("g"), .min_member = 2, .required_keys = &rack, .nrequired_keys = 1);
    world_pod(s, .name = "r0", .group = "g", .node = "n2");
    world_members(s, "g", "g", 2, 1000, NULL, 0);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(common(s, &d, "rack", ""), "a2");
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(preferred_topology_starts_narrow_and_widens)
{
    str keys[] = {S("zone"), S("rack")};
    static const struct {
        uint32_t members;
        const char *rack, *zone;
    } cases[] = {
        {2, "b2", "b"}, /* the fullest rack that holds them */
        {4, "a1", "a"},
        {6, "b1", "b"},
        {8, "", "a"},  /* no rack is that wide */
        {10, "", ""}, /* nor any zone */
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sched *s = world_new("default", 0);
        add_racks(s);
        unit_id u = world_group(s, .name = S("g"), .min_member = (int32_t)cases[i].members, .preferred_keys = keys, .npreferred_keys = 2);
        world_members(s, "g", "g", cases[i].members, 1000, NULL, 0);
        struct unit_decision d = UNIT_DECISION_INIT;
        sched_place(s, u, 0, &d);
        T_EQ_INT(d.result, UNIT_PLACED);
        T_EQ_STR(common(s, &d, "rack", ""), cases[i].rack);
        T_EQ_STR(common(s, &d, "zone", ""), cases[i].zone);
        unit_decision_fini(&d);
        sched_free(s);
    }
}

TEST(sort_rules_say_which_domain_comes_first)
{
    str rack = S("rack");
    static const struct {
        struct spec_sort_rule rule;
        const char *rack;
    } cases[] = {
        {{RES_CPU, .by_available = false, .descending = true}, "b1"},
        {{RES_CPU, .by_available = false, .descending = false}, "b2"},
        {{RES_CPU, .by_available = true, .descending = true}, "a1"},
        {{RES_CPU, .by_available = true, .descending = false}, "b1"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct sched *s = world_new("default", 0);
        add_racks(s);
        for (int k = 4; k < 7; k++) { /* b1 is nearly full: 1 cpu left */
            char name[8], node[8];
            snprintf(name, sizeof name, "f%d", k);
            snprintf(node, sizeof node, "n%d", k);
            world_pod(s, .name = name, .node = node, .cpu = k == 4 ? 1000 : 2000);
        }
        unit_id u = world_group(s, .name = S("g"), .min_member = 1, .required_keys = &rack, .nrequired_keys = 1, .sort_rules = &cases[i].rule, .nsort_rules = 1);
        world_members(s, "g", "g", 1, 1000, NULL, 0);
        struct unit_decision d = UNIT_DECISION_INIT;
        sched_place(s, u, 0, &d);
        T_EQ_INT(d.result, UNIT_PLACED);
        T_EQ_STR(common(s, &d, "rack", ""), cases[i].rack);
        unit_decision_fini(&d);
        sched_free(s);
    }
}

TEST(the_node_selector_of_a_group_is_its_members)
{
    struct sched *s = world_new("default", 0);
    add_racks(s);
    struct spec_label want = {S("rack"), S("b2")};
    unit_id u = world_group(s, .name = S("g"), .min_member = 1, .node_selector = {&want, 1});
    world_members(s, "g", "g", 4, 1000, NULL, 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 2);
    T_EQ_STR(common(s, &d, "rack", ""), "b2");
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_NODE_LABEL);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(sub_groups_have_domains_inside_their_parents)
{
    struct sched *s = world_new("default", 0);
    add_racks(s);
    world_node(s, "n8", 1500, "c", "c1"); /* the fullest racks of all, but no zone for the whole */
    world_node(s, "n9", 1500, "c", "c1");
    world_node(s, "n10", 1500, "c", "c1");
    struct spec_subgroup sub[] = {
        {.name = S("job"), .min_member = 6, .required_key = S("zone")},
        {.name = S("x"), .parent = S("job"), .min_member = 3, .required_key = S("rack")},
        {.name = S("y"), .parent = S("job"), .min_member = 3, .required_key = S("rack")},
    };
    unit_id u = world_group(s, .name = S("g"), .min_member = 6, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "g", "x", 4, 1000, "x", 0);
    world_members(s, "g", "y", 3, 1000, "y", 0);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 7);
    T_OK(!str_empty(common(s, &d, "zone", "")));
    T_OK(!str_empty(common(s, &d, "rack", "x")));
    T_OK(!str_empty(common(s, &d, "rack", "y")));
    world_check(s);
    T_EQ_STR(common(s, &d, "zone", ""), "a");
    /* a second one has both of its sub-groups in the widest rack; a third finds two places and one, no rack with three */
    unit_id v = world_group(s, .name = S("h"), .min_member = 6, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "h", "hx", 4, 1000, "x", 0);
    world_members(s, "h", "hy", 3, 1000, "y", 0);
    sched_place(s, v, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 6);
    T_EQ_STR(common(s, &d, "rack", ""), "b1");
    unit_id w = world_group(s, .name = S("i"), .min_member = 6, .subgroups = sub, .nsubgroups = 3);
    world_members(s, "i", "ix", 3, 1000, "x", 0);
    world_members(s, "i", "iy", 3, 1000, "y", 0);
    uint64_t before = world_digest(s);
    sched_place(s, w, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(world_digest(s), before);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(classes_that_need_each_other_find_together)
{
    /* a wants to be where b is, but stands first in line */
    struct sched *s = world_new("default", 0);
    add_racks(s);
    unit_id u = world_group(s, .name = S("g"), .min_member = 2);
    str b = S("b");
    struct spec_requirement app_b = {.key = S("app"), .op = OP_IN, .values = &b, .nvalues = 1};
    struct spec_pod_term near_b = {.selector = {&app_b, 1}, .topology_key = S("zone")};
    struct res_amount req[] = {{RES_CPU, 1000}};
    struct spec_label label = {S("app"), S("a")};
    struct pod_spec a = {.ns = S("default"), .name = S("a"), .group = S("g"), .created_ns = 1, .requests = {req, 1}, .labels = {&label, 1}, .affinity = &near_b, .naffinity = 1};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_pod_put(s, &a, NULL, &err), &err);
    world_pod(s, .name = "b", .group = "g", .app = "b", .created = 2);
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 2);
    T_OK(!str_empty(common(s, &d, "zone", "")));
    unit_decision_fini(&d);
    sched_free(s);
}

/* --- random: gangs on a small cluster, checked by plain rules ----------------------------------------------------------------------------- */
TEST(random_gangs_hold_their_rules)
{
    for (uint64_t seed = 1; seed <= 40 && !test_failures_; seed++) {
        struct rng rng;
        rng_seed(&rng, seed);
        struct sched *s = world_new(seed % 2 ? "default" : "binpack", seed);
        add_racks(s);
        struct unit_decision d = UNIT_DECISION_INIT;
        str rack = S("rack");
        for (uint32_t i = 0; i < 12; i++) {
            char name[8], prefix[16];
            snprintf(name, sizeof name, "g%u", i);
            snprintf(prefix, sizeof prefix, "g%u-", i);
            uint32_t members = 1 + (uint32_t)rng_below(&rng, 5), min = 1 + (uint32_t)rng_below(&rng, members);
            bool bound = rng_below(&rng, 2);
            unit_id u = world_group(s, .name = str_of(name), .min_member = (int32_t)min, .required_keys = &rack, .nrequired_keys = bound);
            world_members(s, name, prefix, members, 500 * (int64_t)(1 + rng_below(&rng, 3)), NULL, (int32_t)rng_below(&rng, 3));
            uint64_t before = world_digest(s);
            sched_place(s, u, 0, &d);
            if (d.result == UNIT_REJECTED)
                T_EQ_INT(world_digest(s), before);
            else
                T_OK(d.result == UNIT_PLACED || d.result == UNIT_PREEMPTING);
            if (d.result == UNIT_PLACED)
                T_OK(unit_count(s, u).placed >= min);
            if (d.result == UNIT_PREEMPTING)
                T_OK(d.placements.len >= min);
            if (bound && d.placements.len)
                T_OK(!str_empty(common(s, &d, "rack", "")));
            for (pod_id q = 1; q < s->npods_slots; q++)
                if (s->pods[q].state == PS_TERMINATING && rng_below(&rng, 2))
                    sched_pod_delete(s, S("default"), sched_pod_name(s, q));
            bits_foreach(n, s->alive, s->view.words)
            {
                int64_t used = 0; /* of those that stay or will come */
                for (pod_id q = s->nodes[n].first_pod; q; q = s->pods[q].next_on_node)
                    used += s->pods[q].state == PS_TERMINATING ? 0 : class_of(s, q)->amount[RES_CPU];
                T_OK(used <= 2000);
            }
            world_check(s);
        }
        unit_decision_fini(&d);
        sched_free(s);
    }
}

TEST(a_large_gang_leaves_nothing_when_one_does_not_fit)
{
    struct sched *s = world_new("default", 0);
    add_nodes(s, 200, 5000);
    unit_id u = world_group(s, .name = S("g"), .min_member = 1000);
    world_pod(s, .name = "first", .group = "g", .cpu = 999, .created = 1);
    pod_id like = world_pod(s, .name = "like", .group = "g", .created = 2);
    char name[16];
    for (int i = 0; i < 998; i++) {
        snprintf(name, sizeof name, "m%d", i);
        sched_pod_clone(s, like, str_of(name), 3 + i);
    }
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_INT(d.placements.len, 1000);
    for (size_t i = 0; i < d.placements.len; i++)
        sched_forget(s, d.placements.p[i].pod);
    world_pod(s, .name = "last", .group = "g", .cpu = 1001, .created = 5000); /* it and first leave a node with four */
    world_group(s, .name = S("g"), .min_member = 1001);
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(s->pods[d.failed_pod].unit, u);
    T_EQ_INT(world_digest(s), before);
    world_check(s);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST_MAIN(a_gang_is_placed_together_or_not_at_all, surplus_is_placed_when_it_fits, incomplete_undeclared_and_gated_groups_wait, a_gang_that_lost_a_member_needs_one_more,
          every_sub_group_has_its_minimum, some_of_the_sub_groups_are_enough, a_parent_counts_the_members_below_it, required_topology_keeps_a_gang_in_one_domain,
          members_that_run_bind_the_others_to_their_domain, preferred_topology_starts_narrow_and_widens, sort_rules_say_which_domain_comes_first,
          the_node_selector_of_a_group_is_its_members, sub_groups_have_domains_inside_their_parents, classes_that_need_each_other_find_together,
          random_gangs_hold_their_rules, a_large_gang_leaves_nothing_when_one_does_not_fit)
