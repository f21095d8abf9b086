/* h1_answer.h - an HTTP/1.1 answer from bytes as they come: head, then pieces of the body.
 *
 *   bytes:   HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhelloHTTP/1.1 ...
 *   steps:   '---------------- HEAD ----------------''DATA'DONE
 *
 * Interim answers (100, 103) are skipped.  The framing is chosen as RFC 9112, 6.3 says; a coding that is not "chunked" and two
 * lengths that differ are refused.
 * Threads: values.
 * Ownership: the head is kept by the answer until reset; DATA points into the caller's bytes.
 * Limits: LIMIT_HEADER_BYTES and LIMIT_HEADER_COUNT of head; the body is the caller's to bound. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/limits.h"
#include "wire/http1.h"

enum h1_answer_step { H1_ANSWER_MORE, H1_ANSWER_HEAD, H1_ANSWER_DATA, H1_ANSWER_DONE, H1_ANSWER_BAD };

struct h1_answer {
    int status;
    bool keep_alive; /* another request may follow once this answer is done */
    bool has_length;
    uint64_t length; /* when has_length */
    struct http_header *headers; /* names in lower case */
    size_t nheaders;
    const char *why; /* after BAD */
    uint8_t phase_;
    bool no_body_; /* the request was a HEAD */
    enum http1_framing framing_;
    uint64_t left_;
    struct http1_chunked chunked_;
    struct strbuf head_;
    struct http_header table_[LIMIT_HEADER_COUNT];
};

/* For the next answer; is_head: of a HEAD request.  Zeroed memory is an answer before its first reset. */
void h1_answer_reset(struct h1_answer *a, bool is_head);
void h1_answer_fini(struct h1_answer *a);
/* Takes some of `in`, *ret_used bytes.  MORE: all of it, and more is needed.  BAD: the connection is of no more use. */
enum h1_answer_step h1_answer_step(struct h1_answer *a, str in, size_t *ret_used, str *ret_data);
/* The connection ended: DONE when that is the body's end, else BAD. */
enum h1_answer_step h1_answer_eof(struct h1_answer *a);
bool h1_answer_has_begun(const struct h1_answer *a); /* a byte of it came */
str h1_answer_header(const struct h1_answer *a, str lower_name); /* "" when absent */
