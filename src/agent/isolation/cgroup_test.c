/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/cgroup.h"

#include <signal.h>
#include <sys/stat.h>

#include "base/test.h"

#define V1_MOUNTS                                                                                   \
    "22 27 0:21 / /proc rw,relatime - proc proc rw\n"                                               \
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"                           \
    "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n" \
    "33 31 0:30 / /sys/fs/cgroup/memory rw,relatime shared:10 master:1 - cgroup cgroup rw,memory\n"  \
    "34 31 0:31 / /sys/fs/cgroup/systemd rw,relatime - cgroup cgroup rw,xattr,name=systemd\n"       \
    "35 31 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
#define V1_SELF "4:pids:/\n3:memory:/a/b\n2:cpu,cpuacct:/\n1:name=systemd:/\n"

TEST(layout_of_version_1)
{
    struct cgroup_layout l;
    cgroup_layout_parse(S(V1_MOUNTS), S(V1_SELF), &l);
    T_EQ_INT(l.n, 4);
    T_EQ_STR(str_of(l.hiers[0].mount), "/sys/fs/cgroup/cpu,cpuacct");
    T_EQ_INT(l.hiers[0].controllers, 1 << CGROUP_CPU | 1 << CGROUP_CPUACCT);
    T_EQ_STR(str_of(l.hiers[1].mount), "/sys/fs/cgroup/memory");
    T_EQ_INT(l.hiers[2].controllers, 0); /* systemd's */
    T_EQ_INT(l.hiers[3].controllers, 1 << CGROUP_PIDS);
    T_OK(!l.hiers[0].is_v2);
    struct cgroups c = {.layout = l, .root = "cox"};
    T_OK(cgroups_has(&c, CGROUP_MEMORY));
    T_OK(!cgroups_has(&c, CGROUP_HUGETLB));
    char dir[CGROUP_PATH];
    T_OK(cgroup_dir(&c, 1, "kubepods/podX/web-0", dir));
    T_EQ_STR(str_of(dir), "/sys/fs/cgroup/memory/cox/kubepods/podX/web-0");
    T_OK(cgroup_dir(&c, 1, "", dir));
    T_EQ_STR(str_of(dir), "/sys/fs/cgroup/memory/cox");
}

TEST(layout_of_version_2)
{
    struct cgroup_layout l;
    cgroup_layout_parse(S("25 30 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"), S("0::/user.slice\n"), &l);
    T_EQ_INT(l.n, 1);
    T_OK(l.hiers[0].is_v2);
    T_EQ_STR(str_of(l.hiers[0].mount), "/sys/fs/cgroup");
    T_EQ_INT(cgroup_controllers_parse(S("cpuset cpu io memory hugetlb pids rdma misc\n")),
             1 << CGROUP_CPUSET | 1 << CGROUP_CPU | 1 << CGROUP_MEMORY | 1 << CGROUP_HUGETLB | 1 << CGROUP_PIDS);
    T_EQ_INT(cgroup_controllers_parse(S("")), 0);
}

TEST(layout_of_both)
{
    struct cgroup_layout l;
    cgroup_layout_parse(S(V1_MOUNTS "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n"), S(V1_SELF "0::/\n"), &l);
    T_EQ_INT(l.n, 5);
    T_OK(l.hiers[4].is_v2);
    T_EQ_STR(str_of(l.hiers[4].mount), "/sys/fs/cgroup/unified");
}

TEST(layout_of_odd_texts)
{
    struct cgroup_layout l;
    cgroup_layout_parse(S(""), S(""), &l);
    T_EQ_INT(l.n, 0);
    cgroup_layout_parse(S("1 2 3\n- cgroup2\n\n25 30 0:26 / /a rw cgroup2 x y\n"), S("::\n:\n"), &l);
    T_EQ_INT(l.n, 0);
    /* a second mount of the same hierarchy: the one below /sys counts, whatever the order */
    cgroup_layout_parse(S("25 30 0:26 / /chroot/my\\040cg rw - cgroup2 cgroup2 rw\n26 30 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"), S("0::/\n"), &l);
    T_EQ_INT(l.n, 1);
    T_EQ_STR(str_of(l.hiers[0].mount), "/sys/fs/cgroup");
    cgroup_layout_parse(S("25 30 0:26 / /my\\040cg rw - cgroup2 cgroup2 rw\n"), S("0::/\n"), &l);
    T_EQ_STR(str_of(l.hiers[0].mount), "/my cg");
    /* a hierarchy that the kernel does not list for us is none */
    cgroup_layout_parse(S("35 31 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"), S("3:memory:/\n"), &l);
    T_EQ_INT(l.n, 0);
}

TEST(keyed_values)
{
    uint64_t v = 7;
    T_OK(cgroup_keyed_value(S("low 0\noom 1\noom_kill 3\n"), S("oom_kill"), &v));
    T_EQ_INT(v, 3);
    T_OK(!cgroup_keyed_value(S("oom_kill_disable 0\n"), S("oom_kill"), &v));
    T_OK(!cgroup_keyed_value(S("oom_kill x\n"), S("oom_kill"), &v));
    T_EQ_INT(cgroup_weight_of_shares(2), 1);
    T_EQ_INT(cgroup_weight_of_shares(0), 1);
    T_EQ_INT(cgroup_weight_of_shares(1024), 39);
    T_EQ_INT(cgroup_weight_of_shares(262144), 10000);
    T_EQ_INT(cgroup_weight_of_shares(99999999), 10000);
}

TEST(nothing_without_hierarchies)
{
    struct cgroups c = {.root = "cox"};
    struct err err = ERR_NONE;
    T_NO_ERR(cgroup_create(&c, "a", &(struct cgroup_limits){.memory_bytes = 1 << 20}, &err), &err);
    T_NO_ERR(cgroup_enter(&c, "a", &err), &err);
    T_EQ_INT(cgroup_count(&c, "a"), -1);
    T_OK(!cgroup_kill(&c, "a", NSEC_PER_SEC));
    T_NO_ERR(cgroup_remove(&c, "a", 0, &err), &err);
    T_EQ_INT(cgroup_v2_open(&c, "a"), -1);
    struct cgroup_usage u;
    T_OK(!cgroup_usage_get(&c, "a", &u));
}

TEST(files_of_a_fake_version_2)
{
    const char *dir = T_TMPDIR();
    struct cgroups c = {.root = "cox"};
    c.layout.n = 1;
    c.layout.hiers[0] = (struct cgroup_hier){.is_v2 = true, .controllers = 1 << CGROUP_MEMORY | 1 << CGROUP_CPU | 1 << CGROUP_PIDS};
    snprintf(c.layout.hiers[0].mount, sizeof c.layout.hiers[0].mount, "%s", dir);
    struct err err = ERR_NONE;
    T_NO_ERR(cgroup_create(&c, "p/x", &(struct cgroup_limits){.pids = 5}, &err), &err); /* no such file: skipped, not failed */
    char path[256];
    static const struct {
        const char *name, *text;
    } files[] = {{"memory.current", "5000\n"}, {"memory.stat", "anon 10\ninactive_file 1000\n"}, {"memory.max", "max\n"}, {"cpu.stat", "usage_usec 7\n"},
                 {"pids.current", "2\n"},     {"memory.events", "oom 1\noom_kill 2\n"},        {"cgroup.procs", ""},    {"pids.max", "max"},
                 {"cpu.max", ""},             {"cpu.weight", ""}};
    for (size_t i = 0; i < ARRAY_LEN(files); i++) {
        snprintf(path, sizeof path, "%s/cox/p/x/%s", dir, files[i].name);
        FILE *f = fopen(path, "w");
        fputs(files[i].text, f);
        fclose(f);
    }
    struct cgroup_usage u = {0};
    T_OK(cgroup_usage_get(&c, "p/x", &u));
    T_EQ_INT(u.memory_bytes, 4000);
    T_EQ_INT(u.memory_limit_bytes, 0);
    T_EQ_INT(u.cpu_ns, 7000);
    T_EQ_INT(u.pids, 2);
    T_EQ_INT(cgroup_oom_kills(&c, "p/x"), 2);
    T_NO_ERR(cgroup_create(&c, "p/x", &(struct cgroup_limits){.cpu_quota_us = 50000, .cpu_shares = 1024}, &err), &err);
    FILE *f = fopen((snprintf(path, sizeof path, "%s/cox/p/x/cpu.max", dir), path), "r");
    char text[64] = "";
    T_OK(fgets(text, sizeof text, f));
    fclose(f);
    T_EQ_STR(str_of(text), "50000 100000");
    STRBUF_AUTO rm = STRBUF_HEAP;
    strbuf_addf(&rm, "rm -rf '%s'", dir);
    T_EQ_INT(system(rm.p), 0);
}

/* On the machine itself: a real cgroup with a process that refuses to end. */
TEST(real_cgroup)
{
    struct cgroups c;
    char root[64];
    snprintf(root, sizeof root, "cox-test-%d", getpid());
    cgroups_open(&c, root);
    struct err err = ERR_NONE;
    if (geteuid() != 0 || !c.layout.n || cgroup_create(&c, "a/b", &(struct cgroup_limits){.memory_bytes = 64 << 20, .cpu_shares = 200, .cpu_quota_us = 20000, .pids = 20}, &err) < 0 ||
        cgroup_count(&c, "a/b") < 0) {
        printf("# no control groups to write here: nothing to check\n");
        return;
    }
    pid_t pid = fork();
    if (pid == 0) {
        signal(SIGTERM, SIG_IGN);
        if (cgroup_enter(&c, "a/b", &err) < 0)
            _exit(1);
        fork();
        for (;;)
            pause();
    }
    for (int i = 0; i < 12000 && cgroup_count(&c, "a/b") < 2; i++)
        usleep(10000);
    T_EQ_INT(cgroup_count(&c, "a/b"), 2);
    T_EQ_INT(cgroup_count(&c, "a"), 2);
    struct cgroup_usage u = {0};
    T_OK(cgroup_usage_get(&c, "a/b", &u));
    if (cgroups_has(&c, CGROUP_MEMORY))
        T_EQ_INT(u.memory_limit_bytes, 64 << 20);
    T_EQ_INT(cgroup_oom_kills(&c, "a/b"), 0);
    T_OK(cgroup_kill(&c, "a/b", 120 * NSEC_PER_SEC));
    int status = 0;
    waitpid(pid, &status, 0);
    T_OK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    T_NO_ERR(cgroup_remove(&c, "", 60 * NSEC_PER_SEC, &err), &err);
    T_EQ_INT(cgroup_count(&c, "a"), -1);
}

TEST_MAIN(layout_of_version_1, layout_of_version_2, layout_of_both, layout_of_odd_texts, keyed_values, nothing_without_hierarchies, files_of_a_fake_version_2, real_cgroup)
