/* The text is ours, so it is read in one walk and straight into a tree; what goes into its holes is copied, not written and parsed again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json_make.h"

struct maker {
    struct arena *a;
    const char *at;
    va_list holes;
};

static struct json make_value(struct maker *m);

/* The next byte that says something. */
static char next(struct maker *m)
{
    while (*m->at == ' ' || *m->at == '\n')
        m->at++;
    return *m->at;
}

static bool take(struct maker *m, char c)
{
    bool is_next = next(m) == c;
    m->at += is_next;
    return is_next;
}

/* From the opening quote to the closing one. */
static struct json make_text(struct maker *m)
{
    const char *start = m->at++;
    while (*m->at != '"') {
        BUG_ON(!*m->at);
        m->at += *m->at == '\\' ? 2 : 1;
    }
    str quoted = str_n(start, (size_t)(++m->at - start));
    struct json v;
    if (str_find_char(quoted, '\\') < 0)
        return json_string(str_sub(quoted, 1, quoted.len - 1));
    BUG_ON(json_parse(m->a, quoted, NULL, &v, NULL) < 0);
    return v;
}

static struct json make_hole(struct maker *m)
{
    m->at += 2;
    switch (m->at[-1]) {
    case 's':
        return json_string(arena_str(m->a, str_of(va_arg(m->holes, const char *))));
    case 'S':
        return json_string(arena_str(m->a, va_arg(m->holes, str)));
    case 'd':
        return json_int(m->a, va_arg(m->holes, int64_t));
    case 'j':
        return json_copy(m->a, va_arg(m->holes, const struct json *));
    default:
        BUG_ON("unknown hole in a JSON text");
    }
    return json_null();
}

static struct json make_object(struct maker *m)
{
    struct json obj = json_object();
    m->at++;
    while (!take(m, '}')) {
        struct json key = next(m) == '%' ? make_hole(m) : make_text(m);
        BUG_ON(key.type != JSON_STRING || !take(m, ':'));
        json_set(m->a, &obj, json_str(&key), make_value(m));
        BUG_ON(!take(m, ',') && next(m) != '}');
    }
    return obj;
}

static struct json make_array(struct maker *m)
{
    struct json list = json_array();
    m->at++;
    while (!take(m, ']')) {
        json_push(m->a, &list, make_value(m));
        BUG_ON(!take(m, ',') && next(m) != ']');
    }
    return list;
}

/* A number, true, false or null. */
static struct json make_word(struct maker *m)
{
    struct json v;
    str word = str_n(m->at, strcspn(m->at, ",]} \n"));
    BUG_ON(json_parse(m->a, word, NULL, &v, NULL) < 0);
    m->at += word.len;
    return v;
}

static struct json make_value(struct maker *m)
{
    switch (next(m)) {
    case '{':
        return make_object(m);
    case '[':
        return make_array(m);
    case '"':
        return make_text(m);
    case '%':
        return make_hole(m);
    default:
        return make_word(m);
    }
}

struct json json_make(struct arena *a, const char *text, ...)
{
    struct maker m = {.a = a, .at = text};
    va_start(m.holes, text);
    struct json v = make_value(&m);
    va_end(m.holes);
    BUG_ON(next(&m));
    return v;
}
