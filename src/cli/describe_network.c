/* describe_network.c - services, endpoints, ingresses, network policies. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/describe.h"

#define ENDPOINTS_SHOWN 3

/* --- endpoints ----------------------------------------------------------------------------------------------------------------------------- */

static void add_endpoint(struct strbuf *b, size_t *count, const struct json *endpoint, const struct json *port)
{
    const struct json *addresses = describe_list(endpoint, "addresses");
    str address = addresses->len ? json_str(&addresses->items[0]) : S("");
    if (!table_walk(endpoint, S("conditions.ready")) || json_get_bool(json_get(endpoint, S("conditions")), S("ready"), true)) {
        bool is_v6 = str_find_char(address, ':') >= 0;
        if ((*count)++ >= ENDPOINTS_SHOWN)
            return;
        strbuf_addf(b, "%s%s" STR_FMT "%s", b->len ? "," : "", is_v6 && port ? "[" : "", STR_ARG(address),
                    is_v6 && port ? "]" : "");
        if (port)
            strbuf_addf(b, ":" STR_FMT, STR_ARG(json_str(json_get(port, S("port")))));
    }
}

/* "10.0.0.1:80,10.0.0.2:80 + 3 more...": ready addresses of one named port. */
static str endpoints_of(struct describe *d, str service, str port_name)
{
    str path = arena_fmt(d->arena, "/apis/discovery.k8s.io/v1/namespaces/" STR_FMT "/endpointslices", STR_ARG(d->ns));
    str selector = arena_fmt(d->arena, "kubernetes.io/service-name=" STR_FMT, STR_ARG(service));
    const struct json *slices = describe_fetch(d, path.p, "labelSelector", selector.p);
    struct strbuf b = strbuf_on(d->arena);
    size_t count = 0;
    if (!slices->len)
        return S("<none>");
    for (size_t i = 0; i < slices->len; i++) {
        const struct json *ports = describe_list(&slices->items[i], "ports"),
                          *endpoints = describe_list(&slices->items[i], "endpoints");
        for (size_t e = 0; !ports->len && e < endpoints->len; e++)
            add_endpoint(&b, &count, &endpoints->items[e], NULL);
        for (size_t p = 0; p < ports->len; p++) {
            for (size_t e = 0; str_eq(json_get_str(&ports->items[p], S("name")), port_name) && e < endpoints->len; e++)
                add_endpoint(&b, &count, &endpoints->items[e], &ports->items[p]);
        }
    }
    if (count > ENDPOINTS_SHOWN)
        strbuf_addf(&b, " + %zu more...", count - ENDPOINTS_SHOWN);
    return strbuf_str(&b);
}

static str addresses_of(struct describe *d, const struct json *list)
{
    struct strbuf b = strbuf_on(d->arena);
    for (size_t i = 0; i < list->len; i++)
        strbuf_addf(&b, "%s" STR_FMT, i ? "," : "", STR_ARG(json_get_str(&list->items[i], S("ip"))));
    return b.len ? strbuf_str(&b) : S("<none>");
}

static void port_table(struct describe *d, int level, const struct json *ports)
{
    describe_line(d, level, "Name\tPort\tProtocol\n");
    describe_line(d, level, "----\t----\t--------\n");
    for (size_t i = 0; i < ports->len; i++)
        describe_line(d, level, STR_FMT "\t" STR_FMT "\t" STR_FMT "\n",
                      STR_ARG(describe_or(json_get_str(&ports->items[i], S("name")), "<unset>")),
                      STR_ARG(describe_or(json_str(json_get(&ports->items[i], S("port"))), "<unset>")),
                      STR_ARG(json_get_str(&ports->items[i], S("protocol"))));
}

static void endpoints_subsets(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "subsets");
    describe_line(d, 0, "Subsets:\n");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *ports = describe_list(&list->items[i], "ports");
        describe_line(d, 1, "Addresses:\t" STR_FMT "\n", STR_ARG(addresses_of(d, describe_list(&list->items[i], "addresses"))));
        describe_line(d, 1, "NotReadyAddresses:\t" STR_FMT "\n",
                      STR_ARG(addresses_of(d, describe_list(&list->items[i], "notReadyAddresses"))));
        if (ports->len) {
            describe_line(d, 1, "Ports:\n");
            port_table(d, 2, ports);
        }
        describe_line(d, 0, "\n");
    }
}

static void slice_endpoints(struct describe *d)
{
    const struct json *ports = describe_list(&d->object, "ports"), *list = describe_list(&d->object, "endpoints");
    describe_line(d, 0, ports->len ? "Ports:\n" : "Ports: <unset>\n");
    if (ports->len)
        port_table(d, 1, ports);
    describe_line(d, 0, list->len ? "Endpoints:\n" : "Endpoints: <none>\n");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *e = &list->items[i], *ready = table_walk(e, S("conditions.ready")),
                          *target = json_get(e, S("targetRef"));
        describe_line(d, 1, "- Addresses:\t" STR_FMT "\n",
                      STR_ARG(describe_or(describe_join(d->arena, json_get(e, S("addresses")), ", "), "<none>")));
        describe_line(d, 2, "Conditions:\n");
        describe_line(d, 3, "Ready:\t%s\n", !ready ? "<unset>" : ready->b ? "true" : "false");
        describe_line(d, 2, "Hostname:\t" STR_FMT "\n", STR_ARG(describe_or(json_get_str(e, S("hostname")), "<unset>")));
        if (target)
            describe_line(d, 2, "TargetRef:\t" STR_FMT "/" STR_FMT "\n", STR_ARG(json_get_str(target, S("kind"))),
                          STR_ARG(json_get_str(target, S("name"))));
        describe_line(d, 2, "NodeName:\t" STR_FMT "\n", STR_ARG(describe_or(json_get_str(e, S("nodeName")), "<unset>")));
        describe_line(d, 2, "Zone:\t" STR_FMT "\n", STR_ARG(describe_or(json_get_str(e, S("zone")), "<unset>")));
    }
}

static const struct describe_row endpoints_rows[] = {ROWS_HEAD, {.fn = endpoints_subsets}, ROWS_EVENTS, {0}};
static const struct describe_row slice_rows[] = {
    ROWS_HEAD, {.label = "AddressType", .path = "addressType"}, {.fn = slice_endpoints}, ROWS_EVENTS, {0}};

/* --- services ------------------------------------------------------------------------------------------------------------------------------- */

static void service_ingress(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "status.loadBalancer.ingress");
    struct strbuf b = strbuf_on(d->arena);
    for (size_t i = 0; i < list->len; i++) {
        str ip = json_get_str(&list->items[i], S("ip")), mode = json_get_str(&list->items[i], S("ipMode"));
        strbuf_addf(&b, "%s" STR_FMT, i ? ", " : "", STR_ARG(ip.len ? ip : json_get_str(&list->items[i], S("hostname"))));
        if (ip.len && mode.len)
            strbuf_addf(&b, " (" STR_FMT ")", STR_ARG(mode));
    }
    if (b.len)
        describe_line(d, 0, "LoadBalancer Ingress:\t%s\n", strbuf_cstr(&b));
}

static void service_ports(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "spec.ports");
    for (size_t i = 0; i < list->len; i++) {
        const struct json *p = &list->items[i];
        str name = json_get_str(p, S("name")), protocol = json_get_str(p, S("protocol")), shown = describe_or(name, "<unset>");
        describe_line(d, 0, "Port:\t" STR_FMT "\t" STR_FMT "/" STR_FMT "\n", STR_ARG(shown),
                      STR_ARG(json_str(json_get(p, S("port")))), STR_ARG(protocol));
        describe_line(d, 0, "TargetPort:\t" STR_FMT "/" STR_FMT "\n",
                      STR_ARG(describe_or(json_str(json_get(p, S("targetPort"))), "0")), STR_ARG(protocol));
        if (json_get_int(p, S("nodePort"), 0))
            describe_line(d, 0, "NodePort:\t" STR_FMT "\t" STR_FMT "/" STR_FMT "\n", STR_ARG(shown),
                          STR_ARG(json_str(json_get(p, S("nodePort")))), STR_ARG(protocol));
        describe_line(d, 0, "Endpoints:\t" STR_FMT "\n", STR_ARG(endpoints_of(d, d->name, name)));
    }
}

static void service_families(struct describe *d)
{
    describe_line(d, 0, "IP Families:\t" STR_FMT "\n",
                  STR_ARG(describe_or(describe_join(d->arena, describe_value(&d->object, "spec.ipFamilies"), ","), "<none>")));
    describe_line(d, 0, "IP:\t" STR_FMT "\n", STR_ARG(describe_text(d, "spec.clusterIP")));
    describe_line(d, 0, "IPs:\t" STR_FMT "\n",
                  STR_ARG(describe_or(describe_join(d->arena, describe_value(&d->object, "spec.clusterIPs"), ","), "<none>")));
}

static const struct describe_row service_rows[] = {
    ROWS_HEAD,
    {.label = "Selector", .path = "spec.selector", .kind = ROW_MAP_LINE},
    {.label = "Type", .path = "spec.type"},
    {.label = "IP Family Policy", .path = "spec.ipFamilyPolicy", .kind = ROW_OPTIONAL},
    {.fn = service_families},
    {.label = "External IPs", .path = "spec.externalIPs", .kind = ROW_LIST_OPTIONAL},
    {.label = "Desired LoadBalancer IP", .path = "spec.loadBalancerIP", .kind = ROW_OPTIONAL},
    {.label = "External Name", .path = "spec.externalName", .kind = ROW_OPTIONAL},
    {.fn = service_ingress},
    {.fn = service_ports},
    {.label = "Session Affinity", .path = "spec.sessionAffinity"},
    {.label = "External Traffic Policy", .path = "spec.externalTrafficPolicy", .kind = ROW_OPTIONAL},
    {.label = "Internal Traffic Policy", .path = "spec.internalTrafficPolicy", .kind = ROW_OPTIONAL},
    {.label = "HealthCheck NodePort", .path = "spec.healthCheckNodePort", .kind = ROW_OPTIONAL},
    {.label = "LoadBalancer Source Ranges", .path = "spec.loadBalancerSourceRanges", .kind = ROW_LIST_OPTIONAL},
    ROWS_EVENTS,
    {0},
};

/* --- ingresses ------------------------------------------------------------------------------------------------------------------------------- */

/* "web:80 (10.0.0.1:8080)" */
static str backend_text(struct describe *d, const struct json *backend)
{
    const struct json *service = json_get(backend, S("service")), *resource = json_get(backend, S("resource"));
    struct failure f = FAILURE_NONE;
    struct json found;
    if (resource)
        return arena_fmt(d->arena, "APIGroup: " STR_FMT ", Kind: " STR_FMT ", Name: " STR_FMT,
                         STR_ARG(describe_or(json_get_str(resource, S("apiGroup")), "<none>")),
                         STR_ARG(json_get_str(resource, S("kind"))), STR_ARG(json_get_str(resource, S("name"))));
    if (!service)
        return S("");
    str name = json_get_str(service, S("name")), number = table_text_at(service, S("port.number")),
        port = table_text_at(service, S("port.name"));
    str shown = arena_fmt(d->arena, STR_FMT ":" STR_FMT, STR_ARG(name), STR_ARG(number.len ? number : port)), port_name = S("");
    str path = arena_fmt(d->arena, "/api/v1/namespaces/" STR_FMT "/services/" STR_FMT, STR_ARG(d->ns), STR_ARG(name));
    if (!d->s || session_get(d->s, path, S(""), &found, &f) < 0)
        return arena_fmt(d->arena, STR_FMT " (<error: " STR_FMT ">)", STR_ARG(shown),
                         STR_ARG(f.from_server ? f.message : str_of(f.err.msg)));
    const struct json *ports = describe_list(&found, "spec.ports");
    for (size_t i = 0; i < ports->len; i++) {
        if (number.len ? str_eq(json_str(json_get(&ports->items[i], S("port"))), number)
                       : str_eq(json_get_str(&ports->items[i], S("name")), port))
            port_name = json_get_str(&ports->items[i], S("name"));
    }
    return arena_fmt(d->arena, STR_FMT " (" STR_FMT ")", STR_ARG(shown), STR_ARG(endpoints_of(d, name, port_name)));
}

static str ingress_address(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "status.loadBalancer.ingress");
    str *items = arena_array(d->arena, list->len + 1, str);
    size_t n = 0;
    for (size_t i = 0; i < list->len; i++) {
        str ip = json_get_str(&list->items[i], S("ip")), host = json_get_str(&list->items[i], S("hostname"));
        if (ip.len || host.len)
            items[n++] = ip.len ? ip : host;
    }
    return table_join_sorted(d->arena, items, n);
}

static void ingress_tls(struct describe *d)
{
    const struct json *list = describe_list(&d->object, "spec.tls");
    if (list->len)
        describe_line(d, 0, "TLS:\n");
    for (size_t i = 0; i < list->len; i++) {
        str secret = json_get_str(&list->items[i], S("secretName")),
            hosts = describe_join(d->arena, json_get(&list->items[i], S("hosts")), ",");
        if (secret.len)
            describe_line(d, 1, STR_FMT " terminates " STR_FMT "\n", STR_ARG(secret), STR_ARG(hosts));
        else
            describe_line(d, 1, "SNI routes " STR_FMT "\n", STR_ARG(hosts));
    }
}

static void ingress_body(struct describe *d)
{
    const struct json *fallback = describe_value(&d->object, "spec.defaultBackend"),
                      *rules = describe_list(&d->object, "spec.rules");
    str shown = fallback ? backend_text(d, fallback) : S("<default>");
    size_t count = 0;
    describe_line(d, 0, "Address:\t" STR_FMT "\n", STR_ARG(ingress_address(d)));
    describe_line(d, 0, "Ingress Class:\t" STR_FMT "\n",
                  STR_ARG(describe_or(describe_text(d, "spec.ingressClassName"), "<none>")));
    describe_line(d, 0, "Default backend:\t" STR_FMT "\n", STR_ARG(shown));
    ingress_tls(d);
    describe_line(d, 0, "Rules:\n  Host\tPath\tBackends\n");
    describe_line(d, 1, "----\t----\t--------\n");
    for (size_t i = 0; i < rules->len; i++) {
        const struct json *paths = describe_list(&rules->items[i], "http.paths");
        if (!json_get(&rules->items[i], S("http")))
            continue;
        count++;
        describe_line(d, 1, STR_FMT "\t\n", STR_ARG(describe_or(json_get_str(&rules->items[i], S("host")), "*")));
        for (size_t p = 0; p < paths->len; p++)
            describe_line(d, 2, "\t" STR_FMT " \t" STR_FMT "\n", STR_ARG(json_get_str(&paths->items[p], S("path"))),
                          STR_ARG(backend_text(d, json_get(&paths->items[p], S("backend")))));
    }
    if (!count)
        describe_line(d, 1, "*\t*\t" STR_FMT "\n", STR_ARG(shown));
}

static const struct describe_row ingress_rows[] = {
    ROWS_NAME,
    {.label = "Labels", .path = "metadata.labels", .kind = ROW_MAP},
    ROWS_NAMESPACE,
    {.fn = ingress_body},
    {.label = "Annotations", .path = "metadata.annotations", .kind = ROW_ANNOTATIONS},
    ROWS_EVENTS,
    {0},
};

static void class_parameters(struct describe *d)
{
    const struct json *p = describe_value(&d->object, "spec.parameters");
    if (!p)
        return;
    describe_line(d, 0, "Parameters:\n");
    if (json_get(p, S("apiGroup")))
        describe_line(d, 1, "APIGroup:\t" STR_FMT "\n", STR_ARG(json_get_str(p, S("apiGroup"))));
    describe_line(d, 1, "Kind:\t" STR_FMT "\n", STR_ARG(json_get_str(p, S("kind"))));
    describe_line(d, 1, "Name:\t" STR_FMT "\n", STR_ARG(json_get_str(p, S("name"))));
}

static const struct describe_row ingress_class_rows[] = {
    ROWS_NAME, ROWS_MARKS, {.label = "Controller", .path = "spec.controller"}, {.fn = class_parameters}, ROWS_EVENTS, {0}};

/* --- network policies --------------------------------------------------------------------------------------------------------------------------- */

static void policy_ports(struct describe *d, const struct json *ports)
{
    if (!ports->len)
        describe_line(d, 2, "To Port: <any> (traffic allowed to all ports)\n");
    for (size_t i = 0; i < ports->len; i++) {
        const struct json *p = &ports->items[i], *end = json_get(p, S("endPort"));
        str port = describe_or(json_str(json_get(p, S("port"))), "<nil>"),
            protocol = describe_or(json_get_str(p, S("protocol")), "TCP");
        if (end)
            describe_line(d, 2, "To Port Range: " STR_FMT "-" STR_FMT "/" STR_FMT "\n", STR_ARG(port), STR_ARG(json_str(end)),
                          STR_ARG(protocol));
        else
            describe_line(d, 2, "To Port: " STR_FMT "/" STR_FMT "\n", STR_ARG(port), STR_ARG(protocol));
    }
}

static void policy_peer(struct describe *d, const struct json *peer, const char *word)
{
    static const struct {
        const char *field, *label;
    } selectors[] = {{"namespaceSelector", "NamespaceSelector"}, {"podSelector", "PodSelector"}};
    const struct json *block = json_get(peer, S("ipBlock"));
    bool selects = false;
    describe_line(d, 2, "%s:\n", word);
    for (size_t i = 0; i < ARRAY_LEN(selectors); i++) {
        const struct json *sel = json_get(peer, str_of(selectors[i].field));
        selects = selects || sel;
        if (sel)
            describe_line(d, 3, "%s: " STR_FMT "\n", selectors[i].label,
                          STR_ARG(describe_or(describe_selector(d->arena, sel), "<none>")));
    }
    if (block && !selects) {
        describe_line(d, 3, "IPBlock:\n");
        describe_line(d, 4, "CIDR: " STR_FMT "\n", STR_ARG(json_get_str(block, S("cidr"))));
        describe_line(d, 4, "Except: " STR_FMT "\n", STR_ARG(describe_join(d->arena, json_get(block, S("except")), ", ")));
    }
}

static void policy_rules(struct describe *d, const struct json *rules, const char *direction, const char *field, const char *word,
                         const char *end)
{
    describe_line(d, 1, "Allowing %s traffic:\n", direction);
    if (!rules->len)
        describe_line(d, 2, "<none> (Selected pods are isolated for %s connectivity)\n", direction);
    for (size_t i = 0; i < rules->len; i++) {
        const struct json *peers = describe_list(&rules->items[i], field);
        policy_ports(d, describe_list(&rules->items[i], "ports"));
        if (!peers->len)
            describe_line(d, 2, "%s: <any> (traffic not restricted by %s)\n", word, end);
        for (size_t k = 0; k < peers->len; k++)
            policy_peer(d, &peers->items[k], word);
        if (i + 1 < rules->len)
            describe_line(d, 2, "----------\n");
    }
}

static void policy_body(struct describe *d)
{
    const struct json *types = describe_list(&d->object, "spec.policyTypes");
    str selector = describe_selector(d->arena, describe_value(&d->object, "spec.podSelector")),
        shown = describe_join(d->arena, types, ", ");
    bool ingress = str_find(shown, S("Ingress")) >= 0, egress = str_find(shown, S("Egress")) >= 0;
    describe_line(d, 0, "Spec:\n");
    describe_line(d, 1, "PodSelector:     " STR_FMT "\n",
                  STR_ARG(describe_or(selector, "<none> (Allowing the specific traffic to all pods in this namespace)")));
    if (ingress)
        policy_rules(d, describe_list(&d->object, "spec.ingress"), "ingress", "from", "From", "source");
    else
        describe_line(d, 1, "Not affecting ingress traffic\n");
    if (egress)
        policy_rules(d, describe_list(&d->object, "spec.egress"), "egress", "to", "To", "destination");
    else
        describe_line(d, 1, "Not affecting egress traffic\n");
    describe_line(d, 1, "Policy Types: " STR_FMT "\n", STR_ARG(describe_or(shown, "<none>")));
}

/* "2026-01-02 03:04:05 +0000 UTC" */
static void policy_created(struct describe *d)
{
    str t = describe_text(d, "metadata.creationTimestamp"), date = str_sub(t, 0, 10), clock = str_sub(t, 11, 19);
    describe_line(d, 0, "Created on:\t" STR_FMT " " STR_FMT " +0000 UTC\n", STR_ARG(date), STR_ARG(clock));
}

static const struct describe_row policy_rows[] = {ROWS_NAME,  ROWS_NAMESPACE,      {.fn = policy_created},
                                                  ROWS_MARKS, {.fn = policy_body}, {0}};

const struct describe_kind describe_network_kinds[] = {
    {"", "Service", service_rows},
    {"", "Endpoints", endpoints_rows},
    {"discovery.k8s.io", "EndpointSlice", slice_rows},
    {"networking.k8s.io", "Ingress", ingress_rows},
    {"networking.k8s.io", "IngressClass", ingress_class_rows},
    {"networking.k8s.io", "NetworkPolicy", policy_rows},
    {0},
};
