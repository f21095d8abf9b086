/* share.h - the division of one amount of one resource among siblings.
 *
 * 1. Guarantees: everyone gets min(quota, want).  Where these together are more than there is, they are cut: highest priority first, and within the priority
 *    that does not fit in proportion to the quotas (nobody above what it can use).  So shares never sum above the total, which KAI's may.
 * 2. Surplus: priority by priority, each takes what it can use before the next.  Within a priority in rounds: what is left is offered in proportion to
 *    s = max(0, w + k * (w - usage)), w being the weight as a part of the weights of those still in need; who needs less than its offer drops out and the
 *    rest is offered again.  Without usage this is weighted max-min fairness.  Where every s is 0 (all have used far more than their part) the surplus of that
 *    priority stays undivided, as in KAI, and is open to the next.
 * 3. Rounding: who can use less than its offer gets exactly that; the other offers of 1. and 2. are whole steps (a device).  What the rounding leaves
 *    goes step by step to the largest remainder, then the older, then by name; before lower priorities see it (KAI shows it to them first).
 *     10 devices, quotas 2 and 4, weights 1 and 3, both want 10: 2 + 4 guaranteed, surplus 4 offered 1 to 3: 3 and 7
 * Pure; numbers of the same claims in the same order are the same everywhere.  Threads: any.  Ownership: the caller's arrays. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

#define SHARE_ALL INT64_MAX        /* as a quota: all there is */
#define SHARE_AMOUNT_MAX (1ll << 60) /* of a total, a quota, a want */

struct share_claim {
    int64_t want;     /* what it can use: asked for and within its limit */
    int64_t quota;    /* or SHARE_ALL */
    double weight;    /* of the surplus; 0: none */
    double usage;     /* in the past, as a part of all there was */
    int32_t priority;
    bool is_open_;
    int64_t fair;     /* the answer */
    int64_t need_;    /* of the current division: at most this much more */
    double pull_, offer_;
};

/* Claims stand highest priority first, then the oldest, then by name.  scratch: n words.  step >= 1; k >= 0. */
void share_divide(int64_t total, int64_t step, double k, struct share_claim *c, size_t n, uint64_t *scratch);
