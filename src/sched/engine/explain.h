/* explain.h - why a unit waits, why a pod is where it is: as a struct, as JSON, as one sentence.
 *
 *   "0/5000 nodes fit: 4,800 lack bandwidth (needs 500 Mbit/s; best free: 420 on node-17), 200 have taint gpu=only:NoSchedule; waiting for bandwidth on any of 4,800 nodes"
 * Each node is counted once, at the first filter that rejects it, except resources: a node short of several counts under each
 * (as kube-scheduler reports them).
 * Threads: the engine's writer.  Ownership: everything of an explanation lives on the arena it was made on.
 * Limits: cold: O(nodes * filters); at most EXPLAIN_ROWS rows, the rest summed up. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "wire/json.h"

#define EXPLAIN_ROWS 24
struct explain_row {
    const char *plugin;
    str text;           /* kube-scheduler's words: "Insufficient cpu", "node(s) had untolerated taint {gpu: only}" */
    str say;            /* ours, after the number of nodes: "have taint gpu=only:NoSchedule" */
    uint32_t nodes;     /* rejected for this */
    uint16_t resource;  /* RES_MAX none */
    int64_t need, best; /* of the resource: asked, most free on one of these nodes */
    str best_node;
    bool unresolvable;  /* on all of them: nothing that leaves them helps */
    uint32_t hopeful;   /* of the nodes those where it may */
};
struct explain_change { /* the smallest change that would make it fit */
    str node;
    uint16_t resource; /* RES_MAX: another kind of change, see text */
    int64_t lacking;
    str text; /* "80 Mbit/s more egress bandwidth on node-17" */
};
struct explain_score {
    const char *plugin;
    int32_t chosen, runner_up;
};
struct explanation {
    enum unit_result result;
    str unit, pod;     /* "default/web-1"; the pod that failed */
    uint32_t nodes, fitting;
    struct explain_row *rows;
    uint32_t nrows;
    struct explain_change nearest;
    bool has_nearest;
    str preemption;    /* "No preemption victims found: ...", "evicts 2 pods on node-3" */
    int64_t queue_position; /* 1 is next; 0: not in the queue */
    uint32_t waits_for; /* sched_event mask */
    uint32_t created, placed, min_member; /* of a gang */
    bool declared;                        /* ... its own object was seen */
    uint32_t room, need; /* of a gang that does not fit as a whole: this many of the members still needed find room together (need 0: unknown) */
    str whose, where;    /* " of sub-group workers", " in one rack (best: r2)", or empty */
    /* a placed pod */
    str on;              /* where it is; "" not there yet */
    str node, runner_up; /* the best node as things are now; "" none */
    int32_t score, runner_up_score;
    struct explain_score *scores;
    uint32_t nscores;
    str link; /* what a link between domains lacks, in words, when that is what it waits for */
    str holders_on, holders; /* of bandwidth, on the node that has most free: "held by t1-0 (60 Mbit/s)" */
    str kept_for; /* whose is the room that would do: "kept for task X, which waits since ..." (keep.h) */
    str kept_on;  /* nodes of the pod's own domain where room is kept for it; "" */
    const char *reason; /* one word for machines: "BandwidthInsufficient" where that is what most of the nodes lack that amounts alone exclude; NULL: none in particular */
    str sentence;
};
/* Why the unit waits now.  queue_position and what the last decision was are handed in (0 and NULL: unknown). */
struct explanation *explain_waiting(struct sched *s, struct arena *a, unit_id u, int64_t queue_position, const struct unit_decision *last);
/* Why this pod finds no node as things are now, whatever its unit lacks; NULL: it does find one, or a link is what is missing. */
struct explanation *explain_alone(struct sched *s, struct arena *a, pod_id p);
/* Why this node: the one that the engine would choose now.  For a pod that has its place, whether that is where it is or not. */
struct explanation *explain_choice(struct sched *s, struct arena *a, pod_id p);
struct json explain_json(struct arena *a, const struct sched *s, const struct explanation *x);
/* An amount as people read it: "500 Mbit/s", "2.5 GiB", "1500m", "3 nvidia.com/gpu". */
str explain_amount(struct arena *a, const struct sched *s, uint16_t resource, int64_t amount);
