/* unit_wants.c - whom a group needs next, without placing anybody: as unit_gang.c goes, with everybody finding a node. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/unit_attempt.h"

struct wants {
    struct attempt *a;
    bool *taken; /* by position in attempt.pods */
    struct unit_members *ret;
};

static bool lacks(const struct attempt *a, uint32_t b)
{
    return a->tree[b].placed < a->tree[b].target;
}

static void want(struct wants *x, uint32_t b, uint32_t i)
{
    struct attempt *a = x->a;
    x->taken[i] = true;
    vec_push(&x->ret->pods, a->pods[i]);
    for (;; b = a->tree[b].parent) {
        a->tree[b].placed++;
        if (b == a->root)
            return;
    }
}

/* Own members of b, then those of sub-groups below, until `top` has what it needs. */
static void fill(struct wants *x, uint32_t b, uint32_t top)
{
    struct attempt *a = x->a;
    const struct branch *br = &a->tree[b];
    for (uint32_t i = br->first; i < br->first + br->count && lacks(a, top); i++)
        if (!x->taken[i])
            want(x, b, i);
    for (uint32_t k = 0; br->has_children && k < a->root && lacks(a, top); k++)
        if (a->tree[a->order[k]].parent == b && a->order[k] != b)
            fill(x, a->order[k], top);
}

static void visit(struct wants *x, uint32_t b)
{
    struct attempt *a = x->a;
    for (uint32_t k = 0; a->tree[b].has_children && k < a->root; k++)
        if (a->tree[a->order[k]].parent == b && a->order[k] != b)
            visit(x, a->order[k]);
    fill(x, b, b);
}

void sched_next_members(struct sched *s, unit_id u, struct unit_members *ret)
{
    struct attempt a;
    vec_clear(&ret->pods);
    attempt_init(&a, s, u);
    struct wants x = {&a, arena_array(&a.arena, a.npods + 1, bool), ret};
    visit(&x, a.root);
    attempt_fini(&a);
}
