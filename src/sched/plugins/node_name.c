/* node_name.c - NodeName: a pod that names its node goes there.  Such a pod is never placed: the engine takes it as bound to that node (or, as long as
 * the node is unknown, as elsewhere), so there is nothing to filter for pods that are asked about.  The plugin stands here so that profiles which name
 * it mean something. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/plugins/plugins.h"

static const char *const reasons[] = {"node(s) didn't match the requested node name"};

static bool uses_filter(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)c;
    (void)args;
    return false;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)v;
    (void)c;
    (void)args;
    (void)fits;
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)v;
    (void)c;
    (void)args;
    (void)n;
    return true;
}

const struct sched_plugin plugin_node_name = {
    .name = "NodeName",
    .filter_scope = PLUG_STATIC,
    .helped_by = EVENT_NODE_ADD,
    .reasons = reasons,
    .uses_filter = uses_filter,
    .filter = filter,
    .fits_one = fits_one,
};
