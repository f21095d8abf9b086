/* websocket.h - RFC 6455 frames: decode, encode, the handshake's key.  Bytes in, values out; no I/O, no allocation.
 *
 *   bytes -> websocket_step -> PIECE (of a message, unmasked in place), PING, PONG, CLOSE, MORE, BAD
 *
 * A message comes in pieces as it arrives, so its size is not bounded by a buffer; control frames come whole, between the pieces of a message too.
 * Threads: values.  Ownership: a piece borrows the caller's buffer; a control payload borrows the decoder.
 * Limits: max_message bytes a message (BAD, close code 1009), 125 bytes a control frame.  After BAD or CLOSE the decoder takes nothing more. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

enum websocket_opcode { WS_CONTINUATION = 0, WS_TEXT = 1, WS_BINARY = 2, WS_CLOSE = 8, WS_PING = 9, WS_PONG = 10 };
enum websocket_result { WS_MORE, WS_GOT_PIECE, WS_GOT_PING, WS_GOT_PONG, WS_GOT_CLOSE, WS_BAD };
#define WS_CONTROL_MAX 125

struct websocket {
    bool is_server;       /* frames we receive must be masked; those of a client must not */
    uint64_t max_message; /* 0: any */
    /* private */
    uint8_t state_;
    uint8_t head_[14];
    uint8_t head_len_;
    uint8_t message_;   /* opcode of the message in progress, 0: none */
    uint8_t control_len_;
    uint8_t utf8_left_; /* continuation bytes of a character that was cut by a piece */
    uint32_t utf8_;
    uint32_t utf8_min_;
    uint64_t left_;     /* of the current frame's payload */
    uint64_t at_;       /* in the current frame's payload, for the mask */
    uint64_t size_;     /* of the message so far */
    char control_[WS_CONTROL_MAX];
};

struct websocket_event {
    enum websocket_opcode opcode; /* WS_TEXT or WS_BINARY for a piece */
    str payload;
    bool message_end; /* this piece is the last of its message; it may be empty */
    int close_code;   /* CLOSE: 1005 when the peer gave none.  BAD: what to answer with */
    const char *why;  /* BAD */
};

/* Takes one step on buf[0..len); *ret_used bytes were consumed whatever the result. */
enum websocket_result websocket_step(struct websocket *ws, char *buf, size_t len, size_t *ret_used, struct websocket_event *ret);

/* The frame's head before a payload of `len` bytes; mask NULL: not masked (server).  Returns its length. */
#define WS_HEAD_MAX 14
size_t websocket_head(char out[WS_HEAD_MAX], enum websocket_opcode opcode, bool fin, uint64_t len, const uint8_t mask[4]);
/* Masks or unmasks bytes that stand `at` bytes into the payload. */
void websocket_mask(char *p, size_t len, const uint8_t mask[4], uint64_t at);
/* A close frame's payload; returns its length.  The reason is cut at 123 bytes. */
size_t websocket_close_payload(char out[WS_CONTROL_MAX], int code, str reason);

/* Sec-WebSocket-Accept for a Sec-WebSocket-Key; false when the key is not 16 bytes of base64. */
#define WS_ACCEPT_LEN 28
bool websocket_accept(str key, char out[WS_ACCEPT_LEN + 1]);
