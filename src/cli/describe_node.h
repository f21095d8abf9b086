/* describe_node.h - sums of what pods ask for, and the rows of a node's description.
 *
 * Threads: pure.  Ownership: the arena's. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/quantity.h"
#include "cli/describe.h"

struct amount {
    str name; /* "cpu" */
    struct quantity value;
};
struct amounts {
    struct amount *list;
    size_t len;
};
/* which: "requests" or "limits". */
void node_pod_amounts(struct arena *a, const struct json *pod, const char *which, struct amounts *ret);
extern const struct describe_row describe_node_rows[];
