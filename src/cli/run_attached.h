/* run_attached.h - cox run -it --rm: a pod whose process has our terminal, and which goes with it.
 *
 *   made ─► runs ─► -i: our streams are its; otherwise its log ─► it ends: its exit status ─► --rm: it is deleted
 *
 * As kubectl: the exit status is the container's when it is not restarted.
 * Threads: main only.  Ownership: the session's arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "cli/session.h"

#define RUN_ATTACHED_OPTIONS                                                                                                                       \
    {"stdin", 'i', CLI_FLAG, NULL, "", "Hand standard input to the container.", NULL},                                                             \
    {"tty", 't', CLI_FLAG, NULL, "", "Give it a terminal; needs -i.", NULL},                                                                       \
    {"attach", 0, CLI_FLAG, NULL, "as -i", "Wait until it runs and show what it prints.", NULL},                                                   \
    {"rm", 0, CLI_FLAG, NULL, "", "Delete the pod afterwards; needs -i or --attach.", NULL},                                                       \
    {"leave-stdin-open", 0, CLI_FLAG, NULL, "", "Input stays open after the first who gave some.", NULL},                                          \
    {"quiet", 'q', CLI_FLAG, NULL, "", "Only what the container prints.", NULL},                                                                   \
    {"pod-running-timeout", 0, CLI_DURATION, "DURATION", "1m", "How long to wait until it runs.", NULL}

/* Whether the options ask for it, and go together. */
int run_attached_wanted(struct session *s, bool *ret, struct failure *f) MUST_CHECK;
/* The exit status, or -code.  pod: as it was made. */
int run_attached(struct session *s, const struct json *pod, struct failure *f) MUST_CHECK;
