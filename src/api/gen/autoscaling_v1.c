/* autoscaling_v1.c: written by tools/gen_api.py from api/autoscaling_v1.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_HorizontalPodAutoscaler = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v1_HorizontalPodAutoscaler};
static const str short_names_hpa[] = {STR_INIT("hpa")};
static const str categories_all[] = {STR_INIT("all")};
static const struct schema_field fields_CrossVersionObjectReference[3] = {
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the object, such as Deployment.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the object, in the same namespace.")},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Group and version of the object.")}};
const struct schema_type schema_autoscaling_v1_CrossVersionObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CrossVersionObjectReference"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.CrossVersionObjectReference"), .doc = STR_INIT("Names the object that is scaled or measured."), .atomic = true, .fields = fields_CrossVersionObjectReference, .nfields = 3};

static const struct schema_field fields_HorizontalPodAutoscalerSpec[4] = {
    {.name = STR_INIT("scaleTargetRef"), .type = &schema_autoscaling_v1_CrossVersionObjectReference, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Workload whose replica count is adjusted.")},
    {.name = STR_INIT("minReplicas"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Fewest replicas; 1 when absent.")},
    {.name = STR_INIT("maxReplicas"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Most replicas; not below minReplicas.")},
    {.name = STR_INIT("targetCPUUtilizationPercentage"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU use to aim for, in percent of the requests; 80 if absent.")}};
const struct schema_type schema_autoscaling_v1_HorizontalPodAutoscalerSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerSpec"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerSpec"), .doc = STR_INIT("What is scaled, within which bounds, to which CPU use."), .fields = fields_HorizontalPodAutoscalerSpec, .nfields = 4};

static const struct schema_field fields_HorizontalPodAutoscalerStatus[5] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("lastScaleTime"), .type = &schema_time, .pb = 2, .doc = STR_INIT("When the replica count was last changed.")},
    {.name = STR_INIT("currentReplicas"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Replicas that were seen last.")},
    {.name = STR_INIT("desiredReplicas"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Replicas that the autoscaler asked for last.")},
    {.name = STR_INIT("currentCPUUtilizationPercentage"), .type = &schema_int32, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU use of the pods on average, in percent of the requests.")}};
static const uint8_t index_HorizontalPodAutoscalerStatus[16] = {0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 1, 2, 3, 4, 0};
const struct schema_type schema_autoscaling_v1_HorizontalPodAutoscalerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerStatus"), .doc = STR_INIT("What the autoscaler saw and decided last."), .fields = fields_HorizontalPodAutoscalerStatus, .nfields = 5, .index8 = index_HorizontalPodAutoscalerStatus, .index_mask = 15};

static const struct schema_field fields_HorizontalPodAutoscaler[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_autoscaling_v1_HorizontalPodAutoscalerSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_autoscaling_v1_HorizontalPodAutoscalerStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_HorizontalPodAutoscaler[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_autoscaling_v1_HorizontalPodAutoscaler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscaler"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.HorizontalPodAutoscaler"), .doc = STR_INIT("Adjusts the replica count of a workload to its load."), .fields = fields_HorizontalPodAutoscaler, .nfields = 5, .index8 = index_HorizontalPodAutoscaler, .index_mask = 15};

static const struct schema_field fields_Scale[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_autoscaling_v1_ScaleSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_autoscaling_v1_ScaleStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_Scale[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_autoscaling_v1_Scale = {.kind = SCHEMA_OBJECT, .name = STR_INIT("Scale"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.Scale"), .doc = STR_INIT("The replica count of a workload, in one form for all kinds."), .fields = fields_Scale, .nfields = 5, .index8 = index_Scale, .index_mask = 15};

static const struct schema_field fields_ScaleSpec[1] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .doc = STR_INIT("Number of replicas wanted.")}};
const struct schema_type schema_autoscaling_v1_ScaleSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScaleSpec"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.ScaleSpec"), .doc = STR_INIT("Replicas wanted."), .fields = fields_ScaleSpec, .nfields = 1};

static const struct schema_field fields_ScaleStatus[2] = {
    {.name = STR_INIT("replicas"), .type = &schema_int32, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Number of replicas that exist.")},
    {.name = STR_INIT("selector"), .type = &schema_string, .pb = 2, .doc = STR_INIT("Label selector of the pods, written as text.")}};
const struct schema_type schema_autoscaling_v1_ScaleStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ScaleStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.ScaleStatus"), .doc = STR_INIT("Replicas seen, and the selector of their pods."), .fields = fields_ScaleStatus, .nfields = 2};

static const struct schema_field fields_HorizontalPodAutoscalerList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_HorizontalPodAutoscaler, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_autoscaling_v1_HorizontalPodAutoscalerList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerList"), .openapi = STR_INIT("io.k8s.api.autoscaling.v1.HorizontalPodAutoscalerList"), .doc = STR_INIT("A list of horizontalpodautoscalers."), .fields = fields_HorizontalPodAutoscalerList, .nfields = 4};

static const struct api_subresource subs_HorizontalPodAutoscaler[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("HorizontalPodAutoscaler"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v1_HorizontalPodAutoscaler}};
static const struct api_column columns_HorizontalPodAutoscaler[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Reference"), .type = STR_INIT("string"), .doc = STR_INIT("Workload that is scaled."), .cell = STR_INIT("horizontal_pod_autoscaler_reference")},
    {.name = STR_INIT("Targets"), .type = STR_INIT("string"), .doc = STR_INIT("Current and wanted value of each metric."), .cell = STR_INIT("horizontal_pod_autoscaler_targets")},
    {.name = STR_INIT("MinPods"), .type = STR_INIT("string"), .doc = STR_INIT("Fewest replicas."), .cell = STR_INIT("horizontal_pod_autoscaler_min_pods")},
    {.name = STR_INIT("MaxPods"), .type = STR_INIT("string"), .doc = STR_INIT("Most replicas."), .cell = STR_INIT("horizontal_pod_autoscaler_max_pods")},
    {.name = STR_INIT("Replicas"), .type = STR_INIT("string"), .doc = STR_INIT("Replicas at the last look."), .cell = STR_INIT("horizontal_pod_autoscaler_replicas")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_autoscaling_v1_horizontalpodautoscalers = {
    .group = STR_INIT("autoscaling"), .version = STR_INIT("v1"), .kind = STR_INIT("HorizontalPodAutoscaler"),
    .list_kind = STR_INIT("HorizontalPodAutoscalerList"), .plural = STR_INIT("horizontalpodautoscalers"), .singular = STR_INIT("horizontalpodautoscaler"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_autoscaling_v1_HorizontalPodAutoscaler,
    .short_names = short_names_hpa, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_HorizontalPodAutoscaler, .nsubs = 1,
    .columns = columns_HorizontalPodAutoscaler, .ncolumns = 7,
    .storage_group = STR_INIT("autoscaling"), .storage_version = STR_INIT("v2")};

