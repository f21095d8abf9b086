/* wal.h - the write-ahead log: segments of records, a record per batch.
 *
 *     wal-0000000000000001.log   [header][record][record]...[record] 00000000        wal-0000000000000002.log  ...
 *
 * Record, at an offset divisible by 8:
 *      0  magic, u32               4  payload bytes, u32          8  revision of the first transaction, u64
 *     16  transactions, u32       20  CRC32C, u32                24  payload, then zeros up to the next multiple of 8
 * The checksum covers the store's id, the segment's number, the record's offset, bytes 0 to 19 and the payload: bytes that a client
 * stored, or that came from another file, can not pass for a record.  A record without transactions says that the store was closed.
 * Payload: for each transaction u32 operations, then for each u8 type, u32 key bytes, u32 value bytes, u32 mark, key, value.
 *
 * Space is allocated ahead, so that fdatasync has no size to write.  One write is in flight at a time, and the next record is
 * written only after the last one is on disk: of all records only the very last can be torn, and a bad record before a good one is
 * damage.
 * Threads: the writer; wal_forget from any.
 * Limits: a record holds up to WAL_PAYLOAD_MAX bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <pthread.h>

#include "base/vec.h"
#include "store/embedded/format.h"

#define WAL_RECORD_HEADER 24
#define WAL_PAYLOAD_MAX (256u << 20)
#define WAL_SEGMENT_BYTES (64u << 20)

struct wal_segment {
    uint64_t number;
    rev_t base_rev; /* revision before its first record */
};

struct wal {
    int dirfd;
    int fd;
    bool sync;
    uint8_t id[FORMAT_ID_BYTES];
    uint64_t number;           /* of the segment that is written */
    uint64_t end;              /* its bytes up to the last good record */
    uint64_t allocated;        /* its size on disk */
    uint64_t segment_bytes;    /* size at which the next segment begins */
    struct strbuf record;      /* being built */
    pthread_mutex_t lock;      /* guards segments */
    VEC(struct wal_segment) segments;
};

void wal_init(struct wal *w, int dirfd, const uint8_t id[FORMAT_ID_BYTES], bool sync);
void wal_fini(struct wal *w);
/* Begins segment `number`; the one before, if any, is left as it is.  An error leaves the log on the old one. */
int wal_segment_begin(struct wal *w, uint64_t number, rev_t base_rev, struct err *err) MUST_CHECK;
/* Goes on in a segment that recovery has read up to `end`; what follows is cut off. */
int wal_segment_continue(struct wal *w, uint64_t number, uint64_t end, struct err *err) MUST_CHECK;

/* One batch: begin, then per transaction its operations, then append. */
void wal_record_begin(struct wal *w);
void wal_record_txn(struct wal *w, size_t nops);
void wal_record_op(struct wal *w, enum store_op_type type, const struct store_kv *kv);
/* Writes the record; wal_sync makes it durable.  -E_NO_SPACE: nothing happened, later records may succeed.  Anything else: the log
 * can not be trusted any more. */
int wal_append(struct wal *w, rev_t first_rev, uint32_t ntxns, struct err *err) MUST_CHECK;
int wal_sync(struct wal *w, struct err *err) MUST_CHECK;
/* After -E_NO_SPACE: the disk has room for some records again. */
bool wal_has_room(struct wal *w);

/* Deletes the segments that hold nothing after `rev`; the newest stays.  Returns how many. */
size_t wal_forget(struct wal *w, rev_t rev);

/* --- reading, also without a store ------------------------------------------------------------------------- */

struct wal_record {
    uint64_t offset;
    rev_t first_rev;
    uint32_t ntxns; /* 0: closed here */
    str payload;
};

enum wal_tail {
    WAL_TAIL_CLEAN,   /* nothing but zeros follows */
    WAL_TAIL_TORN,    /* something that is no record follows, and no good record after it */
    WAL_TAIL_DAMAGED, /* a good record follows after a bad one */
};
struct wal_scan {
    uint64_t end; /* bytes up to the last good record */
    uint64_t records, txns;
    enum wal_tail tail;
    uint64_t next_good; /* WAL_TAIL_DAMAGED: where records go on */
};
/* Calls each record of a segment's bytes in order. */
int wal_scan(str segment, const struct format_header *h, int (*each)(void *arg, const struct wal_record *r, struct err *err),
             void *arg, struct wal_scan *ret, struct err *err) MUST_CHECK;

struct wal_op {
    rev_t rev;
    enum store_op_type type;
    str key, value;
    uint32_t rev_at;
};
/* Calls each operation of a record; -E_CORRUPT when the payload does not hold what it should. */
int wal_record_each(const struct wal_record *r, int (*each)(void *arg, const struct wal_op *op, struct err *err), void *arg,
                    struct err *err) MUST_CHECK;
/* Completes a record in buf that begins with WAL_RECORD_HEADER free bytes: header, checksum, padding. */
void wal_record_seal(struct strbuf *buf, const struct format_header *h, uint64_t offset, rev_t first_rev, uint32_t ntxns);
