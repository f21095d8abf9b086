/* default_internal.h - defaults that need code, one function per schema type; the table in default.c calls them.
 *
 * Plain values stand in api/ *.api; a function is for what depends on other fields.  It sees its object before the plain values
 * are filled in and before anything below it is defaulted, and must do nothing the second time. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "wire/json.h"

typedef void default_fn(struct arena *a, struct json *obj);

/* default_core.c */
default_fn default_container, default_pod, default_pod_spec, default_pod_status, default_volume, default_service,
    default_replication_controller, default_secret, default_namespace, default_node_spec, default_node_status,
    default_limit_range_item, default_network_policy, default_subject, default_custom_resource_definition;
/* default_workload.c */
default_fn default_deployment_strategy, default_daemon_set, default_daemon_set_strategy, default_stateful_set, default_job,
    default_hpa_v1, default_hpa_v2_spec, default_hpa_v2_behavior;

/* Quantities of a resource list are kept to a thousandth, rounded up. */
void default_round_quantities(struct arena *a, struct json *map);

/* Sets a member that is absent. */
void default_missing(struct arena *a, struct json *obj, str key, struct json value);
/* obj.metadata.labels (or another map of strings) when it holds nothing: a copy of the map `from`, which may be NULL. */
void default_string_map(struct arena *a, struct json *obj, str key, const struct json *from);
