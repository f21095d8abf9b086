/* settings.c - the ways to decide about units of queues that can be compared: one row each. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/sim.h"

#define MAY(action) (1u << POLICY_##action)
#define OPTS(...) {.past = 1.0, .saturation = 1.0, .stale_grace_ns = 60 * NSEC_PER_SEC, .max_moves = 16, __VA_ARGS__}
#define STILL(...) {.past = 1.0, .saturation = 1.0, .stale_grace_ns = 60 * NSEC_PER_SEC, .still_reclaim = true, __VA_ARGS__}

const struct sim_setting sim_settings[] = {
    {"fifo", "one line, nobody overtakes", .one_line = true, .in_order = true, .opts = OPTS(.actions = MAY(ALLOCATE))},
    {"fifo-backfill", "one line, whoever fits goes first", .one_line = true, .opts = OPTS(.actions = MAY(ALLOCATE))},
    {"fifo-reserve", "the same, and room is reserved for who waits for long", .one_line = true, .opts = OPTS(.actions = MAY(ALLOCATE), .max_reservations = 4, .hold_after_ns = 300 * NSEC_PER_SEC)},
    {"queues", "queues with quotas, nobody has to give way", .opts = OPTS(.actions = MAY(ALLOCATE) | MAY(STALE) | MAY(TOO_LONG))},
    {"reclaim", "queues, reclaim and preemption, nobody is moved", .opts = STILL(.actions = MAY(ALLOCATE) | MAY(RECLAIM) | MAY(PREEMPT) | MAY(STALE) | MAY(TOO_LONG))},
    {"kai", "KAI's actions: allocate, consolidate, reclaim, preempt, stale gangs", .opts = OPTS(.actions = MAY(ALLOCATE) | MAY(CONSOLIDATE) | MAY(RECLAIM) | MAY(PREEMPT) | MAY(STALE))},
    {"cox", "all that the scheduler of a server does", .opts = POLICY_OPTS_DEFAULT},
    {0},
};
const struct sim_setting *const sim_setting_default = &sim_settings[ARRAY_LEN(sim_settings) - 2];

const struct sim_setting *sim_setting_find(str name)
{
    for (const struct sim_setting *x = sim_settings; x->name; x++)
        if (str_is(name, x->name))
            return x;
    return NULL;
}
