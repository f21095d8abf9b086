/* schema.c - lookups in schema tables, and the scalar types that all of them share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schema.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

const struct schema_type schema_any = {.kind = SCHEMA_ANY};
const struct schema_type schema_bool = {.kind = SCHEMA_BOOL};
const struct schema_type schema_int32 = {.kind = SCHEMA_INT32};
const struct schema_type schema_int64 = {.kind = SCHEMA_INT64};
const struct schema_type schema_double = {.kind = SCHEMA_DOUBLE};
const struct schema_type schema_string = {.kind = SCHEMA_STRING};
const struct schema_type schema_bytes = {.kind = SCHEMA_BYTES};
const struct schema_type schema_time = {
    .kind = SCHEMA_TIME,
    .name = STR_INIT("Time"),
    .openapi = STR_INIT(META "Time"),
    .doc = STR_INIT("A moment, as RFC 3339 text in UTC with seconds."),
};
const struct schema_type schema_microtime = {
    .kind = SCHEMA_MICROTIME,
    .name = STR_INIT("MicroTime"),
    .openapi = STR_INIT(META "MicroTime"),
    .doc = STR_INIT("A moment, as RFC 3339 text in UTC with microseconds."),
};
const struct schema_type schema_duration = {
    .kind = SCHEMA_DURATION,
    .name = STR_INIT("Duration"),
    .openapi = STR_INIT(META "Duration"),
    .doc = STR_INIT("A span of time such as 1h30m or 250ms."),
};
const struct schema_type schema_quantity = {
    .kind = SCHEMA_QUANTITY,
    .name = STR_INIT("Quantity"),
    .openapi = STR_INIT("io.k8s.apimachinery.pkg.api.resource.Quantity"),
    .doc = STR_INIT("An exact amount with an optional suffix: 500m, 2, 1.5Gi, 1e3."),
};
/* Text; a number without quotes is taken as what it looks like. */
const struct schema_type schema_bandwidth = {.kind = SCHEMA_STRING};
const struct schema_type schema_int_or_string = {
    .kind = SCHEMA_INT_OR_STRING,
    .name = STR_INIT("IntOrString"),
    .openapi = STR_INIT("io.k8s.apimachinery.pkg.util.intstr.IntOrString"),
    .doc = STR_INIT("A number, or text such as a port name or a percentage."),
};
const struct schema_type schema_raw_object = {
    .kind = SCHEMA_RAW_OBJECT,
    .name = STR_INIT("RawExtension"),
    .openapi = STR_INIT("io.k8s.apimachinery.pkg.runtime.RawExtension"),
    .doc = STR_INIT("Any object; kept as it is."),
    .preserve_unknown = true,
};

/* The field number + 1 in slot `at` of the index. */
static uint16_t index_at(const struct schema_type *t, uint32_t at)
{
    return t->index8 ? t->index8[at] : t->index16[at];
}

/* The index is at most half full, so a free slot ends every probe. */
static const struct schema_field *own_field_find(const struct schema_type *t, str name)
{
    if (!t->index8 && !t->index16) {
        for (size_t i = 0; i < t->nfields; i++) {
            if (str_eq(t->fields[i].name, name))
                return &t->fields[i];
        }
        return NULL;
    }
    for (uint32_t at = schema_name_hash(name) & t->index_mask;; at = (at + 1) & t->index_mask) {
        uint16_t number = index_at(t, at);
        if (number == 0)
            return NULL;
        if (str_eq(t->fields[number - 1].name, name))
            return &t->fields[number - 1];
    }
}

const struct schema_field *schema_field_find(const struct schema_type *t, str name)
{
    const struct schema_field *f = own_field_find(t, name);
    /* The name of an inline field is only a label: it is no member of the JSON. */
    if (f && !(f->flags & SCHEMA_INLINE))
        return f;
    for (size_t i = 0; i < t->nfields; i++) {
        if (!(t->fields[i].flags & SCHEMA_INLINE))
            continue;
        f = schema_field_find(t->fields[i].type, name);
        if (f)
            return f;
    }
    return NULL;
}

const struct schema_field *schema_field_by_pb(const struct schema_type *t, uint32_t number)
{
    for (size_t i = 0; i < t->nfields; i++) {
        if (t->fields[i].pb == number && number != 0)
            return &t->fields[i];
    }
    return NULL;
}
