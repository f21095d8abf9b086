/* scheduler_profile.h - the options of a scheduler that several verbs have: which profile, and whose pods.
 *
 * Threads: any; they read a file at most.  Ownership: the profile is the caller's (profile_free, or live_new takes it). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "sched/engine/plugin.h"

/* A built-in one by name, or those of a file; name NULL: "default". */
int scheduler_profile_read(const char *name, struct sched_profile **ret, struct err *err) MUST_CHECK;
/* schedulerNames whose pods are placed, NULL at the end: the usual one, and that of a profile from a file; of a file with several profiles theirs alone.
 * stands_in: with one profile also kai-scheduler and godel-scheduler, whose manifests name them; not where the real ones may run beside it. */
const char *const *scheduler_profile_names(struct arena *a, const struct sched_profile *profile, bool stands_in);
