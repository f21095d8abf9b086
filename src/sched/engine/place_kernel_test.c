/* place_kernel_test.c - bounds never lie below exact scores, whatever the processor; exact passes agree with the plugins' own arithmetic. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/place_kernel.h"

#include "base/clock.h"
#include "base/test.h"
#include "sched/engine/engine.h"
#include "sched/plugins/plugins.h"

#define NODES 200u

/* Round numbers make scores that are whole numbers exactly, odd ones make those that miss by little: both matter. */
static int64_t some_amount(struct rng *r, int64_t round, int64_t most)
{
    int64_t x = (int64_t)rng_below(r, (uint64_t)most);
    return rng_below(r, 2) ? x : x / round * round;
}

static struct sched *random_nodes(struct rng *r)
{
    struct sched *s = sched_new(profile_builtin(S("default")), 7);
    struct err err = ERR_NONE;
    static const int64_t cpus[] = {4000, 64000, 96000, 3920, 7777}, gibs[] = {16, 32, 256, 1000};
    for (uint32_t i = 0; i < NODES; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%u", i);
        int64_t cpu = cpus[rng_below(r, ARRAY_LEN(cpus))], memory = (gibs[rng_below(r, ARRAY_LEN(gibs))] << 30) - (rng_below(r, 2) ? 123456789 : 0);
        if (rng_below(r, 40) == 0)
            cpu = 0;
        if (rng_below(r, 40) == 0)
            memory = (int64_t)1 << 48; /* beyond what the vector pass can do exactly */
        struct res_amount a[] = {{RES_CPU, cpu}, {RES_MEMORY, memory}, {RES_PODS, 110}, {RES_STORAGE, 1000}};
        struct node_spec n = {.name = str_of(name), .allocatable = {a, ARRAY_LEN(a)}};
        node_id id;
        T_NO_ERR(sched_node_put(s, &n, &id, &err), &err);
        struct view *v = &s->view;
        v->used[RES_CPU][id] = some_amount(r, 100, cpu + cpu / 8 + 1);
        v->used[RES_MEMORY][id] = some_amount(r, 64 << 20, memory + memory / 8);
        v->used[RES_PODS][id] = (int64_t)rng_below(r, 113);
        v->used[RES_STORAGE][id] = (int64_t)rng_below(r, 1200);
        v->nonzero_cpu[id] = v->used[RES_CPU][id] + (rng_below(r, 3) ? 0 : 100);
        v->nonzero_memory[id] = v->used[RES_MEMORY][id] + (rng_below(r, 3) ? 0 : 200 << 20);
        v->f_used[0][id] = (double)v->used[RES_CPU][id];
        v->f_used[1][id] = (double)v->used[RES_MEMORY][id];
        v->f_nonzero[0][id] = (double)v->nonzero_cpu[id];
        v->f_nonzero[1][id] = (double)v->nonzero_memory[id];
        hot_node(v, id);
    }
    s->tie_stale = true;
    model_tie_ranks(s);
    return s;
}

static struct kernel_class random_class(struct rng *r)
{
    struct kernel_class k = {.checks_pods = true, .most = rng_below(r, 3) == 0, .gain = rng_below(r, 2), .share = {1, 1}};
    k.req[0] = rng_below(r, 5) ? (double)some_amount(r, 100, 4000) : 0;
    k.req[1] = rng_below(r, 5) ? (double)some_amount(r, 64 << 20, (int64_t)8 << 30) : 0;
    k.nonzero[0] = k.req[0] > 0 ? k.req[0] : 100;
    k.nonzero[1] = k.req[1] > 0 ? k.req[1] : 200 << 20;
    k.checks[0] = k.req[0] > 0;
    k.checks[1] = k.req[1] > 0;
    if (rng_below(r, 3) == 0) {
        k.share[0] = (int32_t)rng_below(r, 10);
        k.share[1] = 1 + (int32_t)rng_below(r, 10);
    }
    bool usual = rng_below(r, 2); /* which has a loop of its own */
    k.fit_weight = usual ? 1 : (int32_t)rng_below(r, 4);
    k.balanced_weight = usual ? 1 : (int32_t)rng_below(r, 4);
    return k;
}

static bool fits(const struct view *v, const struct kernel_class *k, node_id n)
{
    return (!k->checks[0] || view_free(v, n, RES_CPU) >= (int64_t)k->req[0]) && (!k->checks[1] || view_free(v, n, RES_MEMORY) >= (int64_t)k->req[1]) &&
           view_free(v, n, RES_PODS) >= 1;
}

static int32_t part_of(const struct kernel_job *j, node_id n, int32_t max)
{
    int32_t x = 100 * j->parts[0].raw[n] / max;
    return j->parts[0].weight * x;
}

/* Walks through all groups with a variant and compares; counts bounds that are the exact score. */
static void walk(const struct view *v, struct kernel_job *j, kernel_seek_fn *seek, int32_t max, uint32_t *fitting, uint32_t *equal)
{
    uint32_t groups = 0;
    j->highest[0] = -1;
    for (uint32_t g = 0;; g++) {
        int32_t bound[HOT_LANES], highest = -1;
        uint32_t at = seek(j, g, 0, UINT32_MAX, bound);
        for (node_id n = g * HOT_LANES; n < MIN(at, j->groups) * HOT_LANES; n++)
            T_OK(!bit_get(j->fits, n) || !fits(v, j->of, n)); /* nothing that fits was passed over */
        if (at >= j->groups)
            break;
        g = at;
        groups++;
        for (uint32_t i = 0; i < HOT_LANES; i++) {
            node_id n = g * HOT_LANES + i;
            if (!bit_get(j->fits, n)) {
                T_EQ_INT(bound[i], -1);
                continue;
            }
            if (!fits(v, j->of, n))
                continue;
            int32_t exact = j->base + kernel_exact_one(v, j->of, n) + (j->nparts ? part_of(j, n, max) : 0);
            highest = MAX(highest, j->nparts ? j->parts[0].raw[n] : -1);
            T_OK(bound[i] >= exact);
            ++*fitting;
            *equal += bound[i] == exact;
        }
        if (j->nparts)
            T_OK(j->highest[0] >= highest);
    }
    T_OK(groups <= j->groups);
}

TEST(bounds_are_bounds)
{
    struct rng r;
    rng_seed(&r, 11);
    uint32_t fitting = 0, equal = 0;
    for (int world = 0; world < 12; world++) {
        struct sched *s = random_nodes(&r);
        int32_t *raw = xarray(s->view.words * 64, int32_t), max = 1 + (int32_t)rng_below(&r, KERNEL_RAW_MAX);
        for (uint32_t i = 0; i < NODES; i++)
            raw[i] = (int32_t)rng_below(&r, (uint64_t)max + 1);
        for (int i = 0; i < 40; i++) {
            struct kernel_class k = random_class(&r);
            uint64_t *bits = xarray(s->view.words, uint64_t);
            for (uint32_t w = 0; w < s->view.words; w++)
                bits[w] = s->alive[w] & (rng_below(&r, 2) ? ~0ull : rng_u64(&r));
            for (node_id n = 0; n < NODES; n++)
                if (s->alloc[RES_CPU][n] == 0)
                    bit_clear(bits, n); /* has no bound */
            struct kernel_job j = {.of = &k, .hot = s->view.hot, .tie = s->tie, .fits = bits, .groups = s->view.words * 4, .base = (int32_t)rng_below(&r, 300)};
            if (rng_below(&r, 2)) {
                j.nparts = 1;
                bool reverse = rng_below(&r, 2);
                j.parts[0] = (struct kernel_part){raw, (float)(100.0 / max) * (1 + 0x1p-21f), reverse ? -2 : 2};
                j.base += reverse ? 200 : 0;
            }
            const char *name;
            for (size_t variant = 0; kernel_variant(variant, &name) || name; variant++)
                if (kernel_variant(variant, &name))
                    walk(&s->view, &j, kernel_variant(variant, &name), max, &fitting, &equal);
            free(bits);
        }
        free(raw);
        sched_free(s);
    }
    T_OK(fitting > 15000);
    T_OK(equal > fitting / 1000 * 995); /* useless if it were loose */
}

TEST(exact_passes_agree)
{
    struct rng r;
    rng_seed(&r, 12);
    for (int world = 0; world < 10; world++) {
        struct sched *s = random_nodes(&r);
        int32_t *score = xarray(s->view.words * 64, int32_t);
        uint64_t *bits = xarray(s->view.words, uint64_t);
        const struct fit_args *fit = s->profile->plugins[profile_index(s->profile, "NodeResourcesFit")].args;
        struct fit_args own = *fit;
        struct balanced_args balanced = {.formula = BALANCED_WITH, .nresources = 2, .resources = {{S("cpu"), RES_CPU, 1}, {S("memory"), RES_MEMORY, 1}}};
        for (int i = 0; i < 30; i++) {
            struct kernel_class k = random_class(&r);
            struct pod_class c = {.nonzero_cpu = (int64_t)k.nonzero[0], .nonzero_memory = (int64_t)k.nonzero[1]};
            c.amount[RES_CPU] = (int64_t)k.req[0];
            c.amount[RES_MEMORY] = (int64_t)k.req[1];
            own.strategy = k.most ? FIT_MOST : FIT_LEAST;
            own.nresources = 0;
            for (int q = 0; q < 2; q++)
                if (k.share[q]) {
                    own.resources[own.nresources] = fit->resources[q];
                    own.resources[own.nresources++].weight = k.share[q];
                }
            balanced.formula = k.gain ? BALANCED_GAIN : BALANCED_WITH;
            kernel_exact(&s->view, &k, s->alive, score);
            bits_foreach(n, s->alive, s->view.words)
            {
                int64_t a = plugin_node_resources_fit.score_one(&s->view, &c, &own, n), b = plugin_balanced_allocation.score_one(&s->view, &c, &balanced, n);
                T_EQ_INT(score[n], k.fit_weight * a + k.balanced_weight * b);
                T_EQ_INT(kernel_exact_one(&s->view, &k, n), score[n]);
            }
            int64_t amount = (int64_t)rng_below(&r, 500);
            memcpy(bits, s->alive, s->view.words * sizeof *bits);
            kernel_fits(&s->view, RES_STORAGE, amount, bits);
            for (node_id n = 0; n < NODES; n++)
                T_EQ_INT(bit_get(bits, n), view_free(&s->view, n, RES_STORAGE) >= amount);
        }
        free(score);
        free(bits);
        sched_free(s);
    }
}

/* Float64 semantics: these shares differ in the last digit from what decimal arithmetic says. */
TEST(balanced_is_float64)
{
    T_EQ_INT(score_balanced(share_of(1, 10), share_of(1, 10)), 100);
    T_EQ_INT(score_balanced(share_of(3, 10), share_of(1, 10)), (int)((1 - 0.19999999999999998 / 2) * 100));
    T_EQ_INT(score_balanced(share_of(20, 10), share_of(0, 10)), 50);
    T_EQ_INT(score_gain(100, 100), 75);
    T_EQ_INT(score_gain(50, 100), 50);
    T_EQ_INT(score_gain(100, 50), 100);
    T_EQ_INT(score_gain(91, 92), 74);
    T_EQ_INT(score_least(1100, 4000), 72);
    T_EQ_INT(score_least(4001, 4000), 0);
    T_EQ_INT(score_most(4001, 4000), 100);
    T_EQ_INT(score_least(1, 0), 0);
}

TEST(best_is_highest_then_lowest_rank)
{
    struct rng r;
    rng_seed(&r, 13);
    for (int i = 0; i < 2000; i++) {
        uint64_t bits[3] = {rng_u64(&r) & rng_u64(&r), rng_below(&r, 2) ? 0 : rng_u64(&r), rng_below(&r, 3) ? 0 : ~0ull};
        int32_t score[192];
        uint32_t tie[192];
        node_id want = NODE_NONE;
        for (uint32_t n = 0; n < 192; n++) {
            score[n] = (int32_t)rng_below(&r, 5);
            tie[n] = (n * 37 + (uint32_t)i) % 193;
        }
        for (uint32_t n = 0; n < 192; n++)
            if (bit_get(bits, n) && (want == NODE_NONE || score[n] > score[want] || (score[n] == score[want] && tie[n] < tie[want])))
                want = n;
        T_EQ_INT(kernel_best(bits, 3, score, tie), want);
        for (size_t variant = 0; variant < 3; variant++)
            if (kernel_best_variant(variant))
                T_EQ_INT(kernel_best_by(kernel_best_variant(variant), bits, 3, score, tie), want);
    }
}

TEST(sums_are_sums)
{
    struct rng r;
    rng_seed(&r, 14);
    for (int i = 0; i < 200; i++) {
        uint64_t bits[3] = {rng_u64(&r), 0, ~0ull};
        int64_t raw[192];
        int32_t score[192], was[192], weight = (int32_t)rng_below(&r, 100);
        for (uint32_t n = 0; n < 192; n++) {
            raw[n] = (int64_t)rng_below(&r, 101);
            score[n] = was[n] = (int32_t)rng_below(&r, 1000);
        }
        if (i % 2)
            kernel_add(bits, 3, raw, weight, score, score);
        else
            kernel_add(bits, 3, raw, weight, was, score);
        for (uint32_t n = 0; n < 192; n++)
            if (bit_get(bits, n))
                T_EQ_INT(score[n], was[n] + weight * raw[n]);
            else if (!bits[n / 64])
                T_EQ_INT(score[n], was[n]);
    }
}

TEST_MAIN(bounds_are_bounds, exact_passes_agree, balanced_is_float64, best_is_highest_then_lowest_rank, sums_are_sums)
