/* work.h - blocking work away from the loops: a few threads that mount, unpack, fork and wait.
 *
 *   loop: work_submit ─► a pool thread: run(item) ─► loop: done(item)
 *
 * Threads: work_submit from any thread; run() on a pool thread, done() on the item's loop.
 * Ownership: the item is the caller's until done() has run; done() may free it.
 * Limits: at most `threads` items run at once, the rest wait in order; threads are started when needed and stay.  What waits is
 * bounded by the callers: each of them has one item a pod, image or probe. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "rt/loop.h"

struct work_pool;

struct work_item {
    struct loop *loop;
    void (*run)(struct work_item *w);
    void (*done)(struct work_item *w);
    struct work_item *next_;
    struct loop_msg msg_;
};

struct work_pool *work_pool_new(const char *name, unsigned threads) MUST_CHECK;
void work_submit(struct work_pool *p, struct work_item *w);
/* Waits until what runs has ended.  Items that still wait are dropped: their done() never runs. */
void work_pool_free(struct work_pool *p); /* NULL is fine */
