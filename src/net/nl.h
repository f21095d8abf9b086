/* nl.h - netlink by hand: messages are built into a fixed buffer, sent, acknowledged; answers are read as foreign bytes.
 *
 *     struct nl_msg m;
 *     nl_begin(&m, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &(struct ifinfomsg){0}, sizeof(struct ifinfomsg));
 *     nl_put_str(&m, IFLA_IFNAME, "cox0");
 *     size_t info = nl_nest(&m, IFLA_LINKINFO);  nl_put_str(&m, IFLA_INFO_KIND, "bridge");  nl_nest_end(&m, info);
 *     int r = nl_call(&sock, &m);          // 0 or -errno, as the kernel says
 *
 * Only route netlink, and of it the dozen messages that a pod network needs; a library is larger than this file.
 * Threads: a socket is used by one thread at a time.  A socket keeps talking to the network namespace it was opened in, whoever uses it.
 * Ownership: nl_open's descriptor is closed by nl_close; names and aliases are copied out of the answers.
 * Limits: a message has NL_MSG_BYTES (a longer one fails with -EMSGSIZE and is not sent); a dump is read in pieces of NL_READ_BYTES;
 * a dump that the kernel says was interrupted by a change is made again, NL_DUMP_TRIES times. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <linux/netlink.h>
#include <net/if.h>

#include "base/str.h"

#define NL_MSG_BYTES 2048
#define NL_READ_BYTES (64u << 10)
#define NL_DUMP_TRIES 8
#define NL_ALIAS_MAX 256 /* the kernel's IFALIASZ */

struct nl_msg {
    _Alignas(NLMSG_ALIGNTO) unsigned char bytes[NL_MSG_BYTES];
    size_t len;
    bool too_long;
};
/* header: the family's fixed part (struct ifinfomsg, rtmsg ...). */
void nl_begin(struct nl_msg *m, uint16_t type, uint16_t flags, const void *header, size_t header_len);
void nl_put(struct nl_msg *m, uint16_t type, const void *data, size_t len);
void nl_put_str(struct nl_msg *m, uint16_t type, const char *s); /* with its NUL */
void nl_put_u8(struct nl_msg *m, uint16_t type, uint8_t v);
void nl_put_u16_be(struct nl_msg *m, uint16_t type, uint16_t v);
void nl_put_u32(struct nl_msg *m, uint16_t type, uint32_t v);
/* Opens a nested attribute; header is a fixed part inside it (veth's peer), or NULL. */
size_t nl_nest(struct nl_msg *m, uint16_t type);
void nl_put_raw(struct nl_msg *m, const void *data, size_t len);
void nl_nest_end(struct nl_msg *m, size_t nest);

struct nl_sock {
    int fd; /* -1: not open */
    uint32_t seq;
};
#define NL_SOCK_INIT ((struct nl_sock){.fd = -1})
int nl_open(struct nl_sock *s, int protocol); /* in the calling thread's network namespace; 0 or -errno */
void nl_close(struct nl_sock *s);
/* Sends with NLM_F_ACK and waits: 0 or the kernel's -errno. */
int nl_call(struct nl_sock *s, struct nl_msg *m) MUST_CHECK;
/* The same for a question: fn gets the message that answers it. */
int nl_ask(struct nl_sock *s, struct nl_msg *m, void (*fn)(void *arg, const void *payload, size_t len), void *arg) MUST_CHECK;
/* Sends with NLM_F_DUMP; fn gets every message of the answer (payload behind nlmsghdr).  A non-zero answer of fn ends the calls to fn and
 * is given back.  A dump that has to be made again calls restart first. */
struct nl_dump {
    int (*fn)(void *arg, uint16_t type, const void *payload, size_t len);
    void (*restart)(void *arg);
    void *arg;
};
int nl_dump(struct nl_sock *s, struct nl_msg *m, const struct nl_dump *d) MUST_CHECK;

/* --- listening: what changes, whoever changed it --------------------------------------------------------------------------------- */
int nl_join(struct nl_sock *s, unsigned group) MUST_CHECK; /* RTNLGRP_LINK ...; such a socket asks nothing */
uint32_t nl_port(const struct nl_sock *s);                 /* by which others know who made a change; 0: not open */
struct nl_view;
/* Hands fn what has come since the last call and never waits.  -ENOBUFS: some of it was lost, what is left comes all the same. */
int nl_heard(struct nl_sock *s, void (*fn)(void *arg, const struct nl_view *v), void *arg) MUST_CHECK;

/* --- reading: safe on any bytes ------------------------------------------------------------------------------------------------ */
enum nl_next_result { NL_NEXT_MSG, NL_NEXT_END, NL_NEXT_BAD };
struct nl_view {
    uint16_t type, flags;
    uint32_t seq, port; /* port: of who asked for it; 0: the kernel by itself */
    const unsigned char *payload;
    size_t len;
};
/* The next message of a datagram; *at starts at 0. */
enum nl_next_result nl_next(const void *bytes, size_t len, size_t *at, struct nl_view *ret);
/* The errno (positive), 0 for an acknowledgement, of a NLMSG_ERROR or NLMSG_DONE; EBADMSG when it is cut. */
int nl_error_of(const struct nl_view *v);

struct nl_attr {
    const unsigned char *p; /* NULL: absent */
    size_t len;
};
/* Attributes by number, those over max are left out, the last of a kind wins; false: cut in the middle (what came before is kept). */
bool nl_attrs(const void *bytes, size_t len, struct nl_attr *ret, uint16_t max);
uint32_t nl_attr_u32(struct nl_attr a, uint32_t otherwise);
void nl_attr_text(struct nl_attr a, char *ret, size_t room); /* up to a NUL or the attribute's end, always terminated */

/* Addresses are IPv4 in host byte order; a v6 address leaves has_* false. */
struct nl_link {
    int index, master;
    unsigned flags; /* IFF_UP ... */
    uint32_t mtu;
    char name[IFNAMSIZ], alias[NL_ALIAS_MAX], kind[16];
    uint8_t mac[6];
    bool has_mac;
    uint32_t vxlan_id, vxlan_local;
    uint16_t vxlan_port;
    uint64_t rx_bytes, tx_bytes; /* 0 where the counters were not asked for */
};
struct nl_addr {
    int index;
    uint32_t ip;
    uint8_t prefix;
};
struct nl_route {
    uint32_t dst, gateway;
    uint8_t prefix, protocol, type, scope;
    uint32_t table;
    int oif;
};
struct nl_neigh {
    uint8_t family, flags;
    uint16_t state;
    int index, master;
    uint32_t dst; /* 0: none */
    uint8_t mac[6];
    bool has_mac;
};
bool nl_read_link(const void *payload, size_t len, struct nl_link *ret);
bool nl_read_addr(const void *payload, size_t len, struct nl_addr *ret);   /* IPv4 only */
bool nl_read_route(const void *payload, size_t len, struct nl_route *ret); /* IPv4 only */
bool nl_read_neigh(const void *payload, size_t len, struct nl_neigh *ret); /* AF_INET and AF_BRIDGE */
