/* format.h - what the files of the embedded store have in common.
 *
 *     store.id                 "coxswain store 1\n" and the store's id; written last when a store is made
 *     wal-<number>.log         a segment of the write-ahead log        (wal.h)
 *     snap-<revision>.snap     the whole store at one revision         (snapshot.h)
 *     lock                     held (flock) by the process that has the store open; names its pid
 *     *.tmp                    not finished; removed at the next start
 * Numbers in names are 16 hexadecimal digits.  All integers in files are little-endian.
 *
 * Header of a file, 64 bytes:
 *      0  magic, 8 bytes           8  format version, u32        12  0
 *     16  store id, 16 bytes      32  number, u64               40  revision, u64
 *     48  keys, u64               56  0                         60  CRC32C of bytes 0 to 59 */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "store/store.h"

#define FORMAT_VERSION 1
#define FORMAT_HEADER_BYTES 64
#define FORMAT_ID_BYTES 16
#define FORMAT_NAME_BYTES 64
#define FORMAT_WAL_MAGIC "COXWAL\r\n"
#define FORMAT_SNAP_MAGIC "COXSNAP\n"
#define FORMAT_ID_NAME "store.id"
#define FORMAT_LOCK_NAME "lock"
#define FORMAT_HINT "see what is left with `cox store check`, or go back to a saved snapshot with `cox store restore`"

struct format_header {
    uint8_t id[FORMAT_ID_BYTES];
    uint64_t number; /* segments count up from 1 */
    rev_t rev;       /* segment: the revision before its first record; snapshot: its revision */
    uint64_t keys;   /* snapshot */
};

void format_header_encode(const struct format_header *h, const char *magic, char ret[FORMAT_HEADER_BYTES]);
/* name: the file, for the sentence. */
int format_header_decode(str bytes, const char *magic, const char *name, struct format_header *ret, struct err *err) MUST_CHECK;

void format_wal_name(uint64_t number, char ret[FORMAT_NAME_BYTES]);
void format_snap_name(rev_t rev, char ret[FORMAT_NAME_BYTES]);
/* "wal-<16 hex>.log" with prefix "wal-" and suffix ".log". */
bool format_name_parse(str name, str prefix, str suffix, uint64_t *ret);

/* Reads integers and bytes one after the other; after the first that is not there, everything is 0 and bad is set. */
struct format_reader {
    str left;
    bool bad;
};
uint8_t format_u8(struct format_reader *r);
uint32_t format_u32(struct format_reader *r);
uint64_t format_u64(struct format_reader *r);
str format_bytes(struct format_reader *r, size_t len);

void format_add_u32(struct strbuf *b, uint32_t v);
void format_add_u64(struct strbuf *b, uint64_t v);
void format_set_u32(char *at, uint32_t v);
void format_set_u64(char *at, uint64_t v);

/* Whole transfers, whatever the system call does; 0 or an errno. */
int format_write_all(int fd, const char *p, size_t len, uint64_t at);
/* Up to len bytes; *ret_len is less only at the end of the file. */
int format_read_all(int fd, char *p, size_t len, uint64_t at, size_t *ret_len);
/* fsync of the folder that holds `path`, so that a name in it lasts; 0 or an errno. */
int format_sync_folder(int dirfd, const char *path);
