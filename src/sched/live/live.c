/* live.c - birth, turns and end of the live scheduler.
 *
 * One turn, at the end of a loop turn in which something came:
 *     events to the dispatcher ─► what is due by time ─► a batch of decisions ─► requests for them ─► a few words about those that wait
 * Batches are kept short (about 10 ms), so that the watch is read between them; while more is ready the next turn follows at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/explain_nodes.h"
#include "sched/engine/unit.h"
#include "sched/live/live_internal.h"

#define BATCH_MIN 16u
#define BATCH_MAX 4096u
#define TURN_NS (10 * NSEC_PER_MSEC)
/* An assumed pod is let go after this, and a preemptor that waits for its victims gives up: both only when the server says nothing for that long. */
#define BIND_TIMEOUT_NS (600 * NSEC_PER_SEC)
#define WORDS_WINDOW 32u

nsec_t live_now(const struct live *l)
{
    return l->wall_base + clock_mono(l->opts.clock);
}

struct live_note *live_note(struct live *l, pod_id p)
{
    if (p >= l->nnotes) {
        uint32_t n = MAX(l->s->cappods, p + 1);
        l->notes = xrealloc(l->notes, n * sizeof *l->notes);
        memset(l->notes + l->nnotes, 0, (n - l->nnotes) * sizeof *l->notes);
        l->nnotes = n;
    }
    return &l->notes[p];
}

/* --- what the pipeline says: noted, done when it has returned, as it must not be changed from within ------------------------------------ */
static void on_bind(void *arg, pod_id p, node_id n)
{
    struct live *l = arg;
    vec_push(&l->actions, (struct live_action){.kind = ACT_BIND, .pod = p, .node = n});
}

static void on_nominate(void *arg, pod_id p, node_id n)
{
    struct live *l = arg;
    vec_push(&l->actions, (struct live_action){.kind = ACT_NOMINATE, .pod = p, .node = n, .unit = l->s->pods[p].unit});
}

static void on_evict(void *arg, pod_id victim, unit_id by)
{
    struct live *l = arg;
    vec_push(&l->actions, (struct live_action){.kind = ACT_EVICT, .pod = victim, .unit = by});
}

static void on_rejected(void *arg, unit_id u, const struct unit_decision *d)
{
    struct live *l = arg;
    vec_push(&l->actions, (struct live_action){.kind = ACT_REJECTED, .unit = u, .result = d->result, .pod = d->failed_pod, .helped_by = d->helped_by});
}

static void act_on(struct live *l, const struct live_action *a, nsec_t now)
{
    switch (a->kind) {
    case ACT_BIND:
        live_bind_start(l, a->pod, a->node);
        break;
    case ACT_NOMINATE:
        live_nominate(l, a->pod, a->node);
        live_say_later(l, a->unit, UNIT_PREEMPTING, a->pod, 0, now);
        break;
    case ACT_EVICT:
        live_evict(l, a->pod, a->unit, a->policy);
        break;
    case ACT_REJECTED:
        if (a->result != UNIT_GATED) /* the API server says so itself */
            live_say_later(l, a->unit, a->result, a->pod, a->helped_by, now);
    }
}

static void act(struct live *l, nsec_t now)
{
    for (size_t i = 0; i < l->actions.len; i++)
        if ((l->actions.p[i].kind == ACT_EVICT || l->actions.p[i].kind == ACT_NOMINATE) && l->actions.p[i].unit)
            live_evictions_begin(l, l->actions.p[i].unit);
    for (size_t i = 0; i < l->actions.len; i++) {
        struct live_action a = l->actions.p[i];
        act_on(l, &a, now);
    }
    vec_clear(&l->actions);
}

/* --- turns --------------------------------------------------------------------------------------------------------------------------------- */
static void count_attempts(struct live *l, size_t decided, nsec_t took)
{
    double each = decided ? (double)took / (double)decided / 1e9 : 0;
    unit_id preemptor = UNIT_NONE;
    uint32_t victims = 0;
    for (size_t i = 0; i < l->actions.len; i++) {
        const struct live_action *a = &l->actions.p[i];
        enum live_result r = a->kind == ACT_BIND ? LIVE_SCHEDULED : LIVE_UNSCHEDULABLE;
        if (a->kind == ACT_EVICT) {
            victims = a->unit == preemptor ? victims + 1 : 1;
            preemptor = a->unit;
            bool last = i + 1 == l->actions.len || l->actions.p[i + 1].kind != ACT_EVICT || l->actions.p[i + 1].unit != preemptor;
            if (last)
                live_observe_count(&l->m.victims, victims);
            continue;
        }
        if (a->kind == ACT_REJECTED && a->result != UNIT_REJECTED)
            continue;
        l->m.preemptions += a->kind == ACT_NOMINATE || a->kind == ACT_REJECTED;
        struct live_attempts *of = &l->m.attempts[a->pod ? class_of(l->s, a->pod)->profile : unit_profile(l->s, a->unit)];
        of->count[r]++;
        live_observe_seconds(&of->duration[r], each);
    }
}

static bool may_decide(const struct live *l)
{
    return outbox_len(l->binds) < 2 * (size_t)l->opts.binds;
}

static void decide(struct live *l, nsec_t now)
{
    if (!may_decide(l))
        return;
    nsec_t start = clock_mono(l->opts.clock);
    size_t n = pipeline_run(l->p, now, l->batch);
    l->policy_more = live_policy_decide(l, now);
    nsec_t took = clock_mono(l->opts.clock) - start;
    count_attempts(l, n, took);
    if (took > 2 * TURN_NS)
        l->batch = MAX(l->batch / 2, (size_t)BATCH_MIN);
    else if (n == l->batch && took < TURN_NS / 2)
        l->batch = MIN(l->batch * 2, (size_t)BATCH_MAX);
    act(l, now);
}

static void turn(struct loop_defer *d)
{
    struct live *l = container_of(d, struct live, defer);
    if (l->stopping || !l->synced || !l->leading)
        return;
    nsec_t now = live_now(l);
    uint64_t events = sched_take_events(l->s);
    dispatcher_events(l->d, events, now);
    live_policy_events(l, events);
    nsec_t again = live_shards_turn(l, now), usage = live_usage_turn(l, now);
    dispatcher_tick(l->d, now);
    binder_tick(l->b, now);
    act(l, now);
    decide(l, now);
    nsec_t due = dispatcher_tick(l->d, now), look = binder_tick(l->b, now);
    act(l, now);
    live_policy_status(l, now);
    nsec_t say = live_say_some(l, now), next = MIN(due, look);
    next = MIN(next, say);
    next = MIN(next, again);
    next = MIN(next, usage);
    next = MIN(next, live_groups_status(l, now));
    next = MIN(next, live_defrag_turn(l, now));
    next = MIN(next, live_reserves_tick(l, now, events));
    next = MIN(next, live_phases_tick(l, now, events));
    if (may_decide(l)) /* an answer wakes us otherwise */
        next = MIN(next, live_policy_due(l));
    bool more = (dispatcher_count(l->d).ready || l->policy_more) && may_decide(l);
    if (more || l->s->events || next <= now)
        live_wake(l);
    else if (next != INT64_MAX)
        loop_timer_set(l->opts.loop, &l->timer, next - l->wall_base);
}

void live_wake(struct live *l)
{
    if (!l->stopping)
        loop_defer(l->opts.loop, &l->defer);
}

static void timer_fire(struct loop_timer *t)
{
    live_wake(container_of(t, struct live, timer));
}

static void on_room(void *arg)
{
    live_wake(arg);
}

/* --- birth ----------------------------------------------------------------------------------------------------------------------------------- */
static void copy_names(struct live *l, const char *const *names)
{
    static const char *const usual[] = {"default-scheduler", NULL};
    if (!names || !names[0])
        names = usual;
    while (names[l->nnames])
        l->nnames++;
    l->names = xarray(l->nnames, char *);
    for (uint16_t i = 0; i < l->nnames; i++)
        l->names[i] = xstrdup(names[i]);
    l->instance = xstrdup(l->opts.instance ? l->opts.instance : l->names[0]);
}

static bool is_zero(const struct dispatcher_opts *d)
{
    return !d->order && !d->backoff_first_ns && !d->backoff_max_ns && !d->flush_ns && !d->starvation_ns;
}

static int make_pipeline(struct live *l, struct err *err)
{
    struct binder_calls calls = {.arg = l, .bind = on_bind, .nominate = on_nominate, .evict = on_evict, .rejected = on_rejected};
    struct pipeline_opts how = {.workers = MAX(l->opts.workers, 1u), .fast = l->opts.fast, .bind_timeout_ns = BIND_TIMEOUT_NS, .stuck_ns = 5 * NSEC_PER_SEC, .clock = l->opts.clock};
    how.dispatch = is_zero(&l->opts.dispatch) ? DISPATCHER_OPTS_DEFAULT : l->opts.dispatch;
    l->p = pipeline_new(l->s, &how, &calls, err);
    if (!l->p)
        return -err->code;
    l->d = pipeline_dispatcher(l->p);
    l->b = pipeline_binder(l->p);
    l->shards = live_shards_new();
    l->policy = live_policy_new(l);
    l->groups = live_groups_new();
    l->reserves = live_reserves_new();
    l->moves = live_moves_new();
    l->defrag = live_defrag_new(l);
    l->phases = live_phases_new();
    l->ended_pods = live_ended_new();
    return 0;
}

/* Those by which work in queues is packed or spread, behind the operator's own; where there is no room for them, all go by those. */
static void add_profiles(struct live *l)
{
    struct sched_profile **end = &l->opts.profile;
    struct profile_table *t = xnew(struct profile_table);
    for (; *end; end = &(*end)->next)
        l->nprofiles++;
    *end = profile_builtin(S("kai-binpack"));
    (*end)->next = profile_builtin(S("kai-spread"));
    if (!profile_table_make(t, l->opts.profile))
        profile_free(TAKE(*end));
    free(t);
}

struct live *live_new(const struct live_opts *opts, struct err *err)
{
    struct live *l = xnew(struct live);
    l->opts = *opts;
    if (!l->opts.binds)
        l->opts.binds = LIVE_BINDS;
    copy_names(l, opts->names);
    l->opts.names = NULL;
    l->opts.instance = NULL;
    list_init(&l->all_binds);
    list_init(&l->all_evictions);
    list_init(&l->all_holds);
    l->say = LINE_INIT;
    l->wall_base = clock_wall(opts->clock) - clock_mono(opts->clock);
    l->event_tokens = LIVE_EVENTS_BURST;
    l->event_tokens_at = clock_mono(opts->clock);
    l->batch = 256;
    l->leading = !opts->standby;
    l->defer.fn = turn;
    l->timer.fire = timer_fire;
    add_profiles(l);
    l->s = sched_new(opts->profile, opts->seed);
    if (make_pipeline(l, err) < 0) {
        live_free(l);
        return NULL;
    }
    l->binds = outbox_new(&(struct outbox_opts){opts->transport, opts->loop, l->opts.binds, on_room, l});
    l->words = outbox_new(&(struct outbox_opts){opts->transport, opts->loop, WORDS_WINDOW, on_room, l});
    l->sources = live_sources_new(l);
    return l;
}

void live_sources_synced(struct live *l)
{
    l->synced = true;
    log_info("scheduler has listed everything", KV("nodes", "%u", sched_node_count(l->s)), KV("pods", "%u", l->s->npods));
    live_wake(l);
}

void live_lead(struct live *l)
{
    l->leading = true;
    live_wake(l);
}

/* --- the end --------------------------------------------------------------------------------------------------------------------------------- */
void live_stop_step(struct live *l)
{
    if (--l->stop_waits == 0 && l->on_stopped)
        l->on_stopped(l->on_stopped_arg);
}

static void box_stopped(void *arg)
{
    live_stop_step(arg);
}

void live_stop(struct live *l, void (*stopped)(void *arg), void *arg)
{
    l->stopping = true;
    l->on_stopped = stopped;
    l->on_stopped_arg = arg;
    l->stop_waits = 5; /* one for this function, so that nothing ends before it does */
    loop_timer_stop(l->opts.loop, &l->timer);
    loop_defer_cancel(l->opts.loop, &l->defer);
    live_sources_stop(l->sources);
    live_usage_stop(l);
    outbox_stop(l->binds, box_stopped, l);
    outbox_stop(l->words, box_stopped, l);
    live_stop_step(l);
}

void live_free(struct live *l)
{
    if (!l)
        return;
    l->stopping = true;
    loop_timer_stop(l->opts.loop, &l->timer);
    loop_defer_cancel(l->opts.loop, &l->defer);
    live_sources_free(l->sources);
    outbox_free(l->binds, NULL);
    outbox_free(l->words, live_words_free_item);
    live_binds_free(l);
    live_evictions_free(l);
    live_holds_free(l);
    live_say_free(l);
    live_twins_free(l);
    for (uint32_t i = 0; i < l->nnotes; i++)
        free(l->notes[i].wait);
    free(l->notes);
    map_foreach(e, &l->classes)
        free((char *)e->key.p);
    map_fini(&l->classes);
    live_workloads_free(l);
    live_ended_free(l);
    map_foreach(e, &l->ended)
        free((char *)e->key.p);
    map_fini(&l->ended);
    vec_fini(&l->actions);
    pipeline_free(l->p);
    live_policy_free(l->policy);
    live_shards_free(l->shards);
    live_groups_free(l->groups);
    live_reserves_free(l->reserves);
    live_moves_free(l->moves);
    live_defrag_free(l->defrag);
    live_phases_free(l->phases);
    sched_free(l->s);
    for (uint16_t i = 0; i < l->nnames; i++)
        free(l->names[i]);
    free(l->names);
    free(l->instance);
    free(l);
}

/* --- looking ----------------------------------------------------------------------------------------------------------------------------------- */
bool live_is_synced(const struct live *l)
{
    return l->synced;
}
struct sched *live_sched(struct live *l)
{
    return l->s;
}
struct pipeline *live_pipeline(struct live *l)
{
    return l->p;
}

/* What another party of a task lacks is told without its nodes. */
static void hide_others(struct live *l, struct arena *a, unit_id u, pod_id p, struct explanation *x)
{
    str mine = explain_for(a, l->s, x, u, l->s->pods[p].ns);
    if (mine.p == x->sentence.p)
        return;
    x->sentence = mine;
    x->pod = arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(sched_pod_ns(l->s, p)), STR_ARG(sched_pod_name(l->s, p)));
    x->nrows = 0;
    x->has_nearest = false;
    x->preemption = x->holders = x->kept_for = x->kept_on = S("");
}

int live_explain(struct live *l, struct arena *a, str ns, str name, struct json *ret, struct err *err)
{
    pod_id p = sched_pod_find(l->s, ns, name);
    if (!p)
        return err_set(err, E_NOT_FOUND, "the scheduler knows no pod " STR_FMT "/" STR_FMT ": it is not there, has ended, or is another scheduler's", STR_ARG(ns), STR_ARG(name));
    unit_id u = sched_unit_of(l->s, p);
    struct explanation *x;
    if (l->s->pods[p].state >= PS_ASSUMED) {
        x = explain_choice(l->s, a, p);
    } else {
        int64_t place = dispatcher_where(l->d, u) == DISPATCH_READY ? dispatcher_position(l->d, u) : 0;
        x = explain_waiting(l->s, a, u, place, NULL);
    }
    if (l->s->pods[p].state < PS_ASSUMED)
        hide_others(l, a, u, p, x);
    *ret = explain_json(a, l->s, x);
    explain_add_nodes(l->s, a, p, ret);
    if (live_policy_takes(l, u))
        live_policy_explain(l, a, u, p, ret);
    return 0;
}

int live_explain_group(struct live *l, struct arena *a, str name, struct json *ret, struct err *err)
{
    unit_id u = sched_group_find(l->s, S(""), name);
    if (!u || !l->s->units[u].pods.len)
        return err_set(err, E_NOT_FOUND, "the scheduler knows no pods of the task " STR_FMT ": it has none yet, or all have ended", STR_ARG(name));
    bool waits = false;
    for (size_t i = 0; i < l->s->units[u].pods.len; i++)
        waits |= l->s->pods[l->s->units[u].pods.p[i]].state < PS_ASSUMED;
    int64_t place = dispatcher_where(l->d, u) == DISPATCH_READY ? dispatcher_position(l->d, u) : 0;
    *ret = explain_group_json(l->s, a, u, waits ? explain_waiting(l->s, a, u, place, NULL) : NULL);
    return 0;
}
