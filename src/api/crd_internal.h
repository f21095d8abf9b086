/* crd_internal.h - shared by the crd*.c files only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "api/validate_internal.h"

/* Properties of one object.  Far above what people write, and low enough that looking each up in the other is cheap. */
#define CRD_PROPERTIES_MAX 4096

/* Any value, kept as it is: elements without a schema. */
extern const struct schema_type crd_open_any;

/* A member that is an array with items; NULL otherwise. */
static inline const struct json *crd_list(const struct json *v, const char *key)
{
    const struct json *list = json_get(v, str_of(key));
    return json_is(list, JSON_ARRAY) && list->len ? list : NULL;
}

/* The type of a schema that is not a resource's. */
int crd_value_type_build(struct arena *a, const struct json *schema, const struct schema_type **ret, struct err *err) MUST_CHECK;
/* The path as errors show it. */
str crd_path_text(struct vctx *c, const struct vpath *p);
/* The parts of it.  Keywords: those that are not served, list and map kinds.  Defaults: only of a schema that is structural. */
void crd_keywords_validate(struct vctx *c, const struct vpath *p, const struct json *schema);
void crd_defaults_validate(struct vctx *c, const struct vpath *p, const struct json *schema);
/* Structural schema of one version: adds what is wrong with it.  status: the version has a status subresource. */
void crd_structural_validate(struct vctx *c, const struct vpath *p, const struct json *schema, bool status);
