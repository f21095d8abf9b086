/* place_kernel.c - see place_kernel.h.
 *
 * kernel_seek is written three times: with AVX-512, with AVX2 and in plain C, chosen by what the processor has.  All three do, per node,
 *     share[i] = used[i] + inv[i] * request[i]                            cpu and memory, must not be above HOT_FULL
 *     percent  = free[i] - inv[i] * 100 * counted request[i]              LeastAllocated; MostAllocated is 100 minus that
 *     bound    = base + fit weight * mean of floors + balanced weight * floor(100 - 50 * |share 0 - share 1|) + parts
 * Compilers do not vectorise this on their own: the bits of the node set and the search for the lowest tie rank stop them (measured: 1.5 ns a
 * node instead of 0.35).  Everything else here is plain C that they do vectorise. */
/* SPDX-License-Identifier: Apache-2.0 */
#if defined(__GNUC__) && !defined(__clang__)
/* Exactness needs each operation rounded on its own, as Go's scheduler has it.  Before the headers: what
 * differs in options is not inlined. */
#pragma GCC optimize("O3", "-ffp-contract=off", "-fno-trapping-math", "-ffinite-math-only", "-fno-signed-zeros")
#elif defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif

#include "sched/engine/place_kernel.h"

#define INLINE static inline __attribute__((always_inline))

void hot_node(struct view *v, node_id n)
{
    const struct sched *s = v->s;
    struct hot_block *h = &v->hot[n / HOT_LANES];
    uint32_t i = n % HOT_LANES;
    for (int r = 0; r < 2; r++) {
        double inv = s->f_inv[r][n];
        h->used[r][i] = (float)(v->f_used[r][n] * inv);
        h->free[r][i] = (float)(100 - 100 * v->f_nonzero[r][n] * inv) + HOT_SLACK;
        h->inv[r][i] = (float)inv;
    }
    int64_t pods = view_free(v, n, RES_PODS);
    h->pods[i] = (float)MIN(pods, (int64_t)1 << 20);
    h->unbalanced[i] = 150 - SCORE_MAX;
    if (s->f_inv[0][n] > 0 && s->f_inv[1][n] > 0)
        h->unbalanced[i] = 150 - score_balanced(share_of(v->used[RES_CPU][n], s->alloc[RES_CPU][n]), share_of(v->used[RES_MEMORY][n], s->alloc[RES_MEMORY][n]));
}

/* --- bounds: constants of a class ------------------------------------------------------------------------------------------------------ */
struct consts {
    float req[2], limit[2], counted[2], share[2], pods;
    int32_t fit_weight, balanced_weight, base;
};

static struct consts consts_of(const struct kernel_job *j)
{
    const struct kernel_class *k = j->of;
    struct consts c = {.pods = k->checks_pods ? 1.0f : -3e38f, .fit_weight = k->fit_weight, .balanced_weight = k->balanced_weight, .base = j->base};
    int32_t sum = k->share[0] + k->share[1];
    for (int r = 0; r < 2; r++) {
        c.req[r] = (float)k->req[r];
        c.limit[r] = k->checks[r] ? HOT_FULL : 3e38f;
        c.counted[r] = (float)(100 * k->nonzero[r]);
        c.share[r] = sum ? (float)k->share[r] / (float)sum : 0;
    }
    return c;
}

/* --- bounds: plain ---------------------------------------------------------------------------------------------------------------------- */
INLINE float clampf(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* Bounds of a group without static scores, -1 for nodes without room.  No branches: this much compilers do vectorise. */
INLINE void bounds_plain(const struct hot_block *restrict h, const struct consts *restrict c, bool most, bool gain, int32_t *restrict ret)
{
    for (uint32_t i = 0; i < HOT_LANES; i++) {
        float a0 = h->used[0][i] + h->inv[0][i] * c->req[0], a1 = h->used[1][i] + h->inv[1][i] * c->req[1];
        float f0 = h->free[0][i] - h->inv[0][i] * c->counted[0], f1 = h->free[1][i] - h->inv[1][i] * c->counted[1];
        f0 = most ? 100 + 2 * HOT_SLACK - f0 : f0;
        f1 = most ? 100 + 2 * HOT_SLACK - f1 : f1;
        float top = most ? 100 : 101;
        int32_t p0 = (int32_t)clampf(f0, 0, top), p1 = (int32_t)clampf(f1, 0, top);
        int32_t mean = (int32_t)((float)p0 * c->share[0] + (float)p1 * c->share[1] + HOT_SLACK);
        float d = (a0 > 1 ? 1 : a0) - (a1 > 1 ? 1 : a1);
        int32_t b = (int32_t)(100 + HOT_SLACK - 50 * (d < 0 ? -d : d));
        b = gain ? (b + h->unbalanced[i]) >> 1 : b;
        int32_t t = c->base + c->fit_weight * mean + c->balanced_weight * b;
        bool room = (a0 <= c->limit[0]) & (a1 <= c->limit[1]) & (h->pods[i] >= c->pods);
        ret[i] = room ? t : -1;
    }
}

static uint32_t seek_plain(struct kernel_job *j, uint32_t from, int32_t score, uint32_t tie, int32_t ret[HOT_LANES])
{
    const struct consts c = consts_of(j);
    bool most = j->of->most, gain = j->of->gain;
    for (uint32_t g = from; g < j->groups; g++) {
        uint32_t bits = (uint16_t)(j->fits[g / 4] >> (g % 4 * 16));
        if (!bits)
            continue;
        if (most)
            bounds_plain(&j->hot[g], &c, true, gain, ret);
        else if (gain)
            bounds_plain(&j->hot[g], &c, false, true, ret);
        else
            bounds_plain(&j->hot[g], &c, false, false, ret);
        for (uint32_t i = 0; i < HOT_LANES; i++)
            ret[i] |= (int32_t)(bits >> i & 1) - 1; /* -1 where there is no bit */
        for (uint32_t k = 0; k < j->nparts; k++)
            for (uint32_t i = 0; i < HOT_LANES; i++) {
                int32_t raw = j->parts[k].raw[g * HOT_LANES + i];
                if (ret[i] < 0)
                    continue;
                j->highest[k] = MAX(j->highest[k], raw);
                ret[i] += j->parts[k].weight * (int32_t)((float)raw * j->parts[k].k);
            }
        const uint32_t *ties = j->tie + g * HOT_LANES;
        uint32_t hit = 0;
        for (uint32_t i = 0; i < HOT_LANES; i++)
            hit |= (uint32_t)(ret[i] > score) | ((uint32_t)(ret[i] == score) & (uint32_t)(ties[i] < tie));
        if (hit)
            return g;
    }
    return j->groups;
}

#if defined(__x86_64__)
#include <immintrin.h>

/* The common case gets loops of its own, so that which formulas are used is decided once and not in each turn: both resources are requested and count the
 * same, both plugins have weight 1, no static scores differ. */
static bool is_simple(const struct kernel_job *j)
{
    const struct kernel_class *k = j->of;
    return !k->most && k->share[0] == k->share[1] && k->checks[0] && k->checks[1] && k->fit_weight == 1 && k->balanced_weight == 1 && j->nparts == 0;
}

/* --- bounds: 16 nodes at a time ---------------------------------------------------------------------------------------------------------- */
#define T512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,fma")))

T512 INLINE __m512i percent512(const struct hot_block *h, int r, __m512 inv, __m512 counted, bool most)
{
    __m512 free = _mm512_fnmadd_ps(inv, counted, _mm512_load_ps(h->free[r]));
    if (most)
        free = _mm512_min_ps(_mm512_sub_ps(_mm512_set1_ps(100 + 2 * HOT_SLACK), free), _mm512_set1_ps(100));
    return _mm512_cvttps_epi32(_mm512_max_ps(free, _mm512_setzero_ps()));
}

T512 INLINE uint32_t seek512(struct kernel_job *j, uint32_t g, int32_t score, uint32_t tie, int32_t *ret, bool most, bool gain, bool simple)
{
    const struct consts c = consts_of(j);
    const __m512 req0 = _mm512_set1_ps(c.req[0]), req1 = _mm512_set1_ps(c.req[1]), counted0 = _mm512_set1_ps(c.counted[0]), counted1 = _mm512_set1_ps(c.counted[1]);
    const __m512 limit0 = _mm512_set1_ps(c.limit[0]), limit1 = _mm512_set1_ps(c.limit[1]), pods = _mm512_set1_ps(c.pods), one = _mm512_set1_ps(1);
    const __m512 share0 = _mm512_set1_ps(c.share[0]), share1 = _mm512_set1_ps(c.share[1]), slack = _mm512_set1_ps(HOT_SLACK);
    const __m512i fit_weight = _mm512_set1_epi32(c.fit_weight), balanced_weight = _mm512_set1_epi32(c.balanced_weight), base = _mm512_set1_epi32(c.base);
    const __m512i want = _mm512_set1_epi32(score), want_tie = _mm512_set1_epi32((int32_t)tie);
    const struct hot_block *hot = j->hot;
    const uint32_t *ties = j->tie, groups = j->groups, nparts = j->nparts;
    const uint64_t *fits = j->fits;
    for (; g < groups; g++) {
        if (!fits[g / 4]) {
            g |= 3;
            continue;
        }
        __mmask16 m = (__mmask16)(fits[g / 4] >> (g % 4 * 16));
        const struct hot_block *h = &hot[g];
        __m512 inv0 = _mm512_load_ps(h->inv[0]), inv1 = _mm512_load_ps(h->inv[1]);
        __m512 a0 = _mm512_fmadd_ps(inv0, req0, _mm512_load_ps(h->used[0])), a1 = _mm512_fmadd_ps(inv1, req1, _mm512_load_ps(h->used[1]));
        m = _mm512_mask_cmp_ps_mask(m, a0, limit0, _CMP_LE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, a1, limit1, _CMP_LE_OQ);
        m = _mm512_mask_cmp_ps_mask(m, _mm512_load_ps(h->pods), pods, _CMP_GE_OQ);
        __m512i mean, p0 = percent512(h, 0, inv0, counted0, most), p1 = percent512(h, 1, inv1, counted1, most);
        if (simple)
            mean = _mm512_srli_epi32(_mm512_add_epi32(p0, p1), 1);
        else
            mean = _mm512_cvttps_epi32(_mm512_fmadd_ps(_mm512_cvtepi32_ps(p0), share0, _mm512_fmadd_ps(_mm512_cvtepi32_ps(p1), share1, slack)));
        __m512 d = _mm512_abs_ps(simple ? _mm512_sub_ps(a0, a1) : _mm512_sub_ps(_mm512_min_ps(a0, one), _mm512_min_ps(a1, one)));
        __m512i b = _mm512_cvttps_epi32(_mm512_fnmadd_ps(d, _mm512_set1_ps(50), _mm512_set1_ps(100 + HOT_SLACK)));
        if (gain)
            b = _mm512_srli_epi32(_mm512_add_epi32(b, _mm512_load_si512(h->unbalanced)), 1);
        __m512i t;
        if (simple)
            t = _mm512_add_epi32(base, _mm512_add_epi32(mean, b));
        else
            t = _mm512_add_epi32(base, _mm512_add_epi32(_mm512_mullo_epi32(mean, fit_weight), _mm512_mullo_epi32(b, balanced_weight)));
        for (uint32_t k = 0; k < nparts && !simple; k++) {
            __m512i raw = _mm512_loadu_si512(j->parts[k].raw + g * HOT_LANES);
            int32_t highest = _mm512_mask_reduce_max_epi32(m, raw);
            if (highest > j->highest[k])
                j->highest[k] = highest;
            __m512i x = _mm512_cvttps_epi32(_mm512_mul_ps(_mm512_cvtepi32_ps(raw), _mm512_set1_ps(j->parts[k].k)));
            t = _mm512_add_epi32(t, _mm512_mullo_epi32(x, _mm512_set1_epi32(j->parts[k].weight)));
        }
        /* equal scores are common, so ranks are always looked at: a branch would be guessed wrong too often */
        __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(m, t, want);
        if (unlikely(_mm512_mask_cmpgt_epi32_mask(m, t, want) | _mm512_mask_cmplt_epu32_mask(equal, _mm512_loadu_si512(ties + g * HOT_LANES), want_tie))) {
            _mm512_storeu_si512(ret, _mm512_mask_blend_epi32(m, _mm512_set1_epi32(-1), t));
            return g;
        }
    }
    return groups;
}

T512 static uint32_t seek_avx512(struct kernel_job *j, uint32_t g, int32_t score, uint32_t tie, int32_t *ret)
{
    const struct kernel_class *k = j->of;
    if (is_simple(j))
        return k->gain ? seek512(j, g, score, tie, ret, false, true, true) : seek512(j, g, score, tie, ret, false, false, true);
    if (k->most)
        return seek512(j, g, score, tie, ret, true, k->gain, false);
    return seek512(j, g, score, tie, ret, false, k->gain, false);
}

/* --- bounds: 8 nodes at a time -------------------------------------------------------------------------------------------------------------- */
#define T256 __attribute__((target("avx2,fma")))

T256 INLINE __m256i percent256(const float *free_of, __m256 inv, float counted, bool most)
{
    __m256 free = _mm256_fnmadd_ps(inv, _mm256_set1_ps(counted), _mm256_load_ps(free_of));
    if (most)
        free = _mm256_min_ps(_mm256_sub_ps(_mm256_set1_ps(100 + 2 * HOT_SLACK), free), _mm256_set1_ps(100));
    return _mm256_cvttps_epi32(_mm256_max_ps(free, _mm256_setzero_ps()));
}

/* Bounds of 8 nodes, -1 for those that do not fit. */
T256 INLINE __m256i bounds256(struct kernel_job *j, const struct consts *c, const struct hot_block *h, uint32_t at, uint32_t bits, uint32_t node, bool most,
                              bool gain, bool simple)
{
    const __m256i lanes = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    const __m256 one = _mm256_set1_ps(1);
    __m256 inv0 = _mm256_load_ps(h->inv[0] + at), inv1 = _mm256_load_ps(h->inv[1] + at);
    __m256 a0 = _mm256_fmadd_ps(inv0, _mm256_set1_ps(c->req[0]), _mm256_load_ps(h->used[0] + at));
    __m256 a1 = _mm256_fmadd_ps(inv1, _mm256_set1_ps(c->req[1]), _mm256_load_ps(h->used[1] + at));
    __m256 m = _mm256_castsi256_ps(_mm256_cmpeq_epi32(_mm256_and_si256(_mm256_set1_epi32((int32_t)bits), lanes), lanes));
    m = _mm256_and_ps(m, _mm256_cmp_ps(a0, _mm256_set1_ps(c->limit[0]), _CMP_LE_OQ));
    m = _mm256_and_ps(m, _mm256_cmp_ps(a1, _mm256_set1_ps(c->limit[1]), _CMP_LE_OQ));
    m = _mm256_and_ps(m, _mm256_cmp_ps(_mm256_load_ps(h->pods + at), _mm256_set1_ps(c->pods), _CMP_GE_OQ));
    __m256i p0 = percent256(h->free[0] + at, inv0, c->counted[0], most), p1 = percent256(h->free[1] + at, inv1, c->counted[1], most), mean;
    if (simple)
        mean = _mm256_srli_epi32(_mm256_add_epi32(p0, p1), 1);
    else
        mean = _mm256_cvttps_epi32(_mm256_fmadd_ps(_mm256_cvtepi32_ps(p0), _mm256_set1_ps(c->share[0]),
                                                   _mm256_fmadd_ps(_mm256_cvtepi32_ps(p1), _mm256_set1_ps(c->share[1]), _mm256_set1_ps(HOT_SLACK))));
    __m256 d = simple ? _mm256_sub_ps(a0, a1) : _mm256_sub_ps(_mm256_min_ps(a0, one), _mm256_min_ps(a1, one));
    d = _mm256_andnot_ps(_mm256_set1_ps(-0.0f), d);
    __m256i b = _mm256_cvttps_epi32(_mm256_fnmadd_ps(d, _mm256_set1_ps(50), _mm256_set1_ps(100 + HOT_SLACK)));
    if (gain)
        b = _mm256_srli_epi32(_mm256_add_epi32(b, _mm256_load_si256((const __m256i *)(h->unbalanced + at))), 1);
    __m256i t = simple ? _mm256_add_epi32(mean, b)
                       : _mm256_add_epi32(_mm256_mullo_epi32(mean, _mm256_set1_epi32(c->fit_weight)), _mm256_mullo_epi32(b, _mm256_set1_epi32(c->balanced_weight)));
    t = _mm256_add_epi32(t, _mm256_set1_epi32(c->base));
    for (uint32_t k = 0; !simple && k < j->nparts; k++) {
        __m256i raw = _mm256_loadu_si256((const __m256i *)(j->parts[k].raw + node));
        __m256i high = _mm256_blendv_epi8(_mm256_set1_epi32(-1), raw, _mm256_castps_si256(m));
        if (_mm256_movemask_epi8(_mm256_cmpgt_epi32(high, _mm256_set1_epi32(j->highest[k])))) {
            int32_t x[8];
            _mm256_storeu_si256((__m256i *)x, high);
            for (int i = 0; i < 8; i++)
                j->highest[k] = MAX(j->highest[k], x[i]);
        }
        __m256i x = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_cvtepi32_ps(raw), _mm256_set1_ps(j->parts[k].k)));
        t = _mm256_add_epi32(t, _mm256_mullo_epi32(x, _mm256_set1_epi32(j->parts[k].weight)));
    }
    return _mm256_blendv_epi8(_mm256_set1_epi32(-1), t, _mm256_castps_si256(m));
}

T256 INLINE bool beats256(__m256i t, const uint32_t *tie_of, int32_t score, uint32_t tie)
{
    const __m256i want = _mm256_set1_epi32(score), flip = _mm256_set1_epi32(INT32_MIN);
    __m256i above = _mm256_cmpgt_epi32(t, want), equal = _mm256_cmpeq_epi32(t, want);
    __m256i lower = _mm256_cmpgt_epi32(_mm256_set1_epi32((int32_t)(tie ^ 0x80000000u)), _mm256_xor_si256(_mm256_loadu_si256((const __m256i *)tie_of), flip));
    return !_mm256_testz_si256(_mm256_or_si256(above, _mm256_and_si256(equal, lower)), _mm256_set1_epi32(-1));
}

T256 INLINE uint32_t seek256(struct kernel_job *j, uint32_t g, int32_t score, uint32_t tie, int32_t *ret, bool most, bool gain, bool simple)
{
    const struct consts c = consts_of(j);
    for (; g < j->groups; g++) {
        uint32_t bits = (uint16_t)(j->fits[g / 4] >> (g % 4 * 16));
        if (!bits)
            continue;
        uint32_t n = g * HOT_LANES;
        __m256i t0 = bounds256(j, &c, &j->hot[g], 0, bits & 255, n, most, gain, simple), t1 = bounds256(j, &c, &j->hot[g], 8, bits >> 8, n + 8, most, gain, simple);
        if (beats256(t0, j->tie + n, score, tie) || beats256(t1, j->tie + n + 8, score, tie)) {
            _mm256_storeu_si256((__m256i *)ret, t0);
            _mm256_storeu_si256((__m256i *)(ret + 8), t1);
            return g;
        }
    }
    return g;
}

T256 static uint32_t seek_avx2(struct kernel_job *j, uint32_t g, int32_t score, uint32_t tie, int32_t *ret)
{
    const struct kernel_class *k = j->of;
    if (is_simple(j))
        return k->gain ? seek256(j, g, score, tie, ret, false, true, true) : seek256(j, g, score, tie, ret, false, false, true);
    if (k->most)
        return seek256(j, g, score, tie, ret, true, k->gain, false);
    return seek256(j, g, score, tie, ret, false, k->gain, false);
}
#endif

/* --- which ------------------------------------------------------------------------------------------------------------------------------------ */
kernel_seek_fn *kernel_variant(size_t i, const char **ret_name)
{
    static const char *const names[] = {"avx512", "avx2", "plain"};
    *ret_name = i < ARRAY_LEN(names) ? names[i] : NULL;
#if defined(__x86_64__)
    if (i == 0 && HAS_AVX512)
        return seek_avx512;
    if (i == 1 && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return seek_avx2;
#endif
    return i == 2 ? seek_plain : NULL;
}

uint32_t kernel_seek(struct kernel_job *j, uint32_t from, int32_t score, uint32_t tie, int32_t ret[HOT_LANES])
{
    /* asking the processor is a load and a test: no state to keep */
    const char *name;
    kernel_seek_fn *seek = kernel_variant(0, &name);
    if (!seek)
        seek = kernel_variant(1, &name);
    return seek ? seek(j, from, score, tie, ret) : seek_plain(j, from, score, tie, ret);
}

/* --- exact ------------------------------------------------------------------------------------------------------------------------------------ */
int32_t kernel_exact_one(const struct view *v, const struct kernel_class *k, node_id n)
{
    const struct sched *s = v->s;
    int64_t capacity[2] = {s->alloc[RES_CPU][n], s->alloc[RES_MEMORY][n]};
    int32_t total = 0;
    if (k->fit_weight) {
        int64_t counted[2] = {v->nonzero_cpu[n] + (int64_t)k->nonzero[0], v->nonzero_memory[n] + (int64_t)k->nonzero[1]};
        int64_t sum = 0, weights = 0;
        for (int r = 0; r < 2; r++)
            if (capacity[r] && k->share[r]) {
                sum += k->share[r] * (k->most ? score_most(counted[r], capacity[r]) : score_least(counted[r], capacity[r]));
                weights += k->share[r];
            }
        total += k->fit_weight * (int32_t)(weights ? sum / weights : 0);
    }
    if (k->balanced_weight) {
        int64_t used[2] = {v->used[RES_CPU][n], v->used[RES_MEMORY][n]};
        bool both = capacity[0] && capacity[1];
        int32_t with = both ? score_balanced(share_of(used[0] + (int64_t)k->req[0], capacity[0]), share_of(used[1] + (int64_t)k->req[1], capacity[1])) : SCORE_MAX;
        if (k->gain)
            with = score_gain(with, both ? score_balanced(share_of(used[0], capacity[0]), share_of(used[1], capacity[1])) : SCORE_MAX);
        total += k->balanced_weight * with;
    }
    return total;
}

/* 100 * x / capacity, cut off, without a division: x * PERCENT * (1 / capacity) is at least the true quotient, since PERCENT is 100 and 2^-51 of it more
 * and three roundings take away 3 * 2^-53 at most; and it is too large by less than 1 / capacity, the gap to the next whole number, as long as
 * 100 * 7 * 2^-53 is.  Nodes with more than EXACT_MAX, or with nothing, are done one by one. */
#define EXACT_MAX 0x1p43
#define PERCENT (100 * (1 + 0x1p-51))

/* HOT_LANES nodes from `at` on. */
INLINE void exact_group(const struct view *v, const struct kernel_class *k, uint32_t at, int32_t *restrict ret, bool most, bool gain)
{
    const double *restrict used0 = v->f_used[0] + at, *restrict used1 = v->f_used[1] + at;
    const double *restrict nz0 = v->f_nonzero[0] + at, *restrict nz1 = v->f_nonzero[1] + at;
    const double *restrict a0 = v->s->f_alloc[0] + at, *restrict a1 = v->s->f_alloc[1] + at;
    const double *restrict inv0 = v->s->f_inv[0] + at, *restrict inv1 = v->s->f_inv[1] + at;
    const int32_t *restrict unbalanced = v->hot[at / HOT_LANES].unbalanced;
    const double req0 = k->req[0], req1 = k->req[1], counted0 = k->nonzero[0], counted1 = k->nonzero[1];
    const int32_t share0 = k->share[0], share1 = k->share[1], fit_weight = k->fit_weight, balanced_weight = k->balanced_weight;
    const double weights = 1.0 / (share0 + share1) * (1 + 0x1p-50);
    for (uint32_t i = 0; i < HOT_LANES; i++) {
        double c0 = a0[i] > 0 ? a0[i] : 1, c1 = a1[i] > 0 ? a1[i] : 1;
        double n0 = nz0[i] + counted0, n1 = nz1[i] + counted1;
        n0 = n0 > c0 ? c0 : n0;
        n1 = n1 > c1 ? c1 : n1;
        int32_t p0 = (int32_t)((most ? n0 : c0 - n0) * PERCENT * inv0[i]), p1 = (int32_t)((most ? n1 : c1 - n1) * PERCENT * inv1[i]);
        int32_t mean = (int32_t)((double)(p0 * share0 + p1 * share1) * weights);
        double f0 = (used0[i] + req0) / c0, f1 = (used1[i] + req1) / c1;
        f0 = f0 > 1 ? 1 : f0;
        f1 = f1 > 1 ? 1 : f1;
        int32_t b = (int32_t)((1 - __builtin_fabs((f0 - f1) / 2)) * 100);
        if (gain)
            b = (b + unbalanced[i]) >> 1;
        ret[i] = mean * fit_weight + b * balanced_weight;
    }
}

/* Has one of the 64 nodes nothing of cpu or memory, or more than EXACT_MAX? */
INLINE bool word_is_odd(const struct view *v, uint32_t w)
{
    const double *a0 = v->s->f_alloc[0] + (size_t)w * 64, *a1 = v->s->f_alloc[1] + (size_t)w * 64;
    double low = 1, high = 1;
    for (uint32_t i = 0; i < 64; i++) {
        double less = a0[i] < a1[i] ? a0[i] : a1[i], more = a0[i] < a1[i] ? a1[i] : a0[i];
        low = less < low ? less : low;
        high = more > high ? more : high;
    }
    return low <= 0 || high > EXACT_MAX;
}

INLINE void exact_all(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret, bool most, bool gain)
{
    for (uint32_t w = 0; w < v->words; w++) {
        if (!fits[w])
            continue;
        for (uint32_t at = w * 64; at < w * 64 + 64; at += HOT_LANES)
            exact_group(v, k, at, ret + at, most, gain);
        if (unlikely(word_is_odd(v, w)))
            for (uint64_t b = fits[w]; b; b &= b - 1)
                ret[w * 64 + (uint32_t)__builtin_ctzll(b)] = kernel_exact_one(v, k, w * 64 + (uint32_t)__builtin_ctzll(b));
    }
}

/* Which formulas are used is decided once, not in each turn. */
INLINE void exact_any(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret)
{
    if (k->most)
        exact_all(v, k, fits, ret, true, k->gain);
    else if (k->gain)
        exact_all(v, k, fits, ret, false, true);
    else
        exact_all(v, k, fits, ret, false, false);
}

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512bw,avx512vl"))) static void exact_avx512(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret)
{
    exact_any(v, k, fits, ret);
}
__attribute__((target("avx2"))) static void exact_avx2(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret)
{
    exact_any(v, k, fits, ret);
}
#endif

void kernel_exact(const struct view *v, const struct kernel_class *k, const uint64_t *fits, int32_t *ret)
{
#if defined(__x86_64__)
    if (HAS_AVX512) {
        exact_avx512(v, k, fits, ret);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        exact_avx2(v, k, fits, ret);
        return;
    }
#endif
    exact_any(v, k, fits, ret);
}
