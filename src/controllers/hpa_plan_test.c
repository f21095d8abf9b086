/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/hpa_plan.h"

#include "base/test.h"

#define S_NS NSEC_PER_SEC
#define NOW (100000 * S_NS)
static const struct hpa_tolerance usual = {HPA_TOLERANCE, HPA_TOLERANCE};

/* A pod a word:  "r500/1000"  ready, uses 500 of 1000;  u: not ready, young;  p: pending;  m: no sample;  d: going;  n: never ready, old;  w: ready for 5 s only;  "r500/-": no request */
struct fix {
    struct arena a;
    struct hpa_pod pods[32];
    struct hpa_sample samples[32];
    struct hpa_pods_input in;
};

static void add(struct fix *f, str word)
{
    struct hpa_pod *p = &f->pods[f->in.npods++];
    str rest = str_from(word, 1), use;
    int64_t usage = 0, request = -1;
    str_cut(&rest, '/', &use);
    str_to_i64(use, &usage);
    str_to_i64(rest, &request);
    char state = word.p[0];
    *p = (struct hpa_pod){.name = arena_fmt(&f->a, "p%zu", f->in.npods), .request_milli = request, .without = S("c"), .has_ready = true, .ready = state == 'r' || state == 'm',
                          .started = NOW - 1000 * S_NS, .ready_changed = NOW - 990 * S_NS};
    p->ignored = state == 'd';
    p->pending = state == 'p';
    if (state == 'u' || state == 'w')
        p->started = NOW - 20 * S_NS;
    if (state == 'u')
        p->ready_changed = NOW - 20 * S_NS;
    if (state == 'w') {
        p->ready = true;
        p->ready_changed = NOW - 5 * S_NS;
    }
    if (state != 'm' && state != 'p')
        f->samples[f->in.nsamples++] = (struct hpa_sample){p->name, usage, NOW, 15 * S_NS};
}

static struct hpa_proposal run(const char *text, int64_t current, bool cpu, int64_t utilization, int64_t average)
{
    struct fix f = {.a = ARENA_INIT};
    str rest = str_of(text), word;
    for (bool more = rest.len > 0; more;) {
        more = str_cut(&rest, ' ', &word);
        add(&f, word);
    }
    f.in.current = current ? current : (int64_t)f.in.npods;
    f.in.pods = f.pods;
    f.in.samples = f.samples;
    f.in.is_cpu = cpu;
    f.in.resource = cpu ? S("cpu") : S("memory");
    f.in.target_utilization = utilization;
    f.in.target_milli = average;
    f.in.tolerance = usual;
    f.in.now = NOW;
    struct hpa_proposal p = hpa_pods_replicas(&f.a, &f.in);
    static char kept[256];
    snprintf(kept, sizeof kept, STR_FMT, STR_ARG(p.message));
    p.message = str_of(kept);
    arena_fini(&f.a);
    return p;
}

TEST(utilization)
{
    static const struct {
        const char *pods;
        int64_t current, target, replicas;
    } rows[] = {
        {"r300/1000 r500/1000 r700/1000", 3, 30, 5},                    /* 50 % of 30 %: 3 * 5/3 */
        {"r300/1000 r500/1000 r700/1000", 3, 50, 3},                    /* on target */
        {"r550/1000 r550/1000", 2, 50, 2},                              /* 10 % over: tolerated */
        {"r560/1000 r560/1000", 2, 50, 3},                              /* 12 % over */
        {"r100/1000 r100/1000 r100/1000 r100/1000 r100/1000", 5, 50, 1},
        {"r450/1000 r450/1000", 2, 50, 2},
        {"r1000/1000", 1, 10, 10},
        {"r0/1000 r0/1000", 2, 50, 0},
        {"r400/1000 m0/1000 r400/1000", 3, 50, 3},                      /* one is not known: down it counts as busy: 60 % */
        {"r100/1000 m0/1000 r100/1000 r100/1000 r100/1000", 5, 50, 3},  /* (400 + 1000)/5 = 28 %: 2.8 */
        {"r900/1000 m0/1000 r900/1000", 3, 50, 4},                      /* up it counts as idle: 60 %: 3.6 */
        {"r600/1000 m0/1000 r600/1000", 3, 50, 3},                      /* up would turn into down */
        {"r900/1000 u900/1000 r900/1000", 3, 50, 4},                    /* not ready: idle when going up */
        {"r100/1000 u900/1000 r100/1000", 3, 50, 1},                    /* going down it is left out: 10 %: 0.4 */
        {"r900/1000 w900/1000 r900/1000", 3, 50, 4},                    /* ready, but for less than a window */
        {"r900/1000 n900/1000 r900/1000", 3, 50, 4},
        {"r900/1000 p0/1000 r900/1000", 3, 50, 4},
        {"r900/1000 d0/1000 r900/1000", 3, 50, 4},                      /* going: not counted: 1.8 * 2 */
        {"r900/1000 d0/1000", 2, 50, 2},
        {"r990/1000 u0/1000 u0/1000 u0/1000", 4, 80, 4},                /* many are still coming up: wait for them */
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct hpa_proposal p = run(rows[i].pods, rows[i].current, true, rows[i].target, 0);
        T_OK(p.ok);
        T_EQ_INT(p.replicas, rows[i].replicas);
        if (p.replicas != rows[i].replicas)
            printf("# row %zu: %s\n", i, rows[i].pods);
    }
    struct hpa_proposal p = run("r300/1000 r500/1000 r700/1000", 3, true, 30, 0);
    T_EQ_INT(p.utilization, 50);
    T_EQ_INT(p.average_milli, 500);
}

TEST(averages)
{
    static const struct {
        const char *pods;
        int64_t current, target, replicas;
    } rows[] = {
        {"r300/- r500/- r700/-", 3, 300, 5}, {"r500/- r500/-", 2, 500, 2},       {"r540/- r540/-", 2, 500, 2},       {"r10/- r10/- r10/-", 3, 30, 1},
        {"r900/- m0/- r900/-", 3, 500, 4},   {"r100/- m0/- r100/-", 3, 500, 2},  {"r900/- u900/- r900/-", 3, 900, 3}, {"r2000/-", 1, 1, 2000},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        struct hpa_proposal p = run(rows[i].pods, rows[i].current, false, 0, rows[i].target);
        T_OK(p.ok);
        T_EQ_INT(p.replicas, rows[i].replicas);
        if (p.replicas != rows[i].replicas)
            printf("# row %zu: %s\n", i, rows[i].pods);
    }
    /* a start does not matter for other metrics than cpu */
    T_EQ_INT(run("r900/- u900/- r900/-", 3, false, 0, 450).replicas, 6);
}

TEST(what_cannot_be_known)
{
    T_OK(!run("", 0, true, 50, 0).ok);
    struct hpa_proposal p = run("r500/-", 1, true, 50, 0);
    T_OK(!p.ok);
    T_EQ_STR(p.message, "missing request for cpu in container c of Pod p1");
    T_OK(!run("m0/1000 m0/1000", 2, true, 50, 0).ok);
    p = run("u500/1000 u500/1000", 2, true, 50, 0);
    T_OK(!p.ok);
    T_EQ_STR(p.message, "did not receive metrics for targeted pods (pods might be unready)");
    T_OK(!run("r5/0", 1, true, 50, 0).ok);
}

TEST(single_values)
{
    T_EQ_INT(hpa_value_replicas(3, 20000, 10000, 3, usual).replicas, 6);
    T_EQ_INT(hpa_value_replicas(3, 20000, 10000, 2, usual).replicas, 4); /* only two of them are ready */
    T_EQ_INT(hpa_value_replicas(3, 10900, 10000, 3, usual).replicas, 3);
    T_EQ_INT(hpa_value_replicas(3, 1000, 10000, 3, usual).replicas, 1);
    T_EQ_INT(hpa_value_replicas(0, 25000, 10000, 0, usual).replicas, 3);
    T_EQ_INT(hpa_value_replicas(3, 5, 0, 3, usual).replicas, 15);
    T_EQ_INT(hpa_average_replicas(3, 90000, 10000, usual).replicas, 9);
    T_EQ_INT(hpa_average_replicas(3, 31000, 10000, usual).replicas, 3);
    T_EQ_INT(hpa_average_replicas(3, 5000, 10000, usual).replicas, 1);
    T_EQ_INT(hpa_average_replicas(0, 25000, 10000, usual).replicas, 3);
    T_EQ_INT(hpa_average_replicas(4, 90000, 10000, usual).average_milli, 22500);
    struct hpa_tolerance strict = {0, 0.5};
    T_EQ_INT(hpa_average_replicas(3, 31000, 10000, strict).replicas, 4);
    T_EQ_INT(hpa_average_replicas(4, 21000, 10000, strict).replicas, 4);
}

TEST(the_highest_counts)
{
    struct hpa_proposal p[] = {{.ok = true, .replicas = 3}, {.ok = true, .replicas = 7}, {.ok = false, .message = S("x")}};
    const struct hpa_proposal *bad;
    int64_t n = -1;
    ptrdiff_t best;
    T_OK(hpa_combine(p, 2, 5, &n, &bad, &best));
    T_EQ_INT(n, 7);
    T_EQ_INT(best, 1);
    T_OK(!bad);
    T_OK(hpa_combine(p, 3, 5, &n, &bad, &best)); /* one is not known: up is fine */
    T_OK(bad == &p[2]);
    T_OK(!hpa_combine(p, 3, 8, &n, &bad, &best)); /* down is not */
    T_OK(!hpa_combine(&p[2], 1, 1, &n, &bad, &best));
    T_OK(!hpa_combine(p, 0, 1, &n, &bad, &best));
}

/* --- behaviour ------------------------------------------------------------------------------------------------------------------- */

static struct hpa_outcome step(struct hpa_history *h, const struct hpa_rules *up, const struct hpa_rules *down, int64_t *current, int64_t desired, nsec_t now)
{
    struct hpa_bounds b = {.min = 1, .max = 100, .current = *current};
    struct hpa_outcome o = hpa_normalize(h, up, down, &b, desired, now);
    hpa_scaled(h, *current, o.replicas, now);
    *current = o.replicas;
    return o;
}

TEST(up_is_fast_but_bounded)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    int64_t n = 1;
    static const int64_t steps[] = {5, 10, 20, 40, 80, 100, 100};
    for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
        struct hpa_outcome o = step(&h, &up, &down, &n, 500, NOW + (nsec_t)i * 15 * S_NS);
        T_EQ_INT(n, steps[i]);
        T_OK(o.limited);
        T_EQ_STR(str_of(o.limit_reason), i < 5 ? "ScaleUpLimit" : "TooManyReplicas");
    }
    hpa_history_fini(&h);
}

TEST(twice_within_a_period_is_once)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    int64_t n = 10;
    step(&h, &up, &down, &n, 15, NOW);
    T_EQ_INT(n, 15);
    step(&h, &up, &down, &n, 100, NOW + 5 * S_NS); /* of ten at the period's start */
    T_EQ_INT(n, 20);
    step(&h, &up, &down, &n, 100, NOW + 10 * S_NS);
    T_EQ_INT(n, 20);
    step(&h, &up, &down, &n, 100, NOW + 16 * S_NS); /* the first step is forgotten, the second not: 15 at the start */
    T_EQ_INT(n, 30);
    hpa_history_fini(&h);
}

TEST(down_waits_for_the_window)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    int64_t n = 8;
    struct hpa_outcome o = step(&h, &up, &down, &n, 2, NOW);
    T_EQ_INT(n, 8);
    T_OK(o.stabilized);
    T_EQ_STR(str_of(o.able_reason), "ScaleDownStabilized");
    step(&h, &up, &down, &n, 3, NOW + 100 * S_NS);
    T_EQ_INT(n, 8);
    step(&h, &up, &down, &n, 2, NOW + 301 * S_NS); /* what was there at the start is out of the window: the highest is 3 */
    T_EQ_INT(n, 3);
    o = step(&h, &up, &down, &n, 2, NOW + 405 * S_NS);
    T_EQ_INT(n, 2);
    T_OK(!o.stabilized);
    T_EQ_STR(str_of(o.able_reason), "ReadyForNewScale");
    hpa_history_fini(&h);
}

TEST(policies)
{
    struct hpa_history h = {0};
    struct hpa_rules up = {.npolicies = 2, .policies = {{.value = 2, .period = 60 * S_NS}, {.percent = true, .value = 50, .period = 60 * S_NS}}}, down = up;
    int64_t n = 10;
    T_EQ_INT(step(&h, &up, &down, &n, 50, NOW).replicas, 15); /* Max: half of ten */
    T_EQ_INT(step(&h, &up, &down, &n, 50, NOW + 30 * S_NS).replicas, 15);
    T_EQ_INT(step(&h, &up, &down, &n, 50, NOW + 61 * S_NS).replicas, 23); /* 22.5 */
    up.select = HPA_MIN;
    n = 10;
    hpa_history_fini(&h);
    T_EQ_INT(step(&h, &up, &down, &n, 50, NOW).replicas, 12);
    up.select = HPA_DISABLED;
    hpa_history_fini(&h);
    T_EQ_INT(step(&h, &up, &down, &n, 50, NOW).replicas, 12);
    hpa_history_fini(&h);
    T_EQ_INT(step(&h, &up, &down, &n, 1, NOW).replicas, 6); /* down by half */
    T_EQ_INT(step(&h, &up, &down, &n, 1, NOW + S_NS).replicas, 6);
    T_EQ_INT(step(&h, &up, &down, &n, 1, NOW + 61 * S_NS).replicas, 3);
    down.select = HPA_MIN;
    hpa_history_fini(&h);
    n = 10;
    T_EQ_INT(step(&h, &up, &down, &n, 1, NOW).replicas, 8);
    T_EQ_STR(str_of(step(&h, &up, &down, &n, 1, NOW).limit_reason), "ScaleDownLimit");
    down.select = HPA_DISABLED;
    hpa_history_fini(&h);
    T_EQ_INT(step(&h, &up, &down, &n, 1, NOW).replicas, 8);
    hpa_history_fini(&h);
}

TEST(up_window)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    int64_t n = 4;
    up.window = 60 * S_NS;
    step(&h, &up, &down, &n, 8, NOW);
    T_EQ_INT(n, 4); /* it has been 4 a moment ago */
    step(&h, &up, &down, &n, 6, NOW + 30 * S_NS);
    T_EQ_INT(n, 4);
    struct hpa_outcome o = step(&h, &up, &down, &n, 8, NOW + 61 * S_NS);
    T_EQ_INT(n, 6); /* the lowest of a minute */
    T_EQ_STR(str_of(o.able_reason), "ScaleUpStabilized");
    hpa_history_fini(&h);
}

TEST(bounds)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    down.window = 0;
    struct hpa_bounds b = {.min = 3, .max = 6, .current = 4};
    struct hpa_outcome o = hpa_normalize(&h, &up, &down, &b, 9, NOW);
    T_EQ_INT(o.replicas, 6);
    T_EQ_STR(str_of(o.limit_reason), "TooManyReplicas");
    o = hpa_normalize(&h, &up, &down, &b, 0, NOW);
    T_EQ_INT(o.replicas, 3);
    T_EQ_STR(str_of(o.limit_reason), "TooFewReplicas");
    o = hpa_normalize(&h, &up, &down, &b, 5, NOW);
    T_EQ_INT(o.replicas, 5);
    T_OK(!o.limited);
    T_EQ_STR(str_of(o.limit_reason), "DesiredWithinRange");
    hpa_history_fini(&h);
}

TEST(history_is_bounded)
{
    struct hpa_history h = {0};
    struct hpa_rules up = hpa_rules_default(true), down = hpa_rules_default(false);
    up.window = 3600 * S_NS;
    struct hpa_bounds b = {.min = 1, .max = 6, .current = 4};
    for (int i = 0; i < 3000; i++) {
        hpa_normalize(&h, &up, &down, &b, 4, NOW + i * S_NS);
        hpa_scaled(&h, 1, 2, NOW);
    }
    T_EQ_INT(h.advice.len, HPA_HISTORY);
    T_EQ_INT(h.ups.len, HPA_HISTORY);
    hpa_history_fini(&h);
}

TEST_MAIN(utilization, averages, what_cannot_be_known, single_values, the_highest_counts, up_is_fast_but_bounded, twice_within_a_period_is_once, down_waits_for_the_window, policies,
          up_window, bounds, history_is_bounded)
