/* table.h - server-side printing: meta.k8s.io/v1 Table rows from objects.
 *
 * Columns are data (api_resource.columns); a cell comes from a JSONPath or from a named function in table_cells.c.  A resource
 * without columns gets Name and Created At, a custom one Name and Age; a custom one with columns gets Name before them.
 * Threads: pure functions.  Ownership: output goes to the caller's buffer; the arena holds scratch only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/resource.h"
#include "base/clock.h"
#include "wire/json.h"

enum table_include { TABLE_INCLUDE_METADATA, TABLE_INCLUDE_NONE, TABLE_INCLUDE_OBJECT };

/* "columnDefinitions":[...] without braces around. */
void table_write_columns(struct strbuf *b, const struct api_resource *r);
/* {"cells":[...],"object":{...}}.  object_bytes: the stored JSON of the object, used as is for TABLE_INCLUDE_OBJECT ("": obj is
 * written). */
void table_write_row(struct arena *a, struct strbuf *b, const struct api_resource *r, const struct json *obj, str object_bytes,
                     enum table_include include, nsec_t now);
/* Whether table_cells.c has a function for api_column.cell. */
bool table_has_cell(str name);
/* For the builder of a CRD's entry: compiles the paths that are more than names and dots, so that rows need not.
 * E_INVALID_ARG with jsonpath's sentence when one is malformed. */
int table_compile_columns(struct arena *a, struct api_column *columns, size_t n, struct err *err) MUST_CHECK;
