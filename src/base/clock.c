/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <time.h>

static nsec_t read_clock(clockid_t id)
{
    struct timespec ts;
    clock_gettime(id, &ts);
    return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}
static nsec_t real_wall(const struct clock *c UNUSED)
{
    return read_clock(CLOCK_REALTIME);
}
static nsec_t real_mono(const struct clock *c UNUSED)
{
    return read_clock(CLOCK_MONOTONIC);
}
const struct clock clock_real = {real_wall, real_mono};

static nsec_t fake_wall(const struct clock *c)
{
    return container_of(c, const struct clock_fake, clock)->wall;
}
static nsec_t fake_mono(const struct clock *c)
{
    return container_of(c, const struct clock_fake, clock)->mono;
}
void clock_fake_init(struct clock_fake *c, nsec_t wall)
{
    *c = (struct clock_fake){{fake_wall, fake_mono}, wall, 0};
}
void clock_fake_advance(struct clock_fake *c, nsec_t by)
{
    c->wall += by;
    c->mono += by;
}

static uint64_t splitmix(uint64_t *x)
{
    uint64_t z = (*x += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
void rng_seed(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++)
        r->s[i] = splitmix(&seed);
}
static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}
uint64_t rng_u64(struct rng *r)
{
    uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}
uint64_t rng_below(struct rng *r, uint64_t bound)
{
    /* multiply-shift; the bias of at most bound/2^64 does not matter for anything we draw */
    return (uint64_t)(((unsigned __int128)rng_u64(r) * bound) >> 64);
}
