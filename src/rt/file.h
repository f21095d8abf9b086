/* file.h - small files whole: read, write so that a crash leaves the old or the new, never half; descriptors by scope.
 *
 * Threads: any; two writers of one path: the last rename wins.
 * Ownership: texts are on the heap, the caller frees them.
 * Limits: file_read refuses files over its max_bytes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

/* NUL-terminated; *ret_len may be NULL.  E_NOT_FOUND, E_TOO_LARGE, E_IO.  Sentences name the path. */
int file_read(const char *path, size_t max_bytes, char **ret_text, size_t *ret_len, struct err *err) MUST_CHECK;
/* Writes PATH.tmp.XXXXXX, fsyncs, renames over PATH, fsyncs the folder. */
int file_write_atomic(const char *path, str text, unsigned mode, struct err *err) MUST_CHECK;
/* mkdir -p; folders that it makes get the mode. */
int file_mkdir_all(const char *path, unsigned mode, struct err *err) MUST_CHECK;
/* rm -r without following links and without crossing into other file systems (what is mounted there stays: E_CONFLICT); fine when absent. */
int file_remove_all(const char *path, struct err *err) MUST_CHECK;
/* The same for all that is in a folder; the folder itself stays, and may be where something is mounted. */
int file_remove_inside(const char *path, struct err *err) MUST_CHECK;
bool file_exists(const char *path);
/* "/a/b/c" -> "/a/b", "c" -> ".", "/c" -> "/".  On the heap. */
char *file_dirname(const char *path) MUST_CHECK;

void file_close_cleanup(int *fd);
/* FD_AUTO fd = -1; is closed at the end of its scope unless it is -1 again. */
#define FD_AUTO __attribute__((cleanup(file_close_cleanup))) int
