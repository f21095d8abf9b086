/* patch.h - the three classic patches, as tree operations.
 *
 * Threads: pure functions on the caller's arena.
 * Ownership: results may share subtrees with their inputs; inputs are not changed.
 * Limits: LIMIT_JSON_PATCH_OPS operations. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "wire/json.h"

/* RFC 6902.  E_INVALID when an operation does not apply, E_PARSE when the patch is malformed, E_TOO_LARGE over the limit. */
int patch_json(struct arena *a, const struct json *target, const struct json *ops, struct json *ret, struct err *err) MUST_CHECK;
/* RFC 7386. */
int patch_merge(struct arena *a, const struct json *target, const struct json *patch, struct json *ret, struct err *err) MUST_CHECK;
/* Strategic merge: lists by the schema's merge keys, $patch, $retainKeys, $setElementOrder/x, $deleteFromPrimitiveList/x. */
int patch_strategic(struct arena *a, const struct schema_type *type, const struct json *target, const struct json *patch,
                    struct json *ret, struct err *err) MUST_CHECK;
