/* tar_write.h - a folder or file of this machine as a tar stream, pulled piece by piece.
 *
 *   tar_write_open(path, name) ─► tar_write_read(buf) ... 0
 *
 * ustar with GNU long names: what every tar reads, busybox's too.  Files, folders and links; sockets and devices are passed over.
 * Threads: one at a time.  Limits: folders nested TAR_WRITE_DEPTH deep. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

#define TAR_WRITE_DEPTH 256

struct tar_writer;
/* name: how the first member is called; what lies in a folder is called NAME/... */
int tar_write_open(const char *path, const char *name, struct tar_writer **ret, struct err *err) MUST_CHECK;
/* Bytes, 0 at the end, -E_CODE. */
ssize_t tar_write_read(struct tar_writer *w, char *buf, size_t len, struct err *err) MUST_CHECK;
void tar_write_close(struct tar_writer *w); /* NULL is fine */
