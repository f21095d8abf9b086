/* core_v1.c: written by tools/gen_api.py from api/core_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const str enum_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod[] = {STR_INIT("ReadOnlyMany"), STR_INIT("ReadWriteMany"), STR_INIT("ReadWriteOnce"), STR_INIT("ReadWriteOncePod")};
static const struct schema_rules rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod = {.enums = enum_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod, .nenums = 4};
static const struct schema_type string_rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod = {.kind = SCHEMA_STRING, .rules = &rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod};
static const struct schema_type list_string_rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod};
static const struct schema_field fields_ObjectReference[7];
static const uint8_t index_ObjectReference[16];
static const struct schema_type granular_ObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectReference"), .openapi = STR_INIT("io.k8s.api.core.v1.ObjectReference"), .doc = STR_INIT("Names an object, or a part of it."), .fields = fields_ObjectReference, .nfields = 7, .index8 = index_ObjectReference, .index_mask = 15};
static const str enum_Delete_Recycle_Retain[] = {STR_INIT("Delete"), STR_INIT("Recycle"), STR_INIT("Retain")};
static const struct schema_rules rules_enums_Delete_Recycle_Retain = {.enums = enum_Delete_Recycle_Retain, .nenums = 3};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const str enum_Block_Filesystem[] = {STR_INIT("Block"), STR_INIT("Filesystem")};
static const struct schema_rules rules_enums_Block_Filesystem = {.enums = enum_Block_Filesystem, .nenums = 2};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_PersistentVolumeClaimCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PersistentVolumeClaimCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const str enum__BlockDevice_CharDevice_Directory_DirectoryOrCreate_File_FileOrCreate_Socket[] = {STR_INIT(""), STR_INIT("BlockDevice"), STR_INIT("CharDevice"), STR_INIT("Directory"), STR_INIT("DirectoryOrCreate"), STR_INIT("File"), STR_INIT("FileOrCreate"), STR_INIT("Socket")};
static const struct schema_rules rules_enums__BlockDevice_CharDevice_Directory_DirectoryOrCreate_File_FileOrCreate_Socket = {.enums = enum__BlockDevice_CharDevice_Directory_DirectoryOrCreate_File_FileOrCreate_Socket, .nenums = 8};
static const struct schema_type list_KeyToPath = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_KeyToPath};
static const struct schema_type list_VolumeProjection = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_VolumeProjection};
static const str enum_SCTP_TCP_UDP[] = {STR_INIT("SCTP"), STR_INIT("TCP"), STR_INIT("UDP")};
static const struct schema_rules rules_enums_SCTP_TCP_UDP = {.enums = enum_SCTP_TCP_UDP, .nenums = 3};
static const str enum_Disabled_Enabled_IfPossible[] = {STR_INIT("Disabled"), STR_INIT("Enabled"), STR_INIT("IfPossible")};
static const struct schema_rules rules_enums_Disabled_Enabled_IfPossible = {.enums = enum_Disabled_Enabled_IfPossible, .nenums = 3};
static const str enum_Bidirectional_HostToContainer_None[] = {STR_INIT("Bidirectional"), STR_INIT("HostToContainer"), STR_INIT("None")};
static const struct schema_rules rules_enums_Bidirectional_HostToContainer_None = {.enums = enum_Bidirectional_HostToContainer_None, .nenums = 3};
static const str enum_HTTP_HTTPS[] = {STR_INIT("HTTP"), STR_INIT("HTTPS")};
static const struct schema_rules rules_enums_HTTP_HTTPS = {.enums = enum_HTTP_HTTPS, .nenums = 2};
static const struct schema_type list_HTTPHeader = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_HTTPHeader};
static const str enum_NotRequired_RestartContainer[] = {STR_INIT("NotRequired"), STR_INIT("RestartContainer")};
static const struct schema_rules rules_enums_NotRequired_RestartContainer = {.enums = enum_NotRequired_RestartContainer, .nenums = 2};
static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_ResourceClaim_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ResourceClaim, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const str keys_containerPort_protocol[] = {STR_INIT("containerPort"), STR_INIT("protocol")};
static const struct schema_type list_ContainerPort_map_containerPort_protocol = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ContainerPort, .list_type = SCHEMA_LIST_MAP, .keys = keys_containerPort_protocol, .nkeys = 2};
static const struct schema_type list_EnvFromSource = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EnvFromSource};
static const struct schema_type list_EnvVar_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EnvVar, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_ContainerResizePolicy = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ContainerResizePolicy};
static const str enum_Always[] = {STR_INIT("Always")};
static const struct schema_rules rules_enums_Always = {.enums = enum_Always, .nenums = 1};
static const str keys_mountPath[] = {STR_INIT("mountPath")};
static const struct schema_type list_VolumeMount_map_mountPath = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_VolumeMount, .list_type = SCHEMA_LIST_MAP, .keys = keys_mountPath, .nkeys = 1};
static const str keys_devicePath[] = {STR_INIT("devicePath")};
static const struct schema_type list_VolumeDevice_map_devicePath = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_VolumeDevice, .list_type = SCHEMA_LIST_MAP, .keys = keys_devicePath, .nkeys = 1};
static const str enum_File_FallbackToLogsOnError[] = {STR_INIT("File"), STR_INIT("FallbackToLogsOnError")};
static const struct schema_rules rules_enums_File_FallbackToLogsOnError = {.enums = enum_File_FallbackToLogsOnError, .nenums = 2};
static const str enum_Always_IfNotPresent_Never[] = {STR_INIT("Always"), STR_INIT("IfNotPresent"), STR_INIT("Never")};
static const struct schema_rules rules_enums_Always_IfNotPresent_Never = {.enums = enum_Always_IfNotPresent_Never, .nenums = 3};
static const struct schema_type list_VolumeMountStatus_map_mountPath = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_VolumeMountStatus, .list_type = SCHEMA_LIST_MAP, .keys = keys_mountPath, .nkeys = 1};
static const struct schema_type list_ResourceStatus_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ResourceStatus, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const str keys_resourceID[] = {STR_INIT("resourceID")};
static const struct schema_type list_ResourceHealth_map_resourceID = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ResourceHealth, .list_type = SCHEMA_LIST_MAP, .keys = keys_resourceID, .nkeys = 1};
static const struct schema_type list_int64 = {.kind = SCHEMA_LIST, .elem = &schema_int64};
static const struct schema_type list_NodeSelectorTerm = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NodeSelectorTerm};
static const struct schema_type list_NodeSelectorRequirement = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NodeSelectorRequirement};
static const struct schema_type list_TopologySelectorLabelRequirement = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_TopologySelectorLabelRequirement};
static const struct schema_type list_PodAffinityTerm = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodAffinityTerm};
static const struct schema_type list_WeightedPodAffinityTerm = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_WeightedPodAffinityTerm};
static const struct schema_type list_PreferredSchedulingTerm = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PreferredSchedulingTerm};
static const str enum_NoSchedule_PreferNoSchedule_NoExecute[] = {STR_INIT("NoSchedule"), STR_INIT("PreferNoSchedule"), STR_INIT("NoExecute")};
static const struct schema_rules rules_enums_NoSchedule_PreferNoSchedule_NoExecute = {.enums = enum_NoSchedule_PreferNoSchedule_NoExecute, .nenums = 3};
static const str enum_Equal_Exists[] = {STR_INIT("Equal"), STR_INIT("Exists")};
static const struct schema_rules rules_enums_Equal_Exists = {.enums = enum_Equal_Exists, .nenums = 2};
static const struct schema_type list_Volume_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Volume, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_Container_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Container, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_EphemeralContainer_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EphemeralContainer, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const str enum_Always_OnFailure_Never[] = {STR_INIT("Always"), STR_INIT("OnFailure"), STR_INIT("Never")};
static const struct schema_rules rules_enums_Always_OnFailure_Never = {.enums = enum_Always_OnFailure_Never, .nenums = 3};
static const str enum_ClusterFirstWithHostNet_ClusterFirst_Default_None[] = {STR_INIT("ClusterFirstWithHostNet"), STR_INIT("ClusterFirst"), STR_INIT("Default"), STR_INIT("None")};
static const struct schema_rules rules_enums_ClusterFirstWithHostNet_ClusterFirst_Default_None = {.enums = enum_ClusterFirstWithHostNet_ClusterFirst_Default_None, .nenums = 4};
static const struct schema_type map_string_atomic = {.kind = SCHEMA_MAP, .elem = &schema_string, .atomic = true};
static const struct schema_type list_LocalObjectReference_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_LocalObjectReference, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_Toleration = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Toleration};
static const str keys_ip[] = {STR_INIT("ip")};
static const struct schema_type list_HostAlias_map_ip = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_HostAlias, .list_type = SCHEMA_LIST_MAP, .keys = keys_ip, .nkeys = 1};
static const struct schema_type list_PodReadinessGate = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodReadinessGate};
static const str enum_PreemptLowerPriority_Never[] = {STR_INIT("PreemptLowerPriority"), STR_INIT("Never")};
static const struct schema_rules rules_enums_PreemptLowerPriority_Never = {.enums = enum_PreemptLowerPriority_Never, .nenums = 2};
static const str keys_topologyKey_whenUnsatisfiable[] = {STR_INIT("topologyKey"), STR_INIT("whenUnsatisfiable")};
static const struct schema_type list_TopologySpreadConstraint_map_topologyKey_whenUnsatisfiable = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_TopologySpreadConstraint, .list_type = SCHEMA_LIST_MAP, .keys = keys_topologyKey_whenUnsatisfiable, .nkeys = 2};
static const struct schema_type list_PodSchedulingGate_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodSchedulingGate, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_PodResourceClaim_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodResourceClaim, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const str enum_linux_windows[] = {STR_INIT("linux"), STR_INIT("windows")};
static const struct schema_rules rules_enums_linux_windows = {.enums = enum_linux_windows, .nenums = 2};
static const str enum_DoNotSchedule_ScheduleAnyway[] = {STR_INIT("DoNotSchedule"), STR_INIT("ScheduleAnyway")};
static const struct schema_rules rules_enums_DoNotSchedule_ScheduleAnyway = {.enums = enum_DoNotSchedule_ScheduleAnyway, .nenums = 2};
static const str enum_Honor_Ignore[] = {STR_INIT("Honor"), STR_INIT("Ignore")};
static const struct schema_rules rules_enums_Honor_Ignore = {.enums = enum_Honor_Ignore, .nenums = 2};
static const str enum_Merge_Strict[] = {STR_INIT("Merge"), STR_INIT("Strict")};
static const struct schema_rules rules_enums_Merge_Strict = {.enums = enum_Merge_Strict, .nenums = 2};
static const struct schema_type list_Sysctl = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Sysctl};
static const str enum_Always_OnRootMismatch[] = {STR_INIT("Always"), STR_INIT("OnRootMismatch")};
static const struct schema_rules rules_enums_Always_OnRootMismatch = {.enums = enum_Always_OnRootMismatch, .nenums = 2};
static const str enum_MountOption_Recursive[] = {STR_INIT("MountOption"), STR_INIT("Recursive")};
static const struct schema_rules rules_enums_MountOption_Recursive = {.enums = enum_MountOption_Recursive, .nenums = 2};
static const str enum_Localhost_RuntimeDefault_Unconfined[] = {STR_INIT("Localhost"), STR_INIT("RuntimeDefault"), STR_INIT("Unconfined")};
static const struct schema_rules rules_enums_Localhost_RuntimeDefault_Unconfined = {.enums = enum_Localhost_RuntimeDefault_Unconfined, .nenums = 3};
static const struct schema_type list_PodDNSConfigOption = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodDNSConfigOption};
static const struct schema_type list_PodCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_HostIP = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_HostIP};
static const struct schema_type list_PodIP_map_ip = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodIP, .list_type = SCHEMA_LIST_MAP, .keys = keys_ip, .nkeys = 1};
static const struct schema_type list_ContainerStatus = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ContainerStatus};
static const struct schema_type list_PodResourceClaimStatus_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodResourceClaimStatus, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_ReplicationControllerCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ReplicationControllerCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_meta_v1_Condition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_meta_v1_Condition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_LoadBalancerIngress = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_LoadBalancerIngress};
static const str enum_Proxy_VIP[] = {STR_INIT("Proxy"), STR_INIT("VIP")};
static const struct schema_rules rules_enums_Proxy_VIP = {.enums = enum_Proxy_VIP, .nenums = 2};
static const struct schema_type list_PortStatus = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PortStatus};
static const str keys_port_protocol[] = {STR_INIT("port"), STR_INIT("protocol")};
static const struct schema_type list_ServicePort_map_port_protocol = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ServicePort, .list_type = SCHEMA_LIST_MAP, .keys = keys_port_protocol, .nkeys = 2};
static const str enum_ClusterIP_ExternalName_LoadBalancer_NodePort[] = {STR_INIT("ClusterIP"), STR_INIT("ExternalName"), STR_INIT("LoadBalancer"), STR_INIT("NodePort")};
static const struct schema_rules rules_enums_ClusterIP_ExternalName_LoadBalancer_NodePort = {.enums = enum_ClusterIP_ExternalName_LoadBalancer_NodePort, .nenums = 4};
static const str enum_ClientIP_None[] = {STR_INIT("ClientIP"), STR_INIT("None")};
static const struct schema_rules rules_enums_ClientIP_None = {.enums = enum_ClientIP_None, .nenums = 2};
static const str enum_Cluster_Local[] = {STR_INIT("Cluster"), STR_INIT("Local")};
static const struct schema_rules rules_enums_Cluster_Local = {.enums = enum_Cluster_Local, .nenums = 2};
static const str enum_IPv4_IPv6[] = {STR_INIT("IPv4"), STR_INIT("IPv6")};
static const struct schema_rules rules_enums_IPv4_IPv6 = {.enums = enum_IPv4_IPv6, .nenums = 2};
static const struct schema_type string_rules_enums_IPv4_IPv6 = {.kind = SCHEMA_STRING, .rules = &rules_enums_IPv4_IPv6};
static const struct schema_type list_string_rules_enums_IPv4_IPv6 = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_IPv4_IPv6};
static const str enum_PreferDualStack_RequireDualStack_SingleStack[] = {STR_INIT("PreferDualStack"), STR_INIT("RequireDualStack"), STR_INIT("SingleStack")};
static const struct schema_rules rules_enums_PreferDualStack_RequireDualStack_SingleStack = {.enums = enum_PreferDualStack_RequireDualStack_SingleStack, .nenums = 3};
static const struct schema_type list_ObjectReference_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ObjectReference, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_LocalObjectReference = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_LocalObjectReference};
static const struct schema_type list_EndpointSubset = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EndpointSubset};
static const struct schema_type list_EndpointAddress = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EndpointAddress};
static const struct schema_type list_EndpointPort = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EndpointPort};
static const struct schema_type list_string_set = {.kind = SCHEMA_LIST, .elem = &schema_string, .list_type = SCHEMA_LIST_SET};
static const struct schema_type list_Taint = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Taint};
static const struct schema_type list_NodeCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NodeCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_NodeAddress_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NodeAddress, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_ContainerImage = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ContainerImage};
static const struct schema_type list_AttachedVolume = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_AttachedVolume};
static const struct schema_type list_NodeRuntimeHandler = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NodeRuntimeHandler};
static const struct schema_type list_NamespaceCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_NamespaceCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_int32 = {.kind = SCHEMA_LIST, .elem = &schema_int32};
static const struct schema_type list_LimitRangeItem = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_LimitRangeItem};
static const struct schema_type list_ScopedResourceSelectorRequirement = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ScopedResourceSelectorRequirement};
static const struct schema_type map_bytes = {.kind = SCHEMA_MAP, .elem = &schema_bytes};
static const struct schema_type list_ComponentCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ComponentCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_DownwardAPIVolumeFile = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_DownwardAPIVolumeFile};
static const str enum_Default_Unmasked[] = {STR_INIT("Default"), STR_INIT("Unmasked")};
static const struct schema_rules rules_enums_Default_Unmasked = {.enums = enum_Default_Unmasked, .nenums = 2};
static const struct schema_type list_ComponentStatus = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ComponentStatus};
static const struct schema_type list_ConfigMap = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ConfigMap};
static const struct schema_type list_Endpoints = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Endpoints};
static const struct schema_type list_Event = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Event};
static const struct schema_type list_LimitRange = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_LimitRange};
static const struct schema_type list_Namespace = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Namespace};
static const struct schema_type list_Node = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Node};
static const struct schema_type list_PersistentVolumeClaim = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PersistentVolumeClaim};
static const struct schema_type list_PersistentVolume = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PersistentVolume};
static const struct schema_type list_Pod = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Pod};
static const struct schema_type list_PodTemplate = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_PodTemplate};
static const struct schema_type list_ReplicationController = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ReplicationController};
static const struct schema_type list_ResourceQuota = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ResourceQuota};
static const struct schema_type list_Secret = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Secret};
static const struct schema_type list_ServiceAccount = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ServiceAccount};
static const struct schema_type list_Service = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Service};
static const str short_names_cs[] = {STR_INIT("cs")};
static const str short_names_cm[] = {STR_INIT("cm")};
static const str short_names_ep[] = {STR_INIT("ep")};
static const str short_names_ev[] = {STR_INIT("ev")};
static const str field_labels_involvedObject_kind_involvedObject_namespace_involvedObject_name_involvedObject_uid_involvedObject_apiVersion_involvedObject_resourceVersion_involvedObject_fieldPath_reason_reportingComponent_source_type[] = {STR_INIT("involvedObject.kind"), STR_INIT("involvedObject.namespace"), STR_INIT("involvedObject.name"), STR_INIT("involvedObject.uid"), STR_INIT("involvedObject.apiVersion"), STR_INIT("involvedObject.resourceVersion"), STR_INIT("involvedObject.fieldPath"), STR_INIT("reason"), STR_INIT("reportingComponent"), STR_INIT("source"), STR_INIT("type")};
static const str short_names_limits[] = {STR_INIT("limits")};
static const str short_names_ns[] = {STR_INIT("ns")};
static const str field_labels_status_phase[] = {STR_INIT("status.phase")};
static const str short_names_no[] = {STR_INIT("no")};
static const str field_labels_spec_unschedulable[] = {STR_INIT("spec.unschedulable")};
static const str short_names_pvc[] = {STR_INIT("pvc")};
static const str short_names_pv[] = {STR_INIT("pv")};
static const str short_names_po[] = {STR_INIT("po")};
static const str categories_all[] = {STR_INIT("all")};
static const str field_labels_spec_nodeName_spec_restartPolicy_spec_schedulerName_spec_serviceAccountName_spec_hostNetwork_status_phase_status_podIP_status_podIPs_status_nominatedNodeName[] = {STR_INIT("spec.nodeName"), STR_INIT("spec.restartPolicy"), STR_INIT("spec.schedulerName"), STR_INIT("spec.serviceAccountName"), STR_INIT("spec.hostNetwork"), STR_INIT("status.phase"), STR_INIT("status.podIP"), STR_INIT("status.podIPs"), STR_INIT("status.nominatedNodeName")};
static const str short_names_rc[] = {STR_INIT("rc")};
static const str field_labels_status_replicas[] = {STR_INIT("status.replicas")};
static const str short_names_quota[] = {STR_INIT("quota")};
static const str field_labels_type[] = {STR_INIT("type")};
static const str short_names_sa[] = {STR_INIT("sa")};
static const str short_names_svc[] = {STR_INIT("svc")};
static const str field_labels_spec_clusterIP_spec_type[] = {STR_INIT("spec.clusterIP"), STR_INIT("spec.type")};
static const struct schema_field fields_Volume[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name that volumeMounts refer to; unique within the pod.")},
    {.name = STR_INIT("volumeSource"), .type = &schema_core_v1_VolumeSource, .pb = 2, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: where the content comes from.")}};
const struct schema_type schema_core_v1_Volume = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Volume"), .openapi = STR_INIT("io.k8s.api.core.v1.Volume"), .doc = STR_INIT("A named volume that containers of the pod can mount."), .fields = fields_Volume, .nfields = 2};

static const struct schema_field fields_VolumeSource[30] = {
    {.name = STR_INIT("hostPath"), .type = &schema_core_v1_HostPathVolumeSource, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("A file or folder of the node the pod runs on.")},
    {.name = STR_INIT("emptyDir"), .type = &schema_core_v1_EmptyDirVolumeSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Scratch space that starts empty and goes with the pod.")},
    {.name = STR_INIT("gcePersistentDisk"), .type = &schema_core_v1_GCEPersistentDiskVolumeSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Google Compute Engine disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("awsElasticBlockStore"), .type = &schema_core_v1_AWSElasticBlockStoreVolumeSource, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("AWS EBS disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("gitRepo"), .type = &schema_core_v1_GitRepoVolumeSource, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Deprecated: a git checkout. Clone in an init container instead.")},
    {.name = STR_INIT("secret"), .type = &schema_core_v1_SecretVolumeSource, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Keys of a secret, as files.")},
    {.name = STR_INIT("nfs"), .type = &schema_core_v1_NFSVolumeSource, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Folder exported by an NFS server.")},
    {.name = STR_INIT("iscsi"), .type = &schema_core_v1_ISCSIVolumeSource, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Disk reached over iSCSI.")},
    {.name = STR_INIT("glusterfs"), .type = &schema_core_v1_GlusterfsVolumeSource, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("GlusterFS volume; deprecated.")},
    {.name = STR_INIT("persistentVolumeClaim"), .type = &schema_core_v1_PersistentVolumeClaimVolumeSource, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Storage of a claim in the pod's namespace.")},
    {.name = STR_INIT("rbd"), .type = &schema_core_v1_RBDVolumeSource, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Ceph RBD block device; deprecated.")},
    {.name = STR_INIT("flexVolume"), .type = &schema_core_v1_FlexVolumeSource, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Volume of an exec-based driver; deprecated in favour of CSI.")},
    {.name = STR_INIT("cinder"), .type = &schema_core_v1_CinderVolumeSource, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("OpenStack Cinder volume; deprecated in favour of CSI.")},
    {.name = STR_INIT("cephfs"), .type = &schema_core_v1_CephFSVolumeSource, .pb = 14, .flags = SCHEMA_POINTER, .doc = STR_INIT("CephFS file system; deprecated.")},
    {.name = STR_INIT("flocker"), .type = &schema_core_v1_FlockerVolumeSource, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Flocker dataset; deprecated.")},
    {.name = STR_INIT("downwardAPI"), .type = &schema_core_v1_DownwardAPIVolumeSource, .pb = 16, .flags = SCHEMA_POINTER, .doc = STR_INIT("Facts about the pod itself, as files.")},
    {.name = STR_INIT("fc"), .type = &schema_core_v1_FCVolumeSource, .pb = 17, .flags = SCHEMA_POINTER, .doc = STR_INIT("Disk reached over Fibre Channel.")},
    {.name = STR_INIT("azureFile"), .type = &schema_core_v1_AzureFileVolumeSource, .pb = 18, .flags = SCHEMA_POINTER, .doc = STR_INIT("Azure file share; deprecated in favour of CSI.")},
    {.name = STR_INIT("configMap"), .type = &schema_core_v1_ConfigMapVolumeSource, .pb = 19, .flags = SCHEMA_POINTER, .doc = STR_INIT("Keys of a config map, as files.")},
    {.name = STR_INIT("vsphereVolume"), .type = &schema_core_v1_VsphereVirtualDiskVolumeSource, .pb = 20, .flags = SCHEMA_POINTER, .doc = STR_INIT("Virtual disk of vSphere; deprecated in favour of CSI.")},
    {.name = STR_INIT("quobyte"), .type = &schema_core_v1_QuobyteVolumeSource, .pb = 21, .flags = SCHEMA_POINTER, .doc = STR_INIT("Quobyte volume; deprecated.")},
    {.name = STR_INIT("azureDisk"), .type = &schema_core_v1_AzureDiskVolumeSource, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Azure data disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("photonPersistentDisk"), .type = &schema_core_v1_PhotonPersistentDiskVolumeSource, .pb = 23, .flags = SCHEMA_POINTER, .doc = STR_INIT("Photon Controller disk; deprecated.")},
    {.name = STR_INIT("projected"), .type = &schema_core_v1_ProjectedVolumeSource, .pb = 26, .flags = SCHEMA_POINTER, .doc = STR_INIT("Several sources merged into one folder.")},
    {.name = STR_INIT("portworxVolume"), .type = &schema_core_v1_PortworxVolumeSource, .pb = 24, .flags = SCHEMA_POINTER, .doc = STR_INIT("Portworx volume; deprecated in favour of CSI.")},
    {.name = STR_INIT("scaleIO"), .type = &schema_core_v1_ScaleIOVolumeSource, .pb = 25, .flags = SCHEMA_POINTER, .doc = STR_INIT("ScaleIO volume; deprecated.")},
    {.name = STR_INIT("storageos"), .type = &schema_core_v1_StorageOSVolumeSource, .pb = 27, .flags = SCHEMA_POINTER, .doc = STR_INIT("StorageOS volume; deprecated.")},
    {.name = STR_INIT("csi"), .type = &schema_core_v1_CSIVolumeSource, .pb = 28, .flags = SCHEMA_POINTER, .doc = STR_INIT("Short-lived storage from a CSI driver.")},
    {.name = STR_INIT("ephemeral"), .type = &schema_core_v1_EphemeralVolumeSource, .pb = 29, .flags = SCHEMA_POINTER, .doc = STR_INIT("A claim made for this pod and deleted along with it.")},
    {.name = STR_INIT("image"), .type = &schema_core_v1_ImageVolumeSource, .pb = 30, .flags = SCHEMA_POINTER, .doc = STR_INIT("Content of a container image, read-only.")}};
static const uint8_t index_VolumeSource[64] = {24, 15, 9, 5, 0, 0, 21, 19, 1, 27, 0, 0, 0, 0, 17, 20, 0, 6, 16, 0, 0, 0, 18, 0, 13, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11, 0, 2, 26, 0, 0, 0, 0, 0, 29, 0, 14, 23, 25, 28, 3, 7, 12, 0, 0, 0, 0, 0, 30, 4, 0, 22, 8, 10};
const struct schema_type schema_core_v1_VolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeSource"), .openapi = STR_INIT(""), .doc = STR_INIT("Where the content of a volume comes from; exactly one member is set."), .fields = fields_VolumeSource, .nfields = 30, .index8 = index_VolumeSource, .index_mask = 63};

static const struct schema_field fields_PersistentVolumeClaimVolumeSource[2] = {
    {.name = STR_INIT("claimName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Claim to use, in the namespace of the pod.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 2, .doc = STR_INIT("True mounts it read-only in all containers; false when absent.")}};
const struct schema_type schema_core_v1_PersistentVolumeClaimVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource"), .doc = STR_INIT("Uses a claim of the pod's namespace as volume."), .fields = fields_PersistentVolumeClaimVolumeSource, .nfields = 2};

static const struct schema_field fields_PersistentVolumeSource[22] = {
    {.name = STR_INIT("gcePersistentDisk"), .type = &schema_core_v1_GCEPersistentDiskVolumeSource, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Google Compute Engine disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("awsElasticBlockStore"), .type = &schema_core_v1_AWSElasticBlockStoreVolumeSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("AWS EBS disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("hostPath"), .type = &schema_core_v1_HostPathVolumeSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("A file or folder of the node the pod runs on.")},
    {.name = STR_INIT("glusterfs"), .type = &schema_core_v1_GlusterfsPersistentVolumeSource, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("GlusterFS volume; deprecated.")},
    {.name = STR_INIT("nfs"), .type = &schema_core_v1_NFSVolumeSource, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Folder exported by an NFS server.")},
    {.name = STR_INIT("rbd"), .type = &schema_core_v1_RBDPersistentVolumeSource, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Ceph RBD block device; deprecated.")},
    {.name = STR_INIT("iscsi"), .type = &schema_core_v1_ISCSIPersistentVolumeSource, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Disk reached over iSCSI.")},
    {.name = STR_INIT("cinder"), .type = &schema_core_v1_CinderPersistentVolumeSource, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("OpenStack Cinder volume; deprecated in favour of CSI.")},
    {.name = STR_INIT("cephfs"), .type = &schema_core_v1_CephFSPersistentVolumeSource, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("CephFS file system; deprecated.")},
    {.name = STR_INIT("fc"), .type = &schema_core_v1_FCVolumeSource, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Disk reached over Fibre Channel.")},
    {.name = STR_INIT("flocker"), .type = &schema_core_v1_FlockerVolumeSource, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Flocker dataset; deprecated.")},
    {.name = STR_INIT("flexVolume"), .type = &schema_core_v1_FlexPersistentVolumeSource, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Volume of an exec-based driver; deprecated in favour of CSI.")},
    {.name = STR_INIT("azureFile"), .type = &schema_core_v1_AzureFilePersistentVolumeSource, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("Azure file share; deprecated in favour of CSI.")},
    {.name = STR_INIT("vsphereVolume"), .type = &schema_core_v1_VsphereVirtualDiskVolumeSource, .pb = 14, .flags = SCHEMA_POINTER, .doc = STR_INIT("Virtual disk of vSphere; deprecated in favour of CSI.")},
    {.name = STR_INIT("quobyte"), .type = &schema_core_v1_QuobyteVolumeSource, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Quobyte volume; deprecated.")},
    {.name = STR_INIT("azureDisk"), .type = &schema_core_v1_AzureDiskVolumeSource, .pb = 16, .flags = SCHEMA_POINTER, .doc = STR_INIT("Azure data disk; deprecated in favour of CSI.")},
    {.name = STR_INIT("photonPersistentDisk"), .type = &schema_core_v1_PhotonPersistentDiskVolumeSource, .pb = 17, .flags = SCHEMA_POINTER, .doc = STR_INIT("Photon Controller disk; deprecated.")},
    {.name = STR_INIT("portworxVolume"), .type = &schema_core_v1_PortworxVolumeSource, .pb = 18, .flags = SCHEMA_POINTER, .doc = STR_INIT("Portworx volume; deprecated in favour of CSI.")},
    {.name = STR_INIT("scaleIO"), .type = &schema_core_v1_ScaleIOPersistentVolumeSource, .pb = 19, .flags = SCHEMA_POINTER, .doc = STR_INIT("ScaleIO volume; deprecated.")},
    {.name = STR_INIT("local"), .type = &schema_core_v1_LocalVolumeSource, .pb = 20, .flags = SCHEMA_POINTER, .doc = STR_INIT("Disk or folder of one node; needs nodeAffinity.")},
    {.name = STR_INIT("storageos"), .type = &schema_core_v1_StorageOSPersistentVolumeSource, .pb = 21, .flags = SCHEMA_POINTER, .doc = STR_INIT("StorageOS volume; deprecated.")},
    {.name = STR_INIT("csi"), .type = &schema_core_v1_CSIPersistentVolumeSource, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Storage from a CSI driver.")}};
static const uint8_t index_PersistentVolumeSource[64] = {0, 11, 4, 0, 0, 0, 15, 0, 3, 20, 21, 0, 0, 0, 10, 14, 0, 0, 0, 0, 0, 0, 13, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 9, 17, 18, 22, 1, 5, 12, 0, 0, 0, 0, 0, 0, 2, 0, 16, 7, 0};
const struct schema_type schema_core_v1_PersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeSource"), .openapi = STR_INIT(""), .doc = STR_INIT("Where a persistent volume lives; exactly one member is set."), .fields = fields_PersistentVolumeSource, .nfields = 22, .index8 = index_PersistentVolumeSource, .index_mask = 63};

static const struct schema_field fields_PersistentVolume[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_PersistentVolumeSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_PersistentVolumeStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PersistentVolume[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_PersistentVolume = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolume"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolume"), .doc = STR_INIT("A piece of storage in the cluster."), .fields = fields_PersistentVolume, .nfields = 5, .index8 = index_PersistentVolume, .index_mask = 15};

static const struct schema_field fields_PersistentVolumeSpec[10] = {
    {.name = STR_INIT("capacity"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Size of the volume, under the key storage.")},
    {.name = STR_INIT("persistentVolumeSource"), .type = &schema_core_v1_PersistentVolumeSource, .pb = 2, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: the storage behind the volume.")},
    {.name = STR_INIT("accessModes"), .type = &list_string_rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod, .pb = 3, .doc = STR_INIT("Mount modes it supports, such as ReadWriteOnce.")},
    {.name = STR_INIT("claimRef"), .type = &granular_ObjectReference, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Claim the volume is bound to, or reserved for.")},
    {.name = STR_INIT("persistentVolumeReclaimPolicy"), .type = &schema_string, .pb = 5, .dflt = STR_INIT("\"Retain\""), .doc = STR_INIT("What happens once the claim is gone: Retain, Delete or Recycle (deprecated)."), .rules = &rules_enums_Delete_Recycle_Retain},
    {.name = STR_INIT("storageClassName"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Class of the volume; only claims of the same class match.")},
    {.name = STR_INIT("mountOptions"), .type = &list_string, .pb = 7, .doc = STR_INIT("Options for mounting, such as ro; not checked beforehand.")},
    {.name = STR_INIT("volumeMode"), .type = &schema_string, .pb = 8, .flags = SCHEMA_POINTER | SCHEMA_IMMUTABLE, .dflt = STR_INIT("\"Filesystem\""), .doc = STR_INIT("Filesystem for a mounted folder, Block for a raw device."), .rules = &rules_enums_Block_Filesystem},
    {.name = STR_INIT("nodeAffinity"), .type = &schema_core_v1_VolumeNodeAffinity, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Nodes that can reach the volume; absent means all.")},
    {.name = STR_INIT("volumeAttributesClassName"), .type = &schema_string, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Class of tunable settings the volume has; empty for none.")}};
static const uint8_t index_PersistentVolumeSpec[32] = {4, 9, 0, 0, 0, 3, 6, 0, 8, 1, 0, 5, 0, 0, 0, 2, 0, 0, 0, 0, 7, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_PersistentVolumeSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeSpec"), .doc = STR_INIT("What a persistent volume is: size, modes, place, owner."), .fields = fields_PersistentVolumeSpec, .nfields = 10, .index8 = index_PersistentVolumeSpec, .index_mask = 31};

static const struct schema_field fields_VolumeNodeAffinity[1] = {
    {.name = STR_INIT("required"), .type = &schema_core_v1_NodeSelector, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Nodes must match this, or pods with the volume cannot run there.")}};
const struct schema_type schema_core_v1_VolumeNodeAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeNodeAffinity"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeNodeAffinity"), .doc = STR_INIT("From which nodes a volume can be reached."), .fields = fields_VolumeNodeAffinity, .nfields = 1};

static const struct schema_field fields_PersistentVolumeStatus[4] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"Pending\""), .doc = STR_INIT("Pending, Available, Bound, Released or Failed.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2, .doc = STR_INIT("What led to the phase, for people.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Why the volume failed, as one word for programs.")},
    {.name = STR_INIT("lastPhaseTransitionTime"), .type = &schema_time, .pb = 4, .doc = STR_INIT("When the phase last changed.")}};
const struct schema_type schema_core_v1_PersistentVolumeStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeStatus"), .doc = STR_INIT("Phase of a persistent volume."), .fields = fields_PersistentVolumeStatus, .nfields = 4};

static const struct schema_field fields_PersistentVolumeClaim[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_PersistentVolumeClaimSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_PersistentVolumeClaimStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PersistentVolumeClaim[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_PersistentVolumeClaim = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaim"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaim"), .doc = STR_INIT("A request for storage by a user."), .fields = fields_PersistentVolumeClaim, .nfields = 5, .index8 = index_PersistentVolumeClaim, .index_mask = 15};

static const struct schema_field fields_PersistentVolumeClaimSpec[9] = {
    {.name = STR_INIT("accessModes"), .type = &list_string_rules_enums_ReadOnlyMany_ReadWriteMany_ReadWriteOnce_ReadWriteOncePod, .pb = 1, .doc = STR_INIT("Ways the pods want to mount it, such as ReadWriteOnce.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Only volumes with matching labels may be bound.")},
    {.name = STR_INIT("resources"), .type = &schema_core_v1_VolumeResourceRequirements, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Size wanted, under requests.storage.")},
    {.name = STR_INIT("volumeName"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Volume bound to the claim; set it to demand a certain one.")},
    {.name = STR_INIT("storageClassName"), .type = &schema_string, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Class wanted; absent means the default one, \"\" means no class.")},
    {.name = STR_INIT("volumeMode"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"Filesystem\""), .doc = STR_INIT("Filesystem for a mounted folder, Block for a raw device."), .rules = &rules_enums_Block_Filesystem},
    {.name = STR_INIT("dataSource"), .type = &schema_core_v1_TypedLocalObjectReference, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Snapshot or claim to fill the new volume from.")},
    {.name = STR_INIT("dataSourceRef"), .type = &schema_core_v1_TypedObjectReference, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Like dataSource, but any kind, and other namespaces where allowed.")},
    {.name = STR_INIT("volumeAttributesClassName"), .type = &schema_string, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Class of tunable settings wanted; may be changed later.")}};
static const uint8_t index_PersistentVolumeClaimSpec[32] = {0, 0, 0, 0, 0, 1, 5, 8, 6, 0, 0, 0, 4, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 7, 9, 0, 0, 2, 0, 0, 0};
const struct schema_type schema_core_v1_PersistentVolumeClaimSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimSpec"), .doc = STR_INIT("What kind of storage the claim asks for."), .fields = fields_PersistentVolumeClaimSpec, .nfields = 9, .index8 = index_PersistentVolumeClaimSpec, .index_mask = 31};

static const struct schema_field fields_TypedObjectReference[4] = {
    {.name = STR_INIT("apiGroup"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("API group of the object; absent or empty for the core group.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the object referred to.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the object referred to.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespace of the object; absent means that of the referrer.")}};
const struct schema_type schema_core_v1_TypedObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TypedObjectReference"), .openapi = STR_INIT("io.k8s.api.core.v1.TypedObjectReference"), .doc = STR_INIT("Names an object by group, kind, name and namespace."), .fields = fields_TypedObjectReference, .nfields = 4};

static const struct schema_field fields_ModifyVolumeStatus[2] = {
    {.name = STR_INIT("targetVolumeAttributesClassName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Class that the volume is being moved to.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Pending, InProgress, or Infeasible when the driver refused.")}};
const struct schema_type schema_core_v1_ModifyVolumeStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ModifyVolumeStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ModifyVolumeStatus"), .doc = STR_INIT("Progress of changing a volume's attributes class."), .fields = fields_ModifyVolumeStatus, .nfields = 2};

static const struct schema_field fields_PersistentVolumeClaimCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as Resizing or FileSystemResizePending.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastProbeTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the condition was last checked.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_PersistentVolumeClaimCondition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 0, 0, 3, 1, 0, 2};
const struct schema_type schema_core_v1_PersistentVolumeClaimCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimCondition"), .doc = STR_INIT("One aspect of a claim's state."), .fields = fields_PersistentVolumeClaimCondition, .nfields = 6, .index8 = index_PersistentVolumeClaimCondition, .index_mask = 15};

static const struct schema_field fields_PersistentVolumeClaimStatus[8] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"Pending\""), .doc = STR_INIT("Pending until a volume is found, then Bound; Lost if it vanished.")},
    {.name = STR_INIT("accessModes"), .type = &list_string, .pb = 2, .doc = STR_INIT("Ways the bound volume can be mounted.")},
    {.name = STR_INIT("capacity"), .type = &map_quantity, .pb = 3, .doc = STR_INIT("Actual size of the bound volume.")},
    {.name = STR_INIT("conditions"), .type = &list_PersistentVolumeClaimCondition_map_type, .pb = 4, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("allocatedResources"), .type = &map_quantity, .pb = 5, .doc = STR_INIT("Size being worked towards during an expansion.")},
    {.name = STR_INIT("allocatedResourceStatuses"), .type = &map_string, .pb = 7, .doc = STR_INIT("How far the expansion of each resource is.")},
    {.name = STR_INIT("currentVolumeAttributesClassName"), .type = &schema_string, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Class of tunable settings in force; absent for none.")},
    {.name = STR_INIT("modifyVolumeStatus"), .type = &schema_core_v1_ModifyVolumeStatus, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Progress of a change of the attributes class; absent when idle.")}};
static const uint8_t index_PersistentVolumeClaimStatus[16] = {6, 0, 0, 0, 7, 2, 0, 4, 1, 3, 8, 5, 0, 0, 0, 0};
const struct schema_type schema_core_v1_PersistentVolumeClaimStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimStatus"), .doc = STR_INIT("What the claim got."), .fields = fields_PersistentVolumeClaimStatus, .nfields = 8, .index8 = index_PersistentVolumeClaimStatus, .index_mask = 15};

static const struct schema_field fields_HostPathVolumeSource[2] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Absolute path on the node; symbolic links are followed.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"\""), .doc = STR_INIT("What must exist there, such as Directory or FileOrCreate; empty skips the check."), .rules = &rules_enums__BlockDevice_CharDevice_Directory_DirectoryOrCreate_File_FileOrCreate_Socket}};
const struct schema_type schema_core_v1_HostPathVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HostPathVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.HostPathVolumeSource"), .doc = STR_INIT("A file or folder of the node."), .fields = fields_HostPathVolumeSource, .nfields = 2};

static const struct schema_field fields_EmptyDirVolumeSource[2] = {
    {.name = STR_INIT("medium"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Empty uses the node's disk; Memory uses RAM, counted as the pod's.")},
    {.name = STR_INIT("sizeLimit"), .type = &schema_quantity, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Most bytes to hold; the pod is evicted beyond. Absent: no limit.")}};
const struct schema_type schema_core_v1_EmptyDirVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EmptyDirVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.EmptyDirVolumeSource"), .doc = STR_INIT("A folder that starts empty and lives as long as the pod."), .fields = fields_EmptyDirVolumeSource, .nfields = 2};

static const struct schema_field fields_GlusterfsVolumeSource[3] = {
    {.name = STR_INIT("endpoints"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Endpoints object that lists the Gluster servers.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the Gluster volume.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_GlusterfsVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GlusterfsVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.GlusterfsVolumeSource"), .doc = STR_INIT("A Glusterfs volume, in the pod."), .fields = fields_GlusterfsVolumeSource, .nfields = 3};

static const struct schema_field fields_GlusterfsPersistentVolumeSource[4] = {
    {.name = STR_INIT("endpoints"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Endpoints object that lists the Gluster servers.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the Gluster volume.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("endpointsNamespace"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespace of the endpoints object; absent means that of the claim.")}};
const struct schema_type schema_core_v1_GlusterfsPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GlusterfsPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.GlusterfsPersistentVolumeSource"), .doc = STR_INIT("A Glusterfs volume, as persistent volume."), .fields = fields_GlusterfsPersistentVolumeSource, .nfields = 4};

static const struct schema_field fields_RBDVolumeSource[8] = {
    {.name = STR_INIT("monitors"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Addresses of the Ceph monitors.")},
    {.name = STR_INIT("image"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Image in the pool to map.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("pool"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"rbd\""), .doc = STR_INIT("Ceph pool of the image; rbd when absent.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 5, .dflt = STR_INIT("\"admin\""), .doc = STR_INIT("Ceph user to log in as; admin when absent.")},
    {.name = STR_INIT("keyring"), .type = &schema_string, .pb = 6, .dflt = STR_INIT("\"/etc/ceph/keyring\""), .doc = STR_INIT("Keyring file on the node; unused when secretRef is given.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the Ceph key; wins over keyring.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 8, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_RBDVolumeSource[16] = {0, 0, 5, 4, 0, 0, 6, 7, 8, 0, 2, 0, 0, 0, 1, 3};
const struct schema_type schema_core_v1_RBDVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RBDVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.RBDVolumeSource"), .doc = STR_INIT("A Ceph block device, in the pod."), .fields = fields_RBDVolumeSource, .nfields = 8, .index8 = index_RBDVolumeSource, .index_mask = 15};

static const struct schema_field fields_RBDPersistentVolumeSource[8] = {
    {.name = STR_INIT("monitors"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Addresses of the Ceph monitors.")},
    {.name = STR_INIT("image"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Image in the pool to map.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("pool"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"rbd\""), .doc = STR_INIT("Ceph pool of the image; rbd when absent.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 5, .dflt = STR_INIT("\"admin\""), .doc = STR_INIT("Ceph user to log in as; admin when absent.")},
    {.name = STR_INIT("keyring"), .type = &schema_string, .pb = 6, .dflt = STR_INIT("\"/etc/ceph/keyring\""), .doc = STR_INIT("Keyring file on the node; unused when secretRef is given.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the Ceph key; wins over keyring.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 8, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_RBDPersistentVolumeSource[16] = {0, 0, 5, 4, 0, 0, 6, 7, 8, 0, 2, 0, 0, 0, 1, 3};
const struct schema_type schema_core_v1_RBDPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RBDPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.RBDPersistentVolumeSource"), .doc = STR_INIT("A Ceph block device, as persistent volume."), .fields = fields_RBDPersistentVolumeSource, .nfields = 8, .index8 = index_RBDPersistentVolumeSource, .index_mask = 15};

static const struct schema_field fields_CinderVolumeSource[4] = {
    {.name = STR_INIT("volumeID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the Cinder volume.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the OpenStack credentials.")}};
const struct schema_type schema_core_v1_CinderVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CinderVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CinderVolumeSource"), .doc = STR_INIT("An OpenStack Cinder volume, in the pod."), .fields = fields_CinderVolumeSource, .nfields = 4};

static const struct schema_field fields_CinderPersistentVolumeSource[4] = {
    {.name = STR_INIT("volumeID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the Cinder volume.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the OpenStack credentials.")}};
const struct schema_type schema_core_v1_CinderPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CinderPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CinderPersistentVolumeSource"), .doc = STR_INIT("An OpenStack Cinder volume, as persistent volume."), .fields = fields_CinderPersistentVolumeSource, .nfields = 4};

static const struct schema_field fields_CephFSVolumeSource[6] = {
    {.name = STR_INIT("monitors"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Addresses of the Ceph monitors.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Folder of the file system to mount; / when absent.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Ceph user to log in as; admin when absent.")},
    {.name = STR_INIT("secretFile"), .type = &schema_string, .pb = 4, .doc = STR_INIT("File on the node with the user's key.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the user's key; wins over secretFile.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 6, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_CephFSVolumeSource[16] = {0, 0, 3, 0, 0, 0, 2, 4, 5, 6, 0, 0, 0, 0, 1, 0};
const struct schema_type schema_core_v1_CephFSVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CephFSVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CephFSVolumeSource"), .doc = STR_INIT("A CephFS mount, in the pod."), .fields = fields_CephFSVolumeSource, .nfields = 6, .index8 = index_CephFSVolumeSource, .index_mask = 15};

static const struct schema_field fields_SecretReference[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the secret.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Namespace of the secret.")}};
const struct schema_type schema_core_v1_SecretReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretReference"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretReference"), .doc = STR_INIT("Names a secret, in any namespace."), .atomic = true, .fields = fields_SecretReference, .nfields = 2};

static const struct schema_field fields_CephFSPersistentVolumeSource[6] = {
    {.name = STR_INIT("monitors"), .type = &list_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Addresses of the Ceph monitors.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Folder of the file system to mount; / when absent.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Ceph user to log in as; admin when absent.")},
    {.name = STR_INIT("secretFile"), .type = &schema_string, .pb = 4, .doc = STR_INIT("File on the node with the user's key.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the user's key; wins over secretFile.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 6, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_CephFSPersistentVolumeSource[16] = {0, 0, 3, 0, 0, 0, 2, 4, 5, 6, 0, 0, 0, 0, 1, 0};
const struct schema_type schema_core_v1_CephFSPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CephFSPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CephFSPersistentVolumeSource"), .doc = STR_INIT("A CephFS mount, as persistent volume."), .fields = fields_CephFSPersistentVolumeSource, .nfields = 6, .index8 = index_CephFSPersistentVolumeSource, .index_mask = 15};

static const struct schema_field fields_FlockerVolumeSource[2] = {
    {.name = STR_INIT("datasetName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Dataset by name; prefer datasetUUID.")},
    {.name = STR_INIT("datasetUUID"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Dataset by its unique id.")}};
const struct schema_type schema_core_v1_FlockerVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FlockerVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.FlockerVolumeSource"), .doc = STR_INIT("A Flocker dataset."), .fields = fields_FlockerVolumeSource, .nfields = 2};

static const struct schema_field fields_GCEPersistentDiskVolumeSource[4] = {
    {.name = STR_INIT("pdName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the disk in Compute Engine.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("partition"), .type = &schema_int32, .pb = 3, .doc = STR_INIT("Partition to mount; 0 or absent takes the whole disk.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_GCEPersistentDiskVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GCEPersistentDiskVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.GCEPersistentDiskVolumeSource"), .doc = STR_INIT("A Google Compute Engine disk."), .fields = fields_GCEPersistentDiskVolumeSource, .nfields = 4};

static const struct schema_field fields_QuobyteVolumeSource[6] = {
    {.name = STR_INIT("registry"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Quobyte registries, host:port, separated by commas.")},
    {.name = STR_INIT("volume"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the Quobyte volume.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 4, .doc = STR_INIT("User that files are mapped to; the service's own when absent.")},
    {.name = STR_INIT("group"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Group that files are mapped to; none when absent.")},
    {.name = STR_INIT("tenant"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Quobyte tenant that owns the volume.")}};
static const uint8_t index_QuobyteVolumeSource[16] = {0, 0, 4, 0, 0, 6, 0, 3, 0, 0, 0, 0, 5, 0, 1, 2};
const struct schema_type schema_core_v1_QuobyteVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("QuobyteVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.QuobyteVolumeSource"), .doc = STR_INIT("A Quobyte volume."), .fields = fields_QuobyteVolumeSource, .nfields = 6, .index8 = index_QuobyteVolumeSource, .index_mask = 15};

static const struct schema_field fields_FlexPersistentVolumeSource[5] = {
    {.name = STR_INIT("driver"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the driver on the nodes, as vendor/driver.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount; the driver chooses when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret handed to the driver, if it needs one.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("options"), .type = &map_string, .pb = 5, .doc = STR_INIT("Further settings handed to the driver.")}};
static const uint8_t index_FlexPersistentVolumeSource[16] = {0, 0, 0, 0, 0, 5, 3, 4, 0, 0, 0, 0, 0, 0, 2, 1};
const struct schema_type schema_core_v1_FlexPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FlexPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.FlexPersistentVolumeSource"), .doc = STR_INIT("A volume of an exec-based driver, as persistent volume."), .fields = fields_FlexPersistentVolumeSource, .nfields = 5, .index8 = index_FlexPersistentVolumeSource, .index_mask = 15};

static const struct schema_field fields_FlexVolumeSource[5] = {
    {.name = STR_INIT("driver"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the driver on the nodes, as vendor/driver.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount; the driver chooses when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret handed to the driver, if it needs one.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("options"), .type = &map_string, .pb = 5, .doc = STR_INIT("Further settings handed to the driver.")}};
static const uint8_t index_FlexVolumeSource[16] = {0, 0, 0, 0, 0, 5, 3, 4, 0, 0, 0, 0, 0, 0, 2, 1};
const struct schema_type schema_core_v1_FlexVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FlexVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.FlexVolumeSource"), .doc = STR_INIT("A volume of an exec-based driver, in the pod."), .fields = fields_FlexVolumeSource, .nfields = 5, .index8 = index_FlexVolumeSource, .index_mask = 15};

static const struct schema_field fields_AWSElasticBlockStoreVolumeSource[4] = {
    {.name = STR_INIT("volumeID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the EBS volume.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("partition"), .type = &schema_int32, .pb = 3, .doc = STR_INIT("Partition to mount; 0 or absent takes the whole disk.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_AWSElasticBlockStoreVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AWSElasticBlockStoreVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource"), .doc = STR_INIT("An AWS EBS disk."), .fields = fields_AWSElasticBlockStoreVolumeSource, .nfields = 4};

static const struct schema_field fields_GitRepoVolumeSource[3] = {
    {.name = STR_INIT("repository"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("URL of the repository to clone.")},
    {.name = STR_INIT("revision"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Commit to check out; absent means the default branch.")},
    {.name = STR_INIT("directory"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Folder to clone into; . means the volume's root. No .. allowed.")}};
const struct schema_type schema_core_v1_GitRepoVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GitRepoVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.GitRepoVolumeSource"), .doc = STR_INIT("A folder filled from a git repository (deprecated)."), .fields = fields_GitRepoVolumeSource, .nfields = 3};

static const struct schema_field fields_SecretVolumeSource[4] = {
    {.name = STR_INIT("secretName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Secret to show, in the namespace of the pod.")},
    {.name = STR_INIT("items"), .type = &list_KeyToPath, .pb = 2, .doc = STR_INIT("Keys to show and under which paths; absent means all keys.")},
    {.name = STR_INIT("defaultMode"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .dflt = STR_INIT("420"), .doc = STR_INIT("Permission bits of the files; 0644 (decimal 420) when absent.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the pod start although the secret or a key is missing.")}};
const struct schema_type schema_core_v1_SecretVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretVolumeSource"), .doc = STR_INIT("A folder with the keys of a secret as files."), .fields = fields_SecretVolumeSource, .nfields = 4};

static const struct schema_field fields_SecretProjection[3] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the secret.")},
    {.name = STR_INIT("items"), .type = &list_KeyToPath, .pb = 2, .doc = STR_INIT("Keys to show and under which paths; absent means all keys.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the pod start although the secret or a key is missing.")}};
const struct schema_type schema_core_v1_SecretProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretProjection"), .doc = STR_INIT("Keys of a secret inside a projected volume."), .fields = fields_SecretProjection, .nfields = 3};

static const struct schema_field fields_NFSVolumeSource[3] = {
    {.name = STR_INIT("server"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Host name or address of the NFS server.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Folder that the server exports.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_NFSVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NFSVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.NFSVolumeSource"), .doc = STR_INIT("An NFS export."), .fields = fields_NFSVolumeSource, .nfields = 3};

static const struct schema_field fields_ISCSIVolumeSource[11] = {
    {.name = STR_INIT("targetPortal"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address of the target; port 3260 unless given.")},
    {.name = STR_INIT("iqn"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Qualified name of the target.")},
    {.name = STR_INIT("lun"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Logical unit number on the target.")},
    {.name = STR_INIT("iscsiInterface"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"default\""), .doc = STR_INIT("Transport of iSCSI to use; default means TCP.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 5, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 6, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("portals"), .type = &list_string, .pb = 7, .doc = STR_INIT("Further addresses of the target, for multipath.")},
    {.name = STR_INIT("chapAuthDiscovery"), .type = &schema_bool, .pb = 8, .doc = STR_INIT("True uses CHAP passwords when looking for targets.")},
    {.name = STR_INIT("chapAuthSession"), .type = &schema_bool, .pb = 11, .doc = STR_INIT("True uses CHAP passwords when logging in.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the CHAP user names and passwords.")},
    {.name = STR_INIT("initiatorName"), .type = &schema_string, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Own initiator name; absent means that of the node.")}};
static const uint8_t index_ISCSIVolumeSource[32] = {0, 11, 0, 9, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 4, 10, 6, 0, 0, 0, 0, 3, 0, 5, 0};
const struct schema_type schema_core_v1_ISCSIVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ISCSIVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ISCSIVolumeSource"), .doc = STR_INIT("An iSCSI disk, in the pod."), .fields = fields_ISCSIVolumeSource, .nfields = 11, .index8 = index_ISCSIVolumeSource, .index_mask = 31};

static const struct schema_field fields_ISCSIPersistentVolumeSource[11] = {
    {.name = STR_INIT("targetPortal"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address of the target; port 3260 unless given.")},
    {.name = STR_INIT("iqn"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Qualified name of the target.")},
    {.name = STR_INIT("lun"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Logical unit number on the target.")},
    {.name = STR_INIT("iscsiInterface"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"default\""), .doc = STR_INIT("Transport of iSCSI to use; default means TCP.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 5, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 6, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("portals"), .type = &list_string, .pb = 7, .doc = STR_INIT("Further addresses of the target, for multipath.")},
    {.name = STR_INIT("chapAuthDiscovery"), .type = &schema_bool, .pb = 8, .doc = STR_INIT("True uses CHAP passwords when looking for targets.")},
    {.name = STR_INIT("chapAuthSession"), .type = &schema_bool, .pb = 11, .doc = STR_INIT("True uses CHAP passwords when logging in.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the CHAP user names and passwords.")},
    {.name = STR_INIT("initiatorName"), .type = &schema_string, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Own initiator name; absent means that of the node.")}};
static const uint8_t index_ISCSIPersistentVolumeSource[32] = {0, 11, 0, 9, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 4, 10, 6, 0, 0, 0, 0, 3, 0, 5, 0};
const struct schema_type schema_core_v1_ISCSIPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ISCSIPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ISCSIPersistentVolumeSource"), .doc = STR_INIT("An iSCSI disk, as persistent volume."), .fields = fields_ISCSIPersistentVolumeSource, .nfields = 11, .index8 = index_ISCSIPersistentVolumeSource, .index_mask = 31};

static const struct schema_field fields_FCVolumeSource[5] = {
    {.name = STR_INIT("targetWWNs"), .type = &list_string, .pb = 1, .doc = STR_INIT("World wide names of the targets; needs lun.")},
    {.name = STR_INIT("lun"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Logical unit number on the targets.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("wwids"), .type = &list_string, .pb = 5, .doc = STR_INIT("World wide ids of the disk; given instead of targetWWNs and lun.")}};
static const uint8_t index_FCVolumeSource[16] = {0, 0, 0, 0, 0, 0, 0, 4, 5, 1, 0, 0, 2, 0, 3, 0};
const struct schema_type schema_core_v1_FCVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("FCVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.FCVolumeSource"), .doc = STR_INIT("A Fibre Channel disk."), .fields = fields_FCVolumeSource, .nfields = 5, .index8 = index_FCVolumeSource, .index_mask = 15};

static const struct schema_field fields_AzureFileVolumeSource[3] = {
    {.name = STR_INIT("secretName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Secret with the Azure storage account and its key.")},
    {.name = STR_INIT("shareName"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the share.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_AzureFileVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AzureFileVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.AzureFileVolumeSource"), .doc = STR_INIT("An Azure file share, in the pod."), .fields = fields_AzureFileVolumeSource, .nfields = 3};

static const struct schema_field fields_AzureFilePersistentVolumeSource[4] = {
    {.name = STR_INIT("secretName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Secret with the Azure storage account and its key.")},
    {.name = STR_INIT("shareName"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the share.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("secretNamespace"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Namespace of the secret; absent means that of the claim.")}};
const struct schema_type schema_core_v1_AzureFilePersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AzureFilePersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.AzureFilePersistentVolumeSource"), .doc = STR_INIT("An Azure file share, as persistent volume."), .fields = fields_AzureFilePersistentVolumeSource, .nfields = 4};

static const struct schema_field fields_VsphereVirtualDiskVolumeSource[4] = {
    {.name = STR_INIT("volumePath"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the virtual disk in vSphere.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("storagePolicyName"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Storage policy (SPBM) by name.")},
    {.name = STR_INIT("storagePolicyID"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Storage policy (SPBM) by id.")}};
const struct schema_type schema_core_v1_VsphereVirtualDiskVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VsphereVirtualDiskVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource"), .doc = STR_INIT("A vSphere disk."), .fields = fields_VsphereVirtualDiskVolumeSource, .nfields = 4};

static const struct schema_field fields_PhotonPersistentDiskVolumeSource[2] = {
    {.name = STR_INIT("pdID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the disk in Photon Controller.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")}};
const struct schema_type schema_core_v1_PhotonPersistentDiskVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PhotonPersistentDiskVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource"), .doc = STR_INIT("A Photon Controller disk."), .fields = fields_PhotonPersistentDiskVolumeSource, .nfields = 2};

static const struct schema_field fields_AzureDiskVolumeSource[6] = {
    {.name = STR_INIT("diskName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Disk to use, by its blob name.")},
    {.name = STR_INIT("diskURI"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("URI of the disk in the blob store.")},
    {.name = STR_INIT("cachingMode"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"ReadWrite\""), .doc = STR_INIT("Host cache: None, ReadOnly or ReadWrite.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"ext4\""), .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 5, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .dflt = STR_INIT("\"Shared\""), .doc = STR_INIT("Shared, Dedicated (one blob disk per account) or Managed.")}};
static const uint8_t index_AzureDiskVolumeSource[16] = {4, 0, 0, 6, 0, 3, 0, 5, 0, 0, 0, 0, 0, 0, 2, 1};
const struct schema_type schema_core_v1_AzureDiskVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AzureDiskVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.AzureDiskVolumeSource"), .doc = STR_INIT("An Azure data disk."), .fields = fields_AzureDiskVolumeSource, .nfields = 6, .index8 = index_AzureDiskVolumeSource, .index_mask = 15};

static const struct schema_field fields_PortworxVolumeSource[3] = {
    {.name = STR_INIT("volumeID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the Portworx volume.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
const struct schema_type schema_core_v1_PortworxVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PortworxVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.PortworxVolumeSource"), .doc = STR_INIT("A Portworx volume."), .fields = fields_PortworxVolumeSource, .nfields = 3};

static const struct schema_field fields_ScaleIOVolumeSource[10] = {
    {.name = STR_INIT("gateway"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Where the ScaleIO API is reached, as URL.")},
    {.name = STR_INIT("system"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the storage system.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Secret with the ScaleIO login.")},
    {.name = STR_INIT("sslEnabled"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True talks TLS to the gateway; false when absent.")},
    {.name = STR_INIT("protectionDomain"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Protection domain that the storage belongs to.")},
    {.name = STR_INIT("storagePool"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Pool within the protection domain.")},
    {.name = STR_INIT("storageMode"), .type = &schema_string, .pb = 7, .dflt = STR_INIT("\"ThinProvisioned\""), .doc = STR_INIT("ThickProvisioned or ThinProvisioned; thin when absent.")},
    {.name = STR_INIT("volumeName"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Existing volume in the ScaleIO system.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 9, .dflt = STR_INIT("\"xfs\""), .doc = STR_INIT("File system to mount; xfs when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 10, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_ScaleIOVolumeSource[32] = {0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 3, 10, 0, 1, 0, 0, 2, 0, 5, 9};
const struct schema_type schema_core_v1_ScaleIOVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScaleIOVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ScaleIOVolumeSource"), .doc = STR_INIT("A ScaleIO volume, in the pod."), .fields = fields_ScaleIOVolumeSource, .nfields = 10, .index8 = index_ScaleIOVolumeSource, .index_mask = 31};

static const struct schema_field fields_ScaleIOPersistentVolumeSource[10] = {
    {.name = STR_INIT("gateway"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Where the ScaleIO API is reached, as URL.")},
    {.name = STR_INIT("system"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the storage system.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretReference, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Secret with the ScaleIO login.")},
    {.name = STR_INIT("sslEnabled"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True talks TLS to the gateway; false when absent.")},
    {.name = STR_INIT("protectionDomain"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Protection domain that the storage belongs to.")},
    {.name = STR_INIT("storagePool"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Pool within the protection domain.")},
    {.name = STR_INIT("storageMode"), .type = &schema_string, .pb = 7, .dflt = STR_INIT("\"ThinProvisioned\""), .doc = STR_INIT("ThickProvisioned or ThinProvisioned; thin when absent.")},
    {.name = STR_INIT("volumeName"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Existing volume in the ScaleIO system.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 9, .dflt = STR_INIT("\"xfs\""), .doc = STR_INIT("File system to mount; xfs when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 10, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")}};
static const uint8_t index_ScaleIOPersistentVolumeSource[32] = {0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 6, 7, 8, 0, 0, 0, 0, 0, 0, 0, 3, 10, 0, 1, 0, 0, 2, 0, 5, 9};
const struct schema_type schema_core_v1_ScaleIOPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScaleIOPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ScaleIOPersistentVolumeSource"), .doc = STR_INIT("A ScaleIO volume, as persistent volume."), .fields = fields_ScaleIOPersistentVolumeSource, .nfields = 10, .index8 = index_ScaleIOPersistentVolumeSource, .index_mask = 31};

static const struct schema_field fields_StorageOSVolumeSource[5] = {
    {.name = STR_INIT("volumeName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the volume within its StorageOS namespace.")},
    {.name = STR_INIT("volumeNamespace"), .type = &schema_string, .pb = 2, .doc = STR_INIT("StorageOS namespace of the volume; absent means the pod's.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the StorageOS API login.")}};
static const uint8_t index_StorageOSVolumeSource[16] = {0, 0, 2, 0, 0, 0, 5, 4, 0, 0, 0, 0, 1, 0, 3, 0};
const struct schema_type schema_core_v1_StorageOSVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StorageOSVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.StorageOSVolumeSource"), .doc = STR_INIT("A StorageOS volume, in the pod."), .fields = fields_StorageOSVolumeSource, .nfields = 5, .index8 = index_StorageOSVolumeSource, .index_mask = 15};

static const struct schema_field fields_StorageOSPersistentVolumeSource[5] = {
    {.name = STR_INIT("volumeName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the volume within its StorageOS namespace.")},
    {.name = STR_INIT("volumeNamespace"), .type = &schema_string, .pb = 2, .doc = STR_INIT("StorageOS namespace of the volume; absent means the pod's.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .doc = STR_INIT("File system to mount, such as ext4 or xfs; ext4 when absent.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_ObjectReference, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret with the StorageOS API login.")}};
static const uint8_t index_StorageOSPersistentVolumeSource[16] = {0, 0, 2, 0, 0, 0, 5, 4, 0, 0, 0, 0, 1, 0, 3, 0};
const struct schema_type schema_core_v1_StorageOSPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("StorageOSPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.StorageOSPersistentVolumeSource"), .doc = STR_INIT("A StorageOS volume, as persistent volume."), .fields = fields_StorageOSPersistentVolumeSource, .nfields = 5, .index8 = index_StorageOSPersistentVolumeSource, .index_mask = 15};

static const struct schema_field fields_ConfigMapVolumeSource[4] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the config map.")},
    {.name = STR_INIT("items"), .type = &list_KeyToPath, .pb = 2, .doc = STR_INIT("Keys to show and under which paths; absent means all keys.")},
    {.name = STR_INIT("defaultMode"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .dflt = STR_INIT("420"), .doc = STR_INIT("Permission bits of the files; 0644 (decimal 420) when absent.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the pod start although the config map or a key is missing.")}};
const struct schema_type schema_core_v1_ConfigMapVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapVolumeSource"), .doc = STR_INIT("A folder with the keys of a config map as files."), .fields = fields_ConfigMapVolumeSource, .nfields = 4};

static const struct schema_field fields_ConfigMapProjection[3] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the config map.")},
    {.name = STR_INIT("items"), .type = &list_KeyToPath, .pb = 2, .doc = STR_INIT("Keys to show and under which paths; absent means all keys.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the pod start although the config map or a key is missing.")}};
const struct schema_type schema_core_v1_ConfigMapProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapProjection"), .doc = STR_INIT("Keys of a config map inside a projected volume."), .fields = fields_ConfigMapProjection, .nfields = 3};

static const struct schema_field fields_ServiceAccountTokenProjection[3] = {
    {.name = STR_INIT("audience"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Who must accept the token; absent means the API server.")},
    {.name = STR_INIT("expirationSeconds"), .type = &schema_int64, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("3600"), .doc = STR_INIT("Lifetime wanted, in seconds; at least 600. Renewed before it ends.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("File for the token, relative to the volume.")}};
const struct schema_type schema_core_v1_ServiceAccountTokenProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceAccountTokenProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceAccountTokenProjection"), .doc = STR_INIT("A service account token inside a projected volume."), .fields = fields_ServiceAccountTokenProjection, .nfields = 3};

static const struct schema_field fields_ClusterTrustBundleProjection[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Bundle to show, by name; excludes signerName.")},
    {.name = STR_INIT("signerName"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Show all bundles of this signer; excludes name.")},
    {.name = STR_INIT("labelSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Narrows the bundles of signerName; absent selects none, empty all.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the pod start although no bundle is found.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("File for the certificates, relative to the volume.")}};
static const uint8_t index_ClusterTrustBundleProjection[16] = {0, 0, 0, 0, 3, 0, 1, 5, 2, 4, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_ClusterTrustBundleProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterTrustBundleProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.ClusterTrustBundleProjection"), .doc = STR_INIT("Trust anchors inside a projected volume."), .fields = fields_ClusterTrustBundleProjection, .nfields = 5, .index8 = index_ClusterTrustBundleProjection, .index_mask = 15};

static const struct schema_field fields_ProjectedVolumeSource[2] = {
    {.name = STR_INIT("sources"), .type = &list_VolumeProjection, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The sources, merged in order; paths must not collide.")},
    {.name = STR_INIT("defaultMode"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("420"), .doc = STR_INIT("Permission bits of the files; 0644 (decimal 420) when absent.")}};
const struct schema_type schema_core_v1_ProjectedVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ProjectedVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ProjectedVolumeSource"), .doc = STR_INIT("Several sources in one folder."), .fields = fields_ProjectedVolumeSource, .nfields = 2};

static const struct schema_field fields_VolumeProjection[5] = {
    {.name = STR_INIT("secret"), .type = &schema_core_v1_SecretProjection, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Keys of a secret.")},
    {.name = STR_INIT("downwardAPI"), .type = &schema_core_v1_DownwardAPIProjection, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Facts about the pod itself.")},
    {.name = STR_INIT("configMap"), .type = &schema_core_v1_ConfigMapProjection, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Keys of a config map.")},
    {.name = STR_INIT("serviceAccountToken"), .type = &schema_core_v1_ServiceAccountTokenProjection, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Token of the pod's service account, renewed on the way.")},
    {.name = STR_INIT("clusterTrustBundle"), .type = &schema_core_v1_ClusterTrustBundleProjection, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Trusted CA certificates from cluster trust bundles.")}};
static const uint8_t index_VolumeProjection[16] = {0, 1, 2, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 5, 0, 0};
const struct schema_type schema_core_v1_VolumeProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeProjection"), .doc = STR_INIT("One source of a projected volume; exactly one member is set."), .fields = fields_VolumeProjection, .nfields = 5, .index8 = index_VolumeProjection, .index_mask = 15};

static const struct schema_field fields_KeyToPath[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Key to show.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("File for it, relative to the volume; no .. allowed.")},
    {.name = STR_INIT("mode"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Permission bits of this file; absent means defaultMode.")}};
const struct schema_type schema_core_v1_KeyToPath = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KeyToPath"), .openapi = STR_INIT("io.k8s.api.core.v1.KeyToPath"), .doc = STR_INIT("Puts one key at a path in the volume."), .fields = fields_KeyToPath, .nfields = 3};

static const struct schema_field fields_LocalVolumeSource[2] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the folder or block device on the node.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("File system of a block device; detected when absent.")}};
const struct schema_type schema_core_v1_LocalVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LocalVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.LocalVolumeSource"), .doc = STR_INIT("A disk or folder attached to one node."), .fields = fields_LocalVolumeSource, .nfields = 2};

static const struct schema_field fields_CSIPersistentVolumeSource[10] = {
    {.name = STR_INIT("driver"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the CSI driver, as it registers itself.")},
    {.name = STR_INIT("volumeHandle"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the volume, as the driver knows it.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 4, .doc = STR_INIT("File system to mount; the driver chooses when absent.")},
    {.name = STR_INIT("volumeAttributes"), .type = &map_string, .pb = 5, .doc = STR_INIT("Settings handed to the driver; their meaning is its own.")},
    {.name = STR_INIT("controllerPublishSecretRef"), .type = &schema_core_v1_SecretReference, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it attaches the volume to a node.")},
    {.name = STR_INIT("nodeStageSecretRef"), .type = &schema_core_v1_SecretReference, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it prepares the volume on a node.")},
    {.name = STR_INIT("nodePublishSecretRef"), .type = &schema_core_v1_SecretReference, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it mounts into a pod.")},
    {.name = STR_INIT("controllerExpandSecretRef"), .type = &schema_core_v1_SecretReference, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it grows the volume.")},
    {.name = STR_INIT("nodeExpandSecretRef"), .type = &schema_core_v1_SecretReference, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it grows the file system on a node.")}};
static const uint8_t index_CSIPersistentVolumeSource[32] = {0, 2, 5, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0, 7, 3, 9, 0, 10, 0, 0, 0, 4, 1};
const struct schema_type schema_core_v1_CSIPersistentVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIPersistentVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CSIPersistentVolumeSource"), .doc = STR_INIT("A volume of a CSI driver, as persistent volume."), .fields = fields_CSIPersistentVolumeSource, .nfields = 10, .index8 = index_CSIPersistentVolumeSource, .index_mask = 31};

static const struct schema_field fields_CSIVolumeSource[5] = {
    {.name = STR_INIT("driver"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the CSI driver, as it registers itself.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("True keeps containers from writing to it; false when absent.")},
    {.name = STR_INIT("fsType"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("File system to mount; the driver chooses when absent.")},
    {.name = STR_INIT("volumeAttributes"), .type = &map_string, .pb = 4, .doc = STR_INIT("Settings handed to the driver; their meaning is its own.")},
    {.name = STR_INIT("nodePublishSecretRef"), .type = &schema_core_v1_LocalObjectReference, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret for the driver when it mounts into a pod.")}};
static const uint8_t index_CSIVolumeSource[16] = {0, 5, 4, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 3, 1};
const struct schema_type schema_core_v1_CSIVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CSIVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.CSIVolumeSource"), .doc = STR_INIT("A short-lived volume of a CSI driver, in the pod."), .fields = fields_CSIVolumeSource, .nfields = 5, .index8 = index_CSIVolumeSource, .index_mask = 15};

static const struct schema_field fields_EphemeralVolumeSource[1] = {
    {.name = STR_INIT("volumeClaimTemplate"), .type = &schema_core_v1_PersistentVolumeClaimTemplate, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Blueprint of the claim; it is named after pod and volume.")}};
const struct schema_type schema_core_v1_EphemeralVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EphemeralVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.EphemeralVolumeSource"), .doc = STR_INIT("A claim that is made for the pod and goes with it."), .fields = fields_EphemeralVolumeSource, .nfields = 1};

static const struct schema_field fields_PersistentVolumeClaimTemplate[2] = {
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Labels and annotations for the claim; other metadata is refused.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_PersistentVolumeClaimSpec, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What the claim asks for; copied as it is.")}};
const struct schema_type schema_core_v1_PersistentVolumeClaimTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimTemplate"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimTemplate"), .doc = STR_INIT("Blueprint of the claim that is made for the pod."), .fields = fields_PersistentVolumeClaimTemplate, .nfields = 2};

static const struct schema_field fields_ContainerPort[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name that services can use as target; unique within the pod.")},
    {.name = STR_INIT("hostPort"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Port of the node that leads here; absent or 0 for none.")},
    {.name = STR_INIT("containerPort"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port the container listens on, 1 to 65535.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"TCP\""), .doc = STR_INIT("TCP, UDP or SCTP; TCP when absent."), .rules = &rules_enums_SCTP_TCP_UDP},
    {.name = STR_INIT("hostIP"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Address of the node that hostPort binds to; absent means all.")}};
static const uint8_t index_ContainerPort[16] = {0, 0, 0, 3, 0, 4, 1, 5, 2, 0, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_ContainerPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerPort"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerPort"), .doc = STR_INIT("A port that the container listens on."), .fields = fields_ContainerPort, .nfields = 5, .index8 = index_ContainerPort, .index_mask = 15};

static const struct schema_field fields_VolumeMount[7] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Volume of the pod to mount.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 2, .doc = STR_INIT("True keeps the container from writing; false when absent.")},
    {.name = STR_INIT("recursiveReadOnly"), .type = &schema_string, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Whether submounts are read-only too: Disabled, IfPossible or Enabled. Needs readOnly."), .rules = &rules_enums_Disabled_Enabled_IfPossible},
    {.name = STR_INIT("mountPath"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path in the container; must not contain a colon.")},
    {.name = STR_INIT("subPath"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Folder or file of the volume to mount; absent means its root.")},
    {.name = STR_INIT("mountPropagation"), .type = &schema_string, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Whether later mounts cross between node and container; None when absent."), .rules = &rules_enums_Bidirectional_HostToContainer_None},
    {.name = STR_INIT("subPathExpr"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Like subPath, but $(VAR) is replaced from the environment.")}};
static const uint8_t index_VolumeMount[16] = {0, 7, 0, 0, 0, 3, 1, 2, 5, 4, 6, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_VolumeMount = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeMount"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeMount"), .doc = STR_INIT("Where a volume appears in the container."), .fields = fields_VolumeMount, .nfields = 7, .index8 = index_VolumeMount, .index_mask = 15};

static const struct schema_field fields_VolumeDevice[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Block volume of the pod, backed by a claim.")},
    {.name = STR_INIT("devicePath"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the device in the container.")}};
const struct schema_type schema_core_v1_VolumeDevice = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeDevice"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeDevice"), .doc = STR_INIT("Where a block volume appears in the container."), .fields = fields_VolumeDevice, .nfields = 2};

static const struct schema_field fields_EnvVar[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What the variable is called.")},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Its value; $(VAR) inserts earlier variables, $$ stands for one $.")},
    {.name = STR_INIT("valueFrom"), .type = &schema_core_v1_EnvVarSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Takes the value from elsewhere; only when value is empty.")}};
const struct schema_type schema_core_v1_EnvVar = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EnvVar"), .openapi = STR_INIT("io.k8s.api.core.v1.EnvVar"), .doc = STR_INIT("An environment variable of the container."), .fields = fields_EnvVar, .nfields = 3};

static const struct schema_field fields_EnvVarSource[4] = {
    {.name = STR_INIT("fieldRef"), .type = &schema_core_v1_ObjectFieldSelector, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("A field of the pod, such as metadata.name or status.podIP.")},
    {.name = STR_INIT("resourceFieldRef"), .type = &schema_core_v1_ResourceFieldSelector, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("A CPU, memory or storage request or limit of a container.")},
    {.name = STR_INIT("configMapKeyRef"), .type = &schema_core_v1_ConfigMapKeySelector, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("A key of a config map.")},
    {.name = STR_INIT("secretKeyRef"), .type = &schema_core_v1_SecretKeySelector, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("A key of a secret.")}};
const struct schema_type schema_core_v1_EnvVarSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EnvVarSource"), .openapi = STR_INIT("io.k8s.api.core.v1.EnvVarSource"), .doc = STR_INIT("Where the value of an environment variable comes from."), .fields = fields_EnvVarSource, .nfields = 4};

static const struct schema_field fields_ObjectFieldSelector[2] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"v1\""), .doc = STR_INIT("API version in which the path is spelled; v1 when absent.")},
    {.name = STR_INIT("fieldPath"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path of the field, such as metadata.labels['app'].")}};
const struct schema_type schema_core_v1_ObjectFieldSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectFieldSelector"), .openapi = STR_INIT("io.k8s.api.core.v1.ObjectFieldSelector"), .doc = STR_INIT("A field of the pod itself."), .atomic = true, .fields = fields_ObjectFieldSelector, .nfields = 2};

static const struct schema_field fields_ResourceFieldSelector[3] = {
    {.name = STR_INIT("containerName"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Container in question; needed in volumes, else this one.")},
    {.name = STR_INIT("resource"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which value, such as limits.cpu or requests.memory.")},
    {.name = STR_INIT("divisor"), .type = &schema_quantity, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Unit of the result, such as 1Mi; 1 when absent.")}};
const struct schema_type schema_core_v1_ResourceFieldSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceFieldSelector"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceFieldSelector"), .doc = STR_INIT("A resource request or limit of a container."), .atomic = true, .fields = fields_ResourceFieldSelector, .nfields = 3};

static const struct schema_field fields_ConfigMapKeySelector[3] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the config map.")},
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Key of the config map.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("True leaves the variable out when the object or key is missing.")}};
const struct schema_type schema_core_v1_ConfigMapKeySelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapKeySelector"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapKeySelector"), .doc = STR_INIT("One key of a config map."), .atomic = true, .fields = fields_ConfigMapKeySelector, .nfields = 3};

static const struct schema_field fields_SecretKeySelector[3] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the secret.")},
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Key of the secret.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("True leaves the variable out when the object or key is missing.")}};
const struct schema_type schema_core_v1_SecretKeySelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretKeySelector"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretKeySelector"), .doc = STR_INIT("One key of a secret."), .atomic = true, .fields = fields_SecretKeySelector, .nfields = 3};

static const struct schema_field fields_EnvFromSource[3] = {
    {.name = STR_INIT("prefix"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Text put in front of each key; empty for none.")},
    {.name = STR_INIT("configMapRef"), .type = &schema_core_v1_ConfigMapEnvSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Config map to take all keys from.")},
    {.name = STR_INIT("secretRef"), .type = &schema_core_v1_SecretEnvSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Secret to take all keys from.")}};
const struct schema_type schema_core_v1_EnvFromSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EnvFromSource"), .openapi = STR_INIT("io.k8s.api.core.v1.EnvFromSource"), .doc = STR_INIT("All keys of a config map or secret as environment variables."), .fields = fields_EnvFromSource, .nfields = 3};

static const struct schema_field fields_ConfigMapEnvSource[2] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the config map.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the container start although the object is missing.")}};
const struct schema_type schema_core_v1_ConfigMapEnvSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapEnvSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapEnvSource"), .doc = STR_INIT("The config map whose keys become environment variables."), .fields = fields_ConfigMapEnvSource, .nfields = 2};

static const struct schema_field fields_SecretEnvSource[2] = {
    {.name = STR_INIT("localObjectReference"), .type = &schema_core_v1_LocalObjectReference, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: name of the secret.")},
    {.name = STR_INIT("optional"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the container start although the object is missing.")}};
const struct schema_type schema_core_v1_SecretEnvSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretEnvSource"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretEnvSource"), .doc = STR_INIT("The secret whose keys become environment variables."), .fields = fields_SecretEnvSource, .nfields = 2};

static const struct schema_field fields_HTTPHeader[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the header.")},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Value of the header.")}};
const struct schema_type schema_core_v1_HTTPHeader = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HTTPHeader"), .openapi = STR_INIT("io.k8s.api.core.v1.HTTPHeader"), .doc = STR_INIT("A header of a probe or hook request."), .fields = fields_HTTPHeader, .nfields = 2};

static const struct schema_field fields_HTTPGetAction[5] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"/\""), .doc = STR_INIT("Path to request; / when absent.")},
    {.name = STR_INIT("port"), .type = &schema_int_or_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port number or name of a container port.")},
    {.name = STR_INIT("host"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Host to call; absent means the pod's address.")},
    {.name = STR_INIT("scheme"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"HTTP\""), .doc = STR_INIT("HTTP or HTTPS (certificates are not checked); HTTP when absent."), .rules = &rules_enums_HTTP_HTTPS},
    {.name = STR_INIT("httpHeaders"), .type = &list_HTTPHeader, .pb = 5, .doc = STR_INIT("Headers to send; a name may repeat.")}};
static const uint8_t index_HTTPGetAction[16] = {0, 0, 4, 0, 0, 0, 1, 2, 0, 5, 0, 0, 0, 0, 0, 3};
const struct schema_type schema_core_v1_HTTPGetAction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HTTPGetAction"), .openapi = STR_INIT("io.k8s.api.core.v1.HTTPGetAction"), .doc = STR_INIT("An HTTP GET request."), .fields = fields_HTTPGetAction, .nfields = 5, .index8 = index_HTTPGetAction, .index_mask = 15};

static const struct schema_field fields_TCPSocketAction[2] = {
    {.name = STR_INIT("port"), .type = &schema_int_or_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port number or name of a container port.")},
    {.name = STR_INIT("host"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Host to connect to; absent means the pod's address.")}};
const struct schema_type schema_core_v1_TCPSocketAction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TCPSocketAction"), .openapi = STR_INIT("io.k8s.api.core.v1.TCPSocketAction"), .doc = STR_INIT("Opening a TCP connection."), .fields = fields_TCPSocketAction, .nfields = 2};

static const struct schema_field fields_GRPCAction[2] = {
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Where the gRPC server listens; a number, no name.")},
    {.name = STR_INIT("service"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .dflt = STR_INIT("\"\""), .doc = STR_INIT("Service name put into the health request; empty means the whole server.")}};
const struct schema_type schema_core_v1_GRPCAction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GRPCAction"), .openapi = STR_INIT("io.k8s.api.core.v1.GRPCAction"), .doc = STR_INIT("A call of the gRPC health service."), .fields = fields_GRPCAction, .nfields = 2};

static const struct schema_field fields_ExecAction[1] = {
    {.name = STR_INIT("command"), .type = &list_string, .pb = 1, .doc = STR_INIT("Program and arguments, run without a shell; exit code 0 is success.")}};
const struct schema_type schema_core_v1_ExecAction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExecAction"), .openapi = STR_INIT("io.k8s.api.core.v1.ExecAction"), .doc = STR_INIT("Running a command in the container."), .fields = fields_ExecAction, .nfields = 1};

static const struct schema_field fields_SleepAction[1] = {
    {.name = STR_INIT("seconds"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How many seconds to wait.")}};
const struct schema_type schema_core_v1_SleepAction = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SleepAction"), .openapi = STR_INIT("io.k8s.api.core.v1.SleepAction"), .doc = STR_INIT("Doing nothing for a while."), .fields = fields_SleepAction, .nfields = 1};

static const struct schema_field fields_Probe[7] = {
    {.name = STR_INIT("handler"), .type = &schema_core_v1_ProbeHandler, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: what the probe does.")},
    {.name = STR_INIT("initialDelaySeconds"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Seconds after the start before the first check; 0 when absent.")},
    {.name = STR_INIT("timeoutSeconds"), .type = &schema_int32, .pb = 3, .dflt = STR_INIT("1"), .doc = STR_INIT("Seconds after which a check counts as failed; 1 when absent.")},
    {.name = STR_INIT("periodSeconds"), .type = &schema_int32, .pb = 4, .dflt = STR_INIT("10"), .doc = STR_INIT("Seconds between checks; 10 when absent.")},
    {.name = STR_INIT("successThreshold"), .type = &schema_int32, .pb = 5, .dflt = STR_INIT("1"), .doc = STR_INIT("Successes in a row to pass again after a failure; 1 when absent.")},
    {.name = STR_INIT("failureThreshold"), .type = &schema_int32, .pb = 6, .dflt = STR_INIT("3"), .doc = STR_INIT("Failures in a row before it counts; 3 when absent.")},
    {.name = STR_INIT("terminationGracePeriodSeconds"), .type = &schema_int64, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds to stop after a failed check; absent means the pod's own value.")}};
static const uint8_t index_Probe[16] = {0, 0, 0, 1, 5, 3, 6, 2, 7, 4, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_Probe = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Probe"), .openapi = STR_INIT("io.k8s.api.core.v1.Probe"), .doc = STR_INIT("A check of a container, and how often it is made."), .fields = fields_Probe, .nfields = 7, .index8 = index_Probe, .index_mask = 15};

static const struct schema_field fields_ContainerResizePolicy[2] = {
    {.name = STR_INIT("resourceName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Resource it is about: cpu or memory.")},
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("NotRequired resizes in place; RestartContainer restarts the container."), .rules = &rules_enums_NotRequired_RestartContainer}};
const struct schema_type schema_core_v1_ContainerResizePolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerResizePolicy"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerResizePolicy"), .doc = STR_INIT("What happens to the container when a resource is resized."), .fields = fields_ContainerResizePolicy, .nfields = 2};

static const struct schema_field fields_Capabilities[2] = {
    {.name = STR_INIT("add"), .type = &list_string, .pb = 1, .doc = STR_INIT("Capabilities to grant, such as NET_ADMIN.")},
    {.name = STR_INIT("drop"), .type = &list_string, .pb = 2, .doc = STR_INIT("Capabilities to take away; ALL takes all of them.")}};
const struct schema_type schema_core_v1_Capabilities = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Capabilities"), .openapi = STR_INIT("io.k8s.api.core.v1.Capabilities"), .doc = STR_INIT("Linux capabilities to add and to drop."), .fields = fields_Capabilities, .nfields = 2};

static const struct schema_field fields_ResourceRequirements[3] = {
    {.name = STR_INIT("limits"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Most that may be used, per resource; absent means no limit.")},
    {.name = STR_INIT("requests"), .type = &map_quantity, .pb = 2, .doc = STR_INIT("Amounts reserved, per resource; the limits when absent.")},
    {.name = STR_INIT("claims"), .type = &list_ResourceClaim_map_name, .pb = 3, .doc = STR_INIT("Resource claims of the pod that are used here.")}};
const struct schema_type schema_core_v1_ResourceRequirements = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceRequirements"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceRequirements"), .doc = STR_INIT("What a container asks for, and what it may use at most."), .fields = fields_ResourceRequirements, .nfields = 3};

static const struct schema_field fields_VolumeResourceRequirements[2] = {
    {.name = STR_INIT("limits"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Largest size to accept, under storage.")},
    {.name = STR_INIT("requests"), .type = &map_quantity, .pb = 2, .doc = STR_INIT("Smallest size to accept, under storage.")}};
const struct schema_type schema_core_v1_VolumeResourceRequirements = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeResourceRequirements"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeResourceRequirements"), .doc = STR_INIT("What storage a claim asks for, and the most it takes."), .fields = fields_VolumeResourceRequirements, .nfields = 2};

static const struct schema_field fields_ResourceClaim[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Entry of the pod's resourceClaims.")},
    {.name = STR_INIT("request"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Request within the claim; absent means all of them.")}};
const struct schema_type schema_core_v1_ResourceClaim = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceClaim"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceClaim"), .doc = STR_INIT("Refers to a claim of the pod that the container uses."), .fields = fields_ResourceClaim, .nfields = 2};

static const struct schema_field fields_Container[24] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the container; unique within the pod, fixed.")},
    {.name = STR_INIT("image"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Image to run, such as nginx:1.27.")},
    {.name = STR_INIT("command"), .type = &list_string, .pb = 3, .doc = STR_INIT("Program to run instead of the image's entrypoint; $(VAR) is replaced.")},
    {.name = STR_INIT("args"), .type = &list_string, .pb = 4, .doc = STR_INIT("Arguments instead of those of the image; $(VAR) is replaced.")},
    {.name = STR_INIT("workingDir"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Working folder; absent means that of the image.")},
    {.name = STR_INIT("ports"), .type = &list_ContainerPort_map_containerPort_protocol, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("containerPort"), .doc = STR_INIT("Ports the container listens on; informative, others work as well.")},
    {.name = STR_INIT("envFrom"), .type = &list_EnvFromSource, .pb = 19, .doc = STR_INIT("Config maps and secrets whose keys become variables; env wins.")},
    {.name = STR_INIT("env"), .type = &list_EnvVar_map_name, .pb = 7, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Environment variables of the container.")},
    {.name = STR_INIT("resources"), .type = &schema_core_v1_ResourceRequirements, .pb = 8, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("CPU, memory and other resources reserved and allowed.")},
    {.name = STR_INIT("resizePolicy"), .type = &list_ContainerResizePolicy, .pb = 23, .doc = STR_INIT("Whether resizing a resource restarts the container.")},
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .pb = 24, .flags = SCHEMA_POINTER, .doc = STR_INIT("Only in initContainers: Always makes it a sidecar that keeps running."), .rules = &rules_enums_Always},
    {.name = STR_INIT("volumeMounts"), .type = &list_VolumeMount_map_mountPath, .pb = 9, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("mountPath"), .doc = STR_INIT("Volumes to mount, and where.")},
    {.name = STR_INIT("volumeDevices"), .type = &list_VolumeDevice_map_devicePath, .pb = 21, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("devicePath"), .doc = STR_INIT("Block volumes to pass in as devices, and where.")},
    {.name = STR_INIT("livenessProbe"), .type = &schema_core_v1_Probe, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Check that restarts the container when it fails; absent: none.")},
    {.name = STR_INIT("readinessProbe"), .type = &schema_core_v1_Probe, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Check that decides whether services send traffic; absent: always ready.")},
    {.name = STR_INIT("startupProbe"), .type = &schema_core_v1_Probe, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Check that must pass before the other probes begin.")},
    {.name = STR_INIT("lifecycle"), .type = &schema_core_v1_Lifecycle, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Hooks to run after the start and before the stop.")},
    {.name = STR_INIT("terminationMessagePath"), .type = &schema_string, .pb = 13, .dflt = STR_INIT("\"/dev/termination-log\""), .doc = STR_INIT("File in the container whose content becomes the end message.")},
    {.name = STR_INIT("terminationMessagePolicy"), .type = &schema_string, .pb = 20, .dflt = STR_INIT("\"File\""), .doc = STR_INIT("File, or FallbackToLogsOnError to use the log's tail when the file is empty."), .rules = &rules_enums_File_FallbackToLogsOnError},
    {.name = STR_INIT("imagePullPolicy"), .type = &schema_string, .pb = 14, .doc = STR_INIT("Always, IfNotPresent or Never; absent: Always for :latest, else IfNotPresent."), .rules = &rules_enums_Always_IfNotPresent_Never},
    {.name = STR_INIT("securityContext"), .type = &schema_core_v1_SecurityContext, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Security settings of this container; they win over the pod's.")},
    {.name = STR_INIT("stdin"), .type = &schema_bool, .pb = 16, .doc = STR_INIT("True keeps standard input open for attach; false when absent.")},
    {.name = STR_INIT("stdinOnce"), .type = &schema_bool, .pb = 17, .doc = STR_INIT("True closes standard input after the first attach session ends.")},
    {.name = STR_INIT("tty"), .type = &schema_bool, .pb = 18, .doc = STR_INIT("True gives the container a terminal; needs stdin.")}};
static const uint8_t index_Container[64] = {0, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 15, 7, 22, 23, 0, 0, 0, 13, 0, 24, 0, 1, 11, 18, 0, 19, 20, 0, 0, 0, 0, 0, 12, 3, 9, 8, 16, 0, 0, 0, 0, 2, 10, 4, 0, 0, 5};
const struct schema_type schema_core_v1_Container = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Container"), .openapi = STR_INIT("io.k8s.api.core.v1.Container"), .doc = STR_INIT("One container of a pod."), .fields = fields_Container, .nfields = 24, .index8 = index_Container, .index_mask = 63};

static const struct schema_field fields_ProbeHandler[4] = {
    {.name = STR_INIT("exec"), .type = &schema_core_v1_ExecAction, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Runs a command in the container; exit code 0 is success.")},
    {.name = STR_INIT("httpGet"), .type = &schema_core_v1_HTTPGetAction, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sends an HTTP GET; status 200 to 399 is success.")},
    {.name = STR_INIT("tcpSocket"), .type = &schema_core_v1_TCPSocketAction, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Opens a TCP connection; success when it is accepted.")},
    {.name = STR_INIT("grpc"), .type = &schema_core_v1_GRPCAction, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Asks the gRPC health service; success when it says SERVING.")}};
const struct schema_type schema_core_v1_ProbeHandler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ProbeHandler"), .openapi = STR_INIT(""), .doc = STR_INIT("What a probe does; exactly one member is set."), .fields = fields_ProbeHandler, .nfields = 4};

static const struct schema_field fields_LifecycleHandler[4] = {
    {.name = STR_INIT("exec"), .type = &schema_core_v1_ExecAction, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Runs a command in the container; exit code 0 is success.")},
    {.name = STR_INIT("httpGet"), .type = &schema_core_v1_HTTPGetAction, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Sends an HTTP GET; status 200 to 399 is success.")},
    {.name = STR_INIT("tcpSocket"), .type = &schema_core_v1_TCPSocketAction, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Not supported for hooks; kept for compatibility only.")},
    {.name = STR_INIT("sleep"), .type = &schema_core_v1_SleepAction, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Waits for a number of seconds.")}};
const struct schema_type schema_core_v1_LifecycleHandler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LifecycleHandler"), .openapi = STR_INIT("io.k8s.api.core.v1.LifecycleHandler"), .doc = STR_INIT("What a hook does; exactly one member is set."), .fields = fields_LifecycleHandler, .nfields = 4};

static const struct schema_field fields_Lifecycle[3] = {
    {.name = STR_INIT("postStart"), .type = &schema_core_v1_LifecycleHandler, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Runs right after the start; the container is killed if it fails.")},
    {.name = STR_INIT("preStop"), .type = &schema_core_v1_LifecycleHandler, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Runs before the stop signal, within the grace period.")},
    {.name = STR_INIT("stopSignal"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Signal that stops the container, such as SIGTERM; absent: the image's.")}};
const struct schema_type schema_core_v1_Lifecycle = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Lifecycle"), .openapi = STR_INIT("io.k8s.api.core.v1.Lifecycle"), .doc = STR_INIT("Hooks after start and before stop of a container."), .fields = fields_Lifecycle, .nfields = 3};

static const struct schema_field fields_ContainerStateWaiting[2] = {
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Why it waits, as one word, such as ImagePullBackOff.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Why it waits, for people.")}};
const struct schema_type schema_core_v1_ContainerStateWaiting = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerStateWaiting"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerStateWaiting"), .doc = STR_INIT("The container has not started yet, and why."), .fields = fields_ContainerStateWaiting, .nfields = 2};

static const struct schema_field fields_ContainerStateRunning[1] = {
    {.name = STR_INIT("startedAt"), .type = &schema_time, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the container last started.")}};
const struct schema_type schema_core_v1_ContainerStateRunning = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerStateRunning"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerStateRunning"), .doc = STR_INIT("The container runs since this time."), .fields = fields_ContainerStateRunning, .nfields = 1};

static const struct schema_field fields_ContainerStateTerminated[7] = {
    {.name = STR_INIT("exitCode"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Exit code of the main process.")},
    {.name = STR_INIT("signal"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Signal that ended the process; 0 if none.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Why it ended, as one word, such as OOMKilled or Completed.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Last words of the container, for people.")},
    {.name = STR_INIT("startedAt"), .type = &schema_time, .pb = 5, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When this run of the container began.")},
    {.name = STR_INIT("finishedAt"), .type = &schema_time, .pb = 6, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When this run of the container ended.")},
    {.name = STR_INIT("containerID"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Id of the ended container, as runtime://id.")}};
static const uint8_t index_ContainerStateTerminated[16] = {0, 0, 0, 0, 1, 4, 6, 7, 0, 2, 3, 5, 0, 0, 0, 0};
const struct schema_type schema_core_v1_ContainerStateTerminated = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerStateTerminated"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerStateTerminated"), .doc = STR_INIT("The container ended, how and when."), .fields = fields_ContainerStateTerminated, .nfields = 7, .index8 = index_ContainerStateTerminated, .index_mask = 15};

static const struct schema_field fields_ContainerState[3] = {
    {.name = STR_INIT("waiting"), .type = &schema_core_v1_ContainerStateWaiting, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Set while the container is not running yet.")},
    {.name = STR_INIT("running"), .type = &schema_core_v1_ContainerStateRunning, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Set while the container runs.")},
    {.name = STR_INIT("terminated"), .type = &schema_core_v1_ContainerStateTerminated, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Set once the container has ended.")}};
const struct schema_type schema_core_v1_ContainerState = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerState"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerState"), .doc = STR_INIT("State of a container; at most one member is set, none means waiting."), .fields = fields_ContainerState, .nfields = 3};

static const struct schema_field fields_ContainerStatus[15] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the container in the spec.")},
    {.name = STR_INIT("state"), .type = &schema_core_v1_ContainerState, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the container is doing now.")},
    {.name = STR_INIT("lastState"), .type = &schema_core_v1_ContainerState, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("How the previous run ended; empty if there was none.")},
    {.name = STR_INIT("ready"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True while the readiness check passes.")},
    {.name = STR_INIT("restartCount"), .type = &schema_int32, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How often the container was restarted.")},
    {.name = STR_INIT("image"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Image that runs; may be spelled differently from the spec.")},
    {.name = STR_INIT("imageID"), .type = &schema_string, .pb = 7, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Exact image that runs, usually with its digest.")},
    {.name = STR_INIT("containerID"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Id of the container, as runtime://id.")},
    {.name = STR_INIT("started"), .type = &schema_bool, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("True once the start hook and the startup check are through.")},
    {.name = STR_INIT("allocatedResources"), .type = &map_quantity, .pb = 10, .doc = STR_INIT("Amounts the node has set aside for the container.")},
    {.name = STR_INIT("resources"), .type = &schema_core_v1_ResourceRequirements, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Requests and limits in force right now.")},
    {.name = STR_INIT("volumeMounts"), .type = &list_VolumeMountStatus_map_mountPath, .pb = 12, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("mountPath"), .doc = STR_INIT("How the volumes were really mounted.")},
    {.name = STR_INIT("user"), .type = &schema_core_v1_ContainerUser, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("User and groups the first process started with.")},
    {.name = STR_INIT("allocatedResourcesStatus"), .type = &list_ResourceStatus_map_name, .pb = 14, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Health of the devices given to the container.")},
    {.name = STR_INIT("stopSignal"), .type = &schema_string, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Signal that will stop the container.")}};
static const uint8_t index_ContainerStatus[32] = {0, 0, 0, 0, 0, 8, 1, 0, 0, 15, 0, 10, 0, 0, 0, 0, 0, 12, 11, 5, 4, 13, 2, 7, 0, 0, 3, 6, 0, 14, 9, 0};
const struct schema_type schema_core_v1_ContainerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerStatus"), .doc = STR_INIT("What is known about a container."), .fields = fields_ContainerStatus, .nfields = 15, .index8 = index_ContainerStatus, .index_mask = 31};

static const struct schema_field fields_ResourceStatus[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Resource, or claim:NAME/REQUEST for a resource claim.")},
    {.name = STR_INIT("resources"), .type = &list_ResourceHealth_map_resourceID, .pb = 2, .doc = STR_INIT("Devices of the resource with their health.")}};
const struct schema_type schema_core_v1_ResourceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceStatus"), .doc = STR_INIT("Health of the devices of one resource."), .fields = fields_ResourceStatus, .nfields = 2};

static const struct schema_field fields_ResourceHealth[2] = {
    {.name = STR_INIT("resourceID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the device, unique on the node.")},
    {.name = STR_INIT("health"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Healthy, Unhealthy or Unknown, as last reported.")}};
const struct schema_type schema_core_v1_ResourceHealth = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceHealth"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceHealth"), .doc = STR_INIT("Health of one device."), .fields = fields_ResourceHealth, .nfields = 2};

static const struct schema_field fields_ContainerUser[1] = {
    {.name = STR_INIT("linux"), .type = &schema_core_v1_LinuxContainerUser, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("User and group ids; only on Linux.")}};
const struct schema_type schema_core_v1_ContainerUser = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerUser"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerUser"), .doc = STR_INIT("User identity that the container started with."), .fields = fields_ContainerUser, .nfields = 1};

static const struct schema_field fields_LinuxContainerUser[3] = {
    {.name = STR_INIT("uid"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("User id of the first process.")},
    {.name = STR_INIT("gid"), .type = &schema_int64, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Primary group id of the first process.")},
    {.name = STR_INIT("supplementalGroups"), .type = &list_int64, .pb = 3, .doc = STR_INIT("Further group ids of the first process.")}};
const struct schema_type schema_core_v1_LinuxContainerUser = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LinuxContainerUser"), .openapi = STR_INIT("io.k8s.api.core.v1.LinuxContainerUser"), .doc = STR_INIT("User and group ids on Linux."), .fields = fields_LinuxContainerUser, .nfields = 3};

static const struct schema_field fields_PodCondition[7] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as PodScheduled, Initialized, ContainersReady or Ready.")},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 7, .doc = STR_INIT("Generation of the object that the condition was computed from.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastProbeTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the condition was last checked.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_PodCondition[16] = {0, 0, 0, 0, 7, 0, 0, 5, 0, 6, 0, 2, 4, 1, 0, 3};
const struct schema_type schema_core_v1_PodCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.PodCondition"), .doc = STR_INIT("One aspect of a pod's state."), .fields = fields_PodCondition, .nfields = 7, .index8 = index_PodCondition, .index_mask = 15};

static const struct schema_field fields_VolumeMountStatus[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Volume that was mounted.")},
    {.name = STR_INIT("mountPath"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path in the container.")},
    {.name = STR_INIT("readOnly"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True if the mount is read-only.")},
    {.name = STR_INIT("recursiveReadOnly"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Whether submounts are read-only too: Disabled or Enabled.")}};
const struct schema_type schema_core_v1_VolumeMountStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("VolumeMountStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.VolumeMountStatus"), .doc = STR_INIT("How a volume was mounted."), .fields = fields_VolumeMountStatus, .nfields = 4};

static const struct schema_field fields_NodeSelector[1] = {
    {.name = STR_INIT("nodeSelectorTerms"), .type = &list_NodeSelectorTerm, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Alternatives; a node matches if one of them does.")}};
const struct schema_type schema_core_v1_NodeSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSelector"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSelector"), .doc = STR_INIT("Selects nodes; one of the terms must match."), .atomic = true, .fields = fields_NodeSelector, .nfields = 1};

static const struct schema_field fields_NodeSelectorTerm[2] = {
    {.name = STR_INIT("matchExpressions"), .type = &list_NodeSelectorRequirement, .pb = 1, .doc = STR_INIT("Conditions on labels of the node.")},
    {.name = STR_INIT("matchFields"), .type = &list_NodeSelectorRequirement, .pb = 2, .doc = STR_INIT("Conditions on fields of the node; only metadata.name is known.")}};
const struct schema_type schema_core_v1_NodeSelectorTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSelectorTerm"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSelectorTerm"), .doc = STR_INIT("Conditions on labels and fields of a node; all must hold. An empty term matches nothing."), .atomic = true, .fields = fields_NodeSelectorTerm, .nfields = 2};

static const struct schema_field fields_NodeSelectorRequirement[3] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Label or field the condition looks at.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("In, NotIn, Exists, DoesNotExist, Gt or Lt.")},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3, .doc = STR_INIT("Values to compare with; one integer for Gt and Lt.")}};
const struct schema_type schema_core_v1_NodeSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSelectorRequirement"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSelectorRequirement"), .doc = STR_INIT("One condition on a node: key, operator, values."), .fields = fields_NodeSelectorRequirement, .nfields = 3};

static const struct schema_field fields_TopologySelectorTerm[1] = {
    {.name = STR_INIT("matchLabelExpressions"), .type = &list_TopologySelectorLabelRequirement, .pb = 1, .doc = STR_INIT("Conditions on topology labels of the node.")}};
const struct schema_type schema_core_v1_TopologySelectorTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologySelectorTerm"), .openapi = STR_INIT("io.k8s.api.core.v1.TopologySelectorTerm"), .doc = STR_INIT("Conditions on topology labels; all must hold."), .atomic = true, .fields = fields_TopologySelectorTerm, .nfields = 1};

static const struct schema_field fields_TopologySelectorLabelRequirement[2] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Topology label, such as topology.kubernetes.io/zone.")},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Allowed values; one of them must match.")}};
const struct schema_type schema_core_v1_TopologySelectorLabelRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologySelectorLabelRequirement"), .openapi = STR_INIT("io.k8s.api.core.v1.TopologySelectorLabelRequirement"), .doc = STR_INIT("A topology label and its allowed values."), .fields = fields_TopologySelectorLabelRequirement, .nfields = 2};

static const struct schema_field fields_Affinity[3] = {
    {.name = STR_INIT("nodeAffinity"), .type = &schema_core_v1_NodeAffinity, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which nodes the pod must or should run on.")},
    {.name = STR_INIT("podAffinity"), .type = &schema_core_v1_PodAffinity, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods it must or should run near.")},
    {.name = STR_INIT("podAntiAffinity"), .type = &schema_core_v1_PodAntiAffinity, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods it must or should keep away from.")}};
const struct schema_type schema_core_v1_Affinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Affinity"), .openapi = STR_INIT("io.k8s.api.core.v1.Affinity"), .doc = STR_INIT("Where a pod wants to run, relative to nodes and other pods."), .fields = fields_Affinity, .nfields = 3};

static const struct schema_field fields_PodAffinity[2] = {
    {.name = STR_INIT("requiredDuringSchedulingIgnoredDuringExecution"), .type = &list_PodAffinityTerm, .pb = 1, .doc = STR_INIT("Must hold when the pod is placed; later changes do not matter.")},
    {.name = STR_INIT("preferredDuringSchedulingIgnoredDuringExecution"), .type = &list_WeightedPodAffinityTerm, .pb = 2, .doc = STR_INIT("Should hold when the pod is placed; the weights of met terms add up.")}};
const struct schema_type schema_core_v1_PodAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodAffinity"), .openapi = STR_INIT("io.k8s.api.core.v1.PodAffinity"), .doc = STR_INIT("Wishes to run near other pods."), .fields = fields_PodAffinity, .nfields = 2};

static const struct schema_field fields_PodAntiAffinity[2] = {
    {.name = STR_INIT("requiredDuringSchedulingIgnoredDuringExecution"), .type = &list_PodAffinityTerm, .pb = 1, .doc = STR_INIT("Must hold when the pod is placed; later changes do not matter.")},
    {.name = STR_INIT("preferredDuringSchedulingIgnoredDuringExecution"), .type = &list_WeightedPodAffinityTerm, .pb = 2, .doc = STR_INIT("Should hold when the pod is placed; the weights of met terms add up.")}};
const struct schema_type schema_core_v1_PodAntiAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodAntiAffinity"), .openapi = STR_INIT("io.k8s.api.core.v1.PodAntiAffinity"), .doc = STR_INIT("Wishes to run away from other pods."), .fields = fields_PodAntiAffinity, .nfields = 2};

static const struct schema_field fields_WeightedPodAffinityTerm[2] = {
    {.name = STR_INIT("weight"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How much the term counts, 1 to 100.")},
    {.name = STR_INIT("podAffinityTerm"), .type = &schema_core_v1_PodAffinityTerm, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Pods to look for, and within which topology.")}};
const struct schema_type schema_core_v1_WeightedPodAffinityTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WeightedPodAffinityTerm"), .openapi = STR_INIT("io.k8s.api.core.v1.WeightedPodAffinityTerm"), .doc = STR_INIT("A pod affinity term and how much it counts."), .fields = fields_WeightedPodAffinityTerm, .nfields = 2};

static const struct schema_field fields_PodAffinityTerm[6] = {
    {.name = STR_INIT("labelSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Labels of the pods to look for; absent matches none.")},
    {.name = STR_INIT("namespaces"), .type = &list_string, .pb = 2, .doc = STR_INIT("Namespaces to look in; with no namespaceSelector, absent means the pod's own.")},
    {.name = STR_INIT("topologyKey"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Node label whose equal value means the same place.")},
    {.name = STR_INIT("namespaceSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Namespaces to look in, by label; empty means all.")},
    {.name = STR_INIT("matchLabelKeys"), .type = &list_string, .pb = 5, .doc = STR_INIT("Labels whose value must equal that of the incoming pod.")},
    {.name = STR_INIT("mismatchLabelKeys"), .type = &list_string, .pb = 6, .doc = STR_INIT("Labels whose value must differ from that of the incoming pod.")}};
static const uint8_t index_PodAffinityTerm[16] = {0, 0, 0, 3, 1, 4, 0, 0, 5, 2, 6, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_PodAffinityTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodAffinityTerm"), .openapi = STR_INIT("io.k8s.api.core.v1.PodAffinityTerm"), .doc = STR_INIT("Pods to be near to or away from, and within which topology."), .fields = fields_PodAffinityTerm, .nfields = 6, .index8 = index_PodAffinityTerm, .index_mask = 15};

static const struct schema_field fields_NodeAffinity[2] = {
    {.name = STR_INIT("requiredDuringSchedulingIgnoredDuringExecution"), .type = &schema_core_v1_NodeSelector, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Nodes must match when the pod is placed; later changes do not matter.")},
    {.name = STR_INIT("preferredDuringSchedulingIgnoredDuringExecution"), .type = &list_PreferredSchedulingTerm, .pb = 2, .doc = STR_INIT("Nodes should match when the pod is placed; weights of met terms add up.")}};
const struct schema_type schema_core_v1_NodeAffinity = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeAffinity"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeAffinity"), .doc = STR_INIT("Wishes about nodes."), .fields = fields_NodeAffinity, .nfields = 2};

static const struct schema_field fields_PreferredSchedulingTerm[2] = {
    {.name = STR_INIT("weight"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How much the term counts, 1 to 100.")},
    {.name = STR_INIT("preference"), .type = &schema_core_v1_NodeSelectorTerm, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Condition that preferred nodes meet.")}};
const struct schema_type schema_core_v1_PreferredSchedulingTerm = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PreferredSchedulingTerm"), .openapi = STR_INIT("io.k8s.api.core.v1.PreferredSchedulingTerm"), .doc = STR_INIT("A node term and how much it counts."), .fields = fields_PreferredSchedulingTerm, .nfields = 2};

static const struct schema_field fields_Taint[4] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the taint.")},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Value of the taint; may be empty.")},
    {.name = STR_INIT("effect"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("NoSchedule and PreferNoSchedule deter new pods; NoExecute also evicts running ones."), .rules = &rules_enums_NoSchedule_PreferNoSchedule_NoExecute},
    {.name = STR_INIT("timeAdded"), .type = &schema_time, .pb = 4, .doc = STR_INIT("When it was added; for NoExecute only.")}};
const struct schema_type schema_core_v1_Taint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Taint"), .openapi = STR_INIT("io.k8s.api.core.v1.Taint"), .doc = STR_INIT("A mark on a node that keeps away pods that do not tolerate it."), .fields = fields_Taint, .nfields = 4};

static const struct schema_field fields_Toleration[5] = {
    {.name = STR_INIT("key"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Taint to tolerate; empty with Exists tolerates every taint.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Exists ignores the value, Equal compares it; Equal when absent."), .rules = &rules_enums_Equal_Exists},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Value that the taint must have; empty with Exists.")},
    {.name = STR_INIT("effect"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Effect to tolerate; empty means all effects."), .rules = &rules_enums_NoSchedule_PreferNoSchedule_NoExecute},
    {.name = STR_INIT("tolerationSeconds"), .type = &schema_int64, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds to stay on after a NoExecute taint; absent means for ever.")}};
static const uint8_t index_Toleration[16] = {0, 0, 0, 0, 4, 0, 0, 0, 0, 5, 3, 0, 1, 2, 0, 0};
const struct schema_type schema_core_v1_Toleration = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Toleration"), .openapi = STR_INIT("io.k8s.api.core.v1.Toleration"), .doc = STR_INIT("Lets a pod run on nodes with a matching taint."), .fields = fields_Toleration, .nfields = 5, .index8 = index_Toleration, .index_mask = 15};

static const struct schema_field fields_PodReadinessGate[1] = {
    {.name = STR_INIT("conditionType"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Condition of the pod that must be True.")}};
const struct schema_type schema_core_v1_PodReadinessGate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodReadinessGate"), .openapi = STR_INIT("io.k8s.api.core.v1.PodReadinessGate"), .doc = STR_INIT("An extra condition that the pod needs to be ready."), .fields = fields_PodReadinessGate, .nfields = 1};

static const struct schema_field fields_PodSpec[41] = {
    {.name = STR_INIT("volumes"), .type = &list_Volume_map_name, .pb = 1, .patch = SCHEMA_PATCH_MERGE | SCHEMA_PATCH_RETAIN_KEYS, .merge_key = STR_INIT("name"), .doc = STR_INIT("Volumes that containers of the pod can mount.")},
    {.name = STR_INIT("initContainers"), .type = &list_Container_map_name, .pb = 20, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Run one after the other before the containers; each must succeed.")},
    {.name = STR_INIT("containers"), .type = &list_Container_map_name, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Containers of the pod; at least one.")},
    {.name = STR_INIT("ephemeralContainers"), .type = &list_EphemeralContainer_map_name, .pb = 34, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Debug containers, added to a running pod through a subresource.")},
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .pb = 3, .dflt = STR_INIT("\"Always\""), .doc = STR_INIT("When containers are restarted: Always, OnFailure or Never."), .rules = &rules_enums_Always_OnFailure_Never},
    {.name = STR_INIT("terminationGracePeriodSeconds"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER, .dflt = STR_INIT("30"), .doc = STR_INIT("Seconds the pod gets to stop before it is killed; 30 when absent.")},
    {.name = STR_INIT("activeDeadlineSeconds"), .type = &schema_int64, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds the pod may run before it is failed; absent: no limit.")},
    {.name = STR_INIT("dnsPolicy"), .type = &schema_string, .pb = 6, .dflt = STR_INIT("\"ClusterFirst\""), .doc = STR_INIT("Where DNS settings come from: the cluster, the node (Default) or dnsConfig (None)."), .rules = &rules_enums_ClusterFirstWithHostNet_ClusterFirst_Default_None},
    {.name = STR_INIT("nodeSelector"), .type = &map_string_atomic, .pb = 7, .doc = STR_INIT("Labels a node must have for the pod to run there.")},
    {.name = STR_INIT("serviceAccountName"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Service account the pod acts as; default when absent.")},
    {.name = STR_INIT("serviceAccount"), .type = &schema_string, .pb = 9, .doc = STR_INIT("Deprecated: old name of serviceAccountName.")},
    {.name = STR_INIT("automountServiceAccountToken"), .type = &schema_bool, .pb = 21, .flags = SCHEMA_POINTER, .doc = STR_INIT("False leaves out the API token; absent asks the service account.")},
    {.name = STR_INIT("nodeName"), .type = &schema_string, .pb = 10, .doc = STR_INIT("Node the pod runs on; set by the scheduler, or by you to bypass it.")},
    {.name = STR_INIT("hostNetwork"), .type = &schema_bool, .pb = 11, .doc = STR_INIT("True shares the network of the node; false when absent.")},
    {.name = STR_INIT("hostPID"), .type = &schema_bool, .pb = 12, .doc = STR_INIT("True shares the process ids of the node; false when absent.")},
    {.name = STR_INIT("hostIPC"), .type = &schema_bool, .pb = 13, .doc = STR_INIT("True shares the IPC of the node; false when absent.")},
    {.name = STR_INIT("shareProcessNamespace"), .type = &schema_bool, .pb = 27, .flags = SCHEMA_POINTER, .doc = STR_INIT("True lets the containers see each other's processes; false when absent.")},
    {.name = STR_INIT("securityContext"), .type = &schema_core_v1_PodSecurityContext, .pb = 14, .flags = SCHEMA_POINTER, .dflt = STR_INIT("{}"), .doc = STR_INIT("Security settings of all containers in the pod.")},
    {.name = STR_INIT("imagePullSecrets"), .type = &list_LocalObjectReference_map_name, .pb = 15, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Secrets with registry logins for pulling the images.")},
    {.name = STR_INIT("hostname"), .type = &schema_string, .pb = 16, .doc = STR_INIT("Host name of the pod; its name when absent.")},
    {.name = STR_INIT("subdomain"), .type = &schema_string, .pb = 17, .doc = STR_INIT("Gives the pod the DNS name hostname.subdomain.namespace.svc and the cluster's domain.")},
    {.name = STR_INIT("affinity"), .type = &schema_core_v1_Affinity, .pb = 18, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where the pod must or should run.")},
    {.name = STR_INIT("schedulerName"), .type = &schema_string, .pb = 19, .dflt = STR_INIT("\"default-scheduler\""), .doc = STR_INIT("Scheduler that places the pod; default-scheduler when absent.")},
    {.name = STR_INIT("tolerations"), .type = &list_Toleration, .pb = 22, .doc = STR_INIT("Taints of nodes that the pod puts up with.")},
    {.name = STR_INIT("hostAliases"), .type = &list_HostAlias_map_ip, .pb = 23, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("ip"), .doc = STR_INIT("Extra lines for the hosts file of the containers.")},
    {.name = STR_INIT("priorityClassName"), .type = &schema_string, .pb = 24, .doc = STR_INIT("Priority class of the pod; the default class when absent.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .pb = 25, .flags = SCHEMA_POINTER, .doc = STR_INIT("Importance as a number, from the class; higher goes first.")},
    {.name = STR_INIT("dnsConfig"), .type = &schema_core_v1_PodDNSConfig, .pb = 26, .flags = SCHEMA_POINTER, .doc = STR_INIT("DNS settings in addition to those of dnsPolicy.")},
    {.name = STR_INIT("readinessGates"), .type = &list_PodReadinessGate, .pb = 28, .doc = STR_INIT("Extra conditions that must be True for the pod to be ready.")},
    {.name = STR_INIT("runtimeClassName"), .type = &schema_string, .pb = 29, .flags = SCHEMA_POINTER, .doc = STR_INIT("Runtime class to run the pod with; absent: the node's default runtime.")},
    {.name = STR_INIT("enableServiceLinks"), .type = &schema_bool, .pb = 30, .flags = SCHEMA_POINTER, .doc = STR_INIT("False leaves out variables that describe services; true when absent.")},
    {.name = STR_INIT("preemptionPolicy"), .type = &schema_string, .pb = 31, .flags = SCHEMA_POINTER, .doc = STR_INIT("Never keeps it from pushing out others; PreemptLowerPriority when absent."), .rules = &rules_enums_PreemptLowerPriority_Never},
    {.name = STR_INIT("overhead"), .type = &map_quantity, .pb = 32, .doc = STR_INIT("What the runtime itself takes; comes from the runtime class.")},
    {.name = STR_INIT("topologySpreadConstraints"), .type = &list_TopologySpreadConstraint_map_topologyKey_whenUnsatisfiable, .pb = 33, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("topologyKey"), .doc = STR_INIT("How to spread such pods over zones, nodes and the like.")},
    {.name = STR_INIT("setHostnameAsFQDN"), .type = &schema_bool, .pb = 35, .flags = SCHEMA_POINTER, .doc = STR_INIT("True makes the host name the full DNS name; false when absent.")},
    {.name = STR_INIT("os"), .type = &schema_core_v1_PodOS, .pb = 36, .flags = SCHEMA_POINTER, .doc = STR_INIT("Operating system of the containers: linux or windows.")},
    {.name = STR_INIT("hostUsers"), .type = &schema_bool, .pb = 37, .flags = SCHEMA_POINTER, .doc = STR_INIT("False gives the pod a user namespace of its own; true when absent.")},
    {.name = STR_INIT("schedulingGates"), .type = &list_PodSchedulingGate_map_name, .pb = 38, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("While any is left, the pod is not scheduled.")},
    {.name = STR_INIT("resourceClaims"), .type = &list_PodResourceClaim_map_name, .pb = 39, .patch = SCHEMA_PATCH_MERGE | SCHEMA_PATCH_RETAIN_KEYS, .merge_key = STR_INIT("name"), .doc = STR_INIT("Devices to claim for the pod; containers refer to them by name.")},
    {.name = STR_INIT("resources"), .type = &schema_core_v1_ResourceRequirements, .pb = 40, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU and memory for the pod as a whole.")},
    {.name = STR_INIT("workloadRef"), .type = &schema_core_v1_WorkloadReference, .pb = 42, .flags = SCHEMA_POINTER, .doc = STR_INIT("Workload and group that the pod belongs to: its gang. Alpha in Kubernetes.")}};
static const uint8_t index_PodSpec[128] = {0, 41, 0, 6, 0, 0, 0, 0, 0, 27, 0, 11, 0, 0, 31, 0, 4, 38, 0, 0, 0, 0, 0, 2, 32, 36, 0, 0, 0, 0, 0, 0, 0, 0, 12, 0, 9, 0, 0, 0, 0, 34, 28, 0, 0, 35, 13, 0, 0, 0, 0, 0, 1, 33, 0, 0, 0, 0, 0, 0, 0, 0, 30, 0, 0, 21, 18, 23, 39, 24, 0, 14, 0, 0, 0, 0, 0, 0, 0, 0, 10, 3, 29, 0, 0, 0, 0, 0, 26, 22, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 7, 0, 0, 0, 20, 0, 0, 0, 17, 0, 19, 40, 0, 25, 8, 0, 15, 0, 0, 0, 0, 37, 0, 16};
const struct schema_type schema_core_v1_PodSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.PodSpec"), .doc = STR_INIT("What a pod runs and how."), .fields = fields_PodSpec, .nfields = 41, .index8 = index_PodSpec, .index_mask = 127};

static const struct schema_field fields_WorkloadReference[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Workload in the pod's namespace; the pod waits until there is one.")},
    {.name = STR_INIT("podGroup"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Group of the workload.")},
    {.name = STR_INIT("podGroupReplicaKey"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Which replica of the group; each is a gang of its own.")}};
const struct schema_type schema_core_v1_WorkloadReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WorkloadReference"), .openapi = STR_INIT("io.k8s.api.core.v1.WorkloadReference"), .doc = STR_INIT("Workload and group that a pod belongs to."), .fields = fields_WorkloadReference, .nfields = 3};

static const struct schema_field fields_PodResourceClaim[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name that containers use for the claim; unique within the pod.")},
    {.name = STR_INIT("resourceClaimName"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Existing claim in the pod's namespace; excludes the template.")},
    {.name = STR_INIT("resourceClaimTemplateName"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Template to make a claim from for this pod only.")}};
const struct schema_type schema_core_v1_PodResourceClaim = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodResourceClaim"), .openapi = STR_INIT("io.k8s.api.core.v1.PodResourceClaim"), .doc = STR_INIT("A resource claim that containers of the pod can use by name."), .fields = fields_PodResourceClaim, .nfields = 3};

static const struct schema_field fields_PodResourceClaimStatus[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Entry of resourceClaims this belongs to.")},
    {.name = STR_INIT("resourceClaimName"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Claim that was made; absent if none was needed.")}};
const struct schema_type schema_core_v1_PodResourceClaimStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodResourceClaimStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.PodResourceClaimStatus"), .doc = STR_INIT("The claim that was made for an entry of resourceClaims."), .fields = fields_PodResourceClaimStatus, .nfields = 2};

static const struct schema_field fields_PodOS[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Either linux or windows."), .rules = &rules_enums_linux_windows}};
const struct schema_type schema_core_v1_PodOS = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodOS"), .openapi = STR_INIT("io.k8s.api.core.v1.PodOS"), .doc = STR_INIT("Operating system the pod is meant for."), .fields = fields_PodOS, .nfields = 1};

static const struct schema_field fields_PodSchedulingGate[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the gate; unique within the pod.")}};
const struct schema_type schema_core_v1_PodSchedulingGate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodSchedulingGate"), .openapi = STR_INIT("io.k8s.api.core.v1.PodSchedulingGate"), .doc = STR_INIT("Keeps a pod from being scheduled while it is present."), .fields = fields_PodSchedulingGate, .nfields = 1};

static const struct schema_field fields_TopologySpreadConstraint[8] = {
    {.name = STR_INIT("maxSkew"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Largest allowed difference in matching pods between two domains; above 0.")},
    {.name = STR_INIT("topologyKey"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Node label whose values are the domains.")},
    {.name = STR_INIT("whenUnsatisfiable"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("DoNotSchedule makes the pod wait; ScheduleAnyway only lowers the score."), .rules = &rules_enums_DoNotSchedule_ScheduleAnyway},
    {.name = STR_INIT("labelSelector"), .type = &schema_meta_v1_LabelSelector, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Labels of the pods to count.")},
    {.name = STR_INIT("minDomains"), .type = &schema_int32, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Domains to spread over at least; 1 when absent. Only with DoNotSchedule.")},
    {.name = STR_INIT("nodeAffinityPolicy"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Honor counts only nodes the pod may select; Ignore all. Honor when absent."), .rules = &rules_enums_Honor_Ignore},
    {.name = STR_INIT("nodeTaintsPolicy"), .type = &schema_string, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Honor skips nodes with untolerated taints; Ignore counts all. Ignore when absent."), .rules = &rules_enums_Honor_Ignore},
    {.name = STR_INIT("matchLabelKeys"), .type = &list_string, .pb = 8, .doc = STR_INIT("Labels whose value must equal that of the incoming pod.")}};
static const uint8_t index_TopologySpreadConstraint[16] = {0, 0, 0, 2, 4, 0, 0, 3, 5, 8, 0, 1, 6, 0, 7, 0};
const struct schema_type schema_core_v1_TopologySpreadConstraint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologySpreadConstraint"), .openapi = STR_INIT("io.k8s.api.core.v1.TopologySpreadConstraint"), .doc = STR_INIT("How evenly matching pods are to be spread."), .fields = fields_TopologySpreadConstraint, .nfields = 8, .index8 = index_TopologySpreadConstraint, .index_mask = 15};

static const struct schema_field fields_HostAlias[2] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address at the start of the line.")},
    {.name = STR_INIT("hostnames"), .type = &list_string, .pb = 2, .doc = STR_INIT("Names for the address.")}};
const struct schema_type schema_core_v1_HostAlias = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HostAlias"), .openapi = STR_INIT("io.k8s.api.core.v1.HostAlias"), .doc = STR_INIT("An extra line in the pod's hosts file."), .fields = fields_HostAlias, .nfields = 2};

static const struct schema_field fields_PodSecurityContext[13] = {
    {.name = STR_INIT("seLinuxOptions"), .type = &schema_core_v1_SELinuxOptions, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("SELinux labels; the runtime picks them when absent.")},
    {.name = STR_INIT("windowsOptions"), .type = &schema_core_v1_WindowsSecurityContextOptions, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings for Windows; refused on Linux.")},
    {.name = STR_INIT("runAsUser"), .type = &schema_int64, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("User id of the processes; that of the image when absent.")},
    {.name = STR_INIT("runAsGroup"), .type = &schema_int64, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Primary group id of the processes; the runtime's choice when absent.")},
    {.name = STR_INIT("runAsNonRoot"), .type = &schema_bool, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("True refuses to start containers that would run as root.")},
    {.name = STR_INIT("supplementalGroups"), .type = &list_int64, .pb = 4, .doc = STR_INIT("Further group ids of the processes.")},
    {.name = STR_INIT("supplementalGroupsPolicy"), .type = &schema_string, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Merge adds the image's groups; Strict does not. Merge when absent."), .rules = &rules_enums_Merge_Strict},
    {.name = STR_INIT("fsGroup"), .type = &schema_int64, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Group that owns the volumes; the processes are in it too.")},
    {.name = STR_INIT("sysctls"), .type = &list_Sysctl, .pb = 7, .doc = STR_INIT("Kernel parameters for the pod.")},
    {.name = STR_INIT("fsGroupChangePolicy"), .type = &schema_string, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("OnRootMismatch skips volumes already right; Always when absent."), .rules = &rules_enums_Always_OnRootMismatch},
    {.name = STR_INIT("seccompProfile"), .type = &schema_core_v1_SeccompProfile, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Filter of system calls.")},
    {.name = STR_INIT("appArmorProfile"), .type = &schema_core_v1_AppArmorProfile, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("AppArmor profile for the containers.")},
    {.name = STR_INIT("seLinuxChangePolicy"), .type = &schema_string, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("How volumes are labelled: MountOption (fast) or Recursive (file by file)."), .rules = &rules_enums_MountOption_Recursive}};
static const uint8_t index_PodSecurityContext[32] = {0, 0, 0, 0, 2, 0, 0, 0, 0, 5, 0, 10, 9, 1, 0, 13, 0, 7, 8, 11, 12, 0, 0, 0, 0, 3, 4, 0, 0, 0, 0, 6};
const struct schema_type schema_core_v1_PodSecurityContext = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodSecurityContext"), .openapi = STR_INIT("io.k8s.api.core.v1.PodSecurityContext"), .doc = STR_INIT("Security settings of all containers of the pod."), .fields = fields_PodSecurityContext, .nfields = 13, .index8 = index_PodSecurityContext, .index_mask = 31};

static const struct schema_field fields_SeccompProfile[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("RuntimeDefault, Unconfined (none), or Localhost for one of the node."), .rules = &rules_enums_Localhost_RuntimeDefault_Unconfined},
    {.name = STR_INIT("localhostProfile"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("File of the profile on the node; with type Localhost only.")}};
const struct schema_type schema_core_v1_SeccompProfile = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SeccompProfile"), .openapi = STR_INIT("io.k8s.api.core.v1.SeccompProfile"), .doc = STR_INIT("Which seccomp profile applies."), .fields = fields_SeccompProfile, .nfields = 2};

static const struct schema_field fields_AppArmorProfile[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("RuntimeDefault, Unconfined (none), or Localhost for one of the node."), .rules = &rules_enums_Localhost_RuntimeDefault_Unconfined},
    {.name = STR_INIT("localhostProfile"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Profile loaded on the node; with type Localhost only.")}};
const struct schema_type schema_core_v1_AppArmorProfile = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AppArmorProfile"), .openapi = STR_INIT("io.k8s.api.core.v1.AppArmorProfile"), .doc = STR_INIT("Which AppArmor profile applies."), .fields = fields_AppArmorProfile, .nfields = 2};

static const struct schema_field fields_PodDNSConfig[3] = {
    {.name = STR_INIT("nameservers"), .type = &list_string, .pb = 1, .doc = STR_INIT("Name servers in addition to those of the policy.")},
    {.name = STR_INIT("searches"), .type = &list_string, .pb = 2, .doc = STR_INIT("Search domains in addition to those of the policy.")},
    {.name = STR_INIT("options"), .type = &list_PodDNSConfigOption, .pb = 3, .doc = STR_INIT("Resolver options; they win over those of the policy.")}};
const struct schema_type schema_core_v1_PodDNSConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDNSConfig"), .openapi = STR_INIT("io.k8s.api.core.v1.PodDNSConfig"), .doc = STR_INIT("DNS settings beyond those of the DNS policy."), .fields = fields_PodDNSConfig, .nfields = 3};

static const struct schema_field fields_PodDNSConfigOption[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the option, such as ndots.")},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Value of the option, if it takes one.")}};
const struct schema_type schema_core_v1_PodDNSConfigOption = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodDNSConfigOption"), .openapi = STR_INIT("io.k8s.api.core.v1.PodDNSConfigOption"), .doc = STR_INIT("A resolver option."), .fields = fields_PodDNSConfigOption, .nfields = 2};

static const struct schema_field fields_PodIP[1] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address of the pod.")}};
const struct schema_type schema_core_v1_PodIP = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodIP"), .openapi = STR_INIT("io.k8s.api.core.v1.PodIP"), .doc = STR_INIT("An address of the pod."), .fields = fields_PodIP, .nfields = 1};

static const struct schema_field fields_HostIP[1] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address of the node.")}};
const struct schema_type schema_core_v1_HostIP = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HostIP"), .openapi = STR_INIT("io.k8s.api.core.v1.HostIP"), .doc = STR_INIT("An address of the node."), .fields = fields_HostIP, .nfields = 1};

static const struct schema_field fields_EphemeralContainerCommon[24] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the container; unique among all containers of the pod.")},
    {.name = STR_INIT("image"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Image to run, such as nginx:1.27.")},
    {.name = STR_INIT("command"), .type = &list_string, .pb = 3, .doc = STR_INIT("Program to run instead of the image's entrypoint; $(VAR) is replaced.")},
    {.name = STR_INIT("args"), .type = &list_string, .pb = 4, .doc = STR_INIT("Arguments instead of those of the image; $(VAR) is replaced.")},
    {.name = STR_INIT("workingDir"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Working folder; absent means that of the image.")},
    {.name = STR_INIT("ports"), .type = &list_ContainerPort_map_containerPort_protocol, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("containerPort"), .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("envFrom"), .type = &list_EnvFromSource, .pb = 19, .doc = STR_INIT("Config maps and secrets whose keys become variables; env wins.")},
    {.name = STR_INIT("env"), .type = &list_EnvVar_map_name, .pb = 7, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Environment variables of the container.")},
    {.name = STR_INIT("resources"), .type = &schema_core_v1_ResourceRequirements, .pb = 8, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Not allowed; they use what the pod has left.")},
    {.name = STR_INIT("resizePolicy"), .type = &list_ContainerResizePolicy, .pb = 23, .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .pb = 24, .flags = SCHEMA_POINTER, .doc = STR_INIT("Not allowed; ephemeral containers are never restarted.")},
    {.name = STR_INIT("volumeMounts"), .type = &list_VolumeMount_map_mountPath, .pb = 9, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("mountPath"), .doc = STR_INIT("Volumes to mount, and where.")},
    {.name = STR_INIT("volumeDevices"), .type = &list_VolumeDevice_map_devicePath, .pb = 21, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("devicePath"), .doc = STR_INIT("Block volumes to pass in as devices, and where.")},
    {.name = STR_INIT("livenessProbe"), .type = &schema_core_v1_Probe, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("readinessProbe"), .type = &schema_core_v1_Probe, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("startupProbe"), .type = &schema_core_v1_Probe, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("lifecycle"), .type = &schema_core_v1_Lifecycle, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("Must be absent; exists only to share the container's shape.")},
    {.name = STR_INIT("terminationMessagePath"), .type = &schema_string, .pb = 13, .dflt = STR_INIT("\"/dev/termination-log\""), .doc = STR_INIT("File in the container whose content becomes the end message.")},
    {.name = STR_INIT("terminationMessagePolicy"), .type = &schema_string, .pb = 20, .dflt = STR_INIT("\"File\""), .doc = STR_INIT("File, or FallbackToLogsOnError to use the log's tail when the file is empty."), .rules = &rules_enums_File_FallbackToLogsOnError},
    {.name = STR_INIT("imagePullPolicy"), .type = &schema_string, .pb = 14, .doc = STR_INIT("Always, IfNotPresent or Never; absent: Always for :latest, else IfNotPresent."), .rules = &rules_enums_Always_IfNotPresent_Never},
    {.name = STR_INIT("securityContext"), .type = &schema_core_v1_SecurityContext, .pb = 15, .flags = SCHEMA_POINTER, .doc = STR_INIT("Security settings of this container; they win over the pod's.")},
    {.name = STR_INIT("stdin"), .type = &schema_bool, .pb = 16, .doc = STR_INIT("True keeps standard input open for attach; false when absent.")},
    {.name = STR_INIT("stdinOnce"), .type = &schema_bool, .pb = 17, .doc = STR_INIT("True closes standard input after the first attach session ends.")},
    {.name = STR_INIT("tty"), .type = &schema_bool, .pb = 18, .doc = STR_INIT("True gives the container a terminal; needs stdin.")}};
static const uint8_t index_EphemeralContainerCommon[64] = {0, 0, 21, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 17, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 15, 7, 22, 23, 0, 0, 0, 13, 0, 24, 0, 1, 11, 18, 0, 19, 20, 0, 0, 0, 0, 0, 12, 3, 9, 8, 16, 0, 0, 0, 0, 2, 10, 4, 0, 0, 5};
const struct schema_type schema_core_v1_EphemeralContainerCommon = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EphemeralContainerCommon"), .openapi = STR_INIT(""), .doc = STR_INIT("The fields that an ephemeral container shares with other containers."), .fields = fields_EphemeralContainerCommon, .nfields = 24, .index8 = index_EphemeralContainerCommon, .index_mask = 63};

static const struct schema_field fields_EphemeralContainer[2] = {
    {.name = STR_INIT("ephemeralContainerCommon"), .type = &schema_core_v1_EphemeralContainerCommon, .pb = 1, .flags = SCHEMA_INLINE, .doc = STR_INIT("Inlined: the usual fields of a container.")},
    {.name = STR_INIT("targetContainerName"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Container whose processes it can see; absent: its own only.")}};
const struct schema_type schema_core_v1_EphemeralContainer = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EphemeralContainer"), .openapi = STR_INIT("io.k8s.api.core.v1.EphemeralContainer"), .doc = STR_INIT("A container added to a running pod for debugging."), .fields = fields_EphemeralContainer, .nfields = 2};

static const struct schema_field fields_PodStatus[17] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 17, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("phase"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Pending, Running, Succeeded, Failed or Unknown.")},
    {.name = STR_INIT("conditions"), .type = &list_PodCondition_map_type, .pb = 2, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Further explanation of the phase, for people.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Further explanation of the phase, as one word, such as Evicted.")},
    {.name = STR_INIT("nominatedNodeName"), .type = &schema_string, .pb = 11, .doc = STR_INIT("Node being cleared for this pod; it may still land elsewhere.")},
    {.name = STR_INIT("hostIP"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Address of the node; empty until the pod is placed.")},
    {.name = STR_INIT("hostIPs"), .type = &list_HostIP, .pb = 16, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("ip"), .doc = STR_INIT("All addresses of the node; the first equals hostIP.")},
    {.name = STR_INIT("podIP"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Address of the pod; empty until it has one.")},
    {.name = STR_INIT("podIPs"), .type = &list_PodIP_map_ip, .pb = 12, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("ip"), .doc = STR_INIT("All addresses of the pod, one per family; the first equals podIP.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .pb = 7, .doc = STR_INIT("When the node took the pod on, before pulling images.")},
    {.name = STR_INIT("initContainerStatuses"), .type = &list_ContainerStatus, .pb = 10, .doc = STR_INIT("State of the init containers, in their order.")},
    {.name = STR_INIT("containerStatuses"), .type = &list_ContainerStatus, .pb = 8, .doc = STR_INIT("State of the containers.")},
    {.name = STR_INIT("qosClass"), .type = &schema_string, .pb = 9, .doc = STR_INIT("Guaranteed, Burstable or BestEffort, derived from requests and limits.")},
    {.name = STR_INIT("ephemeralContainerStatuses"), .type = &list_ContainerStatus, .pb = 13, .doc = STR_INIT("State of the ephemeral containers.")},
    {.name = STR_INIT("resize"), .type = &schema_string, .pb = 14, .doc = STR_INIT("Deprecated: state of a resize in place; see the conditions.")},
    {.name = STR_INIT("resourceClaimStatuses"), .type = &list_PodResourceClaimStatus_map_name, .pb = 15, .patch = SCHEMA_PATCH_MERGE | SCHEMA_PATCH_RETAIN_KEYS, .merge_key = STR_INIT("name"), .doc = STR_INIT("Claims that were made for the entries of resourceClaims.")}};
static const uint8_t index_PodStatus[64] = {0, 0, 0, 0, 12, 0, 0, 0, 0, 0, 10, 1, 0, 0, 11, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 15, 0, 0, 0, 0, 0, 0, 16, 0, 0, 4, 6, 7, 0, 0, 0, 0, 0, 0, 0, 14, 0, 0, 0, 0, 0, 0, 17, 0, 3, 2, 0, 13, 0, 0, 9, 0, 0};
const struct schema_type schema_core_v1_PodStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.PodStatus"), .doc = STR_INIT("What is known about a pod."), .fields = fields_PodStatus, .nfields = 17, .index8 = index_PodStatus, .index_mask = 63};

static const struct schema_field fields_Pod[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_PodSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_PodStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Pod[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_Pod = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Pod"), .openapi = STR_INIT("io.k8s.api.core.v1.Pod"), .doc = STR_INIT("A group of containers that run together on one node."), .fields = fields_Pod, .nfields = 5, .index8 = index_Pod, .index_mask = 15};

static const struct schema_field fields_PodTemplateSpec[2] = {
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Labels and annotations that the pods get.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_PodSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the pods run.")}};
const struct schema_type schema_core_v1_PodTemplateSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodTemplateSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.PodTemplateSpec"), .doc = STR_INIT("Blueprint from which pods are made."), .fields = fields_PodTemplateSpec, .nfields = 2};

static const struct schema_field fields_PodTemplate[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The blueprint of the pods.")}};
const struct schema_type schema_core_v1_PodTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodTemplate"), .openapi = STR_INIT("io.k8s.api.core.v1.PodTemplate"), .doc = STR_INIT("A stored pod blueprint."), .fields = fields_PodTemplate, .nfields = 4};

static const struct schema_field fields_ReplicationControllerSpec[4] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Number of pods wanted; 1 when absent.")},
    {.name = STR_INIT("minReadySeconds"), .type = &schema_int32, .pb = 4, .dflt = STR_INIT("0"), .doc = STR_INIT("Seconds a pod must be ready to count as available; 0 when absent.")},
    {.name = STR_INIT("selector"), .type = &map_string_atomic, .pb = 2, .doc = STR_INIT("Labels of the pods it manages; those of the template when absent.")},
    {.name = STR_INIT("template"), .type = &schema_core_v1_PodTemplateSpec, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Blueprint of the pods that are made.")}};
const struct schema_type schema_core_v1_ReplicationControllerSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicationControllerSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.ReplicationControllerSpec"), .doc = STR_INIT("Which pods to keep, and how many."), .fields = fields_ReplicationControllerSpec, .nfields = 4};

static const struct schema_field fields_ReplicationControllerStatus[6] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number of pods seen.")},
    {.name = STR_INIT("fullyLabeledReplicas"), .type = &schema_int32, .pb = 2, .doc = STR_INIT("Pods that have all labels of the template.")},
    {.name = STR_INIT("readyReplicas"), .type = &schema_int32, .pb = 4, .doc = STR_INIT("Pods that are ready.")},
    {.name = STR_INIT("availableReplicas"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Pods that have been ready for minReadySeconds or longer.")},
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 3, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("conditions"), .type = &list_ReplicationControllerCondition_map_type, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
static const uint8_t index_ReplicationControllerStatus[16] = {0, 3, 0, 0, 0, 4, 0, 2, 6, 0, 0, 5, 1, 0, 0, 0};
const struct schema_type schema_core_v1_ReplicationControllerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicationControllerStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ReplicationControllerStatus"), .doc = STR_INIT("How many pods there are."), .fields = fields_ReplicationControllerStatus, .nfields = 6, .index8 = index_ReplicationControllerStatus, .index_mask = 15};

static const struct schema_field fields_ReplicationControllerCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as ReplicaFailure.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_ReplicationControllerCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_core_v1_ReplicationControllerCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicationControllerCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.ReplicationControllerCondition"), .doc = STR_INIT("One aspect of a replication controller's state."), .fields = fields_ReplicationControllerCondition, .nfields = 5, .index8 = index_ReplicationControllerCondition, .index_mask = 15};

static const struct schema_field fields_ReplicationController[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_ReplicationControllerSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_ReplicationControllerStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_ReplicationController[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_ReplicationController = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicationController"), .openapi = STR_INIT("io.k8s.api.core.v1.ReplicationController"), .doc = STR_INIT("Keeps a number of equal pods running, in the older form."), .fields = fields_ReplicationController, .nfields = 5, .index8 = index_ReplicationController, .index_mask = 15};

static const struct schema_field fields_SessionAffinityConfig[1] = {
    {.name = STR_INIT("clientIP"), .type = &schema_core_v1_ClientIPConfig, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings for affinity by client address.")}};
const struct schema_type schema_core_v1_SessionAffinityConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SessionAffinityConfig"), .openapi = STR_INIT("io.k8s.api.core.v1.SessionAffinityConfig"), .doc = STR_INIT("Settings of session affinity."), .fields = fields_SessionAffinityConfig, .nfields = 1};

static const struct schema_field fields_ClientIPConfig[1] = {
    {.name = STR_INIT("timeoutSeconds"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds a client sticks to its pod, up to 86400; 10800 when absent.")}};
const struct schema_type schema_core_v1_ClientIPConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClientIPConfig"), .openapi = STR_INIT("io.k8s.api.core.v1.ClientIPConfig"), .doc = STR_INIT("Settings of affinity by client address."), .fields = fields_ClientIPConfig, .nfields = 1};

static const struct schema_field fields_ServiceStatus[2] = {
    {.name = STR_INIT("loadBalancer"), .type = &schema_core_v1_LoadBalancerStatus, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Entry points of the load balancer, if there is one.")},
    {.name = STR_INIT("conditions"), .type = &list_meta_v1_Condition_map_type, .pb = 2, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
const struct schema_type schema_core_v1_ServiceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceStatus"), .doc = STR_INIT("What is known about a service."), .fields = fields_ServiceStatus, .nfields = 2};

static const struct schema_field fields_LoadBalancerStatus[1] = {
    {.name = STR_INIT("ingress"), .type = &list_LoadBalancerIngress, .pb = 1, .doc = STR_INIT("Entry points; send traffic for the service here.")}};
const struct schema_type schema_core_v1_LoadBalancerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LoadBalancerStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.LoadBalancerStatus"), .doc = STR_INIT("Where the load balancer is reached."), .fields = fields_LoadBalancerStatus, .nfields = 1};

static const struct schema_field fields_LoadBalancerIngress[4] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Address of the entry point; set if it is reached by address.")},
    {.name = STR_INIT("hostname"), .type = &schema_string, .pb = 2, .doc = STR_INIT("DNS name of the entry point; set if it is reached by name.")},
    {.name = STR_INIT("ipMode"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("VIP delivers packets to the nodes as they are; Proxy readdresses them."), .rules = &rules_enums_Proxy_VIP},
    {.name = STR_INIT("ports"), .type = &list_PortStatus, .pb = 4, .doc = STR_INIT("State of each port of the load balancer.")}};
const struct schema_type schema_core_v1_LoadBalancerIngress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LoadBalancerIngress"), .openapi = STR_INIT("io.k8s.api.core.v1.LoadBalancerIngress"), .doc = STR_INIT("One point of entry of a load balancer."), .fields = fields_LoadBalancerIngress, .nfields = 4};

static const struct schema_field fields_ServiceSpec[20] = {
    {.name = STR_INIT("ports"), .type = &list_ServicePort_map_port_protocol, .pb = 1, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("port"), .doc = STR_INIT("Ports of the service; not needed when headless.")},
    {.name = STR_INIT("selector"), .type = &map_string_atomic, .pb = 2, .doc = STR_INIT("Labels of the pods behind it; empty leaves endpoints to you.")},
    {.name = STR_INIT("clusterIP"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Virtual address; None means headless, empty has one assigned.")},
    {.name = STR_INIT("clusterIPs"), .type = &list_string, .pb = 18, .doc = STR_INIT("All virtual addresses, one per family; the first equals clusterIP.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 4, .dflt = STR_INIT("\"ClusterIP\""), .doc = STR_INIT("How it is reached: ClusterIP, NodePort, LoadBalancer or ExternalName."), .rules = &rules_enums_ClusterIP_ExternalName_LoadBalancer_NodePort},
    {.name = STR_INIT("externalIPs"), .type = &list_string, .pb = 5, .doc = STR_INIT("Further addresses that nodes accept traffic for; routing is up to you.")},
    {.name = STR_INIT("sessionAffinity"), .type = &schema_string, .pb = 7, .dflt = STR_INIT("\"None\""), .doc = STR_INIT("ClientIP keeps a client on one pod; None spreads freely."), .rules = &rules_enums_ClientIP_None},
    {.name = STR_INIT("loadBalancerIP"), .type = &schema_string, .pb = 8, .doc = STR_INIT("Deprecated: address wish for the load balancer; support varies.")},
    {.name = STR_INIT("loadBalancerSourceRanges"), .type = &list_string, .pb = 9, .doc = STR_INIT("Client networks that the load balancer lets in; absent means all.")},
    {.name = STR_INIT("externalName"), .type = &schema_string, .pb = 10, .doc = STR_INIT("DNS name that the service stands for; with type ExternalName.")},
    {.name = STR_INIT("externalTrafficPolicy"), .type = &schema_string, .pb = 11, .doc = STR_INIT("Local keeps outside traffic on its node with the client address; Cluster spreads it."), .rules = &rules_enums_Cluster_Local},
    {.name = STR_INIT("healthCheckNodePort"), .type = &schema_int32, .pb = 12, .doc = STR_INIT("Port for health checks by the load balancer, with policy Local.")},
    {.name = STR_INIT("publishNotReadyAddresses"), .type = &schema_bool, .pb = 13, .doc = STR_INIT("True treats pods as ready before they are; false when absent.")},
    {.name = STR_INIT("sessionAffinityConfig"), .type = &schema_core_v1_SessionAffinityConfig, .pb = 14, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings of sessionAffinity, such as the timeout.")},
    {.name = STR_INIT("ipFamilies"), .type = &list_string_rules_enums_IPv4_IPv6, .pb = 19, .doc = STR_INIT("IPv4, IPv6 or both; the order decides the first address.")},
    {.name = STR_INIT("ipFamilyPolicy"), .type = &schema_string, .pb = 17, .flags = SCHEMA_POINTER, .doc = STR_INIT("SingleStack, PreferDualStack or RequireDualStack; SingleStack when absent."), .rules = &rules_enums_PreferDualStack_RequireDualStack_SingleStack},
    {.name = STR_INIT("allocateLoadBalancerNodePorts"), .type = &schema_bool, .pb = 20, .flags = SCHEMA_POINTER, .doc = STR_INIT("False saves the node ports of a load balancer; true when absent.")},
    {.name = STR_INIT("loadBalancerClass"), .type = &schema_string, .pb = 21, .flags = SCHEMA_POINTER, .doc = STR_INIT("Load balancer implementation to use; absent means the default one.")},
    {.name = STR_INIT("internalTrafficPolicy"), .type = &schema_string, .pb = 22, .flags = SCHEMA_POINTER, .doc = STR_INIT("Local uses only pods on the client's node; Cluster all. Cluster when absent."), .rules = &rules_enums_Cluster_Local},
    {.name = STR_INIT("trafficDistribution"), .type = &schema_string, .pb = 23, .flags = SCHEMA_POINTER, .doc = STR_INIT("PreferClose favours pods in the client's zone; absent has no preference.")}};
static const uint8_t index_ServiceSpec[64] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 18, 0, 0, 0, 5, 8, 1, 0, 0, 0, 0, 3, 13, 0, 0, 0, 0, 12, 0, 0, 0, 16, 0, 0, 0, 0, 0, 9, 4, 14, 7, 6, 11, 17, 0, 20, 0, 0, 0, 15, 10, 0, 19, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};
const struct schema_type schema_core_v1_ServiceSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceSpec"), .doc = STR_INIT("What a service selects and how it is exposed."), .fields = fields_ServiceSpec, .nfields = 20, .index8 = index_ServiceSpec, .index_mask = 63};

static const struct schema_field fields_ServicePort[6] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the port; needed when there are several.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 2, .dflt = STR_INIT("\"TCP\""), .doc = STR_INIT("TCP, UDP or SCTP; TCP when absent."), .rules = &rules_enums_SCTP_TCP_UDP},
    {.name = STR_INIT("appProtocol"), .type = &schema_string, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("Protocol spoken on top, such as kubernetes.io/h2c or https.")},
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port of the service that clients use.")},
    {.name = STR_INIT("targetPort"), .type = &schema_int_or_string, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Number or name of the pod's port; same as port when absent.")},
    {.name = STR_INIT("nodePort"), .type = &schema_int32, .pb = 5, .doc = STR_INIT("Port on every node; assigned when absent and the type needs it.")}};
static const uint8_t index_ServicePort[16] = {0, 0, 0, 5, 0, 2, 1, 4, 3, 0, 0, 0, 0, 0, 6, 0};
const struct schema_type schema_core_v1_ServicePort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServicePort"), .openapi = STR_INIT("io.k8s.api.core.v1.ServicePort"), .doc = STR_INIT("A port of a service."), .fields = fields_ServicePort, .nfields = 6, .index8 = index_ServicePort, .index_mask = 15};

static const struct schema_field fields_Service[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_ServiceSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_ServiceStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Service[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_Service = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Service"), .openapi = STR_INIT("io.k8s.api.core.v1.Service"), .doc = STR_INIT("A stable address for a set of pods."), .fields = fields_Service, .nfields = 5, .index8 = index_Service, .index_mask = 15};

static const struct schema_field fields_ServiceAccount[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("secrets"), .type = &list_ObjectReference_map_name, .pb = 2, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("name"), .doc = STR_INIT("Secrets its pods may use; enforced only with an annotation.")},
    {.name = STR_INIT("imagePullSecrets"), .type = &list_LocalObjectReference, .pb = 3, .doc = STR_INIT("Registry logins for pods that run under this account.")},
    {.name = STR_INIT("automountServiceAccountToken"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("False keeps API tokens out of pods, unless the pod says otherwise.")}};
static const uint8_t index_ServiceAccount[16] = {3, 0, 5, 2, 6, 0, 4, 0, 0, 1, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_core_v1_ServiceAccount = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceAccount"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceAccount"), .doc = STR_INIT("An identity for programs in pods."), .fields = fields_ServiceAccount, .nfields = 6, .index8 = index_ServiceAccount, .index_mask = 15};

static const struct schema_field fields_Endpoints[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("subsets"), .type = &list_EndpointSubset, .pb = 2, .doc = STR_INIT("Groups of addresses with the same ports.")}};
const struct schema_type schema_core_v1_Endpoints = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Endpoints"), .openapi = STR_INIT("io.k8s.api.core.v1.Endpoints"), .doc = STR_INIT("Addresses behind a service, in the older form."), .fields = fields_Endpoints, .nfields = 4};

static const struct schema_field fields_EndpointSubset[3] = {
    {.name = STR_INIT("addresses"), .type = &list_EndpointAddress, .pb = 1, .doc = STR_INIT("Addresses that are ready for traffic.")},
    {.name = STR_INIT("notReadyAddresses"), .type = &list_EndpointAddress, .pb = 2, .doc = STR_INIT("Addresses that should get no traffic yet.")},
    {.name = STR_INIT("ports"), .type = &list_EndpointPort, .pb = 3, .doc = STR_INIT("Ports that all addresses of the subset offer.")}};
const struct schema_type schema_core_v1_EndpointSubset = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointSubset"), .openapi = STR_INIT("io.k8s.api.core.v1.EndpointSubset"), .doc = STR_INIT("Addresses that share a set of ports."), .fields = fields_EndpointSubset, .nfields = 3};

static const struct schema_field fields_EndpointAddress[4] = {
    {.name = STR_INIT("ip"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Address of the backend; not loopback or link-local.")},
    {.name = STR_INIT("hostname"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Host name of the backend, for DNS.")},
    {.name = STR_INIT("nodeName"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Node the backend runs on.")},
    {.name = STR_INIT("targetRef"), .type = &schema_core_v1_ObjectReference, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Object behind the address, usually a pod.")}};
const struct schema_type schema_core_v1_EndpointAddress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointAddress"), .openapi = STR_INIT("io.k8s.api.core.v1.EndpointAddress"), .doc = STR_INIT("An address behind a service."), .atomic = true, .fields = fields_EndpointAddress, .nfields = 4};

static const struct schema_field fields_EndpointPort[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the port, as in the service.")},
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port on which the backend listens.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 3, .dflt = STR_INIT("\"TCP\""), .doc = STR_INIT("TCP, UDP or SCTP; TCP when absent."), .rules = &rules_enums_SCTP_TCP_UDP},
    {.name = STR_INIT("appProtocol"), .type = &schema_string, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Protocol spoken on top, such as kubernetes.io/h2c.")}};
const struct schema_type schema_core_v1_EndpointPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointPort"), .openapi = STR_INIT("io.k8s.api.core.v1.EndpointPort"), .doc = STR_INIT("A port behind a service."), .atomic = true, .fields = fields_EndpointPort, .nfields = 4};

static const struct schema_field fields_NodeSpec[7] = {
    {.name = STR_INIT("podCIDR"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Range that the node's pods get addresses from.")},
    {.name = STR_INIT("podCIDRs"), .type = &list_string_set, .pb = 7, .patch = SCHEMA_PATCH_MERGE, .doc = STR_INIT("Ranges for pod addresses, one per family; the first equals podCIDR.")},
    {.name = STR_INIT("providerID"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Id of the machine at its cloud provider, as provider://id.")},
    {.name = STR_INIT("unschedulable"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True keeps new pods away; kubectl cordon sets it.")},
    {.name = STR_INIT("taints"), .type = &list_Taint, .pb = 5, .doc = STR_INIT("Marks that keep away pods which do not tolerate them.")},
    {.name = STR_INIT("configSource"), .type = &schema_core_v1_NodeConfigSource, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("No longer used: source of the agent's configuration.")},
    {.name = STR_INIT("externalID"), .type = &schema_string, .pb = 2, .doc = STR_INIT("No longer used: former id of the machine.")}};
static const uint8_t index_NodeSpec[16] = {0, 3, 6, 0, 0, 0, 0, 2, 4, 7, 0, 0, 5, 0, 1, 0};
const struct schema_type schema_core_v1_NodeSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSpec"), .doc = STR_INIT("Settings of a node."), .fields = fields_NodeSpec, .nfields = 7, .index8 = index_NodeSpec, .index_mask = 15};

static const struct schema_field fields_NodeConfigSource[1] = {
    {.name = STR_INIT("configMap"), .type = &schema_core_v1_ConfigMapNodeConfigSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Config map that held the configuration.")}};
const struct schema_type schema_core_v1_NodeConfigSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeConfigSource"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeConfigSource"), .doc = STR_INIT("Where the agent's configuration comes from (no longer used)."), .fields = fields_NodeConfigSource, .nfields = 1};

static const struct schema_field fields_ConfigMapNodeConfigSource[5] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Namespace of the config map.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the config map.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Uid of the config map; only in the status.")},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Version of the config map; only in the status.")},
    {.name = STR_INIT("kubeletConfigKey"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Key that holds the configuration.")}};
static const uint8_t index_ConfigMapNodeConfigSource[16] = {1, 0, 0, 0, 0, 0, 2, 4, 5, 0, 0, 0, 0, 3, 0, 0};
const struct schema_type schema_core_v1_ConfigMapNodeConfigSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapNodeConfigSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapNodeConfigSource"), .doc = STR_INIT("A config map with the agent's configuration (no longer used)."), .fields = fields_ConfigMapNodeConfigSource, .nfields = 5, .index8 = index_ConfigMapNodeConfigSource, .index_mask = 15};

static const struct schema_field fields_DaemonEndpoint[1] = {
    {.name = STR_INIT("Port"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port number the daemon listens on.")}};
const struct schema_type schema_core_v1_DaemonEndpoint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DaemonEndpoint"), .openapi = STR_INIT("io.k8s.api.core.v1.DaemonEndpoint"), .doc = STR_INIT("A port that a daemon listens on."), .fields = fields_DaemonEndpoint, .nfields = 1};

static const struct schema_field fields_NodeDaemonEndpoints[1] = {
    {.name = STR_INIT("kubeletEndpoint"), .type = &schema_core_v1_DaemonEndpoint, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Port of the node agent.")}};
const struct schema_type schema_core_v1_NodeDaemonEndpoints = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeDaemonEndpoints"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeDaemonEndpoints"), .doc = STR_INIT("Ports of daemons on the node."), .fields = fields_NodeDaemonEndpoints, .nfields = 1};

static const struct schema_field fields_NodeRuntimeHandlerFeatures[2] = {
    {.name = STR_INIT("recursiveReadOnlyMounts"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("True if it can make mounts read-only with all submounts.")},
    {.name = STR_INIT("userNamespaces"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("True if it can run pods in user namespaces.")}};
const struct schema_type schema_core_v1_NodeRuntimeHandlerFeatures = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeRuntimeHandlerFeatures"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeRuntimeHandlerFeatures"), .doc = STR_INIT("What a runtime handler can do."), .fields = fields_NodeRuntimeHandlerFeatures, .nfields = 2};

static const struct schema_field fields_NodeRuntimeHandler[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name of the handler; empty for the default one.")},
    {.name = STR_INIT("features"), .type = &schema_core_v1_NodeRuntimeHandlerFeatures, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the handler can do.")}};
const struct schema_type schema_core_v1_NodeRuntimeHandler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeRuntimeHandler"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeRuntimeHandler"), .doc = STR_INIT("A runtime handler on the node."), .fields = fields_NodeRuntimeHandler, .nfields = 2};

static const struct schema_field fields_NodeFeatures[1] = {
    {.name = STR_INIT("supplementalGroupsPolicy"), .type = &schema_bool, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("True if pods here may set supplementalGroupsPolicy.")}};
const struct schema_type schema_core_v1_NodeFeatures = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeFeatures"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeFeatures"), .doc = STR_INIT("What the container runtime of the node can do."), .fields = fields_NodeFeatures, .nfields = 1};

static const struct schema_field fields_NodeSystemInfo[11] = {
    {.name = STR_INIT("machineID"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Machine id, as in /etc/machine-id.")},
    {.name = STR_INIT("systemUUID"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Hardware id of the machine, from its firmware.")},
    {.name = STR_INIT("bootID"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Id of the current boot; changes with a restart.")},
    {.name = STR_INIT("kernelVersion"), .type = &schema_string, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Version of the kernel, as uname -r prints it.")},
    {.name = STR_INIT("osImage"), .type = &schema_string, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the operating system, as in /etc/os-release.")},
    {.name = STR_INIT("containerRuntimeVersion"), .type = &schema_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Container runtime with version, as runtime://version.")},
    {.name = STR_INIT("kubeletVersion"), .type = &schema_string, .pb = 7, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Version of the node agent.")},
    {.name = STR_INIT("kubeProxyVersion"), .type = &schema_string, .pb = 8, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Deprecated: version of the service proxy.")},
    {.name = STR_INIT("operatingSystem"), .type = &schema_string, .pb = 9, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Operating system: linux or windows.")},
    {.name = STR_INIT("architecture"), .type = &schema_string, .pb = 10, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Processor architecture, such as amd64 or arm64.")},
    {.name = STR_INIT("swap"), .type = &schema_core_v1_NodeSwapStatus, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Swap memory of the machine; absent if not reported.")}};
static const uint8_t index_NodeSystemInfo[32] = {6, 0, 10, 0, 4, 8, 0, 0, 0, 9, 0, 0, 5, 0, 11, 0, 3, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 7};
const struct schema_type schema_core_v1_NodeSystemInfo = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSystemInfo"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSystemInfo"), .doc = STR_INIT("Facts about the machine and its software."), .fields = fields_NodeSystemInfo, .nfields = 11, .index8 = index_NodeSystemInfo, .index_mask = 31};

static const struct schema_field fields_NodeSwapStatus[1] = {
    {.name = STR_INIT("capacity"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Bytes of swap that the machine has.")}};
const struct schema_type schema_core_v1_NodeSwapStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeSwapStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeSwapStatus"), .doc = STR_INIT("Swap memory of the node."), .fields = fields_NodeSwapStatus, .nfields = 1};

static const struct schema_field fields_NodeConfigStatus[4] = {
    {.name = STR_INIT("assigned"), .type = &schema_core_v1_NodeConfigSource, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Configuration that the agent was told to use.")},
    {.name = STR_INIT("active"), .type = &schema_core_v1_NodeConfigSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Configuration that the agent uses.")},
    {.name = STR_INIT("lastKnownGood"), .type = &schema_core_v1_NodeConfigSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Configuration to fall back to when the assigned one fails.")},
    {.name = STR_INIT("error"), .type = &schema_string, .pb = 4, .doc = STR_INIT("What is wrong with the assigned configuration.")}};
const struct schema_type schema_core_v1_NodeConfigStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeConfigStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeConfigStatus"), .doc = STR_INIT("State of the agent's configuration (no longer used)."), .fields = fields_NodeConfigStatus, .nfields = 4};

static const struct schema_field fields_NodeStatus[13] = {
    {.name = STR_INIT("capacity"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Resources that the machine has in total.")},
    {.name = STR_INIT("allocatable"), .type = &map_quantity, .pb = 2, .doc = STR_INIT("Resources that pods can have; capacity less what the system keeps.")},
    {.name = STR_INIT("phase"), .type = &schema_string, .pb = 3, .doc = STR_INIT("No longer used; see the conditions.")},
    {.name = STR_INIT("conditions"), .type = &list_NodeCondition_map_type, .pb = 4, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("addresses"), .type = &list_NodeAddress_map_type, .pb = 5, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Addresses and host names of the node.")},
    {.name = STR_INIT("daemonEndpoints"), .type = &schema_core_v1_NodeDaemonEndpoints, .pb = 6, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Where the node's own daemons listen.")},
    {.name = STR_INIT("nodeInfo"), .type = &schema_core_v1_NodeSystemInfo, .pb = 7, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Ids and versions of the machine and its software.")},
    {.name = STR_INIT("images"), .type = &list_ContainerImage, .pb = 8, .doc = STR_INIT("Images present on the node, largest first.")},
    {.name = STR_INIT("volumesInUse"), .type = &list_string, .pb = 9, .doc = STR_INIT("Attachable volumes that pods on the node use.")},
    {.name = STR_INIT("volumesAttached"), .type = &list_AttachedVolume, .pb = 10, .doc = STR_INIT("Volumes the machine has attached now.")},
    {.name = STR_INIT("config"), .type = &schema_core_v1_NodeConfigStatus, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("No longer used: state of the agent's configuration.")},
    {.name = STR_INIT("runtimeHandlers"), .type = &list_NodeRuntimeHandler, .pb = 12, .doc = STR_INIT("Runtime handlers that runtime classes can name.")},
    {.name = STR_INIT("features"), .type = &schema_core_v1_NodeFeatures, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the container runtime supports.")}};
static const uint8_t index_NodeStatus[32] = {0, 0, 0, 5, 0, 0, 0, 11, 0, 1, 9, 8, 12, 6, 13, 2, 10, 0, 0, 0, 0, 0, 0, 4, 3, 0, 0, 0, 0, 7, 0, 0};
const struct schema_type schema_core_v1_NodeStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeStatus"), .doc = STR_INIT("What is known about a node."), .fields = fields_NodeStatus, .nfields = 13, .index8 = index_NodeStatus, .index_mask = 31};

static const struct schema_field fields_AttachedVolume[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Volume, as its plugin calls it.")},
    {.name = STR_INIT("devicePath"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Device on the node under which it appears.")}};
const struct schema_type schema_core_v1_AttachedVolume = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AttachedVolume"), .openapi = STR_INIT("io.k8s.api.core.v1.AttachedVolume"), .doc = STR_INIT("A volume that is attached to the node."), .fields = fields_AttachedVolume, .nfields = 2};

static const struct schema_field fields_ContainerImage[2] = {
    {.name = STR_INIT("names"), .type = &list_string, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Names under which the image is known, with tags and digests.")},
    {.name = STR_INIT("sizeBytes"), .type = &schema_int64, .pb = 2, .doc = STR_INIT("Bytes that the image takes on disk.")}};
const struct schema_type schema_core_v1_ContainerImage = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerImage"), .openapi = STR_INIT("io.k8s.api.core.v1.ContainerImage"), .doc = STR_INIT("An image present on the node."), .fields = fields_ContainerImage, .nfields = 2};

static const struct schema_field fields_NodeCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as Ready, MemoryPressure, DiskPressure or PIDPressure.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastHeartbeatTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the node last confirmed the condition.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_NodeCondition[16] = {0, 0, 0, 0, 6, 0, 0, 4, 0, 5, 3, 0, 0, 1, 0, 2};
const struct schema_type schema_core_v1_NodeCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeCondition"), .doc = STR_INIT("One aspect of a node's state."), .fields = fields_NodeCondition, .nfields = 6, .index8 = index_NodeCondition, .index_mask = 15};

static const struct schema_field fields_NodeAddress[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("InternalIP, ExternalIP, Hostname, InternalDNS or ExternalDNS.")},
    {.name = STR_INIT("address"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The address or name.")}};
const struct schema_type schema_core_v1_NodeAddress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeAddress"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeAddress"), .doc = STR_INIT("An address of the node."), .fields = fields_NodeAddress, .nfields = 2};

static const struct schema_field fields_Node[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_NodeSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_NodeStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Node[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_Node = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Node"), .openapi = STR_INIT("io.k8s.api.core.v1.Node"), .doc = STR_INIT("A machine that runs pods."), .fields = fields_Node, .nfields = 5, .index8 = index_Node, .index_mask = 15};

static const struct schema_field fields_NamespaceSpec[1] = {
    {.name = STR_INIT("finalizers"), .type = &list_string, .pb = 1, .doc = STR_INIT("Cleanup steps before the namespace goes; kubernetes empties it.")}};
const struct schema_type schema_core_v1_NamespaceSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NamespaceSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.NamespaceSpec"), .doc = STR_INIT("Settings of a namespace."), .fields = fields_NamespaceSpec, .nfields = 1};

static const struct schema_field fields_NamespaceStatus[2] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .pb = 1, .dflt = STR_INIT("\"Active\""), .doc = STR_INIT("Active, or Terminating while it is being emptied.")},
    {.name = STR_INIT("conditions"), .type = &list_NamespaceCondition_map_type, .pb = 2, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
const struct schema_type schema_core_v1_NamespaceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NamespaceStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.NamespaceStatus"), .doc = STR_INIT("State of a namespace."), .fields = fields_NamespaceStatus, .nfields = 2};

static const struct schema_field fields_NamespaceCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect, such as NamespaceContentRemaining; tells how the deletion proceeds.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 4, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_NamespaceCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_core_v1_NamespaceCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NamespaceCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.NamespaceCondition"), .doc = STR_INIT("One aspect of a namespace's state."), .fields = fields_NamespaceCondition, .nfields = 5, .index8 = index_NamespaceCondition, .index_mask = 15};

static const struct schema_field fields_Namespace[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_NamespaceSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_NamespaceStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Namespace[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_Namespace = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Namespace"), .openapi = STR_INIT("io.k8s.api.core.v1.Namespace"), .doc = STR_INIT("A scope for names, access rules and quotas."), .fields = fields_Namespace, .nfields = 5, .index8 = index_Namespace, .index_mask = 15};

static const struct schema_field fields_Binding[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name and namespace of the pod to place.")},
    {.name = STR_INIT("target"), .type = &schema_core_v1_ObjectReference, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Node the pod is to run on.")}};
const struct schema_type schema_core_v1_Binding = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Binding"), .openapi = STR_INIT("io.k8s.api.core.v1.Binding"), .doc = STR_INIT("Ties a pod to a node; posted by schedulers."), .fields = fields_Binding, .nfields = 4};

static const struct schema_field fields_PodLogOptions[12] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("container"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Container to read; may be absent if there is only one.")},
    {.name = STR_INIT("follow"), .type = &schema_bool, .pb = 2, .doc = STR_INIT("True keeps the stream open for new lines.")},
    {.name = STR_INIT("previous"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True reads the log of the run before the last restart.")},
    {.name = STR_INIT("sinceSeconds"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Only lines of the last so many seconds.")},
    {.name = STR_INIT("sinceTime"), .type = &schema_time, .pb = 5, .doc = STR_INIT("Only lines from this time on; excludes sinceSeconds.")},
    {.name = STR_INIT("timestamps"), .type = &schema_bool, .pb = 6, .doc = STR_INIT("True puts a time in front of each line.")},
    {.name = STR_INIT("tailLines"), .type = &schema_int64, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("Only the last so many lines; absent means from the start.")},
    {.name = STR_INIT("limitBytes"), .type = &schema_int64, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Stop after so many bytes; absent means no limit.")},
    {.name = STR_INIT("insecureSkipTLSVerifyBackend"), .type = &schema_bool, .pb = 9, .doc = STR_INIT("True does not check the certificate of the node. Insecure.")},
    {.name = STR_INIT("stream"), .type = &schema_string, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("All, Stdout or Stderr; All when absent.")}};
static const uint8_t index_PodLogOptions[32] = {0, 0, 0, 2, 0, 12, 0, 0, 5, 1, 0, 0, 0, 0, 9, 0, 4, 8, 6, 11, 0, 0, 0, 10, 3, 0, 0, 0, 7, 0, 0, 0};
const struct schema_type schema_core_v1_PodLogOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodLogOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of a log request."), .fields = fields_PodLogOptions, .nfields = 12, .index8 = index_PodLogOptions, .index_mask = 31};

static const struct schema_field fields_PodAttachOptions[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("stdin"), .type = &schema_bool, .pb = 1, .doc = STR_INIT("True passes standard input on; false when absent.")},
    {.name = STR_INIT("stdout"), .type = &schema_bool, .pb = 2, .doc = STR_INIT("True returns standard output; true when absent.")},
    {.name = STR_INIT("stderr"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True returns standard error; true when absent.")},
    {.name = STR_INIT("tty"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True uses a terminal; standard error then joins standard output.")},
    {.name = STR_INIT("container"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Container to use; may be absent if there is only one.")}};
static const uint8_t index_PodAttachOptions[16] = {0, 0, 0, 2, 6, 5, 4, 0, 7, 1, 0, 0, 0, 3, 0, 0};
const struct schema_type schema_core_v1_PodAttachOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodAttachOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of an attach request."), .fields = fields_PodAttachOptions, .nfields = 7, .index8 = index_PodAttachOptions, .index_mask = 15};

static const struct schema_field fields_PodExecOptions[8] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("stdin"), .type = &schema_bool, .pb = 1, .doc = STR_INIT("True passes standard input on; false when absent.")},
    {.name = STR_INIT("stdout"), .type = &schema_bool, .pb = 2, .doc = STR_INIT("True returns standard output of the command.")},
    {.name = STR_INIT("stderr"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True returns standard error of the command.")},
    {.name = STR_INIT("tty"), .type = &schema_bool, .pb = 4, .doc = STR_INIT("True uses a terminal; standard error then joins standard output.")},
    {.name = STR_INIT("container"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Container to use; may be absent if there is only one.")},
    {.name = STR_INIT("command"), .type = &list_string, .pb = 6, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Program and arguments to run, without a shell.")}};
static const uint8_t index_PodExecOptions[16] = {0, 0, 8, 2, 6, 5, 4, 0, 7, 1, 0, 0, 0, 3, 0, 0};
const struct schema_type schema_core_v1_PodExecOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodExecOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of an exec request."), .fields = fields_PodExecOptions, .nfields = 8, .index8 = index_PodExecOptions, .index_mask = 15};

static const struct schema_field fields_PodPortForwardOptions[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("ports"), .type = &list_int32, .pb = 1, .doc = STR_INIT("Ports of the pod to forward; needed over WebSocket.")}};
const struct schema_type schema_core_v1_PodPortForwardOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodPortForwardOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of a port-forward request."), .fields = fields_PodPortForwardOptions, .nfields = 3};

static const struct schema_field fields_PodProxyOptions[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Path of the request to pass on.")}};
const struct schema_type schema_core_v1_PodProxyOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodProxyOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of a proxy request to a pod."), .fields = fields_PodProxyOptions, .nfields = 3};

static const struct schema_field fields_NodeProxyOptions[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Path of the request to pass on.")}};
const struct schema_type schema_core_v1_NodeProxyOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeProxyOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of a proxy request to a node."), .fields = fields_NodeProxyOptions, .nfields = 3};

static const struct schema_field fields_ServiceProxyOptions[3] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Path of the request to pass on.")}};
const struct schema_type schema_core_v1_ServiceProxyOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceProxyOptions"), .openapi = STR_INIT(""), .doc = STR_INIT("Query of a proxy request to a service."), .fields = fields_ServiceProxyOptions, .nfields = 3};

static const struct schema_field fields_ObjectReference[7] = {
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Kind of the object.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Namespace of the object; empty if cluster-wide.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Name of the object.")},
    {.name = STR_INIT("uid"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Uid of the object.")},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Group and version of the object.")},
    {.name = STR_INIT("resourceVersion"), .type = &schema_string, .pb = 6, .doc = STR_INIT("Version of the object that is meant, if a certain one.")},
    {.name = STR_INIT("fieldPath"), .type = &schema_string, .pb = 7, .doc = STR_INIT("Part of the object that is meant, such as spec.containers{web}.")}};
static const uint8_t index_ObjectReference[16] = {2, 7, 0, 1, 0, 0, 3, 6, 0, 5, 0, 0, 0, 4, 0, 0};
const struct schema_type schema_core_v1_ObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectReference"), .openapi = STR_INIT("io.k8s.api.core.v1.ObjectReference"), .doc = STR_INIT("Names an object, or a part of it."), .atomic = true, .fields = fields_ObjectReference, .nfields = 7, .index8 = index_ObjectReference, .index_mask = 15};

static const struct schema_field fields_LocalObjectReference[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Name of the object, in the same namespace.")}};
const struct schema_type schema_core_v1_LocalObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LocalObjectReference"), .openapi = STR_INIT("io.k8s.api.core.v1.LocalObjectReference"), .doc = STR_INIT("Names an object in the same namespace."), .atomic = true, .fields = fields_LocalObjectReference, .nfields = 1};

static const struct schema_field fields_TypedLocalObjectReference[3] = {
    {.name = STR_INIT("apiGroup"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("API group of the object; absent or empty for the core group.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the object referred to.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the object referred to.")}};
const struct schema_type schema_core_v1_TypedLocalObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TypedLocalObjectReference"), .openapi = STR_INIT("io.k8s.api.core.v1.TypedLocalObjectReference"), .doc = STR_INIT("Names an object in the same namespace, with its group and kind."), .atomic = true, .fields = fields_TypedLocalObjectReference, .nfields = 3};

static const struct schema_field fields_EventSource[2] = {
    {.name = STR_INIT("component"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Program that reported it.")},
    {.name = STR_INIT("host"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Node that it was reported from.")}};
const struct schema_type schema_core_v1_EventSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EventSource"), .openapi = STR_INIT("io.k8s.api.core.v1.EventSource"), .doc = STR_INIT("Component and host that reported an event."), .fields = fields_EventSource, .nfields = 2};

static const struct schema_field fields_Event[17] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name, namespace and the other standard metadata.")},
    {.name = STR_INIT("involvedObject"), .type = &schema_core_v1_ObjectReference, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What the event concerns.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Why it was reported, as one word, such as FailedScheduling.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 4, .doc = STR_INIT("What happened, for people.")},
    {.name = STR_INIT("source"), .type = &schema_core_v1_EventSource, .pb = 5, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Program and node that reported it.")},
    {.name = STR_INIT("firstTimestamp"), .type = &schema_time, .pb = 6, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was first seen.")},
    {.name = STR_INIT("lastTimestamp"), .type = &schema_time, .pb = 7, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was last seen.")},
    {.name = STR_INIT("count"), .type = &schema_int32, .pb = 8, .doc = STR_INIT("How often it was seen.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 9, .doc = STR_INIT("Normal or Warning; others may follow.")},
    {.name = STR_INIT("eventTime"), .type = &schema_microtime, .pb = 10, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it happened, to the microsecond; absent in the older style.")},
    {.name = STR_INIT("series"), .type = &schema_core_v1_EventSeries, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Repetitions of the event; absent if it happened once.")},
    {.name = STR_INIT("action"), .type = &schema_string, .pb = 12, .doc = STR_INIT("What was done or tried about the object, as one word.")},
    {.name = STR_INIT("related"), .type = &schema_core_v1_ObjectReference, .pb = 13, .flags = SCHEMA_POINTER, .doc = STR_INIT("Second object involved, if there is one.")},
    {.name = STR_INIT("reportingComponent"), .type = &schema_string, .pb = 14, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Controller that reported it, such as kubernetes.io/kubelet.")},
    {.name = STR_INIT("reportingInstance"), .type = &schema_string, .pb = 15, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Instance of the controller, such as its pod or node name.")}};
static const uint8_t index_Event[64] = {3, 14, 0, 2, 0, 0, 0, 0, 16, 0, 17, 0, 0, 11, 12, 0, 0, 0, 0, 0, 0, 0, 0, 9, 7, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 13, 0, 0, 0, 10, 4, 0, 0, 15, 0, 0, 0, 0, 0, 0, 8};
const struct schema_type schema_core_v1_Event = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Event"), .openapi = STR_INIT("io.k8s.api.core.v1.Event"), .doc = STR_INIT("A report that something happened to an object."), .fields = fields_Event, .nfields = 17, .index8 = index_Event, .index_mask = 63};

static const struct schema_field fields_EventSeries[2] = {
    {.name = STR_INIT("count"), .type = &schema_int32, .pb = 1, .doc = STR_INIT("How often it happened so far.")},
    {.name = STR_INIT("lastObservedTime"), .type = &schema_microtime, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it happened last.")}};
const struct schema_type schema_core_v1_EventSeries = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EventSeries"), .openapi = STR_INIT("io.k8s.api.core.v1.EventSeries"), .doc = STR_INIT("How often an event repeated, and when last."), .fields = fields_EventSeries, .nfields = 2};

static const struct schema_field fields_LimitRangeItem[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What it bounds: Pod, Container or PersistentVolumeClaim.")},
    {.name = STR_INIT("max"), .type = &map_quantity, .pb = 2, .doc = STR_INIT("Largest amount allowed, per resource.")},
    {.name = STR_INIT("min"), .type = &map_quantity, .pb = 3, .doc = STR_INIT("Smallest amount allowed, per resource.")},
    {.name = STR_INIT("default"), .type = &map_quantity, .pb = 4, .doc = STR_INIT("Limits for containers that set none; Container only.")},
    {.name = STR_INIT("defaultRequest"), .type = &map_quantity, .pb = 5, .doc = STR_INIT("Requests for containers that set none; Container only.")},
    {.name = STR_INIT("maxLimitRequestRatio"), .type = &map_quantity, .pb = 6, .doc = STR_INIT("Largest allowed ratio of limit to request, per resource.")}};
static const uint8_t index_LimitRangeItem[16] = {6, 0, 0, 5, 0, 0, 0, 3, 0, 2, 0, 0, 0, 1, 4, 0};
const struct schema_type schema_core_v1_LimitRangeItem = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LimitRangeItem"), .openapi = STR_INIT("io.k8s.api.core.v1.LimitRangeItem"), .doc = STR_INIT("Bounds and defaults for one type of object."), .fields = fields_LimitRangeItem, .nfields = 6, .index8 = index_LimitRangeItem, .index_mask = 15};

static const struct schema_field fields_LimitRangeSpec[1] = {
    {.name = STR_INIT("limits"), .type = &list_LimitRangeItem, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Bounds, one entry per type of object.")}};
const struct schema_type schema_core_v1_LimitRangeSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LimitRangeSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.LimitRangeSpec"), .doc = STR_INIT("Bounds that hold in the namespace."), .fields = fields_LimitRangeSpec, .nfields = 1};

static const struct schema_field fields_LimitRange[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_LimitRangeSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_core_v1_LimitRange = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LimitRange"), .openapi = STR_INIT("io.k8s.api.core.v1.LimitRange"), .doc = STR_INIT("Bounds and defaults for resource use per object in a namespace."), .fields = fields_LimitRange, .nfields = 4};

static const struct schema_field fields_ResourceQuotaSpec[3] = {
    {.name = STR_INIT("hard"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Caps by resource, such as pods, requests.cpu or count/secrets.")},
    {.name = STR_INIT("scopes"), .type = &list_string, .pb = 2, .flags = SCHEMA_IMMUTABLE, .doc = STR_INIT("Count only objects in all of these scopes; absent: all objects.")},
    {.name = STR_INIT("scopeSelector"), .type = &schema_core_v1_ScopeSelector, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Like scopes, but with operators and values.")}};
const struct schema_type schema_core_v1_ResourceQuotaSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceQuotaSpec"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceQuotaSpec"), .doc = STR_INIT("Caps and what they count."), .fields = fields_ResourceQuotaSpec, .nfields = 3};

static const struct schema_field fields_ScopeSelector[1] = {
    {.name = STR_INIT("matchExpressions"), .type = &list_ScopedResourceSelectorRequirement, .pb = 1, .doc = STR_INIT("Conditions on scopes; all must hold.")}};
const struct schema_type schema_core_v1_ScopeSelector = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScopeSelector"), .openapi = STR_INIT("io.k8s.api.core.v1.ScopeSelector"), .doc = STR_INIT("Scopes that an object must match to be counted."), .atomic = true, .fields = fields_ScopeSelector, .nfields = 1};

static const struct schema_field fields_ScopedResourceSelectorRequirement[3] = {
    {.name = STR_INIT("scopeName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Scope, such as BestEffort, Terminating or PriorityClass.")},
    {.name = STR_INIT("operator"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("In, NotIn, Exists or DoesNotExist.")},
    {.name = STR_INIT("values"), .type = &list_string, .pb = 3, .doc = STR_INIT("Values for In and NotIn; empty for the other operators.")}};
const struct schema_type schema_core_v1_ScopedResourceSelectorRequirement = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScopedResourceSelectorRequirement"), .openapi = STR_INIT("io.k8s.api.core.v1.ScopedResourceSelectorRequirement"), .doc = STR_INIT("One condition on a scope: name, operator, values."), .fields = fields_ScopedResourceSelectorRequirement, .nfields = 3};

static const struct schema_field fields_ResourceQuotaStatus[2] = {
    {.name = STR_INIT("hard"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Caps in force, by resource.")},
    {.name = STR_INIT("used"), .type = &map_quantity, .pb = 2, .doc = STR_INIT("Amounts in use, by resource.")}};
const struct schema_type schema_core_v1_ResourceQuotaStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceQuotaStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceQuotaStatus"), .doc = STR_INIT("Caps in force and how much is used."), .fields = fields_ResourceQuotaStatus, .nfields = 2};

static const struct schema_field fields_ResourceQuota[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_core_v1_ResourceQuotaSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_core_v1_ResourceQuotaStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_ResourceQuota[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_core_v1_ResourceQuota = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceQuota"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceQuota"), .doc = STR_INIT("Caps on what a namespace may use in total."), .fields = fields_ResourceQuota, .nfields = 5, .index8 = index_ResourceQuota, .index_mask = 15};

static const struct schema_field fields_Secret[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("immutable"), .type = &schema_bool, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("True freezes the data for good; false when absent.")},
    {.name = STR_INIT("data"), .type = &map_bytes, .pb = 2, .doc = STR_INIT("Keys with their values in base64.")},
    {.name = STR_INIT("stringData"), .type = &map_string, .pb = 4, .doc = STR_INIT("Values as plain text; merged into data on write, never returned.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 3, .flags = SCHEMA_IMMUTABLE, .dflt = STR_INIT("\"Opaque\""), .doc = STR_INIT("What the secret is for, such as kubernetes.io/tls; Opaque when absent.")}};
static const uint8_t index_Secret[16] = {3, 6, 0, 2, 0, 5, 0, 0, 0, 1, 0, 0, 0, 7, 0, 4};
const struct schema_type schema_core_v1_Secret = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Secret"), .openapi = STR_INIT("io.k8s.api.core.v1.Secret"), .doc = STR_INIT("Confidential data as keys and values."), .fields = fields_Secret, .nfields = 7, .index8 = index_Secret, .index_mask = 15};

static const struct schema_field fields_ConfigMap[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("immutable"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True freezes the data for good; false when absent.")},
    {.name = STR_INIT("data"), .type = &map_string, .pb = 2, .doc = STR_INIT("Keys with their values as text.")},
    {.name = STR_INIT("binaryData"), .type = &map_bytes, .pb = 3, .doc = STR_INIT("Keys with values in base64; no key may also be in data.")}};
static const uint8_t index_ConfigMap[16] = {3, 0, 0, 2, 6, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 4};
const struct schema_type schema_core_v1_ConfigMap = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMap"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMap"), .doc = STR_INIT("Configuration data as keys and values."), .fields = fields_ConfigMap, .nfields = 6, .index8 = index_ConfigMap, .index_mask = 15};

static const struct schema_field fields_ComponentCondition[4] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect; only Healthy is known.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 3, .doc = STR_INIT("What the part said about its health.")},
    {.name = STR_INIT("error"), .type = &schema_string, .pb = 4, .doc = STR_INIT("What went wrong with the check.")}};
const struct schema_type schema_core_v1_ComponentCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ComponentCondition"), .openapi = STR_INIT("io.k8s.api.core.v1.ComponentCondition"), .doc = STR_INIT("Health of a control-plane part."), .fields = fields_ComponentCondition, .nfields = 4};

static const struct schema_field fields_ComponentStatus[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("conditions"), .type = &list_ComponentCondition_map_type, .pb = 2, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Results of the health checks.")}};
const struct schema_type schema_core_v1_ComponentStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ComponentStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.ComponentStatus"), .doc = STR_INIT("Health of a control-plane part (deprecated)."), .fields = fields_ComponentStatus, .nfields = 4};

static const struct schema_field fields_DownwardAPIVolumeSource[2] = {
    {.name = STR_INIT("items"), .type = &list_DownwardAPIVolumeFile, .pb = 1, .doc = STR_INIT("The files, and the facts they hold.")},
    {.name = STR_INIT("defaultMode"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("420"), .doc = STR_INIT("Permission bits of the files; 0644 (decimal 420) when absent.")}};
const struct schema_type schema_core_v1_DownwardAPIVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DownwardAPIVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.DownwardAPIVolumeSource"), .doc = STR_INIT("A folder with facts about the pod as files."), .fields = fields_DownwardAPIVolumeSource, .nfields = 2};

static const struct schema_field fields_DownwardAPIVolumeFile[4] = {
    {.name = STR_INIT("path"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("File to write, relative to the volume; no .. allowed.")},
    {.name = STR_INIT("fieldRef"), .type = &schema_core_v1_ObjectFieldSelector, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Field of the pod: name, namespace, uid, labels or annotations.")},
    {.name = STR_INIT("resourceFieldRef"), .type = &schema_core_v1_ResourceFieldSelector, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("A request or limit of a container.")},
    {.name = STR_INIT("mode"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Permission bits of this file; absent means defaultMode.")}};
const struct schema_type schema_core_v1_DownwardAPIVolumeFile = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DownwardAPIVolumeFile"), .openapi = STR_INIT("io.k8s.api.core.v1.DownwardAPIVolumeFile"), .doc = STR_INIT("One file with a fact about the pod."), .fields = fields_DownwardAPIVolumeFile, .nfields = 4};

static const struct schema_field fields_DownwardAPIProjection[1] = {
    {.name = STR_INIT("items"), .type = &list_DownwardAPIVolumeFile, .pb = 1, .doc = STR_INIT("The files, and the facts they hold.")}};
const struct schema_type schema_core_v1_DownwardAPIProjection = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DownwardAPIProjection"), .openapi = STR_INIT("io.k8s.api.core.v1.DownwardAPIProjection"), .doc = STR_INIT("Facts about the pod inside a projected volume."), .fields = fields_DownwardAPIProjection, .nfields = 1};

static const struct schema_field fields_SecurityContext[12] = {
    {.name = STR_INIT("capabilities"), .type = &schema_core_v1_Capabilities, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Linux capabilities to add or drop; the runtime's set when absent.")},
    {.name = STR_INIT("privileged"), .type = &schema_bool, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("True gives the container nearly the power of root on the node.")},
    {.name = STR_INIT("seLinuxOptions"), .type = &schema_core_v1_SELinuxOptions, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("SELinux labels; the runtime picks them when absent.")},
    {.name = STR_INIT("windowsOptions"), .type = &schema_core_v1_WindowsSecurityContextOptions, .pb = 10, .flags = SCHEMA_POINTER, .doc = STR_INIT("Settings for Windows; refused on Linux.")},
    {.name = STR_INIT("runAsUser"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("User id of the processes; that of the image when absent.")},
    {.name = STR_INIT("runAsGroup"), .type = &schema_int64, .pb = 8, .flags = SCHEMA_POINTER, .doc = STR_INIT("Primary group id of the processes; the runtime's choice when absent.")},
    {.name = STR_INIT("runAsNonRoot"), .type = &schema_bool, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("True refuses to start containers that would run as root.")},
    {.name = STR_INIT("readOnlyRootFilesystem"), .type = &schema_bool, .pb = 6, .flags = SCHEMA_POINTER, .doc = STR_INIT("True makes the root file system read-only; false when absent.")},
    {.name = STR_INIT("allowPrivilegeEscalation"), .type = &schema_bool, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("False keeps processes from gaining rights, as by setuid; true when absent.")},
    {.name = STR_INIT("procMount"), .type = &schema_string, .pb = 9, .flags = SCHEMA_POINTER, .doc = STR_INIT("Default hides parts of /proc; Unmasked shows all. Default when absent."), .rules = &rules_enums_Default_Unmasked},
    {.name = STR_INIT("seccompProfile"), .type = &schema_core_v1_SeccompProfile, .pb = 11, .flags = SCHEMA_POINTER, .doc = STR_INIT("Filter of system calls.")},
    {.name = STR_INIT("appArmorProfile"), .type = &schema_core_v1_AppArmorProfile, .pb = 12, .flags = SCHEMA_POINTER, .doc = STR_INIT("AppArmor profile for the containers.")}};
static const uint8_t index_SecurityContext[32] = {0, 0, 0, 0, 4, 0, 0, 0, 9, 7, 0, 0, 8, 3, 0, 0, 0, 0, 11, 0, 12, 0, 10, 0, 2, 5, 6, 0, 0, 0, 0, 1};
const struct schema_type schema_core_v1_SecurityContext = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecurityContext"), .openapi = STR_INIT("io.k8s.api.core.v1.SecurityContext"), .doc = STR_INIT("Security settings of one container; they win over those of the pod."), .fields = fields_SecurityContext, .nfields = 12, .index8 = index_SecurityContext, .index_mask = 31};

static const struct schema_field fields_SELinuxOptions[4] = {
    {.name = STR_INIT("user"), .type = &schema_string, .pb = 1, .doc = STR_INIT("SELinux user label.")},
    {.name = STR_INIT("role"), .type = &schema_string, .pb = 2, .doc = STR_INIT("SELinux role label.")},
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 3, .doc = STR_INIT("SELinux type label.")},
    {.name = STR_INIT("level"), .type = &schema_string, .pb = 4, .doc = STR_INIT("SELinux level label.")}};
const struct schema_type schema_core_v1_SELinuxOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SELinuxOptions"), .openapi = STR_INIT("io.k8s.api.core.v1.SELinuxOptions"), .doc = STR_INIT("SELinux labels."), .fields = fields_SELinuxOptions, .nfields = 4};

static const struct schema_field fields_WindowsSecurityContextOptions[4] = {
    {.name = STR_INIT("gmsaCredentialSpecName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name of the group-managed account (GMSA) credential spec.")},
    {.name = STR_INIT("gmsaCredentialSpec"), .type = &schema_string, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Content of the GMSA credential spec; filled in by a webhook.")},
    {.name = STR_INIT("runAsUserName"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Windows user of the process; that of the image when absent.")},
    {.name = STR_INIT("hostProcess"), .type = &schema_bool, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("True runs directly on the host; must agree within the pod.")}};
const struct schema_type schema_core_v1_WindowsSecurityContextOptions = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WindowsSecurityContextOptions"), .openapi = STR_INIT("io.k8s.api.core.v1.WindowsSecurityContextOptions"), .doc = STR_INIT("Security settings for Windows."), .fields = fields_WindowsSecurityContextOptions, .nfields = 4};

static const struct schema_field fields_Sysctl[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the parameter, such as net.core.somaxconn.")},
    {.name = STR_INIT("value"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Value to set, as text.")}};
const struct schema_type schema_core_v1_Sysctl = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Sysctl"), .openapi = STR_INIT("io.k8s.api.core.v1.Sysctl"), .doc = STR_INIT("A kernel parameter to set."), .fields = fields_Sysctl, .nfields = 2};

static const struct schema_field fields_PortStatus[3] = {
    {.name = STR_INIT("port"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Port number of the load balancer.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("TCP, UDP or SCTP.")},
    {.name = STR_INIT("error"), .type = &schema_string, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Why the port does not work, as CamelCase word; absent when fine.")}};
const struct schema_type schema_core_v1_PortStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PortStatus"), .openapi = STR_INIT("io.k8s.api.core.v1.PortStatus"), .doc = STR_INIT("State of a port of a load balancer."), .fields = fields_PortStatus, .nfields = 3};

static const struct schema_field fields_ImageVolumeSource[2] = {
    {.name = STR_INIT("reference"), .type = &schema_string, .pb = 1, .doc = STR_INIT("Image to mount, such as team/data:1.")},
    {.name = STR_INIT("pullPolicy"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Always, IfNotPresent or Never; absent: Always for :latest, else IfNotPresent."), .rules = &rules_enums_Always_IfNotPresent_Never}};
const struct schema_type schema_core_v1_ImageVolumeSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ImageVolumeSource"), .openapi = STR_INIT("io.k8s.api.core.v1.ImageVolumeSource"), .doc = STR_INIT("The content of an image as volume."), .fields = fields_ImageVolumeSource, .nfields = 2};

static const struct schema_field fields_ComponentStatusList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ComponentStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ComponentStatusList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ComponentStatusList"), .openapi = STR_INIT("io.k8s.api.core.v1.ComponentStatusList"), .doc = STR_INIT("A list of componentstatuses."), .fields = fields_ComponentStatusList, .nfields = 4};

static const struct schema_field fields_ConfigMapList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ConfigMap, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ConfigMapList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigMapList"), .openapi = STR_INIT("io.k8s.api.core.v1.ConfigMapList"), .doc = STR_INIT("A list of configmaps."), .fields = fields_ConfigMapList, .nfields = 4};

static const struct schema_field fields_EndpointsList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Endpoints, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_EndpointsList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EndpointsList"), .openapi = STR_INIT("io.k8s.api.core.v1.EndpointsList"), .doc = STR_INIT("A list of endpoints."), .fields = fields_EndpointsList, .nfields = 4};

static const struct schema_field fields_EventList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Event, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_EventList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("EventList"), .openapi = STR_INIT("io.k8s.api.core.v1.EventList"), .doc = STR_INIT("A list of events."), .fields = fields_EventList, .nfields = 4};

static const struct schema_field fields_LimitRangeList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_LimitRange, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_LimitRangeList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("LimitRangeList"), .openapi = STR_INIT("io.k8s.api.core.v1.LimitRangeList"), .doc = STR_INIT("A list of limitranges."), .fields = fields_LimitRangeList, .nfields = 4};

static const struct schema_field fields_NamespaceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Namespace, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_NamespaceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NamespaceList"), .openapi = STR_INIT("io.k8s.api.core.v1.NamespaceList"), .doc = STR_INIT("A list of namespaces."), .fields = fields_NamespaceList, .nfields = 4};

static const struct schema_field fields_NodeList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Node, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_NodeList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeList"), .openapi = STR_INIT("io.k8s.api.core.v1.NodeList"), .doc = STR_INIT("A list of nodes."), .fields = fields_NodeList, .nfields = 4};

static const struct schema_field fields_PersistentVolumeClaimList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PersistentVolumeClaim, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_PersistentVolumeClaimList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeClaimList"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeClaimList"), .doc = STR_INIT("A list of persistentvolumeclaims."), .fields = fields_PersistentVolumeClaimList, .nfields = 4};

static const struct schema_field fields_PersistentVolumeList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PersistentVolume, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_PersistentVolumeList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PersistentVolumeList"), .openapi = STR_INIT("io.k8s.api.core.v1.PersistentVolumeList"), .doc = STR_INIT("A list of persistentvolumes."), .fields = fields_PersistentVolumeList, .nfields = 4};

static const struct schema_field fields_PodList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Pod, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_PodList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodList"), .openapi = STR_INIT("io.k8s.api.core.v1.PodList"), .doc = STR_INIT("A list of pods."), .fields = fields_PodList, .nfields = 4};

static const struct schema_field fields_PodTemplateList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodTemplate, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_PodTemplateList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodTemplateList"), .openapi = STR_INIT("io.k8s.api.core.v1.PodTemplateList"), .doc = STR_INIT("A list of podtemplates."), .fields = fields_PodTemplateList, .nfields = 4};

static const struct schema_field fields_ReplicationControllerList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ReplicationController, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ReplicationControllerList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReplicationControllerList"), .openapi = STR_INIT("io.k8s.api.core.v1.ReplicationControllerList"), .doc = STR_INIT("A list of replicationcontrollers."), .fields = fields_ReplicationControllerList, .nfields = 4};

static const struct schema_field fields_ResourceQuotaList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ResourceQuota, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ResourceQuotaList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceQuotaList"), .openapi = STR_INIT("io.k8s.api.core.v1.ResourceQuotaList"), .doc = STR_INIT("A list of resourcequotas."), .fields = fields_ResourceQuotaList, .nfields = 4};

static const struct schema_field fields_SecretList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Secret, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_SecretList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SecretList"), .openapi = STR_INIT("io.k8s.api.core.v1.SecretList"), .doc = STR_INIT("A list of secrets."), .fields = fields_SecretList, .nfields = 4};

static const struct schema_field fields_ServiceAccountList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ServiceAccount, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ServiceAccountList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceAccountList"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceAccountList"), .doc = STR_INIT("A list of serviceaccounts."), .fields = fields_ServiceAccountList, .nfields = 4};

static const struct schema_field fields_ServiceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Service, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_core_v1_ServiceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ServiceList"), .openapi = STR_INIT("io.k8s.api.core.v1.ServiceList"), .doc = STR_INIT("A list of services."), .fields = fields_ServiceList, .nfields = 4};

const struct api_resource api_core_v1_bindings = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Binding"),
    .list_kind = STR_INIT("BindingList"), .plural = STR_INIT("bindings"), .singular = STR_INIT("binding"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_CREATE_ONLY,
    .verbs = API_VERB_CREATE, .type = &schema_core_v1_Binding,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_column columns_ComponentStatus[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Healthy or not."), .cell = STR_INIT("component_status_status")},
    {.name = STR_INIT("Message"), .type = STR_INIT("string"), .doc = STR_INIT("What the part says."), .cell = STR_INIT("component_status_message")},
    {.name = STR_INIT("Error"), .type = STR_INIT("string"), .doc = STR_INIT("What went wrong."), .cell = STR_INIT("component_status_error")}};
const struct api_resource api_core_v1_componentstatuses = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("ComponentStatus"),
    .list_kind = STR_INIT("ComponentStatusList"), .plural = STR_INIT("componentstatuses"), .singular = STR_INIT("componentstatus"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_DEPRECATED,
    .verbs = API_VERB_GET | API_VERB_LIST, .type = &schema_core_v1_ComponentStatus,
    .short_names = short_names_cs, .nshort_names = 1,
    .columns = columns_ComponentStatus, .ncolumns = 4,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1"),
    .deprecation_warning = STR_INIT("v1 ComponentStatus is deprecated in v1.19+")};

static const struct api_column columns_ConfigMap[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Data"), .type = STR_INIT("string"), .doc = STR_INIT("Number of keys."), .cell = STR_INIT("config_map_data")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_configmaps = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("ConfigMap"),
    .list_kind = STR_INIT("ConfigMapList"), .plural = STR_INIT("configmaps"), .singular = STR_INIT("configmap"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_ConfigMap,
    .short_names = short_names_cm, .nshort_names = 1,
    .columns = columns_ConfigMap, .ncolumns = 3,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_column columns_Endpoints[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Endpoints"), .type = STR_INIT("string"), .doc = STR_INIT("Addresses and ports."), .cell = STR_INIT("endpoints_endpoints")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_endpoints = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Endpoints"),
    .list_kind = STR_INIT("EndpointsList"), .plural = STR_INIT("endpoints"), .singular = STR_INIT("endpoints"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_PUT_CREATES | API_DEPRECATED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Endpoints,
    .short_names = short_names_ep, .nshort_names = 1,
    .columns = columns_Endpoints, .ncolumns = 3,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1"),
    .deprecation_warning = STR_INIT("v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice")};

static const struct api_column columns_Event[] = {
    {.name = STR_INIT("Last Seen"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the event was last observed."), .cell = STR_INIT("event_last_seen")},
    {.name = STR_INIT("Type"), .type = STR_INIT("string"), .doc = STR_INIT("Normal or Warning."), .json_path = STR_INIT(".type")},
    {.name = STR_INIT("Reason"), .type = STR_INIT("string"), .doc = STR_INIT("Why it happened, as one word."), .json_path = STR_INIT(".reason")},
    {.name = STR_INIT("Object"), .type = STR_INIT("string"), .doc = STR_INIT("What the event is about."), .cell = STR_INIT("event_object")},
    {.name = STR_INIT("Subobject"), .type = STR_INIT("string"), .doc = STR_INIT("Part of the object that the event is about."), .json_path = STR_INIT(".involvedObject.fieldPath"), .priority = 1},
    {.name = STR_INIT("Source"), .type = STR_INIT("string"), .doc = STR_INIT("Who reported it."), .cell = STR_INIT("event_source"), .priority = 1},
    {.name = STR_INIT("Message"), .type = STR_INIT("string"), .doc = STR_INIT("What happened, in words."), .cell = STR_INIT("event_message")},
    {.name = STR_INIT("First Seen"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the event was first observed."), .cell = STR_INIT("event_first_seen"), .priority = 1},
    {.name = STR_INIT("Count"), .type = STR_INIT("string"), .doc = STR_INIT("How often it was seen."), .cell = STR_INIT("event_count"), .priority = 1},
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name"), .priority = 1}};
const struct api_resource api_core_v1_events = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Event"),
    .list_kind = STR_INIT("EventList"), .plural = STR_INIT("events"), .singular = STR_INIT("event"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Event,
    .short_names = short_names_ev, .nshort_names = 1,
    .field_labels = field_labels_involvedObject_kind_involvedObject_namespace_involvedObject_name_involvedObject_uid_involvedObject_apiVersion_involvedObject_resourceVersion_involvedObject_fieldPath_reason_reportingComponent_source_type, .nfield_labels = 11,
    .columns = columns_Event, .ncolumns = 10,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_column columns_LimitRange[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Created At"), .type = STR_INIT("date"), .doc = STR_INIT("When the object was created."), .json_path = STR_INIT(".metadata.creationTimestamp")}};
const struct api_resource api_core_v1_limitranges = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("LimitRange"),
    .list_kind = STR_INIT("LimitRangeList"), .plural = STR_INIT("limitranges"), .singular = STR_INIT("limitrange"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_LimitRange,
    .short_names = short_names_limits, .nshort_names = 1,
    .columns = columns_LimitRange, .ncolumns = 2,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Namespace[] = {
    {.name = STR_INIT("finalize"), .kind = STR_INIT("Namespace"), .verbs = API_VERB_UPDATE, .type = &schema_core_v1_Namespace},
    {.name = STR_INIT("status"), .kind = STR_INIT("Namespace"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Namespace}};
static const struct api_column columns_Namespace[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Active or Terminating."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_namespaces = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Namespace"),
    .list_kind = STR_INIT("NamespaceList"), .plural = STR_INIT("namespaces"), .singular = STR_INIT("namespace"),
    .name_rule = API_NAME_DNS_LABEL, .flags = 0,
    .verbs = API_VERB_CREATE | API_VERB_DELETE | API_VERB_GET | API_VERB_LIST | API_VERB_PATCH | API_VERB_UPDATE | API_VERB_WATCH, .type = &schema_core_v1_Namespace,
    .short_names = short_names_ns, .nshort_names = 1,
    .field_labels = field_labels_status_phase, .nfield_labels = 1,
    .subs = subs_Namespace, .nsubs = 2,
    .columns = columns_Namespace, .ncolumns = 3,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Node[] = {
    {.name = STR_INIT("proxy"), .kind = STR_INIT("NodeProxyOptions"), .verbs = API_VERB_CREATE | API_VERB_DELETE | API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_NodeProxyOptions},
    {.name = STR_INIT("status"), .kind = STR_INIT("Node"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Node}};
static const struct api_column columns_Node[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Ready or not, and whether pods may be placed."), .cell = STR_INIT("node_status")},
    {.name = STR_INIT("Roles"), .type = STR_INIT("string"), .doc = STR_INIT("Roles from the node labels."), .cell = STR_INIT("node_roles")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Version"), .type = STR_INIT("string"), .doc = STR_INIT("Version of the agent."), .json_path = STR_INIT(".status.nodeInfo.kubeletVersion")},
    {.name = STR_INIT("Internal-IP"), .type = STR_INIT("string"), .doc = STR_INIT("Address inside the cluster."), .cell = STR_INIT("node_internal_ip"), .priority = 1},
    {.name = STR_INIT("External-IP"), .type = STR_INIT("string"), .doc = STR_INIT("Address outside the cluster."), .cell = STR_INIT("node_external_ip"), .priority = 1},
    {.name = STR_INIT("OS-Image"), .type = STR_INIT("string"), .doc = STR_INIT("Operating system."), .cell = STR_INIT("node_os_image"), .priority = 1},
    {.name = STR_INIT("Kernel-Version"), .type = STR_INIT("string"), .doc = STR_INIT("Kernel."), .cell = STR_INIT("node_kernel_version"), .priority = 1},
    {.name = STR_INIT("Container-Runtime"), .type = STR_INIT("string"), .doc = STR_INIT("Container runtime and version."), .cell = STR_INIT("node_container_runtime"), .priority = 1}};
const struct api_resource api_core_v1_nodes = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Node"),
    .list_kind = STR_INIT("NodeList"), .plural = STR_INIT("nodes"), .singular = STR_INIT("node"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Node,
    .short_names = short_names_no, .nshort_names = 1,
    .field_labels = field_labels_spec_unschedulable, .nfield_labels = 1,
    .subs = subs_Node, .nsubs = 2,
    .columns = columns_Node, .ncolumns = 10,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_PersistentVolumeClaim[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PersistentVolumeClaim"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_PersistentVolumeClaim}};
static const struct api_column columns_PersistentVolumeClaim[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Phase."), .cell = STR_INIT("persistent_volume_claim_status")},
    {.name = STR_INIT("Volume"), .type = STR_INIT("string"), .doc = STR_INIT("Volume it is bound to."), .json_path = STR_INIT(".spec.volumeName")},
    {.name = STR_INIT("Capacity"), .type = STR_INIT("string"), .doc = STR_INIT("Size."), .cell = STR_INIT("persistent_volume_claim_capacity")},
    {.name = STR_INIT("Access Modes"), .type = STR_INIT("string"), .doc = STR_INIT("How it may be mounted."), .cell = STR_INIT("persistent_volume_claim_access_modes")},
    {.name = STR_INIT("StorageClass"), .type = STR_INIT("string"), .doc = STR_INIT("Storage class."), .cell = STR_INIT("persistent_volume_claim_storage_class")},
    {.name = STR_INIT("VolumeAttributesClass"), .type = STR_INIT("string"), .doc = STR_INIT("Volume attributes class."), .cell = STR_INIT("persistent_volume_claim_volume_attributes_class")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("VolumeMode"), .type = STR_INIT("string"), .doc = STR_INIT("File system or block device."), .cell = STR_INIT("persistent_volume_claim_volume_mode"), .priority = 1}};
const struct api_resource api_core_v1_persistentvolumeclaims = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("PersistentVolumeClaim"),
    .list_kind = STR_INIT("PersistentVolumeClaimList"), .plural = STR_INIT("persistentvolumeclaims"), .singular = STR_INIT("persistentvolumeclaim"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_PersistentVolumeClaim,
    .short_names = short_names_pvc, .nshort_names = 1,
    .subs = subs_PersistentVolumeClaim, .nsubs = 1,
    .columns = columns_PersistentVolumeClaim, .ncolumns = 9,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_PersistentVolume[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PersistentVolume"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_PersistentVolume}};
static const struct api_column columns_PersistentVolume[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Capacity"), .type = STR_INIT("string"), .doc = STR_INIT("Size."), .cell = STR_INIT("persistent_volume_capacity")},
    {.name = STR_INIT("Access Modes"), .type = STR_INIT("string"), .doc = STR_INIT("How it may be mounted."), .cell = STR_INIT("persistent_volume_access_modes")},
    {.name = STR_INIT("Reclaim Policy"), .type = STR_INIT("string"), .doc = STR_INIT("What happens when it is released."), .json_path = STR_INIT(".spec.persistentVolumeReclaimPolicy")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Phase."), .cell = STR_INIT("persistent_volume_status")},
    {.name = STR_INIT("Claim"), .type = STR_INIT("string"), .doc = STR_INIT("Claim it is bound to."), .cell = STR_INIT("persistent_volume_claim")},
    {.name = STR_INIT("StorageClass"), .type = STR_INIT("string"), .doc = STR_INIT("Storage class."), .cell = STR_INIT("persistent_volume_storage_class")},
    {.name = STR_INIT("VolumeAttributesClass"), .type = STR_INIT("string"), .doc = STR_INIT("Volume attributes class."), .cell = STR_INIT("persistent_volume_volume_attributes_class")},
    {.name = STR_INIT("Reason"), .type = STR_INIT("string"), .doc = STR_INIT("Why it is in this phase."), .json_path = STR_INIT(".status.reason")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("VolumeMode"), .type = STR_INIT("string"), .doc = STR_INIT("File system or block device."), .cell = STR_INIT("persistent_volume_volume_mode"), .priority = 1}};
const struct api_resource api_core_v1_persistentvolumes = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("PersistentVolume"),
    .list_kind = STR_INIT("PersistentVolumeList"), .plural = STR_INIT("persistentvolumes"), .singular = STR_INIT("persistentvolume"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = 0,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_PersistentVolume,
    .short_names = short_names_pv, .nshort_names = 1,
    .subs = subs_PersistentVolume, .nsubs = 1,
    .columns = columns_PersistentVolume, .ncolumns = 11,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Pod[] = {
    {.name = STR_INIT("attach"), .kind = STR_INIT("PodAttachOptions"), .verbs = API_VERB_CREATE | API_VERB_GET, .type = &schema_core_v1_PodAttachOptions},
    {.name = STR_INIT("binding"), .kind = STR_INIT("Binding"), .verbs = API_VERB_CREATE, .type = &schema_core_v1_Binding},
    {.name = STR_INIT("ephemeralcontainers"), .kind = STR_INIT("Pod"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Pod},
    {.name = STR_INIT("eviction"), .kind = STR_INIT("Eviction"), .group = STR_INIT("policy"), .version = STR_INIT("v1"), .verbs = API_VERB_CREATE, .type = &schema_policy_v1_Eviction},
    {.name = STR_INIT("exec"), .kind = STR_INIT("PodExecOptions"), .verbs = API_VERB_CREATE | API_VERB_GET, .type = &schema_core_v1_PodExecOptions},
    {.name = STR_INIT("explain"), .kind = STR_INIT("Pod"), .verbs = API_VERB_GET, .type = &schema_core_v1_Pod},
    {.name = STR_INIT("log"), .kind = STR_INIT("Pod"), .verbs = API_VERB_GET, .type = &schema_core_v1_Pod},
    {.name = STR_INIT("portforward"), .kind = STR_INIT("PodPortForwardOptions"), .verbs = API_VERB_CREATE | API_VERB_GET, .type = &schema_core_v1_PodPortForwardOptions},
    {.name = STR_INIT("proxy"), .kind = STR_INIT("PodProxyOptions"), .verbs = API_VERB_CREATE | API_VERB_DELETE | API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_PodProxyOptions},
    {.name = STR_INIT("resize"), .kind = STR_INIT("Pod"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Pod},
    {.name = STR_INIT("status"), .kind = STR_INIT("Pod"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Pod}};
static const struct api_column columns_Pod[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("string"), .doc = STR_INIT("Ready containers of all containers."), .cell = STR_INIT("pod_ready")},
    {.name = STR_INIT("Status"), .type = STR_INIT("string"), .doc = STR_INIT("Phase, or the reason that says more."), .cell = STR_INIT("pod_status")},
    {.name = STR_INIT("Restarts"), .type = STR_INIT("string"), .doc = STR_INIT("Container restarts, and when the last one was."), .cell = STR_INIT("pod_restarts")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("IP"), .type = STR_INIT("string"), .doc = STR_INIT("Address of the pod."), .cell = STR_INIT("pod_ip"), .priority = 1},
    {.name = STR_INIT("Node"), .type = STR_INIT("string"), .doc = STR_INIT("Node the pod is bound to."), .cell = STR_INIT("pod_node"), .priority = 1},
    {.name = STR_INIT("Nominated Node"), .type = STR_INIT("string"), .doc = STR_INIT("Node where room is being made."), .cell = STR_INIT("pod_nominated_node"), .priority = 1},
    {.name = STR_INIT("Readiness Gates"), .type = STR_INIT("string"), .doc = STR_INIT("Extra conditions that are met, of all."), .cell = STR_INIT("pod_readiness_gates"), .priority = 1}};
const struct api_resource api_core_v1_pods = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Pod"),
    .list_kind = STR_INIT("PodList"), .plural = STR_INIT("pods"), .singular = STR_INIT("pod"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Pod,
    .short_names = short_names_po, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .field_labels = field_labels_spec_nodeName_spec_restartPolicy_spec_schedulerName_spec_serviceAccountName_spec_hostNetwork_status_phase_status_podIP_status_podIPs_status_nominatedNodeName, .nfield_labels = 9,
    .subs = subs_Pod, .nsubs = 11,
    .columns = columns_Pod, .ncolumns = 9,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_column columns_PodTemplate[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers."), .cell = STR_INIT("pod_template_containers")},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers."), .cell = STR_INIT("pod_template_images")},
    {.name = STR_INIT("Pod Labels"), .type = STR_INIT("string"), .doc = STR_INIT("Labels the pods get."), .cell = STR_INIT("pod_template_pod_labels")}};
const struct api_resource api_core_v1_podtemplates = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("PodTemplate"),
    .list_kind = STR_INIT("PodTemplateList"), .plural = STR_INIT("podtemplates"), .singular = STR_INIT("podtemplate"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_PodTemplate,
    .columns = columns_PodTemplate, .ncolumns = 4,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_ReplicationController[] = {
    {.name = STR_INIT("scale"), .kind = STR_INIT("Scale"), .group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v1_Scale},
    {.name = STR_INIT("status"), .kind = STR_INIT("ReplicationController"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_ReplicationController}};
static const struct api_column columns_ReplicationController[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Desired"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods wanted."), .json_path = STR_INIT(".spec.replicas")},
    {.name = STR_INIT("Current"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that exist."), .json_path = STR_INIT(".status.replicas")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that are ready."), .json_path = STR_INIT(".status.readyReplicas")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Containers"), .type = STR_INIT("string"), .doc = STR_INIT("Names of the containers in the pod template."), .cell = STR_INIT("containers"), .priority = 1},
    {.name = STR_INIT("Images"), .type = STR_INIT("string"), .doc = STR_INIT("Images of the containers in the pod template."), .cell = STR_INIT("images"), .priority = 1},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("replication_controller_selector"), .priority = 1}};
const struct api_resource api_core_v1_replicationcontrollers = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("ReplicationController"),
    .list_kind = STR_INIT("ReplicationControllerList"), .plural = STR_INIT("replicationcontrollers"), .singular = STR_INIT("replicationcontroller"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_ORPHAN_DEFAULT,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_ReplicationController,
    .short_names = short_names_rc, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .field_labels = field_labels_status_replicas, .nfield_labels = 1,
    .subs = subs_ReplicationController, .nsubs = 2,
    .columns = columns_ReplicationController, .ncolumns = 8,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_ResourceQuota[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("ResourceQuota"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_ResourceQuota}};
static const struct api_column columns_ResourceQuota[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Request"), .type = STR_INIT("string"), .doc = STR_INIT("Requests used, of those allowed."), .cell = STR_INIT("resource_quota_request")},
    {.name = STR_INIT("Limit"), .type = STR_INIT("string"), .doc = STR_INIT("Limits used, of those allowed."), .cell = STR_INIT("resource_quota_limit")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_resourcequotas = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("ResourceQuota"),
    .list_kind = STR_INIT("ResourceQuotaList"), .plural = STR_INIT("resourcequotas"), .singular = STR_INIT("resourcequota"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_ResourceQuota,
    .short_names = short_names_quota, .nshort_names = 1,
    .subs = subs_ResourceQuota, .nsubs = 1,
    .columns = columns_ResourceQuota, .ncolumns = 4,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_column columns_Secret[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Type"), .type = STR_INIT("string"), .doc = STR_INIT("What the data means."), .json_path = STR_INIT(".type")},
    {.name = STR_INIT("Data"), .type = STR_INIT("string"), .doc = STR_INIT("Number of keys."), .cell = STR_INIT("secret_data")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_secrets = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Secret"),
    .list_kind = STR_INIT("SecretList"), .plural = STR_INIT("secrets"), .singular = STR_INIT("secret"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Secret,
    .field_labels = field_labels_type, .nfield_labels = 1,
    .columns = columns_Secret, .ncolumns = 4,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_ServiceAccount[] = {
    {.name = STR_INIT("token"), .kind = STR_INIT("TokenRequest"), .group = STR_INIT("authentication.k8s.io"), .version = STR_INIT("v1"), .verbs = API_VERB_CREATE, .type = &schema_authentication_v1_TokenRequest}};
static const struct api_column columns_ServiceAccount[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Secrets"), .type = STR_INIT("string"), .doc = STR_INIT("Number of secrets."), .cell = STR_INIT("service_account_secrets")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_core_v1_serviceaccounts = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("ServiceAccount"),
    .list_kind = STR_INIT("ServiceAccountList"), .plural = STR_INIT("serviceaccounts"), .singular = STR_INIT("serviceaccount"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_ServiceAccount,
    .short_names = short_names_sa, .nshort_names = 1,
    .subs = subs_ServiceAccount, .nsubs = 1,
    .columns = columns_ServiceAccount, .ncolumns = 3,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

static const struct api_subresource subs_Service[] = {
    {.name = STR_INIT("proxy"), .kind = STR_INIT("ServiceProxyOptions"), .verbs = API_VERB_CREATE | API_VERB_DELETE | API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_ServiceProxyOptions},
    {.name = STR_INIT("status"), .kind = STR_INIT("Service"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_core_v1_Service}};
static const struct api_column columns_Service[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Type"), .type = STR_INIT("string"), .doc = STR_INIT("How the service is exposed."), .json_path = STR_INIT(".spec.type")},
    {.name = STR_INIT("Cluster-IP"), .type = STR_INIT("string"), .doc = STR_INIT("Address inside the cluster."), .cell = STR_INIT("service_cluster_ip")},
    {.name = STR_INIT("External-IP"), .type = STR_INIT("string"), .doc = STR_INIT("Address outside the cluster."), .cell = STR_INIT("service_external_ip")},
    {.name = STR_INIT("Port(s)"), .type = STR_INIT("string"), .doc = STR_INIT("Ports and protocols."), .cell = STR_INIT("service_ports")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("Selector"), .type = STR_INIT("string"), .doc = STR_INIT("Labels by which pods are found."), .cell = STR_INIT("service_selector"), .priority = 1}};
const struct api_resource api_core_v1_services = {
    .group = STR_INIT(""), .version = STR_INIT("v1"), .kind = STR_INIT("Service"),
    .list_kind = STR_INIT("ServiceList"), .plural = STR_INIT("services"), .singular = STR_INIT("service"),
    .name_rule = API_NAME_DNS1035_LABEL, .flags = API_NAMESPACED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_core_v1_Service,
    .short_names = short_names_svc, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .field_labels = field_labels_spec_clusterIP_spec_type, .nfield_labels = 2,
    .subs = subs_Service, .nsubs = 2,
    .columns = columns_Service, .ncolumns = 7,
    .storage_group = STR_INIT(""), .storage_version = STR_INIT("v1")};

