/* SPDX-License-Identifier: Apache-2.0 */
#include "base/test.h"
#include "client/workqueue.h"

/* Runs are recorded as "key " in order; each is ended at once with the result that `fail` says, or held until release(). */
struct bench {
    struct clock_fake clock;
    struct loop *loop;
    struct workqueue *q;
    struct strbuf ran;
    bool hold;
    struct work *held[8];
    size_t nheld;
    unsigned fail; /* so many runs fail */
    nsec_t times[16];
    size_t ntimes;
    bool stopped;
    struct loop_msg end;
};

static void run(struct workqueue *q, struct work *w)
{
    struct bench *b = workqueue_owner(q);
    strbuf_addf(&b->ran, STR_FMT " ", STR_ARG(w->key));
    if (b->ntimes < ARRAY_LEN(b->times))
        b->times[b->ntimes++] = clock_mono(&b->clock.clock);
    if (b->hold) {
        b->held[b->nheld++] = w;
        return;
    }
    bool fails = b->fail > 0;
    b->fail -= fails;
    workqueue_done(q, w, fails ? WORK_RETRY : WORK_OK);
}

static void init(struct bench *b, unsigned parallel)
{
    struct err err = ERR_NONE;
    clock_fake_init(&b->clock, 0);
    b->loop = loop_new("test", &b->clock.clock, &err);
    b->q = workqueue_new(&(struct workqueue_opts){.loop = b->loop, .parallel = parallel, .run = run, .owner = b});
}

static void stop_loop(struct loop_msg *m)
{
    struct bench *b = container_of(m, struct bench, end);
    loop_stop(b->loop);
}

/* A few turns of the loop at the time that the clock shows. */
static void turns(struct bench *b)
{
    for (int i = 0; i < 3; i++) {
        b->end.fn = stop_loop;
        loop_post(b->loop, &b->end);
        loop_run(b->loop);
    }
}

static void fini(struct bench *b)
{
    workqueue_free(b->q);
    loop_free(b->loop);
    strbuf_fini(&b->ran);
}

TEST(a_burst_is_one_run)
{
    struct bench b = {0};
    init(&b, 1);
    for (int i = 0; i < 5; i++)
        workqueue_add(b.q, S("a"));
    workqueue_add(b.q, S("b"));
    workqueue_add(b.q, S("a"));
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a b ");
    T_EQ_INT(workqueue_len(b.q), 0);
    fini(&b);
}

TEST(one_key_at_a_time)
{
    struct bench b = {.hold = true};
    init(&b, 2);
    workqueue_add(b.q, S("a"));
    workqueue_add(b.q, S("b"));
    workqueue_add(b.q, S("c"));
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a b "); /* parallel 2: c waits */
    workqueue_add(b.q, S("a"));           /* runs: again afterwards */
    workqueue_add(b.q, S("a"));
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a b ");
    b.hold = false;
    workqueue_done(b.q, b.held[0], WORK_OK);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a b c a ");
    workqueue_done(b.q, b.held[1], WORK_OK);
    T_EQ_INT(workqueue_len(b.q), 0);
    fini(&b);
}

TEST(failures_back_off_by_doubling)
{
    struct bench b = {.fail = 5};
    init(&b, 1);
    workqueue_add(b.q, S("a"));
    turns(&b);
    for (int i = 0; i < 400 && b.ntimes < 6; i++) {
        clock_fake_advance(&b.clock, NSEC_PER_MSEC);
        turns(&b);
    }
    T_EQ_INT(b.ntimes, 6);
    static const int gaps[] = {5, 10, 20, 40, 80};
    for (size_t i = 0; i < ARRAY_LEN(gaps); i++)
        T_EQ_INT((b.times[i + 1] - b.times[i]) / NSEC_PER_MSEC, gaps[i]);
    T_EQ_INT(workqueue_len(b.q), 0);
    fini(&b);
}

TEST(delayed_keys_wait_or_are_hurried)
{
    struct bench b = {0};
    init(&b, 1);
    workqueue_add_after(b.q, S("a"), 10 * NSEC_PER_SEC);
    workqueue_add_after(b.q, S("b"), 10 * NSEC_PER_SEC);
    workqueue_add_after(b.q, S("b"), 20 * NSEC_PER_SEC); /* the earlier one counts */
    workqueue_add_after(b.q, S("c"), 10 * NSEC_PER_SEC);
    workqueue_add(b.q, S("c"));
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "c ");
    clock_fake_advance(&b.clock, 11 * NSEC_PER_SEC);
    turns(&b);
    T_EQ_INT(b.ran.len, 8); /* c once more: its first run came before the time that somebody had in mind */
    T_EQ_INT(workqueue_len(b.q), 0);
    fini(&b);
}

/* Whatever state the key is in when somebody asks for a later run, that run comes. */
TEST(a_promised_run_is_never_lost)
{
    struct bench b = {.hold = true};
    init(&b, 1);
    workqueue_add(b.q, S("a"));
    turns(&b);
    workqueue_add_after(b.q, S("a"), 10 * NSEC_PER_SEC); /* while it runs */
    workqueue_add(b.q, S("a"));                          /* and at once again */
    workqueue_done(b.q, b.held[0], WORK_OK);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a a ");
    workqueue_done(b.q, b.held[1], WORK_RETRY); /* the retry comes first, and works */
    clock_fake_advance(&b.clock, NSEC_PER_SEC);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a a a ");
    workqueue_done(b.q, b.held[2], WORK_OK);
    T_EQ_INT(workqueue_len(b.q), 1);
    clock_fake_advance(&b.clock, 10 * NSEC_PER_SEC);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a a a a ");
    workqueue_done(b.q, b.held[3], WORK_OK);
    T_EQ_INT(workqueue_len(b.q), 0);
    /* while it waits for its turn */
    workqueue_add(b.q, S("x"));
    turns(&b);
    workqueue_add(b.q, S("b"));
    workqueue_add_after(b.q, S("b"), 5 * NSEC_PER_SEC);
    workqueue_done(b.q, b.held[4], WORK_OK);
    turns(&b);
    workqueue_done(b.q, b.held[5], WORK_OK);
    T_EQ_INT(workqueue_len(b.q), 1);
    b.hold = false;
    clock_fake_advance(&b.clock, 5 * NSEC_PER_SEC);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a a a a x b b ");
    T_EQ_INT(workqueue_len(b.q), 0);
    fini(&b);
}

TEST(done_after_runs_again)
{
    struct bench b = {.hold = true};
    init(&b, 1);
    workqueue_add(b.q, S("a"));
    turns(&b);
    workqueue_add_after(b.q, S("a"), NSEC_PER_SEC); /* earlier than what done says */
    workqueue_done_after(b.q, b.held[0], 5 * NSEC_PER_SEC);
    clock_fake_advance(&b.clock, 2 * NSEC_PER_SEC);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a a ");
    workqueue_done(b.q, b.held[1], WORK_OK);
    fini(&b);
}

static void on_stopped(struct workqueue *q)
{
    struct bench *b = workqueue_owner(q);
    b->stopped = true;
}

TEST(stop_waits_for_what_runs)
{
    struct bench b = {.hold = true};
    init(&b, 1);
    workqueue_add(b.q, S("a"));
    workqueue_add(b.q, S("b"));
    workqueue_add_after(b.q, S("c"), NSEC_PER_SEC);
    turns(&b);
    workqueue_add(b.q, S("a"));
    workqueue_stop(b.q, on_stopped);
    T_OK(!b.stopped);
    workqueue_add(b.q, S("d"));
    workqueue_done(b.q, b.held[0], WORK_RETRY);
    T_OK(b.stopped);
    clock_fake_advance(&b.clock, 100 * NSEC_PER_SEC);
    turns(&b);
    T_EQ_STR(strbuf_str(&b.ran), "a ");
    fini(&b);
}

TEST_MAIN(a_burst_is_one_run, one_key_at_a_time, failures_back_off_by_doubling, delayed_keys_wait_or_are_hurried, a_promised_run_is_never_lost, done_after_runs_again, stop_waits_for_what_runs)
