/* codec_internal.h - shared by the codec's own files only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/codec.h"

/* What a nil or zero Go value of the type is in JSON: 0, "", "0" for quantities, null for lists and maps, {} for structs. */
struct json codec_zero(const struct schema_type *t);

/* The type stands at the root of a custom resource, whose objects are pruned and defaulted by the rules of structural
 * schemas: wrong types are left to validation, zero values and empty lists stay. */
static inline bool codec_is_custom(const struct schema_type *t)
{
    return t->raw.len > 0;
}

/* Values of the type hold fields somewhere, so walks for defaults and completion have to go in. */
static inline bool codec_holds_fields(const struct schema_type *t)
{
    while (t->kind == SCHEMA_LIST || t->kind == SCHEMA_MAP)
        t = t->elem;
    return t->kind == SCHEMA_OBJECT;
}

/* Adds prefix + quoted path unless it is there already or the report is full.  report may be NULL. */
void codec_report_add(struct arena *a, struct api_field_report *report, const char *what, str path);
