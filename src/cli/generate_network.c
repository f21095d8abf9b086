/* generate_network.c - services and ingresses. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/generate.h"

/* --- services ------------------------------------------------------------------------------------------------------------------- */

static int ports_of(struct session *s, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    str *list;
    size_t n = generate_list(s, "tcp", true, &list);
    *ret = json_array();
    for (size_t i = 0; i < n; i++) {
        str target = list[i], port;
        int64_t number;
        if (!str_cut(&target, ':', &port))
            target = port;
        if (!str_to_i64(port, &number) || number < 1 || number > 65535)
            return failure_set(f, E_INVALID_ARG, "port \"" STR_FMT "\" is no number between 1 and 65535", STR_ARG(port));
        char *name = arena_alloc(a, list[i].len + 1);
        for (size_t k = 0; k < list[i].len; k++)
            name[k] = list[i].p[k] == ':' ? '-' : list[i].p[k];
        struct json to = generate_int_or_string(a, target);
        struct json one = json_make(a, "{\"name\":%S,\"port\":%d,\"protocol\":\"TCP\",\"targetPort\":%j}",
                                    str_n(name, list[i].len), number, &to);
        if (cli_int(s->args, "node-port", 0))
            json_set(a, &one, S("nodePort"), json_int(a, cli_int(s->args, "node-port", 0)));
        json_push(a, ret, one);
    }
    return 0;
}

static int make_service(struct session *s, const char *name, const char *type, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    const char *ip = cli_str_or(s->args, "clusterip", ""), *external = cli_str(s->args, "external-name");
    struct json meta = generate_meta(s, name), ports;
    int r = ports_of(s, &ports, f);
    if (r < 0)
        return r;
    if (!ports.len && strcmp(ip, "None") != 0 && strcmp(type, "ExternalName") != 0)
        return failure_set(f, E_INVALID_ARG, "at least one tcp port specifier must be provided");
    json_set(a, &meta, S("labels"), json_make(a, "{\"app\":%s}", name));
    *ret = json_make(
        a,
        "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":%j,\"spec\":{\"selector\":{\"app\":%s},\"type\":%s},\"status\":{\"loadBalancer\":{}}}",
        &meta, name, type);
    struct json *spec = json_get(ret, S("spec"));
    if (ports.len)
        json_set(a, spec, S("ports"), ports);
    if (ip[0])
        json_set(a, spec, S("clusterIP"), json_string(str_of(ip)));
    if (external)
        json_set(a, spec, S("externalName"), json_string(str_of(external)));
    return 0;
}

static int make_cluster_ip(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    return make_service(s, name, "ClusterIP", ret, f);
}
static int make_node_port(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    return make_service(s, name, "NodePort", ret, f);
}
static int make_load_balancer(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    return make_service(s, name, "LoadBalancer", ret, f);
}
static int make_external_name(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    if (!cli_str(s->args, "external-name"))
        return failure_set(f, E_INVALID_ARG, "required flag(s) \"external-name\" not set");
    return make_service(s, name, "ExternalName", ret, f);
}

/* --- ingresses --------------------------------------------------------------------------------------------------------------------- */

static int backend_of(struct arena *a, str text, struct json *ret, struct failure *f)
{
    str port = text, service;
    if (!str_cut(&port, ':', &service) || !service.len || !port.len)
        return failure_set(f, E_INVALID_ARG, "default-backend should be in format servicename:serviceport");
    struct json value = generate_int_or_string(a, port);
    *ret = json_make(a, "{\"service\":{\"name\":%S,\"port\":{%s:%j}}}", service, value.type == JSON_NUMBER ? "number" : "name",
                     &value);
    return 0;
}

static struct json *find_by(struct json *list, str key, str value)
{
    for (size_t i = 0; i < list->len; i++) {
        if (str_eq(json_get_str(&list->items[i], key), value))
            return &list->items[i];
    }
    return NULL;
}

static bool has_host(const struct json *tls, str host)
{
    for (size_t i = 0; i < tls->len; i++) {
        const struct json *hosts = json_get(&tls->items[i], S("hosts"));
        for (size_t k = 0; json_is(hosts, JSON_ARRAY) && k < hosts->len; k++) {
            if (str_eq(json_str(&hosts->items[k]), host))
                return true;
        }
    }
    return false;
}

/* tls[=secret]: hosts of the same secret share an entry. */
static void add_tls(struct arena *a, struct json *tls, str host, str secret)
{
    if (has_host(tls, host) || (!host.len && !secret.len))
        return;
    struct json *entry = find_by(tls, S("secretName"), secret);
    if (!entry) {
        entry = json_push(a, tls, json_object());
        if (secret.len)
            json_set(a, entry, S("secretName"), json_string(secret));
    }
    if (!host.len)
        return;
    struct json *hosts = json_get(entry, S("hosts"));
    if (!hosts)
        hosts = json_set(a, entry, S("hosts"), json_array());
    json_push(a, hosts, json_string(host));
}

/* host/path=service:port[,tls[=secret]] */
static int add_rule(struct arena *a, str text, struct json *rules, struct json *tls, struct failure *f)
{
    str option = text, rule;
    bool has_tls = str_cut(&option, ',', &rule);
    str path = rule, host, service, secret = option, word;
    struct json backend;
    if (!str_cut(&path, '/', &host))
        return failure_set(f, E_INVALID_ARG,
                           "rule " STR_FMT " is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]",
                           STR_ARG(text));
    service = path;
    if (!str_cut(&service, '=', &path) || backend_of(a, service, &backend, f) < 0)
        return failure_set(f, E_INVALID_ARG,
                           "rule " STR_FMT " is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]",
                           STR_ARG(text));
    bool is_prefix = str_has_suffix(path, S("*"));
    if (is_prefix)
        path = str_sub(path, 0, path.len - 1);
    struct json one = json_make(a, "{\"backend\":%j,\"path\":%S,\"pathType\":%s}", &backend, arena_cat(a, S("/"), path),
                                is_prefix ? "Prefix" : "Exact");
    struct json *entry = find_by(rules, S("host"), host);
    if (entry) {
        json_push(a, json_path(entry, "http", "paths", NULL), one);
    } else {
        struct json made = json_make(a, "{\"http\":{\"paths\":[%j]}}", &one);
        if (host.len)
            json_set(a, &made, S("host"), json_string(host));
        json_push(a, rules, made);
    }
    if (has_tls) {
        if (!str_cut(&secret, '=', &word))
            secret = S("");
        add_tls(a, tls, host, secret);
    }
    return 0;
}

static int make_ingress(struct session *s, const char *name, struct json *ret, struct failure *f)
{
    struct arena *a = &s->arena;
    struct json meta = generate_meta(s, name), spec = json_object(), rules = json_array(), tls = json_array(), backend;
    const char *class = cli_str(s->args, "class"), *fallback = cli_str(s->args, "default-backend");
    str *list;
    size_t n = generate_list(s, "rule", false, &list);
    if (!n && !fallback)
        return failure_set(
            f, E_INVALID_ARG,
            "not enough information provided: every ingress has to either specify a default-backend (which catches all traffic) or a list of rules (which "
            "catch specific paths)");
    int r = fallback ? backend_of(a, str_of(fallback), &backend, f) : 0;
    for (size_t i = 0; r == 0 && i < n; i++)
        r = add_rule(a, list[i], &rules, &tls, f);
    n = generate_list(s, "annotation", false, &list);
    for (size_t i = 0; r == 0 && i < n; i++) {
        str value = list[i], key;
        if (!str_cut(&value, '=', &key))
            return failure_set(f, E_INVALID_ARG, "annotation " STR_FMT " is invalid and should be in format key=[value]",
                               STR_ARG(list[i]));
        json_set(a, json_ensure_object(a, &meta, S("annotations")), key, json_string(value));
    }
    if (r < 0)
        return r;
    if (fallback)
        json_set(a, &spec, S("defaultBackend"), backend);
    if (class)
        json_set(a, &spec, S("ingressClassName"), json_string(str_of(class)));
    if (rules.len)
        json_set(a, &spec, S("rules"), rules);
    if (tls.len)
        json_set(a, &spec, S("tls"), tls);
    *ret = json_make(
        a,
        "{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"Ingress\",\"metadata\":%j,\"spec\":%j,\"status\":{\"loadBalancer\":{}}}",
        &meta, &spec);
    return 0;
}

#define TCP_OPTION                                                           \
    {                                                                        \
        "tcp", 0, CLI_LIST, "PORT[:TARGET],...", "", "Ports: 80:8080.", NULL \
    }
static const struct cli_option cluster_ip_options[] = {
    TCP_OPTION,
    {"clusterip", 0, CLI_STRING, "ADDRESS", "", "The address; None for a headless service.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option node_port_options[] = {
    TCP_OPTION,
    {"node-port", 0, CLI_INT, "PORT", "", "The port on every node.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option load_balancer_options[] = {TCP_OPTION, GENERATE_OPTIONS, {0}};
static const struct cli_option external_name_options[] = {
    {"external-name", 0, CLI_STRING, "HOST", "", "The name that the service stands for.", NULL},
    TCP_OPTION,
    GENERATE_OPTIONS,
    {0},
};
static const struct cli_option ingress_options[] = {
    {"rule", 0, CLI_LIST, "HOST/PATH=SERVICE:PORT[,tls[=SECRET]]", "", "A rule; a path that ends with * is a prefix.", NULL},
    {"class", 0, CLI_STRING, "NAME", "", "Ingress class.", NULL},
    {"default-backend", 0, CLI_STRING, "SERVICE:PORT", "", "Where what no rule matches goes.", NULL},
    {"annotation", 0, CLI_LIST, "KEY=VALUE", "", "An annotation; may be given several times.", NULL},
    GENERATE_OPTIONS,
    {0},
};
static GENERATOR(service_cluster_ip, "clusterip", NULL, "Create a service with an address in the cluster.",
                 "NAME --tcp=PORT[:TARGET]", cluster_ip_options);
static GENERATOR(service_node_port, "nodeport", NULL, "Create a service with a port on every node.", "NAME --tcp=PORT[:TARGET]",
                 node_port_options);
static GENERATOR(service_load_balancer, "loadbalancer", NULL, "Create a service behind a load balancer.",
                 "NAME --tcp=PORT[:TARGET]", load_balancer_options);
static GENERATOR(service_external_name, "externalname", NULL, "Create a service that stands for a name outside.",
                 "NAME --external-name=HOST", external_name_options);
static const struct cli_verb *const service_subs[] = {&service_cluster_ip, &service_node_port, &service_load_balancer,
                                                      &service_external_name, NULL};
const struct cli_verb create_service = {.name = "service",
                                        .aliases = "svc",
                                        .summary = "Create a service.",
                                        .usage = "(clusterip | nodeport | loadbalancer | externalname) NAME",
                                        .subs = service_subs};
GENERATOR(create_ingress, "ingress", "ing", "Create an ingress.", "NAME --rule=HOST/PATH=SERVICE:PORT[,tls[=SECRET]]",
          ingress_options);

const struct generator generate_network[] = {
    {&service_cluster_ip, make_cluster_ip, "failed to create ClusterIP service: "},
    {&service_node_port, make_node_port, "failed to create NodePort service: "},
    {&service_load_balancer, make_load_balancer, "failed to create LoadBalancer service: "},
    {&service_external_name, make_external_name, "failed to create ExternalName service: "},
    {&create_ingress, make_ingress, "failed to create ingress: "},
    {0},
};
