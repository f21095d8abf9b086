/* moving.c - consolidation: units move so that one more fits, and nobody loses.
 *
 *     n1 [j . ]  n2 [k . ]   l wants 2:   k goes, l comes to n2, k finds room beside j
 * Off the node that lacks least, the smallest pod that is enough; a few such nodes are tried, or a few domains when the unit wants one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/devices.h"
#include "sched/engine/place_state.h"
#include "sched/engine/preempt_state.h"
#include "sched/engine/statement.h"
#include "sched/engine/unit.h"

#define MOVING_TRIES 8

static void idle_make(struct policy *p)
{
    const struct sched *s = p->s;
    struct policy_amounts *idle = &p->room.idle, one;
    memset(idle, 0, sizeof *idle);
    for (uint32_t k = 0; k < p->stride; k++) {
        uint16_t r = queues_slot_resource(p->q, k);
        int64_t sum = 0;
        for (uint32_t n = 0; r != RES_GPU && n < s->view.nnodes; n++)
            sum += bit_get(s->alive, n) ? MAX(view_free(&s->view, n, r), (int64_t)0) : 0;
        for (uint32_t n = 0; r == RES_GPU && n < s->view.nnodes; n++) {
            const struct gpu_state *g = &s->view.gpu[n];
            if (!bit_get(s->alive, n))
                continue;
            for (uint32_t i = 0; g->ntaken && i < s->nodes[n].ngpus; i++)
                sum += devices_left(g, i);
            sum += g->ntaken ? 0 : (int64_t)s->nodes[n].ngpus * GPU_MILLI;
        }
        idle->v[k] = sum;
    }
    for (size_t i = 0; i < p->leaving.len; i++) {
        const struct pod *pod = &s->pods[p->leaving.p[i]];
        if (pod->state != PS_TERMINATING)
            continue;
        policy_class_amounts(p, s->classes[pod->class_], pod->node, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            idle->v[k] += one.v[k];
    }
    p->room.idle_made = true;
}

/* Is there enough in the whole cluster, in pieces? */
static bool enough_in_all(struct policy *p, const struct policy_amounts *ask)
{
    if (!p->room.idle_made)
        idle_make(p);
    for (uint32_t k = 0; k < p->stride; k++)
        if (ask->v[k] > p->room.idle.v[k])
            return false;
    return true;
}

static bool is_movable(struct policy *p, unit_id u, pod_id v)
{
    const struct pod *pod = &p->s->pods[v];
    const struct batch_unit *b = &p->units[pod->unit];
    return policy_runs(pod->state) && pod->unit != u && b->run_pos && !class_of(p->s, v)->never_victim &&
           p->now >= b->start_ns + queues_preempt_min_runtime(p->q, b->leaf);
}

/* GPUs in milli when the class wants any, else cpu: what a node lacks, and what a pod would give. */
static int64_t size_of(const struct policy *p, const struct pod_class *c, node_id n, bool gpu)
{
    return gpu ? c->gpu.kind == GPU_NONE ? 0 : (int64_t)c->gpu.count * MAX(devices_milli(p->s, c, n), 0) : c->amount[RES_CPU];
}

static int more_left(const void *pa, const void *pb)
{
    int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return a > b ? -1 : a < b;
}

/* What must go from a node so that one pod more than now fits; INT64_MAX: never. */
static int64_t shortage(const struct policy *p, const struct pod_class *c, node_id n, bool gpu)
{
    const struct sched *s = p->s;
    if (!gpu) {
        int64_t size = c->amount[RES_CPU], room = MAX(view_free(&s->view, n, RES_CPU), (int64_t)0);
        return size ? (room / size + 1) * size - room : INT64_MAX;
    }
    int64_t left[GPU_MAX], milli = devices_milli(s, c, n), missing = 0;
    uint32_t ngpus = s->nodes[n].ngpus, fit = 0;
    if (milli <= 0)
        return INT64_MAX;
    for (uint32_t g = 0; g < ngpus; g++) {
        left[g] = devices_left(&s->view.gpu[n], g);
        fit += left[g] >= milli;
    }
    qsort(left, ngpus, sizeof *left, more_left);
    uint32_t want = (fit / c->gpu.count + 1) * c->gpu.count;
    if (want > ngpus)
        return INT64_MAX;
    for (uint32_t g = 0; g < want; g++)
        missing += MAX(milli - left[g], (int64_t)0);
    return missing;
}

static bool could_move_enough(struct policy *p, unit_id u, node_id n, int64_t missing, bool gpu)
{
    for (pod_id v = p->s->nodes[n].first_pod; v && missing > 0; v = p->s->pods[v].next_on_node)
        if (is_movable(p, u, v))
            missing -= size_of(p, class_of(p->s, v), n, gpu);
    return missing <= 0;
}

/* The node that lacks least, after `skip` others. */
static node_id cheapest(struct policy *p, unit_id u, struct pod_class *c, const uint64_t *within, uint32_t skip)
{
    struct sched *s = p->s;
    bool gpu = c->gpu.kind != GPU_NONE;
    struct preempt_how how;
    struct { int64_t missing; node_id n; } best[MOVING_TRIES + 1];
    uint32_t nbest = 0;
    plan_refresh(s, c);
    preempt_how_of(s, c, &how);
    bits_foreach(n, within ? within : s->alive, s->view.words)
    {
        int64_t missing = shortage(p, c, n, gpu);
        if (missing == INT64_MAX || (nbest > skip && missing >= best[skip].missing) || !preempt_filters_fit(s, c, how.static_filters, n) || !could_move_enough(p, u, n, missing, gpu))
            continue;
        uint32_t i = nbest <= skip ? nbest++ : skip;
        for (; i > 0 && best[i - 1].missing > missing; i--)
            best[i] = best[i - 1];
        best[i].missing = missing;
        best[i].n = n;
    }
    return nbest > skip ? best[skip].n : NODE_NONE;
}

/* Of the pods there, the smallest that is enough, else the largest; its unit goes as a whole unless it can miss the pod. */
static bool move_one(struct policy *p, unit_id u, const struct pod_class *c, node_id n)
{
    struct sched *s = p->s;
    bool gpu = c->gpu.kind != GPU_NONE;
    int64_t missing = shortage(p, c, n, gpu), size = 0;
    pod_id best = POD_NONE;
    for (pod_id v = s->nodes[n].first_pod; v; v = s->pods[v].next_on_node) {
        int64_t z = is_movable(p, u, v) ? size_of(p, class_of(s, v), n, gpu) : 0;
        if (z > 0 && (!best || (size >= missing ? z >= missing && z < size : z > size))) {
            best = v;
            size = z;
        }
    }
    if (!best)
        return false;
    unit_id w = s->pods[best].unit;
    struct lump l = {.unit = w, .leaf = p->units[w].leaf, .core = true, .n = (uint32_t)s->units[w].pods.len};
    if (s->units[w].is_group && unit_holds_without(s, w, &best, 1)) {
        l.core = false;
        l.n = 1;
        return solve_take(p, &l, &best);
    }
    return solve_take(p, &l, s->units[w].pods.p);
}

/* Everybody who had to move finds another place. */
static bool replace_all(struct policy *p, size_t n, const bool *back)
{
    struct unit_decision d = UNIT_DECISION_INIT;
    bool good = true;
    for (size_t i = 0; good && i < n; i++) {
        for (uint32_t placed = 0; good && !back[i] && placed < p->taken_list.p[i].n;) {
            sched_place_next(p->s, p->taken_list.p[i].unit, p->now, true, &d);
            good = d.result == UNIT_PLACED;
            placed += (uint32_t)d.placements.len;
        }
    }
    unit_decision_fini(&d);
    return good;
}

static bool try_moving(struct policy *p, unit_id u, queue_id leaf, const struct policy_amounts *ask, const uint64_t *within, uint32_t skip, struct unit_decision *d)
{
    struct sched *s = p->s;
    solve_clear(p);
    uint32_t at = statement_begin(s);
    solve_leaving_out(p);
    bool fits;
    while (!(fits = solve_probe(p, u, leaf, ask)) && p->taken_list.len < p->opts.max_moves) {
        if (!p->probe.failed_pod)
            break;
        struct pod_class *c = class_of(s, p->probe.failed_pod);
        node_id n = cheapest(p, u, c, within, skip);
        skip = 0;
        if (n == NODE_NONE || !move_one(p, u, c, n))
            break;
    }
    size_t n = p->taken_list.len;
    bool *back = xarray(n + 1, bool);
    if (fits) {
        sched_place_next(s, u, p->now, true, &p->probe);
        solve_reprieve(p, n, leaf, back);
        fits = replace_all(p, n, back);
    }
    statement_rollback(s, at);
    if (fits)
        solve_carry_out(p, n, back, d);
    free(back);
    return fits;
}

bool solve_moving(struct policy *p, struct kind *k, unit_id u, struct unit_decision *d)
{
    struct policy_amounts ask;
    policy_ask(p, u, &ask);
    k->tried[POLICY_CONSOLIDATE] = TRIED_NO_CLAIM;
    if (p->opts.max_moves == 0 || p->units[u].fixed || queues_may_start(p->q, k->leaf, &ask, false, NULL) != QUEUE_OK)
        return false;
    k->tried[POLICY_CONSOLIDATE] = TRIED_NO_ROOM;
    if (!enough_in_all(p, &ask) || !solve_may_help(p, u))
        return false;
    const struct unit *unit = &p->s->units[u];
    if (unit->nrequired_keys == 0) {
        for (uint32_t skip = 0; skip < MOVING_TRIES; skip++)
            if (try_moving(p, u, k->leaf, &ask, NULL, skip, d))
                return true;
        return false;
    }
    /* one domain after the other is emptied as far as it must be */
    struct node_sets sets = {0};
    bool done = false;
    unit_domains(p->s, u, unit->required_keys, unit->nrequired_keys, p->s->alive, &sets);
    for (size_t i = 0; i < sets.sets.len && i < MOVING_TRIES && !done; i++)
        done = try_moving(p, u, k->leaf, &ask, sets.sets.p[i], 0, d);
    node_sets_fini(&sets);
    return done;
}
