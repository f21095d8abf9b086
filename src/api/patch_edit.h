/* patch_edit.h - an object under change: copy on write, constant-time lookup once it is large.
 *
 *     PATCH_EDIT_AUTO e = patch_edit_begin(a, &original, patch->len);
 *     patch_edit_set(&e, key, value);
 *     patch_edit_del(&e, key);
 *     *ret = patch_edit_end(&e);
 * The member array is copied, the values below are shared with the original, which stays as it is.
 * Threads: one at a time.  Ownership: results on the arena; the index is freed by PATCH_EDIT_AUTO.
 * Limits: none of its own; n changes of an object of m members cost O(n + m). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "wire/json.h"

struct patch_edit {
    struct json obj_;
    struct arena *arena_;
    struct map index_; /* key to member number + 1 */
    bool indexed_;     /* from PATCH_EDIT_INDEX_FROM members */
    bool deleted_;     /* some members are marked PATCH_EDIT_GONE (only when indexed) */
};

/* A member that is deleted but still stands in the array: no value of enum json_type. */
#define PATCH_EDIT_GONE 0xff
#define PATCH_EDIT_INDEX_FROM 48

/* original NULL or no object: starts empty.  expected: how many members may be added. */
struct patch_edit patch_edit_begin(struct arena *a, const struct json *original, size_t expected);
struct json *patch_edit_get(struct patch_edit *e, str key); /* NULL when absent */
void patch_edit_set(struct patch_edit *e, str key, struct json value);
void patch_edit_del(struct patch_edit *e, str key);
struct json patch_edit_end(struct patch_edit *e);

static inline void patch_edit_fini(struct patch_edit *e)
{
    map_fini(&e->index_);
}
#define PATCH_EDIT_AUTO __attribute__((cleanup(patch_edit_fini))) struct patch_edit
