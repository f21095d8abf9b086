/* node_proxy_target.c - a request for a node, a pod or a service: checked, and translated into what its server understands. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/internal.h"
#include "apiserver/node_proxy.h"
#include "base/civil.h"
#include "client/client.h"

/* --- queries ---------------------------------------------------------------------------------------------------------- */

static bool query_nth(struct api_req *q, const char *name, size_t i, str *ret)
{
    struct http_request view = {.arena = q->arena, .query = q->query};
    return q->query.len && http_query_get_nth(&view, str_of(name), i, ret);
}

static void answer_sentence(struct api_req *q, int code, str text)
{
    struct err err;
    err_set(&err, code, STR_FMT, STR_ARG(text));
    api_answer_err(q, &err);
}

/* --- containers ------------------------------------------------------------------------------------------------------------ */

static void add_names(struct strbuf *b, const struct json *list)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        strbuf_addf(b, "%s" STR_FMT, i ? " " : "", STR_ARG(json_get_str(&list->items[i], S("name"))));
}

static bool has_name(const struct json *list, str name)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_get_str(&list->items[i], S("name")), name))
            return true;
    return false;
}

/* The container that was asked for, or the only one.  False: answered. */
static bool pick_container(struct api_req *q, const struct json *pod, str *ret)
{
    const struct json *spec = json_get(pod, S("spec")), *main = json_get(spec, S("containers")), *init = json_get(spec, S("initContainers")),
                      *ephemeral = json_get(spec, S("ephemeralContainers"));
    str name = api_query_str(q, S("container"));
    if (name.len) {
        *ret = name;
        if (has_name(main, name) || has_name(init, name) || has_name(ephemeral, name))
            return true;
        answer_sentence(q, E_INVALID_ARG, arena_fmt(q->arena, "container " STR_FMT " is not valid for pod " STR_FMT, STR_ARG(name), STR_ARG(q->target.name)));
        return false;
    }
    if (json_is(main, JSON_ARRAY) && main->len == 1) {
        *ret = json_get_str(&main->items[0], S("name"));
        return true;
    }
    struct strbuf b = strbuf_on(q->arena);
    strbuf_addf(&b, "a container name must be specified for pod " STR_FMT ", choose one of: [", STR_ARG(q->target.name));
    add_names(&b, main);
    strbuf_add_char(&b, ']');
    if (json_is(init, JSON_ARRAY) && init->len) {
        strbuf_add_str(&b, S(" or one of the init containers: ["));
        add_names(&b, init);
        strbuf_add_char(&b, ']');
    }
    if (json_is(ephemeral, JSON_ARRAY) && ephemeral->len) {
        strbuf_add_str(&b, S(" or one of the ephemeral containers: ["));
        add_names(&b, ephemeral);
        strbuf_add_char(&b, ']');
    }
    answer_sentence(q, E_INVALID_ARG, strbuf_str(&b));
    return false;
}

/* --- log options ------------------------------------------------------------------------------------------------------------- */

static bool invalid_option(struct api_req *q, const char *field, str what)
{
    struct api_cause cause = {S("FieldValueInvalid"), what, str_of(field)};
    api_answer_status(q, 422, S("Invalid"), arena_fmt(q->arena, "PodLogOptions \"" STR_FMT "\" is invalid: %s: " STR_FMT, STR_ARG(q->target.name), field, STR_ARG(what)),
                      &(struct api_status_details){.name = q->target.name, .kind = S("PodLogOptions"), .causes = &cause, .ncauses = 1});
    return false;
}

static bool log_query(struct api_req *q, struct strbuf *b)
{
    static const struct {
        const char *name;
        int64_t least; /* -1: no number */
    } options[] = {{"follow", -1}, {"previous", -1}, {"timestamps", -1}, {"sinceTime", -1}, {"stream", -1}, {"sinceSeconds", 1}, {"tailLines", 0}, {"limitBytes", 1}};
    for (size_t i = 0; i < ARRAY_LEN(options); i++) {
        str v;
        int64_t n;
        nsec_t at;
        if (!api_query(q, str_of(options[i].name), &v) || (!v.len && options[i].least >= 0))
            continue;
        if (options[i].least >= 0 && !str_to_i64(v, &n)) {
            answer_sentence(q, E_INVALID_ARG, arena_fmt(q->arena, "unable to decode query parameter %s: \"" STR_FMT "\" is no number", options[i].name, STR_ARG(v)));
            return false;
        }
        if (options[i].least >= 0 && n < options[i].least)
            return invalid_option(q, options[i].name,
                                  arena_fmt(q->arena, "Invalid value: %lld: must be greater than %s", (long long)n, options[i].least ? "0" : "or equal to 0"));
        if (strcmp(options[i].name, "sinceTime") == 0 && v.len && !civil_parse(v, &at)) {
            answer_sentence(q, E_INVALID_ARG, arena_fmt(q->arena, "unable to decode query parameter sinceTime: \"" STR_FMT "\" is no time", STR_ARG(v)));
            return false;
        }
        if (strcmp(options[i].name, "stream") == 0 && v.len && !str_is(v, "All") && !str_is(v, "Stdout") && !str_is(v, "Stderr"))
            return invalid_option(q, "stream", arena_fmt(q->arena, "Unsupported value: \"" STR_FMT "\": supported values: \"All\", \"Stdout\", \"Stderr\"", STR_ARG(v)));
        bool is_text = options[i].least >= 0 || options[i].name[0] == 's';
        if (is_text ? v.len > 0 : api_query_bool(q, str_of(options[i].name)))
            client_query_add(b, options[i].name, is_text ? v : S("true"));
    }
    str seconds, time;
    if (api_query(q, S("sinceSeconds"), &seconds) && seconds.len && api_query(q, S("sinceTime"), &time) && time.len)
        return invalid_option(q, "sinceSeconds", S("Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified"));
    return true;
}

/* --- nodes ----------------------------------------------------------------------------------------------------------------------- */

static str url_of(struct arena *a, const char *scheme, str host, int64_t port)
{
    bool v6 = str_find_char(host, ':') >= 0;
    return arena_fmt(a, v6 ? "%s://[" STR_FMT "]:%lld" : "%s://" STR_FMT ":%lld", scheme, STR_ARG(host), (long long)port);
}

static str node_address(const struct json *node)
{
    static const char *const order[] = {"InternalIP", "Hostname", "InternalDNS", "ExternalIP", "ExternalDNS"};
    const struct json *list = json_path(node, "status", "addresses", NULL);
    for (size_t k = 0; k < ARRAY_LEN(order); k++)
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
            if (str_is(json_get_str(&list->items[i], S("type")), order[k]))
                return json_get_str(&list->items[i], S("address"));
    return S("");
}

/* False: answered. */
static bool node_url(struct api_req *q, str name, str *ret)
{
    struct json node;
    if (!object_get_builtin(q->srv->store, q->arena, S(""), S("nodes"), S(""), name, &node, NULL)) {
        answer_sentence(q, E_NOT_FOUND, arena_fmt(q->arena, "nodes \"" STR_FMT "\" not found", STR_ARG(name)));
        return false;
    }
    str host = node_address(&node);
    int64_t port = json_get_int(json_path(&node, "status", "daemonEndpoints", "kubeletEndpoint", NULL), S("Port"), 0);
    if (!host.len || port <= 0 || port > 65535) {
        answer_sentence(q, E_UNAVAILABLE, arena_fmt(q->arena, "no preferred addresses found; node \"" STR_FMT "\" does not say where its agent listens", STR_ARG(name)));
        return false;
    }
    *ret = url_of(q->arena, "https", host, port);
    return true;
}

static bool for_node(struct api_req *q, struct node_request *ret)
{
    struct arena *a = q->arena;
    str sub = q->target.subresource, container = S(""), word;
    struct json pod;
    if (!object_get(q->srv->store, a, q->res, q->target.ns, q->target.name, &pod, NULL)) {
        api_answer_not_found(q);
        return false;
    }
    bool is_log = str_is(sub, "log"), is_forward = str_is(sub, "portforward");
    struct strbuf path = strbuf_on(a), query = strbuf_on(a);
    if (!is_forward && !pick_container(q, &pod, &container))
        return false;
    if (is_log && !log_query(q, &query))
        return false;
    str node = json_get_str(json_get(&pod, S("spec")), S("nodeName"));
    if (!node.len && is_log) { /* nothing has run: nothing was printed */
        api_answer(q, 200, S("text/plain"), S(""));
        return false;
    }
    if (!node.len) {
        answer_sentence(q, E_INVALID_ARG, arena_fmt(a, "pod " STR_FMT " does not have a host assigned", STR_ARG(q->target.name)));
        return false;
    }
    static const char *const renamed[][2] = {{"stdin", "input"}, {"stdout", "output"}, {"stderr", "error"}, {"tty", "tty"}};
    for (size_t i = 0; !is_log && !is_forward && i < ARRAY_LEN(renamed); i++)
        if (api_query_bool(q, str_of(renamed[i][0])))
            client_query_add(&query, renamed[i][1], S("1"));
    for (size_t i = 0; str_is(sub, "exec") && query_nth(q, "command", i, &word); i++)
        client_query_add(&query, "command", word);
    for (size_t i = 0; is_forward && query_nth(q, "ports", i, &word); i++)
        client_query_add(&query, "port", word);
    strbuf_add_str(&path, is_log ? S("/containerLogs") : is_forward ? S("/portForward") : str_is(sub, "exec") ? S("/exec") : S("/attach"));
    client_path_add(&path, q->target.ns);
    client_path_add(&path, q->target.name);
    if (!is_forward)
        client_path_add(&path, container);
    if (query.len)
        strbuf_addf(&path, "?" STR_FMT, STR_ARG(strbuf_str(&query)));
    *ret = (struct node_request){.path = strbuf_str(&path), .is_node = true, .wants_upgrade = !is_log};
    return node_url(q, node, &ret->url);
}

/* --- proxies --------------------------------------------------------------------------------------------------------------------- */

bool node_proxy_name_parse(str text, str *ret_scheme, str *ret_name, str *ret_port)
{
    str parts[3], rest = text;
    size_t n = 0;
    bool more = true;
    while (more && n < 3)
        more = str_cut(&rest, ':', &parts[n++]);
    if (more)
        return false;
    *ret_scheme = n == 3 ? parts[0] : S("");
    *ret_name = parts[n == 3];
    *ret_port = n == 1 ? S("") : parts[n - 1];
    return ret_name->len && (!ret_scheme->len || str_is(*ret_scheme, "http") || str_is(*ret_scheme, "https"));
}

/* What stands behind ".../proxy" as it came, escapes and all; *ret_prefix is what stands before. */
static str path_behind(struct api_req *q, str *ret_prefix)
{
    size_t segments = q->target.ns.len ? 7 : 5; /* api v1 namespaces NS pods NAME proxy; api v1 nodes NAME proxy */
    size_t at = 0;
    while (segments && at < q->path.len) {
        while (at < q->path.len && q->path.p[at] == '/')
            at++;
        while (at < q->path.len && q->path.p[at] != '/')
            at++;
        segments--;
    }
    *ret_prefix = str_sub(q->path, 0, at);
    str rest = str_from(q->path, at);
    return rest.len ? rest : S("/");
}

static bool pod_url(struct api_req *q, str name, str port, const char *scheme, str *ret)
{
    struct json pod;
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, name, &pod, NULL)) {
        q->target.name = name;
        api_answer_not_found(q);
        return false;
    }
    str ip = json_get_str(json_get(&pod, S("status")), S("podIP"));
    int64_t number = 0;
    const struct json *containers = json_path(&pod, "spec", "containers", NULL);
    if (port.len && !str_to_i64(port, &number)) { /* a port's name */
        for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            const struct json *ports = json_get(&containers->items[i], S("ports"));
            for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && k < ports->len; k++)
                if (str_eq(json_get_str(&ports->items[k], S("name")), port))
                    number = json_get_int(&ports->items[k], S("containerPort"), 0);
        }
    } else if (!port.len) {
        const struct json *ports = json_is(containers, JSON_ARRAY) && containers->len ? json_get(&containers->items[0], S("ports")) : NULL;
        number = json_is(ports, JSON_ARRAY) && ports->len ? json_get_int(&ports->items[0], S("containerPort"), 0) : 0;
        number = number ? number : strcmp(scheme, "https") == 0 ? 443 : 80;
    }
    if (!ip.len || number <= 0 || number > 65535) {
        answer_sentence(q, ip.len ? E_INVALID_ARG : E_UNAVAILABLE, ip.len ? arena_fmt(q->arena, "pod " STR_FMT " has no port \"" STR_FMT "\"", STR_ARG(name), STR_ARG(port))
                                                                        : arena_fmt(q->arena, "address not allowed: pod " STR_FMT " has no address yet", STR_ARG(name)));
        return false;
    }
    *ret = url_of(q->arena, scheme, ip, number);
    return true;
}

/* The port's name in the endpoints; false: the service has no such port. */
static bool service_port(const struct json *service, str port, str *ret_name)
{
    const struct json *ports = json_path(service, "spec", "ports", NULL);
    uint32_t n = json_is(ports, JSON_ARRAY) ? ports->len : 0;
    for (uint32_t i = 0; i < n; i++) {
        str name = json_get_str(&ports->items[i], S("name")), number = json_str(json_get(&ports->items[i], S("port")));
        if ((!port.len && n == 1) || (port.len && (str_eq(name, port) || str_eq(number, port)))) {
            *ret_name = name;
            return true;
        }
    }
    return false;
}

static bool service_url(struct api_req *q, str name, str port, const char *scheme, str *ret)
{
    struct json service, endpoints;
    str port_name;
    if (!object_get(q->srv->store, q->arena, q->res, q->target.ns, name, &service, NULL)) {
        q->target.name = name;
        api_answer_not_found(q);
        return false;
    }
    bool has_port = service_port(&service, port, &port_name);
    bool found = has_port && object_get_builtin(q->srv->store, q->arena, S(""), S("endpoints"), q->target.ns, name, &endpoints, NULL);
    const struct json *subsets = found ? json_get(&endpoints, S("subsets")) : NULL;
    for (uint32_t i = 0; json_is(subsets, JSON_ARRAY) && i < subsets->len; i++) {
        const struct json *ports = json_get(&subsets->items[i], S("ports")), *addresses = json_get(&subsets->items[i], S("addresses"));
        for (uint32_t k = 0; json_is(ports, JSON_ARRAY) && json_is(addresses, JSON_ARRAY) && addresses->len && k < ports->len; k++) {
            if (!str_eq(json_get_str(&ports->items[k], S("name")), port_name))
                continue;
            uint32_t pick = (uint32_t)(clock_mono(q->srv->clock) / 1000) % addresses->len; /* any will do */
            *ret = url_of(q->arena, scheme, json_get_str(&addresses->items[pick], S("ip")), json_get_int(&ports->items[k], S("port"), 0));
            return true;
        }
    }
    answer_sentence(q, E_UNAVAILABLE, has_port ? arena_fmt(q->arena, "no endpoints available for service \"" STR_FMT "\"", STR_ARG(q->target.name))
                                               : arena_fmt(q->arena, "no service port \"" STR_FMT "\" found for service \"" STR_FMT "\"", STR_ARG(port), STR_ARG(name)));
    return false;
}

static bool for_proxy(struct api_req *q, struct node_request *ret)
{
    str scheme, name, port, prefix;
    if (!node_proxy_name_parse(q->target.name, &scheme, &name, &port)) {
        answer_sentence(q, E_INVALID_ARG, arena_fmt(q->arena, "invalid %s request \"" STR_FMT "\"", arena_cstr(q->arena, q->res->singular), STR_ARG(q->target.name)));
        return false;
    }
    str path = path_behind(q, &prefix);
    if (q->query.len)
        path = arena_fmt(q->arena, STR_FMT "?" STR_FMT, STR_ARG(path), STR_ARG(q->query));
    *ret = (struct node_request){.path = path, .prefix = prefix, .is_proxy = true};
    ret->wants_upgrade = q->http && http_header_get(q->http, S("upgrade")).len;
    const char *want = str_is(scheme, "https") ? "https" : "http";
    if (str_is(q->target.resource, "pods"))
        return pod_url(q, name, port, want, &ret->url);
    if (str_is(q->target.resource, "services"))
        return service_url(q, name, port, want, &ret->url);
    ret->is_node = true;
    if (!node_url(q, name, &ret->url))
        return false;
    ptrdiff_t colon = str_rfind_char(ret->url, ':');
    if (port.len) { /* something else on the node */
        ret->is_node = false;
        str host = str_sub(ret->url, S("https://").len, (size_t)colon);
        int64_t number;
        if (!str_to_i64(port, &number) || number <= 0 || number > 65535) {
            answer_sentence(q, E_INVALID_ARG, arena_fmt(q->arena, "invalid node request \"" STR_FMT "\"", STR_ARG(q->target.name)));
            return false;
        }
        ret->url = arena_fmt(q->arena, "%s://" STR_FMT ":%lld", want, STR_ARG(host), (long long)number);
    }
    return true;
}

bool node_request_make(struct api_req *q, struct node_request *ret)
{
    return str_is(q->target.subresource, "proxy") ? for_proxy(q, ret) : for_node(q, ret);
}
