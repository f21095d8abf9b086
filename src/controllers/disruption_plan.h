/* disruption_plan.h - how many pods of a PodDisruptionBudget may go now: pure.
 *
 *   minAvailable: 3      needs 3 ready
 *   minAvailable: "50%"  needs half (rounded up) of what the owners of its pods want
 *   maxUnavailable       needs all that the owners want, less that many
 *
 * Threads: pure.  Ownership: the status is on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/pod_cache.h"

#define DISRUPTION_EXPIRY_NS (120 * NSEC_PER_SEC) /* an eviction that did not end in a deletion by then did not happen */

struct disruption {
    struct json status;
    nsec_t next; /* when to look again, from now; 0: no need */
};

/* Must the owners of the pods be asked how many they want? */
bool disruption_needs_scale(const struct json *pdb);
/* pods: those that the budget selects; scale: what their owners want together, not asked for when not needed.
 * trouble: why the scale is not known, "" it is: then nothing may go. */
struct disruption disruption_plan_make(struct arena *a, const struct json *pdb, struct pod_record *const *pods, size_t npods, int64_t scale, str trouble, nsec_t now);
