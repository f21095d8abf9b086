/* validate_custom.c - custom resources against the OpenAPI v3 schema of their CRD, with the words of kube-openapi.
 *
 * On update, what has not changed is not held against the user (ratcheting): errors under a value that equals the old one
 * at the same place are taken back.
 * Branches of anyOf, oneOf and not are tried quietly; of failed branches the one that got furthest then tells why. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "api/validate_internal.h"
#include "api/validate_regex.h"

struct custom {
    struct vctx *c;
    const struct vpath *base; /* messages name fields relative to this: NULL, or status */
    unsigned passed;          /* checks that held, to compare branches */
    struct v_map patterns;    /* compiled, by text */
};

static void check_value(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old);

/* --- messages ---------------------------------------------------------------------------------------------------------------- */

static void write_name(struct strbuf *b, const struct vpath *p, const struct vpath *base)
{
    if (!p || p == base)
        return;
    write_name(b, p->up, base);
    if (p->kind == VPATH_INDEX) {
        strbuf_addf(b, "[%zu]", p->index);
        return;
    }
    if (b->len)
        strbuf_add_char(b, '.');
    strbuf_add_str(b, p->name);
}

static const char *name_of(struct custom *k, const struct vpath *p)
{
    if (k->c->quiet)
        return "";
    struct strbuf b = strbuf_on(k->c->e->arena);
    write_name(&b, p, k->base);
    return strbuf_cstr(&b);
}

static const char *type_of_value(const struct json *v)
{
    static const char *const names[] = {
        [JSON_NULL] = "null", [JSON_BOOL] = "boolean", [JSON_STRING] = "string", [JSON_ARRAY] = "array", [JSON_OBJECT] = "object"};
    if (v->type != JSON_NUMBER)
        return names[v->type];
    int64_t n;
    return json_to_i64(v, &n) ? "integer" : "number";
}

static const char *type_of_schema(const struct schema_type *t)
{
    switch (t->kind) {
    case SCHEMA_BOOL:
        return "boolean";
    case SCHEMA_INT32:
    case SCHEMA_INT64:
        return "integer";
    case SCHEMA_DOUBLE:
        return "number";
    case SCHEMA_INT_OR_STRING:
        return "integer,string";
    case SCHEMA_LIST:
        return "array";
    case SCHEMA_OBJECT:
    case SCHEMA_MAP:
    case SCHEMA_RAW_OBJECT:
        return "object";
    case SCHEMA_ANY:
        return NULL;
    default:
        return "string";
    }
}

/* As Go prints a float64, without ".0". */
static const char *number_text(struct custom *k, double d)
{
    if (k->c->quiet)
        return "";
    struct json v = json_double(k->c->e->arena, d);
    str s = json_str(&v);
    if (str_has_suffix(s, S(".0")))
        s.len -= 2;
    return arena_cstr(k->c->e->arena, s);
}

/* --- types ---------------------------------------------------------------------------------------------------------------------- */

static bool is_integral(const struct json *v)
{
    double d;
    return v->type == JSON_NUMBER && json_to_double(v, &d) && floor(d) == d;
}

static bool fits_type(const struct schema_type *t, const struct json *v)
{
    switch (t->kind) {
    case SCHEMA_ANY:
        return true;
    case SCHEMA_BOOL:
        return v->type == JSON_BOOL;
    case SCHEMA_INT32:
    case SCHEMA_INT64:
        return is_integral(v);
    case SCHEMA_DOUBLE:
        return v->type == JSON_NUMBER;
    case SCHEMA_INT_OR_STRING:
        return v->type == JSON_STRING || is_integral(v);
    case SCHEMA_LIST:
        return v->type == JSON_ARRAY;
    case SCHEMA_OBJECT:
    case SCHEMA_MAP:
    case SCHEMA_RAW_OBJECT:
        return v->type == JSON_OBJECT;
    default:
        return v->type == JSON_STRING;
    }
}

/* Schemas without a type say nothing about values of other types. */
static bool check_type(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v)
{
    bool typed = t->kind == SCHEMA_INT_OR_STRING || !t->is_union_typeless;
    bool fits = v->type == JSON_NULL ? t->nullable || t->kind == SCHEMA_ANY : fits_type(t, v);
    if (fits || !typed) {
        k->passed++;
        return fits;
    }
    struct json actual = json_string(str_of(type_of_value(v)));
    v_error(k->c, FIELD_TYPE_INVALID, p, &actual, "%s in body must be of type %s: \"%s\"", name_of(k, p), type_of_schema(t),
            type_of_value(v));
    return false;
}

/* --- rules ------------------------------------------------------------------------------------------------------------------------ */

static int64_t rune_count(str s)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static struct regex *pattern_of(struct custom *k, str pattern, struct err *err)
{
    struct regex *re = (struct regex *)(uintptr_t)v_map_get(&k->patterns, pattern);
    if (!re && regex_compile(k->c->e->arena, pattern, &re, err) == 0)
        v_map_put(&k->patterns, pattern, re);
    return re;
}

static void check_pattern(struct custom *k, const struct vpath *p, str pattern, str text)
{
    struct err err = ERR_NONE;
    struct regex *re = pattern_of(k, pattern, &err);
    if (!re)
        v_invalid_str(k->c, p, text, "%s in body should match '" STR_FMT ", but pattern is invalid: %s'", name_of(k, p), STR_ARG(pattern),
                      err.msg);
    else if (!regex_match(re, text))
        v_invalid_str(k->c, p, text, "%s in body should match '" STR_FMT "'", name_of(k, p), STR_ARG(pattern));
}

static void check_string(struct custom *k, const struct vpath *p, const struct schema_rules *r, const struct json *v)
{
    str s = json_str(v);
    if (r->has_max_len && rune_count(s) > r->max_len)
        v_too_long(k->c, p, (int)r->max_len);
    else if (r->has_min_len && rune_count(s) < r->min_len)
        v_invalid(k->c, p, v, "%s in body should be at least %lld chars long", name_of(k, p), (long long)r->min_len);
    else if (r->pattern.len)
        check_pattern(k, p, r->pattern, s);
    if (r->format.len && !v_format_holds(r->format, s)) {
        const char *name = name_of(k, p);
        v_error(k->c, FIELD_TYPE_INVALID, p, v, "%s in body must be of type " STR_FMT ": \"" STR_FMT "\"", name, STR_ARG(r->format),
                STR_ARG(s));
    }
}

static bool is_multiple(double d, double factor)
{
    double times = factor < 1 ? 1 / factor * d : d / factor;
    return fabs(times - round(times)) <= 1e-9 * fmax(1, fabs(times));
}

static void check_number(struct custom *k, const struct vpath *p, const struct schema_rules *r, const struct json *v)
{
    double d;
    if (!json_to_double(v, &d))
        return;
    if (r->has_multiple_of && r->multiple_of > 0 && !is_multiple(d, r->multiple_of))
        v_invalid(k->c, p, v, "%s in body should be a multiple of %s", name_of(k, p), number_text(k, r->multiple_of));
    if (r->has_min && (r->exclusive_min ? d <= r->min : d < r->min))
        v_invalid(k->c, p, v, "%s in body should be greater than %s%s", name_of(k, p), r->exclusive_min ? "" : "or equal to ",
                  number_text(k, r->min));
    if (r->has_max && (r->exclusive_max ? d >= r->max : d > r->max))
        v_invalid(k->c, p, v, "%s in body should be less than %s%s", name_of(k, p), r->exclusive_max ? "" : "or equal to ",
                  number_text(k, r->max));
}

/* Text that is the same for equal values: members sorted. */
static void write_canonical(struct arena *a, struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_ARRAY) {
        strbuf_add_char(b, '[');
        for (uint32_t i = 0; i < v->len; i++) {
            write_canonical(a, b, &v->items[i]);
            strbuf_add_char(b, ',');
        }
    } else if (v->type == JSON_OBJECT) {
        str *keys = arena_array(a, v->len + 1, str);
        for (uint32_t i = 0; i < v->len; i++) {
            struct strbuf one = strbuf_on(a);
            json_write_string(&one, v->members[i].key);
            strbuf_add_char(&one, ':');
            write_canonical(a, &one, &v->members[i].value);
            keys[i] = strbuf_str(&one);
        }
        qsort(keys, v->len, sizeof *keys, str_cmp_void);
        strbuf_add_char(b, '{');
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, keys[i]);
            strbuf_add_char(b, ',');
        }
    } else {
        json_write(b, v);
    }
}

static str canonical(struct custom *k, const struct json *v)
{
    struct strbuf b = strbuf_on(k->c->e->arena);
    write_canonical(k->c->e->arena, &b, v);
    return strbuf_str(&b);
}

static bool has_duplicates(struct custom *k, const struct json *list)
{
    struct v_map seen;
    v_map_init(&seen, k->c->e->arena);
    v_foreach (item, i, list) {
        if (!v_set_add(&seen, canonical(k, item)))
            return true;
    }
    return false;
}

static void too_many(struct custom *k, const struct vpath *p, size_t have, int64_t max)
{
    struct json n = k->c->quiet ? json_null() : json_int(k->c->e->arena, (int64_t)have);
    v_error(k->c, FIELD_TOO_MANY, p, &n, "must have at most %lld items", (long long)max);
}

static void too_few(struct custom *k, const struct vpath *p, size_t have, int64_t min, const char *what)
{
    v_invalid_int(k->c, p, (int64_t)have, "%s in body should have at least %lld %s", name_of(k, p), (long long)min, what);
}

static void check_items(struct custom *k, const struct vpath *p, const struct schema_rules *r, const struct json *v)
{
    if (r->has_min_items && v->len < r->min_items)
        too_few(k, p, v->len, r->min_items, "items");
    if (r->has_max_items && v->len > r->max_items)
        too_many(k, p, v->len, r->max_items);
    if (r->unique_items && has_duplicates(k, v))
        v_invalid_str(k->c, p, S(""), "%s in body shouldn't contain duplicates", name_of(k, p));
}

static void check_properties(struct custom *k, const struct vpath *p, const struct schema_rules *r, const struct json *v)
{
    if (r->has_min_props && v->len < r->min_props)
        too_few(k, p, v->len, r->min_props, "properties");
    if (r->has_max_props && v->len > r->max_props)
        too_many(k, p, v->len, r->max_props);
}

static bool in_enum(struct custom *k, const struct schema_rules *r, const struct json *v)
{
    str text = v->type == JSON_STRING || v->type == JSON_NUMBER ? json_str(v) : json_text(k->c->e->arena, v);
    for (size_t i = 0; i < r->nenums; i++) {
        if (str_eq(r->enums[i], text))
            return true;
    }
    return false;
}

static void check_enum(struct custom *k, const struct vpath *p, const struct schema_rules *r, const struct json *v)
{
    if (r->nenums == 0 || in_enum(k, r, v))
        return;
    struct strbuf b = strbuf_on(k->c->e->arena);
    for (size_t i = 0; i < r->nenums && !k->c->quiet; i++)
        strbuf_addf(&b, "%s\"" STR_FMT "\"", i ? ", " : "", STR_ARG(r->enums[i]));
    v_error(k->c, FIELD_NOT_SUPPORTED, p, v, "supported values: %s", strbuf_cstr(&b));
}

/* --- branches ---------------------------------------------------------------------------------------------------------------------- */

/* Errors so far, kept or not. */
static size_t errors_of(const struct custom *k)
{
    return k->c->e->len + k->c->suppressed;
}

/* How many branches fit; *ret_best is the one that failed and got furthest. */
static unsigned try_branches(struct custom *k, const struct schema_type *const *types, size_t n, const struct vpath *p,
                             const struct json *v, const struct schema_type **ret_best)
{
    unsigned passed = k->passed, best = 0, held = 0;
    size_t suppressed = k->c->suppressed;
    bool quiet = k->c->quiet;
    k->c->quiet = true;
    *ret_best = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t before = errors_of(k);
        k->passed = 0;
        check_value(k, types[i], p, v, NULL);
        bool fits = errors_of(k) == before;
        held += fits;
        if (!fits && (!*ret_best || k->passed > best)) {
            *ret_best = types[i];
            best = k->passed;
        }
    }
    k->c->quiet = quiet;
    k->c->suppressed = suppressed;
    k->passed = passed + (held > 0);
    return held;
}

/* These have no field of their own in Kubernetes. */
#define branch_error(k, ...) v_invalid_str((k)->c, (k)->base, S(""), __VA_ARGS__)

static void check_branches(struct custom *k, const struct schema_rules *r, const struct vpath *p, const struct json *v,
                           const struct json *old)
{
    const struct schema_type *best;
    unsigned held;
    if (r->nany_of && try_branches(k, r->any_of, r->nany_of, p, v, &best) == 0) {
        branch_error(k, "\"%s\" must validate at least one schema (anyOf)", name_of(k, p));
        check_value(k, best, p, v, NULL);
    }
    if (r->none_of && (held = try_branches(k, r->one_of, r->none_of, p, v, &best)) != 1) {
        if (held > 1) {
            branch_error(k, "\"%s\" must validate one and only one schema (oneOf). Found %u valid alternatives", name_of(k, p), held);
        } else {
            branch_error(k, "\"%s\" must validate one and only one schema (oneOf). Found none valid", name_of(k, p));
            check_value(k, best, p, v, NULL);
        }
    }
    size_t failed = 0;
    for (size_t i = 0; i < r->nall_of; i++) {
        size_t before = errors_of(k);
        check_value(k, r->all_of[i], p, v, old);
        failed += errors_of(k) > before;
    }
    if (failed)
        branch_error(k, "\"%s\" must validate all the schemas (allOf)%s", name_of(k, p), failed == r->nall_of ? ". None validated" : "");
    if (r->not_ && try_branches(k, &r->not_, 1, p, v, &best))
        branch_error(k, "\"%s\" must not validate the schema (not)", name_of(k, p));
}

static void check_rules(struct custom *k, const struct schema_rules *r, const struct vpath *p, const struct json *v, const struct json *old)
{
    if (v->type != JSON_NULL && (r->nany_of || r->none_of || r->nall_of || r->not_))
        check_branches(k, r, p, v, old);
    if (v->type == JSON_STRING)
        check_string(k, p, r, v);
    else if (v->type == JSON_NUMBER)
        check_number(k, p, r, v);
    else if (v->type == JSON_ARRAY)
        check_items(k, p, r, v);
    else if (v->type == JSON_OBJECT)
        check_properties(k, p, r, v);
    check_enum(k, p, r, v);
}

/* --- lists that are sets or maps --------------------------------------------------------------------------------------------------- */

static struct json list_key(struct custom *k, const struct schema_type *t, const struct json *item)
{
    struct arena *a = k->c->e->arena;
    if (t->list_type == SCHEMA_LIST_SET)
        return *item;
    struct json key = json_object();
    for (size_t i = 0; i < t->nkeys; i++) {
        const struct json *part = json_get(item, t->keys[i]);
        if (part)
            json_set(a, &key, t->keys[i], *part);
    }
    return key;
}

/* A value that occurs often is reported once, at its second place. */
static void check_unique(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *list)
{
    struct v_map seen, reported;
    if (t->list_type == SCHEMA_LIST_ATOMIC || list->len < 2)
        return;
    v_map_init(&seen, k->c->e->arena);
    v_map_init(&reported, k->c->e->arena);
    v_foreach (item, i, list) {
        if (t->list_type == SCHEMA_LIST_MAP && item->type != JSON_OBJECT && item->type != JSON_NULL) {
            v_invalid(k->c, V_INDEX(p, i), item, "must be an object for an array of list-type map");
            return;
        }
        struct json key = list_key(k, t, item);
        str text = canonical(k, &key);
        if (!v_set_add(&seen, text) && v_set_add(&reported, text))
            v_error(k->c, FIELD_DUPLICATE, V_INDEX(p, i), &key, V_NO_DETAIL);
    }
}

/* --- the old object ---------------------------------------------------------------------------------------------------------------------
 */

/* Members of the old object, by hash when there are many. */
struct old_members {
    const struct json *old;
    struct v_map map;
};
#define OLD_MAP_FROM 64

static void old_init(struct custom *k, struct old_members *o, const struct json *old)
{
    o->old = json_is(old, JSON_OBJECT) ? old : NULL;
    if (v_len(o->old) < OLD_MAP_FROM)
        return;
    v_map_init(&o->map, k->c->e->arena);
    v_foreach_member (m, old)
        v_map_put(&o->map, m->key, &m->value);
}

static const struct json *old_get(const struct old_members *o, str key)
{
    return v_len(o->old) < OLD_MAP_FROM ? json_get(o->old, key) : v_map_get(&o->map, key);
}

/* --- the walk --------------------------------------------------------------------------------------------------------------------------
 */

static void check_embedded_name(struct custom *k, const struct vpath *p, const struct schema_type *t, str key, const struct json *v)
{
    if (!t->embedded || v->type != JSON_STRING)
        return;
    if (json_str(v).len == 0)
        v_invalid(k->c, p, v, "must not be empty");
    else if (str_is(key, "kind") && validate_dns1123_label(json_str(v)) && str_find_char(json_str(v), ' ') >= 0)
        v_invalid(k->c, p, v, "may have mixed case, but should otherwise match: %s", validate_dns1035_label(json_str(v)));
}

static void check_object(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    struct old_members before;
    old_init(k, &before, old);
    v_foreach_member (m, v) {
        const struct schema_field *f = schema_field_find(t, m->key);
        if (!f || f->type == &schema_meta_v1_ObjectMeta)
            continue;
        struct vpath at = {.up = p, .name = m->key, .kind = VPATH_FIELD};
        if (f->rules)
            check_rules(k, f->rules, &at, &m->value, NULL);
        if (str_is(m->key, "apiVersion") || str_is(m->key, "kind"))
            check_embedded_name(k, &at, t, m->key, &m->value);
        if (m->value.type != JSON_NULL || !(f->flags & SCHEMA_NULLABLE))
            check_value(k, f->type, &at, &m->value, old_get(&before, m->key));
    }
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (!(f->flags & SCHEMA_REQUIRED) || json_get(v, f->name))
            continue;
        bool of_type = t->embedded && (str_is(f->name, "apiVersion") || str_is(f->name, "kind"));
        v_required(k->c, V_MEMBER(p, f->name), "%s", of_type ? "must not be empty" : "");
    }
}

static void check_map(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    struct old_members before;
    old_init(k, &before, old);
    v_foreach_member (m, v)
        check_value(k, t->elem, V_MEMBER(p, m->key), &m->value, old_get(&before, m->key));
}

static void check_inside(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    if (v->type == JSON_OBJECT && t->nfields) {
        check_object(k, t, p, v, old);
    } else if (v->type == JSON_OBJECT && t->kind == SCHEMA_MAP) {
        check_map(k, t, p, v, old);
    } else if (v->type == JSON_ARRAY && t->kind == SCHEMA_LIST) {
        check_unique(k, t, p, v);
        for (uint32_t i = 0; i < v->len; i++)
            check_value(k, t->elem, V_INDEX(p, i), &v->items[i], NULL);
    }
}

static void check_value(struct custom *k, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    struct field_errors *e = k->c->e;
    size_t before = errors_of(k), kept = e->len;
    bool is_leaf = v->type != JSON_OBJECT && v->type != JSON_ARRAY;
    if (kept == FIELD_ERRORS_MAX || (is_leaf && old && json_equal(old, v)))
        return;
    if (check_type(k, t, p, v) && v->type != JSON_NULL)
        check_inside(k, t, p, v, old);
    if (t->rules)
        check_rules(k, t->rules, p, v, old);
    k->passed += errors_of(k) == before;
    if (e->len > kept && old && json_equal(old, v))
        e->len = kept;
}

/* ".spec.replicas" leads to a number in the range of replicas. */
static void check_replicas(struct vctx *c, str path)
{
    const struct json *v = c->obj;
    str rest = path, step;
    if (path.len == 0)
        return;
    if (rest.p[0] == '.')
        rest = str_from(rest, 1);
    for (bool more = true; more && v;) {
        more = str_cut(&rest, '.', &step);
        v = json_get(v, step);
    }
    int64_t n;
    if (!v || !json_to_i64(v, &n))
        return;
    if (n < 0)
        v_invalid_int(c, V_MEMBER(NULL, path), n, "should be a non-negative integer");
    else if (n > INT32_MAX)
        v_invalid_int(c, V_MEMBER(NULL, path), n, "should be less than or equal to %d", INT32_MAX);
}

void v_custom(struct vctx *c)
{
    struct custom k = {.c = c};
    const struct schema_type *t = c->res->type;
    v_map_init(&k.patterns, c->e->arena);
    if (str_is(c->sub, "status")) {
        const struct schema_field *f = schema_field_find(t, S("status"));
        const struct json *status = json_get(c->obj, S("status"));
        struct vpath at = {.name = S("status"), .kind = VPATH_FIELD};
        k.base = &at;
        if (f && status)
            check_value(&k, f->type, &at, status, json_get(c->old, S("status")));
    } else {
        check_value(&k, t, NULL, c->obj, c->old);
        check_replicas(c, c->res->scale_spec_path);
    }
    check_replicas(c, c->res->scale_status_path);
}
