/* deployment_plan.h - what a Deployment wants of its ReplicaSets, and what it says about them: decisions without calls.
 *
 *   sets that are there ─► deployment_find_new ─► deployment_plan (scales) ─► deployment_history (which go) ─► deployment_status
 *
 * Threads: pure functions.  Ownership: trees on the caller's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define REVISION_NOTE "deployment.kubernetes.io/revision"
#define HISTORY_NOTE "deployment.kubernetes.io/revision-history"
#define DESIRED_NOTE "deployment.kubernetes.io/desired-replicas"
#define MAX_NOTE "deployment.kubernetes.io/max-replicas"
#define HASH_LABEL "pod-template-hash"

struct dep_set {
    const struct json *obj;
    str name, uid;
    int64_t replicas; /* of the spec; plans change it here */
    int64_t was;      /* the same, as it is in the object */
    int64_t pods, ready, available; /* of the status */
    int64_t revision, desired, most; /* annotations; -1 for none, revision 0 */
    nsec_t created;
    bool running; /* has pods that are not finished, those on their way out among them */
};

struct dep {
    const struct json *obj, *spec;
    int64_t replicas, surge, unavailable;
    bool recreate, paused;
    struct dep_set *sets; /* oldest first */
    size_t n;
    ptrdiff_t new; /* the set of the template, -1 none */
    nsec_t now;
};

void deployment_read(struct arena *a, struct dep *d, const struct json *obj, struct dep_set *sets, size_t n, nsec_t now);
void deployment_read_set(struct dep_set *s, const struct json *obj);
/* Replicas that a set for the template begins with. */
int64_t deployment_new_replicas(const struct dep *d);
/* Should a set for the template be made now? */
bool deployment_wants_new(const struct dep *d);
/* Sets sets[i].replicas to what they should be next. */
void deployment_plan(struct dep *d);
int64_t deployment_next_revision(const struct dep *d);
/* Is everything new, and all of it available?  By a status. */
bool deployment_is_complete(const struct dep *d, const struct json *status);
/* Old sets that are over the history limit: their numbers in out, at most d->n. */
size_t deployment_history(const struct dep *d, size_t *out);
/* The next status; created: name of a set that was just made, "" none.  *ret_after: when to look again, 0 never. */
struct json deployment_status(struct arena *a, const struct dep *d, str created, nsec_t *ret_after);
