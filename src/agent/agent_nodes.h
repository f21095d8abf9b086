/* agent_nodes.h - what the API says of nodes, and what follows from it here.
 *
 *   watch of all nodes ─┬─ this one ─► its pod range ─► network open ─► Ready; annotations about bandwidth; its domain
 *                       └─ others   ─► peers: ways to their pods, ranges of their domains
 *
 * Called on the agent's loop; the network is opened and changed on pool threads.  Ownership: peers are struct agent's, lists that are given back are on the caller's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/agent_internal.h"

void agent_nodes_start(struct agent *g);
void agent_nodes_free(struct agent *g);
/* The network is told its peers once more: what led to them may have gone. */
void agent_nodes_tell_peers(struct agent *g);
/* Pod ranges of the nodes of a domain (label kuscia.secretflow/namespace), or the nodes' own addresses, at most max, on the arena.  IPv4 only: others carry no pod's traffic here. */
size_t agent_domain_nets(const struct agent *g, struct arena *a, str domain, bool of_nodes, str *ret, size_t max);
/* Each other domain with its nodes' ranges and addresses, by name; nothing when this node has none. */
size_t agent_domain_links(const struct agent *g, struct arena *a, struct agent_link **ret);
