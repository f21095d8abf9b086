/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/gzip.h"

#include <zlib.h>

#define GZIP_WINDOW (15 + 16) /* zlib: a 32 KiB window, and 16 for the gzip wrapper */
#define CHUNK_MAX (1u << 30)  /* zlib counts in 32 bits */

/* Runs deflate or inflate until its input is used up, growing out as needed. */
static int pump(z_stream *z, int (*step)(z_stream *, int), int flush, size_t max, struct strbuf *out)
{
    int r;
    do {
        strbuf_grow(out, 1 << 16);
        size_t room = MIN(out->cap - out->len - 1, (size_t)CHUNK_MAX);
        z->next_out = (Bytef *)out->p + out->len;
        z->avail_out = (uInt)room;
        r = step(z, flush);
        out->len += room - z->avail_out;
        out->p[out->len] = 0;
        if (out->len > max)
            return Z_BUF_ERROR;
    } while (r == Z_OK && (z->avail_in || z->avail_out == 0));
    return r;
}

void gzip_compress(const str *pieces, size_t npieces, struct strbuf *out)
{
    z_stream z = {0};
    BUG_ON(deflateInit2(&z, 1, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK);
    for (size_t i = 0; i < npieces; i++) {
        for (size_t at = 0; at < pieces[i].len; at += CHUNK_MAX) {
            str part = str_sub(pieces[i], at, at + CHUNK_MAX);
            z.next_in = (Bytef *)(uintptr_t)part.p;
            z.avail_in = (uInt)part.len;
            while (z.avail_in)
                pump(&z, deflate, Z_NO_FLUSH, SIZE_MAX, out);
        }
    }
    int r = pump(&z, deflate, Z_FINISH, SIZE_MAX, out);
    BUG_ON(r != Z_STREAM_END);
    deflateEnd(&z);
}

bool gzip_expand(str in, size_t max, struct strbuf *out)
{
    z_stream z = {0};
    if (in.len > CHUNK_MAX)
        return false;
    BUG_ON(inflateInit2(&z, GZIP_WINDOW) != Z_OK);
    z.next_in = (Bytef *)(uintptr_t)in.p;
    z.avail_in = (uInt)in.len;
    size_t limit = max > SIZE_MAX - out->len ? SIZE_MAX : out->len + max;
    int r = pump(&z, inflate, Z_NO_FLUSH, limit, out);
    bool whole = r == Z_STREAM_END && !z.avail_in;
    inflateEnd(&z);
    return whole;
}

static bool is_zero_weight(str params)
{
    params = str_trim(params);
    if (!str_has_prefix(params, S("q=0")))
        return false;
    for (size_t i = 3; i < params.len; i++) {
        if (params.p[i] != '.' && params.p[i] != '0')
            return false;
    }
    return true;
}

bool gzip_is_accepted(str accept_encoding)
{
    str item, name;
    while (accept_encoding.len) {
        str_cut(&accept_encoding, ',', &item);
        bool has_params = str_cut(&item, ';', &name);
        name = str_trim(name);
        if (str_ieq(name, S("gzip")) || str_eq(name, S("*")))
            return !has_params || !is_zero_weight(item);
    }
    return false;
}
