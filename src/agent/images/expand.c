/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/images/expand.h"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#define PIECE_BYTES (128u << 10)
#define GZIP_WINDOW (15 + 16) /* zlib: a 32 KiB window, and 16 for the gzip wrapper */

struct expand {
    struct expand_opts opts;
    enum expand_coding coding;
    char first[EXPAND_MAGIC_BYTES]; /* collected until the coding is known */
    size_t nfirst;
    bool at_end; /* a member or frame has ended; another may follow */
    uint64_t total_bytes;
    z_stream gzip;
    ZSTD_DCtx *zstd;
    char *piece;
};

enum expand_coding expand_coding_of(str first)
{
    static const struct { str magic; enum expand_coding coding; } codings[] = {
        {STR_INIT("\x1f\x8b"), EXPAND_GZIP}, {STR_INIT("\x28\xb5\x2f\xfd"), EXPAND_ZSTD}, {STR_INIT("\xfd" "7zX"), EXPAND_XZ}, {STR_INIT("BZh"), EXPAND_BZIP2},
    };
    if (first.len < EXPAND_MAGIC_BYTES)
        return EXPAND_PLAIN;
    for (size_t i = 0; i < ARRAY_LEN(codings); i++) {
        if (str_has_prefix(first, codings[i].magic))
            return codings[i].coding;
    }
    /* 0x184D2A50 to ..5F: a frame to be skipped; zstd's frames follow. */
    if (((unsigned char)first.p[0] & 0xf0) == 0x50 && memcmp(first.p + 1, "\x2a\x4d\x18", 3) == 0)
        return EXPAND_ZSTD;
    return EXPAND_PLAIN;
}

struct expand *expand_new(const struct expand_opts *opts)
{
    struct expand *x = xnew(struct expand);
    x->opts = *opts;
    return x;
}

void expand_free(struct expand *x)
{
    if (!x)
        return;
    if (x->coding == EXPAND_GZIP)
        inflateEnd(&x->gzip);
    ZSTD_freeDCtx(x->zstd);
    free(x->piece);
    free(x);
}

static int damaged(const struct expand *x, struct err *err)
{
    return err_set(err, E_CORRUPT, "the %s's %s form is damaged; what was downloaded or copied is not what was packed", x->opts.what, x->coding == EXPAND_GZIP ? "gzip" : "zstd");
}

static int take_plain(struct expand *x, str bytes, struct err *err)
{
    if (!bytes.len)
        return 0;
    if (bytes.len > x->opts.max_bytes - x->total_bytes)
        return err_set(err, E_TOO_LARGE, "the %s has more than %llu MiB unpacked", x->opts.what, (unsigned long long)x->opts.max_bytes >> 20);
    x->total_bytes += bytes.len;
    return x->opts.sink(x->opts.arg, bytes, err);
}

/* One call of inflate's worth of input at most; zeros behind the last member are padding. */
static int take_gzip(struct expand *x, str bytes, struct err *err)
{
    z_stream *z = &x->gzip;
    while (bytes.len) {
        if (x->at_end) {
            while (bytes.len && !bytes.p[0])
                bytes = str_from(bytes, 1);
            if (!bytes.len)
                return 0;
            inflateReset(z);
            x->at_end = false;
        }
        str part = str_sub(bytes, 0, 1u << 30);
        z->next_in = (Bytef *)(uintptr_t)part.p;
        z->avail_in = (uInt)part.len;
        int status = Z_OK;
        do {
            z->next_out = (Bytef *)x->piece;
            z->avail_out = PIECE_BYTES;
            status = inflate(z, Z_NO_FLUSH);
            if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
                return damaged(x, err);
            int r = take_plain(x, str_n(x->piece, PIECE_BYTES - z->avail_out), err);
            if (r < 0)
                return r;
        } while (status == Z_OK && (z->avail_in || !z->avail_out));
        x->at_end = status == Z_STREAM_END;
        bytes = str_from(bytes, part.len - z->avail_in);
        if (status == Z_BUF_ERROR && z->avail_in)
            return damaged(x, err);
    }
    return 0;
}

static int zstd_failed(const struct expand *x, size_t code, struct err *err)
{
    switch (ZSTD_getErrorCode(code)) {
    case ZSTD_error_frameParameter_windowTooLarge:
        return err_set(err, E_TOO_LARGE, "the %s was packed with a zstd window of more than %u MiB; pack it without --long", x->opts.what, 1u << (EXPAND_WINDOW_LOG - 20));
    case ZSTD_error_memory_allocation:
        return err_set(err, E_TOO_LARGE, "there is not enough memory to unpack the %s", x->opts.what);
    default:
        return damaged(x, err);
    }
}

static int take_zstd(struct expand *x, str bytes, struct err *err)
{
    ZSTD_inBuffer in = {bytes.p, bytes.len, 0};
    bool is_full = false; /* more may wait inside when what it wrote filled the piece */
    while (in.pos < in.size || is_full) {
        ZSTD_outBuffer out = {x->piece, PIECE_BYTES, 0};
        size_t hint = ZSTD_decompressStream(x->zstd, &out, &in);
        if (ZSTD_isError(hint))
            return zstd_failed(x, hint, err);
        int r = take_plain(x, str_n(x->piece, out.pos), err);
        if (r < 0)
            return r;
        x->at_end = hint == 0;
        is_full = out.pos == PIECE_BYTES && !x->at_end;
    }
    return 0;
}

static int start(struct expand *x, struct err *err)
{
    x->coding = expand_coding_of(str_n(x->first, x->nfirst));
    switch (x->coding) {
    case EXPAND_XZ:
    case EXPAND_BZIP2:
        return err_set(err, E_INVALID_ARG, "the %s is compressed with %s, which this node cannot read; pack it with gzip or zstd", x->opts.what, x->coding == EXPAND_XZ ? "xz" : "bzip2");
    case EXPAND_GZIP:
        BUG_ON(inflateInit2(&x->gzip, GZIP_WINDOW) != Z_OK);
        break;
    case EXPAND_ZSTD:
        x->zstd = ZSTD_createDCtx();
        BUG_ON(!x->zstd || ZSTD_isError(ZSTD_DCtx_setParameter(x->zstd, ZSTD_d_windowLogMax, EXPAND_WINDOW_LOG)));
        break;
    default:
        return 0;
    }
    x->piece = xmalloc(PIECE_BYTES);
    return 0;
}

static int take(struct expand *x, str bytes, struct err *err)
{
    return x->coding == EXPAND_GZIP ? take_gzip(x, bytes, err) : x->coding == EXPAND_ZSTD ? take_zstd(x, bytes, err) : take_plain(x, bytes, err);
}

int expand_feed(struct expand *x, str bytes, struct err *err)
{
    if (x->coding == EXPAND_UNKNOWN) {
        size_t n = MIN(bytes.len, sizeof x->first - x->nfirst);
        memcpy(x->first + x->nfirst, bytes.p, n);
        x->nfirst += n;
        bytes = str_from(bytes, n);
        if (x->nfirst < sizeof x->first)
            return 0;
        int r = start(x, err);
        if (r == 0)
            r = take(x, str_n(x->first, x->nfirst), err);
        if (r < 0)
            return r;
    }
    return take(x, bytes, err);
}

int expand_finish(struct expand *x, struct err *err)
{
    if (x->coding == EXPAND_UNKNOWN) {
        x->coding = EXPAND_PLAIN; /* too short for any form */
        return take_plain(x, str_n(x->first, x->nfirst), err);
    }
    if (x->coding != EXPAND_PLAIN && !x->at_end)
        return err_set(err, E_CORRUPT, "the %s ends too early", x->opts.what);
    return 0;
}
