/* runai_v1alpha2.c: written by tools/gen_api.py from api/runai_v1alpha2.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_string = {.kind = SCHEMA_LIST, .elem = &schema_string};
static const struct schema_type list_ResourceClaimAllocation = {.kind = SCHEMA_LIST, .elem = &schema_runai_v1alpha2_ResourceClaimAllocation};
static const struct schema_type list_BindRequest = {.kind = SCHEMA_LIST, .elem = &schema_runai_v1alpha2_BindRequest};
static const str field_labels_spec_podName_spec_selectedNode[] = {STR_INIT("spec.podName"), STR_INIT("spec.selectedNode")};
static const struct schema_field fields_BindRequest[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_runai_v1alpha2_BindRequestSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_runai_v1alpha2_BindRequestStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_BindRequest[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_runai_v1alpha2_BindRequest = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BindRequest"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.BindRequest"), .doc = STR_INIT("Asks a binder to bring a pod to a node with all that it needs there."), .fields = fields_BindRequest, .nfields = 5, .index8 = index_BindRequest, .index_mask = 15};

static const struct schema_field fields_BindRequestSpec[7] = {
    {.name = STR_INIT("podName"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pod, in the namespace of the request.")},
    {.name = STR_INIT("selectedNode"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Node that it goes to.")},
    {.name = STR_INIT("receivedResourceType"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("How it gets its GPUs: Regular, Fraction or MigInstance.")},
    {.name = STR_INIT("receivedGPU"), .type = &schema_runai_v1alpha2_ReceivedGPU, .flags = SCHEMA_POINTER, .doc = STR_INIT("How many GPUs it gets, and how much of each.")},
    {.name = STR_INIT("selectedGPUGroups"), .type = &list_string, .doc = STR_INIT("Shared devices that it gets a part of, one entry a device.")},
    {.name = STR_INIT("resourceClaimAllocations"), .type = &list_ResourceClaimAllocation, .doc = STR_INIT("What was chosen for its resource claims.")},
    {.name = STR_INIT("backoffLimit"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Failed tries after which the request is given up.")}};
static const uint8_t index_BindRequestSpec[16] = {2, 0, 0, 0, 0, 0, 6, 1, 4, 0, 3, 5, 7, 0, 0, 0};
const struct schema_type schema_runai_v1alpha2_BindRequestSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BindRequestSpec"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.BindRequestSpec"), .doc = STR_INIT("Which pod goes where, and what it gets there."), .fields = fields_BindRequestSpec, .nfields = 7, .index8 = index_BindRequestSpec, .index_mask = 15};

static const struct schema_field fields_ReceivedGPU[2] = {
    {.name = STR_INIT("count"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Devices.")},
    {.name = STR_INIT("portion"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Part of each, such as 0.50.")}};
const struct schema_type schema_runai_v1alpha2_ReceivedGPU = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ReceivedGPU"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.ReceivedGPU"), .doc = STR_INIT("How many GPUs a pod gets, and how much of each."), .fields = fields_ReceivedGPU, .nfields = 2};

static const struct schema_field fields_ResourceClaimAllocation[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_POINTER, .doc = STR_INIT("Name of the claim in the pod.")},
    {.name = STR_INIT("allocation"), .type = &schema_runai_v1alpha2_AllocationResult, .flags = SCHEMA_POINTER, .doc = STR_INIT("The devices, as resource.k8s.io has them.")}};
const struct schema_type schema_runai_v1alpha2_ResourceClaimAllocation = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceClaimAllocation"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.ResourceClaimAllocation"), .doc = STR_INIT("What was chosen for one resource claim."), .fields = fields_ResourceClaimAllocation, .nfields = 2};

const struct schema_type schema_runai_v1alpha2_AllocationResult = {.kind = SCHEMA_OBJECT, .name = STR_INIT("AllocationResult"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.AllocationResult"), .doc = STR_INIT("The devices of a claim; kept as given."), .preserve_unknown = true};

static const struct schema_field fields_BindRequestStatus[3] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, Succeeded or Failed.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .doc = STR_INIT("Why it failed.")},
    {.name = STR_INIT("failedAttempts"), .type = &schema_int32, .doc = STR_INIT("Tries that failed.")}};
const struct schema_type schema_runai_v1alpha2_BindRequestStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BindRequestStatus"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.BindRequestStatus"), .doc = STR_INIT("What became of the request."), .fields = fields_BindRequestStatus, .nfields = 3};

static const struct schema_field fields_BindRequestList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_BindRequest, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_runai_v1alpha2_BindRequestList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BindRequestList"), .openapi = STR_INIT("ai.run.scheduling.v1alpha2.BindRequestList"), .doc = STR_INIT("A list of bindrequests."), .fields = fields_BindRequestList, .nfields = 4};

static const struct api_subresource subs_BindRequest[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("BindRequest"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_runai_v1alpha2_BindRequest}};
static const struct api_column columns_BindRequest[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Pod"), .type = STR_INIT("string"), .doc = STR_INIT("Pod that is to be bound."), .json_path = STR_INIT(".spec.podName")},
    {.name = STR_INIT("Node"), .type = STR_INIT("string"), .doc = STR_INIT("Node that it goes to."), .json_path = STR_INIT(".spec.selectedNode")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("What became of it."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_runai_v1alpha2_bindrequests = {
    .group = STR_INIT("scheduling.run.ai"), .version = STR_INIT("v1alpha2"), .kind = STR_INIT("BindRequest"),
    .list_kind = STR_INIT("BindRequestList"), .plural = STR_INIT("bindrequests"), .singular = STR_INIT("bindrequest"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_runai_v1alpha2_BindRequest,
    .field_labels = field_labels_spec_podName_spec_selectedNode, .nfield_labels = 2,
    .subs = subs_BindRequest, .nsubs = 1,
    .columns = columns_BindRequest, .ncolumns = 5,
    .storage_group = STR_INIT("scheduling.run.ai"), .storage_version = STR_INIT("v1alpha2")};

