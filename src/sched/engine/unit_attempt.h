/* unit_attempt.h - one group's decision while it is being made: who waits, who is placed, what failed first.
 *
 * Members stand in `pods`, by sub-group, class and arrival; tree[] has an entry for each sub-group and, last, one for the group itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/unit_state.h"

struct branch { /* a sub-group or the group */
    uint32_t parent;      /* index in tree; the group is its own */
    int32_t target;       /* members that must be placed, those of sub-groups below included */
    int32_t placed;       /* so many are, before and in this attempt */
    int32_t waiting, gated; /* at the start, sub-groups below included */
    uint32_t first, count; /* own waiting members in attempt.pods */
    bool has_children;
    const uint64_t *within; /* the nodes it is confined to in this attempt; NULL: all */
};
struct attempt {
    struct sched *s;
    unit_id u;
    const struct unit *unit;
    const struct unit_rules *rules; /* of its profile */
    bool evict; /* needed members may evict */
    struct branch *tree;
    uint32_t ntree, root;
    pod_id *pods;   /* waiting members */
    node_id *kept;  /* by member: the node it was nominated to */
    uint32_t npods;
    uint32_t *order; /* sub-groups, the hardest to place first */
    VEC(struct placement) done;
    VEC(pod_id) victims;
    VEC(struct node_sets) sets; /* all that `within` pointers point to */
    const uint64_t *stamp_within; /* what the stamp of failed classes stands for */
    bool stamp_evict;
    bool again; /* a class failed that members placed later may help */
    pod_id failed_pod; /* the first needed one that found no node */
    uint64_t rejected_by;
    struct arena arena;
};

/* --- unit_gang.c: counting and trying one set of nodes ------------------------------------------------------------------------------ */
void attempt_init(struct attempt *a, struct sched *s, unit_id u);
void attempt_fini(struct attempt *a);
/* Every target reached within these nodes (NULL: all)?  Leaves the placements in the model if so, and nothing if not. */
bool attempt_try(struct attempt *a, const uint64_t *within);
