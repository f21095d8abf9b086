/* netns.h - network namespaces that live on a file, and work inside of them.
 *
 * A namespace is kept by a bind mount of /proc/.../ns/net on a plain file, as `ip netns` does; it lives until the mount goes and the last
 * process in it ends.  The calling thread never moves: a helper thread goes in and ends there, because a thread that could not come back
 * would do all its later work in the wrong network.
 * Threads: any; calls block for the helper thread (tens of microseconds).
 * Ownership: paths are the caller's; the folder must exist.
 * Limits: none.  Needs CAP_SYS_ADMIN and /proc. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

/* Makes the file and mounts a new, empty namespace (lo is down) on it.  E_EXISTS when a namespace is mounted there already. */
int netns_create(const char *path, struct err *err) MUST_CHECK;
/* Unmounts and removes the file; fine when there is neither.  Processes inside keep the namespace until they end. */
int netns_remove(const char *path, struct err *err) MUST_CHECK;
bool netns_exists(const char *path); /* a namespace, not merely a file */
/* Runs fn on a thread inside the namespace and waits; gives what fn gives, or -errno when the namespace cannot be entered. */
int netns_run(int netns_fd, int (*fn)(void *arg), void *arg) MUST_CHECK;
