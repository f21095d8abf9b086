/* apply_managed.h - metadata.managedFields as a list of entries in memory.
 *
 * An entry is known by its manager, operation, subresource and, for Update, API version: an applier keeps its entry when it
 * moves to another version, an updater gets one per version.
 * Threads: pure functions on the caller's arena.  Ownership: entries borrow from the JSON they were read from.
 * Limits: MANAGED_UPDATES_MAX updaters, see managed_cap. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/fieldset.h"
#include "base/clock.h"

#define MANAGED_UPDATES_MAX 10

struct managed_entry {
    str manager;
    str api_version;
    str subresource;
    str time; /* RFC 3339, "": none */
    bool applied;
    struct fieldset set;
    const struct json *raw; /* fieldsV1 that says the same as set; NULL: the set was changed */
};
struct managed {
    struct managed_entry *items;
    size_t len, cap;
};

/* list: the value of metadata.managedFields, NULL or null: none.  E_INVALID with Kubernetes' sentence when malformed. */
int managed_decode(struct arena *a, const struct json *list, struct managed *ret, struct err *err) MUST_CHECK;
/* Sorted as Kubernetes sorts; json_null when there are no entries. */
struct json managed_encode(struct arena *a, struct managed *m);

/* NULL when absent.  api_version counts for updaters only. */
struct managed_entry *managed_find(struct managed *m, str manager, bool applied, str api_version, str subresource);
/* Adds without looking; places of entries move. */
struct managed_entry *managed_add(struct arena *a, struct managed *m, struct managed_entry e);
void managed_set_fields(struct managed_entry *e, struct fieldset set);
/* Entries without fields go. */
void managed_drop_empty(struct managed *m);
/* More than MANAGED_UPDATES_MAX updaters: the oldest become one entry "ancient-changes" per version. */
void managed_cap(struct arena *a, struct managed *m);

/* `"kubectl-edit" using apps/v1`, as conflicts name an entry. */
str managed_name(struct arena *a, const struct managed_entry *e);
/* The order in which conflicts list the managers. */
int managed_name_cmp(const struct managed_entry *a, const struct managed_entry *b);
