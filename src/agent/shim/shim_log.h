/* shim_log.h - a container's output as a CRI log file.
 *
 *     2026-01-02T03:04:05.678901234Z stdout F a whole line
 *     2026-01-02T03:04:05.678901234Z stderr P a part of a long line; the rest follows
 *
 * Files: PATH is written; PATH.1 is the one before, PATH.2 older ...  A container that floods its log is slowed down, not cut: shim_log_wait_ns says how long its pipe is left alone.
 * Threads: one.  Ownership: the path is borrowed.
 * Limits: a part has at most SHIM_LOG_PART bytes, a file log_max_bytes, all files log_max_files; SHIM_LOG_RATE bytes a second. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

#define SHIM_LOG_PART (16u << 10)
#define SHIM_LOG_RATE (16ll << 20)
#define SHIM_LOG_BURST (8ll << 20)

struct shim_log_stream {
    const char *name;
    struct strbuf part; /* what has no end of line yet */
};

struct shim_log {
    const char *path;
    uint64_t max_bytes;
    uint32_t max_files;
    int fd_;
    uint64_t size_;
    struct strbuf out_;
    struct shim_log_stream streams_[2];
    int64_t tokens_;  /* bytes that may be written now; below 0: too many were */
    nsec_t filled_at_; /* monotonic */
};

int shim_log_open(struct shim_log *l, const char *path, uint64_t max_bytes, uint32_t max_files, struct err *err) MUST_CHECK;
/* stream 0: stdout, 1: stderr.  A disk that is full loses lines, nothing else. */
void shim_log_write(struct shim_log *l, unsigned stream, str bytes, nsec_t wall, nsec_t mono);
/* How long not to read from the container; 0: read. */
nsec_t shim_log_wait_ns(struct shim_log *l, nsec_t mono);
/* Writes what has no end of line yet, and closes. */
void shim_log_close(struct shim_log *l, nsec_t wall);
