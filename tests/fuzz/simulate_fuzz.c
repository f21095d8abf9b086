/* Any JSON as a question to queues/NAME/simulate: an answer or a sentence, and the engine, its events and the accounts of queues are as they were. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/limits.h"
#include "sched/policy/simulate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct sched *world(struct policy **ret)
{
    struct err err = ERR_NONE;
    struct sched *s = sched_new(profile_builtin(S("default")), 1);
    struct policy *p = policy_new(s, NULL);
    const struct res_amount all[] = {{RES_CPU, 8000}, {RES_MEMORY, 1ll << 34}, {RES_PODS, 100}, {RES_GPU, 4}}, some[] = {{RES_CPU, 1000}, {RES_GPU, 2}};
    const struct queue_resource res = {.id = RES_GPU, .quota = 2000, .weight = 1, .limit = 6000};
    for (int i = 0; i < 2; i++) {
        char name[2] = {(char)('a' + i), 0};
        const struct node_spec n = {.name = str_of(name), .allocatable = {all, ARRAY_LEN(all)}, .ngpus = 4};
        const struct queue_spec q = {.name = str_of(name), .priority = 100, .res = &res, .nres = 1, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
        const struct pod_spec pod = {.ns = S("default"), .name = str_of(name), .uid = str_of(name), .queue = S("b"), .node = str_of(name), .phase = POD_BOUND, .requests = {some, 2},
                                     .gpu = {.kind = GPU_WHOLE, .count = 2}};
        BUG_ON(sched_node_put(s, &n, NULL, &err) < 0 || policy_queue_put(p, &q, &err) < 0 || sched_pod_put(s, &pod, NULL, &err) < 0);
    }
    sched_priority_class_put(s, S("train"), 50, false, false);
    *ret = p;
    return s;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json question, answer;
    struct policy *p;
    if (json_parse(&a, str_n((const char *)data, size), NULL, &question, &err) < 0)
        return 0;
    struct sched *s = world(&p);
    uint64_t events = sched_take_events(s);
    err = ERR_NONE;
    int r = simulate_ask(p, &a, S("a"), &question, NSEC_PER_SEC, NULL, &answer, &err);
    BUG_ON(r < 0 && (!err.msg[0] || r != -E_INVALID_ARG));
    BUG_ON(r >= 0 && !json_get_str(&answer, S("starts")).len);
    BUG_ON(sched_take_events(s) != 0 || !events);
    pod_id left = 0;
    for (pod_id i = 1; i < s->npods_slots; i++)
        left += s->pods[i].state != PS_FREE;
    BUG_ON(left != 2);
    err = ERR_NONE;
    BUG_ON(policy_check(p, &err) < 0 || model_check(s, &err) < 0);
    policy_free(p);
    sched_free(s);
    return 0;
}
