/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/loop.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/test.h"
#include "base/vec.h"

static struct loop *L;
static VEC(int) trace;

static void setup(void)
{
    struct err err = ERR_NONE;
    L = loop_new("test", &clock_real, &err);
    T_OK(L != NULL);
    BUG_ON(!L);
}
static void teardown(void)
{
    loop_free(L);
    vec_fini(&trace);
}

struct item {
    struct loop_timer timer;
    struct loop_defer defer;
    struct loop_msg msg;
    struct loop_fd fd;
    int id;
    bool stop, again;
    struct item *other;
};

static void note(struct item *it)
{
    vec_push(&trace, it->id);
    if (it->stop)
        loop_stop(L);
}
static void on_timer(struct loop_timer *t)
{
    note(container_of(t, struct item, timer));
}
static void on_defer(struct loop_defer *d)
{
    struct item *it = container_of(d, struct item, defer);
    note(it);
    if (it->again) {
        it->again = false;
        it->stop = true;
        loop_defer(L, d);
    }
}

TEST(timers_fire_in_order_whatever_the_order_of_arming)
{
    setup();
    enum { N = 200 };
    static struct item items[N];
    struct rng rng;
    rng_seed(&rng, 7);
    nsec_t base = loop_now(L);
    for (int i = 0; i < N; i++) {
        items[i].timer.fire = on_timer;
        loop_timer_set(L, &items[i].timer, base + (nsec_t)rng_below(&rng, 20) * NSEC_PER_MSEC);
    }
    for (int i = 0; i < N; i++) { /* move all, so that both sift directions are used */
        items[i].id = (int)rng_below(&rng, 20);
        loop_timer_set(L, &items[i].timer, base + items[i].id * NSEC_PER_MSEC);
    }
    for (int i = 0; i < N; i += 3)
        loop_timer_stop(L, &items[i].timer);
    loop_timer_stop(L, &items[0].timer); /* twice is fine */
    struct item last = {.id = 1000, .stop = true, .timer.fire = on_timer};
    loop_timer_set(L, &last.timer, base + 25 * NSEC_PER_MSEC);
    loop_run(L);
    T_EQ_INT(trace.len, N - (N + 2) / 3 + 1);
    for (size_t i = 1; i < trace.len; i++)
        T_OK(trace.p[i - 1] <= trace.p[i]);
    T_OK(loop_now(L) - base >= 25 * NSEC_PER_MSEC);
    teardown();
}

static void on_timer_again(struct loop_timer *t)
{
    struct item *it = container_of(t, struct item, timer);
    vec_push(&trace, it->id++);
    if (it->id == 5)
        loop_stop(L);
    else
        loop_timer_set(L, t, loop_now(L)); /* due at once: the next turn's, not this turn's for ever */
}
TEST(timer_that_is_always_due_does_not_hold_the_turn)
{
    setup();
    struct item it = {.timer.fire = on_timer_again};
    loop_timer_set(L, &it.timer, 0);
    loop_run(L);
    T_EQ_INT(trace.len, 5);
    teardown();
}

TEST(defers_run_once_and_requeue_for_the_next_turn)
{
    setup();
    struct item a = {.id = 1, .defer.fn = on_defer, .again = true}, b = {.id = 2, .defer.fn = on_defer};
    struct item c = {.id = 3, .defer.fn = on_defer};
    loop_defer(L, &a.defer);
    loop_defer(L, &a.defer);
    loop_defer(L, &b.defer);
    loop_defer(L, &c.defer);
    loop_defer_cancel(L, &c.defer);
    loop_defer_cancel(L, &c.defer);
    loop_run(L);
    T_EQ_INT(trace.len, 3);
    T_EQ_INT(trace.p[0], 1);
    T_EQ_INT(trace.p[1], 2);
    T_EQ_INT(trace.p[2], 1);
    teardown();
}

static void on_readable(struct loop_fd *f, uint32_t events)
{
    struct item *it = container_of(f, struct item, fd);
    T_OK(events & EPOLLIN);
    char c;
    T_EQ_INT(read(f->fd, &c, 1), 1);
    vec_push(&trace, c);
    if (it->other)
        loop_fd_del(L, &it->other->fd); /* may be ready in this very batch: must not be called */
    if (it->stop)
        loop_stop(L);
}
TEST(deleted_descriptor_of_the_same_batch_is_not_called)
{
    setup();
    int p[2], q[2];
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, p), 0);
    T_EQ_INT(socketpair(AF_UNIX, SOCK_STREAM, 0, q), 0);
    struct item a = {.fd = {.fd = p[0], .ready = on_readable}}, b = {.fd = {.fd = q[0], .ready = on_readable}};
    a.other = &b;
    b.other = &a;
    a.stop = b.stop = true;
    struct err err = ERR_NONE;
    T_NO_ERR(loop_fd_add(L, &a.fd, EPOLLIN, &err), &err);
    T_NO_ERR(loop_fd_add(L, &b.fd, 0, &err), &err);
    loop_fd_want(L, &b.fd, EPOLLIN);
    T_EQ_INT(write(p[1], "x", 1), 1);
    T_EQ_INT(write(q[1], "x", 1), 1);
    loop_run(L);
    T_EQ_INT(trace.len, 1);
    struct loop_fd bad = {.fd = -1};
    T_ERR(loop_fd_add(L, &bad, EPOLLIN, &err), E_IO);
    close(p[0]), close(p[1]), close(q[0]), close(q[1]);
    teardown();
}

/* --- mailbox ------------------------------------------------------------------------------------ */

enum { SENDERS = 4, MESSAGES = 5000 };
struct numbered {
    struct loop_msg msg;
    int sender, number;
};
static int next_number[SENDERS];
static int total;
static void on_numbered(struct loop_msg *m)
{
    struct numbered *n = container_of(m, struct numbered, msg);
    T_OK(loop_is_current(L));
    T_EQ_INT(n->number, next_number[n->sender]);
    next_number[n->sender]++;
    free(n);
    if (++total == SENDERS * MESSAGES)
        loop_stop(L);
}
static void *sender(void *arg)
{
    for (int i = 0; i < MESSAGES; i++) {
        struct numbered *n = xnew(struct numbered);
        n->msg.fn = on_numbered;
        n->sender = (int)(intptr_t)arg;
        n->number = i;
        loop_post(L, &n->msg);
        if (i % 1000 == 0)
            usleep(2000); /* lets the loop fall asleep now and then */
    }
    return NULL;
}
TEST(messages_of_each_sender_arrive_once_and_in_order)
{
    setup();
    pthread_t threads[SENDERS];
    for (intptr_t i = 0; i < SENDERS; i++)
        pthread_create(&threads[i], NULL, sender, (void *)i);
    loop_run(L);
    for (int i = 0; i < SENDERS; i++)
        pthread_join(threads[i], NULL);
    T_EQ_INT(total, SENDERS * MESSAGES);
    T_OK(!loop_is_current(L));
    teardown();
}

/* Two loops hand one message back and forth: each sleeps in between. */
static struct loop *ping_loop, *pong_loop;
static int hops;
static void on_pong(struct loop_msg *m);
static void on_ping(struct loop_msg *m)
{
    m->fn = on_pong;
    loop_post(pong_loop, m);
}
static void on_pong(struct loop_msg *m)
{
    if (++hops == 2000) {
        loop_stop(ping_loop);
        loop_stop(pong_loop);
        return;
    }
    m->fn = on_ping;
    loop_post(ping_loop, m);
}
static void *run_loop(void *l)
{
    loop_run(l);
    return NULL;
}
TEST(sleeping_loops_are_woken)
{
    ping_loop = loop_new("ping", &clock_real, NULL);
    pong_loop = loop_new("pong", &clock_real, NULL);
    struct loop_msg m = {.fn = on_ping};
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, run_loop, ping_loop);
    pthread_create(&threads[1], NULL, run_loop, pong_loop);
    loop_post(ping_loop, &m);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    T_EQ_INT(hops, 2000);
    loop_free(ping_loop);
    loop_free(pong_loop);
}

TEST(stop_before_run_is_kept_and_run_works_again)
{
    setup();
    loop_stop(L);
    loop_run(L);
    struct item it = {.id = 9, .stop = true, .timer.fire = on_timer};
    loop_timer_set(L, &it.timer, 0);
    loop_run(L);
    T_EQ_INT(trace.len, 1);
    T_EQ_STR(str_of(loop_name(L)), "test");
    T_OK(loop_clock(L) == &clock_real);
    teardown();
}

static void on_slow(struct loop_timer *t UNUSED)
{
    usleep(60000);
    loop_stop(L);
}
TEST(slow_turn_is_reported)
{
    setup();
    int p[2];
    T_EQ_INT(pipe(p), 0);
    dup2(p[1], STDERR_FILENO);
    struct loop_timer t = {.fire = on_slow};
    loop_timer_set(L, &t, 0);
    loop_run(L);
    char line[512];
    ssize_t n = read(p[0], line, sizeof line);
    T_OK(n > 0);
    str text = str_n(line, n > 0 ? (size_t)n : 0);
    T_OK(str_find(text, S("slow loop turn loop=\"test\"")) >= 0);
    T_OK(str_find(text, S("slowest=\"timer\"")) >= 0);
    teardown();
}

TEST_MAIN(timers_fire_in_order_whatever_the_order_of_arming, timer_that_is_always_due_does_not_hold_the_turn,
          defers_run_once_and_requeue_for_the_next_turn, deleted_descriptor_of_the_same_batch_is_not_called,
          messages_of_each_sender_arrive_once_and_in_order, sleeping_loops_are_woken, stop_before_run_is_kept_and_run_works_again,
          slow_turn_is_reported)
