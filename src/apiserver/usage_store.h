/* usage_store.h - what nodes and pods use now, and values that others measured: in memory, never in the store.
 *
 *   agent ─► PUT nodes.metrics.k8s.io/NAME ─► newest report of each node ─► GET and LIST of nodes and pods
 *   anyone ─► PUT custom and external metrics ─► newest values at each path ─► GET
 *
 * After a restart it is empty until the agents have reported again.
 * Threads: any; one lock, held for look-ups and copies only.
 * Ownership: put copies; what comes out is on the caller's arena.
 * Limits: USAGE_AGE_NS, after which an entry does not count and is dropped; one report a node, USAGE_PODS_MAX pods in it; USAGE_SERIES_MAX paths of values and USAGE_SERIES_BYTES of
 * them together. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

#define USAGE_AGE_NS (120 * NSEC_PER_SEC)
#define USAGE_PODS_MAX 10000u
#define USAGE_CONTAINERS_MAX 100000u
#define USAGE_SERIES_MAX 10000u
#define USAGE_SERIES_BYTES (64u << 20)

struct usage_store;
struct usage_store *usage_store_new(void) MUST_CHECK;
void usage_store_free(struct usage_store *u);

/* --- nodes and pods ------------------------------------------------------------------------------------------------------------- */
/* report: NodeMetrics, conformed.  It replaces what the node said before.  -E_INVALID with a sentence. */
int usage_put_node(struct usage_store *u, str node, const struct json *report, nsec_t now, struct err *err) MUST_CHECK;
/* {"timestamp","window","usage"} of a node, {"timestamp","window","containers"} of a pod, without metadata.  node: where the pod is; what other nodes say
 * of it does not count. */
bool usage_get_node(struct usage_store *u, struct arena *a, str node, nsec_t now, struct json *ret);
bool usage_get_pod(struct usage_store *u, struct arena *a, str ns, str name, str node, nsec_t now, struct json *ret);
struct usage_names {
    struct usage_name {
        str ns, name;
    } *p;
    size_t len;
};
/* Whose usage is known, sorted; ns "" : all namespaces. */
struct usage_names usage_nodes(struct usage_store *u, struct arena *a, nsec_t now);
struct usage_names usage_pods(struct usage_store *u, struct arena *a, str ns, nsec_t now);

/* --- values ---------------------------------------------------------------------------------------------------------------------- */
/* items: a JSON list, which replaces what was there; an empty one removes it.  path: "custom/ns/pods/web-1/hits". -E_BUSY with a sentence when there is no room. */
int usage_put_values(struct usage_store *u, str path, const struct json *items, nsec_t now, struct err *err) MUST_CHECK;
/* All lists whose path begins with prefix and ends with suffix, in one list; "" suffix: exactly the path `prefix`. */
struct json usage_get_values(struct usage_store *u, struct arena *a, str prefix, str suffix, nsec_t now);
/* Removes what usage_get_values would show. */
void usage_drop_values(struct usage_store *u, str prefix, str suffix);
