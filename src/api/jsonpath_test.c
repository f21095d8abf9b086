/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"

#include "base/test.h"

static const char *const doc_text =
    "{\"kind\":\"List\",\"n\":5,\"f\":1.5,\"big\":1e21,\"small\":0.00001,\"one\":1.0,\"t\":true,\"nul\":null,\"s\":\"text\",\"empty\":[],\"eo\":{},"
    "\"a.b\":\"dot\",\"items\":["
    "{\"metadata\":{\"name\":\"p1\",\"labels\":{\"app\":\"x\"}},\"spec\":{\"replicas\":3,\"c\":[{\"name\":\"c1\",\"image\":\"i<1>\"},"
    "{\"name\":\"c2\"}]},\"ready\":true,\"w\":1.5},"
    "{\"metadata\":{\"name\":\"p2\"},\"spec\":{\"replicas\":1,\"c\":[{\"name\":\"c3\"}]},\"ready\":false,\"w\":2.5},"
    "{\"metadata\":{\"name\":\"p3\",\"labels\":{\"app\":\"y\"}},\"spec\":{\"replicas\":10,\"c\":[]}}],\"nums\":[1,2,3,4,5,6,7]}";

struct path_case {
    const char *path, *want;
};

static void check(const struct path_case *cases, size_t n, bool allow_missing, int want_code)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json doc = json_literal(&a, doc_text);
    for (size_t i = 0; i < n; i++) {
        struct jsonpath *p;
        struct err err = ERR_NONE;
        struct strbuf out = strbuf_on(&a);
        int r = jsonpath_compile(&a, str_of(cases[i].path), false, &p, &err);
        if (r == 0)
            r = jsonpath_print(&a, p, &doc, allow_missing, &out, &err);
        str got = r < 0 ? str_of(err.msg) : strbuf_str(&out);
        if (r != -want_code || !str_is(got, cases[i].want))
            T_FAIL_("%s gave %s '" STR_FMT "', expected '%s'", cases[i].path, err_code_name(-r), STR_ARG(got), cases[i].want);
    }
}

TEST(templates_print_as_kubectl_does)
{
    static const struct path_case cases[] = {
        {"text only", "text only"},
        {"a{.n}b{.s}c", "a5btextc"},
        {"{ .n } {@.n}{$.n}", "5 55"},
        {"{.f} {.big} {.small} {.one} {.t} {.nul}", "1.5 1e+21 1e-05 1 true null"},
        {"{.items[*].metadata.name}", "p1 p2 p3"},
        {"{.items[0].spec.c}", "[{\"image\":\"i\\u003c1\\u003e\",\"name\":\"c1\"},{\"name\":\"c2\"}]"},
        {"{.items[0].spec.c[0].image}", "i<1>"},
        {"{.items[-1].metadata.name}", "p3"},
        {"{.items[0:2].metadata.name}", "p1 p2"},
        {"{.items[::2].metadata.name}", "p1 p3"},
        {"{.items[0,2].metadata.name}", "p1 p3"},
        {"{.items[0:0]}", ""},
        {"{.nums}{.eo}{.empty}", "[1,2,3,4,5,6,7]{}[]"},
        {"{.nums[1:6:2]} {.nums[-3:]} {.nums[-3:-1]} {.nums[:2]} {.nums[*]}", "2 4 6 5 6 7 5 6 1 2 1 2 3 4 5 6 7"},
        {"{.nums.*}", "1 2 3 4 5 6 7"},
        {"{['a\\.b']} {.a\\.b}", "dot dot"},
        {"{.items[*]['metadata.name','spec.replicas']}", "p1 p2 p3 3 1 10"},
        {"{..image}", "i<1>"},
        {"{.items[0].spec..name}", "c1 c2"},
        {"{.items[*].spec.c[*].name}", "c1 c2 c3"},
        {"{.missing}{.n.x}{.nul.a}{.nul[0]}", ""},
        {"{\"a\\\"b\"}{'it\\'s'}{\"\\u00e9\\x41\\101\\t\"}", "a\"bit's\xc3\xa9"
                                                            "AA\t"},
        {"{1}{1.5}{-3}{+4}{true}", "11.5-34true"},
        {"{.}", ""},
    };
    check(cases, ARRAY_LEN(cases), true, E_NONE);
}

TEST(ranges)
{
    static const struct path_case cases[] = {
        {"{range .items[*]}{.metadata.name}{\"\\t\"}{.spec.replicas}{\"\\n\"}{end}", "p1\t3\np2\t1\np3\t10\n"},
        {"{range .items[*]}{.metadata.name}:{range .spec.c[*]}[{.name}]{end};{end}done", "p1:[c1][c2];p2:[c3];p3:;done"},
        {"{range .items[0:2]}{.metadata.name}{end}-{range .nums[0:2]}{@}{end}", "p1p2-12"},
        {"{range .nothing[*]}{.x}{end}after", "after"},
        {"{range .empty[*]}{range .y[*]}{.x}{end}{end}after", "after"},
    };
    check(cases, ARRAY_LEN(cases), true, E_NONE);
}

TEST(filters)
{
    static const struct path_case cases[] = {
        {"{.items[?(@.spec.replicas>2)].metadata.name}", "p1 p3"},
        {"{.items[?(@.spec.replicas<=3)].metadata.name}", "p1 p2"},
        {"{.items[?(@.spec.replicas<3)].metadata.name}", "p2"},
        {"{.items[?(@.spec.replicas>=10)].metadata.name}", "p3"},
        {"{.items[?(@.metadata.name==\"p2\")].spec.c[0].name}", "c3"},
        {"{.items[?(@.metadata.name!='p2')].metadata.name}", "p1 p3"},
        {"{.items[?(@.metadata.labels.app)].metadata.name}", "p1 p3"},
        {"{.items[?(@.ready==true)].metadata.name}", "p1"},
        {"{.items[?(@.w==2.5)].metadata.name}", "p2"},
        {"{.items[?(\"p1\"==@.metadata.name)].metadata.name}", "p1"},
        {"{.items[?(@.nothing==\"x\")].metadata.name}", ""},
        {"{.items[?(@.metadata.name==\"(\")].metadata.name}", ""},
        {"{.items[?(@.spec.replicas>2 && @.metadata.labels.app==\"y\")].metadata.name}", "p3"},
        {"{.items[?(@.metadata.name==\"p1\" || @.metadata.name==\"a&&b\" || @.spec.replicas==1)].metadata.name}", "p1 p2"},
    };
    check(cases, ARRAY_LEN(cases), true, E_NONE);
}

TEST(errors_are_worded_as_kubectl_words_them)
{
    static const struct path_case bad[] = {
        {"{.a", "unclosed action"},
        {"{.items[0}", "unterminated array"},
        {"{\"x}", "unterminated quoted string"},
        {"{\"bad\\q\"}", "unquote string \"bad\\q\" error invalid syntax"},
        {"{.items[?(@.a==\"x\"]}", "unterminated filter"},
        {"{.items[?(@.a)}", "unclosed array expect ]"},
        {"{.items[a]}", "invalid array index a"},
        {"{.items[1:2:3:4]}", "invalid array index 1:2:3:4"},
        {"{....}", "invalid multiple recursive descent"},
        {"{1.2.3}", "cannot parse number 1.2.3"},
        {"{&}", "unrecognized character in action: U+0026 '&'"},
        {"{foo}", "unrecognized identifier foo"},
        {"{end}", "not in range, nothing to end"},
        {"{.items[7]}", "array index out of bounds: index 7, length 3"},
        {"{.items[2:1]}", "starting index 2 is greater than ending index 1"},
        {"{.nums[0:7:0]}", "step must be > 0"},
        {"{.s[0]}", "string is not array or slice"},
        {"{.n[0]}", "int64 is not array or slice"},
        {"{.eo[?(@.a)]}", "map[] is not array or slice and cannot be filtered"},
        {"{.items[?(@.w>\"x\")]}", "incompatible types for comparison"},
        {"{.items[?(@.w>1)]}", "incompatible types for comparison"},
        {"{.items[?(@.ready<true)]}", "invalid type for comparison"},
        {"{.items[?(@.spec.c[*].name==\"c3\")]}", "can only compare one element at a time"},
        {"{.items[?(@.spec.replicas=>2)]}", "unrecognized filter operator =>"},
    };
    check(bad, ARRAY_LEN(bad), true, E_INVALID_ARG);
    static const struct path_case missing[] = {
        {"{.missing}", "missing is not found"},
        {"x{.n}{.items[*].nope}", "nope is not found"},
    };
    check(missing, ARRAY_LEN(missing), false, E_NOT_FOUND);
}

TEST(relaxed_paths_and_find)
{
    static const struct {
        const char *path;
        size_t n;
        const char *first;
    } cases[] = {
        {".items[*].metadata.name", 3, "p1"}, {"items[*].metadata.name", 3, "p1"}, {"{.s}", 1, "text"},
        {"{s}", 1, "text"},                   {".missing.deep", 0, ""},            {".items[?(@.ready==false)].metadata.name", 1, "p2"},
    };
    ARENA_AUTO a = ARENA_INIT;
    struct json doc = json_literal(&a, doc_text);
    struct jsonpath *p;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        const struct json **found;
        size_t n;
        struct err err = ERR_NONE;
        T_NO_ERR(jsonpath_compile(&a, str_of(cases[i].path), true, &p, &err), &err);
        T_NO_ERR(jsonpath_find(&a, p, &doc, &found, &n, &err), &err);
        T_EQ_INT(n, cases[i].n);
        if (n)
            T_EQ_STR(json_str(found[0]), cases[i].first);
    }
    T_ERR(jsonpath_compile(&a, S("{.a}{.b}"), true, &p, NULL), E_INVALID_ARG);
    T_ERR(jsonpath_compile(&a, S("."), true, &p, NULL), E_INVALID_ARG);
}

TEST(values_as_go_prints_them)
{
    static const struct {
        const char *json, *value, *go;
    } cases[] = {
        {"0", "0", "0"},
        {"-0.0", "-0", "-0"},
        {"1e3", "1000", "1000"},
        {"1e20", "100000000000000000000", "100000000000000000000"},
        {"1.25e21", "1.25e+21", "1.25e+21"},
        {"0.0001", "0.0001", "0.0001"},
        {"-0.000012", "-1.2e-05", "-1.2e-05"},
        {"0.1", "0.1", "0.1"},
        {"1e-300", "1e-300", "1e-300"},
        {"123456.789", "123456.789", "123456.789"},
        {"9007199254740993", "9007199254740993", "9007199254740993"},
        {"[0.00001,1e-7,1e21]", "[0.00001,1e-7,1e+21]", "[1e-05 1e-07 1e+21]"},
        {"{\"b\":[1,\"x\",null],\"a\":{\"c\":true}}", "{\"a\":{\"c\":true},\"b\":[1,\"x\",null]}", "map[a:map[c:true] b:[1 x <nil>]]"},
        {"null", "null", "<nil>"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_literal(&a, cases[i].json);
        struct strbuf value = strbuf_on(&a), go = strbuf_on(&a);
        jsonpath_write_value(&a, &value, &v);
        jsonpath_write_go(&a, &go, &v);
        T_EQ_STR(strbuf_str(&value), cases[i].value);
        T_EQ_STR(strbuf_str(&go), cases[i].go);
    }
}

TEST(work_is_bounded)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json doc = json_literal(&a, "{\"a\":{\"a\":{\"a\":1}}}");
    struct strbuf path = strbuf_on(&a), out = strbuf_on(&a);
    strbuf_add_str(&path, S("{"));
    for (int i = 0; i < 100; i++)
        strbuf_add_str(&path, S("['a','a']"));
    strbuf_add_str(&path, S("}"));
    struct jsonpath *p;
    T_NO_ERR(jsonpath_compile(&a, strbuf_str(&path), false, &p, NULL), &ERR_NONE);
    T_NO_ERR(jsonpath_print(&a, p, &doc, true, &out, NULL), &ERR_NONE);
    struct strbuf nested = strbuf_on(&a);
    for (int i = 0; i < 100; i++)
        strbuf_add_str(&nested, S("{\"a\":"));
    strbuf_add_str(&nested, S("1"));
    for (int i = 0; i < 100; i++)
        strbuf_add_str(&nested, S("}"));
    struct json chain = json_literal(&a, strbuf_cstr(&nested));
    T_ERR(jsonpath_print(&a, p, &chain, true, &out, NULL), E_TOO_LARGE);
}

TEST_MAIN(templates_print_as_kubectl_does, ranges, filters, errors_are_worded_as_kubectl_words_them, relaxed_paths_and_find,
          values_as_go_prints_them, work_is_bounded)
