/* images_archive.h - an archive of images as a folder one can look into: its members by name, wherever they stand in the file.
 *
 * Plain, gzip or zstd; a compressed one is unpacked to a nameless file first.
 * Threads: one at a time.  Ownership: the archive's.
 * Limits: ARCHIVE_FILES members. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

#define ARCHIVE_FILES 100000

struct archive;

/* scratch: a folder for the nameless file. */
int archive_open(const char *path, const char *scratch, struct archive **ret, struct err *err) MUST_CHECK;
void archive_close(struct archive *f);
DEFINE_CLEANUP(struct archive *, archive_close)
bool archive_has(const struct archive *f, str name);
/* E_NOT_FOUND, E_TOO_LARGE. */
int archive_read(const struct archive *f, str name, size_t max_bytes, struct arena *a, str *ret, struct err *err) MUST_CHECK;
/* The member's bytes piece by piece; an error of feed() ends it. */
int archive_stream(const struct archive *f, str name, int (*feed)(void *arg, str bytes, struct err *err), void *arg, struct err *err) MUST_CHECK;
