/* volume_mounts.c - mounts below a pod's folder: is there one, take them all away, bind a part of a volume safely.
 *
 * A container may put links into its volumes, and a subPath is walked by the agent as root: it is opened in one call that the kernel keeps inside the volume
 * (openat2), and what was opened is mounted, not what its name may mean a moment later.  Kernels without that call get a walk that follows no link at all.
 * Nothing is ever removed below a mount: a bind of a host folder would lose the host's files.
 * A bind of a folder with mounts below shares them with the machine, and an unmount here would be one there: no bind of ours has peers, only masters. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "agent/pod/container_build_internal.h"
#include "rt/file.h"

#define MOUNTINFO_BYTES (32u << 20)
#define UNMOUNT_ROUNDS 16 /* mounts on mounts */
#define OPEN_TRIES 32     /* EAGAIN: somebody renames at the same moment */

bool volume_is_mounted(const char *path)
{
    struct statx x;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, 0, &x) < 0)
        return false;
    return x.stx_attributes & STATX_ATTR_MOUNT_ROOT;
}

/* --- taking mounts away ----------------------------------------------------------------------------------- */
/* "\040" is a blank. */
static str unescape(struct arena *a, str s)
{
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < s.len; i++) {
        if (s.p[i] == '\\' && i + 3 < s.len) {
            strbuf_add_char(&b, (char)((s.p[i + 1] - '0') * 64 + (s.p[i + 2] - '0') * 8 + (s.p[i + 3] - '0')));
            i += 3;
        } else {
            strbuf_add_char(&b, s.p[i]);
        }
    }
    return strbuf_str(&b);
}

/* Mount points below dir, in the order they were made. */
static int mounts_below(struct arena *a, const char *dir, const char ***ret, size_t *ret_n, struct err *err)
{
    char *text CLEANUP(free) = NULL;
    int r = file_read("/proc/self/mountinfo", MOUNTINFO_BYTES, &text, NULL, err);
    if (r < 0)
        return r;
    str rest = str_of(text), line, word, prefix = arena_fmt(a, "%s/", dir);
    size_t n = 0, cap = 16;
    const char **list = arena_array(a, cap, const char *);
    while (rest.len) {
        str_cut(&rest, '\n', &line);
        for (int i = 0; i < 5; i++)
            str_cut(&line, ' ', &word);
        str point = str_find_char(word, '\\') >= 0 ? unescape(a, word) : word;
        if (!str_has_prefix(point, prefix))
            continue;
        if (n == cap) {
            const char **more = arena_array(a, cap * 2, const char *);
            memcpy(more, list, n * sizeof *list);
            list = more;
            cap *= 2;
        }
        list[n++] = arena_cstr(a, point);
    }
    *ret = list;
    *ret_n = n;
    return 0;
}

int volume_unmount_below(const char *dir, struct err *err)
{
    char real[PATH_MAX];
    if (!realpath(dir, real))
        return errno == ENOENT ? 0 : err_sys(err, errno, "cannot look at %s", dir);
    const char **list;
    size_t n = 0;
    int why = 0;
    for (int round = 0; round < UNMOUNT_ROUNDS; round++) {
        ARENA_AUTO a = ARENA_INIT;
        int r = mounts_below(&a, real, &list, &n, err);
        if (r < 0 || n == 0)
            return r;
        while (n-- > 0)
            if (umount2(list[n], MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
                why = errno;
    }
    return err_sys(err, why ? why : EBUSY, "cannot unmount what is mounted below %s", dir);
}

/* --- subPath ---------------------------------------------------------------------------------------------- */
static int open_by_parts(int root, str path, int flags)
{
    int fd = openat(root, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    char name[NAME_MAX + 1];
    str part;
    while (fd >= 0 && path.len) {
        str_cut(&path, '/', &part);
        if (!part.len || str_is(part, "."))
            continue;
        snprintf(name, sizeof name, STR_FMT, STR_ARG(part));
        int next = openat(fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC | (path.len ? O_DIRECTORY : flags));
        int saved = errno;
        close(fd);
        fd = next;
        errno = saved;
    }
    return fd;
}

/* O_PATH descriptor of a path in root; EXDEV or ELOOP when a link leads out. */
static int open_inside(int root, str path, int flags)
{
    struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags), .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
    char *text = str_dup(path.len ? path : S("."));
    int fd = -1;
    for (int i = 0; i < OPEN_TRIES; i++) {
        fd = (int)syscall(SYS_openat2, root, text, &how, sizeof how);
        if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
            break;
        sched_yield();
    }
    int saved = errno;
    free(text);
    if (fd < 0 && (saved == ENOSYS || saved == EPERM)) /* EPERM: a filter that does not know the call */
        return open_by_parts(root, path, flags);
    errno = saved;
    return fd;
}

/* Makes folders that are missing, with the volume's own mode. */
static int make_inside(int root, str path)
{
    struct stat st;
    if (fstat(root, &st) < 0)
        return -1;
    for (size_t end = 1; end <= path.len; end++) {
        if (end < path.len && path.p[end] != '/')
            continue;
        str prefix = str_sub(path, 0, end);
        int fd = open_inside(root, prefix, 0);
        if (fd >= 0) {
            close(fd);
            continue;
        }
        if (errno != ENOENT)
            return -1;
        ptrdiff_t slash = str_rfind_char(prefix, '/');
        char name[NAME_MAX + 1];
        snprintf(name, sizeof name, STR_FMT, STR_ARG(str_from(prefix, (size_t)(slash + 1))));
        FD_AUTO parent = open_inside(root, slash > 0 ? str_sub(prefix, 0, (size_t)slash) : S(""), O_DIRECTORY);
        if (parent < 0 || (mkdirat(parent, name, 0750) < 0 && errno != EEXIST))
            return -1;
        if (fchmodat(parent, name, st.st_mode & 07777, 0) < 0 || fchownat(parent, name, st.st_uid, st.st_gid, AT_SYMLINK_NOFOLLOW) < 0)
            return -1;
    }
    return 0;
}

/* An empty folder or file to mount on, whatever was there. */
static int make_target(const char *at, bool is_dir, struct err *err)
{
    char *parent = file_dirname(at);
    int r = file_mkdir_all(parent, 0755, err);
    free(parent);
    if (r < 0)
        return r;
    for (int i = 0; i < UNMOUNT_ROUNDS && volume_is_mounted(at); i++)
        if (umount2(at, MNT_DETACH | UMOUNT_NOFOLLOW) < 0)
            return err_sys(err, errno, "cannot unmount %s", at);
    if (rmdir(at) < 0 && unlink(at) < 0 && errno != ENOENT)
        return err_sys(err, errno, "cannot make room at %s", at);
    FD_AUTO fd = is_dir ? -1 : open(at, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (is_dir ? mkdir(at, 0700) < 0 : fd < 0)
        return err_sys(err, errno, "cannot make %s", at);
    return 0;
}

int volume_bind_subpath(const char *root, str subpath, const char *at, struct err *err)
{
    while (subpath.len && subpath.p[subpath.len - 1] == '/')
        subpath.len--;
    FD_AUTO dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return err_sys(err, errno, "cannot open the volume %s", root);
    FD_AUTO fd = open_inside(dir, subpath, 0);
    if (fd < 0 && errno == ENOENT && make_inside(dir, subpath) == 0)
        fd = open_inside(dir, subpath, 0);
    struct stat st;
    if (fd < 0 && (errno == EXDEV || errno == ELOOP))
        return err_set(err, E_INVALID_ARG, "subpath \"" STR_FMT "\" not within volume path", STR_ARG(subpath));
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, errno, "cannot open subpath \"" STR_FMT "\"", STR_ARG(subpath));
    if (S_ISLNK(st.st_mode)) /* only where links are not followed */
        return err_set(err, E_INVALID_ARG, "subpath \"" STR_FMT "\" not within volume path", STR_ARG(subpath));
    int r = make_target(at, S_ISDIR(st.st_mode), err);
    if (r < 0)
        return r;
    /* Cut off before it is anywhere: killed at any moment, no bind that shares is left. */
    FD_AUTO tree = open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE);
    struct mount_attr slave = {.propagation = MS_SLAVE};
    if (tree < 0 || mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &slave, sizeof slave) < 0 || move_mount(tree, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH) < 0)
        return err_sys(err, errno, "cannot mount subpath \"" STR_FMT "\" at %s", STR_ARG(subpath), at);
    return 0;
}
