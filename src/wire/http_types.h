/* http_types.h - what HTTP/1.1 and HTTP/2 share: a header field, and the words for a status.
 *
 * Threads: values.  Ownership: the bytes belong to whoever received or wrote them. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

struct http_header {
    str name; /* lower case */
    str value;
};

/* "Not Found"; "Unknown" for a status nobody named. */
str http_status_text(int status);
/* Bytes that may stand in a method or a header name (RFC 9110, token). */
bool http_is_token(str s);
