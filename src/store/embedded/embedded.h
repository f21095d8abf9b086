/* embedded.h - the default store: a write-ahead log, a snapshot file and an index in memory, in one folder.
 *
 *     submit -> queue -> writer thread: evaluate, log, fdatasync, publish, wake, done        readers: any thread, no locks
 *                                            snapshot thread: writes a version out, then old log segments go
 *                                            packer thread: compresses what is cold, above opts.pack_above
 * Everything alive is in memory; the disk serves durability and the next start.
 * Threads: as store.h says.  Files: format.h.
 * Ownership: store_close frees; views and watches must be closed before.
 * Limits: STORE_TXN_BYTES a transaction, besides those in store.h. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/store.h"

#define STORE_TXN_BYTES (64u << 20) /* keys and values of one transaction: E_TOO_LARGE */

/* 0 and NULL mean the default everywhere. */
struct store_embedded_opts {
    bool no_fsync;           /* tests only: what is acknowledged may be lost with the power */
    size_t history_events;   /* LIMIT_STORE_HISTORY */
    size_t history_bytes;    /* LIMIT_STORE_HISTORY_BYTES */
    uint64_t snapshot_bytes; /* a log of at least so many bytes, and of the live data's size, makes a snapshot; 64 MiB */
    uint64_t segment_bytes;  /* of the log; 64 MiB */
    uint64_t pack_above;     /* bytes of values from which on those that have left the window are kept compressed; 384 MiB, or a 16th of the memory */
    const struct clock *clock;
};

/* Makes the folder and an empty store when there is none.  A torn end of the log (a crash while writing what was never acknowledged)
 * is cut off; damage, a later format or another process on the same folder is an error that says what to do. */
int store_embedded_open(const char *dir, const struct store_embedded_opts *opts, struct store **ret, struct err *err) MUST_CHECK;

/* The following need the folder for themselves. */

/* Reads every file and says in report, line by line, what is there.  -E_CORRUPT when the store would not open. */
int store_embedded_check(const char *dir, struct strbuf *report, struct err *err) MUST_CHECK;
/* Rewrites the store as one snapshot and an empty log. */
int store_embedded_compact(const char *dir, struct err *err) MUST_CHECK;
/* Makes a store in new_dir (absent or empty) from a snapshot file.  It is a store of its own, with an id of its own. */
int store_embedded_restore(const char *snapshot_path, const char *new_dir, struct err *err) MUST_CHECK;
