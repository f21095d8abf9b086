/* Fields that Go always writes: what has no omitempty, and structs held by value. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_internal.h"

static void complete(struct arena *a, const struct schema_type *t, struct json *v);

static void add_missing(struct arena *a, const struct schema_type *t, struct json *v)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (f->flags & SCHEMA_INLINE) {
            add_missing(a, f->type, v);
        } else if (f->flags & SCHEMA_ALWAYS && !json_get(v, f->name)) {
            struct json value = f->flags & SCHEMA_POINTER ? json_null() : codec_zero(f->type);
            if (value.type == JSON_OBJECT)
                complete(a, f->type, &value);
            json_set(a, v, f->name, value);
        }
    }
}

static void complete(struct arena *a, const struct schema_type *t, struct json *v)
{
    if (t->kind == SCHEMA_OBJECT && v->type == JSON_OBJECT) {
        for (uint32_t i = 0; i < v->len; i++) {
            struct json *value = &v->members[i].value;
            if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
                continue;
            const struct schema_field *f = schema_field_find(t, v->members[i].key);
            if (f && codec_holds_fields(f->type))
                complete(a, f->type, value);
        }
        add_missing(a, t, v);
    } else if (t->kind == SCHEMA_LIST && v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->len; i++)
            complete(a, t->elem, &v->items[i]);
    } else if (t->kind == SCHEMA_MAP && v->type == JSON_OBJECT) {
        for (uint32_t i = 0; i < v->len; i++)
            complete(a, t->elem, &v->members[i].value);
    }
}

void api_complete(struct arena *a, const struct schema_type *type, struct json *obj)
{
    if (!codec_is_custom(type))
        complete(a, type, obj);
}
