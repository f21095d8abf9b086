/* sim_loop.c - virtual time: the heap of what will happen, and the turn at each time at which something does. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim_internal.h"

#define TURNS_A_PROGRESS 256u

/* --- the heap -------------------------------------------------------------------------------------------------------------------------------------------- */

static bool before(const struct sim_event *a, const struct sim_event *b)
{
    return a->at != b->at ? a->at < b->at : a->kind != b->kind ? a->kind < b->kind : a->seq < b->seq;
}

void sim_push(struct sim *sim, nsec_t at, enum sim_event_kind kind, uint32_t which, uint32_t serial)
{
    struct sim_event e = {at, sim->seq++, which, serial, (uint8_t)kind};
    vec_push(&sim->heap, e);
    size_t i = sim->heap.len - 1;
    for (size_t up; i && before(&e, &sim->heap.p[up = (i - 1) / 2]); i = up)
        sim->heap.p[i] = sim->heap.p[up];
    sim->heap.p[i] = e;
}

static struct sim_event pop(struct sim *sim)
{
    struct sim_event first = sim->heap.p[0], last = vec_pop(&sim->heap);
    size_t i = 0, n = sim->heap.len;
    while (n) {
        size_t child = 2 * i + 1;
        if (child + 1 < n && before(&sim->heap.p[child + 1], &sim->heap.p[child]))
            child++;
        if (child >= n || !before(&sim->heap.p[child], &last))
            break;
        sim->heap.p[i] = sim->heap.p[child];
        i = child;
    }
    if (n)
        sim->heap.p[i] = last;
    return first;
}

/* Something came between: the pod or job is no more what it was, or transfers go at another rate. */
static bool is_void(const struct sim *sim, const struct sim_event *e)
{
    switch ((enum sim_event_kind)e->kind) {
    case EV_POD_END:
    case EV_GONE:
        return sim->pods.p[e->which].serial != e->serial;
    case EV_JOB_END:
    case EV_ARRIVE:
        return sim->jobs.p[e->which].serial != e->serial;
    case EV_MOVED:
        return sim->moves_serial != e->serial;
    case EV_HAPPEN:
        break;
    }
    return false;
}

static int handle(struct sim *sim, const struct sim_event *e, struct err *err)
{
    struct scenario_event what;
    if (is_void(sim, e))
        return 0;
    switch ((enum sim_event_kind)e->kind) {
    case EV_POD_END:
        sim_pod_end(sim, e->which);
        break;
    case EV_JOB_END:
        if (!sim_moves_begin(sim, e->which))
            sim_job_end(sim, e->which, SIM_ENDED);
        break;
    case EV_MOVED:
        sim_moves_through(sim);
        break;
    case EV_GONE:
        return sim_pod_gone(sim, e->which, err);
    case EV_HAPPEN:
        what = sim->events.p[e->which];
        return sim_happen(sim, &what, err);
    case EV_ARRIVE:
        return sim_arrive(sim, e->which, err);
    }
    return 0;
}

/* --- turns ------------------------------------------------------------------------------------------------------------------------------------------------- */

static void act(struct sim *sim)
{
    for (size_t i = 0; i < sim->actions.len; i++) {
        struct sim_action a = sim->actions.p[i];
        uint32_t pod = sim_pod_of(sim, a.pod);
        if (pod == SIM_NONE)
            continue;
        if (a.node == NODE_NONE) {
            sim_evicted(sim, pod);
            sim->evictions_by[a.policy]++;
        } else {
            sim_started(sim, pod, a.node);
        }
    }
    vec_clear(&sim->actions);
}

static void settle_once(struct sim *sim)
{
    struct dispatcher *d = pipeline_dispatcher(sim->p);
    size_t decided;
    do {
        uint64_t events = sched_take_events(sim->s);
        dispatcher_events(d, events, sim->now);
        dispatcher_tick(d, sim->now);
        binder_tick(pipeline_binder(sim->p), sim->now);
        decided = pipeline_run(sim->p, sim->now, 0);
        if (sim->policy) {
            policy_events(sim->policy, events);
            decided += sim_policy_round(sim);
        }
        decided += sim->actions.len;
        act(sim);
    } while (decided);
}

int sim_settle(struct sim *sim, struct err *err)
{
    bool more = true;
    int r = 0;
    while (r >= 0 && more) {
        settle_once(sim);
        r = sim_line_admit(sim, &more, err);
    }
    return r;
}

/* When something happens next: in the world, or because a unit's back-off ends or the binder wants to look.  Units that only wait to be tried again
 * from time to time keep a simulation alive no longer than the world does. */
static nsec_t next_time(struct sim *sim)
{
    while (sim->heap.len && is_void(sim, &sim->heap.p[0])) /* nothing will happen then, and nobody waits for it */
        pop(sim);
    nsec_t at = sim->heap.len ? sim->heap.p[0].at : INT64_MAX;
    struct dispatcher_counts c = dispatcher_count(pipeline_dispatcher(sim->p));
    if (sim->heap.len || c.backoff || c.ready || c.flying) {
        nsec_t wake = dispatcher_tick(pipeline_dispatcher(sim->p), sim->now), look = binder_tick(pipeline_binder(sim->p), sim->now);
        act(sim);
        at = MIN(at, wake);
        at = MIN(at, look);
    }
    if (sim->policy && (sim->heap.len || sim->waiting))
        at = MIN(at, sim->policy_again);
    return at == INT64_MAX ? at : MAX(at, sim->now);
}

/* All that happens at one time. */
static int turn(struct sim *sim, nsec_t at, struct err *err)
{
    int r = 0;
    sim_books_sample(sim, at);
    sim_books_advance(sim, at);
    while (r >= 0 && sim->heap.len && sim->heap.p[0].at <= at) {
        struct sim_event e = pop(sim);
        r = handle(sim, &e, err);
    }
    if (r >= 0)
        r = sim_settle(sim, err);
    sim_moves_plan(sim);
    return r;
}

/* A policy that looks again from time to time, at units that nothing in the world can help any more, keeps no simulation alive. */
#define IDLE_TURNS 256u

/* Turns until the time, or until the job has started (SIM_NONE: no such). */
static int run(struct sim *sim, nsec_t until, uint32_t job, struct err *err)
{
    int r = sim_settle(sim, err);
    for (uint32_t turns = 0, idle = 0; r >= 0 && idle < IDLE_TURNS; turns++) {
        nsec_t at = next_time(sim);
        uint64_t decided = sim->policy_decided;
        bool moves = sim->heap.len; /* something will happen */
        if (at == INT64_MAX || at > until || (job != SIM_NONE && sim->jobs.p[job].start >= 0))
            break;
        r = turn(sim, at, err);
        idle = moves || sim->policy_decided != decided ? 0 : idle + 1;
        if (sim->opts.progress && turns % TURNS_A_PROGRESS == 0)
            sim->opts.progress(sim->opts.progress_arg, sim);
    }
    return r;
}

int sim_run(struct sim *sim, nsec_t until, struct err *err)
{
    nsec_t limit = sim->opts.until ? MIN(until, sim->opts.until) : until;
    int r = run(sim, limit, SIM_NONE, err);
    if (r >= 0 && limit != INT64_MAX && limit > sim->now) {
        sim_books_sample(sim, limit);
        sim_books_advance(sim, limit);
    }
    return r;
}

int sim_run_until_started(struct sim *sim, uint32_t job, bool *ret_started, struct err *err)
{
    int r = run(sim, INT64_MAX, job, err);
    *ret_started = sim->jobs.p[job].start >= 0;
    return r;
}
