/* crds.h - custom resources: from stored CustomResourceDefinitions to the registry.
 *
 * A CRD is accepted and established in the very write that creates it (its conditions are set there), and the registry has its resources before that write is answered: a client may use them at once.
 * A definition of a resource that is built in is accepted, established, and of no effect (docs/custom-resources.md).
 * Threads: crds_reload from any io loop; one at a time inside. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/write.h"

struct crds;
struct crds *crds_new(struct apiserver *s) MUST_CHECK;
void crds_free(struct crds *c);
/* Reads all CRDs and publishes a new registry snapshot.  A CRD that cannot be served is logged and left out. */
void crds_reload(struct crds *c);
/* Strategy hooks of customresourcedefinitions: finalizer, conditions, storedVersions, acceptedNames. */
void crd_create(struct write_run *r, struct json *obj);
void crd_update(struct write_run *r, const struct json *old, struct json *obj);
