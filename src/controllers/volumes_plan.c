/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/volumes_plan.h"

#include "api/quantity.h"
#include "api/selector.h"

static const struct json *meta_of(const struct json *obj)
{
    return json_get(obj, S("metadata"));
}

static const struct json *spec_of(const struct json *obj)
{
    return json_get(obj, S("spec"));
}

static str note(const struct json *obj, const char *key)
{
    return json_get_str(json_get(meta_of(obj), S("annotations")), str_of(key));
}

str claim_class(const struct json *claim)
{
    str old = note(claim, "volume.beta.kubernetes.io/storage-class");
    return old.len ? old : json_get_str(spec_of(claim), S("storageClassName"));
}

bool claim_is_bound(const struct json *claim)
{
    return note(claim, VOLUMES_BIND_COMPLETED).len > 0;
}

bool volume_is_for(const struct json *volume, const struct json *claim)
{
    const struct json *ref = json_get(spec_of(volume), S("claimRef"));
    str uid = json_get_str(ref, S("uid"));
    return json_is(ref, JSON_OBJECT) && str_eq(json_get_str(ref, S("namespace")), json_get_str(meta_of(claim), S("namespace"))) &&
           str_eq(json_get_str(ref, S("name")), json_get_str(meta_of(claim), S("name"))) && (!uid.len || str_eq(uid, json_get_str(meta_of(claim), S("uid"))));
}

bool volume_is_free(const struct json *volume)
{
    const struct json *ref = json_get(spec_of(volume), S("claimRef"));
    return !json_is(ref, JSON_OBJECT) || !json_get_str(ref, S("uid")).len;
}

/* --- matching ------------------------------------------------------------------------------------------------------------------- */

static bool has_modes(const struct json *volume, const struct json *claim)
{
    const struct json *have = json_get(spec_of(volume), S("accessModes")), *want = json_get(spec_of(claim), S("accessModes"));
    for (uint32_t i = 0; json_is(want, JSON_ARRAY) && i < want->len; i++) {
        bool found = false;
        for (uint32_t k = 0; json_is(have, JSON_ARRAY) && k < have->len; k++)
            found |= str_eq(json_str(&have->items[k]), json_str(&want->items[i]));
        if (!found)
            return false;
    }
    return true;
}

static str mode_of(const struct json *obj)
{
    str mode = json_get_str(spec_of(obj), S("volumeMode"));
    return mode.len ? mode : S("Filesystem");
}

static bool size_of(const struct json *volume, struct quantity *ret)
{
    return quantity_parse(json_str(json_path(volume, "spec", "capacity", "storage", NULL)), ret);
}

static bool is_large_enough(const struct json *volume, const struct json *claim)
{
    struct quantity have, want;
    if (!quantity_parse(json_str(json_path(claim, "spec", "resources", "requests", "storage", NULL)), &want))
        return true;
    return size_of(volume, &have) && quantity_cmp(&have, &want) >= 0;
}

static bool is_selected(struct arena *a, const struct json *volume, const struct json *claim)
{
    const struct json *wanted = json_get(spec_of(claim), S("selector"));
    struct selector s;
    if (!json_is(wanted, JSON_OBJECT))
        return true;
    return selector_from_label_selector(a, wanted, &s, NULL) == 0 && selector_match_labels(&s, json_get(meta_of(volume), S("labels")));
}

bool volume_fits(struct arena *a, const struct json *volume, const struct json *claim, const char **ret_why)
{
    const struct json *ref = json_get(spec_of(volume), S("claimRef"));
    str phase = json_get_str(json_get(volume, S("status")), S("phase"));
    bool waits = json_is(ref, JSON_OBJECT) && volume_is_for(volume, claim);
    *ret_why = NULL;
    if (json_get_str(meta_of(volume), S("deletionTimestamp")).len)
        *ret_why = "the volume is being deleted";
    else if (json_is(ref, JSON_OBJECT) && !waits)
        *ret_why = "the volume is another claim's";
    else if (!waits && phase.len && !str_is(phase, "Available") && !str_is(phase, "Pending"))
        *ret_why = "the volume is not available";
    else if (!is_large_enough(volume, claim))
        *ret_why = "the volume is too small";
    else if (!str_eq(mode_of(volume), mode_of(claim)))
        *ret_why = "the volume is of another mode";
    else if (!str_eq(json_get_str(spec_of(volume), S("storageClassName")), claim_class(claim)))
        *ret_why = "the volume is of another class";
    else if (!waits && !has_modes(volume, claim))
        *ret_why = "the volume lacks an access mode";
    else if (!waits && !is_selected(a, volume, claim))
        *ret_why = "the volume is not selected";
    return !*ret_why;
}

bool volume_is_better(const struct json *x, const struct json *y, const struct json *claim)
{
    bool wx = volume_is_for(x, claim), wy = volume_is_for(y, claim);
    struct quantity sx, sy;
    if (wx != wy)
        return wx;
    int by_size = size_of(x, &sx) && size_of(y, &sy) ? quantity_cmp(&sx, &sy) : 0;
    return by_size ? by_size < 0 : str_cmp(json_get_str(meta_of(x), S("name")), json_get_str(meta_of(y), S("name"))) < 0;
}

struct json claim_reference(struct arena *a, const struct json *claim)
{
    struct json ref = json_literal(a, "{\"kind\":\"PersistentVolumeClaim\",\"apiVersion\":\"v1\"}");
    static const str keys[] = {STR_INIT("namespace"), STR_INIT("name"), STR_INIT("uid"), STR_INIT("resourceVersion")};
    for (size_t i = 0; i < ARRAY_LEN(keys); i++)
        json_set(a, &ref, keys[i], json_string(json_get_str(meta_of(claim), keys[i])));
    return ref;
}

/* --- volumes whose claims go ------------------------------------------------------------------------------------------------------ */

struct volume_plan volume_plan_make(const struct json *volume, const struct json *claim)
{
    const struct json *ref = json_get(spec_of(volume), S("claimRef"));
    str policy = json_get_str(spec_of(volume), S("persistentVolumeReclaimPolicy")), name = json_get_str(meta_of(volume), S("name"));
    if (!json_is(ref, JSON_OBJECT) || !json_get_str(ref, S("uid")).len)
        return (struct volume_plan){.phase = "Available"};
    if (claim && volume_is_for(volume, claim)) {
        str has = json_get_str(spec_of(claim), S("volumeName"));
        if (!has.len || str_eq(has, name))
            return (struct volume_plan){.phase = "Bound"}; /* or in a moment */
        /* the claim took another one: ours was promised for nothing */
    }
    if (str_is(policy, "Retain") || !policy.len)
        return (struct volume_plan){.phase = "Released"};
    if (str_is(policy, "Delete") && str_is(note(volume, VOLUMES_PROVISIONED_BY), LOCAL_PATH))
        return (struct volume_plan){.phase = "Released", .fate = VOLUME_GOES};
    if (str_is(policy, "Delete") && note(volume, VOLUMES_PROVISIONED_BY).len)
        return (struct volume_plan){.phase = "Released"}; /* its provisioner sees to it */
    return (struct volume_plan){.phase = "Failed", .fate = VOLUME_CANNOT,
                                .why = str_is(policy, "Recycle") ? "volumes are not recycled here" : "nobody here can delete what this volume is on"};
}

/* --- volumes on a node's disk --------------------------------------------------------------------------------------------------------- */

bool local_path_supports(const struct json *claim, const char **ret_why)
{
    const struct json *modes = json_get(spec_of(claim), S("accessModes"));
    *ret_why = NULL;
    if (!str_is(mode_of(claim), "Filesystem"))
        *ret_why = "local-path volumes are file systems, not block devices";
    if (json_is(json_get(spec_of(claim), S("selector")), JSON_OBJECT))
        *ret_why = "a claim with a selector gets no volume made for it";
    for (uint32_t i = 0; json_is(modes, JSON_ARRAY) && i < modes->len; i++)
        if (!str_is(json_str(&modes->items[i]), "ReadWriteOnce") && !str_is(json_str(&modes->items[i]), "ReadWriteOncePod"))
            *ret_why = "local-path volumes are on one node: only ReadWriteOnce and ReadWriteOncePod";
    return !*ret_why;
}

struct json local_path_volume(struct arena *a, const struct json *claim, const struct json *class, const struct json *node)
{
    str ns = json_get_str(meta_of(claim), S("namespace")), claim_name = json_get_str(meta_of(claim), S("name")), node_name = json_get_str(meta_of(node), S("name"));
    str name = arena_fmt(a, "pvc-" STR_FMT, STR_ARG(json_get_str(meta_of(claim), S("uid")))), base = note(node, LOCAL_PATH_DIR_NOTE), policy = json_get_str(class, S("reclaimPolicy"));
    str host = json_get_str(json_get(meta_of(node), S("labels")), S("kubernetes.io/hostname"));
    const struct json *size = json_path(claim, "spec", "resources", "requests", "storage", NULL), *modes = json_get(spec_of(claim), S("accessModes"));
    struct json v = json_literal(a, "{\"kind\":\"PersistentVolume\",\"apiVersion\":\"v1\",\"metadata\":{\"finalizers\":[\"" LOCAL_PATH "\"],\"annotations\":{\"" VOLUMES_PROVISIONED_BY
                                    "\":\"" LOCAL_PATH "\",\"" VOLUMES_BOUND_BY "\":\"yes\"}},\"spec\":{\"capacity\":{},\"volumeMode\":\"Filesystem\",\"hostPath\":{\"type\":\"DirectoryOrCreate\"},"
                                    "\"nodeAffinity\":{\"required\":{\"nodeSelectorTerms\":[{\"matchExpressions\":[{\"key\":\"kubernetes.io/hostname\",\"operator\":\"In\",\"values\":[]}]}]}}}}");
    struct json *meta = json_get(&v, S("metadata")), *spec = json_get(&v, S("spec"));
    json_set(a, meta, S("name"), json_string(name));
    if (node_name.len <= 63) /* what a label may be; a longer name's folder is removed by hand */
        json_set(a, json_ensure_object(a, meta, S("labels")), S(LOCAL_PATH_NODE_LABEL), json_string(node_name));
    if (size)
        json_set(a, json_get(spec, S("capacity")), S("storage"), *size);
    if (modes)
        json_set(a, spec, S("accessModes"), *modes);
    json_set(a, spec, S("persistentVolumeReclaimPolicy"), json_string(policy.len ? policy : S("Delete")));
    json_set(a, spec, S("storageClassName"), json_string(claim_class(claim)));
    json_set(a, spec, S("claimRef"), claim_reference(a, claim));
    json_set(a, json_get(spec, S("hostPath")), S("path"),
             json_string(arena_fmt(a, STR_FMT "/local-path/" STR_FMT "_" STR_FMT "_" STR_FMT, STR_ARG(base.len ? base : S(LOCAL_PATH_DIR)), STR_ARG(name), STR_ARG(ns), STR_ARG(claim_name))));
    struct json *terms = json_path(spec, "nodeAffinity", "required", "nodeSelectorTerms", NULL);
    json_push(a, json_get(&json_get(&terms->items[0], S("matchExpressions"))->items[0], S("values")), json_string(host.len ? host : node_name));
    return v;
}
