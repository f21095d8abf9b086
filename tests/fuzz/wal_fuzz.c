/* wal_fuzz.c - hostile log segments and snapshots: reading them must end in a tree that is in order or in an error, never in a crash.
 *
 * The first byte says how the rest is used: 0 a segment as it is, 1 the payload of a record with a good header and checksum (so that
 * the fuzzer gets past them), 2 a snapshot as it is, 3 the payload of a snapshot's block with a good checksum.  For 1 and 3 the
 * second byte is the number of transactions or entries. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/log.h"
#include "store/embedded/crc32c.h"
#include "store/embedded/recover.h"
#include "store/embedded/snapshot.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct format_header wal_head = {.id = "0123456789abcde", .number = 1, .rev = 1};
static int folder = -1;

static void folder_remove(void)
{
    unlinkat(folder, "wal-0000000000000001.log", 0);
    char path[64], name[256];
    snprintf(path, sizeof path, "/proc/self/fd/%d", folder);
    ssize_t n = readlink(path, name, sizeof name - 1);
    if (n > 0) {
        name[n] = 0;
        rmdir(name);
    }
}

static void folder_make(void)
{
    char path[] = "/tmp/cox-wal-fuzz-XXXXXX";
    BUG_ON(!mkdtemp(path));
    folder = open(path, O_RDONLY | O_DIRECTORY);
    BUG_ON(folder < 0);
    log_setup(LOG_ERROR, false, 2);
    atexit(folder_remove);
}

static void read_segment(str bytes)
{
    int fd = openat(folder, "wal-0000000000000001.log", O_RDWR | O_CREAT | O_TRUNC, 0600);
    BUG_ON(fd < 0 || format_write_all(fd, bytes.p, bytes.len, 0) != 0);
    close(fd);
    struct history h;
    struct recovered rec;
    struct err err = ERR_NONE;
    history_init(&h, 64, 1 << 20, 1);
    if (recover_read(folder, &h, &rec, &err) == 0) {
        BUG_ON(tree_validate(rec.root));
        tree_free(rec.root);
        recovered_fini(&rec);
    } else {
        BUG_ON(err.code == E_NONE || err.msg[0] == 0);
    }
    history_fini(&h);
}

static void read_record(uint8_t ntxns, str payload)
{
    STRBUF_AUTO record = STRBUF_HEAP;
    STRBUF_AUTO file = STRBUF_HEAP;
    char head[FORMAT_HEADER_BYTES];
    static const char zeros[WAL_RECORD_HEADER];
    format_header_encode(&wal_head, FORMAT_WAL_MAGIC, head);
    strbuf_add(&file, head, sizeof head);
    strbuf_add(&record, zeros, sizeof zeros);
    strbuf_add_str(&record, payload);
    wal_record_seal(&record, &wal_head, sizeof head, 2, ntxns);
    strbuf_add_str(&file, strbuf_str(&record));
    read_segment(strbuf_str(&file));
}

static void read_snapshot(str bytes)
{
    int fd = memfd_create("snap", MFD_CLOEXEC);
    BUG_ON(fd < 0 || format_write_all(fd, bytes.p, bytes.len, 0) != 0);
    struct snapshot snap;
    struct err err = ERR_NONE;
    if (snapshot_read(fd, "snap", RECOVER_TAG, &snap, &err) == 0) {
        BUG_ON(tree_validate(snap.root));
        tree_free(snap.root);
    } else {
        BUG_ON(err.code == E_NONE || err.msg[0] == 0);
    }
    close(fd);
}

static void add_block(struct strbuf *file, uint32_t entries, str payload)
{
    char head[8];
    format_set_u32(head, (uint32_t)payload.len);
    format_set_u32(head + 4, entries);
    strbuf_add(file, head, sizeof head);
    format_add_u32(file, crc32c(crc32c(0, head, sizeof head), payload.p, payload.len));
    strbuf_add_str(file, payload);
}

static void read_block(uint8_t entries, str payload)
{
    STRBUF_AUTO file = STRBUF_HEAP;
    STRBUF_AUTO last = STRBUF_HEAP;
    char head[FORMAT_HEADER_BYTES];
    struct format_header h = {.rev = UINT32_MAX, .keys = entries};
    format_header_encode(&h, FORMAT_SNAP_MAGIC, head);
    strbuf_add(&file, head, sizeof head);
    add_block(&file, entries, payload);
    format_add_u64(&last, entries);
    format_add_u64(&last, UINT32_MAX);
    add_block(&file, 0, strbuf_str(&last));
    read_snapshot(strbuf_str(&file));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 16)
        return 0;
    if (folder < 0)
        folder_make();
    str rest = str_n((const char *)data + 1, size - 1), behind = str_n((const char *)data + 2, size - 2);
    switch (data[0] % 4) {
    case 0:
        read_segment(rest);
        break;
    case 1:
        read_record(data[1], behind);
        break;
    case 2:
        read_snapshot(rest);
        break;
    default:
        read_block(data[1], behind);
    }
    return 0;
}
