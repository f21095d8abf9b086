/* what_if_file.h - manifests that people ask about, as the question that queues/NAME/simulate takes.
 *
 *   Pod ─► pods;   Job, Deployment, ReplicaSet, StatefulSet ─► templates;   PodGroup ─► podGroup
 * Threads: main only.  Ownership: on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/manifests.h"

/* E_INVALID_ARG for a kind that holds no pods, and for two PodGroups. */
int what_if_question(struct arena *a, const struct manifests *m, struct json *ret, struct failure *f) MUST_CHECK;
/* The template of such a kind and how many pods it makes; NULL: it is none of them. */
const struct json *what_if_template(const struct json *obj, int64_t *ret_replicas);
