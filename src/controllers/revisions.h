/* revisions.h - ControllerRevisions: the templates that a DaemonSet or a StatefulSet had, for `kubectl rollout history` and `undo`.
 *
 * Threads: the controllers' loop.  Ownership: results on the job's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/workloads.h"

#define REVISION_LABEL "controller-revision-hash"

struct revisions {
    str name, hash; /* of the revision of the present template */
    struct ops ops_;
    void (*next_)(struct job *j, struct revisions *r);
    struct workload *w_;
    struct json made_;
};
/* Finds, makes or renews the revision of spec.template; next runs with its name, or the job is ended and tried again. */
void revisions_sync(struct job *j, struct workload *w, struct revisions *r, void (*next)(struct job *j, struct revisions *r));
/* Adds deletes for revisions over the limit that no pod has (by label value: hash or name). */
void revisions_trim(struct job *j, const struct workload *w, const struct revisions *r, struct ops *ops);
/* The template of a revision, for pods of an older one; null when it is not there. */
struct json revisions_template(struct arena *a, const struct workload *w, str name);
