/* volume_zone.c - zone and region labels of a bound volume must hold for the node, too.
 *
 * A node without any zone or region label passes: clusters of one zone need not label.  A list in a label is written "a__b". */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"
#include "sched/plugins/plugins.h"

enum { ZONE, UNKNOWN };
static const char *const reasons[] = {
    [ZONE] = "node(s) had no available volume zone",
    [UNKNOWN] = "persistentvolumeclaim \"%s\" or its volume not found",
};

static bool uses(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    for (uint32_t i = 0; i < c->nvolumes; i++)
        if (c->volumes[i].claim)
            return true;
    return false;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    storage_zone_filter(v->s, c, fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return storage_zone_fits(v->s, c, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    if (max == 0 || storage_zone_fits(v->s, c, n))
        return 0;
    sym_t unknown = storage_zone_unknown(v->s, c);
    ret[0] = (struct plug_reason){.code = unknown ? UNKNOWN : ZONE, .unresolvable = true, .resource = RES_MAX, .what = {unknown}};
    return 1;
}

/* Cross-node only in the sense that events of claims and volumes change the answer, too. */
const struct sched_plugin plugin_volume_zone = {
    .name = "VolumeZone",
    .filter_scope = PLUG_CROSS,
    .helped_by = EVENT_VOLUME | EVENT_NODE_ADD | EVENT_NODE_LABEL,
    .reasons = reasons,
    .uses_filter = uses,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
