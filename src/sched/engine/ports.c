/* ports.c - see ports.h.  A node has few host ports in use: a plain list, searched from the front. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/ports.h"

/* Address 0 stands for all of the node's. */
bool ports_conflict(const struct view *v, const struct pod_class *c, node_id n, const struct pod_port **ret_which)
{
    const struct node_ports *used = &v->ports[n];
    for (uint32_t i = 0; used->n && i < c->nports; i++)
        for (uint32_t j = 0; j < used->n; j++) {
            const struct port_use *u = &used->p[j];
            const struct pod_port *w = &c->ports[i];
            if (u->port == w->port && u->protocol == w->protocol && (u->ip == w->ip || !u->ip || !w->ip)) {
                if (ret_which)
                    *ret_which = w;
                return true;
            }
        }
    return false;
}

static struct port_use *find(struct node_ports *used, const struct pod_port *w)
{
    for (uint32_t j = 0; j < used->n; j++)
        if (used->p[j].port == w->port && used->p[j].protocol == w->protocol && used->p[j].ip == w->ip)
            return &used->p[j];
    return NULL;
}

void ports_take(struct view *v, const struct pod_class *c, node_id n)
{
    struct node_ports *used = &v->ports[n];
    for (uint32_t i = 0; i < c->nports; i++) {
        struct port_use *u = find(used, &c->ports[i]);
        if (u) {
            u->count++;
            continue;
        }
        if (used->n == used->cap) {
            used->cap = used->cap ? used->cap * 2 : 4;
            used->p = xrealloc(used->p, used->cap * sizeof *used->p);
        }
        used->p[used->n++] = (struct port_use){c->ports[i].ip, c->ports[i].protocol, c->ports[i].port, 1};
    }
}

void ports_give(struct view *v, const struct pod_class *c, node_id n)
{
    struct node_ports *used = &v->ports[n];
    for (uint32_t i = 0; i < c->nports; i++) {
        struct port_use *u = find(used, &c->ports[i]);
        BUG_ON(!u);
        if (--u->count == 0)
            *u = used->p[--used->n];
    }
}
