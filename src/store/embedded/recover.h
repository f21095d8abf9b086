/* recover.h - reads a store's folder: newest snapshot, then the log after it.  Changes nothing.
 *
 * What it refuses: a later format, files of different stores, a missing segment, damage anywhere but at the very end of the log.
 * What it accepts there: bytes that are no record with no good record after them: the batch that a crash cut short.
 * Threads: one, before the store runs. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/embedded/history.h"
#include "store/embedded/wal.h"

#define RECOVER_TAG 1 /* birth of the nodes made here: before every version */

struct recovered {
    bool fresh; /* there is no store here yet; nothing below is set */
    uint8_t id[FORMAT_ID_BYTES];
    struct tree_node *root;
    uint64_t bytes;      /* live, in memory */
    rev_t rev;           /* newest */
    rev_t snap_rev;      /* 0: no snapshot */
    uint64_t wal_bytes;  /* that were replayed */
    VEC(struct wal_segment) segments; /* all that are there, oldest first */
    uint64_t last_end;   /* good bytes of the newest segment */
    uint64_t torn_bytes; /* behind them, to be cut off */
    rev_t last_rev;      /* newest in the log; before snap_rev the log is of no use */
};

/* history (may be NULL) gets the replayed changes. */
int recover_read(int dirfd, struct history *history, struct recovered *ret, struct err *err) MUST_CHECK;
void recovered_fini(struct recovered *r); /* not the tree */

/* Names in the folder. */
typedef VEC(uint64_t) recover_numbers;
struct recover_files {
    recover_numbers snaps, segments; /* revisions and numbers, ascending */
    bool has_id;
};
int recover_list(int dirfd, struct recover_files *ret, struct err *err) MUST_CHECK;
void recover_files_fini(struct recover_files *f);
/* All bytes of a file, in memory the caller frees. */
int recover_slurp(int dirfd, const char *name, str *ret, struct err *err) MUST_CHECK;
int recover_snapshot(int dirfd, rev_t rev, struct tree_node **ret_root, struct recovered *ret, struct err *err) MUST_CHECK;
