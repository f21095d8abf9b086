/* linked.c - parked tasks for which a link between domains is too full: each waits for that link alone.
 *
 *     alice->bob: t7 t9 t12 ...        bob->carol: t3
 * A task ends that had taken of alice->bob: t7, t9 and t12 are looked at, t3 is not, and nobody is who waits for nodes; nor is anybody here when a pod leaves that took of no link.  Those whose links have
 * all that they take are ready, in their order.  t7 is placed; when it is t9's turn and there is too little left, it waits again, untried.
 * Exact: a task that needs all its pods cannot be placed while a link lacks what all of them take (links_lack_whole), and by that alone it is passed over. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/dispatcher/dispatcher_state.h"

#include "sched/engine/links.h"
#include "sched/engine/unit.h"

static str key_of(const sym_t ends[2])
{
    return str_n((const char *)ends, 2 * sizeof *ends);
}

/* The list of a link; its key lies in a heap copy of its own, as the vector moves. */
static uint32_t list_for(struct dispatcher *d, const sym_t ends[2])
{
    uint32_t known = (uint32_t)(uintptr_t)map_get(&d->linked_by_ends, key_of(ends)), at;
    if (known)
        return known - 1;
    if (d->free_linked.len) {
        at = vec_pop(&d->free_linked);
    } else {
        vec_push(&d->linked, (struct linked){0});
        at = (uint32_t)d->linked.len - 1;
    }
    d->linked.p[at] = (struct linked){.ends = {ends[0], ends[1]}};
    map_put(&d->linked_by_ends, str_n(memcpy(xmalloc(2 * sizeof *ends), ends, 2 * sizeof *ends), 2 * sizeof *ends), (void *)(uintptr_t)(at + 1));
    return at;
}

static void list_drop(struct dispatcher *d, uint32_t at)
{
    struct map_entry *e = map_find(&d->linked_by_ends, key_of(d->linked.p[at].ends));
    char *key = (char *)e->key.p;
    map_del(&d->linked_by_ends, key_of(d->linked.p[at].ends));
    free(key);
    vec_push(&d->free_linked, at);
}

void linked_add(struct dispatcher *d, unit_id u, const sym_t ends[2])
{
    struct slot *x = &d->slots[u];
    if (d->linked_by_ends.len == 0)
        d->looked_links = links_freed_count(d->s);
    uint32_t at = list_for(d, ends);
    struct linked *l = &d->linked.p[at];
    x->linked = true;
    x->lot = at;
    x->prev = UNIT_NONE;
    x->next = l->first;
    if (l->first)
        d->slots[l->first].prev = u;
    l->first = u;
    l->n++;
}

void linked_remove(struct dispatcher *d, unit_id u)
{
    struct slot *x = &d->slots[u];
    uint32_t at = x->lot;
    struct linked *l = &d->linked.p[at];
    *(x->prev ? &d->slots[x->prev].next : &l->first) = x->next;
    if (x->next)
        d->slots[x->next].prev = x->prev;
    x->linked = false;
    if (--l->n == 0)
        list_drop(d, at);
}

bool linked_lacks(const struct dispatcher *d, unit_id u, sym_t ret[2])
{
    const struct unit *unit = &d->s->units[u];
    return unit_crosses(unit) && unit->min_member >= (int64_t)unit->pods.len && unit_heeds_links(d->s, u) && links_lack_whole(d->s, u, ret);
}

/* Who lacks another link, too, waits for that from now on. */
static void look_at(struct dispatcher *d, uint32_t at, nsec_t now)
{
    for (unit_id u = d->linked.p[at].first, next; u; u = next) {
        sym_t ends[2];
        next = d->slots[u].next;
        if (!linked_lacks(d, u, ends)) {
            dispatcher_wake(d, u, now);
        } else if (ends[0] != d->linked.p[at].ends[0] || ends[1] != d->linked.p[at].ends[1]) {
            linked_remove(d, u);
            linked_add(d, u, ends);
        }
    }
}

void linked_events(struct dispatcher *d, nsec_t now)
{
    uint64_t i = d->looked_links, end = links_freed_count(d->s);
    d->looked_links = end;
    if (end - i > LINKS_JOURNAL) {
        for (uint32_t at = 0; at < d->linked.len; at++)
            if (d->linked.p[at].n)
                look_at(d, at, now);
        return;
    }
    for (; i < end; i++) {
        sym_t ends[2];
        links_freed_at(d->s, i, ends);
        uint32_t known = (uint32_t)(uintptr_t)map_get(&d->linked_by_ends, key_of(ends));
        if (known)
            look_at(d, known - 1, now);
    }
}

int linked_check(const struct dispatcher *d, uint32_t *ret_units, struct err *err)
{
    for (uint32_t at = 0; at < d->linked.len; at++) {
        uint32_t n = 0;
        for (unit_id u = d->linked.p[at].n ? d->linked.p[at].first : UNIT_NONE, before = UNIT_NONE; u; before = u, u = d->slots[u].next, n++)
            if (d->slots[u].place != DISPATCH_PARKED || !d->slots[u].linked || d->slots[u].lot != at || d->slots[u].prev != before)
                return err_set(err, E_INTERNAL, "unit %u waits for link %u by mistake", u, at);
        if (n != d->linked.p[at].n)
            return err_set(err, E_INTERNAL, "%u units wait for link %u, %u are counted", n, at, d->linked.p[at].n);
        *ret_units += n;
    }
    return 0;
}

void linked_fini(struct dispatcher *d)
{
    map_foreach(e, &d->linked_by_ends)
        free((char *)e->key.p);
    map_fini(&d->linked_by_ends);
    vec_fini(&d->linked);
    vec_fini(&d->free_linked);
}
