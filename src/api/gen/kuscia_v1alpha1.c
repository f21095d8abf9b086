/* kuscia_v1alpha1.c: written by tools/gen_api.py from api/kuscia_v1alpha1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_kuscia_bfia[] = {STR_INIT("kuscia"), STR_INIT("bfia")};
static const struct schema_rules rules_enums_kuscia_bfia = {.enums = enum_kuscia_bfia, .nenums = 2};
static const struct schema_type string_rules_enums_kuscia_bfia = {.kind = SCHEMA_STRING, .rules = &rules_enums_kuscia_bfia};
static const struct schema_type list_string_rules_enums_kuscia_bfia = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_kuscia_bfia};
static const str enum_Token_MTLS_None[] = {STR_INIT("Token"), STR_INIT("MTLS"), STR_INIT("None")};
static const struct schema_rules rules_enums_Token_MTLS_None = {.enums = enum_Token_MTLS_None, .nenums = 3};
static const str enum_RSA_GEN_RAND_GEN_UID_RSA_GEN[] = {STR_INIT("RSA-GEN"), STR_INIT("RAND-GEN"), STR_INIT("UID-RSA-GEN")};
static const struct schema_rules rules_enums_RSA_GEN_RAND_GEN_UID_RSA_GEN = {.enums = enum_RSA_GEN_RAND_GEN_UID_RSA_GEN, .nenums = 3};
static const struct schema_rules rules_min_0_0 = {.has_min = true, .min = 0.0};
static const struct schema_type list_DomainNodeStatus = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainNodeStatus};
static const struct schema_type list_DeployTokenStatus = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DeployTokenStatus};
static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_type list_DeployTemplate = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DeployTemplate};
static const struct schema_type list_Ingress = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_Ingress};
static const struct schema_type list_IngressPort = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_IngressPort};
static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const str enum_Always_OnFailure_Never[] = {STR_INIT("Always"), STR_INIT("OnFailure"), STR_INIT("Never")};
static const struct schema_rules rules_enums_Always_OnFailure_Never = {.enums = enum_Always_OnFailure_Never, .nenums = 3};
static const struct schema_type list_Container = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_Container};
static const struct schema_type list_ConfigVolumeMount = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ConfigVolumeMount};
static const struct schema_type list_ContainerPort = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ContainerPort};
static const struct schema_type list_core_v1_EnvFromSource = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EnvFromSource};
static const struct schema_type list_core_v1_EnvVar = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_EnvVar};
static const str enum_HTTP_GRPC[] = {STR_INIT("HTTP"), STR_INIT("GRPC")};
static const struct schema_rules rules_enums_HTTP_GRPC = {.enums = enum_HTTP_GRPC, .nenums = 2};
static const str enum_Cluster_Domain_Local[] = {STR_INIT("Cluster"), STR_INIT("Domain"), STR_INIT("Local")};
static const struct schema_rules rules_enums_Cluster_Domain_Local = {.enums = enum_Cluster_Domain_Local, .nenums = 3};
static const struct schema_type list_DomainImage = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainImage};
static const str enum_Strict_BestEffort[] = {STR_INIT("Strict"), STR_INIT("BestEffort")};
static const struct schema_rules rules_enums_Strict_BestEffort = {.enums = enum_Strict_BestEffort, .nenums = 2};
static const struct schema_rules rules_min_1_0_max_128_0 = {.has_min = true, .min = 1.0, .has_max = true, .max = 128.0};
static const struct schema_rules rules_max_items_128 = {.has_max_items = true, .max_items = 128};
static const struct schema_type list_TaskTemplate_max_items_128 = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_TaskTemplate, .rules = &rules_max_items_128};
static const struct schema_type list_string_max_items_128 = {.kind = SCHEMA_LIST, .elem = &schema_string, .rules = &rules_max_items_128};
static const struct schema_type list_Party = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_Party};
static const struct schema_rules rules_min_1_0 = {.has_min = true, .min = 1.0};
static const struct schema_type list_BandwidthLimit = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_BandwidthLimit};
static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_core_v1_ResourceClaim_map_name = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_ResourceClaim, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_JobCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_JobCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_PartyStatus = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_PartyStatus};
static const struct schema_type map_list_PartyStatus = {.kind = SCHEMA_MAP, .elem = &list_PartyStatus};
static const str enum_Create_Start_Stop_Cancel_Restart_Suspend[] = {STR_INIT("Create"), STR_INIT("Start"), STR_INIT("Stop"), STR_INIT("Cancel"), STR_INIT("Restart"), STR_INIT("Suspend")};
static const struct schema_rules rules_enums_Create_Start_Stop_Cancel_Restart_Suspend = {.enums = enum_Create_Start_Stop_Cancel_Restart_Suspend, .nenums = 6};
static const struct schema_type list_TaskParty = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_TaskParty};
static const struct schema_type list_quantity = {.kind = SCHEMA_LIST, .elem = &schema_quantity};
static const struct schema_type map_TaskPodStatus = {.kind = SCHEMA_MAP, .elem = &schema_kuscia_v1alpha1_TaskPodStatus};
static const struct schema_type map_TaskServiceStatus = {.kind = SCHEMA_MAP, .elem = &schema_kuscia_v1alpha1_TaskServiceStatus};
static const struct schema_type list_PartyPorts = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_PartyPorts};
static const struct schema_type map_int32 = {.kind = SCHEMA_MAP, .elem = &schema_int32};
static const struct schema_type list_SummaryResourceStatus = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_SummaryResourceStatus};
static const struct schema_type map_list_SummaryResourceStatus = {.kind = SCHEMA_MAP, .elem = &list_SummaryResourceStatus};
static const struct schema_type list_ReserveCondition = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ReserveCondition};
static const struct schema_type list_GroupParty = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_GroupParty};
static const struct schema_type list_GroupPod = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_GroupPod};
static const struct schema_type list_ReserveCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ReserveCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_ResourcePod = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ResourcePod};
static const struct schema_type list_DeploymentParty = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DeploymentParty};
static const struct schema_type map_PartyDeployments = {.kind = SCHEMA_MAP, .elem = &schema_kuscia_v1alpha1_PartyDeployments};
static const struct schema_type list_RoutePort = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_RoutePort};
static const struct schema_rules rules_min_1_0_max_65535_0 = {.has_min = true, .min = 1.0, .has_max = true, .max = 65535.0};
static const str enum_THIRD_DOMAIN_REVERSE_TUNNEL[] = {STR_INIT("THIRD-DOMAIN"), STR_INIT("REVERSE-TUNNEL")};
static const struct schema_rules rules_enums_THIRD_DOMAIN_REVERSE_TUNNEL = {.enums = enum_THIRD_DOMAIN_REVERSE_TUNNEL, .nenums = 2};
static const str enum_RSA_GEN_UID_RSA_GEN[] = {STR_INIT("RSA-GEN"), STR_INIT("UID-RSA-GEN")};
static const struct schema_rules rules_enums_RSA_GEN_UID_RSA_GEN = {.enums = enum_RSA_GEN_UID_RSA_GEN, .nenums = 2};
static const str enum_AES_SM4[] = {STR_INIT("AES"), STR_INIT("SM4")};
static const struct schema_rules rules_enums_AES_SM4 = {.enums = enum_AES_SM4, .nenums = 2};
static const struct schema_type list_RouteToken = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_RouteToken};
static const struct schema_type list_RouteCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_RouteCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type map_RouteEndpointStatus = {.kind = SCHEMA_MAP, .elem = &schema_kuscia_v1alpha1_RouteEndpointStatus};
static const struct schema_type list_GatewayNetworkStatus = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_GatewayNetworkStatus};
static const struct schema_type list_DataColumn = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DataColumn};
static const struct schema_type list_DataCondition = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DataCondition};
static const str enum_normal_metadata_file[] = {STR_INIT("normal"), STR_INIT("metadata"), STR_INIT("file")};
static const struct schema_rules rules_enums_normal_metadata_file = {.enums = enum_normal_metadata_file, .nenums = 3};
static const struct schema_type string_rules_enums_normal_metadata_file = {.kind = SCHEMA_STRING, .rules = &rules_enums_normal_metadata_file};
static const struct schema_type list_string_rules_enums_normal_metadata_file = {.kind = SCHEMA_LIST, .elem = &string_rules_enums_normal_metadata_file};
static const str enum_Ready_Unavailable_Unknown[] = {STR_INIT("Ready"), STR_INIT("Unavailable"), STR_INIT("Unknown")};
static const struct schema_rules rules_enums_Ready_Unavailable_Unknown = {.enums = enum_Ready_Unavailable_Unknown, .nenums = 3};
static const struct schema_type list_GrantUse = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_GrantUse};
static const struct schema_type list_Domain = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_Domain};
static const struct schema_type list_AppImage = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_AppImage};
static const struct schema_type list_DomainAppImage = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainAppImage};
static const struct schema_type list_KusciaJob = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaJob};
static const struct schema_type list_KusciaJobSummary = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaJobSummary};
static const struct schema_type list_KusciaTask = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaTask};
static const struct schema_type list_KusciaTaskSummary = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaTaskSummary};
static const struct schema_type list_TaskResourceGroup = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_TaskResourceGroup};
static const struct schema_type list_TaskResource = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_TaskResource};
static const struct schema_type list_KusciaDeployment = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaDeployment};
static const struct schema_type list_KusciaDeploymentSummary = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_KusciaDeploymentSummary};
static const struct schema_type list_DomainRoute = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainRoute};
static const struct schema_type list_ClusterDomainRoute = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_ClusterDomainRoute};
static const struct schema_type list_Gateway = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_Gateway};
static const struct schema_type list_InteropConfig = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_InteropConfig};
static const struct schema_type list_DomainData = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainData};
static const struct schema_type list_DomainDataSource = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainDataSource};
static const struct schema_type list_DomainDataGrant = {.kind = SCHEMA_LIST, .elem = &schema_kuscia_v1alpha1_DomainDataGrant};
static const str short_names_aimg[] = {STR_INIT("aimg")};
static const str short_names_daimg[] = {STR_INIT("daimg")};
static const str short_names_kj[] = {STR_INIT("kj")};
static const str short_names_kjs[] = {STR_INIT("kjs")};
static const str short_names_kt[] = {STR_INIT("kt")};
static const str short_names_kts[] = {STR_INIT("kts")};
static const str short_names_trg[] = {STR_INIT("trg")};
static const str short_names_tr[] = {STR_INIT("tr")};
static const str short_names_kd[] = {STR_INIT("kd")};
static const str short_names_kds[] = {STR_INIT("kds")};
static const str short_names_dr[] = {STR_INIT("dr")};
static const str short_names_cdr[] = {STR_INIT("cdr")};
static const str short_names_gw[] = {STR_INIT("gw")};
static const str short_names_interop[] = {STR_INIT("interop")};
static const str short_names_kdd[] = {STR_INIT("kdd")};
static const str short_names_dds[] = {STR_INIT("dds")};
static const str short_names_ddg[] = {STR_INIT("ddg")};
static const struct schema_field fields_Domain[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_DomainSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_DomainStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Domain[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_Domain = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Domain"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Domain"), .doc = STR_INIT("An institution that takes part: a namespace, its nodes, and who may see them."), .fields = fields_Domain, .nfields = 5, .index8 = index_Domain, .index_mask = 15};

static const struct schema_field fields_DomainSpec[6] = {
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Empty for a domain of this control plane, partner for one of another.")},
    {.name = STR_INIT("master"), .type = &schema_string, .doc = STR_INIT("Domain that its control plane stands for; of a partner the domain itself when absent.")},
    {.name = STR_INIT("interConnProtocols"), .type = &list_string_rules_enums_kuscia_bfia, .doc = STR_INIT("How it talks to others; the first counts.")},
    {.name = STR_INIT("cert"), .type = &schema_string, .doc = STR_INIT("Certificate of the domain: PEM in base64.")},
    {.name = STR_INIT("authCenter"), .type = &schema_kuscia_v1alpha1_AuthCenter, .flags = SCHEMA_POINTER, .doc = STR_INIT("How its nodes prove who they are.")},
    {.name = STR_INIT("resourceQuota"), .type = &schema_kuscia_v1alpha1_DomainResourceQuota, .flags = SCHEMA_POINTER, .doc = STR_INIT("What its namespace may hold.")}};
static const uint8_t index_DomainSpec[16] = {0, 0, 5, 2, 3, 4, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_DomainSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainSpec"), .doc = STR_INIT("What the control plane knows of an institution."), .fields = fields_DomainSpec, .nfields = 6, .index8 = index_DomainSpec, .index_mask = 15};

static const struct schema_field fields_AuthCenter[2] = {
    {.name = STR_INIT("authenticationType"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("By token, by certificate, or not at all."), .rules = &rules_enums_Token_MTLS_None},
    {.name = STR_INIT("tokenGenMethod"), .type = &schema_string, .doc = STR_INIT("How tokens are made."), .rules = &rules_enums_RSA_GEN_RAND_GEN_UID_RSA_GEN}};
const struct schema_type schema_kuscia_v1alpha1_AuthCenter = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AuthCenter"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.AuthCenter"), .doc = STR_INIT("How nodes of a domain prove who they are."), .fields = fields_AuthCenter, .nfields = 2};

static const struct schema_field fields_DomainResourceQuota[1] = {
    {.name = STR_INIT("podMaxCount"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods at most; without end when absent."), .rules = &rules_min_0_0}};
const struct schema_type schema_kuscia_v1alpha1_DomainResourceQuota = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainResourceQuota"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainResourceQuota"), .doc = STR_INIT("What the namespace of a domain may hold."), .fields = fields_DomainResourceQuota, .nfields = 1};

static const struct schema_field fields_DomainStatus[2] = {
    {.name = STR_INIT("nodeStatuses"), .type = &list_DomainNodeStatus, .doc = STR_INIT("Nodes that have joined.")},
    {.name = STR_INIT("deployTokenStatuses"), .type = &list_DeployTokenStatus, .doc = STR_INIT("Tokens that nodes join with: one that is unused, and the last one that was used.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainStatus"), .doc = STR_INIT("What is known of a domain's nodes and how new ones join."), .fields = fields_DomainStatus, .nfields = 2};

static const struct schema_field fields_DomainNodeStatus[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name of the node.")},
    {.name = STR_INIT("version"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version of its agent.")},
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Ready or NotReady.")},
    {.name = STR_INIT("lastHeartbeatTime"), .type = &schema_time, .doc = STR_INIT("When it was last heard of.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")}};
static const uint8_t index_DomainNodeStatus[16] = {0, 0, 0, 0, 0, 0, 1, 2, 5, 0, 4, 0, 0, 0, 0, 3};
const struct schema_type schema_kuscia_v1alpha1_DomainNodeStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainNodeStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainNodeStatus"), .doc = STR_INIT("One node of a domain."), .fields = fields_DomainNodeStatus, .nfields = 5, .index8 = index_DomainNodeStatus, .index_mask = 15};

static const struct schema_field fields_DeployTokenStatus[3] = {
    {.name = STR_INIT("token"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The token.")},
    {.name = STR_INIT("state"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("unused or used.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the state last changed.")}};
const struct schema_type schema_kuscia_v1alpha1_DeployTokenStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeployTokenStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DeployTokenStatus"), .doc = STR_INIT("A token that a node joins with."), .fields = fields_DeployTokenStatus, .nfields = 3};

static const struct schema_field fields_AppImage[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_AppImageSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_kuscia_v1alpha1_AppImage = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AppImage"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.AppImage"), .doc = STR_INIT("A program that parties run together: its image, its configuration files, and what each role starts."), .fields = fields_AppImage, .nfields = 4};

static const struct schema_field fields_AppImageSpec[3] = {
    {.name = STR_INIT("image"), .type = &schema_kuscia_v1alpha1_AppImageInfo, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The image.")},
    {.name = STR_INIT("configTemplates"), .type = &map_string, .doc = STR_INIT("Configuration files by name; variables in them are filled in for each pod.")},
    {.name = STR_INIT("deployTemplates"), .type = &list_DeployTemplate, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What each role starts.")}};
const struct schema_type schema_kuscia_v1alpha1_AppImageSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AppImageSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.AppImageSpec"), .doc = STR_INIT("Image, configuration and roles of a program."), .fields = fields_AppImageSpec, .nfields = 3};

static const struct schema_field fields_AppImageInfo[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name, with its registry.")},
    {.name = STR_INIT("tag"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Tag.")},
    {.name = STR_INIT("id"), .type = &schema_string, .doc = STR_INIT("Digest that the image must have.")},
    {.name = STR_INIT("sign"), .type = &schema_string, .doc = STR_INIT("Signature of the image.")}};
const struct schema_type schema_kuscia_v1alpha1_AppImageInfo = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AppImageInfo"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.AppImageInfo"), .doc = STR_INIT("An image."), .fields = fields_AppImageInfo, .nfields = 4};

static const struct schema_field fields_DeployTemplate[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the template.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Roles that it is for, with commas between them; empty: for all that have none of their own.")},
    {.name = STR_INIT("replicas"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods of each party; 1 when absent."), .rules = &rules_min_0_0},
    {.name = STR_INIT("networkPolicy"), .type = &schema_kuscia_v1alpha1_NetworkPolicy, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which roles may call which ports.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_PodSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The pod.")}};
static const uint8_t index_DeployTemplate[16] = {0, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 5, 4};
const struct schema_type schema_kuscia_v1alpha1_DeployTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeployTemplate"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DeployTemplate"), .doc = STR_INIT("What a role starts."), .fields = fields_DeployTemplate, .nfields = 5, .index8 = index_DeployTemplate, .index_mask = 15};

static const struct schema_field fields_NetworkPolicy[1] = {
    {.name = STR_INIT("ingresses"), .type = &list_Ingress, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Who may call what.")}};
const struct schema_type schema_kuscia_v1alpha1_NetworkPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NetworkPolicy"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.NetworkPolicy"), .doc = STR_INIT("Which roles may call which ports."), .fields = fields_NetworkPolicy, .nfields = 1};

static const struct schema_field fields_Ingress[2] = {
    {.name = STR_INIT("from"), .type = &schema_kuscia_v1alpha1_IngressFrom, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Who may call.")},
    {.name = STR_INIT("ports"), .type = &list_IngressPort, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What may be called.")}};
const struct schema_type schema_kuscia_v1alpha1_Ingress = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Ingress"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Ingress"), .doc = STR_INIT("Ports and who may call them."), .fields = fields_Ingress, .nfields = 2};

static const struct schema_field fields_IngressFrom[1] = {
    {.name = STR_INIT("roles"), .type = &list_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Roles.")}};
const struct schema_type schema_kuscia_v1alpha1_IngressFrom = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressFrom"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.IngressFrom"), .doc = STR_INIT("Who may call."), .fields = fields_IngressFrom, .nfields = 1};

static const struct schema_field fields_IngressPort[1] = {
    {.name = STR_INIT("port"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of a container's port.")}};
const struct schema_type schema_kuscia_v1alpha1_IngressPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("IngressPort"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.IngressPort"), .doc = STR_INIT("What may be called."), .fields = fields_IngressPort, .nfields = 1};

static const struct schema_field fields_PodSpec[3] = {
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .doc = STR_INIT("When containers are started again; Never when absent."), .rules = &rules_enums_Always_OnFailure_Never},
    {.name = STR_INIT("containers"), .type = &list_Container, .doc = STR_INIT("The containers.")},
    {.name = STR_INIT("affinity"), .type = &schema_core_v1_Affinity, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where it should run.")}};
const struct schema_type schema_kuscia_v1alpha1_PodSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.PodSpec"), .doc = STR_INIT("A pod as Kuscia describes it."), .fields = fields_PodSpec, .nfields = 3};

static const struct schema_field fields_Container[15] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name within the pod.")},
    {.name = STR_INIT("command"), .type = &list_string, .doc = STR_INIT("Program to run, instead of the image's.")},
    {.name = STR_INIT("args"), .type = &list_string, .doc = STR_INIT("Arguments, instead of the image's.")},
    {.name = STR_INIT("workingDir"), .type = &schema_string, .doc = STR_INIT("Folder that it starts in.")},
    {.name = STR_INIT("configVolumeMounts"), .type = &list_ConfigVolumeMount, .doc = STR_INIT("Configuration files and where they go.")},
    {.name = STR_INIT("ports"), .type = &list_ContainerPort, .doc = STR_INIT("Ports that it listens on.")},
    {.name = STR_INIT("envFrom"), .type = &list_core_v1_EnvFromSource, .doc = STR_INIT("Sources of whole sets of environment variables.")},
    {.name = STR_INIT("env"), .type = &list_core_v1_EnvVar, .doc = STR_INIT("Environment variables.")},
    {.name = STR_INIT("resources"), .type = &schema_kuscia_v1alpha1_Resources, .flags = SCHEMA_POINTER, .doc = STR_INIT("What it needs and may use.")},
    {.name = STR_INIT("livenessProbe"), .type = &schema_core_v1_Probe, .flags = SCHEMA_POINTER, .doc = STR_INIT("Restarts the container when it fails.")},
    {.name = STR_INIT("readinessProbe"), .type = &schema_core_v1_Probe, .flags = SCHEMA_POINTER, .doc = STR_INIT("Takes the container out of service while it fails.")},
    {.name = STR_INIT("startupProbe"), .type = &schema_core_v1_Probe, .flags = SCHEMA_POINTER, .doc = STR_INIT("Holds the others back until it succeeds.")},
    {.name = STR_INIT("metricProbe"), .type = &schema_kuscia_v1alpha1_MetricProbe, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where its metrics are.")},
    {.name = STR_INIT("imagePullPolicy"), .type = &schema_string, .doc = STR_INIT("When the image is fetched.")},
    {.name = STR_INIT("securityContext"), .type = &schema_core_v1_SecurityContext, .flags = SCHEMA_POINTER, .doc = STR_INIT("Rights of its processes.")}};
static const uint8_t index_Container[32] = {0, 0, 15, 0, 0, 0, 1, 0, 0, 0, 0, 14, 0, 0, 0, 5, 6, 0, 2, 9, 8, 12, 13, 0, 0, 0, 10, 11, 3, 7, 0, 4};
const struct schema_type schema_kuscia_v1alpha1_Container = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Container"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Container"), .doc = STR_INIT("A container as Kuscia describes it."), .fields = fields_Container, .nfields = 15, .index8 = index_Container, .index_mask = 31};

static const struct schema_field fields_ConfigVolumeMount[2] = {
    {.name = STR_INIT("mountPath"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Path in the container.")},
    {.name = STR_INIT("subPath"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the file in configTemplates.")}};
const struct schema_type schema_kuscia_v1alpha1_ConfigVolumeMount = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ConfigVolumeMount"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ConfigVolumeMount"), .doc = STR_INIT("Where a configuration file goes."), .fields = fields_ConfigVolumeMount, .nfields = 2};

static const struct schema_field fields_ContainerPort[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name, which the configuration and others know it by.")},
    {.name = STR_INIT("port"), .type = &schema_int32, .doc = STR_INIT("Number that is asked for; Kuscia chooses one itself.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .dflt = STR_INIT("\"HTTP\""), .doc = STR_INIT("What is spoken."), .rules = &rules_enums_HTTP_GRPC},
    {.name = STR_INIT("scope"), .type = &schema_string, .dflt = STR_INIT("\"Local\""), .doc = STR_INIT("Who may reach it: all parties, its own domain, or the pod alone."), .rules = &rules_enums_Cluster_Domain_Local}};
const struct schema_type schema_kuscia_v1alpha1_ContainerPort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerPort"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ContainerPort"), .doc = STR_INIT("A port that a container listens on; its number is chosen for each pod."), .fields = fields_ContainerPort, .nfields = 4};

static const struct schema_field fields_MetricProbe[2] = {
    {.name = STR_INIT("path"), .type = &schema_string, .doc = STR_INIT("Path of the page.")},
    {.name = STR_INIT("port"), .type = &schema_string, .doc = STR_INIT("Name of the port.")}};
const struct schema_type schema_kuscia_v1alpha1_MetricProbe = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricProbe"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.MetricProbe"), .doc = STR_INIT("Where metrics are."), .fields = fields_MetricProbe, .nfields = 2};

static const struct schema_field fields_DomainAppImage[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_DomainAppImageSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainAppImage = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainAppImage"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainAppImage"), .doc = STR_INIT("Images that a domain has."), .fields = fields_DomainAppImage, .nfields = 4};

static const struct schema_field fields_DomainAppImageSpec[1] = {
    {.name = STR_INIT("images"), .type = &list_DomainImage, .doc = STR_INIT("The images.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainAppImageSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainAppImageSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainAppImageSpec"), .doc = STR_INIT("Images that a domain has."), .fields = fields_DomainAppImageSpec, .nfields = 1};

static const struct schema_field fields_DomainImage[3] = {
    {.name = STR_INIT("tag"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Tag.")},
    {.name = STR_INIT("id"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Digest.")},
    {.name = STR_INIT("sign"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Signature.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainImage = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainImage"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainImage"), .doc = STR_INIT("An image that a domain has."), .fields = fields_DomainImage, .nfields = 3};

static const struct schema_field fields_KusciaJob[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_KusciaJobSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaJobStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_KusciaJob[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_KusciaJob = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJob"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJob"), .doc = STR_INIT("Tasks of several parties, in the order of their dependencies."), .fields = fields_KusciaJob, .nfields = 5, .index8 = index_KusciaJob, .index_mask = 15};

static const struct schema_field fields_KusciaJobSpec[5] = {
    {.name = STR_INIT("flowID"), .type = &schema_string, .doc = STR_INIT("Joins jobs that belong together.")},
    {.name = STR_INIT("initiator"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that wants the job.")},
    {.name = STR_INIT("scheduleMode"), .type = &schema_string, .dflt = STR_INIT("\"Strict\""), .doc = STR_INIT("Strict ends the job with the first task that fails; BestEffort finishes what does not depend on it."), .rules = &rules_enums_Strict_BestEffort},
    {.name = STR_INIT("maxParallelism"), .type = &schema_int32, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Tasks at once."), .rules = &rules_min_1_0_max_128_0},
    {.name = STR_INIT("tasks"), .type = &list_TaskTemplate_max_items_128, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The tasks; by their dependencies they form a graph without circles.")}};
static const uint8_t index_KusciaJobSpec[16] = {1, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 0, 0, 5, 0, 3};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobSpec"), .doc = STR_INIT("The tasks of a job and how they are run."), .fields = fields_KusciaJobSpec, .nfields = 5, .index8 = index_KusciaJobSpec, .index_mask = 15};

static const struct schema_field fields_TaskTemplate[9] = {
    {.name = STR_INIT("alias"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name within the job, which dependencies use.")},
    {.name = STR_INIT("taskID"), .type = &schema_string, .doc = STR_INIT("Name of the KusciaTask; made up when absent.")},
    {.name = STR_INIT("dependencies"), .type = &list_string_max_items_128, .doc = STR_INIT("Aliases of tasks that must have succeeded before.")},
    {.name = STR_INIT("tolerable"), .type = &schema_bool, .flags = SCHEMA_POINTER, .dflt = STR_INIT("false"), .doc = STR_INIT("The job goes on when it fails.")},
    {.name = STR_INIT("appImage"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("AppImage that the parties run.")},
    {.name = STR_INIT("taskInputConfig"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the program is to do; handed on as it is.")},
    {.name = STR_INIT("scheduleConfig"), .type = &schema_kuscia_v1alpha1_ScheduleConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long it waits for room, and for how many.")},
    {.name = STR_INIT("priority"), .type = &schema_int32, .doc = STR_INIT("Of tasks that could start, the one with the higher number does first.")},
    {.name = STR_INIT("parties"), .type = &list_Party, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Who takes part.")}};
static const uint8_t index_TaskTemplate[32] = {3, 2, 0, 0, 0, 0, 0, 0, 0, 5, 8, 0, 0, 0, 6, 9, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 7, 4, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_TaskTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskTemplate"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskTemplate"), .doc = STR_INIT("One task of a job."), .fields = fields_TaskTemplate, .nfields = 9, .index8 = index_TaskTemplate, .index_mask = 31};

static const struct schema_field fields_ScheduleConfig[4] = {
    {.name = STR_INIT("minReservedMembers"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Parties that must get their room together; all when absent."), .rules = &rules_min_1_0},
    {.name = STR_INIT("resourceReservedSeconds"), .type = &schema_int32, .doc = STR_INIT("How long room is held for others; 30 when absent.")},
    {.name = STR_INIT("lifecycleSeconds"), .type = &schema_int32, .doc = STR_INIT("How long it may wait at all; 300 when absent.")},
    {.name = STR_INIT("retryIntervalSeconds"), .type = &schema_int32, .doc = STR_INIT("How long until it is tried again; 30 when absent.")}};
const struct schema_type schema_kuscia_v1alpha1_ScheduleConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScheduleConfig"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ScheduleConfig"), .doc = STR_INIT("How long a task waits for room, and for how many."), .fields = fields_ScheduleConfig, .nfields = 4};

static const struct schema_field fields_Party[5] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role; chooses the template of the AppImage.")},
    {.name = STR_INIT("resources"), .type = &schema_kuscia_v1alpha1_Resources, .flags = SCHEMA_POINTER, .doc = STR_INIT("What its part needs and may use, all pods together.")},
    {.name = STR_INIT("bandwidthRequest"), .type = &schema_bandwidth, .doc = STR_INIT("Bandwidth that each of its pods needs: 200Mbps for both ends, or egress=200Mbps,ingress=1G.")},
    {.name = STR_INIT("bandwidthLimits"), .type = &list_BandwidthLimit, .doc = STR_INIT("How fast it may send to others.")}};
static const uint8_t index_Party[16] = {0, 0, 3, 0, 1, 0, 5, 0, 0, 2, 0, 0, 0, 0, 0, 4};
const struct schema_type schema_kuscia_v1alpha1_Party = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Party"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Party"), .doc = STR_INIT("A domain that takes part in a task."), .fields = fields_Party, .nfields = 5, .index8 = index_Party, .index_mask = 15};

static const struct schema_field fields_Resources[3] = {
    {.name = STR_INIT("limits"), .type = &map_quantity, .doc = STR_INIT("What it may use at most.")},
    {.name = STR_INIT("requests"), .type = &map_quantity, .doc = STR_INIT("What it needs.")},
    {.name = STR_INIT("claims"), .type = &list_core_v1_ResourceClaim_map_name, .doc = STR_INIT("Devices that it claims.")}};
const struct schema_type schema_kuscia_v1alpha1_Resources = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Resources"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Resources"), .doc = STR_INIT("What is needed and may be used; what is given as one of the two alone stands for both where they must be the same."), .fields = fields_Resources, .nfields = 3};

static const struct schema_field fields_BandwidthLimit[2] = {
    {.name = STR_INIT("destinationID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that is sent to.")},
    {.name = STR_INIT("limitKBps"), .type = &schema_int64, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("KiB a second.")}};
const struct schema_type schema_kuscia_v1alpha1_BandwidthLimit = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BandwidthLimit"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.BandwidthLimit"), .doc = STR_INIT("How fast a party may send to another."), .fields = fields_BandwidthLimit, .nfields = 2};

static const struct schema_field fields_KusciaJobStatus[11] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("initialized, AwaitingApproval, Pending, Running, Suspended, Succeeded, Failed, Cancelled or ApprovalReject.")},
    {.name = STR_INIT("approveStatus"), .type = &map_string, .doc = STR_INIT("Answer of each domain: JobAccepted or JobRejected.")},
    {.name = STR_INIT("stageStatus"), .type = &map_string, .doc = STR_INIT("What became of the last stage in each domain, such as JobCreateStageSucceeded.")},
    {.name = STR_INIT("conditions"), .type = &list_JobCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the phase, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("partyTaskCreateStatus"), .type = &map_list_PartyStatus, .doc = STR_INIT("Whether each domain could make its tasks.")},
    {.name = STR_INIT("taskStatus"), .type = &map_string, .doc = STR_INIT("Phase of each task that was started, by task id.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastReconcileTime"), .type = &schema_time, .doc = STR_INIT("When its state last changed.")}};
static const uint8_t index_KusciaJobStatus[32] = {0, 0, 0, 0, 2, 6, 7, 0, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 11, 0, 0, 0, 8, 3, 1, 4, 5, 10, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobStatus"), .doc = STR_INIT("How far a job is."), .fields = fields_KusciaJobStatus, .nfields = 11, .index8 = index_KusciaJobStatus, .index_mask = 31};

static const struct schema_field fields_JobCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Aspect.")},
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the last change, for people.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")}};
static const uint8_t index_JobCondition[16] = {0, 0, 0, 0, 4, 0, 0, 5, 0, 3, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_kuscia_v1alpha1_JobCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("JobCondition"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.JobCondition"), .doc = STR_INIT("One aspect of the state."), .fields = fields_JobCondition, .nfields = 5, .index8 = index_JobCondition, .index_mask = 15};

static const struct schema_field fields_PartyStatus[4] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role.")},
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("How far it is.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation, for people.")}};
const struct schema_type schema_kuscia_v1alpha1_PartyStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartyStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.PartyStatus"), .doc = STR_INIT("How far one party is."), .fields = fields_PartyStatus, .nfields = 4};

static const struct schema_field fields_KusciaJobSummary[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_KusciaJobSummarySpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaJobStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_KusciaJobSummary[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobSummary = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobSummary"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobSummary"), .doc = STR_INIT("A job as another control plane sees it."), .fields = fields_KusciaJobSummary, .nfields = 5, .index8 = index_KusciaJobSummary, .index_mask = 15};

static const struct schema_field fields_KusciaJobSummarySpec[2] = {
    {.name = STR_INIT("stage"), .type = &schema_string, .dflt = STR_INIT("\"Create\""), .doc = STR_INIT("The stage."), .rules = &rules_enums_Create_Start_Stop_Cancel_Restart_Suspend},
    {.name = STR_INIT("stageTrigger"), .type = &schema_string, .doc = STR_INIT("Domain that asked for it.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobSummarySpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobSummarySpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobSummarySpec"), .doc = STR_INIT("The stage of a job, and who asked for it."), .fields = fields_KusciaJobSummarySpec, .nfields = 2};

static const struct schema_field fields_KusciaTask[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_KusciaTaskSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaTaskStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_KusciaTask[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_KusciaTask = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTask"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTask"), .doc = STR_INIT("A task of several parties: each runs its part, all of them at the same time."), .fields = fields_KusciaTask, .nfields = 5, .index8 = index_KusciaTask, .index_mask = 15};

static const struct schema_field fields_KusciaTaskSpec[5] = {
    {.name = STR_INIT("initiator"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that wants the task.")},
    {.name = STR_INIT("taskInputConfig"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the program is to do; handed on as it is.")},
    {.name = STR_INIT("scheduleConfig"), .type = &schema_kuscia_v1alpha1_ScheduleConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long it waits for room, and for how many.")},
    {.name = STR_INIT("parties"), .type = &list_TaskParty, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Who takes part.")},
    {.name = STR_INIT("bandwidthRequest"), .type = &list_quantity, .doc = STR_INIT("Bandwidth in bit/s that each pod needs: one amount for each party, in their order, or one for all; 0 for none.")}};
static const uint8_t index_KusciaTaskSpec[16] = {5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 3, 0, 0, 2, 4};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskSpec"), .doc = STR_INIT("The parties of a task and what they do."), .fields = fields_KusciaTaskSpec, .nfields = 5, .index8 = index_KusciaTaskSpec, .index_mask = 15};

static const struct schema_field fields_TaskParty[7] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("appImageRef"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("AppImage that it runs.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role; chooses the template of the AppImage.")},
    {.name = STR_INIT("minReservedPods"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must get their room together; all when absent."), .rules = &rules_min_0_0},
    {.name = STR_INIT("template"), .type = &schema_kuscia_v1alpha1_PartyTemplate, .flags = SCHEMA_POINTER, .doc = STR_INIT("What replaces parts of the AppImage's template.")},
    {.name = STR_INIT("bandwidthRequest"), .type = &schema_bandwidth, .doc = STR_INIT("Bandwidth that each of its pods needs: 200Mbps for both ends, or egress=200Mbps,ingress=1G.")},
    {.name = STR_INIT("bandwidthLimits"), .type = &list_BandwidthLimit, .doc = STR_INIT("How fast it may send to others.")}};
static const uint8_t index_TaskParty[16] = {6, 0, 0, 0, 1, 0, 7, 0, 0, 3, 0, 5, 0, 0, 2, 4};
const struct schema_type schema_kuscia_v1alpha1_TaskParty = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskParty"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskParty"), .doc = STR_INIT("A domain that takes part in a task, and its pods."), .fields = fields_TaskParty, .nfields = 7, .index8 = index_TaskParty, .index_mask = 15};

static const struct schema_field fields_PartyTemplate[3] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods."), .rules = &rules_min_0_0},
    {.name = STR_INIT("restartPolicy"), .type = &schema_string, .doc = STR_INIT("As in spec, where Kuscia's own example has it."), .rules = &rules_enums_Always_OnFailure_Never},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_PodSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("The pod.")}};
const struct schema_type schema_kuscia_v1alpha1_PartyTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartyTemplate"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.PartyTemplate"), .doc = STR_INIT("What replaces parts of the AppImage's template."), .fields = fields_PartyTemplate, .nfields = 3};

static const struct schema_field fields_KusciaTaskStatus[12] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, Running, Succeeded or Failed.")},
    {.name = STR_INIT("progress"), .type = &schema_double, .doc = STR_INIT("How much of it is done, from 0 to 1, as the program reports it.")},
    {.name = STR_INIT("partyTaskStatus"), .type = &list_PartyStatus, .doc = STR_INIT("How far each party is.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the phase, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("conditions"), .type = &list_JobCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("podStatuses"), .type = &map_TaskPodStatus, .doc = STR_INIT("Its pods, by namespace and name.")},
    {.name = STR_INIT("serviceStatuses"), .type = &map_TaskServiceStatus, .doc = STR_INIT("Its services, by namespace and name.")},
    {.name = STR_INIT("allocatedPorts"), .type = &list_PartyPorts, .doc = STR_INIT("Numbers of ports that were chosen.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastReconcileTime"), .type = &schema_time, .doc = STR_INIT("When its state last changed.")}};
static const uint8_t index_KusciaTaskStatus[32] = {3, 0, 0, 0, 5, 0, 2, 8, 0, 0, 9, 0, 0, 0, 7, 10, 0, 0, 12, 0, 0, 0, 11, 6, 1, 4, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskStatus"), .doc = STR_INIT("How far a task is."), .fields = fields_KusciaTaskStatus, .nfields = 12, .index8 = index_KusciaTaskStatus, .index_mask = 31};

static const struct schema_field fields_TaskPodStatus[11] = {
    {.name = STR_INIT("podName"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name.")},
    {.name = STR_INIT("podPhase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Phase.")},
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Namespace.")},
    {.name = STR_INIT("nodeName"), .type = &schema_string, .doc = STR_INIT("Node that it is on.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("terminationLog"), .type = &schema_string, .doc = STR_INIT("What its containers said when they ended.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the phase, as one word for programs.")},
    {.name = STR_INIT("createTime"), .type = &schema_time, .doc = STR_INIT("When it was created.")},
    {.name = STR_INIT("scheduleTime"), .type = &schema_time, .doc = STR_INIT("When it got a node.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("readyTime"), .type = &schema_time, .doc = STR_INIT("When it became ready.")}};
static const uint8_t index_TaskPodStatus[32] = {3, 0, 0, 2, 5, 0, 0, 1, 0, 0, 0, 0, 0, 9, 4, 10, 0, 0, 0, 0, 0, 6, 11, 0, 0, 7, 0, 0, 8, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_TaskPodStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskPodStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskPodStatus"), .doc = STR_INIT("One pod of a task."), .fields = fields_TaskPodStatus, .nfields = 11, .index8 = index_TaskPodStatus, .index_mask = 31};

static const struct schema_field fields_TaskServiceStatus[9] = {
    {.name = STR_INIT("namespace"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Namespace.")},
    {.name = STR_INIT("serviceName"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name.")},
    {.name = STR_INIT("portName"), .type = &schema_string, .doc = STR_INIT("Port of the container that it leads to.")},
    {.name = STR_INIT("portNumber"), .type = &schema_int32, .doc = STR_INIT("Number of that port.")},
    {.name = STR_INIT("scope"), .type = &schema_string, .doc = STR_INIT("Who may reach it.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of a failure, as one word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of a failure, for people.")},
    {.name = STR_INIT("createTime"), .type = &schema_time, .doc = STR_INIT("When it was created.")},
    {.name = STR_INIT("readyTime"), .type = &schema_time, .doc = STR_INIT("When the gateway had it ready.")}};
static const uint8_t index_TaskServiceStatus[32] = {1, 0, 0, 0, 7, 3, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 4, 0, 9, 0, 0, 0, 6, 0, 0, 8, 0, 0, 2};
const struct schema_type schema_kuscia_v1alpha1_TaskServiceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskServiceStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskServiceStatus"), .doc = STR_INIT("One service of a task."), .fields = fields_TaskServiceStatus, .nfields = 9, .index8 = index_TaskServiceStatus, .index_mask = 31};

static const struct schema_field fields_PartyPorts[3] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role.")},
    {.name = STR_INIT("namedPort"), .type = &map_int32, .doc = STR_INIT("Numbers by pod and name of the port: task-0/client.")}};
const struct schema_type schema_kuscia_v1alpha1_PartyPorts = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartyPorts"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.PartyPorts"), .doc = STR_INIT("Numbers of ports that were chosen for one party."), .fields = fields_PartyPorts, .nfields = 3};

static const struct schema_field fields_KusciaTaskSummary[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_KusciaTaskSummarySpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaTaskSummaryStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_KusciaTaskSummary[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskSummary = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskSummary"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskSummary"), .doc = STR_INIT("A task as another control plane sees it."), .fields = fields_KusciaTaskSummary, .nfields = 5, .index8 = index_KusciaTaskSummary, .index_mask = 15};

static const struct schema_field fields_KusciaTaskSummarySpec[2] = {
    {.name = STR_INIT("alias"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Its name within the job.")},
    {.name = STR_INIT("jobID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The job.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskSummarySpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskSummarySpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskSummarySpec"), .doc = STR_INIT("Which task it is."), .fields = fields_KusciaTaskSummarySpec, .nfields = 2};

static const struct schema_field fields_KusciaTaskSummaryStatus[13] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, Running, Succeeded or Failed.")},
    {.name = STR_INIT("progress"), .type = &schema_double, .doc = STR_INIT("How much of it is done, from 0 to 1, as the program reports it.")},
    {.name = STR_INIT("partyTaskStatus"), .type = &list_PartyStatus, .doc = STR_INIT("How far each party is.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the phase, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("conditions"), .type = &list_JobCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("podStatuses"), .type = &map_TaskPodStatus, .doc = STR_INIT("Its pods, by namespace and name.")},
    {.name = STR_INIT("serviceStatuses"), .type = &map_TaskServiceStatus, .doc = STR_INIT("Its services, by namespace and name.")},
    {.name = STR_INIT("allocatedPorts"), .type = &list_PartyPorts, .doc = STR_INIT("Numbers of ports that were chosen.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastReconcileTime"), .type = &schema_time, .doc = STR_INIT("When its state last changed.")},
    {.name = STR_INIT("resourceStatus"), .type = &map_list_SummaryResourceStatus, .doc = STR_INIT("The room of each domain's parties.")}};
static const uint8_t index_KusciaTaskSummaryStatus[32] = {3, 0, 0, 0, 5, 0, 2, 8, 0, 0, 9, 0, 0, 0, 7, 10, 0, 0, 12, 0, 0, 0, 11, 6, 1, 4, 0, 0, 0, 0, 0, 13};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskSummaryStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskSummaryStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskSummaryStatus"), .doc = STR_INIT("How far a task is, and the room of each party."), .fields = fields_KusciaTaskSummaryStatus, .nfields = 13, .index8 = index_KusciaTaskSummaryStatus, .index_mask = 31};

static const struct schema_field fields_SummaryResourceStatus[10] = {
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role.")},
    {.name = STR_INIT("hostTaskResourceName"), .type = &schema_string, .doc = STR_INIT("TaskResource with the one who schedules.")},
    {.name = STR_INIT("hostTaskResourceVersion"), .type = &schema_string, .doc = STR_INIT("Its version.")},
    {.name = STR_INIT("memberTaskResourceName"), .type = &schema_string, .doc = STR_INIT("TaskResource with the party.")},
    {.name = STR_INIT("memberTaskResourceVersion"), .type = &schema_string, .doc = STR_INIT("Its version.")},
    {.name = STR_INIT("phase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("How far it is.")},
    {.name = STR_INIT("conditions"), .type = &list_ReserveCondition, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the phase last changed.")}};
static const uint8_t index_SummaryResourceStatus[32] = {0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 4, 0, 0, 0, 0, 5, 7, 6, 1, 9, 10, 0, 2, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_SummaryResourceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("SummaryResourceStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.SummaryResourceStatus"), .doc = STR_INIT("The room of one party."), .fields = fields_SummaryResourceStatus, .nfields = 10, .index8 = index_SummaryResourceStatus, .index_mask = 31};

static const struct schema_field fields_TaskResourceGroup[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_TaskResourceGroupSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_TaskResourceGroupStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_TaskResourceGroup[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceGroup"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceGroup"), .doc = STR_INIT("The room that all parties of a task need at the same time."), .fields = fields_TaskResourceGroup, .nfields = 5, .index8 = index_TaskResourceGroup, .index_mask = 15};

static const struct schema_field fields_TaskResourceGroupSpec[7] = {
    {.name = STR_INIT("minReservedMembers"), .type = &schema_int32, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Parties that must get their room together."), .rules = &rules_min_1_0},
    {.name = STR_INIT("resourceReservedSeconds"), .type = &schema_int32, .doc = STR_INIT("How long room is held for others.")},
    {.name = STR_INIT("retryIntervalSeconds"), .type = &schema_int32, .doc = STR_INIT("How long until it is tried again.")},
    {.name = STR_INIT("lifecycleSeconds"), .type = &schema_int32, .doc = STR_INIT("How long it may wait at all.")},
    {.name = STR_INIT("initiator"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that wants the task.")},
    {.name = STR_INIT("parties"), .type = &list_GroupParty, .doc = STR_INIT("Parties of this control plane.")},
    {.name = STR_INIT("outOfControlledParties"), .type = &list_GroupParty, .doc = STR_INIT("Parties of others.")}};
static const uint8_t index_TaskResourceGroupSpec[16] = {0, 0, 2, 0, 0, 0, 0, 0, 7, 3, 1, 5, 4, 0, 0, 6};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceGroupSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceGroupSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceGroupSpec"), .doc = STR_INIT("The parties and how long they wait."), .fields = fields_TaskResourceGroupSpec, .nfields = 7, .index8 = index_TaskResourceGroupSpec, .index_mask = 15};

static const struct schema_field fields_GroupParty[5] = {
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role.")},
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("minReservedPods"), .type = &schema_int32, .doc = STR_INIT("Pods that must get their room together."), .rules = &rules_min_0_0},
    {.name = STR_INIT("pods"), .type = &list_GroupPod, .doc = STR_INIT("Its pods.")},
    {.name = STR_INIT("taskResourceName"), .type = &schema_string, .doc = STR_INIT("TaskResource of the party.")}};
static const uint8_t index_GroupParty[16] = {0, 0, 0, 5, 2, 0, 0, 0, 0, 1, 0, 0, 0, 4, 0, 3};
const struct schema_type schema_kuscia_v1alpha1_GroupParty = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GroupParty"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GroupParty"), .doc = STR_INIT("One party and its pods."), .fields = fields_GroupParty, .nfields = 5, .index8 = index_GroupParty, .index_mask = 15};

static const struct schema_field fields_GroupPod[1] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name.")}};
const struct schema_type schema_kuscia_v1alpha1_GroupPod = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GroupPod"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GroupPod"), .doc = STR_INIT("A pod of a party."), .fields = fields_GroupPod, .nfields = 1};

static const struct schema_field fields_TaskResourceGroupStatus[6] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Pending, Creating, Reserving, Reserved, ReserveFailed or Failed.")},
    {.name = STR_INIT("retryCount"), .type = &schema_int32, .doc = STR_INIT("Tries that failed.")},
    {.name = STR_INIT("conditions"), .type = &list_ReserveCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the phase last changed.")}};
static const uint8_t index_TaskResourceGroupStatus[16] = {2, 0, 0, 0, 0, 0, 5, 3, 1, 6, 0, 0, 0, 0, 4, 0};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceGroupStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceGroupStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceGroupStatus"), .doc = STR_INIT("How far it is."), .fields = fields_TaskResourceGroupStatus, .nfields = 6, .index8 = index_TaskResourceGroupStatus, .index_mask = 15};

static const struct schema_field fields_ReserveCondition[4] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Aspect.")},
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the last change, for people.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")}};
const struct schema_type schema_kuscia_v1alpha1_ReserveCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReserveCondition"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ReserveCondition"), .doc = STR_INIT("One aspect of the state."), .fields = fields_ReserveCondition, .nfields = 4};

static const struct schema_field fields_TaskResource[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_TaskResourceSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_TaskResourceStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_TaskResource[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_TaskResource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResource"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResource"), .doc = STR_INIT("The room that one party of a task needs."), .fields = fields_TaskResource, .nfields = 5, .index8 = index_TaskResource, .index_mask = 15};

static const struct schema_field fields_TaskResourceSpec[5] = {
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role.")},
    {.name = STR_INIT("minReservedPods"), .type = &schema_int32, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Pods that must get their room together."), .rules = &rules_min_1_0},
    {.name = STR_INIT("resourceReservedSeconds"), .type = &schema_int32, .doc = STR_INIT("How long room is held for others.")},
    {.name = STR_INIT("initiator"), .type = &schema_string, .doc = STR_INIT("Domain that wants the task.")},
    {.name = STR_INIT("pods"), .type = &list_ResourcePod, .doc = STR_INIT("The pods.")}};
static const uint8_t index_TaskResourceSpec[16] = {0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 4, 0, 0, 5, 0, 2};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceSpec"), .doc = STR_INIT("The pods of one party and what they need."), .fields = fields_TaskResourceSpec, .nfields = 5, .index8 = index_TaskResourceSpec, .index_mask = 15};

static const struct schema_field fields_ResourcePod[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name.")},
    {.name = STR_INIT("resources"), .type = &schema_kuscia_v1alpha1_Resources, .flags = SCHEMA_POINTER, .doc = STR_INIT("What it needs, all containers together.")}};
const struct schema_type schema_kuscia_v1alpha1_ResourcePod = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourcePod"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ResourcePod"), .doc = STR_INIT("A pod and what it needs."), .fields = fields_ResourcePod, .nfields = 2};

static const struct schema_field fields_TaskResourceStatus[5] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Pending, Reserving, Reserved, Schedulable or Failed.")},
    {.name = STR_INIT("conditions"), .type = &list_ReserveCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("startTime"), .type = &schema_time, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("completionTime"), .type = &schema_time, .doc = STR_INIT("When it ended.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the phase last changed.")}};
static const uint8_t index_TaskResourceStatus[16] = {0, 0, 0, 0, 0, 0, 4, 2, 1, 5, 0, 0, 0, 0, 3, 0};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceStatus"), .doc = STR_INIT("How far it is."), .fields = fields_TaskResourceStatus, .nfields = 5, .index8 = index_TaskResourceStatus, .index_mask = 15};

static const struct schema_field fields_KusciaDeployment[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_KusciaDeploymentSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaDeploymentStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_KusciaDeployment[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeployment = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeployment"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeployment"), .doc = STR_INIT("A service of several parties that runs until it is deleted."), .fields = fields_KusciaDeployment, .nfields = 5, .index8 = index_KusciaDeployment, .index_mask = 15};

static const struct schema_field fields_KusciaDeploymentSpec[3] = {
    {.name = STR_INIT("initiator"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that wants the service.")},
    {.name = STR_INIT("inputConfig"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What the program is to do; handed on as it is.")},
    {.name = STR_INIT("parties"), .type = &list_DeploymentParty, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Who takes part.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeploymentSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeploymentSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeploymentSpec"), .doc = STR_INIT("The parties of a service and what they run."), .fields = fields_KusciaDeploymentSpec, .nfields = 3};

static const struct schema_field fields_DeploymentParty[5] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")},
    {.name = STR_INIT("appImageRef"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("AppImage that it runs.")},
    {.name = STR_INIT("role"), .type = &schema_string, .doc = STR_INIT("Its role; chooses the template of the AppImage.")},
    {.name = STR_INIT("serviceNamePrefix"), .type = &schema_string, .doc = STR_INIT("What its services' names begin with.")},
    {.name = STR_INIT("template"), .type = &schema_kuscia_v1alpha1_DeploymentTemplate, .flags = SCHEMA_POINTER, .doc = STR_INIT("What replaces parts of the AppImage's template.")}};
static const uint8_t index_DeploymentParty[16] = {0, 0, 0, 4, 1, 0, 0, 0, 0, 3, 0, 5, 0, 0, 2, 0};
const struct schema_type schema_kuscia_v1alpha1_DeploymentParty = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentParty"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DeploymentParty"), .doc = STR_INIT("A domain that takes part in a service, and its pods."), .fields = fields_DeploymentParty, .nfields = 5, .index8 = index_DeploymentParty, .index_mask = 15};

static const struct schema_field fields_DeploymentTemplate[3] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods."), .rules = &rules_min_0_0},
    {.name = STR_INIT("strategy"), .type = &schema_apps_v1_DeploymentStrategy, .flags = SCHEMA_POINTER, .doc = STR_INIT("How changes are rolled out.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_PodSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("The pod.")}};
const struct schema_type schema_kuscia_v1alpha1_DeploymentTemplate = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DeploymentTemplate"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DeploymentTemplate"), .doc = STR_INIT("What replaces parts of the AppImage's template."), .fields = fields_DeploymentTemplate, .nfields = 3};

static const struct schema_field fields_KusciaDeploymentStatus[8] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Progressing, PartialAvailable, Available or Failed.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the phase, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("totalParties"), .type = &schema_int32, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Parties.")},
    {.name = STR_INIT("availableParties"), .type = &schema_int32, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Parties whose part can be used.")},
    {.name = STR_INIT("partyDeploymentStatuses"), .type = &map_PartyDeployments, .doc = STR_INIT("The parts, by domain and name of the Deployment.")},
    {.name = STR_INIT("allocatedPorts"), .type = &list_PartyPorts, .doc = STR_INIT("Numbers of ports that were chosen.")},
    {.name = STR_INIT("lastReconcileTime"), .type = &schema_time, .doc = STR_INIT("When its state last changed.")}};
static const uint8_t index_KusciaDeploymentStatus[16] = {0, 0, 6, 8, 3, 0, 0, 4, 1, 2, 5, 7, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeploymentStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeploymentStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeploymentStatus"), .doc = STR_INIT("How far a service is."), .fields = fields_KusciaDeploymentStatus, .nfields = 8, .index8 = index_KusciaDeploymentStatus, .index_mask = 15};

const struct schema_type schema_kuscia_v1alpha1_PartyDeployments = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PartyDeployments"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.PartyDeployments"), .doc = STR_INIT("How far the Deployments of one domain are, by name: phase, role, replicas and how many of them can be used."), .preserve_unknown = true};

static const struct schema_field fields_KusciaDeploymentSummary[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_KusciaDeploymentStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeploymentSummary = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeploymentSummary"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeploymentSummary"), .doc = STR_INIT("A service as another control plane sees it."), .fields = fields_KusciaDeploymentSummary, .nfields = 4};

static const struct schema_field fields_DomainRoute[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_RouteSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_DomainRouteStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_DomainRoute[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_DomainRoute = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainRoute"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainRoute"), .doc = STR_INIT("A way from one domain to another, as one of them sees it."), .fields = fields_DomainRoute, .nfields = 5, .index8 = index_DomainRoute, .index_mask = 15};

static const struct schema_field fields_ClusterDomainRoute[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_RouteSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_ClusterDomainRouteStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_ClusterDomainRoute[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_ClusterDomainRoute = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterDomainRoute"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ClusterDomainRoute"), .doc = STR_INIT("A way from one domain to another."), .fields = fields_ClusterDomainRoute, .nfields = 5, .index8 = index_ClusterDomainRoute, .index_mask = 15};

static const struct schema_field fields_RouteSpec[12] = {
    {.name = STR_INIT("source"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that calls.")},
    {.name = STR_INIT("destination"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that is called.")},
    {.name = STR_INIT("interConnProtocol"), .type = &schema_string, .doc = STR_INIT("What is spoken: kuscia or bfia.")},
    {.name = STR_INIT("endpoint"), .type = &schema_kuscia_v1alpha1_RouteEndpoint, .flags = SCHEMA_POINTER, .doc = STR_INIT("Where the gateway of the destination is.")},
    {.name = STR_INIT("transit"), .type = &schema_kuscia_v1alpha1_RouteTransit, .flags = SCHEMA_POINTER, .doc = STR_INIT("A detour.")},
    {.name = STR_INIT("authenticationType"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How the source proves who it is."), .rules = &rules_enums_Token_MTLS_None},
    {.name = STR_INIT("tokenConfig"), .type = &schema_kuscia_v1alpha1_RouteTokenConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("How tokens are made.")},
    {.name = STR_INIT("bodyEncryption"), .type = &schema_kuscia_v1alpha1_RouteEncryption, .flags = SCHEMA_POINTER, .doc = STR_INIT("How bodies are encrypted on the way.")},
    {.name = STR_INIT("mTLSConfig"), .type = &schema_kuscia_v1alpha1_RouteTLSConfig, .flags = SCHEMA_POINTER, .doc = STR_INIT("Certificates of the source.")},
    {.name = STR_INIT("sourceWhiteIPList"), .type = &list_string, .doc = STR_INIT("Addresses that the source may call from.")},
    {.name = STR_INIT("requestHeadersToAdd"), .type = &map_string, .doc = STR_INIT("Headers that the destination adds.")},
    {.name = STR_INIT("bandwidth"), .type = &schema_bandwidth, .doc = STR_INIT("What the way can carry, such as 100Mbps; without end when absent.")}};
static const uint8_t index_RouteSpec[32] = {3, 0, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 8, 0, 0, 0, 0, 0, 12, 9, 5, 10, 0, 0, 1, 11, 0, 0, 4, 7, 0, 2};
const struct schema_type schema_kuscia_v1alpha1_RouteSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteSpec"), .doc = STR_INIT("From where to where, and how."), .fields = fields_RouteSpec, .nfields = 12, .index8 = index_RouteSpec, .index_mask = 31};

static const struct schema_field fields_RouteEndpoint[2] = {
    {.name = STR_INIT("host"), .type = &schema_string, .doc = STR_INIT("Name or address.")},
    {.name = STR_INIT("ports"), .type = &list_RoutePort, .doc = STR_INIT("Its ports.")}};
const struct schema_type schema_kuscia_v1alpha1_RouteEndpoint = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteEndpoint"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteEndpoint"), .doc = STR_INIT("Where a gateway is."), .fields = fields_RouteEndpoint, .nfields = 2};

static const struct schema_field fields_RoutePort[5] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name.")},
    {.name = STR_INIT("protocol"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("What is spoken."), .rules = &rules_enums_HTTP_GRPC},
    {.name = STR_INIT("pathPrefix"), .type = &schema_string, .doc = STR_INIT("Path that calls begin with.")},
    {.name = STR_INIT("isTLS"), .type = &schema_bool, .doc = STR_INIT("Whether it speaks TLS.")},
    {.name = STR_INIT("port"), .type = &schema_int32, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number."), .rules = &rules_min_1_0_max_65535_0}};
static const uint8_t index_RoutePort[16] = {0, 0, 0, 0, 0, 2, 1, 5, 0, 0, 3, 4, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_RoutePort = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RoutePort"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RoutePort"), .doc = STR_INIT("A port of a gateway."), .fields = fields_RoutePort, .nfields = 5, .index8 = index_RoutePort, .index_mask = 15};

static const struct schema_field fields_RouteTransit[2] = {
    {.name = STR_INIT("transitMethod"), .type = &schema_string, .doc = STR_INIT("Through a third domain, or through connections that the destination opens."), .rules = &rules_enums_THIRD_DOMAIN_REVERSE_TUNNEL},
    {.name = STR_INIT("domain"), .type = &schema_kuscia_v1alpha1_TransitDomain, .flags = SCHEMA_POINTER, .doc = STR_INIT("The third domain.")}};
const struct schema_type schema_kuscia_v1alpha1_RouteTransit = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteTransit"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteTransit"), .doc = STR_INIT("A detour."), .fields = fields_RouteTransit, .nfields = 2};

static const struct schema_field fields_TransitDomain[1] = {
    {.name = STR_INIT("domainID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The domain.")}};
const struct schema_type schema_kuscia_v1alpha1_TransitDomain = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TransitDomain"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TransitDomain"), .doc = STR_INIT("A domain on the way."), .fields = fields_TransitDomain, .nfields = 1};

static const struct schema_field fields_RouteTokenConfig[4] = {
    {.name = STR_INIT("sourcePublicKey"), .type = &schema_string, .doc = STR_INIT("Key of the source.")},
    {.name = STR_INIT("destinationPublicKey"), .type = &schema_string, .doc = STR_INIT("Key of the destination.")},
    {.name = STR_INIT("rollingUpdatePeriod"), .type = &schema_int32, .doc = STR_INIT("Seconds until a token is replaced; 0: never."), .rules = &rules_min_0_0},
    {.name = STR_INIT("tokenGenMethod"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Who makes which part."), .rules = &rules_enums_RSA_GEN_UID_RSA_GEN}};
const struct schema_type schema_kuscia_v1alpha1_RouteTokenConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteTokenConfig"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteTokenConfig"), .doc = STR_INIT("How tokens are made."), .fields = fields_RouteTokenConfig, .nfields = 4};

static const struct schema_field fields_RouteEncryption[1] = {
    {.name = STR_INIT("algorithm"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The cipher."), .rules = &rules_enums_AES_SM4}};
const struct schema_type schema_kuscia_v1alpha1_RouteEncryption = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteEncryption"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteEncryption"), .doc = STR_INIT("How bodies are encrypted on the way."), .fields = fields_RouteEncryption, .nfields = 1};

static const struct schema_field fields_RouteTLSConfig[3] = {
    {.name = STR_INIT("tlsCA"), .type = &schema_string, .doc = STR_INIT("Whom the source believes.")},
    {.name = STR_INIT("sourceClientPrivateKey"), .type = &schema_string, .doc = STR_INIT("Its key.")},
    {.name = STR_INIT("sourceClientCert"), .type = &schema_string, .doc = STR_INIT("Its certificate.")}};
const struct schema_type schema_kuscia_v1alpha1_RouteTLSConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteTLSConfig"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteTLSConfig"), .doc = STR_INIT("Certificates of the source, each PEM in base64."), .fields = fields_RouteTLSConfig, .nfields = 3};

static const struct schema_field fields_DomainRouteStatus[3] = {
    {.name = STR_INIT("isDestinationAuthorized"), .type = &schema_bool, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The destination knows the source.")},
    {.name = STR_INIT("isDestinationUnreachable"), .type = &schema_bool, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The destination does not answer.")},
    {.name = STR_INIT("tokenStatus"), .type = &schema_kuscia_v1alpha1_DomainRouteTokenStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("The tokens.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainRouteStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainRouteStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainRouteStatus"), .doc = STR_INIT("How far a way is."), .fields = fields_DomainRouteStatus, .nfields = 3};

static const struct schema_field fields_DomainRouteTokenStatus[3] = {
    {.name = STR_INIT("revisionInitializer"), .type = &schema_string, .doc = STR_INIT("Gateway that makes the next token.")},
    {.name = STR_INIT("revisionToken"), .type = &schema_kuscia_v1alpha1_RouteToken, .flags = SCHEMA_POINTER, .doc = STR_INIT("The token in the making.")},
    {.name = STR_INIT("tokens"), .type = &list_RouteToken, .doc = STR_INIT("Tokens that hold; the last two.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainRouteTokenStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainRouteTokenStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainRouteTokenStatus"), .doc = STR_INIT("Tokens of one side."), .fields = fields_DomainRouteTokenStatus, .nfields = 3};

static const struct schema_field fields_RouteToken[7] = {
    {.name = STR_INIT("isReady"), .type = &schema_bool, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("All gateways have it.")},
    {.name = STR_INIT("token"), .type = &schema_string, .doc = STR_INIT("The token, encrypted.")},
    {.name = STR_INIT("revision"), .type = &schema_int64, .doc = STR_INIT("Its number.")},
    {.name = STR_INIT("revisionTime"), .type = &schema_time, .doc = STR_INIT("When it was made.")},
    {.name = STR_INIT("expirationTime"), .type = &schema_time, .doc = STR_INIT("When it ends.")},
    {.name = STR_INIT("heartBeatTime"), .type = &schema_time, .doc = STR_INIT("When it was last used.")},
    {.name = STR_INIT("effectiveInstances"), .type = &list_string, .doc = STR_INIT("Gateways that have it.")}};
static const uint8_t index_RouteToken[16] = {0, 4, 2, 5, 1, 0, 6, 0, 3, 0, 7, 0, 0, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_RouteToken = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteToken"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteToken"), .doc = STR_INIT("A token."), .fields = fields_RouteToken, .nfields = 7, .index8 = index_RouteToken, .index_mask = 15};

static const struct schema_field fields_ClusterDomainRouteStatus[3] = {
    {.name = STR_INIT("conditions"), .type = &list_RouteCondition_map_type, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")},
    {.name = STR_INIT("tokenStatus"), .type = &schema_kuscia_v1alpha1_ClusterRouteTokenStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("The tokens.")},
    {.name = STR_INIT("endpointStatuses"), .type = &map_RouteEndpointStatus, .doc = STR_INIT("Which endpoints answer.")}};
const struct schema_type schema_kuscia_v1alpha1_ClusterDomainRouteStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterDomainRouteStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ClusterDomainRouteStatus"), .doc = STR_INIT("How far a way is."), .fields = fields_ClusterDomainRouteStatus, .nfields = 3};

static const struct schema_field fields_RouteCondition[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Aspect.")},
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Cause of the last change, as one word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the last change, for people.")},
    {.name = STR_INIT("lastUpdateTime"), .type = &schema_time, .doc = STR_INIT("When it was last written.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .doc = STR_INIT("When the status last flipped.")}};
static const uint8_t index_RouteCondition[16] = {0, 5, 0, 0, 4, 0, 0, 6, 0, 3, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_kuscia_v1alpha1_RouteCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteCondition"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteCondition"), .doc = STR_INIT("One aspect of the state."), .fields = fields_RouteCondition, .nfields = 6, .index8 = index_RouteCondition, .index_mask = 15};

static const struct schema_field fields_ClusterRouteTokenStatus[4] = {
    {.name = STR_INIT("revision"), .type = &schema_int64, .doc = STR_INIT("Number of the latest.")},
    {.name = STR_INIT("revisionTime"), .type = &schema_time, .doc = STR_INIT("When it was made.")},
    {.name = STR_INIT("sourceTokens"), .type = &list_RouteToken, .doc = STR_INIT("Those of the source.")},
    {.name = STR_INIT("destinationTokens"), .type = &list_RouteToken, .doc = STR_INIT("Those of the destination.")}};
const struct schema_type schema_kuscia_v1alpha1_ClusterRouteTokenStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterRouteTokenStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ClusterRouteTokenStatus"), .doc = STR_INIT("Tokens of both sides."), .fields = fields_ClusterRouteTokenStatus, .nfields = 4};

static const struct schema_field fields_RouteEndpointStatus[1] = {
    {.name = STR_INIT("endpointHealthy"), .type = &schema_bool, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("It does.")}};
const struct schema_type schema_kuscia_v1alpha1_RouteEndpointStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RouteEndpointStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.RouteEndpointStatus"), .doc = STR_INIT("Whether an endpoint answers."), .fields = fields_RouteEndpointStatus, .nfields = 1};

static const struct schema_field fields_Gateway[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_GatewayStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
const struct schema_type schema_kuscia_v1alpha1_Gateway = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Gateway"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.Gateway"), .doc = STR_INIT("A gateway of a domain."), .fields = fields_Gateway, .nfields = 4};

static const struct schema_field fields_GatewayStatus[6] = {
    {.name = STR_INIT("address"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Its address.")},
    {.name = STR_INIT("uptime"), .type = &schema_time, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was started.")},
    {.name = STR_INIT("heartbeatTime"), .type = &schema_time, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was last heard of.")},
    {.name = STR_INIT("publicKey"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Its key.")},
    {.name = STR_INIT("version"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Its version.")},
    {.name = STR_INIT("networkStatus"), .type = &list_GatewayNetworkStatus, .doc = STR_INIT("Where it can reach what.")}};
static const uint8_t index_GatewayStatus[16] = {6, 0, 0, 1, 0, 0, 3, 5, 0, 2, 0, 0, 0, 0, 0, 4};
const struct schema_type schema_kuscia_v1alpha1_GatewayStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GatewayStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GatewayStatus"), .doc = STR_INIT("What a gateway tells of itself."), .fields = fields_GatewayStatus, .nfields = 6, .index8 = index_GatewayStatus, .index_mask = 15};

static const struct schema_field fields_GatewayNetworkStatus[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("The target.")},
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What it is.")},
    {.name = STR_INIT("totalEndpointsCount"), .type = &schema_int32, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Endpoints.")},
    {.name = STR_INIT("healthyEndpointsCount"), .type = &schema_int32, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Endpoints that answer.")}};
const struct schema_type schema_kuscia_v1alpha1_GatewayNetworkStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GatewayNetworkStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GatewayNetworkStatus"), .doc = STR_INIT("What a gateway can reach of one target."), .fields = fields_GatewayNetworkStatus, .nfields = 4};

static const struct schema_field fields_InteropConfig[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_InteropConfigSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_kuscia_v1alpha1_InteropConfig = {.kind = SCHEMA_OBJECT, .name = STR_INIT("InteropConfig"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.InteropConfig"), .doc = STR_INIT("Which domains of this control plane another one schedules."), .fields = fields_InteropConfig, .nfields = 4};

static const struct schema_field fields_InteropConfigSpec[2] = {
    {.name = STR_INIT("host"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that schedules.")},
    {.name = STR_INIT("members"), .type = &list_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Domains that are scheduled.")}};
const struct schema_type schema_kuscia_v1alpha1_InteropConfigSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("InteropConfigSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.InteropConfigSpec"), .doc = STR_INIT("Who schedules whom."), .fields = fields_InteropConfigSpec, .nfields = 2};

static const struct schema_field fields_DomainData[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_DomainDataSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_DomainDataStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_DomainData[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_DomainData = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainData"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainData"), .doc = STR_INIT("What a domain has: a table, a model, a rule, a report."), .fields = fields_DomainData, .nfields = 5, .index8 = index_DomainData, .index_mask = 15};

static const struct schema_field fields_DomainDataSpec[10] = {
    {.name = STR_INIT("relativeURI"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Where it is in its source.")},
    {.name = STR_INIT("author"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Domain that it is of.")},
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What people call it.")},
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("table, model, rule, report and the like.")},
    {.name = STR_INIT("dataSource"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("DomainDataSource that it is in.")},
    {.name = STR_INIT("attributes"), .type = &map_string, .doc = STR_INIT("Whatever else is known.")},
    {.name = STR_INIT("partitions"), .type = &schema_kuscia_v1alpha1_DataPartition, .flags = SCHEMA_POINTER, .doc = STR_INIT("How it is cut into parts.")},
    {.name = STR_INIT("columns"), .type = &list_DataColumn, .doc = STR_INIT("Columns of a table.")},
    {.name = STR_INIT("vendor"), .type = &schema_string, .doc = STR_INIT("Who made the entry.")},
    {.name = STR_INIT("fileFormat"), .type = &schema_string, .doc = STR_INIT("Form of a file: csv, binary and the like.")}};
static const uint8_t index_DomainDataSpec[32] = {0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 10, 4, 7, 0, 0, 0, 0, 9, 6, 1, 2, 0, 5, 0, 0, 0, 8, 0, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_DomainDataSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataSpec"), .doc = STR_INIT("Where data is and what it looks like."), .fields = fields_DomainDataSpec, .nfields = 10, .index8 = index_DomainDataSpec, .index_mask = 31};

static const struct schema_field fields_DataPartition[2] = {
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("path or odps.")},
    {.name = STR_INIT("fields"), .type = &list_DataColumn, .doc = STR_INIT("Columns whose values are the parts.")}};
const struct schema_type schema_kuscia_v1alpha1_DataPartition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DataPartition"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DataPartition"), .doc = STR_INIT("How data is cut into parts."), .fields = fields_DataPartition, .nfields = 2};

static const struct schema_field fields_DataColumn[4] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name.")},
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Type of its values.")},
    {.name = STR_INIT("comment"), .type = &schema_string, .doc = STR_INIT("Explanation, for people.")},
    {.name = STR_INIT("notNullable"), .type = &schema_bool, .doc = STR_INIT("Every row has a value.")}};
const struct schema_type schema_kuscia_v1alpha1_DataColumn = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DataColumn"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DataColumn"), .doc = STR_INIT("A column."), .fields = fields_DataColumn, .nfields = 4};

static const struct schema_field fields_DomainDataStatus[2] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Available, Unavailable or Unknown.")},
    {.name = STR_INIT("conditions"), .type = &list_DataCondition, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainDataStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataStatus"), .doc = STR_INIT("Whether data can be used."), .fields = fields_DomainDataStatus, .nfields = 2};

static const struct schema_field fields_DataCondition[4] = {
    {.name = STR_INIT("status"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Cause of the last change, as one word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .doc = STR_INIT("Explanation of the last change, for people.")},
    {.name = STR_INIT("lastUpdateTime"), .type = &schema_time, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When it was last written.")}};
const struct schema_type schema_kuscia_v1alpha1_DataCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DataCondition"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DataCondition"), .doc = STR_INIT("One aspect of the state."), .fields = fields_DataCondition, .nfields = 4};

static const struct schema_field fields_DomainDataSource[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_DomainDataSourceSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_DomainDataStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_DomainDataSource[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_DomainDataSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataSource"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataSource"), .doc = STR_INIT("A place where a domain keeps data."), .fields = fields_DomainDataSource, .nfields = 5, .index8 = index_DomainDataSource, .index_mask = 15};

static const struct schema_field fields_DomainDataSourceSpec[6] = {
    {.name = STR_INIT("uri"), .type = &schema_string, .doc = STR_INIT("Where it is, without what is secret.")},
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("What people call it.")},
    {.name = STR_INIT("data"), .type = &map_string, .doc = STR_INIT("How it is reached, encrypted.")},
    {.name = STR_INIT("type"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("localfs, oss, mysql, postgresql, odps, hive, dameng and the like.")},
    {.name = STR_INIT("infoKey"), .type = &schema_string, .doc = STR_INIT("Key under which the way is kept elsewhere.")},
    {.name = STR_INIT("accessDirectly"), .type = &schema_bool, .doc = STR_INIT("Programs reach it themselves.")}};
static const uint8_t index_DomainDataSourceSpec[16] = {0, 6, 0, 0, 0, 3, 2, 0, 0, 0, 0, 0, 5, 1, 4, 0};
const struct schema_type schema_kuscia_v1alpha1_DomainDataSourceSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataSourceSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataSourceSpec"), .doc = STR_INIT("Where the place is and how it is reached."), .fields = fields_DomainDataSourceSpec, .nfields = 6, .index8 = index_DomainDataSourceSpec, .index_mask = 15};

static const struct schema_field fields_DomainDataGrant[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kuscia_v1alpha1_DomainDataGrantSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_kuscia_v1alpha1_DomainDataGrantStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_DomainDataGrant[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_kuscia_v1alpha1_DomainDataGrant = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataGrant"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataGrant"), .doc = STR_INIT("Leave for another domain to use data."), .fields = fields_DomainDataGrant, .nfields = 5, .index8 = index_DomainDataGrant, .index_mask = 15};

static const struct schema_field fields_DomainDataGrantSpec[6] = {
    {.name = STR_INIT("author"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that the data is of.")},
    {.name = STR_INIT("domainDataID"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The data.")},
    {.name = STR_INIT("grantDomain"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Domain that may use it.")},
    {.name = STR_INIT("signature"), .type = &schema_string, .doc = STR_INIT("Signature of the author.")},
    {.name = STR_INIT("limit"), .type = &schema_kuscia_v1alpha1_GrantLimit, .flags = SCHEMA_POINTER, .doc = STR_INIT("How far the leave goes.")},
    {.name = STR_INIT("description"), .type = &map_string, .doc = STR_INIT("Whatever else people want to know.")}};
static const uint8_t index_DomainDataGrantSpec[16] = {0, 0, 0, 0, 2, 5, 1, 0, 0, 3, 6, 0, 0, 4, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_DomainDataGrantSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataGrantSpec"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataGrantSpec"), .doc = STR_INIT("Who may use what, and how far."), .fields = fields_DomainDataGrantSpec, .nfields = 6, .index8 = index_DomainDataGrantSpec, .index_mask = 15};

static const struct schema_field fields_GrantLimit[7] = {
    {.name = STR_INIT("expirationTime"), .type = &schema_time, .doc = STR_INIT("When it ends.")},
    {.name = STR_INIT("useCount"), .type = &schema_int32, .doc = STR_INIT("How often it may be used; 0: without end.")},
    {.name = STR_INIT("grantMode"), .type = &list_string_rules_enums_normal_metadata_file, .doc = STR_INIT("What may be used.")},
    {.name = STR_INIT("flowID"), .type = &schema_string, .doc = STR_INIT("Flow that it is for.")},
    {.name = STR_INIT("components"), .type = &list_string, .doc = STR_INIT("Components that it is for.")},
    {.name = STR_INIT("initiator"), .type = &schema_string, .doc = STR_INIT("Domain whose jobs it is for.")},
    {.name = STR_INIT("inputConfig"), .type = &schema_string, .doc = STR_INIT("Configuration that it is for.")}};
static const uint8_t index_GrantLimit[16] = {4, 1, 0, 0, 0, 0, 0, 0, 0, 5, 3, 2, 6, 7, 0, 0};
const struct schema_type schema_kuscia_v1alpha1_GrantLimit = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GrantLimit"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GrantLimit"), .doc = STR_INIT("How far a leave goes."), .fields = fields_GrantLimit, .nfields = 7, .index8 = index_GrantLimit, .index_mask = 15};

static const struct schema_field fields_DomainDataGrantStatus[3] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Ready, Unavailable or Unknown."), .rules = &rules_enums_Ready_Unavailable_Unknown},
    {.name = STR_INIT("message"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Explanation of the phase, for people.")},
    {.name = STR_INIT("use_records"), .type = &list_GrantUse, .doc = STR_INIT("When it was used.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainDataGrantStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataGrantStatus"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataGrantStatus"), .doc = STR_INIT("Whether a leave holds."), .fields = fields_DomainDataGrantStatus, .nfields = 3};

static const struct schema_field fields_GrantUse[4] = {
    {.name = STR_INIT("use_time"), .type = &schema_time, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When.")},
    {.name = STR_INIT("grant_domain"), .type = &schema_string, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("By whom.")},
    {.name = STR_INIT("component"), .type = &schema_string, .doc = STR_INIT("Component that used it.")},
    {.name = STR_INIT("output"), .type = &schema_string, .doc = STR_INIT("What came of it.")}};
const struct schema_type schema_kuscia_v1alpha1_GrantUse = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GrantUse"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GrantUse"), .doc = STR_INIT("One use."), .fields = fields_GrantUse, .nfields = 4};

static const struct schema_field fields_DomainList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Domain, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainList"), .doc = STR_INIT("A list of domains."), .fields = fields_DomainList, .nfields = 4};

static const struct schema_field fields_AppImageList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_AppImage, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_AppImageList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AppImageList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.AppImageList"), .doc = STR_INIT("A list of appimages."), .fields = fields_AppImageList, .nfields = 4};

static const struct schema_field fields_DomainAppImageList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DomainAppImage, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainAppImageList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainAppImageList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainAppImageList"), .doc = STR_INIT("A list of domainappimages."), .fields = fields_DomainAppImageList, .nfields = 4};

static const struct schema_field fields_KusciaJobList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaJob, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobList"), .doc = STR_INIT("A list of kusciajobs."), .fields = fields_KusciaJobList, .nfields = 4};

static const struct schema_field fields_KusciaJobSummaryList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaJobSummary, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaJobSummaryList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaJobSummaryList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaJobSummaryList"), .doc = STR_INIT("A list of kusciajobsummaries."), .fields = fields_KusciaJobSummaryList, .nfields = 4};

static const struct schema_field fields_KusciaTaskList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaTask, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskList"), .doc = STR_INIT("A list of kusciatasks."), .fields = fields_KusciaTaskList, .nfields = 4};

static const struct schema_field fields_KusciaTaskSummaryList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaTaskSummary, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaTaskSummaryList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaTaskSummaryList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaTaskSummaryList"), .doc = STR_INIT("A list of kusciatasksummaries."), .fields = fields_KusciaTaskSummaryList, .nfields = 4};

static const struct schema_field fields_TaskResourceGroupList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_TaskResourceGroup, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceGroupList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceGroupList"), .doc = STR_INIT("A list of taskresourcegroups."), .fields = fields_TaskResourceGroupList, .nfields = 4};

static const struct schema_field fields_TaskResourceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_TaskResource, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_TaskResourceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TaskResourceList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.TaskResourceList"), .doc = STR_INIT("A list of taskresources."), .fields = fields_TaskResourceList, .nfields = 4};

static const struct schema_field fields_KusciaDeploymentList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaDeployment, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeploymentList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeploymentList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeploymentList"), .doc = STR_INIT("A list of kusciadeployments."), .fields = fields_KusciaDeploymentList, .nfields = 4};

static const struct schema_field fields_KusciaDeploymentSummaryList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_KusciaDeploymentSummary, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_KusciaDeploymentSummaryList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("KusciaDeploymentSummaryList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.KusciaDeploymentSummaryList"), .doc = STR_INIT("A list of kusciadeploymentsummaries."), .fields = fields_KusciaDeploymentSummaryList, .nfields = 4};

static const struct schema_field fields_DomainRouteList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DomainRoute, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainRouteList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainRouteList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainRouteList"), .doc = STR_INIT("A list of domainroutes."), .fields = fields_DomainRouteList, .nfields = 4};

static const struct schema_field fields_ClusterDomainRouteList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_ClusterDomainRoute, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_ClusterDomainRouteList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ClusterDomainRouteList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.ClusterDomainRouteList"), .doc = STR_INIT("A list of clusterdomainroutes."), .fields = fields_ClusterDomainRouteList, .nfields = 4};

static const struct schema_field fields_GatewayList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Gateway, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_GatewayList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GatewayList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.GatewayList"), .doc = STR_INIT("A list of gateways."), .fields = fields_GatewayList, .nfields = 4};

static const struct schema_field fields_InteropConfigList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_InteropConfig, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_InteropConfigList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("InteropConfigList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.InteropConfigList"), .doc = STR_INIT("A list of interopconfigs."), .fields = fields_InteropConfigList, .nfields = 4};

static const struct schema_field fields_DomainDataList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DomainData, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainDataList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataList"), .doc = STR_INIT("A list of domaindatas."), .fields = fields_DomainDataList, .nfields = 4};

static const struct schema_field fields_DomainDataSourceList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DomainDataSource, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainDataSourceList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataSourceList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataSourceList"), .doc = STR_INIT("A list of domaindatasources."), .fields = fields_DomainDataSourceList, .nfields = 4};

static const struct schema_field fields_DomainDataGrantList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_DomainDataGrant, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kuscia_v1alpha1_DomainDataGrantList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("DomainDataGrantList"), .openapi = STR_INIT("secretflow.kuscia.v1alpha1.DomainDataGrantList"), .doc = STR_INIT("A list of domaindatagrants."), .fields = fields_DomainDataGrantList, .nfields = 4};

static const struct api_subresource subs_Domain[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Domain"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_Domain}};
static const struct api_column columns_Domain[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Role"), .type = STR_INIT("string"), .doc = STR_INIT("Partner: the institution of another control plane."), .json_path = STR_INIT(".spec.role"), .priority = 1},
    {.name = STR_INIT("Nodes"), .type = STR_INIT("integer"), .doc = STR_INIT("Nodes that have joined."), .cell = STR_INIT("domain_nodes"), .priority = 1},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_domains = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Domain"),
    .list_kind = STR_INIT("DomainList"), .plural = STR_INIT("domains"), .singular = STR_INIT("domain"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_Domain,
    .subs = subs_Domain, .nsubs = 1,
    .columns = columns_Domain, .ncolumns = 4,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_AppImage[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_appimages = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("AppImage"),
    .list_kind = STR_INIT("AppImageList"), .plural = STR_INIT("appimages"), .singular = STR_INIT("appimage"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_AppImage,
    .short_names = short_names_aimg, .nshort_names = 1,
    .columns = columns_AppImage, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_DomainAppImage[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_domainappimages = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("DomainAppImage"),
    .list_kind = STR_INIT("DomainAppImageList"), .plural = STR_INIT("domainappimages"), .singular = STR_INIT("domainappimage"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_DomainAppImage,
    .short_names = short_names_daimg, .nshort_names = 1,
    .columns = columns_DomainAppImage, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_KusciaJob[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("KusciaJob"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_KusciaJob}};
static const struct api_column columns_KusciaJob[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("StartTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it was started."), .cell = STR_INIT("kuscia_started")},
    {.name = STR_INIT("CompletionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it ended."), .cell = STR_INIT("kuscia_completed")},
    {.name = STR_INIT("LastReconcileTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since its state last changed."), .cell = STR_INIT("kuscia_reconciled")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")}};
const struct api_resource api_kuscia_v1alpha1_kusciajobs = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaJob"),
    .list_kind = STR_INIT("KusciaJobList"), .plural = STR_INIT("kusciajobs"), .singular = STR_INIT("kusciajob"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaJob,
    .short_names = short_names_kj, .nshort_names = 1,
    .subs = subs_KusciaJob, .nsubs = 1,
    .columns = columns_KusciaJob, .ncolumns = 5,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_KusciaJobSummary[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("StartTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it was started."), .cell = STR_INIT("kuscia_started")},
    {.name = STR_INIT("CompletionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it ended."), .cell = STR_INIT("kuscia_completed")},
    {.name = STR_INIT("LastReconcileTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since its state last changed."), .cell = STR_INIT("kuscia_reconciled")}};
const struct api_resource api_kuscia_v1alpha1_kusciajobsummaries = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaJobSummary"),
    .list_kind = STR_INIT("KusciaJobSummaryList"), .plural = STR_INIT("kusciajobsummaries"), .singular = STR_INIT("kusciajobsummary"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaJobSummary,
    .short_names = short_names_kjs, .nshort_names = 1,
    .columns = columns_KusciaJobSummary, .ncolumns = 4,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_KusciaTask[] = {
    {.name = STR_INIT("explain"), .kind = STR_INIT("KusciaTask"), .verbs = API_VERB_GET, .type = &schema_kuscia_v1alpha1_KusciaTask},
    {.name = STR_INIT("status"), .kind = STR_INIT("KusciaTask"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_KusciaTask}};
static const struct api_column columns_KusciaTask[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("StartTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it was started."), .cell = STR_INIT("kuscia_started")},
    {.name = STR_INIT("CompletionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it ended."), .cell = STR_INIT("kuscia_completed")},
    {.name = STR_INIT("LastReconcileTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since its state last changed."), .cell = STR_INIT("kuscia_reconciled")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")}};
const struct api_resource api_kuscia_v1alpha1_kusciatasks = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaTask"),
    .list_kind = STR_INIT("KusciaTaskList"), .plural = STR_INIT("kusciatasks"), .singular = STR_INIT("kusciatask"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaTask,
    .short_names = short_names_kt, .nshort_names = 1,
    .subs = subs_KusciaTask, .nsubs = 2,
    .columns = columns_KusciaTask, .ncolumns = 5,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_KusciaTaskSummary[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("JobID"), .type = STR_INIT("string"), .doc = STR_INIT("Job that the task is of."), .json_path = STR_INIT(".spec.jobID")},
    {.name = STR_INIT("TaskAlias"), .type = STR_INIT("string"), .doc = STR_INIT("Its name within the job."), .json_path = STR_INIT(".spec.alias")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")}};
const struct api_resource api_kuscia_v1alpha1_kusciatasksummaries = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaTaskSummary"),
    .list_kind = STR_INIT("KusciaTaskSummaryList"), .plural = STR_INIT("kusciatasksummaries"), .singular = STR_INIT("kusciatasksummary"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaTaskSummary,
    .short_names = short_names_kts, .nshort_names = 1,
    .columns = columns_KusciaTaskSummary, .ncolumns = 4,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_TaskResourceGroup[] = {
    {.name = STR_INIT("explain"), .kind = STR_INIT("TaskResourceGroup"), .verbs = API_VERB_GET, .type = &schema_kuscia_v1alpha1_TaskResourceGroup},
    {.name = STR_INIT("status"), .kind = STR_INIT("TaskResourceGroup"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_TaskResourceGroup}};
static const struct api_column columns_TaskResourceGroup[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("MinReservedMembers"), .type = STR_INIT("integer"), .doc = STR_INIT("Parties that must get their room together."), .json_path = STR_INIT(".spec.minReservedMembers")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("StartTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it was started."), .cell = STR_INIT("kuscia_started")},
    {.name = STR_INIT("CompletionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it ended."), .cell = STR_INIT("kuscia_completed")},
    {.name = STR_INIT("LastTransitionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the phase last changed."), .cell = STR_INIT("kuscia_transitioned")}};
const struct api_resource api_kuscia_v1alpha1_taskresourcegroups = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("TaskResourceGroup"),
    .list_kind = STR_INIT("TaskResourceGroupList"), .plural = STR_INIT("taskresourcegroups"), .singular = STR_INIT("taskresourcegroup"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_TaskResourceGroup,
    .short_names = short_names_trg, .nshort_names = 1,
    .subs = subs_TaskResourceGroup, .nsubs = 2,
    .columns = columns_TaskResourceGroup, .ncolumns = 6,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_TaskResource[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("MinReservedPods"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that must get their room together."), .json_path = STR_INIT(".spec.minReservedPods")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("StartTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it was started."), .cell = STR_INIT("kuscia_started")},
    {.name = STR_INIT("CompletionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since it ended."), .cell = STR_INIT("kuscia_completed")},
    {.name = STR_INIT("LastTransitionTime"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the phase last changed."), .cell = STR_INIT("kuscia_transitioned")}};
const struct api_resource api_kuscia_v1alpha1_taskresources = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("TaskResource"),
    .list_kind = STR_INIT("TaskResourceList"), .plural = STR_INIT("taskresources"), .singular = STR_INIT("taskresource"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_TaskResource,
    .short_names = short_names_tr, .nshort_names = 1,
    .columns = columns_TaskResource, .ncolumns = 6,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_KusciaDeployment[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("KusciaDeployment"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_KusciaDeployment}};
static const struct api_column columns_KusciaDeployment[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("TotalParties"), .type = STR_INIT("integer"), .doc = STR_INIT("Parties."), .json_path = STR_INIT(".status.totalParties")},
    {.name = STR_INIT("AvailableParties"), .type = STR_INIT("integer"), .doc = STR_INIT("Parties whose part can be used."), .json_path = STR_INIT(".status.availableParties")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far it is."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_kusciadeployments = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaDeployment"),
    .list_kind = STR_INIT("KusciaDeploymentList"), .plural = STR_INIT("kusciadeployments"), .singular = STR_INIT("kusciadeployment"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaDeployment,
    .short_names = short_names_kd, .nshort_names = 1,
    .subs = subs_KusciaDeployment, .nsubs = 1,
    .columns = columns_KusciaDeployment, .ncolumns = 5,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_KusciaDeploymentSummary[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_kusciadeploymentsummaries = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("KusciaDeploymentSummary"),
    .list_kind = STR_INIT("KusciaDeploymentSummaryList"), .plural = STR_INIT("kusciadeploymentsummaries"), .singular = STR_INIT("kusciadeploymentsummary"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_KusciaDeploymentSummary,
    .short_names = short_names_kds, .nshort_names = 1,
    .columns = columns_KusciaDeploymentSummary, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_DomainRoute[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("DomainRoute"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_DomainRoute}};
static const struct api_column columns_DomainRoute[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Source"), .type = STR_INIT("string"), .doc = STR_INIT("Domain that calls."), .json_path = STR_INIT(".spec.source")},
    {.name = STR_INIT("Destination"), .type = STR_INIT("string"), .doc = STR_INIT("Domain that is called."), .json_path = STR_INIT(".spec.destination")},
    {.name = STR_INIT("Host"), .type = STR_INIT("string"), .doc = STR_INIT("Where the gateway of the destination is."), .json_path = STR_INIT(".spec.endpoint.host")},
    {.name = STR_INIT("Authentication"), .type = STR_INIT("string"), .doc = STR_INIT("How the source proves who it is."), .json_path = STR_INIT(".spec.authenticationType")}};
const struct api_resource api_kuscia_v1alpha1_domainroutes = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("DomainRoute"),
    .list_kind = STR_INIT("DomainRouteList"), .plural = STR_INIT("domainroutes"), .singular = STR_INIT("domainroute"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_DomainRoute,
    .short_names = short_names_dr, .nshort_names = 1,
    .subs = subs_DomainRoute, .nsubs = 1,
    .columns = columns_DomainRoute, .ncolumns = 5,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_ClusterDomainRoute[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("ClusterDomainRoute"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_ClusterDomainRoute}};
static const struct api_column columns_ClusterDomainRoute[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Source"), .type = STR_INIT("string"), .doc = STR_INIT("Domain that calls."), .json_path = STR_INIT(".spec.source")},
    {.name = STR_INIT("Destination"), .type = STR_INIT("string"), .doc = STR_INIT("Domain that is called."), .json_path = STR_INIT(".spec.destination")},
    {.name = STR_INIT("Host"), .type = STR_INIT("string"), .doc = STR_INIT("Where the gateway of the destination is."), .json_path = STR_INIT(".spec.endpoint.host")},
    {.name = STR_INIT("Authentication"), .type = STR_INIT("string"), .doc = STR_INIT("How the source proves who it is."), .json_path = STR_INIT(".spec.authenticationType")},
    {.name = STR_INIT("Ready"), .type = STR_INIT("string"), .doc = STR_INIT("Whether the way is open."), .json_path = STR_INIT(".status.conditions[?(@.type=='Ready')].status")}};
const struct api_resource api_kuscia_v1alpha1_clusterdomainroutes = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("ClusterDomainRoute"),
    .list_kind = STR_INIT("ClusterDomainRouteList"), .plural = STR_INIT("clusterdomainroutes"), .singular = STR_INIT("clusterdomainroute"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_ClusterDomainRoute,
    .short_names = short_names_cdr, .nshort_names = 1,
    .subs = subs_ClusterDomainRoute, .nsubs = 1,
    .columns = columns_ClusterDomainRoute, .ncolumns = 6,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_Gateway[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("Gateway"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_Gateway}};
static const struct api_column columns_Gateway[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("CreationTime"), .type = STR_INIT("string"), .doc = STR_INIT("When the object was created."), .json_path = STR_INIT(".metadata.creationTimestamp")},
    {.name = STR_INIT("UpTime"), .type = STR_INIT("string"), .doc = STR_INIT("When the gateway was started."), .json_path = STR_INIT(".status.uptime")},
    {.name = STR_INIT("HeartbeatTime"), .type = STR_INIT("string"), .doc = STR_INIT("When it was last heard of."), .json_path = STR_INIT(".status.heartbeatTime")},
    {.name = STR_INIT("Address"), .type = STR_INIT("string"), .doc = STR_INIT("Its address."), .json_path = STR_INIT(".status.address")},
    {.name = STR_INIT("Version"), .type = STR_INIT("string"), .doc = STR_INIT("Its version."), .json_path = STR_INIT(".status.version")}};
const struct api_resource api_kuscia_v1alpha1_gateways = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Gateway"),
    .list_kind = STR_INIT("GatewayList"), .plural = STR_INIT("gateways"), .singular = STR_INIT("gateway"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_Gateway,
    .short_names = short_names_gw, .nshort_names = 1,
    .subs = subs_Gateway, .nsubs = 1,
    .columns = columns_Gateway, .ncolumns = 6,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_column columns_InteropConfig[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_interopconfigs = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("InteropConfig"),
    .list_kind = STR_INIT("InteropConfigList"), .plural = STR_INIT("interopconfigs"), .singular = STR_INIT("interopconfig"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_InteropConfig,
    .short_names = short_names_interop, .nshort_names = 1,
    .columns = columns_InteropConfig, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_DomainData[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("DomainData"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_DomainData}};
static const struct api_column columns_DomainData[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_domaindatas = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("DomainData"),
    .list_kind = STR_INIT("DomainDataList"), .plural = STR_INIT("domaindatas"), .singular = STR_INIT("domaindata"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_DomainData,
    .short_names = short_names_kdd, .nshort_names = 1,
    .subs = subs_DomainData, .nsubs = 1,
    .columns = columns_DomainData, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_DomainDataSource[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("DomainDataSource"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_DomainDataSource}};
static const struct api_column columns_DomainDataSource[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_domaindatasources = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("DomainDataSource"),
    .list_kind = STR_INIT("DomainDataSourceList"), .plural = STR_INIT("domaindatasources"), .singular = STR_INIT("domaindatasource"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_DomainDataSource,
    .short_names = short_names_dds, .nshort_names = 1,
    .subs = subs_DomainDataSource, .nsubs = 1,
    .columns = columns_DomainDataSource, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

static const struct api_subresource subs_DomainDataGrant[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("DomainDataGrant"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_kuscia_v1alpha1_DomainDataGrant}};
static const struct api_column columns_DomainDataGrant[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kuscia_v1alpha1_domaindatagrants = {
    .group = STR_INIT("kuscia.secretflow"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("DomainDataGrant"),
    .list_kind = STR_INIT("DomainDataGrantList"), .plural = STR_INIT("domaindatagrants"), .singular = STR_INIT("domaindatagrant"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kuscia_v1alpha1_DomainDataGrant,
    .short_names = short_names_ddg, .nshort_names = 1,
    .subs = subs_DomainDataGrant, .nsubs = 1,
    .columns = columns_DomainDataGrant, .ncolumns = 2,
    .storage_group = STR_INIT("kuscia.secretflow"), .storage_version = STR_INIT("v1alpha1")};

