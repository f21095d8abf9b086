/* A text is cut into digits, fraction, power of ten and unit; the number is held as digits x 10^-fraction, so that nothing is rounded. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bandwidth.h"

#include <stdio.h>

const char *const bandwidth_resource[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = "cox.io/egress-bandwidth", [BANDWIDTH_IN] = "cox.io/ingress-bandwidth"};

#define DIGITS_MAX 18 /* with the largest multiplier (2^40) the product stays within 128 bits */
#define EXPONENT_MAX 30

static const struct prefix {
    char letter;
    int64_t thousands, binary;
} prefixes[] = {
    {'k', 1000ll, 1ll << 10},
    {'m', 1000000ll, 1ll << 20},
    {'g', 1000000000ll, 1ll << 30},
    {'t', 1000000000000ll, 1ll << 40},
};
static const char *const words[] = {"bits", "bit", "bps", "bit/s", "bits/s", "b/s", "bit/sec", "bits/sec"};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static int refuse(struct err *err, str text, const char *why)
{
    return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no bandwidth: %s", STR_ARG(str_sub(text, 0, MIN(text.len, (size_t)64))), why);
}

struct number {
    __int128 digits;
    int ten; /* value = digits * 10^ten */
    size_t used;
};

/* Zeros at the end of a fraction are dropped first, or "1.000000000000000000000" would be too long. */
static const char *read_number(str s, struct number *ret)
{
    struct number n = {0};
    size_t at = 0, count = 0;
    bool any = false, point = false;
    int zeros = 0;
    for (; at < s.len && (is_digit(s.p[at]) || (s.p[at] == '.' && !point)); at++) {
        if (s.p[at] == '.') {
            point = true;
            continue;
        }
        any = true;
        n.ten -= point;
        zeros++;
        if (s.p[at] == '0') { /* kept back until another digit follows */
            if (!n.digits)
                zeros = 0;
            continue;
        }
        count += n.digits ? (size_t)zeros : 1;
        if (count > DIGITS_MAX)
            return "it has more digits than any bandwidth";
        for (int i = 0; i < (n.digits ? zeros : 1); i++)
            n.digits *= 10;
        n.digits += s.p[at] - '0';
        zeros = 0;
    }
    n.ten += n.digits ? zeros : 0;
    n.used = at;
    *ret = n;
    return any ? NULL : "it starts with no number";
}

/* "e9": only before the unit's end or a blank, and never the E of exa, which no network has. */
static bool read_exponent(str *rest, int *ten)
{
    str s = *rest;
    if (s.len < 2 || (s.p[0] != 'e' && s.p[0] != 'E'))
        return false;
    size_t at = 1 + (s.p[1] == '+' || s.p[1] == '-');
    int value = 0;
    size_t from = at;
    for (; at < s.len && is_digit(s.p[at]) && value <= EXPONENT_MAX; at++)
        value = value * 10 + (s.p[at] - '0');
    if (at == from || value > EXPONENT_MAX)
        return false;
    *ten += s.p[1] == '-' ? -value : value;
    *rest = str_from(s, at);
    return true;
}

static bool is_word(str s)
{
    for (size_t i = 0; i < ARRAY_LEN(words); i++)
        if (str_is(s, words[i]))
            return true;
    return false;
}

static const char *read_unit(str s, int64_t *ret_times)
{
    *ret_times = 1;
    if (!s.len || is_word(s))
        return NULL;
    for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
        const struct prefix *p = &prefixes[i];
        char upper = (char)(p->letter - 'a' + 'A');
        if (s.p[0] != p->letter && s.p[0] != upper)
            continue;
        bool binary = s.len > 1 && s.p[1] == 'i';
        str word = str_from(s, binary ? 2 : 1);
        *ret_times = binary ? p->binary : p->thousands;
        if (word.len && word.p[0] == 'B')
            return "B are bytes, and bandwidth is counted in bits: eight times as many, written with bps or bit/s";
        /* alone the case counts, as in a quantity: 5m would be five thousandths */
        bool plain = !word.len && (binary ? s.p[0] == upper : s.p[0] == (p->letter == 'k' ? 'k' : upper));
        if (plain || is_word(word))
            return NULL;
        break;
    }
    if (s.p[0] == 'B')
        return "B are bytes, and bandwidth is counted in bits: eight times as many, written with bps or bit/s";
    return "write it as 500Mi, 10G, 200Mbps or 1.5 Gbit/s";
}

int bandwidth_parse(str text, int64_t *ret_bits, struct err *err)
{
    str s = str_trim(text);
    struct number n;
    int64_t times;
    if (s.len && s.p[0] == '-')
        return refuse(err, text, "it is negative");
    if (s.len && s.p[0] == '+')
        s = str_from(s, 1);
    const char *why = read_number(s, &n);
    if (why)
        return refuse(err, text, why);
    str unit = str_from(s, n.used);
    (void)read_exponent(&unit, &n.ten);
    why = read_unit(str_trim(unit), &times);
    if (why)
        return refuse(err, text, why);
    if (!n.digits)
        return refuse(err, text, "it is zero; leave it out where nothing is wanted");
    __int128 bits = n.digits * times;
    for (; n.ten > 0 && bits <= BANDWIDTH_MAX; n.ten--)
        bits *= 10;
    for (; n.ten < 0 && bits % 10 == 0; n.ten++)
        bits /= 10;
    if (n.ten > 0 || (n.ten == 0 && bits > BANDWIDTH_MAX))
        return refuse(err, text, "it is more than 1 Pbit/s");
    if (n.ten < 0)
        return refuse(err, text, "it is no whole number of bits a second");
    *ret_bits = (int64_t)bits;
    return 0;
}

int bandwidth_parse_ends(str text, int64_t ret_bits[BANDWIDTH_ENDS], struct err *err)
{
    static const char *const ends[BANDWIDTH_ENDS] = {[BANDWIDTH_OUT] = "egress", [BANDWIDTH_IN] = "ingress"};
    int64_t bits[BANDWIDTH_ENDS] = {0}, both;
    str rest = text, one, name;
    if (str_find_char(text, '=') < 0) {
        int r = bandwidth_parse(text, &both, err);
        for (int e = 0; r == 0 && e < BANDWIDTH_ENDS; e++)
            ret_bits[e] = both;
        return r;
    }
    for (bool more = true; more;) {
        more = str_cut(&rest, ',', &one);
        int e = 0;
        if (!str_cut(&one, '=', &name))
            return refuse(err, text, "each part names its end, as in egress=200Mbps,ingress=1G");
        while (e < BANDWIDTH_ENDS && !str_is(str_trim(name), ends[e]))
            e++;
        if (e == BANDWIDTH_ENDS)
            return refuse(err, text, "the ends are called egress and ingress");
        if (bits[e])
            return refuse(err, text, "it names one end twice");
        int r = bandwidth_parse(one, &bits[e], err);
        if (r < 0)
            return r;
    }
    for (int e = 0; e < BANDWIDTH_ENDS; e++)
        ret_bits[e] = bits[e];
    return 0;
}

bool bandwidth_is_resource(str name)
{
    return str_is(name, BANDWIDTH_KUSCIA) || str_is(name, bandwidth_resource[BANDWIDTH_OUT]) || str_is(name, bandwidth_resource[BANDWIDTH_IN]);
}

bool bandwidth_is_lent(str name)
{
    return str_is(name, BANDWIDTH_LENT_EGRESS) || str_is(name, BANDWIDTH_LENT_INGRESS);
}

const char *bandwidth_print(int64_t bits, char ret[BANDWIDTH_TEXT])
{
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
    const char *sign = bits < 0 ? "-" : "";
    uint64_t n = bits < 0 ? -(uint64_t)bits : (uint64_t)bits, unit = 1;
    size_t u = 0;
    while (u + 1 < ARRAY_LEN(units) && n / unit >= 1000) {
        unit *= 1000;
        u++;
    }
    uint64_t hundredths = unit == 1 ? n * 100 : (n + unit / 200) / (unit / 100);
    unsigned rest = (unsigned)(hundredths % 100);
    unsigned long long whole = hundredths / 100;
    if (!rest)
        snprintf(ret, BANDWIDTH_TEXT, "%s%llu %s", sign, whole, units[u]);
    else
        snprintf(ret, BANDWIDTH_TEXT, rest % 10 ? "%s%llu.%02u %s" : "%s%llu.%u %s", sign, whole, rest % 10 ? rest : rest / 10, units[u]);
    return ret;
}

const char *bandwidth_print_beside(int64_t bits, int64_t other, char ret[BANDWIDTH_TEXT])
{
    char there[BANDWIDTH_TEXT];
    if (bits != other && strcmp(bandwidth_print(bits, ret), bandwidth_print(other, there)) == 0)
        snprintf(ret, BANDWIDTH_TEXT, "%lld bit/s", (long long)bits);
    else
        bandwidth_print(bits, ret);
    return ret;
}

int64_t bandwidth_of_kbps(int64_t limit_kbps)
{
    return limit_kbps <= 0 || limit_kbps > BANDWIDTH_MAX / 8192 ? 0 : limit_kbps * 8192;
}

int bandwidth_next_limit(str *rest, str *ret_to, int64_t *ret_bits, struct err *err)
{
    str one, to;
    str_cut(rest, ',', &one);
    one = str_trim(one);
    if (!str_cut(&one, '=', &to) || !str_trim(to).len)
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is not of the form DESTINATION=BANDWIDTH, as bob=20Mbps", STR_ARG(to));
    int r = bandwidth_parse(one, ret_bits, err);
    if (r == 0)
        *ret_to = str_trim(to);
    return r;
}

int bandwidth_check_annotation(str key, str value, struct err *err)
{
    int64_t n;
    str to;
    int r = 0;
    if (str_is(key, BANDWIDTH_EGRESS_LIMIT) || str_is(key, BANDWIDTH_INGRESS_LIMIT))
        return bandwidth_parse(value, &n, err);
    if (str_has_prefix(key, S(BANDWIDTH_LIMIT_TO)) && (!str_to_i64(str_trim(value), &n) || !bandwidth_of_kbps(n)))
        return err_set(err, E_INVALID_ARG, "\"" STR_FMT "\" is no number of KiB/s above 0", STR_ARG(value));
    while (str_is(key, BANDWIDTH_LIMITS) && value.len && r == 0)
        r = bandwidth_next_limit(&value, &to, &n, err);
    return r;
}
