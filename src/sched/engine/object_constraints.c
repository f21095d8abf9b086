/* object_constraints.c - where a pod may and would like to run: selectors, affinity, spread, tolerations.
 *
 * matchLabelKeys and mismatchLabelKeys become requirements of the term's selector with the pod's own values, as the API server writes them for new pods;
 * a pod that has them already has them twice then, which changes nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sched/engine/object_pod.h"

/* --- node affinity ----------------------------------------------------------------------------------------------------------------- */
#define REQUIRED "requiredDuringSchedulingIgnoredDuringExecution"
#define PREFERRED "preferredDuringSchedulingIgnoredDuringExecution"

static void read_node_affinity(struct reader *r, const struct json *affinity, const struct spot *at, struct pod_spec *ret)
{
    const struct json *node = read_object(r, affinity, at, "nodeAffinity");
    const struct spot *here = SPOT(at, "nodeAffinity"), *list_at = SPOT(here, PREFERRED);
    const struct json *required = read_object(r, node, here, REQUIRED), *list = read_array(r, node, here, PREFERRED);
    if (required) {
        ret->has_required = true;
        ret->required_terms = read_node_terms(r, required, SPOT(here, REQUIRED), &ret->nrequired_terms);
    }
    struct spec_node_term *p = arena_array(r->a, list ? list->len : 0, struct spec_node_term);
    size_t n = 0;
    for (size_t i = 0; list && i < list->len; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        struct spec_node_term *t = &p[n];
        read_node_term(r, read_object(r, v, SPOT_AT(list_at, i), "preference"), SPOT(SPOT_AT(list_at, i), "preference"), t);
        t->weight = (int32_t)read_int(r, v, SPOT_AT(list_at, i), "weight", 0, 100, 0);
        /* a term without weight or requirement prefers nothing */
        n += t->weight && (t->labels.n || t->nfields);
    }
    ret->preferred_terms = p;
    ret->npreferred_terms = n;
}

/* --- selectors with the pod's own values --------------------------------------------------------------------------------------------------- */
/* The selector with one more requirement for each of the keys that the pod's labels have. */
static void merge_keys(struct reader *r, struct spec_selector *sel, const str *keys, size_t n, enum spec_op op, struct spec_labels own)
{
    if (n == 0 || sel->none)
        return;
    struct spec_requirement *p = arena_array(r->a, sel->n + n, struct spec_requirement);
    if (sel->n)
        memcpy(p, sel->p, sel->n * sizeof *p);
    sel->p = p;
    for (size_t i = 0; i < n; i++) {
        bool has;
        str *value = arena_new(r->a, str);
        *value = labels_get(own, keys[i], &has);
        if (has)
            p[sel->n++] = (struct spec_requirement){keys[i], op, value, 1};
    }
}

static void read_own_keys(struct reader *r, const struct json *v, const struct spot *at, const char *key, enum spec_op op, struct spec_labels own,
                          struct spec_selector *sel)
{
    size_t n;
    const str *keys = read_strs(r, v, at, key, &n);
    merge_keys(r, sel, keys, n, op, own);
}

/* --- pod affinity ----------------------------------------------------------------------------------------------------------------------------- */
static void read_pod_term(struct reader *r, const struct json *v, const struct spot *at, const struct object_meta *meta, struct spec_pod_term *ret)
{
    read_selector(r, v, at, "labelSelector", &ret->selector);
    read_own_keys(r, v, at, "matchLabelKeys", OP_IN, meta->labels, &ret->selector);
    read_own_keys(r, v, at, "mismatchLabelKeys", OP_NOT_IN, meta->labels, &ret->selector);
    ret->namespaces = read_strs(r, v, at, "namespaces", &ret->nnamespaces);
    ret->has_namespace_selector = json_is(json_get(v, S("namespaceSelector")), JSON_OBJECT);
    if (ret->has_namespace_selector)
        read_selector(r, v, at, "namespaceSelector", &ret->namespace_selector);
    ret->topology_key = read_str(r, v, at, "topologyKey");
    if (str_empty(ret->topology_key))
        read_bad(r, SPOT(at, "topologyKey"), "is missing");
}

static const struct spec_pod_term *read_pod_terms(struct reader *r, const struct json *of, const struct spot *at, bool weighted, const struct object_meta *meta,
                                                  size_t *ret_n)
{
    const char *key = weighted ? PREFERRED : REQUIRED;
    const struct json *list = read_array(r, of, at, key);
    const struct spot *list_at = SPOT(at, key);
    *ret_n = list ? list->len : 0;
    struct spec_pod_term *p = arena_array(r->a, *ret_n, struct spec_pod_term);
    for (size_t i = 0; i < *ret_n; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        if (weighted) {
            p[i].weight = (int32_t)read_int(r, v, here, "weight", 1, 100, 1);
            read_pod_term(r, read_object(r, v, here, "podAffinityTerm"), SPOT(here, "podAffinityTerm"), meta, &p[i]);
        } else {
            read_pod_term(r, v, here, meta, &p[i]);
        }
    }
    return p;
}

static void read_pod_affinity(struct reader *r, const struct json *affinity, const struct spot *at, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct json *with = read_object(r, affinity, at, "podAffinity"), *apart = read_object(r, affinity, at, "podAntiAffinity");
    const struct spot *with_at = SPOT(at, "podAffinity"), *apart_at = SPOT(at, "podAntiAffinity");
    ret->affinity = read_pod_terms(r, with, with_at, false, meta, &ret->naffinity);
    ret->preferred_affinity = read_pod_terms(r, with, with_at, true, meta, &ret->npreferred_affinity);
    ret->anti_affinity = read_pod_terms(r, apart, apart_at, false, meta, &ret->nanti_affinity);
    ret->preferred_anti_affinity = read_pod_terms(r, apart, apart_at, true, meta, &ret->npreferred_anti_affinity);
}

/* --- spread ------------------------------------------------------------------------------------------------------------------------------------- */
static void read_spread(struct reader *r, const struct json *spec, const struct spot *at, const struct object_meta *meta, struct pod_spec *ret)
{
    static const char *const actions[] = {"ScheduleAnyway", "DoNotSchedule"}, *const policies[] = {[SPREAD_HONOR] = "Honor", [SPREAD_IGNORE] = "Ignore"};
    const struct json *list = read_array(r, spec, at, "topologySpreadConstraints");
    const struct spot *list_at = SPOT(at, "topologySpreadConstraints");
    ret->nspread = list ? list->len : 0;
    struct spec_spread *p = arena_array(r->a, ret->nspread, struct spec_spread);
    for (size_t i = 0; i < ret->nspread; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        p[i].topology_key = read_str(r, v, here, "topologyKey");
        if (str_empty(p[i].topology_key))
            read_bad(r, SPOT(here, "topologyKey"), "is missing");
        p[i].max_skew = (int32_t)read_int(r, v, here, "maxSkew", 1, INT32_MAX, 1);
        p[i].min_domains = (int32_t)read_int(r, v, here, "minDomains", 1, INT32_MAX, 0);
        p[i].hard = read_word(r, v, here, "whenUnsatisfiable", actions, ARRAY_LEN(actions), 1) == 1;
        p[i].affinity_policy = (enum spread_policy)read_word(r, v, here, "nodeAffinityPolicy", policies, ARRAY_LEN(policies), SPREAD_HONOR);
        p[i].taints_policy = (enum spread_policy)read_word(r, v, here, "nodeTaintsPolicy", policies, ARRAY_LEN(policies), SPREAD_IGNORE);
        read_selector(r, v, here, "labelSelector", &p[i].selector);
        read_own_keys(r, v, here, "matchLabelKeys", OP_IN, meta->labels, &p[i].selector);
    }
    ret->spread = p;
}

/* --- tolerations ----------------------------------------------------------------------------------------------------------------------------------- */
static void read_tolerations(struct reader *r, const struct json *spec, const struct spot *at, struct pod_spec *ret)
{
    static const char *const ops[] = {[TOLERATE_EQUAL] = "Equal", [TOLERATE_EXISTS] = "Exists"};
    static const char *const effects[] = {[TAINT_NO_SCHEDULE] = "NoSchedule", [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule", [TAINT_NO_EXECUTE] = "NoExecute"};
    const struct json *list = read_array(r, spec, at, "tolerations");
    const struct spot *list_at = SPOT(at, "tolerations");
    ret->ntolerations = list ? list->len : 0;
    struct spec_toleration *p = arena_array(r->a, ret->ntolerations, struct spec_toleration);
    for (size_t i = 0; i < ret->ntolerations; i++) {
        const struct json *v = read_item(r, list, list_at, i);
        const struct spot *here = SPOT_AT(list_at, i);
        p[i].key = read_str(r, v, here, "key");
        p[i].op = (enum toleration_op)read_word(r, v, here, "operator", ops, ARRAY_LEN(ops), TOLERATE_EQUAL);
        p[i].value = read_str(r, v, here, "value");
        p[i].effect = read_word(r, v, here, "effect", effects, ARRAY_LEN(effects), -1);
        if (str_empty(p[i].key) && p[i].op != TOLERATE_EXISTS)
            read_bad(r, SPOT(here, "key"), "is missing; only Exists goes without");
    }
    ret->tolerations = p;
}

void object_pod_constraints(struct reader *r, const struct json *spec, const struct object_meta *meta, struct pod_spec *ret)
{
    const struct spot *at = SPOT(NULL, "spec");
    const struct json *affinity = read_object(r, spec, at, "affinity");
    ret->node_selector = read_labels(r, spec, at, "nodeSelector");
    if (affinity) {
        read_node_affinity(r, affinity, SPOT(at, "affinity"), ret);
        read_pod_affinity(r, affinity, SPOT(at, "affinity"), meta, ret);
    }
    read_spread(r, spec, at, meta, ret);
    read_tolerations(r, spec, at, ret);
}
