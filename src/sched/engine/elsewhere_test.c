/* elsewhere_test.c - pods that say they are on nodes nobody knows yet, against a naive list; and many of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"
#include "base/test.h"
#include "sched/engine/test_world.h"

#define PODS 60
#define NODES 7

static void put(struct sched *s, uint32_t pod, int node, bool terminating)
{
    char name[16], where[16];
    snprintf(name, sizeof name, "p%u", pod);
    snprintf(where, sizeof where, "n%d", node);
    world_pod(s, .name = name, .node = node < 0 ? NULL : where, .cpu = 10, .terminating = terminating);
}

TEST(pods_come_when_their_nodes_do)
{
    struct sched *s = world_new("default", 1);
    struct rng r;
    rng_seed(&r, 11);
    int where[PODS];
    bool there[NODES] = {0}, leaving[PODS] = {0};
    memset(where, 0xff, sizeof where);
    for (uint32_t i = 0; i < PODS; i++)
        put(s, i, -1, false);
    for (uint32_t step = 0; step < 4000; step++) {
        char name[16];
        uint32_t n = (uint32_t)rng_below(&r, NODES), p = (uint32_t)rng_below(&r, PODS);
        snprintf(name, sizeof name, "n%u", n);
        switch (rng_below(&r, 6)) {
        case 0:
            world_node(s, name, 100000, "", "");
            there[n] = true;
            break;
        case 1:
            sched_node_delete(s, str_of(name));
            there[n] = false;
            break;
        case 2:
            snprintf(name, sizeof name, "p%u", p);
            sched_pod_delete(s, S("default"), str_of(name));
            put(s, p, -1, false);
            where[p] = -1;
            leaving[p] = false;
            break;
        default:
            where[p] = (int)n;
            leaving[p] = rng_below(&r, 4) == 0;
            put(s, p, where[p], leaving[p]);
        }
        for (uint32_t i = 0; i < PODS; i++) {
            snprintf(name, sizeof name, "p%u", i);
            enum pod_state want = where[i] < 0 ? PS_PENDING : !there[where[i]] ? PS_ELSEWHERE : leaving[i] ? PS_TERMINATING : PS_BOUND;
            T_EQ_INT(world_state(s, name), want);
        }
        if (step % 200 == 0)
            world_check(s);
    }
    world_check(s);
    sched_free(s);
}

/* Each node takes its own pods without a look at the others: a walk for every node would be 4,000 times 200,000 steps, and so would deleting them. */
TEST(a_cluster_whose_pods_come_first)
{
    enum { nodes = 4000, each = 50 };
    struct sched *s = world_new("default", 1);
    char name[24], node[24];
    for (uint32_t i = 0; i < nodes * each; i++) {
        snprintf(name, sizeof name, "p%u", i);
        snprintf(node, sizeof node, "n%u", i % nodes);
        world_pod(s, .name = name, .node = node, .cpu = 10);
    }
    for (uint32_t i = 0; i < nodes / 2; i++) {
        snprintf(node, sizeof node, "n%u", i);
        node_id n = world_node(s, node, 100000, "", "");
        T_EQ_INT(s->nodes[n].npods, each);
    }
    T_EQ_INT(s->elsewhere.entries.len - s->elsewhere.free_.len, nodes * each / 2);
    for (uint32_t i = 0; i < nodes * each; i++) {
        snprintf(name, sizeof name, "p%u", i);
        sched_pod_delete(s, S("default"), str_of(name));
    }
    T_EQ_INT(s->npods, 0);
    T_EQ_INT(s->elsewhere.entries.len, s->elsewhere.free_.len);
    T_OK(!elsewhere_waits(s, S("n3999")));
    world_check(s);
    sched_free(s);
}

TEST_MAIN(pods_come_when_their_nodes_do, a_cluster_whose_pods_come_first)
