/* external_metrics_v1beta1.c: written by tools/gen_api.py from api/external_metrics_v1beta1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_ExternalMetricValue = {.kind = SCHEMA_LIST, .elem = &schema_external_metrics_v1beta1_ExternalMetricValue};
static const struct schema_type map_string = {.kind = SCHEMA_MAP, .elem = &schema_string};
static const struct schema_field fields_ExternalMetricValueList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Metadata of a list.")},
    {.name = STR_INIT("items"), .type = &list_ExternalMetricValue, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The values.")}};
const struct schema_type schema_external_metrics_v1beta1_ExternalMetricValueList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExternalMetricValueList"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.external_metrics.v1beta1.ExternalMetricValueList"), .doc = STR_INIT("Values of one metric with several sets of labels."), .fields = fields_ExternalMetricValueList, .nfields = 4};

static const struct schema_field fields_ExternalMetricValue[7] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metricName"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the metric.")},
    {.name = STR_INIT("metricLabels"), .type = &map_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Labels of the series.")},
    {.name = STR_INIT("timestamp"), .type = &schema_time, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("When it was measured.")},
    {.name = STR_INIT("window"), .type = &schema_int64, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds over which it was measured.")},
    {.name = STR_INIT("value"), .type = &schema_quantity, .pb = 5, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The value.")}};
static const uint8_t index_ExternalMetricValue[16] = {0, 0, 0, 2, 5, 0, 0, 0, 0, 1, 3, 7, 0, 6, 4, 0};
const struct schema_type schema_external_metrics_v1beta1_ExternalMetricValue = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExternalMetricValue"), .openapi = STR_INIT("io.k8s.metrics.pkg.apis.external_metrics.v1beta1.ExternalMetricValue"), .doc = STR_INIT("A value with labels."), .fields = fields_ExternalMetricValue, .nfields = 7, .index8 = index_ExternalMetricValue, .index_mask = 15};

const struct api_resource api_external_metrics_v1beta1_externalmetrics = {
    .group = STR_INIT("external.metrics.k8s.io"), .version = STR_INIT("v1beta1"), .kind = STR_INIT("ExternalMetricValueList"),
    .list_kind = STR_INIT("ExternalMetricValueListList"), .plural = STR_INIT("externalmetrics"), .singular = STR_INIT("externalmetricvaluelist"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED | API_CREATE_ONLY,
    .verbs = API_VERB_GET | API_VERB_UPDATE, .type = &schema_external_metrics_v1beta1_ExternalMetricValueList,
    .storage_group = STR_INIT("external.metrics.k8s.io"), .storage_version = STR_INIT("v1beta1")};

