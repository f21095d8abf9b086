/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "client/raw.h"

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

TEST_MAIN(managed_fields_are_left_out, values_are_entered, long_values_end_where_they_end, members_are_walked, members_are_found, texts_lose_their_quotes, items_are_walked)
