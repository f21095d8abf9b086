/* runtime_spawn.h - processes that the runtimes start, and descriptors of processes.
 *
 * Started by posix_spawn: it does not copy the page tables of a large agent, and no descriptor leaks into the child.
 * Threads: any.  Ownership: descriptors are the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"

/* `cox shim ARGS` in a session of its own; exe_fd -1: program by its path.  stderr goes to LOG_DIR/shim.log. */
int spawn_shim(int exe_fd, const char *program, const char *const *args, const char *log_dir, int *ret_report, int *ret_pidfd, struct err *err) MUST_CHECK;
/* Runs a program to its end, output to nowhere or into ret_output (cut at cap - 1; may be NULL); its exit code, -1: not started, -2: killed after the time. */
int spawn_and_wait(const char *const *argv, nsec_t patience_ns, char *ret_output, size_t cap);
/* -1: no such process, or another one has its number. */
int pidfd_open_checked(pid_t pid, int64_t start);
void pidfd_kill(int pidfd, int signo); /* 0: does nothing */
