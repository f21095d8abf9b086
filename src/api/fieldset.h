/* fieldset.h - sets of field paths, as metadata.managedFields keeps them (FieldsV1).
 *
 *     {"f:spec":{"f:replicas":{},"f:ports":{".":{},"k:{\"port\":80}":{".":{},"f:port":{}}}}}
 * is the set of .spec.replicas, .spec.ports, .spec.ports[port=80] and .spec.ports[port=80].port.  In memory it is a
 * trie: each node is one path element, says whether the path that ends there is a member, and holds the longer ones.
 * A set is a value: operations make new nodes and share what is the same, so sets must not be changed once they were
 * handed on.  The nodes of a set are sorted by fieldset_elem_cmp, and none is without members.
 * Threads: pure functions on the caller's arena.
 * Ownership: nodes on the arena; element texts are borrowed from the objects and sets they came from.
 * Limits: union, difference and intersection are linear; depth as the depth of JSON. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

/* Path elements.  Of two elements of different kind the one earlier in this list is less. */
enum fieldset_kind {
    FIELDSET_FIELD, /* f: member of an object or map, body is its name */
    FIELDSET_KEY,   /* k: item of a list of type map, body is JSON: {"port":80,"protocol":"TCP"}, names sorted */
    FIELDSET_VALUE, /* v: item of a set, body is a JSON scalar */
    FIELDSET_INDEX, /* i: body is a number */
};

struct fieldset_elem {
    str body;
    enum fieldset_kind kind;
};

struct fieldset_node;
struct fieldset {
    struct fieldset_node *nodes;
    uint32_t len, cap;
};
struct fieldset_node {
    struct fieldset_elem elem;
    bool member;
    struct fieldset sub;
};

#define FIELDSET_EMPTY ((struct fieldset){0})
static inline bool fieldset_is_empty(const struct fieldset *s)
{
    return !s->len;
}

/* Fields by bytes, keys and values by value: numbers before strings before booleans, [port=80] before [port=443]. */
int fieldset_elem_cmp(const struct fieldset_elem *a, const struct fieldset_elem *b);
/* NULL when no path of the set begins with e. */
const struct fieldset_node *fieldset_find(const struct fieldset *s, const struct fieldset_elem *e);

/* --- making ---------------------------------------------------------------------------------------- */
/* Appends a node unless it is without members.  Call fieldset_finish when all nodes of this level are in. */
void fieldset_push(struct arena *a, struct fieldset *s, struct fieldset_node node);
/* Sorts; elements must be different from each other. */
void fieldset_finish(struct fieldset *s);
/* The JSON texts of keys and values, canonical, so that equal values have equal texts. */
struct fieldset_elem fieldset_elem_value(struct arena *a, const struct json *scalar);
/* names are sorted; values in the same order. */
struct fieldset_elem fieldset_elem_key(struct arena *a, const str *names, const struct json *const *values, size_t n);

/* --- operations ------------------------------------------------------------------------------------ */
struct fieldset fieldset_union(struct arena *a, const struct fieldset *x, const struct fieldset *y);
struct fieldset fieldset_intersection(struct arena *a, const struct fieldset *x, const struct fieldset *y);
/* Members of x that are not members of y.  Longer paths do not count as parts of shorter ones. */
struct fieldset fieldset_difference(struct arena *a, const struct fieldset *x, const struct fieldset *y);
/* The same, and everything below a member of y goes too. */
struct fieldset fieldset_difference_deep(struct arena *a, const struct fieldset *x, const struct fieldset *y);
/* Only members without members below them. */
struct fieldset fieldset_leaves(struct arena *a, const struct fieldset *x);
bool fieldset_intersects(const struct fieldset *x, const struct fieldset *y);
bool fieldset_equal(const struct fieldset *x, const struct fieldset *y);
bool fieldset_contains(const struct fieldset *x, const struct fieldset *y); /* y is a subset of x */

/* --- text ------------------------------------------------------------------------------------------ */
/* FieldsV1.  Elements of unknown kind are dropped, as Kubernetes does; malformed ones are E_INVALID. */
int fieldset_from_json(struct arena *a, const struct json *v, struct fieldset *ret, struct err *err) MUST_CHECK;
struct json fieldset_to_json(struct arena *a, const struct fieldset *s);
/* ".spec.ports[port=80,protocol=\"TCP\"].name" of each member, shorter before longer at each level, on the arena. */
str *fieldset_paths(struct arena *a, const struct fieldset *s, size_t *ret_n);
