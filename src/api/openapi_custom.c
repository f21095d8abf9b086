/* openapi_custom.c - the schema of a custom resource as it is published: the CRD's own, with what every object has.
 *
 * Version 2 has no oneOf and friends, and kubectl reads version 2 as "anything else is an error"; so what cannot be said
 * there is left out rather than half said: nullable values lose their type, values that keep unknown fields lose type,
 * items and properties. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/openapi_internal.h"

#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static bool flag(const struct json *s, const char *key)
{
    return json_get_bool(s, str_of(key), false);
}

/* --- version 2 ---------------------------------------------------------------------------------------------------- */

static void drop(struct json *s, const char *const *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        json_del(s, str_of(keys[i]));
}

static void drop_name(struct json *list, str name)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len;)
        if (str_eq(json_str(&list->items[i]), name))
            json_remove(list, i);
        else
            i++;
}

/* A property that may be null cannot be required: its type is gone. */
static void relax_required(struct json *s)
{
    const struct json *props = json_get(s, S("properties")), *more = json_get(s, S("additionalProperties"));
    struct json *required = json_get(s, S("required"));
    for (uint32_t i = 0; json_is(props, JSON_OBJECT) && i < props->len; i++)
        if (flag(&props->members[i].value, "nullable"))
            drop_name(required, props->members[i].key);
    if (flag(more, "nullable") || (required && required->len == 0))
        json_del(s, S("required"));
}

static void simplify(struct json *s)
{
    static const char *const unsaid[] = {"allOf", "anyOf", "oneOf", "not", "externalDocs", "example"};
    static const char *const shape[] = {"items", "properties"};
    bool open = flag(s, "x-kubernetes-preserve-unknown-fields"), nullable = flag(s, "nullable");
    drop(s, unsaid, ARRAY_LEN(unsaid));
    if (open || nullable)
        drop(s, shape, ARRAY_LEN(shape));
    bool bare_list = str_is(json_get_str(s, S("type")), "array") && !json_get(s, S("items"));
    if (nullable || bare_list || (open && str_is(json_get_str(s, S("type")), "object")))
        json_del(s, S("type"));
    relax_required(s);
    json_del(s, S("nullable"));
}

/* --- resources inside resources ----------------------------------------------------------------------------------- */

static void add_string(struct openapi_doc *d, struct json *props, const char *name, str doc)
{
    struct json *p = json_set(d->arena, props, str_of(name), json_object());
    json_set(d->arena, p, S("type"), json_string(S("string")));
    json_set(d->arena, p, S("description"), json_string(doc));
}

/* The conformance tests look for "APIVersion defines" and "Standard object's metadata" in what kubectl explains. */
static void add_meta(struct openapi_doc *d, struct json *s, const char *meta)
{
    struct json *props = json_ensure_object(d->arena, s, S("properties"));
    add_string(d, props, "apiVersion", S("APIVersion defines the group and version of this object's schema."));
    add_string(d, props, "kind", S("Kind of this object."));
    struct json *p = json_set(d->arena, props, S("metadata"), json_object());
    str ref = arena_fmt(d->arena, "%s" META "%s", d->v2 ? "#/definitions/" : "#/components/schemas/", meta);
    struct json *at = p;
    if (!d->v2)
        at = json_push(d->arena, json_set(d->arena, p, S("allOf"), json_array()), json_object());
    json_set(d->arena, at, S("$ref"), json_string(ref));
    json_set(d->arena, p, S("description"),
             json_string(S("Standard object's metadata: name, labels and what else all objects have.")));
}

static void require_meta(struct openapi_doc *d, struct json *s)
{
    static const char *const names[] = {"kind", "apiVersion"};
    struct json *required = json_get(s, S("required"));
    if (!json_is(required, JSON_ARRAY))
        required = json_set(d->arena, s, S("required"), json_array());
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        drop_name(required, str_of(names[i]));
        json_push(d->arena, required, json_string(str_of(names[i])));
    }
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void say_int_or_string(struct openapi_doc *d, struct json *s)
{
    if (!json_get(s, S("anyOf")))
        json_set(d->arena, s, S("anyOf"), json_literal(d->arena, "[{\"type\":\"integer\"},{\"type\":\"string\"}]"));
}

static void prepare(struct openapi_doc *d, struct json *s)
{
    if (s->type != JSON_OBJECT)
        return;
    if (d->v2)
        simplify(s);
    else if (flag(s, "x-kubernetes-int-or-string"))
        say_int_or_string(d, s);
    struct json *props = json_get(s, S("properties"));
    for (uint32_t i = 0; json_is(props, JSON_OBJECT) && i < props->len; i++)
        prepare(d, &props->members[i].value);
    static const char *const below[] = {"items", "additionalProperties"};
    for (size_t i = 0; i < ARRAY_LEN(below); i++) {
        struct json *sub = json_get(s, str_of(below[i]));
        if (sub)
            prepare(d, sub);
    }
    if (flag(s, "x-kubernetes-embedded-resource") && !(d->v2 && flag(s, "x-kubernetes-preserve-unknown-fields"))) {
        add_meta(d, s, "ObjectMeta");
        require_meta(d, s);
    }
}

static void write_selectable(struct openapi_doc *d, const struct api_resource *r)
{
    if (!r->nfield_labels)
        return;
    openapi_array(d->e, S("x-kubernetes-selectable-fields"));
    for (size_t i = 0; i < r->nfield_labels; i++) {
        openapi_object(d->e, STR_NONE);
        openapi_text(d->e, S("fieldPath"), r->field_labels[i]);
        openapi_end(d->e);
    }
    openapi_end(d->e);
}

static void write_object(struct openapi_doc *d, const struct api_resource *r)
{
    struct json s;
    bool open = json_parse(d->arena, r->type->raw, NULL, &s, NULL) < 0 || s.type != JSON_OBJECT ||
                (d->v2 && flag(&s, "x-kubernetes-preserve-unknown-fields"));
    if (open) {
        openapi_text(d->e, S("type"), S("object"));
    } else {
        prepare(d, &s);
        add_meta(d, &s, "ObjectMeta");
        for (uint32_t i = 0; i < s.len; i++)
            openapi_value(d->e, s.members[i].key, &s.members[i].value);
    }
    write_selectable(d, r);
}

static void write_list(struct openapi_doc *d, const struct api_resource *r)
{
    struct json s = json_literal(d->arena, "{\"type\":\"object\",\"required\":[\"items\"]}");
    json_set(d->arena, &s, S("description"),
             json_string(arena_fmt(d->arena, STR_FMT " is a list of " STR_FMT, STR_ARG(r->list_kind), STR_ARG(r->kind))));
    add_meta(d, &s, "ListMeta");
    struct json *list =
        json_set(d->arena, json_get(&s, S("properties")), S("items"), json_literal(d->arena, "{\"type\":\"array\"}"));
    json_set(d->arena, list, S("description"), json_string(arena_fmt(d->arena, "The " STR_FMT ".", STR_ARG(r->plural))));
    struct json *items = json_set(d->arena, list, S("items"), json_object());
    str ref = arena_cat(d->arena, d->v2 ? S("#/definitions/") : S("#/components/schemas/"), openapi_name_of_object(d, r));
    json_set(d->arena, items, S("$ref"), json_string(ref));
    for (uint32_t i = 0; i < s.len; i++)
        openapi_value(d->e, s.members[i].key, &s.members[i].value);
}

void openapi_custom_write(struct openapi_doc *d, const struct openapi_def *def)
{
    if (def->is_list)
        write_list(d, def->custom);
    else
        write_object(d, def->custom);
}
