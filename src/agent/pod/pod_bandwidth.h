/* pod_bandwidth.h - what a pod wants of the network, from its object.
 *
 *   request   resources.requests (or limits) of its containers, as the scheduler counts them: kuscia.io/bandwidth in Mbit/s for both ends,
 *             cox.io/egress-bandwidth and cox.io/ingress-bandwidth in bit/s for one, which wins over the number for both
 *   limit     annotations kubernetes.io/egress-bandwidth and ingress-bandwidth, as network plugins read them; else resources.limits
 *             (Kubernetes wants limits of such resources to equal requests, so the annotation is the way to a higher limit)
 *   lent      cox.io/lent-egress-bandwidth and lent-ingress-bandwidth in the same places, and with the annotation cox.io/bandwidth-lend: accept all of the request:
 *             it is counted and promised to nobody; it belongs to the limit
 *   to        annotations kuscia.secretflow/bandwidth-limit-DOMAIN: "100" (KiB/s), and cox.io/bandwidth-limits: "bob=20Mbps,10.9.0.0/16=1G"
 *
 * Pure.  Threads: any.  Ownership: texts are the object's or the arena's.
 * Limits: POD_BANDWIDTH_DESTS destinations; more are an error. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/node/node_bandwidth.h"
#include "base/limits.h"
#include "wire/json.h"

#define POD_BANDWIDTH_DESTS LIMIT_BANDWIDTH_DESTS

struct pod_bandwidth_dest {
    str to;        /* a domain, an address or a range */
    int64_t limit; /* bit/s, each direction */
};
struct pod_bandwidth {
    int64_t request[BANDWIDTH_ENDS], lent[BANDWIDTH_ENDS], limit[BANDWIDTH_ENDS]; /* bit/s; 0: none */
    struct pod_bandwidth_dest dests[POD_BANDWIDTH_DESTS];
    size_t ndests;
};
/* E_INVALID_ARG with a sentence that names the annotation. */
int pod_bandwidth_read(const struct json *pod, struct pod_bandwidth *ret, struct err *err) MUST_CHECK;
