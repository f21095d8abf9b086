/* table_cells.h - what a cell function sees, and the registry of cell functions.
 *
 * A cell function appends exactly one JSON value to cell->out.  Most cells are one of a few shapes (a text or "<none>", a
 * number, a list of names ...), so a registry entry also carries a path and an argument for its function.
 * Threads: a struct table_cell belongs to the row being written; the registry is const.
 * Ownership: scratch lives in the arena. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "base/clock.h"
#include "wire/json.h"

struct table_cell_def;

/* What the cells of a pod share; made by the first of them. */
struct table_pod_summary {
    bool made;
    const struct json *spec, *status;
    int64_t ready, total, restarts;
    nsec_t last_restart; /* 0: none */
    str text;            /* of the Status cell */
};

struct table_cell {
    struct arena *arena;
    struct strbuf *out;
    const struct json *obj;
    nsec_t now;
    const struct table_cell_def *def; /* of the cell being written */
    struct table_pod_summary pod;
};

typedef void table_cell_fn(struct table_cell *c);

struct table_cell_def {
    str name;
    table_cell_fn *fn;
    str path; /* "spec.nodeName"; "" when the function knows its way */
    str arg;  /* often what is shown when nothing is there */
};
const struct table_cell_def *table_cell_find(str name); /* NULL when unknown */
/* All of them, sorted by name. */
extern const struct table_cell_def table_cell_defs[];
extern const size_t table_cell_def_count;

/* --- for cell functions ------------------------------------------------------------------------------ */
/* Follows names separated by dots; NULL when one is missing or the value is null. */
const struct json *table_walk(const struct json *v, str path);
const struct json *table_walk_or_null(const struct json *v, str path); /* a null is found like any value */
str table_text_at(const struct json *v, str path);             /* "" when absent */
int64_t table_int_at(const struct json *v, str path);          /* 0 when absent */
const struct json *table_list_at(const struct json *v, str path); /* an array, empty when absent */
/* The condition of a type in a list of conditions, or NULL. */
const struct json *table_condition(const struct json *conditions, str type);
bool table_is_deleted(const struct json *obj); /* has a deletionTimestamp */
/* Time of an RFC 3339 text, 0 when there is none. */
nsec_t table_time(const struct json *v);
/* "5m" since a time, otherwise when there is none. */
str table_since(struct table_cell *c, nsec_t time, str otherwise);
str table_lower(struct arena *a, str s);
void table_put_text(struct table_cell *c, str s);
void table_put_int(struct table_cell *c, int64_t v);
void table_put_bool(struct table_cell *c, bool v);
/* "a,b": appends the item, with the separator before it unless it is the first. */
void table_add_item(struct strbuf *b, const char *separator, str item);
/* "a,b,c + 2 more..." */
void table_add_more(struct strbuf *b, size_t hidden);
/* Sorts, drops repeats, joins with commas. */
str table_join_sorted(struct arena *a, str *items, size_t n);

/* Groups of cells, by file. */
table_cell_fn table_cell_text, table_cell_number, table_cell_flag, table_cell_count, table_cell_since, table_cell_join,
    table_cell_names, table_cell_labels, table_cell_selector, table_cell_kind_name, table_cell_phase;
table_cell_fn table_pod_ready, table_pod_status, table_pod_restarts, table_pod_ip, table_pod_readiness_gates;
table_cell_fn table_replicas_ready, table_controller_revision_controller, table_cron_job_suspend, table_job_status,
    table_job_completions, table_job_duration, table_hpa_targets;
table_cell_fn table_service_cluster_ip, table_service_external_ip, table_service_ports, table_endpoints, table_slice_ports,
    table_slice_endpoints, table_ingress_hosts, table_ingress_address, table_ingress_ports, table_ingress_class_parameters,
    table_ip_address_parent_ref;
table_cell_fn table_node_status, table_node_roles, table_node_address, table_event_count, table_event_first_seen,
    table_event_last_seen, table_event_message, table_event_object, table_event_source, table_component_status,
    table_config_map_data, table_quota, table_subjects, table_csr_duration, table_csr_condition, table_param_kind,
    table_param_ref, table_missing_priority_level;
table_cell_fn table_access_modes, table_claim_access_modes, table_claim_capacity, table_volume_claim, table_storage_class,
    table_storage_class_name, table_token_requests;
