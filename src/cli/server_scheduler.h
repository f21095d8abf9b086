/* server_scheduler.h - the scheduler inside `cox server`: src/sched/live on a loop and thread of its own, over the in-process transport.
 *
 *   new (profile read, asked by /metrics and pods/NAME/explain from now on) ─► start ─► ... ─► stop ─► end ─► free
 * Threads: main; stop's done() runs on the scheduler's thread.  Questions are answered on that thread until `end`, after `stop` with the sentence that it has stopped.
 * Ownership: the API server outlives `end`; free comes before its store and loops go.
 * Limits: those of sched/live/live.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/apiserver.h"

struct server_scheduler;

/* profile: as scheduler_profile_read.  Before the API server's loops run. */
int server_scheduler_new(struct apiserver *api, const char *profile, bool bind_requests, struct server_scheduler **ret, struct err *err) MUST_CHECK;
int server_scheduler_start(struct server_scheduler *x, struct err *err) MUST_CHECK;
/* No decision is made after this; done() when nothing is under way any more. */
void server_scheduler_stop(struct server_scheduler *x, void (*done)(void *arg), void *arg);
void server_scheduler_end(struct server_scheduler *x); /* its thread ends; NULL, and one that never started, are fine */
void server_scheduler_free(struct server_scheduler *x);
