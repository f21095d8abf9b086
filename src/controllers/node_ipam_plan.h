/* node_ipam_plan.h - parts of an address range, one a node: which are taken, which comes next.
 *
 *   10.42.0.0/16 in parts of /24:  part 0 is 10.42.0.0/24, part 1 10.42.1.0/24, ... 256 in all
 * A part that was given back is not given out again before all others have been: what still remembers its addresses has time to forget them.
 * Threads: one at a time.  Ownership: the bitmap.  Limits: IPv4, at most IPAM_PARTS parts. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/err.h"

#define IPAM_PARTS (1u << 20)

struct node_cidrs {
    uint32_t base;
    unsigned bits; /* of a part */
    uint32_t parts, used, next;
    uint64_t *taken;
};

/* cidr "10.42.0.0/16", bits 24. */
int node_cidrs_init(struct node_cidrs *m, str cidr, int bits, struct err *err) MUST_CHECK;
void node_cidrs_fini(struct node_cidrs *m);
/* The number of a part that is in the range; false for other ranges. */
bool node_cidrs_find(const struct node_cidrs *m, str cidr, uint32_t *ret_part);
bool node_cidrs_take(struct node_cidrs *m, uint32_t part); /* false: it is taken */
bool node_cidrs_next(struct node_cidrs *m, uint32_t *ret_part); /* takes a free one; false: there is none */
void node_cidrs_give_back(struct node_cidrs *m, uint32_t part);
void node_cidrs_text(const struct node_cidrs *m, uint32_t part, char out[20]); /* "10.42.1.0/24" */
