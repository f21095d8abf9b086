/* shim_spec.c - spec.json, state.json and exit.json, both ways, from one table of fields. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/shim/shim_spec.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "rt/file.h"

enum field_type { F_CSTR, F_STR, F_BOOL, F_INT, F_U32, F_U64, F_LIST };

struct field {
    const char *key;
    enum field_type type;
    size_t at;
};

#define FIELD(member, kind) {#member, kind, offsetof(struct shim_spec, member)}
static const struct field fields[] = {
    FIELD(id, F_CSTR), FIELD(ipc_ns, F_CSTR), FIELD(uts_ns, F_CSTR), FIELD(pid_ns, F_CSTR), FIELD(shm, F_CSTR), FIELD(program, F_CSTR),
    FIELD(oci, F_CSTR), FIELD(oci_root, F_CSTR),
    FIELD(sandbox.uid, F_STR), FIELD(sandbox.ns, F_STR), FIELD(sandbox.name, F_STR), FIELD(sandbox.dir, F_CSTR), FIELD(sandbox.hostname, F_CSTR),
    FIELD(sandbox.host_network, F_BOOL), FIELD(sandbox.host_ipc, F_BOOL), FIELD(sandbox.host_pid, F_BOOL), FIELD(sandbox.share_pid, F_BOOL),
    FIELD(sandbox.netns, F_CSTR), FIELD(sandbox.cgroup, F_CSTR),
    FIELD(c.name, F_STR), FIELD(c.attempt, F_U32), FIELD(c.dir, F_CSTR), FIELD(c.log_path, F_CSTR), FIELD(c.image_ref, F_STR), FIELD(c.image_id, F_STR),
    FIELD(c.argv, F_LIST), FIELD(c.env, F_LIST), FIELD(c.cwd, F_CSTR), FIELD(c.root, F_INT), FIELD(c.layers, F_LIST), FIELD(c.read_only_root, F_BOOL),
    FIELD(c.user, F_CSTR), FIELD(c.uid, F_U32), FIELD(c.gid, F_U32), FIELD(c.has_uid, F_BOOL), FIELD(c.has_gid, F_BOOL), FIELD(c.must_be_non_root, F_BOOL),
    FIELD(c.privileged, F_BOOL), FIELD(c.no_new_privs, F_BOOL), FIELD(c.caps, F_U64), FIELD(c.seccomp, F_INT), FIELD(c.seccomp_profile, F_CSTR),
    FIELD(c.unmasked_proc, F_BOOL), FIELD(c.cgroup, F_CSTR), FIELD(c.limits.cpu_shares, F_U64), FIELD(c.limits.cpu_quota_us, F_U64),
    FIELD(c.limits.memory_bytes, F_U64), FIELD(c.limits.pids, F_U64), FIELD(c.limits.hugepages_2mi, F_U64), FIELD(c.limits.hugepages_1gi, F_U64),
    FIELD(c.limits.cpus, F_CSTR), FIELD(c.oom_score_adj, F_INT), FIELD(c.tty, F_BOOL), FIELD(c.stdin_open, F_BOOL), FIELD(c.stdin_once, F_BOOL),
    FIELD(c.stop_signal, F_INT), FIELD(c.termination_log, F_CSTR), FIELD(c.termination_path, F_CSTR), FIELD(c.log_max_bytes, F_U64), FIELD(c.log_max_files, F_U32),
};
_Static_assert(sizeof(enum root_kind) == sizeof(int) && sizeof(enum seccomp_kind) == sizeof(int), "enums are read and written as F_INT");

static struct json cstr_json(const char *s)
{
    return s ? json_string(str_of(s)) : json_null();
}

static struct json list_json(struct arena *a, const char *const *list)
{
    struct json out = json_array();
    for (; list && *list; list++)
        json_push(a, &out, json_string(str_of(*list)));
    return out;
}

/* Bits of 64 do not fit a signed number: as text. */
static struct json u64_json(struct arena *a, uint64_t v)
{
    return json_number_text(arena_fmt(a, "%llu", (unsigned long long)v));
}

static struct json field_json(struct arena *a, const struct shim_spec *s, const struct field *f)
{
    const void *p = (const char *)s + f->at;
    switch (f->type) {
    case F_CSTR: return cstr_json(*(const char *const *)p);
    case F_STR: return json_string(*(const str *)p);
    case F_BOOL: return json_bool(*(const bool *)p);
    case F_INT: return json_int(a, *(const int *)p);
    case F_U32: return json_int(a, *(const uint32_t *)p);
    case F_U64: return u64_json(a, *(const uint64_t *)p);
    default: return *(const char *const *const *)p ? list_json(a, *(const char *const *const *)p) : json_null();
    }
}

static struct json mounts_json(struct arena *a, const struct container_spec *c)
{
    struct json list = json_array();
    for (size_t i = 0; i < c->nmounts; i++) {
        const struct mount_spec *m = &c->mounts[i];
        struct json o = json_object();
        json_set(a, &o, S("kind"), json_int(a, m->kind));
        json_set(a, &o, S("source"), cstr_json(m->source));
        json_set(a, &o, S("target"), cstr_json(m->target));
        json_set(a, &o, S("readOnly"), json_bool(m->read_only));
        json_set(a, &o, S("propagation"), json_int(a, m->propagation));
        json_set(a, &o, S("size"), u64_json(a, m->size_bytes));
        json_set(a, &o, S("mode"), json_int(a, m->mode));
        json_push(a, &list, o);
    }
    return list;
}

static struct json hiers_json(struct arena *a, const struct cgroup_layout *l)
{
    struct json list = json_array();
    for (size_t i = 0; i < l->n; i++) {
        struct json o = json_object();
        json_set(a, &o, S("mount"), json_string(str_of(l->hiers[i].mount)));
        json_set(a, &o, S("controllers"), json_int(a, l->hiers[i].controllers));
        json_set(a, &o, S("v2"), json_bool(l->hiers[i].is_v2));
        json_push(a, &list, o);
    }
    return list;
}

str shim_spec_write(struct arena *a, const struct shim_spec *s)
{
    struct json o = json_object(), groups = json_array(), devices = json_array();
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        json_set(a, &o, str_of(fields[i].key), field_json(a, s, &fields[i]));
    for (size_t i = 0; i < s->c.ngroups; i++)
        json_push(a, &groups, json_int(a, s->c.groups[i]));
    for (size_t i = 0; i < s->c.ndevices; i++) {
        struct json d = json_object();
        json_set(a, &d, S("source"), cstr_json(s->c.devices[i].source));
        json_set(a, &d, S("target"), cstr_json(s->c.devices[i].target));
        json_set(a, &d, S("access"), cstr_json(s->c.devices[i].access));
        json_push(a, &devices, d);
    }
    json_set(a, &o, S("groups"), groups);
    json_set(a, &o, S("devices"), devices);
    json_set(a, &o, S("mounts"), mounts_json(a, &s->c));
    json_set(a, &o, S("cgroupRoot"), json_string(str_of(s->cgroups.root)));
    json_set(a, &o, S("hierarchies"), hiers_json(a, &s->cgroups.layout));
    return json_text(a, &o);
}

/* --- reading ---------------------------------------------------------------------------------------------- */

static const char *cstr_get(struct arena *a, const struct json *v)
{
    return json_is(v, JSON_STRING) ? arena_cstr(a, json_str(v)) : NULL;
}

static const char *const *list_get(struct arena *a, const struct json *v)
{
    if (!json_is(v, JSON_ARRAY))
        return NULL;
    const char **list = arena_array(a, v->len + 1, const char *);
    for (size_t i = 0; i < v->len; i++)
        list[i] = arena_cstr(a, json_str(&v->items[i]));
    return list;
}

static void field_read(struct arena *a, const struct json *o, const struct field *f, struct shim_spec *s)
{
    const struct json *v = json_get(o, str_of(f->key));
    void *p = (char *)s + f->at;
    int64_t n = 0;
    json_to_i64(v, &n);
    switch (f->type) {
    case F_CSTR: *(const char **)p = cstr_get(a, v); break;
    case F_STR: *(str *)p = json_str(v); break;
    case F_BOOL: *(bool *)p = json_is(v, JSON_BOOL) && v->b; break;
    case F_INT: *(int *)p = (int)n; break;
    case F_U32: *(uint32_t *)p = (uint32_t)n; break;
    case F_U64: str_to_u64(json_str(v), p); break;
    default: *(const char *const **)p = list_get(a, v); break;
    }
}

static void mounts_read(struct arena *a, const struct json *list, struct container_spec *c)
{
    size_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    struct mount_spec *mounts = arena_array(a, n + 1, struct mount_spec);
    for (size_t i = 0; i < n; i++) {
        const struct json *o = &list->items[i];
        mounts[i] = (struct mount_spec){.kind = (enum mount_kind)json_get_int(o, S("kind"), 0),
                                        .source = cstr_get(a, json_get(o, S("source"))),
                                        .target = cstr_get(a, json_get(o, S("target"))),
                                        .read_only = json_get_bool(o, S("readOnly"), false),
                                        .propagation = (enum mount_propagation)json_get_int(o, S("propagation"), 0),
                                        .mode = (unsigned)json_get_int(o, S("mode"), 0)};
        str_to_u64(json_str(json_get(o, S("size"))), &mounts[i].size_bytes);
    }
    c->mounts = mounts;
    c->nmounts = n;
}

static void devices_read(struct arena *a, const struct json *list, struct container_spec *c)
{
    size_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    struct device_spec *devices = arena_array(a, n + 1, struct device_spec);
    for (size_t i = 0; i < n; i++) {
        const struct json *o = &list->items[i];
        devices[i] = (struct device_spec){.source = cstr_get(a, json_get(o, S("source"))),
                                          .target = cstr_get(a, json_get(o, S("target"))),
                                          .access = cstr_get(a, json_get(o, S("access")))};
    }
    c->devices = devices;
    c->ndevices = n;
}

static void groups_read(struct arena *a, const struct json *list, struct container_spec *c)
{
    size_t n = json_is(list, JSON_ARRAY) ? list->len : 0;
    uint32_t *groups = arena_array(a, n + 1, uint32_t);
    for (size_t i = 0; i < n; i++) {
        int64_t v = 0;
        json_to_i64(&list->items[i], &v);
        groups[i] = (uint32_t)v;
    }
    c->groups = groups;
    c->ngroups = n;
}

static void hiers_read(const struct json *o, struct cgroups *c)
{
    const struct json *list = json_get(o, S("hierarchies"));
    snprintf(c->root, sizeof c->root, STR_FMT, STR_ARG(json_get_str(o, S("cgroupRoot"))));
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len && i < CGROUP_HIERS; i++) {
        struct cgroup_hier *h = &c->layout.hiers[c->layout.n++];
        snprintf(h->mount, sizeof h->mount, STR_FMT, STR_ARG(json_get_str(&list->items[i], S("mount"))));
        h->controllers = (uint32_t)json_get_int(&list->items[i], S("controllers"), 0);
        h->is_v2 = json_get_bool(&list->items[i], S("v2"), false);
    }
}

int shim_spec_parse(struct arena *a, str text, struct shim_spec *ret, struct err *err)
{
    struct json o;
    int r = json_parse(a, text, NULL, &o, err);
    if (r < 0)
        return r;
    memset(ret, 0, sizeof *ret);
    for (size_t i = 0; i < ARRAY_LEN(fields); i++)
        field_read(a, &o, &fields[i], ret);
    mounts_read(a, json_get(&o, S("mounts")), &ret->c);
    devices_read(a, json_get(&o, S("devices")), &ret->c);
    groups_read(a, json_get(&o, S("groups")), &ret->c);
    hiers_read(&o, &ret->cgroups);
    ret->c.sandbox = &ret->sandbox;
    if (!ret->id || !ret->c.dir || !ret->c.argv || !ret->c.argv[0] || !ret->c.log_path || !ret->c.cgroup)
        return err_set(err, E_INVALID_ARG, "the container's spec has no id, folder, command, log or control group");
    return 0;
}

/* --- state and exit ---------------------------------------------------------------------------------------- */

int shim_file_write(const char *dir, const char *name, str text, bool is_durable, struct err *err)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    STRBUF_AUTO temp = STRBUF_HEAP;
    strbuf_addf(&path, "%s/%s", dir, name);
    if (is_durable)
        return file_write_atomic(path.p, text, 0600, err);
    /* What runs does not survive a power cut, nor need the file that says so: no waiting for the disk when a container starts. */
    strbuf_addf(&temp, "%s.tmp", path.p);
    FD_AUTO fd = open(temp.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0 || write(fd, text.p, text.len) != (ssize_t)text.len || rename(temp.p, path.p) < 0)
        return err_sys(err, errno, "cannot write %s", path.p);
    return 0;
}

int shim_state_write(const char *dir, const struct shim_state *s, struct err *err)
{
    ARENA_AUTO a = ARENA_SMALL(512);
    str text = arena_fmt(&a, "{\"shim\":%lld,\"shimStart\":%lld,\"pid\":%lld,\"pidStart\":%lld,\"startedAt\":%lld}", (long long)s->shim, (long long)s->shim_start,
                         (long long)s->pid, (long long)s->pid_start, (long long)s->started_at);
    return shim_file_write(dir, "state.json", text, false, err);
}

int shim_exit_write(const char *dir, const struct shim_exit *e, struct err *err)
{
    ARENA_AUTO a = ARENA_SMALL(2048);
    struct json o = json_object();
    json_set(&a, &o, S("exitCode"), json_int(&a, e->exit_code));
    json_set(&a, &o, S("signal"), json_int(&a, e->signal));
    json_set(&a, &o, S("oom"), json_bool(e->oom));
    json_set(&a, &o, S("startedAt"), json_int(&a, e->started_at));
    json_set(&a, &o, S("finishedAt"), json_int(&a, e->finished_at));
    json_set(&a, &o, S("reason"), json_string(e->reason));
    json_set(&a, &o, S("message"), json_string(str_is_utf8(e->message) ? e->message : S("the program could not be started")));
    return shim_file_write(dir, "exit.json", json_text(&a, &o), true, err);
}

static bool read_json(struct arena *a, const char *dir, const char *name, struct json *ret)
{
    STRBUF_AUTO path = STRBUF_HEAP;
    strbuf_addf(&path, "%s/%s", dir, name);
    char *text CLEANUP(free) = NULL;
    size_t len = 0;
    if (file_read(path.p, 64u << 10, &text, &len, NULL) < 0)
        return false;
    return json_parse(a, arena_str(a, str_n(text, len)), NULL, ret, NULL) == 0;
}

bool shim_state_read(const char *dir, struct shim_state *ret)
{
    ARENA_AUTO a = ARENA_SMALL(2048);
    struct json o;
    if (!read_json(&a, dir, "state.json", &o))
        return false;
    *ret = (struct shim_state){.shim = json_get_int(&o, S("shim"), 0),
                               .shim_start = json_get_int(&o, S("shimStart"), 0),
                               .pid = json_get_int(&o, S("pid"), 0),
                               .pid_start = json_get_int(&o, S("pidStart"), 0),
                               .started_at = json_get_int(&o, S("startedAt"), 0)};
    return true;
}

bool shim_exit_read(struct arena *a, const char *dir, struct shim_exit *ret)
{
    struct json o;
    if (!read_json(a, dir, "exit.json", &o))
        return false;
    *ret = (struct shim_exit){.exit_code = json_get_int(&o, S("exitCode"), 0),
                              .signal = json_get_int(&o, S("signal"), 0),
                              .oom = json_get_bool(&o, S("oom"), false),
                              .started_at = json_get_int(&o, S("startedAt"), 0),
                              .finished_at = json_get_int(&o, S("finishedAt"), 0),
                              .reason = json_get_str(&o, S("reason")),
                              .message = json_get_str(&o, S("message"))};
    return true;
}

int64_t shim_proc_start(pid_t pid)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (n <= 0)
        return 0;
    /* The program's name may hold anything, blanks and brackets too; fields are counted from its last bracket. */
    str s = str_n(text, (size_t)n), word = STR_NONE;
    ptrdiff_t close = str_rfind_char(s, ')');
    if (close < 0)
        return 0;
    s = str_from(s, (size_t)close + 2);
    int64_t start = 0;
    for (int i = 3; i <= 22 && s.len; i++) {
        str_cut(&s, ' ', &word);
        if (i == 3 && (str_is(word, "Z") || str_is(word, "X")))
            return 0;
    }
    return str_to_i64(word, &start) ? start : 0;
}
