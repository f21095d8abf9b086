/* openapi_internal.h - shared by the openapi*.c files only. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/openapi.h"
#include "api/openapi_emit.h"
#include "base/map.h"

struct openapi_gvk {
    str group, version, kind;
    struct openapi_gvk *next;
};

/* One entry of definitions or components.schemas. */
struct openapi_def {
    str name;
    const struct schema_type *type;    /* NULL: of a custom resource */
    const struct api_resource *custom; /* the object, or with is_list the list of it */
    bool is_list;
    struct openapi_gvk *gvks;
};

/* A document in the making. */
struct openapi_doc {
    struct arena *arena;
    struct openapi_emit *e;
    bool v2;
    struct map defs; /* name -> struct openapi_def * */
};

/* --- definitions (openapi_defs.c) --------------------------------------------------------------------------------- */
/* Adds the type and all it refers to; NULL for types without a name. */
struct openapi_def *openapi_def_add(struct openapi_doc *d, const struct schema_type *t);
struct openapi_def *openapi_def_add_custom(struct openapi_doc *d, const struct api_resource *r, bool is_list);
void openapi_def_add_gvk(struct openapi_doc *d, struct openapi_def *def, str group, str version, str kind);
/* The names "io.k8s.api.core.v1.PodList" and "com.example.stable.v1.CronTab"; "" when there is no such type. */
str openapi_name_of_list(struct openapi_doc *d, const struct api_resource *r);
str openapi_name_of_object(struct openapi_doc *d, const struct api_resource *r);
/* All of them, by name. */
void openapi_defs_write(struct openapi_doc *d);

/* --- schemas (openapi_schema.c) ----------------------------------------------------------------------------------- */
void openapi_schema_write(struct openapi_doc *d, const struct openapi_def *def);
void openapi_custom_write(struct openapi_doc *d, const struct openapi_def *def);
void openapi_ref_write(struct openapi_doc *d, str name); /* the "$ref" member */
void openapi_gvk_write(struct openapi_doc *d, str key, const struct openapi_gvk *gvk);
/* schema: {$ref}, under key */
void openapi_ref_object(struct openapi_doc *d, str key, str name);

/* --- paths (openapi_paths.c) -------------------------------------------------------------------------------------- */
void openapi_paths_write(struct openapi_doc *d, const struct openapi_group *g);
