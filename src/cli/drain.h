/* drain.h - which pods of a node may go, and their going.
 *
 * Threads: main only.  Ownership: the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/change.h"

struct drain {
    struct session *s;
    enum dry_run dry_run;
    bool force, ignore_daemonsets, delete_emptydir, disable_eviction;
    int64_t grace_s;           /* < 0: the pod's own */
    int64_t skip_deleted_s;    /* > 0: pods that have been going for longer are not waited for */
    const char *pod_selector;  /* NULL: all */
    const char *timeout_text;  /* as given, for the message */
    nsec_t end;                /* of the whole drain, monotonic; 0: never */
};

/* Empties one node.  -E_CONFLICT: pods are in the way; ret_why has a sentence for each reason, and nothing was touched.  Other failures
 * while pods go are in ret_why too, with their code. */
struct drain_why {
    str *list;
    size_t len;
};
int drain_node(struct drain *d, str node, struct drain_why *ret_why, struct failure *f) MUST_CHECK;
