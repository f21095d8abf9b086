/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers are those of the fields in CRI's v1 messages; an enum names each message's. */
#include "agent/runtime/cri_config.h"

#include "agent/pod/container_build_internal.h"
#include "agent/runtime/cri_call.h"
#include "wire/json.h"
#include "wire/protobuf.h"

#define CPU_PERIOD_US 100000

enum { SANDBOX_METADATA = 1, SANDBOX_HOSTNAME, SANDBOX_LOGS, SANDBOX_DNS, SANDBOX_PORTS, SANDBOX_LABELS, SANDBOX_ANNOTATIONS, SANDBOX_LINUX };
enum { CONTAINER_METADATA = 1, CONTAINER_IMAGE, CONTAINER_COMMAND, CONTAINER_ARGS, CONTAINER_CWD, CONTAINER_ENV, CONTAINER_MOUNTS, CONTAINER_DEVICES, CONTAINER_LABELS, CONTAINER_ANNOTATIONS, CONTAINER_LOG,
       CONTAINER_STDIN, CONTAINER_STDIN_ONCE, CONTAINER_TTY, CONTAINER_LINUX };
enum { NAMESPACE_POD, NAMESPACE_CONTAINER, NAMESPACE_NODE, NAMESPACE_TARGET };
enum { SECURITY_RUNTIME_DEFAULT, SECURITY_UNCONFINED, SECURITY_LOCALHOST };

static void add_bool(struct strbuf *b, uint32_t field, bool v)
{
    if (v)
        protobuf_add_varint(b, field, 1);
}

static void add_text(struct strbuf *b, uint32_t field, const char *v)
{
    if (v && v[0])
        protobuf_add_str(b, field, str_of(v));
}

/* --- pods -------------------------------------------------------------------------------------------------- */

static void add_metadata(struct strbuf *b, const struct sandbox_spec *s, uint32_t attempt)
{
    size_t mark = protobuf_open(b, SANDBOX_METADATA);
    protobuf_add_str(b, 1, s->name);
    protobuf_add_str(b, 2, s->uid);
    protobuf_add_str(b, 3, s->ns);
    if (attempt)
        protobuf_add_varint(b, 4, attempt);
    protobuf_close(b, mark);
}

/* "nameserver 10.0.0.1", "search a b", "options ndots:5" */
static void add_dns(struct strbuf *b, const char *resolv_conf)
{
    static const struct { str word; uint32_t field; } words[] = {{STR_INIT("nameserver"), 1}, {STR_INIT("search"), 2}, {STR_INIT("options"), 3}};
    if (!resolv_conf)
        return;
    size_t mark = protobuf_open(b, SANDBOX_DNS);
    str rest = str_of(resolv_conf), line, first, item;
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        line = str_trim(line);
        str_cut(&line, ' ', &first);
        for (size_t i = 0; i < ARRAY_LEN(words); i++) {
            while (str_eq(first, words[i].word) && line.len) {
                str_cut(&line, ' ', &item);
                if (item.len)
                    protobuf_add_str(b, words[i].field, item);
            }
        }
    }
    protobuf_close(b, mark);
}

static void add_map(struct strbuf *b, uint32_t field, const struct json *map)
{
    for (uint32_t i = 0; json_is(map, JSON_OBJECT) && i < map->len; i++)
        cri_add_entry(b, field, map->members[i].key, json_str(&map->members[i].value));
}

/* pids_of: of a container, see container_spec.h; "" of a sandbox. */
static void add_namespaces(struct strbuf *b, uint32_t field, const struct sandbox_spec *s, str pids_of)
{
    bool has_target = pids_of.len && !s->host_pid && !s->share_pid;
    size_t mark = protobuf_open(b, field);
    protobuf_add_varint(b, 1, s->host_network ? NAMESPACE_NODE : NAMESPACE_POD);
    protobuf_add_varint(b, 2, s->host_pid ? NAMESPACE_NODE : s->share_pid ? NAMESPACE_POD : has_target ? NAMESPACE_TARGET : NAMESPACE_CONTAINER);
    protobuf_add_varint(b, 3, s->host_ipc ? NAMESPACE_NODE : NAMESPACE_POD);
    if (has_target)
        protobuf_add_str(b, 4, pids_of);
    protobuf_close(b, mark);
}

static void add_sandbox_linux(struct strbuf *b, const struct sandbox_spec *s, const struct cri_place *p)
{
    char parent[1024];
    size_t mark = protobuf_open(b, SANDBOX_LINUX);
    if (s->cgroup) {
        snprintf(parent, sizeof parent, "/%s/%s", p->cgroup_root, s->cgroup);
        protobuf_add_str(b, 1, str_of(parent));
    }
    size_t security = protobuf_open(b, 2);
    add_namespaces(b, 1, s, S(""));
    if (s->has_privileged)
        protobuf_add_varint(b, 6, 1);
    protobuf_close(b, security);
    for (size_t i = 0; s->sysctls && s->sysctls[i]; i++) {
        str value = str_of(s->sysctls[i]), name;
        if (str_cut(&value, '=', &name))
            cri_add_entry(b, 3, name, value);
    }
    protobuf_close(b, mark);
}

void cri_add_sandbox(struct strbuf *b, uint32_t field, const struct sandbox_spec *s, const struct cri_place *p)
{
    size_t mark = protobuf_open(b, field);
    add_metadata(b, s, p->attempt);
    if (!s->host_network)
        add_text(b, SANDBOX_HOSTNAME, s->hostname);
    add_text(b, SANDBOX_LOGS, "/"); /* containers then name their logs by their whole path */
    add_dns(b, s->resolv_conf);
    add_map(b, SANDBOX_LABELS, s->labels);
    cri_add_entry(b, SANDBOX_LABELS, S("io.kubernetes.pod.name"), s->name);
    cri_add_entry(b, SANDBOX_LABELS, S("io.kubernetes.pod.namespace"), s->ns);
    cri_add_entry(b, SANDBOX_LABELS, S(CRI_LABEL_POD), s->uid);
    cri_add_entry(b, SANDBOX_LABELS, S(CRI_LABEL_AGENT), p->agent);
    add_map(b, SANDBOX_ANNOTATIONS, s->annotations);
    if (s->cgroup)
        cri_add_entry(b, SANDBOX_ANNOTATIONS, S(CRI_NOTE_CGROUP), str_of(s->cgroup));
    add_sandbox_linux(b, s, p);
    protobuf_close(b, mark);
}

/* --- containers ---------------------------------------------------------------------------------------------- */

static void add_words(struct strbuf *b, uint32_t field, const char *const *words)
{
    for (size_t i = 0; words && words[i]; i++)
        protobuf_add_str(b, field, str_of(words[i]));
}

static void add_mounts(struct strbuf *b, const struct container_spec *c)
{
    for (size_t i = 0; i < c->nmounts; i++) {
        const struct mount_spec *m = &c->mounts[i];
        if (m->kind != MOUNT_BIND)
            continue;
        size_t mark = protobuf_open(b, CONTAINER_MOUNTS);
        add_text(b, 1, m->target);
        add_text(b, 2, m->source);
        add_bool(b, 3, m->read_only);
        protobuf_add_varint(b, 5, m->propagation == MOUNT_FROM_HOST ? 1 : m->propagation == MOUNT_BOTH_WAYS ? 2 : 0);
        protobuf_close(b, mark);
    }
    if (!c->termination_log || !c->termination_path)
        return;
    size_t mark = protobuf_open(b, CONTAINER_MOUNTS);
    add_text(b, 1, c->termination_path);
    add_text(b, 2, c->termination_log);
    protobuf_close(b, mark);
}

static void add_devices(struct strbuf *b, const struct container_spec *c)
{
    for (size_t i = 0; i < c->ndevices; i++) {
        size_t mark = protobuf_open(b, CONTAINER_DEVICES);
        add_text(b, 1, c->devices[i].target);
        add_text(b, 2, c->devices[i].source);
        add_text(b, 3, c->devices[i].access);
        protobuf_close(b, mark);
    }
}

static void add_resources(struct strbuf *b, const struct container_spec *c)
{
    const struct cgroup_limits *l = &c->limits;
    size_t mark = protobuf_open(b, 1);
    if (l->cpu_quota_us) {
        protobuf_add_varint(b, 1, CPU_PERIOD_US);
        protobuf_add_varint(b, 2, l->cpu_quota_us);
    }
    if (l->cpu_shares)
        protobuf_add_varint(b, 3, l->cpu_shares);
    if (l->memory_bytes)
        protobuf_add_varint(b, 4, l->memory_bytes);
    protobuf_add_varint(b, 5, (uint64_t)(int64_t)c->oom_score_adj);
    add_text(b, 6, l->cpus);
    protobuf_close(b, mark);
}

/* The set is ours, not the runtime's default and changes to it. */
static void add_capabilities(struct strbuf *b, uint64_t caps)
{
    size_t mark = protobuf_open(b, 1);
    for (unsigned i = 0; capability_name(i); i++) {
        if (caps >> i & 1)
            protobuf_add_str(b, 1, str_of(capability_name(i)));
    }
    protobuf_add_str(b, 2, S("ALL"));
    protobuf_close(b, mark);
}

static void add_seccomp(struct strbuf *b, const struct container_spec *c)
{
    size_t mark = protobuf_open(b, 15);
    protobuf_add_varint(b, 1, c->seccomp == SECCOMP_RUNTIME_DEFAULT ? SECURITY_RUNTIME_DEFAULT : c->seccomp == SECCOMP_LOCALHOST ? SECURITY_LOCALHOST : SECURITY_UNCONFINED);
    if (c->seccomp == SECCOMP_LOCALHOST)
        add_text(b, 2, c->seccomp_profile);
    protobuf_close(b, mark);
}

static void add_security(struct strbuf *b, const struct container_spec *c)
{
    static const char *const masked[] = {"/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi", "/sys/firmware"};
    static const char *const read_only[] = {"/proc/asound", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"};
    size_t mark = protobuf_open(b, 2);
    if (!c->privileged)
        add_capabilities(b, c->caps);
    add_bool(b, 2, c->privileged);
    add_namespaces(b, 3, c->sandbox, c->pids_of);
    if (c->has_uid)
        cri_add_wrapped(b, 5, c->uid);
    add_bool(b, 7, c->read_only_root);
    for (size_t i = 0; i < c->ngroups; i++)
        protobuf_add_varint(b, 8, c->groups[i]);
    add_bool(b, 11, c->no_new_privs);
    if (c->has_gid && c->has_uid) /* a group alone is an error in CRI */
        cri_add_wrapped(b, 12, c->gid);
    for (size_t i = 0; i < ARRAY_LEN(masked) && !c->privileged && !c->unmasked_proc; i++)
        add_text(b, 13, masked[i]);
    for (size_t i = 0; i < ARRAY_LEN(read_only) && !c->privileged && !c->unmasked_proc; i++)
        add_text(b, 14, read_only[i]);
    if (!c->privileged)
        add_seccomp(b, c);
    protobuf_close(b, mark);
}

static void add_env(struct strbuf *b, const struct container_spec *c)
{
    for (size_t i = 0; c->env && c->env[i]; i++) {
        str value = str_of(c->env[i]), name;
        if (str_cut(&value, '=', &name))
            cri_add_entry(b, CONTAINER_ENV, name, value);
    }
}

void cri_add_container(struct strbuf *b, uint32_t field, const struct container_spec *c, const struct cri_place *p)
{
    char attempt[16];
    size_t whole = protobuf_open(b, field), mark = protobuf_open(b, CONTAINER_METADATA);
    snprintf(attempt, sizeof attempt, "%u", c->attempt);
    protobuf_add_str(b, 1, c->name);
    protobuf_add_varint(b, 2, c->attempt);
    protobuf_close(b, mark);
    mark = protobuf_open(b, CONTAINER_IMAGE);
    protobuf_add_str(b, 1, c->image_id.len ? c->image_id : c->image_ref);
    protobuf_close(b, mark);
    add_words(b, CONTAINER_COMMAND, c->command);
    add_words(b, CONTAINER_ARGS, c->args);
    add_text(b, CONTAINER_CWD, c->cwd);
    add_env(b, c);
    add_mounts(b, c);
    add_devices(b, c);
    cri_add_entry(b, CONTAINER_LABELS, S(CRI_LABEL_POD), c->sandbox->uid);
    cri_add_entry(b, CONTAINER_LABELS, S(CRI_LABEL_CONTAINER), c->name);
    cri_add_entry(b, CONTAINER_LABELS, S(CRI_LABEL_ATTEMPT), str_of(attempt));
    cri_add_entry(b, CONTAINER_LABELS, S(CRI_LABEL_AGENT), p->agent);
    add_text(b, CONTAINER_LOG, c->log_path + (c->log_path[0] == '/'));
    add_bool(b, CONTAINER_STDIN, c->stdin_open);
    add_bool(b, CONTAINER_STDIN_ONCE, c->stdin_once);
    add_bool(b, CONTAINER_TTY, c->tty);
    mark = protobuf_open(b, CONTAINER_LINUX);
    add_resources(b, c);
    add_security(b, c);
    protobuf_close(b, mark);
    protobuf_close(b, whole);
}
