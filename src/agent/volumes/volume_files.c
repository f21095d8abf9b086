/* volume_files.c - a folder that shows a set of files and changes all of them at once; trees that belong to a group.
 *
 *   volume/key      -> ..data/key
 *   volume/..data   -> ..vAbC123        swapped by one rename
 *   volume/..vAbC123/key                the files
 *
 * A reader that opened ..data sees one set, old or new.  Killed at any moment: the next write finds the link old or new and removes what is neither. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/pod/container_build_internal.h"
#include "rt/file.h"

#define TREE_DEPTH 256

/* --- groups --------------------------------------------------------------------------------------------- */
static int give_tree(int fd, uint32_t group, unsigned mask, unsigned depth)
{
    struct stat st;
    if (fstat(fd, &st) < 0 || fchown(fd, (uid_t)-1, group) < 0 || fchmod(fd, (st.st_mode & 07777) | mask | 02110) < 0)
        return -1;
    int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = copy < 0 ? NULL : fdopendir(copy);
    if (!d)
        return -1;
    int r = 0;
    for (struct dirent *e; r == 0 && (e = readdir(d));) {
        struct stat in;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (fstatat(fd, e->d_name, &in, AT_SYMLINK_NOFOLLOW) < 0) {
            r = errno == ENOENT ? 0 : -1;
        } else if (S_ISDIR(in.st_mode)) {
            FD_AUTO sub = openat(fd, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            r = sub < 0 || depth == TREE_DEPTH ? -1 : give_tree(sub, group, mask, depth + 1);
        } else {
            r = fchownat(fd, e->d_name, (uid_t)-1, group, AT_SYMLINK_NOFOLLOW);
            FD_AUTO file = r == 0 && S_ISREG(in.st_mode) ? openat(fd, e->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC) : -1;
            if (file >= 0)
                r = fchmod(file, (in.st_mode & 07777) | mask);
        }
    }
    closedir(d);
    return r;
}

int volume_set_group(const char *dir, uint32_t group, bool read_only, bool only_on_mismatch, struct err *err)
{
    unsigned mask = read_only ? 0440 : 0660;
    struct stat st;
    FD_AUTO fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, errno, "cannot open %s", dir);
    if (only_on_mismatch && st.st_gid == group && (st.st_mode & (mask | 02110)) == (mask | 02110))
        return 0;
    return give_tree(fd, group, mask, 0) == 0 ? 0 : err_sys(err, errno, "cannot give %s to group %u", dir, group);
}

/* --- files ---------------------------------------------------------------------------------------------- */
static bool is_inside(str path)
{
    str rest = path, part;
    if (!path.len || path.p[0] == '/')
        return false;
    for (bool more = true; more;) {
        more = str_cut(&rest, '/', &part);
        if (!part.len || str_is(part, "..") || str_is(part, "."))
            return false;
    }
    return !str_has_prefix(path, S(".."));
}

static unsigned mode_of(const struct volume_file *f, bool has_group)
{
    return (f->mode & 0777) | (has_group ? 0440u : 0);
}

static int write_one(struct arena *a, const char *dir, const struct volume_file *f, bool has_group, uint32_t group, struct err *err)
{
    const char *path = arena_fmt(a, "%s/" STR_FMT, dir, STR_ARG(f->path)).p;
    char *parent = file_dirname(path);
    int r = file_mkdir_all(parent, 0755, err);
    free(parent);
    if (r < 0)
        return r;
    FD_AUTO fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot make %s", path);
    for (size_t at = 0; at < f->text.len;) {
        ssize_t n = write(fd, f->text.p + at, f->text.len - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, errno, "cannot write %s", path);
        at += (size_t)n;
    }
    if ((f->has_owner && fchown(fd, f->owner, (gid_t)-1) < 0) || (has_group && fchown(fd, (uid_t)-1, group) < 0) || fchmod(fd, mode_of(f, has_group)) < 0)
        return err_sys(err, errno, "cannot set the mode of %s", path);
    return 0;
}

static bool is_same_file(struct arena *a, const char *dir, const struct volume_file *f, bool has_group, uint32_t group)
{
    const char *path = arena_fmt(a, "%s/" STR_FMT, dir, STR_ARG(f->path)).p;
    struct stat st;
    if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || (size_t)st.st_size != f->text.len || (st.st_mode & 0777) != mode_of(f, has_group) || (has_group && st.st_gid != group) ||
        (f->has_owner && st.st_uid != f->owner))
        return false;
    char *text CLEANUP(free) = NULL;
    size_t len;
    struct err err = ERR_NONE;
    return file_read(path, f->text.len + 1, &text, &len, &err) == 0 && str_eq(str_n(text, len), f->text);
}

static size_t count_files(const char *dir, unsigned depth)
{
    DIR *d = opendir(dir);
    size_t n = 0;
    if (!d)
        return 0;
    for (struct dirent *e; (e = readdir(d));) {
        ARENA_AUTO a = ARENA_SMALL(1024);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        n += e->d_type == DT_DIR && depth < TREE_DEPTH ? count_files(arena_fmt(&a, "%s/%s", dir, e->d_name).p, depth + 1) : 1;
    }
    closedir(d);
    return n;
}

/* Two sources may write one path: the later one counts. */
static bool is_overruled(const volume_files *files, size_t i)
{
    for (size_t k = i + 1; k < files->len; k++)
        if (str_eq(files->p[k].path, files->p[i].path))
            return true;
    return false;
}

static bool shows_already(struct arena *a, const char *dir, const volume_files *files, bool has_group, uint32_t group)
{
    size_t n = 0;
    for (size_t i = 0; i < files->len; i++) {
        if (is_overruled(files, i))
            continue;
        if (!is_same_file(a, dir, &files->p[i], has_group, group))
            return false;
        n++;
    }
    return count_files(dir, 0) == n;
}

static str first_part(str path)
{
    str part;
    str_cut(&path, '/', &part);
    return part;
}

static bool is_wanted(const volume_files *files, str name)
{
    for (size_t i = 0; i < files->len; i++)
        if (str_eq(first_part(files->p[i].path), name))
            return true;
    return false;
}

/* Links for every name, none for others; sets of files that are not `current` go. */
static int tidy(struct arena *a, const char *dir, const char *current, const volume_files *files, struct err *err)
{
    for (size_t i = 0; i < files->len; i++) {
        str name = first_part(files->p[i].path);
        const char *link = arena_fmt(a, "%s/" STR_FMT, dir, STR_ARG(name)).p;
        if (symlink(arena_fmt(a, "..data/" STR_FMT, STR_ARG(name)).p, link) < 0 && errno != EEXIST)
            return err_sys(err, errno, "cannot make the link %s", link);
    }
    DIR *d = opendir(dir);
    if (!d)
        return err_sys(err, errno, "cannot read %s", dir);
    int r = 0;
    for (struct dirent *e; r == 0 && (e = readdir(d));) {
        const char *path = arena_fmt(a, "%s/%s", dir, e->d_name).p;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || strcmp(e->d_name, "..data") == 0 || strcmp(e->d_name, current) == 0)
            continue;
        if (strncmp(e->d_name, "..", 2) == 0)
            r = file_remove_all(path, err);
        else if (!is_wanted(files, str_of(e->d_name)) && e->d_type == DT_LNK)
            unlink(path);
    }
    closedir(d);
    return r;
}

static int write_set(struct arena *a, const char *dir, const char *set, const volume_files *files, bool has_group, uint32_t group, struct err *err)
{
    if (chmod(set, 0755) < 0)
        return err_sys(err, errno, "cannot set the mode of %s", set);
    for (size_t i = 0; i < files->len; i++) {
        int r = is_overruled(files, i) ? 0 : write_one(a, set, &files->p[i], has_group, group, err);
        if (r < 0)
            return r;
    }
    const char *tmp = arena_fmt(a, "%s/..data_tmp", dir).p, *data = arena_fmt(a, "%s/..data", dir).p;
    unlink(tmp);
    if (symlink(strrchr(set, '/') + 1, tmp) < 0 || rename(tmp, data) < 0)
        return err_sys(err, errno, "cannot swap %s", data);
    return 0;
}

int volume_write_files(const char *dir, const volume_files *files, bool has_group, uint32_t group, struct err *err)
{
    ARENA_AUTO a = ARENA_INIT;
    char current[256];
    for (size_t i = 0; i < files->len; i++)
        if (!is_inside(files->p[i].path))
            return err_set(err, E_INVALID_ARG, "the path \"" STR_FMT "\" is not inside the volume", STR_ARG(files->p[i].path));
    ssize_t n = readlink(arena_fmt(&a, "%s/..data", dir).p, current, sizeof current - 1);
    current[n > 0 ? n : 0] = 0;
    if (n > 0 && strncmp(current, "..v", 3) == 0 && !strchr(current, '/') && shows_already(&a, arena_fmt(&a, "%s/%s", dir, current).p, files, has_group, group))
        return tidy(&a, dir, current, files, err);
    char *set = (char *)arena_fmt(&a, "%s/..vXXXXXX", dir).p;
    if (!mkdtemp(set))
        return err_sys(err, errno, "cannot make a folder in %s", dir);
    int r = write_set(&a, dir, set, files, has_group, group, err);
    if (r < 0) {
        err_ignore(file_remove_all(set, NULL), "the first error is the one to tell");
        return r;
    }
    return tidy(&a, dir, strrchr(set, '/') + 1, files, err);
}
