/* rootfs.c - the root itself and the spec's mounts. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/isolation/rootfs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rt/file.h"

#define LAYERS_MAX 200

/* --- by descriptor ------------------------------------------------------------------------------------------ */

int rootfs_open(int root_fd, const char *path, int flags)
{
    struct open_how how = {.flags = (uint64_t)flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    while (*path == '/')
        path++;
    for (;;) {
        int fd = (int)syscall(SYS_openat2, root_fd, *path ? path : ".", &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR)) /* EAGAIN: something was renamed meanwhile */
            return fd >= 0 ? fd : -errno;
    }
}

/* Makes the last part of a path whose folder exists. */
static int make_last(int root_fd, char *path, bool is_dir)
{
    char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    if (slash)
        *slash = 0;
    FD_AUTO parent = rootfs_open(root_fd, slash ? path : "", O_PATH | O_DIRECTORY);
    if (slash)
        *slash = '/';
    if (parent < 0)
        return parent;
    if (is_dir)
        return mkdirat(parent, name, 0755) < 0 && errno != EEXIST ? -errno : 0;
    FD_AUTO file = openat(parent, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0644);
    return file < 0 && errno != EEXIST ? -errno : 0;
}

static int open_or_make(int root_fd, const char *path, bool is_dir, unsigned links);

/* A link whose target does not exist: what is made is the target, inside the root whatever the link says. */
static int make_link_target(int root_fd, const char *path, bool is_dir, unsigned links)
{
    char target[2048], joined[4096];
    FD_AUTO at = -1;
    const char *slash = strrchr(path, '/');
    char *parent CLEANUP(free) = slash ? str_dup(str_n(path, (size_t)(slash - path))) : xstrdup("");
    at = rootfs_open(root_fd, parent, O_PATH | O_DIRECTORY);
    ssize_t n = at < 0 ? -1 : readlinkat(at, slash ? slash + 1 : path, target, sizeof target - 1);
    if (n <= 0 || links == 0)
        return -ENOENT;
    target[n] = 0;
    snprintf(joined, sizeof joined, "%s%s%s", target[0] == '/' ? "" : parent, target[0] == '/' || !*parent ? "" : "/", target);
    FD_AUTO made = open_or_make(root_fd, joined, is_dir, links - 1);
    return MIN(made, 0);
}

static int open_or_make(int root_fd, const char *path, bool is_dir, unsigned links)
{
    int fd = rootfs_open(root_fd, path, O_PATH);
    if (fd != -ENOENT)
        return fd;
    char buf[4096];
    while (*path == '/')
        path++;
    size_t len = strlen(path);
    while (len && path[len - 1] == '/')
        len--;
    if (!len || len >= sizeof buf)
        return -ENAMETOOLONG;
    memcpy(buf, path, len);
    buf[len] = 0;
    for (size_t i = 1; i <= len; i++) {
        if (buf[i] != '/' && i != len)
            continue;
        char end = buf[i];
        buf[i] = 0;
        FD_AUTO have = rootfs_open(root_fd, buf, O_PATH);
        int r = have == -ENOENT ? make_last(root_fd, buf, i < len || is_dir) : MIN(have, 0);
        FD_AUTO now = r < 0 || have >= 0 ? -1 : rootfs_open(root_fd, buf, O_PATH);
        if (r == 0 && now == -ENOENT)
            r = make_link_target(root_fd, buf, i < len || is_dir, links);
        if (r < 0)
            return r;
        buf[i] = end;
    }
    return rootfs_open(root_fd, buf, O_PATH);
}

int rootfs_open_or_make(int root_fd, const char *path, bool is_dir)
{
    return open_or_make(root_fd, path, is_dir, 8);
}

static int set_attr(int mount_fd, uint64_t attrs, uint64_t propagation)
{
    struct mount_attr a = {.attr_set = attrs, .propagation = propagation};
    return mount_setattr(mount_fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &a, sizeof a) < 0 ? -errno : 0;
}

int rootfs_clone_tree(int at_fd, const char *path, bool read_only)
{
    int fd = open_tree(at_fd, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | (*path ? 0 : AT_EMPTY_PATH));
    if (fd < 0)
        return -errno;
    int r = read_only ? set_attr(fd, MOUNT_ATTR_RDONLY, 0) : 0;
    if (r < 0)
        close(fd);
    return r < 0 ? r : fd;
}

int rootfs_new_fs(const char *type, const char *const *options, unsigned attrs)
{
    FD_AUTO fs = fsopen(type, FSOPEN_CLOEXEC);
    if (fs < 0)
        return -errno;
    for (; options && *options; options++) {
        char key[64];
        const char *eq = strchr(*options, '=');
        snprintf(key, sizeof key, "%.*s", eq ? (int)(eq - *options) : 63, *options);
        if (fsconfig(fs, eq ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, key, eq ? eq + 1 : NULL, 0) < 0)
            return -errno;
    }
    if (fsconfig(fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
        return -errno;
    int fd = fsmount(fs, FSMOUNT_CLOEXEC, attrs);
    return fd < 0 ? -errno : fd;
}

int rootfs_attach(int mount_fd, int root_fd, const char *target, bool is_dir, struct err *err)
{
    FD_AUTO from = mount_fd;
    if (from < 0)
        return err_sys(err, -from, "cannot prepare the mount for %s", target);
    FD_AUTO at = rootfs_open_or_make(root_fd, target, is_dir);
    if (at < 0)
        return err_sys(err, -at, "cannot make the mount point %s", target);
    if (move_mount(from, "", at, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) < 0)
        return err_sys(err, errno, "cannot mount on %s", target);
    return 0;
}

/* --- the root ------------------------------------------------------------------------------------------------ */

int rootfs_isolate(const struct shim_spec *s, struct rootfs_shared *ret, struct err *err)
{
    for (size_t i = 0; i < ROOTFS_SHARED_MAX; i++) {
        const struct mount_spec *m = i < s->c.nmounts ? &s->c.mounts[i] : NULL;
        bool shared = m && m->kind == MOUNT_BIND && m->propagation == MOUNT_BOTH_WAYS;
        ret->fd[i] = shared ? rootfs_clone_tree(AT_FDCWD, m->source, m->read_only) : -1;
        if (shared && ret->fd[i] < 0)
            return err_sys(err, -ret->fd[i], "cannot mount %s", m->source);
    }
    /* Slave: what the machine unmounts later is not held by this namespace until it has pivoted. */
    if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) < 0)
        return err_sys(err, errno, "cannot make the mounts private");
    return 0;
}

/* The option string of overlayfs is one page at most: layers get short names, links in DIR/l, relative to the working directory. */
static int link_layers(const struct shim_spec *s, const char *links, struct strbuf *lower, struct err *err)
{
    size_t n = 0;
    while (s->c.layers && s->c.layers[n])
        n++;
    if (n == 0 || n > LAYERS_MAX)
        return err_set(err, E_INVALID_ARG, "an image of %zu layers cannot be mounted", n);
    if (mkdir(links, 0700) < 0 && errno != EEXIST)
        return err_sys(err, errno, "cannot make the folder %s", links);
    FD_AUTO dir = open(links, O_PATH | O_DIRECTORY | O_CLOEXEC);
    for (size_t i = n; i-- > 0;) { /* the uppermost first */
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        if (symlinkat(s->c.layers[i], dir, name) < 0 && errno != EEXIST)
            return err_sys(err, errno, "cannot link a layer in %s", links);
        strbuf_addf(lower, "%s%zu", lower->len ? ":" : "", i);
    }
    return fchdir(dir) < 0 ? err_sys(err, errno, "cannot enter %s", links) : 0;
}

static int mount_overlay(const struct shim_spec *s, const char *target, struct err *err)
{
    static const char *const parts[] = {"upper", "work", "l"};
    char path[3][4096];
    for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
        snprintf(path[i], sizeof path[i], "%s/%s", s->c.dir, parts[i]);
        if (i < 2 && mkdir(path[i], 0755) < 0 && errno != EEXIST)
            return err_sys(err, errno, "cannot make the folder %s", path[i]);
    }
    STRBUF_AUTO options = STRBUF_HEAP;
    STRBUF_AUTO lower = STRBUF_HEAP;
    int r = link_layers(s, path[2], &lower, err);
    if (r < 0)
        return r;
    strbuf_addf(&options, "lowerdir=%s,upperdir=../upper,workdir=../work", lower.p);
    /* An image may bring nodes of the machine's disks.  Who may not make nodes may not use those either; who may is kept from disks by the devices control group, or is privileged. */
    unsigned long flags = s->c.privileged || (s->c.caps & (1ull << CAP_MKNOD)) ? 0 : MS_NODEV;
    if (mount("overlay", target, "overlay", flags, options.p) < 0)
        r = err_sys(err, errno, "cannot mount the image's layers");
    err_ignore(chdir("/"), "the working directory only served the relative names");
    return r;
}

int rootfs_make(const struct shim_spec *s, struct err *err)
{
    char target[4096];
    snprintf(target, sizeof target, "%s/rootfs", s->c.dir);
    if (mkdir(target, 0755) < 0 && errno != EEXIST)
        return err_sys(err, errno, "cannot make the folder %s", target);
    if (s->c.root == ROOT_LAYERS)
        return mount_overlay(s, target, err);
    /* Written files count as the container's memory; the bound is for one that has no limit. */
    if (mount("tmpfs", target, "tmpfs", MS_NODEV, "mode=755,size=256m") < 0)
        return err_sys(err, errno, "cannot mount a root on %s", target);
    FD_AUTO root = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return err_sys(err, errno, "cannot open %s", target);
    return rootfs_host_fill(s, root, err);
}

/* --- the spec's mounts ---------------------------------------------------------------------------------------- */

static int mount_tmpfs(const struct mount_spec *m, int root_fd, struct err *err)
{
    char size[48], mode[24];
    snprintf(size, sizeof size, "size=%llu", (unsigned long long)m->size_bytes);
    snprintf(mode, sizeof mode, "mode=%o", m->mode ? m->mode : 01777);
    const char *options[] = {mode, m->size_bytes ? size : NULL, NULL};
    int fd = rootfs_new_fs("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | (m->read_only ? MOUNT_ATTR_RDONLY : 0));
    return rootfs_attach(fd, root_fd, m->target, true, err);
}

static int mount_bind(const struct mount_spec *m, int shared_fd, int root_fd, struct err *err)
{
    struct stat st;
    if (stat(m->source, &st) < 0)
        return err_sys(err, errno, "cannot mount %s on %s", m->source, m->target);
    int fd = shared_fd >= 0 ? shared_fd : rootfs_clone_tree(AT_FDCWD, m->source, m->read_only);
    if (fd < 0)
        return err_sys(err, -fd, "cannot mount %s on %s", m->source, m->target);
    int r = 0;
    if (m->propagation == MOUNT_PRIVATE)
        r = set_attr(fd, 0, MS_PRIVATE);
    else if (m->propagation == MOUNT_FROM_HOST)
        r = set_attr(fd, 0, MS_SLAVE);
    if (r < 0) {
        close(fd);
        return err_sys(err, -r, "cannot set how the mount %s propagates", m->target);
    }
    return rootfs_attach(fd, root_fd, m->target, S_ISDIR(st.st_mode), err);
}

static int cmp_targets(const void *a, const void *b)
{
    const struct mount_spec *const *x = a, *const *y = b;
    int order = strcmp((*x)->target, (*y)->target);
    return order ? order : (*x > *y) - (*x < *y);
}

/* Sorted: /data comes before /data/sub, in whatever order the pod lists them. */
static int mount_all(const struct shim_spec *s, int root_fd, const struct rootfs_shared *shared, struct err *err)
{
    const struct mount_spec **sorted CLEANUP(free) = xcalloc(s->c.nmounts + 1, sizeof *sorted);
    for (size_t i = 0; i < s->c.nmounts; i++)
        sorted[i] = &s->c.mounts[i];
    qsort(sorted, s->c.nmounts, sizeof *sorted, cmp_targets);
    int r = 0;
    for (size_t i = 0; i < s->c.nmounts && r == 0; i++) {
        size_t index = (size_t)(sorted[i] - s->c.mounts);
        int fd = index < ROOTFS_SHARED_MAX ? shared->fd[index] : -1;
        r = sorted[i]->kind == MOUNT_TMPFS ? mount_tmpfs(sorted[i], root_fd, err) : mount_bind(sorted[i], fd, root_fd, err);
    }
    if (r == 0 && s->c.termination_log && s->c.termination_path) {
        struct mount_spec m = {.kind = MOUNT_BIND, .source = s->c.termination_log, .target = s->c.termination_path};
        r = mount_bind(&m, -1, root_fd, err);
    }
    return r;
}

int rootfs_fill(const struct shim_spec *s, int root_fd, const struct rootfs_shared *shared, struct err *err)
{
    int r = rootfs_fill_proc_sys(s, root_fd, err);
    if (r == 0)
        r = rootfs_fill_dev(s, root_fd, err);
    if (r == 0)
        r = mount_all(s, root_fd, shared, err);
    if (r == 0)
        r = rootfs_mask(s, root_fd, err);
    if (r == 0 && s->c.cwd && s->c.cwd[0]) {
        FD_AUTO cwd = rootfs_open_or_make(root_fd, s->c.cwd, true);
        if (cwd < 0)
            r = err_sys(err, -cwd, "cannot make the working directory %s", s->c.cwd);
    }
    return r;
}

int rootfs_pivot(const struct shim_spec *s, int root_fd, struct err *err)
{
    if (s->c.read_only_root) {
        struct mount_attr a = {.attr_set = MOUNT_ATTR_RDONLY};
        if (mount_setattr(root_fd, "", AT_EMPTY_PATH, &a, sizeof a) < 0)
            return err_sys(err, errno, "cannot make the root read-only");
    }
    if (fchdir(root_fd) < 0 || syscall(SYS_pivot_root, ".", ".") < 0)
        return err_sys(err, errno, "cannot change the root");
    /* The old root lies over the new one now: it goes, with everything the machine has mounted. */
    if (umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
        return err_sys(err, errno, "cannot leave the machine's root");
    return 0;
}
