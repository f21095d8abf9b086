/* pod_group.h - where a pod says which PodGroup it belongs to.  One list for all who read it: the scheduler places by it, the server asks by it who may use the group's queue.
 * Threads: any.  Ownership: what is returned is the object's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

struct pod_group_key {
    bool is_label; /* else an annotation */
    str key;
};
#define POD_GROUP_KEYS 8
/* The first that a pod has counts; spec.schedulingGroup and spec.workloadRef come before them. */
extern const struct pod_group_key pod_group_keys[POD_GROUP_KEYS];

/* Is it in a group of a Workload?  No PodGroup has a name like those. */
bool pod_group_is_workload(const struct json *pod);
/* The name of its PodGroup, of whichever API, in its own namespace; "" when it names none. */
str pod_group_name(const struct json *pod);
