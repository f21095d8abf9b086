/* print_value.c - single values: JSON with sorted keys, names, labels. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "cli/print.h"

static void new_line(struct strbuf *b, const char *indent, int depth)
{
    strbuf_add_char(b, '\n');
    for (int i = 0; i < depth; i++)
        strbuf_add_str(b, str_of(indent));
}

static void write_value(struct arena *a, struct strbuf *b, const struct json *v, const char *indent, int depth)
{
    if (v->type == JSON_ARRAY && v->len) {
        strbuf_add_char(b, '[');
        for (size_t i = 0; i < v->len; i++) {
            if (i)
                strbuf_add_char(b, ',');
            new_line(b, indent, depth + 1);
            write_value(a, b, &v->items[i], indent, depth + 1);
        }
        new_line(b, indent, depth);
        strbuf_add_char(b, ']');
    } else if (v->type == JSON_OBJECT && v->len) {
        const struct json_member **m = jsonpath_sorted_members(a, v);
        strbuf_add_char(b, '{');
        for (size_t i = 0; i < v->len; i++) {
            if (i)
                strbuf_add_char(b, ',');
            new_line(b, indent, depth + 1);
            json_write_string(b, m[i]->key);
            strbuf_add_str(b, S(": "));
            write_value(a, b, &m[i]->value, indent, depth + 1);
        }
        new_line(b, indent, depth);
        strbuf_add_char(b, '}');
    } else {
        json_write(b, v);
    }
}

void print_json(struct arena *a, struct strbuf *b, const struct json *v, const char *indent)
{
    write_value(a, b, v, indent, 0);
    strbuf_add_char(b, '\n');
}

void print_name(struct strbuf *b, const struct json *obj)
{
    str kind = json_get_str(obj, S("kind")), group = json_get_str(obj, S("apiVersion")),
        name = json_str(json_path(obj, "metadata", "name", NULL));
    for (size_t i = 0; i < kind.len; i++)
        strbuf_add_char(b, kind.p[i] >= 'A' && kind.p[i] <= 'Z' ? (char)(kind.p[i] + 32) : kind.p[i]);
    ptrdiff_t slash = str_find_char(group, '/');
    if (slash > 0)
        strbuf_addf(b, ".%.*s", (int)slash, group.p);
    strbuf_add_char(b, '/');
    strbuf_add_str(b, name);
}

bool print_is_list(const struct json *obj)
{
    return json_is(json_get(obj, S("items")), JSON_ARRAY) && str_has_suffix(json_get_str(obj, S("kind")), S("List"));
}

struct json print_without_managed_fields(struct arena *a, const struct json *obj)
{
    struct json copy = json_object(), meta = json_object();
    for (size_t i = 0; i < obj->len; i++) {
        const struct json_member *m = &obj->members[i];
        if (str_is(m->key, "metadata") && json_get(&m->value, S("managedFields"))) {
            for (size_t j = 0; j < m->value.len; j++) {
                if (!str_is(m->value.members[j].key, "managedFields"))
                    json_set(a, &meta, m->value.members[j].key, m->value.members[j].value);
            }
            json_set(a, &copy, m->key, meta);
        } else if (str_is(m->key, "items") && print_is_list(obj)) {
            struct json items = json_array();
            for (size_t j = 0; j < m->value.len; j++)
                json_push(a, &items, print_without_managed_fields(a, &m->value.items[j]));
            json_set(a, &copy, m->key, items);
        } else {
            json_set(a, &copy, m->key, m->value);
        }
    }
    return copy;
}

void print_escaped(struct strbuf *b, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == 0x1b)
            strbuf_add_str(b, S("^["));
        else if (s.p[i] == '\r')
            strbuf_add_str(b, S("\\r"));
        else
            strbuf_add_char(b, s.p[i]);
    }
}

void print_cell(struct strbuf *b, str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\n' || c == '\t' || c == '\r')
            strbuf_addf(b, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
        else if (c < 0x20 || c == 0x7f)
            strbuf_addf(b, "^%c", c ^ 0x40); /* ^[ as above */
        else
            strbuf_add_char(b, s.p[i]);
    }
}

void print_labels(struct arena *a, struct strbuf *b, const struct json *labels)
{
    if (!json_is(labels, JSON_OBJECT) || !labels->len) {
        strbuf_add_str(b, S("<none>"));
        return;
    }
    const struct json_member **m = jsonpath_sorted_members(a, labels);
    for (size_t i = 0; i < labels->len; i++)
        strbuf_addf(b, "%s" STR_FMT "=" STR_FMT, i ? "," : "", STR_ARG(m[i]->key), STR_ARG(json_str(&m[i]->value)));
}

str print_age(struct arena *a, const struct json *time)
{
    nsec_t then;
    char text[24];
    if (!civil_parse(json_str(time), &then))
        return S("<unknown>");
    civil_human_duration(clock_wall(&clock_real) - then, text);
    return arena_str(a, str_of(text));
}

void print_flush(struct strbuf *b)
{
    if (b->len)
        fwrite(b->p, 1, b->len, stdout);
    fflush(stdout);
    strbuf_clear(b);
}
