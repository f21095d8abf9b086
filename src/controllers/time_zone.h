/* time_zone.h - offsets of a time zone from the system's zone files (RFC 8536), for schedules.
 *
 *   file:  "TZif" 2 ... | 44-byte header, 32-bit data | 44-byte header, 64-bit data | \n POSIX rule for the time after the last change \n
 *
 * Threads: an open zone is immutable.  Ownership: time_zone_new's caller.
 * Limits: TIME_ZONE_BYTES a file; names without "..". */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"

#define TIME_ZONE_BYTES (256u << 10)
#define TIME_ZONE_DIR "/usr/share/zoneinfo"

struct time_zone;

/* "" and "UTC" need no file. */
int time_zone_new(const char *dir, str name, struct time_zone **ret, struct err *err) MUST_CHECK;
int time_zone_parse(str bytes, struct time_zone **ret, struct err *err) MUST_CHECK;
void time_zone_free(struct time_zone *z);
/* Seconds to add to UTC at that moment. */
int64_t time_zone_offset(const struct time_zone *z, nsec_t wall);
