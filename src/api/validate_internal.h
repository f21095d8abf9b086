/* validate_internal.h - shared by the validate_*.c files only.
 *
 * api_validate walks the object once along its schema.  At each object whose type has an entry in the table of
 * validate.c, the type's own rule is called; so a rule for Container serves pods and every kind with a template.
 *     walk Deployment -> spec (rule DeploymentSpec) -> template (rule PodTemplateSpec) -> spec (rule PodSpec) -> ...
 * Nothing is allocated while all is well: a path is a chain of nodes on the C stack, printed when an error is added.
 * The prefix v_ stands for validate_ in here. */
/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "api/quantity.h"
#include "api/validate.h"

/* --- paths ------------------------------------------------------------------------------------------------------------- */
enum vpath_kind { VPATH_FIELD, VPATH_INDEX, VPATH_KEY };
struct vpath {
    const struct vpath *up; /* NULL: the object itself */
    str name;               /* FIELD "containers", KEY "cpu" */
    size_t index;
    enum vpath_kind kind;
};
/* Nodes live to the end of the enclosing block. */
#define V_FIELD(parent, lit) (&(struct vpath){.up = (parent), .name = S(lit), .kind = VPATH_FIELD})
#define V_MEMBER(parent, s) (&(struct vpath){.up = (parent), .name = (s), .kind = VPATH_FIELD})
#define V_INDEX(parent, i) (&(struct vpath){.up = (parent), .index = (i), .kind = VPATH_INDEX})
#define V_KEY(parent, s) (&(struct vpath){.up = (parent), .name = (s), .kind = VPATH_KEY})

struct vctx {
    const struct api_resource *res;
    str sub;                      /* subresource, "" the object itself */
    const struct json *obj, *old; /* old NULL: create */
    struct field_errors *e;
    bool quiet;        /* errors are counted, not kept: a branch of a schema is tried */
    size_t suppressed; /* how many */
};
typedef void validate_fn(struct vctx *c, const struct vpath *p, const struct json *v);

/* --- adding errors ------------------------------------------------------------------------------------------------------ */
void v_error(struct vctx *c, enum field_error_type type, const struct vpath *p, const struct json *value, const char *fmt, ...)
    PRINTF_LIKE(5, 6);
#define v_required(c, p, ...) v_error(c, FIELD_REQUIRED, p, NULL, __VA_ARGS__)
#define v_forbidden(c, p, ...) v_error(c, FIELD_FORBIDDEN, p, NULL, __VA_ARGS__)
#define v_invalid(c, p, value, ...) v_error(c, FIELD_INVALID, p, value, __VA_ARGS__)
/* A value that is absent shows as Go's zero: "" or 0. */
#define v_invalid_str(ctx_, at_, text_, ...)                                                                                               \
    v_error(ctx_, FIELD_INVALID, at_, &(struct json){.type = JSON_STRING, .len = (uint32_t)(text_).len, .s = (text_).p}, __VA_ARGS__)
void v_invalid_int(struct vctx *c, const struct vpath *p, int64_t value, const char *fmt, ...) PRINTF_LIKE(4, 5);
void v_duplicate(struct vctx *c, const struct vpath *p, str value);
void v_not_found(struct vctx *c, const struct vpath *p, str value);
/* supported: "A|B|C". */
void v_unsupported(struct vctx *c, const struct vpath *p, str value, const char *supported);
void v_too_long(struct vctx *c, const struct vpath *p, int max_bytes);
#define V_NO_DETAIL "%s", ""
#define V_IMMUTABLE "field is immutable"
#define V_NEGATIVE "must be greater than or equal to 0"
#define V_NOT_POSITIVE "must be greater than zero"

/* --- texts seen so far -------------------------------------------------------------------------------------------------- */
/* Lists of clients can be long, so what must be unique is not searched linearly; the first few need no memory. */
#define V_MAP_SMALL 16
struct v_map_entry {
    str key;
    const void *value;
};
struct v_map {
    struct arena *arena_;
    struct v_map_entry *entries_; /* NULL: small_ */
    uint32_t *slots_;             /* entry number + 1, 0 free */
    uint32_t len, cap_;
    struct v_map_entry small_[V_MAP_SMALL];
};
/* Keys are borrowed. */
void v_map_init(struct v_map *m, struct arena *a);
bool v_map_put(struct v_map *m, str key, const void *value); /* false: was there, and stays as it was */
const void *v_map_get(const struct v_map *m, str key);       /* NULL when absent */
#define v_set_add(m, key) v_map_put(m, key, "")
#define v_set_has(m, key) (v_map_get(m, key) != NULL)
/* Texts of the member `key` of all items of a list. */
void v_set_add_list(struct v_map *m, const struct json *list, str key);

/* --- small checks ------------------------------------------------------------------------------------------------------- */
#define v_foreach(item, i, list)                                                                                                           \
    for (size_t i = 0, i##_n_ = json_is(list, JSON_ARRAY) ? (list)->len : 0; i < i##_n_; i++)                                              \
        for (const struct json *item = &(list)->items[i]; item; item = NULL)
#define v_foreach_member(m, object)                                                                                                        \
    for (const struct json_member *m = v_members(object), *m##_end_ = v_members_end(object); m < m##_end_; m++)

/* Items of a list, members of an object; 0 for anything else. */
static inline size_t v_len(const struct json *v)
{
    return v && (v->type == JSON_ARRAY || v->type == JSON_OBJECT) ? v->len : 0;
}
static inline const struct json_member *v_members(const struct json *v)
{
    return v && v->type == JSON_OBJECT ? v->members : NULL;
}
static inline const struct json_member *v_members_end(const struct json *v)
{
    return v && v->type == JSON_OBJECT && v->len ? v->members + v->len : NULL;
}
/* A member that is there and not null. */
static inline const struct json *v_get(const struct json *v, str key)
{
    const struct json *m = json_get(v, key);
    return m && m->type != JSON_NULL ? m : NULL;
}
#define V_GET(v, lit) v_get(v, S(lit))
#define V_STR(v, lit) json_get_str(v, S(lit))
#define V_INT(v, lit) json_get_int(v, S(lit), 0)
#define V_BOOL(v, lit) json_get_bool(v, S(lit), false)

typedef const char *v_rule(str s); /* NULL or the sentence */
/* Invalid value with the rule's sentence; true when fine. */
bool v_check(struct vctx *c, const struct vpath *p, str value, v_rule *rule);
/* The member when it is there and not empty. */
void v_check_member(struct vctx *c, const struct vpath *p, const struct json *v, str key, v_rule *rule);
void v_range(struct vctx *c, const struct vpath *p, int64_t value, int64_t lo, int64_t hi);
/* The integer member, when present, is not negative (not below 1). */
void v_nonnegative(struct vctx *c, const struct vpath *p, const struct json *v, str key);
void v_positive(struct vctx *c, const struct vpath *p, const struct json *v, str key);
void v_port(struct vctx *c, const struct vpath *p, int64_t port);
void v_port_or_name(struct vctx *c, const struct vpath *p, const struct json *v);
void v_labels(struct vctx *c, const struct vpath *p, const struct json *labels);
void v_annotations(struct vctx *c, const struct vpath *p, const struct json *annotations);
void v_ip(struct vctx *c, const struct vpath *p, str ip);
/* An address others can reach: not unspecified, loopback or link-local. */
void v_endpoint_ip(struct vctx *c, const struct vpath *p, str ip);
void v_cidr(struct vctx *c, const struct vpath *p, str cidr);
bool v_in(str s, const char *list);                  /* list "A|B|C" */
bool v_str_list_has(const struct json *list, str s); /* linear */
/* An earlier item of the list has the same text in the member `key` (or is the same text, key "").  Linear: for lists that
 * are short for other reasons; v_set_add otherwise. */
bool v_seen_before(const struct json *list, size_t at, str key);
/* The quantity of a member; false when absent or no quantity. */
bool v_quantity(const struct json *v, str key, struct quantity *ret);
/* "5%" or 5: the number; *ret_percent tells which. */
int64_t v_int_or_percent(const struct json *v, bool *ret_percent);
void v_check_int_or_percent(struct vctx *c, const struct vpath *p, const struct json *v);
void v_at_most_100_percent(struct vctx *c, const struct vpath *p, const struct json *v);
/* Equal as Go's semantic equality sees it: absent, null, {} and [] are the same, zero values too where the schema has no
 * pointer; quantities by value.  t may be NULL. */
bool v_same(const struct schema_type *t, const struct json *a, const struct json *b);
/* Two objects, or NULL for none, apart from the members in the list "a|b". */
bool v_same_except(const struct schema_type *t, const struct json *a, const struct json *b, const char *except);
/* v_same with the type of t's field `key`, over that member of both. */
bool v_same_member(const struct schema_type *t, const struct json *a, const struct json *b, str key);
/* The member may not change: Invalid value, "field is immutable". */
void v_immutable(struct vctx *c, const struct vpath *p, const struct schema_type *t, const struct json *v, const struct json *old, str key);

/* --- rules for names and texts (validate_names.c) ------------------------------------------------------------------------- */
v_rule validate_port_name, validate_env_name, validate_config_key, validate_percent, validate_http_header_name, validate_wildcard_subdomain,
    validate_subdomain_underscore, validate_csi_driver_name;
bool v_is_sysctl_name(str s);

/* --- addresses and formats (validate_format.c) ---------------------------------------------------------------------------- */
struct v_address {
    uint8_t bytes[16];
    bool v6;
};
bool v_parse_ip(str s, struct v_address *ret); /* leading zeros in IPv4 are accepted, as Kubernetes does */
bool v_parse_cidr(str s, struct v_address *ret, unsigned *ret_bits);
/* JSON-schema formats; unknown ones hold for everything. */
bool v_format_holds(str format, str text);

/* --- parts ------------------------------------------------------------------------------------------------------------------ */
void v_schema_walk(struct vctx *c, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old);
void v_custom(struct vctx *c);
void v_meta(struct vctx *c);
/* The name of an object of the resource, or a prefix to generate one from. */
const char *v_name_sentence(const struct api_resource *r, str name, bool is_prefix);

/* The type's own rule; NULL when it has none. */
validate_fn *v_rule_of(const struct schema_type *t);

/* validate_core_pod.c, validate_core_container.c, validate_core_volume.c, validate_core_schedule.c, validate_pod_update.c */
validate_fn v_pod, v_pod_spec, v_pod_template_spec, v_env_var, v_env_from, v_probe, v_lifecycle_handler, v_http_get, v_tcp_socket, v_grpc,
    v_exec, v_resources, v_security_context, v_pod_security_context, v_seccomp, v_app_armor, v_toleration, v_topology_spread,
    v_pod_affinity_term, v_weighted_pod_affinity_term, v_preferred_scheduling_term, v_node_selector_term, v_host_alias, v_pod_dns_config,
    v_volume, v_key_to_path, v_projected, v_downward_file, v_label_selector_requirement, v_label_selector, v_env_var_source,
    v_container_port, v_resize_policy;
/* What the containers of a pod may refer to. */
struct v_pod_names {
    struct v_map volumes;    /* name to volume */
    struct v_map containers; /* regular and init containers */
    struct v_map claims;
};
void v_containers(struct vctx *c, const struct vpath *p, const struct json *spec);
void v_volume_mounts(struct vctx *c, const struct vpath *p, const struct json *container, const struct v_pod_names *names);
void v_pod_update(struct vctx *c);
validate_fn v_pod_status;
void v_field_ref(struct vctx *c, const struct vpath *p, const struct json *ref, const char *supported);
void v_resource_field_ref(struct vctx *c, const struct vpath *p, const struct json *ref, bool in_volume);
void v_path_local(struct vctx *c, const struct vpath *p, str path);
void v_path_no_backsteps(struct vctx *c, const struct vpath *p, str path);
void v_resource_name(struct vctx *c, const struct vpath *p, str name);
void v_resource_quantity(struct vctx *c, const struct vpath *p, str name, const struct json *value);
bool v_is_extended_resource(str name);

/* validate_service.c */
validate_fn v_service;
/* validate_apps.c */
validate_fn v_deployment_spec, v_deployment_strategy, v_replica_set_spec, v_stateful_set, v_stateful_set_spec, v_daemon_set_spec,
    v_daemon_set_strategy, v_controller_revision, v_replication_controller_spec, v_replicas_status;
/* validate_core.c */
validate_fn v_config_map, v_secret, v_namespace, v_node, v_limit_range, v_limit_range_item, v_resource_quota, v_resource_quota_spec,
    v_endpoints, v_event, v_namespace_status, v_node_status, v_binding;
/* validate_storage.c */
validate_fn v_persistent_volume, v_persistent_volume_spec, v_persistent_volume_claim, v_persistent_volume_claim_spec, v_storage_class,
    v_csi_driver_spec, v_csi_node, v_csi_node_spec, v_csi_storage_capacity, v_volume_attachment, v_volume_attachment_source,
    v_csi_persistent_volume_source, v_local_volume_source;
/* validate_batch.c */
validate_fn v_job, v_job_spec, v_cron_job, v_cron_job_spec, v_job_template_spec, v_pod_failure_policy_rule, v_job_status;
/* validate_cron.c: false with Go's sentence in err. */
bool v_cron_parse(str schedule, struct err *err);
/* validate_rbac.c */
validate_fn v_cluster_role, v_role_binding, v_policy_rule;
/* validate_network.c */
validate_fn v_ingress, v_ingress_spec, v_ingress_path, v_ingress_backend, v_ingress_class, v_network_policy_spec, v_network_policy_port,
    v_network_policy_peer, v_ip_block, v_endpoint_slice, v_service_cidr, v_ip_address;
/* validate_certificates.c */
validate_fn v_csr_spec, v_csr_status;
/* validate_scheduling.c */
validate_fn v_queue, v_queue_spec, v_queue_status, v_kai_group_spec, v_coscheduling_group_spec, v_godel_group_spec, v_godel_affinity_term, v_godel_reservation_spec, v_topology_spec, v_shard_spec, v_workload_spec, v_workload_reference;
/* Parts of GPUs that a pod with such annotations and such a spec asks for; p is the path of the annotations. */
void v_gpu_annotations(struct vctx *c, const struct vpath *p, const struct json *annotations, const struct json *spec);
/* validate_kuscia.c */
validate_fn v_kuscia_domain, v_kuscia_app_image_spec, v_kuscia_pod_spec, v_kuscia_job_spec, v_kuscia_task_spec, v_kuscia_group_spec, v_kuscia_deployment_spec, v_kuscia_route_spec,
    v_kuscia_bandwidth_limit, v_kuscia_resources;
/* validate_misc.c */
validate_fn v_hpa_spec, v_hpa_metric, v_hpa_target, v_hpa_rules, v_hpa_policy, v_hpa_reference, v_pdb_spec, v_priority_class, v_lease_spec,
    v_runtime_class;
void v_domain_prefixed_path(struct vctx *c, const struct vpath *p, str path);
