/* JSON text to a tree: one pass, recursive descent over the builder of json_build.h.  Error sentences are those of Go's
 * encoding/json, which clients and their tests know. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/json.h"
#include "wire/json_build.h"
#include "wire/json_scan.h"

#define TEXT_MAX (1u << 30)

struct parser {
    const char *end;
    struct err *err;
    struct json_build build;
};

static const char *parse_value(struct parser *ps, const char *p, struct json *ret);

/* --- errors ------------------------------------------------------------------------------------ */

/* A byte as Go's %q prints it: 'x', '\n', '\x01', '\'', and bytes from 0x80 as the rune of that number. */
static void quote_byte(unsigned char c, char out[16])
{
    static const char letters[] = "abtnvfr"; /* bytes 7 to 13 */
    if (c >= 7 && c <= 13)
        snprintf(out, 16, "'\\%c'", letters[c - 7]);
    else if (c == '\'' || c == '\\')
        snprintf(out, 16, "'\\%c'", c);
    else if (c < 0x20 || c == 0x7f)
        snprintf(out, 16, "'\\x%02x'", c);
    else if (c < 0x7f)
        snprintf(out, 16, "'%c'", c);
    else if (c <= 0xa0 || c == 0xad)
        snprintf(out, 16, "'\\u%04x'", c);
    else
        snprintf(out, 16, "'%c%c'", 0xc0 | (c >> 6), 0x80 | (c & 0x3f));
}

static COLD const char *fail(struct parser *ps, const char *p, const char *where)
{
    if (p >= ps->end) {
        err_set(ps->err, E_PARSE, "unexpected end of JSON input");
        return NULL;
    }
    char quoted[16];
    quote_byte((unsigned char)*p, quoted);
    err_set(ps->err, E_PARSE, "invalid character %s %s", quoted, where);
    return NULL;
}

/* --- blanks, literals, numbers ------------------------------------------------------------------ */

static inline bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static const char *skip_blanks_slow(const char *p, const char *end)
{
#ifdef __SSE2__
    while (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        __m128i blank = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8(' ')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))),
                                     _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r')), _mm_cmpeq_epi8(v, _mm_set1_epi8('\t'))));
        unsigned mask = (unsigned)_mm_movemask_epi8(blank) ^ 0xffffu;
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
    while (p < end && is_blank(*p))
        p++;
    return p;
}

static inline const char *skip_blanks(const char *p, const char *end)
{
    if (likely(p < end && (unsigned char)*p > ' '))
        return p;
    return skip_blanks_slow(p, end);
}

static const char *parse_word(struct parser *ps, const char *p, const char *word, struct json value, struct json *ret)
{
    size_t n = strlen(word);
    for (size_t i = 1; i < n; i++) {
        if (p + i >= ps->end || p[i] != word[i]) {
            char where[48];
            snprintf(where, sizeof where, "in literal %s (expecting '%c')", word, word[i]);
            return fail(ps, p + i, where);
        }
    }
    *ret = value;
    return p + n;
}

static inline bool is_digit(const char *p, const char *end)
{
    return p < end && (unsigned)(*p - '0') <= 9;
}

static inline const char *skip_digits(const char *p, const char *end)
{
    while (is_digit(p, end))
        p++;
    return p;
}

static const char *parse_number(struct parser *ps, const char *p, struct json *ret)
{
    const char *start = p, *end = ps->end;
    if (*p == '-')
        p++;
    if (!is_digit(p, end))
        return fail(ps, p, "in numeric literal");
    p = *p == '0' ? p + 1 : skip_digits(p, end);
    if (p < end && *p == '.') {
        p++;
        if (!is_digit(p, end))
            return fail(ps, p, "after decimal point in numeric literal");
        p = skip_digits(p, end);
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        if (p < end && (*p == '+' || *p == '-'))
            p++;
        if (!is_digit(p, end))
            return fail(ps, p, "in exponent of numeric literal");
        p = skip_digits(p, end);
    }
    *ret = json_number_text(str_n(start, (size_t)(p - start)));
    return p;
}

/* --- strings ------------------------------------------------------------------------------------ */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* What stands behind a backslash, \u aside; 0: no escape. */
static const char meaning[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                  ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};

/* Checks the escape at p (a backslash) and returns what follows it. */
static const char *check_escape(struct parser *ps, const char *p)
{
    if (p + 1 >= ps->end)
        return fail(ps, ps->end, "");
    if (p[1] != 'u') {
        if (!meaning[(unsigned char)p[1]])
            return fail(ps, p + 1, "in string escape code");
        return p + 2;
    }
    for (int i = 2; i < 6; i++)
        if (p + i >= ps->end || hex_digit(p[i]) < 0)
            return fail(ps, p + i, "in \\u hexadecimal character escape");
    return p + 6;
}

static unsigned hex4(const char *p)
{
    return (unsigned)(hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 | hex_digit(p[3]));
}

static char *put_utf8(char *out, unsigned rune)
{
    if (rune < 0x80) {
        *out++ = (char)rune;
    } else if (rune < 0x800) {
        *out++ = (char)(0xc0 | rune >> 6);
        *out++ = (char)(0x80 | (rune & 0x3f));
    } else if (rune < 0x10000) {
        *out++ = (char)(0xe0 | rune >> 12);
        *out++ = (char)(0x80 | (rune >> 6 & 0x3f));
        *out++ = (char)(0x80 | (rune & 0x3f));
    } else {
        *out++ = (char)(0xf0 | rune >> 18);
        *out++ = (char)(0x80 | (rune >> 12 & 0x3f));
        *out++ = (char)(0x80 | (rune >> 6 & 0x3f));
        *out++ = (char)(0x80 | (rune & 0x3f));
    }
    return out;
}

/* The rune of the \u escape at *io_p and, for a pair of surrogates, of the next one too; one without its
 * partner becomes U+FFFD. */
static unsigned take_rune(const char **io_p, const char *end)
{
    const char *p = *io_p;
    unsigned rune = hex4(p + 2);
    *io_p = p + 6;
    if (rune < 0xd800 || rune > 0xdfff)
        return rune;
    if (rune < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u') {
        unsigned low = hex4(p + 8);
        if (low >= 0xdc00 && low <= 0xdfff) {
            *io_p = p + 12;
            return 0x10000 + ((rune - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

/* Writes [p, end), whose escapes are checked, without escapes; an escape is never shorter than what it means. */
static char *unescape(char *out, const char *p, const char *end)
{
    while (p < end) {
        if (*p != '\\') {
            *out++ = *p++;
        } else if (p[1] == 'u') {
            out = put_utf8(out, take_rune(&p, end));
        } else {
            *out++ = meaning[(unsigned char)p[1]];
            p += 2;
        }
    }
    return out;
}

/* The rest of a string that is not all plain ASCII: p is at the first byte that stopped the scan. */
static __attribute__((noinline)) const char *parse_string_rest(struct parser *ps, const char *start, const char *p,
                                                               str *ret)
{
    const char *end = ps->end, *escape = NULL;
    for (;;) {
        p = json_scan_plain(p, end);
        if (p == end)
            return fail(ps, p, "");
        if (*p == '"')
            break;
        if (*p == '\\') {
            escape = escape ? escape : p;
            p = check_escape(ps, p);
            if (!p)
                return NULL;
        } else if ((unsigned char)*p < 0x20) {
            return fail(ps, p, "in string literal");
        } else {
            size_t n = json_scan_utf8(p, end);
            if (!n) {
                err_set(ps->err, E_PARSE, "invalid UTF-8 in string literal");
                return NULL;
            }
            p += n;
        }
    }
    if (!escape) {
        *ret = str_n(start, (size_t)(p - start));
        return p + 1;
    }
    char *bytes = arena_alloc(ps->build.arena, (size_t)(p - start));
    size_t plain = (size_t)(escape - start);
    memcpy(bytes, start, plain);
    *ret = str_n(bytes, (size_t)(unescape(bytes + plain, escape, p) - bytes));
    return p + 1;
}

/* p is behind the opening quote. */
static inline const char *parse_string(struct parser *ps, const char *p, str *ret)
{
    const char *start = p;
    p = json_scan_plain(p, ps->end);
    if (unlikely(p == ps->end || *p != '"'))
        return parse_string_rest(ps, start, p, ret);
    *ret = str_n(start, (size_t)(p - start));
    return p + 1;
}

/* --- arrays and objects -------------------------------------------------------------------------- */

static struct json_frame *frame_open(struct parser *ps, bool object)
{
    struct json_frame *f = json_build_open(&ps->build, object);
    if (!f)
        err_set(ps->err, E_PARSE, "exceeded max depth");
    return f;
}

static const char *parse_object(struct parser *ps, const char *p, struct json *ret)
{
    const char *end = ps->end;
    struct json_frame *f = frame_open(ps, true);
    if (!f)
        return NULL;
    p = skip_blanks(p, end);
    if (p < end && *p == '}')
        goto done;
    for (;;) {
        if (p == end || *p != '"')
            return fail(ps, p, "looking for beginning of object key string");
        str key;
        p = parse_string(ps, p + 1, &key);
        if (!p)
            return NULL;
        p = skip_blanks(p, end);
        if (p == end || *p != ':')
            return fail(ps, p, "after object key");
        if (!json_build_key(&ps->build, f, key))
            json_build_report_dup(&ps->build);
        struct json value;
        p = parse_value(ps, skip_blanks(p + 1, end), &value);
        if (!p)
            return NULL;
        json_build_set(&ps->build, f, value);
        p = skip_blanks(p, end);
        if (p < end && *p == ',')
            p = skip_blanks(p + 1, end);
        else if (p < end && *p == '}')
            break;
        else
            return fail(ps, p, "after object key:value pair");
    }
done:
    json_build_close(&ps->build, f, ret);
    return p + 1;
}

static const char *parse_array(struct parser *ps, const char *p, struct json *ret)
{
    const char *end = ps->end;
    struct json_frame *f = frame_open(ps, false);
    if (!f)
        return NULL;
    p = skip_blanks(p, end);
    if (p < end && *p == ']')
        goto done;
    for (;;) {
        struct json value;
        p = parse_value(ps, p, &value);
        if (!p)
            return NULL;
        json_build_add(&ps->build, f, value);
        p = skip_blanks(p, end);
        if (p < end && *p == ',')
            p = skip_blanks(p + 1, end);
        else if (p < end && *p == ']')
            break;
        else
            return fail(ps, p, "after array element");
    }
done:
    json_build_close(&ps->build, f, ret);
    return p + 1;
}

/* p is at the value's first byte, blanks skipped. */
static const char *parse_value(struct parser *ps, const char *p, struct json *ret)
{
    if (unlikely(p == ps->end))
        return fail(ps, p, "");
    switch (*p) {
    case '"': {
        str s;
        p = parse_string(ps, p + 1, &s);
        if (p)
            *ret = json_string(s);
        return p;
    }
    case '{':
        return parse_object(ps, p + 1, ret);
    case '[':
        return parse_array(ps, p + 1, ret);
    case 't':
        return parse_word(ps, p, "true", json_bool(true), ret);
    case 'f':
        return parse_word(ps, p, "false", json_bool(false), ret);
    case 'n':
        return parse_word(ps, p, "null", json_null(), ret);
    case '-':
    case '0' ... '9':
        return parse_number(ps, p, ret);
    default:
        return fail(ps, p, "looking for beginning of value");
    }
}

static const char *parse_text(struct parser *ps, str text, struct json *ret)
{
    const char *p = parse_value(ps, skip_blanks(text.p, ps->end), ret);
    if (!p)
        return NULL;
    p = skip_blanks(p, ps->end);
    if (p < ps->end && !(ps->build.opts && ps->build.opts->stop_at_end))
        return fail(ps, p, "after top-level value");
    return p;
}

int json_parse(struct arena *a, str text, struct json_parse_opts *opts, struct json *ret, struct err *err)
{
    if (opts)
        opts->ndups = opts->used = 0;
    if (text.len > TEXT_MAX)
        return err_set(err, E_TOO_LARGE, "JSON text of %zu bytes is too large", text.len);
    if (!text.p)
        text = S("");
    struct parser ps;
    ps.end = text.p + text.len;
    ps.err = err;
    json_build_init(&ps.build, a, opts);
    struct json value;
    const char *p = parse_text(&ps, text, &value);
    json_build_fini(&ps.build);
    if (!p)
        return -E_PARSE;
    if (opts)
        opts->used = (size_t)(p - text.p);
    *ret = value;
    return 0;
}
