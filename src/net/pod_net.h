/* pod_net.h - the pod network of one node: a bridge, an address for each pod, host ports, and the way to the pods of other nodes.
 *
 *      pod's namespace            node's namespace                                       other nodes
 *     +----------------+         +---------------------------------------------+
 *     | eth0 10.42.3.7 |--veth-->| cx5e884898da280  \                          |
 *     +----------------+         |                   cox0 10.42.3.1/24 -- ip --+--> cox-vx: 10.42.5.0/24 in UDP 8472 to 192.168.1.5
 *     | eth0 10.42.3.8 |--veth-->| cx1b4f0e9851971  /     forward, nft         |    or a plain route via 192.168.1.5
 *     +----------------+         +---------------------------------------------+
 *
 * What exists in the kernel is the truth: a veth carries "cox/BRIDGE/UID/IP" as its alias, routes carry a protocol number, and
 * every call compares and repairs.  Files in state_dir hold what the kernel cannot: host ports, addresses that rest, sysctls as they were.
 * They are not synced to disk, because links do not survive a power cut either.
 *
 * Threads: all calls block (netlink, nft) and may run on several worker threads at once; two calls for one uid at a time get E_BUSY.
 * The namespace is that of the calling thread.  nft is run as a child and waited for by its id.
 * Ownership: options and arguments are copied.  pod_net_close frees memory and leaves the network as it is.
 * Limits: POD_NET_PODS pods, POD_NET_PORTS host ports a pod, POD_NET_PEERS peers (beyond: E_TOO_LARGE); addresses as ipam.h.
 * IPv4.  A second family means a second CIDR, ipam and nft table beside the first, with the same records. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "net/ipam.h"
#include "net/shape.h"

#define POD_NET_PODS 65536u
#define POD_NET_PORTS 256u
#define POD_NET_PEERS 65536u
#define POD_NET_UID_MAX 128
#define POD_NET_LINKS 256u       /* other domains */
#define POD_NET_LINK_NETS 16384u /* address ranges of them together */
#define POD_NET_LINK_NAME 64

struct pod_net_opts {
    const char *bridge;       /* NULL: "cox0"; at most 15 bytes */
    const char *vxlan;        /* NULL: "cox-vx" */
    const char *table;        /* NULL: "cox-pods", an nft table of family ip */
    const char *pod_cidr;     /* "10.42.3.0/24"; the first address is the bridge's */
    const char *cluster_cidr; /* "10.42.0.0/16"; NULL: pod_cidr.  Traffic to it keeps the pod's address. */
    const char *mode;         /* NULL or "vxlan", "routes", "none": how other nodes' pods are reached */
    const char *node_ip;      /* the tunnel's end; needed for vxlan */
    const char *state_dir;    /* this agent's own */
    uint32_t mtu;             /* 0: that of the link with node_ip (else 1500), less 50 for vxlan */
    nsec_t reuse_delay_ns;    /* 0: a minute */
    const struct clock *clock; /* NULL: clock_real */
};

struct pod_net;
/* Makes or repairs bridge, addresses, tunnel, forwarding and nft table; reads which pods are attached.  Running pods notice nothing. */
int pod_net_open(const struct pod_net_opts *opts, struct pod_net **ret, struct err *err) MUST_CHECK;
void pod_net_close(struct pod_net *n);
DEFINE_CLEANUP(struct pod_net *, pod_net_close)
/* Why address translation does not work here (nft is not installed, say), or NULL.  Pods then reach the cluster only, and host ports
 * are refused.  Valid until close. */
const char *pod_net_degraded(const struct pod_net *n);
/* Which firewall of this machine drops the packets of pods and could not be told otherwise, or NULL.  Valid until close. */
const char *pod_net_blocked(const struct pod_net *n);
uint32_t pod_net_mtu(const struct pod_net *n);
void pod_net_gateway(const struct pod_net *n, char ret[IPAM_TEXT]);

enum pod_net_protocol { POD_NET_TCP, POD_NET_UDP, POD_NET_SCTP };
bool pod_net_protocol_parse(str name, enum pod_net_protocol *ret); /* "TCP", "UDP", "SCTP"; "" is TCP */
struct pod_net_port {
    uint32_t host_ip; /* 0: every address of the node; host byte order */
    uint16_t host_port, container_port;
    enum pod_net_protocol protocol;
};
struct pod_net_attach {
    str uid;                /* letters, digits, '-', '_', '.' */
    const char *netns_path; /* exists */
    str hostname;           /* kept in the record; "" is fine */
    const struct pod_net_port *ports;
    size_t nports;
};
/* Gives the pod its eth0.  Called again for an attached pod it repairs and gives the same address.  E_EXISTS: a host port is another
 * pod's; E_NO_SPACE: no address is free; E_NOT_FOUND: no such namespace; E_BUSY: a call for this uid runs. */
int pod_net_attach(struct pod_net *n, const struct pod_net_attach *a, char ret_ip[IPAM_TEXT], struct err *err) MUST_CHECK;
int pod_net_detach(struct pod_net *n, str uid, struct err *err) MUST_CHECK; /* fine when it is not attached */
bool pod_net_find(struct pod_net *n, str uid, char ret_ip[IPAM_TEXT]);

struct pod_net_pod {
    char uid[POD_NET_UID_MAX + 1];
    char ip[IPAM_TEXT];
};
/* On the heap, sorted by uid. */
void pod_net_list(struct pod_net *n, struct pod_net_pod **ret, size_t *ret_len);
/* Detaches every pod whose uid is not among the live ones, and removes links of ours that belong to no pod.  Goes on after an error and
 * reports the first. */
int pod_net_gc(struct pod_net *n, const str *live, size_t nlive, size_t *ret_removed, struct err *err) MUST_CHECK;

/* What the pod has of the network (shape.h); all zero for one that asked for nothing, which is told too: it competes.  Cheap when nothing is new.
 * E_NOT_FOUND: it is not attached; E_UNAVAILABLE: this kernel cannot; E_TOO_LARGE: beyond the limits of shape.h. */
int pod_net_shape(struct pod_net *n, str uid, const struct shape_share *share, struct err *err) MUST_CHECK;
/* Bits a second that all pods have together, 0: not known, then only limits bind.  Called again it also makes right what others did to the devices and
 * links since (shape_watch.h), and says so; cheap when there is nothing. */
int pod_net_capacity(struct pod_net *n, int64_t egress_bits, int64_t ingress_bits, bool *ret_mended, struct err *err) MUST_CHECK;
struct pod_net_counter {
    char uid[POD_NET_UID_MAX + 1]; /* "": the link with the node's address; "*": the bridge, what all pods together exchange with others than pods of this node */
    int device;                    /* another one whenever the counters began anew: number of the link, which no later one has, or less than 0; 0: there is no link */
    uint64_t out_bytes, in_bytes;  /* of the pod, not of the node's end; what its limit dropped is not among them */
};
/* On the heap; the first two are the node's own and the bridge's. */
int pod_net_counters(struct pod_net *n, struct pod_net_counter **ret, size_t *ret_len, struct err *err) MUST_CHECK;

/* Counts what passes between this node's pods and the nodes of each other domain.  A run of nft; nlinks 0: nothing is counted, and nothing of it is there.
 * A range within another counts for the wider one. */
struct pod_net_link {
    str name; /* of the domain: lower-case letters, digits, '-' */
    const struct ipam_cidr *nets;
    size_t nnets;
};
int pod_net_links(struct pod_net *n, const struct pod_net_link *links, size_t nlinks, struct err *err) MUST_CHECK;
/* On the heap: uid is the domain's name, device another number whenever counters began anew.  E_NOT_FOUND: another program removed what counts; pod_net_links makes it again. */
int pod_net_link_counters(struct pod_net *n, struct pod_net_counter **ret, size_t *ret_len, struct err *err) MUST_CHECK;

/* Makes bridge, tunnel and pods' links again that another program took away since, and says how many; peers are to be told again then.  Cheap when there are none.  Another call of it must not run. */
int pod_net_mend(struct pod_net *n, size_t *ret_mended, struct err *err) MUST_CHECK;

struct pod_net_peer {
    str name;     /* for messages */
    str node_ip;
    str pod_cidr;
};
/* All other nodes, as they are now; our own may be among them.  Only differences are changed.  A peer that cannot be read is left out
 * and reported after the others are done. */
int pod_net_peers(struct pod_net *n, const struct pod_net_peer *peers, size_t npeers, struct err *err) MUST_CHECK;

/* Removes everything that open, attach and peers made with these options, and the files; sysctls become what they were.  The network need not be
 * open, and must not be in use.  pod_cidr and node_ip are not needed. */
int pod_net_remove(const struct pod_net_opts *opts, struct err *err) MUST_CHECK;
