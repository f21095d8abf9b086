/* SPDX-License-Identifier: Apache-2.0 */
/* One turn of the loop:
 *
 *   sleep in epoll_wait -> read the clock -> messages -> ready descriptors -> due timers -> defers
 *
 * The mailbox is a stack that senders push to with one compare-and-swap; the loop takes the whole stack at once
 * and turns it round, so each sender's messages keep their order.  A loop that is about to sleep leaves the mark
 * ASLEEP as the empty stack; the one sender that replaces the mark wakes the loop through the eventfd.  A busy
 * loop therefore costs its senders no system call.
 */
#include "rt/loop.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/log.h"
#include "base/vec.h"

#define LOOP_EVENTS 128                             /* descriptors served in one turn; the rest wait for the next */
#define LOOP_SLOW_TURN_NS (50 * NSEC_PER_MSEC)      /* watchdog */

struct loop {
    char name[32];
    const struct clock *clock;
    int epoll_fd;
    struct loop_fd wake;
    nsec_t now;
    VEC(struct loop_timer *) timers; /* binary heap, earliest first */
    struct list defers;
    struct epoll_event events[LOOP_EVENTS];
    int nevents, next_event; /* the batch being served: loop_fd_del removes its descriptor from it */
    _Atomic(struct loop_msg *) mailbox;
    atomic_bool stop;
    atomic_bool running;
    /* watchdog: the slowest callback of this turn */
    nsec_t lap;
    nsec_t slowest_ns;
    const char *slowest_kind;
    uintptr_t slowest_fn;
};

static struct loop_msg asleep_mark;
#define ASLEEP (&asleep_mark)

static _Thread_local const struct loop *current_loop;
extern const char __executable_start[]; /* from the linker: function addresses in logs are relative to it */

static void wake_ready(struct loop_fd *f, uint32_t events UNUSED)
{
    uint64_t count;
    ssize_t n = read(f->fd, &count, sizeof count);
    (void)n; /* its only use is to end epoll_wait */
}

static void wake(struct loop *l)
{
    uint64_t one = 1;
    ssize_t n = write(l->wake.fd, &one, sizeof one);
    (void)n; /* fails only when the counter is full, and then the loop wakes anyway */
}

struct loop *loop_new(const char *name, const struct clock *clock, struct err *err)
{
    struct loop *l = xnew(struct loop);
    snprintf(l->name, sizeof l->name, "%s", name);
    l->clock = clock;
    l->now = clock_mono(clock);
    list_init(&l->defers);
    l->wake = (struct loop_fd){.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), .ready = wake_ready};
    l->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    if (l->epoll_fd < 0 || l->wake.fd < 0) {
        err_sys(err, errno, "cannot create event loop \"%s\"", name);
        loop_free(l);
        return NULL;
    }
    if (loop_fd_add(l, &l->wake, EPOLLIN, err) < 0) {
        loop_free(l);
        return NULL;
    }
    return l;
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    BUG_ON(atomic_load(&l->running));
    if (l->wake.fd >= 0)
        close(l->wake.fd);
    if (l->epoll_fd >= 0)
        close(l->epoll_fd);
    vec_fini(&l->timers);
    free(l);
}

nsec_t loop_now(const struct loop *l)
{
    return l->now;
}
const struct clock *loop_clock(const struct loop *l)
{
    return l->clock;
}
const char *loop_name(const struct loop *l)
{
    return l->name;
}
bool loop_is_current(const struct loop *l)
{
    return current_loop == l;
}
static void check_owner(struct loop *l)
{
    DEBUG_ON(atomic_load_explicit(&l->running, memory_order_relaxed) && !loop_is_current(l));
    (void)l;
}

/* --- descriptors ----------------------------------------------------------------------------- */

int loop_fd_add(struct loop *l, struct loop_fd *f, uint32_t events, struct err *err)
{
    check_owner(l);
    struct epoll_event ev = {.events = events, .data.ptr = f};
    if (epoll_ctl(l->epoll_fd, EPOLL_CTL_ADD, f->fd, &ev) < 0)
        return err_sys(err, errno, "cannot watch descriptor %d on loop \"%s\"", f->fd, l->name);
    f->events = events;
    return 0;
}

void loop_fd_want(struct loop *l, struct loop_fd *f, uint32_t events)
{
    check_owner(l);
    if (f->events == events)
        return;
    struct epoll_event ev = {.events = events, .data.ptr = f};
    BUG_ON(epoll_ctl(l->epoll_fd, EPOLL_CTL_MOD, f->fd, &ev) < 0);
    f->events = events;
}

void loop_fd_del(struct loop *l, struct loop_fd *f)
{
    check_owner(l);
    BUG_ON(epoll_ctl(l->epoll_fd, EPOLL_CTL_DEL, f->fd, NULL) < 0);
    f->events = 0;
    for (int i = l->next_event; i < l->nevents; i++) {
        if (l->events[i].data.ptr == f)
            l->events[i].data.ptr = NULL;
    }
}

/* --- timers ------------------------------------------------------------------------------------ */

static void timer_place(struct loop *l, size_t at, struct loop_timer *t)
{
    l->timers.p[at] = t;
    t->slot_ = (uint32_t)at + 1;
}

static void timer_sift_up(struct loop *l, size_t at, struct loop_timer *t)
{
    while (at > 0 && l->timers.p[(at - 1) / 2]->at > t->at) {
        timer_place(l, at, l->timers.p[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    timer_place(l, at, t);
}

static void timer_sift_down(struct loop *l, size_t at, struct loop_timer *t)
{
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < l->timers.len && l->timers.p[child + 1]->at < l->timers.p[child]->at)
            child++;
        if (child >= l->timers.len || l->timers.p[child]->at >= t->at)
            break;
        timer_place(l, at, l->timers.p[child]);
        at = child;
    }
    timer_place(l, at, t);
}

static void timer_sift(struct loop *l, size_t at, struct loop_timer *t)
{
    if (at > 0 && l->timers.p[(at - 1) / 2]->at > t->at)
        timer_sift_up(l, at, t);
    else
        timer_sift_down(l, at, t);
}

void loop_timer_set(struct loop *l, struct loop_timer *t, nsec_t at)
{
    check_owner(l);
    t->at = at;
    if (t->slot_) {
        timer_sift(l, t->slot_ - 1, t);
    } else {
        vec_push(&l->timers, t);
        timer_sift_up(l, l->timers.len - 1, t);
    }
}

void loop_timer_stop(struct loop *l, struct loop_timer *t)
{
    check_owner(l);
    if (!t->slot_)
        return;
    size_t at = t->slot_ - 1;
    BUG_ON(l->timers.p[at] != t);
    t->slot_ = 0;
    struct loop_timer *last = vec_pop(&l->timers);
    if (last != t)
        timer_sift(l, at, last);
}

/* --- defers and messages ------------------------------------------------------------------------- */

void loop_defer(struct loop *l, struct loop_defer *d)
{
    check_owner(l);
    if (d->queued_)
        return;
    d->queued_ = true;
    list_add_tail(&l->defers, &d->link_);
}

void loop_defer_cancel(struct loop *l, struct loop_defer *d)
{
    check_owner(l);
    (void)l;
    if (!d->queued_)
        return;
    d->queued_ = false;
    list_del(&d->link_);
}

void loop_post(struct loop *l, struct loop_msg *m)
{
    struct loop_msg *head = atomic_load_explicit(&l->mailbox, memory_order_relaxed);
    do {
        m->next_ = head == ASLEEP ? NULL : head;
    } while (!atomic_compare_exchange_weak_explicit(&l->mailbox, &head, m, memory_order_acq_rel, memory_order_relaxed));
    if (head == ASLEEP)
        wake(l);
}

void loop_stop(struct loop *l)
{
    atomic_store(&l->stop, true);
    wake(l);
}

/* --- the turn -------------------------------------------------------------------------------------- */

/* Called after each callback: its time is what passed since the one before. */
static void lap_end(struct loop *l, const char *kind, uintptr_t fn)
{
    nsec_t t = clock_mono(l->clock), took = t - l->lap;
    l->lap = t;
    if (unlikely(took > l->slowest_ns)) {
        l->slowest_ns = took;
        l->slowest_kind = kind;
        l->slowest_fn = fn;
    }
}

static void run_messages(struct loop *l)
{
    struct loop_msg *m = atomic_exchange_explicit(&l->mailbox, NULL, memory_order_acquire);
    if (m == ASLEEP || !m)
        return;
    struct loop_msg *first = NULL;
    while (m) {
        struct loop_msg *next = m->next_;
        m->next_ = first;
        first = m;
        m = next;
    }
    while (first) {
        m = first;
        first = m->next_; /* before fn, which may free or reuse the message */
        uintptr_t fn = (uintptr_t)m->fn;
        m->fn(m);
        lap_end(l, "message", fn);
    }
}

static void run_descriptors(struct loop *l)
{
    for (l->next_event = 0; l->next_event < l->nevents;) {
        const struct epoll_event *ev = &l->events[l->next_event++];
        struct loop_fd *f = ev->data.ptr;
        if (!f)
            continue;
        uintptr_t fn = (uintptr_t)f->ready;
        f->ready(f, ev->events);
        lap_end(l, "descriptor", fn);
    }
    l->nevents = 0;
}

static void run_timers(struct loop *l)
{
    /* At most those that were armed when the turn came here: one that arms itself for now again waits for the next turn. */
    for (size_t left = l->timers.len; left && l->timers.len && l->timers.p[0]->at <= l->now; left--) {
        struct loop_timer *t = l->timers.p[0];
        uintptr_t fn = (uintptr_t)t->fire;
        loop_timer_stop(l, t);
        t->fire(t);
        lap_end(l, "timer", fn);
    }
}

static void run_defers(struct loop *l)
{
    /* Those that are queued from here on belong to the next turn, or two of them could spin for ever. */
    struct list batch;
    list_init(&batch);
    if (list_empty(&l->defers))
        return;
    list_add_head(&l->defers, &batch);
    list_del(&l->defers);
    while (!list_empty(&batch)) {
        struct loop_defer *d = list_first(&batch, struct loop_defer, link_);
        list_del(&d->link_);
        d->queued_ = false;
        uintptr_t fn = (uintptr_t)d->fn;
        d->fn(d);
        lap_end(l, "defer", fn);
    }
}

static int sleep_ms(struct loop *l)
{
    struct loop_msg *none = NULL;
    if (!list_empty(&l->defers) || !atomic_compare_exchange_strong(&l->mailbox, &none, ASLEEP))
        return 0;
    if (!l->timers.len)
        return -1;
    nsec_t wait = l->timers.p[0]->at - clock_mono(l->clock);
    if (wait <= 0)
        return 0;
    nsec_t ms = (wait + NSEC_PER_MSEC - 1) / NSEC_PER_MSEC; /* up: early would spin until the timer is due */
    return (int)MIN(ms, (nsec_t)INT_MAX);
}

static void report_slow_turn(struct loop *l)
{
    log_warn("slow loop turn", KV("loop", "%s", l->name), KV("turn_ms", "%lld", (long long)((l->lap - l->now) / NSEC_PER_MSEC)),
             KV("slowest", "%s", l->slowest_kind), KV("slowest_ms", "%lld", (long long)(l->slowest_ns / NSEC_PER_MSEC)),
             KV("function", "0x%llx", (unsigned long long)(l->slowest_fn - (uintptr_t)__executable_start)));
}

static void turn(struct loop *l)
{
    int n = epoll_wait(l->epoll_fd, l->events, LOOP_EVENTS, sleep_ms(l));
    BUG_ON(n < 0 && errno != EINTR);
    l->nevents = MAX(n, 0);
    l->next_event = 0;
    l->now = l->lap = clock_mono(l->clock);
    l->slowest_ns = 0;
    run_messages(l);
    run_descriptors(l);
    run_timers(l);
    run_defers(l);
    if (unlikely(l->lap - l->now > LOOP_SLOW_TURN_NS))
        report_slow_turn(l);
}

void loop_run(struct loop *l)
{
    const struct loop *outer = current_loop;
    BUG_ON(atomic_exchange(&l->running, true));
    current_loop = l;
    l->now = clock_mono(l->clock);
    while (!atomic_load_explicit(&l->stop, memory_order_acquire))
        turn(l);
    atomic_store(&l->stop, false);
    current_loop = outer;
    atomic_store(&l->running, false);
}
