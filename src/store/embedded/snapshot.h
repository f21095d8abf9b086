/* snapshot.h - the whole store at one revision in one file.
 *
 *     [header: revision, number of keys][block][block]...[last block]
 * Block:   u32 payload bytes, u32 entries, u32 CRC32C of those 8 bytes and the payload, payload
 * Entry:   u64 create revision, u64 mod revision, u32 key bytes, u32 value bytes, u32 mark, key, value; keys ascend through the file
 * The last block has no entries; its payload is u64 keys, u64 revision.  Nothing follows it.
 * A file gets its name only when all of it is on disk.
 * Threads: any; a tree that is written must be held by a version. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "store/embedded/format.h"
#include "store/embedded/tree.h"

/* path is relative to dirfd (or AT_FDCWD).  -E_NO_SPACE, -E_IO: no file of that name was made. */
int snapshot_write(int dirfd, const char *path, const uint8_t id[FORMAT_ID_BYTES], const struct tree_node *root, rev_t rev, bool sync,
                   struct err *err) MUST_CHECK;

struct snapshot {
    uint8_t id[FORMAT_ID_BYTES];
    rev_t rev;
    uint64_t keys, bytes; /* bytes: of keys and values in memory */
    struct tree_node *root;
};
/* Reads and checks all of it; the tree's nodes get birth `tag`.  name: the file, for the sentences. */
int snapshot_read(int fd, const char *name, uint64_t tag, struct snapshot *ret, struct err *err) MUST_CHECK;
