/* unit_tree.c - the tree of a group and its sub-groups: who has what it must have, and what can be missed.
 *
 *   group (2 of its sub-groups) ─┬─ a (min 2): a0 a1 a2       a, b are enough: c can go as a whole, a2 by itself; then nothing more
 *                                ├─ b (min 1): b0
 *                                └─ c (min 2): c0 c1
 * A branch is well when it has its members (those below it count) and enough of the sub-groups below it are well.  A sub-group that need not be is there as a whole or not at all. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/unit_attempt.h"

static bool is_placed(const struct pod *p)
{
    return p->state == PS_ASSUMED || p->state == PS_BOUND || p->state == PS_ELSEWHERE;
}

uint32_t tree_branch_of(const struct unit *unit, const struct pod *p)
{
    return p->subgroup < unit->nsubgroups ? p->subgroup : unit->nsubgroups;
}

static bool is_well(const struct branch *b)
{
    return b->placed >= b->target && b->nwell >= b->need;
}

void tree_make(struct branch *tree, const struct unit *unit, bool gangs)
{
    uint32_t root = unit->nsubgroups;
    for (uint32_t i = 0; i <= root; i++) {
        const struct subgroup *g = i < root ? &unit->subgroups[i] : NULL;
        tree[i] = (struct branch){.parent = !g || g->parent >= root ? root : g->parent};
        tree[i].target = gangs ? (g ? g->min_member : unit->min_member) : 0;
    }
    for (uint32_t i = 0; i < root; i++)
        tree[tree[i].parent].nchildren++;
    for (uint32_t i = 0; gangs && i <= root; i++) {
        int32_t least = i < root ? unit->subgroups[i].min_subgroup : unit->min_subgroup;
        tree[i].need = least == SUBGROUPS_NONE ? 0 : least ? MIN((uint32_t)least, tree[i].nchildren) : tree[i].nchildren;
    }
    tree_settle(tree, root);
}

/* Sub-groups may stand in any order: from the leaves up, one level a turn. */
void tree_settle(struct branch *tree, uint32_t root)
{
    for (uint32_t i = 0; i <= root; i++) {
        tree[i].nwell = 0;
        tree[i].well = false;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i <= root; i++)
            if (!tree[i].well && is_well(&tree[i])) {
                tree[i].well = changed = true;
                tree[tree[i].parent].nwell += i != root;
            }
    }
}

void tree_place(struct branch *tree, uint32_t root, uint32_t b, int32_t delta)
{
    for (;; b = tree[b].parent) {
        bool was = tree[b].well;
        tree[b].placed += delta;
        tree[b].well = is_well(&tree[b]);
        if (b == root)
            return;
        if (was && !tree[b].well)
            tree[tree[b].parent].nwell--;
        else if (!was && tree[b].well)
            tree[tree[b].parent].nwell++;
    }
}

bool tree_could_be(const struct branch *tree, uint32_t root, uint32_t b, bool gated)
{
    const struct branch *br = &tree[b];
    uint32_t n = 0;
    if (br->placed + br->waiting + (gated ? br->gated : 0) < br->target)
        return false;
    for (uint32_t i = 0; n < br->need && i < root; i++)
        n += tree[i].parent == b && tree_could_be(tree, root, i, gated);
    return n >= br->need;
}

static struct branch *tree_of(const struct sched *s, unit_id u)
{
    const struct unit *unit = &s->units[u];
    uint32_t root = unit->nsubgroups;
    struct branch *tree = xarray(root + 1, struct branch);
    tree_make(tree, unit, unit_rules_of(s, u)->gangs);
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        if (is_placed(p))
            tree_place(tree, root, tree_branch_of(unit, p), 1);
    }
    return tree;
}

/* One member of b less; false, and nothing changed, when something that was well would be so in part only. */
static bool lose_one(struct branch *tree, uint32_t root, uint32_t b)
{
    uint64_t was[(LIMIT_SCHED_SUBGROUPS + 64) / 64] = {0};
    uint32_t depth = 0;
    for (uint32_t at = b;; at = tree[at].parent, depth++) {
        if (tree[at].well)
            bit_set(was, depth);
        if (at == root)
            break;
    }
    tree_place(tree, root, b, -1);
    bool good = true;
    depth = 0;
    for (uint32_t at = b;; at = tree[at].parent, depth++) {
        good &= tree[at].well || !bit_get(was, depth) || (at != root && tree[at].placed == 0);
        if (at == root)
            break;
    }
    if (!good)
        tree_place(tree, root, b, 1);
    return good;
}

bool unit_holds_without(const struct sched *s, unit_id u, const pod_id *gone, size_t n)
{
    const struct unit *unit = &s->units[u];
    struct branch *tree = tree_of(s, u);
    bool holds = true;
    for (size_t i = 0; i < n && holds; i++)
        if (s->pods[gone[i]].unit == u && is_placed(&s->pods[gone[i]]))
            holds = lose_one(tree, unit->nsubgroups, tree_branch_of(unit, &s->pods[gone[i]]));
    holds = holds && tree[unit->nsubgroups].well;
    free(tree);
    return holds;
}

static bool is_below(const struct branch *tree, uint32_t root, uint32_t b, uint32_t top)
{
    while (b != top && b != root)
        b = tree[b].parent;
    return b == top;
}

/* The sub-group around b that is well and need not be; `root`: there is none. */
static uint32_t spare_around(const struct branch *tree, uint32_t root, uint32_t b)
{
    for (; b != root; b = tree[b].parent) {
        const struct branch *up = &tree[tree[b].parent];
        if (tree[b].well && tree[b].placed > 0 && up->well && up->nwell > up->need && up->placed - tree[b].placed >= up->target)
            return b;
    }
    return root;
}

uint32_t unit_surplus(const struct sched *s, unit_id u, const pod_id *pods, size_t n, uint32_t *ret_part)
{
    const struct unit *unit = &s->units[u];
    uint32_t root = unit->nsubgroups, part = 0;
    struct branch *tree = tree_of(s, u);
    memset(ret_part, 0, n * sizeof *ret_part);
    for (size_t i = 0; tree[root].well && i < n; i++)
        if (lose_one(tree, root, tree_branch_of(unit, &s->pods[pods[i]])))
            ret_part[i] = ++part;
    for (size_t i = 0; root && tree[root].well && i < n; i++) {
        uint32_t spare = ret_part[i] ? root : spare_around(tree, root, tree_branch_of(unit, &s->pods[pods[i]]));
        part += spare != root;
        for (size_t k = i; spare != root && k < n; k++) {
            uint32_t b = tree_branch_of(unit, &s->pods[pods[k]]);
            if (ret_part[k] || !is_below(tree, root, b, spare))
                continue;
            ret_part[k] = part;
            tree_place(tree, root, b, -1);
        }
    }
    free(tree);
    return part;
}
