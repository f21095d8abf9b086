/* coscheduling.c - Coscheduling: a group is placed when its minimum can be, and the minimum of each of its sub-groups; not at all otherwise.
 *
 * The work is the unit level's (engine/unit_gang.c), since it is about many pods and not about a node; this entry in the profile turns it on.  A profile
 * without it places the members of a group one by one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

const struct sched_plugin plugin_coscheduling = {
    .name = "Coscheduling",
    .helped_by = EVENT_GROUP,
};
