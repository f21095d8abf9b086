/* rootfs_parts.c - /proc, /sys, /dev, and the root of a container that runs this machine's programs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "agent/isolation/rootfs.h"
#include "rt/file.h"

const char *const rootfs_masked[] = {"/proc/acpi",       "/proc/asound",      "/proc/kcore",        "/proc/keys",
                                     "/proc/latency_stats", "/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug",
                                     "/proc/scsi",       "/sys/firmware",     "/sys/devices/virtual/powercap", NULL};
const char *const rootfs_read_only[] = {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger", NULL};

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC)

/* --- /proc and /sys -------------------------------------------------------------------------------------------- */

/* Version 1: each controller's folder of this container, read-only, where programs look for their limits. */
static int fill_cgroup(const struct shim_spec *s, int root_fd, struct err *err)
{
    const struct cgroups *c = &s->cgroups;
    bool any = false;
    for (size_t i = 0; i < c->layout.n; i++)
        any |= !c->layout.hiers[i].is_v2;
    int r = 0;
    if (any) {
        const char *const options[] = {"mode=755", "size=4k", NULL};
        r = rootfs_attach(rootfs_new_fs("tmpfs", options, SAFE), root_fd, "/sys/fs/cgroup", true, err);
    }
    for (size_t i = 0; i < c->layout.n && r == 0; i++) {
        const struct cgroup_hier *h = &c->layout.hiers[i];
        char dir[CGROUP_PATH], target[CGROUP_PATH];
        const char *name = strrchr(h->mount, '/');
        if ((any && h->is_v2) || !name || !cgroup_dir(c, i, s->c.cgroup, dir) || access(dir, F_OK) < 0)
            continue;
        snprintf(target, sizeof target, "/sys/fs/cgroup%s", any ? name : "");
        r = rootfs_attach(rootfs_clone_tree(AT_FDCWD, dir, !s->c.privileged), root_fd, target, true, err);
    }
    return r;
}

int rootfs_fill_proc_sys(const struct shim_spec *s, int root_fd, struct err *err)
{
    int r = rootfs_attach(rootfs_new_fs("proc", NULL, SAFE), root_fd, "/proc", true, err);
    if (r < 0)
        return r;
    int sys = rootfs_new_fs("sysfs", NULL, SAFE | (s->c.privileged ? 0 : MOUNT_ATTR_RDONLY));
    r = rootfs_attach(sys, root_fd, "/sys", true, err);
    return r < 0 ? r : fill_cgroup(s, root_fd, err);
}

static int mask_one(int root_fd, const char *path, struct err *err)
{
    struct stat st;
    FD_AUTO at = rootfs_open(root_fd, path, O_PATH);
    if (at < 0 || fstat(at, &st) < 0)
        return 0; /* not on this kernel */
    const char *const options[] = {"mode=755", "size=4k", NULL};
    bool is_dir = S_ISDIR(st.st_mode);
    /* Read-only is for the node's mode and owner, which are the machine's: what is written to a device passes. */
    int over = is_dir ? rootfs_new_fs("tmpfs", options, SAFE | MOUNT_ATTR_RDONLY) : rootfs_clone_tree(AT_FDCWD, "/dev/null", true);
    return rootfs_attach(over, root_fd, path, is_dir, err);
}

int rootfs_mask(const struct shim_spec *s, int root_fd, struct err *err)
{
    if (s->c.privileged || s->c.unmasked_proc)
        return 0;
    int r = 0;
    for (size_t i = 0; rootfs_masked[i] && r == 0; i++)
        r = mask_one(root_fd, rootfs_masked[i], err);
    for (size_t i = 0; rootfs_read_only[i] && r == 0; i++) {
        FD_AUTO at = rootfs_open(root_fd, rootfs_read_only[i], O_PATH);
        if (at >= 0)
            r = rootfs_attach(rootfs_clone_tree(at, "", true), root_fd, rootfs_read_only[i], true, err);
    }
    return r;
}

/* --- /dev ------------------------------------------------------------------------------------------------------- */

static const char *const nodes[] = {"null", "zero", "full", "random", "urandom", "tty"};

/* A machine that lets nobody make device nodes (a container itself) still lets them be bound. */
static int make_node(int root_fd, const char *source, const char *target, mode_t mode, struct err *err)
{
    struct stat st;
    if (stat(source, &st) < 0)
        return err_sys(err, errno, "cannot find the device %s", source);
    if (!S_ISCHR(st.st_mode) && !S_ISBLK(st.st_mode))
        return err_set(err, E_INVALID_ARG, "%s is not a device", source);
    char *folder CLEANUP(free) = file_dirname(target);
    FD_AUTO parent = rootfs_open_or_make(root_fd, folder, true);
    const char *name = strrchr(target, '/');
    name = name ? name + 1 : target;
    if (parent >= 0 && mknodat(parent, name, (st.st_mode & S_IFMT) | mode, st.st_rdev) == 0) {
        err_ignore(fchownat(parent, name, st.st_uid, st.st_gid, 0), "root owns it otherwise");
        return fchmodat(parent, name, mode, 0) < 0 ? err_sys(err, errno, "cannot set the mode of %s", target) : 0;
    }
    return rootfs_attach(rootfs_clone_tree(AT_FDCWD, source, true), root_fd, target, false, err); /* read-only: nobody changes the mode of the machine's node */
}

static int walk_devices(const char *folder, unsigned depth, rootfs_device_fn *visit, void *arg, struct err *err)
{
    DIR *d = opendir(folder);
    int r = 0;
    for (struct dirent *e; d && r == 0 && (e = readdir(d));) {
        static const char *const own[] = {"pts", "shm", "mqueue", "fd", "console", "ptmx", "hugepages"};
        char path[512];
        struct stat st;
        bool skip = e->d_name[0] == '.';
        for (size_t i = 0; i < ARRAY_LEN(own); i++)
            skip |= depth == 0 && strcmp(e->d_name, own[i]) == 0;
        for (size_t i = 0; i < ARRAY_LEN(nodes); i++)
            skip |= depth == 0 && strcmp(e->d_name, nodes[i]) == 0;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (skip || lstat(path, &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && depth < 3)
            r = walk_devices(path, depth + 1, visit, arg, err);
        else if (S_ISCHR(st.st_mode) || S_ISBLK(st.st_mode))
            r = visit(arg, path, &st, err);
    }
    if (d)
        closedir(d);
    return r;
}

int rootfs_devices(rootfs_device_fn *visit, void *arg, struct err *err)
{
    return walk_devices("/dev", 0, visit, arg, err);
}

static int make_same_node(void *arg, const char *path, const struct stat *st, struct err *err)
{
    const int *root_fd = arg;
    return make_node(*root_fd, path, path, st->st_mode & 07777, err);
}

static int fill_links(int dev_fd, struct err *err)
{
    static const char *const links[][2] = {{"/proc/self/fd", "fd"},     {"/proc/self/fd/0", "stdin"}, {"/proc/self/fd/1", "stdout"},
                                           {"/proc/self/fd/2", "stderr"}, {"pts/ptmx", "ptmx"}};
    for (size_t i = 0; i < ARRAY_LEN(links); i++) {
        if (symlinkat(links[i][0], dev_fd, links[i][1]) < 0)
            return err_sys(err, errno, "cannot make /dev/%s", links[i][1]);
    }
    return 0;
}

static int fill_dev_mounts(const struct shim_spec *s, int root_fd, struct err *err)
{
    const char *const pts[] = {"mode=0620", "ptmxmode=0666", "gid=5", NULL};
    const char *const shm[] = {"mode=1777", "size=64m", NULL};
    int r = rootfs_attach(rootfs_new_fs("devpts", pts, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), root_fd, "/dev/pts", true, err);
    if (r < 0)
        return r;
    int fd = s->shm ? rootfs_clone_tree(AT_FDCWD, s->shm, false) : rootfs_new_fs("tmpfs", shm, SAFE);
    r = rootfs_attach(fd, root_fd, "/dev/shm", true, err);
    if (r < 0)
        return r;
    fd = rootfs_new_fs("mqueue", NULL, SAFE);
    return fd < 0 ? 0 : rootfs_attach(fd, root_fd, "/dev/mqueue", true, err); /* a kernel without message queues is fine */
}

int rootfs_fill_dev(const struct shim_spec *s, int root_fd, struct err *err)
{
    const char *const options[] = {"mode=755", "size=64k", NULL};
    int r = rootfs_attach(rootfs_new_fs("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC), root_fd, "/dev", true, err);
    if (r < 0)
        return r;
    FD_AUTO dev = rootfs_open(root_fd, "/dev", O_RDONLY | O_DIRECTORY);
    if (dev < 0)
        return err_sys(err, -dev, "cannot open /dev");
    for (size_t i = 0; i < ARRAY_LEN(nodes) && r == 0; i++) {
        char path[32];
        snprintf(path, sizeof path, "/dev/%s", nodes[i]);
        r = make_node(root_fd, path, path, 0666, err);
    }
    if (r == 0 && s->c.privileged)
        r = rootfs_devices(make_same_node, &root_fd, err);
    if (r == 0)
        r = fill_links(dev, err);
    if (r == 0)
        r = fill_dev_mounts(s, root_fd, err);
    for (size_t i = 0; i < s->c.ndevices && r == 0; i++)
        r = make_node(root_fd, s->c.devices[i].source, s->c.devices[i].target, 0666, err);
    return r;
}

/* --- this machine's programs -------------------------------------------------------------------------------------- */

#define COPY_BYTES (64u << 10)

static int bind_same(int root_fd, const char *path, bool is_dir, struct err *err)
{
    return rootfs_attach(rootfs_clone_tree(AT_FDCWD, path, true), root_fd, path, is_dir, err);
}

static int copy_file(int root_fd, const char *path, off_t size, mode_t mode, struct err *err)
{
    char *text CLEANUP(free) = NULL;
    size_t len = 0;
    int r = file_read(path, (size_t)size + COPY_BYTES, &text, &len, err);
    if (r < 0)
        return r;
    FD_AUTO made = rootfs_open_or_make(root_fd, path, false);
    FD_AUTO to = rootfs_open(root_fd, path, O_WRONLY | O_NOFOLLOW);
    if (made < 0 || to < 0 || write(to, text, len) != (ssize_t)len || fchmod(to, mode & 07777) < 0)
        return err_sys(err, errno, "cannot copy %s", path);
    return 0;
}

/* The same path inside: links as links, small files as copies (cheaper than a mount), the rest bound read-only.  Absent: nothing. */
static int take_path(int root_fd, const char *path, struct err *err)
{
    struct stat st;
    if (lstat(path, &st) < 0)
        return 0;
    if (S_ISLNK(st.st_mode)) {
        char target[1024];
        ssize_t n = readlink(path, target, sizeof target - 1);
        target[MAX(n, 0)] = 0;
        if (n < 0 || (symlinkat(target, root_fd, path + 1) < 0 && errno != EEXIST))
            return err_sys(err, errno, "cannot make the link %s", path);
        return 0;
    }
    if (S_ISREG(st.st_mode) && st.st_size <= COPY_BYTES)
        return copy_file(root_fd, path, st.st_size, st.st_mode, err);
    return bind_same(root_fd, path, S_ISDIR(st.st_mode), err);
}

/* What programs need of /etc.  Not /etc/ssl: it has a folder of private keys. */
static const char *const taken[] = {"/usr",
                                    "/bin",
                                    "/sbin",
                                    "/lib",
                                    "/lib32",
                                    "/lib64",
                                    "/libx32",
                                    "/etc/alternatives",
                                    "/etc/ca-certificates.conf",
                                    "/etc/debian_version",
                                    "/etc/gai.conf",
                                    "/etc/group",
                                    "/etc/host.conf",
                                    "/etc/ld.so.cache",
                                    "/etc/ld.so.conf",
                                    "/etc/ld.so.conf.d",
                                    "/etc/localtime",
                                    "/etc/mime.types",
                                    "/etc/nsswitch.conf",
                                    "/etc/os-release",
                                    "/etc/passwd",
                                    "/etc/protocols",
                                    "/etc/services",
                                    "/etc/ssl/certs",
                                    "/etc/ssl/openssl.cnf",
                                    "/etc/timezone"};
static const struct {
    const char *path;
    mode_t mode;
} folders[] = {{"dev", 0755},     {"etc", 0755},     {"etc/ssl", 0755}, {"home", 0755}, {"mnt", 0755},      {"opt", 0755},     {"proc", 0555},
               {"root", 0700},    {"run", 0755},     {"srv", 0755},     {"sys", 0555},  {"tmp", 01777},     {"var", 0755},     {"var/cache", 0755},
               {"var/lib", 0755}, {"var/log", 0755}, {"var/tmp", 01777}};

/* This program runs in such containers (the built-in web server), wherever it lies. */
static int take_program(const struct shim_spec *s, int root_fd, struct err *err)
{
    if (!s->program || strcmp(s->c.argv[0], s->program) != 0 || str_has_prefix(str_of(s->program), S("/usr/")))
        return 0;
    return bind_same(root_fd, s->program, false, err);
}

int rootfs_host_fill(const struct shim_spec *s, int root_fd, struct err *err)
{
    for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
        if (mkdirat(root_fd, folders[i].path, folders[i].mode) < 0 || fchmodat(root_fd, folders[i].path, folders[i].mode, 0) < 0)
            return err_sys(err, errno, "cannot make the folder /%s", folders[i].path);
    }
    if (symlinkat("/run", root_fd, "var/run") < 0)
        return err_sys(err, errno, "cannot make the link /var/run");
    int r = 0;
    for (size_t i = 0; i < ARRAY_LEN(taken) && r == 0; i++)
        r = take_path(root_fd, taken[i], err);
    return r < 0 ? r : take_program(s, root_fd, err);
}
