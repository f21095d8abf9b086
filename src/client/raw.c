/* SPDX-License-Identifier: Apache-2.0 */
#include "client/raw.h"

#ifdef __SSE2__
#include <immintrin.h>
#endif

static inline bool is_blank(char c)
{
    return (unsigned char)c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r'); /* one comparison for most */
}

static inline str skip_blank(str s)
{
    while (s.len && is_blank(*s.p)) {
        s.p++;
        s.len--;
    }
    return s;
}

static size_t long_string_len(str s)
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

/* Bytes of the string at s, both quotes included; all of s when it does not end. */
static inline size_t string_len(str s)
{
#ifdef __SSE2__
    /* most are short: the quote is within the first 16 bytes, and no backslash before it */
    if (s.len > 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(s.p + 1));
        unsigned quotes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
        unsigned slashes = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
        if (quotes && !(slashes & (quotes ^ (quotes - 1))))
            return (size_t)__builtin_ctz(quotes) + 2;
    }
#endif
    return long_string_len(s);
}

/* Where a walk through nested text is. */
struct walk {
    size_t depth;
    bool in_string, escaped;
};

/* The byte that ends the container, counted from s.p[from], or s.len; at most `upto` is looked at. */
static size_t walk_bytes(str s, size_t from, size_t upto, struct walk *w)
{
    for (size_t i = from; i < upto; i++) {
        char c = s.p[i];
        if (w->in_string) {
            if (w->escaped)
                w->escaped = false;
            else if (c == '\\')
                w->escaped = true;
            else if (c == '"')
                w->in_string = false;
        } else if (c == '"') {
            w->in_string = true;
        } else if (c == '{' || c == '[') {
            w->depth++;
        } else if ((c == '}' || c == ']') && --w->depth == 0) {
            return i;
        }
    }
    return s.len;
}

#ifdef __SSE2__
#define BLOCK 64u
#define T256 __attribute__((target("avx2,popcnt"))) /* twice as fast where it is to be had; chosen at run time */
#define HAS_AVX2 (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))

/* Where these bytes stand in a block. */
struct block {
    uint64_t slashes, quotes, opens, closes;
};

static inline uint64_t mask_sse2(const __m128i v[4], char c)
{
    __m128i all = _mm_set1_epi8(c);
    uint64_t m[4];
    m[0] = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[0], all));
    m[1] = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[1], all));
    m[2] = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[2], all));
    m[3] = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[3], all));
    return m[0] | m[1] << 16 | m[2] << 32 | m[3] << 48;
}

static inline struct block block_sse2(const char *text)
{
    const __m128i *p = (const __m128i *)(const void *)text, bit = _mm_set1_epi8(0x20);
    const __m128i v[4] = {_mm_loadu_si128(p), _mm_loadu_si128(p + 1), _mm_loadu_si128(p + 2), _mm_loadu_si128(p + 3)};
    const __m128i low[4] = {_mm_or_si128(v[0], bit), _mm_or_si128(v[1], bit), _mm_or_si128(v[2], bit), _mm_or_si128(v[3], bit)}; /* both kinds of brackets are one now */
    return (struct block){mask_sse2(v, '\\'), mask_sse2(v, '"'), mask_sse2(low, '{'), mask_sse2(low, '}')};
}

T256 static inline uint64_t mask_avx2(__m256i v, __m256i w, char c)
{
    __m256i all = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, all)) | (uint64_t)(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(w, all)) << 32;
}

T256 static inline struct block block_avx2(const char *text)
{
    const __m256i *p = (const __m256i *)(const void *)text, bit = _mm256_set1_epi8(0x20);
    __m256i v = _mm256_loadu_si256(p), w = _mm256_loadu_si256(p + 1), low_v = _mm256_or_si256(v, bit), low_w = _mm256_or_si256(w, bit);
    return (struct block){mask_avx2(v, w, '\\'), mask_avx2(v, w, '"'), mask_avx2(low_v, low_w, '{'), mask_avx2(low_v, low_w, '}')};
}

/* Bit i: an odd number of bits at or before i.  No loop: gcc unrolls none at -O2. */
static inline uint64_t parity_of(uint64_t m)
{
    m ^= m << 1;
    m ^= m << 2;
    m ^= m << 4;
    m ^= m << 8;
    m ^= m << 16;
    return m ^ m << 32;
}

/* Bytes that the backslash before them makes ordinary; *escaped: the first one is, and on return the one behind the block. */
static uint64_t escaped_by(uint64_t slashes, bool *escaped)
{
    uint64_t m = *escaped;
    *escaped = false;
    for (slashes &= ~m; slashes; slashes &= slashes - 1) {
        uint64_t slash = slashes & -slashes;
        m |= slash << 1;
        slashes &= ~(slash << 1);
        *escaped |= slash >> 63;
    }
    return m;
}

/* A block at once: only the brackets outside of strings are looked at. */
static inline __attribute__((always_inline)) size_t walk_block(str s, size_t from, struct block b, struct walk *w)
{
    bool escaped = w->escaped;
    if (b.slashes || escaped)
        b.quotes &= ~escaped_by(b.slashes, &escaped);
    uint64_t inside = parity_of(b.quotes) ^ (w->in_string ? UINT64_MAX : 0);
    if (b.slashes & ~inside) /* no JSON: whatever the slow way makes of it */
        return walk_bytes(s, from, from + BLOCK, w);
    w->escaped = escaped;
    w->in_string = inside >> 63;
    uint64_t opens = b.opens & ~inside, closes = b.closes & ~inside;
    size_t ncloses = (size_t)__builtin_popcountll(closes);
    if (w->depth > ncloses) { /* it cannot end here */
        w->depth += (size_t)__builtin_popcountll(opens) - ncloses;
        return s.len;
    }
    for (uint64_t all = opens | closes; all; all &= all - 1) {
        unsigned at = (unsigned)__builtin_ctzll(all);
        if (opens >> at & 1)
            w->depth++;
        else if (--w->depth == 0)
            return from + at;
    }
    return s.len;
}

/* Whole blocks from *at on, which goes on to what is left; the byte that ends the container, or s.len. */
static size_t walk_sse2(str s, size_t *at, struct walk *w)
{
    size_t end = s.len;
    for (; end == s.len && *at + BLOCK <= s.len; *at += BLOCK)
        end = walk_block(s, *at, block_sse2(s.p + *at), w);
    return end;
}

T256 static size_t walk_avx2(str s, size_t *at, struct walk *w)
{
    size_t end = s.len;
    for (; end == s.len && *at + BLOCK <= s.len; *at += BLOCK)
        end = walk_block(s, *at, block_avx2(s.p + *at), w);
    return end;
}
#endif

/* Bytes of the object or array at s, all of s when it does not end. */
static size_t container_len(str s)
{
    struct walk w = {0};
    size_t i = 0, end = s.len;
#ifdef __SSE2__
    end = HAS_AVX2 ? walk_avx2(s, &i, &w) : walk_sse2(s, &i, &w);
#endif
    if (end == s.len)
        end = walk_bytes(s, i, s.len, &w);
    return MIN(end + 1, s.len);
}

static size_t scalar_len(str s)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == '}' || c == ']' || c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r')
            return i;
    }
    return s.len;
}

static inline size_t value_len(str s)
{
    if (s.len && *s.p == '"')
        return string_len(s);
    return s.len && (*s.p == '{' || *s.p == '[') ? container_len(s) : scalar_len(s);
}

/* Takes one byte of punctuation with the blanks around it. */
static inline bool take(str *s, char c)
{
    *s = skip_blank(*s);
    if (!s->len || *s->p != c)
        return false;
    *s = skip_blank(str_n(s->p + 1, s->len - 1));
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
        s = str_n(s.p + n, s.len - n);
        if (!take(&s, ':'))
            return false;
        if (found) {
            *ret = s;
            return true;
        }
        n = value_len(s);
        s = str_n(s.p + n, s.len - n);
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

bool raw_members_begin(str obj, struct raw_members *ret)
{
    str s = obj;
    if (!take(&s, '{'))
        return false;
    ret->rest_ = s;
    return true;
}

bool raw_members_key(struct raw_members *it, str *ret_key)
{
    str s = it->rest_;
    if (!s.len || *s.p != '"')
        return false;
    size_t n = string_len(s);
    str rest = str_n(s.p + n, s.len - n);
    if (n < 2 || !take(&rest, ':'))
        return false;
    *ret_key = str_n(s.p + 1, n - 2);
    it->rest_ = rest;
    return true;
}

/* Behind a value: at the next member, at the closing brace, or nowhere. */
static inline str behind_value(str s)
{
    if (take(&s, ','))
        return s;
    return s.len && *s.p == '}' ? s : S("");
}

str raw_members_value(struct raw_members *it)
{
    size_t n = value_len(it->rest_);
    str value = str_n(it->rest_.p, n);
    it->rest_ = behind_value(str_n(it->rest_.p + n, it->rest_.len - n));
    return value;
}

bool raw_members_next(struct raw_members *it, str *ret_key, str *ret_value)
{
    if (!raw_members_key(it, ret_key))
        return false;
    *ret_value = raw_members_value(it);
    return true;
}

bool raw_members_enter(struct raw_members *it, struct raw_members *ret_child)
{
    return raw_members_begin(it->rest_, ret_child);
}

str raw_members_leave(struct raw_members *it, const struct raw_members *child)
{
    str from = it->rest_, rest = child->rest_;
    bool is_whole = rest.len && *rest.p == '}';
    size_t n = is_whole ? (size_t)(rest.p + 1 - from.p) : from.len;
    it->rest_ = is_whole ? behind_value(str_from(from, n)) : S("");
    return str_sub(from, 0, n);
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

/* The text without the member managedFields, whose value stands there. */
static str without_fields(str text, str value, struct strbuf *room)
{
    size_t from = (size_t)(value.p - text.p), to = from + value.len;
    while (text.p[from] != '"' || !str_has_prefix(str_from(text, from), S("\"managedFields\"")))
        from--; /* raw_member came by it */
    while (to < text.len && is_blank(text.p[to]))
        to++;
    if (to < text.len && text.p[to] == ',') {
        to++;
    } else { /* the last member: the comma before it goes */
        size_t back = from;
        while (back && is_blank(text.p[back - 1]))
            back--;
        from = back && text.p[back - 1] == ',' ? back - 1 : from;
    }
    strbuf_grow(room, text.len);
    strbuf_add_str(room, str_sub(text, 0, from));
    strbuf_add_str(room, str_from(text, to));
    return strbuf_str(room);
}

str raw_without_managed_fields(str obj, struct strbuf *room)
{
    str meta, value;
    if (!raw_member_from(obj, S("metadata"), &meta) || !raw_member(meta, S("managedFields"), &value))
        return obj;
    return without_fields(obj, value, room);
}

bool raw_metadata_from(str obj, struct strbuf *room, str *ret)
{
    str meta, value;
    if (!raw_member_from(obj, S("metadata"), &meta))
        return false;
    *ret = raw_member(meta, S("managedFields"), &value) ? without_fields(meta, value, room) : meta;
    return true;
}
