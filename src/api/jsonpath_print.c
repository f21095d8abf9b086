/* Values as text: what Go's fmt and encoding/json make of decoded JSON, since that is what kubectl's users see. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"

/* Shortest digits that read back as v, without point, and the exponent of the first: 1250 is "125", 3. */
static int shortest_digits(double v, char digits[24], size_t *ret_n)
{
    char text[40];
    for (int precision = 0; precision < 17; precision++) {
        double back;
        snprintf(text, sizeof text, "%.*e", precision, v);
        if (str_to_double(str_of(text), &back) && back == v)
            break;
    }
    size_t n = 0;
    const char *c = text;
    for (; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9')
            digits[n++] = *c;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    int64_t exponent = 0;
    str_to_i64(str_of(c[1] == '+' ? c + 2 : c + 1), &exponent);
    *ret_n = n;
    return (int)exponent;
}

/* Plain digits while the exponent is in [low, 21), else d.ddde+XX.  Go's fmt has low -4, its JSON -6 and no leading
 * zero in a negative exponent. */
static void write_float(struct strbuf *b, double v, int low, bool json)
{
    char digits[24];
    size_t n;
    int exponent = shortest_digits(__builtin_fabs(v), digits, &n);
    if (__builtin_signbit(v))
        strbuf_add_char(b, '-');
    if (v != 0 && (exponent < low || exponent >= 21)) {
        strbuf_add_char(b, digits[0]);
        strbuf_add_str(b, n > 1 ? S(".") : S(""));
        strbuf_add(b, digits + 1, n - 1);
        strbuf_addf(b, json && exponent < 0 ? "e%d" : exponent < 0 ? "e%03d" : "e+%02d", exponent);
        return;
    }
    if (exponent < 0)
        strbuf_add_str(b, S("0."));
    for (int i = -1; i > exponent; i--)
        strbuf_add_char(b, '0');
    for (int i = 0; i < (int)n || i <= exponent; i++) {
        if (i == exponent + 1 && exponent >= 0)
            strbuf_add_char(b, '.');
        strbuf_add_char(b, i < (int)n ? digits[i] : '0');
    }
}

static void write_number(struct strbuf *b, const struct json *v, int low, bool json)
{
    int64_t i;
    double d;
    if (json_to_i64(v, &i))
        strbuf_add_i64(b, i);
    else if (json_to_double(v, &d) && d - d == 0)
        write_float(b, d, low, json);
    else
        strbuf_add_str(b, json_str(v)); /* beyond a double */
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
        write_number(b, v, -6, true);
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
        write_number(b, v, -4, false);
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
