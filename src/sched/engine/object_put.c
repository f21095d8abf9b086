/* object_put.c - any object of the API to the engine, by kind.  See object.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object.h"

#include "base/bandwidth.h"
#include "sched/engine/object_read.h"
#include "sched/engine/storage.h"

static int put_node(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct node_spec spec;
    int r = object_node(s, a, obj, &spec, err);
    return r < 0 ? r : sched_node_put(s, &spec, NULL, err);
}

static int put_pod(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct pod_spec spec;
    bool gone;
    int r = object_pod(s, a, obj, &spec, &gone, err);
    if (r < 0)
        return r;
    if (!gone)
        return sched_pod_put(s, &spec, NULL, err);
    sched_pod_delete(s, spec.ns, spec.name);
    return 0;
}

static int put_group(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct group_spec spec;
    int r = object_group(s, a, obj, &spec, err);
    return r < 0 ? r : sched_group_put(s, &spec, NULL, err);
}

static int put_pv(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct pv_spec spec;
    int r = object_pv(a, obj, &spec, err);
    return r < 0 ? r : sched_pv_put(s, &spec, err);
}

static int put_pvc(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct pvc_spec spec;
    int r = object_pvc(a, obj, &spec, err);
    return r < 0 ? r : sched_pvc_put(s, &spec, err);
}

static int put_storage_class(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct storage_class_spec spec;
    int r = object_storage_class(a, obj, &spec, err);
    return r < 0 ? r : sched_storage_class_put(s, &spec, err);
}

static int put_csinode(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    struct node_spec limits = {0};
    read_meta(&r, obj, &meta);
    if (r.code == 0)
        r.code = object_csinode_limits(a, obj, &limits, err);
    return r.code < 0 ? r.code : storage_limits_put(s, meta.name, limits.volume_limits, limits.nvolume_limits, err);
}

static int put_pdb(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct pdb_spec spec;
    int r = object_pdb(a, obj, &spec, err);
    return r < 0 ? r : sched_pdb_put(s, &spec, err);
}

static int put_namespace(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    read_meta(&r, obj, &meta);
    if (r.code == 0)
        sched_namespace_put(s, meta.name, meta.labels);
    return r.code;
}

/* Kinds of that name in another group of the API are somebody else's. */
static int put_priority_class(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct reader r = READER(s, a, err);
    int64_t value = read_int(&r, obj, NULL, "value", INT32_MIN, INT32_MAX, 0);
    bool never = str_is(read_str(&r, obj, NULL, "preemptionPolicy"), "Never");
    if (r.code < 0)
        return r.code;
    sched_priority_class_put(s, json_get_str(json_get(obj, S("metadata")), S("name")), (int32_t)value, never, json_get_bool(obj, S("globalDefault"), false));
    return 0;
}

/* Topology trees as KAI and Kueue declare them: spec.levels[].nodeLabel and alias, root first. */
static int put_topology(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct reader r = READER(s, a, err);
    const struct spot *at = SPOT(NULL, "spec"), *levels_at = SPOT(at, "levels");
    const struct json *levels = read_array(&r, read_object(&r, obj, NULL, "spec"), at, "levels");
    size_t n = list_len(levels);
    str *labels = arena_array(a, n, str), *aliases = arena_array(a, n, str);
    for (size_t i = 0; i < n && r.code == 0; i++) {
        const struct json *level = read_item(&r, levels, levels_at, i);
        labels[i] = read_str(&r, level, SPOT_AT(levels_at, i), "nodeLabel");
        aliases[i] = read_str(&r, level, SPOT_AT(levels_at, i), "alias");
    }
    return r.code < 0 ? r.code : sched_topology_put(s, json_get_str(json_get(obj, S("metadata")), S("name")), labels, aliases, n, err);
}

/* ClusterDomainRoute and DomainRoute of Kuscia: spec.bandwidth from spec.source to spec.destination. */
static int put_route(struct sched *s, struct arena *a, const struct json *obj, struct err *err)
{
    struct reader r = READER(s, a, err);
    struct object_meta meta;
    read_meta(&r, obj, &meta);
    meta.ns = json_get_str(json_get(obj, S("metadata")), S("namespace")); /* one of the two kinds has none */
    const struct json *spec = read_object(&r, obj, NULL, "spec");
    const struct spot *at = SPOT(NULL, "spec");
    struct route_spec route = {.ns = meta.ns, .name = meta.name, .source = read_str(&r, spec, at, "source"), .destination = read_str(&r, spec, at, "destination")};
    str bandwidth = read_str(&r, spec, at, "bandwidth");
    struct err why = {0};
    if (r.code == 0 && bandwidth.len && bandwidth_parse(bandwidth, &route.bits, &why) < 0)
        read_bad(&r, SPOT(at, "bandwidth"), "%s", why.msg);
    if (r.code < 0)
        sched_route_delete(s, meta.ns, meta.name);
    return r.code < 0 ? r.code : sched_route_put(s, &route, err);
}

static const struct kind {
    const char *kind, *group;
    int (*put)(struct sched *s, struct arena *a, const struct json *obj, struct err *err);
} kinds[] = {
    {"Node", "", put_node},
    {"Pod", "", put_pod},
    {"PodGroup", "scheduling.run.ai", put_group},
    {"PodGroup", "scheduling.godel.kubewharf.io", put_group},
    {"PodGroup", "scheduling.x-k8s.io", put_group},
    {"PodGroup", "scheduling.sigs.k8s.io", put_group},
    {"PodGroup", "scheduling.volcano.sh", put_group},
    {"PodGroup", "scheduling.k8s.io", put_group},
    {"TaskResourceGroup", "kuscia.secretflow", put_group},
    {"ClusterDomainRoute", "kuscia.secretflow", put_route},
    {"DomainRoute", "kuscia.secretflow", put_route},
    {"PersistentVolume", "", put_pv},
    {"PersistentVolumeClaim", "", put_pvc},
    {"StorageClass", "storage.k8s.io", put_storage_class},
    {"CSINode", "storage.k8s.io", put_csinode},
    {"PodDisruptionBudget", "policy", put_pdb},
    {"Namespace", "", put_namespace},
    {"PriorityClass", "scheduling.k8s.io", put_priority_class},
    {"Topology", "kai.scheduler", put_topology},
    {"Topology", "kueue.x-k8s.io", put_topology},
};

static const struct kind *kind_find(str version, str kind)
{
    str group = S("");
    if (str_find_char(version, '/') >= 0)
        str_cut(&version, '/', &group);
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
        if (str_is(kind, kinds[i].kind) && str_is(group, kinds[i].group))
            return &kinds[i];
    return NULL;
}

static int put_one(struct sched *s, const struct json *obj, str version, str kind, bool *ret_known, struct err *err)
{
    const struct kind *k = kind_find(version, kind);
    if (!k)
        return 0;
    ARENA_AUTO a = ARENA_INIT;
    int r = k->put(s, &a, obj, err);
    if (r == 0)
        *ret_known = true;
    return r < 0 && err ? err_wrap(err, STR_FMT " " STR_FMT ": ", STR_ARG(kind), STR_ARG(json_get_str(json_get(obj, S("metadata")), S("name")))) : r;
}

/* Items of a PodList and its like need not repeat kind and version. */
static int put_list(struct sched *s, const struct json *obj, str version, str kind, bool *ret_known, struct err *err)
{
    const struct json *items = json_get(obj, S("items"));
    size_t n = json_is(items, JSON_ARRAY) ? items->len : 0;
    /* priority classes and topologies first: pods and groups of the same list may name them */
    for (size_t turn = 0; turn < 2 * n; turn++) {
        size_t i = turn % n;
        str item_kind = json_get_str(&items->items[i], S("kind")), item_version = json_get_str(&items->items[i], S("apiVersion"));
        bool first = str_is(item_kind, "PriorityClass") || str_is(item_kind, "Topology");
        if (first != (turn < n))
            continue;
        int r = put_one(s, &items->items[i], item_version.len ? item_version : version, item_kind.len ? item_kind : str_sub(kind, 0, kind.len - 4), ret_known, err);
        if (r < 0)
            return err ? err_wrap(err, "items[%zu]: ", i) : r;
    }
    return 0;
}

int object_put(struct sched *s, const struct json *obj, bool *ret_known, struct err *err)
{
    bool known = false;
    str kind = json_get_str(obj, S("kind")), version = json_get_str(obj, S("apiVersion"));
    if (!json_is(obj, JSON_OBJECT) || str_empty(kind))
        return err_set(err, E_INVALID_ARG, "kind: is missing");
    int r = str_has_suffix(kind, S("List")) ? put_list(s, obj, version, kind, &known, err) : put_one(s, obj, version, kind, &known, err);
    if (r == 0 && ret_known)
        *ret_known = known;
    return r;
}
