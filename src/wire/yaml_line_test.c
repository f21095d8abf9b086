/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "wire/yaml.h"

#define TEXT \
    "# a comment\n" \
    "name: x\n" \
    "list:\n" \
    "- a: 1\n" \
    "  b: {c: 1,\n" \
    "      d: 2}\n" \
    "-\n" \
    "  a: &anchor\n" \
    "    deep: 1\n" \
    "- [[1, 2],\n" \
    "   [3, 4]]\n" \
    "again: *anchor\n" \
    "labels:\n" \
    "  example.com/a: b\n" \
    "  name2: c\n"

TEST(paths_have_lines)
{
    static const struct {
        const char *path;
        size_t line;
    } cases[] = {{"name", 2},         {"list", 3},         {"list[0]", 4},      {"list[0].a", 4}, {"list[0].b", 5},   {"list[0].b.c", 5},
                 {"list[0].b.d", 6},  {"list[1]", 8},      {"list[1].a", 8},    {"list[1].a.deep", 9}, {"list[2][1][0]", 11}, {"again", 12},
                 {"labels.example.com/a", 14}, {"labels.name2", 15}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++)
        if (yaml_line_of(S(TEXT), str_of(cases[i].path)) != cases[i].line)
            T_FAIL_("%s: line %zu, expected %zu", cases[i].path, yaml_line_of(S(TEXT), str_of(cases[i].path)), cases[i].line);
}

TEST(what_is_missing_has_the_line_of_its_parent)
{
    T_EQ_INT(yaml_line_of(S(TEXT), S("list[0].b.e")), 5);
    T_EQ_INT(yaml_line_of(S(TEXT), S("list[9].b")), 3);
    T_EQ_INT(yaml_line_of(S(TEXT), S("again.deep")), 12);
    T_EQ_INT(yaml_line_of(S(TEXT), S("nam")), 2); /* the root begins there */
    T_EQ_INT(yaml_line_of(S(TEXT), S("")), 2);
}

TEST(odd_texts_do_no_harm)
{
    static const char *const odd[] = {"", "# only a comment\n", "---\n", "a: [", "{a: b", "? [x]\n: y\n", "- - - -\n", "\xff\xfe", "*x\n", "a: 1\na: 2\n"};
    for (size_t i = 0; i < ARRAY_LEN(odd); i++)
        T_OK(yaml_line_of(str_of(odd[i]), S("a.b[0]")) >= 1);
    STRBUF_AUTO deep = STRBUF_HEAP;
    for (int i = 0; i < 5000; i++)
        strbuf_add_char(&deep, '[');
    T_EQ_INT(yaml_line_of(strbuf_str(&deep), S("[0][0]")), 1);
}

TEST(syntax_errors_have_lines)
{
    T_EQ_INT(yaml_error_line(S(TEXT)), 0);
    T_EQ_INT(yaml_error_line(S("a: 1\nb: [1,\nc: 2\n")), 4);
    T_EQ_INT(yaml_error_line(S("a: 1\n\tb: 2\n")), 2);
    T_EQ_INT(yaml_error_line(S("a: 'x\n")), 2);
}

TEST_MAIN(syntax_errors_have_lines, paths_have_lines, what_is_missing_has_the_line_of_its_parent, odd_texts_do_no_harm)
