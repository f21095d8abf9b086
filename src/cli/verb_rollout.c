/* verb_rollout.c - cox rollout: status, history, undo, restart, pause and resume of deployments, daemon sets and stateful sets. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "base/civil.h"
#include "wire/json_make.h"
#include "cli/rollout.h"
#include "cli/verbs.h"
#include "cli/waiting.h"

#define FOR_EVER (7 * 24 * 3600 * NSEC_PER_SEC)
#define RESTARTED S("kubectl.kubernetes.io/restartedAt")

/* --- status: one sentence for what an object says of itself --------------------------------------------------------------------- */

struct progress {
    struct arena *a;
    const struct target *t;
    int64_t wanted_revision; /* 0: any */
    bool once;
};

static int64_t number(const struct json *obj, const char *part, const char *name)
{
    return json_get_int(json_get(obj, str_of(part)), str_of(name), 0);
}

static bool is_observed(const struct json *obj)
{
    return json_get_int(json_get(obj, S("metadata")), S("generation"), 0) <= number(obj, "status", "observedGeneration");
}

static bool deadline_is_over(const struct json *obj)
{
    const struct json *list = json_path(obj, "status", "conditions", NULL);
    for (size_t i = 0; json_is(list, JSON_ARRAY) && i < list->len; i++) {
        if (str_is(json_get_str(&list->items[i], S("type")), "Progressing"))
            return str_is(json_get_str(&list->items[i], S("reason")), "ProgressDeadlineExceeded");
    }
    return false;
}

/* 1: done, 0: goes on, both with a sentence; <0: failed. */
static int deployment_progress(const struct progress *p, const struct json *obj, str *say, struct failure *f)
{
    str name = p->t->name;
    long long wanted = json_get_int(json_get(obj, S("spec")), S("replicas"), 1), all = number(obj, "status", "replicas"),
              updated = number(obj, "status", "updatedReplicas"), available = number(obj, "status", "availableReplicas"), revision = 0;
    const struct json *now = json_get(json_path(obj, "metadata", "annotations", NULL), S("deployment.kubernetes.io/revision"));
    if (p->wanted_revision) {
        int64_t have = 0;
        if (!str_to_i64(json_str(now), &have))
            return failure_set(f, E_NOT_FOUND, "cannot get the revision of deployment \"" STR_FMT "\"", STR_ARG(name));
        revision = have;
        if (revision != p->wanted_revision)
            return failure_set(f, E_CONFLICT, "desired revision (%lld) is different from the running revision (%lld)", (long long)p->wanted_revision, revision);
    }
    if (!is_observed(obj)) {
        *say = S("Waiting for deployment spec update to be observed...");
        return 0;
    }
    if (deadline_is_over(obj))
        return failure_set(f, E_TIMEOUT, "deployment \"" STR_FMT "\" exceeded its progress deadline", STR_ARG(name));
    if (updated < wanted)
        *say = arena_fmt(p->a, "Waiting for deployment \"" STR_FMT "\" rollout to finish: %lld out of %lld new replicas have been updated...", STR_ARG(name), updated, wanted);
    else if (all > updated)
        *say = arena_fmt(p->a, "Waiting for deployment \"" STR_FMT "\" rollout to finish: %lld old replicas are pending termination...", STR_ARG(name), all - updated);
    else if (available < updated)
        *say = arena_fmt(p->a, "Waiting for deployment \"" STR_FMT "\" rollout to finish: %lld of %lld updated replicas are available...", STR_ARG(name), available, updated);
    else {
        *say = arena_fmt(p->a, "deployment \"" STR_FMT "\" successfully rolled out", STR_ARG(name));
        return 1;
    }
    return 0;
}

static int check_strategy(const struct json *obj, struct failure *f)
{
    str type = json_str(json_path(obj, "spec", "updateStrategy", "type", NULL));
    return str_is(type, "RollingUpdate") ? 0 : failure_set(f, E_INVALID_ARG, "rollout status is only available for RollingUpdate strategy type");
}

static int daemon_progress(const struct progress *p, const struct json *obj, str *say, struct failure *f)
{
    str name = p->t->name;
    long long wanted = number(obj, "status", "desiredNumberScheduled"), updated = number(obj, "status", "updatedNumberScheduled"),
              available = number(obj, "status", "numberAvailable");
    int r = check_strategy(obj, f);
    if (r < 0)
        return r;
    if (!is_observed(obj))
        *say = S("Waiting for daemon set spec update to be observed...");
    else if (updated < wanted)
        *say = arena_fmt(p->a, "Waiting for daemon set \"" STR_FMT "\" rollout to finish: %lld out of %lld new pods have been updated...", STR_ARG(name), updated, wanted);
    else if (available < wanted)
        *say = arena_fmt(p->a, "Waiting for daemon set \"" STR_FMT "\" rollout to finish: %lld of %lld updated pods are available...", STR_ARG(name), available, wanted);
    else {
        *say = arena_fmt(p->a, "daemon set \"" STR_FMT "\" successfully rolled out", STR_ARG(name));
        return 1;
    }
    return 0;
}

static int stateful_progress(const struct progress *p, const struct json *obj, str *say, struct failure *f)
{
    long long wanted = json_get_int(json_get(obj, S("spec")), S("replicas"), 1), ready = number(obj, "status", "readyReplicas"),
              updated = number(obj, "status", "updatedReplicas");
    const struct json *rolling = json_path(obj, "spec", "updateStrategy", "rollingUpdate", NULL), *status = json_get(obj, S("status"));
    str revision = json_get_str(status, S("updateRevision"));
    int r = check_strategy(obj, f);
    if (r < 0)
        return r;
    if (!number(obj, "status", "observedGeneration") || !is_observed(obj)) {
        *say = S("Waiting for statefulset spec update to be observed...");
        return 0;
    }
    if (ready < wanted) {
        *say = arena_fmt(p->a, "Waiting for %lld pods to be ready...", wanted - ready);
        return 0;
    }
    if (json_get(rolling, S("partition"))) {
        long long left = wanted - json_get_int(rolling, S("partition"), 0);
        *say = updated < left ? arena_fmt(p->a, "Waiting for partitioned roll out to finish: %lld out of %lld new pods have been updated...", updated, left)
                              : arena_fmt(p->a, "partitioned roll out complete: %lld new pods have been updated...", updated);
        return updated >= left;
    }
    bool done = str_eq(revision, json_get_str(status, S("currentRevision")));
    *say = done ? arena_fmt(p->a, "statefulset rolling update complete %lld pods at revision " STR_FMT "...", (long long)number(obj, "status", "currentReplicas"), STR_ARG(revision))
                : arena_fmt(p->a, "waiting for statefulset rolling update to complete %lld pods at revision " STR_FMT "...", updated, STR_ARG(revision));
    return done;
}

static int look(void *arg, const struct json *obj, struct failure *f)
{
    struct progress *p = arg;
    str say = S("");
    if (!obj)
        return failure_set(f, E_NOT_FOUND, "object has been deleted");
    enum rollout_kind kind = rollout_kind_of(p->t);
    int r = kind == ROLLOUT_DEPLOYMENT   ? deployment_progress(p, obj, &say, f)
            : kind == ROLLOUT_DAEMON_SET ? daemon_progress(p, obj, &say, f)
                                         : stateful_progress(p, obj, &say, f);
    if (r < 0)
        return r;
    printf(STR_FMT "\n", STR_ARG(say));
    fflush(stdout);
    return r || p->once;
}

static int status(struct session *s, struct failure *f)
{
    struct targets found;
    nsec_t timeout = cli_duration_ns(s->args, "timeout", 0);
    int r = rollout_targets(s, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        struct progress p = {.a = &s->arena,
                             .t = &found.p[i],
                             .wanted_revision = cli_int(s->args, "revision", 0),
                             .once = cli_given(s->args, "watch") && !cli_flag(s->args, "watch")};
        if (rollout_kind_of(p.t) == ROLLOUT_NONE)
            return failure_set(f, E_INVALID_ARG, "no status viewer has been implemented for " STR_FMT, STR_ARG(p.t->res->kind));
        r = p.once ? MIN(look(&p, &p.t->object, f), 0) : waiting_run(s, p.t, timeout > 0 ? timeout : FOR_EVER, look, &p, f);
        if (r == -E_TIMEOUT && str_has_prefix(str_of(f->err.msg), S("timed out waiting")))
            return failure_set(f, E_TIMEOUT, "timed out waiting for the condition");
    }
    return r;
}

/* --- pause, resume, restart ------------------------------------------------------------------------------------------------------ */

static int refuse(struct session *s, const struct target *t, const char *why, struct failure *f)
{
    str type = discovery_group_resource(&s->arena, t->res);
    return failure_set(f, E_INVALID_ARG, STR_FMT " \"" STR_FMT "\" %s", STR_ARG(type), STR_ARG(t->name), why);
}

static int pause_patch(struct session *s, const struct target *t, bool pauses, struct json *ret, struct failure *f)
{
    bool paused = json_get_bool(json_get(&t->object, S("spec")), S("paused"), false);
    if (rollout_kind_of(t) != ROLLOUT_DEPLOYMENT)
        return refuse(s, t, pauses ? "pausing is not supported" : "resuming is not supported", f);
    if (paused == pauses)
        return refuse(s, t, pauses ? "is already paused" : "is not paused", f);
    *ret = json_literal(&s->arena, pauses ? "{\"spec\":{\"paused\":true}}" : "{\"spec\":{\"paused\":null}}");
    return 0;
}

static int restart_patch(struct session *s, const struct target *t, struct json *ret, struct failure *f)
{
    char now[CIVIL_TIME_LEN + 1];
    civil_format(clock_wall(&clock_real), now);
    if (rollout_kind_of(t) == ROLLOUT_NONE)
        return refuse(s, t, "restarting is not supported", f);
    if (json_get_bool(json_get(&t->object, S("spec")), S("paused"), false))
        return refuse(s, t, "can't restart paused deployment (run rollout resume first)", f);
    const struct json *before = json_get(json_path(&t->object, "spec", "template", "metadata", "annotations", NULL), RESTARTED);
    if (str_is(json_str(before), now))
        return failure_set(f, E_CONFLICT,
                           "failed to create patch for " STR_FMT
                           ": if restart has already been triggered within the past second, please wait before attempting to trigger another",
                           STR_ARG(t->name));
    *ret = json_make(&s->arena, "{\"spec\":{\"template\":{\"metadata\":{\"annotations\":{\"kubectl.kubernetes.io/restartedAt\":%s}}}}}", now);
    return 0;
}

static const struct cli_verb rollout_pause, rollout_resume, rollout_restart;

static int change_all(struct session *s, struct failure *f)
{
    const struct cli_verb *verb = s->args->verb;
    const char *done = verb == &rollout_pause ? "paused" : verb == &rollout_resume ? "resumed" : "restarted";
    struct change c;
    struct targets found;
    int r = change_init(&c, s, "kubectl-rollout", f);
    if (r == 0)
        r = rollout_targets(s, &found, f);
    for (size_t i = 0; r == 0 && i < found.len; i++) {
        const struct target *t = &found.p[i];
        struct json patch, after;
        int one = verb == &rollout_restart ? restart_patch(s, t, &patch, f) : pause_patch(s, t, verb == &rollout_pause, &patch, f);
        if (one == 0)
            one = change_patch(&c, t, S(""), CHANGE_PATCH_STRATEGIC, &patch, &after, f);
        if (one == 0)
            one = change_report(&c, t->res, &after, done, f);
        if (one < 0)
            session_note(s, f);
    }
    return r;
}

/* --- the verbs ------------------------------------------------------------------------------------------------------------------ */

static int run_status(struct cli_args *a)
{
    return session_run(a, status);
}
static int run_history(struct cli_args *a)
{
    return session_run(a, rollout_history_show);
}
static int run_undo(struct cli_args *a)
{
    return session_run(a, rollout_undo);
}
static int run_change(struct cli_args *a)
{
    return session_run(a, change_all);
}

#define ROLLOUT_SELECTOR {"selector", 'l', CLI_STRING, "LABELS", "", "Only objects with these labels.", NULL}
#define ROLLOUT_USAGE "(TYPE NAME | TYPE/NAME | TYPE | -f FILE) [OPTIONS]"
static const struct cli_option status_options[] = {
    {"watch", 'w', CLI_FLAG, NULL, "true", "Go on until it is done; --watch=false looks once.", NULL},
    {"timeout", 0, CLI_DURATION, "TIME", "0", "How long to wait; 0: as long as it takes.", NULL},
    {"revision", 0, CLI_INT, "N", "0", "Fail when another revision is rolled out.", NULL},
    ROLLOUT_SELECTOR,
    MANIFEST_OPTIONS,
    {0},
};
static const struct cli_option history_options[] = {
    {"revision", 0, CLI_INT, "N", "0", "Show the pod template of this revision.", NULL},
    ROLLOUT_SELECTOR,
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};
static const struct cli_option undo_options[] = {
    {"to-revision", 0, CLI_INT, "N", "0", "The revision to go back to; 0: the one before.", NULL},
    ROLLOUT_SELECTOR,
    CHANGE_OPTION_DRY_RUN,
    PRINT_OPTIONS_RESULT,
    MANIFEST_OPTIONS,
    {0},
};
static const struct cli_option change_options[] = {
    ROLLOUT_SELECTOR, CHANGE_OPTION_DRY_RUN, CHANGE_OPTION_MANAGER("kubectl-rollout"), PRINT_OPTIONS_RESULT, MANIFEST_OPTIONS, {0},
};

static const struct cli_verb rollout_status = {.name = "status",
                                               .summary = "Show how a rollout goes, until it is done.",
                                               .usage = ROLLOUT_USAGE,
                                               .examples = "  cox rollout status deploy/web\n  cox rollout status sts/db --timeout=1m",
                                               .options = status_options,
                                               .run = run_status,
                                               .is_client = true};
static const struct cli_verb rollout_history_verb = {.name = "history",
                                                     .summary = "Show the revisions of a workload.",
                                                     .usage = ROLLOUT_USAGE,
                                                     .examples = "  cox rollout history deploy/web\n  cox rollout history deploy/web --revision=3",
                                                     .options = history_options,
                                                     .run = run_history,
                                                     .is_client = true};
static const struct cli_verb rollout_undo_verb = {.name = "undo",
                                                  .summary = "Go back to an earlier revision.",
                                                  .usage = ROLLOUT_USAGE,
                                                  .examples = "  cox rollout undo deploy/web\n  cox rollout undo deploy/web --to-revision=3",
                                                  .options = undo_options,
                                                  .run = run_undo,
                                                  .is_client = true};
static const struct cli_verb rollout_restart = {.name = "restart",
                                                .summary = "Replace all pods, as a rollout of the same template.",
                                                .usage = ROLLOUT_USAGE,
                                                .examples = "  cox rollout restart deploy/web\n  cox rollout restart deploy -l app=web",
                                                .options = change_options,
                                                .run = run_change,
                                                .is_client = true};
static const struct cli_verb rollout_pause = {.name = "pause",
                                              .summary = "Stop a deployment from rolling out changes.",
                                              .usage = ROLLOUT_USAGE,
                                              .examples = "  cox rollout pause deploy/web",
                                              .options = change_options,
                                              .run = run_change,
                                              .is_client = true};
static const struct cli_verb rollout_resume = {.name = "resume",
                                               .summary = "Let a paused deployment roll out again.",
                                               .usage = ROLLOUT_USAGE,
                                               .examples = "  cox rollout resume deploy/web",
                                               .options = change_options,
                                               .run = run_change,
                                               .is_client = true};

static const struct cli_verb *const subs[] = {
    &rollout_status, &rollout_history_verb, &rollout_undo_verb, &rollout_restart, &rollout_pause, &rollout_resume, NULL,
};
const struct cli_verb verb_rollout = {
    .name = "rollout",
    .summary = "Follow, undo, restart or pause the rollout of a workload.",
    .usage = "SUBCOMMAND (TYPE NAME | TYPE/NAME) [OPTIONS]",
    .examples = "  cox rollout status deploy/web\n  cox rollout undo deploy/web",
    .subs = subs,
};
