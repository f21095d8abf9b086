/* SPDX-License-Identifier: Apache-2.0 */
#include "client/raw.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

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

static uint64_t mask_of(const __m128i v[4], char c)
{
    uint64_t m = 0;
    for (unsigned i = 0; i < 4; i++)
        m |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v[i], _mm_set1_epi8(c))) << (16 * i);
    return m;
}

/* Bit i: an odd number of bits at or before i. */
static uint64_t parity_of(uint64_t m)
{
    for (unsigned by = 1; by < 64; by *= 2)
        m ^= m << by;
    return m;
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
static size_t walk_block(str s, size_t from, struct walk *w)
{
    __m128i v[4], low[4];
    for (unsigned i = 0; i < 4; i++) {
        v[i] = _mm_loadu_si128((const __m128i *)(const void *)(s.p + from + 16 * i));
        low[i] = _mm_or_si128(v[i], _mm_set1_epi8(0x20)); /* both kinds of brackets are one now */
    }
    uint64_t slashes = mask_of(v, '\\'), quotes = mask_of(v, '"');
    bool escaped = w->escaped;
    if (slashes || escaped)
        quotes &= ~escaped_by(slashes, &escaped);
    uint64_t inside = parity_of(quotes) ^ (w->in_string ? UINT64_MAX : 0);
    if (slashes & ~inside) /* no JSON: whatever the slow way makes of it */
        return walk_bytes(s, from, from + BLOCK, w);
    w->escaped = escaped;
    uint64_t opens = mask_of(low, '{') & ~inside, closes = mask_of(low, '}') & ~inside;
    w->in_string = inside >> 63;
    for (uint64_t all = opens | closes; all; all &= all - 1) {
        unsigned at = (unsigned)__builtin_ctzll(all);
        if (opens >> at & 1)
            w->depth++;
        else if (--w->depth == 0)
            return from + at;
    }
    return s.len;
}
#endif

/* Bytes of the object or array at s, all of s when it does not end. */
static size_t container_len(str s)
{
    struct walk w = {0};
    size_t i = 0, end = s.len;
#ifdef __SSE2__
    for (; end == s.len && i + BLOCK <= s.len; i += BLOCK)
        end = walk_block(s, i, &w);
#endif
    if (end == s.len)
        end = walk_bytes(s, i, s.len, &w);
    return MIN(end + 1, s.len);
}

static size_t value_len(str s)
{
    if (s.len && *s.p == '"')
        return string_len(s);
    if (s.len && (*s.p == '{' || *s.p == '['))
        return container_len(s);
    for (size_t i = 0; i < s.len; i++) {
        char c = s.p[i];
        if (c == '}' || c == ']' || c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r')
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
    str key = str_sub(s, 1, n - 1);
    s = str_from(s, n);
    if (n < 2 || !take(&s, ':'))
        return false;
    *ret_key = key;
    it->rest_ = s;
    return true;
}

/* Behind a value: at the next member, at the closing brace, or nowhere. */
static str behind_value(str s)
{
    if (take(&s, ','))
        return s;
    return s.len && *s.p == '}' ? s : S("");
}

str raw_members_value(struct raw_members *it)
{
    size_t n = value_len(it->rest_);
    str value = str_sub(it->rest_, 0, n);
    it->rest_ = behind_value(str_from(it->rest_, n));
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

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

str raw_without_managed_fields(str obj, struct strbuf *room)
{
    str meta, value;
    if (!raw_member_from(obj, S("metadata"), &meta) || !raw_member(meta, S("managedFields"), &value))
        return obj;
    size_t from = (size_t)(value.p - obj.p), to = from + value.len;
    while (obj.p[from] != '"' || !str_has_prefix(str_from(obj, from), S("\"managedFields\"")))
        from--; /* raw_member came by it */
    while (to < obj.len && is_blank(obj.p[to]))
        to++;
    if (to < obj.len && obj.p[to] == ',') {
        to++;
    } else { /* the last member: the comma before it goes */
        size_t back = from;
        while (back && is_blank(obj.p[back - 1]))
            back--;
        from = back && obj.p[back - 1] == ',' ? back - 1 : from;
    }
    strbuf_add_str(room, str_sub(obj, 0, from));
    strbuf_add_str(room, str_from(obj, to));
    return strbuf_str(room);
}
