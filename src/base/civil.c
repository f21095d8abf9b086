/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"

/* Days since 1970-01-01 of a proleptic Gregorian date; years start in March so that the leap day is last. */
static int64_t days_from_date(int64_t y, int m, int d)
{
    y -= m <= 2;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t yoe = y - era * 400;
    int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
    return era * 146097 + doe - 719468;
}

struct civil civil_from_ns(nsec_t wall)
{
    int64_t sec = wall / NSEC_PER_SEC, ns = wall % NSEC_PER_SEC;
    if (ns < 0)
        ns += NSEC_PER_SEC, sec--;
    int64_t days = sec / 86400, rest = sec % 86400;
    if (rest < 0)
        rest += 86400, days--;
    int64_t z = days + 719468, era = (z >= 0 ? z : z - 146096) / 146097, doe = z - era * 146097;
    int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100), mp = (5 * doy + 2) / 153;
    struct civil c = {
        .day = (int)(doy - (153 * mp + 2) / 5 + 1),
        .month = (int)(mp < 10 ? mp + 3 : mp - 9),
        .hour = (int)(rest / 3600),
        .minute = (int)(rest / 60 % 60),
        .second = (int)(rest % 60),
        .nsec = (int)ns,
    };
    c.year = (int)(yoe + era * 400 + (c.month <= 2));
    return c;
}

nsec_t civil_to_ns(const struct civil *c)
{
    /* nanoseconds reach from 1677 to 2262, texts from year 0 to 9999 (Go's zero time is year 1): what is beyond is as far as can be, with room
     * for a zone's offset */
    const int64_t far = INT64_MAX / NSEC_PER_SEC - 100 * 3600;
    int64_t days = days_from_date(c->year, c->month, c->day);
    int64_t sec = days * 86400 + c->hour * 3600 + c->minute * 60 + c->second;
    return MIN(MAX(sec, -far), far) * NSEC_PER_SEC + c->nsec;
}

static char *digits(char *p, int v, int n)
{
    for (int i = n - 1; i >= 0; i--, v /= 10)
        p[i] = (char)('0' + v % 10);
    return p + n;
}

static char *put_seconds(char *p, const struct civil *c)
{
    p = digits(p, c->year, 4);
    *p++ = '-';
    p = digits(p, c->month, 2);
    *p++ = '-';
    p = digits(p, c->day, 2);
    *p++ = 'T';
    p = digits(p, c->hour, 2);
    *p++ = ':';
    p = digits(p, c->minute, 2);
    *p++ = ':';
    return digits(p, c->second, 2);
}

void civil_format(nsec_t wall, char out[CIVIL_TIME_LEN + 1])
{
    struct civil c = civil_from_ns(wall);
    char *p = put_seconds(out, &c);
    *p++ = 'Z';
    *p = 0;
}

void civil_format_micro(nsec_t wall, char out[CIVIL_MICRO_LEN + 1])
{
    struct civil c = civil_from_ns(wall);
    char *p = put_seconds(out, &c);
    *p++ = '.';
    p = digits(p, c.nsec / 1000, 6);
    *p++ = 'Z';
    *p = 0;
}

static bool take_digits(str *s, int n, int *ret)
{
    int v = 0;
    if (s->len < (size_t)n)
        return false;
    for (int i = 0; i < n; i++) {
        if (s->p[i] < '0' || s->p[i] > '9')
            return false;
        v = v * 10 + (s->p[i] - '0');
    }
    *s = str_from(*s, (size_t)n);
    *ret = v;
    return true;
}

static bool take_char(str *s, const char *any_of)
{
    if (!s->len || !strchr(any_of, s->p[0]))
        return false;
    *s = str_from(*s, 1);
    return true;
}

static bool take_fraction(str *s, int *ret_ns)
{
    *ret_ns = 0;
    if (!take_char(s, "."))
        return true;
    int n = 0, v = 0;
    for (; s->len && s->p[0] >= '0' && s->p[0] <= '9'; *s = str_from(*s, 1))
        if (n < 9)
            v = v * 10 + (s->p[0] - '0'), n++;
    if (!n)
        return false;
    for (; n < 9; n++)
        v *= 10;
    *ret_ns = v;
    return true;
}

bool civil_parse(str s, nsec_t *ret_wall)
{
    struct civil c;
    if (!take_digits(&s, 4, &c.year) || !take_char(&s, "-") || !take_digits(&s, 2, &c.month) ||
        !take_char(&s, "-") || !take_digits(&s, 2, &c.day) || !take_char(&s, "Tt") ||
        !take_digits(&s, 2, &c.hour) || !take_char(&s, ":") || !take_digits(&s, 2, &c.minute) ||
        !take_char(&s, ":") || !take_digits(&s, 2, &c.second) || !take_fraction(&s, &c.nsec))
        return false;
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (c.month < 1 || c.month > 12 || c.day < 1 || c.day > month_days[c.month - 1] || c.hour > 23 ||
        c.minute > 59 || c.second > 60)
        return false;
    bool leap = (c.year % 4 == 0 && c.year % 100 != 0) || c.year % 400 == 0;
    if (c.month == 2 && c.day == 29 && !leap)
        return false;
    nsec_t offset = 0;
    if (!take_char(&s, "Zz")) {
        int h, m, sign = s.len && s.p[0] == '-' ? -1 : 1;
        if (!take_char(&s, "+-") || !take_digits(&s, 2, &h) || !take_char(&s, ":") || !take_digits(&s, 2, &m))
            return false;
        offset = sign * (h * 3600 + m * 60) * NSEC_PER_SEC;
    }
    if (s.len)
        return false;
    *ret_wall = civil_to_ns(&c) - offset;
    return true;
}

void civil_human_duration(nsec_t d, char out[24])
{
    int64_t s = d / NSEC_PER_SEC;
    if (s < -1)
        snprintf(out, 24, "<invalid>");
    else if (s < 0)
        snprintf(out, 24, "0s");
    else if (s < 120)
        snprintf(out, 24, "%ds", (int)s);
    else if (s < 600)
        snprintf(out, 24, s % 60 ? "%dm%ds" : "%dm", (int)(s / 60), (int)(s % 60));
    else if (s < 3 * 3600)
        snprintf(out, 24, "%dm", (int)(s / 60));
    else if (s < 8 * 3600)
        snprintf(out, 24, s / 60 % 60 ? "%dh%dm" : "%dh", (int)(s / 3600), (int)(s / 60 % 60));
    else if (s < 48 * 3600)
        snprintf(out, 24, "%dh", (int)(s / 3600));
    else if (s < 8 * 86400)
        snprintf(out, 24, s / 3600 % 24 ? "%dd%dh" : "%dd", (int)(s / 86400), (int)(s / 3600 % 24));
    else if (s < 2 * 365 * 86400ll)
        snprintf(out, 24, "%dd", (int)(s / 86400));
    else if (s < 8 * 365 * 86400ll)
        snprintf(out, 24, s / 86400 % 365 ? "%dy%dd" : "%dy", (int)(s / 86400 / 365), (int)(s / 86400 % 365));
    else
        snprintf(out, 24, "%dy", (int)(s / 86400 / 365));
}
