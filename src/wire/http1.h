/* http1.h - HTTP/1.1 request heads, chunked bodies and response heads (RFC 9112).  Bytes in, values out; no I/O, no allocation.
 *
 *   buffer:  GET /api/v1/pods?limit=5 HTTP/1.1\r\nHost: x\r\nAccept: a/b\r\n\r\n{next request...
 *            '-------------------- head.bytes ------------------------------'
 *
 * The parser is strict where leniency lets two servers disagree on where a request ends (request smuggling): bare CR or LF, NUL, blanks before
 * a colon, folded lines, Content-Length twice or beside Transfer-Encoding, an unknown coding, a bad chunk size are all refused.
 * Threads: values.  Ownership: a head points into the caller's buffer, which is changed in place (header names to lower case) and must stay where
 * it is as long as the head is used.
 * Limits: LIMIT_HEADER_BYTES, LIMIT_HEADER_COUNT, LIMIT_URL_BYTES.  A head that comes byte by byte is scanned once, so the cost stays linear. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/http_types.h"

enum http1_result { HTTP1_MORE, HTTP1_DONE, HTTP1_DATA, HTTP1_BAD };

/* What is wrong: the status to answer with and a sentence. */
struct http1_error {
    int status;
    const char *why;
};

struct http1_head {
    str method;
    str path;  /* before '?', as received; of an absolute-form target what follows the authority */
    str query; /* after '?' */
    str host;  /* of an absolute-form target its authority, else the Host header */
    struct http_header *headers;
    size_t nheaders;
    size_t bytes; /* of the head, with the empty line */
    uint64_t content_length;
    bool has_content_length;
    bool is_chunked;
    bool is_http10;
    bool keep_alive;
    bool expects_continue;
    bool wants_upgrade; /* Connection: upgrade and an Upgrade header */
};

/* How far a head was looked at; zero it for each new head. */
struct http1_scan {
    size_t at;
};

/* MORE: the head is not complete in buf[0..len).  DONE: *ret is filled; its headers stand in `headers`, which has room for LIMIT_HEADER_COUNT.
 * BAD: *ret_error is filled. */
enum http1_result http1_head_parse(struct http1_scan *scan, char *buf, size_t len, struct http_header *headers, struct http1_head *ret,
                                   struct http1_error *ret_error);

/* --- chunked bodies ------------------------------------------------------------------------------------ */
struct http1_chunked {
    uint64_t left;     /* of the current chunk's data */
    uint64_t data;     /* bytes of body so far */
    uint64_t overhead; /* bytes of framing, extensions and trailers so far */
    uint8_t state_;
    uint8_t digits_;
};
/* Takes one step: DATA: *ret_data is a piece of the body, borrowed from `in`; DONE: the body ended; *ret_used bytes were consumed either way
 * and the caller goes on with the rest.  Trailers are checked and dropped. */
enum http1_result http1_chunked_step(struct http1_chunked *d, str in, size_t *ret_used, str *ret_data, const char **ret_why);

/* "1a2b\r\n" before a chunk's data; returns the length. */
#define HTTP1_CHUNK_HEAD_MAX 10
size_t http1_chunk_head(char out[HTTP1_CHUNK_HEAD_MAX], uint32_t len);

/* --- response heads -------------------------------------------------------------------------------------- */
enum http1_framing { HTTP1_LENGTH, HTTP1_CHUNKED, HTTP1_UNTIL_CLOSE, HTTP1_NO_FRAMING };
struct http1_response_head {
    int status;
    enum http1_framing framing;
    uint64_t length;
    str content_type; /* "": none */
    str date;         /* "": none */
    bool close;
    const struct http_header *headers;
    size_t nheaders;
};
/* Bytes http1_response_write needs at most. */
size_t http1_response_bound(const struct http1_response_head *h);
/* Writes the head with its empty line; returns the length.  Header values with CR, LF or NUL are left out whole. */
size_t http1_response_write(char *out, const struct http1_response_head *h);
/* "Sun, 06 Nov 1994 08:49:37 GMT" */
#define HTTP1_DATE_LEN 29
void http1_date_format(int64_t wall_ns, char out[HTTP1_DATE_LEN + 1]);
