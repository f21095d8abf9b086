/* place.h - the pod level: which node is best for a pod of this class, over all nodes, exactly.
 *
 * place_find works on the engine's own view and keeps caches: a class that is asked again and again has its scores in a tournament
 * tree, brought up to date from the journal of touched nodes (a few hundred ns a pod); a class asked once in a while is scanned
 * by bounds over compact columns (place_kernel.h), cross-node filters first; cross-node scores are added to the cached local part.
 * All three give the same answer: highest sum of weight * normalised score, ties by the rule of the class's profile.
 *     TIE_SEED      lowest rank of s->tie
 *     TIE_BEST_FIT  fewest free amounts before the pod comes, counted as place_free_amount below, then TIE_SEED
 * A score that is normalised is normalised over the nodes that fit, as kube-scheduler does it.
 * place_scan does the scan on any view (a replica) and only reads.
 *
 * Room kept for a nominated pod counts as used to filters, except to pods of higher priority than that one; scores count it always.
 * Threads: place_find: the engine's writer.  place_scan, place_score_local: any, with a scratch of its own, while the writer stands still.
 * Limits: at most CACHE_MAX classes have a tree at a time (the least recently used loses it): 13 bytes a node each.
 *         TIE_BEST_FIT needs weights that sum up to at most 160,000: beyond that scores are right and ties are TIE_SEED's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/plugin.h"

#define PLACE_TOP 24
#define CACHE_MAX 64
struct place_result {
    node_id node; /* NODE_NONE: no node fits */
    int32_t score;
    node_id runner_up; /* NODE_NONE when not asked for or none; only with want_runner_up */
    int32_t runner_up_score;
    uint32_t nfeasible; /* 0: not counted; with want_runner_up, decisions of cross-node classes know it */
};
struct place_opts {
    const uint64_t *within; /* only these nodes; NULL: all */
    bool want_runner_up;    /* costs a scan */
    bool ignore_nominated;  /* room kept for nominated pods counts as free whatever their priority; costs a scan */
};
bool place_find(struct sched *s, class_id c, const struct place_opts *opts, struct place_result *ret);
/* Does a pod of this class fit on this node now?  All filters. */
bool place_fits(const struct sched *s, class_id c, node_id n);
/* The first filter of its profile that rejects it there: its index in s->table, -1 when it fits. */
int place_rejected_by(const struct sched *s, class_id c, node_id n);
/* All feasible nodes.  `fits` has view.words words. */
void place_feasible(struct sched *s, class_id c, const uint64_t *within, uint64_t *fits);
/* Score of one feasible node by plugin (index in s->table), weighted and normalised over the feasible ones; for explanations. */
void place_score_parts(struct sched *s, class_id c, node_id n, int32_t parts[PLUG_MAX]);
/* Mask of plugins (bits of s->table) that rejected at least one node, each node counted at the first filter that rejects it; counts by plugin
 * when not NULL.  Only sensible when nothing fits; cold but vectorised. */
uint64_t place_rejections(struct sched *s, class_id c, const uint64_t *within, uint32_t counts[PLUG_MAX]);

/* --- reading scans for parallel workers ---------------------------------------------------------------------------------------- */
struct place_scratch; /* arrays of a view's size */
struct place_scratch *place_scratch_new(void);
void place_scratch_free(struct place_scratch *x);
struct place_top {
    node_id node;
    int32_t score;
};
/* The best `PLACE_TOP` nodes for a class with replica_ok, best first; returns how many.  rest_score: what every node that is not
 * listed has at most (SCORE_NONE: all that fit are listed). */
size_t place_scan(const struct view *v, const struct pod_class *c, const uint64_t *within, struct place_scratch *x, struct place_top top[PLACE_TOP], int32_t *rest_score);
/* The same for the best `want`, at most PLACE_TOP.  top[0 .. nhints - 1] says nodes that are likely to be good: faster when they are, the same answer always. */
size_t place_scan_some(const struct view *v, const struct pod_class *c, const uint64_t *within, struct place_scratch *x, size_t want, size_t nhints, struct place_top *top, int32_t *rest_score);
/* Score of one node on this view for a class with replica_ok, SCORE_NONE when it does not fit. */
int32_t place_score_local(const struct view *v, const struct pod_class *c, node_id n);
/* Makes what place_scan reads (static bitmaps and scores) current; by the writer, before a round.  Sets c->replica_ok anew: a class loses it while
 * a score has to be normalised over the nodes that fit, or while a nominated pod of lower priority keeps room. */
void place_prepare(struct sched *s, class_id c);
/* Does the first beat the second under the tie rule of the class's profile, on this view? */
bool place_better(const struct view *v, const struct pod_class *c, struct place_top a, struct place_top b);

/* What TIE_BEST_FIT counts: 8 for each free milli cpu, 128 for each free milli of a GPU, 1 for each free MiB; that is about 2^20 each for 128 cpus,
 * 8 GPUs and 1 TiB.  In steps of 16, at most 2^20 - 1 steps. */
uint32_t place_free_amount(const struct view *v, node_id n);

/* --- lifetime hooks, called by the model ------------------------------------------------------------------------------------- */
void place_class_compiled(struct sched *s, struct pod_class *c); /* fills uses_filter, uses_score, is_local, replica_ok */
void place_class_free(struct sched *s, struct pod_class *c);
/* A pod comes to keep room on a node as NOMINATED (+1), or does so no longer (-1). */
void place_nominated(struct sched *s, pod_id p, node_id n, int sign);
void place_free(struct sched *s); /* at the engine's end, after the classes */
