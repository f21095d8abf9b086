/* unit_pack_test.c - tasks for which the order decides whether there is room. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/links.h"
#include "sched/engine/test_world.h"

#define MBIT 1000000ll

static void node(struct sched *s, const char *name, const char *domain, int64_t mbit)
{
    struct spec_label label = {S("domain"), str_of(domain)};
    struct res_amount res[] = {{RES_CPU, 64000}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}, {RES_PODS, 100}};
    struct err err = ERR_NONE;
    T_NO_ERR(sched_node_put(s, &(struct node_spec){.name = str_of(name), .labels = {&label, 1}, .allocatable = {res, ARRAY_LEN(res)}}, NULL, &err), &err);
}

static pod_id pod(struct sched *s, const char *domain, const char *name, const char *task, const char *role, int64_t mbit)
{
    struct spec_label label = {S("domain"), str_of(domain)};
    struct res_amount req[] = {{RES_CPU, 10}, {RES_INGRESS, mbit * MBIT}, {RES_EGRESS, mbit * MBIT}};
    struct pod_spec p = {.ns = str_of(domain), .name = str_of(name), .group = str_of(task), .group_is_cluster = *task != 0, .subgroup = str_of(role), .requests = {req, 3}, .node_selector = {&label, 1}};
    struct err err = ERR_NONE;
    pod_id id = POD_NONE;
    T_NO_ERR(sched_pod_put(s, &p, &id, &err), &err);
    return id;
}

/* Parties with one pod each that must be; enough: so many parties, 0: all. */
static unit_id task(struct sched *s, const char *name, const char *const *parties, size_t n, int32_t enough)
{
    struct spec_subgroup sub[8] = {0};
    for (size_t i = 0; i < n; i++)
        sub[i] = (struct spec_subgroup){.name = str_of(parties[i]), .min_member = 1};
    struct err err = ERR_NONE;
    unit_id u = UNIT_NONE;
    T_NO_ERR(sched_group_put(s, &(struct group_spec){.ns = S(""), .name = str_of(name), .subgroups = sub, .nsubgroups = n, .min_member = enough ? 0 : (int32_t)n, .min_subgroup = enough}, &u, &err), &err);
    return u;
}

static enum unit_result place(struct sched *s, unit_id u, uint32_t *ret_helped_by)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    uint64_t before = world_digest(s);
    sched_place(s, u, 0, &d);
    enum unit_result r = d.result;
    T_OK(r == UNIT_PLACED || world_digest(s) == before);
    if (ret_helped_by)
        *ret_helped_by = d.helped_by;
    unit_decision_fini(&d);
    world_check(s);
    return r;
}

static str where(const struct sched *s, pod_id p)
{
    return sched_node_name(s, s->pods[p].node);
}

static const char *const roles[] = {"guest", "host", "third"}, *const parties[] = {"alice", "bob", "carol"};

TEST(two_roles_of_one_domain)
{
    struct sched *s = world_new("default", 0);
    node(s, "a0", "alice", 100);
    node(s, "a1", "alice", 60);
    unit_id u = task(s, "t", roles, 2, 0);
    pod_id guest = pod(s, "alice", "t-guest-0", "t", "guest", 50), host = pod(s, "alice", "t-host-0", "t", "host", 60);
    T_EQ_INT(place(s, u, NULL), UNIT_PLACED);
    T_EQ_STR(where(s, guest), "a1"); /* the larger one goes first */
    T_EQ_STR(where(s, host), "a0");
    sched_free(s);
}

TEST(three_roles_of_one_domain)
{
    struct sched *s = world_new("default", 0);
    node(s, "a0", "alice", 100);
    node(s, "a1", "alice", 60);
    unit_id u = task(s, "t", roles, 3, 0);
    pod(s, "alice", "t-guest-0", "t", "guest", 50);
    pod_id host = pod(s, "alice", "t-host-0", "t", "host", 60);
    pod_id third = pod(s, "alice", "t-third-0", "t", "third", 51);
    T_EQ_INT(place(s, u, NULL), UNIT_REJECTED); /* 161 of 160 */
    sched_pod_delete(s, S("alice"), S("t-third-0"));
    third = pod(s, "alice", "t-third-0", "t", "third", 50);
    T_EQ_INT(place(s, u, NULL), UNIT_PLACED);
    T_EQ_STR(where(s, host), "a1");
    T_EQ_STR(where(s, third), "a0");
    sched_free(s);
}

TEST(parties_that_can_reach_each_other)
{
    struct sched *s = world_new("default", 0);
    struct err err = ERR_NONE;
    for (size_t i = 0; i < 3; i++)
        node(s, parties[i], parties[i], 1000);
    for (size_t i = 1; i < 3; i++)
        T_NO_ERR(sched_route_put(s, &(struct route_spec){.ns = S(""), .name = str_of(parties[i]), .source = S("alice"), .destination = str_of(parties[i]), .bits = 10 * MBIT}, &err), &err);
    unit_id u = task(s, "t", parties, 3, 2);
    pod_id p[3];
    for (size_t i = 0; i < 3; i++)
        p[i] = pod(s, parties[i], "t-0", "t", parties[i], i ? 50 : 90);
    T_EQ_INT(place(s, u, NULL), UNIT_PLACED);
    T_EQ_INT(s->pods[p[0]].state, PS_PENDING);
    T_OK(s->pods[p[1]].state == PS_ASSUMED && s->pods[p[2]].state == PS_ASSUMED);
    sched_free(s);
}

/* Where some are enough, it is not the first that decides what can help. */
TEST(room_for_any_of_them_helps)
{
    struct sched *s = world_new("default", 0);
    uint32_t helped_by;
    node(s, "b0", "bob", 100);
    node(s, "c0", "carol", 100);
    pod_id old = pod(s, "bob", "old", "", "", 80);
    T_OK(sched_assume(s, old, sched_node_find(s, S("b0"))));
    unit_id u = task(s, "t", parties, 3, 2);
    for (size_t i = 0; i < 3; i++)
        pod(s, parties[i], "t-0", "t", parties[i], i ? 50 : 60);
    T_EQ_INT(place(s, u, &helped_by), UNIT_REJECTED); /* alice has no node, which no pod that ends will change */
    T_OK(helped_by & EVENT_NODE_ADD && helped_by & EVENT_POD_FREED);
    sched_pod_delete(s, S("bob"), S("old"));
    T_EQ_INT(place(s, u, NULL), UNIT_PLACED);
    sched_free(s);
}

/* With more nodes than are looked at one by one. */
TEST(many_nodes)
{
    struct sched *s = world_new("default", 0);
    char name[16];
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "a%d", i);
        node(s, name, "alice", i == 7 ? 100 : i == 9 ? 60 : 40);
    }
    unit_id u = task(s, "t", roles, 3, 0);
    for (size_t i = 0; i < 3; i++)
        pod(s, "alice", roles[i], "t", roles[i], i == 1 ? 60 : 50);
    T_EQ_INT(place(s, u, NULL), UNIT_PLACED);
    unit_id v = task(s, "v", roles, 3, 0);
    for (size_t i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "v-%zu", i);
        pod(s, "alice", name, "v", roles[i], 35 + (int64_t)i);
    }
    T_EQ_INT(place(s, v, NULL), UNIT_PLACED);
    sched_free(s);
}

TEST_MAIN(two_roles_of_one_domain, three_roles_of_one_domain, parties_that_can_reach_each_other, room_for_any_of_them_helps, many_nodes)
