/* schema.h - the shape of API objects as data.
 *
 * One kind of table describes built-in kinds (generated from api/ *.api into src/api/gen, const) and custom
 * resources (built at run time from a CRD's structural schema, on an arena).  Decoding, protobuf, pruning,
 * defaulting, validation, patches, server-side apply and OpenAPI all walk these tables; none of them knows a kind.
 *
 *   schema_type (OBJECT Pod) -> schema_field "spec" -> schema_type (OBJECT PodSpec)
 *        -> schema_field "containers", patch merge key "name" -> schema_type (LIST, list type map, keys {name})
 *             -> elem: schema_type (OBJECT Container)
 * Threads: tables are immutable once published.
 * Ownership: const data, or the arena of the registry snapshot that holds the CRD. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

enum schema_kind {
    SCHEMA_ANY,     /* any JSON value (JSONSchemaProps default, x-preserve-unknown without type) */
    SCHEMA_BOOL,
    SCHEMA_INT32,
    SCHEMA_INT64,
    SCHEMA_DOUBLE,
    SCHEMA_STRING,
    SCHEMA_BYTES,         /* base64 text in JSON */
    SCHEMA_TIME,          /* RFC 3339, seconds */
    SCHEMA_MICROTIME,     /* RFC 3339, microseconds */
    SCHEMA_DURATION,      /* metav1.Duration: Go duration text */
    SCHEMA_QUANTITY,      /* resource.Quantity: text, numbers accepted */
    SCHEMA_INT_OR_STRING,
    SCHEMA_OBJECT,        /* fields */
    SCHEMA_RAW_OBJECT,    /* any object with kind and apiVersion (RawExtension), or FieldsV1 */
    SCHEMA_LIST,          /* elem */
    SCHEMA_MAP,           /* string keys, elem */
};

/* x-kubernetes-list-type */
enum schema_list_type { SCHEMA_LIST_ATOMIC, SCHEMA_LIST_SET, SCHEMA_LIST_MAP };

/* Strategic-merge strategy of a field (x-kubernetes-patch-strategy). */
enum schema_patch {
    SCHEMA_PATCH_MERGE = 1,       /* lists merge, by merge_key or as a primitive set when merge_key is empty */
    SCHEMA_PATCH_REPLACE = 2,     /* an object that is replaced instead of merged */
    SCHEMA_PATCH_RETAIN_KEYS = 4,
};

enum schema_field_flag {
    SCHEMA_REQUIRED = 1,   /* listed under "required" in OpenAPI */
    SCHEMA_POINTER = 2,    /* an explicit zero (0, "", false) is kept; without it zero values of optional
                              fields are dropped on decode, as Go's omitempty does */
    SCHEMA_ALWAYS = 4,     /* written even when absent: the zero value ({} for objects, null for times, 0, "" ...) */
    SCHEMA_IMMUTABLE = 8,  /* may not change in an update: "field is immutable" */
    SCHEMA_INLINE = 16,    /* Go-embedded: its fields stand in the parent's JSON (protobuf nests them) */
    SCHEMA_NULLABLE = 32,  /* CRD: null is a value of its own */
};

/* JSON-schema validation beyond the type.  Absent members are zero; has_* say which numbers count. */
struct schema_rules {
    const str *enums; /* for strings: texts; for others: JSON texts */
    uint16_t nenums;
    bool has_min, has_max, exclusive_min, exclusive_max, has_multiple_of;
    bool has_min_len, has_max_len, has_min_items, has_max_items, has_min_props, has_max_props, unique_items;
    double min, max, multiple_of;
    int64_t min_len, max_len, min_items, max_items, min_props, max_props;
    str pattern; /* RE2-style, "" none */
    str format;  /* "int32", "date-time", "ipv4", "dns1123label" ... "" none */
    const struct schema_type *const *all_of, *const *any_of, *const *one_of;
    uint16_t nall_of, nany_of, none_of;
    const struct schema_type *not_;
};

struct schema_field {
    str name;
    const struct schema_type *type;
    uint16_t pb;         /* protobuf field number, 0: none */
    uint8_t flags;       /* enum schema_field_flag */
    uint8_t patch;       /* enum schema_patch */
    str merge_key;       /* strategic merge */
    str dflt;            /* default as JSON text, "" none */
    str doc;             /* one line */
    const struct schema_rules *rules; /* of the field's value, may be NULL */
};

struct schema_type {
    uint8_t kind;          /* enum schema_kind */
    uint8_t list_type;     /* LIST: enum schema_list_type */
    bool atomic;           /* OBJECT, MAP: server-side apply treats it as one value */
    bool preserve_unknown; /* unknown members are kept, not pruned */
    bool embedded;         /* x-kubernetes-embedded-resource: apiVersion, kind, metadata are known */
    bool nullable;         /* CRD */
    bool is_union_typeless;/* CRD: no "type" given (a branch of oneOf and friends, int-or-string) */
    uint16_t nkeys;        /* LIST of type map */
    uint16_t nfields;
    uint16_t index_mask;   /* size of index - 1 */
    str name;              /* "PodSpec"; "" for anonymous types */
    str openapi;           /* "io.k8s.api.core.v1.PodSpec"; "" for anonymous */
    str doc;
    const str *keys;                  /* LIST of type map: x-kubernetes-list-map-keys */
    const struct schema_type *elem;   /* LIST, MAP */
    const struct schema_field *fields;
    /* Open-addressing hash of fields by schema_name_hash: 0 = free, else field number + 1.  NULL: scan. */
    const uint8_t *index8;
    const uint16_t *index16;
    const struct schema_rules *rules; /* of every value of the type, may be NULL */
    str dflt;                         /* CRD: default of list and map elements' own schema, JSON text */
    str raw;                          /* CRD root: the OpenAPI v3 schema as given, for publication */
};

/* The hash that tools/gen_api.py computes as well: FNV-1a, 32 bits. */
static inline uint32_t schema_name_hash(str name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.len; i++)
        h = (h ^ (uint8_t)name.p[i]) * 16777619u;
    return h;
}
/* NULL when the type has no such field.  Descends into SCHEMA_INLINE fields. */
const struct schema_field *schema_field_find(const struct schema_type *t, str name);
/* By protobuf number, not descending. */
const struct schema_field *schema_field_by_pb(const struct schema_type *t, uint32_t number);

/* Scalars and the like that every table shares. */
extern const struct schema_type schema_any, schema_bool, schema_int32, schema_int64, schema_double, schema_string,
    schema_bytes, schema_time, schema_microtime, schema_duration, schema_quantity, schema_bandwidth, schema_int_or_string,
    schema_raw_object;
/* io.k8s.apimachinery.pkg.apis.meta.v1.*, generated from api/meta_v1.api. */
extern const struct schema_type schema_meta_v1_ObjectMeta, schema_meta_v1_ListMeta, schema_meta_v1_DeleteOptions,
    schema_meta_v1_Status, schema_meta_v1_LabelSelector, schema_meta_v1_OwnerReference;
