/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_task_run.h"

#include "base/civil.h"

struct task_state *task_run_state(struct controller *c)
{
    return c->state;
}

const struct json *task_run_status(const struct task_run *r)
{
    return json_get(&r->task, S("status"));
}

const struct json *task_run_parties(const struct json *obj)
{
    return json_path(obj, "spec", "parties", NULL);
}

bool task_run_owns(const struct task_run *r, const struct json *obj)
{
    return str_eq(json_get_str(json_path(obj, "metadata", "labels", NULL), S(KUSCIA("task-uid"))), json_get_str(r->meta, S("uid")));
}

bool task_run_is_end(str phase)
{
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

bool task_run_has(const struct task_run *r, const char *type)
{
    const struct json *list = json_get(task_run_status(r), S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

void task_run_group(struct job *j, void (*next)(struct job *j))
{
    struct task_run *r = j->state;
    r->group.path = kuscia_cluster_path(&j->arena, "taskresourcegroups", r->name);
    gather_all(j, &r->group, 1, next);
}

void task_run_want_pods(struct arena *a, struct task_run *r, size_t most)
{
    r->pods = arena_array(a, most, struct gather);
    r->places = arena_array(a, most, struct task_place);
}

void task_run_want_pod(struct arena *a, struct task_run *r, str ns, str name)
{
    r->places[r->npods] = (struct task_place){ns, name};
    r->pods[r->npods++].path = core_path(a, "pods", ns, name);
}

/* --- writing ------------------------------------------------------------------------------------------------------------------------------------------ */

void task_run_ended(struct job *j)
{
    job_end_status(j);
}

str task_run_now(struct job *j)
{
    return now_text(&j->arena, j->c->opts->clock);
}

void task_run_write(struct job *j, void (*next)(struct job *j))
{
    struct task_run *r = j->state;
    const struct json *was = task_run_status(r);
    if (was && json_equal(was, &r->status)) {
        j->status = 200;
        next(j);
        return;
    }
    json_set(&j->arena, &r->status, S("lastReconcileTime"), json_string(task_run_now(j)));
    struct json obj = r->task;
    json_set(&j->arena, &obj, S("status"), r->status);
    job_call(j, S("PUT"), kuscia_path(&j->arena, "kusciatasks", r->ns, r->name, "/status"), &obj, next);
}

void task_run_fail(struct job *j, const char *reason, str message)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    r->status = task_run_status(r) ? json_copy(a, task_run_status(r)) : json_object();
    if (!json_get_str(&r->status, S("startTime")).len)
        json_set(a, &r->status, S("startTime"), json_string(task_run_now(j)));
    json_set(a, &r->status, S("phase"), json_string(S("Failed")));
    json_set(a, &r->status, S("reason"), json_string(str_of(reason)));
    json_set(a, &r->status, S("message"), json_string(message));
    task_run_write(j, task_run_ended);
}

struct json task_run_begun(struct job *j)
{
    const struct task_run *r = j->state;
    struct arena *a = &j->arena;
    struct json status = task_run_status(r) ? json_copy(a, task_run_status(r)) : json_object();
    if (!json_get_str(&status, S("phase")).len)
        json_set(a, &status, S("phase"), json_string(S("Pending")));
    if (!json_get_str(&status, S("startTime")).len)
        json_set(a, &status, S("startTime"), json_string(task_run_now(j)));
    if (r->allocated.type != JSON_ARRAY)
        return status;
    json_set(a, &status, S("allocatedPorts"), r->allocated);
    kuscia_condition(a, &status, "PortsAllocated", true, S(""), S(""), task_run_now(j));
    return status;
}

/* --- what others have: a quota that is full, all port numbers of a domain ------------------------------------------------------------------------------------ */

void task_run_look_again(struct job *j)
{
    if (job_ok(j))
        job_end_after(j, NSEC_PER_SEC);
    else
        job_end_status(j);
}

static void gave_back(struct job *j)
{
    if (job_ok(j))
        task_run_write(j, task_run_look_again);
    else
        job_end(j, WORK_RETRY);
}

str task_run_objects(struct arena *a, const char *plural, str ns, str uid)
{
    str path = core_path(a, plural, ns, S(""));
    return arena_fmt(a, STR_FMT "?labelSelector=kuscia.secretflow%%2Ftask-uid%%3D" STR_FMT, STR_ARG(path), STR_ARG(uid));
}

/* The status that says so; false: its time is over, and the task has failed. */
static bool waits_for_others(struct job *j, const char *reason, str why)
{
    struct task_run *r = j->state;
    struct arena *a = &j->arena;
    nsec_t start = 0;
    int64_t seconds = json_get_int(json_path(&r->task, "spec", "scheduleConfig", NULL), S("lifecycleSeconds"), 0);
    seconds = seconds > 0 ? seconds : KUSCIA_LIFE_SECONDS;
    if (civil_parse(json_get_str(task_run_status(r), S("startTime")), &start) && clock_wall(j->c->opts->clock) >= start + seconds * NSEC_PER_SEC) {
        task_run_fail(j, reason, arena_fmt(a, "there was no room within %lld seconds (lifecycleSeconds): " STR_FMT, (long long)seconds, STR_ARG(why)));
        return false;
    }
    r->status = task_run_begun(j);
    json_set(a, &r->status, S("phase"), json_string(S("Pending")));
    json_set(a, &r->status, S("reason"), json_string(str_of(reason)));
    json_set(a, &r->status, S("message"), json_string(arena_fmt(a, "waiting for other tasks of the domain to end: " STR_FMT, STR_ARG(why))));
    return true;
}

/* The pods that were made are given back: a task must not hold a part of a quota that another task waits for. */
static void wait_for_quota(struct job *j, str why)
{
    struct task_run *r = j->state;
    struct step *steps = arena_array(&j->arena, r->layout.nparties + 1, struct step);
    if (!waits_for_others(j, "QuotaExceeded", why))
        return;
    for (size_t i = 0; i < r->layout.nparties; i++)
        steps[i] = (struct step){S("DELETE"), task_run_objects(&j->arena, "pods", r->layout.parties[i].domain, r->layout.uid), json_null()};
    steps_together(j, steps, r->layout.nparties, gave_back);
}

bool task_run_quota_is_full(struct job *j)
{
    const struct task_run *r = j->state;
    str why = kuscia_room_full(&task_run_state(j->c)->room, &j->arena, &r->layout);
    if (why.len)
        wait_for_quota(j, why);
    return why.len > 0;
}

void task_run_wait_for_ports(struct job *j, str why)
{
    if (waits_for_others(j, "PortsExhausted", why))
        task_run_write(j, task_run_look_again);
}

void task_run_refused(struct job *j)
{
    str said = json_get_str(&j->answer, S("message"));
    if (j->status == 403 && str_find(said, S("exceeded quota")) >= 0)
        wait_for_quota(j, arena_str(&j->arena, said));
    else if (j->status >= 400 && j->status < 500 && j->status != 409 && j->status != 429)
        task_run_fail(j, "CreateResourceFailed", arena_str(&j->arena, json_get_str(&j->answer, S("message"))));
    else
        job_end(j, WORK_RETRY);
}
