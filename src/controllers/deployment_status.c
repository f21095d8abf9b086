/* deployment_status.c - the status of a Deployment: counts, and the conditions that `kubectl rollout status` reads.
 *
 *   Progressing: NewReplicaSetCreated / FoundNewReplicaSet ─► ReplicaSetUpdated ─► NewReplicaSetAvailable
 *                                                             └─ no progress for progressDeadlineSeconds ─► ProgressDeadlineExceeded (False) */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/deployment_plan.h"
#include "controllers/workloads.h"

#define NO_DEADLINE 2147483647

struct counts {
    int64_t replicas, updated, ready, available;
};

static str time_text(struct arena *a, nsec_t at)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    return arena_str(a, str_of(text));
}

static struct json *condition_find(const struct json *status, const char *type)
{
    struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

static void condition_drop(struct json *status, const char *type)
{
    struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            json_remove(list, i--);
}

/* touch: it is news even when it says the same. */
static void condition_put(struct arena *a, nsec_t now, struct json *status, const char *type, const char *value, str reason, str message, bool touch)
{
    struct json *have = condition_find(status, type), *list = json_get(status, S("conditions"));
    bool same = have && str_is(json_get_str(have, S("status")), value);
    if (same && !touch && str_eq(json_get_str(have, S("reason")), reason))
        return;
    struct json c = json_object();
    json_set(a, &c, S("type"), json_string(str_of(type)));
    json_set(a, &c, S("status"), json_string(str_of(value)));
    json_set(a, &c, S("lastUpdateTime"), json_string(time_text(a, now)));
    json_set(a, &c, S("lastTransitionTime"), json_string(same ? json_get_str(have, S("lastTransitionTime")) : time_text(a, now)));
    json_set(a, &c, S("reason"), json_string(reason));
    json_set(a, &c, S("message"), json_string(message));
    if (have)
        *have = c;
    else
        json_push(a, json_is(list, JSON_ARRAY) ? list : json_set(a, status, S("conditions"), json_array()), c);
}

static struct counts counts_of(const struct json *status)
{
    return (struct counts){json_get_int(status, S("replicas"), 0), json_get_int(status, S("updatedReplicas"), 0), json_get_int(status, S("readyReplicas"), 0),
                           json_get_int(status, S("availableReplicas"), 0)};
}

bool deployment_is_complete(const struct dep *d, const struct json *status)
{
    struct counts c = counts_of(status);
    return c.updated == d->replicas && c.replicas == d->replicas && c.available == d->replicas &&
           json_get_int(status, S("observedGeneration"), 0) >= json_get_int(json_get(d->obj, S("metadata")), S("generation"), 0);
}

static struct counts set_counts(struct arena *a, const struct dep *d, struct json *status)
{
    struct counts c = {0};
    int64_t wanted = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct dep_set *s = &d->sets[i];
        wanted += s->replicas;
        c.replicas += s->pods;
        c.ready += s->ready;
        c.available += s->available;
        c.updated += (ptrdiff_t)i == d->new ? s->pods : 0;
    }
    status_int(a, status, "observedGeneration", json_get_int(json_get(d->obj, S("metadata")), S("generation"), 0));
    status_int(a, status, "replicas", c.replicas);
    status_int(a, status, "updatedReplicas", c.updated);
    status_int(a, status, "readyReplicas", c.ready);
    status_int(a, status, "availableReplicas", c.available);
    status_int(a, status, "unavailableReplicas", MAX(wanted - c.available, (int64_t)0));
    return c;
}

static void set_available(struct arena *a, const struct dep *d, struct json *status, int64_t available)
{
    if (available >= d->replicas - d->unavailable)
        condition_put(a, d->now, status, "Available", "True", S("MinimumReplicasAvailable"), S("Deployment has minimum availability."), false);
    else
        condition_put(a, d->now, status, "Available", "False", S("MinimumReplicasUnavailable"), S("Deployment does not have minimum availability."), false);
}

static void set_failure(struct arena *a, const struct dep *d, struct json *status)
{
    const struct json *bad = NULL;
    for (size_t i = 0; i < d->n && !bad; i++)
        bad = condition_find(json_get(d->sets[i].obj, S("status")), "ReplicaFailure");
    if (d->new >= 0 && condition_find(json_get(d->sets[d->new].obj, S("status")), "ReplicaFailure"))
        bad = condition_find(json_get(d->sets[d->new].obj, S("status")), "ReplicaFailure");
    if (bad)
        condition_put(a, d->now, status, "ReplicaFailure", "True", json_get_str(bad, S("reason")), json_get_str(bad, S("message")), false);
    else
        condition_drop(status, "ReplicaFailure");
}

/* False: it has not begun to count. */
static bool deadline_of(const struct dep *d, const struct json *cond, nsec_t *ret)
{
    nsec_t from;
    if (!cond || str_is(json_get_str(cond, S("reason")), "NewReplicaSetAvailable") || !civil_parse(json_get_str(cond, S("lastUpdateTime")), &from))
        return false;
    *ret = from + workload_seconds(d->spec, S("progressDeadlineSeconds"));
    return true;
}

static void set_pause(struct arena *a, const struct dep *d, struct json *status)
{
    const struct json *cond = condition_find(status, "Progressing");
    str reason = json_get_str(cond, S("reason"));
    if (str_is(reason, "ProgressDeadlineExceeded"))
        return;
    if (d->paused && !str_is(reason, "DeploymentPaused"))
        condition_put(a, d->now, status, "Progressing", "Unknown", S("DeploymentPaused"), S("Deployment is paused"), true);
    else if (!d->paused && str_is(reason, "DeploymentPaused"))
        condition_put(a, d->now, status, "Progressing", "Unknown", S("DeploymentResumed"), S("Deployment is resumed"), true);
}

static void set_progress(struct arena *a, const struct dep *d, struct json *status, struct counts was, struct counts now, str created)
{
    str name = d->new >= 0 ? d->sets[d->new].name : created;
    str what = name.len ? arena_fmt(a, "ReplicaSet \"" STR_FMT "\"", STR_ARG(name)) : arena_fmt(a, "Deployment \"" STR_FMT "\"", STR_ARG(json_get_str(json_get(d->obj, S("metadata")), S("name"))));
    const struct json *cond = condition_find(status, "Progressing");
    nsec_t deadline;
    if (created.len) {
        condition_put(a, d->now, status, "Progressing", "True", S("NewReplicaSetCreated"), arena_fmt(a, "Created new replica set \"" STR_FMT "\"", STR_ARG(created)), true);
        return;
    }
    if (!cond && d->new >= 0)
        condition_put(a, d->now, status, "Progressing", "True", S("FoundNewReplicaSet"), arena_fmt(a, "Found new replica set \"" STR_FMT "\"", STR_ARG(name)), true);
    if (d->paused)
        return;
    cond = condition_find(status, "Progressing");
    if (now.replicas == now.updated && str_is(json_get_str(cond, S("reason")), "NewReplicaSetAvailable"))
        return; /* it was rolled out; what pods do later is not a roll-out */
    bool moved = now.updated > was.updated || now.replicas - now.updated < was.replicas - was.updated || now.ready > was.ready || now.available > was.available;
    if (d->new >= 0 && deployment_is_complete(d, status))
        condition_put(a, d->now, status, "Progressing", "True", S("NewReplicaSetAvailable"), arena_fmt(a, STR_FMT " has successfully progressed.", STR_ARG(what)), false);
    else if (moved)
        condition_put(a, d->now, status, "Progressing", "True", S("ReplicaSetUpdated"), arena_fmt(a, STR_FMT " is progressing.", STR_ARG(what)), true);
    else if (deadline_of(d, cond, &deadline) && deadline <= d->now)
        condition_put(a, d->now, status, "Progressing", "False", S("ProgressDeadlineExceeded"), arena_fmt(a, STR_FMT " has timed out progressing.", STR_ARG(what)), false);
}

struct json deployment_status(struct arena *a, const struct dep *d, str created, nsec_t *ret_after)
{
    const struct json *old = json_get(d->obj, S("status"));
    struct json status = old ? json_copy(a, old) : json_object();
    struct counts was = counts_of(old), now = set_counts(a, d, &status);
    bool limited = json_get_int(d->spec, S("progressDeadlineSeconds"), NO_DEADLINE) != NO_DEADLINE;
    nsec_t deadline;
    *ret_after = 0;
    set_available(a, d, &status, now.available);
    if (limited) {
        set_pause(a, d, &status);
        set_progress(a, d, &status, was, now, created);
        const struct json *cond = condition_find(&status, "Progressing");
        if (!d->paused && !str_is(json_get_str(cond, S("reason")), "ProgressDeadlineExceeded") && deadline_of(d, cond, &deadline))
            *ret_after = MAX(deadline - d->now, (nsec_t)0) + NSEC_PER_SEC;
    } else {
        condition_drop(&status, "Progressing");
    }
    set_failure(a, d, &status);
    return status;
}
