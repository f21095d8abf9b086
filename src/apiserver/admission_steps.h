/* admission_steps.h - the steps that admission.c puts in order; one file for each group of them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"

bool admission_is_kind(const struct admission_attrs *at, const char *group, const char *plural);
/* -E_FORBIDDEN "pods \"x\" is forbidden: <text>". */
int admission_forbid(const struct admission_attrs *at, struct err *err, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* The object's label or annotation ("labels", "annotations"); "": it has none, or there is no object. */
str admission_noted(const struct json *obj, const char *map, const char *key);
/* "a, b and c" */
str admission_list(struct arena *a, const struct json *words);
/* The pod spec of a pod that is being created, or NULL. */
struct json *admission_new_pod_spec(const struct admission_attrs *at);

/* admission_pod.c */
int admit_service_account(struct admission_attrs *at, struct err *err);
int admit_priority(struct admission_attrs *at, struct err *err);
int admit_default_tolerations(struct admission_attrs *at, struct err *err);
int admit_runtime_class(struct admission_attrs *at, struct err *err);
/* admission_limits.c: LimitRange defaults, then its bounds */
int admit_limit_ranger(struct admission_attrs *at, struct err *err);
int validate_limit_ranger(struct admission_attrs *at, struct err *err);
/* admission_security.c: pod security standards by namespace label */
int validate_pod_security(struct admission_attrs *at, struct err *err);
/* admission_quota.c */
int validate_resource_quota(struct admission_attrs *at, struct err *err);
