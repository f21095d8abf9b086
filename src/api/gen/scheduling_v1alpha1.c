/* scheduling_v1alpha1.c: written by tools/gen_api.py from api/scheduling_v1alpha1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str keys_name[] = {STR_INIT("name")};
static const struct schema_type list_PodGroup_map_name = {.kind = SCHEMA_LIST, .elem = &schema_scheduling_v1alpha1_PodGroup, .list_type = SCHEMA_LIST_MAP, .keys = keys_name, .nkeys = 1};
static const struct schema_type list_Workload = {.kind = SCHEMA_LIST, .elem = &schema_scheduling_v1alpha1_Workload};
static const struct schema_field fields_Workload[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_scheduling_v1alpha1_WorkloadSpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_scheduling_v1alpha1_Workload = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Workload"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.Workload"), .doc = STR_INIT("Groups of pods that belong together, and how each of them is to be scheduled."), .fields = fields_Workload, .nfields = 4};

static const struct schema_field fields_WorkloadSpec[2] = {
    {.name = STR_INIT("controllerRef"), .type = &schema_core_v1_TypedLocalObjectReference, .flags = SCHEMA_IMMUTABLE | SCHEMA_POINTER, .doc = STR_INIT("Object that the workload stands for, such as a Job; of no effect on scheduling.")},
    {.name = STR_INIT("podGroups"), .type = &list_PodGroup_map_name, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Groups of pods; 1 to 8. A pod says with workloadRef in which it is.")}};
const struct schema_type schema_scheduling_v1alpha1_WorkloadSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WorkloadSpec"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.WorkloadSpec"), .doc = STR_INIT("The groups of a workload."), .fields = fields_WorkloadSpec, .nfields = 2};

static const struct schema_field fields_PodGroup[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the group; unique within the workload.")},
    {.name = STR_INIT("policy"), .type = &schema_scheduling_v1alpha1_PodGroupPolicy, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("How its pods are scheduled; exactly one of the fields is given.")}};
const struct schema_type schema_scheduling_v1alpha1_PodGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroup"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.PodGroup"), .doc = STR_INIT("Pods that are scheduled by one policy."), .fields = fields_PodGroup, .nfields = 2};

static const struct schema_field fields_PodGroupPolicy[2] = {
    {.name = STR_INIT("basic"), .type = &schema_scheduling_v1alpha1_BasicSchedulingPolicy, .flags = SCHEMA_POINTER, .doc = STR_INIT("One by one, as they come.")},
    {.name = STR_INIT("gang"), .type = &schema_scheduling_v1alpha1_GangSchedulingPolicy, .flags = SCHEMA_POINTER, .doc = STR_INIT("Together or not at all.")}};
const struct schema_type schema_scheduling_v1alpha1_PodGroupPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupPolicy"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.PodGroupPolicy"), .doc = STR_INIT("How pods of a group are scheduled; exactly one of the fields is given."), .fields = fields_PodGroupPolicy, .nfields = 2};

const struct schema_type schema_scheduling_v1alpha1_BasicSchedulingPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("BasicSchedulingPolicy"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.BasicSchedulingPolicy"), .doc = STR_INIT("Pods are scheduled one by one, as they come.")};

static const struct schema_field fields_GangSchedulingPolicy[1] = {
    {.name = STR_INIT("minCount"), .type = &schema_int32, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Pods that must be placed together; the others follow as there is room.")}};
const struct schema_type schema_scheduling_v1alpha1_GangSchedulingPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("GangSchedulingPolicy"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.GangSchedulingPolicy"), .doc = STR_INIT("Pods are scheduled together or not at all."), .fields = fields_GangSchedulingPolicy, .nfields = 1};

static const struct schema_field fields_WorkloadList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Workload, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_scheduling_v1alpha1_WorkloadList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("WorkloadList"), .openapi = STR_INIT("io.k8s.api.scheduling.v1alpha1.WorkloadList"), .doc = STR_INIT("A list of workloads."), .fields = fields_WorkloadList, .nfields = 4};

static const struct api_column columns_Workload[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_scheduling_v1alpha1_workloads = {
    .group = STR_INIT("scheduling.k8s.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Workload"),
    .list_kind = STR_INIT("WorkloadList"), .plural = STR_INIT("workloads"), .singular = STR_INIT("workload"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_scheduling_v1alpha1_Workload,
    .columns = columns_Workload, .ncolumns = 2,
    .storage_group = STR_INIT("scheduling.k8s.io"), .storage_version = STR_INIT("v1alpha1")};

