/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/thread.h"

#include <signal.h>
#include <stdatomic.h>

#include "base/test.h"
#include "rt/signal.h"

static struct err err;

static bool was_io, was_i, was_store;
static char seen_name[THREAD_NAME_MAX];
static void note_role(void *arg)
{
    *(int *)arg += 1;
    was_io = thread_is("io");
    was_i = thread_is("i");
    was_store = thread_is("store");
    snprintf(seen_name, sizeof seen_name, "%s", thread_name());
    THREAD_ASSERT("io");
}

TEST(thread_has_its_name_and_role)
{
    struct thread t = {0};
    thread_join(&t); /* never started */
    int runs = 0;
    T_NO_ERR(thread_start(&t, "io-3", note_role, &runs, &err), &err);
    thread_join(&t);
    thread_join(&t);
    T_EQ_INT(runs, 1);
    T_OK(was_io && !was_i && !was_store);
    T_EQ_STR(str_of(seen_name), "io-3");
    T_EQ_STR(str_of(thread_name()), "main");
    T_OK(thread_is("main"));
}

static atomic_bool was_detached;
static void note_detached(void *arg)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    bool ok = thread_is("lonely") && sigismember(&blocked, SIGTERM) == 1;
    free(arg);
    atomic_store(&was_detached, ok);
}

TEST(nobody_waits_for_a_detached_thread)
{
    T_EQ_INT(thread_detached("lonely", note_detached, xmalloc(16)), 0);
    while (!atomic_load(&was_detached))
        usleep(1000);
}

static struct loop *loop;
static int signals[3];
static atomic_int nsignals;
static void on_signal(struct signal_watch *w UNUSED, int signo)
{
    T_OK(loop_is_current(loop));
    signals[nsignals] = signo;
    if (++nsignals == 2)
        loop_stop(loop);
}
static void run(void *l)
{
    loop_run(l);
}

TEST(signals_arrive_on_the_loop)
{
    signal_block();
    loop = loop_new("main", &clock_real, &err);
    struct signal_watch w = {.on_signal = on_signal};
    T_NO_ERR(signal_watch_start(&w, loop, &err), &err);
    struct thread t;
    T_NO_ERR(thread_start(&t, "loop", run, loop, &err), &err);
    raise(SIGPIPE);
    kill(getpid(), SIGINT);
    while (!nsignals)
        usleep(1000);
    kill(getpid(), SIGTERM);
    thread_join(&t);
    T_EQ_INT(nsignals, 2);
    T_EQ_INT(signals[0], SIGINT);
    T_EQ_INT(signals[1], SIGTERM);
    signal_watch_stop(&w);
    loop_free(loop);
}

TEST_MAIN(thread_has_its_name_and_role, nobody_waits_for_a_detached_thread, signals_arrive_on_the_loop)
