/* SPDX-License-Identifier: Apache-2.0 */
#include "controllers/batch_job_plan.h"

#include "base/civil.h"
#include "controllers/replicaset_plan.h"
#include "controllers/workloads.h"

#define MAX_INDEXES 10000000 /* of an indexed Job; the API allows more, but parallelism and pods make them unreachable */

struct counting {
    struct arena *a;
    const struct json *job, *spec;
    struct pod_record *const *pods;
    size_t npods;
    nsec_t now;
    struct job_plan *plan;
    /* spec */
    int64_t parallelism, completions, backoff_limit, per_index; /* -1: not given */
    bool indexed, suspended, only_failed;
    /* counts */
    int64_t succeeded, failed, active, ready, terminating;
    int64_t restarts; /* of active pods, where the kubelet restarts them */
    bool pending;     /* something is not in the counters yet */
    uint8_t *done, *lost, *busy; /* by index: succeeded, failed for good, has a pod */
    int64_t *failures, *attempts, ndone, nlost; /* attempts: failed pods that are there, ignored ones among them */
    nsec_t *failed_at;
    struct json uncounted_succeeded, uncounted_failed;
    str fail_reason, fail_message; /* "" : it goes on */
    str success_reason, success_message;
    int64_t recent_failures;
    nsec_t last_failure, last_success;
};

/* --- small things -------------------------------------------------------------------------------------------------------------- */

static str time_text(struct arena *a, nsec_t at)
{
    char text[CIVIL_TIME_LEN + 1];
    civil_format(at, text);
    return arena_str(a, str_of(text));
}

static const struct json *condition_find(const struct json *status, const char *type)
{
    const struct json *list = json_get(status, S("conditions"));
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            return &list->items[i];
    return NULL;
}

static bool condition_true(const struct json *status, const char *type)
{
    return str_is(json_get_str(condition_find(status, type), S("status")), "True");
}

static void condition_put(struct counting *c, const char *type, bool value, str reason, str message)
{
    struct arena *a = c->a;
    struct json *status = &c->plan->status, *list = json_get(status, S("conditions")), *have = NULL;
    str text = value ? S("True") : S("False"), now = time_text(a, c->now);
    if (!json_is(list, JSON_ARRAY))
        list = json_set(a, status, S("conditions"), json_array());
    for (uint32_t i = 0; i < list->len; i++)
        if (str_is(json_get_str(&list->items[i], S("type")), type))
            have = &list->items[i];
    if (have && str_eq(json_get_str(have, S("status")), text))
        return;
    struct json cond = json_object();
    json_set(a, &cond, S("type"), json_string(str_of(type)));
    json_set(a, &cond, S("status"), json_string(text));
    json_set(a, &cond, S("lastProbeTime"), json_string(now));
    json_set(a, &cond, S("lastTransitionTime"), json_string(now));
    json_set(a, &cond, S("reason"), json_string(reason));
    json_set(a, &cond, S("message"), json_string(message));
    if (have)
        *have = cond;
    else
        json_push(a, list, cond);
}

bool batch_job_is_ours(const struct json *job)
{
    const struct json *manager = json_path(job, "spec", "managedBy", NULL);
    return !manager || str_is(json_str(manager), JOB_MANAGER);
}

bool batch_job_is_finished(const struct json *job, nsec_t *ret_at)
{
    static const char *const ends[] = {"Complete", "Failed"};
    const struct json *status = json_get(job, S("status"));
    for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
        if (!condition_true(status, ends[i]))
            continue;
        *ret_at = 0;
        civil_parse(json_get_str(condition_find(status, ends[i]), S("lastTransitionTime")), ret_at);
        return true;
    }
    return false;
}

static void delete_active(struct counting *c)
{
    for (size_t i = 0; i < c->npods; i++)
        if (pod_is_active(c->pods[i]))
            c->plan->deletes[c->plan->ndeletes++] = c->pods[i];
}

/* --- counting finished pods ---------------------------------------------------------------------------------------------------- */

static bool counts_as_failed(const struct counting *c, const struct pod_record *p)
{
    return p->phase == POD_FAILED || (!c->only_failed && p->deleting && p->phase != POD_SUCCEEDED);
}

static bool list_has(const struct json *list, str text)
{
    for (uint32_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++)
        if (str_eq(json_str(&list->items[i]), text))
            return true;
    return false;
}

static int64_t index_of(const struct counting *c, const struct pod_record *p)
{
    int64_t index;
    return c->indexed && str_to_i64(p->index, &index) && index >= 0 && index < c->completions ? index : -1;
}

/* A pod whose index is not wanted any more is no failure. */
static bool is_counted(const struct counting *c, const struct pod_record *p)
{
    return !c->indexed || index_of(c, p) >= 0;
}

/* Uids whose pods hold no finalizer any more become numbers. */
static void settle(struct counting *c, const char *key, struct json *left, int64_t *count)
{
    const struct json *old = json_path(c->job, "status", "uncountedTerminatedPods", key, NULL);
    *left = json_array();
    for (uint32_t i = 0; json_is(old, JSON_ARRAY) && i < old->len; i++) {
        str uid = json_str(&old->items[i]);
        bool held = false;
        for (size_t k = 0; k < c->npods; k++)
            held |= c->pods[k]->tracked && str_eq(c->pods[k]->uid, uid);
        if (held)
            json_push(c->a, left, old->items[i]);
        else
            ++*count;
    }
}

static void release(struct counting *c, struct pod_record *p)
{
    c->plan->releases[c->plan->nreleases++] = p;
}

static void count_success(struct counting *c, struct pod_record *p)
{
    c->last_success = MAX(c->last_success, p->finished_at);
    int64_t index = index_of(c, p);
    if (!p->tracked)
        return;
    if (c->indexed) {
        if (index >= 0)
            c->done[index] = 1;
        release(c, p);
        return;
    }
    if (!list_has(&c->uncounted_succeeded, p->uid)) {
        if (c->uncounted_succeeded.len + c->uncounted_failed.len >= JOB_MAX_UNCOUNTED) {
            c->pending = true;
            return;
        }
        json_push(c->a, &c->uncounted_succeeded, json_string(arena_str(c->a, p->uid)));
    }
    release(c, p);
}

static void count_failure(struct counting *c, struct pod_record *p)
{
    str why = S("");
    enum job_verdict verdict = job_failure_verdict(c->a, json_get(c->spec, S("podFailurePolicy")), p, &why);
    int64_t index = index_of(c, p);
    nsec_t at = p->finished_at ? p->finished_at : p->deleted_at;
    c->recent_failures += at > c->last_success; /* one that is ignored delays the next, too */
    c->last_failure = MAX(c->last_failure, at);
    if (verdict == JOB_FAIL && !c->fail_reason.len && p->tracked) {
        c->fail_reason = S("PodFailurePolicy");
        c->fail_message = why;
    }
    if (index >= 0 && c->per_index >= 0) {
        c->failures[index] = MAX(c->failures[index], p->index_failures + (verdict != JOB_IGNORE));
        c->failed_at[index] = MAX(c->failed_at[index], at);
        c->attempts[index]++;
        if (verdict == JOB_FAIL_INDEX || c->failures[index] > c->per_index)
            c->lost[index] = 1;
    }
    if (!p->tracked)
        return;
    if (verdict != JOB_IGNORE && is_counted(c, p) && !list_has(&c->uncounted_failed, p->uid)) {
        if (c->uncounted_succeeded.len + c->uncounted_failed.len >= JOB_MAX_UNCOUNTED) {
            c->pending = true;
            return;
        }
        json_push(c->a, &c->uncounted_failed, json_string(arena_str(c->a, p->uid)));
    }
    release(c, p);
}

static void count_pods(struct counting *c)
{
    bool kubelet_restarts = str_is(json_get_str(json_path(c->spec, "template", "spec", NULL), S("restartPolicy")), "OnFailure");
    settle(c, "succeeded", &c->uncounted_succeeded, &c->succeeded);
    settle(c, "failed", &c->uncounted_failed, &c->failed);
    for (size_t i = 0; i < c->npods; i++)
        if (c->pods[i]->phase == POD_SUCCEEDED)
            count_success(c, c->pods[i]);
    for (size_t i = 0; i < c->npods; i++) {
        struct pod_record *p = c->pods[i];
        int64_t index = index_of(c, p);
        if (p->phase != POD_SUCCEEDED && counts_as_failed(c, p))
            count_failure(c, p);
        c->terminating += pod_is_gone(p) && !pod_is_finished(p);
        if (!pod_is_active(p)) {
            if (index >= 0 && c->only_failed && pod_is_gone(p) && !pod_is_finished(p))
                c->busy[index] = 1;
            continue;
        }
        c->active++;
        c->ready += p->ready;
        c->restarts += kubelet_restarts ? p->restarts : 0;
        if (index >= 0)
            c->busy[index] = 1;
    }
    c->pending |= c->uncounted_succeeded.len || c->uncounted_failed.len;
}

static void count_indexes(struct counting *c)
{
    for (int64_t i = 0; c->indexed && i < c->completions; i++) {
        c->ndone += c->done[i];
        c->lost[i] &= !c->done[i];
        c->nlost += c->lost[i];
    }
    if (c->indexed)
        c->succeeded = c->ndone;
}

/* A Job that fails takes its pods along; those that have not ended by themselves have failed with it. */
static void fail_pods(struct counting *c)
{
    c->plan->deletes_count = true;
    for (size_t i = 0; i < c->npods; i++) {
        struct pod_record *p = c->pods[i];
        if (pod_is_finished(p) || counts_as_failed(c, p)) /* done by count_failure */
            continue;
        if (p->tracked && is_counted(c, p) && !list_has(&c->uncounted_failed, p->uid)) {
            c->pending = true;
            if (c->uncounted_succeeded.len + c->uncounted_failed.len >= JOB_MAX_UNCOUNTED)
                continue;
            json_push(c->a, &c->uncounted_failed, json_string(arena_str(c->a, p->uid)));
        }
        if (!pod_is_gone(p))
            c->plan->deletes[c->plan->ndeletes++] = p;
        if (p->tracked)
            release(c, p);
    }
}

/* --- has it ended? ---------------------------------------------------------------------------------------------------------------- */

static int64_t known_failed(const struct counting *c)
{
    return c->failed + (int64_t)c->uncounted_failed.len;
}

static int64_t known_succeeded(const struct counting *c)
{
    return c->indexed ? c->ndone : c->succeeded + (int64_t)c->uncounted_succeeded.len;
}

static void fail(struct counting *c, str reason, str message)
{
    if (!c->fail_reason.len) {
        c->fail_reason = reason;
        c->fail_message = message;
    }
}

static void look_for_failure(struct counting *c)
{
    const struct json *target = condition_find(&c->plan->status, "FailureTarget");
    nsec_t started;
    int64_t deadline = json_get_int(c->spec, S("activeDeadlineSeconds"), 0), max_lost = json_get_int(c->spec, S("maxFailedIndexes"), -1);
    if (target && str_is(json_get_str(target, S("status")), "True")) { /* decided earlier */
        c->fail_reason = json_get_str(target, S("reason"));
        c->fail_message = json_get_str(target, S("message"));
        return;
    }
    bool restarted_out = c->restarts && (c->backoff_limit ? c->restarts + known_failed(c) >= c->backoff_limit : true);
    if (known_failed(c) > c->backoff_limit || restarted_out)
        fail(c, S("BackoffLimitExceeded"), S("Job has reached the specified backoff limit"));
    if (max_lost >= 0 && c->nlost > max_lost)
        fail(c, S("MaxFailedIndexesExceeded"), S("Job has exceeded the specified maximal number of failed indexes"));
    if (c->indexed && c->nlost && c->nlost + c->ndone == c->completions)
        fail(c, S("FailedIndexes"), S("Job has failed indexes"));
    if (deadline && !c->suspended && civil_parse(json_get_str(&c->plan->status, S("startTime")), &started)) {
        nsec_t left = started + deadline * NSEC_PER_SEC - c->now;
        if (left <= 0)
            fail(c, S("DeadlineExceeded"), S("Job was active longer than specified deadline"));
        else
            c->plan->after = left;
    }
}

static bool rule_is_met(struct counting *c, const struct json *rule)
{
    str indexes = json_get_str(rule, S("succeededIndexes"));
    int64_t count = json_get_int(rule, S("succeededCount"), 0), have = 0, of = 0;
    uint8_t *wanted = arena_array(c->a, (size_t)MAX(c->completions, (int64_t)0) + 1, uint8_t);
    if (indexes.len)
        job_indexes_parse(indexes, wanted, c->completions);
    for (int64_t i = 0; i < c->completions; i++) {
        bool asked = !indexes.len || wanted[i];
        of += asked;
        have += asked && c->done[i];
    }
    return count ? have >= count : have == of;
}

static void look_for_success(struct counting *c)
{
    const struct json *rules = json_path(c->spec, "successPolicy", "rules", NULL), *met = condition_find(&c->plan->status, "SuccessCriteriaMet");
    if (met && str_is(json_get_str(met, S("status")), "True")) {
        c->success_reason = json_get_str(met, S("reason"));
        c->success_message = json_get_str(met, S("message"));
        return;
    }
    for (uint32_t i = 0; c->indexed && json_is(rules, JSON_ARRAY) && i < rules->len; i++)
        if (rule_is_met(c, &rules->items[i])) {
            c->success_reason = S("SuccessPolicy");
            c->success_message = arena_fmt(c->a, "Matched rules at index %u", i);
            return;
        }
    bool reached = c->completions >= 0 ? known_succeeded(c) >= c->completions && !c->active : known_succeeded(c) > 0 && !c->active;
    if (reached || (c->completions >= 0 && known_succeeded(c) >= c->completions)) {
        c->success_reason = S("CompletionsReached");
        c->success_message = S("Reached expected number of succeeded pods");
    }
}

/* --- pods to make ----------------------------------------------------------------------------------------------------------------- */

static nsec_t backoff_after(int64_t failures)
{
    nsec_t wait = JOB_BACKOFF_NS;
    for (int64_t i = 1; i < failures && wait < JOB_BACKOFF_MAX_NS; i++)
        wait *= 2;
    return MIN(wait, JOB_BACKOFF_MAX_NS);
}

/* True: not yet, look again then. */
static bool must_wait(struct counting *c, int64_t failures, nsec_t last)
{
    nsec_t left = failures ? last + backoff_after(failures) - c->now : 0;
    if (left <= 0)
        return false;
    if (!c->plan->after || left < c->plan->after)
        c->plan->after = left;
    return true;
}

static void add_create(struct counting *c, int64_t index, int64_t failures)
{
    c->plan->creates[c->plan->ncreates++] = (struct job_create){index, failures};
}

static void create_indexed(struct counting *c, int64_t room)
{
    for (int64_t i = 0; i < c->completions && room > 0 && c->plan->ncreates < JOB_MAX_CREATES; i++) {
        if (c->done[i] || c->lost[i] || c->busy[i])
            continue;
        if (c->per_index >= 0 && must_wait(c, MAX(c->failures[i], c->attempts[i]), c->failed_at[i]))
            continue;
        add_create(c, i, c->per_index >= 0 ? c->failures[i] : -1);
        room--;
    }
}

/* Fewer completions than before: pods of indexes that are not wanted any more go, and all but one of an index. */
static void delete_spare(struct counting *c, uint8_t *kept)
{
    uint8_t *taken = arena_array(c->a, (size_t)c->completions + 1, uint8_t);
    for (size_t i = 0; i < c->npods; i++) {
        int64_t index = index_of(c, c->pods[i]);
        if (!pod_is_active(c->pods[i]))
            continue;
        kept[i] = index >= 0 && !taken[index];
        if (index >= 0)
            taken[index] = 1;
        if (kept[i])
            continue;
        c->plan->deletes[c->plan->ndeletes++] = c->pods[i];
        c->active--;
    }
}

/* Those that run least go first. */
static void delete_surplus(struct counting *c, const uint8_t *kept, int64_t wanted)
{
    struct pod_record **pods = arena_array(c->a, c->npods + 1, struct pod_record *);
    size_t n = 0;
    for (size_t i = 0; i < c->npods; i++)
        if (pod_is_active(c->pods[i]) && (!c->indexed || kept[i]))
            pods[n++] = c->pods[i];
    struct replica_plan p = replica_plan_make(c->a, pods, n, wanted);
    for (size_t i = 0; i < p.delete; i++)
        c->plan->deletes[c->plan->ndeletes++] = pods[i];
}

static void plan_pods(struct counting *c)
{
    uint8_t *kept = arena_array(c->a, c->npods + 1, uint8_t);
    if (c->indexed)
        delete_spare(c, kept);

    int64_t wanted = c->completions < 0 ? (known_succeeded(c) ? c->active : c->parallelism) : MIN(c->completions - known_succeeded(c), c->parallelism);
    int64_t room = wanted - c->active - (c->only_failed ? c->terminating : 0);
    if (c->active > wanted) {
        delete_surplus(c, kept, wanted);
        return;
    }
    if (room <= 0 || (c->per_index < 0 && must_wait(c, c->recent_failures, c->last_failure)))
        return;
    if (c->indexed)
        create_indexed(c, room);
    for (; !c->indexed && room > 0 && c->plan->ncreates < JOB_MAX_CREATES; room--)
        add_create(c, -1, -1);
    c->active += (int64_t)c->plan->ncreates;
}

/* --- all of it ------------------------------------------------------------------------------------------------------------------------ */

static void read_spec(struct counting *c)
{
    const struct json *status = json_get(c->job, S("status"));
    c->parallelism = json_get_int(c->spec, S("parallelism"), 1);
    c->completions = json_get_int(c->spec, S("completions"), -1);
    c->backoff_limit = json_get_int(c->spec, S("backoffLimit"), 6);
    c->per_index = json_get_int(c->spec, S("backoffLimitPerIndex"), -1);
    c->indexed = str_is(json_get_str(c->spec, S("completionMode")), "Indexed");
    c->suspended = json_get_bool(c->spec, S("suspend"), false);
    c->only_failed = str_is(json_get_str(c->spec, S("podReplacementPolicy")), "Failed");
    c->succeeded = json_get_int(status, S("succeeded"), 0);
    c->failed = json_get_int(status, S("failed"), 0);
    if (c->indexed) {
        c->completions = MIN(MAX(c->completions, (int64_t)0), (int64_t)MAX_INDEXES);
        size_t n = (size_t)c->completions + 1;
        c->done = arena_array(c->a, n, uint8_t);
        c->lost = arena_array(c->a, n, uint8_t);
        c->busy = arena_array(c->a, n, uint8_t);
        c->failures = arena_array(c->a, n, int64_t);
        c->attempts = arena_array(c->a, n, int64_t);
        c->failed_at = arena_array(c->a, n, nsec_t);
        job_indexes_parse(json_get_str(status, S("completedIndexes")), c->done, c->completions);
        job_indexes_parse(json_get_str(status, S("failedIndexes")), c->lost, c->completions);
    }
}

static void write_counts(struct counting *c)
{
    struct arena *a = c->a;
    struct json *st = &c->plan->status, uncounted = json_object();
    status_int(a, st, "active", c->active);
    status_int(a, st, "succeeded", c->succeeded);
    status_int(a, st, "failed", c->failed);
    json_set(a, st, S("ready"), json_int(a, c->ready));
    json_set(a, st, S("terminating"), json_int(a, c->terminating));
    if (c->uncounted_succeeded.len)
        json_set(a, &uncounted, S("succeeded"), c->uncounted_succeeded);
    if (c->uncounted_failed.len)
        json_set(a, &uncounted, S("failed"), c->uncounted_failed);
    json_set(a, st, S("uncountedTerminatedPods"), uncounted);
    if (!c->indexed)
        return;
    str done = job_indexes_write(a, c->done, c->completions), lost = job_indexes_write(a, c->lost, c->completions);
    if (done.len)
        json_set(a, st, S("completedIndexes"), json_string(done));
    if (c->per_index >= 0)
        json_set(a, st, S("failedIndexes"), json_string(lost));
}

static void write_conditions(struct counting *c)
{
    struct json *st = &c->plan->status;
    bool quiet = !c->active && !c->terminating && !c->pending;
    if (c->fail_reason.len) {
        condition_put(c, "FailureTarget", true, c->fail_reason, c->fail_message);
        if (quiet)
            condition_put(c, "Failed", true, c->fail_reason, c->fail_message);
    } else if (c->success_reason.len) {
        condition_put(c, "SuccessCriteriaMet", true, c->success_reason, c->success_message);
        if (quiet) {
            condition_put(c, "Complete", true, c->success_reason, c->success_message);
            json_set(c->a, st, S("completionTime"), json_string(time_text(c->a, c->now)));
        }
    } else if (c->suspended) {
        condition_put(c, "Suspended", true, S("JobSuspended"), S("Job suspended"));
        json_del(st, S("startTime"));
    } else if (condition_true(st, "Suspended")) {
        condition_put(c, "Suspended", false, S("JobResumed"), S("Job resumed"));
    }
}

void batch_job_plan(struct arena *a, const struct json *job, struct pod_record *const *pods, size_t npods, nsec_t now, struct job_plan *ret)
{
    const struct json *old = json_get(job, S("status"));
    struct counting c = {.a = a, .job = job, .spec = json_get(job, S("spec")), .pods = pods, .npods = npods, .now = now, .plan = ret};
    nsec_t at;
    BUG_ON(npods >= SIZE_MAX / 64);
    *ret = (struct job_plan){.status = old ? json_copy(a, old) : json_object(), .creates = arena_array(a, JOB_MAX_CREATES + 1, struct job_create),
                             .deletes = arena_array(a, npods + 1, struct pod_record *), .releases = arena_array(a, npods + 1, struct pod_record *)};
    if (batch_job_is_finished(job, &at)) { /* what is left of its pods is nobody's to count */
        for (size_t i = 0; i < npods; i++)
            if (pods[i]->tracked)
                release(&c, pods[i]);
        return;
    }
    read_spec(&c);
    if (!json_get(&ret->status, S("startTime")) && !c.suspended)
        json_set(a, &ret->status, S("startTime"), json_string(time_text(a, now)));
    count_pods(&c);
    count_indexes(&c);
    look_for_failure(&c);
    if (!c.fail_reason.len)
        look_for_success(&c);
    if (c.fail_reason.len)
        fail_pods(&c);
    else if (c.success_reason.len || c.suspended)
        delete_active(&c);
    else
        plan_pods(&c);
    write_counts(&c);
    write_conditions(&c);
}
