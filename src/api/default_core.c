/* Computed defaults of the core kinds and of those that have one line each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/default_internal.h"
#include "base/map.h"
#include "wire/base64.h"

/* The items of a list member; *ret_n 0 when it is absent. */
static struct json *items_of(const struct json *obj, str key, uint32_t *ret_n)
{
    struct json *list = json_get(obj, key);
    *ret_n = json_is(list, JSON_ARRAY) ? list->len : 0;
    return *ret_n ? list->items : NULL;
}

/* A map takes a key without address for a free slot. */
static str map_key(str key)
{
    return key.len ? key : S("");
}

/* Copies the members of `from` that `to` does not have, or all of them when they overwrite.  Clients choose how many there are, so
 * keys are found by hash. */
static void merge(struct arena *a, struct json *to, const struct json *from, bool overwrite)
{
    if (!from || !from->len)
        return;
    struct map index = MAP_INIT;
    for (uint32_t i = 0; i < to->len; i++)
        map_put(&index, map_key(to->members[i].key), (void *)(uintptr_t)(i + 1));
    struct json merged = {.type = JSON_OBJECT, .len = to->len, .cap = to->len + from->len};
    merged.members = arena_alloc(a, merged.cap * sizeof *merged.members);
    if (to->len)
        memcpy(merged.members, to->members, to->len * sizeof *to->members);
    for (uint32_t i = 0; i < from->len; i++) {
        uintptr_t at = (uintptr_t)map_get(&index, map_key(from->members[i].key));
        if (!at)
            merged.members[merged.len++] = from->members[i];
        else if (overwrite)
            merged.members[at - 1].value = from->members[i].value;
    }
    map_fini(&index);
    *to = merged;
}

/* --- pods ----------------------------------------------------------------------------------------------- */

/* Repository names are lower case; the first component may be a host, which is free to use capitals. */
static bool is_image_name(str name)
{
    ptrdiff_t slash = str_find_char(name, '/');
    str path = slash < 0 ? name : str_from(name, (size_t)slash + 1);
    for (size_t i = 0; i < path.len; i++)
        if (!((path.p[i] >= 'a' && path.p[i] <= 'z') || (path.p[i] >= '0' && path.p[i] <= '9') || memchr("._-/", path.p[i], 4)))
            return false;
    return path.len > 0;
}

/* No tag and no digest means latest.  What is no image reference at all has no tag either, and is pulled if not present. */
static bool image_is_latest(str image)
{
    ptrdiff_t at = str_find_char(image, '@');
    str name = at < 0 ? image : str_sub(image, 0, (size_t)at);
    ptrdiff_t colon = str_rfind_char(name, ':'), slash = str_rfind_char(name, '/');
    bool tagged = colon > slash;
    if (!is_image_name(tagged ? str_sub(name, 0, (size_t)colon) : name))
        return false;
    return tagged ? str_is(str_from(name, (size_t)colon + 1), "latest") : at < 0;
}

void default_container(struct arena *a, struct json *obj)
{
    if (!json_get_str(obj, S("imagePullPolicy")).len)
        json_set(a, obj, S("imagePullPolicy"),
                 json_string(image_is_latest(json_get_str(obj, S("image"))) ? S("Always") : S("IfNotPresent")));
}

/* serviceAccount is the old name of serviceAccountName: both say the same, the new one wins. */
void default_pod_spec(struct arena *a, struct json *obj)
{
    str name = json_get_str(obj, S("serviceAccountName")), old = json_get_str(obj, S("serviceAccount"));
    if (!name.len && old.len)
        json_set(a, obj, S("serviceAccountName"), json_string(old));
    else if (name.len)
        json_set(a, obj, S("serviceAccount"), json_string(name));
}

static void requests_from_limits(struct arena *a, struct json *container)
{
    const struct json *limits = json_path(container, "resources", "limits", NULL);
    if (limits && limits->len) {
        struct json *resources = json_get(container, S("resources"));
        merge(a, json_ensure_object(a, resources, S("requests")), limits, false);
    }
}

static void host_ports(struct arena *a, struct json *container)
{
    uint32_t n;
    struct json *ports = items_of(container, S("ports"), &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct json *port = json_get(&ports[i], S("containerPort"));
        if (port && !json_get_int(&ports[i], S("hostPort"), 0) && json_get_int(&ports[i], S("containerPort"), 0))
            json_set(a, &ports[i], S("hostPort"), *port);
    }
}

/* What pods get and pod templates do not, so that a rollout does not see a change where nobody made one. */
void default_pod(struct arena *a, struct json *obj)
{
    static const struct json grace_one = {.type = JSON_NUMBER, .len = 1, .s = "1"};
    static const char *const lists[] = {"containers", "initContainers"};
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    bool host_network = json_get_bool(spec, S("hostNetwork"), false);
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        uint32_t n;
        struct json *containers = items_of(spec, str_of(lists[l]), &n);
        for (uint32_t i = 0; i < n; i++) {
            requests_from_limits(a, &containers[i]);
            if (host_network)
                host_ports(a, &containers[i]);
        }
    }
    default_missing(a, spec, S("enableServiceLinks"), json_bool(true));
    if (json_get_int(spec, S("terminationGracePeriodSeconds"), 0) < 0)
        json_set(a, spec, S("terminationGracePeriodSeconds"), grace_one);
}

/* One value and the list of which it is the first: podIP and podIPs.  The single one, when given, decides. */
static void sync_first(struct arena *a, struct json *obj, str single, str list, str item_key)
{
    uint32_t n;
    const struct json *items = items_of(obj, list, &n);
    str one = json_get_str(obj, single);
    str first = n ? (item_key.len ? json_get_str(&items[0], item_key) : json_str(&items[0])) : S("");
    if (!one.len) {
        if (first.len)
            json_set(a, obj, single, json_string(first));
        return;
    }
    if (n && str_eq(one, first))
        return;
    struct json made = json_array(), item = json_string(one);
    if (item_key.len) {
        item = json_object();
        json_set(a, &item, item_key, json_string(one));
    }
    json_push(a, &made, item);
    json_set(a, obj, list, made);
}

void default_pod_status(struct arena *a, struct json *obj)
{
    sync_first(a, obj, S("podIP"), S("podIPs"), S("ip"));
}

/* A volume that names no source is an empty directory. */
void default_volume(struct arena *a, struct json *obj)
{
    if (obj->len == (json_get(obj, S("name")) != NULL))
        json_set(a, obj, S("emptyDir"), json_object());
}

void default_replication_controller(struct arena *a, struct json *obj)
{
    const struct json *labels = json_path(obj, "spec", "template", "metadata", "labels", NULL);
    if (!labels)
        return;
    default_string_map(a, json_get(obj, S("spec")), S("selector"), labels);
    default_string_map(a, json_ensure_object(a, obj, S("metadata")), S("labels"), labels);
}

/* --- services ------------------------------------------------------------------------------------------- */

static void service_affinity(struct arena *a, struct json *spec)
{
    if (!str_is(json_get_str(spec, S("sessionAffinity")), "ClientIP")) {
        if (str_is(json_get_str(spec, S("sessionAffinity")), "None") || !json_get_str(spec, S("sessionAffinity")).len)
            json_del(spec, S("sessionAffinityConfig"));
    } else if (!json_path(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds", NULL)) {
        json_set(a, spec, S("sessionAffinityConfig"), json_literal(a, "{\"clientIP\":{\"timeoutSeconds\":10800}}"));
    }
}

static void service_ports(struct arena *a, struct json *spec)
{
    uint32_t n;
    struct json *ports = items_of(spec, S("ports"), &n);
    for (uint32_t i = 0; i < n; i++) {
        const struct json *port = json_get(&ports[i], S("port"));
        str target = json_str(json_get(&ports[i], S("targetPort")));
        if (port && (!target.len || str_is(target, "0")))
            json_set(a, &ports[i], S("targetPort"), *port);
    }
}

static void ingress_ip_mode(struct arena *a, struct json *obj)
{
    uint32_t n;
    struct json *ingress = items_of(json_path(obj, "status", "loadBalancer", NULL), S("ingress"), &n);
    for (uint32_t i = 0; i < n; i++)
        if (json_get_str(&ingress[i], S("ip")).len)
            default_missing(a, &ingress[i], S("ipMode"), json_string(S("VIP")));
}

void default_service(struct arena *a, struct json *obj)
{
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    str type = json_get_str(spec, S("type"));
    bool balancer = str_is(type, "LoadBalancer"), node_port = str_is(type, "NodePort");
    bool cluster = !type.len || str_is(type, "ClusterIP");
    uint32_t external_ips;
    items_of(spec, S("externalIPs"), &external_ips);
    service_affinity(a, spec);
    service_ports(a, spec);
    if ((balancer || node_port || (cluster && external_ips)) && !json_get_str(spec, S("externalTrafficPolicy")).len)
        json_set(a, spec, S("externalTrafficPolicy"), json_string(S("Cluster")));
    if (balancer || node_port || cluster)
        default_missing(a, spec, S("internalTrafficPolicy"), json_string(S("Cluster")));
    if (balancer) {
        default_missing(a, spec, S("allocateLoadBalancerNodePorts"), json_bool(true));
        ingress_ip_mode(a, obj);
    }
}

/* --- configuration, nodes, quotas ------------------------------------------------------------------------- */

/* stringData is for writing only: it overwrites data and is never read back. */
void default_secret(struct arena *a, struct json *obj)
{
    struct json *texts = json_get(obj, S("stringData"));
    if (!texts)
        return;
    struct json values = *texts;
    json_del(obj, S("stringData"));
    for (uint32_t i = 0; i < values.len; i++)
        values.members[i].value = json_string(base64_encode(a, BASE64_STD, json_str(&values.members[i].value)));
    if (values.len)
        merge(a, json_ensure_object(a, obj, S("data")), &values, true);
}

void default_namespace(struct arena *a, struct json *obj)
{
    struct json *metadata = json_get(obj, S("metadata"));
    str name = json_get_str(metadata, S("name"));
    if (name.len)
        json_set(a, json_ensure_object(a, metadata, S("labels")), S("kubernetes.io/metadata.name"), json_string(name));
}

void default_node_spec(struct arena *a, struct json *obj)
{
    sync_first(a, obj, S("podCIDR"), S("podCIDRs"), S(""));
}

void default_node_status(struct arena *a, struct json *obj)
{
    default_string_map(a, obj, S("allocatable"), json_get(obj, S("capacity")));
}

void default_limit_range_item(struct arena *a, struct json *obj)
{
    if (!str_is(json_get_str(obj, S("type")), "Container"))
        return;
    struct json limit = json_object(), request = json_object();
    merge(a, &limit, json_get(obj, S("default")), false);
    merge(a, &limit, json_get(obj, S("max")), false);
    merge(a, &request, json_get(obj, S("defaultRequest")), false);
    merge(a, &request, &limit, false);
    merge(a, &request, json_get(obj, S("min")), false);
    if (limit.len)
        json_set(a, obj, S("default"), limit);
    if (request.len)
        json_set(a, obj, S("defaultRequest"), request);
}

/* --- other groups ------------------------------------------------------------------------------------------- */

/* A policy is about incoming traffic, and about outgoing traffic when it has rules for it. */
void default_network_policy(struct arena *a, struct json *obj)
{
    uint32_t n;
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    items_of(spec, S("policyTypes"), &n);
    if (n)
        return;
    items_of(spec, S("egress"), &n);
    struct json types = json_array();
    json_push(a, &types, json_string(S("Ingress")));
    if (n)
        json_push(a, &types, json_string(S("Egress")));
    json_set(a, spec, S("policyTypes"), types);
}

void default_subject(struct arena *a, struct json *obj)
{
    str kind = json_get_str(obj, S("kind"));
    if (!json_get_str(obj, S("apiGroup")).len && (str_is(kind, "User") || str_is(kind, "Group")))
        json_set(a, obj, S("apiGroup"), json_string(S("rbac.authorization.k8s.io")));
}

static str lower_case(struct arena *a, str s)
{
    char *p = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        p[i] = s.p[i] >= 'A' && s.p[i] <= 'Z' ? (char)(s.p[i] | 0x20) : s.p[i];
    p[s.len] = 0;
    return str_n(p, s.len);
}

static void stored_versions(struct arena *a, struct json *obj)
{
    uint32_t n;
    items_of(json_get(obj, S("status")), S("storedVersions"), &n);
    if (n)
        return;
    const struct json *versions = items_of(json_get(obj, S("spec")), S("versions"), &n);
    for (uint32_t i = 0; i < n; i++)
        if (json_get_bool(&versions[i], S("storage"), false)) {
            struct json list = json_array();
            json_push(a, &list, json_string(json_get_str(&versions[i], S("name"))));
            json_set(a, json_ensure_object(a, obj, S("status")), S("storedVersions"), list);
            return;
        }
}

void default_custom_resource_definition(struct arena *a, struct json *obj)
{
    struct json *names = json_ensure_object(a, json_ensure_object(a, obj, S("spec")), S("names"));
    str kind = json_get_str(names, S("kind"));
    if (kind.len && !json_get_str(names, S("singular")).len)
        json_set(a, names, S("singular"), json_string(lower_case(a, kind)));
    if (kind.len && !json_get_str(names, S("listKind")).len)
        json_set(a, names, S("listKind"), json_string(arena_cat(a, kind, S("List"))));
    stored_versions(a, obj);
}
