/* binder.h - the one committer: what workers propose is checked against what may have changed, committed or sent back; preemption is carried out;
 * what is not confirmed in time is let go.
 *
 * Checks only what can have changed since the proposal: the node's version (single-node filters again when it rose), and for cross-node
 * classes spread, affinity and the gang minimum.
 * Preemption: victims first (TERMINATING, `evict` is called for each), the unit's pods are NOMINATED and keep their room; as soon as all of them fit
 * they are placed on their nominated nodes.  A unit whose room went elsewhere is tried again.
 * Threads: the driver.
 * Limits: assumed pods that are not confirmed within bind_timeout_ns are forgotten and their unit is tried again. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/dispatcher/dispatcher.h"

struct binder_calls { /* to the world; all may be NULL */
    void *arg;
    void (*bind)(void *arg, pod_id p, node_id n);
    void (*nominate)(void *arg, pod_id p, node_id n);
    void (*evict)(void *arg, pod_id victim, unit_id by);
    void (*rejected)(void *arg, unit_id u, const struct unit_decision *d);
};
struct binder;
struct binder *binder_new(struct sched *s, struct dispatcher *d, const struct binder_calls *calls, nsec_t bind_timeout_ns /* 0: never */);
void binder_free(struct binder *b);
/* Commits a decision that sched_place made on the engine itself (nothing to check). */
void binder_apply(struct binder *b, unit_id u, const struct unit_decision *d, nsec_t now);
/* The same for a decision of the batch policy, whose units the dispatcher does not have and whose nominations the policy turns into placements itself. */
void binder_carry_out(struct binder *b, unit_id u, const struct unit_decision *d, nsec_t now);
/* A worker's proposal for a single pod: commits, or answers false (conflict). */
bool binder_commit(struct binder *b, pod_id p, node_id n, uint32_t version_seen, nsec_t now);
/* The world's answers. */
void binder_confirmed(struct binder *b, pod_id p);          /* the bind is in the API */
void binder_failed(struct binder *b, pod_id p, nsec_t now); /* it was refused: forgotten, unit retried */
void binder_pod_gone(struct binder *b, pod_id p);           /* deleted; call before sched_pod_delete */
/* Time-outs; preemptors whose victims are gone become ready. */
nsec_t binder_tick(struct binder *b, nsec_t now);
struct binder_counts {
    uint64_t committed, conflicts, failed, timed_out, evicted;
};
struct binder_counts binder_count(const struct binder *b);
