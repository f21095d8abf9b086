/* ports.h - host ports in use on a node.  Threads: take and give: the engine's writer. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

/* Would the class's host ports meet one that is taken?  ret_which (may be NULL): the first that would. */
bool ports_conflict(const struct view *v, const struct pod_class *c, node_id n, const struct pod_port **ret_which);
void ports_take(struct view *v, const struct pod_class *c, node_id n);
void ports_give(struct view *v, const struct pod_class *c, node_id n);
