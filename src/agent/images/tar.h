/* tar.h - reads a tar as its bytes come: ustar, pax, GNU long names and numbers, V7.
 *
 *   tar_feed(bytes) ─► entry(header) ─► data(bytes) ... ─► end()      for each member, in order
 *
 * What the members mean (paths, whiteouts) is the caller's matter; names come as they stand there, without NUL bytes in them.
 * Sparse files are refused with a sentence: images do not have them.
 * Threads: one at a time.  Ownership: an entry's strings are NUL-terminated and hold until its end(); data borrows the caller's bytes.
 * Limits: TAR_NAME_BYTES a name, TAR_META_BYTES of extended headers a member, TAR_XATTRS attributes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

#define TAR_BLOCK 512
#define TAR_NAME_BYTES 4095
#define TAR_META_BYTES (1u << 20)
#define TAR_XATTRS 64

enum tar_type { TAR_FILE, TAR_HARD_LINK, TAR_SYMLINK, TAR_CHAR, TAR_BLOCK_DEVICE, TAR_DIR, TAR_FIFO };

struct tar_xattr {
    str name, value; /* the name is not NUL-terminated */
};

struct tar_entry {
    enum tar_type type;
    str name, link;
    uint32_t mode; /* permission bits, 07777 */
    uint32_t uid, gid, major, minor;
    uint64_t size; /* of data; 0 of everything but a file */
    int64_t mtime_s;
    uint32_t mtime_ns;
    const struct tar_xattr *xattrs;
    size_t nxattrs;
};

struct tar_ops {
    int (*entry)(void *arg, const struct tar_entry *e, struct err *err);
    int (*data)(void *arg, str bytes, struct err *err);
    int (*end)(void *arg, struct err *err);
};

struct tar;

struct tar *tar_new(const struct tar_ops *ops, void *arg) MUST_CHECK;
void tar_free(struct tar *t);
DEFINE_CLEANUP(struct tar *, tar_free)
/* Errors of the callbacks come through; after an error nothing more may be fed.  E_PARSE: it is no tar. */
int tar_feed(struct tar *t, str bytes, struct err *err) MUST_CHECK;
/* All bytes were fed.  E_PARSE: it ends in the middle of a member. */
int tar_finish(struct tar *t, struct err *err) MUST_CHECK;

/* For archives in files: inside entry() the caller says that it does not want the data; then as many bytes need not be fed, but may be told of with tar_skip. */
void tar_ignore_data(struct tar *t);
uint64_t tar_skippable(const struct tar *t);
void tar_skip(struct tar *t, uint64_t n);
uint64_t tar_offset(const struct tar *t); /* inside entry(): where its data begins */
