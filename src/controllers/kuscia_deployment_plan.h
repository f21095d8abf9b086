/* kuscia_deployment_plan.h - what a KusciaDeployment is made of, and how far it is (pure).
 *
 *   KusciaDeployment + AppImage of each party ─► layout (kuscia_task_plan.h: one pod a party, which stands for all its replicas)
 *   layout + port numbers ─► for each party ConfigMap NAME[-ROLE]-configtemplate, a Service for each port that others reach, Deployment NAME[-ROLE]
 *   layout + Deployments and pods as they are ─► partyDeploymentStatuses, phase, and a sentence: which party lacks what
 * A party is Available when all its pods are new and available, PartialAvailable when some are available, Progressing when none is.  Of all together the worst counts; Failed is what cannot be made at all.
 * Threads: pure.  Ownership: the arena's, with parts of the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/kuscia_task_plan.h"

#define KUSCIA_MADE_FROM "coxswain.dev/made-from" /* annotation: what the object was when it was last written, as one number */

/* files: the party's ConfigMap, NULL: none.  Other files are other pods. */
struct json kuscia_deployment(struct arena *a, const struct layout *l, const struct layout_party *p, const struct json *files);
/* Notes what the object is made from.  True: what is there is that, and nobody changed it since. */
void kuscia_mark(struct arena *a, struct json *obj);
bool kuscia_is_as_made(const struct json *want, const struct json *have);
/* The object to write in the place of one that is there: names, times and what others noted stay. */
struct json kuscia_replacement(struct arena *a, const struct json *want, const struct json *have);

struct deployment_view {
    const struct layout *layout;
    const struct json *const *deployments; /* by party; NULL: there is none */
    const struct json *const *pods;        /* by party, array of pods; NULL: not looked at */
};
/* The status from now on. */
struct json kuscia_deployment_status(struct arena *a, const struct deployment_view *v);
/* "": without reason, without message. */
void kuscia_deployment_phase(struct arena *a, struct json *status, str phase, str reason, str message);
/* A look at its pods is needed to say what it lacks. */
bool kuscia_party_is_short(const struct layout_party *p, const struct json *deployment);
