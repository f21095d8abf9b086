/* unit_group.c - the decision for a group: complete?  which nodes, in which order?  then try, then evict, else say why not. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit_attempt.h"

/* Nothing to decide yet, or ever?  d->result says which. */
static bool is_ready(const struct attempt *a, struct unit_decision *d)
{
    const struct branch *root = &a->tree[a->root];
    d->helped_by = EVENT_GROUP;
    if (!a->unit->declared) {
        d->result = UNIT_INCOMPLETE;
        return false;
    }
    if (root->waiting + root->gated == 0) {
        d->result = UNIT_NOTHING;
        return false;
    }
    if (!tree_could_be(a->tree, a->root, a->root, true)) {
        d->result = UNIT_INCOMPLETE;
        return false;
    }
    if (root->waiting == 0 || !tree_could_be(a->tree, a->root, a->root, false)) {
        d->result = UNIT_GATED;
        d->helped_by = EVENT_GROUP | EVENT_POD_UPDATED;
        return false;
    }
    return true;
}

/* --- nodes --------------------------------------------------------------------------------------------------------------------------- */
/* The sets to try, in order; a NULL among them means all nodes. */
static void find_sets(struct attempt *a, struct node_sets *ret)
{
    struct sched *s = a->s;
    const struct unit_rules *x = a->rules;
    uint32_t words = s->view.words;
    uint64_t *nodes = xmalloc(words * sizeof *nodes);
    memcpy(nodes, s->alive, words * sizeof *nodes);
    for (uint32_t w = 0; s->batch_within && w < words; w++)
        nodes[w] &= s->batch_within[w];
    for (uint64_t m = x->locators; m; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m), before = bits_count(nodes, words);
        s->table->plugins[i].plugin->locate(s, a->u, s->table->plugins[i].args, nodes);
        if (bits_count(nodes, words) != before)
            a->rejected_by |= 1ull << i;
    }
    bool cut = false;
    for (uint64_t m = x->groupers; m && !cut; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(m);
        cut = s->table->plugins[i].plugin->group(s, a->u, s->table->plugins[i].args, nodes, ret);
        if (cut)
            a->rejected_by |= 1ull << i;
    }
    /* all nodes: the pod level's caches know their best one without looking through a bitmap */
    if (!cut)
        vec_push(&ret->sets, memcmp(nodes, s->alive, words * sizeof *nodes) == 0 ? NULL : TAKE(nodes));
    free(nodes);
}

/* --- outcomes ------------------------------------------------------------------------------------------------------------------------ */
static void take_placements(struct attempt *a, struct unit_decision *d)
{
    for (size_t i = 0; i < a->done.len; i++)
        vec_push(&d->placements, a->done.p[i]);
}

static bool try_plainly(struct attempt *a, const struct node_sets *sets, struct unit_decision *d)
{
    struct sched *s = a->s;
    uint32_t mark = statement_begin(s);
    for (uint32_t i = 0; i < a->npods; i++)
        if (s->pods[a->pods[i]].state == PS_NOMINATED)
            model_unassign(s, a->pods[i]);
    bool good = false;
    for (size_t i = 0; i < sets->sets.len && !good; i++)
        good = attempt_try(a, sets->sets.p[i]);
    if (!good) {
        statement_rollback(s, mark);
        return false;
    }
    statement_commit(s, mark);
    for (size_t i = 0; i < a->done.len; i++)
        preempt_override(s, a->done.p[i].pod);
    take_placements(a, d);
    d->result = UNIT_PLACED;
    return true;
}

/* May the unit evict now?  Not while victims of one of its members are still leaving. */
static bool is_eligible(const struct attempt *a)
{
    bool any = false;
    for (uint32_t i = 0; i < a->npods; i++) {
        const struct pod_class *c = class_of(a->s, a->pods[i]);
        if (c->preempt_never || !profile_of(a->s, c)->preempt)
            continue;
        if (!preempt_is_eligible(a->s, a->pods[i]))
            return false;
        any = true;
    }
    return any;
}

/* Finds out in a statement how it could be, throws that away and does it: victims TERMINATING, members NOMINATED. */
static bool try_evicting(struct attempt *a, const struct node_sets *sets, struct unit_decision *d)
{
    struct sched *s = a->s;
    uint32_t mark = statement_begin(s);
    for (uint32_t i = 0; i < a->npods; i++)
        if (s->pods[a->pods[i]].state == PS_NOMINATED)
            model_unassign(s, a->pods[i]);
    a->evict = true;
    bool good = false;
    for (size_t i = 0; i < sets->sets.len && !good; i++)
        good = attempt_try(a, sets->sets.p[i]);
    statement_rollback(s, mark);
    if (!good)
        return false;
    for (uint32_t i = 0; i < a->npods; i++)
        if (s->pods[a->pods[i]].state == PS_NOMINATED)
            model_unassign(s, a->pods[i]);
    struct preempt_candidate one = PREEMPT_CANDIDATE_INIT;
    for (size_t i = 0; i < a->victims.len; i++) {
        model_set_state(s, a->victims.p[i], PS_TERMINATING);
        vec_push(&d->victims, a->victims.p[i]);
    }
    for (size_t i = 0; i < a->done.len; i++) {
        one.node = a->done.p[i].node;
        preempt_apply(s, a->done.p[i].pod, &one, a->done.p[i].gpu_mask);
    }
    take_placements(a, d);
    d->result = UNIT_PREEMPTING;
    return true;
}

/* The class of the pod, when that fits nowhere by itself, the group is nothing without it, and only a change of a node can help. */
static class_id missing_class(const struct attempt *a, pod_id p)
{
    struct sched *s = a->s;
    const struct pod_class *c = class_of(s, p);
    struct place_result r;
    if (!c->is_local || c->nvolumes || c->pinned_node)
        return 0;
    uint32_t mark = statement_begin(s);
    for (uint32_t i = 0; i < a->npods; i++) /* what is kept for it is not in its way */
        if (s->pods[a->pods[i]].state == PS_NOMINATED)
            model_unassign(s, a->pods[i]);
    bool fits = place_find(s, c->id, &(struct place_opts){0}, &r);
    statement_rollback(s, mark);
    return fits ? 0 : c->id;
}

/* What a group that needs all its members cannot do without, as far as it is one thing. */
static void find_missing(const struct attempt *a, struct unit_decision *d)
{
    if (a->unit->min_member < (int64_t)a->unit->pods.len)
        return;
    if (a->rules->bandwidth >= 0 && links_lack_whole(a->s, a->u, d->waits_link))
        return;
    d->waits_for = missing_class(a, d->failed_pod);
}

static void reject(struct attempt *a, bool eligible, struct unit_decision *d)
{
    struct sched *s = a->s;
    bool keeps = s->batch != BATCH_OFF; /* the policy looks after its nominations itself */
    bool kept = keep_of(s, a->u) != NULL; /* and so does the dispatcher after these */
    for (uint32_t i = 0; i < a->npods && !s->batch && !kept; i++) {
        if (s->pods[a->pods[i]].state != PS_NOMINATED)
            continue;
        if (eligible || !profile_of(s, class_of(s, a->pods[i]))->preempt)
            model_unassign(s, a->pods[i]);
        else
            keeps = true;
    }
    d->result = UNIT_REJECTED;
    d->failed_pod = a->failed_pod ? a->failed_pod : a->pods[0];
    d->rejected_by = a->rejected_by;
    d->helped_by = unit_helped_by(s, a->rejected_by) | EVENT_GROUP | (keeps ? EVENT_POD_FREED : 0);
    if (unlikely(unit_crosses(a->unit)) && !keeps)
        find_missing(a, d);
}

void unit_place_group(struct sched *s, unit_id u, struct unit_decision *d)
{
    struct attempt a;
    struct node_sets sets = {0};
    attempt_init(&a, s, u);
    if (is_ready(&a, d)) {
        d->helped_by = 0;
        unit_topologies(s, u);
        find_sets(&a, &sets);
        bool eligible = !s->batch && is_eligible(&a);
        if (!try_plainly(&a, &sets, d) && !(eligible && try_evicting(&a, &sets, d)))
            reject(&a, eligible, d);
        for (size_t i = 0; i < sets.sets.len; i++)
            free(sets.sets.p[i]);
        vec_fini(&sets.sets);
    }
    attempt_fini(&a);
}
