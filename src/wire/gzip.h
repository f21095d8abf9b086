/* gzip.h - gzip for answers worth it: level 1, one shot over pieces.
 *
 *     if (total > GZIP_WORTH_BYTES && the client accepts it) gzip_compress(pieces, n, &out);
 * Threads: pure functions.  Ownership: the output is the caller's strbuf.
 * Limits: about 80 MB/s a core at 10:1 for JSON, so callers leave small answers alone (as Kubernetes, under 128 KiB). */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

#define GZIP_WORTH_BYTES (128u << 10)

/* Appends the gzip form of the pieces, one after another, to out. */
void gzip_compress(const str *pieces, size_t npieces, struct strbuf *out);
/* The other way, for requests and tests; false when the bytes are not gzip, are cut, or hold more than max bytes. */
bool gzip_expand(str in, size_t max, struct strbuf *out) MUST_CHECK;
/* Does an Accept-Encoding header allow gzip?  "gzip;q=0" does not. */
bool gzip_is_accepted(str accept_encoding);
