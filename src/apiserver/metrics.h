/* metrics.h - counters of the API server, in Prometheus text with kube-apiserver's names.
 *
 * Threads: metrics_request from any io loop (per-thread shards, summed on scrape).  Limits: label sets are bounded by resources x verbs x codes seen. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "apiserver/request.h"

struct metrics;
struct metrics *metrics_new(void) MUST_CHECK;
void metrics_free(struct metrics *m);
/* After the answer: verb, resource, scope, code, duration, bytes. */
void metrics_request(struct metrics *m, const struct api_req *q, nsec_t duration_ns);
void metrics_watch_started(struct metrics *m, int delta);      /* open watches, +1 / -1 */
void metrics_watch_events(struct metrics *m, uint64_t events); /* sent to watchers */
void metrics_inflight(struct metrics *m, bool mutating, int delta);
void metrics_rejected(struct metrics *m);                      /* 429 given */
void metrics_write(struct metrics *m, struct apiserver *s, struct strbuf *out);
