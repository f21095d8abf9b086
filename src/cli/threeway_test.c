/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"
#include "api/patch.h"
#include "base/test.h"
#include "cli/threeway.h"

static struct json parse(struct arena *a, const char *text)
{
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(json_parse(a, str_of(text), NULL, &v, &err), &err);
    return v;
}

static const struct schema_type *type_of(const char *kind)
{
    return kind ? threeway_type(strcmp(kind, "Deployment") == 0 ? S("apps/v1") : S("v1"), str_of(kind)) : NULL;
}

/* The patch as text with sorted keys. */
static void check(const char *kind, const char *last, const char *wanted, const char *live, const char *patch)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json l = parse(&a, last), w = parse(&a, wanted), v = parse(&a, live);
    struct json p = threeway_patch(&a, type_of(kind), &l, &w, &v);
    struct strbuf b = strbuf_on(&a);
    jsonpath_write_value(&a, &b, &p);
    T_EQ_STR(strbuf_str(&b), patch);
}

TEST(threeway_sets_removes_and_leaves_alone)
{
    check(NULL, "{\"a\":1,\"b\":2}", "{\"a\":1,\"c\":3}", "{\"a\":5,\"b\":2,\"d\":4}", "{\"a\":1,\"b\":null,\"c\":3}");
    check(NULL, "{\"a\":1}", "{\"a\":1}", "{\"a\":1,\"others\":2}", "{}");
    check(NULL, "null", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1,\"c\":2}}", "{}");
    check(NULL, "null", "{\"a\":{\"b\":2}}", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":2}}");
    check(NULL, "{\"a\":{\"b\":1}}", "{}", "{\"a\":{\"b\":1}}", "{\"a\":null}");
}

TEST(threeway_nulls_mean_absent)
{
    check(NULL, "{}", "{\"a\":null}", "{\"a\":1}", "{\"a\":null}");
    check(NULL, "{}", "{\"a\":null}", "{}", "{}");
}

TEST(threeway_lists_without_schema_are_replaced)
{
    check(NULL, "null", "{\"l\":[1,2]}", "{\"l\":[1]}", "{\"l\":[1,2]}");
    check(NULL, "null", "{\"l\":[1,2]}", "{\"l\":[1,2]}", "{}");
}

TEST(threeway_elements_by_merge_key)
{
    check(
        "Pod", "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"x\"},{\"name\":\"b\",\"image\":\"y\"}]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"z\"}]}}",
        "{\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"x\",\"tty\":true},{\"name\":\"b\",\"image\":\"y\"},{\"name\":\"injected\"}]}}",
        "{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"a\"}],\"containers\":[{\"image\":\"z\",\"name\":\"a\"},{\"$patch\":\"delete\",\"name\":\"b\"}]}}");
}

TEST(threeway_element_order)
{
    check("Pod", "{}", "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]}}",
          "{\"spec\":{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}",
          "{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]}}");
    /* Elements of others may stand between ours. */
    check("Pod", "{}", "{\"spec\":{\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]}}",
          "{\"spec\":{\"containers\":[{\"name\":\"a\"},{\"name\":\"x\"},{\"name\":\"b\"}]}}", "{}");
}

TEST(threeway_primitive_lists_merge)
{
    check(
        "Pod", "{\"metadata\":{\"finalizers\":[\"a\",\"b\"]}}", "{\"metadata\":{\"finalizers\":[\"a\",\"c\"]}}",
        "{\"metadata\":{\"finalizers\":[\"a\",\"b\",\"x\"]}}",
        "{\"metadata\":{\"$deleteFromPrimitiveList/finalizers\":[\"b\"],\"$setElementOrder/finalizers\":[\"a\",\"c\"],\"finalizers\":[\"c\"]}}");
}

TEST(threeway_unions_retain_keys)
{
    check("Deployment", "{\"spec\":{\"strategy\":{\"type\":\"RollingUpdate\"}}}",
          "{\"spec\":{\"strategy\":{\"type\":\"Recreate\"}}}",
          "{\"spec\":{\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":1}}}}",
          "{\"spec\":{\"strategy\":{\"$retainKeys\":[\"type\"],\"type\":\"Recreate\"}}}");
    check(
        "Pod", "{}", "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"configMap\":{\"name\":\"c\"}}]}}",
        "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]}}",
        "{\"spec\":{\"$setElementOrder/volumes\":[{\"name\":\"v\"}],\"volumes\":[{\"$retainKeys\":[\"name\",\"configMap\"],\"configMap\":{\"name\":\"c\"},\"name\":\"v\"}]}}");
}

/* What the server makes of the patch holds everything that was wanted and nothing that was dropped. */
TEST(threeway_patches_do_what_they_say)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json last = parse(
        &a,
        "{\"metadata\":{\"labels\":{\"x\":\"1\",\"y\":\"2\"}},\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"B\",\"value\":\"2\"}]}]}}");
    struct json wanted = parse(
        &a,
        "{\"metadata\":{\"labels\":{\"x\":\"9\"}},\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"B\",\"value\":\"3\"}]},{\"name\":\"n\"}]}}");
    struct json live = parse(
        &a,
        "{\"metadata\":{\"labels\":{\"x\":\"1\",\"y\":\"2\",\"z\":\"3\"}},\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"A\",\"value\":\"1\"},{\"name\":\"B\",\"value\":\"2\"},{\"name\":\"C\",\"value\":\"c\"}]}],\"nodeName\":\"n\"}}");
    struct json expected = parse(
        &a,
        "{\"metadata\":{\"labels\":{\"x\":\"9\",\"z\":\"3\"}},\"spec\":{\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"B\",\"value\":\"3\"},{\"name\":\"C\",\"value\":\"c\"}]},{\"name\":\"n\"}],\"nodeName\":\"n\"}}");
    struct json patch = threeway_patch(&a, type_of("Pod"), &last, &wanted, &live), done;
    struct err err = ERR_NONE;
    T_NO_ERR(patch_strategic(&a, type_of("Pod"), &live, &patch, &done, &err), &err);
    T_EQ_STR(json_text(&a, &done), json_text(&a, &expected).p);
    struct json again = threeway_patch(&a, type_of("Pod"), &wanted, &wanted, &done);
    T_EQ_INT(again.len, 0);
}

TEST(threeway_twoway)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json before = parse(&a, "{\"a\":1,\"b\":2}"), after = parse(&a, "{\"a\":1,\"c\":2}"),
                p = twoway_patch(&a, NULL, &before, &after);
    T_EQ_STR(json_text(&a, &p), "{\"c\":2,\"b\":null}");
}

TEST(threeway_types)
{
    T_OK(threeway_type(S("v1"), S("Pod")) != NULL);
    T_OK(threeway_type(S("apps/v1"), S("Deployment")) != NULL);
    T_OK(threeway_type(S("apps/v1"), S("Pod")) == NULL);
    T_OK(threeway_type(S("example.io/v1"), S("Foo")) == NULL);
}

TEST_MAIN(threeway_sets_removes_and_leaves_alone, threeway_nulls_mean_absent, threeway_lists_without_schema_are_replaced,
          threeway_elements_by_merge_key, threeway_element_order, threeway_primitive_lists_merge, threeway_unions_retain_keys,
          threeway_patches_do_what_they_say, threeway_twoway, threeway_types)
