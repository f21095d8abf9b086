/* kin.c - parked units of one class: one of them is tried for all.
 *
 * In an overloaded cluster thousands of equal pods wait, and every pod that ends may help each of them.  What the engine answers depends on a
 * pod's class alone, so when one of them is rejected all would be.  Of a class's parked units one leads: only it is in a lot and woken by
 * events; the others follow, in order of arrival:
 *     leader a (in the lot)    followers b c d e f g
 *     a pod ends      -> a is tried: rejected        -> a leads on; b..g were not looked at
 *     a pod ends      -> a is tried: placed          -> b is woken, and leads
 *     b is placed     -> c d are woken, d leads      -> d is placed: e f g ...   twice as many each time, so that workers have something to do
 * The last of those woken leads: when it is placed the others before it have been tried.  So an event costs one try of each class it may help
 * and two for each unit it does help; and the order of decisions is as if all had been woken, because whoever is not awake would go after
 * those of its kin that are.
 * The leader's rejection counts for all: a follower that is woken stands in line as if it had been tried, too, when its leader last was.
 * Groups, nominated pods, units that a plugin of its own looks at, and all units under an order that tells equal ones apart, have no kin. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"

#include "sched/engine/unit.h"

#define BURST_MAX 256u

/* The class that a unit shares its rejections with; 0: none. */
static class_id class_for(const struct dispatcher *d, unit_id u)
{
    const struct unit *unit = &d->s->units[u];
    if (!d->opts.order->equals_by_arrival || !unit_is_single(d->s, u) || unit->pods.len != 1)
        return 0;
    const struct pod *p = &d->s->pods[unit->pods.p[0]];
    return p->state == PS_PENDING ? p->class_ : 0;
}

bool kin_is_true(const struct dispatcher *d, unit_id u)
{
    return class_for(d, u) == d->slots[u].kin;
}

static struct kin *kin_of(struct dispatcher *d, class_id c)
{
    if (c >= d->nkin) {
        uint32_t n = MAX(d->s->capclasses, c + 1);
        d->kin = xrealloc(d->kin, n * sizeof *d->kin);
        memset(d->kin + d->nkin, 0, (n - d->nkin) * sizeof *d->kin);
        d->nkin = n;
    }
    return &d->kin[c];
}

/* By arrival.  Newcomers go to the end, units of a burst to the front: both ends are walked at once. */
static void follow(struct dispatcher *d, struct kin *k, unit_id u)
{
    struct slot *x = &d->slots[u];
    unit_id before = k->last, after = k->first;
    while (before && after && d->slots[before].seq > x->seq && d->slots[after].seq < x->seq) {
        before = d->slots[before].prev;
        after = d->slots[after].next;
    }
    if (!before || d->slots[before].seq < x->seq)
        after = before ? d->slots[before].next : k->first;
    else
        before = after ? d->slots[after].prev : k->last;
    x->prev = before;
    x->next = after;
    *(before ? &d->slots[before].next : &k->first) = u;
    *(after ? &d->slots[after].prev : &k->last) = u;
    x->follows = true;
    k->n++;
}

void kin_unfollow(struct dispatcher *d, unit_id u)
{
    struct slot *x = &d->slots[u];
    struct kin *k = &d->kin[x->kin];
    *(x->prev ? &d->slots[x->prev].next : &k->first) = x->next;
    *(x->next ? &d->slots[x->next].prev : &k->last) = x->prev;
    x->follows = false;
    x->kin = 0;
    k->n--;
}

/* A parked leader stands in the lot of what was found out last, and no follower came before it. */
static void lead_again(struct dispatcher *d, class_id c, uint32_t mask)
{
    struct kin *k = &d->kin[c];
    unit_id was = k->leader, u = was;
    if (k->n && d->slots[k->first].seq < d->slots[was].seq)
        u = k->first;
    if (u == was && d->lots.p[d->slots[was].lot].mask == mask)
        return;
    dispatcher_lot_remove(d, was);
    if (u != was) {
        kin_unfollow(d, u);
        follow(d, k, was);
        d->slots[u].kin = c;
        d->slots[u].since = MAX(d->slots[u].since, k->rejected_ns);
        k->leader = u;
    }
    dispatcher_lot_add(d, u, mask);
}

void kin_park(struct dispatcher *d, unit_id u, uint32_t mask, nsec_t now)
{
    struct slot *x = &d->slots[u];
    class_id c = class_for(d, u);
    if (x->kin && x->kin != c)
        kin_resign(d, u, DISPATCH_FLYING, false, now);
    if (!c) {
        dispatcher_lot_add(d, u, mask);
        return;
    }
    struct kin *k = kin_of(d, c);
    x->kin = c;
    if (!k->leader)
        k->leader = u;
    if (k->leader == u) {
        k->burst = 1;
        k->rejected_ns = now;
        dispatcher_lot_add(d, u, mask);
    } else {
        follow(d, k, u);
    }
    if (d->slots[k->leader].place == DISPATCH_PARKED)
        lead_again(d, c, mask);
}

void kin_resign(struct dispatcher *d, unit_id u, enum dispatch_place was, bool placed, nsec_t now)
{
    struct slot *x = &d->slots[u];
    if (!x->kin || x->follows)
        return;
    class_id c = x->kin;
    struct kin *k = &d->kin[c];
    uint32_t mask = was == DISPATCH_PARKED ? d->lots.p[x->lot].mask : 0;
    x->kin = 0;
    k->leader = UNIT_NONE;
    for (uint32_t i = was == DISPATCH_PARKED || !placed ? 1 : k->burst; i > 0 && k->n; i--) {
        unit_id next = k->first;
        d->slots[next].since = MAX(d->slots[next].since, k->rejected_ns);
        if (was == DISPATCH_PARKED) {
            kin_unfollow(d, next);
            dispatcher_lot_add(d, next, mask);
        } else {
            dispatcher_wake(d, next, now); /* which takes it out of the list */
        }
        k->leader = next;
    }
    if (k->leader)
        d->slots[k->leader].kin = c;
    k->burst = placed ? MIN(k->burst * 2, BURST_MAX) : 1;
}

int kin_check(const struct dispatcher *d, struct err *err)
{
    for (class_id c = 0; c < d->nkin; c++) {
        const struct kin *k = &d->kin[c];
        uint32_t n = 0;
        uint64_t seq = 0;
        for (unit_id u = k->first, before = UNIT_NONE; u; before = u, u = d->slots[u].next, n++) {
            const struct slot *x = &d->slots[u];
            if (!x->follows || x->kin != c || x->place != DISPATCH_PARKED || x->prev != before || x->seq <= seq)
                return err_set(err, E_INTERNAL, "unit %u follows class %u by mistake", u, c);
            seq = x->seq;
        }
        if (n != k->n || (n && !k->leader))
            return err_set(err, E_INTERNAL, "class %u has %u followers, counts %u and is led by unit %u", c, n, k->n, k->leader);
        if (k->leader && (d->slots[k->leader].kin != c || d->slots[k->leader].follows || d->slots[k->leader].place == DISPATCH_ABSENT))
            return err_set(err, E_INTERNAL, "unit %u does not know that it leads class %u", k->leader, c);
    }
    return 0;
}
