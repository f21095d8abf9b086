/* node_bandwidth.h - how much of the network a node has for its pods: from what a person said, from the network card, or assumed.
 *
 *   --node-capacity bandwidth=10Gi | egress=... | ingress=...      as people write it (base/bandwidth.h)
 *                   kuscia.io/bandwidth=1000                       Mbit/s, as Kuscia has it
 *                   cox.io/egress-bandwidth=1G                     bit/s, as the node's status shows it
 *   annotation cox.io/bandwidth-capacity of the Node: "10Gi", "egress=1G,ingress=10G"; wins over all others
 *   /sys/class/net/DEVICE/speed                                    of the device with the default route
 *   neither: NODE_BANDWIDTH_ASSUMED
 *
 * A direction that is named wins over a number for both.  --node-reserved has the same names; without it NODE_BANDWIDTH_RESERVED, at most a
 * tenth, is kept for the system.  Pure functions.  Ownership: nothing is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/bandwidth.h"

#define NODE_BANDWIDTH_ASSUMED (1000 * BANDWIDTH_MBIT) /* where no driver says anything that can be: what Kuscia assumes */
#define NODE_BANDWIDTH_RESERVED (10 * BANDWIDTH_MBIT)
#define NODE_SPEED_MAX_MBIT 1600000 /* the fastest there is; more is a driver's way to say that it does not know */

extern const char *const bandwidth_lent_resource[BANDWIDTH_ENDS]; /* as bandwidth_resource */

enum node_bandwidth_source { NODE_BANDWIDTH_CONFIGURED, NODE_BANDWIDTH_CARD, NODE_BANDWIDTH_FALLBACK };
struct node_bandwidth {
    int64_t total[BANDWIDTH_ENDS], reserved[BANDWIDTH_ENDS]; /* bit/s */
    enum node_bandwidth_source source[BANDWIDTH_ENDS];
};
/* capacity, reserved: "NAME=AMOUNT", NULL at the end, or NULL; other names are passed over. */
int node_bandwidth(const char *const *capacity, const char *const *reserved, int64_t card_mbit, struct node_bandwidth *ret, struct err *err) MUST_CHECK;
/* The same for a Node with that annotation, "": none. */
int node_bandwidth_noted(const char *const *capacity, const char *const *reserved, int64_t card_mbit, str note, struct node_bandwidth *ret, struct err *err) MUST_CHECK;
/* Bytes that a counter went on by; false: it began anew, and nobody knows.  A counter of 32 bits that wrapped is told from one that began anew by
 * `most`, what can have passed at all. */
bool node_counter_delta(uint64_t before, uint64_t now, uint64_t most, uint64_t *ret);
bool node_bandwidth_is_name(str name); /* of a capacity that node_bandwidth reads */
