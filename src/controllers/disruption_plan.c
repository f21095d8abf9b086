/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/disruption_plan.h"

#include "base/civil.h"
#include "controllers/workloads.h"

bool disruption_needs_scale(const struct json *pdb)
{
    const struct json *spec = json_get(pdb, S("spec")), *min = json_get(spec, S("minAvailable"));
    return json_get(spec, S("maxUnavailable")) || (json_is(min, JSON_STRING) && str_has_suffix(json_str(min), S("%")));
}

static struct pod_record *find_pod(struct pod_record *const *pods, size_t n, str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(pods[i]->name, name))
            return pods[i];
    return NULL;
}

/* Evictions that are under way: granted, and the pod does not say yet that it goes. */
static struct json still_disrupted(struct arena *a, const struct json *old, struct pod_record *const *pods, size_t n, nsec_t now, nsec_t *next)
{
    struct json out = json_object();
    for (uint32_t i = 0; json_is(old, JSON_OBJECT) && i < old->len; i++) {
        const struct pod_record *p = find_pod(pods, n, old->members[i].key);
        nsec_t at;
        if (!p || pod_is_gone(p) || !civil_parse(json_str(&old->members[i].value), &at) || at + DISRUPTION_EXPIRY_NS <= now)
            continue;
        json_set(a, &out, old->members[i].key, old->members[i].value);
        nsec_t left = at + DISRUPTION_EXPIRY_NS - now;
        *next = !*next || left < *next ? left : *next;
    }
    return out;
}

static int64_t desired(const struct json *pdb, int64_t expected)
{
    const struct json *spec = json_get(pdb, S("spec")), *max = json_get(spec, S("maxUnavailable"));
    if (max)
        return MAX(expected - int_or_percent(max, expected, true, 0), (int64_t)0);
    return int_or_percent(json_get(spec, S("minAvailable")), expected, true, 1);
}

static void set_condition(struct arena *a, struct json *status, const struct json *pdb, bool allowed, str reason, str message, nsec_t now)
{
    struct json *list = json_get(status, S("conditions")), *place = NULL, c = json_object();
    char time[CIVIL_TIME_LEN + 1];
    str text = allowed ? S("True") : S("False"), since;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, status, S("conditions"), json_array());
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "DisruptionAllowed"))
            place = &list->items[i];
    civil_format(now, time);
    since = place && str_eq(json_get_str(place, S("status")), text) ? json_get_str(place, S("lastTransitionTime")) : arena_str(a, str_of(time));
    json_set(a, &c, S("type"), json_string(S("DisruptionAllowed")));
    json_set(a, &c, S("status"), json_string(text));
    json_set(a, &c, S("observedGeneration"), json_int(a, json_get_int(json_get(pdb, S("metadata")), S("generation"), 0)));
    json_set(a, &c, S("lastTransitionTime"), json_string(since));
    json_set(a, &c, S("reason"), json_string(reason));
    json_set(a, &c, S("message"), json_string(message));
    if (place)
        *place = c;
    else
        json_push(a, list, c);
}

struct disruption disruption_plan_make(struct arena *a, const struct json *pdb, struct pod_record *const *pods, size_t npods, int64_t scale, str trouble, nsec_t now)
{
    const struct json *old = json_get(pdb, S("status"));
    struct disruption d = {.status = json_is(old, JSON_OBJECT) ? json_copy(a, old) : json_object()};
    struct json *st = &d.status, gone = still_disrupted(a, json_get(old, S("disruptedPods")), pods, npods, now, &d.next);
    int64_t expected = disruption_needs_scale(pdb) ? scale : (int64_t)npods, want = desired(pdb, expected), healthy = 0;
    for (size_t i = 0; i < npods; i++)
        healthy += pods[i]->ready && !pod_is_gone(pods[i]) && !json_get(&gone, pods[i]->name);
    int64_t allowed = expected > 0 ? MAX(healthy - want, (int64_t)0) : 0;
    if (trouble.len) { /* what was known stays, but nothing may go on the strength of it */
        json_set(a, st, S("disruptionsAllowed"), json_int(a, 0));
        set_condition(a, st, pdb, false, S("SyncFailed"), trouble, now);
        return d;
    }
    if (gone.len)
        json_set(a, st, S("disruptedPods"), gone);
    else
        json_del(st, S("disruptedPods"));
    json_set(a, st, S("disruptionsAllowed"), json_int(a, allowed));
    json_set(a, st, S("currentHealthy"), json_int(a, healthy));
    json_set(a, st, S("desiredHealthy"), json_int(a, want));
    json_set(a, st, S("expectedPods"), json_int(a, expected));
    json_set(a, st, S("observedGeneration"), json_int(a, json_get_int(json_get(pdb, S("metadata")), S("generation"), 0)));
    set_condition(a, st, pdb, allowed > 0, allowed > 0 ? S("SufficientPods") : S("InsufficientPods"), S(""), now);
    return d;
}
