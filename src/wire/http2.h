/* http2.h - the server's side of an HTTP/2 connection: libnghttp2 with our limits.  Bytes in, requests out; no I/O, no threads.
 *
 *   http2_recv(bytes) -> on_open (a stream) ... -> on_request (head and whole body are there)      http2_respond -> pull -> http2_send(bytes)
 *                                               '-> on_close (answered, reset, or the connection ended)
 *
 * Heads and bodies are collected in the stream the caller embeds; a broken limit makes on_request come early with `refuse` set to a status.
 * Answers are pulled from the caller piece by piece as flow control allows; a stream that has nothing yet is parked until http2_resume.
 * Threads: one at a time.  Callbacks must not call http2_recv, http2_send or http2_free; respond, resume and reset are fine.
 * Ownership: streams are the caller's (on_open makes, after on_close the wrapper knows it no more).  Request strings are on the stream's arena.
 * Limits: LIMIT_HEADER_*, LIMIT_URL_BYTES, LIMIT_BODY_BYTES a request; opts.max_streams; LIMIT_H2_RESETS_PER_SEC quick resets (CVE-2023-44487) and
 * LIMIT_H2_CONTROL_PER_SEC pings, settings, priorities and empty frames end the connection with GOAWAY ENHANCE_YOUR_CALM. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/list.h"
#include "wire/http_types.h"

struct http2;

struct http2_stream {
    struct arena arena; /* head of the request */
    str method, path, authority;
    struct http_header *headers;
    uint32_t nheaders, header_room_;
    uint32_t header_bytes_;
    int32_t id; /* 0: the connection knows it no more */
    int refuse; /* status to answer with instead: 400, 413, 414, 431 */
    const char *why;
    struct strbuf body; /* heap */
    struct list link_;
    nsec_t opened;      /* monotonic */
    bool got_all;       /* the request is complete */
    uint32_t dropped_;  /* bytes of body that nobody wanted */
    bool handed_over_;
    bool reset_by_us_;
};

struct http2_ops {
    /* A stream of the caller's, zeroed but for its arena; NULL refuses it. */
    struct http2_stream *(*on_open)(void *arg);
    /* May n more bytes of body be kept?  False: 503.  NULL: always. */
    bool (*on_body)(void *arg, struct http2_stream *s, size_t n);
    /* Called once: the request is complete, or refuse is set. */
    void (*on_request)(void *arg, struct http2_stream *s);
    /* The stream ended; the request may or may not have been handed over or answered. */
    void (*on_close)(void *arg, struct http2_stream *s);
    /* How many bytes of the answer's body are ready, at most max; *ret_end: these are the last. */
    size_t (*pull_size)(void *arg, struct http2_stream *s, size_t max, bool *ret_end);
    /* Writes exactly n bytes, which pull_size promised. */
    void (*pull)(void *arg, struct http2_stream *s, char *out, size_t n);
};

struct http2_opts {
    const struct http2_ops *ops;
    void *arg;
    uint32_t max_streams; /* 0: LIMIT_H2_STREAMS */
    uint64_t max_body;    /* 0: LIMIT_BODY_BYTES */
};

struct http2 *http2_new(const struct http2_opts *opts) MUST_CHECK;
/* Calls on_close for each open stream. */
void http2_free(struct http2 *h);
/* All of the bytes are taken.  An error: send what http2_send still has (GOAWAY), then close. */
int http2_recv(struct http2 *h, str bytes, nsec_t now, struct err *err) MUST_CHECK;
/* Writes frames to out; 0: nothing to send now.  cap must be HTTP2_SEND_MIN or more. */
#define HTTP2_SEND_MIN (17u << 10)
size_t http2_send(struct http2 *h, char *out, size_t cap);
/* Nothing more will come or go: close. */
bool http2_is_over(const struct http2 *h);
size_t http2_nstreams(const struct http2 *h); /* open ones */

struct http2_answer {
    int status;
    str content_type;
    str date;
    bool has_length;
    uint64_t length;
    const struct http_header *headers;
    size_t nheaders;
    bool no_body; /* the head is all */
};
void http2_respond(struct http2 *h, struct http2_stream *s, const struct http2_answer *a);
void http2_resume(struct http2 *h, struct http2_stream *s);  /* pull_size has something to say again */
void http2_reset(struct http2 *h, struct http2_stream *s);   /* INTERNAL_ERROR; on_close follows from http2_send */
/* Hands an incomplete request over now, to be answered with this status (the caller's clock ran out). */
void http2_refuse(struct http2 *h, struct http2_stream *s, int status, const char *why);
void http2_go_away(struct http2 *h);                         /* no new streams; the open ones go on */
