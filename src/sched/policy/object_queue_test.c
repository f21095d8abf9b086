/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/object_queue.h"

#include "base/test.h"

static struct err err;

static int read_queue(struct sched *s, struct arena *a, const char *text, struct queue_spec *ret)
{
    struct strbuf b = strbuf_on(a);
    struct json obj;
    for (const char *p = text; *p; p++)
        strbuf_add_char(&b, *p == '\'' ? '"' : *p);
    T_NO_ERR(json_parse(a, strbuf_str(&b), NULL, &obj, &err), &err);
    return object_queue(s, a, &obj, ret, &err);
}

TEST(units_are_those_of_kai)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    ARENA_AUTO a = ARENA_INIT;
    struct queue_spec q;
    T_NO_ERR(read_queue(s, &a,
                        "{'metadata':{'name':'q','uid':'u','creationTimestamp':'2026-01-02T03:04:05Z'},'spec':{'parentQueue':'top','priority':7,'preemptMinRuntime':'1m30s',"
                        "'maxRuntime':'24h','resources':{'gpu':{'quota':1.5,'overQuotaWeight':2,'limit':-1},'cpu':{'quota':2500,'limit':4000,'overQuotaWeight':0},"
                        "'memory':{'quota':-1},'example.com/fpga':{'limit':3}}}}",
                        &q),
             &err);
    T_EQ_STR(q.name, "q");
    T_EQ_STR(q.parent, "top");
    T_EQ_INT(q.priority, 7);
    T_EQ_INT(q.preempt_min_runtime_ns, 90 * NSEC_PER_SEC);
    T_EQ_INT(q.reclaim_min_runtime_ns, -1);
    T_EQ_INT(q.max_runtime_ns, 24 * 3600 * NSEC_PER_SEC);
    T_EQ_INT(q.nres, 4);
    T_EQ_INT(q.res[0].id, RES_GPU);
    T_EQ_INT(q.res[0].quota, 1500);
    T_OK(q.res[0].limit == POLICY_UNLIMITED && q.res[0].weight == 2);
    T_EQ_INT(q.res[1].id, RES_CPU);
    T_OK(q.res[1].quota == 2500 && q.res[1].limit == 4000 && q.res[1].weight == 0);
    T_OK(q.res[2].quota == POLICY_UNLIMITED && q.res[2].limit == POLICY_UNLIMITED && q.res[2].weight == 1);
    T_EQ_INT(q.res[3].limit, 3);
    sched_free(s);
}

TEST(a_model_of_gpus_is_a_resource_of_its_own)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    ARENA_AUTO a = ARENA_INIT;
    struct queue_spec q;
    T_NO_ERR(read_queue(s, &a, "{'metadata':{'name':'q'},'spec':{'resources':{'gpu':{'quota':9},'gpu:A100':{'quota':1.5,'limit':4},'nvidia.com/gpu:H100':{'quota':-1}}}}", &q), &err);
    T_EQ_INT(q.nres, 5);
    T_EQ_STR(sched_resource_name(s, q.res[1].id), "nvidia.com/gpu:A100");
    T_OK(q.res[1].id != RES_GPU && q.res[1].quota == 1500 && q.res[1].limit == 4000);
    T_EQ_STR(q.res[2].name, "nvidia.com/gpu:H100");
    T_OK(q.res[2].quota == POLICY_UNLIMITED);
    sched_free(s);
}

TEST(a_queue_that_says_little_is_not_shut)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    ARENA_AUTO a = ARENA_INIT;
    struct queue_spec q;
    T_NO_ERR(read_queue(s, &a, "{'metadata':{'name':'q'}}", &q), &err);
    T_EQ_INT(q.priority, 100);
    T_EQ_INT(q.nres, 2);
    T_OK(q.res[0].id == RES_CPU && q.res[0].quota == POLICY_UNLIMITED && q.res[1].id == RES_MEMORY && q.res[1].limit == POLICY_UNLIMITED);
    T_EQ_INT(q.max_runtime_ns, 0);
    sched_free(s);
}

TEST(what_is_wrong_is_said_with_its_path)
{
    static const struct {
        const char *text, *say;
    } cases[] = {
        {"{'metadata':{'name':'q'},'spec':{'resources':{'gpu':{'quota':-2}}}}", "spec.resources.gpu.quota: must be a number that is not negative, or -1 for no end"},
        {"{'metadata':{'name':'q'},'spec':{'resources':{'gpu':{'overQuotaWeight':'x'}}}}", "spec.resources.gpu.overQuotaWeight: must be a number that is not negative"},
        {"{'metadata':{'name':'q'},'spec':{'resources':{'gpu':5}}}", "spec.resources.gpu: must be an object with quota, overQuotaWeight and limit"},
        {"{'metadata':{'name':'q'},'spec':{'maxRuntime':'soon'}}", "spec.maxRuntime: must be a duration such as 30s, 10m or 24h"},
    };
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct queue_spec q;
        T_ERR(read_queue(s, &a, cases[i].text, &q), E_INVALID_ARG);
        T_EQ_STR(str_of(err.msg), cases[i].say);
    }
    sched_free(s);
}

TEST(amounts_are_quantities)
{
    ARENA_AUTO a = ARENA_INIT;
    struct queues *q = queues_new();
    struct queue_resource model = {.id = RES_FIRST_EXTENDED, .limit = POLICY_UNLIMITED, .name = S("nvidia.com/gpu:A100")};
    T_NO_ERR(queues_put(q, &(struct queue_spec){.name = S("q"), .res = &model, .nres = 1}, NULL, &err), &err);
    uint32_t gpu = (uint32_t)queues_slot(q, RES_GPU), of_model = (uint32_t)queues_slot(q, RES_FIRST_EXTENDED);
    T_EQ_STR(queue_quantity(&a, q, gpu, 2000), "2");
    T_EQ_STR(queue_quantity(&a, q, gpu, 1500), "1500m");
    T_EQ_STR(queue_quantity(&a, q, of_model, 3000), "3");
    T_EQ_STR(queues_slot_model(q, of_model), "A100");
    T_EQ_INT(queues_slot_model(q, gpu).len, 0);
    T_EQ_STR(queue_quantity(&a, q, (uint32_t)queues_slot(q, RES_CPU), 250), "250m");
    T_EQ_STR(queue_quantity(&a, q, (uint32_t)queues_slot(q, RES_MEMORY), 1000000), "1000000");
    queues_free(q);
}

TEST_MAIN(units_are_those_of_kai, a_model_of_gpus_is_a_resource_of_its_own, a_queue_that_says_little_is_not_shut, what_is_wrong_is_said_with_its_path, amounts_are_quantities)
