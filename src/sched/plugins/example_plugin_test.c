/* example_plugin_test.c - the plugin that docs/scheduler.md explains, compiled and run as it stands there. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "sched/engine/engine.h"

extern const struct sched_plugin plugin_quiet_nodes;
#include "../../../examples/plugin/quiet_nodes.c"

static struct sched *world(void)
{
    struct sched_profile *p = profile_builtin(S("default"));
    BUG_ON(!p);
    struct profile_plugin *mine = &p->plugins[p->nplugins++];
    ARENA_AUTO a = ARENA_INIT;
    struct json args = json_literal(&a, "{\"pool\":\"spare\"}");
    struct err err = ERR_NONE;
    *mine = (struct profile_plugin){.plugin = &plugin_quiet_nodes, .weight = 5, .filters = true};
    T_NO_ERR(plugin_quiet_nodes.configure(&p->arena, &args, &mine->args, &err), &err);
    return sched_new(p, 0);
}

static void node(struct sched *s, const char *name, const char *pool, bool maintenance)
{
    struct spec_label labels[] = {{S("pool"), str_of(pool)}, {S("maintenance"), S("true")}};
    struct res_amount res[] = {{RES_CPU, 4000}, {RES_MEMORY, 8ll << 30}, {RES_PODS, 10}};
    struct node_spec n = {.name = str_of(name), .labels = {labels, maintenance ? 2 : 1}, .allocatable = {res, 3}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &n, NULL, &err), &err);
}

static pod_id pod(struct sched *s, const char *name)
{
    struct res_amount req[] = {{RES_CPU, 100}};
    struct pod_spec p = {.ns = S("default"), .name = str_of(name), .requests = {req, 1}, .nonzero_cpu = 100, .nonzero_memory = 200 << 20};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

TEST(it_filters_and_scores)
{
    struct sched *s = world();
    node(s, "a", "busy", false);
    node(s, "b", "spare", true);
    node(s, "c", "spare", false);
    struct unit_decision d = UNIT_DECISION_INIT;
    pod_id p = pod(s, "p");
    sched_place(s, sched_unit_of(s, p), 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    T_EQ_STR(sched_node_name(s, s->pods[p].node), "c");
    node(s, "c", "spare", true);
    pod_id q = pod(s, "q");
    sched_place(s, sched_unit_of(s, q), 0, &d);
    T_EQ_STR(sched_node_name(s, s->pods[q].node), "a");
    unit_decision_fini(&d);
    sched_free(s);
}

TEST(a_rejected_pod_waits_for_labels)
{
    struct sched *s = world();
    node(s, "a", "spare", true);
    struct unit_decision d = UNIT_DECISION_INIT;
    pod_id p = pod(s, "p");
    sched_place(s, sched_unit_of(s, p), 0, &d);
    T_EQ_INT(d.result, UNIT_REJECTED);
    T_OK(d.helped_by & EVENT_NODE_LABEL);
    T_EQ_INT(d.rejected_by, 1ull << profile_index(s->profile, "QuietNodes"));
    node(s, "a", "spare", false);
    sched_place(s, sched_unit_of(s, p), 0, &d);
    T_EQ_INT(d.result, UNIT_PLACED);
    unit_decision_fini(&d);
    sched_free(s);
}

TEST_MAIN(it_filters_and_scores, a_rejected_pod_waits_for_labels)
