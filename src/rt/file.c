/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

void file_close_cleanup(int *fd)
{
    if (*fd >= 0)
        close(*fd);
}

int file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len, struct err *err)
{
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot read %s", path);
    STRBUF_AUTO b = STRBUF_HEAP;
    for (;;) {
        strbuf_grow(&b, 4096);
        ssize_t n = read(fd, b.p + b.len, MIN(b.cap - b.len - 1, (size_t)1 << 20));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, errno, "cannot read %s", path);
        if (n == 0)
            break;
        b.len += (size_t)n;
        if (b.len > max_bytes)
            return err_set(err, E_TOO_LARGE, "%s is larger than %zu bytes", path, max_bytes);
    }
    b.p[b.len] = 0;
    if (ret_len)
        *ret_len = b.len;
    *ret_text = TAKE(b.p);
    return 0;
}

static int write_all(int fd, str text)
{
    while (text.len) {
        ssize_t n = write(fd, text.p, text.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        text = str_from(text, (size_t)n);
    }
    return 0;
}

char *file_dirname(const char *path)
{
    str p = str_of(path);
    while (p.len > 1 && p.p[p.len - 1] == '/')
        p.len--;
    ptrdiff_t slash = str_rfind_char(p, '/');
    if (slash < 0)
        return xstrdup(".");
    return str_dup(str_sub(p, 0, slash ? (size_t)slash : 1));
}

/* The rename itself lies in the folder: without this a crash can bring the old file back. */
static int sync_folder_of(const char *path)
{
    char *folder CLEANUP(free) = file_dirname(path);
    FD_AUTO fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int write_temp(int fd, str text, unsigned mode)
{
    int r = fchmod(fd, mode) < 0 ? -errno : write_all(fd, text);
    if (r == 0 && fsync(fd) < 0)
        r = -errno;
    return r;
}

int file_write_atomic(const char *path, str text, unsigned mode, struct err *err)
{
    STRBUF_AUTO temp = STRBUF_HEAP;
    strbuf_addf(&temp, "%s.tmp.XXXXXX", path);
    FD_AUTO fd = mkostemp(temp.p, O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot write %s", path);
    int r = write_temp(fd, text, mode);
    if (r == 0 && rename(temp.p, path) < 0)
        r = -errno;
    if (r < 0) {
        unlink(temp.p);
        return err_sys(err, -r, "cannot write %s", path);
    }
    r = sync_folder_of(path);
    return r < 0 ? err_sys(err, -r, "cannot sync the folder of %s", path) : 0;
}

int file_mkdir_all(const char *path, unsigned mode, struct err *err)
{
    if (mkdir(path, mode) == 0)
        return 0;
    if (errno == ENOENT && *path) {
        char *parent CLEANUP(free) = file_dirname(path);
        int r = file_mkdir_all(parent, mode, err);
        if (r < 0)
            return r;
        if (mkdir(path, mode) == 0)
            return 0;
    }
    int e = errno;
    struct stat st;
    if (e == EEXIST && stat(path, &st) == 0)
        return S_ISDIR(st.st_mode) ? 0 : err_set(err, E_EXISTS, "%s exists and is not a folder", path);
    return err_sys(err, e, "cannot make the folder %s", path);
}

/* --- removing trees ------------------------------------------------------------------------------------------- */
#define REMOVE_DEPTH 32 /* levels that are walked with a descriptor each; whoever filled the tree may have made a hundred thousand */

struct removal {
    int top;         /* the folder that goes */
    dev_t dev;
    const char *path;
    unsigned moved;  /* folders that were too deep and wait in the top one by now */
    struct err *err;
};

static int remove_at(struct removal *r, int dir, const char *name, unsigned depth);

/* Closes fd. */
static int remove_inside(struct removal *r, int fd, unsigned depth)
{
    DIR *d = fdopendir(fd);
    if (!d) {
        int e = errno;
        close(fd);
        return err_sys(r->err, e, "cannot read a folder in %s", r->path);
    }
    int result = 0;
    errno = 0;
    for (struct dirent *e; result == 0 && (e = readdir(d)); errno = 0) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            result = remove_at(r, dirfd(d), e->d_name, depth);
    }
    if (result == 0 && errno)
        result = err_sys(r->err, errno, "cannot read a folder in %s", r->path);
    closedir(d);
    return result;
}

/* Into the top folder, where the next round finds it: neither stack nor descriptors grow with the depth of the tree. */
static int move_up(struct removal *r, int dir, const char *name)
{
    char to[32];
    for (int tries = 0; tries < 1000; tries++) {
        snprintf(to, sizeof to, ".removing-%u", ++r->moved);
        if (renameat(dir, name, r->top, to) == 0)
            return 0;
        if (errno != EEXIST && errno != ENOTEMPTY && errno != ENOTDIR)
            break;
    }
    return err_sys(r->err, errno, "cannot move %s out of the depth of %s", name, r->path);
}

/* A bind mount of a folder on the same disk has the same device: what is in it is not ours to remove. */
static bool is_mount(int fd, dev_t dev)
{
    struct stat st;
    struct statx more;
    return fstat(fd, &st) < 0 || st.st_dev != dev || (statx(fd, "", AT_EMPTY_PATH, 0, &more) == 0 && more.stx_attributes & STATX_ATTR_MOUNT_ROOT);
}

static int remove_at(struct removal *r, int dir, const char *name, unsigned depth)
{
    if (unlinkat(dir, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return err_sys(r->err, errno, "cannot remove %s in %s", name, r->path);
    int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno == ENOENT ? 0 : err_sys(r->err, errno, "cannot open %s in %s", name, r->path);
    if (is_mount(fd, r->dev)) {
        close(fd);
        return err_set(r->err, E_CONFLICT, "%s in %s is a mount", name, r->path);
    }
    if (depth >= REMOVE_DEPTH) {
        close(fd);
        return move_up(r, dir, name);
    }
    int result = remove_inside(r, fd, depth + 1);
    if (result == 0 && unlinkat(dir, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
        result = err_sys(r->err, errno, "cannot remove the folder %s in %s", name, r->path);
    return result;
}

/* Rounds until nothing was moved up any more. */
static int remove_tree(struct removal *r)
{
    unsigned before;
    int result = 0;
    do {
        before = r->moved;
        int fd = openat(r->top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        result = fd < 0 ? err_sys(r->err, errno, "cannot read %s", r->path) : remove_inside(r, fd, 1);
    } while (result == 0 && r->moved != before);
    return result;
}

int file_remove_all(const char *path, struct err *err)
{
    struct stat st;
    if (unlink(path) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return err_sys(err, errno, "cannot remove %s", path);
    FD_AUTO top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        return errno == ENOENT ? 0 : err_sys(err, errno, "cannot open %s", path);
    if (fstat(top, &st) < 0)
        return err_sys(err, errno, "cannot look at %s", path);
    if (is_mount(top, st.st_dev))
        return err_set(err, E_CONFLICT, "%s is a mount", path);
    struct removal r = {.top = top, .dev = st.st_dev, .path = path, .err = err};
    int result = remove_tree(&r);
    if (result == 0 && rmdir(path) < 0 && errno != ENOENT)
        result = err_sys(err, errno, "cannot remove the folder %s", path);
    return result;
}

int file_remove_inside(const char *path, struct err *err)
{
    struct stat st;
    FD_AUTO top = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (top < 0)
        return errno == ENOENT ? 0 : err_sys(err, errno, "cannot open %s", path);
    if (fstat(top, &st) < 0)
        return err_sys(err, errno, "cannot look at %s", path);
    struct removal r = {.top = top, .dev = st.st_dev, .path = path, .err = err};
    return remove_tree(&r);
}

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
