/* blocked.c - parked tasks of several domains: each waits for the pod that fits nowhere, and is left alone until it does.
 *
 * When bandwidth is scarce thousands of tasks wait, and each end of a task frees a little in two or three domains.  To try them all would cost more than there is time for, and to hold them back
 * for a while (as other gangs are) leaves room empty.  What the engine found out is kept by class of pod, and alice's pods of 500 Mbit/s are of one class:
 *     alice, 500M: fits nowhere    t7 t9 t12 ... wait for it
 *     bob, 1G:     fits nowhere    t3 t8 ...
 * A pod ends on a node: for each of these classes that node is looked at.  alice's fits there now: t7 t9 t12 are ready, in their order.  t7 is tried and placed.  t9 is tried, and finds nothing for
 * alice: the class is missing again, and t12 waits for it, untried.  t9 might also have lacked something at bob's: then it waits for that.
 * Exact: a group that needs all its pods cannot be placed while one of their classes fits nowhere, and by that alone it is passed over.  Classes that other nodes, claims or a name concern are not
 * kept here (unit_group.c). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"

#include "sched/engine/keep.h"
#include "sched/engine/links.h"
#include "sched/engine/place.h"

/* So many changed nodes are looked at one by one; when there are more, the cluster as a whole. */
#define NODES_MAX 256u
/* Seen on the nodes that changed. */
#define ON_NODES (EVENT_POD_FREED | EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_NODE_LABEL | EVENT_NODE_TAINT | EVENT_NODE_DELETE)
/* These help no class of pod; whoever they are about is told of by dispatcher_add. */
#define OF_UNITS (EVENT_GROUP | EVENT_POD_UPDATED | EVENT_POD_ASSIGNED | EVENT_POD_LABEL | EVENT_LINK)

static bool is_true(const struct dispatcher *d, class_id c)
{
    return d->s->classes[c] && d->s->classes[c]->hash == d->blocked[c].hash;
}

void blocked_add(struct dispatcher *d, unit_id u, class_id c, uint32_t mask)
{
    struct slot *x = &d->slots[u];
    if (c >= d->nblocked) {
        uint32_t n = MAX(d->s->capclasses, c + 1);
        d->blocked = xrealloc(d->blocked, n * sizeof *d->blocked);
        memset(d->blocked + d->nblocked, 0, (n - d->nblocked) * sizeof *d->blocked);
        d->nblocked = n;
    }
    struct blocked *b = &d->blocked[c];
    if (!d->missing.len)
        d->looked_seq = d->s->view.seq;
    if (!b->n) {
        vec_push(&d->missing, c);
        b->mask = 0;
    }
    b->hash = d->s->classes[c]->hash;
    b->nowhere = true;
    b->mask |= mask;
    x->waits = c;
    x->prev = UNIT_NONE;
    x->next = b->first;
    if (b->first)
        d->slots[b->first].prev = u;
    b->first = u;
    b->n++;
}

void blocked_remove(struct dispatcher *d, unit_id u)
{
    struct slot *x = &d->slots[u];
    struct blocked *b = &d->blocked[x->waits];
    *(x->prev ? &d->slots[x->prev].next : &b->first) = x->next;
    if (x->next)
        d->slots[x->next].prev = x->prev;
    if (--b->n == 0)
        for (size_t i = 0; i < d->missing.len; i++)
            if (d->missing.p[i] == x->waits) {
                d->missing.p[i] = d->missing.p[--d->missing.len];
                break;
            }
    x->waits = 0;
}

class_id blocked_by(const struct dispatcher *d, unit_id u)
{
    const struct sched *s = d->s;
    const struct unit *unit = &s->units[u];
    if (!unit_crosses(unit) || unit->min_member < (int64_t)unit->pods.len || keep_of(s, u)) /* what is kept for it fits nobody else */
        return 0;
    for (size_t i = 0; i < unit->pods.len; i++) {
        const struct pod *p = &s->pods[unit->pods.p[i]];
        class_id c = p->class_;
        if (p->state == PS_PENDING && c < d->nblocked && d->blocked[c].n && d->blocked[c].nowhere && is_true(d, c))
            return c;
    }
    return 0;
}

/* The nodes that changed since they were last looked at, without those that come twice in a row; false: too many. */
static bool changed(struct dispatcher *d, node_id nodes[NODES_MAX], size_t *ret)
{
    const struct view *v = &d->s->view;
    uint64_t from = d->looked_seq;
    *ret = 0;
    d->looked_seq = v->seq;
    if (v->seq - from > NODES_MAX)
        return false;
    for (uint64_t i = from; i < v->seq; i++) {
        node_id n = v->journal[i % JOURNAL_SIZE].node;
        if (node_is_alive(d->s, n) && (*ret == 0 || nodes[*ret - 1] != n))
            nodes[(*ret)++] = n;
    }
    return true;
}

static bool fits_now(struct dispatcher *d, class_id c, bool few, const node_id *nodes, size_t n)
{
    struct place_result r;
    if (unlikely(d->protected.len) && keep_has_room(d->s, c, few ? nodes : NULL, n))
        return true;
    if (!few)
        return place_find(d->s, c, &(struct place_opts){0}, &r);
    for (size_t i = 0; i < n; i++)
        if (place_fits(d->s, c, nodes[i]))
            return true;
    return false;
}

/* Who lacks something else, too, waits for that from now on. */
static void wake_all(struct dispatcher *d, class_id c, nsec_t now)
{
    for (unit_id u = d->blocked[c].first, next; u; u = next) {
        class_id other = blocked_by(d, u);
        next = d->slots[u].next;
        if (other) {
            blocked_remove(d, u);
            blocked_add(d, u, other, d->blocked[c].mask);
        } else {
            dispatcher_wake(d, u, now);
        }
    }
}

void blocked_events(struct dispatcher *d, uint64_t events, nsec_t now)
{
    node_id nodes[NODES_MAX];
    size_t n;
    events &= ~(uint64_t)OF_UNITS;
    if (!events)
        return;
    bool few = changed(d, nodes, &n);
    for (size_t i = 0; i < d->missing.len; i++) {
        class_id c = d->missing.p[i];
        struct blocked *b = &d->blocked[c];
        b->nowhere = b->nowhere && !(events & b->mask & ~(uint64_t)ON_NODES) && is_true(d, c) && !fits_now(d, c, few, nodes, n);
    }
    for (size_t i = d->missing.len; i-- > 0;) /* from behind: the last comes to the place of one that goes, and was looked at */
        if (!d->blocked[d->missing.p[i]].nowhere)
            wake_all(d, d->missing.p[i], now);
}

int blocked_check(const struct dispatcher *d, uint32_t *ret_units, struct err *err)
{
    *ret_units = 0;
    for (size_t i = 0; i < d->missing.len; i++) {
        class_id c = d->missing.p[i];
        uint32_t n = 0;
        for (unit_id u = d->blocked[c].first, before = UNIT_NONE; u; before = u, u = d->slots[u].next, n++)
            if (d->slots[u].place != DISPATCH_PARKED || d->slots[u].waits != c || d->slots[u].prev != before)
                return err_set(err, E_INTERNAL, "unit %u waits for class %u by mistake", u, c);
        if (n != d->blocked[c].n || !n)
            return err_set(err, E_INTERNAL, "%u units wait for class %u, %u are counted", n, c, d->blocked[c].n);
        *ret_units += n;
    }
    return 0;
}
