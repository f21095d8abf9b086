/* moving.c - consolidation: units move so that one more fits, and nobody loses.
 *
 *     n1 [j . ]  n2 [k . ]   l wants 2:   k goes, l comes to n2, k finds room beside j
 * The search node by node (aim.c), in which nobody may be lost; here is when it is worth trying. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"
#include "sched/policy/share.h"

#include "sched/engine/devices.h"

static void idle_make(struct policy *p)
{
    const struct sched *s = p->s;
    struct policy_amounts *idle = &p->room.idle, one;
    memset(idle, 0, sizeof *idle);
    for (uint32_t k = 0; k < p->stride; k++) {
        uint16_t r = queues_slot_resource(p->q, k);
        sum_t sum = 0;
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
        idle->v[k] = queues_slot_model(p->q, k).len ? INT64_MAX / 2 : (int64_t)MIN(sum, (sum_t)SHARE_AMOUNT_MAX); /* of a model: a bound that holds will do */
    }
    for (size_t i = 0; i < p->leaving.len; i++) {
        const struct pod *pod = &s->pods[p->leaving.p[i]];
        if (pod->state != PS_TERMINATING)
            continue;
        policy_class_amounts(p, s->classes[pod->class_], pod->node, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            idle->v[k] = MIN(idle->v[k] + one.v[k], (int64_t)SHARE_AMOUNT_MAX);
    }
    p->room.idle_made = true;
}

bool solve_enough_in_all(struct policy *p, const struct policy_amounts *ask)
{
    if (!p->room.idle_made)
        idle_make(p);
    for (uint32_t k = 0; k < p->stride; k++)
        if (ask->v[k] > p->room.idle.v[k])
            return false;
    return true;
}

bool solve_moving(struct policy *p, struct kind *k, unit_id u, struct unit_decision *d)
{
    struct policy_amounts ask;
    policy_ask(p, u, &ask);
    k->tried[POLICY_CONSOLIDATE] = TRIED_NO_CLAIM;
    if (p->opts.max_moves == 0 || policy_asks_fixed(&p->units[u]) || queues_may_start(p->q, k->leaf, &ask, false, NULL) != QUEUE_OK)
        return false;
    k->tried[POLICY_CONSOLIDATE] = TRIED_NO_ROOM;
    if (!solve_enough_in_all(p, &ask) || !solve_may_help(p, u))
        return false;
    struct class_answer *known = policy_answer(p, u);
    if (known && known->no_move == p->round)
        return false;
    struct search x = {.p = p, .u = u, .leaf = k->leaf, .action = POLICY_CONSOLIDATE, .priority = p->s->units[u].priority, .ask = &ask};
    bool done = solve_aiming(&x, d);
    if (known && !done && !p->aim_refused)
        known->no_move = p->round;
    return done;
}
