/* job_affinity.c - JobLevelAffinity: where a group as a whole may run.
 *
 * Locating: nodes with the labels of the group's node selector; and, once members run, the domains of the required keys they run in.
 * Grouping: the domains of all required keys together, each able to hold the group; inside them those of the preferred keys, the narrowest first:
 *     required zone, preferred row, rack:   (zone, row, rack) ..., (zone, row) ..., (zone) ...
 *     no required key:                      (row, rack) ..., (row) ..., all nodes
 * The order within a line is by the group's sort rules (engine/unit_topology.c). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/unit.h"
#include "sched/plugins/plugins.h"

static bool has_labels(const struct sched *s, node_id n, const struct label *want, uint32_t nwant)
{
    for (uint32_t i = 0; i < nwant; i++) {
        bool has;
        sym_t value = labelset_get(s->nodes[n].labels, want[i].key, &has);
        if (!has || value != want[i].value)
            return false;
    }
    return true;
}

static void locate(const struct sched *s, unit_id u, const void *args, uint64_t *nodes)
{
    (void)args;
    const struct unit *unit = &s->units[u];
    if (!unit->is_group)
        return;
    if (unit->nnode_selector)
        for (node_id n = 0; n < s->view.words * 64; n++)
            if (bit_get(nodes, n) && !has_labels(s, n, unit->node_selector, unit->nnode_selector))
                bit_clear(nodes, n);
    if (unit->nrequired_keys)
        unit_keep_running_domains(s, u, SUBGROUP_NONE, unit->required_keys, unit->nrequired_keys, nodes);
}

static bool runs(const struct sched *s, const struct unit *unit)
{
    for (size_t i = 0; i < unit->pods.len; i++)
        if (s->pods[unit->pods.p[i]].state == PS_ASSUMED || s->pods[unit->pods.p[i]].state == PS_BOUND)
            return true;
    return false;
}

static uint64_t *copy_of(const struct sched *s, const uint64_t *nodes)
{
    uint64_t *copy = xmalloc(s->view.words * sizeof *copy);
    memcpy(copy, nodes, s->view.words * sizeof *copy);
    return copy;
}

static bool group(const struct sched *s, unit_id u, const void *args, const uint64_t *nodes, struct node_sets *ret)
{
    (void)args;
    const struct unit *unit = &s->units[u];
    uint32_t nrequired = unit->nrequired_keys, nkeys = nrequired + unit->npreferred_keys;
    if (!unit->is_group || nkeys == 0)
        return false;
    sym_t *keys = xarray(nkeys, sym_t);
    for (uint32_t i = 0; i < nkeys; i++)
        keys[i] = i < nrequired ? unit->required_keys[i] : unit->preferred_keys[i - nrequired];
    if (unit->npreferred_keys && runs(s, unit)) { /* who is added goes to the others, if there is room */
        uint64_t *near = copy_of(s, nodes);
        unit_keep_running_domains(s, u, SUBGROUP_NONE, keys, nkeys, near);
        vec_push(&ret->sets, near);
    }
    for (uint32_t n = nkeys; n > 0 && n >= nrequired; n--)
        unit_domains(s, u, keys, n, nodes, ret);
    if (nrequired == 0)
        vec_push(&ret->sets, copy_of(s, nodes));
    free(keys);
    return true;
}

const struct sched_plugin plugin_job_affinity = {
    .name = "JobLevelAffinity",
    .helped_by = EVENT_NODE_ADD | EVENT_NODE_LABEL | EVENT_POD_FREED | EVENT_GROUP,
    .locate = locate,
    .group = group,
};
