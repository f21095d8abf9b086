/* validate_core_schedule.c - where a pod may run: selectors, affinity, tolerations, spreading. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/validate_internal.h"

/* --- label selectors ------------------------------------------------------------------------------------------------------ */

void v_label_selector(struct vctx *c, const struct vpath *p, const struct json *selector)
{
    v_labels(c, V_FIELD(p, "matchLabels"), V_GET(selector, "matchLabels"));
}

static void check_label_values(struct vctx *c, const struct vpath *p, const struct json *values)
{
    v_foreach (value, i, values)
        v_check(c, V_INDEX(p, i), json_str(value), validate_label_value);
}

#define IN_NEEDS_VALUES "must be specified when `operator` is 'In' or 'NotIn'"
#define EXISTS_HAS_NONE "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
#define BAD_OPERATOR "not a valid selector operator"

void v_label_selector_requirement(struct vctx *c, const struct vpath *p, const struct json *req)
{
    str op = V_STR(req, "operator");
    const struct json *values = V_GET(req, "values");
    if (v_in(op, "In|NotIn")) {
        if (v_len(values) == 0)
            v_required(c, V_FIELD(p, "values"), IN_NEEDS_VALUES);
    } else if (v_in(op, "Exists|DoesNotExist")) {
        if (v_len(values))
            v_forbidden(c, V_FIELD(p, "values"), EXISTS_HAS_NONE);
    } else {
        v_invalid_str(c, V_FIELD(p, "operator"), op, BAD_OPERATOR);
    }
    v_check(c, V_FIELD(p, "key"), V_STR(req, "key"), validate_qualified_name);
    check_label_values(c, V_FIELD(p, "values"), values);
}

/* --- node selectors --------------------------------------------------------------------------------------------------------- */

static void check_node_requirement(struct vctx *c, const struct vpath *p, const struct json *req, bool is_preference)
{
    str op = V_STR(req, "operator");
    const struct json *values = V_GET(req, "values");
    if (v_in(op, "In|NotIn")) {
        if (v_len(values) == 0)
            v_required(c, V_FIELD(p, "values"), IN_NEEDS_VALUES);
    } else if (v_in(op, "Exists|DoesNotExist")) {
        if (v_len(values))
            v_forbidden(c, V_FIELD(p, "values"), EXISTS_HAS_NONE);
    } else if (v_in(op, "Gt|Lt")) {
        if (v_len(values) != 1)
            v_required(c, V_FIELD(p, "values"), "must be specified single value when `operator` is 'Lt' or 'Gt'");
    } else {
        v_invalid_str(c, V_FIELD(p, "operator"), op, BAD_OPERATOR);
    }
    v_check(c, V_FIELD(p, "key"), V_STR(req, "key"), validate_qualified_name);
    if (!is_preference)
        check_label_values(c, V_FIELD(p, "values"), values);
}

static void check_node_field(struct vctx *c, const struct vpath *p, const struct json *req)
{
    str op = V_STR(req, "operator"), key = V_STR(req, "key");
    const struct json *values = V_GET(req, "values");
    if (!v_in(op, "In|NotIn"))
        v_invalid_str(c, V_FIELD(p, "operator"), op, BAD_OPERATOR);
    else if (v_len(values) != 1)
        v_required(c, V_FIELD(p, "values"), "must be only one value when `operator` is 'In' or 'NotIn' for node field selector");
    if (!str_is(key, "metadata.name")) {
        v_invalid_str(c, V_FIELD(p, "key"), key, "not a valid field selector key");
        return;
    }
    v_foreach (value, i, values)
        v_check(c, V_INDEX(V_FIELD(p, "values"), i), json_str(value), validate_dns1123_subdomain);
}

void v_node_selector_term(struct vctx *c, const struct vpath *p, const struct json *term)
{
    const struct json *expressions = V_GET(term, "matchExpressions"), *fields = V_GET(term, "matchFields");
    bool is_preference = p->kind == VPATH_FIELD && str_is(p->name, "preference");
    v_foreach (req, i, expressions)
        check_node_requirement(c, V_INDEX(V_FIELD(p, "matchExpressions"), i), req, is_preference);
    v_foreach (req, i, fields)
        check_node_field(c, V_INDEX(V_FIELD(p, "matchFields"), i), req);
}

static void check_weight(struct vctx *c, const struct vpath *p, const struct json *term)
{
    int64_t weight = V_INT(term, "weight");
    if (weight < 1 || weight > 100)
        v_invalid_int(c, V_FIELD(p, "weight"), weight, "must be in the range 1-100");
}

void v_preferred_scheduling_term(struct vctx *c, const struct vpath *p, const struct json *term)
{
    check_weight(c, p, term);
}

/* --- affinity between pods ---------------------------------------------------------------------------------------------------- */

void v_weighted_pod_affinity_term(struct vctx *c, const struct vpath *p, const struct json *term)
{
    check_weight(c, p, term);
}

static void check_label_keys(struct vctx *c, const struct vpath *p, const struct json *keys, const struct json *selector)
{
    if (v_len(keys) && !selector) {
        v_forbidden(c, p, "must not be specified when labelSelector is not set");
        return;
    }
    v_foreach (key, i, keys)
        v_check(c, V_INDEX(p, i), json_str(key), validate_qualified_name);
}

void v_pod_affinity_term(struct vctx *c, const struct vpath *p, const struct json *term)
{
    const struct json *namespaces = V_GET(term, "namespaces"), *selector = V_GET(term, "labelSelector");
    const struct json *match = V_GET(term, "matchLabelKeys"), *mismatch = V_GET(term, "mismatchLabelKeys");
    v_foreach (ns, i, namespaces)
        v_check(c, V_FIELD(p, "namespace"), json_str(ns), validate_dns1123_label);
    check_label_keys(c, V_FIELD(p, "matchLabelKeys"), match, selector);
    check_label_keys(c, V_FIELD(p, "mismatchLabelKeys"), mismatch, selector);
    v_check_member(c, p, term, S("topologyKey"), validate_qualified_name);
    if (!match || !mismatch)
        return;
    struct v_map others;
    v_map_init(&others, c->e->arena);
    v_foreach (key, i, mismatch)
        v_set_add(&others, json_str(key));
    v_foreach (key, i, match) {
        if (v_set_has(&others, json_str(key)))
            v_invalid_str(c, V_INDEX(V_FIELD(p, "matchLabelKeys"), i), json_str(key),
                          "exists in both matchLabelKeys and mismatchLabelKeys");
    }
}

/* --- tolerations --------------------------------------------------------------------------------------------------------------- */

void v_toleration(struct vctx *c, const struct vpath *p, const struct json *t)
{
    str key = V_STR(t, "key"), op = V_STR(t, "operator"), value = V_STR(t, "value"), effect = V_STR(t, "effect");
    v_check_member(c, p, t, S("key"), validate_qualified_name);
    if (key.len == 0 && !str_is(op, "Exists"))
        v_invalid_str(c, V_FIELD(p, "operator"), op,
                      "operator must be Exists when `key` is empty, which means \"match all values and all keys\"");
    if (V_GET(t, "tolerationSeconds") && !str_is(effect, "NoExecute"))
        v_invalid_str(c, V_FIELD(p, "effect"), effect, "effect must be 'NoExecute' when `tolerationSeconds` is set");
    if (str_is(op, "Exists") && value.len)
        v_invalid_str(c, V_FIELD(p, "operator"), value, "value must be empty when `operator` is 'Exists'");
    else if (v_in(op, "|Equal"))
        v_check(c, V_FIELD(p, "operator"), value, validate_label_value);
}

/* --- spreading ------------------------------------------------------------------------------------------------------------------ */

static bool selector_has_key(const struct json *selector, str key)
{
    if (json_get(V_GET(selector, "matchLabels"), key))
        return true;
    const struct json *expressions = V_GET(selector, "matchExpressions");
    v_foreach (e, i, expressions) {
        if (str_eq(V_STR(e, "key"), key))
            return true;
    }
    return false;
}

/* matchLabelKeys beyond this are checked for overlap no more; the scheduler cannot use that many either. */
#define MATCH_KEYS_CHECKED 64

void v_topology_spread(struct vctx *c, const struct vpath *p, const struct json *t)
{
    int64_t skew = V_INT(t, "maxSkew");
    const struct json *min = V_GET(t, "minDomains"), *keys = V_GET(t, "matchLabelKeys"), *selector = V_GET(t, "labelSelector");
    str action = V_STR(t, "whenUnsatisfiable");
    if (skew <= 0)
        v_invalid_int(c, V_FIELD(p, "maxSkew"), skew, V_NOT_POSITIVE);
    v_positive(c, p, t, S("minDomains"));
    if (min && !str_is(action, "DoNotSchedule"))
        v_invalid(c, V_FIELD(p, "minDomains"), min, "can only use minDomains if whenUnsatisfiable=DoNotSchedule, not " STR_FMT,
                  STR_ARG(action));
    if (v_len(keys) && !selector)
        v_forbidden(c, V_FIELD(p, "matchLabelKeys"), "must not be specified when labelSelector is not set");
    v_foreach (key, i, keys) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "matchLabelKeys"), i);
        v_check(c, at, json_str(key), validate_qualified_name);
        if (i < MATCH_KEYS_CHECKED && selector_has_key(selector, json_str(key)))
            v_invalid_str(c, at, json_str(key), "exists in both matchLabelKeys and labelSelector");
    }
}
