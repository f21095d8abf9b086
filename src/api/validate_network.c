/* validate_network.c - ingresses, network policies, endpoint slices, service ranges. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

/* --- ingresses ------------------------------------------------------------------------------------------------------------------ */

static void check_host(struct vctx *c, const struct vpath *p, str host)
{
    struct v_address a;
    if (host.len == 0)
        return;
    if (v_parse_ip(host, &a))
        v_invalid_str(c, p, host, "must be a DNS name, not an IP address");
    v_check(c, p, host, str_find_char(host, '*') >= 0 ? validate_wildcard_subdomain : validate_dns1123_subdomain);
}

static void check_path_form(struct vctx *c, const struct vpath *p, str path)
{
    static const char *const inside[] = {"//", "/./", "/../", "%2f", "%2F"}, *const at_end[] = {"/..", "/."};
    for (size_t i = 0; i < ARRAY_LEN(inside); i++) {
        if (str_find(path, str_of(inside[i])) >= 0)
            v_invalid_str(c, p, path, "must not contain '%s'", inside[i]);
    }
    for (size_t i = 0; i < ARRAY_LEN(at_end); i++) {
        if (str_has_suffix(path, str_of(at_end[i])))
            v_invalid_str(c, p, path, "cannot end with '%s'", at_end[i]);
    }
}

void v_ingress_path(struct vctx *c, const struct vpath *p, const struct json *path)
{
    str type = V_STR(path, "pathType"), text = V_STR(path, "path");
    bool strict = v_in(type, "Exact|Prefix"), absolute = text.len && text.p[0] == '/';
    if (!absolute && (strict || (text.len && str_is(type, "ImplementationSpecific"))))
        v_invalid_str(c, V_FIELD(p, "path"), text, "must be an absolute path");
    if (strict && text.len)
        check_path_form(c, V_FIELD(p, "path"), text);
    if (!V_GET(path, "backend"))
        v_invalid_str(c, V_FIELD(p, "backend"), S(""), "resource or service backend is required");
}

static void check_service_backend(struct vctx *c, const struct vpath *p, const struct json *service)
{
    const struct json *port = V_GET(service, "port");
    const struct vpath *at = V_FIELD(V_FIELD(p, "service"), "port");
    str name = V_STR(port, "name");
    int64_t number = V_INT(port, "number");
    v_check_member(c, V_FIELD(p, "service"), service, S("name"), validate_dns1035_label);
    if (name.len && number)
        v_invalid_str(c, p, S(""), "cannot set both port name & port number");
    else if (name.len)
        v_check(c, V_FIELD(at, "name"), name, validate_port_name);
    else if (number)
        v_port(c, V_FIELD(at, "number"), number);
    else
        v_required(c, p, "port name or number is required");
}

static void check_reference(struct vctx *c, const struct vpath *p, const struct json *ref)
{
    v_check_member(c, p, ref, S("apiGroup"), validate_dns1123_subdomain);
    v_check_member(c, p, ref, S("kind"), validate_path_segment);
    v_check_member(c, p, ref, S("name"), validate_path_segment);
}

void v_ingress_backend(struct vctx *c, const struct vpath *p, const struct json *backend)
{
    const struct json *service = V_GET(backend, "service"), *resource = V_GET(backend, "resource");
    if (service && resource)
        v_invalid_str(c, p, S(""), "cannot set both resource and service backends");
    else if (resource)
        check_reference(c, V_FIELD(p, "resource"), resource);
    else if (service)
        check_service_backend(c, p, service);
    else
        v_invalid_str(c, p, S(""), "resource or service backend is required");
}

void v_ingress_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *rules = V_GET(spec, "rules"), *tls = V_GET(spec, "tls");
    static const struct json none = {.type = JSON_ARRAY};
    if (v_len(rules) == 0 && !V_GET(spec, "defaultBackend"))
        v_invalid(c, p, &none, "either `defaultBackend` or `rules` must be specified");
    v_foreach (rule, i, rules)
        check_host(c, V_FIELD(V_INDEX(V_FIELD(p, "rules"), i), "host"), V_STR(rule, "host"));
    v_foreach (entry, i, tls) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "tls"), i);
        const struct json *hosts = V_GET(entry, "hosts");
        v_foreach (host, k, hosts) {
            bool wild = str_find_char(json_str(host), '*') >= 0;
            v_check(c, V_INDEX(V_FIELD(at, "hosts"), k), json_str(host), wild ? validate_wildcard_subdomain : validate_dns1123_subdomain);
        }
        v_check_member(c, at, entry, S("secretName"), validate_dns1123_subdomain);
    }
    v_check_member(c, p, spec, S("ingressClassName"), validate_dns1123_subdomain);
}

void v_ingress(struct vctx *c, const struct vpath *p, const struct json *ingress)
{
    static const str key = STR_INIT("kubernetes.io/ingress.class");
    static const struct json none = {.type = JSON_ARRAY};
    const struct json *class = V_GET(V_GET(ingress, "spec"), "ingressClassName"),
                      *note = v_get(V_GET(V_GET(ingress, "metadata"), "annotations"), key);
    if (!V_GET(ingress, "spec"))
        v_invalid(c, V_FIELD(p, "spec"), &none, "either `defaultBackend` or `rules` must be specified");
    if (!c->old && class && note && !str_eq(json_str(class), json_str(note)))
        v_invalid(c, V_MEMBER(V_FIELD(p, "annotations"), key), note, "must match `ingressClassName` when both are specified");
}

void v_ingress_class(struct vctx *c, const struct vpath *p, const struct json *class)
{
    const struct json *spec = V_GET(class, "spec"), *parameters = V_GET(spec, "parameters"), *ns = V_GET(parameters, "namespace");
    const struct vpath *at = V_FIELD(p, "spec"), *parameters_at = V_FIELD(at, "parameters");
    str controller = V_STR(spec, "controller"), scope = V_STR(parameters, "scope");
    if (controller.len > 250)
        v_too_long(c, V_FIELD(at, "controller"), 250);
    v_domain_prefixed_path(c, V_FIELD(at, "controller"), controller);
    if (!parameters)
        return;
    check_reference(c, parameters_at, parameters);
    if (str_is(scope, "Namespace") && !ns)
        v_required(c, V_FIELD(parameters_at, "namespace"), "`parameters.scope` is set to 'Namespace'");
    else if (str_is(scope, "Cluster") && ns)
        v_forbidden(c, V_FIELD(parameters_at, "namespace"), "`parameters.scope` is set to 'Cluster'");
    else if (ns)
        v_check(c, V_FIELD(parameters_at, "namespace"), json_str(ns), validate_dns1123_label);
}

/* --- network policies ------------------------------------------------------------------------------------------------------------- */

void v_network_policy_port(struct vctx *c, const struct vpath *p, const struct json *port)
{
    const struct json *number = V_GET(port, "port"), *end = V_GET(port, "endPort");
    int64_t last = V_INT(port, "endPort");
    if (number)
        v_port_or_name(c, V_FIELD(p, "port"), number);
    if (!end)
        return;
    if (!number)
        v_invalid(c, V_FIELD(p, "endPort"), end, "may not be specified when `port` is not specified");
    else if (number->type == JSON_STRING)
        v_invalid(c, V_FIELD(p, "endPort"), end, "may not be specified when `port` is non-numeric");
    else if (last < V_INT(port, "port"))
        v_invalid(c, V_FIELD(p, "endPort"), number, "must be greater than or equal to `port`");
    else
        v_port(c, V_FIELD(p, "endPort"), last);
}

void v_network_policy_peer(struct vctx *c, const struct vpath *p, const struct json *peer)
{
    bool selects = V_GET(peer, "podSelector") || V_GET(peer, "namespaceSelector");
    if (!selects && !V_GET(peer, "ipBlock"))
        v_required(c, p, "must specify a peer");
    else if (selects && V_GET(peer, "ipBlock"))
        v_forbidden(c, p, "may not specify both ipBlock and another peer");
}

/* Whether the range `part`, of at least as many bits, lies in `whole`. */
static bool lies_in(const struct v_address *part, unsigned part_bits, const struct v_address *whole, unsigned whole_bits)
{
    if (part->v6 != whole->v6 || part_bits <= whole_bits)
        return false;
    unsigned bytes = whole_bits / 8, rest = whole_bits % 8;
    if (memcmp(part->bytes, whole->bytes, bytes) != 0)
        return false;
    return rest == 0 || (part->bytes[bytes] ^ whole->bytes[bytes]) >> (8 - rest) == 0;
}

void v_ip_block(struct vctx *c, const struct vpath *p, const struct json *block)
{
    const struct json *except = V_GET(block, "except");
    struct v_address whole, part;
    unsigned bits, part_bits;
    str cidr = V_STR(block, "cidr");
    if (cidr.len == 0)
        return;
    if (!v_parse_cidr(cidr, &whole, &bits)) {
        v_cidr(c, V_FIELD(p, "cidr"), cidr);
        return;
    }
    v_foreach (range, i, except) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "except"), i);
        if (!v_parse_cidr(json_str(range), &part, &part_bits))
            v_cidr(c, at, json_str(range));
        else if (!lies_in(&part, part_bits, &whole, bits))
            v_invalid(c, at, range, "must be a strict subset of `cidr`");
    }
}

void v_network_policy_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *types = V_GET(spec, "policyTypes");
    if (v_len(types) > 2)
        v_invalid(c, V_FIELD(p, "policyTypes"), types, "may not specify more than two policyTypes");
}

/* --- endpoint slices ----------------------------------------------------------------------------------------------------------------- */

enum { SLICE_ENDPOINTS_MAX = 1000, SLICE_ADDRESSES_MAX = 100, SLICE_PORTS_MAX = 20000, SLICE_HINTS_MAX = 8 };

static bool limit_len(struct vctx *c, const struct vpath *p, const struct json *list, int max)
{
    if (v_len(list) <= (size_t)max)
        return true;
    struct json n = json_int(c->e->arena, (int64_t)list->len);
    v_error(c, FIELD_TOO_MANY, p, &n, "must have at most %d items", max);
    return false;
}

static void check_address(struct vctx *c, const struct vpath *p, size_t i, str type, str address)
{
    struct v_address a;
    if (str_is(type, "FQDN")) {
        v_check(c, V_INDEX(p, i), address, validate_dns1123_subdomain);
    } else if (!v_parse_ip(address, &a)) {
        v_ip(c, V_INDEX(p, i), address);
    } else {
        if (a.v6 != str_is(type, "IPv6"))
            v_invalid_str(c, p, address, "must be an " STR_FMT " address", STR_ARG(type));
        v_endpoint_ip(c, V_INDEX(p, i), address);
    }
}

static void check_hints(struct vctx *c, const struct vpath *p, const struct json *hints, str key, v_rule *rule)
{
    struct v_map seen;
    const struct vpath *at = V_MEMBER(p, key);
    const struct json *list = v_get(hints, key);
    v_map_init(&seen, c->e->arena);
    if (!limit_len(c, at, list, SLICE_HINTS_MAX))
        return;
    v_foreach (hint, i, list) {
        str name = V_STR(hint, "name");
        if (!v_set_add(&seen, name))
            v_duplicate(c, V_FIELD(V_INDEX(at, i), "name"), name);
        v_check(c, V_FIELD(V_INDEX(at, i), "name"), name, rule);
    }
}

static void check_endpoint(struct vctx *c, const struct vpath *p, const struct json *endpoint, str type)
{
    const struct json *addresses = V_GET(endpoint, "addresses"), *hints = V_GET(endpoint, "hints");
    limit_len(c, V_FIELD(p, "addresses"), addresses, SLICE_ADDRESSES_MAX);
    v_foreach (address, i, addresses)
        check_address(c, V_FIELD(p, "addresses"), i, type, json_str(address));
    v_check_member(c, p, endpoint, S("nodeName"), validate_dns1123_subdomain);
    v_check_member(c, p, endpoint, S("hostname"), validate_dns1123_label);
    check_hints(c, V_FIELD(p, "hints"), hints, S("forZones"), validate_label_value);
    check_hints(c, V_FIELD(p, "hints"), hints, S("forNodes"), validate_dns1123_subdomain);
}

static void check_slice_ports(struct vctx *c, const struct vpath *p, const struct json *ports)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    limit_len(c, p, ports, SLICE_PORTS_MAX);
    v_foreach (port, i, ports) {
        const struct vpath *at = V_INDEX(p, i);
        v_check_member(c, at, port, S("name"), validate_dns1123_label);
        if (!v_set_add(&seen, V_STR(port, "name")))
            v_duplicate(c, V_FIELD(at, "name"), V_STR(port, "name"));
        v_check_member(c, at, port, S("appProtocol"), validate_qualified_name);
    }
}

void v_endpoint_slice(struct vctx *c, const struct vpath *p, const struct json *slice)
{
    const struct json *endpoints = V_GET(slice, "endpoints");
    str type = V_STR(slice, "addressType");
    if (type.len == 0)
        v_required(c, V_FIELD(p, "addressType"), V_NO_DETAIL);
    check_slice_ports(c, V_FIELD(p, "ports"), V_GET(slice, "ports"));
    if (!v_in(type, "IPv4|IPv6|FQDN") || (c->old && v_same_member(&schema_discovery_v1_EndpointSlice, slice, c->old, S("endpoints"))))
        return;
    limit_len(c, V_FIELD(p, "endpoints"), endpoints, SLICE_ENDPOINTS_MAX);
    v_foreach (endpoint, i, endpoints)
        check_endpoint(c, V_INDEX(V_FIELD(p, "endpoints"), i), endpoint, type);
}

/* --- service ranges ---------------------------------------------------------------------------------------------------------------------
 */

void v_ip_address(struct vctx *c, const struct vpath *p, const struct json *address)
{
    const struct json *parent = V_GET(V_GET(address, "spec"), "parentRef");
    const struct vpath *at = V_FIELD(V_FIELD(p, "spec"), "parentRef");
    if (!parent) {
        v_required(c, at, V_NO_DETAIL);
        return;
    }
    v_check_member(c, at, parent, S("group"), validate_dns1123_subdomain);
    v_check_member(c, at, parent, S("resource"), validate_path_segment);
    v_check_member(c, at, parent, S("name"), validate_path_segment);
    v_check_member(c, at, parent, S("namespace"), validate_path_segment);
}

void v_service_cidr(struct vctx *c, const struct vpath *p, const struct json *object)
{
    const struct json *cidrs = V_GET(V_GET(object, "spec"), "cidrs"), *old = V_GET(V_GET(c->old, "spec"), "cidrs");
    const struct vpath *at = V_FIELD(V_FIELD(p, "spec"), "cidrs");
    static const struct json none = {.type = JSON_ARRAY};
    struct v_address a[2];
    unsigned bits;
    if (v_len(cidrs) == 0)
        v_required(c, at, "at least one CIDR required");
    if (v_len(cidrs) > 2)
        v_invalid(c, at, cidrs, "may only hold up to 2 values");
    v_foreach (cidr, i, cidrs)
        v_cidr(c, V_INDEX(at, i), json_str(cidr));
    if (v_len(cidrs) == 2 && v_parse_cidr(json_str(&cidrs->items[0]), &a[0], &bits) &&
        v_parse_cidr(json_str(&cidrs->items[1]), &a[1], &bits) && a[0].v6 == a[1].v6)
        v_invalid(c, at, cidrs, "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64");
    bool grows = v_len(old) == 1 && v_len(cidrs) == 2 && str_eq(json_str(&old->items[0]), json_str(&cidrs->items[0]));
    if (c->old && !grows && !v_same(NULL, cidrs, old))
        v_invalid(c, at, cidrs ? cidrs : &none, V_IMMUTABLE);
}
