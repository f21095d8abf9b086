/* pod_target.h - which pod and container a command means: POD, TYPE/NAME, or -l; as kubectl chooses.
 *
 * Functions return 0, -code, or 1 when the failure is in the session already.
 * Threads: main only.  Ownership: on the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

/* The pod of a word: "web-1", "pod/web-1", or one of those that "deploy/web", "svc/web" ... select: the best of them (running and ready first). */
int pod_target_find(struct session *s, const char *word, struct json *ret, struct failure *f) MUST_CHECK;
/* Pods by label. */
int pod_target_list(struct session *s, const char *selector, struct json *ret_list, struct failure *f) MUST_CHECK;
/* All pods that an object selects, best first; when there are none yet, waits as --pod-running-timeout says.  *ret is a list of pods. */
int pod_target_all(struct session *s, const char *word, struct json *ret_list, struct failure *f) MUST_CHECK;
#define POD_TARGET_OPTION_TIMEOUT {"pod-running-timeout", 0, CLI_DURATION, "TIME", "20s", "How long to wait for a pod when the object has none yet.", NULL}
/* Checks `wanted`, or takes the default one and says so when there was a choice. */
int pod_target_container(struct session *s, const struct json *pod, const char *wanted, bool quiet, str *ret, struct failure *f) MUST_CHECK;
/* "/api/v1/namespaces/NS/pods/NAME/SUB" */
str pod_target_path(struct session *s, const struct json *pod, const char *sub);
