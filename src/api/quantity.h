/* quantity.h - Kubernetes resource quantities ("100m", "1.5Gi", "1e3").
 *
 * Held as an exact decimal: value * 10^exp10 with a 128-bit mantissa, and the format it was written in.
 * Threads: values, pure functions.
 * Ownership: `written` borrows the text that was parsed; quantity_format copies.
 * Limits: 38 significant digits and exponents to a million, more is refused; fractions of a nano are rounded up;
 * binary values are capped at 2^63-1 as Kubernetes caps them; sums that leave 128 bits keep the larger operand. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/arena.h"

enum quantity_format { QUANTITY_DECIMAL_SI, QUANTITY_BINARY_SI, QUANTITY_DECIMAL_EXPONENT };

struct quantity {
    __int128 mantissa;
    int exp10;                    /* value = mantissa * 10^exp10; binary suffixes are multiplied out */
    enum quantity_format format;
    /* Some texts that are not canonical ("1.500", "+5", "1E3") come back from Kubernetes as they were written; this
     * holds such a text.  Empty for others and after arithmetic. */
    str written;
};
bool quantity_parse(str s, struct quantity *ret);
/* Canonical text: no precision lost, largest suffix without fraction, as Kubernetes prints. */
str quantity_format(struct arena *a, const struct quantity *q);
int quantity_cmp(const struct quantity *a, const struct quantity *b);
/* a becomes the sum or difference; a zero a takes b's format. */
void quantity_add(struct quantity *a, const struct quantity *b);
void quantity_sub(struct quantity *a, const struct quantity *b);
bool quantity_is_zero(const struct quantity *q);
int quantity_sign(const struct quantity *q);
int64_t quantity_to_i64(const struct quantity *q);   /* rounded away from zero, clamped */
int64_t quantity_to_milli(const struct quantity *q); /* rounded away from zero, clamped */
struct quantity quantity_from_i64(int64_t v);
struct quantity quantity_from_milli(int64_t v);
