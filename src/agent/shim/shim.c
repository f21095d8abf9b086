/* shim.c - start, loop and end of a shim.
 *
 *   read spec.json ─► pipes or a terminal ─► start ─► state.json, report ─► loop: output, requests, children ─► exit.json ─► end */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/shim/shim.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/shim/shim_internal.h"
#include "base/log.h"
#include "rt/file.h"
#include "rt/net.h"

#define READ_BYTES (64u << 10)
#define END_PATIENCE_NS (2 * NSEC_PER_SEC)    /* for attached clients that still read */
#define KILL_PATIENCE_NS (30 * NSEC_PER_SEC)
#define PAUSE_ID 65535 /* user and group: nobody's */

int shim_exit_code(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* --- messages with descriptors ------------------------------------------------------------------------------------- */

union fd_space {
    struct cmsghdr head;
    char bytes[CMSG_SPACE(3 * sizeof(int))];
};

int shim_send(int sock, str bytes, const int *fds, size_t nfds)
{
    struct iovec iov = {.iov_base = (void *)(uintptr_t)bytes.p, .iov_len = bytes.len};
    union fd_space space = {0};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};
    if (nfds) {
        m.msg_control = space.bytes;
        m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
        struct cmsghdr *h = CMSG_FIRSTHDR(&m);
        h->cmsg_level = SOL_SOCKET;
        h->cmsg_type = SCM_RIGHTS;
        h->cmsg_len = CMSG_LEN(nfds * sizeof(int));
        memcpy(CMSG_DATA(h), fds, nfds * sizeof(int));
    }
    return sendmsg(sock, &m, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

ssize_t shim_recv(int sock, void *buf, size_t cap, int *ret_fds, size_t *ret_nfds)
{
    struct iovec iov = {.iov_base = buf, .iov_len = cap};
    union fd_space space = {0};
    struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = space.bytes, .msg_controllen = sizeof space.bytes};
    ssize_t n = recvmsg(sock, &m, MSG_CMSG_CLOEXEC);
    if (n < 0)
        return -errno;
    size_t got = 0;
    for (struct cmsghdr *h = CMSG_FIRSTHDR(&m); h; h = CMSG_NXTHDR(&m, h)) {
        if (h->cmsg_level != SOL_SOCKET || h->cmsg_type != SCM_RIGHTS)
            continue;
        size_t here = (h->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        int fds[3];
        memcpy(fds, CMSG_DATA(h), MIN(here, (size_t)3) * sizeof(int));
        for (size_t i = 0; i < here && i < 3; i++) {
            if (ret_fds && got < 3)
                ret_fds[got++] = fds[i];
            else
                close(fds[i]);
        }
    }
    if (ret_nfds)
        *ret_nfds = got;
    return n;
}

/* --- start ------------------------------------------------------------------------------------------------------------ */

static int load_spec(struct shim *s, const char *dir, struct err *err)
{
    char path[4096], *text;
    size_t len;
    snprintf(path, sizeof path, "%s/spec.json", dir);
    int r = file_read(path, SHIM_SPEC_BYTES, &text, &len, err); /* the spec points into it */
    if (r == 0)
        r = shim_spec_parse(&s->arena, str_n(text, len), &s->spec, err);
    s->dir_fd = r < 0 ? -1 : open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (r == 0 && s->dir_fd < 0)
        r = err_sys(err, errno, "cannot open %s", dir);
    return r;
}

static int open_signals(struct shim *s, struct err *err)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigprocmask(SIG_BLOCK, &set, NULL);
    static const int ignored[] = {SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGQUIT}; /* those are for the agent or the container, never for us */
    for (size_t i = 0; i < ARRAY_LEN(ignored); i++)
        signal(ignored[i], SIG_IGN);
    s->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    s->self_pid_ns = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
    return s->signal_fd < 0 || s->self_pid_ns < 0 ? err_sys(err, errno, "cannot watch signals") : 0;
}

static void set_nonblock(int fd)
{
    if (fd >= 0)
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* Our ends in s, the container's in io. */
static int make_pipes(struct shim *s, struct shim_stdio *io, struct err *err)
{
    *io = (struct shim_stdio){.fd = {-1, -1, -1}, .tty = s->spec.c.tty};
    int p[2];
    for (int i = 0; i < 3 && !io->tty; i++) {
        if (i == 0 && !s->spec.c.stdin_open)
            continue;
        if (pipe2(p, O_CLOEXEC) < 0)
            return err_sys(err, errno, "cannot make a pipe");
        io->fd[i] = p[i ? 1 : 0];
        *(i ? &s->out[i - 1] : &s->in) = p[i ? 0 : 1];
    }
    set_nonblock(s->in);
    set_nonblock(s->out[0]);
    set_nonblock(s->out[1]);
    return 0;
}

static void close_pipes(struct shim_stdio *io)
{
    for (int i = 0; i < 3; i++) {
        if (io->fd[i] >= 0)
            close(io->fd[i]);
        io->fd[i] = -1;
    }
}

static int start_container(struct shim *s, int *ret_exit_code, struct err *err)
{
    struct shim_stdio io;
    int master = -1, r = make_pipes(s, &io, err);
    *ret_exit_code = 128;
    if (r == 0 && s->spec.pid_ns) {
        s->pid_ns = open(s->spec.pid_ns, O_RDONLY | O_CLOEXEC);
        r = s->pid_ns < 0 ? err_sys(err, errno, "cannot open the pod's pid namespace") : 0;
    }
    if (r == 0 && s->spec.oci)
        r = shim_oci_start(s, &io, &s->pid, &master, ret_exit_code, err);
    else if (r == 0)
        r = shim_child_start(s, &(struct shim_child){.argv = s->spec.c.argv, .io = io}, &s->pid, &master, ret_exit_code, err);
    close_pipes(&io);
    if (r < 0)
        return r;
    if (s->spec.c.tty) {
        s->out[0] = master;
        s->in = s->spec.c.stdin_open ? master : -1;
        set_nonblock(master);
    }
    if (s->pid_ns < 0 && !s->spec.sandbox.host_pid) {
        char path[64];
        snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)s->pid);
        s->pid_ns = open(path, O_RDONLY | O_CLOEXEC); /* it may be gone already */
    }
    return 0;
}

/* --- memory ------------------------------------------------------------------------------------------------------------- */

/* Gives back the pages of code that only the start needed; they are read from the page cache again when called.  Only segments that cannot be written: those hold no relocated data. */
static int drop_segments(struct dl_phdr_info *info, size_t size, void *arg)
{
    (void)size;
    (void)arg;
    long page = sysconf(_SC_PAGESIZE);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *h = &info->dlpi_phdr[i];
        if (h->p_type != PT_LOAD || (h->p_flags & PF_W) || !info->dlpi_addr)
            continue;
        uintptr_t at = (info->dlpi_addr + h->p_vaddr) & ~(uintptr_t)(page - 1);
        madvise((void *)at, h->p_memsz, MADV_DONTNEED);
    }
    return 0;
}

static void shrink(void)
{
    malloc_trim(0);
    dl_iterate_phdr(drop_segments, NULL);
}

/* --- loop ----------------------------------------------------------------------------------------------------------------- */

/* False: nothing (more) to read now. */
static bool pump(struct shim *s, unsigned stream)
{
    static char buf[READ_BYTES];
    if (s->out[stream] < 0)
        return false;
    ssize_t n = read(s->out[stream], buf, sizeof buf);
    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (n <= 0) { /* EIO: nobody has the terminal open; somebody may again while the program lives */
        if (s->spec.c.tty && !s->has_ended && n < 0 && errno == EIO)
            return false;
        if (s->in == s->out[stream])
            s->in = -1;
        close(s->out[stream]);
        s->out[stream] = -1;
        return false;
    }
    shim_log_write(&s->log, stream, str_n(buf, (size_t)n), clock_wall(&clock_real), clock_mono(&clock_real));
    shim_requests_output(s, stream, str_n(buf, (size_t)n));
    return true;
}

static void reap(struct shim *s)
{
    struct signalfd_siginfo info[8];
    while (read(s->signal_fd, info, sizeof info) > 0)
        ;
    int status;
    for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
        if (pid == s->pid) {
            s->status = status;
            s->has_ended = true;
        } else {
            shim_requests_reaped(s, pid, status);
        }
    }
}

static void flush_stdin(struct shim *s)
{
    while (s->in >= 0 && s->in_pending.len) {
        ssize_t n = write(s->in, s->in_pending.p, s->in_pending.len);
        if (n < 0 && errno == EAGAIN)
            return;
        if (n <= 0) {
            strbuf_clear(&s->in_pending); /* it has closed its input */
            return;
        }
        strbuf_splice(&s->in_pending, 0, (size_t)n, STR_NONE);
    }
}

static void run_until_end(struct shim *s)
{
    while (!s->has_ended) {
        struct pollfd fds[5 + SHIM_CLIENTS * SHIM_POLL_PER_CLIENT];
        size_t n = 0;
        nsec_t wait = shim_log_wait_ns(&s->log, clock_mono(&clock_real));
        fds[n++] = (struct pollfd){.fd = s->signal_fd, .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = wait ? -1 : s->out[0], .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = wait ? -1 : s->out[1], .events = POLLIN};
        fds[n++] = (struct pollfd){.fd = s->in_pending.len ? s->in : -1, .events = POLLOUT};
        n += shim_requests_poll(s, fds + n);
        struct timespec ts = {.tv_sec = wait / NSEC_PER_SEC, .tv_nsec = wait % NSEC_PER_SEC};
        if (ppoll(fds, n, wait ? &ts : NULL, NULL) < 0 && errno != EINTR)
            return;
        if (fds[0].revents)
            reap(s);
        bool hung = fds[1].revents && !pump(s, 0) && (fds[1].revents & POLLHUP) && s->out[0] >= 0;
        if (fds[2].revents)
            pump(s, 1);
        if (fds[3].revents)
            flush_stdin(s);
        shim_requests_run(s, fds + 4, n - 4);
        if (hung && !s->has_ended) /* a terminal that nobody holds open polls as ready all the time */
            nanosleep(&(struct timespec){.tv_nsec = 20 * NSEC_PER_MSEC}, NULL);
    }
}

/* What the program left: its pid namespace is dead with it, a shared one may hold more of the container. */
static void kill_rest(struct shim *s)
{
    cgroup_kill(&s->spec.cgroups, s->spec.c.cgroup, KILL_PATIENCE_NS);
    reap(s);
}

static void drain(struct shim *s)
{
    /* Bounded: a process outside that holds the pipe could write for ever. */
    for (unsigned stream = 0; stream < 2; stream++) {
        for (int i = 0; i < 256 && pump(s, stream); i++)
            ;
    }
    shim_log_close(&s->log, clock_wall(&clock_real));
}

static void finish(struct shim *s)
{
    kill_rest(s);
    drain(s);
    bool killed = WIFSIGNALED(s->status) && WTERMSIG(s->status) == SIGKILL;
    int code = shim_exit_code(s->status);
    bool oom = (killed || code) && cgroup_oom_kills(&s->spec.cgroups, s->spec.c.cgroup) > 0;
    struct shim_exit e = {.exit_code = code,
                          .signal = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0,
                          .oom = oom,
                          .started_at = s->started_at,
                          .finished_at = clock_wall(&clock_real),
                          .reason = oom ? S("OOMKilled") : STR_NONE};
    struct err err = ERR_NONE;
    if (shim_exit_write(s->spec.c.dir, &e, &err) < 0)
        log_error("cannot record how the container ended", KV("error", "%s", err.msg));
    shim_requests_close(s, code);
    if (s->spec.oci)
        shim_oci_delete(s);
    nsec_t end = clock_mono(&clock_real) + END_PATIENCE_NS;
    while (!shim_requests_are_idle(s) && clock_mono(&clock_real) < end) {
        struct pollfd fds[SHIM_CLIENTS * SHIM_POLL_PER_CLIENT + 1];
        size_t n = shim_requests_poll(s, fds);
        if (poll(fds, n, 100) > 0)
            shim_requests_run(s, fds, n);
    }
}

/* --- main --------------------------------------------------------------------------------------------------------------------- */

static void report(const struct shim *s, int code, int exit_code, const char *msg)
{
    struct arena a = ARENA_SMALL(2048);
    struct json o = json_object();
    json_set(&a, &o, S("code"), json_int(&a, code));
    json_set(&a, &o, S("exitCode"), json_int(&a, exit_code));
    json_set(&a, &o, S("pid"), json_int(&a, s->pid));
    json_set(&a, &o, S("startedAt"), json_int(&a, s->started_at));
    json_set(&a, &o, S("message"), json_string(str_is_utf8(str_of(msg)) ? str_of(msg) : S("the program could not be started")));
    shim_send(SHIM_REPORT_FD, json_text(&a, &o), NULL, 0);
    arena_fini(&a);
    close(SHIM_REPORT_FD);
}

static int start(struct shim *s, const char *dir, int *ret_exit_code, struct err *err)
{
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); /* a child that has entered the container still holds our descriptors for a moment */
    *ret_exit_code = 128;
    int r = load_spec(s, dir, err);
    if (r == 0)
        r = open_signals(s, err);
    struct shim_state state = {.shim = getpid(), .shim_start = shim_proc_start(getpid())};
    if (r == 0)
        r = shim_state_write(s->spec.c.dir, &state, err); /* an agent that dies now finds us */
    if (r == 0 && faccessat(s->dir_fd, "exit.json", F_OK, 0) == 0) /* ... and one that came before that has given us up */
        r = err_set(err, E_CONFLICT, "the container was given up before it started");
    if (r == 0)
        r = shim_log_open(&s->log, s->spec.c.log_path, s->spec.c.log_max_bytes, s->spec.c.log_max_files, err);
    if (r == 0)
        r = shim_requests_open(s, err);
    if (r == 0)
        r = start_container(s, ret_exit_code, err);
    if (r < 0)
        return r;
    s->started_at = clock_wall(&clock_real);
    state.pid = s->pid;
    state.pid_start = shim_proc_start(s->pid);
    state.started_at = s->started_at;
    return shim_state_write(s->spec.c.dir, &state, err);
}

static int run_shim(const char *dir)
{
    static struct shim s = {.dir_fd = -1, .listen_fd = -1, .signal_fd = -1, .self_pid_ns = -1, .pid_ns = -1, .out = {-1, -1}, .in = -1};
    s.arena = ARENA_SMALL(32u << 10);
    s.log.fd_ = -1;
    for (size_t i = 0; i < SHIM_CLIENTS; i++)
        s.clients[i] = (struct shim_client){.fd = -1};
    struct err err = ERR_NONE;
    int exit_code, r = start(&s, dir, &exit_code, &err);
    if (r < 0) {
        if (s.spec.c.cgroup)
            cgroup_kill(&s.spec.cgroups, s.spec.c.cgroup, KILL_PATIENCE_NS);
        if (s.spec.oci)
            shim_oci_delete(&s);
        report(&s, err.code ? err.code : E_IO, exit_code, err.msg);
        return 1;
    }
    report(&s, 0, 0, "");
    /* Not before: the caller does not wait for this. */
    err_ignore(cgroup_enter(&s.spec.cgroups, "shims", &err), "it then stays where the agent is");
    shrink();
    run_until_end(&s);
    finish(&s);
    return 0;
}

/* The containers see this process as their number 1, and one with CAP_SYS_PTRACE may look through it: /proc/1/root, /proc/1/fd, /proc/1/ns.  So it has nothing: an empty root, namespaces of its own, no rights,
 * no descriptor but `keep`. */
static bool pause_isolate(int keep)
{
    static const unsigned long ro = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
    if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return false;
    /* Over /proc, which is there for sure; the old root goes with it. */
    if (mount("none", "/proc", "tmpfs", ro, "mode=555,size=4k") < 0 || chdir("/proc") < 0 || syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return false;
    if (keep != 0 && dup2(keep, 0) < 0)
        return false;
    if (syscall(SYS_close_range, 1, ~0u, 0) < 0)
        return false;
    for (int cap = 0; cap < 64 && prctl(PR_CAPBSET_READ, cap, 0, 0, 0) >= 0; cap++)
        prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return setgroups(0, NULL) == 0 && setresgid(PAUSE_ID, PAUSE_ID, PAUSE_ID) == 0 && setresuid(PAUSE_ID, PAUSE_ID, PAUSE_ID) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

/* The first process of a pid namespace that a pod's containers share: reaps, and is there. */
static void NORETURN pause_for_ever(const char *cgroup_root, int sync)
{
    struct cgroups c;
    struct err err = ERR_NONE;
    char go;
    cgroups_open(&c, cgroup_root);
    err_ignore(cgroup_enter(&c, "shims", &err), "it then stays where the agent is");
    prctl(PR_SET_NAME, "cox-pause");
    signal(SIGCHLD, SIG_IGN); /* children vanish by themselves */
    if (!pause_isolate(sync) || write(0, "r", 1) != 1 || read(0, &go, 1) != 1) /* our parent could not bind the namespace: go with it */
        _exit(1);
    close(0);
    shrink();
    for (;;)
        pause();
}

static int run_pause(const char *ns_file, const char *cgroup_root)
{
    char path[64], text[32];
    int fd = open(ns_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
    int sync[2];
    char ready;
    if (unshare(CLONE_NEWPID) < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sync) < 0)
        return 1;
    pid_t pid = fork();
    if (pid == 0) {
        close(sync[1]);
        pause_for_ever(cgroup_root, sync[0]);
    }
    close(sync[0]);
    snprintf(path, sizeof path, "/proc/%d/ns/pid", (int)pid);
    if (pid < 0 || read(sync[1], &ready, 1) != 1 || mount(path, ns_file, NULL, MS_BIND, NULL) < 0 || send(sync[1], "g", 1, MSG_NOSIGNAL) != 1)
        return 1;
    snprintf(text, sizeof text, "%d", (int)pid);
    return shim_send(SHIM_REPORT_FD, str_of(text), NULL, 0) < 0;
}

int shim_main(int argc, char **argv)
{
    close(SHIM_REPORT_FD + 1); /* this program's own file */
    fcntl(SHIM_REPORT_FD, F_SETFD, FD_CLOEXEC); /* an OCI runtime that is started has no use for it */
    prctl(PR_SET_NAME, "cox-shim");
    int status = argc == 4 && strcmp(argv[1], "pause") == 0 ? run_pause(argv[2], argv[3]) : argc == 2 ? run_shim(argv[1]) : 2;
    _exit(status); /* nothing of the program around us was set up */
}
