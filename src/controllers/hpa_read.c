/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/hpa_read.h"

#include "api/quantity.h"
#include "base/civil.h"

#define USUAL_WINDOW_NS (60 * NSEC_PER_SEC)

/* --- behaviour -------------------------------------------------------------------------------------------------------------------- */

struct hpa_rules hpa_read_rules(const struct json *behavior, bool up)
{
    struct hpa_rules out = hpa_rules_default(up);
    const struct json *from = json_get(behavior, up ? S("scaleUp") : S("scaleDown")), *list = json_get(from, S("policies")), *window = json_get(from, S("stabilizationWindowSeconds"));
    str select = json_get_str(from, S("selectPolicy"));
    struct quantity q;
    int64_t seconds;
    if (json_to_i64(window, &seconds))
        out.window = seconds * NSEC_PER_SEC;
    out.select = str_is(select, "Min") ? HPA_MIN : str_is(select, "Disabled") ? HPA_DISABLED : HPA_MAX;
    if (quantity_parse(json_str(json_get(from, S("tolerance"))), &q))
        out.tolerance = (double)quantity_to_milli(&q) / 1000;
    if (!json_is(list, JSON_ARRAY) || !list->len)
        return out;
    out.npolicies = 0;
    for (uint32_t i = 0; i < list->len && out.npolicies < HPA_POLICIES; i++)
        out.policies[out.npolicies++] = (struct hpa_policy){.percent = str_is(json_get_str(&list->items[i], S("type")), "Percent"), .value = json_get_int(&list->items[i], S("value"), 0),
                                                            .period = json_get_int(&list->items[i], S("periodSeconds"), 15) * NSEC_PER_SEC};
    return out;
}

/* --- pods ------------------------------------------------------------------------------------------------------------------------------ */

static nsec_t time_of(const struct json *obj, str key)
{
    nsec_t at;
    return civil_parse(json_get_str(obj, key), &at) ? at : 0;
}

static void read_request(struct hpa_pod *p, const struct json *spec, str resource, str container)
{
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    for (size_t l = 0; l < ARRAY_LEN(lists); l++) {
        const struct json *list = json_get(spec, lists[l]);
        for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
            const struct json *c = &list->items[i];
            bool runs_on = l == 0 || str_is(json_get_str(c, S("restartPolicy")), "Always");
            struct quantity q;
            if (!runs_on || (container.len && !str_eq(json_get_str(c, S("name")), container)))
                continue;
            if (quantity_parse(json_str(json_get(json_path(c, "resources", "requests", NULL), resource)), &q) && p->request_milli >= 0) {
                p->request_milli += quantity_to_milli(&q);
            } else if (p->request_milli >= 0) {
                p->request_milli = -1;
                p->without = json_get_str(c, S("name"));
            }
        }
    }
}

size_t hpa_read_pods(struct arena *a, const struct json *items, str resource, str container, struct hpa_pod **ret)
{
    size_t n = json_is(items, JSON_ARRAY) ? items->len : 0;
    struct hpa_pod *out = arena_array(a, n + 1, struct hpa_pod);
    for (size_t i = 0; i < n; i++) {
        const struct json *obj = &items->items[i], *meta = json_get(obj, S("metadata")), *status = json_get(obj, S("status")), *list = json_get(status, S("conditions"));
        struct hpa_pod *p = &out[i];
        str phase = json_get_str(status, S("phase"));
        p->name = json_get_str(meta, S("name"));
        p->ignored = json_get_str(meta, S("deletionTimestamp")).len || str_is(phase, "Failed") || str_is(phase, "Succeeded");
        p->pending = str_is(phase, "Pending") || !phase.len;
        p->started = time_of(status, S("startTime"));
        for (uint32_t k = 0; json_is(list, JSON_ARRAY) && k < list->len; k++) {
            if (!str_is(json_get_str(&list->items[k], S("type")), "Ready"))
                continue;
            p->has_ready = true;
            p->ready = str_is(json_get_str(&list->items[k], S("status")), "True");
            p->ready_changed = time_of(&list->items[k], S("lastTransitionTime"));
        }
        if (resource.len)
            read_request(p, json_get(obj, S("spec")), resource, container);
    }
    *ret = out;
    return n;
}

/* --- samples ---------------------------------------------------------------------------------------------------------------------------- */

nsec_t hpa_read_window(str text, nsec_t otherwise)
{
    double total = 0;
    if (!text.len)
        return otherwise;
    while (text.len) {
        size_t n = 0, u;
        while (n < text.len && ((text.p[n] >= '0' && text.p[n] <= '9') || text.p[n] == '.'))
            n++;
        for (u = n; u < text.len && text.p[u] >= 'a' && text.p[u] <= 'z';)
            u++;
        double v;
        str unit = str_sub(text, n, u);
        double scale = str_is(unit, "h") ? 3600 : str_is(unit, "m") ? 60 : str_is(unit, "s") ? 1 : str_is(unit, "ms") ? 0.001 : 0;
        if (!n || scale == 0 || !str_to_double(str_sub(text, 0, n), &v))
            return otherwise;
        total += v * scale;
        text = str_from(text, u);
    }
    return total > 86400 ? otherwise : (nsec_t)(total * (double)NSEC_PER_SEC);
}

size_t hpa_read_usage(struct arena *a, const struct json *items, str resource, str container, struct hpa_sample **ret)
{
    size_t n = 0, all = json_is(items, JSON_ARRAY) ? items->len : 0;
    struct hpa_sample *out = arena_array(a, all + 1, struct hpa_sample);
    for (size_t i = 0; i < all; i++) {
        const struct json *obj = &items->items[i], *list = json_get(obj, S("containers"));
        bool known = json_is(list, JSON_ARRAY) && list->len, found = false;
        int64_t sum = 0;
        for (uint32_t k = 0; known && k < list->len; k++) {
            struct quantity q;
            if (container.len && !str_eq(json_get_str(&list->items[k], S("name")), container))
                continue;
            found = true;
            known = quantity_parse(json_str(json_get(json_get(&list->items[k], S("usage")), resource)), &q);
            sum += known ? quantity_to_milli(&q) : 0;
        }
        if (known && found)
            out[n++] = (struct hpa_sample){json_get_str(json_get(obj, S("metadata")), S("name")), sum, time_of(obj, S("timestamp")),
                                           hpa_read_window(json_get_str(obj, S("window")), USUAL_WINDOW_NS)};
    }
    *ret = out;
    return n;
}

static bool value_of(const struct json *item, int64_t *ret)
{
    struct quantity q;
    if (!quantity_parse(json_str(json_get(item, S("value"))), &q))
        return false;
    *ret = quantity_to_milli(&q);
    return true;
}

size_t hpa_read_values(struct arena *a, const struct json *items, struct hpa_sample **ret)
{
    size_t n = 0, all = json_is(items, JSON_ARRAY) ? items->len : 0;
    struct hpa_sample *out = arena_array(a, all + 1, struct hpa_sample);
    for (size_t i = 0; i < all; i++) {
        int64_t v;
        if (value_of(&items->items[i], &v))
            out[n++] = (struct hpa_sample){json_get_str(json_get(&items->items[i], S("describedObject")), S("name")), v, time_of(&items->items[i], S("timestamp")), USUAL_WINDOW_NS};
    }
    *ret = out;
    return n;
}

int64_t hpa_read_sum(const struct json *items)
{
    int64_t sum = 0, v;
    for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->len; i++)
        if (value_of(&items->items[i], &v) && __builtin_add_overflow(sum, v, &sum))
            return INT64_MAX;
    return sum;
}

/* --- what was measured ------------------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *type, *member;
} sources[] = {{"Resource", "resource"}, {"ContainerResource", "containerResource"}, {"Pods", "pods"}, {"Object", "object"}, {"External", "external"}};

static const char *member_of(const struct json *metric)
{
    for (size_t i = 0; i < ARRAY_LEN(sources); i++)
        if (str_is(json_get_str(metric, S("type")), sources[i].type))
            return sources[i].member;
    return "";
}

const struct json *hpa_source(const struct json *metric)
{
    return json_get(metric, str_of(member_of(metric)));
}

str hpa_metric_name(struct arena *a, const struct json *metric)
{
    const struct json *src = hpa_source(metric);
    str type = json_get_str(metric, S("type")), name = json_get_str(json_get(src, S("metric")), S("name")), resource = json_get_str(src, S("name"));
    const char *share = json_path(src, "target", "averageUtilization", NULL) ? " utilization (percentage of request)" : "";
    if (str_is(type, "Resource"))
        return arena_fmt(a, STR_FMT " resource%s", STR_ARG(resource), share);
    if (str_is(type, "ContainerResource"))
        return arena_fmt(a, STR_FMT " container resource%s", STR_ARG(resource), share);
    if (str_is(type, "Pods"))
        return arena_fmt(a, "pods metric " STR_FMT, STR_ARG(name));
    if (str_is(type, "Object"))
        return arena_fmt(a, STR_FMT " metric " STR_FMT, STR_ARG(json_get_str(json_get(src, S("describedObject")), S("kind"))), STR_ARG(name));
    return arena_fmt(a, "external metric " STR_FMT, STR_ARG(name));
}

struct json hpa_metric_status(struct arena *a, const struct json *metric, const struct hpa_proposal *p)
{
    static const str copied[] = {STR_INIT("name"), STR_INIT("container"), STR_INIT("metric"), STR_INIT("describedObject")};
    const struct json *src = hpa_source(metric);
    struct json out = json_object(), own = json_object(), current = json_object();
    struct quantity q;
    for (size_t i = 0; i < ARRAY_LEN(copied); i++)
        if (json_get(src, copied[i]))
            json_set(a, &own, copied[i], *json_get(src, copied[i]));
    if (p->value_milli >= 0) {
        q = quantity_from_milli(p->value_milli);
        json_set(a, &current, S("value"), json_string(quantity_format(a, &q)));
    }
    if (p->average_milli >= 0) {
        q = quantity_from_milli(p->average_milli);
        json_set(a, &current, S("averageValue"), json_string(quantity_format(a, &q)));
    }
    if (p->utilization >= 0)
        json_set(a, &current, S("averageUtilization"), json_int(a, p->utilization));
    json_set(a, &own, S("current"), current);
    json_set(a, &out, S("type"), json_string(json_get_str(metric, S("type"))));
    json_set(a, &out, str_of(member_of(metric)), own);
    return out;
}
