/* keep.h - room that is kept for tasks of several domains that have waited too long.
 *
 *   node a1 [s s s s s s s s . .]   task large wants a1 and b1 as a whole.  Small tasks end and others come: without this it waits for ever
 *   node b1 [s s s s s s . . . .]   keep_make: its pods are NOMINATED there, over those that still run: what ends is not filled again, and it starts when the last has gone
 * The same on links between domains: what it will take there counts as taken for others (keep_link_bits).  It is what backfill.c does for work in queues, without knowing when anything ends.
 * Who is held up: whoever is of the same or lower priority; higher ones go first, as everywhere (place.h).  The task itself may start wherever there is room.
 * They stand in order: who was there first counts on nobody who came after, and room is kept only where all of them have room together.  So no two of them hold each other up.
 * Who, when and how many is the dispatcher's (dispatcher/protect.c).  keep_look says when room is kept in vain.
 * Limits: tasks that need more than 128 pods, and groups with topologies or a selector of nodes, have nothing kept.  A plan looks at each node once for each pod.
 * Threads: the engine's writer.  Ownership: struct sched's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "sched/engine/engine.h"
#include "sched/engine/links.h"

struct keep {
    unit_id unit;
    nsec_t since_ns;            /* it has waited since then */
    nsec_t every_ns, looked_ns; /* nothing left its nodes and links for so long: it is hopeless there */
    double lacks;               /* how much was lacking when it was looked at last */
    VEC(struct placement) at;
    VEC(node_id) tried; /* nodes where it waited in vain */
    struct link_ends ends; /* what it will have in place in each domain */
};
struct keeps {
    VEC(struct keep) list; /* in order */
};

/* Keeps room for the unit, which has none kept: false: there is no room that could become free for it. */
bool keep_make(struct sched *s, unit_id u, nsec_t since, nsec_t every, nsec_t now);
void keep_drop(struct sched *s, unit_id u);   /* gives it back; fine when there is none */
void keep_forget(struct sched *s, unit_id u); /* the same, and its nominations stay as they are: they are somebody else's now */
const struct keep *keep_of(const struct sched *s, unit_id u); /* NULL: none */
enum keep_state {
    KEEP_GOOD,
    KEEP_LOST,    /* a node went, a pod of higher priority took it, or its pods are others now */
    KEEP_HOPELESS /* nothing leaves where it waits, and there is nowhere else */
};
/* After a while in which nothing left, the room is kept elsewhere.  *ret_next: when to look again. */
enum keep_state keep_look(struct sched *s, unit_id u, nsec_t now, nsec_t *ret_next);
/* Has all that must leave for these pods of the class left one of these nodes (NULL: any)?  Then a task that room is kept for may fit. */
bool keep_has_room(const struct sched *s, class_id c, const node_id *nodes, size_t n);
/* What is kept on the link for others, as the unit has to count it. */
int64_t keep_link_bits(const struct sched *s, unit_id asking, sym_t source, sym_t destination);
/* The first whose room on nodes would do for the pod; NULL: nobody's. */
const struct keep *keep_before(struct sched *s, pod_id p);
/* The first that keeps something of the link. */
const struct keep *keep_on_link(const struct sched *s, unit_id asking, sym_t source, sym_t destination);
struct keeps *keeps_new(void);
void keeps_free(struct keeps *x);
