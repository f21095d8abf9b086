/* autoscaling_v2.c: written by tools/gen_api.py from api/autoscaling_v2.api; do not edit. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"

static const struct schema_type list_MetricSpec = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v2_MetricSpec};
static const str enum_ContainerResource_External_Object_Pods_Resource[] = {STR_INIT("ContainerResource"), STR_INIT("External"), STR_INIT("Object"), STR_INIT("Pods"), STR_INIT("Resource")};
static const struct schema_rules rules_enums_ContainerResource_External_Object_Pods_Resource = {.enums = enum_ContainerResource_External_Object_Pods_Resource, .nenums = 5};
static const str enum_Disabled_Max_Min[] = {STR_INIT("Disabled"), STR_INIT("Max"), STR_INIT("Min")};
static const struct schema_rules rules_enums_Disabled_Max_Min = {.enums = enum_Disabled_Max_Min, .nenums = 3};
static const struct schema_type list_HPAScalingPolicy = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v2_HPAScalingPolicy};
static const str enum_Percent_Pods[] = {STR_INIT("Percent"), STR_INIT("Pods")};
static const struct schema_rules rules_enums_Percent_Pods = {.enums = enum_Percent_Pods, .nenums = 2};
static const str enum_AverageValue_Utilization_Value[] = {STR_INIT("AverageValue"), STR_INIT("Utilization"), STR_INIT("Value")};
static const struct schema_rules rules_enums_AverageValue_Utilization_Value = {.enums = enum_AverageValue_Utilization_Value, .nenums = 3};
static const struct schema_type list_MetricStatus = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v2_MetricStatus};
static const str keys_type[] = {STR_INIT("type")};
static const struct schema_type list_HorizontalPodAutoscalerCondition_map_type = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v2_HorizontalPodAutoscalerCondition, .list_type = SCHEMA_LIST_MAP, .keys = keys_type, .nkeys = 1};
static const struct schema_type list_HorizontalPodAutoscaler = {.kind = SCHEMA_LIST, .elem = &schema_autoscaling_v2_HorizontalPodAutoscaler};
static const str short_names_hpa[] = {STR_INIT("hpa")};
static const str categories_all[] = {STR_INIT("all")};
static const struct schema_field fields_HorizontalPodAutoscaler[5] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ObjectMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Name, labels, annotations and the other standard metadata.")},
    {.name = STR_INIT("spec"), .type = &schema_autoscaling_v2_HorizontalPodAutoscalerSpec, .pb = 2, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Desired state; this is the part you write.")},
    {.name = STR_INIT("status"), .type = &schema_autoscaling_v2_HorizontalPodAutoscalerStatus, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Observed state; written by the cluster, not by you.")}};
static const uint8_t index_HorizontalPodAutoscaler[16] = {3, 0, 0, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 4, 5};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscaler = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscaler"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler"), .doc = STR_INIT("Adjusts the replica count of a workload to its load."), .fields = fields_HorizontalPodAutoscaler, .nfields = 5, .index8 = index_HorizontalPodAutoscaler, .index_mask = 15};

static const struct schema_field fields_HorizontalPodAutoscalerSpec[5] = {
    {.name = STR_INIT("scaleTargetRef"), .type = &schema_autoscaling_v2_CrossVersionObjectReference, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Workload whose replica count is adjusted.")},
    {.name = STR_INIT("minReplicas"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_POINTER, .dflt = STR_INIT("1"), .doc = STR_INIT("Fewest replicas; 1 when absent.")},
    {.name = STR_INIT("maxReplicas"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Most replicas; not below minReplicas.")},
    {.name = STR_INIT("metrics"), .type = &list_MetricSpec, .pb = 4, .doc = STR_INIT("Metrics to scale by; the highest demand wins. Absent: CPU at 80%.")},
    {.name = STR_INIT("behavior"), .type = &schema_autoscaling_v2_HorizontalPodAutoscalerBehavior, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("How fast to scale in each direction; defaults when absent.")}};
static const uint8_t index_HorizontalPodAutoscalerSpec[16] = {3, 0, 2, 0, 0, 0, 4, 5, 0, 1, 0, 0, 0, 0, 0, 0};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscalerSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerSpec"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec"), .doc = STR_INIT("What is scaled, within which bounds, by which metrics."), .fields = fields_HorizontalPodAutoscalerSpec, .nfields = 5, .index8 = index_HorizontalPodAutoscalerSpec, .index_mask = 15};

static const struct schema_field fields_CrossVersionObjectReference[3] = {
    {.name = STR_INIT("kind"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Kind of the object, such as Deployment.")},
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the object, in the same namespace.")},
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .pb = 3, .doc = STR_INIT("Group and version of the object.")}};
const struct schema_type schema_autoscaling_v2_CrossVersionObjectReference = {.kind = SCHEMA_OBJECT, .name = STR_INIT("CrossVersionObjectReference"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.CrossVersionObjectReference"), .doc = STR_INIT("Names the object that is scaled or measured."), .fields = fields_CrossVersionObjectReference, .nfields = 3};

static const struct schema_field fields_MetricSpec[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Resource, ContainerResource, Pods, Object or External; names the member that is set."), .rules = &rules_enums_ContainerResource_External_Object_Pods_Resource},
    {.name = STR_INIT("object"), .type = &schema_autoscaling_v2_ObjectMetricSource, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric of a single object.")},
    {.name = STR_INIT("pods"), .type = &schema_autoscaling_v2_PodsMetricSource, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric that each pod reports, averaged.")},
    {.name = STR_INIT("resource"), .type = &schema_autoscaling_v2_ResourceMetricSource, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU or memory of the pods, averaged.")},
    {.name = STR_INIT("containerResource"), .type = &schema_autoscaling_v2_ContainerResourceMetricSource, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU or memory of one container in each pod, averaged.")},
    {.name = STR_INIT("external"), .type = &schema_autoscaling_v2_ExternalMetricSource, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric from outside the cluster.")}};
static const uint8_t index_MetricSpec[16] = {0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 6, 5, 1, 3, 0};
const struct schema_type schema_autoscaling_v2_MetricSpec = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricSpec"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.MetricSpec"), .doc = STR_INIT("One metric to scale by; the member named by type is set."), .fields = fields_MetricSpec, .nfields = 6, .index8 = index_MetricSpec, .index_mask = 15};

static const struct schema_field fields_HorizontalPodAutoscalerBehavior[2] = {
    {.name = STR_INIT("scaleUp"), .type = &schema_autoscaling_v2_HPAScalingRules, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Rules for adding pods; absent: up to 4 or double per 15 s.")},
    {.name = STR_INIT("scaleDown"), .type = &schema_autoscaling_v2_HPAScalingRules, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Rules for removing pods; absent: the lowest need of 300 s counts.")}};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscalerBehavior = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerBehavior"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerBehavior"), .doc = STR_INIT("How fast the count may go up and down."), .fields = fields_HorizontalPodAutoscalerBehavior, .nfields = 2};

static const struct schema_field fields_HPAScalingRules[4] = {
    {.name = STR_INIT("stabilizationWindowSeconds"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Seconds of past advice to smooth over; 0 up, 300 down when absent.")},
    {.name = STR_INIT("selectPolicy"), .type = &schema_string, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Which policy counts: Max, Min, or Disabled for no scaling; Max when absent."), .rules = &rules_enums_Disabled_Max_Min},
    {.name = STR_INIT("policies"), .type = &list_HPAScalingPolicy, .pb = 2, .doc = STR_INIT("Limits on the speed; defaults when absent.")},
    {.name = STR_INIT("tolerance"), .type = &schema_quantity, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Relative deviation from the target to ignore; 0.1 when absent.")}};
const struct schema_type schema_autoscaling_v2_HPAScalingRules = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HPAScalingRules"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HPAScalingRules"), .doc = STR_INIT("Rules for one direction of scaling."), .fields = fields_HPAScalingRules, .nfields = 4};

static const struct schema_field fields_HPAScalingPolicy[3] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Unit of value: Pods or Percent of the current count."), .rules = &rules_enums_Percent_Pods},
    {.name = STR_INIT("value"), .type = &schema_int32, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Most to change within the period; above 0.")},
    {.name = STR_INIT("periodSeconds"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Length of the period in seconds, 1 to 1800.")}};
const struct schema_type schema_autoscaling_v2_HPAScalingPolicy = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HPAScalingPolicy"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HPAScalingPolicy"), .doc = STR_INIT("The most that may change in a span of time."), .fields = fields_HPAScalingPolicy, .nfields = 3};

static const struct schema_field fields_ObjectMetricSource[3] = {
    {.name = STR_INIT("describedObject"), .type = &schema_autoscaling_v2_CrossVersionObjectReference, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Object that the metric belongs to.")},
    {.name = STR_INIT("target"), .type = &schema_autoscaling_v2_MetricTarget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Value to aim for, in total or per pod.")},
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")}};
const struct schema_type schema_autoscaling_v2_ObjectMetricSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectMetricSource"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ObjectMetricSource"), .doc = STR_INIT("A metric of one object."), .fields = fields_ObjectMetricSource, .nfields = 3};

static const struct schema_field fields_PodsMetricSource[2] = {
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")},
    {.name = STR_INIT("target"), .type = &schema_autoscaling_v2_MetricTarget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Average per pod to aim for; type AverageValue.")}};
const struct schema_type schema_autoscaling_v2_PodsMetricSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodsMetricSource"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.PodsMetricSource"), .doc = STR_INIT("A metric averaged over the pods."), .fields = fields_PodsMetricSource, .nfields = 2};

static const struct schema_field fields_ResourceMetricSource[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the resource: cpu or memory.")},
    {.name = STR_INIT("target"), .type = &schema_autoscaling_v2_MetricTarget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Average to aim for; type Utilization or AverageValue.")}};
const struct schema_type schema_autoscaling_v2_ResourceMetricSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceMetricSource"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ResourceMetricSource"), .doc = STR_INIT("CPU, memory and the like, averaged over the pods."), .fields = fields_ResourceMetricSource, .nfields = 2};

static const struct schema_field fields_ContainerResourceMetricSource[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the resource: cpu or memory.")},
    {.name = STR_INIT("target"), .type = &schema_autoscaling_v2_MetricTarget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Average to aim for; type Utilization or AverageValue.")},
    {.name = STR_INIT("container"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Container of the pods that is measured.")}};
const struct schema_type schema_autoscaling_v2_ContainerResourceMetricSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerResourceMetricSource"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ContainerResourceMetricSource"), .doc = STR_INIT("CPU, memory and the like of one container, averaged over the pods."), .fields = fields_ContainerResourceMetricSource, .nfields = 3};

static const struct schema_field fields_ExternalMetricSource[2] = {
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")},
    {.name = STR_INIT("target"), .type = &schema_autoscaling_v2_MetricTarget, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Value to aim for, in total or per pod.")}};
const struct schema_type schema_autoscaling_v2_ExternalMetricSource = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExternalMetricSource"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ExternalMetricSource"), .doc = STR_INIT("A metric from outside the cluster."), .fields = fields_ExternalMetricSource, .nfields = 2};

static const struct schema_field fields_MetricIdentifier[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the metric.")},
    {.name = STR_INIT("selector"), .type = &schema_meta_v1_LabelSelector, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Narrows the metric by labels; absent takes it by name alone.")}};
const struct schema_type schema_autoscaling_v2_MetricIdentifier = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricIdentifier"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.MetricIdentifier"), .doc = STR_INIT("Name and selector of a metric."), .fields = fields_MetricIdentifier, .nfields = 2};

static const struct schema_field fields_MetricTarget[4] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which member counts: Utilization, Value or AverageValue."), .rules = &rules_enums_AverageValue_Utilization_Value},
    {.name = STR_INIT("value"), .type = &schema_quantity, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Total value to aim for.")},
    {.name = STR_INIT("averageValue"), .type = &schema_quantity, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Average per pod to aim for.")},
    {.name = STR_INIT("averageUtilization"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("Average use to aim for, in percent of the requests.")}};
const struct schema_type schema_autoscaling_v2_MetricTarget = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricTarget"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.MetricTarget"), .doc = STR_INIT("The value to aim for."), .fields = fields_MetricTarget, .nfields = 4};

static const struct schema_field fields_HorizontalPodAutoscalerStatus[6] = {
    {.name = STR_INIT("observedGeneration"), .type = &schema_int64, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Generation of the object that this status describes.")},
    {.name = STR_INIT("lastScaleTime"), .type = &schema_time, .pb = 2, .doc = STR_INIT("When the replica count was last changed.")},
    {.name = STR_INIT("currentReplicas"), .type = &schema_int32, .pb = 3, .doc = STR_INIT("Replicas that were seen last.")},
    {.name = STR_INIT("desiredReplicas"), .type = &schema_int32, .pb = 4, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Replicas that the autoscaler asked for last.")},
    {.name = STR_INIT("currentMetrics"), .type = &list_MetricStatus, .pb = 5, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Last readings of the metrics.")},
    {.name = STR_INIT("conditions"), .type = &list_HorizontalPodAutoscalerCondition_map_type, .pb = 6, .patch = SCHEMA_PATCH_MERGE, .merge_key = STR_INIT("type"), .doc = STR_INIT("Aspects of the state, each with its own status and reason.")}};
static const uint8_t index_HorizontalPodAutoscalerStatus[16] = {0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 0, 1, 2, 3, 4, 0};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscalerStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerStatus"), .doc = STR_INIT("What the autoscaler saw and decided last."), .fields = fields_HorizontalPodAutoscalerStatus, .nfields = 6, .index8 = index_HorizontalPodAutoscalerStatus, .index_mask = 15};

static const struct schema_field fields_HorizontalPodAutoscalerCondition[5] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Aspect: AbleToScale, ScalingActive or ScalingLimited.")},
    {.name = STR_INIT("status"), .type = &schema_string, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("True, False or Unknown.")},
    {.name = STR_INIT("lastTransitionTime"), .type = &schema_time, .pb = 3, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("When the status last flipped.")},
    {.name = STR_INIT("reason"), .type = &schema_string, .pb = 4, .doc = STR_INIT("Cause of the last change, as one CamelCase word for programs.")},
    {.name = STR_INIT("message"), .type = &schema_string, .pb = 5, .doc = STR_INIT("Explanation of the last change, for people.")}};
static const uint8_t index_HorizontalPodAutoscalerCondition[16] = {0, 0, 0, 0, 5, 0, 0, 3, 0, 4, 0, 0, 0, 1, 0, 2};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscalerCondition = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerCondition"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition"), .doc = STR_INIT("One aspect of an autoscaler's state."), .fields = fields_HorizontalPodAutoscalerCondition, .nfields = 5, .index8 = index_HorizontalPodAutoscalerCondition, .index_mask = 15};

static const struct schema_field fields_MetricStatus[6] = {
    {.name = STR_INIT("type"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Resource, ContainerResource, Pods, Object or External; names the member that is set.")},
    {.name = STR_INIT("object"), .type = &schema_autoscaling_v2_ObjectMetricStatus, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric of a single object.")},
    {.name = STR_INIT("pods"), .type = &schema_autoscaling_v2_PodsMetricStatus, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric that each pod reports, averaged.")},
    {.name = STR_INIT("resource"), .type = &schema_autoscaling_v2_ResourceMetricStatus, .pb = 4, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU or memory of the pods, averaged.")},
    {.name = STR_INIT("containerResource"), .type = &schema_autoscaling_v2_ContainerResourceMetricStatus, .pb = 7, .flags = SCHEMA_POINTER, .doc = STR_INIT("CPU or memory of one container in each pod, averaged.")},
    {.name = STR_INIT("external"), .type = &schema_autoscaling_v2_ExternalMetricStatus, .pb = 5, .flags = SCHEMA_POINTER, .doc = STR_INIT("Metric from outside the cluster.")}};
static const uint8_t index_MetricStatus[16] = {0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 2, 6, 5, 1, 3, 0};
const struct schema_type schema_autoscaling_v2_MetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.MetricStatus"), .doc = STR_INIT("Last reading of one metric."), .fields = fields_MetricStatus, .nfields = 6, .index8 = index_MetricStatus, .index_mask = 15};

static const struct schema_field fields_ObjectMetricStatus[3] = {
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")},
    {.name = STR_INIT("current"), .type = &schema_autoscaling_v2_MetricValueStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The last reading.")},
    {.name = STR_INIT("describedObject"), .type = &schema_autoscaling_v2_CrossVersionObjectReference, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Object that the metric belongs to.")}};
const struct schema_type schema_autoscaling_v2_ObjectMetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ObjectMetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ObjectMetricStatus"), .doc = STR_INIT("Last reading of a metric of one object."), .fields = fields_ObjectMetricStatus, .nfields = 3};

static const struct schema_field fields_PodsMetricStatus[2] = {
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")},
    {.name = STR_INIT("current"), .type = &schema_autoscaling_v2_MetricValueStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The last reading.")}};
const struct schema_type schema_autoscaling_v2_PodsMetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("PodsMetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.PodsMetricStatus"), .doc = STR_INIT("Last reading of a metric averaged over the pods."), .fields = fields_PodsMetricStatus, .nfields = 2};

static const struct schema_field fields_ResourceMetricStatus[2] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the resource: cpu or memory.")},
    {.name = STR_INIT("current"), .type = &schema_autoscaling_v2_MetricValueStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The last reading.")}};
const struct schema_type schema_autoscaling_v2_ResourceMetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ResourceMetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ResourceMetricStatus"), .doc = STR_INIT("Last reading of CPU, memory and the like."), .fields = fields_ResourceMetricStatus, .nfields = 2};

static const struct schema_field fields_ContainerResourceMetricStatus[3] = {
    {.name = STR_INIT("name"), .type = &schema_string, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Name of the resource: cpu or memory.")},
    {.name = STR_INIT("current"), .type = &schema_autoscaling_v2_MetricValueStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The last reading.")},
    {.name = STR_INIT("container"), .type = &schema_string, .pb = 3, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Container of the pods that is measured.")}};
const struct schema_type schema_autoscaling_v2_ContainerResourceMetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ContainerResourceMetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ContainerResourceMetricStatus"), .doc = STR_INIT("Last reading of CPU, memory and the like of one container."), .fields = fields_ContainerResourceMetricStatus, .nfields = 3};

static const struct schema_field fields_ExternalMetricStatus[2] = {
    {.name = STR_INIT("metric"), .type = &schema_autoscaling_v2_MetricIdentifier, .pb = 1, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("Which metric to read.")},
    {.name = STR_INIT("current"), .type = &schema_autoscaling_v2_MetricValueStatus, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The last reading.")}};
const struct schema_type schema_autoscaling_v2_ExternalMetricStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("ExternalMetricStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.ExternalMetricStatus"), .doc = STR_INIT("Last reading of a metric from outside the cluster."), .fields = fields_ExternalMetricStatus, .nfields = 2};

static const struct schema_field fields_MetricValueStatus[3] = {
    {.name = STR_INIT("value"), .type = &schema_quantity, .pb = 1, .flags = SCHEMA_POINTER, .doc = STR_INIT("Total value that was read.")},
    {.name = STR_INIT("averageValue"), .type = &schema_quantity, .pb = 2, .flags = SCHEMA_POINTER, .doc = STR_INIT("Average per pod that was read.")},
    {.name = STR_INIT("averageUtilization"), .type = &schema_int32, .pb = 3, .flags = SCHEMA_POINTER, .doc = STR_INIT("Average use that was read, in percent of the requests.")}};
const struct schema_type schema_autoscaling_v2_MetricValueStatus = {.kind = SCHEMA_OBJECT, .name = STR_INIT("MetricValueStatus"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.MetricValueStatus"), .doc = STR_INIT("A reading, as value, average or percentage."), .fields = fields_MetricValueStatus, .nfields = 3};

static const struct schema_field fields_HorizontalPodAutoscalerList[4] = {
    {.name = STR_INIT("apiVersion"), .type = &schema_string, .doc = STR_INIT("Group and version of this object's schema.")},
    {.name = STR_INIT("kind"), .type = &schema_string, .doc = STR_INIT("Kind of this object.")},
    {.name = STR_INIT("metadata"), .type = &schema_meta_v1_ListMeta, .pb = 1, .flags = SCHEMA_ALWAYS, .doc = STR_INIT("Version and paging of the list.")},
    {.name = STR_INIT("items"), .type = &list_HorizontalPodAutoscaler, .pb = 2, .flags = SCHEMA_REQUIRED | SCHEMA_ALWAYS, .doc = STR_INIT("The objects.")}};
const struct schema_type schema_autoscaling_v2_HorizontalPodAutoscalerList = {.kind = SCHEMA_OBJECT, .name = STR_INIT("HorizontalPodAutoscalerList"), .openapi = STR_INIT("io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerList"), .doc = STR_INIT("A list of horizontalpodautoscalers."), .fields = fields_HorizontalPodAutoscalerList, .nfields = 4};

static const struct api_subresource subs_HorizontalPodAutoscaler[] = {
    {.name = STR_INIT("status"), .kind = STR_INIT("HorizontalPodAutoscaler"), .verbs = API_VERB_GET | API_VERB_PATCH | API_VERB_UPDATE, .type = &schema_autoscaling_v2_HorizontalPodAutoscaler}};
static const struct api_column columns_HorizontalPodAutoscaler[] = {
    {.name = STR_INIT("Name"), .type = STR_INIT("string"), .format = STR_INIT("name"), .doc = STR_INIT("Name of the object."), .json_path = STR_INIT(".metadata.name")},
    {.name = STR_INIT("Reference"), .type = STR_INIT("string"), .doc = STR_INIT("Workload that is scaled."), .cell = STR_INIT("horizontal_pod_autoscaler_reference")},
    {.name = STR_INIT("Targets"), .type = STR_INIT("string"), .doc = STR_INIT("Current and wanted value of each metric."), .cell = STR_INIT("horizontal_pod_autoscaler_targets")},
    {.name = STR_INIT("MinPods"), .type = STR_INIT("string"), .doc = STR_INIT("Fewest replicas."), .cell = STR_INIT("horizontal_pod_autoscaler_min_pods")},
    {.name = STR_INIT("MaxPods"), .type = STR_INIT("string"), .doc = STR_INIT("Most replicas."), .cell = STR_INIT("horizontal_pod_autoscaler_max_pods")},
    {.name = STR_INIT("Replicas"), .type = STR_INIT("string"), .doc = STR_INIT("Replicas at the last look."), .cell = STR_INIT("horizontal_pod_autoscaler_replicas")},
    {.name = STR_INIT("Age"), .type = STR_INIT("string"), .doc = STR_INIT("Time since the object was created."), .cell = STR_INIT("age")}};
const struct api_resource api_autoscaling_v2_horizontalpodautoscalers = {
    .group = STR_INIT("autoscaling"), .version = STR_INIT("v2"), .kind = STR_INIT("HorizontalPodAutoscaler"),
    .list_kind = STR_INIT("HorizontalPodAutoscalerList"), .plural = STR_INIT("horizontalpodautoscalers"), .singular = STR_INIT("horizontalpodautoscaler"),
    .name_rule = API_NAME_DNS_SUBDOMAIN, .flags = API_NAMESPACED,
    .verbs = API_VERBS_ALL, .type = &schema_autoscaling_v2_HorizontalPodAutoscaler,
    .short_names = short_names_hpa, .nshort_names = 1,
    .categories = categories_all, .ncategories = 1,
    .subs = subs_HorizontalPodAutoscaler, .nsubs = 1,
    .columns = columns_HorizontalPodAutoscaler, .ncolumns = 7,
    .storage_group = STR_INIT("autoscaling"), .storage_version = STR_INIT("v2")};

