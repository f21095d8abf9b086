/* test_queues.h - a few words to build trees of queues with in tests; GPUs only, in devices. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <math.h>

#include "base/test.h"
#include "sched/policy/queues.h"

enum { CPU, MEM, GPU }; /* the slots that are always there */
#define D(devices) ((int64_t)((devices) * 1000.0 + 0.5))
#define SEC NSEC_PER_SEC

static inline struct queue_spec spec_of(const char *name, const char *parent)
{
    return (struct queue_spec){.name = str_of(name), .parent = str_of(parent), .priority = 100, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
}

static inline queue_id put_spec(struct queues *q, struct queue_spec spec)
{
    struct err err = ERR_NONE;
    queue_id id = QUEUE_NONE;
    T_NO_ERR(queues_put(q, &spec, &id, &err), &err);
    return id;
}

/* GPUs only; cpu and memory have no quota, weight 1, no limit. */
static inline queue_id put(struct queues *q, const char *name, const char *parent, int64_t quota, double weight, int64_t limit)
{
    struct queue_resource res[] = {{.id = RES_GPU, .quota = quota, .weight = weight, .limit = limit}};
    struct queue_spec spec = spec_of(name, parent);
    spec.res = res;
    spec.nres = 1;
    return put_spec(q, spec);
}

static inline struct policy_amounts gpus(double n)
{
    return (struct policy_amounts){.v = {[GPU] = n < 0 ? -D(-n) : D(n)}};
}

static inline void total(struct queues *q, double n)
{
    struct policy_amounts t = gpus(n);
    queues_set_total(q, &t);
}
static inline void waits(struct queues *q, queue_id leaf, double n)
{
    struct policy_amounts a = gpus(fabs(n));
    queues_add_waiting(q, leaf, &a, n < 0 ? -1 : 1);
}
static inline void holds(struct queues *q, queue_id leaf, double n)
{
    struct policy_amounts a = gpus(fabs(n));
    queues_add_allocated(q, leaf, &a, false, n < 0 ? -1 : 1);
}
static inline void holds_fixed(struct queues *q, queue_id leaf, double n)
{
    struct policy_amounts a = gpus(n);
    queues_add_allocated(q, leaf, &a, true, 1);
}
static inline int64_t fair(const struct queues *q, const char *name)
{
    return queues_get(q, queues_find(q, str_of(name)))->fair.v[GPU];
}
