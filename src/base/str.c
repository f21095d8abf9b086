/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <errno.h>

#include "base/arena.h"

int str_cmp(str a, str b)
{
    size_t n = MIN(a.len, b.len);
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.len > b.len) - (a.len < b.len);
}

int str_cmp_void(const void *a, const void *b)
{
    return str_cmp(*(const str *)a, *(const str *)b);
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

int str_icmp(str a, str b)
{
    size_t n = MIN(a.len, b.len);
    for (size_t i = 0; i < n; i++) {
        unsigned char x = (unsigned char)lower(a.p[i]), y = (unsigned char)lower(b.p[i]);
        if (x != y)
            return x < y ? -1 : 1;
    }
    return (a.len > b.len) - (a.len < b.len);
}

bool str_ieq(str a, str b)
{
    return a.len == b.len && str_icmp(a, b) == 0;
}

bool str_has_prefix(str s, str prefix)
{
    return s.len >= prefix.len && (!prefix.len || memcmp(s.p, prefix.p, prefix.len) == 0);
}

bool str_has_suffix(str s, str suffix)
{
    return s.len >= suffix.len &&
           (!suffix.len || memcmp(s.p + s.len - suffix.len, suffix.p, suffix.len) == 0);
}

ptrdiff_t str_find_char(str s, char c)
{
    const char *p = s.len ? memchr(s.p, c, s.len) : NULL;
    return p ? p - s.p : -1;
}

ptrdiff_t str_rfind_char(str s, char c)
{
    const char *p = s.len ? memrchr(s.p, c, s.len) : NULL;
    return p ? p - s.p : -1;
}

ptrdiff_t str_find(str s, str needle)
{
    if (!needle.len)
        return 0;
    const char *p = s.len ? memmem(s.p, s.len, needle.p, needle.len) : NULL;
    return p ? p - s.p : -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

str str_trim(str s)
{
    while (s.len && is_space(s.p[0]))
        s.p++, s.len--;
    while (s.len && is_space(s.p[s.len - 1]))
        s.len--;
    return s;
}

bool str_cut(str *s, char sep, str *ret_head)
{
    ptrdiff_t at = str_find_char(*s, sep);
    if (at < 0) {
        *ret_head = *s;
        *s = str_n(s->p + s->len, 0);
        return false;
    }
    *ret_head = str_sub(*s, 0, (size_t)at);
    *s = str_from(*s, (size_t)at + 1);
    return true;
}

/* FNV-1a over 8-byte words with a final mix: short keys dominate here. */
uint64_t str_hash(str s)
{
    uint64_t h = 0xcbf29ce484222325u ^ s.len;
    size_t i = 0;
    for (; i + 8 <= s.len; i += 8) {
        uint64_t w;
        memcpy(&w, s.p + i, 8);
        h = (h ^ w) * 0x9fb21c651e98df25u;
        h ^= h >> 32;
    }
    uint64_t tail = 0;
    if (s.len > i)
        memcpy(&tail, s.p + i, s.len - i);
    h = (h ^ tail) * 0x9fb21c651e98df25u;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebu;
    return h ^ (h >> 32);
}

bool str_to_u64(str s, uint64_t *ret)
{
    if (!s.len || s.len > 20)
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned d = (unsigned)(s.p[i] - '0');
        if (d > 9 || __builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, d, &v))
            return false;
    }
    *ret = v;
    return true;
}

bool str_to_i64(str s, int64_t *ret)
{
    bool neg = s.len && s.p[0] == '-';
    uint64_t v;
    if (!str_to_u64(neg ? str_from(s, 1) : s, &v))
        return false;
    if (v > (uint64_t)INT64_MAX + neg)
        return false;
    *ret = neg ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

bool str_to_double(str s, double *ret)
{
    char buf[512];
    if (!s.len || s.len >= sizeof buf || is_space(s.p[0]))
        return false;
    memcpy(buf, s.p, s.len);
    buf[s.len] = 0;
    char *end;
    errno = 0;
    double v = strtod(buf, &end);
    if (end != buf + s.len)
        return false;
    *ret = v;
    return true;
}

bool str_to_bool(str s, bool *ret)
{
    static const char *const yes[] = {"1", "t", "T", "TRUE", "true", "True"};
    static const char *const no[] = {"0", "f", "F", "FALSE", "false", "False"};
    for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
        if (str_is(s, yes[i]) || str_is(s, no[i])) {
            *ret = str_is(s, yes[i]);
            return true;
        }
    }
    return false;
}

bool str_is_utf8(str s)
{
    const unsigned char *p = (const unsigned char *)s.p, *end = p + s.len;
    while (p < end) {
        if (*p < 0x80) {
            p++;
            continue;
        }
        unsigned n = *p >= 0xc2 && *p <= 0xdf ? 1 : (*p & 0xf0) == 0xe0 ? 2 : *p >= 0xf0 && *p <= 0xf4 ? 3 : 0;
        if (!n || (size_t)(end - p) <= n)
            return false;
        for (unsigned i = 1; i <= n; i++)
            if ((p[i] & 0xc0) != 0x80)
                return false;
        /* overlong forms, surrogates and values above U+10FFFF show in the second byte */
        if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
            (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
            return false;
        p += n + 1;
    }
    return true;
}

char *str_dup(str s)
{
    char *p = xmalloc(s.len + 1);
    if (s.len)
        memcpy(p, s.p, s.len);
    p[s.len] = 0;
    return p;
}

void strbuf_fini(struct strbuf *b)
{
    if (!b->arena)
        free(b->p);
    *b = (struct strbuf){.arena = b->arena};
}

void strbuf_grow(struct strbuf *b, size_t more)
{
    size_t need = b->len + more + 1;
    if (likely(need <= b->cap))
        return;
    size_t cap = MAX(b->cap * 2, (size_t)64);
    cap = MAX(need, cap);
    if (b->arena) {
        b->p = arena_grow(b->arena, b->p, b->cap, cap);
    } else {
        b->p = xrealloc(b->p, cap);
    }
    b->cap = cap;
}

void strbuf_add(struct strbuf *b, const void *p, size_t len)
{
    strbuf_grow(b, len);
    if (len)
        memcpy(b->p + b->len, p, len);
    b->len += len;
    b->p[b->len] = 0;
}

void strbuf_add_str(struct strbuf *b, str s)
{
    strbuf_add(b, s.p, s.len);
}

void strbuf_add_char(struct strbuf *b, char c)
{
    strbuf_grow(b, 1);
    b->p[b->len++] = c;
    b->p[b->len] = 0;
}

void strbuf_add_u64(struct strbuf *b, uint64_t v)
{
    char digits[20];
    size_t n = sizeof digits;
    do {
        digits[--n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    strbuf_add(b, digits + n, sizeof digits - n);
}

void strbuf_add_i64(struct strbuf *b, int64_t v)
{
    if (v < 0)
        strbuf_add_char(b, '-');
    strbuf_add_u64(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

/* A hole that most formats are made of: %s, %.*s, %c, %% and plain whole numbers.  False: another one, and nothing is added. */
static bool add_hole(struct strbuf *b, const char **io_at, va_list *ap)
{
    const char *at = *io_at;
    bool bounded = at[0] == '.' && at[1] == '*';
    int most = bounded ? va_arg(*ap, int) : -1, longs = 0;
    at += bounded ? 2 : 0;
    for (; *at == 'l' || *at == 'z'; at++)
        longs++;
    if ((bounded && (*at != 's' || most < 0)) || (longs && *at != 'd' && *at != 'u'))
        return false;
    if (*at == 's') {
        const char *text = va_arg(*ap, const char *);
        if (!text && most != 0)
            return false;
        strbuf_add(b, text, !bounded ? strlen(text) : most ? strnlen(text, (size_t)most) : 0);
    } else if (*at == 'd') {
        strbuf_add_i64(b, longs ? va_arg(*ap, long) : va_arg(*ap, int));
    } else if (*at == 'u') {
        strbuf_add_u64(b, longs ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned));
    } else if (*at == 'c') {
        strbuf_add_char(b, (char)va_arg(*ap, int));
    } else if (*at == '%') {
        strbuf_add_char(b, '%');
    } else {
        return false;
    }
    *io_at = at + 1;
    return true;
}

/* libc's printf takes three times as long for the same bytes, and every key, path and name is made like this. */
static bool add_simple(struct strbuf *b, const char *fmt, va_list *ap)
{
    size_t start = b->len;
    for (;;) {
        const char *hole = strchrnul(fmt, '%');
        strbuf_add(b, fmt, (size_t)(hole - fmt));
        if (!*hole)
            return true;
        fmt = hole + 1;
        if (!add_hole(b, &fmt, ap)) {
            b->len = start;
            return false;
        }
    }
}

static void add_printed(struct strbuf *b, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    strbuf_grow(b, 0);
    int n = vsnprintf(b->p + b->len, b->cap - b->len, fmt, ap);
    BUG_ON(n < 0);
    if ((size_t)n >= b->cap - b->len) {
        strbuf_grow(b, (size_t)n);
        n = vsnprintf(b->p + b->len, b->cap - b->len, fmt, again);
        BUG_ON(n < 0);
    }
    va_end(again);
    b->len += (size_t)n;
}

_Static_assert(sizeof(long) == 8 && sizeof(long long) == 8 && sizeof(size_t) == 8, "add_hole reads l, ll and z alike");

void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap)
{
    va_list first;
    va_copy(first, ap);
    bool done = add_simple(b, fmt, &first);
    va_end(first);
    if (!done)
        add_printed(b, fmt, ap);
}

void strbuf_addf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    strbuf_vaddf(b, fmt, ap);
    va_end(ap);
}

void strbuf_splice(struct strbuf *b, size_t at, size_t remove, str s)
{
    BUG_ON(at > b->len || remove > b->len - at);
    if (s.len > remove)
        strbuf_grow(b, s.len - remove);
    memmove(b->p + at + s.len, b->p + at + remove, b->len - at - remove);
    if (s.len)
        memcpy(b->p + at, s.p, s.len);
    b->len = b->len + s.len - remove;
    b->p[b->len] = 0;
}

const char *strbuf_cstr(struct strbuf *b)
{
    strbuf_grow(b, 0);
    b->p[b->len] = 0;
    return b->p;
}
