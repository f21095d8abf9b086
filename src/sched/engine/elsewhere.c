/* elsewhere.c - see elsewhere.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/elsewhere.h"

#include "sched/engine/model.h"

void elsewhere_fini(struct sched *s)
{
    vec_fini(&s->elsewhere.entries);
    vec_fini(&s->elsewhere.free_);
    map_fini(&s->elsewhere.first);
}

void elsewhere_add(struct sched *s, pod_id p, sym_t node, uint8_t state)
{
    struct elsewhere *x = &s->elsewhere;
    str name = symbol_text(&s->sym, node);
    uint32_t next = (uint32_t)(uintptr_t)map_get(&x->first, name), at;
    if (x->free_.len) {
        at = vec_pop(&x->free_);
    } else {
        at = (uint32_t)x->entries.len;
        vec_push(&x->entries, (struct elsewhere_entry){0});
    }
    x->entries.p[at] = (struct elsewhere_entry){.pod = p, .node = node, .state = state, .next = next};
    if (next)
        x->entries.p[next - 1].prev = at + 1;
    map_put(&x->first, name, (void *)(uintptr_t)(at + 1));
    s->pods[p].state = PS_ELSEWHERE;
    s->pods[p].next_on_node = at;
}

void elsewhere_remove(struct sched *s, pod_id p)
{
    struct elsewhere *x = &s->elsewhere;
    uint32_t at = s->pods[p].next_on_node;
    struct elsewhere_entry e = x->entries.p[at];
    BUG_ON(e.pod != p);
    if (e.next)
        x->entries.p[e.next - 1].prev = e.prev;
    if (e.prev)
        x->entries.p[e.prev - 1].next = e.next;
    else if (e.next)
        map_put(&x->first, symbol_text(&s->sym, e.node), (void *)(uintptr_t)e.next);
    else
        map_del(&x->first, symbol_text(&s->sym, e.node));
    x->entries.p[at] = (struct elsewhere_entry){0};
    vec_push(&x->free_, at);
    s->pods[p].next_on_node = POD_NONE;
    s->pods[p].state = PS_PENDING;
}

pod_id elsewhere_take(struct sched *s, sym_t node, uint8_t *ret_state)
{
    uint32_t first = (uint32_t)(uintptr_t)map_get(&s->elsewhere.first, symbol_text(&s->sym, node));
    if (!first)
        return POD_NONE;
    pod_id p = s->elsewhere.entries.p[first - 1].pod;
    *ret_state = s->elsewhere.entries.p[first - 1].state;
    elsewhere_remove(s, p);
    return p;
}

bool elsewhere_waits(const struct sched *s, str node)
{
    return map_has(&s->elsewhere.first, node);
}
