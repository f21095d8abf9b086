/* runtime_shim.c - containers on shims: open and close, adoption, the life of a container. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_shim.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/isolation/rootfs.h"
#include "agent/runtime/runtime_spawn.h"
#include "agent/shim/shim.h"
#include "agent/shim/shim_internal.h"
#include "base/log.h"
#include "base/version.h"
#include "rt/file.h"
#include "rt/net.h"

#define CLOSE_PATIENCE_NS (5 * NSEC_PER_SEC) /* for shims whose containers have ended, and which end now */
#define KILL_PATIENCE_NS (60 * NSEC_PER_SEC)
#define GIVE_UP_PATIENCE_NS NSEC_PER_SEC /* on the loop, when it starts; container_remove has more */
#define DISK_CACHE_NS (60 * NSEC_PER_SEC)
#define DISK_DEPTH 128u      /* a descriptor each */
#define DISK_ENTRIES 200000 /* of a writable layer that are counted at most */

static struct shim_runtime *shim_of(struct runtime *r)
{
    return container_of(r, struct shim_runtime, base);
}

/* --- entries ---------------------------------------------------------------------------------------------------------- */

/* One allocation: the struct and its texts behind it. */
static struct shim_entry *entry_new(const struct shim_spec *s)
{
    const char *texts[] = {s->id, s->c.dir, s->c.cgroup, NULL, NULL, s->c.log_path};
    str uid = s->sandbox.uid, name = s->c.name;
    size_t n = sizeof(struct shim_entry) + uid.len + name.len + 2;
    for (size_t i = 0; i < ARRAY_LEN(texts); i++)
        n += texts[i] ? strlen(texts[i]) + 1 : 0;
    struct shim_entry *e = xcalloc(1, n);
    char *at = (char *)(e + 1);
    const char **slots[] = {&e->id, &e->dir, &e->cgroup, &e->pod_uid, &e->name, &e->log_path};
    for (size_t i = 0; i < ARRAY_LEN(slots); i++) {
        str t = i == 3 ? uid : i == 4 ? name : str_of(texts[i]);
        memcpy(at, t.p ? t.p : "", t.len);
        *slots[i] = at;
        at += t.len + 1;
    }
    e->attempt = s->c.attempt;
    e->is_oci = s->oci != NULL;
    return e;
}

static void entry_add(struct shim_runtime *r, struct shim_entry *e)
{
    pthread_mutex_lock(&r->lock);
    struct shim_entry *old = map_del(&r->entries, str_of(e->id));
    map_put(&r->entries, str_of(e->id), e);
    pthread_mutex_unlock(&r->lock);
    free(old);
}

static void entry_copy(struct arena *a, const struct shim_entry *e, struct shim_entry *ret)
{
    *ret = *e;
    const char **slots[] = {&ret->id, &ret->dir, &ret->cgroup, &ret->pod_uid, &ret->name, &ret->log_path};
    for (size_t i = 0; i < ARRAY_LEN(slots); i++)
        *slots[i] = arena_cstr(a, str_of(*slots[i]));
}

int shim_runtime_find(struct shim_runtime *r, str id, struct arena *a, struct shim_entry *ret, struct err *err)
{
    pthread_mutex_lock(&r->lock);
    const struct shim_entry *e = map_get(&r->entries, id);
    if (e)
        entry_copy(a, e, ret);
    pthread_mutex_unlock(&r->lock);
    return e ? 0 : err_set(err, E_NOT_FOUND, "container \"" STR_FMT "\" not found", STR_ARG(id));
}

/* All of them, or those of one pod. */
static struct shim_entry *entries_of(struct shim_runtime *r, str uid, struct arena *a, size_t *ret_n)
{
    pthread_mutex_lock(&r->lock);
    struct shim_entry *list = arena_array(a, r->entries.len + 1, struct shim_entry);
    size_t n = 0;
    map_foreach(it, &r->entries) {
        const struct shim_entry *e = it->value;
        if (!uid.p || str_is(uid, e->pod_uid))
            entry_copy(a, e, &list[n++]);
    }
    pthread_mutex_unlock(&r->lock);
    *ret_n = n;
    return list;
}

/* --- watches: the end of a shim as an event of the loop ------------------------------------------------------------------ */

struct watch {
    struct loop_fd fd;
    struct loop_msg msg;
    struct list link;
    struct shim_runtime *r;
    char *id;
};

static void unref(struct shim_runtime *r)
{
    if (atomic_fetch_sub(&r->refs, 1) > 1)
        return;
    map_foreach(it, &r->entries)
        free(it->value);
    map_fini(&r->entries);
    pthread_mutex_destroy(&r->lock);
    if (r->exe_fd >= 0)
        close(r->exe_fd);
    free((char *)(uintptr_t)r->o.dir);
    free((char *)(uintptr_t)r->o.cgroup_root);
    free((char *)(uintptr_t)r->o.program);
    free(r->oci);
    free(r->oci_root);
    free(r);
}

static void watch_free(struct watch *w)
{
    struct shim_runtime *r = w->r;
    close(w->fd.fd);
    free(w->id);
    free(w);
    unref(r);
}

static void on_shim_end(struct loop_fd *f, uint32_t events)
{
    struct watch *w = container_of(f, struct watch, fd);
    (void)events;
    loop_fd_del(w->r->o.loop, f);
    list_del(&w->link);
    shim_runtime_wait(f->fd, 0);
    if (w->r->o.on_change)
        w->r->o.on_change(w->r->o.arg, str_of(w->id));
    watch_free(w);
}

static void watch_add(struct watch *w)
{
    struct err err = ERR_NONE;
    if (w->r->is_closed) {
        watch_free(w);
        return;
    }
    w->fd.ready = on_shim_end;
    list_add_tail(&w->r->watches, &w->link);
    if (loop_fd_add(w->r->o.loop, &w->fd, EPOLLIN, &err) < 0) {
        log_error("cannot watch a container: its end will be noticed late", KV("id", "%s", w->id), KV("error", "%s", err.msg));
        list_del(&w->link);
        watch_free(w);
    }
}

static void on_watch_msg(struct loop_msg *m)
{
    watch_add(container_of(m, struct watch, msg));
}

static struct watch *watch_new(struct shim_runtime *r, const char *id, int pidfd)
{
    struct watch *w = xnew(struct watch);
    *w = (struct watch){.fd.fd = pidfd, .r = r, .id = xstrdup(id), .msg.fn = on_watch_msg};
    list_init(&w->link);
    atomic_fetch_add(&r->refs, 1);
    return w;
}

/* --- open and close ---------------------------------------------------------------------------------------------------------- */

/* A folder whose shim has not said that it lives: it never started, or is just about to, for an agent that is dead.  Its end is written down before anything else, and a shim looks for that after it has said that it
 * lives: whichever is first, the container does not run beside the one that takes its place. */
static void give_up(struct shim_runtime *r, const struct shim_spec *s)
{
    struct err err = ERR_NONE;
    struct shim_state state;
    struct shim_exit e = {.exit_code = 137, .finished_at = clock_wall(&clock_real), .reason = S("ContainerStatusUnknown"), .message = S("the agent was stopped while it started the container")};
    if (shim_exit_write(s->c.dir, &e, &err) < 0)
        log_warn("cannot record how a container ended", KV("folder", "%s", s->c.dir), KV("error", "%s", err.msg));
    if (!shim_state_read(s->c.dir, &state))
        return;
    FD_AUTO late = pidfd_open_checked((pid_t)state.shim, state.shim_start);
    if (late >= 0)
        pidfd_kill(late, SIGKILL);
    cgroup_kill(&r->cgroups, s->c.cgroup, GIVE_UP_PATIENCE_NS);
}

static void adopt_one(struct shim_runtime *r, const char *dir)
{
    ARENA_AUTO a = ARENA_INIT;
    char *text CLEANUP(free) = NULL;
    size_t len = 0;
    struct shim_spec spec;
    struct err err = ERR_NONE;
    if (file_read(arena_fmt(&a, "%s/spec.json", dir).p, SHIM_SPEC_BYTES, &text, &len, NULL) < 0)
        return;
    if (shim_spec_parse(&a, str_n(text, len), &spec, &err) < 0) {
        log_warn("a container's folder cannot be read", KV("folder", "%s", dir), KV("error", "%s", err.msg));
        return;
    }
    spec.c.dir = dir; /* the agent's folder may have been moved */
    entry_add(r, entry_new(&spec));
    struct shim_state state;
    struct shim_exit exit;
    if (!shim_state_read(dir, &state) || state.shim <= 1) {
        if (!shim_exit_read(&a, dir, &exit))
            give_up(r, &spec);
        return;
    }
    int pidfd = pidfd_open_checked((pid_t)state.shim, state.shim_start);
    if (pidfd >= 0)
        watch_add(watch_new(r, spec.id, pidfd));
}

static void scan(struct shim_runtime *r, const char *dir, unsigned depth)
{
    DIR *d = opendir(dir);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        ARENA_AUTO a = ARENA_SMALL(1024);
        /* pods/UID/containers/NAME/ATTEMPT */
        const char *below = arena_fmt(&a, depth == 0 ? "%s/%s/containers" : "%s/%s", dir, e->d_name).p;
        if (depth < 2)
            scan(r, below, depth + 1);
        else
            adopt_one(r, below);
    }
    if (d)
        closedir(d);
}

/* A mount of this one file, read-only and nowhere attached: what runs from it cannot be opened for writing, not even through /proc. */
static int open_program(const char *program)
{
    int fd = rootfs_clone_tree(AT_FDCWD, program, true);
    if (fd < 0)
        return -1;
    int high = fcntl(fd, F_DUPFD_CLOEXEC, 10); /* away from the numbers that the shim gets */
    close(fd);
    return high;
}

int shim_runtime_open(const struct runtime_ops *ops, const struct runtime_opts *o, const char *oci, struct shim_runtime **ret, struct err *err)
{
    if (geteuid() != 0)
        return err_set(err, E_UNAVAILABLE, "the %s runtime needs root", ops->name);
    ARENA_AUTO a = ARENA_SMALL(1024);
    /* Volumes lie in it, and what containers write, programs with the set-user-id bit among it: other users of this machine have no way there. */
    const char *pods = arena_fmt(&a, "%s/pods", o->dir).p;
    int code = file_mkdir_all(pods, 0700, err);
    if (code == 0 && chmod(pods, 0700) < 0)
        code = err_sys(err, errno, "cannot set the mode of %s", pods);
    if (code < 0)
        return code;
    struct shim_runtime *r = xnew(struct shim_runtime);
    r->base.ops = ops;
    r->o = *o;
    r->o.dir = xstrdup(o->dir);
    r->o.cgroup_root = xstrdup(o->cgroup_root);
    r->o.program = xstrdup(o->program);
    r->refs = 1;
    r->exe_fd = open_program(o->program);
    if (oci) {
        r->oci = xstrdup(oci);
        r->oci_root = str_dup(arena_fmt(&a, "%s/oci", o->dir));
    }
    snprintf(r->version, sizeof r->version, "cox %s", cox_version());
    pthread_mutex_init(&r->lock, NULL);
    list_init(&r->watches);
    cgroups_open(&r->cgroups, o->cgroup_root);
    struct err ignored = ERR_NONE;
    err_ignore(cgroup_create(&r->cgroups, "shims", &(struct cgroup_limits){0}, &ignored), "shims then stay where the agent is");
    scan(r, arena_fmt(&a, "%s/pods", o->dir).p, 0);
    *ret = r;
    return 0;
}

void shim_runtime_close(struct runtime *rt)
{
    struct shim_runtime *r = shim_of(rt);
    r->is_closed = true;
    list_foreach_safe(w, &r->watches, struct watch, link) {
        loop_fd_del(r->o.loop, &w->fd);
        list_del(&w->link);
        watch_free(w);
    }
    struct err err = ERR_NONE;
    if (!shim_sandbox_any(r->o.dir)) /* nothing of ours is left: not even an empty folder */
        err_ignore(cgroup_remove(&r->cgroups, "", CLOSE_PATIENCE_NS, &err), "a shim that takes longer to end is still in it; the next close does it");
    unref(r);
}

const char *shim_runtime_version(struct runtime *r)
{
    return shim_of(r)->version;
}

/* --- start ------------------------------------------------------------------------------------------------------------------------ */

int shim_runtime_spawn(struct shim_runtime *r, const char *const *args, const char *log_dir, int *ret_report, int *ret_pidfd, struct err *err)
{
    return spawn_shim(r->exe_fd, r->o.program, args, log_dir, ret_report, ret_pidfd, err);
}

/* What a shim that died without a word may have left. */
static void last_words(const char *dir, char *ret, size_t cap)
{
    char path[4096], *text CLEANUP(free) = NULL;
    size_t len = 0;
    snprintf(path, sizeof path, "%s/shim.log", dir);
    *ret = 0;
    if (file_read(path, 1u << 20, &text, &len, NULL) == 0 && len)
        snprintf(ret, cap, ": " STR_FMT, STR_ARG(str_trim(str_sub(str_n(text, len), 0, 300))));
}

static int read_report(const char *dir, int report, pid_t *ret_pid, nsec_t *ret_started_at, struct err *err)
{
    char buf[4096], words[400];
    if (!net_wait(report, POLLIN, RUNTIME_SHIM_PATIENCE_NS))
        return err_set(err, E_TIMEOUT, "the container was not started within %d s", (int)(RUNTIME_SHIM_PATIENCE_NS / NSEC_PER_SEC));
    ssize_t n = shim_recv(report, buf, sizeof buf, NULL, NULL);
    ARENA_AUTO a = ARENA_SMALL(2048);
    struct json o;
    if (n <= 0 || json_parse(&a, str_n(buf, (size_t)n), NULL, &o, NULL) < 0) {
        last_words(dir, words, sizeof words);
        return err_set(err, E_IO, "the container's shim ended%s", words);
    }
    int code = (int)json_get_int(&o, S("code"), E_IO);
    if (code)
        return err_set(err, code > 0 && code < E_COUNT_ ? code : E_IO, STR_FMT, STR_ARG(json_get_str(&o, S("message"))));
    *ret_pid = (pid_t)json_get_int(&o, S("pid"), 0);
    *ret_started_at = json_get_int(&o, S("startedAt"), 0);
    return 0;
}

int shim_runtime_launch(struct shim_runtime *r, const struct shim_spec *s, int *ret_pidfd, pid_t *ret_pid, nsec_t *ret_started_at, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    int report = -1, pidfd = -1;
    int code = shim_file_write(s->c.dir, "spec.json", shim_spec_write(&a, s), false, err);
    if (code == 0)
        code = shim_runtime_spawn(r, (const char *const[]){s->c.dir, NULL}, s->c.dir, &report, &pidfd, err);
    if (code < 0)
        return code;
    code = read_report(s->c.dir, report, ret_pid, ret_started_at, err);
    close(report);
    if (code < 0) {
        pidfd_kill(pidfd, code == -E_TIMEOUT ? SIGKILL : 0);
        shim_runtime_wait(pidfd, RUNTIME_SHIM_PATIENCE_NS);
        close(pidfd);
        return code;
    }
    *ret_pidfd = pidfd;
    return 0;
}

static const char *new_id(struct arena *a)
{
    unsigned char bytes[32];
    BUG_ON(getrandom(bytes, sizeof bytes, 0) != sizeof bytes);
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < sizeof bytes; i++)
        strbuf_addf(&b, "%02x", bytes[i]);
    return strbuf_cstr(&b);
}

/* Devices of version 1, without the machine's console; where nobody keeps a container from making nodes for the machine's disks, it may make none. */
static void limit_devices(struct shim_runtime *r, struct arena *a, struct container_spec *c)
{
    static const char *const usual[] = {"c *:* m", "b *:* m", "c 1:3 rwm", "c 1:5 rwm", "c 1:7 rwm", "c 1:8 rwm", "c 1:9 rwm", "c 5:0 rwm", "c 5:2 rwm", "c 136:* rwm"};
    if (c->privileged)
        return;
    const char **rules = arena_array(a, ARRAY_LEN(usual) + c->ndevices + 1, const char *);
    size_t n = 0;
    for (; n < ARRAY_LEN(usual); n++)
        rules[n] = usual[n];
    for (size_t i = 0; i < c->ndevices; i++) {
        struct stat st;
        if (stat(c->devices[i].source, &st) == 0)
            rules[n++] = arena_fmt(a, "%c %u:%u %s", S_ISBLK(st.st_mode) ? 'b' : 'c', major(st.st_rdev), minor(st.st_rdev), c->devices[i].access && *c->devices[i].access ? c->devices[i].access : "rwm").p;
    }
    if (!cgroup_devices_allow(&r->cgroups, c->cgroup, rules))
        c->caps &= ~(1ull << CAP_MKNOD);
}

static void remove_files(const char *dir, struct err *err)
{
    static const char *const names[] = {"spec.json", "state.json", "exit.json", "shim.sock", "shim.log", "config.json", "oci.log", "oci.pid", "console.sock"};
    for (size_t i = 0; i < ARRAY_LEN(names); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        unlink(path);
    }
    static const char *const folders[] = {"upper", "work", "l", "rootfs"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", dir, folders[i]);
        err_ignore(file_remove_all(path, err), "what is left shows in the folder that cannot be removed then");
    }
}

/* Its processes end with those of the container that it looks at: the first of them is that one's. */
static int target_pids(struct runtime *rt, const struct container_spec *c, struct arena *a, struct shim_spec *s, struct err *err)
{
    struct container_status target;
    if (!c->pids_of.len || c->sandbox->host_pid || c->sandbox->share_pid) /* it sees them anyway */
        return 0;
    int code = shim_container_status(rt, c->pids_of, a, &target, err);
    if (code == 0 && (target.life != CONTAINER_RUNNING || target.pid <= 0))
        code = err_set(err, E_UNAVAILABLE, "the target container does not run any more");
    if (code == 0)
        s->pid_ns = arena_fmt(a, "/proc/%d/ns/pid", (int)target.pid).p;
    return code;
}

int shim_container_start(struct runtime *rt, const struct container_spec *c, struct arena *a, struct container_status *ret, struct err *err)
{
    struct shim_runtime *r = shim_of(rt);
    struct shim_spec s = {.id = new_id(a), .c = *c, .sandbox = *c->sandbox, .cgroups.layout = r->cgroups.layout, .program = r->o.program, .oci = r->oci, .oci_root = r->oci_root};
    snprintf(s.cgroups.root, sizeof s.cgroups.root, "%s", r->cgroups.root);
    s.c.sandbox = &s.sandbox;
    shim_sandbox_paths(a, c->sandbox, &s);
    int pidfd = -1, code = target_pids(rt, c, a, &s, err);
    if (code < 0)
        return code;
    code = cgroup_create(&r->cgroups, c->cgroup, &c->limits, err);
    if (code == 0 && !r->oci)
        limit_devices(r, a, &s.c);
    pid_t pid = 0;
    nsec_t started_at = 0;
    if (code == 0)
        code = shim_runtime_launch(r, &s, &pidfd, &pid, &started_at, err);
    if (code < 0) {
        struct err ignored = ERR_NONE;
        cgroup_kill(&r->cgroups, c->cgroup, KILL_PATIENCE_NS);
        if (r->oci && file_exists(arena_fmt(a, "%s/%s", r->oci_root, s.id).p))
            shim_runtime_oci_delete(r->oci, r->oci_root, s.id); /* its shim took too long and was killed */
        err_ignore(cgroup_remove(&r->cgroups, c->cgroup, KILL_PATIENCE_NS, &ignored), "sandbox_remove does it, too");
        remove_files(c->dir, &ignored);
        return code;
    }
    entry_add(r, entry_new(&s));
    loop_post(r->o.loop, &watch_new(r, s.id, pidfd)->msg);
    *ret = (struct container_status){.id = str_of(s.id), .pod_uid = arena_str(a, c->sandbox->uid), .name = arena_str(a, c->name), .attempt = c->attempt, .life = CONTAINER_RUNNING, .pid = pid, .started_at = started_at};
    return 0;
}

/* --- what became of it ---------------------------------------------------------------------------------------------------------------- */

static bool status_from_exit(struct arena *a, const struct shim_entry *e, struct container_status *ret)
{
    struct shim_exit x;
    if (!shim_exit_read(a, e->dir, &x))
        return false;
    ret->life = CONTAINER_EXITED;
    ret->started_at = x.started_at;
    ret->finished_at = x.finished_at;
    ret->exit_code = (int)x.exit_code;
    ret->signal = (int)x.signal;
    ret->oom_killed = x.oom;
    ret->reason = x.reason;
    ret->message = x.message;
    return true;
}

static bool shim_lives(const struct shim_state *s)
{
    return s->shim > 1 && s->shim_start && shim_proc_start((pid_t)s->shim) == s->shim_start;
}

static void fill_status(struct shim_runtime *r, struct arena *a, const struct shim_entry *e, struct container_status *ret)
{
    struct shim_state state = {0};
    *ret = (struct container_status){.id = str_of(e->id), .pod_uid = str_of(e->pod_uid), .name = str_of(e->name), .attempt = e->attempt, .life = CONTAINER_UNKNOWN};
    if (status_from_exit(a, e, ret))
        return;
    bool lives = shim_state_read(e->dir, &state) && shim_lives(&state);
    ret->pid = (pid_t)state.pid;
    ret->started_at = state.started_at;
    if (lives)
        ret->life = state.pid ? CONTAINER_RUNNING : CONTAINER_CREATED;
    if (lives || status_from_exit(a, e, ret)) /* it may have ended between the two looks */
        return;
    /* Nobody logs or reaps it any more. */
    cgroup_kill(&r->cgroups, e->cgroup, KILL_PATIENCE_NS);
    ret->pid = 0;
    ret->message = S("the container's shim is gone; how the container ended is not known");
}

int shim_container_status(struct runtime *rt, str id, struct arena *a, struct container_status *ret, struct err *err)
{
    struct shim_entry e;
    int code = shim_runtime_find(shim_of(rt), id, a, &e, err);
    if (code == 0)
        fill_status(shim_of(rt), a, &e, ret);
    return code;
}

int shim_container_list(struct runtime *rt, struct arena *a, struct container_status **ret, size_t *ret_n, struct err *err)
{
    (void)err;
    size_t n;
    struct shim_entry *list = entries_of(shim_of(rt), STR_NONE, a, &n);
    *ret = arena_array(a, n + 1, struct container_status);
    for (size_t i = 0; i < n; i++)
        fill_status(shim_of(rt), a, &list[i], &(*ret)[i]);
    *ret_n = n;
    return 0;
}

int shim_container_signal(struct runtime *rt, str id, int signo, struct err *err)
{
    struct shim_runtime *r = shim_of(rt);
    ARENA_AUTO a = ARENA_SMALL(2048);
    struct shim_entry e;
    int code = shim_runtime_find(r, id, &a, &e, err);
    if (code < 0)
        return code;
    if (signo != SIGKILL)
        return shim_session_signal(e.dir, signo, err);
    /* Everything in it; the first process alone when there is no control group.  The end shows by the shim. */
    if (cgroup_count(&r->cgroups, e.cgroup) > 0) {
        cgroup_kill(&r->cgroups, e.cgroup, KILL_PATIENCE_NS);
        return 0;
    }
    return shim_session_signal(e.dir, SIGKILL, err);
}

/* --- the end ------------------------------------------------------------------------------------------------------------------------------ */

/* Kills it and waits for its shim, which writes exit.json; a shim that does not end is killed, too. */
static int end_container(struct shim_runtime *r, const struct shim_entry *e, struct err *err)
{
    struct shim_state state = {0};
    bool known = shim_state_read(e->dir, &state);
    int pidfd = known ? pidfd_open_checked((pid_t)state.shim, state.shim_start) : -1;
    cgroup_kill(&r->cgroups, e->cgroup, KILL_PATIENCE_NS);
    FD_AUTO program = known && state.pid > 1 ? pidfd_open_checked((pid_t)state.pid, state.pid_start) : -1;
    if (program >= 0)
        pidfd_kill(program, SIGKILL);
    if (pidfd < 0)
        return 0;
    if (!shim_runtime_wait(pidfd, KILL_PATIENCE_NS)) {
        pidfd_kill(pidfd, SIGKILL);
        if (!shim_runtime_wait(pidfd, KILL_PATIENCE_NS)) {
            close(pidfd);
            return err_set(err, E_TIMEOUT, "the container does not end");
        }
    }
    close(pidfd);
    return 0;
}

int shim_container_remove(struct runtime *rt, str id, struct err *err)
{
    struct shim_runtime *r = shim_of(rt);
    ARENA_AUTO a = ARENA_SMALL(4096);
    struct shim_entry e;
    int code = shim_runtime_find(r, id, &a, &e, err);
    if (code == -E_NOT_FOUND)
        return 0;
    if (code == 0)
        code = end_container(r, &e, err);
    if (code == 0 && e.is_oci && r->oci && file_exists(arena_fmt(&a, "%s/%s", r->oci_root, e.id).p))
        shim_runtime_oci_delete(r->oci, r->oci_root, e.id); /* its shim was lost */
    if (code == 0)
        code = cgroup_remove(&r->cgroups, e.cgroup, KILL_PATIENCE_NS, err);
    if (code < 0)
        return code;
    /* The files that make it known go first: an agent that dies here does not find half a container. */
    remove_files(e.dir, err);
    code = file_remove_all(e.dir, err);
    pthread_mutex_lock(&r->lock);
    struct shim_entry *gone = map_del(&r->entries, id);
    pthread_mutex_unlock(&r->lock);
    free(gone);
    return code;
}

/* --- usage ---------------------------------------------------------------------------------------------------------------------------------- */

/* The container owns this tree and changes it meanwhile: no link is followed, and what is deeper than anybody needs is not counted. */
static uint64_t tree_bytes(int at, const char *name, size_t *left, unsigned depth)
{
    uint64_t sum = 0;
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d && fd >= 0)
        close(fd);
    for (struct dirent *e; d && *left && (e = readdir(d)); (*left)--) {
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        sum += (uint64_t)st.st_blocks * 512;
        if (S_ISDIR(st.st_mode) && depth < DISK_DEPTH)
            sum += tree_bytes(fd, e->d_name, left, depth + 1);
    }
    if (d)
        closedir(d);
    return sum;
}

static uint64_t log_bytes(const char *path)
{
    uint64_t sum = 0;
    struct stat st;
    for (int i = 0; i < 100; i++) {
        char name[4096];
        snprintf(name, sizeof name, i ? "%s.%d" : "%s", path, i);
        if (stat(name, &st) < 0)
            break;
        sum += (uint64_t)st.st_blocks * 512;
    }
    return sum;
}

/* Walking a layer costs; once a minute is enough for evictions. */
static uint64_t disk_bytes(struct shim_runtime *r, const struct shim_entry *e)
{
    nsec_t now = clock_mono(&clock_real);
    if (e->disk_at && now - e->disk_at < DISK_CACHE_NS)
        return e->disk_bytes;
    char upper[4096];
    size_t left = DISK_ENTRIES;
    snprintf(upper, sizeof upper, "%s/upper", e->dir);
    uint64_t bytes = tree_bytes(AT_FDCWD, upper, &left, 0) + log_bytes(e->log_path);
    pthread_mutex_lock(&r->lock);
    struct shim_entry *own = map_get(&r->entries, str_of(e->id));
    if (own) {
        own->disk_at = now;
        own->disk_bytes = bytes;
    }
    pthread_mutex_unlock(&r->lock);
    return bytes;
}

int shim_container_stats(struct runtime *rt, str uid, struct arena *a, struct container_usage **ret, size_t *ret_n, struct err *err)
{
    (void)err;
    struct shim_runtime *r = shim_of(rt);
    size_t n, out = 0;
    struct shim_entry *list = entries_of(r, uid.p ? uid : S(""), a, &n);
    *ret = arena_array(a, n + 1, struct container_usage);
    for (size_t i = 0; i < n; i++) {
        struct cgroup_usage u;
        struct stat st;
        char done[4096];
        snprintf(done, sizeof done, "%s/exit.json", list[i].dir);
        if (stat(done, &st) == 0 || !cgroup_usage_get(&r->cgroups, list[i].cgroup, &u))
            continue;
        (*ret)[out++] = (struct container_usage){.pod_uid = str_of(list[i].pod_uid), .name = str_of(list[i].name), .cpu_ns = u.cpu_ns, .memory_bytes = u.memory_bytes, .memory_limit_bytes = u.memory_limit_bytes, .disk_bytes = disk_bytes(r, &list[i])};
    }
    *ret_n = out;
    return 0;
}
