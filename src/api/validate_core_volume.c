/* validate_core_volume.c - volumes of a pod, and the mounts and devices that use them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

/* --- paths -------------------------------------------------------------------------------------------------------------- */

static bool has_backstep(str path)
{
    str part;
    for (bool more = true; more;) {
        more = str_cut(&path, '/', &part);
        if (str_is(part, ".."))
            return true;
    }
    return false;
}

void v_path_no_backsteps(struct vctx *c, const struct vpath *p, str path)
{
    if (has_backstep(path))
        v_invalid_str(c, p, path, "must not contain '..'");
}

void v_path_local(struct vctx *c, const struct vpath *p, str path)
{
    if (path.len && path.p[0] == '/')
        v_invalid_str(c, p, path, "must be a relative path");
    v_path_no_backsteps(c, p, path);
}

/* Names that start with .. are kept for the links that make updates of a volume atomic. */
static void check_path_in_volume(struct vctx *c, const struct vpath *p, str path)
{
    v_path_local(c, p, path);
    if (str_has_prefix(path, S("..")) && !str_has_prefix(path, S("../")))
        v_invalid_str(c, p, path, "must not start with '..'");
}

static void check_mode(struct vctx *c, const struct vpath *p, const struct json *v, str key)
{
    int64_t mode = json_get_int(v, key, 0);
    if (mode < 0 || mode > 0777)
        v_invalid_int(c, V_MEMBER(p, key), mode, "must be a number between 0 and 0777 (octal), both inclusive");
}

/* --- sources ------------------------------------------------------------------------------------------------------------- */

void v_key_to_path(struct vctx *c, const struct vpath *p, const struct json *item)
{
    check_path_in_volume(c, V_FIELD(p, "path"), V_STR(item, "path"));
    check_mode(c, p, item, S("mode"));
}

#define VOLUME_FIELDS "metadata.annotations|metadata.labels|metadata.name|metadata.namespace|metadata.uid"

void v_downward_file(struct vctx *c, const struct vpath *p, const struct json *file)
{
    const struct json *field = V_GET(file, "fieldRef"), *resource = V_GET(file, "resourceFieldRef");
    check_path_in_volume(c, V_FIELD(p, "path"), V_STR(file, "path"));
    if (field && resource)
        v_invalid_str(c, p, S("resource"), "fieldRef and resourceFieldRef can not be specified simultaneously");
    else if (!field && !resource)
        v_required(c, p, "one of fieldRef and resourceFieldRef is required");
    v_field_ref(c, V_FIELD(p, "fieldRef"), field, VOLUME_FIELDS);
    v_resource_field_ref(c, V_FIELD(p, "resourceFieldRef"), resource, true);
    check_mode(c, p, file, S("mode"));
}

static void check_token(struct vctx *c, const struct vpath *p, const struct json *token)
{
    int64_t seconds = json_get_int(token, S("expirationSeconds"), 3600);
    if (seconds < 600)
        v_invalid_int(c, V_FIELD(p, "expirationSeconds"), seconds, "may not specify a duration less than 10 minutes");
    if (seconds > (int64_t)1 << 32)
        v_invalid_int(c, V_FIELD(p, "expirationSeconds"), seconds, "may not specify a duration larger than 2^32 seconds");
    check_path_in_volume(c, V_FIELD(p, "path"), V_STR(token, "path"));
}

static const str projections[] = {STR_INIT("secret"), STR_INIT("configMap"), STR_INIT("downwardAPI"), STR_INIT("serviceAccountToken"),
                                  STR_INIT("clusterTrustBundle")};

static void check_projected_paths(struct vctx *c, const struct vpath *p, const struct json *one, struct v_map *paths)
{
    const struct json *items = V_GET(one, "items");
    v_foreach (item, i, items) {
        str path = V_STR(item, "path"), name = V_STR(one, "name");
        if (path.len && !v_set_add(paths, path))
            v_invalid_str(c, p, name.len ? name : path, "conflicting duplicate paths");
    }
}

static void check_projection(struct vctx *c, const struct vpath *p, const struct vpath *at, const struct json *source, struct v_map *paths)
{
    int n = 0;
    for (size_t k = 0; k < ARRAY_LEN(projections); k++) {
        const struct json *one = v_get(source, projections[k]);
        if (!one)
            continue;
        n++;
        if (k < 2 && V_STR(one, "name").len == 0)
            v_required(c, V_FIELD(V_MEMBER(at, projections[k]), "name"), V_NO_DETAIL);
        check_projected_paths(c, p, one, paths);
        if (str_is(projections[k], "serviceAccountToken"))
            check_token(c, V_MEMBER(at, projections[k]), one);
    }
    if (n > 1)
        v_forbidden(c, at, "may not specify more than 1 volume type per source");
}

void v_projected(struct vctx *c, const struct vpath *p, const struct json *projected)
{
    const struct json *sources = V_GET(projected, "sources");
    struct v_map paths;
    v_map_init(&paths, c->e->arena);
    check_mode(c, p, projected, S("defaultMode"));
    v_foreach (source, i, sources)
        check_projection(c, p, V_INDEX(V_FIELD(p, "sources"), i), source, &paths);
}

static void check_secret(struct vctx *c, const struct vpath *p, const struct json *v)
{
    if (V_STR(v, "secretName").len == 0)
        v_required(c, V_FIELD(p, "secretName"), V_NO_DETAIL);
    check_mode(c, p, v, S("defaultMode"));
}

static void check_config_map(struct vctx *c, const struct vpath *p, const struct json *v)
{
    if (V_STR(v, "name").len == 0)
        v_required(c, V_FIELD(p, "name"), V_NO_DETAIL);
    check_mode(c, p, v, S("defaultMode"));
}

static void check_downward(struct vctx *c, const struct vpath *p, const struct json *v)
{
    check_mode(c, p, v, S("defaultMode"));
}

static void check_host_path(struct vctx *c, const struct vpath *p, const struct json *v)
{
    v_path_no_backsteps(c, V_FIELD(p, "path"), V_STR(v, "path"));
}

static void check_empty_dir(struct vctx *c, const struct vpath *p, const struct json *v)
{
    struct quantity q;
    if (v_quantity(v, S("sizeLimit"), &q) && quantity_sign(&q) < 0)
        v_forbidden(c, V_FIELD(p, "sizeLimit"), "SizeLimit field must be a valid resource quantity");
}

static void check_nfs(struct vctx *c, const struct vpath *p, const struct json *v)
{
    str path = V_STR(v, "path");
    if (path.len == 0 || path.p[0] != '/')
        v_invalid_str(c, V_FIELD(p, "path"), path, "must be an absolute path");
}

static void check_git_repo(struct vctx *c, const struct vpath *p, const struct json *v)
{
    v_path_local(c, V_FIELD(p, "directory"), V_STR(v, "directory"));
}

static void check_csi(struct vctx *c, const struct vpath *p, const struct json *v)
{
    v_check_member(c, p, v, S("driver"), validate_csi_driver_name);
    const struct json *secret = V_GET(v, "nodePublishSecretRef");
    if (secret && V_STR(secret, "name").len == 0)
        v_required(c, V_FIELD(V_FIELD(p, "nodePublishSecretRef"), "name"), V_NO_DETAIL);
}

static void check_ephemeral_volume(struct vctx *c, const struct vpath *p, const struct json *v)
{
    if (!V_GET(v, "volumeClaimTemplate"))
        v_required(c, V_FIELD(p, "volumeClaimTemplate"), V_NO_DETAIL);
}

static void check_image(struct vctx *c, const struct vpath *p, const struct json *v)
{
    if (V_STR(v, "reference").len == 0 && str_is(c->res->plural, "pods"))
        v_required(c, V_FIELD(p, "reference"), V_NO_DETAIL);
}

static const struct {
    const char *source;
    validate_fn *check;
} source_checks[] = {
    {"emptyDir", check_empty_dir},
    {"hostPath", check_host_path},
    {"secret", check_secret},
    {"configMap", check_config_map},
    {"downwardAPI", check_downward},
    {"nfs", check_nfs},
    {"gitRepo", check_git_repo},
    {"csi", check_csi},
    {"ephemeral", check_ephemeral_volume},
    {"image", check_image},
};

static void check_source(struct vctx *c, const struct vpath *p, str source, const struct json *v)
{
    for (size_t i = 0; i < ARRAY_LEN(source_checks); i++) {
        if (str_is(source, source_checks[i].source))
            source_checks[i].check(c, p, v);
    }
}

void v_volume(struct vctx *c, const struct vpath *p, const struct json *volume)
{
    int sources = 0;
    v_check_member(c, p, volume, S("name"), validate_dns1123_label);
    v_foreach_member (m, volume) {
        if (str_is(m->key, "name") || m->value.type == JSON_NULL || !schema_field_find(&schema_core_v1_VolumeSource, m->key))
            continue;
        if (sources++)
            v_forbidden(c, V_MEMBER(p, m->key), "may not specify more than 1 volume type");
        else
            check_source(c, V_MEMBER(p, m->key), m->key, &m->value);
    }
    if (sources == 0)
        v_required(c, p, "must specify a volume type");
}

/* --- mounts ------------------------------------------------------------------------------------------------------------------ */

static void check_mount_options(struct vctx *c, const struct vpath *p, const struct json *mount, const struct json *ctr)
{
    str propagation = V_STR(mount, "mountPropagation");
    if (str_is(propagation, "Bidirectional") && !V_BOOL(V_GET(ctr, "securityContext"), "privileged"))
        v_forbidden(c, V_FIELD(p, "mountPropagation"), "Bidirectional mount propagation is available only to privileged containers");
    if (!v_in(V_STR(mount, "recursiveReadOnly"), "Enabled|IfPossible"))
        return;
    if (!V_BOOL(mount, "readOnly"))
        v_forbidden(c, V_FIELD(p, "recursiveReadOnly"), "may only be specified when readOnly is true");
    if (propagation.len && !str_is(propagation, "None"))
        v_forbidden(c, V_FIELD(p, "recursiveReadOnly"), "may only be specified when mountPropagation is None or not specified");
}

struct used_volumes {
    struct v_map mount_names, mount_paths, device_names, device_paths;
};

static void check_mounts(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct v_pod_names *names,
                         const struct used_volumes *used)
{
    const struct json *mounts = V_GET(ctr, "volumeMounts");
    struct v_map paths;
    v_map_init(&paths, c->e->arena);
    v_foreach (m, i, mounts) {
        const struct vpath *at = V_INDEX(p, i);
        str name = V_STR(m, "name"), path = V_STR(m, "mountPath"), sub = V_STR(m, "subPath"), expr = V_STR(m, "subPathExpr");
        if (!v_map_get(&names->volumes, name))
            v_not_found(c, V_FIELD(at, "name"), name);
        if (!v_set_add(&paths, path))
            v_invalid_str(c, V_FIELD(at, "mountPath"), path, "must be unique");
        if (v_set_has(&used->device_names, name))
            v_invalid_str(c, V_FIELD(at, "name"), name, "must not already exist in volumeDevices");
        if (v_set_has(&used->device_paths, path))
            v_invalid_str(c, V_FIELD(at, "mountPath"), path, "must not already exist as a path in volumeDevices");
        /* these paths lack the index in Kubernetes */
        v_path_local(c, V_FIELD(p, "subPath"), sub);
        if (expr.len && sub.len)
            v_invalid_str(c, V_FIELD(at, "subPathExpr"), expr, "subPathExpr and subPath are mutually exclusive");
        v_path_local(c, V_FIELD(p, "subPathExpr"), expr);
        check_mount_options(c, p, m, ctr);
    }
}

static void check_device(struct vctx *c, const struct vpath *at, const struct json *device, const struct v_pod_names *names,
                         const struct used_volumes *used)
{
    str name = V_STR(device, "name"), path = V_STR(device, "devicePath");
    const struct json *volume = v_map_get(&names->volumes, name);
    if (!volume)
        v_not_found(c, V_FIELD(at, "name"), name);
    else if (!V_GET(volume, "persistentVolumeClaim") && !V_GET(volume, "ephemeral"))
        v_invalid_str(c, V_FIELD(at, "name"), name, "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode");
    if (has_backstep(path))
        v_invalid_str(c, V_FIELD(at, "devicePath"), path, "can not contain backsteps ('..')");
    if (v_set_has(&used->mount_names, name))
        v_invalid_str(c, V_FIELD(at, "name"), name, "must not already exist in volumeMounts");
    if (v_set_has(&used->mount_paths, path))
        v_invalid_str(c, V_FIELD(at, "devicePath"), path, "must not already exist as a path in volumeMounts");
}

static void check_devices(struct vctx *c, const struct vpath *p, const struct json *devices, const struct v_pod_names *names,
                          const struct used_volumes *used)
{
    struct v_map seen_names, seen_paths;
    v_map_init(&seen_names, c->e->arena);
    v_map_init(&seen_paths, c->e->arena);
    v_foreach (d, i, devices) {
        const struct vpath *at = V_INDEX(p, i);
        str name = V_STR(d, "name"), path = V_STR(d, "devicePath");
        if (name.len && !v_set_add(&seen_names, name))
            v_invalid_str(c, V_FIELD(at, "name"), name, "must be unique");
        if (!v_set_add(&seen_paths, path))
            v_invalid_str(c, V_FIELD(at, "devicePath"), path, "must be unique");
        check_device(c, at, d, names, used);
    }
}

void v_volume_mounts(struct vctx *c, const struct vpath *p, const struct json *container, const struct v_pod_names *names)
{
    struct used_volumes used;
    const struct json *mounts = V_GET(container, "volumeMounts"), *devices = V_GET(container, "volumeDevices");
    v_map_init(&used.mount_names, c->e->arena);
    v_map_init(&used.mount_paths, c->e->arena);
    v_map_init(&used.device_names, c->e->arena);
    v_map_init(&used.device_paths, c->e->arena);
    v_set_add_list(&used.device_names, devices, S("name"));
    v_set_add_list(&used.device_paths, devices, S("devicePath"));
    check_mounts(c, V_FIELD(p, "volumeMounts"), container, names, &used);
    if (!devices)
        return;
    v_set_add_list(&used.mount_names, mounts, S("name"));
    v_set_add_list(&used.mount_paths, mounts, S("mountPath"));
    check_devices(c, V_FIELD(p, "volumeDevices"), devices, names, &used);
}
