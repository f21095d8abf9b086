/* channels.h - an upgraded connection as streams: SPDY/3.1, SPDY/3.1 inside a websocket, or a websocket's numbered channels.
 *
 *   channels_accept (chooses the protocol, 101) ─► opened(ch) ... data(ch) ... eof(ch) ─► channels_finish
 *
 *                        SPDY                        websocket v1 - v4                     v5
 *   a stream is          SYN_STREAM with a type      the first byte of a message           the same
 *   half-close           FIN                         none                                  ff CHANNEL, from clients
 *
 * Threads: the loop's.
 * Ownership: channels belong to the connection; the owner lets one go with channel_release.  After channels_finish or gone() nothing is called any more, and the connection frees itself.
 * Callbacks may call everything but must not use `bytes` after channels_finish.
 * Limits: CHANNELS_OUT_BYTES unsent before writes are refused, CHANNELS_STREAMS streams at once (more are refused), a message in base64 of CHANNELS_MESSAGE_BYTES. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/list.h"
#include "http/server.h"

#define CHANNELS_OUT_BYTES (256u << 10)
#define CHANNELS_STREAMS 512
#define CHANNELS_MESSAGE_BYTES (1u << 20)
#define CHANNELS_WRITE_MAX (32u << 10) /* of one write */

enum channel_type { CHANNEL_STDIN, CHANNEL_STDOUT, CHANNEL_STDERR, CHANNEL_ERROR, CHANNEL_RESIZE, CHANNEL_DATA, CHANNEL_OTHER };

struct channels;

struct channel {
    struct channels *conn;
    enum channel_type type;
    uint32_t id;        /* of the stream, or the channel's number */
    uint16_t port;      /* of port-forward's streams */
    char request[40];   /* the same: which belong together */
    bool peer_closed;   /* it sends no more */
    bool closed;        /* we send no more */
    void *user;
    struct list link_;
};

struct channels_ops {
    void (*opened)(void *owner, struct channel *ch); /* a SPDY stream; of a websocket all channels are there from the start */
    void (*data)(void *owner, struct channel *ch, str bytes);
    void (*eof)(void *owner, struct channel *ch); /* once: half-close, or reset (then ch->closed too) */
    void (*writable)(void *owner);                /* after a refused write */
    void (*gone)(void *owner);                    /* the peer is gone, or broke the protocol */
};

enum channels_for { CHANNELS_EXEC, CHANNELS_FORWARD };

/* Chooses a protocol from the request's headers and upgrades.  E_INVALID_ARG: no upgrade asked for; E_FORBIDDEN: no protocol in common.  The request is not answered then. */
int channels_accept(struct http_request *req, enum channels_for what, const struct channels_ops *ops, void *owner, struct channels **ret, struct err *err) MUST_CHECK;
bool channels_is_websocket(const struct channels *c); /* numbered channels: add them */
int channels_version(const struct channels *c);       /* 1 ... 5 */
/* A numbered channel of a websocket. */
struct channel *channels_add(struct channels *c, uint32_t number, enum channel_type type);
void channels_pause(struct channels *c, bool paused); /* no data for now, of no channel */

/* At most CHANNELS_WRITE_MAX bytes.  False: nothing was taken, writable() follows. */
bool channel_write(struct channel *ch, str bytes) MUST_CHECK;
/* The same for a last word (an exit status, an error): taken however much waits. */
void channel_write_last(struct channel *ch, str bytes);
void channel_close(struct channel *ch); /* end of our side, when the protocol knows such */
void channel_release(struct channel *ch); /* not used any more; resets what is still open */
/* What was written is sent, the peer is told (close frame) and given a few seconds to go first. */
void channels_finish(struct channels *c);
