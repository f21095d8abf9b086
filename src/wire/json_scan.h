/* json_scan.h - the two byte scans that JSON spends its time in, and UTF-8 steps; private to wire/json*.c.
 *
 * With SSE2 16 bytes are looked at together; elsewhere, and for the last bytes of a text, one by one.  Nothing is
 * read at or behind `end`.
 * Threads: pure functions.  Ownership: none. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Bytes that end a run of plain string content when reading: quote, backslash, control, not ASCII. */
static inline bool json_scan_stops_reader(unsigned char c)
{
    return c < 0x20 || c >= 0x80 || c == '"' || c == '\\';
}

/* The same when writing: those and what Go escapes for HTML. */
static inline bool json_scan_stops_writer(unsigned char c)
{
    return json_scan_stops_reader(c) || c == '<' || c == '>' || c == '&';
}

#ifdef __SSE2__
/* Signed "less than 0x20" is true for controls and, as they are negative, for bytes from 0x80. */
static inline unsigned json_scan_reader_mask(__m128i v)
{
    __m128i bad = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                               _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('"')),
                                            _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'))));
    return (unsigned)_mm_movemask_epi8(bad);
}

/* '<' and '>' differ in one bit, so do '"' and '&': two compares find the four. */
static inline unsigned json_scan_writer_mask(__m128i v)
{
    __m128i angle = _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x02)), _mm_set1_epi8('>'));
    __m128i quote = _mm_cmpeq_epi8(_mm_or_si128(v, _mm_set1_epi8(0x04)), _mm_set1_epi8('&'));
    __m128i other = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(other, _mm_or_si128(angle, quote)));
}
#endif

/* First byte in [p, end) that stops the reader, or end. */
static inline const char *json_scan_plain(const char *p, const char *end)
{
#ifdef __SSE2__
    while (likely(end - p >= 16)) {
        unsigned mask = json_scan_reader_mask(_mm_loadu_si128((const __m128i *)p));
        if (mask)
            return p + __builtin_ctz(mask);
        p += 16;
    }
#endif
    while (p < end && !json_scan_stops_reader((unsigned char)*p))
        p++;
    return p;
}

#ifdef __SSE2__
/* All of the n bytes at p (4 to 15) when none stops the writer: two loads that overlap, so that nothing behind them is
 * touched.  Most keys and values end here. */
static inline bool json_scan_copy_short(char *out, const char *p, size_t n)
{
    if (n >= 8) {
        __m128i low = _mm_loadl_epi64((const __m128i *)p), high = _mm_loadl_epi64((const __m128i *)(p + n - 8));
        if (json_scan_writer_mask(_mm_unpacklo_epi64(low, high)))
            return false;
        _mm_storel_epi64((__m128i *)out, low);
        _mm_storel_epi64((__m128i *)(out + n - 8), high);
        return true;
    }
    uint32_t low, high;
    memcpy(&low, p, 4);
    memcpy(&high, p + n - 4, 4);
    if (json_scan_writer_mask(_mm_set_epi32((int)low, (int)high, (int)low, (int)high)))
        return false;
    memcpy(out, &low, 4);
    memcpy(out + n - 4, &high, 4);
    return true;
}
#endif

/* Copies from [p, end) to out until a byte stops the writer; returns how many.  out has room for all of it. */
static inline size_t json_scan_copy(char *out, const char *p, const char *end)
{
    const char *start = p;
#ifdef __SSE2__
    while (end - p >= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        _mm_storeu_si128((__m128i *)out, v);
        unsigned mask = json_scan_writer_mask(v);
        if (mask)
            return (size_t)(p - start) + (size_t)__builtin_ctz(mask);
        p += 16;
        out += 16;
    }
    if (end - p >= 4 && json_scan_copy_short(out, p, (size_t)(end - p)))
        return (size_t)(end - start);
#endif
    while (p < end && !json_scan_stops_writer((unsigned char)*p))
        *out++ = *p++;
    return (size_t)(p - start);
}

/* Length of the valid UTF-8 sequence at p (its first byte is >= 0x80), 0 when it is not valid. */
static inline size_t json_scan_utf8(const char *at, const char *end)
{
    const unsigned char *p = (const unsigned char *)at;
    size_t n = *p < 0xc2 ? 0 : *p < 0xe0 ? 2 : *p < 0xf0 ? 3 : *p < 0xf5 ? 4 : 0;
    if (!n || (size_t)(end - at) < n)
        return 0;
    /* overlong forms, surrogates and values above U+10FFFF show in the second byte */
    unsigned low = *p == 0xe0 ? 0xa0 : *p == 0xf0 ? 0x90 : 0x80;
    unsigned high = *p == 0xed ? 0x9f : *p == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    return n;
}
