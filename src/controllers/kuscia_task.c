/* kuscia_task.c - KusciaTasks: reads the task, its programs and pods, and makes or ends what the plan says (kuscia_task_plan.h).
 *
 *   new ─► finalizer and port numbers, in one write ─► TaskResourceGroup ─► files and services ─► pods ─► status: ResourceCreated ─► the pods say how far it is ─► end: what still runs, files and services go
 *
 * Everything of a task in other namespaces is owned by its TaskResourceGroup, which has its name: whoever deletes that, deletes all of it.  The finalizer sees to it when the task goes.
 * Pods that have ended stay until then, so that their logs can be read.  Every step can be taken again: names follow from the task alone. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_room.h"

#define FINALIZER KUSCIA("task-resources")
#define PORTS_NOTE KUSCIA("allocated-ports") /* the numbers as the status will have them: chosen before anything is made, and written with the finalizer */

struct state {
    struct kuscia_ports ports;
    struct kuscia_room room;
};

struct run {
    struct json task;
    const struct json *meta;
    str ns, name;
    struct gather *images;
    size_t nparties;
    struct layout layout;
    struct gather group, *pods; /* pods: in the order of the layout, at the end of the group */
    struct place {
        str ns, name;
    } *places; /* of pods, same order */
    size_t npods;
    struct ensure *made_first, *made_then; /* files and services; pods, by domain */
    size_t nfirst, nthen;
    struct json allocated; /* port numbers: of the status, else of the note; null: none yet */
    struct json status;
};

static struct state *state_of(struct controller *c)
{
    return c->state;
}

struct kuscia_ports *kuscia_task_ports(struct controllers *all)
{
    return &state_of(controllers_find(all, &controller_kuscia_task))->ports;
}

static const struct json *status_of(const struct run *r)
{
    return json_get(&r->task, S("status"));
}

static const struct json *parties_of(const struct json *obj)
{
    return json_path(obj, "spec", "parties", NULL);
}

/* Of the task, and not of one that had its name before. */
static bool is_ours(const struct run *r, const struct json *obj)
{
    return str_eq(json_get_str(json_path(obj, "metadata", "labels", NULL), S(KUSCIA("task-uid"))), json_get_str(r->meta, S("uid")));
}

static bool is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static void look_at_group(struct job *j, void (*next)(struct job *j))
{
    struct run *r = j->state;
    r->group.path = kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name);
    gather_all(j, &r->group, 1, next);
}

static bool has_condition(const struct run *r, const char *type)
{
    const struct json *list = json_get(status_of(r), S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* --- writing ------------------------------------------------------------------------------------------------------------------------------------------ */

static void ended(struct job *j)
{
    job_end_status(j);
}

static str now_of(struct job *j)
{
    return now_text(&j->arena, j->c->opts->clock);
}

static void write_status(struct job *j, void (*next)(struct job *j))
{
    struct run *r = j->state;
    const struct json *was = status_of(r);
    if (was && json_equal(was, &r->status)) {
        j->status = 200;
        next(j);
        return;
    }
    json_set(&j->arena, &r->status, S("lastReconcileTime"), json_string(now_of(j)));
    struct json obj = r->task;
    json_set(&j->arena, &obj, S("status"), r->status);
    job_call(j, S("PUT"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, "/status"), &obj, next);
}

static void fail(struct job *j, const char *reason, str message)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    r->status = status_of(r) ? json_copy(a, status_of(r)) : json_object();
    if (!json_get_str(&r->status, S("startTime")).len)
        json_set(a, &r->status, S("startTime"), json_string(now_of(j)));
    json_set(a, &r->status, S("phase"), json_string(S("Failed")));
    json_set(a, &r->status, S("reason"), json_string(str_of(reason)));
    json_set(a, &r->status, S("message"), json_string(message));
    write_status(j, ended);
}

static void wait_for_quota(struct job *j, str why);

/* Of an object that is refused for good the task is told; the rest is tried again. */
static void fail_or_retry(struct job *j)
{
    str said = json_get_str(&j->answer, S("message"));
    if (j->status == 403 && str_find(said, S("exceeded quota")) >= 0)
        wait_for_quota(j, arena_str(&j->arena, said));
    else if (j->status >= 400 && j->status < 500 && j->status != 409 && j->status != 429)
        fail(j, "CreateResourceFailed", arena_str(&j->arena, json_get_str(&j->answer, S("message"))));
    else
        job_end(j, WORK_RETRY);
}

/* The status of a task of which something is made, from the first word on. */
static struct json begun(struct job *j)
{
    const struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json status = status_of(r) ? json_copy(a, status_of(r)) : json_object();
    if (!json_get_str(&status, S("phase")).len)
        json_set(a, &status, S("phase"), json_string(S("Pending")));
    if (!json_get_str(&status, S("startTime")).len)
        json_set(a, &status, S("startTime"), json_string(now_of(j)));
    if (r->allocated.type != JSON_ARRAY)
        return status;
    json_set(a, &status, S("allocatedPorts"), r->allocated);
    kuscia_condition(a, &status, "PortsAllocated", true, S(""), S(""), now_of(j));
    return status;
}

/* --- what others have: a quota that is full, all port numbers of a domain ------------------------------------------------------------------------------------ */

static void look_again(struct job *j)
{
    if (job_ok(j))
        job_end_after(j, NSEC_PER_SEC);
    else
        job_end_status(j);
}

static void gave_back(struct job *j)
{
    if (job_ok(j))
        write_status(j, look_again);
    else
        job_end(j, WORK_RETRY);
}

/* All objects of the kind in the namespace that were made for the task. */
static str of_task(struct arena *a, const char *plural, str ns, str uid)
{
    str path = core_path(a, plural, ns, S(""));
    return arena_fmt(a, STR_FMT "?labelSelector=kuscia.secretflow%%2Ftask-uid%%3D" STR_FMT, STR_ARG(path), STR_ARG(uid));
}

/* The status that says so; false: its time is over, and the task has failed. */
static bool waits_for_others(struct job *j, const char *reason, str why)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    nsec_t start = 0;
    int64_t seconds = json_get_int(json_path(&r->task, "spec", "scheduleConfig", NULL), S("lifecycleSeconds"), 0);
    seconds = seconds > 0 ? seconds : KUSCIA_LIFE_SECONDS;
    if (civil_parse(json_get_str(status_of(r), S("startTime")), &start) && clock_wall(j->c->opts->clock) >= start + seconds * NSEC_PER_SEC) {
        fail(j, reason, arena_fmt(a, "there was no room within %lld seconds (lifecycleSeconds): " STR_FMT, (long long)seconds, STR_ARG(why)));
        return false;
    }
    r->status = begun(j);
    json_set(a, &r->status, S("phase"), json_string(S("Pending")));
    json_set(a, &r->status, S("reason"), json_string(str_of(reason)));
    json_set(a, &r->status, S("message"), json_string(arena_fmt(a, "waiting for other tasks of the domain to end: " STR_FMT, STR_ARG(why))));
    return true;
}

/* The pods that were made are given back: a task must not hold a part of a quota that another task waits for. */
static void wait_for_quota(struct job *j, str why)
{
    struct run *r = j->state;
    struct step *steps = arena_array(&j->arena, r->layout.nparties + 1, struct step);
    if (!waits_for_others(j, "QuotaExceeded", why))
        return;
    for (size_t i = 0; i < r->layout.nparties; i++)
        steps[i] = (struct step){S("DELETE"), of_task(&j->arena, "pods", r->layout.parties[i].domain, r->layout.uid), json_null()};
    steps_together(j, steps, r->layout.nparties, gave_back);
}

/* Looked at before anything is made: else the pods of other parties would come and go with each try.  True: it waits. */
static bool quota_is_full(struct job *j)
{
    const struct run *r = j->state;
    str why = kuscia_room_full(&state_of(j->c)->room, &j->arena, &r->layout);
    if (why.len)
        wait_for_quota(j, why);
    return why.len > 0;
}

static void wait_for_ports(struct job *j, str why)
{
    if (waits_for_others(j, "PortsExhausted", why))
        write_status(j, look_again);
}

/* --- making it ---------------------------------------------------------------------------------------------------------------------------------------------- */

/* A task of this name had a pod or a service of that name, which has not gone yet. */
static void wait_for_room(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    r->status = begun(j);
    json_set(a, &r->status, S("message"), json_string(arena_fmt(a, "waits for " STR_FMT "/" STR_FMT " of an earlier task to go", STR_ARG(json_get_str(meta, S("namespace"))), STR_ARG(json_get_str(meta, S("name"))))));
    write_status(j, look_again);
}

static void made_all(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (j->status == 409 && json_get_str(json_get(&j->answer, S("metadata")), S("name")).len) {
        wait_for_room(j);
        return;
    }
    if (!job_ok(j)) {
        fail_or_retry(j);
        return;
    }
    struct json services = json_object();
    for (size_t i = 0; i < r->layout.nparties; i++) {
        const struct layout_party *p = &r->layout.parties[i];
        for (size_t k = 0; k < p->npods; k++)
            for (size_t n = 0; n < p->pods[k].nports; n++) {
                const struct layout_port *port = &p->pods[k].ports[n];
                if (port->service.len)
                    json_set(a, &services, arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(p->domain), STR_ARG(port->service)),
                             json_make(a, "{\"namespace\":%S,\"serviceName\":%S,\"portName\":%S,\"portNumber\":%d,\"scope\":%S,\"createTime\":%S}", p->domain, port->service, port->name,
                                       (int64_t)port->number, port->scope, now_of(j)));
            }
    }
    r->status = begun(j);
    if (services.len)
        json_set(a, &r->status, S("serviceStatuses"), services);
    kuscia_condition(a, &r->status, "ResourceCreated", true, S(""), S(""), now_of(j));
    write_status(j, ended);
}

/* Parties in the order of their domains: of two tasks that both meet full quotas, the one that is further gets on. */
static void by_domain(const struct layout *l, size_t *order)
{
    for (size_t i = 0; i < l->nparties; i++) {
        size_t at = i;
        for (; at && str_cmp(l->parties[order[at - 1]].domain, l->parties[i].domain) > 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

static bool quota_counts(const struct run *r, const struct state *s)
{
    for (size_t i = 0; i < r->layout.nparties; i++)
        if (kuscia_room_has_quota(&s->room, r->layout.parties[i].domain))
            return true;
    return false;
}

/* All at once, but where a quota counts them: there in the order of domains, so that one of two tasks gets on. */
static void make_pods(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j))
        made_all(j);
    else if (quota_counts(r, state_of(j->c)))
        ensure_all(j, r->made_then, r->nthen, made_all);
    else
        ensure_together(j, r->made_then, r->nthen, made_all);
}

static void add_pod(struct job *j, const struct layout_party *p, const struct layout_pod *pod, const struct json *owner)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    r->made_then[r->nthen++] = (struct ensure){core_path(a, "pods", p->domain, S("")), pod->name, kuscia_task_pod(a, &r->layout, p, pod, owner), NULL};
    for (size_t m = 0; m < pod->nports; m++)
        if (pod->ports[m].service.len)
            r->made_first[r->nfirst++] =
                (struct ensure){core_path(a, "services", p->domain, S("")), pod->ports[m].service, kuscia_service(a, &r->layout, p, pod, &pod->ports[m], owner), NULL};
}

/* What a pod reads, and the names under which others find it, before the pod. */
static void make_objects(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct layout *l = &r->layout;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        fail_or_retry(j);
        return;
    }
    const struct json owner = j->answer;
    if (!str_eq(json_get_str(json_path(&owner, "metadata", "labels", NULL), S(KUSCIA("task-uid"))), l->uid)) { /* a task of this name that is still going */
        job_end(j, WORK_RETRY);
        return;
    }
    if (str_is(json_get_str(json_get(&owner, S("status")), S("phase")), "Failed")) {
        fail(j, "TaskResourceGroupPhaseFailed", S("the pods could not be made in time"));
        return;
    }
    r->made_first = arena_array(a, l->npods * (1 + LAYOUT_PORTS) + 1, struct ensure);
    r->made_then = arena_array(a, l->npods + 1, struct ensure);
    size_t *order = arena_array(a, l->nparties + 1, size_t);
    by_domain(l, order);
    for (size_t i = 0; i < l->nparties; i++) {
        const struct layout_party *p = &l->parties[order[i]];
        for (size_t k = 0; k < p->npods; k++) {
            const struct layout_pod *pod = &p->pods[k];
            if (kuscia_party_has_files(p)) {
                struct json config = kuscia_files(a, l, p, pod, &owner, &err);
                if (config.type == JSON_NULL) {
                    fail(j, "ConfigInvalid", arena_str(a, str_of(err.msg)));
                    return;
                }
                r->made_first[r->nfirst++] = (struct ensure){core_path(a, "configmaps", p->domain, S("")), pod->config, config, NULL};
            }
            add_pod(j, p, pod, &owner);
        }
    }
    ensure_together(j, r->made_first, r->nfirst, make_pods);
}

static void made_group(struct job *j)
{
    const struct run *r = j->state;
    if (j->status == 409)
        job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), NULL, make_objects);
    else
        make_objects(j);
}

static void make_group(struct job *j)
{
    struct run *r = j->state;
    struct json group = kuscia_task_group(&j->arena, &r->layout);
    job_call(j, S("POST"), kuscia_cluster_path(&j->arena, "taskresourcegroups", S("")), &group, made_group);
}

/* The task as it is with its numbers; the rest follows at once. */
static void numbered(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) || !object_has_finalizer(&j->answer, S(FINALIZER))) {
        ended(j);
        return;
    }
    r->task = j->answer;
    r->meta = json_get(&r->task, S("metadata"));
    make_group(j);
}

static void choose_ports(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!controllers_synced(j->c->all)) { /* what others have is not known yet */
        job_end_after(j, 100 * NSEC_PER_MSEC);
        return;
    }
    str never = kuscia_room_never(&state_of(j->c)->room, a, &r->layout);
    if (never.len) {
        fail(j, "Unsatisfiable", never);
        return;
    }
    if (quota_is_full(j))
        return;
    kuscia_ports_note(&state_of(j->c)->ports, j->key, NULL); /* a try before this one that nobody heard of */
    if (kuscia_layout_choose(a, &r->layout, &state_of(j->c)->ports, &r->allocated, &err) < 0) {
        wait_for_ports(j, arena_str(a, str_of(err.msg)));
        return;
    }
    kuscia_ports_note(&state_of(j->c)->ports, j->key, &r->allocated); /* the watch will say the same a moment later */
    struct json patch = object_has_finalizer(&r->task, S(FINALIZER)) ? patch_of(a, &r->task) : finalizer_addition(a, &r->task, S(FINALIZER));
    json_set(a, json_ensure_object(a, json_get(&patch, S("metadata")), S("annotations")), S(PORTS_NOTE), json_string(json_text(a, &r->allocated)));
    job_call(j, S("PATCH"), kuscia_path(a, "kusciatasks", r->ns, r->name, ""), &patch, numbered);
}

/* --- the end -------------------------------------------------------------------------------------------------------------------------------------------------- */

static void cleaned(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    json_set(&j->arena, &r->status, S("completionTime"), json_string(now_of(j)));
    kuscia_ports_note(&state_of(j->c)->ports, j->key, NULL);
    write_status(j, ended);
}

/* A group that still waits for room waits no more. */
static struct step end_group(struct job *j, const struct run *r)
{
    struct arena *a = &j->arena;
    struct json status = json_copy(a, json_get(&r->group.obj, S("status")) ? json_get(&r->group.obj, S("status")) : &(struct json){.type = JSON_OBJECT});
    json_set(a, &status, S("phase"), json_string(S("Failed")));
    json_set(a, &status, S("completionTime"), json_string(now_of(j)));
    json_set(a, &status, S("lastTransitionTime"), json_string(now_of(j)));
    kuscia_condition(a, &status, "DependentTaskFailed", true, S("the task has ended"), S(""), now_of(j));
    return (struct step){S("PATCH"), kuscia_path(a, "taskresourcegroups", S(""), r->name, "/status"), json_make(a, "{\"status\":%j}", &status)};
}

/* What has the name if it was made for the task: others may have had the name before. */
static struct step delete_named(struct arena *a, const struct run *r, const char *plural, str ns, str name)
{
    str all = of_task(a, plural, ns, json_get_str(r->meta, S("uid")));
    return (struct step){S("DELETE"), arena_fmt(a, STR_FMT "&fieldSelector=metadata.name%%3D" STR_FMT, STR_ARG(all), STR_ARG(name)), json_null()};
}

/* Whatever has the task's label, in the domains of its parties; of the pods those that have not ended, or all. */
enum { KINDS_OF_TASK = 3 };

static size_t delete_labelled(struct arena *a, const struct run *r, bool ended_pods, struct step *steps)
{
    size_t n = 0;
    str uid = json_get_str(r->meta, S("uid"));
    for (size_t i = 0; i < r->nparties; i++) {
        str domain = json_get_str(&parties_of(&r->task)->items[i], S("domainID")), pods = of_task(a, "pods", domain, uid);
        steps[n++] = (struct step){S("DELETE"), of_task(a, "services", domain, uid), json_null()};
        steps[n++] = (struct step){S("DELETE"), of_task(a, "configmaps", domain, uid), json_null()};
        if (!r->group.found) /* which names them, and which somebody deleted without what it owned */
            steps[n++] = (struct step){S("DELETE"), ended_pods ? pods : arena_cat(a, pods, S("&fieldSelector=status.phase%21%3DSucceeded,status.phase%21%3DFailed")), json_null()};
    }
    return n;
}

/* Files and services.  Once all is made their names are known; a task that ended before is asked for whatever it has. */
static size_t delete_things(struct arena *a, const struct run *r, struct step *steps)
{
    const struct json *services = json_get(status_of(r), S("serviceStatuses"));
    size_t n = 0;
    if (!has_condition(r, "ResourceCreated") || !r->group.found)
        return delete_labelled(a, r, false, steps);
    for (uint32_t i = 0; json_is(services, JSON_OBJECT) && i < services->len; i++) {
        const struct json *x = &services->members[i].value;
        steps[n++] = delete_named(a, r, "services", json_get_str(x, S("namespace")), json_get_str(x, S("serviceName")));
    }
    for (size_t i = 0; i < r->npods; i++)
        steps[n++] = delete_named(a, r, "configmaps", r->places[i].ns, kuscia_config_name(a, r->places[i].name));
    return n;
}

/* What has not ended is ended; what has stays for its logs. */
static void clean_up(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *services = json_get(status_of(r), S("serviceStatuses"));
    struct step *steps = arena_array(a, 2 * r->npods + KINDS_OF_TASK * r->nparties + (json_is(services, JSON_OBJECT) ? services->len : 0) + 1, struct step);
    str group = json_get_str(json_get(&r->group.obj, S("status")), S("phase"));
    size_t n = 0;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (r->status.type == JSON_NULL)
        r->status = json_copy(a, status_of(r));
    kuscia_task_end(a, &r->status, now_of(j));
    if (r->group.found && !str_is(group, "Reserved") && !str_is(group, "Failed"))
        steps[n++] = end_group(j, r);
    for (size_t i = 0; i < r->npods; i++) {
        const struct json *pod = r->pods[i].found && is_ours(r, &r->pods[i].obj) ? &r->pods[i].obj : NULL;
        if (pod && !is_end(json_get_str(json_get(pod, S("status")), S("phase"))) && !object_deleting(pod))
            steps[n++] = (struct step){S("DELETE"), r->pods[i].path, delete_options(a, json_get_str(json_get(pod, S("metadata")), S("uid")), S(""))};
    }
    n += delete_things(a, r, steps + n);
    steps_together(j, steps, n, cleaned);
}

static void want_pods(struct arena *a, struct run *r, size_t most)
{
    r->pods = arena_array(a, most, struct gather);
    r->places = arena_array(a, most, struct place);
}

static void want_pod(struct arena *a, struct run *r, str ns, str name)
{
    r->places[r->npods] = (struct place){ns, name};
    r->pods[r->npods++].path = core_path(a, "pods", ns, name);
}

/* The group knows the pods' names: the programs that they came from may be gone, or be others by now. */
static void end_pods(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *parties = parties_of(&r->group.obj);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->group.found = r->group.found && is_ours(r, &r->group.obj);
    want_pods(a, r, LAYOUT_PODS);
    for (uint32_t i = 0; r->group.found && json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        const struct json *pods = json_get(&parties->items[i], S("pods"));
        for (uint32_t k = 0; json_is(pods, JSON_ARRAY) && k < pods->len && r->npods < LAYOUT_PODS; k++)
            want_pod(a, r, json_get_str(&parties->items[i], S("domainID")), json_get_str(&pods->items[k], S("name")));
    }
    gather_all(j, r->pods, r->npods, clean_up);
}

/* --- looking ------------------------------------------------------------------------------------------------------------------------------------------------------ */

static bool all_ended(const struct json *const *pods, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!pods[i] || !is_end(json_get_str(json_get(pods[i], S("status")), S("phase"))))
            return false;
    return true;
}

static void seen_all(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **pods = arena_array(a, r->npods + 1, const struct json *);
    for (size_t i = 0; i < r->npods; i++)
        pods[i] = r->pods[i].found && is_ours(r, &r->pods[i].obj) ? &r->pods[i].obj : NULL;
    str *lacks = arena_array(a, r->layout.nparties + 1, str);
    for (size_t i = 0; i < r->layout.nparties; i++)
        lacks[i] = kuscia_room_lacks(&state_of(j->c)->room, a, r->layout.parties[i].domain);
    bool *lost = arena_array(a, r->npods + 1, bool);
    for (size_t i = 0; i < r->npods; i++)
        lost[i] = pods[i] && kuscia_room_is_lost(&state_of(j->c)->room, json_get_str(json_get(pods[i], S("spec")), S("nodeName")));
    struct task_view view = {.lacks = lacks, .lost = lost, .layout = &r->layout, .pods = pods, .group = r->group.found && is_ours(r, &r->group.obj) ? &r->group.obj : NULL, .now = now_of(j)};
    r->status = kuscia_task_status(a, &view);
    r->group.found = view.group != NULL;
    if (is_end(json_get_str(&r->status, S("phase"))) && all_ended(pods, r->npods))
        clean_up(j); /* nothing that the pods say is lost by it, so that its end and that all is cleaned up are one write */
    else
        write_status(j, ended);
}

static void look_at_pods(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    want_pods(&j->arena, r, r->layout.npods + 1);
    for (size_t i = 0; i < r->layout.nparties; i++)
        for (size_t k = 0; k < r->layout.parties[i].npods; k++)
            want_pod(&j->arena, r, r->layout.parties[i].domain, r->layout.parties[i].pods[k].name);
    gather_all(j, r->pods, r->npods, seen_all);
}

static void got_images(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct err err = ERR_NONE;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **images = arena_array(a, r->nparties + 1, const struct json *);
    for (size_t i = 0; i < r->nparties; i++)
        images[i] = r->images[i].found ? &r->images[i].obj : NULL;
    if (kuscia_layout(a, &r->task, images, &r->layout, &err) < 0) {
        fail(j, "ValidateFailed", arena_str(a, str_of(err.msg)));
        return;
    }
    bool has_numbers = kuscia_layout_ports(&r->layout, &r->allocated);
    if (has_condition(r, "ResourceCreated"))
        look_at_pods(j);
    else if (!has_numbers || !object_has_finalizer(&r->task, S(FINALIZER)))
        choose_ports(j);
    else if (!str_is(json_get_str(status_of(r), S("reason")), "QuotaExceeded") || !quota_is_full(j)) /* of one that waits nothing is there that counts */
        make_group(j);
}

static void read_images(struct job *j)
{
    struct run *r = j->state;
    const struct json *parties = parties_of(&r->task);
    r->images = arena_array(&j->arena, r->nparties + 1, struct gather);
    for (size_t i = 0; i < r->nparties; i++)
        r->images[i].path = kuscia_cluster_path(&j->arena, "appimages", json_get_str(&parties->items[i], S("appImageRef")));
    gather_all(j, r->images, r->nparties, got_images);
}

/* The AppImage may be another by now, or gone: what was made is what the group says.  Only when that is gone, too, it is asked once more whose pods there were. */
static void got_group(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
    } else if (r->group.found && is_ours(r, &r->group.obj)) {
        kuscia_layout_group(&j->arena, &r->task, &r->group.obj, &r->layout);
        look_at_pods(j);
    } else {
        read_images(j);
    }
}

/* --- life ------------------------------------------------------------------------------------------------------------------------------------------------------------ */

static void group_gone(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    kuscia_ports_note(&state_of(j->c)->ports, j->key, NULL);
    struct json patch = finalizer_removal(&j->arena, &r->task, S(FINALIZER));
    job_call(j, S("PATCH"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, ""), &patch, ended);
}

/* Most never had one; of others it was deleted, maybe without what it owned. */
static void without_group(struct job *j)
{
    struct run *r = j->state;
    struct step *steps = arena_array(&j->arena, KINDS_OF_TASK * r->nparties + 1, struct step);
    steps_together(j, steps, delete_labelled(&j->arena, r, true, steps), group_gone);
}

static void got_group_of_gone(struct job *j)
{
    struct run *r = j->state;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (!job_ok(j) || !is_ours(r, &j->answer) || object_deleting(&j->answer)) {
        without_group(j);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    job_call(j, S("DELETE"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), &options, group_gone);
}

/* Numbers that were chosen and are not in the status yet; null: none. */
static struct json noted_ports(struct arena *a, const struct json *meta)
{
    str text = json_get_str(json_get(meta, S("annotations")), S(PORTS_NOTE));
    struct json list;
    return text.len && json_parse(a, text, NULL, &list, NULL) == 0 && list.type == JSON_ARRAY ? list : json_null();
}

/* --- a task that went without its finalizer: somebody took it away ---------------------------------------------------------------------------------------------- */

static str uid_of_task(const struct json *group)
{
    return json_get_str(json_path(group, "metadata", "labels", NULL), S(KUSCIA("task-uid")));
}

/* One of the same name that came meanwhile has the group. */
static void looked_once_more(struct job *j)
{
    struct run *r = j->state;
    const struct json *meta = json_get(&r->group.obj, S("metadata"));
    if (!job_not_found(j) && (!job_ok(j) || str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), uid_of_task(&r->group.obj)))) {
        job_end_status(j);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    job_call(j, S("DELETE"), r->group.path, &options, ended);
}

static void got_group_of_none(struct job *j)
{
    struct run *r = j->state;
    if (!job_ok(j) || !r->group.found || !uid_of_task(&r->group.obj).len || object_deleting(&r->group.obj)) { /* without the label it is of no task: people make them, too */
        job_end_status(j);
        return;
    }
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, ""), NULL, looked_once_more);
}

static void without_task(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    controller_key_split(j->key, &r->ns, &r->name);
    kuscia_ports_note(&state_of(j->c)->ports, j->key, NULL);
    look_at_group(j, got_group_of_none);
}

static void got_task(struct job *j)
{
    if (job_not_found(j)) {
        without_task(j);
        return;
    }
    if (!job_ok(j)) {
        job_end_status(j);
        return;
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->task = j->answer;
    r->meta = json_get(&r->task, S("metadata"));
    controller_key_split(j->key, &r->ns, &r->name);
    r->nparties = json_is(parties_of(&r->task), JSON_ARRAY) ? parties_of(&r->task)->len : 0;
    const struct json *allocated = json_get(status_of(r), S("allocatedPorts"));
    r->allocated = allocated ? *allocated : noted_ports(&j->arena, r->meta);
    if (object_deleting(&r->task) && object_has_finalizer(&r->task, S(FINALIZER))) {
        job_call(j, S("GET"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), NULL, got_group_of_gone);
    } else if (object_deleting(&r->task) || json_get_str(status_of(r), S("completionTime")).len) {
        job_end(j, WORK_OK);
    } else if (is_end(json_get_str(status_of(r), S("phase")))) { /* somebody stopped it, or it ended before the controller did */
        look_at_group(j, end_pods);
    } else if (has_condition(r, "ResourceCreated")) {
        look_at_group(j, got_group);
    } else {
        read_images(j);
    }
}

static void reconcile(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciatasks", ns, name, ""), NULL, got_task);
}

/* --- events ------------------------------------------------------------------------------------------------------------------------------------------------------------- */

static void on_task(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str ns = informer_event_ns(ev), key = arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(ns), STR_ARG(informer_event_name(ev)));
    if (!str_is(ns, KUSCIA_NS))
        return;
    if (ev->change == INFORMER_DELETED) {
        kuscia_ports_note(&state_of(c)->ports, key, NULL);
    } else {
        struct json noted = noted_ports(ev->arena_, informer_event_meta(ev));
        kuscia_ports_see(&state_of(c)->ports, key, json_get(informer_event_object(ev), S("status")), &noted);
    }
    controller_enqueue(c, ev);
}

/* Of most pods nothing but these bytes is looked at. */
static void on_pod(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (str_find(ev->object, S(KUSCIA("task-resource-group\""))) < 0 || (ev->change == INFORMER_ADDED && !kuscia_pod_is_told(ev->object)))
        return;
    str task = json_get_str(json_get(informer_event_meta(ev), S("annotations")), S(KUSCIA("task-resource-group")));
    if (task.len)
        workqueue_add(c->queue, arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(task)));
}

static void on_group(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_ADDED)
        workqueue_add(c->queue, arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(informer_event_name(ev))));
}

static void on_node(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_node(&state_of(c)->room, informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_quota(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_quota(&state_of(c)->room, informer_event_ns(ev), informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_route(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str key = arena_fmt(ev->arena_, STR_FMT "/" STR_FMT, STR_ARG(informer_event_ns(ev)), STR_ARG(informer_event_name(ev)));
    kuscia_room_route(&state_of(c)->room, key, ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void on_domain(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    kuscia_room_domain(&state_of(c)->room, informer_event_name(ev), ev->change == INFORMER_DELETED ? NULL : informer_event_object(ev));
}

static void domains_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_domains(&state_of(c)->room);
}

static void nodes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_nodes(&state_of(c)->room);
}

static void quotas_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_quotas(&state_of(c)->room);
}

static void cluster_routes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_routes(&state_of(c)->room, true);
}

static void domain_routes_begin(struct controller *c, const struct resource *r UNUSED)
{
    kuscia_room_forget_routes(&state_of(c)->room, false);
}

static void init(struct controller *c)
{
    struct state *s = xnew(struct state);
    kuscia_ports_init(&s->ports);
    kuscia_room_init(&s->room);
    c->state = s;
}

static void fini(struct controller *c)
{
    kuscia_ports_fini(&state_of(c)->ports);
    kuscia_room_fini(&state_of(c)->room);
    free(c->state);
}

const struct controller_type controller_kuscia_task = {
    .name = "kuscia-task",
    .parallel = 64, /* each waits for the log most of the time */
    .watches = {{.group = "kuscia.secretflow", .plural = "kusciatasks", .event = on_task},
                {.group = "kuscia.secretflow", .plural = "taskresourcegroups", .event = on_group},
                {.group = "", .plural = "pods", .event = on_pod},
                {.group = "kuscia.secretflow", .plural = "domains", .event = on_domain, .begin = domains_begin},
                {.group = "", .plural = "nodes", .event = on_node, .begin = nodes_begin},
                {.group = "", .plural = "resourcequotas", .event = on_quota, .begin = quotas_begin},
                {.group = "kuscia.secretflow", .plural = "clusterdomainroutes", .event = on_route, .begin = cluster_routes_begin},
                {.group = "kuscia.secretflow", .plural = "domainroutes", .event = on_route, .begin = domain_routes_begin}},
    .init = init,
    .fini = fini,
    .reconcile = reconcile,
};
