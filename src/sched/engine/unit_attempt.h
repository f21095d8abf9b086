/* unit_attempt.h - one group's decision while it is being made: who waits, who is placed, what failed first.
 *
 * Members stand in `pods`, by sub-group, class and arrival; tree[] has an entry for each sub-group and, last, one for the group itself. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "sched/engine/unit_state.h"

#define UNIT_TOLD_MAX 16u /* classes that are looked at for reasons: each costs a look at every node */

struct nearby { /* domains of the preferred keys inside a wider one: filled one after the other, the emptiest first, so that the members come to few of them */
    uint64_t **sets; /* the emptiest last */
    uint32_t n, at;  /* so many are full */
};
struct branch { /* a sub-group or the group */
    uint32_t parent;      /* index in tree; the group is its own */
    int32_t target;       /* members that must be placed, those of sub-groups below included */
    int32_t placed;       /* so many are, before and in this attempt */
    int32_t waiting, gated; /* at the start, sub-groups below included */
    uint32_t first, count; /* own waiting members in attempt.pods */
    uint32_t nchildren, need, nwell; /* sub-groups just below; that must be well; that are */
    bool well;                       /* has its members, and enough of those below are well */
    const uint64_t *within; /* the nodes it is confined to in this attempt; NULL: all */
    struct nearby *nearby;  /* where to begin; NULL: anywhere */
    const uint64_t *beyond; /* for who finds no room there: it has what it needs, and one more need not be with the others; NULL: nowhere */
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
    class_id told[UNIT_TOLD_MAX]; /* classes whose reasons are in rejected_by */
    uint32_t ntold;
    uint64_t rejected_by;
    struct arena arena;
};

/* --- unit_tree.c: tree[0..root], the group itself last ------------------------------------------------------------------------------ */
void tree_make(struct branch *tree, const struct unit *unit, bool gangs);
void tree_settle(struct branch *tree, uint32_t root); /* after targets changed */
uint32_t tree_branch_of(const struct unit *unit, const struct pod *p);
/* So many more (or fewer) members of b are placed. */
void tree_place(struct branch *tree, uint32_t root, uint32_t b, int32_t delta);
/* Could it be well if all that wait found a node?  gated: those, too. */
bool tree_could_be(const struct branch *tree, uint32_t root, uint32_t b, bool gated);

/* --- unit_gang.c: counting and trying one set of nodes ------------------------------------------------------------------------------ */
void attempt_init(struct attempt *a, struct sched *s, unit_id u);
void attempt_fini(struct attempt *a);
/* Every target reached within these nodes (NULL: all)?  Leaves the placements in the model if so, and nothing if not. */
bool attempt_try(struct attempt *a, const uint64_t *within);
struct attempt_mark { /* a place in the attempt to come back to */
    uint32_t statement;
    size_t done, victims;
};
struct attempt_mark attempt_begin(struct attempt *a);
void attempt_rollback(struct attempt *a, struct attempt_mark m);
/* unit_pack.c: the same for a task of several domains, with second thoughts; attempt_try failed there. */
bool attempt_pack(struct attempt *a, const uint64_t *within);
