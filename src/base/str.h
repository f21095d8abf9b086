/* str.h - strings with a length, and a growing buffer.
 *
 * `str` borrows bytes: not owned, not NUL-terminated, may hold any byte.  `strbuf` owns or borrows
 * from an arena and is always NUL-terminated after the last byte.
 * Threads: values; no shared state.
 * Ownership: a strbuf on the heap is freed by strbuf_fini; one on an arena dies with the arena.
 * Limits: a strbuf grows until memory is out; callers bound what they append (base/limits.h). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdarg.h>

#include "base/base.h"

struct arena;

typedef struct str {
    const char *p;
    size_t len;
} str;

#define S(lit) ((str){"" lit, sizeof(lit) - 1})
#define STR_INIT(lit) {"" lit, sizeof(lit) - 1} /* for static tables */
#define STR_NONE ((str){NULL, 0})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).len, (s).p

static inline str str_of(const char *cstr)
{
    return (str){cstr, cstr ? strlen(cstr) : 0};
}
static inline str str_n(const char *p, size_t len)
{
    return (str){p, len};
}
static inline bool str_eq(str a, str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.p, b.p, a.len) == 0);
}
static inline bool str_is(str a, const char *cstr)
{
    return str_eq(a, str_of(cstr));
}
static inline bool str_empty(str a)
{
    return a.len == 0;
}
/* s[from..to), clamped to the string. */
static inline str str_sub(str s, size_t from, size_t to)
{
    to = MIN(to, s.len);
    from = MIN(from, to);
    return (str){s.p + from, to - from};
}
static inline str str_from(str s, size_t from)
{
    return str_sub(s, from, s.len);
}

int str_cmp(str a, str b);      /* byte order; <0, 0, >0 */
int str_icmp(str a, str b);     /* ASCII letters without case */
bool str_ieq(str a, str b);
bool str_has_prefix(str s, str prefix);
bool str_has_suffix(str s, str suffix);
ptrdiff_t str_find_char(str s, char c);  /* index or -1 */
ptrdiff_t str_rfind_char(str s, char c); /* index or -1 */
ptrdiff_t str_find(str s, str needle);   /* index or -1 */
str str_trim(str s);                     /* without blanks, tabs, CR, LF at both ends */
/* Cuts s at the first sep: *ret_head is what stands before it, s becomes what follows.  Without a
 * sep the head is all of s, s becomes empty, and the answer is false. */
bool str_cut(str *s, char sep, str *ret_head);
uint64_t str_hash(str s);
/* Whole-string decimal numbers; false when a byte does not fit or the value overflows. */
bool str_to_i64(str s, int64_t *ret);
bool str_to_u64(str s, uint64_t *ret);
bool str_to_double(str s, double *ret);
/* As Go's ParseBool: 1 t T TRUE true True, 0 f F FALSE false False. */
bool str_to_bool(str s, bool *ret);
bool str_is_utf8(str s);
/* The parts with slashes between them, in buf; STR_NONE: it is too small.  For keys of tables, which every request looks up. */
str str_path(char *buf, size_t size, const str *parts, size_t n);
char *str_dup(str s) MUST_CHECK; /* heap, NUL-terminated */
/* For qsort and bsearch over arrays of str. */
int str_cmp_void(const void *a, const void *b);

struct strbuf {
    char *p;
    size_t len;
    size_t cap;
    struct arena *arena; /* NULL: heap */
};

#define STRBUF_HEAP ((struct strbuf){0})
static inline struct strbuf strbuf_on(struct arena *a)
{
    return (struct strbuf){.arena = a};
}
void strbuf_fini(struct strbuf *b);
static inline void strbuf_fini_cleanup(struct strbuf *b)
{
    strbuf_fini(b);
}
#define STRBUF_AUTO __attribute__((cleanup(strbuf_fini_cleanup))) struct strbuf
static inline void strbuf_clear(struct strbuf *b)
{
    b->len = 0;
    if (b->p)
        b->p[0] = 0;
}
void strbuf_grow(struct strbuf *b, size_t more); /* room for `more` bytes and the NUL */
void strbuf_add(struct strbuf *b, const void *p, size_t len);
void strbuf_add_str(struct strbuf *b, str s);
void strbuf_add_char(struct strbuf *b, char c);
void strbuf_add_u64(struct strbuf *b, uint64_t v);
void strbuf_add_i64(struct strbuf *b, int64_t v);
void strbuf_addf(struct strbuf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);
void strbuf_vaddf(struct strbuf *b, const char *fmt, va_list ap) PRINTF_LIKE(2, 0);
/* Replaces b[at, at+remove) with s. */
void strbuf_splice(struct strbuf *b, size_t at, size_t remove, str s);
static inline str strbuf_str(const struct strbuf *b)
{
    return (str){b->p ? b->p : "", b->len};
}
const char *strbuf_cstr(struct strbuf *b); /* never NULL */
