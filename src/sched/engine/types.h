/* types.h - the small types that all of the engine shares. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/base.h"

/* Ids are slots of columns: stable while the thing lives, used again after.  0 is nobody for all but nodes. */
typedef uint32_t sym_t; /* an interned string (symbols.h), 0: "" */
typedef uint32_t node_id;
typedef uint32_t pod_id;
typedef uint32_t class_id;
typedef uint32_t unit_id;
#define NODE_NONE UINT32_MAX
#define POD_NONE 0u
#define CLASS_NONE 0u
#define UNIT_NONE 0u

/* What happened, as a mask: plugins name those that may help a pod they rejected (plugin.h), the dispatcher wakes by them. */
enum sched_event {
    EVENT_NODE_ADD = 1 << 0,
    EVENT_NODE_ALLOCATABLE = 1 << 1, /* grew */
    EVENT_NODE_LABEL = 1 << 2,
    EVENT_NODE_TAINT = 1 << 3,      /* also unschedulable */
    EVENT_NODE_IMAGES = 1 << 4,
    EVENT_NODE_DELETE = 1 << 5,     /* may raise a spread's minimum, lower a domain count */
    EVENT_POD_FREED = 1 << 6,       /* a pod left a node, or is terminating */
    EVENT_POD_ASSIGNED = 1 << 7,    /* a pod came onto a node: affinity may now hold */
    EVENT_POD_LABEL = 1 << 8,
    EVENT_POD_UPDATED = 1 << 9,     /* the waiting pod's own spec changed: gates removed, resources shrunk */
    EVENT_GROUP = 1 << 10,          /* group added, changed or got a member */
    EVENT_VOLUME = 1 << 11,         /* PV, PVC, StorageClass, CSINode */
    EVENT_NAMESPACE = 1 << 12,
    EVENT_PDB = 1 << 13,
    EVENT_PRIORITY = 1 << 14,
    EVENT_TIME = 1 << 15,           /* only the clock can help */
    EVENT_POLICY = 1 << 16,         /* queues, quotas: the batch policy's */
    EVENT_LINK = 1 << 17,           /* a link between domains can carry more */
    EVENT_ALL = (1 << 18) - 1
};

/* An amount from outside as the engine counts it: from 0 to `most`, which is LIMIT_SCHED_AMOUNT for requests and one less for what nodes have. */
static inline int64_t amount_within(int64_t amount, int64_t most)
{
    return MIN(MAX(amount, (int64_t)0), most);
}

/* Bitmaps over nodes: words of 64, as many as view->words. */
static inline bool bit_get(const uint64_t *b, uint32_t i)
{
    return b[i >> 6] >> (i & 63) & 1;
}
static inline void bit_set(uint64_t *b, uint32_t i)
{
    b[i >> 6] |= 1ull << (i & 63);
}
static inline void bit_clear(uint64_t *b, uint32_t i)
{
    b[i >> 6] &= ~(1ull << (i & 63));
}
static inline void bit_put(uint64_t *b, uint32_t i, bool on)
{
    if (on)
        bit_set(b, i);
    else
        bit_clear(b, i);
}
static inline uint32_t bits_count(const uint64_t *b, uint32_t words)
{
    uint32_t n = 0;
    for (uint32_t w = 0; w < words; w++)
        n += (uint32_t)__builtin_popcountll(b[w]);
    return n;
}
/* bits_foreach(i, bitmap, words) { use(i); } */
#define bits_foreach(i, b, words)                                                                                              \
    for (uint32_t i##_w_ = 0; i##_w_ < (words); i##_w_++)                                                                      \
        for (uint64_t i##_bits_ = (b)[i##_w_]; i##_bits_; i##_bits_ &= i##_bits_ - 1)                                          \
            for (uint32_t i##_once_ = 1, i = i##_w_ * 64 + (uint32_t)__builtin_ctzll(i##_bits_); i##_once_; i##_once_ = 0)
