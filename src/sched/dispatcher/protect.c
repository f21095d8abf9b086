/* protect.c - tasks of several domains that have waited too long: for which of them room is kept (engine/keep.h), and until when.
 *
 *   rejected ─► patient ─(keepRoomAfterSeconds of its profile)─► due ─(somebody who came later was placed, and there is a place among the protected)─► kept ─► placed, deleted
 *                  ▲                                                                                                                                    │ in vain
 *                  └──────────────────────────────────── longer each time ──────────────────────────────────────────────────────────────────────────────┘
 * Whoever is due stands by age: while nobody younger has been placed nobody is passed over, as when ten thousand tasks come at once, and nothing is kept.
 * Limits: DISPATCH_PROTECTED at a time, as what is kept for them is idle meanwhile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"

#include "sched/engine/keep.h"
#include "sched/engine/unit.h"

#define FAILS_MAX 5u /* waits are doubled so many times */
#define LOST_NS NSEC_PER_SEC
#define VAIN_TIMES 5 /* its patience: when nothing has left for so long, what is kept is in vain */

static bool is_current(const void *arg, const struct line_entry *e)
{
    const struct dispatcher *d = arg;
    return d->elders[e->id].stamp == e->stamp;
}

static nsec_t patience_of(const struct dispatcher *d, unit_id u)
{
    return d->s->table->profiles[unit_profile(d->s, u)]->keep_after_ns;
}

static struct elder *elder_of(struct dispatcher *d, unit_id u)
{
    if (u >= d->nelders) {
        uint32_t n = d->nslots;
        d->elders = xrealloc(d->elders, n * sizeof *d->elders);
        memset(d->elders + d->nelders, 0, (n - d->nelders) * sizeof *d->elders);
        d->nelders = n;
    }
    return &d->elders[u];
}

static void move(struct dispatcher *d, unit_id u, enum elder_place to, nsec_t at)
{
    struct elder *e = &d->elders[u];
    struct line *line = to == ELDER_PATIENT ? &d->patient : to == ELDER_DUE ? &d->due : NULL;
    if (e->place == ELDER_KEPT)
        for (size_t i = 0; i < d->protected.len; i++)
            if (d->protected.p[i] == u) {
                vec_remove(&d->protected, i);
                break;
            }
    d->elders_at[e->place]--;
    d->elders_at[to]++;
    e->place = (uint8_t)to;
    e->stamp++;
    if (line) {
        line_push(line, &(struct line_entry){{0, dispatch_key(at)}, d->slots[u].seq, u, e->stamp});
        line_sweep(line, d->elders_at[to], is_current, d);
    } else if (to == ELDER_KEPT) {
        vec_push(&d->protected, u);
    }
}

void protect_rejected(struct dispatcher *d, unit_id u, nsec_t now)
{
    nsec_t patience = patience_of(d, u);
    if (patience <= 0)
        return;
    struct elder *e = elder_of(d, u);
    if (!e->since)
        e->since = now;
    if (e->place == ELDER_NOT)
        move(d, u, ELDER_PATIENT, e->since + patience);
}

void protect_leave(struct dispatcher *d, unit_id u, bool over)
{
    if (u >= d->nelders)
        return;
    if (d->elders[u].place == ELDER_KEPT)
        keep_drop(d->s, u);
    if (d->elders[u].place != ELDER_NOT)
        move(d, u, ELDER_NOT, 0);
    if (over)
        d->elders[u].since = d->elders[u].fails = 0;
}

void protect_yield(struct dispatcher *d, unit_id u)
{
    if (u >= d->nelders || d->elders[u].place == ELDER_NOT)
        return;
    keep_forget(d->s, u);
    move(d, u, ELDER_NOT, 0);
}

static void wait_longer(struct dispatcher *d, unit_id u, nsec_t now)
{
    struct elder *e = &d->elders[u];
    move(d, u, ELDER_PATIENT, now + (patience_of(d, u) << e->fails));
    e->fails += e->fails < FAILS_MAX;
}

static nsec_t look_at_kept(struct dispatcher *d, nsec_t now)
{
    nsec_t next = INT64_MAX, at;
    for (size_t i = d->protected.len; i-- > 0;) {
        unit_id u = d->protected.p[i];
        enum keep_state state = keep_look(d->s, u, now, &at);
        if (state == KEEP_GOOD) {
            next = MIN(next, at);
            continue;
        }
        keep_drop(d->s, u);
        if (state == KEEP_LOST)
            move(d, u, ELDER_PATIENT, now + LOST_NS);
        else
            wait_longer(d, u, now);
    }
    return next;
}

static bool is_passed_over(const struct dispatcher *d, unit_id u)
{
    return d->youngest_ns > d->s->units[u].created_ns + DISPATCH_SAME_AGE_NS;
}

nsec_t protect_tick(struct dispatcher *d, nsec_t now)
{
    const struct line_entry *e;
    nsec_t next = d->protected.len ? look_at_kept(d, now) : INT64_MAX;
    while ((e = line_first(&d->patient, is_current, d))) {
        nsec_t at = (nsec_t)(e->key[1] ^ 1ull << 63);
        if (at > now) {
            next = MIN(next, at);
            break;
        }
        move(d, e->id, ELDER_DUE, d->s->units[e->id].created_ns);
    }
    for (uint32_t plans = 0; d->protected.len < DISPATCH_PROTECTED && (e = line_first(&d->due, is_current, d)) && is_passed_over(d, e->id); plans++) {
        unit_id u = e->id;
        if (plans == DISPATCH_PROTECTED)
            return MIN(next, now + LOST_NS); /* so many plans at a time */
        nsec_t every = VAIN_TIMES * patience_of(d, u) << d->elders[u].fails;
        if (keep_make(d->s, u, d->elders[u].since, every, now)) {
            move(d, u, ELDER_KEPT, 0);
            next = MIN(next, now + every);
        } else {
            wait_longer(d, u, now);
        }
    }
    return next;
}

int protect_check(const struct dispatcher *d, struct err *err)
{
    if (d->protected.len > DISPATCH_PROTECTED || d->protected.len != d->s->keeps->list.len)
        return err_set(err, E_INTERNAL, "room is kept for %zu tasks, %zu are protected", d->s->keeps->list.len, d->protected.len);
    for (size_t i = 0; i < d->protected.len; i++)
        if (!keep_of(d->s, d->protected.p[i]) || d->elders[d->protected.p[i]].place != ELDER_KEPT)
            return err_set(err, E_INTERNAL, "unit %u is protected, and nothing is kept for it", d->protected.p[i]);
    return 0;
}

void protect_fini(struct dispatcher *d)
{
    free(d->elders);
    line_fini(&d->patient);
    line_fini(&d->due);
    vec_fini(&d->protected);
}
