/* agent_program.h - the agent as a program of its own, against a server elsewhere: `cox agent`, and `cox join` after it has joined.
 *
 * Runs until SIGTERM or SIGINT; pods run on.  Certificates of a machine that joined (client/join.h) are renewed while it runs.
 * Threads: main waits for signals, "agent" is the agent's loop, "renew" waits for certificates. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/agent_run.h"

struct agent_program_opts {
    struct agent_run_opts run;
    const char *kubeconfig; /* file; NULL: DATA/agent/kubeconfig, as join made it */
    unsigned simulate;      /* nodes on paper instead of this machine; 0: none */
    const struct cli_args *args; /* of simulate */
};

int agent_program_run(const struct agent_program_opts *o, struct err *err) MUST_CHECK;
