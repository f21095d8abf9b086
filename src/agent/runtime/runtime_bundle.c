/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_bundle.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/isolation/seccomp.h"
#include "rt/file.h"

#define NOFILE_SOFT 65536

static const char *const cap_names[] = {
    "CHOWN", "DAC_OVERRIDE", "DAC_READ_SEARCH", "FOWNER", "FSETID", "KILL", "SETGID", "SETUID", "SETPCAP", "LINUX_IMMUTABLE", "NET_BIND_SERVICE", "NET_BROADCAST",
    "NET_ADMIN", "NET_RAW", "IPC_LOCK", "IPC_OWNER", "SYS_MODULE", "SYS_RAWIO", "SYS_CHROOT", "SYS_PTRACE", "SYS_PACCT", "SYS_ADMIN", "SYS_BOOT", "SYS_NICE",
    "SYS_RESOURCE", "SYS_TIME", "SYS_TTY_CONFIG", "MKNOD", "LEASE", "AUDIT_WRITE", "AUDIT_CONTROL", "SETFCAP", "MAC_OVERRIDE", "MAC_ADMIN", "SYSLOG", "WAKE_ALARM",
    "BLOCK_SUSPEND", "AUDIT_READ", "PERFMON", "BPF", "CHECKPOINT_RESTORE"};

static struct json text(struct arena *a, const char *fmt, ...)
{
    va_list ap;
    struct strbuf b = strbuf_on(a);
    va_start(ap, fmt);
    strbuf_vaddf(&b, fmt, ap);
    va_end(ap);
    return json_string(strbuf_str(&b));
}

static struct json words(struct arena *a, const char *const *list)
{
    struct json out = json_array();
    for (; list && *list; list++)
        json_push(a, &out, json_string(str_of(*list)));
    return out;
}
#define WORDS(a, ...) words((a), (const char *const[]){__VA_ARGS__, NULL})

/* --- process -------------------------------------------------------------------------------------------------------- */

static struct json user_json(struct arena *a, const struct rootfs_user *u)
{
    struct json o = json_object(), groups = json_array();
    for (size_t i = 0; i < u->ngroups; i++)
        json_push(a, &groups, json_int(a, u->groups[i]));
    json_set(a, &o, S("uid"), json_int(a, u->uid));
    json_set(a, &o, S("gid"), json_int(a, u->gid));
    json_set(a, &o, S("additionalGids"), groups);
    return o;
}

static struct json caps_json(struct arena *a, uint64_t caps)
{
    static const char *const sets[] = {"bounding", "effective", "permitted"}; /* as Kubernetes: none is inheritable or ambient */
    struct json o = json_object(), list = json_array();
    for (size_t i = 0; i < ARRAY_LEN(cap_names); i++) {
        if (caps & (1ull << i))
            json_push(a, &list, text(a, "CAP_%s", cap_names[i]));
    }
    for (size_t i = 0; i < ARRAY_LEN(sets); i++)
        json_set(a, &o, str_of(sets[i]), json_copy(a, &list));
    return o;
}

static bool has_env(const char *const *env, const char *prefix)
{
    for (; env && *env; env++) {
        if (strncmp(*env, prefix, strlen(prefix)) == 0)
            return true;
    }
    return false;
}

static struct json process_json(struct arena *a, const struct container_spec *c, const struct rootfs_user *u, const struct bundle_machine *m)
{
    struct json o = json_object(), env = words(a, c->env), limits = json_array(), nofile = json_object();
    if (!has_env(c->env, "PATH="))
        json_push(a, &env, json_string(S("PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin")));
    if (!has_env(c->env, "HOME="))
        json_push(a, &env, text(a, "HOME=%s", u->home[0] ? u->home : "/"));
    if (c->tty && !has_env(c->env, "TERM="))
        json_push(a, &env, json_string(S("TERM=xterm")));
    json_set(a, &o, S("terminal"), json_bool(c->tty));
    json_set(a, &o, S("user"), user_json(a, u));
    json_set(a, &o, S("args"), words(a, c->argv));
    json_set(a, &o, S("env"), env);
    json_set(a, &o, S("cwd"), json_string(str_of(c->cwd && c->cwd[0] ? c->cwd : "/")));
    json_set(a, &o, S("capabilities"), caps_json(a, (c->privileged ? ~0ull : c->caps) & m->caps));
    json_set(a, &o, S("noNewPrivileges"), json_bool(c->no_new_privs));
    json_set(a, &nofile, S("type"), json_string(S("RLIMIT_NOFILE")));
    json_set(a, &nofile, S("hard"), json_int(a, (int64_t)MIN(m->nofile, (uint64_t)INT32_MAX)));
    json_set(a, &nofile, S("soft"), json_int(a, (int64_t)MIN(m->nofile, (uint64_t)NOFILE_SOFT)));
    json_push(a, &limits, nofile);
    json_set(a, &o, S("rlimits"), limits);
    /* A value that this root may not set would fail the start. */
    bool can_lower = m->caps & (1ull << CAP_SYS_RESOURCE);
    json_set(a, &o, S("oomScoreAdj"), json_int(a, can_lower ? c->oom_score_adj : MAX(c->oom_score_adj, m->oom_score_adj)));
    return o;
}

/* --- mounts ---------------------------------------------------------------------------------------------------------- */

static void add_mount(struct arena *a, struct json *list, const char *target, const char *type, const char *source, struct json options)
{
    struct json o = json_object();
    json_set(a, &o, S("destination"), json_string(str_of(target)));
    json_set(a, &o, S("type"), json_string(str_of(type)));
    json_set(a, &o, S("source"), json_string(str_of(source)));
    json_set(a, &o, S("options"), options);
    json_push(a, list, o);
}

static void add_spec_mount(struct arena *a, struct json *list, const struct mount_spec *m)
{
    const char *mode = m->read_only ? "ro" : "rw";
    if (m->kind == MOUNT_TMPFS) {
        struct json options = WORDS(a, "nosuid", "nodev", mode);
        json_push(a, &options, text(a, "mode=%o", m->mode ? m->mode : 01777));
        if (m->size_bytes)
            json_push(a, &options, text(a, "size=%llu", (unsigned long long)m->size_bytes));
        add_mount(a, list, m->target, "tmpfs", "tmpfs", options);
        return;
    }
    /* Both ways needs a root that is shared with the machine, which an OCI runtime under a shim has not: it gets what the machine mounts, not the other way. */
    add_mount(a, list, m->target, "bind", m->source, WORDS(a, "rbind", m->propagation == MOUNT_PRIVATE ? "rprivate" : "rslave", mode));
}

static int cmp_mounts(const void *x, const void *y)
{
    const struct mount_spec *const *a = x, *const *b = y;
    int order = strcmp((*a)->target, (*b)->target);
    return order ? order : (*a > *b) - (*a < *b);
}

static struct json mounts_json(struct arena *a, const struct shim_spec *s)
{
    const struct container_spec *c = &s->c;
    struct json list = json_array();
    add_mount(a, &list, "/proc", "proc", "proc", WORDS(a, "nosuid", "noexec", "nodev"));
    add_mount(a, &list, "/dev", "tmpfs", "tmpfs", WORDS(a, "nosuid", "noexec", "strictatime", "mode=755", "size=64k"));
    add_mount(a, &list, "/dev/pts", "devpts", "devpts", WORDS(a, "nosuid", "noexec", "newinstance", "ptmxmode=0666", "mode=0620", "gid=5"));
    if (s->shm)
        add_mount(a, &list, "/dev/shm", "bind", s->shm, WORDS(a, "rbind", "rprivate"));
    else
        add_mount(a, &list, "/dev/shm", "tmpfs", "shm", WORDS(a, "nosuid", "noexec", "nodev", "mode=1777", "size=64m"));
    add_mount(a, &list, "/dev/mqueue", "mqueue", "mqueue", WORDS(a, "nosuid", "noexec", "nodev"));
    const char *mode = c->privileged ? "rw" : "ro";
    add_mount(a, &list, "/sys", "sysfs", "sysfs", WORDS(a, "nosuid", "noexec", "nodev", mode));
    add_mount(a, &list, "/sys/fs/cgroup", "cgroup", "cgroup", WORDS(a, "nosuid", "noexec", "nodev", "relatime", mode));
    const struct mount_spec **sorted = arena_array(a, c->nmounts + 1, const struct mount_spec *);
    for (size_t i = 0; i < c->nmounts; i++)
        sorted[i] = &c->mounts[i];
    qsort(sorted, c->nmounts, sizeof *sorted, cmp_mounts);
    for (size_t i = 0; i < c->nmounts; i++)
        add_spec_mount(a, &list, sorted[i]);
    if (c->termination_log && c->termination_path)
        add_mount(a, &list, c->termination_path, "bind", c->termination_log, WORDS(a, "rbind", "rprivate"));
    return list;
}

/* --- linux ----------------------------------------------------------------------------------------------------------- */

static void add_namespace(struct arena *a, struct json *list, const char *type, const char *path)
{
    struct json o = json_object();
    json_set(a, &o, S("type"), json_string(str_of(type)));
    if (path)
        json_set(a, &o, S("path"), json_string(str_of(path)));
    json_push(a, list, o);
}

static struct json namespaces_json(struct arena *a, const struct shim_spec *s)
{
    struct json list = json_array();
    add_namespace(a, &list, "mount", NULL);
    if (!s->sandbox.host_pid)
        add_namespace(a, &list, "pid", s->pid_ns);
    if (s->ipc_ns)
        add_namespace(a, &list, "ipc", s->ipc_ns);
    if (s->uts_ns)
        add_namespace(a, &list, "uts", s->uts_ns);
    if (s->sandbox.netns)
        add_namespace(a, &list, "network", s->sandbox.netns);
    if (s->cgroups.layout.n == 1 && s->cgroups.layout.hiers[0].is_v2)
        add_namespace(a, &list, "cgroup", NULL);
    return list;
}

static void set_u64(struct arena *a, struct json *o, const char *key, uint64_t v)
{
    if (v)
        json_set(a, o, str_of(key), json_int(a, (int64_t)MIN(v, (uint64_t)INT64_MAX)));
}

static void add_device_rule(struct arena *a, struct json *list, bool allow, const struct stat *st, const char *access)
{
    struct json o = json_object();
    json_set(a, &o, S("allow"), json_bool(allow));
    if (st) {
        json_set(a, &o, S("type"), json_string(S_ISBLK(st->st_mode) ? S("b") : S("c")));
        json_set(a, &o, S("major"), json_int(a, major(st->st_rdev)));
        json_set(a, &o, S("minor"), json_int(a, minor(st->st_rdev)));
    }
    json_set(a, &o, S("access"), json_string(str_of(access && *access ? access : "rwm")));
    json_push(a, list, o);
}

static struct json resources_json(struct arena *a, const struct container_spec *c)
{
    struct json o = json_object(), cpu = json_object(), memory = json_object(), pids = json_object(), huge = json_array(), devices = json_array();
    const struct cgroup_limits *l = &c->limits;
    add_device_rule(a, &devices, c->privileged, NULL, "rwm");
    for (size_t i = 0; i < c->ndevices; i++) {
        struct stat st;
        if (stat(c->devices[i].source, &st) == 0)
            add_device_rule(a, &devices, true, &st, c->devices[i].access);
    }
    set_u64(a, &cpu, "shares", l->cpu_shares);
    set_u64(a, &cpu, "quota", l->cpu_quota_us);
    set_u64(a, &cpu, "period", l->cpu_quota_us ? 100000 : 0);
    if (l->cpus && *l->cpus)
        json_set(a, &cpu, S("cpus"), json_string(str_of(l->cpus)));
    set_u64(a, &memory, "limit", l->memory_bytes);
    set_u64(a, &pids, "limit", l->pids);
    const uint64_t sizes[] = {l->hugepages_2mi, l->hugepages_1gi};
    for (size_t i = 0; i < 2; i++) {
        struct json h = json_object();
        json_set(a, &h, S("pageSize"), json_string(i ? S("1GB") : S("2MB")));
        set_u64(a, &h, "limit", sizes[i]);
        if (sizes[i])
            json_push(a, &huge, h);
    }
    json_set(a, &o, S("devices"), devices);
    json_set(a, &o, S("cpu"), cpu);
    json_set(a, &o, S("memory"), memory);
    if (l->pids)
        json_set(a, &o, S("pids"), pids);
    if (huge.len)
        json_set(a, &o, S("hugepageLimits"), huge);
    return o;
}

struct device_list {
    struct arena *arena;
    struct json list;
};

static int add_device(void *arg, const char *path, const struct stat *st, struct err *err UNUSED)
{
    struct device_list *l = arg;
    struct arena *a = l->arena;
    struct json o = json_object();
    json_set(a, &o, S("path"), json_string(arena_str(a, str_of(path))));
    json_set(a, &o, S("type"), json_string(S_ISBLK(st->st_mode) ? S("b") : S("c")));
    json_set(a, &o, S("major"), json_int(a, major(st->st_rdev)));
    json_set(a, &o, S("minor"), json_int(a, minor(st->st_rdev)));
    json_set(a, &o, S("fileMode"), json_int(a, st->st_mode & 07777));
    json_set(a, &o, S("uid"), json_int(a, st->st_uid));
    json_set(a, &o, S("gid"), json_int(a, st->st_gid));
    json_push(a, &l->list, o);
    return 0;
}

static struct json devices_json(struct arena *a, const struct container_spec *c)
{
    struct device_list l = {a, json_array()};
    struct err err = ERR_NONE;
    if (c->privileged)
        err_ignore(rootfs_devices(add_device, &l, &err), "nothing of it fails");
    for (size_t i = 0; i < c->ndevices; i++) {
        struct stat st;
        if (stat(c->devices[i].source, &st) < 0)
            continue;
        st.st_mode = (st.st_mode & S_IFMT) | 0666;
        st.st_uid = st.st_gid = 0;
        err_ignore(add_device(&l, c->devices[i].target, &st, &err), "nothing of it fails");
    }
    return l.list;
}

static struct json linux_json(struct arena *a, const struct shim_spec *s, const struct bundle_machine *m)
{
    const struct container_spec *c = &s->c;
    struct json o = json_object();
    json_set(a, &o, S("namespaces"), namespaces_json(a, s));
    json_set(a, &o, S("cgroupsPath"), text(a, "/%s/%s", s->cgroups.root, c->cgroup));
    json_set(a, &o, S("resources"), resources_json(a, c));
    json_set(a, &o, S("devices"), devices_json(a, c));
    json_set(a, &o, S("rootfsPropagation"), json_string(S("rslave")));
    if (!c->privileged && !c->unmasked_proc) {
        json_set(a, &o, S("maskedPaths"), words(a, rootfs_masked));
        json_set(a, &o, S("readonlyPaths"), words(a, rootfs_read_only));
    }
    if (!c->privileged && c->seccomp == SECCOMP_RUNTIME_DEFAULT)
        json_set(a, &o, S("seccomp"), seccomp_default_json(a, c->caps));
    else if (!c->privileged && c->seccomp == SECCOMP_LOCALHOST && m->seccomp)
        json_set(a, &o, S("seccomp"), *m->seccomp);
    return o;
}

struct json bundle_config(struct arena *a, const struct shim_spec *s, const struct rootfs_user *u, const struct bundle_machine *m)
{
    struct json o = json_object(), root = json_object();
    json_set(a, &root, S("path"), json_string(S("rootfs")));
    json_set(a, &root, S("readonly"), json_bool(s->c.read_only_root));
    json_set(a, &o, S("ociVersion"), json_string(S("1.0.2")));
    json_set(a, &o, S("process"), process_json(a, &s->c, u, m));
    json_set(a, &o, S("root"), root);
    json_set(a, &o, S("mounts"), mounts_json(a, s));
    json_set(a, &o, S("linux"), linux_json(a, s, m));
    return o;
}

void bundle_machine_read(struct bundle_machine *ret)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {{0}};
    struct rlimit files = {0};
    char number[16] = "0";
    int64_t adj = 0;
    if (syscall(SYS_capget, &head, have) == 0)
        ret->caps = have[0].permitted | (uint64_t)have[1].permitted << 32;
    getrlimit(RLIMIT_NOFILE, &files);
    ret->nofile = files.rlim_max;
    FD_AUTO fd = open("/proc/self/oom_score_adj", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, number, sizeof number - 1);
    str_to_i64(str_trim(str_n(number, (size_t)MAX(n, 0))), &adj);
    ret->oom_score_adj = (int)adj;
}
