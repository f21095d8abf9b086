/* runtime_test.c - containers really run: the same cases for the runtime of our own and for an OCI runtime.  The program itself serves as the shim. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/runtime/runtime_testing.h"

#include <sched.h>

#include "agent/shim/shim_spec.h"

static bool has(str text, const char *what)
{
    bool found = str_find(text, str_of(what)) >= 0;
    if (!found)
        printf("# \"%s\" is not in:\n# " STR_FMT "\n", what, STR_ARG(text));
    return found;
}

/* --- life ----------------------------------------------------------------------------------------------------------- */

static void case_exit_code(struct fixture *f)
{
    fix_script(f, "echo \"$GREETING\"; echo oops >&2; printf last; hostname; exit 7");
    str id = fix_start(f);
    struct container_status s = fix_wait(f, id);
    T_EQ_INT(s.exit_code, 7);
    T_EQ_INT(s.signal, 0);
    T_OK(!s.oom_killed);
    T_OK(s.started_at > 0 && s.finished_at >= s.started_at);
    T_EQ_STR(s.pod_uid, "uid-1");
    T_EQ_STR(s.name, "main");
    str log = fix_log(f);
    T_OK(has(log, "out hello\n"));
    T_OK(has(log, "err oops\n"));
    T_OK(has(log, "out lasttester\n"));
    T_UNTIL(atomic_load(&f->changes) == 1);
    struct err err = ERR_NONE;
    T_NO_ERR(f->ops->container_remove(f->r, id, &err), &err);
    T_NO_ERR(f->ops->container_remove(f->r, id, &err), &err);
    T_ERR(f->ops->container_status(f->r, id, &f->a, &s, &err), E_NOT_FOUND);
    T_OK(!file_exists(f->c.dir));
    T_OK(file_exists(f->c.log_path));
}

static void case_signals(struct fixture *f)
{
    struct err err = ERR_NONE;
    fix_script(f, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    str id = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    T_EQ_INT(fix_status(f, id).life, CONTAINER_RUNNING);
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGTERM, &err), &err);
    T_EQ_INT(fix_wait(f, id).exit_code, 3);
    /* a tree that does not listen */
    fix_script(f, "trap '' TERM; for i in 1 2 3; do (trap '' TERM; while :; do sleep 0.1; done) & done; echo ready; while :; do sleep 0.1; done");
    id = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGTERM, &err), &err);
    T_EQ_INT(fix_status(f, id).life, CONTAINER_RUNNING);
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGKILL, &err), &err);
    struct container_status s = fix_wait(f, id);
    T_EQ_INT(s.exit_code, 137);
    T_EQ_INT(s.signal, SIGKILL);
    T_OK(!s.oom_killed);
}

static void case_out_of_memory(struct fixture *f)
{
    struct cgroups c;
    cgroups_open(&c, f->root);
    if (!cgroups_has(&c, CGROUP_MEMORY)) {
        printf("# skipped: no memory controller\n");
        return;
    }
    fix_script(f, "exec tail /dev/zero");
    f->c.limits.memory_bytes = 24 << 20;
    f->c.limits.pids = 50;
    f->c.limits.cpu_shares = 512;
    struct container_status s = fix_wait(f, fix_start(f));
    T_EQ_INT(s.exit_code, 137);
    T_OK(s.oom_killed);
    T_EQ_STR(s.reason, "OOMKilled");
}

static void case_no_program(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct container_status s;
    fix_script(f, "");
    f->argv[0] = "no-such-program";
    T_ERR(f->ops->container_start(f->r, &f->c, &f->a, &s, &err), E_NOT_FOUND);
    T_OK(has(str_of(err.msg), "no-such-program"));
    T_OK(has(str_of(err.msg), "not found in $PATH"));
    f->argv[0] = "/etc/passwd";
    T_ERR(f->ops->container_start(f->r, &f->c, &f->a, &s, &err), E_INVALID_ARG);
    T_OK(has(str_of(err.msg), "permission denied"));
    f->argv[0] = "sh";
    f->c.user = "nobody-knows-me";
    T_ERR(f->ops->container_start(f->r, &f->c, &f->a, &s, &err), E_INVALID_ARG);
    T_OK(has(str_of(err.msg), "nobody-knows-me"));
    f->c.user = NULL;
    f->c.must_be_non_root = true;
    T_ERR(f->ops->container_start(f->r, &f->c, &f->a, &s, &err), E_INVALID_ARG);
    T_OK(has(str_of(err.msg), "runAsNonRoot"));
    struct container_status *list;
    size_t n = 9;
    T_NO_ERR(f->ops->list(f->r, &f->a, &list, &n, &err), &err);
    T_EQ_INT(n, 0);
}

/* --- logs ------------------------------------------------------------------------------------------------------------- */

static void case_log_rotation(struct fixture *f)
{
    fix_script(f, "i=0; while [ $i -lt 2000 ]; do echo line $i; i=$((i+1)); done; head -c 40000 /dev/zero | tr '\\0' x; echo; echo end");
    f->c.log_max_bytes = 20000;
    f->c.log_max_files = 3;
    fix_wait(f, fix_start(f));
    str now = fix_read(f, f->c.log_path);
    T_OK(has(now, " stdout F end\n"));
    size_t parts = 0;
    for (int i = 0; i < 3; i++) {
        str old = fix_read(f, i ? arena_fmt(&f->a, "%s.%d", f->c.log_path, i).p : f->c.log_path);
        T_OK(old.len > 0);
        for (ptrdiff_t at; (at = str_find(old, S(" stdout P "))) >= 0; parts++)
            old = str_from(old, (size_t)at + 5);
    }
    T_EQ_INT(parts, 2);
    T_OK(!file_exists(arena_fmt(&f->a, "%s.3", f->c.log_path).p));
}

/* --- exec and attach ----------------------------------------------------------------------------------------------------- */

static void case_exec(struct fixture *f)
{
    struct err err = ERR_NONE;
    str out = STR_NONE;
    int code = -1;
    fix_script(f, "echo ready; trap 'exit 0' TERM; while :; do sleep 0.1; done");
    f->c.cwd = "/var/tmp";
    str id = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    const char *const script[] = {"sh", "-c", "pwd; echo $GREETING; echo bad >&2; readlink /proc/1/cwd; hostname; grep NoNewPrivs /proc/self/status; exit 5", NULL};
    T_NO_ERR(runtime_exec_sync(f->r, id, script, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_EQ_INT(code, 5);
    T_OK(has(out, "/var/tmp\nhello\n"));
    T_OK(has(out, "bad\n"));
    T_OK(has(out, "tester\n"));
    const char *const missing[] = {"no-such-program", NULL};
    T_ERR(runtime_exec_sync(f->r, id, missing, PATIENCE_NS, &f->a, &out, &code, &err), E_NOT_FOUND);
    T_OK(has(str_of(err.msg), "no-such-program"));
    const char *const slow[] = {"sh", "-c", "echo begun; sleep 1000", NULL};
    T_ERR(runtime_exec_sync(f->r, id, slow, NSEC_PER_SEC / 2, &f->a, &out, &code, &err), E_TIMEOUT);
    const char *const flood[] = {"sh", "-c", "head -c 200000 /dev/zero | tr '\\0' y; exit 1", NULL};
    T_NO_ERR(runtime_exec_sync(f->r, id, flood, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_EQ_INT(code, 1);
    T_EQ_INT(out.len, RUNTIME_OUTPUT_BYTES);
    /* input */
    struct exec_session x;
    const char *const cat[] = {"sh", "-c", "cat; exit 4", NULL};
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.argv = cat, .in = true, .out = true}, &x, &err), &err);
    T_OK(x.err == -1 && !x.tty);
    T_EQ_INT(write(x.in, "typed\n", 6), 6);
    close(x.in);
    x.in = -1;
    T_NO_ERR(f->ops->exec_finish(f->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 4);
    char buf[64] = "";
    T_EQ_INT(read(x.out, buf, sizeof buf), 6);
    f->ops->exec_close(f->r, &x);
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGTERM, &err), &err);
    T_EQ_INT(fix_wait(f, id).exit_code, 0);
    T_ERR(runtime_exec_sync(f->r, id, script, PATIENCE_NS, &f->a, &out, &code, &err), E_NOT_FOUND);
}

/* Reads until the text is there. */
static str read_until(struct fixture *f, int fd, const char *what)
{
    struct strbuf b = strbuf_on(&f->a);
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; clock_mono(&clock_real) < end && str_find(strbuf_str(&b), str_of(what)) < 0;) {
        char buf[512];
        struct pollfd p = {.fd = fd, .events = POLLIN};
        poll(&p, 1, 100);
        ssize_t n = read(fd, buf, sizeof buf);
        if (n == 0 || (n < 0 && errno != EAGAIN))
            break;
        strbuf_add(&b, buf, (size_t)MAX(n, 0));
    }
    return strbuf_str(&b);
}

static void case_exec_terminal(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct exec_session x;
    int code = -1;
    fix_script(f, "echo ready; while :; do sleep 0.1; done");
    str id = fix_start(f);
    const char *const argv[] = {"sh", "-c", "tty; read line; stty size; echo got $line; exit 6", NULL};
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.argv = argv, .in = true, .out = true, .err = true, .tty = true}, &x, &err), &err);
    T_OK(x.tty && x.in == x.out && x.err == -1);
    T_OK(has(read_until(f, x.out, "/dev/pts/"), "/dev/pts/"));
    T_EQ_INT(f->ops->exec_resize(f->r, &x, 101, 33), 0);
    /* the size is set by the shim some time later: ask until it shows */
    const char *const size[] = {"sh", "-c", "for t in /dev/pts/[0-9]*; do stty size < $t; done", NULL};
    str out = STR_NONE;
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; str_find(out, S("33 101")) < 0 && clock_mono(&clock_real) < end;)
        T_NO_ERR(runtime_exec_sync(f->r, id, size, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_EQ_INT(write(x.in, "word\n", 5), 5);
    out = read_until(f, x.out, "got word");
    T_OK(has(out, "33 101"));
    T_OK(has(out, "got word"));
    T_NO_ERR(f->ops->exec_finish(f->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 6);
    f->ops->exec_close(f->r, &x);
    /* closing ends it */
    const char *const hang[] = {"sleep", "98765", NULL}, *const count[] = {"sh", "-c", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '", NULL};
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.argv = hang, .out = true}, &x, &err), &err);
    T_ERR(f->ops->exec_finish(f->r, &x, 0, &code, &err), E_TIMEOUT);
    f->ops->exec_close(f->r, &x);
    out = S("sleep 98765");
    for (nsec_t end = clock_mono(&clock_real) + PATIENCE_NS; str_find(out, S("sleep 98765")) >= 0 && clock_mono(&clock_real) < end;)
        T_NO_ERR(runtime_exec_sync(f->r, id, count, PATIENCE_NS, &f->a, &out, &code, &err), &err);
    T_OK(str_find(out, S("sleep 98765")) < 0);
}

static void case_attach(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct exec_session x, y;
    int code = -1;
    fix_script(f, "while read line; do echo \"<$line>\"; echo \"[$line]\" >&2; done; exit 9");
    f->c.stdin_open = f->c.stdin_once = true;
    str id = fix_start(f);
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.out = true}, &y, &err), &err);
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.in = true, .out = true, .err = true}, &x, &err), &err);
    T_EQ_INT(write(x.in, "one\n", 4), 4);
    T_EQ_STR(read_until(f, x.out, "<one>\n"), "<one>\n");
    T_EQ_STR(read_until(f, x.err, "[one]\n"), "[one]\n");
    T_EQ_STR(read_until(f, y.out, "<one>\n"), "<one>\n");
    f->ops->exec_close(f->r, &y);
    close(x.in);
    x.in = -1;
    T_NO_ERR(f->ops->exec_finish(f->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 9);
    f->ops->exec_close(f->r, &x);
    T_EQ_INT(fix_wait(f, id).exit_code, 9);
    T_OK(has(fix_log(f), "out <one>\n"));
}

static void case_terminal(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct exec_session x;
    int code;
    fix_script(f, "tty; read line; echo got $line; exit 2");
    f->c.tty = f->c.stdin_open = true;
    str id = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("/dev/")) >= 0);
    T_NO_ERR(f->ops->exec(f->r, id, &(struct exec_spec){.in = true, .out = true, .err = true, .tty = true}, &x, &err), &err);
    T_OK(x.tty && x.in == x.out);
    T_EQ_INT(write(x.in, "word\n", 5), 5);
    T_OK(has(read_until(f, x.out, "got word"), "got word"));
    T_NO_ERR(f->ops->exec_finish(f->r, &x, PATIENCE_NS, &code, &err), &err);
    T_EQ_INT(code, 2);
    f->ops->exec_close(f->r, &x);
    T_EQ_INT(fix_wait(f, id).exit_code, 2);
}

/* --- an agent that starts again ---------------------------------------------------------------------------------------------- */

static void case_adoption(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct container_status *list;
    size_t n = 0;
    fix_script(f, "trap 'exit 3' TERM; echo ready; while :; do sleep 0.05; done");
    str runs = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    fix_script(f, "while [ ! -e /var/tmp/go ]; do sleep 0.05; done; exit 4");
    const char *box = fix_path(f, "box");
    T_NO_ERR(file_mkdir_all(box, 0777, &err), &err);
    f->c.mounts = &(struct mount_spec){.kind = MOUNT_BIND, .source = box, .target = "/var/tmp"};
    f->c.nmounts = 1;
    str ends = fix_start(f);
    fix_close(f);
    char *go = str_dup(arena_fmt(&f->a, "%s/go", box));
    T_NO_ERR(file_write_atomic(go, S(""), 0644, &err), &err);
    free(go);
    const char *done = arena_fmt(&f->a, "%s/exit.json", f->c.dir).p;
    T_UNTIL(file_exists(done)); /* it ends while nobody looks */
    atomic_store(&f->changes, 0);
    if (!fix_open(f)) {
        T_OK(!"opens again");
        return;
    }
    T_NO_ERR(f->ops->list(f->r, &f->a, &list, &n, &err), &err);
    T_EQ_INT(n, 2);
    for (size_t i = 0; i < n; i++)
        T_EQ_INT(list[i].life, str_eq(list[i].id, runs) ? CONTAINER_RUNNING : CONTAINER_EXITED);
    T_EQ_INT(fix_status(f, ends).exit_code, 4);
    T_NO_ERR(f->ops->container_signal(f->r, runs, SIGTERM, &err), &err);
    T_EQ_INT(fix_wait(f, runs).exit_code, 3);
    T_UNTIL(atomic_load(&f->changes) >= 1);
    const char *netns = "";
    T_NO_ERR(f->ops->netns(f->r, S("uid-1"), &f->a, &netns, &err), &err);
    T_OK(netns == NULL);
}

static void case_lost_shim(struct fixture *f)
{
    struct shim_state state = {0};
    fix_script(f, "trap '' TERM HUP; echo ready; while :; do sleep 0.05; done");
    str id = fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    T_OK(shim_state_read(f->c.dir, &state));
    T_EQ_INT(kill((pid_t)state.shim, SIGKILL), 0);
    T_UNTIL(fix_status(f, id).life == CONTAINER_UNKNOWN);
    T_UNTIL(shim_proc_start((pid_t)state.pid) != state.pid_start);
    T_UNTIL(atomic_load(&f->changes) >= 1);
}

/* --- what it sees --------------------------------------------------------------------------------------------------------------- */

static void case_root_and_mounts(struct fixture *f)
{
    struct err err = ERR_NONE;
    const char *rw = fix_path(f, "rw"), *ro = fix_path(f, "ro"), *end = fix_path(f, "end"), *deep = fix_path(f, "ro/deep");
    T_NO_ERR(file_mkdir_all(rw, 0755, &err), &err);
    T_NO_ERR(file_mkdir_all(deep, 0755, &err), &err);
    T_NO_ERR(file_write_atomic(end, S(""), 0666, &err), &err);
    const struct mount_spec mounts[] = {
        {.kind = MOUNT_BIND, .source = rw, .target = "/data/ro/deep"}, /* listed before its parent */
        {.kind = MOUNT_BIND, .source = ro, .target = "/data/ro", .read_only = true},
        {.kind = MOUNT_BIND, .source = rw, .target = "/data/rw"},
        {.kind = MOUNT_TMPFS, .target = "/scratch", .size_bytes = 1 << 20, .mode = 0700},
        {.kind = MOUNT_BIND, .source = end, .target = "/etc/one-file", .read_only = true},
    };
    fix_script(f, "set -e; touch /data/rw/made; ! touch /data/ro/x 2>/dev/null; touch /data/ro/deep/y; touch /scratch/z; ! touch /etc/one-file 2>/dev/null; ! touch /new 2>/dev/null;"
                  "stat -c %a /scratch; df -k /scratch | tail -1 | awk '{print \"kb \" $2}'; echo dying > /dev/termination-log; pwd; ls -d /home/* /root/* 2>/dev/null || echo nobody;"
                  "[ ! -e /etc/shadow ] && echo no shadow; ! touch /usr/x 2>/dev/null; ! echo 1 > /proc/sys/kernel/panic 2>/dev/null; head -c 1 /proc/kcore | wc -c;"
                  "[ -c /dev/null ] && [ -c /dev/urandom ] && [ -e /dev/pts/ptmx ] && touch /dev/shm/a && echo dev; ! touch /sys/x 2>/dev/null; echo pid $$; ls /proc | grep -c '^[0-9]'");
    f->c.mounts = mounts;
    f->c.nmounts = ARRAY_LEN(mounts);
    f->c.read_only_root = true;
    f->c.cwd = "/made/on/the/way";
    f->c.termination_log = end;
    f->c.termination_path = "/dev/termination-log";
    str log = fix_output(f);
    T_OK(has(log, "out 700\n"));
    T_OK(has(log, "out kb 1024\n"));
    T_OK(has(log, "out /made/on/the/way\n"));
    T_OK(has(log, "out nobody\n"));
    T_OK(has(log, "out no shadow\n"));
    T_OK(has(log, "out 0\n"));
    T_OK(has(log, "out dev\n"));
    T_OK(has(log, "out pid 1\n"));
    T_EQ_STR(fix_read(f, end), "dying\n");
    T_OK(file_exists(arena_fmt(&f->a, "%s/made", rw).p));
    T_OK(file_exists(arena_fmt(&f->a, "%s/y", rw).p));
}

static void case_user_and_caps(struct fixture *f)
{
    static const uint32_t groups[] = {2000, 3000};
    fix_script(f, "id -u; id -g; id -G; grep -E 'CapEff|CapBnd|CapAmb|NoNewPrivs|Seccomp:' /proc/self/status; umask; ! unshare -n true 2>/dev/null; echo > /dev/stdout");
    f->c.uid = 1234;
    f->c.gid = 99;
    f->c.has_uid = f->c.has_gid = f->c.no_new_privs = true;
    f->c.groups = groups;
    f->c.ngroups = 2;
    f->c.caps = 1ull << CAP_CHOWN | 1ull << CAP_NET_BIND_SERVICE;
    str log = fix_output(f);
    T_OK(has(log, "out 1234\nout 99\n"));
    T_OK(has(log, "2000 3000"));
    T_OK(has(log, "CapEff:\t0000000000000000"));
    T_OK(has(log, "CapBnd:\t0000000000000401"));
    T_OK(has(log, "CapAmb:\t0000000000000000"));
    T_OK(has(log, "NoNewPrivs:\t1"));
    T_OK(has(log, "Seccomp:\t2"));
    fix_script(f, "id -un; grep -E 'CapEff|CapBnd|NoNewPrivs|Seccomp:' /proc/self/status; echo $HOME");
    f->c.user = "root";
    f->c.caps = 1ull << CAP_CHOWN;
    f->c.seccomp = SECCOMP_UNCONFINED;
    log = fix_output(f);
    T_OK(has(log, "out root\n"));
    T_OK(has(log, "CapEff:\t0000000000000001"));
    T_OK(has(log, "NoNewPrivs:\t0"));
    T_OK(has(log, "Seccomp:\t0"));
    T_OK(has(log, "out /root\n"));
    fix_script(f, "mount -t tmpfs x /mnt && touch /mnt/y && [ -w /proc/sys/kernel/domainname ] && echo mighty");
    f->c.privileged = true;
    T_OK(has(fix_output(f), "out mighty\n"));
    if (file_exists("/dev/kmsg")) { /* the machine's devices are there */
        fix_script(f, "[ -c /dev/kmsg ] && echo devices");
        f->c.privileged = true;
        T_OK(has(fix_output(f), "out devices\n"));
    }
    /* a profile of its own */
    struct err err = ERR_NONE;
    const char *profile = fix_path(f, "profile.json");
    T_NO_ERR(file_write_atomic(profile, S("{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":[{\"names\":[\"mkdir\",\"mkdirat\"],\"action\":\"SCMP_ACT_ERRNO\",\"errnoRet\":1}]}"), 0644, &err), &err);
    fix_script(f, "mkdir /var/tmp/x 2>&1; touch /var/tmp/y && echo touched");
    f->c.seccomp = SECCOMP_LOCALHOST;
    f->c.seccomp_profile = profile;
    log = fix_output(f);
    T_OK(has(log, "Operation not permitted"));
    T_OK(has(log, "out touched\n"));
}

static void case_stats(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct container_usage *u = NULL;
    size_t n = 0;
    struct cgroups c;
    cgroups_open(&c, f->root);
    if (!cgroups_has(&c, CGROUP_MEMORY) || !cgroups_has(&c, CGROUP_CPU)) {
        printf("# skipped: no controllers\n");
        return;
    }
    fix_script(f, "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo ready; while :; do sleep 0.1; done");
    f->c.limits.memory_bytes = 64 << 20;
    f->c.limits.cpu_quota_us = 50000;
    fix_start(f);
    T_UNTIL(str_find(fix_log(f), S("ready")) >= 0);
    T_NO_ERR(f->ops->stats(f->r, S("uid-1"), &f->a, &u, &n, &err), &err);
    T_EQ_INT(n, 1);
    T_OK(n == 1 && u[0].cpu_ns > 0 && u[0].memory_bytes > 0 && u[0].memory_bytes < 64 << 20);
    T_EQ_INT(n == 1 ? u[0].memory_limit_bytes : 0, 64 << 20);
    T_NO_ERR(f->ops->stats(f->r, S("other"), &f->a, &u, &n, &err), &err);
    T_EQ_INT(n, 0);
}

static void make_netns(void *arg)
{
    const char *file = arg;
    FD_AUTO fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || unshare(CLONE_NEWNET) < 0 || mount("/proc/thread-self/ns/net", file, NULL, MS_BIND, NULL) < 0)
        T_OK(!"makes a network namespace");
}

/* Network, host name, shared memory and sysctls are the sandbox's; asked for again it stays as it is. */
static void case_sandbox(struct fixture *f)
{
    static const char *const sysctls[] = {"kernel.shm_rmid_forced=1", "net.ipv4.ip_unprivileged_port_start=77", NULL};
    struct err err = ERR_NONE;
    struct thread thread = {0};
    char *file = str_dup(arena_fmt(&f->a, "%s/netns", f->dir));
    T_NO_ERR(thread_start(&thread, "netns", make_netns, file, &err), &err);
    thread_join(&thread);
    fix_end_pods(f);
    f->sandbox.netns = file;
    f->sandbox.sysctls = sysctls;
    f->sandbox.hostname = "other-name";
    fix_pod(f);
    fix_script(f, "echo $(($(wc -l < /proc/net/dev) - 2)) devices; cat /proc/sys/kernel/shm_rmid_forced /proc/sys/net/ipv4/ip_unprivileged_port_start; hostname; readlink /proc/self/ns/ipc; echo kept > /dev/shm/x; ls /sys/class/net");
    str one = fix_output(f);
    T_OK(has(one, "out 1 devices\nout 1\nout 77\nout other-name\n"));
    T_OK(has(one, "out lo\n") && str_find(one, S("eth0")) < 0);
    fix_pod(f);
    fix_script(f, "readlink /proc/self/ns/ipc; cat /dev/shm/x");
    str two = fix_output(f);
    T_OK(has(two, "out kept\n"));
    ptrdiff_t at = str_find(two, S("ipc:"));
    T_OK(at >= 0 && str_find(one, str_sub(two, (size_t)at, (size_t)at + 15)) >= 0);
    const char *netns = "";
    T_NO_ERR(f->ops->netns(f->r, S("uid-1"), &f->a, &netns, &err), &err);
    T_EQ_STR(str_of(netns), file);
    fix_end_pods(f);
    T_ERR(f->ops->netns(f->r, S("uid-1"), &f->a, &netns, &err), E_NOT_FOUND);
    umount2(file, MNT_DETACH);
    free(file);
    f->sandbox.netns = NULL;
}

/* One pid namespace and one shared memory for the pod. */
static void case_shared_pid(struct fixture *f)
{
    struct err err = ERR_NONE;
    fix_end_pods(f);
    f->sandbox.share_pid = true;
    fix_pod(f);
    fix_script(f, "echo mine > /dev/shm/note; (sleep 54321 &) ; exec sleep 12345");
    str id = fix_start(f);
    fix_script(f, "while ! cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'sleep 54321'; do sleep 0.05; done; cat /dev/shm/note; cat /proc/1/comm; [ $$ != 1 ] && echo not first");
    str log = fix_output(f);
    T_OK(has(log, "out mine\n"));
    T_OK(has(log, "out not first\n"));
    T_OK(has(log, "out cox-pause\n"));
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGKILL, &err), &err);
    fix_wait(f, id);
    struct cgroups c;
    cgroups_open(&c, f->root);
    if (!c.layout.n)
        return;
    /* the process that it left behind went with it */
    fix_script(f, "while cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' ' | grep -q 'sleep [5]4321'; do sleep 0.05; done; echo gone");
    T_OK(has(fix_output(f), "out gone\n"));
}

/* A container that was put beside another sees that one's processes, and no others of the pod; without it there is none. */
static void case_target_pids(struct fixture *f)
{
    struct err err = ERR_NONE;
    struct container_status status;
    fix_end_pods(f);
    f->sandbox.share_pid = false;
    fix_pod(f);
    fix_script(f, "exec sleep 12345");
    str id = fix_start(f);
    fix_script(f, "while ! tr '\\0' ' ' < /proc/1/cmdline | grep -q '^sleep 12345'; do sleep 0.05; done; [ $$ != 1 ] && echo beside");
    f->c.pids_of = id;
    T_OK(has(fix_output(f), "out beside\n"));
    T_NO_ERR(f->ops->container_signal(f->r, id, SIGKILL, &err), &err);
    fix_wait(f, id);
    fix_script(f, "true");
    f->c.pids_of = id;
    T_OK(f->ops->container_start(f->r, &f->c, &f->a, &status, &err) < 0);
    f->c.pids_of = STR_NONE;
}

/* --- images ------------------------------------------------------------------------------------------------------------------- */

static bool make_layers(struct fixture *f, const char *lower, const char *upper)
{
    struct err err = ERR_NONE;
    char *busybox = NULL;
    size_t len = 0;
    const char *from = file_exists("/bin/busybox") ? "/bin/busybox" : "/usr/bin/busybox";
    if (file_read(from, 16u << 20, &busybox, &len, &err) < 0) {
        printf("# skipped: busybox is not installed\n");
        return false;
    }
    char path[256];
    static const char *const folders[] = {"bin", "etc", "tmp"};
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        snprintf(path, sizeof path, "%s/%s", lower, folders[i]);
        T_NO_ERR(file_mkdir_all(path, 0755, &err), &err);
    }
    T_NO_ERR(file_mkdir_all(upper, 0755, &err), &err);
    snprintf(path, sizeof path, "%s/bin/busybox", lower);
    T_NO_ERR(file_write_atomic(path, str_n(busybox, len), 0755, &err), &err);
    free(busybox);
    static const char *const tools[] = {"sh", "cat", "ls", "id", "touch", "mkdir", "mount", "readlink"};
    for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
        snprintf(path, sizeof path, "%s/bin/%s", lower, tools[i]);
        T_EQ_INT(symlink("busybox", path), 0);
    }
    snprintf(path, sizeof path, "%s/etc/passwd", lower);
    T_NO_ERR(file_write_atomic(path, S("root:x:0:0:root:/root:/bin/sh\nweb:x:77:78:web:/srv/web:/bin/sh\n"), 0644, &err), &err);
    snprintf(path, sizeof path, "%s/etc/group", lower);
    T_NO_ERR(file_write_atomic(path, S("root:x:0:\nweb:x:78:\nextra:x:90:web,other\n"), 0644, &err), &err);
    snprintf(path, sizeof path, "%s/etc/version", upper);
    T_EQ_INT(symlink("../../../../../../../../tmp/evil", (snprintf(path, sizeof path, "%s/volume", upper), path)), 0);
    (void)f;
    return true;
}

static void case_layers(struct fixture *f)
{
    struct err err = ERR_NONE;
    const char *lower = fix_path(f, "layer0"), *upper = fix_path(f, "layer1"), *data = fix_path(f, "data");
    T_NO_ERR(file_mkdir_all(data, 0755, &err), &err);
    T_NO_ERR(file_write_atomic(arena_fmt(&f->a, "%s/secret", data).p, S("inside"), 0644, &err), &err);
    if (!make_layers(f, lower, upper))
        return;
    const char *const layers[] = {lower, upper, NULL};
    /* the image's link /volume leads out of it as often as it likes: the mount stays inside */
    const struct mount_spec mounts[] = {{.kind = MOUNT_BIND, .source = data, .target = "/volume/sub", .read_only = true}};
    fix_script(f, "id -u; id -g; id -G; cat /volume/sub/secret; echo; readlink /volume; echo $HOME; ls /");
    f->c.root = ROOT_LAYERS;
    f->c.layers = layers;
    f->c.user = "web";
    f->c.mounts = mounts;
    f->c.nmounts = 1;
    str log = fix_output(f);
    T_OK(has(log, "out 77\nout 78\n"));
    T_OK(has(log, "90"));
    T_OK(has(log, "out inside\n"));
    T_OK(has(log, "out /srv/web\n"));
    T_OK(!file_exists("/tmp/evil/sub"));
    fix_script(f, "echo changed > /etc/passwd; touch /new; cat /etc/passwd");
    f->c.root = ROOT_LAYERS;
    f->c.layers = layers;
    T_OK(has(fix_output(f), "out changed\n"));
    T_OK(file_exists(arena_fmt(&f->a, "%s/upper/new", f->c.dir).p));
    T_OK(str_find(fix_read(f, arena_fmt(&f->a, "%s/etc/passwd", lower).p), S("web")) > 0); /* the image is as it was */
}

/* --- the table -------------------------------------------------------------------------------------------------------------------- */

#define CASES(X)                                                                                                                          \
    X(exit_code) X(signals) X(out_of_memory) X(no_program) X(log_rotation) X(exec) X(exec_terminal) X(attach) X(terminal) X(adoption) X(lost_shim) \
    X(root_and_mounts) X(user_and_caps) X(stats) X(sandbox) X(shared_pid) X(target_pids) X(layers)
#define DEFINE(name)                                              \
    static void process_##name(void)                              \
    {                                                             \
        fix_run(&runtime_process, case_##name);                   \
    }                                                             \
    static void oci_##name(void)                                  \
    {                                                             \
        fix_run(&runtime_oci, case_##name);                       \
    }
CASES(DEFINE)

static void names(void)
{
    T_OK(runtime_find(S("process")) == &runtime_process);
    T_OK(runtime_find(S("oci")) == &runtime_oci);
    T_OK(runtime_find(S("x")) == NULL);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "shim") == 0)
        return shim_main(argc - 1, argv + 1);
    static const struct test_case tests[] = {
        {"names", names},
#define ROWS(name) {"process_" #name, process_##name}, {"oci_" #name, oci_##name},
        CASES(ROWS)
    };
    return test_main_(argc, argv, tests, ARRAY_LEN(tests));
}
