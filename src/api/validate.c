/* validate.c - api_validate: which checks an object goes through, and the registry of the types' own rules. */
/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>

#include "api/crd.h"
#include "api/gen/gen.h"
#include "api/validate_internal.h"

struct type_rule {
    const struct schema_type *type;
    validate_fn *rule;
};

static const struct type_rule type_rules[] = {
    {&schema_meta_v1_LabelSelector, v_label_selector},
    {&schema_meta_v1_LabelSelectorRequirement, v_label_selector_requirement},

    {&schema_core_v1_Pod, v_pod},
    {&schema_core_v1_PodSpec, v_pod_spec},
    {&schema_core_v1_PodTemplateSpec, v_pod_template_spec},
    {&schema_core_v1_ContainerPort, v_container_port},
    {&schema_core_v1_EnvVar, v_env_var},
    {&schema_core_v1_EnvVarSource, v_env_var_source},
    {&schema_core_v1_EnvFromSource, v_env_from},
    {&schema_core_v1_Probe, v_probe},
    {&schema_core_v1_LifecycleHandler, v_lifecycle_handler},
    {&schema_core_v1_ExecAction, v_exec},
    {&schema_core_v1_HTTPGetAction, v_http_get},
    {&schema_core_v1_TCPSocketAction, v_tcp_socket},
    {&schema_core_v1_GRPCAction, v_grpc},
    {&schema_core_v1_ResourceRequirements, v_resources},
    {&schema_core_v1_ContainerResizePolicy, v_resize_policy},
    {&schema_core_v1_SecurityContext, v_security_context},
    {&schema_core_v1_PodSecurityContext, v_pod_security_context},
    {&schema_core_v1_SeccompProfile, v_seccomp},
    {&schema_core_v1_AppArmorProfile, v_app_armor},
    {&schema_core_v1_Toleration, v_toleration},
    {&schema_core_v1_TopologySpreadConstraint, v_topology_spread},
    {&schema_core_v1_PodAffinityTerm, v_pod_affinity_term},
    {&schema_core_v1_WeightedPodAffinityTerm, v_weighted_pod_affinity_term},
    {&schema_core_v1_PreferredSchedulingTerm, v_preferred_scheduling_term},
    {&schema_core_v1_NodeSelectorTerm, v_node_selector_term},
    {&schema_core_v1_HostAlias, v_host_alias},
    {&schema_core_v1_PodDNSConfig, v_pod_dns_config},
    {&schema_core_v1_Volume, v_volume},
    {&schema_core_v1_KeyToPath, v_key_to_path},
    {&schema_core_v1_ProjectedVolumeSource, v_projected},
    {&schema_core_v1_DownwardAPIVolumeFile, v_downward_file},

    {&schema_core_v1_Service, v_service},
    {&schema_core_v1_ConfigMap, v_config_map},
    {&schema_core_v1_Secret, v_secret},
    {&schema_core_v1_Namespace, v_namespace},
    {&schema_core_v1_Node, v_node},
    {&schema_core_v1_Binding, v_binding},
    {&schema_core_v1_LimitRange, v_limit_range},
    {&schema_core_v1_LimitRangeItem, v_limit_range_item},
    {&schema_core_v1_ResourceQuota, v_resource_quota},
    {&schema_core_v1_ResourceQuotaSpec, v_resource_quota_spec},
    {&schema_core_v1_Endpoints, v_endpoints},
    {&schema_core_v1_Event, v_event},
    {&schema_events_v1_Event, v_event},
    {&schema_core_v1_PersistentVolume, v_persistent_volume},
    {&schema_core_v1_PersistentVolumeSpec, v_persistent_volume_spec},
    {&schema_core_v1_PersistentVolumeClaim, v_persistent_volume_claim},
    {&schema_core_v1_PersistentVolumeClaimSpec, v_persistent_volume_claim_spec},
    {&schema_core_v1_CSIPersistentVolumeSource, v_csi_persistent_volume_source},
    {&schema_core_v1_LocalVolumeSource, v_local_volume_source},

    {&schema_core_v1_ReplicationControllerSpec, v_replication_controller_spec},
    {&schema_apps_v1_DeploymentSpec, v_deployment_spec},
    {&schema_apps_v1_DeploymentStrategy, v_deployment_strategy},
    {&schema_apps_v1_ReplicaSetSpec, v_replica_set_spec},
    {&schema_apps_v1_StatefulSet, v_stateful_set},
    {&schema_apps_v1_StatefulSetSpec, v_stateful_set_spec},
    {&schema_apps_v1_DaemonSetSpec, v_daemon_set_spec},
    {&schema_apps_v1_DaemonSetUpdateStrategy, v_daemon_set_strategy},
    {&schema_apps_v1_ControllerRevision, v_controller_revision},

    {&schema_batch_v1_Job, v_job},
    {&schema_batch_v1_JobSpec, v_job_spec},
    {&schema_batch_v1_PodFailurePolicyRule, v_pod_failure_policy_rule},
    {&schema_batch_v1_CronJob, v_cron_job},
    {&schema_batch_v1_CronJobSpec, v_cron_job_spec},
    {&schema_batch_v1_JobTemplateSpec, v_job_template_spec},

    {&schema_rbac_v1_ClusterRole, v_cluster_role},
    {&schema_rbac_v1_PolicyRule, v_policy_rule},
    {&schema_rbac_v1_RoleBinding, v_role_binding},
    {&schema_rbac_v1_ClusterRoleBinding, v_role_binding},

    {&schema_networking_v1_Ingress, v_ingress},
    {&schema_networking_v1_IngressSpec, v_ingress_spec},
    {&schema_networking_v1_HTTPIngressPath, v_ingress_path},
    {&schema_networking_v1_IngressBackend, v_ingress_backend},
    {&schema_networking_v1_IngressClass, v_ingress_class},
    {&schema_networking_v1_NetworkPolicySpec, v_network_policy_spec},
    {&schema_networking_v1_NetworkPolicyPort, v_network_policy_port},
    {&schema_networking_v1_NetworkPolicyPeer, v_network_policy_peer},
    {&schema_networking_v1_IPBlock, v_ip_block},
    {&schema_networking_v1_ServiceCIDR, v_service_cidr},
    {&schema_networking_v1_IPAddress, v_ip_address},
    {&schema_discovery_v1_EndpointSlice, v_endpoint_slice},

    {&schema_storage_v1_StorageClass, v_storage_class},
    {&schema_storage_v1_CSIDriverSpec, v_csi_driver_spec},
    {&schema_storage_v1_CSINode, v_csi_node},
    {&schema_storage_v1_CSINodeSpec, v_csi_node_spec},
    {&schema_storage_v1_CSIStorageCapacity, v_csi_storage_capacity},
    {&schema_storage_v1_VolumeAttachment, v_volume_attachment},
    {&schema_storage_v1_VolumeAttachmentSource, v_volume_attachment_source},

    {&schema_autoscaling_v1_HorizontalPodAutoscalerSpec, v_hpa_spec},
    {&schema_autoscaling_v1_CrossVersionObjectReference, v_hpa_reference},
    {&schema_autoscaling_v2_HorizontalPodAutoscalerSpec, v_hpa_spec},
    {&schema_autoscaling_v2_CrossVersionObjectReference, v_hpa_reference},
    {&schema_autoscaling_v2_MetricSpec, v_hpa_metric},
    {&schema_autoscaling_v2_MetricTarget, v_hpa_target},
    {&schema_autoscaling_v2_HPAScalingRules, v_hpa_rules},
    {&schema_autoscaling_v2_HPAScalingPolicy, v_hpa_policy},
    {&schema_policy_v1_PodDisruptionBudgetSpec, v_pdb_spec},
    {&schema_scheduling_v1_PriorityClass, v_priority_class},
    {&schema_coordination_v1_LeaseSpec, v_lease_spec},
    {&schema_node_v1_RuntimeClass, v_runtime_class},
    {&schema_runai_v2_Queue, v_queue},
    {&schema_runai_v2_QueueSpec, v_queue_spec},
    {&schema_runai_v2alpha2_PodGroupSpec, v_kai_group_spec},
    {&schema_coscheduling_v1alpha1_PodGroupSpec, v_coscheduling_group_spec},
    {&schema_godel_v1alpha1_PodGroupSpec, v_godel_group_spec},
    {&schema_godel_v1alpha1_PodGroupAffinityTerm, v_godel_affinity_term},
    {&schema_godel_v1alpha1_ReservationSpec, v_godel_reservation_spec},
    {&schema_kai_v1alpha1_TopologySpec, v_topology_spec},
    {&schema_scheduling_v1alpha1_WorkloadSpec, v_workload_spec},
    {&schema_core_v1_WorkloadReference, v_workload_reference},
    {&schema_kai_v1_SchedulingShardSpec, v_shard_spec},
    {&schema_kuscia_v1alpha1_Domain, v_kuscia_domain},
    {&schema_kuscia_v1alpha1_AppImageSpec, v_kuscia_app_image_spec},
    {&schema_kuscia_v1alpha1_PodSpec, v_kuscia_pod_spec},
    {&schema_kuscia_v1alpha1_KusciaJobSpec, v_kuscia_job_spec},
    {&schema_kuscia_v1alpha1_KusciaTaskSpec, v_kuscia_task_spec},
    {&schema_kuscia_v1alpha1_TaskResourceGroupSpec, v_kuscia_group_spec},
    {&schema_kuscia_v1alpha1_KusciaDeploymentSpec, v_kuscia_deployment_spec},
    {&schema_kuscia_v1alpha1_RouteSpec, v_kuscia_route_spec},
    {&schema_kuscia_v1alpha1_Resources, v_kuscia_resources},
    {&schema_kuscia_v1alpha1_BandwidthLimit, v_kuscia_bandwidth_limit},
    {&schema_certificates_v1_CertificateSigningRequestSpec, v_csr_spec},
    {&schema_certificates_v1_CertificateSigningRequestStatus, v_csr_status},
};

/* By the type of the resource; called with the status. */
static const struct type_rule status_rules[] = {
    {&schema_core_v1_Pod, v_pod_status},
    {&schema_core_v1_ReplicationController, v_replicas_status},
    {&schema_apps_v1_Deployment, v_replicas_status},
    {&schema_apps_v1_ReplicaSet, v_replicas_status},
    {&schema_apps_v1_StatefulSet, v_replicas_status},
    {&schema_apps_v1_DaemonSet, v_replicas_status},
    {&schema_core_v1_Namespace, v_namespace_status},
    {&schema_core_v1_Node, v_node_status},
    {&schema_batch_v1_Job, v_job_status},
    {&schema_certificates_v1_CertificateSigningRequest, v_csr_status},
    {&schema_runai_v2_Queue, v_queue_status},
};

/* Type rules by address, open addressing; filled once. */
#define SLOTS 1024
_Static_assert(ARRAY_LEN(type_rules) < SLOTS / 2, "the table of rules gets slow");
static const struct type_rule *rule_slots[SLOTS];
static pthread_once_t rule_slots_once = PTHREAD_ONCE_INIT;

static size_t slot_of(const struct schema_type *t)
{
    return ((uintptr_t)t / sizeof *t) * 2654435761u % SLOTS;
}

static void fill_rule_slots(void)
{
    for (size_t i = 0; i < ARRAY_LEN(type_rules); i++) {
        size_t at = slot_of(type_rules[i].type);
        while (rule_slots[at])
            at = (at + 1) % SLOTS;
        rule_slots[at] = &type_rules[i];
    }
}

validate_fn *v_rule_of(const struct schema_type *t)
{
    for (size_t at = slot_of(t); rule_slots[at]; at = (at + 1) % SLOTS) {
        if (rule_slots[at]->type == t)
            return rule_slots[at]->rule;
    }
    return NULL;
}

static void validate_status(struct vctx *c)
{
    const struct json *status = V_GET(c->obj, "status");
    for (size_t i = 0; status && i < ARRAY_LEN(status_rules); i++) {
        if (status_rules[i].type == c->res->type)
            status_rules[i].rule(c, V_FIELD(NULL, "status"), status);
    }
}

void api_validate(const struct api_resource *r, str subresource, const struct json *obj, const struct json *old, struct field_errors *e)
{
    struct vctx c = {.res = r, .sub = subresource, .obj = obj, .old = old, .e = e};
    pthread_once(&rule_slots_once, fill_rule_slots);
    v_meta(&c);
    if (r->flags & API_CUSTOM)
        v_custom(&c);
    else if (str_is(subresource, "status"))
        validate_status(&c);
    else if (r->type == &schema_apiextensions_v1_CustomResourceDefinition)
        crd_validate(obj, old, e);
    else
        v_schema_walk(&c, r->type, NULL, obj, old);
}
