/* apply_internal.h - what tracking of updates (apply.c) and server-side apply (apply_config.c) share.
 *
 * Threads, ownership: as apply.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/apply.h"
#include "api/apply_managed.h"
#include "api/apply_typed.h"

/* apiVersion, kind, metadata and what the system writes there: never owned. */
extern const struct fieldset apply_system_fields;

str apply_manager(const struct apply_context *ctx);
str apply_now(struct arena *a, const struct apply_context *ctx);
const struct json *apply_managed_fields(const struct json *obj); /* NULL when absent */

/* A copy of the object without one member, with room for another. */
struct json apply_without(struct arena *a, const struct json *obj, str key);
/* A copy of the object without metadata.managedFields; root and metadata may be changed. */
struct json apply_bare(struct arena *a, const struct json *obj);
/* The same without the top-level field that the endpoint does not write: what ownership is about. */
struct json apply_view(struct arena *a, const struct apply_context *ctx, const struct json *obj);
/* list null: removes. */
void apply_set_managed(struct arena *a, struct json *obj, struct json list);

/* All of the object belongs to `manager`, as its updater. */
void apply_track_all(struct arena *a, const struct apply_context *ctx, struct managed *m, const struct json *obj, str manager);
/* Makes the entries fit a schema that changed since they were written. */
void apply_reconcile(struct arena *a, const struct apply_context *ctx, struct managed *m);
/* The entry loses the fields. */
void apply_lose(struct arena *a, struct managed_entry *e, const struct fieldset *fields);
