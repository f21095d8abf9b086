/* describe_generic.c - objects of kinds that nobody wrote a description for: every field, with a readable label. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/jsonpath.h"
#include "cli/describe.h"

enum letter { LOWER, UPPER, OTHER };

static enum letter letter_of(char c)
{
    return c >= 'a' && c <= 'z' ? LOWER : c >= 'A' && c <= 'Z' ? UPPER : OTHER;
}

static char to_upper(char c)
{
    return letter_of(c) == LOWER ? (char)(c - 32) : c;
}

static void add_word(struct strbuf *b, str word)
{
    static const char *const acronyms[] = {"API", "URL", "UID", "OSB", "GUID"};
    bool is_acronym = false;
    for (size_t i = 0; i < ARRAY_LEN(acronyms); i++)
        is_acronym = is_acronym || str_ieq(word, str_of(acronyms[i]));
    if (b->len)
        strbuf_add_char(b, ' ');
    for (size_t i = 0; i < word.len; i++)
        strbuf_add_char(b, i == 0 || is_acronym ? to_upper(word.p[i]) : word.p[i]);
}

/* "creationTimestamp" -> "Creation Timestamp"; a capital in front of small letters begins their word. */
static str label_of(struct arena *a, str field)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < field.len; i++) {
        if (letter_of(field.p[i]) == OTHER && field.p[i] != '-')
            return field;
    }
    for (size_t from = 0; from < field.len;) {
        size_t to = from + 1;
        enum letter kind = letter_of(field.p[from]);
        while (to < field.len && letter_of(field.p[to]) == kind)
            to++;
        if (kind == UPPER && to < field.len && letter_of(field.p[to]) == LOWER) {
            if (to - from > 1) /* HTTPServer: the S belongs to what follows */
                add_word(&b, str_sub(field, from, to - 1));
            from = to - 1;
            for (to++; to < field.len && letter_of(field.p[to]) == LOWER; to++)
                ;
        }
        add_word(&b, str_sub(field, from, to));
        from = to;
    }
    return strbuf_str(&b);
}

static bool is_skipped(str path)
{
    static const char *const skipped[] = {".metadata.managedFields", ".metadata.name", ".metadata.namespace", ".metadata.labels",
                                          ".metadata.annotations"};
    for (size_t i = 0; i < ARRAY_LEN(skipped); i++) {
        if (str_is(path, skipped[i]))
            return true;
    }
    return false;
}

static void add_scalar(struct describe *d, int level, str label, const struct json *v)
{
    struct strbuf b = strbuf_on(d->arena);
    jsonpath_write_go(d->arena, &b, v);
    if (label.len)
        describe_line(d, level, STR_FMT ":\t%s\n", STR_ARG(label), strbuf_cstr(&b));
    else
        describe_line(d, level, "%s\n", strbuf_cstr(&b));
}

static void add_content(struct describe *d, int level, const struct json *object, str prefix)
{
    const struct json_member **m = jsonpath_sorted_members(d->arena, object);
    for (size_t i = 0; i < object->len; i++) {
        const struct json *v = &m[i]->value;
        str path = arena_fmt(d->arena, STR_FMT "." STR_FMT, STR_ARG(prefix), STR_ARG(m[i]->key)),
            label = label_of(d->arena, m[i]->key);
        if (is_skipped(path))
            continue;
        if (v->type != JSON_OBJECT && v->type != JSON_ARRAY) {
            add_scalar(d, level, label, v);
            continue;
        }
        describe_line(d, level, STR_FMT ":\n", STR_ARG(label));
        if (v->type == JSON_OBJECT)
            add_content(d, level + 1, v, path);
        for (size_t k = 0; v->type == JSON_ARRAY && k < v->len; k++) {
            if (v->items[k].type == JSON_OBJECT)
                add_content(d, level + 1, &v->items[k], path);
            else
                add_scalar(d, level + 1, S(""), &v->items[k]);
        }
    }
}

void describe_generic(struct describe *d)
{
    static const struct describe_row head[] = {ROWS_HEAD, {0}};
    describe_rows(d, head);
    add_content(d, 0, &d->object, S(""));
    describe_events(d);
}
