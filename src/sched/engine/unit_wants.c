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
    x->taken[i] = true;
    vec_push(&x->ret->pods, x->a->pods[i]);
    tree_place(x->a->tree, x->a->root, b, 1);
}

/* Own members of b, then those of sub-groups below, until `top` has what it needs. */
static void fill(struct wants *x, uint32_t b, uint32_t top)
{
    struct attempt *a = x->a;
    const struct branch *br = &a->tree[b];
    for (uint32_t i = br->first; i < br->first + br->count && lacks(a, top); i++)
        if (!x->taken[i])
            want(x, b, i);
    for (uint32_t k = 0; br->nchildren && k < a->root && lacks(a, top); k++)
        if (a->tree[a->order[k]].parent == b && a->tree[a->order[k]].well)
            fill(x, a->order[k], top);
}

/* As unit_gang.c's place_children and grow_subgroup. */
static void visit(struct wants *x, uint32_t b)
{
    struct attempt *a = x->a;
    const struct branch *br = &a->tree[b];
    bool all = br->need == br->nchildren;
    for (int turn = all ? 1 : 0; turn < 2; turn++)
        for (uint32_t k = 0; br->nchildren && k < a->root; k++) {
            uint32_t c = a->order[k];
            if (a->tree[c].parent == b && (all || (!a->tree[c].well && br->nwell < br->need && (turn || a->tree[c].placed) && tree_could_be(a->tree, a->root, c, false))))
                visit(x, c);
        }
    fill(x, b, b);
}

static bool grow(struct wants *x, uint32_t b)
{
    struct attempt *a = x->a;
    for (uint32_t k = 0; a->tree[b].nchildren && k < a->root; k++) {
        uint32_t c = a->order[k];
        if (a->tree[c].parent != b || (!a->tree[c].well && !tree_could_be(a->tree, a->root, c, false)))
            continue;
        if (!a->tree[c].well)
            visit(x, c);
        else if (!grow(x, c))
            continue;
        return true;
    }
    return false;
}

bool unit_could_be(struct sched *s, unit_id u)
{
    struct attempt a;
    if (!s->units[u].declared)
        return false;
    attempt_init(&a, s, u);
    bool could = a.tree[a.root].waiting > 0 && tree_could_be(a.tree, a.root, a.root, false);
    attempt_fini(&a);
    return could;
}

void sched_next_members(struct sched *s, unit_id u, struct unit_members *ret)
{
    struct attempt a;
    vec_clear(&ret->pods);
    attempt_init(&a, s, u);
    struct wants x = {&a, arena_array(&a.arena, a.npods + 1, bool), ret};
    int32_t target = a.tree[a.root].target;
    bool more = a.tree[a.root].placed >= a.unit->min_member && a.tree[a.root].nwell >= a.tree[a.root].need;
    a.tree[a.root].target = more ? 0 : target; /* what lacks below it comes first, a sub-group more before a member more */
    visit(&x, a.root);
    a.tree[a.root].target = target;
    if (lacks(&a, a.root) && (!more || !grow(&x, a.root)))
        fill(&x, a.root, a.root);
    attempt_fini(&a);
}
