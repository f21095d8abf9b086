/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "rt/failpoint.h"
#include "store/embedded/crc32c.h"
#include "store/pack.h"

#define BLOCK_BYTES (1u << 20)
#define BLOCK_HEADER 12
#define ENTRY_HEADER 28
/* A block is closed by the entry that fills it. */
#define BLOCK_MAX (BLOCK_BYTES + ENTRY_HEADER + LIMIT_STORE_KEY_BYTES + LIMIT_OBJECT_BYTES + 64)
/* Written back as we go, so that the final fsync does not hold up the log's. */
#define WRITE_BACK_BYTES (8u << 20)

/* --- writing -------------------------------------------------------------------------------------------------- */

struct sink {
    int fd;
    bool sync;
    int error; /* errno */
    uint32_t entries;
    uint64_t at, written_back;
    struct strbuf block; /* BLOCK_HEADER bytes, then the payload */
};

static void sink_write(struct sink *s, const char *p, size_t len)
{
    if (s->error == 0)
        s->error = FAILPOINT_ERRNO("store.snap.write");
    if (s->error == 0)
        s->error = format_write_all(s->fd, p, len, s->at);
    s->at += len;
    if (s->sync && s->error == 0 && s->at - s->written_back >= WRITE_BACK_BYTES) {
        uint64_t from = s->written_back > WRITE_BACK_BYTES ? s->written_back - WRITE_BACK_BYTES : 0;
        /* A hint about when; whether all of it is there is for fsync to say. */
        sync_file_range(s->fd, (off_t)from, (off_t)(s->at - from),
                        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE);
        s->written_back = s->at;
    }
}

static void block_begin(struct sink *s)
{
    static const char header[BLOCK_HEADER];
    strbuf_clear(&s->block);
    strbuf_add(&s->block, header, sizeof header);
    s->entries = 0;
}

static void block_end(struct sink *s)
{
    char *p = s->block.p;
    size_t payload = s->block.len - BLOCK_HEADER;
    format_set_u32(p, (uint32_t)payload);
    format_set_u32(p + 4, s->entries);
    format_set_u32(p + 8, crc32c(crc32c(0, p, 8), p + BLOCK_HEADER, payload));
    sink_write(s, p, s->block.len);
    block_begin(s);
}

static bool entry_write(void *arg, const struct store_kv *any)
{
    struct sink *s = arg;
    CLEANUP(store_kv_unref) struct store_kv *kv = pack_plain((struct store_kv *)(uintptr_t)any);
    char head[ENTRY_HEADER];
    format_set_u64(head, kv->create_rev);
    format_set_u64(head + 8, kv->mod_rev);
    format_set_u32(head + 16, kv->key_len);
    format_set_u32(head + 20, kv->value_len);
    format_set_u32(head + 24, kv->rev_at);
    strbuf_add(&s->block, head, sizeof head);
    strbuf_add_str(&s->block, store_kv_key(kv));
    strbuf_add_str(&s->block, store_kv_value(kv));
    s->entries++;
    if (s->block.len >= BLOCK_BYTES)
        block_end(s);
    return s->error == 0;
}

static int write_all(int fd, const uint8_t id[FORMAT_ID_BYTES], const struct tree_node *root, rev_t rev, bool sync)
{
    struct sink s = {.fd = fd, .sync = sync};
    struct format_header h = {.rev = rev, .keys = tree_len(root)};
    memcpy(h.id, id, FORMAT_ID_BYTES);
    char bytes[FORMAT_HEADER_BYTES];
    format_header_encode(&h, FORMAT_SNAP_MAGIC, bytes);
    sink_write(&s, bytes, sizeof bytes);
    strbuf_grow(&s.block, BLOCK_BYTES);
    block_begin(&s);
    tree_range(root, S(""), S(""), entry_write, &s);
    if (s.entries)
        block_end(&s);
    format_add_u64(&s.block, h.keys);
    format_add_u64(&s.block, rev);
    block_end(&s);
    strbuf_fini(&s.block);
    FAILPOINT("store.snap.before_sync");
    if (s.error == 0)
        s.error = FAILPOINT_ERRNO("store.snap.sync");
    if (s.error == 0 && sync && fsync(fd) < 0)
        s.error = errno;
    return s.error;
}

int snapshot_write(int dirfd, const char *path, const uint8_t id[FORMAT_ID_BYTES], const struct tree_node *root, rev_t rev, bool sync,
                   struct err *err)
{
    STRBUF_AUTO tmp = STRBUF_HEAP;
    strbuf_addf(&tmp, "%s.tmp", path);
    int fd = openat(dirfd, tmp.p, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd < 0)
        return err_sys(err, errno, "cannot make %s", tmp.p);
    int r = write_all(fd, id, root, rev, sync);
    close(fd);
    FAILPOINT("store.snap.before_rename");
    if (r == 0 && renameat(dirfd, tmp.p, dirfd, path) < 0)
        r = errno;
    if (r)
        unlinkat(dirfd, tmp.p, 0);
    FAILPOINT("store.snap.after_rename");
    if (r == 0 && sync)
        r = format_sync_folder(dirfd, path);
    return r ? err_sys(err, r, "cannot write the snapshot %s", path) : 0;
}

/* --- reading -------------------------------------------------------------------------------------------------- */

struct source {
    int fd;
    const char *name;
    uint64_t at;
    char *block;
    size_t block_cap;
    str last_key; /* of the entry before, in memory that lives */
    VEC(struct store_kv *) kvs;
    uint64_t bytes;
};

static int damaged(const struct source *s, const char *what, struct err *err)
{
    return err_set(err, E_CORRUPT, "%s is damaged near byte %llu: %s; " FORMAT_HINT, s->name, (unsigned long long)s->at, what);
}

static int read_exactly(struct source *s, char *p, size_t len, struct err *err)
{
    size_t got;
    int r = format_read_all(s->fd, p, len, s->at, &got);
    if (r)
        return err_sys(err, r, "cannot read %s", s->name);
    if (got < len)
        return damaged(s, "it ends too early", err);
    s->at += len;
    return 0;
}

static int entry_read(struct source *s, struct format_reader *r, rev_t rev, struct err *err)
{
    rev_t create_rev = format_u64(r), mod_rev = format_u64(r);
    uint32_t key_len = format_u32(r), value_len = format_u32(r), rev_at = format_u32(r);
    str key = format_bytes(r, key_len), value = format_bytes(r, value_len);
    if (r->bad || key_len > LIMIT_STORE_KEY_BYTES || rev_at > value_len || create_rev > mod_rev || mod_rev > rev)
        return damaged(s, "an entry can not be read", err);
    if (s->kvs.len && str_cmp(s->last_key, key) >= 0)
        return damaged(s, "keys are not in order", err);
    struct store_kv *kv = store_kv_new(key, value, 0, 0);
    kv->rev_at = rev_at;
    kv->create_rev = create_rev;
    kv->mod_rev = mod_rev;
    vec_push(&s->kvs, kv);
    s->last_key = store_kv_key(kv);
    s->bytes += store_kv_bytes(kv);
    return 0;
}

/* *ret_last: this was the last block. */
static int block_read(struct source *s, const struct format_header *h, bool *ret_last, struct err *err)
{
    char head[BLOCK_HEADER];
    int r = read_exactly(s, head, sizeof head, err);
    if (r < 0)
        return r;
    struct format_reader hr = {.left = str_n(head, sizeof head)};
    uint32_t len = format_u32(&hr), entries = format_u32(&hr), crc = format_u32(&hr);
    if (len > BLOCK_MAX)
        return damaged(s, "a block is larger than any can be", err);
    if (len > s->block_cap) {
        s->block_cap = len;
        s->block = xrealloc(s->block, len);
    }
    r = read_exactly(s, s->block, len, err);
    if (r < 0)
        return r;
    if (crc32c(crc32c(0, head, 8), s->block, len) != crc)
        return damaged(s, "a checksum is wrong", err);
    struct format_reader reader = {.left = str_n(s->block, len)};
    *ret_last = entries == 0;
    if (entries == 0) {
        uint64_t keys = format_u64(&reader), rev = format_u64(&reader);
        if (keys != s->kvs.len || keys != h->keys || rev != h->rev)
            return damaged(s, "it does not hold what its header says", err);
    }
    for (uint32_t i = 0; i < entries; i++) {
        r = entry_read(s, &reader, h->rev, err);
        if (r < 0)
            return r;
    }
    return reader.bad || reader.left.len ? damaged(s, "a block does not hold what it says", err) : 0;
}

static int read_all(struct source *s, struct format_header *ret, struct err *err)
{
    char bytes[FORMAT_HEADER_BYTES], more;
    int r = read_exactly(s, bytes, sizeof bytes, err);
    if (r < 0)
        return r;
    r = format_header_decode(str_n(bytes, sizeof bytes), FORMAT_SNAP_MAGIC, s->name, ret, err);
    if (r < 0)
        return r;
    for (bool last = false; !last;) {
        r = block_read(s, ret, &last, err);
        if (r < 0)
            return r;
    }
    size_t got = 0;
    r = format_read_all(s->fd, &more, 1, s->at, &got);
    return r == 0 && got == 0 ? 0 : damaged(s, "something follows its end", err);
}

int snapshot_read(int fd, const char *name, uint64_t tag, struct snapshot *ret, struct err *err)
{
    struct source s = {.fd = fd, .name = name};
    struct format_header h;
    int r = read_all(&s, &h, err);
    if (r == 0) {
        *ret = (struct snapshot){.rev = h.rev, .keys = s.kvs.len, .bytes = s.bytes, .root = tree_build(tag, s.kvs.p, s.kvs.len)};
        memcpy(ret->id, h.id, FORMAT_ID_BYTES);
    } else {
        for (size_t i = 0; i < s.kvs.len; i++)
            store_kv_unref(s.kvs.p[i]);
    }
    vec_fini(&s.kvs);
    free(s.block);
    return r;
}
