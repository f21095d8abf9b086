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

TEST_MAIN(holes, bounds)
