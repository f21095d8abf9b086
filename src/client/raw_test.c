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

TEST_MAIN(members_are_found, texts_lose_their_quotes, items_are_walked)
