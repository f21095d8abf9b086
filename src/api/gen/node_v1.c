/* node_v1.c: written by tools/gen_api.py from api/node_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const struct schema_type map_string_atomic = {.kind = SCHEMA_MAP, .elem = &schema_string, .atomic = true};
static const struct schema_type list_core_v1_Toleration = {.kind = SCHEMA_LIST, .elem = &schema_core_v1_Toleration};
static const struct schema_type list_RuntimeClass = {.kind = SCHEMA_LIST, .elem = &schema_node_v1_RuntimeClass};
static const struct schema_field fields_RuntimeClass[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("handler"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS | SCHEMA_IMMUTABLE, .doc = STR_INIT("Name of the runtime configuration on the nodes; cannot change.")},
    {.name = STR_INIT("overhead"), .type = &schema_node_v1_Overhead, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("What the runtime itself takes, per pod.")},
    {.name = STR_INIT("scheduling"), .type = &schema_node_v1_Scheduling, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Nodes that support it; absent means all nodes.")}};
static const uint8_t index_RuntimeClass[16] = {3, 0, 0, 2, 4, 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 6};
const struct schema_type schema_node_v1_RuntimeClass = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RuntimeClass"), .openapi = STR_INIT("io.k8s.api.node.v1.RuntimeClass"), .doc = STR_INIT("A named container runtime configuration."), .fields = fields_RuntimeClass, .nfields = 6, .index8 = index_RuntimeClass, .index_mask = 15};

static const struct schema_field fields_Overhead[1] = {
    {.name = STR_INIT("podFixed"), .type = &map_quantity, .pb = 1, .doc = STR_INIT("Fixed amounts per pod, by resource.")}};
const struct schema_type schema_node_v1_Overhead = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Overhead"), .openapi = STR_INIT("io.k8s.api.node.v1.Overhead"), .doc = STR_INIT("Resources that the runtime itself needs per pod."), .fields = fields_Overhead, .nfields = 1};

static const struct schema_field fields_Scheduling[2] = {
    {.name = STR_INIT("nodeSelector"), .type = &map_string_atomic, .pb = 1, .doc = STR_INIT("Node labels added to those that the pods ask for.")},
    {.name = STR_INIT("tolerations"), .type = &list_core_v1_Toleration, .pb = 2, .doc = STR_INIT("Tolerations added to those of the pods.")}};
const struct schema_type schema_node_v1_Scheduling = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Scheduling"), .openapi = STR_INIT("io.k8s.api.node.v1.Scheduling"), .doc = STR_INIT("Which nodes support the runtime class."), .fields = fields_Scheduling, .nfields = 2};

static const struct schema_field fields_RuntimeClassList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_RuntimeClass, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_node_v1_RuntimeClassList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("RuntimeClassList"), .openapi = STR_INIT("io.k8s.api.node.v1.RuntimeClassList"), .doc = STR_INIT("A list of runtimeclasses."), .fields = fields_RuntimeClassList, .nfields = 4};

static const struct api_column columns_RuntimeClass[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Handler"), .type = STR_INIT("string"), .doc = STR_INIT("Runtime configuration on the node."), .json_path = STR_INIT(".handler")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_node_v1_runtimeclasses = {
    .group = STR_INIT("node.k8s.io"), .version = STR_INIT("v1"), .kind = STR_INIT("RuntimeClass"),
    .list_kind = STR_INIT("RuntimeClassList"), .plural = STR_INIT("runtimeclasses"), .singular = STR_INIT("runtimeclass"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_RV_REQUIRED | API_PUT_CREATES,
    .verbs = API_VERBS_ALL, .type = &schema_node_v1_RuntimeClass,
    .columns = columns_RuntimeClass, .ncolumns = 3,
    .storage_group = STR_INIT("node.k8s.io"), .storage_version = STR_INIT("v1")};

