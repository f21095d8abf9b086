/* links.h - bandwidth between two domains: what the ways from one to the other can carry, and how much of it is promised.
 *
 *   route alice-bob 100 Mbit/s          task 1: alice sends 60, bob receives 40     the link alice->bob: 100, taken 60, free 40
 * A domain is a namespace.  A link is what routes say, from a source to a destination: the way back is another one.  Of several routes between the same two the narrowest
 * counts; without a route that names a bandwidth the link has no end.
 * Who takes: groups whose members are of several namespaces (TaskResourceGroup).  As long as such a group has pods in place (assumed, bound, leaving) at both ends, it takes on
 * source->destination what its pods of the source are promised to send or those of the destination to receive, whichever is more: a promise at one end is worth something only
 * if it can cross.  Nominated pods take nothing: they are asked again before they are placed.
 * The amounts are kept with every move of a pod, in statements and through rollbacks (model.c), and only grow with a pod that is placed: a pod for which links_lack says no
 * fits on no node.
 * Threads: the engine's writer.  Ownership: links and what units take belong to struct sched.
 * Limits: LIMIT_SCHED_ROUTES routes. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/model.h"

struct link {
    sym_t ends[2];    /* source, destination: the key */
    int64_t capacity; /* bit/s; LINK_ENDLESS */
    int64_t taken;
    struct route *routes;
};
#define LINK_ENDLESS (-1)
struct link_end { /* what a group has in place in one namespace */
    sym_t ns;
    uint32_t pods;
    int64_t egress, ingress;
};
struct link_lack {
    str source, destination;
    int64_t capacity, taken, kept, asked; /* kept: for tasks that go before (keep.h); asked: what the pod would take besides */
};
/* Links on which something became free, or that became wider, number i of links_freed_count(); of the last LINKS_JOURNAL it is known which. */
#define LINKS_JOURNAL 256u

struct links *links_new(void);
void links_free(struct links *x);
/* A pod of a group of several namespaces comes to its place (+1) or leaves it (-1); the model's. */
void links_pod(struct sched *s, pod_id p, int sign);
/* Does a link lack what would be taken if the pod were placed anywhere?  ret (may be NULL): which, of several the one that lacks most. */
bool links_lack(const struct sched *s, pod_id p, struct link_lack *ret);
/* Does a link lack what the whole of the group takes, with all the members it has?  Then it cannot be placed if it needs them all.  ret: the ends of the one that lacks most. */
bool links_lack_whole(const struct sched *s, unit_id u, sym_t ret[2]);
uint64_t links_freed_count(const struct sched *s);
void links_freed_at(const struct sched *s, uint64_t i, sym_t ret[2]);
void links_freed(struct sched *s, sym_t source, sym_t destination); /* notes it, with the event EVENT_LINK */
const struct link *links_find(const struct sched *s, sym_t source, sym_t destination); /* NULL: it has no end, and nobody takes of it */
/* What a group takes on the link from a to b. */
static inline int64_t links_takes(const struct link_end *a, const struct link_end *b)
{
    return a->pods && b->pods ? MAX(a->egress, b->ingress) : 0;
}
/* Adds to the end of that namespace. */
void links_end_add(struct link_ends *x, const struct link_end *e);
/* "link alice->bob lacks bandwidth (needs 60 Mbit/s; 40 of 100 free)" */
str link_lack_text(struct arena *a, const struct link_lack *l);
static inline bool unit_crosses(const struct unit *u)
{
    return u->is_group && u->ns == 0;
}
/* Links that have a route with a bandwidth, by source and destination. */
struct link_list {
    VEC(const struct link *) list;
};
void links_list(const struct sched *s, struct link_list *ret);
int links_check(const struct sched *s, struct err *err) MUST_CHECK;
