/* Tree to text.  Escapes are those of Go's encoding/json, so that a text that passed through a Go client and back
 * compares equal byte by byte. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json.h"
#include "wire/json_scan.h"

/* Room checks are inlined here: the writer appends a few bytes at a time. */
static inline void reserve(struct strbuf *b, size_t more)
{
    if (unlikely(b->cap - b->len <= more))
        strbuf_grow(b, more);
}

/* Callers hold room for c. */
static inline void put(struct strbuf *b, char c)
{
    b->p[b->len++] = c;
}

static void put_bytes(struct strbuf *b, const char *p, size_t len)
{
    reserve(b, len);
    memcpy(b->p + b->len, p, len);
    b->len += len;
}

/* Writes the character at p, which stopped the scan, and returns its length in bytes. */
static size_t put_special(struct strbuf *b, const char *p, const char *end)
{
    static const char letters[128] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                      ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
    static const char hex[] = "0123456789abcdef";
    unsigned char c = (unsigned char)*p;
    if (c < 0x80) {
        put(b, '\\');
        if (letters[c]) {
            put(b, letters[c]);
        } else {
            char u[5] = {'u', '0', '0', hex[c >> 4], hex[c & 15]};
            put_bytes(b, u, sizeof u);
        }
        return 1;
    }
    size_t n = json_scan_utf8(p, end);
    if (!n) {
        put_bytes(b, "\\ufffd", 6);
        return 1;
    }
    /* U+2028 and U+2029 end lines in JavaScript */
    if (n == 3 && c == 0xe2 && (unsigned char)p[1] == 0x80 && ((unsigned char)p[2] | 1) == 0xa9)
        put_bytes(b, p[2] & 1 ? "\\u2029" : "\\u2028", 6);
    else
        put_bytes(b, p, n);
    return n;
}

static void write_string(struct strbuf *b, str s)
{
    reserve(b, s.len + 2);
    put(b, '"');
    const char *p = s.len ? s.p : "", *end = p + s.len;
    for (;;) {
        size_t n = json_scan_copy(b->p + b->len, p, end);
        b->len += n;
        p += n;
        if (p == end)
            break;
        reserve(b, 8);
        p += put_special(b, p, end);
        reserve(b, (size_t)(end - p) + 2);
    }
    put(b, '"');
}

static void write_value(struct strbuf *b, const struct json *v);

static void write_object(struct strbuf *b, const struct json *v)
{
    reserve(b, 1);
    put(b, '{');
    for (uint32_t i = 0; i < v->len; i++) {
        if (i) {
            reserve(b, 1);
            put(b, ',');
        }
        write_string(b, v->members[i].key);
        reserve(b, 1);
        put(b, ':');
        write_value(b, &v->members[i].value);
    }
    reserve(b, 1);
    put(b, '}');
}

static void write_array(struct strbuf *b, const struct json *v)
{
    reserve(b, 1);
    put(b, '[');
    for (uint32_t i = 0; i < v->len; i++) {
        if (i) {
            reserve(b, 1);
            put(b, ',');
        }
        write_value(b, &v->items[i]);
    }
    reserve(b, 1);
    put(b, ']');
}

static void write_scalar(struct strbuf *b, const struct json *v)
{
    switch (v->type) {
    case JSON_STRING:
        write_string(b, json_str(v));
        break;
    case JSON_NUMBER:
        put_bytes(b, v->s, v->len);
        break;
    case JSON_BOOL:
        put_bytes(b, v->b ? "true" : "false", v->b ? 4 : 5);
        break;
    default:
        put_bytes(b, "null", 4);
    }
}

static void write_value(struct strbuf *b, const struct json *v)
{
    if (v->type == JSON_OBJECT)
        write_object(b, v);
    else if (v->type == JSON_ARRAY)
        write_array(b, v);
    else
        write_scalar(b, v);
}

/* A comma where one is due, then a line with its indent. */
static void line(struct strbuf *b, bool comma, unsigned depth)
{
    reserve(b, 2 + 2 * (size_t)depth);
    if (comma)
        put(b, ',');
    put(b, '\n');
    memset(b->p + b->len, ' ', 2 * (size_t)depth);
    b->len += 2 * (size_t)depth;
}

static void write_pretty(struct strbuf *b, const struct json *v, unsigned depth)
{
    bool object = v->type == JSON_OBJECT;
    if ((!object && v->type != JSON_ARRAY) || !v->len) {
        write_value(b, v);
        return;
    }
    put_bytes(b, object ? "{" : "[", 1);
    for (uint32_t i = 0; i < v->len; i++) {
        line(b, i > 0, depth + 1);
        if (object) {
            write_string(b, v->members[i].key);
            put_bytes(b, ": ", 2);
        }
        write_pretty(b, object ? &v->members[i].value : &v->items[i], depth + 1);
    }
    line(b, false, depth);
    put_bytes(b, object ? "}" : "]", 1);
}

/* The static functions above leave out strbuf's closing NUL; reserve() always keeps a byte for it. */
static void finish(struct strbuf *b)
{
    b->p[b->len] = 0;
}

void json_write(struct strbuf *b, const struct json *v)
{
    write_value(b, v);
    finish(b);
}

void json_write_pretty(struct strbuf *b, const struct json *v)
{
    write_pretty(b, v, 0);
    finish(b);
}

void json_write_string(struct strbuf *b, str s)
{
    write_string(b, s);
    finish(b);
}

str json_text(struct arena *a, const struct json *v)
{
    struct strbuf b = strbuf_on(a);
    json_write(&b, v);
    return strbuf_str(&b);
}
