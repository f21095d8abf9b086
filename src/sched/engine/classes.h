/* classes.h - classes of pods: everything that decides a placement, interned.
 *
 * The key of a class is the placement part of a spec written out as bytes (lengths before strings, so that two specs have equal bytes
 * only when they are equal).  Lists whose order means nothing to Kubernetes are kept in the order given: two orders are two classes, which
 * costs a little sharing and nothing else.
 * Threads: the engine's writer.
 * Limits: CLASSES_UNUSED_MAX classes without pods are kept for the next replica; LIMIT_SCHED_SPEC_ITEMS for each list. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

#define CLASSES_UNUSED_MAX 4096u

void classes_init(struct sched *s);
void classes_fini(struct sched *s);
/* E_INVALID_ARG or E_TOO_LARGE with a sentence when no class can be made of it. */
int classes_check(const struct sched *s, const struct pod_spec *p, struct err *err) MUST_CHECK;
/* The class of this spec with one more reference. */
int classes_ref(struct sched *s, const struct pod_spec *spec, class_id *ret, struct err *err) MUST_CHECK;
void classes_ref_again(struct sched *s, class_id c);
void classes_unref(struct sched *s, class_id c);
