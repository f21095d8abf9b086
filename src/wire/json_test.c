/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json.h"
#include "wire/json_make.h"

#include <math.h>

#include "base/limits.h"
#include "base/test.h"

/* Parses text and gives what json_write makes of it, or "error: <sentence>". */
static str rewritten(struct arena *a, str text)
{
    struct json v;
    struct err err = ERR_NONE;
    if (json_parse(a, text, NULL, &v, &err) < 0)
        return arena_fmt(a, "error: %s", err.msg);
    return json_text(a, &v);
}

static struct json parsed(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(a, str_of(text), NULL, &v, &err), &err);
    return v;
}

struct text_case {
    str in;
    const char *want; /* rewritten, or NULL: as the input */
};

static void check_cases(const struct text_case *cases, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < n; i++) {
        str got = rewritten(&a, cases[i].in);
        if (cases[i].want)
            T_EQ_STR(got, cases[i].want);
        else if (!str_eq(got, cases[i].in))
            T_FAIL_("'" STR_FMT "' became '" STR_FMT "'", STR_ARG(cases[i].in), STR_ARG(got));
    }
}

TEST(accepts)
{
    static const struct text_case cases[] = {
        {STR_INIT("{}"), NULL},
        {STR_INIT("[]"), NULL},
        {STR_INIT("null"), NULL},
        {STR_INIT("true"), NULL},
        {STR_INIT("false"), NULL},
        {STR_INIT("\"\""), NULL},
        {STR_INIT("0"), NULL},
        {STR_INIT("-0"), NULL},
        {STR_INIT("-1"), NULL},
        {STR_INIT("1.50"), NULL},
        {STR_INIT("1E+2"), NULL},
        {STR_INIT("1e-07"), NULL},
        {STR_INIT("0e0"), NULL},
        {STR_INIT("9223372036854775808"), NULL},
        {STR_INIT("123456789012345678901234567890.000"), NULL},
        {STR_INIT(" \t\r\n 1 \t\r\n "), "1"},
        {STR_INIT("[1 , 2 ,[ ] ,{ } ]"), "[1,2,[],{}]"},
        {STR_INIT("{ \"a\" : 1 , \"b\" : [ null ] }"), "{\"a\":1,\"b\":[null]}"},
        {STR_INIT("{\"\":0}"), NULL},
        {STR_INIT("[[[[[[[[[[1]]]]]]]]]]"), NULL},
        {STR_INIT("\"0123456789abcdef0123456789abcdef\""), NULL},
        {STR_INIT("                                   [1]"), "[1]"},
        {STR_INIT("[\"\x7f\"]"), NULL},
        {STR_INIT("\"\xc2\x80\xdf\xbf\xe0\xa0\x80\xef\xbf\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\""), NULL},
        {STR_INIT("\"\xef\xbb\xbf\""), NULL},
        {STR_INIT("{\"a\\u0062\":\"\\u0041\"}"), "{\"ab\":\"A\"}"},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(rejects_with_the_sentences_of_go)
{
    static const struct text_case cases[] = {
        {STR_INIT(""), "error: unexpected end of JSON input"},
        {STR_INIT("   "), "error: unexpected end of JSON input"},
        {STR_INIT("{"), "error: unexpected end of JSON input"},
        {STR_INIT("["), "error: unexpected end of JSON input"},
        {STR_INIT("[1"), "error: unexpected end of JSON input"},
        {STR_INIT("[1,"), "error: unexpected end of JSON input"},
        {STR_INIT("{\"a\""), "error: unexpected end of JSON input"},
        {STR_INIT("{\"a\":"), "error: unexpected end of JSON input"},
        {STR_INIT("{\"a\":1"), "error: unexpected end of JSON input"},
        {STR_INIT("{\"a\":1,"), "error: unexpected end of JSON input"},
        {STR_INIT("\"abc"), "error: unexpected end of JSON input"},
        {STR_INIT("\"abc\\"), "error: unexpected end of JSON input"},
        {STR_INIT("\"abc\\u12"), "error: unexpected end of JSON input"},
        {STR_INIT("tru"), "error: unexpected end of JSON input"},
        {STR_INIT("-"), "error: unexpected end of JSON input"},
        {STR_INIT("1."), "error: unexpected end of JSON input"},
        {STR_INIT("1e+"), "error: unexpected end of JSON input"},
        {STR_INIT("x"), "error: invalid character 'x' looking for beginning of value"},
        {STR_INIT("]"), "error: invalid character ']' looking for beginning of value"},
        {STR_INIT("[,1]"), "error: invalid character ',' looking for beginning of value"},
        {STR_INIT("[1,]"), "error: invalid character ']' looking for beginning of value"},
        {STR_INIT("[1,,2]"), "error: invalid character ',' looking for beginning of value"},
        {STR_INIT("{\"a\":}"), "error: invalid character '}' looking for beginning of value"},
        {STR_INIT("+1"), "error: invalid character '+' looking for beginning of value"},
        {STR_INIT(".5"), "error: invalid character '.' looking for beginning of value"},
        {STR_INIT("'a'"), "error: invalid character '\\'' looking for beginning of value"},
        {STR_INIT("NaN"), "error: invalid character 'N' looking for beginning of value"},
        {STR_INIT("\v1"), "error: invalid character '\\v' looking for beginning of value"},
        {STR_INIT("\0"), "error: invalid character '\\x00' looking for beginning of value"},
        {STR_INIT("\xef\xbb\xbf{}"), "error: invalid character '\xc3\xaf' looking for beginning of value"},
        {STR_INIT("\xc2\xa0{}"), "error: invalid character '\xc3\x82' looking for beginning of value"},
        {STR_INIT("{a:1}"), "error: invalid character 'a' looking for beginning of object key string"},
        {STR_INIT("{1:1}"), "error: invalid character '1' looking for beginning of object key string"},
        {STR_INIT("{\"a\":1,}"), "error: invalid character '}' looking for beginning of object key string"},
        {STR_INIT("{\"a\" 1}"), "error: invalid character '1' after object key"},
        {STR_INIT("{\"a\":1 2}"), "error: invalid character '2' after object key:value pair"},
        {STR_INIT("{\"a\":1]"), "error: invalid character ']' after object key:value pair"},
        {STR_INIT("[1 2]"), "error: invalid character '2' after array element"},
        {STR_INIT("[1}"), "error: invalid character '}' after array element"},
        {STR_INIT("[01]"), "error: invalid character '1' after array element"},
        {STR_INIT("[-01]"), "error: invalid character '1' after array element"},
        {STR_INIT("[0x1]"), "error: invalid character 'x' after array element"},
        {STR_INIT("{} {}"), "error: invalid character '{' after top-level value"},
        {STR_INIT("1 //"), "error: invalid character '/' after top-level value"},
        {STR_INIT("1\0"), "error: invalid character '\\x00' after top-level value"},
        {STR_INIT("-x"), "error: invalid character 'x' in numeric literal"},
        {STR_INIT("--1"), "error: invalid character '-' in numeric literal"},
        {STR_INIT("1.x"), "error: invalid character 'x' after decimal point in numeric literal"},
        {STR_INIT("1.e1"), "error: invalid character 'e' after decimal point in numeric literal"},
        {STR_INIT("1ex"), "error: invalid character 'x' in exponent of numeric literal"},
        {STR_INIT("1e+-2"), "error: invalid character '-' in exponent of numeric literal"},
        {STR_INIT("trux"), "error: invalid character 'x' in literal true (expecting 'e')"},
        {STR_INIT("nul "), "error: invalid character ' ' in literal null (expecting 'l')"},
        {STR_INIT("fAlse"), "error: invalid character 'A' in literal false (expecting 'a')"},
        {STR_INIT("\"a\nb\""), "error: invalid character '\\n' in string literal"},
        {STR_INIT("\"a\x01\""), "error: invalid character '\\x01' in string literal"},
        {STR_INIT("\"0123456789abcdef\t\""), "error: invalid character '\\t' in string literal"},
        {STR_INIT("\"\\x\""), "error: invalid character 'x' in string escape code"},
        {STR_INIT("\"\\'\""), "error: invalid character '\\'' in string escape code"},
        {STR_INIT("\"\\U0041\""), "error: invalid character 'U' in string escape code"},
        {STR_INIT("\"\\u00g0\""), "error: invalid character 'g' in \\u hexadecimal character escape"},
        {STR_INIT("\"\\u12\""), "error: invalid character '\"' in \\u hexadecimal character escape"},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(rejects_bad_utf8)
{
    static const str bad[] = {
        STR_INIT("\"\x80\""),         STR_INIT("\"\xc0\x80\""),         STR_INIT("\"\xc1\xbf\""),
        STR_INIT("\"\xc2\""),         STR_INIT("\"\xe0\x80\x80\""),     STR_INIT("\"\xe0\x9f\xbf\""),
        STR_INIT("\"\xed\xa0\x80\""), STR_INIT("\"\xed\xbf\xbf\""),     STR_INIT("\"\xf0\x80\x80\x80\""),
        STR_INIT("\"\xf0\x8f\xbf\xbf\""), STR_INIT("\"\xf4\x90\x80\x80\""), STR_INIT("\"\xf5\x80\x80\x80\""),
        STR_INIT("\"\xff\""),         STR_INIT("\"\xe2\x82\""),         STR_INIT("\"\xf0\x9f\x98\""),
        STR_INIT("{\"\xe9\":1}"),     STR_INIT("\"\\n\xe9\""),          STR_INIT("\"abc\xc3"),
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        T_EQ_STR(rewritten(&a, bad[i]), "error: invalid UTF-8 in string literal");
        T_OK(!str_is_utf8(bad[i]));
    }
}

TEST(unescapes)
{
    static const struct {
        const char *in;
        str want;
    } cases[] = {
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", STR_INIT("\"\\/\b\f\n\r\t")},
        {"\"\\u0000\"", STR_INIT("\0")},
        {"\"\\u00e9\\u20AC\"", STR_INIT("\xc3\xa9\xe2\x82\xac")},
        {"\"\\ud83d\\ude00\"", STR_INIT("\xf0\x9f\x98\x80")},
        {"\"\\uD800\"", STR_INIT("\xef\xbf\xbd")},
        {"\"\\uDC00\\uD800\"", STR_INIT("\xef\xbf\xbd\xef\xbf\xbd")},
        {"\"\\ud83dx\"", STR_INIT("\xef\xbf\xbdx")},
        {"\"\\ud83d\\n\"", STR_INIT("\xef\xbf\xbd\n")},
        {"\"\\ud83d\\ud83d\\ude00\"", STR_INIT("\xef\xbf\xbd\xf0\x9f\x98\x80")},
        {"\"plain prefix longer than a block \\u0041 and a tail\"", STR_INIT("plain prefix longer than a block A and a tail")},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = parsed(&a, cases[i].in);
        T_OK(v.type == JSON_STRING && str_eq(json_str(&v), cases[i].want));
    }
}

TEST(escapes_as_go)
{
    static const struct {
        str in;
        const char *want;
    } cases[] = {
        {STR_INIT(""), "\"\""},
        {STR_INIT("a\"b\\c/d"), "\"a\\\"b\\\\c/d\""},
        {STR_INIT("\b\f\n\r\t\x01\x1f\x7f"), "\"\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\""},
        {STR_INIT("<a href='x'>&</a>"), "\"\\u003ca href='x'\\u003e\\u0026\\u003c/a\\u003e\""},
        {STR_INIT("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa"), "\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\""},
        {STR_INIT("0123456789abcdef\"0123456789abcdef<"), "\"0123456789abcdef\\\"0123456789abcdef\\u003c\""},
        {STR_INIT("bad \xff\xc3 utf8"), "\"bad \\ufffd\\ufffd utf8\""},
        {STR_INIT("\0"), "\"\\u0000\""},
        {STR_INIT("\xf0\x9f\x98\x80"), "\"\xf0\x9f\x98\x80\""},
        {STR_INIT(" \"&<>\\"), "\" \\\"\\u0026\\u003c\\u003e\\\\\""},
        {STR_INIT("%$:;=?[]^"), "\"%$:;=?[]^\""},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        json_write_string(&b, cases[i].in);
        T_EQ_STR(strbuf_str(&b), cases[i].want);
        T_EQ_INT(strlen(strbuf_cstr(&b)), b.len);
    }
}

TEST(plain_strings_point_into_the_text)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *text = "{\"key\":\"value \xc3\xa9\"}";
    struct json v = parsed(&a, text);
    T_OK(v.members[0].key.p == text + 2);
    T_OK(v.members[0].value.s == text + 8);
}

TEST(writes_pretty)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = parsed(&a, "{\"a\":{},\"b\":[],\"c\":[1,{\"d\":null}],\"e\":{\"f\":\"<\"}}");
    struct strbuf b = strbuf_on(&a);
    json_write_pretty(&b, &v);
    T_EQ_STR(strbuf_str(&b), "{\n  \"a\": {},\n  \"b\": [],\n  \"c\": [\n    1,\n    {\n      \"d\": null\n    }\n  ],\n"
                             "  \"e\": {\n    \"f\": \"\\u003c\"\n  }\n}");
}

TEST(depth_is_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    for (int extra = 0; extra <= 1; extra++) {
        struct strbuf b = strbuf_on(&a);
        for (int i = 0; i < LIMIT_JSON_DEPTH + extra; i++)
            strbuf_add_str(&b, i % 2 ? S("{\"a\":") : S("["));
        strbuf_add_char(&b, '1');
        for (int i = LIMIT_JSON_DEPTH + extra; i-- > 0;)
            strbuf_add_char(&b, i % 2 ? '}' : ']');
        str got = rewritten(&a, strbuf_str(&b));
        if (extra)
            T_EQ_STR(got, "error: exceeded max depth");
        else
            T_OK(str_eq(got, strbuf_str(&b)));
    }
}

TEST(several_values_one_after_another)
{
    ARENA_AUTO a = ARENA_INIT;
    str text = S(" {\"a\":1} [2]\n3 \"x\"\n");
    static const char *const want[] = {"{\"a\":1}", "[2]", "3", "\"x\""};
    size_t n = 0;
    while (text.len) {
        struct json_parse_opts opts = {.stop_at_end = true};
        struct json v = json_null();
        struct err err = ERR_NONE;
        T_NO_ERR(json_parse(&a, text, &opts, &v, &err), &err);
        T_OK(opts.used > 0 && n < ARRAY_LEN(want));
        T_EQ_STR(json_text(&a, &v), want[n++]);
        text = str_from(text, opts.used);
    }
    T_EQ_INT(n, 4);
}

TEST(duplicates_are_reported_and_the_last_wins)
{
    static const struct {
        const char *in, *want, *paths;
    } cases[] = {
        {"{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":2}", ""},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}", "a;"},
        {"{\"a\":1,\"a\":2,\"a\":3}", "{\"a\":3}", "a;"},
        {"{\"data\":{\"a\":1,\"a\":{\"x\":1}}}", "{\"data\":{\"a\":{\"x\":1}}}", "data.a;"},
        {"{\"spec\":{\"containers\":[{},{\"name\":\"a\",\"name\":\"b\"}]}}", "{\"spec\":{\"containers\":[{},{\"name\":\"b\"}]}}",
         "spec.containers[1].name;"},
        {"[[{\"x\":1,\"x\":2}]]", "[[{\"x\":2}]]", "[0][0].x;"},
        {"{\"a\":{\"b\":1,\"b\":2},\"a\":{\"c\":1,\"c\":2}}", "{\"a\":{\"c\":2}}", "a.b;a;a.c;"},
        {"{\"a\":1,\"\\u0061\":2}", "{\"a\":2}", "a;"},
        {"{\"\":1,\"\":2}", "{\"\":2}", ";"},
        {"{\"ab\":1,\"ac\":2,\"bb\":3,\"abc\":4}", "{\"ab\":1,\"ac\":2,\"bb\":3,\"abc\":4}", ""},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str dups[JSON_MAX_DUPS];
        struct json_parse_opts opts = {.dups = dups, .ndups = 7};
        struct json v = json_null();
        struct err err = ERR_NONE;
        T_NO_ERR(json_parse(&a, str_of(cases[i].in), &opts, &v, &err), &err);
        T_EQ_STR(json_text(&a, &v), cases[i].want);
        struct strbuf paths = strbuf_on(&a);
        for (size_t k = 0; k < opts.ndups; k++)
            strbuf_addf(&paths, STR_FMT ";", STR_ARG(dups[k]));
        T_EQ_STR(strbuf_str(&paths), cases[i].paths);
    }
}

TEST(one_key_many_times)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    for (int i = 0; i < 300000; i++)
        strbuf_addf(&b, "%c\"a\":%d", i ? ',' : '{', i);
    strbuf_add_char(&b, '}');
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    struct json v = json_null();
    struct err err = ERR_NONE;
    size_t before = arena_bytes(&a);
    T_NO_ERR(json_parse(&a, strbuf_str(&b), &opts, &v, &err), &err);
    T_EQ_STR(json_text(&a, &v), "{\"a\":299999}");
    T_EQ_INT(opts.ndups, 1);
    T_OK(arena_bytes(&a) - before < 1 << 20);
}

/* 100000 members, each key twice: must take milliseconds, not minutes. */
TEST(large_objects_are_not_quadratic)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a), reversed = strbuf_on(&a);
    enum { KEYS = 100000 };
    for (int i = 0; i < 2 * KEYS; i++)
        strbuf_addf(&b, "%c\"key-%d\":%d", i ? ',' : '{', i % KEYS, i);
    for (int i = KEYS; i-- > 0;)
        strbuf_addf(&reversed, "%c\"key-%d\":%d", i == KEYS - 1 ? '{' : ',', i, i + KEYS);
    strbuf_add_char(&b, '}');
    strbuf_add_char(&reversed, '}');
    str dups[JSON_MAX_DUPS];
    struct json_parse_opts opts = {.dups = dups};
    struct json v, w;
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(&a, strbuf_str(&b), &opts, &v, &err), &err);
    T_EQ_INT(v.len, KEYS);
    T_EQ_INT(opts.ndups, JSON_MAX_DUPS);
    T_EQ_STR(dups[31], "key-31");
    T_EQ_STR(json_str(&v.members[7].value), "100007");
    T_NO_ERR(json_parse(&a, strbuf_str(&reversed), NULL, &w, &err), &err);
    T_OK(json_equal(&v, &w));
    w.members[5].value = json_null();
    T_OK(!json_equal(&v, &w));
}

TEST(large_object_cut_off_leaks_nothing)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf b = strbuf_on(&a);
    for (int i = 0; i < 1000; i++)
        strbuf_addf(&b, "%c\"key-%d\":[1]", i ? ',' : '{', i);
    T_EQ_STR(rewritten(&a, strbuf_str(&b)), "error: unexpected end of JSON input");
}

TEST(equality)
{
    static const struct {
        const char *a, *b;
        bool want;
    } cases[] = {
        {"1", "1.0", true},          {"1", "1e0", true},           {"100", "1E+2", true},      {"0.001", "1e-3", true},
        {"0.00100", "0.1e-2", true}, {"-0", "0", true},            {"0e5", "0.000", true},     {"1", "-1", false},
        {"12", "1.2", false},        {"120", "1.2e2", true},       {"1.5", "15e-1", true},     {"15", "1.5", false},
        {"10", "1", false},          {"10.01", "1.001e1", true},   {"101", "10.1e1", true},    {"1001", "101", false},
        {"9007199254740993", "9007199254740992", false},           {"9007199254740993", "9007199254740993.0", true},
        {"1e99999999999999999999", "1e99999999999999999998", false}, {"1e99999999999999999999", "1e99999999999999999999", true},
        {"null", "false", false},    {"null", "null", true},       {"true", "false", false},   {"\"1\"", "1", false},
        {"\"a\"", "\"\\u0061\"", true}, {"[1,2]", "[1,2.0]", true}, {"[1,2]", "[2,1]", false}, {"[1]", "[1,1]", false},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1.0}", true},        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1,\"b\":1}", "{\"a\":1,\"c\":1}", false},         {"{\"a\":null}", "{}", false},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json x = parsed(&a, cases[i].a), y = parsed(&a, cases[i].b);
        if (json_equal(&x, &y) != cases[i].want || json_equal(&y, &x) != cases[i].want)
            T_FAIL_("%s == %s is not %d", cases[i].a, cases[i].b, cases[i].want);
    }
    struct json null = json_null();
    T_OK(json_equal(NULL, NULL)); /* what is not there */
    T_OK(!json_equal(NULL, &null) && !json_equal(&null, NULL));
}

TEST(doubles_as_go_writes_them)
{
    static const struct {
        double v;
        const char *want;
    } cases[] = {
        {0, "0"},          {-0.0, "-0"},       {1, "1"},           {-1.5, "-1.5"},      {0.1, "0.1"},
        {100, "100"},      {1e20, "100000000000000000000"},        {1e21, "1e+21"},     {1.5e300, "1.5e+300"},
        {1e-6, "0.000001"}, {1e-7, "1e-7"},    {1.25e-10, "1.25e-10"}, {0.3, "0.3"},    {0.1 + 0.2, "0.30000000000000004"},
        {5e-324, "5e-324"}, {1.7976931348623157e308, "1.7976931348623157e+308"},        {123456.789, "123456.789"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},      {1.0 / 3, "0.3333333333333333"}, {1e15, "1000000000000000"},
        {9007199254740993.0, "9007199254740992"}, {0.05, "0.05"},  {INFINITY, ""},      {NAN, ""},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_double(&a, cases[i].v);
        T_EQ_STR(json_str(&v), cases[i].want);
        double back;
        T_OK(json_to_double(&v, &back) ? back == cases[i].v : !isfinite(cases[i].v));
    }
}

TEST(reads_members)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = parsed(&a, "{\"s\":\"x\",\"i\":-12,\"b\":true,\"f\":1.5,\"o\":{\"p\":{\"q\":7}},\"big\":9223372036854775807,"
                               "\"over\":9223372036854775808,\"exp\":1e3}");
    T_EQ_STR(json_get_str(&v, S("s")), "x");
    T_EQ_STR(json_get_str(&v, S("i")), "");
    T_EQ_STR(json_get_str(&v, S("none")), "");
    T_EQ_INT(json_get_int(&v, S("i"), 0), -12);
    T_EQ_INT(json_get_int(&v, S("s"), 5), 5);
    T_EQ_INT(json_get_int(&v, S("big"), 0), INT64_MAX);
    T_EQ_INT(json_get_int(&v, S("over"), 1), 1);
    T_EQ_INT(json_get_int(&v, S("exp"), 1), 1);
    T_EQ_INT(json_get_bool(&v, S("b"), false), true);
    T_EQ_INT(json_get_bool(&v, S("s"), true), true);
    T_EQ_STR(json_str(json_path(&v, "o", "p", "q", NULL)), "7");
    T_OK(json_path(&v, "o", "x", "q", NULL) == NULL);
    T_OK(json_path(&v, "s", "x", NULL) == NULL);
    T_OK(json_get(NULL, S("a")) == NULL);
    double d;
    T_OK(json_to_double(json_get(&v, S("exp")), &d) && d == 1000);
    T_OK(!json_to_double(json_get(&v, S("s")), &d));
}

TEST(changes)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = parsed(&a, "{\"a\":1,\"n\":null}");
    json_set(&a, &v, S("b"), json_string(S("x")));
    json_set(&a, &v, S("a"), json_int(&a, INT64_MIN));
    json_set(&a, json_ensure_object(&a, &v, S("o")), S("k"), json_bool(true));
    json_set(&a, json_ensure_object(&a, &v, S("n")), S("k"), json_bool(false));
    json_ensure_object(&a, &v, S("o"));
    T_EQ_STR(json_text(&a, &v), "{\"a\":-9223372036854775808,\"n\":{\"k\":false},\"b\":\"x\",\"o\":{\"k\":true}}");
    T_OK(json_del(&v, S("n")) && !json_del(&v, S("n")) && json_del(&v, S("o")));
    T_EQ_STR(json_text(&a, &v), "{\"a\":-9223372036854775808,\"b\":\"x\"}");

    struct json arr = json_array();
    for (int i = 0; i < 5; i++)
        json_push(&a, &arr, json_int(&a, i));
    json_insert(&a, &arr, 0, json_string(S("first")));
    json_insert(&a, &arr, 3, json_null());
    json_remove(&arr, 1);
    json_remove(&arr, 5);
    T_EQ_STR(json_text(&a, &arr), "[\"first\",1,null,2,3]");
    for (int i = 0; i < 100; i++)
        json_set(&a, &v, arena_fmt(&a, "k%d", i), json_int(&a, i));
    T_EQ_INT(v.len, 102);
    T_EQ_INT(json_get_int(&v, S("k99"), 0), 99);
}

TEST(copy_shares_nothing)
{
    ARENA_AUTO a = ARENA_INIT;
    ARENA_AUTO b = ARENA_INIT;
    struct json v = parsed(&a, "{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}");
    struct json copy = json_copy(&b, &v);
    json_set(&a, &v, S("c"), json_bool(false));
    arena_fini(&a);
    T_EQ_STR(json_text(&b, &copy), "{\"a\":[1,\"x\",{\"b\":null}],\"c\":true}");
}

TEST(copy_of_the_shape_shares_bytes)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *text = "{\"a\":[1,\"x\",{\"b\":null}],\"c\":true,\"d\":{},\"e\":[]}";
    struct json v = parsed(&a, text), copy = json_copy_shape(&a, &v), members = json_copy_members(&a, &v);
    T_OK(json_equal(&v, &copy) && json_equal(&v, &members));
    T_OK(json_get(&copy, S("a"))->items[1].s == json_get(&v, S("a"))->items[1].s);
    T_OK(json_get(&members, S("a"))->items == json_get(&v, S("a"))->items);
    json_get(&copy, S("a"))->items[2] = json_null();
    json_push(&a, json_get(&copy, S("e")), json_null());
    json_set(&a, json_get(&copy, S("d")), S("more"), json_null());
    json_set(&a, &members, S("c"), json_null());
    json_set(&a, &members, S("f"), json_null());
    json_del(&members, S("a"));
    T_EQ_STR(json_text(&a, &v), text);
    T_EQ_STR(json_text(&a, &copy), "{\"a\":[1,\"x\",null],\"c\":true,\"d\":{\"more\":null},\"e\":[null]}");
    T_EQ_STR(json_text(&a, &members), "{\"c\":null,\"d\":{},\"e\":[],\"f\":null}");
}

/* --- model: random trees survive text in every form --------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static str random_string(struct arena *a, uint64_t *rng)
{
    static const str pieces[] = {STR_INIT("a"),    STR_INIT("\""),           STR_INIT("\\"),  STR_INIT("\n"),
                                 STR_INIT("\x01"), STR_INIT("\xc3\xa9"),     STR_INIT("<"),   STR_INIT("0123456789abcdef"),
                                 STR_INIT("\0"),   STR_INIT("\xe2\x80\xa8"), STR_INIT("zz/"), STR_INIT("\xf0\x9f\x98\x80")};
    struct strbuf b = strbuf_on(a);
    for (size_t n = next_random(rng) % 12; n-- > 0;)
        strbuf_add_str(&b, pieces[next_random(rng) % ARRAY_LEN(pieces)]);
    return strbuf_str(&b);
}

static struct json random_tree(struct arena *a, uint64_t *rng, int depth)
{
    uint64_t kind = next_random(rng) % (depth > 0 ? 8 : 6), n = next_random(rng) % 6;
    if (kind == 0)
        return json_null();
    if (kind == 1)
        return json_bool(n & 1);
    if (kind == 2)
        return json_int(a, (int64_t)next_random(rng) >> (n * 8));
    if (kind == 3)
        return json_double(a, (double)(int64_t)next_random(rng) / (double)(1u << n * 4));
    if (kind < 6)
        return json_string(random_string(a, rng));
    struct json v = kind == 6 ? json_array() : json_object();
    while (n-- > 0) {
        if (kind == 6)
            json_push(a, &v, random_tree(a, rng, depth - 1));
        else
            json_set(a, &v, random_string(a, rng), random_tree(a, rng, depth - 1));
    }
    return v;
}

/* Every other member order must still compare equal. */
static void reverse_members(struct json *v)
{
    if (v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->len; i++)
            reverse_members(&v->items[i]);
    } else if (v->type == JSON_OBJECT) {
        for (uint32_t i = 0; i < v->len / 2; i++) {
            struct json_member m = v->members[i];
            v->members[i] = v->members[v->len - 1 - i];
            v->members[v->len - 1 - i] = m;
        }
        for (uint32_t i = 0; i < v->len; i++)
            reverse_members(&v->members[i].value);
    }
}

TEST(random_trees_round_trip)
{
    uint64_t rng = 42;
    for (int round = 0; round < 500; round++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json v = random_tree(&a, &rng, 6), compact = json_null(), pretty = json_null();
        str text = json_text(&a, &v);
        struct strbuf b = strbuf_on(&a);
        json_write_pretty(&b, &v);
        struct err err = ERR_NONE;
        T_NO_ERR(json_parse(&a, text, NULL, &compact, &err), &err);
        T_NO_ERR(json_parse(&a, strbuf_str(&b), NULL, &pretty, &err), &err);
        T_OK(str_eq(json_text(&a, &compact), text));
        T_OK(str_eq(json_text(&a, &pretty), text));
        struct json copy = json_copy(&a, &v);
        reverse_members(&copy);
        T_OK(json_equal(&v, &compact) && json_equal(&copy, &pretty));
        /* no proper prefix of a container's text is a text */
        if (v.type >= JSON_STRING && text.len > 1)
            T_OK(json_parse(&a, str_sub(text, 0, next_random(&rng) % (text.len - 1)), NULL, &compact, &err) < 0);
    }
}

TEST(depth_of_trees)
{
    static const struct {
        const char *text;
        unsigned depth;
    } cases[] = {{"1", 0}, {"[]", 1}, {"{}", 1}, {"{\"a\":1,\"b\":[{}]}", 3}, {"[[],[[[]]],1]", 4}};
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_literal(&a, cases[i].text);
        T_OK(json_depth_fits(&v, cases[i].depth));
        T_OK(cases[i].depth == 0 || !json_depth_fits(&v, cases[i].depth - 1));
    }
}

TEST(made_from_a_text_with_holes)
{
    ARENA_AUTO a = ARENA_INIT;
    char name[] = "a \"quoted\" name\n";
    struct json list = json_literal(&a, "[1,{\"x\":null}]");
    struct json v = json_make(&a, "{\"s\":%s,%S:%d, \"e\\u0041\" : [ %j,true,-1.5e3,[],{}, \"\" ],\"n\":null}", name, S("key"), INT64_MIN, &list);
    name[0] = 'b';
    list.items[1] = json_null();
    T_EQ_STR(json_text(&a, &v), "{\"s\":\"a \\\"quoted\\\" name\\n\",\"key\":-9223372036854775808,\"eA\":[[1,{\"x\":null}],true,-1.5e3,[],{},\"\"],\"n\":null}");
    v = json_make(&a, "%j", &list);
    T_EQ_STR(json_text(&a, &v), "[1,null]");
    v = json_make(&a, "{}");
    json_set(&a, &v, S("grows"), json_make(&a, "%d", (int64_t)7));
    T_EQ_STR(json_text(&a, &v), "{\"grows\":7}");
}

TEST_MAIN(accepts, rejects_with_the_sentences_of_go, rejects_bad_utf8, unescapes, escapes_as_go,
          plain_strings_point_into_the_text, writes_pretty, depth_is_bounded, several_values_one_after_another,
          duplicates_are_reported_and_the_last_wins, one_key_many_times, large_objects_are_not_quadratic,
          large_object_cut_off_leaks_nothing, equality, doubles_as_go_writes_them, reads_members, changes,
          copy_shares_nothing, copy_of_the_shape_shares_bytes, random_trees_round_trip, depth_of_trees, made_from_a_text_with_holes)
