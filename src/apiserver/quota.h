/* quota.h - what others need of the quota bookkeeping in admission_quota.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/admission.h"

/* Adds the operations that give back what obj used. */
void quota_on_remove(struct admission_attrs *at, const struct json *obj);
/* Fills status.hard and status.used of a quota from what is in its namespace now.  is_new: the quota itself is not stored yet. */
void quota_recount(struct store *store, struct arena *a, const struct registry_snapshot *reg, struct json *quota, bool is_new);
