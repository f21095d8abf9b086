/* Values as text: what Go's fmt and encoding/json make of decoded JSON, since that is what kubectl's users see. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"

#include "wire/json_number.h"

/* Go's fmt has digits without exponent from 1e-4 to below 1e21, its JSON from 1e-6: between those the two layouts of wire/
 * agree. */
static void write_number(struct strbuf *b, const struct json *v, bool json)
{
    int64_t i;
    double d;
    if (json_to_i64(v, &i)) {
        strbuf_add_i64(b, i);
    } else if (json_to_double(v, &d) && d - d == 0) {
        struct json_digits digits = json_digits_of(d, false);
        if (json || (digits.exponent >= -4 && digits.exponent < 21))
            json_digits_write_json(b, digits);
        else
            json_digits_write_g(b, digits);
    } else {
        strbuf_add_str(b, json_str(v)); /* beyond a double */
    }
}

static int by_key(const void *x, const void *y)
{
    return str_cmp((*(const struct json_member *const *)x)->key, (*(const struct json_member *const *)y)->key);
}

const struct json_member **jsonpath_sorted_members(struct arena *a, const struct json *v)
{
    const struct json_member **order = arena_array(a, v->len, const struct json_member *);
    for (uint32_t i = 0; i < v->len; i++)
        order[i] = &v->members[i];
    if (v->len)
        qsort(order, v->len, sizeof *order, by_key);
    return order;
}

static void write_json(struct arena *a, struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_OBJECT) {
        const struct json_member **members = jsonpath_sorted_members(a, v);
        strbuf_add_char(b, '{');
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, i ? S(",") : S(""));
            json_write_string(b, members[i]->key);
            strbuf_add_char(b, ':');
            write_json(a, b, &members[i]->value);
        }
        strbuf_add_char(b, '}');
    } else if (v->type == JSON_ARRAY) {
        strbuf_add_char(b, '[');
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, i ? S(",") : S(""));
            write_json(a, b, &v->items[i]);
        }
        strbuf_add_char(b, ']');
    } else if (v->type == JSON_NUMBER) {
        write_number(b, v, true);
    } else {
        json_write(b, v);
    }
}

static void write_scalar(struct strbuf *b, const struct json *v, str null)
{
    if (!v || v->type == JSON_NULL)
        strbuf_add_str(b, null);
    else if (v->type == JSON_BOOL)
        strbuf_add_str(b, v->b ? S("true") : S("false"));
    else if (v->type == JSON_NUMBER)
        write_number(b, v, false);
    else
        strbuf_add_str(b, json_str(v));
}

void jsonpath_write_value(struct arena *a, struct strbuf *b, const struct json *v)
{
    if (json_is(v, JSON_OBJECT) || json_is(v, JSON_ARRAY))
        write_json(a, b, v);
    else
        write_scalar(b, v, S("null"));
}

void jsonpath_write_go(struct arena *a, struct strbuf *b, const struct json *v)
{
    if (json_is(v, JSON_OBJECT)) {
        const struct json_member **members = jsonpath_sorted_members(a, v);
        strbuf_add_str(b, S("map["));
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, i ? S(" ") : S(""));
            strbuf_add_str(b, members[i]->key);
            strbuf_add_char(b, ':');
            jsonpath_write_go(a, b, &members[i]->value);
        }
        strbuf_add_char(b, ']');
    } else if (json_is(v, JSON_ARRAY)) {
        strbuf_add_char(b, '[');
        for (uint32_t i = 0; i < v->len; i++) {
            strbuf_add_str(b, i ? S(" ") : S(""));
            jsonpath_write_go(a, b, &v->items[i]);
        }
        strbuf_add_char(b, ']');
    } else {
        write_scalar(b, v, S("<nil>"));
    }
}
