/* deletion.h - deletes one object and, when asked, waits until it is gone.
 *
 * Threads: main only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/resources.h"

struct deletion {
    int64_t grace_s;         /* < 0: the object's own */
    const char *propagation; /* "Background", "Foreground", "Orphan" */
    bool waits;
    bool is_dry_run;         /* on the server */
    nsec_t timeout_ns;       /* of the wait; 0: a week */
};

/* Sends the request and, with waits, does not return before the object is gone. */
int deletion_run(struct session *s, const struct target *t, const struct deletion *d, struct failure *f) MUST_CHECK;
/* In two steps, so that many objects go at the same time: *ret_uid is what deletion_wait then waits for. */
int deletion_send(struct session *s, const struct target *t, const struct deletion *d, str *ret_uid, struct failure *f) MUST_CHECK;
int deletion_wait(struct session *s, const struct target *t, const struct deletion *d, str uid, struct failure *f) MUST_CHECK;
