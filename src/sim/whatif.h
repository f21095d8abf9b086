/* whatif.h - questions about a gang that is not there: would it fit now, when would it start, what would have to go, how many nodes would do.
 *
 * The first, third and fourth are asked on the state as it is, in statements that are rolled back; the second lets the simulation run on with the
 * gang in it.
 * Threads: one.  Ownership: the answer lives on the arena; the simulation is used up (it ran on). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sim/inputs.h"

struct whatif_place {
    str pod, node;
};
struct whatif_need { /* of one kind of node */
    str template;
    uint32_t count; /* 0: none of these would help */
};
struct whatif_answer {
    str job;
    uint32_t pods;
    int32_t min_member;
    nsec_t at;
    str queue; /* "": none, and the rules of Kubernetes decide */
    uint32_t position; /* in its queue */
    bool fits_now;
    struct whatif_place *places; /* where, when it fits */
    size_t nplaces;
    str why; /* a sentence, when it does not */
    /* Evictions that would make room: at its own priority, or else at the highest. */
    bool can_evict, can_evict_at_top;
    struct whatif_place *victims;
    size_t nvictims;
    /* The start. */
    bool start_known; /* false: nobody knows when what runs will end */
    bool starts;      /* false although known: never */
    nsec_t start;
    struct whatif_need *needs;
    size_t nneeds;
};
/* `shapes` are the kinds of nodes that could be added; has_ends: running pods end (a scenario) or nobody knows when (a dump). */
int whatif_ask(struct sim *sim, struct arena *a, const struct scenario_job *job, const struct input_shapes *shapes, bool has_ends, struct whatif_answer *ret, struct err *err) MUST_CHECK;
/* The shapes of a scenario's templates. */
int whatif_shapes(struct sim *sim, struct arena *a, const struct scenario *sc, struct input_shapes *ret, struct err *err) MUST_CHECK;
void whatif_text(struct strbuf *b, const struct whatif_answer *x);
void whatif_json(struct strbuf *b, const struct whatif_answer *x);
