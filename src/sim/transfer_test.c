/* transfer_test.c - rates against a naive filling in small steps of pipes, what max-min fair means, and times. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/transfer.h"

#include <math.h>

#include "base/test.h"

#define PIPES 12u
#define MOST 24u
#define USES 4u

struct naive {
    double capacity[PIPES];
    uint32_t n;
    struct {
        uint32_t id, nuses;
        struct transfer_use uses[USES];
        double rate;
    } t[MOST];
};

static double load_of(const struct naive *w, uint32_t pipe, bool growing)
{
    double sum = 0;
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < w->t[i].nuses; k++)
            if (w->t[i].uses[k].pipe == pipe && (!growing || w->t[i].rate < 0))
                sum += w->t[i].uses[k].weight * (growing ? 1 : MAX(w->t[i].rate, 0.0));
    return sum;
}

/* Each round asks every pipe anew. */
static void fill(struct naive *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        w->t[i].rate = -1;
    for (;;) {
        uint32_t least = PIPES;
        double at = INFINITY;
        for (uint32_t p = 0; p < PIPES; p++) {
            double weight = load_of(w, p, true);
            if (weight > 0 && (w->capacity[p] - load_of(w, p, false)) / weight < at) {
                at = (w->capacity[p] - load_of(w, p, false)) / weight;
                least = p;
            }
        }
        if (least == PIPES)
            return;
        for (uint32_t i = 0; i < w->n; i++)
            for (uint32_t k = 0; k < w->t[i].nuses; k++)
                if (w->t[i].rate < 0 && w->t[i].uses[k].pipe == least) {
                    w->t[i].rate = at;
                    break;
                }
    }
}

static bool near(double a, double b)
{
    return fabs(a - b) <= 1e-6 * MAX(fabs(a), 1.0);
}

TEST(rates_as_naively)
{
    for (uint64_t seed = 1; seed <= 200 && !test_failures_; seed++) {
        struct naive w = {0};
        struct transfers *x = transfers_new();
        struct rng r;
        uint32_t next = 0;
        rng_seed(&r, seed);
        for (uint32_t p = 0; p < PIPES; p++) {
            w.capacity[p] = (double)(1 + rng_below(&r, 100));
            T_EQ_INT(transfers_add_pipe(x, w.capacity[p]), p);
        }
        for (int step = 0; step < 100 && !test_failures_; step++) {
            if (w.n < MOST && rng_below(&r, 3)) {
                w.t[w.n].id = next++;
                w.t[w.n].nuses = 1 + (uint32_t)rng_below(&r, USES);
                for (uint32_t k = 0; k < w.t[w.n].nuses; k++)
                    w.t[w.n].uses[k] = (struct transfer_use){(uint32_t)rng_below(&r, PIPES), 0.5 * (double)(1 + rng_below(&r, 4))};
                transfers_start(x, step, w.t[w.n].id, 1e18, w.t[w.n].uses, w.t[w.n].nuses);
                w.n++;
            } else if (w.n) {
                uint32_t i = (uint32_t)rng_below(&r, w.n);
                transfers_stop(x, step, w.t[i].id);
                w.t[i] = w.t[--w.n];
            }
            fill(&w);
            T_EQ_INT(transfers_count(x), w.n);
            for (uint32_t i = 0; i < w.n; i++)
                if (!near(transfers_rate(x, w.t[i].id), w.t[i].rate))
                    T_FAIL_("seed %llu step %d: %f, naively %f", (unsigned long long)seed, step, transfers_rate(x, w.t[i].id), w.t[i].rate);
        }
        transfers_free(x);
    }
}

/* The example of the header. */
TEST(full_pipes_hold_back_who_goes_through_them)
{
    struct transfers *x = transfers_new();
    uint32_t wide = transfers_add_pipe(x, 10), narrow = transfers_add_pipe(x, 3);
    const struct transfer_use uses[] = {{wide, 1}, {narrow, 1}};
    transfers_start(x, 0, 1, 85, uses, 1);
    transfers_start(x, 0, 2, 15, uses, 2);
    transfers_start(x, 0, 3, 30, uses + 1, 1);
    T_OK(near(transfers_rate(x, 1), 8.5) && near(transfers_rate(x, 2), 1.5) && near(transfers_rate(x, 3), 1.5));
    uint32_t id = 0;
    T_EQ_INT(transfers_next(x), 10 * NSEC_PER_SEC);
    T_OK(!transfers_take(x, 9 * NSEC_PER_SEC, &id));
    T_OK(transfers_take(x, 10 * NSEC_PER_SEC, &id));
    T_EQ_INT(id, 1);
    T_OK(transfers_take(x, 10 * NSEC_PER_SEC, &id));
    T_EQ_INT(id, 2);
    T_OK(!transfers_take(x, 10 * NSEC_PER_SEC, &id));
    /* 15 are left of the third, alone in a pipe of 3 */
    T_EQ_INT(transfers_next(x), 15 * NSEC_PER_SEC);
    transfers_stop(x, 11 * NSEC_PER_SEC, 3);
    T_EQ_INT(transfers_next(x), INT64_MAX);
    transfers_start(x, 11 * NSEC_PER_SEC, 4, 1e12, NULL, 0); /* nothing holds it back */
    T_EQ_INT(transfers_next(x), 11 * NSEC_PER_SEC);
    T_OK(transfers_take(x, 11 * NSEC_PER_SEC, &id));
    T_EQ_INT(transfers_count(x), 0);
    transfers_free(x);
}

/* All that was sent came through the pipe, whatever the order of starts. */
TEST(a_pipe_is_never_idle)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct transfers *x = transfers_new();
        struct rng r;
        uint32_t pipe = transfers_add_pipe(x, 1000), started = 0, over = 0, id;
        double sent = 0;
        nsec_t now = 0;
        rng_seed(&r, seed);
        while (over < 50 && !test_failures_) {
            nsec_t next = transfers_next(x);
            if (started < 50 && (!transfers_count(x) || rng_below(&r, 2))) {
                double bits = (double)(1 + rng_below(&r, 5000));
                transfers_start(x, now, started++, bits, &(struct transfer_use){pipe, 1}, 1);
                sent += bits;
                continue;
            }
            now = next;
            while (transfers_take(x, now, &id))
                over++;
        }
        T_OK(fabs((double)now / 1e9 - sent / 1000) < 1e-6);
        transfers_free(x);
    }
}

/* Time has an end: what would be through after it is not through before, nor at once. */
TEST(what_takes_for_ever)
{
    struct transfers *x = transfers_new();
    uint32_t pipe = transfers_add_pipe(x, 1e8), id = 0;
    transfers_start(x, 0, 7, 7.2e19, &(struct transfer_use){pipe, 1}, 1);
    T_EQ_INT(transfers_next(x), INT64_MAX);
    T_OK(!transfers_take(x, INT64_MAX / 2, &id));
    transfers_start(x, INT64_MAX - NSEC_PER_SEC, 8, 1e9, &(struct transfer_use){pipe, 1}, 1);
    T_EQ_INT(transfers_next(x), INT64_MAX);
    transfers_start(x, INT64_MAX - NSEC_PER_SEC, 9, 1e9, NULL, 0);
    T_EQ_INT(transfers_next(x), INT64_MAX - NSEC_PER_SEC);
    T_OK(transfers_take(x, INT64_MAX - NSEC_PER_SEC, &id));
    T_EQ_INT(id, 9);
    T_OK(!transfers_take(x, INT64_MAX - NSEC_PER_SEC, &id));
    transfers_free(x);
}

TEST_MAIN(what_takes_for_ever, rates_as_naively, full_pipes_hold_back_who_goes_through_them, a_pipe_is_never_idle)
