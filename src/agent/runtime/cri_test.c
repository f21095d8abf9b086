/* cri_test.c - the messages of CRI, and a whole pod with containerd where that is installed: a daemon of the test's own, with folders, socket and network configuration of its own.
 *
 * The scenario runs in a process of its own; when that has ended, however it did, its parent ends the daemon and what it started, unmounts and removes everything. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "agent/isolation/cgroup.h"
#include "agent/runtime/cri_call.h"
#include "agent/runtime/cri_config.h"
#include "agent/images/images_test_data.h"
#include "agent/runtime/runtime.h"
#include "agent/images/unpack_tree.h"
#include "base/test.h"
#include "rt/file.h"
#include "rt/net.h"
#include "rt/thread.h"
#include "wire/protobuf.h"

#define PATIENCE_NS (120 * NSEC_PER_SEC)
#define IMAGE "docker.io/test/cri:1"

/* --- messages ------------------------------------------------------------------------------------------------ */

TEST(sandbox_message)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    static const char *const sysctls[] = {"net.core.somaxconn=7", NULL};
    struct sandbox_spec s = {.uid = S("u"), .ns = S("ns"), .name = S("n"), .hostname = "h", .cgroup = "kubepods/podu", .share_pid = true, .host_ipc = true, .sysctls = sysctls,
                             .resolv_conf = "# x\nnameserver 1.1.1.1\nsearch a b\noptions ndots:5 rotate\n"};
    cri_add_sandbox(&b, 1, &s, &(struct cri_place){S("me"), "cox/x", 3});
    str m = cri_bytes(strbuf_str(&b), 1);
    T_EQ_STR(cri_bytes(cri_bytes(m, 1), 2), "u");
    T_EQ_INT(cri_number(cri_bytes(m, 1), 4), 3);
    T_EQ_STR(cri_bytes(m, 2), "h");
    T_EQ_STR(cri_bytes(m, 3), "/");
    T_EQ_STR(cri_bytes(cri_bytes(m, 4), 1), "1.1.1.1");
    T_EQ_STR(cri_bytes(cri_bytes(m, 4), 2), "b");
    T_EQ_STR(cri_bytes(cri_bytes(m, 4), 3), "rotate");
    T_EQ_STR(cri_map_get(m, 6, S(CRI_LABEL_POD)), "u");
    T_EQ_STR(cri_map_get(m, 6, S(CRI_LABEL_AGENT)), "me");
    str linux_part = cri_bytes(m, 8), namespaces = cri_bytes(cri_bytes(linux_part, 2), 1);
    T_EQ_STR(cri_bytes(linux_part, 1), "/cox/x/kubepods/podu");
    T_EQ_STR(cri_map_get(linux_part, 3, S("net.core.somaxconn")), "7");
    T_EQ_INT(cri_number(namespaces, 1), 0);
    T_EQ_INT(cri_number(namespaces, 2), 0);
    T_EQ_INT(cri_number(namespaces, 3), 2);
}

TEST(container_message)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    struct sandbox_spec s = {.uid = S("u"), .host_pid = true};
    static const char *const command[] = {"/bin/x", "y", NULL}, *const env[] = {"A=b=c", NULL};
    static const struct mount_spec mounts[] = {{.kind = MOUNT_TMPFS, .target = "/t"}, {.source = "/src", .target = "/dst", .read_only = true, .propagation = MOUNT_BOTH_WAYS}};
    struct container_spec c = {.sandbox = &s, .name = S("web"), .attempt = 2, .image_ref = S("web:1"), .command = command, .env = env, .cwd = "/w", .mounts = mounts, .nmounts = 2, .log_path = "/var/x/2.log",
                               .has_uid = true, .uid = 0, .caps = 1ull << 10 | 1, .no_new_privs = true, .oom_score_adj = -5, .limits = {.cpu_shares = 9, .memory_bytes = 1 << 20}};
    cri_add_container(&b, 2, &c, &(struct cri_place){S("me"), "cox", 0});
    str m = cri_bytes(strbuf_str(&b), 2), linux_part = cri_bytes(m, 15), resources = cri_bytes(linux_part, 1), security = cri_bytes(linux_part, 2);
    T_EQ_STR(cri_bytes(cri_bytes(m, 1), 1), "web");
    T_EQ_STR(cri_bytes(cri_bytes(m, 2), 1), "web:1");
    T_EQ_STR(cri_bytes(m, 3), "y");
    T_EQ_STR(cri_map_get(m, 6, S("A")), "b=c");
    T_EQ_STR(cri_bytes(cri_bytes(m, 7), 1), "/dst"); /* the only one */
    T_EQ_INT(cri_number(cri_bytes(m, 7), 5), 2);
    T_EQ_STR(cri_map_get(m, 9, S(CRI_LABEL_ATTEMPT)), "2");
    T_EQ_STR(cri_bytes(m, 11), "var/x/2.log");
    T_EQ_INT(cri_number(resources, 3), 9);
    T_EQ_INT(cri_number(resources, 4), 1 << 20);
    T_EQ_INT((int64_t)cri_number(resources, 5), -5);
    T_EQ_STR(cri_bytes(cri_bytes(security, 1), 1), "NET_BIND_SERVICE");
    T_EQ_STR(cri_bytes(cri_bytes(security, 1), 2), "ALL");
    T_EQ_INT(cri_number(cri_bytes(security, 3), 2), 2);
    struct protobuf_reader r = protobuf_reader(security);
    bool has_user = false;
    while (protobuf_next(&r))
        has_user = has_user || r.number == 5; /* zero is said, too */
    T_OK(has_user && !r.bad);
    T_EQ_INT(cri_number(cri_bytes(security, 15), 1), 1);
    s.host_pid = false;
    c.pids_of = S("other");
    strbuf_clear(&b);
    cri_add_container(&b, 2, &c, &(struct cri_place){S("me"), "cox", 0});
    str namespaces = cri_bytes(cri_bytes(cri_bytes(cri_bytes(strbuf_str(&b), 2), 15), 2), 3);
    T_EQ_INT(cri_number(namespaces, 2), 3); /* TARGET */
    T_EQ_STR(cri_bytes(namespaces, 4), "other");
}

TEST(nobody_listens)
{
    struct err err = ERR_NONE;
    struct runtime *r;
    struct loop *l = loop_new("test", &clock_real, &err);
    T_ERR(runtime_cri.open(&(struct runtime_opts){.loop = l, .dir = "/nonexistent", .cgroup_root = "cox", .config = "/nonexistent/socket"}, &r, &err), E_UNAVAILABLE);
    T_OK(strstr(err.msg, "/nonexistent/socket") != NULL);
    loop_free(l);
}

/* --- a daemon of our own ----------------------------------------------------------------------------------------- */

struct daemon {
    char dir[64];
    pid_t pid;
    const char *busybox;
};

static const char *find_program(const char *const *places)
{
    for (; *places; places++) {
        if (access(*places, X_OK) == 0)
            return *places;
    }
    return NULL;
}

static const char *in(const struct daemon *d, const char *name)
{
    static char paths[8][256];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, 256, "%s/%s", d->dir, name);
    return path;
}

static bool write_config(const struct daemon *d)
{
    STRBUF_AUTO b = STRBUF_HEAP;
    strbuf_addf(&b,
                "version = 2\nroot = \"%s/root\"\nstate = \"%s/state\"\ndisabled_plugins = [\"io.containerd.snapshotter.v1.aufs\", \"io.containerd.snapshotter.v1.btrfs\", \"io.containerd.snapshotter.v1.devmapper\", "
                "\"io.containerd.snapshotter.v1.zfs\"]\n[grpc]\naddress = \"%s/s\"\n[plugins.\"io.containerd.internal.v1.opt\"]\npath = \"%s/opt\"\n[plugins.\"io.containerd.grpc.v1.cri\"]\nsandbox_image = \"" IMAGE "\"\n"
                "restrict_oom_score_adj = true\nstream_server_address = \"127.0.0.1\"\nstream_server_port = \"0\"\n[plugins.\"io.containerd.grpc.v1.cri\".cni]\nbin_dir = \"/usr/lib/cni\"\nconf_dir = \"%s/cni\"\n",
                d->dir, d->dir, d->dir, d->dir, d->dir);
    STRBUF_AUTO cni = STRBUF_HEAP;
    strbuf_addf(&cni, "{\"cniVersion\":\"0.4.0\",\"name\":\"test\",\"plugins\":[{\"type\":\"ptp\",\"ipMasq\":false,\"ipam\":{\"type\":\"host-local\",\"dataDir\":\"%s/ipam\",\"ranges\":[[{\"subnet\":\"10.213.77.0/24\"}]]}}]}", d->dir);
    return mkdir(in(d, "cni"), 0700) == 0 && file_write_atomic(in(d, "config.toml"), strbuf_str(&b), 0600, NULL) == 0 && file_write_atomic(in(d, "cni/10-test.conflist"), strbuf_str(&cni), 0600, NULL) == 0;
}

/* A docker archive with busybox; its own command is that of a sandbox: to wait. */
static bool write_image(const struct daemon *d)
{
    static const char *const applets[] = {"sh", "sleep", "cat", "echo", "ip", "id", "stty"};
    CLEANUP(free) char *program = NULL;
    size_t len;
    char diff_id[IMAGE_DIGEST_LEN + 1];
    STRBUF_AUTO layer = STRBUF_HEAP;
    STRBUF_AUTO archive = STRBUF_HEAP;
    if (file_read(d->busybox, 16 << 20, &program, &len, NULL) < 0)
        return false;
    tar_add_header(&layer, '0', "bin/busybox", NULL, len, &(struct tar_spec){.mode = 0755});
    tar_add_data(&layer, str_n(program, len));
    for (size_t i = 0; i < ARRAY_LEN(applets); i++) {
        char name[32];
        snprintf(name, sizeof name, "bin/%s", applets[i]);
        tar_add(&layer, &(struct tar_spec){.type = '2', .name = name, .link = "busybox"});
    }
    tar_end(&layer);
    image_digest_of(strbuf_str(&layer), diff_id);
    ARENA_AUTO a = ARENA_INIT;
    str config = arena_fmt(&a, "{\"architecture\":\"%s\",\"os\":\"linux\",\"config\":{\"Cmd\":[\"/bin/sleep\",\"1000000\"],\"Env\":[\"PATH=/bin\"]},\"rootfs\":{\"type\":\"layers\",\"diff_ids\":[\"%s\"]}}", image_machine(), diff_id);
    str manifest = S("[{\"Config\":\"config.json\",\"RepoTags\":[\"" IMAGE "\"],\"Layers\":[\"0.tar\"]}]");
    const struct { const char *name; str data; } members[] = {{"0.tar", strbuf_str(&layer)}, {"config.json", config}, {"manifest.json", manifest}};
    for (size_t i = 0; i < ARRAY_LEN(members); i++) {
        tar_add_header(&archive, '0', members[i].name, NULL, members[i].data.len, NULL);
        tar_add_data(&archive, members[i].data);
    }
    tar_end(&archive);
    return file_write_atomic(in(d, "image.tar"), strbuf_str(&archive), 0600, NULL) == 0;
}

static bool loopback_up(void)
{
    struct ifreq q = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    FD_AUTO fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return fd >= 0 && ioctl(fd, SIOCSIFFLAGS, &q) == 0;
}

/* The daemon keeps things in places of the machine that no setting moves: it gets empty ones of its own, which go with it, and so do its mounts and links. */
static bool hide_machine(void)
{
    return unshare(CLONE_NEWNS | CLONE_NEWNET) == 0 && loopback_up() && mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("tmpfs", "/run", "tmpfs", 0, NULL) == 0 && mount("tmpfs", "/var/lib", "tmpfs", 0, NULL) == 0;
}

static pid_t spawn(const struct daemon *d, const char *const *argv, bool hidden)
{
    pid_t pid = fork();
    if (pid)
        return pid;
    if (hidden && !hide_machine())
        _exit(126);
    int log = open(in(d, "log"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(log, 1);
    dup2(log, 2);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

static bool run_to_end(const struct daemon *d, const char *const *argv)
{
    int status;
    pid_t pid = spawn(d, argv, false);
    return pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
}

/* Processes that were started for our daemon have its folder on their command line. */
static size_t end_all(const struct daemon *d)
{
    DIR *proc = opendir("/proc");
    size_t n = 0;
    for (struct dirent *e; proc && (e = readdir(proc));) {
        char path[300], line[4096];
        uint64_t pid;
        if (!str_to_u64(str_of(e->d_name), &pid) || (pid_t)pid == getpid())
            continue;
        snprintf(path, sizeof path, "/proc/%s/cmdline", e->d_name);
        FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t len = fd < 0 ? 0 : read(fd, line, sizeof line);
        if (len > 0 && memmem(line, (size_t)len, d->dir, strlen(d->dir))) {
            kill((pid_t)pid, SIGKILL);
            n++;
        }
    }
    if (proc)
        closedir(proc);
    return n;
}

static void clean(struct daemon *d)
{
    struct err err = ERR_NONE;
    for (int i = 0; i < 600 && end_all(d); i++)
        usleep(50000);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
    struct cgroups c;
    cgroups_open(&c, d->dir + 5);
    cgroup_kill(&c, "", PATIENCE_NS);
    err_ignore(cgroup_remove(&c, "", 10 * NSEC_PER_SEC, &err), "what is left is empty");
    T_NO_ERR(tree_remove(AT_FDCWD, d->dir, &err), &err);
}

/* --- the scenario ---------------------------------------------------------------------------------------------------- */

struct world {
    struct daemon *d;
    struct loop *loop;
    struct thread thread;
    struct runtime *r;
    struct arena a;
    _Atomic int changes;
    struct sandbox_spec sandbox;
};

static void on_change(void *arg, str id UNUSED)
{
    atomic_fetch_add(&((struct world *)arg)->changes, 1);
}

static void run_loop(void *arg)
{
    loop_run(((struct world *)arg)->loop);
}

static bool open_runtime(struct world *w)
{
    struct err err = ERR_NONE;
    w->loop = loop_new("test", &clock_real, &err);
    nsec_t end = clock_mono(&clock_real) + PATIENCE_NS;
    struct runtime_opts o = {.loop = w->loop, .dir = w->d->dir, .cgroup_root = w->d->dir + 5, .config = in(w->d, "s"), .on_change = on_change, .arg = w}; /* "/tmp/cox-...": a root of its own */
    int r;
    while ((r = runtime_cri.open(&o, &w->r, &err)) < 0 && clock_mono(&clock_real) < end)
        usleep(50000);
    T_NO_ERR(r, &err);
    return r == 0 && thread_start(&w->thread, "loop", run_loop, w, &err) == 0;
}

static void close_runtime(struct world *w)
{
    loop_stop(w->loop);
    thread_join(&w->thread);
    runtime_cri.close(w->r);
    loop_free(w->loop);
}

static struct container_spec container(struct world *w, const char *name, const char *const *command)
{
    static const char *const env[] = {"PATH=/bin", "WHO=me", NULL};
    char log[64];
    snprintf(log, sizeof log, "%s.log", name);
    return (struct container_spec){.sandbox = &w->sandbox, .name = str_of(name), .image_ref = S(IMAGE), .command = command, .env = env, .log_path = arena_cstr(&w->a, str_of(in(w->d, log))), .caps = 1, .oom_score_adj = 1000};
}

static bool wait_exit(struct world *w, str id, struct container_status *ret)
{
    struct err err = ERR_NONE;
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; clock_mono(&clock_real) < end; usleep(20000)) {
        if (runtime_cri.container_status(w->r, id, &w->a, ret, &err) == 0 && ret->life == CONTAINER_EXITED)
            return true;
    }
    T_FAIL_("the container did not end");
    return false;
}

static void check_container_that_ends(struct world *w)
{
    static const char *const command[] = {"/bin/sh", "-c", "echo hello $WHO; exit 3", NULL};
    struct container_spec c = container(w, "once", command);
    struct container_status s = {0};
    struct err err = ERR_NONE;
    CLEANUP(free) char *log = NULL;
    T_NO_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), &err);
    str id = s.id;
    if (!id.len || !wait_exit(w, id, &s))
        return;
    T_EQ_INT(s.exit_code, 3);
    T_EQ_STR(s.name, "once");
    T_EQ_STR(s.pod_uid, "uid-1");
    T_OK(s.started_at > 0 && s.finished_at >= s.started_at);
    nsec_t end = clock_mono(&clock_real) + PATIENCE_NS;
    while (!atomic_load(&w->changes) && clock_mono(&clock_real) < end)
        usleep(20000);
    T_OK(atomic_load(&w->changes) > 0);
    for (; clock_mono(&clock_real) < end; usleep(20000)) {
        free(TAKE(log));
        if (file_read(c.log_path, 4096, &log, NULL, NULL) == 0 && strstr(log, " stdout F hello me\n"))
            break;
    }
    T_OK(log && strstr(log, " stdout F hello me\n"));
    T_NO_ERR(runtime_cri.container_remove(w->r, id, &err), &err);
    T_NO_ERR(runtime_cri.container_remove(w->r, id, &err), &err); /* twice is fine */
    T_ERR(runtime_cri.container_status(w->r, id, &w->a, &s, &err), E_NOT_FOUND);
}

static void check_exec(struct world *w, str id)
{
    static const char *const good[] = {"sh", "-c", "echo out; echo err >&2; exit 4", NULL}, *const slow[] = {"sleep", "1000", NULL}, *const absent[] = {"/nope", NULL};
    struct err err = ERR_NONE;
    str output = S("");
    int code = -1;
    T_NO_ERR(runtime_exec_sync(w->r, id, good, PATIENCE_NS, &w->a, &output, &code, &err), &err);
    T_EQ_INT(code, 4);
    T_OK(str_find(output, S("out\n")) >= 0 && str_find(output, S("err\n")) >= 0);
    T_ERR(runtime_exec_sync(w->r, id, slow, 300 * NSEC_PER_MSEC, &w->a, &output, &code, &err), E_TIMEOUT);
    T_OK(runtime_exec_sync(w->r, id, absent, PATIENCE_NS, &w->a, &output, &code, &err) < 0 || code != 0);
}

/* --- sessions through the streaming server -------------------------------------------------------------------------- */

/* Reads what has come; false: its end. */
static bool read_some(int fd, struct strbuf *b)
{
    char buf[16384];
    ssize_t n = read(fd, buf, sizeof buf);
    if (n > 0)
        strbuf_add(b, buf, (size_t)n);
    return n > 0 || (n < 0 && errno == EAGAIN);
}

/* Writes the input, then ends it; reads until both outputs have ended. */
static void talk(struct exec_session *x, str input, struct strbuf *out, struct strbuf *errors)
{
    bool reads = x->out >= 0, reads_errors = x->err >= 0;
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; (reads || reads_errors) && clock_mono(&clock_real) < end;) {
        struct pollfd fds[] = {{.fd = x->in, .events = POLLOUT}, {.fd = reads ? x->out : -1, .events = POLLIN}, {.fd = reads_errors ? x->err : -1, .events = POLLIN}};
        poll(fds, 3, 1000);
        if (fds[1].revents)
            reads = read_some(x->out, out);
        if (fds[2].revents)
            reads_errors = read_some(x->err, errors);
        if (!fds[0].revents)
            continue;
        ssize_t n = send(x->in, input.p, MIN(input.len, (size_t)100000), MSG_NOSIGNAL);
        input = n < 0 && errno != EAGAIN ? S("") : str_from(input, (size_t)MAX(n, (ssize_t)0));
        if (!input.len) {
            close(x->in);
            x->in = -1;
        }
    }
    T_OK(!reads && !reads_errors);
}

static void read_until(int fd, struct strbuf *b, const char *what)
{
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; clock_mono(&clock_real) < end && str_find(strbuf_str(b), str_of(what)) < 0;) {
        net_wait(fd, POLLIN, 100 * NSEC_PER_MSEC);
        if (!read_some(fd, b))
            break;
    }
    if (str_find(strbuf_str(b), str_of(what)) < 0)
        T_FAIL_("\"%s\" did not come, but \"%s\"", what, strbuf_cstr(b));
}

/* Megabytes both ways at once, both outputs apart, the exit code. */
static void check_stream_bytes(struct world *w, str id)
{
    static const char *const cat[] = {"sh", "-c", "echo begun >&2; cat; exit 5", NULL}, *const absent[] = {"/nope", NULL};
    STRBUF_AUTO input = STRBUF_HEAP;
    STRBUF_AUTO out = STRBUF_HEAP;
    STRBUF_AUTO errors = STRBUF_HEAP;
    struct err err = ERR_NONE;
    struct exec_session x;
    int code = -1;
    for (uint32_t i = 0, n = 1; i < 1u << 20; i++, n = n * 1664525 + 1013904223)
        strbuf_add(&input, (const char *)&n, sizeof n);
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.argv = cat, .in = true, .out = true, .err = true}, &x, &err), &err);
    talk(&x, strbuf_str(&input), &out, &errors);
    T_NO_ERR(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 5);
    T_OK(str_eq(strbuf_str(&out), strbuf_str(&input)));
    T_EQ_STR(strbuf_str(&errors), "begun\n");
    runtime_cri.exec_close(w->r, &x);
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.argv = absent, .out = true}, &x, &err), &err);
    T_OK(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err) < 0 && strstr(err.msg, "/nope"));
    T_OK(!strstr(err.msg, "error executing command"));
    runtime_cri.exec_close(w->r, &x);
    T_OK(runtime_cri.exec(w->r, S("nobody"), &(struct exec_spec){.argv = cat, .out = true}, &x, &err) < 0);
}

static void check_stream_terminal(struct world *w, str id)
{
    static const char *const shell[] = {"sh", "-c", "test -t 0 || exit 6; echo ready; until [ \"$(stty size)\" = '33 91' ]; do sleep 0.1; done; read x; echo got $x; exit 7", NULL};
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    struct exec_session x;
    int code = -1;
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.argv = shell, .in = true, .out = true, .err = true, .tty = true}, &x, &err), &err);
    T_OK(x.tty && x.in == x.out && x.err == -1);
    T_EQ_INT(runtime_cri.exec_resize(w->r, &x, 10, 10), 0); /* at once: before the streams are answered */
    read_until(x.out, &out, "ready");
    T_EQ_INT(runtime_cri.exec_resize(w->r, &x, 91, 33), 0);
    T_EQ_INT(write(x.in, "word\n", 5), 5);
    read_until(x.out, &out, "got word");
    T_NO_ERR(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 7);
    runtime_cri.exec_close(w->r, &x);
}

/* Whoever goes away while much is under way leaves nothing that waits for them. */
static void check_stream_gone(struct world *w, str id)
{
    static const char *const reader[] = {"sh", "-c", "cat > /dev/null; echo over > /gone", NULL}, *const look[] = {"cat", "/gone", NULL};
    struct err err = ERR_NONE;
    struct exec_session x;
    str output = S("");
    int code = -1;
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.argv = reader, .in = true, .out = true}, &x, &err), &err);
    T_ERR(runtime_cri.exec_finish(w->r, &x, 0, &code, &err), E_TIMEOUT);
    T_EQ_INT(write(x.in, "half", 4), 4);
    runtime_cri.exec_close(w->r, &x);
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; code && clock_mono(&clock_real) < end; usleep(50000))
        T_NO_ERR(runtime_exec_sync(w->r, id, look, PATIENCE_NS, &w->a, &output, &code, &err), &err);
    T_EQ_STR(output, "over\n");
}

/* The container's own process: one looks on, one types, and both see its end. */
static void check_attach(struct world *w)
{
    static const char *const command[] = {"/bin/sh", "-c", "while read line; do echo \"<$line>\"; echo \"[$line]\" >&2; done; exit 9", NULL};
    struct container_spec c = container(w, "typed", command);
    struct container_status s = {0};
    STRBUF_AUTO out = STRBUF_HEAP;
    STRBUF_AUTO errors = STRBUF_HEAP;
    STRBUF_AUTO seen = STRBUF_HEAP;
    struct err err = ERR_NONE;
    struct exec_session x, y;
    int code = -1;
    c.stdin_open = c.stdin_once = true;
    T_NO_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), &err);
    str id = s.id;
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.out = true}, &y, &err), &err);
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.in = true, .out = true, .err = true}, &x, &err), &err);
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; str_find(strbuf_str(&seen), S("<one>")) < 0 && clock_mono(&clock_real) < end; usleep(100000)) { /* until both hang on it */
        T_EQ_INT(write(x.in, "one\n", 4), 4);
        read_some(y.out, &seen);
    }
    read_until(x.out, &out, "<one>\n");
    read_until(x.err, &errors, "[one]\n");
    close(x.in);
    x.in = -1;
    T_NO_ERR(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err), &err);
    T_NO_ERR(runtime_cri.exec_finish(w->r, &y, PATIENCE_NS, &code, &err), &err);
    runtime_cri.exec_close(w->r, &x);
    runtime_cri.exec_close(w->r, &y);
    if (wait_exit(w, id, &s))
        T_EQ_INT(s.exit_code, 9);
}

static void check_attach_terminal(struct world *w)
{
    static const char *const command[] = {"/bin/sh", "-c", "until [ \"$(stty size)\" = '33 91' ]; do sleep 0.1; done; read line; echo got $line; exit 2", NULL};
    struct container_spec c = container(w, "terminal", command);
    struct container_status s = {0};
    STRBUF_AUTO out = STRBUF_HEAP;
    struct err err = ERR_NONE;
    struct exec_session x;
    int code = -1;
    c.stdin_open = c.tty = true;
    T_NO_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), &err);
    str id = s.id;
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.in = true, .out = true, .tty = true}, &x, &err), &err);
    T_EQ_INT(runtime_cri.exec_resize(w->r, &x, 91, 33), 0);
    T_EQ_INT(write(x.in, "word\n", 5), 5);
    read_until(x.out, &out, "got word");
    T_NO_ERR(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err), &err);
    runtime_cri.exec_close(w->r, &x);
    if (wait_exit(w, id, &s))
        T_EQ_INT(s.exit_code, 2);
}

/* A command whose container is killed. */
static void check_stream_end(struct world *w, str id)
{
    static const char *const cat[] = {"cat", NULL};
    struct err err = ERR_NONE;
    struct exec_session x;
    int code = 0;
    T_NO_ERR(runtime_cri.exec(w->r, id, &(struct exec_spec){.argv = cat, .in = true, .out = true}, &x, &err), &err);
    T_NO_ERR(runtime_cri.container_signal(w->r, id, SIGKILL, &err), &err);
    T_OK(runtime_cri.exec_finish(w->r, &x, PATIENCE_NS, &code, &err) < 0 || code == 128 + SIGKILL);
    runtime_cri.exec_close(w->r, &x);
}

/* It runs, is found by the next agent, takes commands, ignores SIGTERM and is killed. */
static void check_container_that_stays(struct world *w)
{
    static const char *const command[] = {"/bin/sh", "-c", "trap '' TERM; while true; do sleep 0.1; done", NULL};
    struct container_spec c = container(w, "stays", command);
    struct container_status s = {0}, *all;
    struct container_usage *usage;
    struct err err = ERR_NONE;
    size_t n = 0;
    T_NO_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), &err);
    str id = s.id;
    T_EQ_INT(s.life, CONTAINER_RUNNING);
    close_runtime(w);
    if (!open_runtime(w))
        return;
    T_NO_ERR(runtime_cri.list(w->r, &w->a, &all, &n, &err), &err);
    T_EQ_INT(n, 1);
    T_OK(n && str_eq(all[0].id, id) && all[0].life == CONTAINER_RUNNING);
    check_exec(w, id);
    check_stream_bytes(w, id);
    check_stream_terminal(w, id);
    check_stream_gone(w, id);
    T_NO_ERR(runtime_cri.stats(w->r, S("uid-1"), &w->a, &usage, &n, &err), &err);
    T_EQ_INT(n, 1);
    T_OK(n && str_is(usage[0].name, "stays"));
    T_NO_ERR(runtime_cri.container_signal(w->r, id, SIGTERM, &err), &err);
    T_NO_ERR(runtime_cri.container_status(w->r, id, &w->a, &s, &err), &err);
    T_EQ_INT(s.life, CONTAINER_RUNNING);
    check_stream_end(w, id);
    if (wait_exit(w, id, &s))
        T_EQ_INT(s.signal, SIGKILL);
}

/* Who it runs as is the image's matter, and the image says root; a privileged one needs a sandbox that was told. */
static void check_rights(struct world *w)
{
    static const char *const command[] = {"/bin/sh", "-c", "exit 0", NULL};
    struct container_spec c = container(w, "rights", command);
    struct container_status s = {0};
    struct err err = ERR_NONE;
    c.must_be_non_root = true;
    T_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), E_FORBIDDEN);
    T_OK(strstr(err.msg, "will run as root") != NULL);
    c.must_be_non_root = false;
    c.privileged = true;
    T_NO_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), &err);
    if (s.id.len && wait_exit(w, s.id, &s))
        T_NO_ERR(runtime_cri.container_remove(w->r, s.id, &err), &err);
}

static void check_pod(struct world *w)
{
    static const char *const nope[] = {"/nope", NULL};
    struct container_spec c = container(w, "nope", nope);
    struct sandbox_status st = {0}, again = {0};
    struct container_status s, *all;
    struct err err = ERR_NONE;
    size_t n;
    T_NO_ERR(runtime_cri.sandbox_start(w->r, &w->sandbox, &w->a, &st, &err), &err);
    if (!st.uid.len)
        return;
    T_OK(str_has_prefix(st.ip, S("10.213.77.")));
    T_NO_ERR(runtime_cri.sandbox_start(w->r, &w->sandbox, &w->a, &again, &err), &err); /* the same one */
    T_OK(str_eq(st.ip, again.ip));
    const char *netns = NULL;
    T_NO_ERR(runtime_cri.netns(w->r, S("uid-1"), &w->a, &netns, &err), &err);
    T_OK(netns && strstr(netns, "netns")); /* in the daemon's own view of the machine */
    check_rights(w);
    check_container_that_ends(w);
    check_container_that_stays(w);
    check_attach(w);
    check_attach_terminal(w);
    T_ERR(runtime_cri.container_start(w->r, &c, &w->a, &s, &err), E_NOT_FOUND);
    T_NO_ERR(runtime_cri.sandbox_remove(w->r, S("uid-1"), &err), &err);
    T_NO_ERR(runtime_cri.sandbox_remove(w->r, S("uid-1"), &err), &err);
    T_ERR(runtime_cri.netns(w->r, S("uid-1"), &w->a, &netns, &err), E_NOT_FOUND);
    T_NO_ERR(runtime_cri.list(w->r, &w->a, &all, &n, &err), &err);
    T_EQ_INT(n, 0);
}

/* A registry that notes who asks, and has nothing. */
struct keeper {
    int fd;
    _Atomic bool is_known;
};

static void *keep(void *arg)
{
    struct keeper *k = arg;
    for (int fd; (fd = accept(k->fd, NULL, NULL)) >= 0; close(fd)) {
        static const char reply[] = "HTTP/1.1 401 Unauthorized\r\nWww-Authenticate: Basic realm=\"here\"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        char request[4096];
        ssize_t n = recv(fd, request, sizeof request - 1, 0);
        request[MAX(n, (ssize_t)0)] = 0;
        if (strcasestr(request, "authorization: basic bWU6cHc=")) /* me:pw */
            k->is_known = true;
        err_ignore((int)send(fd, reply, sizeof reply - 1, MSG_NOSIGNAL), "the daemon tells");
    }
    return NULL;
}

/* Credentials come to the registry, each in its turn. */
static void check_pull_secrets(struct world *w)
{
    struct err err = ERR_NONE;
    struct keeper k = {0};
    uint16_t port;
    pthread_t t;
    str id;
    const struct image_auth auths[] = {{.username = S("you"), .password = S("x")}, {.username = S("me"), .password = S("pw")}};
    /* the daemon has a network of its own, and that is where it asks */
    FD_AUTO here = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
    FD_AUTO there = open(arena_fmt(&w->a, "/proc/%d/ns/net", (int)w->d->pid).p, O_RDONLY | O_CLOEXEC);
    T_EQ_INT(setns(there, CLONE_NEWNET), 0);
    T_NO_ERR(net_listen_tcp("127.0.0.1:0", &k.fd, &port, &err), &err);
    T_EQ_INT(setns(here, CLONE_NEWNET), 0);
    fcntl(k.fd, F_SETFL, 0);
    pthread_create(&t, NULL, keep, &k);
    T_OK(runtime_cri.pull_image(w->r, arena_fmt(&w->a, "127.0.0.1:%u/private:1", port), "Always", auths, 2, &w->a, &id, &err) < 0);
    T_OK(k.is_known);
    shutdown(k.fd, SHUT_RDWR);
    pthread_join(t, NULL);
    close(k.fd);
}

static void scenario(struct daemon *d)
{
    struct world w = {.d = d};
    struct err err = ERR_NONE;
    str id = S("");
    w.sandbox = (struct sandbox_spec){.uid = S("uid-1"), .ns = S("default"), .name = S("pod-1"), .hostname = "pod-1", .has_privileged = true, .resolv_conf = "nameserver 9.9.9.9\n", .cgroup = "kubepods/poduid-1"};
    if (!open_runtime(&w))
        return;
    T_OK(strstr(runtime_cri.version(w.r), "containerd") != NULL);
    FD_AUTO network = open(arena_fmt(&w.a, "/proc/%d/ns/net", (int)d->pid).p, O_RDONLY | O_CLOEXEC); /* the streaming server listens on its loopback */
    T_EQ_INT(setns(network, CLONE_NEWNET), 0);
    const char *import[] = {"/usr/bin/ctr", "-a", in(d, "s"), "-n", "k8s.io", "images", "import", in(d, "image.tar"), NULL};
    T_OK(run_to_end(d, import));
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; clock_mono(&clock_real) < end; usleep(50000)) { /* the daemon notices a moment later */
        if (runtime_cri.pull_image(w.r, S(IMAGE), "IfNotPresent", NULL, 0, &w.a, &id, &err) == 0)
            break;
    }
    T_OK(id.len > 0);
    str other = S("");
    T_ERR(runtime_cri.pull_image(w.r, S("Bad Name"), "IfNotPresent", NULL, 0, &w.a, &other, &err), E_INVALID_ARG);
    T_ERR(runtime_cri.pull_image(w.r, S("127.0.0.1:1/none:1"), "Never", NULL, 0, &w.a, &other, &err), E_NOT_FOUND);
    T_OK(strstr(err.msg, "pull policy of Never") != NULL);
    T_OK(runtime_cri.pull_image(w.r, S("127.0.0.1:1/none:1"), "IfNotPresent", NULL, 0, &w.a, &other, &err) < 0);
    T_NO_ERR(runtime_cri.pull_image(w.r, S(IMAGE), "Never", NULL, 0, &w.a, &other, &err), &err);
    T_OK(str_eq(other, id));
    check_pull_secrets(&w);
    if (id.len)
        check_pod(&w);
    close_runtime(&w);
    arena_fini(&w.a);
}

static bool can_run(struct daemon *d)
{
    static const char *const daemons[] = {"/usr/bin/containerd", NULL}, *const clients[] = {"/usr/bin/ctr", NULL}, *const runners[] = {"/usr/sbin/runc", "/usr/bin/runc", NULL},
                             *const plugins[] = {"/usr/lib/cni/ptp", NULL}, *const busyboxes[] = {"/bin/busybox", "/usr/bin/busybox", NULL};
    d->busybox = find_program(busyboxes);
    if (geteuid() == 0 && find_program(daemons) && find_program(clients) && find_program(runners) && find_program(plugins) && d->busybox)
        return true;
    printf("# skipped: containerd, ctr, runc, CNI's ptp and busybox-static are needed, and root\n");
    return false;
}

TEST(containerd_runs_a_pod)
{
    struct daemon d = {0};
    int status = 1;
    if (!can_run(&d))
        return;
    snprintf(d.dir, sizeof d.dir, "%s", T_TMPDIR());
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    BUG_ON(!write_config(&d) || !write_image(&d));
    const char *argv[] = {"/usr/bin/containerd", "-c", in(&d, "config.toml"), NULL};
    d.pid = spawn(&d, argv, true);
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        scenario(&d);
        fflush(stdout);
        _exit(test_failures_ ? 1 : 0);
    }
    T_OK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
    if (status) {
        CLEANUP(free) char *log = NULL;
        if (file_read(in(&d, "log"), 64 << 20, &log, NULL, NULL) == 0)
            printf("# the daemon's log ends with\n%s\n", log + (strlen(log) > 3000 ? strlen(log) - 3000 : 0));
    }
    clean(&d);
}

TEST_MAIN(sandbox_message, container_message, nobody_listens, containerd_runs_a_pod)
