/* node_ports.c - NodePorts: no two pods of a node hold the same host port (address, protocol, number). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/ports.h"
#include "sched/plugins/plugins.h"

static const char *const reasons[] = {"node(s) didn't have free ports for the requested pod ports"};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    return c->nports > 0;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return !ports_conflict(v, c, n, NULL);
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    bits_foreach(n, fits, v->words)
        if (!fits_one(v, c, args, n))
            bit_clear(fits, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    const struct pod_port *which;
    if (max == 0 || !ports_conflict(v, c, n, &which))
        return 0;
    ret[0] = (struct plug_reason){.resource = RES_MAX, .need = which->port, .what = {which->ip}};
    return 1;
}

const struct sched_plugin plugin_node_ports = {
    .name = "NodePorts",
    .filter_scope = PLUG_LOCAL,
    .helped_by = EVENT_NODE_ADD | EVENT_POD_FREED,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
