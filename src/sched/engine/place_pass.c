/* place_pass.c - the passes of place_kernel.h over whole columns that are no scores of a class: room, sums, the best.
 *
 * Written as loops over 64 nodes without branches, which compilers vectorise, and compiled for what the processor has; with AVX-512 two of them by hand,
 * since its masks are the bits of the node set.  A pass over 5,000 nodes takes 0.3 to 0.8 us. */
/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O3") /* before the headers: what differs in options is not inlined */
#endif

#include "sched/engine/place_kernel.h"

#define INLINE static inline __attribute__((always_inline))
#if defined(__x86_64__)
#include <immintrin.h>
#define T512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl")))
#define T256 __attribute__((target("avx2")))
#endif

/* --- room -------------------------------------------------------------------------------------------------------------------------- */
INLINE void fits_body(const int64_t *restrict alloc, const int64_t *restrict used, int64_t amount, uint64_t *fits, uint32_t words)
{
    for (uint32_t w = 0; w < words; w++) {
        const int64_t *a = alloc + (size_t)w * 64, *u = used + (size_t)w * 64;
        uint8_t ok[64];
        uint64_t bits = 0;
        if (!fits[w])
            continue;
        for (uint32_t i = 0; i < 64; i++)
            ok[i] = a[i] - u[i] >= amount;
        for (uint32_t i = 0; i < 8; i++) {
            uint64_t eight;
            memcpy(&eight, ok + i * 8, 8);
            /* eight bytes of 0 or 1 to eight bits: each lands in the top byte at its own place */
            bits |= (eight * 0x0102040810204080ull >> 56) << i * 8;
        }
        fits[w] &= bits;
    }
}

#if defined(__x86_64__)
T512 static void fits_avx512(const int64_t *alloc, const int64_t *used, int64_t amount, uint64_t *fits, uint32_t words)
{
    const __m512i need = _mm512_set1_epi64(amount);
    for (uint32_t w = 0; w < words; w++) {
        uint64_t bits = 0;
        if (!fits[w])
            continue;
        for (uint32_t i = 0; i < 64; i += 8) {
            __m512i left = _mm512_sub_epi64(_mm512_loadu_si512(alloc + (size_t)w * 64 + i), _mm512_loadu_si512(used + (size_t)w * 64 + i));
            bits |= (uint64_t)_mm512_cmpge_epi64_mask(left, need) << i;
        }
        fits[w] &= bits;
    }
}
T256 static void fits_avx2(const int64_t *alloc, const int64_t *used, int64_t amount, uint64_t *fits, uint32_t words)
{
    fits_body(alloc, used, amount, fits, words);
}
#endif

void kernel_fits(const struct view *v, uint16_t r, int64_t amount, uint64_t *fits)
{
    const int64_t *alloc = v->s->alloc[r], *used = v->used[r];
    if (!alloc) {
        memset(fits, 0, v->words * sizeof *fits);
        return;
    }
#if defined(__x86_64__)
    if (HAS_AVX512) {
        fits_avx512(alloc, used, amount, fits, v->words);
        return;
    }
    if (HAS_AVX2) {
        fits_avx2(alloc, used, amount, fits, v->words);
        return;
    }
#endif
    fits_body(alloc, used, amount, fits, v->words);
}

/* --- sums --------------------------------------------------------------------------------------------------------------------------- */
/* In place and onto another array apart: vectors need to know that the arrays are two. */
INLINE void add_body(const uint64_t *fits, uint32_t words, const int64_t *restrict raw, int32_t weight, const int32_t *from, int32_t *to)
{
    if (from == to) {
        int32_t *restrict x = to;
        for (uint32_t w = 0; w < words; w++, raw += 64, x += 64)
            for (uint32_t i = 0; fits[w] && i < 64; i++)
                x[i] += weight * (int32_t)raw[i];
        return;
    }
    const int32_t *restrict x = from;
    int32_t *restrict y = to;
    for (uint32_t w = 0; w < words; w++, raw += 64, x += 64, y += 64)
        for (uint32_t i = 0; fits[w] && i < 64; i++)
            y[i] = x[i] + weight * (int32_t)raw[i];
}

#if defined(__x86_64__)
T512 static void add_avx512(const uint64_t *fits, uint32_t words, const int64_t *raw, int32_t weight, const int32_t *from, int32_t *to)
{
    add_body(fits, words, raw, weight, from, to);
}
T256 static void add_avx2(const uint64_t *fits, uint32_t words, const int64_t *raw, int32_t weight, const int32_t *from, int32_t *to)
{
    add_body(fits, words, raw, weight, from, to);
}
#endif

void kernel_add(const uint64_t *fits, uint32_t words, const int64_t *raw, int32_t weight, const int32_t *from, int32_t *to)
{
#if defined(__x86_64__)
    if (HAS_AVX512) {
        add_avx512(fits, words, raw, weight, from, to);
        return;
    }
    if (HAS_AVX2) {
        add_avx2(fits, words, raw, weight, from, to);
        return;
    }
#endif
    add_body(fits, words, raw, weight, from, to);
}

/* --- the best ------------------------------------------------------------------------------------------------------------------------ */
/* The best so far of the nodes of each lane, lanes being a node's number modulo 64. */
struct lanes {
    _Alignas(64) int32_t score[64];
    int32_t tie[64]; /* ranks are below 2^31, so that they compare as what vectors compare best */
    int32_t word[64]; /* -1: none */
};

INLINE void best_body(const uint64_t *fits, uint32_t words, const int32_t *restrict score, const uint32_t *restrict tie, struct lanes *restrict l)
{
    static const uint32_t lane[32] = {
        1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
        1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
    };
    for (uint32_t w = 0; w < words; w++, score += 64, tie += 64)
        for (uint32_t half = 0; fits[w] && half < 64; half += 32) {
            uint32_t bits = (uint32_t)(fits[w] >> half);
            for (uint32_t i = 0; i < 32; i++) {
                int32_t s = score[half + i], t = (int32_t)tie[half + i], s0 = l->score[half + i], t0 = l->tie[half + i];
                int32_t take = -(int32_t)((bits & lane[i]) != 0) & (-(int32_t)(s > s0) | (-(int32_t)(s == s0) & -(int32_t)(t < t0)));
                l->score[half + i] = (s & take) | (s0 & ~take);
                l->tie[half + i] = (t & take) | (t0 & ~take);
                l->word[half + i] = ((int32_t)w & take) | (l->word[half + i] & ~take);
            }
        }
}

#if defined(__x86_64__)
T256 static void best_avx2(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie, struct lanes *l)
{
    best_body(fits, words, score, tie, l);
}

/* All lanes in registers; four chains side by side, since each waits for its own comparisons. */
T512 static void best_avx512(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie, struct lanes *l)
{
    __m512i s0[4], t0[4], w0[4];
    for (uint32_t q = 0; q < 4; q++) {
        s0[q] = _mm512_loadu_si512(l->score + q * 16);
        t0[q] = _mm512_loadu_si512(l->tie + q * 16);
        w0[q] = _mm512_loadu_si512(l->word + q * 16);
    }
    for (uint32_t w = 0; w < words; w++) {
        uint64_t bits = fits[w];
        if (!bits)
            continue;
        const __m512i word = _mm512_set1_epi32((int32_t)w);
#pragma GCC unroll 4
        for (uint32_t q = 0; q < 4; q++) {
            __mmask16 m = (__mmask16)(bits >> (q * 16));
            __m512i s = _mm512_loadu_si512(score + (size_t)w * 64 + q * 16), t = _mm512_loadu_si512(tie + (size_t)w * 64 + q * 16);
            __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(m, s, s0[q]);
            __mmask16 take = (__mmask16)(_mm512_mask_cmpgt_epi32_mask(m, s, s0[q]) | _mm512_mask_cmplt_epi32_mask(equal, t, t0[q]));
            s0[q] = _mm512_mask_mov_epi32(s0[q], take, s);
            t0[q] = _mm512_mask_mov_epi32(t0[q], take, t);
            w0[q] = _mm512_mask_mov_epi32(w0[q], take, word);
        }
    }
    for (uint32_t q = 0; q < 4; q++) {
        _mm512_storeu_si512(l->score + q * 16, s0[q]);
        _mm512_storeu_si512(l->tie + q * 16, t0[q]);
        _mm512_storeu_si512(l->word + q * 16, w0[q]);
    }
}
#endif

static void best_plain(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie, struct lanes *l)
{
    best_body(fits, words, score, tie, l);
}

kernel_best_fn *kernel_best_variant(size_t i)
{
    static kernel_best_fn *const all[] = {
#if defined(__x86_64__)
        best_avx512, best_avx2,
#else
        NULL, NULL,
#endif
        best_plain,
    };
    if (i >= ARRAY_LEN(all) || (i == 0 && !HAS_AVX512) || (i == 1 && !HAS_AVX2))
        return NULL;
    return all[i];
}

node_id kernel_best_by(kernel_best_fn *by, const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie)
{
    struct lanes l;
    uint32_t at = 64;
    for (uint32_t i = 0; i < 64; i++) {
        l.score[i] = INT32_MIN;
        l.tie[i] = INT32_MAX;
        l.word[i] = -1;
    }
    by(fits, words, score, tie, &l);
    for (uint32_t i = 0; i < 64; i++)
        if (l.word[i] >= 0 && (at == 64 || l.score[i] > l.score[at] || (l.score[i] == l.score[at] && l.tie[i] < l.tie[at])))
            at = i;
    return at == 64 ? NODE_NONE : (node_id)l.word[at] * 64 + at;
}

node_id kernel_best(const uint64_t *fits, uint32_t words, const int32_t *score, const uint32_t *tie)
{
    size_t i = HAS_AVX512 ? 0 : HAS_AVX2 ? 1 : 2;
    return kernel_best_by(kernel_best_variant(i), fits, words, score, tie);
}
