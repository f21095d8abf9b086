/* aim.c - room by eviction, node by node: where the fixed order of victims frees the wrong nodes.
 *
 *     n1 [e l]  n2 [e l]   the unit wants 2, two may go, and the order takes both l (they started last):  e and l of n1 instead
 *     n1 [b c]  n2 [c .]   it wants 2; b is above its share, c is not:  b goes, c of n1 moves to n2
 * For the class of the pod that found no node every node says what one pod more would cost: the least valuable of those there whose going makes room, their gangs with them.  The cheapest
 * node is emptied as far as that, is asked again, and so on; solve.c proves the rest.  First with those alone who may be lost; then also with those who may only move.  A unit that
 * wants one domain is tried in one after the other, and the one that costs least is taken. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/devices.h"
#include "sched/engine/pdbs.h"
#include "sched/engine/place_state.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/unit.h"

#define AIM_PODS 128u  /* of a node that are looked at */
#define AIM_DOMAINS 16u
#define AIM_SKIPS 4u   /* cheapest nodes that are left out, one after the other, when the rules do not allow what the first ones cost */
#define AIM_NEAR 64u   /* nodes that lack least: where others must move for each pod that comes, no more of them can be of use */
#define AIM_SLACK 16u  /* steps beyond twice the members: room for one may be room that another takes */

struct aim_cost { /* of a node; the first difference decides */
    int64_t to_move;   /* that has to find another place: the larger, the less likely it does.  A single pod that fills its node is not cheap */
    uint32_t moves_only, breaks;
    int32_t priority;
    uint32_t pods;
    nsec_t since_ns;   /* of the most work that is lost; later is cheaper */
    nsec_t created_ns; /* of the oldest unit; later is cheaper */
};
struct aim_node {
    node_id n;
    struct aim_cost cost;
};
struct aim_pod {
    pod_id pod;
    bool surplus, only_moves, breaks;
    int32_t priority;
    uint32_t pods; /* that go with it */
    nsec_t since_ns, created_ns;
};
struct aim {
    const uint64_t *within; /* NULL: all nodes */
    sym_t within_key;       /* of a sub-group: only its own members are confined; 0: everybody */
    bool moves;             /* those may go, too, who may only move */
    uint32_t skip, steps;
    class_id class_; /* of the nodes below; CLASS_NONE: not made yet */
    VEC(struct aim_node) nodes; /* a heap, the cheapest first */
    VEC(struct aim_node) first; /* the same as it was before anybody was taken, of class `first_class`: for the tries that follow */
    class_id first_class;
    struct { int64_t lack; node_id n; } near[AIM_NEAR];
    VEC(pod_id) ids;            /* scratch */
    struct aim_pod pods[AIM_PODS];
    uint32_t npods;
    struct {
        bool known, legal;
        nsec_t min_runtime_ns, move_after_ns;
    } *leaf; /* by queue; made anew when something was taken */
};

/* --- who may go ------------------------------------------------------------------------------------------------------------------------------- */
static void leaf_rules(struct search *x, queue_id id)
{
    struct policy *p = x->p;
    struct aim *a = x->aim;
    a->leaf[id].known = true;
    a->leaf[id].legal = x->action == POLICY_PREEMPT ? id == x->leaf : x->action == POLICY_RECLAIM && id != x->leaf && queues_may_take(p->q, x->leaf, x->ask, id, NULL);
    a->leaf[id].min_runtime_ns = x->action == POLICY_PREEMPT ? queues_preempt_min_runtime(p->q, id) : queues_reclaim_min_runtime(p->q, x->leaf, id);
    a->leaf[id].move_after_ns = queues_preempt_min_runtime(p->q, id);
}

/* Has it run for less than that?  There is another look when that is over. */
static bool is_young(struct policy *p, unit_id u, nsec_t least_ns)
{
    const struct batch_unit *b = &p->units[u];
    least_ns = MAX(least_ns, p->s->units[u].protect_ns);
    if (least_ns <= 0 || p->now >= b->start_ns + least_ns)
        return false;
    p->expiry_ns = MIN(p->expiry_ns, b->start_ns + least_ns);
    return true;
}

/* May the unit lose this, or at least be moved?  *ret_only_moves: the second. */
static bool may_go(struct search *x, unit_id w, bool surplus, bool *ret_only_moves)
{
    struct policy *p = x->p;
    struct aim *a = x->aim;
    const struct batch_unit *b = &p->units[w];
    if (b->semi && !surplus)
        return false;
    if (!a->leaf[b->leaf].known)
        leaf_rules(x, b->leaf);
    bool legal = a->leaf[b->leaf].legal && (x->action != POLICY_PREEMPT || p->s->units[w].priority < x->priority) && (surplus || !is_young(p, w, a->leaf[b->leaf].min_runtime_ns));
    *ret_only_moves = !legal;
    if (legal || !a->moves || is_young(p, w, a->leaf[b->leaf].move_after_ns))
        return legal;
    /* as consolidation has it: nobody is moved for a fixed one, but for those it could take from */
    return !policy_asks_fixed(&p->units[x->u]) || (x->action == POLICY_RECLAIM && b->leaf != x->leaf);
}

static int less_valuable(const void *pa, const void *pb)
{
    const struct aim_pod *a = pa, *b = pb;
    if (a->only_moves != b->only_moves)
        return a->only_moves ? 1 : -1;
    if (a->breaks != b->breaks)
        return a->breaks ? 1 : -1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->surplus != b->surplus)
        return a->surplus ? -1 : 1;
    if (a->pods != b->pods)
        return a->pods < b->pods ? -1 : 1;
    if (a->since_ns != b->since_ns)
        return a->since_ns > b->since_ns ? -1 : 1;
    if (a->created_ns != b->created_ns)
        return a->created_ns > b->created_ns ? -1 : 1;
    return a->pod > b->pod ? -1 : a->pod < b->pod;
}

/* Those on the node who may go, the least valuable first. */
static void gather(struct search *x, node_id n)
{
    struct policy *p = x->p;
    struct sched *s = p->s;
    struct aim *a = x->aim;
    bool budgets = pdbs_any(s);
    a->npods = 0;
    for (pod_id v = s->nodes[n].first_pod; v && a->npods < AIM_PODS; v = s->pods[v].next_on_node) {
        const struct pod *pod = &s->pods[v];
        const struct batch_unit *b = &p->units[pod->unit];
        struct aim_pod *one = &a->pods[a->npods];
        if (!policy_runs(pod->state) || pod->unit == x->u || !b->known || !b->run_pos || class_of(s, v)->never_victim)
            continue;
        *one = (struct aim_pod){.pod = v, .surplus = b->min_state == MIN_ABOVE, .priority = s->units[pod->unit].priority, .since_ns = b->since_ns, .created_ns = s->units[pod->unit].created_ns};
        one->pods = one->surplus ? 1 : b->nplaced;
        if (!may_go(x, pod->unit, one->surplus, &one->only_moves))
            continue;
        pod_id alone = v;
        one->breaks = budgets && pdbs_split(s, &alone, 1) > 0;
        a->npods++;
    }
    qsort(a->pods, a->npods, sizeof *a->pods, less_valuable);
}

/* --- what one pod more costs ---------------------------------------------------------------------------------------------------------------------- */
struct room {
    const struct sched *s;
    const struct pod_class *c;
    node_id n;
    int64_t free[RES_MAX], need[RES_MAX]; /* as c->req */
    int64_t left[GPU_MAX];
    int64_t milli, slots; /* of a device; of all devices together */
};

static int64_t slots_of(const struct room *r)
{
    int64_t n = 0;
    for (uint32_t g = 0; r->milli > 0 && g < r->s->nodes[r->n].ngpus; g++)
        n += MAX(r->left[g], (int64_t)0) / r->milli;
    return n;
}

static bool is_by_devices(const struct room *r, uint16_t resource)
{
    return resource == RES_GPU && r->c->gpu.kind != GPU_NONE;
}

/* Room for one pod more than fit now; false: never. */
static bool room_init(struct room *r, const struct sched *s, const struct pod_class *c, node_id n)
{
    *r = (struct room){.s = s, .c = c, .n = n, .milli = c->gpu.kind == GPU_NONE ? 0 : devices_milli(s, c, n)};
    if (r->milli < 0 || (r->milli && s->nodes[n].ngpus < c->gpu.count))
        return false;
    int64_t fit = INT64_MAX;
    for (uint32_t i = 0; i < c->nreq; i++) {
        r->free[i] = view_free(&s->view, n, c->req[i].id);
        if (!is_by_devices(r, c->req[i].id))
            fit = MIN(fit, MAX(r->free[i], (int64_t)0) / c->req[i].amount);
    }
    for (uint32_t g = 0; r->milli && g < s->nodes[n].ngpus; g++)
        r->left[g] = GPU_MILLI - (int64_t)s->view.gpu[n].used_milli[g];
    if (r->milli)
        fit = MIN(fit, slots_of(r) / (int64_t)c->gpu.count);
    if (fit == INT64_MAX)
        return false;
    for (uint32_t i = 0; i < c->nreq; i++) {
        r->need[i] = is_by_devices(r, c->req[i].id) ? INT64_MIN : c->req[i].amount * (fit + 1);
        if (r->need[i] > (s->alloc[c->req[i].id] ? s->alloc[c->req[i].id][n] : 0))
            return false;
    }
    r->slots = r->milli ? (fit + 1) * (int64_t)c->gpu.count : 0;
    return r->slots <= (r->milli ? (int64_t)s->nodes[n].ngpus * (GPU_MILLI / r->milli) : 0);
}

static int64_t amount_of(const struct pod_class *c, uint16_t resource)
{
    if (resource < RES_FIRST_EXTENDED)
        return c->amount[resource];
    for (uint32_t i = 0; i < c->nreq; i++)
        if (c->req[i].id == resource)
            return c->req[i].amount;
    return 0;
}

static void room_use(struct room *r, pod_id v, int sign)
{
    const struct pod *pod = &r->s->pods[v];
    const struct pod_class *c = r->s->classes[pod->class_];
    for (uint32_t i = 0; i < r->c->nreq; i++)
        r->free[i] -= sign * amount_of(c, r->c->req[i].id);
    int64_t milli = r->milli && pod->gpu_mask ? devices_milli(r->s, c, r->n) : 0;
    for (uint32_t m = milli > 0 ? pod->gpu_mask : 0; m; m &= m - 1)
        r->left[__builtin_ctz(m)] -= sign * milli;
}

static bool room_is_enough(const struct room *r)
{
    for (uint32_t i = 0; i < r->c->nreq; i++)
        if (r->free[i] < r->need[i])
            return false;
    return !r->milli || slots_of(r) >= r->slots;
}

/* How many budgets break with these, beside those that those before broke. */
static uint32_t broken(struct search *x)
{
    struct policy *p = x->p;
    struct aim *a = x->aim;
    if (!pdbs_any(p->s))
        return 0;
    vec_clear(&a->ids);
    for (size_t i = 0; i < p->taken_pods.len; i++)
        vec_push(&a->ids, p->taken_pods.p[i]);
    size_t before = pdbs_split(p->s, a->ids.p, a->ids.len);
    for (uint32_t i = 0; i < a->npods; i++)
        vec_push(&a->ids, a->pods[i].pod);
    size_t then = pdbs_split(p->s, a->ids.p, a->ids.len);
    return (uint32_t)(then > before ? then - before : 0);
}

/* What a pod takes of its node: GPUs in milli when the class wants any, else cpu. */
static int64_t size_on(const struct sched *s, const struct pod_class *c, pod_id v, node_id n)
{
    const struct pod_class *of = class_of(s, v);
    return c->gpu.kind == GPU_NONE ? of->amount[RES_CPU] : of->gpu.kind == GPU_NONE ? 0 : (int64_t)of->gpu.count * MAX(devices_milli(s, of, n), (int64_t)0);
}

/* Whoever only moves must find another place: the smallest of those that are enough by themselves comes to the front. */
static bool smallest_first(struct search *x, const struct pod_class *c, node_id n, struct room *r)
{
    struct aim *a = x->aim;
    uint32_t best = a->npods;
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < a->npods; i++) {
        room_use(r, a->pods[i].pod, -1);
        int64_t size = room_is_enough(r) ? size_on(x->p->s, c, a->pods[i].pod, n) * a->pods[i].pods : INT64_MAX;
        room_use(r, a->pods[i].pod, 1);
        if (size < least) {
            least = size;
            best = i;
        }
    }
    if (best == a->npods)
        return false;
    a->pods[0] = a->pods[best];
    return true;
}

/* Who has to go from n for one pod more of the class: a->pods.  false: not even all who may would do. */
static bool price(struct search *x, const struct pod_class *c, node_id n, struct aim_cost *ret)
{
    struct aim *a = x->aim;
    struct room r;
    if (!room_init(&r, x->p->s, c, n))
        return false;
    gather(x, n);
    uint32_t k = 0;
    if (x->action == POLICY_CONSOLIDATE && !room_is_enough(&r) && smallest_first(x, c, n, &r))
        a->npods = 1;
    while (!room_is_enough(&r) && k < a->npods)
        room_use(&r, a->pods[k++].pod, -1);
    if (!room_is_enough(&r))
        return false;
    uint32_t keep = k;
    for (uint32_t i = k; i-- > 0;) { /* who is not in the way after all, the most valuable first */
        room_use(&r, a->pods[i].pod, 1);
        if (room_is_enough(&r)) {
            memmove(&a->pods[i], &a->pods[i + 1], (keep - 1 - i) * sizeof *a->pods);
            keep--;
        } else {
            room_use(&r, a->pods[i].pod, -1);
        }
    }
    a->npods = keep;
    *ret = (struct aim_cost){.priority = INT32_MIN, .since_ns = INT64_MAX, .created_ns = INT64_MAX, .breaks = broken(x)};
    for (uint32_t i = 0; i < keep; i++) {
        ret->moves_only += a->pods[i].only_moves;
        ret->to_move += a->pods[i].only_moves ? size_on(x->p->s, c, a->pods[i].pod, n) * a->pods[i].pods : 0;
        ret->priority = MAX(ret->priority, a->pods[i].priority);
        ret->pods += a->pods[i].pods;
        ret->since_ns = MIN(ret->since_ns, a->pods[i].since_ns);
        ret->created_ns = MIN(ret->created_ns, a->pods[i].created_ns);
    }
    return keep > 0;
}

/* --- the heap of nodes -------------------------------------------------------------------------------------------------------------------------- */
static bool is_cheaper(const struct sched *s, const struct aim_node *a, const struct aim_node *b)
{
    const struct aim_cost *x = &a->cost, *y = &b->cost;
    if (x->to_move != y->to_move)
        return x->to_move < y->to_move;
    if (x->moves_only != y->moves_only)
        return x->moves_only < y->moves_only;
    if (x->breaks != y->breaks)
        return x->breaks < y->breaks;
    if (x->priority != y->priority)
        return x->priority < y->priority;
    if (x->pods != y->pods)
        return x->pods < y->pods;
    if (x->since_ns != y->since_ns)
        return x->since_ns > y->since_ns;
    if (x->created_ns != y->created_ns)
        return x->created_ns > y->created_ns;
    return s->tie[a->n] < s->tie[b->n];
}

static void heap_down(const struct sched *s, struct aim *a, size_t i)
{
    struct aim_node one = a->nodes.p[i];
    for (size_t c; (c = 2 * i + 1) < a->nodes.len; i = c) {
        if (c + 1 < a->nodes.len && is_cheaper(s, &a->nodes.p[c + 1], &a->nodes.p[c]))
            c++;
        if (!is_cheaper(s, &a->nodes.p[c], &one))
            break;
        a->nodes.p[i] = a->nodes.p[c];
    }
    a->nodes.p[i] = one;
}

static void heap_drop(const struct sched *s, struct aim *a)
{
    struct aim_node last = vec_pop(&a->nodes);
    if (a->nodes.len == 0)
        return;
    a->nodes.p[0] = last;
    heap_down(s, a, 0);
}

/* How much of what the pod asks for is missing, each resource as a part of that. */
static int64_t lack_of(const struct room *r)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < r->c->nreq; i++)
        if (r->free[i] < r->need[i])
            sum += MIN((r->need[i] - r->free[i]) * 1000.0 / (double)r->c->req[i].amount, 1e15);
    return sum + (r->milli ? MAX(r->slots - slots_of(r), (int64_t)0) * 1000 / r->c->gpu.count : 0);
}

/* Those that lack least, and lack anything. */
static uint32_t nearest(struct search *x, struct pod_class *c, const uint64_t *within, const struct preempt_how *how)
{
    struct sched *s = x->p->s;
    struct aim *a = x->aim;
    uint32_t n = 0;
    bits_foreach(at, within ? within : s->alive, s->view.words)
    {
        struct room r;
        if (!s->nodes[at].first_pod || !room_init(&r, s, c, at))
            continue;
        int64_t lack = lack_of(&r);
        if ((n == AIM_NEAR && lack >= a->near[n - 1].lack) || !preempt_filters_fit(s, c, how->static_filters, at))
            continue;
        uint32_t i = n < AIM_NEAR ? n++ : n - 1;
        for (; i > 0 && a->near[i - 1].lack > lack; i--)
            a->near[i] = a->near[i - 1];
        a->near[i].lack = lack;
        a->near[i].n = at;
    }
    return n;
}

/* Where those are who may be lost. */
static uint64_t *victims_nodes(struct search *x)
{
    struct policy *p = x->p;
    uint64_t *ret = xarray(p->s->view.words, uint64_t);
    for (queue_id id = 1; id < p->ntree; id++) {
        if (!p->tree[id].leaf || p->tree[id].running.len == 0)
            continue;
        if (!x->aim->leaf[id].known)
            leaf_rules(x, id);
        const struct lumps *all = x->aim->leaf[id].legal ? victims_of_leaf(p, id) : NULL;
        for (size_t i = 0; all && i < all->list.len; i++) {
            const struct lump *l = &all->list.p[i];
            for (uint32_t k = 0; k < l->n && (x->action != POLICY_PREEMPT || l->priority < x->priority); k++)
                if (policy_runs(p->s->pods[all->pods.p[l->first + k]].state))
                    bit_set(ret, p->s->pods[all->pods.p[l->first + k]].node);
        }
    }
    return ret;
}

static void offer(struct search *x, struct pod_class *c, node_id n)
{
    struct aim_node one = {.n = n};
    if (price(x, c, n, &one.cost))
        vec_push(&x->aim->nodes, one);
}

/* Every node that can be helped, with its price. */
static void survey(struct search *x, struct pod_class *c)
{
    struct sched *s = x->p->s;
    struct aim *a = x->aim;
    struct preempt_how how;
    const uint64_t *within = a->within;
    if (a->within_key) {
        const struct pod *pod = &s->pods[x->p->probe.failed_pod];
        const struct unit *unit = &s->units[x->u];
        within = pod->subgroup < unit->nsubgroups && unit->subgroups[pod->subgroup].required_key == a->within_key ? within : NULL;
    }
    model_tie_ranks(s);
    plan_refresh(s, c);
    preempt_how_of(s, c, &how);
    vec_clear(&a->nodes);
    a->class_ = c->id;
    bool untouched = x->p->taken_list.len == 0;
    if (untouched && a->first_class == c->id) {
        for (size_t i = 0; i < a->first.len; i++)
            vec_push(&a->nodes, a->first.p[i]);
    } else if (a->moves) {
        uint32_t n = nearest(x, c, within, &how);
        for (uint32_t i = 0; i < n; i++)
            offer(x, c, a->near[i].n);
    } else {
        uint64_t *nodes = victims_nodes(x);
        bits_foreach(n, nodes, s->view.words)
            if ((!within || bit_get(within, n)) && preempt_filters_fit(s, c, how.static_filters, n))
                offer(x, c, n);
        free(nodes);
    }
    for (size_t i = a->nodes.len / 2; i-- > 0;)
        heap_down(s, a, i);
    if (untouched && a->first_class != c->id) {
        vec_clear(&a->first);
        for (size_t i = 0; i < a->nodes.len; i++)
            vec_push(&a->first, a->nodes.p[i]);
        a->first_class = c->id;
    }
    for (; a->skip && a->nodes.len; a->skip--)
        heap_drop(s, a);
}

/* --- taking ---------------------------------------------------------------------------------------------------------------------------------------- */
static bool never_goes(const struct sched *s, unit_id w)
{
    const struct unit *unit = &s->units[w];
    for (size_t i = 0; i < unit->pods.len; i++)
        if (policy_runs(s->pods[unit->pods.p[i]].state) && class_of(s, unit->pods.p[i])->never_victim)
            return true;
    return false;
}

static bool take_one(struct search *x, const struct aim_pod *v)
{
    struct policy *p = x->p;
    struct sched *s = p->s;
    if (!policy_runs(s->pods[v->pod].state))
        return false; /* it went with its gang */
    unit_id w = s->pods[v->pod].unit;
    const struct unit *unit = &s->units[w];
    bool only_moves;
    vec_reserve(&x->aim->ids, unit->pods.len);
    uint32_t surplus = victims_with(p, w, v->pod, x->aim->ids.p);
    if (never_goes(s, w) || !may_go(x, w, surplus > 0, &only_moves))
        return false;
    /* whether another queue may lose it is asked when all are known: who goes from the own side may make it right */
    only_moves &= x->action != POLICY_RECLAIM || p->units[w].leaf == x->leaf || (!surplus && is_young(p, w, x->aim->leaf[p->units[w].leaf].min_runtime_ns));
    struct lump l = {.unit = w, .leaf = p->units[w].leaf, .core = !surplus, .breaks_budget = v->breaks, .only_moves = only_moves, .priority = unit->priority, .start_ns = p->units[w].start_ns, .since_ns = p->units[w].since_ns,
                     .created_ns = unit->created_ns, .n = surplus ? surplus : (uint32_t)unit->pods.len};
    bool took = solve_take(p, &l, surplus ? x->aim->ids.p : unit->pods.p);
    for (queue_id id = 0; took && id < p->ntree; id++)
        x->aim->leaf[id].known = false;
    return took;
}

/* A queue above is at its limit: whoever goes below it makes room there, and need not be on a node that helps. */
static bool take_for_limit(struct search *x, queue_id top)
{
    struct policy *p = x->p;
    struct aim_pod best = {0};
    for (queue_id id = 1; id < p->ntree; id++) {
        queue_id up = id;
        while (up && up != top)
            up = p->tree[up].parent;
        for (size_t i = 0; up && i < p->tree[id].running.len; i++) {
            unit_id w = p->tree[id].running.p[i];
            const struct unit *unit = &p->s->units[w];
            const struct batch_unit *b = &p->units[w];
            struct aim_pod one = {.surplus = b->min_state == MIN_ABOVE, .priority = unit->priority, .pods = b->min_state == MIN_ABOVE ? 1 : b->nplaced, .since_ns = b->since_ns, .created_ns = unit->created_ns};
            for (size_t k = 0; k < unit->pods.len; k++)
                one.pod = policy_runs(p->s->pods[unit->pods.p[k]].state) ? unit->pods.p[k] : one.pod;
            if (one.pod && w != x->u && !never_goes(p->s, w) && may_go(x, w, one.surplus, &one.only_moves) && !one.only_moves && (!best.pod || less_valuable(&one, &best) < 0))
                best = one;
        }
    }
    return best.pod && take_one(x, &best);
}

/* Makes room for one pod more, or under a limit. */
static bool aim_next(struct search *x)
{
    struct policy *p = x->p;
    struct sched *s = p->s;
    struct aim *a = x->aim;
    struct queue_blame blame;
    if (a->steps == 0)
        return false;
    a->steps--;
    if (queues_may_start(p->q, x->leaf, x->ask, policy_asks_fixed(&p->units[x->u]), &blame) != QUEUE_OK)
        return take_for_limit(x, blame.queue);
    pod_id failed = p->probe.failed_pod ? p->probe.failed_pod : s->units[x->u].pods.p[0];
    struct pod_class *c = class_of(s, failed);
    if (a->class_ != c->id)
        survey(x, c);
    while (a->nodes.len) {
        struct aim_node *top = &a->nodes.p[0], now = {.n = top->n};
        if (!price(x, c, top->n, &now.cost)) {
            heap_drop(s, a);
            continue;
        }
        bool dearer = is_cheaper(s, top, &now);
        *top = now;
        if (dearer) {
            heap_down(s, a, 0);
            if (a->nodes.p[0].n != now.n)
                continue;
        }
        /* take_one may ask for rules anew, which leaves a->pods alone */
        bool took = false;
        for (uint32_t i = 0; i < a->npods; i++)
            took |= take_one(x, &a->pods[i]);
        if (took)
            return true;
        heap_drop(s, a);
    }
    return false;
}

/* --- the searches ------------------------------------------------------------------------------------------------------------------------------- */
static enum policy_tried aim_search(struct search *x, const uint64_t *within, bool moves, uint32_t skip, struct search_loss *ret, struct unit_decision *d)
{
    struct policy *p = x->p;
    struct aim *a = x->aim;
    a->within = within;
    a->moves = x->moves = moves;
    a->skip = skip;
    a->class_ = CLASS_NONE;
    a->steps = 2 * (uint32_t)p->s->units[x->u].pods.len + AIM_SLACK;
    for (queue_id id = 0; id < p->ntree; id++)
        a->leaf[id].known = false;
    p->probe.failed_pod = POD_NONE;
    x->next = aim_next;
    return solve_search(x, ret, d);
}

static int loss_cmp(const struct search_loss *a, const struct search_loss *b)
{
    if (a->breaks != b->breaks)
        return a->breaks < b->breaks ? -1 : 1;
    if (a->lost != b->lost)
        return a->lost < b->lost ? -1 : 1;
    if (a->moved != b->moved)
        return a->moved < b->moved ? -1 : 1;
    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    if (a->since_ns != b->since_ns)
        return a->since_ns > b->since_ns ? -1 : 1;
    return a->created_ns > b->created_ns ? -1 : a->created_ns < b->created_ns;
}

/* In one domain after the other; the one that costs least. */
static bool aim_domains(struct search *x, const struct node_sets *sets, bool moves, struct unit_decision *d)
{
    struct policy *p = x->p;
    struct search_loss best = {0}, loss;
    const uint64_t *found = NULL;
    sched_next_members(p->s, x->u, &p->members);
    struct pod_class *c = p->members.pods.len ? class_of(p->s, p->members.pods.p[0]) : NULL;
    for (size_t i = 0, tried = 0; c && i < sets->sets.len && tried < AIM_DOMAINS; i++) {
        if (!solve_class_may_fit(p, c, sets->sets.p[i], 1))
            continue;
        tried++;
        x->aim->first_class = CLASS_NONE;
        if (aim_search(x, sets->sets.p[i], moves, 0, &loss, NULL) != TRIED_NOT || (found && loss_cmp(&loss, &best) >= 0))
            continue;
        found = sets->sets.p[i];
        best = loss;
    }
    x->aim->first_class = CLASS_NONE;
    return found && aim_search(x, found, moves, 0, &loss, d) == TRIED_NOT;
}

static bool aim_everywhere(struct search *x, bool moves, struct unit_decision *d)
{
    struct search_loss loss;
    x->aim->first_class = CLASS_NONE;
    for (uint32_t skip = 0; skip < AIM_SKIPS; skip++)
        if (aim_search(x, NULL, moves, skip, &loss, d) == TRIED_NOT)
            return true;
    return false;
}

/* The key that confines members: the group's, or that of a sub-group. */
static uint32_t required_keys(const struct unit *unit, const sym_t **ret, sym_t *ret_sub)
{
    *ret_sub = 0;
    *ret = unit->required_keys;
    for (uint32_t i = 0; unit->nrequired_keys == 0 && i < unit->nsubgroups && !*ret_sub; i++)
        *ret_sub = unit->subgroups[i].required_key;
    if (!*ret_sub)
        return unit->nrequired_keys;
    *ret = ret_sub;
    return 1;
}

bool solve_aiming(struct search *x, struct unit_decision *d)
{
    struct policy *p = x->p;
    struct aim a = {0};
    struct node_sets sets = {0};
    const sym_t *keys;
    p->aim_refused = p->aims == 0;
    if (p->aim_refused)
        return false;
    p->aims--;
    x->aim = &a;
    a.leaf = xmalloc(p->ntree * sizeof *a.leaf);
    uint32_t nkeys = required_keys(&p->s->units[x->u], &keys, &a.within_key);
    if (nkeys)
        unit_domains(p->s, x->u, keys, nkeys, p->s->alive, &sets);
    bool done = false;
    bool may_move = p->opts.max_moves > 0 && !(x->action == POLICY_RECLAIM && p->opts.still_reclaim);
    for (int moves = x->action == POLICY_CONSOLIDATE; !done && moves <= may_move; moves++)
        done = nkeys ? aim_domains(x, &sets, moves, d) : aim_everywhere(x, moves, d);
    node_sets_fini(&sets);
    vec_fini(&a.nodes);
    vec_fini(&a.first);
    vec_fini(&a.ids);
    free(a.leaf);
    x->aim = NULL;
    return done;
}
