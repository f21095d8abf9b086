/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/task_resources_plan.h"

/* How long ago a stamp was, as far as that can be. */
static nsec_t ago(nsec_t wall, nsec_t stamp, nsec_t most)
{
    return stamp && stamp < wall ? MIN(wall - stamp, most) : 0;
}

struct reserve_pace reserve_pace(nsec_t mono, nsec_t wall, nsec_t created, nsec_t changed, const struct reserve_limits *limits)
{
    return (struct reserve_pace){.born = mono - ago(wall, created, limits->life), .changed = mono - ago(wall, changed, MAX(limits->held, limits->pause))};
}

enum reserve_step reserve_next(struct reserve_pace *pace, const struct reserve_limits *limits, const struct reserve_view *v, nsec_t *ret_again)
{
    nsec_t over = pace->born + limits->life;
    *ret_again = 0;
    if (!v->is_refused)
        pace->refused = 0;
    else if (!pace->refused)
        pace->refused = v->mono;
    if (v->has_room)
        return RESERVE_DONE;
    if (v->mono >= over)
        return RESERVE_EXPIRED;
    nsec_t next = v->is_failed ? pace->changed + limits->pause : v->is_refused ? MAX(pace->changed, pace->refused) + limits->held : over;
    bool due = (v->is_failed || v->is_refused) && v->mono >= next;
    *ret_again = due && !v->is_failed ? MIN(over, v->mono + limits->pause) : due ? over : MIN(over, next);
    return !due ? RESERVE_WAIT : v->is_failed ? RESERVE_AGAIN : RESERVE_REFUSED;
}
