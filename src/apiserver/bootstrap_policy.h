/* bootstrap_policy.h - the RBAC objects that every cluster starts with; private to bootstrap. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

extern const char bootstrap_policy[]; /* the format stands at the head of bootstrap_policy.c */

/* Calls each() for every object of the policy text, with kind, metadata and rules or subjects; stops when it returns < 0 and
 * returns that.  BUG on bad text. */
int bootstrap_rbac_each(struct arena *a, str text, int (*each)(void *arg, str plural, struct json *obj), void *arg) MUST_CHECK;
/* Adds to `live` what `wanted` has and it has not: labels, annotations, rules that are not covered, subjects, the aggregation
 * rule.  False: nothing was missing, or the annotation rbac.authorization.kubernetes.io/autoupdate says "false". */
bool bootstrap_rbac_reconcile(struct arena *a, struct json *live, const struct json *wanted);
