/* dispatcher_state.h - what the dispatcher's files share: one slot a unit, lots of parked units, kin.
 *
 * A unit is in one place.  In a line it has an entry with its slot's stamp; in a lot or among followers it is linked through its slot. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/map.h"
#include "sched/dispatcher/dispatcher.h"
#include "sched/dispatcher/line.h"

struct slot {
    uint64_t key[2]; /* in the ready line */
    uint64_t seq;    /* arrival */
    nsec_t since;    /* see struct dispatch_order */
    nsec_t ready_ns; /* when it became ready */
    nsec_t until;    /* end of its back-off */
    uint32_t stamp, attempts;
    unit_id next, prev; /* in its lot or among followers */
    uint32_t lot;   /* linked: the link that it waits for */
    class_id waits; /* parked until this class fits somewhere (blocked.c); 0: in a lot, or kin */
    class_id kin;  /* it leads or follows the kin of this class; 0: neither */
    uint8_t place; /* enum dispatch_place */
    bool changed;  /* told of while in flight */
    bool follows;
    bool linked; /* parked until a link has room (linked.c) */
};
struct lot {
    uint32_t mask, n;
    unit_id first;
};
struct kin { /* see kin.c */
    unit_id leader;      /* UNIT_NONE: there are no kin */
    unit_id first, last; /* followers, by arrival */
    uint32_t n;
    uint32_t burst;     /* how many are woken when the leader finds a place */
    nsec_t rejected_ns; /* when the leader last was, and all would have been */
};
struct blocked { /* see blocked.c */
    unit_id first;
    uint32_t n, mask; /* n 0: nobody waits for the class, nothing is known of it */
    uint64_t hash;    /* of the class, whose number may be another one's later */
    bool nowhere;     /* no node takes it */
};
struct linked { /* see linked.c */
    sym_t ends[2];
    unit_id first;
    uint32_t n; /* 0: free */
};
enum elder_place { ELDER_NOT, ELDER_PATIENT, ELDER_DUE, ELDER_KEPT };
struct elder { /* of a task that was rejected: protect.c */
    nsec_t since;
    uint32_t stamp;
    uint8_t place; /* enum elder_place */
    uint8_t fails;
};
struct dispatcher {
    bool leaves_batch; /* units with a queue are not ours */
    struct sched *s;
    struct dispatcher_opts opts;
    struct slot *slots; /* by unit id */
    uint32_t nslots;
    struct line ready, starving, backoff, flush;
    VEC(struct lot) lots;
    uint32_t lots_mask; /* of all lots that hold units */
    uint32_t count[DISPATCH_HELD + 1];
    uint64_t next_seq;
    struct kin *kin; /* by class */
    uint32_t nkin;
    struct blocked *blocked; /* by class */
    uint32_t nblocked;
    VEC(class_id) missing;   /* classes that somebody waits for */
    uint64_t looked_seq;     /* the engine's view.seq up to which nodes were looked at for them */
    VEC(struct linked) linked;
    VEC(uint32_t) free_linked;
    struct map linked_by_ends; /* the bytes of linked.ends -> its index + 1 */
    uint64_t looked_links;     /* the engine's links_freed_count up to which links were looked at for them */
    struct elder *elders;      /* by unit */
    uint32_t nelders, elders_at[ELDER_KEPT + 1];
    struct line patient, due; /* by the time when they may be protected; by age */
    VEC(unit_id) protected;
    nsec_t youngest_ns; /* creation of the youngest unit that found a place */
    nsec_t now; /* as last told: for what happens without a time */
};

/* dispatcher.c's */
void dispatcher_lot_add(struct dispatcher *d, unit_id u, uint32_t mask);
void dispatcher_lot_remove(struct dispatcher *d, unit_id u);
/* Something may have helped a parked unit: ready, or backing off. */
void dispatcher_wake(struct dispatcher *d, unit_id u, nsec_t now);

/* blocked.c's */
void blocked_add(struct dispatcher *d, unit_id u, class_id c, uint32_t mask);
void blocked_remove(struct dispatcher *d, unit_id u);
/* The class that the unit cannot do without and that is known to fit nowhere; 0: it is worth a try. */
class_id blocked_by(const struct dispatcher *d, unit_id u);
/* Wakes those whose class fits somewhere again. */
void blocked_events(struct dispatcher *d, uint64_t events, nsec_t now);
int blocked_check(const struct dispatcher *d, uint32_t *ret_units, struct err *err) MUST_CHECK;

/* linked.c's */
void linked_add(struct dispatcher *d, unit_id u, const sym_t ends[2]);
void linked_remove(struct dispatcher *d, unit_id u);
/* Does a link lack what a task takes that needs all its members? */
bool linked_lacks(const struct dispatcher *d, unit_id u, sym_t ret[2]);
/* Wakes those whose links have room again. */
void linked_events(struct dispatcher *d, nsec_t now);
int linked_check(const struct dispatcher *d, uint32_t *ret_units, struct err *err) MUST_CHECK;
void linked_fini(struct dispatcher *d);

/* protect.c's */
void protect_rejected(struct dispatcher *d, unit_id u, nsec_t now);
/* It waits no longer.  over: and what it waited is forgotten. */
void protect_leave(struct dispatcher *d, unit_id u, bool over);
/* It evicts others and has its room by that. */
void protect_yield(struct dispatcher *d, unit_id u);
/* Whose time has come; returns when to look again. */
nsec_t protect_tick(struct dispatcher *d, nsec_t now);
int protect_check(const struct dispatcher *d, struct err *err) MUST_CHECK;
void protect_fini(struct dispatcher *d);

/* kin.c's */
/* A rejected unit is parked (its place says so): as a leader in its lot, among the followers, or alone in its lot. */
void kin_park(struct dispatcher *d, unit_id u, uint32_t mask, nsec_t now);
/* Out of the list of followers; it is nobody's kin then. */
void kin_unfollow(struct dispatcher *d, unit_id u);
/* The unit leads no longer; fine when it does not.  Where it was when it gave up: PARKED: the next one leads in its stead, untried, as it would be
 * rejected, too.  Else the next ones are woken: one, or the burst when it found a place. */
void kin_resign(struct dispatcher *d, unit_id u, enum dispatch_place was, bool placed, nsec_t now);
/* Is the follower still of its kin's class? */
bool kin_is_true(const struct dispatcher *d, unit_id u);
int kin_check(const struct dispatcher *d, struct err *err) MUST_CHECK;
