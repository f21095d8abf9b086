/* registry.c - every plugin, in the order filters run in the default profile. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

const struct sched_plugin *const sched_plugins[] = {
    &plugin_scheduling_gates,
    &plugin_node_name,
    &plugin_node_unschedulable,
    &plugin_node_pool,
    &plugin_taint_toleration,
    &plugin_node_affinity,
    &plugin_node_ports,
    &plugin_node_resources_fit,
    &plugin_volume_restrictions,
    &plugin_node_volume_limits,
    &plugin_volume_binding,
    &plugin_volume_zone,
    &plugin_pod_topology_spread,
    &plugin_inter_pod_affinity,
    &plugin_node_bandwidth,
    &plugin_gpu_sharing,
    &plugin_numa_alignment,
    &plugin_balanced_allocation,
    &plugin_image_locality,
    &plugin_gpu_packing,
    &plugin_node_placement,
    &plugin_coscheduling,
    &plugin_job_affinity,
    &plugin_daemon_set,
    &plugin_default_preemption,
    NULL,
};

const struct sched_plugin *plugin_find(str name)
{
    for (size_t i = 0; sched_plugins[i]; i++)
        if (str_is(name, sched_plugins[i]->name))
            return sched_plugins[i];
    return NULL;
}
