/* account.c - what each unit and queue holds and waits for.
 *
 * Each unit under the policy has two vectors: held (pods with room on nodes, kept or used; those that are leaving no more) and waiting.  Both are charged to its leaf, and by
 * queues.h to all queues above.  The watch moves amounts at every assign, unassign and rollback; policy_refresh makes a unit's vectors anew from its pods when members or specs changed.
 *     gang of 4 (1 GPU each), 3 on nodes, 1 of them leaving:   held 2000, waiting 1000
 * What a semi-preemptible unit holds for its minimum is charged as non-preemptible beside that (core); by refreshes alone: in a statement only its surplus comes and goes, or all of it comes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/policy/policy_state.h"

#include "sched/engine/devices.h"
#include "sched/engine/unit.h"

/* --- amounts ----------------------------------------------------------------------------------------------------------------------------- */
static int64_t gpu_amount(const struct policy *p, const struct pod_class *c, node_id n)
{
    if (c->gpu.kind == GPU_NONE)
        return c->amount[RES_GPU] * GPU_MILLI + gpus_mig_amount(p, c);
    int64_t milli = GPU_MILLI;
    if (c->gpu.kind == GPU_FRACTION)
        milli = c->gpu.milli;
    else if (c->gpu.kind == GPU_MEMORY && n != NODE_NONE)
        milli = devices_milli(p->s, c, n);
    else if (c->gpu.kind == GPU_MEMORY && p->least_gpu_mib > 0)
        milli = MIN((c->gpu.memory_mib * GPU_MILLI + p->least_gpu_mib - 1) / p->least_gpu_mib, (int64_t)GPU_MILLI);
    return (milli < 0 ? GPU_MILLI : milli) * (int64_t)c->gpu.count + gpus_mig_amount(p, c);
}

void policy_class_amounts(const struct policy *p, const struct pod_class *c, node_id n, struct policy_amounts *ret)
{
    memset(ret, 0, sizeof *ret);
    for (uint32_t i = 0; i < c->nreq; i++) {
        int slot = c->req[i].id == RES_GPU ? -1 : queues_slot(p->q, c->req[i].id);
        if (slot >= 0)
            ret->v[slot] = c->req[i].amount;
    }
    int gpu = queues_slot(p->q, RES_GPU);
    if (gpu >= 0)
        ret->v[gpu] = gpu_amount(p, c, n);
    if (gpu >= 0 && gpus_has_models(p))
        gpus_add_models(p, c, n, ret->v[gpu], ret->v);
    for (uint32_t k = 0; k < p->stride; k++)
        ret->v[k] = MIN(ret->v[k], (int64_t)POLICY_POD_MOST);
}

void policy_ask(struct policy *p, unit_id u, struct policy_amounts *ret)
{
    const struct unit *unit = &p->s->units[u];
    struct policy_amounts one;
    if (unit_is_single(p->s, u)) {
        policy_class_amounts(p, class_of(p->s, unit->pods.p[0]), NODE_NONE, ret);
        return;
    }
    memset(ret, 0, sizeof *ret);
    sched_next_members(p->s, u, &p->members);
    for (size_t i = 0; i < p->members.pods.len; i++) {
        const struct pod *pod = &p->s->pods[p->members.pods.p[i]];
        if (pod->state != PS_PENDING)
            continue;
        policy_class_amounts(p, p->s->classes[pod->class_], NODE_NONE, &one);
        for (uint32_t k = 0; k < p->stride; k++)
            ret->v[k] += one.v[k];
    }
}

struct class_answer *policy_answer(struct policy *p, unit_id u)
{
    if (!unit_is_single(p->s, u) || gpus_are_barred(p, u, NULL))
        return NULL;
    const struct pod_class *c = class_of(p->s, p->s->units[u].pods.p[0]);
    if (!c->is_local)
        return NULL;
    if (c->id >= p->nanswers) {
        uint32_t n = MAX(c->id + 64, p->nanswers * 2);
        p->answers = xrealloc(p->answers, n * sizeof *p->answers);
        memset(p->answers + p->nanswers, 0, (n - p->nanswers) * sizeof *p->answers);
        p->nanswers = n;
    }
    return &p->answers[c->id];
}

bool policy_is_fixed(const struct unit *unit)
{
    return unit->preemptibility == PREEMPTIBLE_NO || (unit->preemptibility == PREEMPTIBLE_UNSET && unit->priority >= PREEMPTIBLE_BELOW);
}

/* --- the watch --------------------------------------------------------------------------------------------------------------------------- */
void account_grow(struct policy *p, unit_id u)
{
    if (u < p->nunits)
        return;
    uint32_t n = MAX(u + 256, p->nunits * 2);
    p->units = xrealloc(p->units, n * sizeof *p->units);
    memset(p->units + p->nunits, 0, (n - p->nunits) * sizeof *p->units);
    p->held = xrealloc(p->held, (size_t)n * p->stride * sizeof *p->held);
    p->waiting = xrealloc(p->waiting, (size_t)n * p->stride * sizeof *p->waiting);
    memset(p->held + (size_t)p->nunits * p->stride, 0, (size_t)(n - p->nunits) * p->stride * sizeof *p->held);
    memset(p->waiting + (size_t)p->nunits * p->stride, 0, (size_t)(n - p->nunits) * p->stride * sizeof *p->waiting);
    p->core = xrealloc(p->core, (size_t)n * p->stride * sizeof *p->core);
    memset(p->core + (size_t)p->nunits * p->stride, 0, (size_t)(n - p->nunits) * p->stride * sizeof *p->core);
    p->nunits = n;
}

static void mark(struct policy *p, unit_id u)
{
    account_grow(p, u);
    if (p->units[u].dirty)
        return;
    p->units[u].dirty = true;
    vec_push(&p->dirty, u);
}

static void watch_unit(void *arg, unit_id u)
{
    struct policy *p = arg;
    account_grow(p, u);
    if (policy_is_mine(p, &p->s->units[u]) || p->units[u].known)
        mark(p, u);
    if (p->s->units[u].pods.len == 0 && p->units[u].known)
        policy_refresh(p, u); /* it may be gone before the next round, and its number another's */
}

static void watch_node(void *arg, node_id n UNUSED)
{
    ((struct policy *)arg)->totals_stale = true;
}

/* Rounds forget those that have gone; where there are none, it is done here. */
static void leaving_add(struct policy *p, pod_id id)
{
    if (p->leaving.len >= p->leaving_room) {
        size_t keep = 0;
        for (size_t i = 0; i < p->leaving.len; i++)
            if (p->s->pods[p->leaving.p[i]].state == PS_TERMINATING)
                p->leaving.p[keep++] = p->leaving.p[i];
        p->leaving.len = keep;
        p->leaving_room = MAX(keep * 2, (size_t)1024);
    }
    vec_push(&p->leaving, id);
}

static void foreign_add(struct policy *p, const struct policy_amounts *a, int sign)
{
    for (uint32_t k = 0; k < p->stride; k++)
        p->foreign[k] += sign * (sum_t)a->v[k];
    p->totals_stale = true;
}

static void watch_pod(void *arg, pod_id id, int sign)
{
    struct policy *p = arg;
    const struct pod *pod = &p->s->pods[id];
    const struct pod_class *c = p->s->classes[pod->class_];
    struct policy_amounts a, w;
    if (pod->state == PS_TERMINATING && sign > 0)
        leaving_add(p, id);
    if (pod->unit >= p->nunits)
        account_grow(p, pod->unit);
    struct batch_unit *b = &p->units[pod->unit];
    if (!b->known) {
        if (policy_counts(pod->state) && policy_has_node(p, pod->node)) {
            policy_class_amounts(p, c, pod->node, &a);
            foreign_add(p, &a, sign);
        }
        if (policy_is_mine(p, &p->s->units[pod->unit]))
            mark(p, pod->unit);
        return;
    }
    if (!b->dirty)
        mark(p, pod->unit);
    if (!policy_counts(pod->state))
        return;
    policy_class_amounts(p, c, pod->node, &a);
    int64_t *held = p->held + (size_t)pod->unit * p->stride, *waiting = p->waiting + (size_t)pod->unit * p->stride;
    for (uint32_t k = 0; k < p->stride; k++)
        held[k] += sign * a.v[k];
    if (b->charged)
        queues_add_allocated(p->q, b->charged, &a, b->fixed, sign);
    else if (policy_has_node(p, pod->node))
        foreign_add(p, &a, sign);
    if (c->gates)
        return;
    policy_class_amounts(p, c, NODE_NONE, &w);
    for (uint32_t k = 0; k < p->stride; k++)
        waiting[k] -= sign * w.v[k];
    if (b->leaf)
        queues_add_waiting(p->q, b->leaf, &w, -sign);
}

struct sched_watch account_watch(struct policy *p)
{
    return (struct sched_watch){.arg = p, .pod = watch_pod, .unit = watch_unit, .node = watch_node, .within = gpus_within};
}

/* --- a unit's record ------------------------------------------------------------------------------------------------------------------------ */
static void charge(struct policy *p, unit_id u, int sign)
{
    struct batch_unit *b = &p->units[u];
    struct policy_amounts a = {{0}}, w = {{0}}, c = {{0}};
    memcpy(c.v, p->core + (size_t)u * p->stride, p->stride * sizeof *c.v);
    memcpy(a.v, p->held + (size_t)u * p->stride, p->stride * sizeof *a.v);
    memcpy(w.v, p->waiting + (size_t)u * p->stride, p->stride * sizeof *w.v);
    if (!b->charged) {
        foreign_add(p, &a, sign);
        return;
    }
    queues_add_allocated(p->q, b->charged, &a, b->fixed, sign);
    queues_add_fixed(p->q, b->charged, &c, sign);
    if (b->leaf) /* who waits elsewhere waits for nothing that could be given */
        queues_add_waiting(p->q, b->leaf, &w, sign);
}

/* What a semi-preemptible unit holds of its minimum: all of it until it has that, room that is kept included. */
static void count_core(const struct policy *p, unit_id u, struct counted *ret)
{
    const struct unit *unit = &p->s->units[u];
    struct policy_amounts a;
    if (!unit->is_group || !unit_holds_without(p->s, u, NULL, 0)) {
        ret->core = ret->held;
        return;
    }
    pod_id *pods = xarray(unit->pods.len + 1, pod_id);
    uint32_t *part = xarray(unit->pods.len + 1, uint32_t);
    size_t n = victims_in_order(p, u, pods);
    unit_surplus(p->s, u, pods, n, part);
    for (size_t i = 0; i < n; i++) {
        if (part[i])
            continue;
        policy_class_amounts(p, class_of(p->s, pods[i]), p->s->pods[pods[i]].node, &a);
        for (uint32_t k = 0; k < p->stride; k++)
            ret->core.v[k] += a.v[k];
    }
    free(pods);
    free(part);
}

/* Who was evicted comes again as another pod, and waits anew. */
static void count_delay(const struct pod *pod, nsec_t delay_ns, struct counted *ret)
{
    nsec_t ready;
    if (!delay_ns)
        return;
    if (__builtin_add_overflow(pod->created_ns, delay_ns, &ready))
        ready = INT64_MAX;
    ret->ready_ns = MAX(ret->ready_ns, ready);
}

/* A checkpoint is the whole gang's, whoever tells of it. */
static void count_loss(const struct spec_loss *say, const struct pod *pod, bool waits, struct counted *ret)
{
    ret->checkpoint_ns = MAX(ret->checkpoint_ns, say->checkpoint_ns);
    ret->restart_cost_s = MAX(ret->restart_cost_s, (int64_t)say->restart_cost_s);
    if (waits)
        count_delay(pod, say->delay_ns, ret);
}

void account_count(const struct policy *p, unit_id u, struct counted *ret)
{
    const struct unit *unit = &p->s->units[u];
    struct policy_amounts a;
    *ret = (struct counted){0};
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *pod = &p->s->pods[unit->pods.p[i]];
        const struct pod_class *c = p->s->classes[pod->class_];
        bool waits = pod->state == PS_PENDING && !c->gates, counts = policy_counts(pod->state);
        if (unlikely(pod->loss))
            count_loss(&p->s->losses.p[pod->loss], pod, waits, ret);
        if (unlikely(unit->delay_ns) && waits)
            count_delay(pod, unit->delay_ns, ret);
        ret->npending += waits;
        ret->nnominated += pod->state == PS_NOMINATED;
        if (policy_runs(pod->state)) {
            ret->nplaced++;
            ret->just_started |= pod->started_ns == 0;
            if (pod->started_ns && (!ret->start_ns || pod->started_ns < ret->start_ns))
                ret->start_ns = pod->started_ns;
        }
        if (!waits && !counts)
            continue;
        policy_class_amounts(p, c, counts ? pod->node : NODE_NONE, &a);
        struct policy_amounts *to = counts ? &ret->held : &ret->waiting;
        for (uint32_t k = 0; k < p->stride; k++)
            to->v[k] += a.v[k];
    }
    if (unit->preemptibility == PREEMPTIBLE_SEMI)
        count_core(p, u, ret);
}

static void set_running(struct policy *p, unit_id u, bool on)
{
    struct batch_unit *b = &p->units[u];
    if ((b->run_pos != 0) == on)
        return;
    struct branch_queue *leaf = &p->tree[b->leaf];
    leaf->running_version++;
    if (on) {
        vec_push(&leaf->running, u);
        b->run_pos = (uint32_t)leaf->running.len;
        return;
    }
    uint32_t at = b->run_pos - 1;
    vec_remove_swap(&leaf->running, at);
    if (at < leaf->running.len)
        p->units[leaf->running.p[at]].run_pos = at + 1;
    b->run_pos = 0;
}

static void set_kept(struct policy *p, unit_id u, bool on)
{
    struct batch_unit *b = &p->units[u];
    if ((b->kept_pos != 0) == on)
        return;
    if (on) {
        vec_push(&p->kept, u);
        b->kept_pos = (uint32_t)p->kept.len;
        return;
    }
    uint32_t at = b->kept_pos - 1;
    vec_remove(&p->kept, at);
    for (size_t i = at; i < p->kept.len; i++)
        p->units[p->kept.p[i]].kept_pos = (uint32_t)i + 1;
    b->kept_pos = 0;
}

void account_forget(struct policy *p, unit_id u)
{
    struct batch_unit *b = &p->units[u];
    line_leave(p, u);
    if (b->leaf)
        set_running(p, u, false);
    set_kept(p, u, false);
    charge(p, u, -1);
    memset(p->held + (size_t)u * p->stride, 0, p->stride * sizeof *p->held);
    memset(p->waiting + (size_t)u * p->stride, 0, p->stride * sizeof *p->waiting);
    memset(p->core + (size_t)u * p->stride, 0, p->stride * sizeof *p->core);
    *b = (struct batch_unit){.dirty = b->dirty};
}

/* A unit that runs in a queue that others have come to hang below is still that queue's; in one that is lost or deleted it is nobody's, and what it holds is not there to be divided. */
static void find_queue(const struct policy *p, const struct unit *unit, struct batch_unit *b)
{
    queue_id id = queues_find(p->q, symbol_text(&p->s->sym, unit->queue));
    const struct queue_state *q = id ? queues_get(p->q, id) : NULL;
    b->leaf_verdict = !q ? QUEUE_MISSING : q->is_lost ? QUEUE_LOST : !q->is_leaf ? QUEUE_NOT_LEAF : QUEUE_OK;
    b->leaf = b->leaf_verdict == QUEUE_OK ? id : QUEUE_NONE;
    b->charged = b->leaf_verdict == QUEUE_OK || b->leaf_verdict == QUEUE_NOT_LEAF ? id : QUEUE_NONE;
}

/* Can a group of sub-groups miss anybody? */
static bool has_surplus(const struct policy *p, unit_id u)
{
    const struct unit *unit = &p->s->units[u];
    uint32_t n = 0;
    pod_id *pods = xarray(unit->pods.len + 1, pod_id);
    uint32_t *part = xarray(unit->pods.len + 1, uint32_t);
    for (size_t i = 0; i < unit->pods.len; i++)
        if (policy_runs(p->s->pods[unit->pods.p[i]].state))
            pods[n++] = unit->pods.p[i];
    bool has = unit_surplus(p->s, u, pods, n, part) > 0;
    free(pods);
    free(part);
    return has;
}

static enum min_state min_state_of(const struct policy *p, unit_id u, uint32_t placed)
{
    const struct unit *unit = &p->s->units[u];
    if (!unit->is_group)
        return placed ? MIN_AT : MIN_BELOW;
    if (!unit_holds_without(p->s, u, NULL, 0))
        return MIN_BELOW;
    if (unit->nsubgroups)
        return has_surplus(p, u) ? MIN_ABOVE : MIN_AT;
    return placed > (uint32_t)MAX(unit->min_member, 0) ? MIN_ABOVE : MIN_AT;
}

void account_foreign(struct policy *p, unit_id u, int sign)
{
    const struct unit *unit = &p->s->units[u];
    struct policy_amounts one;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *pod = &p->s->pods[unit->pods.p[i]];
        if (!policy_counts(pod->state) || !policy_has_node(p, pod->node))
            continue;
        policy_class_amounts(p, p->s->classes[pod->class_], pod->node, &one);
        foreign_add(p, &one, sign);
    }
    p->totals_stale = true;
}

/* Since when what runs has run, and whether it is less than it must be. */
static void note_times(struct policy *p, unit_id u, const struct counted *n)
{
    struct batch_unit *b = &p->units[u];
    if (n->nplaced == 0)
        b->start_ns = 0;
    else if (n->start_ns && !n->just_started)
        b->start_ns = n->start_ns;
    else if (!b->start_ns)
        b->start_ns = n->start_ns ? n->start_ns : p->now;
    b->since_ns = MAX(b->start_ns, MIN(n->checkpoint_ns, p->now)) - n->restart_cost_s * NSEC_PER_SEC;
    b->ready_ns = n->ready_ns;
    if (!p->s->units[u].is_group || !n->nplaced || b->min_state != MIN_BELOW || p->s->units[u].has_ended) {
        b->stale_since_ns = 0;
    } else if (!b->stale_since_ns) {
        b->stale_since_ns = MAX(p->now, (nsec_t)1);
        vec_push(&p->stale, u);
    }
}

/* Into the lists that it belongs to now, out of those that it belonged to. */
static void note_lists(struct policy *p, unit_id u, const struct batch_unit *before)
{
    struct batch_unit *b = &p->units[u];
    queue_id leaf = b->leaf;
    bool runs = policy_may_lose(b);
    set_kept(p, u, b->nnominated > 0);
    if (before->run_pos && (before->leaf != leaf || !runs)) {
        b->leaf = before->leaf;
        set_running(p, u, false);
        b->leaf = leaf;
    }
    if (runs && !b->run_pos)
        set_running(p, u, true);
    else if (runs && (before->nplaced != b->nplaced || before->start_ns != b->start_ns || before->since_ns != b->since_ns || before->min_state != b->min_state))
        p->tree[leaf].running_version++;
    if (leaf && b->npending && !b->nnominated)
        line_enter(p, u);
    else
        line_leave(p, u);
    if (!b->kind || before->nplaced < b->nplaced)
        b->blocked_ns = 0;
}

void policy_refresh(struct policy *p, unit_id u)
{
    struct batch_unit *b = &p->units[u];
    const struct unit *unit = &p->s->units[u];
    struct counted n;
    b->dirty = false;
    if (u >= p->s->nunits_slots || !unit->used || !policy_is_mine(p, unit) || unit->pods.len == 0) {
        if (b->known) {
            account_forget(p, u);
            if (unit->used && !policy_is_mine(p, unit))
                account_foreign(p, u, 1);
        }
        return;
    }
    if (!b->known) {
        /* its pods that are on nodes already came when nobody knew whose they are */
        account_foreign(p, u, -1);
        b->known = true;
    }
    const struct batch_unit before = *b;
    account_count(p, u, &n);
    charge(p, u, -1);
    memcpy(p->held + (size_t)u * p->stride, n.held.v, p->stride * sizeof *p->held);
    memcpy(p->waiting + (size_t)u * p->stride, n.waiting.v, p->stride * sizeof *p->waiting);
    memcpy(p->core + (size_t)u * p->stride, n.core.v, p->stride * sizeof *p->core);
    find_queue(p, unit, b);
    b->fixed = policy_is_fixed(unit);
    b->semi = unit->preemptibility == PREEMPTIBLE_SEMI;
    charge(p, u, 1);
    b->npending = n.npending;
    b->nplaced = n.nplaced;
    b->nnominated = n.nnominated;
    b->min_state = (uint8_t)min_state_of(p, u, n.nplaced);
    p->any_runtime |= unit->runtime_ns != 0;
    p->any_protect |= unit->protect_ns != 0;
    note_times(p, u, &n);
    note_lists(p, u, &before);
}
