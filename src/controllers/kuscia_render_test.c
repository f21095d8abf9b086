/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_render.h"

#include "base/test.h"

static const char vars_text[] =
    "{\"TASK_ID\":\"t-1\",\"TASK_INPUT_CONFIG\":\"{\\\"say\\\": \\\"hi\\\"}\\n\",\"EMPTY\":\"\",\"HOME_x\":\"{not json\","
    "\"TEXT\":\"{\\\"inner\\\": \\\"{ \\\\\\\"a\\\\\\\": 1 }\\\"}\","
    "\"DEFINE\":\"{\\\"parties\\\":[{\\\"name\\\":\\\"alice\\\",\\\"role\\\":\\\"host\\\",\\\"services\\\":[{\\\"endpoints\\\":[\\\"a.svc\\\"]}]},{\\\"name\\\":\\\"bob\\\",\\\"role\\\":\\\"guest\\\"}],\\\"self\\\":1}\"}";

TEST(holes)
{
    static const struct {
        const char *in, *out, *err;
    } cases[] = {
        {"", "", NULL},
        {"plain { } text }}", "plain { } text }}", NULL},
        {"{\"id\": \"{{.TASK_ID}}\"}", "{\"id\": \"t-1\"}", NULL},
        {"\"{{ .TASK_INPUT_CONFIG }}\"", "\"{\\\"say\\\": \\\"hi\\\"}\\n\"", NULL},
        {"{{{.TASK_INPUT_CONFIG}}}", "{\"say\":\"hi\"}", NULL},
        {"{{{.TASK_INPUT_CONFIG.say}}}!", "hi!", NULL},
        {"{{.EMPTY}}{{.NOWHERE}}{{{.NOWHERE.a}}}{{{.DEFINE.x.y}}}", "", NULL},
        {"{{{.HOME_x}}}", "{not json", NULL},
        {"{{{.DEFINE.parties[0].name}}}", "alice", NULL},
        {"{{{.DEFINE.parties[name=bob].role}}}", "guest", NULL},
        {"{{{.DEFINE.parties[.DEFINE.self].name}}}", "bob", NULL},
        {"{{{.DEFINE.parties[0].services[0].endpoints}}}", "[\"a.svc\"]", NULL},
        {"{{{.DEFINE.parties[7].name}}}{{{.DEFINE.parties[-1]}}}{{{.DEFINE.parties[name=carol]}}}", "", NULL},
        {"{{{.DEFINE.parties[0}}}", "", NULL},
        {"{{{.DEFINE.self}}}", "1", NULL},
        {"{{{.TEXT.inner}}} {{{.TEXT.inner.a}}}", "{ \"a\": 1 } 1", NULL},
        {"a\n{{if .X}}", NULL, "line 2: \"if .X\" is not understood: {{.NAME}} is a variable, {{{.NAME.PART}}} a part of one"},
        {"{{.A.B}}", NULL, "line 1: \".A.B\" is not understood: {{.NAME}} is a variable, {{{.NAME.PART}}} a part of one"},
        {"x {{.A", NULL, "line 1: {{ is not closed"},
        {"x\n\n{{{.A}}", NULL, "line 3: {{{ is not closed"},
    };
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        ARENA_AUTO a = ARENA_INIT;
        struct json vars = json_literal(&a, vars_text);
        struct err err = ERR_NONE;
        str out = S("");
        int r = kuscia_render(&a, str_of(cases[i].in), &vars, &out, &err);
        T_OK((r == 0) == !cases[i].err);
        if (cases[i].err)
            T_EQ_STR(str_of(err.msg), cases[i].err);
        else
            T_EQ_STR(out, cases[i].out);
    }
}

TEST(bounds)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf big = strbuf_on(&a), text = strbuf_on(&a), deep = strbuf_on(&a);
    struct err err = ERR_NONE;
    str out;
    for (int i = 0; i < 1000; i++)
        strbuf_add_str(&big, S("0123456789"));
    for (int i = 0; i < 200; i++)
        strbuf_add_str(&text, S("{{.BIG}}"));
    struct json vars = json_object();
    json_set(&a, &vars, S("BIG"), json_string(strbuf_str(&big)));
    T_EQ_INT(kuscia_render(&a, strbuf_str(&text), &vars, &out, &err), -E_TOO_LARGE);
    strbuf_add_str(&deep, S("{{{.BIG"));
    for (int i = 0; i < 5000; i++)
        strbuf_add_str(&deep, S("[.BIG"));
    for (int i = 0; i < 5000; i++)
        strbuf_add_str(&deep, S("]"));
    strbuf_add_str(&deep, S("}}}"));
    T_EQ_INT(kuscia_render(&a, strbuf_str(&deep), &vars, &out, &err), 0);
    T_EQ_STR(out, "");
}

/* Over all files of a pod: what they come to, and what it takes. */
TEST(many_files)
{
    ARENA_AUTO a = ARENA_INIT;
    struct strbuf list = strbuf_on(&a), plain = strbuf_on(&a);
    struct err err = ERR_NONE;
    str out;
    struct json vars = json_object();
    strbuf_add_str(&list, S("[0"));
    for (int i = 1; i < 200000; i++)
        strbuf_addf(&list, ",%d", i);
    strbuf_add_str(&list, S("]"));
    for (int i = 0; i < 30000; i++)
        strbuf_add_str(&plain, S("0123456789"));
    json_set(&a, &vars, S("LIST"), json_string(strbuf_str(&list)));
    json_set(&a, &vars, S("PLAIN"), json_string(strbuf_str(&plain)));
    json_set(&a, &vars, S("\nLIST"), json_string(S("[]"))); /* of an environment that wants to be clever */
    for (int i = 0; i < 1000; i++) { /* 1.3 MB that are parsed once */
        T_EQ_INT(kuscia_render(&a, S("{{{.LIST[199999]}}}"), &vars, &out, &err), 0);
        T_EQ_STR(out, "199999");
    }
    T_EQ_INT(kuscia_render(&a, S("{{{.PLAIN}}}"), &vars, &out, &err), 0);
    T_EQ_INT(kuscia_render(&a, S("{{.PLAIN}}"), &vars, &out, &err), 0);
    T_EQ_INT(kuscia_render(&a, S("{{.PLAIN}}"), &vars, &out, &err), 0);
    T_EQ_INT(kuscia_render(&a, S("\n{{.PLAIN}}"), &vars, &out, &err), -E_TOO_LARGE);
    T_EQ_STR(str_of(err.msg), "line 2: all files together become larger than 1048576 bytes");
    T_EQ_INT(json_get_str(&vars, S("PLAIN")).len, plain.len);
}

/* A search through a long list for each hole, and a text within a text that is parsed for each. */
TEST(work)
{
    static const char *const holes[] = {"{{{.LIST[a=b]}}}", "{{{.OUTER.inner.a}}}"};
    for (size_t k = 0; k < ARRAY_LEN(holes); k++) {
        ARENA_AUTO a = ARENA_INIT;
        struct strbuf list = strbuf_on(&a), file = strbuf_on(&a), outer = strbuf_on(&a);
        struct err err = ERR_NONE;
        struct json vars = json_object(), inner = json_object();
        str out;
        strbuf_add_str(&list, S("[{}"));
        for (int i = 1; i < 100000; i++)
            strbuf_add_str(&list, S(",{}"));
        strbuf_add_str(&list, S("]"));
        for (int i = 0; i < 10000; i++)
            strbuf_addf(&file, "%s\n", holes[k]);
        json_set(&a, &inner, S("inner"), json_string(arena_fmt(&a, "{\"a\":1,\"l\":" STR_FMT "}", STR_ARG(strbuf_str(&list)))));
        json_write(&outer, &inner);
        json_set(&a, &vars, S("LIST"), json_string(strbuf_str(&list)));
        json_set(&a, &vars, S("OUTER"), json_string(strbuf_str(&outer)));
        T_EQ_INT(kuscia_render(&a, strbuf_str(&file), &vars, &out, &err), -E_TOO_LARGE);
        T_OK(str_has_suffix(str_of(err.msg), S(": parts of too large variables are taken too often")));
    }
}

TEST_MAIN(holes, bounds, many_files, work)
