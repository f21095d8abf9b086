/* queues.h - the tree of queues: what each deserves, holds and asks for, its fair share, and whose turn it is.
 *
 *   queue objects ──► tree ──┐
 *   units come, start, end ──┴─► accounts (leaf and all above) ──► queues_divide ──► fair shares ──► queues_compare, queues_may_start ...
 * Amounts are whole numbers in the engine's units, but for RES_GPU, which is counted in thousandths of a device (GPU_MILLI), so that
 * fractions are exact; the GPUs of one model can be a resource of their own, QUEUE_MODEL_PREFIX and the model.  Every resource is divided by itself, level by level; see share.h for how.
 * Queues may come in any order: one whose parent is not there yet, is its own descendant, or stands too deep, hangs at nobody and gets nothing (`is_lost`);
 * its accounts are its own alone until it hangs somewhere.
 * Only leaves hold units; a unit of an inner queue is refused by whoever feeds this.
 * Pure: no clock, no I/O; same input, same output, in whatever order queues were put.
 * Threads: one, the engine's writer.
 * Ownership: strings are copied.  Pointers that queues_get returns die with the next put or delete.
 * Limits: LIMIT_POLICY_QUEUES queues, POLICY_RES resources, POLICY_DEPTH levels. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "base/limits.h"
#include "sched/engine/spec.h"

#define POLICY_RES ((uint32_t)LIMIT_QUEUE_RESOURCES)
#define POLICY_DEPTH ((uint32_t)LIMIT_QUEUE_DEPTH)
#define POLICY_UNLIMITED INT64_MAX
#define QUEUE_NONE 0u
#define QUEUE_MODEL_PREFIX "nvidia.com/gpu:"
typedef uint32_t queue_id;
typedef __int128 sum_t; /* of any number of units or nodes: one may ask for 2^50 */

/* A vector over the resources that queues speak of: cpu, memory and GPUs always, others when a queue names them.  slot_of[] says which. */
struct policy_amounts {
    int64_t v[POLICY_RES];
};

struct queue_resource {
    uint16_t id;    /* the engine's */
    int64_t quota;  /* deserved; POLICY_UNLIMITED */
    double weight;  /* of the surplus; 0: gets none */
    int64_t limit;  /* POLICY_UNLIMITED */
    str name;       /* under which its history is written down; for those that are not fixed, whose ids differ from run to run */
};
struct queue_spec {
    str name, parent; /* parent "": a root */
    str uid;
    int32_t priority; /* 100 unless told otherwise */
    nsec_t created_ns;
    const struct queue_resource *res; /* a resource that is not named: no quota, weight 1, no limit */
    size_t nres;
    nsec_t preempt_min_runtime_ns, reclaim_min_runtime_ns; /* -1: the parent's, at the root 0 */
    nsec_t max_runtime_ns;                                 /* of a unit in it; 0: the parent's, at the root none */
};

struct queue_state { /* for readers; vectors by slot */
    queue_id id, parent; /* parent QUEUE_NONE: a root */
    str name;
    int32_t priority;
    nsec_t created_ns;
    bool is_leaf, is_lost;
    uint32_t depth; /* roots: 0 */
    struct policy_amounts quota, limit, allocated, allocated_fixed /* non-preemptible */, requested /* allocated and waiting */;
    double weight[POLICY_RES];
    double usage[POLICY_RES]; /* of the past, as a part of the capacity of the past; 0 without history */
    struct policy_amounts fair; /* by the last queues_divide */
};

struct queues;
struct queues *queues_new(void);
void queues_free(struct queues *q);
/* E_INVALID_ARG, E_TOO_LARGE with a sentence; nothing is changed then. */
int queues_put(struct queues *q, const struct queue_spec *spec, queue_id *ret_id /* or NULL */, struct err *err) MUST_CHECK;
/* Its accounts stay with the queues above until its units are taken off; until then its id is good for the accounts and as a victim (it deserves nothing),
 * and a queue of the same name gets the id and the accounts. */
void queues_delete(struct queues *q, str name);
queue_id queues_find(const struct queues *q, str name); /* QUEUE_NONE */
const struct queue_state *queues_get(const struct queues *q, queue_id id); /* NULL: there is none */
/* Every queue once, parents before children, siblings by name, the lost ones last; returns how many there are, however many fit. */
size_t queues_list(const struct queues *q, queue_id *ret, size_t max);
/* The slot of a resource, or -1: no queue speaks of it. */
int queues_slot(const struct queues *q, uint16_t resource);
uint16_t queues_slot_resource(const struct queues *q, uint32_t slot);
uint32_t queues_nslots(const struct queues *q);
/* Of a slot that is a part of the GPUs ("nvidia.com/gpu:A100"): which model, "A100"; of all others "".  Like those of RES_GPU its amounts are thousandths. */
str queues_slot_model(const struct queues *q, uint32_t slot);
bool queues_slot_is_gpu(const struct queues *q, uint32_t slot);

/* --- accounts ----------------------------------------------------------------------------------------------------------------------- */
/* Vectors are by slot.  A put that names a new resource adds a slot (queues_nslots grows), or takes one over that no queue names any more and that is empty in all accounts: who feeds the
 * accounts then clears them and adds every unit again. */
void queues_clear_accounts(struct queues *q);
void queues_set_total(struct queues *q, const struct policy_amounts *total);
/* A unit waits (requested), holds (allocated and requested), or no more: leaf and all above.  fixed: non-preemptible. */
void queues_add_waiting(struct queues *q, queue_id leaf, const struct policy_amounts *a, int sign /* +1, -1 */);
void queues_add_allocated(struct queues *q, queue_id leaf, const struct policy_amounts *a, bool fixed, int sign);
/* Part of what it holds is non-preemptible, or no more; what it holds stays as it is. */
void queues_add_fixed(struct queues *q, queue_id leaf, const struct policy_amounts *a, int sign);

/* --- the division ------------------------------------------------------------------------------------------------------------------- */
/* Brings `fair` of all queues up to date: only divisions whose input changed are done again.  k: weight of the past (KAI's kValue, 1); below 0 counts as 0. */
void queues_divide(struct queues *q, double k);
/* History: half-life 0: a window, kept as the decay with the same mean age; window 0: history is off and forgotten.  Call with the wall time before every
 * change of accounts or total, and before a division: what was held until now is charged then.  `usage` itself is brought up to date once a second. */
void queues_usage_advance(struct queues *q, nsec_t now, nsec_t half_life_ns, nsec_t window_ns);
/* A window that begins anew: what was held before does not count, and without a half-life all that was held since counts in full.  0: the window slides.  Call before
 * queues_usage_advance. */
void queues_usage_since(struct queues *q, nsec_t since);
/* The kept sums, for whoever writes them down: one line a queue and resource.  queues_usage_load takes them back, once the queues are there; lines that it cannot
 * read and queues that it does not know are left out.  `usage` follows with the next advance. */
void queues_usage_save(const struct queues *q, struct strbuf *out);
void queues_usage_load(struct queues *q, str text);

/* --- rules: leaf to root --------------------------------------------------------------------------------------------------------------- */
enum queue_verdict { QUEUE_OK, QUEUE_MISSING, QUEUE_NOT_LEAF, QUEUE_LOST, QUEUE_OVER_LIMIT, QUEUE_FIXED_OVER_QUOTA };
struct queue_blame { /* which queue and resource said no, with the numbers */
    queue_id queue;
    uint32_t slot;
    int64_t have, ask, may;
};
/* May a unit that asks this much start: no limit passed, and a fixed one within quota, at every level? */
enum queue_verdict queues_may_start(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, bool fixed, struct queue_blame *ret_blame /* or NULL */);
/* May it take from others: within the leaf's share with what it asks for, in all resources, and a fixed one within quota at every level.  A share is never less than the
 * quota that is asked for, here and in all rules below, even where the quotas are more than there is and `fair` was cut. */
bool queues_may_reclaim(const struct queues *q, queue_id leaf, const struct policy_amounts *ask, bool fixed);
/* One lump of a victim's leaf is taken for `ask` of the reclaimer's leaf, after `taken` has been taken from each queue by the lumps before (taken: indexed by queue id,
 * queues_capacity(q) entries, kept by the caller; NULL: nothing).  KAI's rules: the victim's side is above its share, or the reclaimer's is within its quota and
 * the victim's above its own.  A side is above when it is so in any resource, and within when it is so in all, asked for or not. */
bool queues_may_take(const struct queues *q, queue_id reclaimer, const struct policy_amounts *ask, queue_id victim, const struct policy_amounts *taken);
/* When all lumps are chosen: does no level's reclaimer end above its share while it is more saturated than a sibling it took from?  multiplier >= 1. */
bool queues_take_is_fair(const struct queues *q, queue_id reclaimer, const struct policy_amounts *ask, bool fixed, const struct policy_amounts *taken, double multiplier);
size_t queues_capacity(const struct queues *q);
/* Adds a lump to `taken` of the leaf and all above it. */
void queues_take_add(const struct queues *q, queue_id victim, const struct policy_amounts *lump, int sign, struct policy_amounts *taken);
/* Minimum run times in force: of a victim in its own queue; against a reclaimer elsewhere (KAI's lca method); the longest a unit may run (0: no end). */
nsec_t queues_preempt_min_runtime(const struct queues *q, queue_id victim);
nsec_t queues_reclaim_min_runtime(const struct queues *q, queue_id reclaimer, queue_id victim);
nsec_t queues_max_runtime(const struct queues *q, queue_id leaf);
/* Of queues that say nothing, nor any above them (0, 0 at first); by_leaf: reclaim asks from the victim's leaf upwards, KAI's method "queue". */
void queues_set_min_runtimes(struct queues *q, nsec_t preempt_ns, nsec_t reclaim_ns, bool by_leaf);

/* --- order ----------------------------------------------------------------------------------------------------------------------------- */
/* Whose turn is it: <0 a, >0 b, among siblings; ask_a and ask_b are what the best unit of each would take (below zero: victims already chosen; NULL: nothing).
 * KAI's rules in its order: 1. not over its share (in all resources that it holds) 2. stays within its quota 3. priority 4. has a right to all it would use
 * 5. smaller dominant share with the unit 6. and without 7. smaller right 8. older 9. name.  A total order. */
int queues_compare(const struct queues *q, queue_id a, const struct policy_amounts *ask_a, queue_id b, const struct policy_amounts *ask_b);
/* The sibling ancestors of two leaves, just below what they have in common (different roots: the roots). */
void queues_siblings(const struct queues *q, queue_id a, queue_id b, queue_id *ret_a, queue_id *ret_b);
