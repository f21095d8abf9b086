/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/images_archive.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "agent/images/expand.h"
#include "agent/images/images.h"
#include "agent/images/tar.h"
#include "base/map.h"
#include "rt/file.h"

#define PIECE_BYTES (128u << 10)
#define EXPANDED_BYTES (2 * IMAGES_LAYER_BYTES) /* of a compressed archive */
#define LINK_HOPS 8

struct member {
    uint64_t offset, size;
    str link; /* docker writes a layer that comes twice as a link to the first */
};

struct archive {
    int fd;
    struct tar *tar; /* while it is scanned */
    struct arena arena;
    struct map members;
};

/* "./a//b" -> "a/b"; with ".." resolved: links are relative to their folder. */
static str clean_name(struct arena *a, str folder, str name)
{
    str parts[256], part;
    size_t n = 0;
    str sources[2] = {folder, name};
    for (size_t k = str_has_prefix(name, S("/")); k < 2; k++) {
        while (sources[k].len) {
            str_cut(&sources[k], '/', &part);
            if (str_is(part, ".."))
                n -= n > 0;
            else if (part.len && !str_is(part, ".") && n < ARRAY_LEN(parts))
                parts[n++] = part;
        }
    }
    struct strbuf b = strbuf_on(a);
    for (size_t k = 0; k < n; k++)
        strbuf_addf(&b, "%s" STR_FMT, k ? "/" : "", STR_ARG(parts[k]));
    return strbuf_str(&b);
}

static int on_entry(void *arg, const struct tar_entry *e, struct err *err)
{
    struct archive *f = arg;
    tar_ignore_data(f->tar);
    if (e->type != TAR_FILE && e->type != TAR_SYMLINK && e->type != TAR_HARD_LINK)
        return 0;
    if (f->members.len == ARCHIVE_FILES)
        return err_set(err, E_TOO_LARGE, "the archive has more than %d files", ARCHIVE_FILES);
    struct member *m = arena_new(&f->arena, struct member);
    str name = clean_name(&f->arena, S(""), e->name);
    *m = (struct member){.offset = tar_offset(f->tar), .size = e->size};
    if (e->type != TAR_FILE) {
        ptrdiff_t slash = str_rfind_char(name, '/');
        str folder = e->type == TAR_SYMLINK && slash > 0 ? str_sub(name, 0, (size_t)slash) : S("");
        m->link = clean_name(&f->arena, folder, e->link);
    }
    map_put(&f->members, name, m);
    return 0;
}

static int on_data(void *arg UNUSED, str bytes UNUSED, struct err *err UNUSED)
{
    return 0;
}

static int on_end(void *arg UNUSED, struct err *err UNUSED)
{
    return 0;
}

static int read_at(int fd, char *buf, size_t len, uint64_t offset, size_t *ret_n, struct err *err)
{
    ssize_t n;
    do
        n = pread(fd, buf, len, (off_t)offset);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return err_sys(err, errno, "cannot read the archive");
    *ret_n = (size_t)n;
    return 0;
}

static int scan(struct archive *f, struct err *err)
{
    static const struct tar_ops ops = {on_entry, on_data, on_end};
    CLEANUP(tar_free) struct tar *t = tar_new(&ops, f);
    CLEANUP(free) char *buf = xmalloc(PIECE_BYTES);
    f->tar = t;
    for (;;) {
        size_t n;
        tar_skip(t, tar_skippable(t));
        int r = read_at(f->fd, buf, PIECE_BYTES, tar_offset(t), &n, err);
        if (r == 0 && n)
            r = tar_feed(t, str_n(buf, n), err);
        if (r < 0)
            return r;
        if (!n)
            return tar_finish(t, err);
    }
}

static int write_piece(void *arg, str bytes, struct err *err)
{
    const int *to = arg;
    while (bytes.len) {
        ssize_t n = write(*to, bytes.p, bytes.len);
        if (n < 0 && errno != EINTR)
            return err_sys(err, errno, "cannot unpack the archive");
        bytes = str_from(bytes, (size_t)MAX(n, 0));
    }
    return 0;
}

static int expand_file(int from, int to, struct err *err)
{
    CLEANUP(free) char *buf = xmalloc(PIECE_BYTES);
    CLEANUP(expand_free) struct expand *x = expand_new(&(struct expand_opts){.what = "archive", .max_bytes = EXPANDED_BYTES, .sink = write_piece, .arg = &to});
    for (uint64_t at = 0;;) {
        size_t n;
        int r = read_at(from, buf, PIECE_BYTES, at, &n, err);
        if (r == 0 && n)
            r = expand_feed(x, str_n(buf, n), err);
        if (r < 0)
            return r;
        if (!n)
            return expand_finish(x, err);
        at += n;
    }
}

/* A plain file is used where it is. */
static int open_plain(const char *path, const char *scratch, int *ret_fd, struct err *err)
{
    char magic[EXPAND_MAGIC_BYTES];
    size_t n;
    FD_AUTO fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return err_sys(err, errno, "cannot open %s", path);
    int r = read_at(fd, magic, sizeof magic, 0, &n, err);
    if (r < 0)
        return r;
    if (expand_coding_of(str_n(magic, n)) == EXPAND_PLAIN) {
        *ret_fd = fd;
        fd = -1;
        return 0;
    }
    int plain = open(scratch, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
    if (plain < 0)
        return err_sys(err, errno, "cannot make a file in %s", scratch);
    r = expand_file(fd, plain, err);
    if (r < 0)
        close(plain);
    else
        *ret_fd = plain;
    return r;
}

int archive_open(const char *path, const char *scratch, struct archive **ret, struct err *err)
{
    int fd = -1;
    int r = open_plain(path, scratch, &fd, err);
    if (r < 0)
        return err_wrap(err, "%s: ", path);
    struct archive *f = xnew(struct archive);
    f->fd = fd;
    r = scan(f, err);
    if (r < 0) {
        archive_close(f);
        return err_wrap(err, "%s: ", path);
    }
    *ret = f;
    return 0;
}

void archive_close(struct archive *f)
{
    if (!f)
        return;
    close(f->fd);
    map_fini(&f->members);
    arena_fini(&f->arena);
    free(f);
}

static const struct member *find(const struct archive *f, str name)
{
    const struct member *m = map_get(&f->members, name);
    for (int hops = 0; m && m->link.len && hops < LINK_HOPS; hops++)
        m = map_get(&f->members, m->link);
    return m && !m->link.len ? m : NULL;
}

bool archive_has(const struct archive *f, str name)
{
    return find(f, name) != NULL;
}

int archive_stream(const struct archive *f, str name, int (*feed)(void *arg, str bytes, struct err *err), void *arg, struct err *err)
{
    const struct member *m = find(f, name);
    if (!m)
        return err_set(err, E_NOT_FOUND, "the archive has no " STR_FMT, STR_ARG(str_sub(name, 0, 200)));
    CLEANUP(free) char *buf = xmalloc(PIECE_BYTES);
    for (uint64_t at = 0; at < m->size;) {
        size_t n;
        int r = read_at(f->fd, buf, (size_t)MIN((uint64_t)PIECE_BYTES, m->size - at), m->offset + at, &n, err);
        if (r == 0 && !n)
            r = err_set(err, E_CORRUPT, "the archive became shorter while it was read");
        if (r == 0)
            r = feed(arg, str_n(buf, n), err);
        if (r < 0)
            return r;
        at += n;
    }
    return 0;
}

static int collect(void *arg, str bytes, struct err *err UNUSED)
{
    strbuf_add_str(arg, bytes);
    return 0;
}

int archive_read(const struct archive *f, str name, size_t max_bytes, struct arena *a, str *ret, struct err *err)
{
    const struct member *m = find(f, name);
    struct strbuf b = strbuf_on(a);
    if (m && m->size > max_bytes)
        return err_set(err, E_TOO_LARGE, STR_FMT " of the archive is larger than %zu KiB", STR_ARG(str_sub(name, 0, 200)), max_bytes >> 10);
    int r = archive_stream(f, name, collect, &b, err);
    if (r == 0)
        *ret = strbuf_str(&b);
    return r;
}
