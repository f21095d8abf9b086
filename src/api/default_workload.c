/* Computed defaults of the workload kinds and of the autoscaler. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/default_internal.h"

static void default_number(struct arena *a, struct json *obj, str key, str text)
{
    default_missing(a, obj, key, json_number_text(text));
}

static void default_text(struct arena *a, struct json *obj, str key, str text)
{
    if (!json_get_str(obj, key).len)
        json_set(a, obj, key, json_string(text));
}

/* --- apps ----------------------------------------------------------------------------------------------- */

/* The bounds of a rolling update are plain defaults of that struct, which has to exist for them. */
static void rolling_update(struct arena *a, struct json *strategy)
{
    str type = json_get_str(strategy, S("type"));
    if (!type.len || str_is(type, "RollingUpdate"))
        default_missing(a, strategy, S("rollingUpdate"), json_object());
}

void default_deployment_strategy(struct arena *a, struct json *obj)
{
    rolling_update(a, obj);
}

void default_daemon_set_strategy(struct arena *a, struct json *obj)
{
    rolling_update(a, obj);
}

/* Old controllers counted template changes in this annotation; it is still written. */
void default_daemon_set(struct arena *a, struct json *obj)
{
    struct json *metadata = json_ensure_object(a, obj, S("metadata"));
    default_missing(a, json_ensure_object(a, metadata, S("annotations")), S("deprecated.daemonset.template.generation"),
                    json_string(S("1")));
}

/* Unlike the other two kinds, a type that is given does not bring rollingUpdate with it. */
void default_stateful_set(struct arena *a, struct json *obj)
{
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    struct json *strategy = json_ensure_object(a, spec, S("updateStrategy"));
    if (!json_get_str(strategy, S("type")).len)
        default_missing(a, strategy, S("rollingUpdate"), json_object());
    struct json *claims = json_get(spec, S("volumeClaimTemplates"));
    for (uint32_t i = 0; json_is(claims, JSON_ARRAY) && i < claims->len; i++) {
        default_text(a, &claims->items[i], S("apiVersion"), S("v1"));
        default_text(a, &claims->items[i], S("kind"), S("PersistentVolumeClaim"));
    }
}

/* --- batch ----------------------------------------------------------------------------------------------- */

/* Of a Job itself; the template in a CronJob is left as it is until the Job is made. */
void default_job(struct arena *a, struct json *obj)
{
    const struct json *labels = json_path(obj, "spec", "template", "metadata", "labels", NULL);
    if (labels)
        default_string_map(a, json_ensure_object(a, obj, S("metadata")), S("labels"), labels);
    struct json *spec = json_ensure_object(a, obj, S("spec"));
    if (!json_get(spec, S("parallelism")))
        default_number(a, spec, S("completions"), S("1"));
    default_number(a, spec, S("parallelism"), S("1"));
    default_number(a, spec, S("backoffLimit"), json_get(spec, S("backoffLimitPerIndex")) ? S("2147483647") : S("6"));
    default_missing(a, spec, S("completionMode"), json_string(S("NonIndexed")));
    default_missing(a, spec, S("suspend"), json_bool(false));
    default_missing(a, spec, S("podReplacementPolicy"),
                    json_string(json_get(spec, S("podFailurePolicy")) ? S("Failed") : S("TerminatingOrFailed")));
    default_missing(a, spec, S("manualSelector"), json_bool(false));
}

/* --- autoscaling ----------------------------------------------------------------------------------------- */

/* Processor use is the metric when none is given; what v1 cannot say about others stands in an annotation. */
void default_hpa_v1(struct arena *a, struct json *obj)
{
    if (!json_path(obj, "metadata", "annotations", "autoscaling.alpha.kubernetes.io/metrics", NULL))
        default_number(a, json_ensure_object(a, obj, S("spec")), S("targetCPUUtilizationPercentage"), S("80"));
}

void default_hpa_v2_spec(struct arena *a, struct json *obj)
{
    const struct json *metrics = json_get(obj, S("metrics"));
    if (!metrics || !metrics->len)
        json_set(a, obj, S("metrics"),
                 json_literal(a, "[{\"type\":\"Resource\",\"resource\":{\"name\":\"cpu\",\"target\":"
                                 "{\"type\":\"Utilization\",\"averageUtilization\":80}}}]"));
}

/* Rules for one direction; there is no default window for scaling down, that one is the controller's to choose. */
static void scaling_rules(struct arena *a, struct json *behavior, str direction, const char *policies, bool window)
{
    struct json *rules = json_ensure_object(a, behavior, direction);
    if (window)
        default_number(a, rules, S("stabilizationWindowSeconds"), S("0"));
    default_missing(a, rules, S("selectPolicy"), json_string(S("Max")));
    if (!json_get(rules, S("policies")))
        json_set(a, rules, S("policies"), json_literal(a, policies));
}

void default_hpa_v2_behavior(struct arena *a, struct json *obj)
{
#define DOUBLE_IN_15S "{\"type\":\"Percent\",\"value\":100,\"periodSeconds\":15}"
    scaling_rules(a, obj, S("scaleUp"), "[{\"type\":\"Pods\",\"value\":4,\"periodSeconds\":15}," DOUBLE_IN_15S "]", true);
    scaling_rules(a, obj, S("scaleDown"), "[" DOUBLE_IN_15S "]", false);
}
