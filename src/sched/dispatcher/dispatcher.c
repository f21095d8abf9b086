/* dispatcher.c - one slot a unit, and the lines and lots the slots are in.
 *
 *   slots[unit]: place, key, stamp ...
 *   ready    line by the order's key        backoff  line by time        flush  line by time of parking
 *   starving line by time of becoming ready (only with starvation_ns)
 *   lots     parked units, one list for each distinct helped_by: an event looks at the few masks, then touches only units it helps
 * Lines hold entries with the stamp of the slot; whoever moves a unit raises its stamp, and that is how it leaves a line.  Lots are linked lists
 * through the slots.  An example: three units wait for room (mask POD_FREED | NODE_ADD), one for a label (NODE_LABEL): two lots; a pod that ends
 * wakes the three and never looks at the fourth.  Of units that are all alike only one is in a lot: kin.c. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"

#include <math.h>

#include "base/limits.h"
#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/unit.h"

/* --- orders ------------------------------------------------------------------------------------------------------------------------ */
/* Of the tasks of several domains that came within the same time those that ask for the most bandwidth go first: small ones fit between them later, large ones not between small ones.
 *     since 10:00:00 .. 10:00:59   ->   10:00:00 + 60 s * 1G / (1G + bit/s that all its pods ask for)
 * So one that is older by a minute goes first, whatever it asks for; and they stand in one line with all others. */
#define USUAL_BITS 1e9
static nsec_t by_size(const struct sched *s, const struct unit *unit, nsec_t since)
{
    double bits = 0; /* of thousands of pods that ask for all there is, more than 64 bits hold */
    for (size_t i = 0; i < unit->pods.len; i++)
        bits += (double)(class_of(s, unit->pods.p[i])->amount[RES_INGRESS] + class_of(s, unit->pods.p[i])->amount[RES_EGRESS]);
    if (bits <= 0 || since < 0)
        return since;
    return since - since % DISPATCH_SAME_AGE_NS + (nsec_t)((double)(DISPATCH_SAME_AGE_NS - 1) * (USUAL_BITS / (USUAL_BITS + bits)));
}

static void key_priority(const struct sched *s, unit_id u, nsec_t since, uint64_t ret_key[2])
{
    ret_key[0] = dispatch_key(-(int64_t)s->units[u].priority);
    ret_key[1] = dispatch_key(unlikely(unit_crosses(&s->units[u])) ? by_size(s, &s->units[u], since) : since);
}

static void key_fifo(const struct sched *s, unit_id u, nsec_t since, uint64_t ret_key[2])
{
    (void)s;
    (void)u;
    ret_key[0] = 0;
    ret_key[1] = dispatch_key(since);
}

const struct dispatch_order dispatch_order_priority = {"priority", key_priority, true};
const struct dispatch_order dispatch_order_fifo = {"fifo", key_fifo, true};

/* --- lines ------------------------------------------------------------------------------------------------------------------------- */
static bool is_current(const void *arg, const struct line_entry *e)
{
    const struct dispatcher *d = arg;
    return d->slots[e->id].stamp == e->stamp;
}

static void push_at(struct line *l, const struct slot *x, unit_id u, nsec_t at)
{
    line_push(l, &(struct line_entry){{0, dispatch_key(at)}, x->seq, u, x->stamp});
}

static nsec_t time_of(const struct line_entry *e)
{
    return (nsec_t)(e->key[1] ^ 1ull << 63);
}

void dispatcher_lot_remove(struct dispatcher *d, unit_id u)
{
    const struct slot *x = &d->slots[u];
    struct lot *lot = &d->lots.p[x->lot];
    if (x->prev)
        d->slots[x->prev].next = x->next;
    else
        lot->first = x->next;
    if (x->next)
        d->slots[x->next].prev = x->prev;
    lot->n--;
}

static void leave_parked(struct dispatcher *d, struct slot *x)
{
    unit_id u = (unit_id)(x - d->slots);
    if (x->follows)
        kin_unfollow(d, u);
    else if (unlikely(x->waits))
        blocked_remove(d, u);
    else if (unlikely(x->linked))
        linked_remove(d, u);
    else
        dispatcher_lot_remove(d, u);
}

/* Leaves where it is; the caller puts it elsewhere. */
static void move(struct dispatcher *d, struct slot *x, enum dispatch_place to)
{
    if (x->place == DISPATCH_PARKED)
        leave_parked(d, x);
    d->count[x->place]--;
    d->count[to]++;
    x->place = (uint8_t)to;
    x->stamp++;
}

static void to_ready(struct dispatcher *d, struct slot *x, unit_id u)
{
    move(d, x, DISPATCH_READY);
    d->opts.order->key(d->s, u, x->since, x->key);
    line_push(&d->ready, &(struct line_entry){{x->key[0], x->key[1]}, x->seq, u, x->stamp});
    if (d->opts.starvation_ns)
        push_at(&d->starving, x, u, x->ready_ns);
}

static uint32_t lot_for(struct dispatcher *d, uint32_t mask)
{
    uint32_t empty = UINT32_MAX;
    for (uint32_t i = 0; i < d->lots.len; i++) {
        if (d->lots.p[i].mask == mask)
            return i;
        if (!d->lots.p[i].n)
            empty = i;
    }
    if (empty == UINT32_MAX) {
        vec_push(&d->lots, (struct lot){0});
        empty = (uint32_t)d->lots.len - 1;
    }
    d->lots.p[empty].mask = mask;
    return empty;
}

void dispatcher_lot_add(struct dispatcher *d, unit_id u, uint32_t mask)
{
    struct slot *x = &d->slots[u];
    x->lot = lot_for(d, mask);
    struct lot *lot = &d->lots.p[x->lot];
    x->prev = UNIT_NONE;
    x->next = lot->first;
    if (lot->first)
        d->slots[lot->first].prev = u;
    lot->first = u;
    lot->n++;
    d->lots_mask |= mask;
}

static void to_parked(struct dispatcher *d, struct slot *x, unit_id u, uint32_t mask, class_id waits_for, const sym_t *link, nsec_t now)
{
    move(d, x, DISPATCH_PARKED);
    if (unlikely(waits_for))
        blocked_add(d, u, waits_for, mask);
    else if (unlikely(link && link[0]))
        linked_add(d, u, link);
    else
        kin_park(d, u, mask, now);
    if (d->opts.flush_ns)
        push_at(&d->flush, x, u, now + d->opts.flush_ns);
}

void dispatcher_wake(struct dispatcher *d, unit_id u, nsec_t now)
{
    struct slot *x = &d->slots[u];
    if (x->until > now) {
        move(d, x, DISPATCH_BACKOFF);
        push_at(&d->backoff, x, u, x->until);
    } else {
        x->ready_ns = now;
        to_ready(d, x, u);
    }
}

/* Dead entries are thrown away when they outnumber the live ones. */
static void sweep(struct dispatcher *d)
{
    line_sweep(&d->ready, d->count[DISPATCH_READY], is_current, d);
    line_sweep(&d->starving, d->count[DISPATCH_READY], is_current, d);
    line_sweep(&d->backoff, d->count[DISPATCH_BACKOFF], is_current, d);
    line_sweep(&d->flush, d->count[DISPATCH_PARKED], is_current, d);
}

/* --- making, adding, removing -------------------------------------------------------------------------------------------------------- */
struct dispatcher *dispatcher_new(struct sched *s, const struct dispatcher_opts *opts)
{
    struct dispatcher *d = xnew(struct dispatcher);
    d->s = s;
    d->opts = *opts;
    if (!d->opts.order)
        d->opts.order = &dispatch_order_priority;
    d->ready = d->starving = d->backoff = d->flush = d->patient = d->due = LINE_INIT;
    d->linked_by_ends = MAP_INIT;
    d->youngest_ns = INT64_MIN;
    return d;
}

void dispatcher_free(struct dispatcher *d)
{
    if (!d)
        return;
    line_fini(&d->ready);
    line_fini(&d->starving);
    line_fini(&d->backoff);
    line_fini(&d->flush);
    vec_fini(&d->lots);
    free(d->kin);
    free(d->blocked);
    vec_fini(&d->missing);
    linked_fini(d);
    protect_fini(d);
    free(d->slots);
    free(d);
}

static struct slot *slot_of(struct dispatcher *d, unit_id u)
{
    if (u >= d->nslots) {
        uint32_t n = MAX(d->s->nunits_slots, d->nslots * 2);
        n = MAX(n, u + 1);
        d->slots = xrealloc(d->slots, n * sizeof *d->slots);
        memset(d->slots + d->nslots, 0, (n - d->nslots) * sizeof *d->slots);
        d->count[DISPATCH_ABSENT] += n - d->nslots;
        d->nslots = n;
    }
    return &d->slots[u];
}

/* READY, HELD or ABSENT: where a unit belongs that is not being tried. */
static enum dispatch_place place_for(const struct dispatcher *d, unit_id u)
{
    const struct unit *unit = &d->s->units[u];
    if (!unit->is_group && unit->pods.len == 1) {
        pod_id p = unit->pods.p[0];
        if (d->s->pods[p].state != PS_PENDING && d->s->pods[p].state != PS_NOMINATED)
            return DISPATCH_ABSENT;
        return class_of(d->s, p)->gates ? DISPATCH_HELD : DISPATCH_READY;
    }
    if (!unit->pods.len)
        return DISPATCH_ABSENT;
    /* members come one by one: count them only when there can be enough */
    if (!unit->declared || (int64_t)unit->pods.len < unit->min_member)
        return DISPATCH_HELD;
    struct unit_counts c = unit_count(d->s, u);
    if (!c.waiting)
        return c.gated ? DISPATCH_HELD : DISPATCH_ABSENT;
    return (int64_t)c.waiting + c.placed >= unit->min_member ? DISPATCH_READY : DISPATCH_HELD;
}

static void to_idle(struct dispatcher *d, struct slot *x, enum dispatch_place place)
{
    if (x->place != place)
        move(d, x, place);
}

/* The order's key may be another one now. */
static void key_again(struct dispatcher *d, struct slot *x, unit_id u)
{
    uint64_t key[2];
    d->opts.order->key(d->s, u, x->since, key);
    if (key[0] != x->key[0] || key[1] != x->key[1])
        to_ready(d, x, u);
}

static bool is_left(const struct dispatcher *d, unit_id u)
{
    return unlikely(d->leaves_batch) && d->s->units[u].queue;
}

void dispatcher_leave_batch(struct dispatcher *d)
{
    d->leaves_batch = true;
    for (unit_id u = 1; u < d->nslots; u++)
        if (d->slots[u].place != DISPATCH_ABSENT && d->s->units[u].queue)
            dispatcher_remove(d, u);
}

int dispatcher_add(struct dispatcher *d, unit_id u, nsec_t now, struct err *err)
{
    if (is_left(d, u)) {
        dispatcher_remove(d, u); /* it may have got its queue later */
        return 0;
    }
    struct slot *x = slot_of(d, u);
    d->now = now;
    kin_resign(d, u, x->place, false, now); /* it may be of another class now */
    switch ((enum dispatch_place)x->place) {
    case DISPATCH_READY:
        key_again(d, x, u);
        break;
    case DISPATCH_FLYING:
        x->changed = true;
        break;
    case DISPATCH_BACKOFF:
        break; /* it will be tried as it is then */
    case DISPATCH_PARKED:
        dispatcher_wake(d, u, now);
        break;
    case DISPATCH_ABSENT:
        if (d->nslots - d->count[DISPATCH_ABSENT] >= LIMIT_SCHED_QUEUE)
            return err_set(err, E_BUSY, "%u units wait already; no more are taken", LIMIT_SCHED_QUEUE);
        x->seq = ++d->next_seq;
        x->since = d->s->units[u].created_ns;
        x->attempts = 0;
        x->until = INT64_MIN;
        if (unlikely(d->nelders))
            protect_leave(d, u, true);
        __attribute__((fallthrough));
    case DISPATCH_HELD: {
        enum dispatch_place place = place_for(d, u);
        if (place == DISPATCH_READY) {
            x->ready_ns = now;
            to_ready(d, x, u);
        } else {
            to_idle(d, x, place);
        }
    }
    }
    sweep(d);
    return 0;
}

void dispatcher_remove(struct dispatcher *d, unit_id u)
{
    if (u >= d->nslots || d->slots[u].place == DISPATCH_ABSENT)
        return;
    kin_resign(d, u, d->slots[u].place, false, d->now);
    move(d, &d->slots[u], DISPATCH_ABSENT);
    if (unlikely(d->nelders))
        protect_leave(d, u, true);
    d->slots[u].changed = false;
    sweep(d);
}

/* --- popping and how it ends --------------------------------------------------------------------------------------------------------- */
static bool is_starving(const struct dispatcher *d, nsec_t ready_ns, nsec_t now)
{
    return d->opts.starvation_ns && now - ready_ns > d->opts.starvation_ns;
}

static unit_id pop_ready(struct dispatcher *d, nsec_t now)
{
    if (!d->count[DISPATCH_READY])
        return UNIT_NONE;
    const struct line_entry *e = d->opts.starvation_ns ? line_first(&d->starving, is_current, d) : NULL;
    struct line *from = &d->starving;
    if (!e || !is_starving(d, time_of(e), now)) {
        from = &d->ready;
        e = line_first(&d->ready, is_current, d);
    }
    unit_id u = e->id;
    line_pop(from);
    struct slot *x = &d->slots[u];
    move(d, x, DISPATCH_FLYING);
    x->attempts++;
    x->changed = false;
    return u;
}

bool dispatcher_pass_over(struct dispatcher *d, unit_id u, nsec_t now)
{
    sym_t link[2] = {0};
    if (!(d->missing.len | d->linked_by_ends.len) || d->slots[u].attempts <= 1)
        return false;
    class_id c = d->missing.len ? blocked_by(d, u) : 0;
    if ((!c && !(d->linked_by_ends.len && linked_lacks(d, u, link))) || !unit_is_whole(d->s, u)) /* one that lacks members is held, and not parked */
        return false;
    d->slots[u].attempts--;
    protect_rejected(d, u, now); /* as it would be */
    to_parked(d, &d->slots[u], u, c ? d->blocked[c].mask : 0, c, link, now);
    return true;
}

unit_id dispatcher_pop(struct dispatcher *d, nsec_t now)
{
    unit_id u = pop_ready(d, now);
    while (unlikely(d->missing.len | d->linked_by_ends.len) && u != UNIT_NONE && dispatcher_pass_over(d, u, now))
        u = pop_ready(d, now);
    return u;
}

unit_id dispatcher_pop_ahead(struct dispatcher *d, nsec_t now)
{
    return pop_ready(d, now);
}

void dispatcher_unpop(struct dispatcher *d, unit_id u)
{
    struct slot *x = &d->slots[u];
    if (u >= d->nslots || x->place != DISPATCH_FLYING)
        return;
    x->attempts--;
    to_ready(d, x, u);
}

bool dispatcher_is_next(struct dispatcher *d, unit_id u, nsec_t now)
{
    struct slot *x = &d->slots[u];
    const struct line_entry *e = line_first(&d->ready, is_current, d);
    /* what became ready since the pop did so now, and cannot be starving */
    if (!e || is_starving(d, x->ready_ns, now))
        return true;
    struct line_entry own = {{x->key[0], x->key[1]}, x->seq, u, 0};
    return line_less(&own, e);
}

/* The wait after this many attempts; a large gang may wait longer, as a try of it costs more. */
static nsec_t backoff_of(const struct dispatcher *d, unit_id u, uint32_t attempts)
{
    const struct unit *unit = &d->s->units[u];
    double max = (double)d->opts.backoff_max_ns;
    if (unit->is_group && unit->pods.len > 1)
        max *= sqrt((double)unit->pods.len);
    double wait = (double)d->opts.backoff_first_ns;
    for (uint32_t i = 1; i < attempts && wait < max; i++)
        wait *= 2;
    return (nsec_t)MIN(wait, max);
}

void dispatcher_done(struct dispatcher *d, unit_id u, const struct unit_decision *how, nsec_t now)
{
    if (u >= d->nslots || d->slots[u].place != DISPATCH_FLYING)
        return; /* removed meanwhile */
    struct slot *x = &d->slots[u];
    d->now = now;
    if (how->result != UNIT_REJECTED)
        kin_resign(d, u, DISPATCH_FLYING, how->result == UNIT_PLACED || how->result == UNIT_PREEMPTING, now);
    switch (how->result) {
    case UNIT_PREEMPTING:
        protect_yield(d, u);
        return;
    case UNIT_PLACED:
    case UNIT_NOTHING:
        if (unlikely(d->nelders)) {
            if (how->result == UNIT_PLACED)
                dispatcher_placed(d, d->s->units[u].created_ns);
            protect_leave(d, u, how->result == UNIT_NOTHING);
        }
        /* nothing to place although it looks so: only when told of a change meanwhile, or it would come back for ever */
        if ((x->changed || (d->s->units[u].is_group && how->result == UNIT_PLACED)) && place_for(d, u) == DISPATCH_READY) {
            x->since = x->ready_ns = now;
            to_ready(d, x, u);
        } else {
            move(d, x, DISPATCH_ABSENT);
        }
        x->changed = false;
        return;
    case UNIT_INCOMPLETE:
    case UNIT_GATED:
        x->attempts--; /* nothing was tried */
        move(d, x, DISPATCH_HELD);
        protect_leave(d, u, true);
        break;
    case UNIT_REJECTED:
        /* a task of several domains keeps its age; and who is woken because what it lacked is there has no need to be held back */
        if (likely(!unit_crosses(&d->s->units[u])))
            x->since = now;
        else
            protect_rejected(d, u, now);
        x->until = how->waits_for || how->waits_link[0] ? now : now + backoff_of(d, u, keep_of(d->s, u) ? 1 : x->attempts);
        to_parked(d, x, u, how->helped_by, how->waits_for, how->waits_link, now);
        break;
    }
    if (x->changed) {
        /* what it was told in flight may be what it misses */
        x->changed = false;
        if (x->place == DISPATCH_PARKED)
            dispatcher_wake(d, u, now);
        else if (place_for(d, u) == DISPATCH_READY) {
            x->ready_ns = now;
            to_ready(d, x, u);
        }
    }
    sweep(d);
}

void dispatcher_placed(struct dispatcher *d, nsec_t created_ns)
{
    d->youngest_ns = MAX(d->youngest_ns, created_ns);
}

void dispatcher_retry(struct dispatcher *d, unit_id u, nsec_t now)
{
    if (is_left(d, u))
        return;
    struct slot *x = slot_of(d, u);
    enum dispatch_place was = x->place, place = place_for(d, u);
    d->now = now;
    if (was == DISPATCH_READY)
        return;
    kin_resign(d, u, was, false, now);
    if (was == DISPATCH_FLYING && x->attempts)
        x->attempts--; /* losing a conflict is no fault of its own */
    if (was == DISPATCH_ABSENT && !x->seq) {
        x->seq = ++d->next_seq;
        x->since = d->s->units[u].created_ns;
    }
    if (place != DISPATCH_READY) {
        to_idle(d, x, place);
        return;
    }
    if (was == DISPATCH_ABSENT || was == DISPATCH_HELD)
        x->ready_ns = now;
    to_ready(d, x, u);
    sweep(d);
}

/* --- events and time ------------------------------------------------------------------------------------------------------------------ */
void dispatcher_events(struct dispatcher *d, uint64_t events, nsec_t now)
{
    d->now = now;
    if (unlikely(d->missing.len))
        blocked_events(d, events, now);
    if (unlikely(d->linked_by_ends.len) && events & EVENT_LINK)
        linked_events(d, now);
    if (!(events & d->lots_mask))
        return;
    uint32_t left = 0;
    for (uint32_t i = 0; i < d->lots.len; i++) {
        struct lot *lot = &d->lots.p[i];
        if (lot->mask & events)
            while (lot->first)
                dispatcher_wake(d, lot->first, now);
        if (lot->n)
            left |= lot->mask;
    }
    d->lots_mask = left;
    sweep(d);
}

nsec_t dispatcher_tick(struct dispatcher *d, nsec_t now)
{
    const struct line_entry *e;
    nsec_t next = INT64_MAX;
    d->now = now;
    while ((e = line_first(&d->backoff, is_current, d))) {
        if (time_of(e) > now) {
            next = time_of(e);
            break;
        }
        unit_id u = e->id;
        line_pop(&d->backoff);
        d->slots[u].ready_ns = now;
        to_ready(d, &d->slots[u], u);
    }
    while ((e = line_first(&d->flush, is_current, d))) {
        if (time_of(e) > now) {
            next = MIN(next, time_of(e));
            break;
        }
        unit_id u = e->id;
        line_pop(&d->flush);
        if (d->slots[u].follows && kin_is_true(d, u)) {
            push_at(&d->flush, &d->slots[u], u, now + d->opts.flush_ns); /* its leader is tried for it */
            continue;
        }
        if (d->slots[u].waits)
            d->blocked[d->slots[u].waits].nowhere = false; /* a try for all, in case */
        dispatcher_wake(d, u, now);
        if (d->slots[u].place == DISPATCH_BACKOFF)
            next = MIN(next, d->slots[u].until);
    }
    return unlikely(d->nelders) ? MIN(next, protect_tick(d, now)) : next;
}

/* --- looking --------------------------------------------------------------------------------------------------------------------------- */
enum dispatch_place dispatcher_where(const struct dispatcher *d, unit_id u)
{
    return u < d->nslots ? d->slots[u].place : DISPATCH_ABSENT;
}

int64_t dispatcher_position(const struct dispatcher *d, unit_id u)
{
    if (dispatcher_where(d, u) != DISPATCH_READY)
        return 0;
    const struct slot *x = &d->slots[u];
    struct line_entry own = {{x->key[0], x->key[1]}, x->seq, u, x->stamp};
    return (int64_t)line_before(&d->ready, &own, is_current, d) + 1;
}

struct dispatcher_counts dispatcher_count(const struct dispatcher *d)
{
    return (struct dispatcher_counts){d->count[DISPATCH_READY], d->count[DISPATCH_FLYING], d->count[DISPATCH_BACKOFF], d->count[DISPATCH_PARKED],
                                      d->count[DISPATCH_HELD]};
}

uint32_t dispatcher_attempts(const struct dispatcher *d, unit_id u)
{
    return u < d->nslots ? d->slots[u].attempts : 0;
}

unit_id dispatcher_hint(const struct dispatcher *d, uint32_t k)
{
    return line_hint(&d->ready, k);
}

int dispatcher_check(const struct dispatcher *d, struct err *err)
{
    uint32_t count[DISPATCH_HELD + 1] = {0};
    for (unit_id u = 0; u < d->nslots; u++)
        count[d->slots[u].place]++;
    for (int i = 0; i <= DISPATCH_HELD; i++)
        if (count[i] != d->count[i])
            return err_set(err, E_INTERNAL, "%u units are in place %d, %u are counted there", count[i], i, d->count[i]);
    const struct {
        const struct line *line;
        enum dispatch_place place;
        const char *name;
        bool used;
    } lines[] = {{&d->ready, DISPATCH_READY, "ready", true},
                 {&d->starving, DISPATCH_READY, "starving", d->opts.starvation_ns != 0},
                 {&d->backoff, DISPATCH_BACKOFF, "backoff", true},
                 {&d->flush, DISPATCH_PARKED, "flush", d->opts.flush_ns != 0}};
    const struct line_entry end = {{UINT64_MAX, UINT64_MAX}, UINT64_MAX, 0, 0};
    for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
        size_t n = line_before(lines[i].line, &end, is_current, d);
        if (lines[i].used && n != count[lines[i].place])
            return err_set(err, E_INTERNAL, "the %s line holds %zu units of %u", lines[i].name, n, count[lines[i].place]);
    }
    uint32_t parked = 0;
    int r = blocked_check(d, &parked, err);
    if (r == 0)
        r = linked_check(d, &parked, err);
    if (r == 0)
        r = protect_check(d, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < d->lots.len; i++) {
        uint32_t n = 0;
        for (unit_id u = d->lots.p[i].first; u; u = d->slots[u].next, n++)
            if (d->slots[u].place != DISPATCH_PARKED || d->slots[u].lot != i || d->slots[u].waits)
                return err_set(err, E_INTERNAL, "unit %u is in lot %zu by mistake", u, i);
        if (n != d->lots.p[i].n)
            return err_set(err, E_INTERNAL, "lot %zu holds %u units and counts %u", i, n, d->lots.p[i].n);
        if (n && (d->lots.p[i].mask & ~d->lots_mask))
            return err_set(err, E_INTERNAL, "lot %zu waits for events that nobody looks for", i);
        parked += n;
    }
    for (class_id c = 0; c < d->nkin; c++)
        parked += d->kin[c].n;
    if (parked != count[DISPATCH_PARKED])
        return err_set(err, E_INTERNAL, "%u units are in lots or follow, %u are parked", parked, count[DISPATCH_PARKED]);
    return kin_check(d, err);
}
