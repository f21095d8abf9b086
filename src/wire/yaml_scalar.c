/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/yaml_scalar.h"

#include <math.h>

#include "wire/base64.h"
#include "wire/json_scan.h"

#define NUMBER_MAX 400 /* longer texts are strings: no integer and hardly a float that means anything */

/* --- plain scalars ---------------------------------------------------------------------------- */

static const struct {
    const char *texts[5];
    struct yaml_plain means;
} words[] = {
    {{"y", "Y", "yes", "Yes", "YES"}, {.kind = YAML_BOOL, .b = true}},
    {{"true", "True", "TRUE"}, {.kind = YAML_BOOL, .b = true}},
    {{"on", "On", "ON"}, {.kind = YAML_BOOL, .b = true}},
    {{"n", "N", "no", "No", "NO"}, {.kind = YAML_BOOL, .b = false}},
    {{"false", "False", "FALSE"}, {.kind = YAML_BOOL, .b = false}},
    {{"off", "Off", "OFF"}, {.kind = YAML_BOOL, .b = false}},
    {{"", "~", "null", "Null", "NULL"}, {.kind = YAML_NULL}},
    {{".nan", ".NaN", ".NAN"}, {.kind = YAML_FLOAT, .d = NAN}},
    {{".inf", ".Inf", ".INF"}, {.kind = YAML_FLOAT, .d = INFINITY}},
    {{"+.inf", "+.Inf", "+.INF"}, {.kind = YAML_FLOAT, .d = INFINITY}},
    {{"-.inf", "-.Inf", "-.INF"}, {.kind = YAML_FLOAT, .d = -INFINITY}},
};

static bool word_find(str text, struct yaml_plain *ret)
{
    if (text.len > 5)
        return false;
    for (size_t i = 0; i < ARRAY_LEN(words); i++) {
        for (size_t k = 0; k < ARRAY_LEN(words[i].texts) && words[i].texts[k]; k++) {
            if (str_is(text, words[i].texts[k])) {
                *ret = words[i].means;
                return true;
            }
        }
    }
    return false;
}

static bool digits_to_u64(str s, unsigned base, uint64_t *ret)
{
    uint64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned c = (unsigned char)s.p[i], letter = (c | 0x20) - 'a', d = c - '0';
        if (d > 9)
            d = letter < 6 ? letter + 10 : 99;
        if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    *ret = v;
    return s.len > 0;
}

/* Go's ParseInt with base 0, then ParseUint: a sign, and 0x, 0o, 0b or a leading 0 for octal. */
static bool plain_int(str s, struct yaml_plain *ret)
{
    struct yaml_plain p = {.kind = YAML_INT};
    bool sign = s.len && (s.p[0] == '-' || s.p[0] == '+');
    p.negative = sign && s.p[0] == '-';
    s = str_from(s, sign);
    unsigned base = 10;
    if (s.len > 1 && s.p[0] == '0') {
        char letter = (char)(s.p[1] | 0x20);
        base = letter == 'x' ? 16 : letter == 'b' ? 2 : 8;
        s = str_from(s, letter == 'x' || letter == 'b' || letter == 'o' ? 2 : 1);
    }
    if (!digits_to_u64(s, base, &p.magnitude))
        return false;
    if (sign && p.magnitude > (uint64_t)INT64_MAX + p.negative)
        return false;
    p.negative = p.negative && p.magnitude;
    *ret = p;
    return true;
}

static const char *skip_digits(const char *p)
{
    while (*p >= '0' && *p <= '9')
        p++;
    return p;
}

/* [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)? and in the range of a double.  s is NUL-terminated. */
static bool plain_float(str s, struct yaml_plain *ret)
{
    const char *p = s.p + (s.p[0] == '-' || s.p[0] == '+'), *whole = p;
    p = skip_digits(p);
    bool digits = p > whole;
    if (*p == '.') {
        const char *fraction = ++p;
        p = skip_digits(p);
        digits = digits || p > fraction;
    }
    if (!digits)
        return false;
    if (*p == 'e' || *p == 'E') {
        p += p[1] == '-' || p[1] == '+' ? 2 : 1;
        const char *exponent = p;
        p = skip_digits(p);
        if (p == exponent)
            return false;
    }
    double d;
    if (p != s.p + s.len || !str_to_double(s, &d) || isinf(d))
        return false;
    *ret = (struct yaml_plain){.kind = YAML_FLOAT, .d = d};
    return true;
}

/* One or two digits from *io_p with a value in [low, high]. */
static bool take_number(const char **io_p, const char *end, int low, int high, int *ret)
{
    const char *p = *io_p;
    int v = 0, n = 0;
    for (; n < 2 && p < end && *p >= '0' && *p <= '9'; n++)
        v = v * 10 + (*p++ - '0');
    if (!n || v < low || v > high)
        return false;
    *io_p = p;
    *ret = v;
    return true;
}

static bool take_char(const char **io_p, const char *end, char c)
{
    if (*io_p == end || **io_p != c)
        return false;
    (*io_p)++;
    return true;
}

/* "Z" or "+hh:mm" at the end. */
static bool is_zone(const char *p, const char *end)
{
    if (end - p == 1)
        return *p == 'Z';
    int hours, minutes;
    bool sign = end - p == 6 && (*p == '+' || *p == '-');
    p++;
    return sign && take_number(&p, end, 0, 24, &hours) && take_char(&p, end, ':') && take_number(&p, end, 0, 59, &minutes) &&
           p == end;
}

/* A date, a date with T, time and zone, or a date, a blank and a time: 2001-1-2, 2001-01-02T03:04:05.6Z, 2001-1-2 3:04:05. */
static bool is_time(str s)
{
    static const char month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const char *p = s.p, *end = s.p + s.len;
    int century, in_century, month, day, ignored;
    if (s.len < 8 || !take_number(&p, p + 2, 0, 99, &century) || !take_number(&p, s.p + 4, 0, 99, &in_century) || p != s.p + 4 ||
        !take_char(&p, end, '-') || !take_number(&p, end, 1, 12, &month) || !take_char(&p, end, '-') ||
        !take_number(&p, end, 1, month_days[month - 1], &day))
        return false;
    bool leap = in_century % 4 == 0 && (in_century || century % 4 == 0);
    if (month == 2 && day == 29 && !leap)
        return false;
    if (p == end)
        return true;
    char separator = *p++;
    if ((separator != 'T' && separator != 't' && separator != ' ') || !take_number(&p, end, 0, 23, &ignored) ||
        !take_char(&p, end, ':') || !take_number(&p, end, 0, 59, &ignored) || !take_char(&p, end, ':') ||
        !take_number(&p, end, 0, 59, &ignored))
        return false;
    if (end - p >= 2 && (*p == '.' || *p == ',') && p[1] >= '0' && p[1] <= '9')
        for (p++; p < end && *p >= '0' && *p <= '9'; p++)
            ;
    return separator == ' ' ? p == end : is_zone(p, end);
}

static str without_underscores(str s, char out[NUMBER_MAX + 1])
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        if (s.p[i] != '_')
            out[n++] = s.p[i];
    out[n] = 0;
    return str_n(out, n);
}

struct yaml_plain yaml_plain_resolve(str text)
{
    struct yaml_plain p = {.kind = YAML_STR};
    if (word_find(text, &p) || text.len > NUMBER_MAX)
        return p;
    char c = text.p[0], number[NUMBER_MAX + 1];
    if (c == '.') {
        if (str_find_char(text, '_') < 0)
            plain_float(without_underscores(text, number), &p);
    } else if (c == '-' || c == '+' || (c >= '0' && c <= '9')) {
        if (is_time(text))
            p.kind = YAML_TIME;
        else if (!plain_int(without_underscores(text, number), &p))
            plain_float(without_underscores(text, number), &p);
    }
    return p;
}

str yaml_plain_int(struct arena *a, const struct yaml_plain *p)
{
    return arena_fmt(a, "%s%llu", p->negative ? "-" : "", (unsigned long long)p->magnitude);
}

/* [-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?, minutes and seconds to other readers. */
static bool is_base60(str s)
{
    const char *p = s.p, *end = s.p + s.len;
    if (p < end && (*p == '-' || *p == '+'))
        p++;
    if (p == end || *p < '0' || *p > '9')
        return false;
    while (p < end && ((*p >= '0' && *p <= '9') || *p == '_'))
        p++;
    if (p == end || *p != ':')
        return false;
    int ignored;
    while (take_char(&p, end, ':'))
        if (!take_number(&p, end, 0, 59, &ignored))
            return false;
    if (take_char(&p, end, '.'))
        while (p < end && ((*p >= '0' && *p <= '9') || *p == '_'))
            p++;
    return p == end;
}

bool yaml_plain_is_string(str text)
{
    return yaml_plain_resolve(text).kind == YAML_STR && !is_base60(text) && !str_is(text, "<<");
}

/* --- tags -------------------------------------------------------------------------------------- */

static const struct {
    const char *name; /* behind "tag:yaml.org,2002:" */
    enum yaml_kind kind;
} tags[] = {
    {"str", YAML_STR},     {"null", YAML_NULL},      {"bool", YAML_BOOL},     {"int", YAML_INT},
    {"float", YAML_FLOAT}, {"timestamp", YAML_TIME}, {"binary", YAML_BINARY}, {"merge", YAML_MERGE},
};

static enum yaml_kind tag_kind(str tag)
{
    str prefix = S("tag:yaml.org,2002:");
    for (size_t i = 0; str_has_prefix(tag, prefix) && i < ARRAY_LEN(tags); i++)
        if (str_is(str_from(tag, prefix.len), tags[i].name))
            return tags[i].kind;
    return YAML_OTHER;
}

static const char *kind_name(enum yaml_kind kind)
{
    for (size_t i = 0; i < ARRAY_LEN(tags); i++)
        if (tags[i].kind == kind)
            return tags[i].name;
    return "str";
}

void yaml_add_utf8(struct strbuf *b, str bytes)
{
    const char *p = bytes.p, *end = bytes.p + bytes.len;
    while (p < end) {
        size_t n = (unsigned char)*p < 0x80 ? 1 : json_scan_utf8(p, end);
        if (n)
            strbuf_add(b, p, n);
        else
            strbuf_add_str(b, S("\xef\xbf\xbd"));
        p += n ? n : 1;
    }
}

static int binary_value(struct arena *a, str text, struct json *ret, struct err *err)
{
    struct strbuf one_line = strbuf_on(a);
    for (size_t i = 0; i < text.len; i++)
        if (text.p[i] != '\n' && text.p[i] != '\r')
            strbuf_add_char(&one_line, text.p[i]);
    str bytes;
    if (base64_decode(a, BASE64_STD, strbuf_str(&one_line), &bytes, err) < 0)
        return err_set(err, E_PARSE, "yaml: !!binary value contains invalid base64 data");
    struct strbuf utf8 = strbuf_on(a);
    yaml_add_utf8(&utf8, bytes);
    *ret = json_string(strbuf_str(&utf8));
    return 0;
}

static int float_value(struct arena *a, double d, struct json *ret, struct err *err)
{
    if (!isfinite(d))
        return err_set(err, E_PARSE, "json: unsupported value: %s", isnan(d) ? "NaN" : d > 0 ? "+Inf" : "-Inf");
    *ret = json_double(a, d);
    return 0;
}

int yaml_scalar_value(struct arena *a, str tag, bool implicit, str text, struct json *ret, struct err *err)
{
    enum yaml_kind want = tag.p ? tag_kind(tag) : YAML_STR;
    if (want == YAML_BINARY)
        return binary_value(a, text, ret, err);
    struct yaml_plain p = {.kind = YAML_STR};
    if (tag.p ? want != YAML_STR && want != YAML_OTHER && want != YAML_MERGE : implicit)
        p = yaml_plain_resolve(text);
    if (tag.p && p.kind == YAML_INT && want == YAML_FLOAT) {
        double d = (double)p.magnitude;
        return float_value(a, p.negative ? -d : d, ret, err);
    }
    if (tag.p && p.kind != want && want != YAML_OTHER && want != YAML_MERGE)
        return err_set(err, E_PARSE, "yaml: cannot decode !!%s `" STR_FMT "` as a !!%s", kind_name(p.kind),
                       STR_ARG(str_sub(text, 0, 200)), kind_name(want));
    switch (p.kind) {
    case YAML_NULL:
        *ret = json_null();
        return 0;
    case YAML_BOOL:
        *ret = json_bool(p.b);
        return 0;
    case YAML_INT:
        *ret = json_number_text(yaml_plain_int(a, &p));
        return 0;
    case YAML_FLOAT:
        return float_value(a, p.d, ret, err);
    default:
        *ret = json_string(text);
        return 0;
    }
}
