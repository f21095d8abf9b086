/* crd_internal.h - shared by the crd*.c files only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"
#include "api/validate_internal.h"

/* Any value, kept as it is: elements without a schema. */
extern const struct schema_type crd_open_any;

/* A member that is an array with items; NULL otherwise. */
static inline const struct json *crd_list(const struct json *v, const char *key)
{
    const struct json *list = json_get(v, str_of(key));
    return json_is(list, JSON_ARRAY) && list->len ? list : NULL;
}

/* The parts of it.  Keywords: those that are not served, list and map kinds.  Defaults: only of a schema that is structural. */
void crd_keywords_validate(struct vctx *c, const struct vpath *p, const struct json *schema);
void crd_defaults_validate(struct vctx *c, const struct vpath *p, const struct json *schema);
/* Structural schema of one version: adds what is wrong with it.  status: the version has a status subresource. */
void crd_structural_validate(struct vctx *c, const struct vpath *p, const struct json *schema, bool status);
