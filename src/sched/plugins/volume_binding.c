/* volume_binding.c - nodes where the pod's claims can be had: within reach of bound volumes, with free volumes or a class that makes them for
 * claims that wait for their first consumer.
 *
 * The rules and the reservations are in engine/storage.h.  Cross-node, because taking a volume here takes it from all other nodes; the verdict on all
 * nodes is a few ANDs of bitmaps or domain columns all the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/storage.h"
#include "sched/plugins/plugins.h"

enum { NODE_CONFLICT, BIND_CONFLICT, NO_VOLUME, IMMEDIATE, NO_CLAIM, LOST, DELETING };
static const char *const reasons[] = {
    [NODE_CONFLICT] = "node(s) didn't match PersistentVolume's node affinity",
    [BIND_CONFLICT] = "node(s) didn't find available persistent volumes to bind",
    [NO_VOLUME] = "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)",
    [IMMEDIATE] = "pod has unbound immediate PersistentVolumeClaims",
    [NO_CLAIM] = "persistentvolumeclaim \"%s\" not found",
    [LOST] = "persistentvolumeclaim \"%s\" bound to non-existent persistentvolume \"%s\"",
    [DELETING] = "persistentvolumeclaim \"%s\" is being deleted",
};
static const uint16_t reason_of[] = {
    [STORAGE_NO_CLAIM] = NO_CLAIM, [STORAGE_LOST] = LOST, [STORAGE_DELETING] = DELETING, [STORAGE_IMMEDIATE] = IMMEDIATE, [STORAGE_NO_VOLUME] = NO_VOLUME,
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
    storage_bind_filter(v->s, c, fits);
}

static bool fits_one(const struct view *v, const struct pod_class *c, const void *args, node_id n)
{
    (void)args;
    sym_t what[2];
    return storage_ready(v->s, c, what) == STORAGE_OK && storage_affinity_fits(v->s, c, n) && storage_match_fits(v->s, c, n);
}

static size_t explain(const struct view *v, const struct pod_class *c, const void *args, node_id n, struct plug_reason *ret, size_t max)
{
    (void)args;
    struct plug_reason r = {.unresolvable = true, .resource = RES_MAX};
    enum storage_state state = storage_ready(v->s, c, r.what);
    size_t k = 0;
    if (state != STORAGE_OK) {
        r.code = reason_of[state];
        if (r.code == NO_VOLUME || r.code == IMMEDIATE)
            r.what[0] = r.what[1] = 0; /* their sentences name nothing: the rows of all such pods are one */
        if (k < max)
            ret[k++] = r;
        return k;
    }
    if (k < max && !storage_affinity_fits(v->s, c, n)) {
        r.code = NODE_CONFLICT;
        ret[k++] = r;
    }
    if (k < max && !storage_match_fits(v->s, c, n)) {
        r.code = BIND_CONFLICT;
        ret[k++] = r;
    }
    return k;
}

const struct sched_plugin plugin_volume_binding = {
    .name = "VolumeBinding",
    .filter_scope = PLUG_CROSS,
    .helped_by = EVENT_VOLUME | EVENT_NODE_ADD | EVENT_NODE_LABEL | EVENT_POD_FREED,
    .reasons = reasons,
    .uses_filter = uses,
    .filter = filter,
    .fits_one = fits_one,
    .explain = explain,
};
