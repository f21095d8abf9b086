/* crd.h - CustomResourceDefinitions: structural schemas into the same tables the built-in kinds use.
 *
 * Threads: pure functions.  Ownership: results live in the arena, strings are copied there.
 * Limits: schema depth LIMIT_JSON_DEPTH; a CRD's size is bounded by LIMIT_OBJECT_BYTES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "api/validate.h"
#include "wire/json.h"

/* One api_resource for each served version of a CRD that is valid.  E_INVALID when it is not. */
int crd_build(struct arena *a, const struct json *crd, const struct api_resource ***ret, size_t *ret_n, struct err *err) MUST_CHECK;
/* Whether a CRD may be written: names, versions, exactly one storage version, structural schema, columns, paths.  old NULL on create. */
void crd_validate(const struct json *crd, const struct json *old, struct field_errors *e);
/* An OpenAPI v3 schema (structural) to a type. */
int crd_schema_build(struct arena *a, const struct json *schema, struct schema_type **ret, struct err *err) MUST_CHECK;
