/* nl_tc.h - queueing disciplines, classes and filters of one device: what shaping asks of the kernel.
 *
 * Every call is one netlink message on the given socket and gives 0 or the kernel's -errno.  *_put makes it so, whether it was there or not,
 * and changes rates in place: packets that wait stay.  *_del of something that is not there is -ENOENT, so that a row of them can be ended.
 * Only htb, bfifo, clsact, u32 and mirred: the kinds that every kernel with traffic control has; no eBPF.
 * Threads: as the socket.  Handles are the kernel's: a class is MAJOR << 16 | MINOR, a u32 filter TABLE << 20 | BUCKET << 12 | NODE. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "net/nl.h"

#define NL_TC_ROOT 0x10000u            /* handle of our htb: 1: */
#define NL_TC_CLASS(minor) (NL_TC_ROOT | (uint32_t)(minor))
#define NL_TC_FILTER(table, bucket, node) ((uint32_t)(table) << 20 | (uint32_t)(bucket) << 12 | (uint32_t)(node))
#define NL_TC_TABLE_ROOT 0x800u        /* the table a u32 filter starts at */

int nl_tc_htb_put(struct nl_sock *s, int index, uint16_t default_minor) MUST_CHECK;
/* Bits a second and bytes at once.  A class without packets in its tree borrows from its parent up to ceil. */
struct nl_tc_class {
    uint16_t minor, parent; /* parent 0: the htb itself */
    int64_t rate_bits, ceil_bits;
    uint32_t quantum_bytes; /* of what is borrowed, in one turn */
};
int nl_tc_class_put(struct nl_sock *s, int index, const struct nl_tc_class *c) MUST_CHECK;
int nl_tc_class_del(struct nl_sock *s, int index, uint16_t minor) MUST_CHECK;
/* The queue of a leaf, in bytes: with packets alone a few large ones could hold a second of traffic. */
int nl_tc_queue_put(struct nl_sock *s, int index, uint16_t minor, uint32_t limit_bytes) MUST_CHECK;
int nl_tc_sink_put(struct nl_sock *s, int index) MUST_CHECK; /* all that the device is given is dropped */
struct nl_tc_counted {
    uint16_t minor;
    bool is_top;    /* it has no class for a parent */
    uint64_t bytes; /* that left it */
};
struct nl_tc_classes {
    struct nl_tc_counted *p; /* heap */
    size_t len;
};
/* -ENOENT: it is not there. */
int nl_tc_class_find(struct nl_sock *s, int index, uint16_t minor, struct nl_tc_counted *ret) MUST_CHECK;
int nl_tc_class_list(struct nl_sock *s, int index, struct nl_tc_classes *ret) MUST_CHECK;

int nl_tc_clsact_add(struct nl_sock *s, int index) MUST_CHECK; /* -EEXIST */
int nl_tc_clsact_del(struct nl_sock *s, int index) MUST_CHECK;

enum nl_tc_protocol { NL_TC_IPV4, NL_TC_IPV6, NL_TC_TAGGED, NL_TC_TAGGED_TWICE }; /* which packets a filter is asked for; the last two: 802.1Q and 802.1ad, whatever is in them */
enum nl_tc_where { NL_TC_ON_HTB, NL_TC_ON_ARRIVAL, NL_TC_ON_DEPARTURE }; /* the last two: of clsact */
enum { NL_TC_SRC = 12, NL_TC_DST = 16, NL_TC_MAC_SRC = -6, NL_TC_MAC_DST = -12 }; /* where an IPv4 header has the address; the last four bytes of a MAC, before any header */
struct nl_tc_match {
    int8_t at;
    uint32_t ip, mask; /* host byte order */
};
struct nl_tc_filter {
    enum nl_tc_where where;
    enum nl_tc_protocol protocol; /* each has tables of its own */
    uint32_t handle;       /* NL_TC_FILTER; table 0: where filters of this place start, whichever number it has (the two sides of a clsact have one each) */
    struct nl_tc_match match[2];
    size_t nmatch;         /* 0: every packet of the protocol */
    uint16_t minor;        /* to this class; 0 with no redirect: let through, no later filter is asked */
    int redirect;          /* index of the device that gets it; 0: none */
    uint32_t link;         /* go on in this table, by the last byte of what is at hash_at; 0: none */
    int8_t hash_at;
};
int nl_tc_filter_add(struct nl_sock *s, int index, const struct nl_tc_filter *f) MUST_CHECK; /* -EEXIST */
int nl_tc_filter_del(struct nl_sock *s, int index, enum nl_tc_where where, enum nl_tc_protocol protocol, uint32_t handle) MUST_CHECK;
int nl_tc_filter_find(struct nl_sock *s, int index, enum nl_tc_where where, enum nl_tc_protocol protocol, uint32_t handle) MUST_CHECK; /* 0: it is there */
int nl_tc_table_add(struct nl_sock *s, int index, enum nl_tc_protocol protocol, uint32_t table, uint32_t buckets) MUST_CHECK; /* on the htb; -EEXIST */
