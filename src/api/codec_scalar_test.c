/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"

#include "base/test.h"

typedef int canonical_fn(struct arena *a, str text, str *ret, struct err *err);

/* want: the canonical text, or the error after '!'. */
static void check(canonical_fn *fn, const char *text, const char *want)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    str got = STR_NONE;
    int r = fn(&a, str_of(text), &got, &err);
    if (want[0] == '!') {
        T_EQ_INT(r, -E_PARSE);
        T_EQ_STR(str_of(err.msg), want + 1);
    } else {
        T_NO_ERR(r, &err);
        T_EQ_STR(got, want);
    }
}

static int seconds_time(struct arena *a, str text, str *ret, struct err *err)
{
    return codec_time_canonical(a, text, false, ret, err);
}

static int micro_time(struct arena *a, str text, str *ret, struct err *err)
{
    return codec_time_canonical(a, text, true, ret, err);
}

TEST(times_become_utc_seconds)
{
    check(seconds_time, "2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z");
    check(seconds_time, "2024-01-01T00:30:00+02:00", "2023-12-31T22:30:00Z");
    check(seconds_time, "2023-12-31T23:30:00-05:30", "2024-01-01T05:00:00Z");
    check(seconds_time, "2024-02-28T23:30:00-01:00", "2024-02-29T00:30:00Z");
    check(seconds_time, "2024-01-02T03:04:05.987Z", "2024-01-02T03:04:05Z");
    check(seconds_time, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z");
    check(seconds_time, "0001-01-01T00:00:00Z", "");
}

TEST(bad_times_are_explained_as_go_does)
{
    check(seconds_time, "x", "!parsing time \"x\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\"");
    check(seconds_time, "2024-01-02",
          "!parsing time \"2024-01-02\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"T\"");
    check(seconds_time, "2024-13-02T03:04:05Z", "!parsing time \"2024-13-02T03:04:05Z\": month out of range");
    check(seconds_time, "2023-02-29T03:04:05Z", "!parsing time \"2023-02-29T03:04:05Z\": day out of range");
    check(seconds_time, "2024-01-02T03:04:05Zx", "!parsing time \"2024-01-02T03:04:05Zx\": extra text: \"x\"");
    check(seconds_time, "2024-01-02T03:04:05",
          "!parsing time \"2024-01-02T03:04:05\" as \"2006-01-02T15:04:05Z07:00\": cannot parse \"\" as \"Z07:00\"");
    check(seconds_time, "0000-01-01T00:00:00+05:00", "!parsing time \"0000-01-01T00:00:00+05:00\": year out of range");
}

TEST(micro_times_want_six_digits)
{
    check(micro_time, "2024-01-02T03:04:05.123456Z", "2024-01-02T03:04:05.123456Z");
    check(micro_time, "2024-01-02T03:04:05.000001+01:00", "2024-01-02T02:04:05.000001Z");
    check(micro_time, "2024-01-02T03:04:05Z",
          "!parsing time \"2024-01-02T03:04:05Z\" as \"2006-01-02T15:04:05.000000Z07:00\": cannot parse \"Z\" as \".000000\"");
}

TEST(unix_times_reach_all_years)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    str s;
    T_NO_ERR(codec_time_from_unix(&a, 1704164645, 123456789, false, &s, &err), &err);
    T_EQ_STR(s, "2024-01-02T03:04:05Z");
    T_NO_ERR(codec_time_from_unix(&a, -1, 999999999, true, &s, &err), &err);
    T_EQ_STR(s, "1969-12-31T23:59:59.999999Z");
    T_NO_ERR(codec_time_from_unix(&a, 253402300799, 0, false, &s, &err), &err);
    T_EQ_STR(s, "9999-12-31T23:59:59Z");
    T_NO_ERR(codec_time_from_unix(&a, -62167219200, 0, false, &s, &err), &err);
    T_EQ_STR(s, "0000-01-01T00:00:00Z");
    T_NO_ERR(codec_time_from_unix(&a, -62135596800, 0, false, &s, &err), &err);
    T_EQ_STR(s, "");
    T_ERR(codec_time_from_unix(&a, INT64_MIN, 0, false, &s, &err), E_PARSE);
    T_ERR(codec_time_from_unix(&a, 0, -1, false, &s, &err), E_PARSE);
}

TEST(durations_are_written_as_go_does)
{
    check(codec_duration_canonical, "90m", "1h30m0s");
    check(codec_duration_canonical, "0", "0s");
    check(codec_duration_canonical, "-1.5s", "-1.5s");
    check(codec_duration_canonical, "1500us", "1.5ms");
    check(codec_duration_canonical, "1h1ns", "1h0m0.000000001s");
    check(codec_duration_canonical, "250ns", "250ns");
    check(codec_duration_canonical, "", "!time: invalid duration \"\"");
    check(codec_duration_canonical, "5", "!time: missing unit in duration \"5\"");
    check(codec_duration_canonical, "5x", "!time: unknown unit \"x\" in duration \"5x\"");
    check(codec_duration_canonical, "99999999999999999999h", "!time: invalid duration \"99999999999999999999h\"");
}

TEST(quantities_are_canonical)
{
    static const char *const same[] = {"0", "1", "100m", "128Mi", "999", "1500Mi", "1.5"};
    for (size_t i = 0; i < ARRAY_LEN(same) - 1; i++)
        check(codec_quantity_canonical, same[i], same[i]);
    check(codec_quantity_canonical, "0.5", "500m");
    check(codec_quantity_canonical, "1000m", "1");
    check(codec_quantity_canonical, "1024Mi", "1Gi");
    check(codec_quantity_canonical, "2000", "2k");
    check(codec_quantity_canonical, " 5 ", "5");
    const char *shape = "!quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    check(codec_quantity_canonical, "", shape);
    check(codec_quantity_canonical, "many", shape);
    check(codec_quantity_canonical, "1Q", shape);
    check(codec_quantity_canonical, "1KK", "!unable to parse quantity's suffix");
}

TEST(base64_is_as_lenient_as_go)
{
    check(codec_base64_canonical, "", "");
    check(codec_base64_canonical, "YWJj", "YWJj");
    check(codec_base64_canonical, "YQ==", "YQ==");
    check(codec_base64_canonical, "YW\nI\r\n=\n", "YWI=");
    check(codec_base64_canonical, "YR==", "YQ==");
    check(codec_base64_canonical, "a", "!illegal base64 data at input byte 0");
    check(codec_base64_canonical, "YQ=", "!illegal base64 data at input byte 3");
    check(codec_base64_canonical, "YQ==YQ==", "!illegal base64 data at input byte 4");
    check(codec_base64_canonical, "YWJ!", "!illegal base64 data at input byte 3");
    check(codec_base64_canonical, "=", "!illegal base64 data at input byte 0");
}

TEST(quotes_escape)
{
    ARENA_AUTO a = ARENA_INIT;
    T_EQ_STR(codec_quote(&a, S("a\"b\\c\n\t\x01")), "\"a\\\"b\\\\c\\n\\t\\x01\"");
}

TEST_MAIN(times_become_utc_seconds, bad_times_are_explained_as_go_does, micro_times_want_six_digits, unix_times_reach_all_years,
          durations_are_written_as_go_does, quantities_are_canonical, base64_is_as_lenient_as_go, quotes_escape)
