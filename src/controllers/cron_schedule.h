/* cron_schedule.h - when a schedule in cron notation is due.
 *
 *     minute hour day-of-month month day-of-week, @daily and the like, or @every 1h30m
 * Day of month and day of week: both must fit when one of them is *, else one of them is enough.
 * Threads: values, pure functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "controllers/time_zone.h"

struct cron_schedule {
    uint64_t fields[5]; /* a bit for each value */
    bool any_day, any_weekday;
    nsec_t every; /* of @every; 0: the fields count */
};

bool cron_parse(str text, struct cron_schedule *ret);
/* The first time after `after`; 0: never (February 30). */
nsec_t cron_next(const struct cron_schedule *s, const struct time_zone *z, nsec_t after);
/* The last time in (after, until]; 0: none. */
nsec_t cron_last(const struct cron_schedule *s, const struct time_zone *z, nsec_t after, nsec_t until);
