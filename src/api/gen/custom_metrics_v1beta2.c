/* custom_metrics_v1beta2.c: written by tools/gen_api.py from api/custom_metrics_v1beta2.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_MetricValue = {.kind = SCHEMA_LIST, .elem = &schema_custom_metrics_v1beta2_MetricValue};
static const struct schema_field fields_MetricValueList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Metadata of a list.")},
    {.name = STR_INIT("items"), .type = &list_MetricValue, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The values.")}};
const struct schema_type schema_custom_metrics_v1beta2_MetricValueList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricValueList"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.custom_metrics.v1beta2.MetricValueList"), .doc = STR_INIT("Values of one metric of several objects."), .fields = fields_MetricValueList, .nfields = 4};

static const struct schema_field fields_MetricValue[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("describedObject"), .type = &schema_core_v1_ObjectReference, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Object that the value describes.")},
    {.name = STR_INIT("metric"), .type = &schema_custom_metrics_v1beta2_MetricIdentifier, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric.")},
    {.name = STR_INIT("timestamp"), .type = &schema_time, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When it was measured.")},
    {.name = STR_INIT("windowSeconds"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER | SCHEMA_ALWAYS, .doc = STR_INIT("Seconds over which it was measured.")},
    {.name = STR_INIT("value"), .type = &schema_quantity, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The value.")}};
static const uint8_t index_MetricValue[16] = {0, 4, 6, 2, 3, 5, 0, 0, 0, 1, 7, 0, 0, 0, 0, 0};
const struct schema_type schema_custom_metrics_v1beta2_MetricValue = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricValue"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.custom_metrics.v1beta2.MetricValue"), .doc = STR_INIT("The value of a metric of one object."), .fields = fields_MetricValue, .nfields = 7, .index8 = index_MetricValue, .index_mask = 15};

static const struct schema_field fields_MetricIdentifier[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the metric.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Labels of the series.")}};
const struct schema_type schema_custom_metrics_v1beta2_MetricIdentifier = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricIdentifier"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.custom_metrics.v1beta2.MetricIdentifier"), .doc = STR_INIT("A metric by name and labels."), .fields = fields_MetricIdentifier, .nfields = 2};

const struct api_resource api_custom_metrics_v1beta2_metrics = {
    .group = STR_INIT("custom.metrics.k8s.io"), .version = STR_INIT("v1beta2"), .kind = STR_INIT("MetricValueList"),
    .list_kind = STR_INIT("MetricValueListList"), .plural = STR_INIT("metrics"), .singular = STR_INIT("metricvaluelist"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_CREATE_ONLY,
    .verbs = API_VERB_GET | API_VERB_UPDATE, .type = &schema_custom_metrics_v1beta2_MetricValueList,
    .storage_group = STR_INIT("custom.metrics.k8s.io"), .storage_version = STR_INIT("v1beta2")};

