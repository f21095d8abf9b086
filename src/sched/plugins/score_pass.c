/* score_pass.c - see score_pass.h.  Loops run over whole words of 64 nodes, so that the compiler knows their length and vectorises them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/score_pass.h"

#define BODY static inline __attribute__((always_inline))
#if defined(__x86_64__)
#define WIDE __attribute__((target("avx2")))
#define HAS_WIDE __builtin_cpu_supports("avx2")
#else
#define WIDE
#define HAS_WIDE false
#endif
/* A pass is its body, compiled for two machines. */
#define PASS(name, params, args)                                                                                               \
    WIDE static void name##_wide params                                                                                        \
    {                                                                                                                          \
        name##_body args;                                                                                                      \
    }                                                                                                                          \
    static void name##_plain params                                                                                            \
    {                                                                                                                          \
        name##_body args;                                                                                                      \
    }                                                                                                                          \
    void pass_##name params                                                                                                    \
    {                                                                                                                          \
        if (HAS_WIDE)                                                                                                          \
            name##_wide args;                                                                                                  \
        else                                                                                                                   \
            name##_plain args;                                                                                                 \
    }

/* Explicit vectors where compilers do not see them: minima of 64-bit numbers, whole numbers from doubles. */
#define LANES 4
typedef int64_t lanes __attribute__((vector_size(LANES * sizeof(int64_t))));
typedef double dlanes __attribute__((vector_size(LANES * sizeof(double))));
#define SPLAT(x) {(x), (x), (x), (x)}

#define RANGES 4 /* side by side: one alone would wait for itself */
struct range {
    int64_t min[LANES], max[LANES];
};

BODY void range_body(const uint64_t *fits, uint32_t words, const int64_t *raw, int64_t from, struct range *r)
{
    const lanes floor = SPLAT(from);
    lanes min[RANGES], max[RANGES];
    for (uint32_t k = 0; k < RANGES; k++) {
        min[k] = (lanes)SPLAT(INT64_MAX);
        max[k] = (lanes)SPLAT(INT64_MIN);
    }
    int64_t min1 = INT64_MAX, max1 = INT64_MIN;
    for (uint32_t w = 0; w < words; w++, raw += 64) {
        if (fits[w] != UINT64_MAX) {
            for (uint64_t bits = fits[w]; bits; bits &= bits - 1) {
                int64_t v = raw[__builtin_ctzll(bits)];
                min1 = v < min1 && v >= from ? v : min1;
                max1 = v > max1 ? v : max1;
            }
            continue;
        }
        for (uint32_t i = 0; i < 64; i += LANES * RANGES)
            for (uint32_t k = 0; k < RANGES; k++) {
                lanes v;
                memcpy(&v, raw + i + k * LANES, sizeof v);
                lanes above = v > max[k], below = (v < min[k]) & (v >= floor);
                max[k] = (v & above) | (max[k] & ~above);
                min[k] = (v & below) | (min[k] & ~below);
            }
    }
    for (uint32_t i = 0; i < LANES; i++) {
        r->min[i] = min1;
        r->max[i] = max1;
        for (uint32_t k = 0; k < RANGES; k++) {
            r->min[i] = MIN(r->min[i], min[k][i]);
            r->max[i] = MAX(r->max[i], max[k][i]);
        }
    }
}

WIDE static void range_wide(const uint64_t *fits, uint32_t words, const int64_t *raw, int64_t from, struct range *r)
{
    range_body(fits, words, raw, from, r);
}
static void range_plain(const uint64_t *fits, uint32_t words, const int64_t *raw, int64_t from, struct range *r)
{
    range_body(fits, words, raw, from, r);
}

bool pass_range(const uint64_t *fits, uint32_t words, const int64_t *raw, int64_t from, int64_t *ret_min, int64_t *ret_max)
{
    struct range r;
    if (HAS_WIDE)
        range_wide(fits, words, raw, from, &r);
    else
        range_plain(fits, words, raw, from, &r);
    for (uint32_t k = 1; k < LANES; k++) {
        r.min[0] = MIN(r.min[0], r.min[k]);
        r.max[0] = MAX(r.max[0], r.max[k]);
    }
    *ret_min = r.min[0];
    *ret_max = r.max[0];
    return r.min[0] != INT64_MAX;
}

BODY void map_body(const uint64_t *fits, uint32_t words, int64_t *restrict raw, int64_t min, const int64_t *restrict table)
{
    for (uint32_t w = 0; w < words; w++, raw += 64) {
        if (fits[w] == UINT64_MAX) {
            for (uint32_t i = 0; i < 64; i++) {
                int64_t at = 1 + raw[i] - min;
                raw[i] = table[at > 0 ? at : 0];
            }
            continue;
        }
        /* scores of nodes that do not fit may lie outside of the table */
        for (uint64_t bits = fits[w]; bits; bits &= bits - 1) {
            int64_t *v = &raw[__builtin_ctzll(bits)], at = 1 + *v - min;
            *v = table[at > 0 ? at : 0];
        }
    }
}
PASS(map, (const uint64_t *fits, uint32_t words, int64_t *raw, int64_t min, const int64_t *table), (fits, words, raw, min, table))

BODY void put_body(const uint64_t *fits, uint32_t words, const uint32_t *restrict domain, const int64_t *restrict table, int64_t *restrict raw)
{
    for (uint32_t w = 0; w < words; w++, raw += 64, domain += 64)
        if (fits[w])
            for (uint32_t i = 0; i < 64; i++)
                raw[i] = table[domain[i]];
}
PASS(put, (const uint64_t *fits, uint32_t words, const uint32_t *domain, const int64_t *table, int64_t *raw), (fits, words, domain, table, raw))

BODY void add_body(const uint64_t *fits, uint32_t words, const uint32_t *restrict domain, const int64_t *restrict table, int64_t *restrict raw)
{
    for (uint32_t w = 0; w < words; w++, raw += 64, domain += 64)
        if (fits[w])
            for (uint32_t i = 0; i < 64; i++)
                raw[i] += table[domain[i]];
}
PASS(add, (const uint64_t *fits, uint32_t words, const uint32_t *domain, const int64_t *table, int64_t *raw), (fits, words, domain, table, raw))

void pass_fill(const uint64_t *fits, uint32_t words, int64_t value, int64_t *raw)
{
    for (uint32_t w = 0; w < words; w++, raw += 64)
        if (fits[w])
            for (uint32_t i = 0; i < 64; i++)
                raw[i] = value;
}

#define BLOCK 16
BODY void weigh_body(uint32_t n, const uint32_t *restrict count, int64_t weight, int64_t *restrict table)
{
    /* weights and counts are 32 bits wide, which multiplies faster */
    int32_t by = (int32_t)weight;
    for (; n >= BLOCK; n -= BLOCK, count += BLOCK, table += BLOCK)
        for (uint32_t i = 0; i < BLOCK; i++)
            table[i] += (int64_t)count[i] * by;
    for (uint32_t i = 0; i < n; i++)
        table[i] += (int64_t)count[i] * by;
}
PASS(weigh, (uint32_t n, const uint32_t *count, int64_t weight, int64_t *table), (n, count, weight, table))

/* A double of 2^52 and more has its whole number in the low bits: conversions without instructions that AVX2 lacks. */
#define BIG 0x1p52
#define BIG_BITS 0x4330000000000000ll

BODY void scale_body(const uint64_t *fits, uint32_t words, const struct pass_scale *s, int64_t *raw)
{
    const lanes base = SPLAT(s->base), skip = SPLAT(s->skip), big_bits = SPLAT(BIG_BITS), down = SPLAT(-(int64_t)s->down);
    const dlanes big = SPLAT(BIG), times = SPLAT(s->times), by = SPLAT(s->by), then = SPLAT(s->then);
    for (uint32_t w = 0; w < words; w++, raw += 64)
        for (uint32_t i = 0; i < 64 && fits[w]; i += LANES) {
            lanes v;
            memcpy(&v, raw + i, sizeof v);
            lanes above = ((v - base) ^ down) - down; /* negated when down */
            dlanes x = ((dlanes)(above + big_bits) - big) * times / by * then;
            dlanes near = (x + big) - big;
            lanes out = (lanes)(near + big) - big_bits + (near > x); /* a true lane is -1 */
            out &= v != skip;
            memcpy(raw + i, &out, sizeof out);
        }
}
PASS(scale, (const uint64_t *fits, uint32_t words, const struct pass_scale *s, int64_t *raw), (fits, words, s, raw))

BODY void round_half_up(const double *sum, int64_t *ret)
{
    const lanes big_bits = SPLAT(BIG_BITS);
    const dlanes big = SPLAT(BIG), half = SPLAT(0.5);
    for (uint32_t i = 0; i < 64; i += LANES) {
        dlanes x;
        memcpy(&x, sum + i, sizeof x);
        dlanes even = (x + big) - big; /* halves go to the even one; the rest of that is 0.5 when it went down */
        lanes out = (lanes)(even + big) - big_bits - (x - even == half);
        memcpy(ret + i, &out, sizeof out);
    }
}

BODY void sum_body(const uint64_t *fits, uint32_t words, const struct pass_part *parts, uint32_t n, int64_t *restrict raw)
{
    for (uint32_t w = 0; w < words; w++, raw += 64) {
        if (!fits[w])
            continue;
        double sum[64] = {0};
        for (uint32_t k = 0; k < n; k++) {
            const struct pass_part *p = &parts[k];
            if (p->table) {
                const uint32_t *domain = p->domain + (size_t)w * 64;
                const double *table = p->table;
                for (uint32_t i = 0; i < 64; i++)
                    sum[i] += table[domain[i]];
            } else if (p->count) {
                const uint32_t *count = p->count + (size_t)w * 64;
                double weight = p->weight, base = p->base;
                for (uint32_t i = 0; i < 64; i++)
                    sum[i] += (double)count[i] * weight + base;
            } else {
                for (uint32_t i = 0; i < 64; i++)
                    sum[i] += p->base;
            }
        }
        round_half_up(sum, raw);
    }
}
PASS(sum, (const uint64_t *fits, uint32_t words, const struct pass_part *parts, uint32_t n, int64_t *raw), (fits, words, parts, n, raw))
