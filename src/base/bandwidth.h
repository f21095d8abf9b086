/* bandwidth.h - bandwidth as people write it, in bits a second.
 *
 *     "1000000"  1,000,000        "500Mi"     500 x 2^20 = 524,288,000        "1Gbps", "1 Gbit/s", "1G"   1,000,000,000
 *     "1.5Gbit"  1,500,000,000    "10Gi"       10 x 2^30 = 10,737,418,240     "1e9"                       1,000,000,000
 *
 * k, M, G, T are thousands; Ki, Mi, Gi, Ti are powers of two, as in every other quantity of Kubernetes: a text means the same to us and to
 * a network plugin that reads it as a quantity.  Behind a number bit, bits, bps, bit/s and b/s say nothing more, and with them the case of
 * the prefix does not count ("200mbps").  Bytes ("MBps", "MiB/s") are refused: a factor of eight is no matter for guessing.
 * Values are exact: a text that is no whole number of bits is refused, as are zero, negative ones and more than BANDWIDTH_MAX.
 * Threads: pure functions.  Ownership: nothing is kept. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

#define BANDWIDTH_MAX 1000000000000000ll /* 1 Pbit/s: sums over many stay within the scheduler's LIMIT_SCHED_AMOUNT */
#define BANDWIDTH_MBIT 1000000ll
#define BANDWIDTH_TEXT 32
/* What is lent (docs/bandwidth.md): resources of nodes and pods, and the annotation that turns all that a pod asks for into it. */
#define BANDWIDTH_LENT_EGRESS "cox.io/lent-egress-bandwidth"
#define BANDWIDTH_LENT_INGRESS "cox.io/lent-ingress-bandwidth"
#define BANDWIDTH_LEND_NOTE "cox.io/bandwidth-lend"
#define BANDWIDTH_LEND_ACCEPT "accept"
#define BANDWIDTH_LENDING "cox.io/bandwidth-lending" /* annotation of a Node that lends: "true" */

enum { BANDWIDTH_OUT, BANDWIDTH_IN, BANDWIDTH_ENDS }; /* egress, ingress */
extern const char *const bandwidth_resource[BANDWIDTH_ENDS]; /* "cox.io/egress-bandwidth", "cox.io/ingress-bandwidth": bit/s */
#define BANDWIDTH_KUSCIA "kuscia.io/bandwidth" /* Mbit/s, both ends */
#define BANDWIDTH_CAPACITY "cox.io/bandwidth-capacity" /* annotation of a Node: what it has, as bandwidth_parse_ends reads it */

/* E_INVALID_ARG with a sentence that begins with the text. */
int bandwidth_parse(str text, int64_t *ret_bits, struct err *err) MUST_CHECK;
/* "200Mbps" is for both ends; "egress=200Mbps,ingress=1G" or one of the two names them, and what is not named is 0. */
int bandwidth_parse_ends(str text, int64_t ret_bits[BANDWIDTH_ENDS], struct err *err) MUST_CHECK;
/* One of the three names of resources. */
bool bandwidth_is_resource(str name);
/* Annotations of pods: limits to destinations, ours and Kuscia's with a domain behind it, and those of the two ends as network plugins have them. */
#define BANDWIDTH_LIMITS "cox.io/bandwidth-limits"
#define BANDWIDTH_LIMIT_TO "kuscia.secretflow/bandwidth-limit-"
#define BANDWIDTH_EGRESS_LIMIT "kubernetes.io/egress-bandwidth"
#define BANDWIDTH_INGRESS_LIMIT "kubernetes.io/ingress-bandwidth"
/* Is the value one that the annotation may have?  Others hold whatever they are. */
int bandwidth_check_annotation(str key, str value, struct err *err) MUST_CHECK;
/* The next of "bob=20Mbps,10.9.0.0/16=1G" (annotation BANDWIDTH_LIMITS): who, and how much.  E_INVALID_ARG with a sentence; rest is what comes after. */
int bandwidth_next_limit(str *rest, str *ret_to, int64_t *ret_bits, struct err *err) MUST_CHECK;
bool bandwidth_is_lent(str name); /* one of the two that are lent */
/* For people: "950 bit/s", "200 Mbit/s", "10.74 Gbit/s": at most two decimals, the nearest. */
const char *bandwidth_print(int64_t bits, char ret[BANDWIDTH_TEXT]);
/* The same beside another amount; in bits when that one would read alike and is not: "33333334 bit/s" of which 33333332 are free. */
const char *bandwidth_print_beside(int64_t bits, int64_t other, char ret[BANDWIDTH_TEXT]);
/* Kilobytes a second of Kuscia's bandwidthLimits (1 is 1,024 bytes) in bits; 0 when it is none that can be: not positive, or too large. */
int64_t bandwidth_of_kbps(int64_t limit_kbps);
