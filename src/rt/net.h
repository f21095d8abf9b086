/* net.h - sockets: listen, accept, connect; addresses as text.
 *
 * Addresses are "127.0.0.1:6443", "[::1]:6443", "localhost:6443"; ":6443" is every address of this machine when listening and this
 * machine itself when connecting.  All descriptors are non-blocking and close-on-exec; TCP ones have TCP_NODELAY.
 * Threads: any.  Ownership: descriptors are the caller's.
 * Limits: a host name has at most NET_HOST_MAX bytes; net_connect tries every address of a name within one time-out. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"

#define NET_HOST_MAX 255
#define NET_ADDR_TEXT 64 /* "[ffff:...]:65535" and the NUL */

struct net_addr {
    char host[NET_HOST_MAX + 1]; /* without brackets; "" when none was given */
    uint16_t port;
};
/* default_port 0: the port must be given. */
int net_addr_parse(str text, uint16_t default_port, struct net_addr *ret, struct err *err) MUST_CHECK;

int net_listen_tcp(const char *addr, int *ret_fd, uint16_t *ret_port, struct err *err) MUST_CHECK;
/* Replaces a socket that nobody listens on any more; refuses one that is in use. */
int net_listen_unix(const char *path, unsigned mode, int *ret_fd, struct err *err) MUST_CHECK;
/* A descriptor, or -errno (-EAGAIN: nobody waits). */
int net_accept(int listen_fd);

/* Block until connected or timeout_ns passed.  Messages: "cannot connect to 127.0.0.1:6443: Connection refused". */
int net_connect_tcp(const struct net_addr *addr, nsec_t timeout_ns, int *ret_fd, struct err *err) MUST_CHECK;
int net_connect_unix(const char *path, int *ret_fd, struct err *err) MUST_CHECK;
/* Waits until the descriptor is readable or writable (poll(2) events); false: the time is over.  timeout_ns < 0: for ever. */
bool net_wait(int fd, short events, nsec_t timeout_ns);

void net_peer_text(int fd, char out[NET_ADDR_TEXT]);  /* "10.0.0.7:4242", "unix", "unknown" */
void net_local_text(int fd, char out[NET_ADDR_TEXT]); /* the same of our end */

/* Raises the soft limit of open descriptors towards want, as far as the hard limit lets it; returns what holds now. */
size_t net_fd_limit_raise(size_t want);
