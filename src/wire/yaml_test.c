/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/yaml.h"

#include "base/limits.h"
#include "base/test.h"

/* All documents as JSON, one a line, or "error: <sentence>" behind those before it. */
static str as_json(struct arena *a, str text)
{
    struct strbuf b = strbuf_on(a);
    struct yaml_stream *s = yaml_stream_new(text);
    struct json v;
    struct err err = ERR_NONE;
    int r;
    while ((r = yaml_stream_next(s, a, NULL, &v, &err)) > 0) {
        if (b.len)
            strbuf_add_char(&b, '\n');
        json_write(&b, &v);
    }
    if (r < 0)
        strbuf_addf(&b, "%serror: %s", b.len ? "\n" : "", err.msg);
    yaml_stream_free(s);
    return strbuf_str(&b);
}

struct text_case {
    const char *in, *want;
};

static void check_cases(const struct text_case *cases, size_t n)
{
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < n; i++)
        T_EQ_STR(as_json(&a, str_of(cases[i].in)), cases[i].want);
}

TEST(scalars)
{
    static const struct text_case cases[] = {
        {"a", "\"a\""},
        {"~", "null"},
        {"null", "null"},
        {"Null", "null"},
        {"nULL", "\"nULL\""},
        {"[y, Y, yes, Yes, YES, on, On, ON, true, True, TRUE]", "[true,true,true,true,true,true,true,true,true,true,true]"},
        {"[n, N, no, No, NO, off, Off, OFF, false, False, FALSE]",
         "[false,false,false,false,false,false,false,false,false,false,false]"},
        {"[yEs, tRUE, oN, nO]", "[\"yEs\",\"tRUE\",\"oN\",\"nO\"]"},
        {"['yes', \"no\", !!str on, ! off]", "[\"yes\",\"no\",\"on\",\"off\"]"},
        {"[0, -0, +12, -7, 1_000, 9223372036854775807, 18446744073709551615, -9223372036854775808]",
         "[0,0,12,-7,1000,9223372036854775807,18446744073709551615,-9223372036854775808]"},
        {"[0x1F, -0x10, 0o17, 017, 0b101, -0b11, 0x, 0b2, 08, 0o8]", "[31,-16,15,15,5,-3,\"0x\",\"0b2\",8,\"0o8\"]"},
        {"[18446744073709551616, -9223372036854775809]", "[18446744073709552000,-9223372036854776000]"},
        {"[1.5, 1., .5, -.5, 1e3, 1.0, 6.02e+23, 1_0.5, 1e400, 1e, .e1, ., ._5, 1e-7]",
         "[1.5,1,0.5,-0.5,1000,1,6.02e+23,10.5,\"1e400\",\"1e\",\".e1\",\".\",\"._5\",1e-7]"},
        {"[2001-01-01, 2001-12-14t21:59:43.10-05:00, 12:30:45, 1.2.3, 1-2, v1, 10Gi]",
         "[\"2001-01-01\",\"2001-12-14t21:59:43.10-05:00\",\"12:30:45\",\"1.2.3\",\"1-2\",\"v1\",\"10Gi\"]"},
        {"[!!int 7, !!int '7', !!float 1, !!float '1.5', !!bool 'yes', !!null '', !!str 7, !!timestamp 2001-01-01]",
         "[7,7,1,1.5,true,null,\"7\",\"2001-01-01\"]"},
        {"!!binary |\n aGVs\n bG8=\n", "\"hello\""},
        {"!!binary /w==", "\"\xef\xbf\xbd\""},
        {"!local x", "\"x\""},
        {"!local 12", "\"12\""},
        {"!!set {a: 1}", "{\"a\":1}"},
        {"\"\\x41\\u00e9\\U0001F600\\n\\0\"", "\"A\xc3\xa9\xf0\x9f\x98\x80\\n\\u0000\""},
        {"''", "\"\""},
        {"'it''s'", "\"it's\""},
        {"|\n  a\n  b\n", "\"a\\nb\\n\""},
        {"|-\n  a\n\n  b\n", "\"a\\n\\nb\""},
        {"|+\n  a\n\n", "\"a\\n\\n\""},
        {">\n  a\n  b\n\n  c\n", "\"a b\\nc\\n\""},
        {"|2\n   a\n", "\" a\\n\""},
        {"a b\n  c", "\"a b c\""},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(structures)
{
    static const struct text_case cases[] = {
        {"", ""},
        {"# nothing\n", ""},
        {"---\n", "null"},
        {"a: 1\nb:\n- x\n-   w: 2\n    z:\n- - 3\n", "{\"a\":1,\"b\":[\"x\",{\"w\":2,\"z\":null},[3]]}"},
        {"{a: [1, {b: c}], d: }", "{\"a\":[1,{\"b\":\"c\"}],\"d\":null}"},
        {"{\"a\": \"b\", \"c\": [true, null, 1.50]}", "{\"a\":\"b\",\"c\":[true,null,1.5]}"},
        {"? a\n: b\n", "{\"a\":\"b\"}"},
        {"a: 1\n---\n- b\n---\nc\n...\n---\n", "{\"a\":1}\n[\"b\"]\n\"c\"\nnull"},
        {"--- 1\n--- 2\n", "1\n2"},
        {"%YAML 1.1\n---\na: 1\n", "{\"a\":1}"},
        {"\xef\xbb\xbf" "a: 1\n", "{\"a\":1}"},
        {"a: 1\r\nb: |\r\n  x\r\n", "{\"a\":1,\"b\":\"x\\n\"}"},
        {"url: http://x:80/#a\ncmd: echo \"hi\" # c\n", "{\"url\":\"http://x:80/#a\",\"cmd\":\"echo \\\"hi\\\"\"}"},
        /* keys that are not strings */
        {"{1: a, 0x10: b, 1.5: c, true: d, no: e, 1e30: f, 18446744073709551615: g}",
         "{\"1\":\"a\",\"16\":\"b\",\"1.5\":\"c\",\"true\":\"d\",\"false\":\"e\",\"1e+30\":\"f\",\"18446744073709551615\":\"g\"}"},
        {"y: 1", "{\"true\":1}"},
        {"0.1: x", "{\"0.1\":\"x\"}"},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(anchors_and_merges)
{
    static const struct text_case cases[] = {
        {"a: &x {k: 1}\nb: *x\n", "{\"a\":{\"k\":1},\"b\":{\"k\":1}}"},
        {"- &x 1\n- &x 2\n- *x\n", "[1,2,2]"},
        {"- &k key\n- *k : v\n", "[\"key\",{\"key\":\"v\"}]"},
        {"a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", "{\"a\":{\"k\":1,\"l\":2},\"b\":{\"k\":1,\"l\":3}}"},
        {"a: &x {k: 1}\nb: {k: 0, <<: *x}\n", "{\"a\":{\"k\":1},\"b\":{\"k\":1}}"},
        {"- &x {k: 1}\n- &y {k: 2, m: 3}\n- <<: [*x, *y]\n", "[{\"k\":1},{\"k\":2,\"m\":3},{\"k\":1,\"m\":3}]"},
        {"<<: {a: 1}", "{\"a\":1}"},
        {"'<<': {a: 1}", "{\"\\u003c\\u003c\":{\"a\":1}}"},
        {"<<: 1", "error: error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value"},
        {"<<: [1]", "error: error converting YAML to JSON: yaml: map merge requires map or sequence of maps as the value"},
        {"a: *x", "error: error converting YAML to JSON: yaml: unknown anchor 'x' referenced"},
        {"a: &x [*x]", "error: error converting YAML to JSON: yaml: anchor 'x' value contains itself"},
        {"a: &x\n  b: *x", "error: error converting YAML to JSON: yaml: anchor 'x' value contains itself"},
        {"a: &x 1\n---\nb: *x", "{\"a\":1}\nerror: error converting YAML to JSON: yaml: unknown anchor 'x' referenced"},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(errors)
{
    static const struct text_case cases[] = {
        {"a: b: c", "error: error converting YAML to JSON: yaml: mapping values are not allowed in this context"},
        {"x: 1\na: b: c", "error: error converting YAML to JSON: yaml: line 2: mapping values are not allowed in this context"},
        {"x: 1\n\ty: 2", "error: error converting YAML to JSON: yaml: line 2: found a tab character that violates indentation"},
        {"a: [1, 2", "error: error converting YAML to JSON: yaml: line 1: did not find expected ',' or ']'"},
        {"a:\n  - b\n c: 1\n", "error: error converting YAML to JSON: yaml: line 2: did not find expected key"},
        {"a: \"x", "error: error converting YAML to JSON: yaml: found unexpected end of stream"},
        {"a: @x", "error: error converting YAML to JSON: yaml: found character that cannot start any token"},
        {"a: \x01", "error: error converting YAML to JSON: yaml: control characters are not allowed"},
        {"a: \xff", "error: error converting YAML to JSON: yaml: invalid leading UTF-8 octet"},
        {"a: .inf", "error: error converting YAML to JSON: json: unsupported value: +Inf"},
        {"a: -.Inf", "error: error converting YAML to JSON: json: unsupported value: -Inf"},
        {"a: .NaN", "error: error converting YAML to JSON: json: unsupported value: NaN"},
        {"a: !!int x", "error: error converting YAML to JSON: yaml: cannot decode !!str `x` as a !!int"},
        {"a: !!bool 1", "error: error converting YAML to JSON: yaml: cannot decode !!int `1` as a !!bool"},
        {"a: !!binary x", "error: error converting YAML to JSON: yaml: !!binary value contains invalid base64 data"},
        {"null: 1", "error: error converting YAML to JSON: unsupported map key of type: null"},
        {"{a: 1}: 2", "error: error converting YAML to JSON: yaml: invalid map key: map[interface {}]interface {}{\"a\":1}"},
        {"a: {{ .Values.x }}", "error: error converting YAML to JSON: yaml: invalid map key: map[interface {}]interface {}{\".Values.x\":interface {}(nil)}"},
        {"a: !!int x\nb: [", "error: error converting YAML to JSON: yaml: line 2: did not find expected node content"},
        {"a: 1\n---\nb: [", "{\"a\":1}\nerror: error converting YAML to JSON: yaml: line 3: did not find expected node content"},
    };
    check_cases(cases, ARRAY_LEN(cases));
}

TEST(duplicates)
{
    static const struct {
        const char *in, *want, *paths;
    } cases[] = {
        {"a: 1\nb: 2\na: 3\n", "{\"a\":3,\"b\":2}", "a;"},
        {"data:\n  a: 1\n  'a': 2\nspec:\n- {x: 1, x: 2}\n", "{\"data\":{\"a\":2},\"spec\":[{\"x\":2}]}", "data.a;spec[0].x;"},
        {"1: a\n\"1\": b\n", "{\"1\":\"b\"}", "1;"},
        {"a: &x {k: 1}\nb: {<<: *x, k: 2}\n", "{\"a\":{\"k\":1},\"b\":{\"k\":2}}", ""},
        {"b: {<<: {q: 1, q: 2}}\n", "{\"b\":{\"q\":2}}", "b.<<.q;"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        str dups[JSON_MAX_DUPS];
        struct json_parse_opts opts = {.dups = dups};
        struct json v = json_null();
        struct err err = ERR_NONE;
        T_NO_ERR(yaml_parse(&a, str_of(cases[i].in), &opts, &v, &err), &err);
        T_EQ_STR(json_text(&a, &v), cases[i].want);
        struct strbuf paths = strbuf_on(&a);
        for (size_t k = 0; k < opts.ndups; k++)
            strbuf_addf(&paths, STR_FMT ";", STR_ARG(dups[k]));
        T_EQ_STR(strbuf_str(&paths), cases[i].paths);
    }
}

TEST(parse_takes_the_first_document)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_bool(true);
    struct err err = ERR_NONE;
    T_NO_ERR(yaml_parse(&a, S("a: 1\n---\n["), NULL, &v, &err), &err);
    T_EQ_STR(json_text(&a, &v), "{\"a\":1}");
    T_NO_ERR(yaml_parse(&a, S(""), NULL, &v, &err), &err);
    T_EQ_INT(v.type, JSON_NULL);
    T_NO_ERR(yaml_parse(&a, STR_NONE, NULL, &v, &err), &err);
    T_EQ_INT(v.type, JSON_NULL);
    T_ERR(yaml_parse(&a, S("["), NULL, &v, &err), E_PARSE);
}

TEST(aliases_share_nothing)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = json_null();
    struct err err = ERR_NONE;
    T_NO_ERR(yaml_parse(&a, S("a: &x {k: [1]}\nb: *x\n"), NULL, &v, &err), &err);
    json_push(&a, json_path(&v, "b", "k", NULL), json_int(&a, 2));
    json_set(&a, json_get(&v, S("b")), S("k2"), json_null());
    T_EQ_STR(json_text(&a, &v), "{\"a\":{\"k\":[1]},\"b\":{\"k\":[1,2],\"k2\":null}}");
}

/* Hostile texts end soon and with a sentence. */
TEST(bombs_are_refused)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf laughs = strbuf_on(&a), deep = strbuf_on(&a), copies = strbuf_on(&a), nested = strbuf_on(&a);
    strbuf_add_str(&laughs, S("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"));
    for (int i = 1; i < 12; i++)
        strbuf_addf(&laughs, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1, i - 1, i - 1,
                    i - 1, i - 1, i - 1, i - 1, i - 1);
    T_EQ_STR(as_json(&a, strbuf_str(&laughs)),
             "error: error converting YAML to JSON: yaml: document contains excessive aliasing");

    for (int i = 0; i < 2 * (LIMIT_JSON_DEPTH + 1); i++)
        strbuf_add_char(&deep, i <= LIMIT_JSON_DEPTH ? '[' : ']');
    T_EQ_STR(as_json(&a, strbuf_str(&deep)), "error: error converting YAML to JSON: yaml: exceeded max depth of 128");

    /* behind another error too */
    strbuf_clear(&deep);
    strbuf_add_str(&deep, S("- !!int x\n- "));
    for (int i = 0; i < 1 << 20; i++)
        strbuf_add_char(&deep, '[');
    T_EQ_STR(as_json(&a, strbuf_str(&deep)), "error: error converting YAML to JSON: yaml: cannot decode !!str `x` as a !!int");

    /* each line nests the one before once more */
    strbuf_add_str(&nested, S("- &a0 [x]\n"));
    for (int i = 1; i < LIMIT_JSON_DEPTH; i++)
        strbuf_addf(&nested, "- &a%d [*a%d]\n", i, i - 1);
    T_EQ_STR(as_json(&a, strbuf_str(&nested)), "error: error converting YAML to JSON: yaml: exceeded max depth of 128");

    strbuf_add_str(&copies, S("a: &x '"));
    for (int i = 0; i < 100000; i++)
        strbuf_add_str(&copies, S("0123456789"));
    strbuf_add_str(&copies, S("'\nb: ["));
    for (int i = 0; i < 1000; i++)
        strbuf_add_str(&copies, S("*x, "));
    strbuf_add_str(&copies, S("]\n"));
    T_EQ_STR(as_json(&a, strbuf_str(&copies)),
             "error: error converting YAML to JSON: yaml: document contains excessive aliasing");
}

TEST(writes_as_kubectl)
{
    static const struct text_case cases[] = {
        {"{}", "{}\n"},
        {"[]", "[]\n"},
        {"\"x\"", "x\n"},
        {"null", "null\n"},
        {"{\"b\":1,\"a\":{\"y\":[1,{\"p\":1,\"o\":[]}],\"x\":{}}}", "a:\n  x: {}\n  \"y\":\n  - 1\n  - o: []\n    p: 1\nb: 1\n"},
        {"[[1,2],[],{\"a\":[3]}]", "- - 1\n  - 2\n- []\n- a:\n  - 3\n"},
        {"[\"\",\"true\",\"yes\",\"n\",\"null\",\"~\",\"12\",\"1.5\",\"0x1f\",\"1e3\",\"1_000\",\".5\",\".inf\",\"1:30\",\"2024-01-02\","
         "\"2024-01-02T03:04:05Z\"]",
         "- \"\"\n- \"true\"\n- \"yes\"\n- \"n\"\n- \"null\"\n- \"~\"\n- \"12\"\n- \"1.5\"\n- \"0x1f\"\n- \"1e3\"\n- \"1_000\"\n- \".5\"\n"
         "- \".inf\"\n- \"1:30\"\n- \"2024-01-02\"\n- \"2024-01-02T03:04:05Z\"\n"},
        {"[\"a b\",\"a: b\",\"a:b\",\"# x\",\"a #b\",\"- x\",\"-x\",\"*x\",\"&x\",\"!x\",\"%x\",\"@x\",\"`x\",\"{a}\",\"[a\",\" x\",\"x \",\"x'y\","
         "\"'x'\",\"\\\"x\\\"\",\"a\\tb\",\"10Gi\",\"v1\",\"?\",\"-\",\":\",\"a,b\",\"2024-13-01\",\"x:\"]",
         "- a b\n- 'a: b'\n- a:b\n- '# x'\n- 'a #b'\n- '- x'\n- -x\n- '*x'\n- '&x'\n- '!x'\n- '%x'\n- '@x'\n- '`x'\n- '{a}'\n- '[a'\n"
         "- ' x'\n- 'x '\n- x'y\n- '''x'''\n- '\"x\"'\n- \"a\\tb\"\n- 10Gi\n- v1\n- '?'\n- '-'\n- ':'\n- a,b\n- 2024-13-01\n- 'x:'\n"},
        {"[\"a\\nb\",\"a\\nb\\n\",\"a\\n\\n\",\" a\\nb\",\"\\n\",\"a\\n  b\\n\"]",
         "- |-\n  a\n  b\n- |\n  a\n  b\n- |+\n  a\n\n- |2-\n   a\n  b\n- |2+\n\n- |\n  a\n    b\n"},
        {"{\"n\":[1,-5,1.0,1.50,1e3,1000000,1e6,1234567.5,1e21,0.00001,-0,9223372036854775808,1e-400]}",
         "\"n\":\n- 1\n- -5\n- 1\n- 1.5\n- 1000\n- 1000000\n- 1e+06\n- 1.2345675e+06\n- 1e+21\n- 1e-05\n- 0\n- 9223372036854775808\n- 0\n"},
        {"{\"a10\":1,\"a9\":2,\"a\":3,\"B\":4,\"b\":5,\"_x\":6,\"1\":7,\"10\":8,\"9\":9,\"a.b\":10,\"ab\":11,\"a-b\":12,\"é\":13}",
         "_x: 6\n\"1\": 7\n\"9\": 9\n\"10\": 8\nB: 4\na: 3\na-b: 12\na.b: 10\na9: 2\na10: 1\nab: 11\nb: 5\né: 13\n"},
        {"{\"m\":\"Failed to pull image \\\"nginx:none\\\": rpc error: code = NotFound desc = failed to pull and unpack image\"}",
         "m: 'Failed to pull image \"nginx:none\": rpc error: code = NotFound desc = failed to\n  pull and unpack image'\n"},
        {"{\"u\":\"\\u0001\\u00e9\\u0085\\ufeff\\ud83d\\ude00\"}", "u: \"\\x01\xc3\xa9\\N\\uFEFF\\U0001F600\"\n"},
        {"{\"a\\nb\":1}", "? |-\n  a\n  b\n: 1\n"},
    };
    ARENA_AUTO a = ARENA_INIT;
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct json v = json_null();
        struct err err = ERR_NONE;
        T_NO_ERR(json_parse(&a, str_of(cases[i].in), NULL, &v, &err), &err);
        struct strbuf b = strbuf_on(&a);
        yaml_write(&b, &v);
        T_EQ_STR(strbuf_str(&b), cases[i].want);
    }
}

/* --- model: random trees survive ------------------------------------------------------------------- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static str random_string(struct arena *a, uint64_t *rng)
{
    static const char *const pieces[] = {"a", " ", ":", "-", "#", "\n", "'", "\"", "yes", "12", ".", "{", "\t", "\xc3\xa9", "e5", "~", "word ",
                                         "\xe2\x80\xa8", "\xc2\x85", "\r", "\x07", "<<", "\xef\xbb\xbf"};
    struct strbuf b = strbuf_on(a);
    for (size_t n = next_random(rng) % 20; n-- > 0;)
        strbuf_add_str(&b, str_of(pieces[next_random(rng) % ARRAY_LEN(pieces)]));
    return strbuf_str(&b);
}

static struct json random_tree(struct arena *a, uint64_t *rng, int depth)
{
    uint64_t kind = next_random(rng) % (depth > 0 ? 8 : 5), n = next_random(rng) % 5;
    if (kind == 0)
        return json_null();
    if (kind == 1)
        return json_bool(n & 1);
    if (kind == 2)
        return n & 1 ? json_int(a, (int64_t)next_random(rng) >> (n * 12)) : json_double(a, (double)(next_random(rng) >> 40) / 8);
    if (kind < 5)
        return json_string(random_string(a, rng));
    struct json v = kind == 5 ? json_array() : json_object();
    while (n-- > 0) {
        if (kind == 5)
            json_push(a, &v, random_tree(a, rng, depth - 1));
        else
            json_set(a, &v, random_string(a, rng), random_tree(a, rng, depth - 1));
    }
    return v;
}

TEST(random_trees_round_trip)
{
    uint64_t rng = 7;
    for (int round = 0; round < 400; round++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json v = random_tree(&a, &rng, 4), back = json_null();
        struct strbuf b = strbuf_on(&a);
        yaml_write(&b, &v);
        struct err err = ERR_NONE;
        T_NO_ERR(yaml_parse(&a, strbuf_str(&b), NULL, &back, &err), &err);
        if (!json_equal(&v, &back))
            T_FAIL_(STR_FMT "\nbecame\n" STR_FMT, STR_ARG(json_text(&a, &v)), STR_ARG(strbuf_str(&b)));
        /* JSON is YAML, but for NEL, which YAML 1.1 takes for the end of a line */
        str json = json_text(&a, &v);
        if (str_find(json, S("\xc2\x85")) >= 0)
            continue;
        T_NO_ERR(yaml_parse(&a, json, NULL, &back, &err), &err);
        T_OK(json_equal(&v, &back));
    }
}

TEST_MAIN(scalars, structures, anchors_and_merges, errors, duplicates, parse_takes_the_first_document, aliases_share_nothing,
          bombs_are_refused, writes_as_kubectl, random_trees_round_trip)
