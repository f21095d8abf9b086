/* profiles_test.c - several profiles in one engine: each pod by its own, on nodes that all share.  Random worlds: reference_test.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain.h"
#include "sched/engine/place.h"
#include "sched/engine/test_world.h"
#include "sched/plugins/plugins.h"

static struct sched_profile *parsed(const char *text)
{
    struct err err = ERR_NONE;
    struct sched_profile *p = NULL;
    T_NO_ERR(profile_parse(str_of(text), S("p.yaml"), &p, &err), &err);
    BUG_ON(!p);
    return p;
}

/* The second follows the first, under the names a and b. */
static struct sched *two(struct sched_profile *a, struct sched_profile *b)
{
    a->next = b;
    a->name = S("a");
    b->name = S("b");
    return sched_new(a, 0);
}

static struct unit_decision decide(struct sched *s, const char *pod)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    sched_place(s, sched_unit_of(s, sched_pod_find(s, S("default"), str_of(pod))), 0, &d);
    return d;
}

static enum unit_result result_of(struct sched *s, const char *pod)
{
    struct unit_decision d = decide(s, pod);
    unit_decision_fini(&d);
    return d.result;
}

static const struct pod_class *class_named(struct sched *s, const char *pod)
{
    return class_of(s, sched_pod_find(s, S("default"), str_of(pod)));
}

/* The same entries in the same order, however the table holds them. */
static void check_table(const struct profile_table *t, const struct sched_profile *first)
{
    uint32_t k = 0;
    uint64_t all = 0;
    for (const struct sched_profile *p = first; p; p = p->next, k++) {
        uint32_t i = 0;
        T_OK(t->profiles[k] == p);
        for (uint64_t m = t->of[k]; m; m &= m - 1, i++) {
            const struct profile_plugin *e = &t->plugins[__builtin_ctzll(m)];
            T_OK(i < p->nplugins && e->plugin == p->plugins[i].plugin && e->weight == p->plugins[i].weight && e->filters == p->plugins[i].filters);
            T_EQ_STR(e->args_text, arena_cstr(&((struct sched_profile *)p)->arena, p->plugins[i].args_text));
        }
        T_EQ_INT(i, p->nplugins);
        all |= t->of[k];
    }
    T_EQ_INT(t->nprofiles, k);
    T_OK(all == (t->nplugins == 64 ? UINT64_MAX : (1ull << t->nplugins) - 1)); /* nothing that is nobody's */
}

TEST(a_table_has_all_entries_and_shares_equal_ones)
{
    struct profile_table t;
    struct sched_profile *p = profile_builtin(S("default"));
    T_OK(profile_table_make(&t, p));
    check_table(&t, p);
    T_EQ_INT(t.nplugins, p->nplugins);
    p->next = profile_builtin(S("default"));
    T_OK(profile_table_make(&t, p));
    check_table(&t, p);
    T_EQ_INT(t.nplugins, p->nplugins); /* all are alike */
    T_OK(t.of[0] == t.of[1]);
    p->next->next = profile_builtin(S("gpu-packing"));
    p->next->next->next = profile_builtin(S("spread"));
    p->next->next->next->next = parsed("plugins: {NodeResourcesFit: {args: {scoringStrategy: {type: MostAllocated}}}, NodeName: off}");
    T_OK(profile_table_make(&t, p));
    check_table(&t, p);
    T_OK(t.of[0] == t.of[1] && t.of[0] != t.of[2] && t.nplugins < 3 * p->nplugins);
    T_EQ_INT(profile_table_index(&t, 0, &plugin_gpu_packing), -1);
    T_OK(profile_table_index(&t, 2, &plugin_gpu_packing) >= 0);
    T_EQ_INT(profile_table_index(&t, 4, &plugin_node_name), -1);
    T_OK(profile_table_index(&t, 4, &plugin_node_resources_fit) != profile_table_index(&t, 0, &plugin_node_resources_fit));
    T_EQ_INT(profile_table_index(&t, 4, &plugin_node_ports), profile_table_index(&t, 0, &plugin_node_ports));
    profile_free(p);
}

TEST(a_table_has_an_end)
{
    struct profile_table t;
    struct sched_profile *p = profile_builtin(S("default")), *last = p;
    for (uint32_t i = 1; i < PROFILES_MAX; i++)
        last = last->next = profile_builtin(S("default"));
    T_OK(profile_table_make(&t, p));
    check_table(&t, p);
    last->next = profile_builtin(S("default"));
    T_OK(!profile_table_make(&t, p)); /* one too many */
    profile_free(p);
    /* ImageLocality of 64 - 21 weights fits, one more does not */
    p = last = profile_builtin(S("default"));
    uint32_t others = p->nplugins - 1;
    for (uint32_t i = 1; others + i < PLUG_MAX && i < PROFILES_MAX; i++) {
        last = last->next = profile_builtin(S("default"));
        last->plugins[profile_index(last, "ImageLocality")].weight = 100 + (int32_t)i;
        last->plugins[profile_index(last, "NodeAffinity")].weight = 100 + (int32_t)(i / 2);
        bool fits = profile_table_make(&t, p);
        if (!fits)
            break;
        check_table(&t, p);
        T_OK(t.nplugins <= PLUG_MAX);
    }
    T_OK(!profile_table_make(&t, p));
    profile_free(p);
}

/* One table out of many orders: the second has a plugin that the first has further ahead. */
TEST(a_table_keeps_each_order)
{
    struct sched_profile *p = parsed("kind: KubeSchedulerConfiguration\nprofiles:\n- schedulerName: a\n- schedulerName: b\n  plugins:\n    multiPoint:\n      disabled: [{name: '*'}]\n"
                                     "      enabled: [{name: NodeResourcesFit}, {name: TaintToleration, weight: 3}, {name: NodeName}]\n");
    struct profile_table t;
    T_OK(profile_table_make(&t, p));
    check_table(&t, p);
    T_OK(profile_table_index(&t, 1, &plugin_node_resources_fit) < profile_table_index(&t, 1, &plugin_taint_toleration));
    T_OK(profile_table_index(&t, 1, &plugin_taint_toleration) < profile_table_index(&t, 1, &plugin_node_name));
    T_OK(profile_table_index(&t, 0, &plugin_node_name) < profile_table_index(&t, 0, &plugin_taint_toleration));
    profile_free(p);
}

TEST(names_choose)
{
    struct sched *s = sched_new(parsed("kind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: a}, {schedulerName: default-scheduler}, {schedulerName: c}]\n"), 0);
    T_EQ_INT(profile_table_find(s->table, S("a")), 0);
    T_EQ_INT(profile_table_find(s->table, S("c")), 2);
    T_EQ_INT(profile_table_find(s->table, S("")), 1);
    T_EQ_INT(profile_table_find(s->table, S("unknown")), 0); /* bound by others: it only counts */
    /* equal specs of different profiles are different classes, also when the profiles say the same */
    pod_id x = world_pod(s, .name = "x", .scheduler = "a"), y = world_pod(s, .name = "y", .scheduler = "c"), z = world_pod(s, .name = "z", .scheduler = "a"), u = world_pod(s, .name = "u");
    T_OK(s->pods[x].class_ != s->pods[y].class_ && s->pods[x].class_ == s->pods[z].class_ && s->pods[u].class_ != s->pods[x].class_);
    T_EQ_INT(class_named(s, "u")->profile, 1);
    T_EQ_INT(s->classes[s->pods[sched_pod_clone(s, y, S("y2"), 0)].class_]->profile, 2);
    sched_free(s);
    /* alone it is everybody's */
    s = world_new("default", 0);
    x = world_pod(s, .name = "x", .scheduler = "a");
    y = world_pod(s, .name = "y", .scheduler = "c");
    T_OK(s->pods[x].class_ == s->pods[y].class_);
    sched_free(s);
}

/* Packing beside spreading, many pods in turn, so that classes are warm: the same nodes, the same room. */
TEST(each_pod_is_placed_by_its_own)
{
    struct sched *s = two(profile_builtin(S("binpack")), profile_builtin(S("spread")));
    char name[16], node[16];
    for (int i = 0; i < 8; i++) {
        snprintf(node, sizeof node, "n%d", i);
        world_node(s, node, 8000, "", "");
    }
    world_pod(s, .name = "seed", .node = "n3", .cpu = 2000);
    uint32_t packed = 0, spread[8] = {0};
    for (int i = 0; i < 12; i++) {
        bool packs = i % 2;
        snprintf(name, sizeof name, "p%d", i);
        world_pod(s, .name = name, .scheduler = packs ? "a" : "b", .cpu = 500);
        T_EQ_INT(result_of(s, name), UNIT_PLACED);
        str where = world_where(s, name);
        packed += packs && str_is(where, "n3");
        spread[where.p[1] - '0'] += !packs;
        world_check(s);
    }
    T_EQ_INT(packed, 6);
    T_EQ_INT(spread[3], 0); /* the full one is nobody's choice who spreads */
    for (int i = 0; i < 8; i++)
        T_OK(spread[i] <= 1);
    sched_free(s);
}

/* Whoever decided: a node is never given twice. */
TEST(they_share_the_room)
{
    struct sched *s = two(profile_builtin(S("binpack")), profile_builtin(S("spread")));
    world_node(s, "n0", 2000, "", "");
    world_node(s, "n1", 2000, "", "");
    uint32_t placed = 0;
    char name[16];
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "p%d", i);
        world_pod(s, .name = name, .scheduler = i % 2 ? "a" : "b", .cpu = 900);
        placed += result_of(s, name) == UNIT_PLACED;
    }
    T_EQ_INT(placed, 4);
    world_check(s);
    sched_free(s);
}

/* What a filter of one profile says does not concern the other's pods; nor does its bit stand in their rejections. */
TEST(rejections_are_of_the_own_profile)
{
    struct sched *s = two(parsed("plugins: {NodePorts: off}"), parsed("plugins: {NodeResourcesFit: {filter: false}}"));
    struct unit_decision d;
    ARENA_AUTO a = ARENA_INIT;
    world_node(s, "n0", 1000, "", "");
    world_pod(s, .name = "there", .node = "n0", .port = 80, .cpu = 600);
    world_pod(s, .name = "pa", .scheduler = "a", .port = 80, .cpu = 600);
    world_pod(s, .name = "pb", .scheduler = "b", .port = 80, .cpu = 600);
    world_pod(s, .name = "qa", .scheduler = "a", .port = 80, .cpu = 300);
    world_pod(s, .name = "qb", .scheduler = "b", .port = 81, .cpu = 600);
    d = decide(s, "pa");
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(d.rejected_by, 1ull << profile_table_index(s->table, 0, &plugin_node_resources_fit));
    struct explanation *x = explain_waiting(s, &a, sched_unit_of(s, sched_pod_find(s, S("default"), S("pa"))), 0, &d);
    T_EQ_INT(x->nrows, 1);
    T_EQ_STR(str_of(x->rows[0].plugin), "NodeResourcesFit");
    unit_decision_fini(&d);
    d = decide(s, "pb");
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_INT(d.rejected_by, 1ull << profile_table_index(s->table, 1, &plugin_node_ports));
    T_OK(!(d.rejected_by & s->table->of[0]));
    x = explain_waiting(s, &a, sched_unit_of(s, sched_pod_find(s, S("default"), S("pb"))), 0, &d);
    T_EQ_INT(x->nrows, 1);
    T_EQ_STR(str_of(x->rows[0].plugin), "NodePorts");
    unit_decision_fini(&d);
    T_EQ_INT(result_of(s, "qa"), UNIT_PLACED);
    T_EQ_INT(result_of(s, "qb"), UNIT_PLACED); /* it asked for that */
    sched_free(s);
}

/* Scores of a choice: those of the pod's profile, each once. */
TEST(a_choice_names_the_own_scores)
{
    struct sched *s = two(profile_builtin(S("default")), parsed("plugins: {NodeResourcesFit: 7, ImageLocality: off, TaintToleration: 0}"));
    ARENA_AUTO a = ARENA_INIT;
    world_node(s, "n0", 4000, "", "");
    world_node(s, "n1", 8000, "", "");
    pod_id p = world_pod(s, .name = "p", .scheduler = "a"), q = world_pod(s, .name = "q", .scheduler = "b");
    const struct explanation *x = explain_choice(s, &a, p), *y = explain_choice(s, &a, q);
    T_EQ_INT(x->nscores, y->nscores + 2);
    int32_t fit[2] = {0};
    for (size_t i = 0; i < y->nscores; i++) {
        T_OK(strcmp(y->scores[i].plugin, "ImageLocality") != 0 && strcmp(y->scores[i].plugin, "TaintToleration") != 0);
        fit[1] += strcmp(y->scores[i].plugin, "NodeResourcesFit") == 0 ? y->scores[i].chosen : 0;
    }
    for (size_t i = 0; i < x->nscores; i++)
        fit[0] += strcmp(x->scores[i].plugin, "NodeResourcesFit") == 0 ? x->scores[i].chosen : 0;
    T_EQ_INT(fit[1], 7 * fit[0]);
    int32_t parts[PLUG_MAX];
    place_score_parts(s, s->pods[q].class_, sched_node_find(s, S("n1")), parts);
    for (uint32_t i = 0; i < PLUG_MAX; i++)
        T_OK(parts[i] == 0 || s->table->of[1] >> i & 1);
    sched_free(s);
}

TEST(ties_are_broken_by_the_own_rule)
{
    static const char text[] = "plugins: {NodeResourcesFit: 0, NodeResourcesBalancedAllocation: 0, PodTopologySpread: 0, NumaAlignment: 0}\nties: %s";
    char by_name[256], by_fit[256];
    snprintf(by_name, sizeof by_name, text, "seed");
    snprintf(by_fit, sizeof by_fit, text, "best-fit");
    struct sched *s = two(parsed(by_name), parsed(by_fit));
    char name[16];
    world_node(s, "n0", 64000, "", "");
    world_node(s, "n1", 32000, "", "");
    world_node(s, "n2", 48000, "", "");
    for (int i = 0; i < 16; i++) { /* so often that both are warm */
        snprintf(name, sizeof name, "p%d", i);
        world_pod(s, .name = name, .scheduler = i % 2 ? "b" : "a", .cpu = 100);
        T_EQ_INT(result_of(s, name), UNIT_PLACED);
        T_EQ_STR(world_where(s, name), i % 2 ? "n1" : "n0");
    }
    /* parallel workers may have the one, not the other: replicas have no devices */
    T_OK(class_named(s, "p0")->replica_ok && !class_named(s, "p1")->replica_ok);
    sched_free(s);
}

TEST(preemption_follows_the_own_profile)
{
    struct sched *s = two(profile_builtin(S("default")), parsed("plugins: {DefaultPreemption: off}"));
    ARENA_AUTO a = ARENA_INIT;
    world_node(s, "n0", 1000, "", "");
    world_pod(s, .name = "low", .node = "n0", .scheduler = "b");
    pod_id calm = world_pod(s, .name = "calm", .scheduler = "b", .priority = 10);
    world_pod(s, .name = "keen", .scheduler = "a", .priority = 5);
    struct unit_decision d = decide(s, "calm");
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_EQ_STR(explain_waiting(s, &a, sched_unit_of(s, calm), 0, &d)->preemption, "");
    unit_decision_fini(&d);
    d = decide(s, "keen"); /* whose pod the victim is does not matter */
    T_EQ_INT(d.result, UNIT_PREEMPTING);
    T_EQ_INT(d.victims.len, 1);
    unit_decision_fini(&d);
    world_check(s);
    sched_free(s);
}

/* A gang of which one member must go: whether all of it goes is for the profile of the pod that evicts. */
TEST(gang_victims_follow_the_preemptors_profile)
{
    for (int whole = 0; whole < 2; whole++) {
        struct sched_profile *a = profile_builtin(S("default")), *b = profile_builtin(S("default"));
        b->unit_preempt_whole = true;
        struct sched *s = two(a, b);
        world_node(s, "n0", 1000, "", "");
        world_node(s, "n1", 1000, "", "");
        world_group(s, .name = S("g"), .min_member = 2);
        world_pod(s, .name = "g0", .node = "n0", .group = "g", .scheduler = "a");
        world_pod(s, .name = "g1", .node = "n1", .group = "g", .scheduler = "a");
        world_pod(s, .name = "p", .scheduler = whole ? "b" : "a", .priority = 10);
        struct unit_decision d = decide(s, "p");
        T_EQ_INT(d.result, UNIT_PREEMPTING);
        T_EQ_INT(d.victims.len, whole ? 2 : 1);
        unit_decision_fini(&d);
        sched_free(s);
    }
}

/* Unit level: a profile without Coscheduling places members one by one, and one without DaemonSet looks at all nodes. */
TEST(groups_follow_their_members_profile)
{
    struct sched *s = two(profile_builtin(S("default")), parsed("plugins: {Coscheduling: off, JobLevelAffinity: off}"));
    struct spec_label disk = {S("zone"), S("z2")};
    world_node(s, "n0", 1000, "z1", "");
    world_group(s, .name = S("ga"), .min_member = 2);
    world_group(s, .name = S("gb"), .min_member = 2, .node_selector = {&disk, 1});
    for (int i = 0; i < 2; i++) {
        world_pod(s, .name = i ? "a1" : "a0", .group = "ga", .scheduler = "a", .created = i + 1);
        world_pod(s, .name = i ? "b1" : "b0", .group = "gb", .scheduler = "b", .created = i + 1);
    }
    T_EQ_INT(unit_profile(s, sched_group_find(s, S("default"), S("ga"))), 0);
    T_EQ_INT(unit_profile(s, sched_group_find(s, S("default"), S("gb"))), 1);
    T_EQ_INT(result_of(s, "a0"), UNIT_REJECTED);
    T_EQ_STR(world_where(s, "a0"), "");
    T_EQ_INT(result_of(s, "b0"), UNIT_PLACED);
    T_EQ_STR(world_where(s, "b0"), "n0");
    T_EQ_STR(world_where(s, "b1"), "");
    /* members that disagree: the first profile decides for the group */
    world_pod(s, .name = "b2", .group = "gb", .scheduler = "a", .created = 9);
    T_EQ_INT(unit_profile(s, sched_group_find(s, S("default"), S("gb"))), 0);
    sched_free(s);
}

/* Required anti-affinity of a running pod holds off pods of the profile that filters by it, whoever placed the runner. */
TEST(affinity_of_others_counts_where_the_own_profile_asks)
{
    str x = S("x");
    struct spec_requirement same = {.key = S("app"), .op = OP_IN, .values = &x, .nvalues = 1};
    struct spec_pod_term apart = {.selector = {&same, 1, false}, .topology_key = S("kubernetes.io/hostname")};
    struct sched *s = two(parsed("plugins: {InterPodAffinity: off}"), profile_builtin(S("default")));
    world_node(s, "n0", 8000, "", "");
    world_pod(s, .name = "first", .scheduler = "a", .app = "x", .anti = &apart);
    T_EQ_INT(result_of(s, "first"), UNIT_PLACED);
    world_pod(s, .name = "blind", .scheduler = "a", .app = "x", .anti = &apart);
    T_EQ_INT(result_of(s, "blind"), UNIT_PLACED);
    world_pod(s, .name = "seeing", .scheduler = "b", .app = "x");
    T_EQ_INT(result_of(s, "seeing"), UNIT_REJECTED);
    world_pod(s, .name = "other", .scheduler = "b", .app = "y");
    T_EQ_INT(result_of(s, "other"), UNIT_PLACED);
    world_check(s);
    sched_free(s);
}

/* Arguments are the own entry's: two fits over different resources, two balances, and GPUs packed beside GPUs that are not. */
TEST(arguments_are_of_the_own_entry)
{
    struct sched *s = two(parsed("plugins: {NodeResourcesFit: {filter: true, weight: 1, args: {ignoredResources: [example.com/foo]}},\n"
                                 "  NodeResourcesBalancedAllocation: {weight: 1, args: {resources: [{name: cpu}, {name: memory}, {name: example.com/foo}]}}}"),
                          profile_builtin(S("gpu-packing")));
    uint16_t foo;
    T_OK(sched_resource_id(s, S("example.com/foo"), &foo, NULL) == 0);
    struct res_amount have[] = {{RES_CPU, 8000}, {RES_MEMORY, 64 * GIB}, {RES_PODS, 110}}, want[] = {{RES_CPU, 1000}, {foo, 1}};
    struct node_spec n = {.name = S("n0"), .allocatable = {have, 3}};
    struct pod_spec p = {.ns = S("default"), .name = S("p"), .requests = {want, 2}, .nonzero_cpu = 1000, .nonzero_memory = GIB};
    T_OK(sched_node_put(s, &n, NULL, NULL) == 0);
    p.scheduler = S("b");
    T_OK(sched_pod_put(s, &p, NULL, NULL) == 0);
    T_EQ_INT(result_of(s, "p"), UNIT_REJECTED);
    p.name = S("q");
    p.scheduler = S("a");
    T_OK(sched_pod_put(s, &p, NULL, NULL) == 0);
    T_EQ_INT(result_of(s, "q"), UNIT_PLACED);
    world_node_with(s, "g0", 64000, "", "", 4);
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "g%d", i);
        world_pod(s, .name = name, .scheduler = i % 2 ? "b" : "a", .gpu_milli = 400);
        T_EQ_INT(result_of(s, name), UNIT_PLACED);
        world_check(s);
    }
    sched_free(s);
}

TEST_MAIN(a_table_has_all_entries_and_shares_equal_ones, a_table_has_an_end, a_table_keeps_each_order, names_choose, each_pod_is_placed_by_its_own, they_share_the_room,
          rejections_are_of_the_own_profile, a_choice_names_the_own_scores, ties_are_broken_by_the_own_rule, preemption_follows_the_own_profile,
          gang_victims_follow_the_preemptors_profile, groups_follow_their_members_profile, affinity_of_others_counts_where_the_own_profile_asks,
          arguments_are_of_the_own_entry)
