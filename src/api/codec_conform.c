/* A tree made to fit its schema: what a typed decoder would give.
 *
 * Built-in kinds behave like Go structs decoded by Kubernetes' JSON library: type errors do not stop the walk, so that an error
 * of a scalar's own parser (a quantity, a time) wins over them, and the first one is reported at the end; null is "absent" for a
 * field and the zero value inside lists and maps; what omitempty would not write is dropped.
 * Custom resources are pruned by their structural schema instead, and only their metadata is typed. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_internal.h"
#include "api/codec_scalar.h"

struct conform {
    struct arena *a;
    struct api_field_report *report;
    struct err *err;
    int type_error; /* the first one's -E_PARSE, else 0 */
};

/* Where the walk is.  Lives on the C stack and is written out only for a report or an error. */
struct place {
    const struct place *up;
    const struct schema_type *in; /* the struct that holds the field; NULL for list items and map keys */
    str name;                     /* .p NULL: a list item */
    uint32_t index;
    bool starts_errors; /* error texts name the path from below here (metadata of custom resources) */
};

typedef int conform_fn(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at);
static conform_fn conform_value;

/* --- what to say ----------------------------------------------------------------------------------- */

void codec_report_add(struct arena *a, struct api_field_report *report, const char *what, str path)
{
    if (!report || report->len == API_REPORT_MAX)
        return;
    str item = arena_fmt(a, "%s " STR_FMT, what, STR_ARG(codec_quote(a, path)));
    for (size_t i = 0; i < report->len; i++)
        if (str_eq(report->items[i], item))
            return;
    report->items[report->len++] = item;
}

static void add_path(struct strbuf *b, const struct place *at)
{
    if (!at)
        return;
    add_path(b, at->up);
    if (!at->name.p) {
        strbuf_addf(b, "[%u]", at->index);
        return;
    }
    if (b->len)
        strbuf_add_char(b, '.');
    strbuf_add_str(b, at->name);
}

static void report_unknown(struct conform *c, const struct place *at, str key)
{
    if (!c->report)
        return;
    struct strbuf b = strbuf_on(c->a);
    struct place here = {.up = at, .name = key};
    add_path(&b, &here);
    codec_report_add(c->a, c->report, "unknown field", strbuf_str(&b));
}

/* Go's paths in type errors: fields only, no indexes and no map keys. */
static void add_field_path(struct strbuf *b, const struct place *at)
{
    if (!at || at->starts_errors)
        return;
    add_field_path(b, at->up);
    if (!at->in)
        return;
    if (b->len)
        strbuf_add_char(b, '.');
    strbuf_add_str(b, at->name);
}

static const char *const json_type_names[] = {
    [JSON_NULL] = "null",     [JSON_BOOL] = "bool",   [JSON_NUMBER] = "number",
    [JSON_STRING] = "string", [JSON_ARRAY] = "array", [JSON_OBJECT] = "object",
};

/* "v1.PodSpec" of "io.k8s.api.core.v1.PodSpec". */
static str go_struct_name(const struct schema_type *t)
{
    ptrdiff_t dot = str_rfind_char(t->openapi, '.');
    if (dot <= 0)
        return t->name;
    return str_from(t->openapi, (size_t)(str_rfind_char(str_sub(t->openapi, 0, (size_t)dot), '.') + 1));
}

static void add_go_type(struct strbuf *b, const struct schema_type *t)
{
    static const char *const names[] = {
        [SCHEMA_ANY] = "v1.JSON",           [SCHEMA_BOOL] = "bool",
        [SCHEMA_INT32] = "int32",           [SCHEMA_INT64] = "int64",
        [SCHEMA_DOUBLE] = "float64",        [SCHEMA_STRING] = "string",
        [SCHEMA_BYTES] = "[]uint8",         [SCHEMA_TIME] = "v1.Time",
        [SCHEMA_MICROTIME] = "v1.MicroTime", [SCHEMA_DURATION] = "v1.Duration",
        [SCHEMA_QUANTITY] = "resource.Quantity", [SCHEMA_INT_OR_STRING] = "intstr.IntOrString",
        [SCHEMA_RAW_OBJECT] = "runtime.RawExtension",
    };
    if (t->kind == SCHEMA_LIST) {
        strbuf_add_str(b, S("[]"));
        add_go_type(b, t->elem);
    } else if (t->kind == SCHEMA_MAP && t->elem->kind == SCHEMA_QUANTITY) {
        strbuf_add_str(b, S("v1.ResourceList"));
    } else if (t->kind == SCHEMA_MAP) {
        strbuf_add_str(b, S("map[string]"));
        add_go_type(b, t->elem);
    } else if (t->kind == SCHEMA_OBJECT) {
        strbuf_add_str(b, go_struct_name(t));
    } else {
        strbuf_add_str(b, str_of(names[t->kind]));
    }
}

/* value: what was found, as Go words it ("string", "number 1.5"). */
static int type_error_text(struct conform *c, const struct place *at, str value, str go_type)
{
    const struct place *field = at;
    while (field && !field->in)
        field = field->up;
    if (!field)
        return err_set(c->err, E_PARSE, "json: cannot unmarshal " STR_FMT " into Go value of type " STR_FMT, STR_ARG(value),
                       STR_ARG(go_type));
    struct strbuf path = strbuf_on(c->a);
    add_field_path(&path, at);
    return err_set(c->err, E_PARSE, "json: cannot unmarshal " STR_FMT " into Go struct field " STR_FMT ".%s of type " STR_FMT,
                   STR_ARG(value), STR_ARG(field->in->name), strbuf_cstr(&path), STR_ARG(go_type));
}

static int type_error(struct conform *c, const struct schema_type *t, const struct json *v, bool with_number,
                      const struct place *at)
{
    if (c->type_error)
        return 0;
    struct strbuf go_type = strbuf_on(c->a);
    add_go_type(&go_type, t);
    str value = str_of(json_type_names[v->type]);
    if (with_number)
        value = arena_fmt(c->a, "number " STR_FMT, STR_ARG(json_str(v)));
    c->type_error = type_error_text(c, at, value, strbuf_str(&go_type));
    return 0;
}

/* Types with a parser of their own decode an inner Go value; a wrong JSON type is then about that one, and ends the decoding. */
static int inner_type_error(struct conform *c, const struct json *v, const char *go_type, const struct place *at)
{
    return type_error_text(c, at, str_of(json_type_names[v->type]), str_of(go_type));
}

/* --- scalars --------------------------------------------------------------------------------------- */

struct json codec_zero(const struct schema_type *t)
{
    switch ((enum schema_kind)t->kind) {
    case SCHEMA_BOOL:
        return json_bool(false);
    case SCHEMA_INT32:
    case SCHEMA_INT64:
    case SCHEMA_DOUBLE:
    case SCHEMA_INT_OR_STRING:
        return json_number_text(S("0"));
    case SCHEMA_STRING:
    case SCHEMA_BYTES:
        return json_string(S(""));
    case SCHEMA_DURATION:
        return json_string(S("0s"));
    case SCHEMA_QUANTITY:
        return json_string(S("0"));
    case SCHEMA_OBJECT:
        return json_object();
    case SCHEMA_ANY:
    case SCHEMA_TIME:
    case SCHEMA_MICROTIME:
    case SCHEMA_RAW_OBJECT:
    case SCHEMA_LIST:
    case SCHEMA_MAP:
        break;
    }
    return json_null();
}

static int keep_raw(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    (void)c, (void)t, (void)v, (void)at;
    return 0;
}

/* Any value, but for "a schema or something else" inside a CRD's schema: there schemas are structs of the type they are in.
 * Unknown fields in them are dropped without a word, as Kubernetes does. */
static int conform_any(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (!at || !at->in || !str_has_prefix(t->name, S("JSONSchemaPropsOr")))
        return 0;
    struct conform silent = *c;
    silent.report = NULL;
    struct json *items = v->type == JSON_ARRAY ? v->items : v;
    int r = 0;
    for (uint32_t i = 0; i < (v->type == JSON_ARRAY ? v->len : 1) && r == 0; i++)
        if (items[i].type == JSON_OBJECT)
            r = conform_value(&silent, at->in, &items[i], at);
    c->type_error = silent.type_error;
    return r;
}

static int conform_bool(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    return v->type == JSON_BOOL ? 0 : type_error(c, t, v, false, at);
}

static int conform_string(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (t == &schema_bandwidth && v->type == JSON_NUMBER) {
        *v = json_string(json_str(v));
        return 0;
    }
    return v->type == JSON_STRING ? 0 : type_error(c, t, v, false, at);
}

static bool fits_integer(const struct schema_type *t, struct json *v)
{
    int64_t n;
    if (!json_to_i64(v, &n))
        return false;
    if (t->kind != SCHEMA_INT64 && (n < INT32_MIN || n > INT32_MAX))
        return false;
    if (n == 0)
        *v = json_number_text(S("0")); /* "-0" */
    return true;
}

static int conform_integer(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type != JSON_NUMBER)
        return type_error(c, t, v, false, at);
    return fits_integer(t, v) ? 0 : type_error(c, t, v, true, at);
}

static int conform_double(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    double d;
    if (v->type != JSON_NUMBER)
        return type_error(c, t, v, false, at);
    if (!json_to_double(v, &d))
        return type_error(c, t, v, true, at);
    *v = json_double(c->a, d);
    return 0;
}

static int conform_bytes(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type != JSON_STRING)
        return type_error(c, t, v, false, at);
    str text;
    struct err e = ERR_NONE;
    int r = codec_base64_canonical(c->a, json_str(v), &text, &e);
    if (r == 0) {
        *v = json_string(text);
    } else if (!c->type_error) {
        c->type_error = r;
        if (c->err)
            *c->err = e;
    }
    return 0;
}

static int conform_time(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    str text;
    if (v->type != JSON_STRING)
        return inner_type_error(c, v, "string", at);
    int r = codec_time_canonical(c->a, json_str(v), t->kind == SCHEMA_MICROTIME, &text, c->err);
    if (r == 0)
        *v = text.len ? json_string(text) : json_null();
    return r;
}

static int conform_duration(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    str text;
    (void)t;
    if (v->type != JSON_STRING)
        return inner_type_error(c, v, "string", at);
    int r = codec_duration_canonical(c->a, json_str(v), &text, c->err);
    if (r == 0)
        *v = json_string(text);
    return r;
}

/* A quantity reads the raw JSON text, so that numbers are quantities and everything else is a malformed one. */
static int conform_quantity(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    str text;
    (void)t, (void)at;
    int r = codec_quantity_canonical(c->a, json_str(v), &text, c->err);
    if (r == 0)
        *v = json_string(text);
    return r;
}

static int conform_int_or_string(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type == JSON_STRING || (v->type == JSON_NUMBER && fits_integer(t, v)))
        return 0;
    if (v->type == JSON_NUMBER)
        return type_error_text(c, at, arena_fmt(c->a, "number " STR_FMT, STR_ARG(json_str(v))), S("int32"));
    return inner_type_error(c, v, "int32", at);
}

/* --- structs, lists, maps -------------------------------------------------------------------------- */

/* What omitempty leaves out: false, 0, "", empty lists and maps; never a struct. */
static bool is_empty(const struct schema_type *t, const struct json *v)
{
    double d;
    switch (v->type) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return !v->b;
    case JSON_NUMBER:
        return t->kind != SCHEMA_INT_OR_STRING && t->kind != SCHEMA_ANY && v->s[0] <= '0' && json_to_double(v, &d) && d == 0;
    case JSON_STRING:
        return v->len == 0 && (t->kind == SCHEMA_STRING || t->kind == SCHEMA_BYTES);
    case JSON_ARRAY:
        return v->len == 0 && t->kind == SCHEMA_LIST;
    case JSON_OBJECT:
        return v->len == 0 && t->kind == SCHEMA_MAP;
    }
    return false;
}

static int conform_object(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type != JSON_OBJECT)
        return type_error(c, t, v, false, at);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < v->len; i++) {
        struct json_member *m = &v->members[i];
        const struct schema_field *f = schema_field_find(t, m->key);
        if (f) {
            if (m->value.type == JSON_NULL)
                continue;
            struct place here = {.up = at, .in = t, .name = f->name};
            int r = conform_value(c, f->type, &m->value, &here);
            if (r < 0)
                return r;
            if (m->value.type == JSON_NULL || (!(f->flags & (SCHEMA_POINTER | SCHEMA_ALWAYS)) && is_empty(f->type, &m->value)))
                continue;
        } else if (!t->preserve_unknown) {
            report_unknown(c, at, m->key);
            continue;
        }
        if (kept != i)
            v->members[kept] = *m;
        kept++;
    }
    v->len = kept;
    return 0;
}

static int conform_list(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type != JSON_ARRAY)
        return type_error(c, t, v, false, at);
    for (uint32_t i = 0; i < v->len; i++) {
        struct place here = {.up = at, .index = i};
        int r = conform_value(c, t->elem, &v->items[i], &here);
        if (r < 0)
            return r;
    }
    return 0;
}

static int conform_map(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type != JSON_OBJECT)
        return type_error(c, t, v, false, at);
    for (uint32_t i = 0; i < v->len; i++) {
        struct place here = {.up = at, .name = v->members[i].key.p ? v->members[i].key : S("")};
        int r = conform_value(c, t->elem, &v->members[i].value, &here);
        if (r < 0)
            return r;
    }
    return 0;
}

static conform_fn *const conform_by_kind[] = {
    [SCHEMA_ANY] = conform_any,
    [SCHEMA_BOOL] = conform_bool,
    [SCHEMA_INT32] = conform_integer,
    [SCHEMA_INT64] = conform_integer,
    [SCHEMA_DOUBLE] = conform_double,
    [SCHEMA_STRING] = conform_string,
    [SCHEMA_BYTES] = conform_bytes,
    [SCHEMA_TIME] = conform_time,
    [SCHEMA_MICROTIME] = conform_time,
    [SCHEMA_DURATION] = conform_duration,
    [SCHEMA_QUANTITY] = conform_quantity,
    [SCHEMA_INT_OR_STRING] = conform_int_or_string,
    [SCHEMA_OBJECT] = conform_object,
    [SCHEMA_RAW_OBJECT] = keep_raw,
    [SCHEMA_LIST] = conform_list,
    [SCHEMA_MAP] = conform_map,
};

static int conform_value(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type == JSON_NULL) {
        *v = codec_zero(t); /* an item of a list or a value of a map: fields never come here with null */
        return 0;
    }
    return conform_by_kind[t->kind](c, t, v, at);
}

/* --- custom resources ------------------------------------------------------------------------------ */

static int prune_value(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at);

/* apiVersion, kind and metadata of the object itself and of embedded ones.  False in *ret_keep: the member goes. */
static int prune_meta(struct conform *c, struct json_member *m, const struct place *at, bool *ret_keep)
{
    *ret_keep = m->value.type != JSON_NULL;
    if (!*ret_keep)
        return 0;
    struct place here = {.up = at, .name = m->key, .starts_errors = true};
    if (str_is(m->key, "metadata"))
        return conform_value(c, &schema_meta_v1_ObjectMeta, &m->value, &here);
    if (m->value.type == JSON_STRING)
        return 0;
    struct strbuf path = strbuf_on(c->a);
    add_path(&path, &here);
    return err_set(c->err, E_PARSE, "%s: Invalid value: " STR_FMT ": must be a string", strbuf_cstr(&path),
                   STR_ARG(json_text(c->a, &m->value)));
}

static bool is_meta_name(str name)
{
    return str_is(name, "metadata") || str_is(name, "kind") || str_is(name, "apiVersion");
}

/* The schema of a member, NULL when the object's schema does not know it. */
static const struct schema_type *member_type(const struct schema_type *t, str key, bool *ret_nullable)
{
    const struct schema_field *f = t->kind == SCHEMA_OBJECT ? schema_field_find(t, key) : NULL;
    const struct schema_type *sub = f ? f->type : t->kind == SCHEMA_MAP ? t->elem : NULL;
    *ret_nullable = sub && (sub->nullable || (f && f->flags & SCHEMA_NULLABLE));
    return sub;
}

static int prune_object(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    uint32_t kept = 0;
    bool is_resource = !at || t->embedded, is_open = t->preserve_unknown || (t->kind != SCHEMA_OBJECT && t->kind != SCHEMA_MAP);
    for (uint32_t i = 0; i < v->len; i++) {
        struct json_member *m = &v->members[i];
        struct place here = {.up = at, .name = m->key};
        bool keep = true, nullable;
        const struct schema_type *sub;
        int r = 0;
        if (is_resource && is_meta_name(m->key)) {
            r = prune_meta(c, m, at, &keep);
        } else if (!(sub = member_type(t, m->key, &nullable))) {
            keep = is_open;
            if (!keep)
                report_unknown(c, at, m->key);
        } else if (m->value.type == JSON_NULL) {
            keep = nullable; /* a default takes the place of a null that may not be */
        } else {
            r = prune_value(c, sub, &m->value, &here);
        }
        if (r < 0)
            return r;
        if (keep)
            v->members[kept++] = *m;
    }
    v->len = kept;
    return 0;
}

static int prune_value(struct conform *c, const struct schema_type *t, struct json *v, const struct place *at)
{
    if (v->type == JSON_OBJECT)
        return prune_object(c, t, v, at);
    if (v->type != JSON_ARRAY || t->kind != SCHEMA_LIST)
        return 0;
    for (uint32_t i = 0; i < v->len; i++) {
        struct place here = {.up = at, .index = i};
        int r = prune_value(c, t->elem, &v->items[i], &here);
        if (r < 0)
            return r;
    }
    return 0;
}

/* --- the whole --------------------------------------------------------------------------------------- */

/* The apiserver looks at kind and apiVersion before anything else, and says so. */
static int check_type_meta(const struct json *obj, struct err *err)
{
#define TYPE_META_PREFIX "couldn't get version/kind; json parse error: json: cannot unmarshal %s into Go "
    static const char *const names[] = {"apiVersion", "kind"};
    if (obj->type != JSON_OBJECT)
        return err_set(err, E_PARSE,
                       TYPE_META_PREFIX "value of type struct { APIVersion string \"json:\\\"apiVersion,omitempty\\\"\"; "
                                        "Kind string \"json:\\\"kind,omitempty\\\"\" }",
                       json_type_names[obj->type]);
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        const struct json *v = json_get(obj, str_of(names[i]));
        if (v && v->type != JSON_STRING && v->type != JSON_NULL)
            return err_set(err, E_PARSE, TYPE_META_PREFIX "struct field .%s of type string", json_type_names[v->type], names[i]);
    }
    return 0;
}

int api_conform(struct arena *a, const struct schema_type *type, struct json *obj, struct api_field_report *report,
                struct err *err)
{
    struct conform c = {.a = a, .report = report, .err = err};
    if (obj->type == JSON_NULL)
        *obj = json_object();
    int r = check_type_meta(obj, err);
    if (r < 0)
        return r;
    r = codec_is_custom(type) ? prune_value(&c, type, obj, NULL) : conform_value(&c, type, obj, NULL);
    return r < 0 ? r : c.type_error;
}
