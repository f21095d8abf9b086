/* SPDX-License-Identifier: Apache-2.0 */
#include "client/raw.h"

static str skip_blank(str s)
{
    while (s.len && (*s.p == ' ' || *s.p == '\n' || *s.p == '\t' || *s.p == '\r'))
        s = str_from(s, 1);
    return s;
}

/* Bytes of the string at s, both quotes included; all of s when it does not end. */
static size_t string_len(str s)
{
    const char *p = s.p + 1, *end = s.p + s.len;
    while (p < end) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        if (!quote)
            break;
        const char *back = quote;
        while (back > s.p + 1 && back[-1] == '\\')
            back--;
        p = quote + 1;
        if ((quote - back) % 2 == 0)
            return (size_t)(p - s.p);
    }
    return s.len;
}

static size_t value_len(str s)
{
    size_t depth = 0, i = 0;
    while (i < s.len) {
        char c = s.p[i];
        if (c == '"') {
            i += string_len(str_from(s, i));
            if (!depth)
                return i;
            continue;
        }
        bool closes = c == '}' || c == ']';
        if (!depth && (closes || c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r'))
            return i;
        i++;
        if (c == '{' || c == '[')
            depth++;
        else if (closes && --depth == 0)
            return i;
    }
    return s.len;
}

/* Takes one byte of punctuation with the blanks around it. */
static bool take(str *s, char c)
{
    *s = skip_blank(*s);
    if (!s->len || *s->p != c)
        return false;
    *s = skip_blank(str_from(*s, 1));
    return true;
}

bool raw_member_from(str obj, str key, str *ret)
{
    str s = obj;
    if (!take(&s, '{'))
        return false;
    do {
        if (!s.len || *s.p != '"')
            return false;
        size_t n = string_len(s);
        bool found = n == key.len + 2 && memcmp(s.p + 1, key.p, key.len) == 0;
        s = str_from(s, n);
        if (!take(&s, ':'))
            return false;
        if (found) {
            *ret = s;
            return true;
        }
        s = str_from(s, value_len(s));
    } while (take(&s, ','));
    return false;
}

bool raw_member(str obj, str key, str *ret)
{
    str from;
    if (!raw_member_from(obj, key, &from))
        return false;
    *ret = str_sub(from, 0, value_len(from));
    return true;
}

bool raw_member_text(str obj, str key, str *ret)
{
    str from;
    if (!raw_member_from(obj, key, &from) || !from.len || *from.p != '"')
        return false;
    size_t n = string_len(from);
    str text = str_sub(from, 1, n - 1);
    if (n < 2 || str_find_char(text, '\\') >= 0)
        return false;
    *ret = text;
    return true;
}

bool raw_items_begin(str array, struct raw_items *ret)
{
    str s = array;
    if (!take(&s, '['))
        return false;
    ret->rest_ = s;
    return true;
}

bool raw_items_next(struct raw_items *it, str *ret)
{
    str s = skip_blank(it->rest_);
    if (!s.len || *s.p == ']')
        return false;
    size_t n = value_len(s);
    if (!n)
        return false;
    *ret = str_sub(s, 0, n);
    s = str_from(s, n);
    take(&s, ',');
    it->rest_ = s;
    return true;
}
