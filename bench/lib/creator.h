/* creator.h - requests by processes of their own: numbered objects, as fast as they go or each at its time.
 *
 * Threads: one in each process.  Ownership: the caller's; what creators and caller share is mapped into all of them (munmap). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "bench/lib/load.h"

#define CREATORS 2

/* What creators and watcher share: CLOCK_MONOTONIC is the same for all processes. */
struct creator_shared {
    _Atomic nsec_t start;        /* 0: wait */
    _Atomic uint64_t failed;
    _Atomic uint64_t connected;  /* processes that may begin */
};

/* Numbers first, first + step, ... < end; with an interval each leaves at its time, whatever became of those before. */
struct creator {
    struct load *load;
    struct creator_shared *shared;
    uint64_t next, end, step, left;
    nsec_t start, interval; /* between two numbers; 0: as fast as it goes */
    struct loop_timer timer;
    size_t connections;
    void (*body)(struct strbuf *b, uint64_t n);
    const char *method;
    void (*path)(struct strbuf *b, uint64_t n);
};

struct creator_shared *creator_shared_new(void);
/* All its requests, from this process. */
void creator_run(const struct target *t, struct creator *c);
/* Starts the creators, one number in CREATORS each; they wait until all are connected, then for the time to begin. */
void creators_start(const struct target *t, const struct creator *like, struct creator_shared *s, pid_t pids[CREATORS]);
void creators_end(pid_t pids[CREATORS]);
