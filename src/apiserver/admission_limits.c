/* admission_limits.c - LimitRange: defaults for containers that say nothing, bounds for all.
 *
 * Types: Container (each container), Pod (sum of containers, or the largest init container), PersistentVolumeClaim (storage request). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/quantity.h"
#include "apiserver/admission_steps.h"
#include "apiserver/internal.h"

struct limit_run {
    struct admission_attrs *at;
    bool defaults; /* first pass: fill in; second: check */
    struct err *err;
    int result;
};

static bool get_quantity(const struct json *obj, str resource, struct quantity *ret)
{
    return quantity_parse(json_get_str(obj, resource), ret);
}

/* --- defaults ----------------------------------------------------------------------------------------------------------------------------- */

static void fill(struct arena *a, struct json *resources, str what, const struct json *defaults, struct strbuf *note)
{
    for (uint32_t i = 0; json_is(defaults, JSON_OBJECT) && i < defaults->len; i++) {
        struct json *list = json_ensure_object(a, resources, what);
        if (json_get(list, defaults->members[i].key))
            continue;
        json_set(a, list, defaults->members[i].key, defaults->members[i].value);
        strbuf_addf(note, "%s" STR_FMT, note->len ? ", " : "", STR_ARG(defaults->members[i].key));
    }
}

static void default_containers(struct limit_run *l, const struct json *item, struct json *spec)
{
    static const str lists[] = {STR_INIT("initContainers"), STR_INIT("containers")};
    struct arena *a = l->at->arena;
    struct strbuf notes = strbuf_on(a);
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        struct json *containers = json_get(spec, lists[k]);
        for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            struct json *c = &containers->items[i];
            struct json *resources = json_ensure_object(a, c, S("resources"));
            struct strbuf req = strbuf_on(a), lim = strbuf_on(a);
            fill(a, resources, S("limits"), json_get(item, S("default")), &lim);
            fill(a, resources, S("requests"), json_get(item, S("defaultRequest")), &req);
            str name = json_get_str(c, S("name"));
            const char *kind = k == 0 ? "init container" : "container";
            if (req.len)
                strbuf_addf(&notes, "%s" STR_FMT " request for %s " STR_FMT, notes.len ? "; " : "", STR_ARG(strbuf_str(&req)), kind, STR_ARG(name));
            if (lim.len)
                strbuf_addf(&notes, "%s" STR_FMT " limit for %s " STR_FMT, notes.len ? "; " : "", STR_ARG(strbuf_str(&lim)), kind, STR_ARG(name));
        }
    }
    if (!notes.len)
        return;
    struct json *annotations = json_ensure_object(a, object_meta(l->at->obj), S("annotations"));
    json_set(a, annotations, S("kubernetes.io/limit-ranger"), json_string(arena_cat(a, S("LimitRanger plugin set: "), strbuf_str(&notes))));
}

/* --- bounds -------------------------------------------------------------------------------------------------------------------------------- */

static void refuse(struct limit_run *l, str text)
{
    if (l->result == 0)
        l->result = admission_forbid(l->at, l->err, STR_FMT, STR_ARG(text));
}

/* One bound: every resource the LimitRange names must be given and inside. */
static void check_bound(struct limit_run *l, const struct json *item, bool is_min, const struct json *requests, const struct json *limits, str type)
{
    const struct json *bound = json_get(item, is_min ? S("min") : S("max"));
    struct arena *a = l->at->arena;
    const char *word = is_min ? "minimum" : "maximum";
    for (uint32_t i = 0; json_is(bound, JSON_OBJECT) && i < bound->len; i++) {
        str resource = bound->members[i].key, text = json_str(&bound->members[i].value);
        struct quantity b, req, lim;
        if (!quantity_parse(text, &b))
            continue;
        bool has_req = get_quantity(requests, resource, &req), has_lim = get_quantity(limits, resource, &lim);
        const char *missing = is_min ? (has_req ? NULL : "request") : (has_lim ? NULL : "limit");
        if (missing)
            refuse(l, arena_fmt(a, "%s " STR_FMT " usage per " STR_FMT " is " STR_FMT ".  No %s is specified", word, STR_ARG(resource), STR_ARG(type), STR_ARG(text), missing));
        /* the side that must be given is the one that is looked at first */
        bool req_bad = has_req && (is_min ? quantity_cmp(&req, &b) < 0 : quantity_cmp(&req, &b) > 0);
        bool lim_bad = has_lim && (is_min ? quantity_cmp(&lim, &b) < 0 : quantity_cmp(&lim, &b) > 0);
        bool say_req = req_bad && (is_min || !lim_bad);
        if (!missing && (req_bad || lim_bad))
            refuse(l, arena_fmt(a, "%s " STR_FMT " usage per " STR_FMT " is " STR_FMT ", but %s is " STR_FMT, word, STR_ARG(resource), STR_ARG(type), STR_ARG(text),
                                say_req ? "request" : "limit", STR_ARG(json_get_str(say_req ? requests : limits, resource))));
    }
}

static void check_ratio(struct limit_run *l, const struct json *item, const struct json *requests, const struct json *limits, str type)
{
    const struct json *ratios = json_get(item, S("maxLimitRequestRatio"));
    for (uint32_t i = 0; json_is(ratios, JSON_OBJECT) && i < ratios->len; i++) {
        str resource = ratios->members[i].key;
        struct quantity max, req, lim;
        if (!quantity_parse(json_str(&ratios->members[i].value), &max))
            continue;
        bool ok = get_quantity(requests, resource, &req) && get_quantity(limits, resource, &lim) && !quantity_is_zero(&req);
        double have = ok ? (double)quantity_to_milli(&lim) / (double)quantity_to_milli(&req) : 0, want = (double)quantity_to_milli(&max) / 1000.0;
        if (!ok || have > want)
            refuse(l, arena_fmt(l->at->arena, STR_FMT " max limit to request ratio per " STR_FMT " is " STR_FMT ", but provided ratio is %f", STR_ARG(resource), STR_ARG(type),
                                STR_ARG(json_str(&ratios->members[i].value)), have));
    }
}

static void check_all(struct limit_run *l, const struct json *item, const struct json *requests, const struct json *limits, str type)
{
    check_bound(l, item, true, requests, limits, type);
    check_bound(l, item, false, requests, limits, type);
    check_ratio(l, item, requests, limits, type);
}

static void check_containers(struct limit_run *l, const struct json *item, const struct json *spec)
{
    static const str lists[] = {STR_INIT("initContainers"), STR_INIT("containers")};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *containers = json_get(spec, lists[k]);
        for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
            const struct json *res = json_get(&containers->items[i], S("resources"));
            check_all(l, item, json_get(res, S("requests")), json_get(res, S("limits")), S("Container"));
        }
    }
}

/* Sum over containers of requests or limits; a container without one leaves the sum of the others. */
static struct json pod_sum(struct arena *a, const struct json *spec, str what)
{
    struct json sum = json_object();
    const struct json *containers = json_get(spec, S("containers"));
    for (uint32_t i = 0; json_is(containers, JSON_ARRAY) && i < containers->len; i++) {
        const struct json *list = json_path(&containers->items[i], "resources", NULL);
        list = json_get(list, what);
        for (uint32_t k = 0; json_is(list, JSON_OBJECT) && k < list->len; k++) {
            struct quantity q, have;
            if (!quantity_parse(json_str(&list->members[k].value), &q))
                continue;
            if (get_quantity(&sum, list->members[k].key, &have))
                quantity_add(&q, &have);
            json_set(a, &sum, list->members[k].key, json_string(quantity_format(a, &q)));
        }
    }
    return sum;
}

static bool visit(void *arg, struct json *range, const struct store_kv *kv UNUSED)
{
    struct limit_run *l = arg;
    const struct json *items = json_path(range, "spec", "limits", NULL);
    struct json *spec = json_get(l->at->obj, S("spec"));
    bool is_pod = admission_is_kind(l->at, "", "pods");
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++) {
        const struct json *item = &items->items[i];
        str type = json_get_str(item, S("type"));
        if (l->defaults) {
            if (is_pod && str_is(type, "Container"))
                default_containers(l, item, spec);
        } else if (is_pod && str_is(type, "Container")) {
            check_containers(l, item, spec);
        } else if (is_pod && str_is(type, "Pod")) {
            struct json req = pod_sum(l->at->arena, spec, S("requests")), lim = pod_sum(l->at->arena, spec, S("limits"));
            check_all(l, item, &req, &lim, S("Pod"));
        } else if (!is_pod && str_is(type, "PersistentVolumeClaim")) {
            const struct json *req = json_path(spec, "resources", "requests", NULL);
            check_all(l, item, req, req, S("PersistentVolumeClaim"));
        }
    }
    return l->result == 0;
}

static int run(struct admission_attrs *at, bool defaults, struct err *err)
{
    bool is_pod = admission_is_kind(at, "", "pods"), is_claim = admission_is_kind(at, "", "persistentvolumeclaims");
    bool made = at->op == ADMIT_CREATE && !at->subresource.len && (is_pod || is_claim);
    bool resized = at->op == ADMIT_UPDATE && !defaults && (is_pod ? str_is(at->subresource, "resize") : is_claim && !at->subresource.len);
    if (!made && !resized)
        return 0;
    struct limit_run l = {.at = at, .defaults = defaults, .err = err};
    object_each(at->store, at->arena, object_builtin(S(""), S("limitranges")), at->ns, visit, &l);
    return l.result;
}

int admit_limit_ranger(struct admission_attrs *at, struct err *err)
{
    return run(at, true, err);
}

int validate_limit_ranger(struct admission_attrs *at, struct err *err)
{
    return run(at, false, err);
}
