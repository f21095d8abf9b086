/* Quantities: the text is cut into digits, fraction and suffix; decimal ones keep their digits, binary ones are
 * multiplied out digit by digit so that no length of fraction loses precision before the rounding to nano. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"

typedef __int128 i128;

#define NANO_EXP (-9)
#define MAX_DIGITS 38        /* 10^38 - 1 fits 127 bits */
#define MAX_EXPONENT 1000000 /* larger ones are nonsense that only costs arithmetic overflow checks */

struct parts {
    bool negative;
    str whole;    /* without leading zeros, "0" when nothing is left */
    str fraction; /* digits after the point */
    str suffix;
    bool bare;    /* no digit at all: "", "." or "-" before the suffix */
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t skip_digits(str s, size_t at)
{
    while (at < s.len && is_digit(s.p[at]))
        at++;
    return at;
}

static bool split(str s, struct parts *ret)
{
    struct parts p = {0};
    size_t at = 0;
    if (s.len && (s.p[0] == '-' || s.p[0] == '+'))
        p.negative = s.p[at++] == '-';
    size_t digits_at = at;
    while (at < s.len && s.p[at] == '0')
        at++;
    size_t end = skip_digits(s, at);
    p.whole = end > at ? str_sub(s, at, end) : S("0");
    p.bare = end == digits_at;
    at = end;
    if (at < s.len && s.p[at] == '.') {
        end = skip_digits(s, at + 1);
        p.fraction = str_sub(s, at + 1, end);
        p.bare = p.bare && !p.fraction.len;
        at = end;
    }
    size_t suffix_at = at;
    while (at < s.len && memchr("eEinumkKMGTP", s.p[at], 12))
        at++;
    if (at < s.len && (s.p[at] == '-' || s.p[at] == '+'))
        at++;
    at = skip_digits(s, at);
    p.suffix = str_from(s, suffix_at);
    *ret = p;
    return at == s.len;
}

struct suffix {
    str text;
    enum quantity_format format;
    int exponent; /* of 10, or of 2 for binary ones */
};
static const struct suffix suffixes[] = {
    {STR_INIT(""), QUANTITY_DECIMAL_SI, 0},    {STR_INIT("n"), QUANTITY_DECIMAL_SI, -9},
    {STR_INIT("u"), QUANTITY_DECIMAL_SI, -6},  {STR_INIT("m"), QUANTITY_DECIMAL_SI, -3},
    {STR_INIT("k"), QUANTITY_DECIMAL_SI, 3},   {STR_INIT("M"), QUANTITY_DECIMAL_SI, 6},
    {STR_INIT("G"), QUANTITY_DECIMAL_SI, 9},   {STR_INIT("T"), QUANTITY_DECIMAL_SI, 12},
    {STR_INIT("P"), QUANTITY_DECIMAL_SI, 15},  {STR_INIT("E"), QUANTITY_DECIMAL_SI, 18},
    {STR_INIT("Ki"), QUANTITY_BINARY_SI, 10},  {STR_INIT("Mi"), QUANTITY_BINARY_SI, 20},
    {STR_INIT("Gi"), QUANTITY_BINARY_SI, 30},  {STR_INIT("Ti"), QUANTITY_BINARY_SI, 40},
    {STR_INIT("Pi"), QUANTITY_BINARY_SI, 50},  {STR_INIT("Ei"), QUANTITY_BINARY_SI, 60},
};

static bool interpret_suffix(str text, struct suffix *ret)
{
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++) {
        if (str_eq(suffixes[i].text, text)) {
            *ret = suffixes[i];
            return true;
        }
    }
    if (text.len < 2 || (text.p[0] != 'e' && text.p[0] != 'E'))
        return false;
    str digits = str_from(text, 1);
    bool negative = digits.p[0] == '-';
    if (negative || digits.p[0] == '+')
        digits = str_from(digits, 1);
    uint64_t v;
    if (!str_to_u64(digits, &v) || v > MAX_EXPONENT)
        return false;
    *ret = (struct suffix){text, QUANTITY_DECIMAL_EXPONENT, negative ? -(int)v : (int)v};
    return true;
}

/* Digit i of whole and fraction read as one row. */
static int digit_at(const struct parts *p, size_t i)
{
    return (i < p->whole.len ? p->whole.p[i] : p->fraction.p[i - p->whole.len]) - '0';
}

static bool decimal_value(const struct parts *p, int exponent, struct quantity *q)
{
    size_t from = 0, to = p->whole.len + p->fraction.len;
    int64_t exp10 = (int64_t)exponent - (int64_t)p->fraction.len;
    while (to > from && digit_at(p, to - 1) == 0)
        to--, exp10++;
    while (from < to && digit_at(p, from) == 0)
        from++;
    if (from == to)
        return true; /* zero */
    bool round_up = exp10 < NANO_EXP; /* the last digit is not zero, so something is lost */
    if (round_up) {
        uint64_t drop = (uint64_t)(NANO_EXP - exp10);
        to = drop < to - from ? to - (size_t)drop : from;
        exp10 = NANO_EXP;
    }
    if (to - from > MAX_DIGITS || exp10 > MAX_EXPONENT)
        return false;
    for (; from < to; from++)
        q->mantissa = q->mantissa * 10 + digit_at(p, from);
    q->mantissa += round_up;
    q->exp10 = (int)exp10;
    return true;
}

/* whole.fraction * 2^shift in nanos, rounded up, at most INT64_MAX whole. */
static void binary_value(const struct parts *p, int shift, struct quantity *q)
{
    i128 carry = 0, nano = 0, unit = 1;
    bool lost = false;
    /* School multiplication of the fraction from its last digit; what is carried out of the first is whole. */
    for (size_t i = p->fraction.len; i-- > 0;) {
        i128 v = ((i128)(p->fraction.p[i] - '0') << shift) + carry;
        int digit = (int)(v % 10);
        carry = v / 10;
        if (i >= (size_t)-NANO_EXP)
            lost = lost || digit;
        else
            nano += digit * unit, unit *= 10;
    }
    for (size_t i = p->fraction.len; i < (size_t)-NANO_EXP; i++)
        nano *= 10;
    i128 whole = 0;
    for (size_t i = 0; i < p->whole.len && whole <= INT64_MAX; i++)
        whole = whole * 10 + (p->whole.p[i] - '0');
    /* Capped before and after the shift, so that nothing overflows on the way to the cap. */
    i128 max = INT64_MAX;
    whole = MIN(whole, max) << shift;
    whole = MIN(whole, max);
    q->mantissa = MIN((whole + carry) * 1000000000 + nano + lost, max * 1000000000);
    q->exp10 = NANO_EXP;
    if (q->mantissa > 0 && q->mantissa < 1000000000)
        q->format = QUANTITY_DECIMAL_SI;
}

/* Whether the text is one that Kubernetes keeps: its parser takes short numbers on a fast path that calls a text
 * canonical by a rule of thumb and then never rewrites it. */
static bool is_kept(const struct parts *p, const struct suffix *suf)
{
    size_t n = p->whole.len + p->fraction.len;
    if (suf->format == QUANTITY_BINARY_SI) {
        /* So many digits pass for Ki, Mi, Gi and Ti. */
        int room = 14 - suf->exponent * 3 / 10;
        uint64_t v;
        return !p->fraction.len && (int64_t)n <= room && str_to_u64(p->whole, &v) && (v & 7);
    }
    int64_t scale = (int64_t)suf->exponent - (int64_t)p->fraction.len;
    if (n > 18 || scale < NANO_EXP || scale % 3 != 0 || p->whole.p[0] == '0')
        return false;
    return n < 3 || digit_at(p, n - 1) || digit_at(p, n - 2) || digit_at(p, n - 3);
}

bool quantity_parse(str s, struct quantity *ret)
{
    struct parts p;
    struct suffix suf;
    if (!s.len || !split(s, &p) || !interpret_suffix(p.suffix, &suf))
        return false;
    bool binary = suf.format == QUANTITY_BINARY_SI;
    /* A suffix alone is zero to Kubernetes where its fast path takes it ("Ki") and an error elsewhere ("Pi", "e-10"). */
    if (p.bare && (binary ? suf.exponent >= 50 : suf.exponent < NANO_EXP))
        return false;
    struct quantity q = {.format = suf.format};
    if (binary)
        binary_value(&p, suf.exponent, &q);
    else if (!decimal_value(&p, suf.exponent, &q))
        return false;
    if (p.negative)
        q.mantissa = -q.mantissa;
    if (is_kept(&p, &suf))
        q.written = s;
    *ret = q;
    return true;
}

/* Moves factors of ten into the exponent. */
static void strip_zeros(struct quantity *q)
{
    if (!q->mantissa)
        q->exp10 = 0;
    while (q->mantissa && q->mantissa % 10 == 0)
        q->mantissa /= 10, q->exp10++;
}

/* q with the smaller exponent exp10; false when the mantissa would not fit. */
static bool rescale_down(struct quantity *q, int exp10)
{
    while (q->exp10 > exp10) {
        if (__builtin_mul_overflow(q->mantissa, (i128)10, &q->mantissa))
            return false;
        q->exp10--;
    }
    return true;
}

int quantity_sign(const struct quantity *q)
{
    return (q->mantissa > 0) - (q->mantissa < 0);
}

bool quantity_is_zero(const struct quantity *q)
{
    return q->mantissa == 0;
}

int quantity_cmp(const struct quantity *a, const struct quantity *b)
{
    int sa = quantity_sign(a), sb = quantity_sign(b);
    if (sa != sb || !sa)
        return (sa > sb) - (sa < sb);
    struct quantity x = *a, y = *b;
    strip_zeros(&x);
    strip_zeros(&y);
    if (!rescale_down(&x, y.exp10))
        return sa;
    if (!rescale_down(&y, x.exp10))
        return -sa;
    return (x.mantissa > y.mantissa) - (x.mantissa < y.mantissa);
}

static void add_signed(struct quantity *a, const struct quantity *b, int sign)
{
    struct quantity x = *a, y = *b;
    if (!x.mantissa)
        a->format = y.format;
    a->written = STR_NONE;
    y.mantissa *= sign;
    strip_zeros(&x);
    strip_zeros(&y);
    if (!x.mantissa)
        x.exp10 = y.exp10;
    if (!y.mantissa)
        y.exp10 = x.exp10;
    struct quantity full_x = x, full_y = y;
    /* Beyond 128 bits the operand that cannot be scaled dwarfs the other one. */
    if (!rescale_down(&x, y.exp10))
        x = full_x;
    else if (!rescale_down(&y, x.exp10) || __builtin_add_overflow(x.mantissa, y.mantissa, &x.mantissa))
        x = full_y;
    a->mantissa = x.mantissa;
    a->exp10 = x.mantissa ? x.exp10 : 0;
}

void quantity_add(struct quantity *a, const struct quantity *b)
{
    add_signed(a, b, 1);
}

void quantity_sub(struct quantity *a, const struct quantity *b)
{
    add_signed(a, b, -1);
}

/* value / 10^exp10 as an integer, away from zero, clamped.  *ret_exact may be NULL. */
static i128 scaled(const struct quantity *q, int exp10, i128 clamp, bool *ret_exact)
{
    struct quantity x = *q;
    strip_zeros(&x);
    bool fits = rescale_down(&x, exp10), lost = false;
    for (; fits && x.exp10 < exp10 && x.mantissa; x.exp10++) {
        lost = lost || x.mantissa % 10;
        x.mantissa /= 10;
    }
    int sign = quantity_sign(q);
    if (ret_exact)
        *ret_exact = fits && !lost;
    if (!fits)
        return sign * clamp;
    x.mantissa += lost ? sign : 0;
    return MIN(MAX(x.mantissa, -clamp), clamp);
}

int64_t quantity_to_i64(const struct quantity *q)
{
    return (int64_t)scaled(q, 0, INT64_MAX, NULL);
}

int64_t quantity_to_milli(const struct quantity *q)
{
    return (int64_t)scaled(q, -3, INT64_MAX, NULL);
}

struct quantity quantity_from_i64(int64_t v)
{
    return (struct quantity){.mantissa = v, .format = QUANTITY_DECIMAL_SI};
}

struct quantity quantity_from_milli(int64_t v)
{
    return (struct quantity){.mantissa = v, .exp10 = -3, .format = QUANTITY_DECIMAL_SI};
}

static void add_i128(struct strbuf *b, i128 v)
{
    char digits[48];
    size_t at = sizeof digits;
    unsigned __int128 u = v < 0 ? -(unsigned __int128)v : (unsigned __int128)v;
    do
        digits[--at] = (char)('0' + (int)(u % 10));
    while (u /= 10);
    if (v < 0)
        digits[--at] = '-';
    strbuf_add(b, digits + at, sizeof digits - at);
}

static void add_suffix(struct strbuf *b, enum quantity_format format, int exponent)
{
    for (size_t i = 0; i < ARRAY_LEN(suffixes); i++)
        if (suffixes[i].format == format && suffixes[i].exponent == exponent)
            strbuf_add_str(b, suffixes[i].text);
}

static void format_decimal(struct strbuf *b, struct quantity q, enum quantity_format format)
{
    strip_zeros(&q);
    int target = q.exp10 - ((q.exp10 % 3) + 3) % 3;
    /* Kubernetes loses the suffix of numbers from 10^21 on; ours stay the numbers they are. */
    if (format == QUANTITY_DECIMAL_SI && target > 18)
        target = 18;
    int zeros = q.exp10 - target;
    add_i128(b, q.mantissa);
    for (; zeros > 0; zeros--)
        strbuf_add_char(b, '0');
    if (format == QUANTITY_DECIMAL_SI)
        add_suffix(b, format, target);
    else if (target)
        strbuf_addf(b, "e%d", target);
}

/* False when the value is not an integer of at least 1024: those are shown in decimal. */
static bool format_binary(struct strbuf *b, const struct quantity *q)
{
    bool exact;
    i128 limit = (i128)1 << 100; /* sums of capped values stay far below */
    i128 v = scaled(q, 0, limit, &exact);
    if (!exact || v <= -limit || v >= limit || (v > -1024 && v < 1024))
        return false;
    int exponent = 0;
    for (; exponent < 60 && v % 1024 == 0; exponent += 10)
        v /= 1024;
    add_i128(b, v);
    add_suffix(b, QUANTITY_BINARY_SI, exponent);
    return true;
}

/* A number like 1e1000000 in the SI format would print a megabyte of zeros. */
#define MAX_SI_EXPONENT 64

str quantity_format(struct arena *a, const struct quantity *q)
{
    if (q->written.len)
        return arena_str(a, q->written);
    if (!q->mantissa)
        return S("0");
    struct strbuf b = strbuf_on(a);
    if (q->format == QUANTITY_BINARY_SI && format_binary(&b, q))
        return strbuf_str(&b);
    bool exponent = q->format == QUANTITY_DECIMAL_EXPONENT || q->exp10 > MAX_SI_EXPONENT;
    format_decimal(&b, *q, exponent ? QUANTITY_DECIMAL_EXPONENT : QUANTITY_DECIMAL_SI);
    return strbuf_str(&b);
}
