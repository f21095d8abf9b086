/* shape_watch.h - whether somebody else touched what shapes traffic: the devices, what hangs on them, and what leads a pod's link there.
 *
 * The kernel tells every change of links and traffic control, and who asked for it; a look reads what has come since the last one and never waits.
 * Nothing is asked, so that a node on which nobody touches anything pays one system call a look.
 *
 *     devices    deleted, set down, or a discipline, class or filter of theirs is not as it was made
 *     links      a discipline or filter of theirs was deleted, or another discipline came; others' further filters on them are none of our business
 *
 * Threads: as the socket.  Ownership: nothing is kept.
 * Limits: SHAPE_NEWS_LINKS links a look, beyond them all are named. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "net/shape.h"

#define SHAPE_NEWS_LINKS 64

struct shape_news {
    bool devices;
    bool lost;      /* more came than the socket holds: whatever there is may have been touched */
    bool all_links;
    int links[SHAPE_NEWS_LINKS]; /* numbers, also of links that are not ours */
    size_t nlinks;
};
int shape_watch_open(struct nl_sock *s) MUST_CHECK; /* before the devices are made or found */
/* own: port of the socket that made our changes since the last look, 0: none.  Adds to ret. */
int shape_watch_look(struct nl_sock *s, const struct shape_tree *t, uint32_t own, struct shape_news *ret) MUST_CHECK;
