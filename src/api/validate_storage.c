/* validate_storage.c - persistent volumes and claims, storage classes, storage drivers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

/* --- what volumes and claims share ----------------------------------------------------------------------------------------------- */

static void check_access_modes(struct vctx *c, const struct vpath *p, const struct json *modes, const char *missing)
{
    if (v_len(modes) == 0)
        v_required(c, p, "%s", missing);
    bool alone = false, others = false;
    v_foreach (mode, i, modes) {
        alone |= str_is(json_str(mode), "ReadWriteOncePod");
        others |= v_in(json_str(mode), "ReadOnlyMany|ReadWriteMany|ReadWriteOnce");
    }
    if (alone && others)
        v_forbidden(c, p, "may not use ReadWriteOncePod with other access modes");
}

static void check_positive(struct vctx *c, const struct vpath *p, const struct json *value)
{
    struct quantity q;
    if (value && quantity_parse(json_str(value), &q) && quantity_sign(&q) <= 0)
        v_invalid_str(c, p, json_str(value), V_NOT_POSITIVE);
}

/* --- persistent volumes ------------------------------------------------------------------------------------------------------------- */

static bool is_inline(const struct vpath *p)
{
    return p->kind == VPATH_FIELD && str_is(p->name, "inlineVolumeSpec");
}

static void check_capacity(struct vctx *c, const struct vpath *p, const struct json *capacity)
{
    const struct json *storage = V_GET(capacity, "storage");
    if (v_len(capacity) == 0) {
        v_required(c, p, V_NO_DETAIL);
        return;
    }
    if (!storage || capacity->len > 1)
        v_error(c, FIELD_NOT_SUPPORTED, p, capacity, "supported values: \"storage\"");
    check_positive(c, V_KEY(p, S("storage")), storage);
}

static int count_sources(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    int n = 0;
    v_foreach_member (m, spec) {
        if (m->value.type == JSON_NULL || !schema_field_find(&schema_core_v1_PersistentVolumeSource, m->key))
            continue;
        if (n++)
            v_forbidden(c, V_MEMBER(p, m->key), "may not specify more than 1 volume type");
    }
    return n;
}

void v_local_volume_source(struct vctx *c, const struct vpath *p, const struct json *local)
{
    v_path_no_backsteps(c, V_FIELD(p, "path"), V_STR(local, "path"));
}

void v_csi_persistent_volume_source(struct vctx *c, const struct vpath *p, const struct json *csi)
{
    static const str secrets[] = {STR_INIT("controllerPublishSecretRef"), STR_INIT("controllerExpandSecretRef"),
                                  STR_INIT("nodePublishSecretRef"), STR_INIT("nodeExpandSecretRef")};
    v_check_member(c, p, csi, S("driver"), validate_csi_driver_name);
    for (size_t i = 0; i < ARRAY_LEN(secrets); i++) {
        const struct json *ref = v_get(csi, secrets[i]);
        const struct vpath *at = V_MEMBER(p, secrets[i]);
        if (!ref)
            continue;
        if (V_STR(ref, "name").len == 0)
            v_required(c, V_FIELD(at, "name"), V_NO_DETAIL);
        if (V_STR(ref, "namespace").len == 0)
            v_required(c, V_FIELD(at, "namespace"), V_NO_DETAIL);
        v_check_member(c, at, ref, S("name"), validate_dns1123_subdomain);
        v_check_member(c, at, ref, S("namespace"), validate_dns1123_label);
    }
}

void v_persistent_volume_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *host = V_GET(spec, "hostPath"), *affinity = V_GET(spec, "nodeAffinity");
    bool with_claim = is_inline(p);
    if (with_claim && V_GET(spec, "claimRef"))
        v_forbidden(c, V_FIELD(p, "claimRef"), "may not be specified in the context of inline volumes");
    if (with_claim && v_len(V_GET(spec, "capacity")))
        v_forbidden(c, V_FIELD(p, "capacity"), "may not be specified in the context of inline volumes");
    check_access_modes(c, V_FIELD(p, "accessModes"), V_GET(spec, "accessModes"), "");
    if (!with_claim)
        check_capacity(c, V_FIELD(p, "capacity"), V_GET(spec, "capacity"));
    if (count_sources(c, p, spec) == 0)
        v_required(c, p, "must specify a volume type");
    if (V_GET(spec, "local") && !V_GET(affinity, "required"))
        v_required(c, V_FIELD(p, "nodeAffinity"), "Local volume requires node affinity");
    else if (affinity && !V_GET(affinity, "required"))
        v_required(c, V_FIELD(V_FIELD(p, "nodeAffinity"), "required"), "must specify required node constraints");
    if (host)
        v_path_no_backsteps(c, V_FIELD(V_FIELD(p, "hostPath"), "path"), V_STR(host, "path"));
    if (host && str_is(V_STR(host, "path"), "/") && str_is(V_STR(spec, "persistentVolumeReclaimPolicy"), "Recycle"))
        v_forbidden(c, V_FIELD(p, "persistentVolumeReclaimPolicy"), "may not be 'recycle' for a hostPath mount of '/'");
    v_check_member(c, p, spec, S("storageClassName"), validate_dns1123_subdomain);
}

static bool same_source(const struct json *spec, const struct json *old)
{
    v_foreach_member (m, spec) {
        if (schema_field_find(&schema_core_v1_PersistentVolumeSource, m->key) &&
            !v_same_member(&schema_core_v1_PersistentVolumeSpec, spec, old, m->key))
            return false;
    }
    v_foreach_member (m, old) {
        if (schema_field_find(&schema_core_v1_PersistentVolumeSource, m->key) &&
            !v_same_member(&schema_core_v1_PersistentVolumeSpec, spec, old, m->key))
            return false;
    }
    return true;
}

void v_persistent_volume(struct vctx *c, const struct vpath *p, const struct json *volume)
{
    const struct json *spec = V_GET(volume, "spec"), *old = V_GET(c->old, "spec");
    if (!spec)
        v_required(c, V_FIELD(p, "spec"), "must specify a volume type");
    if (!c->old || !spec)
        return;
    if (!same_source(spec, old))
        v_forbidden(c, V_FIELD(V_FIELD(p, "spec"), "persistentvolumesource"), "spec.persistentvolumesource is immutable after creation\n");
    if (V_GET(old, "nodeAffinity") && !v_same_member(&schema_core_v1_PersistentVolumeSpec, spec, old, S("nodeAffinity")))
        v_invalid(c, V_FIELD(p, "nodeAffinity"), V_GET(spec, "nodeAffinity"), V_IMMUTABLE ", except for updating from beta label to GA");
}

/* --- claims -------------------------------------------------------------------------------------------------------------------------- */

static void check_data_source(struct vctx *c, const struct vpath *p, const struct json *source)
{
    str group = V_STR(source, "apiGroup"), kind = V_STR(source, "kind");
    if (!source)
        return;
    if (group.len == 0 && !str_is(kind, "PersistentVolumeClaim"))
        v_invalid_str(c, p, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
    v_check_member(c, p, source, S("apiGroup"), validate_dns1123_subdomain);
    v_check_member(c, p, source, S("namespace"), validate_dns1123_label);
}

void v_persistent_volume_claim_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *storage = V_GET(V_GET(V_GET(spec, "resources"), "requests"), "storage");
    const struct json *source = V_GET(spec, "dataSource"), *ref = V_GET(spec, "dataSourceRef");
    const struct vpath *at = V_KEY(V_FIELD(p, "resources"), S("storage"));
    check_access_modes(c, V_FIELD(p, "accessModes"), V_GET(spec, "accessModes"), "at least 1 access mode is required");
    if (!storage)
        v_required(c, at, V_NO_DETAIL);
    check_positive(c, at, storage);
    v_check_member(c, p, spec, S("storageClassName"), validate_dns1123_subdomain);
    v_check_member(c, p, spec, S("volumeAttributesClassName"), validate_dns1123_subdomain);
    check_data_source(c, V_FIELD(p, "dataSource"), source);
    check_data_source(c, V_FIELD(p, "dataSourceRef"), ref);
    if (!source || !ref)
        return;
    if (V_STR(ref, "namespace").len)
        v_invalid_str(c, p, S("spec.dataSource"), "may not be specified when dataSourceRef.namespace is specified");
    else if (!str_eq(V_STR(source, "name"), V_STR(ref, "name")) || !str_eq(V_STR(source, "kind"), V_STR(ref, "kind")) ||
             !str_eq(V_STR(source, "apiGroup"), V_STR(ref, "apiGroup")))
        v_invalid_str(c, p, S("spec.dataSource"), "must match dataSourceRef");
}

/* What a bound claim may change: its size, and its attributes class. */
static bool same_claim(const struct vctx *c, const struct json *spec, const struct json *old)
{
    const struct schema_type *t = &schema_core_v1_PersistentVolumeClaimSpec;
    bool bound = str_is(V_STR(V_GET(c->old, "status"), "phase"), "Bound");
    const struct json *now = V_GET(spec, "resources"), *before = V_GET(old, "resources");
    if (!v_same_except(t, spec, old, "resources|volumeName|storageClassName|volumeAttributesClassName"))
        return false;
    if (V_STR(old, "volumeName").len && !v_same_member(t, spec, old, S("volumeName")))
        return false;
    if (!v_same_member(t, spec, old, S("storageClassName")) && (V_GET(old, "storageClassName") || !V_GET(spec, "storageClassName")))
        return false;
    if (!bound)
        return v_same_member(t, spec, old, S("resources")) && v_same_member(t, spec, old, S("volumeAttributesClassName"));
    return v_same_except(&schema_core_v1_VolumeResourceRequirements, now, before, "requests") &&
           v_same_except(schema_field_find(&schema_core_v1_VolumeResourceRequirements, S("requests"))->type, V_GET(now, "requests"),
                         V_GET(before, "requests"), "storage");
}

static void check_size(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    struct quantity now, before, have = quantity_from_i64(0);
    if (!v_quantity(V_GET(V_GET(spec, "resources"), "requests"), S("storage"), &now) ||
        !v_quantity(V_GET(V_GET(old, "resources"), "requests"), S("storage"), &before) || quantity_cmp(&now, &before) >= 0)
        return;
    v_quantity(V_GET(V_GET(c->old, "status"), "capacity"), S("storage"), &have);
    if (quantity_cmp(&now, &have) <= 0)
        v_forbidden(c, V_FIELD(V_FIELD(V_FIELD(p, "resources"), "requests"), "storage"), "field can not be less than status.capacity");
}

void v_persistent_volume_claim(struct vctx *c, const struct vpath *p, const struct json *claim)
{
    const struct json *spec = V_GET(claim, "spec"), *old = V_GET(c->old, "spec");
    const struct vpath *at = V_FIELD(p, "spec");
    if (!spec)
        v_required(c, V_FIELD(at, "accessModes"), "at least 1 access mode is required");
    if (!c->old)
        return;
    if (!same_claim(c, spec, old))
        v_forbidden(c, at, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n");
    check_size(c, at, spec, old);
}

/* --- classes and drivers ---------------------------------------------------------------------------------------------------------------
 */

#define PARAMETERS_MAX 512
#define PARAMETERS_MAX_BYTES (256 << 10)

static void check_parameters(struct vctx *c, const struct vpath *p, const struct json *parameters)
{
    size_t total = 0;
    if (v_len(parameters) > PARAMETERS_MAX)
        v_too_long(c, p, PARAMETERS_MAX);
    v_foreach_member (m, parameters) {
        if (m->key.len == 0)
            v_invalid_str(c, p, m->key, "field can not be empty.");
        total += m->key.len + json_str(&m->value).len;
    }
    if (total > PARAMETERS_MAX_BYTES)
        v_too_long(c, p, PARAMETERS_MAX_BYTES);
}

void v_storage_class(struct vctx *c, const struct vpath *p, const struct json *class)
{
    static const char *const fixed[] = {"parameters", "provisioner", "reclaimPolicy"};
    str policy = V_STR(class, "reclaimPolicy");
    v_check_member(c, p, class, S("provisioner"), validate_annotation_key);
    check_parameters(c, V_FIELD(p, "parameters"), V_GET(class, "parameters"));
    if (str_is(policy, "Recycle"))
        v_unsupported(c, V_FIELD(p, "reclaimPolicy"), policy, "Delete|Retain");
    for (size_t i = 0; c->old && i < ARRAY_LEN(fixed); i++) {
        if (!v_same_member(&schema_storage_v1_StorageClass, class, c->old, str_of(fixed[i])))
            v_forbidden(c, V_MEMBER(p, str_of(fixed[i])), "updates to %s are forbidden.", fixed[i]);
    }
}

void v_csi_driver_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *requests = V_GET(spec, "tokenRequests");
    int64_t period = json_get_int(spec, S("nodeAllocatableUpdatePeriodSeconds"), 10);
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    if (period < 10)
        v_invalid_int(c, V_FIELD(p, "nodeAllocatableUpdatePeriodSeconds"), period, "must be greater than or equal to 10 seconds");
    v_foreach (request, i, requests) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "tokenRequests"), i);
        int64_t seconds = json_get_int(request, S("expirationSeconds"), 3600);
        if (!v_set_add(&seen, V_STR(request, "audience")))
            v_duplicate(c, V_FIELD(at, "audience"), V_STR(request, "audience"));
        if (seconds < 600)
            v_invalid_int(c, V_FIELD(at, "expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
        if (seconds > (int64_t)1 << 32)
            v_invalid_int(c, V_FIELD(at, "expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds");
    }
}

static void check_topology_keys(struct vctx *c, const struct vpath *p, const struct json *keys)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (key, i, keys) {
        if (json_str(key).len == 0)
            v_required(c, p, V_NO_DETAIL);
        if (!v_set_add(&seen, json_str(key)))
            v_duplicate(c, p, json_str(key));
        v_check(c, p, json_str(key), validate_qualified_name);
    }
}

void v_csi_node_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *drivers = V_GET(spec, "drivers");
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (driver, i, drivers) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "drivers"), i);
        v_check_member(c, at, driver, S("name"), validate_csi_driver_name);
        if (V_STR(driver, "nodeID").len > 256)
            v_invalid_str(c, V_FIELD(at, "nodeID"), V_STR(driver, "nodeID"), "must be 256 characters or less");
        v_nonnegative(c, V_FIELD(at, "allocatable"), V_GET(driver, "allocatable"), S("count"));
        if (!v_set_add(&seen, V_STR(driver, "name")))
            v_duplicate(c, V_FIELD(at, "name"), V_STR(driver, "name"));
        check_topology_keys(c, at, V_GET(driver, "topologyKeys"));
    }
}

void v_csi_node(struct vctx *c, const struct vpath *p, const struct json *node)
{
    const struct json *before = V_GET(V_GET(c->old, "spec"), "drivers"), *now = V_GET(V_GET(node, "spec"), "drivers");
    struct v_map by_name;
    v_map_init(&by_name, c->e->arena);
    v_foreach (driver, i, before)
        v_map_put(&by_name, V_STR(driver, "name"), driver);
    v_foreach (driver, i, now) {
        const struct json *old = v_map_get(&by_name, V_STR(driver, "name"));
        if (old && !v_same(&schema_storage_v1_CSINodeDriver, driver, old))
            v_invalid(c, V_FIELD(V_FIELD(p, "spec"), "drivers"), driver, V_IMMUTABLE);
    }
}

void v_csi_storage_capacity(struct vctx *c, const struct vpath *p, const struct json *capacity)
{
    struct quantity q;
    v_check_member(c, p, capacity, S("storageClassName"), validate_dns1123_subdomain);
    if (v_quantity(capacity, S("capacity"), &q) && quantity_sign(&q) < 0)
        v_invalid_str(c, V_FIELD(p, "capacity"), V_STR(capacity, "capacity"), V_NEGATIVE);
}

void v_volume_attachment_source(struct vctx *c, const struct vpath *p, const struct json *source)
{
    const struct json *name = V_GET(source, "persistentVolumeName"), *inlined = V_GET(source, "inlineVolumeSpec");
    if (name && inlined)
        v_forbidden(c, p, "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    else if (!name && !inlined)
        v_required(c, p, "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    else if (name && json_str(name).len == 0)
        v_required(c, V_FIELD(p, "persistentVolumeName"), "must specify non empty persistentVolumeName");
    else if (name)
        v_check(c, V_FIELD(p, "persistentVolumeName"), json_str(name), validate_dns1123_subdomain);
}

void v_volume_attachment(struct vctx *c, const struct vpath *p, const struct json *attachment)
{
    const struct json *spec = V_GET(attachment, "spec");
    v_check_member(c, V_FIELD(p, "spec"), spec, S("nodeName"), validate_dns1123_subdomain);
    if (spec && !V_GET(spec, "source"))
        v_required(c, V_FIELD(V_FIELD(p, "spec"), "source"), "must specify exactly one of inlineVolumeSpec and persistentVolumeName");
    if (c->old && !v_same_member(&schema_storage_v1_VolumeAttachment, attachment, c->old, S("spec")))
        v_invalid(c, V_FIELD(p, "spec"), spec, V_IMMUTABLE);
}
