/* odd_specs_test.c - specs that are legal and strange, and refusals: nothing falls over, nothing is half done. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "base/test.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/test_world.h"

static enum unit_result place(struct sched *s, const char *pod)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(pod))), 1, &d);
    enum unit_result r = d.result;
    unit_decision_fini(&d);
    world_check(s);
    return r;
}

static int put(struct sched *s, struct pod_spec p, struct err *err)
{
    p.ns = S("default");
    return sched_pod_put(s, &p, NULL, err);
}

TEST(no_nodes_and_nodes_of_nothing)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    T_NO_ERR(put(s, (struct pod_spec){.name = S("bare"), .best_effort = true}, &err), &err);
    world_pod(s, .name = "p");
    T_EQ_INT(place(s, "bare"), UNIT_REJECTED);
    T_EQ_INT(place(s, "p"), UNIT_REJECTED);
    T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = S("empty")}, NULL, &err), &err);
    T_EQ_INT(place(s, "bare"), UNIT_REJECTED); /* not even one pod may run there */
    struct res_amount only_pods[] = {{RES_PODS, 1}};
    T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = S("pods"), .allocatable = {only_pods, 1}}, NULL, &err), &err);
    T_EQ_INT(place(s, "p"), UNIT_REJECTED);
    T_EQ_INT(place(s, "bare"), UNIT_PLACED);
    sched_node_delete(s, S("pods"));
    sched_node_delete(s, S("empty"));
    T_EQ_INT(sched_node_count(s), 0);
    T_EQ_INT(place(s, "bare"), UNIT_REJECTED);
    sched_free(s);
}

/* Sums, percentages and books stay within their types: the sanitizers would say so. */
TEST(huge_amounts_are_cut_off)
{
    static const char *const profiles[] = {"default", "binpack", "spread", "gpu-packing"};
    for (size_t k = 0; k < ARRAY_LEN(profiles); k++) {
        struct sched *s = world_new(profiles[k], 1);
        struct err err = ERR_NONE;
        struct res_amount all[] = {{RES_CPU, INT64_MAX}, {RES_MEMORY, INT64_MAX}, {RES_STORAGE, INT64_MAX}, {RES_PODS, INT64_MAX}, {RES_INGRESS, INT64_MAX}, {RES_EGRESS, INT64_MAX}};
        struct spec_image image = {S("a:latest"), INT64_MAX};
        struct spec_numa zones[] = {{INT64_MAX, INT64_MAX, 0xff}, {INT64_MAX, INT64_MAX, ~0u}};
        struct node_spec n = {.allocatable = {all, ARRAY_LEN(all)}, .images = &image, .nimages = 1, .ngpus = 8, .gpu_memory_mib = INT64_MAX, .numa = zones, .nnuma = 2,
                              .bandwidth_overcommit = 1e300};
        for (n.name = S("a"); n.name.p; n.name = str_is(n.name, "a") ? S("b") : (str){0})
            T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
        struct pod_spec p = {.name = S("huge"), .requests = {all, ARRAY_LEN(all)}, .nonzero_cpu = INT64_MAX, .nonzero_memory = INT64_MAX, .images = &image.name, .nimages = 1,
                             .gpu = {.kind = GPU_MEMORY, .count = 1, .memory_mib = INT64_MAX}, .priority = INT32_MAX};
        T_NO_ERR(put(s, p, &err), &err);
        T_EQ_INT(place(s, "huge"), UNIT_REJECTED);
        char name[16];
        for (uint32_t i = 0; i < 40; i++) { /* by force */
            snprintf(name, sizeof name, "f%u", i);
            p.name = str_of(name);
            p.node = S("a");
            p.phase = POD_BOUND;
            p.priority = i % 2 ? INT32_MIN : INT32_MAX - 1;
            T_NO_ERR(put(s, p, &err), &err);
        }
        world_pod(s, .name = "small", .priority = INT32_MAX);
        T_EQ_INT(place(s, "small"), UNIT_PLACED);
        T_OK(str_is(world_where(s, "small"), "b"));
        /* twice the same resource is a sum */
        struct res_amount twice[] = {{RES_MEMORY, INT64_MAX}, {RES_MEMORY, INT64_MAX}};
        T_NO_ERR(put(s, (struct pod_spec){.name = S("twice"), .requests = {twice, 2}}, &err), &err);
        T_EQ_INT(place(s, "twice"), UNIT_REJECTED);
        sched_free(s);
    }
}

TEST(sixteen_devices_in_eight_zones)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    struct res_amount res[] = {{RES_CPU, 128000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}, {RES_GPU, 16}};
    struct spec_numa zones[NUMA_MAX];
    for (uint32_t z = 0; z < NUMA_MAX; z++)
        zones[z] = (struct spec_numa){16000, 8 * GIB, 3u << (2 * z)};
    struct node_spec n = {.name = S("n"), .allocatable = {res, 4}, .ngpus = GPU_MAX, .numa = zones, .nnuma = NUMA_MAX};
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    struct res_amount req[] = {{RES_CPU, 16000}, {RES_MEMORY, 8 * GIB}, {RES_GPU, 2}};
    char name[16];
    for (uint32_t i = 0; i < NUMA_MAX; i++) {
        snprintf(name, sizeof name, "p%u", i);
        T_NO_ERR(put(s, (struct pod_spec){.name = str_of(name), .requests = {req, 3}, .gpu = {.kind = GPU_WHOLE, .count = 2}, .numa = i % 2 ? NUMA_EXCLUSIVE : NUMA_REQUIRE_ONE}, &err), &err);
        T_EQ_INT(place(s, name), UNIT_PLACED);
    }
    T_NO_ERR(put(s, (struct pod_spec){.name = S("more"), .gpu = {.kind = GPU_FRACTION, .count = 1, .milli = 1}}, &err), &err);
    T_EQ_INT(place(s, "more"), UNIT_REJECTED);
    /* the node loses half of its devices and zones under their feet, and gets them back */
    n.ngpus = n.nnuma = 4;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    world_check(s);
    n.ngpus = GPU_MAX;
    n.nnuma = NUMA_MAX;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
    world_check(s);
    n.ngpus = GPU_MAX + 1;
    T_EQ_INT(sched_node_put(s, &n, NULL, &err), -E_TOO_LARGE);
    sched_free(s);
}

TEST(long_selectors_work_up_to_the_limit)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    static char text[LIMIT_SCHED_SPEC_ITEMS + 1][16];
    static str values[LIMIT_SCHED_SPEC_ITEMS + 1];
    for (uint32_t i = 0; i <= LIMIT_SCHED_SPEC_ITEMS; i++) {
        snprintf(text[i], sizeof text[i], "v%u", i);
        values[i] = str_of(text[i]);
    }
    world_node(s, "n", 4000, "v4095", "");
    struct spec_requirement in = {S("zone"), OP_IN, values, LIMIT_SCHED_SPEC_ITEMS};
    struct spec_node_term term = {.labels = {.p = &in, .n = 1}};
    world_pod(s, .name = "p", .required = &term);
    T_EQ_INT(place(s, "p"), UNIT_PLACED);
    in.nvalues++;
    struct spec_pod_term near = {.topology_key = S("zone"), .selector = {.p = &in, .n = 1}};
    struct spec_pod_term spaces = {.topology_key = S("zone"), .namespaces = values, .nnamespaces = in.nvalues};
    struct spec_spread spread = {.topology_key = S("zone"), .max_skew = 1, .selector = {.p = &in, .n = 1}};
    const struct pod_spec bad[] = {
        {.name = S("bad"), .required_terms = &term, .nrequired_terms = 1, .has_required = true},
        {.name = S("bad"), .preferred_terms = &term, .npreferred_terms = 1},
        {.name = S("bad"), .affinity = &near, .naffinity = 1},
        {.name = S("bad"), .preferred_anti_affinity = &spaces, .npreferred_anti_affinity = 1},
        {.name = S("bad"), .spread = &spread, .nspread = 1},
        {.name = S("bad"), .gpu = {.kind = GPU_WHOLE, .count = 1, .models = values, .nmodels = in.nvalues}},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        T_EQ_INT(put(s, bad[i], &err), -E_TOO_LARGE);
        T_EQ_INT(sched_pod_find(s, S("default"), S("bad")), POD_NONE);
    }
    world_check(s);
    sched_free(s);
}

TEST(a_refused_update_leaves_the_pod_alone)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    world_node(s, "n", 4000, "", "");
    world_group(s, .name = S("g"), .min_member = 1);
    pod_id p = world_pod(s, .name = "p", .node = "n");
    struct res_amount less[] = {{RES_CPU, -1}};
    T_EQ_INT(put(s, (struct pod_spec){.name = S("p"), .group = S("g"), .requests = {less, 1}}, &err), -E_INVALID_ARG);
    T_EQ_INT(sched_pod_find(s, S("default"), S("p")), p);
    T_EQ_INT(world_state(s, "p"), PS_BOUND);
    T_EQ_INT(s->units[sched_unit_of(s, p)].is_group, false);
    world_check(s);
    sched_free(s);
}

TEST(a_refused_assumption_leaves_the_nomination)
{
    struct sched *s = world_new("default", 1);
    node_id a = world_node(s, "a", 4000, "", ""), b = world_node(s, "b", 500, "", "");
    pod_id p = world_pod(s, .name = "p", .nominated = "a");
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    sched_take_events(s);
    T_OK(!sched_assume(s, p, b));
    T_EQ_INT(world_state(s, "p"), PS_NOMINATED);
    T_EQ_INT(s->pods[p].node, a);
    T_EQ_INT(sched_take_events(s), 0);
    world_check(s);
    T_OK(sched_assume(s, p, a));
    T_EQ_INT(world_state(s, "p"), PS_ASSUMED);
    sched_free(s);
}

TEST(priorities_are_bounded)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    char name[16];
    world_node(s, "n", 4000, "", "");
    for (uint32_t round = 0; round < 2; round++) { /* those of pods that have gone do not count */
        for (uint32_t i = 0; i < LIMIT_SCHED_PRIORITIES; i++) {
            snprintf(name, sizeof name, "p%u", i);
            world_pod(s, .name = name, .priority = (int32_t)(round * 100000 + i * 7), .node = "n", .cpu = 1);
        }
        struct pod_spec more = {.name = S("more"), .priority = -5};
        T_EQ_INT(put(s, more, &err), -E_TOO_LARGE);
        more.priority = (int32_t)(round * 100000 + 7);
        T_NO_ERR(put(s, more, &err), &err);
        world_check(s);
        sched_pod_delete(s, S("default"), S("more"));
        for (uint32_t i = 0; i < LIMIT_SCHED_PRIORITIES; i++) {
            snprintf(name, sizeof name, "p%u", i);
            sched_pod_delete(s, S("default"), str_of(name));
        }
    }
    sched_free(s);
}

TEST(odd_groups)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    world_node(s, "n", 4000, "z", "");
    world_group(s, .name = S("none"), .min_member = 0);
    world_members(s, "none", "m", 2, 1000, NULL, 0);
    T_EQ_INT(place(s, "m0"), UNIT_PLACED);
    T_EQ_INT(place(s, "m0"), UNIT_NOTHING);
    const struct spec_subgroup circle[] = {{.name = S("a"), .parent = S("b")}, {.name = S("b"), .parent = S("a")}}, self[] = {{.name = S("a"), .parent = S("a")}},
                               twice[] = {{.name = S("a")}, {.name = S("a")}}, unnamed[] = {{.min_member = 1}}, orphan[] = {{.name = S("a"), .parent = S("x")}};
    const struct spec_sort_rule rule[] = {{.resource = RES_MAX}, {.resource = 60000}};
    static str keys[LIMIT_SCHED_TOPOLOGY_KEYS + 1];
    const struct group_spec bad[] = {
        {.subgroups = circle, .nsubgroups = 2}, {.subgroups = self, .nsubgroups = 1}, {.subgroups = twice, .nsubgroups = 2}, {.subgroups = unnamed, .nsubgroups = 1},
        {.subgroups = orphan, .nsubgroups = 1}, {.sort_rules = rule, .nsort_rules = 1}, {.sort_rules = rule + 1, .nsort_rules = 1},
        {.required_keys = keys, .nrequired_keys = ARRAY_LEN(keys)}, {.min_member = -1},
    };
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct group_spec g = bad[i];
        g.ns = S("default");
        g.name = S("bad");
        if (sched_group_put(s, &g, NULL, &err) == 0)
            T_FAIL_("group %zu is taken", i);
        T_EQ_INT(sched_group_find(s, S("default"), S("bad")), UNIT_NONE);
    }
    sched_free(s);
}

/* A thousand sub-groups in one chain: checked and placed in moments, not in a thousand times a thousand times a thousand steps. */
TEST(a_deep_tree)
{
    struct sched *s = world_new("default", 1);
    static char text[LIMIT_SCHED_SUBGROUPS][16];
    static struct spec_subgroup chain[LIMIT_SCHED_SUBGROUPS];
    for (uint32_t i = 0; i < LIMIT_SCHED_SUBGROUPS; i++) {
        snprintf(text[i], sizeof text[i], "s%u", i);
        chain[i] = (struct spec_subgroup){.name = str_of(text[i]), .parent = i ? str_of(text[i - 1]) : S(""), .min_member = 1};
    }
    world_node(s, "n", 4000, "", "");
    world_group(s, .name = S("g"), .min_member = 1, .subgroups = chain, .nsubgroups = LIMIT_SCHED_SUBGROUPS);
    world_members(s, "g", "m", 1, 1000, "s999", 0);
    T_EQ_INT(place(s, "m0"), UNIT_PLACED);
    sched_free(s);
}

TEST(a_group_has_the_priority_of_its_members)
{
    struct sched *s = world_new("default", 1);
    unit_id u = world_group(s, .name = S("g"), .min_member = 1);
    world_members(s, "g", "low", 2, 1000, NULL, 3);
    world_members(s, "g", "high", 1, 1000, NULL, 9);
    T_EQ_INT(s->units[u].priority, 9);
    sched_pod_delete(s, S("default"), S("high0"));
    T_EQ_INT(s->units[u].priority, 3);
    world_pod(s, .name = "low0", .group = "g", .priority = 7);
    T_EQ_INT(s->units[u].priority, 7);
    world_pod(s, .name = "low0", .group = "g", .priority = 1);
    T_EQ_INT(s->units[u].priority, 3);
    pod_id alone = world_pod(s, .name = "alone", .priority = 1);
    world_pod(s, .name = "alone", .priority = 5);
    T_EQ_INT(s->units[sched_unit_of(s, alone)].priority, 5);
    sched_free(s);
}

TEST(a_member_changes_its_sub_group)
{
    struct sched *s = world_new("default", 1);
    const struct spec_subgroup subs[] = {{.name = S("a"), .min_member = 1}, {.name = S("b")}};
    world_node(s, "n", 4000, "", "");
    world_group(s, .name = S("g"), .min_member = 1, .subgroups = subs, .nsubgroups = 2);
    world_pod(s, .name = "p", .group = "g", .subgroup = "b");
    T_EQ_INT(place(s, "p"), UNIT_INCOMPLETE);
    sched_take_events(s);
    world_pod(s, .name = "p", .group = "g", .subgroup = "a");
    T_OK(sched_take_events(s) & EVENT_GROUP);
    T_EQ_INT(place(s, "p"), UNIT_PLACED);
    sched_free(s);
}

/* Groups may name any label key; each column of a key costs every node. */
TEST(groups_with_ever_new_keys)
{
    struct sched *s = world_new("default", 1);
    char name[16], key[16];
    world_node(s, "n", 400000, "z", "");
    for (uint32_t i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "g%u", i);
        snprintf(key, sizeof key, "key%u", i);
        str keys[] = {S("zone"), str_of(key)};
        world_group(s, .name = str_of(name), .min_member = 1, .required_keys = keys, .nrequired_keys = 1, .preferred_keys = keys + 1, .npreferred_keys = 1);
        world_pod(s, .name = name, .group = name);
        T_EQ_INT(place(s, name), UNIT_PLACED);
    }
    T_OK(s->ntopos <= 64);
    sched_free(s);
}

TEST(a_node_that_is_imagined_away_is_found_by_nobody)
{
    struct sched *s = world_new("default", 1);
    node_id n = world_node(s, "n", 4000, "", "");
    world_node(s, "m", 4000, "", "");
    str name = S("n");
    struct spec_requirement is = {S("metadata.name"), OP_IN, &name, 1};
    struct spec_node_term only = {.fields = &is, .nfields = 1};
    world_pod(s, .name = "pinned", .required = &only);
    pod_id p = sched_pod_find(s, S("default"), S("pinned"));
    uint64_t before = world_digest(s);
    uint32_t mark = statement_begin(s);
    statement_remove_node(s, n);
    T_EQ_INT(place(s, "pinned"), UNIT_REJECTED);
    T_OK(!sched_assume(s, p, n));
    struct err err = ERR_NONE;
    struct res_amount res[] = {{RES_CPU, 4000}, {RES_MEMORY, GIB}, {RES_PODS, 10}};
    T_NO_ERR(statement_add_nodes(s, &(struct node_spec){.name = S("n"), .allocatable = {res, 3}}, 1, &err), &err);
    statement_rollback(s, mark);
    T_EQ_INT(world_digest(s), before);
    T_EQ_INT(sched_node_find(s, S("n")), n);
    T_EQ_INT(place(s, "pinned"), UNIT_PLACED);
    sched_free(s);
}

/* A bound pod waits for the very name that an imagined node would get. */
TEST(imagined_nodes_take_no_pods_that_wait_for_theirs)
{
    struct sched *s = world_new("default", 1);
    struct err err = ERR_NONE;
    world_pod(s, .name = "p", .node = "like-0");
    uint32_t mark = statement_begin(s);
    T_NO_ERR(statement_add_nodes(s, &(struct node_spec){.name = S("like")}, 2, &err), &err);
    T_EQ_INT(sched_node_find(s, S("like-0")), NODE_NONE);
    T_OK(sched_node_find(s, S("like-2")) != NODE_NONE);
    statement_rollback(s, mark);
    T_EQ_INT(world_state(s, "p"), PS_ELSEWHERE);
    T_EQ_INT(sched_node_count(s), 0);
    world_check(s);
    world_node(s, "like-0", 4000, "", "");
    T_EQ_INT(world_state(s, "p"), PS_BOUND);
    sched_free(s);
}

TEST(a_namespace_that_says_nothing_new_is_no_event)
{
    struct sched *s = world_new("default", 1);
    struct spec_label a = {S("team"), S("a")};
    sched_namespace_put(s, S("bare"), (struct spec_labels){0});
    sched_namespace_put(s, S("full"), (struct spec_labels){&a, 1});
    T_OK(sched_take_events(s) & EVENT_NAMESPACE);
    sched_namespace_put(s, S("bare"), (struct spec_labels){0});
    sched_namespace_put(s, S("full"), (struct spec_labels){&a, 1});
    T_EQ_INT(sched_take_events(s), 0);
    sched_namespace_put(s, S("full"), (struct spec_labels){0});
    T_OK(sched_take_events(s) & EVENT_NAMESPACE);
    sched_free(s);
}

TEST_MAIN(no_nodes_and_nodes_of_nothing, huge_amounts_are_cut_off, sixteen_devices_in_eight_zones, long_selectors_work_up_to_the_limit, a_refused_update_leaves_the_pod_alone,
          a_refused_assumption_leaves_the_nomination, priorities_are_bounded, odd_groups, a_deep_tree, a_group_has_the_priority_of_its_members, a_member_changes_its_sub_group,
          groups_with_ever_new_keys, a_node_that_is_imagined_away_is_found_by_nobody, imagined_nodes_take_no_pods_that_wait_for_theirs,
          a_namespace_that_says_nothing_new_is_no_event)
