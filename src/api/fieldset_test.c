/* SPDX-License-Identifier: Apache-2.0 */
#include "api/fieldset.h"

#include "base/test.h"

static struct fieldset set_of(struct arena *a, const char *text)
{
    struct json v = json_literal(a, text);
    struct fieldset s = FIELDSET_EMPTY;
    struct err err = ERR_NONE;
    T_NO_ERR(fieldset_from_json(a, &v, &s, &err), &err);
    return s;
}

static str text_of(struct arena *a, struct fieldset s)
{
    struct json v = fieldset_to_json(a, &s);
    return json_text(a, &v);
}

TEST(text_is_canonical)
{
    static const char *const cases[][2] = {
        {"{}", "{}"},
        {"{\"f:b\":{},\"f:a\":{}}", "{\"f:a\":{},\"f:b\":{}}"},
        {"{\"f:a\":{\"f:x\":{},\".\":{}}}", "{\"f:a\":{\".\":{},\"f:x\":{}}}"},
        {"{\"f:a\":{\".\":{}}}", "{\"f:a\":{}}"},
        {"{\"v:\\\"x\\\"\":{},\"f:z\":{},\"i:1\":{},\"k:{\\\"n\\\":1}\":{}}", "{\"f:z\":{},\"k:{\\\"n\\\":1}\":{},\"v:\\\"x\\\"\":{},\"i:1\":{}}"},
        {"{\"k:{ \\\"b\\\" : 1, \\\"a\\\":\\\"x\\\" }\":{}}", "{\"k:{\\\"a\\\":\\\"x\\\",\\\"b\\\":1}\":{}}"},
        {"{\"v:1.50\":{},\"v:2\":{}}", "{\"v:1.5\":{},\"v:2\":{}}"},
        /* twice the same, in two spellings */
        {"{\"k:{\\\"a\\\":1}\":{\"f:x\":{}},\"k:{ \\\"a\\\":1}\":{\"f:y\":{},\".\":{}}}", "{\"k:{\\\"a\\\":1}\":{\".\":{},\"f:x\":{},\"f:y\":{}}}"},
        /* of a later version */
        {"{\"x:what\":{\"f:a\":{}},\"f:b\":{}}", "{\"f:b\":{}}"},
        {"{\"f:a\":{\"x:what\":{}}}", "{\"f:a\":{}}"},
        {"{\"f:a\":null}", "{\"f:a\":{}}"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        T_EQ_STR(text_of(&a, set_of(&a, cases[i][0])), cases[i][1]);
}

TEST(malformed_elements_are_refused)
{
    static const char *const cases[] = {
        "{\"f\":{}}", "{\"\":{}}", "{\"fa\":{}}", "{\"k:x\":{}}", "{\"k:[]\":{}}", "{\"v:{\":{}}", "{\"i:x\":{}}", "{\"f:a\":{\"k:\":{}}}", "[]",
        "\"x\"",
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_literal(&a, cases[i]);
        struct fieldset s;
        struct err err = ERR_NONE;
        T_ERR(fieldset_from_json(&a, &v, &s, &err), E_INVALID);
        T_OK(err.msg[0]);
    }
}

TEST(elements_are_ordered_by_value)
{
    /* ascending */
    static const struct fieldset_elem order[] = {
        {STR_INIT(""), FIELDSET_FIELD},
        {STR_INIT("a"), FIELDSET_FIELD},
        {STR_INIT("ab"), FIELDSET_FIELD},
        {STR_INIT("b"), FIELDSET_FIELD},
        {STR_INIT("{\"a\":-12}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":-1}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":9}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":9,\"b\":1}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":10}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x\",\"b\":\"y\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x 1\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x:10\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x:9\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"x\\\"y\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":\"xy\"}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":false}"), FIELDSET_KEY},
        {STR_INIT("{\"a\":true}"), FIELDSET_KEY},
        {STR_INIT("{\"b\":1}"), FIELDSET_KEY},
        {STR_INIT("2.5"), FIELDSET_VALUE},
        {STR_INIT("10"), FIELDSET_VALUE},
        {STR_INIT("\"a\""), FIELDSET_VALUE},
        {STR_INIT("true"), FIELDSET_VALUE},
        {STR_INIT("2"), FIELDSET_INDEX},
        {STR_INIT("10"), FIELDSET_INDEX},
    };
    for (size_t i = 0; i < ARRAY_LEN(order); i++)
        for (size_t j = 0; j < ARRAY_LEN(order); j++) {
            int c = fieldset_elem_cmp(&order[i], &order[j]), want = i < j ? -1 : i > j;
            if ((c > 0) - (c < 0) != want)
                T_FAIL_("cmp(%s, %s) is %d", order[i].body.p, order[j].body.p, c);
        }
}

TEST(operations)
{
    static const struct {
        const char *x, *y, *both, *common, *less, *less_deep;
    } cases[] = {
        {"{\"f:a\":{}}", "{\"f:b\":{}}", "{\"f:a\":{},\"f:b\":{}}", "{}", "{\"f:a\":{}}", "{\"f:a\":{}}"},
        {"{\"f:a\":{}}", "{\"f:a\":{}}", "{\"f:a\":{}}", "{\"f:a\":{}}", "{}", "{}"},
        {"{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{}}", "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{}", "{\"f:a\":{\"f:b\":{}}}", "{}"},
        {"{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{\".\":{},\"f:b\":{}}}", "{\"f:a\":{\"f:b\":{}}}", "{\"f:a\":{}}",
         "{\"f:a\":{}}"},
        {"{\"f:a\":{\"f:b\":{},\"f:c\":{}},\"f:d\":{}}", "{\"f:a\":{\"f:c\":{}},\"f:e\":{}}",
         "{\"f:a\":{\"f:b\":{},\"f:c\":{}},\"f:d\":{},\"f:e\":{}}", "{\"f:a\":{\"f:c\":{}}}", "{\"f:a\":{\"f:b\":{}},\"f:d\":{}}",
         "{\"f:a\":{\"f:b\":{}},\"f:d\":{}}"},
        {"{}", "{\"f:a\":{}}", "{\"f:a\":{}}", "{}", "{}", "{}"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct fieldset x = set_of(&a, cases[i].x), y = set_of(&a, cases[i].y), common = fieldset_intersection(&a, &x, &y);
        struct fieldset both = fieldset_union(&a, &x, &y);
        T_EQ_STR(text_of(&a, both), cases[i].both);
        T_EQ_STR(text_of(&a, fieldset_union(&a, &y, &x)), cases[i].both);
        T_EQ_STR(text_of(&a, common), cases[i].common);
        T_EQ_STR(text_of(&a, fieldset_difference(&a, &x, &y)), cases[i].less);
        T_EQ_STR(text_of(&a, fieldset_difference_deep(&a, &x, &y)), cases[i].less_deep);
        T_EQ_INT(fieldset_intersects(&x, &y), !fieldset_is_empty(&common));
        T_OK(fieldset_contains(&both, &x) && fieldset_contains(&both, &y) && fieldset_equal(&x, &x));
        T_EQ_INT(fieldset_equal(&x, &y), str_eq(text_of(&a, x), text_of(&a, y)));
    }
}

TEST(leaves_are_members_without_longer_ones)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fieldset s = set_of(&a, "{\"f:a\":{\".\":{},\"f:b\":{\".\":{},\"f:c\":{}}},\"f:d\":{}}");
    T_EQ_STR(text_of(&a, fieldset_leaves(&a, &s)), "{\"f:a\":{\"f:b\":{\"f:c\":{}}},\"f:d\":{}}");
}

TEST(paths_for_people)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fieldset s = set_of(&a, "{\"f:spec\":{\"f:replicas\":{},\"f:ports\":{\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:port\":{}}},"
                                   "\"f:list\":{\"i:3\":{}}},\"f:metadata\":{\"f:finalizers\":{\"v:\\\"a\\\\\\\"\\\\n\\\"\":{}}}}");
    size_t n;
    str *paths = fieldset_paths(&a, &s, &n);
    static const char *const want[] = {
        ".metadata.finalizers[=\"a\\\"\\n\"]", ".spec.replicas", ".spec.list[3]", ".spec.ports[port=80,protocol=\"TCP\"]",
        ".spec.ports[port=80,protocol=\"TCP\"].port",
    };
    T_EQ_INT(n, ARRAY_LEN(want));
    for (size_t i = 0; i < n && i < ARRAY_LEN(want); i++)
        T_EQ_STR(paths[i], want[i]);
}

TEST(find_walks_down)
{
    ARENA_AUTO a = ARENA_INIT;
    struct fieldset s = set_of(&a, "{\"f:a\":{\"f:b\":{}},\"f:c\":{}}");
    struct fieldset_elem e = {S("a"), FIELDSET_FIELD}, none = {S("x"), FIELDSET_FIELD};
    const struct fieldset_node *n = fieldset_find(&s, &e);
    T_OK(n && !n->member && n->sub.len == 1);
    T_OK(!fieldset_find(&s, &none));
}

TEST_MAIN(text_is_canonical, malformed_elements_are_refused, elements_are_ordered_by_value, operations, leaves_are_members_without_longer_ones,
          paths_for_people, find_walks_down)
