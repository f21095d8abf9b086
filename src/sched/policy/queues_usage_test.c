/* What queues held in the past, and how it is written down and read back. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/test_queues.h"

static double usage(const struct queues *q, queue_id id)
{
    return queues_get(q, id)->usage[GPU];
}
static bool near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}
#define T_NEAR(a, b)                                                                                                                                 \
    do {                                                                                                                                             \
        double t_x_ = (a), t_y_ = (b);                                                                                                               \
        if (!near(t_x_, t_y_))                                                                                                                       \
            T_FAIL_("%s is %.12f, expected %.12f", #a, t_x_, t_y_);                                                                                  \
    } while (0)
#define HOUR (3600 * SEC)
#define START (1000 * HOUR)

TEST(usage_is_a_decayed_part_of_the_capacity)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED), b = put(q, "b", "", 0, 1, POLICY_UNLIMITED);
    total(q, 10);
    queues_usage_advance(q, START, HOUR, 100 * HOUR);
    T_NEAR(usage(q, a), 0);
    holds(q, a, 5);
    queues_usage_advance(q, START + HOUR, HOUR, 100 * HOUR);
    T_NEAR(usage(q, a), 0.5); /* half of all there was, since there is a record */
    T_NEAR(usage(q, b), 0);
    holds(q, a, -5);
    holds(q, b, 10);
    queues_usage_advance(q, START + 2 * HOUR, HOUR, 100 * HOUR);
    /* weights of the two hours are as 1 to 2 */
    T_NEAR(usage(q, a), 0.5 / 3);
    T_NEAR(usage(q, b), 2.0 / 3);
    holds(q, b, -10);
    total(q, 0); /* nothing is there: nothing is counted, parts stay */
    queues_usage_advance(q, START + 9 * HOUR, HOUR, 100 * HOUR);
    T_NEAR(usage(q, a), 0.5 / 3);
    T_NEAR(usage(q, b), 2.0 / 3);
    queues_usage_advance(q, START + 9 * HOUR, HOUR, 0);
    T_NEAR(usage(q, b), 0); /* off */
    queues_free(q);
}

/* KAI's manual: 24 GPU hours out of 100 are 0.24; the design's formula then divides 10 GPUs among two queues of one weight as 0.76 to 1. */
TEST(the_documented_example)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED), b = put(q, "b", "", 0, 1, POLICY_UNLIMITED);
    total(q, 10);
    queues_usage_since(q, START);
    queues_usage_advance(q, START, 0, 10 * HOUR);
    holds(q, a, 8);
    queues_usage_advance(q, START + 3 * HOUR, 0, 10 * HOUR);
    holds(q, a, -8);
    queues_usage_since(q, START);
    queues_usage_advance(q, START + 10 * HOUR - 1, 0, 10 * HOUR);
    T_OK(fabs(usage(q, a) - 0.24) < 1e-6);
    holds(q, a, 10);
    holds(q, b, 10); /* both ask for all */
    queues_divide(q, 1);
    T_EQ_INT(queues_get(q, a)->fair.v[GPU], 4000); /* 10 * 0.76 / 1.76 is 4.3, the rest has the larger remainder */
    T_EQ_INT(queues_get(q, b)->fair.v[GPU], 6000);
    queues_divide(q, 0);
    T_EQ_INT(queues_get(q, a)->fair.v[GPU], 5000);
    holds(q, a, -10);
    queues_usage_since(q, START + 10 * HOUR); /* the next window */
    queues_usage_advance(q, START + 11 * HOUR, 0, 10 * HOUR);
    T_NEAR(usage(q, a), 0);
    T_NEAR(usage(q, b), 1);
    STRBUF_AUTO text = STRBUF_HEAP;
    queues_usage_save(q, &text);
    queues_usage_load(q, strbuf_str(&text));
    queues_usage_since(q, START + 20 * HOUR); /* what was written in a window that is over does not count */
    queues_usage_advance(q, START + 20 * HOUR, 0, 10 * HOUR);
    T_NEAR(usage(q, b), 0);
    queues_free(q);
}

/* A window that is short for the half-life forgets as fast as it: the mean age of what counts is the same. */
TEST(a_window_cuts_the_half_life)
{
    static const struct {
        nsec_t half, window;
        double memory_h; /* T */
    } cases[] = {{0, 10 * HOUR, 5}, {1000000 * HOUR, 10 * HOUR, 5}, {HOUR, 1000 * HOUR, 1 / M_LN2}, {HOUR, 2 * HOUR, 1 / M_LN2 - 2.0 / 3}};
    for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
        struct queues *q = queues_new();
        queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
        total(q, 10);
        queues_usage_advance(q, START, cases[i].half, cases[i].window);
        holds(q, a, 10);
        queues_usage_advance(q, START + HOUR, cases[i].half, cases[i].window);
        holds(q, a, -10);
        queues_usage_advance(q, START + 2 * HOUR, cases[i].half, cases[i].window);
        double f = exp(-1 / cases[i].memory_h);
        if (fabs(usage(q, a) - f / (1 + f)) > 1e-4)
            T_FAIL_("case %zu: %f, expected %f", i, usage(q, a), f / (1 + f));
        queues_free(q);
    }
}

TEST(usage_does_not_depend_on_how_often_it_is_asked)
{
    struct queues *often = queues_new(), *once = queues_new();
    queue_id a = put(often, "a", "p", 0, 1, POLICY_UNLIMITED);
    put(often, "p", "", 0, 1, POLICY_UNLIMITED);
    T_EQ_INT(put(once, "a", "p", 0, 1, POLICY_UNLIMITED), a);
    queue_id p = put(once, "p", "", 0, 1, POLICY_UNLIMITED);
    struct queues *both[] = {often, once};
    for (size_t i = 0; i < 2; i++) {
        total(both[i], 10);
        queues_usage_advance(both[i], START, 2 * HOUR, 100 * HOUR);
        holds(both[i], a, 3);
    }
    for (nsec_t t = START; t <= START + 5 * HOUR; t += 7 * SEC)
        queues_usage_advance(often, t, 2 * HOUR, 100 * HOUR);
    for (size_t i = 0; i < 2; i++) {
        queues_usage_advance(both[i], START + 5 * HOUR, 2 * HOUR, 100 * HOUR);
        holds(both[i], a, 4);
        queues_usage_advance(both[i], START + 6 * HOUR, 2 * HOUR, 100 * HOUR);
    }
    T_NEAR(usage(often, a), usage(once, a));
    T_NEAR(usage(once, a), usage(once, p));
    T_OK(usage(once, a) > 0.3 && usage(once, a) < 0.7);
    queues_free(often);
    queues_free(once);
}

TEST(time_before_the_first_advance_does_not_count)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    total(q, 10);
    holds(q, a, 5);
    queues_usage_advance(q, START, HOUR, HOUR);
    T_NEAR(usage(q, a), 0);
    queues_usage_advance(q, START + HOUR, HOUR, HOUR);
    T_NEAR(usage(q, a), 0.5);
    queues_free(q);
}

TEST(a_window_forgets)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    total(q, 10);
    queues_usage_advance(q, START, 0, 10 * HOUR);
    holds(q, a, 10);
    queues_usage_advance(q, START + 5 * HOUR, 0, 10 * HOUR);
    T_NEAR(usage(q, a), 1);
    holds(q, a, -10);
    double before = 1;
    for (int h = 6; h < 40; h++) {
        queues_usage_advance(q, START + h * HOUR, 0, 10 * HOUR);
        T_OK(usage(q, a) < before);
        before = usage(q, a);
    }
    T_OK(before < 0.01);
    queues_free(q);
}

TEST(usage_is_brought_up_to_date_once_a_second)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    total(q, 10);
    queues_usage_advance(q, START, HOUR, HOUR);
    holds(q, a, 5);
    queues_usage_advance(q, START + SEC / 2, HOUR, HOUR);
    T_NEAR(usage(q, a), 0);
    queues_usage_advance(q, START + SEC, HOUR, HOUR);
    T_NEAR(usage(q, a), 0.5);
    queues_usage_advance(q, START + 3 * SEC / 2, HOUR, HOUR);
    holds(q, a, -5); /* what it held until then is charged all the same */
    queues_usage_advance(q, START + 2 * SEC, HOUR, HOUR);
    T_OK(fabs(usage(q, a) - 0.5 * 1.5 / 2) < 1e-4);
    holds(q, a, 5);
    queues_usage_advance(q, START - HOUR, HOUR, HOUR); /* the clock was put back: nothing is lost or counted twice */
    T_OK(fabs(usage(q, a) - 0.5 * 1.5 / 2) < 1e-4);
    queues_free(q);
}

TEST(the_past_pushes_the_share_down)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED), b = put(q, "b", "", 0, 1, POLICY_UNLIMITED);
    total(q, 12);
    queues_usage_advance(q, START, HOUR, 100 * HOUR);
    holds(q, a, 6);
    queues_usage_advance(q, START + HOUR, HOUR, 100 * HOUR);
    waits(q, a, 12);
    waits(q, b, 12);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, "a"), D(4));
    T_EQ_INT(fair(q, "b"), D(8));
    queues_divide(q, 0);
    T_EQ_INT(fair(q, "a"), D(6));
    queues_divide(q, -1);
    T_EQ_INT(fair(q, "a"), D(6));
    queues_divide(q, 1);
    queues_usage_advance(q, START + HOUR, HOUR, 0);
    queues_divide(q, 1);
    T_EQ_INT(fair(q, "a"), D(6));
    queues_free(q);
}

static struct queues *with_history(void)
{
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "p", 0, 1, POLICY_UNLIMITED), b = put(q, "b", "p", 0, 1, POLICY_UNLIMITED);
    put(q, "p", "", 0, 1, POLICY_UNLIMITED);
    total(q, 12);
    queues_usage_advance(q, START, HOUR, 100 * HOUR);
    holds(q, a, 5);
    queues_usage_advance(q, START + HOUR / 3, HOUR, 100 * HOUR);
    holds(q, b, 3);
    queues_usage_advance(q, START + HOUR, HOUR, 100 * HOUR);
    return q;
}

TEST(history_survives_as_text)
{
    struct queues *q = with_history(), *again = queues_new();
    STRBUF_AUTO text = STRBUF_HEAP;
    STRBUF_AUTO second = STRBUF_HEAP;
    queues_usage_save(q, &text);
    put(again, "b", "p", 0, 1, POLICY_UNLIMITED);
    put(again, "a", "p", 0, 1, POLICY_UNLIMITED);
    put(again, "p", "", 0, 1, POLICY_UNLIMITED);
    queues_usage_load(again, strbuf_str(&text));
    queues_usage_advance(again, START + 3 * HOUR, HOUR, 100 * HOUR); /* two hours of which nothing is known */
    static const char *const names[] = {"a", "b", "p"};
    for (size_t i = 0; i < 3; i++)
        T_NEAR(usage(q, queues_find(q, str_of(names[i]))), usage(again, queues_find(again, str_of(names[i]))));
    queues_usage_save(again, &second);
    T_OK(str_has_prefix(strbuf_str(&second), S("usage 1 3610800000000000\ncapacity gpu ")));
    T_OK(str_find(strbuf_str(&second), S("queue p gpu ")) > 0);
    queues_free(q);
    queues_free(again);
}

TEST(bad_lines_are_left_out)
{
    static const char *const bad[] = {
        "", "usage", "usage 2 5\ncapacity gpu 5\nqueue a gpu 5\n", "usage 1 -5\nqueue a gpu 5\n", "usage 1 x\nqueue a gpu 5\n", "queue a gpu 5\n",
        "usage 1 5\ncapacity gpu\nqueue a\nqueue a gpu\nqueue a gpu x\nqueue  gpu 5\nqueue a gpu -5\nqueue a gpu nan\nqueue a gpu inf\nqueue a gpu 1e300\n",
        "usage 1 5\nqueue nobody gpu 5\nqueue a dust 5\nother a gpu 5\n\n\n"};
    for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
        struct queues *q = queues_new();
        queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
        queues_usage_load(q, str_of(bad[i]));
        total(q, 1);
        queues_usage_advance(q, START, HOUR, HOUR);
        queues_usage_advance(q, START + HOUR, HOUR, HOUR);
        T_NEAR(usage(q, a), 0);
        queues_free(q);
    }
    struct queues *q = queues_new();
    queue_id a = put(q, "a", "", 0, 1, POLICY_UNLIMITED);
    queues_usage_load(q, S("usage 1 5\nrubbish\ncapacity gpu 100\nqueue a gpu 25"));
    queues_usage_advance(q, 6, HOUR, HOUR);
    T_NEAR(usage(q, a), 0.25); /* the good ones among them count, also without a last newline */
    queues_free(q);
}

TEST(another_queue_of_the_same_name_has_no_past)
{
    struct queues *q = queues_new();
    struct queue_spec s = spec_of("a", "");
    s.uid = S("1");
    queue_id a = put_spec(q, s);
    total(q, 10);
    queues_usage_advance(q, START, HOUR, HOUR);
    holds(q, a, 5);
    queues_usage_advance(q, START + HOUR, HOUR, HOUR);
    T_NEAR(usage(q, a), 0.5);
    put_spec(q, s); /* the same: it stays */
    queues_usage_advance(q, START + HOUR + SEC, HOUR, HOUR);
    T_NEAR(usage(q, a), 0.5);
    queues_delete(q, S("a")); /* its unit still runs */
    s.uid = S("2");
    T_EQ_INT(put_spec(q, s), a);
    queues_usage_advance(q, START + HOUR + 2 * SEC, HOUR, HOUR);
    T_OK(usage(q, a) < 0.01);
    queues_free(q);
}

TEST_MAIN(the_documented_example, a_window_cuts_the_half_life, usage_is_a_decayed_part_of_the_capacity, usage_does_not_depend_on_how_often_it_is_asked, time_before_the_first_advance_does_not_count, a_window_forgets,
          usage_is_brought_up_to_date_once_a_second, the_past_pushes_the_share_down, history_survives_as_text,
          bad_lines_are_left_out, another_queue_of_the_same_name_has_no_past)
