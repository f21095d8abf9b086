/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/alloc.h"

#include <arpa/inet.h>

#define NODE_PORT_MIN 30000
#define NODE_PORT_MAX 32767
#define ALLOC_TRIES 4096

bool alloc_parse_cidr(str cidr, uint32_t *ret_base, uint32_t *ret_count)
{
    str head;
    uint64_t bits;
    char text[64];
    struct in_addr addr;
    if (!str_cut(&cidr, '/', &head) || !str_to_u64(cidr, &bits) || bits < 8 || bits > 30 || head.len >= sizeof text)
        return false;
    memcpy(text, head.p, head.len);
    text[head.len] = 0;
    if (inet_pton(AF_INET, text, &addr) != 1)
        return false;
    uint32_t mask = 0xffffffffu << (32 - bits);
    *ret_base = ntohl(addr.s_addr) & mask;
    *ret_count = ~mask + 1;
    return true;
}

static str ip_text(struct arena *a, uint32_t ip)
{
    return arena_fmt(a, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255, ip & 255);
}

/* By an operation of this very transaction? */
static bool is_reserved(const struct write_run *r, str key)
{
    for (size_t i = 1; i < r->txn.nops; i++)
        if (str_eq(r->ops[i].key, key))
            return true;
    return false;
}

static bool in_use(struct write_run *r, str key)
{
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(r->q->srv->store, key);
    return kv || is_reserved(r, key);
}

/* The value is the key of the service that holds it: a number that merely stands in a spec is neither kept nor given back. */
static bool owns(struct write_run *r, str key, rev_t *ret_rev)
{
    CLEANUP(store_kv_unref) struct store_kv *kv = store_get(r->q->srv->store, key);
    if (!kv || !str_eq(store_kv_value(kv), r->key))
        return false;
    *ret_rev = kv->mod_rev;
    return true;
}

static void reserve(struct write_run *r, str key)
{
    write_add_op(r, (struct store_op){.type = STORE_PUT, .key = key, .value = r->key, .expect = 0});
}

static void release(struct write_run *r, str key)
{
    rev_t rev;
    if (!is_reserved(r, key) && owns(r, key, &rev))
        write_add_op(r, (struct store_op){.type = STORE_DELETE, .key = key, .expect = rev});
}

static str ip_key(struct write_run *r, str ip)
{
    return arena_cat(r->q->arena, S("/a/ip/"), ip);
}

static str port_key(struct write_run *r, int64_t port)
{
    return arena_fmt(r->q->arena, "/a/port/%lld", (long long)port);
}

static void take_given_ip(struct write_run *r, str ip)
{
    uint32_t base, count;
    struct in_addr addr;
    struct json value = json_string(ip);
    str cidr = str_of(r->q->srv->opts.service_cidr);
    const char *text = arena_cstr(r->q->arena, ip);
    BUG_ON(!alloc_parse_cidr(cidr, &base, &count));
    if (inet_pton(AF_INET, text, &addr) != 1 || ntohl(addr.s_addr) - base >= count)
        field_error_add(r->errors, FIELD_INVALID, S("spec.clusterIPs"), &value, "failed to allocate IP " STR_FMT ": the provided network does not match the current range", STR_ARG(ip));
    else if (in_use(r, ip_key(r, ip)))
        field_error_add(r->errors, FIELD_INVALID, S("spec.clusterIPs"), &value, "failed to allocate IP " STR_FMT ": provided IP is already allocated", STR_ARG(ip));
    else
        reserve(r, ip_key(r, ip));
}

static str take_free_ip(struct write_run *r)
{
    uint32_t base, count;
    BUG_ON(!alloc_parse_cidr(str_of(r->q->srv->opts.service_cidr), &base, &count));
    uint64_t start = object_random();
    for (uint32_t i = 0; i < ALLOC_TRIES && i < count; i++) {
        uint32_t offset = (uint32_t)((start + i) % count);
        if (offset < 2 || offset == count - 1)
            continue; /* network, the kubernetes service, broadcast */
        str ip = ip_text(r->q->arena, base + offset);
        if (!in_use(r, ip_key(r, ip))) {
            reserve(r, ip_key(r, ip));
            return ip;
        }
    }
    field_error_add(r->errors, FIELD_INVALID, S("spec.clusterIPs"), NULL, "failed to allocate a serviceIP: range is full");
    return S("");
}

static bool wants_ip(str type)
{
    return !str_is(type, "ExternalName");
}

static bool wants_ports(str type)
{
    return str_is(type, "NodePort") || str_is(type, "LoadBalancer");
}

static void set_cluster_ip(struct write_run *r, struct json *spec, str ip)
{
    struct arena *a = r->q->arena;
    struct json list = json_array();
    json_push(a, &list, json_string(ip));
    json_set(a, spec, S("clusterIP"), json_string(ip));
    json_set(a, spec, S("clusterIPs"), list);
    bool headless_without_selector = str_is(ip, "None") && !json_get(spec, S("selector"));
    if (!json_get(spec, S("ipFamilies")))
        json_set(a, spec, S("ipFamilies"), json_literal(a, headless_without_selector ? "[\"IPv4\",\"IPv6\"]" : "[\"IPv4\"]"));
    if (!json_get_str(spec, S("ipFamilyPolicy")).len)
        json_set(a, spec, S("ipFamilyPolicy"), json_string(headless_without_selector ? S("RequireDualStack") : S("SingleStack")));
}

static void allocate_ip(struct write_run *r, struct json *spec)
{
    str ip = json_get_str(spec, S("clusterIP"));
    const struct json *ips = json_get(spec, S("clusterIPs"));
    if (!ip.len && json_is(ips, JSON_ARRAY) && ips->len)
        ip = json_str(&ips->items[0]);
    if (!ip.len)
        ip = take_free_ip(r);
    else if (!str_is(ip, "None"))
        take_given_ip(r, ip);
    if (ip.len)
        set_cluster_ip(r, spec, ip);
}

/* An address that a type without one was given stands where validation looks for it. */
static void show_given_ip(struct write_run *r, struct json *spec)
{
    str ip = json_get_str(spec, S("clusterIP"));
    if (ip.len)
        set_cluster_ip(r, spec, ip);
}

static int64_t take_free_port(struct write_run *r)
{
    uint64_t start = object_random(), count = NODE_PORT_MAX - NODE_PORT_MIN + 1;
    for (uint64_t i = 0; i < count; i++) {
        int64_t port = NODE_PORT_MIN + (int64_t)((start + i) % count);
        if (!in_use(r, port_key(r, port))) {
            reserve(r, port_key(r, port));
            return port;
        }
    }
    field_error_add(r->errors, FIELD_INVALID, S("spec.ports"), NULL, "failed to allocate a nodePort: range is full");
    return 0;
}

/* Do the first n ports name it? */
static bool ports_have(const struct json *ports, uint32_t n, int64_t port)
{
    for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < MIN(n, ports->len); i++)
        if (json_get_int(&ports->items[i], S("nodePort"), 0) == port)
            return true;
    return false;
}

static void take_given_port(struct write_run *r, uint32_t index, int64_t port)
{
    str field = arena_fmt(r->q->arena, "spec.ports[%u].nodePort", index);
    struct json value = json_int(r->q->arena, port);
    if (port < NODE_PORT_MIN || port > NODE_PORT_MAX)
        field_error_add(r->errors, FIELD_INVALID, field, &value, "provided port is not in the valid range. The range of valid ports is %d-%d", NODE_PORT_MIN, NODE_PORT_MAX);
    else if (in_use(r, port_key(r, port)))
        field_error_add(r->errors, FIELD_INVALID, field, &value, "provided port is already allocated");
    else
        reserve(r, port_key(r, port));
}

/* The node port of the item that speaks for the same port number: the old one of the same protocol, or that of an earlier item with another protocol (53/UDP and 53/TCP share one).  0: none. */
static int64_t usual_port(const struct json *old_ports, const struct json *ports, uint32_t i)
{
    const struct json *p = &ports->items[i];
    int64_t number = json_get_int(p, S("port"), 0), found = 0;
    for (uint32_t k = 0; json_is(old_ports, JSON_ARRAY) && k < old_ports->len && !found; k++)
        if (json_get_int(&old_ports->items[k], S("port"), 0) == number &&
            str_eq(json_get_str(&old_ports->items[k], S("protocol")), json_get_str(p, S("protocol"))))
            found = json_get_int(&old_ports->items[k], S("nodePort"), 0);
    for (uint32_t k = 0; k < i && !found; k++)
        if (json_get_int(&ports->items[k], S("port"), 0) == number)
            found = json_get_int(&ports->items[k], S("nodePort"), 0);
    return found;
}

/* Every port of a NodePort or LoadBalancer service gets a node port; one that the service already holds stays.  A load balancer may say that it needs none: it then gets those it asks for. */
static void allocate_ports(struct write_run *r, const struct json *old_spec, struct json *spec)
{
    struct json *ports = json_get(spec, S("ports"));
    const struct json *old_ports = json_get(old_spec, S("ports"));
    bool is_lb = str_is(json_get_str(spec, S("type")), "LoadBalancer");
    bool only_given = is_lb && !json_get_bool(spec, S("allocateLoadBalancerNodePorts"), true);
    for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++) {
        int64_t port = json_get_int(&ports->items[i], S("nodePort"), 0);
        rev_t rev;
        if (!port && only_given)
            continue;
        if (!port)
            port = usual_port(old_ports, ports, i);
        if (!port)
            port = take_free_port(r);
        else if (!ports_have(ports, i, port) && !owns(r, port_key(r, port), &rev)) /* twice in one service is for validation to judge */
            take_given_port(r, i, port);
        if (port)
            json_set(r->q->arena, &ports->items[i], S("nodePort"), json_int(r->q->arena, port));
    }
}

void alloc_service_create(struct write_run *r, struct json *obj)
{
    struct arena *a = r->q->arena;
    json_set(a, obj, S("status"), json_literal(a, "{\"loadBalancer\":{}}"));
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    str type = json_get_str(spec, S("type"));
    if (wants_ip(type))
        allocate_ip(r, spec);
    else
        show_given_ip(r, spec);
    if (wants_ports(type))
        allocate_ports(r, NULL, spec);
}

static void release_ports(struct write_run *r, const struct json *old_spec, const struct json *still)
{
    const struct json *ports = json_get(old_spec, S("ports"));
    for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++) {
        int64_t port = json_get_int(&ports->items[i], S("nodePort"), 0);
        if (port && !ports_have(json_get(still, S("ports")), UINT32_MAX, port))
            release(r, port_key(r, port));
    }
}

static bool is_load_balancer(const struct json *spec)
{
    return str_is(json_get_str(spec, S("type")), "LoadBalancer");
}

static bool takes_outside_traffic(const struct json *spec)
{
    const struct json *ips = json_get(spec, S("externalIPs"));
    return wants_ports(json_get_str(spec, S("type"))) || (json_is(ips, JSON_ARRAY) && ips->len);
}

/* A client that changes the type alone leaves fields behind that only the old type has; they go unless the client changed them, too. */
static void drop_fields_of_old_type(const struct json *old_spec, struct json *spec)
{
    static const struct {
        str field;
        bool (*has)(const struct json *spec);
    } rows[] = {
        {STR_INIT("allocateLoadBalancerNodePorts"), is_load_balancer},
        {STR_INIT("loadBalancerClass"), is_load_balancer},
        {STR_INIT("healthCheckNodePort"), is_load_balancer},
        {STR_INIT("externalTrafficPolicy"), takes_outside_traffic},
    };
    for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
        const struct json *before = json_get(old_spec, rows[i].field), *now = json_get(spec, rows[i].field);
        if (before && now && rows[i].has(old_spec) && !rows[i].has(spec) && json_equal(before, now))
            json_del(spec, rows[i].field);
    }
}

void alloc_service_update(struct write_run *r, const struct json *old, struct json *obj)
{
    if (r->subresource.len)
        return;
    struct arena *a = r->q->arena;
    const struct json *old_spec = json_get(old, S("spec"));
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    drop_fields_of_old_type(old_spec, spec);
    str type = json_get_str(spec, S("type")), old_ip = json_get_str(old_spec, S("clusterIP"));
    if (wants_ip(type)) {
        str ip = json_get_str(spec, S("clusterIP"));
        if (!ip.len && old_ip.len)
            set_cluster_ip(r, spec, old_ip);
        else if (!old_ip.len)
            allocate_ip(r, spec);
        else
            set_cluster_ip(r, spec, ip); /* a change of address is refused by validation */
    } else if (old_ip.len) {
        static const str drop[] = {STR_INIT("clusterIP"), STR_INIT("clusterIPs"), STR_INIT("ipFamilies"), STR_INIT("ipFamilyPolicy")};
        for (size_t i = 0; i < ARRAY_LEN(drop); i++)
            json_del(spec, drop[i]);
        if (!str_is(old_ip, "None"))
            release(r, ip_key(r, old_ip));
    } else {
        show_given_ip(r, spec);
    }
    if (wants_ports(type)) {
        allocate_ports(r, old_spec, spec);
    } else {
        struct json *ports = json_get(spec, S("ports"));
        for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++)
            json_del(&ports->items[i], S("nodePort"));
    }
    release_ports(r, old_spec, spec);
}

void alloc_service_remove(struct write_run *r, const struct json *obj)
{
    const struct json *spec = json_get(obj, S("spec"));
    str ip = json_get_str(spec, S("clusterIP"));
    if (ip.len && !str_is(ip, "None"))
        release(r, ip_key(r, ip));
    release_ports(r, spec, NULL);
}
