/* grouping_config.h - what a cluster adds to the table of grouping_rules.h: the ConfigMap kube-system/cox-grouping.
 *
 *   data:
 *     enabled: "false"                                nothing is grouped: another controller does it
 *     schedulerNames: kai-scheduler, my-scheduler     whose pods are grouped; without it kai-scheduler's
 *     rules.yaml: |
 *       - apiVersion: example.com/v1                  with a star as the version: every one
 *         kind: Trainer
 *         minMember: spec.workers                     a number, a JSONPath into the owner, or a list of paths of which the first that is there counts
 *         perPod: false                               a group for each pod
 *         perLabel: example.com/replica               a group for each value of this label of the pods
 *         subGroups:
 *           - {name: chief, minMember: 1, podLabel: {key: role, value: chief}}
 *         priorityClass: train
 *         skip: false                                 the owner does not count, the one below does
 *
 * An entry that makes no sense is left out, with a sentence that says why; the others count.
 * Threads: pure.  Ownership: everything is on the arena.
 * Limits: GROUPING_RULES_MAX entries, GROUPING_RULE_PARTS sub-groups each. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/grouping_rules.h"

#define GROUPING_RULES_MAX 256u
#define GROUPING_RULE_PARTS 64
#define GROUPING_SCHEDULERS_MAX 32
#define GROUPING_CONFIG_NS "kube-system"
#define GROUPING_CONFIG_NAME "cox-grouping"

struct grouping_config {
    struct grouping_rules rules;
    str *schedulers;
    size_t nschedulers;
    str *complaints; /* sentences for people */
    size_t ncomplaints;
    bool off; /* another controller groups pods here */
};

/* configmap NULL: there is none, the defaults count. */
void grouping_config_read(struct arena *a, const struct json *configmap, struct grouping_config *ret);
