/* runtime_sandbox.c - what the containers of a pod share.
 *
 *   pods/UID/sandbox.json   {"cgroup","netns","pause","pauseStart"}
 *   pods/UID/ns/ipc, uts, pid   namespaces, kept by a mount of their file
 *   pods/UID/shm            /dev/shm
 *
 * Namespaces are made by a thread that lives for that moment: unshare works for one thread, and a thread costs less than a process. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "agent/runtime/runtime_shim.h"
#include "agent/shim/shim_internal.h"
#include "base/log.h"
#include "rt/file.h"
#include "rt/net.h"
#include "rt/thread.h"

#define NSFS_TYPE 0x6e736673
#define KILL_PATIENCE_NS (30 * NSEC_PER_SEC)

static bool is_fs(const char *path, long type)
{
    struct statfs fs;
    return statfs(path, &fs) == 0 && (long)fs.f_type == type;
}

/* By device: the agent's own folder may lie on a tmpfs, too. */
static bool is_mounted(const char *path, const char *parent)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(parent, &b) == 0 && a.st_dev != b.st_dev;
}

static const char *in_dir(struct arena *a, const char *dir, const char *name)
{
    return arena_fmt(a, "%s/%s", dir, name).p;
}

void shim_sandbox_paths(struct arena *a, const struct sandbox_spec *s, struct shim_spec *ret)
{
    ret->ipc_ns = s->host_ipc ? NULL : in_dir(a, s->dir, "ns/ipc");
    ret->uts_ns = s->host_network ? NULL : in_dir(a, s->dir, "ns/uts");
    ret->pid_ns = s->share_pid && !s->host_pid ? in_dir(a, s->dir, "ns/pid") : NULL;
    ret->shm = s->host_ipc ? "/dev/shm" : in_dir(a, s->dir, "shm");
}

/* --- namespaces ----------------------------------------------------------------------------------------------------- */

struct maker {
    const struct sandbox_spec *s;
    const struct shim_spec *paths;
    int result;
    struct err err;
};

static int keep_ns(const char *kind, const char *file, struct err *err)
{
    char path[64];
    FD_AUTO fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    snprintf(path, sizeof path, "/proc/thread-self/ns/%s", kind);
    if (fd < 0 || mount(path, file, NULL, MS_BIND, NULL) < 0)
        return err_sys(err, errno, "cannot keep the pod's %s namespace", kind);
    return 0;
}

/* "net.core.somaxconn=1024": a sysctl of the namespaces this thread is in. */
static int set_sysctl(const char *text, struct err *err)
{
    char path[512] = "/proc/sys/";
    const char *eq = strchr(text, '=');
    if (!eq || eq - text > 256 || strstr(text, ".."))
        return err_set(err, E_INVALID_ARG, "sysctl \"%s\" cannot be read", text);
    size_t n = strlen(path);
    for (const char *p = text; p < eq; p++)
        path[n++] = *p == '.' ? '/' : *p;
    path[n] = 0;
    FD_AUTO fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, eq + 1, strlen(eq + 1)) < 0)
        return err_sys(err, errno, "cannot set sysctl %s", text);
    return 0;
}

static int make_namespaces(struct maker *m)
{
    struct err *err = &m->err;
    const struct shim_spec *p = m->paths;
    bool ipc = p->ipc_ns && !is_fs(p->ipc_ns, NSFS_TYPE), uts = p->uts_ns && !is_fs(p->uts_ns, NSFS_TYPE);
    if (m->s->netns) {
        FD_AUTO net = open(m->s->netns, O_RDONLY | O_CLOEXEC);
        if (net < 0 || setns(net, CLONE_NEWNET) < 0)
            return err_sys(err, errno, "cannot enter the pod's network namespace %s", m->s->netns);
    }
    if (unshare((ipc ? CLONE_NEWIPC : 0) | (uts ? CLONE_NEWUTS : 0)) < 0)
        return err_sys(err, errno, "cannot make the pod's namespaces");
    if (p->ipc_ns && !ipc) { /* made before: sysctls below are for it, not for the machine's */
        FD_AUTO fd = open(p->ipc_ns, O_RDONLY | O_CLOEXEC);
        if (fd < 0 || setns(fd, CLONE_NEWIPC) < 0)
            return err_sys(err, errno, "cannot enter the pod's ipc namespace");
    }
    const char *hostname = m->s->hostname ? m->s->hostname : "";
    if (uts && *hostname && sethostname(hostname, strlen(hostname)) < 0)
        return err_sys(err, errno, "cannot set the host name %s", hostname);
    int r = 0;
    for (const char *const *c = m->s->sysctls; c && *c && r == 0 && (p->ipc_ns || m->s->netns); c++)
        r = set_sysctl(*c, err);
    if (r == 0 && ipc)
        r = keep_ns("ipc", p->ipc_ns, err);
    if (r == 0 && uts)
        r = keep_ns("uts", p->uts_ns, err);
    return r;
}

static void run_maker(void *arg)
{
    struct maker *m = arg;
    m->result = make_namespaces(m);
}

/* --- pause ------------------------------------------------------------------------------------------------------------ */

static int start_pause(struct shim_runtime *r, const struct sandbox_spec *s, const char *ns_file, pid_t *ret, struct err *err)
{
    int report = -1, pidfd = -1;
    const char *const args[] = {"pause", ns_file, r->o.cgroup_root, NULL};
    umount2(ns_file, MNT_DETACH);
    int code = shim_runtime_spawn(r, args, s->dir, &report, &pidfd, err);
    if (code < 0)
        return code;
    char text[32] = "";
    int64_t pid = 0;
    ssize_t n = net_wait(report, POLLIN, RUNTIME_SHIM_PATIENCE_NS) ? shim_recv(report, text, sizeof text - 1, NULL, NULL) : -1;
    close(report);
    shim_runtime_wait(pidfd, KILL_PATIENCE_NS);
    close(pidfd);
    if (n <= 0 || !str_to_i64(str_n(text, (size_t)n), &pid))
        return err_set(err, E_IO, "the pod's pid namespace could not be made");
    *ret = (pid_t)pid;
    return 0;
}

static bool read_sandbox(struct arena *a, const char *dir, struct json *ret)
{
    char *text CLEANUP(free) = NULL;
    size_t len = 0;
    if (file_read(in_dir(a, dir, "sandbox.json"), 64u << 10, &text, &len, NULL) < 0)
        return false;
    return json_parse(a, arena_str(a, str_n(text, len)), NULL, ret, NULL) == 0;
}

static bool pause_lives(const struct json *o, pid_t *ret)
{
    pid_t pid = (pid_t)json_get_int(o, S("pause"), 0);
    *ret = pid;
    int64_t start = json_get_int(o, S("pauseStart"), 0); /* 0: it was dead already when it was written down */
    return pid > 1 && start && shim_proc_start(pid) == start;
}

static int write_sandbox(struct arena *a, const struct sandbox_spec *s, pid_t pause, struct err *err)
{
    struct json o = json_object();
    json_set(a, &o, S("cgroup"), json_string(str_of(s->cgroup)));
    json_set(a, &o, S("netns"), s->netns ? json_string(str_of(s->netns)) : json_null());
    json_set(a, &o, S("pause"), json_int(a, pause));
    json_set(a, &o, S("pauseStart"), json_int(a, pause ? shim_proc_start(pause) : 0));
    return shim_file_write(s->dir, "sandbox.json", json_text(a, &o), false, err);
}

/* --- start and end ------------------------------------------------------------------------------------------------------ */

/* Asked again for a pod that has one, it makes what is missing. */
int shim_sandbox_start(struct runtime *rt, const struct sandbox_spec *s, struct arena *a, struct sandbox_status *ret, struct err *err)
{
    struct shim_runtime *r = container_of(rt, struct shim_runtime, base);
    struct shim_spec paths = {0};
    struct json old = json_object();
    pid_t pause = 0;
    shim_sandbox_paths(a, s, &paths);
    int code = file_mkdir_all(in_dir(a, s->dir, "ns"), 0700, err);
    if (code == 0)
        code = file_mkdir_all(in_dir(a, s->dir, "shm"), 0700, err);
    if (code < 0)
        return code;
    read_sandbox(a, s->dir, &old);
    bool lives = pause_lives(&old, &pause);
    code = write_sandbox(a, s, lives ? pause : 0, err); /* first of all: from now on sandbox_remove finds everything */
    if (code == 0)
        code = cgroup_create(&r->cgroups, s->cgroup, &s->limits, err);
    if (code == 0 && paths.pid_ns && !lives) {
        code = start_pause(r, s, paths.pid_ns, &pause, err);
        if (code == 0)
            code = write_sandbox(a, s, pause, err);
    }
    if (code == 0 && !s->host_ipc && !is_mounted(paths.shm, s->dir) && mount("shm", paths.shm, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=1777,size=64m") < 0)
        code = err_sys(err, errno, "cannot mount the pod's shared memory");
    struct maker m = {.s = s, .paths = &paths};
    struct thread thread = {0};
    if (code == 0)
        code = thread_start(&thread, "namespaces", run_maker, &m, err);
    if (code == 0) {
        thread_join(&thread);
        if (m.result < 0) {
            *err = m.err;
            code = m.result;
        }
    }
    if (code == 0)
        *ret = (struct sandbox_status){.uid = arena_str(a, s->uid), .ip = S("")};
    return code;
}

static void remove_containers(struct shim_runtime *r, str uid, struct arena *a)
{
    struct container_status *list = NULL;
    size_t n = 0;
    struct err err = ERR_NONE;
    if (shim_container_list(&r->base, a, &list, &n, &err) < 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (str_eq(list[i].pod_uid, uid) && shim_container_remove(&r->base, list[i].id, &err) < 0)
            log_warn("cannot remove a container", KV("id", STR_FMT, STR_ARG(list[i].id)), KV("error", "%s", err.msg));
    }
}

int shim_sandbox_remove(struct runtime *rt, str uid, struct err *err)
{
    struct shim_runtime *r = container_of(rt, struct shim_runtime, base);
    ARENA_AUTO a = ARENA_INIT;
    const char *dir = arena_fmt(&a, "%s/pods/" STR_FMT, r->o.dir, STR_ARG(uid)).p;
    static const char *const mounts[] = {"ns/ipc", "ns/uts", "ns/pid", "shm"};
    struct json o = json_object();
    pid_t pause = 0;
    remove_containers(r, uid, &a);
    if (read_sandbox(&a, dir, &o)) {
        if (pause_lives(&o, &pause))
            kill(pause, SIGKILL);
        const char *cgroup = arena_cstr(&a, json_get_str(&o, S("cgroup")));
        if (*cgroup) {
            cgroup_kill(&r->cgroups, cgroup, KILL_PATIENCE_NS);
            int code = cgroup_remove(&r->cgroups, cgroup, KILL_PATIENCE_NS, err);
            if (code < 0)
                return code;
        }
    }
    for (size_t i = 0; i < ARRAY_LEN(mounts); i++) {
        const char *path = in_dir(&a, dir, mounts[i]);
        while (umount2(path, MNT_DETACH) == 0)
            ;
        if (i < 3)
            unlink(path);
        else
            rmdir(path);
    }
    rmdir(in_dir(&a, dir, "ns"));
    unlink(in_dir(&a, dir, "shim.log"));
    if (unlink(in_dir(&a, dir, "sandbox.json")) < 0 && errno != ENOENT && errno != ENOTDIR)
        return err_sys(err, errno, "cannot remove the sandbox of %s", dir);
    return 0;
}

int shim_sandbox_netns(struct runtime *rt, str uid, struct arena *a, const char **ret, struct err *err)
{
    struct shim_runtime *r = container_of(rt, struct shim_runtime, base);
    struct json o;
    if (!read_sandbox(a, arena_fmt(a, "%s/pods/" STR_FMT, r->o.dir, STR_ARG(uid)).p, &o))
        return err_set(err, E_NOT_FOUND, "the pod's sandbox does not run");
    str path = json_get_str(&o, S("netns"));
    *ret = path.len ? arena_cstr(a, path) : NULL;
    return 0;
}

bool shim_sandbox_any(const char *dir)
{
    ARENA_AUTO a = ARENA_INIT;
    DIR *d = opendir(in_dir(&a, dir, "pods"));
    bool any = false;
    for (struct dirent *e; d && !any && (e = readdir(d));)
        any = e->d_name[0] != '.' && file_exists(arena_fmt(&a, "%s/pods/%s/sandbox.json", dir, e->d_name).p);
    if (d)
        closedir(d);
    return any;
}
