/* SPDX-License-Identifier: Apache-2.0 */
#include "store/embedded/format.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "store/embedded/crc32c.h"

/* --- integers ------------------------------------------------------------------------------------------- */

static uint64_t take(struct format_reader *r, size_t len)
{
    str bytes = format_bytes(r, len);
    uint64_t v = 0;
    for (size_t i = 0; i < bytes.len; i++)
        v |= (uint64_t)(uint8_t)bytes.p[i] << (8 * i);
    return v;
}

str format_bytes(struct format_reader *r, size_t len)
{
    if (r->bad || r->left.len < len) {
        r->bad = true;
        return S("");
    }
    str bytes = str_sub(r->left, 0, len);
    r->left = str_from(r->left, len);
    return bytes;
}

uint8_t format_u8(struct format_reader *r)
{
    return (uint8_t)take(r, 1);
}

uint32_t format_u32(struct format_reader *r)
{
    return (uint32_t)take(r, 4);
}

uint64_t format_u64(struct format_reader *r)
{
    return take(r, 8);
}

void format_set_u32(char *at, uint32_t v)
{
    for (size_t i = 0; i < 4; i++)
        at[i] = (char)(v >> (8 * i));
}

void format_set_u64(char *at, uint64_t v)
{
    format_set_u32(at, (uint32_t)v);
    format_set_u32(at + 4, (uint32_t)(v >> 32));
}

void format_add_u32(struct strbuf *b, uint32_t v)
{
    char bytes[4];
    format_set_u32(bytes, v);
    strbuf_add(b, bytes, sizeof bytes);
}

void format_add_u64(struct strbuf *b, uint64_t v)
{
    char bytes[8];
    format_set_u64(bytes, v);
    strbuf_add(b, bytes, sizeof bytes);
}

/* --- headers and names ------------------------------------------------------------------------------------ */

void format_header_encode(const struct format_header *h, const char *magic, char ret[FORMAT_HEADER_BYTES])
{
    memset(ret, 0, FORMAT_HEADER_BYTES);
    memcpy(ret, magic, 8);
    format_set_u32(ret + 8, FORMAT_VERSION);
    memcpy(ret + 16, h->id, FORMAT_ID_BYTES);
    format_set_u64(ret + 32, h->number);
    format_set_u64(ret + 40, h->rev);
    format_set_u64(ret + 48, h->keys);
    format_set_u32(ret + 60, crc32c(0, ret, 60));
}

int format_header_decode(str bytes, const char *magic, const char *name, struct format_header *ret, struct err *err)
{
    if (bytes.len < FORMAT_HEADER_BYTES || memcmp(bytes.p, magic, 8) != 0)
        return err_set(err, E_CORRUPT, "%s is not a file of the store or its beginning is damaged; " FORMAT_HINT, name);
    struct format_reader r = {.left = str_sub(bytes, 8, FORMAT_HEADER_BYTES)};
    uint32_t version = format_u32(&r);
    /* The version is judged before the checksum: a later format may place it elsewhere. */
    if (version > FORMAT_VERSION)
        return err_set(err, E_CORRUPT,
                       "%s was written by a later version of this program (format %u, this one knows %d); start that version, or go "
                       "back to a snapshot made by this one with `cox store restore`",
                       name, version, FORMAT_VERSION);
    format_u32(&r);
    struct format_header h;
    memcpy(h.id, format_bytes(&r, FORMAT_ID_BYTES).p, FORMAT_ID_BYTES);
    h.number = format_u64(&r);
    h.rev = format_u64(&r);
    h.keys = format_u64(&r);
    format_u32(&r);
    if (format_u32(&r) != crc32c(0, bytes.p, 60) || version == 0)
        return err_set(err, E_CORRUPT, "the header of %s is damaged; " FORMAT_HINT, name);
    *ret = h;
    return 0;
}

void format_wal_name(uint64_t number, char ret[FORMAT_NAME_BYTES])
{
    snprintf(ret, FORMAT_NAME_BYTES, "wal-%016llx.log", (unsigned long long)number);
}

void format_snap_name(rev_t rev, char ret[FORMAT_NAME_BYTES])
{
    snprintf(ret, FORMAT_NAME_BYTES, "snap-%016llx.snap", (unsigned long long)rev);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool format_name_parse(str name, str prefix, str suffix, uint64_t *ret)
{
    if (name.len != prefix.len + 16 + suffix.len || !str_has_prefix(name, prefix) || !str_has_suffix(name, suffix))
        return false;
    uint64_t v = 0;
    for (size_t i = 0; i < 16; i++) {
        int digit = hex_digit(name.p[prefix.len + i]);
        if (digit < 0)
            return false;
        v = v << 4 | (uint64_t)digit;
    }
    *ret = v;
    return true;
}

/* --- files -------------------------------------------------------------------------------------------------- */

int format_write_all(int fd, const char *p, size_t len, uint64_t at)
{
    while (len > 0) {
        ssize_t n = pwrite(fd, p, len, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        p += n;
        len -= (size_t)n;
        at += (uint64_t)n;
    }
    return 0;
}

int format_read_all(int fd, char *p, size_t len, uint64_t at, size_t *ret_len)
{
    size_t got = 0;
    while (got < len) {
        ssize_t n = pread(fd, p + got, len - got, (off_t)(at + got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return errno;
        if (n == 0)
            break;
        got += (size_t)n;
    }
    *ret_len = got;
    return 0;
}

int format_sync_folder(int dirfd, const char *path)
{
    str folder = str_of(path);
    ptrdiff_t slash = str_rfind_char(folder, '/');
    char *name = str_dup(slash < 0 ? S(".") : str_sub(folder, 0, slash == 0 ? 1 : (size_t)slash));
    int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(name);
    if (fd < 0)
        return errno;
    int r = fsync(fd) < 0 ? errno : 0;
    close(fd);
    return r;
}
