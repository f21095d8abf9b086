/* validate_core_container.c - containers of a pod: names, ports, environment, mounts, probes, hooks, resources. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"
#include "base/bandwidth.h"

/* --- ports -------------------------------------------------------------------------------------------------------------- */

void v_container_port(struct vctx *c, const struct vpath *p, const struct json *port)
{
    int64_t number = V_INT(port, "containerPort"), host = V_INT(port, "hostPort");
    v_check_member(c, p, port, S("name"), validate_port_name);
    if (number == 0)
        v_required(c, V_FIELD(p, "containerPort"), V_NO_DETAIL);
    else
        v_port(c, V_FIELD(p, "containerPort"), number);
    if (host != 0)
        v_port(c, V_FIELD(p, "hostPort"), host);
}

static void check_port_names(struct vctx *c, const struct vpath *p, const struct json *ports)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (port, i, ports) {
        str name = V_STR(port, "name");
        if (name.len && !v_set_add(&seen, name))
            v_duplicate(c, V_FIELD(V_INDEX(p, i), "name"), name);
    }
}

static void check_host_ports(struct vctx *c, const struct vpath *p, const struct json *containers)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (ctr, ci, containers) {
        const struct json *ports = V_GET(ctr, "ports");
        v_foreach (port, pi, ports) {
            int64_t number = V_INT(port, "hostPort");
            if (number == 0)
                continue;
            str text = arena_fmt(c->e->arena, STR_FMT "/" STR_FMT "/%lld", STR_ARG(V_STR(port, "protocol")), STR_ARG(V_STR(port, "hostIP")),
                                 (long long)number);
            if (!v_set_add(&seen, text))
                v_duplicate(c, V_FIELD(V_INDEX(V_FIELD(V_INDEX(p, ci), "ports"), pi), "hostPort"), text);
        }
    }
}

/* --- environment --------------------------------------------------------------------------------------------------------- */

void v_env_var(struct vctx *c, const struct vpath *p, const struct json *ev)
{
    v_check_member(c, p, ev, S("name"), validate_env_name);
    const struct json *from = V_GET(ev, "valueFrom");
    if (from && from->len && V_STR(ev, "value").len)
        v_invalid_str(c, V_FIELD(p, "valueFrom"), S(""), "may not be specified when `value` is not empty");
}

static void check_key_ref(struct vctx *c, const struct vpath *p, const struct json *ref)
{
    if (!ref)
        return;
    v_check(c, V_FIELD(p, "name"), V_STR(ref, "name"), validate_dns1123_subdomain);
    v_check_member(c, p, ref, S("key"), validate_config_key);
}

#define ENV_FIELDS                                                                                                                         \
    "metadata.name|metadata.namespace|metadata.uid|spec.nodeName|spec.serviceAccountName|status.hostIP|status.hostIPs|status.podIP|status.podIPs"

void v_env_var_source(struct vctx *c, const struct vpath *p, const struct json *from)
{
    v_field_ref(c, V_FIELD(p, "fieldRef"), V_GET(from, "fieldRef"), ENV_FIELDS);
    v_resource_field_ref(c, V_FIELD(p, "resourceFieldRef"), V_GET(from, "resourceFieldRef"), false);
    check_key_ref(c, V_FIELD(p, "configMapKeyRef"), V_GET(from, "configMapKeyRef"));
    check_key_ref(c, V_FIELD(p, "secretKeyRef"), V_GET(from, "secretKeyRef"));
    if (from->len == 0)
        v_invalid_str(c, p, S(""), "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`");
    else if (from->len > 1)
        v_invalid_str(c, p, S(""), "may not have more than one field specified at a time");
}

/* metadata.labels['key'] */
static bool split_subscript(str path, str *ret_path, str *ret_key)
{
    ptrdiff_t open = str_find(path, S("['"));
    if (open < 0 || !str_has_suffix(path, S("']")) || path.len < (size_t)open + 4)
        return false;
    *ret_path = str_sub(path, 0, (size_t)open);
    *ret_key = str_sub(path, (size_t)open + 2, path.len - 2);
    return true;
}

#define KNOWN_FIELDS                                                                                                                       \
    "metadata.annotations|metadata.labels|metadata.name|metadata.namespace|metadata.uid|spec.nodeName|spec.restartPolicy|"                 \
    "spec.serviceAccountName|spec.schedulerName|status.phase|status.hostIP|status.hostIPs|status.podIP|status.podIPs|spec.host"

void v_field_ref(struct vctx *c, const struct vpath *p, const struct json *ref, const char *supported)
{
    str field = V_STR(ref, "fieldPath"), version = V_STR(ref, "apiVersion"), path, key;
    if (!ref || field.len == 0)
        return;
    const struct vpath *at = V_FIELD(p, "fieldPath");
    if (version.len && !str_is(version, "v1")) {
        v_invalid_str(c, at, field, "error converting fieldPath: unsupported pod version: " STR_FMT, STR_ARG(version));
    } else if (split_subscript(field, &path, &key)) {
        if (str_is(path, "metadata.annotations"))
            v_check(c, p, key, validate_annotation_key);
        else if (str_is(path, "metadata.labels"))
            v_check(c, p, key, validate_qualified_name);
        else
            v_invalid_str(c, at, field, "error converting fieldPath: field label does not support subscript: " STR_FMT, STR_ARG(field));
    } else if (!v_in(field, KNOWN_FIELDS)) {
        v_invalid_str(c, at, field, "error converting fieldPath: field label not supported: " STR_FMT, STR_ARG(field));
    } else if (!v_in(field, supported) && !str_is(field, "spec.host")) {
        v_unsupported(c, at, field, supported);
    }
}

#define RESOURCE_FIELDS "limits.cpu|limits.ephemeral-storage|limits.memory|requests.cpu|requests.ephemeral-storage|requests.memory"
#define SIZES "1|1k|1M|1G|1T|1P|1E|1Ki|1Mi|1Gi|1Ti|1Pi|1Ei"
#define SIZES_TEXT "only divisor's values 1, 1k, 1M, 1G, 1T, 1P, 1E, 1Ki, 1Mi, 1Gi, 1Ti, 1Pi, 1Ei are supported with the "

static void check_divisor(struct vctx *c, const struct vpath *p, str resource, str divisor)
{
    static const struct {
        const char *suffix, *values, *sentence;
    } kinds[] = {
        {".cpu", "1m|1", "only divisor's values 1m and 1 are supported with the cpu resource"},
        {".memory", SIZES, SIZES_TEXT "memory resource"},
        {".ephemeral-storage", SIZES, SIZES_TEXT "local ephemeral storage resource"},
        {".hugepages-", SIZES, SIZES_TEXT "hugepages resource"},
    };
    if (divisor.len == 0 || str_is(divisor, "0"))
        return;
    for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
        if (str_find(resource, str_of(kinds[i].suffix)) >= 0 && !v_in(divisor, kinds[i].values))
            v_invalid_str(c, V_FIELD(p, "divisor"), resource, "%s", kinds[i].sentence);
    }
}

void v_resource_field_ref(struct vctx *c, const struct vpath *p, const struct json *ref, bool in_volume)
{
    str resource = V_STR(ref, "resource");
    if (!ref || resource.len == 0)
        return;
    if (in_volume && V_STR(ref, "containerName").len == 0)
        v_required(c, V_FIELD(p, "containerName"), V_NO_DETAIL);
    else if (!v_in(resource, RESOURCE_FIELDS) && !str_has_prefix(resource, S("requests.hugepages-")) &&
             !str_has_prefix(resource, S("limits.hugepages-")))
        v_unsupported(c, V_FIELD(p, "resource"), resource, RESOURCE_FIELDS);
    check_divisor(c, p, resource, V_STR(ref, "divisor"));
}

void v_env_from(struct vctx *c, const struct vpath *p, const struct json *from)
{
    static const str sources[] = {STR_INIT("configMapRef"), STR_INIT("secretRef")};
    int n = 0;
    v_check_member(c, p, from, S("prefix"), validate_env_name);
    for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
        const struct json *ref = v_get(from, sources[i]);
        if (!ref)
            continue;
        n++;
        if (V_STR(ref, "name").len == 0)
            v_required(c, V_FIELD(V_MEMBER(p, sources[i]), "name"), V_NO_DETAIL);
        else
            v_check(c, V_FIELD(V_MEMBER(p, sources[i]), "name"), V_STR(ref, "name"), validate_dns1123_subdomain);
    }
    if (n == 0)
        v_invalid_str(c, p->up, S(""), "must specify one of: `configMapRef` or `secretRef`");
    else if (n > 1)
        v_invalid_str(c, p->up, S(""), "may not have more than one field specified at a time");
}

/* --- handlers, probes, hooks ------------------------------------------------------------------------------------------------ */

void v_exec(struct vctx *c, const struct vpath *p, const struct json *exec)
{
    if (v_len(V_GET(exec, "command")) == 0)
        v_required(c, V_FIELD(p, "command"), V_NO_DETAIL);
}

void v_http_get(struct vctx *c, const struct vpath *p, const struct json *http)
{
    if (V_STR(http, "path").len == 0)
        v_required(c, V_FIELD(p, "path"), V_NO_DETAIL);
    v_port_or_name(c, V_FIELD(p, "port"), V_GET(http, "port"));
    const struct json *headers = V_GET(http, "httpHeaders");
    v_foreach (h, i, headers)
        v_check(c, V_FIELD(p, "httpHeaders"), V_STR(h, "name"), validate_http_header_name);
}

void v_tcp_socket(struct vctx *c, const struct vpath *p, const struct json *tcp)
{
    v_port_or_name(c, V_FIELD(p, "port"), V_GET(tcp, "port"));
}

void v_grpc(struct vctx *c, const struct vpath *p, const struct json *grpc)
{
    v_port(c, V_FIELD(p, "port"), V_INT(grpc, "port"));
}

static const str handlers[] = {STR_INIT("exec"), STR_INIT("httpGet"), STR_INIT("tcpSocket"), STR_INIT("grpc"), STR_INIT("sleep")};

static void check_one_handler(struct vctx *c, const struct vpath *p, const struct json *v)
{
    int n = 0;
    for (size_t i = 0; i < ARRAY_LEN(handlers); i++) {
        if (v_get(v, handlers[i]) && n++)
            v_forbidden(c, V_MEMBER(p, handlers[i]), "may not specify more than 1 handler type");
    }
    if (n == 0)
        v_required(c, p, "must specify a handler type");
}

void v_probe(struct vctx *c, const struct vpath *p, const struct json *probe)
{
    static const str counts[] = {STR_INIT("initialDelaySeconds"), STR_INIT("timeoutSeconds"), STR_INIT("periodSeconds"),
                                 STR_INIT("successThreshold"), STR_INIT("failureThreshold")};
    check_one_handler(c, p, probe);
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        v_nonnegative(c, p, probe, counts[i]);
    int64_t grace = json_get_int(probe, S("terminationGracePeriodSeconds"), 1);
    if (grace <= 0)
        v_invalid_int(c, V_FIELD(p, "terminationGracePeriodSeconds"), grace, "must be greater than 0");
}

void v_lifecycle_handler(struct vctx *c, const struct vpath *p, const struct json *handler)
{
    check_one_handler(c, p, handler);
}

static void check_probes(struct vctx *c, const struct vpath *p, const struct json *ctr)
{
    static const str once[] = {STR_INIT("livenessProbe"), STR_INIT("startupProbe")};
    for (size_t i = 0; i < ARRAY_LEN(once); i++) {
        const struct json *probe = v_get(ctr, once[i]);
        int64_t successes = json_get_int(probe, S("successThreshold"), 1);
        if (successes != 1)
            v_invalid_int(c, V_FIELD(V_MEMBER(p, once[i]), "successThreshold"), successes, "must be 1");
    }
    const struct json *grace = V_GET(V_GET(ctr, "readinessProbe"), "terminationGracePeriodSeconds");
    if (grace)
        v_invalid(c, V_FIELD(V_FIELD(p, "readinessProbe"), "terminationGracePeriodSeconds"), grace, "must not be set for readinessProbes");
}

static void check_sleep(struct vctx *c, const struct vpath *p, const struct json *lifecycle, int64_t grace)
{
    static const str hooks[] = {STR_INIT("postStart"), STR_INIT("preStop")};
    for (size_t i = 0; i < ARRAY_LEN(hooks); i++) {
        const struct json *sleep = V_GET(v_get(lifecycle, hooks[i]), "sleep");
        int64_t seconds = V_INT(sleep, "seconds");
        if (sleep && (seconds < 0 || seconds > grace))
            v_invalid_int(c, V_FIELD(V_MEMBER(p, hooks[i]), "sleep"), seconds,
                          "must be non-negative and less than terminationGracePeriodSeconds (%lld)", (long long)grace);
    }
}

#define LINUX_SIGNALS                                                                                                                      \
    "SIGABRT|SIGALRM|SIGBUS|SIGCHLD|SIGCLD|SIGCONT|SIGFPE|SIGHUP|SIGILL|SIGINT|SIGIO|SIGIOT|SIGKILL|SIGPIPE|SIGPOLL|SIGPROF|"              \
    "SIGPWR|SIGQUIT|SIGRTMAX|SIGRTMAX-1|SIGRTMAX-10|SIGRTMAX-11|SIGRTMAX-12|SIGRTMAX-13|SIGRTMAX-14|SIGRTMAX-2|SIGRTMAX-3|"                \
    "SIGRTMAX-4|SIGRTMAX-5|SIGRTMAX-6|SIGRTMAX-7|SIGRTMAX-8|SIGRTMAX-9|SIGRTMIN|SIGRTMIN+1|SIGRTMIN+10|SIGRTMIN+11|"                       \
    "SIGRTMIN+12|SIGRTMIN+13|SIGRTMIN+14|SIGRTMIN+15|SIGRTMIN+2|SIGRTMIN+3|SIGRTMIN+4|SIGRTMIN+5|SIGRTMIN+6|SIGRTMIN+7|"                   \
    "SIGRTMIN+8|SIGRTMIN+9|SIGSEGV|SIGSTKFLT|SIGSTOP|SIGSYS|SIGTERM|SIGTRAP|SIGTSTP|SIGTTIN|SIGTTOU|SIGURG|SIGUSR1|SIGUSR2|"               \
    "SIGVTALRM|SIGWINCH|SIGXCPU|SIGXFSZ"

static void check_stop_signal(struct vctx *c, const struct vpath *p, const struct json *lifecycle, const struct json *spec)
{
    const struct json *signal = V_GET(lifecycle, "stopSignal");
    if (!signal)
        return;
    str os = V_STR(V_GET(spec, "os"), "name");
    const char *known = str_is(os, "windows") ? "SIGKILL|SIGTERM" : LINUX_SIGNALS;
    if (os.len == 0)
        v_forbidden(c, V_FIELD(p, "stopSignal"), "may not be set for containers with empty `spec.os.name`");
    else if (!v_in(json_str(signal), known))
        v_unsupported(c, V_FIELD(p, "stopSignal"), json_str(signal), known);
}

static void check_hooks(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct json *spec)
{
    const struct json *lifecycle = V_GET(ctr, "lifecycle");
    if (!lifecycle)
        return;
    const struct vpath *at = V_FIELD(p, "lifecycle");
    check_sleep(c, at, lifecycle, json_get_int(spec, S("terminationGracePeriodSeconds"), 30));
    check_stop_signal(c, at, lifecycle, spec);
}

/* --- resources -------------------------------------------------------------------------------------------------------------- */

#define CONTAINER_RESOURCES "cpu|memory|ephemeral-storage"
#define INTEGER_RESOURCES                                                                                                                  \
    "pods|resourcequotas|services|replicationcontrollers|secrets|configmaps|persistentvolumeclaims|services.nodeports|services.loadbalancers"

static bool is_huge_pages(str name)
{
    return str_has_prefix(name, S("hugepages-"));
}

static bool is_native(str name)
{
    return str_find_char(name, '/') < 0 || str_find(name, S("kubernetes.io/")) >= 0;
}

bool v_is_extended_resource(str name)
{
    if (is_native(name) || str_has_prefix(name, S("requests.")))
        return false;
    char quota_name[400];
    if (name.len > sizeof quota_name - 16)
        return false;
    int n = snprintf(quota_name, sizeof quota_name, "requests." STR_FMT, STR_ARG(name));
    return !validate_qualified_name(str_n(quota_name, (size_t)n));
}

void v_resource_name(struct vctx *c, const struct vpath *p, str name)
{
    if (v_in(name, CONTAINER_RESOURCES) || !v_check(c, p, name, validate_qualified_name))
        return;
    if (str_find_char(name, '/') < 0 && !is_huge_pages(name))
        v_invalid_str(c, p, name, "must be a standard resource for containers");
    else if (!is_native(name) && !v_is_extended_resource(name))
        v_invalid_str(c, p, name, "doesn't follow extended resource name standard");
}

static bool is_whole(const struct quantity *q)
{
    struct quantity whole = quantity_from_i64(quantity_to_i64(q));
    return quantity_cmp(q, &whole) == 0;
}

/* 500Mi of the number that counts Mbit/s would be more than all networks of the world have. */
static void check_bandwidth(struct vctx *c, const struct vpath *p, str name, const struct quantity *q, str text)
{
    bool in_mbit = str_is(name, BANDWIDTH_KUSCIA);
    if (in_mbit && q->format == QUANTITY_BINARY_SI)
        v_invalid_str(c, p, text, "counts Mbit/s: write 500 for 500 Mbit/s, or give cox.io/egress-bandwidth and cox.io/ingress-bandwidth in bit/s");
    else if (quantity_to_i64(q) > (in_mbit ? BANDWIDTH_MAX / BANDWIDTH_MBIT : BANDWIDTH_MAX))
        v_invalid_str(c, p, text, "is more than 1 Pbit/s");
}

void v_resource_quantity(struct vctx *c, const struct vpath *p, str name, const struct json *value)
{
    struct quantity q;
    if (!quantity_parse(json_str(value), &q))
        return;
    if (bandwidth_is_resource(name) || bandwidth_is_lent(name))
        check_bandwidth(c, p, name, &q, json_str(value));
    if (quantity_sign(&q) < 0)
        v_invalid_str(c, p, json_str(value), V_NEGATIVE);
    if (!v_in(name, CONTAINER_RESOURCES) && (v_in(name, INTEGER_RESOURCES) || v_is_extended_resource(name)) && !is_whole(&q))
        v_invalid_str(c, p, json_str(value), "must be an integer");
}

static void check_huge_pages(struct vctx *c, const struct vpath *p, str name, const struct json *value)
{
    struct quantity size, q;
    if (!is_huge_pages(name) || !quantity_parse(str_from(name, 10), &size) || !quantity_parse(json_str(value), &q))
        return;
    int64_t page = quantity_to_i64(&size);
    if (page <= 0 || quantity_to_i64(&q) % page != 0)
        v_invalid_str(c, p, json_str(value), STR_FMT " is not positive integer multiple of " STR_FMT, STR_ARG(json_str(value)),
                      STR_ARG(name));
}

static void check_request(struct vctx *c, const struct vpath *p, const struct json_member *m, const struct v_map *limits)
{
    const struct json *limit = v_map_get(limits, m->key);
    bool overcommit = is_native(m->key) && !is_huge_pages(m->key);
    struct quantity request, max;
    if (!limit) {
        if (!overcommit)
            v_required(c, V_FIELD(p, "limits"), "Limit must be set for non overcommitable resources");
        return;
    }
    if (!quantity_parse(json_str(&m->value), &request) || !quantity_parse(json_str(limit), &max))
        return;
    int order = quantity_cmp(&request, &max);
    if (order == 0 || (overcommit && order < 0))
        return;
    v_invalid_str(c, V_FIELD(p, "requests"), json_str(&m->value), "must be %s " STR_FMT " limit of " STR_FMT,
                  overcommit ? "less than or equal to" : "equal to", STR_ARG(m->key), STR_ARG(json_str(limit)));
}

/* The names are those of containers, or, at spec.resources, those that pods can have. */
static void check_list(struct vctx *c, const struct vpath *p, const struct json *list, bool *ret_huge, bool *ret_basic)
{
    bool of_pod = p->up->up && p->up->up->kind == VPATH_FIELD && str_is(p->up->up->name, "spec") && str_is(p->up->name, "resources");
    v_foreach_member (m, list) {
        const struct vpath *at = V_KEY(p, m->key);
        if (of_pod && !v_in(m->key, "cpu|memory") && !is_huge_pages(m->key))
            v_unsupported(c, at, m->key, "cpu|hugepages-|memory");
        else
            v_resource_name(c, at, m->key);
        v_resource_quantity(c, at, m->key, &m->value);
        check_huge_pages(c, at, m->key, &m->value);
        *ret_huge |= is_huge_pages(m->key);
        *ret_basic |= v_in(m->key, "cpu|memory");
    }
}

void v_resources(struct vctx *c, const struct vpath *p, const struct json *resources)
{
    const struct json *limits = V_GET(resources, "limits"), *requests = V_GET(resources, "requests");
    bool huge = false, basic = false;
    check_list(c, V_FIELD(p, "limits"), limits, &huge, &basic);
    check_list(c, V_FIELD(p, "requests"), requests, &huge, &basic);
    struct v_map by_name;
    v_map_init(&by_name, c->e->arena);
    v_foreach_member (m, limits)
        v_map_put(&by_name, m->key, &m->value);
    v_foreach_member (m, requests)
        check_request(c, p, m, &by_name);
    if (huge && !basic)
        v_forbidden(c, p, "HugePages require cpu or memory");
}

static void check_claims(struct vctx *c, const struct vpath *p, const struct json *resources, const struct v_pod_names *names)
{
    const struct json *claims = V_GET(resources, "claims");
    v_foreach (claim, i, claims) {
        str name = V_STR(claim, "name");
        if (name.len && !v_set_has(&names->claims, name)) {
            struct json v = json_string(name);
            v_error(c, FIELD_NOT_FOUND, V_INDEX(V_FIELD(p, "claims"), i), &v, "must be one of the names in pod.spec.resourceClaims%s",
                    names->claims.len ? "" : " which is empty");
        }
    }
}

void v_resize_policy(struct vctx *c, const struct vpath *p, const struct json *policy)
{
    str resource = V_STR(policy, "resourceName");
    if (resource.len == 0 || V_STR(policy, "restartPolicy").len == 0)
        v_required(c, p->up, V_NO_DETAIL);
    if (resource.len && !v_in(resource, "cpu|memory"))
        v_unsupported(c, p->up, resource, "cpu|memory");
}

static void check_resize_policies(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct json *spec)
{
    const struct json *policies = V_GET(ctr, "resizePolicy");
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (policy, i, policies) {
        str restart = V_STR(policy, "restartPolicy"), resource = V_STR(policy, "resourceName");
        if (!v_set_add(&seen, resource))
            v_duplicate(c, V_INDEX(V_FIELD(p, "resizePolicy"), i), resource);
        if (str_is(V_STR(spec, "restartPolicy"), "Never") && !str_is(restart, "NotRequired"))
            v_invalid_str(c, V_FIELD(p, "resizePolicy"), restart, "must be 'NotRequired' when `restartPolicy` is 'Never'");
    }
}

/* --- containers ---------------------------------------------------------------------------------------------------------------- */

static void check_common(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct json *spec,
                         const struct v_pod_names *names)
{
    str image = V_STR(ctr, "image");
    v_check_member(c, p, ctr, S("name"), validate_dns1123_label);
    if (image.len == 0)
        v_required(c, V_FIELD(p, "image"), V_NO_DETAIL);
    else if (str_is(c->res->plural, "pods") && str_trim(image).len != image.len)
        v_invalid_str(c, V_FIELD(p, "image"), image, "must not have leading or trailing whitespace");
    check_port_names(c, V_FIELD(p, "ports"), V_GET(ctr, "ports"));
    v_volume_mounts(c, p, ctr, names);
    check_claims(c, V_FIELD(p, "resources"), V_GET(ctr, "resources"), names);
    check_resize_policies(c, p, ctr, spec);
}

static void check_regular(struct vctx *c, const struct vpath *p, const struct json *spec, struct v_pod_names *names)
{
    const struct json *containers = V_GET(spec, "containers");
    v_foreach (ctr, i, containers) {
        const struct vpath *at = V_INDEX(p, i);
        str name = V_STR(ctr, "name");
        check_common(c, at, ctr, spec, names);
        if (name.len && !v_set_add(&names->containers, name))
            v_duplicate(c, V_FIELD(at, "name"), name);
        check_hooks(c, at, ctr, spec);
        check_probes(c, at, ctr);
        if (V_GET(ctr, "restartPolicy"))
            v_forbidden(c, V_FIELD(at, "restartPolicy"), "may not be set for non-init containers");
    }
    check_host_ports(c, p, containers);
}

static void check_init(struct vctx *c, const struct vpath *p, const struct json *spec, struct v_pod_names *names)
{
    static const str sidecar_only[] = {STR_INIT("lifecycle"), STR_INIT("livenessProbe"), STR_INIT("readinessProbe"),
                                       STR_INIT("startupProbe")};
    const struct json *containers = V_GET(spec, "initContainers");
    v_foreach (ctr, i, containers) {
        const struct vpath *at = V_INDEX(p, i);
        str name = V_STR(ctr, "name");
        check_common(c, at, ctr, spec, names);
        if (name.len && !v_set_add(&names->containers, name))
            v_duplicate(c, V_FIELD(at, "name"), name);
        if (str_is(V_STR(ctr, "restartPolicy"), "Always")) {
            check_hooks(c, at, ctr, spec);
            check_probes(c, at, ctr);
            continue;
        }
        for (size_t k = 0; k < ARRAY_LEN(sidecar_only); k++) {
            if (v_get(ctr, sidecar_only[k]))
                v_forbidden(c, V_MEMBER(at, sidecar_only[k]), "may not be set for init containers without restartPolicy=Always");
        }
    }
}

static void check_ephemeral_only(struct vctx *c, const struct vpath *p, const struct json *ctr, const struct v_pod_names *names)
{
    static const str banned[] = {STR_INIT("ports"),         STR_INIT("resources"),      STR_INIT("resizePolicy"), STR_INIT("restartPolicy"),
                                 STR_INIT("livenessProbe"), STR_INIT("readinessProbe"), STR_INIT("startupProbe"), STR_INIT("lifecycle")};
    str target = V_STR(ctr, "targetContainerName");
    if (target.len && !v_set_has(&names->containers, target))
        v_not_found(c, V_FIELD(p, "targetContainerName"), target);
    for (size_t i = 0; i < ARRAY_LEN(banned); i++) {
        const struct json *v = v_get(ctr, banned[i]);
        if (v && !((v->type == JSON_OBJECT || v->type == JSON_ARRAY) && v->len == 0))
            v_forbidden(c, V_MEMBER(p, banned[i]), "cannot be set for an Ephemeral Container");
    }
    const struct json *mounts = V_GET(ctr, "volumeMounts");
    v_foreach (m, i, mounts) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "volumeMounts"), i);
        if (V_STR(m, "subPath").len)
            v_forbidden(c, V_FIELD(at, "subPath"), "cannot be set for an Ephemeral Container");
        if (V_STR(m, "subPathExpr").len)
            v_forbidden(c, V_FIELD(at, "subPathExpr"), "cannot be set for an Ephemeral Container");
    }
}

static void check_ephemeral(struct vctx *c, const struct vpath *p, const struct json *spec, const struct v_pod_names *names)
{
    const struct json *containers = V_GET(spec, "ephemeralContainers");
    struct v_map own;
    v_map_init(&own, c->e->arena);
    v_foreach (ctr, i, containers) {
        const struct vpath *at = V_INDEX(p, i);
        str name = V_STR(ctr, "name");
        check_common(c, at, ctr, spec, names);
        if (name.len && (v_set_has(&names->containers, name) || !v_set_add(&own, name)))
            v_duplicate(c, V_FIELD(at, "name"), name);
        check_ephemeral_only(c, at, ctr, names);
    }
}

void v_containers(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    struct v_pod_names names;
    const struct json *volumes = V_GET(spec, "volumes");
    v_map_init(&names.volumes, c->e->arena);
    v_map_init(&names.containers, c->e->arena);
    v_map_init(&names.claims, c->e->arena);
    v_foreach (v, i, volumes)
        v_map_put(&names.volumes, V_STR(v, "name"), v);
    v_set_add_list(&names.claims, V_GET(spec, "resourceClaims"), S("name"));
    check_regular(c, V_FIELD(p, "containers"), spec, &names);
    check_init(c, V_FIELD(p, "initContainers"), spec, &names);
    if (V_GET(spec, "ephemeralContainers"))
        check_ephemeral(c, V_FIELD(p, "ephemeralContainers"), spec, &names);
}
