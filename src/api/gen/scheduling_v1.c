/* scheduling_v1.c: written by tools/gen_api.py from api/scheduling_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const str enum_PreemptLowerPriority_Never[] = {STR_INIT("PreemptLowerPriority"), STR_INIT("Never")};
static const struct schema_rules rules_enums_PreemptLowerPriority_Never = {.enums = enum_PreemptLowerPriority_Never, .nenums = 2};
static const struct schema_type list_PriorityClass = {.kind = SCHEMA_LIST, .elem = &schema_scheduling_v1_PriorityClass};
static const str short_names_pc[] = {STR_INIT("pc")};
static const struct schema_field fields_PriorityClass[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("value"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Priority that pods of the class get; higher goes first.")},
    {.name = STR_INIT("globalDefault"), .type = &schema_bool, .pb = 3, .doc = STR_INIT("True makes it the class of pods that name none.")},
    {.name = STR_INIT("description"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Says when to use the class, for people.")},
    {.name = STR_INIT("preemptionPolicy"), .type = &schema_string, .pb = 5, .flags = SCHEMA_POINTER | SCHEMA_IMMUTABLE, .dflt = STR_INIT("\"PreemptLowerPriority\""), .doc = STR_INIT("Never keeps its pods from pushing out others; PreemptLowerPriority when absent."), .rules = &rules_enums_PreemptLowerPriority_Never}};
static const uint8_t index_PriorityClass[16] = {3, 0, 0, 2, 5, 0, 0, 0, 7, 1, 4, 6, 0, 0, 0, 0};
const struct schema_type schema_scheduling_v1_PriorityClass = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PriorityClass"), .openapi = STR_INIT("io.k8s.api.scheduling.v1.PriorityClass"), .doc = STR_INIT("A named pod priority."), .fields = fields_PriorityClass, .nfields = 7, .index8 = index_PriorityClass, .index_mask = 15};

static const struct schema_field fields_PriorityClassList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PriorityClass, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_scheduling_v1_PriorityClassList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PriorityClassList"), .openapi = STR_INIT("io.k8s.api.scheduling.v1.PriorityClassList"), .doc = STR_INIT("A list of priorityclasses."), .fields = fields_PriorityClassList, .nfields = 4};

static const struct api_column columns_PriorityClass[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Value"), .type = STR_INIT("integer"), .doc = STR_INIT("The priority."), .json_path = STR_INIT(".value")},
    {.name = STR_INIT("Global-Default"), .type = STR_INIT("boolean"), .doc = STR_INIT("Whether pods without a class get it."), .json_path = STR_INIT(".globalDefault")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")},
    {.name = STR_INIT("PreemptionPolicy"), .type = STR_INIT("string"), .doc = STR_INIT("Whether its pods may push out others."), .json_path = STR_INIT(".preemptionPolicy")}};
const struct api_resource api_scheduling_v1_priorityclasses = {
    .group = STR_INIT("scheduling.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("PriorityClass"),
    .list_kind = STR_INIT("PriorityClassList"), .plural = STR_INIT("priorityclasses"), .singular = STR_INIT("priorityclass"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION,
    .verbs = API_VERBS_ALL, .type = &schema_scheduling_v1_PriorityClass,
    .short_names = short_names_pc, .nshort_names = 1,
    .columns = columns_PriorityClass, .ncolumns = 5,
    .storage_group = STR_INIT("scheduling.k8s.io"), .storage_version = STR_INIT("v1")};

