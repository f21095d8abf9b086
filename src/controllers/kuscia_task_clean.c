/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_clean.h"

#include "api/validate.h"
#include "controllers/kuscia_task_run.h"

/* --- the end -------------------------------------------------------------------------------------------------------------------------------------------- */

static void cleaned(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    json_set(&j->arena, &r->status, S("completionTime"), json_string(task_run_now(j)));
    kuscia_ports_note(&task_run_state(j->c)->ports, j->key, NULL);
    task_run_write(j, task_run_ended);
}

/* A group that still waits for room waits no more. */
static struct step end_group(struct job *j, const struct task_run *r)
{
    struct arena *a = &j->arena;
    struct json status = json_copy(a, json_get(&r->group.obj, S("status")) ? json_get(&r->group.obj, S("status")) : &(struct json){.type = JSON_OBJECT});
    json_set(a, &status, S("phase"), json_string(S("Failed")));
    json_set(a, &status, S("completionTime"), json_string(task_run_now(j)));
    json_set(a, &status, S("lastTransitionTime"), json_string(task_run_now(j)));
    kuscia_condition(a, &status, "DependentTaskFailed", true, S("the task has ended"), S(""), task_run_now(j));
    return (struct step){S("PATCH"), kuscia_path(a, "taskresourcegroups", S(""), r->name, "/status"), json_make(a, "{\"status\":%j}", &status)};
}

/* What has the name if it was made for the task: others may have had the name before. */
static struct step delete_named(struct arena *a, const struct task_run *r, const char *plural, str ns, str name)
{
    str all = task_run_objects(a, plural, ns, json_get_str(r->meta, S("uid")));
    return (struct step){S("DELETE"), arena_fmt(a, STR_FMT "&fieldSelector=metadata.name%%3D" STR_FMT, STR_ARG(all), STR_ARG(name)), json_null()};
}

/* Whatever has the task's label, in the domains of its parties; of the pods those that have not ended, or all. */
enum { KINDS_OF_TASK = 3 };

static size_t delete_labelled(struct arena *a, const struct task_run *r, bool ended_pods, struct step *steps)
{
    size_t n = 0;
    str uid = json_get_str(r->meta, S("uid"));
    for (size_t i = 0; i < r->nparties; i++) {
        str domain = json_get_str(&task_run_parties(&r->task)->items[i], S("domainID")), pods = task_run_objects(a, "pods", domain, uid);
        steps[n++] = (struct step){S("DELETE"), task_run_objects(a, "services", domain, uid), json_null()};
        steps[n++] = (struct step){S("DELETE"), task_run_objects(a, "configmaps", domain, uid), json_null()};
        if (!r->group.found) /* which names them, and which somebody deleted without what it owned */
            steps[n++] = (struct step){S("DELETE"), ended_pods ? pods : arena_cat(a, pods, S("&fieldSelector=status.phase%21%3DSucceeded,status.phase%21%3DFailed")), json_null()};
    }
    return n;
}

/* Files and services.  Once all is made their names are known; a task that ended before is asked for whatever it has. */
static size_t delete_things(struct arena *a, const struct task_run *r, struct step *steps)
{
    const struct json *services = json_get(task_run_status(r), S("serviceStatuses"));
    size_t n = 0;
    if (!task_run_has(r, "ResourceCreated") || !r->group.found)
        return delete_labelled(a, r, false, steps);
    for (uint32_t i = 0; json_is(services, JSON_OBJECT) && i < services->len; i++) {
        str ns = json_get_str(&services->members[i].value, S("namespace")), name = json_get_str(&services->members[i].value, S("serviceName"));
        if (!validate_dns1123_label(ns) && !validate_dns1123_label(name)) /* others may write a status, too */
            steps[n++] = delete_named(a, r, "services", ns, name);
    }
    for (size_t i = 0; i < r->npods; i++)
        steps[n++] = delete_named(a, r, "configmaps", r->places[i].ns, kuscia_config_name(a, r->places[i].name));
    return n;
}

/* What has not ended is ended; what has stays for its logs. */
void task_clean_up(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *services = json_get(task_run_status(r), S("serviceStatuses"));
    struct step *steps = arena_array(a, 2 * r->npods + KINDS_OF_TASK * r->nparties + (json_is(services, JSON_OBJECT) ? services->len : 0) + 1, struct step);
    str group = json_get_str(json_get(&r->group.obj, S("status")), S("phase"));
    size_t n = 0;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (r->status.type == JSON_NULL)
        r->status = json_copy(a, task_run_status(r));
    kuscia_task_end(a, &r->status, task_run_now(j));
    if (r->group.found && !str_is(group, "Reserved") && !str_is(group, "Failed"))
        steps[n++] = end_group(j, r);
    for (size_t i = 0; i < r->npods; i++) {
        const struct json *pod = r->pods[i].found && task_run_owns(r, &r->pods[i].obj) ? &r->pods[i].obj : NULL;
        if (pod && !task_run_is_end(json_get_str(json_get(pod, S("status")), S("phase"))) && !object_deleting(pod))
            steps[n++] = (struct step){S("DELETE"), r->pods[i].path, delete_options(a, json_get_str(json_get(pod, S("metadata")), S("uid")), S(""))};
    }
    n += delete_things(a, r, steps + n);
    steps_together(j, steps, n, cleaned);
}

/* The group knows the pods' names: the programs that they came from may be gone, or be others by now. */
void task_clean_ended(struct job *j)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *parties = task_run_parties(&r->group.obj);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->group.found = r->group.found && task_run_owns(r, &r->group.obj);
    task_run_want_pods(a, r, LAYOUT_PODS);
    for (uint32_t i = 0; r->group.found && json_is(parties, JSON_ARRAY) && i < parties->len; i++) {
        const struct json *pods = json_get(&parties->items[i], S("pods"));
        for (uint32_t k = 0; json_is(pods, JSON_ARRAY) && k < pods->len && r->npods < LAYOUT_PODS; k++)
            task_run_want_pod(a, r, json_get_str(&parties->items[i], S("domainID")), json_get_str(&pods->items[k], S("name")));
    }
    gather_all(j, r->pods, r->npods, task_clean_up);
}

/* --- a task that is deleted -------------------------------------------------------------------------------------------------------------------------------- */

static void group_gone(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    kuscia_ports_note(&task_run_state(j->c)->ports, j->key, NULL);
    struct json patch = finalizer_removal(&j->arena, &r->task, S(TASK_FINALIZER));
    job_call(j, S("PATCH"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, ""), &patch, task_run_ended);
}

/* Most never had one; of others it was deleted, maybe without what it owned. */
static void without_group(struct job *j)
{
    struct task_run *r = j->state;
    struct step *steps = arena_array(&j->arena, KINDS_OF_TASK * r->nparties + 1, struct step);
    steps_together(j, steps, delete_labelled(&j->arena, r, true, steps), group_gone);
}

void task_clean_deleted(struct job *j)
{
    struct task_run *r = j->state;
    const struct json *meta = json_get(&j->answer, S("metadata"));
    if (!job_ok(j) && !job_not_found(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (!job_ok(j) || !task_run_owns(r, &j->answer) || object_deleting(&j->answer)) {
        without_group(j);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    job_call(j, S("DELETE"), kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name), &options, group_gone);
}

/* --- a task that went without its finalizer: somebody took it away ---------------------------------------------------------------------------------------------- */

static str uid_of_task(const struct json *group)
{
    return json_get_str(json_path(group, "metadata", "labels", NULL), S(KUSCIA("task-uid")));
}

/* One of the same name that came meanwhile has the group. */
static void looked_once_more(struct job *j)
{
    struct task_run *r = j->state;
    const struct json *meta = json_get(&r->group.obj, S("metadata"));
    if (!job_not_found(j) && (!job_ok(j) || str_eq(json_get_str(json_get(&j->answer, S("metadata")), S("uid")), uid_of_task(&r->group.obj)))) {
        job_end_status(j);
        return;
    }
    struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
    job_call(j, S("DELETE"), r->group.path, &options, task_run_ended);
}

static void got_group_of_none(struct job *j)
{
    struct task_run *r = j->state;
    if (!job_ok(j) || !r->group.found || !uid_of_task(&r->group.obj).len || object_deleting(&r->group.obj)) { /* without the label it is of no task: people make them, too */
        job_end_status(j);
        return;
    }
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, ""), NULL, looked_once_more);
}

void task_clean_gone(struct job *j)
{
    struct task_run *r = j->state = arena_new(&j->arena, struct task_run);
    controller_key_split(j->key, &r->ns, &r->name);
    kuscia_ports_note(&task_run_state(j->c)->ports, j->key, NULL);
    task_run_group(j, got_group_of_none);
}
