/* validate_core.c - the smaller kinds of the core group: configuration, namespaces, nodes, quotas, endpoints, events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"
#include "base/bandwidth.h"

#define DATA_MAX_BYTES (1 << 20)

/* Bytes that a base64 text stands for. */
static size_t decoded_len(str text)
{
    size_t pad = 0;
    while (pad < 2 && pad < text.len && text.p[text.len - 1 - pad] == '=')
        pad++;
    return text.len / 4 * 3 - pad;
}

/* --- config maps and secrets -------------------------------------------------------------------------------------------------- */

static void check_frozen(struct vctx *c, const struct json *obj, const char *const *fields)
{
    if (!V_BOOL(c->old, "immutable"))
        return;
    if (!V_BOOL(obj, "immutable"))
        v_forbidden(c, V_FIELD(NULL, "immutable"), "field is immutable when `immutable` is set");
    for (; *fields; fields++) {
        if (!v_same_member(c->res->type, obj, c->old, str_of(*fields)))
            v_forbidden(c, V_MEMBER(NULL, str_of(*fields)), "field is immutable when `immutable` is set");
    }
}

void v_config_map(struct vctx *c, const struct vpath *p, const struct json *map)
{
    static const char *const frozen[] = {"data", "binaryData", NULL};
    const struct json *data = V_GET(map, "data"), *binary = V_GET(map, "binaryData");
    struct v_map binary_keys;
    size_t total = 0;
    check_frozen(c, map, frozen);
    v_map_init(&binary_keys, c->e->arena);
    v_foreach_member (m, binary) {
        v_check(c, V_KEY(V_FIELD(p, "binaryData"), m->key), m->key, validate_config_key);
        v_set_add(&binary_keys, m->key);
        total += decoded_len(json_str(&m->value));
    }
    v_foreach_member (m, data) {
        v_check(c, V_KEY(V_FIELD(p, "data"), m->key), m->key, validate_config_key);
        if (v_set_has(&binary_keys, m->key))
            v_invalid_str(c, V_KEY(V_FIELD(p, "data"), m->key), m->key, "duplicate of key present in binaryData");
        total += json_str(&m->value).len;
    }
    if (total > DATA_MAX_BYTES)
        v_too_long(c, V_FIELD(p, ""), DATA_MAX_BYTES);
}

static void check_secret_type(struct vctx *c, const struct vpath *p, const struct json *secret, const struct json *data)
{
    static const struct {
        const char *type, *keys[2];
    } needed[] = {
        {"kubernetes.io/dockercfg", {".dockercfg", NULL}},
        {"kubernetes.io/dockerconfigjson", {".dockerconfigjson", NULL}},
        {"kubernetes.io/ssh-auth", {"ssh-privatekey", NULL}},
        {"kubernetes.io/tls", {"tls.crt", "tls.key"}},
    };
    str type = V_STR(secret, "type");
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        for (size_t k = 0; k < 2 && needed[i].keys[k] && str_is(type, needed[i].type); k++) {
            if (!v_get(data, str_of(needed[i].keys[k])))
                v_required(c, V_KEY(p, str_of(needed[i].keys[k])), V_NO_DETAIL);
        }
    }
    if (str_is(type, "kubernetes.io/basic-auth") && !V_GET(data, "username") && !V_GET(data, "password")) {
        v_required(c, V_KEY(p, S("username")), V_NO_DETAIL);
        v_required(c, V_KEY(p, S("password")), V_NO_DETAIL);
    }
    static const str account = STR_INIT("kubernetes.io/service-account.name");
    if (str_is(type, "kubernetes.io/service-account-token") &&
        json_get_str(V_GET(V_GET(secret, "metadata"), "annotations"), account).len == 0)
        v_required(c, V_KEY(V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), account), V_NO_DETAIL);
}

void v_secret(struct vctx *c, const struct vpath *p, const struct json *secret)
{
    static const char *const frozen[] = {"data", NULL};
    const struct json *data = V_GET(secret, "data");
    const struct vpath *at = V_FIELD(p, "data");
    size_t total = 0;
    check_frozen(c, secret, frozen);
    v_foreach_member (m, data) {
        v_check(c, V_KEY(at, m->key), m->key, validate_config_key);
        total += decoded_len(json_str(&m->value));
    }
    if (total > DATA_MAX_BYTES)
        v_too_long(c, at, DATA_MAX_BYTES);
    check_secret_type(c, at, secret, data);
}

/* --- namespaces and nodes -------------------------------------------------------------------------------------------------------- */

void v_namespace(struct vctx *c, const struct vpath *p, const struct json *ns)
{
    const struct json *finalizers = V_GET(V_GET(ns, "spec"), "finalizers");
    const struct vpath *at = V_FIELD(V_FIELD(p, "spec"), "finalizers");
    v_foreach (f, i, finalizers) {
        str name = json_str(f);
        if (v_check(c, at, name, validate_qualified_name) && str_find_char(name, '/') < 0 &&
            !v_in(name, "kubernetes|orphan|foregroundDeletion"))
            v_invalid_str(c, at, name, "name is neither a standard finalizer name nor is it fully qualified");
    }
}

void v_namespace_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    str phase = V_STR(status, "phase");
    bool deleting = V_GET(V_GET(c->obj, "metadata"), "deletionTimestamp");
    if (!deleting && phase.len && !str_is(phase, "Active"))
        v_invalid_str(c, V_FIELD(p, "Phase"), phase, "may only be 'Active' if `deletionTimestamp` is empty");
    else if (deleting && !str_is(phase, "Terminating"))
        v_invalid_str(c, V_FIELD(p, "Phase"), phase, "may only be 'Terminating' if `deletionTimestamp` is not empty");
}

static void check_taints(struct vctx *c, const struct vpath *p, const struct json *taints)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (taint, i, taints) {
        str key = V_STR(taint, "key"), effect = V_STR(taint, "effect");
        const struct vpath *at = V_INDEX(p, i);
        v_check_member(c, at, taint, S("key"), validate_qualified_name);
        v_check(c, V_FIELD(at, "value"), V_STR(taint, "value"), validate_label_value);
        if (v_len(taints) > 1 && !v_set_add(&seen, arena_fmt(c->e->arena, STR_FMT ":" STR_FMT, STR_ARG(key), STR_ARG(effect))))
            v_error(c, FIELD_DUPLICATE, at, taint, "taints must be unique by key and effect pair");
    }
}

static void check_pod_cidrs(struct vctx *c, const struct vpath *p, const struct json *cidrs)
{
    struct v_address a[2];
    unsigned bits;
    v_foreach (cidr, i, cidrs)
        v_cidr(c, V_INDEX(p, i), json_str(cidr));
    bool same_family = v_len(cidrs) == 2 && v_parse_cidr(json_str(&cidrs->items[0]), &a[0], &bits) &&
                       v_parse_cidr(json_str(&cidrs->items[1]), &a[1], &bits) && a[0].v6 == a[1].v6;
    if (v_len(cidrs) > 2 || same_family)
        v_invalid(c, p, cidrs, "may specify no more than one CIDR for each IP family");
}

/* What agents and the scheduler read: a mistake would leave them with what was before. */
static void check_bandwidth_notes(struct vctx *c, const struct vpath *p, const struct json *notes)
{
    static const str overcommit = STR_INIT("cox.io/bandwidth-overcommit"), capacity = STR_INIT(BANDWIDTH_CAPACITY), lending = STR_INIT(BANDWIDTH_LENDING);
    const struct json *have = v_get(notes, capacity), *factor = v_get(notes, overcommit), *lends = v_get(notes, lending);
    struct err err = ERR_NONE;
    int64_t bits[BANDWIDTH_ENDS];
    double times;
    if (have && bandwidth_parse_ends(json_str(have), bits, &err) < 0)
        v_invalid_str(c, V_KEY(p, capacity), json_str(have), "%s", err.msg);
    if (factor && (!str_to_double(json_str(factor), &times) || !(times > 0 && times <= 1000)))
        v_invalid_str(c, V_KEY(p, overcommit), json_str(factor), "must be a factor above 0 and up to 1000");
    if (lends && !str_is(json_str(lends), "true") && !str_is(json_str(lends), "false"))
        v_invalid_str(c, V_KEY(p, lending), json_str(lends), "must be true or false");
}

void v_node(struct vctx *c, const struct vpath *p, const struct json *node)
{
    const struct json *spec = V_GET(node, "spec"), *old = V_GET(c->old, "spec");
    const struct vpath *at = V_FIELD(p, "spec");
    check_bandwidth_notes(c, V_FIELD(V_FIELD(p, "metadata"), "annotations"), V_GET(V_GET(node, "metadata"), "annotations"));
    /* the path is Kubernetes' own */
    check_taints(c, V_FIELD(V_FIELD(p, "metadata"), "taints"), V_GET(spec, "taints"));
    check_pod_cidrs(c, V_FIELD(at, "podCIDRs"), V_GET(spec, "podCIDRs"));
    if (!c->old) {
        v_node_status(c, V_FIELD(p, "status"), V_GET(node, "status")); /* a node registers with it */
        return;
    }
    if (v_len(V_GET(old, "podCIDRs")) && !v_same_member(&schema_core_v1_NodeSpec, spec, old, S("podCIDRs")))
        v_forbidden(c, V_FIELD(at, "podCIDRs"), "node updates may not change podCIDR except from \"\" to valid");
    if (V_STR(old, "providerID").len && !str_eq(V_STR(old, "providerID"), V_STR(spec, "providerID")))
        v_forbidden(c, V_FIELD(at, "providerID"), "node updates may not change providerID except from \"\" to valid");
}

void v_node_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    static const str lists[] = {STR_INIT("capacity"), STR_INIT("allocatable")};
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const struct json *list = v_get(status, lists[i]);
        v_foreach_member (m, list)
            v_resource_quantity(c, V_MEMBER(V_MEMBER(p, lists[i]), m->key), m->key, &m->value);
    }
}

void v_binding(struct vctx *c, const struct vpath *p, const struct json *binding)
{
    const struct json *target = V_GET(binding, "target");
    str kind = V_STR(target, "kind");
    if (kind.len && !str_is(kind, "Node"))
        v_unsupported(c, V_FIELD(V_FIELD(p, "target"), "kind"), kind, "Node|<empty>");
    if (V_STR(target, "name").len == 0)
        v_required(c, V_FIELD(V_FIELD(p, "target"), "name"), V_NO_DETAIL);
}

/* --- limits and quotas -------------------------------------------------------------------------------------------------------------- */

#define COUNTED                                                                                                                            \
    "pods|resourcequotas|services|replicationcontrollers|secrets|configmaps|persistentvolumeclaims|services.nodeports|services.loadbalancers"
#define COMPUTE                                                                                                                            \
    "cpu|memory|ephemeral-storage|requests.cpu|requests.memory|requests.ephemeral-storage|limits.cpu|limits.memory|limits.ephemeral-storage"
#define QUOTA_RESOURCES COUNTED "|" COMPUTE "|requests.storage"

static bool is_huge_quota(str name)
{
    return str_has_prefix(name, S("hugepages-")) || str_has_prefix(name, S("requests.hugepages-"));
}

static void check_limit_names(struct vctx *c, const struct vpath *p, str type, const struct json *list)
{
    bool of_container = v_in(type, "Pod|Container");
    v_foreach_member (m, list) {
        const struct vpath *at = V_KEY(p, m->key);
        if (of_container)
            v_resource_name(c, at, m->key);
        else if (v_check(c, at, m->key, validate_qualified_name) && str_find_char(m->key, '/') < 0 &&
                 !v_in(m->key, QUOTA_RESOURCES "|storage") && !is_huge_quota(m->key))
            v_invalid_str(c, at, m->key, "must be a standard resource type or fully qualified");
    }
}

/* low <= high for each resource in both, or the sentence with both values. */
static void check_order(struct vctx *c, const struct vpath *p, const struct json *low, const struct json *high, const struct json *shown,
                        const char *low_name, const char *high_name)
{
    struct v_map by_name;
    struct quantity a, b;
    v_map_init(&by_name, c->e->arena);
    v_foreach_member (m, high)
        v_map_put(&by_name, m->key, &m->value);
    v_foreach_member (m, low) {
        const struct json *other = v_map_get(&by_name, m->key);
        if (!other || !quantity_parse(json_str(&m->value), &a) || !quantity_parse(json_str(other), &b) || quantity_cmp(&a, &b) <= 0)
            continue;
        v_invalid(c, V_KEY(p, m->key), shown == low ? &m->value : other, "%s value " STR_FMT " is greater than %s value " STR_FMT, low_name,
                  STR_ARG(json_str(&m->value)), high_name, STR_ARG(json_str(other)));
    }
}

static void check_ratios(struct vctx *c, const struct vpath *p, const struct json *ratios)
{
    struct quantity ratio, one = quantity_from_i64(1);
    v_foreach_member (m, ratios) {
        if (quantity_parse(json_str(&m->value), &ratio) && quantity_cmp(&ratio, &one) < 0)
            v_invalid(c, V_KEY(p, m->key), &m->value, "ratio " STR_FMT " is less than 1", STR_ARG(json_str(&m->value)));
    }
}

void v_limit_range_item(struct vctx *c, const struct vpath *p, const struct json *limit)
{
    static const str lists[] = {STR_INIT("max"), STR_INIT("min"), STR_INIT("default"), STR_INIT("defaultRequest"),
                                STR_INIT("maxLimitRequestRatio")};
    const struct json *min = V_GET(limit, "min"), *max = V_GET(limit, "max"), *dflt = V_GET(limit, "default"),
                      *request = V_GET(limit, "defaultRequest");
    str type = V_STR(limit, "type");
    bool of_pod = str_is(type, "Pod");
    if (v_check(c, V_FIELD(p, "type"), type, validate_qualified_name) && str_find_char(type, '/') < 0 &&
        !v_in(type, "Pod|Container|PersistentVolumeClaim"))
        v_invalid_str(c, V_FIELD(p, "type"), type, "must be a standard limit type or fully qualified");
    for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
        const struct json *list = v_get(limit, lists[i]);
        if (of_pod && v_len(list) && (i == 2 || i == 3))
            v_forbidden(c, V_MEMBER(p, lists[i]), "may not be specified when `type` is 'Pod'");
        else
            check_limit_names(c, V_MEMBER(p, lists[i]), type, list);
    }
    if (str_is(type, "PersistentVolumeClaim") && !V_GET(min, "storage") && !V_GET(max, "storage"))
        v_required(c, V_FIELD(p, "limits"), "either minimum or maximum storage value is required, but neither was provided");
    check_order(c, V_FIELD(p, "min"), min, max, min, "min", "max");
    if (!of_pod) {
        check_order(c, V_FIELD(p, "defaultRequest"), min, request, request, "min", "default request");
        check_order(c, V_FIELD(p, "defaultRequest"), request, max, request, "default request", "max");
        check_order(c, V_FIELD(p, "defaultRequest"), request, dflt, request, "default request", "default limit");
        check_order(c, V_FIELD(p, "default"), min, dflt, min, "min", "default");
        check_order(c, V_FIELD(p, "default"), dflt, max, max, "default", "max");
    }
    check_ratios(c, V_FIELD(p, "maxLimitRequestRatio"), V_GET(limit, "maxLimitRequestRatio"));
}

void v_limit_range(struct vctx *c, const struct vpath *p, const struct json *range)
{
    const struct json *limits = V_GET(V_GET(range, "spec"), "limits");
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (limit, i, limits) {
        if (!v_set_add(&seen, V_STR(limit, "type")))
            v_duplicate(c, V_FIELD(V_INDEX(V_FIELD(V_FIELD(p, "spec"), "limits"), i), "type"), V_STR(limit, "type"));
    }
}

#define POD_SCOPES "Terminating|NotTerminating|BestEffort|NotBestEffort|CrossNamespacePodAffinity"
#define ALL_SCOPES POD_SCOPES "|PriorityClass|VolumeAttributesClass"

static bool scope_counts(str scope, str resource)
{
    if (str_is(scope, "BestEffort"))
        return str_is(resource, "pods");
    if (str_is(scope, "VolumeAttributesClass"))
        return v_in(resource, "persistentvolumeclaims|requests.storage");
    return v_in(resource, "pods|cpu|memory|limits.cpu|limits.memory|requests.cpu|requests.memory");
}

/* Resources of the quota that objects in the scope cannot have: one error each, as in Kubernetes. */
static void check_scope_resources(struct vctx *c, const struct vpath *p, str scope, const struct json *hard, const struct json *shown)
{
    if (!v_in(scope, ALL_SCOPES))
        return;
    v_foreach_member (m, hard) {
        bool standard = v_in(m->key, QUOTA_RESOURCES) || is_huge_quota(m->key);
        if (standard && !scope_counts(scope, m->key))
            v_invalid(c, p, shown, "unsupported scope applied to resource");
    }
}

static bool conflict(const struct v_map *scopes)
{
    return (v_set_has(scopes, S("BestEffort")) && v_set_has(scopes, S("NotBestEffort"))) ||
           (v_set_has(scopes, S("Terminating")) && v_set_has(scopes, S("NotTerminating")));
}

static void check_scope_requirement(struct vctx *c, const struct vpath *p, const struct json *req)
{
    str scope = V_STR(req, "scopeName"), op = V_STR(req, "operator");
    const struct json *values = V_GET(req, "values");
    if (!v_in(scope, ALL_SCOPES))
        v_invalid_str(c, V_FIELD(p, "scopeName"), scope, "unsupported scope");
    if (v_in(scope, POD_SCOPES) && !str_is(op, "Exists"))
        v_invalid_str(c, V_FIELD(p, "operator"), op,
                      "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, "
                      "ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity");
    if (!v_in(op, "In|NotIn|Exists|DoesNotExist"))
        v_invalid_str(c, V_FIELD(p, "operator"), op, "not a valid selector operator");
    else if (v_in(op, "In|NotIn") && v_len(values) == 0)
        v_required(c, V_FIELD(p, "values"), "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    else if (v_in(op, "Exists|DoesNotExist") && v_len(values))
        v_invalid(c, V_FIELD(p, "values"), values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
}

static void check_hard(struct vctx *c, const struct vpath *p, const struct json *hard)
{
    v_foreach_member (m, hard) {
        const struct vpath *at = V_KEY(p, m->key);
        if (v_check(c, at, m->key, validate_qualified_name) && str_find_char(m->key, '/') < 0 && !v_in(m->key, QUOTA_RESOURCES) &&
            !is_huge_quota(m->key))
            v_invalid_str(c, at, m->key, "must be a standard resource for quota");
        v_resource_quantity(c, at, m->key, &m->value);
    }
}

void v_resource_quota_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *hard = V_GET(spec, "hard"), *scopes = V_GET(spec, "scopes"), *selector = V_GET(spec, "scopeSelector");
    const struct json *requirements = V_GET(selector, "matchExpressions");
    const struct vpath *at = V_FIELD(p, "scopes"), *selector_at = V_FIELD(V_FIELD(p, "scopeSelector"), "matchExpressions");
    struct v_map seen, selected;
    v_map_init(&seen, c->e->arena);
    v_map_init(&selected, c->e->arena);
    check_hard(c, V_FIELD(p, "hard"), hard);
    v_foreach (scope, i, scopes) {
        if (!v_in(json_str(scope), ALL_SCOPES))
            v_invalid(c, at, scopes, "unsupported scope");
        check_scope_resources(c, at, json_str(scope), hard, scopes);
        v_set_add(&seen, json_str(scope));
    }
    if (conflict(&seen))
        v_invalid(c, at, scopes, "conflicting scopes");
    v_foreach (req, i, requirements) {
        check_scope_requirement(c, selector_at, req);
        check_scope_resources(c, selector_at, V_STR(req, "scopeName"), hard, selector);
        v_set_add(&selected, V_STR(req, "scopeName"));
    }
    if (conflict(&selected))
        v_invalid(c, selector_at, scopes ? scopes : requirements, "conflicting scopes");
}

static bool same_set(struct vctx *c, const struct json *a, const struct json *b)
{
    struct v_map in_a, in_b;
    v_map_init(&in_a, c->e->arena);
    v_map_init(&in_b, c->e->arena);
    v_foreach (x, i, a)
        v_set_add(&in_a, json_str(x));
    v_foreach (x, i, b) {
        if (!v_set_has(&in_a, json_str(x)))
            return false;
        v_set_add(&in_b, json_str(x));
    }
    return in_a.len == in_b.len;
}

void v_resource_quota(struct vctx *c, const struct vpath *p, const struct json *quota)
{
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *now = V_GET(V_GET(quota, "spec"), "scopes");
    if (c->old && !same_set(c, now, V_GET(V_GET(c->old, "spec"), "scopes")))
        v_invalid(c, V_FIELD(V_FIELD(p, "spec"), "scopes"), now ? now : &none, V_IMMUTABLE);
}

/* --- endpoints ------------------------------------------------------------------------------------------------------------------------ */

static void check_addresses(struct vctx *c, const struct vpath *p, const struct json *addresses)
{
    v_foreach (address, i, addresses) {
        const struct vpath *at = V_INDEX(p, i);
        v_endpoint_ip(c, V_FIELD(at, "ip"), V_STR(address, "ip"));
        v_check_member(c, at, address, S("hostname"), validate_dns1123_label);
        v_check_member(c, at, address, S("nodeName"), validate_dns1123_subdomain);
    }
}

static void check_subset(struct vctx *c, const struct vpath *p, const struct json *subset)
{
    const struct json *ready = V_GET(subset, "addresses"), *waiting = V_GET(subset, "notReadyAddresses"), *ports = V_GET(subset, "ports");
    if (v_len(ready) + v_len(waiting) == 0)
        v_required(c, p, "must specify `addresses` or `notReadyAddresses`");
    check_addresses(c, V_FIELD(p, "addresses"), ready);
    check_addresses(c, V_FIELD(p, "notReadyAddresses"), waiting);
    v_foreach (port, i, ports) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "ports"), i);
        if (ports->len > 1 && V_STR(port, "name").len == 0)
            v_required(c, V_FIELD(at, "name"), V_NO_DETAIL);
        v_check_member(c, at, port, S("name"), validate_dns1123_label);
        v_port(c, V_FIELD(at, "port"), V_INT(port, "port"));
        v_check_member(c, at, port, S("appProtocol"), validate_qualified_name);
    }
}

void v_endpoints(struct vctx *c, const struct vpath *p, const struct json *endpoints)
{
    const struct json *subsets = V_GET(endpoints, "subsets");
    if (c->old && v_same_member(&schema_core_v1_Endpoints, endpoints, c->old, S("subsets")))
        return;
    v_foreach (subset, i, subsets)
        check_subset(c, V_INDEX(V_FIELD(p, "subsets"), i), subset);
}

/* --- events: core/v1 and events.k8s.io/v1 share the rules, not the names
 * ------------------------------------------------------------------ */

static void check_length(struct vctx *c, const struct vpath *p, const struct json *event, str key, size_t max)
{
    if (json_get_str(event, key).len > max)
        v_invalid_str(c, V_MEMBER(p, key), S(""), "can have at most %zu characters", max);
}

static void check_new_event(struct vctx *c, const struct vpath *p, const struct json *event, bool is_core)
{
    static const struct {
        str key;
        size_t max;
    } needed[] = {{STR_INIT("reportingInstance"), 128}, {STR_INIT("action"), 128}, {STR_INIT("reason"), 128}};
    str controller = is_core ? S("reportingComponent") : S("reportingController");
    if (json_get_str(event, controller).len == 0)
        v_required(c, V_MEMBER(p, controller), V_NO_DETAIL);
    v_check(c, V_MEMBER(p, controller), json_get_str(event, controller), validate_qualified_name);
    for (size_t i = 0; i < ARRAY_LEN(needed); i++) {
        if (json_get_str(event, needed[i].key).len == 0)
            v_required(c, V_MEMBER(p, needed[i].key), V_NO_DETAIL);
        check_length(c, p, event, needed[i].key, needed[i].max);
    }
    check_length(c, p, event, is_core ? S("message") : S("note"), 1024);
}

static void check_events_v1(struct vctx *c, const struct vpath *p, const struct json *event)
{
    const struct json *series = V_GET(event, "series");
    if (!V_GET(event, "eventTime"))
        v_required(c, V_FIELD(p, "eventTime"), V_NO_DETAIL);
    if (!v_in(V_STR(event, "type"), "Normal|Warning"))
        v_invalid_str(c, V_FIELD(p, "type"), S(""), "has invalid value: " STR_FMT, STR_ARG(V_STR(event, "type")));
    if (series && V_INT(series, "count") < 2)
        v_invalid_str(c, V_FIELD(p, "series.count"), S(""), "should be at least 2");
    if (series && !V_GET(series, "lastObservedTime"))
        v_required(c, V_FIELD(p, "series.lastObservedTime"), V_NO_DETAIL);
}

void v_event(struct vctx *c, const struct vpath *p, const struct json *event)
{
    bool is_core = c->res->group.len == 0, is_new_style = V_GET(event, "eventTime");
    str ns = V_STR(V_GET(event, "metadata"), "namespace"),
        about = V_STR(json_get(event, is_core ? S("involvedObject") : S("regarding")), "namespace");
    bool matches = is_new_style ? about.len || v_in(ns, "default|kube-system") : about.len ? str_eq(ns, about) : v_in(ns, "default|");
    if (!matches)
        v_invalid_str(c, V_FIELD(V_FIELD(p, "involvedObject"), "namespace"), about, "does not match event.namespace");
    if (is_new_style)
        check_new_event(c, p, event, is_core);
    if (!is_core && !c->old)
        check_events_v1(c, p, event);
}
