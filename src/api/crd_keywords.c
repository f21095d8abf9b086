/* crd_keywords.c - what a CRD's schema may say: keywords that are refused, list and map kinds, where defaults may stand
 * and what they may be. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd_internal.h"

/* What is known from further up. */
struct place {
    bool is_root;
    bool inside_meta;        /* below apiVersion, kind or metadata of a resource */
    const char *no_defaults; /* why a default is refused, NULL: it is not */
};

static str type_of(const struct json *s)
{
    return json_get_str(s, S("type"));
}

static bool is_meta_name(str name)
{
    return str_is(name, "metadata") || str_is(name, "kind") || str_is(name, "apiVersion");
}

/* --- keywords ----------------------------------------------------------------------------------------------------- */

static void check_refused(struct vctx *c, const struct vpath *p, const struct json *s, const struct place *at)
{
    static const char *const refused[] = {"id", "additionalItems", "patternProperties", "definitions", "dependencies", "$ref"};
    str type = type_of(s);
    if (type.len && !v_in(type, "array|boolean|integer|number|object|string"))
        v_unsupported(c, V_FIELD(p, "type"), type, "array|boolean|integer|number|object|string");
    if (V_GET(s, "default") && at->no_defaults)
        v_forbidden(c, V_FIELD(p, "default"), "must not be set %s", at->no_defaults);
    for (size_t i = 0; i < ARRAY_LEN(refused); i++)
        if (v_get(s, str_of(refused[i])))
            v_forbidden(c, V_MEMBER(p, str_of(refused[i])), "%s is not supported", refused[i]);
    if (str_is(type, "null"))
        v_forbidden(c, V_FIELD(p, "type"), "type cannot be set to null, use nullable as an alternative");
    if (json_is(V_GET(s, "items"), JSON_ARRAY))
        v_forbidden(c, V_FIELD(p, "items"), "items must be a schema object and not an array");
    if (at->inside_meta && V_BOOL(s, "x-kubernetes-embedded-resource"))
        v_forbidden(c, V_FIELD(p, "x-kubernetes-embedded-resource"), "must not be used inside of resource meta");
    if (V_BOOL(s, "uniqueItems"))
        v_forbidden(c, V_FIELD(p, "uniqueItems"),
                    "uniqueItems cannot be set to true since the runtime complexity becomes quadratic");
    const struct json *preserve = V_GET(s, "x-kubernetes-preserve-unknown-fields");
    if (json_is(preserve, JSON_BOOL) && !preserve->b)
        v_invalid(c, V_FIELD(p, "x-kubernetes-preserve-unknown-fields"), preserve, "must be true or undefined");
}

/* The extension says what the schema is; its type has to agree. */
static void check_type_is(struct vctx *c, const struct vpath *p, const struct json *s, const char *want, const char *extension)
{
    str type = type_of(s);
    if (!type.len)
        v_required(c, V_FIELD(p, "type"), "must be %s if %s is specified", want, extension);
    else if (!str_is(type, want))
        v_invalid_str(c, V_FIELD(p, "type"), type, "must be %s if %s is specified", want, extension);
}

static void check_set_items(struct vctx *c, const struct vpath *p, const struct json *items)
{
    static const char *const sentence = "must be atomic as item of a list with x-kubernetes-list-type=set";
    const struct json *list_type = V_GET(items, "x-kubernetes-list-type"), *map_type = V_GET(items, "x-kubernetes-map-type");
    static const struct json none = {.type = JSON_NULL};
    if (str_is(type_of(items), "array") && list_type && !str_is(json_str(list_type), "atomic"))
        v_invalid(c, V_FIELD(V_FIELD(p, "items"), "x-kubernetes-list-type"), list_type, "%s", sentence);
    if (str_is(type_of(items), "object") && !(map_type && str_is(json_str(map_type), "atomic")))
        v_invalid(c, V_FIELD(V_FIELD(p, "items"), "x-kubernetes-map-type"), list_type ? list_type : &none, "%s", sentence);
}

static void check_map_key(struct vctx *c, const struct vpath *p, const struct json *s, const struct json *keys, str key)
{
    const struct json *items = V_GET(s, "items"), *prop = json_get(json_get(items, S("properties")), key);
    const struct vpath *at = V_KEY(V_FIELD(V_FIELD(p, "items"), "properties"), key);
    if (!prop) {
        v_invalid(c, V_FIELD(p, "x-kubernetes-list-map-keys"), keys, "entries must all be names of item properties");
    } else {
        if (str_is(type_of(prop), "array") || str_is(type_of(prop), "object"))
            v_invalid_str(c, V_FIELD(at, "type"), type_of(prop),
                          "must be a scalar type if parent array's x-kubernetes-list-type is map");
        if (!v_str_list_has(V_GET(items, "required"), key) && !V_GET(prop, "default"))
            v_required(c, V_FIELD(at, "default"),
                       "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
        if (V_BOOL(prop, "nullable"))
            v_forbidden(c, V_FIELD(at, "nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable");
    }
}

static void check_map_keys(struct vctx *c, const struct vpath *p, const struct json *s, const struct json *keys)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (key, i, keys) {
        if (c->e->len == FIELD_ERRORS_MAX)
            return;
        check_map_key(c, p, s, keys, json_str(key));
        if (!v_set_add(&seen, json_str(key)))
            v_invalid(c, V_FIELD(p, "x-kubernetes-list-map-keys"), keys, "must not contain duplicate entries");
    }
}

static void check_list_map(struct vctx *c, const struct vpath *p, const struct json *s)
{
    const struct json *keys = crd_list(s, "x-kubernetes-list-map-keys"), *items = V_GET(s, "items");
    if (!keys)
        v_required(c, V_FIELD(p, "x-kubernetes-list-map-keys"), "must not be empty if x-kubernetes-list-type is map");
    if (!items)
        v_required(c, V_FIELD(p, "items"), "must have a schema if x-kubernetes-list-type is map");
    else if (json_is(items, JSON_ARRAY))
        v_invalid(c, V_FIELD(p, "items"), items, "must only have a single schema if x-kubernetes-list-type is map");
    else if (!str_is(type_of(items), "object"))
        v_invalid_str(c, V_FIELD(V_FIELD(p, "items"), "type"), type_of(items),
                      "must be object if parent array's x-kubernetes-list-type is map");
    else if (keys)
        check_map_keys(c, p, s, keys);
}

static void check_kinds(struct vctx *c, const struct vpath *p, const struct json *s)
{
    const struct json *map_type = V_GET(s, "x-kubernetes-map-type"), *list_type = V_GET(s, "x-kubernetes-list-type");
    const struct json *items = V_GET(s, "items");
    str list = json_str(list_type);
    if (map_type)
        check_type_is(c, p, s, "object", "x-kubernetes-map-type");
    if (map_type && !v_in(json_str(map_type), "atomic|granular"))
        v_unsupported(c, V_FIELD(p, "x-kubernetes-map-type"), json_str(map_type), "atomic|granular");
    if (crd_list(s, "x-kubernetes-list-map-keys") && !str_is(list, "map")) {
        if (list_type)
            v_invalid_str(c, V_FIELD(p, "x-kubernetes-list-type"), list,
                          "must be map if x-kubernetes-list-map-keys is non-empty");
        else
            v_required(c, V_FIELD(p, "x-kubernetes-list-type"), "must be map if x-kubernetes-list-map-keys is non-empty");
    }
    if (!list_type)
        return;
    check_type_is(c, p, s, "array", "x-kubernetes-list-type");
    if (!v_in(list, "atomic|set|map"))
        v_unsupported(c, V_FIELD(p, "x-kubernetes-list-type"), list, "atomic|set|map");
    if (!v_in(list, "set|map"))
        return;
    if (str_is(list, "set") && str_is(type_of(s), "array") && items)
        check_set_items(c, p, items);
    if (str_is(list, "map"))
        check_list_map(c, p, s);
    if (V_BOOL(items, "nullable"))
        v_forbidden(c, V_FIELD(V_FIELD(p, "items"), "nullable"), "cannot be nullable when x-kubernetes-list-type is " STR_FMT,
                    STR_ARG(list));
}

/* Rules are kept and published; here only their form is looked at. */
static void check_rules(struct vctx *c, const struct vpath *p, const struct json *s)
{
    static const char *const reasons = "FieldValueDuplicate|FieldValueForbidden|FieldValueInvalid|FieldValueRequired";
    const struct json *rules = crd_list(s, "x-kubernetes-validations");
    v_foreach (rule, i, rules) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "x-kubernetes-validations"), i);
        str text = str_trim(V_STR(rule, "rule")), message = V_STR(rule, "message"), trimmed = str_trim(message);
        if (!text.len)
            v_required(c, V_FIELD(at, "rule"), "rule is not specified");
        else if (message.len && !trimmed.len)
            v_invalid_str(c, V_FIELD(at, "message"), message, "message must be non-empty if specified");
        else if (str_find_char(trimmed, '\n') >= 0)
            v_invalid_str(c, V_FIELD(at, "message"), message, "message must not contain line breaks");
        else if (str_find_char(text, '\n') >= 0 && !trimmed.len)
            v_required(c, V_FIELD(at, "message"), "message must be specified if rule contains line breaks");
        str reason = V_STR(rule, "reason");
        if (reason.len && !v_in(reason, reasons))
            v_unsupported(c, V_FIELD(at, "reason"), reason, reasons);
    }
}

/* --- the walk ----------------------------------------------------------------------------------------------------- */

static void check_schema(struct vctx *c, const struct vpath *p, const struct json *s, struct place at);

static void check_properties(struct vctx *c, const struct vpath *p, const struct json *s, struct place at)
{
    bool is_resource = at.is_root || V_BOOL(s, "x-kubernetes-embedded-resource");
    v_foreach_member (m, V_GET(s, "properties")) {
        struct place below = {.inside_meta = at.inside_meta, .no_defaults = at.no_defaults};
        if (is_resource && is_meta_name(m->key)) {
            below.inside_meta = true;
            if (at.is_root)
                below.no_defaults = str_is(m->key, "metadata") ? "in top-level metadata"
                                    : str_is(m->key, "kind")   ? "in top-level kind"
                                                               : "in top-level apiVersion";
        }
        check_schema(c, V_KEY(V_FIELD(p, "properties"), m->key), &m->value, below);
    }
}

static void check_additional(struct vctx *c, const struct vpath *p, const struct json *s, struct place at)
{
    const struct json *more = V_GET(s, "additionalProperties");
    if (!more)
        return;
    bool is_open = json_is(more, JSON_BOOL) && more->b;
    if (v_len(V_GET(s, "properties")) && !is_open)
        v_forbidden(c, V_FIELD(p, "additionalProperties"), "additionalProperties and properties are mutual exclusive");
    if (at.inside_meta)
        at.no_defaults = "inside additionalProperties applying to object metadata";
    if (json_is(more, JSON_OBJECT))
        check_schema(c, V_FIELD(p, "additionalProperties"), more, at);
}

static void check_lists(struct vctx *c, const struct vpath *p, const struct json *s, struct place at)
{
    static const char *const lists[] = {"allOf", "oneOf", "anyOf", "items"};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *list = crd_list(s, lists[k]);
        v_foreach (one, i, list)
            check_schema(c, V_INDEX(V_MEMBER(p, str_of(lists[k])), i), one, at);
    }
}

static void check_schema(struct vctx *c, const struct vpath *p, const struct json *s, struct place at)
{
    static const char *const single[] = {"not", "items"};
    if (c->e->len == FIELD_ERRORS_MAX || s->type != JSON_OBJECT)
        return;
    struct place below = {.inside_meta = at.inside_meta, .no_defaults = at.no_defaults};
    check_refused(c, p, s, &at);
    check_additional(c, p, s, below);
    check_properties(c, p, s, at);
    for (size_t i = 0; i < ARRAY_LEN(single); i++) {
        const struct json *sub = v_get(s, str_of(single[i]));
        if (json_is(sub, JSON_OBJECT))
            check_schema(c, V_MEMBER(p, str_of(single[i])), sub, below);
    }
    check_lists(c, p, s, below);
    check_kinds(c, p, s);
    check_rules(c, p, s);
}

void crd_keywords_validate(struct vctx *c, const struct vpath *p, const struct json *schema)
{
    check_schema(c, p, schema, (struct place){.is_root = true});
}

/* --- defaults ----------------------------------------------------------------------------------------------------- */

/* Pruning would take something out of the value. */
static bool has_unknown(const struct json *s, const struct json *v)
{
    if (json_is(v, JSON_ARRAY)) {
        const struct json *items = V_GET(s, "items");
        v_foreach (item, i, v)
            if (items && has_unknown(items, item))
                return true;
        return false;
    }
    bool open = V_BOOL(s, "x-kubernetes-preserve-unknown-fields"), embedded = V_BOOL(s, "x-kubernetes-embedded-resource");
    const struct json *props = V_GET(s, "properties"), *more = V_GET(s, "additionalProperties");
    v_foreach_member (m, v) {
        const struct json *sub = v_get(props, m->key);
        sub = sub ? sub : more;
        if (embedded && is_meta_name(m->key))
            continue;
        if (sub ? has_unknown(sub, &m->value) : !open)
            return true;
    }
    return false;
}

/* The default as the one member of an object, whose name is the default's path: so errors say where it stands. */
static void check_default_value(struct vctx *c, const struct vpath *p, const struct json *s, const struct json *dflt)
{
    str path = crd_path_text(c, p);
    struct schema_field field = {.name = path, .flags = SCHEMA_POINTER};
    struct err err = ERR_NONE;
    if (!path.len || crd_value_type_build(c->e->arena, s, &field.type, &err) < 0)
        return; /* no room for more errors, or reported with the schema itself */
    struct schema_type holder = {.kind = SCHEMA_OBJECT, .fields = &field, .nfields = 1};
    struct api_resource res = {.type = &holder, .flags = API_CUSTOM};
    struct json obj = json_object();
    json_set(c->e->arena, &obj, path, *dflt);
    struct vctx inner = {.res = &res, .obj = &obj, .e = c->e};
    v_custom(&inner);
}

static void check_default(struct vctx *c, const struct vpath *p, const struct json *s, const struct json *dflt)
{
    if (has_unknown(s, dflt))
        v_invalid(c, p, dflt, "must not have unknown fields");
    check_default_value(c, p, s, dflt);
}

void crd_defaults_validate(struct vctx *c, const struct vpath *p, const struct json *schema)
{
    const struct json *dflt = V_GET(schema, "default"), *items = V_GET(schema, "items");
    if (dflt)
        check_default(c, V_FIELD(p, "default"), schema, dflt);
    if (items)
        crd_defaults_validate(c, V_FIELD(p, "items"), items);
    v_foreach_member (m, V_GET(schema, "properties"))
        crd_defaults_validate(c, V_KEY(V_FIELD(p, "properties"), m->key), &m->value);
}
