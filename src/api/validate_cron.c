/* validate_cron.c - the cron notation of schedules: five fields, or @daily and the like, or @every 1h30m.
 *
 *     minute 0-59   hour 0-23   day of month 1-31   month 1-12 or jan-dec   day of week 0-6 or sun-sat
 * A field is a list of ranges with steps: *, 5, 1-5, 10-20/2, star-slash-15, ? for any. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/validate_internal.h"

struct field {
    const char *names; /* "jan|feb", the first stands for `first`; NULL none */
    int64_t min, max, first;
};
static const struct field fields[] = {
    {NULL, 0, 59, 0},
    {NULL, 0, 23, 0},
    {NULL, 1, 31, 0},
    {"jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec", 1, 12, 1},
    {"sun|mon|tue|wed|thu|fri|sat", 0, 6, 0},
};

static bool name_value(const struct field *f, str text, int64_t *ret)
{
    if (!f->names)
        return false;
    str rest = str_of(f->names), one;
    int64_t value = f->first;
    for (bool more = true; more; value++) {
        more = str_cut(&rest, '|', &one);
        if (str_ieq(one, text)) {
            *ret = value;
            return true;
        }
    }
    return false;
}

static int parse_int(str text, int64_t *ret, struct err *err)
{
    if (!str_to_i64(text, ret))
        return err_set(err, E_INVALID, "failed to parse int from " STR_FMT ": strconv.Atoi: parsing \"" STR_FMT "\": invalid syntax",
                       STR_ARG(text), STR_ARG(text));
    if (*ret < 0)
        return err_set(err, E_INVALID, "negative number (%lld) not allowed: " STR_FMT, (long long)*ret, STR_ARG(text));
    return 0;
}

static int parse_value(const struct field *f, str text, int64_t *ret, struct err *err)
{
    return name_value(f, text, ret) ? 0 : parse_int(text, ret, err);
}

static int check_bounds(const struct field *f, str expr, int64_t start, int64_t end, int64_t step, struct err *err)
{
    if (start < f->min)
        return err_set(err, E_INVALID, "beginning of range (%lld) below minimum (%lld): " STR_FMT, (long long)start, (long long)f->min,
                       STR_ARG(expr));
    if (end > f->max)
        return err_set(err, E_INVALID, "end of range (%lld) above maximum (%lld): " STR_FMT, (long long)end, (long long)f->max,
                       STR_ARG(expr));
    if (start > end)
        return err_set(err, E_INVALID, "beginning of range (%lld) beyond end of range (%lld): " STR_FMT, (long long)start, (long long)end,
                       STR_ARG(expr));
    return step == 0 ? err_set(err, E_INVALID, "step of range should be a positive number: " STR_FMT, STR_ARG(expr)) : 0;
}

static int check_range(const struct field *f, str expr, struct err *err)
{
    str step_text = expr, range, high, low;
    bool has_step = str_cut(&step_text, '/', &range);
    high = range;
    bool has_high = str_cut(&high, '-', &low), is_star = str_is(low, "*") || str_is(low, "?");
    int64_t start = f->min, end = f->max, step = 1;
    int r = is_star ? 0 : parse_value(f, low, &start, err);
    if (r == 0 && !is_star) {
        end = start;
        if (has_high && str_find_char(high, '-') >= 0)
            return err_set(err, E_INVALID, "too many hyphens: " STR_FMT, STR_ARG(expr));
        if (has_high)
            r = parse_value(f, high, &end, err);
    }
    if (r < 0)
        return r;
    if (has_step) {
        if (str_find_char(step_text, '/') >= 0)
            return err_set(err, E_INVALID, "too many slashes: " STR_FMT, STR_ARG(expr));
        r = parse_int(step_text, &step, err);
        if (r < 0)
            return r;
        if (!has_high)
            end = f->max;
    }
    return check_bounds(f, expr, start, end, step, err);
}

static int check_field(const struct field *f, str text, struct err *err)
{
    str one;
    for (bool more = true; more;) {
        more = str_cut(&text, ',', &one);
        int r = one.len ? check_range(f, one, err) : 0;
        if (r < 0)
            return r;
    }
    return 0;
}

static int check_descriptor(str text, struct err *err)
{
    if (v_in(text, "@yearly|@annually|@monthly|@weekly|@daily|@midnight|@hourly"))
        return 0;
    if (!str_has_prefix(text, S("@every ")))
        return err_set(err, E_INVALID, "unrecognized descriptor: " STR_FMT, STR_ARG(text));
    ARENA_AUTO a = ARENA_INIT;
    struct err why = ERR_NONE;
    str duration;
    if (codec_duration_canonical(&a, str_from(text, 7), &duration, &why) < 0)
        return err_set(err, E_INVALID, "failed to parse duration " STR_FMT ": %s", STR_ARG(text), why.msg);
    return 0;
}

/* The next word of *text, which moves behind it; empty at the end. */
static str next_word(str *text)
{
    size_t from = 0, to;
    while (from < text->len && (text->p[from] == ' ' || text->p[from] == '\t'))
        from++;
    for (to = from; to < text->len && text->p[to] != ' ' && text->p[to] != '\t'; to++)
        ;
    str word = str_sub(*text, from, to);
    *text = str_from(*text, to);
    return word;
}

static int parse(str schedule, struct err *err)
{
    if (schedule.len == 0)
        return err_set(err, E_INVALID, "empty spec string");
    if (str_has_prefix(schedule, S("TZ=")) || str_has_prefix(schedule, S("CRON_TZ="))) {
        next_word(&schedule);
        schedule = str_trim(schedule);
    }
    if (str_has_prefix(schedule, S("@")))
        return check_descriptor(schedule, err);
    str words[ARRAY_LEN(fields)], rest = schedule;
    size_t n = 0;
    for (str word = next_word(&rest); word.len; word = next_word(&rest), n++) {
        if (n < ARRAY_LEN(words))
            words[n] = word;
    }
    str all = str_trim(schedule);
    if (n != ARRAY_LEN(fields))
        return err_set(err, E_INVALID, "expected exactly 5 fields, found %zu: [" STR_FMT "]", n, STR_ARG(all));
    for (size_t i = 0; i < n; i++) {
        int r = check_field(&fields[i], words[i], err);
        if (r < 0)
            return r;
    }
    return 0;
}

bool v_cron_parse(str schedule, struct err *err)
{
    return parse(schedule, err) == 0;
}
