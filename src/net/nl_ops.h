/* nl_ops.h - links, addresses, routes and neighbours of one network namespace: what a pod network asks of the kernel.
 *
 * Every call is one netlink message (a list: one dump) on the given socket, and gives 0 or the kernel's -errno.  *_put makes it so,
 * whether it was there or not; *_del of something that is not there is 0.
 * Threads: as the socket.  Ownership: lists are VECs that the caller frees with vec_fini.
 * Limits: a list ends with -E2BIG beyond NL_LIST_MAX entries.  IPv4 in host byte order; a v6 twin takes its own functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/vec.h"
#include "net/nl.h"

#define NL_LIST_MAX 200000u
/* Routes that are ours carry this protocol number, so that nobody else's are touched (/etc/iproute2/rt_protos leaves it free). */
#define NL_ROUTE_PROTOCOL 99

struct nl_links {
    VEC(struct nl_link) all;
};
struct nl_addrs {
    VEC(struct nl_addr) all;
};
struct nl_routes {
    VEC(struct nl_route) all;
};
struct nl_neighs {
    VEC(struct nl_neigh) all;
};

int nl_link_find(struct nl_sock *s, const char *name, struct nl_link *ret) MUST_CHECK; /* -ENODEV */
int nl_link_list(struct nl_sock *s, struct nl_links *ret) MUST_CHECK;
int nl_link_list_counters(struct nl_sock *s, struct nl_links *ret) MUST_CHECK; /* with rx_bytes and tx_bytes */
int nl_link_add_bridge(struct nl_sock *s, const char *name, const uint8_t mac[6], uint32_t mtu) MUST_CHECK;
struct nl_vxlan {
    const char *name;
    uint32_t id, local, mtu;
    uint16_t port;
    uint8_t mac[6];
};
int nl_link_add_vxlan(struct nl_sock *s, const struct nl_vxlan *v) MUST_CHECK;
/* A pair whose far end is born inside another namespace; ours is up and a port of the master. */
struct nl_veth {
    const char *name, *peer_name;
    int master, peer_netns_fd;
    uint32_t mtu;
    uint8_t peer_mac[6];
};
int nl_link_add_veth(struct nl_sock *s, const struct nl_veth *v) MUST_CHECK;
int nl_link_add_ifb(struct nl_sock *s, const char *name) MUST_CHECK; /* -EOPNOTSUPP: the kernel has none */
int nl_link_set_up(struct nl_sock *s, int index) MUST_CHECK;
int nl_link_set_mtu(struct nl_sock *s, int index, uint32_t mtu) MUST_CHECK;
int nl_link_set_mac(struct nl_sock *s, int index, const uint8_t mac[6]) MUST_CHECK;
int nl_link_set_alias(struct nl_sock *s, int index, const char *alias) MUST_CHECK;
int nl_link_set_master(struct nl_sock *s, int index, int master) MUST_CHECK;
int nl_link_set_hairpin(struct nl_sock *s, int index) MUST_CHECK; /* of a bridge's port */
int nl_link_del(struct nl_sock *s, int index) MUST_CHECK;

int nl_addr_list(struct nl_sock *s, struct nl_addrs *ret) MUST_CHECK;
int nl_addr_put(struct nl_sock *s, int index, uint32_t ip, uint8_t prefix) MUST_CHECK;
int nl_addr_del(struct nl_sock *s, int index, uint32_t ip, uint8_t prefix) MUST_CHECK;

/* onlink: the gateway needs no route of its own. */
struct nl_route_spec {
    uint32_t dst, gateway;
    uint8_t prefix;
    int oif; /* 0: whichever reaches the gateway */
    bool onlink;
    uint8_t protocol;
};
int nl_route_put(struct nl_sock *s, const struct nl_route_spec *r) MUST_CHECK;
int nl_route_del(struct nl_sock *s, const struct nl_route_spec *r) MUST_CHECK;
int nl_route_list(struct nl_sock *s, uint8_t protocol, struct nl_routes *ret) MUST_CHECK; /* main table; protocol 0: all */

/* Permanent entries: who has this address (arp), and behind which machine is this MAC (fdb of a vxlan device). */
int nl_arp_put(struct nl_sock *s, int index, uint32_t ip, const uint8_t mac[6]) MUST_CHECK;
int nl_arp_del(struct nl_sock *s, int index, uint32_t ip) MUST_CHECK;
int nl_arp_list(struct nl_sock *s, int index, struct nl_neighs *ret) MUST_CHECK;
int nl_fdb_put(struct nl_sock *s, int index, const uint8_t mac[6], uint32_t machine_ip) MUST_CHECK;
int nl_fdb_del(struct nl_sock *s, int index, const uint8_t mac[6], uint32_t machine_ip) MUST_CHECK;
int nl_fdb_list(struct nl_sock *s, int index, struct nl_neighs *ret) MUST_CHECK;
