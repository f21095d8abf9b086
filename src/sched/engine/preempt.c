/* preempt.c - the choice of a node to evict on, and carrying it out. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/preempt.h"

#include "sched/engine/pdbs.h"
#include "sched/engine/place_state.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/unit.h"

void preempt_candidate_fini(struct preempt_candidate *c)
{
    vec_fini(&c->victims);
    c->node = NODE_NONE;
}

bool preempt_is_eligible(const struct sched *s, pod_id p)
{
    const struct pod *pod = &s->pods[p];
    const struct pod_class *c = s->classes[pod->class_];
    if (c->preempt_never)
        return false;
    if (pod->state != PS_NOMINATED || s->preempt->leaving.npods == 0)
        return true;
    for (pod_id v = s->nodes[pod->node].first_pod; v; v = s->pods[v].next_on_node)
        if (s->pods[v].state == PS_TERMINATING)
            return false;
    return true;
}

/* Is there anybody at all who could make room? */
static bool anybody_below(const struct sched *s, const struct pod_class *c)
{
    const struct preempt_state *x = s->preempt;
    if (x->leaving.npods)
        return true;
    for (uint32_t i = 0; i < x->nlevels && x->levels[i].priority < c->priority; i++)
        if (x->levels[i].npods)
            return true;
    return false;
}

/* --- a part of the nodes: one after another, nothing kept ------------------------------------------------------------------------- */
struct best {
    node_id node;
    struct candidate_key key;
    struct preempt_counts counts;
};

static void try_node(struct sched *s, const struct pod_class *c, const struct preempt_how *how, node_id n, struct best *b)
{
    struct candidate_key key;
    if (!preempt_filters_fit(s, c, how->static_filters, n)) {
        b->counts.unresolvable++;
        return;
    }
    if (!preempt_bound(s, c, how, n, &key)) {
        b->counts.hopeless++;
        return;
    }
    b->counts.searched++;
    if (b->node != NODE_NONE && !candidate_less(s, &key, n, &b->key, b->node))
        return;
    enum candidate_kind kind = preempt_search(s, c, how, n, &key);
    if (kind == CAND_UNRESOLVABLE) {
        b->counts.searched--;
        b->counts.unresolvable++;
    } else if (kind == CAND_EXACT && (b->node == NODE_NONE || candidate_less(s, &key, n, &b->key, b->node))) {
        b->node = n;
        b->key = key;
    }
}

static struct best best_within(struct sched *s, const struct pod_class *c, const struct preempt_how *how, const uint64_t *within)
{
    struct best b = {.node = NODE_NONE};
    model_tie_ranks(s);
    if (c->pinned_node) {
        node_id n = sched_node_find(s, symbol_text(&s->sym, c->pinned_node));
        if (n != NODE_NONE && (!within || bit_get(within, n)))
            try_node(s, c, how, n, &b);
        return b;
    }
    for (uint32_t w = 0; w < s->view.words; w++)
        for (uint64_t bits = within[w] & s->alive[w]; bits; bits &= bits - 1)
            try_node(s, c, how, w * 64 + (uint32_t)__builtin_ctzll(bits), &b);
    return b;
}

/* --- victims --------------------------------------------------------------------------------------------------------------------------- */
static bool is_listed(const pod_id *list, size_t n, pod_id p)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == p)
            return true;
    return false;
}

static bool is_listed_unit(const struct sched *s, const pod_id *list, size_t n, unit_id u)
{
    for (size_t i = 0; i < n; i++)
        if (s->pods[list[i]].unit == u)
            return true;
    return false;
}

/* A gang that loses its minimum is of no use: the rest of it goes, too, as far as it may be evicted.  Gangs are large and a node's pods are few: each gang is
 * asked once, and only the node's own victims can be in the list twice. */
static void add_gang_mates(const struct sched *s, const struct pod_class *c, struct preempt_candidate *ret)
{
    size_t n = ret->victims.len;
    for (size_t i = 0; i < n; i++) {
        unit_id u = s->pods[ret->victims.p[i]].unit;
        const struct unit *unit = &s->units[u];
        if (!unit->is_group || !unit->declared || is_listed_unit(s, ret->victims.p, i, u) || unit_holds_without(s, u, ret->victims.p, n))
            continue;
        for (size_t k = 0; k < unit->pods.len; k++)
            if (preempt_may_evict(s, c, unit->pods.p[k]) && !is_listed(ret->victims.p, n, unit->pods.p[k]))
                vec_push(&ret->victims, unit->pods.p[k]);
    }
}

static bool find(struct sched *s, struct pod_class *c, const uint64_t *within, struct preempt_candidate *ret, struct preempt_counts *considered)
{
    struct preempt_how how;
    struct best b = {.node = NODE_NONE};
    plan_refresh(s, c);
    preempt_how_of(s, c, &how);
    if (!anybody_below(s, c))
        b.counts.hopeless = s->nalive;
    else if (within || c->pinned_node)
        b = best_within(s, c, &how, within);
    else
        b.node = preempt_best(s, c, &how, &b.counts, &b.key);
    if (considered)
        *considered = b.counts;
    if (b.node == NODE_NONE)
        return false;
    /* the victims were forgotten since; the same search gives them again */
    enum candidate_kind kind = preempt_search(s, c, &how, b.node, &b.key);
    BUG_ON(kind != CAND_EXACT);
    for (size_t i = 0; i < s->preempt->victims.len; i++)
        if (!s->preempt->victims.p[i].stays)
            vec_push(&ret->victims, s->preempt->victims.p[i].pod);
    ret->node = b.node;
    ret->violations = b.key.violations;
    if (profile_of(s, c)->unit_preempt_whole)
        add_gang_mates(s, c, ret);
    return true;
}

bool preempt_find(struct sched *s, pod_id p, const uint64_t *within, struct preempt_candidate *ret, struct preempt_counts *considered)
{
    struct pod *pod = &s->pods[p];
    vec_clear(&ret->victims);
    ret->node = NODE_NONE;
    ret->violations = 0;
    if (considered)
        *considered = (struct preempt_counts){0};
    if (!preempt_is_eligible(s, p) || pod->state > PS_NOMINATED || pod->state < PS_PENDING)
        return false;
    /* the room that is kept for the pod itself is not in its way */
    struct pod before = *pod;
    if (before.state == PS_NOMINATED)
        model_undo_assign(s, p);
    bool found = find(s, class_of(s, p), within, ret, considered);
    if (before.state == PS_NOMINATED)
        model_redo_assign(s, p, before.node, PS_NOMINATED, before.gpu_mask, before.numa_zones);
    return found;
}

/* --- carrying it out ---------------------------------------------------------------------------------------------------------------- */
static int lowest_first(const void *pa, const void *pb, void *arg)
{
    pod_id a = *(const pod_id *)pa, b = *(const pod_id *)pb;
    int32_t x = class_of(arg, a)->priority, y = class_of(arg, b)->priority;
    if (x != y)
        return x < y ? -1 : 1;
    return a > b ? -1 : a < b;
}

/* Those of lower priority that have room kept on n, in state->ids: who loses it first stands first.  Members of the same unit keep theirs. */
static void lower_nominated(struct sched *s, pod_id p, node_id n)
{
    struct preempt_state *x = s->preempt;
    vec_clear(&x->ids);
    if (x->nominated_on[n] == 0)
        return;
    for (pod_id q = s->nodes[n].first_pod; q; q = s->pods[q].next_on_node)
        if (s->pods[q].state == PS_NOMINATED && class_of(s, q)->priority < class_of(s, p)->priority && s->pods[q].unit != s->pods[p].unit)
            vec_push(&x->ids, q);
    if (x->ids.len > 1)
        qsort_r(x->ids.p, x->ids.len, sizeof *x->ids.p, lowest_first, s);
}

static void drop_lower_nominated(struct sched *s, pod_id p, node_id n)
{
    lower_nominated(s, p, n);
    for (size_t i = 0; i < s->preempt->ids.len; i++)
        model_unassign(s, s->preempt->ids.p[i]);
}

void preempt_apply(struct sched *s, pod_id p, const struct preempt_candidate *c, uint16_t gpu_mask)
{
    for (size_t i = 0; i < c->victims.len; i++)
        model_set_state(s, c->victims.p[i], PS_TERMINATING);
    drop_lower_nominated(s, p, c->node);
    if (s->pods[p].state == PS_NOMINATED)
        model_unassign(s, p);
    model_assign(s, p, c->node, PS_NOMINATED, gpu_mask);
}

void preempt_imagine(struct sched *s, pod_id p, const struct preempt_candidate *c)
{
    for (size_t i = 0; i < c->victims.len; i++)
        model_unassign(s, c->victims.p[i]);
    drop_lower_nominated(s, p, c->node);
    for (pod_id q = s->nodes[c->node].first_pod, next; q; q = next) {
        next = s->pods[q].next_on_node;
        if (s->pods[q].state == PS_TERMINATING)
            model_unassign(s, q);
    }
    model_assign(s, p, c->node, PS_ASSUMED, 0);
}

static bool has_room_to_come(const struct sched *s, const struct pod_class *c, node_id n)
{
    for (uint32_t i = 0; i < c->nreq; i++) {
        uint16_t r = c->req[i].id;
        const int64_t *leaving = s->preempt->leaving.col[r];
        if (view_free(&s->view, n, r) + (leaving ? leaving[n] : 0) < 0)
            return false;
    }
    return true;
}

void preempt_override(struct sched *s, pod_id p)
{
    if (likely(s->preempt->nnominated == 0))
        return;
    node_id n = s->pods[p].node;
    lower_nominated(s, p, n);
    for (size_t i = 0; i < s->preempt->ids.len && !has_room_to_come(s, class_of(s, p), n); i++)
        model_unassign(s, s->preempt->ids.p[i]);
}
