/* shape.h - how much of a node's network each pod gets: limits, and shares that hold when all want to send.
 *
 *     pod ──veth──► clsact ──mirred──► IFB-out ─ htb 1:1 (what the node has) ─┬─ pod 7: rate = request, ceil = limit ─┬─ everything else
 *                   ▲                                                         ├─ pod 8 ...                            ├─ to 10.42.9.0/24: ceil
 *     pod ◄──veth── clsact ◄─mirred─── IFB-in ── htb, the same               └─ 1:2 pods that asked for nothing       └─ ...
 *
 * One device for each direction (ifb), because a share is a share of something that all pods have together: a discipline on each pod's own
 * link could only limit.  Packets find their class by the pod's address, through one u32 table of 256 buckets.  What nobody uses is lent to
 * those who want more, in equal parts, up to their limit.  IPv6, which a link has of its own accord, is
 * found by the MAC.  What a pod sends under an address or MAC that is not its own is dropped: it would pass by the pod's limit, or count as another's.
 * So are frames with a VLAN's tag, in both directions.
 * No eBPF, no tc program.
 *
 * What is counted are frames as the kernel hands them over: headers of Ethernet, IP and TCP are in it (TCP's own figure is some 4 % smaller).
 * Traffic between pods of one node: counts for a pod with a limit, passes by otherwise (it never reaches the wire).  What such a pod exchanges with the node's own address among the pods
 * is held to the limit beside all that: whoever asks whether the pod is alive does not wait in the queue of what it sends, nor for its turn on the wire.
 * Under that address comes, too, what a pod gets through a host port from this machine's pods: filters see packets, not where they came from before they were translated.
 * Everything follows from the pod's address, so that a call can be cut off and made again, and a new process finds what the old one made.
 * Threads: as the socket.  Ownership: nothing is kept.
 * Limits: the first SHAPE_PODS addresses of a node's range; SHAPE_DESTS destinations with SHAPE_NETS ranges together for each pod. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "net/ipam.h"
#include "net/nl.h"

#define SHAPE_PODS 4096u
#define SHAPE_DESTS 14u
#define SHAPE_NETS 250u

enum shape_direction { SHAPE_OUT, SHAPE_IN, SHAPE_DIRECTIONS, SHAPE_SINK = SHAPE_DIRECTIONS, SHAPE_DEVICES }; /* as the pod sees it; the sink is a device and no direction */

struct shape_tree {
    int index[SHAPE_DIRECTIONS];     /* of the ifb devices */
    int sink;                        /* of the one that drops what it is given */
    int64_t total[SHAPE_DIRECTIONS]; /* bit/s that the pods have together */
    struct ipam_cidr pods;
    uint32_t node;                   /* the node's own address among them */
};
struct shape_dest {
    int64_t limit; /* bit/s, each direction */
    const struct ipam_cidr *nets;
    size_t nnets;
};
struct shape_share {
    int64_t request[SHAPE_DIRECTIONS], limit[SHAPE_DIRECTIONS]; /* bit/s; 0: none */
    const struct shape_dest *dests; /* of ranges that overlap the narrower counts, of the same range the lower limit */
    size_t ndests;
};

static inline bool shape_is_limited(const struct shape_share *s)
{
    return s->limit[SHAPE_OUT] || s->limit[SHAPE_IN] || s->ndests;
}

/* Device names of a bridge: "cox0-out", "cox0-in", "cox0-no"; of a name longer than ten bytes four of them and a checksum, so that another bridge has others. */
void shape_device_name(const char *bridge, enum shape_direction d, char ret[IFNAMSIZ]);
/* Makes the devices, or finds them; -EOPNOTSUPP: this kernel has no ifb, htb or u32.  ret_new: they were made just now, links that were led to older ones lead nowhere. */
int shape_open(struct nl_sock *s, const char *bridge, const char *alias, struct shape_tree *t, bool *ret_new) MUST_CHECK;
int shape_remove(struct nl_sock *s, const char *bridge) MUST_CHECK;
/* t->total is in force from here on. */
int shape_total(struct nl_sock *s, const struct shape_tree *t) MUST_CHECK;
/* The pod's classes; rates change in place, and what waits stays.  -E2BIG: beyond the limits.  ret_anew is set, also by a call that fails, when shape_passed begins anew or has lost a part. */
int shape_put(struct nl_sock *s, const struct shape_tree *t, uint32_t ip, const struct shape_share *share, bool *ret_anew) MUST_CHECK;
int shape_del(struct nl_sock *s, const struct shape_tree *t, uint32_t ip) MUST_CHECK;
/* Removes classes of pods that are none of these. */
int shape_keep(struct nl_sock *s, const struct shape_tree *t, const uint32_t *ips, size_t n) MUST_CHECK;
/* Bytes that each pod with a limit has sent since its classes were made: without what was dropped, which its link counts, too. */
int shape_passed(struct nl_sock *s, const struct shape_tree *t, const uint32_t *ips, size_t n, uint64_t *ret) MUST_CHECK;
/* Leads the link (the node's end) of the pod with this address through the devices, or no longer.  all: traffic with pods of this node too. */
int shape_lead(struct nl_sock *s, const struct shape_tree *t, int link, uint32_t ip, bool all) MUST_CHECK;
int shape_release(struct nl_sock *s, int link) MUST_CHECK;
