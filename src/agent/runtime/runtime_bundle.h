/* runtime_bundle.h - a container's spec as the config.json of an OCI runtime.  Pure.
 *
 * Threads: any.  Ownership: the result is on the arena and borrows the spec's texts. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/isolation/rootfs.h"
#include "agent/shim/shim_spec.h"

struct bundle_machine {
    uint64_t caps;             /* that this machine's root has: more cannot be given */
    int oom_score_adj;         /* of the shim: without caps' CAP_SYS_RESOURCE it cannot be lowered */
    uint64_t nofile;           /* hard limit of open files */
    const struct json *seccomp; /* profile of SECCOMP_LOCALHOST; may be NULL otherwise */
};

struct json bundle_config(struct arena *a, const struct shim_spec *s, const struct rootfs_user *u, const struct bundle_machine *m);
/* Of the calling process. */
void bundle_machine_read(struct bundle_machine *ret);
