/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/replicaset_plan.h"

#include "controllers/workload_testing.h"

TEST(creates_what_is_missing)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_record *pods[] = {pod(&a, "a Running"), pod(&a, "b Running")};
    struct replica_plan p = replica_plan_make(&a, pods, 2, 5);
    T_EQ_INT(p.create, 3);
    T_EQ_INT(p.delete, 0);
    p = replica_plan_make(&a, pods, 2, 2);
    T_EQ_INT(p.create + (int64_t)p.delete, 0);
    T_EQ_INT(replica_plan_make(&a, pods, 2, -1).delete, 2);
}

static void first_to_go(const char *x, const char *y)
{
    ARENA_AUTO a = ARENA_INIT;
    for (int turn = 0; turn < 2; turn++) { /* whatever the order they come in */
        struct pod_record *one = pod(&a, x), *two = pod(&a, y), *pods[] = {turn ? two : one, turn ? one : two};
        struct replica_plan p = replica_plan_make(&a, pods, 2, 1);
        T_EQ_INT(p.delete, 1);
        if (pods[0] != one)
            T_FAIL_("'%s' should go before '%s'", x, y);
    }
}

TEST(order_of_deletion)
{
    first_to_go("x Pending", "y node=n Pending");
    first_to_go("x node=n Pending", "y node=n Running");
    first_to_go("x node=n Running", "y node=n Running ready=5");
    first_to_go("x node=n Running ready=5 cost=-1", "y node=n Running ready=9 cost=7");
    first_to_go("x node=n Running ready=9", "y node=n Running ready=5");
    first_to_go("x node=n Running ready=5 restarts=3", "y node=n Running ready=5 restarts=1");
    first_to_go("x node=n Running ready=5 created=9", "y node=n Running ready=5 created=3");
}

TEST(crowded_nodes_first)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_record *pods[] = {pod(&a, "a node=n1 Running ready=5 created=1"), pod(&a, "b node=n2 Running ready=5 created=9"), pod(&a, "c node=n1 Running ready=5 created=2")};
    T_EQ_INT(replica_plan_make(&a, pods, 3, 2).delete, 1);
    T_EQ_STR(pods[0]->name, "c");
}

TEST(counts)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json labels = tree(&a, "{'controller-revision-hash':'h'}");
    struct pod_record *pods[] = {pod(&a, "a Running ready=10 hash=h"), pod(&a, "b Running ready=95"), pod(&a, "c Pending hash=h")};
    struct replica_counts c = replica_count(pods, 3, &labels, 10 * NSEC_PER_SEC, 100 * NSEC_PER_SEC);
    T_EQ_INT(c.replicas, 3);
    T_EQ_INT(c.labeled, 2);
    T_EQ_INT(c.ready, 2);
    T_EQ_INT(c.available, 1);
    T_EQ_INT(c.next, 5 * NSEC_PER_SEC);
}

TEST(failures_slow_it_down)
{
    ARENA_AUTO a = ARENA_INIT;
    nsec_t now = 10000 * NSEC_PER_SEC;
    struct pod_record *pods[40];
    for (size_t i = 0; i < ARRAY_LEN(pods); i++)
        pods[i] = pod(&a, "x Failed created=10000");
    T_EQ_INT(replica_wait(pods, 0, 2, now), 0);
    T_EQ_INT(replica_wait(pods, 2, 2, now), 0); /* each of them once */
    T_EQ_INT(replica_wait(pods, 3, 2, now), NSEC_PER_SEC);
    T_EQ_INT(replica_wait(pods, 5, 2, now), 2 * NSEC_PER_SEC);
    T_EQ_INT(replica_wait(pods, 5, 2, now + NSEC_PER_SEC), NSEC_PER_SEC);
    T_EQ_INT(replica_wait(pods, 5, 2, now + 2 * NSEC_PER_SEC), 0);
    T_EQ_INT(replica_wait(pods, 40, 2, now), REPLICA_DELAY_MAX_NS);
    T_EQ_INT(replica_wait(pods, 40, 2, now + 2 * REPLICA_FAILURE_WINDOW_NS), 0); /* long ago */
    T_EQ_INT(replica_wait(pods, 40, 100, now), 0);
    pods[0] = pod(&a, "x Failed created=9000 finished=9999");
    T_EQ_INT(replica_wait(pods, 1, 0, now), 0);
    pods[1] = pod(&a, "x Succeeded created=10000");
    T_EQ_INT(replica_wait(pods, 2, 1, now), 0);
}

TEST_MAIN(creates_what_is_missing, order_of_deletion, crowded_nodes_first, counts, failures_slow_it_down)
