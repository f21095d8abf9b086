/* rootfs.h - the file system that a container sees: root, /proc, /sys, /dev, volumes; and who a user is in it.
 *
 *   rootfs_make ─► rootfs_fill ─► rootfs_pivot          in a mount namespace of the container's own
 *
 * Paths inside the root come from images and pods: every one is opened with RESOLVE_IN_ROOT, so a symbolic link in an image leads nowhere but into that image.  Mounts are made by descriptor (open_tree,
 * fsmount, move_mount), never by a path that could change meanwhile.
 * Threads: of the shim and its children: one thread.
 * Ownership: descriptors are the caller's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sys/stat.h>

#include "agent/shim/shim_spec.h"

/* Bind mounts that shall propagate both ways must be taken before the namespace is cut off from the machine's; -1: not one of them. */
#define ROOTFS_SHARED_MAX 64
struct rootfs_shared {
    int fd[ROOTFS_SHARED_MAX]; /* by index of mount_spec */
};

/* Makes this mount namespace the container's own: nothing that is mounted here shows on the machine. */
int rootfs_isolate(const struct shim_spec *s, struct rootfs_shared *ret, struct err *err) MUST_CHECK;
/* Mounts the root at DIR/rootfs: the image's layers, or this machine's programs. */
int rootfs_make(const struct shim_spec *s, struct err *err) MUST_CHECK;
/* /proc, /sys, /dev, the spec's mounts and devices.  Needs the namespaces of the container. */
int rootfs_fill(const struct shim_spec *s, int root_fd, const struct rootfs_shared *shared, struct err *err) MUST_CHECK;
/* Makes it "/"; read-only when the spec says so. */
int rootfs_pivot(const struct shim_spec *s, int root_fd, struct err *err) MUST_CHECK;

/* --- used by the parts ------------------------------------------------------------------------------------- */
/* An O_PATH descriptor of a path inside; -errno. */
int rootfs_open(int root_fd, const char *path, int flags);
/* The same, made when absent: a folder, or an empty file.  -errno. */
int rootfs_open_or_make(int root_fd, const char *path, bool is_dir);
/* A detached mount of the tree at a path of this machine or at a descriptor ("" and fd); -errno. */
int rootfs_clone_tree(int at_fd, const char *path, bool read_only);
/* A detached new file system; options "key=value" or "flag", NULL at the end.  -errno. */
int rootfs_new_fs(const char *type, const char *const *options, unsigned attrs);
/* Attaches a detached mount (closes its descriptor) on a path inside, made when absent. */
int rootfs_attach(int mount_fd, int root_fd, const char *target, bool is_dir, struct err *err) MUST_CHECK;
int rootfs_fill_dev(const struct shim_spec *s, int root_fd, struct err *err) MUST_CHECK;
int rootfs_fill_proc_sys(const struct shim_spec *s, int root_fd, struct err *err) MUST_CHECK;
int rootfs_mask(const struct shim_spec *s, int root_fd, struct err *err) MUST_CHECK;
/* Programs of this machine, none of its data. */
int rootfs_host_fill(const struct shim_spec *s, int root_fd, struct err *err) MUST_CHECK;
/* Every device of this machine but those that each container has anyway; privileged ones get them, and an OCI configuration must name them.  What is a file system of its own below /dev is the container's own. */
typedef int rootfs_device_fn(void *arg, const char *path, const struct stat *st, struct err *err);
int rootfs_devices(rootfs_device_fn *visit, void *arg, struct err *err) MUST_CHECK;
/* Paths that are hidden, and that are read-only; NULL at the end.  An OCI configuration names them, too. */
extern const char *const rootfs_masked[], *const rootfs_read_only[];

/* --- users -------------------------------------------------------------------------------------------------- */
#define ROOTFS_GROUPS 256
struct rootfs_user {
    uint32_t uid, gid;
    uint32_t groups[ROOTFS_GROUPS];
    size_t ngroups;
    char home[256];
};
/* "name", "uid", "name:group", "uid:gid" in the texts of /etc/passwd and /etc/group.  Pure.  E_INVALID_ARG: no such user. */
int rootfs_user_find(str passwd, str group, str user, struct rootfs_user *ret, struct err *err) MUST_CHECK;
/* Who the container's program runs as, with the files of the root. */
int rootfs_user_resolve(const struct container_spec *c, int root_fd, struct rootfs_user *ret, struct err *err) MUST_CHECK;
