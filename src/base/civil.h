/* civil.h - RFC 3339 times, without the C library's time zones.
 *
 * Kubernetes times are UTC: Time has seconds ("2026-01-02T03:04:05Z"), MicroTime six digits
 * ("2026-01-02T03:04:05.000006Z").  Threads: pure functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/str.h"

struct civil {
    int year, month, day, hour, minute, second, nsec;
};
struct civil civil_from_ns(nsec_t wall);
nsec_t civil_to_ns(const struct civil *c);

#define CIVIL_TIME_LEN 20  /* without NUL */
#define CIVIL_MICRO_LEN 27
void civil_format(nsec_t wall, char out[CIVIL_TIME_LEN + 1]);
void civil_format_micro(nsec_t wall, char out[CIVIL_MICRO_LEN + 1]);
/* RFC 3339 with any zone offset and 0 to 9 fraction digits. */
bool civil_parse(str s, nsec_t *ret_wall);
/* "5m", "2d3h", "45s" as kubectl's AGE column shows a duration. */
void civil_human_duration(nsec_t d, char out[24]);
