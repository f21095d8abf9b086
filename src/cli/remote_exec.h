/* remote_exec.h - runs a command in a container, or attaches to it, and joins its streams with ours.
 *
 *   remote_exec_run: connect ─► input in, output out ─► exit code
 *
 * Input comes from a descriptor (a terminal, a pipe, a file) or from a function; output goes to a function.  A terminal is put into raw mode and back on every way out, signals included.
 * Threads: main only; blocks until the end.  Limits: those of remote.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/remote.h"

struct remote_exec {
    str path;            /* with query: pod_target_path and remote_exec_query */
    bool tty;            /* the terminal on descriptor 0 is the container's */
    int in_fd;           /* -1: none */
    ssize_t (*read)(void *arg, char *buf, size_t len); /* instead of in_fd: 0 at the end, < 0: give up */
    int (*write)(void *arg, int stream, str bytes, struct err *err); /* 1: out, 2: err.  < 0: give up */
    void *arg;
};

/* command NULL-terminated, or NULL to attach. */
str remote_exec_query(struct session *s, str container, const char *const *command, bool in, bool out, bool err, bool tty);
/* *ret_code: of the command, 0 when attached. */
int remote_exec_run(struct session *s, const struct remote_exec *x, int *ret_code, struct failure *f) MUST_CHECK;
/* write() for plain use: descriptors 1 and 2. */
int remote_exec_write_std(void *arg, int stream, str bytes, struct err *err);
