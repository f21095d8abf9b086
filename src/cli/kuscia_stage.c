/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/kuscia_stage.h"

#include "api/kuscia_job.h"
#include "cli/print.h"
#include "wire/json_make.h"

#define JOBS "/apis/kuscia.secretflow/v1alpha1/namespaces/cross-domain/kusciajobs/"
#define ENDED "|Succeeded|Failed|Cancelled|ApprovalReject|"

struct command {
    const char *name, *done;
    const char *stage;  /* of the label; NULL: an answer */
    const char *answer;
    const char *only;   /* phases in which it has an effect; NULL: in all others */
    const char *never;  /* phases in which it has none */
};

static const struct command commands[] = {
    {.name = "stop", .done = "is told to stop", .stage = "Stop", .never = ENDED},
    {.name = "suspend", .done = "is told to suspend", .stage = "Suspend", .only = "|Running|"},
    {.name = "restart", .done = "is told to restart", .stage = "Restart", .only = "|Failed|Suspended|"},
    {.name = "cancel", .done = "is told to cancel", .stage = "Cancel", .never = "|Succeeded|Cancelled|ApprovalReject|"},
    {.name = "approve", .done = "is approved", .answer = "JobAccepted", .only = "|AwaitingApproval|"},
    {.name = "reject", .done = "is rejected", .answer = "JobRejected", .only = "|AwaitingApproval|"},
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < ARRAY_LEN(commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

bool kuscia_stage_is(const char *command)
{
    return find(command) != NULL;
}

static bool is_among(struct arena *a, const char *phases, str phase)
{
    return str_find(str_of(phases), arena_fmt(a, "|" STR_FMT "|", STR_ARG(phase))) >= 0;
}

/* "|Failed|Suspended|" as "Failed or Suspended". */
static str as_words(struct arena *a, const char *phases)
{
    struct strbuf b = strbuf_on(a);
    str rest = str_of(phases), one;
    while (rest.len) {
        str_cut(&rest, '|', &one);
        if (one.len)
            strbuf_addf(&b, "%s" STR_FMT, b.len ? " or " : "", STR_ARG(one));
    }
    return strbuf_str(&b);
}

str kuscia_stage_refusal(struct arena *a, const char *command, const struct json *job)
{
    const struct command *c = find(command);
    const struct json *status = json_get(job, S("status"));
    str phase = json_get_str(status, S("phase")), shown = phase.len ? phase : S("new");
    if (c->only && !is_among(a, c->only, phase))
        return arena_fmt(a, "the job is " STR_FMT "; %s has an effect on one that is " STR_FMT, STR_ARG(shown), c->name, STR_ARG(as_words(a, c->only)));
    if (c->never && phase.len && is_among(a, c->never, phase))
        return arena_fmt(a, "the job is " STR_FMT " already; %s has no effect on it", STR_ARG(shown), c->name);
    if (c->stage && strcmp(c->stage, "Restart") == 0 && str_is(json_get_str(status, S("reason")), "ValidateFailed"))
        return arena_fmt(a, "the job never started: " STR_FMT "; delete it and apply it again", STR_ARG(json_get_str(status, S("message"))));
    return S("");
}

str kuscia_stage_stranger(struct arena *a, const char *command, const struct json *job, str domain)
{
    bool is_initiator = str_eq(kuscia_job_initiator(job), domain);
    if (!domain.len)
        return S("");
    if (find(command)->answer && is_initiator)
        return arena_fmt(a, "the job is " STR_FMT "'s own: it is not asked", STR_ARG(domain));
    return kuscia_job_takes_part(job, domain) ? S("") : arena_fmt(a, "domain \"" STR_FMT "\" does not take part in the job", STR_ARG(domain));
}

static struct json patch_of(struct arena *a, const struct command *c, str domain)
{
    struct json map = json_object();
    if (c->answer) {
        json_set(a, &map, domain, json_string(str_of(c->answer)));
        return json_make(a, "{\"status\":{\"approveStatus\":%j}}", &map);
    }
    json_set(a, &map, S("kuscia.secretflow/job-stage"), json_string(str_of(c->stage)));
    json_set(a, &map, S("kuscia.secretflow/job-stage-trigger"), domain.len ? json_string(domain) : json_null());
    return json_make(a, "{\"metadata\":{\"labels\":%j}}", &map);
}

int kuscia_stage(struct session *s, const char *command, const char *name, const char *domain, struct failure *f)
{
    const struct command *c = find(command);
    struct arena *a = &s->arena;
    struct json job;
    struct client_response res;
    if (c->answer && !(domain && *domain))
        return session_usage(s, f, "%s is a domain's answer: say whose with --domain NAME", c->name);
    int r = session_get(s, arena_fmt(a, JOBS "%s", name), S(""), &job, f);
    if (r < 0)
        return r;
    str why = kuscia_stage_refusal(a, command, &job);
    if (!why.len)
        why = kuscia_stage_stranger(a, command, &job, str_of(domain ? domain : ""));
    if (why.len)
        return failure_set(f, E_CONFLICT, STR_FMT, STR_ARG(why));
    struct json patch = patch_of(a, c, str_of(domain ? domain : ""));
    struct client_request q = {.method = S("PATCH"), .path = arena_fmt(a, JOBS "%s%s", name, c->answer ? "/status" : ""), .content_type = S("application/merge-patch+json"), .body = json_text(a, &patch)};
    r = session_do(s, &q, &res, f);
    if (r < 0)
        return r;
    STRBUF_AUTO out = STRBUF_HEAP;
    strbuf_addf(&out, "kusciajob.kuscia.secretflow/%s %s\n", name, c->done);
    print_flush(&out);
    return 0;
}
