/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/file.h"

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

bool file_exists(const char *path)
{
    return access(path, F_OK) == 0;
}
