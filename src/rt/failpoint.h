/* failpoint.h - named places where a test can make the program fail, wait or die.
 *
 *     FAILPOINT("store.wal.before_write");                 a place: may sleep or kill the process here
 *     r = FAILPOINT_ERRNO("store.wal.write");              the same, and may hand back an errno to behave as if a call had failed
 * Off, a place costs one predictable branch.  COX_FAILPOINTS switches places on, when failpoint_setup is called:
 *     COX_FAILPOINTS='store.wal.write=error(ENOSPC);store.wal.before_sync=3+1*panic;store.snap.write=50%sleep(20)'
 *     actions    panic (the process dies as from kill -9), sleep(milliseconds), error(ERRNO NAME OR NUMBER)
 *     before it  N+ (let the first N hits pass), N* (act N times only), N% (act with that probability)
 * Threads: setup before threads start, or failpoint_set between tests; places may be hit from any thread.
 * Limits: 32 places switched on at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "base/err.h"

extern _Atomic bool failpoint_on_;
int failpoint_hit_(const char *name);

/* Every place puts its name into a section of its own, so that failpoint_list needs no table that could go stale.  Unlike plug-ins,
 * an object file that is not linked has no place that could be missed. */
#define FAILPOINT_ERRNO(name)                                                                      \
    ({                                                                                             \
        static const char *const fp_name_ __attribute__((section("failpoints"), used)) = "" name;  \
        unlikely(atomic_load_explicit(&failpoint_on_, memory_order_relaxed)) ? failpoint_hit_(fp_name_) : 0; \
    })
#define FAILPOINT(name) ((void)FAILPOINT_ERRNO(name))

/* Reads COX_FAILPOINTS; a wrong specification is an error. */
int failpoint_setup(struct err *err) MUST_CHECK;
/* The same from a string; replaces what was set, "" switches everything off. */
int failpoint_set(str spec, struct err *err) MUST_CHECK;
/* Calls each(name) once for every place in this program. */
void failpoint_list(void (*each)(void *arg, const char *name), void *arg);
