/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/probes/probe_handler.h"

static str container_name(const struct json *container)
{
    return json_get_str(container, S("name"));
}

/* A number, a number as text, or the name of one of the container's ports. */
static void parse_port(struct arena *a, const struct json *container, const struct json *v, struct probe_handler *h)
{
    str text = json_str(v);
    uint64_t n = 0;
    const struct json *ports = json_get(container, S("ports"));
    if (!str_to_u64(text, &n)) {
        for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++) {
            if (text.len && str_eq(json_get_str(&ports->items[i], S("name")), text))
                n = (uint64_t)json_get_int(&ports->items[i], S("containerPort"), 0);
        }
    }
    h->port = n <= 65535 ? (uint16_t)n : 0;
    if (!h->port)
        h->problem = arena_fmt(a, "couldn't find port: " STR_FMT " for container " STR_FMT, STR_ARG(str_sub(text, 0, 100)), STR_ARG(container_name(container)));
}

static void parse_host(struct arena *a, const struct json *v, str pod_ip, struct probe_handler *h)
{
    str host = json_get_str(v, S("host"));
    h->host = arena_cstr(a, host.len ? host : pod_ip);
    if (!h->host[0])
        h->problem = S("the pod has no address");
}

static void parse_headers(struct arena *a, const struct json *list, struct probe_handler *h)
{
    size_t n = json_is(list, JSON_ARRAY) ? MIN((size_t)list->len, (size_t)PROBE_HEADERS) : 0;
    struct http_header *headers = arena_array(a, n, struct http_header);
    for (size_t i = 0; i < n; i++) {
        str name = json_get_str(&list->items[i], S("name")), value = json_get_str(&list->items[i], S("value"));
        bool is_line = !value.len || (!memchr(value.p, '\n', value.len) && !memchr(value.p, '\r', value.len) && !memchr(value.p, 0, value.len));
        if (http_is_token(name) && is_line) /* validated by the API already; a static pod's spec is not */
            headers[h->nheaders++] = (struct http_header){arena_str(a, name), arena_str(a, value)};
    }
    h->headers = headers;
}

/* What may stand in a request line: everything else as %XX. */
static const char *clean_path(struct arena *a, str path)
{
    struct strbuf b = strbuf_on(a);
    if (!str_has_prefix(path, S("/")))
        strbuf_add_char(&b, '/');
    for (size_t i = 0; i < path.len; i++) {
        unsigned char c = (unsigned char)path.p[i];
        if (c > ' ' && c < 0x7f)
            strbuf_add_char(&b, (char)c);
        else
            strbuf_addf(&b, "%%%02X", c);
    }
    return strbuf_cstr(&b);
}

static void parse_http(struct arena *a, const struct json *container, const struct json *v, str pod_ip, struct probe_handler *h)
{
    h->kind = HANDLER_HTTP;
    parse_host(a, v, pod_ip, h);
    parse_port(a, container, json_get(v, S("port")), h);
    parse_headers(a, json_get(v, S("httpHeaders")), h);
    h->path = clean_path(a, json_get_str(v, S("path")));
    h->tls = str_ieq(json_get_str(v, S("scheme")), S("HTTPS"));
}

static void parse_exec(struct arena *a, const struct json *v, struct probe_handler *h)
{
    const struct json *command = json_get(v, S("command"));
    size_t n = json_is(command, JSON_ARRAY) ? command->len : 0;
    const char **argv = arena_array(a, n + 1, const char *);
    for (size_t i = 0; i < n; i++)
        argv[i] = arena_cstr(a, json_str(&command->items[i]));
    h->kind = HANDLER_EXEC;
    h->argv = argv;
    if (!n)
        h->problem = S("it has no command");
}

void probe_handler_parse(struct arena *a, const struct json *container, const struct json *handler, str pod_ip, struct probe_handler *ret)
{
    const struct json *v;
    struct probe_handler h = {.kind = HANDLER_NONE, .problem = S("")};
    if ((v = json_get(handler, S("exec")))) {
        parse_exec(a, v, &h);
    } else if ((v = json_get(handler, S("httpGet")))) {
        parse_http(a, container, v, pod_ip, &h);
    } else if ((v = json_get(handler, S("tcpSocket"))) || (v = json_get(handler, S("grpc")))) {
        h.kind = json_get(handler, S("tcpSocket")) ? HANDLER_TCP : HANDLER_GRPC;
        parse_host(a, h.kind == HANDLER_TCP ? v : NULL, pod_ip, &h);
        parse_port(a, container, json_get(v, S("port")), &h);
        h.service = arena_str(a, json_get_str(v, S("service")));
    } else if ((v = json_get(handler, S("sleep")))) {
        h.kind = HANDLER_SLEEP;
        h.sleep_s = MAX(json_get_int(v, S("seconds"), 0), (int64_t)0);
    } else {
        h.problem = S("missing probe handler");
    }
    *ret = h;
}

str probe_handler_address(struct arena *a, const char *host, uint16_t port)
{
    return strchr(host, ':') ? arena_fmt(a, "[%s]:%u", host, port) : arena_fmt(a, "%s:%u", host, port);
}
