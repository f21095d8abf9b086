/* signal.h - SIGTERM, SIGINT and SIGHUP as events of a loop; SIGPIPE nowhere.
 *
 *     signal_block();                       in main, before any thread starts
 *     signal_watch_start(&w, loop, err);   w.on_signal(&w, SIGTERM) then runs on the loop
 * Threads: signal_block on the first thread; a watch belongs to its loop.
 * Ownership: embedded in the owner, who fills on_signal. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "rt/loop.h"

struct signal_watch {
    void (*on_signal)(struct signal_watch *w, int signo);
    struct loop *loop_;
    struct loop_fd fd_;
};
/* Ignores SIGPIPE and blocks the signals that signal_watch reads. */
void signal_block(void);
int signal_watch_start(struct signal_watch *w, struct loop *l, struct err *err) MUST_CHECK;
void signal_watch_stop(struct signal_watch *w);
