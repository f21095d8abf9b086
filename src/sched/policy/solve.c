/* solve.c - room by eviction, proven before anybody goes.
 *
 *   statement { leaving pods out; lumps out: 1, 2, 4, 8 ... until the unit fits; back to the last failure; halve }      the fewest of the weakest that will do
 *             { the unit in; lumps that still fit where they were come back, the most valuable first }                  and of those only who is in the way
 *             { the others look for another place: who finds one moves and is nobody's loss }
 *   rollback; fair?  then: victims TERMINATING, the unit's pods NOMINATED
 * That order may free the wrong nodes, or cost more than the rules allow: then node by node (aim.c).
 * Bounds come first: amounts and static filters on every node, with everybody gone who may go. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"
#include "sched/engine/devices.h"
#include "sched/engine/place_state.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit.h"

/* --- evicting in a statement -------------------------------------------------------------------------------------------------------------- */
void solve_leaving_out(struct policy *p)
{
    size_t keep = 0;
    for (size_t i = 0; i < p->leaving.len; i++)
        if (p->s->pods[p->leaving.p[i]].state == PS_TERMINATING) {
            p->leaving.p[keep++] = p->leaving.p[i];
            model_unassign(p->s, p->leaving.p[i]);
            p->s->pods[p->leaving.p[i]].state = PS_FREE; /* until the rollback: else its unit would take it for one that waits */
        }
    p->leaving.len = keep;
}

void solve_clear(struct policy *p)
{
    vec_clear(&p->taken_list);
    vec_clear(&p->taken_pods);
    vec_clear(&p->was);
}

/* Evicts what is still there of a lump and notes it; false: nothing was. */
bool solve_take(struct policy *p, const struct lump *l, const pod_id *pods)
{
    struct lump t = *l;
    t.first = (uint32_t)p->taken_pods.len;
    for (uint32_t i = 0; i < l->n; i++) {
        const struct pod *pod = &p->s->pods[pods[i]];
        if (!policy_runs(pod->state))
            continue;
        vec_push(&p->taken_pods, pods[i]);
        vec_push(&p->was, (struct was){pod->node, pod->gpu_mask, pod->state, pod->numa_zones});
        model_unassign(p->s, pods[i]);
    }
    t.n = (uint32_t)p->taken_pods.len - t.first;
    if (t.n)
        vec_push(&p->taken_list, t);
    return t.n > 0;
}

static void take_again(struct policy *p, size_t i)
{
    for (uint32_t k = 0; k < p->taken_list.p[i].n; k++)
        model_unassign(p->s, p->taken_pods.p[p->taken_list.p[i].first + k]);
}

/* Back where it was, on its own devices, if that is still free. */
static bool put_back(struct policy *p, size_t i)
{
    struct sched *s = p->s;
    const struct lump *l = &p->taken_list.p[i];
    uint32_t at = statement_begin(s);
    s->batch = BATCH_PROBE;
    bool fits = true;
    for (uint32_t k = 0; fits && k < l->n; k++) {
        pod_id id = p->taken_pods.p[l->first + k];
        const struct was *was = &p->was.p[l->first + k];
        const struct pod_class *c = class_of(s, id);
        fits = place_fits(s, c->id, was->node);
        if (fits && was->gpu_mask)
            fits = (devices_room(&s->view, was->node, devices_milli(s, c, was->node)) & was->gpu_mask) == was->gpu_mask;
        if (!fits)
            break;
        s->pods[id].numa_zones = was->numa_zones;
        model_assign(s, id, was->node, was->state, was->gpu_mask);
    }
    s->batch = BATCH_OFF;
    if (fits)
        statement_commit(s, at);
    else
        statement_rollback(s, at);
    return fits;
}

static void lump_amounts(const struct policy *p, const struct lump *l, struct policy_amounts *ret)
{
    struct policy_amounts one;
    memset(ret, 0, sizeof *ret);
    for (uint32_t k = 0; k < l->n; k++) {
        policy_class_amounts(p, class_of(p->s, p->taken_pods.p[l->first + k]), p->was.p[l->first + k].node, &one);
        for (uint32_t j = 0; j < p->stride; j++)
            ret->v[j] += one.v[j];
    }
}

/* Would a queue that both belong to pass its limit?  Room is not all that a victim may have to give. */
static bool passes_limit(const struct policy *p, const struct lump *l, queue_id gains)
{
    struct policy_amounts sum;
    struct queue_blame blame;
    lump_amounts(p, l, &sum);
    if (queues_may_start(p->q, l->leaf, &sum, false, &blame) != QUEUE_OVER_LIMIT)
        return false;
    queue_id id = gains;
    while (id && id != blame.queue)
        id = p->tree[id].parent;
    return id != QUEUE_NONE;
}

/* Surplus stays only when the core of its unit does. */
static bool core_is_gone(const struct policy *p, const uint8_t *fate, size_t n, size_t i, enum fate wanted)
{
    const struct lump *l = &p->taken_list.p[i];
    for (size_t k = 0; !l->core && k < n; k++)
        if (p->taken_list.p[k].core && p->taken_list.p[k].unit == l->unit && fate[k] < wanted)
            return true;
    return false;
}

/* The first n lumps are out and the unit is in: who may stay?  The most valuable are asked first. */
void solve_reprieve(struct policy *p, size_t n, queue_id gains, uint8_t *fate)
{
    for (int core = 1; core >= 0; core--)
        for (size_t i = n; i-- > 0;)
            if (p->taken_list.p[i].core == core && fate[i] != FATE_STAYS && !core_is_gone(p, fate, n, i, FATE_STAYS) && !passes_limit(p, &p->taken_list.p[i], gains) && put_back(p, i))
                fate[i] = FATE_STAYS;
}

/* All of a lump on other nodes, as it would start again by itself. */
static bool put_elsewhere(struct policy *p, size_t i, struct unit_decision *d)
{
    const struct lump *l = &p->taken_list.p[i];
    struct policy_amounts sum;
    lump_amounts(p, l, &sum);
    if (queues_may_start(p->q, l->leaf, &sum, false, NULL) != QUEUE_OK)
        return false;
    uint32_t at = statement_begin(p->s), placed = 0;
    bool good = true;
    while (good && placed < l->n) {
        sched_place_next(p->s, l->unit, p->now, true, d);
        good = d->result == UNIT_PLACED;
        placed += good ? (uint32_t)d->placements.len : 0;
    }
    if (good)
        statement_commit(p->s, at);
    else
        statement_rollback(p->s, at);
    return good;
}

#define ELSEWHERE_TRIES 64 /* that failed; what is left is lost then */
/* Those who may not be lost choose first, then the most valuable.  A class that found nothing finds nothing later: room only shrinks here. */
void solve_elsewhere(struct policy *p, size_t n, uint8_t *fate)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    class_id failed[ELSEWHERE_TRIES];
    uint32_t nfailed = 0;
    for (int pass = 0; pass < 4; pass++) /* cores before surplus */
        for (size_t i = n; i-- > 0 && nfailed < ELSEWHERE_TRIES;) {
            const struct lump *l = &p->taken_list.p[i];
            if (fate[i] != FATE_GOES || l->core != (pass < 2) || l->only_moves != !(pass & 1) || core_is_gone(p, fate, n, i, FATE_STAYS))
                continue;
            class_id c = p->s->units[l->unit].is_group ? CLASS_NONE : p->s->pods[p->taken_pods.p[l->first]].class_;
            bool known = false;
            for (uint32_t k = 0; c && k < nfailed && !known; k++)
                known = failed[k] == c;
            if (known)
                continue;
            if (put_elsewhere(p, i, &d))
                fate[i] = FATE_MOVES;
            else
                failed[nfailed++] = c;
        }
    unit_decision_fini(&d);
}

bool solve_probe(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask)
{
    if (queues_may_start(p->q, leaf, ask, policy_asks_fixed(&p->units[u]), NULL) != QUEUE_OK)
        return false;
    uint32_t at = statement_begin(p->s);
    sched_place_next(p->s, u, p->now, true, &p->probe);
    statement_rollback(p->s, at);
    return p->probe.result == UNIT_PLACED;
}

/* Outside of the statement: what was found becomes so. */
void solve_carry_out(struct policy *p, size_t n, const uint8_t *fate, struct unit_decision *d)
{
    struct sched *s = p->s;
    for (size_t i = 0; i < n; i++) {
        const struct lump *l = &p->taken_list.p[i];
        if (fate[i] == FATE_STAYS)
            continue;
        losses_note(p, l->leaf, p->taken_pods.p[l->first]);
        for (uint32_t k = 0; k < l->n; k++) {
            model_set_state(s, p->taken_pods.p[l->first + k], PS_TERMINATING);
            vec_push(&d->victims, p->taken_pods.p[l->first + k]);
        }
    }
    for (size_t i = 0; i < p->probe.placements.len; i++) {
        const struct placement *x = &p->probe.placements.p[i];
        model_assign(s, x->pod, x->node, PS_NOMINATED, x->gpu_mask);
        vec_push(&d->placements, *x);
    }
    d->result = UNIT_PREEMPTING;
}

bool solve_waiting(struct policy *p, unit_id u, struct unit_decision *d)
{
    uint32_t at = statement_begin(p->s);
    solve_leaving_out(p);
    if (p->leaving.len)
        sched_place_next(p->s, u, p->now, true, &p->probe);
    statement_rollback(p->s, at);
    if (p->leaving.len == 0 || p->probe.result != UNIT_PLACED)
        return false;
    vec_clear(&d->placements);
    solve_carry_out(p, 0, NULL, d);
    return true;
}

/* --- bounds ------------------------------------------------------------------------------------------------------------------------------------ */
static void room_add(struct policy *p, pod_id id)
{
    const struct pod *pod = &p->s->pods[id];
    const struct pod_class *c = p->s->classes[pod->class_];
    node_id n = pod->node;
    p->room.cpu[n] += c->amount[RES_CPU];
    p->room.memory[n] += c->amount[RES_MEMORY];
    p->room.gpus[n] += c->amount[RES_GPU];
    if (c->gpu.kind != GPU_NONE)
        p->room.gpu_milli[n] += (int64_t)c->gpu.count * MAX(devices_milli(p->s, c, n), 0);
}

/* Room on each node if all preemptible units and all that are leaving were gone.  What happens later in the round makes it smaller at most. */
static void room_make(struct policy *p)
{
    const struct sched *s = p->s;
    struct room_bound *x = &p->room;
    uint32_t n = s->view.words * 64;
    if (x->nslots < n) {
        int64_t **columns[] = {&x->cpu, &x->memory, &x->gpu_milli, &x->gpus};
        for (size_t i = 0; i < ARRAY_LEN(columns); i++)
            *columns[i] = xrealloc(*columns[i], n * sizeof(int64_t));
        x->nslots = n;
    }
    for (uint32_t i = 0; i < n; i++) {
        x->cpu[i] = view_free(&s->view, i, RES_CPU);
        x->memory[i] = view_free(&s->view, i, RES_MEMORY);
        x->gpus[i] = view_free(&s->view, i, RES_GPU);
        x->gpu_milli[i] = 0;
        for (uint32_t g = 0; g < s->nodes[i].ngpus; g++)
            x->gpu_milli[i] += GPU_MILLI - (int64_t)s->view.gpu[i].used_milli[g];
    }
    for (queue_id id = 1; id < p->ntree; id++)
        for (size_t i = 0; i < p->tree[id].running.len; i++) {
            const struct unit *unit = &s->units[p->tree[id].running.p[i]];
            for (size_t k = 0; k < unit->pods.len; k++)
                if (policy_runs(s->pods[unit->pods.p[k]].state))
                    room_add(p, unit->pods.p[k]);
        }
    pod_id last = POD_NONE;
    for (size_t i = 0; i < p->leaving.len; i++)
        if (s->pods[p->leaving.p[i]].state == PS_TERMINATING && p->leaving.p[i] != last)
            room_add(p, last = p->leaving.p[i]);
    x->made = true;
}

bool solve_class_may_fit(struct policy *p, struct pod_class *c, const uint64_t *within, int64_t count)
{
    struct sched *s = p->s;
    const struct room_bound *x = &p->room;
    if (!x->made)
        room_make(p);
    struct preempt_how how;
    plan_refresh(s, c);
    preempt_how_of(s, c, &how);
    int64_t cpu = c->amount[RES_CPU], memory = c->amount[RES_MEMORY], gpus = c->amount[RES_GPU];
    bits_foreach(n, within ? within : s->alive, s->view.words)
    {
        if (x->cpu[n] < cpu || x->memory[n] < memory || x->gpus[n] < gpus)
            continue;
        int64_t milli = c->gpu.kind == GPU_NONE ? 0 : (int64_t)c->gpu.count * devices_milli(s, c, n), most = count;
        if (milli < 0 || x->gpu_milli[n] < milli || !preempt_filters_fit(s, c, how.static_filters, n))
            continue;
        most = cpu ? MIN(most, x->cpu[n] / cpu) : most;
        most = memory ? MIN(most, x->memory[n] / memory) : most;
        most = gpus ? MIN(most, x->gpus[n] / gpus) : most;
        most = milli ? MIN(most, x->gpu_milli[n] / milli) : most;
        count -= most;
        if (count <= 0)
            return true;
    }
    return false;
}

bool solve_may_help(struct policy *p, unit_id u)
{
    struct sched *s = p->s;
    struct class_answer *known = policy_answer(p, u);
    if (known && known->no_bound == p->round)
        return false;
    if (known) {
        bool may = solve_class_may_fit(p, class_of(s, s->units[u].pods.p[0]), NULL, 1);
        known->no_bound = may ? 0 : p->round;
        return may;
    }
    sched_next_members(s, u, &p->members);
    const pod_id *pods = p->members.pods.p;
    size_t n = p->members.pods.len;
    for (size_t i = 0, k; i < n; i = k) {
        class_id c = s->pods[pods[i]].class_;
        for (k = i; k < n && s->pods[pods[k]].class_ == c; k++) {}
        if (!solve_class_may_fit(p, s->classes[c], NULL, (int64_t)(k - i)))
            return false;
    }
    return true;
}

/* --- reclaim and preempt ------------------------------------------------------------------------------------------------------------------------- */
static bool is_of_search(const struct search *x, queue_id id)
{
    const struct branch_queue *q = &x->p->tree[id];
    if (!q->leaf || q->running.len == 0 || (x->action == POLICY_PREEMPT) != (id == x->leaf))
        return false;
    return x->action == POLICY_PREEMPT || queues_may_take(x->p->q, x->leaf, x->ask, id, NULL);
}

/* Leaves whose lumps may be taken; false: none. */
static bool search_begin(struct search *x, bool breaking)
{
    struct policy *p = x->p;
    bool any = false;
    x->breaking = breaking;
    for (queue_id id = 1; id < p->ntree; id++) {
        struct branch_queue *q = &p->tree[id];
        q->side[SIDE_VICTIMS].has = is_of_search(x, id);
        if (!q->side[SIDE_VICTIMS].has)
            continue;
        victims_of_leaf(p, id);
        if (!breaking)
            q->next_lump = 0;
        any = true;
    }
    if (any)
        victims_walk_begin(p);
    return any;
}

/* The next lump of this leaf that may be taken is taken; false: the leaf has no more for now. */
static bool take_of_leaf(struct search *x, queue_id id)
{
    struct policy *p = x->p;
    struct branch_queue *q = &p->tree[id];
    nsec_t min_runtime = x->action == POLICY_PREEMPT ? queues_preempt_min_runtime(p->q, id) : queues_reclaim_min_runtime(p->q, x->leaf, id);
    for (; q->next_lump < q->lumps.list.len; q->next_lump++) {
        const struct lump *l = &q->lumps.list.p[q->next_lump];
        if (l->breaks_budget && !x->breaking)
            return false;
        if (l->unit == x->u || victims_is_protected(p, l, min_runtime))
            continue;
        if (x->action == POLICY_PREEMPT ? l->priority >= x->priority : !queues_may_take(p->q, x->leaf, x->ask, id, NULL)) {
            if (x->action == POLICY_PREEMPT)
                continue;
            return false;
        }
        if (solve_take(p, l, q->lumps.pods.p + l->first)) {
            q->next_lump++;
            return true;
        }
    }
    return false;
}

static bool take_next(struct search *x)
{
    struct policy *p = x->p;
    for (queue_id id; (id = victims_walk_next(p)) != QUEUE_NONE;) {
        bool took = take_of_leaf(x, id);
        p->tree[id].side[SIDE_VICTIMS].has = took;
        victims_walk_touch(p, id);
        if (took)
            return true;
    }
    return !x->breaking && search_begin(x, true) && take_next(x);
}

/* The fewest lumps from the front after which the unit fits; they are out then.  false: not even all of them will do. */
static bool fewest(struct search *x, size_t *ret)
{
    struct policy *p = x->p;
    size_t lo = 0;
    if (solve_probe(p, x->u, x->leaf, x->ask)) {
        *ret = 0;
        return true;
    }
    for (;;) {
        uint32_t at = statement_begin(p->s);
        size_t want = MAX(lo, (size_t)1), n = 0;
        while (n < want && x->next(x))
            n++;
        if (n && solve_probe(p, x->u, x->leaf, x->ask)) {
            statement_rollback(p->s, at);
            break;
        }
        statement_commit(p->s, at);
        lo = p->taken_list.len;
        if (n == 0)
            return false;
    }
    size_t hi = p->taken_list.len;
    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        uint32_t at = statement_begin(p->s);
        for (size_t i = lo; i < mid; i++)
            take_again(p, i);
        if (solve_probe(p, x->u, x->leaf, x->ask)) {
            statement_rollback(p->s, at);
            hi = mid;
        } else {
            statement_commit(p->s, at);
            lo = mid;
        }
    }
    for (size_t i = lo; i < hi; i++)
        take_again(p, i);
    *ret = hi;
    return true;
}

/* May the queues lose what would go?  In any order: what one side gives up may entitle it to more of the other.  What may not be lost could still move, and is marked so. */
static bool may_be_taken(struct search *x, size_t n, const uint8_t *fate)
{
    struct policy *p = x->p;
    bool *done = xarray(n + 1, bool), progress = true, all = false;
    memset(p->taken, 0, p->ntree * sizeof *p->taken);
    while (progress && !all) {
        progress = false;
        all = true;
        for (size_t i = 0; i < n; i++) {
            const struct lump *l = &p->taken_list.p[i];
            struct policy_amounts sum;
            if (fate[i] != FATE_GOES || done[i])
                continue;
            if (!queues_may_take(p->q, x->leaf, x->ask, l->leaf, p->taken)) {
                all = false;
                continue;
            }
            lump_amounts(p, l, &sum);
            queues_take_add(p->q, l->leaf, &sum, 1, p->taken);
            done[i] = progress = true;
        }
    }
    for (size_t i = 0; !all && i < n; i++)
        p->taken_list.p[i].only_moves |= fate[i] == FATE_GOES && !done[i];
    free(done);
    return all;
}

/* Do the rules let go whom it would cost?  Who moves is nobody's loss. */
static bool is_allowed(struct search *x, size_t n, const uint8_t *fate, struct search_loss *ret)
{
    struct policy *p = x->p;
    uint32_t made_way = 0;
    *ret = (struct search_loss){.priority = INT32_MIN, .since_ns = INT64_MAX, .created_ns = INT64_MAX};
    for (size_t i = 0; i < n; i++) {
        const struct lump *l = &p->taken_list.p[i];
        if (fate[i] == FATE_STAYS)
            continue;
        ret->breaks += l->breaks_budget;
        *(fate[i] == FATE_MOVES ? &ret->moved : &ret->lost) += l->n;
        ret->priority = MAX(ret->priority, l->priority);
        ret->since_ns = MIN(ret->since_ns, l->since_ns);
        ret->created_ns = MIN(ret->created_ns, l->created_ns);
        made_way += l->only_moves;
        if (l->only_moves && fate[i] == FATE_GOES)
            return false;
    }
    if (made_way > p->opts.max_moves)
        return false;
    return x->action != POLICY_RECLAIM ||
           (may_be_taken(x, n, fate) && queues_take_is_fair(p->q, x->leaf, x->ask, policy_asks_fixed(&p->units[x->u]), p->taken, p->opts.saturation));
}

#define FURTHER 16u /* at a time, doubling up to this: those who go so that others can move */

/* Of the first n those who may not be lost: who finds a place now?  false: all of them have one. */
static bool movers_are_stuck(struct policy *p, size_t n, uint8_t *fate, struct unit_decision *d)
{
    bool stuck = false;
    for (size_t i = n; i-- > 0;)
        if (p->taken_list.p[i].only_moves && fate[i] == FATE_GOES) {
            fate[i] = put_elsewhere(p, i, d) ? FATE_MOVES : FATE_GOES;
            stuck |= fate[i] == FATE_GOES;
        }
    return stuck;
}

/* The cluster may be full of those who may be lost, and the node that would help of others: these move to where those go from, the weakest claims first.  The same n lumps once more, and
 * further ones; n is how many count then.  false: it does not help. */
static bool go_for_movers(struct search *x, size_t *n, uint8_t **fate)
{
    struct policy *p = x->p;
    struct unit_decision d = UNIT_DECISION_INIT;
    size_t first = *n, all = first;
    p->taken_list.len = first; /* what was taken beyond them is back */
    p->taken_pods.len = p->was.len = p->taken_list.p[first - 1].first + p->taken_list.p[first - 1].n;
    uint32_t at = statement_begin(p->s);
    solve_leaving_out(p);
    for (size_t i = 0; i < first; i++)
        take_again(p, i);
    memset(*fate, FATE_GOES, first);
    sched_place_next(p->s, x->u, p->now, true, &p->probe);
    bool stuck = true;
    if (p->probe.result == UNIT_PLACED && search_begin(x, false)) {
        solve_reprieve(p, first, x->leaf, *fate);
        stuck = movers_are_stuck(p, first, *fate, &d);
    }
    for (size_t want = 1; stuck && p->probe.result == UNIT_PLACED && want <= FURTHER; want *= 2) {
        size_t before = all;
        for (size_t k = 0; k < want && take_next(x); k++)
            all++;
        if (all == before)
            break;
        *fate = xrealloc(*fate, all + 1);
        memset(*fate + before, FATE_GOES, all + 1 - before);
        stuck = movers_are_stuck(p, first, *fate, &d);
    }
    for (size_t i = all; !stuck && i-- > first;) /* who need not go for it after all */
        if (!core_is_gone(p, *fate, all, i, FATE_STAYS) && !passes_limit(p, &p->taken_list.p[i], x->leaf) && put_back(p, i))
            (*fate)[i] = FATE_STAYS;
    if (!stuck)
        solve_elsewhere(p, all, *fate);
    statement_rollback(p->s, at);
    unit_decision_fini(&d);
    *n = all;
    return !stuck;
}

static bool has_movers(const struct policy *p, size_t n, const uint8_t *fate)
{
    for (size_t i = 0; i < n; i++)
        if (p->taken_list.p[i].only_moves && fate[i] == FATE_GOES)
            return true;
    return false;
}

#define SPARE_MOST 16u
/* Node by node, a gang that goes for one node empties another, too, and who went before it for a third need not: the unit fits without. */
static void spare(struct search *x, size_t n, uint8_t *fate)
{
    struct policy *p = x->p;
    for (size_t i = n; n > 1 && n <= SPARE_MOST && i-- > 0;) {
        if (!p->taken_list.p[i].core || passes_limit(p, &p->taken_list.p[i], x->leaf) || !put_back(p, i))
            continue;
        if (solve_probe(p, x->u, x->leaf, x->ask))
            fate[i] = FATE_STAYS;
        else
            take_again(p, i);
    }
}

enum policy_tried solve_search(struct search *x, struct search_loss *ret_loss, struct unit_decision *d)
{
    struct policy *p = x->p;
    size_t n = 0;
    solve_clear(p);
    uint32_t at = statement_begin(p->s);
    solve_leaving_out(p);
    uint8_t *fate = NULL;
    bool found = fewest(x, &n);
    if (found) {
        fate = xarray(n + 1, uint8_t);
        if (x->action == POLICY_CONSOLIDATE)
            spare(x, n, fate);
        sched_place_next(p->s, x->u, p->now, true, &p->probe);
        found = p->probe.result == UNIT_PLACED; /* or they would go for nothing */
    }
    if (found) {
        solve_reprieve(p, n, x->leaf, fate);
        if (x->action != POLICY_RECLAIM || !p->opts.still_reclaim)
            solve_elsewhere(p, n, fate);
    }
    statement_rollback(p->s, at);
    enum policy_tried how = found ? TRIED_UNFAIR : p->taken_list.len ? TRIED_NO_ROOM : TRIED_NOBODY;
    bool allowed = found && is_allowed(x, n, fate, ret_loss);
    if (found && !allowed && x->moves && x->action != POLICY_CONSOLIDATE && has_movers(p, n, fate))
        allowed = go_for_movers(x, &n, &fate) && is_allowed(x, n, fate, ret_loss);
    if (allowed) {
        how = TRIED_NOT;
        if (d)
            solve_carry_out(p, n, fate, d);
    }
    free(fate);
    return how;
}

static enum policy_tried try_evicting(struct search *x, struct unit_decision *d)
{
    struct search_loss loss;
    x->next = take_next;
    if (!search_begin(x, false)) {
        /* nobody moves for fixed ones in consolidation, but whom they may take from may make way */
        bool may_move = x->action == POLICY_RECLAIM && policy_asks_fixed(&x->p->units[x->u]) && solve_enough_in_all(x->p, x->ask) && solve_may_help(x->p, x->u);
        return may_move && solve_aiming(x, d) ? TRIED_NOT : TRIED_NOBODY;
    }
    if (!solve_may_help(x->p, x->u))
        return TRIED_NO_ROOM;
    enum policy_tried how = solve_search(x, &loss, d);
    return (how == TRIED_NO_ROOM || how == TRIED_UNFAIR) && solve_aiming(x, d) ? TRIED_NOT : how;
}

bool solve_evicting(struct policy *p, struct kind *k, unit_id u, enum policy_action action, struct unit_decision *d)
{
    struct policy_amounts ask;
    struct queue_blame blame;
    bool fixed = policy_asks_fixed(&p->units[u]);
    struct search x = {.p = p, .u = u, .leaf = k->leaf, .action = action, .priority = p->s->units[u].priority, .ask = &ask};
    policy_ask(p, u, &ask);
    if (action == POLICY_RECLAIM ? !queues_may_reclaim(p->q, k->leaf, &ask, fixed) : queues_may_start(p->q, k->leaf, &ask, fixed, &blame) == QUEUE_FIXED_OVER_QUOTA)
        k->tried[action] = TRIED_NO_CLAIM;
    else
        k->tried[action] = (uint8_t)try_evicting(&x, d);
    return d->result == UNIT_PREEMPTING;
}
