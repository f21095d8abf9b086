/* SPDX-License-Identifier: Apache-2.0 */
/* An entry goes through: name checked and split ─► its folder opened (and made when the layer did not say so before) ─► what is in the way removed ─► made ─► data ─► owner, mode, attributes, times.
 * The folder of the entry before is kept open, since tars go folder by folder. */
#include "agent/images/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "agent/images/tar.h"
#include "agent/images/unpack_tree.h"
#include "base/vec.h"
#include "rt/file.h"

#define DIR_TIMES_BYTES (16u << 20) /* of names of folders whose times are set at the end; those beyond get the time of unpacking, which nobody but make(1) minds */
#define PATH_ROOM (TAR_NAME_BYTES + 2) /* split_base moves a name without a slash by one */
#define RETRIES 10000               /* openat2 asks to try again when something on the machine is renamed meanwhile */

struct dir_time {
    uint32_t name; /* offset in dir_names */
    struct timespec mtime;
};

struct unpack {
    struct unpack_opts o;
    struct tar *tar;
    int root;
    bool is_privileged;
    uint64_t bytes, files;

    char path[PATH_ROOM]; /* of the entry, cleaned: "usr/bin/env", "" is the root */
    char *base;                    /* its last part, in path; behind the parent's NUL */
    int parent;                    /* folder of the entry, -1: none open */
    char parent_path[TAR_NAME_BYTES + 1];

    int file; /* being written, -1: none */
    struct tar_entry entry; /* of it */
    struct strbuf dir_names;
    VEC(struct dir_time) dir_times;
};

static int on_entry(void *arg, const struct tar_entry *e, struct err *err);
static int on_data(void *arg, str bytes, struct err *err);
static int on_end(void *arg, struct err *err);
static const struct tar_ops tar_ops = {on_entry, on_data, on_end};

int unpack_new(const struct unpack_opts *o, struct unpack **ret, struct err *err)
{
    int root = open(o->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root < 0)
        return err_sys(err, errno, "cannot open %s", o->dir);
    struct unpack *u = xnew(struct unpack);
    u->o = *o;
    u->o.dir = NULL; /* borrowed for this call only */
    u->root = root;
    u->parent = u->file = -1;
    u->is_privileged = geteuid() == 0;
    u->tar = tar_new(&tar_ops, u);
    *ret = u;
    return 0;
}

void unpack_free(struct unpack *u)
{
    if (!u)
        return;
    tar_free(u->tar);
    if (u->file >= 0)
        close(u->file);
    if (u->parent >= 0)
        close(u->parent);
    close(u->root);
    strbuf_fini(&u->dir_names);
    vec_fini(&u->dir_times);
    free(u);
}

/* --- names -------------------------------------------------------------------------------------------- */

/* "./usr//bin/" -> "usr/bin".  False: it wants to leave the layer. */
static bool clean_path(str name, char out[TAR_NAME_BYTES + 1])
{
    size_t len = 0;
    while (name.len) {
        str part;
        str_cut(&name, '/', &part);
        if (!part.len || str_is(part, "."))
            continue;
        if (str_is(part, ".."))
            return false;
        if (len)
            out[len++] = '/';
        memcpy(out + len, part.p, part.len); /* never longer than the name, which fits */
        len += part.len;
    }
    out[len] = 0;
    return true;
}

/* Cuts a clean path in place: its folder ("" the root) stays in path, the last part is returned. */
static char *split_base(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash) {
        *slash = 0;
        return slash + 1;
    }
    size_t len = strlen(path);
    memmove(path + 1, path, len + 1); /* PATH_ROOM */
    path[0] = 0;
    return path + 1;
}

/* --- folders -------------------------------------------------------------------------------------------- */

/* Without openat2 (before Linux 5.6): part by part, and no links at all. */
static int open_by_parts(const struct unpack *u, const char *path)
{
    int fd = openat(u->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    str rest = str_of(path), part;
    char name[256];
    while (fd >= 0 && rest.len) {
        str_cut(&rest, '/', &part);
        snprintf(name, sizeof name, STR_FMT, STR_ARG(part));
        int next = part.len < sizeof name ? openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        int saved = part.len < sizeof name ? errno : ENAMETOOLONG;
        close(fd);
        fd = next;
        errno = saved;
    }
    return fd;
}

/* A folder of the layer; links lead as they would with the layer as root.  -1 and errno. */
static int open_dir(const struct unpack *u, const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};
    if (!path[0])
        return openat(u->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (int i = 0; i < RETRIES; i++) {
        int fd = (int)syscall(SYS_openat2, u->root, path, &how, sizeof how);
        if (fd < 0 && (errno == ENOSYS || errno == EPERM)) /* EPERM: a seccomp filter that is older than the call */
            return open_by_parts(u, path);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            return fd;
        sched_yield();
    }
    return -1;
}

static int set_opaque(const struct unpack *u, int dir, struct err *err)
{
    const char *name = u->is_privileged ? "trusted.overlay.opaque" : "user.overlay.opaque";
    return fsetxattr(dir, name, "y", 1, 0) == 0 ? 0 : err_sys(err, errno, "cannot mark a folder of the layer as opaque");
}

static bool is_whiteout(const struct stat *st)
{
    return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

/* A new folder in place of nothing or of a whiteout, which then hides what is below all the same. */
static int make_dir(const struct unpack *u, int parent, const char *name, struct err *err)
{
    struct stat st;
    bool was_whiteout = fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && is_whiteout(&st) && unlinkat(parent, name, 0) == 0;
    if (mkdirat(parent, name, 0755) < 0)
        return err_sys(err, errno, "cannot make the folder %s of the layer", name);
    if (!was_whiteout)
        return 0;
    FD_AUTO fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? err_sys(err, errno, "cannot open the folder %s of the layer", name) : set_opaque(u, fd, err);
}

/* Folders that the layer uses before it names them, or never does. */
static int make_parents(struct unpack *u, const char *path, struct err *err)
{
    char part[TAR_NAME_BYTES + 1];
    size_t len = strlen(path);
    for (size_t i = 1; i <= len; i++) {
        if (path[i] && path[i] != '/')
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        FD_AUTO there = open_dir(u, part);
        if (there >= 0)
            continue;
        if (errno != ENOENT && errno != ENOTDIR)
            return err_sys(err, errno, "cannot open the folder %s of the layer", part);
        char *slash = strrchr(part, '/');
        if (slash)
            *slash = 0;
        FD_AUTO parent = open_dir(u, slash ? part : "");
        if (parent < 0)
            return err_sys(err, errno, "cannot open the folder %s of the layer", part);
        int r = make_dir(u, parent, slash ? slash + 1 : part, err);
        if (r < 0)
            return r;
    }
    return 0;
}

static void forget_parent(struct unpack *u)
{
    if (u->parent >= 0)
        close(u->parent);
    u->parent = -1;
}

static int open_parent(struct unpack *u, const char *path, struct err *err)
{
    if (u->parent >= 0 && strcmp(u->parent_path, path) == 0)
        return 0;
    forget_parent(u);
    u->parent = open_dir(u, path);
    if (u->parent < 0 && (errno == ENOENT || errno == ENOTDIR)) {
        int r = make_parents(u, path, err);
        if (r < 0)
            return r;
        u->parent = open_dir(u, path);
    }
    if (u->parent < 0)
        return err_sys(err, errno, "cannot open the folder %s of the layer", path);
    memcpy(u->parent_path, path, strlen(path) + 1);
    return 0;
}

/* Whatever has the entry's name already goes; of two entries with one name the later counts. */
static int clear_way(struct unpack *u, struct err *err)
{
    if (unlinkat(u->parent, u->base, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return err_sys(err, errno, "cannot replace %s of the layer", u->base);
    return tree_remove(u->parent, u->base, err);
}

/* --- attributes -------------------------------------------------------------------------------------------- */

/* overlayfs' own attributes would let a layer speak for the machine; labels of other machines' policies mean nothing here. */
static bool is_xattr_kept(str name)
{
    return str_is(name, "security.capability") || (str_has_prefix(name, S("user.")) && !str_has_prefix(name, S("user.overlay.")));
}

static int set_xattrs(const struct unpack *u, int fd, const struct tar_entry *e, struct err *err)
{
    char name[256];
    for (size_t i = 0; i < e->nxattrs; i++) {
        str key = e->xattrs[i].name;
        if (!is_xattr_kept(key) || key.len >= sizeof name)
            continue;
        snprintf(name, sizeof name, STR_FMT, STR_ARG(key));
        if (fsetxattr(fd, name, e->xattrs[i].value.p, e->xattrs[i].value.len, 0) == 0 || errno == EOPNOTSUPP || (errno == EPERM && !u->is_privileged))
            continue;
        return err_sys(err, errno, "cannot set %s of %s in the layer", name, e->name.p);
    }
    return 0;
}

/* Owner first: changing it takes set-user-id bits and capabilities away. */
static int set_attributes(const struct unpack *u, int fd, const struct tar_entry *e, struct err *err)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = e->mtime_s, .tv_nsec = e->mtime_ns}};
    if (fchown(fd, e->uid, e->gid) < 0 && u->is_privileged)
        return err_sys(err, errno, "cannot set the owner of %s in the layer", e->name.p);
    if (fchmod(fd, e->mode) < 0)
        return err_sys(err, errno, "cannot set the mode of %s in the layer", e->name.p);
    int r = set_xattrs(u, fd, e, err);
    if (r == 0 && futimens(fd, times) < 0 && errno != EINVAL) /* EINVAL: a time that this file system cannot hold */
        r = err_sys(err, errno, "cannot set the time of %s in the layer", e->name.p);
    return r;
}

/* The same without a descriptor: links and devices cannot be opened. */
static int set_attributes_at(const struct unpack *u, const struct tar_entry *e, struct err *err)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = e->mtime_s, .tv_nsec = e->mtime_ns}};
    if (fchownat(u->parent, u->base, e->uid, e->gid, AT_SYMLINK_NOFOLLOW) < 0 && u->is_privileged)
        return err_sys(err, errno, "cannot set the owner of %s in the layer", e->name.p);
    if (e->type != TAR_SYMLINK && fchmodat(u->parent, u->base, e->mode, 0) < 0)
        return err_sys(err, errno, "cannot set the mode of %s in the layer", e->name.p);
    if (utimensat(u->parent, u->base, times, AT_SYMLINK_NOFOLLOW) < 0 && errno != EINVAL)
        return err_sys(err, errno, "cannot set the time of %s in the layer", e->name.p);
    return 0;
}

/* --- entries --------------------------------------------------------------------------------------------------- */

static void remember_dir_time(struct unpack *u, const struct tar_entry *e, str path)
{
    if (u->dir_names.len + path.len + 1 > DIR_TIMES_BYTES)
        return;
    vec_push(&u->dir_times, (struct dir_time){(uint32_t)u->dir_names.len, {.tv_sec = e->mtime_s, .tv_nsec = e->mtime_ns}});
    strbuf_add(&u->dir_names, path.p, path.len);
    strbuf_add_char(&u->dir_names, 0);
}

static int add_dir(struct unpack *u, const struct tar_entry *e, str path, struct err *err)
{
    struct stat st;
    bool is_there = fstatat(u->parent, u->base, &st, AT_SYMLINK_NOFOLLOW) == 0;
    if (is_there && !S_ISDIR(st.st_mode) && !is_whiteout(&st)) {
        int r = clear_way(u, err);
        if (r < 0)
            return r;
    }
    if (!is_there || !S_ISDIR(st.st_mode)) {
        int r = make_dir(u, u->parent, u->base, err);
        if (r < 0)
            return r;
    }
    FD_AUTO fd = openat(u->parent, u->base, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open the folder %s of the layer", e->name.p);
    remember_dir_time(u, e, path);
    return set_attributes(u, fd, e, err);
}

static int add_file(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    int r = clear_way(u, err);
    if (r < 0)
        return r;
    u->file = openat(u->parent, u->base, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (u->file < 0)
        return err_sys(err, errno, "cannot make %s of the layer", e->name.p);
    u->entry = *e;
    return 0;
}

static int add_symlink(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    int r = clear_way(u, err);
    if (r < 0)
        return r;
    if (!e->link.len || symlinkat(e->link.p, u->parent, u->base) < 0)
        return err_sys(err, e->link.len ? errno : EINVAL, "cannot make the link %s of the layer", e->name.p);
    return set_attributes_at(u, e, err);
}

static int add_hard_link(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    char target[PATH_ROOM];
    if (!clean_path(e->link, target))
        return err_set(err, E_INVALID_ARG, "the layer has a link %s to %s, which leads out of it", e->name.p, e->link.p);
    char *base = split_base(target);
    FD_AUTO from = open_dir(u, target);
    struct stat st, mine;
    if (from < 0 || !base[0] || fstatat(from, base, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return err_set(err, E_INVALID_ARG, "the layer has a hard link %s to %s, which is not in the same layer", e->name.p, e->link.p);
    if (S_ISDIR(st.st_mode))
        return err_set(err, E_INVALID_ARG, "the layer has a hard link %s to %s, which is a folder", e->name.p, e->link.p);
    if (fstatat(u->parent, u->base, &mine, AT_SYMLINK_NOFOLLOW) == 0 && mine.st_ino == st.st_ino)
        return 0; /* to itself: it must not be removed first */
    int r = clear_way(u, err);
    if (r == 0 && linkat(from, base, u->parent, u->base, 0) < 0)
        r = err_sys(err, errno, "cannot link %s of the layer", e->name.p);
    return r;
}

static int add_node(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    mode_t kind = e->type == TAR_CHAR ? S_IFCHR : e->type == TAR_BLOCK_DEVICE ? S_IFBLK : S_IFIFO;
    int r = clear_way(u, err);
    if (r < 0)
        return r;
    if (mknodat(u->parent, u->base, kind | 0600, makedev(e->major, e->minor)) < 0) {
        if (errno == EPERM)
            return 0; /* where devices may not be made, containers get theirs from the runtime anyway */
        return err_sys(err, errno, "cannot make the device %s of the layer", e->name.p);
    }
    return set_attributes_at(u, e, err);
}

/* ".wh.NAME": NAME is hidden from here on.  When this layer has it, too, only what the layers below have is meant. */
static int add_whiteout(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    struct stat st;
    if (strcmp(u->base, ".wh..wh..opq") == 0)
        return set_opaque(u, u->parent, err);
    const char *hidden = u->base + 4;
    if (strncmp(hidden, ".wh.", 4) == 0)
        return 0; /* what aufs kept for itself */
    if (!hidden[0] || strcmp(hidden, ".") == 0 || strcmp(hidden, "..") == 0)
        return err_set(err, E_INVALID_ARG, "the layer has a whiteout \"%s\" without a name", e->name.p);
    if (fstatat(u->parent, hidden, &st, AT_SYMLINK_NOFOLLOW) < 0) {
        if (mknodat(u->parent, hidden, S_IFCHR, 0) < 0)
            return err_sys(err, errno, "cannot make the whiteout %s of the layer", e->name.p);
        return 0;
    }
    if (!S_ISDIR(st.st_mode))
        return 0;
    FD_AUTO fd = openat(u->parent, hidden, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd < 0 ? err_sys(err, errno, "cannot open the folder %s of the layer", hidden) : set_opaque(u, fd, err);
}

static int add_entry(struct unpack *u, const struct tar_entry *e, str path, struct err *err)
{
    if (strncmp(u->base, ".wh.", 4) == 0) {
        tar_ignore_data(u->tar);
        return add_whiteout(u, e, err);
    }
    switch (e->type) {
    case TAR_DIR:
        return add_dir(u, e, path, err);
    case TAR_FILE:
        return add_file(u, e, err);
    case TAR_SYMLINK:
        return add_symlink(u, e, err);
    case TAR_HARD_LINK:
        return add_hard_link(u, e, err);
    default:
        return add_node(u, e, err);
    }
}

/* "./": the root's own owner and mode. */
static int add_root(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    if (e->type != TAR_DIR)
        return err_set(err, E_INVALID_ARG, "the layer has something else than a folder as its root");
    remember_dir_time(u, e, S(""));
    return set_attributes(u, u->root, e, err);
}

static int count(struct unpack *u, const struct tar_entry *e, struct err *err)
{
    u->files++;
    if (u->files > u->o.max_files)
        return err_set(err, E_TOO_LARGE, "the layer has more than %llu files", (unsigned long long)u->o.max_files);
    if (e->size > u->o.max_bytes - u->bytes)
        return err_set(err, E_TOO_LARGE, "the layer has more than %llu MiB", (unsigned long long)u->o.max_bytes >> 20);
    u->bytes += e->size;
    return 0;
}

static int on_entry(void *arg, const struct tar_entry *e, struct err *err)
{
    struct unpack *u = arg;
    char whole[TAR_NAME_BYTES + 1];
    int r = count(u, e, err);
    if (r < 0)
        return r;
    if (!clean_path(e->name, whole))
        return err_set(err, E_INVALID_ARG, "the layer has a file called \"%s\", which leads out of it", e->name.p);
    if (!whole[0])
        return add_root(u, e, err);
    memcpy(u->path, whole, strlen(whole) + 1);
    u->base = split_base(u->path);
    r = open_parent(u, u->path, err);
    if (r < 0)
        return r;
    r = add_entry(u, e, str_of(whole), err);
    /* Something that was a folder on the way to the open one may be another thing now. */
    if (e->type != TAR_FILE && e->type != TAR_HARD_LINK && e->type != TAR_DIR)
        forget_parent(u);
    return r;
}

static int on_data(void *arg, str bytes, struct err *err)
{
    struct unpack *u = arg;
    while (bytes.len) {
        ssize_t n = write(u->file, bytes.p, bytes.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, errno, "cannot write %s of the layer", u->entry.name.p);
        bytes = str_from(bytes, (size_t)n);
    }
    return 0;
}

static int on_end(void *arg, struct err *err)
{
    struct unpack *u = arg;
    if (u->file < 0)
        return 0;
    int r = set_attributes(u, u->file, &u->entry, err);
    close(u->file);
    u->file = -1;
    return r;
}

int unpack_feed(struct unpack *u, str tar_bytes, struct err *err)
{
    return tar_feed(u->tar, tar_bytes, err);
}

int unpack_finish(struct unpack *u, uint64_t *ret_bytes, uint64_t *ret_files, struct err *err)
{
    int r = tar_finish(u->tar, err);
    if (r < 0)
        return r;
    for (size_t i = 0; i < u->dir_times.len; i++) {
        struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, u->dir_times.p[i].mtime};
        FD_AUTO fd = open_dir(u, u->dir_names.p + u->dir_times.p[i].name);
        if (fd >= 0)
            err_ignore(futimens(fd, times), "times of folders are for people");
    }
    *ret_bytes = u->bytes;
    *ret_files = u->files;
    return 0;
}
