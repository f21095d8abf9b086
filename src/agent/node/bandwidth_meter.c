/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/node/bandwidth_meter.h"

#include <math.h>

#define INTERVAL_MIN_NS NSEC_PER_SEC /* less says more about bursts than about use */

static int64_t rate_of(uint64_t bytes, nsec_t passed)
{
    return (int64_t)((double)bytes * 8e9 / (double)passed);
}

void bandwidth_meter_read(struct bandwidth_meter *m, int device, const uint64_t bytes[BANDWIDTH_ENDS], nsec_t at, const int64_t speed[BANDWIDTH_ENDS])
{
    bool same = m->device && m->device == device && at >= m->at;
    nsec_t passed = at - m->at;
    if (same && passed < INTERVAL_MIN_NS)
        return;
    for (int e = 0; e < BANDWIDTH_ENDS && same; e++) {
        uint64_t delta, most = (uint64_t)MIN((double)speed[e] / 8 * (double)passed / 1e9 * 2, 1e18);
        if (!node_counter_delta(m->bytes[e], bytes[e], most, &delta) || (double)delta * 8e9 / (double)passed > (double)NODE_SPEED_MAX_MBIT * BANDWIDTH_MBIT)
            continue;
        m->used[e] = rate_of(delta, passed);
        m->has_rate = true;
    }
    m->device = device;
    m->at = at;
    memcpy(m->bytes, bytes, sizeof m->bytes);
}

int64_t bandwidth_busy(int64_t busy, int64_t used, nsec_t passed)
{
    if (used >= busy || passed <= 0)
        return MAX(busy, used);
    return used + (int64_t)((double)(busy - used) * exp2(-(double)passed / (double)BANDWIDTH_BUSY_HALF_NS));
}

bool bandwidth_room_note(struct bandwidth_room *r, int64_t all, int64_t taken, nsec_t now)
{
    int64_t step = MAX(all / BANDWIDTH_ROOM_STEPS, (int64_t)1), left = MIN(MAX(all - taken, (int64_t)0), all), want = left == all ? all : left / step * step;
    bool first = !r->has || r->all != all, less = left < r->shown - step / 2, more = left >= r->shown + step || (left == all && r->shown < all);
    if (!first && !(less && now - r->at >= BANDWIDTH_ROOM_LESS_NS) && !(more && now - r->at >= BANDWIDTH_ROOM_MORE_NS))
        return false;
    *r = (struct bandwidth_room){.has = true, .all = all, .shown = want, .at = now};
    return true;
}
