/* unit.h - the unit level: locating and grouping of nodes, gang minimum with sub-groups, the order of trying, preemption as the last resort.
 *
 *   locate: nodes the whole unit may use (group's node selector, a pinned node)
 *   group:  those nodes cut into topology domains, required keys first, ordered by preferred keys and sort rules
 *   for each domain: statement { place every pod, class by class } enough? commit : rollback, next domain
 *   none: preemption (preempt.h) domain by domain, if the profile and the unit allow it
 * The first failure of a class fails the rest of that class in this domain.  With surplus members above the minimum as many as fit are placed;
 * nobody is evicted for them.  A sub-group's minimum counts the members of the sub-groups below it, too; its domain lies within its parent's.
 * Pods that are nominated are tried on their node first.  When their victims have gone and there is room neither there nor anywhere else nor by
 * evicting others, a REJECTED unit loses its nominations: that is the only change which a rejection makes.
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"

void node_sets_fini(struct node_sets *n);
/* sched_place calls this; now is s->now_ns. */
void unit_place(struct sched *s, unit_id u, struct unit_decision *d);
/* Is it a pod alone without group constraints?  Such a unit takes the short way. */
bool unit_is_single(const struct sched *s, unit_id u);
/* Order of units: higher priority, then earlier arrival, then smaller id.  <0: a goes first. */
int unit_compare(const struct sched *s, unit_id a, unit_id b);
/* Created members (without those that are leaving), members on nodes (neither nominated nor leaving), members waiting (ungated), and gated. */
struct unit_counts {
    uint32_t created, placed, waiting, gated;
};
struct unit_counts unit_count(const struct sched *s, unit_id u);
/* The profile (of s->table) that decides for the unit as a whole: that of its pods.  Should members of a group name several, the first of these in the table; each
 * member's own node is still its own profile's choice. */
uint32_t unit_profile(const struct sched *s, unit_id u);
/* Could it be placed if every member that waits found a node?  Not one that lacks members, or whose members are gated or leaving. */
bool unit_could_be(struct sched *s, unit_id u);
/* The same for groups with no more members than they need, quickly; false also for what would take long to say. */
bool unit_is_whole(const struct sched *s, unit_id u);
/* Does that profile look at bandwidth between domains? */
bool unit_heeds_links(const struct sched *s, unit_id u);
/* Would the group still have its minimum, and enough sub-groups their own, without these pods, and no sub-group be left in part? */
bool unit_holds_without(const struct sched *s, unit_id u, const pod_id *gone, size_t n);
/* Which of these members (on nodes) the group can miss, the first in the list first: 0: none of those; those of equal numbers go together, a sub-group that need not be; lower numbers first.
 * Returns the highest number. */
uint32_t unit_surplus(const struct sched *s, unit_id u, const pod_id *pods, size_t n, uint32_t *ret_part);

/* --- topology, for plugins that group ------------------------------------------------------------------------------------------------ */
#define SUBGROUP_NONE 0xffffu
/* Cuts nodes into the domains of all keys together (a node that lacks one of the labels is in none) and appends them in the order of the unit's
 * sort rules; without rules the fullest first, so that wide domains stay whole.  Equal ones by the labels' values. */
void unit_domains(const struct sched *s, unit_id u, const sym_t *keys, uint32_t nkeys, const uint64_t *nodes, struct node_sets *ret);
/* Clears the nodes outside the domains in which members of the sub-group (SUBGROUP_NONE: of the group) already run; all stay when none runs. */
void unit_keep_running_domains(const struct sched *s, unit_id u, uint16_t subgroup, const sym_t *keys, uint32_t nkeys, uint64_t *nodes);

/* Scratch and remembered rejections; made and freed with the engine. */
struct unit_state;
struct unit_state *unit_state_new(const struct sched *s);
void unit_state_free(struct unit_state *x);
