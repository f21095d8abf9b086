/* print_table.c - meta.k8s.io/v1 Tables as the server makes them, with the columns that options add. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print.h"

static void put(struct tabs *out, bool *first, str s)
{
    if (!*first)
        strbuf_add_char(&out->text, '\t');
    *first = false;
    print_escaped(&out->text, s);
}

static void put_upper(struct tabs *out, bool *first, str s)
{
    if (!*first)
        strbuf_add_char(&out->text, '\t');
    *first = false;
    for (size_t i = 0; i < s.len; i++)
        strbuf_add_char(&out->text, s.p[i] >= 'a' && s.p[i] <= 'z' ? (char)(s.p[i] - 32) : s.p[i]);
}

static bool is_shown(const struct print_table *t, const struct json *column)
{
    return t->wide || json_get_int(column, S("priority"), 0) == 0;
}

static void write_headers(struct print_table *t, struct tabs *out)
{
    bool first = true;
    if (t->event.len)
        put(out, &first, S("EVENT"));
    if (t->with_namespace)
        put(out, &first, S("NAMESPACE"));
    for (size_t i = 0; i < t->columns_.len; i++) {
        if (is_shown(t, &t->columns_.items[i]))
            put_upper(out, &first, json_get_str(&t->columns_.items[i], S("name")));
    }
    for (size_t i = 0; i < t->nlabel_columns; i++) {
        ptrdiff_t slash = str_rfind_char(t->label_columns[i], '/');
        put_upper(out, &first, str_from(t->label_columns[i], (size_t)(slash + 1)));
    }
    if (t->show_labels)
        put(out, &first, S("LABELS"));
    strbuf_add_char(&out->text, '\n');
}

/* A cell is one line: what follows the first line end is cut. */
static void put_cell(struct print_table *t, struct tabs *out, bool *first, const struct json *cell)
{
    if (cell->type == JSON_STRING) {
        str s = json_str(cell);
        size_t end = 0;
        while (end < s.len && s.p[end] != '\n' && s.p[end] != '\r' && s.p[end] != '\f')
            end++;
        put(out, first, str_sub(s, 0, end));
        if (end < s.len)
            strbuf_add_str(&out->text, S("..."));
    } else if (cell->type == JSON_NULL) {
        put(out, first, S(""));
    } else {
        struct strbuf b = strbuf_on(t->scratch);
        jsonpath_write_go(t->scratch, &b, cell);
        put(out, first, strbuf_str(&b));
    }
}

static bool is_name_column(const struct json *column)
{
    return str_is(json_get_str(column, S("format")), "name") && str_is(json_get_str(column, S("type")), "string");
}

/* "ADDED   " as kubectl pads it. */
static void put_event(struct print_table *t, struct tabs *out, bool *first)
{
    char text[16];
    snprintf(text, sizeof text, "%-8.*s", STR_ARG(t->event));
    put(out, first, str_of(text));
}

static void write_row(struct print_table *t, struct tabs *out, const struct json *row)
{
    const struct json *cells = json_get(row, S("cells")), *meta = json_path(row, "object", "metadata", NULL);
    const struct json *labels = json_get(meta, S("labels"));
    bool first = true, named = false;
    if (t->event.len)
        put_event(t, out, &first);
    if (t->with_namespace)
        put(out, &first, json_get_str(meta, S("namespace")));
    for (size_t i = 0; json_is(cells, JSON_ARRAY) && i < cells->len && i < t->columns_.len; i++) {
        const struct json *column = &t->columns_.items[i];
        if (!is_shown(t, column))
            continue;
        if (t->kind_prefix.len && !named && is_name_column(column)) {
            str name = json_str(&cells->items[i]);
            struct json full = json_string(arena_fmt(t->scratch, STR_FMT "/" STR_FMT, STR_ARG(t->kind_prefix), STR_ARG(name)));
            put_cell(t, out, &first, &full);
            named = true;
        } else {
            put_cell(t, out, &first, &cells->items[i]);
        }
    }
    for (size_t i = 0; i < t->nlabel_columns; i++)
        put(out, &first, json_get_str(labels, t->label_columns[i]));
    if (t->show_labels) {
        struct strbuf b = strbuf_on(t->scratch);
        print_labels(t->scratch, &b, labels);
        put(out, &first, strbuf_str(&b));
    }
    strbuf_add_char(&out->text, '\n');
}

void print_table(struct print_table *t, struct tabs *out, const struct json *table)
{
    if (!t->scratch)
        t->scratch = t->arena;
    const struct json *columns = json_get(table, S("columnDefinitions")), *rows = json_get(table, S("rows"));
    if (json_is(columns, JSON_ARRAY) && columns->len && !(t->has_columns_ && json_equal(columns, &t->columns_))) {
        t->columns_ = json_copy(t->arena, columns); /* a watch's table dies with its event */
        t->has_columns_ = true;
        t->printed_headers_ = false;
    }
    if (!json_is(rows, JSON_ARRAY) || !rows->len)
        return;
    if (!t->printed_headers_ && !t->no_headers)
        write_headers(t, out);
    t->printed_headers_ = true;
    for (size_t i = 0; i < rows->len; i++)
        write_row(t, out, &rows->items[i]);
}
