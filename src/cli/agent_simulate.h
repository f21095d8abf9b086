/* agent_simulate.h - `cox agent --simulate N`: nodes on paper (agent/simulate/simulate.h) as a program, against a server elsewhere.
 *
 * Runs until SIGTERM or SIGINT; nodes and pods stay in the API, and the next one goes on with them.
 * Threads: one, "simulate". */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "cli/cli.h"

/* Rows of the verb's options.  --node-label, --node-taint, --node-capacity and --max-pods count for each simulated node, too. */
#define AGENT_SIMULATE_OPTIONS                                                                                                                                             \
    {"simulate", 0, CLI_INT, "N", "", "Register N nodes whose pods run on paper, for tests of scale; nothing of this machine is used.", NULL},                             \
    {"simulate-prefix", 0, CLI_STRING, "TEXT", "sim-", "Names of simulated nodes: TEXT and a number.", NULL},                                                              \
    {"simulate-first", 0, CLI_INT, "N", "0", "Number of the first one, so that several programs can share the work.", NULL},                                               \
    {"simulate-zones", 0, CLI_INT, "N", "3", "Zones that they are in, in turn; 0: none.", NULL},                                                                           \
    {"simulate-start", 0, CLI_DURATION, "TIME", "0s", "From bound to Running, at least.", NULL},                                                                           \
    {"simulate-start-max", 0, CLI_DURATION, "TIME", "0s", "From bound to Running, at most: by chance between the two.", NULL},                                             \
    {"simulate-run", 0, CLI_DURATION, "TIME", "0s", "Pods that are to end (restartPolicy) and do not say when end after this; 0s: never.", NULL},                             \
    {"simulate-calls", 0, CLI_INT, "N", "256", "Calls to the server at a time.", NULL}

int agent_simulate_run(const struct cli_args *a, const char *kubeconfig, uint32_t nodes, struct err *err) MUST_CHECK;
