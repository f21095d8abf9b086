/* volume_restrictions.c - volumes that exclude each other: a ReadWriteOncePod claim in use by any pod, and inline disks on one node.
 *
 * GCE disks, iSCSI targets and RBD images are shared by readers only, an EBS volume by nobody. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"
#include "sched/plugins/plugins.h"

enum { DISK, ONCE_POD, NO_CLAIM };
static const char *const reasons[] = {
    [DISK] = "node(s) had no available disk",
    [ONCE_POD] = "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod",
    [NO_CLAIM] = "persistentvolumeclaim \"%s\" not found",
};

static bool uses(const struct sched *s, const struct pod_class *c, const void *args)
{
    (void)s;
    (void)args;
    for (uint32_t i = 0; i < c->nvolumes; i++)
        if (c->volumes[i].claim || c->volumes[i].disk)
            return true;
    return false;
}

static void filter(const struct view *v, const struct pod_class *c, const void *args, uint64_t *fits)
{
    (void)args;
    if (storage_missing_claim(v->s, c) || storage_exclusive_claim(v->s, c))
        memset(fits, 0, v->words * sizeof *fits);
    else
        storage_disk_filter(v->s, c, fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    return !storage_missing_claim(v->s, c) && !storage_exclusive_claim(v->s, c) && storage_disk_fits(v->s, c, n, NULL);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    struct plug_reason r = {.resource = RES_MAX};
    size_t k = 0;
    sym_t missing = storage_missing_claim(v->s, c);
    if (max && missing) { /* its access modes are not known */
        ret[0] = (struct plug_reason){.code = NO_CLAIM, .unresolvable = true, .resource = RES_MAX, .what = {missing}};
        return 1;
    }
    if (k < max && !storage_disk_fits(v->s, c, n, &r.what[0])) {
        r.code = DISK;
        ret[k++] = r;
    }
    r.what[0] = storage_exclusive_claim(v->s, c);
    if (k < max && r.what[0]) {
        r.code = ONCE_POD;
        ret[k++] = r;
    }
    return k;
}

const struct sched_plugin plugin_volume_restrictions = {
    .name = "VolumeRestrictions",
    .filter_scope = PLUG_CROSS,
    .helped_by = EVENT_VOLUME | EVENT_NODE_ADD | EVENT_POD_FREED,
    .reasons = reasons,
    .uses_filter = uses,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
