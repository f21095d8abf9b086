/* json_number.h - the shortest digits of a double, laid out as Go's formats do; for wire and for JSONPath printing in api.
 *
 * Threads: pure functions.  Ownership: none. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/str.h"

/* d.ddd * 10^exponent with no trailing zeros; zero is one digit 0. */
struct json_digits {
    char digits[20];
    int len;
    int exponent;
    bool negative;
};

/* The fewest digits that read back as the same double, or with `single` as the same float.  v is finite. */
struct json_digits json_digits_of(double v, bool single);
/* encoding/json: plain from 1e-6 to below 1e21, else "1e+21", "1e-7". */
void json_digits_write_json(struct strbuf *b, struct json_digits d);
/* strconv's 'g', which go-yaml uses: plain from 1e-4 to below 1e6, else "1e+06", "1e-07". */
void json_digits_write_g(struct strbuf *b, struct json_digits d);
