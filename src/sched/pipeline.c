/* pipeline.c - the driver: pops units, lets workers look for nodes, commits in order.
 *
 * One round with 3 workers (the driver and 2 threads), deterministic mode; units u0..u5, u3 is a gang:
 *     driver    pop u0..u5 | open | take u0 | commit u0 u1 u2 | hold, u3, release | commit u4 u5 | close
 *     worker 1                    | scan u1 at position 0 | scan u4 at position 3 | ...
 *     worker 2                    | scan u2 at position 0 | scan u5 at position 3 | ...
 *
 * Why the answer for u2 is exact although it was found at position 0 and u0, u1 came onto nodes since: a class with replica_ok scores a
 * node by that node alone.  So only the nodes of u0 and u1 can have another score than the scan saw.  These two are scored again on the
 * engine's own view; of the nodes on the list the first that was not touched keeps its place before all nodes that are not listed.  Only when
 * every listed node was touched and what they are now worth does not beat the best of the rest is a new scan needed.  Workers are never
 * further ahead than the list is long, so that this is rare.
 *
 * What 1 worker would have popped next is kept, too: the round ends when something that became ready goes before the next unit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/pipeline.h"

#include "sched/engine/preempt_state.h"
#include "sched/engine/unit.h"
#include "sched/worker.h"

#define BATCH_MAX 2048u
#define BATCH_MIN 64u
#define FETCH 32u /* units whose memory is fetched together */
/* A class that comes this often in a batch is faster from the engine's cache on one thread than scanned for on many. */
#define UNIFORM_RATIO 4u
/* Deterministic mode: jobs in flight, at most this many quarters of the workers and one more, so that workers need not wait for the
 * driver.  Each makes answers older and lists longer, so there are fewer when the driver is what all wait for. */
#define FLIGHT_QUARTERS 5u
#define FLIGHT_MIN 2u
/* With more workers than this the driver has enough to do and lets workers scan. */
#define HELPS_UP_TO 4u
/* A decision with more placements than this ends the round: replicas copy the nodes instead of following a long log. */
#define LOGGED_MAX 1024u
/* Fast mode shows commits to workers by the handful, so that they do not fight for the line with the count. */
#define PUBLISH_EVERY 64u

#define MANY UINT32_MAX

struct pipeline {
    struct sched *s;
    struct pipeline_opts opts;
    struct dispatcher *d;
    struct binder *b;
    struct unit_decision decision;
    struct pipeline_counts counts;
    /* the rest only with workers */
    struct commit_log *log;
    struct crew *crew;
    struct place_scratch *scratch;
    struct job *jobs;
    uint32_t batch;      /* units to pop for a round; adapts */
    uint32_t flight;     /* jobs in flight, and nodes in an answer: as many as can be touched until its turn; adapts */
    uint32_t waits;      /* answers of this round that were not there in their turn */
    struct touched {
        uint64_t pos; /* number of its last commit in the log, + 1 */
        uint32_t by;  /* the worker whose proposals all its commits of that round were; MANY */
    } *touched;          /* by node */
    uint32_t words;      /* that touched was made for */
    bool refreshed;      /* in this run */
    uint64_t logged_seq; /* the engine's view.seq that the log's head stands for */
    bool unlogged;       /* the round ended by a change that the log does not have */
    uint64_t round_start; /* log position */
    bool impatient;      /* a worker of this round is stuck: what is not there is scanned here */
    uint32_t *class_seen; /* by class: batch it was last met in */
    uint32_t nclass_seen, batch_number;
};

static uint32_t flight_max(const struct pipeline *p)
{
    return MIN(p->opts.workers * FLIGHT_QUARTERS / 4 + 1, (uint32_t)PLACE_TOP);
}

struct pipeline *pipeline_new(struct sched *s, const struct pipeline_opts *opts, const struct binder_calls *calls, struct err *err)
{
    if (opts->workers > 64) {
        err_set(err, E_INVALID_ARG, "%u workers are too many: at most 64 can share the work", opts->workers);
        return NULL;
    }
    struct pipeline *p = xnew(struct pipeline);
    p->s = s;
    p->opts = *opts;
    p->d = dispatcher_new(s, &opts->dispatch);
    p->b = binder_new(s, p->d, calls, opts->bind_timeout_ns);
    p->decision = UNIT_DECISION_INIT;
    if (opts->workers <= 1)
        return p;
    if (!p->opts.batch)
        p->opts.batch = BATCH_MAX;
    p->batch = p->opts.batch;
    p->flight = flight_max(p);
    p->log = xnew(struct commit_log);
    p->scratch = place_scratch_new();
    p->jobs = aligned_alloc(64, p->opts.batch * sizeof *p->jobs);
    BUG_ON(!p->jobs);
    memset(p->jobs, 0, p->opts.batch * sizeof *p->jobs);
    struct crew_opts crew = {.nthreads = opts->workers - 1,
                             .stuck_ns = opts->stuck_ns,
                             .clock = opts->clock,
                             .stall = opts->stall,
                             .answered = opts->answered,
                             .stall_arg = opts->stall_arg};
    p->crew = crew_new(s, p->log, &crew, err);
    if (!p->crew) {
        pipeline_free(p);
        return NULL;
    }
    return p;
}

void pipeline_free(struct pipeline *p)
{
    if (!p)
        return;
    crew_free(p->crew);
    if (p->scratch)
        place_scratch_free(p->scratch);
    free(p->log);
    free(p->jobs);
    free(p->touched);
    free(p->class_seen);
    unit_decision_fini(&p->decision);
    binder_free(p->b);
    dispatcher_free(p->d);
    free(p);
}

struct dispatcher *pipeline_dispatcher(struct pipeline *p)
{
    return p->d;
}
struct binder *pipeline_binder(struct pipeline *p)
{
    return p->b;
}
struct pipeline_counts pipeline_count(const struct pipeline *p)
{
    return p->counts;
}
int pipeline_check(struct pipeline *p, struct err *err)
{
    return p->crew && p->logged_seq == p->s->view.seq ? crew_check(p->crew, err) : 0;
}

/* --- on the driver alone ------------------------------------------------------------------------------------------------------------------- */
static inline void deliver_events(struct pipeline *p, nsec_t now)
{
    if (p->s->events)
        dispatcher_events(p->d, sched_take_events(p->s), now);
}

static void decide(struct pipeline *p, unit_id u, nsec_t now)
{
    sched_place(p->s, u, now, &p->decision);
    p->counts.placed += p->decision.result == UNIT_PLACED;
    binder_apply(p->b, u, &p->decision, now);
}

static size_t run_alone(struct pipeline *p, nsec_t now, size_t max)
{
    size_t n = 0;
    unit_id u;
    while ((max == 0 || n < max) && (u = dispatcher_pop(p->d, now)) != UNIT_NONE) {
        decide(p, u, now);
        deliver_events(p, now);
        n++;
    }
    p->counts.decided += n;
    p->counts.serial += n;
    return n;
}

/* --- a round: filling it --------------------------------------------------------------------------------------------------------------------- */
static bool is_new_class(struct pipeline *p, class_id c)
{
    if (c >= p->nclass_seen) {
        uint32_t n = MAX(p->s->capclasses, c + 1);
        p->class_seen = xrealloc(p->class_seen, n * sizeof *p->class_seen);
        memset(p->class_seen + p->nclass_seen, 0, (n - p->nclass_seen) * sizeof *p->class_seen);
        p->nclass_seen = n;
    }
    bool is_new = p->class_seen[c] != p->batch_number;
    p->class_seen[c] = p->batch_number;
    return is_new;
}

/* May workers look for a node for this unit?  The pod, or POD_NONE.  Workers stand still: the class is made ready for them. */
static pod_id parallel_pod(struct pipeline *p, unit_id u, uint32_t *classes)
{
    struct sched *s = p->s;
    if (!unit_is_single(s, u) || s->units[u].pods.len != 1)
        return POD_NONE;
    pod_id pod = s->units[u].pods.p[0];
    class_id id = s->pods[pod].class_;
    const struct pod_class *c = s->classes[id];
    /* a pod for one node needs no search */
    if (s->pods[pod].state != PS_PENDING || c->gates || c->pinned_node)
        return POD_NONE;
    if (is_new_class(p, id)) {
        place_prepare(s, id);
        ++*classes;
    }
    return c->replica_ok ? pod : POD_NONE;
}

/* A million units do not fit into a cache: what a few units need is fetched together, one pointer at a time. */
static void fetch_units(const struct pipeline *p, const struct job *j, uint32_t n)
{
    const struct sched *s = p->s;
    for (uint32_t i = 0; i < n; i++)
        __builtin_prefetch(s->units[j[i].unit].pods.p);
    for (uint32_t i = 0; i < n; i++)
        if (s->units[j[i].unit].pods.len)
            __builtin_prefetch(&s->pods[s->units[j[i].unit].pods.p[0]], 1);
}

/* Pops units into jobs; returns how many, and whether workers shall help. */
static uint32_t fill(struct pipeline *p, nsec_t now, size_t max, bool *ret_parallel)
{
    uint32_t n = 0, parallel = 0, classes = 0;
    unit_id u = UNIT_NONE;
    p->batch_number++;
    do {
        uint32_t first = n;
        while (n < max && n < first + FETCH && (u = dispatcher_pop_ahead(p->d, now)) != UNIT_NONE) {
            __builtin_prefetch(&p->s->units[u]);
            p->jobs[n++].unit = u;
        }
        fetch_units(p, p->jobs + first, n - first);
        for (uint32_t i = first; i < n; i++) {
            struct job *j = &p->jobs[i];
            j->pod = parallel_pod(p, j->unit, &classes);
            j->class_ = p->s->pods[j->pod].class_;
            parallel += j->pod != POD_NONE;
            atomic_store_explicit(&j->state, j->pod ? JOB_OPEN : JOB_TAKEN, memory_order_relaxed);
        }
    } while (u != UNIT_NONE && n < max);
    bool enough = parallel >= 4 * p->opts.workers && parallel <= classes * UNIFORM_RATIO;
    *ret_parallel = parallel && (enough || p->opts.always_parallel);
    return n;
}

static void open_round(struct pipeline *p, uint32_t n)
{
    const struct sched *s = p->s;
    if (p->words != s->view.words) {
        free(p->touched);
        p->touched = xarray((size_t)s->view.words * 64, struct touched);
    }
    p->words = s->view.words;
    p->impatient = p->unlogged = false;
    p->round_start = p->log->written_;
    if (p->opts.fast)
        crew_partition(p->crew);
    p->waits = 0;
    struct crew_round round = {.jobs = p->jobs,
                               .njobs = n,
                               .fast = p->opts.fast,
                               .window = p->opts.fast ? n : p->flight,
                               .want = p->opts.fast ? 1 : p->flight,
                               .refresh = !p->refreshed || p->logged_seq != s->view.seq,
                               .logged_seq = p->logged_seq};
    crew_open(p->crew, &round);
    p->refreshed = true;
    p->logged_seq = s->view.seq;
    p->counts.rounds++;
}

/* --- a round: committing --------------------------------------------------------------------------------------------------------------------- */
static void note_commit(struct pipeline *p, node_id n, class_id c, uint32_t worker)
{
    struct touched *x = &p->touched[n];
    commit_log_add(p->log, n, c, 1, worker);
    x->by = x->pos <= p->round_start || x->by == worker ? worker : MANY;
    x->pos = p->log->written_;
    if (!p->opts.fast || p->log->written_ % PUBLISH_EVERY == 0)
        commit_log_publish(p->log);
}

/* The unit's turn on the driver alone.  false: the round must end, replicas cannot follow. */
static bool decide_in_round(struct pipeline *p, unit_id u, nsec_t now)
{
    uint64_t before = p->s->view.seq;
    bool nominated = p->s->preempt->nnominated > 0; /* they may lose their room, whatever the result */
    crew_hold(p->crew);
    decide(p, u, now);
    crew_release(p->crew);
    p->counts.serial++;
    const struct unit_decision *d = &p->decision;
    if (nominated || d->result == UNIT_PREEMPTING || d->placements.len > LOGGED_MAX) {
        p->logged_seq = before;
        p->unlogged = true;
        return false;
    }
    for (size_t i = 0; d->result == UNIT_PLACED && i < d->placements.len; i++)
        note_commit(p, d->placements.p[i].node, p->s->pods[d->placements.p[i].pod].class_, 0);
    return true;
}

static const struct place_top nowhere = {NODE_NONE, SCORE_NONE};

/* The best node now, from an answer that is some commits old; see the head of this file.  false: only a scan can tell. */
static bool choose(const struct pipeline *p, const struct job *j, struct place_top *ret)
{
    const struct sched *s = p->s;
    const struct pod_class *c = s->classes[j->class_];
    struct place_top best = nowhere;
    bool sure = j->rest_score == SCORE_NONE;
    for (uint32_t i = 0; i < j->ntop; i++)
        if (p->touched[j->top[i].node].pos <= j->pos) {
            best = j->top[i];
            sure = true;
            break;
        }
    for (uint64_t q = j->pos; q < p->log->written_; q++) {
        node_id n = p->log->ring_[q % COMMIT_LOG_SIZE].node;
        if (p->touched[n].pos != q + 1)
            continue; /* comes again later */
        struct place_top again = {n, place_score_local(&s->view, c, n)};
        if (again.score != SCORE_NONE && (best.node == NODE_NONE || place_better(&s->view, c, again, best)))
            best = again;
    }
    *ret = best;
    if (sure || best.node == NODE_NONE)
        return sure;
    /* every listed node was touched: what is not listed comes after the last of the list as it was */
    struct place_top last = j->top[j->ntop - 1];
    return best.score > j->rest_score || (best.score == last.score && profile_of(s, c)->tie == TIE_SEED && s->tie[best.node] <= s->tie[last.node]);
}

static struct place_top scan(struct pipeline *p, class_id c)
{
    struct place_top top = nowhere;
    int32_t rest;
    return place_scan_some(&p->s->view, p->s->classes[c], NULL, p->scratch, 1, 0, &top, &rest) ? top : nowhere;
}

/* Puts the unit on a node that is known to fit; NODE_NONE: the long way, for the reasons or for preemption.  false: the round must end. */
static bool commit(struct pipeline *p, struct job *j, node_id n, nsec_t now)
{
    if (n == NODE_NONE)
        return decide_in_round(p, j->unit, now);
    BUG_ON(!binder_commit(p->b, j->pod, n, p->s->view.version[n], now));
    note_commit(p, n, j->class_, p->opts.fast ? j->worker : 0);
    p->counts.placed++;
    return true;
}

/* A scan on the engine's own view, while an answer is awaited.  In fast mode it is committed at once, ahead of its turn. */
static void help(struct pipeline *p, uint32_t i, nsec_t now)
{
    struct job *j = &p->jobs[i];
    if (atomic_load_explicit(&j->state, memory_order_relaxed) != JOB_OPEN)
        return;
    p->counts.helped++;
    if (p->opts.fast) {
        struct place_top best = scan(p, j->class_);
        j->worker = 0;
        atomic_store_explicit(&j->state, JOB_TAKEN, memory_order_relaxed);
        if (best.node == NODE_NONE)
            return; /* rejected in its turn */
        commit(p, j, best.node, now);
        j->unit = UNIT_NONE;
        return;
    }
    j->rest_score = SCORE_NONE;
    j->ntop = (uint16_t)place_scan_some(&p->s->view, p->s->classes[j->class_], NULL, p->scratch, p->flight, 0, j->top, &j->rest_score);
    j->pos = p->log->written_;
    j->worker = 0;
    atomic_store_explicit(&j->state, JOB_READY, memory_order_relaxed);
}

/* Until the job is answered, or taken from whom it hangs with. */
static void await(struct pipeline *p, uint32_t i, nsec_t now)
{
    struct job *j = &p->jobs[i];
    uint32_t spins = 0;
    nsec_t since = 0;
    bool helps = !p->opts.no_help && p->opts.workers <= HELPS_UP_TO;
    p->waits += atomic_load_explicit(&j->state, memory_order_relaxed) < JOB_READY;
    while (atomic_load_explicit(&j->state, memory_order_acquire) < JOB_READY) {
        uint32_t other = helps ? crew_take(p->crew) : UINT32_MAX;
        if (other != UINT32_MAX) {
            help(p, other, now);
            continue;
        }
        crew_pause(&spins);
        uint32_t open = JOB_OPEN;
        if (spins < 64 || (!p->impatient && !crew_is_stuck(p->crew, &since)))
            continue;
        if (atomic_compare_exchange_strong_explicit(&j->state, &open, JOB_TAKEN, memory_order_acquire, memory_order_acquire)) {
            p->impatient = true;
            p->counts.rescued++;
        }
    }
}

static bool turn_exact(struct pipeline *p, struct job *j, nsec_t now)
{
    struct place_top best;
    if (atomic_load_explicit(&j->state, memory_order_relaxed) == JOB_TAKEN)
        best = scan(p, j->class_);
    else if (!choose(p, j, &best)) {
        p->counts.rescans++;
        best = scan(p, j->class_);
    }
    return commit(p, j, best.node, now);
}

static bool turn_fast(struct pipeline *p, struct job *j, nsec_t now)
{
    if (atomic_load_explicit(&j->state, memory_order_relaxed) == JOB_READY && j->ntop) {
        node_id n = j->top[0].node;
        /* a node that nobody else touched in this round is as the worker saw it; else its room is looked at again, as nothing else changes */
        bool known = p->touched[n].pos <= p->round_start || p->touched[n].by == j->worker;
        if (known || place_score_local(&p->s->view, p->s->classes[j->class_], n) != SCORE_NONE)
            return commit(p, j, n, now);
        p->counts.conflicts++;
        p->counts.rescans++;
        commit_log_add(p->log, n, j->class_, -1, j->worker);
    }
    j->worker = 0; /* nobody's proposal */
    return commit(p, j, scan(p, j->class_).node, now);
}

/* What the commit of a job some turns ahead will touch. */
static inline void fetch_job(const struct pipeline *p, uint32_t i, uint32_t n)
{
    if (i + 8 < n)
        __builtin_prefetch(&p->jobs[i + 8]);
    if (i + 3 >= n)
        return;
    const struct job *j = &p->jobs[i + 3];
    if (atomic_load_explicit(&j->state, memory_order_acquire) != JOB_READY || !j->ntop)
        return;
    const struct view *v = &p->s->view;
    node_id node = j->top[0].node;
    __builtin_prefetch(&v->used[RES_CPU][node], 1);
    __builtin_prefetch(&v->used[RES_MEMORY][node], 1);
    __builtin_prefetch(&v->version[node], 1);
    __builtin_prefetch(&p->s->nodes[node].first_pod, 1);
    __builtin_prefetch(&p->s->pods[j->pod], 1);
}

/* All turns of a round; returns how many jobs were decided. */
static uint32_t turns(struct pipeline *p, uint32_t n, bool parallel, nsec_t now)
{
    uint32_t i = 0;
    for (bool on = true; i < n && on; i++) {
        struct job *j = &p->jobs[i];
        if (j->unit != UNIT_NONE) {
            if (i && !dispatcher_is_next(p->d, j->unit, now))
                break;
            if (!j->pod && dispatcher_pass_over(p->d, j->unit, now)) {
                /* it waits for what it lacks */
            } else if (!parallel) {
                decide(p, j->unit, now);
                p->counts.serial++;
            } else if (!j->pod) {
                on = decide_in_round(p, j->unit, now);
            } else {
                await(p, i, now);
                if (j->unit != UNIT_NONE)
                    on = (p->opts.fast ? turn_fast : turn_exact)(p, j, now);
            }
        }
        if (parallel && !p->opts.fast)
            crew_done(p->crew, i + 1);
        fetch_job(p, i, n);
        deliver_events(p, now);
        on &= !parallel || p->log->written_ - p->round_start < COMMIT_LOG_SIZE / 4;
    }
    return i;
}

/* After a round: what the next one can do better. */
static void adapt(struct pipeline *p, uint32_t n, uint32_t done, bool parallel)
{
    /* an order that is upset all the time is better looked at more often */
    p->batch = done < n ? MAX(p->batch / 2, MIN(BATCH_MIN, p->opts.batch)) : MIN(p->batch * 2, p->opts.batch);
    if (!parallel)
        return;
    if (p->waits * 16 < done)
        p->flight = MAX(p->flight - 1, FLIGHT_MIN);
    else if (p->waits * 4 > done)
        p->flight = MIN(p->flight + 1, flight_max(p));
}

/* Gives back what was popped and not decided; returns how many were decided ahead of their turn. */
static uint32_t give_back(struct pipeline *p, uint32_t done, uint32_t n, bool parallel)
{
    uint32_t ahead = 0;
    for (uint32_t i = done; i < n; i++) {
        const struct job *j = &p->jobs[i];
        if (j->unit == UNIT_NONE) {
            ahead++;
            continue;
        }
        dispatcher_unpop(p->d, j->unit);
        if (parallel && p->opts.fast && atomic_load_explicit(&j->state, memory_order_relaxed) == JOB_READY && j->ntop)
            commit_log_add(p->log, j->top[0].node, j->class_, -1, j->worker); /* what its worker noted */
    }
    return ahead;
}

/* Pops a batch and decides it; *ret_done: how many units. */
static bool run_round(struct pipeline *p, nsec_t now, size_t max, size_t *ret_done)
{
    bool parallel;
    uint32_t n = fill(p, now, MIN((size_t)p->batch, max), &parallel);
    if (!n)
        return false;
    p->s->now_ns = now;
    if (parallel)
        open_round(p, n);
    uint32_t done = turns(p, n, parallel, now);
    if (parallel)
        crew_close(p->crew);
    *ret_done = done + give_back(p, done, n, parallel);
    if (parallel) {
        commit_log_publish(p->log);
        if (!p->unlogged)
            p->logged_seq = p->s->view.seq;
    }
    adapt(p, n, done, parallel);
    return true;
}

size_t pipeline_run(struct pipeline *p, nsec_t now, size_t max)
{
    binder_tick(p->b, now); /* what it lets go may help others */
    deliver_events(p, now);
    dispatcher_tick(p->d, now);
    deliver_events(p, now); /* of room that is kept no more */
    if (!p->crew)
        return run_alone(p, now, max);
    size_t n = 0, done;
    p->refreshed = false;
    while ((max == 0 || n < max) && run_round(p, now, max ? max - n : SIZE_MAX, &done))
        n += done;
    p->counts.decided += n;
    return n;
}
