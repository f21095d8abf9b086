/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_testing.h"

static struct json convert(struct arena *a, const char *text, str group_version)
{
    struct json v = testing_json(a, text), out = json_null();
    struct err err = ERR_NONE;
    const struct api_resource *from = testing_resource_of(a, &v),
                              *to = testing_resource(a, group_version, json_get_str(&v, S("kind")));
    T_NO_ERR(api_convert(a, from, to, &v, &out, &err), &err);
    return out;
}

/* Both directions give the other text. */
static void check_pair(const char *one, str one_version, const char *other, str other_version)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v = convert(&a, one, other_version);
    T_EQ_JSON(&a, &v, other);
    v = convert(&a, other, one_version);
    T_EQ_JSON(&a, &v, one);
}

TEST(events_change_their_names)
{
    check_pair(
        "{'kind':'Event','apiVersion':'v1','metadata':{'name':'e'},'involvedObject':{'kind':'Pod'},'message':'m','source':{'"
        "host':'h'},"
        "'firstTimestamp':'2024-01-02T03:04:05Z','lastTimestamp':'2024-01-02T03:04:06Z','count':2,'reportingComponent':'c','reportingInstance':'i','reason':'r'}",
        S("v1"),
        "{'kind':'Event','apiVersion':'events.k8s.io/v1','metadata':{'name':'e'},'regarding':{'kind':'Pod'},'note':'m',"
        "'deprecatedSource':{'host':'h'},'deprecatedFirstTimestamp':'2024-01-02T03:04:05Z','deprecatedLastTimestamp':'2024-01-02T03:04:06Z','deprecatedCount':2,'"
        "reportingController':'c',"
        "'reportingInstance':'i','reason':'r'}",
        S("events.k8s.io/v1"));
    ARENA_AUTO a = ARENA_INIT;
    struct json v = convert(&a, "{'kind':'Event','apiVersion':'events.k8s.io/v1','metadata':{'name':'e'},'note':'m'}", S("v1"));
    T_EQ_JSON(&a, &v, "{'kind':'Event','apiVersion':'v1','metadata':{'name':'e'},'message':'m','firstTimestamp':null,'lastTimestamp':null}");
}

TEST(cpu_target_is_a_field_in_v1)
{
    check_pair("{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v1','metadata':{'name':'h'},"
               "'spec':{'maxReplicas':3,'scaleTargetRef':{'kind':'Deployment','name':'d'},'targetCPUUtilizationPercentage':50},"
               "'status':{'desiredReplicas':1,'currentReplicas':1}}",
               S("autoscaling/v1"),
               "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','metadata':{'name':'h'},"
               "'spec':{'maxReplicas':3,'scaleTargetRef':{'kind':'Deployment','name':'d'},'metrics':[{'type':'Resource',"
               "'resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':50}}}]},'status':{'"
               "desiredReplicas':1,'currentReplicas':1}}",
               S("autoscaling/v2"));
}

TEST(what_v1_cannot_say_survives_in_annotations)
{
    ARENA_AUTO a = ARENA_INIT;
    const char *full =
        "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/"
        "v2','metadata':{'name':'h','annotations':{'k':'v'}},'spec':{'maxReplicas':3,"
        "'scaleTargetRef':{'kind':'Deployment','name':'d'},'behavior':{'scaleUp':{'selectPolicy':'Max','policies':[{'type':'"
        "Pods','value':4,"
        "'periodSeconds':15}]}},'metrics':["
        "{'type':'Pods','pods':{'metric':{'name':'p','selector':{'matchLabels':{'a':'b'}}},'target':{'type':'AverageValue','"
        "averageValue':'1k'}}},"
        "{'type':'Object','object':{'describedObject':{'kind':'S','name':'s'},'metric':{'name':'o'},'target':{'type':'Value','"
        "value':'5'}}},"
        "{'type':'External','external':{'metric':{'name':'e'},'target':{'type':'Value','value':'7'}}},"
        "{'type':'ContainerResource','containerResource':{'name':'memory','container':'c','target':{'type':'AverageValue','"
        "averageValue':'1Gi'}}},"
        "{'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':60}}}]},"
        "'status':{'desiredReplicas':2,'currentMetrics':[{'type':'Resource','resource':{'name':'cpu','current':{'"
        "averageUtilization':40,"
        "'averageValue':'10m'}}}],'conditions':[{'type':'AbleToScale','status':'True'}]}}";
    struct json v1 = convert(&a, full, S("autoscaling/v1"));
    T_EQ_INT(json_get_int(json_get(&v1, S("spec")), S("targetCPUUtilizationPercentage"), 0), 60);
    T_EQ_INT(json_get_int(json_get(&v1, S("status")), S("currentCPUUtilizationPercentage"), 0), 40);
    const struct json *annotations = json_path(&v1, "metadata", "annotations", NULL);
    T_EQ_STR(json_get_str(annotations, S("autoscaling.alpha.kubernetes.io/current-metrics")),
             "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"currentAverageUtilization\":40,\"currentAverageValue\":"
             "\"10m\"}}]");
    T_EQ_STR(json_get_str(annotations, S("autoscaling.alpha.kubernetes.io/behavior")),
             "{\"ScaleUp\":{\"SelectPolicy\":\"Max\",\"Policies\":[{\"Type\":\"Pods\",\"Value\":4,\"PeriodSeconds\":15}]}}");
    struct err err = ERR_NONE;
    struct json back;
    T_NO_ERR(api_convert(&a, testing_resource_of(&a, &v1),
                         testing_resource(&a, S("autoscaling/v2"), json_get_str(&v1, S("kind"))), &v1, &back, &err),
             &err);
    T_EQ_JSON(&a, &back, full);
}

TEST(bad_annotations_are_ignored)
{
    ARENA_AUTO a = ARENA_INIT;
    struct json v =
        convert(&a,
                "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v1','metadata':{'annotations':{"
                "'autoscaling.alpha.kubernetes.io/metrics':'[{\\'type\\':5}]','autoscaling.alpha.kubernetes.io/behavior':'[',"
                "'autoscaling.alpha.kubernetes.io/conditions':'{}'}},'spec':{'maxReplicas':1}}",
                S("autoscaling/v2"));
    T_EQ_JSON(
        &a, &v,
        "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','metadata':{},'spec':{'maxReplicas':1,'metrics':[{"
        "'type':'Resource','resource':{'name':'cpu','target':{'type':'Utilization','averageUtilization':80}}}]},'status':{}}");
}

TEST(same_schema_changes_the_version_only)
{
    ARENA_AUTO a = ARENA_INIT;
    struct api_resource v1 = {.group = S("g"), .version = S("v1"), .kind = S("W"), .flags = API_CUSTOM, .type = &schema_any};
    struct api_resource v2 = {
        .group = S("g"), .version = S("v2"), .kind = S("W"), .flags = API_CUSTOM, .type = &schema_raw_object};
    struct json v = testing_json(&a, "{'kind':'W','apiVersion':'g/v1','spec':{'a':[]}}"), out;
    struct err err = ERR_NONE;
    T_NO_ERR(api_convert(&a, &v1, &v2, &v, &out, &err), &err);
    T_EQ_JSON(&a, &out, "{'kind':'W','apiVersion':'g/v2','spec':{'a':[]}}");
    T_EQ_STR(json_get_str(&v, S("apiVersion")), "g/v1");
    v1.flags = 0;
    T_ERR(api_convert(&a, &v1, &v2, &v, &out, &err), E_INTERNAL);
}

TEST_MAIN(events_change_their_names, cpu_target_is_a_field_in_v1, what_v1_cannot_say_survives_in_annotations,
          bad_annotations_are_ignored, same_schema_changes_the_version_only)
