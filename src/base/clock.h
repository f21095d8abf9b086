/* clock.h - time and chance as arguments.
 *
 * Nothing below the composition root reads a clock or a random source of its own: it is given a
 * `struct clock *` and a `struct rng *`, so that tests run under virtual time from a seed.
 * Threads: the real clock may be read by all; a fake clock and an rng belong to one thread. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

typedef int64_t nsec_t;
#define NSEC_PER_SEC 1000000000ll
#define NSEC_PER_MSEC 1000000ll

struct clock {
    nsec_t (*wall_ns)(const struct clock *); /* since 1970, may jump */
    nsec_t (*mono_ns)(const struct clock *); /* never goes back; timers, time-outs, leases */
};

extern const struct clock clock_real;

struct clock_fake {
    struct clock clock;
    nsec_t wall;
    nsec_t mono;
};
void clock_fake_init(struct clock_fake *c, nsec_t wall);
void clock_fake_advance(struct clock_fake *c, nsec_t by);

static inline nsec_t clock_wall(const struct clock *c)
{
    return c->wall_ns(c);
}
static inline nsec_t clock_mono(const struct clock *c)
{
    return c->mono_ns(c);
}

/* xoshiro256**: fast, not for secrets (those come from OpenSSL's RAND_bytes in rt/). */
struct rng {
    uint64_t s[4];
};
void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_u64(struct rng *r);
/* Uniform in [0, bound); bound > 0. */
uint64_t rng_below(struct rng *r, uint64_t bound);
