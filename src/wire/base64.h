/* base64.h - RFC 4648 in the standard and the URL alphabet.
 *
 * Threads: pure functions.  Ownership: results are appended to a strbuf or live in the arena.
 * Limits: none; the result is 4/3 or 3/4 of the input. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

enum base64_kind {
    BASE64_STD,     /* + and /, padded with = */
    BASE64_STD_RAW, /* + and /, no padding */
    BASE64_URL,     /* - and _, padded */
    BASE64_URL_RAW, /* - and _, no padding: JWT */
};

void base64_write(struct strbuf *b, enum base64_kind kind, str bytes);
str base64_encode(struct arena *a, enum base64_kind kind, str bytes);
/* Strict: no blanks or line ends, padding exactly as the kind says, unused bits zero.
 * E_PARSE with Go's sentence, "illegal base64 data at input byte 3". */
int base64_decode(struct arena *a, enum base64_kind kind, str text, str *ret, struct err *err) MUST_CHECK;
