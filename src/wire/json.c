/* Values: making, reading, comparing, changing.  Text to tree is json_parse.c, tree to text json_write.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json.h"

#include <math.h>

#include "wire/json_index.h"
#include "wire/json_number.h"

/* --- making ---------------------------------------------------------------------------------- */

struct json json_int(struct arena *a, int64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%lld", (long long)v);
    return json_number_text(arena_str(a, str_n(text, (size_t)n)));
}

struct json json_double(struct arena *a, double v)
{
    if (!isfinite(v))
        return json_null(); /* JSON has no text for it */
    struct strbuf b = strbuf_on(a);
    json_digits_write_json(&b, json_digits_of(v, false));
    return json_number_text(strbuf_str(&b));
}

struct json json_literal(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    BUG_ON(json_parse(a, str_of(text), NULL, &v, &err) < 0);
    return v;
}

struct json json_copy(struct arena *a, const struct json *v)
{
    struct json copy = *v;
    switch (v->type) {
    case JSON_NUMBER:
    case JSON_STRING:
        copy.s = arena_str(a, json_str(v)).p;
        break;
    case JSON_ARRAY:
        copy.cap = v->len;
        copy.items = v->len ? arena_alloc(a, v->len * sizeof *v->items) : NULL;
        for (uint32_t i = 0; i < v->len; i++)
            copy.items[i] = json_copy(a, &v->items[i]);
        break;
    case JSON_OBJECT:
        copy.cap = v->len;
        copy.members = v->len ? arena_alloc(a, v->len * sizeof *v->members) : NULL;
        for (uint32_t i = 0; i < v->len; i++) {
            copy.members[i].key = arena_str(a, v->members[i].key);
            copy.members[i].value = json_copy(a, &v->members[i].value);
        }
        break;
    default:
        break;
    }
    return copy;
}

struct json json_copy_shape(struct arena *a, const struct json *v)
{
    struct json copy = *v;
    if (v->type == JSON_ARRAY) {
        copy.cap = v->len;
        copy.items = v->len ? arena_alloc(a, v->len * sizeof *v->items) : NULL;
        for (uint32_t i = 0; i < v->len; i++)
            copy.items[i] = json_copy_shape(a, &v->items[i]);
    } else if (v->type == JSON_OBJECT) {
        copy.cap = v->len;
        copy.members = v->len ? arena_alloc(a, v->len * sizeof *v->members) : NULL;
        for (uint32_t i = 0; i < v->len; i++)
            copy.members[i] = (struct json_member){v->members[i].key, json_copy_shape(a, &v->members[i].value)};
    }
    return copy;
}

struct json json_copy_members(struct arena *a, const struct json *v)
{
    struct json copy = *v;
    copy.cap = v->len;
    copy.members = v->len ? arena_alloc(a, v->len * sizeof *v->members) : NULL;
    if (v->len)
        memcpy(copy.members, v->members, v->len * sizeof *v->members);
    return copy;
}

/* --- reading --------------------------------------------------------------------------------- */

/* Most keys differ in length or first byte, which spares the call of memcmp. */
static inline bool key_is(const struct json_member *m, str key)
{
    return m->key.len == key.len && (!key.len || (m->key.p[0] == key.p[0] && !memcmp(m->key.p, key.p, key.len)));
}

struct json *json_get(const struct json *v, str key)
{
    if (!v || v->type != JSON_OBJECT)
        return NULL;
    struct json_member *m = v->members;
    for (uint32_t i = 0; i < v->len; i++)
        if (key_is(&m[i], key))
            return &m[i].value;
    return NULL;
}

struct json *json_path(const struct json *v, ...)
{
    va_list ap;
    va_start(ap, v);
    const char *key;
    while ((key = va_arg(ap, const char *)) != NULL)
        v = json_get(v, str_of(key));
    va_end(ap);
    return (struct json *)v;
}

str json_get_str(const struct json *v, str key)
{
    const struct json *m = json_get(v, key);
    return json_is(m, JSON_STRING) ? json_str(m) : S("");
}

bool json_get_bool(const struct json *v, str key, bool otherwise)
{
    const struct json *m = json_get(v, key);
    return json_is(m, JSON_BOOL) ? m->b : otherwise;
}

int64_t json_get_int(const struct json *v, str key, int64_t otherwise)
{
    int64_t n;
    return json_to_i64(json_get(v, key), &n) ? n : otherwise;
}

bool json_to_i64(const struct json *v, int64_t *ret)
{
    return json_is(v, JSON_NUMBER) && str_to_i64(json_str(v), ret);
}

bool json_to_double(const struct json *v, double *ret)
{
    if (!json_is(v, JSON_NUMBER))
        return false;
    /* str_to_double refuses very long texts, which are legal numbers all the same */
    char *text CLEANUP(free) = str_dup(json_str(v));
    double d = strtod(text, NULL);
    if (!isfinite(d))
        return false;
    *ret = d;
    return true;
}

/* --- comparing ------------------------------------------------------------------------------- */

/* A number as 0.d1d2d3... * 10^exponent with d1 and the last digit not 0; zero has no digits. */
struct decimal {
    const char *from, *to; /* first and behind the last digit that counts; a point may stand between */
    int64_t exponent;
    bool negative;
    bool huge; /* the exponent does not fit: only the same text is equal */
};

static struct decimal decimal_of(str s)
{
    struct decimal d = {.negative = s.p[0] == '-'};
    const char *p = s.p + d.negative, *end = s.p + s.len, *point = NULL, *mantissa_end = p;
    while (mantissa_end < end && (*mantissa_end | 0x20) != 'e') {
        if (*mantissa_end == '.')
            point = mantissa_end;
        mantissa_end++;
    }
    if (mantissa_end < end) {
        const char *digits = mantissa_end + 1;
        if (*digits == '+')
            digits++;
        d.huge = end - digits > 17 || !str_to_i64(str_n(digits, (size_t)(end - digits)), &d.exponent);
    }
    const char *whole_end = point ? point : mantissa_end;
    for (d.from = p; d.from < mantissa_end && (*d.from == '0' || *d.from == '.'); d.from++)
        ;
    for (d.to = mantissa_end; d.to > d.from && (d.to[-1] == '0' || d.to[-1] == '.'); d.to--)
        ;
    if (d.from == d.to)
        return (struct decimal){.from = p, .to = p}; /* 0, -0, 0e9 are equal */
    d.exponent += d.from < whole_end ? whole_end - d.from : whole_end - d.from + 1;
    return d;
}

static bool number_equal(str a, str b)
{
    if (str_eq(a, b))
        return true;
    struct decimal x = decimal_of(a), y = decimal_of(b);
    if (x.negative != y.negative || x.exponent != y.exponent || x.huge || y.huge)
        return false;
    const char *p = x.from, *q = y.from;
    while (p < x.to && q < y.to) {
        if (*p == '.') {
            p++;
        } else if (*q == '.') {
            q++;
        } else if (*p++ != *q++) {
            return false;
        }
    }
    return p == x.to && q == y.to;
}

/* Members in another order: each of a is looked up in b, by index when there are many. */
static bool object_equal_unordered(const struct json *a, const struct json *b, uint32_t from)
{
    struct json_index index = {0};
    if (b->len >= JSON_INDEX_FROM) {
        json_index_init(&index, b->len);
        for (uint32_t i = 0; i < b->len; i++)
            json_index_add(&index, b->members, i);
    }
    bool equal = true;
    for (uint32_t i = from; equal && i < a->len; i++) {
        const struct json *other;
        if (index.slots_) {
            uint32_t at = json_index_find(&index, b->members, a->members[i].key);
            other = at == JSON_INDEX_NONE ? NULL : &b->members[at].value;
        } else {
            other = json_get(b, a->members[i].key);
        }
        equal = other && json_equal(&a->members[i].value, other);
    }
    json_index_fini(&index);
    return equal;
}

/* Keys are unique, so equal sizes and every key of a in b make the sets equal. */
static bool object_equal(const struct json *a, const struct json *b)
{
    if (a->len != b->len)
        return false;
    for (uint32_t i = 0; i < a->len; i++) {
        if (!key_is(&a->members[i], b->members[i].key))
            return object_equal_unordered(a, b, i);
        if (!json_equal(&a->members[i].value, &b->members[i].value))
            return false;
    }
    return true;
}

bool json_depth_fits(const struct json *v, unsigned max)
{
    if (v->type != JSON_ARRAY && v->type != JSON_OBJECT)
        return true;
    if (!max)
        return false;
    for (uint32_t i = 0; i < v->len; i++)
        if (!json_depth_fits(v->type == JSON_ARRAY ? &v->items[i] : &v->members[i].value, max - 1))
            return false;
    return true;
}

bool json_equal(const struct json *a, const struct json *b)
{
    if (!a || !b)
        return a == b;
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case JSON_BOOL:
        return a->b == b->b;
    case JSON_NUMBER:
        return number_equal(json_str(a), json_str(b));
    case JSON_STRING:
        return str_eq(json_str(a), json_str(b));
    case JSON_ARRAY:
        if (a->len != b->len)
            return false;
        for (uint32_t i = 0; i < a->len; i++)
            if (!json_equal(&a->items[i], &b->items[i]))
                return false;
        return true;
    case JSON_OBJECT:
        return object_equal(a, b);
    default:
        return true;
    }
}

/* --- changing -------------------------------------------------------------------------------- */

/* Room for one more item of `size` bytes; items and members share their pointer. */
static void reserve_one(struct arena *a, struct json *v, size_t size)
{
    if (v->len < v->cap)
        return;
    BUG_ON(v->cap > UINT32_MAX / 2);
    uint32_t cap = v->cap ? v->cap * 2 : 4;
    v->items = arena_grow(a, v->items, v->len * size, cap * size);
    v->cap = cap;
}

struct json *json_set(struct arena *a, struct json *obj, str key, struct json value)
{
    BUG_ON(obj->type != JSON_OBJECT);
    struct json *place = json_get(obj, key);
    if (!place) {
        reserve_one(a, obj, sizeof *obj->members);
        struct json_member *m = &obj->members[obj->len++];
        m->key = key;
        place = &m->value;
    }
    *place = value;
    return place;
}

struct json *json_ensure_object(struct arena *a, struct json *obj, str key)
{
    struct json *v = json_get(obj, key);
    if (!v)
        return json_set(a, obj, key, json_object());
    if (v->type == JSON_NULL)
        *v = json_object();
    return v;
}

bool json_del(struct json *obj, str key)
{
    struct json *v = json_get(obj, key);
    if (!v)
        return false;
    struct json_member *m = container_of(v, struct json_member, value);
    size_t at = (size_t)(m - obj->members);
    memmove(m, m + 1, (obj->len - at - 1) * sizeof *m);
    obj->len--;
    return true;
}

struct json *json_push(struct arena *a, struct json *arr, struct json value)
{
    return json_insert(a, arr, arr->len, value);
}

struct json *json_insert(struct arena *a, struct json *arr, size_t at, struct json value)
{
    BUG_ON(arr->type != JSON_ARRAY || at > arr->len);
    reserve_one(a, arr, sizeof *arr->items);
    struct json *place = &arr->items[at];
    memmove(place + 1, place, (arr->len - at) * sizeof *place);
    *place = value;
    arr->len++;
    return place;
}

void json_remove(struct json *arr, size_t at)
{
    BUG_ON(arr->type != JSON_ARRAY || at >= arr->len);
    memmove(&arr->items[at], &arr->items[at + 1], (arr->len - at - 1) * sizeof *arr->items);
    arr->len--;
}
