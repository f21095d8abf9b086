/* reach.h - sets of nodes that volumes can be used from: compiled once, shared, kept current by node events.
 *
 * Three forms.  A hostname or zone `In [one value]`, which is what nearly every volume has, is a (topology, value) pair and costs nothing to keep:
 * a node is in the set when its domain has that value.  Other terms and zone labels are bitmaps; equal ones are one set, so that a hundred
 * thousand volumes of three zones are three bitmaps, and a node event evaluates each of them once for that node.
 * Threads: get and unref, node and grown: the engine's writer.  The rest only reads.
 * Ownership: counted; reach_get gives a reference, reach_unref takes it back.
 * Limits: REACH_TOPOLOGIES topology columns are made for volumes' keys, others become bitmaps. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

#define REACH_TOPOLOGIES 32u

struct reach;
struct reaches {
    struct map by_key;
    VEC(struct reach *) bitmaps; /* those that have one */
    struct strbuf key;           /* scratch */
};

/* A volume's zone or region label; node labels of `key`, or else of `other`, must be one of the values. */
struct zone_rule {
    sym_t key, other;
    const sym_t *values;
    uint32_t nvalues;
};

void reaches_fini(struct reaches *r);
/* Nodes that match one of the terms (none: no node). */
struct reach *reach_get(struct sched *s, struct reaches *r, const struct spec_node_term *terms, size_t n);
/* Nodes that obey all rules, or have none of the zone and region labels; n > 0. */
struct reach *reach_get_zones(struct sched *s, struct reaches *r, const struct zone_rule *rules, uint32_t n);
void reach_unref(struct reaches *r, struct reach *x); /* NULL is fine */
/* The node was shown (sign +1) or is being hidden (-1). */
void reaches_node(struct sched *s, struct reaches *r, node_id n, int sign);
void reaches_grown(struct sched *s, struct reaches *r, uint32_t old_words);

bool reach_has(const struct sched *s, const struct reach *x, node_id n); /* x NULL: every node */
void reach_and(const struct sched *s, const struct reach *x, uint64_t *nodes);
void reach_or(const struct sched *s, const struct reach *x, uint64_t *nodes);
/* Many sets at once: those of one topology are gathered as domains and put onto the nodes in one pass at the end.
 *     struct reach_union u = {0};  reach_union_add(s, &u, x, nodes) ...  reach_union_end(s, &u, nodes); */
struct reach_union {
    uint64_t *domains_; /* bitmap, NULL: none yet */
    uint32_t topo_;
};
void reach_union_add(const struct sched *s, struct reach_union *u, const struct reach *x, uint64_t *nodes);
void reach_union_end(const struct sched *s, struct reach_union *u, uint64_t *nodes);
/* Says what is wrong when a kept set differs from one made now. */
int reaches_check(const struct sched *s, const struct reaches *r, struct err *err) MUST_CHECK;

/* 64 bytes of 0 or 1 as bits, the first the lowest: loops that compilers turn into vectors make bytes. */
static inline uint64_t bytes_to_bits(const uint8_t bytes[64])
{
    uint64_t bits = 0, eight;
    for (uint32_t i = 0; i < 8; i++) {
        memcpy(&eight, bytes + i * 8, 8);
        bits |= (eight * 0x0102040810204080ull >> 56) << (i * 8);
    }
    return bits;
}

/* The four labels of zones and regions, as symbols. */
#define ZONE_KEYS 4
extern const str zone_keys[ZONE_KEYS]; /* beta zone, beta region, zone, region */
