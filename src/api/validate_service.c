/* validate_service.c - services: ports, addresses, and which settings go with which type. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

static bool is_headless(const struct json *spec)
{
    const struct json *ips = V_GET(spec, "clusterIPs");
    if (v_len(ips) == 0)
        return str_is(V_STR(spec, "clusterIP"), "None");
    return ips->len == 1 && str_is(json_str(&ips->items[0]), "None");
}

/* --- ports ---------------------------------------------------------------------------------------------------------------- */

static void check_port(struct vctx *c, const struct vpath *p, const struct json *port, bool needs_name, struct v_map *names)
{
    str name = V_STR(port, "name");
    if (needs_name && name.len == 0) {
        v_required(c, V_FIELD(p, "name"), V_NO_DETAIL);
    } else if (name.len) {
        v_check(c, V_FIELD(p, "name"), name, validate_dns1123_label);
        if (!v_set_add(names, name))
            v_duplicate(c, V_FIELD(p, "name"), name);
    }
    v_port(c, V_FIELD(p, "port"), V_INT(port, "port"));
    v_port_or_name(c, V_FIELD(p, "targetPort"), V_GET(port, "targetPort"));
    v_check_member(c, p, port, S("appProtocol"), validate_qualified_name);
}

static str port_key(struct vctx *c, const struct json *port, int64_t number)
{
    return arena_fmt(c->e->arena, STR_FMT "/%lld", STR_ARG(V_STR(port, "protocol")), (long long)number);
}

static void check_unique_ports(struct vctx *c, const struct vpath *p, const struct json *ports)
{
    struct v_map numbers, node_ports;
    if (v_len(ports) < 2)
        return;
    v_map_init(&numbers, c->e->arena);
    v_map_init(&node_ports, c->e->arena);
    v_foreach (port, i, ports) {
        int64_t node_port = V_INT(port, "nodePort");
        struct json value = json_int(c->e->arena, node_port);
        if (node_port && !v_set_add(&node_ports, port_key(c, port, node_port)))
            v_error(c, FIELD_DUPLICATE, V_FIELD(V_INDEX(p, i), "nodePort"), &value, V_NO_DETAIL);
        if (v_set_add(&numbers, port_key(c, port, V_INT(port, "port"))))
            continue;
        struct json key = json_object();
        json_set(c->e->arena, &key, S("port"), json_int(c->e->arena, V_INT(port, "port")));
        json_set(c->e->arena, &key, S("protocol"), json_string(V_STR(port, "protocol")));
        v_error(c, FIELD_DUPLICATE, V_INDEX(p, i), &key, V_NO_DETAIL);
    }
}

static void check_ports(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *ports = V_GET(spec, "ports");
    str type = V_STR(spec, "type");
    struct v_map names;
    v_map_init(&names, c->e->arena);
    if (v_len(ports) == 0 && !is_headless(spec) && !str_is(type, "ExternalName"))
        v_required(c, p, V_NO_DETAIL);
    v_foreach (port, i, ports) {
        check_port(c, V_INDEX(p, i), port, ports->len > 1, &names);
        if (str_is(type, "ClusterIP") && V_INT(port, "nodePort"))
            v_forbidden(c, V_FIELD(V_INDEX(p, i), "nodePort"), "may not be used when `type` is 'ClusterIP'");
    }
    check_unique_ports(c, p, ports);
}

/* --- what goes with a type ---------------------------------------------------------------------------------------------------- */

static void check_external_name(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str banned[] = {STR_INIT("clusterIPs"), STR_INIT("ipFamilies"), STR_INIT("ipFamilyPolicy")};
    for (size_t i = 0; i < ARRAY_LEN(banned); i++) {
        const struct json *v = v_get(spec, banned[i]);
        if (v && !(v->type == JSON_ARRAY && v->len == 0))
            v_forbidden(c, V_MEMBER(p, banned[i]), "may not be set for ExternalName services");
    }
    str name = V_STR(spec, "externalName");
    if (str_has_suffix(name, S(".")))
        name.len--;
    if (name.len)
        v_check(c, V_FIELD(p, "externalName"), name, validate_dns1123_subdomain);
    else
        v_required(c, V_FIELD(p, "externalName"), V_NO_DETAIL);
}

static void check_type(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    str type = V_STR(spec, "type");
    if (v_in(type, "LoadBalancer|NodePort") && is_headless(spec))
        v_invalid_str(c, V_INDEX(V_FIELD(p, "clusterIPs"), 0), S("None"), "may not be set to 'None' for " STR_FMT " services",
                      STR_ARG(type));
    if (str_is(type, "ExternalName"))
        check_external_name(c, p, spec);
    if (str_is(type, "LoadBalancer")) {
        v_check_member(c, p, spec, S("loadBalancerClass"), validate_qualified_name);
        return;
    }
    static const struct {
        str key;
        const char *shown;
    } balancer_only[] = {{STR_INIT("loadBalancerSourceRanges"), "LoadBalancerSourceRanges"},
                         {STR_INIT("allocateLoadBalancerNodePorts"), "allocateLoadBalancerNodePorts"},
                         {STR_INIT("loadBalancerClass"), "loadBalancerClass"}};
    for (size_t i = 0; i < ARRAY_LEN(balancer_only); i++) {
        if (v_get(spec, balancer_only[i].key))
            v_forbidden(c, V_MEMBER(p, str_of(balancer_only[i].shown)), "may only be used when `type` is 'LoadBalancer'");
    }
}

static void check_affinity(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *config = V_GET(spec, "sessionAffinityConfig"), *client = V_GET(config, "clientIP");
    const struct vpath *at = V_FIELD(p, "sessionAffinityConfig");
    str affinity = V_STR(spec, "sessionAffinity");
    if (str_is(affinity, "None") && config)
        v_forbidden(c, at, "must not be set when session affinity is None");
    if (!str_is(affinity, "ClientIP") || !config)
        return;
    int64_t timeout = json_get_int(client, S("timeoutSeconds"), 10800);
    if (!client)
        v_required(c, V_FIELD(at, "clientIP"), "when session affinity type is ClientIP");
    else if (timeout <= 0 || timeout > 86400)
        v_invalid_int(c, V_FIELD(V_FIELD(at, "clientIP"), "timeoutSeconds"), timeout, "must be greater than 0 and less than 86400");
}

static void check_traffic_policy(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    str type = V_STR(spec, "type"), policy = V_STR(spec, "externalTrafficPolicy");
    int64_t health = V_INT(spec, "healthCheckNodePort");
    bool reachable = v_in(type, "LoadBalancer|NodePort") || (str_is(type, "ClusterIP") && v_len(V_GET(spec, "externalIPs")));
    if (!reachable && policy.len)
        v_invalid_str(c, V_FIELD(p, "externalTrafficPolicy"), policy, "may only be set for externally-accessible services");
    if (str_is(type, "LoadBalancer") && str_is(policy, "Local")) {
        if (health)
            v_port(c, V_FIELD(p, "healthCheckNodePort"), health);
    } else if (health) {
        v_invalid_int(c, V_FIELD(p, "healthCheckNodePort"), health,
                      "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'");
    }
    const struct json *distribution = V_GET(spec, "trafficDistribution");
    if (distribution && !str_is(json_str(distribution), "PreferClose"))
        v_unsupported(c, V_FIELD(p, "trafficDistribution"), json_str(distribution), "PreferClose");
}

/* --- addresses -------------------------------------------------------------------------------------------------------------------- */

static void check_families(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *families = V_GET(spec, "ipFamilies"), *ips = V_GET(spec, "clusterIPs");
    if (v_len(families) == 2 && str_eq(json_str(&families->items[0]), json_str(&families->items[1])))
        v_duplicate(c, V_INDEX(V_FIELD(p, "ipFamilies"), 1), json_str(&families->items[1]));
    for (size_t i = 0; i < MIN(v_len(ips), v_len(families)); i++) {
        struct v_address a;
        str ip = json_str(&ips->items[i]);
        if (!v_parse_ip(ip, &a) || a.v6 == str_is(json_str(&families->items[i]), "IPv6"))
            continue;
        v_invalid_str(c, V_INDEX(V_FIELD(p, "clusterIPs"), i), ip, "expected an IPv%c value as indicated by `ipFamilies[%zu]`",
                      a.v6 ? '4' : '6', i);
    }
}

static void check_cluster_ips(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *ips = V_GET(spec, "clusterIPs");
    const struct vpath *at = V_FIELD(p, "clusterIPs");
    str first = V_STR(spec, "clusterIP");
    struct v_address a[2];
    if (v_len(ips) && first.len == 0)
        v_invalid(c, at, ips, "must be empty when `clusterIP` is not specified");
    else if (v_len(ips) && !str_eq(json_str(&ips->items[0]), first))
        v_invalid(c, at, ips, "first value must match `clusterIP`");
    else if (v_len(ips) == 0 && first.len && !str_is(first, "None"))
        v_ip(c, V_INDEX(at, 0), first);
    if (v_len(ips) > 1 && str_is(json_str(&ips->items[0]), "None"))
        v_invalid(c, at, ips, "'None' must be the first and only value");
    v_foreach (ip, i, ips) {
        if (i || !str_is(json_str(ip), "None"))
            v_ip(c, V_INDEX(at, i), json_str(ip));
    }
    if (v_len(ips) > 2)
        v_invalid(c, at, ips, "may only hold up to 2 values");
    if (v_len(ips) == 2 && v_parse_ip(json_str(&ips->items[0]), &a[0]) && v_parse_ip(json_str(&ips->items[1]), &a[1]) && a[0].v6 == a[1].v6)
        v_invalid(c, at, ips, "may specify no more than one IP for each IP family");
    check_families(c, p, spec);
}

static void check_external_ips(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *ips = V_GET(spec, "externalIPs"), *ranges = V_GET(spec, "loadBalancerSourceRanges");
    v_foreach (ip, i, ips)
        v_endpoint_ip(c, V_INDEX(V_FIELD(p, "externalIPs"), i), json_str(ip));
    v_foreach (range, i, ranges)
        v_cidr(c, V_INDEX(V_FIELD(p, "LoadBalancerSourceRanges"), i), str_trim(json_str(range)));
}

/* --- update ------------------------------------------------------------------------------------------------------------------------- */

static void check_ips_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    static const struct json empty = {.type = JSON_ARRAY};
    const struct json *now = V_GET(spec, "clusterIPs"), *before = V_GET(old, "clusterIPs");
    if (!now)
        now = &empty;
    if (is_headless(spec) && is_headless(old))
        return;
    if (v_len(before) && now->len == 0) {
        v_invalid(c, V_INDEX(V_FIELD(p, "clusterIPs"), 0), now, "primary clusterIP can not be unset");
        return;
    }
    for (size_t i = 0; i < MIN(v_len(before), (size_t)now->len); i++) {
        bool fixed = i == 0 || v_len(before) == now->len;
        if (fixed && !str_eq(json_str(&before->items[i]), json_str(&now->items[i])))
            v_invalid(c, V_INDEX(V_FIELD(p, "clusterIPs"), i), now, "may not change once set");
    }
    if (v_len(before) > now->len && !str_is(V_STR(spec, "ipFamilyPolicy"), "SingleStack"))
        v_invalid_str(c, V_FIELD(p, "ipFamilyPolicy"), V_STR(spec, "ipFamilyPolicy"),
                      "must be set to 'SingleStack' when releasing the secondary clusterIP");
}

static void check_families_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = V_GET(spec, "ipFamilies"), *before = V_GET(old, "ipFamilies");
    if (is_headless(spec) || is_headless(old))
        return;
    for (size_t i = 0; i < MIN(v_len(before), v_len(now)); i++) {
        bool fixed = i == 0 || v_len(before) == v_len(now);
        if (fixed && !str_eq(json_str(&before->items[i]), json_str(&now->items[i])))
            v_invalid(c, V_INDEX(V_FIELD(p, "ipFamilies"), 0), now, "may not change once set");
    }
}

static bool checks_health(const struct json *spec)
{
    return str_is(V_STR(spec, "type"), "LoadBalancer") && str_is(V_STR(spec, "externalTrafficPolicy"), "Local");
}

static void check_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    bool had_ips = !str_is(V_STR(old, "type"), "ExternalName") && !str_is(V_STR(spec, "type"), "ExternalName");
    if (had_ips) {
        check_ips_update(c, p, spec, old);
        check_families_update(c, p, spec, old);
    }
    if (str_is(V_STR(old, "type"), "LoadBalancer") && str_is(V_STR(spec, "type"), "LoadBalancer") &&
        !v_same_member(&schema_core_v1_ServiceSpec, spec, old, S("loadBalancerClass")))
        v_invalid_str(c, V_FIELD(p, "loadBalancerClass"), V_STR(spec, "loadBalancerClass"), "may not change once set");
    if (checks_health(spec) && checks_health(old) && V_INT(spec, "healthCheckNodePort") != V_INT(old, "healthCheckNodePort"))
        v_forbidden(c, V_FIELD(p, "healthCheckNodePort"), V_IMMUTABLE);
}

void v_service(struct vctx *c, const struct vpath *p UNUSED, const struct json *service)
{
    const struct json *spec = V_GET(service, "spec");
    const struct vpath *at = V_FIELD(NULL, "spec");
    if (c->old)
        check_update(c, at, spec, V_GET(c->old, "spec"));
    check_ports(c, V_FIELD(at, "ports"), spec);
    check_type(c, at, spec);
    v_labels(c, V_FIELD(at, "selector"), V_GET(spec, "selector"));
    check_affinity(c, at, spec);
    if (!str_is(V_STR(spec, "type"), "ExternalName"))
        check_cluster_ips(c, at, spec);
    check_external_ips(c, at, spec);
    check_traffic_policy(c, at, spec);
}
