/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/bandwidth_meter.h"

#include "base/test.h"

#define MBIT BANDWIDTH_MBIT
#define SEC NSEC_PER_SEC
static const int64_t gigabit[BANDWIDTH_ENDS] = {1000 * MBIT, 1000 * MBIT};

static void feed(struct bandwidth_meter *m, int device, uint64_t out, uint64_t in, nsec_t at)
{
    bandwidth_meter_read(m, device, (const uint64_t[]){[BANDWIDTH_OUT] = out, [BANDWIDTH_IN] = in}, at, gigabit);
}

TEST(rates_of_an_interval)
{
    struct bandwidth_meter m = {0};
    feed(&m, 4, 1000, 1ull << 40, 100 * SEC);
    T_OK(!m.has_rate);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 0);
    feed(&m, 4, 1000 + 5000000, (1ull << 40) + 50, 105 * SEC);
    T_OK(m.has_rate);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    T_EQ_INT(m.used[BANDWIDTH_IN], 80);
    feed(&m, 4, 1000 + 5000000 + 700000, (1ull << 40) + 50, 105 * SEC + SEC / 2); /* too soon: the bytes count in the next interval */
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    feed(&m, 4, 1000 + 5000000 + 1250000, (1ull << 40) + 50, 106 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 10 * MBIT);
    T_EQ_INT(m.used[BANDWIDTH_IN], 0);
}

TEST(thirty_two_bits_that_wrap)
{
    struct bandwidth_meter m = {0};
    feed(&m, 4, UINT32_MAX - 999999, 0, 10 * SEC);
    feed(&m, 4, 4000000, 0, 15 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    /* for hours, at 400 Mbit/s: it wraps every 86 s */
    uint64_t sum = 4000000;
    for (nsec_t t = 20 * SEC; t < 3620 * SEC; t += 5 * SEC) {
        sum += 250000000;
        feed(&m, 4, sum & UINT32_MAX, 0, t);
        T_EQ_INT(m.used[BANDWIDTH_OUT], 400 * MBIT);
    }
}

TEST(counters_that_begin_anew)
{
    struct bandwidth_meter m = {0};
    feed(&m, 4, 5000000000, 7, 10 * SEC);
    feed(&m, 4, 5005000000, 7, 15 * SEC);
    feed(&m, 4, 100, 0, 20 * SEC); /* ethtool, a driver that was loaded again: the number of the device stays */
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    feed(&m, 4, 100 + 625000, 0, 25 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], MBIT);
    feed(&m, 9, 900000000000000, 3, 30 * SEC); /* another card has the address now, and has counted for years */
    T_EQ_INT(m.used[BANDWIDTH_OUT], MBIT);
    feed(&m, 9, 900000000000000 + 1250000, 3, 35 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 2 * MBIT);
    feed(&m, 9, UINT64_MAX, UINT64_MAX, 40 * SEC); /* a driver's way to say that it does not know */
    T_EQ_INT(m.used[BANDWIDTH_OUT], 2 * MBIT);
    T_EQ_INT(m.used[BANDWIDTH_IN], 0);
    feed(&m, 9, 0, 0, 45 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 2 * MBIT);
    feed(&m, 9, 0, 0, 50 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], 0);
}

/* The wall clock is not asked; the monotonic one of a machine that slept, or of a test, may do this. */
TEST(times_that_jump)
{
    struct bandwidth_meter m = {0};
    struct clock_fake c;
    clock_fake_init(&c, 1790000000 * SEC);
    clock_fake_advance(&c, 10 * SEC);
    feed(&m, 4, 0, 0, clock_mono(&c.clock));
    c.wall -= 5 * 3600 * SEC;
    clock_fake_advance(&c, 5 * SEC);
    feed(&m, 4, 5000000, 0, clock_mono(&c.clock));
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    c.wall += 48 * 3600 * SEC;
    clock_fake_advance(&c, 5 * SEC);
    feed(&m, 4, 10000000, 0, clock_mono(&c.clock));
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    feed(&m, 4, 10500000, 0, 3 * SEC); /* back: nothing can be said, the next interval counts */
    T_EQ_INT(m.used[BANDWIDTH_OUT], 8 * MBIT);
    feed(&m, 4, 11125000, 0, 8 * SEC);
    T_EQ_INT(m.used[BANDWIDTH_OUT], MBIT);
    feed(&m, 4, 11125000 + 450000000, 0, 8 * SEC + 3600 * SEC); /* slept for an hour: the mean of it */
    T_EQ_INT(m.used[BANDWIDTH_OUT], MBIT);
}

/* Whatever comes, a rate is one that can be. */
TEST(odd_readings)
{
    struct rng g;
    struct bandwidth_meter m = {0};
    rng_seed(&g, 11);
    for (int i = 0; i < 200000; i++) {
        uint64_t out = rng_u64(&g) >> rng_below(&g, 64), in = rng_u64(&g) >> rng_below(&g, 64);
        nsec_t at = (nsec_t)(rng_u64(&g) >> (2 + rng_below(&g, 60)));
        feed(&m, 1 + (int)rng_below(&g, 2), out, in, at);
        for (int e = 0; e < BANDWIDTH_ENDS; e++)
            T_OK(m.used[e] >= 0 && m.used[e] <= (int64_t)NODE_SPEED_MAX_MBIT * MBIT);
    }
}

TEST(busy_rises_at_once_and_falls_slowly)
{
    T_EQ_INT(bandwidth_busy(0, 100, 5 * SEC), 100);
    T_EQ_INT(bandwidth_busy(100, 40, 0), 100);
    T_EQ_INT(bandwidth_busy(100, 40, BANDWIDTH_BUSY_HALF_NS), 70);
    T_EQ_INT(bandwidth_busy(1000, 0, 2 * BANDWIDTH_BUSY_HALF_NS), 250);
    T_EQ_INT(bandwidth_busy(1000, 0, 86400 * SEC), 0);
    T_EQ_INT(bandwidth_busy(70, 40, -5 * SEC), 70);
}

TEST(room_in_steps)
{
    struct bandwidth_room r = {0};
    int64_t all = 1000 * MBIT;
    T_OK(bandwidth_room_note(&r, all, 0, 100 * SEC));
    T_EQ_INT(r.shown, all);
    T_OK(!bandwidth_room_note(&r, all, 20 * MBIT, 200 * SEC)); /* within the dead band */
    T_OK(bandwidth_room_note(&r, all, 320 * MBIT, 205 * SEC));
    T_EQ_INT(r.shown, 650 * MBIT);
    T_OK(!bandwidth_room_note(&r, all, 900 * MBIT, 210 * SEC)); /* too soon */
    T_OK(bandwidth_room_note(&r, all, 900 * MBIT, 215 * SEC));
    T_EQ_INT(r.shown, 100 * MBIT);
    T_OK(!bandwidth_room_note(&r, all, 100 * MBIT, 240 * SEC)); /* more is shown later than less */
    T_OK(bandwidth_room_note(&r, all, 100 * MBIT, 245 * SEC));
    T_EQ_INT(r.shown, 900 * MBIT);
    T_OK(!bandwidth_room_note(&r, all, 60 * MBIT, 300 * SEC)); /* not a whole step */
    T_OK(bandwidth_room_note(&r, all, 5000 * MBIT, 310 * SEC));
    T_EQ_INT(r.shown, 0);
    T_OK(bandwidth_room_note(&r, all, 0, 400 * SEC));
    T_EQ_INT(r.shown, all);
    T_OK(bandwidth_room_note(&r, all / 2, 90 * MBIT, 401 * SEC)); /* another capacity: at once */
    T_EQ_INT(r.shown, 400 * MBIT);
    T_OK(bandwidth_room_note(&r, all, 90 * MBIT, 402 * SEC));
    T_EQ_INT(r.shown, 900 * MBIT);
}

/* Traffic that goes up and down within a step is never told twice; one that swings over everything at most six times a minute. */
TEST(room_does_not_flap)
{
    struct rng g;
    struct bandwidth_room r = {0};
    int64_t all = 1000 * MBIT;
    int changes = 0;
    rng_seed(&g, 3);
    bandwidth_room_note(&r, all, 480 * MBIT, SEC);
    for (nsec_t t = 5 * SEC; t < 36000 * SEC; t += 5 * SEC)
        changes += bandwidth_room_note(&r, all, 475 * MBIT + (int64_t)rng_below(&g, 45 * MBIT), t);
    T_OK(changes <= 1);
    changes = 0;
    for (nsec_t t = 40000 * SEC; t < 40600 * SEC; t += 5 * SEC)
        changes += bandwidth_room_note(&r, all, (int64_t)rng_below(&g, (uint64_t)all), t);
    T_OK(changes <= 60 && changes >= 10);
}

TEST_MAIN(rates_of_an_interval, thirty_two_bits_that_wrap, counters_that_begin_anew, times_that_jump, odd_readings, busy_rises_at_once_and_falls_slowly, room_in_steps, room_does_not_flap)
