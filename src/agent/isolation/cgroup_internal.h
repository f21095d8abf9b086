/* cgroup_internal.h - what cgroup.c and cgroup_files.c share.
 *
 * Threads: any.  Ownership: none. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/isolation/cgroup.h"

const char *cgroup_controller_name(enum cgroup_controller k);
/* Index of the hierarchy with this controller, -1: none. */
int cgroup_hier_of(const struct cgroups *c, enum cgroup_controller k);
/* mkdir -p below the mount, controllers of the parents enabled. */
int cgroup_hier_make(const struct cgroups *c, size_t hier, const char *path, struct err *err) MUST_CHECK;
/* The text of DIR/NAME, cut at cap; false: it cannot be read. */
bool cgroup_file_read(const char *dir, const char *name, char *ret, size_t cap);
/* 0 or -errno. */
int cgroup_file_write(const char *dir, const char *name, const char *text);
