/* volumes_plan.h - which volume a claim gets, what phases the two are in, and what becomes of a volume whose claim is gone.
 *
 *   claim                                                     volume
 *   no volumeName ─► match ─► claimRef of the volume ─► volumeName of the claim ─► both Bound
 *   bound, its volume gone or another's ─► Lost               claim gone ─► Released ─► Retain: stays   Delete: goes
 * Threads: pure functions.  Ownership: trees on the arena; answers point into what was given. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define VOLUMES_BIND_COMPLETED "pv.kubernetes.io/bind-completed"
#define VOLUMES_BOUND_BY "pv.kubernetes.io/bound-by-controller"
#define VOLUMES_PROVISIONED_BY "pv.kubernetes.io/provisioned-by"
#define VOLUMES_SELECTED_NODE "volume.kubernetes.io/selected-node"
#define VOLUMES_PROVISIONER "volume.kubernetes.io/storage-provisioner"
#define VOLUMES_PROVISIONER_BETA "volume.beta.kubernetes.io/storage-provisioner"
#define LOCAL_PATH "coxswain.dev/local-path" /* the provisioner, and the finalizer of its volumes */
#define LOCAL_PATH_DIR "/var/lib/cox/volumes"
#define LOCAL_PATH_DIR_NOTE "coxswain.dev/volumes-dir" /* of a node */
#define LOCAL_PATH_NODE_LABEL "coxswain.dev/node"      /* of a volume */

str claim_class(const struct json *claim); /* "" none */
bool claim_is_bound(const struct json *claim); /* bind-completed */
/* Is the claim what the volume's claimRef says, by name and, when it has one, uid? */
bool volume_is_for(const struct json *volume, const struct json *claim);
/* Has the volume no claim, or one that it only waits for? */
bool volume_is_free(const struct json *volume);
/* May the claim have the volume?  false with why (a constant text). */
bool volume_fits(struct arena *a, const struct json *volume, const struct json *claim, const char **ret_why);
/* Is x the better of two that fit: the one that waits for the claim, then the smaller, then by name. */
bool volume_is_better(const struct json *x, const struct json *y, const struct json *claim);
/* {kind, namespace, name, uid, apiVersion, resourceVersion} */
struct json claim_reference(struct arena *a, const struct json *claim);

enum volume_fate { VOLUME_STAYS, VOLUME_GOES, VOLUME_CANNOT };
struct volume_plan {
    const char *phase; /* that it should be in */
    enum volume_fate fate;
    const char *why; /* CANNOT */
};
/* claim NULL: there is none of that name, as the server says. */
struct volume_plan volume_plan_make(const struct json *volume, const struct json *claim);

/* A volume on the node's disk.  false with why: the claim asks for what such a volume is not. */
bool local_path_supports(const struct json *claim, const char **ret_why);
struct json local_path_volume(struct arena *a, const struct json *claim, const struct json *class, const struct json *node);
