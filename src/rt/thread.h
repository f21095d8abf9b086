/* thread.h - named threads with a role.
 *
 * A thread's name is its role ("io-0", "store-writer"): it stands in /proc, in gdb and in logs, and THREAD_ASSERT checks that a
 * function runs where it must.
 *     struct thread t;  thread_start(&t, "store-writer", run, arg, err);  ...  thread_join(&t);
 * Threads: a struct thread belongs to who started it.
 * Limits: names are cut at 15 bytes.  Signals are blocked in every thread but the first (rt/signal.h reads them on a loop). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "base/err.h"

#define THREAD_NAME_MAX 16 /* with the NUL, the kernel's */

struct thread {
    pthread_t id_;
    bool started_;
    char name[THREAD_NAME_MAX];
    void (*run_)(void *arg);
    void *arg_;
};
int thread_start(struct thread *t, const char *name, void (*run)(void *arg), void *arg, struct err *err) MUST_CHECK;
void thread_join(struct thread *t); /* fine when it never started */
/* One that nobody waits for; what it works on is its own.  0 or a positive errno. */
int thread_detached(const char *name, void (*run)(void *arg), void *arg) MUST_CHECK;

const char *thread_name(void); /* of the calling thread; "main" unless thread_start started it */
/* Whether the calling thread's name is role, or role and a number: thread_is("io") on "io-3". */
bool thread_is(const char *role);
#define THREAD_ASSERT(role) DEBUG_ON(!thread_is(role))
