/* patch_strategic.h - what the two halves of strategic merge share: objects (patch_strategic.c), lists (patch_list.c).
 *
 * Threads, ownership, limits: as patch.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "wire/json.h"

#define PATCH_DIRECTIVE S("$patch")
#define PATCH_RETAIN_KEYS S("$retainKeys")
#define PATCH_DELETE_FROM_LIST S("$deleteFromPrimitiveList")
#define PATCH_SET_ORDER S("$setElementOrder")

struct patch_run {
    struct arena *a;
    struct err *err;
};

/* How the list of a field is patched. */
struct patch_list {
    const struct schema_type *elem; /* NULL: unknown */
    str merge_key;                  /* "": elements are scalars */
    bool merge;                     /* else the patch replaces the list */
};

/* original NULL: absent. */
int patch_strategic_map(struct patch_run *p, const struct schema_type *t, const struct json *original,
                        const struct json *patch, struct json *ret) MUST_CHECK;
/* The value as it is stored where nothing was before: without nulls and directives.  False: nothing remains of it. */
bool patch_strategic_clean(struct patch_run *p, const struct json *v, struct json *ret);

int patch_list_merge(struct patch_run *p, const struct patch_list *l, const struct json *original, const struct json *patch,
                     struct json *ret) MUST_CHECK;
/* $deleteFromPrimitiveList */
int patch_list_delete(struct patch_run *p, const struct json *original, const struct json *doomed, struct json *ret) MUST_CHECK;
/* $setElementOrder: original and patch may be NULL, not both. */
int patch_list_merge_ordered(struct patch_run *p, const struct patch_list *l, const struct json *original,
                             const struct json *patch, const struct json *order, struct json *ret) MUST_CHECK;

/* As Go prints a value with %v: what clients find in error messages. */
void patch_print_go(struct strbuf *b, const struct json *v);
/* "map[string]interface {}" */
const char *patch_go_type(const struct json *v);
