/* leader.h - one of several: who holds a Lease acts, the others wait until it is let go or not renewed any more.
 *
 *                 nobody's, released, or not renewed for its duration
 *   FOLLOWING ───────────────────── PUT or POST succeeds ─────────────────► LEADING: renewed each retry_ns
 *       ▲                                                                      │
 *       └── not renewed for renew_ns, or somebody else's name in it: lost() ◄──┘
 *
 * Time is this machine's own: a follower counts from the moment it saw the lease change, whatever times stand in it; a leader
 * counts from the moment it sent the renewal that succeeded, and gives up (renew_ns) before a follower may take over (lease_ns).
 * So no two lead at once, as long as their clocks run equally fast.
 * Threads: the loop's.
 * Ownership: the transport outlives the leader; strings are copied.
 * Limits: one call at a time; a call without an answer holds the next one up, leadership ends in time all the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/transport.h"

struct leader;

struct leader_opts {
    struct client_transport *transport;
    struct loop *loop;
    str ns, name;     /* of the Lease; the namespace must exist */
    str identity;     /* not the same for two that may run at once */
    nsec_t lease_ns;  /* 0: 15 s; whole seconds */
    nsec_t renew_ns;  /* 0: two thirds of lease_ns, and less than that */
    nsec_t retry_ns;  /* 0: a fifth of renew_ns */
    uint64_t seed;    /* spreads the attempts of followers */
    void (*acquired)(struct leader *l);
    void (*lost)(struct leader *l); /* stop acting at once; it goes on trying */
    void *owner;
};

struct leader *leader_new(const struct leader_opts *opts) MUST_CHECK; /* starts at once; no callback inside */
void *leader_owner(const struct leader *l);
/* Right now?  To be asked before each write that only a leader may do. */
bool leader_is_leading(const struct leader *l);
str leader_holder(const struct leader *l); /* as last seen; "" when nobody or unknown */
/* Lets the lease go when it is held, so that the next one need not wait.  lost() does not run; stopped() runs when the transport has
 * let go, at once or later, and may free the leader. */
void leader_stop(struct leader *l, void (*stopped)(struct leader *l));
void leader_free(struct leader *l); /* after stopped(), or when loop and transport have stopped */
