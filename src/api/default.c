/* Defaults: the plain ones of the schema and the computed ones of some types, in one walk from the root down.
 *
 * An absent struct that Go holds by value (SCHEMA_ALWAYS without SCHEMA_POINTER) is defaulted as if it were {}, so that a
 * PersistentVolumeClaim without status gets "phase":"Pending"; a pointer that is absent stays absent. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_internal.h"
#include "api/default_internal.h"
#include "api/gen/gen.h"
#include "api/quantity.h"

/* Applied wherever the walk meets the type: a pod template in a CronJob gets what a pod gets. */
static const struct {
    const struct schema_type *type;
    default_fn *fn;
} computed[] = {
    {&schema_core_v1_Container, default_container},
    {&schema_core_v1_EphemeralContainer, default_container},
    {&schema_core_v1_PodSpec, default_pod_spec},
    {&schema_core_v1_Pod, default_pod},
    {&schema_core_v1_PodStatus, default_pod_status},
    {&schema_core_v1_Volume, default_volume},
    {&schema_core_v1_Service, default_service},
    {&schema_core_v1_ReplicationController, default_replication_controller},
    {&schema_core_v1_Secret, default_secret},
    {&schema_core_v1_Namespace, default_namespace},
    {&schema_core_v1_NodeSpec, default_node_spec},
    {&schema_core_v1_NodeStatus, default_node_status},
    {&schema_core_v1_LimitRangeItem, default_limit_range_item},
    {&schema_apps_v1_DeploymentStrategy, default_deployment_strategy},
    {&schema_apps_v1_DaemonSet, default_daemon_set},
    {&schema_apps_v1_DaemonSetUpdateStrategy, default_daemon_set_strategy},
    {&schema_apps_v1_StatefulSet, default_stateful_set},
    {&schema_batch_v1_Job, default_job},
    {&schema_autoscaling_v1_HorizontalPodAutoscaler, default_hpa_v1},
    {&schema_autoscaling_v2_HorizontalPodAutoscalerSpec, default_hpa_v2_spec},
    {&schema_autoscaling_v2_HorizontalPodAutoscalerBehavior, default_hpa_v2_behavior},
    {&schema_networking_v1_NetworkPolicy, default_network_policy},
    {&schema_rbac_v1_Subject, default_subject},
    {&schema_apiextensions_v1_CustomResourceDefinition, default_custom_resource_definition},
};

static default_fn *computed_find(const struct schema_type *t)
{
    for (size_t i = 0; i < ARRAY_LEN(computed); i++)
        if (computed[i].type == t)
            return computed[i].fn;
    return NULL;
}

/* --- helpers of the computed defaults --------------------------------------------------------------- */

void default_missing(struct arena *a, struct json *obj, str key, struct json value)
{
    if (!json_get(obj, key))
        json_set(a, obj, key, value);
}

void default_string_map(struct arena *a, struct json *obj, str key, const struct json *from)
{
    const struct json *have = json_get(obj, key);
    if (from && from->len && !(have && have->len))
        json_set(a, obj, key, json_copy(a, from));
}

void default_round_quantities(struct arena *a, struct json *map)
{
    for (uint32_t i = 0; i < map->len; i++) {
        str text = json_str(&map->members[i].value);
        struct quantity q;
        /* Canonical texts below a thousandth end in n or u, or have a negative exponent. */
        bool fine = !text.len || !(text.p[text.len - 1] == 'n' || text.p[text.len - 1] == 'u' || str_find(text, S("e-")) >= 0);
        if (fine || !quantity_parse(text, &q))
            continue;
        struct quantity rounded = quantity_from_milli(quantity_to_milli(&q));
        rounded.format = q.format;
        map->members[i].value = json_string(quantity_format(a, &rounded));
    }
}

/* --- the walk ----------------------------------------------------------------------------------------- */

/* The text of a default as a value.  Nearly all are scalars, which need no parser. */
static struct json default_value(struct arena *a, str text)
{
    if (text.p[0] == '"' && text.len >= 2 && str_find_char(text, '\\') < 0)
        return json_string(str_sub(text, 1, text.len - 1));
    if (str_is(text, "{}"))
        return json_object();
    struct json v = json_null();
    struct err err = ERR_NONE;
    err_ignore(json_parse(a, text, NULL, &v, &err), "defaults of CRDs were checked when the CRD was accepted");
    return v;
}

static bool is_zero_text(str text)
{
    return str_is(text, "0") || str_is(text, "\"\"") || str_is(text, "false");
}

/* Go holds the field by value, so an explicit zero and an absent field are the same. */
static bool is_unset(const struct schema_field *f, const struct json *v)
{
    if (!v)
        return true;
    if (f->flags & SCHEMA_POINTER)
        return false;
    return (v->type == JSON_STRING && v->len == 0) || (v->type == JSON_NUMBER && str_is(json_str(v), "0"));
}

static void walk(struct arena *a, const struct schema_type *t, struct json *v);

/* Structs held by value that are absent: they appear only when a default fills them. */
static void default_absent_struct(struct arena *a, const struct schema_field *f, struct json *v)
{
    struct json made = json_object();
    walk(a, f->type, &made);
    if (made.len)
        json_set(a, v, f->name, made);
}

static void default_fields(struct arena *a, const struct schema_type *t, struct json *v)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (f->flags & SCHEMA_INLINE) {
            default_fields(a, f->type, v);
        } else if (f->dflt.len) {
            if (!(f->flags & SCHEMA_POINTER) && is_zero_text(f->dflt))
                continue; /* omitempty would not write it */
            if (is_unset(f, json_get(v, f->name)))
                json_set(a, v, f->name, default_value(a, f->dflt));
        } else if (f->type->kind == SCHEMA_OBJECT && (f->flags & (SCHEMA_ALWAYS | SCHEMA_POINTER)) == SCHEMA_ALWAYS &&
                   !json_get(v, f->name)) {
            default_absent_struct(a, f, v);
        }
    }
}

static void walk_object(struct arena *a, const struct schema_type *t, struct json *v)
{
    if (t->name.len) {
        default_fn *fn = computed_find(t);
        if (fn)
            fn(a, v);
    }
    default_fields(a, t, v);
    for (uint32_t i = 0; i < v->len; i++) {
        struct json *value = &v->members[i].value;
        if (value->type != JSON_OBJECT && value->type != JSON_ARRAY)
            continue;
        const struct schema_field *f = schema_field_find(t, v->members[i].key);
        if (f)
            walk(a, f->type, value);
    }
}

static void walk(struct arena *a, const struct schema_type *t, struct json *v)
{
    if (t->kind == SCHEMA_OBJECT && v->type == JSON_OBJECT) {
        walk_object(a, t, v);
    } else if (t->kind == SCHEMA_LIST && v->type == JSON_ARRAY && codec_holds_fields(t)) {
        for (uint32_t i = 0; i < v->len; i++)
            walk(a, t->elem, &v->items[i]);
    } else if (t->kind == SCHEMA_MAP && v->type == JSON_OBJECT) {
        if (t->elem->kind == SCHEMA_QUANTITY)
            default_round_quantities(a, v);
        else if (codec_holds_fields(t))
            for (uint32_t i = 0; i < v->len; i++)
                walk(a, t->elem, &v->members[i].value);
    }
}

/* --- structural schemas of custom resources ----------------------------------------------------------- */

static void walk_custom(struct arena *a, const struct schema_type *t, struct json *v);

static bool is_forbidden_null(const struct json *v, const struct schema_type *t, uint8_t flags)
{
    return v->type == JSON_NULL && !t->nullable && !(flags & SCHEMA_NULLABLE);
}

static void walk_custom_elem(struct arena *a, const struct schema_type *t, struct json *v)
{
    if (is_forbidden_null(v, t, 0) && t->dflt.len)
        *v = default_value(a, t->dflt);
    walk_custom(a, t, v);
}

static void walk_custom_object(struct arena *a, const struct schema_type *t, struct json *v)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        const struct json *have = f->dflt.len ? json_get(v, f->name) : NULL;
        if (f->dflt.len && (!have || is_forbidden_null(have, f->type, f->flags)))
            json_set(a, v, f->name, default_value(a, f->dflt));
    }
    for (uint32_t i = 0; i < v->len; i++) {
        const struct schema_field *f = schema_field_find(t, v->members[i].key);
        if (f)
            walk_custom(a, f->type, &v->members[i].value);
    }
}

static void walk_custom(struct arena *a, const struct schema_type *t, struct json *v)
{
    if (t->kind == SCHEMA_OBJECT && v->type == JSON_OBJECT) {
        walk_custom_object(a, t, v);
    } else if (t->kind == SCHEMA_LIST && v->type == JSON_ARRAY) {
        for (uint32_t i = 0; i < v->len; i++)
            walk_custom_elem(a, t->elem, &v->items[i]);
    } else if (t->kind == SCHEMA_MAP && v->type == JSON_OBJECT) {
        for (uint32_t i = 0; i < v->len; i++)
            walk_custom_elem(a, t->elem, &v->members[i].value);
    }
}

void api_default_schema(struct arena *a, const struct schema_type *type, struct json *obj)
{
    walk_custom(a, type, obj);
}

void api_default(struct arena *a, const struct api_resource *r, struct json *obj)
{
    if (r->flags & API_CUSTOM)
        walk_custom(a, r->type, obj);
    else
        walk(a, r->type, obj);
}
