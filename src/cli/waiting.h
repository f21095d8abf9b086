/* waiting.h - waits until one object is as somebody wants it, by a watch.
 *
 * Threads: main only.  Ownership: objects given to the check live until it returns. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/resources.h"

/* 1: as wanted; 0: not yet; <0: -code with *f set.  obj NULL: the object does not exist. */
typedef int waiting_check(void *arg, const struct json *obj, struct failure *f);

/* Zero looks once.  -E_TIMEOUT: "timed out waiting for the condition on pods/web". */
int waiting_run(struct session *s, const struct target *t, nsec_t timeout_ns, waiting_check *check, void *arg, struct failure *f) MUST_CHECK;
