/* transfer.h - data on the move: how fast each transfer goes when they share the bandwidth of nodes and links, and which one is through next.
 *
 *   pipes (a node's egress, its ingress, a link): bit/s        transfer: bits that each party sends, and how much of its rate goes through which pipe
 * A transfer goes at one rate: its parties work in step, the slowest decides.  Rates are the max-min fair ones: all grow alike until a pipe is full; whoever goes through that stays as it is, the
 * others grow on.  So nobody's rate could be raised without lowering one that is no larger.
 *     a pipe of 10: t1, t2     a pipe of 3: t2, t3     ->     t2 1.5, t3 1.5, t1 8.5
 * Between two changes rates stay as they are; times are exact but for rounding up to a nanosecond.
 * Threads: one.  Ownership: its own.
 * Limits: O(uses * log pipes) for each time at which something changed. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"

struct transfers;
struct transfer_use {
    uint32_t pipe;
    double weight; /* of the rate; > 0 */
};

struct transfers *transfers_new(void);
void transfers_free(struct transfers *x);
/* A pipe's number; pipes are numbered from 0. */
uint32_t transfers_add_pipe(struct transfers *x, double bits_per_s);
/* Uses with the same pipe add up.  Without any it is through at once.  id: the caller's, not in use. */
void transfers_start(struct transfers *x, nsec_t now, uint32_t id, double bits, const struct transfer_use *uses, size_t n);
void transfers_stop(struct transfers *x, nsec_t now, uint32_t id); /* fine when there is none */
/* When the next one is through, INT64_MAX: never. */
nsec_t transfers_next(struct transfers *x);
/* One that is through by now; it is gone then.  The order is that of their start. */
bool transfers_take(struct transfers *x, nsec_t now, uint32_t *ret_id);
double transfers_rate(struct transfers *x, uint32_t id); /* bit/s, 0 when there is none */
size_t transfers_count(const struct transfers *x);
