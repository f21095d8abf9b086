/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/pod_gc_plan.h"

#include "controllers/workload_testing.h"

TEST(the_oldest_go)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_record *pods[] = {pod(&a, "c Failed created=30"), pod(&a, "a Succeeded created=10"), pod(&a, "d Failed created=10"), pod(&a, "b Failed created=20")};
    T_EQ_INT(pod_gc_excess(pods, 4, 4), 0);
    T_EQ_INT(pod_gc_excess(pods, 4, 100), 0);
    T_EQ_INT(pod_gc_excess(pods, 4, 1), 3);
    T_EQ_STR(pods[0]->name, "a");
    T_EQ_STR(pods[1]->name, "d");
    T_EQ_STR(pods[2]->name, "b");
    T_EQ_STR(pods[3]->name, "c");
    T_EQ_INT(pod_gc_excess(NULL, 0, 0), 0);
}

TEST(stranded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct pod_record *held = pod(&a, "a Pending deleting");
    T_OK(pod_gc_is_stranded(held));
    held->has_finalizers = true;
    T_OK(!pod_gc_is_stranded(held));
    T_OK(!pod_gc_is_stranded(pod(&a, "a Pending")));
    T_OK(!pod_gc_is_stranded(pod(&a, "a Pending deleting node=n1")));
}

TEST(switched_off)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json fine = tree(&a, "{'spec':{}}"), said = tree(&a, "{'spec':{'taints':[{'key':'node.kubernetes.io/out-of-service','effect':'NoExecute'}]}}"),
                silent = tree(&a, "{'spec':{'taints':[{'key':'node.kubernetes.io/unreachable','effect':'NoSchedule'}]}}"),
                both = tree(&a, "{'spec':{'taints':[{'key':'node.kubernetes.io/out-of-service','effect':'NoExecute'},{'key':'node.kubernetes.io/unreachable','effect':'NoSchedule'}]}}");
    T_OK(!pod_gc_is_switched_off(&fine));
    T_OK(!pod_gc_is_switched_off(&said)); /* it reports: it will end them itself */
    T_OK(!pod_gc_is_switched_off(&silent));
    T_OK(pod_gc_is_switched_off(&both));
}

TEST_MAIN(the_oldest_go, stranded, switched_off)
