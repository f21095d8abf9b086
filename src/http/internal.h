/* internal.h - what the files of this folder share: server, home (a server's share of one loop), connection.
 *
 *   http_server --- http_home per loop --- http_conn ... --- conn_h1.c: one request at a time, parsed where it was read
 *        |                                                '- conn_h2.c: many streams over wire/http2
 *        '--- http_listener (on the first loop; hands each connection to the home that has the fewest)
 *
 * A connection's phases:   HANDSHAKE -> OPEN -> LINGER (answered, waits for the peer to close) -> DEAD
 * DEAD keeps the struct until its requests are finished; memory is freed at the end of a turn, never under a caller.
 * Input and output buffers, arenas and streams come from pools of the home: an idle connection holds none.
 * Threads: everything of a home on its loop; stats and `open` are read from anywhere. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdatomic.h>

#include "base/limits.h"
#include "http/outq.h"
#include "http/server.h"
#include "wire/http1.h"
#include "wire/http2.h"

#define HTTP_IN_BYTES (16u << 10)  /* read at once: what a TLS record holds */
#define HTTP_OUT_BYTES (64u << 10) /* composed before a write */
#define HTTP_RECORD_BYTES (16u << 10)
#define HTTP_POOL 32               /* spare buffers, arenas and streams a home keeps */
#define HTTP_NEVER INT64_MAX
#define HTTP_PATIENCE_NS (4 * 3600 * NSEC_PER_SEC) /* with an upgraded connection or a log that somebody looks at page by page */
#define HTTP_REMOTE_MAX 64

struct h2_stream;

/* Written by the home's loop only, so no locked instructions. */
struct http_counters {
    _Atomic uint64_t accepted, handshake_failures, requests_h1, requests_h2, bad_requests, timeouts, bytes_in, bytes_out;
};
static inline void http_count(_Atomic uint64_t *c, uint64_t n)
{
    atomic_store_explicit(c, atomic_load_explicit(c, memory_order_relaxed) + n, memory_order_relaxed);
}

struct http_pool {
    void *items[HTTP_POOL];
    size_t count;
};

struct http_home {
    struct http_server *server;
    struct loop *loop;
    struct list conns;
    struct list dead; /* to be freed by reap */
    struct loop_defer reap;
    struct http_pool in_pool, out_pool, stream_pool;
    struct arena arenas[HTTP_POOL];
    size_t narenas;
    size_t body_bytes; /* of requests being received or handled */
    struct http_header headers[LIMIT_HEADER_COUNT]; /* where heads are parsed to */
    char date[HTTP1_DATE_LEN + 1];
    nsec_t date_until;
    struct http_counters counters;
    _Atomic uint32_t open; /* connections given to this home */
    bool draining, drained;
    struct loop_timer deadline; /* of a shutdown */
    struct loop_msg msg;
    nsec_t deadline_ns;
};

struct http_server {
    struct http_server_opts opts;
    char name[32];
    struct http_home *homes;
    size_t nhomes;
    struct list listeners;
    int spare_fd; /* given up for a moment when descriptors run out, to turn a client away */
    nsec_t warned_ns;
    _Atomic size_t homes_left; /* to be drained */
    void (*done)(void *arg);
    void *done_arg;
    struct loop_msg done_msg;
};

enum conn_phase { CONN_HANDSHAKE, CONN_OPEN, CONN_LINGER, CONN_DEAD };

struct http_conn;
/* What a protocol does for a connection, and for its requests. */
struct conn_ops {
    void (*start)(struct http_conn *c);
    void (*readable)(struct http_conn *c, uint32_t events);
    void (*turn)(struct http_conn *c);       /* after a flush: at the end of a turn with conn_schedule, or the socket took bytes again */
    size_t (*produce)(struct http_conn *c);  /* puts more bytes into the empty block; 0: none now */
    nsec_t (*deadline)(struct http_conn *c); /* when `timeout` is due */
    void (*timeout)(struct http_conn *c);
    void (*dead)(struct http_conn *c);       /* the peer is gone: tell the requests, drop the rest */
    void (*drain)(struct http_conn *c);      /* a shutdown began */
    void (*fini)(struct http_conn *c);
    void (*respond)(struct http_request *req, const struct http_response *res);
    void (*stream_start)(struct http_request *req, const struct http_response *head);
    bool (*stream_write)(struct http_request *req, struct http_buf *buf, size_t limit);
    size_t (*stream_unsent)(const struct http_request *req);
    void (*stream_end)(struct http_request *req);
    void (*abort)(struct http_request *req);
    void (*shrink)(struct http_request *req);
};
extern const struct conn_ops conn_h1_ops, conn_h2_ops;
/* Bytes that were read before the protocol was known to be HTTP/2. */
void conn_h2_feed(struct http_conn *c, str bytes);
/* The rest of http_upgrade and http_upgrade_write. */
int conn_h1_upgrade(struct http_request *req, const struct http_header *headers, size_t nheaders, const struct http_upgrade_ops *ops, struct err *err);
bool conn_h1_upgrade_write(struct http_request *req, str bytes, size_t limit);
void conn_h1_upgrade_pause(struct http_request *req, bool paused);

struct h1 {
    struct http_request req;
    struct arena arena;
    uint8_t state;
    bool keep_alive, is_head, is_http10, saw_eof;
    bool partial;     /* bytes of the next head are there */
    bool chunk_out;   /* the queue is sent in chunks */
    bool end_out;     /* ... and the last one follows it */
    bool no_body_out; /* HEAD */
    bool served;      /* had a request before */
    bool paused;      /* upgraded: the handler wants no bytes for now */
    uint32_t counted; /* body bytes in home->body_bytes */
    struct http1_scan scan;
    struct http1_chunked chunked;
    uint64_t body_left;
    struct strbuf body;
    char *head_buf; /* holds the request's head when it is no longer in conn->in */
    uint32_t head_cap;
    size_t low; /* on_writable is due when unsent bytes fall to this; 0: not asked for */
    nsec_t since;
    const struct http_upgrade_ops *raw;
};

struct h2 {
    struct http2 *session;
    struct list receiving; /* requests that are not complete: those answered all the same, then the others, oldest first */
    struct list ready;     /* complete, waiting for the handler */
    struct list busy;      /* with the handler, or answered and not yet sent */
    struct list wake;      /* peer gone or output drained: the handler is to be told */
    size_t unsent;         /* bytes of answers that are not streams */
    nsec_t moved;          /* when unsent last became less, or more than none */
    nsec_t idle_since;
};

struct http_conn {
    struct loop_fd io;
    struct loop_timer timer;
    struct loop_defer turn;
    struct http_home *home;
    struct list link;      /* home->conns */
    struct list dead_link; /* home->dead */
    struct tls_session *tls;
    const struct conn_ops *ops;
    nsec_t progress; /* of a blocked write */
    uint8_t phase;
    bool is_unix;
    bool closing;  /* close when the output is gone */
    bool blocked;  /* waits for EPOLLOUT */
    bool no_input; /* do not read for now */
    bool dispatching;
    uint32_t requests; /* handed to the handler and not finished */
    uint32_t lingered;
    /* input */
    char *in;
    uint32_t in_at, in_len, in_cap;
    /* output: first the block, then the queue */
    char *block;
    uint32_t block_at, block_len;
    struct outq out;
    union {
        struct h1 h1;
        struct h2 h2;
    };
    char remote[HTTP_REMOTE_MAX];
};

/* conn.c */
void conn_new(struct http_home *home, int fd, bool is_unix); /* takes the descriptor */
enum tls_io conn_read(struct http_conn *c, void *buf, size_t len, size_t *ret_n);
bool conn_has_pending(const struct http_conn *c); /* input that epoll will not report */
/* Room for n bytes at the end of the block, or NULL: does not fit now. */
char *conn_block_room(struct http_conn *c, size_t n);
void conn_flush(struct http_conn *c);    /* writes as much as the socket takes */
void conn_schedule(struct http_conn *c); /* flush and ops->turn at the end of this loop turn */
void conn_want(struct http_conn *c);     /* tells the loop which events matter now */
void conn_finish(struct http_conn *c);   /* close once everything is written */
void conn_gone(struct http_conn *c);     /* close now */
void conn_timer(struct http_conn *c);    /* after anything that ops->deadline depends on */
void conn_in_release(struct http_conn *c);
void conn_request_done(struct http_conn *c); /* one of its requests was finished */
void conn_free_now(struct http_conn *c);     /* only when loops do not run any more */

/* home.c */
void http_home_init(struct http_home *h, struct http_server *s, struct loop *loop);
void http_home_fini(struct http_home *h);
void *http_pool_take(struct http_pool *p, size_t size);
void http_pool_give(struct http_pool *p, void *item);
struct arena http_arena_take(struct http_home *h);
void http_arena_give(struct http_home *h, struct arena *a);
str http_home_date(struct http_home *h);
void http_home_reap(struct http_home *h, struct http_conn *c);
void http_home_drain_check(struct http_home *h);
/* Counts n bytes of request body against LIMIT_BODIES_BYTES. */
bool http_home_body_add(struct http_home *h, size_t n);
/* The head and body of an answer to a request that the handler never sees; on arena a. */
bool http_has_body(const struct http_response *res, bool is_head);
uint64_t http_body_length(const struct http_response *res);
struct http_response http_bad_request(struct http_home *h, struct arena *a, int status, const char *why);

/* listen.c */
void http_listeners_stop(struct http_server *s);
void http_listeners_free(struct http_server *s);
