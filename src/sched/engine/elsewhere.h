/* elsewhere.h - pods that are bound to nodes the engine does not know (yet), by the node they wait for.
 *
 * When a cluster is listed, pods may come before nodes: a million pods and twenty thousand nodes must not make twenty thousand walks through a million.  An entry
 * for each pod, chained by node; the pod knows its entry (pod.next_on_node, which it does not need while it is on no node).
 * Threads: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "sched/engine/types.h"

struct sched;

struct elsewhere_entry {
    pod_id pod; /* POD_NONE: free */
    sym_t node;
    uint8_t state; /* there: bound or terminating */
    uint32_t next, prev; /* entry + 1 of the same node, 0: none */
};
struct elsewhere {
    VEC(struct elsewhere_entry) entries;
    VEC(uint32_t) free_;
    struct map first; /* the node's name -> entry + 1 */
};

void elsewhere_fini(struct sched *s);
/* The pod is PS_ELSEWHERE from now on, and not in here yet. */
void elsewhere_add(struct sched *s, pod_id p, sym_t node, uint8_t state);
void elsewhere_remove(struct sched *s, pod_id p);
/* A pod that waits for this node, taken out; POD_NONE: nobody does.  ret_state: what it is there. */
pod_id elsewhere_take(struct sched *s, sym_t node, uint8_t *ret_state);
bool elsewhere_waits(const struct sched *s, str node);
