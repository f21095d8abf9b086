/* node_match.h - may a pod of this spec be on this node, as far as names, labels and taints say?  Resources are the scheduler's matter.
 *
 * Threads: pure functions. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

/* Node name, nodeSelector and required node affinity. */
bool node_fits(const struct json *pod_spec, const struct json *node);
/* Every taint with this effect ("NoSchedule", "NoExecute") is tolerated. */
bool node_tolerated(const struct json *tolerations, const struct json *node, str effect);
/* The taints are an array; those with another effect do not matter.  How long until a pod with these tolerations has to go: -1 never, 0 now, else a wall time.  A taint counts
 * from its timeAdded, one without from `now`. */
nsec_t node_evict_at(const struct json *tolerations, const struct json *taints, nsec_t now);
