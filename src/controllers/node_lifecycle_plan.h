/* node_lifecycle_plan.h - what a node's conditions and taints should be, and how fast a zone may lose nodes.
 *
 *   Ready True                     no taint
 *   Ready False                    not-ready:NoSchedule,  not-ready:NoExecute when the zone allows it
 *   silent ─► conditions Unknown   unreachable:NoSchedule, unreachable:NoExecute when the zone allows it
 *   pressure, unschedulable        their own taint, NoSchedule
 *
 *   zone      all ready, or few not ─► Normal: a node in 10 s      more than two and 55 % ─► Partial: one in 100 s above 50 nodes, else none
 *             none ready ─► Full: as Normal, unless all zones are so: then it is we who are cut off, and nobody is driven out
 * Threads: pure functions.  Ownership: trees on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define NODE_TAINT_NOT_READY "node.kubernetes.io/not-ready"
#define NODE_TAINT_UNREACHABLE "node.kubernetes.io/unreachable"

enum node_ready { NODE_READY_NONE, NODE_READY_TRUE, NODE_READY_FALSE, NODE_READY_UNKNOWN }; /* NONE: it never said */
enum node_ready node_ready_of(const struct json *node);

/* May the node get a NoExecute taint for not being ready? */
enum node_drive { NODE_DRIVE_YES, NODE_DRIVE_LATER, NODE_DRIVE_NEVER };

struct node_plan {
    bool write_status;
    struct json conditions;
    bool write_taints;
    struct json taints;
    bool wants_drive; /* it would get a NoExecute taint, and LATER or NEVER was said */
    bool lost; /* it was in use, and is not ready from now on */
    bool drives;      /* one is added */
};
/* silent: nothing was heard of it for longer than its grace. */
struct node_plan node_plan_make(struct arena *a, const struct json *node, bool silent, enum node_drive drive, str now);

/* --- zones ------------------------------------------------------------------------------------------------------------------ */
enum zone_state { ZONE_NORMAL, ZONE_PARTIAL, ZONE_FULL };
struct zone_count {
    size_t total, ready;
};
enum zone_state zone_state_of(const struct zone_count *z);
/* Time between two nodes that are driven out; 0: none is. */
nsec_t zone_interval(const struct zone_count *z, bool all_full);
/* "region:zone" of the labels, ":" without. */
str zone_key_of(struct arena *a, const struct json *node);
