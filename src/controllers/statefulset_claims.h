/* statefulset_claims.h - claims of the volumes that a StatefulSet's pods have of their own: names, owners, and whether a pod may be made with what is there.
 *
 * Claims outlive pods.  spec.persistentVolumeClaimRetentionPolicy says whether they go as well; they go by their owner references, so garbage collection is what deletes them:
 *
 *   whenDeleted  whenScaled    owner while the pod is wanted    owner once it is scaled away
 *   Retain       Retain        -                                -
 *   Delete       Retain        the set                          the set
 *   Retain       Delete        -                                the pod
 *   Delete       Delete        the set                          the pod
 *
 * Threads: pure functions.  Ownership: everything on the caller's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "wire/json.h"

enum claim_owner { CLAIM_OF_NOBODY, CLAIM_OF_SET, CLAIM_OF_POD };

enum claim_owner stateful_claim_owner(const struct json *spec, bool scaled_away);
/* "data-web-3" of template "data" and pod "web-3" */
str stateful_claim_name(struct arena *a, const struct json *template, str pod);
/* Names of sets that may have made the claim, as keys "ns/name": "data-my-web-3" may be of web and of my-web.  Returns how many; out holds at most max. */
size_t stateful_claim_sets(struct arena *a, str ns, str claim, str *out, size_t max);
/* Owner reference of a pod that goes. */
struct json stateful_claim_pod_ref(struct arena *a, str pod, str uid);
/* The change of a claim's owner references as a strategic merge patch; false: they are right, or a stranger controls the claim. */
bool stateful_claim_patch(struct arena *a, const struct json *claim, enum claim_owner owner, const struct json *set_ref, const struct json *pod_ref, struct json *ret_patch);
/* Is the claim on its way out, so that a new pod of this name must not use it?  It is being deleted, or belongs to a former pod of the name. */
bool stateful_claim_is_leaving(const struct json *claim, str pod);
