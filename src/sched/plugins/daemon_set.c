/* daemon_set.c - DaemonSet: a pod whose node affinity names one node looks at that node alone, whatever the size of the cluster.
 *
 * The filters agree without it; this is the short way (engine/unit.c asks the filters for that one node). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/engine.h"
#include "sched/plugins/plugins.h"

static void locate(const struct sched *s, unit_id u, const void *args, uint64_t *nodes)
{
    (void)args;
    const struct unit *unit = &s->units[u];
    sym_t pinned = unit->is_group || unit->pods.len == 0 ? 0 : class_of(s, unit->pods.p[0])->pinned_node;
    if (!pinned)
        return;
    node_id n = sched_node_find(s, symbol_text(&s->sym, pinned));
    bool keep = n != NODE_NONE && bit_get(nodes, n);
    memset(nodes, 0, s->view.words * sizeof *nodes);
    if (keep)
        bit_set(nodes, n);
}

const struct sched_plugin plugin_daemon_set = {
    .name = "DaemonSet",
    .helped_by = EVENT_NODE_ADD,
    .locate = locate,
};
