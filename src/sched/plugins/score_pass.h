/* score_pass.h - passes over the scores of all nodes: range, mapping through a table, values by topology domain.
 *
 * Each is compiled twice, with AVX2 and without, and picks at run time; both give the same bits (whole numbers, or doubles added in one order).
 * Words of `fits` without a bit are left alone; in others all 64 scores may be written.
 * Threads: pure.  Limits: scores within 2^51. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

#define SCORE_TABLE 1024 /* wider ranges are computed node by node */

/* Smallest and largest score of the nodes that fit, of those that are at least `from`; false: there are none. */
bool pass_range(const uint64_t *fits, uint32_t words, const int64_t *raw, int64_t from, int64_t *ret_min, int64_t *ret_max);
/* raw[n] = table[1 + raw[n] - min], table[0] when it is below min. */
void pass_map(const uint64_t *fits, uint32_t words, int64_t *raw, int64_t min, const int64_t *table);
/* raw[n] = table[domain[n]]; or adds that. */
void pass_put(const uint64_t *fits, uint32_t words, const uint32_t *domain, const int64_t *table, int64_t *raw);
void pass_add(const uint64_t *fits, uint32_t words, const uint32_t *domain, const int64_t *table, int64_t *raw);
void pass_fill(const uint64_t *fits, uint32_t words, int64_t value, int64_t *raw);
/* table[d] += weight * count[d]. */
void pass_weigh(uint32_t n, const uint32_t *count, int64_t weight, int64_t *table);

/* raw[n] = (raw[n] - base) * times / by * then in doubles, from left to right, rounded down; base - raw[n] when `down`; `skip` becomes 0. */
struct pass_scale {
    int64_t base, skip;
    bool down;
    double times, by, then;
};
void pass_scale(const uint64_t *fits, uint32_t words, const struct pass_scale *s, int64_t *raw);

/* A sum of doubles for each node, in order: table[domain[n]], or count[n] * weight + base; rounded half up. */
struct pass_part {
    const double *table; /* NULL: count */
    const uint32_t *domain, *count;
    double weight, base;
};
void pass_sum(const uint64_t *fits, uint32_t words, const struct pass_part *parts, uint32_t n, int64_t *raw);
