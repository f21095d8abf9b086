/* probe_run.h - one run of a handler of any kind, for probes and hooks alike; private to probes.c and probe_hook.c.
 *
 * Threads: the loop's.
 * Ownership: the handler is borrowed until done() or the cancel.  An exec that is cancelled goes on alone: what it needs is its own.
 * Limits: one exec's output is cut at PROBE_OUTPUT_BYTES in messages. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/probes/probe_net.h"
#include "agent/probes/probes.h"

#define PROBE_OUTPUT_BYTES 800

struct probes {
    struct probes_opts o;
    struct tls_client *tls; /* made by the first HTTPS probe */
    size_t users;           /* sets and hooks that are not stopped */
};

struct probe_run;

/* timeout_ns 0: none.  done() never runs inside. */
struct probe_run *probe_run_start(struct probes *p, const struct probe_handler *h, str container_id, nsec_t timeout_ns, probe_done_fn *done, void *arg) MUST_CHECK;
void probe_run_cancel(struct probe_run *r); /* NULL is fine */
