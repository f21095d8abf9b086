/* worker.c - see worker.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/worker.h"

#include <sched.h>
#include <time.h>

#include "rt/thread.h"

enum phase { PHASE_OUT, PHASE_ENTERING, PHASE_IN, PHASE_SCANNING, PHASE_HELD, PHASE_HELD_OUT, PHASE_CLOSED };
#define PHASE(round, phase) ((round) << 3 | (uint64_t)(phase))
#define PHASE_OF(word) ((enum phase)((word)&7))

/* In fast mode jobs are taken by the handful: a scan of a partition is so short that the counter would be what all wait for. */
#define FAST_CHUNK 8u
/* Turns of crew_pause: this many busy ones, then yielding ones, then short sleeps. */
#define SPINS_BUSY 300u
#define SPINS_YIELD 2000u
/* Between rounds a worker waits this many turns before it sleeps until it is called: driver's work between two rounds takes less. */
#define SPINS_ROUND 1500u

struct worker {
    _Atomic uint64_t phase __attribute__((aligned(64)));
    _Atomic uint64_t seen;  /* the newest round it knows of: a sign of life */
    _Atomic bool lost;      /* too far behind the log */
    struct crew *crew;
    struct thread thread;
    uint32_t number;        /* 1.. */
    bool fresh;             /* it refreshed in the last round that asked for it; the driver's */
    uint64_t missed;        /* the round it was left out of, 0: none; the driver's */
    uint64_t refreshes;     /* the last it took part in */
    struct crew_round round; /* a copy, as the crew's may be read in some phases only */
    struct replica *replica;
    struct place_scratch *scratch;
    uint64_t *partition; /* nodes it tries first, in fast mode */
    struct place_top top[PLACE_TOP]; /* the last answer: good nodes for one class are likely to be good for the next */
    size_t ntop;
};
struct crew {
    struct sched *s;
    struct commit_log *log;
    struct crew_opts opts;
    struct worker *workers;
    struct crew_round round; /* written between rounds */
    uint32_t words;          /* that partitions were made for */
    uint64_t epoch;          /* of the nodes then */
    uint64_t who;            /* bits of workers that have a partition */
    pthread_mutex_t lock;    /* guards sleeping */
    pthread_cond_t wake;
    uint32_t sleeping;
    _Atomic uint64_t number __attribute__((aligned(64))); /* of the round */
    _Atomic uint64_t next __attribute__((aligned(64)));   /* round << 32 | job */
    _Atomic uint32_t done __attribute__((aligned(64)));   /* jobs that the driver is through with */
};

void crew_pause(uint32_t *spins)
{
    uint32_t n = (*spins)++;
    if (n < SPINS_BUSY) {
#if defined(__x86_64__) || defined(__i386__)
        __builtin_ia32_pause();
#endif
    } else if (n < SPINS_YIELD) {
        sched_yield();
    } else {
        nanosleep(&(struct timespec){.tv_nsec = 50000}, NULL);
    }
}

/* --- the worker's side ------------------------------------------------------------------------------------------------------------------- */
static bool phase_change(struct worker *w, uint64_t from, uint64_t to)
{
    return atomic_compare_exchange_strong_explicit(&w->phase, &from, to, memory_order_acq_rel, memory_order_acquire);
}

/* The number of the next round; false: the crew is dismissed. */
static bool await_round(struct crew *c, struct worker *w, uint64_t *seen)
{
    uint64_t now;
    for (uint32_t spins = 0; spins < SPINS_ROUND; crew_pause(&spins))
        if ((now = atomic_load_explicit(&c->number, memory_order_acquire)) != *seen)
            goto found;
    pthread_mutex_lock(&c->lock);
    c->sleeping++;
    while ((now = atomic_load_explicit(&c->number, memory_order_acquire)) == *seen)
        pthread_cond_wait(&c->wake, &c->lock);
    c->sleeping--;
    pthread_mutex_unlock(&c->lock);
found:
    *seen = now;
    atomic_store_explicit(&w->seen, now, memory_order_relaxed);
    return now != UINT64_MAX;
}

/* From one phase of the round to another; waits while the driver holds it.  false: the round is over. */
static bool advance(struct worker *w, uint64_t round, enum phase from, enum phase held, enum phase to)
{
    for (uint32_t spins = 0;; crew_pause(&spins)) {
        uint64_t v = atomic_load_explicit(&w->phase, memory_order_acquire);
        if (v == PHASE(round, from)) {
            if (phase_change(w, v, PHASE(round, to)))
                return true;
        } else if (v != PHASE(round, held)) {
            return false;
        }
    }
}

static bool begin_scan(struct worker *w, uint64_t round)
{
    return advance(w, round, PHASE_IN, PHASE_HELD, PHASE_SCANNING);
}

static void set_phase(struct worker *w, uint64_t round, enum phase to)
{
    atomic_store_explicit(&w->phase, PHASE(round, to), memory_order_release);
}

static bool enter(struct worker *w, uint64_t round)
{
    struct crew *c = w->crew;
    if (!advance(w, round, PHASE_OUT, PHASE_HELD_OUT, PHASE_ENTERING))
        return false;
    w->round = c->round;
    bool in = true;
    if (w->round.refresh)
        replica_refresh(w->replica, c->s, c->log, w->refreshes + 1 == w->round.refreshes ? w->round.logged_seq : UINT64_MAX);
    else if (w->refreshes == w->round.refreshes && replica_behind(w->replica, c->log) <= COMMIT_LOG_SIZE / 2)
        replica_view(w->replica, c->log);
    else
        in = false;
    if (in)
        w->refreshes = w->round.refreshes;
    atomic_store_explicit(&w->lost, !in, memory_order_relaxed);
    set_phase(w, round, in ? PHASE_IN : PHASE_CLOSED);
    return in;
}

/* The next n jobs of this round: the first of them, or UINT32_MAX. */
static uint32_t take(struct crew *c, uint64_t round, uint32_t n)
{
    uint64_t v = atomic_load_explicit(&c->next, memory_order_relaxed);
    do {
        if (v >> 32 != (round & UINT32_MAX))
            return UINT32_MAX;
    } while (!atomic_compare_exchange_weak_explicit(&c->next, &v, v + n, memory_order_relaxed, memory_order_relaxed));
    return (uint32_t)v;
}

static void scan(struct worker *w, const struct view *v, const struct job *j, const uint64_t *within, int32_t *ret_rest)
{
    w->ntop = place_scan_some(v, v->s->classes[j->class_], within, w->scratch, w->round.want, MIN(w->ntop, (size_t)w->round.want), w->top, ret_rest);
}

/* May the answer be written?  Not when the driver has taken the job meanwhile. */
static bool begin_answer(struct job *j)
{
    uint32_t open = JOB_OPEN;
    return atomic_compare_exchange_strong_explicit(&j->state, &open, JOB_WRITING, memory_order_relaxed, memory_order_relaxed);
}

/* The whole of the cluster against the newest state: deterministic mode. */
static void answer_exact(struct worker *w, struct job *j)
{
    int32_t rest = SCORE_NONE;
    scan(w, replica_view(w->replica, w->crew->log), j, NULL, &rest);
    if (!begin_answer(j))
        return;
    memcpy(j->top, w->top, w->ntop * sizeof *j->top);
    j->ntop = (uint16_t)w->ntop;
    j->rest_score = rest;
    j->pos = replica_position(w->replica);
    j->worker = (uint16_t)w->number;
    atomic_store_explicit(&j->state, JOB_READY, memory_order_release);
}

/* The worker's own nodes first, then all; the proposal is noted in the replica at once, so that the next one sees it. */
static void answer_fast(struct worker *w, struct job *j)
{
    int32_t rest;
    scan(w, replica_own(w->replica), j, w->partition, &rest);
    if (!w->ntop)
        scan(w, replica_view(w->replica, w->crew->log), j, NULL, &rest);
    if (!begin_answer(j))
        return;
    j->ntop = w->ntop ? 1 : 0;
    j->worker = (uint16_t)w->number;
    if (w->ntop) {
        j->top[0] = w->top[0];
        replica_propose(w->replica, j->top[0].node, j->class_);
    }
    atomic_store_explicit(&j->state, JOB_READY, memory_order_release);
}

/* One job; false: the round is over. */
static bool work_one(struct worker *w, uint64_t round, uint32_t i)
{
    struct crew *c = w->crew;
    for (uint32_t spins = 0; i >= atomic_load_explicit(&c->done, memory_order_acquire) + w->round.window; crew_pause(&spins)) {
        uint64_t phase = atomic_load_explicit(&w->phase, memory_order_relaxed);
        if (phase != PHASE(round, PHASE_IN) && phase != PHASE(round, PHASE_HELD))
            return false;
    }
    if (c->opts.stall)
        c->opts.stall(c->opts.stall_arg, w->number);
    if (!begin_scan(w, round))
        return false;
    struct job *j = &w->round.jobs[i];
    if (atomic_load_explicit(&j->state, memory_order_relaxed) == JOB_OPEN)
        (w->round.fast ? answer_fast : answer_exact)(w, j);
    set_phase(w, round, PHASE_IN);
    if (c->opts.answered)
        c->opts.answered(c->opts.stall_arg, w->number);
    return true;
}

static void run(void *arg)
{
    struct worker *w = arg;
    uint64_t round = 0;
    while (await_round(w->crew, w, &round)) {
        if (!enter(w, round))
            continue;
        uint32_t chunk = w->round.fast ? FAST_CHUNK : 1;
        for (bool on = true; on;) {
            uint32_t first = take(w->crew, round, chunk);
            on = first < w->round.njobs;
            for (uint32_t i = first; on && i < first + chunk && i < w->round.njobs; i++)
                on = work_one(w, round, i);
        }
    }
}

/* --- the driver's side ------------------------------------------------------------------------------------------------------------------- */
bool crew_is_stuck(const struct crew *c, nsec_t *since)
{
    if (!c->opts.clock || !c->opts.stuck_ns)
        return false;
    nsec_t now = clock_mono(c->opts.clock);
    if (!*since)
        *since = now ? now : 1;
    return now - *since > c->opts.stuck_ns;
}

/* Waits until the worker is neither entering nor scanning and changes its phase by the table. */
static void phase_force(struct worker *w, uint64_t round, const uint8_t to[8])
{
    uint32_t spins = 0;
    for (;;) {
        uint64_t v = atomic_load_explicit(&w->phase, memory_order_acquire);
        enum phase p = PHASE_OF(v);
        if (p == PHASE_ENTERING || p == PHASE_SCANNING)
            crew_pause(&spins);
        else if (phase_change(w, v, PHASE(round, to[p])))
            return;
    }
}

static const uint8_t to_held[8] = {[PHASE_OUT] = PHASE_HELD_OUT,
                                   [PHASE_IN] = PHASE_HELD,
                                   [PHASE_HELD] = PHASE_HELD,
                                   [PHASE_HELD_OUT] = PHASE_HELD_OUT,
                                   [PHASE_CLOSED] = PHASE_CLOSED};
static const uint8_t to_released[8] = {[PHASE_OUT] = PHASE_OUT,
                                       [PHASE_IN] = PHASE_IN,
                                       [PHASE_HELD] = PHASE_IN,
                                       [PHASE_HELD_OUT] = PHASE_OUT,
                                       [PHASE_CLOSED] = PHASE_CLOSED};
static const uint8_t to_closed[8] = {[PHASE_OUT] = PHASE_CLOSED,
                                     [PHASE_IN] = PHASE_CLOSED,
                                     [PHASE_HELD] = PHASE_CLOSED,
                                     [PHASE_HELD_OUT] = PHASE_CLOSED,
                                     [PHASE_CLOSED] = PHASE_CLOSED};
static const uint8_t to_out[8] = {0};

static void force_all(struct crew *c, uint64_t round, const uint8_t to[8])
{
    for (uint32_t i = 0; i < c->opts.nthreads; i++)
        phase_force(&c->workers[i], round, to);
}

static uint64_t round_number(const struct crew *c)
{
    return atomic_load_explicit(&c->number, memory_order_relaxed);
}

void crew_hold(struct crew *c)
{
    force_all(c, round_number(c), to_held);
}
void crew_release(struct crew *c)
{
    force_all(c, round_number(c), to_released);
}
void crew_close(struct crew *c)
{
    force_all(c, round_number(c), to_closed);
}

/* Waits for those who refresh; who does not even begin to within stuck_ns is left out until it gives a sign of life. */
static uint32_t await_entry(struct crew *c, uint64_t round)
{
    uint32_t in = 0, spins = 0;
    nsec_t since = 0;
    for (uint32_t i = 0; i < c->opts.nthreads; i++) {
        struct worker *w = &c->workers[i];
        enum phase p;
        for (;; crew_pause(&spins)) {
            uint64_t v = atomic_load_explicit(&w->phase, memory_order_acquire);
            p = PHASE_OF(v);
            if (p == PHASE_OUT && spins > SPINS_BUSY && crew_is_stuck(c, &since) && phase_change(w, v, PHASE(round, PHASE_CLOSED))) {
                w->missed = round;
                p = PHASE_CLOSED;
            }
            if (p != PHASE_OUT && p != PHASE_ENTERING)
                break;
        }
        w->fresh = p != PHASE_CLOSED;
        if (w->fresh)
            w->missed = 0;
        in += w->fresh;
    }
    return in;
}

/* Is the worker there, but without a current replica? */
static bool lacks(const struct worker *w)
{
    if (w->missed)
        return atomic_load_explicit(&w->seen, memory_order_relaxed) > w->missed;
    return !w->fresh || atomic_load_explicit(&w->lost, memory_order_relaxed);
}

uint32_t crew_open(struct crew *c, const struct crew_round *round)
{
    uint64_t number = round_number(c) + 1;
    uint32_t in = 0;
    uint64_t refreshes = c->round.refreshes;
    c->round = *round;
    for (uint32_t i = 0; i < c->opts.nthreads; i++) {
        struct worker *w = &c->workers[i];
        bool absent = w->missed && !lacks(w);
        c->round.refresh |= lacks(w);
        in += w->fresh;
        phase_force(w, number, absent ? to_closed : to_out);
    }
    c->round.refreshes = refreshes + c->round.refresh;
    atomic_store_explicit(&c->done, 0, memory_order_relaxed);
    atomic_store_explicit(&c->next, (number & UINT32_MAX) << 32, memory_order_relaxed);
    atomic_store_explicit(&c->number, number, memory_order_release);
    pthread_mutex_lock(&c->lock);
    if (c->sleeping)
        pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    return c->round.refresh ? await_entry(c, number) : in;
}

void crew_done(struct crew *c, uint32_t done)
{
    atomic_store_explicit(&c->done, done, memory_order_release);
}

uint32_t crew_take(struct crew *c)
{
    uint64_t v = atomic_load_explicit(&c->next, memory_order_relaxed);
    uint32_t limit = atomic_load_explicit(&c->done, memory_order_relaxed) + c->round.window;
    do {
        if ((uint32_t)v >= c->round.njobs || (uint32_t)v >= limit)
            return UINT32_MAX;
    } while (!atomic_compare_exchange_weak_explicit(&c->next, &v, v + 1, memory_order_relaxed, memory_order_relaxed));
    return (uint32_t)v;
}

void crew_partition(struct crew *c)
{
    const struct sched *s = c->s;
    uint64_t who = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->opts.nthreads; i++)
        if (c->workers[i].fresh || !c->who) {
            who |= 1ull << i;
            n++;
        }
    if (!n || (c->words == s->view.words && c->epoch == s->tie_epoch && c->who == who))
        return;
    for (uint32_t i = 0; i < c->opts.nthreads; i++) {
        free(c->workers[i].partition);
        c->workers[i].partition = xarray(s->view.words, uint64_t);
    }
    /* each word to who has fewest nodes: neighbours, which are often alike, go to different workers */
    uint32_t *have = xarray(c->opts.nthreads, uint32_t);
    for (uint32_t word = 0; word < s->view.words; word++) {
        uint32_t least = UINT32_MAX;
        for (uint32_t i = 0; i < c->opts.nthreads; i++)
            if (who >> i & 1 && (least == UINT32_MAX || have[i] < have[least]))
                least = i;
        c->workers[least].partition[word] = s->alive[word];
        have[least] += (uint32_t)__builtin_popcountll(s->alive[word]);
    }
    free(have);
    c->words = s->view.words;
    c->epoch = s->tie_epoch; /* ranks change with every node that comes or goes */
    c->who = who;
}

/* --- making and ending --------------------------------------------------------------------------------------------------------------------- */
struct crew *crew_new(struct sched *s, struct commit_log *log, const struct crew_opts *opts, struct err *err)
{
    struct crew *c = aligned_alloc(64, (sizeof *c + 63) & ~(size_t)63);
    BUG_ON(!c);
    memset(c, 0, sizeof *c);
    c->s = s;
    c->log = log;
    c->opts = *opts;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->wake, NULL);
    size_t bytes = opts->nthreads * sizeof *c->workers;
    c->workers = aligned_alloc(64, bytes);
    BUG_ON(!c->workers);
    memset(c->workers, 0, bytes);
    for (uint32_t i = 0; i < opts->nthreads; i++) {
        struct worker *w = &c->workers[i];
        w->crew = c;
        w->number = i + 1;
        w->replica = replica_new(w->number);
        w->scratch = place_scratch_new();
        atomic_init(&w->phase, PHASE(0ull, PHASE_CLOSED));
    }
    for (uint32_t i = 0; i < opts->nthreads; i++) {
        char name[THREAD_NAME_MAX];
        snprintf(name, sizeof name, "sched-%u", i + 1);
        if (thread_start(&c->workers[i].thread, name, run, &c->workers[i], err) < 0) {
            crew_free(c);
            return NULL;
        }
    }
    return c;
}

void crew_free(struct crew *c)
{
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    atomic_store_explicit(&c->number, UINT64_MAX, memory_order_release);
    pthread_cond_broadcast(&c->wake);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->opts.nthreads; i++) {
        struct worker *w = &c->workers[i];
        thread_join(&w->thread);
        replica_free(w->replica);
        place_scratch_free(w->scratch);
        free(w->partition);
    }
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->wake);
    free(c->workers);
    free(c);
}

int crew_check(struct crew *c, struct err *err)
{
    for (uint32_t i = 0; i < c->opts.nthreads; i++) {
        struct worker *w = &c->workers[i];
        if (!w->fresh)
            continue;
        replica_view(w->replica, c->log);
        int r = replica_check(w->replica, c->s, err);
        if (r < 0)
            return err_wrap(err, "replica %u: ", w->number);
    }
    return 0;
}
