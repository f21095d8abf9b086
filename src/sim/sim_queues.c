/* sim_queues.c - queues in a simulation: the policy's turn, and the books of who held what, came to what and was owed.
 *
 *   pods wait, run, end ─► tree (the books') ─► queues_divide ─► fair shares ─► over time: used, fair, Jain's index, owed
 *                       └► engine ─► policy (the setting's) ─► binds, evictions
 * The books have a tree of their own, so that a setting without queues is measured against what the queues would have come to.  sim_queues_check compares the two
 * where both have all queues.
 * A queue is owed while a unit of it waits that would stay within the queue's quota, and another queue holds more than its own quota. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/devices.h"
#include "sim/sim_internal.h"

#define ONE_LINE S("everybody")

/* --- queues ------------------------------------------------------------------------------------------------------------------------------------------------ */

struct policy *sim_policy(struct sim *sim)
{
    return sim->policy;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct sim_queue *)a)->name, ((const struct sim_queue *)b)->name);
}

/* Which of them are leaves shows when all are there; nothing has been booked until then. */
static void list_leaves(struct sim *sim)
{
    size_t room = queues_capacity(sim->tree) + 1;
    queue_id *all = xarray(room, queue_id);
    size_t n = queues_list(sim->tree, all, room);
    vec_clear(&sim->queues);
    for (size_t i = 0; i < n; i++) {
        const struct queue_state *q = queues_get(sim->tree, all[i]);
        if (q->is_leaf)
            vec_push(&sim->queues, (struct sim_queue){.name = arena_str(&sim->arena, q->name), .id = all[i], .owed_since_ = -1});
    }
    free(all);
    if (sim->queues.len)
        qsort(sim->queues.p, sim->queues.len, sizeof *sim->queues.p, by_name);
    free(sim->queue_of);
    sim->queue_of = xarray(room, uint32_t);
    sim->nqueue_of = room;
    for (size_t i = 0; i < sim->queues.len; i++)
        sim->queue_of[sim->queues.p[i].id] = (uint32_t)i + 1;
}

int sim_add_queue(struct sim *sim, const struct queue_spec *spec, struct err *err)
{
    if (sim->pods.len || sim->jobs.len)
        return err_set(err, E_INVALID, "queue \"" STR_FMT "\" comes after pods that may name it", STR_ARG(spec->name));
    if (!sim->policy) {
        const struct queue_spec line = {.name = ONE_LINE, .priority = 100, .preempt_min_runtime_ns = -1, .reclaim_min_runtime_ns = -1};
        sim->policy = policy_new(sim->s, &sim->opts.setting->opts);
        sim->tree = queues_new();
        int r = sim->opts.setting->one_line ? policy_queue_put(sim->policy, &line, err) : 0;
        if (r < 0)
            return r;
    }
    int r = queues_put(sim->tree, spec, NULL, err);
    if (r >= 0 && !sim->opts.setting->one_line)
        r = policy_queue_put(sim->policy, spec, err);
    if (r >= 0)
        list_leaves(sim);
    return r;
}

void sim_queues_fini(struct sim *sim)
{
    for (size_t i = 0; i < sim->queues.len; i++)
        vec_fini(&sim->queues.p[i].all_waits_);
    vec_fini(&sim->queues);
    vec_fini(&sim->queue_samples);
    policy_decisions_fini(&sim->decisions);
    policy_free(sim->policy);
    queues_free(sim->tree);
    free(sim->queue_of);
}

struct sim_queue *sim_queue_of(struct sim *sim, queue_id id)
{
    uint32_t at = id && id < sim->nqueue_of ? sim->queue_of[id] : 0;
    return at ? &sim->queues.p[at - 1] : NULL;
}

int sim_queues_kind(struct sim *sim, struct sim_kind *k, struct err *err)
{
    if (!sim->tree || !k->like.queue.len)
        return 0;
    k->queue = queues_find(sim->tree, k->like.queue);
    if (!sim_queue_of(sim, k->queue))
        return err_set(err, E_INVALID, "job " STR_FMT ": %s \"" STR_FMT "\"", STR_ARG(k->name), k->queue ? "only a queue without others below it takes work, not" : "there is no queue",
                       STR_ARG(k->like.queue));
    if (sim->opts.setting->one_line)
        k->like.queue = ONE_LINE;
    return 0;
}

void sim_queues_pod(struct sim *sim, uint32_t pod)
{
    struct sim_pod *p = &sim->pods.p[pod];
    const struct sim_kind *k = &sim->kinds.p[sim->jobs.p[p->job].kind];
    if (!sim->tree)
        return;
    p->queue = k->queue;
    if (!k->job && p->id != POD_NONE) {
        const struct unit *u = &sim->s->units[sched_unit_of(sim->s, p->id)];
        p->queue = u->queue ? queues_find(sim->tree, symbol_text(&sim->s->sym, u->queue)) : QUEUE_NONE;
    }
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    if (q)
        q->pods++;
    else
        p->queue = QUEUE_NONE;
}

/* --- accounts ------------------------------------------------------------------------------------------------------------------------------------------------- */

static int64_t asked(const struct res_amount *req, size_t n, uint16_t id)
{
    for (size_t i = 0; i < n; i++)
        if (req[i].id == id)
            return req[i].amount;
    return 0;
}

/* Of memory of devices nobody knows how much it is before it has a device. */
static int64_t gpu_asked(const struct gpu_request *g)
{
    return g->kind == GPU_NONE ? 0 : (int64_t)g->count * (g->kind == GPU_FRACTION ? g->milli : GPU_MILLI);
}

static void amounts(const struct sim *sim, const struct res_amount *req, size_t n, int64_t gpu_milli, struct policy_amounts *ret)
{
    memset(ret, 0, sizeof *ret);
    for (uint32_t i = 0; i < queues_nslots(sim->tree); i++) {
        uint16_t r = queues_slot_resource(sim->tree, i);
        ret->v[i] = r == RES_GPU ? gpu_milli : asked(req, n, r);
    }
}

/* What pods of the simulation's own kinds ask for is in the kind: they may not be in the engine yet. */
static void asks(const struct sim *sim, const struct sim_pod *p, struct policy_amounts *ret)
{
    const struct sim_kind *k = &sim->kinds.p[sim->jobs.p[p->job].kind];
    if (k->job) {
        amounts(sim, k->like.requests.p, k->like.requests.n, gpu_asked(&k->like.gpu), ret);
    } else {
        const struct pod_class *c = class_of(sim->s, p->id);
        amounts(sim, c->req, c->nreq, gpu_asked(&c->gpu), ret);
    }
}

void sim_queues_waits(struct sim *sim, uint32_t pod, int sign)
{
    const struct sim_pod *p = &sim->pods.p[pod];
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    struct policy_amounts a;
    if (!q)
        return;
    asks(sim, p, &a);
    queues_add_waiting(sim->tree, p->queue, &a, sign);
    q->waiting += (uint32_t)sign;
}

void sim_queues_holds(struct sim *sim, uint32_t pod, const struct sim_run *run, int sign)
{
    const struct sim_pod *p = &sim->pods.p[pod];
    struct sim_queue *q = sim_queue_of(sim, p->queue);
    struct policy_amounts a;
    if (!q)
        return;
    asks(sim, p, &a);
    int gpu = queues_slot(sim->tree, RES_GPU);
    if (gpu >= 0)
        a.v[gpu] = run->gpu_milli;
    queues_add_allocated(sim->tree, p->queue, &a, false, sign);
    if (sign > 0 && p->first_start < 0) {
        q->started++;
        vec_push(&q->all_waits_, (double)(sim->now - p->arrival) / 1e9);
    }
}

void sim_queues_adopted(struct sim *sim, uint32_t pod)
{
    struct sim_queue *q = sim_queue_of(sim, sim->pods.p[pod].queue);
    if (q)
        q->all_waits_.len--;
}

/* --- over time ------------------------------------------------------------------------------------------------------------------------------------------------ */

static int main_slot(const struct sim *sim)
{
    return queues_slot(sim->tree, sim->has_gpus ? RES_GPU : RES_CPU);
}

/* What there is to divide: all but what pods without a queue hold. */
static void divide(struct sim *sim)
{
    struct policy_amounts total = {{0}};
    for (uint32_t i = 0; i < queues_nslots(sim->tree); i++) {
        uint16_t r = queues_slot_resource(sim->tree, i);
        double mine = 0;
        for (size_t k = 0; k < sim->queues.len; k++)
            mine += (double)queues_get(sim->tree, sim->queues.p[k].id)->allocated.v[i];
        double others = MAX(sim->used[r] - mine, 0.0);
        total.v[i] = (int64_t)MAX(sim->cap[r] - others, 0.0);
    }
    queues_set_total(sim->tree, &total);
    queues_divide(sim->tree, sim->opts.setting->opts.past);
}

/* Does a unit of it wait that would stay within the quota? */
static bool asks_within_quota(const struct sim *sim, const struct queue_state *q, int slot)
{
    for (size_t i = 0; i < sim->kinds.len; i++) {
        const struct sim_kind *k = &sim->kinds.p[i];
        uint32_t waiting = k->min_member ? k->waiting_gangs : k->waiting;
        if (k->queue != q->id || !waiting || !k->job)
            continue;
        int64_t each = sim->has_gpus ? gpu_asked(&k->like.gpu) : asked(k->like.requests.p, k->like.requests.n, RES_CPU);
        int64_t count = k->min_member ? MIN(k->min_member, (int32_t)k->job->replicas) : 1;
        if (each > 0 && q->allocated.v[slot] + each * count <= q->quota.v[slot])
            return true;
    }
    return false;
}

static void owed_ends(struct sim *sim, struct sim_queue *q, nsec_t at)
{
    if (q->owed_since_ < 0)
        return;
    q->owed_max_s = MAX(q->owed_max_s, (double)(at - q->owed_since_) / 1e9);
    q->violations += at - q->owed_since_ > sim->opts.owed_after;
    q->owed_since_ = -1;
}

/* Queues above their quota: which, if it is one alone; nobody is owed anything by itself. */
static size_t above_quota(const struct sim *sim, int slot, queue_id *ret_one)
{
    size_t n = 0;
    for (size_t i = 0; i < sim->queues.len; i++) {
        const struct queue_state *q = queues_get(sim->tree, sim->queues.p[i].id);
        if (q->allocated.v[slot] > q->quota.v[slot]) {
            *ret_one = q->id;
            n++;
        }
    }
    return n;
}

static void jain(struct sim *sim, int slot, double s)
{
    double sum = 0, squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < sim->queues.len; i++) {
        const struct queue_state *q = queues_get(sim->tree, sim->queues.p[i].id);
        if (q->fair.v[slot] <= 0)
            continue;
        double x = (double)q->allocated.v[slot] / (double)q->fair.v[slot];
        sum += x;
        squares += x * x;
        n++;
    }
    if (n < 2 || squares <= 0)
        return;
    sim->jain_s += s * sum * sum / ((double)n * squares);
    sim->jain_over_s += s;
}

void sim_queues_advance(struct sim *sim, nsec_t to)
{
    int slot = main_slot(sim);
    double s = (double)(to - sim->now) / 1e9;
    queue_id one = QUEUE_NONE;
    if (slot < 0)
        return;
    divide(sim);
    jain(sim, slot, s);
    size_t above = above_quota(sim, slot, &one);
    for (size_t i = 0; i < sim->queues.len; i++) {
        struct sim_queue *x = &sim->queues.p[i];
        const struct queue_state *q = queues_get(sim->tree, x->id);
        double used = (double)q->allocated.v[slot], fair = (double)q->fair.v[slot];
        x->used_s += used * s;
        x->fair_s += fair * s;
        x->met_s += MIN(used, fair) * s;
        bool owed = (above > 1 || (above == 1 && one != x->id)) && asks_within_quota(sim, q, slot);
        if (!owed) {
            owed_ends(sim, x, sim->now);
            continue;
        }
        if (x->owed_since_ < 0)
            x->owed_since_ = sim->now;
        x->owed_s += s;
    }
}

void sim_queues_sample(struct sim *sim)
{
    int slot = main_slot(sim);
    divide(sim);
    for (size_t i = 0; i < sim->queues.len; i++) {
        const struct queue_state *q = queues_get(sim->tree, sim->queues.p[i].id);
        vec_push(&sim->queue_samples, slot < 0 ? (struct sim_queue_sample){0, 0} : (struct sim_queue_sample){(float)q->allocated.v[slot], (float)q->fair.v[slot]});
    }
}

void sim_queues_result(struct sim *sim, struct sim_result *r)
{
    int slot = main_slot(sim);
    r->setting = sim->opts.setting;
    r->fairness = sim->jain_over_s > 0 ? sim->jain_s / sim->jain_over_s : 1;
    memcpy(r->evictions_by, sim->evictions_by, sizeof r->evictions_by);
    for (size_t i = 0; i < sim->queues.len; i++) {
        struct sim_queue *x = &sim->queues.p[i];
        owed_ends(sim, x, sim->now); /* a simulation that goes on after it begins a new stretch */
        x->quota = slot < 0 ? 0 : queues_get(sim->tree, x->id)->quota.v[slot];
        x->waits = sim_waits_of(x->all_waits_.p, x->all_waits_.len);
        x->waited_max_s = x->waits.max;
        r->violations += x->violations;
        r->owed_max_s = MAX(r->owed_max_s, x->owed_max_s);
    }
    for (size_t i = 0; i < sim->pods.len; i++) {
        const struct sim_pod *p = &sim->pods.p[i];
        struct sim_queue *x = sim_queue_of(sim, p->queue);
        if (x && p->state == SIM_WAITING && p->first_start < 0)
            x->waited_max_s = MAX(x->waited_max_s, (double)(sim->now - p->arrival) / 1e9);
    }
    r->queues = sim->queues.p;
    r->nqueues = sim->queues.len;
    r->queue_samples = sim->queue_samples.p;
}

/* --- the policy's turn ------------------------------------------------------------------------------------------------------------------------------------------ */

bool sim_policy_round(struct sim *sim)
{
    struct policy_decisions *d = &sim->decisions;
    policy_round(sim->policy, sim->epoch + sim->now, d);
    sim->policy_again = d->again_ns == INT64_MAX ? INT64_MAX : d->again_ns - sim->epoch;
    for (size_t i = 0; i < d->list.len; i++) {
        size_t first = sim->actions.len;
        binder_carry_out(pipeline_binder(sim->p), d->list.p[i].unit, &d->list.p[i].d, sim->now);
        for (size_t k = first; k < sim->actions.len; k++)
            sim->actions.p[k].policy = (uint8_t)d->list.p[i].action;
    }
    sim->policy_decided += d->list.len;
    return d->list.len || d->more;
}

/* What the books say each queue holds is what the policy says, once those that leave are counted. */
int sim_queues_check(struct sim *sim, struct err *err)
{
    int r = policy_check(sim->policy, err), slot = main_slot(sim);
    if (r < 0 || sim->opts.setting->one_line || slot < 0)
        return r;
    const struct queues *q = policy_queues(sim->policy);
    for (size_t i = 0; i < sim->queues.len; i++) {
        const struct sim_queue *x = &sim->queues.p[i];
        int64_t leaving = 0;
        for (size_t k = 0; k < sim->pods.len; k++)
            if (sim->pods.p[k].queue == x->id && sim->pods.p[k].state == SIM_LEAVING)
                leaving += sim->has_gpus ? sim->runs.p[sim->pods.p[k].run].gpu_milli : sim->runs.p[sim->pods.p[k].run].cpu_milli;
        int64_t mine = queues_get(sim->tree, x->id)->allocated.v[slot];
        const struct queue_state *theirs = queues_get(q, queues_find(q, x->name));
        int64_t nominated = 0;
        for (pod_id p = 1; p < sim->s->npods_slots; p++)
            if (sim->s->pods[p].state == PS_NOMINATED && sim_pod_of(sim, p) != SIM_NONE && sim->pods.p[sim_pod_of(sim, p)].queue == x->id)
                nominated += sim->has_gpus ? (int64_t)class_of(sim->s, p)->gpu.count * devices_milli(sim->s, class_of(sim->s, p), sim->s->pods[p].node)
                                           : asked(class_of(sim->s, p)->req, class_of(sim->s, p)->nreq, RES_CPU);
        int at = queues_slot(q, sim->has_gpus ? RES_GPU : RES_CPU);
        if (theirs && at >= 0 && theirs->allocated.v[at] != mine - leaving + nominated)
            return err_set(err, E_INTERNAL, "queue " STR_FMT " holds %lld, the policy says %lld", STR_ARG(x->name), (long long)(mine - leaving + nominated), (long long)theirs->allocated.v[at]);
    }
    return 0;
}
