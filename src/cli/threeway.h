/* threeway.h - the patch that `apply` sends: from what was applied last time, what shall be, and what is there now.
 *
 * A field that the new configuration has and that differs from the live object is set; a field that the last configuration had and the new one
 * has not is removed; everything else in the live object is left alone.
 *     last {a:1, b:2}   new {a:1, c:3}   live {a:5, b:2, d:4}   ->   {a:1, b:null, c:3}
 * With a schema type the patch is a strategic merge: lists with a merge key are compared element by element and elements are removed by
 * {"$patch":"delete"}; without one it is a JSON merge patch and lists are replaced.
 * Threads: pure.  Ownership: the result is on the arena and shares subtrees with its inputs. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "wire/json.h"

/* last: NULL or null when nothing is known.  An empty object means: nothing to do. */
struct json threeway_patch(struct arena *a, const struct schema_type *type, const struct json *last, const struct json *wanted, const struct json *live);
/* The patch that turns one object into another: for `edit`, `label` and friends. */
static inline struct json twoway_patch(struct arena *a, const struct schema_type *type, const struct json *before, const struct json *after)
{
    return threeway_patch(a, type, before, after, before);
}
/* The schema of a built-in kind, NULL for others. */
const struct schema_type *threeway_type(str api_version, str kind);
