/* crd_schema.c - an OpenAPI v3 schema of a CRD into the tables that built-in kinds have.
 *
 *     type: object, properties      OBJECT with fields
 *     additionalProperties          MAP
 *     x-kubernetes-int-or-string    INT_OR_STRING
 *     no type                       what its keywords speak about, is_union_typeless
 * A schema without type may speak about objects and lists at once (a branch of anyOf): the list part is then one of all_of.
 * Value rules go to the type; defaults to the field and to the type, because elements have no field. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/crd.h"
#include "api/crd_internal.h"

#define INDEX_FROM 8 /* shorter lists are scanned */

struct build {
    struct arena *a;
    struct err *err;
};

static int build_type(struct build *b, const struct json *s, struct schema_type *t);

static int build_new(struct build *b, const struct json *s, const struct schema_type **ret)
{
    struct schema_type *t = arena_new(b->a, struct schema_type);
    int r = build_type(b, s, t);
    if (r == 0)
        *ret = t;
    return r;
}

/* --- value rules -------------------------------------------------------------------------------------------------- */

static bool double_of(const struct json *s, str key, double *ret)
{
    const struct json *v = json_get(s, key);
    return v && json_to_double(v, ret);
}

static bool count_of(const struct json *s, str key, int64_t *ret)
{
    const struct json *v = json_get(s, key);
    return v && json_to_i64(v, ret);
}

static int too_many(struct build *b, const char *what)
{
    return err_set(b->err, E_INVALID, "the schema has too many %s in one place", what);
}

static int build_enums(struct build *b, const struct json *s, struct schema_rules *r)
{
    const struct json *list = crd_list(s, "enum");
    if (!list)
        return 0;
    if (list->len > UINT16_MAX)
        return too_many(b, "enum values");
    str *texts = arena_array(b->a, list->len, str);
    for (uint32_t i = 0; i < list->len; i++) {
        const struct json *v = &list->items[i];
        texts[i] = v->type == JSON_STRING ? arena_str(b->a, json_str(v)) : json_text(b->a, v);
    }
    r->enums = texts;
    r->nenums = (uint16_t)list->len;
    return 0;
}

static int build_branches(struct build *b, const struct json *s, const char *key, const struct schema_type *const **ret,
                          uint16_t *ret_n)
{
    const struct json *list = crd_list(s, key);
    if (!list)
        return 0;
    if (list->len > UINT16_MAX)
        return too_many(b, key);
    const struct schema_type **types = arena_array(b->a, list->len, const struct schema_type *);
    for (uint32_t i = 0; i < list->len; i++) {
        int r = build_new(b, &list->items[i], &types[i]);
        if (r < 0)
            return r;
    }
    *ret = types;
    *ret_n = (uint16_t)list->len;
    return 0;
}

static void build_bounds(struct build *b, const struct json *s, struct schema_rules *r)
{
    r->has_min = double_of(s, S("minimum"), &r->min);
    r->has_max = double_of(s, S("maximum"), &r->max);
    r->exclusive_min = json_get_bool(s, S("exclusiveMinimum"), false);
    r->exclusive_max = json_get_bool(s, S("exclusiveMaximum"), false);
    r->has_multiple_of = double_of(s, S("multipleOf"), &r->multiple_of);
    r->has_min_len = count_of(s, S("minLength"), &r->min_len);
    r->has_max_len = count_of(s, S("maxLength"), &r->max_len);
    r->has_min_items = count_of(s, S("minItems"), &r->min_items);
    r->has_max_items = count_of(s, S("maxItems"), &r->max_items);
    r->has_min_props = count_of(s, S("minProperties"), &r->min_props);
    r->has_max_props = count_of(s, S("maxProperties"), &r->max_props);
    r->unique_items = json_get_bool(s, S("uniqueItems"), false);
    r->pattern = arena_str(b->a, json_get_str(s, S("pattern")));
    r->format = arena_str(b->a, json_get_str(s, S("format")));
}

static bool has_rules(const struct schema_rules *r)
{
    return r->has_min || r->has_max || r->has_multiple_of || r->has_min_len || r->has_max_len || r->has_min_items ||
           r->has_max_items || r->has_min_props || r->has_max_props || r->unique_items || r->pattern.len || r->format.len ||
           r->nenums || r->nall_of || r->nany_of || r->none_of || r->not_;
}

static int build_rules(struct build *b, const struct json *s, struct schema_type *t)
{
    struct schema_rules rules = {0};
    build_bounds(b, s, &rules);
    const struct json *barred = json_get(s, S("not"));
    int r = build_enums(b, s, &rules);
    if (r == 0)
        r = build_branches(b, s, "allOf", &rules.all_of, &rules.nall_of);
    if (r == 0)
        r = build_branches(b, s, "anyOf", &rules.any_of, &rules.nany_of);
    if (r == 0)
        r = build_branches(b, s, "oneOf", &rules.one_of, &rules.none_of);
    if (r == 0 && json_is(barred, JSON_OBJECT))
        r = build_new(b, barred, &rules.not_);
    if (r < 0 || !has_rules(&rules))
        return r;
    struct schema_rules *kept = arena_new(b->a, struct schema_rules);
    *kept = rules;
    t->rules = kept;
    return 0;
}

/* One more schema that every value has to fit, behind those of allOf. */
static void add_all_of(struct build *b, struct schema_type *t, const struct schema_type *more)
{
    struct schema_rules *rules = arena_new(b->a, struct schema_rules);
    if (t->rules)
        *rules = *t->rules;
    const struct schema_type **types = arena_array(b->a, rules->nall_of + 1u, const struct schema_type *);
    if (rules->nall_of)
        memcpy(types, rules->all_of, rules->nall_of * sizeof *types);
    types[rules->nall_of++] = more;
    rules->all_of = types;
    t->rules = rules;
}

/* --- fields ------------------------------------------------------------------------------------------------------- */

static void build_index(struct build *b, struct schema_type *t)
{
    if (t->nfields < INDEX_FROM)
        return;
    uint32_t size = 16;
    while (size < t->nfields * 2u)
        size *= 2;
    bool small = t->nfields < UINT8_MAX;
    uint8_t *slots8 = small ? arena_array(b->a, size, uint8_t) : NULL;
    uint16_t *slots16 = small ? NULL : arena_array(b->a, size, uint16_t);
    for (uint16_t i = 0; i < t->nfields; i++) {
        uint32_t at = schema_name_hash(t->fields[i].name) & (size - 1);
        while (small ? slots8[at] : slots16[at])
            at = (at + 1) & (size - 1);
        if (small)
            slots8[at] = (uint8_t)(i + 1);
        else
            slots16[at] = (uint16_t)(i + 1);
    }
    t->index_mask = (uint16_t)(size - 1);
    t->index8 = slots8;
    t->index16 = slots16;
}

static int build_field(struct build *b, str name, const struct json *s, struct schema_field *f)
{
    f->name = arena_str(b->a, name);
    f->flags = SCHEMA_POINTER; /* an explicit zero is a value */
    int r = build_new(b, s, &f->type);
    if (r < 0)
        return r;
    f->dflt = f->type->dflt;
    if (f->type->nullable)
        f->flags |= SCHEMA_NULLABLE;
    return 0;
}

static bool is_meta_name(str name)
{
    return str_is(name, "metadata") || str_is(name, "kind") || str_is(name, "apiVersion");
}

static void add_meta_fields(struct schema_field *fields, uint16_t *io_n, uint8_t flags)
{
    fields[(*io_n)++] = (struct schema_field){.name = S("apiVersion"), .type = &schema_string, .flags = SCHEMA_POINTER | flags};
    fields[(*io_n)++] = (struct schema_field){.name = S("kind"), .type = &schema_string, .flags = SCHEMA_POINTER | flags};
    fields[(*io_n)++] = (struct schema_field){.name = S("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_POINTER};
}

/* Names that are required but have no property: any value will do. */
static void mark_required(struct build *b, const struct json *required, struct schema_type *t, struct schema_field *fields)
{
    uint16_t known = t->nfields;
    for (uint32_t i = 0; i < required->len; i++) {
        str name = json_str(&required->items[i]);
        const struct schema_field *f = schema_field_find(t, name);
        if (f)
            fields[f - t->fields].flags |= SCHEMA_REQUIRED;
        else
            fields[known++] = (struct schema_field){
                .name = arena_str(b->a, name), .type = &crd_open_any, .flags = SCHEMA_POINTER | SCHEMA_REQUIRED};
    }
    if (known == t->nfields)
        return;
    t->nfields = known;
    build_index(b, t);
}

/* What a schema says about apiVersion, kind and metadata can only narrow what they are anyway. */
static int restrict_meta(struct build *b, const struct json *props, struct schema_type *t)
{
    struct json only = json_object(), s = json_object();
    for (uint32_t i = 0; i < props->len; i++)
        if (is_meta_name(props->members[i].key))
            json_set(b->a, &only, props->members[i].key, props->members[i].value);
    if (!only.len)
        return 0;
    json_set(b->a, &s, S("properties"), only);
    const struct schema_type *more;
    int r = build_new(b, &s, &more);
    if (r == 0)
        add_all_of(b, t, more);
    return r;
}

static int build_fields(struct build *b, const struct json *s, bool is_resource, struct schema_type *t)
{
    static const struct json nothing = {.type = JSON_OBJECT}, no_names = {.type = JSON_ARRAY};
    const struct json *props = json_get(s, S("properties")), *required = crd_list(s, "required");
    props = json_is(props, JSON_OBJECT) ? props : &nothing;
    required = required ? required : &no_names;
    if (props->len + required->len + 3u > CRD_PROPERTIES_MAX)
        return too_many(b, "properties");
    struct schema_field *fields = arena_array(b->a, props->len + required->len + 3u, struct schema_field);
    uint16_t n = 0;
    if (is_resource)
        add_meta_fields(fields, &n, t->embedded ? SCHEMA_REQUIRED : 0);
    for (uint32_t i = 0; i < props->len; i++) {
        if (is_resource && is_meta_name(props->members[i].key))
            continue;
        int r = build_field(b, props->members[i].key, &props->members[i].value, &fields[n++]);
        if (r < 0)
            return r;
    }
    t->fields = fields;
    t->nfields = n;
    build_index(b, t);
    mark_required(b, required, t, fields);
    return is_resource ? restrict_meta(b, props, t) : 0;
}

/* --- types -------------------------------------------------------------------------------------------------------- */

const struct schema_type crd_open_any = {
    .kind = SCHEMA_ANY, .preserve_unknown = true, .nullable = true, .is_union_typeless = true};

static int build_map(struct build *b, const struct json *s, const struct json *elem, struct schema_type *t)
{
    const struct json *required = crd_list(s, "required");
    t->kind = SCHEMA_MAP;
    t->elem = &crd_open_any;
    if (required) {
        struct schema_type *part = arena_new(b->a, struct schema_type);
        *part = (struct schema_type){.kind = SCHEMA_OBJECT, .preserve_unknown = true, .is_union_typeless = true};
        struct json names_only = json_object();
        json_set(b->a, &names_only, S("required"), *required);
        int r = build_fields(b, &names_only, false, part);
        if (r < 0)
            return r;
        add_all_of(b, t, part);
    }
    return json_is(elem, JSON_OBJECT) ? build_new(b, elem, &t->elem) : 0;
}

static int build_object(struct build *b, const struct json *s, bool is_resource, struct schema_type *t)
{
    const struct json *more = json_get(s, S("additionalProperties")), *props = json_get(s, S("properties"));
    bool has_props = json_is(props, JSON_OBJECT) && props->len;
    bool is_open = json_is(more, JSON_OBJECT) || (json_is(more, JSON_BOOL) && more->b);
    t->atomic = str_is(json_get_str(s, S("x-kubernetes-map-type")), "atomic");
    if (is_open && !has_props && !is_resource)
        return build_map(b, s, more, t);
    t->kind = SCHEMA_OBJECT;
    t->preserve_unknown |= is_open;
    return build_fields(b, s, is_resource, t);
}

static int build_list(struct build *b, const struct json *s, struct schema_type *t)
{
    const struct json *items = json_get(s, S("items")), *keys = crd_list(s, "x-kubernetes-list-map-keys");
    str list_type = json_get_str(s, S("x-kubernetes-list-type"));
    t->kind = SCHEMA_LIST;
    t->list_type = str_is(list_type, "set") ? SCHEMA_LIST_SET : str_is(list_type, "map") ? SCHEMA_LIST_MAP : SCHEMA_LIST_ATOMIC;
    if (t->list_type == SCHEMA_LIST_MAP && keys) {
        if (keys->len > UINT16_MAX)
            return too_many(b, "list keys");
        str *names = arena_array(b->a, keys->len, str);
        for (uint32_t i = 0; i < keys->len; i++)
            names[i] = arena_str(b->a, json_str(&keys->items[i]));
        t->keys = names;
        t->nkeys = (uint16_t)keys->len;
    }
    t->elem = &crd_open_any;
    return json_is(items, JSON_OBJECT) ? build_new(b, items, &t->elem) : 0;
}

/* The keywords decide what a schema without type is about. */
static int build_typeless(struct build *b, const struct json *s, struct schema_type *t)
{
    bool object = json_get(s, S("properties")) || crd_list(s, "required") || json_get(s, S("additionalProperties"));
    bool list = json_get(s, S("items"));
    t->is_union_typeless = true;
    t->kind = SCHEMA_ANY;
    if (!object || !list)
        return object ? build_object(b, s, false, t) : list ? build_list(b, s, t) : 0;
    struct schema_type *part = arena_new(b->a, struct schema_type);
    *part = (struct schema_type){.preserve_unknown = true, .is_union_typeless = true};
    int r = build_list(b, s, part);
    if (r < 0)
        return r;
    add_all_of(b, t, part);
    return build_object(b, s, false, t);
}

static int build_shape(struct build *b, const struct json *s, bool is_root, struct schema_type *t)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } scalars[] = {{"string", SCHEMA_STRING}, {"integer", SCHEMA_INT64}, {"number", SCHEMA_DOUBLE}, {"boolean", SCHEMA_BOOL}};
    str type = json_get_str(s, S("type"));
    if (json_get_bool(s, S("x-kubernetes-int-or-string"), false)) {
        t->kind = SCHEMA_INT_OR_STRING;
        t->is_union_typeless = true;
        return 0;
    }
    if (str_is(type, "object") || t->embedded || is_root)
        return build_object(b, s, is_root || t->embedded, t);
    if (str_is(type, "array"))
        return build_list(b, s, t);
    if (!type.len)
        return build_typeless(b, s, t);
    for (size_t i = 0; i < ARRAY_LEN(scalars); i++)
        if (str_is(type, scalars[i].name)) {
            t->kind = scalars[i].kind;
            if (t->kind == SCHEMA_INT64 && str_is(json_get_str(s, S("format")), "int32"))
                t->kind = SCHEMA_INT32;
            return 0;
        }
    return err_set(b->err, E_INVALID, "a schema cannot have type \"" STR_FMT "\"", STR_ARG(type));
}

static int build_any(struct build *b, const struct json *s, bool is_root, struct schema_type *t)
{
    if (s->type != JSON_OBJECT)
        return err_set(b->err, E_INVALID, "a schema must be an object");
    t->embedded = json_get_bool(s, S("x-kubernetes-embedded-resource"), false);
    t->preserve_unknown = json_get_bool(s, S("x-kubernetes-preserve-unknown-fields"), false);
    t->nullable = json_get_bool(s, S("nullable"), false);
    const struct json *dflt = json_get(s, S("default"));
    if (dflt)
        t->dflt = json_text(b->a, dflt);
    int r = build_rules(b, s, t);
    return r < 0 ? r : build_shape(b, s, is_root, t);
}

static int build_type(struct build *b, const struct json *s, struct schema_type *t)
{
    return build_any(b, s, false, t);
}

int crd_value_type_build(struct arena *a, const struct json *schema, const struct schema_type **ret, struct err *err)
{
    return build_new(&(struct build){.a = a, .err = err}, schema, ret);
}

int crd_schema_build(struct arena *a, const struct json *schema, struct schema_type **ret, struct err *err)
{
    struct build b = {.a = a, .err = err};
    struct schema_type *t = arena_new(a, struct schema_type);
    int r = build_any(&b, schema, true, t);
    if (r < 0)
        return r;
    t->raw = json_text(a, schema);
    *ret = t;
    return 0;
}
