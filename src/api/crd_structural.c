/* crd_structural.c - is the schema of a CRD structural, and does it use only the keywords that are served.
 *
 * A structural schema says the type of everything outside of allOf, anyOf, oneOf and not; below those only value rules are
 * allowed, and only about what is specified outside.  So types, defaults, pruning and list kinds can be read off without
 * evaluating anything.
 *     nested: inside one of the four      structural: everything else */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd_internal.h"
#include "api/validate_regex.h"

enum level { LEVEL_ROOT, LEVEL_ITEM, LEVEL_FIELD };

static const char *const junctors[] = {"allOf", "anyOf", "oneOf"};

static bool flag(const struct json *s, const char *key)
{
    return json_get_bool(s, str_of(key), false);
}

static str type_of(const struct json *s)
{
    return json_get_str(s, S("type"));
}

static const struct json *property(const struct json *s, str name)
{
    return json_get(json_get(s, S("properties")), name);
}

/* --- schemas that cannot even be looked at ------------------------------------------------------------------------ */

static const char *const unsupported[] = {"id",           "$schema",         "$ref",       "patternProperties",
                                          "dependencies", "additionalItems", "definitions"};

static bool is_readable(const struct json *s);

/* No object below has too many properties to be looked at.  Walks every value, schema or not: more than enough. */
static bool is_bounded(const struct json *s)
{
    bool ok = true;
    v_foreach_member (m, s)
        ok = ok && is_bounded(&m->value) && !(str_is(m->key, "properties") && v_len(&m->value) > CRD_PROPERTIES_MAX);
    if (s->type == JSON_ARRAY)
        v_foreach (item, i, s)
            ok = ok && is_bounded(item);
    return ok;
}

static bool are_readable(const struct json *list)
{
    v_foreach (s, i, list)
        if (!is_readable(s))
            return false;
    return true;
}

static bool is_readable(const struct json *s)
{
    for (size_t i = 0; i < ARRAY_LEN(unsupported); i++)
        if (v_get(s, str_of(unsupported[i])))
            return false;
    const struct json *items = V_GET(s, "items"), *more = V_GET(s, "additionalProperties"), *barred = V_GET(s, "not");
    if (json_is(items, JSON_ARRAY) || (items && !is_readable(items)) || (more && !is_readable(more)) ||
        (barred && !is_readable(barred)))
        return false;
    v_foreach_member (m, V_GET(s, "properties"))
        if (!is_readable(&m->value))
            return false;
    for (size_t i = 0; i < ARRAY_LEN(junctors); i++) {
        const struct json *list = crd_list(s, junctors[i]);
        if (list && !are_readable(list))
            return false;
    }
    return true;
}

/* --- nested value rules ------------------------------------------------------------------------------------------- */

static const struct {
    const char *key, *sentence;
} not_nested[] = {
    {"type", "must be empty to be structural"},
    {"additionalProperties", "must be undefined to be structural"},
    {"default", "must be undefined to be structural"},
    {"title", "must be empty to be structural"},
    {"description", "must be empty to be structural"},
    {"nullable", "must be false to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "must be false to be structural"},
    {"x-kubernetes-embedded-resource", "must be false to be structural"},
    {"x-kubernetes-int-or-string", "must be false to be structural"},
    {"x-kubernetes-list-map-keys", "must be empty to be structural"},
    {"x-kubernetes-list-type", "must be undefined to be structural"},
    {"x-kubernetes-map-type", "must be undefined to be structural"},
    {"x-kubernetes-validations", "must be empty to be structural"},
};

static bool is_set(const struct json *s, const char *key)
{
    const struct json *v = v_get(s, str_of(key));
    if (!v)
        return false;
    if (strcmp(key, "default") == 0)
        return true;
    switch (v->type) {
    case JSON_BOOL:
        return v->b;
    case JSON_STRING:
    case JSON_ARRAY:
        return v->len;
    default:
        return true;
    }
}

static void check_nested(struct vctx *c, const struct vpath *p, const struct json *s, bool skip_any_of);

static void check_pattern(struct vctx *c, const struct vpath *p, const struct json *s)
{
    str pattern = V_STR(s, "pattern");
    struct regex *re;
    struct err err = ERR_NONE;
    if (pattern.len && regex_compile(c->e->arena, pattern, &re, &err) < 0)
        v_invalid_str(c, V_FIELD(p, "pattern"), pattern, "must be a valid regular expression, but isn't: %s", err.msg);
}

/* anyOf: [type: integer, type: string], which int-or-string fields may spell out. */
static bool is_int_or_string(const struct json *any_of)
{
    return json_is(any_of, JSON_ARRAY) && any_of->len == 2 && any_of->items[0].type == JSON_OBJECT &&
           any_of->items[1].type == JSON_OBJECT && any_of->items[0].len == 1 && any_of->items[1].len == 1 &&
           str_is(type_of(&any_of->items[0]), "integer") && str_is(type_of(&any_of->items[1]), "string");
}

static void check_junctors(struct vctx *c, const struct vpath *p, const struct json *s, bool skip_any_of)
{
    const struct json *all_of = crd_list(s, "allOf"), *barred = V_GET(s, "not");
    bool skip_first = all_of && is_int_or_string(crd_list(&all_of->items[0], "anyOf"));
    for (size_t k = 0; k < ARRAY_LEN(junctors); k++) {
        const struct json *list = crd_list(s, junctors[k]);
        if (k == 1 && skip_any_of)
            continue;
        v_foreach (one, i, list)
            check_nested(c, V_INDEX(V_MEMBER(p, str_of(junctors[k])), i), one, k == 0 && i == 0 && skip_first);
    }
    if (barred)
        check_nested(c, V_FIELD(p, "not"), barred, false);
    check_pattern(c, p, s);
}

static void check_nested(struct vctx *c, const struct vpath *p, const struct json *s, bool skip_any_of)
{
    const struct json *items = V_GET(s, "items");
    check_junctors(c, p, s, skip_any_of);
    if (items)
        check_nested(c, V_FIELD(p, "items"), items, false);
    v_foreach_member (m, V_GET(s, "properties"))
        check_nested(c, V_KEY(V_FIELD(p, "properties"), m->key), &m->value, false);
    for (size_t i = 0; i < ARRAY_LEN(not_nested); i++)
        if (is_set(s, not_nested[i].key))
            v_forbidden(c, V_MEMBER(p, str_of(not_nested[i].key)), "%s", not_nested[i].sentence);
    /* a branch about metadata could restrict it in ways that nothing else sees */
    if (property(s, S("metadata")))
        v_forbidden(c, V_KEY(V_FIELD(p, "properties"), S("metadata")), "must not be specified in a nested context");
}

/* --- structural part ---------------------------------------------------------------------------------------------- */

static void check_type(struct vctx *c, const struct vpath *p, const struct json *s, enum level level)
{
    static const char *const empty[] = {
        [LEVEL_ROOT] = "must not be empty at the root",
        [LEVEL_ITEM] = "must not be empty for specified array items",
        [LEVEL_FIELD] = "must not be empty for specified object fields",
    };
    str type = type_of(s);
    const struct vpath *at = V_FIELD(p, "type");
    if (flag(s, "x-kubernetes-embedded-resource") && !str_is(type, "object")) {
        if (type.len)
            v_invalid_str(c, at, type, "must be object if x-kubernetes-embedded-resource is true");
        else
            v_required(c, at, "must be object if x-kubernetes-embedded-resource is true");
    } else if (!type.len && !flag(s, "x-kubernetes-int-or-string") && !flag(s, "x-kubernetes-preserve-unknown-fields")) {
        v_required(c, at, "%s", empty[level]);
    }
    if (level == LEVEL_ROOT && type.len && !str_is(type, "object"))
        v_invalid_str(c, at, type, "must be object at the root");
}

static void check_extensions(struct vctx *c, const struct vpath *p, const struct json *s)
{
    static const char *const others[] = {"x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"};
    if (!flag(s, "x-kubernetes-int-or-string"))
        return;
    for (size_t i = 0; i < ARRAY_LEN(others); i++)
        if (flag(s, others[i]))
            v_invalid(c, V_MEMBER(p, str_of(others[i])), json_get(s, str_of(others[i])),
                      "must be false if x-kubernetes-int-or-string is true");
}

/* At the root only the name can be restricted, and it is all that a schema may say about metadata. */
static bool says_more_than_name(const struct json *metadata)
{
    v_foreach_member (m, metadata) {
        if (str_is(m->key, "type") || str_is(m->key, "default") || m->value.type == JSON_NULL)
            continue;
        if (!str_is(m->key, "properties"))
            return true;
        v_foreach_member (name, &m->value)
            if (!str_is(name->key, "name") && !str_is(name->key, "generateName"))
                return true;
    }
    return false;
}

static void check_meta(struct vctx *c, const struct vpath *p, const struct json *s, enum level level)
{
    static const char *const strings[] = {"kind", "apiVersion"};
    const struct vpath *props = V_FIELD(p, "properties");
    bool is_resource = level == LEVEL_ROOT || flag(s, "x-kubernetes-embedded-resource");
    for (size_t i = 0; i < ARRAY_LEN(strings) && is_resource; i++) {
        const struct json *f = property(s, str_of(strings[i]));
        if (f && !str_is(type_of(f), "string"))
            v_invalid_str(c, V_FIELD(V_KEY(props, str_of(strings[i])), "type"), type_of(f), "must be string");
    }
    const struct json *metadata = property(s, S("metadata"));
    if (!metadata)
        return;
    const struct vpath *at = V_KEY(props, S("metadata"));
    if (is_resource && !str_is(type_of(metadata), "object"))
        v_invalid_str(c, V_FIELD(at, "type"), type_of(metadata), "must be object");
    if (level == LEVEL_ROOT && says_more_than_name(metadata))
        v_forbidden(c, at, "must not specify anything other than name and generateName, but metadata is implicitly specified");
}

static void check_structural(struct vctx *c, const struct vpath *p, const struct json *s, enum level level)
{
    const struct json *items = V_GET(s, "items"), *more = V_GET(s, "additionalProperties"), *props = V_GET(s, "properties");
    const struct vpath *more_at = V_FIELD(p, "additionalProperties");
    bool embedded = flag(s, "x-kubernetes-embedded-resource");
    if (items)
        check_structural(c, V_FIELD(p, "items"), items, LEVEL_ITEM);
    else if (str_is(type_of(s), "array"))
        v_required(c, V_FIELD(p, "items"), "must be specified");
    v_foreach_member (m, props)
        check_structural(c, V_KEY(V_FIELD(p, "properties"), m->key), &m->value, LEVEL_FIELD);
    if (more && level == LEVEL_ROOT)
        v_forbidden(c, more_at, "must not be used at the root");
    if (json_is(more, JSON_OBJECT))
        check_structural(c, more_at, more, LEVEL_FIELD);
    check_extensions(c, p, s);
    check_junctors(c, p, s, is_int_or_string(crd_list(s, "anyOf")));
    check_type(c, p, s, level);
    if (embedded && more)
        v_forbidden(c, more_at, "must not be used if x-kubernetes-embedded-resource is set");
    check_meta(c, p, s, level);
    if (embedded && !flag(s, "x-kubernetes-preserve-unknown-fields") && !v_len(props))
        v_required(c, V_FIELD(p, "properties"),
                   "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields");
}

/* --- what is validated must be specified -------------------------------------------------------------------------- */

static void check_complete(struct vctx *c, const struct json *v, const struct json *s, const struct vpath *s_at,
                           const struct vpath *v_at);

static void check_complete_junctors(struct vctx *c, const struct json *v, const struct json *s, const struct vpath *s_at,
                                    const struct vpath *v_at)
{
    for (size_t k = 0; k < ARRAY_LEN(junctors); k++) {
        const struct json *list = crd_list(v, junctors[k]);
        v_foreach (one, i, list)
            check_complete(c, one, s, s_at, V_INDEX(V_MEMBER(v_at, str_of(junctors[k])), i));
    }
    if (V_GET(v, "not"))
        check_complete(c, V_GET(v, "not"), s, s_at, V_FIELD(v_at, "not"));
}

/* v: a nested schema at v_at; s: the structural one it speaks about, NULL when nothing is specified there. */
static void check_complete(struct vctx *c, const struct json *v, const struct json *s, const struct vpath *s_at,
                           const struct vpath *v_at)
{
    if (!s) {
        str where = crd_path_text(c, v_at);
        v_required(c, s_at, "because it is defined in " STR_FMT, STR_ARG(where));
        return;
    }
    check_complete_junctors(c, v, s, s_at, v_at);
    if (V_GET(v, "items"))
        check_complete(c, V_GET(v, "items"), V_GET(s, "items"), V_FIELD(s_at, "items"), V_FIELD(v_at, "items"));
    v_foreach_member (m, V_GET(v, "properties"))
        check_complete(c, &m->value, property(s, m->key), V_KEY(V_FIELD(s_at, "properties"), m->key),
                       V_KEY(V_FIELD(v_at, "properties"), m->key));
}

/* --- the whole ---------------------------------------------------------------------------------------------------- */

static void check_root_with_status(struct vctx *c, const struct vpath *p, const struct json *schema)
{
    /* in the order and with the names in which Kubernetes lists them to users */
    static const char *const allowed =
        "description|type|format|title|maximum|exclusiveMaximum|minimum|exclusiveMinimum|maxLength|minLength|pattern|"
        "maxItems|minItems|uniqueItems|multipleOf|required|items|properties|externalDocs|example|"
        "x-kubernetes-preserve-unknown-fields|x-kubernetes-validations";
    v_foreach_member (m, schema) {
        if (v_in(m->key, allowed) || m->value.type == JSON_NULL)
            continue;
        v_invalid(c, p, schema,
                  "only [Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength "
                  "Pattern MaxItems MinItems "
                  "UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields XValidations] "
                  "fields are allowed at the root "
                  "of the schema if the status subresource is enabled");
        return;
    }
}

void crd_structural_validate(struct vctx *c, const struct vpath *p, const struct json *schema, bool status)
{
    size_t before = c->e->len;
    if (!is_bounded(schema)) {
        v_forbidden(c, p, "an object can have at most %d properties", CRD_PROPERTIES_MAX);
        return;
    }
    if (status && type_of(schema).len && !str_is(type_of(schema), "object"))
        v_invalid_str(c, V_FIELD(p, "type"), type_of(schema),
                      "only \"object\" is allowed as the type at the root of the schema if the status subresource is enabled");
    if (status)
        check_root_with_status(c, p, schema);
    if (flag(schema, "nullable"))
        v_forbidden(c, V_FIELD(p, "nullable"), "nullable cannot be true at the root");
    if (is_readable(schema)) {
        check_structural(c, p, schema, LEVEL_ROOT);
        check_complete_junctors(c, schema, schema, p, p);
        if (c->e->len == before)
            crd_defaults_validate(c, p, schema);
    }
    crd_keywords_validate(c, p, schema);
}
