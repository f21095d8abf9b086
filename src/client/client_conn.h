/* client_conn.h - one connection to a server, blocking with time-outs: TLS, plain TCP or a Unix socket.
 *
 * For programs that do one thing at a time (the CLI, bootstrap); components on a loop use client/transport.h.
 * Threads: one at a time.  Ownership: a conn borrows its target, which must outlive it.
 * Limits: time-outs bound silence, not the whole exchange; < 0 waits for ever. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "rt/net.h"
#include "rt/tls.h"

/* Where a URL leads: "https://host[:443][/prefix]", "http://host[:80][/prefix]", "unix:/path/of/socket". */
struct client_target {
    bool is_unix, is_tls;
    struct net_addr addr;
    char *unix_path;
    char *prefix;      /* "" or "/prefix", without a slash at the end */
    char *text;        /* "127.0.0.1:6443" or the socket's path, for Host and messages */
    char *server_name; /* what the server's certificate must hold */
    struct tls_client *tls;
};
int client_target_parse(struct client_target *t, const char *url, struct err *err) MUST_CHECK;
void client_target_fini(struct client_target *t);

struct client_conn {
    const struct client_target *target;
    int fd; /* -1: not open */
    struct tls_session *tls;
};
#define CLIENT_CONN_CLOSED ((struct client_conn){.fd = -1})
int client_conn_open(struct client_conn *c, const struct client_target *t, nsec_t timeout_ns, struct err *err) MUST_CHECK;
void client_conn_close(struct client_conn *c);
/* An idle connection on which bytes or an end wait cannot be used again. */
bool client_conn_is_stale(struct client_conn *c);
int client_conn_write(struct client_conn *c, str bytes, nsec_t timeout_ns, struct err *err) MUST_CHECK;
/* *ret_n == 0: the server closed. */
int client_conn_read(struct client_conn *c, char *buf, size_t len, nsec_t timeout_ns, size_t *ret_n, struct err *err) MUST_CHECK;
