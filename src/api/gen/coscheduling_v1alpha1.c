/* coscheduling_v1alpha1.c: written by tools/gen_api.py from api/coscheduling_v1alpha1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const struct schema_type list_PodGroup = {.kind = SCHEMA_LIST, .elem = &schema_coscheduling_v1alpha1_PodGroup};
static const str short_names_pgs[] = {STR_INIT("pgs")};
static const struct schema_field fields_PodGroup[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_coscheduling_v1alpha1_PodGroupSpec, .flags = SCHEMA_POINTER, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_coscheduling_v1alpha1_PodGroupStatus, .flags = SCHEMA_POINTER, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_PodGroup[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_coscheduling_v1alpha1_PodGroup = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroup"), .openapi = STR_INIT("io.x-k8s.scheduling.v1alpha1.PodGroup"), .doc = STR_INIT("Pods that are placed together or not at all."), .fields = fields_PodGroup, .nfields = 5, .index8 = index_PodGroup, .index_mask = 15};

static const struct schema_field fields_PodGroupSpec[3] = {
    {.name = STR_INIT("minMember"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("Pods that must be placed together; 1 when absent.")},
    {.name = STR_INIT("minResources"), .type = &map_quantity, .doc = STR_INIT("What must be free before the group is tried.")},
    {.name = STR_INIT("scheduleTimeoutSeconds"), .type = &schema_int32, .flags = SCHEMA_POINTER, .doc = STR_INIT("How long a part of the group waits for the rest.")}};
const struct schema_type schema_coscheduling_v1alpha1_PodGroupSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupSpec"), .openapi = STR_INIT("io.x-k8s.scheduling.v1alpha1.PodGroupSpec"), .doc = STR_INIT("How many pods must run together."), .fields = fields_PodGroupSpec, .nfields = 3};

static const struct schema_field fields_PodGroupStatus[6] = {
    {.name = STR_INIT("phase"), .type = &schema_string, .doc = STR_INIT("Pending, Scheduling, Scheduled, Running, Finished, Failed and the like.")},
    {.name = STR_INIT("occupiedBy"), .type = &schema_string, .doc = STR_INIT("Owners of the pods that are in the group.")},
    {.name = STR_INIT("running"), .type = &schema_int32, .doc = STR_INIT("Pods that run.")},
    {.name = STR_INIT("succeeded"), .type = &schema_int32, .doc = STR_INIT("Pods that ended well.")},
    {.name = STR_INIT("failed"), .type = &schema_int32, .doc = STR_INIT("Pods that failed.")},
    {.name = STR_INIT("scheduleStartTime"), .type = &schema_time, .doc = STR_INIT("When the group was first tried.")}};
static const uint8_t index_PodGroupStatus[16] = {0, 0, 4, 0, 5, 0, 0, 0, 1, 2, 6, 0, 3, 0, 0, 0};
const struct schema_type schema_coscheduling_v1alpha1_PodGroupStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupStatus"), .openapi = STR_INIT("io.x-k8s.scheduling.v1alpha1.PodGroupStatus"), .doc = STR_INIT("How far the group has come."), .fields = fields_PodGroupStatus, .nfields = 6, .index8 = index_PodGroupStatus, .index_mask = 15};

static const struct schema_field fields_PodGroupList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodGroup, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_coscheduling_v1alpha1_PodGroupList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodGroupList"), .openapi = STR_INIT("io.x-k8s.scheduling.v1alpha1.PodGroupList"), .doc = STR_INIT("A list of podgroups."), .fields = fields_PodGroupList, .nfields = 4};

static const struct api_subresource subs_PodGroup[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("PodGroup"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_coscheduling_v1alpha1_PodGroup}};
static const struct api_column columns_PodGroup[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Phase"), .type = STR_INIT("string"), .doc = STR_INIT("How far the group has come."), .json_path = STR_INIT(".status.phase")},
    {.name = STR_INIT("MinMember"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that must run together."), .json_path = STR_INIT(".spec.minMember")},
    {.name = STR_INIT("Running"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that run."), .json_path = STR_INIT(".status.running")},
    {.name = STR_INIT("Succeeded"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that ended well."), .json_path = STR_INIT(".status.succeeded")},
    {.name = STR_INIT("Failed"), .type = STR_INIT("integer"), .doc = STR_INIT("Pods that failed."), .json_path = STR_INIT(".status.failed")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_coscheduling_v1alpha1_podgroups = {
    .group = STR_INIT("scheduling.x-k8s.io"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("PodGroup"),
    .list_kind = STR_INIT("PodGroupList"), .plural = STR_INIT("podgroups"), .singular = STR_INIT("podgroup"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_coscheduling_v1alpha1_PodGroup,
    .short_names = short_names_pgs, .nshort_names = 1,
    .subs = subs_PodGroup, .nsubs = 1,
    .columns = columns_PodGroup, .ncolumns = 7,
    .storage_group = STR_INIT("scheduling.x-k8s.io"), .storage_version = STR_INIT("v1alpha1")};

