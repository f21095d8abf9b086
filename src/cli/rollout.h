/* rollout.h - the past of a workload: its revisions, and the templates they had.
 *
 * A Deployment's revisions are its ReplicaSets (annotation deployment.kubernetes.io/revision); those of DaemonSets and StatefulSets are
 * ControllerRevisions, whose data is the patch that brings the template back.
 * Threads: main only.  Ownership: the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/change.h"

struct rollout_revision {
    int64_t number;
    struct json object;   /* the ReplicaSet or ControllerRevision */
    struct json template; /* of its pods */
    str cause;            /* kubernetes.io/change-cause, or "" */
};
struct rollout_history {
    struct rollout_revision *list; /* by number */
    size_t len;
};

enum rollout_kind { ROLLOUT_NONE, ROLLOUT_DEPLOYMENT, ROLLOUT_DAEMON_SET, ROLLOUT_STATEFUL_SET };
enum rollout_kind rollout_kind_of(const struct target *t);

int rollout_history_read(struct session *s, const struct target *t, struct rollout_history *ret, struct failure *f) MUST_CHECK;
/* NULL: no such revision.  number 0: the one before the newest. */
const struct rollout_revision *rollout_revision_find(const struct rollout_history *h, int64_t number);
/* "Pod Template:\n  Labels:\t..." */
str rollout_template_text(struct session *s, const struct json *template);
/* cox rollout history, cox rollout undo. */
int rollout_history_show(struct session *s, struct failure *f) MUST_CHECK;
int rollout_undo(struct session *s, struct failure *f) MUST_CHECK;
/* TYPE NAME, TYPE/NAME, TYPE or -f; notes what cannot be read. */
int rollout_targets(struct session *s, struct targets *ret, struct failure *f) MUST_CHECK;
