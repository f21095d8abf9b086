/* ipam.h - which addresses of a node's pod CIDR are in use: pure bookkeeping, no file, no clock.
 *
 * Of 10.42.3.0/24: .0 names the network (and the tunnel's end), .1 is the bridge, .2 to .254 are pods', .255 is broadcast.
 * An address that was given back rests for the reuse delay, so that a late packet or a client's cache does not meet a stranger; when only
 * resting ones are left, the one that rested longest is taken rather than a pod refused.
 * Threads: one at a time.  Ownership: ipam_fini frees the table.
 * Limits: CIDRs from /16 to /30; 8 bytes an address; taking one is O(addresses) at worst. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"

#define IPAM_TEXT 16 /* "255.255.255.255" and the NUL */

/* "10.42.3.0/24"; host bits are refused.  IPv4 only. */
struct ipam_cidr {
    uint32_t base; /* host byte order */
    uint8_t prefix;
};
bool ipam_cidr_parse(str text, struct ipam_cidr *ret);
bool ipam_ip_parse(str text, uint32_t *ret);
void ipam_ip_text(uint32_t ip, char ret[IPAM_TEXT]);
static inline uint32_t ipam_mask(uint8_t prefix)
{
    return prefix ? (uint32_t)(~0ull << (32 - prefix)) : 0;
}
static inline bool ipam_cidr_has(struct ipam_cidr c, uint32_t ip)
{
    return ((ip ^ c.base) & ipam_mask(c.prefix)) == 0;
}

struct ipam {
    struct ipam_cidr cidr;
    nsec_t reuse_delay_ns;
    uint32_t used;
    uint32_t last_;  /* offset handed out last: the search goes on behind it */
    nsec_t *state_;  /* by offset: IPAM_USED_, 0 never used, else when it was given back */
};
/* E_INVALID_ARG when the CIDR's size is not served. */
int ipam_init(struct ipam *m, struct ipam_cidr cidr, nsec_t reuse_delay_ns, struct err *err) MUST_CHECK;
void ipam_fini(struct ipam *m);
uint32_t ipam_gateway(const struct ipam *m);
uint32_t ipam_capacity(const struct ipam *m); /* addresses for pods */
/* E_NO_SPACE when every address is in use. */
int ipam_take(struct ipam *m, nsec_t now, uint32_t *ret_ip, struct err *err) MUST_CHECK;
/* A pod is known to have it: false when it is in use already or no pod address of this CIDR (which is no error: the CIDR has changed). */
bool ipam_claim(struct ipam *m, uint32_t ip);
/* Gives back; addresses that are not in use are left alone. */
void ipam_release(struct ipam *m, uint32_t ip, nsec_t now);
/* An address that was given back at that time, before a restart. */
void ipam_rest(struct ipam *m, uint32_t ip, nsec_t since);
bool ipam_is_used(const struct ipam *m, uint32_t ip);
