/* apply.h - server-side apply and metadata.managedFields.
 *
 * Field sets are FieldsV1 trees (f:name, k:{...}, v:value, "."), see fieldset.h.  An applied configuration is merged into the
 * live object by the schema (structs and maps recursive, lists atomic, set or map), ownership moves with it, and fields its
 * manager no longer applies are removed when nobody else owns them.
 * Threads: pure functions on the caller's arena.
 * Ownership: results live in the arena and share values with the inputs; inputs marked const are not changed.
 * Limits: at most 10 Update entries are kept; older ones are merged into "ancient-changes". */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "base/clock.h"
#include "wire/json.h"

struct apply_context {
    const struct schema_type *type;
    str api_version;  /* "apps/v1", of the request */
    str manager;      /* fieldManager; "": "unknown" */
    str subresource;  /* "", "status", "scale" */
    nsec_t now;       /* wall time */
    bool force;
    bool dry_run;
    /* The resource has no status subresource, so that its status is an ordinary field.  Otherwise writers of the main
     * resource never own fields of status, and writers of status never own fields of spec. */
    bool owns_status;
};

struct apply_conflict {
    str manager; /* `"kubectl-edit" using apps/v1`, `"flux"`: what follows "conflict with " in a status cause */
    str path;    /* ".spec.replicas", ".spec.template.spec.containers[name=\"a\"].image": the cause's field */
};
struct apply_conflicts {
    struct apply_conflict *items; /* arena */
    size_t len;
};

/* Apply: live may be NULL (create).  config is the body, not defaulted.  *ret is the merged object including managedFields;
 * what the merge left at null or zero is for api_conform, defaults for api_default.  E_CONFLICT fills *ret_conflicts; err->msg
 * is "Apply failed with N conflict(s): ..." as Kubernetes words it, cut off when it is long (see apply_conflicts_message).
 * E_INVALID_ARG: managedFields in the body, duplicate or keyless list items.
 * *ret_changed false: the object is as before (no write needed). */
int apply_merge(struct arena *a, const struct apply_context *ctx, const struct json *live, const struct json *config,
                struct json *ret, bool *ret_changed, struct apply_conflicts *ret_conflicts, struct err *err) MUST_CHECK;
/* The whole of the sentence. */
str apply_conflicts_message(struct arena *a, const struct apply_conflicts *c);

/* Create, update and the classic patches: the fields that differ between live (NULL: create) and obj now belong to the
 * manager (operation Update); obj's metadata.managedFields is replaced by the result.  Takes what the client sent there into
 * account: an explicit empty list clears, otherwise the client's value is the basis; an object that has no managedFields stays
 * without until somebody applies.  The same entry without change keeps its time.
 * obj and live may be compared before or after api_complete, but should both be defaulted. */
void apply_track_update(struct arena *a, const struct apply_context *ctx, const struct json *live, struct json *obj);

/* Checks client-written managedFields (FieldsV1 syntax, operation, version): E_INVALID with a sentence. */
int apply_validate_managed_fields(const struct json *managed_fields, struct err *err) MUST_CHECK;
