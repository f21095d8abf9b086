/* conntrack.h - makes the kernel forget UDP flows that a change of host ports has made wrong.
 *
 * Address translation is decided by a flow's first packet.  TCP connections end and are opened anew; a UDP client that goes on sending keeps its
 * flow alive, and so would never reach a pod whose host port has just appeared, or go on sending to an address that is another pod's by now.
 * Threads: any.  Ownership: none.
 * Limits: at most CONNTRACK_MAX flows a call; the rest ends by its own time-out.  A kernel without conntrack netlink: nothing is done. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

#define CONNTRACK_MAX 65536u

struct conntrack_flow {
    uint8_t protocol;
    uint32_t orig_dst, reply_src; /* IPv4, host byte order */
    uint16_t orig_dport;
};
/* Of one conntrack message (payload behind nlmsghdr); false: not IPv4 or cut.  Safe on any bytes. */
bool conntrack_read(const void *payload, size_t len, struct conntrack_flow *ret);

/* Forgets UDP flows for which wrong() is true; gives how many, or -errno. */
int conntrack_forget(bool (*wrong)(const void *arg, const struct conntrack_flow *f), const void *arg);
