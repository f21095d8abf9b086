/* target.h - the server under test: a `cox server` of the benchmark's own, on loopback, in a temporary folder.
 *
 * Threads: one.  Ownership: target_stop ends the process and removes the folder unless keep is set. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sys/types.h>

#include "base/clock.h"
#include "base/err.h"

struct target {
    pid_t pid;
    char dir[256];
    uint16_t port;
    char *ca_pem;
    nsec_t ready_ns; /* from exec to /readyz ok */
};
#define TARGET_TOKEN "bench-token" /* static token, group system:masters */

/* dir "": a new folder.  The folder stays for a later target_start.  The API server and its controllers alone. */
int target_start(struct target *t, const char *dir, struct err *err) MUST_CHECK;
/* The same with another option, "--scheduler=true". */
int target_start_with(struct target *t, const char *dir, const char *option, struct err *err) MUST_CHECK;
void target_stop(struct target *t);   /* SIGTERM, waits */
void target_remove(struct target *t); /* the folder */
uint64_t target_rss(const struct target *t);
double target_cpu_s(const struct target *t); /* user and system */
