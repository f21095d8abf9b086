/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/kuscia_job_plan.h"

#include "api/quantity.h"
#include "controllers/kuscia.h"
#include "controllers/kuscia_bandwidth.h"

/* --- names and parts ------------------------------------------------------------------------------------------------------------------------ */

static const struct json *spec_of(const struct json *obj)
{
    return json_get(obj, S("spec"));
}

static const struct json no_tasks = {.type = JSON_ARRAY};

static const struct json *tasks_of(const struct json *job)
{
    const struct json *list = json_get(spec_of(job), S("tasks"));
    return json_is(list, JSON_ARRAY) ? list : &no_tasks;
}

static str phase_of(const struct json *obj)
{
    return json_get_str(json_get(obj, S("status")), S("phase"));
}

enum { JOB_NAME_MAX = 40 }; /* what is added to it must fit into a pod's name of 63 */

str kuscia_task_id(struct arena *a, const struct json *job, const struct json *template_)
{
    const struct json *meta = json_get(job, S("metadata"));
    str id = json_get_str(template_, S("taskID")), name = json_get_str(meta, S("name")), alias = json_get_str(template_, S("alias"));
    if (id.len)
        return id;
    uint64_t h = str_hash(arena_fmt(a, STR_FMT "/" STR_FMT, STR_ARG(json_get_str(meta, S("uid"))), STR_ARG(alias)));
    struct strbuf b = strbuf_on(a);
    for (size_t i = 0; i < MIN(name.len, (size_t)JOB_NAME_MAX); i++)
        strbuf_add_char(&b, name.p[i] == '.' ? '-' : name.p[i]); /* services and host names are made of it */
    while (b.len && strbuf_str(&b).p[b.len - 1] == '-')
        b.len--;
    return arena_fmt(a, STR_FMT "-%012llx", STR_ARG(strbuf_str(&b)), (unsigned long long)(h & 0xffffffffffffull));
}

static bool has_role(str roles, str role)
{
    str one;
    while (roles.len) {
        str_cut(&roles, ',', &one);
        if (str_eq(str_trim(one), role))
            return true;
    }
    return false;
}

const struct json *kuscia_template(const struct json *image, str role)
{
    const struct json *list = json_get(spec_of(image), S("deployTemplates")), *any = NULL;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        str roles = json_get_str(&list->items[i], S("role"));
        if (role.len && has_role(roles, role))
            return &list->items[i];
        if (!roles.len && !any)
            any = &list->items[i];
    }
    return any ? any : !role.len && json_is(list, JSON_ARRAY) && list->len ? &list->items[0] : NULL;
}

/* --- the task of a place ------------------------------------------------------------------------------------------------------------------------ */

/* A party's amount is for all its containers together; each gets its part, rounded up. */
static struct json part_of(struct arena *a, str name, const struct json *amount, int64_t parts)
{
    struct quantity q;
    if (parts <= 1 || !quantity_parse(json_str(amount), &q))
        return *amount;
    bool whole = !str_is(name, "cpu");
    int64_t n = whole ? quantity_to_i64(&q) : quantity_to_milli(&q), each = n / parts + (n % parts > 0);
    q = whole ? quantity_from_i64(each) : quantity_from_milli(each);
    return json_string(quantity_format(a, &q));
}

static struct json parts_of(struct arena *a, const struct json *amounts, int64_t parts)
{
    struct json out = json_object();
    for (uint32_t i = 0; json_is(amounts, JSON_OBJECT) && i < amounts->len; i++)
        json_set(a, &out, amounts->members[i].key, part_of(a, amounts->members[i].key, &amounts->members[i].value, parts));
    return out;
}

static struct json party_of(struct arena *a, const struct json *party, str image_name, const struct json *image)
{
    static const str kept[] = {STR_INIT("role"), STR_INIT("bandwidthRequest"), STR_INIT("bandwidthLimits")};
    struct json out = json_make(a, "{\"domainID\":%S,\"appImageRef\":%S}", json_get_str(party, S("domainID")), image_name);
    const struct json *resources = json_get(party, S("resources")), *template_ = kuscia_template(image, json_get_str(party, S("role")));
    const struct json *containers = json_path(template_, "spec", "containers", NULL);
    for (size_t i = 0; i < ARRAY_LEN(kept); i++)
        if (json_get(party, kept[i]))
            json_set(a, &out, kept[i], *json_get(party, kept[i]));
    if (!json_is(resources, JSON_OBJECT) || !resources->len || !json_is(containers, JSON_ARRAY))
        return out;
    int64_t parts = (int64_t)containers->len * MAX(json_get_int(template_, S("replicas"), 1), 1);
    struct json plain = json_copy(a, resources);
    kuscia_bandwidth_names(a, &plain);
    struct json limits = parts_of(a, json_get(&plain, S("limits")), parts), requests = parts_of(a, json_get(&plain, S("requests")), parts), list = json_array();
    for (uint32_t i = 0; i < containers->len; i++)
        json_push(a, &list, json_make(a, "{\"name\":%S,\"resources\":{\"limits\":%j,\"requests\":%j}}", json_get_str(&containers->items[i], S("name")), &limits, &requests));
    json_set(a, &out, S("template"), json_make(a, "{\"spec\":{\"containers\":%j}}", &list));
    return out;
}

struct json kuscia_job_task(struct arena *a, const struct json *job, const struct json *t, const struct json *image)
{
    const struct json *meta = json_get(job, S("metadata")), *parties = json_get(t, S("parties")), *schedule = json_get(t, S("scheduleConfig"));
    struct json list = json_array();
    for (uint32_t i = 0; json_is(parties, JSON_ARRAY) && i < parties->len; i++)
        json_push(a, &list, party_of(a, &parties->items[i], json_get_str(t, S("appImage")), image));
    struct json task = json_make(a,
                                 "{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"KusciaTask\",\"metadata\":{\"name\":%S,\"namespace\":%S,"
                                 "\"ownerReferences\":[{\"apiVersion\":\"" KUSCIA_API "\",\"kind\":\"KusciaJob\",\"name\":%S,\"uid\":%S,\"controller\":true,\"blockOwnerDeletion\":true}],"
                                 "\"annotations\":{\"" KUSCIA("job-id") "\":%S,\"" KUSCIA("task-alias") "\":%S,\"" KUSCIA("self-cluster-as-participant") "\":\"true\"},"
                                 "\"labels\":{\"" KUSCIA("controller") "\":\"kusciajob\",\"" KUSCIA("job-uid") "\":%S}},"
                                 "\"spec\":{\"initiator\":%S,\"taskInputConfig\":%S,\"parties\":%j}}",
                                 kuscia_task_id(a, job, t), json_get_str(meta, S("namespace")), json_get_str(meta, S("name")), json_get_str(meta, S("uid")), json_get_str(meta, S("name")),
                                 json_get_str(t, S("alias")), json_get_str(meta, S("uid")), json_get_str(spec_of(job), S("initiator")), json_get_str(t, S("taskInputConfig")), &list);
    kuscia_bandwidth_lend(a, job, json_path(&task, "metadata", "annotations", NULL));
    if (json_is(schedule, JSON_OBJECT))
        json_set(a, json_get(&task, S("spec")), S("scheduleConfig"), *schedule);
    return task;
}

/* --- the plan ------------------------------------------------------------------------------------------------------------------------------------ */

enum task_state { TASK_NONE, TASK_OPEN, TASK_GOOD, TASK_BAD };

struct planner {
    struct arena *a;
    const struct kuscia_job_in *in;
    struct kuscia_job_plan *out;
    const struct json *tasks;
    enum task_state state[KUSCIA_TASKS_MAX];
    uint32_t n;
    str stage, trigger;
};

bool kuscia_job_is_over(const struct json *job)
{
    str phase = phase_of(job);
    return json_get_str(json_get(job, S("status")), S("completionTime")).len && (str_is(phase, "Succeeded") || str_is(phase, "Cancelled") || str_is(phase, "ApprovalReject"));
}

bool kuscia_job_is_new(const struct json *job)
{
    static const char *const later[] = {"AwaitingApproval", "Pending", "Running", "Suspended", "Succeeded", "Failed", "Cancelled", "ApprovalReject"};
    str phase = phase_of(job);
    for (size_t i = 0; i < ARRAY_LEN(later); i++)
        if (str_is(phase, later[i]))
            return false;
    return true;
}

static void set(struct planner *p, const char *key, str value)
{
    if (value.len)
        json_set(p->a, &p->out->status, str_of(key), json_string(value));
    else
        json_del(&p->out->status, str_of(key));
}

static void set_phase(struct planner *p, const char *phase, str reason, str message)
{
    set(p, "phase", str_of(phase));
    set(p, "reason", reason);
    set(p, "message", message);
}

static void end(struct planner *p, const char *phase, str reason, str message)
{
    set_phase(p, phase, reason, message);
    set(p, "completionTime", p->in->now);
}

/* Each domain that takes part, once. */
static void each_party(struct planner *p, void (*fn)(struct planner *p, str domain, str value), str value)
{
    for (uint32_t i = 0; i < p->tasks->len; i++) {
        const struct json *parties = json_get(&p->tasks->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++)
            fn(p, json_get_str(&parties->items[k], S("domainID")), value);
    }
}

static void set_stage(struct planner *p, str domain, str value)
{
    json_set(p->a, json_ensure_object(p->a, &p->out->status, S("stageStatus")), domain, json_string(value));
}

static bool is_asked(const struct planner *p, str domain)
{
    const struct json *list = p->in->asked;
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), domain) && !str_eq(domain, json_get_str(spec_of(p->in->job), S("initiator"))))
            return true;
    return false;
}

static void accept(struct planner *p, str domain, str value UNUSED)
{
    if (!is_asked(p, domain))
        json_set(p->a, json_ensure_object(p->a, &p->out->status, S("approveStatus")), domain, json_string(S("JobAccepted")));
}

static void condition(struct planner *p, const char *type, bool holds, str reason, str message)
{
    struct json *list = json_get(&p->out->status, S("conditions")), *place = NULL;
    if (!json_is(list, JSON_ARRAY))
        list = json_set(p->a, &p->out->status, S("conditions"), json_array());
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            place = &list->items[i];
    str text = holds ? S("True") : S("False");
    if (place && str_eq(json_get_str(place, S("status")), text) && str_eq(json_get_str(place, S("message")), message))
        return;
    struct json c = json_make(p->a, "{\"type\":%s,\"status\":%S,\"lastTransitionTime\":%S}", type, text, p->in->now);
    if (reason.len)
        json_set(p->a, &c, S("reason"), json_string(reason));
    if (message.len)
        json_set(p->a, &c, S("message"), json_string(message));
    if (place)
        *place = c;
    else
        json_push(p->a, list, c);
}

static void stop_tasks(struct planner *p, str why)
{
    struct json *status = json_get(&p->out->status, S("taskStatus"));
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->state[i] != TASK_OPEN)
            continue;
        p->out->stop[p->out->nstop++] = (uint8_t)i;
        if (status)
            json_set(p->a, status, kuscia_task_id(p->a, p->in->job, &p->tasks->items[i]), json_string(S("Failed")));
    }
    p->out->why = why;
}

/* --- starting -------------------------------------------------------------------------------------------------------------------------------------- */

static void plan_approval(struct planner *p);

static void plan_new(struct planner *p)
{
    if (p->in->missing.len && !p->in->give_up) {
        set_phase(p, "initialized", S("Waiting"), p->in->missing);
        return;
    }
    if (p->in->missing.len) {
        condition(p, "JobValidated", false, S("ValidateFailed"), p->in->missing);
        end(p, "Failed", S("ValidateFailed"), p->in->missing);
        return;
    }
    condition(p, "JobValidated", true, S(""), S(""));
    condition(p, "JobCreateInitialized", true, S(""), S(""));
    each_party(p, set_stage, S("JobCreateStageSucceeded"));
    each_party(p, accept, S(""));
    condition(p, "JobCreateSucceeded", true, S(""), S(""));
    set_phase(p, "AwaitingApproval", S(""), S(""));
    plan_approval(p); /* where nobody wants to be asked, nobody sees the phase */
}

static void plan_approval(struct planner *p)
{
    const struct json *answers = json_get(&p->out->status, S("approveStatus"));
    struct strbuf waits = strbuf_on(p->a);
    struct json seen = json_object();
    for (uint32_t i = 0; i < p->tasks->len; i++) {
        const struct json *parties = json_get(&p->tasks->items[i], S("parties"));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++) {
            str domain = json_get_str(&parties->items[k], S("domainID")), answer = json_get_str(answers, domain);
            if (str_is(answer, "JobRejected")) {
                end(p, "ApprovalReject", S("JobRejected"), arena_fmt(p->a, "domain " STR_FMT " has rejected it", STR_ARG(domain)));
                return;
            }
            if (str_is(answer, "JobAccepted") || json_get(&seen, domain))
                continue;
            json_set(p->a, &seen, domain, json_null());
            strbuf_addf(&waits, "%s" STR_FMT, waits.len ? ", " : "", STR_ARG(domain));
        }
    }
    if (waits.len)
        set(p, "message", arena_fmt(p->a, "waits for the answer of " STR_FMT, STR_ARG(strbuf_str(&waits))));
    else
        set_phase(p, "Pending", S(""), S(""));
}

static void plan_pending(struct planner *p)
{
    condition(p, "JobStartInitialized", true, S(""), S(""));
    each_party(p, set_stage, S("JobStartStageSucceeded"));
    condition(p, "JobStartSucceeded", true, S(""), S(""));
    set_phase(p, "Running", S(""), S(""));
}

/* --- running ------------------------------------------------------------------------------------------------------------------------------------------ */

static int find_alias(const struct planner *p, str alias)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (str_eq(json_get_str(&p->tasks->items[i], S("alias")), alias))
            return (int)i;
    return -1;
}

static bool is_ready(const struct planner *p, uint32_t i)
{
    const struct json *deps = json_get(&p->tasks->items[i], S("dependencies"));
    if (p->state[i] != TASK_NONE)
        return false;
    for (uint32_t k = 0; json_is(deps, JSON_ARRAY) && k < deps->len; k++) {
        int d = find_alias(p, json_str(&deps->items[k]));
        if (d < 0 || p->state[d] != TASK_GOOD)
            return false;
    }
    return true;
}

static bool is_tolerable(const struct planner *p, uint32_t i)
{
    return json_get_bool(&p->tasks->items[i], S("tolerable"), false);
}

static int64_t priority(const struct planner *p, uint32_t i)
{
    return json_get_int(&p->tasks->items[i], S("priority"), 0);
}

/* Names of the tasks in that state which must not be in it. */
static str named(const struct planner *p, enum task_state state)
{
    struct strbuf b = strbuf_on(p->a);
    for (uint32_t i = 0; i < p->n; i++)
        if (p->state[i] == state && !is_tolerable(p, i))
            strbuf_addf(&b, "%s" STR_FMT, b.len ? ", " : "", STR_ARG(json_get_str(&p->tasks->items[i], S("alias"))));
    return strbuf_str(&b);
}

/* The same of those that failed, with where to read on and whose part it was.  Not what the party's program said: the job is seen by all that take part, the task is not. */
static str failures(const struct planner *p)
{
    struct strbuf b = strbuf_on(p->a);
    for (uint32_t i = 0; i < p->n; i++) {
        if (p->state[i] != TASK_BAD || is_tolerable(p, i))
            continue;
        const struct json *status = json_get(p->in->tasks[i], S("status")), *parties = json_get(status, S("partyTaskStatus"));
        str reason = json_get_str(status, S("reason"));
        strbuf_addf(&b, "%s" STR_FMT " (KusciaTask " STR_FMT, b.len ? ", " : "", STR_ARG(json_get_str(&p->tasks->items[i], S("alias"))), STR_ARG(kuscia_task_id(p->a, p->in->job, &p->tasks->items[i])));
        if (reason.len)
            strbuf_addf(&b, ": " STR_FMT, STR_ARG(reason));
        for (uint32_t k = 0; json_is(parties, JSON_ARRAY) && k < parties->len; k++)
            if (str_is(json_get_str(&parties->items[k], S("phase")), "Failed") && !str_has_prefix(json_get_str(&parties->items[k], S("message")), S(KUSCIA_ENDED)))
                strbuf_addf(&b, ", party " STR_FMT, STR_ARG(json_get_str(&parties->items[k], S("domainID"))));
        strbuf_add_char(&b, ')');
    }
    return strbuf_str(&b);
}

static void start_tasks(struct planner *p, const uint8_t *ready, uint32_t n, int64_t room)
{
    uint8_t order[KUSCIA_TASKS_MAX];
    for (uint32_t i = 0; i < n; i++) { /* insertion: equal ones stay in the order of the job */
        uint32_t at = i;
        while (at && priority(p, order[at - 1]) < priority(p, ready[i])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = ready[i];
    }
    for (uint32_t i = 0; i < n && (int64_t)i < room; i++)
        p->out->start[p->out->nstart++] = order[i];
}

static void plan_running(struct planner *p)
{
    uint8_t ready[KUSCIA_TASKS_MAX];
    uint32_t nready = 0, open = 0;
    bool strict = !str_is(json_get_str(spec_of(p->in->job), S("scheduleMode")), "BestEffort");
    for (uint32_t i = 0; i < p->n; i++) {
        open += p->state[i] == TASK_OPEN;
        if (is_ready(p, i))
            ready[nready++] = (uint8_t)i;
    }
    str failed = named(p, TASK_BAD), never = named(p, TASK_NONE);
    if (failed.len && (strict || (!nready && !open))) {
        str why = arena_fmt(p->a, "failed: " STR_FMT, STR_ARG(failures(p)));
        stop_tasks(p, S("another task of the job failed"));
        end(p, "Failed", S("TaskFailed"), why);
    } else if (!nready && !open && never.len) {
        end(p, "Failed", S("TaskFailed"), arena_fmt(p->a, "could not start, because what they depend on failed: " STR_FMT, STR_ARG(never)));
    } else if (!nready && !open) {
        end(p, "Succeeded", S(""), S(""));
    } else {
        start_tasks(p, ready, nready, json_get_int(spec_of(p->in->job), S("maxParallelism"), 1) - open);
    }
}

/* --- commands ------------------------------------------------------------------------------------------------------------------------------------------- */

static str by_whom(const struct planner *p)
{
    return p->trigger.len ? arena_fmt(p->a, "Party: " STR_FMT " execute the cmd: " STR_FMT ".", STR_ARG(p->trigger), STR_ARG(p->stage)) : arena_fmt(p->a, "the job's label kuscia.secretflow/job-stage is " STR_FMT, STR_ARG(p->stage));
}

static void stop_job(struct planner *p, const char *phase, const char *stage)
{
    stop_tasks(p, by_whom(p));
    condition(p, "TaskStopped", true, S(""), S(""));
    each_party(p, set_stage, str_of(stage));
    end(p, phase, by_whom(p), by_whom(p));
}

static bool was_validated(const struct planner *p)
{
    const struct json *list = json_get(&p->out->status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), "JobValidated"))
            return str_is(json_get_str(&list->items[i], S("status")), "True");
    return false;
}

/* One that was stopped before everybody had agreed to it goes back to where it was: a command answers for nobody. */
static void restart(struct planner *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->state[i] == TASK_OPEN || p->state[i] == TASK_BAD)
            p->out->remove[p->out->nremove++] = (uint8_t)i;
    each_party(p, set_stage, S("JobRestartStageSucceeded"));
    set_phase(p, was_validated(p) ? "AwaitingApproval" : "initialized", S(""), S(""));
    if (was_validated(p))
        plan_approval(p);
    if (str_is(json_get_str(&p->out->status, S("phase")), "Pending"))
        set_phase(p, "Running", by_whom(p), S(""));
    if (!str_is(json_get_str(&p->out->status, S("phase")), "ApprovalReject"))
        set(p, "completionTime", S(""));
    p->out->restarted = true;
}

/* A command ended tasks, and this one was written over it before the job said so: what it ended is to go on. */
static bool was_cut_short(const struct planner *p)
{
    for (uint32_t i = 0; i < p->n; i++)
        if (p->state[i] == TASK_BAD && str_is(json_get_str(json_get(p->in->tasks[i], S("status")), S("reason")), KUSCIA_STOPPED))
            return true;
    return false;
}

/* True: the command was for now, and is carried out. */
static bool plan_command(struct planner *p, str phase)
{
    bool failed = str_is(phase, "Failed"), halted = failed || str_is(phase, "Suspended") || (str_is(phase, "Running") && was_cut_short(p));
    if (str_is(p->stage, "Cancel") && !str_is(phase, "Cancelled")) {
        stop_job(p, "Cancelled", "JobCancelStageSucceeded");
    } else if (str_is(p->stage, "Stop") && !failed) {
        stop_job(p, "Failed", "JobStopStageSucceeded");
    } else if (str_is(p->stage, "Suspend") && str_is(phase, "Running")) {
        stop_tasks(p, by_whom(p));
        each_party(p, set_stage, S("JobSuspendStageSucceeded"));
        set_phase(p, "Suspended", by_whom(p), S(""));
    } else if (str_is(p->stage, "Restart") && halted && !str_is(json_get_str(&p->out->status, S("reason")), "ValidateFailed")) {
        restart(p);
    } else {
        p->out->restarted = str_is(p->stage, "Restart") && !failed; /* it was carried out, and whoever did so ended before the label said it: left as it is, it would start the job again when that fails */
        return false;
    }
    return true;
}

/* --- the whole -------------------------------------------------------------------------------------------------------------------------------------------- */

static enum task_state state_of(const struct json *task)
{
    if (!task)
        return TASK_NONE;
    bool deleting = json_get_str(json_get(task, S("metadata")), S("deletionTimestamp")).len > 0;
    str phase = phase_of(task);
    return deleting ? TASK_OPEN : str_is(phase, "Succeeded") ? TASK_GOOD : str_is(phase, "Failed") ? TASK_BAD : TASK_OPEN;
}

static void read_tasks(struct planner *p)
{
    struct json status = json_object();
    for (uint32_t i = 0; i < p->n; i++) {
        const struct json *task = p->in->tasks ? p->in->tasks[i] : NULL;
        str phase = phase_of(task);
        p->state[i] = state_of(task);
        if (p->state[i] != TASK_NONE)
            json_set(p->a, &status, kuscia_task_id(p->a, p->in->job, &p->tasks->items[i]), json_string(phase.len ? phase : S("Pending")));
    }
    if (status.len || json_get(&p->out->status, S("taskStatus")))
        json_set(p->a, &p->out->status, S("taskStatus"), status);
}

void kuscia_job_plan(struct arena *a, const struct kuscia_job_in *in, struct kuscia_job_plan *ret)
{
    const struct json *status = json_get(in->job, S("status")), *labels = json_path(in->job, "metadata", "labels", NULL);
    struct planner p = {.a = a, .in = in, .out = ret, .tasks = tasks_of(in->job), .stage = json_get_str(labels, S(KUSCIA("job-stage"))), .trigger = json_get_str(labels, S(KUSCIA("job-stage-trigger")))};
    *ret = (struct kuscia_job_plan){.status = status ? json_copy(a, status) : json_object(), .why = S("")};
    p.n = MIN(p.tasks->len, (uint32_t)KUSCIA_TASKS_MAX);
    if (kuscia_job_is_over(in->job))
        return;
    str phase = phase_of(in->job);
    if (!json_get_str(status, S("startTime")).len)
        set(&p, "startTime", in->now);
    read_tasks(&p);
    if (!plan_command(&p, phase)) {
        if (kuscia_job_is_new(in->job))
            plan_new(&p);
        else if (str_is(phase, "AwaitingApproval"))
            plan_approval(&p);
        else if (str_is(phase, "Pending"))
            plan_pending(&p);
        else if (str_is(phase, "Running"))
            plan_running(&p);
        else if (str_is(phase, "Failed") || str_is(phase, "Suspended")) /* those that were not told yet */
            stop_tasks(&p, S("the job has ended"));
    }
    if (!status || !json_equal(status, &ret->status))
        set(&p, "lastReconcileTime", in->now);
}
