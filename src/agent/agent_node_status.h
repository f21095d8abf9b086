/* agent_node_status.h - what the Node says of itself: capacity and what of it can be given away, conditions, images, addresses.
 *
 *   every status_ns, and soon after something changed ─► computed ─► sent when it is another one, or 5 minutes old
 *
 * Called on the agent's loop; images are listed on a pool thread.  Ownership: what is given back is on the caller's arena; what was reported last is struct agent's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/agent_internal.h"

void agent_node_status_start(struct agent *g); /* before the first word about it; agent_node_stop ends it */
/* Computes it at the end of this turn. */
void agent_node_status_soon(struct agent *g);
/* All of it, for who registers. */
struct json agent_node_status(struct agent *g, struct arena *a);
struct json agent_allocatable(struct agent *g, struct arena *a);
