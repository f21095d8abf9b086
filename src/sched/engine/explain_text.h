/* explain_text.h - an explanation in words: amounts, counts, events, the one sentence.
 *
 * Threads: pure.  Ownership: texts live on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/explain.h"

const char *explain_count(struct arena *a, uint64_t n); /* "4,800" */
/* Bandwidth that nodes lend: a resource by its name, bandwidth in words. */
bool explain_is_lent(const struct sched *s, uint16_t resource);
/* "80 Mbit/s more egress bandwidth" */
str explain_more(const struct sched *s, struct arena *a, uint16_t resource, int64_t amount);
/* "gpu=only:NoSchedule", the effect looked up on the node. */
str explain_taint(const struct sched *s, struct arena *a, node_id n, const sym_t what[2]);
/* "lack bandwidth (needs 500 Mbit/s; best free: 420 on node-17)" */
str explain_lack(const struct sched *s, struct arena *a, const struct explain_row *row, bool one_bandwidth /* its direction goes without saying */);
/* The same without what nodes have: "bandwidth (needs 500 Mbit/s)" */
str explain_needs(const struct sched *s, struct arena *a, const struct explain_row *row);
str explain_sentence(struct arena *a, const struct sched *s, const struct explanation *x);
