/* container_security.c - securityContext of pod and container merged: user, groups, capabilities, seccomp, sysctls.
 *
 * What the container says goes before what the pod says, and that before the image.  Without a word a container has the usual 14 capabilities and no
 * seccomp filter, as in Kubernetes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <linux/capability.h>

#include "agent/pod/container_build_internal.h"

static const char *const cap_names[] = {
    [CAP_CHOWN] = "CHOWN", [CAP_DAC_OVERRIDE] = "DAC_OVERRIDE", [CAP_DAC_READ_SEARCH] = "DAC_READ_SEARCH", [CAP_FOWNER] = "FOWNER", [CAP_FSETID] = "FSETID", [CAP_KILL] = "KILL",
    [CAP_SETGID] = "SETGID", [CAP_SETUID] = "SETUID", [CAP_SETPCAP] = "SETPCAP", [CAP_LINUX_IMMUTABLE] = "LINUX_IMMUTABLE", [CAP_NET_BIND_SERVICE] = "NET_BIND_SERVICE",
    [CAP_NET_BROADCAST] = "NET_BROADCAST", [CAP_NET_ADMIN] = "NET_ADMIN", [CAP_NET_RAW] = "NET_RAW", [CAP_IPC_LOCK] = "IPC_LOCK", [CAP_IPC_OWNER] = "IPC_OWNER", [CAP_SYS_MODULE] = "SYS_MODULE",
    [CAP_SYS_RAWIO] = "SYS_RAWIO", [CAP_SYS_CHROOT] = "SYS_CHROOT", [CAP_SYS_PTRACE] = "SYS_PTRACE", [CAP_SYS_PACCT] = "SYS_PACCT", [CAP_SYS_ADMIN] = "SYS_ADMIN", [CAP_SYS_BOOT] = "SYS_BOOT",
    [CAP_SYS_NICE] = "SYS_NICE", [CAP_SYS_RESOURCE] = "SYS_RESOURCE", [CAP_SYS_TIME] = "SYS_TIME", [CAP_SYS_TTY_CONFIG] = "SYS_TTY_CONFIG", [CAP_MKNOD] = "MKNOD", [CAP_LEASE] = "LEASE",
    [CAP_AUDIT_WRITE] = "AUDIT_WRITE", [CAP_AUDIT_CONTROL] = "AUDIT_CONTROL", [CAP_SETFCAP] = "SETFCAP", [CAP_MAC_OVERRIDE] = "MAC_OVERRIDE", [CAP_MAC_ADMIN] = "MAC_ADMIN", [CAP_SYSLOG] = "SYSLOG",
    [CAP_WAKE_ALARM] = "WAKE_ALARM", [CAP_BLOCK_SUSPEND] = "BLOCK_SUSPEND", [CAP_AUDIT_READ] = "AUDIT_READ", [38] = "PERFMON", [39] = "BPF", [40] = "CHECKPOINT_RESTORE",
};
#define CAP_BIT(c) (1ull << (c))
#define CAPS_ALL (CAP_BIT(ARRAY_LEN(cap_names)) - 1)
#define CAPS_DEFAULT                                                                                                                                                                                             \
    (CAP_BIT(CAP_CHOWN) | CAP_BIT(CAP_DAC_OVERRIDE) | CAP_BIT(CAP_FSETID) | CAP_BIT(CAP_FOWNER) | CAP_BIT(CAP_MKNOD) | CAP_BIT(CAP_NET_RAW) | CAP_BIT(CAP_SETGID) | CAP_BIT(CAP_SETUID) |                      \
     CAP_BIT(CAP_SETFCAP) | CAP_BIT(CAP_SETPCAP) | CAP_BIT(CAP_NET_BIND_SERVICE) | CAP_BIT(CAP_SYS_CHROOT) | CAP_BIT(CAP_KILL) | CAP_BIT(CAP_AUDIT_WRITE))

/* The container's word, else the pod's; NULL: neither has one. */
static const struct json *merged(const struct json *pod, const struct json *container, str key)
{
    const struct json *v = json_get(json_get(container, S("securityContext")), key);
    if (v && v->type != JSON_NULL)
        return v;
    v = json_path(pod, "spec", "securityContext", NULL);
    v = json_get(v, key);
    return v && v->type != JSON_NULL ? v : NULL;
}

/* "p_ns(uid)", as Kubernetes names pods in sentences. */
static str pod_title(struct arena *a, const struct json *pod)
{
    const struct json *m = json_get(pod, S("metadata"));
    str name = json_get_str(m, S("name")), ns = json_get_str(m, S("namespace")), uid = json_get_str(m, S("uid"));
    return arena_fmt(a, STR_FMT "_" STR_FMT "(" STR_FMT ")", STR_ARG(name), STR_ARG(ns), STR_ARG(uid));
}

/* --- capabilities --------------------------------------------------------------------------------------- */
const char *capability_name(unsigned bit)
{
    return bit < ARRAY_LEN(cap_names) ? cap_names[bit] : NULL;
}

static int cap_find(str name)
{
    if (name.len > 4 && str_ieq(str_sub(name, 0, 4), S("CAP_")))
        name = str_from(name, 4);
    for (size_t i = 0; i < ARRAY_LEN(cap_names); i++)
        if (str_ieq(name, str_of(cap_names[i])))
            return (int)i;
    return -1;
}

static int cap_list(const struct json *list, uint64_t *ret, bool *ret_all, struct err *err)
{
    *ret = 0;
    *ret_all = false;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str name = json_str(&list->items[i]);
        int cap = cap_find(name);
        if (str_ieq(name, S("ALL")))
            *ret_all = true;
        else if (cap < 0)
            return err_set(err, E_INVALID_ARG, "unknown capability \"" STR_FMT "\"", STR_ARG(name));
        else
            *ret |= CAP_BIT(cap);
    }
    return 0;
}

static int set_caps(const struct json *context, struct container_spec *ret, struct err *err)
{
    const struct json *caps = json_get(context, S("capabilities"));
    uint64_t add, drop;
    bool add_all, drop_all;
    int r = cap_list(json_get(caps, S("add")), &add, &add_all, err);
    if (r < 0 || (r = cap_list(json_get(caps, S("drop")), &drop, &drop_all, err)) < 0)
        return r;
    ret->caps = add_all ? CAPS_ALL : CAPS_DEFAULT;
    if (drop_all)
        ret->caps = 0;
    ret->caps = (ret->caps | add) & ~drop;
    if (ret->privileged)
        ret->caps = CAPS_ALL;
    return 0;
}

/* --- users ---------------------------------------------------------------------------------------------- */
static bool to_id(const struct json *v, uint32_t *ret)
{
    int64_t n;
    if (!v || !json_to_i64(v, &n) || n < 0 || n > UINT32_MAX)
        return false;
    *ret = (uint32_t)n;
    return true;
}

static int check_non_root(struct arena *a, const struct json *pod, struct container_spec *ret, struct err *err)
{
    str title = pod_title(a, pod), name = ret->name;
    if (ret->has_uid)
        return ret->uid ? 0 : err_set(err, E_INVALID_ARG, "container's runAsUser breaks non-root policy (pod: \"" STR_FMT "\", container: " STR_FMT ")", STR_ARG(title), STR_ARG(name));
    str user = str_of(ret->user ? ret->user : ""), part;
    uint64_t id = 0;
    str_cut(&user, ':', &part);
    if (!part.len || (str_to_u64(part, &id) && id == 0) || str_is(part, "root"))
        return err_set(err, E_INVALID_ARG, "container has runAsNonRoot and image will run as root (pod: \"" STR_FMT "\", container: " STR_FMT ")", STR_ARG(title), STR_ARG(name));
    if (!str_to_u64(part, &id))
        return err_set(err, E_INVALID_ARG, "container has runAsNonRoot and image has non-numeric user (" STR_FMT "), cannot verify user is non-root (pod: \"" STR_FMT "\", container: " STR_FMT ")",
                       STR_ARG(part), STR_ARG(title), STR_ARG(name));
    return 0;
}

static int set_user(struct arena *a, const struct json *pod, const struct json *container, const struct image *image, struct container_spec *ret, struct err *err)
{
    const struct json *non_root = merged(pod, container, S("runAsNonRoot"));
    ret->has_uid = to_id(merged(pod, container, S("runAsUser")), &ret->uid);
    ret->has_gid = to_id(merged(pod, container, S("runAsGroup")), &ret->gid);
    if (!ret->has_uid)
        ret->user = image->user ? image->user : "";
    else if (!ret->has_gid)
        ret->user = arena_fmt(a, "%u", ret->uid).p; /* its group stands in the image's passwd, if it is there */
    ret->must_be_non_root = json_is(non_root, JSON_BOOL) && non_root->b;
    return ret->must_be_non_root && (ret->has_uid || image_is_known(image)) ? check_non_root(a, pod, ret, err) : 0;
}

static void set_groups(struct arena *a, const struct json *pod, struct container_spec *ret)
{
    const struct json *context = json_path(pod, "spec", "securityContext", NULL), *list = json_get(context, S("supplementalGroups"));
    uint32_t n = json_is(list, JSON_ARRAY) ? list->len : 0, id;
    uint32_t *groups = arena_array(a, n + 1, uint32_t);
    for (uint32_t i = 0; i < n; i++)
        if (to_id(&list->items[i], &id))
            groups[ret->ngroups++] = id;
    if (to_id(json_get(context, S("fsGroup")), &id))
        groups[ret->ngroups++] = id;
    ret->groups = groups;
}

bool pod_common_uid(const struct json *pod, uint32_t *ret)
{
    static const str lists[] = {STR_INIT("initContainers"), STR_INIT("containers"), STR_INIT("ephemeralContainers")};
    bool any = false;
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *all = json_get(json_get(pod, S("spec")), lists[l]);
        for (uint32_t i = 0; json_is(all, JSON_ARRAY) && i < all->len; i++) {
            uint32_t id;
            if (!to_id(merged(pod, &all->items[i], S("runAsUser")), &id) || (any && id != *ret))
                return false;
            *ret = id;
            any = true;
        }
    }
    return any;
}

/* --- seccomp -------------------------------------------------------------------------------------------- */
static int set_seccomp(struct arena *a, const struct json *pod, const struct json *container, const struct build_node *node, struct container_spec *ret, struct err *err)
{
    const struct json *profile = merged(pod, container, S("seccompProfile"));
    str type = json_get_str(profile, S("type")), file = json_get_str(profile, S("localhostProfile"));
    ret->seccomp = SECCOMP_UNCONFINED;
    if (ret->privileged || !type.len || str_is(type, "Unconfined"))
        return 0;
    if (str_is(type, "RuntimeDefault")) {
        ret->seccomp = SECCOMP_RUNTIME_DEFAULT;
        return 0;
    }
    if (!str_is(type, "Localhost") || !file.len || path_leads_out(file))
        return err_set(err, E_INVALID_ARG, "failed to generate seccomp spec opts: invalid seccomp profile \"" STR_FMT "\"", STR_ARG(file.len ? file : type));
    if (!node->seccomp_dir)
        return err_set(err, E_NOT_FOUND, "this node has no folder of seccomp profiles, so \"" STR_FMT "\" cannot be used", STR_ARG(file));
    ret->seccomp = SECCOMP_LOCALHOST;
    ret->seccomp_profile = arena_fmt(a, "%s/" STR_FMT, node->seccomp_dir, STR_ARG(file)).p;
    return 0;
}

int container_security(struct arena *a, const struct json *pod, const struct json *container, const struct image *image, const struct build_node *node, struct container_spec *ret, struct err *err)
{
    const struct json *context = json_get(container, S("securityContext"));
    ret->privileged = json_get_bool(context, S("privileged"), false);
    ret->read_only_root = json_get_bool(context, S("readOnlyRootFilesystem"), false);
    ret->no_new_privs = !json_get_bool(context, S("allowPrivilegeEscalation"), true);
    ret->unmasked_proc = ret->privileged || str_is(json_get_str(context, S("procMount")), "Unmasked");
    set_groups(a, pod, ret);
    int r = set_caps(context, ret, err);
    if (r == 0)
        r = set_user(a, pod, container, image, ret, err);
    return r < 0 ? r : set_seccomp(a, pod, container, node, ret, err);
}

/* --- sysctls -------------------------------------------------------------------------------------------- */
/* Those that belong to a namespace and can do no harm outside of it. */
static const char *const safe_sysctls[] = {
    "kernel.shm_rmid_forced",        "net.ipv4.ip_local_port_range", "net.ipv4.tcp_syncookies",      "net.ipv4.ping_group_range",    "net.ipv4.ip_unprivileged_port_start", "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",   "net.ipv4.tcp_fin_timeout",     "net.ipv4.tcp_keepalive_intvl", "net.ipv4.tcp_keepalive_probes", "net.ipv4.tcp_rmem",                   "net.ipv4.tcp_wmem",
};

static bool is_safe_sysctl(str name)
{
    for (size_t i = 0; i < ARRAY_LEN(safe_sysctls); i++)
        if (str_is(name, safe_sysctls[i]))
            return true;
    return false;
}

int pod_sysctls(struct arena *a, const struct json *pod, const char *const **ret, struct err *err)
{
    const struct json *spec = json_get(pod, S("spec")), *list = json_get(json_get(spec, S("securityContext")), S("sysctls"));
    *ret = NULL;
    if (!json_is(list, JSON_ARRAY) || !list->len)
        return 0;
    const char **out = arena_array(a, list->len + 1, const char *);
    for (uint32_t i = 0; i < list->len; i++) {
        char *name = (char *)arena_cstr(a, json_get_str(&list->items[i], S("name")));
        str value = json_get_str(&list->items[i], S("value"));
        bool has_slashes = !strchr(name, '.'); /* "net/ipv4/tcp_rmem" is the same */
        for (char *p = name; *p && has_slashes; p++)
            *p = *p == '/' ? '.' : *p;
        if (!is_safe_sysctl(str_of(name)))
            return err_set(err, E_FORBIDDEN, "forbidden sysctl: \"%s\" not allowlisted", name);
        bool is_net = strncmp(name, "net.", 4) == 0;
        if (json_get_bool(spec, is_net ? S("hostNetwork") : S("hostIPC"), false))
            return err_set(err, E_FORBIDDEN, "forbidden sysctl: \"%s\" not allowed with host %s enabled", name, is_net ? "net" : "ipc");
        out[i] = arena_fmt(a, "%s=" STR_FMT, name, STR_ARG(value)).p;
    }
    *ret = out;
    return 0;
}
