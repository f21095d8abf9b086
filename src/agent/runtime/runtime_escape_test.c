/* runtime_escape_test.c - ways out of a container that others have found, tried here: descriptors and working directories of the machine, the process that keeps a shared pid namespace, nodes of the machine's devices,
 * keys, sysctls.  Each case is harmless where it fails: it looks, and changes nothing that it does not put back. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_testing.h"

#include <linux/keyctl.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#define LAST_FD 24 /* a shim has fewer descriptors than this */

static bool has(str text, const char *what)
{
    return str_find(text, str_of(what)) >= 0;
}

static void show(str text)
{
    printf("# " STR_FMT "\n", STR_ARG(text));
}

/* A working directory that the container turns into a link to a descriptor of whoever enters it: an exec must not end in a folder of the machine. */
static void case_exec_working_directory(struct fixture *f)
{
    for (int fd = 3; fd <= LAST_FD; fd++) {
        struct err err = ERR_NONE;
        str out = STR_NONE;
        int code = -1;
        fix_script(f, arena_fmt(&f->a, "cd /; rmdir /tmp/w; ln -s /proc/self/fd/%d /tmp/w; echo ready; while :; do sleep 1; done", fd).p);
        f->c.cwd = "/tmp/w";
        str id = fix_start(f);
        T_UNTIL(has(fix_log(f), "ready") || test_failures_);
        const char *const look[] = {"sh", "-c", "ls -a .; readlink /proc/self/cwd", NULL};
        int r = runtime_exec_sync(f->r, id, look, PATIENCE_NS, &f->a, &out, &code, &err);
        bool leaks = r == 0 && (has(out, "spec.json") || has(out, "shim.sock") || has(out, "unreachable"));
        T_OK(!leaks);
        if (leaks)
            show(out);
        T_NO_ERR(f->ops->container_remove(f->r, id, &err), &err);
        if (test_failures_)
            return;
    }
}

/* The same when the container starts: the link lies in a volume. */
static void case_start_working_directory(struct fixture *f)
{
    const char *volume = fix_path(f, "volume");
    struct err err = ERR_NONE;
    struct container_status s;
    T_NO_ERR(file_mkdir_all(volume, 0755, &err), &err);
    for (int fd = 3; fd <= LAST_FD; fd++) {
        const struct mount_spec mounts[] = {{.kind = MOUNT_BIND, .source = volume, .target = "/volume"}};
        const char *link = arena_fmt(&f->a, "%s/w", volume).p;
        unlink(link);
        T_EQ_INT(symlink(arena_fmt(&f->a, "/proc/self/fd/%d", fd).p, link), 0);
        fix_script(f, "ls -a .");
        f->c.mounts = mounts;
        f->c.nmounts = 1;
        f->c.cwd = "/volume/w";
        T_OK(f->ops->container_start(f->r, &f->c, &f->a, &s, &err) < 0);
    }
}

static void case_working_directory_in_proc(struct fixture *f)
{
    struct container_status s;
    struct err err = ERR_NONE;
    static const char *const places[] = {"/proc/self/fd/7", "/proc/self/fd/3", "/proc", "/tmp/../proc/self"};
    for (size_t i = 0; i < ARRAY_LEN(places); i++) {
        fix_script(f, "ls");
        f->c.cwd = places[i];
        int r = f->ops->container_start(f->r, &f->c, &f->a, &s, &err);
        if (r == 0) /* the container's own /proc is fine where nothing of the machine's is open */
            fix_wait(f, s.id);
        T_OK(r < 0 || (f->ops == &runtime_process && (i == 2 || i == 3)));
    }
}

static void case_descriptors(struct fixture *f)
{
    struct err err = ERR_NONE;
    str out = STR_NONE;
    int code = -1;
    fix_script(f, "for n in /proc/self/fd/*; do echo fd $n; done; while :; do sleep 1; done");
    str id = fix_start(f);
    T_UNTIL(has(fix_log(f), "fd/2") || test_failures_);
    T_OK(!has(fix_log(f), "fd/4")); /* 3: the shell's, of the folder */
    const char *const look[] = {"sh", "-c", "echo /proc/self/fd/*; grep -c . /proc/self/status >/dev/null; grep PPid /proc/self/status", NULL};
    T_NO_ERR(runtime_exec_sync(f->r, id, look, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_OK(has(out, "fd/2") && !has(out, "fd/4"));
}

/* CAP_SYS_PTRACE in a pod that shares its pid namespace, as the usual tools for debugging want it. */
static void case_pause(struct fixture *f)
{
    fix_end_pods(f);
    f->sandbox.share_pid = true;
    fix_pod(f);
    fix_script(f, "cat /proc/1/comm; echo root $(ls -A /proc/1/root/ 2>/dev/null | wc -l); echo fds $(ls /proc/1/fd 2>/dev/null | wc -l); grep -E 'CapBnd|CapPrm|^Uid' /proc/1/status; "
                  "[ \"$(readlink /proc/1/ns/net)\" != \"$(readlink /proc/self/ns/net)\" ] && echo other net");
    f->c.caps |= 1ull << CAP_SYS_PTRACE;
    f->c.seccomp = SECCOMP_UNCONFINED;
    str log = fix_output(f);
    T_OK(has(log, "out cox-pause\n"));
    T_OK(has(log, "out root 0\n"));
    T_OK(has(log, "out fds 0\n"));
    T_OK(has(log, "out CapPrm:\t0000000000000000\n"));
    T_OK(has(log, "out CapBnd:\t0000000000000000\n"));
    T_OK(has(log, "out Uid:\t65535\t"));
    T_OK(has(log, "out other net\n")); /* the container has the machine's here */
    if (test_failures_)
        show(log);
}

/* The nodes that hide parts of /proc are the machine's: their mode and owner are not the container's to set. */
static void case_hidden_nodes(struct fixture *f)
{
    struct stat before, after;
    T_EQ_INT(stat("/dev/null", &before), 0);
    fix_script(f, "for n in /proc/kcore /proc/keys /proc/timer_list /dev/null /dev/zero; do chmod 640 $n; chown 1:1 $n; done 2>/dev/null; echo x > /dev/null && echo writes; cat /proc/kcore | wc -c");
    str log = fix_output(f);
    T_OK(has(log, "out writes\n"));
    T_EQ_INT(stat("/dev/null", &after), 0);
    T_EQ_INT(after.st_mode, before.st_mode);
    T_EQ_INT(after.st_uid, before.st_uid);
    if (after.st_mode != before.st_mode || after.st_uid != before.st_uid) {
        T_EQ_INT(chmod("/dev/null", before.st_mode & 07777), 0);
        T_EQ_INT(chown("/dev/null", before.st_uid, before.st_gid), 0);
    }
}

/* An image of a shell and nothing else; NULL: there is none on this machine. */
static const char *make_image(struct fixture *f)
{
    struct err err = ERR_NONE;
    char *busybox CLEANUP(free) = NULL;
    size_t len = 0;
    T_NO_ERR(file_mkdir_all(fix_path(f, "layer/bin"), 0755, &err), &err);
    T_NO_ERR(file_mkdir_all(fix_path(f, "layer/etc"), 0755, &err), &err);
    if (file_read(file_exists("/bin/busybox") ? "/bin/busybox" : "/usr/bin/busybox", 16u << 20, &busybox, &len, &err) < 0) {
        printf("# skipped: no busybox here\n");
        return NULL;
    }
    T_NO_ERR(file_write_atomic(fix_path(f, "layer/bin/sh"), str_n(busybox, len), 0755, &err), &err);
    return fix_path(f, "layer");
}

/* An exec is who the container started as, whatever its /etc/passwd says by now. */
static void case_exec_user(struct fixture *f)
{
    struct err err = ERR_NONE;
    const char *const layers[] = {make_image(f), NULL};
    if (!layers[0])
        return;
    T_NO_ERR(file_write_atomic(fix_path(f, "layer/etc/passwd"), S("web:x:77:78::/:/bin/sh\n"), 0666, &err), &err);
    T_EQ_INT(chmod(fix_path(f, "layer/etc/passwd"), 0666), 0);
    fix_script(f, "echo 'web:x:0:0::/:/bin/sh' > /etc/passwd && echo ready; read never");
    f->c.root = ROOT_LAYERS;
    f->c.layers = layers;
    f->c.user = "web";
    f->c.stdin_open = true;
    str id = fix_start(f), out = STR_NONE;
    int code = -1;
    T_UNTIL(has(fix_log(f), "ready") || test_failures_);
    const char *const look[] = {"sh", "-c", "while read a b c; do [ \"$a\" = Uid: ] && echo uid $b; done < /proc/self/status", NULL};
    T_NO_ERR(runtime_exec_sync(f->r, id, look, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_OK(has(out, "uid 77\n"));
    T_NO_ERR(f->ops->container_remove(f->r, id, &err), &err);
}

static void case_image_devices(struct fixture *f)
{
    const char *const layers[] = {make_image(f), NULL}, *node = fix_path(f, "layer/node");
    if (!layers[0] || mknod(node, S_IFCHR | 0666, makedev(1, 5)) < 0 || chmod(node, 0666) < 0) {
        printf("# skipped: no devices here\n");
        return;
    }
    fix_script(f, "if read -n 1 x < /node; then echo opened; else echo refused; fi 2>/dev/null; echo end");
    f->c.caps &= ~(1ull << CAP_MKNOD);
    f->c.root = ROOT_LAYERS;
    f->c.layers = layers;
    str log = fix_output(f);
    T_OK(has(log, "out end\n") && !has(log, "opened"));
}

/* The session keyring of whoever started the agent stays outside. */
static void case_keyring(struct fixture *f)
{
    long own = syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1);
    if (own < 0 || !file_exists("/usr/bin/python3")) {
        printf("# skipped: no keys or no python3 here\n");
        return;
    }
    fix_script(f, arena_fmt(&f->a, "python3 -c 'import ctypes; print(\"key\", ctypes.CDLL(None).syscall(%d, %d, %d, 0))'", (int)SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING).p);
    f->c.seccomp = SECCOMP_UNCONFINED;
    str log = fix_output(f);
    T_OK(has(log, "out key "));
    T_OK(!has(log, arena_fmt(&f->a, "out key %ld\n", own).p));
}

/* A sandbox that is made again sets its sysctls in the pod's namespace, not in the machine's. */
static void case_sysctl_again(struct fixture *f)
{
    static const char *const sysctls[] = {"kernel.shm_rmid_forced=1", NULL};
    char before[16] = "", after[16] = "";
    for (int i = 0; i < 2; i++) {
        f->sandbox.sysctls = i ? sysctls : NULL;
        FD_AUTO fd = open("/proc/sys/kernel/shm_rmid_forced", O_RDONLY | O_CLOEXEC);
        T_OK(read(fd, before, sizeof before - 1) > 0);
        fix_pod(f); /* the second time: it is there already */
    }
    FD_AUTO fd = open("/proc/sys/kernel/shm_rmid_forced", O_RDONLY | O_CLOEXEC);
    T_OK(read(fd, after, sizeof after - 1) > 0);
    T_EQ_STR(str_of(after), before);
    fix_script(f, "cat /proc/sys/kernel/shm_rmid_forced");
    T_OK(has(fix_output(f), "out 1\n"));
}

/* An agent died while a shim was on its way: the next one gives the container up, and the shim that comes too late does not run it. */
static void case_late_shim(struct fixture *f)
{
    struct err err = ERR_NONE;
    fix_script(f, "exit 0");
    str id = arena_str(&f->a, fix_start(f));
    fix_wait(f, id);
    T_UNTIL(atomic_load(&f->changes) > 0); /* the shim has ended */
    unlink(arena_fmt(&f->a, "%s/state.json", f->c.dir).p);
    unlink(arena_fmt(&f->a, "%s/exit.json", f->c.dir).p);
    fix_close(f);
    T_OK(fix_open(f));
    struct container_status s = fix_wait(f, id);
    T_EQ_STR(s.reason, "ContainerStatusUnknown");
    T_EQ_INT(s.exit_code, 137);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        close(SHIM_REPORT_FD);
        execl(f->program, "cox", "shim", f->c.dir, (char *)NULL);
        _exit(99);
    }
    int status = 0;
    T_EQ_INT(waitpid(pid, &status, 0), pid);
    T_OK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
    T_EQ_STR(fix_status(f, id).reason, "ContainerStatusUnknown");
    T_NO_ERR(f->ops->container_remove(f->r, id, &err), &err);
    T_OK(!file_exists(f->c.dir));
}

/* Its own group is among the groups of a process; others of this machine stay outside of the pods' folder. */
static void case_groups(struct fixture *f)
{
    static const uint32_t groups[] = {4242};
    struct stat st; /* and nobody else on this machine gets to what pods have */
    T_EQ_INT(stat(fix_path(f, "pods"), &st), 0);
    T_EQ_INT(st.st_mode & 077, 0);
    fix_script(f, "grep Groups /proc/self/status; grep NoNewPrivs /proc/self/status");
    f->c.has_uid = f->c.has_gid = true;
    f->c.uid = 1234;
    f->c.gid = 777;
    f->c.groups = groups;
    f->c.ngroups = 1;
    str log = fix_output(f);
    T_OK(has(log, "777") && has(log, "4242"));
}

#define BOTH(X) X(exec_working_directory) X(exec_user) X(working_directory_in_proc) X(descriptors) X(hidden_nodes) X(pause)
#define OURS(X) X(start_working_directory) X(image_devices) X(keyring) X(sysctl_again) X(groups) X(late_shim)
#define PROCESS(name)                           \
    static void process_##name(void)            \
    {                                           \
        fix_run(&runtime_process, case_##name); \
    }
#define OCI(name)                           \
    static void oci_##name(void)            \
    {                                       \
        fix_run(&runtime_oci, case_##name); \
    }
BOTH(PROCESS) OURS(PROCESS) BOTH(OCI)

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "shim") == 0)
        return shim_main(argc - 1, argv + 1);
    static const struct test_case tests[] = {
#define PROCESS_ROW(name) {"process_" #name, process_##name},
#define OCI_ROW(name) {"oci_" #name, oci_##name},
        BOTH(PROCESS_ROW) OURS(PROCESS_ROW) BOTH(OCI_ROW)
    };
    return test_main_(argc, argv, tests, ARRAY_LEN(tests));
}
