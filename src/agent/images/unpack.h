/* unpack.h - a layer's tar becomes a folder that overlayfs can use as one of its lower ones.
 *
 *   ".wh.NAME"      ─► character device 0:0 called NAME: what the layers below have there is gone
 *   ".wh..wh..opq"  ─► trusted.overlay.opaque=y on its folder: what the layers below have in it is gone
 *   all else        ─► files, folders, links, devices with owner, mode, times, capabilities
 *
 * Nothing is ever written outside of the folder: names with ".." are refused, links on the way are resolved as if the folder were the root of the file system (openat2), the last part of a name is never followed.
 * The caller unpacks into a folder of its own and gives it its name when all went well.
 * Threads: one at a time.  Ownership: the folder is the caller's.
 * Limits: those of struct unpack_opts; E_TOO_LARGE. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

struct unpack;

struct unpack_opts {
    const char *dir; /* exists and is empty; nobody else can reach into it */
    uint64_t max_bytes;
    uint64_t max_files;
};

int unpack_new(const struct unpack_opts *o, struct unpack **ret, struct err *err) MUST_CHECK;
void unpack_free(struct unpack *u); /* what was unpacked stays */
DEFINE_CLEANUP(struct unpack *, unpack_free)
int unpack_feed(struct unpack *u, str tar_bytes, struct err *err) MUST_CHECK;
/* The tar is complete: times of folders are set.  *ret_bytes: of all files together. */
int unpack_finish(struct unpack *u, uint64_t *ret_bytes, uint64_t *ret_files, struct err *err) MUST_CHECK;
