/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/streams/logs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"
#include "rt/file.h"

#define BLOCK_BYTES (64u << 10)

/* --- lines ----------------------------------------------------------------------------------------------------- */

enum { AT_HEAD, IN_TEXT, IN_GARBAGE };

bool log_head_parse(str line, struct log_head *ret)
{
    str rest = line, stream, tag;
    if (!str_cut(&rest, ' ', &ret->time) || !str_cut(&rest, ' ', &stream) || !str_cut(&rest, ' ', &tag) || !ret->time.len)
        return false;
    ret->stream = str_is(stream, "stdout") ? LOG_STDOUT : str_is(stream, "stderr") ? LOG_STDERR : 0;
    str first;
    str_cut(&tag, ':', &first); /* tags may follow one another */
    ret->partial = str_is(first, "P");
    ret->len = (size_t)(rest.p - line.p);
    return ret->stream && (ret->partial || str_is(first, "F"));
}

static bool emit(struct log_filter *f, str text, struct strbuf *out)
{
    if (f->left >= 0 && (int64_t)text.len > f->left)
        text = str_sub(text, 0, (size_t)f->left);
    strbuf_add_str(out, text);
    if (f->left >= 0)
        f->left -= (int64_t)text.len;
    return f->left != 0;
}

static bool line_begin(struct log_filter *f, const struct log_head *h, struct strbuf *out)
{
    nsec_t at;
    bool late = !f->since || (civil_parse(h->time, &at) && at >= f->since);
    f->shows_ = late && (!f->streams || (f->streams & h->stream));
    f->partial_ = h->partial;
    f->state_ = IN_TEXT;
    if (!f->shows_ || f->continues_ || !f->timestamps)
        return true;
    return emit(f, h->time, out) && emit(f, S(" "), out);
}

static bool line_end(struct log_filter *f, struct strbuf *out)
{
    bool shown = f->state_ == IN_TEXT && f->shows_;
    f->state_ = AT_HEAD;
    f->head_len_ = 0;
    if (!shown)
        return true;
    f->continues_ = f->partial_;
    return f->partial_ || emit(f, S("\n"), out);
}

/* Collects the head of a line; returns how many bytes of `in` belong to it. */
static size_t head_take(struct log_filter *f, str in, struct strbuf *out, bool *ret_go_on)
{
    size_t had = f->head_len_, n = MIN(in.len, (size_t)LOG_HEAD_BYTES - had);
    ptrdiff_t end = str_find_char(str_sub(in, 0, n), '\n');
    if (end >= 0)
        n = (size_t)end;
    memcpy(f->head_ + had, in.p, n);
    f->head_len_ = (uint8_t)(had + n);
    struct log_head h;
    if (log_head_parse(str_n(f->head_, f->head_len_), &h)) {
        *ret_go_on = line_begin(f, &h, out);
        return h.len - had; /* what lies behind the head is text, and stays */
    }
    /* "P" and "F" may end a line without a blank behind them: an empty one */
    if (end >= 0 && f->head_len_ < LOG_HEAD_BYTES) {
        f->head_[f->head_len_] = ' ';
        if (log_head_parse(str_n(f->head_, f->head_len_ + 1u), &h)) {
            *ret_go_on = line_begin(f, &h, out);
            return n;
        }
    }
    if (end >= 0 || f->head_len_ == LOG_HEAD_BYTES)
        f->state_ = IN_GARBAGE;
    return n;
}

bool log_filter_feed(struct log_filter *f, str in, struct strbuf *out)
{
    if (f->left == 0)
        return false;
    while (in.len) {
        bool go_on = true;
        if (f->state_ == AT_HEAD) {
            in = str_from(in, head_take(f, in, out, &go_on));
        } else {
            ptrdiff_t end = str_find_char(in, '\n');
            str text = end < 0 ? in : str_sub(in, 0, (size_t)end);
            if (f->state_ == IN_TEXT && f->shows_)
                go_on = emit(f, text, out);
            in = str_from(in, text.len + (end >= 0));
            if (go_on && end >= 0)
                go_on = line_end(f, out);
        }
        if (!go_on)
            return false;
    }
    return true;
}

/* --- files -------------------------------------------------------------------------------------------------------- */

struct log_reader {
    char *path;
    int64_t tail;
    struct log_filter filter;
    char *names[LOG_FILES]; /* oldest first */
    size_t nnames;
    int fd;       /* -1: none */
    off_t offset; /* in it */
    ino_t inode;
    bool started;
    char *block;
};

struct log_reader *log_reader_new(const struct log_opts *o)
{
    struct log_reader *r = xnew(struct log_reader);
    r->path = xstrdup(o->path);
    r->tail = o->tail;
    r->fd = -1;
    r->filter = (struct log_filter){.timestamps = o->timestamps, .streams = o->streams, .since = o->since, .left = o->limit_bytes};
    return r;
}

static void names_clear(struct log_reader *r)
{
    for (size_t i = 0; i < r->nnames; i++)
        free(r->names[i]);
    r->nnames = 0;
}

void log_reader_free(struct log_reader *r)
{
    if (!r)
        return;
    names_clear(r);
    if (r->fd >= 0)
        close(r->fd);
    free(r->block);
    free(r->path);
    free(r);
}

/* Oldest first.  Numbers count backwards, times forwards; a run has one kind of them. */
static int by_age(const void *x, const void *y)
{
    str a = str_of(*(char *const *)x), b = str_of(*(char *const *)y);
    ptrdiff_t da = str_rfind_char(a, '.'), db = str_rfind_char(b, '.');
    uint64_t na, nb;
    str sa = str_from(a, (size_t)(da + 1)), sb = str_from(b, (size_t)(db + 1));
    if (sa.len < 8 && sb.len < 8 && str_to_u64(sa, &na) && str_to_u64(sb, &nb))
        return na > nb ? -1 : na < nb;
    return str_cmp(sa, sb);
}

static bool is_rotated(str entry, str base)
{
    if (entry.len <= base.len + 1 || !str_has_prefix(entry, base) || entry.p[base.len] != '.')
        return false;
    char c = entry.p[base.len + 1];
    return c >= '0' && c <= '9' && !str_has_suffix(entry, S(".gz")) && !str_has_suffix(entry, S(".tmp"));
}

static void names_list(struct log_reader *r)
{
    names_clear(r);
    char *dir = file_dirname(r->path);
    ptrdiff_t slash = str_rfind_char(str_of(r->path), '/');
    str base = str_from(str_of(r->path), (size_t)(slash + 1));
    DIR *d = opendir(dir);
    for (struct dirent *e; d && r->nnames < LOG_FILES - 1 && (e = readdir(d));) {
        if (!is_rotated(str_of(e->d_name), base))
            continue;
        size_t len = strlen(dir) + strlen(e->d_name) + 2;
        char *name = xmalloc(len);
        snprintf(name, len, "%s/%s", dir, e->d_name);
        r->names[r->nnames++] = name;
    }
    if (d)
        closedir(d);
    free(dir);
    if (r->nnames > 1)
        qsort(r->names, r->nnames, sizeof r->names[0], by_age);
    r->names[r->nnames++] = xstrdup(r->path);
}

static int file_open(struct log_reader *r, size_t i, struct err *err)
{
    int fd = open(r->names[i], O_RDONLY | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) < 0)
        return err_sys(err, errno, "cannot read the log %s", r->names[i]);
    if (r->fd >= 0)
        close(r->fd);
    r->fd = fd;
    r->inode = st.st_ino;
    r->offset = 0;
    return 0;
}

/* --- tail ------------------------------------------------------------------------------------------------------------ */

/* Does the line at `at` end one of the lines that are shown? */
static bool counts(const struct log_reader *r, off_t at)
{
    char head[LOG_HEAD_BYTES + 1];
    ssize_t n = pread(r->fd, head, LOG_HEAD_BYTES, at);
    if (n <= 0)
        return false;
    ptrdiff_t end = str_find_char(str_n(head, (size_t)n), '\n');
    size_t len = end < 0 ? (size_t)n : (size_t)end;
    head[len] = ' ';
    struct log_head h;
    return log_head_parse(str_n(head, len + 1), &h) && !h.partial && (!r->filter.streams || (r->filter.streams & h.stream));
}

/* Walks the open file backwards until `tail` lines lie behind; sets the offset.  Returns how many lines are still missing. */
static int64_t tail_find(struct log_reader *r, int64_t want)
{
    struct stat st;
    if (fstat(r->fd, &st) < 0)
        return 0;
    off_t line_end = st.st_size; /* the line under way ends here */
    for (off_t pos = st.st_size; pos > 0;) {
        size_t n = (size_t)MIN((off_t)BLOCK_BYTES, pos);
        pos -= (off_t)n;
        if (pread(r->fd, r->block, n, pos) != (ssize_t)n)
            return 0;
        for (size_t i = n; i-- > 0;) {
            off_t start = pos + (off_t)i + 1; /* a line begins behind a newline */
            if (r->block[i] != '\n' || start >= line_end)
                continue;
            if (counts(r, start) && want-- == 0) {
                r->offset = line_end;
                return 0;
            }
            line_end = start;
        }
    }
    if (line_end > 0 && counts(r, 0) && want-- == 0) {
        r->offset = line_end;
        return 0;
    }
    r->offset = 0;
    return want;
}

/* Chooses where to begin: the oldest file, or as far back as the tail or the time needs. */
static int begin(struct log_reader *r, struct err *err)
{
    names_list(r);
    if (!r->block)
        r->block = xmalloc(BLOCK_BYTES);
    size_t i = r->nnames;
    int res = 0;
    int64_t want = r->tail;
    while (i-- > 0) {
        struct stat st;
        bool is_newest = i == r->nnames - 1;
        if (!is_newest && r->filter.since && stat(r->names[i], &st) == 0 && st.st_mtime < r->filter.since / NSEC_PER_SEC)
            break; /* nothing was written to it since */
        res = file_open(r, i, is_newest ? err : NULL);
        if (res < 0 && r->nnames == 1)
            return res;
        if (res < 0)
            continue; /* being rotated just now */
        if (r->tail >= 0 && (want = tail_find(r, want)) <= 0)
            break;
    }
    r->started = r->fd >= 0;
    return r->started ? 0 : err_set(err, E_NOT_FOUND, "cannot read the log %s: it is gone", r->path);
}

/* --- reading --------------------------------------------------------------------------------------------------------- */

static bool moved_away(const struct log_reader *r)
{
    struct stat st;
    return stat(r->path, &st) == 0 && st.st_ino != r->inode;
}

/* The open file is read to its end: on to the one that came after it.  Names move with each rotation, so files are told apart by inode; one that is gone was older than all that are left.
 * False: there is none. */
static bool next_file(struct log_reader *r)
{
    if (!moved_away(r))
        return false;
    ino_t own = r->inode;
    names_list(r);
    size_t next = 0;
    for (size_t i = 0; i < r->nnames; i++) {
        struct stat st;
        if (stat(r->names[i], &st) == 0 && st.st_ino == own)
            next = i + 1;
    }
    return next < r->nnames && file_open(r, next, NULL) == 0;
}

enum log_result log_reader_read(struct log_reader *r, struct strbuf *out, size_t max, struct err *err)
{
    if (!r->started && begin(r, err) < 0)
        return LOG_FAILED;
    size_t had = out->len;
    for (size_t blocks = 0; out->len - had < max && blocks < 64; blocks++) {
        ssize_t n = pread(r->fd, r->block, BLOCK_BYTES, r->offset);
        if (n < 0) {
            err_sys(err, errno, "cannot read the log %s", r->path);
            return LOG_FAILED;
        }
        if (n == 0) {
            /* what was written between the last read and the move must not be lost */
            if (moved_away(r) && pread(r->fd, r->block, 1, r->offset) == 1)
                continue;
            if (!next_file(r))
                return LOG_AT_END;
            continue;
        }
        r->offset += n;
        if (!log_filter_feed(&r->filter, str_n(r->block, (size_t)n), out))
            return LOG_LIMIT;
    }
    return LOG_MORE;
}

bool log_reader_has_more(const struct log_reader *r)
{
    struct stat st;
    return r->fd < 0 || (fstat(r->fd, &st) == 0 && st.st_size > r->offset) || moved_away(r);
}
