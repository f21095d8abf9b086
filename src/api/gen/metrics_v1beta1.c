/* metrics_v1beta1.c: written by tools/gen_api.py from api/metrics_v1beta1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type map_quantity = {.kind = SCHEMA_MAP, .elem = &schema_quantity};
static const struct schema_type list_PodMetrics = {.kind = SCHEMA_LIST, .elem = &schema_metrics_v1beta1_PodMetrics};
static const struct schema_type list_ContainerMetrics = {.kind = SCHEMA_LIST, .elem = &schema_metrics_v1beta1_ContainerMetrics};
static const struct schema_type list_NodeMetrics = {.kind = SCHEMA_LIST, .elem = &schema_metrics_v1beta1_NodeMetrics};
static const struct schema_field fields_NodeMetrics[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name and labels of the node.")},
    {.name = STR_INIT("timestamp"), .type = &schema_time, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When the window ended.")},
    {.name = STR_INIT("window"), .type = &schema_duration, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Time over which it was measured.")},
    {.name = STR_INIT("usage"), .type = &map_quantity, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Amounts in use, per resource.")},
    {.name = STR_INIT("pods"), .type = &list_PodMetrics, .doc = STR_INIT("In reports only: what the pods of the node use.")}};
static const uint8_t index_NodeMetrics[16] = {3, 0, 0, 2, 4, 0, 0, 0, 6, 1, 0, 0, 0, 5, 7, 0};
const struct schema_type schema_metrics_v1beta1_NodeMetrics = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeMetrics"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetrics"), .doc = STR_INIT("What a node uses; a node's agent also says here what its pods use."), .fields = fields_NodeMetrics, .nfields = 7, .index8 = index_NodeMetrics, .index_mask = 15};

static const struct schema_field fields_PodMetrics[6] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, namespace and labels of the pod.")},
    {.name = STR_INIT("timestamp"), .type = &schema_time, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When the window ended.")},
    {.name = STR_INIT("window"), .type = &schema_duration, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Time over which it was measured.")},
    {.name = STR_INIT("containers"), .type = &list_ContainerMetrics, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Usage of each container.")}};
static const uint8_t index_PodMetrics[16] = {3, 6, 0, 2, 4, 0, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0};
const struct schema_type schema_metrics_v1beta1_PodMetrics = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodMetrics"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics"), .doc = STR_INIT("What a pod uses."), .fields = fields_PodMetrics, .nfields = 6, .index8 = index_PodMetrics, .index_mask = 15};

static const struct schema_field fields_ContainerMetrics[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the container.")},
    {.name = STR_INIT("usage"), .type = &map_quantity, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Amounts in use, per resource.")}};
const struct schema_type schema_metrics_v1beta1_ContainerMetrics = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerMetrics"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.metrics.v1beta1.ContainerMetrics"), .doc = STR_INIT("What a container uses."), .fields = fields_ContainerMetrics, .nfields = 2};

static const struct schema_field fields_NodeMetricsList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_NodeMetrics, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_metrics_v1beta1_NodeMetricsList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("NodeMetricsList"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.metrics.v1beta1.NodeMetricsList"), .doc = STR_INIT("A list of nodes."), .fields = fields_NodeMetricsList, .nfields = 4};

static const struct schema_field fields_PodMetricsList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_PodMetrics, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_metrics_v1beta1_PodMetricsList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodMetricsList"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetricsList"), .doc = STR_INIT("A list of pods."), .fields = fields_PodMetricsList, .nfields = 4};

static const struct api_column columns_NodeMetrics[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the node."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("cpu"), .type = STR_INIT("string"), .doc = STR_INIT("Processors in use."), .json_path = STR_INIT(".usage.cpu")},
    {.name = STR_INIT("memory"), .type = STR_INIT("string"), .doc = STR_INIT("Memory in use."), .json_path = STR_INIT(".usage.memory")},
    {.name = STR_INIT("Window"), .type = STR_INIT("string"), .doc = STR_INIT("Time over which it was measured."), .json_path = STR_INIT(".window")}};
const struct api_resource api_metrics_v1beta1_nodes = {
    .group = STR_INIT("metrics.k8s.io"), .version = STR_INIT("v1beta1"), .kind = STR_INIT("NodeMetrics"),
    .list_kind = STR_INIT("NodeMetricsList"), .plural = STR_INIT("nodes"), .singular = STR_INIT("nodemetrics"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_CREATE_ONLY,
    .verbs = API_VERB_GET | API_VERB_LIST | API_VERB_UPDATE, .type = &schema_metrics_v1beta1_NodeMetrics,
    .columns = columns_NodeMetrics, .ncolumns = 4,
    .storage_group = STR_INIT("metrics.k8s.io"), .storage_version = STR_INIT("v1beta1")};

static const struct api_column columns_PodMetrics[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the pod."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("cpu"), .type = STR_INIT("string"), .doc = STR_INIT("Processors in use by all containers."), .json_path = STR_INIT(".usage.cpu")},
    {.name = STR_INIT("memory"), .type = STR_INIT("string"), .doc = STR_INIT("Memory in use by all containers."), .json_path = STR_INIT(".usage.memory")},
    {.name = STR_INIT("Window"), .type = STR_INIT("string"), .doc = STR_INIT("Time over which it was measured."), .json_path = STR_INIT(".window")}};
const struct api_resource api_metrics_v1beta1_pods = {
    .group = STR_INIT("metrics.k8s.io"), .version = STR_INIT("v1beta1"), .kind = STR_INIT("PodMetrics"),
    .list_kind = STR_INIT("PodMetricsList"), .plural = STR_INIT("pods"), .singular = STR_INIT("podmetrics"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_CREATE_ONLY,
    .verbs = API_VERB_GET | API_VERB_LIST, .type = &schema_metrics_v1beta1_PodMetrics,
    .columns = columns_PodMetrics, .ncolumns = 4,
    .storage_group = STR_INIT("metrics.k8s.io"), .storage_version = STR_INIT("v1beta1")};

