/* node_volume_limits.c - how many volumes of a driver a node can attach.
 *
 * A volume that is on the node already costs nothing; a claim without a volume yet counts under its class's driver. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"
#include "sched/plugins/plugins.h"

enum { FULL, NO_CLAIM };
static const char *const reasons[] = {
    [FULL] = "node(s) exceed max volume count",
    [NO_CLAIM] = "persistentvolumeclaim \"%s\" not found",
};

static bool uses(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    for (uint32_t i = 0; i < c->nvolumes; i++)
        if (c->volumes[i].claim || c->volumes[i].driver)
            return true;
    return false;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    if (storage_missing_claim(v->s, c))
        memset(fits, 0, v->words * sizeof *fits);
    else
        storage_limit_filter(v->s, c, fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return !storage_missing_claim(v->s, c) && storage_limit_fits(v->s, c, n, NULL, NULL, NULL);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    struct plug_reason r = {.code = FULL, .resource = RES_MAX};
    sym_t missing = storage_missing_claim(v->s, c);
    if (missing)
        r = (struct plug_reason){.code = NO_CLAIM, .unresolvable = true, .resource = RES_MAX, .what = {missing}};
    if (max == 0 || (!missing && storage_limit_fits(v->s, c, n, &r.what[0], &r.need, &r.have)))
        return 0;
    ret[0] = r;
    return 1;
}

/* Cross-node only in the sense that events of claims and volumes change the answer, too. */
const struct sched_plugin plugin_node_volume_limits = {
    .name = "NodeVolumeLimits",
    .filter_scope = PLUG_CROSS,
    .helped_by = EVENT_VOLUME | EVENT_NODE_ADD | EVENT_NODE_ALLOCATABLE | EVENT_POD_FREED,
    .reasons = reasons,
    .uses_filter = uses,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
