/* task_resources_plan.h - when a TaskResourceGroup that waits for room has waited long enough (pure).
 *
 *   Reserving ── refused for resourceReservedSeconds ─► ReserveFailed ── retryIntervalSeconds later ─► Reserving, once more counted
 *       └──────────── lifecycleSeconds after its creation ─────────────┴─► Failed                      └─ enough parties have room ─► Reserved
 * Times are of the clock that does not jump.  The stamps of the objects are of the one that does: they are read once, when the controller first sees the group, to know after a start how much of its time
 * has passed, and no more of it is believed than it has.  A wall clock that jumps later makes nobody fail before his time, and nobody wait longer.
 * Threads: pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"

struct reserve_limits {
    nsec_t life, held, pause; /* lifecycleSeconds, resourceReservedSeconds, retryIntervalSeconds */
};
struct reserve_pace { /* monotonic */
    nsec_t born, changed; /* when it was made, when its phase changed */
    nsec_t refused;       /* since when the scheduler finds no room; 0: it does not say so */
};
/* Of a group that is seen for the first time; created and changed as the wall clock says, 0: not known. */
struct reserve_pace reserve_pace(nsec_t mono, nsec_t wall, nsec_t created, nsec_t changed, const struct reserve_limits *limits);

enum reserve_step { RESERVE_WAIT, RESERVE_DONE, RESERVE_EXPIRED, RESERVE_REFUSED, RESERVE_AGAIN };
struct reserve_view {
    nsec_t mono;
    bool has_room;     /* enough parties have theirs */
    bool is_refused;   /* the scheduler says that there is none */
    bool is_failed;    /* phase ReserveFailed */
};
/* What is to be said of it now; ret_again: when to look again, 0: never. */
enum reserve_step reserve_next(struct reserve_pace *pace, const struct reserve_limits *limits, const struct reserve_view *v, nsec_t *ret_again);
