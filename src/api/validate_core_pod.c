/* validate_core_pod.c - pods and pod templates: what the spec as a whole must hold to. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"
#include "base/bandwidth.h"
#include "base/limits.h"

/* --- security ------------------------------------------------------------------------------------------------------------ */

static void check_id(struct vctx *c, const struct vpath *p, const struct json *v, str key)
{
    const struct json *id = v_get(v, key);
    int64_t n;
    if (id && json_to_i64(id, &n))
        v_range(c, V_MEMBER(p, key), n, 0, INT32_MAX);
}

void v_seccomp(struct vctx *c, const struct vpath *p, const struct json *profile)
{
    const struct json *local = V_GET(profile, "localhostProfile");
    if (!str_is(V_STR(profile, "type"), "Localhost")) {
        if (local)
            v_invalid(c, V_FIELD(p, "localhostProfile"), profile, "can only be set when seccomp type is Localhost");
    } else if (!local) {
        v_required(c, V_FIELD(p, "localhostProfile"), "must be set when seccomp type is Localhost");
    } else {
        v_path_local(c, V_FIELD(p, "localhostProfile"), json_str(local));
    }
}

void v_app_armor(struct vctx *c, const struct vpath *p, const struct json *profile)
{
    const struct json *local = V_GET(profile, "localhostProfile");
    const struct vpath *at = V_FIELD(p, "localhostProfile");
    if (!str_is(V_STR(profile, "type"), "Localhost")) {
        if (local)
            v_invalid(c, at, local, "can only be set when AppArmor type is Localhost");
        return;
    }
    str text = json_str(local);
    if (text.len == 0)
        v_required(c, at, "must be set when AppArmor type is Localhost");
    else if (str_trim(text).len != text.len)
        v_invalid_str(c, at, text, "must not be padded with whitespace");
    if (text.len > 4095)
        v_too_long(c, at, 4095);
}

void v_security_context(struct vctx *c, const struct vpath *p, const struct json *sc)
{
    check_id(c, p, sc, S("runAsUser"));
    check_id(c, p, sc, S("runAsGroup"));
    if (json_get_bool(sc, S("allowPrivilegeEscalation"), true))
        return;
    if (V_BOOL(sc, "privileged"))
        v_invalid(c, p, sc, "cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
    if (v_str_list_has(V_GET(V_GET(sc, "capabilities"), "add"), S("CAP_SYS_ADMIN")))
        v_invalid(c, p, sc, "cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
}

#define SYSCTL_RE "^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$"

static void check_sysctls(struct vctx *c, const struct vpath *p, const struct json *sysctls)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (s, i, sysctls) {
        str name = V_STR(s, "name");
        const struct vpath *at = V_FIELD(V_INDEX(p, i), "name");
        if (name.len && !v_is_sysctl_name(name))
            v_invalid_str(c, at, name, "must have at most 253 characters and match regex %s", SYSCTL_RE);
        else if (name.len && !v_set_add(&seen, name))
            v_duplicate(c, at, name);
    }
}

void v_pod_security_context(struct vctx *c, const struct vpath *p, const struct json *sc)
{
    static const str ids[] = {STR_INIT("fsGroup"), STR_INIT("runAsUser"), STR_INIT("runAsGroup")};
    for (size_t i = 0; i < ARRAY_LEN(ids); i++)
        check_id(c, p, sc, ids[i]);
    const struct json *groups = V_GET(sc, "supplementalGroups");
    v_foreach (group, i, groups) {
        int64_t id;
        if (json_to_i64(group, &id))
            v_range(c, V_INDEX(V_FIELD(p, "supplementalGroups"), i), id, 0, INT32_MAX);
    }
    check_sysctls(c, V_FIELD(p, "sysctls"), V_GET(sc, "sysctls"));
}

/* --- names in the network --------------------------------------------------------------------------------------------------- */

void v_host_alias(struct vctx *c, const struct vpath *p, const struct json *alias)
{
    const struct json *names = V_GET(alias, "hostnames");
    v_ip(c, V_FIELD(p, "ip"), V_STR(alias, "ip"));
    v_foreach (name, i, names)
        v_check(c, V_INDEX(V_FIELD(p, "hostnames"), i), json_str(name), validate_dns1123_subdomain);
}

enum { DNS_SERVERS_MAX = 3, DNS_SEARCHES_MAX = 32, DNS_SEARCH_CHARS_MAX = 2048 };

static void check_searches(struct vctx *c, const struct vpath *p, const struct json *searches)
{
    size_t chars = v_len(searches) ? v_len(searches) - 1 : 0;
    v_foreach (s, i, searches) {
        str domain = json_str(s);
        chars += domain.len;
        if (domain.len && domain.p[domain.len - 1] == '.')
            domain.len--;
        if (domain.len || !str_is(json_str(s), "."))
            v_check(c, V_INDEX(p, i), domain, validate_subdomain_underscore);
    }
    if (v_len(searches) > DNS_SEARCHES_MAX)
        v_invalid(c, p, searches, "must not have more than %d search paths", DNS_SEARCHES_MAX);
    if (chars > DNS_SEARCH_CHARS_MAX)
        v_invalid(c, p, searches, "must not have more than %d characters (including spaces) in the search list", DNS_SEARCH_CHARS_MAX);
}

void v_pod_dns_config(struct vctx *c, const struct vpath *p, const struct json *dns)
{
    const struct json *servers = V_GET(dns, "nameservers"), *options = V_GET(dns, "options");
    if (v_len(servers) > DNS_SERVERS_MAX)
        v_invalid(c, V_FIELD(p, "nameservers"), servers, "must not have more than %d nameservers", DNS_SERVERS_MAX);
    v_foreach (server, i, servers)
        v_ip(c, V_INDEX(V_FIELD(p, "nameservers"), i), json_str(server));
    check_searches(c, V_FIELD(p, "searches"), V_GET(dns, "searches"));
    v_foreach (option, i, options) {
        if (V_STR(option, "name").len == 0)
            v_required(c, V_INDEX(V_FIELD(p, "options"), i), "must not be empty");
    }
}

static void check_dns_policy(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *dns = V_GET(spec, "dnsConfig");
    if (!str_is(V_STR(spec, "dnsPolicy"), "None"))
        return;
    if (!dns)
        v_required(c, V_FIELD(p, "dnsConfig"), "must provide `dnsConfig` when `dnsPolicy` is None");
    else if (v_len(V_GET(dns, "nameservers")) == 0)
        v_required(c, V_FIELD(V_FIELD(p, "dnsConfig"), "nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None");
}

static void check_host_network(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    if (!V_BOOL(spec, "hostNetwork"))
        return;
    bool is_pod = str_is(c->res->plural, "pods");
    const struct json *containers = V_GET(spec, "containers");
    v_foreach (ctr, i, containers) {
        const struct json *ports = V_GET(ctr, "ports");
        v_foreach (port, k, ports) {
            int64_t host = V_INT(port, "hostPort");
            if ((is_pod || host) && host != V_INT(port, "containerPort"))
                v_invalid_int(c, V_FIELD(V_INDEX(V_FIELD(V_INDEX(V_FIELD(p, "containers"), i), "ports"), k), "hostPort"), host,
                              "must match `containerPort` when `hostNetwork` is true");
        }
    }
}

/* --- the spec ------------------------------------------------------------------------------------------------------------------ */

static void check_volume_names(struct vctx *c, const struct vpath *p, const struct json *volumes)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (volume, i, volumes) {
        str name = V_STR(volume, "name");
        if (name.len && !v_set_add(&seen, name))
            v_duplicate(c, V_FIELD(V_INDEX(p, i), "name"), name);
    }
}

static void check_gates(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *gates = V_GET(spec, "schedulingGates"), *ready = V_GET(spec, "readinessGates");
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (gate, i, gates) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "schedulingGates"), i);
        str name = V_STR(gate, "name");
        v_check(c, at, name, validate_qualified_name);
        if (!v_set_add(&seen, name))
            v_duplicate(c, at, name);
    }
    v_foreach (gate, i, ready)
        v_check(c, V_FIELD(V_INDEX(V_FIELD(p, "readinessGates"), i), "conditionType"), V_STR(gate, "conditionType"),
                validate_qualified_name);
}

/* The pair that must be unique is printed as Go prints it; the error stands at the first of two. */
static void check_spread_pairs(struct vctx *c, const struct vpath *p, const struct json *spread)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    for (size_t i = v_len(spread); v_len(spread) > 1 && i-- > 0;) {
        const struct json *t = &spread->items[i];
        str pair =
            arena_fmt(c->e->arena, "{" STR_FMT ", " STR_FMT "}", STR_ARG(V_STR(t, "topologyKey")), STR_ARG(V_STR(t, "whenUnsatisfiable")));
        if (!v_set_add(&seen, pair))
            v_duplicate(c, V_FIELD(V_INDEX(p, i), "{topologyKey, whenUnsatisfiable}"), pair);
    }
}

static void check_host_users(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const struct {
        str field, shown;
    } shared[] = {{STR_INIT("hostNetwork"), STR_INIT("hostNetwork")},
                  {STR_INIT("hostPID"), STR_INIT("HostPID")},
                  {STR_INIT("hostIPC"), STR_INIT("HostIPC")}};
    if (V_BOOL(spec, "shareProcessNamespace") && V_BOOL(spec, "hostPID"))
        v_invalid(c, V_FIELD(V_FIELD(p, "securityContext"), "shareProcessNamespace"), V_GET(spec, "shareProcessNamespace"),
                  "ShareProcessNamespace and HostPID cannot both be enabled");
    if (json_get_bool(spec, S("hostUsers"), true))
        return;
    for (size_t i = 0; i < ARRAY_LEN(shared); i++) {
        if (json_get_bool(spec, shared[i].field, false))
            v_forbidden(c, V_MEMBER(p, shared[i].shown), "when `pod.Spec.HostUsers` is false");
    }
}

static void check_claims_of_pod(struct vctx *c, const struct vpath *p, const struct json *claims)
{
    struct v_map seen;
    v_map_init(&seen, c->e->arena);
    v_foreach (claim, i, claims) {
        const struct vpath *at = V_INDEX(p, i);
        const struct json *name = V_GET(claim, "resourceClaimName"), *template = V_GET(claim, "resourceClaimTemplateName");
        v_check_member(c, at, claim, S("name"), validate_dns1123_label);
        if (V_STR(claim, "name").len && !v_set_add(&seen, V_STR(claim, "name")))
            v_duplicate(c, V_FIELD(at, "name"), V_STR(claim, "name"));
        if (name && template)
            v_invalid(c, at, claim, "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified");
        else if (!name && !template)
            v_invalid(c, at, claim, "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`");
    }
}

static void check_os(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    if (str_is(V_STR(V_GET(spec, "os"), "name"), "linux") && V_GET(V_GET(spec, "securityContext"), "windowsOptions"))
        v_forbidden(c, V_FIELD(V_FIELD(p, "securityContext"), "windowsOptions"), "windows options cannot be set for a linux pod");
}

static void check_overhead(struct vctx *c, const struct vpath *p, const struct json *overhead)
{
    v_foreach_member (m, overhead) {
        v_resource_name(c, V_KEY(V_FIELD(p, "limits"), m->key), m->key);
        v_resource_quantity(c, V_KEY(V_FIELD(p, "limits"), m->key), m->key, &m->value);
    }
}

static void check_spec_names(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const struct {
        str key;
        v_rule *rule;
    } rules[] = {
        {STR_INIT("serviceAccountName"), validate_dns1123_subdomain},
        {STR_INIT("nodeName"), validate_dns1123_subdomain},
        {STR_INIT("hostname"), validate_dns1123_label},
        {STR_INIT("subdomain"), validate_dns1123_label},
        {STR_INIT("priorityClassName"), validate_dns1123_subdomain},
        {STR_INIT("runtimeClassName"), validate_dns1123_subdomain},
    };
    for (size_t i = 0; i < ARRAY_LEN(rules); i++)
        v_check_member(c, p, spec, rules[i].key, rules[i].rule);
}

void v_pod_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    check_volume_names(c, V_FIELD(p, "volumes"), V_GET(spec, "volumes"));
    check_claims_of_pod(c, V_FIELD(p, "resourceClaims"), V_GET(spec, "resourceClaims"));
    v_containers(c, p, spec);
    check_host_network(c, p, spec);
    v_labels(c, V_FIELD(p, "nodeSelector"), V_GET(spec, "nodeSelector"));
    check_dns_policy(c, p, spec);
    check_gates(c, p, spec);
    check_spread_pairs(c, V_FIELD(p, "topologySpreadConstraints"), V_GET(spec, "topologySpreadConstraints"));
    check_host_users(c, p, spec);
    check_spec_names(c, p, spec);
    const struct json *deadline = V_GET(spec, "activeDeadlineSeconds");
    if (deadline)
        v_range(c, V_FIELD(p, "activeDeadlineSeconds"), V_INT(spec, "activeDeadlineSeconds"), 1, INT32_MAX);
    check_overhead(c, V_FIELD(p, "overhead"), V_GET(spec, "overhead"));
    check_os(c, p, spec);
    if (V_GET(V_GET(spec, "resources"), "claims"))
        v_forbidden(c, V_FIELD(V_FIELD(p, "resources"), "claims"), "claims cannot be set for Resources at pod-level");
}

/* --- pods and templates ---------------------------------------------------------------------------------------------------------- */

/* As nodes read it: plain numbers, and none of the address behind the prefix. */
static bool is_range(str s)
{
    struct v_address a;
    unsigned bits = 32;
    char plain[32];
    bool is_one = str_find_char(s, '/') < 0;
    if (!(is_one ? v_parse_ip(s, &a) : v_parse_cidr(s, &a, &bits)) || a.v6)
        return false;
    uint32_t ip = (uint32_t)a.bytes[0] << 24 | (uint32_t)a.bytes[1] << 16 | (uint32_t)a.bytes[2] << 8 | a.bytes[3];
    snprintf(plain, sizeof plain, "%u.%u.%u.%u/%u", a.bytes[0], a.bytes[1], a.bytes[2], a.bytes[3], bits);
    str all = str_of(plain), rest = all, address;
    str_cut(&rest, '/', &address);
    return str_eq(s, is_one ? address : all) && (bits == 32 || !(uint32_t)(ip << bits));
}

/* A domain, an address or a range of them: of anything else a node makes no limit, and a pod that asks for it does not start there. */
static bool is_destination(str to)
{
    bool numbers = to.len && to.p[0] >= '0' && to.p[0] <= '9' && str_find_char(to, '.') > 0;
    return numbers ? is_range(to) : !validate_dns1123_label(to);
}

static void check_destinations(struct vctx *c, const struct vpath *p, const struct json *annotations, const struct json *before)
{
    str value = json_get_str(annotations, S(BANDWIDTH_LIMITS)), rest = value, to;
    size_t n = 0;
    int64_t bits;
    if (str_eq(value, json_get_str(before, S(BANDWIDTH_LIMITS))))
        return;
    while (rest.len && bandwidth_next_limit(&rest, &to, &bits, NULL) == 0 && ++n)
        if (!is_destination(to)) {
            v_invalid_str(c, V_KEY(p, S(BANDWIDTH_LIMITS)), value, "\"" STR_FMT "\" is neither a domain nor a range of addresses as 10.9.0.0/16", STR_ARG(to));
            return;
        }
    v_foreach_member (m, annotations)
        n += str_has_prefix(m->key, S(BANDWIDTH_LIMIT_TO));
    if (n > LIMIT_BANDWIDTH_DESTS)
        v_error(c, FIELD_TOO_MANY, V_KEY(p, S(BANDWIDTH_LIMITS)), NULL, "%zu destinations are given, a pod has limits to at most %d", n, LIMIT_BANDWIDTH_DESTS);
}

static void check_pod_annotations(struct vctx *c, const struct vpath *p, const struct json *annotations)
{
    int64_t cost;
    const struct json *text = V_GET(annotations, "controller.kubernetes.io/pod-deletion-cost");
    str s = json_str(text);
    bool is_number = s.len && s.p[0] != '+' && str_to_i64(s, &cost) && cost >= INT32_MIN && cost <= INT32_MAX;
    if (text && (!is_number || (s.len > 1 && s.p[0] == '0')))
        v_invalid_str(c, V_KEY(p, S("controller.kubernetes.io/pod-deletion-cost")), s, "must be a 32bit integer");
    const struct json *before = V_GET(V_GET(c->old, "metadata"), "annotations");
    v_foreach_member (m, annotations) {
        struct err err = ERR_NONE;
        str value = json_str(&m->value);
        bool is_new = !json_get(before, m->key) || !str_eq(json_get_str(before, m->key), value); /* one that was stored before there was this rule stays */
        if (is_new && bandwidth_check_annotation(m->key, value, &err) < 0)
            v_invalid_str(c, V_KEY(p, m->key), value, "%s", err.msg);
    }
    check_destinations(c, p, annotations, before);
    const struct json *lend = v_get(annotations, S(BANDWIDTH_LEND_NOTE));
    if (lend && !str_is(json_str(lend), BANDWIDTH_LEND_ACCEPT))
        v_invalid_str(c, V_KEY(p, S(BANDWIDTH_LEND_NOTE)), json_str(lend), "means nothing, only " BANDWIDTH_LEND_ACCEPT " does");
}

/* Kubernetes leaves "metadata" out of the paths in a template. */
void v_pod_template_spec(struct vctx *c, const struct vpath *p, const struct json *template)
{
    const struct json *meta = V_GET(template, "metadata"), *annotations = V_GET(meta, "annotations");
    v_labels(c, V_FIELD(p, "labels"), V_GET(meta, "labels"));
    v_annotations(c, V_FIELD(p, "annotations"), annotations);
    check_pod_annotations(c, V_FIELD(p, "annotations"), annotations);
    if (!c->old) /* what was stored before there was this rule can still be changed */
        v_gpu_annotations(c, V_FIELD(p, "annotations"), annotations, V_GET(template, "spec"));
    if (!V_GET(template, "spec"))
        v_required(c, V_FIELD(V_FIELD(p, "spec"), "containers"), V_NO_DETAIL);
    if (v_len(V_GET(V_GET(template, "spec"), "ephemeralContainers")))
        v_forbidden(c, V_FIELD(V_FIELD(p, "spec"), "ephemeralContainers"), "ephemeral containers not allowed in pod template");
}

static void check_tokens_without_account(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *volumes = V_GET(spec, "volumes");
    if (V_STR(spec, "serviceAccountName").len)
        return;
    v_foreach (volume, i, volumes) {
        const struct json *sources = V_GET(V_GET(volume, "projected"), "sources");
        v_foreach (source, k, sources) {
            if (V_GET(source, "serviceAccountToken"))
                v_forbidden(
                    c,
                    V_FIELD(V_INDEX(V_FIELD(V_FIELD(V_INDEX(V_FIELD(p, "volumes"), i), "projected"), "sources"), k), "serviceAccountToken"),
                    "must not be specified when serviceAccountName is not set");
        }
    }
}

/* It says what kind of request the pod's is, and requests do not change: a loan that became a promise on its node would be one that nobody had room for. */
static void check_lend_stays(struct vctx *c, const struct json *annotations)
{
    const struct json *before = v_get(V_GET(V_GET(c->old, "metadata"), "annotations"), S(BANDWIDTH_LEND_NOTE)), *now = v_get(annotations, S(BANDWIDTH_LEND_NOTE));
    if (!before != !now)
        v_forbidden(c, V_KEY(V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), S(BANDWIDTH_LEND_NOTE)), "cannot be added to or taken from a pod: make it again");
}

void v_pod(struct vctx *c, const struct vpath *p UNUSED, const struct json *pod)
{
    const struct vpath *at = V_FIELD(NULL, "spec");
    const struct json *spec = V_GET(pod, "spec"), *annotations = V_GET(V_GET(pod, "metadata"), "annotations");
    check_pod_annotations(c, V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), annotations);
    if (V_GET(annotations, "kubernetes.io/config.mirror") && V_STR(spec, "nodeName").len == 0)
        v_invalid(c, V_KEY(V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), S("kubernetes.io/config.mirror")),
                  V_GET(annotations, "kubernetes.io/config.mirror"), "must set spec.nodeName if mirror pod annotation is set");
    if (!spec)
        v_required(c, V_FIELD(at, "containers"), V_NO_DETAIL);
    check_tokens_without_account(c, at, spec);
    if (c->old) {
        check_lend_stays(c, annotations);
        v_pod_update(c);
        return;
    }
    v_gpu_annotations(c, V_FIELD(V_FIELD(NULL, "metadata"), "annotations"), annotations, spec);
    if (v_len(V_GET(spec, "ephemeralContainers")))
        v_forbidden(c, V_FIELD(at, "ephemeralContainers"), "cannot be set on create");
    if (V_STR(spec, "nodeName").len && v_len(V_GET(spec, "schedulingGates")))
        v_forbidden(c, V_FIELD(at, "nodeName"), "cannot be set until all schedulingGates have been cleared");
}
