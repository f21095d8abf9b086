/* unit_gang.c - a group on one set of nodes: sub-groups from the leaves up, each in a domain of its own if it wants one, then the surplus.
 *
 *   group (min 6) ── workers (min 4, rack) ── pods w0..w4       place: w0 w1 w2 w3 in some rack      (workers' minimum)
 *                └── master  (min 1)       ── pod  m0                  m0 anywhere                   (master's)
 *                └── (no sub-group)        ── pods x0 x1               x0                            (the group's sixth)
 *                                                                      w4 in that rack, x1           (surplus, if it fits)
 * Greedy: a sub-group keeps the first domain that holds it; those with large members, then those with many, choose first.  What a failed try placed is rolled back
 * together with its counts.  Eviction (preempt.h) happens in the same places: the victims leave the model within the statement, so that the
 * members after see the room. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/links.h"
#include "sched/engine/place.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit_attempt.h"


static bool is_placed(const struct pod *p)
{
    return p->state == PS_ASSUMED || p->state == PS_BOUND || p->state == PS_ELSEWHERE;
}
static bool is_waiting(const struct pod *p)
{
    return p->state == PS_PENDING || p->state == PS_NOMINATED;
}

/* --- counting -------------------------------------------------------------------------------------------------------------------- */
static void count_waiting(struct branch *tree, uint32_t root, uint32_t b, bool gated)
{
    for (;; b = tree[b].parent) {
        tree[b].waiting += !gated;
        tree[b].gated += gated;
        if (b == root)
            return;
    }
}

struct member {
    uint32_t place; /* twice its branch; one more unless the batch policy keeps room for this very one: it goes first then */
    pod_id pod;
    nsec_t created_ns;
    const struct pod_class *of;
};

/* What makes a pod hard to place, most of all first. */
static const uint16_t hard_by[] = {RES_GPU, RES_CPU, RES_MEMORY, RES_EGRESS, RES_INGRESS};

static int size_cmp(const struct pod_class *a, const struct pod_class *b)
{
    for (size_t i = 0; i < ARRAY_LEN(hard_by); i++) {
        int64_t x = a ? a->amount[hard_by[i]] : 0, y = b ? b->amount[hard_by[i]] : 0;
        if (x != y)
            return x > y ? -1 : 1;
    }
    return 0;
}

/* By rank, where pods have one; large ones come first; then by class, so that a class that fails is done with; then by arrival. */
static int member_cmp(const void *pa, const void *pb)
{
    const struct member *a = pa, *b = pb;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->of != b->of) {
        if (a->of->rank != b->of->rank)
            return a->of->rank > b->of->rank ? -1 : 1;
        int c = size_cmp(a->of, b->of);
        return c ? c : a->of->id < b->of->id ? -1 : 1;
    }
    if (a->created_ns != b->created_ns)
        return a->created_ns < b->created_ns ? -1 : 1;
    return a->pod < b->pod ? -1 : a->pod > b->pod;
}

/* The waiting members by sub-group, class and arrival. */
static void list_members(struct attempt *a)
{
    const struct unit *unit = a->unit;
    struct member *m = arena_alloc(&a->arena, (unit->pods.len + 1) * sizeof *m);
    bool sorted = true;
    const uint8_t kept = a->s->batch ? PS_NOMINATED : PS_FREE;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &a->s->pods[unit->pods.p[i]];
        uint32_t b = tree_branch_of(unit, p);
        bool waits = is_waiting(p), gated = waits && a->s->classes[p->class_]->gates;
        if (is_placed(p))
            tree_place(a->tree, a->root, b, 1);
        if (waits)
            count_waiting(a->tree, a->root, b, gated);
        if (!waits || gated)
            continue;
        m[a->npods] = (struct member){2 * b + (p->state != kept), unit->pods.p[i], p->created_ns, a->s->classes[p->class_]};
        sorted = sorted && (a->npods == 0 || member_cmp(&m[a->npods - 1], &m[a->npods]) < 0);
        a->npods++;
    }
    if (!sorted)
        qsort(m, a->npods, sizeof *m, member_cmp);
    a->pods = arena_alloc(&a->arena, (a->npods + 1) * sizeof *a->pods);
    a->kept = arena_alloc(&a->arena, (a->npods + 1) * sizeof *a->kept);
    for (uint32_t i = 0; i < a->npods; i++) {
        struct branch *b = &a->tree[m[i].place / 2];
        if (b->count++ == 0)
            b->first = i;
        a->pods[i] = m[i].pod;
        a->kept[i] = a->s->pods[m[i].pod].node;
    }
}

/* The same for sub-groups: the largest of its own members decides, then how many are needed. */
static int by_need(const void *pa, const void *pb, void *arg)
{
    const struct attempt *x = arg;
    uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
    const struct branch *ba = &x->tree[a], *bb = &x->tree[b];
    int c = size_cmp(ba->count ? class_of(x->s, x->pods[ba->first]) : NULL, bb->count ? class_of(x->s, x->pods[bb->first]) : NULL);
    if (c)
        return c;
    if (ba->target != bb->target)
        return ba->target > bb->target ? -1 : 1;
    return a < b ? -1 : a > b;
}

void attempt_init(struct attempt *a, struct sched *s, unit_id u)
{
    *a = (struct attempt){.s = s, .u = u, .unit = &s->units[u], .rules = unit_rules_of(s, u), .arena = ARENA_INIT};
    s->unit_state->stamp++; /* what failed in another decision says nothing here */
    a->root = a->unit->nsubgroups;
    a->ntree = a->root + 1;
    a->tree = arena_array(&a->arena, a->ntree, struct branch);
    tree_make(a->tree, a->unit, a->rules->gangs && a->unit->is_group);
    list_members(a);
    /* once the minimum runs, one member more is a success */
    a->tree[a->root].target = MAX(a->tree[a->root].target, a->tree[a->root].placed + 1);
    tree_settle(a->tree, a->root);
    a->order = arena_array(&a->arena, a->ntree, uint32_t);
    for (uint32_t i = 0; i < a->root; i++)
        a->order[i] = i;
    if (a->root > 1)
        qsort_r(a->order, a->root, sizeof *a->order, by_need, a);
}

void attempt_fini(struct attempt *a)
{
    for (size_t i = 0; i < a->sets.len; i++)
        node_sets_fini(&a->sets.p[i]);
    vec_fini(&a->sets);
    vec_fini(&a->done);
    vec_fini(&a->victims);
    arena_fini(&a->arena);
}

/* --- marks: a place in the attempt to come back to ---------------------------------------------------------------------------------- */
struct attempt_mark attempt_begin(struct attempt *a)
{
    return (struct attempt_mark){statement_begin(a->s), a->done.len, a->victims.len};
}

void attempt_rollback(struct attempt *a, struct attempt_mark m)
{
    for (size_t i = m.done; i < a->done.len; i++)
        tree_place(a->tree, a->root, tree_branch_of(a->unit, &a->s->pods[a->done.p[i].pod]), -1);
    a->done.len = m.done;
    a->victims.len = m.victims;
    statement_rollback(a->s, m.statement);
    a->s->unit_state->stamp++; /* classes that failed may fit again */
}

/* --- one member ------------------------------------------------------------------------------------------------------------------ */
/* Has the class failed on these nodes already? */
static bool has_failed(struct attempt *a, class_id c, const uint64_t *within, bool evict)
{
    struct unit_state *x = a->s->unit_state;
    if (a->stamp_within != within || a->stamp_evict != evict) {
        x->stamp++;
        a->stamp_within = within;
        a->stamp_evict = evict;
    }
    return c < x->nfailed && x->failed[c] == x->stamp;
}

static void set_failed(struct attempt *a, class_id c)
{
    struct unit_state *x = a->s->unit_state;
    if (c >= x->nfailed) {
        uint32_t n = MAX(a->s->capclasses, c + 1);
        x->failed = xrealloc(x->failed, n * sizeof *x->failed);
        memset(x->failed + x->nfailed, 0, (n - x->nfailed) * sizeof *x->failed);
        x->nfailed = n;
    }
    x->failed[c] = x->stamp;
}

static bool evict_for(struct attempt *a, pod_id p, const uint64_t *within, node_id *ret)
{
    struct preempt_candidate *c = &a->s->unit_state->candidate;
    if (!profile_of(a->s, class_of(a->s, p))->preempt || !preempt_find(a->s, p, within, c, NULL))
        return false;
    /* members of different priorities do not evict each other */
    for (size_t i = 0; i < c->victims.len; i++)
        if (a->s->pods[c->victims.p[i]].unit == a->u)
            return false;
    for (size_t i = 0; i < c->victims.len; i++)
        vec_push(&a->victims, c->victims.p[i]);
    preempt_imagine(a->s, p, c);
    *ret = c->node;
    return true;
}

/* No node will do: a link between domains lacks bandwidth. */
static bool lacks_link(const struct attempt *a, pod_id p)
{
    return a->rules->bandwidth >= 0 && links_lack(a->s, p, NULL);
}

static bool place_member(struct attempt *a, uint32_t i, const uint64_t *within, bool evict)
{
    struct sched *s = a->s;
    pod_id p = a->pods[i];
    class_id c = s->pods[p].class_;
    node_id kept = a->kept[i];
    struct place_result r = {.node = NODE_NONE};
    if (unlikely(unit_crosses(a->unit)) && lacks_link(a, p))
        return false;
    if (kept != NODE_NONE && node_is_alive(s, kept) && (!within || bit_get(within, kept)) && place_fits(s, c, kept)) {
        r.node = kept;
        model_assign(s, p, kept, PS_ASSUMED, 0);
    } else if (has_failed(a, c, within, evict)) {
        return false;
    } else if (place_find(s, c, &(struct place_opts){.within = within}, &r)) {
        model_assign(s, p, r.node, PS_ASSUMED, 0);
    } else if (!evict || !evict_for(a, p, within, &r.node)) {
        set_failed(a, c);
        a->again |= !s->classes[c]->is_local;
        return false;
    }
    vec_push(&a->done, (struct placement){p, r.node, s->pods[p].gpu_mask, r.score});
    tree_place(a->tree, a->root, tree_branch_of(a->unit, &s->pods[p]), 1);
    return true;
}

/* The first needed member that found nothing says why the unit waits; later tries do not change that.  Where not all are needed, room for another one can help as well. */
static bool is_told(const struct attempt *a, pod_id p)
{
    const struct branch *root = &a->tree[a->root];
    bool needs_all = root->need == root->nchildren && root->waiting <= root->target - root->placed;
    bool told = a->failed_pod && (needs_all || a->ntold == UNIT_TOLD_MAX);
    for (uint32_t i = 0; i < a->ntold && !told; i++)
        told = a->told[i] == a->s->pods[p].class_;
    return told;
}

static void note_failure(struct attempt *a, pod_id p, const uint64_t *within)
{
    if (is_told(a, p))
        return;
    a->failed_pod = a->failed_pod ? a->failed_pod : p;
    a->told[a->ntold++] = a->s->pods[p].class_;
    if (a->s->batch == BATCH_PROBE)
        return;
    if (unlikely(unit_crosses(a->unit)) && lacks_link(a, p)) {
        a->rejected_by |= 1ull << a->rules->bandwidth;
        return;
    }
    a->rejected_by |= place_rejections(a->s, a->s->pods[p].class_, within, NULL);
}

/* --- a branch ---------------------------------------------------------------------------------------------------------------------- */
static bool lacks(const struct attempt *a, uint32_t b)
{
    return a->tree[b].placed < a->tree[b].target;
}

static bool place_own(struct attempt *a, uint32_t b, uint32_t i, bool evict)
{
    const struct branch *br = &a->tree[b];
    struct nearby *x = a->kept[i] == NODE_NONE ? br->nearby : NULL;
    for (; x && x->at < x->n; x->at++)
        if (place_member(a, i, x->sets[x->n - 1 - x->at], false))
            return true;
    return place_member(a, i, br->within, evict) || (br->beyond && place_member(a, i, br->beyond, evict));
}

/* Places own members of b, then those of sub-groups below, until `top` has what it needs. */
static void fill(struct attempt *a, uint32_t b, uint32_t top)
{
    struct branch *br = &a->tree[b];
    for (uint32_t i = br->first; i < br->first + br->count && lacks(a, top); i++) {
        if (a->s->pods[a->pods[i]].state != PS_PENDING)
            continue;
        /* not even all that are left would be enough, and nobody who failed may yet be helped by the others */
        if (b == top && !br->nchildren && !a->again && br->first + br->count - i < (uint32_t)(br->target - br->placed))
            return;
        if (!place_own(a, b, i, a->evict))
            note_failure(a, a->pods[i], br->beyond ? br->beyond : br->within);
    }
    for (uint32_t k = 0; br->nchildren && k < a->root && lacks(a, top); k++)
        if (a->tree[a->order[k]].parent == b && a->tree[a->order[k]].well) /* one that need not be comes as a whole, or not at all */
            fill(a, a->order[k], top);
}

/* Members whose class looks at other nodes may fit once others are there: again as long as that helps. */
static bool fill_all(struct attempt *a, uint32_t b)
{
    size_t before;
    do {
        before = a->done.len;
        a->s->unit_state->stamp += a->again;
        a->again = false;
        fill(a, b, b);
    } while (lacks(a, b) && a->again && a->done.len != before);
    return !lacks(a, b);
}

/* All that wait in the branch are of one class: how many of it could these nodes hold at most?  Enough is enough. */
static bool could_hold(struct attempt *a, uint32_t b, const uint64_t *within)
{
    const struct branch *br = &a->tree[b];
    struct sched *s = a->s;
    int64_t left = br->target - br->placed;
    if (a->evict || br->nchildren || br->count < 2 || s->preempt->nnominated)
        return true;
    class_id c = s->pods[a->pods[br->first]].class_;
    for (uint32_t i = 1; i < br->count; i++)
        if (s->pods[a->pods[br->first + i]].class_ != c)
            return true;
    struct preempt_how how;
    preempt_how_of(s, s->classes[c], &how);
    if (how.nneed == 0)
        return true;
    const uint64_t *nodes = within ? within : s->alive;
    bits_foreach(n, nodes, s->view.words)
    {
        int64_t most = INT64_MAX;
        for (uint32_t k = 0; k < how.nneed; k++)
            most = MIN(most, view_free(&s->view, n, how.need[k].id) / how.need[k].amount);
        left -= MAX(most, (int64_t)0);
        if (left <= 0)
            return true;
    }
    if (!is_told(a, a->pods[br->first])) {
        a->failed_pod = a->failed_pod ? a->failed_pod : a->pods[br->first];
        int fit = s->unit_state->rules[s->classes[c]->profile].fit;
        a->rejected_by |= fit >= 0 ? 1ull << fit : 0;
    }
    return false;
}

static bool place_branch(struct attempt *a, uint32_t b, const uint64_t *within);

/* The domains that the branch would like best, inside of nodes that are more than one of them; a sub-group without wishes has those of what is above it. */
static struct nearby *nearby_of(struct attempt *a, uint32_t b, const uint64_t *within)
{
    const struct unit *unit = a->unit;
    bool group = b == a->root;
    uint32_t nrequired = group ? unit->nrequired_keys : unit->subgroups[b].required_key != 0, npreferred = group ? unit->npreferred_keys : unit->subgroups[b].npreferred_keys;
    const sym_t *required = group ? unit->required_keys : &unit->subgroups[b].required_key, *preferred = group ? unit->preferred_keys : unit->subgroups[b].preferred_keys;
    if (nrequired + npreferred == 0)
        return group ? NULL : a->tree[a->tree[b].parent].nearby;
    if (npreferred == 0)
        return NULL;
    sym_t *keys = arena_array(&a->arena, nrequired + npreferred, sym_t);
    for (uint32_t i = 0; i < nrequired + npreferred; i++)
        keys[i] = i < nrequired ? required[i] : preferred[i - nrequired];
    struct node_sets sets = {0};
    unit_domains(a->s, a->u, keys, nrequired + npreferred, within ? within : a->s->alive, &sets);
    vec_push(&a->sets, sets);
    if (sets.sets.len < 2)
        return NULL;
    struct nearby *x = arena_new(&a->arena, struct nearby);
    *x = (struct nearby){.sets = sets.sets.p, .n = (uint32_t)sets.sets.len};
    return x;
}

/* As many sub-groups of b as must be: those that are already, those that were, then the hardest to place first. */
static bool place_children(struct attempt *a, uint32_t b, const uint64_t *within)
{
    struct branch *br = &a->tree[b];
    bool all = br->need == br->nchildren;
    for (int turn = all ? 2 : 0; turn < 3; turn++)
        for (uint32_t k = 0; br->nchildren && k < a->root; k++) {
            uint32_t c = a->order[k];
            if (a->tree[c].parent != b || (turn == 0 && !a->tree[c].well) || (turn == 1 && (a->tree[c].well || a->tree[c].placed == 0)) ||
                (turn == 2 && !all && (a->tree[c].well || br->nwell >= br->need)))
                continue;
            if (!place_branch(a, c, within) && (all || turn == 0))
                return false;
        }
    return br->nwell >= br->need;
}

/* A sub-group more than must be, somewhere below b. */
static bool grow_subgroup(struct attempt *a, uint32_t b)
{
    const struct branch *br = &a->tree[b];
    for (uint32_t k = 0; br->nchildren && k < a->root; k++) {
        uint32_t c = a->order[k];
        if (a->tree[c].parent != b)
            continue;
        if (a->tree[c].well ? grow_subgroup(a, c) : tree_could_be(a->tree, a->root, c, false) && place_branch(a, c, br->within))
            return true;
    }
    return false;
}

static bool try_branch(struct attempt *a, uint32_t b, const uint64_t *within)
{
    if (!could_hold(a, b, within))
        return false;
    struct attempt_mark m = attempt_begin(a);
    a->tree[b].within = within;
    a->tree[b].nearby = nearby_of(a, b, within);
    bool good = place_children(a, b, within);
    if (good && b == a->root && lacks(a, b))
        grow_subgroup(a, b);
    if (good && fill_all(a, b)) {
        statement_commit(a->s, m.statement);
        return true;
    }
    attempt_rollback(a, m);
    return false;
}

static uint64_t *copy_of(const struct sched *s, const uint64_t *nodes)
{
    uint64_t *copy = xmalloc(s->view.words * sizeof *copy);
    memcpy(copy, nodes, s->view.words * sizeof *copy);
    return copy;
}

/* A sub-group that has what it needs: one more goes to the others if it can, and else wherever it may. */
static void stay_near(struct attempt *a, uint32_t b, const sym_t *keys, uint32_t nkeys, uint64_t *nodes)
{
    struct node_sets sets = {0};
    uint64_t *near = copy_of(a->s, nodes);
    unit_keep_running_domains(a->s, a->u, (uint16_t)b, keys, nkeys, near);
    vec_push(&sets.sets, near);
    vec_push(&sets.sets, nodes);
    vec_push(&a->sets, sets);
    a->tree[b].nearby = NULL;
    a->tree[b].within = near;
    a->tree[b].beyond = nodes;
}

/* The sets of nodes that a sub-group tries: domains of its preferred keys, the narrowest first, inside those of the required one, then the required one's, then (when
 * nothing is required) everything. */
static bool place_branch(struct attempt *a, uint32_t b, const uint64_t *within)
{
    const struct subgroup *g = &a->unit->subgroups[b];
    a->tree[b].beyond = NULL;
    if (!g->required_key && !g->npreferred_keys)
        return try_branch(a, b, within);
    struct sched *s = a->s;
    struct node_sets sets = {0};
    uint64_t *nodes = copy_of(s, within ? within : s->alive);
    uint32_t nrequired = g->required_key != 0, nkeys = nrequired + g->npreferred_keys;
    sym_t *keys = arena_array(&a->arena, nkeys, sym_t);
    for (uint32_t i = 0; i < nkeys; i++)
        keys[i] = i < nrequired ? g->required_key : g->preferred_keys[i - nrequired];
    if (nrequired)
        unit_keep_running_domains(s, a->u, (uint16_t)b, keys, 1, nodes);
    if (g->npreferred_keys && !a->tree[b].nchildren && !lacks(a, b)) {
        stay_near(a, b, keys, nkeys, nodes);
        return true;
    }
    for (uint32_t n = nkeys; n > 0 && n >= nrequired; n--)
        unit_domains(s, a->u, keys, n, nodes, &sets);
    if (!nrequired)
        vec_push(&sets.sets, TAKE(nodes));
    free(nodes);
    vec_push(&a->sets, sets);
    for (size_t i = 0; i < sets.sets.len; i++)
        if (try_branch(a, b, sets.sets.p[i]))
            return true;
    if (!a->failed_pod && a->rules->job_affinity >= 0)
        a->rejected_by |= 1ull << a->rules->job_affinity;
    return false;
}

bool attempt_try(struct attempt *a, const uint64_t *within)
{
    if (!try_branch(a, a->root, within) && !attempt_pack(a, within))
        return false;
    while (!a->s->batch && grow_subgroup(a, a->root)) {}
    for (uint32_t b = 0; b < a->ntree && !a->s->batch; b++)
        for (uint32_t i = a->tree[b].first; a->tree[b].well && i < a->tree[b].first + a->tree[b].count; i++)
            if (a->s->pods[a->pods[i]].state == PS_PENDING)
                place_own(a, b, i, false);
    return true;
}
