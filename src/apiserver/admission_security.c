/* admission_security.c - the pod security standards, by namespace label.
 *
 *   pod-security.kubernetes.io/enforce|warn = privileged | baseline | restricted
 * enforce refuses, warn adds a warning; pod templates of workloads are only warned about, as in Kubernetes.  A check is a row: its level, and a function that says what is wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"

enum level { LEVEL_PRIVILEGED, LEVEL_BASELINE, LEVEL_RESTRICTED };

struct pod_check {
    struct arena *arena;
    const struct json *spec;
    struct strbuf found; /* "a (b), c (d)" */
};

static void finding(struct pod_check *c, const char *what, str detail)
{
    strbuf_addf(&c->found, "%s%s (" STR_FMT ")", c->found.len ? ", " : "", what, STR_ARG(detail));
}

static const str container_lists[] = {STR_INIT("initContainers"), STR_INIT("containers"), STR_INIT("ephemeralContainers")};

/* Names of the containers for which bad() holds: `container "a" must ...` or `containers "a", "b" must ...`; who: "pod or " where the pod could set it for all. */
static void each_container(struct pod_check *c, bool (*bad)(const struct pod_check *c, const struct json *container), const char *what, const char *must, const char *who)
{
    struct strbuf names = strbuf_on(c->arena);
    size_t n = 0;
    for (size_t l = 0; l < ARRAY_LEN(container_lists); l++) {
        const struct json *list = json_get(c->spec, container_lists[l]);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            if (!bad(c, &list->items[i]))
                continue;
            strbuf_addf(&names, "%s\"" STR_FMT "\"", n++ ? ", " : "", STR_ARG(json_get_str(&list->items[i], S("name"))));
        }
    }
    if (n)
        finding(c, what, arena_fmt(c->arena, "%s%s " STR_FMT " must %s", who, n > 1 ? "containers" : "container", STR_ARG(strbuf_str(&names)), must));
}

static const struct json *context_of(const struct json *container)
{
    return json_get(container, S("securityContext"));
}

/* --- baseline ----------------------------------------------------------------------------------------------------------------------- */

static void check_host_namespaces(struct pod_check *c)
{
    static const str fields[] = {STR_INIT("hostNetwork"), STR_INIT("hostPID"), STR_INIT("hostIPC")};
    struct strbuf b = strbuf_on(c->arena);
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        if (json_get_bool(c->spec, fields[i], false))
            strbuf_addf(&b, "%s" STR_FMT "=true", b.len ? ", " : "", STR_ARG(fields[i]));
    if (b.len)
        finding(c, "host namespaces", strbuf_str(&b));
}

static bool is_privileged(const struct pod_check *c UNUSED, const struct json *container)
{
    return json_get_bool(context_of(container), S("privileged"), false);
}

static void check_privileged(struct pod_check *c)
{
    each_container(c, is_privileged, "privileged", "not set securityContext.privileged=true", "");
}

static bool adds_capabilities(const struct json *container, const str *allowed, size_t n)
{
    const struct json *add = json_path(container, "securityContext", "capabilities", "add", NULL);
    for (uint32_t i = 0; json_is(add, JSON_ARRAY) && i < add->len; i++) {
        bool ok = false;
        for (size_t k = 0; k < n; k++)
            ok |= str_eq(json_str(&add->items[i]), allowed[k]);
        if (!ok)
            return true;
    }
    return false;
}

static bool adds_unusual_capabilities(const struct pod_check *c UNUSED, const struct json *container)
{
    static const str allowed[] = {STR_INIT("AUDIT_WRITE"), STR_INIT("CHOWN"),   STR_INIT("DAC_OVERRIDE"), STR_INIT("FOWNER"),   STR_INIT("FSETID"),
                                  STR_INIT("KILL"),        STR_INIT("MKNOD"),   STR_INIT("NET_BIND_SERVICE"), STR_INIT("SETFCAP"), STR_INIT("SETGID"),
                                  STR_INIT("SETPCAP"),     STR_INIT("SETUID"),  STR_INIT("SYS_CHROOT")};
    return adds_capabilities(container, allowed, ARRAY_LEN(allowed));
}

static void check_capabilities(struct pod_check *c)
{
    each_container(c, adds_unusual_capabilities, "non-default capabilities", "not include further capabilities in securityContext.capabilities.add", "");
}

static void check_host_path(struct pod_check *c)
{
    const struct json *volumes = json_get(c->spec, S("volumes"));
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; json_is(volumes, JSON_ARRAY) && i < volumes->len; i++)
        if (json_get(&volumes->items[i], S("hostPath")))
            strbuf_addf(&b, "%s\"" STR_FMT "\"", b.len ? ", " : "", STR_ARG(json_get_str(&volumes->items[i], S("name"))));
    if (b.len)
        finding(c, "hostPath volumes", arena_fmt(c->arena, "volume " STR_FMT, STR_ARG(strbuf_str(&b))));
}

static bool uses_host_port(const struct pod_check *c UNUSED, const struct json *container)
{
    const struct json *ports = json_get(container, S("ports"));
    for (uint32_t i = 0; json_is(ports, JSON_ARRAY) && i < ports->len; i++)
        if (json_get_int(&ports->items[i], S("hostPort"), 0))
            return true;
    return false;
}

static void check_host_ports(struct pod_check *c)
{
    each_container(c, uses_host_port, "hostPort", "not use hostPort", "");
}

static bool unmasks_proc(const struct pod_check *c UNUSED, const struct json *container)
{
    str mount = json_get_str(context_of(container), S("procMount"));
    return mount.len && !str_is(mount, "Default");
}

static void check_proc_mount(struct pod_check *c)
{
    each_container(c, unmasks_proc, "procMount", "not set securityContext.procMount to anything but \"Default\"", "");
}

static bool has_profile(const struct json *context, const char *type)
{
    return str_is(json_get_str(json_get(context, S("seccompProfile")), S("type")), type);
}

static bool is_unconfined(const struct pod_check *c UNUSED, const struct json *container)
{
    return has_profile(context_of(container), "Unconfined");
}

static void check_seccomp_baseline(struct pod_check *c)
{
    if (has_profile(json_get(c->spec, S("securityContext")), "Unconfined"))
        finding(c, "seccompProfile", S("pod must not set securityContext.seccompProfile.type to \"Unconfined\""));
    each_container(c, is_unconfined, "seccompProfile", "not set securityContext.seccompProfile.type to \"Unconfined\"", "");
}

static void check_sysctls(struct pod_check *c)
{
    static const str safe[] = {STR_INIT("kernel.shm_rmid_forced"),           STR_INIT("net.ipv4.ip_local_port_range"),     STR_INIT("net.ipv4.tcp_syncookies"),
                               STR_INIT("net.ipv4.ping_group_range"),        STR_INIT("net.ipv4.ip_unprivileged_port_start"), STR_INIT("net.ipv4.ip_local_reserved_ports"),
                               STR_INIT("net.ipv4.tcp_keepalive_time"),      STR_INIT("net.ipv4.tcp_fin_timeout"),         STR_INIT("net.ipv4.tcp_keepalive_intvl"),
                               STR_INIT("net.ipv4.tcp_keepalive_probes")};
    const struct json *list = json_path(c->spec, "securityContext", "sysctls", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        bool ok = false;
        for (size_t k = 0; k < ARRAY_LEN(safe); k++)
            ok |= str_eq(json_get_str(&list->items[i], S("name")), safe[k]);
        if (!ok)
            finding(c, "forbidden sysctls", json_get_str(&list->items[i], S("name")));
    }
}

/* --- restricted ------------------------------------------------------------------------------------------------------------------------ */

static bool may_escalate(const struct pod_check *c UNUSED, const struct json *container)
{
    return json_get_bool(context_of(container), S("allowPrivilegeEscalation"), true);
}

static void check_escalation(struct pod_check *c)
{
    each_container(c, may_escalate, "allowPrivilegeEscalation != false", "set securityContext.allowPrivilegeEscalation=false", "");
}

static bool keeps_capabilities(const struct pod_check *c UNUSED, const struct json *container)
{
    static const str allowed[] = {STR_INIT("NET_BIND_SERVICE")};
    const struct json *caps = json_path(container, "securityContext", "capabilities", NULL);
    return !object_list_has(caps, S("drop"), S("ALL")) || adds_capabilities(container, allowed, ARRAY_LEN(allowed));
}

static void check_drop_all(struct pod_check *c)
{
    each_container(c, keeps_capabilities, "unrestricted capabilities", "set securityContext.capabilities.drop=[\"ALL\"]", "");
}

static void check_volume_types(struct pod_check *c)
{
    static const str allowed[] = {STR_INIT("configMap"), STR_INIT("csi"),       STR_INIT("downwardAPI"), STR_INIT("emptyDir"), STR_INIT("ephemeral"),
                                  STR_INIT("persistentVolumeClaim"), STR_INIT("projected"), STR_INIT("secret"), STR_INIT("name"), STR_INIT("image")};
    const struct json *volumes = json_get(c->spec, S("volumes"));
    for (uint32_t i = 0; json_is(volumes, JSON_ARRAY) && i < volumes->len; i++) {
        const struct json *v = &volumes->items[i];
        for (uint32_t m = 0; m < v->len; m++) {
            bool ok = false;
            for (size_t k = 0; k < ARRAY_LEN(allowed); k++)
                ok |= str_eq(v->members[m].key, allowed[k]);
            if (!ok)
                finding(c, "restricted volume types", arena_fmt(c->arena, "volume \"" STR_FMT "\" uses restricted volume type \"" STR_FMT "\"", STR_ARG(json_get_str(v, S("name"))),
                                                                STR_ARG(v->members[m].key)));
        }
    }
}

static bool may_be_root(const struct pod_check *c, const struct json *container)
{
    bool by_pod = json_get_bool(json_get(c->spec, S("securityContext")), S("runAsNonRoot"), false);
    return !json_get_bool(context_of(container), S("runAsNonRoot"), by_pod);
}

static void check_non_root(struct pod_check *c)
{
    each_container(c, may_be_root, "runAsNonRoot != true", "set securityContext.runAsNonRoot=true", "pod or ");
}

static bool is_root(const struct pod_check *c, const struct json *container)
{
    int64_t by_pod = json_get_int(json_get(c->spec, S("securityContext")), S("runAsUser"), -1);
    return json_get_int(context_of(container), S("runAsUser"), by_pod) == 0;
}

static void check_root_user(struct pod_check *c)
{
    each_container(c, is_root, "runAsUser=0", "not set runAsUser=0", "");
}

static bool lacks_profile(const struct pod_check *c, const struct json *container)
{
    const struct json *own = context_of(container), *pod = json_get(c->spec, S("securityContext"));
    const struct json *used = json_get(own, S("seccompProfile")) ? own : pod;
    return !has_profile(used, "RuntimeDefault") && !has_profile(used, "Localhost");
}

static void check_seccomp_restricted(struct pod_check *c)
{
    each_container(c, lacks_profile, "seccompProfile", "set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"", "pod or ");
}

static const struct {
    enum level level;
    void (*check)(struct pod_check *c);
} checks[] = {
    {LEVEL_BASELINE, check_host_namespaces}, {LEVEL_BASELINE, check_privileged},       {LEVEL_BASELINE, check_capabilities}, {LEVEL_BASELINE, check_host_path},
    {LEVEL_BASELINE, check_host_ports},      {LEVEL_BASELINE, check_proc_mount},       {LEVEL_BASELINE, check_sysctls},      {LEVEL_BASELINE, check_seccomp_baseline},
    {LEVEL_RESTRICTED, check_escalation},    {LEVEL_RESTRICTED, check_drop_all},       {LEVEL_RESTRICTED, check_volume_types}, {LEVEL_RESTRICTED, check_non_root},
    {LEVEL_RESTRICTED, check_root_user},     {LEVEL_RESTRICTED, check_seccomp_restricted},
};

/* --- by namespace ------------------------------------------------------------------------------------------------------------------------ */

#define LEVEL_LABEL "pod-security.kubernetes.io/"

static enum level level_of(const struct json *ns, const char *mode)
{
    char key[64];
    snprintf(key, sizeof key, LEVEL_LABEL "%s", mode);
    str v = json_get_str(json_get(object_meta(ns), S("labels")), str_of(key));
    return str_is(v, "restricted") ? LEVEL_RESTRICTED : str_is(v, "baseline") ? LEVEL_BASELINE : LEVEL_PRIVILEGED;
}

static str violations(struct arena *a, enum level level, const struct json *spec)
{
    struct pod_check c = {.arena = a, .spec = spec, .found = strbuf_on(a)};
    for (size_t i = 0; i < ARRAY_LEN(checks); i++)
        if (checks[i].level <= level)
            checks[i].check(&c);
    return strbuf_str(&c.found);
}

static const char *const level_names[] = {"privileged", "baseline", "restricted"};

/* The pod spec in a workload, or NULL. */
static const struct json *template_of(const struct admission_attrs *at)
{
    const struct json *spec = json_get(at->obj, S("spec"));
    if (admission_is_kind(at, "batch", "cronjobs"))
        spec = json_path(spec, "jobTemplate", "spec", NULL);
    return json_path(spec, "template", "spec", NULL);
}

int validate_pod_security(struct admission_attrs *at, struct err *err)
{
    bool is_pod = admission_is_kind(at, "", "pods");
    bool new_or_debug = at->op == ADMIT_CREATE || (at->op == ADMIT_UPDATE && str_is(at->subresource, "ephemeralcontainers"));
    if (!at->obj || !api_is_namespaced(at->res) || (is_pod && !new_or_debug) || (!is_pod && at->subresource.len))
        return 0;
    const struct json *spec = is_pod ? json_get(at->obj, S("spec")) : template_of(at);
    struct json ns;
    if (!spec || !object_get_having(at->store, at->arena, S(""), S("namespaces"), S(""), at->ns, LEVEL_LABEL, NULL, &ns) || !ns.len)
        return 0;
    enum level enforce = level_of(&ns, "enforce"), warn = level_of(&ns, "warn");
    if (is_pod && enforce > LEVEL_PRIVILEGED) {
        str bad = violations(at->arena, enforce, spec);
        if (bad.len)
            return admission_forbid(at, err, "violates PodSecurity \"%s:latest\": " STR_FMT, level_names[enforce], STR_ARG(bad));
    }
    if (warn > LEVEL_PRIVILEGED) {
        str bad = violations(at->arena, warn, spec);
        if (bad.len)
            api_req_warn(at->req, arena_fmt(at->arena, "would violate PodSecurity \"%s:latest\": " STR_FMT, level_names[warn], STR_ARG(bad)));
    }
    return 0;
}
