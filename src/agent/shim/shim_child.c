/* shim_child.c - from clone to execve: namespaces, control group, root, terminal, user, capabilities, filter, program.
 *
 * The child speaks to the shim over a socket that execve closes: "T" with the terminal's master, "E" with an error, "U" with the user that it found, "P" with the number of an exec's program.  The end without an error: the program runs.
 * It is a copy of the shim, which has one thread, so that all of C may be used before execve.
 *
 *   start:  shim ─clone─► child: new pid namespace, root, rights, program
 *   exec:   shim ─clone─► helper: the container's namespaces, rights ─clone─► child: program
 *
 * Nobody in the container may get hold of what is the machine's: a child keeps no descriptor of the shim but its own stdio (a working directory of /proc/self/fd/N would lead out), and
 * the pid namespace is the last that an exec enters: when the container can see its process, that process has the container's root and rights already. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/isolation/seccomp.h"
#include "agent/shim/shim_internal.h"
#include "rt/file.h"
#include "rt/net.h"

#define NOFILE_SOFT 65536
#define DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/* What goes over the socket with "E", "P" and "U". */
struct child_error {
    char tag;
    int code, exit_code;
    pid_t pid; /* of "P" */
    union {
        char msg[640];
        struct rootfs_user user; /* of "U" */
    };
};

static void NORETURN child_fail(int sock, const struct err *err, int exit_code)
{
    struct child_error e = {.tag = 'E', .code = err->code, .exit_code = exit_code};
    snprintf(e.msg, sizeof e.msg, "%s", err->msg);
    err_ignore(write(sock, &e, sizeof e), "the shim then sees an end without a program");
    _exit(127);
}

static int cmp_ints(const void *a, const void *b)
{
    return (*(const int *)a > *(const int *)b) - (*(const int *)a < *(const int *)b);
}

/* Closes all descriptors from 3 on but these (-1 among them is nothing). */
static int close_others(int *keep, size_t n, struct err *err)
{
    unsigned from = 3;
    int r = 0;
    qsort(keep, n, sizeof *keep, cmp_ints);
    for (size_t i = 0; i < n && r == 0; i++) {
        if (keep[i] < (int)from)
            continue;
        r = keep[i] > (int)from ? (int)syscall(SYS_close_range, from, (unsigned)keep[i] - 1, 0) : 0;
        from = (unsigned)keep[i] + 1;
    }
    if (r == 0)
        r = (int)syscall(SYS_close_range, from, ~0u, 0);
    return r < 0 ? err_sys(err, errno, "cannot close descriptors") : 0;
}

/* --- namespaces -------------------------------------------------------------------------------------------------- */

static int enter_file(const char *path, int type, struct err *err)
{
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || setns(fd, type) < 0)
        return err_sys(err, errno, "cannot enter the namespace %s", path);
    return 0;
}

static int enter_sandbox(const struct shim_spec *s, struct err *err)
{
    int r = s->sandbox.netns ? enter_file(s->sandbox.netns, CLONE_NEWNET, err) : 0;
    if (r == 0 && s->ipc_ns)
        r = enter_file(s->ipc_ns, CLONE_NEWIPC, err);
    if (r == 0 && s->uts_ns)
        r = enter_file(s->uts_ns, CLONE_NEWUTS, err);
    return r;
}

/* All of them are opened before the first is entered: afterwards /proc is another one. */
static int enter_process(pid_t pid, struct err *err)
{
    static const struct {
        const char *name;
        int type;
    } spaces[] = {{"cgroup", CLONE_NEWCGROUP}, {"ipc", CLONE_NEWIPC}, {"uts", CLONE_NEWUTS}, {"net", CLONE_NEWNET}, {"mnt", CLONE_NEWNS}};
    int fds[ARRAY_LEN(spaces)];
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pid, spaces[i].name);
        fds[i] = open(path, O_RDONLY | O_CLOEXEC);
        if (fds[i] < 0)
            return err_sys(err, errno, "the container has ended");
    }
    for (size_t i = 0; i < ARRAY_LEN(spaces); i++) {
        if (setns(fds[i], spaces[i].type) < 0)
            return err_sys(err, errno, "cannot enter the container's %s namespace", spaces[i].name);
        close(fds[i]);
    }
    return 0;
}

/* Children go into the container's pid namespace, or the pod's; the shim itself stays outside, and so does what it starts otherwise. */
static int children_into(int ns, struct err *err)
{
    return ns >= 0 && setns(ns, CLONE_NEWPID) < 0 ? err_sys(err, errno, "cannot enter the pid namespace") : 0;
}

static bool is_pure_v2(const struct cgroups *c)
{
    return c->layout.n == 1 && c->layout.hiers[0].is_v2;
}

/* --- stdio --------------------------------------------------------------------------------------------------------- */

static int open_terminal(int sock, int root_fd, bool is_console, int *ret_slave, struct err *err)
{
    FD_AUTO master = rootfs_open(root_fd, "/dev/pts/ptmx", O_RDWR | O_NOCTTY);
    int unlock = 0, number;
    if (master < 0 || ioctl(master, TIOCGPTN, &number) < 0 || ioctl(master, TIOCSPTLCK, &unlock) < 0)
        return err_sys(err, master < 0 ? -master : errno, "cannot open a terminal");
    *ret_slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*ret_slave < 0)
        return err_sys(err, errno, "cannot open a terminal");
    if (is_console)
        err_ignore(rootfs_attach(rootfs_clone_tree(*ret_slave, "", false), root_fd, "/dev/console", false, err), "programs rarely open it");
    int r = shim_send(sock, S("T"), (int[]){master}, 1);
    return r < 0 ? err_sys(err, -r, "cannot hand out the terminal") : 0;
}

/* The container's own /dev/null (it could change the mode of the machine's through a descriptor), if it still is what it is called. */
static int open_null(void)
{
    struct stat st;
    int fd = open("/dev/null", O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &st) < 0 || !S_ISCHR(st.st_mode) || st.st_rdev != makedev(1, 3))) {
        close(fd);
        errno = ENODEV;
        return -1;
    }
    return fd;
}

static int set_stdio(const struct shim_stdio *io, int slave, struct err *err)
{
    FD_AUTO null = open_null();
    for (int i = 0; i < 3; i++) {
        int from = io->tty ? slave : io->fd[i] >= 0 ? io->fd[i] : null;
        if (from < 0 || dup2(from, i) < 0)
            return err_sys(err, errno, "cannot set up standard input and output");
    }
    return 0;
}

/* Of the process that becomes the program. */
static int lead_session(const struct shim_stdio *io, struct err *err)
{
    setsid();
    return io->tty && ioctl(0, TIOCSCTTY, 0) < 0 ? err_sys(err, errno, "cannot take the terminal") : 0;
}

/* Output files are opened again by name (/dev/stdout) by programs that run as somebody else. */
static void own_stdio(const struct shim_stdio *io, const struct rootfs_user *u)
{
    for (int i = 0; i < 3; i++) {
        struct stat st;
        if ((io->tty || io->fd[i] >= 0) && fstat(i, &st) == 0 && (S_ISFIFO(st.st_mode) || S_ISCHR(st.st_mode)))
            err_ignore(fchown(i, u->uid, io->tty ? st.st_gid : u->gid), "it can be written through the descriptor anyway");
    }
}

/* --- who it is ------------------------------------------------------------------------------------------------------- */

static void set_oom_score(int adj)
{
    char text[16];
    FD_AUTO fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    snprintf(text, sizeof text, "%d", adj);
    err_ignore(fd < 0 ? 0 : write(fd, text, strlen(text)), "lowering it needs a right that not every root has");
}

static void set_limits(void)
{
    struct rlimit r;
    if (getrlimit(RLIMIT_NOFILE, &r) == 0) {
        r.rlim_cur = MIN(r.rlim_max, (rlim_t)NOFILE_SOFT);
        setrlimit(RLIMIT_NOFILE, &r);
    }
    r = (struct rlimit){.rlim_cur = 0, .rlim_max = RLIM_INFINITY};
    if (getrlimit(RLIMIT_CORE, &r) == 0) {
        r.rlim_cur = 0;
        setrlimit(RLIMIT_CORE, &r);
    }
}

static int drop_bounding(uint64_t caps, struct err *err)
{
    for (int cap = 0; cap < 64; cap++) {
        if (caps & (1ull << cap) || prctl(PR_CAPBSET_READ, cap, 0, 0, 0) != 1)
            continue;
        if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0)
            return err_sys(err, errno, "cannot drop capability %d", cap);
    }
    return 0;
}

static int set_caps(uint64_t caps, struct err *err)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct have[2] = {{0}}, want[2] = {{0}};
    if (syscall(SYS_capget, &head, have) < 0)
        return err_sys(err, errno, "cannot read capabilities");
    for (int i = 0; i < 2; i++) {
        uint32_t bits = (uint32_t)(caps >> (32 * i)) & have[i].permitted; /* more than this machine's root has cannot be given */
        want[i].effective = want[i].permitted = bits;
    }
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
    return syscall(SYS_capset, &head, want) < 0 ? err_sys(err, errno, "cannot set capabilities") : 0;
}

static int make_filter(struct arena *a, const struct container_spec *c, struct seccomp_program *ret, struct err *err)
{
    *ret = (struct seccomp_program){0};
    if (c->privileged || c->seccomp == SECCOMP_UNCONFINED)
        return 0;
    if (c->seccomp == SECCOMP_RUNTIME_DEFAULT) {
        seccomp_default(a, c->caps, ret);
        return 0;
    }
    char *text = NULL;
    size_t len = 0;
    struct json profile;
    int r = file_read(c->seccomp_profile ? c->seccomp_profile : "", SECCOMP_PROFILE_BYTES, &text, &len, err);
    if (r < 0)
        return err_wrap(err, "cannot load the seccomp profile: ");
    r = json_parse(a, str_n(text, len), NULL, &profile, err);
    return r < 0 ? r : seccomp_profile(a, &profile, ret, err);
}

static int install_filter(const struct seccomp_program *p, struct err *err)
{
    int r = p->n ? seccomp_install(p) : 0;
    return r < 0 ? err_sys(err, -r, "cannot set the filter of system calls") : 0;
}

static int become(const struct container_spec *c, const struct rootfs_user *u, const struct seccomp_program *filter, struct err *err)
{
    uint64_t caps = c->privileged ? ~0ull : c->caps;
    gid_t groups[ROOTFS_GROUPS];
    for (size_t i = 0; i < u->ngroups; i++)
        groups[i] = u->groups[i];
    if (setgroups(u->ngroups, groups) < 0 || setresgid(u->gid, u->gid, u->gid) < 0)
        return err_sys(err, errno, "cannot set the groups");
    int r = c->no_new_privs ? 0 : install_filter(filter, err); /* needs what is dropped next */
    if (r == 0)
        r = drop_bounding(caps, err);
    if (r < 0)
        return r;
    if (prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0 || setresuid(u->uid, u->uid, u->uid) < 0)
        return err_sys(err, errno, "cannot become user %u", u->uid);
    r = set_caps(caps, err);
    if (r == 0 && c->no_new_privs && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
        r = err_sys(err, errno, "cannot set no_new_privs");
    return r;
}

/* The last steps, of the process that becomes the program: it has the rights of the container and no descriptor but its stdio and the socket. */
static int enter_program(const struct container_spec *c, const struct shim_stdio *io, const struct seccomp_program *filter, struct err *err)
{
    int r = lead_session(io, err);
    const char *cwd = c->cwd && c->cwd[0] ? c->cwd : "/";
    if (r == 0 && chdir(cwd) < 0)
        r = err_sys(err, errno, "cannot enter the working directory %s", cwd);
    char at[4096] = "/";
    if (r == 0 && syscall(SYS_getcwd, at, sizeof at) > 0 && at[0] != '/') /* "(unreachable)/..." */
        r = err_set(err, E_INVALID_ARG, "the working directory %s is outside of the container", cwd);
    return r == 0 && c->no_new_privs ? install_filter(filter, err) : r;
}

/* --- the program ------------------------------------------------------------------------------------------------------- */

static const char *env_find(const char *const *env, const char *name)
{
    size_t len = strlen(name);
    for (; env && *env; env++) {
        if (strncmp(*env, name, len) == 0 && (*env)[len] == '=')
            return *env + len + 1;
    }
    return NULL;
}

/* The container's environment with HOME and TERM where they are missing. */
static char **make_env(struct arena *a, const struct container_spec *c, const struct rootfs_user *u, bool tty)
{
    size_t n = 0;
    while (c->env && c->env[n])
        n++;
    char **env = arena_array(a, n + 4, char *);
    for (size_t i = 0; i < n; i++)
        env[i] = (char *)(uintptr_t)c->env[i];
    if (!env_find(c->env, "PATH"))
        env[n++] = (char *)(uintptr_t) "PATH=" DEFAULT_PATH;
    if (!env_find(c->env, "HOME"))
        env[n++] = (char *)(uintptr_t)arena_fmt(a, "HOME=%s", u->home[0] ? u->home : "/").p;
    if (tty && !env_find(c->env, "TERM"))
        env[n++] = (char *)(uintptr_t) "TERM=xterm";
    return env;
}

static void NORETURN exec_failed(int sock, const char *program, int errnum)
{
    struct err err = ERR_NONE;
    if (errnum == ENOENT || errnum == ENOTDIR) {
        const char *where = strchr(program, '/') ? "no such file or directory" : "executable file not found in $PATH";
        err_set(&err, E_NOT_FOUND, "exec: \"%s\": %s", program, where);
        child_fail(sock, &err, 127);
    }
    const char *why = errnum == ENOEXEC ? "exec format error" : errnum == EACCES ? "permission denied" : strerror(errnum);
    err_set(&err, E_INVALID_ARG, "exec: \"%s\": %s", program, why);
    child_fail(sock, &err, errnum == EACCES || errnum == ENOEXEC ? 126 : 128);
}

static void NORETURN run_program(int sock, const char *const *argv, char **env)
{
    char *const *args = (char *const *)(uintptr_t)argv;
    if (!argv[0][0])
        exec_failed(sock, argv[0], ENOENT);
    if (strchr(argv[0], '/')) {
        execve(argv[0], args, env);
        exec_failed(sock, argv[0], errno);
    }
    int worst = ENOENT;
    const char *path = env_find((const char *const *)(uintptr_t)env, "PATH");
    for (str left = str_of(path), dir; left.len;) {
        char file[4096];
        struct stat st;
        str_cut(&left, ':', &dir);
        snprintf(file, sizeof file, STR_FMT "/%s", STR_ARG(dir.len ? dir : S(".")), argv[0]);
        if (stat(file, &st) == 0 && S_ISDIR(st.st_mode))
            continue;
        execve(file, args, env);
        if (errno != ENOENT && errno != ENOTDIR)
            worst = errno;
        if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
            break;
    }
    exec_failed(sock, argv[0], worst);
}

/* --- the child ----------------------------------------------------------------------------------------------------------- */

static void reset_signals(void)
{
    sigset_t none;
    sigemptyset(&none);
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* What can be done only with the machine's files. */
static int prepare_outside(const struct shim_spec *spec, struct arena *a, struct seccomp_program *ret_filter, struct err *err)
{
    int r = cgroup_enter(&spec->cgroups, spec->c.cgroup, err);
    set_oom_score(spec->c.oom_score_adj);
    set_limits();
    /* Keys of whoever started the agent are not the container's.  A kernel without keys, or a filter above us that forbids them, has none to give. */
    if (r == 0 && syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && errno != ENOSYS && errno != EPERM && errno != EACCES)
        r = err_sys(err, errno, "cannot make a session keyring");
    return r < 0 ? r : make_filter(a, &spec->c, ret_filter, err);
}

static int make_root(const struct shim_spec *spec, struct rootfs_shared *shared, struct err *err)
{
    int r = enter_sandbox(spec, err);
    if (r == 0 && is_pure_v2(&spec->cgroups) && unshare(CLONE_NEWCGROUP) < 0)
        r = err_sys(err, errno, "cannot make a cgroup namespace");
    if (r == 0)
        r = rootfs_isolate(spec, shared, err);
    return r < 0 ? r : rootfs_make(spec, err);
}

/* The first process tells the shim who it is. */
static int find_user(const struct shim *s, const struct shim_child *c, int sock, int root_fd, struct rootfs_user *ret, struct err *err)
{
    if (c->enter && s->has_user) {
        *ret = s->user;
        return 0;
    }
    int r = rootfs_user_resolve(&s->spec.c, root_fd, ret, err);
    struct child_error e = {.tag = 'U', .user = r < 0 ? (struct rootfs_user){0} : *ret};
    if (r == 0 && !c->enter && write(sock, &e, sizeof e) != (ssize_t)sizeof e)
        r = err_sys(err, errno, "cannot tell who the user is");
    return r;
}

/* Namespaces but for the pid's, root, user, stdio; then the rights. */
static int prepare(struct shim *s, const struct shim_child *c, int sock, struct arena *a, struct seccomp_program *filter, char ***ret_env, struct err *err)
{
    const struct shim_spec *spec = &s->spec;
    struct rootfs_shared shared;
    struct rootfs_user user;
    int slave = -1, r = prepare_outside(spec, a, filter, err);
    if (r == 0)
        r = c->enter ? enter_process(c->enter, err) : make_root(spec, &shared, err);
    if (r < 0)
        return r;
    char root[4096];
    snprintf(root, sizeof root, "%s/rootfs", spec->c.dir);
    FD_AUTO root_fd = open(c->enter ? "/" : root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root_fd < 0)
        return err_sys(err, errno, "cannot open the root");
    if (!c->enter)
        r = rootfs_fill(spec, root_fd, &shared, err);
    if (r == 0)
        r = find_user(s, c, sock, root_fd, &user, err);
    if (r == 0 && c->io.tty)
        r = open_terminal(sock, root_fd, !c->enter, &slave, err);
    if (r == 0 && !c->enter)
        r = rootfs_pivot(spec, root_fd, err);
    if (r == 0)
        r = set_stdio(&c->io, slave, err);
    if (r == 0 && c->enter)
        r = children_into(s->pid_ns, err);
    if (r < 0)
        return r;
    own_stdio(&c->io, &user);
    *ret_env = make_env(a, &spec->c, &user, c->io.tty);
    return become(&spec->c, &user, filter, err);
}

/* The helper of an exec hands over to a child that is born in the container's pid namespace and is the shim's, as the helper is. */
static void hand_over(int sock, struct err *err)
{
    pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);
    if (pid == 0)
        return;
    if (pid < 0) { /* ENOMEM: the first process of the namespace is dead */
        err_sys(err, errno, "the container has ended or takes no more processes");
        child_fail(sock, err, 128);
    }
    struct child_error e = {.tag = 'P', .pid = pid};
    _exit(write(sock, &e, sizeof e) == (ssize_t)sizeof e ? 0 : 1);
}

static void NORETURN run_child(struct shim *s, const struct shim_child *c, int sock)
{
    struct err err = ERR_NONE;
    struct arena a = ARENA_SMALL(64u << 10);
    struct seccomp_program filter;
    char **env = NULL;
    reset_signals();
    umask(0022);
    /* A container does not inherit an agent's real-time class, which no control group of version 1 takes, nor its nice value. */
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    setpriority(PRIO_PROCESS, 0, 0);
    /* Low numbers are about to be overwritten: the socket must not be one of them. */
    int high = fcntl(sock, F_DUPFD_CLOEXEC, 64);
    sock = high >= 0 ? high : sock;
    int keep[] = {sock, c->io.fd[0], c->io.fd[1], c->io.fd[2], c->enter ? s->pid_ns : -1};
    if (close_others(keep, ARRAY_LEN(keep), &err) < 0 || prepare(s, c, sock, &a, &filter, &env, &err) < 0)
        child_fail(sock, &err, 128);
    if (close_others((int[]){sock}, 1, &err) < 0)
        child_fail(sock, &err, 128);
    if (c->enter)
        hand_over(sock, &err);
    else
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* nobody would log and reap it any more */
    if (enter_program(&s->spec.c, &c->io, &filter, &err) < 0)
        child_fail(sock, &err, 128);
    run_program(sock, c->argv, env);
}

/* --- starting it from the shim --------------------------------------------------------------------------------------------- */

/* A fork with namespaces of its own, born in the control group of version 2 where there is one. */
static pid_t clone_child(const struct shim *s, bool own_pids, bool own_mounts)
{
    FD_AUTO cgroup = cgroup_v2_open(&s->spec.cgroups, s->spec.c.cgroup);
    struct clone_args args = {.flags = (own_pids ? CLONE_NEWPID : 0) | (own_mounts ? CLONE_NEWNS : 0), .exit_signal = SIGCHLD};
    if (cgroup >= 0) {
        struct clone_args into = args;
        into.flags |= CLONE_INTO_CGROUP;
        into.cgroup = (uint64_t)cgroup;
        pid_t pid = (pid_t)syscall(SYS_clone3, &into, sizeof into);
        if (pid >= 0)
            return pid;
    }
    return (pid_t)syscall(SYS_clone3, &args, sizeof args);
}

/* Until the socket ends.  0: the program runs.  *ret_pid: of an exec's. */
static int await_program(struct shim *s, int sock, pid_t *ret_pid, int *ret_master, int *ret_exit_code, struct err *err)
{
    for (;;) {
        struct child_error e = {0};
        int fds[3];
        size_t nfds = 0;
        if (!net_wait(sock, POLLIN, SHIM_CHILD_PATIENCE_NS)) {
            *ret_exit_code = 128;
            return err_set(err, E_TIMEOUT, "the program was not started within %d s", (int)(SHIM_CHILD_PATIENCE_NS / NSEC_PER_SEC));
        }
        ssize_t n = shim_recv(sock, &e, sizeof e, fds, &nfds);
        if (n <= 0)
            return 0;
        if (e.tag == 'T' && nfds == 1)
            *ret_master = fds[0];
        if (e.tag == 'P')
            *ret_pid = e.pid;
        if (e.tag == 'U') {
            s->user = e.user;
            s->has_user = true;
        }
        if (e.tag == 'E') {
            e.msg[sizeof e.msg - 1] = 0;
            *ret_exit_code = e.exit_code;
            return err_set(err, e.code ? e.code : E_IO, "%s", e.msg);
        }
    }
}

/* The clone itself; an exec's helper is born outside and goes into the container by itself. */
static pid_t start_child(struct shim *s, const struct shim_child *c, int sv[2], struct err *err)
{
    bool own_pids = !c->enter && !s->spec.pid_ns && !s->spec.sandbox.host_pid;
    int shared = c->enter ? -1 : s->pid_ns;
    struct err back = ERR_NONE;
    pid_t pid = children_into(shared, err) < 0 ? -1 : clone_child(s, own_pids, !c->enter);
    if (pid == 0)
        run_child(s, c, sv[1]);
    if (pid < 0 && !err->code)
        err_sys(err, errno, "cannot start a process"); /* ENOMEM: the first process of the namespace is dead */
    err_ignore(children_into(shared >= 0 ? s->self_pid_ns : -1, &back), "only an OCI runtime that cleans up would notice");
    return pid;
}

int shim_child_start(struct shim *s, const struct shim_child *c, pid_t *ret_pid, int *ret_master, int *ret_exit_code, struct err *err)
{
    int sv[2], status = 0;
    *ret_master = -1;
    *ret_exit_code = 128;
    if (c->enter && s->has_ended) /* its number may be somebody else's already */
        return err_set(err, E_NOT_FOUND, "the container has ended");
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sv) < 0)
        return err_sys(err, errno, "cannot make a socket");
    pid_t pid = start_child(s, c, sv, err), program = 0;
    close(sv[1]);
    int r = pid < 0 ? -(int)err->code : await_program(s, sv[0], &program, ret_master, ret_exit_code, err);
    close(sv[0]);
    if (pid > 0 && c->enter) {
        if (r < 0)
            kill(pid, SIGKILL);
        waitpid(pid, &status, 0); /* the helper; the program, if there is one, is reaped by the loop */
        if (r == 0 && program <= 0)
            r = err_set(err, E_IO, "the container's limits left no room for the command");
        if (r < 0 && program > 0)
            kill(program, SIGKILL);
        pid = program;
    } else if (pid > 0 && r < 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    if (r < 0 && *ret_master >= 0) {
        close(*ret_master);
        *ret_master = -1;
    }
    if (r == 0)
        *ret_pid = pid;
    return r;
}
