/* object_pod.h - the parts that object_pod.c is put together from; each fills its part of the spec.  Inside of object.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/object_read.h"

/* requests, nonzero amounts, best_effort, guaranteed, gpu */
void object_pod_resources(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret);
/* node selector and affinity, pod affinity, spread, tolerations */
void object_pod_constraints(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret);
void object_pod_volumes(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret);
/* Is this init container a sidecar, running beside the others? */
bool object_is_sidecar(const struct json *container);
