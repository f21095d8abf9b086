/* storage_types.h - the inside of storage.h, shared by its files: storage.c (objects), storage_use.c (pods, attachments, limits), storage_match.c
 * (which volume an unbound claim takes).
 *
 *   storage_class ◄── claim ──► volume          a claim and a volume exist as soon as something names them; `known` says that the
 *        │ free volumes            │             object itself was seen
 *        └──► [small .. large]     └──► reach    volumes that a new claim may take stand in their class's list, by size and name
 *   claim, inline disk ──► attach ──► driver     an attachment is one volume as a driver knows it; drivers exist when some node limits them */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/reach.h"
#include "sched/engine/storage.h"

/* How often on which node; sorted by node. */
struct uses_entry {
    node_id node;
    uint32_t n;
};
struct uses {
    VEC(struct uses_entry) v;
};
uint32_t uses_get(const struct uses *t, node_id n);
uint32_t uses_add(struct uses *t, node_id n, int by); /* the new count */

struct limited_driver {
    sym_t name;
    int32_t *count; /* attachments of each node */
    int32_t *limit; /* 1 + what the node says, 0: no limit */
};
enum attach_kind { ATTACH_VOLUME, ATTACH_CLAIM /* not made yet */, ATTACH_DISK };
struct attach_key {
    sym_t driver;
    uint32_t kind; /* enum attach_kind */
    sym_t a, b;
};
struct attach {
    struct attach_key key;
    struct limited_driver *limited; /* NULL: no node limits this driver */
    struct uses on;                /* by pod and mention */
    uint32_t claims;                /* that are this attachment */
};

struct volume {
    sym_t name;
    bool known;
    struct storage_class *class_;
    int64_t bytes;
    struct claim *reserved_for; /* its claimRef */
    struct claim *taken_by;     /* chosen for this claim's pods, not bound yet */
    VEC(struct claim *) named_by; /* claims that say they are bound to it */
    bool is_listed;             /* in class_->free */
    sym_t driver, handle;
    uint8_t access_modes;
    bool block, deleting, unavailable, has_affinity;
    struct reach *affinity, *zones; /* NULL: every node */
    struct labelset labels;
    struct arena arena;
};
struct claim_key {
    sym_t ns, name;
};
struct claim {
    struct claim_key key;
    bool known, deleting, lost, prebound, block, has_selector;
    uint8_t access_modes;
    struct storage_class *class_; /* NULL: none */
    struct volume *volume;        /* that it names */
    sym_t selected_node;
    int64_t bytes;
    struct sel selector;
    VEC(struct volume *) reserved; /* volumes whose claimRef is this claim */
    struct attach *attach;
    struct uses on; /* pods on nodes, any state */
    uint32_t users;  /* their sum */
    /* For those pods, while it is unbound: the volume they will get, or the node one is made on. */
    struct volume *chosen;
    sym_t made_on;
    pod_id promised_to;    /* the pod whose coming made the choice; ... */
    uint32_t users_before; /* ... it ends when that one leaves and no more than these are left, or nobody */
    struct arena arena; /* the selector */
};
struct storage_class {
    sym_t name;
    bool known, wait, provisions;
    sym_t driver;
    struct reach *topologies; /* NULL: every node */
    VEC(struct volume *) free;
};
struct disk {
    sym_t id;
    bool shareable; /* by readers: all but EBS */
    struct uses all, writers;
};
/* What a claim's pods had been promised when one of them left within a statement: undoing that departure must find the same.  The departure's place in
 * the statement's log is the key.  Memos are void with the next change outside of a statement. */
struct memo_key {
    uint32_t place;
    struct claim_key claim;
};
struct memo {
    struct memo_key key;
    sym_t volume, made_on;
    pod_id promised_to;
    uint32_t users_before;
};

struct storage {
    struct sched *s;
    uint32_t words;
    struct reaches reaches;
    struct map volumes, claims, classes, attaches, disks, limits /* node name -> struct node_limits */, memos;
    VEC(struct limited_driver *) drivers;
};
struct node_limits {
    sym_t node;
    uint32_t n;
    struct { sym_t driver; int32_t count; } p[];
};

/* Keys of the maps are the bytes of small structs and symbols that live in what they lead to. */
#define KEY_BYTES(k) str_n((const char *)&(k), sizeof(k))

static inline struct claim *storage_claim_find(const struct storage *st, sym_t ns, sym_t name)
{
    struct claim_key k = {ns, name};
    return map_get(&st->claims, KEY_BYTES(k));
}
struct claim *storage_claim_get(struct storage *st, sym_t ns, sym_t name); /* made when missing */
void storage_claim_drop(struct storage *st, struct claim *c);              /* frees it when nothing names it */
/* Puts the volume into its class's free list or takes it out, as its state says. */
void storage_volume_list(struct storage *st, struct volume *v);
/* Makes claim.attach what the claim is attached as now, and moves the counts of its pods there. */
void storage_claim_resolve(struct storage *st, struct claim *c);
/* The volume or node that the claim's pods were promised is given back. */
void storage_choice_drop(struct storage *st, struct claim *c);
/* Chooses for the unbound claims of a pod that was just put on n. */
void storage_choose(struct storage *st, pod_id p, const struct pod_class *class_, node_id n);
void storage_memos_drop(struct storage *st);
void storage_use_free(struct storage *st); /* attachments, drivers, disks, limits, memos */

/* Does the claim wait for its first consumer? */
static inline bool claim_waits(const struct claim *c)
{
    return c->known && !c->volume && c->class_ && c->class_->known && c->class_->wait;
}
static inline bool claim_is_bound(const struct claim *c)
{
    return c->volume && !c->prebound;
}
