/* kuscia_job.c - KusciaJobs: reads the job, what it names and its tasks, and does what the plan says (kuscia_job_plan.h).
 *
 *   GET job ─► new: GET domains and app images that it names ─┐
 *          └─► else: GET its tasks ────────────────────────────┴─► plan ─► GET app images of tasks to start ─► make, stop, delete tasks ─► PATCH status ─► PATCH stage label, or annotations
 *
 * Tasks are made before the status says so: a controller that ends between the two finds them again by name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_job_plan.h"

#define PATIENCE_NS (15 * NSEC_PER_SEC) /* for what the job names and is not there: a file brings objects in any order, but whoever made a mistake waits for the answer */
#define LOOK_NS NSEC_PER_SEC
#define KEEP_NS (30 * 24 * 3600 * NSEC_PER_SEC) /* when the options do not say */
#define ASK_ANNOTATION KUSCIA("job-approval") /* of a Domain: "manual" wants to be asked */

struct run {
    struct json job;
    struct gather *named; /* domains, then app images */
    size_t ndomains, nnamed;
    struct gather *tasks; /* those of the spec, and behind them those that the status has and the spec has no more */
    size_t ntasks, nstale;
    struct kuscia_job_plan plan;
    struct gather *images; /* of tasks to start */
    struct step *steps;
    bool waits;
};

static const struct json *tasks_of(const struct run *r)
{
    return json_path(&r->job, "spec", "tasks", NULL);
}

/* --- what was done ------------------------------------------------------------------------------------------------------------------------------ */

/* How long a job that has ended is still kept; false: it has not ended. */
static bool time_left(struct job *j, const struct json *status, nsec_t *ret)
{
    nsec_t at = 0, keep = j->c->opts->kuscia_job_ttl_ns;
    if (!civil_parse(json_get_str(status, S("completionTime")), &at))
        return false;
    *ret = MAX(at + (keep ? keep : KEEP_NS) - clock_wall(j->c->opts->clock), 0);
    return true;
}

static void ended(struct job *j)
{
    const struct run *r = j->state;
    nsec_t left;
    if (!job_ok(j) && !job_not_found(j))
        job_end(j, WORK_RETRY);
    else if (r->waits)
        job_end_after(j, LOOK_NS);
    else if (time_left(j, &r->plan.status, &left))
        job_end_after(j, left);
    else
        job_end(j, WORK_OK);
}

/* The domains that take part, each once: "alice_bob". */
static str parties_of(struct arena *a, const struct run *r)
{
    struct json seen = json_object();
    struct strbuf b = strbuf_on(a);
    for (uint32_t i = 0; i < tasks_of(r)->len; i++) {
        const struct json *parties = json_get(&tasks_of(r)->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++) {
            str domain = json_get_str(&parties->items[k], S("domainID"));
            if (json_get(&seen, domain))
                continue;
            json_set(a, &seen, domain, json_null());
            strbuf_addf(&b, "%s" STR_FMT, b.len ? "_" : "", STR_ARG(domain));
        }
    }
    return strbuf_str(&b);
}

/* What Kuscia notes on a job that it has taken up: all parties are of this control plane. */
static bool is_unmarked(const struct run *r)
{
    str phase = json_get_str(&r->plan.status, S("phase"));
    return phase.len && !str_is(phase, "initialized") && !str_is(json_get_str(&r->plan.status, S("reason")), "ValidateFailed") &&
           !json_get(json_path(&r->job, "metadata", "annotations", NULL), S(KUSCIA("initiator")));
}

static void write_label(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    struct json patch;
    if (job_ok(j) && r->plan.restarted) {
        patch = json_literal(a, "{\"metadata\":{\"labels\":{\"" KUSCIA("job-stage") "\":\"Start\"}}}");
    } else if (job_ok(j) && is_unmarked(r)) {
        patch = json_make(a, "{\"metadata\":{\"annotations\":{\"" KUSCIA("initiator") "\":%S,\"" KUSCIA("self-cluster-as-initiator") "\":\"true\",\"" KUSCIA("interconn-self-parties") "\":%S}}}",
                          json_get_str(json_get(&r->job, S("spec")), S("initiator")), parties_of(a, r));
    } else {
        ended(j);
        return;
    }
    /* not one that took its name meanwhile, nor over a command that came meanwhile */
    static const str same[] = {STR_INIT("uid"), STR_INIT("resourceVersion")};
    for (size_t i = 0; i < ARRAY_LEN(same); i++)
        json_set(a, json_get(&patch, S("metadata")), same[i], json_string(json_get_str(json_get(&r->job, S("metadata")), same[i])));
    job_call(j, S("PATCH"), kuscia_path(&j->arena, "kusciajobs", json_get_str(json_get(&r->job, S("metadata")), S("namespace")), json_get_str(json_get(&r->job, S("metadata")), S("name")), ""), &patch, ended);
}

static void wrote_status(struct job *j)
{
    struct run *r = j->state;
    if (job_ok(j))
        r->job = j->answer;
    write_label(j);
}

static void write_status(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *have = json_get(&r->job, S("status")), *meta = json_get(&r->job, S("metadata"));
    if (have && json_equal(have, &r->plan.status)) {
        j->status = 200;
        write_label(j);
        return;
    }
    struct json obj = r->job;
    json_set(a, &obj, S("status"), r->plan.status);
    job_call(j, S("PUT"), kuscia_path(a, "kusciajobs", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), "/status"), &obj, wrote_status);
}

static void set_failed(struct job *j, str message)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    json_set(a, &r->plan.status, S("phase"), json_string(S("Failed")));
    json_set(a, &r->plan.status, S("reason"), json_string(S("CreateTaskFailed")));
    json_set(a, &r->plan.status, S("message"), json_string(message));
    json_set(a, &r->plan.status, S("completionTime"), json_string(now_text(a, j->c->opts->clock)));
}

/* Refused for good: the job ends, and says why. */
static void stepped(struct job *j)
{
    struct arena *a = &j->arena;
    if (!job_ok(j) && (j->status < 400 || j->status >= 500 || j->status == 409 || j->status == 429)) {
        job_end(j, WORK_RETRY);
        return;
    }
    if (!job_ok(j))
        set_failed(j, arena_str(a, json_get_str(&j->answer, S("message"))));
    write_status(j);
}

static struct step stop_step(struct job *j, const struct json *task, str why)
{
    struct arena *a = &j->arena;
    const struct json *meta = json_get(task, S("metadata"));
    return (struct step){S("PATCH"), kuscia_path(a, "kusciatasks", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), "/status"),
                         json_make(a, "{\"metadata\":{\"uid\":%S,\"resourceVersion\":%S},\"status\":{\"phase\":\"Failed\",\"reason\":\"" KUSCIA_STOPPED "\",\"message\":%S}}", json_get_str(meta, S("uid")),
                                   json_get_str(meta, S("resourceVersion")), why)}; /* one that succeeds in this moment has succeeded */
}

static struct step remove_step(struct job *j, const struct run *r, size_t i)
{
    struct arena *a = &j->arena;
    const struct json *meta = json_get(&r->tasks[i].obj, S("metadata"));
    return (struct step){S("DELETE"), kuscia_path(a, "kusciatasks", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), ""), delete_options(a, json_get_str(meta, S("uid")), S("Background"))};
}

static bool is_ours(const struct run *r, const struct json *task)
{
    return str_eq(json_get_str(json_path(task, "metadata", "labels", NULL), S(KUSCIA("job-uid"))), json_get_str(json_get(&r->job, S("metadata")), S("uid")));
}

static bool has_ended(const struct json *task)
{
    str phase = json_get_str(json_get(task, S("status")), S("phase"));
    return str_is(phase, "Succeeded") || str_is(phase, "Failed");
}

static void act(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct kuscia_job_plan *plan = &r->plan;
    size_t n = 0;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->steps = arena_array(a, (size_t)plan->nstart + plan->nstop + plan->nremove + r->nstale + 1, struct step);
    for (size_t i = 0; i < plan->nstart; i++) {
        const struct json *t = &tasks_of(r)->items[plan->start[i]];
        struct json made = kuscia_job_task(a, &r->job, t, r->images[i].found ? &r->images[i].obj : NULL);
        r->steps[n++] = (struct step){S("POST"), kuscia_path(a, "kusciatasks", json_get_str(json_get(&r->job, S("metadata")), S("namespace")), S(""), ""), made};
        json_set(a, json_ensure_object(a, &r->plan.status, S("taskStatus")), kuscia_task_id(a, &r->job, t), json_string(S("Pending")));
    }
    for (size_t i = 0; i < plan->nstop; i++)
        r->steps[n++] = stop_step(j, &r->tasks[plan->stop[i]].obj, plan->why);
    for (size_t i = r->ntasks; i < r->ntasks + r->nstale; i++)
        if (r->tasks[i].found && is_ours(r, &r->tasks[i].obj) && !has_ended(&r->tasks[i].obj))
            r->steps[n++] = stop_step(j, &r->tasks[i].obj, S("the task was taken out of its job"));
    for (size_t i = 0; i < plan->nremove; i++)
        r->steps[n++] = remove_step(j, r, plan->remove[i]);
    steps_all(j, r->steps, n, stepped);
}

/* --- looking ------------------------------------------------------------------------------------------------------------------------------------------ */

/* What the job names and is not there. */
static str missing(struct job *j, const struct run *r)
{
    for (size_t i = 0; i < r->nnamed; i++)
        if (!r->named[i].found) {
            ptrdiff_t slash = str_rfind_char(r->named[i].path, '/');
            return arena_fmt(&j->arena, "there is no %s \"" STR_FMT "\"", i < r->ndomains ? "Domain" : "AppImage", STR_ARG(str_from(r->named[i].path, (size_t)slash + 1)));
        }
    return S("");
}

/* A party of another control plane: nobody here could start its part. */
static str foreign(const struct run *r)
{
    for (size_t i = 0; i < r->ndomains; i++)
        if (r->named[i].found && str_is(json_get_str(json_get(&r->named[i].obj, S("spec")), S("role")), "partner"))
            return json_get_str(json_get(&r->named[i].obj, S("metadata")), S("name"));
    return S("");
}

static struct json asked(struct job *j, const struct run *r)
{
    struct json list = json_array();
    for (size_t i = 0; i < r->ndomains; i++)
        if (str_is(json_get_str(json_path(&r->named[i].obj, "metadata", "annotations", NULL), S(ASK_ANNOTATION)), "manual"))
            json_push(&j->arena, &list, json_string(json_get_str(json_get(&r->named[i].obj, S("metadata")), S("name"))));
    return list;
}

/* A task of that id that is not of this job: nothing is done to it. */
static str taken(const struct run *r)
{
    for (size_t i = 0; i < r->ntasks; i++)
        if (r->tasks[i].found && !is_ours(r, &r->tasks[i].obj))
            return json_get_str(json_get(&r->tasks[i].obj, S("metadata")), S("name"));
    return S("");
}

static void decide(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    const struct json **tasks = arena_array(a, r->ntasks + 1, const struct json *);
    for (size_t i = 0; i < r->ntasks; i++)
        tasks[i] = r->tasks[i].found && is_ours(r, &r->tasks[i].obj) ? &r->tasks[i].obj : NULL;
    nsec_t created = 0, now = clock_wall(j->c->opts->clock);
    civil_parse(json_get_str(json_get(&r->job, S("metadata")), S("creationTimestamp")), &created);
    struct json ask = asked(j, r);
    struct kuscia_job_in in = {.job = &r->job, .tasks = r->ntasks ? tasks : NULL, .now = now_text(a, j->c->opts->clock), .missing = missing(j, r), .give_up = now - created > PATIENCE_NS, .asked = &ask};
    str other = taken(r), partner = foreign(r);
    if (other.len)
        in.missing = arena_fmt(a, "the task id \"" STR_FMT "\" is another job's", STR_ARG(other));
    else if (partner.len)
        in.missing = arena_fmt(a, "domain \"" STR_FMT "\" is a partner of another control plane, and jobs across control planes are not run yet", STR_ARG(partner));
    in.give_up |= other.len || partner.len;
    kuscia_job_plan(a, &in, &r->plan);
    if (other.len && str_is(json_get_str(&r->plan.status, S("phase")), "Running")) { /* it came between the look at the ids and the making */
        set_failed(j, in.missing);
        r->plan.nstart = 0;
    }
    r->waits = in.missing.len && !in.give_up;
    r->images = arena_array(a, (size_t)r->plan.nstart + 1, struct gather);
    for (size_t i = 0; i < r->plan.nstart; i++)
        r->images[i].path = kuscia_cluster_path(a, "appimages", json_get_str(&tasks_of(r)->items[r->plan.start[i]], S("appImage")));
    gather_all(j, r->images, r->plan.nstart, act);
}

static str task_path(struct job *j, const struct run *r, str id)
{
    return kuscia_path(&j->arena, "kusciatasks", json_get_str(json_get(&r->job, S("metadata")), S("namespace")), id, "");
}

/* Tasks that somebody took out of the job: the status still knows them, until they are told to end. */
static void add_stale(struct job *j, struct run *r)
{
    const struct json *known = json_path(&r->job, "status", "taskStatus", NULL);
    for (uint32_t i = 0; json_is(known, JSON_OBJECT) && i < known->len && r->nstale < KUSCIA_TASKS_MAX; i++) {
        str path = task_path(j, r, known->members[i].key);
        bool is_there = false;
        for (size_t k = 0; k < r->ntasks && !is_there; k++)
            is_there = str_eq(r->tasks[k].path, path);
        if (!is_there)
            r->tasks[r->ntasks + r->nstale++].path = path;
    }
}

static void read_tasks(struct job *j)
{
    struct run *r = j->state;
    const struct json *tasks = tasks_of(r);
    if (!job_ok(j)) {
        job_end(j, WORK_RETRY);
        return;
    }
    r->ntasks = json_is(tasks, JSON_ARRAY) ? MIN(tasks->len, (uint32_t)KUSCIA_TASKS_MAX) : 0;
    r->tasks = arena_array(&j->arena, r->ntasks + KUSCIA_TASKS_MAX + 1, struct gather);
    for (size_t i = 0; i < r->ntasks; i++)
        r->tasks[i].path = task_path(j, r, kuscia_task_id(&j->arena, &r->job, &tasks->items[i]));
    add_stale(j, r);
    gather_all(j, r->tasks, r->ntasks + r->nstale, decide);
}

static void add_named(struct run *r, str path)
{
    for (size_t i = 0; i < r->nnamed; i++)
        if (str_eq(r->named[i].path, path))
            return;
    r->named[r->nnamed++].path = path;
}

/* Each once: the initiator, the parties, the programs. */
static void read_named(struct job *j)
{
    struct run *r = j->state;
    struct arena *a = &j->arena;
    const struct json *tasks = tasks_of(r);
    size_t most = 1;
    for (uint32_t i = 0; json_is(tasks, JSON_ARRAY) && i < tasks->len; i++)
        most += 1 + (json_get(&tasks->items[i], S("parties")) ? json_get(&tasks->items[i], S("parties"))->len : 0);
    r->named = arena_array(a, most, struct gather);
    add_named(r, kuscia_cluster_path(a, "domains", json_get_str(json_get(&r->job, S("spec")), S("initiator"))));
    for (uint32_t i = 0; json_is(tasks, JSON_ARRAY) && i < tasks->len; i++) {
        const struct json *parties = json_get(&tasks->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++)
            add_named(r, kuscia_cluster_path(a, "domains", json_get_str(&parties->items[k], S("domainID"))));
    }
    r->ndomains = r->nnamed;
    for (uint32_t i = 0; json_is(tasks, JSON_ARRAY) && i < tasks->len; i++)
        add_named(r, kuscia_cluster_path(a, "appimages", json_get_str(&tasks->items[i], S("appImage"))));
    gather_all(j, r->named, r->nnamed, read_tasks);
}

static void removed(struct job *j)
{
    job_end(j, job_ok(j) || job_not_found(j) || j->status == 409 ? WORK_OK : WORK_RETRY); /* 409: written meanwhile, its event brings it back */
}

static void got_job(struct job *j)
{
    const struct json *meta = json_get(&j->answer, S("metadata"));
    nsec_t left;
    if (!job_ok(j) || object_deleting(&j->answer)) {
        job_end_status(j);
        return;
    }
    if (time_left(j, json_get(&j->answer, S("status")), &left)) {
        if (!left) {
            struct json options = delete_options(&j->arena, json_get_str(meta, S("uid")), S("Background"));
            json_set(&j->arena, json_get(&options, S("preconditions")), S("resourceVersion"), json_string(json_get_str(meta, S("resourceVersion"))));
            job_call(j, S("DELETE"), kuscia_path(&j->arena, "kusciajobs", json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), ""), &options, removed);
            return;
        }
        if (kuscia_job_is_over(&j->answer)) {
            job_end_after(j, left);
            return;
        }
    }
    struct run *r = j->state = arena_new(&j->arena, struct run);
    r->job = j->answer;
    if (kuscia_job_is_new(&r->job))
        read_named(j);
    else
        read_tasks(j);
}

static void reconcile(struct job *j)
{
    str ns, name;
    controller_key_split(j->key, &ns, &name);
    job_call(j, S("GET"), kuscia_path(&j->arena, "kusciajobs", ns, name, ""), NULL, got_job);
}

static void on_job(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    if (ev->change != INFORMER_DELETED && str_is(informer_event_ns(ev), KUSCIA_NS))
        controller_enqueue(c, ev);
}

static void on_task(struct controller *c, const struct resource *r UNUSED, struct informer_event *ev)
{
    str job = json_get_str(json_get(informer_event_meta(ev), S("annotations")), S(KUSCIA("job-id")));
    if (job.len && str_is(informer_event_ns(ev), KUSCIA_NS))
        workqueue_add(c->queue, arena_fmt(ev->arena_, KUSCIA_NS "/" STR_FMT, STR_ARG(job)));
}

const struct controller_type controller_kuscia_job = {
    .name = "kuscia-job",
    .parallel = 8,
    .watches = {{.group = "kuscia.secretflow", .plural = "kusciajobs", .event = on_job}, {.group = "kuscia.secretflow", .plural = "kusciatasks", .event = on_task}},
    .reconcile = reconcile,
};
