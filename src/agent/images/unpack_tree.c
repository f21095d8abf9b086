/* SPDX-License-Identifier: Apache-2.0 */
/*   top/a/b/c/...   ─►   top/a, top/.gone-1 (was a/b)   ─►   top/.gone-1, top/.gone-2 (was b/c)   ─►   ...
 *
 * Each folder is moved once and removed once. */
#include "agent/images/unpack_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "rt/file.h"

struct removal {
    int top;
    dev_t device;
    unsigned long moved;
};

static int open_folder(int dirfd, const char *name)
{
    int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = openat(dirfd, name, flags);
    /* Only other users than root see EACCES here, and they own what they remove. */
    if (fd < 0 && errno == EACCES && fchmodat(dirfd, name, 0700, 0) == 0)
        fd = openat(dirfd, name, flags);
    return fd;
}

/* Calls each(name) for what is in the folder; the first error ends it.  *ret_any: there was something. */
static int each_entry(int fd, int (*each)(struct removal *r, int fd, const char *name), struct removal *r, bool *ret_any)
{
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 0;
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    if (!d) {
        result = -errno;
        if (copy >= 0)
            close(copy);
        return result;
    }
    for (struct dirent *e; result == 0 && (errno = 0, e = readdir(d));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        *ret_any = true;
        result = each(r, fd, e->d_name);
    }
    closedir(d);
    return result;
}

static bool is_folder_errno(int e)
{
    return e == EISDIR || e == EPERM;
}

/* Something inside a folder of the top: a file goes, a folder moves up. */
static int empty_entry(struct removal *r, int fd, const char *name)
{
    char up[64];
    if (unlinkat(fd, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (!is_folder_errno(errno))
        return -errno;
    if (unlinkat(fd, name, AT_REMOVEDIR) == 0)
        return 0;
    do
        snprintf(up, sizeof up, ".gone-%lu", ++r->moved);
    while (renameat2(fd, name, r->top, up, RENAME_NOREPLACE) < 0 && errno == EEXIST);
    return faccessat(r->top, up, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : -errno;
}

static int top_entry(struct removal *r, int top, const char *name)
{
    struct stat st;
    bool any;
    if (unlinkat(top, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (!is_folder_errno(errno))
        return -errno;
    FD_AUTO fd = open_folder(top, name);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &st) < 0 || st.st_dev != r->device)
        return -EBUSY;
    int result = each_entry(fd, empty_entry, r, &any);
    if (result < 0)
        return result;
    return unlinkat(top, name, AT_REMOVEDIR) == 0 ? 0 : -errno;
}

int tree_remove(int dirfd, const char *name, struct err *err)
{
    struct stat st;
    if (fstatat(dirfd, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : err_sys(err, errno, "cannot look at %s", name);
    if (!S_ISDIR(st.st_mode))
        return unlinkat(dirfd, name, 0) == 0 || errno == ENOENT ? 0 : err_sys(err, errno, "cannot remove %s", name);
    FD_AUTO top = open_folder(dirfd, name);
    if (top < 0)
        return err_sys(err, errno, "cannot open %s", name);
    struct removal r = {.top = top, .device = st.st_dev};
    int result = 0;
    for (bool any = true; any && result == 0;) {
        any = false;
        result = each_entry(top, top_entry, &r, &any);
    }
    if (result < 0)
        return err_sys(err, -result, "cannot remove what is in %s", name);
    return unlinkat(dirfd, name, AT_REMOVEDIR) == 0 || errno == ENOENT ? 0 : err_sys(err, errno, "cannot remove %s", name);
}
