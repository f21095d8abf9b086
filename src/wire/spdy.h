/* spdy.h - SPDY/3.1 frames, as far as Kubernetes' exec, attach and port-forward use them.  Bytes in, values out; no I/O.
 *
 *   bytes -> spdy_step -> SYN, REPLY (with headers), DATA (a piece, as it arrives), RESET, PING, GOAWAY, OTHER, MORE, BAD
 *   spdy_write_syn, spdy_write_data_head, ... -> bytes
 *
 * Header blocks are zlib streams with the protocol's dictionary, one for each direction of a connection: every SYN, REPLY and HEADERS frame must pass through the same struct, also of streams
 * that nobody wants.  Flow control is not done: the peers of Kubernetes have none; WINDOW_UPDATE and SETTINGS come out as OTHER.
 * Threads: values.  Ownership: a piece borrows the caller's buffer; headers borrow the decoder until the next step.
 * Limits: SPDY_BLOCK_BYTES of a control frame, SPDY_HEADER_BYTES of its headers unpacked, SPDY_HEADERS of them; beyond: BAD.  After BAD the decoder takes nothing more. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"
#include "wire/http_types.h"

#define SPDY_BLOCK_BYTES (16u << 10)
#define SPDY_HEADER_BYTES (32u << 10)
#define SPDY_HEADERS 32
#define SPDY_DATA_MAX ((1u << 24) - 1) /* of one frame */

enum spdy_result { SPDY_MORE, SPDY_GOT_SYN, SPDY_GOT_REPLY, SPDY_GOT_DATA, SPDY_GOT_RESET, SPDY_GOT_PING, SPDY_GOT_GOAWAY, SPDY_GOT_OTHER, SPDY_BAD };
/* Why a stream was reset. */
enum spdy_status { SPDY_PROTOCOL_ERROR = 1, SPDY_INVALID_STREAM = 2, SPDY_REFUSED_STREAM = 3, SPDY_CANCEL = 5, SPDY_INTERNAL_ERROR = 6 };

struct spdy;

struct spdy_event {
    uint32_t stream;
    bool fin;             /* SYN, REPLY, DATA: the peer sends no more on it; of DATA with the frame's last piece */
    str data;             /* DATA */
    uint32_t status;      /* RESET, GOAWAY */
    uint32_t ping;        /* PING: to be sent back as it is when it is the peer's */
    const struct http_header *headers; /* SYN, REPLY, names in lower case; a value that was given twice has a NUL between */
    size_t nheaders;
    const char *why;      /* BAD */
};

struct spdy *spdy_new(void) MUST_CHECK;
void spdy_free(struct spdy *s); /* NULL is fine */
str spdy_header(const struct spdy_event *e, str lower_name); /* "" when absent */

/* Takes one step on `in`; *ret_used bytes were consumed whatever the result.  MORE: all of it. */
enum spdy_result spdy_step(struct spdy *s, str in, size_t *ret_used, struct spdy_event *ret);

void spdy_write_syn(struct spdy *s, struct strbuf *b, uint32_t stream, bool fin, const struct http_header *headers, size_t nheaders);
void spdy_write_reply(struct spdy *s, struct strbuf *b, uint32_t stream, const struct http_header *headers, size_t nheaders);
/* The head before len bytes of payload, which the caller adds. */
void spdy_write_data_head(struct strbuf *b, uint32_t stream, bool fin, uint32_t len);
void spdy_write_reset(struct strbuf *b, uint32_t stream, enum spdy_status status);
void spdy_write_ping(struct strbuf *b, uint32_t id);
void spdy_write_goaway(struct strbuf *b, uint32_t last_stream);
