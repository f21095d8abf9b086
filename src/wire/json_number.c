/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_number.h"

#include <float.h>
#include <math.h>

static bool reads_back(const char *text, double v, bool single)
{
    double back;
    if (!str_to_double(str_of(text), &back))
        return false;
    return single ? (float)back == (float)v : back == v;
}

struct json_digits json_digits_of(double v, bool single)
{
    char text[40];
    /* 15 digits always survive the way text, double, text for normal numbers, so fewer need not be tried there */
    int first = single || fabs(v) < DBL_MIN ? 1 : DBL_DIG;
    for (int digits = first; digits <= DBL_DECIMAL_DIG; digits++) {
        snprintf(text, sizeof text, "%.*e", digits - 1, v);
        if (reads_back(text, v, single))
            break;
    }
    struct json_digits d = {.negative = signbit(v)};
    const char *p = text;
    for (; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            d.digits[d.len++] = *p;
    while (d.len > 1 && d.digits[d.len - 1] == '0')
        d.len--;
    int64_t exponent = 0;
    BUG_ON(!str_to_i64(str_of(p[1] == '+' ? p + 2 : p + 1), &exponent));
    d.exponent = (int)exponent;
    return d;
}

/* Plain for exponents from `low` to below `high`, else scientific with at least `width` digits in the exponent. */
static void write_digits(struct strbuf *b, struct json_digits d, int low, int high, int width)
{
    if (d.negative)
        strbuf_add_char(b, '-');
    if (d.exponent < low || d.exponent >= high) {
        strbuf_add_char(b, d.digits[0]);
        if (d.len > 1)
            strbuf_addf(b, ".%.*s", d.len - 1, d.digits + 1);
        strbuf_addf(b, "e%c%0*d", d.exponent < 0 ? '-' : '+', width, abs(d.exponent));
    } else if (d.exponent < 0) {
        strbuf_addf(b, "0.%.*s%.*s", -d.exponent - 1, "000000", d.len, d.digits);
    } else {
        for (int i = 0; i <= d.exponent || i < d.len; i++) {
            if (i == d.exponent + 1)
                strbuf_add_char(b, '.');
            strbuf_add_char(b, i < d.len ? d.digits[i] : '0');
        }
    }
}

void json_digits_write_json(struct strbuf *b, struct json_digits d)
{
    write_digits(b, d, -6, 21, 1);
}

void json_digits_write_g(struct strbuf *b, struct json_digits d)
{
    write_digits(b, d, -4, 6, 2);
}
