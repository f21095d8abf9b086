/* logs.h - reads container logs in CRI format: rotated files, partial lines, tail, since, follow.
 *
 *   2026-01-02T03:04:05.000000006Z stdout F a line          F: full; P: its rest follows with the next line of the stream
 *
 *   log_filter: bytes of a file ─► bytes for a client (pure)          log_reader: which file, from where, what comes next (blocks)
 *
 * Files of one container run are PATH and, older, PATH.SUFFIX: numbers (.1 is newer than .2) or times (.20260102-030405); compressed ones (.gz) are passed over.
 * A reader of the newest file notices that it was moved away and goes on with the ones that came after it.
 * Threads: a filter or reader is used by one thread at a time.  Ownership: output is appended to the caller's buffer.
 * Limits: lines may have any length, nothing is held but LOG_HEAD_BYTES of a line's head; LOG_FILES files of one run. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"

#define LOG_HEAD_BYTES 64 /* time, stream, tag and the blanks between; a line without them is not shown */
#define LOG_FILES 64

enum { LOG_STDOUT = 1, LOG_STDERR = 2 };

struct log_opts {
    const char *path;     /* of the newest file */
    bool timestamps;
    unsigned streams;     /* LOG_STDOUT | LOG_STDERR; 0: both */
    int64_t tail;         /* lines, < 0: all */
    nsec_t since;         /* wall time, 0: all */
    int64_t limit_bytes;  /* of output, < 0: no limit */
};

/* --- bytes to bytes ------------------------------------------------------------------------------------ */
struct log_filter {
    bool timestamps;
    unsigned streams;
    nsec_t since;
    int64_t left; /* bytes that may still be written, < 0: any number */
    /* private */
    char head_[LOG_HEAD_BYTES];
    uint8_t head_len_;
    uint8_t state_;
    bool shows_, partial_, continues_;
};
/* False: the limit is reached, nothing more will come. */
bool log_filter_feed(struct log_filter *f, str in, struct strbuf *out);

/* The parts of a line's head; *ret_len is where its text begins.  False: not one, or cut off. */
struct log_head {
    str time;
    unsigned stream;
    bool partial;
    size_t len;
};
bool log_head_parse(str line, struct log_head *ret);

/* --- files -------------------------------------------------------------------------------------------------- */
struct log_reader;
enum log_result { LOG_MORE, LOG_AT_END, LOG_LIMIT, LOG_FAILED };

struct log_reader *log_reader_new(const struct log_opts *o) MUST_CHECK;
void log_reader_free(struct log_reader *r); /* NULL is fine */
/* Blocks on the disk.  Appends about `max` bytes.  AT_END: everything there is was read; later there may be more.  FAILED: E_NOT_FOUND when there is no file yet. */
enum log_result log_reader_read(struct log_reader *r, struct strbuf *out, size_t max, struct err *err);
/* After AT_END: did the file grow or move away?  Two system calls on what is in memory already, so a loop may ask. */
bool log_reader_has_more(const struct log_reader *r);
