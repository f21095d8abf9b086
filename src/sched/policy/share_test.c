/* The division among siblings: a table of what is expected, and properties of random ones against a naive division. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/share.h"

#include <math.h>

#include "base/clock.h"
#include "base/test.h"

#define STEP 1000
#define D(devices) ((int64_t)((devices) * 1000.0 + 0.5))
#define END {.want = -1}

struct row {
    const char *what;
    int64_t total;
    double k;
    struct {
        int64_t want, quota;
        double weight, usage;
        int32_t priority;
        int64_t fair;
    } c[7]; /* highest priority first, then oldest; ends at want -1 */
};

static const struct row rows[] = {
    /* guarantees */
    {"alone, gets what it asks for", D(10), 1, {{D(4), 0, 1, 0, 0, D(4)}, END}},
    {"alone, gets no more than there is", D(10), 1, {{D(14), 0, 1, 0, 0, D(10)}, END}},
    {"nobody asks", D(10), 1, {{0, D(4), 1, 0, 0, 0}, {0, 0, 1, 0, 0, 0}, END}},
    {"nothing to divide", 0, 1, {{D(4), D(4), 1, 0, 0, 0}, {D(2), 0, 1, 0, 0, 0}, END}},
    {"deserved only", D(10), 1, {{D(6), D(6), 0, 0, 0, D(6)}, {D(4), D(4), 0, 0, 0, D(4)}, END}},
    {"deserved only, the rest is nobody's", D(10), 1, {{D(9), D(3), 0, 0, 0, D(3)}, {D(9), D(4), 0, 0, 0, D(4)}, END}},
    {"a request below the quota gives the rest to others", D(10), 1, {{D(1), D(6), 1, 0, 0, D(1)}, {D(10), D(4), 1, 0, 0, D(9)}, END}},
    {"quota goes before weight", D(10), 1, {{D(10), D(8), 1, 0, 0, D(8)}, {D(10), 0, 100, 0, 0, D(2)}, END}},
    {"quota goes before priority", D(10), 1, {{D(10), 0, 1, 0, 9, D(2)}, {D(10), D(8), 1, 0, 1, D(8)}, END}},
    {"a fraction of a device is met exactly", D(10), 1, {{D(0.5), 0, 1, 0, 0, D(0.5)}, {D(20), 0, 1, 0, 0, D(9.5)}, END}},
    {"a quota may be a fraction", D(4), 1, {{D(9), D(1.5), 1, 0, 0, D(2.5)}, {D(9), D(0.5), 1, 0, 0, D(1.5)}, END}},
    {"unlimited quota takes all it asks for", D(10), 1, {{D(7), SHARE_ALL, 1, 0, 0, D(7)}, {D(10), 0, 5, 0, 0, D(3)}, END}},
    /* more guaranteed than there is */
    {"cut in proportion to the quotas", D(6), 1, {{D(8), D(8), 1, 0, 0, D(4)}, {D(4), D(4), 1, 0, 0, D(2)}, END}},
    {"cut to whole devices, largest remainder", D(7), 1, {{D(8), D(8), 1, 0, 0, D(5)}, {D(4), D(4), 1, 0, 0, D(2)}, END}},
    {"cut by priority first", D(6), 1, {{D(5), D(5), 1, 0, 9, D(5)}, {D(4), D(4), 1, 0, 1, D(1)}, END}},
    {"cut: nothing is left for the last priority", D(5), 1, {{D(5), D(5), 1, 0, 9, D(5)}, {D(4), D(4), 1, 0, 1, 0}, END}},
    {"cut: who asks for less than its part gets it all", D(6), 1, {{D(1), D(8), 1, 0, 0, D(1)}, {D(8), D(8), 1, 0, 0, D(5)}, END}},
    {"two unlimited quotas share", D(10), 1, {{D(20), SHARE_ALL, 1, 0, 0, D(5)}, {D(20), SHARE_ALL, 1, 0, 0, D(5)}, END}},
    {"an unlimited quota beside a small one", D(10), 1, {{D(20), SHARE_ALL, 1, 0, 0, D(8)}, {D(20), D(2.5), 1, 0, 0, D(2)}, END}},
    {"cut: equal, odd: the older", D(5), 1, {{D(4), D(4), 1, 0, 0, D(3)}, {D(4), D(4), 1, 0, 0, D(2)}, END}},
    {"cut: the past does not touch guarantees", D(6), 1, {{D(4), D(4), 1, 0.9, 0, D(3)}, {D(4), D(4), 1, 0, 0, D(3)}, END}},
    {"one device less than guaranteed", D(2), 1, {{D(1), D(1), 1, 0, 0, D(1)}, {D(1), D(1), 1, 0, 0, D(1)}, {D(1), D(1), 1, 0, 0, 0}, END}},
    /* surplus by weight */
    {"equal weights", D(10), 1, {{D(10), 0, 1, 0, 0, D(5)}, {D(10), 0, 1, 0, 0, D(5)}, END}},
    {"one to four", D(10), 1, {{D(10), 0, 1, 0, 0, D(2)}, {D(10), 0, 4, 0, 0, D(8)}, END}},
    {"weights divide the surplus, not the whole", D(10), 1, {{D(10), D(2), 1, 0, 0, D(3)}, {D(10), D(4), 3, 0, 0, D(7)}, END}},
    {"weight is relative", D(10), 1, {{D(10), 0, 0.001, 0, 0, D(2)}, {D(10), 0, 0.004, 0, 0, D(8)}, END}},
    {"who needs less leaves it to the others", D(12), 1, {{D(1), 0, 1, 0, 0, D(1)}, {D(20), 0, 1, 0, 0, D(6)}, {D(20), 0, 1, 0, 0, D(5)}, END}},
    {"in three rounds", D(12), 1, {{D(1), 0, 1, 0, 0, D(1)}, {D(3), 0, 1, 0, 0, D(3)}, {D(5), 0, 1, 0, 0, D(4)}, {D(9), 0, 1, 0, 0, D(4)}, END}},
    {"zero weight gets its quota and nothing more", D(10), 1, {{D(10), D(2), 0, 0, 0, D(2)}, {D(10), 0, 1, 0, 0, D(8)}, END}},
    {"zero weight gets nothing even if all is free", D(10), 1, {{D(10), 0, 0, 0, 0, 0}, {D(3), 0, 1, 0, 0, D(3)}, END}},
    {"all weights zero", D(10), 1, {{D(10), D(1), 0, 0, 0, D(1)}, {D(3), 0, 0, 0, 0, 0}, END}},
    {"a satisfied queue's weight no longer counts", D(10), 1, {{D(2), D(2), 100, 0, 0, D(2)}, {D(9), 0, 1, 0, 0, D(4)}, {D(9), 0, 1, 0, 0, D(4)}, END}},
    /* rounding */
    {"three on ten: the oldest gets the odd one", D(10), 1, {{D(9), 0, 1, 0, 0, D(4)}, {D(9), 0, 1, 0, 0, D(3)}, {D(9), 0, 1, 0, 0, D(3)}, END}},
    {"the largest remainder goes before age", D(10), 1, {{D(9), 0, 3, 0, 0, D(4)}, {D(9), 0, 2, 0, 0, D(3)}, {D(9), 0, 2, 0, 0, D(3)}, END}},
    {"two odd ones", D(5), 1, {{D(9), 0, 1, 0, 0, D(2)}, {D(9), 0, 1, 0, 0, D(2)}, {D(9), 0, 1, 0, 0, D(1)}, END}},
    {"fewer devices than queues", D(2), 1, {{D(9), 0, 1, 0, 0, D(1)}, {D(9), 0, 1, 0, 0, D(1)}, {D(9), 0, 1, 0, 0, 0}, END}},
    {"a leftover is cut to what is still needed", D(3), 1, {{D(1.4), 0, 1, 0, 0, D(1.4)}, {D(9), 0, 1, 0, 0, D(1.6)}, END}},
    {"a total that is not whole", D(2.5), 1, {{D(9), 0, 1, 0, 0, D(1.5)}, {D(9), 0, 1, 0, 0, D(1)}, END}},
    {"half a device among two", D(0.5), 1, {{D(1), 0, 1, 0, 0, D(0.5)}, {D(1), 0, 1, 0, 0, 0}, END}},
    {"the odd one stays within its priority", D(3), 1, {{D(9), 0, 1, 0, 9, D(2)}, {D(9), 0, 1, 0, 9, D(1)}, {D(9), 0, 1, 0, 1, 0}, END}},
    /* priority */
    {"higher priority first", D(10), 1, {{D(7), 0, 1, 0, 9, D(7)}, {D(9), 0, 50, 0, 1, D(3)}, END}},
    {"higher priority takes all", D(10), 1, {{D(17), 0, 1, 0, 9, D(10)}, {D(9), 0, 50, 0, 1, 0}, END}},
    {"weights within a priority", D(10), 1, {{D(4), 0, 1, 0, 9, D(4)}, {D(9), 0, 2, 0, 1, D(4)}, {D(9), 0, 1, 0, 1, D(2)}, END}},
    {"high priority without weight is passed over", D(10), 1, {{D(9), 0, 0, 0, 9, 0}, {D(9), 0, 1, 0, 1, D(9)}, END}},
    {"three priorities", D(10), 1, {{D(3), 0, 1, 0, 3, D(3)}, {D(3), 0, 1, 0, 2, D(3)}, {D(9), 0, 1, 0, 1, D(4)}, END}},
    /* the past */
    {"equal use changes nothing", D(10), 1, {{D(10), 0, 1, 0.5, 0, D(5)}, {D(10), 0, 1, 0.5, 0, D(5)}, END}},
    {"who used more gets less", D(12), 1, {{D(12), 0, 1, 0.5, 0, D(4)}, {D(12), 0, 1, 0, 0, D(8)}, END}},
    {"k 0: the past does not count", D(12), 0, {{D(12), 0, 1, 0.9, 0, D(6)}, {D(12), 0, 1, 0, 0, D(6)}, END}},
    {"a larger k pushes harder", D(12), 2, {{D(12), 0, 1, 0.5, 0, D(3)}, {D(12), 0, 1, 0, 0, D(9)}, END}},
    {"over-used: nothing while others are in need", D(12), 1, {{D(12), 0, 1, 1, 0, 0}, {D(12), 0, 1, 0, 0, D(12)}, END}},
    {"over-used: what others leave", D(12), 1, {{D(12), 0, 1, 1, 0, D(7)}, {D(5), 0, 1, 0, 0, D(5)}, END}},
    {"over-used, but its quota stands", D(12), 1, {{D(12), D(3), 1, 1, 0, D(3)}, {D(12), 0, 1, 0, 0, D(9)}, END}},
    {"everybody over-used: the surplus stays", D(12), 1, {{D(12), D(2), 1, 3, 0, D(2)}, {D(12), 0, 1, 3, 0, 0}, END}},
    {"everybody over-used: lower priorities may have it", D(12), 1, {{D(12), 0, 1, 3, 9, 0}, {D(5), 0, 1, 0, 1, D(5)}, END}},
    {"over-used and alone still gets all", D(12), 1, {{D(12), 0, 1, 1, 0, D(12)}, END}},
    {"the past does not cross priorities", D(12), 1, {{D(8), 0, 1, 0.9, 9, D(8)}, {D(12), 0, 1, 0, 1, D(4)}, END}},
    {"weight and past", D(12), 1, {{D(12), 0, 3, 0.75, 0, D(9)}, {D(12), 0, 1, 0.25, 0, D(3)}, END}},
};

TEST(table)
{
    for (size_t r = 0; r < ARRAY_LEN(rows); r++) {
        struct share_claim c[7] = {0};
        uint64_t scratch[7];
        size_t n = 0;
        int64_t sum = 0;
        for (; rows[r].c[n].want >= 0; n++)
            c[n] = (struct share_claim){.want = rows[r].c[n].want, .quota = rows[r].c[n].quota, .weight = rows[r].c[n].weight,
                                        .usage = rows[r].c[n].usage, .priority = rows[r].c[n].priority};
        share_divide(rows[r].total, STEP, rows[r].k, c, n, scratch);
        for (size_t i = 0; i < n; i++) {
            if (c[i].fair != rows[r].c[i].fair)
                T_FAIL_("%s: claim %zu gets %lld, expected %lld", rows[r].what, i, (long long)c[i].fair, (long long)rows[r].c[i].fair);
            sum += c[i].fair;
        }
        if (sum > rows[r].total)
            T_FAIL_("%s: %lld handed out", rows[r].what, (long long)sum);
    }
}

TEST(none_at_all)
{
    share_divide(1000, 1, 1, NULL, 0, NULL);
}

TEST(large_numbers_are_divided_to_the_last_byte)
{
    struct share_claim c[3];
    uint64_t scratch[3];
    for (size_t i = 0; i < 3; i++)
        c[i] = (struct share_claim){.want = SHARE_AMOUNT_MAX, .weight = (double)i + 1};
    share_divide(SHARE_AMOUNT_MAX, 1, 1, c, 3, scratch);
    T_EQ_INT(c[0].fair + c[1].fair + c[2].fair, SHARE_AMOUNT_MAX);
    T_OK(llabs(c[1].fair - 2 * c[0].fair) < 4096 && llabs(c[2].fair - 3 * c[0].fair) < 4096);
    for (size_t i = 0; i < 3; i++)
        c[i].quota = SHARE_AMOUNT_MAX - (int64_t)i;
    share_divide(SHARE_AMOUNT_MAX, 1, 1, c, 3, scratch);
    T_EQ_INT(c[0].fair + c[1].fair + c[2].fair, SHARE_AMOUNT_MAX);
}

/* --- random ones ---------------------------------------------------------------------------------------------------------------------------- */

#define MOST 12

struct problem {
    struct share_claim c[MOST];
    size_t n;
    int64_t total, step;
    double k;
};

static int64_t pick_amount(struct rng *r, int64_t step)
{
    int64_t whole = (int64_t)rng_below(r, 30) * step;
    return rng_below(r, 4) ? whole : whole + (int64_t)rng_below(r, (uint64_t)step);
}

static void pick(struct rng *r, struct problem *p)
{
    p->n = 1 + rng_below(r, MOST);
    p->step = rng_below(r, 3) ? 1000 : 1;
    p->total = pick_amount(r, p->step) * (int64_t)(1 + rng_below(r, 4));
    p->k = rng_below(r, 2) ? 0 : (double)rng_below(r, 40) / 10;
    int32_t priority = 100;
    double left_of_past = 1;
    for (size_t i = 0; i < p->n; i++) {
        priority -= rng_below(r, 4) == 0;
        double usage = rng_below(r, 3) ? left_of_past * (double)rng_below(r, 100) / 100 : 0;
        left_of_past -= usage;
        p->c[i] = (struct share_claim){.want = pick_amount(r, p->step),
                                       .quota = rng_below(r, 12) == 0 ? SHARE_ALL : rng_below(r, 2) ? 0 : pick_amount(r, p->step) / 3,
                                       .weight = rng_below(r, 6) == 0 ? 0 : (double)(1 + rng_below(r, 8)),
                                       .usage = usage,
                                       .priority = priority};
    }
}

static int64_t guarantee(const struct problem *p, size_t i)
{
    return MIN(p->c[i].quota == SHARE_ALL ? p->total : p->c[i].quota, p->c[i].want);
}

/* The real-valued water filling as share.h tells it, for claims [from, to) up to cap[]; adds to got[]. */
static void naive_rounds(const struct problem *p, size_t from, size_t to, const long double *weight, const long double *cap, double k, long double *pool,
                         long double *got)
{
    for (bool again = true; again && *pool > 1e-9;) {
        long double weights = 0, parts = 0, given = 0, part[MOST] = {0};
        for (size_t i = from; i < to; i++)
            weights += got[i] < cap[i] ? weight[i] : 0;
        for (size_t i = from; i < to && weights > 0; i++)
            if (got[i] < cap[i] && weight[i] > 0)
                parts += part[i] = fmaxl(0, weight[i] / weights * (1 + k) - k * p->c[i].usage);
        again = false;
        for (size_t i = from; i < to && parts > 0; i++) {
            long double offer = *pool * part[i] / parts, need = cap[i] - got[i];
            if (part[i] > 0 && need <= offer)
                again = true;
            long double give = fminl(offer, need);
            got[i] = give == need ? cap[i] : got[i] + give;
            given += give;
        }
        *pool -= given;
    }
}

/* Every claim gets its whole steps of the real-valued answer, the steps that are left go by remainder; returns the answer for claim `of`. */
static void check_against_naive(const struct problem *p)
{
    long double got[MOST] = {0}, cap[MOST], weight[MOST], pool = p->total;
    int64_t sum = 0;
    for (size_t i = 0; i < p->n; i++)
        sum += guarantee(p, i);
    bool cut = sum > p->total;
    for (size_t i = 0; i < p->n; i++) {
        cap[i] = cut ? guarantee(p, i) : p->c[i].want;
        weight[i] = !cut ? p->c[i].weight : p->c[i].quota == SHARE_ALL ? p->total : p->c[i].quota;
        got[i] = cut ? 0 : guarantee(p, i);
        pool -= got[i];
    }
    for (size_t from = 0, to; from < p->n; from = to) {
        for (to = from + 1; to < p->n && p->c[to].priority == p->c[from].priority;)
            to++;
        for (size_t i = from; cut && i < to; i++)
            weight[i] = p->c[i].quota == SHARE_ALL ? pool : weight[i];
        naive_rounds(p, from, to, weight, cap, cut ? 0 : p->k, &pool, got);
    }
    for (size_t i = 0; i < p->n; i++)
        if (fabsl((long double)p->c[i].fair - got[i]) >= p->step + 1e-3L)
            T_FAIL_("claim %zu of %zu gets %lld, a naive division %Lf (step %lld)", i, p->n, (long long)p->c[i].fair, got[i], (long long)p->step);
}

static void check_bounds(const struct problem *p)
{
    int64_t sum = 0, want = 0, guaranteed = 0;
    bool all_weigh = true;
    for (size_t i = 0; i < p->n; i++) {
        sum += p->c[i].fair;
        want += p->c[i].want;
        guaranteed += guarantee(p, i);
        all_weigh &= p->c[i].weight > 0;
        T_OK(p->c[i].fair >= 0 && p->c[i].fair <= p->c[i].want);
    }
    T_OK(sum <= p->total);
    for (size_t i = 0; i < p->n; i++)
        T_OK(guaranteed > p->total || p->c[i].fair >= guarantee(p, i));
    if (all_weigh || guaranteed >= p->total)
        T_EQ_INT(sum, MIN(p->total, want));
}

/* Who is in need while a lower priority has got surplus? */
static void check_priorities(const struct problem *p)
{
    for (size_t i = 0; i < p->n; i++)
        for (size_t j = i + 1; j < p->n; j++)
            if (p->c[i].priority > p->c[j].priority && p->c[j].fair > guarantee(p, j))
                T_OK(p->c[i].fair == p->c[i].want || p->c[i].weight == 0);
}

TEST(random_divisions_keep_their_promises)
{
    for (uint64_t seed = 1; seed <= 20000 && !test_failures_; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct problem p = {0};
        uint64_t scratch[MOST];
        pick(&r, &p);
        share_divide(p.total, p.step, p.k, p.c, p.n, scratch);
        check_bounds(&p);
        check_priorities(&p);
        check_against_naive(&p);
        if (test_failures_)
            printf("# seed %llu\n", (unsigned long long)seed);
    }
}

TEST(more_weight_never_gets_less)
{
    for (uint64_t seed = 1; seed <= 5000 && !test_failures_; seed++) {
        struct rng r;
        rng_seed(&r, seed);
        struct problem p = {0};
        uint64_t scratch[MOST];
        pick(&r, &p);
        p.k = 0;
        share_divide(p.total, p.step, p.k, p.c, p.n, scratch);
        size_t i = rng_below(&r, p.n);
        int64_t before = p.c[i].fair;
        p.c[i].weight = p.c[i].weight * 2 + 1;
        share_divide(p.total, p.step, p.k, p.c, p.n, scratch);
        T_OK(p.c[i].fair >= before);
    }
}

TEST_MAIN(table, none_at_all, large_numbers_are_divided_to_the_last_byte, random_divisions_keep_their_promises, more_weight_never_gets_less)
