/* kuscia_picture.h - a KusciaJob as the graph of its tasks, as text; later only the rows that change.
 *
 *   KusciaJob meeting of alice: Running, 1 of 3 tasks done
 *     TASK       AFTER   PHASE       PARTIES                    WHY
 *     greet      -       Succeeded   alice ok, bob ok           -
 *       sum      greet   Pending     alice waits, bob waits     BandwidthInsufficient
 *         alice: waits for party bob, which lacks ...
 *         bob: 1 of 2 members find room; ...
 *       count    greet   -           alice, bob                 waits for a place: maxParallelism is 1
 * A task stands below all that it depends on, the deeper the longer the way to it.  A reason that is too long for its row stands below it, a line for each that parties are told.
 * Threads: the program's.  Ownership: the view owns its table; text is in the caller's arena and buffer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/tabs.h"
#include "wire/json.h"

#define KUSCIA_VIEW_ROWS 128 /* tasks of a job at most */

/* What has been shown, so that later only what differs is. */
struct kuscia_view {
    struct tabs tabs;
    uint32_t width;   /* of the terminal, in characters: reasons are cut into lines; 0: they are not */
    bool has_colours; /* rows by phase */
    uint64_t head_, rows_[KUSCIA_VIEW_ROWS];
};
#define KUSCIA_VIEW ((struct kuscia_view){.tabs = TABS_TABLE})
void kuscia_view_fini(struct kuscia_view *v);
#define KUSCIA_VIEW_AUTO __attribute__((cleanup(kuscia_view_fini))) struct kuscia_view

/* The picture of a job and its tasks (a list): all of it, or what was not shown yet. */
void kuscia_picture(struct kuscia_view *v, struct arena *a, const struct json *job, const struct json *tasks, bool all, struct strbuf *out);
bool kuscia_job_has_ended(const struct json *job);
