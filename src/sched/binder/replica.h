/* replica.h - a worker's own copy of the resource columns, so that it can scan while the binder commits.
 *
 * Made by copying the engine's view once, then kept current from the binder's log of commits: (node, class, +1 or -1), a ring that one thread
 * writes and all workers read.  A replica that fell behind by more than the ring copies the columns anew at the next round.
 * What changed outside of rounds is not in the log: replica_refresh takes it from the engine's journal of touched nodes.
 *     engine   ── round: 5 commits, logged ──┬── events, 3 nodes touched ──┬── round ...
 *     seq      1000                          1005 (logged_seq)             1008
 *     replica  follows the log to here ──────┘   copies those 3 nodes ─────┘
 * Every run begins with a refresh: between runs classes come and go, and an old commit may name one that is not there any more.
 * Only classes with replica_ok are placed on replicas; what node events change is read from the engine itself, which stands still within
 * a round.
 * Threads: a replica belongs to its worker; commit_log_add to the binder. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "sched/engine/place.h"

#define COMMIT_LOG_SIZE 65536u
/* A worker that proposes in fast mode has its own proposal in its replica already:
 *     worker 0, sign +1 or -1   everybody applies it
 *     worker w, sign +1         w's proposal, taken: everybody but w
 *     worker w, sign -1         w's proposal, refused: w alone, taking it back */
struct commit {
    node_id node;
    class_id class_;
    int16_t sign;
    uint16_t worker;
};
struct commit_log {
    struct commit ring_[COMMIT_LOG_SIZE];
    _Atomic uint64_t head_; /* commits so far */
    uint64_t written_;      /* the writer's own count; the head follows by commit_log_publish */
};
void commit_log_add(struct commit_log *l, node_id n, class_id c, int sign, uint32_t worker);
/* Lets readers see what was added. */
void commit_log_publish(struct commit_log *l);

struct replica;
struct replica *replica_new(uint32_t worker);
void replica_free(struct replica *r);
/* At the start of a round, while the engine stands still: copies what changed since.  logged_seq: the engine's view.seq that the log's
 * head stands for; UINT64_MAX: the replica missed a refresh before this one, everything is copied (as the first time). */
void replica_refresh(struct replica *r, const struct sched *s, const struct commit_log *l, uint64_t logged_seq);
/* On the worker: applies the commits made meanwhile. */
const struct view *replica_view(struct replica *r, const struct commit_log *l);
/* The view as it is, without looking at the log. */
const struct view *replica_own(const struct replica *r);
/* Commits it has not applied. */
uint64_t replica_behind(const struct replica *r, const struct commit_log *l);
/* Commits that the view knows of. */
uint64_t replica_position(const struct replica *r);
/* Fast mode: notes the worker's own proposal. */
void replica_propose(struct replica *r, node_id n, class_id c);
/* Is it the same as the engine's view now?  For tests. */
int replica_check(const struct replica *r, const struct sched *s, struct err *err) MUST_CHECK;
