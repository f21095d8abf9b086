/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"

#include "api/quantity.h"
#include "base/civil.h"

str codec_quote(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    strbuf_add_char(&b, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c == '"' || c == '\\')
            strbuf_addf(&b, "\\%c", c);
        else if (c == '\n')
            strbuf_add_str(&b, S("\\n"));
        else if (c == '\t')
            strbuf_add_str(&b, S("\\t"));
        else if (c == '\r')
            strbuf_add_str(&b, S("\\r"));
        else if (c < 0x20 || c == 0x7f)
            strbuf_addf(&b, "\\x%02x", c);
        else
            strbuf_add_char(&b, (char)c);
    }
    strbuf_add_char(&b, '"');
    return strbuf_str(&b);
}

/* --- times --------------------------------------------------------------------------------------- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool take_number(str *s, size_t n, int *ret)
{
    int v = 0;
    if (s->len < n)
        return false;
    for (size_t i = 0; i < n; i++) {
        if (!is_digit(s->p[i]))
            return false;
        v = v * 10 + (s->p[i] - '0');
    }
    *s = str_from(*s, n);
    *ret = v;
    return true;
}

static int days_in_month(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return month == 2 && leap ? 29 : days[month - 1];
}

/* "Z" or "+hh:mm" to minutes. */
static bool take_zone(str *s, int *ret_minutes)
{
    if (s->len && s->p[0] == 'Z') {
        *s = str_from(*s, 1);
        *ret_minutes = 0;
        return true;
    }
    int h, m;
    str rest = str_from(*s, 1);
    if (s->len < 6 || (s->p[0] != '+' && s->p[0] != '-') || s->p[3] != ':' || !take_number(&rest, 2, &h))
        return false;
    rest = str_from(rest, 1);
    if (!take_number(&rest, 2, &m) || h > 24 || m > 60)
        return false;
    *ret_minutes = (h * 60 + m) * (s->p[0] == '-' ? -1 : 1);
    *s = rest;
    return true;
}

static bool take_fraction(str *s, bool micro, int *ret_nsec)
{
    *ret_nsec = 0;
    if (micro) {
        str rest = str_from(*s, 1);
        int v;
        if (!s->len || s->p[0] != '.' || !take_number(&rest, 6, &v))
            return false;
        *ret_nsec = v * 1000;
        *s = rest;
        return true;
    }
    /* Time accepts any fraction and forgets it. */
    if (s->len >= 2 && (s->p[0] == '.' || s->p[0] == ',') && is_digit(s->p[1])) {
        size_t n = 1;
        while (n < s->len && is_digit(s->p[n]))
            n++;
        *s = str_from(*s, n);
    }
    return true;
}

/* One step of the layout: a literal character, then a number with its bounds. */
struct time_part {
    char before;
    const char *layout; /* how Go names the number in its errors */
    size_t digits;
    int min, max;
    const char *range; /* "month": its error when out of bounds */
};
static const struct time_part time_parts[] = {
    {0, "2006", 4, 0, 9999, "year"}, {'-', "01", 2, 1, 12, "month"},   {'-', "02", 2, 1, 31, "day"},
    {'T', "15", 2, 0, 23, "hour"},   {':', "04", 2, 0, 59, "minute"}, {':', "05", 2, 0, 59, "second"},
};

struct parsed_time {
    int part[ARRAY_LEN(time_parts)];
    int nsec;
    int zone_minutes;
};

/* On failure *s is where the parse stopped, *ret_layout the layout element expected there, and *ret_range the name of the number
 * that is out of bounds, NULL when it is none. */
static bool parse_time(str *s, bool micro, struct parsed_time *t, const char **ret_layout, const char **ret_range)
{
    static char literal[ARRAY_LEN(time_parts)][2] = {"", "-", "-", "T", ":", ":"};
    *ret_range = NULL;
    for (size_t i = 0; i < ARRAY_LEN(time_parts); i++) {
        const struct time_part *p = &time_parts[i];
        *ret_layout = literal[i];
        if (p->before && (!s->len || s->p[0] != p->before))
            return false;
        *s = str_from(*s, p->before != 0);
        *ret_layout = p->layout;
        if (!take_number(s, p->digits, &t->part[i]))
            return false;
        if (t->part[i] < p->min || t->part[i] > p->max) {
            *ret_range = p->range;
            return false;
        }
    }
    *ret_layout = ".000000";
    if (!take_fraction(s, micro, &t->nsec))
        return false;
    *ret_layout = "Z07:00";
    if (!take_zone(s, &t->zone_minutes))
        return false;
    *ret_range = t->part[2] > days_in_month(t->part[0], t->part[1]) ? "day" : NULL;
    return !*ret_range;
}

/* Local time to UTC by carrying minutes; a zone moves the date by one day at most, two with the odd "+24:60". */
static void shift_to_utc(struct parsed_time *t)
{
    int minutes = t->part[3] * 60 + t->part[4] - t->zone_minutes;
    for (; minutes < 0; minutes += 24 * 60)
        if (--t->part[2] < 1) {
            if (--t->part[1] < 1)
                t->part[1] = 12, t->part[0]--;
            t->part[2] = days_in_month(t->part[0], t->part[1]);
        }
    for (; minutes >= 24 * 60; minutes -= 24 * 60)
        if (++t->part[2] > days_in_month(t->part[0], t->part[1])) {
            t->part[2] = 1;
            if (++t->part[1] > 12)
                t->part[1] = 1, t->part[0]++;
        }
    t->part[3] = minutes / 60;
    t->part[4] = minutes % 60;
}

static bool is_zero_time(const struct parsed_time *t)
{
    return t->part[0] == 1 && t->part[1] == 1 && t->part[2] == 1 && !t->part[3] && !t->part[4] && !t->part[5] && !t->nsec;
}

static str format_time(struct arena *a, const struct parsed_time *t, bool micro)
{
    const int *p = t->part;
    str seconds = arena_fmt(a, "%04d-%02d-%02dT%02d:%02d:%02d", p[0], p[1], p[2], p[3], p[4], p[5]);
    return micro ? arena_fmt(a, STR_FMT ".%06dZ", STR_ARG(seconds), t->nsec / 1000) : arena_cat(a, seconds, S("Z"));
}

int codec_time_canonical(struct arena *a, str text, bool micro, str *ret, struct err *err)
{
    const char *go_layout = micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
    struct parsed_time t;
    const char *expected, *range;
    str rest = text;
    bool ok = parse_time(&rest, micro, &t, &expected, &range);
    str quoted = ok && !rest.len ? STR_NONE : codec_quote(a, text);
    if (!ok && range)
        return err_set(err, E_PARSE, "parsing time " STR_FMT ": %s out of range", STR_ARG(quoted), range);
    if (!ok)
        return err_set(err, E_PARSE, "parsing time " STR_FMT " as \"%s\": cannot parse " STR_FMT " as \"%s\"", STR_ARG(quoted),
                       go_layout, STR_ARG(codec_quote(a, rest)), expected);
    if (rest.len)
        return err_set(err, E_PARSE, "parsing time " STR_FMT ": extra text: " STR_FMT, STR_ARG(quoted),
                       STR_ARG(codec_quote(a, rest)));
    if (is_zero_time(&t)) {
        *ret = S("");
        return 0;
    }
    if (text.len == (micro ? CIVIL_MICRO_LEN : CIVIL_TIME_LEN)) {
        *ret = text; /* only UTC has these lengths */
        return 0;
    }
    shift_to_utc(&t);
    if (t.part[0] < 0 || t.part[0] > 9999)
        return err_set(err, E_PARSE, "parsing time " STR_FMT ": year out of range", STR_ARG(codec_quote(a, text)));
    *ret = format_time(a, &t, micro);
    return 0;
}

/* nsec_t holds the years 1678 to 2261; others are moved there by whole cycles of the calendar and back. */
int codec_time_from_unix(struct arena *a, int64_t seconds, int32_t nanos, bool micro, str *ret, struct err *err)
{
    static const int64_t zero_time = -62135596800, year_0 = -62167219200, year_10000 = 253402300800;
    static const int64_t cycle_seconds = 146097ll * 86400, cycle_years = 400;
    static const int64_t window = 4000000000; /* one cycle that nsec_t can hold starts so many seconds before 1970 */
    if (seconds == zero_time) {
        *ret = S("");
        return 0;
    }
    if (seconds < year_0 || seconds >= year_10000 || nanos < 0 || nanos >= NSEC_PER_SEC)
        return err_set(err, E_PARSE, "timestamp out of range");
    int64_t from_start = seconds + window, cycles = from_start / cycle_seconds - (from_start % cycle_seconds < 0);
    struct civil c = civil_from_ns((seconds - cycles * cycle_seconds) * NSEC_PER_SEC + nanos);
    struct parsed_time t = {
        .part = {(int)(c.year + cycles * cycle_years), c.month, c.day, c.hour, c.minute, c.second},
        .nsec = c.nsec,
    };
    *ret = format_time(a, &t, micro);
    return 0;
}

/* --- durations ----------------------------------------------------------------------------------- */

struct duration_unit {
    str name;
    int64_t ns;
};
static const struct duration_unit duration_units[] = {
    {STR_INIT("h"), 3600 * NSEC_PER_SEC}, {STR_INIT("m"), 60 * NSEC_PER_SEC}, {STR_INIT("s"), NSEC_PER_SEC},
    {STR_INIT("ms"), NSEC_PER_MSEC},      {STR_INIT("us"), 1000},             {STR_INIT("\xc2\xb5s"), 1000},
    {STR_INIT("\xce\xbcs"), 1000},        {STR_INIT("ns"), 1},
};

static int64_t duration_unit_ns(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(duration_units); i++)
        if (str_eq(name, duration_units[i].name))
            return duration_units[i].ns;
    return 0;
}

/* "1.5" before a unit: whole part and fraction as a share of the unit.  False when there is no digit or it overflows. */
static bool take_amount(str *s, int64_t *ret_whole, double *ret_fraction)
{
    int64_t whole = 0;
    double fraction = 0, scale = 0.1;
    size_t i = 0, digits = 0;
    for (; i < s->len && is_digit(s->p[i]); i++, digits++)
        if (__builtin_mul_overflow(whole, 10, &whole) || __builtin_add_overflow(whole, s->p[i] - '0', &whole))
            return false;
    if (i < s->len && s->p[i] == '.')
        for (i++; i < s->len && is_digit(s->p[i]); i++, digits++, scale /= 10)
            fraction += (s->p[i] - '0') * scale;
    *s = str_from(*s, i);
    *ret_whole = whole;
    *ret_fraction = fraction;
    return digits > 0;
}

int codec_duration_parse(struct arena *a, str text, int64_t *ret, struct err *err)
{
    str s = text;
    int64_t total = 0;
    bool negative = s.len && s.p[0] == '-';
    if (s.len && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_from(s, 1);
    bool bad = !s.len;
    if (str_is(s, "0"))
        s = S("");
    while (s.len && !bad) {
        int64_t whole, part;
        double fraction;
        if (!take_amount(&s, &whole, &fraction)) {
            bad = true;
            break;
        }
        size_t n = 0;
        while (n < s.len && s.p[n] != '.' && !is_digit(s.p[n]))
            n++;
        if (!n)
            return err_set(err, E_PARSE, "time: missing unit in duration " STR_FMT, STR_ARG(codec_quote(a, text)));
        str unit = str_sub(s, 0, n);
        int64_t ns = duration_unit_ns(unit);
        if (!ns)
            return err_set(err, E_PARSE, "time: unknown unit " STR_FMT " in duration " STR_FMT, STR_ARG(codec_quote(a, unit)),
                           STR_ARG(codec_quote(a, text)));
        bad = __builtin_mul_overflow(whole, ns, &part) || __builtin_add_overflow(part, (int64_t)(fraction * (double)ns), &part) ||
              __builtin_add_overflow(total, part, &total);
        s = str_from(s, n);
    }
    if (bad)
        return err_set(err, E_PARSE, "time: invalid duration " STR_FMT, STR_ARG(codec_quote(a, text)));
    *ret = negative ? -total : total;
    return 0;
}

/* Digits of value/unit without trailing zeros: 1500000, 1000000 -> "1.5". */
static void add_decimal(struct strbuf *b, uint64_t value, uint64_t unit)
{
    strbuf_add_u64(b, value / unit);
    uint64_t rest = value % unit;
    if (!rest)
        return;
    strbuf_add_char(b, '.');
    for (uint64_t digit = unit / 10; rest; rest %= digit, digit /= 10)
        strbuf_add_char(b, (char)('0' + rest / digit));
}

str codec_duration_format(struct arena *a, int64_t ns)
{
    struct strbuf b = strbuf_on(a);
    uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
    if (!v)
        return S("0s");
    if (ns < 0)
        strbuf_add_char(&b, '-');
    if (v < NSEC_PER_SEC) {
        uint64_t unit = v < 1000 ? 1 : v < NSEC_PER_MSEC ? 1000 : NSEC_PER_MSEC;
        add_decimal(&b, v, unit);
        strbuf_add_str(&b, unit == 1 ? S("ns") : unit == 1000 ? S("\xc2\xb5s") : S("ms"));
        return strbuf_str(&b);
    }
    uint64_t minutes = v / (60 * NSEC_PER_SEC);
    if (minutes >= 60)
        strbuf_addf(&b, "%lluh", (unsigned long long)(minutes / 60));
    if (minutes)
        strbuf_addf(&b, "%llum", (unsigned long long)(minutes % 60));
    add_decimal(&b, v % (60 * NSEC_PER_SEC), NSEC_PER_SEC);
    strbuf_add_char(&b, 's');
    return strbuf_str(&b);
}

int codec_duration_canonical(struct arena *a, str text, str *ret, struct err *err)
{
    int64_t ns = 0;
    int r = codec_duration_parse(a, text, &ns, err);
    if (r < 0)
        return r;
    *ret = codec_duration_format(a, ns);
    return 0;
}

/* --- quantities ---------------------------------------------------------------------------------- */

/* Small integers and the everyday "100m", "128Mi" are canonical when the number is no multiple of what the next suffix would take.
 * Most pods hold nothing else, so they skip the 128-bit arithmetic. */
static bool is_plainly_canonical(str s)
{
    size_t n = 0;
    unsigned v = 0;
    while (n < s.len && n < 4 && is_digit(s.p[n]))
        v = v * 10 + (unsigned)(s.p[n++] - '0');
    if (!n || s.p[0] == '0')
        return s.len == 1 && n == 1;
    str suffix = str_from(s, n);
    if (suffix.len == 0 || (suffix.len == 1 && memchr("mkMG", suffix.p[0], 4)))
        return v % 1000 != 0;
    if (suffix.len == 2 && suffix.p[1] == 'i' && memchr("KMG", suffix.p[0], 3))
        return v % 1024 != 0;
    return false;
}

int codec_quantity_canonical(struct arena *a, str text, str *ret, struct err *err)
{
    struct quantity q;
    if (is_plainly_canonical(text)) {
        *ret = text;
        return 0;
    }
    str s = str_trim(text);
    if (quantity_parse(s, &q)) {
        *ret = quantity_format(a, &q);
        return 0;
    }
    /* Kubernetes tells texts of a wrong shape from those whose suffix alone is unknown. */
    size_t at = s.len && (s.p[0] == '+' || s.p[0] == '-');
    while (at < s.len && (is_digit(s.p[at]) || s.p[at] == '.'))
        at++;
    size_t suffix_at = at;
    while (at < s.len && memchr("eEinumkKMGTP", s.p[at], 12))
        at++;
    at += at < s.len && (s.p[at] == '+' || s.p[at] == '-');
    while (at < s.len && is_digit(s.p[at]))
        at++;
    if (s.len && at == s.len && suffix_at < s.len)
        return err_set(err, E_PARSE, "unable to parse quantity's suffix");
    return err_set(err, E_PARSE,
                   "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

/* --- base64 -------------------------------------------------------------------------------------- */

static const char base64_alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int base64_value(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (is_digit(c))
        return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

static bool is_break(char c)
{
    return c == '\n' || c == '\r';
}

/* The padding that starts at text[at], after `have` characters of a group: index of the offending byte, or -1. */
static ptrdiff_t bad_padding(str text, size_t at, size_t have)
{
    if (have < 2)
        return (ptrdiff_t)at;
    at++;
    while (at < text.len && is_break(text.p[at]))
        at++;
    if (have == 2) {
        if (at == text.len)
            return (ptrdiff_t)at;
        if (text.p[at] != '=')
            return (ptrdiff_t)at - 1;
        at++;
        while (at < text.len && is_break(text.p[at]))
            at++;
    }
    return at < text.len ? (ptrdiff_t)at : -1;
}

int codec_base64_canonical(struct arena *a, str text, str *ret, struct err *err)
{
    size_t have = 0, breaks = 0, i;
    ptrdiff_t bad = -1;
    unsigned last = 0;
    for (i = 0; i < text.len && bad < 0; i++) {
        int v = base64_value(text.p[i]);
        if (likely(v >= 0)) {
            have++;
            last = (unsigned)v;
        } else if (is_break(text.p[i])) {
            breaks++;
        } else {
            bad = text.p[i] == '=' ? bad_padding(text, i, have % 4) : (ptrdiff_t)i;
            break;
        }
    }
    if (bad < 0 && i == text.len && have % 4)
        bad = (ptrdiff_t)(text.len - have % 4);
    if (bad >= 0)
        return err_set(err, E_PARSE, "illegal base64 data at input byte %td", bad);
    unsigned spare = have % 4 == 2 ? last & 15 : have % 4 == 3 ? last & 3 : 0;
    for (; i < text.len; i++)
        breaks += is_break(text.p[i]);
    if (!breaks && !spare) {
        *ret = text;
        return 0;
    }
    /* Without line breaks, and with the unused bits of the last character cleared. */
    struct strbuf b = strbuf_on(a);
    for (i = 0; i < text.len; i++)
        if (!is_break(text.p[i]))
            strbuf_add_char(&b, text.p[i]);
    if (spare)
        b.p[have - 1] = base64_alphabet[last & ~spare];
    *ret = strbuf_str(&b);
    return 0;
}
