/* kai_v1alpha1.c: written by tools/gen_api.py from api/kai_v1alpha1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_TopologyLevel = {.kind = SCHEMA_LIST, .elem = &schema_kai_v1alpha1_TopologyLevel};
static const struct schema_type list_Topology = {.kind = SCHEMA_LIST, .elem = &schema_kai_v1alpha1_Topology};
static const struct schema_field fields_Topology[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_kai_v1alpha1_TopologySpec, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")}};
const struct schema_type schema_kai_v1alpha1_Topology = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Topology"), .openapi = STR_INIT("scheduler.kai.v1alpha1.Topology"), .doc = STR_INIT("The levels of the cluster, such as block, rack and host, as node labels from wide to narrow."), .fields = fields_Topology, .nfields = 4};

static const struct schema_field fields_TopologySpec[1] = {
    {.name = STR_INIT("levels"), .type = &list_TopologyLevel, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("From wide to narrow; 1 to 16, each label once. Labels stay as they are, aliases may change.")}};
const struct schema_type schema_kai_v1alpha1_TopologySpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologySpec"), .openapi = STR_INIT("scheduler.kai.v1alpha1.TopologySpec"), .doc = STR_INIT("The levels of the cluster."), .fields = fields_TopologySpec, .nfields = 1};

static const struct schema_field fields_TopologyLevel[2] = {
    {.name = STR_INIT("nodeLabel"), .type = &schema_string, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Key of the node label whose values are the parts of this level.")},
    {.name = STR_INIT("alias"), .type = &schema_string, .doc = STR_INIT("Another name of the level, for the constraints of workloads; none of this topology's other names.")}};
const struct schema_type schema_kai_v1alpha1_TopologyLevel = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologyLevel"), .openapi = STR_INIT("scheduler.kai.v1alpha1.TopologyLevel"), .doc = STR_INIT("One level."), .fields = fields_TopologyLevel, .nfields = 2};

static const struct schema_field fields_TopologyList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_Topology, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_kai_v1alpha1_TopologyList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("TopologyList"), .openapi = STR_INIT("scheduler.kai.v1alpha1.TopologyList"), .doc = STR_INIT("A list of topologies."), .fields = fields_TopologyList, .nfields = 4};

static const struct api_column columns_Topology[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Levels"), .type = STR_INIT("string"), .doc = STR_INIT("Node labels, from wide to narrow."), .cell = STR_INIT("topology_levels")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_kai_v1alpha1_topologies = {
    .group = STR_INIT("kai.scheduler"), .version = STR_INIT("v1alpha1"), .kind = STR_INIT("Topology"),
    .list_kind = STR_INIT("TopologyList"), .plural = STR_INIT("topologies"), .singular = STR_INIT("topology"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_GENERATION | API_RV_REQUIRED,
    .verbs = API_VERBS_ALL, .type = &schema_kai_v1alpha1_Topology,
    .columns = columns_Topology, .ncolumns = 3,
    .storage_group = STR_INIT("kai.scheduler"), .storage_version = STR_INIT("v1alpha1")};

