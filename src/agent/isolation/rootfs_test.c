/* rootfs_test.c - users in /etc/passwd, specs that travel as JSON, and an OCI configuration: what needs no container to be tried. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>

#include "agent/runtime/runtime_bundle.h"
#include "base/test.h"
#include "rt/file.h"

#define PASSWD "root:x:0:0:root:/root:/bin/sh\nweb:x:77:78:web:/srv/web:/bin/sh\n\nbroken\n1000:x:5:6::/five:\nlong:x:99999999999:1::/:\n"
#define GROUP "root:x:0:\nweb:x:78:\nextra:x:90:web,other\nmore:x:91:other, web\n"

static int find(const char *user, struct rootfs_user *u, struct err *err)
{
    return rootfs_user_find(S(PASSWD), S(GROUP), str_of(user), u, err);
}

TEST(users)
{
    struct rootfs_user u;
    struct err err = ERR_NONE;
    T_NO_ERR(find("", &u, &err), &err);
    T_EQ_INT(u.uid, 0);
    T_EQ_STR(str_of(u.home), "/root");
    T_NO_ERR(find("web", &u, &err), &err);
    T_EQ_INT(u.uid, 77);
    T_EQ_INT(u.gid, 78);
    T_EQ_INT(u.ngroups, 2);
    T_EQ_INT(u.groups[0], 90);
    T_EQ_INT(u.groups[1], 91);
    T_EQ_STR(str_of(u.home), "/srv/web");
    T_NO_ERR(find("77", &u, &err), &err);
    T_EQ_INT(u.gid, 78);
    T_NO_ERR(find("1000", &u, &err), &err); /* a name that looks like a number is a name */
    T_EQ_INT(u.uid, 5);
    T_NO_ERR(find("4711", &u, &err), &err);
    T_EQ_INT(u.uid, 4711);
    T_EQ_INT(u.gid, 0);
    T_EQ_STR(str_of(u.home), "/");
    T_NO_ERR(find("web:extra", &u, &err), &err);
    T_EQ_INT(u.gid, 90);
    T_EQ_INT(u.ngroups, 0);
    T_NO_ERR(find("12:34", &u, &err), &err);
    T_EQ_INT(u.uid, 12);
    T_EQ_INT(u.gid, 34);
    T_ERR(find("nobody", &u, &err), E_INVALID_ARG);
    T_ERR(find("web:nogroup", &u, &err), E_INVALID_ARG);
    T_ERR(find("99999999999", &u, &err), E_INVALID_ARG);
    T_ERR(find("-1", &u, &err), E_INVALID_ARG);
}

TEST(paths_stay_inside)
{
    const char *dir = T_TMPDIR();
    FD_AUTO root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    T_EQ_INT(symlinkat("../../../../../etc", root, "out"), 0);
    T_EQ_INT(symlinkat("/nowhere/yet", root, "dangling"), 0);
    T_EQ_INT(symlinkat("loop", root, "loop"), 0);
    T_EQ_INT(rootfs_open(root, "/out/passwd", O_PATH), -ENOENT); /* a machine's /etc/passwd exists, an image's does not */
    struct stat st;
    FD_AUTO made = rootfs_open_or_make(root, "/out/a/b", true);
    T_OK(made >= 0 && fstat(made, &st) == 0 && S_ISDIR(st.st_mode));
    T_EQ_INT(fstatat(root, "etc/a/b", &st, 0), 0);
    FD_AUTO file = rootfs_open_or_make(root, "dangling/deep/file", false);
    T_OK(file >= 0 && fstat(file, &st) == 0 && S_ISREG(st.st_mode));
    T_EQ_INT(fstatat(root, "nowhere/yet/deep/file", &st, 0), 0);
    FD_AUTO up = rootfs_open_or_make(root, "../../../up/", true);
    T_OK(up >= 0);
    T_EQ_INT(fstatat(root, "up", &st, 0), 0);
    T_OK(rootfs_open_or_make(root, "loop/x", true) < 0);
    T_OK(rootfs_open_or_make(root, "nowhere/yet/deep/file/below", true) < 0);
    FD_AUTO self = rootfs_open_or_make(root, "/", true);
    T_OK(self >= 0);
    struct err err = ERR_NONE;
    T_NO_ERR(file_remove_all(dir, &err), &err);
}

/* --- specs ------------------------------------------------------------------------------------------------------------ */

static void fill(struct shim_spec *s)
{
    static const char *const argv[] = {"a", "b \"c\"\n", "", NULL}, *const env[] = {"X=1", NULL}, *const layers[] = {"/l/0", "/l/1", NULL};
    static const struct mount_spec mounts[] = {
        {.kind = MOUNT_BIND, .source = "/s", .target = "/z", .read_only = true, .propagation = MOUNT_FROM_HOST},
        {.kind = MOUNT_TMPFS, .target = "/a", .size_bytes = 1ull << 40, .mode = 0700},
    };
    static const struct device_spec devices[] = {{.source = "/dev/null", .target = "/dev/thing", .access = "rw"}};
    static const uint32_t groups[] = {7, 4000000000u};
    memset(s, 0, sizeof *s);
    *s = (struct shim_spec){.id = "id", .ipc_ns = "/ns/ipc", .uts_ns = "/ns/uts", .shm = "/shm", .program = "/cox", .oci = "/runc", .oci_root = "/oci"};
    s->sandbox = (struct sandbox_spec){.uid = S("u"), .ns = S("n"), .name = S("p"), .dir = "/pods/u", .hostname = "h", .share_pid = true, .netns = "/ns/net", .cgroup = "kubepods/u"};
    s->c = (struct container_spec){.sandbox = &s->sandbox, .name = S("c"), .attempt = 3, .dir = "/d", .log_path = "/log", .argv = argv, .env = env, .root = ROOT_LAYERS, .layers = layers,
                                   .read_only_root = true, .mounts = mounts, .nmounts = 2, .devices = devices, .ndevices = 1, .user = "web", .uid = 4294967295u, .has_gid = true, .gid = 5,
                                   .groups = groups, .ngroups = 2, .no_new_privs = true, .caps = 1ull << 63 | 1, .seccomp = SECCOMP_RUNTIME_DEFAULT, .cgroup = "kubepods/u/c-3",
                                   .limits = {.cpu_shares = 1024, .cpu_quota_us = 50000, .memory_bytes = 1ull << 33, .pids = 9, .hugepages_2mi = 4 << 20, .cpus = "0-1"},
                                   .oom_score_adj = -997, .tty = true, .stdin_open = true, .termination_log = "/tl", .termination_path = "/dev/tl", .log_max_bytes = 5, .log_max_files = 6};
    snprintf(s->cgroups.root, sizeof s->cgroups.root, "cox");
    s->cgroups.layout.n = 1;
    s->cgroups.layout.hiers[0] = (struct cgroup_hier){.mount = "/sys/fs/cgroup/memory", .controllers = 8};
}

TEST(specs_travel)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shim_spec s, back;
    struct err err = ERR_NONE;
    fill(&s);
    str text = shim_spec_write(&a, &s);
    T_NO_ERR(shim_spec_parse(&a, text, &back, &err), &err);
    str again = shim_spec_write(&a, &back);
    T_EQ_STR(again, arena_cstr(&a, text));
    T_OK(back.c.caps == (1ull << 63 | 1));
    T_EQ_INT(back.c.uid, 4294967295u);
    T_EQ_INT(back.c.groups[1], 4000000000u);
    T_EQ_INT(back.c.oom_score_adj, -997);
    T_EQ_STR(str_of(back.c.argv[1]), "b \"c\"\n");
    T_OK(back.c.argv[2][0] == 0 && back.c.argv[3] == NULL);
    T_OK(back.pid_ns == NULL && back.c.cwd == NULL);
    T_EQ_INT(back.c.mounts[0].propagation, MOUNT_FROM_HOST);
    T_OK(back.c.sandbox == &back.sandbox && back.sandbox.share_pid);
    T_EQ_STR(str_of(back.cgroups.layout.hiers[0].mount), "/sys/fs/cgroup/memory");
    T_ERR(shim_spec_parse(&a, S("{}"), &back, &err), E_INVALID_ARG);
    T_ERR(shim_spec_parse(&a, S("{"), &back, &err), E_PARSE);
}

TEST(state_and_exit_files)
{
    const char *dir = T_TMPDIR();
    ARENA_AUTO a = ARENA_INIT;
    struct err err = ERR_NONE;
    struct shim_state s = {0};
    struct shim_exit e = {0};
    T_OK(!shim_state_read(dir, &s));
    T_OK(!shim_exit_read(&a, dir, &e));
    T_NO_ERR(shim_state_write(dir, &(struct shim_state){.shim = 5, .shim_start = 6, .pid = 7, .pid_start = 8, .started_at = 9}, &err), &err);
    T_NO_ERR(shim_exit_write(dir, &(struct shim_exit){.exit_code = 137, .signal = 9, .oom = true, .finished_at = 1ll << 60, .reason = S("R"), .message = S("m \"q\"")}, &err), &err);
    T_OK(shim_state_read(dir, &s));
    T_EQ_INT(s.pid_start, 8);
    T_OK(shim_exit_read(&a, dir, &e));
    T_EQ_INT(e.finished_at, 1ll << 60);
    T_OK(e.oom);
    T_EQ_STR(e.message, "m \"q\"");
    T_OK(shim_proc_start(getpid()) > 0);
    T_EQ_INT(shim_proc_start(0x7ffffff0), 0);
    T_NO_ERR(file_remove_all(dir, &err), &err);
}

/* --- config.json ---------------------------------------------------------------------------------------------------------- */

static const struct json *mount_at(const struct json *config, const char *target)
{
    const struct json *list = json_get(config, S("mounts"));
    for (size_t i = 0; i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("destination")), target))
            return &list->items[i];
    }
    return NULL;
}

static bool lists(const struct json *list, const char *word)
{
    for (size_t i = 0; list && i < list->len; i++) {
        if (str_is(json_str(&list->items[i]), word))
            return true;
    }
    return false;
}

TEST(bundle)
{
    ARENA_AUTO a = ARENA_INIT;
    struct shim_spec s;
    fill(&s);
    s.c.caps = 1ull << CAP_CHOWN | 1ull << CAP_SYS_RESOURCE;
    struct rootfs_user u = {.uid = 77, .gid = 78, .groups = {90}, .ngroups = 1, .home = "/srv/web"};
    struct bundle_machine m = {.caps = ~(1ull << CAP_SYS_RESOURCE), .oom_score_adj = 0, .nofile = 20000};
    struct json c = bundle_config(&a, &s, &u, &m);
    const struct json *process = json_get(&c, S("process")), *lin = json_get(&c, S("linux"));
    T_EQ_INT(json_get_int(json_get(process, S("user")), S("uid"), -1), 77);
    T_EQ_INT(json_get_int(process, S("oomScoreAdj"), 1), 0); /* it cannot be lowered here */
    T_OK(lists(json_path(process, "capabilities", "bounding", NULL), "CAP_CHOWN"));
    T_OK(!lists(json_path(process, "capabilities", "bounding", NULL), "CAP_SYS_RESOURCE"));
    T_OK(json_path(process, "capabilities", "ambient", NULL) == NULL);
    T_OK(lists(json_get(process, S("env")), "HOME=/srv/web"));
    T_OK(lists(json_get(process, S("env")), "TERM=xterm"));
    T_OK(json_get_bool(process, S("terminal"), false) && json_get_bool(process, S("noNewPrivileges"), false));
    T_EQ_STR(json_get_str(lin, S("cgroupsPath")), "/cox/kubepods/u/c-3");
    T_EQ_INT(json_get_int(json_path(lin, "resources", "memory", NULL), S("limit"), 0), 1ll << 33);
    T_EQ_INT(json_get_int(json_path(lin, "resources", "cpu", NULL), S("period"), 0), 100000);
    T_EQ_STR(json_get_str(json_path(lin, "resources", "cpu", NULL), S("cpus")), "0-1");
    T_EQ_INT(json_path(lin, "resources", "hugepageLimits", NULL)->len, 1);
    T_OK(lists(json_get(lin, S("maskedPaths")), "/proc/kcore"));
    T_OK(json_get(lin, S("seccomp")) != NULL);
    T_EQ_INT(json_get(lin, S("namespaces"))->len, 5); /* mount, pid, ipc, uts, network */
    T_OK(lists(json_get(mount_at(&c, "/z"), S("options")), "ro") && lists(json_get(mount_at(&c, "/z"), S("options")), "rslave"));
    T_OK(lists(json_get(mount_at(&c, "/a"), S("options")), "mode=700") && lists(json_get(mount_at(&c, "/a"), S("options")), "size=1099511627776"));
    T_EQ_STR(json_get_str(mount_at(&c, "/dev/tl"), S("source")), "/tl");
    T_EQ_STR(json_get_str(mount_at(&c, "/dev/shm"), S("source")), "/shm");
    T_OK(mount_at(&c, "/a") < mount_at(&c, "/z")); /* sorted */
    s.c.privileged = true;
    s.sandbox.host_pid = true;
    m.caps = ~0ull;
    c = bundle_config(&a, &s, &u, &m);
    lin = json_get(&c, S("linux"));
    T_OK(json_get(lin, S("seccomp")) == NULL && json_get(lin, S("maskedPaths")) == NULL);
    T_OK(lists(json_path(&c, "process", "capabilities", "effective", NULL), "CAP_SYS_ADMIN"));
    T_EQ_INT(json_get(lin, S("namespaces"))->len, 4);
    T_EQ_INT(json_get_int(json_get(&c, S("process")), S("oomScoreAdj"), 1), -997);
}

TEST_MAIN(users, paths_stay_inside, specs_travel, state_and_exit_files, bundle)
