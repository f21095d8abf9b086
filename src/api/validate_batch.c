/* validate_batch.c - jobs and cron jobs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "api/gen/gen.h"
#include "api/selector.h"
#include "api/validate_internal.h"

enum {
    INDEXED_PARALLELISM_MAX = 100000,
    FAILED_INDEXES_MAX = 100000,
    COMPLETIONS_SOFT_MAX = 100000,
    PARALLELISM_MAX_BEYOND = 10000, /* with completions above the soft maximum and a limit per index */
    FAILURE_RULES_MAX = 20,
    EXIT_CODES_MAX = 255,
    SUCCESS_RULES_MAX = 20,
    INDEXES_MAX_BYTES = 64 << 10,
};

static void too_many(struct vctx *c, const struct vpath *p, size_t n, int max)
{
    struct json have = json_int(c->e->arena, (int64_t)n);
    v_error(c, FIELD_TOO_MANY, p, &have, "must have at most %d items", max);
}

/* --- how a job counts ---------------------------------------------------------------------------------------------------------- */

static bool is_indexed(const struct json *spec)
{
    return str_is(V_STR(spec, "completionMode"), "Indexed");
}

static void check_indexed(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *completions = V_GET(spec, "completions"), *failed = V_GET(spec, "maxFailedIndexes");
    int64_t parallelism = V_INT(spec, "parallelism"), max_failed = V_INT(spec, "maxFailedIndexes"), wanted = V_INT(spec, "completions");
    if (!completions)
        v_required(c, V_FIELD(p, "completions"), "when completion mode is Indexed");
    if (parallelism > INDEXED_PARALLELISM_MAX)
        v_invalid_int(c, V_FIELD(p, "parallelism"), parallelism, "must be less than or equal to %d when completion mode is Indexed",
                      INDEXED_PARALLELISM_MAX);
    if (completions && failed && max_failed > wanted)
        v_invalid_int(c, V_FIELD(p, "maxFailedIndexes"), max_failed, "must be less than or equal to completions");
    if (max_failed > FAILED_INDEXES_MAX)
        v_invalid_int(c, V_FIELD(p, "maxFailedIndexes"), max_failed, "must be less than or equal to %d", FAILED_INDEXES_MAX);
    if (wanted <= COMPLETIONS_SOFT_MAX || !V_GET(spec, "backoffLimitPerIndex"))
        return;
    if (!failed)
        v_required(c, V_FIELD(p, "maxFailedIndexes"), "must be specified when completions is above %d", COMPLETIONS_SOFT_MAX);
    if (parallelism > PARALLELISM_MAX_BEYOND)
        v_invalid_int(c, V_FIELD(p, "parallelism"), parallelism,
                      "must be less than or equal to %d when completions are above %d and used with backoff limit per index",
                      PARALLELISM_MAX_BEYOND, COMPLETIONS_SOFT_MAX);
}

static void check_not_indexed(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str indexed_only[] = {STR_INIT("backoffLimitPerIndex"), STR_INIT("maxFailedIndexes"), STR_INIT("successPolicy")};
    for (size_t i = 0; i < ARRAY_LEN(indexed_only); i++) {
        const struct json *v = v_get(spec, indexed_only[i]);
        if (v)
            v_invalid(c, V_MEMBER(p, indexed_only[i]), v, "requires indexed completion mode");
    }
}

void v_domain_prefixed_path(struct vctx *c, const struct vpath *p, str text)
{
    str path = text, host;
    if (text.len == 0) {
        v_required(c, p, V_NO_DETAIL);
        return;
    }
    if (!str_cut(&path, '/', &host) || path.len == 0 || host.len == 0) {
        v_invalid_str(c, p, text, "must be a domain-prefixed path (such as \"acme.io/foo\")");
        return;
    }
    v_check(c, p, host, validate_dns1123_subdomain);
    for (size_t i = 0; i < path.len; i++) {
        char ch = path.p[i];
        bool alnum = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
        if (!alnum && (!ch || !strchr("/-._~%!$&'()*+,;=:", ch))) {
            v_invalid_str(c, p, path, "Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%%!$&'()*+,;=:]+')");
            return;
        }
    }
}

/* --- failure and success policies -------------------------------------------------------------------------------------------------- */

static void check_exit_codes(struct vctx *c, const struct vpath *p, const struct json *codes)
{
    const struct json *values = V_GET(codes, "values");
    static const struct json none = {.type = JSON_ARRAY};
    const struct vpath *at = V_FIELD(p, "values");
    int64_t last = INT64_MIN;
    bool ordered = true, in = str_is(V_STR(codes, "operator"), "In");
    if (v_len(values) == 0)
        v_invalid(c, at, values ? values : &none, "at least one value is required");
    else if (values->len > EXIT_CODES_MAX)
        too_many(c, at, values->len, EXIT_CODES_MAX);
    v_foreach (value, i, values) {
        int64_t code = 0;
        json_to_i64(value, &code);
        if (in && code == 0)
            v_invalid_int(c, V_INDEX(at, i), code, "must not be 0 for the In operator");
        if (i && code == last)
            v_error(c, FIELD_DUPLICATE, V_INDEX(at, i), value, V_NO_DETAIL);
        ordered &= code >= last;
        last = code;
    }
    if (!ordered)
        v_invalid(c, at, values, "must be ordered");
}

void v_pod_failure_policy_rule(struct vctx *c, const struct vpath *p, const struct json *rule)
{
    const struct json *codes = V_GET(rule, "onExitCodes"), *conditions = V_GET(rule, "onPodConditions");
    if (codes)
        check_exit_codes(c, V_FIELD(p, "onExitCodes"), codes);
    v_foreach (pattern, i, conditions) {
        const struct vpath *at = V_INDEX(V_FIELD(p, "onPodConditions"), i);
        str status = V_STR(pattern, "status");
        v_check(c, V_FIELD(at, "type"), V_STR(pattern, "type"), validate_qualified_name);
        if (status.len && !v_in(status, "False|True|Unknown"))
            v_unsupported(c, V_FIELD(at, "status"), status, "False|True|Unknown");
    }
    if (codes && v_len(conditions))
        v_invalid(c, p, NULL, "specifying both OnExitCodes and OnPodConditions is not supported");
    else if (!codes && v_len(conditions) == 0)
        v_invalid(c, p, NULL, "specifying one of OnExitCodes and OnPodConditions is required");
}

static bool has_container(const struct json *template, str name)
{
    static const str lists[] = {STR_INIT("containers"), STR_INIT("initContainers")};
    for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
        const struct json *containers = v_get(V_GET(template, "spec"), lists[k]);
        v_foreach (ctr, i, containers) {
            if (str_eq(V_STR(ctr, "name"), name))
                return true;
        }
    }
    return false;
}

static void check_failure_policy(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *rules = V_GET(V_GET(spec, "podFailurePolicy"), "rules");
    const struct vpath *at = V_FIELD(V_FIELD(p, "podFailurePolicy"), "rules");
    str restart = V_STR(V_GET(V_GET(spec, "template"), "spec"), "restartPolicy"), replacement = V_STR(spec, "podReplacementPolicy");
    if (!V_GET(spec, "podFailurePolicy"))
        return;
    if (v_len(rules) > FAILURE_RULES_MAX)
        too_many(c, at, rules->len, FAILURE_RULES_MAX);
    for (size_t i = 0; i < MIN(v_len(rules), (size_t)FAILURE_RULES_MAX); i++) {
        const struct json *rule = &rules->items[i], *container = V_GET(V_GET(rule, "onExitCodes"), "containerName");
        if (str_is(V_STR(rule, "action"), "FailIndex") && !V_GET(spec, "backoffLimitPerIndex"))
            v_invalid_str(c, V_FIELD(V_INDEX(at, i), "action"), S("FailIndex"), "requires the backoffLimitPerIndex to be set");
        if (container && !has_container(V_GET(spec, "template"), json_str(container)))
            v_invalid(c, V_FIELD(V_FIELD(V_INDEX(at, i), "onExitCodes"), "containerName"), container,
                      "must be one of the container or initContainer names in the pod template");
    }
    if (replacement.len && !str_is(replacement, "Failed"))
        v_unsupported(c, V_FIELD(p, "podReplacementPolicy"), replacement, "Failed");
    if (str_is(restart, "OnFailure"))
        v_invalid_str(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "spec"), "restartPolicy"), restart,
                      "only \"Never\" is supported when podFailurePolicy is specified");
}

/* "1,3-5": how many indexes; -1 with the reason in err. */
static int64_t count_indexes(str text, int64_t completions, struct err *err)
{
    int64_t total = 0, last = -1;
    str one;
    for (bool more = text.len > 0; more;) {
        more = str_cut(&text, ',', &one);
        str high = one, low;
        int64_t x, y;
        bool is_range = str_cut(&high, '-', &low);
        str parts[2] = {low, is_range ? high : low};
        int64_t values[2];
        for (int i = 0; i < 2; i++) {
            if (!str_to_i64(parts[i], &values[i]))
                return err_set(err, E_INVALID, "cannot convert string to integer for index: \"" STR_FMT "\"", STR_ARG(parts[i])), -1;
            if (values[i] >= completions)
                return err_set(err, E_INVALID, "too large index: \"" STR_FMT "\"", STR_ARG(parts[i])), -1;
        }
        x = values[0];
        y = values[1];
        if ((is_range && x >= y) || last >= x)
            return err_set(err, E_INVALID, "non-increasing order, previous: %lld, current: %lld", (long long)(last >= x ? last : x),
                           (long long)(last >= x ? x : y)),
                   -1;
        total += y - x + 1;
        last = y;
    }
    return total;
}

static void check_success_rule(struct vctx *c, const struct vpath *p, const struct json *rule, int64_t completions)
{
    const struct json *count = V_GET(rule, "succeededCount"), *indexes = V_GET(rule, "succeededIndexes");
    struct err err = ERR_NONE;
    int64_t wanted = V_INT(rule, "succeededCount"), total = 0;
    if (!count && !indexes)
        v_required(c, p, "at least one of succeededCount or succeededIndexes must be specified");
    if (indexes) {
        if (json_str(indexes).len > INDEXES_MAX_BYTES)
            v_too_long(c, V_FIELD(p, "succeededIndexes"), INDEXES_MAX_BYTES);
        total = count_indexes(json_str(indexes), completions, &err);
        if (total < 0)
            v_invalid(c, V_FIELD(p, "succeededIndexes"), indexes, "error parsing succeededIndexes: %s", err.msg);
    }
    v_nonnegative(c, p, rule, S("succeededCount"));
    if (wanted > completions)
        v_invalid(c, V_FIELD(p, "succeededCount"), count, "must be less than or equal to %lld (the number of specified completions)",
                  (long long)completions);
    if (count && indexes && wanted > total)
        v_invalid(c, V_FIELD(p, "succeededCount"), count,
                  "must be less than or equal to %lld (the number of indexes in the specified succeededIndexes field)",
                  (long long)MAX(total, (int64_t)0));
}

static void check_success_policy(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *rules = V_GET(V_GET(spec, "successPolicy"), "rules");
    const struct vpath *at = V_FIELD(V_FIELD(p, "successPolicy"), "rules");
    if (!V_GET(spec, "successPolicy") || !is_indexed(spec))
        return;
    if (v_len(rules) > SUCCESS_RULES_MAX)
        too_many(c, at, rules->len, SUCCESS_RULES_MAX);
    for (size_t i = 0; i < MIN(v_len(rules), (size_t)SUCCESS_RULES_MAX); i++)
        check_success_rule(c, V_INDEX(at, i), &rules->items[i], V_INT(spec, "completions"));
}

/* --- jobs -------------------------------------------------------------------------------------------------------------------------------
 */

static void check_restart_policy(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    str policy = V_STR(V_GET(V_GET(spec, "template"), "spec"), "restartPolicy");
    if (!V_GET(spec, "template"))
        v_required(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "spec"), "containers"), V_NO_DETAIL);
    if (policy.len == 0 || str_is(policy, "Always"))
        v_required(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "spec"), "restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
}

void v_job_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str counts[] = {STR_INIT("parallelism"),
                                 STR_INIT("completions"),
                                 STR_INIT("activeDeadlineSeconds"),
                                 STR_INIT("backoffLimit"),
                                 STR_INIT("ttlSecondsAfterFinished"),
                                 STR_INIT("backoffLimitPerIndex"),
                                 STR_INIT("maxFailedIndexes")};
    const struct json *manager = V_GET(spec, "managedBy");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        v_nonnegative(c, p, spec, counts[i]);
    if (V_GET(spec, "maxFailedIndexes") && !V_GET(spec, "backoffLimitPerIndex"))
        v_required(c, V_FIELD(p, "backoffLimitPerIndex"), "when maxFailedIndexes is specified");
    if (manager)
        v_domain_prefixed_path(c, V_FIELD(p, "managedBy"), json_str(manager));
    if (manager && json_str(manager).len > 63)
        v_too_long(c, V_FIELD(p, "managedBy"), 63);
    if (is_indexed(spec))
        check_indexed(c, p, spec);
    else
        check_not_indexed(c, p, spec);
    check_failure_policy(c, p, spec);
    check_success_policy(c, p, spec);
    check_restart_policy(c, p, spec);
}

static void check_job_selector(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    const struct json *selector = V_GET(spec, "selector"), *labels = V_GET(V_GET(V_GET(spec, "template"), "metadata"), "labels");
    static const struct json empty = {.type = JSON_OBJECT};
    struct selector s;
    if (!selector) {
        v_required(c, V_FIELD(p, "selector"), V_NO_DETAIL);
        return;
    }
    if (selector_from_label_selector(c->e->arena, selector, &s, NULL) == 0 && !selector_match_labels(&s, labels))
        v_invalid(c, V_FIELD(V_FIELD(V_FIELD(p, "template"), "metadata"), "labels"), labels ? labels : &empty,
                  "`selector` does not match template `labels`");
}

static bool was_never_started(const struct vctx *c)
{
    return V_BOOL(V_GET(c->old, "spec"), "suspend") && !V_GET(V_GET(c->old, "status"), "startTime");
}

/* A job that was never started may still change where its pods go. */
static bool same_template(const struct vctx *c, const struct json *now, const struct json *before)
{
    if (!was_never_started(c))
        return v_same(&schema_core_v1_PodTemplateSpec, now, before);
    const struct json *pod = V_GET(now, "spec"), *old_pod = V_GET(before, "spec");
    return v_same_except(&schema_meta_v1_ObjectMeta, V_GET(now, "metadata"), V_GET(before, "metadata"),
                         "labels|annotations|creationTimestamp") &&
           v_same_except(&schema_core_v1_PodSpec, pod, old_pod, "affinity|nodeSelector|tolerations|schedulingGates") &&
           v_same_except(&schema_core_v1_Affinity, V_GET(pod, "affinity"), V_GET(old_pod, "affinity"), "nodeAffinity");
}

static void check_completions_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    const struct json *now = V_GET(spec, "completions");
    if (!is_indexed(spec))
        v_immutable(c, p, &schema_batch_v1_JobSpec, spec, old, S("completions"));
    else if (now && !v_same_member(&schema_batch_v1_JobSpec, spec, old, S("completions")) &&
             V_INT(spec, "completions") != V_INT(spec, "parallelism"))
        v_invalid(c, V_FIELD(p, "completions"), now, "can only be modified in tandem with spec.parallelism");
}

static void check_job_update(struct vctx *c, const struct vpath *p, const struct json *spec, const struct json *old)
{
    static const str fixed[] = {STR_INIT("selector"),         STR_INIT("completionMode"),
                                STR_INIT("podFailurePolicy"), STR_INIT("backoffLimitPerIndex"),
                                STR_INIT("managedBy"),        STR_INIT("successPolicy")};
    check_completions_update(c, p, spec, old);
    for (size_t i = 0; i < ARRAY_LEN(fixed); i++)
        v_immutable(c, p, &schema_batch_v1_JobSpec, spec, old, fixed[i]);
    if (!same_template(c, V_GET(spec, "template"), V_GET(old, "template")))
        v_invalid(c, V_FIELD(p, "template"), V_GET(spec, "template"), V_IMMUTABLE);
}

void v_job(struct vctx *c, const struct vpath *p, const struct json *job)
{
    const struct json *spec = V_GET(job, "spec");
    const struct vpath *at = V_FIELD(p, "spec");
    str name = V_STR(V_GET(job, "metadata"), "name");
    check_job_selector(c, at, spec);
    if (c->old)
        check_job_update(c, at, spec, V_GET(c->old, "spec"));
    if (c->old || !is_indexed(spec) || V_INT(spec, "completions") <= 0)
        return;
    str last = arena_fmt(c->e->arena, STR_FMT "-%lld", STR_ARG(name), (long long)V_INT(spec, "completions") - 1);
    if (validate_dns1123_label(last))
        v_invalid_str(c, V_FIELD(V_FIELD(p, "metadata"), "name"), name, "will not able to create pod with invalid DNS label: " STR_FMT,
                      STR_ARG(last));
}

void v_job_status(struct vctx *c, const struct vpath *p, const struct json *status)
{
    static const str counts[] = {STR_INIT("active"), STR_INIT("succeeded"), STR_INIT("failed"), STR_INIT("ready"), STR_INIT("terminating")};
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        v_nonnegative(c, p, status, counts[i]);
}

/* --- cron jobs ---------------------------------------------------------------------------------------------------------------------------
 */

static bool is_zone_part(str part)
{
    if (part.len == 0 || part.len > 14 || part.p[0] == '-' || str_is(part, ".") || str_is(part, ".."))
        return false;
    for (size_t i = 0; i < part.len; i++) {
        char ch = part.p[i];
        bool alnum = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') || (ch >= '0' && ch <= '9');
        if (!alnum && ch != '.' && ch != '-' && ch != '_' && ch != '+')
            return false;
    }
    return true;
}

static void check_time_zone(struct vctx *c, const struct vpath *p, const struct json *zone)
{
    str rest = json_str(zone), part;
    if (!zone)
        return;
    if (rest.len == 0) {
        v_invalid(c, p, zone, "timeZone must be nil or non-empty string");
        return;
    }
    for (bool more = true; more;) {
        more = str_cut(&rest, '/', &part);
        if (!is_zone_part(part)) {
            v_invalid(c, p, zone, "unknown time zone " STR_FMT, STR_ARG(json_str(zone)));
            return;
        }
    }
    if (str_ieq(json_str(zone), S("Local")))
        v_invalid(c, p, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones");
}

void v_cron_job_spec(struct vctx *c, const struct vpath *p, const struct json *spec)
{
    static const str counts[] = {STR_INIT("startingDeadlineSeconds"), STR_INIT("successfulJobsHistoryLimit"),
                                 STR_INIT("failedJobsHistoryLimit")};
    str schedule = V_STR(spec, "schedule");
    struct err err = ERR_NONE;
    bool had_zone = str_find(V_STR(V_GET(c->old, "spec"), "schedule"), S("TZ")) >= 0, has_zone = str_find(schedule, S("TZ")) >= 0;
    if (schedule.len && !v_cron_parse(schedule, &err))
        v_invalid_str(c, V_FIELD(p, "schedule"), schedule, "%s", err.msg);
    if (has_zone && had_zone && V_GET(spec, "timeZone"))
        v_invalid_str(c, V_FIELD(p, "schedule"), schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule");
    else if (has_zone && !had_zone)
        v_invalid_str(c, V_FIELD(p, "schedule"), schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
    for (size_t i = 0; i < ARRAY_LEN(counts); i++)
        v_nonnegative(c, p, spec, counts[i]);
    check_time_zone(c, V_FIELD(p, "timeZone"), V_GET(spec, "timeZone"));
}

void v_job_template_spec(struct vctx *c, const struct vpath *p, const struct json *template)
{
    const struct json *spec = V_GET(template, "spec"), *selector = V_GET(spec, "selector"), *manual = V_GET(spec, "manualSelector");
    if (selector)
        v_invalid(c, V_FIELD(V_FIELD(p, "spec"), "selector"), selector, "`selector` will be auto-generated");
    if (manual && manual->b)
        v_error(c, FIELD_NOT_SUPPORTED, V_FIELD(V_FIELD(p, "spec"), "manualSelector"), manual, "supported values: \"nil\", \"false\"");
    if (!spec)
        v_required(c, V_FIELD(V_FIELD(V_FIELD(V_FIELD(p, "spec"), "template"), "spec"), "containers"), V_NO_DETAIL);
}

/* Jobs get the name and a time behind it, and pods of those jobs need a label. */
#define CRON_JOB_NAME_MAX 52

void v_cron_job(struct vctx *c, const struct vpath *p, const struct json *job)
{
    str name = V_STR(V_GET(job, "metadata"), "name");
    if (!c->old && name.len > CRON_JOB_NAME_MAX)
        v_invalid_str(c, V_FIELD(V_FIELD(p, "metadata"), "name"), name, "must be no more than %d characters", CRON_JOB_NAME_MAX);
}
