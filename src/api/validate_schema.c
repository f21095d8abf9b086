/* validate_schema.c - the walk along a built-in schema: required fields, enums, fields that may not change, type rules.
 *
 * Go's zero values count as absent, so only texts, lists and maps can be missing here; numbers, booleans and structs are for
 * the type rules.  Where Kubernetes words a case in its own way, or lets it pass, the table below says so; it is read only
 * when something is wrong. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/codec_scalar.h"
#include "api/gen/gen.h"
#include "api/validate_internal.h"

enum exception_kind {
    EX_SKIP,        /* allowed, or the type's rule has its own words */
    EX_DETAIL,      /* Required value: text */
    EX_UNSUPPORTED, /* an absent text is an unsupported value */
};
struct exception {
    const struct schema_type *type;
    const char *field;
    enum exception_kind kind;
    const char *text;
};
static const struct exception required_exceptions[] = {
    {&schema_core_v1_Sysctl, "value", EX_SKIP, NULL},
    {&schema_core_v1_HTTPHeader, "value", EX_SKIP, NULL},
    {&schema_core_v1_HTTPHeader, "name", EX_SKIP, NULL},
    {&schema_core_v1_HostAlias, "ip", EX_SKIP, NULL},
    {&schema_core_v1_EndpointAddress, "ip", EX_SKIP, NULL},
    {&schema_core_v1_PodSchedulingGate, "name", EX_SKIP, NULL},
    {&schema_core_v1_PodReadinessGate, "conditionType", EX_SKIP, NULL},
    {&schema_core_v1_NodeSelectorRequirement, "key", EX_SKIP, NULL},
    {&schema_core_v1_NodeSelectorRequirement, "operator", EX_SKIP, NULL},
    {&schema_core_v1_NodeSelector, "nodeSelectorTerms", EX_DETAIL, "must have at least one node selector term"},
    {&schema_core_v1_PodAffinityTerm, "topologyKey", EX_DETAIL, "can not be empty"},
    {&schema_core_v1_TopologySpreadConstraint, "topologyKey", EX_DETAIL, "can not be empty"},
    {&schema_core_v1_TopologySpreadConstraint, "whenUnsatisfiable", EX_UNSUPPORTED, NULL},
    {&schema_core_v1_SeccompProfile, "type", EX_DETAIL, "type is required when seccompProfile is set"},
    {&schema_core_v1_AppArmorProfile, "type", EX_DETAIL, "type is required when appArmorProfile is set"},
    {&schema_core_v1_ContainerResizePolicy, "resourceName", EX_SKIP, NULL},
    {&schema_core_v1_ContainerResizePolicy, "restartPolicy", EX_SKIP, NULL},
    {&schema_core_v1_ScopedResourceSelectorRequirement, "scopeName", EX_SKIP, NULL},
    {&schema_core_v1_ScopedResourceSelectorRequirement, "operator", EX_SKIP, NULL},
    {&schema_core_v1_LimitRangeItem, "type", EX_SKIP, NULL},
    {&schema_core_v1_LimitRangeSpec, "limits", EX_SKIP, NULL},
    {&schema_core_v1_PodOS, "name", EX_UNSUPPORTED, NULL},
    {&schema_meta_v1_LabelSelectorRequirement, "key", EX_SKIP, NULL},
    {&schema_meta_v1_LabelSelectorRequirement, "operator", EX_SKIP, NULL},
    {&schema_discovery_v1_EndpointSlice, "endpoints", EX_SKIP, NULL},
    {&schema_discovery_v1_EndpointSlice, "addressType", EX_SKIP, NULL},
    {&schema_discovery_v1_Endpoint, "addresses", EX_DETAIL, "must contain at least 1 address"},
    {&schema_discovery_v1_ForZone, "name", EX_SKIP, NULL},
    {&schema_authentication_v1_TokenRequestSpec, "audiences", EX_SKIP, NULL},
    {&schema_storage_v1_TokenRequest, "audience", EX_SKIP, NULL},
    {&schema_storage_v1_CSINodeSpec, "drivers", EX_SKIP, NULL},
    {&schema_node_v1_RuntimeClass, "handler", EX_SKIP, NULL},
    {&schema_rbac_v1_PolicyRule, "verbs", EX_DETAIL, "verbs must contain at least one value"},
    {&schema_rbac_v1_Subject, "kind", EX_SKIP, NULL},
    {&schema_rbac_v1_RoleRef, "kind", EX_SKIP, NULL},
    {&schema_rbac_v1_RoleRef, "apiGroup", EX_SKIP, NULL},
    {&schema_networking_v1_HTTPIngressPath, "pathType", EX_DETAIL, "pathType must be specified"},
    {&schema_batch_v1_PodFailurePolicyOnExitCodesRequirement, "values", EX_SKIP, NULL},
    {&schema_batch_v1_PodFailurePolicyOnPodConditionsPattern, "type", EX_SKIP, NULL},
    {&schema_batch_v1_PodFailurePolicyOnPodConditionsPattern, "status", EX_SKIP, NULL},
    {&schema_batch_v1_PodFailurePolicy, "rules", EX_SKIP, NULL},
    {&schema_batch_v1_SuccessPolicy, "rules", EX_DETAIL, "at least one rules must be specified when the successPolicy is specified"},
    {&schema_autoscaling_v2_MetricSpec, "type", EX_DETAIL, "must specify a metric source type"},
    {&schema_autoscaling_v2_MetricTarget, "type", EX_DETAIL, "must specify a metric target type"},
    {&schema_autoscaling_v2_ResourceMetricSource, "name", EX_DETAIL, "must specify a resource name"},
    {&schema_autoscaling_v2_ContainerResourceMetricSource, "name", EX_DETAIL, "must specify a resource name"},
    {&schema_autoscaling_v2_ContainerResourceMetricSource, "container", EX_DETAIL, "must specify a container name"},
    {&schema_autoscaling_v2_MetricIdentifier, "name", EX_DETAIL, "must specify a metric name"},
};

static const struct exception immutable_exceptions[] = {
    {&schema_rbac_v1_RoleBinding, "roleRef", EX_SKIP, NULL},        {&schema_rbac_v1_ClusterRoleBinding, "roleRef", EX_SKIP, NULL},
    {&schema_scheduling_v1_PriorityClass, "value", EX_SKIP, NULL},  {&schema_storage_v1_StorageClass, "provisioner", EX_SKIP, NULL},
    {&schema_storage_v1_StorageClass, "parameters", EX_SKIP, NULL}, {&schema_storage_v1_StorageClass, "reclaimPolicy", EX_SKIP, NULL},
    {&schema_storage_v1_VolumeAttachment, "spec", EX_SKIP, NULL},   {&schema_core_v1_ResourceQuotaSpec, "scopes", EX_SKIP, NULL},
};

static const struct exception *exception_find(const struct exception *list, size_t n, const struct schema_type *t, str field)
{
    for (size_t i = 0; i < n; i++) {
        if (list[i].type == t && str_is(field, list[i].field))
            return &list[i];
    }
    return NULL;
}

static void add_unsupported(struct vctx *c, const struct vpath *p, str value, const struct schema_rules *rules)
{
    struct strbuf b = strbuf_on(c->e->arena);
    for (size_t i = 0; i < rules->nenums; i++) {
        if (i)
            strbuf_add_char(&b, '|');
        strbuf_add_str(&b, rules->enums[i]);
    }
    v_unsupported(c, p, value, strbuf_cstr(&b));
}

static void report_required(struct vctx *c, const struct vpath *p, const struct schema_type *t, const struct schema_field *f)
{
    const struct exception *ex = exception_find(required_exceptions, ARRAY_LEN(required_exceptions), t, f->name);
    if (!ex)
        v_required(c, V_MEMBER(p, f->name), V_NO_DETAIL);
    else if (ex->kind == EX_DETAIL)
        v_required(c, V_MEMBER(p, f->name), "%s", ex->text);
    else if (ex->kind == EX_UNSUPPORTED)
        add_unsupported(c, V_MEMBER(p, f->name), S(""), f->rules);
}

/* A required text, list, map or pointer without content. */
static bool is_missing(const struct schema_field *f, const struct json *v)
{
    switch (f->type->kind) {
    case SCHEMA_STRING:
        return json_str(v).len == 0;
    case SCHEMA_LIST:
    case SCHEMA_MAP:
        return v_len(v) == 0;
    case SCHEMA_OBJECT:
        return f->flags & SCHEMA_POINTER && (!v || v->type == JSON_NULL);
    default:
        return false;
    }
}

static void check_fields(struct vctx *c, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    for (size_t i = 0; i < t->nfields; i++) {
        const struct schema_field *f = &t->fields[i];
        if (!(f->flags & (SCHEMA_REQUIRED | SCHEMA_IMMUTABLE | SCHEMA_INLINE)))
            continue;
        if (f->flags & SCHEMA_INLINE) {
            check_fields(c, f->type, p, v, old);
            continue;
        }
        if (f->flags & SCHEMA_REQUIRED && is_missing(f, json_get(v, f->name)))
            report_required(c, p, t, f);
        if (f->flags & SCHEMA_IMMUTABLE && old && !v_same_member(t, v, old, f->name) &&
            !exception_find(immutable_exceptions, ARRAY_LEN(immutable_exceptions), t, f->name))
            v_immutable(c, p, t, v, old, f->name);
    }
}

static void check_number(struct vctx *c, const struct vpath *p, const struct schema_rules *rules, const struct json *v)
{
    double d;
    if (!(rules->has_min || rules->has_max) || !json_to_double(v, &d))
        return;
    if (rules->has_min && d < rules->min)
        v_invalid(c, p, v, "must be greater than or equal to %.15g", rules->min);
    if (rules->has_max && d > rules->max)
        v_invalid(c, p, v, "must be less than or equal to %.15g", rules->max);
}

static void check_count(struct vctx *c, const struct vpath *p, const struct schema_rules *rules, const struct json *list)
{
    struct json n = json_int(c->e->arena, (int64_t)list->len);
    if (rules->has_min_items && list->len < rules->min_items)
        v_invalid(c, p, &n, "must have at least %lld items", (long long)rules->min_items);
    if (rules->has_max_items && list->len > rules->max_items)
        v_error(c, FIELD_TOO_MANY, p, &n, "must have at most %lld items", (long long)rules->max_items);
}

static void check_rules(struct vctx *c, const struct vpath *p, const struct schema_rules *rules, const struct json *v)
{
    if (v->type == JSON_ARRAY)
        check_count(c, p, rules, v);
    if (v->type == JSON_NUMBER)
        check_number(c, p, rules, v);
    if (rules->nenums == 0 || v->type != JSON_STRING)
        return;
    str s = json_str(v);
    for (size_t i = 0; i < rules->nenums; i++) {
        if (str_eq(rules->enums[i], s))
            return;
    }
    add_unsupported(c, p, s, rules);
}

static bool is_leaf(const struct schema_type *t)
{
    return t->kind != SCHEMA_OBJECT && t->kind != SCHEMA_LIST && t->kind != SCHEMA_MAP && !t->rules;
}

static void walk_members(struct vctx *c, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    v_foreach_member (m, v) {
        const struct schema_field *f = schema_field_find(t, m->key);
        /* metadata has rules of its own, and what is observed is not judged when what is wanted is written */
        if (!f || m->value.type == JSON_NULL || f->type == &schema_meta_v1_ObjectMeta || (!p && str_is(m->key, "status")))
            continue;
        if (t == &schema_apps_v1_StatefulSetSpec && (str_is(m->key, "template") || str_is(m->key, "volumeClaimTemplates")))
            continue; /* Kubernetes leaves both to the pods and claims that come of them */
        struct vpath at = {.up = p, .name = m->key, .kind = VPATH_FIELD};
        if (f->rules)
            check_rules(c, &at, f->rules, &m->value);
        if (!is_leaf(f->type))
            v_schema_walk(c, f->type, &at, &m->value, old ? json_get(old, m->key) : NULL);
    }
}

void v_schema_walk(struct vctx *c, const struct schema_type *t, const struct vpath *p, const struct json *v, const struct json *old)
{
    if (t->rules)
        check_rules(c, p, t->rules, v);
    if (t->kind == SCHEMA_OBJECT && v->type == JSON_OBJECT) {
        check_fields(c, t, p, v, old);
        validate_fn *rule = v_rule_of(t);
        if (rule)
            rule(c, p, v);
        walk_members(c, t, p, v, old);
    } else if (t->kind == SCHEMA_LIST && v->type == JSON_ARRAY && !is_leaf(t->elem)) {
        for (uint32_t i = 0; i < v->len; i++)
            v_schema_walk(c, t->elem, V_INDEX(p, i), &v->items[i], NULL);
    } else if (t->kind == SCHEMA_MAP && v->type == JSON_OBJECT && !is_leaf(t->elem)) {
        v_foreach_member (m, v)
            v_schema_walk(c, t->elem, V_KEY(p, m->key), &m->value, NULL);
    }
}
