/* h2_client.h - the client's side of an HTTP/2 connection: libnghttp2 with our limits.  Bytes in, answers out; no I/O, no threads.
 *
 *   h2_client_submit(stream) -> h2_client_send(bytes)        h2_client_recv(bytes) -> on_head -> on_data ... -> on_end
 *
 * The other side is wire/http2.h.
 * Threads: one at a time.  Callbacks may submit and cancel; they must not call recv, send or free.
 * Ownership: streams are the caller's until on_end or cancel; a request's strings are copied, its body is read where it is until
 * then.
 * Limits: h2_client_room streams at once; answers' heads as nghttp2 bounds them (64 KiB); H2_CLIENT_STREAM_WINDOW unread bytes a
 * stream. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"
#include "wire/http_types.h"

/* Everything that comes is taken at once, so windows only bound what is on its way: long lists should not wait for round trips. */
#define H2_CLIENT_STREAM_WINDOW (4 << 20)
#define H2_CLIENT_CONN_WINDOW (16 << 20)
#define H2_CLIENT_MAX_STREAMS 1000 /* of a server that names no bound, or a higher one */
#define H2_CLIENT_HEADERS 12       /* of a request */

struct h2_client;

struct h2_stream {
    int32_t id; /* 0: not open */
    int status; /* of the answer, 0 before its head */
    str body;   /* of the request, what is not sent yet */
    bool got_head_;
    uint32_t slot_;
};

enum h2_end {
    H2_END_OK,      /* the answer is complete */
    H2_END_RESET,   /* by the server, or the connection ended: nobody knows whether it did something */
    H2_END_REFUSED, /* the server did nothing: it may be sent again */
};

struct h2_client_ops {
    void (*on_head)(void *arg, struct h2_stream *s);
    void (*on_data)(void *arg, struct h2_stream *s, str bytes);
    /* The stream is the caller's again. */
    void (*on_end)(void *arg, struct h2_stream *s, enum h2_end end);
    /* Every header and trailer of the answer but :status, before on_head or on_end; NULL: nobody wants them. */
    void (*on_header)(void *arg, struct h2_stream *s, str name, str value);
};

struct h2_request {
    str method, scheme, authority, path;
    const struct http_header *headers; /* lower case; at most H2_CLIENT_HEADERS */
    size_t nheaders;
    str body;
};

struct h2_client *h2_client_new(const struct h2_client_ops *ops, void *arg) MUST_CHECK;
/* Ends every open stream with H2_END_RESET. */
void h2_client_free(struct h2_client *h);
/* All of the bytes are taken.  An error: send what h2_client_send still has (GOAWAY), then close. */
int h2_client_recv(struct h2_client *h, str bytes, struct err *err) MUST_CHECK;
/* Writes frames to out; 0: nothing to send now. */
size_t h2_client_send(struct h2_client *h, char *out, size_t cap);
/* Nothing more will come or go: close. */
bool h2_client_is_over(const struct h2_client *h);

bool h2_client_is_settled(const struct h2_client *h); /* the server's SETTINGS came */
/* Streams that may be opened now; 0 before the server's SETTINGS, which bound them, and after its GOAWAY. */
size_t h2_client_room(const struct h2_client *h);
size_t h2_client_max_streams(const struct h2_client *h); /* that the server lets us have */
bool h2_client_is_leaving(const struct h2_client *h);    /* GOAWAY came: no new streams, the open ones go on */
/* s is zeroed; there is room.  False: not possible any more, nothing happened. */
bool h2_client_submit(struct h2_client *h, struct h2_stream *s, const struct h2_request *req) MUST_CHECK;
/* The stream is the caller's at once; on_end does not run. */
void h2_client_cancel(struct h2_client *h, struct h2_stream *s);
void h2_client_ping(struct h2_client *h); /* any byte that comes is the answer */
