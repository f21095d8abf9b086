/* agent_net.h - the pod network (src/net) as the agent (src/agent) wants it; neither knows the other.
 *
 * Threads: new and free by who starts the agent; the calls of agent_net_network come from its pool threads. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/agent.h"

struct agent_net;

struct agent_net_opts {
    const char *state_dir;    /* DATA/agent/net */
    const char *cluster_cidr; /* "10.42.0.0/16" */
    const char *mode;         /* "vxlan", "routes", "none"; NULL: vxlan */
    const char *bridge;       /* NULL: cox0 */
};

struct agent_net *agent_net_new(const struct agent_net_opts *o) MUST_CHECK; /* texts are borrowed */
const struct agent_network *agent_net_network(const struct agent_net *n);
void agent_net_free(struct agent_net *n); /* the network stays as it is */
/* Everything that was made goes: bridge, tunnel, rules, files. */
int agent_net_remove(const struct agent_net_opts *o, struct err *err) MUST_CHECK;
