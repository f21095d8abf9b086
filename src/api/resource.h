/* resource.h - what the server serves: one entry per group, version and resource.
 *
 * Built-in entries are generated from api/ *.api; a CustomResourceDefinition adds entries at run time.  Everything the
 * REST layer, discovery, printing and storage need to know about a resource is here, as data.
 * Threads: entries are immutable once published in a registry snapshot.
 * Ownership: const data, or the snapshot's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/schema.h"

enum api_verb {
    API_VERB_CREATE = 1,
    API_VERB_DELETE = 2,
    API_VERB_DELETECOLLECTION = 4,
    API_VERB_GET = 8,
    API_VERB_LIST = 16,
    API_VERB_PATCH = 32,
    API_VERB_UPDATE = 64,
    API_VERB_WATCH = 128,
    API_VERBS_ALL = 255,
};

enum api_name_rule { API_NAME_DNS_SUBDOMAIN, API_NAME_DNS_LABEL, API_NAME_DNS1035_LABEL, API_NAME_PATH_SEGMENT };

enum api_resource_flag {
    API_NAMESPACED = 1,
    API_GENERATION = 2,      /* metadata.generation counts spec changes */
    API_RV_REQUIRED = 4,     /* PUT without resourceVersion is 422 */
    API_PUT_CREATES = 8,     /* PUT of an unknown name creates it */
    API_ORPHAN_DEFAULT = 16, /* default propagation is Orphan (batch/v1 Job) */
    API_CREATE_ONLY = 32,    /* nothing is stored: the reviews, bindings */
    API_CUSTOM = 64,         /* from a CRD */
    API_DEPRECATED = 128,
};

struct jsonpath;

/* Where a table cell comes from. */
struct api_column {
    str name;      /* "Ready" */
    str type;      /* "string", "integer", "number", "boolean", "date" */
    str format;    /* "name" for the first column, else mostly "" */
    str doc;
    int priority;  /* >0: only with -o wide */
    str json_path; /* ".spec.replicas"; "" when the cell needs code */
    str cell;      /* name of the cell function in api/table_cells.c, "" when json_path tells */
    const struct jsonpath *compiled; /* of a json_path with brackets, see table_compile_columns; NULL otherwise */
};

struct api_subresource {
    str name;              /* "status", "scale", "binding" ... */
    str kind;              /* kind of the body: "Pod", "Scale", "Binding", "Eviction", "TokenRequest" */
    str group, version;    /* of that kind, when other than the resource's own */
    uint16_t verbs;        /* enum api_verb */
    const struct schema_type *type;
};

struct api_resource {
    str group; /* "" core */
    str version;
    str kind;
    str list_kind;
    str plural;
    str singular;
    const str *short_names;
    const str *categories;
    uint8_t nshort_names, ncategories, nsubs, ncolumns, nfield_labels;
    uint8_t name_rule;   /* enum api_name_rule */
    uint16_t flags;      /* enum api_resource_flag */
    uint16_t verbs;      /* enum api_verb */
    const struct schema_type *type;
    const struct api_subresource *subs;
    const struct api_column *columns;
    const str *field_labels; /* beyond metadata.name and metadata.namespace */
    /* Objects are stored under storage_group/plural in storage_version (autoscaling v1 and v2 share one store, so
     * do core/v1 and events.k8s.io/v1 events).  Equal to group and version for most. */
    str storage_group, storage_version;
    /* CRD: scale subresource paths, selectable fields, and the CRD's uid; "" otherwise. */
    str scale_spec_path, scale_status_path, scale_selector_path;
    str crd_uid;
    str deprecation_warning; /* sent as a Warning header */
};

extern const struct api_resource *const api_builtin_resources[];
extern const size_t api_builtin_count;
/* A built-in resource of that group and kind, in some version; NULL when there is none. */
const struct api_resource *api_builtin_find(str group, str plural, str kind);
/* Named types that OpenAPI publishes, reachable or not from a resource. */
extern const struct schema_type *const api_builtin_types[];
extern const size_t api_builtin_type_count;

static inline bool api_is_namespaced(const struct api_resource *r)
{
    return r->flags & API_NAMESPACED;
}
const struct api_subresource *api_subresource_find(const struct api_resource *r, str name);
/* "v1", "apps/v1" */
str api_group_version(struct arena *a, str group, str version);
