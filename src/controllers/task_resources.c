/* task_resources.c - TaskResourceGroups: the room that all parties of a task need at the same time, shown as Kuscia shows it.
 *
 *   "" ─► Creating ─► Reserving ⇄ ReserveFailed ─► Reserved        TaskResource of each party: Reserving ─► Schedulable
 *                         └─────────┴─► Failed (lifecycleSeconds are over)          └─► Failed
 *
 * Nothing is reserved here.  The scheduler reads the group as one gang with a sub-group a party (sched/engine/object_group.c) and places the pods of all of them in one decision or of none,
 * so no party ever holds what another waits for.  These are the words for it: Reserved when enough parties have their pods on nodes; ReserveFailed while the scheduler finds no room for longer than
 * resourceReservedSeconds, and after retryIntervalSeconds Reserving again, once more counted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_task_plan.h"
#include "controllers/task_resources_plan.h"

struct state {
    struct map waiting; /* groups that wait: by key, what of their time has passed.  Touched by the job of the key alone */
    struct map settled; /* names of groups that the watch has shown with all their room: what their pods do is no news */
};
struct waiting {
    char *key, *uid;
    struct reserve_pace pace;
};

struct run {
    struct json group;
    const struct json *spec, *parties;
    size_t nparties, npods;
    struct gather *pods;      /* party by party */
    struct gather *resources; /* a TaskResource each */
    struct json status;
    struct step *steps;
    struct waiting *waiting;
    bool moved;   /* into another phase */
    nsec_t again; /* when to look again though nothing happens, monotonic; 0: never */
};

static nsec_t now_of(struct job *j)
{
    return clock_mono(j->c->opts->clock);
}

static void waiting_free(struct waiting *w)
{
    free(w->key);
    free(w->uid);
    free(w);
}

static void waiting_drop(struct job *j)
{
    struct state *s = j->c->state;
    struct waiting *w = map_del(&s->waiting, j->key);
    if (w)
        waiting_free(w);
}

static str phase_of(const struct run *r)
{
    return json_get_str(json_get(&r->group, S("status")), S("phase"));
}

static nsec_t time_of(const struct json *of, const char *key)
{
    nsec_t t;
    return civil_parse(json_get_str(of, str_of(key)), &t) ? t : 0;
}

/* --- writing ---------------------------------------------------------------------------------------------------------------------------------------------- */

static void ended(struct job *j)
{
    const struct run *r = j->state;
    if (job_ok(j) && r->moved && r->waiting)
        r->waiting->pace.changed = now_of(j);
    if (job_ok(j) && !r->again)
        waiting_drop(j);
    if (!job_ok(j) && !job_not_found(j))
        job_end(j, WORK_RETRY);
    else if (r->again)
        job_end_after(j, MAX(r->again - now_of(j), NSEC_PER_MSEC));
    else
        job_end(j, WORK_OK);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    const struct json *was = json_get(&r->group, S("status"));
    if (!job_ok(j) || (was && json_equal(was, &r->status))) {
        ended(j);
        return;
    }
    struct json obj = r->group;
    json_set(&j->arena, &obj, S("status"), r->status);
    job_call(j, S("PUT"), kuscia_path(&j->arena, "taskresourcegroups", S(""), j->key, "/status"), &obj, ended);
}

static void set_phase(struct job *j, const char *phase)
{
    struct run *r = j->state;
    str now = now_text(&j->arena, j->c->opts->clock);
    if (str_is(json_get_str(&r->status, S("phase")), phase))
        return;
    r->moved = true;
    json_set(&j->arena, &r->status, S("phase"), json_string(str_of(phase)));
    json_set(&j->arena, &r->status, S("lastTransitionTime"), json_string(now));
    if (!json_get_str(&r->status, S("startTime")).len)
        json_set(&j->arena, &r->status, S("startTime"), json_string(now));
    if (strcmp(phase, "Reserved") == 0 || strcmp(phase, "Failed") == 0)
        json_set(&j->arena, &r->status, S("completionTime"), json_string(now));
}

static void condition(struct job *j, const char *type, bool holds, str reason)
{
    struct run *r = j->state;
    kuscia_condition(&j->arena, &r->status, type, holds, reason, S(""), now_text(&j->arena, j->c->opts->clock));
}

/* --- parties ---------------------------------------------------------------------------------------------------------------------------------------------- */

static str resource_name(struct arena *a, const struct run *r, const struct json *party)
{
    return kuscia_resource_name(a, &r->group, json_get_str(party, S("domainID")), json_get_str(party, S("role")));
}

static size_t pods_of(const struct json *party)
{
    const struct json *pods = json_get(party, S("pods"));
    return json_is(pods, JSON_ARRAY) ? pods->len : 0;
}

/* Pods of the party that have a node. */
static size_t placed(const struct run *r, size_t first, size_t n)
{
    size_t count = 0;
    for (size_t i = first; i < first + n; i++)
        count += r->pods[i].found && json_get_str(json_get(&r->pods[i].obj, S("spec")), S("nodeName")).len;
    return count;
}

/* Why pods of the range wait, with the reason where it has a name; "" when nobody said so yet.  What one party lacks is said by its own pods, others wait for it. */
static str refusal(struct arena *a, const struct run *r, size_t first, size_t n)
{
    str best = S("");
    bool own = false;
    for (size_t i = first; i < first + n && !own; i++) {
        const struct json *list = json_path(&r->pods[i].obj, "status", "conditions", NULL);
        for (uint32_t k = 0; r->pods[i].found && json_is(list, JSON_ARRAY) && k < list->len; k++) {
            str reason = json_get_str(&list->items[k], S("reason")), said = json_get_str(&list->items[k], S("message"));
            if (!str_is(json_get_str(&list->items[k], S("type")), "PodScheduled") || !str_is(json_get_str(&list->items[k], S("status")), "False"))
                continue;
            own = !str_has_prefix(said, S("waits for party "));
            if (own || !best.len)
                best = str_is(reason, "Unschedulable") ? said : arena_fmt(a, STR_FMT ": " STR_FMT, STR_ARG(reason), STR_ARG(said));
        }
    }
    return best;
}

/* The status with a phase.  Each leaves a condition of its name, and so do those before it: whether somebody looked in between does not show.  That of the phase says why it lasts. */
static struct json resource_status(struct job *j, const struct json *was, const char *phase, str why)
{
    struct arena *a = &j->arena;
    static const char *const way[] = {"Reserving", "Reserved", "Schedulable"};
    str now = now_text(a, j->c->opts->clock);
    struct json st = was ? json_copy(a, was) : json_make(a, "{\"startTime\":%S}", now);
    if (!str_is(json_get_str(was, S("phase")), phase))
        json_set(a, &st, S("lastTransitionTime"), json_string(now));
    json_set(a, &st, S("phase"), json_string(str_of(phase)));
    if (strcmp(phase, "Schedulable") == 0 || strcmp(phase, "Failed") == 0)
        json_set(a, &st, S("completionTime"), json_string(now));
    bool failed = strcmp(phase, "Failed") == 0;
    for (size_t i = 0; i < ARRAY_LEN(way); i++) {
        bool is_last = strcmp(phase, way[i]) == 0;
        kuscia_condition(a, &st, way[i], true, is_last ? why : S(""), S(""), now);
        if (failed || is_last)
            break;
    }
    if (failed)
        kuscia_condition(a, &st, phase, true, why, S(""), now);
    return st;
}

static struct json task_resource(struct job *j, const struct run *r, const struct json *party, size_t first, const char *phase)
{
    struct arena *a = &j->arena;
    const struct json *meta = json_get(&r->group, S("metadata"));
    struct json pods = json_array(), spec, obj, status = resource_status(j, NULL, phase, S(""));
    for (size_t i = 0; i < pods_of(party); i++) {
        const struct json *containers = json_path(&r->pods[first + i].obj, "spec", "containers", NULL);
        struct json pod = json_make(a, "{\"name\":%S}", json_get_str(&json_get(party, S("pods"))->items[i], S("name")));
        if (r->pods[first + i].found && json_is(containers, JSON_ARRAY) && containers->len == 1 && json_get(&containers->items[0], S("resources")))
            json_set(a, &pod, S("resources"), *json_get(&containers->items[0], S("resources")));
        json_push(a, &pods, pod);
    }
    spec = json_make(a, "{\"minReservedPods\":%d,\"resourceReservedSeconds\":%d,\"initiator\":%S,\"pods\":%j}", MAX(json_get_int(party, S("minReservedPods"), 1), (int64_t)1),
                     json_get_int(r->spec, S("resourceReservedSeconds"), 0), json_get_str(r->spec, S("initiator")), &pods);
    if (json_get_str(party, S("role")).len)
        json_set(a, &spec, S("role"), *json_get(party, S("role")));
    obj = json_make(a,
                    "{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"TaskResource\",\"metadata\":{\"name\":%S,\"labels\":{\"" KUSCIA("task-resource-group-uid") "\":%S,\"" KUSCIA("task-resource-group") "\":%S},"
                    "\"ownerReferences\":[{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"TaskResourceGroup\",\"name\":%S,\"uid\":%S,\"controller\":true}]},\"spec\":%j,"
                    "\"status\":%j}",
                    resource_name(a, r, party), json_get_str(meta, S("uid")), j->key, j->key, json_get_str(meta, S("uid")), &spec, &status);
    return obj;
}

/* Why a TaskResource has no room yet, as it says. */
static str said_of(const struct json *resource)
{
    const struct json *list = json_path(resource, "status", "conditions", NULL);
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "Reserving"))
            return json_get_str(&list->items[i], S("reason"));
    return S("");
}

/* The TaskResources follow the group: made, or with another phase. */
static size_t follow(struct job *j, struct run *r, bool failed)
{
    struct arena *a = &j->arena;
    size_t n = 0, first = 0;
    r->steps = arena_array(a, r->nparties + 1, struct step);
    bool reserved = str_is(json_get_str(&r->status, S("phase")), "Reserved");
    for (size_t i = 0; i < r->nparties; first += pods_of(&r->parties->items[i]), i++) {
        const struct json *party = &r->parties->items[i];
        str domain = json_get_str(party, S("domainID")), name = resource_name(a, r, party), was = json_get_str(json_get(&r->resources[i].obj, S("status")), S("phase"));
        bool has_room = placed(r, first, pods_of(party)) >= (size_t)MAX(json_get_int(party, S("minReservedPods"), 1), (int64_t)1);
        const char *phase = failed ? "Failed" : reserved && has_room ? "Schedulable" : has_room ? "Reserved" : "Reserving";
        str why = has_room || failed ? S("") : refusal(a, r, first, pods_of(party));
        if (!r->resources[i].found)
            r->steps[n++] = (struct step){S("POST"), kuscia_path(a, "taskresources", domain, S(""), ""), task_resource(j, r, party, first, phase)};
        else if (!str_is(was, phase) || (why.len && !str_eq(why, said_of(&r->resources[i].obj)))) {
            struct json status = resource_status(j, json_get(&r->resources[i].obj, S("status")), phase, why);
            r->steps[n++] = (struct step){S("PATCH"), kuscia_path(a, "taskresources", domain, name, ""), json_make(a, "{\"status\":%j}", &status)};
        }
    }
    return n;
}

/* --- deciding ---------------------------------------------------------------------------------------------------------------------------------------------------- */

static struct waiting *waiting_of(struct job *j, const struct run *r, const struct reserve_limits *limits)
{
    struct state *s = j->c->state;
    const struct json *meta = json_get(&r->group, S("metadata"));
    struct waiting *w = map_get(&s->waiting, j->key);
    if (w && str_eq(str_of(w->uid), json_get_str(meta, S("uid"))))
        return w;
    waiting_drop(j); /* of another group of that name */
    w = xnew(struct waiting);
    *w = (struct waiting){str_dup(j->key), str_dup(json_get_str(meta, S("uid"))),
                          reserve_pace(now_of(j), clock_wall(j->c->opts->clock), time_of(meta, "creationTimestamp"), time_of(&r->status, "lastTransitionTime"), limits)};
    map_put(&s->waiting, str_of(w->key), w);
    return w;
}

static nsec_t seconds(const struct run *r, const char *key, int64_t otherwise)
{
    return MAX(MIN(json_get_int(r->spec, str_of(key), otherwise), (int64_t)INT32_MAX), (int64_t)0) * NSEC_PER_SEC;
}

static void reserve(struct job *j, struct run *r)
{
    struct reserve_limits limits = {seconds(r, "lifecycleSeconds", 300), seconds(r, "resourceReservedSeconds", 30), seconds(r, "retryIntervalSeconds", 30)};
    size_t have = 0, first = 0, min = (size_t)MAX(json_get_int(r->spec, S("minReservedMembers"), 1), (int64_t)1);
    for (size_t i = 0; i < r->nparties; first += pods_of(&r->parties->items[i]), i++)
        have += placed(r, first, pods_of(&r->parties->items[i])) >= (size_t)MAX(json_get_int(&r->parties->items[i], S("minReservedPods"), 1), (int64_t)1);
    str why = refusal(&j->arena, r, 0, r->npods);
    struct reserve_view view = {now_of(j), have >= min, why.len > 0, str_is(json_get_str(&r->status, S("phase")), "ReserveFailed")};
    r->waiting = waiting_of(j, r, &limits);
    if (why.len && have < min)
        condition(j, "TaskResourcesReserved", false, why);
    switch (reserve_next(&r->waiting->pace, &limits, &view, &r->again)) {
    case RESERVE_DONE:
        condition(j, "TaskResourcesReserved", true, S(""));
        condition(j, "TaskResourcesScheduled", true, S(""));
        set_phase(j, "Reserved");
        break;
    case RESERVE_EXPIRED:
        condition(j, "TaskResourceGroupExpired", true,
                  arena_fmt(&j->arena, "there was no room for %zu parties within %lld seconds (lifecycleSeconds); %zu had theirs", min, (long long)json_get_int(r->spec, S("lifecycleSeconds"), 300), have));
        set_phase(j, "Failed");
        break;
    case RESERVE_AGAIN:
        json_set(&j->arena, &r->status, S("retryCount"), json_int(&j->arena, json_get_int(&r->status, S("retryCount"), 0) + 1));
        set_phase(j, "Reserving");
        break;
    case RESERVE_REFUSED:
        set_phase(j, "ReserveFailed");
        break;
    case RESERVE_WAIT:
        if (!view.is_failed)
            set_phase(j, "Reserving");
        break;
    }
}

/* A name that somebody chose may be another group's already: that one's stays as it is. */
static bool is_ours(const struct run *r, const struct json *resource)
{
    return str_eq(json_get_str(json_path(resource, "metadata", "labels", NULL), S(KUSCIA("task-resource-group-uid"))), json_get_str(json_get(&r->group, S("metadata")), S("uid")));
}

static void seen_resources(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (size_t i = 0; i < r->nparties; i++)
        r->resources[i].found = r->resources[i].found && is_ours(r, &r->resources[i].obj);
    str phase = phase_of(r);
    if (str_is(phase, "Creating"))
        condition(j, "TaskResourcesCreated", true, S(""));
    if (!str_is(phase, "Failed") && !str_is(phase, "Reserved"))
        reserve(j, r);
    size_t n = follow(j, r, str_is(json_get_str(&r->status, S("phase")), "Failed"));
    steps_together(j, r->steps, n, write_status);
}

/* One of an earlier group of that name that is still going: neither its place nor its words are of this group. */
static bool is_anothers(const struct run *r, const struct json *pod)
{
    str of = json_get_str(json_path(pod, "metadata", "labels", NULL), S(KUSCIA("task-resource-group-uid")));
    return of.len && !str_eq(of, json_get_str(json_get(&r->group, S("metadata")), S("uid")));
}

static void seen_pods(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    for (size_t i = 0; i < r->npods; i++)
        r->pods[i].found = r->pods[i].found && !is_anothers(r, &r->pods[i].obj);
    r->resources = arena_array(&j->arena, r->nparties + 1, struct gather);
    if (str_is(phase_of(r), "Creating")) { /* there are none yet; one that is there all the same stays, and is read the next time */
        seen_resources(j);
        return;
    }
    for (size_t i = 0; i < r->nparties; i++)
        r->resources[i].path = kuscia_path(&j->arena, "taskresources", json_get_str(&r->parties->items[i], S("domainID")), resource_name(&j->arena, r, &r->parties->items[i]), "");
    gather_all(j, r->resources, r->nparties, seen_resources);
}

static void look(struct job *j)
{
    struct run *r = j->state;
    size_t n = 0;
    for (size_t i = 0; i < r->nparties; i++)
        r->npods += pods_of(&r->parties->items[i]);
    r->pods = arena_array(&j->arena, r->npods + 1, struct gather);
    for (size_t i = 0; i < r->nparties; i++)
        for (size_t k = 0; k < pods_of(&r->parties->items[i]); k++)
            r->pods[n++].path = core_path(&j->arena, "pods", json_get_str(&r->parties->items[i], S("domainID")), json_get_str(&json_get(&r->parties->items[i], S("pods"))->items[k], S("name")));
    gather_all(j, r->pods, n, seen_pods);
}

static void begin(struct job *j)
{
    condition(j, "TaskResourceGroupValidated", true, S(""));
    condition(j, "TaskResourceNameGenerated", true, S(""));
    set_phase(j, "Creating");
    j->status = 200;
    write_status(j);
}

/* All parties have their room, and their TaskResources said so before the group did: what the pods do now is the task's. */
static bool is_settled(const struct json *spec, str phase)
{
    const struct json *parties = json_get(spec, S("parties"));
    return str_is(phase, "Reserved") && json_get_int(spec, S("minReservedMembers"), 1) >= (json_is(parties, JSON_ARRAY) ? (int64_t)parties->len : 0);
}

static void got_group(struct job *j)
{
    if (!job_ok(j) || object_deleting(&j->answer)) {
        if (job_ok(j) || job_not_found(j))
            waiting_drop(j);
        job_end_status(j);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->group = j->answer;
    r->spec = json_get(&r->group, S("spec"));
    r->parties = json_get(r->spec, S("parties"));
    r->nparties = json_is(r->parties, JSON_ARRAY) ? r->parties->len : 0;
    const struct json *status = json_get(&r->group, S("status"));
    r->status = status ? json_copy(&j->arena, status) : json_object();
    str phase = phase_of(r);
    if (!phase.len || str_is(phase, "Pending")) {
        begin(j);
    } else if (is_settled(r->spec, phase)) {
        waiting_drop(j);
        job_end(j, WORK_OK);
    } else {
        look(j);
    }
}

static void reconcile(struct job *j)
{
    job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "taskresourcegroups", j->key), NULL, got_group);
}

static void on_group(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    struct state *s = c->state;
    const struct json *obj = informer_event_object(ev);
    str name = informer_event_name(ev);
    bool settled = ev->change != INFORMER_DELETED && is_settled(json_get(obj, S("spec")), json_get_str(json_get(obj, S("status")), S("phase")));
    char *known = map_get(&s->settled, name);
    if (settled && !known) {
        known = str_dup(name);
        map_put(&s->settled, str_of(known), known);
    } else if (!settled && known) {
        map_del(&s->settled, name);
        free(known);
    }
    if (!settled)
        controller_enqueue(c, ev);
}

static void forget_settled(struct state *s)
{
    map_foreach(e, &s->settled)
        free(e->value);
    map_fini(&s->settled);
}

/* What has gone meanwhile is not listed. */
static void on_begin(struct controller *c, const struct resource *r UNUSED)
{
    struct state *s = c->state;
    forget_settled(s);
    s->settled = (struct map)MAP_INIT;
}

/* A pod that is nowhere, and of which the scheduler said nothing yet, changes nothing. */
static void on_pod(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change == INFORMER_DELETED || str_find(ev->object, S(KUSCIA("task-resource-group\""))) < 0 || !kuscia_pod_is_told(ev->object))
        return;
    str group = json_get_str(json_get(informer_event_meta(ev), S("annotations")), S(KUSCIA("task-resource-group")));
    if (group.len && !map_get(&((struct state *)c->state)->settled, group))
        workqueue_add(c->queue, group);
}

static void init(struct controller *c)
{
    c->state = xnew(struct state);
}

static void fini(struct controller *c)
{
    struct state *s = c->state;
    map_foreach(e, &s->waiting)
        waiting_free(e->value);
    map_fini(&s->waiting);
    forget_settled(s);
    free(s);
}

const struct controller_type controller_task_resources = {
    .name = "task-resources",
    .parallel = 64, /* each waits for the log most of the time */
    .watches = {{.group = "kuscia.secretflow", .plural = "taskresourcegroups", .event = on_group, .begin = on_begin}, {.group = "", .plural = "pods", .event = on_pod}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
