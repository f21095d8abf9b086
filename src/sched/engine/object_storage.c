/* object_storage.c - volumes of pods, PersistentVolumes, claims, storage classes, CSINodes, disruption budgets.
 *
 * Volumes of cloud disks that Kubernetes once knew itself are counted under the CSI driver that has taken them over. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object.h"
#include "sched/engine/object_pod.h"

/* Disks of old: the field of a volume, its identity, the driver of today and the provisioner's old name; `disk`: pods exclude each other over it. */
static const struct old_disk {
    const char *field, *id, *driver, *provisioner, *disk;
} old_disks[] = {
    {"gcePersistentDisk", "pdName", "pd.csi.storage.gke.io", "kubernetes.io/gce-pd", "gce-pd"},
    {"awsElasticBlockStore", "volumeID", "ebs.csi.aws.com", "kubernetes.io/aws-ebs", "aws-ebs"},
    {"azureDisk", "diskURI", "disk.csi.azure.com", "kubernetes.io/azure-disk", NULL},
    {"azureFile", "shareName", "file.csi.azure.com", "kubernetes.io/azure-file", NULL},
    {"cinder", "volumeID", "cinder.csi.openstack.org", "kubernetes.io/cinder", NULL},
    {"vsphereVolume", "volumePath", "csi.vsphere.vmware.com", "kubernetes.io/vsphere-volume", NULL},
    {"portworxVolume", "volumeID", "pxd.portworx.com", "kubernetes.io/portworx-volume", NULL},
    {"iscsi", "iqn", NULL, NULL, "iscsi"},
};

/* --- volumes of a pod -------------------------------------------------------------------------------------------------------------- */
/* An image is the same under each of its monitors: one disk for each of them. */
static size_t read_rbd(struct reader *r, const struct json *v, const struct spot *at, struct spec_volume *p)
{
    size_t n;
    const str *monitors = read_strs(r, v, at, "monitors", &n);
    str pool = read_str(r, v, at, "pool"), image = read_str(r, v, at, "image");
    bool read_only = read_bool(r, v, at, "readOnly", false);
    for (size_t i = 0; i < n; i++)
        p[i] = (struct spec_volume){
            .read_only = read_only,
            .disk = arena_fmt(r->a, "rbd/" STR_FMT "/" STR_FMT "/" STR_FMT, STR_ARG(monitors[i]), STR_ARG(pool.len ? pool : S("rbd")), STR_ARG(image)),
        };
    return n;
}

static bool read_disk(struct reader *r, const struct json *volume, const struct spot *at, const struct old_disk *d, struct spec_volume *p)
{
    const struct json *v = read_object(r, volume, at, d->field);
    if (!v)
        return false;
    str id = read_str(r, v, SPOT(at, d->field), d->id);
    /* "attach": known by name for the node's limit alone, see storage.h */
    *p = (struct spec_volume){.disk = arena_fmt(r->a, "%s/" STR_FMT, d->disk ? d->disk : "attach", STR_ARG(id)), .driver = str_of(d->driver),
                              .read_only = read_bool(r, v, SPOT(at, d->field), "readOnly", false)};
    return true;
}

static size_t read_volume(struct reader *r, const struct json *v, const struct spot *at, const struct object_meta *meta, struct spec_volume *p)
{
    const struct json *claim = read_object(r, v, at, "persistentVolumeClaim"), *rbd = read_object(r, v, at, "rbd");
    *p = (struct spec_volume){0};
    if (claim) {
        p->claim = read_str(r, claim, SPOT(at, "persistentVolumeClaim"), "claimName");
        if (str_empty(p->claim))
            read_bad(r, SPOT(SPOT(at, "persistentVolumeClaim"), "claimName"), "is missing");
        return 1;
    }
    if (read_object(r, v, at, "ephemeral")) {
        p->claim = arena_fmt(r->a, STR_FMT "-" STR_FMT, STR_ARG(meta->name), STR_ARG(read_str(r, v, at, "name")));
        return 1;
    }
    if (rbd)
        return read_rbd(r, rbd, SPOT(at, "rbd"), p);
    for (size_t i = 0; i < ARRAY_LEN(old_disks); i++)
        if (read_disk(r, v, at, &old_disks[i], p))
            return 1;
    return 0;
}

void object_pod_volumes(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT(SPOT(NULL, "spec"), "volumes");
    const struct json *list = read_array(r, spec, SPOT(NULL, "spec"), "volumes");
    size_t most = list_len(list), n = 0;
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *monitors = json_get(json_get(&list->items[i], S("rbd")), S("monitors"));
        most += json_is(monitors, JSON_ARRAY) ? monitors->len : 0;
    }
    struct spec_volume *p = arena_array(r->a, most, struct spec_volume);
    for (size_t i = 0; i < list_len(list); i++)
        n += read_volume(r, read_item(r, list, at, i), SPOT_AT(at, i), meta, p + n);
    ret->volumes = p;
    ret->nvolumes = n;
}

/* --- volumes and claims --------------------------------------------------------------------------------------------------------------------- */
static uint8_t read_modes(struct reader *r, const struct json *spec)
{
    static const char *const names[] = {"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"};
    const struct spot *at = SPOT(SPOT(NULL, "spec"), "accessModes");
    const struct json *list = read_array(r, spec, SPOT(NULL, "spec"), "accessModes");
    uint8_t modes = 0;
    for (size_t i = 0; i < list_len(list); i++) {
        str text = read_item_str(r, list, at, i);
        size_t k = 0;
        while (k < ARRAY_LEN(names) && !str_is(text, names[k]))
            k++;
        if (k == ARRAY_LEN(names))
            read_bad(r, SPOT_AT(at, i), "\"" STR_FMT "\" is not an access mode", STR_ARG(text));
        else
            modes |= (uint8_t)(1u << k);
    }
    return modes;
}

static int64_t read_storage(struct reader *r, const struct json *list, const struct spot *at)
{
    const struct json *v = json_get(list, S("storage"));
    struct quantity q;
    return v && v->type != JSON_NULL && read_quantity(r, v, SPOT(at, "storage"), &q) ? quantity_to_i64(&q) : 0;
}

/* The field, or the annotation it once was, which wins. */
static str read_class(struct reader *r, const struct json *spec, const struct object_meta *meta)
{
    bool has;
    str old = labels_get(meta->annotations, S("volume.beta.kubernetes.io/storage-class"), &has);
    return has ? old : read_str(r, spec, SPOT(NULL, "spec"), "storageClassName");
}

static bool is_block(struct reader *r, const struct json *spec)
{
    static const char *const modes[] = {"Filesystem", "Block"};
    return read_word(r, spec, SPOT(NULL, "spec"), "volumeMode", modes, ARRAY_LEN(modes), 0) == 1;
}

static void read_source(struct reader *r, const struct json *spec, struct pv_spec *ret)
{
    const struct spot *at = SPOT(NULL, "spec");
    const struct json *csi = read_object(r, spec, at, "csi");
    if (csi) {
        ret->driver = read_str(r, csi, SPOT(at, "csi"), "driver");
        ret->handle = read_str(r, csi, SPOT(at, "csi"), "volumeHandle");
        return;
    }
    for (size_t i = 0; i < ARRAY_LEN(old_disks); i++) {
        const struct json *v = old_disks[i].driver ? read_object(r, spec, at, old_disks[i].field) : NULL;
        if (!v)
            continue;
        ret->driver = str_of(old_disks[i].driver);
        ret->handle = read_str(r, v, SPOT(at, old_disks[i].field), old_disks[i].id);
        return;
    }
}

int object_pv(struct arena *a, const struct json *obj, struct pv_spec *ret, struct err *err)
{
    struct reader r = READER(NULL, a, err);
    struct object_meta meta;
    struct pv_spec p = {0};
    const struct spot *at = SPOT(NULL, "spec");
    read_meta(&r, obj, &meta);
    const struct json *spec = read_object(&r, obj, NULL, "spec");
    p.name = meta.name;
    p.labels = meta.labels;
    p.deleting = meta.deleting;
    p.storage_class = read_class(&r, spec, &meta);
    p.bytes = read_storage(&r, read_object(&r, spec, at, "capacity"), SPOT(at, "capacity"));
    p.access_modes = read_modes(&r, spec);
    p.block = is_block(&r, spec);
    const struct json *ref = read_object(&r, spec, at, "claimRef");
    p.claim_ns = read_str(&r, ref, SPOT(at, "claimRef"), "namespace");
    p.claim_name = read_str(&r, ref, SPOT(at, "claimRef"), "name");
    const struct json *affinity = read_object(&r, spec, at, "nodeAffinity"), *required = read_object(&r, affinity, SPOT(at, "nodeAffinity"), "required");
    p.has_node_affinity = required != NULL;
    p.node_affinity = read_node_terms(&r, required, SPOT(SPOT(at, "nodeAffinity"), "required"), &p.nnode_affinity);
    read_source(&r, spec, &p);
    str phase = read_str(&r, read_object(&r, obj, NULL, "status"), SPOT(NULL, "status"), "phase");
    p.unavailable = phase.len && !str_is(phase, "Available");
    if (r.code == 0)
        *ret = p;
    return r.code;
}

int object_pvc(struct arena *a, const struct json *obj, struct pvc_spec *ret, struct err *err)
{
    struct reader r = READER(NULL, a, err);
    struct object_meta meta;
    struct pvc_spec p = {0};
    const struct spot *at = SPOT(NULL, "spec"), *resources_at = SPOT(at, "resources");
    bool has_done, has;
    read_meta(&r, obj, &meta);
    const struct json *spec = read_object(&r, obj, NULL, "spec");
    str phase = read_str(&r, read_object(&r, obj, NULL, "status"), SPOT(NULL, "status"), "phase");
    p.ns = meta.ns;
    p.name = meta.name;
    p.deleting = meta.deleting;
    p.lost = str_is(phase, "Lost");
    p.storage_class = read_class(&r, spec, &meta);
    p.volume = read_str(&r, spec, at, "volumeName");
    labels_get(meta.annotations, S("pv.kubernetes.io/bind-completed"), &has_done);
    p.prebound = p.volume.len && !has_done && !str_is(phase, "Bound");
    p.selected_node = labels_get(meta.annotations, S("volume.kubernetes.io/selected-node"), &has);
    const struct json *resources = read_object(&r, spec, at, "resources");
    p.bytes = read_storage(&r, read_object(&r, resources, resources_at, "requests"), SPOT(resources_at, "requests"));
    p.access_modes = read_modes(&r, spec);
    p.block = is_block(&r, spec);
    p.has_selector = json_is(json_get(spec, S("selector")), JSON_OBJECT);
    read_selector(&r, spec, at, "selector", &p.selector);
    if (r.code == 0)
        *ret = p;
    return r.code;
}

/* --- storage classes ------------------------------------------------------------------------------------------------------------------------- */
/* A term of allowedTopologies: labels with lists of values. */
static void read_topology(struct reader *r, const struct json *v, const struct spot *at, struct spec_node_term *ret)
{
    const struct json *list = read_array(r, v, at, "matchLabelExpressions");
    const struct spot *list_at = SPOT(at, "matchLabelExpressions");
    struct spec_requirement *p = arena_array(r->a, list_len(list), struct spec_requirement);
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *x = read_item(r, list, list_at, i);
        p[i] = (struct spec_requirement){.key = read_str(r, x, SPOT_AT(list_at, i), "key"), .op = OP_IN};
        p[i].values = read_strs(r, x, SPOT_AT(list_at, i), "values", &p[i].nvalues);
    }
    ret->labels = (struct spec_selector){.p = p, .n = list_len(list)};
}

int object_storage_class(struct arena *a, const struct json *obj, struct storage_class_spec *ret, struct err *err)
{
    static const char *const modes[] = {"Immediate", "WaitForFirstConsumer"};
    struct reader r = READER(NULL, a, err);
    struct object_meta meta;
    read_meta(&r, obj, &meta);
    struct storage_class_spec c = {.name = meta.name, .driver = read_str(&r, obj, NULL, "provisioner")};
    for (size_t i = 0; i < ARRAY_LEN(old_disks); i++)
        if (old_disks[i].provisioner && str_is(c.driver, old_disks[i].provisioner))
            c.driver = str_of(old_disks[i].driver);
    c.wait_for_first_consumer = read_word(&r, obj, NULL, "volumeBindingMode", modes, ARRAY_LEN(modes), 0) == 1;
    const struct json *list = read_array(&r, obj, NULL, "allowedTopologies");
    const struct spot *at = SPOT(NULL, "allowedTopologies");
    struct spec_node_term *p = arena_array(a, list_len(list), struct spec_node_term);
    for (size_t i = 0; i < list_len(list); i++)
        read_topology(&r, read_item(&r, list, at, i), SPOT_AT(at, i), &p[i]);
    c.allowed_topologies = p;
    c.nallowed_topologies = list_len(list);
    if (r.code == 0)
        *ret = c;
    return r.code;
}

/* --- limits and budgets --------------------------------------------------------------------------------------------------------------------------- */
int object_csinode_limits(struct arena *a, const struct json *obj, struct node_spec *into, struct err *err)
{
    struct reader r = READER(NULL, a, err);
    const struct spot *at = SPOT(SPOT(NULL, "spec"), "drivers");
    const struct json *list = obj ? read_array(&r, read_object(&r, obj, NULL, "spec"), SPOT(NULL, "spec"), "drivers") : NULL;
    struct spec_volume_limit *p = arena_array(a, list_len(list), struct spec_volume_limit);
    size_t n = 0;
    for (size_t i = 0; i < list_len(list); i++) {
        const struct json *v = read_item(&r, list, at, i), *allocatable = read_object(&r, v, SPOT_AT(at, i), "allocatable");
        int64_t count = read_int(&r, allocatable, SPOT(SPOT_AT(at, i), "allocatable"), "count", 0, INT32_MAX, -1);
        str driver = read_str(&r, v, SPOT_AT(at, i), "name");
        if (count >= 0)
            p[n++] = (struct spec_volume_limit){driver, (int32_t)count};
    }
    if (r.code < 0)
        return r.code;
    into->volume_limits = p;
    into->nvolume_limits = n;
    return 0;
}

int object_pdb(struct arena *a, const struct json *obj, struct pdb_spec *ret, struct err *err)
{
    struct reader r = READER(NULL, a, err);
    struct object_meta meta;
    struct pdb_spec p = {0};
    read_meta(&r, obj, &meta);
    p.ns = meta.ns;
    p.name = meta.name;
    read_selector(&r, read_object(&r, obj, NULL, "spec"), SPOT(NULL, "spec"), "selector", &p.selector);
    const struct json *status = read_object(&r, obj, NULL, "status"), *gone = read_object(&r, status, SPOT(NULL, "status"), "disruptedPods");
    p.disruptions_allowed = (int32_t)read_int(&r, status, SPOT(NULL, "status"), "disruptionsAllowed", INT32_MIN, INT32_MAX, 0);
    p.ndisrupted = list_len(gone);
    str *names = arena_array(a, p.ndisrupted, str);
    for (size_t i = 0; i < p.ndisrupted; i++)
        names[i] = gone->members[i].key;
    p.disrupted = names;
    if (r.code == 0)
        *ret = p;
    return r.code;
}
