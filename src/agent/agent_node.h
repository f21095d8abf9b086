/* agent_node.h - the Node of this agent: it registers, renews its Lease, and is told about by agent_node_status.h; of the others agent_nodes.h knows.
 *
 *   POST node (or PATCH what is there) ─► Lease renewed every lease/4, status when it changed
 *   deleted by somebody                ─► registered anew
 *
 * Called on the agent's loop.  Ownership: everything is struct agent's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/agent_internal.h"

void agent_node_start(struct agent *g);
void agent_node_stop(struct agent *g); /* all timers of the agent that are not a pod's */
void agent_node_free(struct agent *g);
void agent_node_register_later(struct agent *g); /* the Node was not taken, or has gone */
/* Of the Node in the API, and more behind it. */
str agent_node_path(const struct agent *g, struct arena *a, const char *more);
