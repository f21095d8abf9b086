/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fields.h"

#include <math.h>

#include "api/quantity.h"
#include "base/limits.h"
#include "wire/yaml.h"

#define SHOWN 60 /* bytes of a wrong value that a message repeats */

/* --- messages ------------------------------------------------------------------------------------------------------------------------------ */

int fields_fail(struct fields *f, str path, const char *fmt, ...)
{
    struct strbuf b = strbuf_on(f->arena);
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(&b, fmt, ap);
    va_end(ap);
    int r = err_set(f->err, E_INVALID, STR_FMT ":%zu: " STR_FMT "%s" STR_FMT, STR_ARG(f->file), yaml_line_of(f->text, path), STR_ARG(path), path.len ? ": " : "",
                    STR_ARG(strbuf_str(&b)));
    if (f->err)
        err_set_field(f->err, path);
    return r;
}

str fields_at(struct fields *f, str path, const char *name)
{
    return path.len ? arena_fmt(f->arena, STR_FMT ".%s", STR_ARG(path), name) : arena_str(f->arena, str_of(name));
}
str fields_nth(struct fields *f, str path, size_t i)
{
    return arena_fmt(f->arena, STR_FMT "[%zu]", STR_ARG(path), i);
}

/* A value as a message shows it. */
static str shown(struct fields *f, const struct json *v)
{
    static const char *const what[] = {"nothing", "a yes or no", "", "", "a list", "a map"};
    if (v->type == JSON_BOOL)
        return v->b ? S("true") : S("false");
    if (v->type != JSON_STRING && v->type != JSON_NUMBER)
        return str_of(what[v->type]);
    struct strbuf b = strbuf_on(f->arena);
    str s = json_str(v);
    size_t n = MIN(s.len, (size_t)SHOWN);
    while (n < s.len && n && ((unsigned char)s.p[n] & 0xc0) == 0x80)
        n--;
    json_write_string(&b, str_sub(s, 0, n));
    strbuf_add_str(&b, n < s.len ? S("...") : S(""));
    return strbuf_str(&b);
}

static bool is_scalar(const struct json *v)
{
    return v->type == JSON_STRING || v->type == JSON_NUMBER;
}

/* --- values ---------------------------------------------------------------------------------------------------------------------------------- */

bool fields_duration(str s, nsec_t *ret)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9}};
    double total = 0, number;
    bool first = true;
    if (!s.len || s.len > 64)
        return false;
    while (s.len) {
        size_t digits = 0, unit = 0;
        while (digits < s.len && ((s.p[digits] >= '0' && s.p[digits] <= '9') || s.p[digits] == '.'))
            digits++;
        while (digits + unit < s.len && s.p[digits + unit] >= 'a' && s.p[digits + unit] <= 'z')
            unit++;
        str name = str_sub(s, digits, digits + unit);
        size_t i = 0;
        while (i < ARRAY_LEN(units) && !str_is(name, units[i].unit))
            i++;
        if (i == ARRAY_LEN(units) || (!name.len && (!first || digits < s.len)) || !digits || !str_to_double(str_sub(s, 0, digits), &number))
            return false;
        total += number * units[i].ns;
        s = str_from(s, digits + unit);
        first = false;
    }
    if (!(total <= 9e18))
        return false;
    *ret = (nsec_t)llround(total);
    return true;
}

static int check_range(struct fields *f, str path, const struct field *how, int64_t v, int64_t type_max)
{
    int64_t max = how->max ? how->max : type_max;
    if (v < how->min)
        return fields_fail(f, path, "%lld is too small, at least %lld is needed", (long long)v, (long long)how->min);
    if (v > max)
        return fields_fail(f, path, "%lld is too large, at most %lld can be", (long long)v, (long long)max);
    return 0;
}

static int read_integer(struct fields *f, const struct json *v, str path, const struct field *how, void *into)
{
    int64_t n;
    if (v->type == JSON_STRING || !json_to_i64(v, &n))
        return fields_fail(f, path, STR_FMT " is no whole number", STR_ARG(shown(f, v)));
    int64_t type_max = how->type == FIELD_COUNT ? UINT32_MAX : how->type == FIELD_INT ? INT32_MAX : INT64_MAX;
    int r = check_range(f, path, how, n, type_max);
    if (r < 0)
        return r;
    if (how->type == FIELD_COUNT)
        *(uint32_t *)into = (uint32_t)n;
    else if (how->type == FIELD_INT)
        *(int32_t *)into = (int32_t)n;
    else
        *(uint64_t *)into = (uint64_t)n;
    return 0;
}

static int read_quantity(struct fields *f, const struct json *v, str path, const struct field *how, void *into)
{
    struct quantity q;
    bool milli = how->type == FIELD_MILLI;
    if (!is_scalar(v) || !quantity_parse(json_str(v), &q))
        return fields_fail(f, path, STR_FMT " is no quantity such as %s", STR_ARG(shown(f, v)), milli ? "4, 500m or 2.5" : "512Gi, 10G or 1000");
    int64_t n = milli ? quantity_to_milli(&q) : quantity_to_i64(&q);
    if (quantity_sign(&q) < 0)
        return fields_fail(f, path, STR_FMT " is negative", STR_ARG(shown(f, v)));
    if (n == INT64_MAX)
        return fields_fail(f, path, STR_FMT " is too large", STR_ARG(shown(f, v)));
    int r = check_range(f, path, how, n, INT64_MAX);
    if (r >= 0)
        *(int64_t *)into = n;
    return r;
}

static int read_duration(struct fields *f, const struct json *v, str path, const struct field *how, void *into)
{
    nsec_t ns;
    if (!is_scalar(v) || !fields_duration(json_str(v), &ns))
        return fields_fail(f, path, STR_FMT " is no duration such as 90s, 5m or 1h30m", STR_ARG(shown(f, v)));
    if (ns < how->min)
        return fields_fail(f, path, STR_FMT " is too short", STR_ARG(shown(f, v)));
    *(nsec_t *)into = ns;
    return 0;
}

static int read_float(struct fields *f, const struct json *v, str path, void *into)
{
    double d;
    if (v->type != JSON_NUMBER || !json_to_double(v, &d) || !isfinite(d) || d < 0)
        return fields_fail(f, path, STR_FMT " is no number of 0 or more", STR_ARG(shown(f, v)));
    *(double *)into = d;
    return 0;
}

static int read_labels(struct fields *f, const struct json *v, str path, void *into)
{
    if (v->type != JSON_OBJECT)
        return fields_fail(f, path, "must be a map such as {disk: ssd}, not " STR_FMT, STR_ARG(shown(f, v)));
    if (v->len > LIMIT_SCHED_SPEC_ITEMS)
        return fields_fail(f, path, "more than %u entries", LIMIT_SCHED_SPEC_ITEMS);
    struct spec_label *p = arena_array(f->arena, v->len + 1, struct spec_label);
    for (uint32_t i = 0; i < v->len; i++) {
        const struct json *value = &v->members[i].value;
        if (!is_scalar(value) && value->type != JSON_BOOL)
            return fields_fail(f, fields_at(f, path, arena_cstr(f->arena, v->members[i].key)), "must be a text, not " STR_FMT, STR_ARG(shown(f, value)));
        p[i] = (struct spec_label){v->members[i].key, value->type == JSON_BOOL ? shown(f, value) : json_str(value)};
    }
    *(struct spec_labels *)into = (struct spec_labels){p, v->len};
    return 0;
}

static int read_strs(struct fields *f, const struct json *v, str path, void *into)
{
    struct json one = *v;
    const struct json *items = v->type == JSON_ARRAY ? v->items : &one;
    size_t n = v->type == JSON_ARRAY ? v->len : 1;
    if (n > LIMIT_SCHED_SPEC_ITEMS)
        return fields_fail(f, path, "more than %u entries", LIMIT_SCHED_SPEC_ITEMS);
    str *p = arena_array(f->arena, n + 1, str);
    for (size_t i = 0; i < n; i++) {
        if (!is_scalar(&items[i]) || !items[i].len)
            return fields_fail(f, v->type == JSON_ARRAY ? fields_nth(f, path, i) : path, "must be a text, not " STR_FMT, STR_ARG(shown(f, &items[i])));
        p[i] = json_str(&items[i]);
    }
    *(struct field_strs *)into = (struct field_strs){p, n};
    return 0;
}

int fields_value(struct fields *f, const struct json *v, str path, const struct field *how, void *into)
{
    switch (how->type) {
    case FIELD_STR:
        if (!is_scalar(v) || (how->min && !v->len))
            return fields_fail(f, path, "must be a text, not " STR_FMT "%s", STR_ARG(is_scalar(v) ? S("an empty one") : shown(f, v)),
                               v->type == JSON_BOOL ? " (YAML takes y, n, yes, no, on and off for that; quote it)" : "");
        *(str *)into = json_str(v);
        return 0;
    case FIELD_BOOL:
        if (v->type != JSON_BOOL)
            return fields_fail(f, path, "must be true or false, not " STR_FMT, STR_ARG(shown(f, v)));
        *(bool *)into = v->b;
        return 0;
    case FIELD_COUNT:
    case FIELD_INT:
    case FIELD_SEED:
        return read_integer(f, v, path, how, into);
    case FIELD_MILLI:
    case FIELD_WHOLE:
        return read_quantity(f, v, path, how, into);
    case FIELD_DURATION:
        return read_duration(f, v, path, how, into);
    case FIELD_FLOAT:
        return read_float(f, v, path, into);
    case FIELD_LABELS:
        return read_labels(f, v, path, into);
    case FIELD_STRS:
        return read_strs(f, v, path, into);
    case FIELD_OWN:
        return how->own(f, v, path, into);
    }
    base_bug(__FILE__, __LINE__, __func__, "a field of no type");
}

/* --- maps ---------------------------------------------------------------------------------------------------------------------------------------- */

/* How many letters differ, roughly: enough to guess what was meant. */
static size_t difference(str a, str b)
{
    size_t row[33], n = b.len;
    if (n > 32 || a.len > 32)
        return 99;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t before = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t up = row[j], least = MIN(up, row[j - 1]) + 1;
            row[j] = MIN(least, before + (a.p[i - 1] != b.p[j - 1]));
            before = up;
        }
    }
    return row[n];
}

static int fail_unknown(struct fields *f, str path, str name, const struct field *table)
{
    struct strbuf known = strbuf_on(f->arena);
    const char *best = NULL;
    size_t least = 3;
    for (const struct field *row = table; row->name; row++) {
        size_t d = difference(name, str_of(row->name));
        if (d < least) {
            least = d;
            best = row->name;
        }
        strbuf_addf(&known, "%s%s", known.len ? ", " : "", row->name);
    }
    str at = fields_at(f, path, arena_cstr(f->arena, name));
    if (best)
        return fields_fail(f, at, "there is no such field; did you mean %s?", best);
    return fields_fail(f, at, "there is no such field; known are %s", strbuf_cstr(&known));
}

int fields_read(struct fields *f, const struct json *obj, str path, const struct field *table, void *into)
{
    if (obj->type == JSON_NULL)
        return 0;
    if (obj->type != JSON_OBJECT)
        return fields_fail(f, path, "must be a map of fields, not " STR_FMT, STR_ARG(shown(f, obj)));
    for (uint32_t i = 0; i < obj->len; i++) {
        const struct json_member *m = &obj->members[i];
        const struct field *row = table;
        while (row->name && !str_is(m->key, row->name))
            row++;
        if (!row->name)
            return fail_unknown(f, path, m->key, table);
        if (m->value.type == JSON_NULL)
            continue;
        int r = fields_value(f, &m->value, fields_at(f, path, row->name), row, (char *)into + row->offset);
        if (r < 0)
            return r;
    }
    return 0;
}

int fields_parse(struct fields *f, struct json *ret)
{
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    struct err err = ERR_NONE;
    if (yaml_parse(f->arena, f->text, &opts, ret, &err) < 0) {
        /* the line that the reader names is go-yaml's, which is one off at times */
        size_t line = yaml_error_line(f->text);
        str why = str_of(err.msg);
        ptrdiff_t at = str_find(why, S("yaml: "));
        why = at >= 0 ? str_from(why, (size_t)at + 6) : why;
        at = str_has_prefix(why, S("line ")) ? str_find(why, S(": ")) : -1;
        why = at >= 0 ? str_from(why, (size_t)at + 2) : why;
        return err_set(f->err, E_PARSE, STR_FMT ":%zu: " STR_FMT, STR_ARG(f->file), line ? line : 1, STR_ARG(why));
    }
    if (opts.ndups)
        return fields_fail(f, dups[0], "is given twice");
    return 0;
}
