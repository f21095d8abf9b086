/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tabs.h"

struct line {
    size_t first, count; /* cells */
};
struct layout {
    struct tabs *tabs;
    struct strbuf *out;
    VEC(str) cells;
    VEC(struct line) lines;
    VEC(size_t) widths; /* of the columns left of the one being laid out */
};

void tabs_fini(struct tabs *t)
{
    strbuf_fini(&t->text);
    vec_fini(&t->remembered_);
}

void tabs_forget_widths(struct tabs *t)
{
    vec_clear(&t->remembered_);
}

/* Characters, not bytes. */
static size_t width_of(str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.len; i++)
        n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
    return n;
}

static void split(struct layout *l, str text)
{
    while (text.len) {
        str line, cell;
        str_cut(&text, '\n', &line);
        struct line row = {.first = l->cells.len};
        bool more = true;
        while (more) {
            more = str_cut(&line, '\t', &cell);
            vec_push(&l->cells, cell);
            row.count++;
        }
        vec_push(&l->lines, row);
    }
}

static void write_lines(struct layout *l, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        const struct line *line = &l->lines.p[i];
        for (size_t c = 0; c < line->count; c++) {
            str cell = l->cells.p[line->first + c];
            strbuf_add_str(l->out, cell);
            for (size_t w = width_of(cell); c < l->widths.len && w < l->widths.p[c]; w++)
                strbuf_add_char(l->out, ' ');
        }
        strbuf_add_char(l->out, '\n');
    }
}

static size_t remember(struct tabs *t, size_t column, size_t width)
{
    if (!t->remembers)
        return width;
    while (t->remembered_.len <= column)
        vec_push(&t->remembered_, 0);
    t->remembered_.p[column] = MAX(t->remembered_.p[column], width);
    return t->remembered_.p[column];
}

/* Lays out lines [from, to), which all have the columns in l->widths: finds blocks of the next column and descends into each. */
static void lay_out(struct layout *l, size_t from, size_t to)
{
    size_t column = l->widths.len;
    for (size_t i = from; i < to; i++) {
        if (column + 1 >= l->lines.p[i].count)
            continue;
        write_lines(l, from, i);
        from = i;
        size_t width = l->tabs->min_width;
        for (; i < to && column + 1 < l->lines.p[i].count; i++) {
            size_t w = width_of(l->cells.p[l->lines.p[i].first + column]) + l->tabs->padding;
            width = MAX(width, w);
        }
        vec_push(&l->widths, remember(l->tabs, column, width));
        lay_out(l, from, i);
        l->widths.len--;
        from = i;
    }
    write_lines(l, from, to);
}

void tabs_flush(struct tabs *t, struct strbuf *out)
{
    struct layout l = {.tabs = t, .out = out};
    split(&l, strbuf_str(&t->text));
    lay_out(&l, 0, l.lines.len);
    vec_fini(&l.cells);
    vec_fini(&l.lines);
    vec_fini(&l.widths);
    strbuf_clear(&t->text);
}
