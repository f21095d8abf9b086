/* loop.h - one event loop: epoll, timers, a mailbox for other threads.
 *
 * A loop belongs to the thread that runs it (role); everything registered on it is called there.  Other threads only post.
 *     loop = loop_new("io-0", clock);  rt_thread_start(...loop_run(loop)...);  loop_post(loop, &msg);
 * Threads: loop_post and loop_stop from any thread; the rest on the loop's own thread or before it runs.
 * Ownership: the loop owns nothing that is registered on it.
 * Limits: a turn over 50 ms is reported by a log line with the slowest callback's kind and function offset
 * (addr2line -e cox 0x...), the watchdog. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"

struct loop;

struct loop *loop_new(const char *name, const struct clock *clock, struct err *err) MUST_CHECK;
void loop_free(struct loop *l);
void loop_run(struct loop *l); /* until loop_stop */
void loop_stop(struct loop *l);
nsec_t loop_now(const struct loop *l); /* monotonic time at the start of this turn */
const struct clock *loop_clock(const struct loop *l);
const char *loop_name(const struct loop *l);
bool loop_is_current(const struct loop *l); /* on its thread? */

/* File descriptors.  Embedded in the owner; edge-triggered is not used: the owner says what it wants next.  EPOLLERR and EPOLLHUP
 * come whatever it wants, each turn, until it calls loop_fd_del. */
struct loop_fd {
    int fd;
    uint32_t events; /* EPOLLIN, EPOLLOUT now registered */
    void (*ready)(struct loop_fd *f, uint32_t events);
};
int loop_fd_add(struct loop *l, struct loop_fd *f, uint32_t events, struct err *err) MUST_CHECK;
void loop_fd_want(struct loop *l, struct loop_fd *f, uint32_t events);
void loop_fd_del(struct loop *l, struct loop_fd *f);

/* Timers on a heap; embedded in the owner, zeroed before first use. */
struct loop_timer {
    nsec_t at;
    uint32_t slot_; /* place in the heap + 1, 0: not armed */
    void (*fire)(struct loop_timer *t);
};
void loop_timer_set(struct loop *l, struct loop_timer *t, nsec_t at); /* arms or moves */
void loop_timer_stop(struct loop *l, struct loop_timer *t);           /* fine when not armed */

/* Runs fn once at the end of this turn (flush after many small writes).  Embedded, zeroed before first use. */
struct loop_defer {
    struct list link_;
    bool queued_;
    void (*fn)(struct loop_defer *d);
};
void loop_defer(struct loop *l, struct loop_defer *d);
void loop_defer_cancel(struct loop *l, struct loop_defer *d);

/* Messages from other threads: lock-free multi-producer queue, eventfd only when the loop sleeps.
 * The message is the sender's memory until fn has run. */
struct loop_msg {
    struct loop_msg *next_;
    void (*fn)(struct loop_msg *m);
};
void loop_post(struct loop *l, struct loop_msg *m);
