/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/tar_write.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/vec.h"

#define BLOCK 512

struct level {
    DIR *dir;
    size_t path_len, name_len; /* of the folder in w->path and w->name */
};

struct tar_writer {
    struct strbuf path, name; /* of the member under way */
    VEC(struct level) levels;
    struct strbuf out; /* made and not yet read */
    size_t out_at;
    int fd;            /* of the file under way, -1: none */
    uint64_t size, left; /* as it was announced, and what of it is still to be sent */
    bool is_done;
};

/* --- headers ---------------------------------------------------------------------------------------------------------------- */

static void put_number(char *at, size_t len, uint64_t v)
{
    if (v >> (3 * (len - 1)) == 0) {
        snprintf(at, len, "%0*llo", (int)len - 1, (unsigned long long)v);
        return;
    }
    memset(at, 0, len); /* base 256: what octal digits cannot hold */
    at[0] = (char)0x80;
    for (size_t i = len - 1; i > 0 && v; i--, v >>= 8)
        at[i] = (char)v;
}

static void put_header(struct tar_writer *w, str name, str link, char type, const struct stat *st, uint64_t size)
{
    char h[BLOCK] = {0};
    memcpy(h, name.p, MIN(name.len, (size_t)100));
    put_number(h + 100, 8, st->st_mode & 07777);
    put_number(h + 108, 8, 0);
    put_number(h + 116, 8, 0);
    put_number(h + 124, 12, size);
    put_number(h + 136, 12, (uint64_t)MAX(st->st_mtime, (time_t)0));
    memset(h + 148, ' ', 8);
    h[156] = type;
    memcpy(h + 157, link.p, MIN(link.len, (size_t)100));
    memcpy(h + 257, "ustar  ", 8);
    unsigned sum = 0;
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)h[i];
    snprintf(h + 148, 8, "%06o", sum);
    h[155] = ' ';
    strbuf_add(&w->out, h, BLOCK);
}

static void pad(struct tar_writer *w, uint64_t written)
{
    static const char zeros[BLOCK];
    strbuf_add(&w->out, zeros, (BLOCK - written % BLOCK) % BLOCK);
}

/* A name over 100 bytes goes before in a member of its own. */
static void put_long(struct tar_writer *w, str text, char type)
{
    if (text.len <= 100)
        return;
    struct stat none = {.st_mode = 0644};
    put_header(w, S("././@LongLink"), S(""), type, &none, text.len + 1);
    strbuf_add(&w->out, text.p, text.len);
    strbuf_add_char(&w->out, 0);
    pad(w, text.len + 1);
}

static void put_member(struct tar_writer *w, str link, char type, const struct stat *st, uint64_t size)
{
    str name = strbuf_str(&w->name);
    put_long(w, link, 'K');
    put_long(w, name, 'L');
    put_header(w, name, link, type, st, size);
}

/* --- members ------------------------------------------------------------------------------------------------------------------ */

static int add_dir(struct tar_writer *w, const struct stat *st, struct err *err)
{
    DIR *d = w->levels.len < TAR_WRITE_DEPTH ? opendir(strbuf_cstr(&w->path)) : NULL;
    if (!d)
        return w->levels.len < TAR_WRITE_DEPTH ? err_sys(err, errno, "cannot read the folder %s", strbuf_cstr(&w->path))
                                               : err_set(err, E_INVALID_ARG, "folders are nested too deep at %s", strbuf_cstr(&w->path));
    vec_push(&w->levels, (struct level){d, w->path.len, w->name.len});
    strbuf_add_char(&w->name, '/');
    put_member(w, S(""), '5', st, 0);
    return 0;
}

static int add_link(struct tar_writer *w, const struct stat *st, struct err *err)
{
    char to[PATH_MAX];
    ssize_t n = readlink(strbuf_cstr(&w->path), to, sizeof to);
    if (n < 0)
        return err_sys(err, errno, "cannot read the link %s", strbuf_cstr(&w->path));
    put_member(w, str_n(to, (size_t)n), '2', st, 0);
    return 0;
}

static int add(struct tar_writer *w, bool follow, struct err *err)
{
    struct stat st;
    const char *path = strbuf_cstr(&w->path);
    if ((follow ? stat(path, &st) : lstat(path, &st)) < 0)
        return err_sys(err, errno, "cannot read %s", path);
    if (S_ISDIR(st.st_mode))
        return add_dir(w, &st, err);
    if (S_ISLNK(st.st_mode))
        return add_link(w, &st, err);
    if (!S_ISREG(st.st_mode))
        return 0;
    w->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (w->fd < 0)
        return err_sys(err, errno, "cannot read %s", path);
    w->size = w->left = (uint64_t)st.st_size;
    put_member(w, S(""), '0', &st, w->left);
    if (!w->left) {
        close(w->fd);
        w->fd = -1;
    }
    return 0;
}

/* The next member of the innermost folder, or the end. */
static int next(struct tar_writer *w, struct err *err)
{
    if (!w->levels.len) {
        static const char zeros[2 * BLOCK];
        strbuf_add(&w->out, zeros, sizeof zeros);
        w->is_done = true;
        return 0;
    }
    struct level *l = &w->levels.p[w->levels.len - 1];
    struct dirent *e = readdir(l->dir);
    if (!e) {
        closedir(l->dir);
        w->levels.len--;
        return 0;
    }
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
        return 0;
    w->path.len = l->path_len;
    w->name.len = l->name_len;
    strbuf_addf(&w->path, "/%s", e->d_name);
    strbuf_addf(&w->name, "/%s", e->d_name);
    return add(w, false, err);
}

/* --- reading --------------------------------------------------------------------------------------------------------------------- */

/* Exactly as many bytes as the header says: a file that shrank is filled up, one that grew is cut. */
static ssize_t file_read_some(struct tar_writer *w, char *buf, size_t len, struct err *err)
{
    size_t want = (size_t)MIN((uint64_t)len, w->left);
    ssize_t n = read(w->fd, buf, want);
    if (n < 0)
        return err_sys(err, errno, "cannot read %s", strbuf_cstr(&w->path));
    if (n == 0) {
        memset(buf, 0, want);
        n = (ssize_t)want;
    }
    w->left -= (uint64_t)n;
    if (!w->left) {
        close(w->fd);
        w->fd = -1;
        pad(w, w->size);
    }
    return n;
}

ssize_t tar_write_read(struct tar_writer *w, char *buf, size_t len, struct err *err)
{
    for (;;) {
        if (w->out_at < w->out.len) {
            size_t n = MIN(len, w->out.len - w->out_at);
            memcpy(buf, w->out.p + w->out_at, n);
            w->out_at += n;
            return (ssize_t)n;
        }
        strbuf_clear(&w->out);
        w->out_at = 0;
        if (w->fd >= 0)
            return file_read_some(w, buf, len, err);
        if (w->is_done)
            return 0;
        int r = next(w, err);
        if (r < 0)
            return r;
    }
}

int tar_write_open(const char *path, const char *name, struct tar_writer **ret, struct err *err)
{
    struct tar_writer *w = xnew(struct tar_writer);
    w->fd = -1;
    strbuf_add_str(&w->path, str_of(path));
    strbuf_add_str(&w->name, str_of(name));
    int r = add(w, true, err);
    if (r < 0) {
        tar_write_close(w);
        return r;
    }
    *ret = w;
    return 0;
}

void tar_write_close(struct tar_writer *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->levels.len; i++)
        closedir(w->levels.p[i].dir);
    vec_fini(&w->levels);
    if (w->fd >= 0)
        close(w->fd);
    strbuf_fini(&w->path);
    strbuf_fini(&w->name);
    strbuf_fini(&w->out);
    free(w);
}
