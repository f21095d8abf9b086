/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/cron_schedule.h"

#include "base/civil.h"

#define HOUR_NS (3600 * NSEC_PER_SEC)
#define MINUTE_NS (60 * NSEC_PER_SEC)
#define HORIZON_HOURS (9 * 366 * 24) /* February 29 may be eight years away */

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY };

static const struct {
    int64_t min, max;
    const char *names;
} fields[] = {{0, 59, ""}, {0, 23, ""}, {1, 31, ""}, {1, 12, "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"}, {0, 6, "sun|mon|tue|wed|thu|fri|sat"}};

static bool parse_value(size_t f, str text, int64_t *ret)
{
    str rest = str_of(fields[f].names), one;
    int64_t value = fields[f].min;
    for (bool more = rest.len > 0; more; value++) {
        more = str_cut(&rest, '|', &one);
        if (str_ieq(one, text)) {
            *ret = value;
            return true;
        }
    }
    return str_to_i64(text, ret);
}

static bool parse_range(size_t f, str text, uint64_t *bits, bool *ret_any)
{
    str step_text = text, range, high, low;
    bool has_step = str_cut(&step_text, '/', &range);
    high = range;
    bool has_high = str_cut(&high, '-', &low), any = str_is(low, "*") || str_is(low, "?");
    int64_t from = fields[f].min, to = fields[f].max, step = 1;
    if (!any) {
        if (!parse_value(f, low, &from))
            return false;
        to = from;
        if (has_high && !parse_value(f, high, &to))
            return false;
        if (!has_high && has_step)
            to = fields[f].max;
    }
    if (has_step && (!str_to_i64(step_text, &step) || step < 1))
        return false;
    if (from < fields[f].min || to > fields[f].max || from > to)
        return false;
    for (int64_t i = from; i <= to; i += step)
        *bits |= (uint64_t)1 << i;
    *ret_any |= any && step == 1;
    return true;
}

static bool parse_field(size_t f, str text, uint64_t *bits, bool *ret_any)
{
    str one;
    for (bool more = true; more;) {
        more = str_cut(&text, ',', &one);
        if (one.len && !parse_range(f, one, bits, ret_any))
            return false;
    }
    return *bits != 0;
}

/* "1h30m", whole seconds at least */
static bool parse_every(str text, nsec_t *ret)
{
    static const struct {
        const char *unit;
        nsec_t ns;
    } units[] = {{"ms", NSEC_PER_MSEC}, {"h", HOUR_NS}, {"m", MINUTE_NS}, {"s", NSEC_PER_SEC}};
    nsec_t sum = 0;
    while (text.len) {
        size_t n = 0, u = 0;
        double v;
        while (n < text.len && ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.'))
            n++;
        if (!n || !str_to_double(str_sub(text, 0, n), &v))
            return false;
        text = str_from(text, n);
        while (u < ARRAY_LEN(units) && !str_has_prefix(text, str_of(units[u].unit)))
            u++;
        if (u == ARRAY_LEN(units) || v > 1e6)
            return false;
        sum += (nsec_t)(v * (double)units[u].ns);
        text = str_from(text, strlen(units[u].unit));
    }
    *ret = MAX(sum / NSEC_PER_SEC * NSEC_PER_SEC, (nsec_t)NSEC_PER_SEC);
    return sum > 0;
}

bool cron_parse(str text, struct cron_schedule *ret)
{
    static const struct {
        const char *name, *fields;
    } known[] = {{"@yearly", "0 0 1 1 *"}, {"@annually", "0 0 1 1 *"}, {"@monthly", "0 0 1 * *"}, {"@weekly", "0 0 * * 0"},
                 {"@daily", "0 0 * * *"},  {"@midnight", "0 0 * * *"}, {"@hourly", "0 * * * *"}};
    *ret = (struct cron_schedule){0};
    text = str_trim(text);
    if (str_has_prefix(text, S("@every ")))
        return parse_every(str_trim(str_from(text, 7)), &ret->every);
    for (size_t i = 0; i < ARRAY_LEN(known); i++)
        if (str_is(text, known[i].name))
            text = str_of(known[i].fields);
    for (size_t f = 0; f < ARRAY_LEN(fields); f++) {
        size_t n = 0;
        bool any = false;
        while (n < text.len && text.p[n] != ' ' && text.p[n] != '\t')
            n++;
        if (!n || !parse_field(f, str_sub(text, 0, n), &ret->fields[f], &any))
            return false;
        ret->any_day |= f == DAY && any;
        ret->any_weekday |= f == WEEKDAY && any;
        text = str_trim(str_from(text, n));
    }
    return !text.len;
}

static bool has(const struct cron_schedule *s, int field, int64_t value)
{
    return s->fields[field] >> value & 1;
}

static bool hour_fits(const struct cron_schedule *s, const struct civil *c, int64_t weekday)
{
    bool day = has(s, DAY, c->day), week = has(s, WEEKDAY, weekday);
    bool fits = s->any_day || s->any_weekday ? day && week : day || week;
    return has(s, MONTH, c->month) && fits && has(s, HOUR, c->hour);
}

nsec_t cron_next(const struct cron_schedule *s, const struct time_zone *z, nsec_t after)
{
    if (s->every)
        return after / NSEC_PER_SEC * NSEC_PER_SEC + s->every;
    nsec_t t = (after / MINUTE_NS + 1) * MINUTE_NS;
    for (int hours = 0; hours < HORIZON_HOURS;) {
        nsec_t local = t + time_zone_offset(z, t) * NSEC_PER_SEC;
        struct civil c = civil_from_ns(local);
        if (hour_fits(s, &c, (local / (24 * HOUR_NS) + 4) % 7)) {
            if (has(s, MINUTE, c.minute))
                return t - c.second * NSEC_PER_SEC;
            t += MINUTE_NS;
            hours += c.minute == 59;
        } else { /* hour by hour: a jump over a day could miss one that is shorter or longer */
            t += HOUR_NS - local % HOUR_NS;
            hours++;
        }
    }
    return 0;
}

nsec_t cron_last(const struct cron_schedule *s, const struct time_zone *z, nsec_t after, nsec_t until)
{
    static const nsec_t windows[] = {2 * MINUTE_NS, HOUR_NS, 25 * HOUR_NS, 32 * 24 * HOUR_NS, 367 * 24 * HOUR_NS};
    if (s->every) {
        nsec_t first = cron_next(s, z, after);
        return first > until ? 0 : first + (until - first) / s->every * s->every;
    }
    for (size_t i = 0; i <= ARRAY_LEN(windows); i++) {
        nsec_t from = i < ARRAY_LEN(windows) ? MAX(after, until - windows[i]) : after, last = 0;
        for (nsec_t t = cron_next(s, z, from); t && t <= until; t = cron_next(s, z, t))
            last = t;
        if (last || from == after)
            return last;
    }
    return 0;
}
