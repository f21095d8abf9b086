/* share.c - see share.h.  `fill` is the one water filling that both the cut guarantees and the surplus go through: it divides a pool among claims
 * by `pull_`, nobody more than `need_`. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/share.h"

#include <math.h>

#define NOISE 1e-6          /* of a step: an offer this close to a whole number of steps is that number */
#define REMAINDER_BITS 20   /* remainders that differ by less than 2^-20 are equal, and age decides */

/* Offers `pool` in rounds; afterwards offer_ is what each has got, closed ones have all they need.  Returns what nobody could be offered. */
static double offer_in_rounds(struct share_claim *c, size_t n, double pool, double k)
{
    while (pool > 0) {
        double weights = 0, parts = 0, rest = 0;
        for (size_t i = 0; i < n; i++)
            weights += c[i].is_open_ ? c[i].pull_ : 0;
        if (weights <= 0)
            return pool;
        double per_weight = 1 / weights;
        for (size_t i = 0; i < n; i++) {
            double w = c[i].pull_ * per_weight;
            parts += c[i].is_open_ ? fmax(0, w + k * (w - c[i].usage)) : 0;
        }
        if (parts <= 0)
            return pool;
        double per_part = pool / parts;
        for (size_t i = 0; i < n; i++) {
            if (!c[i].is_open_)
                continue;
            double w = c[i].pull_ * per_weight, offer = fmax(0, w + k * (w - c[i].usage)) * per_part;
            double need = (double)c[i].need_ - c[i].offer_;
            if (need <= offer) {
                c[i].is_open_ = false;
                rest += offer - need;
            } else {
                c[i].offer_ += offer;
            }
        }
        pool = rest;
    }
    return 0;
}

static int descending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x > y ? -1 : x < y;
}

/* Hands out `left` step by step in the order of `keys` (remainder, then place in the array); returns what nobody needs. */
static int64_t hand_out(struct share_claim *c, uint64_t *keys, size_t n, int64_t left, int64_t step)
{
    qsort(keys, n, sizeof *keys, descending);
    for (bool more = n > 0; more && left > 0;) {
        /* one step each is the rule; more than that is left only where numbers are beyond what a double holds */
        int64_t each = MAX((int64_t)1, left / step / (int64_t)n) * step;
        more = false;
        for (size_t j = 0; j < n && left > 0; j++) {
            struct share_claim *x = &c[~keys[j] & UINT32_MAX];
            int64_t give = MIN(each, left);
            give = MIN(give, x->need_);
            x->fair += give, x->need_ -= give, left -= give;
            more |= give > 0;
        }
    }
    return left;
}

/* Divides `pool` among the open claims; returns what is left. */
static int64_t fill(struct share_claim *c, size_t n, int64_t pool, int64_t step, double k, uint64_t *scratch)
{
    for (size_t i = 0; i < n; i++) {
        c[i].offer_ = 0;
        c[i].need_ = c[i].is_open_ ? c[i].need_ : 0;
    }
    double idle = offer_in_rounds(c, n, (double)pool, k);
    int64_t left = pool;
    size_t nopen = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t give = c[i].need_;
        if (c[i].is_open_) {
            double steps = c[i].offer_ / (double)step, whole = floor(steps + NOISE);
            give = MIN(give, (int64_t)whole * step);
            uint64_t remainder = (uint64_t)(fmax(0, steps - whole) * (1u << REMAINDER_BITS) + 0.5);
            scratch[nopen++] = remainder << 32 | (UINT32_MAX - (uint32_t)i);
        }
        give = MIN(give, left);
        c[i].fair += give, c[i].need_ -= give, left -= give;
    }
    int64_t undivided = MIN(left, (int64_t)floor(idle + NOISE));
    return undivided + hand_out(c, scratch, nopen, left - undivided, step);
}

static size_t band_end(const struct share_claim *c, size_t n, size_t from)
{
    size_t to = from + 1;
    while (to < n && c[to].priority == c[from].priority)
        to++;
    return to;
}

/* The guarantees are more than there is. */
static void cut_guarantees(int64_t total, int64_t step, struct share_claim *c, size_t n, uint64_t *scratch)
{
    for (size_t from = 0, to; from < n && total > 0; from = to) {
        to = band_end(c, n, from);
        for (size_t i = from; i < to; i++) {
            int64_t quota = c[i].quota == SHARE_ALL ? total : c[i].quota;
            c[i].need_ = MIN(quota, c[i].want);
            c[i].pull_ = (double)quota;
            c[i].is_open_ = c[i].need_ > 0;
        }
        total = fill(c + from, to - from, total, step, 0, scratch);
    }
}

void share_divide(int64_t total, int64_t step, double k, struct share_claim *c, size_t n, uint64_t *scratch)
{
    __int128 guaranteed = 0;
    for (size_t i = 0; i < n; i++) {
        c[i].fair = MIN(c[i].quota == SHARE_ALL ? total : c[i].quota, c[i].want);
        guaranteed += c[i].fair;
    }
    if (guaranteed > total) {
        for (size_t i = 0; i < n; i++)
            c[i].fair = 0;
        cut_guarantees(total, step, c, n, scratch);
        return;
    }
    int64_t left = total - (int64_t)guaranteed;
    for (size_t from = 0, to; from < n && left > 0; from = to) {
        to = band_end(c, n, from);
        bool any = false;
        for (size_t i = from; i < to; i++) {
            c[i].need_ = c[i].want - c[i].fair;
            c[i].pull_ = c[i].weight;
            c[i].is_open_ = c[i].need_ > 0 && c[i].weight > 0;
            any |= c[i].is_open_;
        }
        if (any)
            left = fill(c + from, to - from, left, step, k, scratch);
    }
}
