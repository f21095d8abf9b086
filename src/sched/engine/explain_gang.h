/* explain_gang.h - how far a group that does not fit as a whole would come, and who is the first to find nothing.
 *
 * Threads: the engine's writer.  Ownership: the answer lives on the arena.
 * Limits: cold: the waiting members are placed once for each topology domain. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/explain.h"

struct gang_try {
    uint32_t room, need; /* members that find room together, and how many more are needed: of the group, or of the sub-group that is short */
    pod_id failed;       /* the first that finds none; POD_NONE: each part finds room, but not all of them at once */
    const uint64_t *within; /* the nodes that were looked at: the domain with the most room */
    str whose, where;    /* " of sub-group workers", " in one rack (best: r2)", or empty */
};
/* Leaves the members where they found room: the caller has opened a statement and rolls it back.  located: nodes the unit may use. */
void explain_gang_try(struct sched *s, struct arena *a, unit_id u, const uint64_t *located, struct gang_try *ret);
