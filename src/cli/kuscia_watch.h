/* kuscia_watch.h - cox job watch NAME: a KusciaJob as the graph of its tasks, again whenever something changed, until it ends.
 *
 *   KusciaJob meeting of alice: Running, 1 of 2 tasks done
 *     TASK       AFTER   PHASE       PARTIES              WHY
 *     greet      -       Succeeded   alice ok, bob ok     -
 *       count    greet   Pending     alice ..., bob ...   waiting: alice, bob (...)
 * A task stands below all that it depends on, the deeper the longer the way to it.
 * Threads: the program's.  Ownership: nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

/* The exit status follows the job: 0 when it succeeded.  once: one look. */
int kuscia_watch(struct session *s, const char *name, bool once, struct failure *f);
/* The picture of a job and its tasks (a list). */
void kuscia_picture(struct arena *a, const struct json *job, const struct json *tasks, struct strbuf *out);
