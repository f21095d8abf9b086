/* object_queue.h - a Queue object (scheduling.run.ai) as the tree of queues wants it.
 *
 * KAI's units: gpu in devices, cpu in thousandths, memory in 10^6 bytes; any other resource by its own name and in its own units; -1 is without end.
 * "gpu:A100" (or "nvidia.com/gpu:A100") are the GPUs of one model, in devices, beside what `gpu` says of all of them together.
 * Where a Queue is silent: no quota (cpu and memory: all that is asked for), weight 1, no limit, priority 100.  (KAI takes an absent limit for 0, with which nothing ever starts.)
 * Threads: the engine's writer (new names of resources are given ids).
 * Ownership: the spec points into the object and the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sched/policy/queues.h"
#include "wire/json.h"

int object_queue(struct sched *s, struct arena *a, const struct json *obj, struct queue_spec *ret, struct err *err) MUST_CHECK;
/* An amount of the tree as a Quantity of the API, and the resource's name there: GPUs are thousandths here and devices there. */
str queue_quantity(struct arena *a, const struct queues *q, uint32_t slot, int64_t amount);
/* {"nvidia.com/gpu": "4"}: what is not nothing, and has an end.  Strings are the arena's. */
struct json queue_amounts(struct arena *a, const struct sched *s, const struct queues *q, const struct policy_amounts *v);
