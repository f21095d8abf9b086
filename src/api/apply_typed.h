/* apply_typed.h - what server-side apply does with values: sets of their fields, differences, merging, removing.
 *
 * The schema decides how fine ownership is: the members of objects and maps, and the items of lists of type set and map,
 * are fields of their own ("granular"); scalars, atomic lists, atomic objects and atomic maps are one field each.  What
 * the schema does not know (preserved unknown fields) is granular for objects and atomic for lists.
 * A field that is always written (SCHEMA_ALWAYS) counts as present with its zero value where an object lacks it, so that
 * objects may be compared before or after api_complete.
 * Threads: pure functions on the caller's arena.
 * Ownership: results share values with their inputs, which are not changed.
 * Limits: lists are matched by sorting, O(n log n). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/fieldset.h"
#include "api/schema.h"

/* Fields that rhs adds or changes, and fields that it lacks.  lhs NULL: everything that is not a zero value. */
struct typed_diff {
    struct fieldset changed;
    struct fieldset removed;
};
struct typed_diff typed_compare(struct arena *a, const struct schema_type *t, const struct json *lhs, const struct json *rhs);

/* The fields that a configuration mentions: leaves, list items, map members. */
struct fieldset typed_fields(struct arena *a, const struct schema_type *t, const struct json *v);

/* config over live: config's leaves win, items of associative lists merge by key and keep their order as far as possible.
 * Nothing is removed. */
struct json typed_merge(struct arena *a, const struct schema_type *t, const struct json *live, const struct json *config);

/* The value without the fields of the set.  Containers that become empty are null, or go too when drop_empty. */
struct json typed_remove(struct arena *a, const struct schema_type *t, const struct json *v, const struct fieldset *fields,
                         bool drop_empty);

/* The set with the object fields on the way to its members as members too ("a.b.c" adds "a" if the schema names it). */
struct fieldset typed_with_parents(struct arena *a, const struct schema_type *t, const struct fieldset *s);
/* The set as it must look for this schema: below an atomic field nothing is owned but the field. */
struct fieldset typed_reconcile(struct arena *a, const struct schema_type *t, const struct fieldset *s);

/* Duplicate or keyless items in associative lists: E_INVALID_ARG with the path and Kubernetes' sentence. */
int typed_check(struct arena *a, const struct schema_type *t, const struct json *v, struct err *err) MUST_CHECK;

/* --- shared by the files of this module ------------------------------------------------------------ */
enum typed_shape { TYPED_LEAF, TYPED_MAP, TYPED_LIST };
/* How values of the type are owned, for an object, list or scalar v; null takes the type's own shape. */
enum typed_shape typed_shape(const struct schema_type *t, const struct json *v);
/* Type of a member; *ret_field NULL when the schema does not name it. */
const struct schema_type *typed_member(const struct schema_type *t, str key, const struct schema_field **ret_field);

/* The items of an associative list with their path elements.  Items that have no key are left out. */
struct typed_item {
    struct fieldset_elem elem;
    const struct json *v;
    uint32_t at; /* in the list */
};
struct typed_items {
    struct typed_item *p;
    uint32_t len;
    str keyless;         /* why the first item without a key has none, "" when all have one */
    uint32_t keyless_at;
};
/* v NULL or no list: no items. */
struct typed_items typed_items_of(struct arena *a, const struct schema_type *t, const struct json *v);
/* By element, equal ones by position. */
void typed_items_sort(struct typed_items *items);
