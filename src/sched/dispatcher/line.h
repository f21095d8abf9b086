/* line.h - a priority queue that is nearly free when things come nearly in order.
 *
 * Units mostly arrive in the order in which they will leave: same priority, later time.  A heap pays log n cache misses for each of a
 * million of them; this keeps a few sorted runs instead and only what fits at the end of none goes to a heap:
 *     push 5, 7, 9, 6, 8, 1, ...      run 0: 5 7 9     run 1: 6 8     run 2: 1     ...     heap: the rest
 *     first: the least of the heads of the runs and the top of the heap
 * Entries are never taken out of the middle.  Each carries the stamp that its owner had when it was pushed; an owner whose stamp moved on has
 * left, and the entry is dropped when it comes to the front (line_first) or when too many of them gather (line_sweep).
 * Threads: one.  Ownership: its own memory.
 * Limits: push and pop O(LINE_RUNS) for runs, O(log n) for the heap. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"

#define LINE_RUNS 8u

struct line_entry {
    uint64_t key[2]; /* smallest first */
    uint64_t seq;    /* among equal keys; unique among live entries */
    uint32_t id, stamp;
};
struct line_run {
    struct line_entry *p;
    uint32_t head, len, cap; /* entries head .. len - 1 */
};
struct line {
    struct line_run runs_[LINE_RUNS];
    VEC(struct line_entry) heap_; /* 4-ary */
    uint32_t nonempty_;           /* bit r: run r holds something */
    uint32_t best_;               /* where the first is: run, LINE_RUNS: heap; LINE_UNKNOWN_ */
    size_t len;                   /* entries, dead ones included */
};
#define LINE_UNKNOWN_ UINT32_MAX
#define LINE_INIT ((struct line){.best_ = LINE_UNKNOWN_})

/* Is the entry still meant? */
typedef bool line_alive_fn(const void *arg, const struct line_entry *e);

void line_fini(struct line *l);
void line_push(struct line *l, const struct line_entry *e);
const struct line_entry *line_first_any_(struct line *l);
void line_pop(struct line *l); /* drops the first; there is one */
/* The first live entry, NULL when there is none.  Dead ones before it are dropped. */
const struct line_entry *line_first(struct line *l, line_alive_fn *alive, const void *arg);
/* Throws dead entries away when they are most of the line; `live` is how many its owner knows to be alive. */
void line_sweep(struct line *l, size_t live, line_alive_fn *alive, const void *arg);
/* Live entries before this one. */
size_t line_before(const struct line *l, const struct line_entry *e, line_alive_fn *alive, const void *arg);
/* The id that stands k places behind the first in its run, 0 when unknown: what to fetch into the cache next. */
uint32_t line_hint(const struct line *l, uint32_t k);

static inline bool line_less(const struct line_entry *a, const struct line_entry *b)
{
    if (a->key[0] != b->key[0])
        return a->key[0] < b->key[0];
    if (a->key[1] != b->key[1])
        return a->key[1] < b->key[1];
    return a->seq < b->seq;
}
