/* SPDX-License-Identifier: Apache-2.0 */
#include "api/patch.h"

#include "api/patch_edit.h"
#include "api/resource.h"
#include "base/limits.h"
#include "base/test.h"

struct patch_case {
    const char *target, *patch;
    const char *want;   /* JSON; NULL: an error */
    int code;           /* of the error */
    const char *message; /* how it ends */
};

/* One of the three, for a kind. */
#define PATCH_FN(name) int (*name)(struct arena *, const struct json *, const struct json *, struct json *, struct err *)

static const struct schema_type *kind_type(const char *kind)
{
    for (size_t i = 0; i < api_builtin_count; i++)
        if (str_is(api_builtin_resources[i]->kind, kind))
            return api_builtin_resources[i]->type;
    BUG_ON(true);
}

static void check_case(const struct patch_case *c, PATCH_FN(fn))
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json target = json_literal(&a, c->target), patch = json_literal(&a, c->patch), got = json_null();
    int r = fn(&a, &target, &patch, &got, &err);
    if (!str_is(json_text(&a, &target), c->target) || !str_is(json_text(&a, &patch), c->patch))
        T_FAIL_("an input was changed: %s with %s", c->target, c->patch);
    if (c->want) {
        struct json want = json_literal(&a, c->want);
        if (r < 0)
            T_FAIL_("%s with %s failed: %s", c->target, c->patch, err.msg);
        else if (!json_equal(&got, &want))
            T_FAIL_("%s with %s is\n#   " STR_FMT ", expected\n#   %s", c->target, c->patch, STR_ARG(json_text(&a, &got)), c->want);
        return;
    }
    if (r != -c->code || !str_has_suffix(str_of(err.msg), str_of(c->message)))
        T_FAIL_("%s with %s gave %d '%s', expected -%s '%s'", c->target, c->patch, r, err.msg, err_code_name(c->code), c->message);
}

static void check_cases(const struct patch_case *cases, size_t n, PATCH_FN(fn))
{
    for (size_t i = 0; i < n; i++)
        check_case(&cases[i], fn);
}

/* --- RFC 6902 ------------------------------------------------------------------------------------------- */

#define J_OK(target, patch, want) {target, patch, want, 0, NULL}
#define J_BAD(target, patch, code, message) {target, patch, NULL, code, message}

static const struct patch_case json_cases[] = {
    /* add */
    J_OK("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2}]", "{\"a\":1,\"b\":2}"),
    J_OK("{\"l\":[1,3]}", "[{\"op\":\"add\",\"path\":\"/l/1\",\"value\":2}]", "{\"l\":[1,2,3]}"),
    J_OK("{\"l\":[1]}", "[{\"op\":\"add\",\"path\":\"/l/-\",\"value\":[2,3]}]", "{\"l\":[1,[2,3]]}"),
    J_OK("{\"l\":[1]}", "[{\"op\":\"add\",\"path\":\"/l/1\",\"value\":2}]", "{\"l\":[1,2]}"),
    J_OK("{\"l\":[1,2]}", "[{\"op\":\"add\",\"path\":\"/l/-1\",\"value\":9}]", "{\"l\":[1,2,9]}"),
    J_OK("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{\"x\":[]}}]", "{\"a\":{\"x\":[]}}"),
    J_OK("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":{\"z\":0}}]", "{\"z\":0}"),
    J_OK("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/n\",\"value\":null}]", "{\"a\":1,\"n\":null}"),
    J_OK("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":1,\"extra\":true}]", "{\"a\":1,\"b\":1}"),
    J_OK("{\"\":1}", "[{\"op\":\"add\",\"path\":\"/\",\"value\":2}]", "{\"\":2}"),
    J_OK("{\"metadata\":{\"annotations\":{}}}", "[{\"op\":\"add\",\"path\":\"/metadata/annotations/a.b~1c~0d\",\"value\":\"x\"}]",
         "{\"metadata\":{\"annotations\":{\"a.b/c~d\":\"x\"}}}"),
    J_OK("{\"x\":{}}", "[{\"op\":\"add\",\"path\":\"/x/~01\",\"value\":1}]", "{\"x\":{\"~1\":1}}"),
    J_BAD("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b/c\",\"value\":1}]", E_INVALID,
          "add operation does not apply: doc is missing path: \"/b/c\": missing value"),
    J_BAD("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/c\",\"value\":1}]", E_INVALID, "missing value"),
    J_BAD("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"b\",\"value\":1}]", E_INVALID, "missing value"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"add\",\"path\":\"/l/3\",\"value\":1}]", E_INVALID,
          "error in add for path: '/l/3': Unable to access invalid index: 3: invalid index referenced"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"add\",\"path\":\"/l/x\",\"value\":1}]", E_INVALID,
          "value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"add\",\"path\":\"/l/99999999999999999999\",\"value\":1}]", E_INVALID, "invalid syntax"),
    /* remove */
    J_OK("{\"a\":1,\"b\":2}", "[{\"op\":\"remove\",\"path\":\"/a\"}]", "{\"b\":2}"),
    J_OK("{\"l\":[1,2,3]}", "[{\"op\":\"remove\",\"path\":\"/l/1\"}]", "{\"l\":[1,3]}"),
    J_OK("{\"l\":[1,2,3]}", "[{\"op\":\"remove\",\"path\":\"/l/-1\"}]", "{\"l\":[1,2]}"),
    J_BAD("{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/b\"}]", E_INVALID,
          "error in remove for path: '/b': Unable to remove nonexistent key: b: missing value"),
    J_BAD("{\"l\":[]}", "[{\"op\":\"remove\",\"path\":\"/l/0\"}]", E_INVALID,
          "error in remove for path: '/l/0': Unable to access invalid index: 0: invalid index referenced"),
    J_BAD("{\"l\":[]}", "[{\"op\":\"remove\",\"path\":\"\"}]", E_INVALID, "missing value"),
    /* replace */
    J_OK("{\"a\":1,\"b\":2}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":\"x\"}]", "{\"a\":\"x\",\"b\":2}"),
    J_OK("{\"l\":[1,2]}", "[{\"op\":\"replace\",\"path\":\"/l/0\",\"value\":9}]", "{\"l\":[9,2]}"),
    J_OK("{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"/new\",\"value\":1}]", "{\"a\":1,\"new\":1}"),
    J_OK("{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":{}}]", "{}"),
    J_BAD("{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":3}]", E_INVALID, "replace operation value must be object or array"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"replace\",\"path\":\"/l/1\",\"value\":9}]", E_INVALID,
          "replace operation does not apply: doc is missing key: /l/1: missing value"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"replace\",\"path\":\"/x/y\",\"value\":9}]", E_INVALID,
          "replace operation does not apply: doc is missing path: /x/y: missing value"),
    /* move and copy */
    J_OK("{\"a\":{\"b\":1},\"c\":{}}", "[{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/c/d\"}]", "{\"a\":{},\"c\":{\"d\":1}}"),
    J_OK("{\"l\":[1,2,3,4]}", "[{\"op\":\"move\",\"from\":\"/l/1\",\"path\":\"/l/3\"}]", "{\"l\":[1,3,4,2]}"),
    J_BAD("{\"a\":{\"b\":1}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b\"}]", E_INVALID,
          "move operation does not apply: doc is missing destination path: /a/b: missing value"),
    J_BAD("{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/x\",\"path\":\"/y\"}]", E_INVALID,
          "error in move for path: 'x': Unable to remove nonexistent key: x: missing value"),
    J_BAD("{\"a\":{}}", "[{\"op\":\"move\",\"path\":\"/y\"}]", E_INVALID, "missing from field: missing value"),
    J_OK("{\"a\":{\"b\":[1]}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"},{\"op\":\"add\",\"path\":\"/c/b/-\",\"value\":2}]",
         "{\"a\":{\"b\":[1]},\"c\":{\"b\":[1,2]}}"),
    J_OK("{\"a\":{\"b\":1}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/c\"}]", "{\"a\":{\"b\":1,\"c\":{\"b\":1}}}"),
    J_BAD("{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"/x\",\"path\":\"/y\"}]", E_INVALID,
          "copy operation does not apply: doc is missing from path: /x: missing value"),
    /* test */
    J_OK("{\"a\":{\"x\":1,\"y\":[1.0]}}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"y\":[1],\"x\":1}}]", "{\"a\":{\"x\":1,\"y\":[1]}}"),
    J_OK("{\"a\":1}", "[{\"op\":\"test\",\"path\":\"/b\",\"value\":null}]", "{\"a\":1}"),
    J_OK("{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":1}}]", "{\"a\":1}"),
    J_BAD("{\"a\":\"1\"}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":1}]", E_INVALID, "testing value /a failed: test failed"),
    J_BAD("{\"a\":\"1\"}", "[{\"op\":\"test\",\"path\":\"/x/y\",\"value\":1}]", E_INVALID,
          "test operation does not apply: is missing path: /x/y: missing value"),
    J_BAD("{\"l\":[1]}", "[{\"op\":\"test\",\"path\":\"/l/4\",\"value\":1}]", E_INVALID,
          "error in test for path: '/l/4': Unable to access invalid index: 4: invalid index referenced"),
    J_BAD("{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/b\",\"value\":2},{\"op\":\"test\",\"path\":\"/b\",\"value\":3}]", E_INVALID,
          "testing value /b failed: test failed"),
    /* form */
    J_OK("{\"a\":1}", "[]", "{\"a\":1}"),
    J_BAD("{\"a\":1}", "[{\"op\":\"spam\",\"path\":\"/a\"}]", E_INVALID, "Unexpected kind: spam"),
    J_BAD("{\"a\":1}", "[{\"path\":\"/a\"}]", E_INVALID, "Unexpected kind: unknown"),
    J_BAD("{\"a\":1}", "[{\"op\":\"add\",\"value\":1}]", E_INVALID, "add operation failed to decode path: missing value"),
    J_BAD("{\"a\":1}", "{\"op\":\"add\"}", E_PARSE, "cannot unmarshal object into Go value of type []handlers.jsonPatchOp"),
    J_BAD("{\"a\":1}", "[1]", E_PARSE, "operation 0 is not an object"),
};

TEST(json_patch_cases)
{
    check_cases(json_cases, ARRAY_LEN(json_cases), patch_json);
}

TEST(json_patch_refusals_say_what_kubernetes_says)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json t = json_literal(&a, "{}"), p = json_literal(&a, "[{\"op\":\"remove\",\"path\":\"/a\"}]"), ret;
    T_ERR(patch_json(&a, &t, &p, &ret, &err), E_INVALID);
    T_OK(str_has_prefix(str_of(err.msg), S("the server rejected our request due to an error in our request")));
    T_ERR(patch_json(&a, &t, &p, &ret, NULL), E_INVALID); /* err may be NULL */
}

TEST(json_patch_is_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json t = json_literal(&a, "{\"l\":[\"xxxxxxxxxxxxxxxx\"]}"), ret;
    struct json many = json_array(), bomb = json_array(), deep = json_array();
    struct json copy = json_literal(&a, "{\"op\":\"copy\",\"from\":\"/l\",\"path\":\"/l/-\"}");
    for (int i = 0; i <= LIMIT_JSON_PATCH_OPS; i++)
        json_push(&a, &many, json_literal(&a, "{\"op\":\"test\",\"path\":\"\",\"value\":1}"));
    T_ERR(patch_json(&a, &t, &many, &ret, &err), E_TOO_LARGE);
    T_EQ_STR(str_of(err.msg), "The allowed maximum operations in a JSON patch is 10000, got 10001");
    for (int i = 0; i < 64; i++)
        json_push(&a, &bomb, copy);
    T_ERR(patch_json(&a, &t, &bomb, &ret, &err), E_INVALID);
    T_OK(str_find(str_of(err.msg), S("the accumulated size increase of copy")) >= 0);

    struct strbuf path = strbuf_on(&a);
    for (int i = 0; i < 200; i++) {
        strbuf_add_str(&path, S("/a"));
        struct json op = json_literal(&a, "{\"op\":\"add\",\"value\":{}}");
        json_set(&a, &op, S("path"), json_string(arena_str(&a, strbuf_str(&path))));
        json_push(&a, &deep, op);
    }
    T_ERR(patch_json(&a, &t, &deep, &ret, &err), E_INVALID);
    T_OK(str_find(str_of(err.msg), S("exceeded max depth")) >= 0);
}

/* --- RFC 7386 ------------------------------------------------------------------------------------------- */

static const struct patch_case merge_cases[] = {
    J_OK("{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
    J_OK("{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}"),
    J_OK("{\"a\":\"b\"}", "{\"a\":null}", "{}"),
    J_OK("{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}"),
    J_OK("{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}"),
    J_OK("{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}"),
    J_OK("{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}"),
    J_OK("{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}"),
    J_OK("[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]"),
    J_OK("{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}"),
    J_OK("[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}"),
    J_OK("{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}"),
    J_OK("{\"a\":{\"x\":1}}", "{\"a\":{}}", "{\"a\":{\"x\":1}}"),
    J_OK("{\"a\":1}", "{}", "{\"a\":1}"),
    J_OK("{\"a\":1}", "{\"b\":[null,1]}", "{\"a\":1,\"b\":[null,1]}"),
    J_BAD("{\"a\":1}", "[\"c\"]", E_PARSE, "cannot unmarshal array into Go value of type map[string]interface {}"),
    J_BAD("{\"a\":1}", "\"bar\"", E_PARSE, "cannot unmarshal string into Go value of type map[string]interface {}"),
    J_BAD("{\"a\":1}", "null", E_PARSE, "Invalid JSON Patch"),
};

TEST(merge_patch_cases)
{
    check_cases(merge_cases, ARRAY_LEN(merge_cases), patch_merge);
}

TEST(merge_patch_of_large_objects_uses_the_index)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json t = json_object(), p = json_object(), got;
    for (int i = 0; i < 20000; i++) {
        str key = arena_fmt(&a, "k%d", i);
        t.members = i ? t.members : arena_array(&a, 20000, struct json_member);
        p.members = i ? p.members : arena_array(&a, 20000, struct json_member);
        t.members[t.len++] = (struct json_member){key, json_bool(true)};
        p.members[p.len++] = (struct json_member){key, i % 2 ? json_null() : json_bool(false)};
    }
    T_NO_ERR(patch_merge(&a, &t, &p, &got, &err), &err);
    T_EQ_INT(got.len, 10000);
    T_EQ_STR(got.members[1].key, "k2");
    T_OK(!got.members[1].value.b);
}

/* --- strategic ------------------------------------------------------------------------------------------ */

static int pod(struct arena *a, const struct json *target, const struct json *patch, struct json *ret, struct err *err)
{
    return patch_strategic(a, kind_type("Pod"), target, patch, ret, err);
}

static int deployment(struct arena *a, const struct json *target, const struct json *patch, struct json *ret, struct err *err)
{
    return patch_strategic(a, kind_type("Deployment"), target, patch, ret, err);
}

static int service(struct arena *a, const struct json *target, const struct json *patch, struct json *ret, struct err *err)
{
    return patch_strategic(a, kind_type("Service"), target, patch, ret, err);
}

#define SPEC(x) "{\"spec\":{" x "}}"
#define META(x) "{\"metadata\":{" x "}}"
#define AB "\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\",\"image\":\"j\"}]"

static const struct patch_case pod_cases[] = {
    /* objects and maps */
    J_OK(META("\"labels\":{\"x\":\"1\",\"y\":\"2\"}"), META("\"labels\":{\"x\":null,\"z\":\"3\"}"), META("\"labels\":{\"y\":\"2\",\"z\":\"3\"}")),
    J_OK(META("\"labels\":{\"x\":\"1\"}"), META("\"labels\":{\"q\":\"1\",\"$patch\":\"replace\"}"), META("\"labels\":{\"q\":\"1\"}")),
    J_OK(META("\"labels\":{\"x\":\"1\"}"), META("\"labels\":{\"$patch\":\"delete\"}"), META("\"labels\":{}")),
    J_OK(META("\"labels\":{\"x\":\"1\"}"), META("\"labels\":{\"$patch\":\"merge\",\"y\":\"2\"}"), META("\"labels\":{\"x\":\"1\",\"y\":\"2\"}")),
    J_OK(META("\"name\":\"p\""), META("\"labels\":{\"q\":\"1\",\"$patch\":\"replace\"}"), META("\"name\":\"p\"")),
    J_OK(META("\"name\":\"p\""), META("\"labels\":{\"q\":null,\"r\":\"1\"}"), META("\"name\":\"p\",\"labels\":{\"r\":\"1\"}")),
    J_OK(SPEC("\"nodeName\":\"n\""), "{\"spec\":null}", "{}"),
    J_OK(SPEC("\"nodeName\":\"n\""), SPEC("\"nodeName\":\"m\""), SPEC("\"nodeName\":\"m\"")),
    J_OK(SPEC("\"nodeName\":\"n\""), "{}", SPEC("\"nodeName\":\"n\"")),
    J_BAD(META("\"labels\":{\"x\":\"1\"}"), META("\"labels\":{\"$patch\":\"bogus\",\"b\":1,\"a\":[1,\"x\",null]}"), E_INVALID_ARG,
          "unknown patch type: bogus in map: map[$patch:bogus a:[1 x <nil>] b:1]"),
    /* lists by key; what is new comes first unless an order is given */
    J_OK(SPEC(AB), SPEC("\"containers\":[{\"name\":\"b\",\"image\":\"new\"}]"),
         SPEC("\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\",\"image\":\"new\"}]")),
    J_OK(SPEC(AB), SPEC("\"containers\":[{\"name\":\"c\",\"image\":\"k\"},{\"name\":\"a\",\"image\":\"new\"}]"),
         SPEC("\"containers\":[{\"name\":\"c\",\"image\":\"k\"},{\"name\":\"a\",\"image\":\"new\"},{\"name\":\"b\",\"image\":\"j\"}]")),
    J_OK(SPEC(AB), SPEC("\"containers\":[{\"name\":\"a\",\"$patch\":\"delete\"},{\"name\":\"zz\",\"$patch\":\"delete\"}]"),
         SPEC("\"containers\":[{\"name\":\"b\",\"image\":\"j\"}]")),
    J_OK(SPEC(AB), SPEC("\"containers\":[{\"name\":\"n\",\"image\":\"k\"},{\"$patch\":\"replace\"}]"),
         SPEC("\"containers\":[{\"name\":\"n\",\"image\":\"k\"}]")),
    J_OK(SPEC(AB), SPEC("\"containers\":[]"), SPEC(AB)),
    J_OK(SPEC("\"nodeName\":\"x\""), SPEC("\"containers\":[{\"name\":\"n\"},{\"name\":\"o\",\"$patch\":\"delete\"}]"),
         SPEC("\"nodeName\":\"x\",\"containers\":[{\"name\":\"n\"}]")),
    J_OK(SPEC("\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"A\",\"value\":\"1\"}],\"command\":[\"x\"]}],\"tolerations\":[{\"key\":\"a\"}]"),
         SPEC("\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"B\",\"value\":\"2\"},{\"name\":\"A\",\"$patch\":\"delete\"}],\"command\":[\"y\"]}],"
              "\"tolerations\":[{\"key\":\"b\"}]"),
         SPEC("\"containers\":[{\"name\":\"a\",\"env\":[{\"name\":\"B\",\"value\":\"2\"}],\"command\":[\"y\"]}],\"tolerations\":[{\"key\":\"b\"}]")),
    J_BAD(SPEC(AB), SPEC("\"containers\":[{\"image\":\"x\"}]"), E_INVALID_ARG, "map: map[image:x] does not contain declared merge key: name"),
    J_BAD(SPEC(AB), SPEC("\"containers\":[{\"$patch\":\"delete\"}]"), E_INVALID_ARG,
          "map: map[$patch:delete] does not contain declared merge key: name"),
    J_BAD(SPEC(AB), SPEC("\"containers\":[{\"name\":\"a\",\"$patch\":\"odd\"}]"), E_INVALID_ARG,
          "unknown patch type: odd in map: map[$patch:odd name:a]"),
    J_BAD(SPEC(AB), SPEC("\"containers\":[\"x\"]"), E_INVALID_ARG, "list element types are not identical: map[string]interface {} and string"),
    J_BAD(SPEC(AB), SPEC("\"containers\":[[1]]"), E_INVALID, "lists of lists are not supported"),
    /* order */
    J_OK(SPEC("\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"c\"},{\"name\":\"d\"}]"),
         SPEC("\"$setElementOrder/containers\":[{\"name\":\"d\"},{\"name\":\"x\"},{\"name\":\"b\"}],\"containers\":[{\"name\":\"x\"}]"),
         SPEC("\"containers\":[{\"name\":\"a\"},{\"name\":\"c\"},{\"name\":\"d\"},{\"name\":\"x\"},{\"name\":\"b\"}]")),
    J_OK(SPEC("\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]"), SPEC("\"$setElementOrder/containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]"),
         SPEC("\"containers\":[{\"name\":\"b\"},{\"name\":\"a\"}]")),
    J_OK(SPEC("\"containers\":[{\"name\":\"a\"},{\"name\":\"b\"}]"),
         SPEC("\"$setElementOrder/containers\":[{\"name\":\"a\"},{\"name\":\"n\"},{\"name\":\"b\"}],\"containers\":[{\"name\":\"n\"}]"),
         SPEC("\"containers\":[{\"name\":\"a\"},{\"name\":\"n\"},{\"name\":\"b\"}]")),
    /* a deleted element leaves its place to an added one, so that c may stay before d */
    J_OK(SPEC("\"volumes\":[{\"name\":\"c\"},{\"name\":\"a\"},{\"name\":\"e\"}]"),
         SPEC("\"$setElementOrder/volumes\":[{\"name\":\"d\"},{\"name\":\"e\"}],\"volumes\":[{\"name\":\"d\"},{\"name\":\"a\",\"$patch\":\"delete\"}]"),
         SPEC("\"volumes\":[{\"name\":\"c\"},{\"name\":\"d\"},{\"name\":\"e\"}]")),
    J_OK(SPEC("\"nodeName\":\"x\""), SPEC("\"$setElementOrder/containers\":[{\"name\":\"a\"}],\"containers\":[{\"name\":\"a\"}]"),
         SPEC("\"nodeName\":\"x\",\"containers\":[{\"name\":\"a\"}]")),
    J_OK(SPEC("\"nodeName\":\"x\""), SPEC("\"$setElementOrder/containers\":[{\"name\":\"a\"}]"), SPEC("\"nodeName\":\"x\"")),
    J_BAD(SPEC(AB), SPEC("\"$setElementOrder/containers\":\"x\""), E_INVALID_ARG, "invalid patch format of setElementOrder list"),
    J_BAD(SPEC(AB), SPEC("\"$setElementOrder/containers\":[{\"image\":\"q\"}]"), E_INVALID_ARG,
          "map: map[image:q] does not contain declared merge key: name"),
    J_BAD(SPEC(AB), SPEC("\"$setElementOrder/containers\":[{\"name\":\"b\"}],\"containers\":[{\"name\":\"a\",\"image\":\"q\"}]"), E_INVALID_ARG,
          "The order in patch list:\n[map[image:q name:a]]\n doesn't match $setElementOrder list:\n[map[name:b]]\n"),
    /* lists of scalars */
    J_OK(META("\"finalizers\":[\"x\",\"y\"]"), META("\"finalizers\":[\"z\",\"y\"]"), META("\"finalizers\":[\"z\",\"x\",\"y\"]")),
    J_OK(META("\"finalizers\":[\"a\",\"a\",\"b\"]"), META("\"finalizers\":[\"b\",\"c\",\"c\"]"), META("\"finalizers\":[\"a\",\"b\",\"c\"]")),
    J_OK(META("\"finalizers\":[\"a\",\"b\",\"c\"]"), META("\"$deleteFromPrimitiveList/finalizers\":[\"b\",\"q\"]"), META("\"finalizers\":[\"a\",\"c\"]")),
    J_OK(META("\"finalizers\":[\"a\",\"b\",\"c\"]"),
         META("\"$deleteFromPrimitiveList/finalizers\":[\"b\"],\"$setElementOrder/finalizers\":[\"c\",\"d\"],\"finalizers\":[\"d\"]"),
         META("\"finalizers\":[\"a\",\"c\",\"d\"]")),
    J_OK(META("\"name\":\"p\""), META("\"$deleteFromPrimitiveList/finalizers\":[\"b\"]"), META("\"name\":\"p\"")),
    J_BAD(META("\"finalizers\":[\"a\"]"), META("\"$deleteFromPrimitiveList\":[\"b\"]"), E_INVALID_ARG, "invalid patch format of primitive list"),
    J_BAD(META("\"finalizers\":[\"a\"]"), META("\"finalizers\":[1]"), E_INVALID_ARG, "list element types are not identical: string and int64"),
    /* unions */
    J_OK(SPEC("\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]"),
         SPEC("\"volumes\":[{\"name\":\"v\",\"$retainKeys\":[\"name\",\"hostPath\"],\"hostPath\":{\"path\":\"/x\"}}]"),
         SPEC("\"volumes\":[{\"name\":\"v\",\"hostPath\":{\"path\":\"/x\"}}]")),
    J_BAD(SPEC("\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]"),
          SPEC("\"volumes\":[{\"name\":\"v\",\"$retainKeys\":[\"name\"],\"hostPath\":{\"path\":\"/x\"}}]"), E_INVALID_ARG,
          "invalid patch format of retainKeys"),
    J_BAD(SPEC("\"nodeName\":\"x\""), SPEC("\"$retainKeys\":\"x\""), E_INVALID_ARG, "invalid patch format of retainKeys"),
    J_BAD("{}", "[]", E_PARSE, "invalid JSON document"),
    /* types that do not fit together: the patch wins */
    J_OK(META("\"labels\":\"odd\""), META("\"labels\":{\"a\":\"b\",\"n\":null}"), META("\"labels\":{\"a\":\"b\"}")),
};

TEST(strategic_patch_of_pods)
{
    check_cases(pod_cases, ARRAY_LEN(pod_cases), pod);
}

TEST(strategic_patch_follows_the_schema_down)
{
    static const struct patch_case cases[] = {
        J_OK(SPEC("\"strategy\":{\"type\":\"RollingUpdate\",\"rollingUpdate\":{\"maxSurge\":1}}"),
             SPEC("\"strategy\":{\"$retainKeys\":[\"type\"],\"type\":\"Recreate\"}"), SPEC("\"strategy\":{\"type\":\"Recreate\"}")),
        /* kubectl set image */
        J_OK(SPEC("\"replicas\":3,\"template\":{\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"nginx:1\"},{\"name\":\"log\"}]}}"),
             SPEC("\"template\":{\"spec\":{\"$setElementOrder/containers\":[{\"name\":\"web\"},{\"name\":\"log\"}],"
                  "\"containers\":[{\"name\":\"web\",\"image\":\"nginx:2\"}]}}"),
             SPEC("\"replicas\":3,\"template\":{\"spec\":{\"containers\":[{\"name\":\"web\",\"image\":\"nginx:2\"},{\"name\":\"log\"}]}}")),
        /* kubectl rollout restart */
        J_OK(SPEC("\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}}}"),
             SPEC("\"template\":{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/restartedAt\":\"now\"}}}"),
             SPEC("\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"},\"annotations\":{\"kubectl.kubernetes.io/restartedAt\":\"now\"}}}")),
    };
    static const struct patch_case ports[] = {
        J_OK(SPEC("\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":53,\"protocol\":\"UDP\"}]"),
             SPEC("\"$setElementOrder/ports\":[{\"port\":53},{\"port\":80}],\"ports\":[{\"port\":80,\"name\":\"h\"}]"),
             SPEC("\"ports\":[{\"port\":53,\"protocol\":\"UDP\"},{\"port\":80,\"protocol\":\"TCP\",\"name\":\"h\"}]")),
    };
    check_cases(cases, ARRAY_LEN(cases), deployment);
    check_cases(ports, ARRAY_LEN(ports), service);
}

TEST(strategic_patch_of_long_lists_is_not_quadratic)
{
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct json live = json_array(), order = json_array(), target = json_literal(&a, "{\"metadata\":{}}"), got;
    struct json patch = json_literal(&a, "{\"metadata\":{}}");
    for (int i = 0; i < 50000; i++) {
        json_push(&a, &live, json_string(arena_fmt(&a, "f%d", i)));
        json_push(&a, &order, json_string(arena_fmt(&a, "f%d", 49999 - i)));
    }
    json_set(&a, json_get(&target, S("metadata")), S("finalizers"), live);
    json_set(&a, json_get(&patch, S("metadata")), S("$setElementOrder/finalizers"), order);
    T_NO_ERR(pod(&a, &target, &patch, &got, &err), &err);
    T_EQ_STR(json_str(&json_path(&got, "metadata", "finalizers", NULL)->items[0]), "f49999");
}

TEST(edit_keeps_order_and_finds_all)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json from = json_literal(&a, "{\"a\":1,\"b\":2,\"c\":3}");
    PATCH_EDIT_AUTO e = patch_edit_begin(&a, &from, 0);
    patch_edit_del(&e, S("b"));
    for (int i = 0; i < 200; i++)
        patch_edit_set(&e, arena_fmt(&a, "n%d", i), json_bool(true));
    for (int i = 0; i < 200; i += 2)
        patch_edit_del(&e, arena_fmt(&a, "n%d", i));
    patch_edit_set(&e, S("n0"), json_null());
    T_OK(!patch_edit_get(&e, S("b")) && !patch_edit_get(&e, S("n2")) && patch_edit_get(&e, S("n3")));
    struct json got = patch_edit_end(&e);
    T_EQ_INT(got.len, 103);
    T_EQ_STR(got.members[1].key, "c");
    T_EQ_STR(got.members[102].key, "n0");
    T_EQ_STR(json_text(&a, &from), "{\"a\":1,\"b\":2,\"c\":3}");
}

TEST_MAIN(json_patch_cases, json_patch_refusals_say_what_kubernetes_says, json_patch_is_bounded, merge_patch_cases,
          merge_patch_of_large_objects_uses_the_index, strategic_patch_of_pods, strategic_patch_follows_the_schema_down,
          strategic_patch_of_long_lists_is_not_quadratic, edit_keeps_order_and_finds_all)
