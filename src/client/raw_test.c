/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "client/raw.c" /* not raw.h: the walk in blocks has two forms, of which a processor uses one */

TEST(members_are_found)
{
    static const struct {
        const char *text, *key, *want; /* NULL: not found */
    } cases[] = {
        {"{\"a\":1,\"b\":2}", "a", "1"},
        {"{\"a\":1,\"b\":2}", "b", "2"},
        {" { \"a\" : { \"b\" : [1,{\"b\":3}] } , \"b\" : true }", "b", "true"},
        {"{\"x\":\"}\\\"\",\"b\":\"q\"}", "b", "\"q\""},
        {"{\"x\":\"\\\\\",\"b\":null}", "b", "null"},
        {"{\"a\":{\"b\":1}}", "b", NULL},
        {"{\"a\":\"b\"}", "b", NULL},
        {"{}", "a", NULL},
        {"[]", "a", NULL},
        {"", "a", NULL},
        {"{\"a", "a", NULL},
        {"{\"a\":", "a", ""},
        {"{\"b\":1,}", "a", NULL},
        {"{\"b\":]]]]", "a", NULL},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str v = STR_NONE;
        bool found = raw_member(str_of(cases[i].text), str_of(cases[i].key), &v);
        T_EQ_INT(found, cases[i].want != NULL);
        if (found && cases[i].want)
            T_EQ_STR(v, cases[i].want);
    }
}

TEST(texts_lose_their_quotes)
{
    str v;
    T_OK(raw_member_text(S("{\"n\":\"web\"}"), S("n"), &v));
    T_EQ_STR(v, "web");
    T_OK(!raw_member_text(S("{\"n\":\"a\\u0041\"}"), S("n"), &v));
    T_OK(!raw_member_text(S("{\"n\":7}"), S("n"), &v));
    T_OK(!raw_member_text(S("{\"n\":\""), S("n"), &v));
    T_OK(raw_member_from(S("{\"m\":{\"n\":\"x\"}}"), S("m"), &v));
    T_OK(raw_member_text(v, S("n"), &v));
    T_EQ_STR(v, "x");
}

static size_t count(const char *text, str *ret_last)
{
    struct raw_items it;
    size_t n = 0;
    if (!raw_items_begin(str_of(text), &it))
        return SIZE_MAX;
    while (n < 100 && raw_items_next(&it, ret_last))
        n++;
    return n;
}

TEST(items_are_walked)
{
    str last = STR_NONE;
    T_EQ_INT(count("[]", &last), 0);
    T_EQ_INT(count("[ {\"a\":[1,2]} , \"],\" ,3 ]", &last), 3);
    T_EQ_STR(last, "3");
    T_EQ_INT(count("{}", &last), SIZE_MAX);
    T_EQ_INT(count("[1,2", &last), 2);
    T_EQ_INT(count("[,", &last), 0);
    T_EQ_INT(count("[{", &last), 1);
}

TEST(members_are_walked)
{
    static const struct {
        const char *text, *want; /* key=value, ... */
    } cases[] = {
        {"{\"a\":1,\"b\":{\"c\":[1,2]},\"d\":\"x,\\\"\"}", "a=1;b={\"c\":[1,2]};d=\"x,\\\"\";"},
        {" { \"a\" : 1 , \"b\" : [ ] } ", "a=1;b=[ ];"},
        {"{}", ""},
        {"{\"a\":1", "a=1;"},
        {"{\"a\"", ""},
        {"{\"a\":", "a=;"},
        {"{\"", ""},
        {"{\"a\":1,}", "a=1;"},
        {"{\"a\":1 \"b\":2}", "a=1;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        struct raw_members it;
        str key, value;
        T_OK(raw_members_begin(str_of(cases[i].text), &it));
        while (raw_members_next(&it, &key, &value))
            strbuf_addf(&b, STR_FMT "=" STR_FMT ";", STR_ARG(key), STR_ARG(value));
        T_EQ_STR(strbuf_str(&b), cases[i].want);
    }
    struct raw_members none;
    T_OK(!raw_members_begin(S("[1]"), &none));
    T_OK(!raw_members_begin(S(""), &none));
}

/* Objects of all lengths around a block, with brackets and quotes inside of strings, and what follows them. */
TEST(long_values_end_where_they_end)
{
    static const char *const parts[] = {"\"a\"", "\"}\"", "\"\\\"]\"", "[1,[2]]", "{\"x\":{\"y\":[]}}", "\"\\\\\"", "\"\\\\\\\"{\\\\\"", "{\"k:{\\\"type\\\":\\\"Ready\\\"}\":{}}", "7", "\"long text without anything in it at all, really\""};
    uint64_t rng = 7;
    for (int round = 0; round < 20000; round++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        size_t n = (size_t)round % 40;
        strbuf_add_str(&b, S("{\"k\":["));
        for (size_t i = 0; i < n; i++) {
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            strbuf_addf(&b, "%s%s", i ? "," : "", parts[(rng >> 33) % ARRAY_LEN(parts)]);
        }
        strbuf_add_char(&b, ']');
        size_t end = b.len;
        strbuf_add_str(&b, S(",\"z\":true}"));
        str v;
        T_OK(raw_member(strbuf_str(&b), S("k"), &v) && v.len == end - 5);
        T_OK(raw_member(strbuf_str(&b), S("z"), &v) && str_is(v, "true"));
        /* cut off anywhere, it ends with the text */
        str cut = str_sub(strbuf_str(&b), 0, 6 + rng % (end - 6));
        T_OK(raw_member(cut, S("k"), &v) && v.p + v.len == cut.p + cut.len);
    }
}

#ifdef __SSE2__
/* In blocks it ends where it ends byte by byte, in texts that are JSON and in others. */
TEST(blocks_and_bytes)
{
    static const char letters[] = "{}[]\"\"\\\\,:abcdefghij";
    uint64_t rng = 3;
    for (int round = 0; round < 30000; round++) {
        char *text = malloc(BLOCK * 8); /* a block of its own: a sanitizer sees what is read behind its end */
        size_t n = 1 + (size_t)round % (BLOCK * 8), few = 1 + (size_t)round % (sizeof letters - 1);
        for (size_t i = 0; i < n; i++) {
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            text[i] = i == 0 ? '{' : (rng >> 40) % 4 == 0 ? letters[(rng >> 33) % few] : 'x';
        }
        text = realloc(text, n);
        str s = str_n(text, n);
        struct walk bytes = {0}, sse2 = {0}, avx2 = {0};
        size_t at = 0, end = walk_sse2(s, &at, &sse2), want = walk_bytes(s, 0, n, &bytes);
        T_EQ_INT(end < n ? end : walk_bytes(s, at, n, &sse2), want);
        at = 0;
        if (HAS_AVX2) {
            end = walk_avx2(s, &at, &avx2);
            T_EQ_INT(end < n ? end : walk_bytes(s, at, n, &avx2), want);
        }
        free(text);
    }
}
#else
TEST(blocks_and_bytes)
{
}
#endif

/* Strings of all lengths around the 16 bytes that are looked at at once. */
TEST(strings_end_where_they_end)
{
    static const char *const parts[] = {"a", "\\\\", "\\\"", "bcdefgh", "{", "}", ","};
    uint64_t rng = 9;
    for (int round = 0; round < 20000; round++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        strbuf_add_str(&b, S("{\"k\":\""));
        for (int i = round % 30; i > 0; i--) {
            rng = rng * 6364136223846793005u + 1442695040888963407u;
            strbuf_addf(&b, "%s", parts[(rng >> 33) % ARRAY_LEN(parts)]);
        }
        strbuf_add_char(&b, '"');
        size_t end = b.len;
        strbuf_addf(&b, ",\"z\":\"%s\"}", round % 2 ? "y" : "");
        str v;
        T_OK(raw_member(strbuf_str(&b), S("k"), &v) && v.len == end - 5);
        T_OK(raw_member(strbuf_str(&b), S("z"), &v) && str_is(v, round % 2 ? "\"y\"" : "\"\""));
        char *copy = malloc(end - 1); /* cut off before the quote */
        memcpy(copy, b.p, end - 1);
        T_OK(raw_member(str_n(copy, end - 1), S("k"), &v) && v.p + v.len == copy + end - 1);
        free(copy);
    }
}

TEST(managed_fields_are_left_out)
{
    static const char *const texts[][2] = {
        {"{\"metadata\":{\"name\":\"a\",\"managedFields\":[{\"x\":[1,{\"managedFields\":2}]}],\"uid\":\"u\"},\"managedFields\":3}",
         "{\"metadata\":{\"name\":\"a\",\"uid\":\"u\"},\"managedFields\":3}"},
        {"{\"metadata\":{\"name\":\"a\" , \"managedFields\" : [] },\"k\":1}", "{\"metadata\":{\"name\":\"a\" },\"k\":1}"},
        {"{\"metadata\":{\"managedFields\":[],\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"a\"}}"},
        {"{\"metadata\":{\"managedFields\":[]}}", "{\"metadata\":{}}"},
        {"{\"metadata\":{\"name\":\"a\"}}", "{\"metadata\":{\"name\":\"a\"}}"},
        {"{}", "{}"},
        {"", ""},
    };
    for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
        STRBUF_AUTO room = STRBUF_HEAP;
        T_EQ_STR(raw_without_managed_fields(str_of(texts[i][0]), &room), texts[i][1]);
        str before, after;
        STRBUF_AUTO other = STRBUF_HEAP;
        bool has = raw_member_from(str_of(texts[i][1]), S("metadata"), &before);
        T_OK(raw_metadata_from(str_of(texts[i][0]), &other, &after) == has && (!has || str_eq(before, after)));
    }
}

TEST(values_are_entered)
{
    static const struct {
        const char *text, *want;
    } cases[] = {
        {"{\"a\":{\"x\":1,\"y\":{}},\"b\":2}", "x=1;y={};a={\"x\":1,\"y\":{}};b=2;"},
        {"{ \"a\" : { } , \"b\" : [ ] }", "a={ };b=[ ];"},
        {"{\"a\":7,\"b\":{\"z\":\"}\"}}", "a=7;z=\"}\";b={\"z\":\"}\"};"},
        {"{\"a\":{\"x\":1", "x=1;a={\"x\":1;"},
        {"{\"a\":{\"x\":1 2},\"b\":2}", "x=1;a={\"x\":1 2},\"b\":2};"}, /* no JSON: nothing behind it is believed */
        {"{\"a\":{", "a={;"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        STRBUF_AUTO b = STRBUF_HEAP;
        struct raw_members it, child;
        str key, inner, value;
        T_OK(raw_members_begin(str_of(cases[i].text), &it));
        while (raw_members_key(&it, &key)) {
            if (raw_members_enter(&it, &child)) {
                while (raw_members_next(&child, &inner, &value))
                    strbuf_addf(&b, STR_FMT "=" STR_FMT ";", STR_ARG(inner), STR_ARG(value));
                value = raw_members_leave(&it, &child);
            } else {
                value = raw_members_value(&it);
            }
            strbuf_addf(&b, STR_FMT "=" STR_FMT ";", STR_ARG(key), STR_ARG(value));
        }
        T_EQ_STR(strbuf_str(&b), cases[i].want);
    }
}

TEST_MAIN(blocks_and_bytes, strings_end_where_they_end, managed_fields_are_left_out, values_are_entered, long_values_end_where_they_end, members_are_walked, members_are_found, texts_lose_their_quotes, items_are_walked)
