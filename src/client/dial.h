/* dial.h - a connection opened without blocking the loop: name to addresses, then each address in turn.
 *
 *   dial_start ─► addresses (numeric at once, a name on a thread of its own) ─► connect 1st ─► connect 2nd ─► ... ─► done(fd or error)
 *
 * Threads: the loop's.  A look-up that is cancelled or runs out of time goes on alone until the C library returns, and nobody
 * hears of it.
 * Ownership: the target outlives the dial; the descriptor is done()'s.  A dial frees itself after done() or dial_cancel.
 * Limits: the time-out bounds the whole; each address gets an equal share of what is left.  At most DIAL_ADDRESSES addresses are
 * tried. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "client/client_conn.h"
#include "rt/loop.h"

#define DIAL_ADDRESSES 16

struct dial;

/* fd >= 0: connected, err NULL.  fd < 0: err says why, as a sentence for people.  Never runs inside dial_start. */
typedef void dial_done_fn(void *owner, int fd, const struct err *err);

struct dial *dial_start(struct loop *l, const struct client_target *target, nsec_t timeout_ns, dial_done_fn *done,
                        void *owner) MUST_CHECK;
void dial_cancel(struct dial *d); /* done() does not run */
