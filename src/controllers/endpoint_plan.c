/* endpoint_plan.c - from a service and its pods to endpoints, and to Endpoints objects; slice_plan.c lays them out in slices. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/endpoint_plan.h"

#include "base/civil.h"

#define LEADER_NOTE "control-plane.alpha.kubernetes.io/leader"

static void put_str(struct arena *a, struct json *obj, const char *key, str value)
{
    json_set(a, obj, str_of(key), json_string(value));
}

static bool is_v6(str ip)
{
    return str_find_char(ip, ':') >= 0;
}

/* --- which pods -------------------------------------------------------------------------------------------------------------- */

bool service_selects_pods(const struct json *service)
{
    const struct json *spec = json_get(service, S("spec")), *sel = json_get(spec, S("selector"));
    return json_is(sel, JSON_OBJECT) && sel->len && !str_is(json_get_str(spec, S("type")), "ExternalName");
}

bool service_selects(const struct json *service, str labels)
{
    return service_selects_pods(service) && labels_include(labels, json_path(service, "spec", "selector", NULL));
}

/* The pod's first address of a family, "" none. */
static str address_of(const struct pod_record *p, bool v6)
{
    str rest = p->addresses, ip;
    for (bool more = rest.len > 0; more;) {
        more = str_cut(&rest, ',', &ip);
        if (ip.len && is_v6(ip) == v6)
            return ip;
    }
    return S("");
}

/* --- ports ------------------------------------------------------------------------------------------------------------------- */

/* Number of a port that the pod has under that name; 0: none. */
static int64_t named_port(const struct pod_record *p, str name, str protocol)
{
    str rest = p->ports, one;
    while (rest.len) {
        str_cut(&rest, ',', &one);
        str head, n = one, proto;
        str_cut(&n, '=', &head);
        proto = head;
        str port_name;
        str_cut(&proto, '/', &port_name);
        int64_t number;
        if (str_eq(port_name, name) && str_eq(proto, protocol) && str_to_i64(n, &number))
            return number;
    }
    return 0;
}

/* The service's ports as this pod has them; ports that it does not have are left out. */
static struct json ports_of(struct arena *a, const struct json *service, const struct pod_record *p)
{
    const struct json *list = json_path(service, "spec", "ports", NULL);
    struct json out = json_array();
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        const struct json *port = &list->items[i], *target = json_get(port, S("targetPort"));
        str protocol = json_get_str(port, S("protocol")), app = json_get_str(port, S("appProtocol"));
        protocol = protocol.len ? protocol : S("TCP");
        int64_t number = json_get_int(port, S("port"), 0);
        if (json_is(target, JSON_STRING))
            number = named_port(p, json_str(target), protocol);
        else if (target)
            json_to_i64(target, &number);
        if (!number)
            continue;
        struct json o = json_object();
        put_str(a, &o, "name", json_get_str(port, S("name")));
        put_str(a, &o, "protocol", protocol);
        json_set(a, &o, S("port"), json_int(a, number));
        if (app.len)
            put_str(a, &o, "appProtocol", app);
        json_push(a, &out, o);
    }
    return out;
}

static bool has_ports(const struct json *service)
{
    const struct json *list = json_path(service, "spec", "ports", NULL);
    return json_is(list, JSON_ARRAY) && list->len;
}

static bool publishes_not_ready(const struct json *service)
{
    return json_get_bool(json_get(service, S("spec")), S("publishNotReadyAddresses"), false);
}

static struct json pod_ref(struct arena *a, const struct pod_record *p)
{
    struct json ref = json_object();
    put_str(a, &ref, "kind", S("Pod"));
    put_str(a, &ref, "namespace", p->ns);
    put_str(a, &ref, "name", p->name);
    put_str(a, &ref, "uid", p->uid);
    return ref;
}

/* Host name of a pod whose subdomain is this service. */
static str host_name(const struct pod_record *p, str service)
{
    str domain = p->host, host;
    return p->host.len && str_cut(&domain, '.', &host) && str_eq(domain, service) ? host : S("");
}

/* --- slices: what should be in them ---------------------------------------------------------------------------------------------- */

static void want_add(struct arena *a, struct slice_wants *w, struct slice_want one)
{
    if (w->len == w->cap) {
        size_t cap = w->cap ? w->cap * 2 : 16;
        w->p = arena_grow(a, w->p, w->cap * sizeof *w->p, cap * sizeof *w->p);
        w->cap = cap;
    }
    w->p[w->len++] = one;
}

static struct json endpoint_of_pod(struct arena *a, const struct json *service, const struct endpoint_pod *e, str ip)
{
    const struct pod_record *p = e->pod;
    bool terminating = pod_is_gone(p), serving = p->ready;
    struct json out = json_object(), addresses = json_array(), *cond;
    str host = host_name(p, json_get_str(json_get(service, S("metadata")), S("name")));
    json_push(a, &addresses, json_string(ip));
    json_set(a, &out, S("addresses"), addresses);
    cond = json_ensure_object(a, &out, S("conditions"));
    json_set(a, cond, S("ready"), json_bool(publishes_not_ready(service) || (serving && !terminating)));
    json_set(a, cond, S("serving"), json_bool(serving));
    json_set(a, cond, S("terminating"), json_bool(terminating));
    if (host.len)
        put_str(a, &out, "hostname", host);
    if (p->node.len)
        put_str(a, &out, "nodeName", p->node);
    if (e->zone.len)
        put_str(a, &out, "zone", e->zone);
    json_set(a, &out, S("targetRef"), pod_ref(a, p));
    return out;
}

void slice_wants_of_service(struct arena *a, const struct json *service, const struct endpoint_pod *pods, size_t npods, struct slice_wants *ret)
{
    const struct json *families = json_path(service, "spec", "ipFamilies", NULL);
    *ret = (struct slice_wants){0};
    for (uint32_t i = 0; json_is(families, JSON_ARRAY) && i < families->len && ret->ntypes < ARRAY_LEN(ret->types); i++)
        ret->types[ret->ntypes++] = str_is(json_str(&families->items[i]), "IPv6") ? "IPv6" : "IPv4";
    if (!ret->ntypes)
        ret->types[ret->ntypes++] = "IPv4";
    for (size_t i = 0; i < npods; i++) {
        const struct pod_record *p = pods[i].pod;
        struct json ports = ports_of(a, service, p);
        if (pod_is_finished(p) || (has_ports(service) && !ports.len))
            continue;
        str text = json_text(a, &ports);
        for (size_t t = 0; t < ret->ntypes; t++) {
            str ip = address_of(p, str_is(str_of(ret->types[t]), "IPv6"));
            if (!ip.len)
                continue;
            want_add(a, ret, (struct slice_want){.type = ret->types[t], .ports = text, .key = arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(ip), STR_ARG(p->uid)),
                                                 .endpoint = endpoint_of_pod(a, service, &pods[i], ip), .ready_since = p->ready_since});
        }
    }
}

static void mirror_address(struct arena *a, struct slice_wants *w, const struct json *address, str ports, bool ready)
{
    static const char *const copied[] = {"hostname", "nodeName"};
    str ip = json_get_str(address, S("ip"));
    struct json e = json_object(), addresses = json_array(), *cond;
    const struct json *ref = json_get(address, S("targetRef"));
    if (!ip.len)
        return;
    json_push(a, &addresses, json_string(ip));
    json_set(a, &e, S("addresses"), addresses);
    cond = json_ensure_object(a, &e, S("conditions"));
    json_set(a, cond, S("ready"), json_bool(ready));
    for (size_t i = 0; i < ARRAY_LEN(copied); i++)
        if (json_get_str(address, str_of(copied[i])).len)
            put_str(a, &e, copied[i], json_get_str(address, str_of(copied[i])));
    if (ref)
        json_set(a, &e, S("targetRef"), *ref);
    want_add(a, w, (struct slice_want){.type = is_v6(ip) ? "IPv6" : "IPv4", .ports = ports, .endpoint = e,
                                       .key = arena_fmt(a, STR_FMT " " STR_FMT, STR_ARG(ip), STR_ARG(json_get_str(ref, S("uid"))))});
}

void slice_wants_of_endpoints(struct arena *a, const struct json *endpoints, struct slice_wants *ret)
{
    static const char *const lists[] = {"addresses", "notReadyAddresses"};
    const struct json *subsets = json_get(endpoints, S("subsets"));
    *ret = (struct slice_wants){0};
    for (uint32_t i = 0; json_is(subsets, JSON_ARRAY) && i < subsets->len; i++) {
        const struct json *from = json_get(&subsets->items[i], S("ports"));
        struct json ports = json_array();
        for (uint32_t k = 0; json_is(from, JSON_ARRAY) && k < from->len; k++) {
            struct json o = json_object();
            str protocol = json_get_str(&from->items[k], S("protocol")), app = json_get_str(&from->items[k], S("appProtocol"));
            put_str(a, &o, "name", json_get_str(&from->items[k], S("name")));
            put_str(a, &o, "protocol", protocol.len ? protocol : S("TCP"));
            json_set(a, &o, S("port"), json_int(a, json_get_int(&from->items[k], S("port"), 0)));
            if (app.len)
                put_str(a, &o, "appProtocol", app);
            json_push(a, &ports, o);
        }
        size_t taken = 0;
        for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
            const struct json *addresses = json_get(&subsets->items[i], str_of(lists[l]));
            for (uint32_t k = 0; json_is(addresses, JSON_ARRAY) && k < addresses->len && taken < ENDPOINTS_MAX; k++, taken++)
                mirror_address(a, ret, &addresses->items[k], json_text(a, &ports), l == 0);
        }
    }
}

/* --- Endpoints ----------------------------------------------------------------------------------------------------------------------- */

struct place {
    str ports, ip; /* text of the ports: what a subset has in common */
    struct json port_list, address;
    bool ready;
    nsec_t ready_since;
};

static int compare_places(const void *va, const void *vb)
{
    const struct place *a = va, *b = vb;
    int d = str_cmp(a->ports, b->ports);
    return d ? d : str_cmp(a->ip, b->ip);
}

static int ready_first(const void *va, const void *vb)
{
    const struct place *a = va, *b = vb;
    return a->ready != b->ready ? (a->ready ? -1 : 1) : compare_places(va, vb);
}

/* In an Endpoints object the name of the only port may be absent. */
static struct json subset_ports(struct arena *a, const struct json *ports)
{
    struct json out = json_copy(a, ports);
    for (uint32_t i = 0; i < out.len; i++)
        if (!json_get_str(&out.items[i], S("name")).len)
            json_del(&out.items[i], S("name"));
    return out;
}

static size_t find_places(struct arena *a, const struct json *service, const struct endpoint_pod *pods, size_t npods, struct place *ret)
{
    const struct json *families = json_path(service, "spec", "ipFamilies", NULL);
    bool v6 = json_is(families, JSON_ARRAY) && families->len && str_is(json_str(&families->items[0]), "IPv6"), publish = publishes_not_ready(service);
    str name = json_get_str(json_get(service, S("metadata")), S("name"));
    size_t n = 0;
    for (size_t i = 0; i < npods; i++) {
        const struct pod_record *p = pods[i].pod;
        str ip = address_of(p, v6), host = host_name(p, name);
        struct json ports = ports_of(a, service, p), address = json_object();
        if (!ip.len || pod_is_finished(p) || (pod_is_gone(p) && !publish) || (has_ports(service) && !ports.len))
            continue;
        put_str(a, &address, "ip", ip);
        if (host.len)
            put_str(a, &address, "hostname", host);
        if (p->node.len)
            put_str(a, &address, "nodeName", p->node);
        json_set(a, &address, S("targetRef"), pod_ref(a, p));
        struct json shown = subset_ports(a, &ports);
        ret[n++] = (struct place){.ports = json_text(a, &ports), .ip = ip, .port_list = shown, .address = address, .ready = publish || p->ready, .ready_since = p->ready_since};
    }
    return n;
}

static struct json subsets_of(struct arena *a, const struct place *places, size_t n)
{
    struct json out = json_array();
    for (size_t i = 0, end; i < n; i = end) {
        struct json subset = json_object(), ready = json_array(), waiting = json_array();
        for (end = i; end < n && str_eq(places[end].ports, places[i].ports); end++)
            json_push(a, places[end].ready ? &ready : &waiting, places[end].address);
        if (ready.len)
            json_set(a, &subset, S("addresses"), ready);
        if (waiting.len)
            json_set(a, &subset, S("notReadyAddresses"), waiting);
        if (places[i].port_list.len)
            json_set(a, &subset, S("ports"), places[i].port_list);
        json_push(a, &out, subset);
    }
    return out;
}

static struct json endpoints_labels(struct arena *a, const struct json *service)
{
    const struct json *from = json_path(service, "metadata", "labels", NULL);
    struct json labels = json_is(from, JSON_OBJECT) ? json_copy(a, from) : json_object();
    json_del(&labels, S(LABEL_HEADLESS));
    if (str_is(json_get_str(json_get(service, S("spec")), S("clusterIP")), "None"))
        put_str(a, &labels, LABEL_HEADLESS, S(""));
    put_str(a, &labels, LABEL_ENDPOINTS_MANAGER, S(ENDPOINTS_MANAGER));
    return labels;
}

/* The first pod that became ready after what was noted; 0: none. */
static nsec_t trigger_time(const struct json *live, const struct place *places, size_t n)
{
    nsec_t noted = 0, found = 0;
    civil_parse(json_get_str(json_path(live, "metadata", "annotations", NULL), S(NOTE_TRIGGER_TIME)), &noted);
    for (size_t i = 0; i < n; i++)
        if (places[i].ready_since > noted && (!found || places[i].ready_since < found))
            found = places[i].ready_since;
    return found;
}

struct json endpoints_make(struct arena *a, const struct json *service, const struct endpoint_pod *pods, size_t npods, const struct json *live)
{
    struct place *places = arena_array(a, npods + 1, struct place);
    size_t n = find_places(a, service, pods, npods, places);
    bool over = n > ENDPOINTS_MAX;
    if (over) {
        qsort(places, n, sizeof *places, ready_first);
        n = ENDPOINTS_MAX;
    }
    qsort(places, n, sizeof *places, compare_places);
    struct json subsets = subsets_of(a, places, n), labels = endpoints_labels(a, service), empty = json_array();
    const struct json *meta = json_get(service, S("metadata")), *old = json_get(live, S("subsets")), *notes = json_path(live, "metadata", "annotations", NULL);
    bool same = live && json_equal(old ? old : &empty, &subsets) && json_equal(json_path(live, "metadata", "labels", NULL), &labels);
    if (same && over == (json_get(notes, S(NOTE_OVER_CAPACITY)) != NULL))
        return json_null();
    struct json obj = live ? json_copy(a, live) : json_literal(a, "{\"apiVersion\":\"v1\",\"kind\":\"Endpoints\"}"), *own = json_ensure_object(a, &obj, S("metadata"));
    put_str(a, own, "name", json_get_str(meta, S("name")));
    put_str(a, own, "namespace", json_get_str(meta, S("namespace")));
    json_set(a, own, S("labels"), labels);
    struct json *own_notes = json_ensure_object(a, own, S("annotations"));
    nsec_t at = trigger_time(live, places, n);
    json_del(own_notes, S(NOTE_TRIGGER_TIME));
    json_del(own_notes, S(NOTE_OVER_CAPACITY));
    if (at) {
        char text[CIVIL_TIME_LEN + 1];
        civil_format(at, text);
        put_str(a, own_notes, NOTE_TRIGGER_TIME, arena_str(a, str_of(text)));
    }
    if (over)
        put_str(a, own_notes, NOTE_OVER_CAPACITY, S("truncated"));
    json_set(a, &obj, S("subsets"), subsets);
    return obj;
}

bool endpoints_want_mirror(const struct json *endpoints)
{
    const struct json *meta = json_get(endpoints, S("metadata")), *labels = json_get(meta, S("labels"));
    return !str_is(json_get_str(labels, S(LABEL_SKIP_MIRROR)), "true") && !json_get(json_get(meta, S("annotations")), S(LEADER_NOTE)) &&
           !str_is(json_get_str(labels, S(LABEL_ENDPOINTS_MANAGER)), ENDPOINTS_MANAGER);
}
