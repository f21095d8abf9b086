/* codec_scalar.h - scalars with a text form of their own: times, durations, quantities, base64.
 *
 * Each function checks a text and gives the canonical one, or an error in the words of Go's libraries, because those
 * words reach users of kubectl.  An input that is canonical already comes back as it is, without a copy.
 * Threads: pure functions.  Ownership: results are the input itself or on the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"
#include "base/err.h"

/* RFC 3339 to UTC with whole seconds, or with exactly six fraction digits.  *ret is "" for Go's zero time (year 1). */
int codec_time_canonical(struct arena *a, str text, bool micro, str *ret, struct err *err) MUST_CHECK;
/* Seconds since 1970; "" for the zero time.  E_PARSE outside the years 0 to 9999. */
int codec_time_from_unix(struct arena *a, int64_t seconds, int32_t nanos, bool micro, str *ret, struct err *err) MUST_CHECK;

/* "90m" becomes "1h30m0s". */
int codec_duration_canonical(struct arena *a, str text, str *ret, struct err *err) MUST_CHECK;
str codec_duration_format(struct arena *a, int64_t ns);
int codec_duration_parse(struct arena *a, str text, int64_t *ret_ns, struct err *err) MUST_CHECK; /* the arena is for words of errors */

int codec_quantity_canonical(struct arena *a, str text, str *ret, struct err *err) MUST_CHECK;

/* Standard alphabet with padding.  More lenient than wire/base64.h, as Go is: line breaks are dropped, unused bits cleared. */
int codec_base64_canonical(struct arena *a, str text, str *ret, struct err *err) MUST_CHECK;

/* Text in double quotes as Go's %q writes it; what is not printable ASCII or UTF-8 is escaped. */
str codec_quote(struct arena *a, str text);
