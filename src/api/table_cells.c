/* The registry of cells, and the shapes that most of them share. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/table_cells.h"

#include "api/jsonpath.h"
#include "api/selector.h"
#include "base/civil.h"

#define CELL(name_, fn_, path_, arg_) {STR_INIT(#name_), table_##fn_, STR_INIT(path_), STR_INIT(arg_)}

/* Sorted by name: found by halving.  Columns of api/ *.api name them. */
const struct table_cell_def table_cell_defs[] = {
    CELL(age, cell_since, "metadata.creationTimestamp", "<unknown>"),
    CELL(certificate_signing_request_condition, csr_condition, "", ""),
    CELL(certificate_signing_request_requested_duration, csr_duration, "spec.expirationSeconds", "<none>"),
    CELL(certificate_signing_request_signer_name, cell_text, "spec.signerName", "<none>"),
    CELL(cluster_role_binding_groups, subjects, "", "Group"),
    CELL(cluster_role_binding_role, cell_kind_name, "roleRef", ""),
    CELL(cluster_role_binding_service_accounts, subjects, "", "ServiceAccount"),
    CELL(cluster_role_binding_users, subjects, "", "User"),
    CELL(component_status_error, component_status, "error", ""),
    CELL(component_status_message, component_status, "message", ""),
    CELL(component_status_status, component_status, "status", ""),
    CELL(config_map_data, config_map_data, "", ""),
    CELL(containers, cell_names, "spec.template.spec.containers", "name"),
    CELL(controller_revision_controller, controller_revision_controller, "", ""),
    CELL(cron_job_active, cell_count, "status.active", ""),
    CELL(cron_job_containers, cell_names, "spec.jobTemplate.spec.template.spec.containers", "name"),
    CELL(cron_job_images, cell_names, "spec.jobTemplate.spec.template.spec.containers", "image"),
    CELL(cron_job_last_schedule, cell_since, "status.lastScheduleTime", "<none>"),
    CELL(cron_job_selector, cell_selector, "spec.jobTemplate.spec.selector", ""),
    CELL(cron_job_suspend, cron_job_suspend, "", ""),
    CELL(cron_job_timezone, cell_text, "spec.timeZone", "<none>"),
    CELL(csi_driver_attach_required, cell_flag, "spec.attachRequired", "true"),
    CELL(csi_driver_modes, cell_join, "spec.volumeLifecycleModes", "<none>"),
    CELL(csi_driver_token_requests, token_requests, "", ""),
    CELL(csi_node_drivers, cell_count, "spec.drivers", ""),
    CELL(csi_storage_capacity_capacity, cell_text, "capacity", "<unset>"),
    CELL(daemon_set_node_selector, cell_labels, "spec.template.spec.nodeSelector", ""),
    CELL(deployment_available, cell_number, "status.availableReplicas", ""),
    CELL(deployment_ready, replicas_ready, "", ""),
    CELL(deployment_up_to_date, cell_number, "status.updatedReplicas", ""),
    CELL(domain_nodes, cell_count, "status.nodeStatuses", ""),
    CELL(endpoint_slice_endpoints, slice_endpoints, "", ""),
    CELL(endpoint_slice_ports, slice_ports, "", ""),
    CELL(endpoints_endpoints, endpoints, "", ""),
    CELL(event_count, event_count, "", ""),
    CELL(event_first_seen, event_first_seen, "", ""),
    CELL(event_last_seen, event_last_seen, "", ""),
    CELL(event_message, event_message, "", ""),
    CELL(event_object, event_object, "", ""),
    CELL(event_source, event_source, "", ""),
    CELL(flow_schema_distinguisher_method, cell_text, "spec.distinguisherMethod.type", "<none>"),
    CELL(flow_schema_missing_pl, missing_priority_level, "", ""),
    CELL(horizontal_pod_autoscaler_max_pods, cell_number, "spec.maxReplicas", ""),
    CELL(horizontal_pod_autoscaler_min_pods, cell_text, "spec.minReplicas", "<unset>"),
    CELL(horizontal_pod_autoscaler_reference, cell_kind_name, "spec.scaleTargetRef", ""),
    CELL(horizontal_pod_autoscaler_replicas, cell_number, "status.currentReplicas", ""),
    CELL(horizontal_pod_autoscaler_targets, hpa_targets, "", ""),
    CELL(images, cell_names, "spec.template.spec.containers", "image"),
    CELL(ingress_address, ingress_address, "", ""),
    CELL(ingress_class, cell_text, "spec.ingressClassName", "<none>"),
    CELL(ingress_class_parameters, ingress_class_parameters, "", ""),
    CELL(ingress_hosts, ingress_hosts, "", ""),
    CELL(ingress_ports, ingress_ports, "", ""),
    CELL(ip_address_parent_ref, ip_address_parent_ref, "", ""),
    CELL(job_completions, job_completions, "", ""),
    CELL(job_duration, job_duration, "", ""),
    CELL(job_status, job_status, "", ""),
    CELL(kuscia_completed, cell_since, "status.completionTime", ""),
    CELL(kuscia_reconciled, cell_since, "status.lastReconcileTime", ""),
    CELL(kuscia_started, cell_since, "status.startTime", ""),
    CELL(kuscia_transitioned, cell_since, "status.lastTransitionTime", ""),
    CELL(mutating_webhook_configuration_webhooks, cell_count, "webhooks", ""),
    CELL(network_policy_pod_selector, cell_selector, "spec.podSelector", ""),
    CELL(node_container_runtime, cell_text, "status.nodeInfo.containerRuntimeVersion", "<unknown>"),
    CELL(node_external_ip, node_address, "", "ExternalIP"),
    CELL(node_internal_ip, node_address, "", "InternalIP"),
    CELL(node_kernel_version, cell_text, "status.nodeInfo.kernelVersion", "<unknown>"),
    CELL(node_os_image, cell_text, "status.nodeInfo.osImage", "<unknown>"),
    CELL(node_roles, node_roles, "", ""),
    CELL(node_status, node_status, "", ""),
    CELL(persistent_volume_access_modes, access_modes, "", ""),
    CELL(persistent_volume_capacity, cell_text, "spec.capacity.storage", "0"),
    CELL(persistent_volume_claim, volume_claim, "", ""),
    CELL(persistent_volume_claim_access_modes, claim_access_modes, "", ""),
    CELL(persistent_volume_claim_capacity, claim_capacity, "", ""),
    CELL(persistent_volume_claim_status, cell_phase, "status.phase", ""),
    CELL(persistent_volume_claim_storage_class, storage_class, "", ""),
    CELL(persistent_volume_claim_volume_attributes_class, cell_text, "spec.volumeAttributesClassName", "<unset>"),
    CELL(persistent_volume_claim_volume_mode, cell_text, "spec.volumeMode", "<unset>"),
    CELL(persistent_volume_status, cell_phase, "status.phase", ""),
    CELL(persistent_volume_storage_class, storage_class, "", ""),
    CELL(persistent_volume_volume_attributes_class, cell_text, "spec.volumeAttributesClassName", "<unset>"),
    CELL(persistent_volume_volume_mode, cell_text, "spec.volumeMode", "<unset>"),
    CELL(pod_disruption_budget_max_unavailable, cell_text, "spec.maxUnavailable", "N/A"),
    CELL(pod_disruption_budget_min_available, cell_text, "spec.minAvailable", "N/A"),
    CELL(pod_group_min_member, cell_text, "spec.minMember", ""),
    CELL(pod_ip, pod_ip, "", ""),
    CELL(pod_node, cell_text, "spec.nodeName", "<none>"),
    CELL(pod_nominated_node, cell_text, "status.nominatedNodeName", "<none>"),
    CELL(pod_readiness_gates, pod_readiness_gates, "", ""),
    CELL(pod_ready, pod_ready, "", ""),
    CELL(pod_restarts, pod_restarts, "", ""),
    CELL(pod_status, pod_status, "", ""),
    CELL(pod_template_containers, cell_names, "template.spec.containers", "name"),
    CELL(pod_template_images, cell_names, "template.spec.containers", "image"),
    CELL(pod_template_pod_labels, cell_labels, "template.metadata.labels", ""),
    CELL(priority_level_configuration_hand_size, cell_text, "spec.limited.limitResponse.queuing.handSize", "<none>"),
    CELL(priority_level_configuration_nominal_concurrency_shares, cell_text, "spec.limited.nominalConcurrencyShares", "<none>"),
    CELL(priority_level_configuration_queue_length_limit, cell_text, "spec.limited.limitResponse.queuing.queueLengthLimit",
         "<none>"),
    CELL(priority_level_configuration_queues, cell_text, "spec.limited.limitResponse.queuing.queues", "<none>"),
    CELL(queue_children, cell_join, "status.childQueues", ""),
    CELL(queue_priority, cell_text, "spec.priority", ""),
    CELL(replication_controller_selector, cell_labels, "spec.selector", ""),
    CELL(resource_quota_limit, quota, "", "limits"),
    CELL(resource_quota_request, quota, "", ""),
    CELL(role_binding_groups, subjects, "", "Group"),
    CELL(role_binding_role, cell_kind_name, "roleRef", ""),
    CELL(role_binding_service_accounts, subjects, "", "ServiceAccount"),
    CELL(role_binding_users, subjects, "", "User"),
    CELL(secret_data, cell_count, "data", ""),
    CELL(selector, cell_selector, "spec.selector", ""),
    CELL(service_account_secrets, cell_count, "secrets", ""),
    CELL(service_cidr_cidrs, cell_join, "spec.cidrs", ""),
    CELL(service_cluster_ip, service_cluster_ip, "", ""),
    CELL(service_external_ip, service_external_ip, "", ""),
    CELL(service_ports, service_ports, "", ""),
    CELL(service_selector, cell_labels, "spec.selector", ""),
    CELL(stateful_set_ready, replicas_ready, "", ""),
    CELL(storage_class_allow_volume_expansion, cell_flag, "allowVolumeExpansion", "false"),
    CELL(storage_class_name, storage_class_name, "", ""),
    CELL(storage_class_reclaim_policy, cell_text, "reclaimPolicy", "Delete"),
    CELL(storage_class_volume_binding_mode, cell_text, "volumeBindingMode", "Immediate"),
    CELL(topology_levels, cell_names, "spec.levels", "nodeLabel"),
    CELL(validating_admission_policy_binding_param_ref, param_ref, "", ""),
    CELL(validating_admission_policy_param_kind, param_kind, "", ""),
    CELL(validating_admission_policy_validations, cell_count, "spec.validations", ""),
    CELL(validating_webhook_configuration_webhooks, cell_count, "webhooks", ""),
};
const size_t table_cell_def_count = ARRAY_LEN(table_cell_defs);

static int by_name(const void *name, const void *def)
{
    return str_cmp(*(const str *)name, ((const struct table_cell_def *)def)->name);
}

const struct table_cell_def *table_cell_find(str name)
{
    return bsearch(&name, table_cell_defs, table_cell_def_count, sizeof table_cell_defs[0], by_name);
}

/* --- reading -------------------------------------------------------------------------------------------- */

const struct json *table_walk(const struct json *v, str path)
{
    v = table_walk_or_null(v, path);
    return json_is(v, JSON_NULL) ? NULL : v;
}

const struct json *table_walk_or_null(const struct json *v, str path)
{
    str step;
    while (v && path.len) {
        str_cut(&path, '.', &step);
        v = json_get(v, step);
    }
    return v;
}

str table_text_at(const struct json *v, str path)
{
    return json_str(table_walk(v, path));
}

int64_t table_int_at(const struct json *v, str path)
{
    int64_t i;
    return json_to_i64(table_walk(v, path), &i) ? i : 0;
}

const struct json *table_list_at(const struct json *v, str path)
{
    static const struct json empty = {.type = JSON_ARRAY};
    const struct json *list = table_walk(v, path);
    return json_is(list, JSON_ARRAY) ? list : &empty;
}

const struct json *table_condition(const struct json *conditions, str type)
{
    for (uint32_t i = 0; json_is(conditions, JSON_ARRAY) && i < conditions->len; i++)
        if (str_eq(json_get_str(&conditions->items[i], S("type")), type))
            return &conditions->items[i];
    return NULL;
}

bool table_is_deleted(const struct json *obj)
{
    return table_walk(obj, S("metadata.deletionTimestamp")) != NULL;
}

nsec_t table_time(const struct json *v)
{
    nsec_t t;
    return json_is(v, JSON_STRING) && civil_parse(json_str(v), &t) ? t : 0;
}

str table_since(struct table_cell *c, nsec_t time, str otherwise)
{
    char text[24];
    if (!time)
        return otherwise;
    civil_human_duration(c->now - time, text);
    return arena_str(c->arena, str_of(text));
}

str table_lower(struct arena *a, str s)
{
    char *p = arena_alloc(a, s.len + 1);
    for (size_t i = 0; i < s.len; i++)
        p[i] = (char)(s.p[i] >= 'A' && s.p[i] <= 'Z' ? s.p[i] | 0x20 : s.p[i]);
    return str_n(p, s.len);
}

/* --- writing -------------------------------------------------------------------------------------------- */

void table_put_text(struct table_cell *c, str s)
{
    json_write_string(c->out, s);
}

void table_put_int(struct table_cell *c, int64_t v)
{
    strbuf_add_i64(c->out, v);
}

void table_put_bool(struct table_cell *c, bool v)
{
    strbuf_add_str(c->out, v ? S("true") : S("false"));
}

void table_add_item(struct strbuf *b, const char *separator, str item)
{
    if (b->len)
        strbuf_add_str(b, str_of(separator));
    strbuf_add_str(b, item);
}

void table_add_more(struct strbuf *b, size_t hidden)
{
    strbuf_addf(b, " + %zu more...", hidden);
}

str table_join_sorted(struct arena *a, str *items, size_t n)
{
    struct strbuf b = strbuf_on(a);
    if (n)
        qsort(items, n, sizeof *items, str_cmp_void);
    for (size_t i = 0; i < n; i++)
        if (!i || !str_eq(items[i], items[i - 1]))
            table_add_item(&b, ",", items[i]);
    return strbuf_str(&b);
}

/* --- shapes --------------------------------------------------------------------------------------------- */

void table_cell_text(struct table_cell *c)
{
    str text = table_text_at(c->obj, c->def->path);
    table_put_text(c, text.len ? text : c->def->arg);
}

void table_cell_number(struct table_cell *c)
{
    table_put_int(c, table_int_at(c->obj, c->def->path));
}

void table_cell_flag(struct table_cell *c)
{
    const struct json *v = table_walk(c->obj, c->def->path);
    table_put_bool(c, json_is(v, JSON_BOOL) ? v->b : str_is(c->def->arg, "true"));
}

/* Items of a list or members of an object. */
void table_cell_count(struct table_cell *c)
{
    const struct json *v = table_walk(c->obj, c->def->path);
    table_put_int(c, json_is(v, JSON_ARRAY) || json_is(v, JSON_OBJECT) ? v->len : 0);
}

void table_cell_since(struct table_cell *c)
{
    table_put_text(c, table_since(c, table_time(table_walk(c->obj, c->def->path)), c->def->arg));
}

void table_cell_join(struct table_cell *c)
{
    const struct json *list = table_list_at(c->obj, c->def->path);
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < list->len; i++)
        table_add_item(&b, ",", json_str(&list->items[i]));
    table_put_text(c, b.len ? strbuf_str(&b) : c->def->arg);
}

/* One member, named by arg, of each object in a list. */
void table_cell_names(struct table_cell *c)
{
    const struct json *list = table_list_at(c->obj, c->def->path);
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < list->len; i++) {
        if (i)
            strbuf_add_char(&b, ',');
        strbuf_add_str(&b, json_get_str(&list->items[i], c->def->arg));
    }
    table_put_text(c, strbuf_str(&b));
}

/* "a=1,b=2" of an object of strings, sorted by key. */
void table_cell_labels(struct table_cell *c)
{
    const struct json *labels = table_walk(c->obj, c->def->path);
    if (!json_is(labels, JSON_OBJECT) || !labels->len) {
        table_put_text(c, S("<none>"));
        return;
    }
    const struct json_member **order = jsonpath_sorted_members(c->arena, labels);
    struct strbuf b = strbuf_on(c->arena);
    for (uint32_t i = 0; i < labels->len; i++) {
        table_add_item(&b, ",", order[i]->key);
        strbuf_add_char(&b, '=');
        strbuf_add_str(&b, json_str(&order[i]->value));
    }
    table_put_text(c, strbuf_str(&b));
}

void table_cell_selector(struct table_cell *c)
{
    struct selector s;
    struct strbuf b = strbuf_on(c->arena);
    if (selector_from_label_selector(c->arena, table_walk(c->obj, c->def->path), &s, NULL) < 0) {
        table_put_text(c, S("<error>"));
        return;
    }
    selector_write(&b, &s);
    table_put_text(c, b.len ? strbuf_str(&b) : S("<none>"));
}

/* "Kind/name" of a reference. */
void table_cell_kind_name(struct table_cell *c)
{
    const struct json *ref = table_walk(c->obj, c->def->path);
    str kind = json_get_str(ref, S("kind")), name = json_get_str(ref, S("name"));
    table_put_text(c, arena_fmt(c->arena, STR_FMT "/" STR_FMT, STR_ARG(kind), STR_ARG(name)));
}

void table_cell_phase(struct table_cell *c)
{
    table_put_text(c, table_is_deleted(c->obj) ? S("Terminating") : table_text_at(c->obj, c->def->path));
}
