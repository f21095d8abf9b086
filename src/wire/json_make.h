/* json_make.h - JSON trees written as text with holes.
 *
 *     json_make(a, "{name: %s}") would be nice; it is   json_make(a, "{\"name\":%s,\"replicas\":%d,\"spec\":%j}", name, 3, &spec)
 * %s: const char *, %S: str; %d: int64_t; %j: const struct json *; a key may be %s or %S, too.  What is given is copied, the text itself is not: it is a constant.  One that does not parse is a bug.
 * Threads: pure.  Ownership: the arena's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

struct json json_make(struct arena *a, const char *text, ...);
