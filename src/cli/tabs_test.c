/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "cli/tabs.h"

static void check(struct tabs t, const char *in, const char *out)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_add_str(&t.text, str_of(in));
    tabs_flush(&t, &b);
    T_EQ_STR(strbuf_str(&b), out);
    tabs_fini(&t);
}

TEST(tabs_line_up_cells)
{
    check(TABS_TEXT, "Name:\tweb\nIP:\t10.0.0.1\nPorts\n", "Name:  web\nIP:    10.0.0.1\nPorts\n");
    check(TABS_TEXT, "", "");
    check(TABS_TEXT, "a\n\nb\n", "a\n\nb\n");
}

TEST(tabs_begin_new_blocks)
{
    /* A line without a column ends the block; the next lines have widths of their own. */
    check(TABS_TEXT, "a\tx\nlonger\tx\nalone\nb\tx\n", "a       x\nlonger  x\nalone\nb  x\n");
    /* Inner columns are blocks within the outer one. */
    check(TABS_TEXT, "a\tb\tc\naa\tbbbb\nq\tr\ts\n", "a   b  c\naa  bbbb\nq   r  s\n");
    check(TABS_TEXT, "k\tv\t\n", "k  v  \n");
}

TEST(tabs_of_tables_have_a_least_width)
{
    check(TABS_TABLE, "A\tB\nx\ty\n", "A     B\nx     y\n");
    check(TABS_TABLE, "NAME\t" "AGE\nlong-name\t1s\n", "NAME        AGE\nlong-name   1s\n");
}

TEST(tabs_count_characters)
{
    check(TABS_TEXT, "\xc3\xa4\tx\nab\ty\n", "\xc3\xa4   x\nab  y\n");
}

TEST(tabs_remember_widths)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    TABS_AUTO t = TABS_TABLE;
    strbuf_add_str(&t.text, S("NAME\t" "AGE\nlong-name\t1s\n"));
    tabs_flush(&t, &b);
    strbuf_add_str(&t.text, S("x\t2s\n"));
    tabs_flush(&t, &b);
    T_EQ_STR(strbuf_str(&b), "NAME        AGE\nlong-name   1s\nx           2s\n");
    tabs_forget_widths(&t);
    strbuf_clear(&b);
    strbuf_add_str(&t.text, S("x\t2s\n"));
    tabs_flush(&t, &b);
    T_EQ_STR(strbuf_str(&b), "x     2s\n");
}

TEST_MAIN(tabs_line_up_cells, tabs_begin_new_blocks, tabs_of_tables_have_a_least_width, tabs_count_characters,
          tabs_remember_widths)
