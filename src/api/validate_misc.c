/* validate_misc.c - autoscalers, disruption budgets, priority classes, leases, runtime classes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/validate_internal.h"

/* --- autoscalers ---------------------------------------------------------------------------------------------------------------- */

void v_hpa_reference(struct vctx *c, const struct vpath *p, const struct json *ref)
{
    v_check_member(c, p, ref, S("kind"), validate_path_segment);
    v_check_member(c, p, ref, S("name"), validate_path_segment);
}

/* Both versions: v1 knows only the use of CPU. */
void v_hpa_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    int64_t min = json_get_int(spec, S("minReplicas"), 1), max = V_INT(spec, "maxReplicas"),
            cpu = json_get_int(spec, S("targetCPUUtilizationPercentage"), 1);
    if (min < 1)
        v_invalid_int(c, V_FIELD(p, "minReplicas"), min, "must be greater than or equal to 1");
    if (max < 1)
        v_invalid_int(c, V_FIELD(p, "maxReplicas"), max, "must be greater than 0");
    if (max < min)
        v_invalid_int(c, V_FIELD(p, "maxReplicas"), max, "must be greater than or equal to `minReplicas`");
    if (cpu < 1)
        v_invalid_int(c, V_FIELD(p, "targetCPUUtilizationPercentage"), cpu, "must be greater than 0");
    if (!V_GET(spec, "scaleTargetRef")) {
        v_required(c, V_FIELD(V_FIELD(p, "scaleTargetRef"), "kind"), V_NO_DETAIL);
        v_required(c, V_FIELD(V_FIELD(p, "scaleTargetRef"), "name"), V_NO_DETAIL);
    }
}

void v_hpa_target(struct vctx *c, const struct vpath *p, const struct json *target)
{
    static const str amounts[] = {STR_INIT("value"), STR_INIT("averageValue")};
    int64_t use = json_get_int(target, S("averageUtilization"), 1);
    struct quantity q;
    for (size_t i = 0; i < ARRAY_LEN(amounts); i++) {
        if (v_quantity(target, amounts[i], &q) && quantity_sign(&q) <= 0)
            v_invalid(c, V_MEMBER(p, amounts[i]), v_get(target, amounts[i]), "must be positive");
    }
    if (use < 1)
        v_invalid_int(c, V_FIELD(p, "averageUtilization"), use, "must be greater than 0");
}

static const struct {
    const char *type;
    str field;
} metric_sources[] = {
    {"Object", STR_INIT("object")},
    {"External", STR_INIT("external")},
    {"Pods", STR_INIT("pods")},
    {"Resource", STR_INIT("resource")},
    {"ContainerResource", STR_INIT("containerResource")},
};

/* A total, an average per pod, or a use in percent: which of them a source can have. */
static void check_source_target(struct vctx *c, const struct vpath *p, str type, const struct json *target)
{
    bool value = V_GET(target, "value"), average = V_GET(target, "averageValue"), use = V_GET(target, "averageUtilization");
    if (str_is(type, "Object") && !value && !average)
        v_required(c, V_FIELD(p, "averageValue"), "must set either a target value or averageValue");
    if (str_is(type, "External") && !value && !average)
        v_required(c, V_FIELD(p, "averageValue"), "must set either a target value for metric or a per-pod target");
    if (str_is(type, "External") && value && average)
        v_forbidden(c, V_FIELD(p, "value"), "may not set both a target value for metric and a per-pod target");
    if (str_is(type, "Pods") && !average)
        v_required(c, V_FIELD(p, "averageValue"), "must specify a positive target averageValue");
    if (!v_in(type, "Resource|ContainerResource"))
        return;
    if (!use && !average)
        v_required(c, V_FIELD(p, "averageUtilization"), "must set either a target raw value or a target utilization");
    if (use && average)
        v_forbidden(c, V_FIELD(p, "averageValue"), "may not set both a target raw value and a target utilization");
}

void v_hpa_metric(struct vctx *c, const struct vpath *p, const struct json *metric)
{
    str type = V_STR(metric, "type");
    for (size_t i = 0; i < ARRAY_LEN(metric_sources); i++) {
        const struct json *source = v_get(metric, metric_sources[i].field);
        bool expected = str_is(type, metric_sources[i].type);
        if (expected && !source)
            v_required(c, V_MEMBER(p, metric_sources[i].field), "must populate information for the given metric source");
        else if (!expected && source)
            v_forbidden(c, V_MEMBER(p, metric_sources[i].field), "must populate the given metric source only");
        else if (source)
            check_source_target(c, V_FIELD(V_MEMBER(p, metric_sources[i].field), "target"), type, V_GET(source, "target"));
    }
}

enum { HPA_PERIOD_MAX = 1800, HPA_WINDOW_MAX = 3600 };

void v_hpa_rules(struct vctx *c, const struct vpath *p, const struct json *rules)
{
    int64_t window = V_INT(rules, "stabilizationWindowSeconds");
    struct quantity q;
    if (window < 0)
        v_invalid_int(c, V_FIELD(p, "stabilizationWindowSeconds"), window, "must be greater than or equal to zero");
    if (window > HPA_WINDOW_MAX)
        v_invalid_int(c, V_FIELD(p, "stabilizationWindowSeconds"), window, "must be less than or equal to %d", HPA_WINDOW_MAX);
    if (v_len(V_GET(rules, "policies")) == 0)
        v_required(c, V_FIELD(p, "policies"), "must specify at least one Policy");
    if (v_quantity(rules, S("tolerance"), &q) && quantity_sign(&q) < 0)
        v_invalid(c, V_FIELD(p, "tolerance"), V_GET(rules, "tolerance"), V_NEGATIVE);
}

void v_hpa_policy(struct vctx *c, const struct vpath *p, const struct json *policy)
{
    int64_t value = V_INT(policy, "value"), period = V_INT(policy, "periodSeconds");
    if (value <= 0)
        v_invalid_int(c, V_FIELD(p, "value"), value, V_NOT_POSITIVE);
    if (period <= 0)
        v_invalid_int(c, V_FIELD(p, "periodSeconds"), period, V_NOT_POSITIVE);
    if (period > HPA_PERIOD_MAX)
        v_invalid_int(c, V_FIELD(p, "periodSeconds"), period, "must be less than or equal to %d", HPA_PERIOD_MAX);
}

/* --- disruption budgets ---------------------------------------------------------------------------------------------------------- */

void v_pdb_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str bounds[] = {STR_INIT("minAvailable"), STR_INIT("maxUnavailable")};
    if (V_GET(spec, "minAvailable") && V_GET(spec, "maxUnavailable"))
        v_invalid(c, p, spec, "minAvailable and maxUnavailable cannot be both set");
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        v_check_int_or_percent(c, V_MEMBER(p, bounds[i]), v_get(spec, bounds[i]));
        v_at_most_100_percent(c, V_MEMBER(p, bounds[i]), v_get(spec, bounds[i]));
    }
}

/* --- priority classes --------------------------------------------------------------------------------------------------------------- */

#define USER_PRIORITY_MAX 1000000000

static const struct {
    const char *name;
    int64_t value;
} system_classes[] = {{"system-node-critical", 2000001000}, {"system-cluster-critical", 2000000000}};

static const char *why_not_system(struct vctx *c, const struct json *class, str name)
{
    for (size_t i = 0; i < ARRAY_LEN(system_classes); i++) {
        if (!str_is(name, system_classes[i].name))
            continue;
        if (V_INT(class, "value") != system_classes[i].value)
            return arena_cstr(c->e->arena, arena_fmt(c->e->arena, "value of " STR_FMT " PriorityClass must be %lld", STR_ARG(name),
                                                     (long long)system_classes[i].value));
        return V_BOOL(class, "globalDefault")
                   ? arena_cstr(c->e->arena,
                                arena_fmt(c->e->arena, "globalDefault of " STR_FMT " PriorityClass must be false", STR_ARG(name)))
                   : NULL;
    }
    return arena_cstr(c->e->arena, arena_fmt(c->e->arena, STR_FMT " is not a known system priority class", STR_ARG(name)));
}

void v_priority_class(struct vctx *c, const struct vpath *p, const struct json *class)
{
    str name = V_STR(V_GET(class, "metadata"), "name");
    int64_t value = V_INT(class, "value");
    if (c->old) {
        if (value != V_INT(c->old, "value"))
            v_forbidden(c, V_FIELD(p, "value"), "may not be changed in an update.");
        return;
    }
    if (str_has_prefix(name, S("system-"))) {
        const char *why = why_not_system(c, class, name);
        if (why)
            v_forbidden(c, V_FIELD(V_FIELD(p, "metadata"), "name"),
                        "priority class names with 'system-' prefix are reserved for system use only. error: %s", why);
    } else if (value > USER_PRIORITY_MAX) {
        v_forbidden(c, V_FIELD(p, "value"), "maximum allowed value of a user defined priority is %d", USER_PRIORITY_MAX);
    }
}

/* --- leases, runtime classes ------------------------------------------------------------------------------------------------------------
 */

void v_lease_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    int64_t seconds = json_get_int(spec, S("leaseDurationSeconds"), 1);
    if (seconds <= 0)
        v_invalid_int(c, V_FIELD(p, "leaseDurationSeconds"), seconds, "must be greater than 0");
    v_nonnegative(c, p, spec, S("leaseTransitions"));
    if (V_STR(spec, "preferredHolder").len && V_STR(spec, "strategy").len == 0)
        v_forbidden(c, V_FIELD(p, "preferredHolder"), "may only be specified if `strategy` is defined");
}

void v_runtime_class(struct vctx *c, const struct vpath *p, const struct json *class)
{
    const struct json *overhead = V_GET(V_GET(class, "overhead"), "podFixed");
    const struct vpath *at = V_FIELD(V_FIELD(p, "overhead"), "limits");
    v_check(c, V_FIELD(p, "handler"), V_STR(class, "handler"), validate_dns1123_label);
    v_foreach_member (m, overhead) {
        v_resource_name(c, V_KEY(at, m->key), m->key);
        v_resource_quantity(c, V_KEY(at, m->key), m->key, &m->value);
    }
    v_labels(c, V_FIELD(V_FIELD(p, "scheduling"), "nodeSelector"), V_GET(V_GET(class, "scheduling"), "nodeSelector"));
}
