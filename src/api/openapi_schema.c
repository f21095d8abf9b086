/* openapi_schema.c - a type of the tables as an OpenAPI schema.
 *
 * Types with a name are definitions of their own and referred to; all others stand where they are used.  Version 3 puts a
 * reference that has more to say into allOf, because members beside $ref do not count there. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi_internal.h"

static void write_body(struct openapi_doc *d, const struct schema_type *t);

void openapi_ref_write(struct openapi_doc *d, str name)
{
    openapi_text(d->e, S("$ref"), arena_cat(d->arena, d->v2 ? S("#/definitions/") : S("#/components/schemas/"), name));
}

void openapi_ref_object(struct openapi_doc *d, str key, str name)
{
    openapi_object(d->e, key);
    openapi_ref_write(d, name);
    openapi_end(d->e);
}

void openapi_gvk_write(struct openapi_doc *d, str key, const struct openapi_gvk *gvk)
{
    openapi_object(d->e, key);
    openapi_text(d->e, S("group"), gvk->group);
    openapi_text(d->e, S("kind"), gvk->kind);
    openapi_text(d->e, S("version"), gvk->version);
    openapi_end(d->e);
}

static void write_doc(struct openapi_doc *d, str doc)
{
    if (doc.len)
        openapi_text(d->e, S("description"), doc);
}

/* --- what a field adds to its type -------------------------------------------------------------------------------- */

static void write_enums(struct openapi_doc *d, const struct schema_rules *rules)
{
    if (!rules || !rules->nenums)
        return;
    openapi_array(d->e, S("enum"));
    for (size_t i = 0; i < rules->nenums; i++)
        openapi_text(d->e, STR_NONE, rules->enums[i]);
    openapi_end(d->e);
}

static void write_patch(struct openapi_doc *d, const struct schema_field *f)
{
    static const struct {
        uint8_t flag;
        const char *name;
    } names[] = {{SCHEMA_PATCH_MERGE, "merge"}, {SCHEMA_PATCH_REPLACE, "replace"}, {SCHEMA_PATCH_RETAIN_KEYS, "retainKeys"}};
    struct strbuf b = strbuf_on(d->arena);
    for (size_t i = 0; i < ARRAY_LEN(names); i++)
        if (f->patch & names[i].flag)
            strbuf_addf(&b, "%s%s", b.len ? "," : "", names[i].name);
    if (f->merge_key.len)
        openapi_text(d->e, S("x-kubernetes-patch-merge-key"), f->merge_key);
    if (b.len)
        openapi_text(d->e, S("x-kubernetes-patch-strategy"), strbuf_str(&b));
}

static void write_list_type(struct openapi_doc *d, const struct schema_type *t)
{
    static const char *const names[] = {[SCHEMA_LIST_ATOMIC] = "atomic", [SCHEMA_LIST_SET] = "set", [SCHEMA_LIST_MAP] = "map"};
    if (t->nkeys) {
        openapi_array(d->e, S("x-kubernetes-list-map-keys"));
        for (size_t i = 0; i < t->nkeys; i++)
            openapi_text(d->e, STR_NONE, t->keys[i]);
        openapi_end(d->e);
    }
    openapi_text(d->e, S("x-kubernetes-list-type"), str_of(names[t->list_type]));
}

/* --- types -------------------------------------------------------------------------------------------------------- */

struct scalar {
    const char *type, *format;
};
static const struct scalar scalars[] = {
    [SCHEMA_BOOL] = {"boolean", NULL},
    [SCHEMA_INT32] = {"integer", "int32"},
    [SCHEMA_INT64] = {"integer", "int64"},
    [SCHEMA_DOUBLE] = {"number", "double"},
    [SCHEMA_STRING] = {"string", NULL},
    [SCHEMA_BYTES] = {"string", "byte"},
    [SCHEMA_TIME] = {"string", "date-time"},
    [SCHEMA_MICROTIME] = {"string", "date-time"},
    [SCHEMA_DURATION] = {"string", NULL},
    [SCHEMA_QUANTITY] = {"string", NULL},
    [SCHEMA_INT_OR_STRING] = {"string", "int-or-string"},
    [SCHEMA_OBJECT] = {"object", NULL},
    [SCHEMA_RAW_OBJECT] = {"object", NULL},
    [SCHEMA_LIST] = {"array", NULL},
    [SCHEMA_MAP] = {"object", NULL},
};

/* Version 2 has no word for values of two types; version 3 has. */
static bool write_two_types(struct openapi_doc *d, const struct schema_type *t)
{
    const char *other = t->kind == SCHEMA_QUANTITY ? "number" : t->kind == SCHEMA_INT_OR_STRING ? "integer" : NULL;
    if (d->v2 || !other)
        return false;
    openapi_array(d->e, S("oneOf"));
    const char *const types[] = {other, "string"};
    for (size_t i = 0; i < ARRAY_LEN(types); i++) {
        openapi_object(d->e, STR_NONE);
        openapi_text(d->e, S("type"), str_of(types[i]));
        openapi_end(d->e);
    }
    openapi_end(d->e);
    return true;
}

static void write_type(struct openapi_doc *d, const struct schema_type *t)
{
    const struct scalar *s = &scalars[t->kind];
    if (!write_two_types(d, t) && s->type)
        openapi_text(d->e, S("type"), str_of(s->type));
    if (s->format)
        openapi_text(d->e, S("format"), str_of(s->format));
}

/* A value of the type, under a key or in an array; f may be NULL. */
static void write_value(struct openapi_doc *d, str key, const struct schema_type *t, const struct schema_field *f)
{
    str doc = f && !str_eq(f->doc, t->doc) ? f->doc : S(""); /* `kubectl explain` shows both texts: the same one once is enough */
    str dflt = f ? f->dflt : S("");
    openapi_object(d->e, key);
    if (t->openapi.len && !d->v2 && (doc.len || dflt.len)) {
        openapi_array(d->e, S("allOf"));
        openapi_ref_object(d, STR_NONE, t->openapi);
        openapi_end(d->e);
    } else if (t->openapi.len) {
        openapi_ref_write(d, t->openapi);
    } else {
        write_body(d, t);
    }
    write_doc(d, doc);
    if (dflt.len)
        openapi_raw(d->e, S("default"), dflt);
    if (f && !t->openapi.len)
        write_enums(d, f->rules);
    if (f)
        write_patch(d, f);
    openapi_end(d->e);
}

/* Fields of embedded structs stand among the others. */
static void write_properties(struct openapi_doc *d, const struct schema_type *t)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (f->flags & SCHEMA_INLINE)
            write_properties(d, f->type);
        else
            write_value(d, f->name, f->type, f);
    }
}

static size_t write_required(struct openapi_doc *d, const struct schema_type *t, size_t n)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (f->flags & SCHEMA_INLINE) {
            n = write_required(d, f->type, n);
        } else if (f->flags & SCHEMA_REQUIRED) {
            if (n++ == 0)
                openapi_array(d->e, S("required"));
            openapi_text(d->e, STR_NONE, f->name);
        }
    }
    return n;
}

static void write_object(struct openapi_doc *d, const struct schema_type *t)
{
    if (t->nfields) {
        openapi_object(d->e, S("properties"));
        write_properties(d, t);
        openapi_end(d->e);
    }
    if (write_required(d, t, 0))
        openapi_end(d->e);
    if (t->atomic)
        openapi_text(d->e, S("x-kubernetes-map-type"), S("atomic"));
}

static void write_body(struct openapi_doc *d, const struct schema_type *t)
{
    if (t->kind == SCHEMA_OBJECT && t->preserve_unknown) {
        openapi_bool(d->e, S("x-kubernetes-preserve-unknown-fields"), true);
        if (d->v2) /* clients that check against it would refuse what is not listed */
            return;
    }
    write_type(d, t);
    write_enums(d, t->rules);
    if (t->kind == SCHEMA_OBJECT) {
        write_object(d, t);
    } else if (t->kind == SCHEMA_LIST) {
        write_value(d, S("items"), t->elem, NULL);
        write_list_type(d, t);
    } else if (t->kind == SCHEMA_MAP) {
        write_value(d, S("additionalProperties"), t->elem, NULL);
        if (t->atomic)
            openapi_text(d->e, S("x-kubernetes-map-type"), S("atomic"));
    }
}

void openapi_schema_write(struct openapi_doc *d, const struct openapi_def *def)
{
    write_doc(d, def->type->doc);
    write_body(d, def->type);
}
