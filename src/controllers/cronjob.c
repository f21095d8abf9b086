/* cronjob.c - Jobs at times of a schedule.
 *
 *   Jobs that it made ─► old ones go (history limits) ─► is a time due that was not served? ─► make its Job, named after the minute ─► status ─► sleep until the next time
 *
 * The name makes a Job unique, whatever happens between making it and writing it down. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/batch_job_plan.h"
#include "controllers/cron_schedule.h"
#include "controllers/events.h"
#include "controllers/workloads.h"

#define TIME_NOTE "batch.kubernetes.io/cronjob-scheduled-timestamp"

struct made_job {
    struct json obj;
    str name, uid;
    bool finished, failed;
    nsec_t started;
};

struct run {
    struct workload w;
    struct made_job *jobs;
    size_t njobs;
    struct ops deletes, creates;
    struct json status;
    nsec_t due, next;
    nsec_t after;
};

static const struct workload_type *const job_type = &workload_types[WORKLOAD_JOB];

static str job_path(struct arena *a, const struct workload *w, str name)
{
    struct resource r = {.group = str_of(job_type->group), .version = str_of(job_type->version), .plural = str_of(job_type->plural), .namespaced = true};
    return resource_path(a, &r, w->ns, name);
}

static str time_text(struct arena *a, nsec_t at)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    return arena_str(a, str_of(text));
}

/* Zone files are a few kilobytes on a local disk and read once each: that much may block the loop. */
static const struct time_zone *zone_of(struct job *j, str name)
{
    struct map *zones = j->c->state;
    struct time_zone *z = map_get(zones, name);
    if (!z && time_zone_new(TIME_ZONE_DIR, name, &z, &(struct err){0}) == 0)
        map_put(zones, str_of(str_dup(name)), z);
    return z;
}

/* --- Jobs that are there ----------------------------------------------------------------------------------------------------------- */

static int by_start(const void *va, const void *vb)
{
    const struct made_job *a = va, *b = vb;
    return a->started != b->started ? (a->started < b->started ? -1 : 1) : str_cmp(a->name, b->name);
}

static void gather(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    struct list *owned = object_cache_owned(&r->w.all->objects[WORKLOAD_JOB], r->w.uid);
    size_t n = 0;
    object_foreach_owned(q, owned) n += q != NULL;
    r->jobs = arena_array(a, n + 1, struct made_job);
    object_foreach_owned(o, owned)
    {
        struct made_job *m = &r->jobs[r->njobs++];
        nsec_t at;
        *m = (struct made_job){.obj = object_read(a, o), .name = arena_str(a, o->name), .uid = arena_str(a, o->uid)};
        m->finished = batch_job_is_finished(&m->obj, &at);
        m->failed = m->finished && !json_get(json_get(&m->obj, S("status")), S("completionTime"));
        if (!civil_parse(json_get_str(json_get(&m->obj, S("status")), S("startTime")), &m->started))
            civil_parse(json_get_str(json_get(&m->obj, S("metadata")), S("creationTimestamp")), &m->started);
    }
    qsort(r->jobs, r->njobs, sizeof *r->jobs, by_start);
}

static void add_delete(struct job *j, struct run *r, const struct made_job *m)
{
    struct json options = delete_options(&j->arena, m->uid, S("Background"));
    if (!object_deleting(&m->obj))
        ops_add(&j->arena, &r->deletes, (struct op){.type = OP_DELETE, .method = S("DELETE"), .path = job_path(&j->arena, &r->w, m->name), .body = options});
}

static void trim(struct job *j, struct run *r, bool failed, int64_t limit)
{
    int64_t n = 0;
    for (size_t i = 0; i < r->njobs; i++)
        n += r->jobs[i].finished && r->jobs[i].failed == failed;
    for (size_t i = 0; i < r->njobs && n > limit; i++)
        if (r->jobs[i].finished && r->jobs[i].failed == failed) {
            add_delete(j, r, &r->jobs[i]);
            n--;
        }
}

/* --- status ---------------------------------------------------------------------------------------------------------------------------- */

static struct json job_ref(struct arena *a, const struct workload *w, str name, const struct json *obj)
{
    struct json ref = json_literal(a, "{\"kind\":\"Job\",\"apiVersion\":\"batch/v1\"}");
    const struct json *meta = json_get(obj, S("metadata"));
    json_set(a, &ref, S("namespace"), json_string(w->ns));
    json_set(a, &ref, S("name"), json_string(name));
    json_set(a, &ref, S("uid"), json_string(json_get_str(meta, S("uid"))));
    json_set(a, &ref, S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
    return ref;
}

/* What was said of a Job before stays as it was: its revision changes all the time. */
static struct json known_ref(struct arena *a, struct run *r, const struct made_job *m)
{
    const struct json *old = json_path(&r->w.obj, "status", "active", NULL);
    for (uint32_t i = 0; json_is(old, JSON_ARRAY) && i < old->len; i++)
        if (str_eq(json_get_str(&old->items[i], S("uid")), m->uid))
            return old->items[i];
    return job_ref(a, &r->w, m->name, &m->obj);
}

static void count(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    const struct json *old = json_get(&r->w.obj, S("status"));
    struct json active = json_array();
    str success = json_get_str(old, S("lastSuccessfulTime"));
    r->status = old ? json_copy(a, old) : json_object();
    for (size_t i = 0; i < r->njobs; i++) {
        str done = json_get_str(json_get(&r->jobs[i].obj, S("status")), S("completionTime"));
        if (!r->jobs[i].finished)
            json_push(a, &active, known_ref(a, r, &r->jobs[i]));
        else if (done.len && str_cmp(done, success) > 0)
            success = done;
    }
    json_del(&r->status, S("active"));
    if (active.len)
        json_set(a, &r->status, S("active"), active);
    if (success.len)
        json_set(a, &r->status, S("lastSuccessfulTime"), json_string(success));
}

/* Jobs that status called active and that have ended, and those that went. */
static void tell(struct job *j, struct run *r)
{
    const struct json *old = json_path(&r->w.obj, "status", "active", NULL);
    for (uint32_t i = 0; json_is(old, JSON_ARRAY) && i < old->len; i++)
        for (size_t k = 0; k < r->njobs; k++)
            if (r->jobs[k].finished && str_eq(r->jobs[k].uid, json_get_str(&old->items[i], S("uid"))))
                workload_event(j, &r->w, EVENT_NORMAL, "SawCompletedJob", "Saw completed job: " STR_FMT ", condition: %s", STR_ARG(r->jobs[k].name),
                               r->jobs[k].failed ? "Failed" : "Complete");
    for (size_t i = 0; i < r->deletes.len; i++) {
        str path = r->deletes.p[i].path;
        if (r->deletes.p[i].status == 200)
            workload_event(j, &r->w, EVENT_NORMAL, "SuccessfulDelete", "Deleted job " STR_FMT, STR_ARG(str_from(path, (size_t)str_rfind_char(path, '/') + 1)));
    }
}

static void ended(struct job *j)
{
    struct run *r = j->state;
    if (job_ok(j))
        tell(j, r);
    if ((!job_ok(j) && !job_not_found(j)) || ops_failure(&r->deletes))
        job_end(j, WORK_RETRY);
    else if (r->after)
        job_end_after(j, r->after);
    else
        job_end(j, WORK_OK);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    workload_status(j, &r->w, &r->status, ended);
}

/* --- a time that is due -------------------------------------------------------------------------------------------------------------------- */

static struct json make_job(struct job *j, struct run *r)
{
    struct arena *a = &j->arena;
    static const str taken[] = {STR_INIT("labels"), STR_INIT("annotations")};
    const struct json *template = json_get(r->w.spec, S("jobTemplate")), *from = json_get(template, S("metadata"));
    struct json obj = json_literal(a, "{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\"}"), *meta = json_ensure_object(a, &obj, S("metadata")), refs = json_array();
    json_set(a, meta, S("name"), json_string(arena_fmt(a, STR_FMT "-%lld", STR_ARG(r->w.name), (long long)(r->due / (60 * NSEC_PER_SEC)))));
    json_set(a, meta, S("namespace"), json_string(r->w.ns));
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        if (json_get(from, taken[i]))
            json_set(a, meta, taken[i], json_copy(a, json_get(from, taken[i])));
    json_set(a, json_ensure_object(a, meta, S("annotations")), S(TIME_NOTE), json_string(time_text(a, r->due)));
    json_push(a, &refs, workload_owner_ref(a, &r->w));
    json_set(a, meta, S("ownerReferences"), refs);
    json_set(a, &obj, S("spec"), json_copy(a, json_get(template, S("spec"))));
    return obj;
}

/* 409: made by a run that did not live to write it down. */
static void created(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct op *op = &r->creates.p[0];
    if (!op_ok(op) && op->status != 409) {
        if (op->status)
            workload_event(j, &r->w, EVENT_WARNING, "FailedCreate", "Error creating job: " STR_FMT, STR_ARG(op_message(op)));
        job_end(j, WORK_RETRY);
        return;
    }
    json_set(a, &r->status, S("lastScheduleTime"), json_string(time_text(a, r->due)));
    if (op_ok(op)) {
        workload_event(j, &r->w, EVENT_NORMAL, "SuccessfulCreate", "Created job " STR_FMT, STR_ARG(json_get_str(json_get(&op->answer, S("metadata")), S("name"))));
        struct json *active = json_get(&r->status, S("active"));
        if (!json_is(active, JSON_ARRAY))
            active = json_set(a, &r->status, S("active"), json_array());
        json_push(a, active, job_ref(a, &r->w, json_get_str(json_get(&op->answer, S("metadata")), S("name")), &op->answer));
    }
    write_status(j);
}

static void deleted(struct job *j)
{
    struct run *r = j->state;
    if (!r->due || ops_failure(&r->deletes)) {
        write_status(j);
        return;
    }
    ops_add(&j->arena, &r->creates, (struct op){.type = OP_OTHER, .method = S("POST"), .path = job_path(&j->arena, &r->w, S("")), .body = make_job(j, r)});
    ops_run(j, &r->creates, created);
}

/* Sets r->due when a Job should be made now, and when to look again. */
static void look_at_clock(struct job *j, struct run *r)
{
    const struct json *spec = r->w.spec, *old = json_get(&r->w.obj, S("status"));
    struct cron_schedule schedule;
    const struct time_zone *zone = zone_of(j, json_get_str(spec, S("timeZone")));
    str policy = json_get_str(spec, S("concurrencyPolicy"));
    nsec_t since = 0, now = r->w.now, deadline = json_get(spec, S("startingDeadlineSeconds")) ? workload_seconds(spec, S("startingDeadlineSeconds")) : -1;
    size_t active = 0;
    if (!zone)
        workload_event(j, &r->w, EVENT_WARNING, "UnknownTimeZone", "invalid timeZone: " STR_FMT ": not in " TIME_ZONE_DIR, STR_ARG(json_get_str(spec, S("timeZone"))));
    if (!zone || !cron_parse(json_get_str(spec, S("schedule")), &schedule) || json_get_bool(spec, S("suspend"), false) || object_deleting(&r->w.obj))
        return;
    if (!civil_parse(json_get_str(old, S("lastScheduleTime")), &since))
        civil_parse(json_get_str(r->w.meta, S("creationTimestamp")), &since);
    if (deadline >= 0)
        since = MAX(since, now - deadline - 1);
    for (size_t i = 0; i < r->njobs; i++)
        active += !r->jobs[i].finished;
    r->due = cron_last(&schedule, zone, since, now);
    r->next = cron_next(&schedule, zone, r->due ? MAX(r->due, now) : (schedule.every ? since : now));
    r->after = r->next ? MAX(r->next - now, (nsec_t)NSEC_PER_MSEC) : 0;
    if (r->due && str_is(policy, "Forbid") && active) {
        workload_event(j, &r->w, EVENT_NORMAL, "JobAlreadyActive", "Not starting job because prior execution is running and concurrency policy is Forbid");
        r->due = 0; /* its Job's end brings the next look */
    }
    for (size_t i = 0; r->due && str_is(policy, "Replace") && i < r->njobs; i++)
        if (!r->jobs[i].finished)
            add_delete(j, r, &r->jobs[i]);
}

static void reconcile(struct job *j)
{
    struct run *r = j->state = arena_new(&j->arena, struct run);
    if (!workload_begin(j, &r->w, WORKLOAD_CRONJOB))
        return;
    gather(j, r);
    count(j, r);
    trim(j, r, false, json_get_int(r->w.spec, S("successfulJobsHistoryLimit"), 3));
    trim(j, r, true, json_get_int(r->w.spec, S("failedJobsHistoryLimit"), 1));
    look_at_clock(j, r);
    ops_run(j, &r->deletes, deleted);
}

/* --- events ---------------------------------------------------------------------------------------------------------------------------- */

static void on_job(void *arg, const struct object *was, const struct object *now)
{
    struct controller *c = arg;
    struct workloads *all = workloads_of(c);
    struct object *owner = object_cache_find_uid(&all->objects[WORKLOAD_CRONJOB], now ? now->owner_uid : was->owner_uid);
    if (all->synced && owner)
        workqueue_add(c->queue, owner->key);
}

static void init(struct controller *c)
{
    c->state = xnew(struct map);
    workloads_join(c, WORKLOAD_CRONJOB);
    object_cache_subscribe(&workloads_of(c)->objects[WORKLOAD_JOB], on_job, c);
}

static void fini(struct controller *c)
{
    struct map *zones = c->state;
    map_foreach(e, zones)
    {
        time_zone_free(e->value);
        free((char *)e->key.p);
    }
    map_fini(zones);
    free(zones);
}

const struct controller_type controller_cronjob = {.name = "cronjob", .parallel = 8, .init = init, .fini = fini, .reconcile = reconcile};
