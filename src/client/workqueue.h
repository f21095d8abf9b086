/* workqueue.h - keys that need work: each once, one at a time, again later when it failed.
 *
 *   add ─► ready ─► run() ─► workqueue_done ─┬─ WORK_OK: forgotten, or ready again when it was added meanwhile
 *   add_after ─► delayed ─────────▲          └─ WORK_RETRY: delayed, 5 ms doubling to 60 s
 *
 * Several keys run side by side, up to `parallel`; run() starts the work and returns, workqueue_done says that it ended.  Keys start at the end of a loop turn, so a burst of
 * adds of one key is one run.
 * Threads: the loop's.
 * Ownership: keys are copied; a struct work lives until workqueue_done.
 * Limits: as many keys as are added; O(1) plus one loop timer per delayed key. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"
#include "rt/loop.h"

#define WORKQUEUE_MIN_NS (5 * NSEC_PER_MSEC)
#define WORKQUEUE_MAX_NS (60 * NSEC_PER_SEC)

struct workqueue;

enum work_result { WORK_OK, WORK_RETRY };

struct work {
    str key;
    unsigned failures; /* runs in a row that ended with WORK_RETRY */
};

struct workqueue_opts {
    struct loop *loop;
    unsigned parallel; /* 0: 1 */
    void (*run)(struct workqueue *q, struct work *w);
    void *owner;
    nsec_t max_delay_ns; /* 0: WORKQUEUE_MAX_NS */
};

struct workqueue *workqueue_new(const struct workqueue_opts *opts) MUST_CHECK;
void workqueue_free(struct workqueue *q); /* nothing runs, or never will again */
void *workqueue_owner(const struct workqueue *q);

void workqueue_add(struct workqueue *q, str key);
/* Runs after the delay, also when something else makes it run earlier: that run may have been too early for whoever asked.  Of several times the earliest counts. */
void workqueue_add_after(struct workqueue *q, str key, nsec_t delay);
void workqueue_done(struct workqueue *q, struct work *w, enum work_result result);
/* Ended well, and must run again after the delay unless something makes it run earlier: that run says anew when to come back. */
void workqueue_done_after(struct workqueue *q, struct work *w, nsec_t delay);

/* Forgets what waits and takes nothing more; stopped() runs when nothing is running, at once or later. */
void workqueue_stop(struct workqueue *q, void (*stopped)(struct workqueue *q));
size_t workqueue_len(const struct workqueue *q); /* ready, delayed and running */
