/* cluster_snapshot.h - what a scheduler sees of a cluster, read through the API as one List: nodes, pods, queues, groups, volumes, classes.
 *
 * Threads: main only.  Ownership: the text is on the session's arena.
 * Limits: kinds that the server does not have, or that may not be listed, are left out, with a warning when there is a reason; nodes, pods and queues are needed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

int cluster_snapshot(struct session *s, str *ret_text, struct failure *f) MUST_CHECK;
