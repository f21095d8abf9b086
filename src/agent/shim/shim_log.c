/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/shim/shim_log.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/civil.h"

#define DEFAULT_BYTES (10ull << 20)
#define DEFAULT_FILES 5

int shim_log_open(struct shim_log *l, const char *path, uint64_t max_bytes, uint32_t max_files, struct err *err)
{
    *l = (struct shim_log){.path = path,
                           .max_bytes = max_bytes ? max_bytes : DEFAULT_BYTES,
                           .max_files = max_files ? max_files : DEFAULT_FILES,
                           .streams_ = {{.name = "stdout"}, {.name = "stderr"}},
                           .tokens_ = SHIM_LOG_BURST};
    l->fd_ = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0640);
    struct stat st;
    if (l->fd_ < 0 || fstat(l->fd_, &st) < 0)
        return err_sys(err, errno, "cannot open the log %s", path);
    l->size_ = (uint64_t)st.st_size;
    return 0;
}

static void rotate(struct shim_log *l)
{
    STRBUF_AUTO from = STRBUF_HEAP;
    STRBUF_AUTO to = STRBUF_HEAP;
    for (uint32_t i = l->max_files; i-- > 0;) { /* the oldest first */
        strbuf_clear(&from);
        strbuf_clear(&to);
        strbuf_addf(&from, i ? "%s.%u" : "%s", l->path, i);
        strbuf_addf(&to, "%s.%u", l->path, i + 1);
        if (i + 1 >= l->max_files)
            unlink(from.p);
        else
            rename(from.p, to.p);
    }
    int fd = open(l->path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0640);
    if (fd < 0)
        return; /* goes on in the old file, which has another name now */
    close(l->fd_);
    l->fd_ = fd;
    l->size_ = 0;
}

static void flush(struct shim_log *l)
{
    if (!l->out_.len)
        return;
    if (l->size_ && l->size_ + l->out_.len > l->max_bytes)
        rotate(l);
    str left = strbuf_str(&l->out_);
    while (left.len) {
        ssize_t n = write(l->fd_, left.p, left.len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        left = str_from(left, (size_t)n);
        l->size_ += (uint64_t)n;
    }
    l->tokens_ -= (int64_t)l->out_.len;
    strbuf_clear(&l->out_);
}

static void stamp(nsec_t wall, char out[40])
{
    struct civil c = civil_from_ns(wall);
    snprintf(out, 40, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", c.year, c.month, c.day, c.hour, c.minute, c.second, c.nsec);
}

static void add_line(struct shim_log *l, const struct shim_log_stream *s, const char *time, char tag, str a, str b)
{
    strbuf_addf(&l->out_, "%s %s %c ", time, s->name, tag);
    strbuf_add_str(&l->out_, a);
    strbuf_add_str(&l->out_, b);
    strbuf_add_char(&l->out_, '\n');
    if (l->out_.len >= (64u << 10))
        flush(l);
}

void shim_log_write(struct shim_log *l, unsigned stream, str bytes, nsec_t wall, nsec_t mono)
{
    struct shim_log_stream *s = &l->streams_[stream];
    char time[40];
    stamp(wall, time);
    shim_log_wait_ns(l, mono);
    while (bytes.len) {
        ptrdiff_t end = str_find_char(str_sub(bytes, 0, SHIM_LOG_PART - s->part.len), '\n');
        if (end >= 0) {
            add_line(l, s, time, 'F', strbuf_str(&s->part), str_sub(bytes, 0, (size_t)end));
            strbuf_clear(&s->part);
            bytes = str_from(bytes, (size_t)end + 1);
            continue;
        }
        str piece = str_sub(bytes, 0, SHIM_LOG_PART - s->part.len);
        strbuf_add_str(&s->part, piece);
        bytes = str_from(bytes, piece.len);
        if (s->part.len == SHIM_LOG_PART) {
            add_line(l, s, time, 'P', strbuf_str(&s->part), STR_NONE);
            strbuf_clear(&s->part);
        }
    }
    flush(l);
}

nsec_t shim_log_wait_ns(struct shim_log *l, nsec_t mono)
{
    if (l->filled_at_ && mono > l->filled_at_) {
        nsec_t passed = MIN(mono - l->filled_at_, 10 * NSEC_PER_SEC);
        l->tokens_ = MIN(l->tokens_ + passed * SHIM_LOG_RATE / NSEC_PER_SEC, (int64_t)SHIM_LOG_BURST);
    }
    l->filled_at_ = mono;
    return l->tokens_ >= 0 ? 0 : -l->tokens_ * NSEC_PER_SEC / SHIM_LOG_RATE + NSEC_PER_MSEC;
}

void shim_log_close(struct shim_log *l, nsec_t wall)
{
    char time[40];
    stamp(wall, time);
    for (size_t i = 0; i < ARRAY_LEN(l->streams_); i++) {
        if (l->streams_[i].part.len)
            add_line(l, &l->streams_[i], time, 'F', strbuf_str(&l->streams_[i].part), STR_NONE);
        strbuf_fini(&l->streams_[i].part);
    }
    flush(l);
    strbuf_fini(&l->out_);
    if (l->fd_ >= 0)
        close(l->fd_);
    l->fd_ = -1;
}
