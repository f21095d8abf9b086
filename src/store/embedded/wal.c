/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/wal.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/log.h"
#include "rt/failpoint.h"
#include "store/embedded/crc32c.h"

#define RECORD_MAGIC 0x5243584fu /* "OXCR" */
#define GROW_MIN (256u << 10)
#define GROW_MAX (16u << 20)
#define RECORD_KEEP (4u << 20) /* a larger buffer is given back after use */

static uint64_t round_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) / to * to;
}

/* --- records -------------------------------------------------------------------------------------------------- */

static uint32_t record_crc(const char *record, size_t payload, const struct format_header *h, uint64_t offset)
{
    char place[FORMAT_ID_BYTES + 16];
    memcpy(place, h->id, FORMAT_ID_BYTES);
    format_set_u64(place + FORMAT_ID_BYTES, h->number);
    format_set_u64(place + FORMAT_ID_BYTES + 8, offset);
    uint32_t crc = crc32c(0, place, sizeof place);
    crc = crc32c(crc, record, 20);
    return crc32c(crc, record + WAL_RECORD_HEADER, payload);
}

void wal_record_seal(struct strbuf *buf, const struct format_header *h, uint64_t offset, rev_t first_rev, uint32_t ntxns)
{
    static const char zeros[8];
    size_t payload = buf->len - WAL_RECORD_HEADER;
    strbuf_add(buf, zeros, round_up(buf->len, 8) - buf->len);
    format_set_u32(buf->p, RECORD_MAGIC);
    format_set_u32(buf->p + 4, (uint32_t)payload);
    format_set_u64(buf->p + 8, first_rev);
    format_set_u32(buf->p + 16, ntxns);
    format_set_u32(buf->p + 20, record_crc(buf->p, payload, h, offset));
}

/* The record at `offset`, when there is a good one. */
static bool record_read(str segment, const struct format_header *h, uint64_t offset, struct wal_record *ret)
{
    struct format_reader r = {.left = str_from(segment, offset)};
    uint32_t magic = format_u32(&r), payload = format_u32(&r);
    ret->offset = offset;
    ret->first_rev = format_u64(&r);
    ret->ntxns = format_u32(&r);
    uint32_t crc = format_u32(&r);
    if (r.bad || magic != RECORD_MAGIC || payload > WAL_PAYLOAD_MAX)
        return false;
    ret->payload = format_bytes(&r, payload);
    return !r.bad && record_crc(segment.p + offset, payload, h, offset) == crc;
}

static bool all_zero(str bytes)
{
    return bytes.len == 0 || (bytes.p[0] == 0 && memcmp(bytes.p, bytes.p + 1, bytes.len - 1) == 0);
}

static void scan_tail(str segment, const struct format_header *h, struct wal_scan *s)
{
    s->tail = WAL_TAIL_CLEAN;
    if (all_zero(str_from(segment, s->end)))
        return;
    s->tail = WAL_TAIL_TORN;
    struct wal_record r;
    for (uint64_t at = s->end + 8; at + WAL_RECORD_HEADER <= segment.len; at += 8) {
        if (record_read(segment, h, at, &r)) {
            s->tail = WAL_TAIL_DAMAGED;
            s->next_good = at;
            return;
        }
    }
}

int wal_scan(str segment, const struct format_header *h, int (*each)(void *arg, const struct wal_record *r, struct err *err),
             void *arg, struct wal_scan *ret, struct err *err)
{
    struct wal_scan s = {.end = FORMAT_HEADER_BYTES};
    struct wal_record rec;
    while (s.end < segment.len && record_read(segment, h, s.end, &rec)) {
        int r = each(arg, &rec, err);
        if (r < 0)
            return r;
        s.records++;
        s.txns += rec.ntxns;
        s.end += round_up(WAL_RECORD_HEADER + rec.payload.len, 8);
    }
    scan_tail(segment, h, &s);
    *ret = s;
    return 0;
}

static bool op_read(struct format_reader *r, struct wal_op *op)
{
    uint8_t type = format_u8(r);
    uint32_t key_len = format_u32(r), value_len = format_u32(r);
    op->type = (enum store_op_type)type;
    op->rev_at = format_u32(r);
    op->key = format_bytes(r, key_len);
    op->value = format_bytes(r, value_len);
    return !r->bad && type <= STORE_DELETE && key_len <= LIMIT_STORE_KEY_BYTES && op->rev_at <= value_len;
}

int wal_record_each(const struct wal_record *rec, int (*each)(void *arg, const struct wal_op *op, struct err *err), void *arg,
                    struct err *err)
{
    struct format_reader r = {.left = rec->payload};
    for (uint32_t t = 0; t < rec->ntxns && !r.bad; t++) {
        uint32_t nops = format_u32(&r);
        struct wal_op op = {.rev = rec->first_rev + t};
        for (uint32_t i = 0; i < nops && !r.bad; i++) {
            if (!op_read(&r, &op))
                return err_set(err, E_CORRUPT, "the record at byte %llu holds an operation that can not be read; " FORMAT_HINT,
                               (unsigned long long)rec->offset);
            int result = each(arg, &op, err);
            if (result < 0)
                return result;
        }
    }
    if (r.bad || r.left.len > 0)
        return err_set(err, E_CORRUPT, "the record at byte %llu is shorter or longer than it says; " FORMAT_HINT,
                       (unsigned long long)rec->offset);
    return 0;
}

/* --- segments ----------------------------------------------------------------------------------------------------- */

void wal_init(struct wal *w, int dirfd, const uint8_t id[FORMAT_ID_BYTES], bool sync)
{
    *w = (struct wal){.dirfd = dirfd, .fd = -1, .sync = sync, .segment_bytes = WAL_SEGMENT_BYTES};
    memcpy(w->id, id, FORMAT_ID_BYTES);
    pthread_mutex_init(&w->lock, NULL);
}

void wal_fini(struct wal *w)
{
    if (w->fd >= 0)
        close(w->fd);
    strbuf_fini(&w->record);
    vec_fini(&w->segments);
    pthread_mutex_destroy(&w->lock);
}

static struct format_header wal_header(const struct wal *w, uint64_t number, rev_t base_rev)
{
    struct format_header h = {.number = number, .rev = base_rev};
    memcpy(h.id, w->id, FORMAT_ID_BYTES);
    return h;
}

static void segment_note(struct wal *w, uint64_t number, rev_t base_rev)
{
    pthread_mutex_lock(&w->lock);
    vec_push(&w->segments, (struct wal_segment){number, base_rev});
    pthread_mutex_unlock(&w->lock);
}

static int segment_write(struct wal *w, int fd, uint64_t number, rev_t base_rev)
{
    char bytes[FORMAT_HEADER_BYTES];
    struct format_header h = wal_header(w, number, base_rev);
    format_header_encode(&h, FORMAT_WAL_MAGIC, bytes);
    int r = FAILPOINT_ERRNO("store.wal.segment.write");
    if (r == 0)
        r = format_write_all(fd, bytes, sizeof bytes, 0);
    if (r == 0)
        r = posix_fallocate(fd, 0, GROW_MIN);
    if (r == 0 && w->sync && fsync(fd) < 0)
        r = errno;
    return r;
}

int wal_segment_begin(struct wal *w, uint64_t number, rev_t base_rev, struct err *err)
{
    char name[FORMAT_NAME_BYTES], tmp[FORMAT_NAME_BYTES + 8];
    format_wal_name(number, name);
    snprintf(tmp, sizeof tmp, "%s.tmp", name);
    int fd = openat(w->dirfd, tmp, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot make %s", tmp);
    int r = segment_write(w, fd, number, base_rev);
    if (r) {
        close(fd);
        unlinkat(w->dirfd, tmp, 0);
        return err_sys(err, r, "cannot write %s", tmp);
    }
    FAILPOINT("store.wal.segment.before_rename");
    r = renameat(w->dirfd, tmp, w->dirfd, name) < 0 ? errno : 0;
    FAILPOINT("store.wal.segment.after_rename");
    if (r == 0 && w->sync)
        r = format_sync_folder(w->dirfd, name);
    if (r) {
        close(fd);
        return err_set(err, E_IO, "cannot make %s last: %s", name, strerror(r));
    }
    if (w->fd >= 0) {
        /* Gives back what was allocated ahead; that it is not is no harm. */
        err_ignore(ftruncate(w->fd, (off_t)w->end), "only space");
        close(w->fd);
    }
    w->fd = fd;
    w->number = number;
    w->end = FORMAT_HEADER_BYTES;
    w->allocated = GROW_MIN;
    segment_note(w, number, base_rev);
    return 0;
}

int wal_segment_continue(struct wal *w, uint64_t number, uint64_t end, struct err *err)
{
    char name[FORMAT_NAME_BYTES];
    format_wal_name(number, name);
    w->fd = openat(w->dirfd, name, O_RDWR | O_CLOEXEC);
    if (w->fd < 0)
        return err_sys(err, errno, "cannot open %s", name);
    FAILPOINT("store.recover.before_truncate");
    if (ftruncate(w->fd, (off_t)end) < 0 || (w->sync && fsync(w->fd) < 0))
        return err_sys(err, errno, "cannot cut off the end of %s", name);
    FAILPOINT("store.recover.after_truncate");
    w->number = number;
    w->end = w->allocated = end;
    return 0;
}

size_t wal_forget(struct wal *w, rev_t rev)
{
    size_t gone = 0;
    pthread_mutex_lock(&w->lock);
    /* A segment ends where the next begins. */
    while (w->segments.len > 1 && w->segments.p[1].base_rev <= rev) {
        char name[FORMAT_NAME_BYTES];
        format_wal_name(w->segments.p[0].number, name);
        FAILPOINT("store.wal.segment.before_delete");
        if (unlinkat(w->dirfd, name, 0) < 0 && errno != ENOENT) {
            log_warn("an old log file cannot be deleted", KV("file", "%s", name), KV("error", "%s", strerror(errno)));
            break;
        }
        vec_remove(&w->segments, 0);
        gone++;
    }
    pthread_mutex_unlock(&w->lock);
    return gone;
}

/* --- appending ------------------------------------------------------------------------------------------------------ */

void wal_record_begin(struct wal *w)
{
    static const char header[WAL_RECORD_HEADER];
    if (w->record.cap > RECORD_KEEP)
        strbuf_fini(&w->record);
    strbuf_clear(&w->record);
    strbuf_add(&w->record, header, sizeof header);
}

void wal_record_txn(struct wal *w, size_t nops)
{
    format_add_u32(&w->record, (uint32_t)nops);
}

void wal_record_op(struct wal *w, enum store_op_type type, const struct store_kv *kv)
{
    char head[13];
    str value = type == STORE_PUT ? store_kv_value(kv) : S("");
    head[0] = (char)type;
    format_set_u32(head + 1, kv->key_len);
    format_set_u32(head + 5, (uint32_t)value.len);
    format_set_u32(head + 9, type == STORE_PUT ? kv->rev_at : 0);
    strbuf_add(&w->record, head, sizeof head);
    strbuf_add_str(&w->record, store_kv_key(kv));
    strbuf_add_str(&w->record, value);
}

/* Room for a record, and then some.  When the disk has no room for more than the record, that will do. */
static int grow(struct wal *w, uint64_t need)
{
    int r = FAILPOINT_ERRNO("store.wal.grow");
    if (r || need <= w->allocated)
        return r;
    uint64_t step = MIN(MAX(w->allocated, (uint64_t)GROW_MIN), (uint64_t)GROW_MAX);
    uint64_t want = MAX(round_up(need, GROW_MIN), w->allocated + step);
    r = posix_fallocate(w->fd, (off_t)w->allocated, (off_t)(want - w->allocated));
    if (r == ENOSPC) {
        want = need;
        r = posix_fallocate(w->fd, (off_t)w->allocated, (off_t)(want - w->allocated));
    }
    if (r == 0)
        w->allocated = want;
    return r;
}

bool wal_has_room(struct wal *w)
{
    return grow(w, w->end + GROW_MIN) == 0;
}

static int write_record(struct wal *w)
{
    const struct strbuf *b = &w->record;
    int r = FAILPOINT_ERRNO("store.wal.write");
    if (r)
        return r;
    size_t first = FAILPOINT_ERRNO("store.wal.split_write") ? b->len / 2 : b->len;
    r = format_write_all(w->fd, b->p, first, w->end);
    if (r == 0 && first < b->len) {
        r = FAILPOINT_ERRNO("store.wal.mid_write");
        if (r == 0)
            r = format_write_all(w->fd, b->p + first, b->len - first, w->end + first);
    }
    return r;
}

int wal_append(struct wal *w, rev_t first_rev, uint32_t ntxns, struct err *err)
{
    struct format_header h = wal_header(w, w->number, 0);
    wal_record_seal(&w->record, &h, w->end, first_rev, ntxns);
    FAILPOINT("store.wal.before_write");
    int r = grow(w, w->end + w->record.len);
    if (r == 0)
        r = write_record(w);
    if (r == 0) {
        w->end += w->record.len;
        FAILPOINT("store.wal.after_write");
        return 0;
    }
    /* Half a record must not stay in front of the next one. */
    if ((r == ENOSPC || r == EDQUOT) && ftruncate(w->fd, (off_t)w->end) == 0) {
        w->allocated = w->end;
        return err_set(err, E_NO_SPACE, "the disk that holds the store is full; make room, writes go on by themselves");
    }
    return err_set(err, E_IO, "the log cannot be written: %s", strerror(r));
}

int wal_sync(struct wal *w, struct err *err)
{
    FAILPOINT("store.wal.before_sync");
    int r = FAILPOINT_ERRNO("store.wal.sync");
    if (r == 0 && w->sync && fdatasync(w->fd) < 0)
        r = errno;
    FAILPOINT("store.wal.after_sync");
    return r ? err_set(err, E_IO, "the log cannot be brought to disk: %s", strerror(r)) : 0;
}
