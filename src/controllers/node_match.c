/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/node_match.h"

#include "base/civil.h"

static bool value_in(const struct json *values, str v)
{
    for (uint32_t i = 0; json_is(values, JSON_ARRAY) && i < values->len; i++)
        if (str_eq(json_str(&values->items[i]), v))
            return true;
    return false;
}

/* have: NULL when the node has no such label. */
static bool requirement_holds(const struct json *req, const struct json *have)
{
    str op = json_get_str(req, S("operator")), v = json_str(have);
    const struct json *values = json_get(req, S("values"));
    int64_t mine, bound;
    if (str_is(op, "In"))
        return have && value_in(values, v);
    if (str_is(op, "NotIn"))
        return !have || !value_in(values, v);
    if (str_is(op, "Exists"))
        return have != NULL;
    if (str_is(op, "DoesNotExist"))
        return have == NULL;
    bool numbers = have && json_is(values, JSON_ARRAY) && values->len == 1 && str_to_i64(v, &mine) && str_to_i64(json_str(&values->items[0]), &bound);
    return numbers && (str_is(op, "Gt") ? mine > bound : str_is(op, "Lt") && mine < bound);
}

static bool term_holds(const struct json *term, const struct json *meta)
{
    const struct json *labels = json_get(meta, S("labels")), *exprs = json_get(term, S("matchExpressions")), *fields = json_get(term, S("matchFields"));
    uint32_t nexprs = json_is(exprs, JSON_ARRAY) ? exprs->len : 0, nfields = json_is(fields, JSON_ARRAY) ? fields->len : 0;
    for (uint32_t i = 0; i < nexprs; i++)
        if (!requirement_holds(&exprs->items[i], json_get(labels, json_get_str(&exprs->items[i], S("key")))))
            return false;
    for (uint32_t i = 0; i < nfields; i++)
        if (!str_is(json_get_str(&fields->items[i], S("key")), "metadata.name") || !requirement_holds(&fields->items[i], json_get(meta, S("name"))))
            return false;
    return nexprs + nfields > 0; /* an empty term selects nothing */
}

bool node_fits(const struct json *spec, const struct json *node)
{
    const struct json *meta = json_get(node, S("metadata")), *labels = json_get(meta, S("labels")), *wanted = json_get(spec, S("nodeSelector"));
    const struct json *required = json_path(spec, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", NULL), *terms = json_get(required, S("nodeSelectorTerms"));
    str name = json_get_str(spec, S("nodeName"));
    if (name.len && !str_eq(name, json_get_str(meta, S("name"))))
        return false;
    for (uint32_t i = 0; json_is(wanted, JSON_OBJECT) && i < wanted->len; i++) {
        const struct json *have = json_get(labels, wanted->members[i].key);
        if (!have || !str_eq(json_str(have), json_str(&wanted->members[i].value)))
            return false;
    }
    bool any = !required;
    for (uint32_t i = 0; !any && json_is(terms, JSON_ARRAY) && i < terms->len; i++)
        any = term_holds(&terms->items[i], meta);
    return any;
}

static bool tolerates(const struct json *t, const struct json *taint)
{
    str effect = json_get_str(t, S("effect")), key = json_get_str(t, S("key"));
    if (effect.len && !str_eq(effect, json_get_str(taint, S("effect"))))
        return false;
    if (str_is(json_get_str(t, S("operator")), "Exists"))
        return !key.len || str_eq(key, json_get_str(taint, S("key")));
    return str_eq(key, json_get_str(taint, S("key"))) && str_eq(json_get_str(t, S("value")), json_get_str(taint, S("value")));
}

bool node_tolerated(const struct json *tolerations, const struct json *node, str effect)
{
    const struct json *taints = json_path(node, "spec", "taints", NULL);
    for (uint32_t i = 0; json_is(taints, JSON_ARRAY) && i < taints->len; i++) {
        const struct json *taint = &taints->items[i];
        bool fine = !str_eq(json_get_str(taint, S("effect")), effect);
        for (uint32_t k = 0; !fine && json_is(tolerations, JSON_ARRAY) && k < tolerations->len; k++)
            fine = tolerates(&tolerations->items[k], taint);
        if (!fine)
            return false;
    }
    return true;
}

/* Seconds for which the taint is tolerated: -1 for ever, -2 not at all.  Of several tolerations the one that ends first counts. */
static int64_t tolerated_seconds(const struct json *tolerations, const struct json *taint)
{
    int64_t least = -2;
    for (uint32_t i = 0; json_is(tolerations, JSON_ARRAY) && i < tolerations->len; i++) {
        const struct json *t = &tolerations->items[i], *seconds = json_get(t, S("tolerationSeconds"));
        int64_t s = -1;
        if (!tolerates(t, taint))
            continue;
        if (json_is(seconds, JSON_NUMBER))
            s = MAX(json_get_int(t, S("tolerationSeconds"), 0), (int64_t)0);
        if (least == -2 || (s >= 0 && (least < 0 || s < least)))
            least = s;
    }
    return least;
}

nsec_t node_evict_at(const struct json *tolerations, const struct json *taints, nsec_t now)
{
    nsec_t first = -1;
    for (uint32_t i = 0; json_is(taints, JSON_ARRAY) && i < taints->len; i++) {
        const struct json *taint = &taints->items[i];
        nsec_t since;
        if (!str_is(json_get_str(taint, S("effect")), "NoExecute"))
            continue;
        int64_t seconds = tolerated_seconds(tolerations, taint);
        if (seconds == -1)
            continue;
        if (!civil_parse(json_get_str(taint, S("timeAdded")), &since))
            since = now;
        /* a century is for ever, and nothing overflows */
        nsec_t at = seconds <= 0 ? 0 : since + MIN(seconds, (int64_t)3155760000) * NSEC_PER_SEC;
        if (first < 0 || at < first)
            first = at <= now ? 0 : at;
    }
    return first;
}
