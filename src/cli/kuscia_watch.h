/* kuscia_watch.h - cox job watch NAME: a KusciaJob as the graph of its tasks; then the rows that change; at its end the whole once more.
 *
 *   KusciaJob meeting of alice: Running, 1 of 2 tasks done
 *     TASK       AFTER   PHASE       PARTIES              WHY
 *     greet      -       Succeeded   alice ok, bob ok     -
 *       count    greet   -           alice, bob           waits for a place: maxParallelism is 1
 * A task stands below all that it depends on, the deeper the longer the way to it.
 * Threads: the program's.  Ownership: nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"
#include "cli/tabs.h"

#define KUSCIA_VIEW_ROWS 128 /* tasks of a job at most */

/* What has been shown, so that later only what differs is. */
struct kuscia_view {
    struct tabs tabs;
    uint64_t head_, rows_[KUSCIA_VIEW_ROWS];
};
#define KUSCIA_VIEW ((struct kuscia_view){.tabs = TABS_TABLE})
void kuscia_view_fini(struct kuscia_view *v);
#define KUSCIA_VIEW_AUTO __attribute__((cleanup(kuscia_view_fini))) struct kuscia_view

/* The exit status follows the job: 0 when it succeeded.  once: one look. */
int kuscia_watch(struct session *s, const char *name, bool once, struct failure *f);
/* The picture of a job and its tasks (a list): all of it, or what was not shown yet. */
void kuscia_picture(struct kuscia_view *v, struct arena *a, const struct json *job, const struct json *tasks, bool all, struct strbuf *out);
