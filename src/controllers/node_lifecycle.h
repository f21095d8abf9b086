/* node_lifecycle.h - what the controllers of nodes share: a small record of each node.
 *
 * Threads: the controllers' loop.  Ownership: the node lifecycle's; records go with their nodes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "controllers/controller.h"
#include "controllers/node_lifecycle_plan.h"

struct node_zone {
    struct zone_count count;
    struct controller *c;
    struct list waiting; /* nodes that are out and not driven out, first come, first served */
    struct loop_timer turn;
    nsec_t next_at;     /* when the next node may be driven out; loop time */
    nsec_t interval_ns; /* 0: none is */
    char *key;
};

struct node_record {
    char *name, *uid;
    struct node_zone *zone;
    nsec_t heard_at;    /* loop time, by our own clock */
    nsec_t lease_ns;    /* 0: it has no lease */
    uint64_t heartbeat, status_beat; /* hashes of the times in its lease and its status that say it lives */
    enum node_ready ready;
    bool exists, silent;
    bool waiting, granted; /* for its turn to be driven out; it is its turn */
    struct list wait_link;
    bool counted_ready; /* in the zone's count */
    char *drives_out;   /* JSON of its NoExecute taints, NULL none */
    unsigned round;
};

/* NULL when there is no such node. */
struct node_record *node_lifecycle_find(struct controllers *all, str name);

extern const struct controller_type controller_node_lifecycle, controller_taint_eviction, controller_node_ipam;
