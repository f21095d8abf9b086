/* shim_oci.c - the container is made by an OCI runtime: create, start, delete; everything else stays the shim's.
 *
 * The runtime ends after `create`; the container's first process then is a child of the shim, which is a subreaper.  The root is mounted in a mount namespace of the shim's own, so that nothing of it shows on
 * the machine and nothing is left when the shim ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/runtime/runtime_bundle.h"
#include "agent/isolation/seccomp.h"
#include "agent/shim/shim_internal.h"
#include "rt/file.h"
#include "rt/net.h"

#define LOG_BYTES (256u << 10)

/* Runs the OCI runtime to its end; its exit status, -errno. */
static int run_oci(struct shim *s, const char *const *args, const struct shim_stdio *io)
{
    const char *argv[24] = {s->spec.oci, "--root", s->spec.oci_root, "--log", "oci.log", "--log-format", "json"};
    size_t n = 7;
    while (*args && n < ARRAY_LEN(argv) - 1)
        argv[n++] = *args++;
    static const char *const env[] = {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", NULL};
    posix_spawn_file_actions_t fa;
    posix_spawnattr_t attr;
    sigset_t none, ignored;
    sigemptyset(&none);
    sigemptyset(&ignored);
    sigaddset(&ignored, SIGPIPE);
    sigaddset(&ignored, SIGTERM);
    sigaddset(&ignored, SIGINT);
    sigaddset(&ignored, SIGHUP);
    sigaddset(&ignored, SIGQUIT);
    posix_spawn_file_actions_init(&fa);
    posix_spawnattr_init(&attr);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &ignored);
    posix_spawn_file_actions_addchdir_np(&fa, s->spec.c.dir);
    for (int i = 0; i < 3; i++) {
        if (io && io->fd[i] >= 0)
            posix_spawn_file_actions_adddup2(&fa, io->fd[i], i);
    }
    pid_t pid;
    int r = posix_spawn(&pid, s->spec.oci, &fa, &attr, (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)env);
    posix_spawn_file_actions_destroy(&fa);
    posix_spawnattr_destroy(&attr);
    if (r)
        return -r;
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return shim_exit_code(status);
}

/* The last error of its log: {"level":"error","msg":"...","time":"..."} a line. */
static void last_error(const struct shim *s, char *ret, size_t cap)
{
    char path[4096], *text CLEANUP(free) = NULL;
    size_t len = 0;
    snprintf(path, sizeof path, "%s/oci.log", s->spec.c.dir);
    snprintf(ret, cap, "the OCI runtime failed");
    if (file_read(path, LOG_BYTES, &text, &len, NULL) < 0)
        return;
    for (str left = str_n(text, len), line; left.len;) {
        ARENA_AUTO a = ARENA_SMALL(4096);
        struct json o;
        str_cut(&left, '\n', &line);
        if (json_parse(&a, line, NULL, &o, NULL) == 0 && str_is(json_get_str(&o, S("level")), "error"))
            snprintf(ret, cap, STR_FMT, STR_ARG(json_get_str(&o, S("msg"))));
    }
}

static int oci_error(const struct shim *s, int *ret_exit_code, struct err *err)
{
    char msg[500];
    last_error(s, msg, sizeof msg);
    bool missing = strstr(msg, "executable file not found") || strstr(msg, "no such file or directory");
    bool denied = strstr(msg, "permission denied");
    *ret_exit_code = missing ? 127 : denied ? 126 : 128;
    return err_set(err, missing ? E_NOT_FOUND : E_INVALID_ARG, "%s", msg);
}

static int listen_console(struct shim *s, int *ret, struct err *err)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    snprintf(un.sun_path, sizeof un.sun_path, "/proc/self/fd/%d/console.sock", s->dir_fd);
    unlink(un.sun_path);
    *ret = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*ret < 0 || bind(*ret, (struct sockaddr *)&un, sizeof un) < 0 || listen(*ret, 1) < 0)
        return err_sys(err, errno, "cannot listen for the terminal");
    return 0;
}

static int take_console(int listen_fd, int *ret_master, struct err *err)
{
    char buf[4096];
    size_t n = 0;
    int fds[3];
    FD_AUTO fd = net_wait(listen_fd, POLLIN, SHIM_CHILD_PATIENCE_NS) ? accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC) : -1;
    if (fd < 0 || shim_recv(fd, buf, sizeof buf, fds, &n) < 0 || n < 1)
        return err_set(err, E_IO, "the OCI runtime gave no terminal");
    *ret_master = fds[0];
    for (size_t i = 1; i < n; i++)
        close(fds[i]);
    return 0;
}

static int read_pid(const struct shim *s, pid_t *ret, struct err *err)
{
    char path[4096], *text CLEANUP(free) = NULL;
    int64_t pid = 0;
    snprintf(path, sizeof path, "%s/oci.pid", s->spec.c.dir);
    int r = file_read(path, 64, &text, NULL, err);
    if (r == 0 && (!str_to_i64(str_trim(str_of(text)), &pid) || pid <= 1))
        r = err_set(err, E_IO, "the OCI runtime gave no process number");
    if (r == 0)
        *ret = (pid_t)pid;
    return r;
}

/* A working directory in /proc is one of the OCI runtime's own descriptors, through which older ones let a container out; an image may say it with a link. */
static int check_cwd(const struct shim *s, int root_fd, struct err *err)
{
    const char *cwd = s->spec.c.cwd;
    char link[64], root[4096] = "", at[4096] = "";
    if (!cwd || !cwd[0])
        return 0;
    FD_AUTO fd = rootfs_open_or_make(root_fd, cwd, true);
    if (fd < 0)
        return err_sys(err, -fd, "cannot make the working directory %s", cwd);
    snprintf(link, sizeof link, "/proc/self/fd/%d", root_fd);
    ssize_t n = readlink(link, root, sizeof root - 1);
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (n <= 0 || readlink(link, at, sizeof at - 1) <= 0)
        return err_sys(err, errno, "cannot look at the working directory %s", cwd);
    str inside = str_of(at);
    bool is_proc = str_has_prefix(inside, str_of(root)) && str_has_prefix(str_from(inside, (size_t)n), S("/proc")) && (at[n + 5] == '/' || !at[n + 5]);
    return is_proc ? err_set(err, E_INVALID_ARG, "the working directory %s is in /proc, where nobody works", cwd) : 0;
}

/* config.json: only now, with the root mounted, is it known who the user is. */
static int write_config(struct shim *s, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    char root[4096];
    struct rootfs_user user;
    struct bundle_machine machine = {0};
    struct json profile;
    char *text CLEANUP(free) = NULL;
    size_t len = 0;
    snprintf(root, sizeof root, "%s/rootfs", s->spec.c.dir);
    FD_AUTO root_fd = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int r = root_fd < 0 ? err_sys(err, errno, "cannot open the root") : rootfs_user_resolve(&s->spec.c, root_fd, &user, err);
    if (r == 0)
        r = check_cwd(s, root_fd, err);
    if (r == 0 && s->spec.c.seccomp == SECCOMP_LOCALHOST && !s->spec.c.privileged) {
        r = file_read(s->spec.c.seccomp_profile ? s->spec.c.seccomp_profile : "", SECCOMP_PROFILE_BYTES, &text, &len, err);
        if (r == 0)
            r = json_parse(&a, str_n(text, len), NULL, &profile, err);
        if (r < 0)
            return err_wrap(err, "cannot load the seccomp profile: ");
        machine.seccomp = &profile;
    }
    if (r < 0)
        return r;
    s->user = user;
    s->has_user = true;
    bundle_machine_read(&machine);
    struct json config = bundle_config(&a, &s->spec, &user, &machine);
    return shim_file_write(s->spec.c.dir, "config.json", json_text(&a, &config), false, err);
}

int shim_oci_start(struct shim *s, const struct shim_stdio *io, pid_t *ret_pid, int *ret_master, int *ret_exit_code, struct err *err)
{
    FD_AUTO console = -1;
    struct rootfs_shared shared;
    *ret_master = -1;
    *ret_exit_code = 128;
    if (unshare(CLONE_NEWNS) < 0)
        return err_sys(err, errno, "cannot make a mount namespace");
    /* Volumes that propagate both ways stay with the machine's peers only if this namespace does: the OCI runtime cuts the container's own off. */
    struct shim_spec root_only = s->spec;
    root_only.c.nmounts = 0;
    int r = rootfs_isolate(&root_only, &shared, err);
    if (r == 0)
        r = rootfs_make(&s->spec, err);
    if (r == 0)
        r = write_config(s, err);
    if (r == 0 && s->spec.c.tty)
        r = listen_console(s, &console, err);
    if (r < 0)
        return r;
    const char *create[] = {"create", "--bundle", s->spec.c.dir, "--pid-file", "oci.pid", s->spec.c.tty ? "--console-socket" : s->spec.id, s->spec.c.tty ? "console.sock" : NULL, s->spec.id, NULL};
    if (run_oci(s, create, s->spec.c.tty ? NULL : io) != 0)
        return oci_error(s, ret_exit_code, err);
    if (s->spec.c.tty)
        r = take_console(console, ret_master, err);
    if (r == 0)
        r = read_pid(s, ret_pid, err);
    const char *const start[] = {"start", s->spec.id, NULL};
    if (r == 0 && run_oci(s, start, NULL) != 0)
        r = oci_error(s, ret_exit_code, err);
    return r;
}

void shim_oci_delete(struct shim *s)
{
    const char *const args[] = {"delete", "--force", s->spec.id, NULL};
    run_oci(s, args, NULL);
}
