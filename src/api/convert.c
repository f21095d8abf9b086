/* Versions of one stored kind into each other.
 *
 * Most versions share a schema, and only apiVersion changes.  Events differ in the names of their fields.  The autoscaler's v1 has
 * no place for most of v2: what it cannot express travels in annotations, as in Kubernetes, so that a round trip loses nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec.h"
#include "api/gen/gen.h"

typedef void convert_fn(struct arena *a, struct json *obj);

static void set_unless_null(struct arena *a, struct json *obj, str key, const struct json *value)
{
    if (value && value->type != JSON_NULL)
        json_set(a, obj, key, *value);
}

/* --- events ------------------------------------------------------------------------------------------- */

static const struct {
    str core, events;
} event_names[] = {
    {STR_INIT("involvedObject"), STR_INIT("regarding")},
    {STR_INIT("message"), STR_INIT("note")},
    {STR_INIT("source"), STR_INIT("deprecatedSource")},
    {STR_INIT("firstTimestamp"), STR_INIT("deprecatedFirstTimestamp")},
    {STR_INIT("lastTimestamp"), STR_INIT("deprecatedLastTimestamp")},
    {STR_INIT("count"), STR_INIT("deprecatedCount")},
    {STR_INIT("reportingComponent"), STR_INIT("reportingController")},
};

static void rename_members(struct json *obj, bool to_events)
{
    for (uint32_t i = 0; i < obj->len; i++)
        for (size_t j = 0; j < ARRAY_LEN(event_names); j++)
            if (str_eq(obj->members[i].key, to_events ? event_names[j].core : event_names[j].events)) {
                obj->members[i].key = to_events ? event_names[j].events : event_names[j].core;
                break;
            }
}

static void event_to_events(struct arena *a, struct json *obj)
{
    (void)a;
    rename_members(obj, true);
}

static void event_to_core(struct arena *a, struct json *obj)
{
    (void)a;
    rename_members(obj, false);
}

/* The times are always there in core: kubectl shows nothing when it sorts by a field that no object has. */
static void add_times(struct arena *a, struct json *obj)
{
    static const str times[] = {STR_INIT("firstTimestamp"), STR_INIT("lastTimestamp")};
    for (size_t i = 0; i < ARRAY_LEN(times); i++)
        if (!json_get(obj, times[i]))
            json_set(a, obj, times[i], json_null());
}

/* --- metrics of the autoscaler -------------------------------------------------------------------------- */

/* Where a value stands in v2 and in v1.  "%" is "target" in a spec and "current" in a status. */
struct metric_field {
    const char *source; /* "resource": the member of the metric that holds it, the same in both */
    const char *v2_in;  /* "metric", "%", or "" for the source itself */
    const char *v2;
    const char *v1;
};
static const struct metric_field metric_fields[] = {
    {"resource", "", "name", "name"},
    {"resource", "%", "averageUtilization", "%AverageUtilization"},
    {"resource", "%", "averageValue", "%AverageValue"},
    {"containerResource", "", "name", "name"},
    {"containerResource", "", "container", "container"},
    {"containerResource", "%", "averageUtilization", "%AverageUtilization"},
    {"containerResource", "%", "averageValue", "%AverageValue"},
    {"pods", "metric", "name", "metricName"},
    {"pods", "metric", "selector", "selector"},
    {"pods", "%", "averageValue", "%AverageValue"},
    {"object", "", "describedObject", "target"},
    {"object", "metric", "name", "metricName"},
    {"object", "metric", "selector", "selector"},
    {"object", "%", "value", "%Value"},
    {"object", "%", "averageValue", "averageValue"},
    {"external", "metric", "name", "metricName"},
    {"external", "metric", "selector", "metricSelector"},
    {"external", "%", "value", "%Value"},
    {"external", "%", "averageValue", "%AverageValue"},
};

static str field_name(struct arena *a, const char *pattern, bool status)
{
    str rest = str_of(pattern);
    if (!str_has_prefix(rest, S("%")))
        return rest;
    return arena_cat(a, status ? S("current") : S("target"), str_from(rest, 1));
}

static struct json metric_to_v1(struct arena *a, const struct json *metric, bool status)
{
    struct json out = json_object();
    set_unless_null(a, &out, S("type"), json_get(metric, S("type")));
    for (size_t i = 0; i < ARRAY_LEN(metric_fields); i++) {
        const struct metric_field *f = &metric_fields[i];
        const struct json *source = json_get(metric, str_of(f->source));
        if (!source)
            continue;
        const struct json *in = f->v2_in[0] ? json_get(source, field_name(a, f->v2_in, status)) : source;
        struct json *to = json_ensure_object(a, &out, str_of(f->source));
        set_unless_null(a, to, field_name(a, f->v1, status), json_get(in, str_of(f->v2)));
    }
    return out;
}

/* v1 leaves the type of a target to what is given. */
static void set_target_type(struct arena *a, struct json *metric)
{
    for (uint32_t i = 0; i < metric->len; i++) {
        struct json *source = &metric->members[i].value;
        if (source->type != JSON_OBJECT)
            continue;
        struct json *target = json_ensure_object(a, source, S("target"));
        bool is_object = str_is(metric->members[i].key, "object");
        str type = S("AverageValue");
        if (json_get(target, S("averageUtilization")))
            type = S("Utilization");
        else if (json_get(target, S("value")) && !(is_object && json_get(target, S("averageValue"))))
            type = S("Value");
        json_set(a, target, S("type"), json_string(type));
    }
}

static struct json metric_to_v2(struct arena *a, const struct json *metric, bool status)
{
    struct json out = json_object();
    set_unless_null(a, &out, S("type"), json_get(metric, S("type")));
    for (size_t i = 0; i < ARRAY_LEN(metric_fields); i++) {
        const struct metric_field *f = &metric_fields[i];
        const struct json *source = json_get(metric, str_of(f->source));
        if (!json_is(source, JSON_OBJECT))
            continue;
        struct json *to = json_ensure_object(a, &out, str_of(f->source));
        if (f->v2_in[0])
            to = json_ensure_object(a, to, field_name(a, f->v2_in, status));
        set_unless_null(a, to, str_of(f->v2), json_get(source, field_name(a, f->v1, status)));
    }
    if (!status)
        set_target_type(a, &out);
    return out;
}

static struct json cpu_metric(struct arena *a, const struct json *utilization, bool status)
{
    struct json values = json_object(), resource = json_object(), metric = json_object();
    if (!status)
        json_set(a, &values, S("type"), json_string(S("Utilization")));
    json_set(a, &values, S("averageUtilization"), *utilization);
    json_set(a, &resource, S("name"), json_string(S("cpu")));
    json_set(a, &resource, status ? S("current") : S("target"), values);
    json_set(a, &metric, S("type"), json_string(S("Resource")));
    json_set(a, &metric, S("resource"), resource);
    return metric;
}

/* The utilization when the metric is what v1 has a field for, else NULL. */
static const struct json *cpu_utilization(const struct json *metric, bool status)
{
    const struct json *resource = json_get(metric, S("resource"));
    if (!str_is(json_get_str(metric, S("type")), "Resource") || !str_is(json_get_str(resource, S("name")), "cpu"))
        return NULL;
    return json_path(resource, status ? "current" : "target", "averageUtilization", NULL);
}

/* --- annotations that carry the rest -------------------------------------------------------------------- */

#define HPA_ANNOTATION "autoscaling.alpha.kubernetes.io/"
static const str hpa_metrics = STR_INIT(HPA_ANNOTATION "metrics"), hpa_behavior = STR_INIT(HPA_ANNOTATION "behavior"),
                 hpa_current = STR_INIT(HPA_ANNOTATION "current-metrics"), hpa_conditions = STR_INIT(HPA_ANNOTATION "conditions");

static str recase_key(struct arena *a, str key, bool upper)
{
    char *p = arena_alloc(a, key.len + 1);
    memcpy(p, key.p, key.len);
    p[key.len] = 0;
    if (key.len && (p[0] | 0x20) >= 'a' && (p[0] | 0x20) <= 'z')
        p[0] = (char)(upper ? p[0] & ~0x20 : p[0] | 0x20);
    return str_n(p, key.len);
}

/* No struct of a behavior has more members; clients could write any number into the annotation. */
#define BEHAVIOR_MEMBERS_MAX 16u

/* {"scaleUp":...} and {"ScaleUp":...}: the annotation has the names of Go's fields. */
static struct json recase(struct arena *a, const struct json *v, bool upper)
{
    struct json out = v->type == JSON_ARRAY ? json_array() : v->type == JSON_OBJECT ? json_object() : *v;
    for (uint32_t i = 0; v->type == JSON_ARRAY && i < v->len; i++)
        json_push(a, &out, recase(a, &v->items[i], upper));
    for (uint32_t i = 0; v->type == JSON_OBJECT && i < MIN(v->len, BEHAVIOR_MEMBERS_MAX); i++)
        if (v->members[i].value.type != JSON_NULL)
            json_set(a, &out, recase_key(a, v->members[i].key, upper), recase(a, &v->members[i].value, upper));
    return out;
}

static void drop_annotations(struct json *obj)
{
    struct json *metadata = json_get(obj, S("metadata")), *annotations = json_get(metadata, S("annotations"));
    const str keys[] = {hpa_metrics, hpa_behavior, hpa_current, hpa_conditions};
    for (size_t i = 0; annotations && i < ARRAY_LEN(keys); i++)
        json_del(annotations, keys[i]);
    if (annotations && !annotations->len)
        json_del(metadata, S("annotations"));
}

static void put_annotation(struct arena *a, struct json *obj, str key, const struct json *value)
{
    struct json *annotations = json_ensure_object(a, json_ensure_object(a, obj, S("metadata")), S("annotations"));
    json_set(a, annotations, key, json_string(json_text(a, value)));
}

/* Client-written text: whatever does not parse as what it should be is ignored. */
static bool take_annotation(struct arena *a, const struct json *obj, str key, enum json_type want, struct json *ret)
{
    str text = json_get_str(json_path(obj, "metadata", "annotations", NULL), key);
    struct err err = ERR_NONE;
    struct json v;
    if (!text.len || json_parse(a, text, NULL, &v, &err) < 0 || v.type != want)
        return false;
    *ret = v;
    return true;
}

/* A list from an annotation, each item converted and checked; false when one is not what it should be. */
static bool take_list(struct arena *a, const struct json *obj, str key, const struct schema_type *type, bool is_metric,
                      bool status, struct json *ret)
{
    struct json given, out = json_array();
    struct err err = ERR_NONE;
    if (!take_annotation(a, obj, key, JSON_ARRAY, &given))
        return false;
    for (uint32_t i = 0; i < given.len; i++) {
        struct json one = is_metric ? metric_to_v2(a, &given.items[i], status) : given.items[i];
        if (api_conform(a, type, &one, NULL, &err) < 0)
            return false;
        json_push(a, &out, one);
    }
    *ret = out;
    return true;
}

/* --- autoscaler ------------------------------------------------------------------------------------------ */

static void take_member(struct json *from, str key, struct json *ret)
{
    struct json *v = json_get(from, key);
    *ret = v ? *v : json_null();
    if (v)
        json_del(from, key);
}

/* The processor target goes to the field of v1, all other metrics to the annotation. */
static void spec_to_v1(struct arena *a, struct json *obj)
{
    struct json *spec = json_get(obj, S("spec")), metrics, behavior, others = json_array();
    const struct json *cpu = NULL;
    take_member(spec, S("metrics"), &metrics);
    take_member(spec, S("behavior"), &behavior);
    for (uint32_t i = 0; metrics.type == JSON_ARRAY && i < metrics.len; i++) {
        const struct json *utilization = cpu_utilization(&metrics.items[i], false);
        if (!utilization)
            json_push(a, &others, metric_to_v1(a, &metrics.items[i], false));
        else if (!cpu)
            cpu = utilization;
    }
    if (cpu)
        json_set(a, spec, S("targetCPUUtilizationPercentage"), *cpu);
    if (others.len)
        put_annotation(a, obj, hpa_metrics, &others);
    if (behavior.type == JSON_OBJECT) {
        struct json go = recase(a, &behavior, true);
        put_annotation(a, obj, hpa_behavior, &go);
    }
}

static void status_to_v1(struct arena *a, struct json *obj)
{
    struct json *status = json_get(obj, S("status")), metrics, conditions, current = json_array();
    take_member(status, S("currentMetrics"), &metrics);
    take_member(status, S("conditions"), &conditions);
    for (uint32_t i = 0; metrics.type == JSON_ARRAY && i < metrics.len; i++) {
        const struct json *utilization = cpu_utilization(&metrics.items[i], true);
        if (utilization)
            json_set(a, status, S("currentCPUUtilizationPercentage"), *utilization);
        json_push(a, &current, metric_to_v1(a, &metrics.items[i], true));
    }
    if (current.len)
        put_annotation(a, obj, hpa_current, &current);
    if (conditions.type == JSON_ARRAY && conditions.len)
        put_annotation(a, obj, hpa_conditions, &conditions);
}

static void hpa_to_v1(struct arena *a, struct json *obj)
{
    drop_annotations(obj);
    if (json_is(json_get(obj, S("spec")), JSON_OBJECT))
        spec_to_v1(a, obj);
    if (json_is(json_get(obj, S("status")), JSON_OBJECT))
        status_to_v1(a, obj);
}

static void spec_to_v2(struct arena *a, struct json *obj)
{
    static const struct json eighty = {.type = JSON_NUMBER, .len = 2, .s = "80"};
    struct json *spec = json_ensure_object(a, obj, S("spec")), metrics = json_array(), cpu, behavior;
    struct err err = ERR_NONE;
    err_ignore(take_list(a, obj, hpa_metrics, &schema_autoscaling_v2_MetricSpec, true, false, &metrics), "stays empty then");
    take_member(spec, S("targetCPUUtilizationPercentage"), &cpu);
    if (cpu.type == JSON_NUMBER || !metrics.len)
        json_push(a, &metrics, cpu_metric(a, cpu.type == JSON_NUMBER ? &cpu : &eighty, false));
    json_set(a, spec, S("metrics"), metrics);
    if (!take_annotation(a, obj, hpa_behavior, JSON_OBJECT, &behavior))
        return;
    behavior = recase(a, &behavior, false);
    if (api_conform(a, &schema_autoscaling_v2_HorizontalPodAutoscalerBehavior, &behavior, NULL, &err) == 0 && behavior.len)
        json_set(a, spec, S("behavior"), behavior);
}

static void status_to_v2(struct arena *a, struct json *obj)
{
    struct json *status = json_ensure_object(a, obj, S("status")), cpu, metrics, conditions;
    take_member(status, S("currentCPUUtilizationPercentage"), &cpu);
    if (take_list(a, obj, hpa_current, &schema_autoscaling_v2_MetricStatus, true, true, &metrics)) {
        json_set(a, status, S("currentMetrics"), metrics);
    } else if (cpu.type == JSON_NUMBER) {
        metrics = json_array();
        json_push(a, &metrics, cpu_metric(a, &cpu, true));
        json_set(a, status, S("currentMetrics"), metrics);
    }
    if (take_list(a, obj, hpa_conditions, &schema_autoscaling_v2_HorizontalPodAutoscalerCondition, false, true, &conditions))
        json_set(a, status, S("conditions"), conditions);
}

static void hpa_to_v2(struct arena *a, struct json *obj)
{
    spec_to_v2(a, obj);
    status_to_v2(a, obj);
    drop_annotations(obj);
}

/* --- the table ----------------------------------------------------------------------------------------------- */

static const struct {
    const struct schema_type *from, *to;
    convert_fn *fn;
} conversions[] = {
    {&schema_autoscaling_v1_HorizontalPodAutoscaler, &schema_autoscaling_v2_HorizontalPodAutoscaler, hpa_to_v2},
    {&schema_autoscaling_v2_HorizontalPodAutoscaler, &schema_autoscaling_v1_HorizontalPodAutoscaler, hpa_to_v1},
    {&schema_core_v1_Event, &schema_events_v1_Event, event_to_events},
    {&schema_events_v1_Event, &schema_core_v1_Event, event_to_core},
};

int api_convert(struct arena *a, const struct api_resource *from, const struct api_resource *to, const struct json *obj,
                struct json *ret, struct err *err)
{
    convert_fn *fn = NULL;
    for (size_t i = 0; i < ARRAY_LEN(conversions); i++)
        if (conversions[i].from == from->type && conversions[i].to == to->type)
            fn = conversions[i].fn;
    /* Versions of a CRD without a webhook differ in nothing but their name. */
    if (!fn && from->type != to->type && !(from->flags & API_CUSTOM))
        return err_set(err, E_INTERNAL, "no conversion of " STR_FMT " from " STR_FMT "/" STR_FMT " to " STR_FMT "/" STR_FMT,
                       STR_ARG(from->kind), STR_ARG(from->group), STR_ARG(from->version), STR_ARG(to->group),
                       STR_ARG(to->version));
    if (obj->type != JSON_OBJECT)
        return err_set(err, E_INTERNAL, "only objects can be converted");
    struct json out = json_copy(a, obj);
    if (fn) {
        fn(a, &out);
        int r = api_conform(a, to->type, &out, NULL, err); /* zero values that only the other version writes go */
        if (r < 0)
            return err_wrap(err, "cannot convert: ");
    }
    if (fn == event_to_core)
        add_times(a, &out);
    json_set(a, &out, S("apiVersion"), json_string(api_group_version(a, to->group, to->version)));
    json_set(a, &out, S("kind"), json_string(to->kind));
    *ret = out;
    return 0;
}
