/* shim.h - the process that stands between one container and the agent: `cox shim DIR`, hidden, started by the runtime.
 *
 *   agent ──spec.json──► shim ──► the container's program
 *     ▲                   │  stdout, stderr ─► log file
 *     └── shim.sock ◄─────┤  exec, attach, signal
 *         exit.json ◄─────┘
 *
 * One a container.  It outlives the agent, holds the ends of the program's pipes, reaps it and writes how it ended; then it ends, too.  It has one thread and about a megabyte of its own.
 * `cox shim pause FILE CGROUP_ROOT` keeps a pid namespace that a pod's containers share.
 * Started with descriptor 3: a SOCK_SEQPACKET socket on which it says once how the start went. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

#define SHIM_REPORT_FD 3
#define SHIM_MESSAGE_BYTES (128u << 10) /* a request or an answer on the socket */

/* argv[0] is "shim".  Exit status. */
int shim_main(int argc, char **argv);
