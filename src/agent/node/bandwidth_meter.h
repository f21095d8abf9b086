/* bandwidth_meter.h - rates out of counters, and how much of a node's network is free by what was measured.  Numbers and times in, numbers out.
 *
 *   counters ──► meter: bit/s of the last interval ──► busy: up at once, down by half in 30 s ──► room: in steps, with a dead band, not too often
 *                a counter that wraps, begins anew or belongs to another device gives no rate; the one before stands
 *
 * Times are monotonic: somebody who sets the clock changes nothing.  A rate is never negative and never above what the fastest card can do.
 * Pure functions.  Ownership: values. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "agent/node/node_bandwidth.h"
#include "base/clock.h"

#define BANDWIDTH_BUSY_HALF_NS (30 * NSEC_PER_SEC)
#define BANDWIDTH_ROOM_STEPS 20              /* what is shown is a multiple of the capacity's twentieth */
#define BANDWIDTH_ROOM_LESS_NS (10 * NSEC_PER_SEC) /* at least this long after the last change before less is shown, */
#define BANDWIDTH_ROOM_MORE_NS (30 * NSEC_PER_SEC) /* and before more is */

struct bandwidth_meter {
    int device; /* its number, which no later one of the same name has; 0: none yet */
    nsec_t at;
    uint64_t bytes[BANDWIDTH_ENDS];
    int64_t used[BANDWIDTH_ENDS]; /* bit/s of the last interval that gave a rate */
    bool has_rate;
};
/* speed: of the device, bit/s, by which a wrap of 32 bits is told from a counter that began anew.  Less than a second after the reading before nothing is done. */
void bandwidth_meter_read(struct bandwidth_meter *m, int device, const uint64_t bytes[BANDWIDTH_ENDS], nsec_t at, const int64_t speed[BANDWIDTH_ENDS]);

/* What it is after `passed` when `used` was measured. */
int64_t bandwidth_busy(int64_t busy, int64_t used, nsec_t passed);

struct bandwidth_room {
    bool has;
    int64_t all, shown;
    nsec_t at;
};
/* taken of all is in use (a capacity that changed begins anew); true: another amount is shown.  Room is shown rounded down; less of it when half a step of what is shown has gone, more when a
 * whole step has come. */
bool bandwidth_room_note(struct bandwidth_room *r, int64_t all, int64_t taken, nsec_t now);
