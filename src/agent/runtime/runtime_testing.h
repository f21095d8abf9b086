/* runtime_testing.h - what the tests of runtimes share: a folder and a control group of their own that are gone afterwards, whatever happens to the test.
 *
 * Each case runs in a process of its own below the test's; when that has ended, crashed or hung, its containers are killed and mounts, control groups and files removed by its parent.
 * Threads: the case's first thread; the loop has its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "agent/isolation/cgroup.h"
#include "agent/runtime/runtime.h"
#include "agent/shim/shim.h"
#include "base/test.h"
#include "rt/file.h"
#include "rt/thread.h"

#define PATIENCE_NS (120 * NSEC_PER_SEC)
#define USUAL_CAPS                                                                                                                                        \
    (1ull << CAP_CHOWN | 1ull << CAP_DAC_OVERRIDE | 1ull << CAP_FSETID | 1ull << CAP_FOWNER | 1ull << CAP_MKNOD | 1ull << CAP_NET_RAW | 1ull << CAP_SETGID | \
     1ull << CAP_SETUID | 1ull << CAP_SETFCAP | 1ull << CAP_SETPCAP | 1ull << CAP_NET_BIND_SERVICE | 1ull << CAP_SYS_CHROOT | 1ull << CAP_KILL | 1ull << CAP_AUDIT_WRITE)

struct fixture {
    const struct runtime_ops *ops;
    char dir[64], root[48], program[256];
    struct arena a;
    struct loop *loop;
    struct thread thread;
    struct runtime *r;
    _Atomic int changes;
    struct sandbox_spec sandbox;
    const char *argv[5];
    struct container_spec c;
    uint32_t attempt;
};

static void on_change(void *arg, str id)
{
    (void)id;
    atomic_fetch_add(&((struct fixture *)arg)->changes, 1);
}

static void run_loop(void *arg)
{
    loop_run(((struct fixture *)arg)->loop);
}

/* False: this runtime does not work here; why was printed. */
static bool fix_open(struct fixture *f)
{
    struct err err = ERR_NONE;
    f->loop = loop_new("test", &clock_real, &err);
    struct runtime_opts o = {.loop = f->loop, .dir = f->dir, .cgroup_root = f->root, .program = f->program, .on_change = on_change, .arg = f};
    int r = f->ops->open(&o, &f->r, &err);
    if (r == -E_UNAVAILABLE) {
        printf("# skipped: %s\n", err.msg);
        loop_free(f->loop);
        return false;
    }
    T_NO_ERR(r, &err);
    T_NO_ERR(thread_start(&f->thread, "loop", run_loop, f, &err), &err);
    return r == 0;
}

static void fix_close(struct fixture *f)
{
    loop_stop(f->loop);
    thread_join(&f->thread);
    f->ops->close(f->r);
    loop_free(f->loop);
}

static const char *fix_path(struct fixture *f, const char *name)
{
    return arena_fmt(&f->a, "%s/%s", f->dir, name).p;
}

/* A pod without a network of its own, and a container of this machine's programs that runs a shell script. */
static void fix_pod(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct sandbox_status status;
    if (!f->sandbox.dir) {
        f->sandbox.uid = S("uid-1");
        f->sandbox.ns = S("default");
        f->sandbox.name = S("pod");
        f->sandbox.dir = fix_path(f, "pods/uid-1");
        f->sandbox.hostname = "tester";
        f->sandbox.cgroup = "kubepods/poduid-1";
    }
    T_NO_ERR(file_mkdir_all(f->sandbox.dir, 0755, &err), &err);
    T_NO_ERR(f->ops->sandbox_start(f->r, &f->sandbox, &f->a, &status, &err), &err);
}

static void fix_script(struct fixture *f, const char *script)
{
    static const char *const env[] = {"PATH=/usr/bin:/bin:/usr/sbin:/sbin", "GREETING=hello", NULL};
    struct err err = ERR_NONE;
    f->argv[0] = "sh";
    f->argv[1] = "-c";
    f->argv[2] = script;
    f->argv[3] = NULL;
    str dir = arena_fmt(&f->a, "%s/containers/main/%u", f->sandbox.dir, f->attempt);
    T_NO_ERR(file_mkdir_all(dir.p, 0755, &err), &err);
    f->c = (struct container_spec){.sandbox = &f->sandbox, .name = S("main"), .attempt = f->attempt, .dir = dir.p, .argv = f->argv, .env = env, .root = ROOT_HOST,
                                   .caps = USUAL_CAPS, .seccomp = SECCOMP_RUNTIME_DEFAULT};
    f->c.log_path = arena_fmt(&f->a, "%s/main-%u.log", f->dir, f->attempt).p;
    f->c.cgroup = arena_fmt(&f->a, "%s/main-%u", f->sandbox.cgroup, f->attempt).p;
    f->attempt++;
}

static str fix_start(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct container_status s = {0};
    T_NO_ERR(f->ops->container_start(f->r, &f->c, &f->a, &s, &err), &err);
    return s.id;
}

static struct container_status fix_status(struct fixture *f, str id)
{
    struct err err = ERR_NONE;
    struct container_status s = {.life = CONTAINER_UNKNOWN};
    T_NO_ERR(f->ops->container_status(f->r, id, &f->a, &s, &err), &err);
    return s;
}

/* Waits for a condition. */
#define T_UNTIL(cond)                                                                                   \
    do {                                                                                                \
        nsec_t t_end_ = clock_mono(&clock_real) + PATIENCE_NS;                                          \
        while (!(cond) && clock_mono(&clock_real) < t_end_)                                             \
            usleep(2000);                                                                               \
        T_OK(cond);                                                                                     \
    } while (0)

static struct container_status fix_wait(struct fixture *f, str id)
{
    struct container_status s = {0};
    T_UNTIL((s = fix_status(f, id)).life == CONTAINER_EXITED || test_failures_);
    return s;
}

static str fix_read(struct fixture *f, const char *path)
{
    char *text = NULL;
    size_t len = 0;
    if (file_read(path, 64u << 20, &text, &len, NULL) < 0)
        return S("");
    str s = arena_str(&f->a, str_n(text, len));
    free(text);
    return s;
}

/* The log without times and tags: "out text\nerr text\n". */
static str fix_log(struct fixture *f)
{
    struct strbuf b = strbuf_on(&f->a);
    for (str left = fix_read(f, f->c.log_path), line; left.len;) {
        str time, stream, tag;
        str_cut(&left, '\n', &line);
        str_cut(&line, ' ', &time);
        str_cut(&line, ' ', &stream);
        str_cut(&line, ' ', &tag);
        strbuf_addf(&b, STR_FMT " " STR_FMT "\n", STR_ARG(str_from(stream, 3)), STR_ARG(line));
    }
    return strbuf_str(&b);
}

/* Runs a script to its end; what it wrote. */
static str fix_output(struct fixture *f)
{
    str id = fix_start(f);
    struct container_status s = id.len ? fix_wait(f, id) : (struct container_status){0};
    T_EQ_INT(s.exit_code, 0);
    return fix_log(f);
}

/* --- around a case ------------------------------------------------------------------------------------------------- */

static void unmount_below(const char *dir)
{
    char *text = NULL;
    if (file_read("/proc/self/mountinfo", 16u << 20, &text, NULL, NULL) < 0)
        return;
    for (str left = str_of(text), line; left.len;) {
        str field = STR_NONE;
        str_cut(&left, '\n', &line);
        for (int i = 0; i < 5; i++)
            str_cut(&line, ' ', &field);
        char *path = str_dup(field);
        if (str_has_prefix(field, str_of(dir)))
            umount2(path, MNT_DETACH);
        free(path);
    }
    free(text);
}

/* What the case left: 0 when it left nothing. */
static int fix_clean(struct fixture *f)
{
    struct cgroups c;
    struct err err = ERR_NONE;
    cgroups_open(&c, f->root);
    int left = 0, n = cgroup_count(&c, "");
    if (n >= 0) {
        printf("# control groups were left, with %d processes\n", n);
        left++;
    }
    cgroup_kill(&c, "", PATIENCE_NS);
    err_ignore(cgroup_remove(&c, "", 10 * NSEC_PER_SEC, &err), "the count tells");
    char *text = NULL;
    if (file_read("/proc/self/mountinfo", 16u << 20, &text, NULL, NULL) == 0 && strstr(text, f->dir)) {
        printf("# mounts were left below %s\n", f->dir);
        left++;
    }
    free(text);
    unmount_below(f->dir);
    err_ignore(file_remove_all(f->dir, &err), "it lies in /tmp");
    return left;
}

static void fix_end_pods(struct fixture *f)
{
    struct err err = ERR_NONE;
    T_NO_ERR(f->ops->sandbox_remove(f->r, f->sandbox.uid, &err), &err);
    T_NO_ERR(f->ops->sandbox_remove(f->r, f->sandbox.uid, &err), &err);
}

static void fix_run(const struct runtime_ops *ops, void (*body)(struct fixture *f))
{
    if (geteuid() != 0) {
        printf("# skipped: containers need root\n");
        return;
    }
    struct fixture f = {.ops = ops, .a = ARENA_INIT};
    snprintf(f.dir, sizeof f.dir, "/tmp/cox-rt-XXXXXX");
    BUG_ON(!mkdtemp(f.dir));
    snprintf(f.root, sizeof f.root, "cox-test-%d", (int)getpid());
    ssize_t n = readlink("/proc/self/exe", f.program, sizeof f.program - 1);
    BUG_ON(n <= 0);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(600);
        if (fix_open(&f)) {
            fix_pod(&f);
            body(&f);
            fix_end_pods(&f);
            fix_close(&f);
        }
        arena_fini(&f.a);
        fflush(stdout);
        exit(test_failures_ ? 1 : 0);
    }
    int status = 0;
    waitpid(pid, &status, 0);
    T_EQ_INT(status, 0);
    T_EQ_INT(fix_clean(&f), 0);
    arena_fini(&f.a);
}

