/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/time_zone.h"

#include "base/civil.h"
#include "base/vec.h"
#include "rt/file.h"

#define HEADER 44
#define DAY 86400

struct change {
    int64_t at; /* UTC seconds */
    int64_t offset;
};

/* Mm.w.d/time: the w-th weekday d of month m (5: the last), at `seconds` local time. */
struct rule_day {
    int month, week, weekday;
    int64_t seconds;
};

struct time_zone {
    int64_t first; /* before the first change */
    VEC(struct change) changes;
    bool has_rule, has_summer;
    int64_t standard, summer; /* of the rule */
    struct rule_day begin, end;
};

/* --- the POSIX rule ------------------------------------------------------------------------------------------------------------- */

static bool take(str *s, char c)
{
    if (!s->len || s->p[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static bool take_number(str *s, int64_t *ret)
{
    size_t n = 0;
    while (n < s->len && n < 6 && s->p[n] >= '0' && s->p[n] <= '9')
        n++;
    bool ok = n && str_to_i64(str_sub(*s, 0, n), ret);
    *s = str_from(*s, n);
    return ok;
}

/* "CET" or "<+03>" */
static bool take_name(str *s)
{
    size_t n = 0;
    if (take(s, '<')) {
        ptrdiff_t end = str_find_char(*s, '>');
        *s = str_from(*s, end < 0 ? s->len : (size_t)end + 1);
        return end > 0;
    }
    while (n < s->len && ((s->p[n] | 32) >= 'a' && (s->p[n] | 32) <= 'z'))
        n++;
    *s = str_from(*s, n);
    return n > 0;
}

/* [+-]h[:m[:s]] in seconds */
static bool take_time(str *s, int64_t *ret)
{
    int64_t h, m = 0, sec = 0;
    bool minus = take(s, '-');
    if (!minus)
        take(s, '+');
    if (!take_number(s, &h) || (take(s, ':') && !take_number(s, &m)) || (take(s, ':') && !take_number(s, &sec)))
        return false;
    *ret = (h * 3600 + m * 60 + sec) * (minus ? -1 : 1);
    return true;
}

static bool take_day(str *s, struct rule_day *d)
{
    int64_t month, week, weekday;
    if (!take(s, ',') || !take(s, 'M') || !take_number(s, &month) || !take(s, '.') || !take_number(s, &week) || !take(s, '.') || !take_number(s, &weekday))
        return false;
    *d = (struct rule_day){(int)month, (int)week, (int)weekday, 7200};
    return month >= 1 && month <= 12 && week >= 1 && week <= 5 && weekday <= 6 && (!take(s, '/') || take_time(s, &d->seconds));
}

static bool parse_rule(struct time_zone *z, str s)
{
    int64_t west;
    if (!take_name(&s) || !take_time(&s, &west))
        return false;
    z->standard = -west;
    z->summer = z->standard + 3600;
    if (!s.len)
        return true;
    if (!take_name(&s))
        return false;
    if (s.len && s.p[0] != ',') {
        if (!take_time(&s, &west))
            return false;
        z->summer = -west;
    }
    z->has_summer = take_day(&s, &z->begin) && take_day(&s, &z->end);
    return z->has_summer;
}

/* Local seconds since 1970 at which the rule's day comes in a year. */
static int64_t rule_time(const struct rule_day *d, int year)
{
    struct civil first = {.year = year, .month = d->month, .day = 1}, next = {.year = d->month == 12 ? year + 1 : year, .month = d->month % 12 + 1, .day = 1};
    int64_t day = civil_to_ns(&first) / NSEC_PER_SEC / DAY, end = civil_to_ns(&next) / NSEC_PER_SEC / DAY;
    int64_t weekday = ((day + 4) % 7 + 7) % 7; /* 1970-01-01 was a Thursday */
    day += (d->weekday - weekday + 7) % 7 + (d->week - 1) * 7;
    while (day >= end)
        day -= 7;
    return day * DAY + d->seconds;
}

static int64_t rule_offset(const struct time_zone *z, int64_t at)
{
    if (!z->has_summer)
        return z->standard;
    int year = civil_from_ns((at + z->standard) * NSEC_PER_SEC).year;
    int64_t begin = rule_time(&z->begin, year) - z->standard, end = rule_time(&z->end, year) - z->summer;
    bool summer = begin < end ? at >= begin && at < end : at >= begin || at < end;
    return summer ? z->summer : z->standard;
}

/* --- the file ---------------------------------------------------------------------------------------------------------------------- */

static int64_t big_endian(const char *p, size_t n)
{
    uint64_t v = (unsigned char)p[0] & 0x80 ? ~(uint64_t)0 : 0;
    for (size_t i = 0; i < n; i++)
        v = v << 8 | (unsigned char)p[i];
    return (int64_t)v;
}

struct counts {
    uint64_t utc, std, leap, times, types, chars;
};

static bool read_header(str b, struct counts *c, uint64_t *ret_bytes, size_t width)
{
    if (b.len < HEADER || memcmp(b.p, "TZif", 4) != 0)
        return false;
    uint64_t *places[] = {&c->utc, &c->std, &c->leap, &c->times, &c->types, &c->chars};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        *places[i] = (uint64_t)(uint32_t)big_endian(b.p + 20 + 4 * i, 4);
        if (*places[i] > TIME_ZONE_BYTES)
            return false;
    }
    *ret_bytes = HEADER + c->times * (width + 1) + c->types * 6 + c->chars + c->leap * (width + 4) + c->std + c->utc;
    return *ret_bytes <= b.len;
}

static bool read_changes(struct time_zone *z, str b, const struct counts *c)
{
    const char *times = b.p + HEADER, *kinds = times + c->times * 8, *types = kinds + c->times;
    if (!c->types)
        return false;
    z->first = big_endian(types, 4);
    for (uint64_t i = 0; i < c->times; i++) {
        unsigned kind = (unsigned char)kinds[i];
        if (kind >= c->types)
            return false;
        vec_push(&z->changes, (struct change){big_endian(times + i * 8, 8), big_endian(types + kind * 6, 4)});
    }
    return true;
}

static bool parse(struct time_zone *z, str b)
{
    struct counts c;
    uint64_t bytes;
    if (!read_header(b, &c, &bytes, 4) || b.p[4] < '2')
        return false;
    b = str_from(b, bytes);
    if (!read_header(b, &c, &bytes, 8) || !read_changes(z, b, &c))
        return false;
    str footer = str_trim(str_from(b, bytes));
    z->has_rule = footer.len > 0;
    return !footer.len || parse_rule(z, footer);
}

int time_zone_parse(str bytes, struct time_zone **ret, struct err *err)
{
    struct time_zone *z = xnew(struct time_zone);
    if (!parse(z, bytes)) {
        time_zone_free(z);
        return err_set(err, E_INVALID, "not a time zone file");
    }
    *ret = z;
    return 0;
}

int time_zone_new(const char *dir, str name, struct time_zone **ret, struct err *err)
{
    if (!name.len || str_is(name, "UTC") || str_is(name, "Etc/UTC")) {
        *ret = xnew(struct time_zone);
        return 0;
    }
    if (str_find(name, S("..")) >= 0 || name.p[0] == '/' || name.len > 100)
        return err_set(err, E_INVALID, "unknown time zone " STR_FMT, STR_ARG(name));
    char path[256];
    CLEANUP(free) char *text = NULL;
    size_t len;
    snprintf(path, sizeof path, "%s/" STR_FMT, dir, STR_ARG(name));
    int r = file_read(path, TIME_ZONE_BYTES, &text, &len, err);
    return r < 0 ? r : time_zone_parse(str_n(text, len), ret, err);
}

void time_zone_free(struct time_zone *z)
{
    if (!z)
        return;
    vec_fini(&z->changes);
    free(z);
}

int64_t time_zone_offset(const struct time_zone *z, nsec_t wall)
{
    int64_t at = wall / NSEC_PER_SEC;
    size_t low = 0, high = z->changes.len;
    if (z->has_rule && (!high || at >= z->changes.p[high - 1].at))
        return rule_offset(z, at);
    while (low < high) { /* the first change after `at` */
        size_t mid = (low + high) / 2;
        if (z->changes.p[mid].at <= at)
            low = mid + 1;
        else
            high = mid;
    }
    return low ? z->changes.p[low - 1].offset : z->first;
}
