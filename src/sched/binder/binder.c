/* binder.c - what was decided, until the world has said yes.
 *
 *   assumed pods   a queue by deadline (the wait is the same for all); an answer of the world raises the pod's stamp, and its entry is passed over
 *   waiting units  one record each: which pods are nominated to which nodes.  Nodes know the records that wait for room on them
 *                      unit 7: a -> n1, b -> n2        waiters of n1: {7}, of n2: {7, 9}
 *                  A pod that leaves n2 makes 7 and 9 due; the next tick turns the nominations of a due record into placements if all fit now, and
 *                  lets it wait on while something is still leaving one of its nodes.
 * What a preemptor waits for need not be its own victims: pods that were leaving already count as room to come.
 * Leaving is told before the engine knows of it (binder_pod_gone), so placements happen in the tick. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/binder/binder.h"

#include "sched/engine/place.h"
#include "sched/engine/statement.h"

/* A preemptor gives up after this and is tried again: long enough for any grace period that people set, as Gödel's. */
#define VICTIMS_WAIT_NS (600 * NSEC_PER_SEC)
/* How often all records are looked at: for what leaves without a word (nodes are deleted, room goes to pods of higher priority). */
#define VERIFY_NS NSEC_PER_SEC

struct assumed {
    nsec_t deadline;
    pod_id pod;
    uint32_t stamp;
};
struct note { /* of a pod */
    uint32_t stamp;
    uint32_t nominee_of; /* record + 1 */
};
struct waiting {
    unit_id unit; /* UNIT_NONE: free */
    bool due;
    nsec_t deadline;
    VEC(struct placement) pods;
};
struct waiter { /* in the list of a node; 0 ends a list */
    uint32_t record, next;
};
struct binder {
    struct sched *s;
    struct dispatcher *d;
    struct binder_calls calls;
    nsec_t timeout_ns, now, verified_ns;
    VEC(struct assumed) assumed;
    size_t first; /* of assumed */
    struct note *notes;
    uint32_t nnotes;
    VEC(struct waiting) waiting;
    VEC(uint32_t) free_records, due;
    VEC(struct waiter) waiters; /* [0] unused */
    uint32_t free_waiter;
    uint32_t *first_waiter; /* by node */
    uint32_t nfirst;
    struct binder_counts counts;
};

struct binder *binder_new(struct sched *s, struct dispatcher *d, const struct binder_calls *calls, nsec_t bind_timeout_ns)
{
    struct binder *b = xnew(struct binder);
    b->s = s;
    b->d = d;
    if (calls)
        b->calls = *calls;
    b->timeout_ns = bind_timeout_ns;
    b->verified_ns = INT64_MIN;
    return b;
}

void binder_free(struct binder *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->waiting.len; i++)
        vec_fini(&b->waiting.p[i].pods);
    vec_fini(&b->waiting);
    vec_fini(&b->free_records);
    vec_fini(&b->due);
    vec_fini(&b->assumed);
    vec_fini(&b->waiters);
    free(b->first_waiter);
    free(b->notes);
    free(b);
}

static struct note *note_of(struct binder *b, pod_id p)
{
    if (p >= b->nnotes) {
        uint32_t n = MAX(b->s->npods_slots, b->nnotes * 2);
        n = MAX(n, p + 1);
        b->notes = xrealloc(b->notes, n * sizeof *b->notes);
        memset(b->notes + b->nnotes, 0, (n - b->nnotes) * sizeof *b->notes);
        b->nnotes = n;
    }
    return &b->notes[p];
}

/* --- assumed pods -------------------------------------------------------------------------------------------------------------------- */
static void assumed_add(struct binder *b, pod_id p, nsec_t now)
{
    if (b->first > 4096 && b->first * 2 > b->assumed.len) {
        b->assumed.len -= b->first;
        memmove(b->assumed.p, b->assumed.p + b->first, b->assumed.len * sizeof *b->assumed.p);
        b->first = 0;
    }
    vec_push(&b->assumed, (struct assumed){now + b->timeout_ns, p, note_of(b, p)->stamp});
}

/* The pod is ASSUMED there. */
static inline void committed(struct binder *b, pod_id p, node_id n, nsec_t now)
{
    b->counts.committed++;
    if (b->timeout_ns)
        assumed_add(b, p, now);
    if (b->calls.bind)
        b->calls.bind(b->calls.arg, p, n);
}

static void answered(struct binder *b, pod_id p)
{
    if (p < b->nnotes)
        b->notes[p].stamp++;
}

/* --- waiting units --------------------------------------------------------------------------------------------------------------------- */
static void make_due(struct binder *b, uint32_t r)
{
    if (!b->waiting.p[r].due)
        vec_push(&b->due, r);
    b->waiting.p[r].due = true;
}

static void waiter_add(struct binder *b, node_id n, uint32_t record)
{
    if (n >= b->nfirst) {
        uint32_t len = b->s->view.words * 64;
        b->first_waiter = xrealloc(b->first_waiter, len * sizeof *b->first_waiter);
        memset(b->first_waiter + b->nfirst, 0, (len - b->nfirst) * sizeof *b->first_waiter);
        b->nfirst = len;
    }
    uint32_t at = b->free_waiter;
    if (at) {
        b->free_waiter = b->waiters.p[at].next;
    } else {
        if (!b->waiters.len)
            vec_push(&b->waiters, (struct waiter){0});
        at = (uint32_t)b->waiters.len;
        vec_push(&b->waiters, (struct waiter){0});
    }
    b->waiters.p[at] = (struct waiter){record, b->first_waiter[n]};
    b->first_waiter[n] = at;
}

static void waiter_remove(struct binder *b, node_id n, uint32_t record)
{
    uint32_t *link = &b->first_waiter[n];
    while (b->waiters.p[*link].record != record)
        link = &b->waiters.p[*link].next;
    uint32_t at = *link;
    *link = b->waiters.p[at].next;
    b->waiters.p[at].next = b->free_waiter;
    b->free_waiter = at;
}

/* A pod leaves this node. */
static void room_on(struct binder *b, node_id n)
{
    for (uint32_t at = n < b->nfirst ? b->first_waiter[n] : 0; at; at = b->waiters.p[at].next)
        make_due(b, b->waiters.p[at].record);
}

static uint32_t record_new(struct binder *b, unit_id u)
{
    if (!b->free_records.len) {
        vec_push(&b->free_records, (uint32_t)b->waiting.len);
        vec_push(&b->waiting, (struct waiting){0});
    }
    uint32_t r = vec_pop(&b->free_records);
    b->waiting.p[r].unit = u;
    b->waiting.p[r].due = false;
    return r;
}

/* The record ends; it may stay in the list of due ones, which passes over free records. */
static void record_drop(struct binder *b, uint32_t r)
{
    struct waiting *w = &b->waiting.p[r];
    for (size_t i = 0; i < w->pods.len; i++) {
        b->notes[w->pods.p[i].pod].nominee_of = 0;
        waiter_remove(b, w->pods.p[i].node, r);
    }
    vec_clear(&w->pods);
    w->unit = UNIT_NONE;
    vec_push(&b->free_records, r);
}

static void make_room(struct binder *b, unit_id u, const struct unit_decision *d)
{
    b->counts.evicted += d->victims.len;
    for (size_t i = 0; i < d->victims.len && b->calls.evict; i++)
        b->calls.evict(b->calls.arg, d->victims.p[i], u);
    for (size_t i = 0; i < d->placements.len && b->calls.nominate; i++)
        b->calls.nominate(b->calls.arg, d->placements.p[i].pod, d->placements.p[i].node);
}

static void preempting(struct binder *b, unit_id u, const struct unit_decision *d, nsec_t now)
{
    uint32_t r = record_new(b, u);
    struct waiting *w = &b->waiting.p[r];
    w->deadline = b->timeout_ns ? now + VICTIMS_WAIT_NS : INT64_MAX;
    for (size_t i = 0; i < d->placements.len; i++) {
        note_of(b, d->placements.p[i].pod)->nominee_of = r + 1;
        waiter_add(b, d->placements.p[i].node, r);
        vec_push(&w->pods, d->placements.p[i]);
    }
    make_room(b, u, d);
}

/* The nominations of a record become placements, all or none. */
static bool assume_all(struct binder *b, const struct waiting *w)
{
    uint32_t mark = statement_begin(b->s);
    for (size_t i = 0; i < w->pods.len; i++)
        if (!sched_assume(b->s, w->pods.p[i].pod, w->pods.p[i].node)) {
            statement_rollback(b->s, mark);
            return false;
        }
    statement_commit(b->s, mark);
    return true;
}

enum prospect { KEEPS_WAITING, HAS_LOST /* room it counted on went elsewhere */ };

static enum prospect prospect_of(const struct binder *b, const struct waiting *w)
{
    const struct sched *s = b->s;
    bool leaving = false;
    for (size_t i = 0; i < w->pods.len; i++) {
        const struct pod *p = &s->pods[w->pods.p[i].pod];
        if (p->state != PS_NOMINATED || p->node != w->pods.p[i].node)
            return HAS_LOST;
        for (pod_id q = s->nodes[p->node].first_pod; q && !leaving; q = s->pods[q].next_on_node)
            leaving = s->pods[q].state == PS_TERMINATING;
    }
    return leaving ? KEEPS_WAITING : HAS_LOST;
}

/* Nominations are taken back, the unit is tried again. */
static void give_up(struct binder *b, uint32_t r, nsec_t now)
{
    struct waiting *w = &b->waiting.p[r];
    unit_id u = w->unit;
    for (size_t i = 0; i < w->pods.len; i++)
        if (b->s->pods[w->pods.p[i].pod].state == PS_NOMINATED)
            sched_forget(b->s, w->pods.p[i].pod);
    record_drop(b, r);
    dispatcher_retry(b->d, u, now);
}

static const struct unit_decision placed = {.result = UNIT_PLACED};

static void settle(struct binder *b, uint32_t r, nsec_t now)
{
    struct waiting *w = &b->waiting.p[r];
    w->due = false;
    if (w->unit == UNIT_NONE)
        return;
    bool nominated = true;
    for (size_t i = 0; i < w->pods.len; i++)
        nominated &= b->s->pods[w->pods.p[i].pod].state == PS_NOMINATED && b->s->pods[w->pods.p[i].pod].node == w->pods.p[i].node;
    if (!nominated || !assume_all(b, w)) {
        if (now >= w->deadline)
            b->counts.timed_out++;
        if (now >= w->deadline || prospect_of(b, w) == HAS_LOST)
            give_up(b, r, now);
        return;
    }
    unit_id u = w->unit;
    for (size_t i = 0; i < w->pods.len; i++)
        committed(b, w->pods.p[i].pod, w->pods.p[i].node, now);
    record_drop(b, r);
    dispatcher_done(b->d, u, &placed, now);
}

/* A nominated pod is deleted. */
static void nominee_left(struct binder *b, pod_id p)
{
    if (p >= b->nnotes || !b->notes[p].nominee_of)
        return;
    uint32_t r = b->notes[p].nominee_of - 1;
    struct waiting *w = &b->waiting.p[r];
    b->notes[p].nominee_of = 0;
    for (size_t i = 0; i < w->pods.len; i++)
        if (w->pods.p[i].pod == p) {
            waiter_remove(b, w->pods.p[i].node, r);
            vec_remove(&w->pods, i);
            break;
        }
    if (w->pods.len)
        return;
    unit_id u = w->unit;
    record_drop(b, r);
    if (b->s->units[u].is_group)
        dispatcher_retry(b->d, u, b->now);
    else
        dispatcher_remove(b->d, u);
}

/* --- decisions --------------------------------------------------------------------------------------------------------------------------- */
static void commit_all(struct binder *b, const struct unit_decision *d, nsec_t now)
{
    for (size_t i = 0; i < d->placements.len; i++)
        committed(b, d->placements.p[i].pod, d->placements.p[i].node, now);
}

void binder_carry_out(struct binder *b, unit_id u, const struct unit_decision *d, nsec_t now)
{
    b->now = now;
    if (d->result == UNIT_PLACED) {
        dispatcher_placed(b->d, b->s->units[u].created_ns);
        commit_all(b, d, now);
    } else if (d->result == UNIT_PREEMPTING) {
        make_room(b, u, d);
    }
}

void binder_apply(struct binder *b, unit_id u, const struct unit_decision *d, nsec_t now)
{
    b->now = now;
    switch (d->result) {
    case UNIT_PLACED:
        commit_all(b, d, now);
        break;
    case UNIT_PREEMPTING:
        preempting(b, u, d, now);
        break;
    case UNIT_INCOMPLETE:
    case UNIT_GATED:
    case UNIT_REJECTED:
        if (b->calls.rejected)
            b->calls.rejected(b->calls.arg, u, d);
        break;
    case UNIT_NOTHING:
        break;
    }
    dispatcher_done(b->d, u, d, now);
}

bool binder_commit(struct binder *b, pod_id p, node_id n, uint32_t version_seen, nsec_t now)
{
    struct sched *s = b->s;
    b->now = now;
    if (s->view.version[n] != version_seen && (!node_is_alive(s, n) || !place_fits(s, s->pods[p].class_, n))) {
        b->counts.conflicts++;
        return false;
    }
    model_assign(s, p, n, PS_ASSUMED, 0);
    committed(b, p, n, now);
    dispatcher_done(b->d, s->pods[p].unit, &placed, now);
    return true;
}

/* --- the world's answers ------------------------------------------------------------------------------------------------------------------ */
void binder_confirmed(struct binder *b, pod_id p)
{
    answered(b, p);
}

void binder_failed(struct binder *b, pod_id p, nsec_t now)
{
    b->now = now;
    b->counts.failed++;
    answered(b, p);
    if (b->s->pods[p].state != PS_ASSUMED)
        return;
    sched_forget(b->s, p);
    dispatcher_retry(b->d, b->s->pods[p].unit, now);
}

void binder_pod_gone(struct binder *b, pod_id p)
{
    answered(b, p);
    if (pod_on_node(&b->s->pods[p]))
        room_on(b, b->s->pods[p].node);
    nominee_left(b, p);
}

/* --- time ----------------------------------------------------------------------------------------------------------------------------------- */
static nsec_t tick_assumed(struct binder *b, nsec_t now)
{
    for (; b->first < b->assumed.len; b->first++) {
        struct assumed a = b->assumed.p[b->first];
        if (b->notes[a.pod].stamp != a.stamp || b->s->pods[a.pod].state != PS_ASSUMED)
            continue;
        if (a.deadline > now)
            return a.deadline;
        b->counts.timed_out++;
        answered(b, a.pod);
        sched_forget(b->s, a.pod);
        dispatcher_retry(b->d, b->s->pods[a.pod].unit, now);
    }
    b->first = b->assumed.len = 0;
    return INT64_MAX;
}

nsec_t binder_tick(struct binder *b, nsec_t now)
{
    b->now = now;
    nsec_t next = tick_assumed(b, now);
    bool any = b->waiting.len > b->free_records.len;
    if (any && (b->verified_ns == INT64_MIN || now - b->verified_ns >= VERIFY_NS)) {
        b->verified_ns = now;
        for (uint32_t r = 0; r < b->waiting.len; r++)
            if (b->waiting.p[r].unit)
                make_due(b, r);
    }
    /* what settling one makes due is left to the next tick */
    for (size_t i = 0, n = b->due.len; i < n; i++)
        settle(b, b->due.p[i], now);
    vec_clear(&b->due);
    if (b->waiting.len > b->free_records.len)
        next = MIN(next, b->verified_ns + VERIFY_NS);
    return next;
}

struct binder_counts binder_count(const struct binder *b)
{
    return b->counts;
}
