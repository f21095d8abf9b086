/* score_pass_test.c - both builds of each pass against plain loops. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/test.h"
/* The file itself, for its two builds. */
#include "sched/plugins/score_pass.c"

#define WORDS 5u
#define NODES (WORDS * 64)
#define DOMAINS 40u

struct data {
    struct rng rng;
    uint64_t fits[WORDS];
    int64_t raw[NODES], table[SCORE_TABLE + 1];
    uint32_t domain[NODES], count[NODES];
    double parts[DOMAINS];
};

static void fill(struct data *d, uint64_t seed)
{
    rng_seed(&d->rng, seed);
    for (uint32_t w = 0; w < WORDS; w++)
        d->fits[w] = w == 0 ? UINT64_MAX : w == 1 ? 0 : rng_u64(&d->rng) | (w == 2 ? rng_u64(&d->rng) : 0);
    for (uint32_t i = 0; i < NODES; i++) {
        d->raw[i] = (int64_t)rng_below(&d->rng, 900) - 1;
        d->domain[i] = (uint32_t)rng_below(&d->rng, DOMAINS);
        d->count[i] = (uint32_t)rng_below(&d->rng, 100000);
    }
    for (uint32_t i = 0; i <= SCORE_TABLE; i++)
        d->table[i] = (int64_t)rng_below(&d->rng, 101);
    for (uint32_t i = 0; i < DOMAINS; i++)
        d->parts[i] = (double)rng_below(&d->rng, 4000) / 8; /* halves are frequent */
}

static bool is_wide(int build)
{
    return build == 1 && HAS_WIDE;
}

/* Runs the lines with each build, on data made anew. */
#define FOR_BUILDS(d)                                                                                                          \
    for (uint64_t seed = 1; seed <= 20; seed++)                                                                                \
        for (int build = 0; build < 2; build++)                                                                                \
            for (bool once = (fill(d, seed), true); once; once = false)

TEST(range_is_of_nodes_that_fit)
{
    struct data d, *p = &d;
    FOR_BUILDS(p)
    {
        for (int64_t from = -1; from <= 0; from++) {
            struct range r;
            (is_wide(build) ? range_wide : range_plain)(d.fits, WORDS, d.raw, from, &r);
            int64_t min = INT64_MAX, max = INT64_MIN, got_min = INT64_MAX, got_max = INT64_MIN;
            for (uint32_t i = 0; i < NODES; i++)
                if (bit_get(d.fits, i)) {
                    max = MAX(max, d.raw[i]);
                    min = d.raw[i] >= from ? MIN(min, d.raw[i]) : min;
                }
            for (uint32_t k = 0; k < LANES; k++) {
                got_min = MIN(got_min, r.min[k]);
                got_max = MAX(got_max, r.max[k]);
            }
            T_EQ_INT(got_min, min);
            T_EQ_INT(got_max, max);
        }
    }
    int64_t min, max;
    uint64_t none[WORDS] = {0};
    T_OK(!pass_range(none, WORDS, d.raw, -1, &min, &max));
}

TEST(map_goes_through_the_table)
{
    struct data d, was, *p = &d;
    FOR_BUILDS(p)
    {
        was = d;
        (is_wide(build) ? map_wide : map_plain)(d.fits, WORDS, d.raw, 0, d.table);
        for (uint32_t i = 0; i < NODES; i++)
            if (bit_get(d.fits, i))
                T_EQ_INT(d.raw[i], d.table[was.raw[i] + 1]);
    }
}

TEST(values_by_domain)
{
    struct data d, was, *p = &d;
    FOR_BUILDS(p)
    {
        was = d;
        (is_wide(build) ? put_wide : put_plain)(d.fits, WORDS, d.domain, d.table, d.raw);
        for (uint32_t i = 0; i < NODES; i++)
            T_EQ_INT(d.raw[i], d.fits[i / 64] ? d.table[d.domain[i]] : was.raw[i]);
        d = was;
        (is_wide(build) ? add_wide : add_plain)(d.fits, WORDS, d.domain, d.table, d.raw);
        for (uint32_t i = 0; i < NODES; i++)
            T_EQ_INT(d.raw[i], was.raw[i] + (d.fits[i / 64] ? d.table[d.domain[i]] : 0));
        for (int64_t weight = -100; weight <= 100; weight += 50) {
            d = was;
            (is_wide(build) ? weigh_wide : weigh_plain)(NODES - 3, d.count, weight, d.raw);
            for (uint32_t i = 0; i < NODES; i++)
                T_EQ_INT(d.raw[i], was.raw[i] + (i < NODES - 3 ? weight * d.count[i] : 0));
        }
    }
}

TEST(scale_divides_as_doubles_do)
{
    struct data d, was, *p = &d;
    FOR_BUILDS(p)
    {
        struct pass_scale up = {.base = -1, .skip = INT64_MIN, .times = 1, .by = 1 + (double)rng_below(&d.rng, 2000), .then = 100};
        struct pass_scale down = {.base = 5000, .skip = -1, .down = true, .times = 100, .by = 1 + (double)rng_below(&d.rng, 5000), .then = 1};
        was = d;
        (is_wide(build) ? scale_wide : scale_plain)(d.fits, WORDS, &up, d.raw);
        for (uint32_t i = 0; i < NODES; i++)
            if (bit_get(d.fits, i))
                T_EQ_INT(d.raw[i], (int64_t)(100.0 * ((double)(was.raw[i] + 1) / up.by)));
        d = was;
        (is_wide(build) ? scale_wide : scale_plain)(d.fits, WORDS, &down, d.raw);
        for (uint32_t i = 0; i < NODES; i++)
            if (bit_get(d.fits, i))
                T_EQ_INT(d.raw[i], was.raw[i] == -1 ? 0 : 100 * (5000 - was.raw[i]) / (int64_t)down.by);
    }
}

TEST(sum_rounds_halves_up)
{
    struct data d, *p = &d;
    FOR_BUILDS(p)
    {
        struct pass_part parts[] = {{.table = d.parts, .domain = d.domain}, {.count = d.count, .weight = log(17), .base = 2}, {.base = 0.5}};
        for (uint32_t n = 0; n <= 3; n++) {
            (is_wide(build) ? sum_wide : sum_plain)(d.fits, WORDS, parts, n, d.raw);
            for (uint32_t i = 0; i < NODES; i++) {
                double sum = n > 0 ? d.parts[d.domain[i]] : 0;
                sum += n > 1 ? (double)d.count[i] * log(17) + 2 : 0;
                sum += n > 2 ? 0.5 : 0;
                if (bit_get(d.fits, i))
                    T_EQ_INT(d.raw[i], (int64_t)round(sum));
            }
        }
    }
}

TEST_MAIN(range_is_of_nodes_that_fit, map_goes_through_the_table, values_by_domain, scale_divides_as_doubles_do, sum_rounds_halves_up)
